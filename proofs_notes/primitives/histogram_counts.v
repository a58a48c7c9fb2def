(* Counts of a histogram, and what they change by when one item is replaced. *)
From mathcomp Require Import all_ssreflect.
From mathcomp.zify Require Import zify.
From DPPCA.lib Require Import neighbours.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

Section Histogram.
Variable T : eqType.
Implicit Types (f : nat -> T) (cell : T).

(* How many of the first k items lie in a cell. *)
Definition cell_count k f cell := count_mem cell (mkseq f k).
(* The sum over the cells of the absolute changes of their counts. *)
Definition l1_change k f f' cells :=
  sumn [seq (cell_count k f c - cell_count k f' c) + (cell_count k f' c - cell_count k f c) | c <- cells].

Lemma cell_count_at k f i0 cell : i0 < k ->
  cell_count k f cell = (f i0 == cell) + \sum_(i <- iota 0 k | i != i0) (f i == cell).
Proof.
move=> lt; have -> : cell_count k f cell = \sum_(i <- iota 0 k) (f i == cell).
  by rewrite /cell_count -sum1_count big_map [LHS]big_mkcond; apply: eq_bigr => i _ /=; case: eqP.
by rewrite (bigD1_seq i0) ?iota_uniq // mem_iota.
Qed.

Lemma cell_count_other k f f' i0 cell : differ_at i0 f f' -> i0 < k ->
  cell_count k f cell + (f' i0 == cell) = cell_count k f' cell + (f i0 == cell).
Proof.
move=> same lt; rewrite !(cell_count_at _ _ lt) (eq_bigr (fun i => (f' i == cell) : nat)) => [|i ne]; first by lia.
by rewrite same.
Qed.

Lemma cell_count_unused k f f' i0 cell : differ_at i0 f f' -> k <= i0 -> cell_count k f cell = cell_count k f' cell.
Proof.
move=> same le; congr (count_mem cell _); apply/eq_in_map => i; rewrite mem_iota => lt.
by apply: same; lia.
Qed.

Lemma cell_sum (x : T) cells : uniq cells -> \sum_(c <- cells) (x == c) = (x \in cells).
Proof.
move=> uc; rewrite -count_uniq_mem // -sum1_count [RHS]big_mkcond.
by apply: eq_bigr => c _ /=; rewrite eq_sym; case: eqP.
Qed.

(* primitives.sparse-histogram (REPLACE_ONE_SENSITIVITY): a replaced item changes the counts by 2 in all *)
Theorem histogram_sensitivity k f f' i0 cells : differ_at i0 f f' -> uniq cells -> l1_change k f f' cells <= 2.
Proof.
move=> same uc; have [lt|le] := ltnP i0 k; last first.
  by rewrite /l1_change sumnE big_map big1 // => c _; rewrite (cell_count_unused _ same le); lia.
rewrite /l1_change sumnE big_map; apply: leq_trans (_ : \sum_(c <- cells) ((f i0 == c) + (f' i0 == c)) <= 2).
  by apply: leq_sum => c _; have := cell_count_other c same lt; lia.
by rewrite big_split /= !cell_sum //; do 2 case: (_ \in _).
Qed.

(* Two cells change at most, each count by at most 1. *)
Theorem count_sensitivity k f f' i0 cell : differ_at i0 f f' ->
  cell_count k f cell <= (cell_count k f' cell).+1 /\ (cell_count k f cell != cell_count k f' cell ->
  cell = f i0 \/ cell = f' i0).
Proof.
move=> same; have [lt|le] := ltnP i0 k; last by rewrite (cell_count_unused _ same le) eqxx.
have := cell_count_other cell same lt; case: (f i0 =P cell) => [->|_]; case: (f' i0 =P cell) => [->|_] /= e.
- by split=> [|_]; [lia | left].
- by split=> [|_]; [lia | left].
- by split=> [|_]; [lia | right].
- by split=> [|/eqP]; lia.
Qed.

(* Reached by every item that moves to another cell. *)
Theorem histogram_sensitivity_reached k f f' i0 cells : differ_at i0 f f' -> i0 < k -> f i0 != f' i0 ->
  uniq cells -> f i0 \in cells -> f' i0 \in cells -> l1_change k f f' cells = 2.
Proof.
move=> same lt /eqP ne uc fin f'in.
rewrite /l1_change sumnE big_map (eq_bigr (fun c => (f i0 == c) + (f' i0 == c))) => [|c _]; first by rewrite big_split /= !cell_sum // fin f'in.
by have := cell_count_other c same lt; case: eqP => e; case: eqP => e' /=; [congruence | lia | lia | lia].
Qed.
End Histogram.

(* The definitions compute. *)
Example cell_count_computes : cell_count 5 (nth 0 [:: 3; 1; 3; 3; 2]) 3 = 3. Proof. by []. Qed.
Example l1_change_computes : l1_change 3 (nth 0 [:: 3; 1; 3]) (nth 0 [:: 3; 1; 1]) [:: 1; 2; 3] = 2.
Proof. by []. Qed.
