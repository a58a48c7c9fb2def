(* The second moment X^T X / n: how far one row of norm at most beta moves it, the rows that reach it. Norms are squared. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import squared_norms.
From DPPCA.primitives Require Import row_changes.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Second moments with a factor: X^T X / n, and rows of norm at most beta. *)
Section Scaled.
Variables (R : realFieldType) (n d : nat).
Implicit Types X : 'M[R]_(n, d).

Lemma upper_sqnormZ a (D : 'M[R]_d) : upper_sqnorm (a *: D) = a ^+ 2 * upper_sqnorm D.
Proof.
rewrite /upper_sqnorm mulr_sumr; apply: eq_bigr => i _; rewrite mulr_sumr; apply: eq_bigr => j _.
by rewrite mxE exprMn.
Qed.

(* The second moment about 0; the release of MOD-SULQ. *)
Definition mean_gram X : 'M[R]_d := n%:R^-1 *: gram X.

(* liu2022.section-2.3-sensitivity: for rows of norm at most beta, sqrt 2 beta^2 / n *)
Theorem radius_sensitivity X X' (beta : R) i0 : 0 < beta ->
  (forall i, sqnorm (row i X) <= beta ^+ 2) -> (forall i, sqnorm (row i X') <= beta ^+ 2) ->
  (forall i, i != i0 -> row i X = row i X') ->
  sqnorm (mean_gram X - mean_gram X') <= 2%:R * beta ^+ 4 / n%:R ^+ 2.
Proof.
move=> b0 uX uX' same; have bN : beta != 0 by rewrite lt0r_neq0.
have unit_ball (Y : 'M[R]_(n, d)) i : sqnorm (row i Y) <= beta ^+ 2 -> in_ball (beta^-1 *: row i Y).
  by move=> h; rewrite /in_ball sqnormZ exprVn mulrC ler_pdivrMr ?exprn_gt0 // mul1r.
rewrite -scalerBr sqnormZ exprVn mulrC ler_wpM2r ?invr_ge0 ?sqr_ge0 // (gram_replaced same).
have -> x y : outer x - outer y = beta ^+ 2 *: (outer (beta^-1 *: x) - outer (beta^-1 *: y)) :> 'M[R]_d.
  by rewrite !outerZ -scalerBr scalerA exprVn divff ?scale1r // expf_neq0.
rewrite sqnormZ -exprM mulrC; apply: ler_wpM2r; first by rewrite exprn_ge0 // ltW.
by apply: change_le2; apply: unit_ball.
Qed.

Theorem radius_sensitivity_reached X (beta : R) i0 (i j : 'I_d) : i != j ->
  sqnorm (mean_gram (set_row X i0 (beta *: axis i)) - mean_gram (set_row X i0 (beta *: axis j))) =
  2%:R * beta ^+ 4 / n%:R ^+ 2.
Proof.
move=> ij; rewrite -scalerBr sqnormZ gram_set_row !outerZ -scalerBr sqnormZ change_axes // exprVn -exprM.
by rewrite mulrC (mulrC (beta ^+ _)).
Qed.
End Scaled.
