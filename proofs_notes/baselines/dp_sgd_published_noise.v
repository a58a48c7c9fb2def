(* abadi2016, Theorem 1: no constants make the published noise of DP-SGD private, whatever the rate and delta are.

   One row against none. Each step adds 1, if the row is drawn, and normal noise to the state, the sum of the releases. After many
   steps the sum is above half of its mean with the row, and below it without, by Markov's inequality for exponentials. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions interval_inference.
From mathcomp Require Import reals ereal topology normedtype sequences exp measure numfun measurable_realfun lebesgue_measure lebesgue_integral.
From mathcomp Require Import probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import discrete measure squared_norms normal_line gaussian_dp gaussian_run gaussian_formulas gaussian_matrix gaussian_steps.
From DPPCA.lib Require Import gaussian_calibration real_releases adaptive_runs release_kernels subsampling hidden_choices noisy_choices.
From DPPCA.primitives Require Import row_changes.
From DPPCA.shang2021 Require Import gradients hidden_rows.
From DPPCA.liu2022 Require Import clipping minibatch_normal_noise densities_of_noise.
From DPPCA.baselines Require Import normal_sums dp_sgd.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.


Section Markov.
Context d (S : measurableType d) (R : realType).
Implicit Types (K : nat -> R.-pker S ~> S) (F f : S -> \bar R).

Lemma after_complement K n F G z : test F -> test G -> (forall x, F x + G x = 1)%E -> (after K n F z + after K n G z = 1)%E.
Proof.
move=> tF tG FG; elim: n K z => [//|n IH] K z /=; have [K1 _] := pker_mean (K 0%N).
have [mF F01] := test_after (fun i => K i.+1) n tF; have [mG G01] := test_after (fun i => K i.+1) n tG.
rewrite -ge0_integralD //; try by move=> x _; [case/andP: (F01 x) | case/andP: (G01 x)].
- by under eq_integral do rewrite IH; rewrite integral_cst // mul1e K1.
- by move=> x _; case/andP: (F01 x).
by move=> x _; case/andP: (G01 x).
Qed.

Lemma after_markov K n F f (m : R) z : 0 <= m -> test F -> measurable_fun setT f -> (forall x, 0 <= f x)%E -> (forall x, F x <= f x)%E ->
  (forall i x, \int[K i x]_y f y <= m%:E * f x)%E -> (after K n F z <= (m ^+ n)%:E * f z)%E.
Proof.
move=> m0 tF mf f0 Ff step; elim: n K z step => [|n IH] K z step /=; first by rewrite expr0 mul1e.
have [mA A01] := test_after (fun i => K i.+1) n tF; have p0 : 0 <= m ^+ n by rewrite exprn_ge0.
apply: (@le_trans _ _ (\int[K 0%N z]_x ((m ^+ n)%:E * f x))%E).
  apply: ge0_le_integral => //.
  - by move=> x _; case/andP: (A01 x).
  - by move=> x _; rewrite mule_ge0 ?lee_fin.
  - exact: measurable_funeM.
  - by move=> x _; apply: IH => i y; exact: step.
rewrite ge0_integralZl_EFin // exprSr EFinM -muleA; apply: lee_wpmul2l; first by rewrite lee_fin.
exact: step.
Qed.
End Markov.

Lemma normal_mgf (R : realType) (v s a : R) : 0 < s ->
  (\int[normal_prob v s]_x (expR (a * x))%:E = (expR (a * v + a ^+ 2 * s ^+ 2 / 2))%:E)%E.
Proof.
move=> s0; rewrite integral_normal //; last by move=> x; rewrite lee_fin expR_ge0.
  transitivity (\int[lebesgue_measure]_x ((expR (a * v + a ^+ 2 * s ^+ 2 / 2))%:E * (normal_pdf (v + a * s ^+ 2) s x)%:E))%E.
    apply: eq_integral => x _; rewrite -!EFinM; congr EFin; rewrite !normal_pdfE // mulrC mulrCA [RHS]mulrCA -!expRD.
    by congr (_ * expR _); field; rewrite gt_eqF.
  rewrite ge0_integralZl_EFin ?expR_ge0 ?integral_normal_pdf ?mule1 //.
  - by move=> x _; rewrite lee_fin normal_pdf_ge0.
  - by apply/measurable_EFinP; exact: measurable_normal_pdf.
apply/measurable_EFinP; apply: measurableT_comp => //; exact: measurable_funM.
Qed.

Section OneEntry.
Context (R : realType) (s : R) (s0 : 0 < s).
Implicit Types (V : 'M[R]_1) (A : set R).

Lemma noisy_entry V A : measurable A -> noisy predT (const_mx s) V [set Y | A (Y 0 0)] = normal_prob (V 0 0) s A.
Proof.
move=> mA; rewrite noisyE; have : size (enum {: 'I_1 * 'I_1}) = 1%N by rewrite -cardE card_prod !card_ord.
case: (enum _) => [//|[i j] [|//]] _; rewrite !ord1 /= /mix /normal_prob [RHS]integral_mkcond; apply: eq_integral => x _.
rewrite patchE mxE indicE -EFinM (_ : _ \in _ = (x \in A)); first by case: (x \in A); rewrite ?mulr1 ?mulr0.
by apply/idP/idP; rewrite !inE /= /add_entry !mxE !eqxx mulr1 add0r.
Qed.
End OneEntry.

Section Sums.
Context (R : realType) (s q : R) (s0 : 0 < s) (q01 : 0 <= q <= 1).
Local Notation S := (measurableTypeR R).
Implicit Types (V : S -> 'M[R]_1) (a : R).

Definition add_release (_ : nat) (w : S * 'M[R]_1) : S := w.1 + w.2 0 0.

Lemma measurable_add_release : measurable_steps add_release.
Proof.
move=> i; apply: measurable_funD; first exact: measurable_fst.
exact: (measurableT_comp (measurable_entry 0 0) measurable_snd).
Qed.

Lemma measurable_exponential a : measurable_fun setT (fun x : S => (expR (a * x))%:E).
Proof. by apply/measurable_EFinP; apply: measurableT_comp => //; exact: measurable_funM. Qed.

Lemma value_mean V (mV : measurable_fun setT V) i a z :
  (\int[noisy_value s0 mV (measurable_add_release i) z]_x (expR (a * x))%:E =
   (expR (a * z))%:E * (expR (a * V z 0 0 + a ^+ 2 * s ^+ 2 / 2))%:E)%E.
Proof.
have mz : measurable_fun setT (fun x : S => z + x : S) by apply: measurable_funD.
rewrite (mean_pushforward (P := normal_prob (V z 0 0) s) (g := fun x : S => z + x : S) mz _ (measurable_exponential a)); last 1 first.
- by move=> x; rewrite lee_fin expR_ge0.
- rewrite -normal_mgf // -ge0_integralZl_EFin ?expR_ge0 //; last exact: measurable_exponential.
    by apply: eq_integral => x _; rewrite mulrDr expRD EFinM.
  by move=> x _; rewrite lee_fin expR_ge0.
move=> A mA; rewrite release_stepE //= /normal_kernel /normal_law.
rewrite -noisy_entry //; last by rewrite -[X in measurable X]setTI; exact: mz.
Qed.

Lemma no_row_mean (V : 'I_0 -> S -> 'M[R]_1) mV i a z :
  (\int[sample_step s0 measurable_add_release q01 (V := V) mV i z]_x (expR (a * x))%:E =
   (expR (a * z))%:E * (expR (a ^+ 2 * s ^+ 2 / 2))%:E)%E.
Proof.
have e A : sample_step s0 measurable_add_release q01 mV i z A =
    noisy_value s0 (mV finset.set0) (measurable_add_release i) z A.
  rewrite /sample_step /noisy_choice chooseE (bigD1 finset.set0) //= big1 => [|B]; last first.
    by case/negP; apply/eqP/finset.setP; case.
  by rewrite /draw_probability big_ord0 mul1e adde0.
rewrite (eq_measure_integral (noisy_value s0 (mV finset.set0) (measurable_add_release i) z)) => [|A mA _]; last exact: e.
by rewrite value_mean big_set0 mxE mulr0 add0r.
Qed.

Lemma row_mean (V : 'I_1 -> S -> 'M[R]_1) mV i a z : (forall y, V ord0 y = const_mx 1) ->
  (\int[sample_step s0 measurable_add_release q01 (V := V) mV i z]_x (expR (a * x))%:E =
   (expR (a * z))%:E * (expR (a ^+ 2 * s ^+ 2 / 2) * (1 - q + q * expR a))%:E)%E.
Proof.
move=> one; have /andP[q0 q1] := q01; have q1' : 0 <= 1 - q by rewrite subr_ge0.
pose K B := noisy_value s0 (mV B) (measurable_add_release i) z.
have e A : measurable A -> sample_step s0 measurable_add_release q01 mV i z A = ((1 - q)%:E * K finset.set0 A + q%:E * K finset.setT A)%E.
  move=> mA; rewrite /sample_step /noisy_choice chooseE (bigD1 finset.set0) //= (bigD1 finset.setT) /=; last first.
    by apply/eqP => /finset.setP/(_ ord0); rewrite !inE.
  rewrite big1 ?adde0 => [|B /andP[B0 B1]]; first by rewrite /draw_probability !big_ord1 !inE.
  have [b|b] := boolP (ord0 \in B).
    by case/eqP: B1; apply/finset.setP => j; rewrite ord1 inE.
  by case/eqP: B0; apply/finset.setP => j; rewrite ord1 inE (negPf b).
rewrite (mean_mixture q1' q0 e (measurable_exponential a)) => [|x]; last by rewrite lee_fin expR_ge0.
rewrite /K !value_mean big_set0 mxE mulr0 add0r (eq_bigl xpredT) => [|j]; last by rewrite inE.
rewrite big_ord1 one mxE mulr1 -!EFinM -EFinD; congr EFin; rewrite expRD; ring.
Qed.


Local Notation sgd X := (dp_sgd (@idfun S) (measurable_cst (const_mx (-1) : 'M[R]_1)) measurable_add_release s0 ltr01 q01 X).

Lemma one_row : clipped_gradient 1 (row ord0 (1%:M : 'M[R]_1)) (const_mx (-1)) = const_mx 1 :> 'M[R]_1.
Proof.
rewrite /clipped_gradient (_ : gradient _ _ _ = const_mx 1); last first.
  by apply/matrixP => i j; rewrite !ord1 !mxE !big_ord1 !mxE big_ord1 !mxE /= mulr1n; ring.
by rewrite clip_id ?ler01 // /sqnorm /dot !big_ord1 !mxE mulr1 expr1n.
Qed.

Let test_set (A : set S) : measurable A -> test (fun x => (\1_A x)%:E : \bar R).
Proof.
move=> mA; split=> [|x]; first by apply/measurable_EFinP; exact: measurable_indic.
by rewrite !lee_fin indicE; case: (_ \in _); rewrite ?lexx ?ler01.
Qed.

Let below : set S := `]-oo, 0].
Let over : set S := `]0, +oo[.

Let below_over x : (\1_below x)%:E + (\1_over x)%:E = 1%:E :> \bar R.
Proof.
rewrite -EFinD !indicE !mem_setE /= !in_itv /= andbT; case: ltP => _; rewrite ?addr0 ?add0r //.
Qed.

(* With the row the sum of N steps, begun at z, is positive, but for a small probability. *)
Lemma row_over N z : (1 - (expR (- (z / 2)) * (expR (s ^+ 2 / 8) * (1 - q + q * expR (- (1 / 2)))) ^+ N)%:E <= sgd (1%:M : 'M[R]_1) N z over)%E.
Proof.
have mb : measurable below by exact: measurable_itv.
have mo : measurable over by exact: measurable_itv.
set m := expR (s ^+ 2 / 8) * _; have /andP[q0 q1] := q01.
have m0 : 0 <= m by rewrite mulr_ge0 ?expR_ge0 // addr_ge0 ?subr_ge0 // mulr_ge0 ?expR_ge0.
rewrite /dp_sgd /noisy_sums /adaptive_runs.run; set K := sample_step _ _ _ _.
have bound : (after K N (fun x => (\1_below x)%:E) z <= (m ^+ N)%:E * (expR (- (1 / 2) * z))%:E)%E.
  apply: (@after_markov _ S R K N _ (fun x => (expR (- (1 / 2) * x))%:E) m z m0 (test_set mb) (measurable_exponential _)) => [x|x|i x].
  - by rewrite lee_fin expR_ge0.
  - rewrite lee_fin indicE mem_setE /= in_itv /=; case: (boolP (x <= 0)) => x0; rewrite /= ?expR_ge0 //.
    by rewrite -[leLHS]expR0 ler_expR; lra.
  rewrite /K row_mean => [|y]; last exact: one_row.
  rewrite muleC lee_pmul2r ?lte_fin ?expR_gt0 // lee_fin /m; apply: ler_wpM2r => //.
    by rewrite addr_ge0 ?subr_ge0 // mulr_ge0 ?expR_ge0.
  by rewrite ler_expR; have := sqr_ge0 s; lra.
have total := after_complement K N z (test_set mb) (test_set mo) below_over.
rewrite -[X in (X - _ <= _)%E]total leeBlDr // addeC leeD2l //.
apply: le_trans bound _; rewrite -EFinM lee_fin mulrC ler_wpM2r ?exprn_ge0 // ler_expR; lra.
Qed.

(* Without the row it is not. *)
Lemma no_row_over N z a : 0 <= a -> (sgd (0 : 'M[R]_(0, 1)) N z over <= (expR (a * z) * expR (a ^+ 2 * s ^+ 2 / 2) ^+ N)%:E)%E.
Proof.
move=> a0; have mo : measurable over by exact: measurable_itv.
rewrite /dp_sgd /noisy_sums /adaptive_runs.run; set K := sample_step _ _ _ _; rewrite mulrC EFinM.
apply: (@after_markov _ S R K N _ (fun x => (expR (a * x))%:E) _ z (expR_ge0 _) (test_set mo) (measurable_exponential _)) => [x|x|i x].
- by rewrite lee_fin expR_ge0.
- rewrite lee_fin indicE mem_setE /= in_itv /= andbT; case: (boolP (0 < x)) => x0; rewrite /= ?expR_ge0 //.
  by rewrite -[leLHS]expR0 ler_expR mulr_ge0 // ltW.
by rewrite /K no_row_mean muleC.
Qed.
End Sums.

Lemma exp_below (R : realType) (x h : R) : 0 < h -> x < ln h -> expR x < h.
Proof. by move=> h0 lt; rewrite -[ltRHS]lnK ?posrE // ltr_expR. Qed.

Lemma halved (R : realType) (v w l : R) : (w - l) * 2 < v -> w - v / 2 < l. Proof. by lra. Qed.

Section Refuted.
Context (R : realType).
Local Notation S := (measurableTypeR R).
Local Notation sgd s0 q01 X := (dp_sgd (@idfun S) (measurable_cst (const_mx (-1) : 'M[R]_1)) (@measurable_add_release R) s0 ltr01 q01 X).

(* abadi2016.theorem-1: one row against none, at every rate and delta *)
Theorem theorem_1_refuted (c1 c2 q t : R) (q01 : 0 <= q <= 1) : 0 < c1 -> 0 < c2 -> 0 < q -> 0 < t -> t < 1 ->
  removed (1%:M : 'M[R]_1) (0 : 'M[R]_(0, 1)) /\
  exists N e, [/\ 0 < e, e < c1 * q ^+ 2 * N%:R & exists (s0 : 0 < c2 * q * Num.sqrt (N%:R * ln (1 / t)) / e) z,
    ~ indist (expR e) t (sgd s0 q01 (1%:M : 'M[R]_1) N z) (sgd s0 q01 (0 : 'M[R]_(0, 1)) N z)].
Proof.
move=> c10 c20 q0 t0 t1; split.
  split; last by exists ord0; apply/matrixP => -[].
  by move=> i; rewrite /in_ball /sqnorm /dot !big_ord1 !mxE !ord1 /= mulr1.
have [_ q1] := andP q01; pose L := ln (1 / t); have L0 : 0 < L by rewrite ln_gt0 // div1r invf_gt1.
pose h := (1 - t) / 2; have h0 : 0 < h by rewrite divr_gt0 // subr_gt0.
pose T := 4 * c2 ^+ 2 * L / (c1 ^+ 2 * q ^+ 2).
pose x1 := (T / 8 - ln h) * 12 / q; pose x2 := (8 * c2 ^+ 2 * L - ln h) * 2 / (c1 * q ^+ 2).
have x0 : 0 <= `|x1| + `|x2| by rewrite addr_ge0.
have := archi_boundP x0; set N := Num.bound _ => large.
have n1 : x1 < N%:R by apply: le_lt_trans large; apply: le_trans (ler_norm _) _; rewrite lerDl.
have n2 : x2 < N%:R by apply: le_lt_trans large; apply: le_trans (ler_norm _) _; rewrite lerDr.
have N0 : 0 < N%:R :> R by apply: le_lt_trans large.
pose e := c1 * q ^+ 2 * N%:R / 2; have c1q : 0 < c1 * q ^+ 2 by rewrite mulr_gt0 // exprn_gt0.
have e0 : 0 < e by rewrite divr_gt0 // mulr_gt0.
exists N, e; split=> //; first by rewrite /e ltr_pdivrMr // ltr_pMr ?mulr_gt0 // ltr1n.
have s0 : 0 < c2 * q * Num.sqrt (N%:R * ln (1 / t)) / e by rewrite divr_gt0 // !mulr_gt0 // sqrtr_gt0 mulr_gt0.
exists s0, (- (q * N%:R / 2)) => close.
have mo : measurable (`]0, +oo[%classic : set S) by exact: measurable_itv.
have := close _ mo; move: s0 close => s0 _; move: (row_over s0 q01 N (- (q * N%:R / 2))).
have a0 : 0 <= 2 * c1 * q by rewrite !mulr_ge0 // ltW.
move: (no_row_over s0 q01 N (- (q * N%:R / 2)) a0).
set s := c2 * q * _ / e in s0 *; move: (dp_sgd _ _ _ _ _ _ _ _ _ _) (dp_sgd _ _ _ _ _ _ _ _ _ _) => with_row without up low close.
have sT : N%:R * s ^+ 2 = T.
  rewrite /s expr_div_n exprMn sqr_sqrtr; last by rewrite mulr_ge0 ?ltW.
  by rewrite -/L /e /T; field; rewrite !gt_eqF.
have step : expR (s ^+ 2 / 8) * (1 - q + q * expR (- (1 / 2))) <= expR (s ^+ 2 / 8 - q / 3).
  rewrite expRD ler_wpM2l ?expR_ge0 //; apply: le_trans (expR_ge1Dx _).
  have e3 : expR (- (1 / 2)) <= 2 / 3 :> R.
    rewrite expRN -[leRHS]invrK lef_pV2 ?posrE ?invr_gt0 ?expR_gt0 ?divr_gt0 //.
    apply: le_trans (expR_ge1Dx _); lra.
  have : q * expR (- (1 / 2)) <= q * (2 / 3) by rewrite ler_wpM2l // ltW.
  lra.
have m0 : 0 <= expR (s ^+ 2 / 8) * (1 - q + q * expR (- (1 / 2))).
  by rewrite mulr_ge0 ?expR_ge0 // addr_ge0 ?subr_ge0 // mulr_ge0 ?expR_ge0 // ltW.
have first : expR (- (- (q * N%:R / 2) / 2)) * (expR (s ^+ 2 / 8) * (1 - q + q * expR (- (1 / 2)))) ^+ N < h.
  apply: (@le_lt_trans _ _ (expR (T / 8 - q * N%:R / 12))); last first.
    by apply: exp_below => //; move: n1; rewrite /x1 ltr_pdivrMr //; lra.
  apply: (@le_trans _ _ (expR (q * N%:R / 4) * expR (s ^+ 2 / 8 - q / 3) ^+ N)).
    apply: ler_pM; [exact: expR_ge0 | exact: exprn_ge0 | rewrite ler_expR; lra | ].
    by apply: lerXn2r; rewrite ?nnegrE ?expR_ge0.
  by rewrite -expRM_natl -expRD ler_expR -sT; lra.
have second : expR e * (expR (2 * c1 * q * - (q * N%:R / 2)) * expR ((2 * c1 * q) ^+ 2 * s ^+ 2 / 2) ^+ N) < h.
  rewrite -expRM_natl -!expRD; apply: exp_below => //.
  have -> : N%:R * ((2 * c1 * q) ^+ 2 * s ^+ 2 / 2) = 8 * c2 ^+ 2 * L.
    transitivity (2 * c1 ^+ 2 * q ^+ 2 * (N%:R * s ^+ 2)); first by field.
    by rewrite sT /T; field; rewrite !gt_eqF.
  rewrite (_ : e + _ = 8 * c2 ^+ 2 * L - N%:R * (c1 * q ^+ 2) / 2); last by rewrite /e; field.
  by apply: halved; rewrite -ltr_pdivrMr.
set E2 := expR (2 * c1 * q * _) * _ in up second; have high : (with_row <= (expR e * E2 + t)%:E)%E.
  by apply: le_trans close _; rewrite EFinD EFinM leeD2r // lee_wpmul2l // lee_fin expR_ge0.
have := le_trans low high; rewrite -EFinB lee_fin leNgt => /negP; apply.
rewrite -subr_gt0; have : 1 - t = 2 * h by rewrite /h; field.
by move: first second; set E1 := expR (- _) * _; set E3 := expR e * E2; clear; lra.
Qed.
End Refuted.

Example add_release_computes (R : realType) : add_release 0 (1, const_mx 2 : 'M[R]_1) = 3.
Proof. by rewrite /add_release mxE /=; lra. Qed.
