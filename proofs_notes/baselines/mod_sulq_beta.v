(* MOD-SULQ with the published beta, for every n, every d >= 2, epsilon > 0 and delta in (0, 1). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp
  measure.
From mathcomp Require Import numfun measurable_realfun lebesgue_measure lebesgue_integral trigo.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure squared_norms gaussian_dp gaussian_formulas gaussian_calibration gaussian_matrix.
From DPPCA.primitives Require Import row_changes triangle_noise.
From DPPCA.baselines Require Import normal_noise.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Beta.
Context (R : realType) (n d : nat).
Implicit Types (e t : R).

(* Line 2. *)
Definition printed_beta e t : R := (d%:R + 1) / (n%:R * e) *
  Num.sqrt (2 * ln ((d%:R ^+ 2 + d%:R) / (2 * Num.sqrt (2 * pi) * t))) + (n%:R * Num.sqrt e)^-1.

Lemma root_pi : 2 <= Num.sqrt (2 * pi) :> R /\ Num.sqrt (2 * pi) < 3 :> R.
Proof.
have p4 : pi < 4 :> R by have := @pihalf_lt2 R; lra.
split; first by rewrite -[leLHS]ger0_norm ?ler0n // -sqrtr_sqr ler_wsqrtr //; have := @pi_ge2 R; lra.
rewrite -[ltRHS]ger0_norm ?ler0n // -sqrtr_sqr ltr_sqrt; lra.
Qed.

Hypotheses (d2 : (1 < d)%N) (n0 : (0 < n)%N).

Lemma printed_beta_calibrated e t : 0 < e -> 0 < t -> t < 1 ->
  0 < printed_beta e t /\ calibrated e t (Num.sqrt 2 / n%:R / printed_beta e t).
Proof.
move=> e0 t0 t1; have nr : 0 < n%:R :> R by rewrite ltr0n.
have [p2 p3] := root_pi; set q := Num.sqrt (2 * pi) in p2 p3.
have dr : 2 <= d%:R :> R by rewrite ler_nat.
have re : 0 < Num.sqrt e by rewrite sqrtr_gt0.
have re2 : Num.sqrt e ^+ 2 = e by rewrite sqr_sqrtr // ltW.
rewrite /printed_beta -/q; set K := (d%:R ^+ 2 + d%:R) / (2 * q * t).
have Kt : t^-1 <= K.
  have q0 : 0 < q by lra.
  rewrite /K ler_pdivlMr ?mulr_gt0 // [leLHS](_ : _ = 2 * q); last by field; rewrite gt_eqF.
  by rewrite expr2; nra.
have K1 : 1 < K by apply: lt_le_trans Kt; rewrite invf_gt1.
have l0 : 0 < ln K by rewrite ln_gt0.
have rho0 : 0 < Num.sqrt (2 * ln K) by rewrite sqrtr_gt0 mulr_gt0.
have rho2 : expR (- (Num.sqrt (2 * ln K) ^+ 2 / 2)) <= t.
  rewrite sqr_sqrtr ?mulr_ge0 ?(ltW l0) // mulrAC divff ?mul1r ?pnatr_eq0 // expRN lnK ?posrE ?(lt_trans ltr01) //.
  by rewrite -[leRHS]invrK lef_pV2 ?posrE ?invr_gt0 // (lt_trans ltr01).
move: (Num.sqrt (2 * ln K)) rho0 rho2 => rho rho0 rho2.
have b0 : 0 < (d%:R + 1) / (n%:R * e) * rho + (n%:R * Num.sqrt e)^-1.
  apply: addr_gt0; last by rewrite invr_gt0 mulr_gt0.
  by rewrite mulr_gt0 // divr_gt0 ?mulr_gt0 //; lra.
split=> //; set b := _ + _ in b0 *.
have r2 : 0 < Num.sqrt 2 :> R by rewrite sqrtr_gt0.
have r22 : Num.sqrt 2 ^+ 2 = 2 :> R by rewrite sqr_sqrtr.
have r15 : Num.sqrt 2 <= 3 / 2 :> R.
  by rewrite -[leRHS]ger0_norm ?divr_ge0 // -sqrtr_sqr ler_wsqrtr //; lra.
have nb : b * n%:R = (d%:R + 1) / e * rho + (Num.sqrt e)^-1.
  by rewrite /b; move: (Num.sqrt e) re => w w0; field; rewrite !gt_eqF.
have h : 3 * rho / e + (Num.sqrt e)^-1 <= b * n%:R.
  rewrite nb lerD2r mulrAC ler_wpM2r ?(ltW rho0) // ler_wpM2r ?invr_ge0 ?(ltW e0) //; lra.
pose m : R := Num.sqrt 2 / n%:R / b; have m0 : 0 < m by rewrite !divr_gt0.
have mb : m = Num.sqrt 2 / (b * n%:R) by rewrite /m invfM mulrA mulrAC.
have B0 : 0 < b * n%:R by rewrite mulr_gt0.
have x1 : rho <= e / m - m / 2.
  have big : 3 * rho + Num.sqrt e <= e * (b * n%:R).
    rewrite -ler_pdivrMl // [leLHS](_ : _ = 3 * rho / e + (Num.sqrt e)^-1) //.
    by move: (Num.sqrt e) re re2 => w w0 <-; field; rewrite gt_eqF.
  have small : (b * n%:R)^-1 <= Num.sqrt e.
    rewrite -[leRHS]invrK lef_pV2 ?posrE ?invr_gt0 //; apply: le_trans h.
    by rewrite lerDr divr_ge0 ?mulr_ge0 ?(ltW rho0) ?(ltW e0).
  have f1 : e / m = e * (b * n%:R) / Num.sqrt 2.
    by rewrite mb; move: (b * n%:R) B0 => B B0; field; rewrite !gt_eqF.
  have f2 : m / 2 = (Num.sqrt 2 * (b * n%:R))^-1.
    by rewrite mb -[X in _ / X]r22; move: (b * n%:R) B0 => B B0; field; rewrite !gt_eqF.
  rewrite f1 f2 invfM [(Num.sqrt 2)^-1 * _]mulrC -mulrBl ler_pdivlMr //; nra.
apply: (@le_trans _ _ (upper rho)); last first.
  apply: le_trans (upper_chernoff (ltW rho0)) _; apply: le_trans rho2.
  by rewrite ler_pdivrMr // ler_peMr ?expR_ge0 // ler1n.
rewrite -/m /calibrated /profile expRK; apply: (@le_trans _ _ (upper (e / m - m / 2))); last exact: upper_antitone.
by rewrite gerBl mulr_ge0 ?expR_ge0 ?upper_ge0.
Qed.

(* chaudhuri2013.theorem-1, d >= 2: as published, for every epsilon > 0 and delta in (0, 1) *)
Theorem mod_sulq_printed e t (X X' : 'M[R]_(n, d)) : 0 < e -> 0 < t -> t < 1 -> replaced X X' ->
  indist (expR e) t (mod_sulq (printed_beta e t) X) (mod_sulq (printed_beta e t) X').
Proof.
move=> e0 t0 t1; have [b0 cal] := printed_beta_calibrated e0 t0 t1; apply: mod_sulq_private => //.
by rewrite /row_bound; case: eqP d2 => [->|].
Qed.
End Beta.

Example mod_sulq_printed_holds (R : realType) (X X' : 'M[R]_(4, 2)) : replaced X X' ->
  indist (expR 3) (1 / 2) (mod_sulq (printed_beta 4 2 3 (1 / 2)) X) (mod_sulq (printed_beta 4 2 3 (1 / 2)) X').
Proof. by apply: mod_sulq_printed => //; lra. Qed.
