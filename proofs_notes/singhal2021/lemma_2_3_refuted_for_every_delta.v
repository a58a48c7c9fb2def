(** singhal2021, Lemma 2.3 as printed fails for every epsilon and every delta < 1.

    lemma_2_3_refuted.v has a lone point whose line has probability 1/3. At k = 2 one point spans a plane with each of m
    others. If these lie in one plane of their own, on m lines through 0, all values can be 0, and the output is one of the
    m planes through the lone point with probability m / (m + 2). The printed algorithm and its noise are those of that file. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import reals ereal sequences exp.
From mathcomp Require Import ring lra zify.
From DPPCA.lib Require Import real_releases.
From DPPCA.singhal2021 Require Import scores lemma_2_3_refuted.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
(** * Many planes through one point: P = m / (m + 2) against 0 *)

Section Planes.
Variables (F : fieldType) (m : nat) (t : 'I_m -> F) (R : realType) (z : R) (noise : R -> R -> R).
Hypotheses (densities : forall v, density (noise v)) (t_inj : injective t) (m_gt1 : (1 < m)%N) (near_tie : `|z - m.-1%:R| <= 1) (z_ge1 : 1 <= z).

(** X: the points (1, t_i, 0) of a plane, no two on one line, and e_3 (the last). X': (1, 0, 0) in place of e_3. *)
Definition point3 (a b c : F) : 'rV[F]_3 := \row_(j < 3) nth 0 [:: a; b; c] j.
Definition flat_point a := point3 1 a 0.
Definition top := point3 0 0 1.
Definition with_top (i : 'I_m.+1) := if unlift ord_max i is Some j then flat_point (t j) else top.
Definition without_top (i : 'I_m.+1) := if unlift ord_max i is Some j then flat_point (t j) else flat_point 0.
(** The plane of two points. Those through e_3: one for each of the other points. *)
Definition plane (x y : 'rV[F]_3) : 'M[F]_3 := <<(<<x>> + <<y>>)%MS>>%MS.
Definition lone_plane (i : 'I_m) : option 'M[F]_3 := Some (plane (flat_point (t i)) top).

Lemma top_neighbours : neighbours with_top without_top.
Proof.
by exists ord_max => i; rewrite /with_top /without_top; case: (unliftP ord_max i) => [j|] ->; rewrite ?eqxx.
Qed.

Lemma point3E a b c : [/\ point3 a b c 0 0 = a, point3 a b c 0 1 = b & point3 a b c 0 ord_max = c].
Proof. by split; rewrite !mxE. Qed.

Lemma in_two (v x y : 'rV[F]_3) : (v <= <<x>> + <<y>>)%MS -> exists a b, v = a *: x + b *: y.
Proof.
move=> /sub_addsmxP[[u w] ->]; have /sub_rVP[a ea] : (u *m <<x>> <= x)%MS by rewrite -(genmxE x) submxMl.
have /sub_rVP[b eb] : (w *m <<y>> <= y)%MS by rewrite -(genmxE y) submxMl.
by exists a, b; rewrite ea eb.
Qed.

Lemma in_two_points x y a b : (point3 1 a b <= <<flat_point x>> + <<point3 0 y 1>>)%MS -> a = x + b * y.
Proof.
move=> /in_two[c [e /rowP h]]; have := h 0; have := h 1; have := h ord_max; rewrite !mxE /=.
by rewrite mulr0 mulr1 add0r mulr1 mulr0 addr0 => -> -> <-; rewrite mul1r.
Qed.

(** The plane of the other points. *)
Definition flat_plane : 'M[F]_3 := (<<flat_point 0>> + <<point3 0 1 0>>)%MS.

Lemma flat_in_plane a : (flat_point a <= flat_plane)%MS.
Proof.
have -> : flat_point a = flat_point 0 + a *: point3 0 1 0.
  by apply/rowP => -[[|[|[|//]]] lt]; rewrite !mxE /= ?mulr0 ?mulr1 ?addr0 ?add0r.
by rewrite addmx_sub_adds ?genmxE ?scalemx_sub ?genmxE.
Qed.

Lemma top_not_flat : (top <= flat_plane)%MS = false.
Proof.
apply/negP => /in_two[a [b /rowP /(_ ord_max)]]; rewrite !mxE /= !mulr0 addr0 => /eqP.
by rewrite oner_eq0.
Qed.

(** Two of its points span it. *)
Lemma flat_span a b (s : 'M[F]_3) : a != b -> (flat_point a <= s)%MS -> (flat_point b <= s)%MS -> (flat_plane <= s)%MS.
Proof.
move=> ab sa sb; have e : (point3 0 1 0 <= s)%MS.
  have -> : point3 0 1 0 = (a - b)^-1 *: (flat_point a - flat_point b).
    apply/rowP => -[[|[|[|//]]] lt]; rewrite !mxE /= ?subrr ?mulr0 //.
    by rewrite mulVf // subr_eq0.
  by rewrite scalemx_sub // addmx_sub // eqmx_opp.
have f : (flat_point 0 <= s)%MS.
  have -> : flat_point 0 = flat_point a - a *: point3 0 1 0.
    by apply/rowP => -[[|[|[|//]]] lt]; rewrite !mxE /= ?mulr0 ?mulr1 ?subrr ?subr0.
  by rewrite addmx_sub // eqmx_opp scalemx_sub.
by rewrite addsmx_sub !genmxE f e.
Qed.

Lemma flat_line a b : (flat_point a <= flat_point b)%MS = (a == b).
Proof.
apply/idP/eqP => [/sub_rVP[c /rowP e]|->]; last exact: submx_refl.
by have := e 0; have := e 1; rewrite !mxE /= mulr1 => -> <-; rewrite mul1r.
Qed.

Lemma flat_in_lone a b : (flat_point a <= <<flat_point b>> + <<top>>)%MS = (a == b).
Proof.
apply/idP/eqP => [/in_two_points|->]; first by rewrite mulr0 addr0.
by rewrite (submx_trans _ (addsmxSl _ _)) ?genmxE.
Qed.

(** ** Candidates *)

Lemma span2 n (X : 'I_n -> 'rV[F]_3) i j : i != j -> (span X [set i; j] :=: <<X i>> + <<X j>>)%MS.
Proof.
move=> ij; rewrite /span; apply/eqmxP/andP; split.
  by apply/sumsmx_subP => l; rewrite !inE => /orP[] /eqP ->; [apply: addsmxSl|apply: addsmxSr].
by rewrite addsmx_sub !(sumsmx_sup _ _ (submx_refl _)) // !inE eqxx ?orbT.
Qed.

Lemma candidates_of_planes n (X : 'I_n -> 'rV[F]_3) l : l \in printed_candidates 2 X ->
  l = None \/ exists i j, i != j /\ l = Some (plane (X i) (X j)).
Proof.
rewrite inE => /orP[/eqP ->|/mapP[s + ->]]; first by left.
rewrite mem_undup => /mapP[S]; rewrite mem_enum inE => /cards2P[i [j [ij eS]]] ->; rewrite eS.
by right; exists i, j; split=> //; congr Some; apply/genmxP/eqmxP; apply: span2.
Qed.

Lemma pair_listed n (X : 'I_n -> 'rV[F]_3) i j : i != j -> Some (plane (X i) (X j)) \in printed_candidates 2 X.
Proof.
move=> ij; rewrite inE; apply/orP; right; apply/mapP; exists (plane (X i) (X j)) => //.
rewrite mem_undup; apply/mapP; exists [set i; j]; first by rewrite mem_enum inE cards2 ij.
by apply/genmxP/eqmxP; apply: eqmx_sym; apply: span2.
Qed.

Definition flat_label : option 'M[F]_3 := Some <<flat_plane>>%MS.

Lemma lift_neq (i : 'I_m) : (lift ord_max i : 'I_m.+1) != ord_max. Proof. by rewrite eq_sym neq_lift. Qed.
Lemma with_lift i : with_top (lift ord_max i) = flat_point (t i). Proof. by rewrite /with_top liftK. Qed.
Lemma with_max : with_top ord_max = top. Proof. by rewrite /with_top unlift_none. Qed.

Lemma pair_of_flat i j : i != j -> plane (flat_point (t i)) (flat_point (t j)) = <<flat_plane>>%MS :> 'M[F]_3.
Proof.
move=> ij; apply/genmxP; apply/andP; split; first by rewrite addsmx_sub !genmxE !flat_in_plane.
apply: (@flat_span (t i) (t j)); first by rewrite (inj_eq t_inj).
  by rewrite (submx_trans _ (addsmxSl _ _)) ?genmxE.
by rewrite (submx_trans _ (addsmxSr _ _)) ?genmxE.
Qed.

Lemma with_candidates3 l : (l \in printed_candidates 2 with_top) = (l \in [:: None, flat_label & [seq lone_plane i | i <- enum 'I_m]]).
Proof.
apply/idP/idP => [/candidates_of_planes[->|[i [j [+ ->]]]]|]; first by rewrite !inE.
  rewrite !inE /=; case: (unliftP ord_max i) => [a ->|->]; case: (unliftP ord_max j) => [b ->|->]; rewrite ?with_lift ?with_max.
  - by rewrite (inj_eq lift_inj) => ab; rewrite pair_of_flat // eqxx.
  - by move=> _; apply/orP; right; apply/mapP; exists a; rewrite ?mem_enum.
  - move=> _; apply/orP; right; apply/mapP; exists b; rewrite ?mem_enum //.
    by rewrite /lone_plane /plane addsmxC.
  - by rewrite eqxx.
rewrite !inE => /or3P[/eqP ->|/eqP ->|/mapP[i _ ->]] //.
  have i0 : 'I_m := Ordinal (ltnW m_gt1); have i1 : 'I_m := Ordinal m_gt1.
  have ne : Ordinal (ltnW m_gt1) != Ordinal m_gt1 by [].
  rewrite /flat_label -(pair_of_flat ne) -!with_lift; apply: pair_listed.
  by rewrite (inj_eq lift_inj).
rewrite /lone_plane -with_lift -with_max; apply: pair_listed.
exact: lift_neq.
Qed.

Lemma lone_planes_differ : injective lone_plane.
Proof.
move=> i j [e]; apply/t_inj/eqP.
have : (flat_point (t i) <= plane (flat_point (t i)) top)%MS by rewrite /plane genmxE flat_in_lone.
by rewrite e /plane genmxE flat_in_lone.
Qed.

Lemma lone_not_flat i : lone_plane i != flat_label.
Proof.
apply/eqP => -[/genmxP/andP[+ _]]; rewrite addsmx_sub !genmxE => /andP[_].
by rewrite top_not_flat.
Qed.

Lemma with_perm : perm_eq (printed_candidates 2 with_top) [:: None, flat_label & [seq lone_plane i | i <- enum 'I_m]].
Proof.
apply: uniq_perm; last exact: with_candidates3; first exact: printed_candidates_uniq.
rewrite /= !inE /= map_inj_uniq ?enum_uniq ?andbT; last exact: lone_planes_differ.
apply/andP; split; first by apply/mapP => -[].
by apply/mapP => -[i _ e]; have := lone_not_flat i; rewrite e eqxx.
Qed.

Lemma without_lone i : lone_plane i \notin printed_candidates 2 without_top.
Proof.
have flat j : (without_top j <= flat_plane)%MS by rewrite /without_top; case: unlift => *; apply: flat_in_plane.
apply/negP => /candidates_of_planes[//|[a [b [_ [/genmxP/andP[+ _]]]]]].
move=> /(submx_trans (addsmxSr _ _)); rewrite genmxE => /submx_trans/(_ (_ : _ <= flat_plane)%MS).
by rewrite top_not_flat addsmx_sub !genmxE !flat => /(_ isT).
Qed.

(** ** Scores *)

Lemma inside_flat : inside with_top <<flat_plane>>%MS = m.
Proof.
transitivity #|~: [set (ord_max : 'I_m.+1)]|; last by rewrite cardsCs setCK cards1 card_ord subn1.
apply: eq_card => i; rewrite !inE genmxE; case: (unliftP ord_max i) => [j|] ->.
  by rewrite with_lift flat_in_plane lift_neq.
by rewrite with_max top_not_flat eqxx.
Qed.

Lemma flat_neq0 : (<<flat_plane>>%MS : 'M[F]_3) != 0.
Proof.
apply/eqP => e; have : (flat_point 0 <= <<flat_plane>>)%MS by rewrite genmxE flat_in_plane.
rewrite e submx0 => /eqP/rowP/(_ 0); rewrite !mxE /= => /eqP.
by rewrite oner_eq0.
Qed.

Lemma flat_score : score with_top <<flat_plane>>%MS = m.-1.
Proof.
have [s lt] := score_attained with_top flat_neq0.
have := inside_outside with_top (ltmxW lt); rewrite inside_flat => e es.
have le1 : (inside with_top s <= 1)%N.
  apply/card_le1_eqP => i j; rewrite !inE.
  have off k : (with_top k <= s)%MS -> exists2 a, k = lift ord_max a & (flat_point (t a) <= s)%MS.
    case: (unliftP ord_max k) => [a|] ->; first by rewrite with_lift; exists a.
    by rewrite with_max => h; have := submx_trans h (ltmxW lt); rewrite genmxE top_not_flat.
  move=> /off[a -> ha] /off[b -> hb]; congr lift; apply/eqP; apply: contraTT lt => ab.
  rewrite ltmxE negb_and negbK !genmxE (flat_span _ ha hb) ?orbT //.
  by rewrite (inj_eq t_inj) eq_sym.
pose i0 : 'I_m := Ordinal (ltnW m_gt1).
have line : (<<flat_point (t i0)>> < <<flat_plane>>)%MS.
  rewrite ltmxE !genmxE flat_in_plane /=; apply/negP => h.
  pose i1 : 'I_m := Ordinal m_gt1.
  by have := submx_trans (flat_in_plane (t i1)) h; rewrite flat_line (inj_eq t_inj).
have := inside_outside with_top (ltmxW line); rewrite inside_flat => e'.
have some : (0 < inside with_top <<flat_point (t i0)>>%MS)%N.
  by apply/card_gt0P; exists (lift ord_max i0); rewrite inE with_lift genmxE.
have := score_le_outside with_top line; lia.
Qed.

Lemma lone_score i : (score with_top (plane (flat_point (t i)) top) <= 2)%N.
Proof.
apply: leq_trans (score_le_inside _ _) _.
apply: leq_trans (_ : #|[set lift ord_max i; ord_max]| <= 2)%N; last by rewrite cards2; case: (_ != _).
apply/subset_leq_card/subsetP => j; rewrite !inE genmxE; case: (unliftP ord_max j) => [a|] ->; last by rewrite eqxx orbT.
by rewrite with_lift flat_in_lone (inj_eq t_inj) => /eqP ->; rewrite eqxx.
Qed.

Lemma with_top_values l : l \in printed_candidates 2 with_top -> printed_value 2 with_top z l = 0.
Proof.
have mem l' := perm_mem with_perm l'; have m1 : 1 <= m.-1%:R :> R by rewrite ler1n -ltnS prednK // ltnW.
move: l; apply: (@values_vanish _ _ _ _ _ _ _ None flat_label); rewrite ?mem ?inE ?eqxx ?orbT //.
move=> l; rewrite mem !inE /= flat_score; move: near_tie; rewrite ler_distl => /andP[low up].
rewrite -lerBlDr le_min !lerBlDr.
case/or3P => [/eqP ->|/eqP ->|/mapP[i _ ->]] /=; rewrite ?flat_score.
- by rewrite lerDl ler01 /= up.
- by rewrite lerDl ler01 -lerBlDr low.
- have two : (score with_top (plane (flat_point (t i)) top))%:R <= 1 + 1 :> R.
    by rewrite -[1 + 1]/(2%:R) ler_nat lone_score.
  by rewrite !(le_trans two) // lerD2r.
Qed.

(** singhal2021.lemma-2.3: the output is one of the m lone planes with probability m / (m + 2) on X, and 0 on X'. *)
Definition lone_planes := [seq lone_plane i | i <- enum 'I_m].

Theorem lone_planes_almost_one : printed_law 2 noise z with_top (mem lone_planes) = (m%:R / (m + 2)%:R)%:E /\
  printed_law 2 noise z without_top (mem lone_planes) = 0%E.
Proof.
have sz : size lone_planes = m by rewrite size_map size_enum_ord.
split.
  rewrite (printed_tie densities with_top_values) ?(perm_size with_perm).
  - by rewrite -[size (_ :: _)]/(size lone_planes).+2 sz addn2.
  - by rewrite map_inj_uniq ?enum_uniq //; exact: lone_planes_differ.
  - by move=> l; rewrite (perm_mem with_perm) !inE => ->; rewrite !orbT.
apply: printed_off_the_list => // l listed; apply/negP => /mapP[i _ e].
by have := without_lone i; rewrite -e listed.
Qed.
End Planes.

(** singhal2021.lemma-2.3: whatever epsilon and delta < 1 are, there is an ell for which the printed algorithm is not (epsilon,
    delta)-DP. NULL's score is ell + (4 / epsilon) ln(1 / delta) + 1. *)
Theorem lemma_2_3_fails_everywhere (F : numFieldType) (R : realType) (noise : R -> R -> R) (e t : R) :
  (forall v, density (noise v)) -> 0 < e -> 0 < t -> t < 1 ->
  exists ell n, ~ (forall X X' : 'I_n -> 'rV[F]_3, neighbours X X' -> forall E,
    (printed_law 2 noise (ell%:R + 4 / e * ln (1 / t) + 1) X E <=
     (expR e)%:E * printed_law 2 noise (ell%:R + 4 / e * ln (1 / t) + 1) X' E + t%:E)%E).
Proof.
move=> dn e0 t0 t1; set w := 4 / e * _; have w0 : 0 <= w.
  by rewrite mulr_ge0 ?divr_ge0 ?(ltW e0) // ln_ge0 // ler_pdivlMr //; lra.
have [|c c0 near] := @nearest_integer R (w + 1); first by lra.
have d0 : 0 < 1 - t by lra.
pose ell := Num.bound (2 / (1 - t)); pose m := (ell + c + 1)%N.
have m1 : (1 < m)%N by rewrite /m; lia.
exists ell, m.+1 => H; have := H _ _ (@top_neighbours F m (fun i => i%:R)) (mem (@lone_planes F m (fun i => i%:R))).
have inj : injective (fun i : 'I_m => i%:R : F) by move=> i j /eqP; rewrite eqr_nat => /eqP /val_inj.
have tie : `|ell%:R + w + 1 - m.-1%:R| <= 1.
  have -> : m.-1 = (ell + c)%N by rewrite /m addn1.
  rewrite natrD; move: near; rewrite !ler_norml => /andP[h1 h2]; apply/andP; split; lra.
have z1 : 1 <= ell%:R + w + 1 by rewrite lerDr addr_ge0.
have [-> ->] := @lone_planes_almost_one F m _ R _ noise dn inj m1 tie z1.
rewrite mule0 add0e lee_fin leNgt => /negP; apply.
have big : 2 / (1 - t) < ell%:R by apply: archi_boundP; rewrite divr_ge0 // ltW.
have em : ell%:R <= m%:R :> R by rewrite ler_nat /m -addnA leq_addr.
rewrite ltr_pdivlMr ?ltr0n ?addn2 //; move: big; rewrite ltr_pdivrMr // => big.
have := ler_wpM2r (ltW d0) em; rewrite -[in X in _ -> X]addn2 natrD; lra.
Qed.

Example lone_planes_compute : size (lone_planes (fun i : 'I_3 => i%:R : rat)) = 3%N.
Proof. by rewrite size_map size_enum_ord. Qed.

(** 58 planes, 58/60 against 0, where NULL's score is 57: at ell = 0 and ln(1 / delta) / epsilon = 14. *)
Example lone_planes_hold (R : realType) (noise : R -> R -> R) : (forall v, density (noise v)) -> let t (i : 'I_58) : rat := i%:R in
  printed_law 2 noise 57 (with_top t) (mem (lone_planes t)) = (58%:R / (58 + 2)%:R)%:E /\
  printed_law 2 noise 57 (without_top t) (mem (lone_planes t)) = 0%E.
Proof.
move=> dn t; apply: lone_planes_almost_one => //.
- by move=> i j /eqP; rewrite eqr_nat => /eqP /val_inj.
- by rewrite subrr normr0.
- by rewrite ler1n.
Qed.
