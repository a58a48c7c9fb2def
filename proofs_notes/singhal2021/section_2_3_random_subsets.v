(** singhal2021, section 2.3: random subsets of the points (reference/singhal2021/section_2_3_random_subsets.py): the probability
    that a subset spans a subspace, and what hidden draws that may fail cost. The algorithm over them is noisy_subsets.v.

    m hidden lists of k row numbers are drawn uniformly, with replacement. Candidates are the spans of the independent ones. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import zify.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import discrete failures.
From DPPCA.singhal2021 Require Import scores values algorithm_1_exact.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** * How often random points span a subspace *)

Section Inclusion.
Variables (F : fieldType) (n d : nat) (X : 'I_n -> 'rV[F]_d).
Implicit Types (s : 'M[F]_d) (t : seq 'I_n).

(** The span of the points that a list of row numbers names; whether they are independent, and span s. *)
Definition drawn_span t : 'M[F]_d := span X [set i in t].
Definition independent t := \rank (drawn_span t) == size t.
Definition spans s t := independent t && (<<drawn_span t>>%MS == s).

Lemma drawn_span_cons i t : (drawn_span (i :: t) :=: drawn_span t + X i)%MS.
Proof. by rewrite /drawn_span set_cons; apply: span_setU1. Qed.

Let inside_independent s t := independent t && (drawn_span t <= s)%MS.

(** The next point leaves the span of the previous ones, inside s, in at least u(X, s) of n cases. *)
Lemma next_point s t : inside_independent s t -> (size t < \rank s)%N ->
  (score X s <= #|[set i | inside_independent s (i :: t)]|)%N.
Proof.
move=> /andP[/eqP ind sub] short.
have lt : (drawn_span t < s)%MS by rewrite ltmxErank sub ind.
apply: leq_trans (score_le_outside X lt) _; apply/subset_leq_card/subsetP => i; rewrite !inE => /andP[iIs out].
apply/andP; split; last by rewrite drawn_span_cons addsmx_sub sub.
rewrite /independent drawn_span_cons eqn_leq; apply/andP; split.
  apply: leq_trans (mxrank_adds_leqif _ _) _.
  by rewrite ind /= -(addn1 (size t)) leq_add2l rank_leq_row.
have : (drawn_span t < drawn_span t + X i)%MS by rewrite ltmxE addsmxSl /= addsmx_sub submx_refl out.
by rewrite ltmxErank ind => /andP[].
Qed.

Variable R : realFieldType.

Let sum_cases (T : finType) (P : pred T) : \sum_x (P x)%:R = #|[set x | P x]|%:R :> R.
Proof. by rewrite -natr_sum -sum1dep_card [in RHS]big_mkcond; congr _%:R; apply: eq_bigr => x _; case: (P x). Qed.

Lemma independent_lists s j : (j <= \rank s)%N ->
  (score X s)%:R ^+ j <= \sum_(t : j.-tuple 'I_n) (inside_independent s t)%:R :> R.
Proof.
elim: j => [|j IH] js.
  rewrite (big_pred1 [tuple]) => [|t]; last by rewrite [t]tuple0 /= eqxx.
  rewrite /inside_independent /independent /drawn_span (_ : [set i in _] = set0); last by apply/setP => i; rewrite !inE.
  by rewrite /span big_set0 mxrank0 eqxx sub0mx.
rewrite sum_tuple_cons exchange_big exprSr /=; apply: le_trans (ler_wpM2r (ler0n _ _) (IH (ltnW js))) _.
rewrite mulr_suml; apply: ler_sum => t _; case: (boolP (inside_independent s t)) => [good|_]; last first.
  by rewrite mul0r; apply: sumr_ge0 => i _; apply: ler0n.
rewrite mul1r (sum_cases (fun i => inside_independent s (i :: t))) ler_nat.
by apply: next_point => //; rewrite size_tuple.
Qed.

(** k row numbers, uniform and independent. *)
Definition one_subset k (_ : k.-tuple 'I_n) : R := n%:R ^- k.

Lemma law_one_subset k : (0 < n)%N -> law (@one_subset k).
Proof.
move=> n0; split=> [t|]; first by rewrite invr_ge0 exprn_ge0 // ler0n.
rewrite /one_subset sumr_const card_tuple card_ord -[_ *+ _]mulr_natr natrX mulVf //.
by rewrite expf_neq0 // pnatr_eq0 -lt0n.
Qed.

(** singhal2021.section-2.3-random-subsets-inclusion: k row numbers span s, of dimension k, with probability at least
    (u(X, s) / n)^k. *)
Theorem subset_spans k s : << s >>%MS = s -> \rank s = k ->
  ((score X s)%:R / n%:R) ^+ k <= pr (@one_subset k) [set t | spans s (t : k.-tuple 'I_n)].
Proof.
move=> norm rk; have := @independent_lists s k; rewrite rk => /(_ (leqnn k)) count.
rewrite expr_div_n /pr /one_subset sumr_const -[X in _ <= X]mulr_natl; apply: ler_wpM2r.
  by rewrite invr_ge0 exprn_ge0 // ler0n.
apply: le_trans count _; rewrite (sum_cases (fun t : k.-tuple 'I_n => inside_independent s t)) ler_nat; apply/subset_leq_card/subsetP => t.
rewrite !inE /spans => /andP[ind sub]; rewrite ind /= -norm; apply/eqP/genmxP.
by rewrite sub -(geq_leqif (mxrank_leqif_sup sub)) (eqP ind) size_tuple rk leqnn.
Qed.

End Inclusion.

(** * The two largest scores decide the values *)

(** At most two labels of a complete list matter: a list that holds these two has the same values. *)
Lemma two_leaders (L : eqType) (labels : pred L) floor (u : L -> nat) c : complete labels floor u c ->
  exists l : seq L, [/\ (size l <= 2)%N, forall s, s \in l -> labels s /\ (floor < u s)%N &
    forall c', uniq c' -> (forall s, s \in c' -> labels s) -> (forall s, s \in l -> s \in c') ->
      forall s, value floor u c' s = value floor u c s].
Proof.
move=> C; have [uc sub all] := C; pose h := [seq s <- c | (floor < u s)%N].
have inh t : labels t -> (floor < u t)%N -> t \in h by move=> lt hi; rewrite mem_filter hi all.
have hin t : t \in h -> labels t /\ (floor < u t)%N by rewrite mem_filter => /andP[-> /sub].
have [l [size_l lh top]] : exists l : seq L, [/\ (size l <= 2)%N, forall s, s \in l -> s \in h & forall t, t \in h -> t \notin l ->
    forall s, exists a, [/\ a \in l, a != s & (u t <= u a)%N]].
  case: (boolP (has xpredT h)) => [/hasP[s0 sh _]|]; last first.
    by rewrite has_predT -leqNgt leqn0 size_eq0 => /eqP ->; exists [::].
  have [a ah topa] := exists_largest u sh.
  case: (boolP (has (predC1 a) h)) => [/hasP[s1 s1h /= s1a]|/hasPn lone]; last first.
    by exists [:: a]; split=> // [s|t /lone /=]; rewrite ?negbK inE => /eqP -> //; rewrite eqxx.
  have [|b bh topb] := @exists_largest _ u [seq t <- h | t != a] s1; first by rewrite mem_filter s1a.
  move: bh; rewrite mem_filter => /andP[ba bh].
  exists [:: a; b]; split=> // [s|t th]; first by rewrite !inE => /orP[] /eqP ->.
  rewrite !inE negb_or => /andP[ta tb] s; case: (eqVneq a s) => [as_|as_]; last by exists a; rewrite mem_head topa.
  by exists b; rewrite !inE eqxx orbT -as_ ba topb // mem_filter ta.
exists l; split=> // [s /lh /hin //|c' uc' sub' lc' s].
have C' := fixed_list_complete floor u uc'.
case: (boolP (labels s)) => ls; last first.
  by rewrite (value_off_labels C ls) /value; case: ifP => // /sub'; rewrite (negbTE ls).
have leader m : (m < value floor u c s)%N -> s \in c'.
  move=> /(value_above _ C ls)[high before]; apply: lc'; apply/negPn/negP => sl.
  have [|a [al as_ ua]] := top s _ sl s; first by apply: inh => //; lia.
  by have [la _] := hin a (lh a al); have := before a la as_; lia.
case: (boolP (s \in c')) => sc; last first.
  rewrite {1}/value (negbTE sc); apply/esym/eqP; rewrite -leqn0 leqNgt; apply/negP => /leader.
  by rewrite (negbTE sc).
apply/eqP; rewrite eqn_leq; apply/andP; split; rewrite leqNgt; apply/negP.
  move=> /(value_above _ C' sc)[high before]; suff : (value floor u c s < value floor u c s)%N by rewrite ltnn.
  apply/(value_above _ C ls); split=> // t lt ts; case: (leqP (u t) floor) => ut; first by lia.
  case: (boolP (t \in l)) => tl; first exact: before (lc' t tl) ts.
  have [|a [al as_ ua]] := top t _ tl s; first exact: inh.
  by have := before a (lc' a al) as_; lia.
move=> /(value_above _ C ls)[high before]; suff : (value floor u c' s < value floor u c' s)%N by rewrite ltnn.
by apply/(value_above _ C' sc); split=> // t tc; apply: before; apply: sub'.
Qed.

(** * Draws that fail *)

Lemma pr_union (R : realFieldType) (V : finType) (q : V -> R) (A B : {set V}) : law q -> pr q (A :|: B) <= pr q A + pr q B.
Proof.
case=> q0 _; rewrite !pr_mean /mean -big_split /=; apply: ler_sum => v _.
by rewrite inE -mulrDr ler_wpM2l // -natrD ler_nat; case: (v \in A) (v \in B) => [] [].
Qed.

(** Hidden draws v are good for the data outside a set B of probability at most beta, and then an event has the probability u of
    the ideal run; on the neighbour likewise. The failure is counted once. *)
Lemma hidden_draws (R : realFieldType) (V : finType) (q : V -> R) (a d beta u u' : R) (P P' : V -> R) (B B' : {set V}) :
  law q -> 0 <= a -> 0 <= d <= 1 -> 0 <= u <= 1 -> 0 <= u' <= 1 -> (forall v, 0 <= P v <= 1) -> (forall v, 0 <= P' v <= 1) ->
  u <= a * u' + d -> pr q B <= beta -> pr q B' <= beta -> (forall v, v \notin B -> P v = u) -> (forall v, v \notin B' -> P' v = u') ->
  \sum_v q v * P v <= a * (\sum_v q v * P' v) + with_failure d beta.
Proof.
move=> lq a0 d01 /andP[u0 u1] /andP[u'0 u'1] P01 P'01 le small small' good good'.
have [q0 _] := lq; have rest (C : {set V}) : \sum_(v | v \notin C) q v = 1 - pr q C.
  by rewrite -pr_setC // /pr; apply: eq_bigl => v; rewrite inE.
apply: le_trans (_ : (1 - pr q B) * u + pr q B <= _).
  rewrite (bigID (mem B)) /= addrC -rest mulr_suml; apply: lerD; first by apply: ler_sum => v vB; rewrite good.
  by apply: ler_sum => v vB; rewrite -[X in _ <= X]mulr1 ler_wpM2l //; case/andP: (P01 v).
apply: le_trans (_ : (1 - pr q B') * (a * u') + with_failure d beta <= _).
  by apply: hidden_failure_bound; rewrite ?pr_ge0 ?pr_le1 ?mulr_ge0.
rewrite lerD2r mulrCA ler_wpM2l // -rest mulr_suml [leRHS](bigID (mem B')) /= ler_wpDl //.
  by apply: sumr_ge0 => v _; rewrite mulr_ge0 //; case/andP: (P'01 v).
by apply: ler_sum => v vB; rewrite good'.
Qed.

(** * The algorithm *)

Section Algorithm.
Variables (F : fieldType) (n d k m : nat) (R : realFieldType).
Local Notation dataset := ('I_n -> 'rV[F]_d).
Local Notation subspace := 'M[F]_d.
Local Notation subsets := {ffun 'I_m -> k.-tuple 'I_n}.
Implicit Types (X : dataset) (S : subsets) (s : subspace).

(** m subsets, uniform and independent. *)
Definition subsets_law : subsets -> R := product (fun _ => @one_subset n R k).

(** Lines 3 and 4: the spans of the independent ones, without repetitions. *)
Definition sampled_candidates X S : seq subspace :=
  undup [seq <<drawn_span X (S j)>>%MS | j <- enum 'I_m & independent X (S j)].

(** A bound on the probability that none of the subsets spans a subspace of score u. *)
Definition miss (u : nat) : R := (1 - (u%:R / n%:R) ^+ k) ^+ m.

Lemma law_subsets : (0 < n)%N -> law subsets_law.
Proof. by move=> n0; apply: law_product => _; apply: law_one_subset. Qed.

Lemma sampled_candidatesP X S s : reflect (exists j, spans X s (S j)) (s \in sampled_candidates X S).
Proof.
rewrite mem_undup; apply: (iffP mapP) => [[j + ->]|[j /andP[ind /eqP <-]]].
  by rewrite mem_filter => /andP[ind _]; exists j; rewrite /spans ind eqxx.
by exists j; rewrite // mem_filter ind mem_enum.
Qed.

Lemma sampled_candidates_labels X S s : s \in sampled_candidates X S -> labels (pred1 k) s.
Proof.
by case/sampled_candidatesP => j /andP[/eqP ind /eqP <-]; rewrite /labels /= genmx_id eqxx genmxE ind size_tuple eqxx.
Qed.

Lemma miss_le u u' : (u <= u')%N -> (u' <= n)%N -> (0 < n)%N -> miss u' <= miss u.
Proof.
move=> uu un n0; have n0' : 0 < n%:R :> R by rewrite ltr0n.
have h : u%:R / n%:R <= u'%:R / n%:R :> R by rewrite ler_pM2r ?invr_gt0 // ler_nat.
have h1 : u'%:R / n%:R <= 1 :> R by rewrite ler_pdivrMr // mul1r ler_nat.
have h0 v : 0 <= v%:R / n%:R :> R by rewrite divr_ge0 ?ler0n.
apply: lerXn2r; rewrite ?nnegrE ?subr_ge0 ?exprn_ile1 //; first exact: le_trans h h1.
by rewrite lerD2l lerN2; apply: lerXn2r; rewrite ?nnegrE.
Qed.

Lemma miss_ge0 u : (u <= n)%N -> (0 < n)%N -> 0 <= miss u.
Proof.
move=> un n0; rewrite exprn_ge0 // subr_ge0 exprn_ile1 ?divr_ge0 ?ler0n //.
by rewrite ler_pdivrMr ?ltr0n // mul1r ler_nat.
Qed.

(** singhal2021.section-2.3-random-subsets-inclusion: m subsets miss a subspace with probability at most (1 - (u / n)^k)^m. *)
Theorem subsets_miss X s : (0 < n)%N -> labels (pred1 k) s ->
  pr subsets_law [set S | s \notin sampled_candidates X S] <= miss (score X s).
Proof.
move=> n0 /andP[/eqP norm /eqP rk]; have l1 := @law_one_subset n R k n0.
have -> : pr subsets_law [set S | s \notin sampled_candidates X S] =
    \prod_(j < m) pr (@one_subset n R k) [set t | ~~ spans X s (t : k.-tuple 'I_n)].
  rewrite /pr bigA_distr_big_dep /=; apply: eq_bigl => S; rewrite inE.
  apply/idP/familyP => [no j|all].
    by rewrite inE; apply: contra no => sj; apply/sampled_candidatesP; exists j.
  by apply/sampled_candidatesP => -[j sj]; have := all j; rewrite inE sj.
have -> : [set t : k.-tuple 'I_n | ~~ spans X s t] = ~: [set t : k.-tuple 'I_n | spans X s t] by apply/setP => t; rewrite !inE.
rewrite prodr_const card_ord pr_setC //; apply: lerXn2r; rewrite ?nnegrE ?subr_ge0 ?pr_le1 //.
  rewrite exprn_ile1 ?divr_ge0 ?ler0n // ler_pdivrMr ?ltr0n // mul1r ler_nat.
  exact: leq_trans (score_le_inside X s) (inside_le X s).
by rewrite lerD2l lerN2; apply: subset_spans.
Qed.
End Algorithm.

(** * Examples *)

Example independent_computes :
  let X : 'I_2 -> 'rV[rat]_1 := fun _ => const_mx 1 in independent X [:: ord0] /\ ~~ independent X [:: ord0; ord_max].
Proof.
split; last by rewrite /independent neq_ltn /= ltnS rank_leq_row.
rewrite /independent /drawn_span (_ : [set i in _] = [set ord0]); last by apply/setP => i; rewrite !inE.
by rewrite /span big_set1 genmxE rank_rV; apply/eqP; rewrite (_ : _ != 0) //; apply/eqP => /rowP/(_ 0)/eqP; rewrite !mxE.
Qed.

Example miss_computes : miss 4 2 3 (rat : realFieldType) 2 = 27%:R / 64%:R.
Proof. by apply/eqP; vm_compute. Qed.

Example subsets_law_holds : law (@subsets_law 14 1 6 (rat : realFieldType)).
Proof. exact: law_subsets. Qed.
