(* The hypotheses of the theorems about Analyze Gauss, MOD-SULQ and the Gaussian mechanism can be met, at (1, 1/100). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp
  measure.
From mathcomp Require Import measurable_realfun lebesgue_measure probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure squared_norms gaussian_formulas gaussian_calibration gaussian_matrix.
From DPPCA.primitives Require Import row_changes triangle_noise gaussian_mechanism.
From DPPCA.baselines Require Import normal_noise.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Examples.
Context (R : realType).

Lemma hundredth : 0 < 1 / 100 :> R /\ 1 / 100 < 1 :> R.
Proof. by split; lra. Qed.

Example analyze_gauss_holds (X X' : 'M[R]_2) : replaced X X' -> let s := classical_std 1 (1 / 100) (Num.sqrt (row_bound R 2)) in
  indist (expR 1) (1 / 100) (analyze_gauss s X) (analyze_gauss s X').
Proof.
have [t0 t1] := hundredth; have r0 : 0 < Num.sqrt (row_bound R 2) by rewrite sqrtr_gt0 row_bound_gt0.
move=> nb s; apply: analyze_gauss_replaced nb; first exact: classical_std_gt0.
exact: classical_gaussian.
Qed.

Example mod_sulq_holds (X X' : 'M[R]_2) : replaced X X' ->
  let s := classical_std 1 (1 / 100) (Num.sqrt (row_bound R 2) / 2) in
  indist (expR 1) (1 / 100) (mod_sulq s X) (mod_sulq s X').
Proof.
have [t0 t1] := hundredth; have r0 : 0 < Num.sqrt (row_bound R 2) / 2 by rewrite divr_gt0 // sqrtr_gt0 row_bound_gt0.
move=> nb s; apply: mod_sulq_private nb => //; first exact: classical_std_gt0.
exact: classical_gaussian.
Qed.

Example private_within_holds : @private_within R 3 (2 : R) (classical_std 1 (1 / 100) 2) 1 (1 / 100).
Proof. by have [t0 t1] := hundredth; apply: gaussian_classical. Qed.

Example Phi_computes : Phi (0 : R) = 2^-1.
Proof. by rewrite /Phi lower_upper /= oppr0 upper0. Qed.
End Examples.
