(* shang2021's noise as published is too small: an interval whose probabilities contradict Theorem 3. *)

From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From DPPCA.lib Require Import normal_integrals.
From DPPCA.primitives Require Import classical_gaussian.

Local Open Scope R_scope.

(* shang2021, Theorem 3, T = 1: m releases of the full gradient, one row 1 against 0 among n in dimension 1. Each moves by
   G/n and has the printed standard deviation; their sum moves by m G/n and has sqrt m times that. At (1, 1e-5) the delta
   reached is 4.2 times the nominal one, whatever n, m and G. *)
Definition shang2021_printed_std (G n T m e d : R) : R := sqrt (G * G * T * m * ln (1 / d) / ((n * e) * (n * e))).

Theorem shang2021_theorem_3_fails G n m : 0 < G -> 0 < n -> 0 < m ->
  violates (m * (G / n)) 0 (sqrt m * shang2021_printed_std G n 1 m 1 (1 / 10 ^ 5)) 1 (42 / 10 ^ 6).
Proof.
intros G0 n0 m0; assert (L0 : 0 < ln (1 / (1 / 10 ^ 5))) by interval.
assert (E : sqrt m * shang2021_printed_std G n 1 m 1 (1 / 10 ^ 5) = m * (G / n) * sqrt (ln (1 / (1 / 10 ^ 5)))).
  unfold shang2021_printed_std; rewrite <- sqrt_mult_alt; [|lra].
  replace (m * (G * G * 1 * m * ln (1 / (1 / 10 ^ 5)) / (n * 1 * (n * 1))))
    with ((m * (G / n)) * (m * (G / n)) * ln (1 / (1 / 10 ^ 5))) by (field; lra).
  rewrite sqrt_mult_alt; [|apply Rle_0_sqr]; rewrite sqrt_square; trivial.
  left; apply Rmult_lt_0_compat; trivial; now apply Rdiv_lt_0_compat.
rewrite E; set (c := m * (G / n)).
assert (c0 : 0 < c) by (apply Rmult_lt_0_compat; trivial; now apply Rdiv_lt_0_compat).
apply (@violates_standard _ _ _ _ _ 3.5404 9.5); [|lra|].
  apply Rmult_lt_0_compat; trivial; now apply sqrt_lt_R0.
replace ((c - 0) / (c * sqrt (ln (1 / (1 / 10 ^ 5))))) with (/ sqrt (ln (1 / (1 / 10 ^ 5)))).
  unfold phi; apply Rminus_gt.
  match goal with |- context [RInt ?f 3.5404 9.5] => enclose 24%Z f 3.5404 9.5 end.
  match goal with |- context [RInt ?f ?u ?v] => enclose 24%Z f u v end.
  interval.
field; split; [apply Rgt_not_eq, sqrt_lt_R0; trivial | lra].
Qed.

Example shang2021_printed_std_computes : 0.0339 <= shang2021_printed_std 1 100 1 1 1 (1 / 10 ^ 5) <= 0.0340.
Proof. unfold shang2021_printed_std; split; interval. Qed.
