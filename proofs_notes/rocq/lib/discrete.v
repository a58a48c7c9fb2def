(* Differential privacy of laws on finite sets.

   A law is a function p : T -> R on a finite type, with values in any ordered field: exact rationals or real numbers.
   A factor [a] stands for e^epsilon, so that nothing here needs the exponential function. [dp a d p q] says
   p(A) <= a q(A) + d for every event A: one direction. [mechanism_dp] asks for both.
   A kernel K : T -> U -> R gives a law on U for every value in T. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Definitions.
Variable R : realFieldType.

Definition law (T : finType) (p : T -> R) := (forall x, 0 <= p x) /\ \sum_x p x = 1.

(* The probability of an event, and the mean of a function. *)
Definition pr (T : finType) (p : T -> R) (A : {set T}) := \sum_(x in A) p x.
Definition mean (T : finType) (p : T -> R) (h : T -> R) := \sum_x p x * h x.

Definition dp (T : finType) (a d : R) (p q : T -> R) := forall A : {set T}, pr p A <= a * pr q A + d.

(* The hockey-stick divergence of order a: the smallest d (dp_hockey_stick below). *)
Definition hockey_stick (T : finType) (a : R) (p q : T -> R) := \sum_x Num.max 0 (p x - a * q x).

Definition dirac (T : finType) (x : T) (y : T) : R := (y == x)%:R.

(* The law of the output of a kernel, of a function, and of a pair (input, output). *)
Definition bind (T U : finType) (p : T -> R) (K : T -> U -> R) (y : U) := \sum_x p x * K x y.
Definition push (T U : finType) (f : T -> U) (p : T -> R) (y : U) := \sum_(x | f x == y) p x.
Definition joint (T U : finType) (p : T -> R) (K : T -> U -> R) (z : T * U) := p z.1 * K z.1 z.2.

(* A mixture with weights w; independent laws, one for each i. *)
Definition mixture (I T : finType) (w : I -> R) (p : I -> T -> R) (x : T) := \sum_i w i * p i x.
Definition product (I T : finType) (p : I -> T -> R) (f : {ffun I -> T}) := \prod_i p i (f i).

(* n releases, each a kernel of the releases before it. *)
Definition transcript (T : finType) (n : nat) (K : seq T -> T -> R) (t : n.-tuple T) :=
  \prod_(i < n) K (take i t) (tnth t i).

(* A mechanism gives a law for every data set in X; the privacy guarantee is in both directions. *)
Definition is_mechanism (X : Type) (T : finType) (M : X -> T -> R) := forall x, law (M x).
Definition mechanism_dp (X : Type) (T : finType) (a d : R) (neighbours : X -> X -> Prop) (M : X -> T -> R) :=
  forall x x', neighbours x x' -> dp a d (M x) (M x') /\ dp a d (M x') (M x).

(* x' is reached from x by k steps to a neighbour. *)
Inductive distance (X : Type) (neighbours : X -> X -> Prop) : nat -> X -> X -> Prop :=
| Distance0 x : distance neighbours 0 x x
| DistanceS k x y z : neighbours x y -> distance neighbours k y z -> distance neighbours k.+1 x z.

End Definitions.
Arguments transcript {R T} n K t.

Section Laws.
Variable R : realFieldType.
Implicit Types T U I : finType.

Lemma law_ge0 T (p : T -> R) x : law p -> 0 <= p x. Proof. by case. Qed.
Lemma law_sum T (p : T -> R) : law p -> \sum_x p x = 1. Proof. by case. Qed.
Hint Resolve law_ge0 : core.

Lemma pr_ge0 T (p : T -> R) A : law p -> 0 <= pr p A.
Proof. by move=> lp; apply: sumr_ge0 => x _; apply: law_ge0. Qed.

Lemma pr_setC T (p : T -> R) A : law p -> pr p (~: A) = 1 - pr p A.
Proof.
move=> lp; rewrite -(law_sum lp) /pr [in RHS](bigID (mem A)) /= [_ + \sum_(x | _) _]addrC addrK.
by apply: eq_bigl => x; rewrite inE.
Qed.

Lemma pr_le1 T (p : T -> R) A : law p -> pr p A <= 1.
Proof. by move=> lp; rewrite -subr_ge0 -pr_setC // pr_ge0. Qed.

Lemma pr_mean T (p : T -> R) A : pr p A = mean p (fun x => (x \in A)%:R).
Proof. by rewrite /pr /mean big_mkcond; apply: eq_bigr => x _; case: (x \in A); rewrite ?mulr1 ?mulr0. Qed.

Lemma law_dirac T (x : T) : law (dirac R x).
Proof.
split=> [y|]; first exact: ler0n.
by rewrite (bigD1 x) //= /dirac eqxx big1 ?addr0 // => y /negPf ->.
Qed.

Lemma law_bind T U (p : T -> R) (K : T -> U -> R) : law p -> (forall x, law (K x)) -> law (bind p K).
Proof.
move=> lp lK; split=> [y|]; first by apply: sumr_ge0 => x _; apply: mulr_ge0; apply: law_ge0.
rewrite exchange_big /= -(law_sum lp); apply: eq_bigr => x _.
by rewrite -mulr_sumr law_sum ?mulr1.
Qed.

Lemma law_joint T U (p : T -> R) (K : T -> U -> R) : law p -> (forall x, law (K x)) -> law (joint p K).
Proof.
move=> lp lK; split=> [z|]; first by apply: mulr_ge0; apply: law_ge0.
rewrite /joint -(pair_big xpredT xpredT (fun x y => p x * K x y)) /= -(law_sum lp).
by apply: eq_bigr => x _; rewrite -mulr_sumr law_sum ?mulr1.
Qed.

Lemma push_bind T U (f : T -> U) (p : T -> R) y : push f p y = bind p (fun x => dirac R (f x)) y.
Proof.
rewrite /push /bind big_mkcond; apply: eq_bigr => x _.
by rewrite /dirac eq_sym; case: (_ == _); rewrite ?mulr1 ?mulr0.
Qed.

Lemma law_eq T (p p' : T -> R) : p =1 p' -> law p -> law p'.
Proof. by move=> e [p0 p1]; split=> [x|]; rewrite -?e // -p1; apply: eq_bigr => x _; rewrite e. Qed.

Lemma law_push T U (f : T -> U) (p : T -> R) : law p -> law (push f p).
Proof.
move=> lp; apply: (@law_eq _ (bind p (fun x => dirac R (f x)))); first by move=> y; rewrite push_bind.
by apply: law_bind => // x; apply: law_dirac.
Qed.

Lemma pr_push T U (f : T -> U) (p : T -> R) (B : {set U}) : pr (push f p) B = pr p (f @^-1: B).
Proof.
rewrite /pr /push [RHS](partition_big f (mem B)) /=; last by move=> x; rewrite inE.
apply: eq_bigr => y yB; apply: eq_bigl => x.
by rewrite inE; case: eqP => [->|]; rewrite ?yB ?andbF.
Qed.

Lemma law_mixture I T (w : I -> R) (p : I -> T -> R) : law w -> (forall i, law (p i)) -> law (mixture w p).
Proof. exact: law_bind. Qed.

Lemma law_product I T (p : I -> T -> R) : (forall i, law (p i)) -> law (product p).
Proof.
move=> lp; split=> [f|]; first by apply: prodr_ge0 => i _; apply: law_ge0.
by rewrite /product -(bigA_distr_bigA (fun i x => p i x)) big1 // => i _; apply: law_sum.
Qed.

(* The two forms of the definition: every event, and one number. *)

Lemma hockey_stick_ge0 T a (p q : T -> R) : 0 <= hockey_stick a p q.
Proof. by apply: sumr_ge0 => x _; rewrite le_max lexx. Qed.

Lemma hockey_stick_attained T a (p q : T -> R) :
  let A := [set x | a * q x < p x] in hockey_stick a p q = pr p A - a * pr q A.
Proof.
rewrite /= /pr mulr_sumr -sumrB [RHS]big_mkcond; apply: eq_bigr => x _ /=.
rewrite inE; case: ltP => [lt|le]; first by rewrite max_r // subr_ge0 ltW.
by rewrite max_l // subr_le0.
Qed.

(* Every test with values in [0, 1] obeys the inequality of the events: the form that composes. *)
Lemma mean_hockey_stick T a (p q h : T -> R) : (forall x, 0 <= h x <= 1) ->
  mean p h <= a * mean q h + hockey_stick a p q.
Proof.
move=> h01; rewrite -lerBlDl /mean mulr_sumr -sumrB; apply: ler_sum => x _.
rewrite mulrA -mulrBl; have /andP[h0 h1] := h01 x.
case: (leP 0 (p x - a * q x)) => [ge|lt]; first by rewrite ler_piMr.
by apply: mulr_le0_ge0 => //; apply: ltW.
Qed.

Theorem dp_hockey_stick T a d (p q : T -> R) : dp a d p q <-> hockey_stick a p q <= d.
Proof.
split=> [H|H A]; first by rewrite hockey_stick_attained lerBlDl; apply: H.
rewrite !pr_mean; apply: le_trans (_ : _ <= a * mean q (fun x => (x \in A)%:R) + hockey_stick a p q) _.
  by apply: mean_hockey_stick => x; case: (_ \in _); rewrite ?ler01 ?lexx.
by rewrite lerD2l.
Qed.

Lemma dp_mean T a d (p q h : T -> R) : dp a d p q -> (forall x, 0 <= h x <= 1) -> mean p h <= a * mean q h + d.
Proof.
move=> /dp_hockey_stick H h01; apply: le_trans (mean_hockey_stick a p q h01) _.
by rewrite lerD2l.
Qed.

Lemma dp_ge0 T a d (p q : T -> R) : dp a d p q -> 0 <= d.
Proof. by move=> /dp_hockey_stick; apply: le_trans (hockey_stick_ge0 _ _ _). Qed.

Lemma dp_refl T (p : T -> R) : dp 1 0 p p.
Proof. by move=> A; rewrite mul1r addr0. Qed.

Lemma dp_eq T a d (p p' q q' : T -> R) : p =1 p' -> q =1 q' -> dp a d p q -> dp a d p' q'.
Proof.
move=> ep eq H A; have := H A; rewrite /pr.
by rewrite (eq_bigr _ (fun x _ => ep x)) (eq_bigr _ (fun x _ => eq x)).
Qed.

(* Pure privacy is a bound on the ratio of the masses, point by point. *)
Theorem dp_pure T a (p q : T -> R) : dp a 0 p q <-> (forall x, p x <= a * q x).
Proof.
split=> [H x|H A]; last by rewrite addr0 /pr mulr_sumr; apply: ler_sum.
by have := H [set x]; rewrite addr0 /pr !big_set1.
Qed.

(* A ratio of at most a outside a set of probability d. *)
Theorem dp_bad_set T a d (p q : T -> R) (B : {set T}) : law p -> law q -> 0 <= a ->
  (forall x, x \notin B -> p x <= a * q x) -> pr p B <= d -> dp a d p q.
Proof.
move=> lp lq a0 ratio bad A; rewrite /pr (bigID (mem B)) /= addrC; apply: lerD.
  rewrite mulr_sumr [leRHS](bigID (mem B)) /=; apply: ler_wpDl; last first.
    by apply: ler_sum => x /andP[_]; apply: ratio.
  by apply: sumr_ge0 => x _; apply: mulr_ge0 => //; apply: law_ge0.
apply: le_trans bad; rewrite /pr [leRHS](bigID (mem A)) /= -[leLHS]addr0; apply: lerD.
  by rewrite le_eqVlt; apply/orP; left; apply/eqP/eq_bigl => x; rewrite andbC.
by apply: sumr_ge0 => x _; apply: law_ge0.
Qed.

Theorem dp_monotone T a a' d d' (p q : T -> R) : law q -> a <= a' -> d <= d' -> dp a d p q -> dp a' d' p q.
Proof.
move=> lq aa dd H A; apply: le_trans (H A) _; apply: lerD => //.
by apply: ler_wpM2r => //; apply: pr_ge0.
Qed.

(* Post-processing: by a kernel, which may be random, and by a function. *)
Lemma pr_bind T U (p : T -> R) (K : T -> U -> R) B : pr (bind p K) B = mean p (fun x => pr (K x) B).
Proof. by rewrite /pr /bind exchange_big /=; apply: eq_bigr => x _; rewrite mulr_sumr. Qed.

Theorem dp_post_processing T U a d (p q : T -> R) (K : T -> U -> R) :
  (forall x, law (K x)) -> dp a d p q -> dp a d (bind p K) (bind q K).
Proof.
move=> lK H B; rewrite !pr_bind; apply: dp_mean => // x.
by rewrite pr_ge0 // pr_le1.
Qed.

Theorem dp_post_processing_function T U a d (p q : T -> R) (f : T -> U) :
  dp a d p q -> dp a d (push f p) (push f q).
Proof. by move=> H B; rewrite !pr_push. Qed.

(* Group privacy, in two steps. *)
Theorem dp_transitive T a a' d d' (p q r : T -> R) : 0 <= a ->
  dp a d p q -> dp a' d' q r -> dp (a * a') (d + a * d') p r.
Proof.
move=> a0 H H' A; apply: le_trans (H A) _.
rewrite [d + _]addrC addrA lerD2r -mulrA -mulrDr; exact: ler_wpM2l.
Qed.

(* Convexity: the means of the deltas, by the same choice of the law on both sides. *)
Theorem dp_mixture I T a (d w : I -> R) (p q : I -> T -> R) : (forall i, 0 <= w i) ->
  (forall i, dp a (d i) (p i) (q i)) -> dp a (mean w d) (mixture w p) (mixture w q).
Proof.
move=> w0 H A; rewrite /mixture !(pr_bind w _ A) /mean mulr_sumr -big_split /=.
by apply: ler_sum => i _; rewrite mulrCA -mulrDr; apply: ler_wpM2l => //; apply: H.
Qed.

Theorem dp_convex T a d d' s (p q p' q' : T -> R) : 0 <= s <= 1 -> dp a d p q -> dp a d' p' q' ->
  dp a (s * d + (1 - s) * d') (fun x => s * p x + (1 - s) * p' x) (fun x => s * q x + (1 - s) * q' x).
Proof.
move=> /andP[s0 s1] H H' A; rewrite /pr !big_split /= -!mulr_sumr.
have -> : forall u v u' v' : R, a * (s * u + (1 - s) * v) + (s * u' + (1 - s) * v') =
  s * (a * u + u') + (1 - s) * (a * v + v') by move=> *; ring.
by apply: lerD; apply: ler_wpM2l; rewrite ?subr_ge0 //; [apply: H | apply: H'].
Qed.

(* Composition. The part of p below a q is at most a q, and the rest has the mass d. *)
Lemma sum_min T a (p q : T -> R) : law p -> \sum_x Num.min (p x) (a * q x) = 1 - hockey_stick a p q.
Proof.
move=> lp; rewrite -(law_sum lp) -sumrB; apply: eq_bigr => x _.
case: (leP (p x) (a * q x)) => [le|lt]; first by rewrite max_l ?subr0 // subr_le0.
by rewrite max_r ?subKr // subr_ge0 ltW.
Qed.

Lemma dp_below T a d (p q m : T -> R) : law p -> (forall x, m x <= p x) -> (forall x, m x <= a * q x) ->
  1 - d <= \sum_x m x -> dp a d p q.
Proof.
move=> lp mp mq md; apply/dp_hockey_stick; apply: le_trans (_ : \sum_x (p x - m x) <= _); last first.
  by rewrite sumrB law_sum // lerBlDr -lerBlDl.
apply: ler_sum => x _; rewrite ge_max subr_ge0 mp /=.
by rewrite lerD2l lerNl opprK.
Qed.

(* Basic adaptive composition: the second release may depend on the first, and both are released. *)
Theorem dp_adaptive_composition T U a a' d d' (p q : T -> R) (K L : T -> U -> R) :
  law p -> law q -> (forall x, law (K x)) -> (forall x, law (L x)) -> 0 <= a -> 0 <= a' ->
  dp a d p q -> (forall x, dp a' d' (K x) (L x)) -> dp (a * a') (d + d') (joint p K) (joint q L).
Proof.
move=> lp lq lK lL a0 a'0 H H'.
have d0 := dp_ge0 H; have [y0 _|none] := pickP (fun _ : T => true); last first.
  by have := law_sum lp; rewrite big_pred0 // => /eqP; rewrite eq_sym oner_eq0.
have d'0 := dp_ge0 (H' y0).
case: (leP 1 d') => [ge1|lt1].
  move=> A; have le1 := pr_le1 A (law_joint lp lK); apply: le_trans le1 _.
  apply: ler_wpDl; last exact: ler_wpDl.
  by rewrite mulr_ge0 ?mulr_ge0 // pr_ge0 //; apply: law_joint.
pose m (z : T * U) := Num.min (p z.1) (a * q z.1) * Num.min (K z.1 z.2) (a' * L z.1 z.2).
have mp0 x : 0 <= Num.min (p x) (a * q x) by rewrite le_min law_ge0 //= mulr_ge0 // law_ge0.
have mK0 x y : 0 <= Num.min (K x y) (a' * L x y) by rewrite le_min law_ge0 //= mulr_ge0 // law_ge0.
apply: (@dp_below _ _ _ _ _ m); first exact: law_joint.
- by move=> [x y]; apply: ler_pM => //=; rewrite ge_min lexx.
- by move=> [x y]; rewrite /joint mulrACA; apply: ler_pM => //=; rewrite ge_min lexx orbT.
rewrite /m -(pair_big xpredT xpredT (fun x y => Num.min (p x) (a * q x) * Num.min (K x y) (a' * L x y))) /=.
apply: le_trans (_ : (1 - d) * (1 - d') <= _).
    by rewrite -subr_ge0 [X in 0 <= X](_ : _ = d * d'); [apply: mulr_ge0 | ring].
apply: le_trans (_ : \sum_x Num.min (p x) (a * q x) * (1 - d') <= _).
  rewrite -mulr_suml sum_min //; apply: ler_wpM2r; first by rewrite subr_ge0 ltW.
  by rewrite lerD2l lerNl opprK; apply/dp_hockey_stick.
apply: ler_sum => x _; rewrite -mulr_sumr sum_min //; apply: ler_wpM2l => //.
by rewrite lerD2l lerNl opprK; apply/dp_hockey_stick.
Qed.

(* Independent releases, one for each i of a finite set, with the exact share of the deltas. *)
Lemma product_bound I (d : I -> R) : (forall i, 0 <= d i <= 1) -> 1 - \sum_i d i <= \prod_i (1 - d i).
Proof.
move=> d01; suff [//] : 1 - \sum_i d i <= \prod_i (1 - d i) /\ 0 <= \sum_i d i /\ 0 <= \prod_i (1 - d i) <= 1.
apply: (big_ind2 (fun s m => 1 - s <= m /\ 0 <= s /\ 0 <= m <= 1)).
- by rewrite subr0 lexx ler01.
- move=> s m s' m' [le [s0 /andP[m0 m1]]] [le' [s'0 /andP[m'0 m'1]]]; split; last first.
    by rewrite addr_ge0 // mulr_ge0 // mulr_ile1.
  case: (leP 1 s') => [ge1|lt1].
    apply: le_trans (_ : 0 <= _); last exact: mulr_ge0.
    by rewrite opprD addrA subr_le0; apply: le_trans ge1; rewrite gerDl oppr_le0.
  apply: le_trans (_ : (1 - s') * m <= _); last by rewrite mulrC ler_wpM2l.
  rewrite mulrBl mul1r opprD addrA; apply: lerD => //; rewrite lerNl opprK.
  exact: ler_piMr.
- move=> i _; have /andP[d0 d1] := d01 i.
  by rewrite lexx d0 subr_ge0 d1 gerDl oppr_le0 d0.
Qed.

Theorem dp_product I T (a d : I -> R) (p q : I -> T -> R) :
  (forall i, law (p i)) -> (forall i, law (q i)) -> (forall i, 0 <= a i) -> (forall i, d i <= 1) ->
  (forall i, dp (a i) (d i) (p i) (q i)) -> dp (\prod_i a i) (1 - \prod_i (1 - d i)) (product p) (product q).
Proof.
move=> lp lq a0 d1 H.
have m0 i x : 0 <= Num.min (p i x) (a i * q i x) by rewrite le_min law_ge0 //= mulr_ge0 // law_ge0.
apply: (@dp_below _ _ _ _ _ (product (fun i x => Num.min (p i x) (a i * q i x)))); first exact: law_product.
- by move=> f; apply: ler_prod => i _; rewrite m0 ge_min lexx.
- by move=> f; rewrite /product -big_split /=; apply: ler_prod => i _; rewrite m0 ge_min lexx orbT.
rewrite subKr /product -(bigA_distr_bigA (fun i x => Num.min (p i x) (a i * q i x))) /=.
apply: ler_prod => i _; rewrite subr_ge0 d1 sum_min //=.
by rewrite lerD2l lerNl opprK; apply/dp_hockey_stick.
Qed.

Theorem dp_independent_composition I T (a d : I -> R) (p q : I -> T -> R) :
  (forall i, law (p i)) -> (forall i, law (q i)) -> (forall i, 0 <= a i) ->
  (forall i, dp (a i) (d i) (p i) (q i)) -> dp (\prod_i a i) (\sum_i d i) (product p) (product q).
Proof.
move=> lp lq a0 H; have d0 i := dp_ge0 (H i).
have lpp := law_product lp; have lpq := law_product lq.
case: (boolP [forall i, d i <= 1]) => [/forallP d1|]; last first.
  rewrite negb_forall => /existsP[i]; rewrite -ltNge => gt1 A.
  apply: le_trans (pr_le1 A lpp) _; apply: ler_wpDl.
    by apply: mulr_ge0; [apply: prodr_ge0 | apply: pr_ge0].
  rewrite (bigD1 i) //=; apply: ler_wpDr; [exact: sumr_ge0 | exact: ltW].
apply: dp_monotone (dp_product lp lq a0 d1 H) => //.
by rewrite lerBlDr -lerBlDl product_bound // => i; rewrite d0 d1.
Qed.

(* Parallel composition: only one of the independent releases depends on what changes. The divergence is unchanged. *)
Theorem hockey_stick_parallel I T a (p q : I -> T -> R) (i0 : I) :
  (forall i, law (p i)) -> (forall i, i != i0 -> p i =1 q i) ->
  hockey_stick a (product p) (product q) = hockey_stick a (p i0) (q i0).
Proof.
move=> lp same.
pose F i x := if i == i0 then Num.max 0 (p i x - a * q i x) else p i x.
transitivity (\sum_f product F f).
  apply: eq_bigr => f _; rewrite /product [in RHS](bigD1 i0) //= /F eqxx.
  rewrite (bigD1 i0) //= [\prod_i q i (f i)](bigD1 i0) //=.
  have -> : \prod_(i | i != i0) q i (f i) = \prod_(i | i != i0) p i (f i).
    by apply: eq_bigr => i ne; rewrite same.
  have -> : \prod_(i | i != i0) (if i == i0 then Num.max 0 (p i (f i) - a * q i (f i)) else p i (f i)) =
            \prod_(i | i != i0) p i (f i) by apply: eq_bigr => i /negPf ->.
  rewrite mulrA -mulrBl -[in LHS](mul0r (\prod_(i | i != i0) p i (f i))) maxr_pMl //.
  by apply: prodr_ge0 => i _; apply: law_ge0.
rewrite /product -(bigA_distr_bigA F) (bigD1 i0) //= [X in _ * X]big1 ?mulr1.
  by apply: eq_bigr => x _; rewrite /F eqxx.
by move=> i /negPf ne; rewrite /F; under eq_bigr do rewrite ne; apply: law_sum.
Qed.

Theorem dp_parallel_composition I T a d (p q : I -> T -> R) (i0 : I) :
  (forall i, law (p i)) -> (forall i, i != i0 -> p i =1 q i) ->
  dp a d (p i0) (q i0) -> dp a d (product p) (product q).
Proof. by move=> lp same /dp_hockey_stick H; apply/dp_hockey_stick; rewrite (hockey_stick_parallel _ lp same). Qed.

(* n adaptive releases: release i may depend on all releases before it. *)
Lemma transcript_cons T (K : seq T -> T -> R) n x (t : n.-tuple T) :
  transcript n.+1 K [tuple of x :: t] = K [::] x * transcript n (fun s => K (x :: s)) t.
Proof.
rewrite /transcript big_ord_recl /= (tnth_nth x) /=; congr (_ * _).
by apply: eq_bigr => i _; rewrite !(tnth_nth x).
Qed.

Lemma sum_tuple_cons T n (F : n.+1.-tuple T -> R) : \sum_t F t = \sum_x \sum_(t : n.-tuple T) F [tuple of x :: t].
Proof.
rewrite pair_big /= (reindex (fun z : T * n.-tuple T => [tuple of z.1 :: z.2])) //=.
exists (fun t : n.+1.-tuple T => (thead t, [tuple of behead t])) => [[x t]|t] _ /=.
  by congr (_, _); apply: val_inj.
by rewrite -tuple_eta.
Qed.

Lemma law_transcript T n (K : seq T -> T -> R) : (forall s, law (K s)) -> law (transcript n K).
Proof.
move=> lK; split=> [t|]; first by apply: prodr_ge0 => i _; apply: law_ge0.
elim: n K lK => [|n IH] K lK.
  by rewrite (big_pred1 [tuple]) /transcript ?big_ord0 // => t; rewrite [t]tuple0 /= eqxx.
rewrite sum_tuple_cons -(law_sum (lK [::])); apply: eq_bigr => x _.
under eq_bigr do rewrite transcript_cons.
by rewrite -mulr_sumr IH ?mulr1.
Qed.

Theorem dp_transcript T a d n (K L : seq T -> T -> R) :
  (forall s, law (K s)) -> (forall s, law (L s)) -> 0 <= a -> (forall s, dp a d (K s) (L s)) ->
  dp (a ^+ n) (d *+ n) (transcript n K) (transcript n L).
Proof.
move=> lK lL a0; elim: n K L lK lL => [|n IH] K L lK lL H.
  rewrite expr0 mulr0n; apply: dp_eq (dp_refl _) => // t.
  by rewrite /transcript !big_ord0.
pose f (z : T * n.-tuple T) := [tuple of z.1 :: z.2].
have fE (M : seq T -> T -> R) : transcript n.+1 M =1 push f (joint (M [::]) (fun x => transcript n (fun s => M (x :: s)))).
  move=> t; rewrite /push (big_pred1 (thead t, [tuple of behead t])) /=.
    rewrite /joint [RHS]/= -(transcript_cons M (thead t) [tuple of behead t]); congr (transcript _ _ _).
    by rewrite [LHS]tuple_eta; apply: val_inj.
  move=> [x u]; rewrite /f /= eq_sym; apply/eqP/eqP => [->|[-> ->]]; last exact: tuple_eta.
  by rewrite theadE; congr (_, _); apply: val_inj.
apply: dp_eq (fsym (fE K)) (fsym (fE L)) _; apply: dp_post_processing_function.
rewrite exprS mulrS; apply: dp_adaptive_composition => //.
- by move=> x; apply: law_transcript.
- by move=> x; apply: law_transcript.
- exact: exprn_ge0.
- by move=> x; apply: IH.
Qed.

End Laws.

#[global] Hint Resolve law_ge0 : core.

Section Mechanisms.
Variables (R : realFieldType) (X : Type) (neighbours : X -> X -> Prop).
Implicit Types (T U I : finType) (a d : R).

Theorem mechanism_post_processing T U a d (M : X -> T -> R) (K : T -> U -> R) : (forall y, law (K y)) ->
  mechanism_dp a d neighbours M -> mechanism_dp a d neighbours (fun x => bind (M x) K).
Proof. by move=> lK H x x' /H[H1 H2]; split; apply: dp_post_processing. Qed.

Theorem mechanism_post_processing_function T U a d (M : X -> T -> R) (f : T -> U) :
  mechanism_dp a d neighbours M -> mechanism_dp a d neighbours (fun x => push f (M x)).
Proof. by move=> H x x' /H[H1 H2]; split; apply: dp_post_processing_function. Qed.

Theorem mechanism_monotone T a a' d d' (M : X -> T -> R) : is_mechanism M -> a <= a' -> d <= d' ->
  mechanism_dp a d neighbours M -> mechanism_dp a' d' neighbours M.
Proof. by move=> lM aa dd H x x' /H[H1 H2]; split; [apply: dp_monotone H1 | apply: dp_monotone H2]. Qed.

(* The second mechanism sees the data set and what the first released. *)
Theorem mechanism_composition T U a a' d d' (M : X -> T -> R) (N : T -> X -> U -> R) :
  is_mechanism M -> (forall y, is_mechanism (N y)) -> 0 <= a -> 0 <= a' -> mechanism_dp a d neighbours M ->
  (forall y, mechanism_dp a' d' neighbours (N y)) ->
  mechanism_dp (a * a') (d + d') neighbours (fun x => joint (M x) (fun y => N y x)).
Proof.
move=> lM lN a0 a'0 H H' x x' nb; have [H1 H2] := H x x' nb.
by split; apply: dp_adaptive_composition => // y; [exact: lN|exact: lN|by have [] := H' y x x' nb|exact: lN|exact: lN|by have [] := H' y x x' nb].
Qed.

Theorem mechanism_transcript T a d n (K : X -> seq T -> T -> R) : (forall x s, law (K x s)) -> 0 <= a ->
  (forall s, mechanism_dp a d neighbours (fun x => K x s)) ->
  mechanism_dp (a ^+ n) (d *+ n) neighbours (fun x => transcript n (K x)).
Proof. by move=> lK a0 H x x' nb; split; apply: dp_transcript => // s; have [] := H s x x' nb. Qed.

(* Group privacy for data sets at distance k, in closed form. *)
Theorem mechanism_group_privacy T a d k (M : X -> T -> R) x x' : is_mechanism M -> 0 <= a ->
  mechanism_dp a d neighbours M -> distance neighbours k x x' ->
  dp (a ^+ k) (d * \sum_(i < k) a ^+ i) (M x) (M x').
Proof.
move=> lM a0 H; elim=> {x x' k} [x|k x y z xy _ IH].
  by rewrite expr0 big_ord0 mulr0; apply: dp_refl.
rewrite exprS big_ord_recl expr0 mulrDr mulr1.
have -> : d * (\sum_(i < k) a ^+ lift ord0 i) = a * (d * (\sum_(i < k) a ^+ i)).
  by rewrite mulrCA; congr (_ * _); rewrite mulr_sumr; apply: eq_bigr => i _; rewrite -exprS.
by apply: dp_transitive IH => //; have [] := H x y xy.
Qed.

(* The parts of the data set are disjoint, and neighbours differ in one part: release all parts' outputs. *)
Theorem mechanism_parallel_composition I T (S : I -> Type) (near : forall i, S i -> S i -> Prop) a d
    (part : forall i, X -> S i) (M : forall i, S i -> T -> R) :
  (forall i, is_mechanism (M i)) -> (forall i, mechanism_dp a d (@near i) (M i)) ->
  (forall x x', neighbours x x' ->
     exists2 i0, near i0 (part i0 x) (part i0 x') & forall i, i != i0 -> part i x = part i x') ->
  mechanism_dp a d neighbours (fun x => product (fun i => M i (part i x))).
Proof.
move=> lM H one x x' /one[i0 nb same]; have [H1 H2] := H i0 _ _ nb.
by split; apply: (dp_parallel_composition (i0 := i0)) => [i|i ne y|]; [exact: lM|rewrite same| |exact: lM|rewrite same|].
Qed.

End Mechanisms.
