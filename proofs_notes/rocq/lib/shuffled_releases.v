(* Amplification by shuffling for releases with densities: n + 1 adaptive (e0, d0)-private randomisers in a hidden order.

   fm h, total h     h is measurable, not negative and of finite mass; its mass
   bounded_test f    f is measurable, not negative and bounded
   sub h             a density on Y for each state, of mass 1 at most
   via h u           the mean of a test after a release with the density h, if u computes the next state
   near a d h k      the part of h above a k has mass d at most
   parted            densities p0 and p1 of the replaced record and p of another: the parts of which shuffling.v speaks *)
From mathcomp Require Import all_ssreflect all_algebra fingroup perm.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp.
From mathcomp Require Import measure numfun measurable_realfun lebesgue_measure lebesgue_integral probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import gaussian_run shuffling shuffling_bounds.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Mass.
Context {R : realType} d (Y : measurableType d) (mu : {measure set Y -> \bar R}).
Implicit Types (h k : Y -> R) (a b : R).

Definition fm h := [/\ measurable_fun setT h, forall y, 0 <= h y & (\int[mu]_y (h y)%:E < +oo)%E].
Definition total h : R := fine (\int[mu]_y (h y)%:E)%E.

Lemma totalE h : fm h -> (\int[mu]_y (h y)%:E)%E = (total h)%:E.
Proof. by move=> [mh h0 hf]; rewrite fineK // ge0_fin_numE // integral_ge0 // => y _; rewrite lee_fin. Qed.

Lemma total_ge0 h : (forall y, 0 <= h y) -> 0 <= total h.
Proof. by move=> h0; rewrite fine_ge0 // integral_ge0 // => y _; rewrite lee_fin. Qed.

Lemma fm_le h k : measurable_fun setT h -> (forall y, 0 <= h y <= k y) -> fm k -> fm h.
Proof.
move=> mh hk [mk k0 kf]; split=> [//|y|]; first by case/andP: (hk y).
apply: le_lt_trans kf; apply: ge0_le_integral => //.
- by move=> y _; rewrite lee_fin; case/andP: (hk y).
- exact/measurable_EFinP.
- by move=> y _; rewrite lee_fin.
- exact/measurable_EFinP.
- by move=> y _; rewrite lee_fin; case/andP: (hk y).
Qed.

Lemma total_le h k : fm h -> fm k -> (forall y, h y <= k y) -> total h <= total k.
Proof.
move=> fh fk hk; have [mh h0 _] := fh; have [mk k0 _] := fk; rewrite -lee_fin -!totalE //; apply: ge0_le_integral => //.
- by move=> y _; rewrite lee_fin.
- exact/measurable_EFinP.
- by move=> y _; rewrite lee_fin.
- exact/measurable_EFinP.
- by move=> y _; rewrite lee_fin.
Qed.

Lemma integral_comb a b h k : 0 <= a -> 0 <= b -> fm h -> fm k ->
  (\int[mu]_y (a * h y + b * k y)%:E = (a * total h + b * total k)%:E)%E.
Proof.
move=> a0 b0 fh fk; have [mh h0 _] := fh; have [mk k0 _] := fk.
under eq_integral do rewrite EFinD !EFinM; rewrite ge0_integralD //.
- rewrite !ge0_integralZl_EFin //; try by move=> y _; rewrite lee_fin.
  + by rewrite !totalE // EFinD !EFinM.
  + exact/measurable_EFinP.
  + exact/measurable_EFinP.
- by move=> y _; rewrite mule_ge0 ?lee_fin.
- by apply: measurable_funeM; exact/measurable_EFinP.
- by move=> y _; rewrite mule_ge0 ?lee_fin.
- by apply: measurable_funeM; exact/measurable_EFinP.
Qed.

Lemma fm_comb a b h k : 0 <= a -> 0 <= b -> fm h -> fm k -> fm (fun y => a * h y + b * k y).
Proof.
move=> a0 b0 fh fk; have [mh h0 _] := fh; have [mk k0 _] := fk; split=> [|y|].
- by apply: measurable_funD; apply: measurable_funM => //; exact: measurable_cst.
- by rewrite addr_ge0 // mulr_ge0.
- by rewrite integral_comb // ltry.
Qed.

Lemma total_comb a b h k : 0 <= a -> 0 <= b -> fm h -> fm k -> total (fun y => a * h y + b * k y) = a * total h + b * total k.
Proof. by move=> a0 b0 fh fk; rewrite /total integral_comb. Qed.
End Mass.

Section Via.
Context {R : realType} d (S : measurableType d) d' (Y : measurableType d') (mu : probability Y R).
Implicit Types (h k : S * Y -> R) (f g : S -> R).

Definition bounded_test f := [/\ measurable_fun setT f, forall x, 0 <= f x & exists B, forall x, f x <= B].

Lemma bounded_cone : cone bounded_test.
Proof.
split=> [f []//|c c0|c f g c0 [mf f0 [B fB]] [mg g0 [C gC]]].
  by split=> //; exists c.
split=> [|x|]; [|by rewrite addr_ge0 // mulr_ge0 |].
  by apply: measurable_funD => //; apply: measurable_funM.
by exists (c * B + C) => x; rewrite lerD // ler_wpM2l.
Qed.

Definition sub h := [/\ measurable_fun setT h, forall w, 0 <= h w & forall s, (\int[mu]_y (h (s, y))%:E <= 1)%E].

Lemma measurable_section h s : measurable_fun setT h -> measurable_fun setT (fun y => h (s, y)).
Proof. by move=> mh; exact: (measurableT_comp mh (measurable_pair1 s)). Qed.

Lemma sub_fm h s : sub h -> fm mu (fun y => h (s, y)).
Proof. by case=> mh h0 h1; split=> //; [exact: measurable_section | exact: le_lt_trans (h1 s) (ltry _)]. Qed.

Lemma measurable_total h : measurable_fun setT h -> (forall w, 0 <= h w) -> measurable_fun setT (fun s => total mu (fun y => h (s, y))).
Proof.
move=> mh h0; have m1 : measurable_fun setT (EFin \o h) by exact/measurable_EFinP.
have n1 w : (0 <= (EFin \o h) w)%E by rewrite lee_fin.
have mF : measurable_fun setT (fubini_F mu (EFin \o h)) by exact: measurable_fun_fubini_tonelli_F.
exact: measurableT_comp.
Qed.

Variable u : S * Y -> S.
Hypothesis mu' : measurable_fun setT u.
Definition via h f s : R := total mu (fun y => h (s, y) * f (u (s, y))).

Lemma via_fm h f s : sub h -> bounded_test f -> fm mu (fun y => h (s, y) * f (u (s, y))).
Proof.
move=> sh [mf f0 [B fB]]; have [mh h0 _] := sh; have B0 : 0 <= B by exact: le_trans (f0 s) (fB s).
apply: (fm_le (k := fun y => B * h (s, y) + 0 * h (s, y))).
- apply: measurable_funM; first exact: measurable_section.
  exact: (measurableT_comp mf (measurableT_comp mu' (measurable_pair1 s))).
- by move=> y; rewrite mul0r addr0 mulr_ge0 //= mulrC ler_wpM2r.
- by apply: fm_comb => //; exact: sub_fm.
Qed.

Lemma via_operator h : sub h -> operator bounded_test (via h).
Proof.
move=> sh; have [mh h0 h1] := sh; split=> [f okf|c f g c0 okf okg|f g okf okg le s].
- have [mf f0 [B fB]] := okf; split=> [|s|].
  + apply: (measurable_total (h := fun w => h w * f (u w))); last by move=> w; rewrite mulr_ge0.
    by apply: measurable_funM => //; exact: measurableT_comp.
  + by apply: total_ge0 => y; rewrite mulr_ge0.
  exists B => s; have B0 : 0 <= B by exact: le_trans (f0 s) (fB s).
  apply: (@le_trans _ _ (B * total mu (fun y => h (s, y)) + 0 * total mu (fun y => h (s, y)))).
    rewrite -total_comb //; try exact: sub_fm.
    apply: total_le => [||y]; [exact: via_fm | by apply: fm_comb => //; exact: sub_fm |].
    by rewrite mul0r addr0 mulrC ler_wpM2r.
  by rewrite mul0r addr0 ler_piMr // -lee_fin -totalE //; exact: sub_fm.
- apply/funext => s; rewrite /via -[X in _ = _ + X]mul1r -total_comb //; try exact: via_fm.
  by congr (total _ _); apply/funext => y; ring.
- by apply: total_le => [||y]; [exact: via_fm | exact: via_fm | rewrite ler_wpM2l].
Qed.

Lemma via1 h s : sub h -> via h (fun=> 1) s <= 1.
Proof.
move=> sh; have [_ _ h1] := sh; rewrite /via; under [X in total _ X]eq_fun do rewrite mulr1.
by rewrite -lee_fin -totalE //; exact: sub_fm.
Qed.

Lemma via_comb a b h k f s : 0 <= a -> 0 <= b -> sub h -> sub k -> bounded_test f ->
  via (fun w => a * h w + b * k w) f s = a * via h f s + b * via k f s.
Proof.
move=> a0 b0 sh sk okf; rewrite /via -total_comb //; try exact: via_fm.
by congr (total _ _); apply/funext => y; ring.
Qed.

(* Densities that are close, up to a mass. *)
Lemma total_close (h k e : Y -> R) (f : Y -> R) (c : R) : fm mu (fun y => h y * f y) -> fm mu (fun y => k y * f y) -> fm mu e ->
  (forall y, 0 <= f y <= 1) -> (forall y, h y <= k y + e y) -> total mu e <= c ->
  total mu (fun y => h y * f y) <= total mu (fun y => k y * f y) + c.
Proof.
move=> fh fk fe f01 le ec; apply: (@le_trans _ _ (1 * total mu (fun y => k y * f y) + 1 * total mu e)); last first.
  by rewrite !mul1r lerD2l.
rewrite -total_comb //; apply: total_le => // [|y]; first exact: fm_comb.
have /andP[f0 f1] := f01 y; have [_ e0 _] := fe; have := e0 y => e0y; have := ler_wpM2r f0 (le y).
rewrite mulrDl !mul1r => h1; apply: le_trans h1 _; rewrite lerD2l ler_piMr //.
Qed.
End Via.

(* The parts of two densities that are near to each other, and of a third one. *)
Section Parted.
Context {R : realType} d (S : measurableType d) d' (Y : measurableType d') (mu : probability Y R).
Variables (e d0 : R).
Hypotheses (e1 : 1 < e) (d00 : 0 <= d0) (d01 : d0 < 1).
Implicit Types (h k p : S * Y -> R).

Definition density h := [/\ measurable_fun setT h, forall w, 0 <= h w & forall s, (\int[mu]_y (h (s, y))%:E = 1)%E].
Definition above h k w := Num.max 0 (h w - e * k w).
Definition near h k := forall s, total mu (fun y => above h k (s, y)) <= d0.
Definition below h k w := Num.min (h w) (e * k w).
Let mass h s := total mu (fun y => h (s, y)).

Let e_gt0 : 0 < e. Proof. exact: lt_trans e1. Qed.
Let e_neq0 : e != 0. Proof. by rewrite gt_eqF. Qed.
Let ie1 : 0 < 1 - e^-1. Proof. by rewrite subr_gt0 invf_lt1. Qed.

Lemma density_sub h : density h -> sub mu h. Proof. by case=> mh h0 h1; split=> // s; rewrite h1. Qed.

Let mass1 h s : density h -> mass h s = 1. Proof. by case=> _ _ h1; rewrite /mass /total h1. Qed.

Lemma sub_le h k : measurable_fun setT h -> (forall w, 0 <= h w <= k w) -> sub mu k -> sub mu h.
Proof.
move=> mh hk sk; have [mk k0 k1] := sk; split=> // [w|s]; first by case/andP: (hk w).
apply: le_trans (k1 s); have fk := sub_fm s sk.
have fh : fm mu (fun y => h (s, y)) by apply: fm_le fk; [exact: measurable_section | move=> y; exact: hk].
by rewrite !totalE // lee_fin; apply: total_le => // y; case/andP: (hk (s, y)).
Qed.

Let measurable_below h k : measurable_fun setT h -> measurable_fun setT k -> measurable_fun setT (below h k).
Proof. by move=> mh mk; apply: measurable_minr => //; apply: measurable_funM. Qed.

Let measurable_above h k : measurable_fun setT h -> measurable_fun setT k -> measurable_fun setT (above h k).
Proof.
by move=> mh mk; apply: measurable_maxr => //; apply: measurable_funB => //; apply: measurable_funM.
Qed.

Let below_above h k w : h w = below h k w + above h k w.
Proof. by rewrite /below /above; case: (leP (h w) (e * k w)) => le; [rewrite max_l; lra | rewrite max_r; lra]. Qed.

Let below_bounds h k w : 0 <= h w -> 0 <= k w -> [/\ 0 <= below h k w, below h k w <= h w & below h k w <= e * k w].
Proof. by move=> h0 k0; rewrite /below le_min !ge_min !lexx orbT h0 mulr_ge0 // ltW. Qed.

Let sub_below h k : sub mu h -> sub mu k -> sub mu (below h k).
Proof.
move=> sh sk; have [mh h0 _] := sh; have [mk k0 _] := sk; apply: (sub_le _ _ sh); first exact: measurable_below.
by move=> w; have [b0 bh _] := below_bounds (h0 w) (k0 w); rewrite b0.
Qed.

Let sub_above h k : sub mu h -> sub mu k -> sub mu (above h k).
Proof.
move=> sh sk; have [mh h0 _] := sh; have [mk k0 _] := sk; apply: (sub_le _ _ sh); first exact: measurable_above.
move=> w; rewrite /above le_max lexx ge_max h0 /=; have := k0 w => k0w; have : 0 <= e * k w by rewrite mulr_ge0 // ltW.
by move=> ?; lra.
Qed.

Let mass_split h k s : sub mu h -> sub mu k -> mass h s = mass (below h k) s + mass (above h k) s.
Proof.
move=> sh sk; rewrite -[mass (below _ _) _]mul1r -[mass (above _ _) _]mul1r -total_comb //; try exact: sub_fm.
- by congr (total _ _); apply/funext => y; rewrite !mul1r -below_above.
- by apply: sub_fm; exact: sub_below.
- by apply: sub_fm; exact: sub_above.
Qed.

Section Cores.
Variables (p0 p1 : S * Y -> R).
Hypotheses (dp0 : density p0) (dp1 : density p1) (near01 : near p0 p1) (near10 : near p1 p0).

Let least := (1 - d0) * (1 - e^-1).
Let least_gt0 : 0 < least. Proof. by rewrite mulr_gt0 // subr_gt0. Qed.

(* How much of below h k is given away for the masses of the two cores to be the same. *)
Let given h k s := Num.max 0 (mass (below h k) s - mass (below k h) s) / Num.max (mass (below h k) s - mass (below k h) s / e) least.
Definition core h k w := (1 - given h k w.1) * below h k w + given h k w.1 * (below k h w / e).

Section Core.
Variables (h k : S * Y -> R).
Hypotheses (dh : density h) (dk : density k) (nhk : near h k) (nkh : near k h).
Let sh := density_sub dh.
Let sk := density_sub dk.

Lemma below_mass s : 1 - d0 <= mass (below h k) s /\ 1 - d0 <= mass (below k h) s.
Proof.
split; rewrite lerBlDr.
  by rewrite -(mass1 s dh) (mass_split s sh sk) lerD2l; exact: nhk.
by rewrite -(mass1 s dk) (mass_split s sk sh) lerD2l; exact: nkh.
Qed.

Let given_bounds s : 0 <= given h k s <= 1.
Proof.
have [b1 b2] := below_mass s; have p0' : 0 <= mass (below k h) s by apply: le_trans b2; rewrite subr_ge0 ltW.
have D0 : 0 < Num.max (mass (below h k) s - mass (below k h) s / e) least by rewrite lt_max least_gt0 orbT.
rewrite /given; apply/andP; split; first by rewrite divr_ge0 ?(ltW D0) // le_max lexx.
rewrite ler_pdivrMr // mul1r ge_max (ltW D0) /= le_max; apply/orP; left.
by rewrite lerD2l lerN2 ler_pdivrMr // ler_peMr // ltW.
Qed.

Let given_mass s : given h k s * (mass (below h k) s - mass (below k h) s / e) = Num.max 0 (mass (below h k) s - mass (below k h) s).
Proof.
have [b1 b2] := below_mass s; rewrite /given; set m := mass (below h k) s in b1 *; set m' := mass (below k h) s in b2 *.
have [le|lt] := lerP m m'; first by rewrite max_l ?subr_le0 // mul0r mul0r.
have den : least <= m - m' / e.
  rewrite /least; apply: (@le_trans _ _ (m * (1 - e^-1))); first by rewrite ler_wpM2r // ltW.
  by rewrite mulrBr mulr1 lerD2l lerN2 ler_wpM2r ?invr_ge0 ?(ltW e_gt0) // ltW.
have den0 := lt_le_trans least_gt0 den.
by rewrite (max_l den) divfK // gt_eqF.
Qed.

Let measurable_given : measurable_fun setT (given h k).
Proof.
have [mh h0 _] := sh; have [mk k0 _] := sk.
have m1 : measurable_fun setT (mass (below h k)) by apply: measurable_total; [exact: measurable_below | by case: (sub_below sh sk)].
have m2 : measurable_fun setT (mass (below k h)) by apply: measurable_total; [exact: measurable_below | by case: (sub_below sk sh)].
apply: measurable_funM; first by apply: measurable_maxr => //; exact: measurable_funB.
apply: measurable_inverse => [|s]; last by rewrite lt_max least_gt0 orbT.
by apply: measurable_maxr => //; apply: measurable_funB => //; exact: measurable_funM.
Qed.

Lemma core_bounds w : 0 <= core h k w <= below h k w /\ below k h w / e <= core h k w.
Proof.
have [mh h0 _] := sh; have [mk k0 _] := sk; have /andP[g0 g1] := given_bounds w.1.
have [b0 bh bk] := below_bounds (h0 w) (k0 w); have [c0 ck ch] := below_bounds (k0 w) (h0 w).
have le : below k h w / e <= below h k w.
  rewrite ler_pdivrMr // {2}/below; case: (leP (h w) (e * k w)) => _; first by rewrite mulrC.
  by apply: le_trans ck _; rewrite mulrC mulrA ler_peMl // mulr_ege1 // ltW.
have c0' : 0 <= below k h w / e by rewrite divr_ge0 // ltW.
rewrite /core; move: (given h k w.1) g0 g1 => a g0 g1; split; last by nra.
by apply/andP; split; [rewrite addr_ge0 // mulr_ge0 // subr_ge0 | nra].
Qed.

Lemma core_sub : sub mu (core h k).
Proof.
have [mh h0 _] := sh; have [mk k0 _] := sk; apply: (sub_le _ _ (sub_below sh sk)); last by move=> w; case: (core_bounds w).
have mg : measurable_fun setT (fun w : S * Y => given h k w.1) by exact: measurableT_comp.
apply: measurable_funD; apply: measurable_funM => //; first by apply: measurable_funB.
- exact: measurable_below.
- by apply: measurable_funM => //; exact: measurable_below.
Qed.

Lemma core_mass s : mass (core h k) s = Num.min (mass (below h k) s) (mass (below k h) s).
Proof.
have /andP[g0 g1] := given_bounds s; rewrite /mass /core /=.
rewrite (_ : (fun y => _) = fun y => (1 - given h k s) * below h k (s, y) + (given h k s / e) * below k h (s, y)); last first.
  by apply/funext => y; ring.
have g0' : 0 <= given h k s / e by apply: divr_ge0 => //; exact: ltW.
have g1' : 0 <= 1 - given h k s by rewrite subr_ge0.
rewrite total_comb //; try by apply: sub_fm; exact: sub_below.
rewrite -/(mass (below h k) s) -/(mass (below k h) s); have := given_mass s.
move: (given h k s) (mass (below h k) s) (mass (below k h) s) => a m m' E.
rewrite (_ : _ + _ = m - a * (m - m' / e)); last by field.
by rewrite E; case: (leP m m') => le; [rewrite max_l ?subr_le0 // subr0 | rewrite max_r ?subr_ge0 ?ltW //; lra].
Qed.

Let minus_one : 0 < e - 1. Proof. by rewrite subr_gt0. Qed.

Lemma core_le w : core h k w <= h w.
Proof.
have [_ h0 _] := sh; have [_ k0 _] := sk; have [_ bh _] := below_bounds (h0 w) (k0 w).
by have [/andP[_ le] _] := core_bounds w; apply: le_trans bh.
Qed.

Lemma core_lacks s : fm mu (fun y => h (s, y) - core h k (s, y)) /\ total mu (fun y => h (s, y) - core h k (s, y)) <= d0.
Proof.
have [mh h0 _] := sh; have [mc c0 _] := core_sub.
have f1 : fm mu (fun y => h (s, y) - core h k (s, y)).
  apply: (fm_le _ _ (sub_fm s sh)); first by apply: measurable_funB; exact: measurable_section.
  by move=> y; rewrite subr_ge0 core_le gerBl c0.
split=> //; have := mass1 s dh; rewrite /mass (_ : (fun y => h (s, y)) = fun y => 1 * core h k (s, y) + 1 * (h (s, y) - core h k (s, y))).
  rewrite total_comb //; last by apply: sub_fm; exact: core_sub.
  rewrite !mul1r -/(mass (core h k) s) core_mass; have [b1 b2] := below_mass s.
  have : 1 - d0 <= Num.min (mass (below h k) s) (mass (below k h) s) by rewrite le_min b1.
  lra.
by apply/funext => y; ring.
Qed.

(* The law of a label: h is this law with the probability e / (1 + e), and that of the other label else. *)
Definition ext w := (e * core h k w - core k h w) / (e - 1).
End Core.

Section Ext.
Variables (h k : S * Y -> R).
Hypotheses (dh : density h) (dk : density k) (nhk : near h k) (nkh : near k h).

Let minus_one : 0 < e - 1. Proof. by rewrite subr_gt0. Qed.

Let core_ratio w : core k h w <= e * core h k w.
Proof.
have [_ le] := core_bounds dh dk nhk nkh w; have [/andP[_ ge] _] := core_bounds dk dh nkh nhk w.
by apply: le_trans ge _; rewrite mulrC -ler_pdivrMr.
Qed.

Lemma ext_sub : sub mu (ext h k).
Proof.
have sc := core_sub dh dk nhk nkh; have sc' := core_sub dk dh nkh nhk; have [mc c0 _] := sc; have [mc' c0' _] := sc'.
have ge0 w : 0 <= ext h k w by rewrite /ext divr_ge0 ?(ltW minus_one) // subr_ge0 core_ratio.
have me : measurable_fun setT (ext h k).
  by apply: measurable_funM => //; apply: measurable_funB => //; exact: measurable_funM.
split=> // s; have fe : fm mu (fun y => ext h k (s, y)).
  apply: (fm_le (k := fun y => (e / (e - 1)) * core h k (s, y) + 0 * core h k (s, y))); first exact: measurable_section.
    by move=> y; rewrite ge0 /= mul0r addr0 /ext mulrAC ler_wpM2r ?invr_ge0 ?(ltW minus_one) // gerBl c0'.
  by apply: fm_comb; rewrite ?divr_ge0 ?(ltW e_gt0) ?(ltW minus_one) //; exact: sub_fm.
have : e * mass (core h k) s = (e - 1) * total mu (fun y => ext h k (s, y)) + 1 * mass (core k h) s.
  rewrite -total_comb ?(ltW minus_one) //; last exact: sub_fm.
  rewrite -[LHS]addr0 -(mul0r (mass (core h k) s)) -total_comb ?(ltW e_gt0) //; try exact: sub_fm.
  by congr (total _ _); apply/funext => y; rewrite /ext; field; rewrite gt_eqF.
rewrite !core_mass // minC mul1r; have m1 : mass (core h k) s <= 1 by rewrite -lee_fin -totalE; [case: sc | exact: sub_fm].
rewrite core_mass // minC in m1; rewrite totalE // lee_fin; move: (Num.min _ _) (total _ _) m1 => a b a1 E.
have : (e - 1) * b = (e - 1) * a by move: E; lra.
by move/(mulfI (lt0r_neq0 minus_one)) => ->.
Qed.

Lemma core_ext w : core h k w = e / (e + 1) * ext h k w + 1 / (e + 1) * ext k h w.
Proof. by rewrite /ext; field; rewrite !gt_eqF // addr_gt0. Qed.

Lemma ext_sum w : ext h k w + ext k h w = core h k w + core k h w.
Proof. by rewrite /ext; field; rewrite gt_eqF. Qed.

(* What another record has beside the two laws. *)
Let left := 1 - e^-1 + 2 * d0 / e.
Let left_gt0 : 0 < left. Proof. by rewrite ltr_wpDr // divr_ge0 ?(ltW e_gt0) // mulr_ge0. Qed.
Definition rest p w := (p w - (below (core h k) p w + below (core k h) p w) / (2 * e)) / left.
Definition excess p w := (above (core h k) p w + above (core k h) p w) / (2 * e).

Section Rest.
Variable p : S * Y -> R.
Hypotheses (dp : density p) (nhp : near h p) (nkp : near k p).
Let sp := density_sub dp.
Let sc := core_sub dh dk nhk nkh.
Let sc' := core_sub dk dh nkh nhk.
Let two_e : 0 < 2 * e. Proof. by rewrite mulr_gt0. Qed.

Lemma rest_mixture w : e^-1 / 2 * ext h k w + e^-1 / 2 * ext k h w + left * rest p w = p w + excess p w.
Proof.
rewrite -mulrDr ext_sum (below_above (core h k) p) (below_above (core k h) p) /rest /excess.
by field; rewrite e_neq0 gt_eqF.
Qed.

Let above_near c s : sub mu c -> (forall w, 0 <= c w <= h w) \/ (forall w, 0 <= c w <= k w) -> mass (above c p) s <= d0.
Proof.
move=> s1 H; have sh := density_sub dh; have sk := density_sub dk.
have le q : sub mu q -> (forall w, 0 <= c w <= q w) -> mass (above c p) s <= mass (above q p) s.
  move=> sq cq; apply: total_le; [by apply: sub_fm; exact: sub_above | by apply: sub_fm; exact: sub_above |].
  move=> y; rewrite /above ge_max !le_max lexx /=; apply/orP; right; rewrite lerD2r.
  by case/andP: (cq (s, y)).
by case: H => H; [apply: le_trans (le h sh H) (nhp s) | apply: le_trans (le k sk H) (nkp s)].
Qed.

Let above_core s : mass (above (core h k) p) s <= d0 /\ mass (above (core k h) p) s <= d0.
Proof.
have [_ c0 _] := sc; have [_ c0' _] := sc'.
split; [apply: (above_near s sc); left | apply: (above_near s sc'); right] => w; apply/andP; split.
- exact: c0.
- exact: (core_le dh dk nhk nkh).
- exact: c0'.
- exact: (core_le dk dh nkh nhk).
Qed.

Lemma excess_small s : fm mu (fun y => excess p (s, y)) /\ total mu (fun y => excess p (s, y)) <= d0 / e.
Proof.
have [a1 a2] := above_core s; have i0 : 0 <= (2 * e)^-1 by rewrite invr_ge0 ltW.
have e1' : (fun y => excess p (s, y)) = fun y => (2 * e)^-1 * above (core h k) p (s, y) + (2 * e)^-1 * above (core k h) p (s, y).
  by apply/funext => y; rewrite /excess; ring.
rewrite e1'; split; first by apply: fm_comb => //; apply: sub_fm; exact: sub_above.
rewrite total_comb //; try by apply: sub_fm; exact: sub_above.
rewrite -mulrDr (_ : d0 / e = (2 * e)^-1 * (d0 + d0)); last by field.
by rewrite ler_wpM2l // lerD.
Qed.

Lemma rest_sub : sub mu (rest p).
Proof.
have [mp q0 _] := sp; have [mc c0 _] := sc; have [mc' c0' _] := sc'.
have b1 w := below_bounds (c0 w) (q0 w); have b2 w := below_bounds (c0' w) (q0 w).
have ge0 w : 0 <= rest p w.
  rewrite /rest divr_ge0 ?(ltW left_gt0) // subr_ge0 ler_pdivrMr //.
  by case: (b1 w) => _ _ h1; case: (b2 w) => _ _ h2; lra.
have mr : measurable_fun setT (rest p).
  apply: measurable_funM => //; apply: measurable_funB => //; apply: measurable_funM => //.
  by apply: measurable_funD; exact: measurable_below.
split=> // s; have fr : fm mu (fun y => rest p (s, y)).
  apply: (fm_le (k := fun y => left^-1 * p (s, y) + 0 * p (s, y))); first exact: measurable_section.
    move=> y; rewrite ge0 /= mul0r addr0 /rest mulrC ler_wpM2l ?invr_ge0 ?(ltW left_gt0) // gerBl divr_ge0 ?(ltW two_e) //.
    by case: (b1 (s, y)) => h1 _ _; case: (b2 (s, y)) => h2 _ _; rewrite addr_ge0.
  by apply: fm_comb; rewrite ?invr_ge0 ?(ltW left_gt0) //; exact: sub_fm.
have sb1 := sub_below sc sp; have sb2 := sub_below sc' sp.
have fb : fm mu (fun y => (2 * e)^-1 * below (core h k) p (s, y) + (2 * e)^-1 * below (core k h) p (s, y)).
  by apply: fm_comb; rewrite ?invr_ge0 ?(ltW two_e) //; exact: sub_fm.
have : mass p s = left * total mu (fun y => rest p (s, y)) +
    1 * total mu (fun y => (2 * e)^-1 * below (core h k) p (s, y) + (2 * e)^-1 * below (core k h) p (s, y)).
  rewrite -total_comb ?(ltW left_gt0) //; congr (total _ _); apply/funext => y; rewrite /rest.
  by field; rewrite e_neq0 gt_eqF.
rewrite mass1 // mul1r total_comb ?invr_ge0 ?(ltW two_e) //; try exact: sub_fm.
rewrite totalE // lee_fin; have [a1 a2] := above_core s.
have [m1 m2] : 1 - d0 <= mass (core h k) s /\ 1 - d0 <= mass (core k h) s.
  by rewrite !core_mass // !le_min; have [-> ->] := below_mass dh dk nhk nkh s.
rewrite (mass_split s sc sp) in m1; rewrite (mass_split s sc' sp) in m2.
rewrite -/(mass (below (core h k) p) s) -/(mass (below (core k h) p) s).
move: (mass (below (core h k) p) s) (mass (below (core k h) p) s) (total _ _) m1 m2 => x y z m1 m2 E.
have h2 : 2 * (1 - 2 * d0) <= x + y by lra.
rewrite -(ler_pM2l left_gt0) mulr1 {2}/left.
have : (2 * e)^-1 * (2 * (1 - 2 * d0)) <= (2 * e)^-1 * (x + y) by rewrite ler_wpM2l // invr_ge0 ltW.
rewrite (_ : (2 * e)^-1 * (2 * (1 - 2 * d0)) = e^-1 - 2 * d0 / e); last by field.
by rewrite mulrDr; move: E; lra.
Qed.
End Rest.
End Ext.
End Cores.
End Parted.
