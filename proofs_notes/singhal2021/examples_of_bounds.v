(** Examples of singhal2021: bounds that are reached, and inputs that meet the hypotheses of the theorems. Scores are computed
    by the program of subspace_programs.v, which [score_program_correct] proves. *)

From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import zify ssrZ.
From DPPCA.lib Require Import discrete.
From DPPCA.primitives Require Import truncated_laplace.
From DPPCA.singhal2021 Require Import scores values gap_max algorithm_1_exact subspace_programs subspace_programs_correct.
From DPPCA.singhal2021 Require Import section_2_3_unknown_dimension.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Delimit Scope Z_scope with z.

Local Notation scoreZ d l T := (score (dataset_of d (l := l)) (span_of d T)).

Lemma by_program d l T u : score_program d l T = u -> scoreZ d l T = u.
Proof. by move <-; rewrite score_program_correct. Qed.

(** * Sensitivity *)

(** singhal2021.score-sensitivity, reached: three points on a line, one of them replaced. *)
Definition three_on_a_line : seq point := [:: [:: 1; 0]; [:: 1; 0]; [:: 1; 0]]%z.
Definition two_on_a_line : seq point := [:: [:: 1; 0]; [:: 1; 0]; [:: 0; 1]]%z.

Lemma these_are_neighbours :
  neighbours (dataset_of 2 (l := three_on_a_line)) (dataset_of 2 (l := two_on_a_line) : 'I_3 -> _).
Proof. by exists (@Ordinal 3 2 isT) => -[[|[|[|//]]] lt] ne. Qed.

Theorem score_sensitivity_reached :
  scoreZ 2 three_on_a_line [:: [:: 1; 0]%z] = 3%N /\ scoreZ 2 two_on_a_line [:: [:: 1; 0]%z] = 2%N.
Proof. by split; apply: by_program; vm_compute. Qed.

(** singhal2021.section-2.3-score-sensitivity, reached by the same pair: SCORE(1) from 3 to 2, SCORE(2) from 0 to 1. *)
Theorem dimension_score_sensitivity_reached :
  [seq dimension_score (dataset_of 2 (l := three_on_a_line)) k | k <- [:: 1; 2]%N] = [:: 3; 0]%N /\
  [seq dimension_score (dataset_of 2 (l := two_on_a_line)) k | k <- [:: 1; 2]%N] = [:: 2; 1]%N.
Proof. by split; rewrite -(dimension_scores_program_correct 2 2); vm_compute. Qed.

(** * Problem 2.1 *)

(** Three points on the line of (1, 0), a zero and a point elsewhere: ell = 1. *)
Definition almost_a_line : seq point := [:: [:: 1; 0]; [:: 2; 0]; [:: -1; 0]; [:: 0; 0]; [:: 3; 1]]%z.
Definition the_line : seq point := [:: [:: 1; 0]%z].

Example problem_met : problem (dataset_of 2 (l := almost_a_line)) 1 1 (span_of 2 the_line).
Proof.
split; first by rewrite -rank_correct; vm_compute.
- by rewrite inside_count; vm_compute.
- move=> t; rewrite ltnS leqn0 mxrank_eq0 => /eqP ->.
  have -> : (0 : 'M[rat]_2) = span_of 2 [::] by rewrite /span_of big_nil.
  by rewrite inside_count; vm_compute.
Qed.

(** singhal2021.lemma-2.4, singhal2021.lemma-2.4-sharp: both bounds are reached there: 5 - 2 = 3 and 1. *)
Theorem lemma_2_4_reached :
  scoreZ 2 almost_a_line the_line = 3%N /\ scoreZ 2 almost_a_line [:: [:: 3; 1]%z] = 1%N.
Proof. by split; apply: by_program; vm_compute. Qed.

(** The hypotheses of [dimension_mechanism_accurate] and [largest_score_of_problem]. *)
Example dimension_scores_there :
  [seq dimension_score (dataset_of 2 (l := almost_a_line)) k | k <- [:: 1; 2]%N] = [:: 3; 1]%N.
Proof. by rewrite -(dimension_scores_program_correct 2 2); vm_compute. Qed.

(** singhal2021.theorem-1.1-uniqueness: at n = 3 ell the answer is not unique: three planes of three basis vectors, ell = 1. *)
Definition basis : seq point := [:: [:: 1; 0; 0]; [:: 0; 1; 0]; [:: 0; 0; 1]]%z.

Lemma few_on_a_line (t : 'M[rat]_3) : (\rank t < 2)%N -> (inside (dataset_of 3 (l := basis)) t <= 1)%N.
Proof.
move=> small; rewrite leqNgt; apply/negP => /card_gt1P[i [j [+ + ij]]]; rewrite !inE => it jt.
have : (\rank (span_of 3 [:: nth [::] basis i; nth [::] basis j]) <= \rank t)%N.
  by apply: mxrankS; apply: span_of_sub => v; rewrite !inE => /orP[] /eqP ->.
rewrite -rank_correct leqNgt (leq_trans small) //.
by move: ij; clear; case: i => -[|[|[|//]]] ?; case: j => -[|[|[|//]]] ? //= _; vm_compute.
Qed.

Definition planes : seq (seq point) := [:: take 2 basis; drop 1 basis; [:: nth [::] basis 0; nth [::] basis 2]].

Lemma plane_of_basis T : T \in planes -> problem (dataset_of 3 (l := basis)) 2 1 (span_of 3 T).
Proof.
rewrite !inE => /or3P[] /eqP ->; (split; [by rewrite -rank_correct; vm_compute|by rewrite inside_count; vm_compute|exact: few_on_a_line]).
Qed.

Theorem problem_not_unique : exists s s' : 'M[rat]_3,
  [/\ problem (dataset_of 3 (l := basis)) 2 1 s, problem (dataset_of 3 (l := basis)) 2 1 s' & ~ (s :=: s')%MS].
Proof.
exists (span_of 3 (take 2 basis)), (span_of 3 (drop 1 basis)).
split; [by apply: plane_of_basis; rewrite !inE eqxx|by apply: plane_of_basis; rewrite !inE eqxx orbT|].
by move/eqmxP; rewrite -same_span_correct; vm_compute.
Qed.

(** On lines, without zero points, n > 2 ell is enough: a point is on both. *)
Lemma line_unique (F : fieldType) n d (X : 'I_n -> 'rV[F]_d) ell (s s' : 'M[F]_d) : (forall i, X i != 0) -> (2 * ell < n)%N ->
  problem X 1 ell s -> problem X 1 ell s' -> (s :=: s')%MS.
Proof.
move=> nonzero large [r1 close _] [r1' close' _].
have [i] : exists i, i \in points_in X s :&: points_in X s'.
  apply/set0Pn; rewrite -card_gt0; have := cardsUI (points_in X s) (points_in X s').
  have : (#|points_in X s :|: points_in X s'| <= n)%N by rewrite -[X in (_ <= X)%N]card_ord max_card.
  rewrite -[#|points_in X s|]/(inside X s) -[#|points_in X s'|]/(inside X s').
  by move: #|_ :|: _| #|_ :&: _| (inside X s) (inside X s') close close' large; lia.
rewrite !inE => /andP[is_ is'].
have same (t : 'M[F]_d) : \rank t = 1%N -> (X i <= t)%MS -> (X i :=: t)%MS.
  move=> rt it; apply/eqmxP; rewrite it /= -(geq_leqif (mxrank_leqif_sup it)) rt.
  by rewrite lt0n mxrank_eq0 nonzero.
exact: eqmx_trans (eqmx_sym (same s r1 is_)) (same s' r1' is').
Qed.

(** singhal2021.theorem-1.1-uniqueness, the whole claim: n > 3 ell is enough, n = 3 ell is not, and on lines n > 2 ell is. *)
Theorem uniqueness :
  [/\ forall (F : fieldType) n d (X : 'I_n -> 'rV[F]_d) k ell s s', (3 * ell < n)%N ->
        problem X k ell s -> problem X k ell s' -> (s :=: s')%MS,
      (forall T, T \in planes -> problem (dataset_of 3 (l := basis)) 2 1 (span_of 3 T)) /\
      pairwise (fun T T' => ~~ (span_of 3 T == span_of 3 T')%MS) planes &
      forall (F : fieldType) n d (X : 'I_n -> 'rV[F]_d) ell s s', (forall i, X i != 0) -> (2 * ell < n)%N ->
        problem X 1 ell s -> problem X 1 ell s' -> (s :=: s')%MS].
Proof.
split; [exact: problem_unique| |exact: line_unique].
by split; [exact: plane_of_basis|rewrite /= -!same_span_correct; vm_compute].
Qed.

(** * Calibration *)

(** r = 2, g = 1: epsilon = ln 4, A = 3, delta = 1/4. *)
Example calibrated_example : calibrated (2%:R : rat) 3 1 (1 / 4%:R).
Proof. by split; vm_compute. Qed.

(** What this noise spends is 3/22, less than 1/4: print's bound is for the continuous noise. *)
Example tlap_delta_example : tlap_delta (2%:R : rat) 3 2 = 3%:R / 22%:R.
Proof. by apply/eqP; vm_compute. Qed.

(** Fourteen equal points: Problem 2.1 with ell = 0, and 14 > 4 A + 1. *)
Definition fourteen : seq point := nseq 14 [:: 1; 0]%z.

Lemma fourteen_met : problem (dataset_of 2 (l := fourteen)) 1 0 (span_of 2 the_line).
Proof.
split; first by rewrite -rank_correct; vm_compute.
- by rewrite inside_count; vm_compute.
- move=> t; rewrite ltnS leqn0 mxrank_eq0 => /eqP ->.
  have -> : (0 : 'M[rat]_2) = span_of 2 [::] by rewrite /span_of big_nil.
  by rewrite inside_count; vm_compute.
Qed.

Example accurate_example owner (w : {ffun option {set 'I_14} -> noise_index 3}) :
  exact_estimator (rat : realFieldType) 1 owner (pred1 1%N) (dataset_of 2 (l := fourteen)) w =
  Some <<span_of 2 the_line>>%MS.
Proof. by apply: (@exact_estimator_accurate _ _ _ (rat : realFieldType) 3 1 owner _ (pred1 1%N) _ _ _ fourteen_met _ _ w); vm_compute. Qed.
