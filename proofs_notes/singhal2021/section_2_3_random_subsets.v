(** singhal2021, section 2.3: Algorithm 1 over random subsets (reference/singhal2021/section_2_3_random_subsets.py): privacy,
    accuracy, the probability that a subset spans a subspace.

    Model. m hidden lists of k row numbers are drawn uniformly, with replacement. Candidates are the spans of the independent
    ones. The value of a candidate s is max(0, u(s) - max(u(s_2), tau) - 1), s_2 the second of the candidates, tau a floor;
    NULL has the value 2 A; the arg max of values plus noise on the grid of gap_max.v is released. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import zify.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import discrete failures.
From DPPCA.primitives Require Import truncated_laplace.
From DPPCA.singhal2021 Require Import scores values gap_max algorithm_1_exact.
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
Theorem subset_spans k s : <<s>>%MS = s -> \rank s = k ->
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

Lemma pr_draws (R : realFieldType) (V W : finType) (q : V -> R) (p : W -> R) (f : V -> W -> bool) :
  pr (joint q (fun _ => p)) [set z | f z.1 z.2] = \sum_v q v * pr p [set w | f v w].
Proof.
rewrite /pr /joint big_mkcond /=; under [RHS]eq_bigr do rewrite mulr_sumr big_mkcond.
by rewrite pair_big /=; apply: eq_bigr => [[v w]] _; rewrite !inE.
Qed.

Section Draws.
Variables (R : realFieldType) (V W W' : finType) (Data Out : Type) (a d beta : R) (q : V -> R) (p : W -> R) (p' : W' -> R).
Variables (near : Data -> Data -> Prop) (run : Data -> V -> W -> Out) (ideal : Data -> W' -> Out).
Hypotheses (lq : law q) (lp : law p) (lp' : law p') (a_ge0 : 0 <= a) (d01 : 0 <= d <= 1).
Hypothesis ideal_private : private a d p' near ideal.

(** Public or hidden draws v, independent of the data and of the noise, are good for the data X outside a set B of
    probability at most beta; then the output's law is that of the ideal run. *)
Hypothesis good_draws : forall X, exists2 B : {set V}, pr q B <= beta & forall v, v \notin B ->
  forall E : pred Out, pr p [set w | E (run X v w)] = pr p' [set w | E (ideal X w)].

(** Hidden draws: the failure is counted once. *)
Theorem private_hidden_draws :
  private a (with_failure d beta) (joint q (fun _ => p)) near (fun X z => run X z.1 z.2).
Proof.
move=> X X' nb E; have [B small good] := good_draws X; have [B' small' good'] := good_draws X'.
have [q0 _] := lq; have rest (C : {set V}) : \sum_(v | v \notin C) q v = 1 - pr q C.
  by rewrite -pr_setC // /pr; apply: eq_bigl => v; rewrite inE.
rewrite (pr_draws q p (fun v w => E (run X v w))) (pr_draws q p (fun v w => E (run X' v w))).
set u := pr p' [set w | E (ideal X w)]; set u' := pr p' [set w | E (ideal X' w)].
apply: le_trans (_ : (1 - pr q B) * u + pr q B <= _).
  rewrite (bigID (mem B)) /= addrC -rest mulr_suml; apply: lerD; first by apply: ler_sum => v vB; rewrite good.
  by apply: ler_sum => v vB; rewrite -[X in _ <= X]mulr1 ler_wpM2l // pr_le1.
apply: le_trans (_ : (1 - pr q B') * (a * u') + with_failure d beta <= _).
  apply: hidden_failure_bound; rewrite ?pr_ge0 ?pr_le1 ?mulr_ge0 ?pr_ge0 //.
  exact: ideal_private.
rewrite lerD2r mulrCA ler_wpM2l // -rest mulr_suml [leRHS](bigID (mem B')) /= ler_wpDl //.
  by apply: sumr_ge0 => v _; rewrite mulr_ge0 ?pr_ge0.
by apply: ler_sum => v vB; rewrite good'.
Qed.

(** Were the draws shown too, each of the two data sets could fail. *)
Theorem private_shown_draws :
  private a (with_failure d (2%:R * beta)) (joint q (fun _ => p)) near (fun X z => (z.1, run X z.1 z.2)).
Proof.
move=> X X' nb E; have [B small good] := good_draws X; have [B' small' good'] := good_draws X'.
have [q0 _] := lq; have /andP[d0 d1] := d01; pose C := B :|: B'.
have pC : pr q C <= 2%:R * beta.
  by apply: le_trans (pr_union _ _ lq) _; rewrite mulr_natl mulr2n lerD.
rewrite (pr_draws q p (fun v w => E (v, run X v w))) (pr_draws q p (fun v w => E (v, run X' v w))) mulr_sumr.
have sq : \sum_v q v * (if v \in C then 1 else d) = with_failure d (pr q C).
  rewrite (eq_bigr (fun v => d * q v + (1 - d) * (if v \in C then q v else 0))) => [|v _]; last by case: ifP => _; ring.
  by rewrite big_split /= -!mulr_sumr law_sum // mulr1 -big_mkcond.
apply: le_trans (_ : _ <= \sum_v a * (q v * pr p [set w | E (v, run X' v w)]) + with_failure d (pr q C)) _; last first.
  by rewrite lerD2l with_failure_le.
rewrite -sq -big_split /=; apply: ler_sum => v _; rewrite mulrCA -mulrDr ler_wpM2l //.
case: ifP => [_|/negbT]; first by apply: le_trans (pr_le1 _ lp) _; rewrite lerDr mulr_ge0 ?pr_ge0.
rewrite inE negb_or => /andP[vB vB']; rewrite (good v vB (fun o => E (v, o))) (good' v vB' (fun o => E (v, o))).
exact: ideal_private (fun o => E (v, o)).
Qed.
End Draws.

(** * The algorithm *)

Section Algorithm.
Variables (F : fieldType) (n d k m tau : nat) (R : realFieldType) (r : R) (N g : nat).
Local Notation dataset := ('I_n -> 'rV[F]_d).
Local Notation subspace := 'M[F]_d.
Local Notation subsets := {ffun 'I_m -> k.-tuple 'I_n}.
Local Notation draws := {ffun option 'I_m -> noise_index N}.
Implicit Types (X : dataset) (S : subsets) (s : subspace).

(** m subsets, uniform and independent. *)
Definition subsets_law : subsets -> R := product (fun _ => @one_subset n R k).

(** Lines 3 and 4: the spans of the independent ones, without repetitions. *)
Definition sampled_candidates X S : seq subspace :=
  undup [seq <<drawn_span X (S j)>>%MS | j <- enum 'I_m & independent X (S j)].

(** [owner] says which subset's draw counts for a subspace: in the code the last that spans it; here any rule. *)
Variable owner : dataset -> subsets -> subspace -> 'I_m.

(** NULL's draw is number None. *)
Definition sampled_estimator X S (w : draws) : option subspace :=
  gap_max R g None (fun s => Some (owner X S s)) tau (score X) (sampled_candidates X S) w.

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

(** singhal2021.section-2.3-random-subsets-small-scores: what is shown leads the floor and every other candidate by 2. *)
Theorem sampled_estimator_leads X S w s : (0 < g)%N -> sampled_estimator X S w = Some s ->
  [/\ s \in sampled_candidates X S, (tau + 2 <= score X s)%N &
      forall t, t \in sampled_candidates X S -> t != s -> (score X t + 2 <= score X s)%N].
Proof.
move=> g0; have uc : uniq (sampled_candidates X S) by apply: undup_uniq.
exact: gap_max_leads (fixed_list_complete tau (score X) uc).
Qed.

(** * Privacy *)

Section Privacy.
Variable delta : R.
Hypotheses (cal : calibrated r N g delta) (floor_lt : (tau < n)%N).

(** The probability that the subsets miss one of the two subspaces that matter. *)
Definition failure : R := 2%:R * miss tau.+1.

(** With scores up to tau left out, over all subspaces of dimension k: what the subsets stand for. *)
Let ideal X (w : {ffun bool -> noise_index N}) : option subspace :=
  gap_max R g false (fun _ => true) tau (score X) (candidates (pred1 k) X) w.

Let complete_floor X : complete (labels (pred1 k)) tau (score X) (candidates (pred1 k) X).
Proof.
have [uc sub all] := candidates_complete (pred1 k) X; split=> // s ls hi; apply: all => //.
exact: leq_ltn_trans hi.
Qed.

Let ideal_private : private (r ^+ (2 * g)) delta (noises_law r (N := N) (J := bool)) (@neighbours F n d) ideal.
Proof.
move=> X X' nb E; case: (cal) => r1 g0 _ _; have reach := calibrated_reach cal.
have nn : not_null false (fun _ : subspace => true) by [].
apply: le_trans (gap_max_private r1 g0 reach nn nn (scores_close nb) (complete_floor X) (complete_floor X') E) _.
by rewrite lerD2l; apply: calibrated_delta.
Qed.

Let n_gt0 : (0 < n)%N. Proof. exact: leq_ltn_trans floor_lt. Qed.

(** On every input, the values over the subsets are those over all subspaces, but for the failures. *)
Lemma subsets_good X : exists2 B : {set subsets}, pr subsets_law B <= failure & forall S, S \notin B ->
  forall E : pred (option subspace), pr (noises_law r (N := N) (J := option ('I_m : finType))) [set w | E (sampled_estimator X S w)] =
    pr (noises_law r (N := N) (J := bool)) [set w | E (ideal X w)].
Proof.
have [l [size_l high same]] := two_leaders (complete_floor X).
have lS := law_subsets n_gt0; have [S0 _] := lS.
exists [set S | has (fun s => s \notin sampled_candidates X S) l].
  apply: le_trans (_ : (size l)%:R * miss tau.+1 <= _); last by rewrite ler_wpM2r ?miss_ge0 // ler_nat.
  elim: (l) high => [|s l' IH] high.
    by rewrite mul0r /pr big_pred0 // => S; rewrite inE.
  have -> : [set S | has (fun s => s \notin sampled_candidates X S) (s :: l')] =
      [set S | s \notin sampled_candidates X S] :|: [set S | has (fun s => s \notin sampled_candidates X S) l'].
    by apply/setP => S; rewrite !inE.
  rewrite -[size _]addn1 natrD mulrDl mul1r addrC; apply: le_trans (pr_union _ _ lS) _.
  apply: lerD; last by apply: IH => t tl; apply: high; rewrite inE tl orbT.
  have [ls hs] := high s (mem_head _ _); apply: le_trans (subsets_miss X n_gt0 ls) _.
  apply: miss_le => //; exact: leq_trans (score_le_inside X s) (inside_le X s).
move=> S; rewrite inE => /hasPn found E; case: (cal) => r1 g0 _ _.
have uc : uniq (sampled_candidates X S) by apply: undup_uniq.
have C' : complete (mem (sampled_candidates X S)) tau (score X) (sampled_candidates X S) := fixed_list_complete _ _ uc.
have values := same _ uc (@sampled_candidates_labels X S) (fun s sl => negbNE (found s sl)).
have nn : not_null None (fun s => Some (owner X S s)) by [].
have nn' : not_null false (fun _ : subspace => true) by [].
exact: (gap_max_same_law N E r1 g0 nn nn' C' (complete_floor X) values).
Qed.

Let delta01 : 0 <= delta <= 1.
Proof.
case: cal => _ _ /andP[d0 d1] _; rewrite ltW //=; apply: le_trans d1 _.
by rewrite ler_pdivrMr ?ltr0n // mul1r ler1n.
Qed.

(** singhal2021.section-2.3-random-subsets: (epsilon, delta + (1 - delta) beta)-DP with beta = 2 (1 - ((tau + 1) / n)^k)^m, on
    all inputs; the subsets are hidden. *)
Theorem sampled_estimator_private :
  private (r ^+ (2 * g)) (with_failure delta failure)
    (joint subsets_law (fun _ => noises_law r (N := N) (J := option ('I_m : finType))))
    (@neighbours F n d) (fun X z => sampled_estimator X z.1 z.2).
Proof.
case: (cal) => r1 _ _ _; have ln J : law (noises_law r (N := N) (J := J)) by apply: law_product => _; apply: law_noise.
apply: private_hidden_draws ideal_private subsets_good => //; first exact: law_subsets.
by rewrite exprn_ge0 // ltW // (lt_trans ltr01).
Qed.

(** Shown together with the output, the subsets cost twice the probability of failing. *)
Theorem sampled_estimator_shown_private :
  private (r ^+ (2 * g)) (with_failure delta (2%:R * failure))
    (joint subsets_law (fun _ => noises_law r (N := N) (J := option ('I_m : finType))))
    (@neighbours F n d) (fun X z => (z.1, sampled_estimator X z.1 z.2)).
Proof.
case: (cal) => r1 _ _ _; have ln J : law (noises_law r (N := N) (J := J)) by apply: law_product => _; apply: law_noise.
apply: private_shown_draws ideal_private subsets_good => //; first exact: law_subsets.
by rewrite exprn_ge0 // ltW // (lt_trans ltr01).
Qed.

(** The calibration of the code: so many subsets that beta is at most (delta' - delta) / (1 - delta) give delta' in total. *)
Corollary sampled_estimator_calibrated delta' : failure <= (delta' - delta) / (1 - delta) ->
  private (r ^+ (2 * g)) delta'
    (joint subsets_law (fun _ => noises_law r (N := N) (J := option ('I_m : finType))))
    (@neighbours F n d) (fun X z => sampled_estimator X z.1 z.2).
Proof.
move=> enough X X' nb E; apply: le_trans (sampled_estimator_private nb E) _; rewrite lerD2l /with_failure.
have d1 : 0 < 1 - delta.
  case: cal => _ _ /andP[_ d1] _; rewrite subr_gt0; apply: le_lt_trans d1 _.
  by rewrite ltr_pdivrMr ?ltr0n // mul1r ltr1n.
by move: enough; rewrite ler_pdivlMr // mulrC lerBrDl.
Qed.
End Privacy.

(** * Accuracy *)

Section Accuracy.
Variables (X : dataset) (ell : nat) (sstar : subspace).
Hypotheses (problem_2_1 : problem X k ell sstar) (r_gt1 : 1 < r) (g_gt0 : (0 < g)%N).
Hypothesis large : (2 * ell + maxn ell tau)%:R + 4%:R * bound R N g + 1 < n%:R :> R.

(** In units of the grid. *)
Let large_grid : (2 * ell + maxn ell tau + 1 < n)%N /\ (4 * N < g * (n - (2 * ell + maxn ell tau) - 1))%N.
Proof.
have gR : 0 < g%:R :> R by rewrite ltr0n.
move: large; set o := (2 * ell + maxn ell tau)%N; rewrite -(ltr_pM2l gR) (_ : g%:R * _ = (g * (o + 1) + 4 * N)%:R).
  by rewrite -natrM ltr_nat => h; split; nia.
by rewrite /bound !(natrD, natrM) /=; field; rewrite gt_eqF.
Qed.

(** If one of the subsets spans s_* , the output is s_*  for every noise: A = [bound], n > 2 ell + max(ell, tau) + 4 A + 1. *)
Theorem sampled_estimator_accurate S w : <<sstar>>%MS \in sampled_candidates X S ->
  sampled_estimator X S w = Some <<sstar>>%MS.
Proof.
move=> found; have uc : uniq (sampled_candidates X S) by apply: undup_uniq.
have C := fixed_list_complete tau (score X) uc; have [big win] := large_grid.
have high : (n - 2 * ell <= score X <<sstar>>%MS)%N.
  by rewrite (score_eq X (genmxE sstar)); apply: score_of_answer problem_2_1.
have value_high : (n - (2 * ell + maxn ell tau) - 1 <= value tau (score X) (sampled_candidates X S) <<sstar>>%MS)%N.
  suff : (n - (2 * ell + maxn ell tau) - 2 < value tau (score X) (sampled_candidates X S) <<sstar>>%MS)%N by lia.
  apply/(value_above _ C found); split=> [|t tc ts]; first by lia.
  suff : (score X t <= ell)%N by lia.
  apply: (score_of_others problem_2_1) => e; move/eqP: ts; apply.
  by have /andP[/eqP <- _] := sampled_candidates_labels tc; apply/genmxP/eqmxP.
have only t : (0 < value tau (score X) (sampled_candidates X S) t)%N -> t = <<sstar>>%MS.
  by move=> pt; apply: (positive_value_unique C pt); apply: leq_trans value_high; lia.
rewrite /sampled_estimator (gap_max_outcome R None g_gt0 _ w C only) ifT //.
have : (4 * N < g * value tau (score X) (sampled_candidates X S) <<sstar>>%MS)%N.
  by apply: leq_trans win _; rewrite leq_mul2l value_high orbT.
have := ltn_ord (w None); have := leq0n (w (Some (owner X S <<sstar>>%MS))).
by move: (g * value _ _ _ _)%N (w _) (w _) => V x y; lia.
Qed.

(** So it is s_*  with probability at least 1 - (1 - ((n - 2 ell) / n)^k)^m. *)
Theorem sampled_estimator_success :
  1 - miss (n - 2 * ell) <=
  pr (joint subsets_law (fun _ => noises_law r (N := N) (J := option ('I_m : finType))))
    [set z | sampled_estimator X z.1 z.2 == Some <<sstar>>%MS].
Proof.
have [big _] := large_grid; have n0 : (0 < n)%N by lia.
have lS := law_subsets n0; have [S0 _] := lS.
have ln : law (noises_law r (N := N) (J := option ('I_m : finType))).
  by apply: law_product => _; apply: law_noise.
have ls : labels (pred1 k) <<sstar>>%MS by have [rk _ _] := problem_2_1; rewrite /labels /= genmx_id genmxE rk !eqxx.
have score_high : (n - 2 * ell <= score X <<sstar>>%MS)%N.
  by rewrite (score_eq X (genmxE sstar)); apply: score_of_answer problem_2_1.
rewrite (pr_draws _ _ (fun S w => sampled_estimator X S w == Some <<sstar>>%MS)).
apply: le_trans (_ : pr subsets_law (~: [set S | <<sstar>>%MS \notin sampled_candidates X S]) <= _).
  rewrite pr_setC // lerD2l lerN2; apply: le_trans (subsets_miss X n0 ls) _.
  by apply: miss_le => //; apply: leq_trans (score_le_inside X _) (inside_le X _).
rewrite [leLHS]pr_mean; apply: ler_sum => S _; rewrite ler_wpM2l // 2!inE negbK.
case: (boolP (_ \in _)) => [found|_]; last exact: pr_ge0.
rewrite (_ : [set w | _] = setT) => [|]; last by apply/setP => w; rewrite !inE sampled_estimator_accurate ?eqxx.
rewrite /= -(law_sum ln) le_eqVlt; apply/orP; left; apply/eqP/eq_bigl => w; exact/esym/in_setT.
Qed.
End Accuracy.

End Algorithm.

(** * Examples *)

Example independent_computes :
  let X : 'I_2 -> 'rV[rat]_1 := fun _ => const_mx 1 in independent X [:: ord0] /\ ~~ independent X [:: ord0; ord_max].
Proof.
split; last by rewrite /independent neq_ltn /= ltnS rank_leq_row.
rewrite /independent /drawn_span (_ : [set i in _] = [set ord0]); last by apply/setP => i; rewrite !inE.
by rewrite /span big_set1 genmxE rank_rV; apply/eqP; rewrite (_ : _ != 0) //; apply/eqP => /rowP/(_ 0)/eqP; rewrite !mxE.
Qed.

Example miss_computes : miss 4 2 3 (rat : realFieldType) 2 = 27%:R / 64%:R /\ failure 4 2 3 1 (rat : realFieldType) = 27%:R / 32%:R.
Proof. by split; apply/eqP; vm_compute. Qed.

(** Fourteen points, lines, six subsets, the floor 3, epsilon = ln 4, A = 3: delta = 1/4 for the noise, 1/2 in total. *)
Example sampled_estimator_private_example d owner :
  private (2%:R ^+ 2 : rat) (1 / 2%:R)
    (joint (@subsets_law 14 1 6 _) (fun _ => noises_law 2%:R (N := 3) (J := option ('I_6 : finType))))
    (@neighbours (rat : fieldType) 14 d) (fun X z => sampled_estimator 3 (rat : realFieldType) 1 owner X z.1 z.2).
Proof. by apply: (@sampled_estimator_calibrated _ 14 d 1 6 3 _ 2%:R 3 1 owner (1 / 4%:R)); vm_compute. Qed.
