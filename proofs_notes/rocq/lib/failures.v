(* A mechanism that goes wrong with a small probability: how the probability of failing adds to delta.

   [blend b p r] of subsampling.v is the law r with probability b, else the law p. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import discrete randomised_response subsampling.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* delta, once a failure of probability at most beta is added *)
Definition with_failure (R : ringType) (d beta : R) := d + (1 - d) * beta.

Section Failures.
Variables (R : realFieldType) (T : finType).
Implicit Types (a b d beta : R) (p q r : T -> R).

Lemma with_failure_ge d beta : 0 <= beta -> d <= 1 -> d <= with_failure d beta.
Proof. by move=> b0 d1; rewrite lerDl mulr_ge0 // subr_ge0. Qed.

Lemma with_failure_le d beta beta' : d <= 1 -> beta <= beta' -> with_failure d beta <= with_failure d beta'.
Proof. by move=> d1 bb; rewrite lerD2l ler_wpM2l // subr_ge0. Qed.

(* u and v are the probabilities of an event without failure, of which u is at most w + d with w = a v. *)
Lemma hidden_failure_bound d b b' beta (u w : R) : 0 <= d <= 1 -> 0 <= b <= beta -> 0 <= b' <= beta -> b <= 1 -> b' <= 1 ->
  0 <= w -> u <= 1 -> u <= w + d -> (1 - b) * u + b <= (1 - b') * w + with_failure d beta.
Proof.
move=> /andP[d0 d1] /andP[b0 bb] /andP[b'0 b'b] b1 b'1 w0 u1 uw.
case: (leP (w + d) 1) => [le|gt].
  apply: le_trans (_ : (1 - b) * (w + d) + b <= _); first by rewrite lerD2r ler_wpM2l // subr_ge0.
  rewrite -subr_ge0 [X in 0 <= X](_ : _ = (1 - d) * (beta - b) + w * (b - b')); last by rewrite /with_failure; ring.
  case: (leP b' b) => [le'|/ltW ge']; first by rewrite addr_ge0 // mulr_ge0 // subr_ge0.
  apply: le_trans (_ : 0 <= (1 - d) * (beta - b) + (1 - d) * (b - b')) _.
    by rewrite -mulrDr addrA subrK mulr_ge0 ?subr_ge0.
  by rewrite lerD2l; apply: ler_wnM2r; rewrite ?subr_le0 // lerBrDr.
apply: le_trans (_ : 1 <= _).
  rewrite -subr_ge0 [X in 0 <= X](_ : _ = (1 - b) * (1 - u)); last by ring.
  by rewrite mulr_ge0 ?subr_ge0.
apply: le_trans (_ : (1 - b') * (1 - d) + with_failure d b' <= _).
  by rewrite /with_failure le_eqVlt; apply/orP; left; apply/eqP; ring.
apply: lerD; last exact: with_failure_le.
by rewrite ler_wpM2l ?subr_ge0 // lerBlDr ltW.
Qed.

(* foundations.hidden-failure: each of two mechanisms fails with a probability of at most beta, of which nothing is shown but
   the output: (epsilon, delta) becomes (epsilon, delta + (1 - delta) beta), whatever is released on failure. *)
Theorem dp_hidden_failure a d b b' beta p q r r' : law p -> law q -> law r -> law r' -> 0 <= a -> d <= 1 ->
  0 <= b <= beta -> 0 <= b' <= beta -> b <= 1 -> b' <= 1 -> dp a d p q ->
  dp a (with_failure d beta) (blend b p r) (blend b' q r').
Proof.
move=> lp lq lr lr' a0 d1 bb bb' b1 b'1 H A; have d0 := dp_ge0 H; rewrite !pr_blend.
have /andP[b0 _] := bb; have /andP[b'0 _] := bb'.
apply: le_trans (_ : (1 - b) * pr p A + b <= _).
  by rewrite lerD2l -[X in _ <= X]mulr1 ler_wpM2l // pr_le1.
apply: le_trans (_ : (1 - b') * (a * pr q A) + with_failure d beta <= _).
  by apply: hidden_failure_bound; rewrite ?d0 ?pr_le1 ?mulr_ge0 ?pr_ge0.
by rewrite lerD2r mulrDr mulrCA lerDl !mulr_ge0 ?pr_ge0.
Qed.

(* foundations.public-failure: what is drawn without the data is shown too, and with probability at most beta it is such
   that nothing is known of the pair of laws that follow. *)
Theorem dp_public_failure (V : finType) a d beta (q : V -> R) (K L : V -> T -> R) (bad : {set V}) : law q ->
  (forall v, law (K v)) -> (forall v, law (L v)) -> 0 <= a -> d <= 1 ->
  (forall v, v \notin bad -> dp a d (K v) (L v)) -> pr q bad <= beta ->
  dp a (with_failure d beta) (joint q K) (joint q L).
Proof.
move=> lq lK lL a0 d1 H small A.
pose slice v := [set x | (v, x) \in A].
have e (M : V -> T -> R) : pr (joint q M) A = \sum_v q v * pr (M v) (slice v).
  rewrite /pr /joint big_mkcond /=; under [RHS]eq_bigr do rewrite mulr_sumr big_mkcond.
  by rewrite pair_big /=; apply: eq_bigr => [[v x]] _; rewrite inE.
have sq : \sum_v q v * (if v \in bad then 1 else d) = with_failure d (pr q bad).
  rewrite (eq_bigr (fun v => d * q v + (1 - d) * (if v \in bad then q v else 0))) => [|v _]; last by case: ifP => _; ring.
  by rewrite big_split /= -!mulr_sumr law_sum // mulr1 -big_mkcond.
rewrite !e mulr_sumr; apply: le_trans (_ : _ <= \sum_v a * (q v * pr (L v) (slice v)) + with_failure d (pr q bad)) _.
  rewrite -sq -big_split /=; apply: ler_sum => v _; rewrite mulrCA -mulrDr ler_wpM2l ?(law_ge0 _ lq) //.
  case: ifP => [_|/negbT /H]; last exact.
  by apply: le_trans (pr_le1 _ (lK v)) _; rewrite lerDr mulr_ge0 // pr_ge0.
by rewrite lerD2l with_failure_le.
Qed.
End Failures.

(* The definition computes, and the hypotheses can be met. *)
Example with_failure_computes : with_failure (1 / 2%:R : rat) (1 / 4%:R) = 5%:R / 8%:R.
Proof. by apply/eqP. Qed.

Section Examples.
Variable R : realFieldType.
Let three : 1 <= 3%:R :> R. Proof. by rewrite ler1n. Qed.
Let quarter : 0 <= (1 / 4%:R : R) <= 1 / 2%:R.
Proof. by rewrite !mul1r invr_ge0 ler0n lef_pV2 ?posrE ?ltr0n // ler_nat. Qed.
Let half : 0 <= (1 / 2%:R : R) <= 1.
Proof. by rewrite mul1r invr_ge0 ler0n invf_le1 ?ltr0n // ler1n. Qed.

(* A response that fails by showing the truth, for the one answer with probability 1/4 and for the other with 1/2. *)
Example hidden_failure_holds : dp 3%:R (with_failure 0 (1 / 2%:R))
  (blend (1 / 4%:R) (response 3%:R true) (dirac R true)) (blend (1 / 2%:R) (response 3%:R false) (dirac R false)).
Proof.
have /andP[h0 h1] := half; have /andP[_ q1] := quarter.
apply: dp_hidden_failure (response_dp three true false); rewrite ?quarter ?ler0n ?ler01 ?h0 ?lexx ?(le_trans q1) //.
- exact: response_law.
- exact: response_law.
- exact: law_dirac.
- exact: law_dirac.
Qed.

(* The same with a coin that is shown and decides whether it fails. *)
Example public_failure_holds : let failing b (coin : bool) := if coin then dirac R b else response 3%:R b in
  dp 3%:R (with_failure 0 (1 / 2%:R)) (joint (response 1 true) (failing true)) (joint (response 1 true) (failing false)).
Proof.
move=> failing; have l b coin : law (failing b coin) by case: coin; [apply: law_dirac | apply: response_law].
apply: (dp_public_failure (bad := [set true])); rewrite ?ler0n ?ler01 //; first exact: response_law.
  by case=> [|_]; [rewrite inE eqxx | apply: response_dp].
by rewrite /pr big_set1 /response eqxx.
Qed.
End Examples.
