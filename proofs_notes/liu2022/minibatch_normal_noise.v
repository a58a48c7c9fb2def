(* liu2022, Equation (7) and, with B = 1, Algorithm 2 in a public order, with their normal noise: step i reads the records
   i B, ..., i B + B - 1, so that a record takes part in one step. For every p, B, number of steps, epsilon, delta.

   S is any measurable space that holds what was released; the iterate is a measurable function of it. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp
  measure.
From mathcomp Require Import numfun measurable_realfun lebesgue_measure lebesgue_integral realfun.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure squared_norms neighbours gaussian_dp gaussian_run gaussian_calibration.
From DPPCA.lib Require Import gaussian_formulas gaussian_matrix gaussian_steps gaussian_threshold.
From DPPCA.primitives Require Import row_changes.
From DPPCA.liu2022 Require Import clipping.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Measurable.
Context (R : realType) (p q : nat) d (S : measurableType d).
Implicit Types (f g : S -> 'M[R]_(p, q)).

Lemma measurable_clip (beta : R) f : 0 < beta -> measurable_fun setT f -> measurable_fun setT (fun z => clip beta (f z)).
Proof.
move=> b0 mf; have b2 : 0 < beta ^+ 2 by rewrite exprn_gt0.
have entry i j : measurable_fun setT (fun z => f z i j) by apply: (measurableT_comp (measurable_entry i j)).
have mq : measurable_fun setT (fun z => Num.sqrt (Num.max (sqnorm (f z)) (beta ^+ 2))).
  apply: measurableT_comp; first by apply: continuous_measurable_fun; exact: sqrt_continuous.
  apply: measurable_maxr; last exact: measurable_cst.
  rewrite /sqnorm /dot; apply: measurable_sum => i; apply: measurable_sum => j; exact: measurable_funM.
have q0 z : 0 < Num.sqrt (Num.max (sqnorm (f z)) (beta ^+ 2)) by rewrite sqrtr_gt0 lt_max b2 orbT.
rewrite (_ : (fun z => _) = fun z => (beta * (Num.sqrt (Num.max (sqnorm (f z)) (beta ^+ 2)))^-1) *: f z).
  apply: measurable_matrix => i j; under eq_fun do rewrite mxE.
  apply: measurable_funM => //; apply: measurable_funM; [exact: measurable_cst | exact: measurable_inverse].
apply/funext => z; case: (leP (sqnorm (f z)) (beta ^+ 2)) => [le|lt].
  by rewrite clip_id ?(ltW b0) // sqrtr_sqr gtr0_norm // divff ?scale1r // gt_eqF.
have r0 : 0 < Num.sqrt (sqnorm (f z)) by rewrite sqrtr_gt0 (lt_trans b2).
rewrite /clip min_r // ler_pdivrMr // mul1r -[leLHS](ger0_norm (ltW b0)) -sqrtr_sqr ler_wsqrtr // ltW //.
Qed.

Lemma measurable_product (A : 'M[R]_p) f : measurable_fun setT f -> measurable_fun setT (fun z => A *m f z).
Proof.
move=> mf; apply: measurable_matrix => i j; under eq_fun do rewrite mxE.
apply: measurable_sum => l; apply: measurable_funM; first exact: measurable_cst.
by apply: (measurableT_comp (measurable_entry l j)).
Qed.
End Measurable.

(* The noise alpha times the change, alpha = (3 + e) log(n / t) / e. *)
Lemma logarithmic_calibration (R : realType) n (e t : R) : (2 <= n)%N -> 0 < e -> 0 < t -> t < 1 ->
  calibrated e t (e / ((3 + e) * ln (n%:R / t))).
Proof.
move=> n2 e0 t0 t1; have n2' : 2 <= n%:R :> R by rewrite (ler_nat _ 2).
have q0 : 0 < n%:R / t by rewrite divr_gt0 // (lt_le_trans _ n2').
have q2 : 2 <= n%:R / t by rewrite ler_pdivlMr //; apply: le_trans n2'; rewrite ger_pMr // ltW.
have expL : expR (- ln (n%:R / t)) * 2 <= t.
  rewrite expRN lnK ?posrE // invf_div mulrC mulrA ler_pdivrMr; last by rewrite (lt_le_trans _ n2').
  by rewrite mulrC ler_wpM2l // ltW.
have half : expR (1 / 2 : R) <= 2.
  have h : 2^-1 <= expR (- (1 / 2 : R)) by apply: le_trans (expR_ge1Dx _); lra.
  by rewrite -[leLHS]invrK -expRN -[leRHS]invrK lef_pV2 ?posrE ?invr_gt0 ?expR_gt0.
have L2 : 1 / 2 <= ln (n%:R / t) by rewrite -[leLHS]expRK ler_ln ?posrE ?expR_gt0 // (le_trans half).
move: (ln _) L2 expL => L L2 expL; have L0 : 0 < L by lra.
pose D := e / ((3 + e) * L); have k0 : 0 < (3 + e) * L by rewrite mulr_gt0 // addr_gt0.
have D0 : 0 < D by rewrite divr_gt0.
have eD : e / D = (3 + e) * L by rewrite /D; field; rewrite !gt_eqF // addr_gt0.
have D2 : D <= 2 by rewrite /D ler_pdivrMr //; nra.
have x0 : 0 <= 3 * L - 1 by lra.
apply: le_trans (profile_tail (x := 3 * L - 1) _) _; first by rewrite -/D eD; have := mulr_gt0 e0 L0; lra.
apply: le_trans (upper_chernoff x0) _; apply: le_trans expL.
have e1 : expR (- ((3 * L - 1) ^+ 2 / 2)) <= expR (1 - L).
  by rewrite ler_expR expr2; have := sqr_ge0 (9 * L - 4); rewrite expr2; lra.
have e4 : expR (1 - L) <= 4 * expR (- L).
  rewrite expRD ler_wpM2r ?expR_ge0 // (_ : 1 = 1 / 2 + 1 / 2) ?expRD; last by field.
  have := expR_ge0 (1 / 2 : R); nra.
lra.
Qed.

Section MinibatchOja.
Context (R : realType) (p B N : nat) (beta : R) d (S : measurableType d).
Context (iterate : S -> 'cV[R]_p) (update : nat -> S * 'cV[R]_p -> S).
Hypotheses (measurable_iterate : measurable_fun setT iterate) (measurable_update : measurable_steps update).
Hypotheses (B_gt0 : (0 < B)%N) (beta_gt0 : 0 < beta).
Implicit Types (x : nat -> 'M[R]_p) (s e t : R).

Definition clipped_mean x i z : 'cV[R]_p := mean_of (fun j : 'I_B => clip beta (x (i * B + j)%N *m iterate z)).
Definition minibatch_oja s x := steps (fun _ _ => const_mx s) (clipped_mean x) update N.

Lemma measurable_clipped_mean x : measurable_steps (clipped_mean x).
Proof.
move=> i; apply: measurable_matrix => a b.
rewrite (_ : (fun z => _) = fun z => B%:R^-1 * \sum_(j < B) clip beta (x (i * B + j)%N *m iterate z) a b); last first.
  by apply/funext => z; rewrite /clipped_mean /mean_of mxE summxE.
apply: measurable_funM; first exact: measurable_cst.
apply: measurable_sum => j; apply: (measurableT_comp (measurable_entry a b)).
by apply: measurable_clip => //; exact: measurable_product.
Qed.

Lemma clipped_mean_near x x' i0 i z : differ_at i0 x x' ->
  sqnorm (clipped_mean x i z - clipped_mean x' i z) <= if i == (i0 %/ B)%N then (2 * beta / B%:R) ^+ 2 else 0.
Proof.
move=> same; case: eqP => [->|/eqP ne].
  apply: (clipped_mean_sensitivity (f := fun j : 'I_B => x (i0 %/ B * B + j)%N *m iterate z)
    (f' := fun j : 'I_B => x' (i0 %/ B * B + j)%N *m iterate z) (i0 := Ordinal (ltn_pmod i0 B_gt0)) (ltW beta_gt0)) => j ne.
  rewrite same //; apply: contra ne => /eqP e; apply/eqP; apply: val_inj => /=.
  by rewrite -e modnMDl modn_small.
rewrite (_ : clipped_mean x i z = clipped_mean x' i z) ?subrr ?sqnorm0 //.
congr (_ *: _); apply: eq_bigr => j _; rewrite same //.
by apply: contra ne => /eqP <-; rewrite divnMDl // divn_small ?addn0.
Qed.

(* liu2022.equation-7-multiplier, liu2022.no-shuffle-noise: the noise of one release, for every number of steps *)
Theorem minibatch_oja_private s e t x x' i0 z : 0 < s -> calibrated e t (2 * beta / B%:R / s) -> differ_at i0 x x' ->
  indist (expR e) t (minibatch_oja s x z) (minibatch_oja s x' z).
Proof.
move=> s0 cal same; pose D := 2 * beta / B%:R; have D0 : 0 < D by rewrite divr_gt0 ?mulr_gt0 ?ltr0n.
pose b i := if i == (i0 %/ B)%N then (D / s) ^+ 2 else 0 : R.
have ms : measurable_steps (fun (_ : nat) (_ : S) => const_mx s : 'cV[R]_p) by move=> i; exact: measurable_cst.
have s0' : forall (i : nat) (y : S) a c, 0 < (const_mx s : 'cV[R]_p) a c by move=> i y a c; rewrite mxE.
have close i y : change (const_mx s) (clipped_mean x i y) (clipped_mean x' i y) <= b i.
  rewrite change_const ler_pdivrMr ?exprn_gt0 //; apply: le_trans (clipped_mean_near i y same) _.
  by rewrite /b; case: ifP => _; rewrite ?mul0r // -exprMn divfK // gt_eqF.
have := @steps_budget R p 1 _ S _ _ _ update N b z ms s0' (measurable_clipped_mean x) (measurable_clipped_mean x') measurable_update close.
have le : \sum_(i < N) b i <= (D / s) ^+ 2.
  have [lt|ge] := ltnP (i0 %/ B) N; last first.
    by rewrite big1 ?sqr_ge0 // => i _; rewrite /b; case: eqP => // e1; move: (ltn_ord i); rewrite e1 ltnNge ge.
  rewrite (bigD1 (Ordinal lt)) //= big1 ?addr0 => [|i ne]; first by rewrite /b eqxx.
  by rewrite /b; case: eqP => // e1; case/eqP: ne; apply: val_inj.
have ok A (mA : measurable A) : (0 <= minibatch_oja s x z A <= 1)%E.
  by case: (follows_steps N ms s0' (measurable_clipped_mean x) measurable_update) => _; apply.
move/(budget_monotone le ok)/budget_gdp; have Ds : 0 < D / s by rewrite divr_gt0.
rewrite sqrtr_sqr gtr0_norm // => H A mA.
apply: le_trans (H _ _ (expR_gt0 e) A mA) _; first by rewrite exprn_gt0.
by rewrite leeD2l // lee_fin.
Qed.

(* liu2022.equation-7-multiplier: the classical multiplier for epsilon <= 1 *)
Corollary minibatch_oja_classical e t x x' i0 z : 0 < e -> e <= 1 -> 0 < t -> t < 1 -> differ_at i0 x x' ->
  indist (expR e) t (minibatch_oja (classical_std e t (2 * beta / B%:R)) x z)
                    (minibatch_oja (classical_std e t (2 * beta / B%:R)) x' z).
Proof.
move=> e0 e1 t0 t1; have D0 : 0 < 2 * beta / B%:R by rewrite divr_gt0 ?mulr_gt0 ?ltr0n.
by apply: minibatch_oja_private; [exact: classical_std_gt0 | exact: classical_gaussian].
Qed.

(* liu2022.equation-7-privacy: the multiplier of a public order, for every epsilon; its bound needs two records at least *)
Theorem minibatch_oja_logarithmic n e t x x' i0 z : (2 <= n)%N -> 0 < e -> 0 < t -> t < 1 -> differ_at i0 x x' ->
  let alpha := (3 + e) * ln (n%:R / t) / e in let s := alpha * (2 * beta / B%:R) in
  indist (expR e) t (minibatch_oja s x z) (minibatch_oja s x' z).
Proof.
move=> n2 e0 t0 t1 same alpha s; have D0 : 0 < 2 * beta / B%:R by rewrite divr_gt0 ?mulr_gt0 ?ltr0n.
have L0 : 0 < ln (n%:R / t) by rewrite ln_gt0 // ltr_pdivlMr // mul1r (lt_le_trans t1) // ler1n (ltn_trans _ n2).
have a0 : 0 < alpha by rewrite /alpha divr_gt0 // mulr_gt0 // addr_gt0.
apply: minibatch_oja_private same; first by rewrite mulr_gt0.
rewrite (_ : _ / s = e / ((3 + e) * ln (n%:R / t))); first exact: logarithmic_calibration.
rewrite /s /alpha; have e3 : 0 < 3 + e by rewrite addr_gt0.
have B0 : B%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
move: (ln _) L0 => L L0; field; rewrite B0 !gt_eqF //.
Qed.
End MinibatchOja.

(* The hypotheses can be met: five steps on batches of two, the iterate is the first axis. *)
Example minibatch_oja_holds (R : realType) (x x' : nat -> 'M[R]_2) i0 : differ_at i0 x x' ->
  let s := classical_std 1 (1 / 100) (2 * 1 / 2) in let keep := fun (_ : nat) (w : 'cV[R]_2 * 'cV[R]_2) => w.2 in
  indist (expR 1) (1 / 100) (minibatch_oja 2 5 1 (fun=> (axis 0)^T) keep s x 0)
                            (minibatch_oja 2 5 1 (fun=> (axis 0)^T) keep s x' 0).
Proof.
move=> same s keep; apply: (@minibatch_oja_classical R 2 2 5 1 _ _ _ keep _ _ _ _ 1 (1 / 100) x x' i0) => //; try lra.
by move=> i; exact: measurable_snd.
Qed.

(* liu2022.no-shuffle-noise: Algorithm 2 in a public order (B = 1), whatever the number of rows. *)
Corollary private_oja_classical (R : realType) (p N : nat) (beta e t : R) d (S : measurableType d) (iterate : S -> 'cV[R]_p)
    (update : nat -> S * 'cV[R]_p -> S) x x' i0 z : measurable_fun setT iterate -> measurable_steps update -> 0 < beta ->
  0 < e -> e <= 1 -> 0 < t -> t < 1 -> differ_at i0 x x' ->
  let s := 2 * beta * (Num.sqrt (2 * ln (5 / 4 / t)) / e) in
  indist (expR e) t (minibatch_oja 1 N beta iterate update s x z) (minibatch_oja 1 N beta iterate update s x' z).
Proof.
move=> mi mu b0 e0 e1 t0 t1 same s.
suff -> : s = classical_std e t (2 * beta / 1%:R) by exact: (minibatch_oja_classical N mi mu (ltn0Sn 0) b0 z e0 e1 t0 t1 same).
by rewrite divr1 /classical_std /s; field; rewrite gt_eqF.
Qed.

(* liu2022.local-randomiser: one noisy clipped gradient, for any two records; with the multiplier alpha the noise is alpha times
   2 beta, and epsilon is sqrt(2 ln(1.25 / delta)) / alpha *)
Theorem local_randomiser (R : realType) (p : nat) (beta alpha e t : R) (A A' : 'M[R]_p) (w : 'cV[R]_p) : 0 < beta -> 0 < alpha ->
  0 < t -> t < 1 -> e = Num.sqrt (2 * ln (5 / 4 / t)) / alpha -> e <= 1 ->
  indist (expR e) t (noisy predT (const_mx (alpha * (2 * beta))) (clip beta (A *m w)))
                    (noisy predT (const_mx (alpha * (2 * beta))) (clip beta (A' *m w))).
Proof.
move=> b0 a0 t0 t1 eE e1; have [c0 _] := classical_factor t0 t1; have e0 : 0 < e by rewrite eE divr_gt0.
have b20 : 0 < 2 * beta by rewrite mulr_gt0.
have sE : alpha * (2 * beta) = classical_std e t (2 * beta).
  by rewrite /classical_std eE; field; rewrite !gt_eqF.
apply: (@noisy_private_const R p 1 predT _ _ _ ((2 * beta) ^+ 2)).
- by rewrite mulr_gt0.
- by rewrite exprn_gt0.
- by rewrite sqrtr_sqr ger0_norm ?(ltW b20) // sE; exact: classical_gaussian.
have := clip_sensitivity (A *m w) (A' *m w) (ltW b0); apply: le_trans.
have := change_const 1 (clip beta (A *m w)) (clip beta (A' *m w)); rewrite expr1n divr1 => <-.
by apply: ler_sum => ij _; rewrite [const_mx _ _ _]mxE divr1.
Qed.

Example local_randomiser_holds (R : realType) (A A' : 'M[R]_2) : let e : R := Num.sqrt (2 * ln (5 / 4 / (1 / 2))) / 2 in
  e <= 1 -> indist (expR e) (1 / 2) (noisy predT (const_mx (2 * (2 * 1))) (clip 1 (A *m (axis 0)^T)))
                                    (noisy predT (const_mx (2 * (2 * 1))) (clip 1 (A' *m (axis 0)^T))).
Proof. by move=> e e1; apply: local_randomiser => //; lra. Qed.
