(* The sum of the squares of two independent standard normal numbers is exponential with mean 2. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import normal_line plane_normal.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Squares.
Context {R : realType}.
Local Notation mu := (@lebesgue_measure R).
Implicit Types (u k s x : R).

Let C : R := (Num.sqrt (pi *+ 2))^-1 ^+ 2.

(* x times the density at a distance from the origin, and its antiderivative *)
Let slope k (x : R) : R := x * radial (k * x ^+ 2).
Let height k (x : R) : R := - (k^-1 * C) * expR (- (k * x ^+ 2 / 2)).

Let bell k x : is_derive (x : R) 1 (fun x => expR (- (k * x ^+ 2 / 2))) (- (k * x) * expR (- (k * x ^+ 2 / 2))).
Proof.
have sq : is_derive x 1 (fun x : R => - (k * x ^+ 2 / 2)) (- (k * x)).
  by apply: is_derive_eq; rewrite /GRing.scale /= ?expr1; field.
have H := @is_derive1_comp R (@expR R) (fun x => - (k * x ^+ 2 / 2)) x _ _ (is_derive_expR (- (k * x ^+ 2 / 2))) sq.
by apply: (is_derive_eq H); rewrite mulrC.
Qed.

Let is_derive_height k x : k != 0 -> is_derive (x : R) 1 (height k) (slope k x).
Proof.
move=> k0.
have H := is_deriveZ (- (k^-1 * C)) (bell k x).
apply: (is_derive_eq H); rewrite /GRing.scale /slope /radial -/C /=.
by move: (expR _) => e; field.
Qed.

Let height_lim k : 0 < k -> height k x @[x --> +oo%R] --> (0 : R).
Proof.
move=> k0; rewrite -[X in _ --> X](mulr0 (- (k^-1 * C))); apply: cvgMr.
have up : (k * x ^+ 2 / 2) @[x --> +oo%R] --> +oo%R.
  apply/cvgryPge => A; near=> x.
  have x1 : 1 <= x by near: x; apply: nbhs_pinfty_ge; rewrite num_real.
  have xA : 2 * A / k <= x by near: x; apply: nbhs_pinfty_ge; rewrite num_real.
  rewrite ler_pdivrMr // in xA; rewrite ler_pdivlMr // mulrC; apply: le_trans xA _.
  by rewrite mulrC ler_pM2l // expr2 ler_peMl // (le_trans ler01).
apply: (@cvg_comp _ _ _ (fun x : R => k * x ^+ 2 / 2) (fun x : R => expR (- x)) _ _ _ up).
exact: cvgr_expR.
Unshelve. all: by end_near. Qed.

Let slope_integral k s : 0 < k -> 0 <= s ->
  (\int[mu]_(x in `[s, +oo[) (slope k x)%:E = (k^-1 * radial (k * s ^+ 2))%:E)%E.
Proof.
move=> k0 s0; have kn : k != 0 by rewrite gt_eqF.
have dH x := is_derive_height x kn.
have cS : continuous (slope k).
  move=> x; apply/differentiable_continuous/derivable1_diffP.
  by have := is_deriveM (is_derive_id x 1) (is_deriveZ C (bell k x)); case.
rewrite (@ge0_continuous_FTC2y R (slope k) (height k) s 0).
- by rewrite -EFinB /height /radial -/C; congr (_%:E); move: (expR _) (k^-1) => e i; ring.
- by move=> x sx; apply: mulr_ge0; [exact: le_trans sx | exact: radial_ge0].
- exact: continuous_subspaceT.
- exact: height_lim.
- by move=> x _; case: (dH x).
- by apply: cvg_at_right_filter; apply/differentiable_continuous/derivable1_diffP; case: (dH s).
- by move=> x _; rewrite derive1E; case: (dH x).
Qed.

(* the density on the distances from u on *)
Let beyond u s : R := radial s * \1_(`[u, +oo[%classic : set R) s.
Let beyond_ge0 u s : 0 <= beyond u s. Proof. by rewrite mulr_ge0 ?radial_ge0. Qed.
Let m_beyond u : measurable_fun setT (beyond u).
Proof. by apply: measurable_funM; [exact: measurable_radial | exact: measurable_indic]. Qed.

Let beyondE u s : beyond u s = if u <= s then radial s else 0.
Proof. by rewrite /beyond indicE mem_setE in_itv /= andbT; case: ifP; rewrite ?mulr1 ?mulr0. Qed.

Let half_line k u x : 0 < k -> 0 <= u -> 0 <= x -> (u <= k * x ^+ 2) = (Num.sqrt (u / k) <= x).
Proof.
move=> k0 u0 x0; have uk : 0 <= u / k by rewrite divr_ge0 // ltW.
rewrite -[X in _ = (_ <= X)](ger0_norm x0) -sqrtr_sqr ler_sqrt ?sqr_ge0 // ler_pdivrMr //.
by rewrite mulrC.
Qed.

(* along the ray of slope t, k = 1 + t^2 *)
Let ray k u : 0 < k -> 0 <= u -> (\int[mu]_x (`|x| * beyond u (k * x ^+ 2))%:E = (2 * (k^-1 * radial u))%:E)%E.
Proof.
move=> k0 u0; pose f (x : R) := `|x| * beyond u (k * x ^+ 2).
have mk : measurable_fun setT (fun x : R => k * x ^+ 2) by apply: measurable_funM => //; exact: measurable_funX.
have mf : measurable_fun setT f.
  by apply: measurable_funM; [exact: normr_measurable | exact: (measurableT_comp (m_beyond u) mk)].
have f0 x : 0 <= f x by rewrite mulr_ge0 ?beyond_ge0.
have fN x : f (- x) = f x by rewrite /f normrN sqrrN.
have fz : f 0 = 0 by rewrite /f normr0 mul0r.
pose P : set R := `[0, +oo[%classic; pose Q : set R := `]-oo, 0[%classic.
have one : (\int[mu]_(x in P) (f x)%:E = (k^-1 * radial u)%:E)%E.
  have sk : 0 <= Num.sqrt (u / k) by exact: sqrtr_ge0.
  rewrite [RHS](_ : _ = (k^-1 * radial (k * Num.sqrt (u / k) ^+ 2))%:E); last first.
    by rewrite sqr_sqrtr ?divr_ge0 ?(ltW k0) // [k * _]mulrC divfK // gt_eqF.
  rewrite -slope_integral // [LHS]integral_mkcond [RHS]integral_mkcond; apply: eq_integral => x _.
  rewrite !patchE !mem_setE !in_itv /= !andbT; case: ifPn => [x0|]; last first.
    by case: ifPn => // sx; rewrite (le_trans sk sx).
  by rewrite /f beyondE half_line // ger0_norm //; case: ifP => _; rewrite ?mulr0.
have two : (\int[mu]_(x in Q) (f x)%:E = \int[mu]_(x in P) (f x)%:E)%E.
  rewrite [LHS]integral_mkcond [RHS]integral_mkcond.
  have mr : measurable_fun setT (((fun x => (f x)%:E) \_ Q) : R -> \bar R).
    have mQ : measurable Q by exact: measurable_itv.
    by apply: (measurable_restrictT _ mQ).1; apply: measurable_funTS; exact/measurable_EFinP.
  rewrite (@integral_affine R (- 1) 0 _ _ mr) ?oppr_eq0 ?oner_eq0 //; last first.
    by move=> x; rewrite patchE; case: ifP => // _; rewrite lee_fin.
  rewrite normrN1 mul1e; apply: eq_integral => x _; rewrite addr0 mulN1r !patchE !mem_setE !in_itv /= andbT oppr_lt0.
  rewrite le_eqVlt eq_sym; case: (eqVneq x 0) => [->|_] /=; last by rewrite fN.
  by rewrite ltxx fz.
rewrite -[X in (\int[_]_(x in X) _)%E](_ : P `|` Q = setT); last first.
  apply/seteqP; split=> x //= _; rewrite /P /Q /= !in_itv /= andbT.
  by case: (leP 0 x) => h; [left | right].
have mP : measurable P by exact: measurable_itv.
have mQ : measurable Q by exact: measurable_itv.
have mfE (D : set R) : measurable_fun D (fun x => (f x)%:E) by apply: measurable_funTS; exact/measurable_EFinP.
have fE (D : set R) x : D x -> (0 <= (f x)%:E)%E by rewrite lee_fin.
have disjoint : [disjoint P & Q].
  by apply/eqP/seteqP; split=> x //; rewrite /P /Q /= !in_itv /= andbT => -[h]; rewrite ltNge h.
rewrite (ge0_integral_setU mu mP mQ (mfE _) (@fE _) disjoint).
by rewrite two one -EFinD; congr (_%:E); ring.
Qed.

Let below u (w : R * R) : \bar R := (\1_(`[u, +oo[%classic : set R) (w.1 ^+ 2 + w.2 ^+ 2))%:E.
Let m_square : measurable_fun setT (fun w : R * R => w.1 ^+ 2 + w.2 ^+ 2).
Proof. by apply: measurable_funD; apply: measurable_funX. Qed.
Let m_below u : measurable_fun setT (below u).
Proof. by apply/measurable_EFinP; apply: (measurableT_comp _ m_square); exact: measurable_indic. Qed.
Let below_ge0 u w : (0 <= below u w)%E. Proof. by rewrite lee_fin. Qed.

Let one_plus_gt0 (t : R) : 0 < 1 + t ^+ 2. Proof. by rewrite ltr_wpDr ?ltr01 ?sqr_ge0. Qed.

Let all_rays u : 0 <= u -> plane (below u) = (\int[mu]_t (2 * ((1 + t ^+ 2)^-1 * radial u))%:E)%E.
Proof.
move=> u0; rewrite (plane_flat (m_below u) (below_ge0 u)).
pose F (w : R * R) : \bar R := (beyond u (w.1 ^+ 2 + w.2 ^+ 2))%:E.
pose G (w : R * R) : \bar R := (`|w.1| * beyond u ((1 + w.2 ^+ 2) * w.1 ^+ 2))%:E.
have mF : measurable_fun setT F by apply/measurable_EFinP; exact: (measurableT_comp (m_beyond u) m_square).
have mG : measurable_fun setT G.
  apply/measurable_EFinP; apply: measurable_funM; first by apply: measurableT_comp.
  apply: (measurableT_comp (m_beyond u)); apply: measurable_funM; last exact: measurable_funX.
  by apply: measurable_funD => //; exact: measurable_funX.
have F0 w : (0 <= F w)%E by rewrite lee_fin.
have G0 w : (0 <= G w)%E by rewrite lee_fin mulr_ge0.
have mF1 : measurable_fun setT (fubini_F mu F) by exact: measurable_fun_fubini_tonelli_F.
have mG1 : measurable_fun setT (fubini_F mu G) by exact: measurable_fun_fubini_tonelli_F.
transitivity (\int[mu]_x \int[mu]_y F (x, y))%E.
  by apply: eq_integral => x _; apply: eq_integral => y _; rewrite -EFinM.
transitivity (\int[mu]_x \int[mu]_y G (x, y))%E.
  have F1 x : setT x -> (0 <= \int[mu]_y F (x, y))%E by move=> _; exact: integral_ge0.
  have G1 x : setT x -> (0 <= \int[mu]_y G (x, y))%E by move=> _; exact: integral_ge0.
  suff ae : ae_eq mu setT (fubini_F mu F) (fubini_F mu G).
    exact: (@ge0_ae_eq_integral _ _ R mu setT (fubini_F mu F) (fubini_F mu G) measurableT mF1 mG1 F1 G1 ae).
  exists [set 0]; split => //; first exact: lebesgue_measure_set1.
  move=> x /= differ; apply: contrapT => /eqP x0; apply: differ => _.
  rewrite /fubini_F (@integral_affine R x 0 x0 (fun y => F (x, y))) //; last exact: (measurableT_comp mF (measurable_pair1 x)).
  rewrite -ge0_integralZl_EFin //; last first.
    apply: (measurableT_comp mF); apply: measurable_fun_prod => //; apply: measurable_funD => //; exact: measurable_funM.
  apply: eq_integral => y _; rewrite -EFinM /F /G /= addr0; congr (_ * beyond _ _)%:E; ring.
have -> := @fubini_tonelli _ _ _ _ _ mu mu G mG G0.
by apply: eq_integral => t _; rewrite -ray.
Qed.

(* Below u with probability 1 - exp(-u/2). *)
Theorem two_squares u : 0 <= u ->
  plane (fun w => (\1_(`[u, +oo[%classic : set R) (w.1 ^+ 2 + w.2 ^+ 2))%:E) = (expR (- (u / 2)))%:E.
Proof.
move=> u0; pose K := (\int[mu]_t (2 * ((1 + t ^+ 2)^-1 * C))%:E)%E.
have mK : measurable_fun setT (fun t : R => 2 * ((1 + t ^+ 2)^-1 * C)).
  apply: measurable_funM => //; apply: measurable_funM => //; apply: continuous_measurable_fun => t.
  apply: cvgV; first by rewrite gt_eqF.
  by apply: cvgD; [exact: cvg_cst | exact: exprn_continuous].
have all v : 0 <= v -> plane (below v) = ((expR (- (v / 2)))%:E * K)%E.
  move=> v0; rewrite all_rays // -ge0_integralZl_EFin ?expR_ge0 //.
  - by apply: eq_integral => t _; rewrite -EFinM /radial -/C; congr (_%:E); ring.
  - by move=> t _; rewrite lee_fin !mulr_ge0 // invr_ge0 ltW.
  - exact/measurable_EFinP.
have := all 0 (lexx _); rewrite mul0r oppr0 expR0 mul1e => K1.
suff e1 : K = 1%E by rewrite -[LHS]/(plane (below u)) all // e1 mule1.
rewrite -K1 -[RHS](plane_cst lee01); congr plane; apply/funext => w; rewrite /below indicE mem_setE in_itv /= andbT.
by rewrite addr_ge0 ?sqr_ge0.
Qed.
End Squares.
