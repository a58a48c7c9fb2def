(* DP-SGD on the PCA objective (abadi2016, Algorithm 1; reference/baselines/dp_sgd.py): a row is added or removed.

   Every step draws each row with probability q, hidden, clips the gradients -x x^T V of the drawn rows at length C, and
   releases their sum with noise. The iterates are functions of the sums released before; the lot size and the step sizes are
   part of these functions. Outcomes are on a finite grid T; a = e^epsilon. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import discrete squared_norms transcripts subsampling.
From DPPCA.primitives Require Import row_changes.
From DPPCA.shang2021 Require Import gradients.
From DPPCA.liu2022 Require Import clipping.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
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
Variables (R : rcfType) (d k steps : nat) (T U : finType) (q C a delta : R) (release : 'M[R]_(d, k) -> T -> R).
Hypotheses (q01 : 0 <= q <= 1) (C_ge0 : 0 <= C).
(* theta_t, a function of the noisy sums so far (lines 1, 6 and 7), and the output (line 8). *)
Variables (iterate : seq T -> 'M[R]_(d, k)) (output : steps.-tuple T -> U).

(* Lines 3 to 6. *)
Definition noisy_sum n (X : 'M[R]_(n, d)) (s : seq T) : T -> R :=
  poisson_sample q (fun S => release (clipped_sum C X (iterate s) S)).
Definition dp_sgd n (X : 'M[R]_(n, d)) : U -> R := push output (transcript steps (noisy_sum X)).

Lemma dp_sgd_of_account b e n (X : 'M[R]_(n.+1, d)) (X' : 'M[R]_(n, d)) : poisson_account q C n steps b e release ->
  removed X X' -> dp b e (dp_sgd X) (dp_sgd X') /\ dp b e (dp_sgd X') (dp_sgd X).
Proof.
case=> _ H [_ [i0 ->]].
have [|H1 H2] := H (fun s i => clipped_gradient C (row i X) (iterate s)) i0.
  by move=> s; rewrite clip_sqnorm // ge_min lexx orbT.
have same : transcript steps (noisy_sum (row' i0 X)) =1 transcript steps (fun s => poisson_sample q (fun S : {set 'I_n} =>
    release (\sum_(i in S) clipped_gradient C (row (lift i0 i) X) (iterate s)))).
  move=> t; apply: eq_bigr => i _; apply: eq_bigr => S _; congr (_ * release _ _).
  by apply: eq_bigr => j _; rewrite row_lift.
by split; apply: dp_post_processing_function; [apply: (dp_eq _ (fsym same) H1) | apply: (dp_eq (fsym same) _ H2)].
Qed.

(* abadi2016.theorem-1-constants: with noise that the account of the steps allows *)
Theorem dp_sgd_private n (X : 'M[R]_(n.+1, d)) (X' : 'M[R]_(n, d)) : poisson_account q C n steps a delta release ->
  removed X X' -> dp a delta (dp_sgd X) (dp_sgd X') /\ dp a delta (dp_sgd X') (dp_sgd X).
Proof. exact: dp_sgd_of_account. Qed.

(* Without an account: with noise for one step's change C each step costs 1 + q (a - 1) and q delta. *)
Theorem dp_sgd_amplified n (X : 'M[R]_(n.+1, d)) (X' : 'M[R]_(n, d)) : 1 <= a ->
  calibrated_noise (fun v w => sqnorm (v - w) <= C ^+ 2) a delta release -> removed X X' ->
  dp (amplified q a ^+ steps) (q * delta *+ steps) (dp_sgd X) (dp_sgd X') /\
  dp (amplified q a ^+ steps) (q * delta *+ steps) (dp_sgd X') (dp_sgd X).
Proof. by move=> a1 noise; apply: dp_sgd_of_account (poisson_account_of_noise q01 n steps a1 noise). Qed.
End Algorithm.

(* The hypotheses can be met, and the definitions compute. *)
Section Examples.
Variable R : rcfType.
Local Notation respond3 := (respond (3%:R : R) (m := 1) (k := 1)).
Local Notation half := (2%:R^-1 : R).
Let half01 : 0 <= half <= 1. Proof. by rewrite invr_ge0 ler0n invf_le1 ?ler1n ?ltr0n. Qed.

Example dp_sgd_holds (X : 'M[R]_(3, 2)) (X' : 'M[R]_(2, 2)) : removed X X' ->
  dp (amplified half 3%:R ^+ 4) (half * 0 *+ 4) (dp_sgd half 1 respond3 (fun=> 1%:M) (fun t : 4.-tuple bool => tnth t 3) X)
     (dp_sgd half 1 respond3 (fun=> 1%:M) (fun t : 4.-tuple bool => tnth t 3) X').
Proof. 
by move=> nb; have [] := dp_sgd_private ler01 (fun=> 1%:M) (fun t : 4.-tuple bool => tnth t 3) (poisson_account_holds 1 1 1 2 4 half01) nb. Qed.

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

(* One row, drawn with probability 1/2: the noise answers whether the sum's first entry is positive, which it never is. *)
Example noisy_sum_computes : noisy_sum half 1 respond3 (fun=> 1%:M) (0 : 'M[R]_(1, 2)) [::] true = 4%:R^-1.
Proof.
have zero S : clipped_sum 1 (0 : 'M[R]_(1, 2)) (1%:M : 'M_2) S = 0.
  by rewrite /clipped_sum big1 // => i _; rewrite /clipped_gradient /gradient row0 outer0 mul0mx scaler0 /clip scaler0.
rewrite /noisy_sum /poisson_sample /mixture (eq_bigr (fun S => draw_probability half S * 4%:R^-1)) => [|S _].
  by rewrite -mulr_suml (law_sum (law_draw half01 1)) mul1r.
by rewrite zero /respond /response mxE ltxx /= mul1r -(natrD _ 1 3).
Qed.
End Examples.
