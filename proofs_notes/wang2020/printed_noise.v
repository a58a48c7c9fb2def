(* wang2020's noise as published is too small at (0.5, 1e-5): an interval whose probabilities contradict the guarantee. *)

From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From DPPCA.lib Require Import normal_integrals.
From DPPCA.primitives Require Import classical_gaussian.

Local Open Scope R_scope.

(* wang2020: noise for sensitivity 1 on a message of sensitivity sqrt 2; the delta reached is 1.4 times the nominal one. *)
Theorem wang2020_printed_noise_05_5 : violates (sqrt 2) 0 (classical_std (5 / 10) (1 / 10 ^ 5)) (5 / 10) (14 / 10 ^ 6).
Proof. enclose_violation 24%Z 3.4988 9.5; apply classical_std_gt0; lra. Qed.
