(* Randomised response and the normal law: a release that is (e, 0)-private is no easier to distinguish than two normal numbers.

   upper_change_ge    the upper tail of N(0, 1) falls by at least the distance times the least density in between
   response_profile   randomised response with the probability p = Phi(m / 2), then what is B-Gaussian private, are together
                      no easier to distinguish than N(sqrt(m^2 + B^2), 1) from N(0, 1)
   chord              the line through two points of the profile, in the form that advanced_composition.v uses
   response_bound     for e <= 0.41, randomised response with e^e is covered by m = 1.7 e
   share_bounds       m = 1.7 e' for the share e' of one of k releases: k m^2 is less than what (e, t / 2) allows *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc charge probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure densities normal_line gaussian_dp gaussian_run gaussian_formulas gaussian_calibration gaussian_exact.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Response.
Context {R : realType}.
Local Notation mu := (@lebesgue_measure R).
Implicit Types (a b c h l m B p r t : R).

Lemma profile_inverse B a : 0 < a -> profile B a^-1 = 1 - (1 - profile B a) / a.
Proof.
move=> a0; rewrite /profile lnV ?posrE //.
rewrite (_ : - ln a / B - B / 2 = - (ln a / B + B / 2)); last by ring.
rewrite (_ : - ln a / B + B / 2 = - (ln a / B - B / 2)); last by ring.
by rewrite !upperN; field; rewrite gt_eqF.
Qed.

Lemma upper_profile B c b : 0 < B -> 0 < b -> upper (c - B) <= b * upper c + profile B b.
Proof.
move=> B0 b0; have := (proj2 (line_profile _ B0 b0)) (lexx _) `[c, +oo[%classic (measurable_itv _).
by rewrite -!/(tail _ _ _) !tail_upper ?ltr01 // !divr1 subr0 -EFinM -EFinD lee_fin.
Qed.

Lemma mix_split d (T : measurableType d) (v : R) k0 k1 (A : set T) : 0 <= k0 -> k0 <= k1 ->
  mix v 1 (fun x _ => (if 0 <= x then k1 else k0)%:E) A = (k0 + (k1 - k0) * upper (- v))%:E.
Proof.
move=> k00 k01; have mp : measurable_fun setT (EFin \o normal_pdf v 1) by apply/measurable_EFinP; exact: measurable_normal_pdf.
pose P : set R := `[0, +oo[%classic; have mP : measurable P by exact: measurable_itv.
have e : mix v 1 (fun x (_ : set T) => (if 0 <= x then k1 else k0)%:E) A =
    (\int[mu]_x (k0%:E * (normal_pdf v 1 x)%:E + (k1 - k0)%:E * ((normal_pdf v 1 x)%:E * (\1_P x)%:E)))%E.
  apply: eq_integral => x _; rewrite -!EFinM -EFinD indicE /P mem_setE in_itv /= andbT; congr EFin.
  by case: ifP => _ /=; ring.
have pos x : (0 <= (normal_pdf v 1 x)%:E)%E by rewrite lee_fin normal_pdf_ge0.
rewrite e integral_linear ?subr_ge0 //.
- rewrite ge0_integralZl_EFin //.
  rewrite integral_normal_pdf mule1 integral_event // /P -/(tail _ _ _) tail_upper ?ltr01 // divr1 sub0r.
  by rewrite -EFinM -EFinD.
- by apply: measurable_funeM.
- by apply: emeasurable_funM => //; apply/measurable_EFinP; exact: measurable_indic.
- by move=> x; apply: mule_ge0; rewrite lee_fin ?normal_pdf_ge0.
- by move=> x; apply: mule_ge0; rewrite lee_fin ?normal_pdf_ge0.
Qed.

(* The tail falls by at least the distance times the least density in between. *)
Lemma upper_change_ge (x y k : R) : x <= y -> 0 <= k -> (forall z, x <= z <= y -> k <= normal_pdf 0 1 z) ->
  (y - x) * k <= upper x - upper y.
Proof.
move=> xy k0 le; have e : tail 0 1 x = (normal_prob 0 1 `[x, y[%classic + tail 0 1 y)%E.
  rewrite /tail -measureU //; first by rewrite -itv_bndbnd_setU // bnd_simp.
  rewrite -subset0 => z /=; rewrite !in_itv /= andbT => -[/andP[_ h1]]; by rewrite leNgt h1.
have ge : (((y - x) * k)%:E <= normal_prob 0 1 `[x, y[%classic)%E.
  apply: le_trans (_ : _ <= \int[mu]_(z in `[x, y[) k%:E)%E _.
    rewrite integral_cst; last exact: measurable_itv.
    rewrite [X in (_ <= _ * X)%E]lebesgue_measure_itv /= lte_fin; case: (ltP x y) => h.
      by rewrite -EFinD -EFinM mulrC.
    by rewrite mule0 lee_fin (_ : y - x = 0) ?mul0r //; apply/eqP; rewrite subr_eq0 eq_le h xy.
  apply: ge0_le_integral; first exact: measurable_itv.
  - by move=> z _; rewrite lee_fin.
  - exact: measurable_cst.
  - by move=> z _; rewrite lee_fin normal_pdf_ge0.
  - by apply/measurable_EFinP; apply: measurable_funTS; exact: measurable_normal_pdf.
  - by move=> z; rewrite /= in_itv /= => /andP[xz zy]; rewrite lee_fin le // xz ltW.
move: e ge; rewrite !upperE => e; have fin : normal_prob 0 1 `[x, y[%classic \is a fin_num.
  rewrite ge0_fin_numE // (le_lt_trans _ (ltry 1)) //; apply: probability_le1; exact: measurable_itv.
by rewrite -(fineK fin) -EFinD in e; case: e => ->; rewrite -(fineK fin) lee_fin addrK.
Qed.

Lemma phi_antitone (x y : R) : `|x| <= y -> normal_pdf 0 1 y <= normal_pdf (0 : R) 1 x.
Proof.
move=> xy; rewrite !phiE ler_wpM2l ?invr_ge0 ?sqrtr_ge0 // ler_expR lerN2 ler_pM2r ?invr_gt0 //.
by rewrite -[x ^+ 2]real_normK ?num_real // lerXn2r ?nnegrE // (le_trans _ xy).
Qed.

Lemma upper_gt0 (x : R) : 0 < upper x.
Proof.
have pos : 0 < normal_pdf (0 : R) 1 (`|x| + 1) by rewrite normal_pdf_gt0 // oner_neq0.
have h : (x + 1 - x) * normal_pdf 0 1 (`|x| + 1) <= upper x - upper (x + 1).
  apply: upper_change_ge; [by lra | exact: ltW |].
  move=> z /andP[xz zx]; apply: phi_antitone; rewrite ler_norml; have := ler_norm x; have := ler_norm (- x); rewrite normrN.
  by lra.
have := upper_ge0 (x + 1); rewrite (_ : x + 1 - x = 1) in h; last by ring.
by lra.
Qed.

(* Randomised response, then what is B-Gaussian private, are together no easier to distinguish than two normal numbers. *)
Lemma response_profile m B a : 0 < m -> 0 < B -> 0 < a -> let p := upper (- (m / 2)) in let r := p / (1 - p) in
  [/\ 0 < 1 - p, 1 < r &
  p * profile B (a / r) + (1 - p) * profile B (a * r) <= profile (Num.sqrt (m ^+ 2 + B ^+ 2)) a].
Proof.
move=> m0 B0 a0; have m20 : 0 < m / 2 by rewrite divr_gt0.
set p := upper _; set r := p / (1 - p); move=> /=.
have pE : upper (m / 2) = 1 - p by rewrite /p upperN; ring.
have q0 : 0 < 1 - p by rewrite -pE upper_gt0.
have pq : 1 - p < p.
  have h : (m / 2 - 0) * normal_pdf 0 1 (m / 2) <= upper 0 - upper (m / 2).
    apply: upper_change_ge; [exact: ltW | exact: normal_pdf_ge0 |].
    by move=> z /andP[z0 zm]; apply: phi_antitone; rewrite ger0_norm.
  have pos : 0 < (m / 2 - 0) * normal_pdf (0 : R) 1 (m / 2) by rewrite subr0 mulr_gt0 // normal_pdf_gt0 // oner_neq0.
  by rewrite upper0 pE in h; lra.
have r1 : 1 < r by rewrite /r ltr_pdivlMr // mul1r.
split=> //; have r0 : 0 < r by rewrite (lt_trans ltr01).
have p0 : 0 < p by rewrite (lt_trans q0).
pose k1 := upper (ln (a / r) / B - B / 2); pose k0 := upper (ln (a * r) / B - B / 2).
pose l1 := upper (ln (a / r) / B + B / 2); pose l0 := upper (ln (a * r) / B + B / 2).
have le : ln (a / r) / B <= ln (a * r) / B.
  rewrite ler_pM2r ?invr_gt0 // ler_ln ?posrE ?mulr_gt0 ?invr_gt0 //.
  by rewrite ler_pM2l // (@le_trans _ _ 1) ?invf_le1 // ?ltW.
have k01 : k0 <= k1 by apply: upper_antitone; rewrite lerD2r.
have l01 : l0 <= l1 by apply: upper_antitone; rewrite lerD2r.
pose K (x : R) (_ : set R) := (if 0 <= x then k1 else k0)%:E.
pose L (x : R) (_ : set R) := (if 0 <= x then l1 else l0)%:E.
have m1 (u v : R) : measurable_fun setT (fun x : R => (if 0 <= x then u else v)%:E).
  apply/measurable_EFinP; apply: measurable_fun_ifT => //.
  by apply: measurable_fun_ler => //; exact: measurable_cst.
have KL x : gdp B (K x) (L x).
  move=> b b0 A mA; rewrite /K /L -EFinM -EFinD lee_fin.
  have h c : upper (c - B / 2) <= b * upper (c + B / 2) + profile B b.
    by have := upper_profile (c + B / 2) B0 b0; rewrite (_ : c + B / 2 - B = c - B / 2) //; field.
  by case: ifP => _; exact: h.
have K01 x A : (0 <= K x A <= 1)%E by rewrite /K !lee_fin; case: ifP => _; rewrite upper_ge0 upper_le1.
have L01 x A : (0 <= L x A <= 1)%E by rewrite /L !lee_fin; case: ifP => _; rewrite upper_ge0 upper_le1.
have := @gdp_mix R _ R K L (m / 2) (- (m / 2)) 1 B ltr01 B0 (fun A _ => m1 k1 k0) (fun A _ => m1 l1 l0)
  (fun x A _ => proj1 (andP (K01 x A))) (fun x A _ => proj1 (andP (L01 x A)))
  (fun x A _ => proj2 (andP (K01 x A))) (fun x A _ => proj2 (andP (L01 x A))) KL a a0 setT measurableT.
rewrite /K /L !mix_split ?upper_ge0 // ![- - (m / 2)]opprK -/p pE divr1 (_ : m / 2 + m / 2 = m); last by field.
rewrite -EFinM -EFinD lee_fin -lerBlDl; apply: le_trans; rewrite le_eqVlt; apply/orP; left; apply/eqP.
rewrite /profile -/k1 -/k0 -/l1 -/l0 /r; field; rewrite !gt_eqF //.
Qed.

(* The line through two points of a hockey-stick curve. *)
Lemma chord m B a : 0 < m -> 0 < B -> 0 < a -> let p := upper (- (m / 2)) in let r := p / (1 - p) in
  exists al be : R, [/\ 0 <= al, al <= be <= 1, be - al <= profile (Num.sqrt (m ^+ 2 + B ^+ 2)) a,
    be * r - al = r * profile B (a / r) & be - al * r = profile B (a * r)].
Proof.
move=> m0 B0 a0 p r; have [q0 r1 top] := response_profile m0 B0 a0; rewrite -/p -/r in q0 r1 top.
have r0 : 0 < r by rewrite (lt_trans ltr01).
have ar0 : 0 < a / r by rewrite divr_gt0.
have a1 : 0 < a * r by rewrite mulr_gt0.
have le : a / r <= a * r by rewrite ler_pM2l // (@le_trans _ _ 1) ?invf_le1 // ltW.
have f12 := profile_antitone B0 ar0 le.
have [f10 _] := profile_ge B0 a1.
have [f20 _] := profile_ge B0 ar0.
have inv : 1 - profile B (a * r) <= r ^+ 2 * (1 - profile B (a / r)).
  have h : profile B (a / r)^-1 <= profile B (a * r)^-1.
    by apply: profile_antitone; rewrite ?invr_gt0 // lef_pV2 ?posrE.
  rewrite !profile_inverse // lerD2l lerN2 ler_pdivrMr // in h; apply: le_trans h _.
  by rewrite le_eqVlt; apply/orP; left; apply/eqP; field; rewrite !gt_eqF.
move: top f12 f10 f20 inv; set f2 := profile B (a / r); set f1 := profile B (a * r) => top f12 f10 f20 inv.
have rr : 0 < r ^+ 2 - 1 by rewrite subr_gt0 exprn_egt1.
have pE : p = r / (1 + r).
  have e : p = r * (1 - p) by rewrite /r divfK // gt_eqF.
  by apply: (mulIf (lt0r_neq0 (addr_gt0 ltr01 r0))); rewrite divfK ?gt_eqF ?addr_gt0 // mulrDr mulr1 {1}e; ring.
exists (r * (f2 - f1) / (r ^+ 2 - 1)), ((r ^+ 2 * f2 - f1) / (r ^+ 2 - 1)); split.
- by rewrite divr_ge0 ?(ltW rr) // mulr_ge0 ?(ltW r0) // subr_ge0.
- rewrite ler_pM2r ?invr_gt0 // ler_pdivrMr // mul1r; apply/andP; split; last by rewrite mulrBr mulr1 in inv; lra.
  rewrite -subr_ge0 (_ : _ - _ = (r - 1) * (r * f2 + f1)); last by ring.
  by rewrite mulr_ge0 ?subr_ge0 ?(ltW r1) // addr_ge0 // mulr_ge0 // ltW.
- apply: le_trans top; rewrite pE le_eqVlt; apply/orP; left; apply/eqP; field.
  by rewrite !gt_eqF // addr_gt0.
- by field; rewrite gt_eqF.
- by field; rewrite gt_eqF.
Qed.
End Response.

(* The constants of Lemma B.4. *)
Section Constants.
Context {R : realType}.
Implicit Types (e t x z : R).

Lemma phi_ge z : `|z| <= 7 / 20 -> 33 / 100 <= normal_pdf 0 1 z.
Proof.
move=> z7; apply: le_trans (phi_antitone z7); rewrite phiE.
have p0 : 0 < pi *+ 2 :> R by rewrite pmulrn_lgt0 // pi_gt0.
have peak : 6 / 17 <= (Num.sqrt (pi *+ 2))^-1 :> R.
  have h : Num.sqrt (pi *+ 2) <= 17 / 6 :> R.
    rewrite -[leRHS](@ger0_norm R) ?divr_ge0 // -sqrtr_sqr; apply: ler_wsqrtr.
    by have := @pihalf_lt2 R; rewrite expr2 -mulr_natr; lra.
  rewrite (_ : 6 / 17 = (17 / 6)^-1 :> R); last by field.
  by rewrite lef_pV2 ?posrE ?sqrtr_gt0 ?divr_gt0.
have tail : 15 / 16 <= expR (- ((7 / 20) ^+ 2 / 2)) :> R by apply: le_trans (expR_ge1Dx _); rewrite expr2; lra.
apply: (@le_trans _ _ (6 / 17 * (15 / 16))); first by lra.
by apply: ler_pM => //; rewrite divr_ge0.
Qed.

Lemma response_bound x : 0 < x -> x <= 41 / 100 ->
  expR x <= upper (- (17 / 10 * x / 2)) / (1 - upper (- (17 / 10 * x / 2))).
Proof.
move=> x0 x1; pose y := 17 / 20 * x; have yE : 17 / 10 * x / 2 = y by rewrite /y; field.
have y0 : 0 <= y by rewrite mulr_ge0 // ltW.
have le : (y - 0) * (33 / 100) <= upper 0 - upper y.
  apply: upper_change_ge => // z /andP[z0 zy]; apply: phi_ge; rewrite ger0_norm //.
  by apply: le_trans zy _; rewrite /y; lra.
rewrite yE upperN (_ : 1 - (1 - upper y) = upper y); last by ring.
rewrite ler_pdivlMr ?upper_gt0 // subr0 upper0 in le *.
have s0 : 0 < 1 - x / 2 by lra.
have ex : expR x * (1 - x / 2) ^+ 2 <= 1.
  have h : 1 - x / 2 <= expR (- (x / 2)) by apply: le_trans (expR_ge1Dx _).
  apply: (@le_trans _ _ (expR x * expR (- (x / 2)) ^+ 2)).
    by rewrite ler_wpM2l ?expR_ge0 // lerXn2r ?nnegrE ?expR_ge0 // ltW.
  by rewrite expr2 -!expRD (_ : x + _ = 0) ?expR0 //; field.
have u0 : 0 <= upper y by exact: upper_ge0.
have ub : upper y <= 1 / 2 - 28 / 100 * x by move: le; rewrite /y; lra.
have s2 : 0 < (1 - x / 2) ^+ 2 by rewrite exprn_gt0.
have poly : (1 / 2 - 28 / 100 * x) * (1 + (1 - x / 2) ^+ 2) <= (1 - x / 2) ^+ 2.
  have sq := sqr_ge0 (x - 41 / 100); rewrite expr2 in sq.
  have k : 0 <= x * (x * x - 41 / 50 * x + 41 / 100 * (41 / 100)) by rewrite mulr_ge0 ?(ltW x0) //; lra.
  by rewrite expr2; nra.
rewrite -(ler_pM2r s2); apply: (@le_trans _ _ (upper y)).
  by rewrite mulrAC -[leRHS]mul1r ler_wpM2r.
have h : upper y * (1 + (1 - x / 2) ^+ 2) <= (1 - x / 2) ^+ 2.
  by apply: le_trans poly; rewrite ler_wpM2r // addr_ge0 // ltW.
by rewrite mulrBl mul1r; rewrite mulrDr mulr1 in h; lra.
Qed.

Lemma ln2_ge : 5 / 8 <= ln 2 :> R.
Proof.
rewrite -ler_expR lnK ?posrE //; have h : expR (1 / 8) <= 8 / 7 :> R.
  have h : 7 / 8 <= expR (- (1 / 8)) :> R by apply: le_trans (expR_ge1Dx _); lra.
  rewrite -[leLHS]invrK -expRN (_ : 8 / 7 = (7 / 8)^-1 :> R); last by field.
  by rewrite lef_pV2 ?posrE ?expR_gt0 // divr_gt0.
rewrite (_ : 5 / 8 = 1 / 8 + (1 / 8 + 1 / 8) + (1 / 8 + 1 / 8) :> R); last by field.
have e0 : 0 < expR (1 / 8) :> R by exact: expR_gt0.
rewrite !expRD; move: (expR _) e0 h => a a0 h.
have a2 : a * a <= 131 / 100.
  apply: (@le_trans _ _ (8 / 7 * (8 / 7))); last by lra.
  by apply: ler_pM => //; exact: ltW.
have a4 : a * a * (a * a) <= 172 / 100.
  apply: (@le_trans _ _ (131 / 100 * (131 / 100))); last by lra.
  by apply: ler_pM => //; rewrite mulr_ge0 // ltW.
rewrite (_ : a * (a * a) * (a * a) = a * a * (a * a) * a); last by ring.
apply: (@le_trans _ _ (172 / 100 * (8 / 7))); last by lra.
by apply: ler_pM => //; rewrite ?mulr_ge0 // ltW.
Qed.

Lemma ln54_le : ln (5 / 4) <= 6 / 25 :> R.
Proof.
rewrite -ler_expR lnK ?posrE ?divr_gt0 // (_ : 6 / 25 = (3 / 50 + 3 / 50) + (3 / 50 + 3 / 50) :> R); last by field.
have h : 53 / 50 <= expR (3 / 50) :> R by apply: le_trans (expR_ge1Dx _); lra.
rewrite !expRD; move: (expR _) h => a h.
have a2 : 28 / 25 <= a * a.
  by apply: (@le_trans _ _ (53 / 50 * (53 / 50))); [lra | apply: ler_pM => //; lra].
by apply: (@le_trans _ _ (28 / 25 * (28 / 25))); [lra | apply: ler_pM => //; lra].
Qed.

(* What one of k releases may spend, for (e, t) together. *)
Definition share e t k : R := e / (2 * Num.sqrt (2 * k%:R * ln (2 / t))).

Lemma share_bounds e t k : 0 < e -> e <= 9 / 10 -> 0 < t -> t < 1 -> (0 < k)%N ->
  [/\ 0 < share e t k, share e t k <= 41 / 100 &
   k%:R * (17 / 10 * share e t k) ^+ 2 < (e / Num.sqrt (2 * ln (5 / 4 / (t / 2)))) ^+ 2].
Proof.
move=> e0 e1 t0 t1 k0; have k1 : 1 <= k%:R :> R by rewrite ler1n.
have l_ge : 5 / 8 <= ln (2 / t).
  by apply: le_trans ln2_ge _; rewrite ler_ln ?posrE ?divr_gt0 // ler_pdivlMr // ler_piMr // ltW.
have LE : ln (5 / 4 / (t / 2)) = ln (2 / t) + ln (5 / 4).
  by rewrite -lnM ?posrE ?divr_gt0 //; congr ln; field; rewrite gt_eqF.
have L1 : 0 <= ln (5 / 4) :> R by rewrite ln_ge0 //; lra.
rewrite LE /share; have h54 := ln54_le; move: (ln (2 / t)) (ln (5 / 4)) l_ge L1 h54 => l L l_ge L1 h54.
have l0 : 0 < l by lra.
have kl : 5 / 4 <= 2 * k%:R * l.
  have : 5 / 8 <= k%:R * l by rewrite -[leLHS]mul1r ler_pM //; lra.
  by lra.
have kl0 : 0 < 2 * k%:R * l by lra.
have r0 : 0 < Num.sqrt (2 * k%:R * l) by rewrite sqrtr_gt0.
have r1 : 11 / 10 <= Num.sqrt (2 * k%:R * l).
  rewrite -[leLHS](@ger0_norm R) ?divr_ge0 // -sqrtr_sqr; apply: ler_wsqrtr; rewrite expr2; lra.
split.
- by rewrite divr_gt0 // mulr_gt0.
- by rewrite ler_pdivrMr ?mulr_gt0 //; lra.
have n0 : Num.sqrt (2 * k%:R * l) != 0 by rewrite gt_eqF.
have n1 : Num.sqrt (2 * (l + L)) != 0 by rewrite gt_eqF // sqrtr_gt0; lra.
rewrite !expr_div_n exprMn sqr_sqrtr; last by lra.
rewrite [X in _ < X](_ : _ = e ^+ 2 / (2 * (l + L))) //.
rewrite !expr_div_n !exprMn sqr_sqrtr ?(ltW kl0) //.
have e2 : 0 < e ^+ 2 by rewrite exprn_gt0.
rewrite (_ : k%:R * _ = e ^+ 2 * (289 / 800 / l)); last first.
  by rewrite !expr2; field; rewrite !gt_eqF //; lra.
rewrite ltr_pM2l // -[X in _ < X]mul1r ltr_pdivlMr; last by lra.
by rewrite mulrAC ltr_pdivrMr //; lra.
Qed.
End Constants.
