(** singhal2021, Lemma 2.3 as printed is false.

    The printed Algorithm 1: the candidates are NULL and the spans of all sets of k points, whatever their dimension; NULL has a
    score z like the others; every candidate has the value max(0, u - u(s_2) - 1) and one noise of the same law. If all
    values are 0, every candidate wins with the same probability, so the output shows which spans exist.

    Noise is any family of laws with densities, [noise v] that of v plus noise: print does not define TLap. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import reals ereal sequences exp.
From mathcomp Require Import ring lra zify.
From DPPCA.lib Require Import real_releases.
From DPPCA.primitives Require Import equal_chances.
From DPPCA.singhal2021 Require Import scores.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** * The printed algorithm *)

Section Printed.
Variables (F : fieldType) (n d k : nat) (R : realFieldType).
Local Notation dataset := ('I_n -> 'rV[F]_d).
Local Notation label := (option 'M[F]_d).
Implicit Types (X : dataset).

(** Lines 1-5: NULL and the spans of every k points. *)
Definition printed_candidates X : seq label :=
  None :: [seq Some s | s <- undup [seq <<span X Q0>>%MS | Q0 <- enum [set Q0 : {set 'I_n} | #|Q0| == k]]].

(** Lines 2 and 7: the scores; z is NULL's. *)
Definition printed_score X (z : R) (l : label) : R := if l is Some s then (score X s)%:R else z.

(** Lines 9-11: the values. *)
Definition printed_second X z : R := nth 0 (sort (fun x y => y <= x) [seq printed_score X z l | l <- printed_candidates X]) 1.
Definition printed_value X z (l : label) : R := Num.max 0 (printed_score X z l - printed_second X z - 1).

Lemma printed_candidates_uniq X : uniq (printed_candidates X).
Proof.
rewrite /= map_inj_uniq ?undup_uniq ?andbT; last by move=> s t [].
by apply/mapP => -[].
Qed.

(** The values are 0 if two labels have scores of which no other exceeds the smaller by more than 1. *)
Lemma second_at_least X z s t m : s \in printed_candidates X -> t \in printed_candidates X -> s != t ->
  m <= printed_score X z s -> m <= printed_score X z t -> m <= printed_second X z.
Proof.
move=> sY tY st ms mt; rewrite /printed_second; set l := sort _ _.
have two : (1 < count (fun x => (m <= x)%R) l)%N.
  rewrite /l (seq.permP (permEl (perm_sort _ _))) count_map -size_filter; apply: (@uniq_leq_size _ [:: s; t]); first by rewrite /= inE st.
  by move=> q; rewrite !inE mem_filter => /orP[] /eqP ->; rewrite /= ?ms ?mt ?sY ?tY.
have : sorted (fun x y : R => y <= x) l by apply: sort_sorted => x y; apply: le_total.
move: two; case: l => [|x [|y r]] //=; first by case: (m <= x).
rewrite path_sortedE => [|b a c ba cb]; last exact: le_trans cb ba.
move=> two /and3P[_ /allP low _]; rewrite leNgt; apply: contraTN two => ym.
rewrite (leNgt m y) ym /= (@eq_in_count _ _ pred0) ?count_pred0 ?addn0; first by case: (m <= x).
by move=> q /low qy /=; apply/negbTE; rewrite -ltNge (le_lt_trans qy).
Qed.

Lemma values_vanish X z s t : s \in printed_candidates X -> t \in printed_candidates X -> s != t ->
  (forall l, l \in printed_candidates X -> printed_score X z l <= Num.min (printed_score X z s) (printed_score X z t) + 1) ->
  forall l, l \in printed_candidates X -> printed_value X z l = 0.
Proof.
move=> sY tY st top l lY; rewrite /printed_value max_l // subr_le0 lerBlDl addrC.
apply: le_trans (top l lY) _; rewrite addrC lerD2l.
by apply: (second_at_least sY tY st); rewrite ge_min lexx ?orbT.
Qed.

End Printed.

Section PrintedLaw.
Variables (F : fieldType) (n d k : nat) (R : realType) (noise : R -> R -> R).
Hypothesis densities : forall v, density (noise v).
Implicit Types (X : 'I_n -> 'rV[F]_d) (E : pred (option 'M[F]_d)).

(** Line 11: the probability that the output is in E. *)
Definition printed_law z X E : \bar R := arg_max_of (fun l => noise (printed_value k X z l)) (printed_candidates k X) E.

Lemma printed_off_the_list z X E : (forall l, l \in printed_candidates k X -> ~~ E l) -> printed_law z X E = 0%E.
Proof. by apply: arg_max_of_none => l _. Qed.

(** singhal2021.algorithm-1-null: where all values are 0, the output is one of the candidates c with probability #c / #candidates. *)
Theorem printed_tie z X c : (forall l, l \in printed_candidates k X -> printed_value k X z l = 0) ->
  uniq c -> {subset c <= printed_candidates k X} ->
  printed_law z X (mem c) = ((size c)%:R / (size (printed_candidates k X))%:R)%:E.
Proof.
move=> zero uc sub; apply: (equal_chances (densities 0)) => // [l /zero -> //|].
exact: printed_candidates_uniq.
Qed.
End PrintedLaw.

(** * One point is enough: P = 1/3 against 0 *)

Section OneThird.
Variables (F : fieldType) (c : nat) (R : realType) (z : R) (noise : R -> R -> R).
Hypotheses (densities : forall v, density (noise v)) (c_gt0 : (0 < c)%N) (near_tie : `|z - c%:R| <= 1) (z_ge1 : 1 <= z).

(** X: c points on the line of e_1 and one on that of e_2 (the last). X': all c + 1 points on the line of e_1. *)
Definition e1 : 'rV[F]_2 := delta_mx 0 0.
Definition e2 : 'rV[F]_2 := delta_mx 0 1.
Definition with_lone_point (i : 'I_c.+1) : 'rV[F]_2 := if i == ord_max then e2 else e1.
Definition without_lone_point (i : 'I_c.+1) : 'rV[F]_2 := e1.
Definition lone_line : option 'M[F]_2 := Some <<e2>>%MS.

Lemma are_neighbours : neighbours with_lone_point without_lone_point.
Proof. by exists ord_max => i /negbTE h; rewrite /with_lone_point h. Qed.

Lemma e2_not_e1 : (e2 <= e1)%MS = false.
Proof.
apply/negbTE/negP => /sub_rVP[a] /rowP/(_ 1); rewrite !mxE !eqxx /= mulr0 => /eqP.
by rewrite oner_eq0.
Qed.

Lemma e1_not_e2 : (e1 <= e2)%MS = false.
Proof.
apply/negbTE/negP => /sub_rVP[a] /rowP/(_ 0); rewrite !mxE !eqxx /= mulr0 => /eqP.
by rewrite oner_eq0.
Qed.

Local Notation line v := (Some <<v>>%MS : option 'M[F]_2).

Lemma lines_differ : line e1 != line e2.
Proof. by apply: contraFneq e2_not_e1 => -[e]; rewrite -(genmxE e1) e genmxE. Qed.

Lemma candidates_of_lines n (X : 'I_n -> 'rV[F]_2) l :
  (l \in printed_candidates 1 X) = (l == None) || [exists i, l == line (X i)].
Proof.
have single i : span X [set i] = <<X i>>%MS by rewrite /span big_set1.
rewrite inE; congr (_ || _); apply/mapP/existsP => [[s]|[i /eqP ->]].
  rewrite mem_undup => /mapP[Q0]; rewrite mem_enum inE => /cards1P[i ->] -> ->.
  by exists i; rewrite single genmx_id.
exists <<X i>>%MS => //; rewrite mem_undup; apply/mapP; exists [set i].
  by rewrite mem_enum inE cards1.
by rewrite single genmx_id.
Qed.

Lemma with_candidates : perm_eq (printed_candidates 1 with_lone_point) [:: None; line e1; line e2].
Proof.
apply: uniq_perm; first exact: printed_candidates_uniq.
  by rewrite /= !inE lines_differ.
move=> l; rewrite candidates_of_lines !inE; congr (_ || _); apply/existsP/orP => [[i]|[] /eqP ->].
- by rewrite /with_lone_point; case: ifP => _ ->; [right|left].
- exists ord0; rewrite /with_lone_point; case: (ord0 =P ord_max) => [e|//].
  by have : (0 < val (ord_max : 'I_c.+1))%N := c_gt0; rewrite -e.
- by exists (@ord_max c); rewrite /with_lone_point eqxx.
Qed.

Lemma without_candidates l : l \in printed_candidates 1 without_lone_point -> l = None \/ l = line e1.
Proof. by rewrite candidates_of_lines => /orP[/eqP ->|/existsP[i /eqP ->]]; [left|right]. Qed.

Lemma score_of_line n (X : 'I_n -> 'rV[F]_2) (v : 'rV[F]_2) : v != 0 -> (forall i, X i != 0) ->
  score X <<v>>%MS = #|[set i | (X i <= v)%MS]|.
Proof.
move=> v0 X0; have s0 : (<<v>>%MS : 'M_2) != 0 by rewrite -mxrank_eq0 genmxE rank_rV v0.
rewrite /score (_ : supremum _ _ = 0%N) ?subn0; first by apply: eq_card => i; rewrite !inE genmxE.
have [t + <-] := supremum_attained X s0; rewrite ltmxErank !genmxE rank_rV v0 => /andP[_ t0].
have -> : t = 0 by apply/eqP; rewrite -mxrank_eq0 -leqn0 -ltnS.
by apply/eqP; rewrite cards_eq0; apply/eqP/setP => i; rewrite !inE submx0 (negbTE (X0 i)).
Qed.

Lemma e1_neq0 : e1 != 0. Proof. by apply: contraFneq e1_not_e2 => ->; rewrite sub0mx. Qed.
Lemma e2_neq0 : e2 != 0. Proof. by apply: contraFneq e2_not_e1 => ->; rewrite sub0mx. Qed.

Lemma with_nonzero i : with_lone_point i != 0.
Proof. by rewrite /with_lone_point; case: ifP => _; [apply: e2_neq0|apply: e1_neq0]. Qed.

Lemma with_scores : score with_lone_point <<e1>>%MS = c /\ score with_lone_point <<e2>>%MS = 1%N.
Proof.
rewrite !score_of_line ?e1_neq0 ?e2_neq0 //; try exact: with_nonzero.
split; last first.
  transitivity #|[set (ord_max : 'I_c.+1)]|; last exact: cards1.
  apply: eq_card => i; rewrite !inE /with_lone_point.
  by case: eqP => _; rewrite ?submx_refl ?e1_not_e2.
have -> : [set i | (with_lone_point i <= e1)%MS] = ~: [set ord_max].
  apply/setP => i; rewrite !inE /with_lone_point.
  by case: eqP => _; rewrite ?submx_refl ?e2_not_e1.
by rewrite cardsCs setCK cards1 card_ord subn1.
Qed.

Lemma with_values l : l \in printed_candidates 1 with_lone_point -> printed_value 1 with_lone_point z l = 0.
Proof.
have [u1 u2] := with_scores; have mem l' := perm_mem with_candidates l'.
move: l; apply: (@values_vanish _ _ _ _ _ _ _ None (line e1)); rewrite ?mem ?inE ?eqxx ?orbT //.
move=> l; rewrite mem !inE /= u1; move: near_tie; rewrite ler_distl => /andP[low up].
have c1 : 1 <= c%:R :> R by rewrite ler1n.
case/or3P => /eqP -> /=; rewrite ?u1 ?u2 -lerBlDr le_min !lerBlDr.
- by rewrite lerDl ler01 /= up.
- by rewrite lerDl ler01 -lerBlDr low.
- by rewrite mulr1n !lerDr; rewrite (le_trans ler01) ?(le_trans ler01 c1).
Qed.

(** singhal2021.section-2-filter-privacy: whenever the integer c >= 1 differs from NULL's score by at most 1, the lone line has the
    value 0 and is the output with probability 1/3 on X; on X' it is not listed, and has probability 0. *)
Theorem lone_line_one_third :
  printed_law 1 noise z with_lone_point (mem [:: lone_line]) = (3%:R^-1)%:E /\
  printed_law 1 noise z without_lone_point (mem [:: lone_line]) = 0%E.
Proof.
split.
  rewrite (printed_tie densities with_values) ?(perm_size with_candidates) //=; first by rewrite mul1r.
  by move=> l; rewrite inE (perm_mem with_candidates) !inE => ->; rewrite !orbT.
apply: printed_off_the_list => // l /without_candidates[] -> //=.
by rewrite inE lines_differ.
Qed.
End OneThird.

Lemma nearest_integer (R : realType) (z : R) : 1 <= z -> exists2 c, (0 < c)%N & `|z - c%:R| <= 1.
Proof.
move=> z1; have ex : exists c : nat, z - 1 < c%:R by exists (Num.bound (z - 1)); apply: archi_boundP; lra.
have [c zc least] := ex_minnP ex; have c0 : (0 < c)%N by rewrite -(ltr_nat R); lra.
exists c => //; have : c.-1%:R <= z - 1.
  by rewrite leNgt; apply/negP => /least; rewrite leqNgt prednK // leqnn.
by rewrite -[c in c%:R](prednK c0) -addn1 natrD in zc *; rewrite ler_norml => h; apply/andP; split; lra.
Qed.

(** singhal2021.lemma-2.3 as printed: NULL's score is ell + (4 / epsilon) ln(1 / delta) + 1, here at ell = 0; no epsilon and
    delta < 1/3 hold for all n. *)
Theorem lemma_2_3_fails (F : fieldType) (R : realType) (noise : R -> R -> R) (e t : R) : (forall v, density (noise v)) ->
  0 < e -> 0 < t -> t < 3%:R^-1 ->
  exists n, ~ (forall X X' : 'I_n -> 'rV[F]_2, neighbours X X' -> forall E,
    (printed_law 1 noise (4 / e * ln (1 / t) + 1) X E <= (expR e)%:E * printed_law 1 noise (4 / e * ln (1 / t) + 1) X' E + t%:E)%E).
Proof.
move=> dn e0 t0 t3; set z := _ + 1; have z1 : 1 <= z.
  rewrite lerDr mulr_ge0 ?divr_ge0 ?(ltW e0) // ln_ge0 // ler_pdivlMr //; lra.
have [c c0 near] := nearest_integer z1; exists c.+1 => /(_ _ _ (@are_neighbours F c) (mem [:: lone_line F])).
have [-> ->] := @lone_line_one_third F c R z noise dn c0 near z1.
by rewrite mule0 add0e lee_fin leNgt t3.
Qed.

(** Two points of the plane, NULL's score 1. *)
Example lone_line_holds (R : realType) (noise : R -> R -> R) : (forall v, density (noise v)) ->
  printed_law 1 noise 1 (with_lone_point (rat : fieldType) (c := 1)) (mem [:: lone_line (rat : fieldType)]) = (3%:R^-1)%:E.
Proof.
move=> dn; have [|h _] := @lone_line_one_third (rat : fieldType) 1 R 1 noise dn isT _ (lexx 1); last exact: h.
by rewrite subrr normr0.
Qed.
