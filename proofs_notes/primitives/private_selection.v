(* Private selection among private candidates (Liu and Talwar 2019): a private mechanism is run K times, K hidden and
   geometric, P(K = j) = gamma (1 - gamma)^(j - 1), and the best run is released. This is reference/primitives/private_selection.py
   at eta = 1, the law that the catalogue uses.

   A run has finitely many outcomes, which [rank] orders totally, by score first and in a fixed way among equal scores. If a
   run is (epsilon, delta)-private the selected one is (3 epsilon, delta / gamma)-private; a stands for e^epsilon. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import discrete randomised_response.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Selection.
Variables (R : realFieldType) (T : finType) (rank : T -> nat) (gamma : R).
Hypotheses (rank_inj : injective rank) (gamma_gt0 : 0 < gamma) (gamma_le1 : gamma <= 1).
Implicit Types (p q : T -> R) (y : T).

(* The probability that a run has a rank below N; that it is worse than y, and at most as good. *)
Definition below N p := \sum_(x | (rank x < N)%N) p x.
Definition worse p y := below (rank y) p.
Definition at_most p y := below (rank y).+1 p.

(* That y is the best of j runs, and the best of K runs with K <= J. *)
Definition best_of j p y := at_most p y ^+ j - worse p y ^+ j.
Definition best_up_to J p y := \sum_(j < J) gamma * (1 - gamma) ^+ j * best_of j.+1 p y.

(* The law of the best of K runs, in closed form ([best_is_limit]): the mean of x^K is gamma x / (1 - (1 - gamma) x). *)
Definition mean_power (x : R) := gamma * x / (1 - (1 - gamma) * x).
Definition best p y := mean_power (at_most p y) - mean_power (worse p y).

Lemma at_mostE p y : at_most p y = worse p y + p y.
Proof.
rewrite /at_most /below (bigD1 y) //= addrC; congr (_ + _); apply: eq_bigl => x.
by rewrite ltnS ltn_neqAle (inj_eq rank_inj) andbC.
Qed.

(* best_of j is the law of the best of j independent runs. *)
Lemma pr_all j p (P : pred T) : pr (product (fun _ : 'I_j => p)) [set w : {ffun 'I_j -> T} | [forall i, P (w i)]] =
  (\sum_(x | P x) p x) ^+ j.
Proof.
rewrite /pr /product -[in RHS](card_ord j) -prodr_const bigA_distr_big_dep /=.
by apply: eq_bigl => w; rewrite inE; apply/forallP/familyP.
Qed.

Theorem best_of_runs j p y : pr (product (fun _ : 'I_j => p))
  [set w : {ffun 'I_j -> T} | [forall i, (rank (w i) <= rank y)%N] && [exists i, w i == y]] = best_of j p y.
Proof.
rewrite /best_of /at_most /worse /below -!pr_all; apply/esym/eqP; rewrite subr_eq; apply/eqP.
rewrite /pr [LHS](bigID (fun w : {ffun 'I_j -> T} => [exists i, w i == y])) /=; congr (_ + _); apply: eq_bigl => w; rewrite !inE //.
apply/andP/forallP => [[/forallP le /existsPn ne] i|lt]; last first.
  by split; [apply/forallP => i; rewrite ltnS ltnW | apply/existsPn => i; apply: contraTneq (lt i) => ->; rewrite ltnn].
by have := le i; rewrite ltnS leq_eqVlt (inj_eq rank_inj) (negbTE (ne i)).
Qed.

(* Parts of laws: not negative, of a total mass of at most 1. *)
Definition part s p := (forall x, 0 <= p x) /\ \sum_x p x = s.

Lemma below_bounds s p N : part s p -> 0 <= below N p <= s.
Proof.
case=> p0 <-; rewrite sumr_ge0 //= [leRHS](bigID (fun x => (rank x < N)%N)) /= lerDl.
exact: sumr_ge0.
Qed.

Lemma rest_ge0 : 0 <= 1 - gamma. Proof. by rewrite subr_ge0. Qed.

Lemma den_gt0 x : x <= 1 -> 0 < 1 - (1 - gamma) * x.
Proof.
move=> x1; apply: lt_le_trans gamma_gt0 _; rewrite lerBrDr -lerBrDl.
exact: ler_piMr rest_ge0 x1.
Qed.

Lemma bestE s p y : part s p -> s <= 1 ->
  best p y = gamma * p y / ((1 - (1 - gamma) * worse p y) * (1 - (1 - gamma) * at_most p y)).
Proof.
move=> ps s1; have [/andP[_ w1] /andP[_ m1]] := (below_bounds (rank y) ps, below_bounds (rank y).+1 ps).
have u := lt0r_neq0 (den_gt0 (le_trans w1 s1)); have v := lt0r_neq0 (den_gt0 (le_trans m1 s1)).
rewrite /best /mean_power -/(worse p y) -/(at_most p y) in u v *; move: u v; rewrite at_mostE => u v.
by field; rewrite u v.
Qed.

Lemma sum_best N p : \sum_(y | (rank y < N)%N) best p y = mean_power (below N p).
Proof.
elim: N => [|N IH]; first by rewrite /below !big_pred0 // /mean_power mulr0 mul0r.
case: (pickP (fun y => rank y == N)) => [y0 /eqP e|none].
  rewrite (bigD1 y0) /= ?e // (eq_bigl (fun y => (rank y < N)%N)) => [|y]; last first.
    by rewrite ltnS leq_eqVlt -e (inj_eq rank_inj); case: eqP => [->|_]; rewrite ?ltnn ?andbF ?andbT.
  by rewrite IH /best /worse /at_most e subrK.
have same y : (rank y < N.+1)%N = (rank y < N)%N by rewrite ltnS leq_eqVlt none.
by rewrite /below !(eq_bigl _ _ same).
Qed.

Lemma total_best s p : part s p -> \sum_y best p y = mean_power s.
Proof.
case=> _ <-; have all y : (rank y < (\max_x rank x).+1)%N by rewrite ltnS; apply: (leq_bigmax_cond y).
by rewrite -(eq_bigl _ _ all) sum_best /below (eq_bigl _ _ all).
Qed.

Lemma best_ge0 s p y : part s p -> s <= 1 -> 0 <= best p y.
Proof.
move=> ps s1; rewrite (bestE y ps s1).
have [/andP[_ w1] /andP[_ m1]] := (below_bounds (rank y) ps, below_bounds (rank y).+1 ps).
have u := den_gt0 (le_trans w1 s1); have v := den_gt0 (le_trans m1 s1).
by rewrite divr_ge0 ?mulr_ge0 ?(ltW gamma_gt0) ?(ltW u) ?(ltW v) //; case: ps.
Qed.

Lemma law_best p : law p -> law (best p).
Proof.
move=> lp; have ps : part 1 p by case: lp.
split=> [y|]; first exact: best_ge0 ps (lexx 1).
by rewrite (total_best ps) /mean_power !mulr1 opprB addrCA subrr addr0 divff // gt_eqF.
Qed.

(* More of a law gives more of the best. *)
Lemma best_mono s t p q y : part s p -> part t q -> t <= 1 -> (forall x, p x <= q x) -> best p y <= best q y.
Proof.
move=> ps qt t1 le; have s1 : s <= 1 by case: ps => _ <-; apply: le_trans t1; case: qt => _ <-; apply: ler_sum.
rewrite (bestE y ps s1) (bestE y qt t1).
have leb N : below N p <= below N q by apply: ler_sum.
have den N : 1 - (1 - gamma) * below N q <= 1 - (1 - gamma) * below N p by rewrite lerD2l lerN2 ler_wpM2l ?rest_ge0.
have pos r m N : part m r -> m <= 1 -> 0 < 1 - (1 - gamma) * below N r.
  by move=> rm m1; apply: den_gt0; apply: le_trans m1; case/andP: (below_bounds N rm).
have [p0 _] := ps; have [q0 _] := qt.
apply: ler_pM; rewrite ?mulr_ge0 ?invr_ge0 ?(ltW gamma_gt0) ?mulr_ge0 ?(ltW (pos _ _ _ ps s1)) //.
  by rewrite ler_pM2l.
rewrite lef_pV2 ?posrE ?mulr_gt0 ?(pos _ _ _ ps s1) ?(pos _ _ _ qt t1) //.
by apply: ler_pM; rewrite ?(ltW (pos _ _ _ qt t1)) //; apply: den.
Qed.

(* Parts within a factor a of each other, of equal mass: three factors, for the run and for the two denominators. *)
Lemma best_ratio a s p q y : 1 <= a -> part s p -> part s q -> s <= 1 -> (forall x, p x <= a * q x) ->
  (forall x, q x <= a * p x) -> best p y <= a ^+ 3 * best q y.
Proof.
move=> a1 ps qs s1 pq qp; have a0 : 0 <= a by apply: le_trans ler01 a1.
rewrite (bestE y ps s1) (bestE y qs s1); set c := 1 - gamma.
have pos r N : part s r -> 0 < 1 - c * below N r.
  by move=> rs; apply: den_gt0; apply: le_trans s1; case/andP: (below_bounds N rs).
have split_mass r N : part s r -> 1 - c * below N r = (1 - s) + (gamma * below N r + \sum_(x | ~~ (rank x < N)%N) r x).
  case=> _ <-; rewrite [\sum_x r x](bigID (fun x => (rank x < N)%N)) /= -/(below N r) /c.
  by move: (\sum_(x | _) _) (below N r) => u v; ring.
have den N : 1 - c * below N q <= a * (1 - c * below N p).
  rewrite (split_mass q) // (split_mass p) // mulrDr [a * (_ * _ + _)]mulrDr; apply: lerD; first by rewrite ler_peMl // subr_ge0.
  apply: lerD; last by rewrite mulr_sumr; apply: ler_sum.
  by rewrite mulrCA ler_pM2l // /below mulr_sumr; apply: ler_sum.
have up N : 1 <= a * ((1 - c * below N p) / (1 - c * below N q)) by rewrite mulrA ler_pdivlMr ?mul1r ?pos.
rewrite /worse /at_most; have [u v] := (up (rank y), up (rank y).+1).
have [wp wq] := (pos p (rank y) ps, pos q (rank y) qs); have [mp mq] := (pos p (rank y).+1 ps, pos q (rank y).+1 qs).
move: u v wp wq mp mq; set wp := 1 - _; set wq := 1 - _; set mp := 1 - _; set mq := 1 - _ => u v wp0 wq0 mp0 mq0.
rewrite ler_pdivrMr ?mulr_gt0 //.
rewrite [X in _ <= X](_ : _ = (gamma * (a * q y)) * ((a * (wp / wq)) * (a * (mp / mq)))); last first.
  by field; rewrite !lt0r_neq0.
have [q0 _] := qs; apply: le_trans (_ : gamma * (a * q y) <= _); first by rewrite ler_pM2l.
by rewrite ler_peMr ?mulr_ge0 ?(ltW gamma_gt0) // -[1]mulr1 ler_pM ?ler01.
Qed.

(* Two laws that are (a, d)-private against each other, both ways, share parts of equal mass >= 1 - d within a factor of a. *)
Lemma shared_parts a d p q : 1 <= a -> law p -> law q -> dp a d p q -> dp a d q p ->
  exists s p' q', [/\ part s p', part s q', 1 - d <= s <= 1, (forall x, p' x <= p x /\ q' x <= q x) &
    forall x, p' x <= a * q' x /\ q' x <= a * p' x].
Proof.
move=> a1; have a0 : 0 < a by apply: lt_le_trans ltr01 a1.
have half (r r' : T -> R) : law r -> law r' -> dp a d r r' -> let m x := Num.min (r x) (a * r' x) in
    (forall x, 0 <= m x <= r x) /\ 1 - d <= \sum_x m x <= 1.
  move=> lr lr' H m; have m0 x : 0 <= m x <= r x.
    by rewrite le_min ge_min lexx mulr_ge0 ?law_ge0 // ltW.
  split=> //; rewrite (sum_min a r' lr) lerD2l lerN2 (proj1 (dp_hockey_stick _ _ _ _) H) /= gerDl oppr_le0.
  exact: hockey_stick_ge0.
wlog le : p q / \sum_x Num.min (q x) (a * p x) <= \sum_x Num.min (p x) (a * q x).
  move=> W lp lq H H'; have [le|lt] := leP (\sum_x Num.min (q x) (a * p x)) (\sum_x Num.min (p x) (a * q x)).
    exact: W.
  have [s [q' [p' [sq sp s1 le ratio]]]] := W q p (ltW lt) lq lp H' H.
  by exists s, p', q'; split=> // x; [case: (le x) | case: (ratio x)].
move=> lp lq H H'; have [mp /andP[s1 sle]] := half p q lp lq H; have [mq /andP[t1 tle]] := half q p lq lp H'.
set m := fun x => Num.min (p x) (a * q x) in mp s1 sle le; set k := fun x => Num.min (q x) (a * p x) in mq t1 tle le.
set s := \sum_x m x in s1 sle le; set t := \sum_x k x in t1 tle le.
have aa : 1 <= a * a by rewrite -[1]mulr1 ler_pM ?ler01.
have [kq kp] : (forall x, k x <= q x) /\ (forall x, k x <= a * p x).
  by split=> x; rewrite /k ge_min lexx ?orbT.
have [mp' mq'] : (forall x, m x <= p x) /\ (forall x, m x <= a * q x).
  by split=> x; rewrite /m ge_min lexx ?orbT.
have km x : k x / a <= m x.
  rewrite [m x]/(Num.min _ _) le_min !ler_pdivrMr // [p x * a]mulrC kp /=.
  by apply: le_trans (kq x) _; rewrite mulrAC ler_peMl ?law_ge0.
have mk x : m x <= a * k x.
  rewrite [k x]/(Num.min _ _) minr_pMr ?(ltW a0) // le_min mq' /= mulrA.
  by apply: le_trans (mp' x) _; rewrite ler_peMl ?law_ge0.
have t0 : 0 <= t by apply: sumr_ge0 => x _; case/andP: (mq x).
have ta : t / a <= t by rewrite ler_pdivrMr // ler_peMr.
have [th [th0 th1 mass]] : exists th, [/\ 0 <= th, th <= 1 & th * s + (1 - th) * (t / a) = t].
  have [e|ne] := eqVneq s t; first by exists 1; rewrite ler01 lexx subrr mul0r addr0 mul1r.
  have gap : 0 < s - t / a by rewrite subr_gt0 (le_lt_trans ta) // lt_neqAle eq_sym ne le.
  exists ((t - t / a) / (s - t / a)); split; first by rewrite divr_ge0 ?subr_ge0 // ltW // -subr_gt0.
    by rewrite ler_pdivrMr // mul1r lerD2r.
  by move: gap; move: (t / a) => ta' gap; field; rewrite gt_eqF.
have th1' : 0 <= 1 - th by rewrite subr_ge0.
have mix u v w : u <= w -> v <= w -> th * u + (1 - th) * v <= w.
  move=> uw vw; apply: le_trans (_ : th * w + (1 - th) * w <= _); first by apply: lerD; apply: ler_wpM2l.
  by rewrite -mulrDl addrCA subrr addr0 mul1r.
exists t, (fun x => th * m x + (1 - th) * (k x / a)), k; split.
- split=> [x|]; last by rewrite big_split /= -!mulr_sumr -mulr_suml.
  by case/andP: (mp x) (mq x) => mp0 _ /andP[mq0 _]; rewrite addr_ge0 ?mulr_ge0 ?invr_ge0 ?(ltW a0).
- by split=> // x; case/andP: (mq x).
- by rewrite t1 tle.
- by move=> x; split=> //; apply: mix => //; apply: le_trans (km x) _.
move=> x; split; first by apply: mix => //; apply: le_trans (km x) _.
rewrite [X in _ <= X](_ : _ = th * (a * m x) + (1 - th) * k x); last by field; rewrite gt_eqF.
rewrite [X in X <= _](_ : _ = th * k x + (1 - th) * k x); last by ring.
by rewrite lerD2r ler_wpM2l // mulrC -ler_pdivrMr.
Qed.

(* primitives.private-selection at eta = 1: 3 epsilon, and E[K] = 1 / gamma times delta. *)
Theorem selection_private a d p q : 1 <= a -> law p -> law q -> dp a d p q -> dp a d q p ->
  dp (a ^+ 3) (d / gamma) (best p) (best q).
Proof.
move=> a1 lp lq H H'; have [s [p' [q' [sp sq /andP[s1 s2] le ratio]]]] := shared_parts a1 lp lq H H'.
have [pp qq] : part 1 p /\ part 1 q by case: lp lq => p0 p1 [q0 q1].
have a3 : 0 <= a ^+ 3 by rewrite exprn_ge0 // (le_trans ler01).
apply: (@dp_below _ _ _ _ _ _ (best p')); first exact: law_best.
- by move=> y; apply: (best_mono y sp pp (lexx 1)) => x; case: (le x).
- move=> y; apply: le_trans (_ : a ^+ 3 * best q' y <= _).
    by apply: (best_ratio y a1 sp sq s2) => x; case: (ratio x).
  by apply: ler_wpM2l => //; apply: (best_mono y sq qq (lexx 1)) => x; case: (le x).
rewrite (total_best sp) /mean_power; have den := den_gt0 s2.
rewrite ler_pdivlMr // -subr_ge0 -(pmulr_rge0 _ gamma_gt0).
rewrite [X in 0 <= X](_ : _ = (1 - (1 - gamma) * s) * (d - (1 - s)) + (1 - s) * ((1 - gamma) * (1 - s))); last first.
  by field; rewrite gt_eqF.
have d0 : 0 <= d - (1 - s) by rewrite subr_ge0 lerBlDr -lerBlDl.
have s0 : 0 <= 1 - s by rewrite subr_ge0.
by apply: addr_ge0; apply: mulr_ge0 => //; [apply: ltW | apply: mulr_ge0 => //; apply: rest_ge0].
Qed.

(* The closed form is what K runs give: it exceeds the first J terms by at most (1 - gamma)^J, the probability that K > J. *)
Theorem best_is_limit J p y : law p -> 0 <= best p y - best_up_to J p y <= (1 - gamma) ^+ J.
Proof.
move=> lp; have pp : part 1 p by case: lp.
have geometric x : x <= 1 -> \sum_(j < J) gamma * (1 - gamma) ^+ j * x ^+ j.+1 = mean_power x * (1 - ((1 - gamma) * x) ^+ J).
  move=> x1; set u := (1 - gamma) * x; have u1 : 1 - u != 0 by rewrite gt_eqF // den_gt0.
  have e : (1 - u) * (\sum_(j < J) u ^+ j) = 1 - u ^+ J by rewrite -[LHS]opprK -mulNr opprB -subrX1 opprB.
  rewrite -e /mean_power -/u mulrA divfK // mulr_sumr; apply: eq_bigr => j _.
  by rewrite /u exprMn exprS mulrACA.
have [/andP[w0 w1] /andP[m0 m1]] := (below_bounds (rank y) pp, below_bounds (rank y).+1 pp).
have -> : best_up_to J p y = best p y - (mean_power (at_most p y) * ((1 - gamma) * at_most p y) ^+ J -
    mean_power (worse p y) * ((1 - gamma) * worse p y) ^+ J).
  rewrite /best_up_to (eq_bigr (fun j : 'I_J => gamma * (1 - gamma) ^+ j * at_most p y ^+ j.+1 -
    gamma * (1 - gamma) ^+ j * worse p y ^+ j.+1)) => [|j _]; last by rewrite /best_of mulrBr.
  rewrite sumrB !geometric // /best.
  by move: (((1 - gamma) * at_most p y) ^+ J) (((1 - gamma) * worse p y) ^+ J) (mean_power _) (mean_power _) => U V u v; ring.
rewrite subKr; set f := mean_power _; set g := mean_power _.
have fp x : 0 <= x <= 1 -> 0 <= mean_power x <= 1.
  move=> /andP[x0 x1]; have den := den_gt0 x1; rewrite divr_ge0 ?mulr_ge0 ?(ltW gamma_gt0) ?(ltW den) //=.
  by rewrite ler_pdivrMr // mul1r -subr_ge0 [X in 0 <= X](_ : _ = 1 - x) ?subr_ge0 //; ring.
have fw : mean_power (worse p y) <= mean_power (at_most p y) by rewrite -subr_ge0; apply: best_ge0 pp (lexx 1).
have [/andP[f0 f1] /andP[g0 g1]] : 0 <= f <= 1 /\ 0 <= g <= 1 by split; apply: fp; rewrite ?m0 ?m1 ?w0 ?w1.
have le : worse p y <= at_most p y by rewrite at_mostE lerDl; case: pp.
have c0 := rest_ge0; rewrite subr_ge0; apply/andP; split.
  apply: ler_pM => //; first by rewrite exprn_ge0 ?mulr_ge0.
  by apply: lerXn2r; rewrite ?nnegrE ?mulr_ge0 // ler_wpM2l.
have W : 0 <= g * ((1 - gamma) * worse p y) ^+ J by apply: mulr_ge0 => //; apply: exprn_ge0; apply: mulr_ge0.
rewrite lerBlDr; apply: le_trans (_ : (1 - gamma) ^+ J <= _); last by rewrite lerDl.
have [G0 G1] : 0 <= at_most p y ^+ J /\ at_most p y ^+ J <= 1 by split; [apply: exprn_ge0 | apply: exprn_ile1].
by rewrite exprMn mulrCA ler_piMr ?exprn_ge0 // mulr_ile1.
Qed.
End Selection.

(* The definitions compute: two outcomes, true the better one, each with probability 1/2; gamma = 1/2. *)
Local Notation coin := (fun _ : bool => 2%:R^-1 : rat).
Example below_computes : below nat_of_bool 1 coin = 2%:R^-1.
Proof. by rewrite /below big_mkcond big_bool. Qed.
Lemma below_all : below nat_of_bool 2 coin = 1.
Proof. by rewrite /below big_mkcond big_bool. Qed.
Example best_of_computes : best_of nat_of_bool 2 coin true = 3%:R / 4%:R.
Proof. by rewrite /best_of /at_most /worse /= below_all below_computes. Qed.
Example best_up_to_computes : best_up_to nat_of_bool 2%:R^-1 2 coin true = 7%:R / 16%:R.
Proof. by rewrite /best_up_to !big_ord_recl big_ord0 /best_of /at_most /worse /= below_all below_computes. Qed.
Example best_computes : best nat_of_bool 2%:R^-1 coin true = 2%:R / 3%:R.
Proof. by rewrite /best /mean_power /at_most /worse /= below_all below_computes. Qed.
Example part_computes : part 1 coin.
Proof. by split=> //; rewrite big_bool. Qed.

(* A response with the factor 3, selected with gamma = 1/2. *)
Example selection_holds b b' : dp (3%:R ^+ 3) (0 / 2%:R^-1) (best nat_of_bool 2%:R^-1 (response 3%:R b))
  (best nat_of_bool 2%:R^-1 (response 3%:R b') : bool -> rat).
Proof.
by apply: selection_private => // [[] []| | | |] //; first [apply: response_law | apply: response_dp].
Qed.
