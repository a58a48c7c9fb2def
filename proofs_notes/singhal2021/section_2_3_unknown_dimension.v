(** singhal2021, section 2.3: the dimension by the exponential mechanism, and the test whether it is at most k_max. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import zify.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import discrete.
From DPPCA.primitives Require Import truncated_laplace geometric_noise exponential_mechanism.
From DPPCA.singhal2021 Require Import scores.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Dimension.
Variables (F : fieldType) (n d : nat) (R : realFieldType) (r : R).
Local Notation dataset := ('I_n -> 'rV[F]_d).

(** * The exponential mechanism: answer i stands for the dimension i + 1, k_max = kk + 1. *)

Definition dimension_scores kk (X : dataset) (i : 'I_kk.+1) : nat := dimension_score X i.+1.
Definition dimension_mechanism kk (X : dataset) : 'I_kk.+1 -> R := exponential r (@dimension_scores kk) X.

(** singhal2021.section-2.3-unknown-dimension: with weights r^SCORE, r = e^(epsilon/2), it is epsilon-DP. *)
Theorem dimension_mechanism_dp kk : 1 <= r -> mechanism_dp (r ^+ 2) 0 (@neighbours F n d) (@dimension_mechanism kk).
Proof.
move=> r1; apply: (exponential_dp ord0) => // X X' nb i.
by split; apply: dimension_score_sensitivity => //; apply: neighbours_sym.
Qed.

(** singhal2021.section-2.3-unknown-dimension-accuracy: under Problem 2.1 the odds against k are at most (k_max - 1) /
    r^(n - 3 ell): a wrong answer has probability at most beta once n >= 3 ell + (2/epsilon) ln((k_max - 1)/beta). *)
Theorem dimension_mechanism_accurate kk (X : dataset) k ell s (k_le : (k < kk.+1)%N) :
  1 < r -> (3 * ell <= n)%N -> problem X k.+1 ell s ->
  \sum_(i | i != Ordinal k_le) dimension_mechanism X i <=
    kk%:R / r ^+ (n - 3 * ell) * dimension_mechanism X (Ordinal k_le).
Proof.
move=> r1 large pr; have [high low] := dimension_scores_of_problem pr; have r0 : 0 < r by apply: lt_trans r1.
have -> : kk%:R = \sum_(i < kk.+1 | i != Ordinal k_le) 1 :> R.
  rewrite sumr_const; congr (_%:R); apply/esym; transitivity #|predC1 (Ordinal k_le)|.
    by apply: eq_card => i; rewrite !inE.
  by rewrite cardC1 card_ord.
rewrite -mulrA mulr_suml; apply: ler_sum => i ne; rewrite mul1r /dimension_mechanism /exponential /by_weight.
rewrite mulrA ler_pM2r; last first.
  by rewrite invr_gt0; apply: sum_weights_gt0 => [|j]; [exact: ord0|apply: exprn_gt0].
rewrite mulrC ler_pdivlMr ?exprn_gt0 // -exprD; apply: ler_weXn2l; first exact: ltW.
have : (dimension_scores X i <= ell)%N by apply: low; apply: contra ne => /eqP[e]; apply/eqP/val_inj.
by rewrite /dimension_scores /= in high *; lia.
Qed.

(** * The test: noise on the largest score of a dimension up to k_max, compared with (n - ell) / 2 *)

(** Two-sided geometric noise of ratio r = e^epsilon on the largest score, stored in 0..M with what lies outside moved to the
    ends; the answer is whether the noisy score exceeds (n - ell) / 2. *)
Definition dimension_test k_max ell M (X : dataset) : bool -> R :=
  push (fun y : 'I_M.+1 => (n - ell < 2 * y)%N) (@clamped_geometric R r M (largest_score X k_max)).

(** singhal2021.section-2.3-dimension-test, privacy: it is epsilon-DP. *)
Theorem dimension_test_dp k_max ell M : 1 < r -> (n <= M)%N -> (0 < M)%N ->
  mechanism_dp r 0 (@neighbours F n d) (dimension_test k_max ell M).
Proof.
move=> r1 nM M0.
have bound (X : dataset) : (largest_score X k_max <= M)%N.
  apply: leq_trans nM; apply/bigmax_leqP => i _; apply/bigmax_leqP => I _.
  by apply: (leq_trans (score_le_inside X _)); apply: inside_le.
have key (X X' : dataset) : neighbours X X' -> dp r 0 (dimension_test k_max ell M X) (dimension_test k_max ell M X').
  move=> nb; apply: dp_post_processing_function; apply/(clamped_geometric_exact r1 _ (bound X) (bound X') M0).
  have := largest_score_sensitivity k_max nb; have := largest_score_sensitivity k_max (neighbours_sym nb).
  rewrite -[X in _ <= X]expr1 => h1 h2; apply: ler_weXn2l; first exact: ltW.
  by rewrite /absdiff; lia.
by move=> X X' nb; split; apply: key => //; apply: neighbours_sym.
Qed.

(** Accuracy: the largest score is at least n - 2 ell if k <= k_max, and at most ell otherwise. *)
Theorem largest_score_of_problem (X : dataset) k ell s k_max : (0 < k)%N -> problem X k ell s ->
  if (k <= k_max)%N then (n - 2 * ell <= largest_score X k_max)%N else (largest_score X k_max <= ell)%N.
Proof.
move=> k0 pr; have [high low] := dimension_scores_of_problem pr; case: leqP => kk.
  have lt : (k.-1 < k_max)%N by rewrite prednK.
  by apply: leq_trans high _; rewrite -(prednK k0); apply: (leq_bigmax_cond (Ordinal lt)).
by apply/bigmax_leqP => i _; apply: low; rewrite neq_ltn (leq_ltn_trans (ltn_ord i)) // ltnS.
Qed.

End Dimension.
