(* wang2020's noise as published is too small: each theorem names an interval whose probabilities contradict the guarantee. *)

From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From DPPCA.lib Require Import normal_integrals.
From DPPCA.primitives Require Import classical_gaussian.

Local Open Scope R_scope.

(* wang2020: noise for sensitivity 1 on a message of sensitivity sqrt 2. The delta reached is 3.7 times the nominal one at
   (1, 1e-5), and inside Algorithm 2's range 1.4 times at (0.5, 1e-5), 1.3 times at (0.9, 1e-4), 180 times at (0.5, 1e-10). *)
Theorem wang2020_printed_noise_1_5 : violates (sqrt 2) 0 (classical_std 1 (1 / 10 ^ 5)) 1 (36 / 10 ^ 6).
Proof. enclose_violation 24%Z 3.5717 9.5; apply classical_std_gt0; lra. Qed.

Theorem wang2020_printed_noise_05_5 : violates (sqrt 2) 0 (classical_std (5 / 10) (1 / 10 ^ 5)) (5 / 10) (14 / 10 ^ 6).
Proof. enclose_violation 24%Z 3.4988 9.5; apply classical_std_gt0; lra. Qed.

Theorem wang2020_printed_noise_09_4 : violates (sqrt 2) 0 (classical_std (9 / 10) (1 / 10 ^ 4)) (9 / 10) (13 / 10 ^ 5).
Proof. enclose_violation 24%Z 3.2179 9.5; apply classical_std_gt0; lra. Qed.

Theorem wang2020_printed_noise_05_10 : violates (sqrt 2) 0 (classical_std (5 / 10) (1 / 10 ^ 10)) (5 / 10) (180 / 10 ^ 10).
Proof. enclose_violation 38%Z 4.8736 10; apply classical_std_gt0; lra. Qed.
