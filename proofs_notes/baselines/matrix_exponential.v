(* The score tr(V^T X^T X V) of an orthonormal (d, k) matrix V, by which the matrix exponential mechanism draws all k directions
   at once, and what a row moves it by. *)
From mathcomp Require Import all_ssreflect all_algebra.
From DPPCA.lib Require Import squared_norms.
From DPPCA.primitives Require Import row_changes.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* The score, and what it changes by when a row is replaced. *)
Section Directions.
Variables (R : realFieldType) (n d k : nat).
Implicit Types (X : 'M[R]_(n, d)) (V : 'M[R]_(d, k)).

Definition directions_score X V := \tr (V^T *m gram X *m V).

Lemma directions_score_rows X V : directions_score X V = \sum_i sqnorm (row i X *m V).
Proof.
rewrite /directions_score gram_sum mulmx_sumr mulmx_suml raddf_sum; apply: eq_bigr => i _.
by rewrite /outer /sqnorm dotE trmx_mul -mulmxA mxtrace_mulC !mulmxA -[X in _ = X]mxtrace_tr !trmx_mul !trmxK !mulmxA.
Qed.

(* chaudhuri2013.matrix-sensitivity: 1, whatever k is *)
Theorem directions_replaced X X' V : replaced X X' -> orthonormal V -> `|directions_score X V - directions_score X' V| <= 1.
Proof.
case=> uX uX' [i0 same] oV; rewrite !directions_score_rows (bigD1 i0) //= [X in _ - X](bigD1 i0) //=.
rewrite [X in _ + X - _](eq_bigr (fun i => sqnorm (row i X' *m V))) => [|i ne]; last by rewrite same.
rewrite opprD addrACA subrr addr0; have one Y : unit_rows Y -> 0 <= sqnorm (row i0 Y *m V) <= 1.
  by move=> uY; rewrite sqnorm_ge0 (le_trans (bessel _ oV)) //; apply: uY.
have [/andP[a0 a1] /andP[b0 b1]] := (one X uX, one X' uX').
rewrite ler_norml lerBrDr lerBlDr; apply/andP; split.
  by apply: le_trans a0; rewrite addrC subr_le0.
by apply: le_trans a1 _; rewrite lerDl.
Qed.

(* Reached, whatever the other rows are: a unit row in the span of V against 0. *)
Theorem directions_replaced_reached X i0 (x : 'rV[R]_d) V : sqnorm (x *m V) = 1 ->
  directions_score (set_row X i0 x) V - directions_score (set_row X i0 0) V = 1.
Proof.
move=> x1; rewrite !directions_score_rows (bigD1 i0) //= [X in _ - X](bigD1 i0) //= !row_set_row mul0mx sqnorm0 add0r.
rewrite [X in _ + X - _](eq_bigr (fun i => sqnorm (row i (set_row X i0 0) *m V))) => [|i ne]; first by rewrite addrK.
by rewrite !row_set_row_other.
Qed.
End Directions.

(* The definition computes, and the hypotheses can be met. *)
Example directions_score_computes : directions_score two_rows (1%:M : 'M[rat]_2) = 1.
Proof. by rewrite /directions_score trmx1 mul1mx mulmx1 gram_computes /mxtrace !big_ord_recl big_ord0 !mxE. Qed.
Example directions_hold (X : 'M[rat]_(2, 2)) i0 :
  directions_score (set_row X i0 (axis 0)) 1%:M - directions_score (set_row X i0 0) 1%:M = 1.
Proof. by apply: directions_replaced_reached; rewrite mulmx1 sqnorm_axis. Qed.
