(** Counts, pairs, batches, truncation and the shown lead as programs on lists of integers.

    A cell is a list of integers. Real numbers come as integers: numerators over one common denominator, the [unit].
    counting_programs_correct.v proves that these programs compute what the models of liu2022 and of singhal2021 say;
    tests/test_formal_models.py extracts them to OCaml and compares them with the reference. *)

From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(** * Histograms *)

Definition cell := seq Z.
Definition same_cell (c c' : cell) : bool := all2 Z.eqb c c'.

(** The lexicographic order of cells of one length. *)
Fixpoint before (c c' : cell) : bool :=
  match c, c' with
  | x :: q, y :: q' => Z.ltb x y || Z.eqb x y && before q q'
  | [::], _ => true
  | _, [::] => false
  end.

(** The different cells of a list of items, each once; in their order. *)
Fixpoint distinct (l : seq cell) : seq cell :=
  if l is c :: l' then if has (same_cell c) l' then distinct l' else c :: distinct l' else [::].
Definition found_program (l : seq cell) : seq cell := sort before (distinct l).

Definition count_program (l : seq cell) (c : cell) : nat := count (same_cell c) l.

(** The cells with their noisy counts, times the unit; a cell has the noise of its first item. Then those above the
    threshold, which a sparse histogram shows. *)
Definition noisy_program (unit : Z) (noise : seq Z) (l : seq cell) : seq (cell * Z) :=
  [seq (c, Z.add (Z.mul unit (Z.of_nat (count_program l c))) (nth Z0 noise (find (same_cell c) l))) | c <- found_program l].
Definition shown_program (unit threshold : Z) (noise : seq Z) (l : seq cell) : seq (cell * Z) :=
  [seq e <- noisy_program unit noise l | Z.ltb threshold e.2].

(** The first of the shown cells with the largest noisy count. *)
Definition larger (e f : cell * Z) : cell * Z := if Z.ltb e.2 f.2 then f else e.
Definition largest_program (shown : seq (cell * Z)) : option cell :=
  if shown is e :: shown' then Some (foldl larger e shown').1 else None.

(** * The lead, and the threshold form of GAP-MAX *)

Definition counts_program (l : seq cell) : seq nat := sort geq [seq count_program l c | c <- found_program l].
Definition lead_program (l : seq cell) : nat := nth 0 (counts_program l) 0 - nth 0 (counts_program l) 1 - 1.
Definition leading_program (l : seq cell) : option cell :=
  ohead [seq c <- found_program l | count_program l c == nth 0 (counts_program l) 0].

(** value + noise > bound, all times the unit. *)
Definition exceeds_program (unit bound noise : Z) (value : nat) : bool :=
  Z.ltb bound (Z.add (Z.mul unit (Z.of_nat value)) noise).

(** The place (from 1) of the first positive value if that exceeds the bound with its noise, 0 for NULL. *)
Definition threshold_program (unit bound noise : Z) (values : seq nat) : nat :=
  let i := find (leq 1) values in
  if (i < size values) && exceeds_program unit bound noise (nth 0 values i) then i.+1 else 0.

(** * Who meets whom: pairs and subsets, batches and halves *)

Section Lists.
Variables (A U : Type).

Fixpoint pairs_program (difference : A -> A -> U) (l : seq A) : seq U :=
  if l is x :: l1 then if l1 is y :: l2 then difference x y :: pairs_program difference l2 else [::] else [::].
(** k subsets of b differences. *)
Definition subsets_program (difference : A -> A -> U) (k b : nat) (l : seq A) : seq (seq U) :=
  reshape (nseq k b) (pairs_program difference l).

(** t batches of B items, and the halves of a batch. *)
Definition batches_program (t B : nat) (l : seq A) : seq (seq A) := reshape (nseq t B) l.
Definition halves_program (batch : seq A) : seq A * seq A :=
  let half := (size batch)./2 in (take half batch, take half (drop half batch)).
End Lists.

(** y - x, entry by entry. *)
Definition difference_program (x y : seq Z) : seq Z := [seq Z.sub e.2 e.1 | e <- zip x y].

(** * Truncation *)

Definition truncate_program (radius x : Z) : Z := Z.max (Z.opp radius) (Z.min x radius).
Definition sum_program (l : seq Z) : Z := foldr Z.add Z0 l.

(** B times the truncated mean of one coordinate: the gradients' entries l, truncated around the centre. *)
Definition truncated_sum_program (radius centre : Z) (l : seq Z) : Z :=
  sum_program [seq truncate_program radius (Z.sub x centre) | x <- l].

(** m times the score of the search: numbers clipped to [0, ceiling]. *)
Definition score_sum_program (ceiling : Z) (l : seq Z) : Z := sum_program [seq Z.max Z0 (Z.min x ceiling) | x <- l].

(** clip_beta of a vector whose norm is an integer: numerators over a denominator. *)
Definition clip_program (beta norm : Z) (g : seq Z) : seq Z * Z :=
  if Z.leb norm beta then (g, Zpos xH) else ([seq Z.mul beta x | x <- g], norm).

(** The bin (i tau, (i + 1) tau] of x. *)
Definition bin_program (tau x : Z) : Z := Z.sub (Z.opp (Z.div (Z.opp x) tau)) (Zpos xH).

(** * The programs compute *)

Delimit Scope Z_scope with z.

Definition example_cells : seq cell := [:: [:: 2; 0]; [:: 1; 5]; [:: 2; 0]; [:: 1; 3]; [:: 2; 0]]%z.

Example found_computes : found_program example_cells = [:: [:: 1; 3]; [:: 1; 5]; [:: 2; 0]]%z.
Proof. by vm_compute. Qed.

Example counts_compute : counts_program example_cells = [:: 3; 1; 1]%N /\ lead_program example_cells = 1%N.
Proof. by vm_compute. Qed.

Example leading_computes : leading_program example_cells = Some [:: 2; 0]%z. Proof. by vm_compute. Qed.

(** Noise 1/2, 3, 0, 1, 9, in halves; of the cell (2, 0) it is the first that counts. *)
Example shown_computes : let noise := [:: 1; 6; 0; 2; 18]%z in
  shown_program 2 5 noise example_cells = [:: ([:: 1; 5], 8); ([:: 2; 0], 7)]%z /\
  largest_program (shown_program 2 5 noise example_cells) = Some [:: 1; 5]%z /\
  largest_program (shown_program 2 8 noise example_cells) = None.
Proof. by vm_compute. Qed.

Example threshold_computes :
  [:: threshold_program 2 5 0 [:: 0; 0; 3]%N; threshold_program 2 6 0 [:: 0; 0; 3]%N; threshold_program 2 5 0 [::]] =
  [:: 3; 0; 0]%N.
Proof. by vm_compute. Qed.

Example subsets_compute :
  subsets_program difference_program 2 1 [:: [:: 1]; [:: 5]; [:: 2]; [:: 2]; [:: 7]; [:: 8]]%z =
  [:: [:: [:: 4]]; [:: [:: 0]]]%z.
Proof. by vm_compute. Qed.

Example batches_compute :
  [seq halves_program q | q <- batches_program 2 3 (iota 0 8)] = [:: ([:: 0], [:: 1]); ([:: 3], [:: 4])]%N.
Proof. by vm_compute. Qed.

Example truncated_sum_computes : truncated_sum_program 2 10 [:: 5; 9; 10; 20]%z = (-1)%z. Proof. by vm_compute. Qed.
Example clip_computes : clip_program 2 5 [:: 3; 4]%z = ([:: 6; 8], 5)%z /\ clip_program 7 5 [:: 3; 4]%z = ([:: 3; 4], 1)%z.
Proof. by vm_compute. Qed.
Example score_sum_computes : score_sum_program 2 [:: -5; 1; 7]%z = 3%z. Proof. by vm_compute. Qed.
Example bins_compute : [seq bin_program 4 x | x <- [:: 0; 1; 4; 5; -3; -4]]%z = [:: -1; 0; 0; 1; -1; -2]%z.
Proof. by vm_compute. Qed.
