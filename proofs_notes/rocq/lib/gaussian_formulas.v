(* The normal tail as a function of its point.

   lower_upper, upper_open, upperN, upper0   symmetry: upper (- x) = 1 - upper x
   upper_antitone, upper_le1, upper_change   it decreases, and by at most half the distance
   upper_chernoff   upper t <= exp(- t^2 / 2) / 2 for t >= 0
   upper_mills      upper t <= density / t for t > 0 *)
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure densities normal_line gaussian_dp gaussian_run laplace.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Upper.
Context {R : realType}.
Local Notation mu := (@lebesgue_measure R).
Local Notation phi := (normal_pdf (0 : R) 1).
Implicit Types (x y c t : R).

Lemma lower_upper x : normal_prob 0 1 `]-oo, x]%classic = (upper (- x))%:E.
Proof. by rewrite lower_tail ?ltr01 // divr1 sub0r. Qed.

Lemma upper_open x : normal_prob 0 1 `]x, +oo[%classic = (upper x)%:E.
Proof.
rewrite -upperE /tail /normal_prob integral_itv_obnd_cbnd //.
by apply: measurable_funTS; exact: measurable_normal_pdf.
Qed.

Lemma upperN x : upper (- x) = 1 - upper x.
Proof.
apply/eqP; rewrite eq_sym subr_eq -(@eqe R) EFinD -lower_upper -upper_open; apply/eqP.
rewrite -(@probability_setT _ _ R (normal_prob 0 1)) -measureU //; first by rewrite -itv_bndbnd_setU // set_itv_infty_infty.
rewrite -subset0 => y /=; rewrite !in_itv /= andbT => -[]; rewrite leNgt => /negP h1 h2; exact: h1.
Qed.

Lemma upper0 : upper (0 : R) = 2^-1.
Proof. by have := upperN (0 : R); rewrite oppr0 => h; lra. Qed.

Lemma upper_antitone x y : x <= y -> upper y <= upper x.
Proof.
move=> xy; rewrite -lee_fin -!upperE; apply: le_measure; rewrite ?inE; try exact: measurable_itv.
by move=> z /=; rewrite !in_itv /= !andbT; exact: le_trans.
Qed.

Lemma upper_le1 x : upper x <= 1.
Proof. by rewrite -lee_fin -upperE; apply: probability_le1; exact: measurable_itv. Qed.

Lemma phiE x : phi x = (Num.sqrt (pi *+ 2))^-1 * expR (- (x ^+ 2 / 2)).
Proof. by rewrite normal_pdfE ?ltr01 // mul1r subr0 divr1. Qed.

Lemma peak_le : (Num.sqrt (pi *+ 2))^-1 <= 2^-1 :> R.
Proof.
have p0 : 0 < pi *+ 2 :> R by rewrite pmulrn_lgt0 // pi_gt0.
have r0 : 0 < Num.sqrt (pi *+ 2) :> R by rewrite sqrtr_gt0.
rewrite lef_pV2 ?posrE // -[leLHS]ger0_norm ?ler0n // -sqrtr_sqr; apply: ler_wsqrtr.
by have := @pi_ge2 R; rewrite -mulr_natr; nra.
Qed.

Lemma phi_le x : phi x <= 2^-1.
Proof.
rewrite phiE; apply: le_trans peak_le; rewrite ler_piMr // ?invr_ge0 ?sqrtr_ge0 //.
by rewrite -[leRHS]expR0 ler_expR oppr_le0 divr_ge0 ?sqr_ge0 ?ler0n.
Qed.

(* The tail falls by at most half the distance. *)
Lemma upper_change x y : x <= y -> upper x - upper y <= (y - x) / 2.
Proof.
move=> xy; have e : tail 0 1 x = (normal_prob 0 1 `[x, y[%classic + tail 0 1 y)%E.
  rewrite /tail -measureU //; first by rewrite -itv_bndbnd_setU // bnd_simp.
  rewrite -subset0 => z /=; rewrite !in_itv /= andbT => -[/andP[_ h1]]; by rewrite leNgt h1.
have le : (normal_prob 0 1 `[x, y[%classic <= ((y - x) / 2)%:E)%E.
  rewrite /normal_prob; apply: le_trans (_ : (\int[mu]_(z in `[x, y[) (2^-1)%:E <= _)%E); last first.
    rewrite integral_cst; last exact: measurable_itv.
    rewrite [X in (_ * X)%E]lebesgue_measure_itv /= lte_fin; case: (ltP x y) => h.
      by rewrite -EFinD -EFinM mulrC.
    by rewrite mule0 lee_fin divr_ge0 // subr_ge0.
  apply: ge0_le_integral; first exact: measurable_itv.
  - by move=> z _; rewrite lee_fin normal_pdf_ge0.
  - by apply/measurable_EFinP; apply: measurable_funTS; exact: measurable_normal_pdf.
  - by move=> z _; rewrite lee_fin invr_ge0.
  - exact: measurable_cst.
  - by move=> z _; rewrite lee_fin phi_le.
move: e le; rewrite !upperE => e; have fin : normal_prob 0 1 `[x, y[%classic \is a fin_num.
  rewrite ge0_fin_numE // (le_lt_trans _ (ltry 1)) //; apply: probability_le1; exact: measurable_itv.
by rewrite -(fineK fin) -EFinD in e; case: e => ->; rewrite -(fineK fin) lee_fin addrK.
Qed.

Lemma upper_shift t : tail (- t) 1 0 = (upper t)%:E.
Proof. by rewrite tail_upper ?ltr01 // opprK add0r divr1. Qed.

Let shifted t x : normal_pdf (- t) 1 x = expR (- (t ^+ 2 / 2)) * (expR (- (x * t)) * phi x).
Proof.
rewrite phiE normal_pdfE ?ltr01 // mul1r divr1 opprK.
rewrite (_ : - ((x + t) ^+ 2 / 2) = - (t ^+ 2 / 2) + (- (x * t) + - (x ^+ 2 / 2))); last by field.
by rewrite !expRD; ring.
Qed.

(* An integral over the half-line that is compared with a multiple of another one. *)
Let half_line_le (f g : R -> R) (c : R) : measurable_fun setT f -> measurable_fun setT g ->
  (forall x, 0 <= f x) -> (forall x, 0 <= g x) -> 0 <= c -> (forall x, 0 <= x -> f x <= c * g x) ->
  (\int[mu]_(x in `[0%R, +oo[) (f x)%:E <= c%:E * \int[mu]_(x in `[0%R, +oo[) (g x)%:E)%E.
Proof.
move=> mf mg f0 g0 c0 fg; have mE (h : R -> R) : measurable_fun setT h -> measurable_fun (`[0%R, +oo[%classic : set R) (EFin
  \o h).
  by move=> mh; apply/measurable_EFinP; apply: measurable_funTS.
rewrite -(@ge0_integralZl_EFin _ _ R mu _ (measurable_itv `[0%R, +oo[) (EFin \o g)) //; [|by move=> x _; rewrite
  lee_fin|exact: mE].
apply: (@ge0_le_integral _ _ R mu _ (measurable_itv `[0%R, +oo[) (EFin \o f)).
- by move=> x _; rewrite lee_fin.
- exact: mE.
- by move=> x _; rewrite mule_ge0 ?lee_fin.
- by apply: measurable_funeM; exact: mE.
- by move=> x; rewrite /= in_itv /= andbT => x0; rewrite -EFinM lee_fin fg.
Qed.

Lemma upper_chernoff t : 0 <= t -> upper t <= expR (- (t ^+ 2 / 2)) / 2.
Proof.
move=> t0; rewrite -lee_fin -upper_shift.
have -> : (expR (- (t ^+ 2 / 2)) / 2)%:E = ((expR (- (t ^+ 2 / 2)))%:E * tail 0 1 0)%E by rewrite upperE upper0 -EFinM.
apply: half_line_le; rewrite ?expR_ge0 //; try exact: measurable_normal_pdf; try by move=> x; exact: normal_pdf_ge0.
move=> x x0; rewrite shifted ler_wpM2l ?expR_ge0 //.
by rewrite ler_piMl ?normal_pdf_ge0 // -[leRHS]expR0 ler_expR oppr_le0 mulr_ge0.
Qed.

Lemma upper_mills t : 0 < t -> upper t <= phi t / t.
Proof.
move=> t0; rewrite -lee_fin -upper_shift EFinM -(@integral_exponential R t^-1) ?invr_gt0 //.
apply: half_line_le; rewrite ?normal_pdf_ge0 //; try exact: measurable_normal_pdf; try by move=> x; exact: normal_pdf_ge0.
- apply: measurableT_comp => //; apply: measurableT_comp => //; exact: measurable_funM.
- by move=> x; exact: expR_ge0.
move=> x x0; rewrite shifted !phiE invrK.
set c := (Num.sqrt _)^-1; have c0 : 0 <= c by rewrite invr_ge0 sqrtr_ge0.
have e1 : expR (- (x ^+ 2 / 2)) <= 1 by rewrite -[leRHS]expR0 ler_expR oppr_le0 divr_ge0 ?sqr_ge0.
rewrite [leLHS](_ : _ = c * expR (- (t ^+ 2 / 2)) * expR (- (x * t)) * expR (- (x ^+ 2 / 2))); last by ring.
by rewrite ler_piMr // !mulr_ge0 ?expR_ge0.
Qed.
End Upper.
