(* How far a formula of the form std = c D / epsilon serves: exactly up to one threshold in epsilon.

   upper_mean            the tail falls by the density at a point between, times the distance
   upper_half            upper x <= 1/2 - x times the density at x, for x >= 0
   profile_flat, profile_tail   two bounds of the profile: D times the density at 0, and its first tail
   gap c m               profile (2 m) (exp (2 c m)), the delta of noise c D / epsilon at epsilon = 2 c m
   calibrated_threshold  for c > 0 and 0 < t < 1 there is an e0 > 0 such that calibrated e t (e / c) iff e <= e0 *)
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure normal_line gaussian_dp gaussian_formulas gaussian_calibration.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Threshold.
Context {R : realType}.
Local Notation mu := (@lebesgue_measure R).
Local Notation phi := (normal_pdf (0 : R) 1).
Implicit Types (c e m t x y D : R).

Lemma is_derive_upper x : is_derive x 1 (@upper R) (- phi x).
Proof.
pose F (y : R) : R := (\int[mu]_(z in [set` Interval -oo%O (BRight y)]) phi z)%R.
have e : @upper R = (cst 1 - F).
  apply/funext => y; rewrite -{1}[y]opprK upperN; congr (1 - _).
  by rewrite /F /Rintegral -/(normal_prob 0 1 `]-oo, y]%classic) lower_upper.
have fin : mu.-integrable [set` Interval -oo%O (BRight (x + 1))] (EFin \o phi).
  apply/integrableP; split.
    by apply/measurable_EFinP; apply: measurable_funTS; exact: measurable_normal_pdf.
  rewrite (_ : (fun z => _) = EFin \o phi); last by apply/funext => z; rewrite /= ger0_norm // normal_pdf_ge0.
  rewrite -[X in (X < _)%E]/(normal_prob 0 1 `]-oo, (x + 1)]%classic).
  by rewrite lower_upper ltry.
have lt : x < x + 1 by rewrite ltrDl.
have cphi : {for x, continuous phi} by apply: continuous_normal_pdf; exact: oner_neq0.
have [|dF dF'] := @continuous_FTC1 R phi -oo%O x (x + 1) lt fin _ cphi; first by rewrite /= ltNyr.
have H := @DeriveDef _ _ _ x 1 F (phi x) dF (etrans (esym (derive1E F x)) dF').
by rewrite e; apply: is_derive_eq; rewrite sub0r.
Qed.

(* The tail falls by the density at a point between, times the distance. *)
Lemma upper_mean x y : x <= y -> exists2 z, x <= z <= y & upper x - upper y = phi z * (y - x).
Proof.
move=> xy; have [|z zxy e] := @MVT_segment R (@upper R) (fun x => - phi x) x y xy (fun x _ => is_derive_upper x).
  by apply: derivable_within_continuous => z _; case: (is_derive_upper z).
by exists z; [move: zxy; rewrite in_itv | rewrite -opprB e mulNr opprK].
Qed.

Lemma phi_antitone x y : 0 <= x -> x <= y -> phi y <= phi x.
Proof.
move=> x0 xy; rewrite !phiE ler_wpM2l ?invr_ge0 ?sqrtr_ge0 // ler_expR lerN2 ler_wpM2r ?invr_ge0 //.
by rewrite ler_sqr ?nnegrE // (le_trans x0).
Qed.

Lemma upper_half x : 0 <= x -> upper x <= 1 / 2 - x * phi x.
Proof.
move=> x0; have [z /andP[z0 zx]] := upper_mean x0; rewrite upper0 subr0 => e.
by have := ler_wpM2r x0 (phi_antitone z0 zx); rewrite -e; lra.
Qed.

Lemma phi_le0 x : phi x <= phi 0.
Proof.
rewrite !phiE ler_wpM2l ?invr_ge0 ?sqrtr_ge0 // ler_expR lerN2 expr0n mul0r.
by rewrite divr_ge0 ?sqr_ge0.
Qed.

(* The profile is at most that for epsilon = 0, and at most the first of its two tails. *)
Lemma profile_flat D e : 0 < D -> 0 <= e -> profile D (expR e) <= D * phi 0.
Proof.
move=> D0 e0; apply: le_trans (@profile_antitone R D 1 (expR e) D0 ltr01 _) _.
  by rewrite -[leLHS]expR0 ler_expR.
have [|z _ h] := @upper_mean (- (D / 2)) (D / 2); first lra.
rewrite /profile ln1 mul0r sub0r add0r mul1r h mulrC opprK -splitr ler_wpM2l ?(ltW D0) //; exact: phi_le0.
Qed.

Lemma profile_tail D e x : x <= e / D - D / 2 -> profile D (expR e) <= upper x.
Proof.
move=> xe; rewrite /profile expRK; apply: (@le_trans _ _ (upper (e / D - D / 2))); last exact: upper_antitone.
by rewrite gerBl mulr_ge0 ?expR_ge0 ?upper_ge0.
Qed.

Definition gap c m := upper (-1 * m + c) - expR (2 * c * m + 0) * upper (1 * m + c).

Lemma gapE c m : gap c m = upper (c - m) - expR (2 * c * m) * upper (c + m).
Proof. by rewrite /gap mulN1r addr0 mul1r [- m + c]addrC [m + c]addrC. Qed.

Lemma is_derive_gap c m : is_derive m 1 (gap c) (2 * expR (2 * c * m) * (phi (c + m) - c * upper (c + m))).
Proof.
have H1 := @is_derive1_comp R (@upper R) (fun x => -1 * x + c) m _ _ (is_derive_upper (-1 * m + c)) (is_derive_affine (-1) c m).
have H2 := @is_derive1_comp R (@expR R) (fun x => 2 * c * x + 0) m _ _ (is_derive_expR (2 * c * m + 0)) (is_derive_affine (2
  * c) 0 m).
have H3 := @is_derive1_comp R (@upper R) (fun x => 1 * x + c) m _ _ (is_derive_upper (1 * m + c)) (is_derive_affine 1 c m).
have H := is_deriveB H1 (is_deriveM H2 H3).
apply: (@is_derive_eq _ _ _ _ _ _ _ _ H); rewrite /= !mulN1r !mulr1 addr0 mul1r [- m + c]addrC [m + c]addrC.
rewrite mulrN1 opprK; have -> : phi (c - m) = expR (2 * c * m) * phi (c + m).
  rewrite !phiE mulrCA -expRD; congr (_ * expR _); by field.
by rewrite /GRing.scale /=; ring.
Qed.

Lemma gap_increasing c x y : 0 < c -> 0 <= x -> x < y -> gap c x < gap c y.
Proof.
move=> c0 x0 xy; apply: (@gtr0_derive1_incr R (gap c) 0 y) => //.
- by move=> z _; case: (is_derive_gap c z).
- move=> z; rewrite in_itv /= => /andP[z0 _]; rewrite derive1E; have [_ ->] := is_derive_gap c z.
  have y0 : 0 < c + z by rewrite addr_gt0.
  have p0 : 0 < phi (c + z) by rewrite normal_pdf_gt0 // oner_neq0.
  rewrite pmulr_rgt0 ?mulr_gt0 ?expR_gt0 // subr_gt0.
  have [u0|u0] := eqVneq (upper (c + z)) 0; first by rewrite u0 mulr0.
  have up : 0 < upper (c + z) by rewrite lt_def u0 upper_ge0.
  by have := upper_mills y0; rewrite ler_pdivlMr //; apply: lt_le_trans; rewrite mulrC ltr_pM2l // ltrDl.
- by apply: derivable_within_continuous => z _; case: (is_derive_gap c z).
Qed.

Lemma gap_large c m : 0 < c -> c <= m -> 1 - expR (- ((m - c) ^+ 2 / 2)) <= gap c m.
Proof.
move=> c0 cm; rewrite gapE -[c - m]opprB upperN.
have h1 : upper (m - c) <= expR (- ((m - c) ^+ 2 / 2)) / 2 by apply: upper_chernoff; rewrite subr_ge0.
have h2 : expR (2 * c * m) * upper (c + m) <= expR (- ((m - c) ^+ 2 / 2)) / 2.
  rewrite (_ : - ((m - c) ^+ 2 / 2) = 2 * c * m + - ((c + m) ^+ 2 / 2)); last by field.
  rewrite expRD [leRHS](_ : _ = expR (2 * c * m) * (expR (- ((c + m) ^+ 2 / 2)) / 2)); last by rewrite mulrA.
  by rewrite ler_wpM2l ?expR_ge0 // upper_chernoff // ltW // addr_gt0 // (lt_le_trans c0).
lra.
Qed.

Theorem gap_threshold c t : 0 < c -> 0 < t -> t < 1 -> exists2 m0, 0 < m0 & forall m, 0 < m -> (gap c m <= t) = (m <= m0).
Proof.
move=> c0 t0 t1; have g0 : gap c 0 = 0 by rewrite gapE !mulr0 expR0 mul1r subr0 addr0 subrr.
pose b := c + Num.sqrt (2 * - ln (1 - t)); have t1' : 0 < 1 - t by rewrite subr_gt0.
have l0 : 0 <= - ln (1 - t) by rewrite oppr_ge0 ln_le0 //; lra.
have cb : c <= b by rewrite lerDl sqrtr_ge0.
have tb : t <= gap c b.
  apply: le_trans (gap_large c0 cb); rewrite /b addrAC subrr add0r sqr_sqrtr ?mulr_ge0 //.
  rewrite (_ : - (2 * - ln (1 - t) / 2) = ln (1 - t)); last by field.
  by rewrite lnK ?posrE //; lra.
have b0 : 0 < b by exact: lt_le_trans cb.
have cont : {within `[0, b], continuous (gap c)}.
  by apply: derivable_within_continuous => z _; case: (is_derive_gap c z).
have between : Num.min (gap c 0) (gap c b) <= t <= Num.max (gap c 0) (gap c b).
  by rewrite g0 ge_min le_max (ltW t0) tb orbT.
have [m0] := IVT (ltW b0) cont between; rewrite in_itv /= => /andP[m00 _] gm0.
have pos : 0 < m0 by rewrite lt_def m00 andbT; apply: contraTneq t0 => e; rewrite -gm0 e g0 ltxx.
exists m0 => // m mpos; apply/idP/idP => [|le].
  by rewrite -gm0; apply: contraTT; rewrite -!ltNge => lt; apply: gap_increasing.
rewrite -gm0; move: le; rewrite le_eqVlt => /orP[/eqP->|lt] //.
by apply/ltW/gap_increasing => //; exact: ltW.
Qed.

(* Noise c D / epsilon, where the values change by D. *)
Theorem calibrated_threshold c t : 0 < c -> 0 < t -> t < 1 ->
  exists2 e0, 0 < e0 & forall e, 0 < e -> calibrated e t (e / c) <-> e <= e0.
Proof.
move=> c0 t0 t1; have [m0 m00 H] := gap_threshold c0 t0 t1.
have d0 : 0 < 2 * c by rewrite mulr_gt0.
exists (2 * c * m0); first by rewrite mulr_gt0.
move=> e e0; have m_gt0 : 0 < e / (2 * c) by rewrite divr_gt0.
have nc : c != 0 by rewrite gt_eqF.
have e1 : e / c = 2 * (e / (2 * c)) by field.
have e2 : e = 2 * c * (e / (2 * c)) by field.
rewrite /calibrated e1 {2}e2 profileE // -gapE H // ler_pdivrMr // [m0 * _]mulrC.
by [].
Qed.
End Threshold.
