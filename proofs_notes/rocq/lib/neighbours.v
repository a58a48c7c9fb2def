(* Neighbours: data sets that differ in one record. A data set gives a record for each place i = 0, 1, 2, ...; a replaced
   record changes the value at one place, a removed one moves all that follow. *)
From mathcomp Require Import all_ssreflect.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(* Two data sets that differ at the place i0 only. *)
Definition differ_at (T : Type) i0 (x x' : nat -> T) := forall i, i != i0 -> x i = x' i.
(* The data set without its first record: every later one moves up by a place. *)
Definition without_first (T : Type) (x : nat -> T) i := x i.+1.

(* Neighbours: the records are x 0, x 1, ..., and one is replaced. Their number is public. *)
Definition replace_one (G : Type) (x x' : nat -> G) := exists i0, differ_at i0 x x'.

Lemma replace_one_sym (G : Type) (x x' : nat -> G) : replace_one x x' -> replace_one x' x.
Proof. by case=> i0 same; exists i0 => i ne; rewrite same. Qed.

Lemma differ_at_sym (G : Type) i0 (x x' : nat -> G) : differ_at i0 x x' -> differ_at i0 x' x.
Proof. by move=> same i ne; rewrite same. Qed.

(* The definitions compute. *)
Example differ_at_holds : differ_at 4 (fun=> 0) (fun i => nat_of_bool (i == 4)).
Proof. by move=> i /negPf ->. Qed.
Example replace_one_holds : replace_one (fun=> 0) (fun i => nat_of_bool (i == 4)).
Proof. by exists 4; apply: differ_at_holds. Qed.
Example without_first_computes : without_first id 3 = 4. Proof. by []. Qed.
