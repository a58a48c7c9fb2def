(* Normal laws on the line, by integrals of the density over bounded intervals (Coquelicot's Riemann integral).

   [normal_mass m s a b] is the probability of [a, b] under N(m, s^2). [violates m m' s e d] names an interval whose
   probabilities under N(m, s^2) and N(m', s^2) contradict (e, d)-privacy. Phi is the normal distribution function, written
   as 1/2 plus an integral from 0. *)

From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope R_scope.

Definition phi (x : R) : R := exp (- (x * x) / 2) / sqrt (2 * PI).
Definition Phi (x : R) : R := 1 / 2 + RInt phi 0 x.
Definition normal_mass (m s a b : R) : R := RInt (fun x => phi ((x - m) / s) / s) a b.
Definition violates (m m' s e d : R) : Prop :=
  exists a b, a < b /\ normal_mass m s a b > exp e * normal_mass m' s a b + d.

(* The profile of Balle and Wang: sensitivity over standard deviation is mu. *)
Definition profile (mu e : R) : R := Phi (mu / 2 - e / mu) - exp e * Phi (- mu / 2 - e / mu).

(* The classical calibration for sensitivity 1. *)
Definition classical_std (e d : R) : R := sqrt (2 * ln (1.25 / d)) / e.

Lemma sqrt_2PI_gt0 : 0 < sqrt (2 * PI).
Proof. apply sqrt_lt_R0; assert (H := PI_RGT_0); lra. Qed.

Lemma phi_gt0 x : 0 < phi x.
Proof. apply Rdiv_lt_0_compat; [apply exp_pos | exact sqrt_2PI_gt0]. Qed.

Lemma phi_even x : phi (- x) = phi x.
Proof. unfold phi; do 2 f_equal; field. Qed.

Lemma Rdiv_one x : x / 1 = x.
Proof. field. Qed.

Lemma phi_continuous x : continuous phi x.
Proof.
apply (ex_derive_continuous phi); unfold phi; auto_derive; trivial.
Qed.

Lemma phi_integrable a b : ex_RInt phi a b.
Proof. apply (@ex_RInt_continuous R_CompleteNormedModule); intros; apply phi_continuous. Qed.

Lemma Phi_diff a b : RInt phi a b = Phi b - Phi a.
Proof.
assert (H : RInt phi 0 a + RInt phi a b = RInt phi 0 b).
  apply (@RInt_Chasles R_CompleteNormedModule phi 0 a b); apply phi_integrable.
unfold Phi; lra.
Qed.

Lemma Phi_increasing a b : a < b -> Phi a < Phi b.
Proof.
intros ab; apply Rminus_lt_0; rewrite <- Phi_diff.
apply RInt_gt_0; trivial; intros; [apply phi_gt0 | apply phi_continuous].
Qed.

Lemma Phi_opp x : Phi (- x) = 1 - Phi x.
Proof.
assert (H : RInt phi 0 (- x) = - RInt phi 0 x).
  transitivity (RInt (fun y => opp (phi y)) 0 x).
    replace (RInt phi 0 (- x)) with (RInt phi (-1 * 0 + 0) (-1 * x + 0)) by (f_equal; ring).
    rewrite <- (@RInt_comp_lin R_CompleteNormedModule phi (-1) 0 0 x); [|apply phi_integrable].
    apply RInt_ext; intros y _; replace (-1 * y + 0) with (- y) by ring; rewrite phi_even.
    change (-1 * phi y = - phi y); ring.
  apply (@RInt_opp R_CompleteNormedModule phi 0 x), phi_integrable.
unfold Phi; rewrite H; lra.
Qed.

(* Every normal law is the standard one, moved and stretched. *)
Lemma normal_mass_Phi m s a b : 0 < s -> normal_mass m s a b = Phi ((b - m) / s) - Phi ((a - m) / s).
Proof.
intros s0; rewrite <- Phi_diff; unfold normal_mass.
replace ((a - m) / s) with (/ s * a + - m / s) by (field; lra).
replace ((b - m) / s) with (/ s * b + - m / s) by (field; lra).
rewrite <- (@RInt_comp_lin R_CompleteNormedModule phi (/ s) (- m / s) a b); [|apply phi_integrable].
apply RInt_ext; intros x _; change (phi ((x - m) / s) / s = / s * phi (/ s * x + - m / s)).
replace (/ s * x + - m / s) with ((x - m) / s) by (field; lra); field; lra.
Qed.

Lemma normal_mass_ge0 m s a b : 0 < s -> a <= b -> 0 <= normal_mass m s a b.
Proof.
intros s0 ab; rewrite normal_mass_Phi; trivial.
destruct ab as [ab| ->]; [|lra].
assert (H : Phi ((a - m) / s) < Phi ((b - m) / s)); [|lra].
apply Phi_increasing, Rmult_lt_compat_r; [now apply Rinv_0_lt_compat | lra].
Qed.

(* To contradict privacy it is enough to look at N(mu, 1) and N(0, 1), mu the distance in standard deviations. *)
Lemma violates_standard m m' s e d a b : 0 < s -> a < b ->
  RInt phi (a - (m - m') / s) (b - (m - m') / s) - exp e * RInt phi a b > d -> violates m m' s e d.
Proof.
intros s0 ab H; exists (m' + s * a), (m' + s * b); split; [now apply Rplus_lt_compat_l, Rmult_lt_compat_l |].
rewrite !normal_mass_Phi; trivial; rewrite !Phi_diff in H.
replace ((m' + s * b - m) / s) with (b - (m - m') / s) by (field; lra).
replace ((m' + s * a - m) / s) with (a - (m - m') / s) by (field; lra).
replace ((m' + s * b - m') / s) with b by (field; lra).
replace ((m' + s * a - m') / s) with a by (field; lra).
lra.
Qed.

Lemma violates_monotone m m' s e d e' d' : 0 < s -> e' <= e -> d' <= d -> violates m m' s e d -> violates m m' s e' d'.
Proof.
intros s0 ee dd [a [b [ab H]]]; exists a, b; split; trivial.
assert (H0 := normal_mass_ge0 m' s0 (Rlt_le _ _ ab)).
assert (exp e' * normal_mass m' s a b <= exp e * normal_mass m' s a b); [|lra].
apply Rmult_le_compat_r; trivial.
destruct ee as [ee| ->]; [|lra]; left; now apply exp_increasing.
Qed.

(* An interval's excess is at most that of the part where the density ratio is above e^e. *)
Lemma ratio_at_threshold mu e x : 0 < mu ->
  phi (x - mu) - exp e * phi x = phi x * (exp (mu * (x - (mu / 2 + e / mu)) + e) - exp e).
Proof.
intros mu0; unfold phi.
replace (exp (- ((x - mu) * (x - mu)) / 2)) with (exp (- (x * x) / 2) * exp (mu * (x - (mu / 2 + e / mu)) + e)).
  field; apply Rgt_not_eq, sqrt_2PI_gt0.
rewrite <- exp_plus; f_equal; field; lra.
Qed.

Definition excess (mu e a b : R) : R := normal_mass mu 1 a b - exp e * normal_mass 0 1 a b.
Definition threshold (mu e : R) : R := mu / 2 + e / mu.

Lemma shifted_integrable mu a b : ex_RInt (fun x => phi (x - mu)) a b.
Proof.
apply (@ex_RInt_continuous R_CompleteNormedModule); intros x _; apply (ex_derive_continuous (fun y => phi (y - mu))).
unfold phi; auto_derive; trivial.
Qed.

Lemma excess_integrable mu e a b : ex_RInt (fun x => phi (x - mu) - exp e * phi x) a b.
Proof.
apply (@ex_RInt_minus R_NormedModule); [apply shifted_integrable | apply (@ex_RInt_scal R_NormedModule), phi_integrable].
Qed.

Lemma excess_RInt mu e a b : excess mu e a b = RInt (fun x => phi (x - mu) - exp e * phi x) a b.
Proof.
assert (H : RInt (fun x => minus (phi (x - mu)) (scal (exp e) (phi x))) a b = excess mu e a b).
  rewrite (@RInt_minus R_CompleteNormedModule); [|apply shifted_integrable|apply (@ex_RInt_scal R_NormedModule), phi_integrable].
  rewrite (@RInt_scal R_CompleteNormedModule); [|apply phi_integrable].
  assert (E1 : normal_mass mu 1 a b = RInt (fun x => phi (x - mu)) a b).
    apply RInt_ext; intros x _; replace ((x - mu) / 1) with (x - mu) by field; apply Rdiv_one.
  assert (E2 : normal_mass 0 1 a b = RInt phi a b).
    apply RInt_ext; intros x _; replace ((x - 0) / 1) with x by field; apply Rdiv_one.
  unfold excess; rewrite E1, E2; reflexivity.
now rewrite <- H.
Qed.

Lemma excess_Chasles mu e a b c : excess mu e a b + excess mu e b c = excess mu e a c.
Proof. rewrite !excess_RInt; apply (@RInt_Chasles R_CompleteNormedModule); apply excess_integrable. Qed.

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [lt| ->]; [left; now apply exp_increasing | apply Rle_refl]. Qed.

Lemma excess_ge0 mu e a b : 0 < mu -> threshold mu e <= a -> a <= b -> 0 <= excess mu e a b.
Proof.
intros mu0 ta ab; rewrite excess_RInt; apply RInt_ge_0; trivial; [apply excess_integrable|].
intros x [ax xb]; rewrite ratio_at_threshold; trivial; apply Rmult_le_pos; [left; apply phi_gt0|].
assert (0 <= mu * (x - (mu / 2 + e / mu))); [apply Rmult_le_pos; unfold threshold in ta; lra|].
assert (exp e <= exp (mu * (x - (mu / 2 + e / mu)) + e)); [apply exp_le; lra | lra].
Qed.

Lemma excess_le0 mu e a b : 0 < mu -> a <= b -> b <= threshold mu e -> excess mu e a b <= 0.
Proof.
intros mu0 ab bt; assert (H : 0 <= - excess mu e a b); [|lra].
rewrite excess_RInt; change (0 <= opp (RInt (fun x => phi (x - mu) - exp e * phi x) a b)).
rewrite <- (@RInt_opp R_CompleteNormedModule); [|apply excess_integrable].
apply RInt_ge_0; trivial; [apply (@ex_RInt_opp R_NormedModule), excess_integrable|].
intros x [ax xb]; change (0 <= - (phi (x - mu) - exp e * phi x)); rewrite ratio_at_threshold; trivial.
replace (- (phi x * (exp (mu * (x - (mu / 2 + e / mu)) + e) - exp e)))
  with (phi x * (exp e - exp (mu * (x - (mu / 2 + e / mu)) + e))) by ring.
apply Rmult_le_pos; [left; apply phi_gt0|].
assert (0 <= mu * ((mu / 2 + e / mu) - x)); [apply Rmult_le_pos; unfold threshold in bt; lra|].
assert (exp (mu * (x - (mu / 2 + e / mu)) + e) <= exp e); [apply exp_le; lra | lra].
Qed.

(* The worst interval begins at the threshold: no interval has a larger excess than the one from there. *)
Theorem excess_worst mu e a b : 0 < mu -> a <= b ->
  excess mu e a b <= excess mu e (threshold mu e) (Rmax b (threshold mu e)).
Proof.
intros mu0 ab; set (t := threshold mu e).
destruct (Rle_lt_dec b t) as [bt|tb].
  rewrite Rmax_right; trivial; apply Rle_trans with 0; [now apply excess_le0 |].
  apply excess_ge0; trivial; apply Rle_refl.
rewrite Rmax_left; [|lra].
destruct (Rle_lt_dec a t) as [at'|ta].
  rewrite <- (excess_Chasles mu e a t b); assert (H := @excess_le0 mu e a t mu0 at' (Rle_refl _)); lra.
rewrite <- (excess_Chasles mu e t a b); assert (H := @excess_ge0 mu e t a mu0 (Rle_refl _) (Rlt_le _ _ ta)); lra.
Qed.

(* In terms of Phi: the profile, but for what lies beyond b. *)
Theorem excess_profile mu e b : 0 < mu ->
  excess mu e (threshold mu e) b = profile mu e - ((1 - Phi (b - mu)) - exp e * (1 - Phi b)).
Proof.
intros mu0; unfold excess, profile, threshold; rewrite !normal_mass_Phi; try lra.
replace (- mu / 2 - e / mu) with (- (mu / 2 + e / mu)) by (field; lra).
replace (mu / 2 - e / mu) with (- (mu / 2 + e / mu - mu)) by (field; lra).
rewrite !Phi_opp.
rewrite !Rminus_0_r, !Rdiv_one; ring.
Qed.
