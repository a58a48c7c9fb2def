(** singhal2021, sections 1 and 1.1 and Problem 2.1: subspaces that hold given points, general position, zeros, affine subspaces.

    Datasets, subspaces, [inside], [span] and [problem] are those of scores.v. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import zify.
From DPPCA.singhal2021 Require Import scores.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** * Larger subspaces *)

Section Extend.
Variables (F : fieldType) (d : nat).
Implicit Types (w s : 'M[F]_d).

Lemma vector_outside w : (\rank w < d)%N -> exists v : 'rV[F]_d, ~~ (v <= w)%MS.
Proof.
move=> rw; case: (pickP (fun i => ~~ (row i 1%:M <= w)%MS)) => [i out|all]; first by exists (row i 1%:M).
suff : row_full w by rewrite /row_full => /eqP e; rewrite e ltnn in rw.
rewrite -sub1mx; apply/row_subP => i.
by have := all i; move=> /negbFE.
Qed.

Lemma rank_add_vector w (v : 'rV[F]_d) : ~~ (v <= w)%MS -> \rank (w + v)%MS = (\rank w).+1.
Proof.
move=> out; apply/eqP; rewrite eqn_leq; apply/andP; split.
  by apply: leq_trans (mxrank_adds_leqif _ _) _; rewrite -(addn1 (\rank w)) leq_add2l rank_leq_row.
have : (w < w + v)%MS by rewrite ltmxE addsmxSl /= addsmx_sub submx_refl.
by rewrite ltmxErank => /andP[].
Qed.

Lemma larger_subspace w k : (\rank w <= k <= d)%N -> exists2 s : 'M[F]_d, (w <= s)%MS & \rank s = k.
Proof.
elim: k => [|k IH] /andP[rw kd].
  by exists w => //; apply/eqP; rewrite -leqn0.
move: rw; rewrite leq_eqVlt => /orP[/eqP rw|rw]; first by exists w.
have [|s ws rs] := IH; first by rewrite -ltnS rw ltnW.
have [v out] : exists v : 'rV[F]_d, ~~ (v <= s)%MS by apply: vector_outside; rewrite rs.
exists (s + v)%MS; first exact: submx_trans ws (addsmxSl _ _).
by rewrite rank_add_vector // rs.
Qed.

(** Two different ones, if there is room. *)
Lemma two_larger_subspaces w k : (\rank w < k < d)%N ->
  exists s s' : 'M[F]_d, [/\ \rank s = k, \rank s' = k, (w <= s)%MS, (w <= s')%MS & ~ (s :=: s')%MS].
Proof.
move=> /andP[wk kd]; have [|t wt rt] := @larger_subspace w k.-1; first by lia.
have [v out] : exists v : 'rV[F]_d, ~~ (v <= t)%MS by apply: vector_outside; lia.
have rs := rank_add_vector out.
have [v' out'] : exists v' : 'rV[F]_d, ~~ (v' <= t + v)%MS by apply: vector_outside; lia.
have out2 : ~~ (v' <= t)%MS by apply: contra out' => h; exact: submx_trans h (addsmxSl _ _).
exists (t + v)%MS, (t + v')%MS; split; rewrite ?rs ?(rank_add_vector out2); try lia.
- exact: submx_trans wt (addsmxSl _ _).
- exact: submx_trans wt (addsmxSl _ _).
- by move=> e; move: out'; rewrite e addsmxSr.
Qed.
End Extend.

(** * Points and subspaces *)

Section Points.
Variables (F : fieldType) (n d : nat).
Implicit Types (X : 'I_n -> 'rV[F]_d) (s t : 'M[F]_d) (I : {set 'I_n}).

(** General position in s: the points lie in s, and any k of them span it, k = dim(s). *)
Definition general_position X s := (forall i, (X i <= s)%MS) /\ forall I, #|I| = \rank s -> (span X I :=: s)%MS.

(** The points I are linearly dependent. *)
Definition dependent X I := (\rank (span X I) < #|I|)%N.

(** singhal2021.introduction-dependence-on-k: fewer than k points lie in two different subspaces of dimension k < d at least. *)
Theorem few_points_never_determine X k : (n < k < d)%N ->
  exists s s' : 'M[F]_d, [/\ \rank s = k, \rank s' = k, ~ (s :=: s')%MS & forall i, (X i <= s)%MS /\ (X i <= s')%MS].
Proof.
move=> /andP[nk kd]; have rw : (\rank (span X setT) < k)%N.
  by apply: leq_ltn_trans (rank_span X setT) _; rewrite cardsT card_ord.
have [|s [s' [rs rs' ws ws' ne]]] := @two_larger_subspaces F d (span X setT) k; first by rewrite rw.
by exists s, s'; split=> // i; split; [apply: submx_trans ws|apply: submx_trans ws']; apply: sub_span; rewrite inE.
Qed.

(** singhal2021.section-1.1-general-position: more than k points of a k-dimensional subspace are dependent; in general position
    any k are not. *)
Theorem more_points_are_dependent X s : (forall i, (X i <= s)%MS) ->
  (forall I, (\rank s < #|I|)%N -> dependent X I) /\
  (general_position X s <-> forall I, #|I| = \rank s -> ~~ dependent X I).
Proof.
move=> Xs; have le I : (span X I <= s)%MS by apply: span_sub => i _.
split=> [I large|]; first exact: leq_ltn_trans (mxrankS (le I)) large.
split=> [[_ gp] I cI|free]; first by rewrite /dependent gp // cI ltnn.
split=> // I cI; apply/eqmxP; rewrite le /= -(geq_leqif (mxrank_leqif_sup (le I))) -cI leqNgt.
exact: free.
Qed.

Lemma few_inside X t I : (forall i, i \in I -> (X i <= t)%MS) -> (#|I| <= inside X t)%N.
Proof. by move=> h; apply/subset_leq_card/subsetP => i iI; rewrite inE h. Qed.

(** singhal2021.section-1.1-general-position-equivalence *)
Theorem general_position_equivalence X s k : \rank s = k -> (forall i, (X i <= s)%MS) ->
  general_position X s <-> forall t : 'M[F]_d, (\rank t).+1 = k -> (inside X t <= k.-1)%N.
Proof.
move=> rs Xs; split=> [[_ gp] t rt|few].
  rewrite -ltnS prednK -?rt // ltnNge; apply/negP => large.
  have [|I _ [It cI]] := @superset_of_size n set0 (points_in X t) k (sub0set _); first by rewrite cards0 -rt.
  have sp : (span X I <= t)%MS by apply: span_sub => i /(subsetP It); rewrite inE.
  by have := mxrankS sp; rewrite gp ?rs ?cI // -rt ltnn.
split=> // I cI; have le : (span X I <= s)%MS by apply: span_sub.
apply/eqmxP; rewrite le /= -(geq_leqif (mxrank_leqif_sup le)) rs leqNgt; apply/negP => lt.
have kd : (k <= d)%N by rewrite -rs rank_leq_col.
have [|t wt rt] := @larger_subspace F d (span X I) k.-1; first by lia.
have := few t; rewrite rt prednK => [/(_ erefl)|]; last by lia.
rewrite leqNgt => /negP; apply.
have : (#|I| <= inside X t)%N by apply: few_inside => i iI; apply: submx_trans wt; apply: sub_span.
by rewrite cI rs; lia.
Qed.

(** singhal2021.problem-2.1: dimension k - 1 decides; general position gives ell = k - 1; and no ell below that is possible. *)
Theorem problem_2_1_sizes X s k ell : (0 < k <= d)%N ->
  [/\ (forall t : 'M[F]_d, (\rank t < k)%N -> (inside X t <= ell)%N) <->
        (forall t : 'M[F]_d, \rank t = k.-1 -> (inside X t <= ell)%N),
      \rank s = k -> general_position X s -> problem X k k.-1 s &
      (k.-1 <= n)%N -> problem X k ell s -> (k.-1 <= ell)%N].
Proof.
move=> /andP[k0 kd]; have bigger (t : 'M[F]_d) : (\rank t < k)%N -> exists2 t' : 'M[F]_d, (t <= t')%MS & \rank t' = k.-1.
  by move=> lt; apply: larger_subspace; lia.
split.
- split=> [few t rt|few t /bigger[t' tt' rt']]; first by apply: few; rewrite rt; lia.
  exact: leq_trans (inside_mono X tt') (few _ rt').
- move=> rs gp; have [Xs _] := gp; have few := (general_position_equivalence rs Xs).1 gp.
  split=> // [|t /bigger[t' tt' rt']]; last first.
    by apply: leq_trans (inside_mono X tt') (few _ _); rewrite rt' prednK.
  apply: leq_trans (leq_addr _ _).
  have := @few_inside X s setT (fun i _ => Xs i).
  by rewrite cardsT card_ord.
move=> kn [_ _ few].
have [|I _ [_ cI]] := @superset_of_size n set0 setT k.-1 (sub0set _); first by rewrite cards0 cardsT card_ord.
apply: leq_trans (few (span X I) _); last by apply: leq_ltn_trans (rank_span X I) _; rewrite cI prednK.
by rewrite -cI; apply: few_inside => i; exact: sub_span.
Qed.

(** singhal2021.algorithm-1-input: for non-zero points of a line ell = 0 is enough. *)
Theorem line_has_no_ell X s : \rank s = 1%N -> (forall i, (X i <= s)%MS) -> (forall i, X i != 0) -> problem X 1 0 s.
Proof.
move=> rs Xs X0; split=> // [|t].
  by rewrite addn0; have := @few_inside X s setT (fun i _ => Xs i); rewrite cardsT card_ord.
rewrite ltnS leqn0 mxrank_eq0 => /eqP ->; rewrite leqn0 cards_eq0; apply/eqP/setP => i.
by rewrite !inE submx0 (negbTE (X0 i)).
Qed.
End Points.

(** * Zeros *)

Section Zeros.
Variables (F : fieldType) (n d : nat).
Implicit Types (X : 'I_n -> 'rV[F]_d).

(** The points X and one zero. *)
Definition with_zero X (i : 'I_n.+1) : 'rV[F]_d := if unlift ord_max i is Some j then X j else 0.

Lemma inside_with_zero X s : inside (with_zero X) s = (inside X s).+1.
Proof.
have -> : inside (with_zero X) s = #|ord_max |: [set lift ord_max i | i in [set i | (X i <= s)%MS]]|.
  apply: eq_card => i; rewrite !inE /with_zero; case: (unliftP ord_max i) => [j ->|->]; last by rewrite sub0mx eqxx.
  by rewrite eq_sym (negPf (neq_lift _ _)) (mem_imset _ _ lift_inj) inE.
rewrite cardsU1 (card_imset _ lift_inj) (_ : ord_max \in _ = false) //.
by apply/negbTE/imsetP => -[j _ /eqP]; rewrite (negPf (neq_lift _ _)).
Qed.

(** singhal2021.section-1.1-nonzero-points: a zero lies in every subspace, and raises ell by at most one. *)
Theorem zero_raises_ell X k ell s : problem X k ell s -> problem (with_zero X) k ell.+1 s.
Proof.
move=> [rs close few]; split=> // [|t rt]; first by rewrite inside_with_zero; lia.
by rewrite inside_with_zero ltnS few.
Qed.
End Zeros.

(** * The definitions compute *)

(** Two points of the line: each spans it, so they are in general position, and together they are dependent. *)
Example general_position_computes (F : fieldType) : let X (_ : 'I_2) := 1%:M : 'rV[F]_1 in
  general_position X 1%:M /\ dependent X setT.
Proof.
move=> X; have full : (forall I : {set 'I_2}, #|I| = \rank (1%:M : 'M[F]_1) -> (span X I :=: 1%:M)%MS).
  move=> I; rewrite mxrank1 => /eqP/cards1P[i ->]; apply/eqmxP; rewrite submx1 /=.
  by apply: (@submx_trans _ _ _ _ _ (X i)); [exact: submx_refl | apply: sub_span; rewrite inE].
split; first by split=> [i|]; [exact: submx1 | exact: full].
by rewrite /dependent cardsT card_ord ltnS rank_leq_col.
Qed.

Example with_zero_computes : with_zero (fun _ : 'I_1 => 1%:M : 'rV[rat]_1) ord_max = 0 /\ with_zero (fun _ : 'I_1 => 1%:M : 'rV[rat]_1) ord0 = 1%:M.
Proof.
split; first by rewrite /with_zero unlift_none.
by rewrite /with_zero; case: unliftP.
Qed.
