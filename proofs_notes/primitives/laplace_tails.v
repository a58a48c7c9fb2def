(* Tails of Laplace noise of scale b: half of the mass is above the value, and what is d or more away has mass exp(- d / b) / 2 at
   most (in both directions, for every d, also below 0). *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra zify.
From DPPCA.lib Require Import measure real_releases truncated_line laplace.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Tails.
Context {R : realType}.
Local Notation mu := (@lebesgue_measure R).
Variables (b : R).
Hypothesis b0 : 0 < b.

Let mE m (B : set R) : measurable_fun B (fun x => (laplace_pdf m b x)%:E).
Proof. by apply/measurable_EFinP; apply: measurable_funTS; exact: measurable_laplace_pdf. Qed.

Lemma laplace_above m c : m <= c -> laplace_prob m b `[c, +oo[ = (expR (- ((c - m) / b)) / 2)%:E.
Proof.
move=> mc; pose half (x : R) : R := (2 * b)^-1 * expR (- ((x - m) / b)); pose primitive (x : R) : R := - (expR (- ((x - m) / b)) / 2).
have der (x : R) : is_derive x 1 primitive (half x).
  rewrite /primitive; apply: is_derive_eq.
  by rewrite /half /GRing.scale /=; field; rewrite gt_eqF.
have ch : continuous half.
  move=> x; apply: cvgM; first exact: cvg_cst.
  apply: continuous_comp; last exact: continuous_expR.
  by apply: continuousN; apply: cvgM; [apply: cvgB; [exact: cvg_id | exact: cvg_cst] | exact: cvg_cst].
transitivity (\int[mu]_(x in `[c, +oo[) (half x)%:E)%E.
  apply: eq_integral => x; rewrite inE /= in_itv /= andbT => cx; rewrite /laplace_pdf /half ger0_norm // subr_ge0.
  exact: le_trans cx.
rewrite (@ge0_continuous_FTC2y R half primitive c 0).
- by rewrite /primitive EFinN oppeK add0e.
- by move=> x _; rewrite mulr_ge0 ?expR_ge0 // invr_ge0 mulr_ge0 // ltW.
- exact: continuous_subspaceT.
- rewrite /primitive -oppr0; apply: cvgN; rewrite -[X in _ --> X](mul0r 2^-1); apply: cvgM; last exact: cvg_cst.
  apply: (@cvg_comp _ _ _ (fun x : R => (x - m) / b) (fun x : R => expR (- x)) _ +oo); last exact: cvgr_expR.
  apply: gt0_cvgMly; rewrite ?invr_gt0 //; apply/cvgryPge => A; near=> x; rewrite lerBrDr.
  by near: x; apply: nbhs_pinfty_ge; rewrite num_real.
- by move=> x _; case: (der x).
- apply: cvg_at_right_filter; apply/differentiable_continuous/derivable1_diffP.
  by case: (der c).
- by move=> x _; rewrite derive1E; apply: derive_val; exact: der.
Unshelve. all: by end_near. Qed.

Lemma laplace_half_above m : laplace_prob m b `[m, +oo[ = (2^-1)%:E.
Proof. by rewrite laplace_above // subrr mul0r oppr0 expR0 mul1r. Qed.

Lemma laplace_half_below m : laplace_prob m b `]-oo, m] = (2^-1)%:E.
Proof.
have split : (laplace_prob m b `]-oo, m] + laplace_prob m b `[m, +oo[ = 1)%E.
  rewrite -(laplace_total m b0) /laplace_prob -integral_itv_obnd_cbnd; last by apply: measurable_funTS; exact: measurable_laplace_pdf.
  rewrite -ge0_integral_setU //=.
  - by rewrite -itv_bndbnd_setU // set_itvE.
  - exact: mE.
  - by move=> x _; rewrite lee_fin laplace_pdf_ge0.
  - apply/disj_set2P; apply/seteqP; split=> x //= [].
    by rewrite !in_itv /= andbT => h1 h2; move: (le_lt_trans h1 h2); rewrite ltxx.
have fin : laplace_prob m b `]-oo, m] \is a fin_num.
  rewrite ge0_fin_numE; last by apply: integral_ge0 => x _; rewrite lee_fin laplace_pdf_ge0.
  apply: (@le_lt_trans _ _ 1%E); last by rewrite ltry.
  by rewrite -split leeDl // laplace_half_above lee_fin invr_ge0.
move: split; rewrite laplace_half_above -(fineK fin) -EFinD => -[] e; congr EFin; lra.
Qed.

(* Mass moves from v to c at the price exp(- |v - c| / b) on the far side of c. *)
Let shift v c k (B : set R) : measurable B -> (forall x, B x -> `|x - c| + k <= `|x - v|) ->
  (laplace_prob v b B <= (expR (- (k / b)))%:E * laplace_prob c b B)%E.
Proof.
move=> mB far; rewrite /laplace_prob -ge0_integralZl_EFin ?expR_ge0 //; last 2 first.
- by move=> x _; rewrite lee_fin laplace_pdf_ge0.
- exact: mE.
apply: ge0_le_integral => //.
- by move=> x _; rewrite lee_fin laplace_pdf_ge0.
- exact: mE.
- by move=> x _; rewrite mule_ge0 ?lee_fin ?expR_ge0 ?laplace_pdf_ge0.
- by apply: measurable_funeM; exact: mE.
move=> x Bx; rewrite -EFinM lee_fin /laplace_pdf mulrCA ler_wpM2l ?invr_ge0 ?mulr_ge0 ?(ltW b0) // -expRD ler_expR.
by rewrite -opprD lerN2 -mulrDl ler_pM2r ?invr_gt0 // addrC; exact: far.
Qed.

Theorem laplace_tails v c : (laplace_prob v b `[c, +oo[ <= (expR ((v - c) / b) / 2)%:E)%E /\
  (laplace_prob v b `]-oo, c] <= (expR ((c - v) / b) / 2)%:E)%E.
Proof.
split.
  have := @shift v c (c - v) `[c, +oo[ (measurable_itv _); rewrite laplace_half_above -EFinM -mulNr opprB; apply=> x /=.
  by rewrite in_itv /= andbT => cx; rewrite ger0_norm ?subr_ge0 //; have := ler_norm (x - v); lra.
have := @shift v c (v - c) `]-oo, c] (measurable_itv _); rewrite laplace_half_below -EFinM -mulNr opprB; apply=> x /=.
by rewrite in_itv /= => xc; rewrite ler0_norm ?subr_le0 //; have := ler_norm (v - x); rewrite distrC; lra.
Qed.
End Tails.

Example laplace_tails_example (R : realType) : (laplace_prob (0 : R) 1 `[1%R, +oo[ <= (expR ((0 - 1) / 1) / 2)%:E)%E.
Proof. by have [] := @laplace_tails R 1 ltr01 0 1. Qed.
