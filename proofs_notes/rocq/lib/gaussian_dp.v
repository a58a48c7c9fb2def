(* The Gaussian mechanism on the line, exactly, and Gaussian differential privacy.

   upper c         P(Z >= c), a number; Phi(c) in the literature is upper (- c)
   profile d a     the hockey-stick divergence of order a = e^epsilon of N(d, 1) from N(0, 1)
   gdp D M N       M and N are as hard to distinguish as N(D, 1) and N(0, 1)
   mix v s K       the law of what follows a release x of N(v, s^2), if K x is the law of it after x
   gaussian_mechanism   N(v, s^2) and N(w, s^2) are (a, t)-indistinguishable iff profile (|v - w| / s) a <= t
   gdp_mix         one more release: the squares of the D add up
   gdp_last        what follows a release is post-processing *)
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure densities normal_line.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Section Gdp.
Context {R : realType}.
Local Notation mu := (@lebesgue_measure R).

(* The upper tail of N(0, 1), a number; print's Phi(c) is upper (- c). *)
Definition upper (c : R) : R := fine (tail 0 1 c).

Lemma tail_fin (m s c : R) : tail m s c \is a fin_num.
Proof.
rewrite ge0_fin_numE; last by apply: integral_ge0 => x _; rewrite lee_fin normal_pdf_ge0.
apply: (@le_lt_trans _ _ 1%E); last by rewrite ltry.
by apply: probability_le1; exact: measurable_itv.
Qed.

Lemma upperE c : tail 0 1 c = (upper c)%:E. Proof. by rewrite fineK // tail_fin. Qed.

Lemma tail_upper (m s c : R) : 0 < s -> tail m s c = (upper ((c - m) / s))%:E.
Proof.
move=> s0; rewrite -upperE -(@tail_affine R 0 1 ((c - m) / s) s m) ?ltr01 // mulr0 add0r mulr1.
by congr tail; field; rewrite gt_eqF.
Qed.

Lemma upper_ge0 c : 0 <= upper c.
Proof. by rewrite fine_ge0 //; apply: integral_ge0 => x _; rewrite lee_fin normal_pdf_ge0. Qed.

(* The hockey-stick divergence of order a of N(d, 1) from N(0, 1): the profile of Balle and Wang at a = e^epsilon. *)
Definition profile (d a : R) : R := upper (ln a / d - d / 2) - a * upper (ln a / d + d / 2).

Context d (T : measurableType d).
Implicit Types (M N : set T -> \bar R) (K L : R -> set T -> \bar R).

(* d-Gaussian differential privacy: all (epsilon, delta) guarantees of N(d, 1) against N(0, 1). *)
Definition gdp (D : R) M N := forall a : R, 0 < a -> indist a (profile D a) M N.

(* The law of what follows a normal x, where K x is the law of it after x. *)
Definition mix (v s : R) K (A : set T) : \bar R := (\int[mu]_x ((normal_pdf v s x)%:E * K x A))%E.

Lemma ln_ratio (v w s x : R) : 0 < s ->
  ln (normal_pdf w s x / normal_pdf v s x) = - ((v - w) * (2 * x - v - w)) / (2 * s ^+ 2).
Proof.
move=> s0; rewrite !normal_pdfE // -[RHS]expRK; congr ln.
have r0 : Num.sqrt (pi *+ 2) != 0 :> R by rewrite gt_eqF // sqrtr_gt0 pmulrn_lgt0 // pi_gt0.
set q := (s * _)^-1; set f := expR (- (((x - w) / s) ^+ 2 / 2)); set g := expR (- (((x - v) / s) ^+ 2 / 2)).
have q0 : q != 0 by rewrite invr_eq0 mulf_neq0 // gt_eqF.
have g0 : g != 0 by rewrite gt_eqF // expR_gt0.
rewrite (_ : q * f / (q * g) = f / g); last by field; rewrite q0 g0.
rewrite /f /g -expRN -expRD; congr expR.
by field; rewrite gt_eqF.
Qed.

Lemma integral_linear (f g : R -> \bar R) (a : R) : 0 <= a -> measurable_fun [set: R] f -> measurable_fun [set: R] g ->
  (forall x, 0 <= f x)%E -> (forall x, 0 <= g x)%E ->
  (\int[mu]_x (f x + a%:E * g x) = \int[mu]_x f x + a%:E * \int[mu]_x g x)%E.
Proof.
move=> a0 mf mg f0 g0; rewrite (@ge0_integralD _ _ R mu setT measurableT f (fun x => a%:E * g x)%E) //.
- by rewrite (@ge0_integralZl_EFin _ _ R mu setT measurableT g).
- by move=> x _; rewrite mule_ge0 ?lee_fin.
- exact: measurable_funeM.
Qed.

Lemma weigh (p q a x y u t : R) : 0 < p -> x <= a * (q / p) * y + (u - a * (q / p) * t) ->
  p * x + a * (q * t) <= a * (q * y) + p * u.
Proof.
move=> p0; rewrite -(ler_pM2l p0) => h.
have e : p * (a * (q / p) * y + (u - a * (q / p) * t)) = a * (q * y) + p * u - a * (q * t) by field; rewrite gt_eqF.
by rewrite e in h; lra.
Qed.

Section Step.
Variables (K L : R -> set T -> \bar R) (v w s B : R).
Hypotheses (s0 : 0 < s) (B0 : 0 < B).
Hypotheses (mK : forall A, measurable A -> measurable_fun [set: R] (K ^~ A)).
Hypotheses (mL : forall A, measurable A -> measurable_fun [set: R] (L ^~ A)).
Hypotheses (K0 : forall x A, measurable A -> (0 <= K x A)%E) (L0 : forall x A, measurable A -> (0 <= L x A)%E).
Hypotheses (K1 : forall x A, measurable A -> (K x A <= 1)%E) (L1 : forall x A, measurable A -> (L x A <= 1)%E).
Hypothesis KL : forall x, gdp B (K x) (L x).

Let M := Num.sqrt (((v - w) / s) ^+ 2 + B ^+ 2).
Let k := (v - w) / (s ^+ 2 * B).
Let sd := M / B.

Let M0 : 0 < M. Proof. by rewrite sqrtr_gt0 ltr_wpDl ?sqr_ge0 ?exprn_gt0. Qed.
Let M2 : M ^+ 2 = ((v - w) / s) ^+ 2 + B ^+ 2. Proof. by rewrite sqr_sqrtr // addr_ge0 ?sqr_ge0. Qed.
Let sd0 : 0 < sd. Proof. by rewrite divr_gt0. Qed.
Let sd2 : sd ^+ 2 = k ^+ 2 * s ^+ 2 + 1 ^+ 2.
Proof. by rewrite /sd expr_div_n M2 /k; field; rewrite !gt_eqF. Qed.

(* The mean of the tail at a moving point. *)
Let mean_upper (u c : R) :
  (\int[mu]_x ((normal_pdf u s x)%:E * (upper (c - k * x))%:E) = (upper ((c - k * u) / sd))%:E)%E.
Proof.
rewrite -tail_upper // -[in RHS](addr0 (k * u)) -(@tail_mixture R u s 0 1 k sd c s0 ltr01 sd0 sd2).
by apply: eq_integral => x _; rewrite add0r tail_upper // divr1.
Qed.

Let at_x (a x : R) : 0 < a -> ln (a * (normal_pdf w s x / normal_pdf v s x)) / B =
  ln a / B + (v - w) * (v + w) / (2 * s ^+ 2 * B) - k * x.
Proof.
move=> a0; rewrite lnM ?posrE ?divr_gt0 ?normal_pdf_gt0 ?gt_eqF // ln_ratio // /k.
by field; rewrite !gt_eqF.
Qed.

Theorem gdp_mix : gdp M (mix v s K) (mix w s L).
Proof.
move=> a a0 A mA.
pose c := ln a / B + (v - w) * (v + w) / (2 * s ^+ 2 * B).
have nM : M != 0 by rewrite gt_eqF.
have nB : B != 0 by rewrite gt_eqF.
have ns : s != 0 by rewrite gt_eqF.
have e1 : (c - B / 2 - k * v) / sd = ln a / M - M / 2.
  transitivity ((ln a - M ^+ 2 / 2) / M); last by field.
  rewrite (_ : ln a - M ^+ 2 / 2 = (c - B / 2 - k * v) * B); first by rewrite /sd; field; rewrite nM nB.
  by rewrite M2 /c /k; field; rewrite ns nB.
have e2 : (c + B / 2 - k * w) / sd = ln a / M + M / 2.
  transitivity ((ln a + M ^+ 2 / 2) / M); last by field.
  rewrite (_ : ln a + M ^+ 2 / 2 = (c + B / 2 - k * w) * B); first by rewrite /sd; field; rewrite nM nB.
  by rewrite M2 /c /k; field; rewrite ns nB.
pose pv x := normal_pdf v s x; pose pw x := normal_pdf w s x.
have pv0 x : 0 <= pv x by exact: normal_pdf_ge0.
have pw0 x : 0 <= pw x by exact: normal_pdf_ge0.
have mpv : measurable_fun [set: R] (EFin \o pv) by apply/measurable_EFinP; exact: measurable_normal_pdf.
have mpw : measurable_fun [set: R] (EFin \o pw) by apply/measurable_EFinP; exact: measurable_normal_pdf.
have mup h (e : R) : measurable_fun [set: R] (EFin \o h) ->
    measurable_fun [set: R] (fun x => (h x)%:E * (upper (e - k * x))%:E)%E.
  move=> mh; apply: emeasurable_funM => //.
  rewrite (_ : (fun x => _) = (fun x : R => tail (0 + k * x) 1 e)); first exact: measurable_tail.
  by apply/funext => x; rewrite add0r tail_upper // divr1.
have mpK : measurable_fun [set: R] (fun x => (pv x)%:E * K x A)%E by apply: emeasurable_funM => //; exact: mK.
have mpL : measurable_fun [set: R] (fun x => (pw x)%:E * L x A)%E by apply: emeasurable_funM => //; exact: mL.
have pu0 (h : R -> R) (e x : R) : 0 <= h x -> (0 <= (h x)%:E * (upper (e - k * x))%:E)%E.
  by move=> hx; rewrite mule_ge0 // lee_fin ?upper_ge0.
have pK0 x : (0 <= (pv x)%:E * K x A)%E by rewrite mule_ge0 ?lee_fin ?K0.
have pL0 x : (0 <= (pw x)%:E * L x A)%E by rewrite mule_ge0 ?lee_fin ?L0.
have a0' := ltW a0.
have fin (N : R -> set T -> \bar R) x : (0 <= N x A)%E -> (N x A <= 1)%E -> N x A \is a fin_num.
  by move=> n0 n1; rewrite ge0_fin_numE // (le_lt_trans n1) // ltry.
(* at each x *)
have pointwise x : ((pv x)%:E * K x A + a%:E * ((pw x)%:E * (upper (c + B / 2 - k * x))%:E) <=
    a%:E * ((pw x)%:E * L x A) + (pv x)%:E * (upper (c - B / 2 - k * x))%:E)%E.
  have pvx : 0 < pv x by rewrite normal_pdf_gt0 // gt_eqF.
  have pwx : 0 < pw x by rewrite normal_pdf_gt0 // gt_eqF.
  have r0 : 0 < a * (pw x / pv x) by rewrite mulr_gt0 // divr_gt0.
  have := (KL x : forall b : R, 0 < b -> forall A, measurable A -> (K x A <= b%:E * L x A + (profile B b)%:E)%E) _ r0 A mA;
    rewrite /profile at_x // -/c [c - k * x - _]addrAC [c - k * x + _]addrAC.
  rewrite -(fineK (fin K x (K0 x mA) (K1 x mA))) -(fineK (fin L x (L0 x mA) (L1 x mA))).
  by rewrite -!EFinM -!EFinD !lee_fin => h; apply: weigh.
have all : (mix v s K A + a%:E * (upper ((c + B / 2 - k * w) / sd))%:E <=
    (upper ((c - B / 2 - k * v) / sd))%:E + a%:E * mix w s L A)%E.
  have u1 := mup pv (c - B / 2) mpv; have u2 := mup pw (c + B / 2) mpw.
  have i1 := integral_linear a0' mpK u2 pK0 (fun x => pu0 pw (c + B / 2) x (pw0 x)).
  have i2 := integral_linear a0' u1 mpL (fun x => pu0 pv (c - B / 2) x (pv0 x)) pL0.
  have j1 : (\int[mu]_x ((pw x)%:E * (upper (c + B / 2 - k * x))%:E) = (upper ((c + B / 2 - k * w) / sd))%:E)%E.
    exact: (mean_upper w (c + B / 2)).
  have j2 : (\int[mu]_x ((pv x)%:E * (upper (c - B / 2 - k * x))%:E) = (upper ((c - B / 2 - k * v) / sd))%:E)%E.
    exact: (mean_upper v (c - B / 2)).
  rewrite j1 in i1; rewrite j2 in i2.
  have i1' : (mix v s K A + a%:E * (upper ((c + B / 2 - k * w) / sd))%:E =
    \int[mu]_x ((pv x)%:E * K x A + a%:E * ((pw x)%:E * (upper (c + B / 2 - k * x))%:E)))%E by rewrite i1.
  have i2' : ((upper ((c - B / 2 - k * v) / sd))%:E + a%:E * mix w s L A =
    \int[mu]_x ((pv x)%:E * (upper (c - B / 2 - k * x))%:E + a%:E * ((pw x)%:E * L x A)))%E by rewrite i2.
  rewrite i1' i2'; apply: ge0_le_integral => //.
  - by move=> x _; apply: adde_ge0; [exact: pK0 | apply: mule_ge0; [rewrite lee_fin | exact: pu0]].
  - by apply: emeasurable_funD; [exact: mpK | exact: measurable_funeM].
  - by move=> x _; apply: adde_ge0; [exact: pu0 | apply: mule_ge0; [rewrite lee_fin | exact: pL0]].
  - by apply: emeasurable_funD; [exact: u1 | exact: measurable_funeM].
  - by move=> x _; rewrite [leRHS]addeC; exact: pointwise.
move: all; rewrite /profile e1 e2 -EFinM => all.
rewrite EFinB addeA leeBrDr // [leRHS]addeC.
exact: all.
Qed.
End Step.
End Gdp.
Section Line.
Context {R : realType}.
Local Notation mu := (@lebesgue_measure R).

Lemma lower_tail (m s c : R) : 0 < s -> normal_prob m s `]-oo, c]%classic = (upper ((m - c) / s))%:E.
Proof.
move=> s0; transitivity (tail (- m) s (- c)); last by rewrite tail_upper // opprK [- c + m]addrC.
rewrite /tail /normal_prob -{1}[c]opprK ge0_integration_by_substitutionNy.
- by apply: eq_integral => x _; congr EFin; rewrite /= !normal_pdfE // opprK -opprD mulNr sqrrN.
- by apply: continuous_subspaceT => x; apply: continuous_normal_pdf; rewrite gt_eqF.
- by move=> x _; exact: normal_pdf_ge0.
Qed.

Lemma above (v w s a x : R) : 0 < s -> 0 < a ->
  (a * normal_pdf w s x <= normal_pdf v s x) = (ln a <= (v - w) * (2 * x - v - w) / (2 * s ^+ 2)).
Proof.
move=> s0 a0; have p0 u : 0 < normal_pdf u s x by rewrite normal_pdf_gt0 // gt_eqF.
transitivity (ln a <= ln (normal_pdf v s x / normal_pdf w s x)).
  by rewrite ler_ln ?posrE ?divr_gt0 // ler_pdivlMr.
rewrite ln_ratio //; congr (_ <= _).
by field; rewrite gt_eqF.
Qed.

(* The worst event for two normal laws: a half-line, with its two probabilities. *)
Lemma gaussian_worst (v w s a : R) : 0 < s -> v != w -> 0 < a -> let d := `|v - w| / s in
  exists P : set R, [/\ measurable P, forall x, P x -> a * normal_pdf w s x <= normal_pdf v s x,
    forall x, ~ P x -> normal_pdf v s x <= a * normal_pdf w s x,
    normal_prob v s P = (upper (ln a / d - d / 2))%:E & normal_prob w s P = (upper (ln a / d + d / 2))%:E].
Proof.
move=> s0 vw a0 d; have ns : s != 0 by rewrite gt_eqF.
have nvw : v - w != 0 by rewrite subr_eq0.
have nwv : w - v != 0 by rewrite subr_eq0 eq_sym.
pose c := (v + w) / 2 + ln a * s ^+ 2 / (v - w).
have key x : (a * normal_pdf w s x <= normal_pdf v s x) = (0 <= (v - w) * (x - c)).
  rewrite above // -[LHS]subr_ge0 -[LHS](pmulr_rge0 _ (_ : 0 < s ^+ 2)) ?exprn_gt0 //; congr (0 <= _).
  by rewrite /c; field; rewrite ns nvw.
have key' x : 0 <= (v - w) * (x - c) \/ normal_pdf v s x <= a * normal_pdf w s x.
  by rewrite -key; case: (lerP (a * normal_pdf w s x) (normal_pdf v s x)) => [|/ltW]; [left | right].
have [lt|gt|eq] := ltgtP w v; last by rewrite eq eqxx in vw.
- have d0 : 0 < v - w by rewrite subr_gt0.
  have inP x : `[c, +oo[%classic x <-> 0 <= (v - w) * (x - c) by rewrite /= in_itv /= andbT pmulr_rge0 // subr_ge0.
  exists `[c, +oo[%classic; rewrite -!/(tail _ _ _) !tail_upper // /d ger0_norm ?(ltW d0) //; split.
  + exact: measurable_itv.
  + by move=> x /inP; rewrite -key.
  + by move=> x nP; case: (key' x) => // /inP.
  + by congr (upper _)%:E; rewrite /c; field; rewrite ns nvw.
  + by congr (upper _)%:E; rewrite /c; field; rewrite ns nvw.
- have d0 : v - w < 0 by rewrite subr_lt0.
  have inP x : `]-oo, c]%classic x <-> 0 <= (v - w) * (x - c) by rewrite /= in_itv /= nmulr_rge0 // subr_le0.
  exists `]-oo, c]%classic; rewrite !lower_tail // /d ltr0_norm // opprB; split.
  + exact: measurable_itv.
  + by move=> x /inP; rewrite -key.
  + by move=> x nP; case: (key' x) => // /inP.
  + by congr (upper _)%:E; rewrite /c; field; rewrite ?ns ?nvw ?nwv.
  + by congr (upper _)%:E; rewrite /c; field; rewrite ?ns ?nvw ?nwv.
Qed.

(* Balle and Wang, Theorem 8: the Gaussian mechanism on the line is (epsilon, delta)-DP exactly when its profile is at most
  delta. *)
Theorem gaussian_mechanism (v w s a t : R) : 0 < s -> v != w -> 0 < a ->
  indist a t (normal_prob v s) (normal_prob w s) <-> profile (`|v - w| / s) a <= t.
Proof.
move=> s0 vw a0; have [P [mP inP outP ev ew]] := gaussian_worst s0 vw a0.
have -> : indist a t (normal_prob v s) (normal_prob w s) <-> (normal_prob v s P <= a%:E * normal_prob w s P + t%:E)%E.
  apply: (@indist_worst _ _ R (normal_prob v s) (normal_prob w s) mu (normal_pdf v s) (normal_pdf w s)) => //.
  - exact: ltW.
  - exact: probability_le1.
  - exact: probability_le1.
  - exact: measurable_normal_pdf.
  - exact: measurable_normal_pdf.
  - by move=> x; exact: normal_pdf_ge0.
  - by move=> x; exact: normal_pdf_ge0.
by rewrite ev ew -EFinM -EFinD lee_fin /profile lerBlDl.
Qed.

(* Whatever follows a normal release, the same for both laws, is post-processing. *)
Theorem gdp_last d (T : measurableType d) (K : R -> set T -> \bar R) (v w s : R) : 0 < s -> v != w ->
  (forall A, measurable A -> measurable_fun [set: R] (K ^~ A)) ->
  (forall x A, measurable A -> (0 <= K x A)%E) -> (forall x A, measurable A -> (K x A <= 1)%E) ->
  gdp (`|v - w| / s) (mix v s K) (mix w s K).
Proof.
move=> s0 vw mK K0 K1 a a0 A mA; have [P [mP inP outP ev ew]] := gaussian_worst s0 vw a0.
have restrict u : normal_prob u s P = (\int[mu]_x ((normal_pdf u s x)%:E * (\1_P x)%:E))%E.
  rewrite /normal_prob integral_mkcond; apply: eq_integral => x _.
  by rewrite patchE indicE -EFinM; case: (x \in P); rewrite ?mulr1 ?mulr0.
have mp u : measurable_fun [set: R] (EFin \o normal_pdf u s) by apply/measurable_EFinP; exact: measurable_normal_pdf.
have mpK u : measurable_fun [set: R] (fun x => (normal_pdf u s x)%:E * K x A)%E by apply: emeasurable_funM; [exact: mp |
  exact: mK].
have mpP u : measurable_fun [set: R] (fun x => (normal_pdf u s x)%:E * (\1_P x)%:E)%E.
  by apply: emeasurable_funM; [exact: mp | apply/measurable_EFinP; exact: measurable_indic].
have pK0 u x : (0 <= (normal_pdf u s x)%:E * K x A)%E by rewrite mule_ge0 ?lee_fin ?normal_pdf_ge0 ?K0.
have pP0 u x : (0 <= (normal_pdf u s x)%:E * (\1_P x)%:E)%E by rewrite -EFinM lee_fin mulr_ge0 ?normal_pdf_ge0.
have i1 := integral_linear (ltW a0) (mpK v) (mpP w) (pK0 v) (pP0 w).
have i2 := integral_linear (ltW a0) (mpP v) (mpK w) (pP0 v) (pK0 w).
rewrite -!restrict ev ew in i1 i2.
have i1' : (mix v s K A + a%:E * (upper (ln a / (`|v - w| / s) + `|v - w| / s / 2))%:E =
  \int[mu]_x ((normal_pdf v s x)%:E * K x A + a%:E * ((normal_pdf w s x)%:E * (\1_P x)%:E)))%E by rewrite i1.
have i2' : ((upper (ln a / (`|v - w| / s) - `|v - w| / s / 2))%:E + a%:E * mix w s K A =
  \int[mu]_x ((normal_pdf v s x)%:E * (\1_P x)%:E + a%:E * ((normal_pdf w s x)%:E * K x A)))%E by rewrite i2.
have all : (mix v s K A + a%:E * (upper (ln a / (`|v - w| / s) + `|v - w| / s / 2))%:E <=
    (upper (ln a / (`|v - w| / s) - `|v - w| / s / 2))%:E + a%:E * mix w s K A)%E.
  rewrite i1' i2'; apply: ge0_le_integral => //.
  - by move=> x _; apply: adde_ge0; [exact: pK0 | apply: mule_ge0; [rewrite lee_fin ltW | exact: pP0]].
  - by apply: emeasurable_funD; [exact: mpK | apply: measurable_funeM; exact: mpP].
  - by move=> x _; apply: adde_ge0; [exact: pP0 | apply: mule_ge0; [rewrite lee_fin ltW | exact: pK0]].
  - by apply: emeasurable_funD; [exact: mpP | apply: measurable_funeM; exact: mpK].
  move=> x _; have k0 := K0 x A mA; have k1 := K1 x A mA.
  have kf : K x A \is a fin_num by rewrite ge0_fin_numE // (le_lt_trans k1) // ltry.
  have e : K x A = (fine (K x A))%:E by rewrite fineK.
  rewrite e !lee_fin in k0 k1; rewrite e -!EFinM -!EFinD lee_fin; move: (fine (K x A)) k0 k1 => r k0 k1; rewrite indicE.
  have [xP|xP] := boolP (x \in P).
    have h := inP x (set_mem xP); rewrite !mulr1; nra.
  have h := outP x (fun px => negP xP (mem_set px)); rewrite !mulr0 addr0 add0r; nra.
move: all; rewrite /profile -EFinM => all.
rewrite EFinB addeA leeBrDr // [leRHS]addeC.
exact: all.
Qed.
End Line.
