(* The definitions of discrete.v, computed on small cases, and premises that are met. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import discrete.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Randomised response: the true bit with probability 3/4. *)
Definition response (x y : bool) : rat := if x == y then 3%:R / 4%:R else 1 / 4%:R.

Example response_law x : law (response x).
Proof. by split=> [y|]; [case: x; case: y; vm_compute | apply/eqP; rewrite big_bool; case: x; vm_compute]. Qed.

Example response_hockey_stick : hockey_stick 3%:R (response true) (response false) = 0.
Proof. by apply/eqP; rewrite /hockey_stick big_bool; vm_compute. Qed.

Example response_hockey_stick_1 : hockey_stick 1 (response true) (response false) = 1 / 2%:R.
Proof. by apply/eqP; rewrite /hockey_stick big_bool; vm_compute. Qed.

Example response_hockey_stick_2 : hockey_stick 2%:R (response true) (response false) = 1 / 4%:R.
Proof. by apply/eqP; rewrite /hockey_stick big_bool; vm_compute. Qed.

Example response_pr : pr (response true) [set true] = 3%:R / 4%:R.
Proof. by apply/eqP; rewrite /pr big_set1; vm_compute. Qed.

Example response_not_private : ~ dp 2%:R (1 / 5%:R) (response true) (response false).
Proof. by move/dp_hockey_stick; rewrite response_hockey_stick_2; vm_compute. Qed.

Example response_mechanism : mechanism_dp 3%:R 0 (fun _ _ => True) response.
Proof. by move=> x y _; split; apply/dp_pure => z; case: x; case: y; case: z; vm_compute. Qed.

(* Two releases of the same bit, the second with a kernel that ignores the first. *)
Example response_joint : joint (response true) (fun=> response true) (true, false) = 3%:R / 16%:R.
Proof. by apply/eqP; vm_compute. Qed.

Example response_bind : bind (response true) response true = 10%:R / 16%:R.
Proof. by apply/eqP; rewrite /bind big_bool; vm_compute. Qed.

Example response_push : push negb (response true) false = 3%:R / 4%:R.
Proof. by apply/eqP; rewrite /push (big_pred1 true) => [|[]//]; vm_compute. Qed.

Example response_dirac : dirac _ true false = 0 :> rat.
Proof. by []. Qed.

Example response_mixture : mixture (fun _ : bool => 1 / 2%:R) response true = 1 / 2%:R.
Proof. by apply/eqP; rewrite /mixture big_bool; vm_compute. Qed.

Example response_mean : mean (response true) (fun y => if y then 2%:R else 0) = 3%:R / 2%:R.
Proof. by apply/eqP; rewrite /mean big_bool; vm_compute. Qed.

Example response_product : product response [ffun x => x] = 9%:R / 16%:R.
Proof. by apply/eqP; rewrite /product big_bool !ffunE; vm_compute. Qed.

(* The second release repeats the first answer with probability 3/4. *)
Example response_transcript : transcript 2 (fun s => response (head true s)) [tuple true; false] = 3%:R / 16%:R.
Proof. by apply/eqP; rewrite /transcript !big_ord_recl big_ord0; vm_compute. Qed.

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
Proof. by split=> [[y|]|]; [case: b; vm_compute | case: b; vm_compute | apply/eqP; rewrite sum_option_unit; case: b; vm_compute]. Qed.

Example leaky_bad_set : dp 1 (1 / 10%:R) (leaky true) (leaky false).
Proof.
apply: (@dp_bad_set _ _ _ _ _ _ [set None]) => //; try exact: leaky_law; first by move=> [y|]; rewrite ?inE.
by rewrite /pr big_set1; vm_compute.
Qed.

Example leaky_exact : hockey_stick 1 (leaky true) (leaky false) = 1 / 10%:R.
Proof. by apply/eqP; rewrite /hockey_stick sum_option_unit; vm_compute. Qed.
