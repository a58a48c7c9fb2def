(* The matrix exponential mechanism (reference/baselines/matrix_exponential.py): one draw of all k directions at once, over
   a finite set of candidates, each an orthonormal (d, k) matrix V with the score tr(V^T X^T X V). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import reals sequences exp.
From DPPCA.lib Require Import discrete squared_norms.
From DPPCA.primitives Require Import row_changes exponential_mechanism.
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

Section MatrixExponential.
Variables (R : realType) (n d k : nat) (C : finType) (c0 : C) (basis : C -> 'M[R]_(d, k)).
Hypothesis basis_orthonormal : forall c, orthonormal (basis c).

(* Line 1: candidate c has mass proportional to exp(m tr(V^T X^T X V)), V its matrix. *)
Definition draw_basis (m : R) (X : 'M[R]_(n, d)) : C -> R := by_weight (fun c => expR (m * directions_score X (basis c))).

Theorem law_draw_basis m X : law (draw_basis m X).
Proof. by apply: (law_by_weight c0) => c; apply: expR_gt0. Qed.

(* chaudhuri2013.matrix-sensitivity: epsilon-DP for every multiplier up to epsilon / 2, rounded down as it may be. *)
Theorem matrix_exponential_private (epsilon m : R) : 0 <= m -> m <= epsilon / 2%:R ->
  mechanism_dp (expR epsilon) 0 (@replaced R n d) (draw_basis m).
Proof.
move=> m0 me; have -> : expR epsilon = expR (epsilon / 2%:R) ^+ 2.
  by rewrite expr2 -expRD -splitr.
have ratio (X X' : 'M[R]_(n, d)) c : replaced X X' ->
    expR (m * directions_score X (basis c)) <= expR (epsilon / 2%:R) * expR (m * directions_score X' (basis c)).
  move=> nb; rewrite -expRD ler_expR -lerBlDr -mulrBr; apply: le_trans me.
  apply: le_trans (_ : m * 1 <= _); last by rewrite mulr1.
  by apply: ler_wpM2l => //; apply: le_trans (ler_norm _) _; apply: directions_replaced.
apply: (by_weight_dp c0) => [|X c|X X' nb c]; [by apply/ltW/expR_gt0 | exact: expR_gt0 |].
by split; apply: ratio => //; apply: replaced_sym.
Qed.
End MatrixExponential.

(* The definition computes, and the hypotheses can be met. *)
Example directions_score_computes : directions_score two_rows (1%:M : 'M[rat]_2) = 1.
Proof. by rewrite /directions_score trmx1 mul1mx mulmx1 gram_computes /mxtrace !big_ord_recl big_ord0 !mxE. Qed.
Example directions_hold (X : 'M[rat]_(2, 2)) i0 :
  directions_score (set_row X i0 (axis 0)) 1%:M - directions_score (set_row X i0 0) 1%:M = 1.
Proof. by apply: directions_replaced_reached; rewrite mulmx1 sqnorm_axis. Qed.

(* Two planes in space: the hypotheses can be met, and with no data either plane is as likely. *)
Definition example_plane (R : realType) (c : bool) : 'M[R]_(3, 2) := \matrix_(i, j) (i == lift (if c then ord0 else ord_max) j)%:R.

Lemma example_plane_orthonormal (R : realType) c : orthonormal (example_plane R c).
Proof.
apply/matrixP => i j; rewrite !mxE; under eq_bigr do rewrite !mxE.
rewrite (bigD1 (lift (if c then ord0 else ord_max) i)) //= eqxx mul1r big1 => [|l /negbTE ne]; last by rewrite ne mul0r.
by rewrite addr0 (inj_eq lift_inj).
Qed.

Example matrix_exponential_holds (R : realType) :
  mechanism_dp (expR (2%:R : R)) 0 (@replaced R 5 3) (draw_basis (@example_plane R) 1).
Proof.
apply: (matrix_exponential_private true) => [c||]; first exact: example_plane_orthonormal; first exact: ler01.
by rewrite divff ?pnatr_eq0.
Qed.

Example draw_basis_computes (R : realType) : draw_basis (@example_plane R) 1 (0 : 'M[R]_(1, 3)) true = 2%:R^-1.
Proof.
have s0 c : directions_score (0 : 'M[R]_(1, 3)) (example_plane R c) = 0.
  by rewrite /directions_score /gram trmx0 !mulmx0 mul0mx mxtrace0.
by rewrite /draw_basis /by_weight big_bool /= !s0 mulr0 expR0 mul1r.
Qed.
