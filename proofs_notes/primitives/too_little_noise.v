(* Noise with the factor sqrt(ln(1/delta)) in place of sqrt(2 ln(1.25/delta)), or for a sensitivity that is sqrt 2 times too
   small: for every epsilon it fails once delta is small. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure normal_line gaussian_dp gaussian_formulas gaussian_calibration gaussian_threshold.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Arithmetic.
Variable F : realFieldType.
Implicit Types (K e c E q : F).

Lemma little_arithmetic K e c E q : 0 < K -> 0 < e -> 0 < c -> 0 < E -> e ^+ 2 / (16 * c ^+ 3) <= q ->
  20 * c ^+ 3 < K * e ^+ 2 * E -> 5 / 4 * (E^-1 * E^-1) < K * E^-1 * q.
Proof.
move=> K0 e0 c0 E0 le big; have c3 : 0 < c ^+ 3 by rewrite exprn_gt0.
have KE : 0 < K * E^-1 by rewrite mulr_gt0 // invr_gt0.
apply: lt_le_trans (_ : K * E^-1 * (e ^+ 2 / (16 * c ^+ 3)) <= _); last by rewrite ler_pM2l.
have s0 : 0 < E^-1 * E^-1 / (16 * c ^+ 3) by rewrite !mulr_gt0 ?invr_gt0 ?mulr_gt0.
rewrite (_ : 5 / 4 * _ = 20 * c ^+ 3 * (E^-1 * E^-1 / (16 * c ^+ 3))); last by field; rewrite !gt_eqF.
rewrite (_ : K * E^-1 * _ = K * e ^+ 2 * E * (E^-1 * E^-1 / (16 * c ^+ 3))); last by field; rewrite !gt_eqF.
by rewrite ltr_pM2r.
Qed.

Lemma little_fraction e c : 0 < e -> e <= c -> 1 <= c ->
  e ^+ 2 / (16 * c ^+ 3) <= (e / (2 * c)) ^+ 2 / (2 * (c + e / (2 * c))).
Proof.
move=> e0 ce c1; have c0 : 0 < c by apply: lt_le_trans c1.
have m0 : 0 < e / (2 * c) by rewrite divr_gt0 // mulr_gt0.
have m1 : e / (2 * c) <= c by rewrite ler_pdivrMr ?mulr_gt0 //; nra.
rewrite (_ : e ^+ 2 / (16 * c ^+ 3) = (e / (2 * c)) ^+ 2 / (2 * (2 * c))); last by field; rewrite gt_eqF.
by rewrite ler_pM2l ?exprn_gt0 // lef_pV2 ?posrE ?mulr_gt0 ?addr_gt0 // ler_pM2l //; lra.
Qed.
End Arithmetic.

Section Little.
Context {R : realType}.
Local Notation phi := (normal_pdf (0 : R) 1).
Implicit Types (c e m t x : R).

(* The delta of noise c D / epsilon, at epsilon = 2 c m, is at least this: its slope is at least a fraction of the density. *)
Lemma gap_slope c x m : 0 < c -> 0 < x -> x <= m -> m <= 2 * c ->
  2 * phi c * (x / (c + m)) <= 2 * expR (2 * c * x) * (phi (c + x) - c * upper (c + x)).
Proof.
move=> c0 x0 xm mc; have y0 : 0 < c + x by rewrite addr_gt0.
have pp z : 0 < phi z by rewrite normal_pdf_gt0 // oner_neq0.
have e1 : expR (2 * c * x) * phi (c + x) = phi (c - x).
  by rewrite !phiE mulrCA -expRD; congr (_ * expR _); field.
have e2 : phi c <= phi (c - x).
  by rewrite !phiE ler_wpM2l ?invr_ge0 ?sqrtr_ge0 // ler_expR lerN2; nra.
have mills : c * upper (c + x) <= phi (c + x) * (c / (c + x)).
  by rewrite [leRHS]mulrCA ler_pM2l //; exact: upper_mills.
have z0 : 0 < c + m by rewrite addr_gt0 // (lt_le_trans x0).
have frac : x / (c + m) <= x / (c + x) by rewrite ler_pM2l // lef_pV2 ?posrE // lerD2l.
have h : expR (2 * c * x) * (c * upper (c + x)) <= phi (c - x) * (c / (c + x)).
  by rewrite -e1 -[leRHS]mulrA ler_pM2l ?expR_gt0.
have e3 : phi (c - x) * (x / (c + x)) = phi (c - x) - phi (c - x) * (c / (c + x)).
  by move: (phi (c - x)) => q; field; rewrite gt_eqF.
have key : phi c * (x / (c + m)) <= expR (2 * c * x) * (phi (c + x) - c * upper (c + x)).
  rewrite mulrBr e1; apply: le_trans (_ : phi (c - x) * (x / (c + x)) <= _); last by rewrite e3 lerD2l lerN2.
  by apply: ler_pM => //; rewrite ?divr_ge0 // ltW.
by rewrite -[X in X <= _]mulrA -[X in _ <= X]mulrA ler_pM2l.
Qed.

Lemma gap_lower c m : 0 < c -> 0 < m -> m <= 2 * c -> phi c * (m ^+ 2 / (2 * (c + m))) <= gap c m.
Proof.
move=> c0 m0 mc; have h0 : 0 < m / 2 by rewrite divr_gt0.
have hm : m / 2 < m by lra.
have cont : {within `[m / 2, m], continuous (gap c)}.
  by apply: derivable_within_continuous => z _; case: (is_derive_gap c z).
have [z zin] := @MVT R (gap c) (fun x => 2 * expR (2 * c * x) * (phi (c + x) - c * upper (c + x))) _ _ hm
  (fun x _ => is_derive_gap c x) cont.
move: zin; rewrite in_itv /= => /andP[z1 z2] e.
have z0 : 0 < z by lra.
have low : 0 <= gap c (m / 2).
  have g0 : gap c 0 = 0 by rewrite gapE !mulr0 expR0 mul1r subr0 addr0 subrr.
  by rewrite -g0; apply/ltW/gap_increasing.
have := gap_slope c0 z0 (ltW z2) mc; move: e; set slope := 2 * expR _ * _ => e le.
have -> : gap c m = gap c (m / 2) + slope * (m - m / 2) by rewrite -e; ring.
have pc : 0 < phi c by rewrite normal_pdf_gt0 // oner_neq0.
have cm : 0 < c + m by rewrite addr_gt0.
apply: le_trans (_ : 2 * phi c * (m / 2 / (c + m)) * (m - m / 2) <= _).
  by rewrite le_eqVlt; apply/orP; left; apply/eqP; field; rewrite gt_eqF.
apply: le_trans (_ : slope * (m - m / 2) <= _); last by rewrite lerDr.
apply: ler_wpM2r; first by lra.
apply: le_trans le; rewrite ler_pM2l ?mulr_gt0 // ler_pM2r ?invr_gt0 //; exact: ltW.
Qed.

Lemma little_profile e c : 0 < e -> e <= c -> 1 <= c ->
  20 * c ^+ 3 < (Num.sqrt (pi *+ 2))^-1 * e ^+ 2 * expR (c ^+ 2 / 2) ->
  5 / 4 * expR (- c ^+ 2) < profile (e / c) (expR e).
Proof.
move=> e0 ce c1 big; have c0 : 0 < c by apply: lt_le_trans c1.
pose m := e / (2 * c); have m0 : 0 < m by rewrite divr_gt0 // mulr_gt0.
have em : e / c = 2 * m by rewrite /m; field; rewrite gt_eqF.
have cm : e = 2 * c * m by rewrite /m; field; rewrite gt_eqF.
have m1 : m <= 1 / 2 by rewrite /m ler_pdivrMr ?mulr_gt0 //; lra.
rewrite em {1}cm profileE // -gapE; apply: lt_le_trans (gap_lower c0 m0 _); last by lra.
have split_exp : expR (- c ^+ 2) = (expR (c ^+ 2 / 2))^-1 * (expR (c ^+ 2 / 2))^-1.
  by rewrite -!expRN -expRD; congr expR; field.
have low : phi c = (Num.sqrt (pi *+ 2))^-1 * (expR (c ^+ 2 / 2))^-1 by rewrite phiE expRN.
rewrite low split_exp; apply: little_arithmetic big => //; rewrite ?expR_gt0 //.
  by rewrite invr_gt0 sqrtr_gt0 pmulrn_lgt0 // pi_gt0.
exact: little_fraction.
Qed.

(* A bound for the exponential by a power. *)
Lemma expR_power (y : R) : 0 <= y -> y ^+ 8 <= expR (y * 8%:R).
Proof.
move=> y0; rewrite expRM_natr; apply: lerXn2r; rewrite ?nnegrE ?expR_ge0 //.
by apply: le_trans (expR_ge1Dx _); rewrite lerDr.
Qed.

(* For every epsilon: values that move by epsilon / c standard deviations, c^2 = ln(1.25 / delta) or less, are not private. *)
Theorem too_little_noise e : 0 < e -> exists2 c0 : R, 0 < c0 & forall c, c0 <= c ->
  5 / 4 * expR (- c ^+ 2) < profile (e / c) (expR e).
Proof.
move=> e0; pose K : R := (Num.sqrt (pi *+ 2))^-1; have K0 : 0 < K.
  by rewrite invr_gt0 sqrtr_gt0 pmulrn_lgt0 // pi_gt0.
have e2 : 0 < e ^+ 2 by rewrite exprn_gt0.
have k0 : 0 < 20 / (K * e ^+ 2) by rewrite divr_gt0 // mulr_gt0.
exists (16 + e + 20 / (K * e ^+ 2)) => [|c le]; first by rewrite !addr_gt0.
have c16 : 16 <= c by apply: le_trans le; rewrite -addrA lerDl addr_ge0 // ltW.
have c0 : 0 < c by apply: lt_le_trans c16.
have c1 : 1 <= c by apply: le_trans c16; rewrite ler1n.
have ce : e <= c by apply: le_trans le; rewrite [16 + e]addrC -addrA lerDl addr_ge0 // ltW.
have ck : 20 / (K * e ^+ 2) < c by apply: lt_le_trans le; rewrite ltrDr addr_gt0.
have E0 : 0 < expR (c ^+ 2 / 2) by exact: expR_gt0.
have big : 20 * c ^+ 3 < K * e ^+ 2 * expR (c ^+ 2 / 2).
  have y0 : 0 <= c ^+ 2 / 16 by rewrite divr_ge0 ?sqr_ge0.
  have y1 : c <= c ^+ 2 / 16 by rewrite ler_pdivlMr // expr2 ler_pM2l.
  have h8 : c ^+ 8 <= expR (c ^+ 2 / 2).
    apply: le_trans (_ : (c ^+ 2 / 16) ^+ 8 <= _); first by apply: lerXn2r; rewrite ?nnegrE // ltW.
    by apply: le_trans (expR_power y0) _; rewrite ler_expR le_eqVlt; apply/orP; left; apply/eqP; field.
  have h4 : c ^+ 4 <= c ^+ 8.
    by rewrite (exprD c 4 4) ler_peMr ?exprn_ge0 ?exprn_ege1 ?(ltW c0).
  have ck' : 20 < K * e ^+ 2 * c by rewrite mulrC -ltr_pdivrMr // mulr_gt0.
  apply: lt_le_trans (_ : K * e ^+ 2 * c ^+ 4 <= _); last first.
    by rewrite ler_pM2l ?mulr_gt0 // (le_trans h4).
  by rewrite [c ^+ 4]exprS mulrA ltr_pM2r // exprn_gt0.
exact: little_profile.
Qed.

(* The same as a statement about delta. *)
Corollary too_little_noise_delta e (k : R) : 0 < e -> 1 <= k <= 5 / 4 -> exists t, [/\ 0 < t, t < 1 &
  forall c, 0 < c -> c ^+ 2 = ln (k / t) -> ~ calibrated e t (e / c)].
Proof.
move=> e0 /andP[k1 k2]; have [c0 c00 H] := too_little_noise e0; pose c := c0 + 1.
have c1 : 1 < c ^+ 2 by rewrite /c; nra.
have k0 : 0 < k by lra.
exists (k * expR (- c ^+ 2)); split; first by rewrite mulr_gt0 ?expR_gt0.
  have h : expR (- c ^+ 2) <= expR (- 1) by rewrite ler_expR lerN2 ltW.
  have h1 : expR (- 1) <= 2^-1 :> R.
    rewrite expRN lef_pV2 ?posrE ?expR_gt0 //; apply: le_trans (expR_ge1Dx 1); lra.
  apply: le_lt_trans (_ : 5 / 4 * 2^-1 < 1); last by lra.
  by apply: ler_pM => //; [lra | exact: expR_ge0 | exact: le_trans h1].
have e3 : k / (k * expR (- c ^+ 2)) = expR (c ^+ 2).
  by rewrite invfM mulrA divff ?gt_eqF // mul1r -expRN opprK.
move=> c' c'0; rewrite e3 expRK => cc; have -> : c' = c.
  by apply/eqP; rewrite -(@eqrXn2 _ 2) ?cc // ltW // /c addr_gt0.
move=> cal; have := H c (_ : c0 <= c); rewrite lerDl ler01 => /(_ isT); apply/negP; rewrite -leNgt.
by apply: le_trans cal _; rewrite ler_wpM2r ?expR_ge0.
Qed.
End Little.
