(** The programs of subspace_programs.v compute the scores and values of the theorems. *)

From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import zify ssrZ.
From DPPCA.singhal2021 Require Import scores values gap_max algorithm_1_exact subspace_programs.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(** * The rank is the rank *)

Local Open Scope ring_scope.
Import GRing.Theory.

Definition rational (z : Z) : rat := (int_of_Z z)%:~R.

Lemma rational0 z : (rational z == 0) = Z.eqb z Z0.
Proof. by rewrite intr_eq0; apply/eqP/idP => [|/Z.eqb_spec ->//]; lia. Qed.

Lemma rationalBM a b c e : rational (Z.sub (Z.mul a b) (Z.mul c e)) = rational a * rational b - rational c * rational e.
Proof.
have -> : Z.sub (Z.mul a b) (Z.mul c e) = a * b - c * e by rewrite /GRing.add /GRing.opp /=; lia.
by rewrite /rational !rmorphB !rmorphM.
Qed.

(** The point as a row vector of rationals, and the span of a list. *)
Definition vector d (v : point) : 'rV[rat]_d := \row_(j < d) rational (entry v j).
Definition span_of d (l : seq point) : 'M[rat]_d := (\sum_(v <- l) <<vector d v>>)%MS.

Section Rank.

Definition shift d : 'M[rat]_(d, 1 + d) := row_mx 0 1%:M.

Lemma vectorS d v : vector d.+1 v = row_mx (rational (entry v 0))%:M (vector d (behead v)).
Proof.
apply/rowP => j; rewrite [LHS]mxE mxE; case: splitP => i ji; rewrite !mxE ji.
  by rewrite ord1 mulr1n.
by rewrite /entry nth_behead.
Qed.

Lemma mul_shift m d (A : 'M_(m, d)) : A *m shift d = row_mx 0 A.
Proof. by rewrite /shift mul_mx_row mulmx0 mulmx1. Qed.

Lemma shift_head m d (A : 'M_(m, d)) i : (A *m shift d) i ord0 = 0.
Proof. by rewrite mul_shift mxE; case: splitP => // j _; rewrite mxE. Qed.

Lemma vector_eliminate d p v :
  vector d (eliminate d p v) *m shift d = rational (entry p 0) *: vector d.+1 v - rational (entry v 0) *: vector d.+1 p.
Proof.
rewrite mul_shift !vectorS; apply/rowP => j; rewrite !mxE; case: splitP => i ji; rewrite !mxE.
  by rewrite ord1 !mulr1n mulrC subrr.
by rewrite /entry nth_mkseq // rationalBM !nth_behead.
Qed.

Lemma span_of_sub m d l (A : 'M[rat]_(m, d)) : (forall v, v \in l -> (vector d v <= A)%MS) -> (span_of d l <= A)%MS.
Proof.
rewrite /span_of; elim: l => [|v l IH] h; first by rewrite big_nil sub0mx.
by rewrite big_cons addsmx_sub genmxE h ?mem_head //= IH // => w wl; apply: h; rewrite inE wl orbT.
Qed.

Lemma span_of_mem d l v : v \in l -> (vector d v <= span_of d l)%MS.
Proof.
rewrite /span_of; elim: l => // w l IH; rewrite inE big_cons => /orP[/eqP ->|/IH h].
  by apply: submx_trans (addsmxSl _ _); rewrite genmxE.
exact: submx_trans h (addsmxSr _ _).
Qed.

Lemma shift_sub m d l (A : 'M[rat]_(m, d.+1)) :
  (forall v, v \in l -> (vector d v *m shift d <= A)%MS) -> (span_of d l *m shift d <= A)%MS.
Proof.
rewrite /span_of; elim: l => [|v l IH] h; first by rewrite big_nil mul0mx sub0mx.
rewrite big_cons addsmxMr addsmx_sub (eqmxMr _ (genmxE _)) h ?mem_head //=.
by apply: IH => w wl; apply: h; rewrite inE wl orbT.
Qed.

Lemma shift_mem d l v : v \in l -> (vector d v *m shift d <= span_of d l *m shift d)%MS.
Proof. by move=> /(span_of_mem d); apply: submxMr. Qed.

Lemma rank_shift m d (A : 'M[rat]_(m, d)) : \rank (A *m shift d) = \rank A.
Proof. by apply: mxrankMfree; rewrite -row_leq_rank rank_row_0mx mxrank1. Qed.

(** [rank] is the dimension of the span. *)
Theorem rank_correct d l : rank d l = \rank (span_of d l).
Proof.
elim: d l => [|d IH] l; first by apply/eqP; rewrite eq_sym -leqn0 rank_leq_row.
rewrite /=; case e: [seq v <- l | _] => [|p r].
  have zero v : v \in l -> rational (entry v 0) = 0.
    move=> vl; apply/eqP; rewrite rational0; apply/negPn; apply/negP => h.
    by have : v \in [seq v <- l | ~~ Z.eqb (entry v 0) Z0]; [rewrite mem_filter h|rewrite e].
  have vec v : v \in l -> vector d.+1 v = vector d (behead v) *m shift d.
    by move=> /zero h; rewrite vectorS mul_shift h raddf0.
  rewrite IH -rank_shift; apply: eqmx_rank; apply/andP; split.
    by apply: shift_sub => _ /mapP[v vl ->]; rewrite -vec //; apply: span_of_mem.
  by apply: span_of_sub => v vl; rewrite vec //; apply: shift_mem; apply: map_f.
have /andP[hp pl] : (~~ Z.eqb (entry p 0) Z0) && (p \in l) by rewrite -(mem_filter (fun v => ~~ Z.eqb (entry v 0) Z0)) e mem_head.
have p0 : rational (entry p 0) != 0 by rewrite rational0.
set l' := [seq eliminate d p v | v <- l]; set S := span_of d l' *m shift d.
have eS : (span_of d.+1 l :=: vector d.+1 p + S)%MS.
  apply/eqmxP/andP; split.
    apply: span_of_sub => v vl.
    have -> : vector d.+1 v = (rational (entry p 0))^-1 *:
        (vector d (eliminate d p v) *m shift d + rational (entry v 0) *: vector d.+1 p).
      by rewrite vector_eliminate subrK scalerA mulVf ?scale1r.
    rewrite scalemx_sub // addmx_sub //; last by rewrite scalemx_sub // addsmxSl.
    by apply: submx_trans (addsmxSr _ _); apply: shift_mem; apply: map_f.
  rewrite addsmx_sub span_of_mem //=; apply: shift_sub => _ /mapP[v vl ->].
  by rewrite vector_eliminate addmx_sub ?eqmx_opp ?scalemx_sub ?span_of_mem.
rewrite IH -rank_shift -/S eS mxrank_disjoint_sum; last first.
  apply/eqP/rowV0P => w; rewrite sub_capmx => /andP[/sub_rVP[a wa] /submxP[D wD]].
  have : w 0 ord0 = 0 by rewrite wD mulmxA shift_head.
  rewrite wa !mxE => /eqP; rewrite mulf_eq0 (negbTE p0) orbF => /eqP ->.
  by rewrite scale0r.
rewrite rank_rV; suff -> : vector d.+1 p != 0 by [].
apply: contraNneq p0 => /rowP/(_ 0); rewrite !mxE => /eqP.
by [].
Qed.

End Rank.

Lemma member_correct d T x : member d T x = (vector d x <= span_of d T)%MS.
Proof.
rewrite /member !rank_correct; apply/eqP/idP => [e|sub].
  have le : (span_of d T <= span_of d (x :: T))%MS by apply: span_of_sub => v vT; apply: span_of_mem; rewrite inE vT orbT.
  apply: submx_trans (_ : span_of d (x :: T) <= _)%MS; first by apply: span_of_mem; apply: mem_head.
  by rewrite -(geq_leqif (mxrank_leqif_sup le)) e.
apply/eqP; rewrite eqn_leq !mxrankS // /span_of big_cons ?addsmxSr //.
by rewrite addsmx_sub genmxE sub submx_refl.
Qed.

Lemma same_span_correct d T T' : same_span d T T' = (span_of d T == span_of d T')%MS.
Proof.
rewrite /same_span andbC; congr (_ && _); apply/allP/idP => [h|h v vT].
- by apply: span_of_sub => v /h; rewrite member_correct.
- by rewrite member_correct; apply: submx_trans h; apply: span_of_mem.
- by apply: span_of_sub => v /h; rewrite member_correct.
- by rewrite member_correct; apply: submx_trans h; apply: span_of_mem.
Qed.

(** * The score is the score *)

Section Combinations.
Variable A : eqType.
Implicit Types (l S : seq A).

Lemma combinations_of_subseq l S : subseq S l -> S \in combinations (size S) l.
Proof.
elim: l S => [|x l IH] [|y S] sub //=; rewrite ?inE // mem_cat; move: sub => /=; case: (eqVneq y x) => [-> sub|_ sub].
  by rewrite map_f // IH.
by rewrite (IH (y :: S)) // orbT.
Qed.

Lemma combinations_sound k l S : S \in combinations k l -> subseq S l /\ size S = k.
Proof.
elim: l k S => [|x l IH] [|k] S //=; try by rewrite inE => /eqP ->.
rewrite mem_cat => /orP[/mapP[S' /IH[sub <-] ->]|/IH[sub ->]]; first by rewrite /= eqxx.
by split=> //; apply: subseq_trans sub (subseq_cons _ _).
Qed.
End Combinations.

(** The dataset of the theorems that a list of points stands for. *)
Definition dataset_of d (l : seq point) (i : 'I_(size l)) : 'rV[rat]_d := vector d (nth [::] l i).

Section Score.
Variables (d : nat) (l : seq point).
Local Notation X := (dataset_of d (l := l)).
Local Notation at_ := (fun i : 'I_(size l) => nth [::] l i).

Lemma list_of_points : l = [seq at_ i | i <- enum 'I_(size l)].
Proof. by rewrite (map_comp (nth [::] l) val) val_enum_ord -/(mkseq _ _) mkseq_nth. Qed.

Lemma card_count (P : pred point) : #|[set i : 'I_(size l) | P (at_ i)]| = count P l.
Proof.
rewrite cardsE cardE /enum_mem size_filter [in RHS]list_of_points count_map enumT.
by apply: eq_count.
Qed.

Lemma inside_count T : inside X (span_of d T) = count (member d T) l.
Proof. by rewrite -card_count; apply: eq_card => i; rewrite !inE member_correct. Qed.

Lemma span_of_set (I : {set 'I_(size l)}) : (span X I :=: span_of d [seq at_ i | i <- enum I])%MS.
Proof.
apply/eqmxP/andP; split.
  by apply: span_sub => i iI; apply: span_of_mem; apply: (map_f at_); rewrite mem_enum.
by apply: span_of_sub => _ /mapP[i + ->]; rewrite mem_enum; apply: (@sub_span _ _ _ X).
Qed.

Lemma enum_points T :
  [seq at_ i | i <- enum (points_in X (span_of d T))] = [seq x <- l | member d T x].
Proof.
rewrite [in RHS]list_of_points filter_map enumT /enum_mem; congr map.
by apply: eq_filter => i; rewrite -[LHS]/(i \in points_in X (span_of d T)) inE /= member_correct.
Qed.

(** The program computes the score. *)
Theorem score_program_correct T : score_program d l T = score X (span_of d T).
Proof.
set s := span_of d T; rewrite /score_program; set ins := [seq x <- l | _].
have cins : size ins = inside X s by rewrite inside_count size_filter.
have eins : (span X (points_in X s) :=: span_of d ins)%MS by rewrite /ins -enum_points; apply: span_of_set.
case: eqP => [k0|k0].
  rewrite cins /score [supremum _ _]big1 ?subn0 // => I lt.
  have s0 : s = 0 by apply/eqP; rewrite -mxrank_eq0 -rank_correct k0.
  by move: lt; rewrite s0 ltmx0.
have s0 : s != 0 by rewrite -mxrank_eq0 -rank_correct; apply/eqP.
rewrite !rank_correct -/s; case: ltnP => full.
  apply/esym/eqP; rewrite -leqn0 leqNgt score_positive //; apply/negP => sub.
  by move: full; rewrite ltnNge mxrankS // -eins.
have {}full : (span X (points_in X s) :=: s)%MS.
  apply/eqmxP; rewrite span_points_in /=.
  by rewrite -(geq_leqif (mxrank_leqif_sup (span_points_in X s))) eins.
rewrite cins /score; congr (_ - _)%N; rewrite foldrE big_map.
have strict S : S \in combinations (\rank s).-1 ins ->
    (span_of d S < s)%MS /\ count (member d S) ins = inside X (span_of d S).
  move=> /combinations_sound[sub size_S].
  have Ss : (span_of d S <= s)%MS.
    by apply: span_of_sub => v /(mem_subseq sub); rewrite mem_filter member_correct => /andP[].
  split; last first.
    rewrite inside_count count_filter; apply: eq_count => x /=.
    by rewrite !member_correct; case: (boolP (_ <= span_of d S)%MS) => //= h; apply: submx_trans h Ss.
  rewrite ltmxErank Ss /=; apply: leq_ltn_trans (_ : size S < _)%N; last first.
    by rewrite size_S prednK // lt0n mxrank_eq0.
  rewrite /span_of; elim: (S) => [|v S' IH]; first by rewrite big_nil mxrank0.
  rewrite big_cons; apply: leq_trans (mxrank_adds_leqif _ _) _.
  by rewrite -[size _]add1n leq_add // genmxE rank_leq_row.
apply/eqP; rewrite eqn_leq; apply/andP; split.
  apply/bigmax_leqP_seq => S SC _; have [lt ->] := strict S SC.
  by case: (supremumP X s) => + _; apply.
rewrite supremum_one_pass //; apply/bigmax_leqP => I /andP[Is /eqP cI].
pose S := [seq at_ i | i <- enum I].
have SC : S \in combinations (\rank s).-1 ins.
  rewrite -cI cardE -(size_map at_ (enum I)); apply: combinations_of_subseq.
  rewrite /ins -enum_points map_subseq // /enum_mem.
  rewrite (_ : [seq x <- _ | mem I x] = [seq x <- [seq x <- Finite.enum _ | mem (points_in X s) x] | mem I x]).
    exact: filter_subseq.
  rewrite -filter_predI; apply: eq_filter => i /=.
  by case: (boolP (i \in I)) => // /(subsetP Is) ->.
rewrite (inside_eq X (span_of_set I)) -/S; have [_ <-] := strict S SC.
exact: leq_bigmax_seq.
Qed.
End Score.

(** * The list of candidates is complete *)

Section Candidates.
Variables (d : nat) (l : seq point).
Local Notation X := (dataset_of d (l := l)).
Local Notation label T := (<<span_of d T>>%MS).

Lemma first_of_each_sound seen Ts T : T \in first_of_each d seen Ts ->
  T \in Ts /\ ~~ has (same_span d T) seen.
Proof.
elim: Ts seen => //= S Ts IH seen; case: ifP => [_|new].
  by move=> /IH[mem ?]; rewrite inE mem orbT.
rewrite inE => /orP[/eqP ->|/IH[mem /=]]; first by rewrite mem_head new.
by rewrite negb_or inE mem orbT => /andP[_ ->].
Qed.

Lemma first_of_each_uniq seen Ts : uniq [seq label T | T <- first_of_each d seen Ts].
Proof.
elim: Ts seen => //= S Ts IH seen; case: ifP => //= _; rewrite IH andbT.
apply/mapP => -[T /first_of_each_sound[_ /=]]; rewrite negb_or same_span_correct => /andP[ne _] e.
by move/negP: ne; apply; apply/genmxP.
Qed.

Lemma first_of_each_complete seen Ts T : T \in Ts ->
  has (same_span d T) seen \/ exists2 S, S \in first_of_each d seen Ts & label S = label T.
Proof.
elim: Ts seen => //= S Ts IH seen; rewrite inE => /orP[/eqP ->|mem].
  by case: ifP => [|_]; [left|right; exists S; rewrite ?mem_head].
case: ifP => [_|_]; first exact: IH.
case: (IH (S :: seen) mem) => [/= /orP[eST|]|[S' mem' e]]; [right|by left|right].
  by exists S; [apply: mem_head|apply/esym/genmxP; rewrite -same_span_correct].
by exists S'; rewrite ?inE ?mem' ?orbT.
Qed.

Lemma subsets_of_sizesP ks T : (T \in subsets_of_sizes ks l) = (size T \in ks) && subseq T l.
Proof.
apply/flattenP/andP => [[_ /mapP[k kk ->] /combinations_sound[sub e]]|[size sub]]; first by rewrite e.
by exists (combinations (seq.size T) l); [apply: map_f|apply: combinations_of_subseq].
Qed.

(** The program's list is complete for the subspaces of the dimensions ks: by [value_of_list] its values are those of
    Algorithm 1, and by [exact_estimator_of_list] its output is. *)
Theorem candidates_program_complete ks :
  complete (labels (mem ks)) 0 (score X) [seq label T | T <- candidates_program d (subsets_of_sizes ks l)].
Proof.
split; first exact: first_of_each_uniq.
  move=> _ /mapP[T + ->] => /first_of_each_sound[+ _]; rewrite mem_filter subsets_of_sizesP => /andP[/eqP ind /andP[size _]].
  by rewrite /labels /= genmx_id eqxx genmxE -rank_correct ind.
move=> s /andP[/eqP norm size] pos; have [J cJ eJ] := positive_score_listed pos.
pose T := [seq nth [::] l (val i) | i <- enum J].
have eT : (span_of d T :=: s)%MS by apply: eqmx_trans eJ; apply: eqmx_sym; apply: span_of_set.
have rT : rank d T = \rank s by rewrite rank_correct eT.
have sT : seq.size T = \rank s by rewrite size_map -cardE.
have mem : T \in [seq T <- subsets_of_sizes ks l | independent d T].
  rewrite mem_filter /independent rT sT eqxx subsets_of_sizesP sT (size : \rank s \in ks) /=.
  by rewrite [X in subseq _ X]list_of_points; apply: map_subseq; rewrite enumT; apply: filter_subseq.
case: (first_of_each_complete [::] mem) => // -[S SC eS].
by apply/mapP; exists S => //; rewrite eS -norm; apply/esym/genmxP/eqmxP.
Qed.

(** The programs' scores and values are the scores and values. *)
Theorem scores_program_correct subsets e : e \in scores_program d l subsets -> e.2 = score X (label e.1).
Proof.
by move=> /mapP[T _ ->] /=; rewrite score_program_correct; apply/esym/score_eq/genmxE.
Qed.

Theorem values_program_correct (L : eqType) floor (u : L -> nat) (c : seq L) :
  values_program floor [seq u s | s <- c] = [seq value floor u c s | s <- c].
Proof. by rewrite /values_program -map_comp; apply/eq_in_map => s sc; rewrite /value sc. Qed.

(** The winner of line 11: the place of the first largest, 0 for NULL. *)
Theorem winner_program_correct (null : Z) (noisy : seq Z) :
  winner_program 0 null 1 noisy =
  odflt 0%N (arg_max (None, rational null) [seq (Some e.1, rational e.2) | e <- zip (iota 1 (size noisy)) noisy]).
Proof.
suff H lab b number : winner_program (odflt 0%N lab) b number noisy =
    odflt 0%N (arg_max (lab, rational b) [seq (Some e.1, rational e.2) | e <- zip (iota number (size noisy)) noisy]).
  exact: (H None).
elim: noisy lab b number => //= x noisy IH lab b number.
have -> : Z.ltb b x = (rational b < rational x)%R by rewrite ltr_int; apply/idP/idP; lia.
by rewrite /arg_max /= {2}/better; case: ifP => _; [apply: (IH (Some number))|apply: IH].
Qed.
End Candidates.

(** Section 2.3's scores of dimensions. *)
Theorem dimension_scores_program_correct d k_max (l : seq point) :
  dimension_scores_program d k_max l = [seq dimension_score (dataset_of d (l := l)) k | k <- iota 1 k_max].
Proof.
apply/eq_map => k; have ks : combinations k l = subsets_of_sizes [:: k] l by rewrite /subsets_of_sizes /= cats0.
rewrite ks foldrE big_map /=; set X := dataset_of (l := l) _; have [_ sub all] := @candidates_program_complete d l [:: k].
apply/eqP; rewrite eqn_leq; apply/andP; split.
  apply/bigmax_leqP_seq => e ec _; rewrite (scores_program_correct ec).
  move: ec => /mapP[T TC ->] /=; have := sub _ (map_f (fun T => <<span_of d T>>%MS) TC).
  by rewrite /labels /= !inE => /andP[_ /eqP <-]; apply: dimension_score_bound.
apply/bigmax_leqP => I /andP[_ /eqP rI]; case: (posnP (score X (span X I))) => [-> //|pos].
have lab : labels (mem [:: k]) <<span X I>>%MS by rewrite /labels /= genmx_id eqxx genmxE rI mem_head.
have pos' : (0 < score X <<span X I>>%MS)%N by rewrite (score_eq X (genmxE _)).
have /mapP[T TC eT] := all _ lab pos'.
rewrite -(score_eq X (genmxE _)) eT.
have eC := map_f (fun T => (T, score_program d l T)) TC.
rewrite -(scores_program_correct eC) /=; exact: (leq_bigmax_seq (F := snd) _ eC).
Qed.
