(* MOD-SULQ with the published beta, for every n, d, epsilon > 0 and delta in (0, 1) for which beta is defined: for d = 1 the
   logarithm under its root is negative beyond delta = 1 / sqrt(2 pi).

   printed_beta n d e t   line 2
   beta_defined d t       the logarithm under its root is not negative
   mod_sulq_printed       d >= 2
   mod_sulq_corrected     every d: for which delta beta is defined, and that it is enough for these *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp
  measure.
From mathcomp Require Import numfun measurable_realfun lebesgue_measure lebesgue_integral trigo probability.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure squared_norms gaussian_dp gaussian_formulas gaussian_calibration gaussian_threshold
  gaussian_matrix.
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
Definition printed_log t : R := ln ((d%:R ^+ 2 + d%:R) / (2 * Num.sqrt (2 * pi) * t)).
Definition beta_defined t : Prop := 0 <= printed_log t.
Definition printed_beta e t : R :=
  (d%:R + 1) / (n%:R * e) * Num.sqrt (2 * printed_log t) + (n%:R * Num.sqrt e)^-1.

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
rewrite /printed_beta /printed_log -/q; set K := (d%:R ^+ 2 + d%:R) / (2 * q * t).
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
apply: le_trans (profile_tail x1) _; apply: le_trans (upper_chernoff (ltW rho0)) _; apply: le_trans rho2.
by rewrite ler_pdivrMr // ler_peMr ?expR_ge0 // ler1n.
Qed.

(* chaudhuri2013.theorem-1, d >= 2: as published, for every epsilon > 0 and delta in (0, 1) *)
Theorem mod_sulq_printed e t (X X' : 'M[R]_(n, d)) : 0 < e -> 0 < t -> t < 1 -> replaced X X' ->
  indist (expR e) t (mod_sulq (printed_beta e t) X) (mod_sulq (printed_beta e t) X').
Proof.
move=> e0 t0 t1; have [b0 cal] := printed_beta_calibrated e0 t0 t1; apply: mod_sulq_private => //.
by rewrite /row_bound; case: eqP d2 => [->|].
Qed.
End Beta.

Section Line.
Context (R : realType).
Local Notation phi := (normal_pdf (0 : R) 1).
Implicit Types (e t x y rho D : R).

Lemma phi_ge x : (1 - x ^+ 2 / 2) * phi 0 <= phi x.
Proof.
rewrite !phiE expr0n mul0r oppr0 expR0 mulr1 mulrC ler_wpM2l ?invr_ge0 ?sqrtr_ge0 //.
exact: expR_ge1Dx.
Qed.

Lemma phi0_big : 100 / 283 <= phi 0.
Proof.
rewrite phiE expr0n mul0r oppr0 expR0 mulr1 -[leLHS]invrK.
have p0 : 0 < pi *+ 2 :> R by rewrite pmulrn_lgt0 // pi_gt0.
rewrite lef_pV2 ?posrE ?sqrtr_gt0 ?invr_gt0 ?divr_gt0 // invf_div.
have h : 0 <= 283 / 100 :> R by rewrite divr_ge0.
rewrite -[leRHS]ger0_norm // -sqrtr_sqr ler_wsqrtr //; have := @pihalf_lt2 R; rewrite -mulr_natr; lra.
Qed.

(* The noise of the published beta for d = 1, in standard deviations that the release moves by. *)
Lemma line_calibrated e rho : 0 < e -> 0 <= rho -> calibrated e (phi rho) (2 * rho / e + (Num.sqrt e)^-1)^-1.
Proof.
move=> e0 rho0; have s0 : 0 < Num.sqrt e by rewrite sqrtr_gt0.
have ee : e = Num.sqrt e ^+ 2 by rewrite sqr_sqrtr // ltW.
move: (Num.sqrt e) s0 ee => s s0 ee; have rs0 : 0 < 2 * rho + s by lra.
set D := _^-1; have DE : D = s ^+ 2 / (2 * rho + s) by rewrite /D ee; field; rewrite !gt_eqF.
have D0 : 0 < D by rewrite DE divr_gt0 ?exprn_gt0.
have eD : e / D = 2 * rho + s by rewrite DE ee; field; rewrite !gt_eqF.
have Ds : D <= s by rewrite DE ler_pdivrMr // expr2 ler_pM2l // lerDr mulr_ge0.
have p0 := phi0_big; have ge := phi_ge rho; rewrite /calibrated.
have [big|small] := leP (9 / 20) rho.
  apply: le_trans (@profile_tail R D e (2 * rho) _) _; first by rewrite eD; lra.
  apply: le_trans (upper_mills _) _; first lra.
  rewrite ler_pdivrMr; last lra.
  rewrite !phiE -[leRHS]mulrA ler_wpM2l ?invr_ge0 ?sqrtr_ge0 //.
  rewrite (_ : - ((2 * rho) ^+ 2 / 2) = - (rho ^+ 2 / 2) - 3 / 2 * rho ^+ 2); last by field.
  rewrite expRD ler_wpM2l ?expR_ge0 // expRN -[leRHS]invrK lef_pV2 ?posrE ?invr_gt0 ?expR_gt0 //; last lra.
  apply: le_trans (expR_ge1Dx _).
  rewrite invfM -ler_pdivlMr ?invr_gt0 //; last lra.
  rewrite invrK -[leLHS]mul1r ler_pdivrMr; last lra.
  rewrite expr2; nra.
have [s1|s1] := leP s 1.
  apply: le_trans (profile_flat D0 (ltW e0)) _; apply: le_trans ge; rewrite ler_wpM2r //; first lra.
  have h1 : s ^+ 2 <= s by rewrite expr2 ler_piMr // ltW.
  have h2 : rho * s <= 9 / 20 by apply: le_trans (ltW small); rewrite ler_piMr.
  have h3 : rho * rho <= 9 / 20 by apply: le_trans (ltW small); rewrite ler_piMr //; lra.
  have h4 : 0 <= rho * (2 - rho * s / 2 - rho * rho) by rewrite mulr_ge0 //; lra.
  rewrite DE ler_pdivrMr //; apply: le_trans h1 _; rewrite -subr_ge0; apply: le_trans h4 _.
  by rewrite le_eqVlt; apply/orP; left; apply/eqP; field.
have close y : 0 <= y -> rho <= y -> (1 - y ^+ 2 / 2) * phi 0 <= phi rho.
  move=> y0 ry; apply: le_trans ge; rewrite ler_wpM2r //; first lra.
  by rewrite lerD2l lerN2 ler_wpM2r ?invr_ge0 // ler_sqr ?nnegrE.
have [r1|r1] := leP rho (1 / 5).
  apply: le_trans (@profile_tail R D e (1 / 2) _) _; first by rewrite eD; lra.
  apply: le_trans (upper_half _) _; first lra.
  have h := phi_ge (1 / 2); have h2 := close (1 / 5) ltac:(lra) r1; rewrite !expr2 in h h2; lra.
apply: le_trans (@profile_tail R D e (9 / 10) _) _; first by rewrite eD; lra.
apply: le_trans (upper_half _) _; first lra.
have h := phi_ge (9 / 10); have h2 := close (9 / 20) ltac:(lra) (ltW small); rewrite !expr2 in h h2; lra.
Qed.

(* The logarithm under the root of beta is that of a number which is at least 1. *)
Lemma printed_defined d t : (0 < d)%N -> 0 < t -> t < 1 ->
  beta_defined d t <-> (1 < d)%N \/ t <= (Num.sqrt (2 * pi))^-1.
Proof.
move=> d0 t0 t1; have [p2 p3] := root_pi R; rewrite /beta_defined /printed_log.
move: (Num.sqrt (2 * pi)) p2 p3 => q p2 p3; have q0 : 0 < q by lra.
have dr : 1 <= d%:R :> R by rewrite ler1n.
have K0 : 0 < (d%:R ^+ 2 + d%:R) / (2 * q * t) by rewrite divr_gt0 ?mulr_gt0 // expr2; nra.
rewrite -(@ln1 R) ler_ln ?posrE // ler_pdivlMr ?mulr_gt0 // mul1r.
case: d d0 dr {K0} => [|[|d]] // _ dr.
  rewrite expr1n -[t <= q^-1](ler_pM2l q0) divff ?gt_eqF //; split=> [h|[//|h]]; last lra.
  by right; lra.
split=> [_|_]; first by left.
have d2 : 2 <= d.+2%:R :> R by rewrite ler_nat.
have : q * t <= q by rewrite ler_piMr ?(ltW q0) ?(ltW t1).
by rewrite expr2; nra.
Qed.

Lemma printed_line n e t : (0 < n)%N -> 0 < e -> 0 < t -> beta_defined 1 t ->
  0 < printed_beta n 1 e t /\ calibrated e t (1 / n%:R / printed_beta n 1 e t).
Proof.
move=> n0 e0 t0; have nr : 0 < n%:R :> R by rewrite ltr0n.
have s0 : 0 < Num.sqrt e by rewrite sqrtr_gt0.
have q0 : 0 < Num.sqrt (2 * pi) :> R by rewrite sqrtr_gt0 mulr_gt0 ?pi_gt0.
rewrite /beta_defined /printed_beta; set l := printed_log 1 t => l0.
set rho := Num.sqrt (2 * l); have rho0 : 0 <= rho by exact: sqrtr_ge0.
have tE : t = phi rho.
  rewrite phiE sqr_sqrtr ?mulr_ge0 // mulrAC divff ?mul1r ?pnatr_eq0 // expRN /l /printed_log lnK ?posrE; last first.
    by rewrite divr_gt0 ?mulr_gt0 // expr1n addr_gt0.
  rewrite -[pi *+ 2]mulr_natl expr1n; move: (Num.sqrt _) q0 => q q0; by field; rewrite !gt_eqF.
have b0 : 0 < (1%:R + 1) / (n%:R * e) * rho + (n%:R * Num.sqrt e)^-1.
  by rewrite ltr_wpDl ?invr_gt0 ?mulr_gt0 // mulr_ge0 // divr_ge0 ?addr_ge0 ?mulr_ge0 ?(ltW nr) ?(ltW e0).
split=> //; rewrite {1}tE.
suff -> : 1 / n%:R / ((1%:R + 1) / (n%:R * e) * rho + (n%:R * Num.sqrt e)^-1) = (2 * rho / e + (Num.sqrt e)^-1)^-1.
  exact: line_calibrated.
rewrite mul1r -invfM; congr (_^-1); move: (Num.sqrt e) s0 => s s0; by field; rewrite !gt_eqF.
Qed.

(* chaudhuri2013.theorem-1, as corrected: for every d, delta and epsilon for which beta is defined *)
Theorem mod_sulq_corrected n d e t : (0 < n)%N -> (0 < d)%N -> 0 < e -> 0 < t -> t < 1 ->
  (beta_defined d t <-> (1 < d)%N \/ t <= (Num.sqrt (2 * pi))^-1) /\
  (beta_defined d t -> forall X X' : 'M[R]_(n, d), replaced X X' ->
     indist (expR e) t (mod_sulq (printed_beta n d e t) X) (mod_sulq (printed_beta n d e t) X')).
Proof.
move=> n0 d0 e0 t0 t1; split; first exact: printed_defined.
case: d d0 => [|[|d]] // _ def X X' nb; last exact: mod_sulq_printed.
have [b0 cal] := printed_line n0 e0 t0 def; apply: mod_sulq_private => //.
by rewrite /row_bound eqxx sqrtr1.
Qed.
End Line.

Example mod_sulq_printed_holds (R : realType) (X X' : 'M[R]_(4, 2)) : replaced X X' ->
  indist (expR 3) (1 / 2) (mod_sulq (printed_beta 4 2 3 (1 / 2)) X) (mod_sulq (printed_beta 4 2 3 (1 / 2)) X').
Proof. by apply: mod_sulq_printed => //; lra. Qed.

(* beta is defined for d = 1 and delta = 1/3, and not for delta = 3/4. *)
Example mod_sulq_line_holds (R : realType) (X X' : 'M[R]_(4, 1)) : replaced X X' ->
  indist (expR 3) (1 / 3) (mod_sulq (printed_beta 4 1 3 (1 / 3)) X) (mod_sulq (printed_beta 4 1 3 (1 / 3)) X').
Proof.
have t1 : 1 / 3 < 1 :> R by lra.
have [def private] := @mod_sulq_corrected R 4 1 3 (1 / 3) isT isT ltac:(lra) ltac:(lra) t1.
have [p2 p3] := root_pi R; apply: private; apply/def; right.
by rewrite mul1r lef_pV2 ?posrE ?(ltW p3) //; lra.
Qed.
Example beta_undefined (R : realType) : ~ beta_defined 1 (3 / 4 : R).
Proof.
have [p2 p3] := root_pi R; have q0 : 0 < Num.sqrt (2 * pi) :> R by lra.
have [t0 t1] : 0 < 3 / 4 :> R /\ 3 / 4 < 1 :> R by split; lra.
move=> /(printed_defined (isT : (0 < 1)%N) t0 t1)[//|]; rewrite -[leRHS]mul1r ler_pdivlMr //; lra.
Qed.
