(* The exponential mechanism for one direction, and for several by deflation, over a finite set of directions in place of the
   sphere; a factor a stands for e^epsilon. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import reals sequences exp.
From DPPCA.lib Require Import discrete squared_norms transcripts.
From DPPCA.primitives Require Import row_changes exponential_mechanism.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* The exponential mechanism over a finite set of directions, with the score v^T X^T X v; m is the multiplier. *)
Section Exponential.
Variables (R : realType) (C : finType) (c0 : C).

Definition draw_direction n e (m : R) (direction : C -> 'rV[R]_e) (X : 'M[R]_(n, e)) : C -> R :=
  by_weight (fun c => expR (m * score X (direction c))).

Lemma weight_ratio n e (m : R) (direction : C -> 'rV[R]_e) (X X' : 'M[R]_(n, e)) c : 0 <= m ->
  (forall c, sqnorm (direction c) = 1) -> replaced X X' ->
  expR (m * score X (direction c)) <= expR m * expR (m * score X' (direction c)).
Proof.
move=> m0 unit nb; rewrite -expRD ler_expR -[X in _ <= X + _]mulr1 -mulrDr ler_wpM2l // addrC -lerBlDl.
by apply: le_trans (ler_norm _) _; apply: score_replaced.
Qed.

(* chaudhuri2013.ppca-privacy, amin2019.eigenvector-sensitivity: m = epsilon / 2 *)
Theorem exponential_mechanism_private n e (epsilon : R) (direction : C -> 'rV[R]_e) : 0 <= epsilon ->
  (forall c, sqnorm (direction c) = 1) ->
  mechanism_dp (expR epsilon) 0 (@replaced R n e) (draw_direction (epsilon / 2%:R) direction (n := n)).
Proof.
move=> e0 unit; have m0 : 0 <= epsilon / 2%:R by rewrite divr_ge0 ?ler0n.
have -> : expR epsilon = expR (epsilon / 2%:R) ^+ 2 by rewrite expr2 -expRD -splitr.
apply: (by_weight_dp c0) => [|X c|X X' nb c]; [by apply/ltW/expR_gt0 | exact: expR_gt0 |].
by split; apply: weight_ratio => //; apply: replaced_sym.
Qed.

(* k directions by deflation: Q s is an orthonormal basis of the complement of the directions in s. *)
Variables (n d k : nat) (e : seq C -> nat) (Q : forall s, 'M[R]_(d, e s)) (direction : forall s, C -> 'rV[R]_(e s)).
Hypotheses (Q_orthonormal : forall s, orthonormal (Q s)) (unit : forall s c, sqnorm (direction s c) = 1).

Definition deflation (m : R) (X : 'M[R]_(n, d)) : k.-tuple C -> R :=
  transcript k (fun s => draw_direction m (@direction s) (X *m Q s)).

Lemma projected_replaced s (X X' : 'M[R]_(n, d)) : replaced X X' -> replaced (X *m Q s) (X' *m Q s).
Proof.
case=> uX uX' [i0 same]; split=> [i|i|]; last by exists i0 => i ne; rewrite !row_mul same.
  by rewrite /in_ball row_mul (le_trans (bessel _ (Q_orthonormal s))) //; apply: uX.
by rewrite /in_ball row_mul (le_trans (bessel _ (Q_orthonormal s))) //; apply: uX'.
Qed.

(* amin2019.deflation: epsilon / k for each direction *)
Theorem deflation_private (epsilon : R) : 0 <= epsilon ->
  mechanism_dp (expR epsilon ^+ k) 0 (@replaced R n d) (deflation (epsilon / 2%:R)).
Proof.
move=> e0; rewrite -(mul0rn _ k); apply: mechanism_transcript => [X s||s X X' nb].
- by apply: (law_by_weight c0) => c; apply: expR_gt0.
- by apply/ltW/expR_gt0.
- exact: exponential_mechanism_private (projected_replaced s nb).
Qed.

Theorem deflation_private_total (epsilon : R) : 0 <= epsilon -> (0 < k)%N ->
  mechanism_dp (expR epsilon) 0 (@replaced R n d) (deflation (epsilon / k%:R / 2%:R)).
Proof.
move=> e0 k0; have -> : expR epsilon = expR (epsilon / k%:R) ^+ k.
  have sum j (t : R) : expR t ^+ j = expR (t *+ j).
    by elim: j => [|j IH]; rewrite ?expr0 ?mulr0n ?expR0 // exprS mulrS expRD IH.
  by rewrite sum -(mulr_natr (epsilon / _)) divfK // pnatr_eq0 -lt0n.
by apply: deflation_private; rewrite divr_ge0 ?ler0n.
Qed.
End Exponential.


(* Along the axes, with no data: every direction is as likely. *)
Example draw_direction_computes (R : realType) : draw_direction (1 : R) (@axis R 2) (0 : 'M[R]_(1, 2)) 0 = 2%:R^-1.
Proof.
have s0 c : score (0 : 'M[R]_(1, 2)) (axis c) = 0 by rewrite /score /gram trmx0 !mulmx0 dot0l.
by rewrite /draw_direction /by_weight !s0 mulr0 expR0 mul1r (eq_bigr (fun=> 1)) => [|c _]; rewrite ?sumr_const ?card_ord // s0 mulr0 expR0.
Qed.
Example deflation_holds (R : realType) : mechanism_dp (expR (1 : R)) 0 (@replaced R 2 2)
  (@deflation R _ 2 2 2 (fun=> 2%N) (fun=> 1%:M) (fun=> @axis R 2) (1 / 2%:R / 2%:R)).
Proof.
apply: (deflation_private_total (0 : 'I_2)) => // [s|s c].
  by rewrite /orthonormal trmx1 mulmx1.
exact: sqnorm_axis.
Qed.
