(* liu2022, Lemma 3.1: Algorithm 2 with its records in a uniform hidden order, with the constants 8 and 1.

   in_the_order o x      the records x in the order o
   private_oja s x z     the law of the state, begun at z: one noisy clipped gradient a record, in a uniform hidden order
   private_oja_private   it is (epsilon, delta)-private with the multiplier 8 log(n / delta) / (epsilon sqrt n)
   no_constants          with one record and delta near 1 no constants serve *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra fingroup perm.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp.
From mathcomp Require Import measure numfun measurable_realfun lebesgue_measure lebesgue_integral probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure neighbours squared_norms normal_line gaussian_dp gaussian_run gaussian_formulas gaussian_matrix.
From DPPCA.lib Require Import gaussian_steps gaussian_calibration gaussian_exact shuffling shuffled_releases hidden_order.
From DPPCA.liu2022 Require Import clipping minibatch_normal_noise amplification_by_shuffling hidden_order_account densities_of_noise.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section FewRecords.
Context {R : realType}.

(* Below 30 L records one release alone is private enough. *)
Lemma few_records (N delta eps : R) (L := ln (N / delta)) : 1 <= N -> 0 < delta -> delta < 1 -> 1000 <= N / delta -> 0 < eps ->
  eps <= 1 -> N < 30 * L -> calibrated eps delta (multiplier N delta eps)^-1.
Proof.
move=> N1 t0 t1 big e0 e1; rewrite /multiplier -/L => few; have N0 : 0 < N by exact: lt_le_trans N1.
have Nd0 : 0 < N / delta by rewrite divr_gt0.
have L4 : 4 <= L.
  rewrite -ler_expR lnK ?posrE //; apply: le_trans big; rewrite (_ : 4 = 4 * 1) ?expRM_natl ?mulr1 //.
  apply: (@le_trans _ _ ((16 / 5) ^+ 4)); last by rewrite !exprS expr0; lra.
  by apply: lerXn2r; rewrite ?nnegrE ?expR_ge0 ?exp1_le //; lra.
have L0 : 0 < L by lra.
have [c0 _] := classical_factor t0 t1.
have cL : ln (5 / 4 / delta) <= 1 / 4 + L.
  rewrite -ler_expR lnK ?posrE ?divr_gt0 // expRD lnK ?posrE //.
  have h1 : 1 * delta^-1 <= N * delta^-1 by rewrite ler_wpM2r // invr_ge0 ltW.
  have h2 : 5 / 4 * (N / delta) <= expR (1 / 4) * (N / delta).
    by rewrite ler_wpM2r ?(ltW Nd0) //; apply: le_trans (expR_ge1Dx _); lra.
  by apply: le_trans h2; move: h1; lra.
have l0 : 0 < ln (5 / 4 / delta).
  by rewrite ln_gt0 // ltr_pdivlMr // mul1r; lra.
have rN : 0 < Num.sqrt N by rewrite sqrtr_gt0.
have c2 : Num.sqrt (2 * ln (5 / 4 / delta)) * Num.sqrt N <= 8 * L.
  rewrite -sqrtrM ?mulr_ge0 ?(ltW l0) // -[leRHS]ger0_norm ?mulr_ge0 ?(ltW L0) // -sqrtr_sqr ler_wsqrtr //.
  apply: (@le_trans _ _ (2 * (1 / 4 + L) * (30 * L))).
    by apply: ler_pM; rewrite ?(ltW few) ?(ltW N0) ?mulr_ge0 ?(ltW l0) // ler_wpM2l.
  have := mulr_ge0 (ltW L0) (_ : 0 <= L - 4); rewrite subr_ge0 L4 expr2 => /(_ isT); lra.
have := classical_gaussian e0 e1 t0 t1 (ltr01 : 0 < 1 :> R); apply: calibrated_monotone.
  by rewrite invr_gt0 divr_gt0 ?mulr_gt0.
rewrite /classical_std !mul1r invf_div [leRHS]invf_div ler_pdivlMr // mulrAC ler_pdivrMr ?mulr_gt0 //.
by rewrite -[leLHS]mulrA ler_wpM2l ?(ltW e0) // mulrC.
Qed.
End FewRecords.

Lemma order_law_sum (R : realType) d (S : measurableType d) d' (Y : measurableType d') (mu : probability Y R) (X : Type) n
    (u : 'I_n.+1 -> S * Y -> S) (p : 'I_n.+1 -> X -> S * Y -> R) w z A : order_law mu u p w z A =
  ((n.+1`!%:R^-1)%:E * \sum_(o : 'S_n.+1) (runs (fun i => via mu (u i) (p i (w (o i)))) (\1_A : S -> R) z)%:E)%E.
Proof. by rewrite /order_law /in_order /shuffled sumEFin. Qed.

Section PrivateOja.
Context (R : realType) (p n : nat) (beta : R) d (S : measurableType d).
Context (iterate : S -> 'cV[R]_p) (update : nat -> S * 'cV[R]_p -> S).
Hypotheses (measurable_iterate : measurable_fun setT iterate) (measurable_update : measurable_steps update) (beta_gt0 : 0 < beta).
Implicit Types (x : 'I_n.+1 -> 'M[R]_p) (o : 'S_n.+1).

Definition in_the_order o x (i : nat) : 'M[R]_p := oapp (fun k => x (o k)) 0 (insub i).
Definition private_oja s x z (A : set S) : \bar R :=
  ((n.+1`!%:R^-1)%:E * \sum_(o : 'S_n.+1) minibatch_oja 1 n.+1 beta iterate update s (in_the_order o x) z A)%E.

Let gradient (a : 'M[R]_p) z := clip beta (a *m iterate z).

Let measurable_gradient a : measurable_fun setT (gradient a).
Proof. by apply: measurable_clip => //; exact: measurable_product. Qed.

Let clipped_one y i z : clipped_mean 1 beta iterate y i z = gradient (y i) z.
Proof. by rewrite /clipped_mean /mean_of big_ord1 invr1 scale1r muln1 addn0. Qed.

Let order_indist e t (K L : 'S_n.+1 -> set S -> \bar R) : (forall o A, measurable A -> (0 <= K o A)%E /\ (0 <= L o A <= 1)%E) ->
  (forall o, indist (expR e) t (K o) (L o)) ->
  indist (expR e) t (fun A => (n.+1`!%:R^-1)%:E * \sum_o K o A)%E (fun A => (n.+1`!%:R^-1)%:E * \sum_o L o A)%E.
Proof.
move=> K0 close A mA; have c0 : 0 < n.+1`!%:R^-1 :> R by rewrite invr_gt0 ltr0n fact_gt0.
have Lf o : L o A = (fine (L o A))%:E.
  by case: (K0 o A mA) => _ /andP[l0 l1]; rewrite fineK // ge0_fin_numE // (le_lt_trans l1) // ltry.
apply: (@le_trans _ _ ((n.+1`!%:R^-1)%:E * \sum_o (expR e * fine (L o A) + t)%:E)%E).
  apply: lee_wpmul2l; first by rewrite lee_fin ltW.
  by apply: lee_sum => o _; apply: le_trans (close o A mA) _; rewrite {1}Lf -EFinM -EFinD.
under [X in (_ <= _ * (_ * X) + _)%E]eq_bigr do rewrite Lf.
rewrite !sumEFin -!EFinM -EFinD lee_fin big_split /= mulrDr shuffled_const lerD2r -mulr_sumr mulrCA.
exact: lexx.
Qed.

(* liu2022.lemma-3.1; the state may hold all iterates: liu2022.transcript *)
Theorem private_oja_private e t x x' j0 z (N := n.+1%:R : R) (L := ln (N / t))
    (alpha := 8 * L / (e * Num.sqrt N)) (s := alpha * (2 * beta)) :
  0 < t -> t < 1 -> 0 < e -> e <= 1 -> 1000 <= N / t -> e <= Num.sqrt (L / N) ->
  (forall j, j != j0 -> x j = x' j) -> indist (expR e) t (private_oja s x z) (private_oja s x' z).
Proof.
move=> t0 t1 e0 e1 big range same; have N1 : 1 <= N by rewrite ler1n.
have N0 : 0 < N by exact: lt_le_trans N1.
have b20 : 0 < 2 * beta by rewrite mulr_gt0.
have L0 : 0 < L by rewrite ln_gt0 //; apply: lt_le_trans big; lra.
have a0 : 0 < alpha by rewrite divr_gt0 ?mulr_gt0 ?sqrtr_gt0.
have s0 : 0 < s by rewrite mulr_gt0.
have [many|few] := lerP (30 * L) N; last first.
  apply: order_indist => [o A mA|o].
    have ok w : (0 <= minibatch_oja 1 n.+1 beta iterate update s (in_the_order o w) z A <= 1)%E.
      have ms : measurable_steps (fun (_ : nat) (_ : S) => const_mx s : 'cV[R]_p) by move=> i; exact: measurable_cst.
      have s0' : forall (i : nat) (y : S) a c, 0 < (const_mx s : 'cV[R]_p) a c by move=> i y a c; rewrite mxE.
      have mc := measurable_clipped_mean 1 measurable_iterate beta_gt0 (in_the_order o w).
      by case: (follows_steps n.+1 ms s0' mc measurable_update) => _; apply.
    by case/andP: (ok x) => -> _; rewrite ok.
  apply: (@minibatch_oja_private R p 1 n.+1 beta d S iterate update measurable_iterate measurable_update (ltn0Sn 0) beta_gt0 s e t _ _
    ((o^-1)%g j0 : 'I_n.+1) z s0) => [|i ne].
    have -> : 2 * beta / 1%:R / s = alpha^-1 by rewrite /s divr1 [alpha * _]mulrC invfM mulrA divff ?mul1r // gt_eqF.
    exact: few_records.
  rewrite /in_the_order; case: insubP => [k _ ki|//] /=; apply: same; apply: contra ne => /eqP <-.
  by rewrite permK -ki.
have [noise noiseE] := noise_exists s0 [the measurableType _ of 'M[R]_(p, 1)] (enum {: 'I_p * 'I_1}).
pose dn (i : 'I_n.+1) a := dens s (gradient a).
have dd i a : density noise (dn i a) by apply: dens_density.
have order w A : measurable A -> private_oja s w z A = order_law noise (fun i => update i) dn w z A.
  move=> mA; rewrite order_law_sum /private_oja.
  apply: (congr1 (mule _)); apply: eq_bigr => o _.
  have mc := measurable_clipped_mean 1 measurable_iterate beta_gt0 (in_the_order o w).
  have E := steps_runs noiseE n.+1 z mc measurable_update mA.
  apply: (etrans E).
  apply: (congr1 (fun K => (runs K \1_A z)%:E)); apply/funext => i.
  have VE : clipped_mean 1 beta iterate (in_the_order o w) i = gradient (w (o i)).
    by apply/funext => y; rewrite clipped_one /in_the_order valK.
  by rewrite VE.
move=> A mA; rewrite !order //.
apply: (hidden_order_account N1 t0 t1 big e0 e1 range many (mu := noise) (u := fun i => update i) (p := dn) _ _ (erefl N)) => //.
  move=> i a a' y B mB; rewrite /release !(dens_release noiseE) //.
  apply: (local_randomiser (alpha := alpha) a a' (iterate y) beta_gt0 a0) => //.
  - by rewrite divr_gt0 ?mulr_gt0.
  - by rewrite ltr_pdivrMr ?mulr_gt0 // mul1r; lra.
  have [_ le] := step_epsilon_bounds N1 t0 big e0; have := scaled_le1 N1 t0 big range; lra.
exact: same.
Qed.
End PrivateOja.

(* The hypotheses can be met: 1000 records of two coordinates, the iterate is the first axis. *)
Example private_oja_holds (R : realType) (x x' : 'I_1000 -> 'M[R]_2) j0 : (forall j, j != j0 -> x j = x' j) ->
  let s := 8 * ln (1000 / (1 / 2)) / (1 / 1000 * Num.sqrt 1000) * (2 * 1) in let keep := fun (_ : nat) (w : 'cV[R]_2 * 'cV[R]_2) => w.2 in
  indist (expR (1 / 1000)) (1 / 2) (private_oja 1 (fun=> (axis 0)^T) keep s x 0) (private_oja 1 (fun=> (axis 0)^T) keep s x' 0).
Proof.
move=> same s keep; apply: (@private_oja_private R 2 999 1 _ _ _ keep _ _ _ (1 / 1000) (1 / 2) x x' j0) => //; try lra.
  by move=> i; exact: measurable_snd.
have l2 : 3 / 5 <= ln (1000 / (1 / 2)) :> R by apply: le_trans (ln2_ge R) _; rewrite ler_ln ?posrE //; lra.
have -> : 1 / 1000 = Num.sqrt ((1 / 1000) ^+ 2) :> R by rewrite sqrtr_sqr ger0_norm // divr_ge0.
by rewrite ler_wsqrtr // expr2; lra.
Qed.

Example in_the_order_computes (R : realType) (x : 'I_3 -> 'M[R]_2) : in_the_order 1 x 2 = x (inord 2) /\ in_the_order 1 x 3 = 0.
Proof.
rewrite /in_the_order; split; last by rewrite insubF.
by case: insubP => // k _ k2 /=; rewrite perm1; congr x; apply: val_inj; rewrite /= inordK.
Qed.

Section OneRecord.
Context {R : realType} {p : nat}.
Variables (beta s : R).
Implicit Types (x : 'I_1 -> 'M[R]_p) (z : 'cV[R]_p).

Lemma one_record x z A : private_oja beta id (fun _ w => w.2) s x z A = noisy predT (const_mx s) (clip beta (x ord0 *m z)) A.
Proof.
rewrite /private_oja invr1 mul1e (bigD1 1%g) //= big1 ?adde0 => [|o]; last by rewrite permS1 eqxx.
have VE : clipped_mean 1 beta id (in_the_order 1 x) 0 z = clip beta (x ord0 *m z).
  rewrite /clipped_mean /mean_of big_ord1 invr1 scale1r /in_the_order.
  by congr (clip _ (_ *m _)); case: insubP => //= k _ _; congr x; rewrite ord1.
by rewrite noisyE -VE; exact: erefl.
Qed.
End OneRecord.

(* With one record, one release has to be private enough alone. *)
Lemma one_release_fails (R : realType) (C c delta : R) (k := c ^+ 2 / (32 * C ^+ 2)) (l := ln (1 / delta)) :
  0 < C -> 0 < c -> c <= 1 -> 1 / 2 <= delta -> delta < 1 -> 40 * (1 - delta) <= k ^+ 2 -> 8 * C ^+ 2 * (1 - delta) <= c ->
  ~ calibrated (c * Num.sqrt l) delta (c * Num.sqrt l / (C * l)).
Proof.
move=> C0 c0 c1 half t1 small1 small2; have t0 : 0 < delta by lra.
have l0 : 0 < l by rewrite ln_gt0 // div1r invf_gt1.
have lh : l <= 2 * (1 - delta).
  apply: (@le_trans _ _ (1 / delta - 1)).
    rewrite -ler_expR lnK ?posrE ?divr_gt0 //; apply: le_trans (expR_ge1Dx _); lra.
  rewrite (_ : 1 / delta - 1 = (1 - delta) / delta); last by field; rewrite gt_eqF.
  rewrite ler_pdivrMr // mulrAC ler_peMl //; lra.
have l1 : l <= 1 by lra.
set r := Num.sqrt l; have r0 : 0 < r by rewrite sqrtr_gt0.
have r2 : r ^+ 2 = l by rewrite sqr_sqrtr // ltW.
have r1 : r <= 1 by rewrite -sqrtr1 ler_wsqrtr.
set mu := c * r / (C * l); have muE : mu = c / (C * r) by rewrite /mu -r2; field; rewrite !gt_eqF.
have mu0 : 0 < mu by rewrite muE divr_gt0 // mulr_gt0.
have k0 : 0 < k by rewrite divr_gt0 ?mulr_gt0 ?exprn_gt0.
have muk : mu ^+ 2 / 32 = k / l by rewrite muE -r2 /k; field; rewrite !gt_eqF.
have lin : C * l <= mu / 4.
  rewrite muE -mulrA -invfM ler_pdivlMr ?mulr_gt0 // (_ : C * l * (C * r * 4) = 4 * C ^+ 2 * l * r); last by ring.
  have h : 4 * C ^+ 2 * l <= c.
    apply: le_trans small2; rewrite (_ : 8 * _ * _ = 4 * C ^+ 2 * (2 * (1 - delta))); last by ring.
    by rewrite ler_wpM2l // mulr_ge0 ?sqr_ge0.
  by apply: le_trans h; rewrite ler_piMr // mulr_ge0 ?(ltW l0) // mulr_ge0 ?sqr_ge0.
have eE : ln (expR (c * r)) / mu = C * l by rewrite expRK muE -r2; field; rewrite !gt_eqF.
have Cl0 : 0 < C * l by rewrite mulr_gt0.
have tail : upper (mu / 4) <= 2 * (l / k) ^+ 2.
  have m4 : 0 <= mu / 4 by lra.
  apply: le_trans (upper_chernoff m4) _.
  rewrite (_ : (mu / 4) ^+ 2 / 2 = k / l); last by rewrite -muk; field.
  have kl : 0 < k / l by rewrite divr_gt0.
  have v0 : 0 <= k / l / 2 by rewrite divr_ge0 // ltW.
  have ge : (k / l / 2) ^+ 2 <= expR (k / l).
    have half_twice : k / l = 2 * (k / l / 2) by field; rewrite gt_eqF.
    rewrite [in leRHS]half_twice expRM_natl.
    by apply: lerXn2r; rewrite ?nnegrE ?expR_ge0 //; apply: le_trans (expR_ge1Dx _); lra.
  rewrite expRN ler_pdivrMr // -[leRHS]invrK lef_pV2 ?posrE ?expR_gt0 ?invr_gt0 ?mulr_gt0 ?exprn_gt0 ?divr_gt0 ?invr_gt0 //.
  by apply: le_trans ge; rewrite le_eqVlt; apply/orP; left; apply/eqP; field; rewrite !gt_eqF.
have far (x : R) : mu / 4 <= x -> upper x <= 2 * (l / k) ^+ 2 by move=> le; apply: le_trans (upper_antitone le) tail.
rewrite /calibrated /profile eE -[C * l - _]opprB upperN => bad.
have u1 : upper (mu / 2 - C * l) <= 2 * (l / k) ^+ 2 by apply: far; lra.
have u2 : upper (C * l + mu / 2) <= 2 * (l / k) ^+ 2 by apply: far; lra.
have e_le : expR (c * r) <= 16 / 5.
  apply: le_trans exp1_le; rewrite ler_expR -[leRHS]mulr1; apply: ler_pM => //; exact: ltW.
have eu : expR (c * r) * upper (C * l + mu / 2) <= 16 / 5 * (2 * (l / k) ^+ 2).
  by apply: ler_pM => //; [exact: expR_ge0 | exact: upper_ge0].
have sq : (l / k) ^+ 2 * (40 * (1 - delta)) <= 4 * (1 - delta) ^+ 2.
  apply: (@le_trans _ _ ((l / k) ^+ 2 * k ^+ 2)); first by rewrite ler_wpM2l ?sqr_ge0.
  rewrite -exprMn divfK ?gt_eqF // (_ : 4 * _ = (2 * (1 - delta)) ^+ 2); last by ring.
  by apply: lerXn2r; rewrite ?nnegrE ?(ltW l0) //; lra.
have sq' : (l / k) ^+ 2 * 10 <= 1 - delta.
  have h0 : 0 < 4 * (1 - delta) by lra.
  by rewrite -(ler_pM2r h0); move: sq; rewrite expr2; lra.
lra.
Qed.

(* liu2022.lemma-3.1: with one record and delta near 1 no constants serve *)
Theorem no_constants (R : realType) (C c beta : R) : 0 < C -> 0 < c -> 0 < beta ->
  exists2 t, t < 1 & forall delta, t < delta -> delta < 1 -> exists eps, [/\ 0 < eps, eps <= 1, eps <= c * Num.sqrt (ln (1 / delta)) &
    let s := C * ln (1 / delta) / (eps * Num.sqrt 1) * (2 * beta) in exists (x x' : 'I_1 -> 'M[R]_1) z,
      ~ indist (expR eps) delta (private_oja beta id (fun _ w => w.2) s x z) (private_oja beta id (fun _ w => w.2) s x' z)].
Proof.
move=> C0 c0 b0; pose m := Num.min c 1; pose k := m ^+ 2 / (32 * C ^+ 2).
have m0 : 0 < m by rewrite lt_min c0 ltr01.
have [m1 mc] : m <= 1 /\ m <= c by rewrite !ge_min !lexx orbT.
have C2 : 0 < 8 * C ^+ 2 by rewrite mulr_gt0 // exprn_gt0.
have k0 : 0 < k by rewrite divr_gt0 ?mulr_gt0 ?exprn_gt0.
pose h := Num.min (1 / 2) (Num.min (k ^+ 2 / 40) (m / (8 * C ^+ 2))).
have h0 : 0 < h by rewrite !lt_min !divr_gt0 // exprn_gt0.
have [h1 h2 h3] : [/\ h <= 1 / 2, h <= k ^+ 2 / 40 & h <= m / (8 * C ^+ 2)] by rewrite !ge_min !lexx !orbT.
exists (1 - h) => [|delta near1 t1]; first by rewrite gtrDl oppr_lt0.
have t0 : 0 < delta by lra.
have l0 : 0 < ln (1 / delta) by rewrite ln_gt0 // div1r invf_gt1.
have r0 : 0 < Num.sqrt (ln (1 / delta)) by rewrite sqrtr_gt0.
have lh : ln (1 / delta) <= 1.
  rewrite -ler_expR lnK ?posrE ?divr_gt0 // ler_pdivrMr //; apply: (@le_trans _ _ (2 * delta)); first by lra.
  by rewrite ler_wpM2r ?(ltW t0) //; have := expR_ge1Dx (1 : R); lra.
have fails := one_release_fails C0 m0 m1 _ t1 _ _; exists (m * Num.sqrt (ln (1 / delta))); split.
- by rewrite mulr_gt0.
- by rewrite mulr_ile1 ?(ltW m0) ?(ltW r0) // -[leRHS]sqrtr1 ler_wsqrtr.
- by rewrite ler_wpM2r // ltW.
move=> s; have s0 : 0 < s by rewrite !mulr_gt0 ?invr_gt0 ?mulr_gt0 // sqrtr1.
exists (fun=> const_mx beta), (fun=> const_mx (- beta)), (const_mx 1) => close.
apply: fails.
- lra.
- by rewrite mulrC -ler_pdivlMr //; apply: le_trans h2; lra.
- by rewrite mulrC -ler_pdivlMr //; apply: le_trans h3; lra.
have law (v : R) : v ^+ 2 = beta ^+ 2 -> private_oja beta id (fun _ w => w.2) s (fun _ : 'I_1 => const_mx v : 'M[R]_1) (const_mx 1) =
    noisy predT (const_mx s) (const_mx v : 'cV[R]_1).
  move=> v2; apply/funext => A; rewrite one_record (_ : const_mx v *m _ = const_mx v); last first.
    by apply/matrixP => i j; rewrite !mxE big_ord1 !mxE mulr1.
  by rewrite clip_id ?(ltW b0) // /sqnorm /dot !big_ord1 !mxE -expr2 v2.
move: close; rewrite !law ?sqrrN // => close.
rewrite (_ : _ / (C * _) = 2 * beta / s); last by rewrite /s sqrtr1; field; rewrite !gt_eqF.
apply: (iffLR (@noisy_exact R 1 1 predT (const_mx s) (const_mx beta) (const_mx (- beta)) (2 * beta / s) _ _ _ _ _) close) => [i j||].
- by rewrite mxE.
- by rewrite divr_gt0 // mulr_gt0.
rewrite (bigD1 (ord0, ord0)) //= big1 ?addr0 => [|[i j] /eqP]; last by rewrite !ord1.
by rewrite !mxE opprK -mulr2n mulr_natl.
Qed.
