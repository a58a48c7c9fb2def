(* wang2020: what the noise of a client's message has to cover, and the points that reach it. Norms are squared. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import squared_norms.
From DPPCA.primitives Require Import row_changes.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* In the local model the neighbours of a client are any two points x, y of the ball (wang2020.definition-1). *)
Section Wang2020.
Variables (R : realFieldType) (p : nat).
Implicit Types x y : 'rV[R]_p.

(* wang2020.algorithm-1-line-2-sensitivity: sqrt 2 *)
Theorem client_message x y : in_ball x -> in_ball y -> upper_sqnorm (outer x - outer y) <= 2%:R.
Proof. by move=> xb yb; apply: le_trans (upper_le (change_sym _ _)) _; apply: change_le2. Qed.

(* wang2020.algorithm-1-line-2-sensitivity: reached by two axes, so that the printed noise is for too small a change *)
Theorem client_message_reached (i j : 'I_p) : i != j -> upper_sqnorm (outer (axis i : 'rV[R]_p) - outer (axis j)) = 2%:R.
Proof. by move=> ij; rewrite upper_diagonal ?change_axes // => a b; apply: change_axes_diagonal. Qed.

Theorem printed_sensitivity_refuted : (1 < p)%N ->
  ~ forall x y, in_ball x -> in_ball y -> upper_sqnorm (outer x - outer y) <= 1.
Proof.
case: p => [|[|q]] // _ H; have := H (axis 0) (axis 1) (in_ball_axis _ _) (in_ball_axis _ _).
rewrite upper_diagonal; last by move=> a b; apply: change_axes_diagonal.
by rewrite change_axes // -[X in _ <= X](mulr1n 1) ler_nat.
Qed.

(* wang2020.algorithm-1-line-2-diagonal-repair: 1, reached *)
Theorem repaired_message x y : in_ball x -> in_ball y -> repaired_sqnorm (outer x - outer y) <= 1.
Proof.
move=> xb yb; rewrite -(@ler_pM2l _ 2%:R) ?ltr0n // repaired_identity ?change_sym //.
by rewrite mulr1 change_le2.
Qed.

Theorem repaired_message_reached (i j : 'I_p) : i != j -> repaired_sqnorm (outer (axis i : 'rV[R]_p) - outer (axis j)) = 1.
Proof.
move=> ij; have two0 : 2%:R != 0 :> R by rewrite pnatr_eq0.
by apply: (mulfI two0); rewrite repaired_identity ?change_sym // change_axes // mulr1.
Qed.

(* wang2020.algorithm-1-input-norm: outside the ball no noise suffices *)
Theorem unclipped_rows (i : 'I_p) c : exists x y, upper_sqnorm (outer x - outer y) > c.
Proof.
exists ((1 + `|c|) *: axis i), 0; rewrite outer0 subr0 outerZ.
have -> : upper_sqnorm ((1 + `|c|) ^+ 2 *: outer (axis i : 'rV[R]_p)) = (1 + `|c|) ^+ 4.
  rewrite upper_diagonal => [|a b ab]; first by rewrite sqnormZ outer_axis_sqnorm mulr1 -exprM.
  by rewrite [LHS]mxE outer_axis_diagonal // mulr0.
apply: le_lt_trans (ler_norm c) _; apply: lt_le_trans (_ : 1 + `|c| <= _); first by rewrite ltrDr ltr01.
by apply: ler_eXnr; rewrite // lerDl.
Qed.
End Wang2020.

Theorem client_message_line (R : realFieldType) (x y : 'rV[R]_1) : in_ball x -> in_ball y ->
  upper_sqnorm (outer x - outer y) <= 1.
Proof.
move=> xb yb; pose X := \matrix_(i < 1) x; pose Y := \matrix_(i < 1) y.
have same : gram X - gram Y = outer x - outer y by rewrite !gram_sum !big_ord1 !rowK.
rewrite -same; apply: upper_line_replaced; split; try by move=> i; rewrite rowK.
by exists 0 => i; rewrite ord1 eqxx.
Qed.

Theorem client_message_line_reached (R : realFieldType) : upper_sqnorm (outer (axis 0 : 'rV[R]_1) - outer 0) = 1.
Proof.
rewrite upper_diagonal => [|i j]; last by rewrite !ord1 eqxx.
by rewrite sqnorm_line sqnorm_axis sqnorm0 subr0 expr1n.
Qed.
