(* The matrix exponential mechanism (reference/baselines/matrix_exponential.py): one draw of all k directions at once, over
   a finite set of candidates, each an orthonormal (d, k) matrix V with the score tr(V^T X^T X V). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.analysis Require Import reals sequences exp.
From DPPCA.lib Require Import discrete.
From DPPCA.sensitivity Require Import linear row_changes directions.
From DPPCA Require Import primitives_exponential.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

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
  by rewrite expr2 -expRD -mulrDl -mulr2n -mulr_natr mulfK ?pnatr_eq0.
have ratio (X X' : 'M[R]_(n, d)) c : replaced X X' ->
    expR (m * directions_score X (basis c)) <= expR (epsilon / 2%:R) * expR (m * directions_score X' (basis c)).
  move=> nb; rewrite -expRD ler_expR -ler_subl_addr -mulrBr; apply: le_trans me.
  apply: le_trans (_ : m * 1 <= _); last by rewrite mulr1.
  by apply: ler_wpmul2l => //; apply: le_trans (ler_norm _) _; apply: directions_replaced.
apply: (by_weight_dp c0) => [|X c|X X' nb c]; [by apply/ltW/expR_gt0 | exact: expR_gt0 |].
by split; apply: ratio => //; apply: replaced_sym.
Qed.
End MatrixExponential.

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
