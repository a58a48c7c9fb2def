(* liu2022, Theorem D.1: privacy amplification by shuffling, with constants.

   A randomiser releases a value with a density that may depend on the state, that is on all that was released; the next state is
   computed from both. Any two records give (e0, d0)-indistinguishable releases.

   release i r s     the law of what step i releases about the record r at the state s
   order_law x s     the law of the last state, begun at s, where the records x are in a uniform hidden order *)
From mathcomp Require Import all_ssreflect all_algebra fingroup perm.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp.
From mathcomp Require Import measure numfun measurable_realfun lebesgue_measure lebesgue_integral probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure shuffling shuffling_bounds shuffled_releases hidden_order.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Lemma lead_rare (R : realType) (q y l : R) : 0 <= q -> q <= 1 / 4 -> 0 <= y -> y <= 5 / 48 -> l = 2 * q + 7 / 2 * y ->
  (y * l + q ^+ 2) * (1 + l ^+ 2 / 2) <= (1 - y) * (l ^+ 2 / 2).
Proof.
move=> q0 q1 y0 y1 lE; have l0 : 0 <= l by rewrite lE; lra.
have l1 : l <= 7 / 8 by rewrite lE; lra.
have l2 : l ^+ 2 <= (7 / 8) ^+ 2 by apply: lerXn2r; rewrite ?nnegrE //; lra.
have s0 : 0 <= y * l + q ^+ 2 by rewrite addr_ge0 ?sqr_ge0 // mulr_ge0.
have h1 : (y * l + q ^+ 2) * (1 + l ^+ 2 / 2) <= (y * l + q ^+ 2) * (7 / 5) by rewrite ler_wpM2l //; move: l2; rewrite expr2; lra.
have h2 : 43 / 48 * (l ^+ 2 / 2) <= (1 - y) * (l ^+ 2 / 2) by rewrite ler_wpM2r ?divr_ge0 ?sqr_ge0 //; lra.
apply: le_trans h1 _; apply: le_trans h2; rewrite lE !expr2.
have := mulr_ge0 q0 y0; have := mulr_ge0 q0 q0; have := mulr_ge0 y0 y0; lra.
Qed.

Lemma ln2_ge (R : realType) : 3 / 5 <= ln (2 : R).
Proof.
rewrite -[leLHS]expRK ler_ln ?posrE ?expR_gt0 //.
have h : 17 / 20 <= expR (- (3 / 20 : R)) by apply: le_trans (expR_ge1Dx _); lra.
have : (17 / 20) ^+ 4 <= expR (- (3 / 20 : R)) ^+ 4 by apply: lerXn2r; rewrite ?nnegrE ?expR_ge0 //; lra.
rewrite -expRM_natl (_ : 4 * _ = - (3 / 5)); last by field.
rewrite expRN => h4; have p := expR_gt0 (3 / 5 : R); have : (17 / 20) ^+ 4 * expR (3 / 5) <= 1 :> R by rewrite -ler_pdivlMr // div1r.
by rewrite !exprS expr0; lra.
Qed.

Section Amplification.
Context {R : realType} d (S : measurableType d) d' (Y : measurableType d') (mu : probability Y R).
Variables (e0 d0 : R) (X : Type) (n : nat) (u : 'I_n.+1 -> S * Y -> S) (p : 'I_n.+1 -> X -> S * Y -> R).
Hypotheses (e0_gt0 : 0 < e0) (d00 : 0 <= d0) (mu' : forall i, measurable_fun setT (u i)) (dp : forall i r, density mu (p i r)).

Definition release i r s (A : set Y) : \bar R := (\int[mu]_(y in A) (p i r (s, y))%:E)%E.
Definition order_law (x : 'I_n.+1 -> X) s (A : set S) : \bar R := (in_order mu u p x \1_A s)%:E.

Hypothesis randomisers : forall i r r' s, indist (expR e0) d0 (release i r s) (release i r' s).

Lemma bounded_event (A : set S) : measurable A -> bounded_test (\1_A : S -> R).
Proof. by move=> mA; split=> [|x|]; [exact: measurable_indic | rewrite indicE | exists 1 => x; rewrite indicE; case: (_ \in _)]. Qed.

Lemma event_le1 (A : set S) x : \1_A x <= 1 :> R. Proof. by rewrite indicE; case: (_ \in _). Qed.

Lemma near_of_indist i r r' : near mu (expR e0) d0 (p i r) (p i r').
Proof.
move=> s; set e := expR e0; have e_ge0 : 0 <= e by exact: expR_ge0.
have [mh h0 h1] := dp i r; have [mk k0 k1] := dp i r'; pose A := [set y | e * p i r' (s, y) < p i r (s, y)].
have mh' := measurable_section s mh; have mk' := measurable_section s mk.
have mA : measurable A.
  rewrite -[X in measurable X]setTI.
  rewrite (_ : A = [set y | 0%:E < (p i r (s, y) - e * p i r' (s, y))%:E]%E); last first.
    by apply/seteqP; split=> y; rewrite /A /= lte_fin subr_gt0.
  by apply: emeasurable_fun_o_infty => //; apply/measurable_EFinP; apply: measurable_funB => //; exact: measurable_funM.
have cut q : density mu q -> fm mu (fun y => q (s, y) * \1_A y) /\
    (\int[mu]_(y in A) (q (s, y))%:E = (total mu (fun y => q (s, y) * \1_A y))%:E)%E.
  move=> dq; have [mq q0 _] := dq; have f1 : fm mu (fun y => q (s, y) * \1_A y).
    apply: (fm_le _ _ (sub_fm s (density_sub dq))).
      by apply: measurable_funM; [exact: measurable_section | exact: measurable_indic].
    by move=> y; rewrite indicE mulr_ge0 //= ler_piMr // lern1 leq_b1.
  split=> //; rewrite -totalE // [LHS]integral_mkcond; apply: eq_integral => y _.
  by rewrite patchE indicE; case: (y \in A); rewrite ?mulr1 ?mulr0.
have [fh ih] := cut _ (dp i r); have [fk ik] := cut _ (dp i r').
have := randomisers i r r' s mA; rewrite /release ih ik -EFinM -EFinD lee_fin.
have fa : fm mu (fun y => above e (p i r) (p i r') (s, y)).
  apply: (fm_le _ _ (sub_fm s (density_sub (dp i r)))).
    by apply: measurable_maxr => //; apply: measurable_funB => //; exact: measurable_funM.
  move=> y; rewrite /above le_max lexx ge_max h0 /= gerBl; exact: mulr_ge0.
rewrite (_ : (fun y => p i r (s, y) * \1_A y) = fun y => 1 * above e (p i r) (p i r') (s, y) + e * (p i r' (s, y) * \1_A y)).
  by rewrite (total_comb ler01 e_ge0 fa fk) mul1r addrC lerD2l.
apply/funext => y; rewrite /above indicE; case: (boolP (y \in A)) => [|/negP] yA.
  by move: yA; rewrite inE /A /= => lt; rewrite max_r ?subr_ge0 ?(ltW lt) //; ring.
have : p i r (s, y) <= e * p i r' (s, y) by rewrite leNgt; apply/negP => lt; apply: yA; rewrite inE.
by move=> le; rewrite max_l ?subr_le0 //= ?mulr0n !mulr0 addr0.
Qed.

(* liu2022.theorem-d.1, with the constants 56 for (36) and 8 for the failures *)
Theorem theorem_d_1 x x' j0 delta s (N := n.+1%:R : R)
    (eps := 56 * ((1 - expR (- e0)) * (Num.sqrt (expR e0 * ln (1 / delta)) / Num.sqrt N + expR e0 / N))) :
  0 < delta -> delta < 1 -> e0 <= ln (N / (16 * ln (2 / delta))) -> (forall j, j != j0 -> x j = x' j) ->
  indist (expR eps) (delta + 8 * (expR eps * d0 * N)) (order_law x s) (order_law x' s).
Proof.
move=> t0 t1 range same A mA; rewrite /order_law -EFinM -EFinD lee_fin.
set e := expR e0; have e1 : 1 < e by rewrite expR_gt1.
have N0 : 0 < N by rewrite ltr0n.
have okA := bounded_event mA; have A1 := event_le1 A.
have e_gt0 : 0 < e by exact: expR_gt0.
pose L := ln (1 / delta); have L0 : 0 < L by rewrite ln_gt0 // ltr_pdivlMr // mul1r.
have L2 : ln (2 / delta) = ln 2 + L by rewrite /L -lnM ?posrE ?divr_gt0 // mulrA mulr1.
have l2 := ln2_ge R; have P2 : 0 < 16 * (ln 2 + L) by lra.
pose y := e / N; have y0 : 0 < y by rewrite divr_gt0.
have yL : y * (16 * (3 / 5 + L)) <= 1.
  have pos : 0 < N / (16 * ln (2 / delta)) by rewrite L2 divr_gt0.
  have : e <= N / (16 * ln (2 / delta)) by rewrite -[leRHS]lnK ?posrE // ler_expR.
  rewrite L2 ler_pdivlMr //.
  move=> h; rewrite /y mulrAC ler_pdivrMr // mul1r; apply: le_trans h; rewrite ler_wpM2l ?(ltW e_gt0) //; lra.
have y1 : y <= 5 / 48 by have := mulr_gt0 y0 L0; lra.
pose q := Num.sqrt (e * L) / Num.sqrt N; have q0 : 0 <= q by rewrite divr_ge0 ?sqrtr_ge0.
have q2 : q ^+ 2 = y * L by rewrite /q expr_div_n !sqr_sqrtr ?(ltW N0) ?mulr_ge0 ?(ltW e_gt0) ?(ltW L0) // /y mulrAC.
have q1 : q <= 1 / 4.
  rewrite leNgt; apply/negP => lt; have : (1 / 4) ^+ 2 < q ^+ 2 by rewrite ltrXn2r //; rewrite ?nnegrE; lra.
  by rewrite q2 expr2; lra.
pose l := 2 * q + 7 / 2 * y; have l0 : 0 <= l by rewrite /l; lra.
have l1 : l <= 7 / 8 by rewrite /l; lra.
pose t := (e - 1) / (e + 1); pose a := expR eps.
have t0' : 0 <= t by rewrite divr_ge0 ?subr_ge0 ?(ltW e1) // addr_ge0 // ltW.
have tE : t <= 1 - e^-1.
  rewrite /t (_ : 1 - e^-1 = (e - 1) / e); last by field; rewrite gt_eqF.
  rewrite ler_wpM2l ?subr_ge0 ?(ltW e1) // lef_pV2 ?posrE ?addr_gt0 //; lra.
have t1' : t <= 1 by apply: le_trans tE _; rewrite gerBl invr_ge0 ltW.
have a16 : 1 + 16 * (t * l) <= a.
  apply: le_trans (expR_ge1Dx eps); rewrite lerD2l /eps -/e -/L -/q -/y expRN -/e.
  have : t * (q + y) <= (1 - e^-1) * (q + y) by rewrite ler_wpM2r // addr_ge0 // ltW.
  have : 0 <= t * q by rewrite mulr_ge0.
  by rewrite /l; lra.
have a1 : 1 <= a by apply: le_trans a16; rewrite lerDl; apply: mulr_ge0 => //; exact: mulr_ge0.
have a0 : 0 <= a by exact: le_trans a1.
have [big|small] := lerP (1 / 8) (N * d0).
  have /andP[_ le1] := in_order_bounds mu' dp x s okA A1; have /andP[ge0 _] := in_order_bounds mu' dp x' s okA A1.
  apply: le_trans le1 _; have : 1 * (N * d0) <= a * (N * d0) by rewrite ler_wpM2r // mulr_ge0 // ltW.
  have := mulr_ge0 a0 ge0; rewrite -/a mul1r mulrAC -mulrA [N * d0]mulrC; lra.
have N1 : 1 <= N by rewrite ler1n.
have d0N : d0 <= N * d0 by rewrite ler_peMl.
have al : 1 + t * l <= a * (1 - t * l).
  have tl0 : 0 <= t * l by rewrite mulr_ge0.
  have tl1 : t * l <= 7 / 8 by apply: le_trans l1; rewrite ler_piMl.
  apply: (@le_trans _ _ ((1 + 16 * (t * l)) * (1 - t * l))); last by rewrite ler_wpM2r //; lra.
  by move: (t * l) tl0 tl1 => v v0 v1; nra.
have key : l * (1 - l) + L <= n%:R / e * (l ^+ 2 / 2 / (1 + l ^+ 2 / 2)).
  have v0 : 0 <= l ^+ 2 / 2 by rewrite divr_ge0 ?sqr_ge0.
  have rare := lead_rare q0 q1 (ltW y0) y1 (erefl l).
  have cancel (b c k : R) : c != 0 -> b != 0 -> c / b * (k / c) = k / b by move=> c0 b0; field; rewrite c0 b0.
  have share : 1 - y <= y * (n%:R / e).
    rewrite cancel ?gt_eqF // (_ : n%:R / N = 1 - N^-1); first by rewrite lerD2l lerN2 /y ler_peMl ?invr_ge0 ?(ltW N0) // ltW.
    have -> : n%:R = N - 1 by rewrite /N -natr1 addrK.
    by rewrite mulrBl mul1r divff // gt_eqF.
  rewrite mulrA ler_pdivlMr ?ltr_pwDl // -(ler_pM2l y0).
  apply: le_trans (_ : (y * l + q ^+ 2) * (1 + l ^+ 2 / 2) <= _).
    rewrite mulrA ler_wpM2r ?addr_ge0 // q2 mulrDr lerD2r ler_wpM2l ?(ltW y0) // mulrBr mulr1 gerBl; exact: mulr_ge0.
  by apply: le_trans rare _; rewrite [leRHS]mulrA ler_wpM2r.
have d1 : d0 < 1 by move: d0N small; lra.
have l1' : l <= 1 by lra.
apply: le_trans (hidden_order e1 d00 mu' dp near_of_indist s d1 same al a0 l0 okA A1) _.
rewrite lerD2l; apply: le_trans (cost_le e1 d00 a0 l0 l1' (ltW small) key) _.
rewrite expRN /L lnK ?posrE ?divr_gt0 // invf_div divr1 -/a.
have : 1 * (N * d0) <= a * (N * d0) by rewrite ler_wpM2r // mulr_ge0 // ltW.
have : delta * (N * d0) <= 1 * (N * d0) by rewrite ler_wpM2r ?(ltW t1) // mulr_ge0 // ltW.
rewrite -/N (_ : a * d0 * N = a * (N * d0)); last by ring.
move: (N * d0) d0N => v d0v tv av; rewrite mulrDr mulr1 -!addrA lerD2l.
have e4 : delta * (4 * v) <= 4 * (a * v) by rewrite mulrCA ler_pM2l //; apply: le_trans tv av.
rewrite (_ : a * (2 * v) = 2 * (a * v)); last by ring.
by move: (a * v) av e4 => w vw e4; move: d00; lra.
Qed.
End Amplification.

(* The hypotheses can be met: releases that are the same for all records; e^(1/2) <= 1000 / (16 log 4). *)
Example theorem_d_1_holds (R : realType) d (S : measurableType d) d' (Y : measurableType d') (mu : probability Y R)
    (x x' : 'I_1000 -> bool) j0 s : (forall j, j != j0 -> x j = x' j) ->
  let law := order_law mu (fun _ (w : S * Y) => w.1) (fun _ _ _ => 1) in
  1 / 2 <= ln (1000 / (16 * ln (2 / (1 / 2 : R)))) -> exists2 eps : R, 0 <= eps & indist (expR eps) (1 / 2) (law x s) (law x' s).
Proof.
move=> same law range; have d1 : density mu (fun _ : S * Y => 1 : R) by split=> // z; rewrite integral_cst // mul1e; exact: probability_setT.
have H := @theorem_d_1 R d S d' Y mu (1 / 2) 0 bool 999 (fun _ w => w.1) (fun _ _ _ => 1) _ (lexx 0) _ (fun _ _ => d1) _ x x' j0 (1 / 2) s.
eexists; last (have := H _ _ _ _ _ _ same; rewrite mulr0 mul0r mulr0 addr0; apply) => //; try lra.
- apply: mulr_ge0 => //; apply: mulr_ge0; first by rewrite subr_ge0 -[leRHS]expR0 ler_expR; lra.
  by rewrite addr_ge0 // divr_ge0 ?sqrtr_ge0 ?expR_ge0.
- by move=> i; exact: measurable_fst.
- by move=> i r r' z A mA; rewrite /release adde0 lee_pemull ?integral_ge0 // lee_fin -[leLHS]expR0 ler_expR; lra.
Qed.
