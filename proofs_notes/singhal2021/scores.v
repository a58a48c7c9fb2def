(** singhal2021, section 2: the score of a subspace, its sensitivity, Lemma 2.4.

    A dataset is X : 'I_n -> 'rV[F]_d, n points with coordinates in any field F (print: the reals). A subspace of
    F^d is the row space of a square matrix s : 'M[F]_d; (t <= s)%MS is inclusion, (t < s)%MS strict inclusion,
    (s :=: t)%MS equality of row spaces. [neighbours]: one point is replaced, n is public. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import zify.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import GRing.Theory.

(** * Definitions *)

Section Definitions.
Variables (F : fieldType) (n d : nat).
Implicit Types (X : 'I_n -> 'rV[F]_d) (s t : 'M[F]_d).

Definition neighbours X X' := exists i0, forall i, i != i0 -> X i = X' i.

(** |X ∩ s|: the points of X in s, as often as they occur. *)
Definition inside X s := #|[set i | (X i <= s)%MS]|.

(** m is the supremum of |X ∩ t| over the strict subspaces t of s, in the natural numbers: so it is 0 for s = {0}. *)
Definition is_supremum X s m :=
  (forall t, (t < s)%MS -> inside X t <= m) /\
  (forall b, (forall t, (t < s)%MS -> inside X t <= b) -> m <= b).

(** Print's definition: u is |X ∩ s| minus that supremum. *)
Definition is_score X s u := exists2 m, is_supremum X s m & inside X s = u + m.

(** The same in a form that can be computed: strict subspaces that are spans of points are enough ([score_is_score]). *)
Definition span X (I : {set 'I_n}) : 'M[F]_d := (\sum_(i in I) <<X i>>)%MS.
Definition supremum X s := \max_(I : {set 'I_n} | (span X I < s)%MS) inside X (span X I).
Definition score X s := inside X s - supremum X s.

(** Problem 2.1: all but ell points lie in s, of dimension k; fewer dimensions hold at most ell. *)
Definition problem X k ell s :=
  [/\ \rank s = k, n <= inside X s + ell & forall t : 'M[F]_d, \rank t < k -> inside X t <= ell].

(** Section 2.3: SCORE(i), the largest score of an i-dimensional span of i points, 0 where there is none. *)
Definition dimension_score X i :=
  \max_(I : {set 'I_n} | (#|I| == i) && (\rank (span X I) == i)) score X (span X I).

End Definitions.

Section Scores.
Variables (F : fieldType) (n d : nat).
Implicit Types (X : 'I_n -> 'rV[F]_d) (s t : 'M[F]_d) (I : {set 'I_n}).

Definition points_in X s := [set i | (X i <= s)%MS].

Lemma neighbours_sym X X' : neighbours X X' -> neighbours X' X.
Proof. by case=> i0 e; exists i0 => i /e. Qed.

Lemma inside_mono X s t : (t <= s)%MS -> inside X t <= inside X s.
Proof. by move=> ts; apply/subset_leq_card/subsetP => i; rewrite !inE => /submx_trans ->. Qed.

Lemma inside_eq X s t : (s :=: t)%MS -> inside X s = inside X t.
Proof. by move=> e; apply/eqP; rewrite eqn_leq !inside_mono // e. Qed.

Lemma inside_le X s : inside X s <= n.
Proof. by rewrite -[n in _ <= n]card_ord; apply: max_card. Qed.

Lemma sub_span X I i : i \in I -> (X i <= span X I)%MS.
Proof. by move=> iI; apply: submx_trans (sumsmx_sup i iI (submx_refl _)); rewrite genmxE. Qed.

Lemma span_sub X I t : (forall i, i \in I -> (X i <= t)%MS) -> (span X I <= t)%MS.
Proof. by move=> h; apply/sumsmx_subP => i /h; rewrite genmxE. Qed.

Lemma span_inside X t : inside X t <= inside X (span X (points_in X t)).
Proof. by apply/subset_leq_card/subsetP => i; rewrite !inE => it; apply: sub_span; rewrite inE. Qed.

Lemma span_points_in X t : (span X (points_in X t) <= t)%MS.
Proof. by apply: span_sub => i; rewrite inE. Qed.

Lemma supremumP X s : is_supremum X s (supremum X s).
Proof.
split=> [t ts|b bound]; last by apply/bigmax_leqP => I /bound.
apply: leq_trans (span_inside X t) _.
by apply: leq_bigmax_cond; apply: sub_ltmx_trans ts; apply: span_points_in.
Qed.

Lemma supremum_le X s : supremum X s <= inside X s.
Proof. by apply/bigmax_leqP => I /ltmxW /inside_mono. Qed.

(** singhal2021.score-computable: the score of print exists, is unique, and is the minimum over spans of points. *)
Theorem score_is_score X s : is_score X s (score X s).
Proof. by exists (supremum X s); [apply: supremumP|rewrite subnK // supremum_le]. Qed.

Theorem is_score_unique X s u : is_score X s u -> u = score X s.
Proof.
case=> m [up least] e; have [up' least'] := supremumP X s.
have em : m = supremum X s by apply/eqP; rewrite eqn_leq least // least'.
by rewrite /score e em addnK.
Qed.

(** The score is one of the subspace, not of the matrix that names it. *)
Lemma score_eq X s t : (s :=: t)%MS -> score X s = score X t.
Proof.
move=> e; rewrite /score /supremum (inside_eq X e); congr (_ - _).
by apply: eq_bigl => I; rewrite !ltmxE !e.
Qed.

Lemma supremum_attained X s : s != 0%R -> exists2 t, (t < s)%MS & inside X t = supremum X s.
Proof.
move=> s0; have lt0 : (span X set0 < s)%MS by rewrite /span big_set0 lt0mx.
pose P I := (span X I < s)%MS.
have [|I PI e] := @eq_bigmax_cond _ P (fun I => inside X (span X I)); first by apply/card_gt0P; exists set0.
by exists (span X I).
Qed.

(** Points of s outside t. *)
Definition outside X s t := #|[set i | (X i <= s)%MS && ~~ (X i <= t)%MS]|.

Lemma inside_outside X s t : (t <= s)%MS -> inside X s = inside X t + outside X s t.
Proof.
move=> ts; rewrite /inside /outside -(cardsID (points_in X t) [set i | (X i <= s)%MS]).
congr (_ + _); apply: eq_card => i; rewrite !inE ?[_ && ~~ _]andbC //.
by rewrite andbC; case: (boolP (X i <= t)%MS) => // it; rewrite (submx_trans it ts).
Qed.

Lemma score_le_outside X s t : (t < s)%MS -> score X s <= outside X s t.
Proof.
move=> ts; rewrite leq_subLR (inside_outside X (ltmxW ts)) leq_add2r.
by case: (supremumP X s) => + _; apply.
Qed.

Lemma score_attained X s : s != 0%R -> exists2 t, (t < s)%MS & score X s = outside X s t.
Proof.
move=> /(supremum_attained X)[t ts e]; exists t => //.
by rewrite /score -e (inside_outside X (ltmxW ts)) addKn.
Qed.

Lemma score_le_inside X s : score X s <= inside X s. Proof. exact: leq_subr. Qed.

(** singhal2021.score-empty-supremum: at s = {0} the supremum is 0 and the score counts the zero points. *)
Theorem score_zero X : score X 0%R = #|[set i | X i == 0%R]|.
Proof.
rewrite /score [supremum _ _]big1 ?subn0; last by move=> I; rewrite ltmx0.
by apply: eq_card => i; rewrite !inE submx0.
Qed.

(** * Sensitivity *)

Lemma card_change (P Q : pred 'I_n) i0 :
  (forall i, i != i0 -> P i = Q i) -> #|[set i | P i]| <= #|[set i | Q i]|.+1.
Proof.
move=> e; rewrite -add1n -(cards1 i0); apply: leq_trans (leq_card_setU _ _).
by apply/subset_leq_card/subsetP => i; rewrite !inE; case: (altP (i =P i0)) => //= /e ->.
Qed.

Lemma score_change X X' s : neighbours X X' -> score X s <= (score X' s).+1.
Proof.
case=> i0 e; case: (eqVneq s 0%R) => [->|s0].
  by rewrite !score_zero; apply: card_change => i /e ->.
case: (score_attained X' s0) => t ts ->; apply: leq_trans (score_le_outside X ts) _.
by apply: card_change => i /e ->.
Qed.

(** singhal2021.score-sensitivity: |u(X, s) - u(X', s)| <= 1, for all n, d and s. *)
Theorem score_sensitivity X X' s u u' :
  neighbours X X' -> is_score X s u -> is_score X' s u' -> u <= u'.+1 /\ u' <= u.+1.
Proof.
move=> nb /is_score_unique -> /is_score_unique ->.
by split; apply: score_change => //; apply: neighbours_sym.
Qed.

(** * Which subspaces have a positive score *)

(** singhal2021.section-1.4-score, singhal2021.section-2-filter: for s <> {0}, u(X, s) > 0 exactly if the points of X
    in s span s. *)
Theorem score_positive X s : s != 0%R -> (0 < score X s) = (s <= span X (points_in X s))%MS.
Proof.
move=> s0; apply/idP/idP => [pos|sub].
  apply/negPn/negP => nsub.
  have lt : (span X (points_in X s) < s)%MS by rewrite ltmxE span_points_in.
  have := leq_trans pos (score_le_outside X lt).
  rewrite lt0n => /eqP; apply; apply/eqP; rewrite cards_eq0 -subset0; apply/subsetP => i.
  by rewrite !inE => /andP[iIs]; rewrite sub_span // inE.
case: (score_attained X s0) => t ts ->; apply/card_gt0P.
case: (pickP (fun i => (X i <= s)%MS && ~~ (X i <= t)%MS)) => [i Pi|none]; first by exists i; rewrite inE.
move: ts; rewrite ltmxE => /andP[_ /negP[]].
apply: submx_trans sub _; apply: span_sub => i; rewrite inE => iIs.
by move: (none i); rewrite iIs /= => /negbFE.
Qed.

(** singhal2021.score-strict-inclusion: were t = s allowed in the supremum, as line 7 of Algorithm 1 prints, every
    score would be 0. *)
Theorem score_with_weak_inclusion X s m :
  (forall t, (t <= s)%MS -> inside X t <= m) -> inside X s - m = 0.
Proof. by move=> /(_ s (submx_refl s)); rewrite -subn_eq0 => /eqP. Qed.

(** * Spans of few points *)

Lemma span_setU1 X I i : (span X (i |: I) :=: span X I + X i)%MS.
Proof.
apply/eqmxP/andP; split.
  apply: span_sub => j; rewrite !inE => /orP[/eqP ->|jI]; first exact: addsmxSr.
  exact: submx_trans (sub_span X jI) (addsmxSl _ _).
rewrite addsmx_sub sub_span ?setU11 // andbT.
by apply: span_sub => j jI; rewrite sub_span // inE jI orbT.
Qed.

(** singhal2021.score-computable, as corrected: the span of points I is the span of as many of them as its dimension. *)
Theorem span_basis X I : exists2 J : {set 'I_n}, J \subset I & #|J| = \rank (span X I) /\ (span X J :=: span X I)%MS.
Proof.
have [m] := ubnP #|I|; elim: m I => // m IH I; rewrite ltnS => Im.
case: (set_0Vmem I) => [->|[i iI]].
  by exists set0; rewrite ?sub0set // cards0 /span big_set0 mxrank0.
have eI : (span X I :=: span X (I :\ i) + X i)%MS by rewrite -[in X in (X :=: _)%MS](setD1K iI); apply: span_setU1.
have [|J JI [cJ eJ]] := IH (I :\ i); first by move: Im; rewrite (cardsD1 i) iI.
case: (boolP (X i <= span X (I :\ i))%MS) => [dep|free].
  have e : (span X I :=: span X (I :\ i))%MS by apply: (eqmx_trans eI); apply/addsmx_idPl.
  by exists J; [apply: subset_trans JI (subD1set _ _)|rewrite cJ !e; split=> //; apply: (eqmx_trans eJ); apply: eqmx_sym].
have iJ : i \notin J by apply: contra free => iJ; apply: sub_span; apply: (subsetP JI).
exists (i |: J).
  by apply/subsetP => j; rewrite !inE => /orP[/eqP -> //|/(subsetP JI)]; rewrite !inE => /andP[].
have eU : (span X (i |: J) :=: span X I)%MS.
  by apply: (eqmx_trans (span_setU1 X J i)); apply: eqmx_trans (eqmx_sym eI); apply: adds_eqmx.
split=> //; rewrite cardsU1 iJ cJ eI addnC addn1.
apply/eqP; rewrite eqn_leq; apply/andP; split.
  have: (span X (I :\ i) < span X (I :\ i) + X i)%MS.
    by rewrite ltmxE addsmxSl /= addsmx_sub submx_refl /= free.
  by rewrite ltmxErank => /andP[].
apply: leq_trans (mxrank_adds_leqif _ _) _.
by rewrite -(addn1 (\rank _)) leq_add2l rank_leq_row.
Qed.

Lemma points_in_span X s : score X s > 0 -> (span X (points_in X s) :=: s)%MS.
Proof.
move=> pos; apply/eqmxP; rewrite span_points_in /=.
by case: (eqVneq s 0%R) => [->|s0]; [apply: sub0mx|rewrite -score_positive].
Qed.

(** A subspace of positive score is the span of as many points of X as its dimension: it is on the list of lines 3-5. *)
Theorem positive_score_listed X s : 0 < score X s ->
  exists2 J : {set 'I_n}, #|J| = \rank s & (span X J :=: s)%MS.
Proof.
move=> /points_in_span e; have [J _ [cJ eJ]] := span_basis X (points_in X s).
by exists J; [rewrite cJ e|apply: (eqmx_trans eJ)].
Qed.

Lemma rank_span X I : \rank (span X I) <= #|I|.
Proof.
rewrite -sum1_card /span; elim/big_rec2: _ => [|i r A _ IH]; first by rewrite mxrank0.
by apply: leq_trans (mxrank_adds_leqif _ _) _; rewrite leq_add // genmxE rank_leq_row.
Qed.

Lemma span_mono X I (J : {set _}) : I \subset J -> (span X I <= span X J)%MS.
Proof. by move=> /subsetP IJ; apply: span_sub => i /IJ; apply: sub_span. Qed.

Lemma superset_of_size (A C : {set 'I_n}) m : A \subset C -> #|A| <= m <= #|C| ->
  exists2 B : {set 'I_n}, A \subset B & B \subset C /\ #|B| = m.
Proof.
elim: m => [|m IH] AC /andP[Am mC].
  by exists A => //; split=> //; apply/eqP; rewrite -leqn0.
move: Am; rewrite leq_eqVlt => /orP[/eqP Am|Am]; first by exists A.
have [|B AB [BC cB]] := IH AC; first by rewrite -ltnS Am ltnW.
have /subsetPn[i iC iB] : ~~ (C \subset B) by apply: contraL mC => /subset_leq_card; rewrite cB -ltnNge ltnS.
exists (i |: B); first exact: subset_trans AB (subsetUr _ _).
by rewrite cardsU1 iB cB subUset sub1set iC.
Qed.

(** singhal2021.section-2.3-running-time, line 7: for the supremum the spans of dim(s) - 1 points of s are enough, where
    the points of X in s span s. *)
Theorem supremum_one_pass X s : s != 0%R -> (span X (points_in X s) :=: s)%MS ->
  supremum X s = \max_(I : {set 'I_n} | (I \subset points_in X s) && (#|I| == (\rank s).-1)) inside X (span X I).
Proof.
move=> s0 full; have r0 : 0 < \rank s by rewrite lt0n mxrank_eq0.
apply/eqP; rewrite eqn_leq; apply/andP; split; last first.
  apply/bigmax_leqP => I /andP[IS /eqP cI].
  case: (supremumP X s) => + _; apply; rewrite ltmxErank; apply/andP; split.
    by apply: span_sub => i /(subsetP IS); rewrite inE.
  by apply: leq_ltn_trans (rank_span X I) _; rewrite cI prednK.
apply/bigmax_leqP => I lt; set t := span X I in lt *.
have [J Jt [cJ eJ]] := span_basis X (points_in X t).
have [|| K JK [Ks cK]] := @superset_of_size J (points_in X s) (\rank s).-1.
- by apply: (subset_trans Jt); apply/subsetP => i; rewrite !inE => /submx_trans; apply; apply: ltmxW.
- apply/andP; split; last first.
    by apply: leq_trans (leq_pred _) _; rewrite (_ : \rank s = \rank (span X (points_in X s))) ?rank_span // full.
  rewrite cJ -ltnS prednK //; apply: leq_ltn_trans (_ : \rank t < _); last by move: lt; rewrite ltmxErank => /andP[].
  exact/mxrankS/span_points_in.
apply: leq_trans (span_inside X t) _; rewrite -(inside_eq X eJ).
apply: leq_trans (inside_mono X (span_mono X JK)) _.
by apply: leq_bigmax_cond; rewrite Ks cK eqxx.
Qed.

(** * Accuracy: Problem 2.1 and Lemma 2.4 *)

Section Lemma_2_4.
Variables (X : 'I_n -> 'rV[F]_d) (k ell : nat) (sstar : 'M[F]_d).
Hypothesis problem_2_1 : problem X k ell sstar.

(** singhal2021.lemma-2.4: u(X, s_* ) >= n - 2 ell. *)
Theorem score_of_answer : n - 2 * ell <= score X sstar.
Proof.
case: problem_2_1 => rk close few; case: (eqVneq sstar 0%R) => [s0|s0].
  by move: close; rewrite s0 /score [supremum _ _]big1; [lia|move=> I; rewrite ltmx0].
have [t ts e] := supremum_attained X s0.
have : inside X t <= ell by apply: few; move: ts; rewrite ltmxErank rk => /andP[].
by rewrite /score -e; lia.
Qed.

(** singhal2021.lemma-2.4-sharp: every other subspace, of whatever dimension, has a score of at most ell. *)
Theorem score_of_others s : ~ (s :=: sstar)%MS -> score X s <= ell.
Proof.
case: problem_2_1 => rk close few ne.
have key : (s :&: sstar < s)%MS -> score X s <= ell.
  move=> lt; apply: leq_trans (score_le_outside X lt) _.
  apply: leq_trans (_ : #|~: points_in X sstar| <= _).
    apply/subset_leq_card/subsetP => i; rewrite !inE => /andP[iIs].
    by rewrite sub_capmx iIs.
  by rewrite cardsCs setCK card_ord; move: close; rewrite /inside /points_in; lia.
case: (boolP (s <= sstar)%MS) => [sub|nsub]; last first.
  by apply: key; rewrite ltmxE capmxSl sub_capmx submx_refl.
apply: leq_trans (score_le_inside X s) _; apply: few; rewrite -rk ltn_neqAle mxrankS // andbT.
by apply: contra_notN ne => /eqP e; apply/eqmxP; rewrite sub -(geq_leqif (mxrank_leqif_sup sub)) e leqnn.
Qed.

End Lemma_2_4.

(** singhal2021.theorem-1.1-uniqueness: n > 3 ell determines the answer. *)
Theorem problem_unique X k ell s s' : 3 * ell < n -> problem X k ell s -> problem X k ell s' -> (s :=: s')%MS.
Proof.
move=> large ps ps'; apply/eqmxP/negPn/negP => ne.
have := score_of_answer ps; have := score_of_others ps' (s := s); move=> H.
have : score X s <= ell by apply: H => /eqmxP e; rewrite e in ne.
by lia.
Qed.

(** * Section 2.3: the score of a dimension *)

Lemma dimension_score_bound X s : score X s <= dimension_score X (\rank s).
Proof.
case: (posnP (score X s)) => [-> //|/positive_score_listed[J cJ eJ]].
rewrite -(score_eq X eJ); apply: leq_bigmax_cond.
by rewrite cJ eqxx eJ eqxx.
Qed.

(** SCORE(i) is the largest score of all subspaces of dimension i. *)
Theorem dimension_score_is_maximum X i :
  (forall s : 'M[F]_d, \rank s = i -> score X s <= dimension_score X i) /\
  (0 < dimension_score X i -> exists2 s : 'M[F]_d, \rank s = i & score X s = dimension_score X i).
Proof.
split=> [s <-|pos]; first exact: dimension_score_bound.
pose P (I : {set 'I_n}) := (#|I| == i) && (\rank (span X I) == i).
have [|I /andP[_ /eqP rI] e] := @eq_bigmax_cond _ P (fun I => score X (span X I)); last by exists (span X I).
rewrite lt0n; apply: contraL pos; rewrite -leqNgt => /eqP none.
by rewrite /dimension_score big_pred0 // => I; apply: (card0_eq none).
Qed.

(** singhal2021.section-2.3-score-sensitivity: SCORE(i) has sensitivity 1. *)
Theorem dimension_score_sensitivity X X' i : neighbours X X' -> dimension_score X i <= (dimension_score X' i).+1.
Proof.
move=> nb; apply/bigmax_leqP => I /andP[_ /eqP <-].
by apply: leq_trans (score_change _ nb) _; rewrite ltnS; apply: dimension_score_bound.
Qed.

(** The largest of them up to k_max, too. *)
Definition largest_score X k_max := \max_(i < k_max) dimension_score X i.+1.

Theorem largest_score_sensitivity X X' k_max : neighbours X X' -> largest_score X k_max <= (largest_score X' k_max).+1.
Proof.
move=> nb; apply/bigmax_leqP => i _; apply: leq_trans (dimension_score_sensitivity _ nb) _.
by rewrite ltnS; apply: (leq_bigmax_cond i).
Qed.

(** Under Problem 2.1 SCORE(k) leads by n - 3 ell: what the tests of section 2.3 use. *)
Theorem dimension_scores_of_problem X k ell s : problem X k ell s ->
  n - 2 * ell <= dimension_score X k /\ forall i, i != k -> dimension_score X i <= ell.
Proof.
move=> pr; split=> [|i ik].
  by apply: leq_trans (score_of_answer pr) _; case: pr => <- _ _; apply: dimension_score_bound.
apply/bigmax_leqP => I /andP[_ /eqP rI]; apply: (score_of_others pr) => e.
by case: pr => rk _ _; move: ik; rewrite -rI -rk e eqxx.
Qed.

End Scores.
