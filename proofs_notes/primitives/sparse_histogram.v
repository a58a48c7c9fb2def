(* The sparse (stability) histogram: every occupied cell releases a noisy count if that is above a threshold, empty cells
   release nothing. Neighbours: one item is moved to any cell.

   What a cell with count c >= 1 releases is any law [release c] on a finite set with one value for "not shown"; counts
   that differ by 1 must have a ratio of at most r. The whole is then (r^2, p)-DP, p = P(an item alone in its cell is
   shown), and p is needed. There may be any finite number of cells. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import zify.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import discrete.
From DPPCA.primitives Require Import truncated_laplace geometric_noise.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section SparseHistogram.
Variables (R : realFieldType) (T : finType) (hidden : T).
Variables (n : nat) (cell : finType).

Definition items := {ffun 'I_n -> cell}.
Definition count (x : items) (i : cell) : nat := #|[set m | x m == i]|.
Definition one_replaced (x x' : items) := exists m0, forall m, m != m0 -> x m = x' m.

(* What one cell releases, by its count. *)
Definition cell_release (release : nat -> T -> R) (c : nat) : T -> R :=
  if c == 0%N then dirac R hidden else release c.
Definition sparse_histogram (release : nat -> T -> R) (x : items) : {ffun cell -> T} -> R :=
  product (fun i => cell_release release (count x i)).

(* What noise has to satisfy: laws, with ratio at most r between the counts c and c + 1. *)
Definition stable_release (r : R) (release : nat -> T -> R) :=
  (forall c, (0 < c <= n)%N -> law (release c)) /\
  (forall c y, (0 < c < n)%N -> release c y <= r * release c.+1 y /\ release c.+1 y <= r * release c y).

Definition shown_alone (release : nat -> T -> R) : R := 1 - release 1%N hidden.

Section Guarantee.
Variables (r : R) (release : nat -> T -> R).
Hypotheses (r_ge1 : 1 <= r) (stable : stable_release r release).

Local Notation p := (shown_alone release).
Local Notation out := (cell_release release).

Let r_ge0 : 0 <= r. Proof. exact: le_trans ler01 r_ge1. Qed.

Lemma count_le x i : (count x i <= n)%N.
Proof. by rewrite -[X in (_ <= X)%N]card_ord max_card. Qed.

Lemma law_out x i : law (out (count x i)).
Proof.
rewrite /cell_release; case: eqP => [_|/eqP c0]; first exact: law_dirac.
by apply: (proj1 stable); rewrite lt0n c0 count_le.
Qed.

Theorem law_sparse_histogram x : law (sparse_histogram release x).
Proof. by apply: law_product => i; apply: law_out. Qed.

(* Replacing the item m0 takes one from the count of its old cell and gives one to that of its new cell. *)
Lemma count_replaced (x x' : items) m0 : (forall m, m != m0 -> x m = x' m) -> forall i,
  (count x i + (x' m0 == i) = count x' i + (x m0 == i))%N.
Proof.
move=> same i; rewrite /count (cardsD1 m0) (cardsD1 m0 [set m | x' m == i]) !inE.
suff -> : [set m | x m == i] :\ m0 = [set m | x' m == i] :\ m0 by lia.
by apply/setP => m; rewrite !inE; case: eqP => //= /eqP ne; rewrite same.
Qed.

Lemma out_up c y : (0 < c < n)%N -> out c y <= r * out c.+1 y /\ out c.+1 y <= r * out c y.
Proof. by move=> cn; rewrite /cell_release gtn_eqF; [apply: (proj2 stable) | case/andP: cn]. Qed.

Lemma one_way x x' : one_replaced x x' ->
  dp (r ^+ 2) p (sparse_histogram release x) (sparse_histogram release x').
Proof.
case=> m0 same; have cE := count_replaced same.
have n0 : (0 < n)%N by apply: leq_ltn_trans (ltn_ord m0).
have l1 : law (release 1%N) by apply: (proj1 stable).
pose s := release 1%N hidden; have s0 : 0 <= s by apply: law_ge0.
have s1 : s <= 1 by rewrite -(law_sum l1) (bigD1 hidden) //= lerDl; apply: sumr_ge0 => y _; apply: law_ge0.
have lx := law_sparse_histogram x; have lx' := law_sparse_histogram x'.
case: (eqVneq (x m0) (x' m0)) => [e|ne].
  have -> : x = x' by apply/ffunP => m; case: (eqVneq m m0) => [->//|/same].
  apply: dp_monotone (dp_refl _) => //; first by rewrite exprn_ege1.
  by rewrite /shown_alone subr_ge0.
set i := x m0 in ne cE *; set j := x' m0 in ne cE *.
have ci : count x i = (count x' i).+1 by have := cE i; rewrite eqxx eq_sym (negPf ne); lia.
have cj : count x' j = (count x j).+1 by have := cE j; rewrite eqxx (negPf ne); lia.
have ck k : k != i -> k != j -> count x k = count x' k.
  by move=> ki kj; have := cE k; rewrite !(eq_sym _ k) (negPf ki) (negPf kj); lia.
have cni := count_le x i; have cnj := count_le x' j.
pose g k := if (k == i) && (count x i == 1%N) then dirac R hidden else out (count x k).
have lg k : law (g k) by rewrite /g; case: ifP => _; [apply: law_dirac | apply: law_out].
have g0 k y : 0 <= g k y by apply: law_ge0.
have gi y : s * g i y <= out (count x i) y.
  rewrite /g eqxx /=; case: (eqVneq (count x i) 1%N) => [->|_]; last first.
    by apply: ler_piMl => //; apply: law_ge0; apply: law_out.
  rewrite /cell_release /= /dirac; case: (eqVneq y hidden) => [->|_]; first by rewrite mulr1.
  by rewrite mulr0; apply: law_ge0.
have qi y : g i y <= r * out (count x' i) y.
  rewrite /g eqxx /= ci eqSS; case: (posnP (count x' i)) => [->|c0].
    by rewrite /cell_release /= ler_peMl // ler0n.
  by apply: (proj2 (out_up _ _)); lia.
have qj y : s * g j y <= r * out (count x' j) y.
  have -> : g j = out (count x j) by rewrite /g eq_sym (negPf ne).
  rewrite cj; case: (posnP (count x j)) => [->|c0]; last first.
    apply: le_trans (_ : out (count x j) y <= _); first by apply: ler_piMl => //; apply: law_ge0; apply: law_out.
    by apply: (proj1 (out_up _ _)); lia.
  rewrite /cell_release /= /dirac; apply: le_trans (_ : release 1%N y <= _); last first.
    by apply: ler_peMl => //; apply: law_ge0.
  by case: (eqVneq y hidden) => [->|_]; rewrite ?mulr1 ?mulr0 // law_ge0.
have rest (h h' : cell -> T -> R) (f : {ffun cell -> T}) : (forall k, k != i -> k != j -> h k = h' k) ->
    \prod_(k | (k != i) && (k != j)) h k (f k) = \prod_(k | (k != i) && (k != j)) h' k (f k).
  by move=> e; apply: eq_bigr => k /andP[ki kj]; rewrite e.
have split2 (h : cell -> T -> R) (f : {ffun cell -> T}) :
    product h f = h i (f i) * h j (f j) * \prod_(k | (k != i) && (k != j)) h k (f k).
  by rewrite /product (bigD1 i) //= (bigD1 j) /= ?mulrA // eq_sym.
have rest0 (f : {ffun cell -> T}) : 0 <= \prod_(k | (k != i) && (k != j)) g k (f k) by apply: prodr_ge0.
apply: (@dp_below _ _ _ _ _ _ (fun f => s * product g f)) => // [f|f|].
- have e : (forall k, k != i -> g k = out (count x k)) -> _ := fun h => rest g (fun k => out (count x k)) f (fun k ki _ => h k ki).
  rewrite /sparse_histogram !split2 !mulrA -{}e => [|k /negPf ki]; last by rewrite /g ki.
  apply: ler_wpM2r => //; apply: ler_pM => //; first exact: mulr_ge0.
  by rewrite /g eq_sym (negPf ne).
- have e := rest g (fun k => out (count x' k)) f.
  rewrite /sparse_histogram !split2 !mulrA -{}e => [|k ki kj]; last by rewrite /g (negPf ki) (ck k ki kj).
  apply: ler_wpM2r => //.
  have -> : s * g i (f i) * g j (f j) = g i (f i) * (s * g j (f j)) by rewrite [s * _]mulrC mulrA.
  have -> : r ^+ 2 * out (count x' i) (f i) * out (count x' j) (f j) =
    r * out (count x' i) (f i) * (r * out (count x' j) (f j)) by rewrite expr2; ring.
  by apply: ler_pM => //; apply: mulr_ge0.
- rewrite -mulr_sumr (law_sum (law_product lg)) mulr1 /shown_alone.
  by rewrite opprB addrC subrK.
Qed.

Theorem sparse_histogram_dp : mechanism_dp (r ^+ 2) p one_replaced (sparse_histogram release).
Proof.
move=> x x' nb; split; apply: one_way => //.
by case: nb => m0 same; exists m0 => m /same.
Qed.

(* p is needed, whatever the factor: the item leaves its cell, and the cell can no longer be shown. *)
Theorem sparse_histogram_exact (i j : cell) d : i != j -> (0 < n)%N ->
  mechanism_dp (r ^+ 2) d one_replaced (sparse_histogram release) <-> p <= d.
Proof.
move=> ij n0; split=> [H|le]; last first.
  move=> x x' nb; have [H1 H2] := sparse_histogram_dp nb.
  by split; [apply: dp_monotone H1 | apply: dp_monotone H2] => //; apply: law_sparse_histogram.
pose m0 := Ordinal n0.
pose x : items := [ffun m => if m == m0 then i else j]; pose x' : items := [ffun=> j].
have nb : one_replaced x x' by exists m0 => m /negPf ne; rewrite !ffunE ne.
have cx : count x i = 1%N.
  rewrite /count (_ : [set m | x m == i] = [set m0]) ?cards1 //; apply/setP => m; rewrite !inE ffunE.
  by case: (m == m0); rewrite ?eqxx // eq_sym; apply: negPf.
have cx' : count x' i = 0%N.
  by rewrite /count (_ : [set m | x' m == i] = set0) ?cards0 //; apply/setP => m; rewrite !inE ffunE eq_sym (negPf ij).
pose A := [set y : T | y != hidden].
have [/(dp_post_processing_function (fun f : {ffun cell -> T} => f i)) HA _] := H x x' nb.
have marginal z y : push (fun f : {ffun cell -> T} => f i) (sparse_histogram release z) y = out (count z i) y.
  rewrite /push /sparse_histogram /product.
  pose F k w := if k == i then (w == y)%:R * out (count z k) w else out (count z k) w.
  transitivity (\sum_(f : {ffun cell -> T}) \prod_k F k (f k)).
    rewrite big_mkcond; apply: eq_bigr => f _; rewrite [RHS](bigD1 i) //= [in LHS](bigD1 i) //= {1}/F eqxx.
    have -> : \prod_(k | k != i) F k (f k) = \prod_(k | k != i) out (count z k) (f k).
      by apply: eq_bigr => k /negPf ne; rewrite /F ne.
    by case: eqP => _; rewrite ?mul1r // !mul0r.
  rewrite -(bigA_distr_bigA F) (bigD1 i) //= [X in _ * X]big1 ?mulr1; last first.
    by move=> k /negPf ne; rewrite /F; under eq_bigr do rewrite ne; apply: law_sum (law_out z k).
  rewrite (bigD1 y) //= /F !eqxx mul1r big1 ?addr0 // => w /negPf ->.
  by rewrite mul0r.
have := HA A; rewrite /pr !(eq_bigr _ (fun y _ => marginal _ y)) cx cx'.
rewrite [X in _ <= _ * X + _]big1 ?mulr0 ?add0r; last by move=> y; rewrite inE /cell_release /= /dirac => /negPf ->.
apply: le_trans; rewrite le_eqVlt; apply/orP; left; apply/eqP.
have /law_sum e : law (release 1%N) by apply: (proj1 stable).
rewrite /shown_alone -e (bigD1 hidden) //= addrC addKr; by apply: eq_bigl => y; rewrite inE.
Qed.

End Guarantee.
End SparseHistogram.

(* Geometric noise: counts up to M, shown if the noisy count is above t. Value 0 stands for "not shown". *)
Section Geometric.
Variables (R : realFieldType) (r : R) (n M t : nat) (cell : finType).
Hypotheses (r_gt1 : 1 < r) (nM : (n <= M)%N) (t0 : (0 < t)%N) (tM : (t < M)%N).

Definition show (y : 'I_M.+1) : 'I_M.+1 := if (y <= t)%N then ord0 else y.
Definition geometric_release (c : nat) : 'I_M.+1 -> R := push show (@clamped_geometric R r M c).

Let r_gt0 : 0 < r. Proof. exact: lt_trans r_gt1. Qed.

Lemma geometric_release_stable : stable_release n r geometric_release.
Proof.
have M0 : (0 < M)%N by apply: leq_ltn_trans tM.
split=> [c /andP[_ cn]|c y /andP[_ cn]].
  by apply/law_push/law_clamped_geometric => //; apply: leq_trans nM.
have H c' c'' : absdiff c' c'' = 1%N -> dp r 0 (geometric_release c') (geometric_release c'').
  move=> e; apply: dp_post_processing_function; apply/dp_pure => z.
  by have := clamped_geometric_ratio r_gt1 z (leqnn (absdiff c' c'')); rewrite e expr1.
by split; apply: (proj1 (dp_pure _ _ _)); apply: H; rewrite /absdiff; lia.
Qed.

Lemma geometric_shown_alone : shown_alone ord0 geometric_release = r ^- t.-1 / (r + 1).
Proof.
have M0 : (0 < M)%N by apply: leq_ltn_trans tM.
have lg := law_clamped_geometric r_gt1 M0 M0.
have := clamped_geometric_tail r_gt1 (ltn0Sn t) (ltn0Sn t) tM.
rewrite subn1 /= /geometric_tail /weight => tail.
have -> : r ^- t.-1 / (r + 1) = r / (r + 1) * r ^- t.
  rewrite -{2}(prednK t0) exprS; field.
  by rewrite !lt0r_neq0 ?exprn_gt0 ?addr_gt0 ?ltr01.
rewrite -tail /shown_alone /geometric_release /push -(law_sum lg) [X in X - _](bigID (fun y => show y == ord0)) /= addrC addKr.
apply: eq_bigl => y; rewrite /show ltnNge; congr (~~ _); case: leqP => // lt.
by apply/negbTE; rewrite -val_eqE /= -lt0n (leq_trans _ lt).
Qed.

Theorem geometric_sparse_histogram (i j : cell) d : i != j -> (0 < n)%N ->
  mechanism_dp (r ^+ 2) d (@one_replaced n cell) (sparse_histogram ord0 geometric_release) <-> r ^- t.-1 / (r + 1) <= d.
Proof.
move=> ij n0; rewrite -geometric_shown_alone.
exact: (sparse_histogram_exact ord0 (ltW r_gt1) geometric_release_stable d ij n0).
Qed.

End Geometric.
