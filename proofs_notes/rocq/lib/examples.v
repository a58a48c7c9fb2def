(* The definitions of lib/discrete.v and of the integer noises, computed on small cases, and premises that are met. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import discrete.
From DPPCA Require Import primitives_truncated_laplace primitives_geometric primitives_sparse_histogram.
From DPPCA Require Import primitives_exponential.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Randomised response: the true bit with probability 3/4. *)
Definition response (x y : bool) : rat := if x == y then 3%:R / 4%:R else 1 / 4%:R.

Example response_law x : law (response x).
Proof. by split=> [y|]; [case: x; case: y | rewrite big_bool; case: x]. Qed.

Example response_hockey_stick : hockey_stick 3%:R (response true) (response false) = 0.
Proof. by rewrite /hockey_stick big_bool. Qed.

Example response_hockey_stick_1 : hockey_stick 1 (response true) (response false) = 1 / 2%:R.
Proof. by rewrite /hockey_stick big_bool. Qed.

Example response_hockey_stick_2 : hockey_stick 2%:R (response true) (response false) = 1 / 4%:R.
Proof. by rewrite /hockey_stick big_bool. Qed.

Example response_pr : pr (response true) [set true] = 3%:R / 4%:R.
Proof. by rewrite /pr big_set1. Qed.

Example response_not_private : ~ dp 2%:R (1 / 5%:R) (response true) (response false).
Proof. by move/dp_hockey_stick; rewrite response_hockey_stick_2. Qed.

Example response_mechanism : mechanism_dp 3%:R 0 (fun _ _ => True) response.
Proof. by move=> x y _; split; apply/dp_pure => z; case: x; case: y; case: z. Qed.

(* Two releases of the same bit, the second with a kernel that ignores the first. *)
Example response_joint : joint (response true) (fun=> response true) (true, false) = 3%:R / 16%:R.
Proof. by []. Qed.

Example response_bind : bind (response true) response true = 10%:R / 16%:R.
Proof. by rewrite /bind big_bool. Qed.

Example response_push : push negb (response true) false = 3%:R / 4%:R.
Proof. by rewrite /push (big_pred1 true) // => x; case: x. Qed.

Example response_dirac : dirac _ true false = 0 :> rat.
Proof. by []. Qed.

Example response_mixture : mixture (fun _ : bool => 1 / 2%:R) response true = 1 / 2%:R.
Proof. by rewrite /mixture big_bool. Qed.

Example response_mean : mean (response true) (fun y => if y then 2%:R else 0) = 3%:R / 2%:R.
Proof. by rewrite /mean big_bool. Qed.

Example response_product : product response [ffun x => x] = 9%:R / 16%:R.
Proof. by rewrite /product big_bool !ffunE. Qed.

(* The second release repeats the first answer with probability 3/4. *)
Example response_transcript : transcript 2 (fun s => response (head true s)) [tuple true; false] = 3%:R / 16%:R.
Proof. by rewrite /transcript !big_ord_recl big_ord0. Qed.

Example response_twice : dp (3%:R * 3%:R) (0 + 0) (joint (response true) (fun=> response true))
  (joint (response false) (fun=> response false)).
Proof.
have [H _] := @response_mechanism true false I.
by apply: dp_adaptive_composition => //; try exact: response_law; move=> x; apply: response_law.
Qed.

(* The two data sets are one step apart. *)
Example distance_1 : distance (fun x y : bool => x != y) 1 true false.
Proof. by apply: DistanceS (Distance0 _ _). Qed.

Example response_group : dp (3%:R ^+ 1) (0 * \sum_(i < 1) 3%:R ^+ i) (response true) (response false).
Proof.
apply: (mechanism_group_privacy (neighbours := fun x y : bool => x != y)) distance_1 => //.
  exact: response_law.
by move=> x y _; apply: response_mechanism.
Qed.

(* A law with a bad outcome: ratio 1 except on [None], which has probability 1/10. *)
Definition leaky (b : bool) (y : option unit) : rat :=
  if y is None then (if b then 1 / 10%:R else 0) else (if b then 9%:R / 10%:R else 1).

Lemma sum_option_unit (F : option unit -> rat) : \sum_y F y = F None + F (Some tt).
Proof.
rewrite (bigD1 None) //= (big_pred1 (Some tt)) // => y.
by case: y => [[]|].
Qed.

Example leaky_law b : law (leaky b).
Proof. by split=> [[y|]|]; [case: b | case: b | rewrite sum_option_unit; case: b]. Qed.

Example leaky_bad_set : dp 1 (1 / 10%:R) (leaky true) (leaky false).
Proof.
apply: (@dp_bad_set _ _ _ _ _ _ [set None]) => //; try exact: leaky_law; first by move=> [y|]; rewrite ?inE.
by rewrite /pr big_set1.
Qed.

Example leaky_exact : hockey_stick 1 (leaky true) (leaky false) = 1 / 10%:R.
Proof. by rewrite /hockey_stick sum_option_unit. Qed.

(* Truncated Laplace noise, ratio 2, on -1..1: masses 1/4, 1/2, 1/4. *)
Example absdiff_5 : absdiff 2 7 = 5%N /\ absdiff 7 2 = 5%N. Proof. by []. Qed.

Example total_1 : total (2%:R : rat) 1 = 2%:R.
Proof. by rewrite (@total_closed _ (2%:R : rat) 1 isT). Qed.

Example tlap_centre (y : 'I_2.+1) : y = 1%N :> nat -> @tlap _ (2%:R : rat) 1 0 0 y = 1 / 2%:R.
Proof. by move=> e; rewrite /tlap e total_1. Qed.

Example tlap_delta_1 : tlap_delta (2%:R : rat) 1 1 = 1 / 4%:R. Proof. by []. Qed.

Example tlap_delta_2_of_3 : tlap_delta (2%:R : rat) 3 2 = 3%:R / 22%:R. Proof. by []. Qed.

Example tlap_vector_on_one_count : mechanism_dp ((2%:R : rat) ^+ 1) (1 / 4%:R) (@l1_close [finType of unit] 1 1)
  (@tlap_vector _ (2%:R : rat) 1 [finType of unit] 1).
Proof. exact: (@tlap_vector_dp _ (2%:R : rat) 1 isT [finType of unit] 1 1 isT). Qed.

(* Geometric noise, ratio 2: 1/3 at 0, 1/6 at 1 and at -1; clamped to 0..2. *)
Example geometric_0 : geometric_mass (2%:R : rat) 0 = 1 / 3%:R. Proof. by []. Qed.
Example geometric_tail_2 : geometric_tail (2%:R : rat) 2 = 1 / 6%:R. Proof. by []. Qed.
Example clamped_0 : @clamped_geometric _ (2%:R : rat) 2 0 ord0 = 2%:R / 3%:R. Proof. by []. Qed.
Example clamped_1 : @clamped_geometric _ (2%:R : rat) 2 0 (lift ord0 ord0) = 1 / 6%:R. Proof. by []. Qed.

(* The sparse histogram with that noise, one item, two cells, threshold 1: an item alone is shown with probability 1/3. *)
Example sparse_exact d : mechanism_dp ((2%:R : rat) ^+ 2) d (@one_replaced 1 [finType of bool])
  (sparse_histogram ord0 (@geometric_release _ (2%:R : rat) 2 1)) <-> 1 / 3%:R <= d.
Proof. by have := @geometric_sparse_histogram _ (2%:R : rat) 1 2 1 [finType of bool] isT isT isT isT true false d isT isT. Qed.

Example count_example : count [ffun m : 'I_3 => m != ord0] true = 2%N.
Proof.
rewrite /count (_ : [set m | _] = [set lift ord0 ord0; ord_max]).
  by rewrite cards2.
by apply/setP => m; rewrite !inE ffunE; case: m => [[|[|[|]]]].
Qed.

(* The exponential mechanism: scores 0 and 1, r = 2. *)
Definition score (x s : bool) : nat := (x == s).
Example exponential_value : exponential 2%:R score true true = 2%:R / 3%:R :> rat.
Proof. by rewrite /exponential /by_weight big_bool. Qed.

Example score_sensitivity : sensitivity1 (fun _ _ : bool => True) score.
Proof. by move=> x x' _ s; case: x; case: x'; case: s. Qed.

Example exponential_private : mechanism_dp ((2%:R : rat) ^+ 2) 0 (fun _ _ => True) (exponential 2%:R score).
Proof. exact: (exponential_dp true _ score_sensitivity). Qed.
