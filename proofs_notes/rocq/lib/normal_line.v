(* Normal densities on the line.

   tail m s c      P(m + s Z >= c) for a standard normal Z
   normal_pdfE     the density, written with one square
   tail_affine     tails under x |-> k x + t, k > 0
   normal_pdf_square, tail_mixture   a normal law mixed over a normal mean is normal: complete the square, then Fubini
   measurable_tail, measurable_normal_pdf2   as functions of the mean *)
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Section Pdf.
Context {R : realType}.
Implicit Types (m s x k t c : R).
Local Notation mu := (@lebesgue_measure R).

Lemma normal_pdfE m s x : 0 < s ->
  normal_pdf m s x = (s * Num.sqrt (pi *+ 2))^-1 * expR (- (((x - m) / s) ^+ 2 / 2)).
Proof.
move=> s0; rewrite /normal_pdf gt_eqF //; congr (_^-1 * expR _).
  by rewrite -mulrnAr sqrtrM ?sqr_ge0 // sqrtr_sqr ger0_norm // ltW.
by rewrite -mulr_natr; field; rewrite gt_eqF.
Qed.

Let root_gt0 : 0 < Num.sqrt (pi *+ 2) :> R.
Proof. by rewrite sqrtr_gt0 pmulrn_lgt0 // pi_gt0. Qed.

Lemma normal_pdf_affine m s x k t : 0 < s -> 0 < k ->
  normal_pdf (k * m + t) (k * s) (k * x + t) * k = normal_pdf m s x.
Proof.
move=> s0 k0; rewrite !normal_pdfE ?mulr_gt0 //.
rewrite (_ : (k * x + t - (k * m + t)) / (k * s) = (x - m) / s); last by field; rewrite !gt_eqF.
by field; rewrite !gt_eqF.
Qed.

(* The product of two normal densities, the second's mean a function of the first's value: complete the square. *)
Lemma normal_pdf_square (m1 s1 m2 s2 k sd x z : R) : 0 < s1 -> 0 < s2 -> 0 < sd -> sd ^+ 2 = k ^+ 2 * s1 ^+ 2 + s2 ^+ 2 ->
  normal_pdf m1 s1 x * normal_pdf (m2 + k * x) s2 z =
  normal_pdf (k * m1 + m2) sd z * normal_pdf ((m1 * s2 ^+ 2 + k * (z - m2) * s1 ^+ 2) / sd ^+ 2) (s1 * s2 / sd) x.
Proof.
move=> s10 s20 sd0 sd2; rewrite !normal_pdfE ?divr_gt0 ?mulr_gt0 //.
have n1 : s1 != 0 by rewrite gt_eqF.
have n2 : s2 != 0 by rewrite gt_eqF.
have nd : sd != 0 by rewrite gt_eqF.
have nr : Num.sqrt (pi *+ 2) != 0 :> R by rewrite gt_eqF.
rewrite mulrACA [RHS]mulrACA -!expRD; congr (_ * expR _).
  by field; rewrite n1 n2 nd nr.
have n22 : sd ^+ 2 - k ^+ 2 * s1 ^+ 2 != 0 by rewrite sd2 addrAC subrr add0r expf_neq0.
have e2 : s2 ^+ 2 = sd ^+ 2 - k ^+ 2 * s1 ^+ 2 by rewrite sd2 addrAC subrr add0r.
rewrite !expr_div_n !exprMn e2.
by field; rewrite exprMn n1 nd n22.
Qed.
End Pdf.
Section Tail.
Context {R : realType}.
Implicit Types (m s x k t c : R).
Local Notation mu := (@lebesgue_measure R).

(* The upper tail. *)
Definition tail m s c : \bar R := normal_prob m s `[c, +oo[%classic.

Let affine (k t : R) (x : R^o) : R^o := k * x + t.

Lemma is_derive_affine k t x : is_derive (x : R^o) 1 (affine k t) k.
Proof.
rewrite /affine; apply: is_derive_eq.
by rewrite addr0 [LHS]mulr1.
Qed.

Lemma affine_derive1 k t : (affine k t)^`()%classic = cst k.
Proof. by apply/funext => x; rewrite derive1E; apply: derive_val; exact: is_derive_affine. Qed.

Lemma tail_affine m s c k t : 0 < s -> 0 < k -> tail (k * m + t) (k * s) (k * c + t) = tail m s c.
Proof.
move=> s0 k0; rewrite /tail /normal_prob.
have ks0 : k * s != 0 by rewrite mulf_neq0 ?gt_eqF.
have cpdf : continuous (normal_pdf (k * m + t) (k * s) : R -> R) by move=> x; exact: continuous_normal_pdf.
have cont : continuous (affine k t).
  by move=> x; apply/differentiable_continuous/derivable1_diffP; case: (is_derive_affine k t x).
rewrite -/(affine k t c) (@increasing_ge0_integration_by_substitutiony _ (affine k t) (normal_pdf (k * m + t) (k * s)) c).
- by apply: eq_integral => x _; rewrite affine_derive1 -(@normal_pdf_affine R m s x k t s0 k0).
- by move=> x y _ _ xy; rewrite /affine ltrD2r ltr_pM2l.
- by rewrite affine_derive1 => x _; exact: cvg_cst.
- by rewrite affine_derive1; exact: is_cvg_cst.
- by rewrite affine_derive1; exact: is_cvg_cst.
- split; first by move=> x _; case: (is_derive_affine k t x).
  by apply: cvg_at_right_filter; exact: cont.
- apply/cvgryPge => A; near=> x; rewrite /affine -lerBlDr -ler_pdivrMl //.
  by near: x; apply: nbhs_pinfty_ge; rewrite num_real.
- exact: (continuous_subspaceT cpdf).
- by move=> x _; exact: normal_pdf_ge0.
Unshelve. all: by end_near. Qed.
End Tail.
Section Mix.
Context {R : realType}.
Local Notation mu := (@lebesgue_measure R).

Lemma measurable_normal_pdf2 (m s k : R) : 0 < s ->
  measurable_fun [set: R * R] (fun z : R * R => normal_pdf (m + k * z.1) s z.2).
Proof.
move=> s0; under eq_fun do rewrite normal_pdfE // exprMn.
apply: measurable_funM => //; apply: measurableT_comp => //; apply: measurableT_comp => //.
apply: measurable_funM => //; apply: measurable_funM => //; apply: measurable_funX.
apply: measurable_funB => //; apply: measurable_funD => //; exact: measurable_funM.
Qed.

(* A normal law mixed over a normal mean is normal: for X ~ N(m1, s1) and Y ~ N(m2, s2), P(k X + Y >= c). *)
Theorem tail_mixture (m1 s1 m2 s2 k sd c : R) : 0 < s1 -> 0 < s2 -> 0 < sd -> sd ^+ 2 = k ^+ 2 * s1 ^+ 2 + s2 ^+ 2 ->
  (\int[mu]_x ((normal_pdf m1 s1 x)%:E * tail (m2 + k * x) s2 c) = tail (k * m1 + m2) sd c)%E.
Proof.
move=> s10 s20 sd0 sd2; set D := `[c, +oo[%classic.
have mD : measurable D by exact: measurable_itv.
pose f (z : R * R) : \bar R := ((normal_pdf m1 s1 z.1 * (normal_pdf (m2 + k * z.1) s2 z.2 * \1_D z.2))%:E)%E.
have f0 z : (0 <= f z)%E by rewrite lee_fin !mulr_ge0 ?normal_pdf_ge0.
have mf : measurable_fun [set: R * R] f.
  apply/measurable_EFinP; apply: measurable_funM; first by apply: measurableT_comp => //; exact: measurable_normal_pdf.
  by apply: measurable_funM; [exact: measurable_normal_pdf2 s20 | apply: measurableT_comp].
have restrict (h : R -> R) : (forall z, 0 <= h z) -> measurable_fun [set: R] h ->
    (\int[mu]_(z in D) (h z)%:E = \int[mu]_z (h z * \1_D z)%:E)%E.
  move=> h0 mh; rewrite integral_mkcond; apply: eq_integral => z _.
  by rewrite patchE indicE; case: (z \in D); rewrite ?mulr1 ?mulr0.
transitivity (\int[mu]_x \int[mu]_z f (x, z))%E.
  apply: eq_integral => x _; rewrite /tail /normal_prob restrict; last exact: measurable_normal_pdf.
    rewrite -ge0_integralZl_EFin ?normal_pdf_ge0 //.
    - by move=> z _; rewrite lee_fin mulr_ge0 ?normal_pdf_ge0.
    - apply/measurable_EFinP; apply: measurable_funM => //; exact: measurable_normal_pdf.
  by move=> z; exact: normal_pdf_ge0.
rewrite fubini_tonelli //=.
rewrite /tail /normal_prob restrict; [|by move=> z; exact: normal_pdf_ge0|exact: measurable_normal_pdf].
apply: eq_integral => z _; rewrite /f /=.
under eq_integral do rewrite mulrA (normal_pdf_square m1 m2 _ z s10 s20 sd0 sd2) mulrAC EFinM.
rewrite ge0_integralZl_EFin ?mulr_ge0 ?normal_pdf_ge0 //.
- by rewrite integral_normal_pdf mule1.
- by move=> x _; rewrite lee_fin normal_pdf_ge0.
- by apply/measurable_EFinP; exact: measurable_normal_pdf.
Qed.
End Mix.
Section MeasurableTail.
Context {R : realType}.
Local Notation mu := (@lebesgue_measure R).

Lemma measurable_tail (m s k c : R) : 0 < s -> measurable_fun [set: R] (fun x : R => tail (m + k * x) s c).
Proof.
move=> s0; pose f (z : R * R) : \bar R := (normal_pdf (m + k * z.1) s z.2 * \1_(`[c, +oo[%classic) z.2)%:E.
rewrite (_ : (fun x => _) = fubini_F mu f); last first.
  apply/funext => x; rewrite /tail /normal_prob /fubini_F /f /= integral_mkcond; apply: eq_integral => z _.
  by rewrite patchE indicE; case: (z \in _); rewrite ?mulr1 ?mulr0.
have mf : measurable_fun [set: R * R] f.
  apply/measurable_EFinP; apply: measurable_funM; first exact: measurable_normal_pdf2.
  by apply: measurableT_comp => //; exact: measurable_indic.
have f0 z : (0 <= f z)%E by rewrite lee_fin mulr_ge0 ?normal_pdf_ge0.
exact: measurable_fun_fubini_tonelli_F.
Qed.
End MeasurableTail.
