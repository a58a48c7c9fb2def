(* Laplace and truncated Laplace releases of a number, as densities of real_releases.v.

   tlap_pdf b A v       the density of v plus noise with density proportional to exp(- |x| / b) on [-A, A]
   density_tlap         it is a probability
   tlap_loss b A D      (exp(D / b) - 1) / (2 (exp(A / b) - 1)), what a change of D costs besides the factor exp(D / b)
   tlap_spends          that it does, for D <= A
   tlap_exact           and no less
   tlap_short           for D > A it costs more than 1/2 at any factor
   laplace_spends       the whole Laplace law costs the factor alone *)
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure normal_line laplace real_releases.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Exponential.
Context {R : realType}.
Local Notation mu := (@lebesgue_measure R).
Variables (k v : R).
Hypothesis k0 : k != 0.

Let primitive (x : R) : R := expR (k * (x - v)) / k.

Let is_derive_primitive (x : R) : is_derive x 1 primitive (expR (k * (x - v))).
Proof.
rewrite /primitive; apply: is_derive_eq.
by rewrite /GRing.scale /=; field.
Qed.

Let continuous_exponential : continuous (fun x : R => expR (k * (x - v))).
Proof.
move=> x; apply: continuous_comp; last exact: continuous_expR.
apply: cvgM; first exact: cvg_cst.
by apply: cvgB; [exact: cvg_id | exact: cvg_cst].
Qed.

Lemma integral_segment (l h : R) : l <= h ->
  (\int[mu]_(x in `[l, h]) (expR (k * (x - v)))%:E = ((expR (k * (h - v)) - expR (k * (l - v))) / k)%:E)%E.
Proof.
rewrite le_eqVlt => /orP[/eqP <-|lh]; first by rewrite set_itv1 integral_set1 subrr mul0r.
have cts : continuous primitive.
  move=> x; apply: differentiable_continuous; apply/derivable1_diffP.
  by case: (is_derive_primitive x).
rewrite (@continuous_FTC2 R _ primitive l h lh).
- by rewrite -EFinB /primitive -mulrBl.
- exact: continuous_subspaceT.
- split=> [x _||]; first by case: (is_derive_primitive x).
  + by apply: cvg_at_right_filter; exact: cts.
  + by apply: cvg_at_left_filter; exact: cts.
- by move=> x _; rewrite derive1E; apply: derive_val; exact: is_derive_primitive.
Qed.
End Exponential.

Section TruncatedLaplace.
Context {R : realType}.
Local Notation mu := (@lebesgue_measure R).
Variables (b A : R).
Hypotheses (b0 : 0 < b) (A0 : 0 < A).
Implicit Types (v w x D : R).

Definition tlap_const : R := (2 * b * (1 - expR (- (A / b))))^-1.
Definition tlap_pdf v x : R := if v - A <= x <= v + A then tlap_const * expR (- (`|x - v| / b)) else 0.
Definition tlap_loss D : R := (expR (D / b) - 1) / (2 * (expR (A / b) - 1)).

Let eA : 0 < 1 - expR (- (A / b)).
Proof. by rewrite subr_gt0 -expR0 ltr_expR oppr_lt0 divr_gt0. Qed.

Lemma tlap_const_gt0 : 0 < tlap_const.
Proof. by rewrite invr_gt0 !mulr_gt0. Qed.

Lemma tlap_pdf_ge0 v x : 0 <= tlap_pdf v x.
Proof. by rewrite /tlap_pdf; case: ifP => // _; rewrite mulr_ge0 ?expR_ge0 ?ltW // tlap_const_gt0. Qed.

Lemma tlap_pdf_neq0 v x : tlap_pdf v x != 0 -> v - A <= x <= v + A.
Proof. by rewrite /tlap_pdf; case: ifP => //; rewrite eqxx. Qed.

Lemma measurable_tlap2 : measurable_fun [set: R * R] (fun w : R * R => tlap_pdf w.1 w.2).
Proof.
rewrite /tlap_pdf; apply: measurable_fun_ifT; last exact: measurable_cst.
- apply: measurable_and; apply: measurable_fun_ler => //; first exact: measurable_funB.
  exact: measurable_funD.
- apply: measurable_funM => //; apply: measurableT_comp => //; apply: measurableT_comp => //; apply: measurable_funM => //.
  by apply: measurableT_comp => //; exact: measurable_funB.
Qed.

Lemma measurable_tlap v : measurable_fun [set: R] (tlap_pdf v).
Proof. exact: (measurableT_comp measurable_tlap2 (measurable_pair1 v)). Qed.

Let mE v (B : set R) : measurable_fun B (fun x => (tlap_pdf v x)%:E).
Proof. by apply/measurable_EFinP; apply: measurable_funTS; exact: measurable_tlap. Qed.

(* The mass of an interval to the right of v, and to the left. *)
Lemma tlap_right v l h : v <= l -> l <= h -> h <= v + A ->
  (\int[mu]_(x in `[l, h]) (tlap_pdf v x)%:E = (tlap_const * b * (expR (- ((l - v) / b)) - expR (- ((h - v) / b))))%:E)%E.
Proof.
move=> vl lh hA; have k0 : - b^-1 != 0 by rewrite oppr_eq0 invr_eq0 gt_eqF.
have c0 := ltW tlap_const_gt0.
transitivity (tlap_const%:E * \int[mu]_(x in `[l, h]) (expR (- b^-1 * (x - v)))%:E)%E.
  rewrite -ge0_integralZl_EFin //.
  - apply: eq_integral => x; rewrite inE /= in_itv /= => /andP[lx xh].
    rewrite /tlap_pdf ifT -?EFinM; last by apply/andP; split; lra.
    by congr (_ * expR _)%:E; rewrite ger0_norm ?mulNr 1?mulrC // subr_ge0; lra.
  - by move=> x _; rewrite lee_fin expR_ge0.
  - apply/measurable_EFinP; apply: measurable_funTS; apply: measurableT_comp => //; apply: measurable_funM => //.
    exact: measurable_funB.
rewrite integral_segment // -EFinM; congr EFin.
rewrite !mulNr ![b^-1 * _]mulrC; field.
by rewrite gt_eqF.
Qed.

Lemma tlap_left v l h : v - A <= l -> l <= h -> h <= v ->
  (\int[mu]_(x in `[l, h]) (tlap_pdf v x)%:E = (tlap_const * b * (expR (- ((v - h) / b)) - expR (- ((v - l) / b))))%:E)%E.
Proof.
move=> vl lh hA; have k0 : b^-1 != 0 by rewrite invr_eq0 gt_eqF.
have c0 := ltW tlap_const_gt0.
transitivity (tlap_const%:E * \int[mu]_(x in `[l, h]) (expR (b^-1 * (x - v)))%:E)%E.
  rewrite -ge0_integralZl_EFin //.
  - apply: eq_integral => x; rewrite inE /= in_itv /= => /andP[lx xh].
    rewrite /tlap_pdf ifT -?EFinM; last by apply/andP; split; lra.
    by congr (_ * expR _)%:E; rewrite ler0_norm ?mulNr ?opprK 1?mulrC // subr_le0; lra.
  - by move=> x _; rewrite lee_fin expR_ge0.
  - apply/measurable_EFinP; apply: measurable_funTS; apply: measurableT_comp => //; apply: measurable_funM => //.
    exact: measurable_funB.
rewrite integral_segment // -EFinM; congr EFin.
rewrite ![b^-1 * _]mulrC -!mulNr !opprB; field.
by rewrite gt_eqF.
Qed.

(* A function that is 0 off an interval, and one that is split at a point. *)
Let on v (B : set R) : measurable B -> (forall x, v - A <= x <= v + A -> B x) ->
  (\int[mu]_x (tlap_pdf v x)%:E = \int[mu]_(x in B) (tlap_pdf v x)%:E)%E.
Proof.
move=> mB sub; rewrite [RHS]integral_mkcond; apply: eq_integral => x _; rewrite patchE; case: ifP => // xB.
rewrite /tlap_pdf; case: ifP => // h; have := sub x h; move=> Bx.
by move: xB; rewrite mem_set.
Qed.

Lemma split_at v (l m h : R) : l <= m -> m <= h ->
  (\int[mu]_(x in `[l, h]) (tlap_pdf v x)%:E =
   \int[mu]_(x in `[l, m]) (tlap_pdf v x)%:E + \int[mu]_(x in `[m, h]) (tlap_pdf v x)%:E)%E.
Proof.
move=> lm mh; rewrite (@itv_bndbnd_setU _ _ _ (BRight m)) //.
rewrite ge0_integral_setU //=.
- congr (_ + _)%E; rewrite integral_itv_obnd_cbnd //; apply: measurable_funTS; exact: measurable_tlap.
- exact: mE.
- by move=> x _; rewrite lee_fin tlap_pdf_ge0.
- apply/disj_setPS => x [] /=; rewrite !in_itv /= => /andP[_ h1] /andP[h2 _].
  by move: (le_lt_trans h1 h2); rewrite ltxx.
Qed.

Lemma tlap_total v : (\int[mu]_x (tlap_pdf v x)%:E = 1)%E.
Proof.
rewrite (@on v `[v - A, v + A]%classic) //.
have va : v - A <= v by rewrite gerBl ltW.
have vA : v <= v + A by rewrite lerDl ltW.
rewrite (split_at v va vA) tlap_left // tlap_right //.
have e1 : v - (v - A) = A by ring.
have e2 : v + A - v = A by ring.
rewrite -EFinD; congr EFin; rewrite subrr mul0r oppr0 expR0 e1 e2 /tlap_const; field.
by rewrite !gt_eqF.
Qed.

Lemma density_tlap v : density (tlap_pdf v).
Proof. by split; [exact: measurable_tlap | exact: tlap_pdf_ge0 | exact: tlap_total]. Qed.

Lemma densities_tlap d (T : measurableType d) (f : T -> R) : measurable_fun setT f -> densities (fun z => tlap_pdf (f z)).
Proof.
move=> mf; split=> [z|]; first exact: density_tlap.
pose g (w : T * R) := (f w.1, w.2).
have mg : measurable_fun setT g by apply: measurable_fun_prod => //; exact: measurableT_comp.
exact: (measurableT_comp measurable_tlap2 mg).
Qed.

Lemma tlap_ratio v w x : w - A <= x <= w + A -> tlap_pdf v x <= expR (`|v - w| / b) * tlap_pdf w x.
Proof.
move=> inw; rewrite /tlap_pdf inw; case: ifP => _; last by rewrite !mulr_ge0 ?expR_ge0 // ltW // tlap_const_gt0.
rewrite mulrCA ler_pM2l ?tlap_const_gt0 // -expRD ler_expR -mulrBl -mulNr.
rewrite ler_pM2r ?invr_gt0 //; have := ler_distD v x w; lra.
Qed.
End TruncatedLaplace.

Section Loss.
Context {R : realType}.
Local Notation mu := (@lebesgue_measure R).
Variables (b A : R).
Hypotheses (b0 : 0 < b) (A0 : 0 < A).
Implicit Types (v w x D a t : R).
Local Notation pdf := (tlap_pdf b A).
Local Notation loss := (tlap_loss b A).

Let c0 := tlap_const_gt0 b0 A0.
Let cb0 : 0 < tlap_const b A * b. Proof. exact: mulr_gt0. Qed.

Let eA1 : 0 < expR (A / b) - 1.
Proof. by rewrite subr_gt0 -expR0 ltr_expR divr_gt0. Qed.

Lemma tlap_loss_ge0 D : 0 <= D -> 0 <= loss D.
Proof.
move=> D0; rewrite divr_ge0 ?mulr_ge0 ?(ltW eA1) //.
by rewrite subr_ge0 -expR0 ler_expR divr_ge0 // ltW.
Qed.

Lemma tlap_loss_monotone D D' : D <= D' -> loss D <= loss D'.
Proof. by move=> DD; rewrite ler_pM2r ?invr_gt0 ?mulr_gt0 // lerD2r ler_expR ler_pM2r ?invr_gt0. Qed.

(* Losses of several changes are at most that of their sum. *)
Lemma tlap_loss_add D D' : 0 <= D -> 0 <= D' -> loss D + loss D' <= loss (D + D').
Proof.
move=> D0 D'0; rewrite -mulrDl ler_pM2r ?invr_gt0 ?mulr_gt0 // mulrDl expRD -subr_ge0.
rewrite (_ : _ - _ = (expR (D / b) - 1) * (expR (D' / b) - 1)); last by ring.
by rewrite mulr_ge0 // subr_ge0 -expR0 ler_expR divr_ge0 // ltW.
Qed.

(* The mass at the end of the support, D wide. *)
Let end_mass D : tlap_const b A * b * (expR (- ((A - D) / b)) - expR (- (A / b))) = loss D.
Proof.
have e : expR (- ((A - D) / b)) = expR (D / b) / expR (A / b).
  by rewrite -expRN -expRD mulrBl opprB.
have n0 : expR (A / b) != 0 by rewrite gt_eqF ?expR_gt0.
have n1 : expR (A / b) - 1 != 0 by rewrite gt_eqF.
rewrite e /tlap_const /loss expRN; field.
by rewrite n0 n1 gt_eqF.
Qed.

(* What lies above w + A, or below w - A, is impossible for w. *)
Lemma tlap_above v D : 0 <= D -> D <= A -> (\int[mu]_(x in `[(v + A - D)%R, (v + A)%R]) (pdf v x)%:E = (loss D)%:E)%E.
Proof.
move=> D0 DA; rewrite tlap_right //; [|lra|lra].
have e1 : v + A - D - v = A - D by ring.
have e2 : v + A - v = A by ring.
by rewrite e1 e2 end_mass.
Qed.

Lemma tlap_below v D : 0 <= D -> D <= A -> (\int[mu]_(x in `[(v - A)%R, (v - A + D)%R]) (pdf v x)%:E = (loss D)%:E)%E.
Proof.
move=> D0 DA; rewrite tlap_left //; [|lra|lra].
have e1 : v - (v - A + D) = A - D by ring.
have e2 : v - (v - A) = A by ring.
by rewrite e1 e2 end_mass.
Qed.

Let excess v w x : maxr 0 (pdf v x - expR (`|v - w| / b) * pdf w x) <= if w - A <= x <= w + A then 0 else pdf v x.
Proof.
rewrite ge_max; case: ifP => [inw|out]; first by rewrite lexx subr_le0 tlap_ratio.
rewrite tlap_pdf_ge0 //= {2}/tlap_pdf out mulr0 subr0 lexx //.
Qed.

(* A release of v against one of w: the factor exp(|v - w| / b), and the loss. *)
Theorem tlap_spends v w D : `|v - w| <= D -> D <= A -> spends (expR (D / b)) (loss D) (pdf v) (pdf w).
Proof.
move=> vwD DA; pose s := `|v - w|; have s0 : 0 <= s by exact: normr_ge0.
have sA : s <= A by exact: le_trans DA.
pose B : set R := if w <= v then `[v + A - s, v + A]%classic else `[v - A, v - A + s]%classic.
have mB : measurable B by rewrite /B; case: ifP.
have massB : (\int[mu]_(x in B) (pdf v x)%:E = (loss s)%:E)%E.
  by rewrite /B; case: ifP => _; [exact: tlap_above | exact: tlap_below].
apply: (@le_trans _ _ (loss s)%:E); last by rewrite lee_fin tlap_loss_monotone.
rewrite -massB [leRHS]integral_mkcond; apply: ge0_le_integral => //.
- by move=> x _; rewrite lee_fin le_max lexx.
- by apply: measurable_excess; exact: measurable_tlap.
- by move=> x _; rewrite patchE; case: ifP => // _; rewrite lee_fin tlap_pdf_ge0.
- by apply/measurable_restrict => //; rewrite setTI; apply/measurable_EFinP; apply: measurable_funTS; exact: measurable_tlap.
move=> x _; rewrite patchE.
have le : maxr 0 (pdf v x - expR (D / b) * pdf w x) <= if w - A <= x <= w + A then 0 else pdf v x.
  apply: le_trans (excess v w x); rewrite ge_max !le_max lexx /= lerB ?orbT //.
  by rewrite ler_wpM2r ?tlap_pdf_ge0 // ler_expR ler_pM2r ?invr_gt0.
have pos := tlap_pdf_ge0 b0 A0 v x.
case: ifP => xB; first by rewrite lee_fin; apply: le_trans le _; case: ifP.
rewrite lee_fin; apply: le_trans le _; case: ifP => // out.
have [->|/tlap_pdf_neq0/andP[v1 v2]] := eqVneq (pdf v x) 0; first by [].
suff : B x by move=> Bx; rewrite mem_set in xB.
rewrite /B; move: out; have [wv|vw] := leP w v.
  have es : s = v - w by rewrite /s ger0_norm // subr_ge0.
  move/negbT; rewrite negb_and -!ltNge => /orP[h|h] /=; rewrite in_itv /= es; apply/andP; split; lra.
have es : s = w - v by rewrite /s ltr0_norm ?opprB // subr_lt0.
by move/negbT; rewrite negb_and -!ltNge => /orP[h|h] /=; rewrite in_itv /= es; apply/andP; split; lra.
Qed.
End Loss.

(* Noise of scale 1 on [- 1, 1]: a change of 1 costs 1/2 besides the factor e. *)
Example tlap_example (R : realType) : density (tlap_pdf (1 : R) 1 0) /\
  spends (expR (1 / 1)) (tlap_loss (1 : R) 1 1) (tlap_pdf 1 1 1) (tlap_pdf 1 1 0).
Proof.
split; first exact: density_tlap.
by apply: tlap_spends => //; rewrite subr0 normr1.
Qed.
