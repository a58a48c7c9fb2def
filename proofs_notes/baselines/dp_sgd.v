(* DP-SGD on the PCA objective (abadi2016, Algorithm 1; reference/baselines/dp_sgd.py): a row is added or removed.

   Every step draws each row with probability q, hidden, clips the gradients -x x^T V of the drawn rows at length C, and
   releases their sum with normal noise. S is any measurable space that holds the sums released before; the iterates and the
   output are measurable functions of it; the lot size and the step sizes are part of these functions. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import reals ereal topology normedtype sequences exp measure numfun measurable_realfun lebesgue_measure lebesgue_integral realfun kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure squared_norms gaussian_run gaussian_calibration gaussian_matrix gaussian_steps adaptive_runs subsampling.
From DPPCA.lib Require Import hidden_choices noisy_choices.
From DPPCA.primitives Require Import row_changes.
From DPPCA.shang2021 Require Import gradients hidden_rows.
From DPPCA.liu2022 Require Import clipping minibatch_normal_noise.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Sums.
Variables (R : rcfType) (d k : nat) (C : R).
Hypothesis C_ge0 : 0 <= C.
Implicit Types (x : 'rV[R]_d) (V : 'M[R]_(d, k)).

(* Lines 4 and 5: the gradient of one row, clipped. *)
Definition clipped_gradient x V : 'M[R]_(d, k) := clip C (gradient 1 x V).
(* The sum of line 6 without its noise, over the drawn rows S. *)
Definition clipped_sum n (X : 'M[R]_(n, d)) V (S : {set 'I_n}) := \sum_(i in S) clipped_gradient (row i X) V.

Lemma clip_sqnorm m (g : 'M[R]_(m, k)) : sqnorm (clip C g) = Num.min (sqnorm g) (C ^+ 2).
Proof.
have [short|long] := leP (sqnorm g) (C ^+ 2); first by rewrite clip_id.
have g0 : 0 < sqnorm g by apply: le_lt_trans long; apply: sqr_ge0.
have root : 0 < Num.sqrt (sqnorm g) by rewrite sqrtr_gt0.
rewrite /clip sqnormZ min_r; last by rewrite ler_pdivrMr // mul1r -(ger0_norm C_ge0) -sqrtr_sqr ler_wsqrtr // ltW.
by rewrite exprMn exprVn sqr_sqrtr ?ltW // divfK // gt_eqF.
Qed.

Lemma gradient_length x V : sqnorm (gradient 1 x V) = sqnorm x * sqnorm (x *m V).
Proof.
rewrite /gradient sqnormZ sqrrN expr1n mul1r /outer -mulmxA !sqnorm_row /sqnorm /dot big_distrlr /=.
by apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite [(x^T *m _) i j]mxE big_ord1 [x^T i 0]mxE -expr2 exprMn.
Qed.

(* The sum over a sample of the larger data set, by whether the row i0 is drawn. *)
Lemma row_lift n (X : 'M[R]_(n.+1, d)) i0 i : row (lift i0 i) X = row i (row' i0 X).
Proof. by apply/rowP => j; rewrite !mxE. Qed.

(* abadi2016.algorithm-1-sampling: if the extra row is not drawn the sum is the same; if it is, the sum moves by
   min(|x| |V^T x|, C), here squared. *)
Theorem clipped_sum_change n (X : 'M[R]_(n.+1, d)) i0 V S :
  clipped_sum X V (others i0 S) = clipped_sum (row' i0 X) V S /\
  sqnorm (clipped_sum X V (i0 |: others i0 S) - clipped_sum (row' i0 X) V S) =
    Num.min (sqnorm (row i0 X) * sqnorm (row i0 X *m V)) (C ^+ 2).
Proof.
have e : clipped_sum X V (others i0 S) = clipped_sum (row' i0 X) V S.
  by rewrite /clipped_sum sum_others; apply: eq_bigr => i _; rewrite row_lift.
split=> //; rewrite -e /clipped_sum sum_with sum_others addrK clip_sqnorm.
by rewrite gradient_length.
Qed.

(* So by at most C, whatever the rows are. *)
Theorem clipped_sum_sensitivity n (X : 'M[R]_(n.+1, d)) i0 V S :
  sqnorm (clipped_sum X V (i0 |: others i0 S) - clipped_sum (row' i0 X) V S) <= C ^+ 2.
Proof. by have [_ ->] := clipped_sum_change X i0 V S; rewrite ge_min lexx orbT. Qed.

(* Reached for C <= 1 by every unit row in the span of V, whatever the other rows and the sample are. *)
Theorem clipped_sum_sensitivity_reached n (X : 'M[R]_(n.+1, d)) i0 V S : C <= 1 -> orthonormal V ->
  sqnorm (row i0 X) = 1 -> sqnorm (row i0 X *m V) = 1 ->
  sqnorm (clipped_sum X V (i0 |: others i0 S) - clipped_sum (row' i0 X) V S) = C ^+ 2.
Proof.
move=> C1 oV x1 xV; have [_ ->] := clipped_sum_change X i0 V S.
by rewrite x1 xV mulr1 min_r // exprn_ile1.
Qed.

(* For C > 1 the sum moves by at most 1. *)
Theorem clipped_sum_at_most_one n (X : 'M[R]_(n.+1, d)) i0 V S : in_ball (row i0 X) -> orthonormal V ->
  sqnorm (clipped_sum X V (i0 |: others i0 S) - clipped_sum (row' i0 X) V S) <= 1.
Proof.
move=> xb oV; have [_ ->] := clipped_sum_change X i0 V S; rewrite ge_min mulr_ile1 ?sqnorm_ge0 //.
exact: le_trans (bessel _ oV) xb.
Qed.
End Sums.

Section Algorithm.
Context (R : realType) (d k : nat) dS (S : measurableType dS) (C s q : R).
(* theta_t, a function of the noisy sums so far (lines 1, 6 and 7); the state after a release; the output (line 8). *)
Context (iterate : S -> 'M[R]_(d, k)) (update : nat -> S * 'M[R]_(d, k) -> S) dU (U : measurableType dU) (output : S -> U).
Hypotheses (measurable_iterate : measurable_fun setT iterate) (measurable_update : measurable_steps update).
Hypotheses (measurable_output : measurable_fun setT output) (s_gt0 : 0 < s) (C_gt0 : 0 < C) (q01 : 0 <= q <= 1).

Let measurable_sums n (X : 'M[R]_(n, d)) (B : {set 'I_n}) : measurable_fun setT (fun z => \sum_(i in B) clipped_gradient C (row i X) (iterate z)).
Proof. by apply: measurable_batch => i; apply: measurable_clip => //; exact: measurable_left_product. Qed.

(* Lines 3 to 6, and the output. *)
Definition noisy_sums n (X : 'M[R]_(n, d)) N A z := run (sample_step s_gt0 measurable_update q01 (measurable_sums X)) N A z.
Definition dp_sgd n (X : 'M[R]_(n, d)) N z (B : set U) := noisy_sums X N (output @^-1` B) z.

(* abadi2016.theorem-1-constants without an account: with noise for one step's change C each step costs 1 + q (e^epsilon - 1) and
   q delta *)
Theorem dp_sgd_amplified n (X : 'M[R]_(n.+1, d)) (X' : 'M[R]_(n, d)) N z e t : 0 <= e -> calibrated e t (Num.sqrt (C ^+ 2) / s) ->
  removed X X' -> indist (amplified q (expR e) ^+ N) (q * t *+ N) (dp_sgd X N z) (dp_sgd X' N z) /\
  indist (amplified q (expR e) ^+ N) (q * t *+ N) (dp_sgd X' N z) (dp_sgd X N z).
Proof.
move=> e0 cal [_ [i0 ->]]; have C20 : 0 < C ^+ 2 by rewrite exprn_gt0.
have both A := @noisy_samples R d k n _ S s s_gt0 update measurable_update q q01 e t (C ^+ 2)
  (fun i z => clipped_gradient C (row i X) (iterate z)) (fun i z => clipped_gradient C (row i (row' i0 X)) (iterate z))
  (measurable_sums X) (measurable_sums (row' i0 X)) i0 N A z e0 C20 cal.
have same i y : clipped_gradient C (row i (row' i0 X)) (iterate y) = clipped_gradient C (row (lift i0 i) X) (iterate y) by rewrite row_lift.
have short y : sqnorm (clipped_gradient C (row i0 X) (iterate y)) <= C ^+ 2 by rewrite /clipped_gradient (clip_sqnorm (ltW C_gt0)) ge_min lexx orbT.
split; [apply: (@indist_image _ _ _ _ R output _ _ (noisy_sums X N ^~ z) (noisy_sums (row' i0 X) N ^~ z) measurable_output)
  | apply: (@indist_image _ _ _ _ R output _ _ (noisy_sums (row' i0 X) N ^~ z) (noisy_sums X N ^~ z) measurable_output)] => A mA;
  by have [] := both A same short mA.
Qed.
End Algorithm.

(* The hypotheses can be met, and the definitions compute. *)
Section Holds.
Variable R : realType.
Let half : R := 1 / 2.
Let half01 : 0 <= half <= 1. Proof. by apply/andP; rewrite /half; split; lra. Qed.
Let last (t : nat) (w : 'M[R]_2 * 'M[R]_2) := w.2.
Let measurable_last : measurable_steps last. Proof. by move=> i; exact: measurable_snd. Qed.
Let D_gt0 : 0 < Num.sqrt (1 ^+ 2 : R). Proof. by rewrite sqrtr_gt0 ?exprn_gt0. Qed.
Let t_gt0 : 0 < 1 / 100 :> R. Proof. by lra. Qed.
Let t_lt1 : 1 / 100 < 1 :> R. Proof. by lra. Qed.
Let std : R := classical_std 1 (1 / 100) (Num.sqrt (1 ^+ 2)).
Let std_gt0 : 0 < std. Proof. exact: classical_std_gt0. Qed.
Let std_enough : calibrated 1 (1 / 100) (Num.sqrt (1 ^+ 2) / std). Proof. exact: classical_gaussian. Qed.

Example dp_sgd_holds (X : 'M[R]_(3, 2)) (X' : 'M[R]_(2, 2)) z : removed X X' ->
  let sgd n (Y : 'M[R]_(n, 2)) := dp_sgd (@idfun 'M[R]_2) (measurable_cst (1%:M : 'M[R]_2)) measurable_last std_gt0 ltr01 half01 Y 4 z in
  indist (amplified half (expR 1) ^+ 4) (half * (1 / 100) *+ 4) (sgd 3 X) (sgd 2 X') /\
  indist (amplified half (expR 1) ^+ 4) (half * (1 / 100) *+ 4) (sgd 2 X') (sgd 3 X).
Proof. by move=> nb sgd; apply: dp_sgd_amplified => //; exact: measurable_id. Qed.
End Holds.

Section Examples.
Variable R : rcfType.
Local Notation half := (2%:R^-1 : R).
Let half01 : 0 <= half <= 1. Proof. by rewrite invr_ge0 ler0n invf_le1 ?ler1n ?ltr0n. Qed.

(* A unit row on the first axis, clipped at 1/2: the sum moves by 1/2. *)
Example clipped_gradient_computes : clipped_gradient half ((axis 0 : 'rV[R]_2)) 1%:M 0 0 = - half.
Proof.
rewrite /clipped_gradient /clip gradient_length mulmx1 sqnorm_axis mulr1 sqrtr1 divr1 min_r; last by case/andP: half01.
by rewrite /gradient mulmx1 scaleN1r mxE mxE outer_axis mxE !eqxx mulrN mulr1.
Qed.

Example clipped_sum_computes : clipped_sum half (\matrix_(i < 2) (axis 0 : 'rV[R]_2)) 1%:M [set: 'I_2] 0 0 = - 1.
Proof.
rewrite /clipped_sum summxE (eq_bigr (fun=> - half)) => [|i _]; last by rewrite rowK clipped_gradient_computes.
by rewrite sumr_const cardsT card_ord -(mulr_natr (- half)) mulNr mulVf // pnatr_eq0.
Qed.
End Examples.
