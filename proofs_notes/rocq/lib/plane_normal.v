(* Two independent standard normal numbers x and y, the coordinates of a point of the plane.

   integral_affine    an integral over the line under x |-> k x + t, k != 0
   plane h            the mean of h(x, y)
   plane_rotation     the law of the point does not change when the plane is turned
   two_squares        x^2 + y^2 is at least u with probability exp(-u/2) *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral lebesgue_stieltjes_measure trigo ftc probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import normal_line.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Affine.
Context {R : realType}.
Local Notation mu := (@lebesgue_measure R).
Local Notation line := (g_sigma_algebraType (@ocitv R)).
Variables (k t : R).
Hypothesis k0 : k != 0.

Let map (x : line) : line := k * x + t.
Let m_map : measurable_fun setT map.
Proof. by apply: measurable_funD => //; exact: measurable_funM. Qed.
Let nk : 0 <= `|k|. Proof. exact: normr_ge0. Qed.
Let moved := [the {measure set line -> \bar R} of mscale (NngNum nk) (pushforward mu m_map)].

Let moved_itv (X : set line) : ocitv X -> mu X = moved X.
Proof.
move=> [[a b] _ <-] /=; rewrite /mscale /= /pushforward lebesgue_measure_itv /= lte_fin.
have lin (x : R) : map x - t = k * x by rewrite /map addrK.
have [kp|kn] : 0 < k \/ k < 0 by apply/orP; rewrite orbC -neq_lt.
  rewrite (_ : _ @^-1` _ = `](a - t) / k, (b - t) / k]%classic); last first.
    apply/seteqP; split=> x; rewrite /= !in_itv /= ltr_pdivrMr // ler_pdivlMr // ltrBlDr lerBrDr /map ![x * k]mulrC //.
  rewrite lebesgue_measure_itv /= lte_fin ltr_pM2r ?invr_gt0 // ltrD2r gtr0_norm //.
  case: ifP => _; last by rewrite mule0.
  by rewrite -!EFinB -EFinM; congr (_%:E); field.
rewrite (_ : _ @^-1` _ = `[(b - t) / k, (a - t) / k[%classic); last first.
  apply/seteqP; split=> x; rewrite /= !in_itv /= ltr_ndivlMr // ler_ndivrMr // ltrBlDr lerBrDr /map ![x * k]mulrC andbC //.
rewrite lebesgue_measure_itv /= lte_fin ltr_nM2r ?invr_lt0 // ltrD2r ltr0_norm //.
case: ifP => _; last by rewrite mule0.
by rewrite -!EFinB -EFinM; congr (_%:E); field.
Qed.

Lemma integral_affine (f : R -> \bar R) : measurable_fun setT f -> (forall x, 0 <= f x)%E ->
  (\int[mu]_x f x = `|k|%:E * \int[mu]_x f (k * x + t)%R)%E.
Proof.
move=> mf f0; have same A : measurable A -> mu A = moved A.
  by move=> mA; exact: (@lebesgue_stieltjes_measure_unique R idfun moved moved_itv A mA).
transitivity (\int[moved]_x f x)%E.
  by apply: eq_measure_integral => A mA _; exact: same.
by rewrite /moved /= ge0_integral_mscale //= ge0_integral_pushforward.
Qed.
End Affine.

Section Plane.
Context {R : realType}.
Local Notation mu := (@lebesgue_measure R).
Implicit Types (h F : R * R -> \bar R) (a b u : R).

Definition phi (x : R) : R := normal_pdf 0 1 x.
Definition plane h : \bar R := (\int[mu]_x ((phi x)%:E * \int[mu]_y ((phi y)%:E * h (x, y))))%E.

(* The density of the point depends on its distance from the origin only. *)
Definition radial (s : R) : R := (Num.sqrt (pi *+ 2))^-1 ^+ 2 * expR (- (s / 2)).

Lemma phi_ge0 x : 0 <= phi x. Proof. exact: normal_pdf_ge0. Qed.
Lemma measurable_phi : measurable_fun setT phi. Proof. exact: measurable_normal_pdf. Qed.

Lemma radialE x y : phi x * phi y = radial (x ^+ 2 + y ^+ 2).
Proof.
rewrite /phi !normal_pdfE // !subr0 !divr1 mul1r mulrACA -expRD -expr2 /radial; congr (_ * expR _).
by rewrite mulrDl opprD.
Qed.

Lemma radial_ge0 s : 0 <= radial s.
Proof. by rewrite mulr_ge0 ?sqr_ge0 ?expR_ge0. Qed.

Lemma measurable_radial : measurable_fun setT radial.
Proof.
apply: measurable_funM => //; apply: measurableT_comp => //; apply: measurableT_comp => //.
exact: measurable_funM.
Qed.

Let square (w : R * R) := w.1 ^+ 2 + w.2 ^+ 2.
Let m_square : measurable_fun setT square.
Proof. by apply: measurable_funD; apply: measurable_funX. Qed.

Lemma plane_flat h : measurable_fun setT h -> (forall w, 0 <= h w)%E ->
  plane h = (\int[mu]_x \int[mu]_y ((radial (x ^+ 2 + y ^+ 2))%:E * h (x, y)))%E.
Proof.
move=> mh h0; apply: eq_integral => x _; rewrite -ge0_integralZl_EFin ?phi_ge0 //.
- by apply: eq_integral => y _; rewrite muleA -EFinM radialE.
- by move=> y _; rewrite mule_ge0 ?lee_fin ?phi_ge0.
- apply: emeasurable_funM; first by apply/measurable_EFinP; exact: measurable_phi.
  exact: (measurableT_comp mh (measurable_pair1 x)).
Qed.

Lemma plane_turned F a b : measurable_fun setT F -> (forall w, 0 <= F w)%E -> a ^+ 2 + b ^+ 2 = 1 ->
  (\int[mu]_x \int[mu]_y F (a * x - b * y, b * x + a * y)%R = \int[mu]_x \int[mu]_y F (x, y))%E.
Proof.
move=> mF F0 ab.
have mE (f : R * R -> R * R) : measurable_fun setT f -> measurable_fun setT (fun w => F (f w)) by move=> mf; exact: measurableT_comp.
have lin (p q : R) : measurable_fun setT (fun w : R * R => p * w.1 + q * w.2).
  by apply: measurable_funD; apply: measurable_funM.
have linear (p q r s : R) : measurable_fun setT (fun w : R * R => F (p * w.1 + q * w.2, r * w.1 + s * w.2)).
  by apply: mE; apply: measurable_fun_prod; exact: lin.
have swap (G : R * R -> \bar R) : measurable_fun setT G -> (forall w, 0 <= G w)%E ->
    (\int[mu]_x \int[mu]_y G (x, y) = \int[mu]_y \int[mu]_x G (x, y))%E by move=> mG G0; exact: fubini_tonelli.
have [a0|a0] := eqVneq a 0.
  have b1 : `|b| = 1.
    by apply/eqP; rewrite -(@eqrXn2 _ 2) ?normr_ge0 ?ler01 // expr1n real_normK ?num_real // -ab a0 expr0n add0r.
  have bn : b != 0 by rewrite -normr_eq0 b1 oner_eq0.
  rewrite a0; under eq_integral do under eq_integral do rewrite mul0r sub0r mul0r addr0.
  have mG : measurable_fun setT (fun w : R * R => F (w.1, b * w.2)).
    by apply: mE; apply: measurable_fun_prod => //; exact: measurable_funM.
  transitivity (\int[mu]_x \int[mu]_u F (u, b * x)%R)%E.
    apply: eq_integral => x _; rewrite (@integral_affine R (- b) 0 _ (fun u => F (u, b * x))) ?oppr_eq0 //.
      by rewrite normrN b1 mul1e; apply: eq_integral => y _; rewrite addr0 mulNr.
    exact: (measurableT_comp mF (measurable_pair2 (b * x))).
  rewrite -(swap (fun w => F (w.1, b * w.2)) mG (fun w => F0 _)); apply: eq_integral => u _.
  rewrite [RHS](@integral_affine R b 0 bn (fun v => F (u, v))) //; last exact: (measurableT_comp mF (measurable_pair1 u)).
  by rewrite b1 mul1e; apply: eq_integral => y _; rewrite addr0.
pose G (w : R * R) : \bar R := F (w.1, a^-1 * w.2 + b * w.1 / a).
have mG : measurable_fun setT G.
  apply: mE; apply: measurable_fun_prod => //; apply: measurable_funD; first exact: measurable_funM.
  by apply: measurable_funM => //; exact: measurable_funM.
have na : 0 <= `|a^-1| by exact: normr_ge0.
have G0 w : (0 <= G w)%E by exact: F0.
have mG1 : measurable_fun setT (fubini_F mu G) by exact: measurable_fun_fubini_tonelli_F.
have mG2 : measurable_fun setT (fubini_G mu G) by exact: measurable_fun_fubini_tonelli_G.
symmetry; transitivity (`|a^-1|%:E * \int[mu]_u \int[mu]_y G (u, y))%E.
  rewrite -ge0_integralZl_EFin //; last by move=> u _; exact: integral_ge0.
  apply: eq_integral => u _; rewrite (@integral_affine R a^-1 (b * u / a) _ (fun v => F (u, v))) ?invr_eq0 //.
  exact: (measurableT_comp mF (measurable_pair1 u)).
rewrite (swap G) // -ge0_integralZl_EFin //; last by move=> u _; exact: integral_ge0.
have mT : measurable_fun setT (fun w : R * R => F (a * w.1 - b * w.2, b * w.1 + a * w.2)).
  by under eq_fun do rewrite -mulNr; exact: linear.
rewrite [RHS](swap (fun w => F (a * w.1 - b * w.2, b * w.1 + a * w.2))) //; apply: eq_integral => y _.
rewrite (@integral_affine R a (- b * y) a0 (fun u => G (u, y))) //; last exact: (measurableT_comp mG (measurable_pair2 y)).
rewrite muleA -EFinM -normrM mulVf // normr1 mul1e; apply: eq_integral => x _; rewrite /G /=; congr (F (_, _)).
  by rewrite mulNr.
have -> : a^-1 * y = (a ^+ 2 + b ^+ 2) * y / a by rewrite ab mul1r mulrC.
by field.
Qed.

(* The law of the point does not change when the plane is turned. *)
Theorem plane_rotation h a b : measurable_fun setT h -> (forall w, 0 <= h w)%E -> a ^+ 2 + b ^+ 2 = 1 ->
  plane (fun w => h (a * w.1 - b * w.2, b * w.1 + a * w.2)) = plane h.
Proof.
move=> mh h0 ab; have mF : measurable_fun setT (fun w : R * R => (radial (square w))%:E * h w)%E.
  by apply: emeasurable_funM => //; apply/measurable_EFinP; exact: (measurableT_comp measurable_radial m_square).
have F0 w : (0 <= (radial (square w))%:E * h w)%E by rewrite mule_ge0 ?lee_fin ?radial_ge0.
have mT : measurable_fun setT (fun w : R * R => h (a * w.1 - b * w.2, b * w.1 + a * w.2)).
  apply: (measurableT_comp mh); apply: measurable_fun_prod; [apply: measurable_funB | apply: measurable_funD]; exact: measurable_funM.
rewrite (plane_flat mh h0) -(plane_turned mF F0 ab) (plane_flat mT (fun w => h0 _)).
apply: eq_integral => x _; apply: eq_integral => y _.
congr ((radial _)%:E * _)%E; rewrite /square /=.
rewrite (_ : _ ^+ 2 + (_ + _) ^+ 2 = (a ^+ 2 + b ^+ 2) * (x ^+ 2 + y ^+ 2)); first by rewrite ab mul1r.
by ring.
Qed.

Lemma plane_swap h : measurable_fun setT h -> (forall w, 0 <= h w)%E -> plane (fun w => h (w.2, w.1)) = plane h.
Proof.
move=> mh h0; have mF : measurable_fun setT (fun w : R * R => (radial (square w))%:E * h w)%E.
  by apply: emeasurable_funM => //; apply/measurable_EFinP; exact: (measurableT_comp measurable_radial m_square).
have F0 w : (0 <= (radial (square w))%:E * h w)%E by rewrite mule_ge0 ?lee_fin ?radial_ge0.
have mT : measurable_fun setT (fun w : R * R => h (w.2, w.1)) by apply: (measurableT_comp mh); apply: measurable_fun_prod.
rewrite (plane_flat mh h0) (plane_flat mT (fun w => h0 _)).
have -> := @fubini_tonelli _ _ _ _ _ mu mu (fun w : R * R => (radial (square w))%:E * h w)%E mF F0.
by apply: eq_integral => x _; apply: eq_integral => y _; rewrite /square /= addrC.
Qed.

Lemma plane_cst (c : \bar R) : (0 <= c)%E -> plane (fun=> c) = c.
Proof.
move=> c0; have m1 (c' : \bar R) : (0 <= c')%E -> (\int[mu]_x ((phi x)%:E * c') = c')%E.
  move=> c'0; under eq_integral do rewrite muleC; rewrite ge0_integralZl //; first by rewrite integral_normal_pdf mule1.
  - by apply/measurable_EFinP; exact: measurable_phi.
  - by move=> x _; rewrite lee_fin phi_ge0.
by rewrite /plane; under eq_integral do rewrite m1 //; exact: m1.
Qed.
End Plane.
