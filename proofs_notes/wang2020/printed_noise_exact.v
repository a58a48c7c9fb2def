(* wang2020, Theorem 2 with the printed noise: private exactly up to a threshold in epsilon, for every p >= 2 and delta. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp
  measure.
From mathcomp Require Import measurable_realfun.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure squared_norms gaussian_dp gaussian_calibration gaussian_threshold gaussian_matrix.
From DPPCA.primitives Require Import row_changes triangle_noise triangle_noise_exact too_little_noise.
From DPPCA.wang2020 Require Import client_sensitivity local_gaussian.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Printed.
Context (R : realType) (p : nat) (p2 : (1 < p)%N).
Implicit Types (e t : R).

Definition printed_client e t (x : 'rV[R]_p) := client (classical_std e t 1) x.

(* The noise s is enough for every pair of rows iff it is calibrated for sqrt 2. *)
Theorem client_exact s e t : 0 < s ->
  (forall x y : 'rV[R]_p, in_ball x -> in_ball y -> indist (expR e) t (client s x) (client s y)) <->
  calibrated e t (Num.sqrt 2 / s).
Proof.
move=> s0; have b2 : bound R p = 2 by rewrite /bound; case: eqP p2 => [->|].
split=> [H|cal x y]; last by apply: client_private; rewrite ?b2.
case: p p2 H => [|[|q]] // _ H; have := H (axis 0) (axis 1) (in_ball_axis _ _) (in_ball_axis _ _).
by move/triangle_exact; apply => //; exact: client_message_reached.
Qed.

(* wang2020.theorem-2-privacy: with the printed noise the guarantee holds exactly up to a threshold *)
Theorem theorem_2_threshold t : 0 < t -> t < 1 -> exists2 e0, 0 < e0 & forall e, 0 < e ->
  (forall x y, in_ball x -> in_ball y -> indist (expR e) t (printed_client e t x) (printed_client e t y)) <-> e <= e0.
Proof.
move=> t0 t1; have [e0 e00 H] := @classical_threshold R 2 t (ltr0Sn _ _) t0 t1.
exists e0 => // e epos; rewrite -(H e epos); apply: client_exact.
exact: classical_std_gt0.
Qed.

(* wang2020.theorem-2-privacy, wang2020.theorem-2-pure-epsilon: as printed it is false, for every delta *)
Corollary theorem_2_refuted t : 0 < t -> t < 1 -> exists e, 0 < e /\ exists x y, [/\ in_ball x, in_ball y &
  ~ indist (expR e) t (printed_client e t x) (printed_client e t y)].
Proof.
move=> t0 t1; have [e0 e00 H] := theorem_2_threshold t0 t1; exists (e0 + 1); split; first by rewrite addr_gt0.
apply: contrapT => none; have : e0 + 1 <= e0; last by rewrite gerDl ler10.
apply/(H _ (addr_gt0 e00 ltr01)) => x y xb yb; apply: contrapT => bad; apply: none.
by exists x, y.
Qed.

(* wang2020.algorithm-1-line-2-formula: with the right sensitivity the classical formula is private for epsilon <= 1, the analytic
   calibration for every epsilon, and the classical formula exactly up to a threshold *)
Theorem classical_formula_range t : 0 < t -> t < 1 -> exists2 e0, 1 <= e0 & forall e, 0 < e ->
  (forall x y : 'rV[R]_p, in_ball x -> in_ball y ->
     indist (expR e) t (client (classical_std e t (Num.sqrt 2)) x) (client (classical_std e t (Num.sqrt 2)) y)) <-> e <= e0.
Proof.
move=> t0 t1; have [c0 _] := classical_factor t0 t1; have [e0 e00 H] := calibrated_threshold c0 t0 t1.
have r2 : 0 < Num.sqrt 2 :> R by rewrite sqrtr_gt0.
have same e : 0 < e -> Num.sqrt 2 / classical_std e t (Num.sqrt 2) = e / Num.sqrt (2 * ln (5 / 4 / t)).
  by move=> epos; rewrite /classical_std; move: (Num.sqrt (2 * _)) c0 => c c0; field; rewrite !gt_eqF.
exists e0; first by apply/(H 1 ltr01); rewrite -same //; exact: classical_gaussian.
by move=> e epos; rewrite -(H e epos) -same //; apply: client_exact; exact: classical_std_gt0.
Qed.

(* wang2020.theorem-2-pure-epsilon: no noise makes it private with delta = 0 *)
Theorem pure_refuted s e : 0 < s -> exists x y : 'rV[R]_p, [/\ in_ball x, in_ball y &
  ~ indist (expR e) 0 (client s x) (client s y)].
Proof.
move=> s0; have r2 : 0 < Num.sqrt 2 :> R by rewrite sqrtr_gt0.
apply: contrapT => none; have : calibrated (Num.max e 1) 0 (Num.sqrt 2 / s).
  apply: le_trans (_ : profile (Num.sqrt 2 / s) (expR e) <= 0).
    by apply: profile_antitone; rewrite ?divr_gt0 ?expR_gt0 // ler_expR le_max lexx.
  apply/(client_exact e 0 s0) => x y xb yb; apply: contrapT => bad; apply: none.
  by exists x, y.
pose D := Num.sqrt 2 / s; pose f := Num.max e 1; have f0 : 0 < f by rewrite lt_max ltr01 orbT.
have D0 : 0 < D by rewrite divr_gt0.
rewrite -/D -/f /calibrated (_ : D = 2 * (D / 2)); last by field.
rewrite (_ : f = 2 * (f / D) * (D / 2)); last by field; rewrite gt_eqF.
have m0 : 0 < D / 2 by rewrite divr_gt0.
rewrite profileE // -gapE leNgt; case/negP.
have <- : gap (f / D) 0 = 0 by rewrite gapE !mulr0 expR0 mul1r subr0 addr0 subrr.
by apply: gap_increasing => //; rewrite divr_gt0.
Qed.

(* wang2020.theorem-4-privacy: as printed it is false inside its range too, for every epsilon at some delta *)
Theorem theorem_4_refuted e : 0 < e -> exists t, [/\ 0 < t, t < 1 & exists x y, [/\ in_ball x, in_ball y &
  ~ indist (expR e) t (printed_client e t x) (printed_client e t y)]].
Proof.
move=> e0; have k1 : 1 <= (5 / 4 : R) <= 5 / 4 by lra.
have [t [t0 t1 H]] := @too_little_noise_delta R e (5 / 4) e0 k1; exists t; split=> //.
apply: contrapT => none; have [c0 _] := classical_factor t0 t1.
have L0 : 0 < ln (5 / 4 / t) by move: c0; rewrite sqrtr_gt0 pmulr_rgt0.
have s0 := classical_std_gt0 e0 t0 t1 (@ltr01 R).
apply: (H (Num.sqrt (ln (5 / 4 / t)))); rewrite ?sqrtr_gt0 ?sqr_sqrtr ?(ltW L0) //.
have <- : Num.sqrt 2 / classical_std e t 1 = e / Num.sqrt (ln (5 / 4 / t)).
  have n0 : Num.sqrt (ln (5 / 4 / t)) != 0 by rewrite gt_eqF // sqrtr_gt0.
  have n2 : Num.sqrt 2 != 0 :> R by rewrite gt_eqF // sqrtr_gt0.
  by rewrite /classical_std sqrtrM //; move: (Num.sqrt (ln _)) (Num.sqrt 2) n0 n2 => u v n0 n2; field; rewrite n0 n2 gt_eqF.
apply/(client_exact e t s0) => x y xb yb; apply: contrapT => bad; apply: none.
by exists x, y.
Qed.
End Printed.
