(* The Laplace mechanism on the line.

   laplace_pdf m b x    the density (2 b)^-1 exp(- |x - m| / b)
   laplace_prob m b A   the law of m plus Laplace noise of scale b; its total mass is laplace_total
   laplace_mechanism    the release is exp(|v - w| / b)-private
   integral_exponential the mass of exp(- x / b) on the half-line *)
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure normal_line.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Section Laplace.
Context {R : realType}.
Local Notation mu := (@lebesgue_measure R).

Definition laplace_pdf (m b x : R) : R := (2 * b)^-1 * expR (- (`|x - m| / b)).

Lemma laplace_pdf_ge0 (m b x : R) : 0 < b -> 0 <= laplace_pdf m b x.
Proof. by move=> b0; rewrite mulr_ge0 ?expR_ge0 // invr_ge0 mulr_ge0 // ltW. Qed.

Lemma measurable_laplace_pdf (m b : R) : measurable_fun [set: R] (laplace_pdf m b).
Proof.
apply: measurable_funM => //; apply: measurableT_comp => //; apply: measurableT_comp => //; apply: measurable_funM => //.
by apply: measurableT_comp => //; exact: measurable_funB.
Qed.

Lemma laplace_ratio (v w b x : R) : 0 < b -> laplace_pdf v b x <= expR (`|v - w| / b) * laplace_pdf w b x.
Proof.
move=> b0; rewrite /laplace_pdf mulrCA ler_wpM2l ?invr_ge0 ?mulr_ge0 ?(ltW b0) // -expRD ler_expR -mulrBl -mulNr.
rewrite ler_pM2r ?invr_gt0 //; have := ler_distD v x w; lra.
Qed.

(* The release of v, as a set function: that it is a probability is laplace_total below. *)
Definition laplace_prob (v b : R) (A : set R) : \bar R := (\int[mu]_(x in A) (laplace_pdf v b x)%:E)%E.

Theorem laplace_mechanism (v w b : R) : 0 < b -> indist (expR (`|v - w| / b)) 0 (laplace_prob v b) (laplace_prob w b).
Proof.
move=> b0 A mA; rewrite adde0 /laplace_prob -ge0_integralZl_EFin ?expR_ge0 //; last 2 first.
- by move=> x _; rewrite lee_fin laplace_pdf_ge0.
- by apply/measurable_EFinP; apply: measurable_funTS; exact: measurable_laplace_pdf.
apply: ge0_le_integral => //.
- by move=> x _; rewrite lee_fin laplace_pdf_ge0.
- by apply/measurable_EFinP; apply: measurable_funTS; exact: measurable_laplace_pdf.
- by move=> x _; rewrite mule_ge0 ?lee_fin ?expR_ge0 ?laplace_pdf_ge0.
- by apply: measurable_funeM; apply/measurable_EFinP; apply: measurable_funTS; exact: measurable_laplace_pdf.
- by move=> x _; rewrite -EFinM lee_fin laplace_ratio.
Qed.
End Laplace.
Section LaplaceTotal.
Context {R : realType}.
Local Notation mu := (@lebesgue_measure R).
Variables (m b : R).
Hypothesis b0 : 0 < b.

Let half (x : R) : R := (2 * b)^-1 * expR (- (x / b)).
Let primitive (x : R) : R := - (expR (- (x / b)) / 2).

Let is_derive_primitive (x : R) : is_derive x 1 primitive (half x).
Proof.
rewrite /primitive; apply: is_derive_eq.
by rewrite /half /GRing.scale /=; field; rewrite gt_eqF.
Qed.

Let half_total : (\int[mu]_(x in `[0%R, +oo[) (half x)%:E = (2^-1)%:E)%E.
Proof.
have ch : continuous half.
  move=> x; apply: cvgM; first exact: cvg_cst.
  apply: continuous_comp; last exact: continuous_expR.
  by apply: continuousN; apply: cvgM; [exact: cvg_id | exact: cvg_cst].
rewrite (@ge0_continuous_FTC2y R half primitive 0 0).
- by rewrite /primitive mul0r oppr0 expR0 mul1r EFinN oppeK add0e.
- by move=> x _; rewrite mulr_ge0 ?expR_ge0 // invr_ge0 mulr_ge0 // ltW.
- exact: continuous_subspaceT.
- rewrite /primitive -oppr0; apply: cvgN; rewrite -[X in _ --> X](mul0r 2^-1); apply: cvgM; last exact: cvg_cst.
  apply: (@cvg_comp _ _ _ (fun x : R => x / b) (fun x : R => expR (- x)) _ +oo); last exact: cvgr_expR.
  by apply: gt0_cvgMly; rewrite ?invr_gt0.
- by move=> x _; case: (is_derive_primitive x).
- apply: cvg_at_right_filter; apply/differentiable_continuous/derivable1_diffP.
  by case: (is_derive_primitive 0).
- by move=> x _; rewrite derive1E; apply: derive_val; exact: is_derive_primitive.
Qed.

(* The exponential law of rate b^-1 has mass 1. *)
Lemma integral_exponential : (\int[mu]_(x in `[0%R, +oo[) (expR (- (x / b)))%:E = b%:E)%E.
Proof.
have e x : (half x)%:E = ((2 * b)^-1%:E * (expR (- (x / b)))%:E)%E by rewrite -EFinM.
have := half_total; under eq_integral do rewrite e.
rewrite ge0_integralZl_EFin ?invr_ge0 ?mulr_ge0 ?(ltW b0) //.
- move=> h; transitivity ((2 * b)%:E * ((2 * b)^-1%:E * \int[mu]_(x in `[0%R, +oo[) (expR (- (x / b)))%:E))%E.
    by rewrite muleA -EFinM divff ?mul1e // mulf_neq0 ?gt_eqF.
  by rewrite h -EFinM; congr EFin; field.
- by move=> x _; rewrite lee_fin expR_ge0.
- apply/measurable_EFinP; apply: measurable_funTS; apply: measurableT_comp => //; apply: measurableT_comp => //.
  exact: measurable_funM.
Qed.

Let continuous_pdf (u : R) : continuous (laplace_pdf u b).
Proof.
move=> x; apply: cvgM; first exact: cvg_cst.
apply: continuous_comp; last exact: continuous_expR.
apply: continuousN; apply: cvgM; last exact: cvg_cst.
apply: cvg_norm.
by apply: cvgB; [exact: cvg_id | exact: cvg_cst].
Qed.

Let centred_total : (\int[mu]_x (laplace_pdf 0 b x)%:E = 1)%E.
Proof.
rewrite ge0_symfun_integralT.
- rewrite -set_itv_c_infty // (_ : (\int[mu]_(x in _) _ = (2^-1)%:E)%E) -?EFinM ?divff //.
  rewrite -half_total; apply: eq_integral => x; rewrite inE /= in_itv /= andbT => x0.
  by rewrite /laplace_pdf /half subr0 ger0_norm.
- by move=> x; exact: laplace_pdf_ge0.
- exact: continuous_pdf.
- by move=> x; rewrite /laplace_pdf /= !subr0 normrN.
Qed.

(* It is a probability. *)
Theorem laplace_total : laplace_prob m b setT = 1%E.
Proof.
rewrite /laplace_prob -centred_total; apply/esym.
have shift : (fun x : R^o => 1 * x - m)^`()%classic = cst 1 by exact: affine_derive1.
rewrite (@increasing_ge0_integration_by_substitutionT _ (fun x => 1 * x - m) (laplace_pdf 0 b)).
- apply: eq_integral => x _; rewrite shift; congr EFin.
  transitivity (laplace_pdf 0 b (1 * x - m) * 1); first by [].
  by rewrite mulr1 /laplace_pdf mul1r subr0.
- by move=> x y xy; rewrite ltrD2r !mul1r.
- by rewrite shift => x; exact: cvg_cst.
- by rewrite shift; exact: is_cvg_cst.
- by rewrite shift; exact: is_cvg_cst.
- by move=> x; case: (is_derive_affine 1 (- m) x).
- apply/cvgrNyPle => A; near=> x; rewrite mul1r lerBlDr.
  by near: x; apply: nbhs_ninfty_le; rewrite num_real.
- apply/cvgryPge => A; near=> x; rewrite mul1r lerBrDr.
  by near: x; apply: nbhs_pinfty_ge; rewrite num_real.
- exact: continuous_pdf.
- by move=> x; exact: laplace_pdf_ge0.
Unshelve. all: by end_near. Qed.
End LaplaceTotal.
