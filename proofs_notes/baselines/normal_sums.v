(* Means under normal laws.

   mean_pushforward, mean_mixture   means under an image and under a mixture of laws
   noisy_mean       the mean of a function of V + s N(0, I), entry by entry
   same_tails       two laws on the line with the same tails have the same means
   normal_sum       k (X - v) + r Y for independent X of N(v, s^2) and Y of N(0, s^2) is normal: the mean of any function of it *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions interval_inference reals ereal topology normedtype sequences exp.
From mathcomp Require Import measure numfun measurable_realfun lebesgue_measure lebesgue_integral probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure squared_norms normal_line gaussian_dp gaussian_run gaussian_matrix gaussian_steps real_releases.
From DPPCA.liu2022 Require Import densities_of_noise.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Means.
Context d (T : measurableType d) (R : realType).
Implicit Types (M P Q : {measure set T -> \bar R}) (f : T -> \bar R).

Lemma mean_pushforward d' (U : measurableType d') (P : {measure set U -> \bar R}) M (g : U -> T) f : measurable_fun setT g ->
  (forall A, measurable A -> M A = P (g @^-1` A)) -> measurable_fun setT f -> (forall x, 0 <= f x)%E ->
  (\int[M]_x f x = \int[P]_x f (g x))%E.
Proof.
move=> mg same mf f0; transitivity (\int[pushforward P mg]_x f x)%E; last exact: ge0_integral_pushforward.
by apply: eq_measure_integral => A mA _; exact: same.
Qed.

Lemma mean_mixture M P Q (a b : R) f : 0 <= a -> 0 <= b -> (forall A, measurable A -> M A = a%:E * P A + b%:E * Q A)%E ->
  measurable_fun setT f -> (forall x, 0 <= f x)%E -> (\int[M]_x f x = a%:E * \int[P]_x f x + b%:E * \int[Q]_x f x)%E.
Proof.
move=> a0 b0 mix mf f0; pose m1 := mscale (NngNum a0) P; pose m2 := mscale (NngNum b0) Q.
transitivity (\int[measure_add m1 m2]_x f x)%E.
  by apply: eq_measure_integral => A mA _; rewrite mix //; exact/esym/measure_addE.
by rewrite ge0_integral_measure_add // !ge0_integral_mscale.
Qed.
End Means.

Section Mean.
Context {R : realType} {m n : nat} (s : R) (s0 : 0 < s).
Local Notation matrix := 'M[R]_(m, n).
Local Notation mu := (@lebesgue_measure R).
Implicit Types (V W M N : matrix) (l : seq ('I_m * 'I_n)) (F G : matrix -> \bar R).

Lemma measurable_shift M : measurable_fun setT (fun N : matrix => M + N).
Proof.
apply: measurable_matrix => i j; under eq_fun do rewrite mxE.
by apply: measurable_funD => //; exact: measurable_entry.
Qed.

Lemma release_exists d (T : measurableType d) l V : exists nu : probability matrix R, forall M F (A : set T),
  measurable_fun setT F -> (forall N, 0 <= F N)%E ->
  (\int[nu]_N F (M + N) = releases l (const_mx s) V (fun N _ => F N) M A)%E.
Proof.
have shift M F : measurable_fun setT F -> measurable_fun setT (fun N : matrix => F (M + N)).
  by move=> mF; exact: (measurableT_comp mF (measurable_shift M)).
elim: l => [|ij l [nu H]].
  exists (dirac (0 : matrix)) => M F A mF F0; rewrite integral_dirac //; last exact: shift.
  by rewrite diracT mul1e addr0.
have mg : measurable_fun setT (fun w : measurableTypeR R * matrix => add_entry ij (w.2, w.1)).
  by apply: (measurableT_comp (@measurable_add_entry R m n ij)); apply: measurable_fun_prod.
have [P PE] := image_exists (normal_prob (V ij.1 ij.2) s) nu mg; exists P => M F A mF F0.
rewrite (PE (fun N => F (M + N))) //; last exact: shift.
have inner x : (\int[nu]_N F (M + add_entry ij (N, x)) = releases l (const_mx s) V (fun N _ => F N) (add_entry ij (M, x)) A)%E.
  by rewrite -H //; apply: eq_integral => N _; rewrite /add_entry /= addrA addrAC.
rewrite /= integral_normal; last 2 first.
- have mf : measurable_fun setT (fun w : measurableTypeR R * matrix => F (M + add_entry ij (w.2, w.1))) by exact: (measurableT_comp (shift M F mF) mg).
  exact: (measurable_mean nu mf (fun w => F0 _)).
- by move=> x; apply: integral_ge0 => N _; exact: F0.
by apply: eq_integral => x _; rewrite inner mxE.
Qed.

Lemma noisy_mean (P : {measure set matrix -> \bar R}) V F : (forall A, measurable A -> P A = noisy predT (const_mx s) V A) ->
  measurable_fun setT F -> (forall N, 0 <= F N)%E ->
  (\int[P]_N F N = releases (enum {: 'I_m * 'I_n}) (const_mx s) V (fun N _ => F N) 0 (setT : set matrix))%E.
Proof.
move=> PE mF F0; have [nu H] := release_exists matrix (enum {: 'I_m * 'I_n}) V.
have nuE A : measurable A -> nu A = noisy predT (const_mx s) V A.
  move=> mA; rewrite noisyE (releases_at _ _ _ _ _ _ (setT : set matrix)) -H.
  - under eq_integral do rewrite add0r.
    by rewrite integral_indic // setIT.
  - by apply/measurable_EFinP; exact: measurable_indic.
  - by move=> N; rewrite lee_fin indicE.
rewrite -H //; under [in RHS]eq_integral do rewrite add0r.
by apply: eq_measure_integral => A mA _; rewrite PE //; exact/esym/nuE.
Qed.
End Mean.

(* The law of a sum of normal numbers, by its tails. *)
Section Sum.
Context {R : realType}.
Local Notation mu := (@lebesgue_measure R).
Local Notation line := (measurableTypeR R).
Implicit Types (v s k r c : R) (h : R -> \bar R).

Lemma same_tails (M : probability line R) (N : {measure set line -> \bar R}) h : (forall c, M `[c, +oo[%classic = N `[c, +oo[%classic) -> (\int[M]_x h x = \int[N]_x h x)%E.
Proof.
move=> same; apply: eq_measure_integral => E mE _.
pose half (i : nat) : set line := `[- (i%:R : R), +oo[%classic.
have generated : @measurable _ line = <<s @RGenCInfty.G R >> by apply: RGenCInfty.measurableE.
have closed : setI_closed (@RGenCInfty.G R).
  move=> A B [x ->] [y ->]; exists (maxr x y); apply/seteqP; split=> z; rewrite /= !in_itv /= !andbT ge_max.
    by move=> [-> ->].
  by move=> /andP[-> ->].
have listed i : RGenCInfty.G (half i) by exists (- i%:R).
have cover : \bigcup_i (half i) = setT.
  apply/seteqP; split=> x // _; exists (archi_bound `|x : R|) => //=; rewrite /half /= in_itv /= andbT lerNl.
  by apply: le_trans (ltW (archi_boundP (normr_ge0 _))); rewrite -normrN; exact: ler_norm.
have same' A : RGenCInfty.G A -> M A = N A by move=> [c ->]; exact: same.
have small i : (M (half i) < +oo)%E.
  by apply: le_lt_trans (probability_le1 _ _) _; [exact: measurable_itv | rewrite ltry].
exact: (@measure_unique _ R line _ half generated closed listed cover M N same' small E mE).
Qed.

Lemma measurable_affine2 v k r : measurable_fun setT (fun w : line * line => k * (w.1 - v) + r * w.2 : line).
Proof.
apply: measurable_funD; apply: measurable_funM => //.
by apply: measurable_funB => //.
Qed.

Lemma half_line v s r c t : 0 < s -> 0 < r -> normal_prob v s [set y : R | c <= t + r * y] = (upper (((c - t) / r - v) / s))%:E.
Proof.
move=> s0 r0; rewrite -tail_upper //; congr (normal_prob v s _); apply/seteqP; split=> y /=;
  by rewrite in_itv /= andbT ler_pdivrMr // lerBlDl [y * r]mulrC.
Qed.

Lemma no_line v s c t : normal_prob v s [set y : R | c <= t + 0 * y] = (\1_[set t : R | c <= t] t)%:E.
Proof.
rewrite indicE; have [h|h] := boolP (c <= t).
  rewrite mem_set // (_ : [set y | _] = setT); first exact: probability_setT.
  by apply/seteqP; split=> y //= _; rewrite mul0r addr0.
rewrite memNset; last exact/negP.
rewrite (_ : [set y | _] = set0) ?measure0 //.
by apply/seteqP; split=> y //=; rewrite mul0r addr0 (negPf h).
Qed.

Lemma normal_sum_tail v s k r c : 0 < s -> 0 <= r ->
  (\int[normal_prob v s]_x normal_prob 0 s [set y | c <= k * (x - v) + r * y]%R =
   normal_prob 0 s [set z | c <= Num.sqrt (r ^+ 2 + k ^+ 2) * z]%R)%E.
Proof.
move=> s0; rewrite le_eqVlt => /predU1P[<-|r0].
  have ma : measurable_fun setT (fun x : line => k * (x - v) : line) by apply: measurable_funM => //; apply: measurable_funB.
  transitivity (normal_prob v s [set x | c <= k * (x - v)]).
    rewrite -[in RHS](setIT [set x | _]) -integral_indic //.
      by apply: eq_integral => x _; rewrite no_line !indicE.
    rewrite (_ : [set x | _] = (fun x : line => k * (x - v) : line) @^-1` `[c, +oo[).
      by rewrite -[X in measurable X]setTI; exact: ma.
    by apply/seteqP; split=> y /=; rewrite in_itv /= andbT.
  rewrite expr0n add0r sqrtr_sqr.
  have [->|kn0] := eqVneq k 0.
    rewrite normr0 (_ : [set x | _] = if c <= 0 then setT else set0).
      rewrite [in RHS](_ : [set x | _] = if c <= 0 then setT else set0); first by case: ifP => _; rewrite ?measure0 ?probability_setT.
      by apply/seteqP; split=> y /=; rewrite mul0r; case: (c <= 0).
    by apply/seteqP; split=> y /=; rewrite mul0r; case: (c <= 0).
  have zero : normal_prob 0 s [set z | c <= `|k| * z] = (upper (c / `|k| / s))%:E.
    have := @half_line 0 s `|k| c 0 s0; rewrite normr_gt0 kn0 => /(_ isT); rewrite !subr0 => <-.
    by congr (normal_prob 0 s _); apply/seteqP; split=> y /=; rewrite add0r.
  rewrite zero; have [k0|k0] := ltP 0 k.
    rewrite gtr0_norm // (_ : [set x | _] = [set x | c <= - (k * v) + k * x]); last first.
      by apply/seteqP; split=> y /=; rewrite mulrBr addrC.
    by rewrite half_line //; congr (upper (_ / s))%:E; field.
  have {}k0 : k < 0 by rewrite lt_def eq_sym kn0.
  rewrite (_ : [set x | _] = `]-oo, (v + c / k)%R]%classic); last first.
    by apply/seteqP; split=> y /=; rewrite in_itv /= -lerBlDl ler_ndivlMr // mulrC.
  by rewrite lower_tail // ltr0_norm //; congr (upper (_ / s))%:E; field.
set q := Num.sqrt _; have q0 : 0 < q by rewrite sqrtr_gt0 ltr_pwDl ?exprn_gt0 // sqr_ge0.
have q2 : q ^+ 2 = r ^+ 2 + k ^+ 2 by rewrite sqr_sqrtr // addr_ge0 ?sqr_ge0.
under eq_integral do rewrite half_line //.
have sE : (q * s) ^+ 2 = k ^+ 2 * s ^+ 2 + (r * s) ^+ 2 by rewrite !exprMn q2; ring.
have e x : (upper (((c - k * (x - v)) / r - 0) / s))%:E = tail (- (k * v) + k * x) (r * s) c.
  by rewrite tail_upper ?mulr_gt0 //; congr (upper _)%:E; field; rewrite !gt_eqF.
under eq_integral do rewrite e.
rewrite integral_normal.
- rewrite (tail_mixture v (- (k * v)) c s0 (mulr_gt0 r0 s0) (mulr_gt0 q0 s0) sE) subrr.
  rewrite tail_upper ?mulr_gt0 // (_ : [set z | _] = [set z | c <= 0 + q * z]); last first.
    by apply/seteqP; split=> y /=; rewrite add0r.
  by rewrite half_line // !subr0; congr (upper _)%:E; field; rewrite !gt_eqF.
- by apply: measurable_tail; rewrite mulr_gt0.
- by move=> x; rewrite tail_upper ?mulr_gt0 // lee_fin upper_ge0.
Qed.

Lemma normal_sum v s k r h : 0 < s -> 0 <= r -> measurable_fun setT h -> (forall x, 0 <= h x)%E ->
  (\int[mu]_x \int[mu]_y ((normal_pdf v s x * normal_pdf 0 s y)%:E * h (k * (x - v) + r * y)%R) =
   \int[mu]_z ((normal_pdf 0 s z)%:E * h (Num.sqrt (r ^+ 2 + k ^+ 2) * z)%R))%E.
Proof.
move=> s0 r0 mh h0; set q := Num.sqrt _; have mz : measurable_fun setT (fun x : line => q * x : line).
  by apply: measurable_funM.
have [M ME] := image_exists (normal_prob v s) (normal_prob 0 s) (measurable_affine2 v k r).
have mA c : measurable (`[c, +oo[%classic : set line) by exact: measurable_itv.
have event (P : probability line R) c : P `[c, +oo[%classic = (\int[P]_x (\1_`[c, +oo[%classic x)%:E)%E by rewrite integral_indic // setIT.
have mi c : measurable_fun setT (fun x : line => (\1_`[c, +oo[%classic x)%:E : \bar R) by apply/measurable_EFinP; exact: measurable_indic.
have i0 c (x : line) : (0 <= (\1_`[c, +oo[%classic x)%:E :> \bar R)%E by rewrite lee_fin indicE.
have mset c (f : line -> line) : measurable_fun setT f -> measurable [set y | c <= f y].
  move=> mf; rewrite (_ : [set y | _] = f @^-1` `[c, +oo[); first by rewrite -[X in measurable X]setTI; exact: mf.
  by apply/seteqP; split=> y /=; rewrite in_itv /= andbT.
have under (P : probability line R) c (f : line -> line) : measurable_fun setT f ->
    (\int[P]_y (\1_`[c, +oo[%classic (f y))%:E = P [set y | (c <= f y)%R])%E.
  move=> mf; rewrite -[in RHS](setIT [set y | _]) -integral_indic //; last exact: mset.
  by apply: eq_integral => y _; rewrite !indicE; congr (_%:R)%:E; congr (nat_of_bool _); apply/idP/idP; rewrite !inE /= in_itv /= andbT.
transitivity (\int[M]_x h x)%E; last first.
  transitivity (\int[pushforward (normal_prob 0 s) mz]_x h x)%E; last first.
    rewrite ge0_integral_pushforward // integral_normal //; [exact: (measurableT_comp mh mz) | by move=> x; exact: h0].
  apply: (@same_tails M (pushforward (normal_prob 0 s) mz) h) => c; rewrite event ME //.
  apply: (@etrans _ _ (normal_prob 0 s [set z | c <= q * z])).
    rewrite -(normal_sum_tail v) //; apply: eq_integral => x _; rewrite under //.
    exact: (measurableT_comp (measurable_affine2 v k r) (measurable_pair1 x)).
  by congr (normal_prob 0 s _); apply/seteqP; split=> y /=; rewrite in_itv /= andbT.
have hg x : measurable_fun setT (fun y => h (k * (x - v) + r * y)).
  exact: (measurableT_comp (measurableT_comp mh (measurable_affine2 v k r)) (measurable_pair1 x)).
rewrite ME // integral_normal //.
- apply: eq_integral => x _; rewrite (integral_normal 0 s (hg x)) //.
  rewrite -(@ge0_integralZl_EFin _ _ R mu setT measurableT (fun y => ((normal_pdf 0 s y)%:E * h (k * (x - v) + r * y)%R)%E)) ?normal_pdf_ge0 //.
  + by apply: eq_integral => y _; rewrite EFinM muleA.
  + by move=> y _; rewrite mule_ge0 ?lee_fin ?normal_pdf_ge0.
  + by apply: measurable_mass => //; exact: measurable_normal_pdf.
- exact: (measurable_mean (normal_prob 0 s) (measurableT_comp mh (measurable_affine2 v k r)) (fun w => h0 _)).
- by move=> x; apply: integral_ge0 => y _.
Qed.
End Sum.
