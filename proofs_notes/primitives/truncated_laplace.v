(* Truncated Laplace noise on the integers, with its exact privacy.

   Noise x in -N..N has mass proportional to r^(-|x|), r > 1; with r = e^(1/scale) this is the law of
   reference/primitives/truncated_laplace.py:DiscreteTruncatedLaplace. Added to a value v in 0..V it gives an output in
   -N..N+V, which is stored as y = v + x + N in 0..V+2N. Shifting the value by s <= N costs e^epsilon = r^s and

       delta(s) = (r^s - 1) / (r^(N+1) + r^N - 2),

   exactly. Several entries whose shifts add up to s cost no more. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import zify.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import discrete.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Definition absdiff (m n : nat) : nat := (m - n + (n - m))%N.

Section TruncatedLaplace.
Variables (R : realFieldType) (r : R) (N : nat).

Definition weight (x : nat) : R := r ^- x.
Definition total : R := \sum_(0 <= x < N.+1) weight x + \sum_(1 <= x < N.+1) weight x.

Definition tlap (V v : nat) (y : 'I_(V + 2 * N).+1) : R :=
  if (absdiff y (v + N) <= N)%N then weight (absdiff y (v + N)) / total else 0.

(* The exact delta of a shift by s. *)
Definition tlap_delta (s : nat) : R := (r ^+ s - 1) / (r ^+ N.+1 + r ^+ N - 2%:R).

Hypothesis r_gt1 : 1 < r.

Let r_gt0 : 0 < r. Proof. exact: lt_trans r_gt1. Qed.
Let r_neq0 : r != 0. Proof. exact: lt0r_neq0. Qed.
Let r_neq1 : r - 1 != 0. Proof. by rewrite subr_eq0 gt_eqF. Qed.

Lemma weight_gt0 x : 0 < weight x.
Proof. by rewrite invr_gt0; apply: exprn_gt0. Qed.

Lemma geometric m n : (m <= n)%N -> \sum_(m <= x < n) weight x = (weight m - weight n) * r / (r - 1).
Proof.
move=> mn; rewrite -(subnK mn) addnC; elim: (n - m)%N => [|k IH].
  by rewrite addn0 big_geq // subrr !mul0r.
rewrite addnS big_nat_recr ?leq_addr //= IH /weight exprS invfM.
by field; rewrite ?r_neq1 ?r_neq0 /= ?expf_neq0.
Qed.

Lemma total_closed : total = (r ^+ N.+1 + r ^+ N - 2%:R) / (r ^+ N * (r - 1)).
Proof.
rewrite /total !geometric // /weight expr0 expr1 invr1 exprS.
by field; rewrite ?r_neq1 ?r_neq0 /= ?expf_neq0.
Qed.

Lemma total_gt0 : 0 < total.
Proof.
rewrite /total big_nat_recl // -addrA; apply: ltr_wpDr; last exact: weight_gt0.
by apply: addr_ge0; apply: sumr_ge0 => x _; rewrite ltW // weight_gt0.
Qed.

Lemma denominator_gt0 : 0 < r ^+ N.+1 + r ^+ N - 2%:R.
Proof.
have := total_gt0; rewrite total_closed pmulr_lgt0 // invr_gt0 pmulr_rgt0 ?subr_gt0 //.
exact: exprn_gt0.
Qed.

Lemma tlap_ge0 V v y : 0 <= @tlap V v y.
Proof. by rewrite /tlap; case: ifP => // _; rewrite divr_ge0 // ltW ?weight_gt0 ?total_gt0. Qed.

(* Sums over an interval to the right and to the left of a centre c. *)
Lemma sum_right c m n : (c <= m)%N -> \sum_(m <= y < n) weight (absdiff y c) = \sum_(m - c <= x < n - c) weight x.
Proof.
move=> cm; rewrite -{1}(subnK cm); have [cn|nc] := leqP c n.
  rewrite -{1}(subnK cn) big_addn addnK; apply: eq_bigr => x _.
  by congr weight; rewrite /absdiff; lia.
by rewrite !big_geq //; lia.
Qed.

Lemma sum_left c m n : (m <= n)%N -> (n <= c.+1)%N ->
  \sum_(m <= y < n) weight (absdiff y c) = \sum_(c.+1 - n <= x < c.+1 - m) weight x.
Proof.
move=> mn; rewrite -(subnK mn) addnC; elim: (n - m)%N => [|k IH] nc; first by rewrite addn0 !big_geq.
rewrite addnS big_nat_recr ?leq_addr //= IH; last by lia.
rewrite [RHS]big_ltn; last by lia.
have -> : ((c.+1 - (m + k).+1).+1 = c.+1 - (m + k))%N by lia.
by rewrite addrC; congr (weight _ + _); rewrite /absdiff; lia.
Qed.

Lemma sum_tlap V v (P : pred nat) : (v <= V)%N ->
  \sum_(y < (V + 2 * N).+1 | P y) @tlap V v y =
  (\sum_(v <= y < v + 2 * N + 1 | P y) weight (absdiff y (v + N))) / total.
Proof.
move=> vV; rewrite mulr_suml.
rewrite -(big_mkord (fun y => P y) (fun y => if (absdiff y (v + N) <= N)%N then weight (absdiff y (v + N)) / total else 0)).
rewrite (big_cat_nat _ (n := v)) //=; last by lia.
rewrite big_nat_cond big1 ?add0r; last by move=> y /andP[/andP[_ lt] _]; rewrite ifF //; rewrite /absdiff; lia.
rewrite (big_cat_nat _ (n := (v + 2 * N + 1)%N)) //=; [|lia|lia].
rewrite [X in _ + X]big_nat_cond [X in _ + X]big1 ?addr0; last first.
  by move=> y /andP[/andP[lt _] _]; rewrite ifF //; rewrite /absdiff; lia.
rewrite big_nat_cond [RHS]big_nat_cond; apply: eq_bigr => y /andP[/andP[l1 l2] _].
by rewrite ifT //; rewrite /absdiff; lia.
Qed.

Theorem law_tlap V v : (v <= V)%N -> law (@tlap V v).
Proof.
move=> vV; split=> [y|]; first exact: tlap_ge0.
rewrite (sum_tlap (fun=> true)) // (big_cat_nat _ (n := (v + N)%N)) /=; [|lia|lia].
rewrite sum_left ?sum_right; try lia.
have -> : ((v + N).+1 - (v + N) = 1)%N by lia.
have -> : ((v + N).+1 - v = N.+1)%N by lia.
have -> : (v + N - (v + N) = 0)%N by lia.
have -> : (v + 2 * N + 1 - (v + N) = N.+1)%N by lia.
by rewrite addrC divff // gt_eqF // total_gt0.
Qed.

Lemma weight_tail s : (s <= N)%N -> (\sum_((N - s).+1 <= x < N.+1) weight x) / total = tlap_delta s.
Proof.
move=> sN; rewrite geometric; last by lia.
have := lt0r_neq0 denominator_gt0; rewrite total_closed /tlap_delta /weight.
have -> : r ^- (N - s).+1 = r ^+ s / r ^+ N.+1.
  by rewrite -{2}(subnK sN) -addSn exprD invfM mulrC divfK ?expf_neq0.
rewrite exprS => d0; field.
by rewrite d0 r_neq1 r_neq0 expf_neq0.
Qed.

(* Where both laws are positive the ratio is at most r^s, s the shift. *)
Lemma tlap_ratio V v v' s (y : 'I_(V + 2 * N).+1) : (absdiff v v' <= s)%N -> (absdiff y (v' + N) <= N)%N ->
  @tlap V v y <= r ^+ s * @tlap V v' y.
Proof.
move=> vs inside; rewrite {2}/tlap inside /tlap; case: ifP => _; last first.
  by rewrite mulr_ge0 ?exprn_ge0 ?divr_ge0 // ltW ?weight_gt0 ?total_gt0.
rewrite mulrA ler_pM2r ?invr_gt0 ?total_gt0 // /weight ler_pdivlMr ?exprn_gt0 //.
rewrite mulrC ler_pdivrMr ?exprn_gt0 // -exprD; apply: ler_weXn2l; first exact: ltW.
by move: vs; rewrite /absdiff; lia.
Qed.

Lemma tlap_outside V v v' : (v <= V)%N -> (v' <= V)%N -> (absdiff v v' <= N)%N ->
  \sum_(y < (V + 2 * N).+1 | ~~ (absdiff y (v' + N) <= N)%N) @tlap V v y = tlap_delta (absdiff v v').
Proof.
move=> vV v'V sN; rewrite (sum_tlap (fun y => ~~ (absdiff y (v' + N) <= N)%N)) // -weight_tail //.
congr (_ / _); case: (leqP v v') => le.
- rewrite (big_cat_nat _ (n := v')) //=; last by move: sN; rewrite /absdiff; lia.
  rewrite [X in _ + X]big_nat_cond [X in _ + X]big1 ?addr0; last first.
    by move=> y /andP[/andP[l1 l2] /negP[]]; move: sN; rewrite /absdiff; lia.
  rewrite big_nat_cond; under eq_bigl => y.
    rewrite (_ : _ && _ = (v <= y < v')%N && true); last first.
      by rewrite andbT; case: (boolP (v <= y < v')%N) => //= /andP[l1 l2]; rewrite /absdiff; lia.
    over.
  rewrite -big_nat_cond sum_left //; last by move: sN; rewrite /absdiff; lia.
  by congr bigop; congr index_iota; move: sN; rewrite /absdiff; lia.
- rewrite (big_cat_nat _ (n := (v' + 2 * N + 1)%N)) //=; [|move: sN; rewrite /absdiff; lia|lia].
  rewrite [X in X + _]big_nat_cond [X in X + _]big1 ?add0r; last first.
    by move=> y /andP[/andP[l1 l2] /negP[]]; move: sN; rewrite /absdiff; lia.
  rewrite big_nat_cond; under eq_bigl => y.
    rewrite (_ : _ && _ = (v' + 2 * N + 1 <= y < v + 2 * N + 1)%N && true); last first.
      rewrite andbT; case: (boolP (v' + 2 * N + 1 <= y < v + 2 * N + 1)%N) => //= /andP[l1 l2].
      by rewrite /absdiff; lia.
    over.
  rewrite -big_nat_cond sum_right //; last by move: sN; rewrite /absdiff; lia.
  by congr bigop; congr index_iota; move: sN; rewrite /absdiff; lia.
Qed.

Theorem tlap_hockey_stick V v v' : (v <= V)%N -> (v' <= V)%N -> (absdiff v v' <= N)%N ->
  hockey_stick (r ^+ absdiff v v') (@tlap V v) (@tlap V v') = tlap_delta (absdiff v v').
Proof.
move=> vV v'V sN; rewrite -(tlap_outside vV v'V sN) [RHS]big_mkcond; apply: eq_bigr => y _ /=.
case: ifP => [/negbTE outside|/negbFE inside].
  by rewrite {2}/tlap outside mulr0 subr0 max_r // tlap_ge0.
by rewrite max_l // subr_le0 tlap_ratio.
Qed.

(* The exact condition for one entry. *)
Theorem tlap_dp V v v' d : (v <= V)%N -> (v' <= V)%N -> (absdiff v v' <= N)%N ->
  dp (r ^+ absdiff v v') d (@tlap V v) (@tlap V v') <-> tlap_delta (absdiff v v') <= d.
Proof. by move=> vV v'V sN; rewrite -(tlap_hockey_stick vV v'V sN); apply: dp_hockey_stick. Qed.

Lemma tlap_delta_le s t : (s <= t)%N -> tlap_delta s <= tlap_delta t.
Proof.
move=> st; rewrite ler_pM2r ?invr_gt0 ?denominator_gt0 // lerD2r.
by apply: ler_weXn2l => //; apply: ltW.
Qed.

Lemma tlap_delta_ge0 s : 0 <= tlap_delta s.
Proof. by rewrite divr_ge0 ?(ltW denominator_gt0) // subr_ge0 exprn_ege1 // ltW. Qed.

Lemma tlap_delta_superadditive (I : finType) (s : I -> nat) : \sum_i tlap_delta (s i) <= tlap_delta (\sum_i s i).
Proof.
rewrite -mulr_suml ler_pM2r ?invr_gt0 ?denominator_gt0 //.
suff [] : \sum_i (r ^+ s i - 1) <= r ^+ (\sum_i s i) - 1 /\ 0 <= \sum_i (r ^+ s i - 1) by [].
apply: (big_ind2 (fun (u : R) (t : nat) => u <= r ^+ t - 1 /\ 0 <= u)).
- by rewrite expr0 subrr lexx.
- move=> u t u' t' [le u0] [le' u'0]; split; last exact: addr_ge0.
  have lt : 0 <= (r ^+ t - 1) * (r ^+ t' - 1) by apply: mulr_ge0; [apply: le_trans le | apply: le_trans le'].
  apply: le_trans (lerD le le') _; rewrite -subr_ge0 exprD; apply: le_trans lt _.
  by rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
- by move=> i _; rewrite lexx subr_ge0 exprn_ege1 // ltW.
Qed.

(* Independent noise on every entry of a vector of counts: L1 change at most D. *)
Section Vector.
Variables (I : finType) (V D : nat).

Definition tlap_vector (v : I -> nat) : {ffun I -> 'I_(V + 2 * N).+1} -> R := product (fun i => @tlap V (v i)).
Definition l1_close (v v' : I -> nat) :=
  [/\ forall i, (v i <= V)%N, forall i, (v' i <= V)%N & (\sum_i absdiff (v i) (v' i) <= D)%N].

Lemma l1_close_sym v v' : l1_close v v' -> l1_close v' v.
Proof.
case=> vV v'V le; split=> //; rewrite (eq_bigr (fun i => absdiff (v i) (v' i))) // => i _.
by rewrite /absdiff addnC.
Qed.

Lemma law_tlap_vector v : (forall i, (v i <= V)%N) -> law (tlap_vector v).
Proof. by move=> vV; apply: law_product => i; apply: law_tlap. Qed.

Lemma tlap_vector_one_way v v' : (D <= N)%N -> l1_close v v' ->
  dp (r ^+ D) (tlap_delta D) (tlap_vector v) (tlap_vector v').
Proof.
move=> DN [vV v'V le]; pose s i := absdiff (v i) (v' i).
have siN i : (s i <= N)%N.
  by apply: leq_trans (leq_trans le DN); rewrite (bigD1 i) //= leq_addr.
have H i : dp (r ^+ s i) (tlap_delta (s i)) (@tlap V (v i)) (@tlap V (v' i)) by apply/(tlap_dp _ (vV i) (v'V i) (siN i)).
have lv i := law_tlap (vV i); have lv' i := law_tlap (v'V i).
have rs0 i : 0 <= r ^+ s i by rewrite exprn_ge0 // ltW.
apply: dp_monotone (dp_independent_composition lv lv' rs0 H).
- exact: law_tlap_vector.
- by rewrite prodrXr; apply: ler_weXn2l => //; apply: ltW.
- by apply: le_trans (tlap_delta_superadditive s) (tlap_delta_le le).
Qed.

Theorem tlap_vector_dp : (D <= N)%N -> mechanism_dp (r ^+ D) (tlap_delta D) l1_close tlap_vector.
Proof. by move=> DN v v' nb; split; apply: tlap_vector_one_way => //; apply: l1_close_sym. Qed.

(* No smaller delta will do, as long as there is an entry that can move by D. *)
Theorem tlap_vector_exact (i0 : I) d : (D <= N)%N -> (D <= V)%N ->
  mechanism_dp (r ^+ D) d l1_close tlap_vector <-> tlap_delta D <= d.
Proof.
move=> DN DV; split=> [H|le]; last first.
  move=> v v' nb; have [vV v'V _] := nb; have [H1 H2] := tlap_vector_dp DN nb.
  by split; [apply: dp_monotone H1 | apply: dp_monotone H2] => //; apply: law_tlap_vector.
pose v i : nat := if i == i0 then D else 0%N.
have vV i : (v i <= V)%N by rewrite /v; case: ifP.
have nb : l1_close v (fun=> 0%N).
  split=> //; rewrite (bigD1 i0) //= big1 => [|i /negPf ne]; last by rewrite /absdiff /v ne.
  by rewrite /absdiff /v eqxx subn0 sub0n !addn0.
have [/dp_hockey_stick + _] := H _ _ nb; rewrite /tlap_vector (hockey_stick_parallel _ (i0 := i0)).
- have eD : absdiff D 0 = D by rewrite /absdiff; lia.
  by rewrite /v eqxx; have := tlap_hockey_stick DV (leq0n V); rewrite eD => <-.
- by move=> i; apply: law_tlap.
- by move=> i /negPf ne y; rewrite /v ne.
Qed.

End Vector.

(* How large the bound N has to be for a given delta. *)
Theorem tlap_bound D d : tlap_delta D <= d <-> r ^+ D - 1 <= d * (r ^+ N.+1 + r ^+ N - 2%:R).
Proof. by rewrite /tlap_delta ler_pdivrMr ?denominator_gt0. Qed.

End TruncatedLaplace.
