(** The computations of singhal2021, Algorithm 1 and section 2.3, as programs on lists of integers.

    A dataset is a list of points with integer coordinates in d dimensions; a subspace is given by a list of points
    that span it. subspace_programs_correct.v proves that these programs compute the scores and values of the theorems;
    tests/test_formal_models.py extracts them to OCaml and compares them with reference/singhal2021. *)

From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(** * The programs *)

Definition point := seq Z.

Definition entry (v : point) (j : nat) : Z := nth Z0 v j.

(** One step of elimination: v without its first coordinate, after a multiple of the pivot p has made it 0. *)
Definition eliminate (d : nat) (p v : point) : point :=
  mkseq (fun j => Z.sub (Z.mul (entry p 0) (entry v j.+1)) (Z.mul (entry v 0) (entry p j.+1))) d.

(** The rank of a list of points. *)
Fixpoint rank (d : nat) (l : seq point) : nat :=
  if d is d'.+1 then
    match [seq v <- l | negb (Z.eqb (entry v 0) Z0)] with
    | [::] => rank d' [seq behead v | v <- l]
    | p :: _ => (rank d' [seq eliminate d' p v | v <- l]).+1
    end
  else 0.

(** x lies in the span of T; the spans of T and T' are equal. *)
Definition member (d : nat) (T : seq point) (x : point) : bool := rank d (x :: T) == rank d T.
Definition same_span (d : nat) (T T' : seq point) : bool := all (member d T) T' && all (member d T') T.

(** All sublists of length k, in the order of itertools.combinations. *)
Fixpoint combinations (A : Type) (k : nat) (l : seq A) : seq (seq A) :=
  match k, l with
  | 0, _ => [:: [::]]
  | _, [::] => [::]
  | k'.+1, x :: l' => [seq x :: Q0 | Q0 <- combinations k' l'] ++ combinations k l'
  end.

(** u(X, s) for the span s of T: points in s, minus the most that the span of dim(s) - 1 of them holds. *)
Definition score_program (d : nat) (l : seq point) (T : seq point) : nat :=
  let inside := [seq x <- l | member d T x] in
  let k := rank d T in
  if k == 0 then size inside
  else if rank d inside < k then 0
  else size inside - foldr maxn 0 [seq count (member d Q0) inside | Q0 <- combinations k.-1 inside].

(** Lines 3-8 for a list of subsets of the points: those that are independent, one for each span, with their scores. *)
Definition independent (d : nat) (T : seq point) : bool := rank d T == size T.
Fixpoint first_of_each (d : nat) (seen : seq (seq point)) (Ts : seq (seq point)) : seq (seq point) :=
  if Ts is T :: Ts' then
    if has (same_span d T) seen then first_of_each d seen Ts' else T :: first_of_each d (T :: seen) Ts'
  else [::].
Definition candidates_program (d : nat) (subsets : seq (seq point)) : seq (seq point) :=
  first_of_each d [::] [seq T <- subsets | independent d T].
Definition scores_program (d : nat) (l : seq point) (subsets : seq (seq point)) : seq (seq point * nat) :=
  [seq (T, score_program d l T) | T <- candidates_program d subsets].

(** Line 3: all subsets of size k; section 2.3: of sizes 1 to k_max. *)
Definition subsets_of_sizes (ks : seq nat) (l : seq point) : seq (seq point) := flatten [seq combinations k l | k <- ks].

(** Line 6: the number (from 1) of the last independent subset that spans the same as T; its draw is the one that counts. *)
Fixpoint last_such (P : pred (seq point)) (number last : nat) (Ts : seq (seq point)) : nat :=
  if Ts is T :: Ts' then last_such P number.+1 (if P T then number else last) Ts' else last.
Definition owner_program (d : nat) (subsets : seq (seq point)) (T : seq point) : nat :=
  last_such (fun Q0 => independent d Q0 && same_span d T Q0) 1 0 subsets.

(** Lines 9-11: the values, and the winner: 0 for NULL, else the number (from 1) of the candidate. *)
Definition values_program (floor : nat) (scores : seq nat) : seq nat :=
  let second := nth 0 (sort geq scores) 1 in [seq u - maxn second floor - 1 | u <- scores].
Fixpoint winner_program (best : nat) (largest : Z) (number : nat) (noisy : seq Z) : nat :=
  if noisy is x :: noisy' then
    if Z.ltb largest x then winner_program number x number.+1 noisy' else winner_program best largest number.+1 noisy'
  else best.

(** Section 2.3: SCORE(1), ..., SCORE(k_max). *)
Definition dimension_scores_program (d k_max : nat) (l : seq point) : seq nat :=
  [seq foldr maxn 0 [seq e.2 | e <- scores_program d l (combinations k l)] | k <- iota 1 k_max].

(** * The programs compute *)

Delimit Scope Z_scope with z.

(** Four points of the plane: two on the line of (1, 2), one zero, one on another line. *)
Definition example_points : seq point := [:: [:: 1; 2]; [:: 2; 4]; [:: 0; 0]; [:: 1; 0]]%z.

Example rank_computes : rank 2 example_points = 2%N. Proof. by vm_compute. Qed.

Example member_computes : [seq member 2 [:: [:: 1; 2]%z] x | x <- example_points] = [:: true; true; true; false].
Proof. by vm_compute. Qed.

Example combinations_compute :
  combinations 2 [:: 1; 2; 3]%N = [:: [:: 1; 2]; [:: 1; 3]; [:: 2; 3]]%N.
Proof. by vm_compute. Qed.

(** The line of (1, 2) holds three points, of which {0} holds one; the whole plane holds four, of which a line holds three. *)
Example score_computes : score_program 2 example_points [:: [:: 1; 2]%z] = 2%N. Proof. by vm_compute. Qed.
Example score_of_plane : score_program 2 example_points [:: [:: 1; 2]; [:: 1; 0]]%z = 1%N. Proof. by vm_compute. Qed.
Example score_of_zero : score_program 2 example_points [::] = 1%N. Proof. by vm_compute. Qed.

Example scores_compute :
  scores_program 2 example_points (combinations 1 example_points) = [:: ([:: [:: 1; 2]], 2%N); ([:: [:: 1; 0]], 1%N)]%z.
Proof. by vm_compute. Qed.

Example owner_computes :
  owner_program 2 (subsets_of_sizes [:: 1; 2]%N example_points) [:: [:: 1; 2]%z] = 2%N /\
  owner_program 2 (subsets_of_sizes [:: 1; 2]%N example_points) [:: [:: 1; 2]; [:: 1; 0]]%z = 9%N.
Proof. by vm_compute. Qed.

Example dimension_scores_compute : dimension_scores_program 2 2 example_points = [:: 2; 1]%N.
Proof. by vm_compute. Qed.

Example winner_computes :
  [:: winner_program 0 5%z 1 [:: 3; 7; 7]%z; winner_program 0 7%z 1 [:: 3; 7; 7]%z; winner_program 0 0%z 1 [::]] = [:: 2; 0; 0]%N.
Proof. by vm_compute. Qed.

Example values_compute : values_program 0 [:: 3; 9; 5]%N = [:: 0; 3; 0]%N. Proof. by vm_compute. Qed.
