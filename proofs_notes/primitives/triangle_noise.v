(* Normal noise on the upper triangle of a symmetric matrix, which is what wang2020's clients, Analyze Gauss and MOD-SULQ
   release: the p (p + 1) / 2 entries on and above the diagonal as a row of numbers.

   upper_part M             that row
   noisy_triangle s M     its law with independent noise N(0, s^2) on each number
   triangle_private       if the squared change of the upper triangle is at most C, then noise that is calibrated for sqrt C
                          makes it (e, t)-private *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp
  measure.
From mathcomp Require Import measurable_realfun.
From DPPCA.lib Require Import measure squared_norms gaussian_dp gaussian_calibration gaussian_matrix.
From DPPCA.primitives Require Import row_changes.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Triangle.
Context (R : realType) (p : nat).
Implicit Types (M N : 'M[R]_p) (s C e t : R).

Definition upper_place (ij : 'I_p * 'I_p) : bool := (ij.1 <= ij.2)%N.
Definition upper_part M : 'rV[R]_#|upper_place| := \row_k M (enum_val k).1 (enum_val k).2.
Definition noisy_triangle s M : set 'rV[R]_#|upper_place| -> \bar R := noisy predT (const_mx s) (upper_part M).

Lemma sum_upper_place (F : 'I_p * 'I_p -> R) : \sum_(k < #|upper_place|) F (enum_val k) = \sum_(i < p) \sum_(j < p | (i <=
  j)%N) F (i, j).
Proof. by rewrite -(big_enum_val F) pair_big_dep /=; apply: eq_big => -[i j]. Qed.

Lemma triangle_change M N : \sum_(ij : 'I_1 * 'I_#|upper_place|) (upper_part M ij.1 ij.2 - upper_part N ij.1 ij.2) ^+ 2 =
  upper_sqnorm (M - N).
Proof.
rewrite -(pair_bigA _ (fun i k => (upper_part M i k - upper_part N i k) ^+ 2)) big_ord1 /=.
rewrite (eq_bigr (fun k => (M (enum_val k).1 (enum_val k).2 - N (enum_val k).1 (enum_val k).2) ^+ 2)) => [|k _]; last by
  rewrite !mxE.
rewrite (sum_upper_place (fun ij => (M ij.1 ij.2 - N ij.1 ij.2) ^+ 2)) /upper_sqnorm.
by apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite !mxE.
Qed.

Theorem triangle_private s C e t M N : 0 < s -> 0 < C -> calibrated e t (Num.sqrt C / s) -> upper_sqnorm (M - N) <= C ->
  indist (expR e) t (noisy_triangle s M) (noisy_triangle s N).
Proof. by move=> s0 C0 cal close; apply: noisy_private_const s0 C0 cal _; rewrite triangle_change. Qed.
End Triangle.
Arguments upper_place {p} ij.

Example triangle_computes (R : realType) : upper_part (1%:M : 'M[R]_1) = const_mx 1.
Proof. by apply/rowP => k; rewrite !mxE !ord1. Qed.
