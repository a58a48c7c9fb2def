(* liu2022: formulas that a line of algebra settles, as printed and as corrected. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp.
From mathcomp Require Import ring lra zify.
From DPPCA.lib Require Import squared_norms.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Rationals.
Variable R : realFieldType.
Implicit Types (a b c e x : R).

(* liu2022.equation-42 *)
Theorem equation_42 e : 0 < e -> (1 + e) - (1 - e / 2) = 3 * e / 2 /\ (1 + e) - (1 - e / 2) != e / 2.
Proof. by move=> e0; split; [field | apply/eqP; lra]. Qed.

(* liu2022.equation-23: the larger of two terms is at least half of their sum; for the smaller one no constant serves *)
Theorem equation_23 : (forall a b, 0 <= a -> 0 <= b -> Num.min 1 ((a + b) / 2) <= Num.min 1 (Num.max a b)) /\
  ~ exists2 c, 0 < c & forall a b, 0 < a -> 0 < b -> c * Num.min 1 (a + b) <= Num.min 1 (Num.min a b).
Proof.
split=> [a b a0 b0|[c c0 H]].
  by rewrite le_min ge_min lexx /= ge_min; apply/orP; right; case: (leP a b) => ?; lra.
have := H (c / 4) 1; rewrite divr_gt0 // ltr01 => /(_ isT isT).
by rewrite min_l ?mulr1 ?le_min; [move=> /andP[_ /andP[h _]]; lra | lra].
Qed.

(* liu2022.appendix-e.3-min: the largest of three shares that add to 0.96 is at least 0.32, the smallest need not be *)
Theorem three_shares : (forall a b c, a + b + c = 96 / 100 -> 32 / 100 <= Num.max a (Num.max b c)) /\
  exists a b c, [/\ 0 <= a, 0 <= b, 0 <= c, a + b + c = 96 / 100 & a < 32 / 100].
Proof.
split=> [a b c e|]; last by exists 0, (96 / 100), 0; split=> //; lra.
by rewrite !le_max; case: (lerP (32 / 100) a) => //= ?; case: (lerP (32 / 100) b) => //= ?; lra.
Qed.

(* liu2022.equation-7-sum: print's sum over batch t, from 1 + B (t - 1) to B t - 1, lacks its last record; to B t the batches
   are all the records, in order *)
Definition printed_sum (F : nat -> R) B t := \sum_((B * t.-1).+1 <= i < B * t) F i.
Definition batch_sum (F : nat -> R) B t := \sum_((B * t.-1).+1 <= i < (B * t).+1) F i.

Theorem equation_7_sum B (F : nat -> R) : (0 < B)%N ->
  (forall t, (0 < t)%N -> batch_sum F B t = printed_sum F B t + F (B * t)%N) /\
  (forall T, \sum_(1 <= t < T.+1) batch_sum F B t = \sum_(1 <= i < (B * T).+1) F i).
Proof.
move=> B0; split=> [t t0|T].
  by rewrite /batch_sum /printed_sum big_nat_recr //=; case: t t0 => // t _; lia.
elim: T => [|T IH]; first by rewrite muln0 !big_geq.
rewrite big_nat_recr //= IH /batch_sum [RHS](@big_cat_nat _ _ _ (B * T).+1) //= ltnS leq_mul2l leqnSn orbT.
by [].
Qed.

(* The mean of B equal records. *)
Theorem equation_7_sum_equal B t : (0 < B)%N -> (0 < t)%N ->
  printed_sum (fun=> 1) B t / B%:R = 1 - B%:R^-1 /\ batch_sum (fun=> 1) B t / B%:R = 1.
Proof.
case: t => // t B0 _; have Bn : B%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
rewrite /printed_sum /batch_sum /= !big_const_nat !iter_addr_0 -[_ *+ _]mulr_natr mul1r.
have -> : (B * t.+1 - (B * t).+1 = B.-1)%N by rewrite mulnS; lia.
have -> : ((B * t.+1).+1 - (B * t).+1 = B)%N by rewrite mulnS; lia.
rewrite -[_ *+ B.-1]mulr_natr mul1r -subn1 natrB // mulrBl !divff //.
by split=> //; rewrite mul1r.
Qed.

(* liu2022.oja-objective: up to what is quadratic in h the objective w A w^T grows by the product of h with (A + A^T) w,
   which is twice Oja's step A w where A is symmetric *)
Section Oja.
Variable d : nat.
Implicit Types (A : 'M[R]_d) (w h : 'rV[R]_d).
Definition objective A w := dot (w *m A) w.
Definition gradient A w := w *m (A + A^T).
Definition oja_step A w := w *m A^T.

Theorem oja_gradient A w h : objective A (w + h) = objective A w + dot (gradient A w) h + objective A h.
Proof.
rewrite /objective /gradient mulmxDl mulmxDr !dotDl !dotDr (dot_mulmx h) [dot h _]dotC; ring.
Qed.

Theorem oja_symmetric A w : A^T = A -> gradient A w = 2 *: oja_step A w.
Proof. by move=> sA; rewrite /gradient /oja_step sA mulmxDr -mulr2n -scaler_nat. Qed.
End Oja.

(* A with the rows (1, 0) and (1, 1), at the first axis: the step is no multiple of the gradient. *)
Theorem oja_not_symmetric : exists (A : 'M[R]_2) w, forall c, oja_step A w != c *: gradient A w.
Proof.
exists (\matrix_(i, j) (if (i == 0) && (j == 1) then 0 else 1)), (axis R 0) => c; apply/eqP => e.
have e0 := congr1 (fun v : 'rV[R]_2 => v 0 0) e; have e1 := congr1 (fun v : 'rV[R]_2 => v 0 1) e.
by move: e0 e1; rewrite {e} /oja_step /gradient -!rowE !mxE /= => e0 e1; lra.
Qed.
End Rationals.

(* liu2022.algorithm-4-partition: k subsets of floor(B / (2k)) pairs are at most the floor(B / 2) pairs there are, and can be
   fewer *)
Theorem partition_of_pairs : (forall B k, k * (B %/ (2 * k)) <= B %/ 2)%N /\ (7 * (101 %/ (2 * 7)) < 101 %/ 2)%N.
Proof.
split=> // B [|k]; first by rewrite mul0n.
by rewrite divnMA mulnC leq_trunc_div.
Qed.

Section Roots.
Variable R : rcfType.
Implicit Types (la lb d n e : R).

(* kappa = lambda_1 / (lambda_1 - lambda_2) *)
Definition kappa la lb := la / (la - lb).

Let root la lb : 0 < lb -> lb < la -> [/\ 0 < la, 0 < la - lb & Num.sqrt (lb / la) = Num.sqrt (la * lb) / la].
Proof.
move=> l20 lt; have l10 := lt_trans l20 lt; split=> //; first by rewrite subr_gt0.
have -> : lb / la = (la * lb) / la ^+ 2 by field; rewrite gt_eqF.
by rewrite sqrtrM ?mulr_ge0 ?ltW // sqrtrV ?sqr_ge0 // sqrtr_sqr gtr0_norm.
Qed.

(* liu2022.equation-24: (24), on the left, is (12) *)
Theorem equation_24 la lb d n e : 0 < lb -> lb < la -> 0 < d -> 0 < n -> 0 < e ->
  Num.min 1 ((Num.sqrt (d / n) + d / (n * e)) * (Num.sqrt (la * lb) / (la - lb))) =
  Num.min 1 (kappa la lb * (Num.sqrt (d / n) + d / (e * n)) * Num.sqrt (lb / la)).
Proof.
move=> l20 lt d0 n0 e0; have [l10 g0 ->] := root l20 lt; congr (Num.min 1 _); rewrite /kappa.
by move: (Num.sqrt (d / n)) (Num.sqrt (la * lb)) => x y; field; rewrite !gt_eqF.
Qed.

(* liu2022.equation-35: with tau = sqrt(lambda_2 / lambda_1) / 2 and phi = (1 - lambda_2 / lambda_1) / d, the second term of
   Theorem C.2 as printed, for log |V| = d, is half of (35), which is (19): 1 / phi is kappa d *)
Theorem equation_35 la lb d n e : 0 < lb -> lb < la -> 0 < d -> 0 < n -> 0 < e ->
  let tau := Num.sqrt (lb / la) / 2 in let phi := (1 - lb / la) / d in
  phi^-1 = kappa la lb * d /\
  tau * Num.min 1 (d / (n * phi * e)) = 1 / 2 * (Num.min (kappa la lb * d ^+ 2 / (e * n)) 1 * Num.sqrt (lb / la)).
Proof.
move=> l20 lt d0 n0 e0; have [l10 g0 _] := root l20 lt; move=> tau phi.
have ephi : phi^-1 = kappa la lb * d by rewrite /phi /kappa; field; rewrite !gt_eqF.
split=> //; have -> : d / (n * phi * e) = kappa la lb * d ^+ 2 / (e * n).
  by rewrite /phi /kappa; field; rewrite !gt_eqF.
by rewrite minC /tau; move: (Num.min _ _) (Num.sqrt _) => x y; field.
Qed.

(* liu2022.appendix-e.2-interval: numbers between 2^(-1/8) and 2^(1/8) times m are within a factor 2^(1/4), r = 2^(1/8); those
   between 1 - 2^(1/8) and 1 + 2^(1/8) times m within no factor *)
Theorem appendix_e_2_interval (r : R) : 0 < r -> r ^+ 8 = 2 ->
  (forall m x y, 0 < m -> m / r <= x <= r * m -> m / r <= y <= r * m -> x <= r ^+ 2 * y) /\
  forall m C, 0 < m -> exists x y, [/\ (1 - r) * m <= x <= (1 + r) * m, (1 - r) * m <= y <= (1 + r) * m & 0 < y /\ C * y < x].
Proof.
move=> r0 r8; have r1 : 1 < r.
  rewrite ltNge; apply/negP => r1; have : r ^+ 8 <= 1 by rewrite exprn_ile1 // ltW.
  by rewrite r8; lra.
split=> [m x y m0 /andP[_ xm] /andP[ym _]|m C m0].
  apply: le_trans xm _; apply: le_trans (_ : r ^+ 2 * (m / r) <= _); last by rewrite ler_wpM2l // sqr_ge0.
  by rewrite le_eqVlt; apply/orP; left; apply/eqP; field; rewrite gt_eqF.
pose D := 1 + `|C|; have D1 : 1 <= D by rewrite lerDl.
have CD : C < D by apply: le_lt_trans (ler_norm C) _; rewrite ltrDr.
have D0 : 0 < D := lt_le_trans ltr01 D1.
exists m, (m / D); have y0 : 0 < m / D by rewrite divr_gt0.
have ym : m / D <= m by rewrite ler_pdivrMr // ler_peMr // ltW.
have rm : 0 < (r - 1) * m by rewrite mulr_gt0 // subr_gt0.
split; [by apply/andP; split; nra | by apply/andP; split; nra |].
by split=> //; rewrite mulrA ltr_pdivrMr // mulrC ltr_pM2l.
Qed.
End Roots.

Section Reals.
Variable R : realType.
Implicit Types (e x : R).

(* liu2022.equation-40: the factors of (39), (40) and (41), with e^(epsilon_0 / 2) for e^(1/2) in (40) *)
Theorem equation_40 x : 0 < x <= 1 ->
  (1 - expR (- x)) * expR (x / 2) = expR (x / 2) - expR (- (x / 2)) /\
  expR (x / 2) - expR (- (x / 2)) <= (1 + x) - (1 - x / 2).
Proof.
move=> /andP[x0 x1]; have e : - x + x / 2 = - (x / 2) by field.
rewrite mulrBl mul1r -expRD e; split=> //.
have h1 := expR_ge1Dx (- (x / 2)); have p := expR_gt0 (- (x / 2)).
have ee : expR (x / 2) * expR (- (x / 2)) = 1 by rewrite -expRD subrr expR0.
have h2 := expR_gt0 (x / 2).
suff : expR (x / 2) <= 1 + x by lra.
move: (expR (x / 2)) (expR (- (x / 2))) ee h1 h2 p => f g ee h1 f0 g0.
by rewrite -(ler_pM2r g0) ee; nra.
Qed.

(* With e^(1/2) (40) exceeds (41) as epsilon_0 falls. *)
Theorem equation_40_refuted x : 0 < x <= 1 / 10 -> (1 + x) - (1 - x / 2) < expR (1 / 2) - expR (- (x / 2)).
Proof.
move=> /andP[x0 x1]; have h1 := expR_ge1Dx (1 / 2 : R).
have h2 : expR (- (x / 2)) <= 1 by rewrite -[leRHS]expR0 ler_expR; lra.
by lra.
Qed.

(* liu2022.algorithm-4-bins: the bins [2^(i/4), 2^((i+1)/4)), for integers i, and {0} *)
Definition in_bin (i : int) x := expR (i%:~R / 4 * ln 2) <= x < expR ((i + 1)%:~R / 4 * ln 2).

Theorem bins_partition x : 0 <= x ->
  (x = 0 /\ forall i, ~ in_bin i x) \/ (x <> 0 /\ exists i, in_bin i x /\ forall j, in_bin j x -> j = i).
Proof.
rewrite le_eqVlt => /orP[/eqP<-|x0].
  by left; split=> // i /andP[h _]; have := lt_le_trans (expR_gt0 _) h; rewrite ltxx.
right; split; first by move=> e; rewrite e ltxx in x0.
have l2 : 0 < ln 2 :> R by rewrite ln_gt0 // ltr1n.
have binE i : in_bin i x = (i%:~R <= 4 * ln x / ln 2 < (i + 1)%:~R).
  rewrite /in_bin -{1 2}[x]lnK ?posrE // ler_expR ltr_expR !ler_pdivlMr // !ltr_pdivrMr //.
  by rewrite ![_ / 4 * _]mulrAC !ler_pdivrMr // !ltr_pdivlMr // ![ln x * 4]mulrC.
exists (Num.floor (4 * ln x / ln 2)); split; first by rewrite binE; exact: floor_itv.
by move=> j; rewrite binE => h; rewrite (floor_def h).
Qed.

(* (11), and (12) below its minimum with 1 *)
Definition rate_11 (la lb d n e t : R) := kappa la lb * (Num.sqrt (d / n) + d * Num.sqrt (ln (1 / t)) / (e * n)).
Definition rate_12 (la lb d n e : R) := kappa la lb * (Num.sqrt (d / n) + d / (e * n)) * Num.sqrt (lb / la).

(* liu2022.section-5-match: (12) is at most (11), and (11) at most sqrt(log(1/delta) lambda_1 / lambda_2) times (12) *)
Theorem section_5_match (la lb d n e t : R) : 0 < lb -> lb < la -> 0 < d -> 0 < n -> 0 < e -> 0 < t <= expR (- 1) ->
  rate_12 la lb d n e <= rate_11 la lb d n e t <= Num.sqrt (ln (1 / t) * (la / lb)) * rate_12 la lb d n e.
Proof.
move=> l20 lt d0 n0 e0 /andP[t0 te]; have l10 := lt_trans l20 lt.
have L1 : 1 <= ln (1 / t).
  by rewrite div1r lnV ?posrE // lerNr -[leRHS]expRK ler_ln ?posrE ?expR_gt0.
pose s := Num.sqrt (ln (1 / t)); have s1 : 1 <= s by rewrite -[leLHS]sqrtr1 ler_wsqrtr.
pose q := Num.sqrt (lb / la); have q0 : 0 < q by rewrite sqrtr_gt0 divr_gt0.
have q1 : q <= 1 by rewrite -[leRHS]sqrtr1 ler_wsqrtr // ler_pdivrMr // mul1r ltW.
have k0 : 0 < kappa la lb by rewrite divr_gt0 // subr_gt0.
pose a := Num.sqrt (d / n); have a0 : 0 <= a by exact: sqrtr_ge0.
pose b := d / (e * n); have b0 : 0 < b by rewrite divr_gt0 // mulr_gt0.
have e11 : rate_11 la lb d n e t = kappa la lb * (a + b * s) by rewrite /rate_11 /b /a -/s [b * s]mulrAC.
have e12 : rate_12 la lb d n e = kappa la lb * (a + b) * q by [].
have es : Num.sqrt (ln (1 / t) * (la / lb)) = s / q.
  by rewrite sqrtrM ?(le_trans ler01) // -[la / lb]invrK invf_div sqrtrV // divr_ge0 ?ltW.
rewrite es e11 e12; have -> : s / q * (kappa la lb * (a + b) * q) = kappa la lb * ((a + b) * s) by field; rewrite gt_eqF.
rewrite -mulrA !ler_pM2l //; apply/andP; split; nra.
Qed.
End Reals.

Example rates_example (R : rcfType) : kappa 2 1 = 2 :> R.
Proof. by rewrite /kappa; field. Qed.
Example rates_computes (R : realType) (t : R) : rate_11 1 1 1 1 1 t = 0 /\ rate_12 (1 : R) 1 1 1 1 = 0.
Proof. by rewrite /rate_11 /rate_12 /kappa subrr invr0 mulr0 !mul0r. Qed.
Example sums_example (R : realFieldType) :
  printed_sum (fun=> 1 : R) 2 1 / 2%:R = 1 - 2%:R^-1 /\ batch_sum (fun=> 1 : R) 2 1 / 2%:R = 1.
Proof. exact: equation_7_sum_equal. Qed.
Example oja_example (R : realFieldType) (w : 'rV[R]_2) :
  [/\ objective 1%:M w = sqnorm w, gradient 1%:M w = 2 *: w & oja_step 1%:M w = w].
Proof. by rewrite /objective /gradient /oja_step trmx1 mulmxDr !mulmx1 -mulr2n -scaler_nat. Qed.
Example in_bin_example (R : realType) : ~ in_bin 0 (0 : R).
Proof. by move=> /andP[h _]; have := lt_le_trans (expR_gt0 _) h; rewrite ltxx. Qed.
