(** singhal2021, section 2.3: the dimension by the exponential mechanism, and the two cases that a test of it has to tell apart. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import zify.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import discrete.
From DPPCA.primitives Require Import exponential_mechanism.
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

(** * The test whether the dimension is at most k_max (section_2_3_dimension_test.v) *)

(** The largest score is at least n - 2 ell if k <= k_max, and at most ell otherwise. *)
Theorem largest_score_of_problem (X : dataset) k ell s k_max : (0 < k)%N -> problem X k ell s ->
  if (k <= k_max)%N then (n - 2 * ell <= largest_score X k_max)%N else (largest_score X k_max <= ell)%N.
Proof.
move=> k0 pr; have [high low] := dimension_scores_of_problem pr; case: leqP => kk.
  have lt : (k.-1 < k_max)%N by rewrite prednK.
  by apply: leq_trans high _; rewrite -(prednK k0); apply: (leq_bigmax_cond (Ordinal lt)).
by apply/bigmax_leqP => i _; apply: low; rewrite neq_ltn (leq_ltn_trans (ltn_ord i)) // ltnS.
Qed.

End Dimension.
