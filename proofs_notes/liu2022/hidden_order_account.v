(* liu2022, Lemma 3.1, the account: the multiplier alpha = 8 L / (epsilon sqrt N), L = log(N / delta), makes each step
   (e0, d0)-private, and N >= 30 L steps in a hidden order are then (epsilon, delta)-private. *)
From mathcomp Require Import all_ssreflect all_algebra fingroup perm.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp.
From mathcomp Require Import measure numfun measurable_realfun lebesgue_measure lebesgue_integral probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure shuffling shuffling_bounds shuffled_releases hidden_order.
From DPPCA.liu2022 Require Import amplification_by_shuffling.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(* The lead of the labels. *)
Lemma lead_paid {R : realType} (N L e r m : R) : 30 <= N -> 1 <= L -> 0 < e -> L / N * e <= 1 / 20 -> r ^+ 2 = L / N * e -> 0 <= r ->
  r <= 21 / 100 -> m = N - 1 -> 2 * r * (1 - 2 * r) + L <= m / e * ((2 * r) ^+ 2 / 2 / (1 + (2 * r) ^+ 2 / 2)).
Proof.
move=> N30 L1 e_gt0 v1 r2 r0 r_le nN; have N0 : 0 < N by lra.
have L0 : 0 < L by lra.
have v2 : (2 * r) ^+ 2 / 2 = 2 * (L / N * e) by rewrite exprMn r2; move: (L / N * e) => v; field.
have v0 : 0 <= L / N * e by rewrite -r2 sqr_ge0.
rewrite v2 [leRHS]mulrA ler_pdivlMr; last by lra.
rewrite (_ : m / e * (2 * (L / N * e)) = 2 * L * (1 - N^-1)); last by rewrite nN; field; rewrite !gt_eqF.
have iN : N^-1 <= 1 / 30 by rewrite -[N^-1]mul1r ler_pdivrMr //; lra.
have lo : 2 * L * (29 / 30) <= 2 * L * (1 - N^-1) by rewrite ler_wpM2l //; lra.
have le1 : 2 * r * (1 - 2 * r) + L <= 3 / 2 * L by have := sqr_ge0 (r - 1 / 4); rewrite expr2; lra.
have c0 : 0 <= 2 * r * (1 - 2 * r) + L by rewrite addr_ge0 ?mulr_ge0 //; lra.
have le2 : (2 * r * (1 - 2 * r) + L) * (1 + 2 * (L / N * e)) <= 3 / 2 * L * (11 / 10).
  by apply: ler_pM => //; lra.
by apply: le_trans le2 _; lra.
Qed.

(* The failures. *)
Lemma total_paid {R : realType} (N delta a d0 : R) : 30 <= N -> 0 < delta -> delta < 1 -> 0 <= a -> a <= 16 / 5 -> d0 = delta / (10 * N) ->
  delta / N * (1 + 4 * (delta / 10)) + d0 + a * (2 * (delta / 10)) <= delta.
Proof.
move=> N30 t0 t1 a0 a_le d0E; have N0 : 0 < N by lra.
have h1 : delta / N <= delta * (1 / 30).
  by rewrite ler_wpM2l ?(ltW t0) // -[N^-1]mul1r ler_pdivrMr //; lra.
have dN0 : 0 <= delta / N by rewrite divr_ge0 // ltW.
have h2 : a * (2 * (delta / 10)) <= 16 / 5 * (2 * (delta / 10)) by rewrite ler_wpM2r //; lra.
have h3 : delta / N * (1 + 4 * (delta / 10)) <= delta / N * (3 / 2) by rewrite ler_wpM2l //; lra.
have h4 : d0 = delta / N / 10 by rewrite d0E; field; rewrite gt_eqF.
lra.
Qed.

Section Account.
Context {R : realType}.
Implicit Types (L : R).

Lemma exp_small (x : R) : 0 <= x -> x <= 21 / 100 -> expR x <= 1 + 127 / 100 * x.
Proof.
move=> x0 x1; have h := expR_ge1Dx (- x); rewrite expRN in h; have p := expR_gt0 x.
have : (1 - x) * expR x <= (expR x)^-1 * expR x by rewrite ler_wpM2r // ltW.
rewrite mulVf ?gt_eqF // => le; have px : 0 < 1 - x by lra.
rewrite -(ler_pM2l px); apply: le_trans le _.
by have : 0 <= x * (21 / 100 - x); [rewrite mulr_ge0 // subr_ge0 | lra].
Qed.

Lemma exp1_le : expR 1 <= 16 / 5 :> R.
Proof.
have h : 3 / 4 <= expR (- (1 / 4 : R)) by apply: le_trans (expR_ge1Dx _); lra.
have : (3 / 4) ^+ 4 <= expR (- (1 / 4 : R)) ^+ 4 by apply: lerXn2r; rewrite ?nnegrE ?expR_ge0 //; lra.
rewrite -expRM_natl (_ : 4 * _ = - 1); last by field.
rewrite expRN => h4; have p := expR_gt0 (1 : R); have : (3 / 4) ^+ 4 * expR 1 <= 1 :> R by rewrite -ler_pdivlMr // div1r.
by rewrite !exprS expr0; lra.
Qed.

(* The failure of a step is delta / (10 N). *)
Lemma log_failure L : 0 < L -> 1000 <= expR L -> ln (25 / 2) + L <= 11 / 8 * L.
Proof.
move=> L0 big; suff : 8 * ln (25 / 2) <= 3 * L by lra.
rewrite -ler_expR !expRM_natl lnK ?posrE ?divr_gt0 //; apply: (@le_trans _ _ (1000 ^+ 3)); last by apply: lerXn2r; rewrite ?nnegrE ?expR_ge0.
by rewrite !exprS expr0; lra.
Qed.

Variables (N delta eps : R).
Hypotheses (N1 : 1 <= N) (delta_gt0 : 0 < delta) (delta_lt1 : delta < 1) (big : 1000 <= N / delta).
Hypotheses (eps_gt0 : 0 < eps) (eps_le1 : eps <= 1).
Let L := ln (N / delta).
Hypotheses (range : eps <= Num.sqrt (L / N)) (many : 30 * L <= N).

Definition multiplier := 8 * L / (eps * Num.sqrt N).
Definition step_epsilon := Num.sqrt (2 * ln (5 / 4 / (delta / (10 * N)))) / multiplier.

Let N0 : 0 < N. Proof. exact: lt_le_trans N1. Qed.
Let expL : expR L = N / delta. Proof. by rewrite lnK ?posrE ?divr_gt0. Qed.

Lemma log_ge1 : 1 <= L.
Proof.
have l2 := ln2_ge R; apply: (@le_trans _ _ (2 * ln 2)); first lra.
rewrite -ler_expR expRM_natl lnK ?posrE // expL; apply: le_trans big; rewrite expr2; lra.
Qed.

Let L0 : 0 < L. Proof. exact: lt_le_trans log_ge1. Qed.

Let w := Num.sqrt (N / L).
Let w2 : w ^+ 2 = N / L. Proof. by rewrite sqr_sqrtr // divr_ge0 ?ltW. Qed.
Let w0 : 0 < w. Proof. by rewrite sqrtr_gt0 divr_gt0. Qed.

Lemma scaled_le1 : eps * w <= 1.
Proof.
have e : Num.sqrt (L / N) = w^-1 by rewrite -sqrtrV ?invf_div // divr_ge0 ?ltW.
by move: range; rewrite e -[w^-1]mul1r ler_pdivlMr.
Qed.

Lemma step_epsilon_bounds : 0 < step_epsilon /\ step_epsilon <= 21 / 100 * (eps * w).
Proof.
have rN : 0 < Num.sqrt N by rewrite sqrtr_gt0.
have m0 : 0 < multiplier by rewrite divr_gt0 ?mulr_gt0.
have arg : 5 / 4 / (delta / (10 * N)) = 25 / 2 * (N / delta) by field; rewrite !gt_eqF.
have lE : ln (5 / 4 / (delta / (10 * N))) = ln (25 / 2) + L by rewrite arg lnM ?posrE ?divr_gt0.
have big' : 1000 <= expR L by rewrite expL.
have le := log_failure L0 big'; have l1 : 0 < ln (25 / 2 : R) by rewrite ln_gt0 //; lra.
have sq0 : 0 < 2 * (ln (25 / 2) + L) by rewrite mulr_gt0 // addr_gt0.
have s0 : 0 < step_epsilon by rewrite /step_epsilon lE divr_gt0 // sqrtr_gt0.
split=> //.
have b0 : 0 <= 21 / 100 * (eps * w) by rewrite mulr_ge0 ?divr_ge0 // mulr_ge0 // ltW.
rewrite -ler_sqr ?nnegrE ?(ltW s0) //.
have N2 : Num.sqrt N ^+ 2 = N by rewrite sqr_sqrtr // ltW.
have sE : step_epsilon ^+ 2 = 2 * (ln (25 / 2) + L) * (eps ^+ 2 * N) / (64 * L ^+ 2).
  rewrite /step_epsilon /multiplier lE expr_div_n (sqr_sqrtr (ltW sq0)) expr_div_n exprMn [(eps * _) ^+ 2]exprMn N2.
  by field; rewrite !gt_eqF.
have tE : (21 / 100 * (eps * w)) ^+ 2 = 441 / 10000 * 64 * L * (eps ^+ 2 * N) / (64 * L ^+ 2).
  by rewrite exprMn [(eps * w) ^+ 2]exprMn w2; field; rewrite gt_eqF.
rewrite sE tE; apply: ler_wpM2r; first by rewrite invr_ge0 mulr_ge0 // sqr_ge0.
by apply: ler_wpM2r; [rewrite mulr_ge0 ?sqr_ge0 // ltW | lra].
Qed.

Context d (S : measurableType d) d' (Y : measurableType d') (mu : probability Y R) (X : Type) (n : nat).
Context (u : 'I_n.+1 -> S * Y -> S) (p : 'I_n.+1 -> X -> S * Y -> R).
Hypotheses (mu' : forall i, measurable_fun setT (u i)) (dp : forall i r, density mu (p i r)) (NE : N = n.+1%:R).

(* N steps in a hidden order *)
Lemma hidden_order_account x x' j0 s :
  (forall i r r' z, indist (expR step_epsilon) (delta / (10 * N)) (release mu p i r z) (release mu p i r' z)) ->
  (forall j, j != j0 -> x j = x' j) -> indist (expR eps) delta (order_law mu u p x s) (order_law mu u p x' s).
Proof.
move=> randomisers same A mA; rewrite /order_law -EFinM -EFinD lee_fin.
have [dg dl eg el] : [/\ 0 < delta, delta < 1, 0 < eps & eps <= 1] by [].
have mn := many; have Lp := L0; have wp := w0; have Np := N0.
have [e00 e0w] := step_epsilon_bounds; move: (step_epsilon) randomisers e00 e0w => e0 randomisers e00 e0w.
have [d0 d0E] : exists d0, d0 = delta / (10 * N) by eexists.
rewrite -d0E in randomisers.
have L1 := log_ge1; have N30 : 30 <= N by apply: le_trans many; lra.
have d0N : N * d0 = delta / 10 by rewrite d0E; field; rewrite gt_eqF.
have d00 : 0 <= d0 by rewrite d0E divr_ge0 ?mulr_ge0 ?ltW.
have d0le : d0 <= N * d0 by rewrite ler_peMl.
have small : n.+1%:R * d0 <= 1 / 8 by rewrite -NE d0N ler_pdivrMr //; apply: le_trans (ltW delta_lt1) _; lra.
have d01 : d0 < 1 by move: d0le; rewrite d0N; lra.
have ew0 : 0 < eps * w by rewrite mulr_gt0.
have ew1 := scaled_le1; have e0s : e0 <= 21 / 100 by lra.
have eE := exp_small (ltW e00) e0s; set e := expR e0 in eE; have e1 : 1 < e by rewrite expR_gt1.
have e_le : e <= 127 / 100 by lra.
have e_gt0 : 0 < e by exact: expR_gt0.
pose r := Num.sqrt (L / N * e); pose l := 2 * r.
have LN0 : 0 <= L / N by rewrite divr_ge0 ?ltW.
have r2 : r ^+ 2 = L / N * e by rewrite sqr_sqrtr // mulr_ge0 // ltW.
have LN1 : L / N <= 1 / 30 by rewrite ler_pdivrMr //; lra.
have r0 : 0 <= r by exact: sqrtr_ge0.
have LNe : L / N * e <= 1 / 30 * (127 / 100) by apply: ler_pM => //; exact: ltW.
have r_le : r <= 21 / 100.
  rewrite leNgt; apply/negP => lt; have : (21 / 100) ^+ 2 < r ^+ 2 by rewrite ltrXn2r //; rewrite ?nnegrE; lra.
  by rewrite r2 expr2; lra.
have l0 : 0 <= l by rewrite mulr_ge0.
have l1 : l <= 1 by rewrite /l; lra.
have rw : eps * w * r <= 113 / 100 * eps.
  have w0' := ltW w0; have wr0 : 0 <= w * r by rewrite mulr_ge0.
  have wr : w * r <= 113 / 100.
    rewrite leNgt; apply/negP => lt; have : (113 / 100) ^+ 2 < (w * r) ^+ 2 by rewrite ltrXn2r //; rewrite ?nnegrE; lra.
    rewrite [(w * r) ^+ 2]exprMn r2 w2 (_ : N / L * (L / N * e) = e); last by field; rewrite !gt_eqF.
    by rewrite expr2; lra.
  by rewrite -mulrA mulrC ler_wpM2r // ltW.
pose t := (e - 1) / (e + 1); pose a := expR eps.
have t0 : 0 <= t by rewrite divr_ge0 ?subr_ge0 ?(ltW e1) // addr_ge0 // ltW.
have tE : t <= 127 / 200 * e0 by rewrite /t ler_pdivrMr ?addr_gt0 //; nra.
have a0 : 0 <= a by exact: expR_ge0.
have al : 1 + t * l <= a * (1 - t * l).
  have tl0 : 0 <= t * l by rewrite mulr_ge0.
  have tl : t * l <= 31 / 100 * eps.
    apply: (@le_trans _ _ (127 / 200 * (21 / 100 * (eps * w)) * l)); first by rewrite ler_wpM2r //; lra.
    rewrite (_ : _ * l = 127 / 200 * (21 / 100) * 2 * (eps * w * r)); last by rewrite /l; ring.
    by move: (eps * w * r) rw => v; have := eg; lra.
  apply: (@le_trans _ _ ((1 + eps) * (1 - t * l))); last by rewrite ler_wpM2r ?expR_ge1Dx //; lra.
  have h : eps * (t * l) <= 1 * (t * l) by rewrite ler_wpM2r.
  by move: (t * l) tl0 tl h => v v0 v1 h; have := eg; lra.
have key : l * (1 - l) + L <= n%:R / e * (l ^+ 2 / 2 / (1 + l ^+ 2 / 2)).
  by apply: lead_paid N30 L1 e_gt0 _ r2 r0 r_le _; [lra | rewrite NE -natr1 addrK].
have nr := near_of_indist dp randomisers.
apply: le_trans (hidden_order e1 d00 mu' dp nr s d01 same al a0 l0 (bounded_event mA) (event_le1 A)) _.
rewrite lerD2l; apply: le_trans (cost_le e1 d00 a0 l0 l1 small key) _; rewrite -NE d0N expRN expL invf_div -/a.
have a_le : a <= 16 / 5 by apply: le_trans exp1_le; rewrite ler_expR.
exact: total_paid.
Qed.
End Account.

Example multiplier_computes (R : realType) : multiplier 4 (4 / expR 1) 1 = 4 :> R.
Proof.
have -> : 4 = 2 ^+ 2 :> R by rewrite expr2; lra.
rewrite /multiplier sqrtr_sqr ger0_norm // (_ : _ / (_ / expR 1) = expR 1) ?expRK; first by field.
by field; rewrite gt_eqF // expR_gt0.
Qed.

Example step_epsilon_holds (R : realType) : 0 < step_epsilon 1 (1 / 1000) 1 :> R.
Proof. by have [] := @step_epsilon_bounds R 1 (1 / 1000) 1 _ _ _ _; lra. Qed.
