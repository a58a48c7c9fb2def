(** singhal2021, Lemma 2.3 as printed is false.

    The printed Algorithm 1: the candidates are NULL and the spans of all sets of k points, whatever their dimension; NULL has a
    score z like the others; every candidate has the value max(0, u - u(s_2) - 1) and one noise of the same law. If all
    values are 0, every candidate wins with the same probability, so the output shows which spans exist.

    Noise has any law on a finite set; of equal noisy values one is chosen with equal probability. (For the continuous noise
    of the paper ties have probability 0, and the probabilities below are the same.) *)

From mathcomp Require Import all_ssreflect all_algebra all_fingroup.
From mathcomp.zify Require Import zify.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import discrete.
From DPPCA.singhal2021 Require Import scores.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** * The printed algorithm *)

Section ArgMax.
Variables (R : realFieldType) (L T : finType) (p : T -> R) (xi : T -> R).

(** The labels with the largest noisy value, and the probability that s is the output. *)
Definition largest (v : L -> R) (w : {ffun L -> T}) : {set L} := [set s | [forall t, v t + xi (w t) <= v s + xi (w s)]].
Definition wins (v : L -> R) (s : L) : R :=
  \sum_w product (fun _ => p) w * ((s \in largest v w)%:R / #|largest v w|%:R).

Lemma largest_nonempty v w : L -> (0 < #|largest v w|)%N.
Proof.
move=> l0; apply/card_gt0P; pose s := [arg max_(t > l0) (v t + xi (w t))%R]%O.
by exists s; rewrite inE; apply/forallP => t; rewrite /s; case: arg_maxP => // m _ top; apply: top.
Qed.

(** Independent noises of one law and equal values: every label wins with probability 1 / #labels. *)
Theorem equal_values_equal_chances v s : law p -> (forall t, v t = 0) -> wins v s = #|L|%:R^-1.
Proof.
move=> lp v0; have same t : wins v t = wins v s.
  rewrite /wins (reindex (fun w : {ffun L -> T} => [ffun l => w (tperm s t l)])) /=; last first.
    by exists (fun w : {ffun L -> T} => [ffun l => w (tperm s t l)]) => w _; apply/ffunP => l; rewrite !ffunE tpermK.
  apply: eq_bigr => w _; congr (_ * _).
    rewrite /product (reindex_inj (@perm_inj _ (tperm s t))) /=.
    by apply: eq_bigr => l _; rewrite ffunE tpermK.
  have e : largest v [ffun l => w (tperm s t l)] = tperm s t @: largest v w.
    apply/setP => l; rewrite -[l in RHS](tpermK s t) (mem_imset _ _ (@perm_inj _ _)) !inE.
    apply/forallP/forallP => [h u|h u].
      by have := h (tperm s t u); rewrite !ffunE !v0 tpermK.
    by have := h (tperm s t u); rewrite !ffunE !v0.
  rewrite e card_imset; last exact: perm_inj.
  by congr (_%:R / _); rewrite -{1}(tpermL s t) (mem_imset _ _ (@perm_inj _ _)).
have total : \sum_t wins v t = 1.
  transitivity (\sum_w product (fun _ : L => p) w); last by apply: law_sum; apply: law_product.
  rewrite exchange_big /=; apply: eq_bigr => w _.
  rewrite -mulr_sumr -[RHS]mulr1; congr (_ * _).
  have e : #|largest v w|%:R = \sum_t (t \in largest v w)%:R :> R.
    by rewrite -sum1_card natr_sum big_mkcond; apply: eq_bigr => t _; case: (t \in _).
  by rewrite -mulr_suml -e divff // pnatr_eq0 -lt0n (largest_nonempty _ _ s).
move: total; under eq_bigr do rewrite same.
have L0 : #|L|%:R != 0 :> R by rewrite pnatr_eq0 -lt0n; apply/card_gt0P; exists s.
by rewrite sumr_const => e; apply: (mulIf L0); rewrite mulr_natr e mulVf.
Qed.
End ArgMax.

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

(** The law of the output: the labels are those of the list. *)
Definition printed_law (T : finType) (p : T -> R) (xi : T -> R) z X (l : label) : R :=
  if insub l is Some s then wins p xi (fun t : seq_sub (printed_candidates X) => printed_value X z (val t)) s else 0.

Lemma printed_candidates_uniq X : uniq (printed_candidates X).
Proof.
rewrite /= map_inj_uniq ?undup_uniq ?andbT; last by move=> s t [].
by apply/mapP => -[].
Qed.

Lemma printed_off_the_list (T : finType) (p : T -> R) (xi : T -> R) z X l : l \notin printed_candidates X -> printed_law p xi z X l = 0.
Proof. by move=> nl; rewrite /printed_law insubN. Qed.

(** singhal2021.algorithm-1-null: where all values are 0, every candidate is the output with probability 1 / #candidates. *)
Theorem printed_tie (T : finType) (p : T -> R) (xi : T -> R) z X l : law p -> (forall t, t \in printed_candidates X -> printed_value X z t = 0) ->
  l \in printed_candidates X -> printed_law p xi z X l = (size (printed_candidates X))%:R^-1.
Proof.
move=> lp zero lY; rewrite /printed_law insubT /= equal_values_equal_chances ?card_seq_sub ?printed_candidates_uniq // => t.
exact/zero/valP.
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

(** * One point is enough: P = 1/3 against 0 *)

Section OneThird.
Variables (F : fieldType) (c : nat) (R : realFieldType) (z : R).
Hypotheses (c_gt0 : (0 < c)%N) (near_tie : `|z - c%:R| <= 1) (z_ge1 : 1 <= z).

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

(** singhal2021.lemma-2.3, singhal2021.section-2-filter-privacy: whenever the integer c >= 1 differs from NULL's score by at most
    1, the lone line is the output with probability 1/3 on X and 0 on X'; so no delta < 1/3 is enough at any epsilon. *)
Theorem lone_line_one_third (T : finType) (p : T -> R) (xi : T -> R) : law p ->
  printed_law 1 p xi z with_lone_point lone_line = 3%:R^-1 /\ printed_law 1 p xi z without_lone_point lone_line = 0.
Proof.
move=> lp; split.
  rewrite (printed_tie xi lp with_values) ?(perm_size with_candidates) //.
  by rewrite (perm_mem with_candidates) !inE eqxx !orbT.
apply: printed_off_the_list; apply/negP => /without_candidates[] // e.
by move: lines_differ; rewrite -e eqxx.
Qed.

Theorem lemma_2_3_fails (T : finType) (p : T -> R) (xi : T -> R) (a delta : R) : law p -> delta < 3%:R^-1 ->
  ~ (forall X X' : 'I_c.+1 -> 'rV[F]_2, neighbours X X' -> forall l,
       printed_law 1 p xi z X l <= a * printed_law 1 p xi z X' l + delta).
Proof.
move=> lp small /(_ _ _ are_neighbours lone_line).
by have [-> ->] := lone_line_one_third xi lp; rewrite mulr0 add0r leNgt small.
Qed.

End OneThird.

(** NULL's score at ell = 0 and ln(1/delta)/epsilon = 9/4 is 10, and nine equal points and one other tie with it. *)
Example lemma_2_3_fails_at : forall (T : finType) (p xi : T -> rat) (a : rat), law p ->
  ~ (forall X X' : 'I_10 -> 'rV[rat]_2, neighbours X X' -> forall l,
       printed_law 1 p xi (0 + 4%:R * (9%:R / 4%:R) + 1) X l <=
       a * printed_law 1 p xi (0 + 4%:R * (9%:R / 4%:R) + 1) X' l + 1 / 4%:R).
Proof.
move=> T p xi a lp; have -> : 0 + 4%:R * (9%:R / 4%:R) + 1 = 10%:R :> rat by field.
apply: (@lemma_2_3_fails rat 9 rat 10%:R); first [exact: lp | by vm_compute].
Qed.
