(* The integer noises, the sparse histogram and the exponential mechanism, computed on small cases. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import discrete.
From DPPCA.primitives Require Import truncated_laplace geometric_noise sparse_histogram exponential_mechanism.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Truncated Laplace noise, ratio 2, on -1..1: masses 1/4, 1/2, 1/4. *)
Example absdiff_5 : absdiff 2 7 = 5%N /\ absdiff 7 2 = 5%N. Proof. by []. Qed.

Example total_1 : total (2%:R : rat) 1 = 2%:R.
Proof. by rewrite (@total_closed _ (2%:R : rat) 1 isT). Qed.

Example tlap_centre (y : 'I_2.+1) : y = 1%N :> nat -> @tlap _ (2%:R : rat) 1 0 0 y = 1 / 2%:R.
Proof. by move=> e; rewrite /tlap e total_1. Qed.

Example tlap_delta_1 : tlap_delta (2%:R : rat) 1 1 = 1 / 4%:R. Proof. by apply/eqP; vm_compute. Qed.

Example tlap_delta_2_of_3 : tlap_delta (2%:R : rat) 3 2 = 3%:R / 22%:R. Proof. by apply/eqP; vm_compute. Qed.

Example tlap_vector_on_one_count : mechanism_dp ((2%:R : rat) ^+ 1) (1 / 4%:R) (@l1_close (unit : finType) 1 1)
  (@tlap_vector _ (2%:R : rat) 1 (unit : finType) 1).
Proof. exact: (@tlap_vector_dp _ (2%:R : rat) 1 isT (unit : finType) 1 1 isT). Qed.

(* Geometric noise, ratio 2: 1/3 at 0, 1/6 at 1 and at -1; clamped to 0..2. *)
Example geometric_0 : geometric_mass (2%:R : rat) 0 = 1 / 3%:R. Proof. by apply/eqP; vm_compute. Qed.
Example geometric_tail_2 : geometric_tail (2%:R : rat) 2 = 1 / 6%:R. Proof. by apply/eqP; vm_compute. Qed.
Example clamped_0 : @clamped_geometric _ (2%:R : rat) 2 0 ord0 = 2%:R / 3%:R. Proof. by apply/eqP; vm_compute. Qed.
Example clamped_1 : @clamped_geometric _ (2%:R : rat) 2 0 (lift ord0 ord0) = 1 / 6%:R. Proof. by apply/eqP; vm_compute. Qed.

(* The sparse histogram with that noise, one item, two cells, threshold 1: an item alone is shown with probability 1/3. *)
Example sparse_exact d : mechanism_dp ((2%:R : rat) ^+ 2) d (@one_replaced 1 (bool : finType))
  (sparse_histogram ord0 (@geometric_release _ (2%:R : rat) 2 1)) <-> 1 / 3%:R <= d.
Proof. by have := @geometric_sparse_histogram _ (2%:R : rat) 1 2 1 (bool : finType) isT isT isT isT true false d isT isT. Qed.

Example stable_geometric : stable_release 1 2%:R (@geometric_release _ (2%:R : rat) 2 1) /\
  shown_alone ord0 (@geometric_release _ (2%:R : rat) 2 1) = 1 / 3%:R.
Proof. by split; [exact: geometric_release_stable | rewrite geometric_shown_alone]. Qed.

Example count_example : count [ffun m : 'I_3 => m != ord0] true = 2%N.
Proof.
rewrite /count (_ : [set m | _] = [set lift ord0 ord0; ord_max]).
  by rewrite cards2.
by apply/setP => m; rewrite !inE ffunE; case: m => [[|[|[|]]]].
Qed.

(* The exponential mechanism: scores 0 and 1, r = 2. *)
Definition score (x s : bool) : nat := (x == s).
Example exponential_value : exponential 2%:R score true true = 2%:R / 3%:R :> rat.
Proof. by apply/eqP; rewrite /exponential /by_weight big_bool; vm_compute. Qed.

Example score_sensitivity : sensitivity1 (fun _ _ : bool => True) score.
Proof. by move=> x x' _ s; case: x; case: x'; case: s. Qed.

Example exponential_private : mechanism_dp ((2%:R : rat) ^+ 2) 0 (fun _ _ => True) (exponential 2%:R score).
Proof. exact: (exponential_dp true _ score_sensitivity). Qed.
