(* Numbers that refute printed Gaussian noise. Each theorem names an interval whose probabilities contradict the guarantee;
   the integrals are enclosed by the interval tactic. *)

From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From DPPCA.lib Require Import gaussian.

Local Open Scope R_scope.

(* Reduce a violation to two enclosed integrals over [lo, hi], in standard deviations. *)
Ltac enclose bits f u v :=
  let A := fresh "A" in let H := fresh "H" in
  set (A := RInt f u v); integral_intro (RInt f u v) with (i_width (- bits)) as H; fold A in H.

Ltac enclose_violation bits lo hi :=
  apply (@violates_standard _ _ _ _ _ lo hi);
  [ | lra | unfold phi, classical_std; apply Rminus_gt;
    match goal with |- context [RInt ?f lo hi] => enclose bits f lo hi end;
    match goal with |- context [RInt ?f ?u ?v] => enclose bits f u v end;
    interval ].

Lemma classical_std_gt0 e d : 0 < e -> 0 < d < 1.25 -> 0 < classical_std e d.
Proof.
intros e0 [d0 d1]; apply Rdiv_lt_0_compat; trivial; apply sqrt_lt_R0, Rmult_lt_0_compat; [lra|].
rewrite <- ln_1; apply ln_increasing; [lra|]; apply (Rmult_lt_reg_r d); trivial; field_simplify; lra.
Qed.

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

(* The classical calibration itself, beyond its range: 1.3 times the nominal delta at epsilon = 9. *)
Theorem classical_noise_fails_at_9 : violates 1 0 (classical_std 9 (1 / 10 ^ 5)) 9 (13 / 10 ^ 6).
Proof. enclose_violation 40%Z 5.7734 14; apply classical_std_gt0; lra. Qed.

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

(* The definitions compute. *)
Example Phi_at_1 : 0.84134 <= Phi 1 <= 0.84135.
Proof. unfold Phi, phi; match goal with |- context [RInt ?f ?a ?b] => enclose 24%Z f a b end; split; interval. Qed.

Example normal_mass_within_1 : 0.6826 <= normal_mass 0 1 (-1) 1 <= 0.6827.
Proof. unfold normal_mass, phi; match goal with |- context [RInt ?f ?a ?b] => enclose 24%Z f a b end; split; interval. Qed.

Example classical_std_computes : 4.8448 <= classical_std 1 (1 / 10 ^ 5) <= 4.8449.
Proof. unfold classical_std; split; interval. Qed.

(* The profile at mu = epsilon = 1, and the worst interval of length 8. *)
Example profile_at_1 : 0.1269 <= profile 1 1 <= 0.1270.
Proof.
unfold profile, Phi; replace (1 / 2 - 1 / 1) with (- (1 / 2)) by field; replace (- (1) / 2 - 1 / 1) with (- (3 / 2)) by field.
unfold phi; match goal with |- context [RInt ?f 0 (- (1 / 2))] => enclose 24%Z f 0 (- (1 / 2)) end.
match goal with |- context [RInt ?f 0 (- (3 / 2))] => enclose 24%Z f 0 (- (3 / 2)) end.
split; interval.
Qed.

Example excess_at_1 : threshold 1 1 = 1.5 /\ 0.126 <= excess 1 1 1.5 9.5 <= 0.127.
Proof.
split; [unfold threshold; lra |]; unfold excess, normal_mass, phi.
match goal with |- context [RInt ?f 1.5 9.5 - _] => enclose 24%Z f 1.5 9.5 end.
match goal with |- context [_ * RInt ?f 1.5 9.5] => enclose 24%Z f 1.5 9.5 end.
split; interval.
Qed.

Example violates_at_10 : violates 10 0 1 0 (9 / 10).
Proof. enclose_violation 24%Z 7 13; lra. Qed.

Example shang2021_printed_std_computes : 0.0339 <= shang2021_printed_std 1 100 1 1 1 (1 / 10 ^ 5) <= 0.0340.
Proof. unfold shang2021_printed_std; split; interval. Qed.
