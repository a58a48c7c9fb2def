(** singhal2021, Lemma 2.5 and section 1.4: the size of the noise, the gap that selection needs, the blocks that a histogram needs.

    A = noise_bound e t = (2 / epsilon) ln(1 + (e^epsilon - 1) / (2 delta)), L = ln(1 / delta). *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra zify.
From DPPCA.lib Require Import measure real_releases truncated_line gaussian_matrix.
From DPPCA.primitives Require Import truncated_laplace_noise.
From DPPCA.singhal2021 Require Import values noisy_gap_max noisy_estimators.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * The printed bound 2 L / epsilon *)

Section PrintedBound.
Context {R : realType}.
Variables (e t : R).
Hypotheses (e0 : 0 < e) (t0 : 0 < t) (t1 : t <= 1 / 2).
Local Notation A := (noise_bound e t).

Lemma noise_bound_printed : A <= 2 * ln (1 / t) / e <-> expR e <= 3 - 2 * t.
Proof.
have E1 : 0 < expR e - 1 by rewrite subr_gt0 -expR0 ltr_expR.
have q0 : 0 < (expR e - 1) / (2 * t) by rewrite divr_gt0 ?mulr_gt0.
have b0 : 0 < 2 / e by rewrite divr_gt0.
rewrite /noise_bound (_ : 2 * ln (1 / t) / e = 2 / e * ln (1 / t)); last by ring.
have arg : 0 < 1 + (expR e - 1) / (2 * t) by rewrite addr_gt0.
have arg2 : 0 < 1 / t by rewrite divr_gt0.
rewrite ler_pM2l // ler_ln ?posrE // ler_pdivlMr //.
rewrite mulrDl mul1r (_ : (expR e - 1) / (2 * t) * t = (expR e - 1) / 2); last by field; rewrite gt_eqF.
by split=> h; lra.
Qed.
End PrintedBound.

(** * Noise of another shape: density 3/10 on [-1, 1] and 1/10 on the rest of [-3, 3] *)

Section TwoSteps.
Context {R : realType}.
Local Notation mu := (@lebesgue_measure R).

Definition two_steps (v x : R) : R := 10^-1 * \1_(`[v - 3, v + 3]) x + 5^-1 * \1_(`[v - 1, v + 1]) x.

Lemma two_stepsE v x : two_steps v x = if `|x - v| <= 1 then 3 / 10 else if `|x - v| <= 3 then 10^-1 else 0.
Proof.
have near c : (x \in `[v - c, v + c]) = (`|x - v| <= c).
  by rewrite in_itv /= ler_norml; apply/andP/andP => -[h1 h2]; split; lra.
rewrite /two_steps !indicE !mem_setE !near; case: (boolP (`|x - v| <= 1)) => [close|_].
  by rewrite (le_trans close) /= ?mulr1; lra.
by case: ifP => _; rewrite /= ?mulr1 ?mulr0 addr0.
Qed.

Lemma two_steps_support v x : two_steps v x != 0 -> `|x - v| <= 3.
Proof. by rewrite two_stepsE; case: ifP => [h _|_]; [apply: le_trans h _; lra | case: ifP => //; rewrite eqxx]. Qed.

Lemma segment_length (a b : R) : a <= b -> (mu `[a, b]%classic = (b - a)%:E)%E.
Proof.
move=> ab; apply: (etrans (lebesgue_measure_itv `[a, b])); rewrite /= lte_fin; case: ltP => h; first by rewrite -EFinB.
by congr EFin; lra.
Qed.

Lemma density_two_steps v : density (two_steps v).
Proof.
have m1 (a b c : R) : measurable_fun setT (fun x => c * \1_(`[a, b]) x) by apply: measurable_funM => //; exact: measurable_indic.
have i1 (c : R) a b : 0 <= c -> a <= b -> (\int[mu]_x (c * \1_(`[a, b]) x)%:E = (c * (b - a))%:E)%E.
  move=> c0 ab; under eq_integral do rewrite EFinM.
  rewrite ge0_integralZl_EFin // ?integral_indic ?setIT //.
  - by rewrite [X in (_ * X)%E](segment_length ab) -EFinM.
  - by move=> x _; rewrite lee_fin.
  - by apply/measurable_EFinP; exact: measurable_indic.
split.
- exact: measurable_funD.
- by move=> x; rewrite two_stepsE; case: ifP => _; [|case: ifP => _]; lra.
under eq_integral do rewrite EFinD.
rewrite ge0_integralD //.
- by rewrite !i1 -?EFinD; [congr EFin; field | lra | lra | lra | lra].
- by move=> x _; rewrite lee_fin mulr_ge0 // ?invr_ge0.
- by apply/measurable_EFinP; exact: m1.
- by move=> x _; rewrite lee_fin mulr_ge0 // ?invr_ge0.
- by apply/measurable_EFinP; exact: m1.
Qed.

Lemma two_steps_spends v w : `|v - w| <= 2 -> spends 3 5^-1 (two_steps v) (two_steps w).
Proof.
move=> vw; pose s := `|v - w|.
pose B : set R := if w <= v then `[w + 3, v + 3]%classic else `[v - 3, w - 3]%classic.
have mB : measurable B by rewrite /B; case: ifP.
have lenB : (mu B = s%:E)%E.
  rewrite /B /s; case: leP => h; [rewrite ger0_norm ?subr_ge0 // | rewrite ltr0_norm ?subr_lt0 //].
    by rewrite segment_length; [congr EFin; ring | lra].
  by rewrite segment_length; [congr EFin; ring | lra].
apply: (@le_trans _ _ (\int[mu]_x (10^-1 * \1_B x)%:E)%E); last first.
  under eq_integral do rewrite EFinM.
  rewrite ge0_integralZl_EFin ?invr_ge0 //.
  - by rewrite integral_indic // setIT [X in (_ * X)%E]lenB -EFinM lee_fin; move: vw; rewrite -/s; lra.
  - by move=> x _; rewrite lee_fin.
  - by apply/measurable_EFinP; exact: measurable_indic.
have [mv v0 _] := density_two_steps v; have [mw w0 _] := density_two_steps w.
apply: ge0_le_integral => //.
- by move=> x _; rewrite lee_fin le_max lexx.
- exact: measurable_excess.
- by move=> x _; rewrite lee_fin mulr_ge0 // ?invr_ge0.
- by apply/measurable_EFinP; apply: measurable_funM => //; exact: measurable_indic.
move=> x _; rewrite lee_fin ge_max mulr_ge0 ?invr_ge0 //= lerBlDr.
have pos := w0 x; case: (boolP (`|x - w| <= 3)) => [near|far].
  have : 3 / 10 <= 3 * two_steps w x by rewrite two_stepsE near; case: ifP => _; lra.
  have : two_steps v x <= 3 / 10 by rewrite two_stepsE; case: ifP => _; [|case: ifP => _]; lra.
  have : 0 <= 10^-1 * \1_B x :> R by rewrite mulr_ge0 ?invr_ge0.
  lra.
have not1 : (`|x - v| <= 1) = false.
  apply/negbTE/negP => close; move: far; rewrite -ltNge; have := ler_distD v x w; move: vw; lra.
rewrite [two_steps v x]two_stepsE not1; case: ifP => [in3|_]; last by rewrite addr_ge0 ?mulr_ge0 ?invr_ge0.
suff -> : \1_B x = 1 :> R by rewrite mulr1; lra.
rewrite indicE mem_set //; move: far in3; rewrite -ltNge /B ltr_normr ler_norml => /orP far /andP[l3 u3].
move: vw; rewrite ler_norml => /andP[vw1 vw2]; move: not1; rewrite ler_norml => /negbT; rewrite negb_and -!ltNge => /orP not1.
by case: leP => h /=; rewrite in_itv /=; apply/andP; split; case: far => far; case: not1 => not1; lra.
Qed.
End TwoSteps.

(** singhal2021.truncated-laplace-bound: A is enough, truncated Laplace noise of rate epsilon / 2 has to reach it, the printed bound
    is as large exactly when e^epsilon <= 3 - 2 delta; and noise of another shape may be smaller, here within 3 < A. *)
Theorem bound_of_the_noise (R : realType) :
  (forall e t : R, 0 < e -> 0 < t -> t <= 1 / 2 ->
    (forall n B, 0 < B -> (forall v w : 'rV[R]_n.+1, \sum_i `|v 0 i - w 0 i| <= 2 ->
        indist (expR e) t (noisy_row (2 / e) B v) (noisy_row (2 / e) B w)) <-> noise_bound e t <= B) /\
    (noise_bound e t <= 2 * ln (1 / t) / e <-> expR e <= 3 - 2 * t)) /\
  exists (e t B : R) (noise : R -> R -> R), [/\ 0 < e, 0 < t <= 1 / 2, B < noise_bound e t,
    forall v, density (noise v) /\ forall x, noise v x != 0 -> `|x - v| <= B &
    forall v w, `|v - w| <= 2 -> indist (expR e) t (release (noise v)) (release (noise w))].
Proof.
split=> [e t e0 t0 t1|].
  split=> [n B B0|]; last exact: noise_bound_printed.
  exact: truncated_laplace_exact.
exists (ln 3), 5^-1, 3, two_steps; split.
- by rewrite ln_gt0 // ltr1n.
- by apply/andP; split; lra.
- rewrite /noise_bound lnK ?posrE //.
  have -> : 1 + (3 - 1) / (2 * 5^-1) = 6 :> R by field.
  have l3 : 0 < ln 3 :> R by rewrite ln_gt0 // ltr1n.
  rewrite mulrAC ltr_pdivlMr // (_ : 3 * ln 3 = ln (3 ^+ 3)); last by rewrite lnXn // mulr_natl.
  rewrite (_ : 2 * ln 6 = ln (6 ^+ 2)) ?ltr_ln ?posrE ?exprn_gt0 // ?lnXn ?mulr_natl //.
  by rewrite -!natrX ltr_nat.
- by move=> v; split; [exact: density_two_steps | move=> x; exact: two_steps_support].
move=> v w vw; rewrite lnK ?posrE //; apply: spends_event; [exact: density_two_steps | exact: density_two_steps | |].
  by [].
exact: two_steps_spends.
Qed.

Example two_steps_computes (R : realType) : two_steps 0 2 = 10^-1 :> R.
Proof. by rewrite two_stepsE subr0 ger0_norm //; case: ifP => [|_]; [lra | case: ifP => // /negbT; lra]. Qed.
