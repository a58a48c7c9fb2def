(* Discrete Laplace (two-sided geometric) noise, pure privacy, exact.

   P(Z = x) = (r - 1) / (r + 1) r^(-|x|) for every integer x, r = e^(1/scale) > 1. The sum c + Z, c in 0..M, is released
   clamped to 0..M: the masses below 0 and above M are added to the ends, P(Z >= k) = r^(-k) r / (r + 1) for k >= 0.
   Clamping is post-processing, and with it the law lives on a finite set. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import zify.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import discrete.
From DPPCA.primitives Require Import truncated_laplace.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Geometric.
Variables (R : realFieldType) (r : R).

Definition geometric_mass (x : nat) : R := (r - 1) / (r + 1) * weight r x.
Definition geometric_tail (k : nat) : R := r / (r + 1) * weight r k.

Definition clamped_geometric (M c : nat) (y : 'I_M.+1) : R :=
  if y == 0%N :> nat then geometric_tail c
  else if y == M :> nat then geometric_tail (M - c) else geometric_mass (absdiff y c).

Hypothesis r_gt1 : 1 < r.

Let r_gt0 : 0 < r. Proof. exact: lt_trans r_gt1. Qed.
Let r_neq0 : r != 0. Proof. exact: lt0r_neq0. Qed.
Let r1_gt0 : 0 < r - 1. Proof. by rewrite subr_gt0. Qed.
Let r1_neq0 : r - 1 != 0. Proof. exact: lt0r_neq0. Qed.
Let rp_gt0 : 0 < r + 1. Proof. exact: addr_gt0 r_gt0 ltr01. Qed.
Let rp_neq0 : r + 1 != 0. Proof. exact: lt0r_neq0. Qed.

Let w_gt0 x : 0 < weight r x. Proof. exact: weight_gt0. Qed.

Lemma geometric_mass_gt0 x : 0 < geometric_mass x.
Proof. by rewrite mulr_gt0 ?divr_gt0. Qed.

Lemma geometric_tail_gt0 k : 0 < geometric_tail k.
Proof. by rewrite mulr_gt0 ?divr_gt0. Qed.

(* What is not in the sum from k to n - 1 is the tail at n. *)
Lemma geometric_tail_sum k n : (k <= n)%N ->
  geometric_tail k = \sum_(k <= x < n) geometric_mass x + geometric_tail n.
Proof.
move=> kn; rewrite -mulr_sumr (geometric r_gt1 kn) /geometric_tail.
by field; rewrite r1_neq0 rp_neq0.
Qed.

(* The two tails from 1 and the mass at 0 are everything. *)
Lemma geometric_total : geometric_mass 0 + geometric_tail 1 *+ 2 = 1.
Proof. by rewrite /geometric_mass /geometric_tail /weight expr0 expr1 mulr2n; field; rewrite r_neq0 rp_neq0. Qed.

Lemma clamped_geometric_gt0 M c y : 0 < @clamped_geometric M c y.
Proof. by rewrite /clamped_geometric; do 2?case: ifP => _; rewrite ?geometric_tail_gt0 ?geometric_mass_gt0. Qed.

(* P(c + Z >= t) for a value c below t, and for t at most M. *)
Lemma clamped_geometric_tail M c t : (0 < t)%N -> (c <= t)%N -> (t <= M)%N ->
  \sum_(y < M.+1 | (t <= y)%N) @clamped_geometric M c y = geometric_tail (t - c).
Proof.
move=> t0 ct tM; pose F y := if y == 0%N then geometric_tail c
  else if y == M then geometric_tail (M - c) else geometric_mass (absdiff y c).
rewrite -(big_mkord (fun y => t <= y)%N F) (big_cat_nat _ (n := t)) //=; last exact: leqW.
rewrite big_nat_cond big1 ?add0r => [|y]; last by rewrite andbC; case: leqP => //= _ /ltnW.
rewrite big_nat_cond (eq_bigl (fun y => (t <= y < M.+1)%N && true)); last by move=> y; case: (t <= y)%N; rewrite ?andbT.
rewrite -big_nat_cond big_nat_recr //= {2}/F eqxx ifF; last by lia.
rewrite (@geometric_tail_sum (t - c) (M - c)); last by lia.
congr (_ + _); rewrite big_nat (eq_bigr (fun y => geometric_mass (y - c))) => [|y /andP[ty yM]]; last first.
  by rewrite /F !ifF //; [congr geometric_mass; rewrite /absdiff; lia | lia | lia].
rewrite -big_nat -{1}(subnK ct) -{1}(subnK (leq_trans ct tM)) big_addn addnK.
by apply: eq_bigr => x _; rewrite addnK.
Qed.

Theorem law_clamped_geometric M c : (0 < M)%N -> (c <= M)%N -> law (@clamped_geometric M c).
Proof.
move=> M0 cM; split=> [y|]; first exact: ltW (clamped_geometric_gt0 _ _).
have one : geometric_tail 1 + geometric_tail 0 = 1.
  by rewrite -geometric_total (@geometric_tail_sum 0 1) // big_nat1 mulr2n addrCA.
case: (posnP c) => [->|c0].
  rewrite (bigD1 ord0) //= {1}/clamped_geometric /= -[RHS]one addrC; congr (_ + _).
  by rewrite -[1%N]subn0 -(@clamped_geometric_tail M 0 1) //; apply: eq_bigl => y; rewrite -lt0n.
rewrite (bigID (fun y : 'I_M.+1 => c <= y)%N) /= clamped_geometric_tail // subnn addrC -[RHS]one; congr (_ + _).
pose F y := if y == 0%N then geometric_tail c
  else if y == M then geometric_tail (M - c) else geometric_mass (absdiff y c).
rewrite -(big_mkord (fun y => ~~ (c <= y)%N) F) (big_cat_nat _ (n := c)) //=; last exact: leqW.
rewrite [X in _ + X]big_nat_cond [X in _ + X]big1 ?addr0 => [|y]; last by case/andP => /andP[->].
rewrite (@geometric_tail_sum 1 c) // addrC.
rewrite big_nat_cond (eq_bigl (fun y => (0 <= y < c)%N && true)); last by move=> y; case: ltnP; rewrite ?andbF.
rewrite -big_nat_cond big_ltn //; congr (_ + _).
transitivity (\sum_(1 <= y < c) geometric_mass (absdiff y c)).
  by rewrite !big_nat; apply: eq_bigr => y /andP[y0 yc]; rewrite /F !ifF //; lia.
rewrite -!mulr_sumr sum_left //; congr (_ * _); congr bigop; congr index_iota; lia.
Qed.

(* The ratio is at most r^s for a shift by s, both ways, and it is reached at the ends. *)
Lemma weight_shift x y s : (x <= y + s)%N -> weight r y <= r ^+ s * weight r x.
Proof.
move=> le; rewrite /weight ler_pdivlMr ?exprn_gt0 // mulrC ler_pdivrMr ?exprn_gt0 // -exprD addnC.
by apply: ler_weXn2l => //; apply: ltW.
Qed.

Lemma clamped_geometric_ratio M c c' s y : (absdiff c c' <= s)%N ->
  @clamped_geometric M c y <= r ^+ s * @clamped_geometric M c' y.
Proof.
move=> le; rewrite /clamped_geometric /geometric_tail /geometric_mass; do 2?case: ifP => _; rewrite mulrCA ler_pM2l;
  rewrite ?divr_gt0 //; apply: weight_shift; move: le; rewrite /absdiff; lia.
Qed.

Theorem clamped_geometric_exact M c c' a : (c <= M)%N -> (c' <= M)%N -> (0 < M)%N ->
  dp a 0 (@clamped_geometric M c) (@clamped_geometric M c') <-> r ^+ absdiff c c' <= a.
Proof.
move=> cM c'M M0; split=> [/dp_pure H|le].
  case: (leqP c c') => cc.
    have := H ord0; rewrite /clamped_geometric /= /geometric_tail mulrCA ler_pM2l ?divr_gt0 //.
    rewrite /weight ler_pdivlMr ?exprn_gt0 // mulrC; apply: le_trans.
    rewrite ler_pdivlMr ?exprn_gt0 // -exprD; apply: ler_weXn2l; first exact: ltW.
    by rewrite /absdiff; lia.
  have M0' : (M == 0%N) = false by apply/eqP; lia.
  have := H ord_max; rewrite /clamped_geometric /= eqxx M0'.
  rewrite /geometric_tail mulrCA ler_pM2l ?divr_gt0 // /weight ler_pdivlMr ?exprn_gt0 // mulrC; apply: le_trans.
  rewrite ler_pdivlMr ?exprn_gt0 // -exprD; apply: ler_weXn2l; first exact: ltW.
  by rewrite /absdiff; lia.
apply: dp_monotone (law_clamped_geometric M0 c'M) le (lexx 0) _.
by apply/dp_pure => y; apply: clamped_geometric_ratio.
Qed.

(* A vector of counts with L1 change at most D. *)
Section Vector.
Variables (I : finType) (M D : nat).

Definition geometric_vector (v : I -> nat) : {ffun I -> 'I_M.+1} -> R := product (fun i => @clamped_geometric M (v i)).

Theorem geometric_vector_dp : (0 < M)%N -> mechanism_dp (r ^+ D) 0 (@l1_close I M D) geometric_vector.
Proof.
have one_way v v' : l1_close M D v v' -> dp (r ^+ D) 0 (geometric_vector v) (geometric_vector v').
  case=> vV v'V le; apply/dp_pure => f; rewrite /geometric_vector /product.
  apply: le_trans (_ : \prod_i (r ^+ absdiff (v i) (v' i) * @clamped_geometric M (v' i) (f i)) <= _).
    apply: ler_prod => i _; rewrite (ltW (clamped_geometric_gt0 _ _)) /=.
    exact: clamped_geometric_ratio.
  rewrite big_split /= prodrXr; apply: ler_wpM2r.
    by apply: prodr_ge0 => i _; apply: ltW (clamped_geometric_gt0 _ _).
  by apply: ler_weXn2l => //; apply: ltW.
by move=> M0 v v' nb; split; apply: one_way => //; apply: l1_close_sym.
Qed.

End Vector.
End Geometric.
Example geometric_vector_computes :
  geometric_vector (2%:R : rat) (I := (bool : finType)) (M := 2) (fun b => b : nat) [ffun b : bool => inord b] = 2%:R / 9%:R.
Proof. by rewrite /geometric_vector /product big_bool !ffunE /clamped_geometric !inordK. Qed.
