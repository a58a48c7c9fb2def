(* The hypotheses of the theorems about wang2020 can be met: two clients with two numbers each, at (1, 1/100). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp
  measure.
From mathcomp Require Import measurable_realfun lebesgue_measure probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure squared_norms gaussian_calibration gaussian_matrix.
From DPPCA.primitives Require Import row_changes triangle_noise.
From DPPCA.wang2020 Require Import local_gaussian printed_noise_exact.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Examples.
Context (R : realType).

Lemma hundredth : 0 < 1 / 100 :> R /\ 1 / 100 < 1 :> R.
Proof. by split; lra. Qed.

Example algorithms_private_holds (X X' : 'M[R]_2) : replaced X X' -> let s := classical_std 1 (1 / 100) (Num.sqrt 2) in
  indist (expR 1) (1 / 100) (local_gaussian_mechanism (fun M : 'M[R]_(2, #|@upper_place 2|) => M) s X)
    (local_gaussian_mechanism (fun M : 'M[R]_(2, #|@upper_place 2|) => M) s X').
Proof.
have [t0 t1] := hundredth; have r0 : 0 < Num.sqrt 2 :> R by rewrite sqrtr_gt0.
move=> nb s; apply: algorithms_private nb => //; first exact: classical_std_gt0.
exact: classical_gaussian.
Qed.

Example repaired_client_holds : indist (expR 1) (1 / 100) (repaired_client (classical_std 1 (1 / 100) 1) (axis 0 : 'rV[R]_2))
  (repaired_client (classical_std 1 (1 / 100) 1) (axis 1 : 'rV[R]_2)).
Proof. by have [t0 t1] := hundredth; apply: repaired_client_private => //; exact: in_ball_axis. Qed.

Example printed_client_fails : exists e : R, 0 < e /\ exists x y : 'rV[R]_2, [/\ in_ball x, in_ball y &
  ~ indist (expR e) (1 / 100) (printed_client e (1 / 100) x) (printed_client e (1 / 100) y)].
Proof. by have [t0 t1] := hundredth; exact: theorem_2_refuted. Qed.
End Examples.
