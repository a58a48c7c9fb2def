(* Numbers that refute printed Gaussian noise. Each theorem names an interval whose probabilities contradict the guarantee;
   the integrals are enclosed by the interval tactic. *)

From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
From DPPCA.lib Require Import normal_integrals.

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

(* The classical calibration itself, beyond its range: 1.3 times the nominal delta at epsilon = 9. *)
Theorem classical_noise_fails_at_9 : violates 1 0 (classical_std 9 (1 / 10 ^ 5)) 9 (13 / 10 ^ 6).
Proof. enclose_violation 40%Z 5.7734 14; apply classical_std_gt0; lra. Qed.

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
