(** Bounds of singhal2021, section 2, that are reached in every dimension: by data sets on coordinate axes for the
    sensitivities, by points on a curve for Lemma 2.4. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import zify.
From DPPCA.singhal2021 Require Import scores.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** The span of the first m basis vectors. *)
Definition first_axes (F : fieldType) d m : 'M[F]_d := pid_mx m.

Lemma in_first_axes (F : fieldType) d m (x : 'rV[F]_d) :
  (x <= first_axes F d m)%MS <-> forall j : 'I_d, (m <= j)%N -> x 0 j = 0.
Proof.
split=> [/submxP[y ->] j mj|zero].
  by rewrite mxE big1 // => l _; rewrite mxE; case: eqP => [/val_inj ->|]; rewrite ?mulr0 // ltnNge mj mulr0.
apply/submxP; exists x; apply/rowP => j; rewrite mxE (bigD1 j) //= mxE eqxx big1 => [|l lj].
  by rewrite addr0 /=; case: (ltnP j m) => jm; rewrite ?mulr1 // zero ?mulr0.
by rewrite mxE (inj_eq val_inj) (negPf lj) mulr0.
Qed.

(** * Scores that change by 1 *)

Section Sensitivity.
Variables (F : fieldType) (n d k : nat).
Hypotheses (k_gt0 : (0 < k)%N) (k_le_d : (k <= d)%N) (k_le_n : (k <= n)%N).

(** The points e_1, ..., e_k and n - k zeros; then e_1 is replaced by a zero. *)
Definition axis_points (i : 'I_n) : 'rV[F]_d := \row_j ((j == i :> nat) && (i < k)%N)%:R.
Definition axis_points_but_one (i : 'I_n) : 'rV[F]_d := if i == 0%N :> nat then 0 else axis_points i.

Lemma axis_points_neighbours : neighbours axis_points axis_points_but_one.
Proof.
exists (Ordinal (leq_trans k_gt0 k_le_n)) => i ne; rewrite /axis_points_but_one; case: eqP => // e.
by case/eqP: ne; apply: val_inj.
Qed.

Lemma first_axes_rank : \rank (first_axes F d k) = k.
Proof. by rewrite /first_axes rank_pid_mx. Qed.

Lemma first_axes_neq0 : first_axes F d k != 0.
Proof. by rewrite -mxrank_eq0 first_axes_rank -lt0n. Qed.

(** The others span fewer dimensions. *)
Lemma but_one_rank I : (\rank (span axis_points_but_one I) < k)%N.
Proof.
pose J := [set i : 'I_n | (0 < i < k)%N].
have sub : (span axis_points_but_one I <= span axis_points_but_one J)%MS.
  apply: span_sub => i _; case: (boolP (i \in J)) => [|out]; first exact: sub_span.
  suff -> : axis_points_but_one i = 0 by apply: sub0mx.
  move: out; rewrite inE lt0n /axis_points_but_one; case: eqP => //= _ /negPf out.
  by apply/rowP => j; rewrite !mxE out andbF.
apply: leq_ltn_trans (mxrankS sub) _; apply: leq_ltn_trans (rank_span _ _) _.
have : (#|J| <= #|[set: 'I_k.-1]|)%N.
  have k1 (i : 'I_n) : i \in J -> (i.-1 < k.-1)%N by rewrite inE; lia.
  pose f (i : 'I_n) : option 'I_k.-1 := insub i.-1.
  rewrite -(card_in_imset (f := f) (D := J)) => [|i j iJ jJ].
    apply: leq_trans (_ : #|Some @: [set: 'I_k.-1]| <= _)%N; last by rewrite card_imset //; apply: Some_inj.
    apply/subset_leq_card/subsetP => _ /imsetP[i iJ ->]; rewrite /f; case: insubP => [u _ _|]; last by rewrite k1.
    by rewrite imset_f ?inE.
  rewrite /f; do 2 (rewrite insubT ?k1 // => ?); move=> [] e; apply: val_inj; move: iJ jJ; rewrite !inE /=; lia.
by rewrite cardsT card_ord => /leq_ltn_trans; apply; rewrite prednK.
Qed.

Lemma axis_points_span : (first_axes F d k <= span axis_points (points_in axis_points (first_axes F d k)))%MS.
Proof.
apply/row_subP => j; case: (ltnP j k) => jk; last first.
  suff -> : row j (first_axes F d k) = 0 by apply: sub0mx.
  by apply/rowP => l; rewrite !mxE; case: eqP => // _; rewrite ltnNge jk.
pose i : 'I_n := Ordinal (leq_trans jk k_le_n).
have -> : row j (first_axes F d k) = axis_points i.
  by apply/rowP => l; rewrite !mxE /= jk !andbT eq_sym.
apply: sub_span; rewrite inE; apply/in_first_axes => l kl; rewrite mxE.
by case: eqP => //= e; move: kl; rewrite e leqNgt jk.
Qed.

(** singhal2021.score-sensitivity, reached for every n, d and dimension k of the subspace: the score falls from 1 to 0. *)
Theorem score_change_reached : exists (X X' : 'I_n -> 'rV[F]_d) (s : 'M[F]_d),
  [/\ neighbours X X', \rank s = k & score X s = (score X' s).+1].
Proof.
exists axis_points, axis_points_but_one, (first_axes F d k); split; [exact: axis_points_neighbours|exact: first_axes_rank|].
have s0 := first_axes_neq0.
have zero : score axis_points_but_one (first_axes F d k) = 0%N.
  apply/eqP; rewrite -leqn0 leqNgt score_positive //; apply/negP => /mxrankS.
  by rewrite first_axes_rank leqNgt but_one_rank.
apply/eqP; rewrite eqn_leq (score_change _ axis_points_neighbours) zero /=.
by rewrite score_positive // axis_points_span.
Qed.

(** singhal2021.section-2.3-score-sensitivity, reached likewise: SCORE(k) falls from 1 to 0. *)
Theorem dimension_score_change_reached : exists X X' : 'I_n -> 'rV[F]_d,
  neighbours X X' /\ dimension_score X k = (dimension_score X' k).+1.
Proof.
exists axis_points, axis_points_but_one; split; first exact: axis_points_neighbours.
have zero : dimension_score axis_points_but_one k = 0%N.
  rewrite /dimension_score big_pred0 // => I; apply/negP => /andP[_ /eqP e].
  by have := but_one_rank I; rewrite e ltnn.
apply/eqP; rewrite eqn_leq (dimension_score_sensitivity _ axis_points_neighbours) zero /=.
apply: leq_trans (_ : score axis_points (first_axes F d k) <= _)%N; first by rewrite score_positive ?first_axes_neq0 ?axis_points_span.
by have := dimension_score_bound axis_points (first_axes F d k); rewrite first_axes_rank.
Qed.
End Sensitivity.

(** * Lemma 2.4 *)

Lemma first_axes_mono (F : fieldType) d m m' : (m <= m')%N -> (first_axes F d m <= first_axes F d m')%MS.
Proof.
move=> mm; apply/row_subP => j; apply/in_first_axes => l kl; rewrite !mxE.
by case: eqP => // ->; rewrite (_ : (l < m)%N = false) //; lia.
Qed.

Lemma card_range m a b : (b <= m)%N -> #|[set i : 'I_m | (a <= i < b)%N]| = (b - a)%N.
Proof.
move=> bm; rewrite -sum1dep_card big_mkcond /= (_ : (b - a = minn b m - a)%N); last by lia.
elim: {bm}m => [|m IH]; first by rewrite big_ord0; lia.
by rewrite big_ord_recr /= IH; case: ifP; lia.
Qed.

Section Curve.
Variables (F : numFieldType) (n d k ell : nat) (side : nat -> bool).
Hypotheses (k_gt0 : (0 < k)%N) (k_lt_d : (k < d)%N) (k_le_ell : (k <= ell.+1)%N) (ell_le_n : (2 * ell <= n)%N).

(** Polynomials of degree j with the roots z, ..., z + j - 1, where z = ell - (k - 1) is the number of zero points. *)
Let z := (ell - k.-1)%N.
Definition newton j : {poly F} := \prod_(x <- [seq l%:R | l <- iota z j]) ('X - x%:P).

Lemma newton_root j (i : nat) : (newton j).[i%:R] = 0 <-> (z <= i < z + j)%N.
Proof.
have -> : (z <= i < z + j)%N = root (newton j) i%:R.
  rewrite root_prod_XsubC -mem_iota; apply/idP/mapP => [ii|[l li /eqP]]; first by exists i.
  by rewrite eqr_nat => /eqP ->.
by rewrite rootE; split => /eqP.
Qed.

Lemma newton_size j : size (newton j) = j.+1.
Proof. by rewrite size_prod_XsubC size_map size_iota. Qed.

Lemma newton_combination m (c : nat -> F) : (size (\sum_(l < m) c l *: newton l)%R <= m)%N.
Proof.
apply: leq_trans (size_sum _ _ _) _; apply/bigmax_leqP => l _.
by apply: leq_trans (size_scale_leq _ _) _; rewrite newton_size.
Qed.

Lemma newton_free m (c : nat -> F) : \sum_(l < m) c l *: newton l = 0 -> forall l, (l < m)%N -> c l = 0.
Proof.
elim: m => // m IH; rewrite big_ord_recr /= => e.
have cm : c m = 0.
  have := congr1 (fun p : {poly F} => p`_m) e; rewrite /= coefD coefZ coef0 nth_default ?newton_combination // add0r.
  have -> : (newton m)`_m = 1 by rewrite -[X in _`_X]/(m.+1.-1) -newton_size -lead_coefE; apply/monicP/monic_prod_XsubC.
  by rewrite mulr1.
rewrite cm scale0r addr0 in e => l; rewrite ltnS leq_eqVlt => /orP[/eqP -> //|]; exact: IH.
Qed.

(** z zeros, then ell - z points in the first k - 1 coordinates, and n - ell others: on one side in the first k coordinates, on
    the other with the coordinate k + 1 in place of the k-th. *)
Definition curve (i : 'I_n) : 'rV[F]_d := \row_j
  if (i < z)%N then 0 else if (j < k.-1)%N then (newton j).[i%:R] else
  if (j == (if side i then k.-1 else k) :> nat)%N then (newton k.-1).[i%:R] else 0.

Lemma ell_z : (z + k.-1 = ell)%N. Proof. by rewrite /z; lia. Qed.

(** Both kinds of points lie on one curve once the two coordinates are added. *)
Let fold : 'M[F]_(d, k) := \matrix_(j, l) ((j == l :> nat) || ((j == k :> nat) && (l == k.-1 :> nat)))%:R.

Lemma fold_curve (i : 'I_n) (l : 'I_k) : (z <= i)%N -> (curve i *m fold) 0 l = (newton l).[i%:R].
Proof.
move=> zi; have lt := ltn_ord l; have iz : (i < z)%N = false by lia.
have [m mE] : exists m, m = if (l < k.-1)%N then l : nat else if side i then k.-1 else k by eexists.
have md : (m < d)%N by rewrite mE; case: ifP => _; [|case: ifP => _]; lia.
pose j := Ordinal md.
rewrite mxE (bigD1 j) //= big1 => [|j' ne]; last first.
  rewrite !mxE iz; case: ifP => jk; [case: eqP => e|].
  - by case/eqP: ne; apply: val_inj; rewrite /= mE -e jk.
  - by rewrite (_ : (j' == k :> nat) = false) ?mulr0 //; lia.
  - case: eqP => e; last by rewrite mul0r.
    rewrite (_ : _ || _ = false) ?mulr0 //; apply/negP => H; case/eqP: ne; apply: val_inj; rewrite /= mE e.
    by move: H e jk; do 2 (case: ifP => //); lia.
rewrite addr0 !mxE iz /= mE; case: (ltnP l k.-1) => lk; first by rewrite lk eqxx mulr1.
have -> : (l = k.-1 :> nat) by lia.
case: (side i); first by rewrite ltnn !eqxx mulr1.
by rewrite (_ : (k < k.-1)%N = false) ?eqxx ?orbT ?mulr1 //; lia.
Qed.

(** Points that a linear map puts on the curve of the first m polynomials: fewer than m of them lie in fewer than m dimensions. *)
Lemma newton_few m (X : 'I_n -> 'rV[F]_d) (map : 'M[F]_(d, m)) (A : pred nat) (t : 'M[F]_d) :
  (forall (i : 'I_n) (l : 'I_m), A i -> (X i *m map) 0 l = (newton l).[i%:R]) -> (\rank t < m)%N ->
  (#|[set i : 'I_n | A i && (X i <= t)%MS]| < m)%N.
Proof.
move=> on_curve small.
have [v /sub_kermxP v0 vn] : exists2 v : 'rV[F]_m, (v <= kermx (t *m map)^T)%MS & v != 0.
  apply/rowV0Pn; rewrite -mxrank_eq0 mxrank_ker mxrank_tr -lt0n subn_gt0.
  exact: leq_ltn_trans (mxrankM_maxl _ _) small.
pose c l := if insub l is Some l' then v 0 l' else 0.
have cE (l : 'I_m) : c l = v 0 l by rewrite /c valK.
pose f := \sum_(l < m) c l *: newton l.
have f0 : f != 0.
  by apply: contraNneq vn => /newton_free c0; apply/eqP/rowP => l; rewrite mxE -cE c0.
have root_f (i : 'I_n) : A i -> (X i <= t)%MS -> root f i%:R.
  move=> zi /submxP[y e]; rewrite rootE horner_sum; apply/eqP.
  transitivity (((X i *m map) *m v^T) 0 0).
    by rewrite [RHS]mxE; apply: eq_bigr => l _; rewrite hornerZ on_curve // mxE cE mulrC.
  by rewrite e -!mulmxA (_ : t *m (map *m v^T) = 0) ?mulmx0 ?mxE // mulmxA -[t *m map]trmxK -trmx_mul v0 trmx0.
rewrite cardE -(size_map (fun i : 'I_n => (i : nat)%:R : F)).
apply: leq_trans (newton_combination m c); apply: max_poly_roots => //.
  by apply/allP => _ /mapP[i + ->]; rewrite mem_enum inE => /andP[]; apply: root_f.
rewrite map_inj_uniq ?enum_uniq // => i j /eqP; rewrite eqr_nat => /eqP; exact: val_inj.
Qed.

(** So fewer than k dimensions hold at most ell of them. *)
Lemma curve_few (t : 'M[F]_d) : (\rank t < k)%N -> (inside curve t <= ell)%N.
Proof.
move=> small; pose A := [set i : 'I_n | (z <= i)%N && (curve i <= t)%MS].
have cA : (#|A| < k)%N by apply: (@newton_few k curve fold (fun i => z <= i)%N) => // i l; exact: fold_curve.
have zn : (z <= n)%N by move: ell_z; lia.
have -> : ell = (z + k.-1)%N by rewrite ell_z.
apply: leq_trans (_ : #|[set i : 'I_n | (0 <= i < z)%N] :|: A| <= _)%N.
  by apply/subset_leq_card/subsetP => i; rewrite !inE; case: (ltnP i z) => //= _ ->.
apply: leq_trans (leq_card_setU _ _) _; rewrite card_range // subn0 leq_add2l; lia.
Qed.

(** The first side lies in the first k coordinates, the other in [other_axes]; the first ell points lie in both. *)
Lemma curve_in (i : 'I_n) : side i -> (curve i <= first_axes F d k)%MS.
Proof.
move=> near; apply/in_first_axes => j kj; rewrite mxE near; case: ifP => // _.
by case: ifP => [|_]; [lia | case: eqP => //; lia].
Qed.

Lemma curve_first (i : 'I_n) : (i < ell)%N -> (curve i <= first_axes F d k.-1)%MS.
Proof.
move=> small; apply/in_first_axes => j kj; rewrite mxE; case: ifP => // zi; case: ifP => [|_]; first by lia.
by case: ifP => // _; apply/newton_root; rewrite ell_z small leqNgt zi.
Qed.

Definition axis_after : 'rV[F]_d := delta_mx 0 (Ordinal k_lt_d).
Definition other_axes : 'M[F]_d := (first_axes F d k.-1 + axis_after)%MS.

Lemma axis_after_out m : (m <= k)%N -> ~~ (axis_after <= first_axes F d m)%MS.
Proof. by move=> mk; apply/negP => /in_first_axes/(_ (Ordinal k_lt_d) mk)/eqP; rewrite mxE !eqxx oner_eq0. Qed.

Lemma other_rank : \rank other_axes = k.
Proof.
apply/eqP; rewrite eqn_leq; apply/andP; split.
  apply: leq_trans (mxrank_adds_leqif _ _) _; rewrite first_axes_rank; last by lia.
  by rewrite mxrank_delta; lia.
have : (first_axes F d k.-1 < other_axes)%MS.
  rewrite ltmxE addsmxSl; apply/negP => /(submx_trans (addsmxSr _ _)).
  by apply/negP/axis_after_out; lia.
by rewrite ltmxErank first_axes_rank; [case/andP; lia | lia].
Qed.

Lemma curve_out (i : 'I_n) : ~~ side i -> (curve i <= other_axes)%MS.
Proof.
move=> /negPf far; have kk : (k < k.-1)%N = false by lia.
have -> : curve i = (\row_j (if (j < k.-1)%N then curve i 0 j else 0)) + (curve i 0 (Ordinal k_lt_d)) *: axis_after.
  apply/rowP => j; rewrite !mxE /= kk far !eqxx /= -(inj_eq val_inj) /=.
  case: (ltnP i z) => iz; first by rewrite mul0r addr0; case: ifP.
  case: ifP => jk; first by rewrite (_ : (j == k :> nat) = false) ?mulr0 ?addr0 //; lia.
  by case: eqP; rewrite ?mulr1 ?mulr0 add0r.
apply: addmx_sub_adds; last exact: scalemx_sub.
by apply/in_first_axes => j kj; rewrite mxE ltnNge kj.
Qed.

Let inside_most (s : 'M[F]_d) (P : pred nat) : (forall i : 'I_n, ~~ P i -> (curve i <= s)%MS) ->
  (#|[set i : 'I_n | P i]| <= ell)%N -> (n <= inside curve s + ell)%N.
Proof.
move=> sub few; change (n <= #|points_in curve s| + ell)%N.
rewrite -[X in (X <= _)%N](card_ord n) -(cardsC (points_in curve s)) leq_add2l; apply: leq_trans few; apply/subset_leq_card/subsetP => i; rewrite !inE.
exact/contraR/sub.
Qed.

(** The first side is an answer if all but ell points are there or among the first ell; likewise the other. *)
Lemma curve_problem_first : (#|[set i : 'I_n | ~~ side i && (ell <= i)%N]| <= ell)%N -> problem curve k ell (first_axes F d k).
Proof.
move=> few; split; [by rewrite first_axes_rank // ltnW | | exact: curve_few].
apply: (@inside_most _ (fun i => ~~ side i && (ell <= i)%N)) few => i; rewrite negb_and negbK -ltnNge => /orP[|near]; first exact: curve_in.
by apply: submx_trans (curve_first near) _; apply: first_axes_mono; lia.
Qed.

Lemma curve_problem_other : (#|[set i : 'I_n | side i && (ell <= i)%N]| <= ell)%N -> problem curve k ell other_axes.
Proof.
move=> few; split; [exact: other_rank | | exact: curve_few].
apply: (@inside_most _ (fun i => side i && (ell <= i)%N)) few => i; rewrite negb_and -ltnNge => /orP[|near]; first exact: curve_out.
exact: submx_trans (curve_first near) (addsmxSl _ _).
Qed.

Lemma axes_differ : ~ (other_axes :=: first_axes F d k)%MS.
Proof. by move=> e; have := axis_after_out (leqnn k); rewrite -e addsmxSr. Qed.
End Curve.

Section Sharp.
Variables (F : numFieldType) (n d k ell : nat).
Hypotheses (k_gt0 : (0 < k)%N) (k_lt_d : (k < d)%N) (k_le_ell : (k <= ell.+1)%N) (ell_le_n : (2 * ell <= n)%N).
Let z := (ell - k.-1)%N.
Let sstar := first_axes F d k.
Let curve := @curve F n d k ell (fun i => (i < n - ell)%N).
Let other := other_axes F k_lt_d.

Let few (t : 'M[F]_d) : (\rank t < k)%N -> (inside curve t <= ell)%N.
Proof. exact: curve_few. Qed.

Let curve_problem : problem curve k ell sstar.
Proof.
apply: curve_problem_first => //; apply: leq_trans (_ : #|[set i : 'I_n | (n - ell <= i < n)%N]| <= _)%N; last by rewrite card_range; lia.
by apply/subset_leq_card/subsetP => i; rewrite !inE -leqNgt ltn_ord => /andP[->].
Qed.

Lemma curve_answer : score curve sstar = (n - 2 * ell)%N.
Proof.
apply/eqP; rewrite eqn_leq (score_of_answer curve_problem) andbT.
have lt : (first_axes F d k.-1 < sstar)%MS.
  by rewrite ltmxErank /sstar !first_axes_rank; try lia; rewrite first_axes_mono; lia.
apply: leq_trans (score_le_outside curve lt) _.
rewrite (_ : n - 2 * ell = n - ell - ell)%N; last by lia.
rewrite -(@card_range n ell (n - ell)); last by lia.
apply/subset_leq_card/subsetP => i; rewrite !inE => /andP[/in_first_axes in_ out]; apply/andP; split.
  by rewrite leqNgt; apply: contra out; apply: curve_first.
rewrite ltnNge; apply/negP => far; have := in_ (Ordinal k_lt_d) (leqnn k); have ez : (z + k.-1 = ell)%N by rewrite /z; lia.
have iz : (i < z)%N = false by lia.
have kk : (k < k.-1)%N = false by lia.
by rewrite mxE /= iz kk (ltnNge i) far eqxx => /newton_root; lia.
Qed.

Lemma curve_other : score curve other = ell.
Proof.
apply/eqP; rewrite eqn_leq; apply/andP; split.
  by apply: (score_of_others curve_problem); exact: axes_differ.
have sup : (supremum curve other <= ell)%N.
  by apply: (proj2 (supremumP curve other)) => t; rewrite ltmxErank (@other_rank F n d k ell) // => /andP[_ /few].
rewrite /score; suff : (2 * ell <= inside curve other)%N by move: sup; lia.
rewrite (_ : 2 * ell = n - (n - ell - ell))%N; last by lia.
rewrite -(@card_range n ell (n - ell)); last by lia.
rewrite -[X in (X - _)%N]card_ord leq_subLR -cardsT -(cardsID (points_in curve other) setT) setTI addnC leq_add2r.
apply/subset_leq_card/subsetP => i; rewrite !inE => /andP[out _]; rewrite !ltnNge; apply/andP.
split; [rewrite leqNgt | ]; apply: contra out => ii.
  by apply: submx_trans (addsmxSl _ _); exact: curve_first.
by apply: curve_out; rewrite // -leqNgt.
Qed.

(** singhal2021.lemma-2.4-sharp: both bounds are reached, for all 0 < k < d, ell >= k - 1 and n >= 2 ell, by one data set. *)
Theorem lemma_2_4_sharp : exists (X : 'I_n -> 'rV[F]_d) (s s' : 'M[F]_d),
  [/\ problem X k ell s, ~ (s' :=: s)%MS, score X s = (n - 2 * ell)%N & score X s' = ell].
Proof.
exists curve, sstar, other; split; [exact: curve_problem| |exact: curve_answer|exact: curve_other].
exact: axes_differ.
Qed.
End Sharp.

(** * The definitions compute, and the hypotheses can be met *)

Example first_axes_computes : first_axes (rat : fieldType) 2 1 = delta_mx 0 0.
Proof. by apply/matrixP => i j; rewrite !mxE; case: i => -[|[|//]] ?; case: j => -[|[|//]] ?. Qed.

Example axis_points_compute (i : 'I_3) : [/\
  axis_points (rat : fieldType) 2 2 i = \row_(j < 2) nth 0 (nth [::] [:: [:: 1; 0]; [:: 0; 1]; [:: 0; 0]] i) j &
  axis_points_but_one (rat : fieldType) 2 2 i = \row_(j < 2) nth 0 (nth [::] [:: [:: 0; 0]; [:: 0; 1]; [:: 0; 0]] i) j].
Proof.
by split; apply/rowP => -[[|[|//]] ?]; case: i => -[|[|[|//]]] ?; rewrite /axis_points_but_one /= !mxE.
Qed.

Example newton_computes : (newton (rat : numFieldType) 2 3 1).[5%:R] = 3%:R.
Proof. by rewrite /newton /= big_seq1 !hornerE. Qed.

(** k = 2, d = 3, ell = 2, n = 5: a zero, two points of the plane's first coordinate, two others. *)
Example curve_computes (i : 'I_5) : curve (rat : numFieldType) 3 2 2 (fun i => i < 3)%N i =
  \row_(j < 3) nth 0 (nth [::] [:: [:: 0; 0; 0]; [:: 1; 0; 0]; [:: 1; 1; 0]; [:: 1; 0; 2%:R]; [:: 1; 0; 3%:R]] i) j.
Proof.
apply/rowP => j; rewrite !mxE; case: i => -[|[|[|[|[|//]]]]] ?; case: j => -[|[|[|//]]] ? //=;
  by rewrite /newton /= ?big_nil ?big_seq1 !hornerE.
Qed.

Example lemma_2_4_sharp_holds : exists (X : 'I_5 -> 'rV[rat]_3) s s',
  [/\ problem X 2 2 s, ~ (s' :=: s)%MS, score X s = 1%N & score X s' = 2%N].
Proof. exact: (@lemma_2_4_sharp _ 5 3 2 2). Qed.

Example other_axes_compute : \rank (other_axes (rat : numFieldType) (isT : (1 < 2)%N)) = 1%N /\
  axis_after (rat : numFieldType) (isT : (1 < 2)%N) = delta_mx 0 (Ordinal (isT : (1 < 2)%N)).
Proof. by split=> //; exact: (@other_rank _ 0 2 1 0). Qed.
