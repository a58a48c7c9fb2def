(** More examples of singhal2021: each definition of its files computes. Scores are computed by the program, as in
    examples_of_bounds.v. *)

From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import zify ssrZ.
From DPPCA.lib Require Import discrete.
From DPPCA.primitives Require Import truncated_laplace exponential_mechanism.
From DPPCA.singhal2021 Require Import scores values gap_max algorithm_1_exact algorithm_2_approximate subspace_programs.
From DPPCA.singhal2021 Require Import subspace_programs_correct section_2_3_unknown_dimension section_2_3_random_subsets.
From DPPCA.singhal2021 Require Import lemma_2_3_refuted lemma_2_3_refuted_for_every_delta examples_of_bounds.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Delimit Scope Z_scope with z.
Local Notation Q := (rat : realFieldType).

(** * Scores *)

(** Two points of the line, 0 and 1. *)
Definition zero_and_one (i : 'I_2) : 'rV[rat]_1 := if i == 0 then 0 else 1%:M.

Example points_in_computes : points_in zero_and_one 0 = [set 0].
Proof.
apply/setP => i; rewrite !inE submx0 /zero_and_one; case: (i == 0); rewrite ?eqxx //.
by apply/negbTE; rewrite -mxrank_eq0 mxrank1.
Qed.

Example outside_computes : outside zero_and_one 1%:M 0 = 1%N.
Proof.
have -> : outside zero_and_one 1%:M 0 = #|~: points_in zero_and_one 0|.
  by apply: eq_card => i; rewrite !inE submx1.
by rewrite points_in_computes cardsC1 card_ord.
Qed.

Example is_score_computes : is_score (dataset_of 2 (l := three_on_a_line)) (span_of 2 [:: [:: 1; 0]%z]) 3.
Proof. by rewrite -(proj1 score_sensitivity_reached); apply: score_is_score. Qed.

Example labels_compute : labels (pred1 1%N) (<<span_of 2 the_line>>%MS : 'M[rat]_2) /\ ~~ labels (pred1 2%N) (<<span_of 2 the_line>>%MS : 'M[rat]_2).
Proof. by rewrite /labels /= genmx_id eqxx genmxE -rank_correct; vm_compute. Qed.

(** * Values *)

Definition some_scores := nth 0%N [:: 3; 0; 2]%N.
Definition close_by := nth 0%N [:: 2; 1; 2]%N.

Example complete_holds : complete (fun s : nat => (s < 3)%N) 0 some_scores [:: 0; 2]%N.
Proof. by split=> // [] [|[|[|s]]]. Qed.

Example complete_fails : ~ complete (fun s : nat => (s < 3)%N) 0 some_scores [:: 2]%N.
Proof. by case=> _ _ /(_ 0%N isT isT). Qed.

Example close_scores_hold : close_scores (fun s : nat => (s < 3)%N) some_scores close_by.
Proof. by move=> [|[|[|s]]]. Qed.

Example l1_distance_computes : l1_distance some_scores close_by [:: 0; 1; 2]%N = 2%N.
Proof. by rewrite /l1_distance !big_cons big_nil. Qed.

Example not_null_holds : not_null (None : option bool) (@Some bool).
Proof. by []. Qed.

(** * The estimators *)

Example threshold_example (y : noise_index 3) :
  threshold_estimator Q 1 (pred1 1%N) (dataset_of 2 (l := fourteen)) y = Some <<span_of 2 the_line>>%MS.
Proof. by apply: (@threshold_estimator_accurate _ _ _ Q 3 1 _ (pred1 1%N) _ _ _ fourteen_met); vm_compute. Qed.

(** Fifteen blocks of one row each, all in one cell. *)
Example selected_cell_computes (y : noise_index 3) :
  selected_cell (n := 15) (t := 15) (m := 1) isT (fun rows : 'I_1 -> bool => rows 0) Q 1 (fun=> true) y = Some true.
Proof.
apply: (@selected_cell_accurate _ _ _ _ _ _ _ Q 3 1) => //.
rewrite /cell_count (_ : count_mem true _ = 15)%N //; set l := cell_list _ _ _.
have : all (pred1 true) l by apply/allP => _ /mapP[j _ ->].
by rewrite all_count => /eqP ->; rewrite size_map size_enum_ord.
Qed.

(** * The dimension: the scores 3 and 0 have the weights 8 and 1; the largest one, 3, is above 3/2 with probability 5/6. *)

Lemma three_scores : dimension_scores (dataset_of 2 (l := three_on_a_line)) =1 (fun i : 'I_2 => nth 0 [:: 3; 0] i)%N.
Proof.
case: dimension_score_sensitivity_reached => [[e1 e2] _] [[|[|//]] ?]; by rewrite /dimension_scores /= ?e1 ?e2.
Qed.

Example dimension_mechanism_computes :
  dimension_mechanism (2%:R : rat) (dataset_of 2 (l := three_on_a_line)) (0 : 'I_2) = 8%:R / 9%:R.
Proof. by rewrite /dimension_mechanism /exponential /by_weight !big_ord_recl big_ord0 !three_scores; apply/eqP; vm_compute. Qed.

Example largest_score_computes : largest_score (dataset_of 2 (l := three_on_a_line)) 2 = 3%N.
Proof.
by case: dimension_score_sensitivity_reached => [[e1 e2] _]; rewrite /largest_score !big_ord_recl big_ord0 /= e1 e2.
Qed.

(** * Random subsets *)

Example spans_compute : let X (i : 'I_2) : 'rV[rat]_2 := delta_mx 0 i in
  spans X <<X 0>>%MS [:: 0] /\ ~~ spans X <<X 0>>%MS [:: 0; 0].
Proof.
move=> X; have e t : {subset t <= [:: 0]} -> (0 : 'I_2) \in t -> drawn_span X t = <<X 0>>%MS.
  move=> sub t0; rewrite /drawn_span /span (_ : [set i in t] = [set 0]) ?big_set1 //.
  by apply/setP => i; rewrite !inE; apply/idP/eqP => [/sub|-> //]; rewrite inE => /eqP.
by rewrite /spans /independent !e //= ?genmxE ?mxrank_delta ?genmx_id ?eqxx //; move=> i; rewrite !inE orbb.
Qed.

Example shift_computes (v : 'rV[rat]_2) : v *m shift 2 = row_mx 0 v.
Proof. by rewrite /shift mul_mx_row mulmx0 mulmx1. Qed.

(** * The refutations *)

(** The plane of the points (1, a, 0) holds (1, 5, 0), not (0, 0, 1), and is a printed candidate with the points a = 0, 1, 2. *)
Example flat_plane_computes : (flat_point (5%:R : rat) <= flat_plane (rat : fieldType))%MS /\
  ~~ (top (rat : fieldType) <= flat_plane (rat : fieldType))%MS.
Proof. by rewrite flat_in_plane top_not_flat. Qed.

Example flat_label_computes :
  flat_label (rat : fieldType) \in printed_candidates 2 (with_top (fun i : 'I_3 => i%:R : rat)).
Proof.
rewrite with_candidates3 ?inE ?eqxx ?orbT // => i j /eqP; rewrite eqr_nat => /eqP; exact: val_inj.
Qed.
