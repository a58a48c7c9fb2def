(* Advanced composition of adaptive releases without a martingale: each release that is (e, t)-private, t > 0 or not, is covered
   by a normal one and a failure of probability t, and the squares of normal releases add up.

   densities_exist    two probabilities have densities with respect to their sum
   compare_pair       means under an (e, t)-private pair, from two points of a hockey-stick curve
   tests_close B t h l   h is as hard to distinguish from l as N(B, 1) from N(0, 1), but for a failure of probability t
   release_close      one more release: the squares add up, and the failures
   after_advanced     k releases of (share e t k, t / (2 k)) each, then what is (c, u)-private: (e, t) and (c, u) together
   advanced_composition   liu2022's Lemma B.4 *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc charge probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure gaussian_dp gaussian_run gaussian_calibration gaussian_response real_releases adaptive_runs.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(* A pair of probabilities has densities with respect to its sum. *)
Section Densities.
Context {R : realType} d (T : measurableType d) (P Q : probability T R).

Definition sum_measure := measure_add P Q.
HB.instance Definition _ := Measure.on sum_measure.
Let sum_finite : fin_num_fun sum_measure.
Proof.
move=> A mA; rewrite /sum_measure measure_addE fin_numD; apply/andP; split; exact: fin_num_measure.
Qed.
HB.instance Definition _ := Measure_isFinite.Build _ _ _ sum_measure sum_finite.

Lemma dominated : P `<< sum_measure /\ Q `<< sum_measure.
Proof.
split=> A mA; rewrite /sum_measure measure_addE => /eqP.
  by rewrite padde_eq0 // => /andP[/eqP].
by rewrite padde_eq0 // => /andP[_ /eqP].
Qed.
End Densities.
Lemma densities_exist {R : realType} d (T : measurableType d) (P Q : probability T R) : exists p q : T -> R,
  [/\ measurable_fun setT p /\ measurable_fun setT q, (forall x, 0 <= p x) /\ (forall x, 0 <= q x),
   forall f : T -> R, measurable_fun setT f -> (forall x, 0 <= f x) -> (\int[P]_x (f x)%:E = \int[sum_measure P Q]_x (f x * p x)%:E)%E &
   forall f : T -> R, measurable_fun setT f -> (forall x, 0 <= f x) -> (\int[Q]_x (f x)%:E = \int[sum_measure P Q]_x (f x * q x)%:E)%E].
Proof.
have [dP dQ] := dominated P Q.
have one (N : probability T R) (dN : N `<< sum_measure P Q) : exists p : T -> R, [/\ measurable_fun setT p, forall x, 0 <= p x &
    forall f : T -> R, measurable_fun setT f -> (forall x, 0 <= f x) -> (\int[N]_x (f x)%:E = \int[sum_measure P Q]_x (f x * p x)%:E)%E].
  have fin x := Radon_Nikodym_SigmaFinite.f_fin_num dN x; have ge0 x := Radon_Nikodym_SigmaFinite.f_ge0 dN x.
  have /integrableP[mf _] := Radon_Nikodym_SigmaFinite.f_integrable dN.
  set g := Radon_Nikodym_SigmaFinite.f _ _ in fin ge0 mf; exists (fun x => fine (g x)); split.
  - by apply: measurableT_comp.
  - by move=> x; rewrite fine_ge0 //; exact: ge0.
  - move=> f mf' f0; rewrite -(Radon_Nikodym_SigmaFinite.change_of_variables dN) //.
    + by apply: eq_integral => x _; rewrite EFinM fineK //; exact: fin.
    + by apply/measurable_EFinP.
by have [p [mp p0 ip]] := one P dP; have [q [mq q0 iq]] := one Q dQ; exists p, q; split.
Qed.

Section Step.
Context {R : realType} d (T : measurableType d).

Lemma integral_combine (P : {measure set T -> \bar R}) (f g : T -> R) (a b : R) : measurable_fun setT f -> measurable_fun setT g ->
  (forall x, 0 <= f x) -> (forall x, 0 <= g x) -> 0 <= a -> 0 <= b ->
  (\int[P]_x (a * f x + b * g x)%:E = a%:E * \int[P]_x (f x)%:E + b%:E * \int[P]_x (g x)%:E)%E.
Proof.
move=> mf mg f0 g0 a0 b0; under eq_integral do rewrite EFinD !EFinM.
rewrite ge0_integralD //.
- rewrite !ge0_integralZl_EFin //; try by move=> x _; rewrite lee_fin.
    by apply/measurable_EFinP.
  by apply/measurable_EFinP.
- by move=> x _; apply: mule_ge0; rewrite lee_fin.
- by apply: measurable_funeM; apply/measurable_EFinP.
- by move=> x _; apply: mule_ge0; rewrite lee_fin.
- by apply: measurable_funeM; apply/measurable_EFinP.
Qed.

(* The same at two densities p and q. *)
Lemma compare_numbers (r a al be h l p q : R) : 1 < r -> 0 <= a -> 0 <= al -> al <= be -> be <= 1 -> 0 <= h -> h <= 1 -> 0 <= l -> 0 <= p -> 0 <= q ->
  r * h - a * l <= be * r - al -> h - a * r * l <= be - al * r ->
  h * p + al * r * (r * p <= q)%R%:R * p + ((1 - be) * r * (r * q <= p)%R%:R * q + al * q) <=
  (1 - be) * (r * q <= p)%R%:R * p + be * p + (a * l * q + al * (r * p <= q)%R%:R * q).
Proof.
move=> r1 a0 al0 ab be1 h0 h1 l0 p0 q0 c1 c2; have r0 : 0 < r by rewrite (lt_trans ltr01).
case: (lerP (r * q) p) => eE; case: (lerP (r * p) q) => eF; rewrite ?(mulr1, mulr0, mul0r, addr0, add0r) /=.
- have qp : q <= r * q by rewrite ler_peMl // ltW.
  have pq : p <= r * p by rewrite ler_peMl // ltW.
  have e : q = p by apply/eqP; rewrite eq_le (le_trans qp eE) (le_trans pq eF).
  have p00 : p = 0.
    apply/eqP; rewrite eq_le p0 andbT; rewrite e in eE; have : (r - 1) * p <= 0 by rewrite mulrBl mul1r; lra.
    by rewrite pmulr_rle0 // subr_gt0.
  by rewrite e p00 !mulr0.
- have k0 : 0 <= p - r * q by lra.
  have k1 : q * (r * h - a * l) <= q * (be * r - al) by rewrite ler_wpM2l.
  have k2 : (p - r * q) * h <= (p - r * q) * 1 by rewrite ler_wpM2l.
  by lra.
- have k0 : 0 <= q - r * p by lra.
  have k1 : p * (h - a * r * l) <= p * (be - al * r) by rewrite ler_wpM2l.
  have k2 : 0 <= (q - r * p) * (a * l) by rewrite mulr_ge0 // mulr_ge0.
  by lra.
have rr : 0 < r ^+ 2 - 1 by rewrite subr_gt0 exprn_egt1.
have k1 : (r * q - p) * (h - a * r * l) <= (r * q - p) * (be - al * r) by rewrite ler_wpM2l // subr_ge0 ltW.
have k2 : (r * p - q) * (r * h - a * l) <= (r * p - q) * (be * r - al) by rewrite ler_wpM2l // subr_ge0 ltW.
rewrite -subr_ge0 -(pmulr_rge0 _ rr) expr2; lra.
Qed.

Lemma compare_pair (P Q : probability T R) (r t a al be : R) (h l : T -> R) : 1 < r -> 0 <= a -> 0 <= al -> al <= be <= 1 ->
  indist r t P Q -> indist r t Q P -> measurable_fun setT h -> measurable_fun setT l ->
  (forall x, 0 <= h x <= 1) -> (forall x, 0 <= l x <= 1) ->
  (forall x, r * h x - a * l x <= be * r - al) -> (forall x, h x - a * r * l x <= be - al * r) ->
  (\int[P]_x (h x)%:E <= a%:E * \int[Q]_x (l x)%:E + (be - al + t)%:E)%E.
Proof.
move=> r1 a0 al0 /andP[ab be1] PQ QP mh ml h01 l01 c1 c2.
have [p [q [[mp mq] [p0 q0] iP iQ]]] := densities_exist P Q.
have r0 : 0 < r by rewrite (lt_trans ltr01).
pose E := [set x | r * q x <= p x]; pose F := [set x | r * p x <= q x].
have le_set (f g : T -> R) : measurable_fun setT f -> measurable_fun setT g -> measurable [set x | f x <= g x].
  move=> mf mg; rewrite -[X in measurable X]setTI.
  rewrite (_ : [set x | f x <= g x] = [set x | 0%:E <= (g x - f x)%:E]%E); last by apply/seteqP; split=> x; rewrite /= lee_fin subr_ge0.
  by apply: emeasurable_fun_c_infty => //; apply/measurable_EFinP; exact: measurable_funB.
have mE : measurable E by apply: le_set => //; exact: measurable_funM.
have mF : measurable F by apply: le_set => //; exact: measurable_funM.
pose e x : R := \1_E x; pose f x : R := \1_F x.
have me : measurable_fun setT e by exact: measurable_indic.
have mf : measurable_fun setT f by exact: measurable_indic.
have e0 x : 0 <= e x by rewrite /e indicE.
have f0 x : 0 <= f x by rewrite /f indicE.
have h0 x : 0 <= h x by case/andP: (h01 x).
have l0 x : 0 <= l x by case/andP: (l01 x).
pose nu := sum_measure P Q.
have be0 : 0 <= be by exact: le_trans ab.
have la0 : 0 <= 1 - be by rewrite subr_ge0.
have m1 : measurable_fun setT (fun _ : T => 1 : R) by exact: measurable_cst.
pose u1 x := 1 * h x + (al * r) * f x; pose v1 x := ((1 - be) * r) * e x + al * 1.
pose u2 x := (1 - be) * e x + be * 1; pose v2 x := a * l x + al * f x.
have ge0 (u v : T -> R) (c c' : R) : 0 <= c -> 0 <= c' -> (forall x, 0 <= u x) -> (forall x, 0 <= v x) -> forall x, 0 <= c * u x + c' * v x.
  by move=> *; rewrite addr_ge0 // mulr_ge0.
have mm (u v : T -> R) (c c' : R) : measurable_fun setT u -> measurable_fun setT v -> measurable_fun setT (fun x => c * u x + c' * v x).
  by move=> *; apply: measurable_funD; exact: measurable_funM.
have pointwise x : u1 x * p x + v1 x * q x <= u2 x * p x + v2 x * q x.
  have /andP[hx0 hx1] := h01 x; have /andP[lx0 lx1] := l01 x; have := c1 x; have := c2 x; have := p0 x; have := q0 x.
  rewrite /u1 /v1 /u2 /v2 /e /f !indicE.
  have inE' : (x \in E) = (r * q x <= p x) by apply/idP/idP; rewrite inE.
  have inF' : (x \in F) = (r * p x <= q x) by apply/idP/idP; rewrite inE.
  rewrite inE' inF' => q'0 p'0 k2 k1.
  have := compare_numbers r1 a0 al0 ab be1 hx0 hx1 lx0 p'0 q'0 k1 k2; rewrite !mulrDl !mul1r !mulr1.
  by [].
have total : (\int[nu]_x (u1 x * p x + v1 x * q x)%:E <= \int[nu]_x (u2 x * p x + v2 x * q x)%:E)%E.
  apply: ge0_le_integral => //.
  - by move=> x _; rewrite lee_fin addr_ge0 // mulr_ge0 //; rewrite /u1 /v1; apply: ge0 => //; rewrite mulr_ge0 // ltW.
  - by apply/measurable_EFinP; apply: measurable_funD; apply: measurable_funM => //; exact: mm.
  - by move=> x _; rewrite lee_fin addr_ge0 // mulr_ge0 //; rewrite /u2 /v2; exact: ge0.
  - by apply/measurable_EFinP; apply: measurable_funD; apply: measurable_funM => //; exact: mm.
  - by move=> x _; rewrite lee_fin.
have sum (u v : T -> R) : measurable_fun setT u -> measurable_fun setT v -> (forall x, 0 <= u x) -> (forall x, 0 <= v x) ->
    (\int[nu]_x (u x * p x + v x * q x)%:E = \int[P]_x (u x)%:E + \int[Q]_x (v x)%:E)%E.
  move=> mu' mv u0 v0; rewrite iP // iQ //; have := @integral_combine nu (fun x => u x * p x) (fun x => v x * q x) 1 1.
  rewrite !mul1e; under eq_integral do rewrite !mul1r; apply=> //; try exact: measurable_funM.
    by move=> x; rewrite mulr_ge0.
  by move=> x; rewrite mulr_ge0.
move: total; rewrite !sum; try (by exact: mm); try (by apply: ge0 => //; rewrite mulr_ge0 // ltW).
rewrite !integral_combine //; try (by rewrite mulr_ge0 // ltW).
have cst1 (N : probability T R) : (\int[N]_x (1 : R)%:E = 1)%E 
  by rewrite (integral_cst N measurableT) mul1e; exact: probability_setT.
have ind (N : probability T R) (A : set T) : measurable A -> (\int[N]_x (\1_A x)%:E = N A)%E by move=> mA; rewrite integral_indic // setIT.
rewrite !cst1 !ind // !mule1 mul1e => total.
have fin (N : probability T R) (g : T -> R) : measurable_fun setT g -> (forall x, 0 <= g x <= 1) -> (\int[N]_x (g x)%:E)%E \is a fin_num.
  move=> mg g01; rewrite ge0_fin_numE; last by apply: integral_ge0 => x _; rewrite lee_fin; case/andP: (g01 x).
  apply: (@le_lt_trans _ _ 1%E); last by rewrite ltry.
  rewrite -(cst1 N); apply: ge0_le_integral => //; try (by move=> x _; rewrite lee_fin; case/andP: (g01 x)).
  by apply/measurable_EFinP.
have finm (N : probability T R) A : measurable A -> N A \is a fin_num by move=> mA; exact: fin_num_measure.
have := PQ _ mE; have := QP _ mF; move: total.
rewrite -(fineK (finm P _ mE)) -(fineK (finm P _ mF)) -(fineK (finm Q _ mE)) -(fineK (finm Q _ mF)).
rewrite -(fineK (fin P h mh h01)) -(fineK (fin Q l ml l01)) -!(EFinM, EFinD) !lee_fin.
move: (fine _) (fine _) (fine _) (fine _) (fine _) (fine _) => F2 Y E1 E2 F1 X total le1 le2.
have t0 : 0 <= t by exact: indist_ge0 PQ.
have k1 : (1 - be) * E1 <= (1 - be) * (r * E2 + t) by rewrite ler_wpM2l.
have k2 : al * F2 <= al * (r * F1 + t) by rewrite ler_wpM2l.
have k3 : t * (be - al) >= 0 by rewrite mulr_ge0 // subr_ge0.
by lra.
Qed.

(* h is hard to distinguish from l: B-Gaussian, but for a failure of probability t. *)
Definition tests_close (B t : R) (h l : T -> \bar R) := forall x c, 0 < c -> (h x <= c%:E * l x + (profile B c + t)%:E)%E.

(* One more release: the pair P, Q of an (e, t0)-private release, and what follows it. *)
Theorem release_close (P Q : probability T R) (m B a t0 t : R) (h l : T -> \bar R) :
  0 < m -> 0 < B -> 0 < a -> 0 <= t -> let p := upper (- (m / 2)) in let r := p / (1 - p) in
  indist r t0 P Q -> indist r t0 Q P -> test h -> test l -> tests_close B t h l ->
  (\int[P]_x h x <= a%:E * \int[Q]_x l x + (profile (Num.sqrt (m ^+ 2 + B ^+ 2)) a + (t0 + t))%:E)%E.
Proof.
move=> m0 B0 a0 t_ge0 p r PQ QP [mh h01] [ml l01] close.
have [q0 r1 _] := response_profile m0 B0 a0; rewrite -/p -/r in q0 r1.
have r0 : 0 < r by rewrite (lt_trans ltr01).
have [al [be [al0 abe top c2 c1]]] := chord m0 B0 a0; rewrite -/p -/r in c1 c2.
have fin (f : T -> \bar R) x : (0 <= f x <= 1)%E -> f x = (fine (f x))%:E.
  by case/andP=> f0 f1; rewrite fineK // ge0_fin_numE // (le_lt_trans f1) // ltry.
pose h' x := maxr 0 (fine (h x) - t); pose l' x := fine (l x).
have hE x := fin h x (h01 x); have lE x := fin l x (l01 x).
have mfh : measurable_fun setT (fun x => fine (h x)) by exact: measurableT_comp.
have mh' : measurable_fun setT h'.
  by apply: measurable_maxr; [exact: measurable_cst | apply: measurable_funB => //; exact: measurable_cst].
have ml' : measurable_fun setT l' by exact: measurableT_comp.
have b01 x : 0 <= fine (h x) <= 1 by move: (h01 x); rewrite hE !lee_fin.
have l'01 x : 0 <= l' x <= 1 by move: (l01 x); rewrite lE !lee_fin.
have h'01 x : 0 <= h' x <= 1.
  by rewrite /h' le_max lexx /= ge_max ler01 /=; have /andP[_ le1] := b01 x; lra.
have close' x c : 0 < c -> h' x <= c * l' x + profile B c.
  move=> c0; have := close x c c0; rewrite hE lE -EFinM -EFinD lee_fin -/(l' x) => le.
  have [f0 _] := profile_ge B0 c0; have /andP[lx0 _] := l'01 x.
  by rewrite /h' ge_max addr_ge0 ?mulr_ge0 ?(ltW c0) //=; lra.
have key := @compare_pair P Q r t0 a al be h' l' r1 (ltW a0) al0 abe PQ QP mh' ml' h'01 l'01.
have le_h : (\int[P]_x h x <= \int[P]_x (h' x)%:E + t%:E)%E.
  have e1 : (\int[P]_x (t%:E) = t%:E)%E.
    by rewrite (integral_cst P measurableT) -[RHS]mule1; congr (_ * _)%E; exact: probability_setT.
  rewrite -[X in (_ + X)%E]e1 -ge0_integralD //.
  - apply: ge0_le_integral => //.
    + by move=> x _; case/andP: (h01 x).
    + by move=> x _; rewrite -EFinD lee_fin addr_ge0 //; case/andP: (h'01 x).
    + by apply: emeasurable_funD => //; apply/measurable_EFinP.
    + by move=> x _; rewrite hE -EFinD lee_fin -lerBlDr /h' le_max lexx orbT.
  - by move=> x _; rewrite lee_fin; case/andP: (h'01 x).
  - exact/measurable_EFinP.
apply: le_trans le_h _; have -> : (\int[Q]_x l x = \int[Q]_x (l' x)%:E)%E by apply: eq_integral => x _; rewrite lE.
apply: le_trans (leeD2r _ (key _ _)) _.
- move=> x; rewrite c2 -subr_ge0; have := close' x (a / r) (divr_gt0 a0 r0); rewrite -(ler_pM2l r0) mulrDr.
  by rewrite (_ : r * (a / r * l' x) = a * l' x); [lra | field; rewrite gt_eqF].
- by move=> x; rewrite c1; have := close' x (a * r) (mulr_gt0 a0 r0); lra.
rewrite -addeA leeD2l // -EFinD lee_fin addrA lerD2r lerD2r; exact: top.
Qed.
End Step.

Section Composition.
Context {R : realType} d (S : measurableType d).
Implicit Types (K L : nat -> R.-pker S ~> S) (F G : S -> \bar R).

Definition as_probability (M : {measure set S -> \bar R}) of M setT = 1%E : set S -> \bar R := M.
HB.instance Definition _ (M : {measure set S -> \bar R}) (M1 : M setT = 1%E) := Measure.on (as_probability M1).
HB.instance Definition _ (M : {measure set S -> \bar R}) (M1 : M setT = 1%E) := Measure_isProbability.Build _ _ _ (as_probability M1) M1.

Lemma close_base (B t : R) F H : 0 < B -> test H -> (forall x, F x <= H x + t%:E)%E -> tests_close B t F H.
Proof.
move=> B0 [mH H01] FH x c c0; apply: le_trans (FH x) _; have /andP[h0 h1] := H01 x.
have e : H x = (fine (H x))%:E by rewrite fineK // ge0_fin_numE // (le_lt_trans h1) // ltry.
have [f0 f1] := profile_ge B0 c0; rewrite e !lee_fin in h0 h1; rewrite e -EFinM -!EFinD lee_fin addrA lerD2r.
move: (fine (H x)) h0 h1 => y h0 h1; nra.
Qed.

(* n adaptive releases that are (e, t)-private each, e of randomised response with p = Phi(m / 2), are sqrt(n) m-Gaussian
   private together but for a failure n t. *)
Theorem steps_close K L n (m eta t u : R) F H : 0 < m -> 0 < eta -> 0 <= t -> 0 <= u ->
  let p := upper (- (m / 2)) in let r := p / (1 - p) in
  (forall i s, indist r t (K i s) (L i s)) -> (forall i s, indist r t (L i s) (K i s)) ->
  test F -> test H -> (forall x, F x <= H x + u%:E)%E ->
  tests_close (Num.sqrt (n%:R * m ^+ 2 + eta)) (n%:R * t + u) (after K n F) (after L n H).
Proof.
move=> m0 eta0 t0 u0 p r; elim: n K L => [|n IH] K L KL LK tF tH FH /=.
  by rewrite !mul0r !add0r; apply: close_base => //; rewrite sqrtr_gt0.
pose B2 := n%:R * m ^+ 2 + eta; have B20 : 0 < B2 by rewrite ltr_wpDl // mulr_ge0 // sqr_ge0.
move=> s c c0; have e : n.+1%:R * m ^+ 2 + eta = m ^+ 2 + Num.sqrt B2 ^+ 2.
  by rewrite sqr_sqrtr ?(ltW B20) // /B2 -natr1 mulrDl mul1r addrA; congr (_ + _); rewrite addrC.
have e' : n.+1%:R * t + u = t + (n%:R * t + u) by rewrite -natr1 mulrDl mul1r; ring.
rewrite e e'.
have P1 := proj1 (pker_mean (K 0%N)) s; have Q1 := proj1 (pker_mean (L 0%N)) s.
have int (M : {measure set S -> \bar R}) (M1 : M setT = 1%E) f : (\int[M]_x f x = \int[as_probability M1]_x f x)%E.
  by apply: eq_measure_integral => A mA _.
rewrite (int _ P1) (int _ Q1); apply: release_close => //.
- by rewrite sqrtr_gt0.
- by rewrite addr_ge0 // mulr_ge0.
- exact: KL.
- exact: LK.
- exact: test_after.
- exact: test_after.
- exact: (IH (fun i => K i.+1) (fun i => L i.+1)).
Qed.
End Composition.

(* Releases that are (share e t k, t / (2 k))-private each: what follows k of them, of any adaptive kernels. *)
Section Advanced.
Context {R : realType} d (S : measurableType d).
Implicit Types (K L : nat -> R.-pker S ~> S) (F G : S -> \bar R).

Theorem after_advanced K L k (e t c u : R) F G s : 0 < e -> e <= 9 / 10 -> 0 < t -> t < 1 -> (0 < k)%N -> 0 <= c -> 0 <= u ->
  (forall i s, indist (expR (share e t k)) (t / (2 * k%:R)) (K i s) (L i s)) ->
  (forall i s, indist (expR (share e t k)) (t / (2 * k%:R)) (L i s) (K i s)) ->
  test F -> test G -> (forall x, F x <= c%:E * G x + u%:E)%E ->
  (after K k F s <= (expR e * c)%:E * after L k G s + (t + u)%:E)%E.
Proof.
move=> e0 e1 t0 t1 k0 c0 u0 KL LK tF tG FG; have [s0 s1 eta0] := share_bounds e0 e1 t0 t1 k0.
set m := 17 / 10 * share e t k in eta0; set D := e / _ in eta0.
have m0 : 0 < m by rewrite mulr_gt0 // divr_gt0.
have k0' : 0 < k%:R :> R by rewrite ltr0n.
have t2 : 0 < t / 2 /\ t / 2 < 1 by lra.
have tk : 0 <= t / (2 * k%:R) by rewrite divr_ge0 // ?ltW // mulr_gt0.
have r_ge := response_bound s0 s1; rewrite -/m in r_ge.
have KL' i y := indist_monotone r_ge (lexx _) (KL i y).
have LK' i y := indist_monotone r_ge (lexx _) (LK i y).
have [mG G01] := tG; pose H x := mine (c%:E * G x)%E 1%E.
have cG x : (0 <= c%:E * G x)%E by apply: mule_ge0; [rewrite lee_fin | case/andP: (G01 x)].
have tH : test H.
  split=> [|x]; last by rewrite /H le_min cG lee01 /= ge_min lexx orbT.
  by apply: measurable_mine; [exact: measurable_funeM | exact: measurable_cst].
have FH x : (F x <= H x + u%:E)%E.
  rewrite /H; case: (leP (c%:E * G x)%E 1%E) => _; first exact: FG.
  by have [_ /(_ x)/andP[_ le1]] := tF; apply: le_trans le1 _; rewrite leeDl // lee_fin.
have e2 : Num.sqrt (k%:R * m ^+ 2 + (D ^+ 2 - k%:R * m ^+ 2)) = D.
  by rewrite addrC subrK sqrtr_sqr ger0_norm // divr_ge0 ?sqrtr_ge0 // ltW.
have eta0' : 0 < D ^+ 2 - k%:R * m ^+ 2 by rewrite subr_gt0.
have := @steps_close R _ S K L k m _ _ u F H m0 eta0' tk u0 KL' LK' tF tH FH s _ (expR_gt0 e).
rewrite e2 => h; apply: le_trans h _; apply: leeD; last first.
  have cal := classical_profile e0 (le_trans e1 _) (proj1 t2) (proj2 t2).
  rewrite lee_fin addrA lerD2r (_ : k%:R * (t / (2 * k%:R)) = t / 2); last by field; rewrite gt_eqF.
  by have := cal _; rewrite /calibrated -/D => /(_ _); lra.
rewrite EFinM -muleA; apply: lee_wpmul2l; first by rewrite lee_fin expR_ge0.
rewrite -[leRHS]adde0; apply: (@after_same _ S R L L k c 0) => //.
- by move=> i y _; exact: indist_refl.
- by move=> x; rewrite adde0 /H ge_min lexx.
Qed.

(* liu2022.lemma-b.4 *)
Theorem advanced_composition K L k (e t : R) : 0 < e -> e <= 9 / 10 -> 0 < t -> t < 1 -> (0 < k)%N ->
  (forall i s, indist (expR (share e t k)) (t / (2 * k%:R)) (K i s) (L i s)) ->
  (forall i s, indist (expR (share e t k)) (t / (2 * k%:R)) (L i s) (K i s)) ->
  forall s A, measurable A -> (run K k A s <= (expR e)%:E * run L k A s + t%:E)%E.
Proof.
move=> e0 e1 t0 t1 k0 KL LK s A mA; have tA := @test_event R _ S A mA.
have := @after_advanced K L k e t 1 0 _ _ s e0 e1 t0 t1 k0 ler01 (lexx 0) KL LK tA tA.
by rewrite mulr1 addr0; apply=> x; rewrite mul1e adde0.
Qed.
End Advanced.

(* Three releases that do not depend on the data. *)
Example advanced_composition_example (R : realType) d (S : measurableType d) (K : R.-pker S ~> S) s A : measurable A ->
  (run (fun=> K) 3 A s <= (expR (1 / 2))%:E * run (fun=> K) 3 A s + (1 / 10)%:E)%E.
Proof.
move=> mA; have e0 : 0 < 1 / 2 :> R by lra.
have e1 : 1 / 2 <= 9 / 10 :> R by lra.
have t0 : 0 < 1 / 10 :> R by lra.
have t1 : 1 / 10 < 1 :> R by lra.
have same (i : nat) (y : S) : indist (expR (share (1 / 2) (1 / 10) 3)) ((1 / 10) / (2 * 3%:R)) (K y) (K y).
  have [s0 _ _] := share_bounds e0 e1 t0 t1 (isT : (0 < 3)%N).
  apply: indist_monotone (@indist_refl _ _ _ (K y)); last by lra.
  by rewrite -[leLHS]expR0 ler_expR ltW.
exact: (@advanced_composition R d S (fun=> K) (fun=> K) 3 (1 / 2) (1 / 10) e0 e1 t0 t1 isT same same s A mA).
Qed.

Example sum_measure_total (R : realType) d (T : measurableType d) (P Q : probability T R) : sum_measure P Q setT = 2%:E.
Proof. by rewrite /sum_measure measure_addE; have -> : (2 = 1 + 1 :> R) by []; rewrite EFinD; congr (_ + _)%E; exact: probability_setT. Qed.

Example tests_close_to_itself (R : realType) d (S : measurableType d) (F : S -> \bar R) : test F -> tests_close 1 0 F F.
Proof. by move=> tF; apply: close_base => // x; rewrite adde0. Qed.

Example as_probability_total (R : realType) d (S : measurableType d) (M : {measure set S -> \bar R}) (M1 : M setT = 1%E) :
  as_probability M1 setT = 1%E.
Proof. exact: M1. Qed.
