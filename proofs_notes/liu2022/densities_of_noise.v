(* The density of a noisy matrix V + r N(0, I) with respect to its noise, and adaptive releases with such densities.

   tilt r l V N     the logarithm of the density at N, where the entries l are released
   noise_exists     the law of the noise, a probability: means under it, weighed by the density, are means after a release of V
   dens r V         the density as a function of the state and the released matrix; V depends on the state
   steps_runs       the law of the state after adaptive releases as a run of operators with these densities *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra fingroup perm.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp.
From mathcomp Require Import measure numfun measurable_realfun lebesgue_measure lebesgue_integral charge probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure squared_norms normal_line gaussian_dp gaussian_run gaussian_formulas gaussian_matrix gaussian_steps.
From DPPCA.lib Require Import shuffling shuffled_releases.
From DPPCA.liu2022 Require Import amplification_by_shuffling.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Lemma integral_normal (R : realType) (v s : R) (f : R -> \bar R) : measurable_fun setT f -> (forall x, 0 <= f x)%E ->
  (\int[normal_prob v s]_x f x = \int[lebesgue_measure]_x ((normal_pdf v s x)%:E * f x))%E.
Proof.
move=> mf f0; have dom := normal_prob_dominates v s.
rewrite -(Radon_Nikodym_SigmaFinite.change_of_variables dom) //.
have ir := Radon_Nikodym_SigmaFinite.f_integrable dom; have /integrableP[mr _] := ir.
have mp : measurable_fun setT (fun x => (normal_pdf v s x)%:E) by apply/measurable_EFinP; exact: measurable_normal_pdf.
have h : ae_eq lebesgue_measure setT (Radon_Nikodym_SigmaFinite.f (normal_prob v s) lebesgue_measure) (fun x => (normal_pdf v s x)%:E).
  by apply: integral_ae_eq => // A _ mA; rewrite -(Radon_Nikodym_SigmaFinite.f_integral dom).
apply: ae_eq_integral => //; [exact: emeasurable_funM | exact: emeasurable_funM |].
by move: h; apply: filterS => x hx _; rewrite hx // muleC.
Qed.

Section Bridge.
Context {R : realType} {m n : nat}.
Local Notation matrix := 'M[R]_(m, n).
Implicit Types (V N M : matrix) (l : seq ('I_m * 'I_n)).
Variable r : R.
Hypothesis r0 : 0 < r.

(* The logarithm of the density of a noisy V with respect to the noise alone. *)
Definition tilt l V N : R := dot V N / r ^+ 2 - (\sum_(ij <- l) V ij.1 ij.2 ^+ 2) / (2 * r ^+ 2).

Lemma measurable_tilt d (T : measurableType d) l (f g : T -> matrix) : measurable_fun setT f -> measurable_fun setT g ->
  measurable_fun setT (fun z => tilt l (f z) (g z)).
Proof.
move=> mf mg; have entry (h : T -> matrix) i j : measurable_fun setT h -> measurable_fun setT (fun z => h z i j).
  by move=> mh; apply: (measurableT_comp (measurable_entry i j)).
apply: measurable_funB; apply: measurable_funM => //.
  apply: measurable_sum => i; apply: measurable_sum => j; by apply: measurable_funM; exact: entry.
apply: measurable_sum => ij; apply: measurable_funX; exact: entry.
Qed.

Lemma tilt_add ij l V N x : tilt (ij :: l) V (add_entry ij (N, x)) =
  (V ij.1 ij.2 * x / r ^+ 2 - V ij.1 ij.2 ^+ 2 / (2 * r ^+ 2)) + tilt l V N.
Proof.
rewrite /tilt big_cons; have -> : dot V (add_entry ij (N, x)) = dot V N + V ij.1 ij.2 * x.
  rewrite /dot /add_entry /=; transitivity (\sum_i \sum_j (V i j * N i j + V i j * (x * ((i == ij.1) && (j == ij.2))%:R))).
    by apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite !mxE mulrDr.
  under eq_bigr do rewrite big_split /=; rewrite big_split /=; congr (_ + _).
  rewrite (bigD1 ij.1) //= [X in _ + X]big1 ?addr0 => [|i ne].
    rewrite (bigD1 ij.2) //= [X in _ + X]big1 ?addr0 => [|j ne]; first by rewrite !eqxx mulr1.
    by rewrite (negPf ne) andbF !mulr0.
  by apply: big1 => j _; rewrite (negPf ne) !mulr0.
by field; rewrite gt_eqF.
Qed.

Lemma tilt_pdf v x : normal_pdf 0 r x * expR (v * x / r ^+ 2 - v ^+ 2 / (2 * r ^+ 2)) = normal_pdf v r x.
Proof.
rewrite !normal_pdfE // -[LHS]mulrA -expRD; congr (_ * expR _).
by field; rewrite gt_eqF.
Qed.

Lemma image_exists d1 (X : measurableType d1) d2 (Y : measurableType d2) d3 (Z : measurableType d3) (P : probability X R)
    (Q : probability Y R) (g : X * Y -> Z) : measurable_fun setT g -> exists mu : probability Z R, forall F : Z -> \bar R,
  measurable_fun setT F -> (forall z, 0 <= F z)%E -> (\int[mu]_z F z = \int[P]_x \int[Q]_y F (g (x, y)))%E.
Proof.
move=> mg; have P1 : pushforward (P \x Q)%E mg setT = 1%E.
  rewrite /pushforward preimage_setT -setXTT product_measure1E // -[RHS]mule1; congr (_ * _)%E; exact: probability_setT.
pose M : probability Z R := HB.pack (pushforward (P \x Q)%E mg) (Measure_isProbability.Build _ _ _ (pushforward (P \x Q)%E mg) P1).
exists M => F mF F0; transitivity (\int[pushforward (P \x Q)%E mg]_z F z)%E; first by [].
rewrite ge0_integral_pushforward // fubini_tonelli1; [by [] | exact: (measurableT_comp mF mg) | by move=> w; exact: F0].
Qed.

Lemma measurable_mean d1 (X : measurableType d1) d2 (Y : measurableType d2) (Q : probability Y R) (F : X * Y -> \bar R) :
  measurable_fun setT F -> (forall z, 0 <= F z)%E -> measurable_fun setT (fun x => \int[Q]_y F (x, y))%E.
Proof. by move=> mF F0; exact: (measurable_fun_fubini_tonelli_F F mF F0). Qed.

Lemma noise_exists d (T : measurableType d) l : exists mu : probability matrix R, forall V M (F : matrix -> \bar R) (A : set T),
  measurable_fun setT F -> (forall N, 0 <= F N)%E ->
  (\int[mu]_N ((expR (tilt l V N))%:E * F (M + N)) = releases l (const_mx r) V (fun N _ => F N) M A)%E.
Proof.
have shift M : measurable_fun setT (fun N : matrix => M + N).
  apply: measurable_matrix => i j; under eq_fun do rewrite mxE.
  by apply: measurable_funD => //; exact: measurable_entry.
have mG k V M (F : matrix -> \bar R) : measurable_fun setT F -> measurable_fun setT (fun N => ((expR (tilt k V N))%:E * F (M + N))%E).
  move=> mF; apply: emeasurable_funM; last exact: (measurableT_comp mF (shift M)).
  by apply/measurable_EFinP; apply: measurableT_comp => //; exact: measurable_tilt.
have G0 k V M (F : matrix -> \bar R) N : (forall N, 0 <= F N)%E -> (0 <= (expR (tilt k V N))%:E * F (M + N))%E.
  by move=> F0; rewrite mule_ge0 // lee_fin expR_ge0.
elim: l => [|ij l [nu H]].
  exists (dirac (0 : matrix)) => V M F A mF F0.
  rewrite integral_dirac //; last exact: mG.
  rewrite diracT mul1e /tilt big_nil mul0r subr0 /dot big1 ?mul0r ?expR0 ?mul1e ?addr0 // => i _.
  by apply: big1 => j _; rewrite mxE mulr0.
have mg : measurable_fun setT (fun w : measurableTypeR R * matrix => add_entry ij (w.2, w.1)).
  by apply: (measurableT_comp (@measurable_add_entry R m n ij)); apply: measurable_fun_prod.
have [P PE] := image_exists (normal_prob 0 r) nu mg; exists P => V M F A mF F0.
rewrite PE; [|exact: mG|by move=> N; exact: G0].
pose c x := expR (V ij.1 ij.2 * x / r ^+ 2 - V ij.1 ij.2 ^+ 2 / (2 * r ^+ 2)).
have inner x : (\int[nu]_N ((expR (tilt (ij :: l) V (add_entry ij (N, x))))%:E * F (M + add_entry ij (N, x))) =
    (c x)%:E * releases l (const_mx r) V (fun N _ => F N) (add_entry ij (M, x)) A)%E.
  rewrite -H // -ge0_integralZl_EFin ?expR_ge0 //; last exact: mG.
    apply: eq_integral => N _; rewrite tilt_add expRD EFinM -muleA; congr (_ * (_ * F _))%E.
    by rewrite /add_entry /= addrCA [RHS]addrC.
  by move=> N _; exact: G0.
rewrite /= integral_normal; last 2 first.
- exact: (measurable_mean nu (measurableT_comp (mG _ V M F mF) mg) (fun w => G0 _ V M F _ F0)).
- by move=> x; apply: integral_ge0 => N _; exact: G0.
rewrite /mix; apply: eq_integral => x _; rewrite inner muleA -EFinM tilt_pdf; congr ((normal_pdf _ _ _)%:E * _)%E.
by rewrite mxE.
Qed.
End Bridge.

Section Steps.
Context {R : realType} {m n : nat} d (S : measurableType d) (r : R) (noise : probability 'M[R]_(m, n) R).
Local Notation matrix := 'M[R]_(m, n).
Local Notation entries := (enum {: 'I_m * 'I_n}).
Hypothesis noiseE : forall (V M : matrix) (F : matrix -> \bar R) (A : set matrix), measurable_fun setT F -> (forall N, 0 <= F N)%E ->
  (\int[noise]_N ((expR (tilt r entries V N))%:E * F (M + N)) = releases entries (const_mx r) V (fun N _ => F N) M A)%E.
Implicit Types (V : S -> matrix).

Definition dens V (w : S * matrix) : R := expR (tilt r entries (V w.1) w.2).

Lemma releases_at d1 (T : measurableType d1) d2 (T' : measurableType d2) l (s V : matrix) (K : matrix -> set T -> \bar R) M A (A' : set T') :
  releases l s V K M A = releases l s V (fun N _ => K N A) M A'.
Proof. by elim: l M => [//|ij l IH] M /=; apply: eq_integral => x _; rewrite IH. Qed.

Lemma dens_mean V z (F : matrix -> \bar R) : measurable_fun setT F -> (forall N, 0 <= F N)%E ->
  (\int[noise]_N ((dens V (z, N))%:E * F N) = releases entries (const_mx r) (V z) (fun N _ => F N) 0 ([set: matrix]))%E.
Proof. by move=> mF F0; rewrite -noiseE //; apply: eq_integral => N _; rewrite add0r. Qed.

Lemma dens_density V : measurable_fun setT V -> density noise (dens V).
Proof.
move=> mV; split=> [|w|z]; last 1 first.
- transitivity (\int[noise]_N ((dens V (z, N))%:E * (cst 1%E : matrix -> \bar R) N))%E; first by apply: eq_integral => N _; rewrite mule1.
  by rewrite dens_mean ?releases_total //; exact: measurable_cst.
- by apply: measurableT_comp => //; apply: measurable_tilt => //; exact: measurableT_comp.
- exact: expR_ge0.
Qed.

Lemma dens_release V z A : measurable A -> (\int[noise]_(N in A) (dens V (z, N))%:E = noisy predT (const_mx r) (V z) A)%E.
Proof.
move=> mA; rewrite noisyE (releases_at _ _ _ _ _ _ [set: matrix]).
rewrite -(dens_mean V z (F := fun N => (\1_A N)%:E)).
- rewrite integral_mkcond; apply: eq_integral => N _; rewrite patchE indicE.
  by case: (N \in A); rewrite ?mule1 ?mule0.
- by apply/measurable_EFinP; exact: measurable_indic.
- by move=> N; rewrite lee_fin indicE.
Qed.

Lemma steps_runs N (V : nat -> S -> matrix) (u : nat -> S * matrix -> S) z A : measurable_steps V -> measurable_steps u -> measurable A ->
  steps (fun _ _ => const_mx r) V u N z A = (runs (fun i : 'I_N => via noise (u i) (dens (V i))) \1_A z)%:E.
Proof.
elim: N V u z => [//|N IH] V u z mV mu mA; rewrite /= (releases_at _ _ _ _ _ _ [set: matrix]).
have next y := IH (fun i => V i.+1) (fun i => u i.+1) y (fun i => mV i.+1) (fun i => mu i.+1) mA.
set f := runs (fun i : 'I_N => via noise (u i.+1) (dens (V i.+1))) \1_A in next.
have okf : bounded_test f.
  apply: (ok_runs (ok := @bounded_test R d S)); last exact: bounded_event.
  by move=> i; apply: via_operator; [exact: mu | exact: density_sub (dens_density (mV _))].
have [mf f0 _] := okf; transitivity (\int[noise]_Y ((dens (V 0%N) (z, Y))%:E * (f (u 0%N (z, Y)))%:E))%E.
  rewrite dens_mean; first by congr (releases _ _ _ _ _ _); apply/funext => Y; apply/funext => B; rewrite next.
    by apply/measurable_EFinP; exact: (measurableT_comp mf (measurableT_comp (mu 0%N) (measurable_pair1 z))).
  by move=> Y; rewrite lee_fin.
rewrite -[RHS]totalE; last exact: (via_fm (mu 0%N) z (density_sub (dens_density (mV 0%N))) okf).
by apply: eq_integral => Y _; rewrite EFinM.
Qed.
End Steps.

Example tilt_computes (R : realType) : tilt 1 [:: (ord0, ord0)] (const_mx 1) (const_mx 2 : 'M[R]_1) = 3 / 2.
Proof. by rewrite /tilt /dot !big_ord1 big_seq1 !mxE; field. Qed.

Example dens_zero (R : realType) (r : R) d (S : measurableType d) (w : S * 'M[R]_2) : dens r (fun=> 0) w = 1.
Proof.
rewrite /dens /tilt /dot big1 => [|i _]; last by apply: big1 => j _; rewrite mxE mul0r.
by rewrite big1 ?mul0r ?subr0 ?expR0 // => ij _; rewrite mxE expr0n.
Qed.
