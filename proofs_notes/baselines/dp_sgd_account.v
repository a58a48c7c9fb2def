(* DP-SGD with the noise of an account: abadi2016, Algorithm 1, as dp_sgd.v models it.

   An account of N Poisson samples bounds the two hockey-stick divergences of order e^epsilon between N independent draws from
   (1 - q) N(0, s^2) + q N(C, s^2) and N draws from N(0, s^2), here [excess] of the densities. These two numbers are all that the
   theorem takes for granted: it is about any rows, any adaptive steps, and all releases together. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp.
From mathcomp Require Import measure numfun measurable_realfun lebesgue_measure lebesgue_integral probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import discrete subsampling measure squared_norms gaussian_matrix gaussian_steps real_releases release_kernels.
From DPPCA.lib Require Import adaptive_runs hidden_choices noisy_choices dominating_pairs.
From DPPCA.shang2021 Require Import hidden_rows.
From DPPCA.liu2022 Require Import clipping minibatch_normal_noise.
From DPPCA.baselines Require Import normal_sums normal_pairs dp_sgd.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(* The density of (1 - q) N(0, s^2) + q N(C, s^2). *)
Definition mixed {R : realType} (q C s x : R) : R := (1 - q) * normal_pdf 0 s x + q * normal_pdf C s x.

Section Step.
Context (R : realType) (p k n : nat) d (S : measurableType d) (s : R) (s0 : 0 < s).
Local Notation matrix := 'M[R]_(p, k).
Context (u : nat -> S * matrix -> S) (mu : measurable_steps u) (q C : R) (q01 : 0 <= q <= 1) (C0 : 0 <= C).
Context (V : 'I_n.+1 -> S -> matrix) (W : 'I_n -> S -> matrix) (i0 : 'I_n.+1).
Context (mV : forall B : {set 'I_n.+1}, measurable_fun setT (fun y => \sum_(i in B) V i y)).
Context (mW : forall B : {set 'I_n}, measurable_fun setT (fun y => \sum_(i in B) W i y)).
Hypotheses (same : forall i y, W i y = V (lift i0 i) y) (short : forall y, sqnorm (V i0 y) <= C ^+ 2).
Implicit Types (B : {set 'I_n}) (E : R -> R -> \bar R) (F G : S -> \bar R).

Let value_mean (U : S -> matrix) (mU : measurable_fun setT U) i z F : test F ->
  (\int[noisy_value s0 mU (mu i) z]_y F y = \int[normal_kernel (fun=> s0) (measurable_cst s) mU z]_Y F (u i (z, Y)))%E.
Proof.
move=> [mF F01]; have mz : measurable_fun setT (fun Y => u i (z, Y)) by exact: (measurableT_comp (mu i) (measurable_pair1 z)).
by apply: (mean_pushforward mz) => // [A mA|x]; [exact: release_stepE | case/andP: (F01 x)].
Qed.

Let part (A : {set 'I_n.+1}) i z F : R := fine (\int[noisy_value s0 (mV A) (mu i) z]_y F y).

Let partE A i z F : test F -> (\int[noisy_value s0 (mV A) (mu i) z]_y F y = (part A i z F)%:E)%E.
Proof.
move=> tF; have [_ /(_ z)/andP[I0 I1]] := test_after (fun=> noisy_value s0 (mV A) (mu i)) 1 tF.
by rewrite /part fineK // ge0_fin_numE // (le_lt_trans I1) // ltry.
Qed.

(* With the row i0 and without it: means over the samples B of the others. *)
Let with_row i z F : test F -> (\int[sample_step s0 mu q01 mV i z]_y F y =
  (\sum_B draw_probability q B * ((1 - q) * part (others i0 B) i z F + q * part (i0 |: others i0 B)%SET i z F))%:E)%E.
Proof.
move=> tF; have [mF F01] := tF; have F0 y : (0 <= F y)%E by case/andP: (F01 y).
rewrite /sample_step /noisy_choice choose_mean //; under eq_bigr do rewrite partE // -EFinM.
rewrite sumEFin; congr EFin.
have := @poisson_split R unit q n i0 (fun A _ => part A i z F) tt; rewrite /poisson_sample /mixture /blend => ->.
by rewrite !mulr_sumr -big_split; apply: eq_bigr => B _ /=; ring.
Qed.

Let without_row i z F : test F -> (\int[sample_step s0 mu q01 mW i z]_y F y =
  (\sum_B draw_probability q B * part (others i0 B) i z F)%:E)%E.
Proof.
move=> tF; have [mF F01] := tF; have F0 y : (0 <= F y)%E by case/andP: (F01 y).
have each B : (\int[noisy_value s0 (mW B) (mu i) z]_y F y = (part (others i0 B) i z F)%:E)%E.
  apply: etrans (partE (others i0 B) i z tF).
  apply: eq_measure_integral => A mA _.
  have e : \sum_(j in B) W j z = \sum_(j in others i0 B) V j z by rewrite sum_others; apply: eq_bigr => j _; exact: same.
  exact: (noisy_value_same s0 (mW B) (mV (others i0 B)) (mu i) e mA).
rewrite /sample_step /noisy_choice choose_mean //.
under eq_bigr do rewrite each -EFinM.
by rewrite sumEFin.
Qed.

Let weighed_draws E F G i z a c a' c' : cost E -> test F -> test G -> (forall y, covered E (F y) (G y)) ->
  0 <= a -> 0 <= c -> 0 <= a' -> 0 <= c' ->
  ((\sum_B draw_probability q B * (a * part (others i0 B) i z F + c * part (i0 |: others i0 B)%SET i z F))%:E <=
   (\sum_B draw_probability q B * (a' * part (others i0 B) i z G + c' * part (i0 |: others i0 B)%SET i z G))%:E +
     turned s E (C ^+ 2) a c a' c')%E.
Proof.
move=> cE tF tG FG a0 c0 a'0 c'0.
have lz (H : S -> \bar R) : test H -> test (fun Y => H (u i (z, Y))).
  by apply: test_comp; exact: (measurableT_comp (mu i) (measurable_pair1 z)).
have each B : ((a * part (others i0 B) i z F + c * part (i0 |: others i0 B)%SET i z F)%:E <=
    (a' * part (others i0 B) i z G + c' * part (i0 |: others i0 B)%SET i z G)%:E + turned s E (C ^+ 2) a c a' c')%E.
  have eF A : ((part A i z F)%:E = \int[normal_kernel (fun=> s0) (measurable_cst s) (mV A) z]_Y F (u i (z, Y)))%E.
    by rewrite -(value_mean (mV A) i z tF); apply/esym; exact: (partE A i z tF).
  have eG A : ((part A i z G)%:E = \int[normal_kernel (fun=> s0) (measurable_cst s) (mV A) z]_Y G (u i (z, Y)))%E.
    by rewrite -(value_mean (mV A) i z tG); apply/esym; exact: (partE A i z tG).
  have close : sqnorm (\sum_(j in (i0 |: others i0 B)%SET) V j z - \sum_(j in others i0 B) V j z) <= C ^+ 2.
    by rewrite sum_with sum_others addrK.
  have lawE A D : measurable D -> normal_kernel (fun=> s0) (measurable_cst s) (mV A) z D =
    noisy predT (const_mx s) (\sum_(j in A) V j z) D by [].
  have numbers (x0 x1 y0 y1 : R) (I0 I1 J0 J1 T : \bar R) : x0%:E = I0 -> x1%:E = I1 -> y0%:E = J0 -> y1%:E = J1 ->
      (a%:E * I0 + c%:E * I1 <= a'%:E * J0 + c'%:E * J1 + T)%E -> ((a * x0 + c * x1)%:E <= (a' * y0 + c' * y1)%:E + T)%E.
    by move=> <- <- <- <-; rewrite !EFinD !EFinM.
  apply: (numbers _ _ _ _ _ _ _ _ _ (eF (others i0 B)) (eF (i0 |: others i0 B)%SET) (eG (others i0 B)) (eG (i0 |: others i0 B)%SET)).
  by have := moved_covered s0 cE (lz F tF) (lz G tG) (fun Y => FG (u i (z, Y))) (lawE (others i0 B)) (lawE (i0 |: others i0 B)%SET) close
    a0 c0 a'0 c'0.
have := turned_ge0 s (C ^+ 2) a c a' c' cE; move: (turned _ _ _ _ _ _ _) each => [t| |] each // t0; last by rewrite addey // leey.
rewrite -EFinD lee_fin -[t]mul1r -(law_sum (law_draw q01 n)) mulr_suml -big_split /=; apply: ler_sum => B _.
rewrite -mulrDr; apply: ler_wpM2l; first exact: (law_ge0 B (law_draw q01 n)).
by have := each B; rewrite -EFinD lee_fin.
Qed.

Let root : Num.sqrt (C ^+ 2) = C. Proof. by rewrite sqrtr_sqr ger0_norm. Qed.

Theorem sample_dominated i z : dominated (mixed q C s) (normal_pdf 0 s) (sample_step s0 mu q01 mV i z) (sample_step s0 mu q01 mW i z) /\
  dominated (normal_pdf 0 s) (mixed q C s) (sample_step s0 mu q01 mW i z) (sample_step s0 mu q01 mV i z).
Proof.
have /andP[q0 q1] := q01; have q1' : 0 <= 1 - q by rewrite subr_ge0.
have both x y a : x * (a * (1 - q) * y.1 + a * q * y.2) = a * (x * ((1 - q) * y.1 + q * y.2)) :> R by ring.
have one x y a : x * (a * y.1 + 0 * y.2) = a * (x * y.1) :> R by ring.
have transfer (x x' y y' : R) (T T' : \bar R) : x = x' -> y = y' -> T = T' -> (x%:E <= y%:E + T)%E -> (x'%:E <= y'%:E + T')%E.
  by move=> -> -> ->.
have pdf x : mixed q C s x = (1 - q) * normal_pdf 0 s x + q * normal_pdf (Num.sqrt (C ^+ 2)) s x by rewrite root.
split=> E F G cE tF tG FG a b a0 b0; rewrite with_row // without_row // -!EFinM !mulr_sumr.
- have h := weighed_draws i z cE tF tG FG (mulr_ge0 a0 q1') (mulr_ge0 a0 q0) b0 (lexx 0).
  refine (transfer _ _ _ _ _ _ _ _ _ h).
  + by apply: eq_bigr => B _; exact: (both _ (_, _)).
  + by apply: eq_bigr => B _; exact: (one _ (_, _)).
  + by apply: eq_integral => x _; rewrite pdf; congr (E _ _); ring.
- have h := weighed_draws i z cE tF tG FG a0 (lexx 0) (mulr_ge0 b0 q1') (mulr_ge0 b0 q0).
  refine (transfer _ _ _ _ _ _ _ _ _ h).
  + by apply: eq_bigr => B _; exact: (one _ (_, _)).
  + by apply: eq_bigr => B _; exact: (both _ (_, _)).
  + by apply: eq_integral => x _; rewrite pdf; congr (E _ _); ring.
Qed.
End Step.

Section Algorithm.
Context (R : realType) (d k : nat) dS (S : measurableType dS) (C s q : R).
Context (iterate : S -> 'M[R]_(d, k)) (update : nat -> S * 'M[R]_(d, k) -> S) dU (U : measurableType dU) (output : S -> U).
Hypotheses (measurable_iterate : measurable_fun setT iterate) (measurable_update : measurable_steps update).
Hypotheses (measurable_output : measurable_fun setT output) (s_gt0 : 0 < s) (C_gt0 : 0 < C) (q01 : 0 <= q <= 1).
Local Notation sgd X N z := (dp_sgd output measurable_iterate measurable_update s_gt0 C_gt0 q01 X N z).

Let measurable_mixed : measurable_fun setT (mixed q C s).
Proof. by apply: measurable_funD; apply: measurable_funM => //; exact: measurable_normal_pdf. Qed.

(* abadi2016.theorem-1-constants *)
Theorem dp_sgd_private n (X : 'M[R]_(n.+1, d)) i0 N z e t :
  (excess (mixed q C s) (normal_pdf 0 s) N 1 (expR e) <= t%:E)%E -> (excess (normal_pdf 0 s) (mixed q C s) N 1 (expR e) <= t%:E)%E ->
  indist (expR e) t (sgd X N z) (sgd (row' i0 X) N z) /\ indist (expR e) t (sgd (row' i0 X) N z) (sgd X N z).
Proof.
move=> with_row without_row.
have mout A : measurable A -> measurable (output @^-1` A).
  by move=> mA; rewrite -[X in measurable X]setTI; exact: measurable_output.
pose gradients m (Y : 'M[R]_(m, d)) i z' := clipped_gradient C (row i Y) (iterate z').
have same i y : gradients n (row' i0 X) i y = gradients n.+1 X (lift i0 i) y by rewrite /gradients row_lift.
have short y : sqnorm (gradients n.+1 X i0 y) <= C ^+ 2.
  by rewrite /gradients /clipped_gradient (clip_sqnorm (ltW C_gt0)) ge_min lexx orbT.
split=> A mA; rewrite /dp_sgd /noisy_sums.
- apply: (@dominated_run R _ S _ _ (mixed q C s) (normal_pdf 0 s) measurable_mixed (measurable_normal_pdf _ _) N _ t _ z _
    (mout A mA) (expR_ge0 e) with_row) => i y.
  exact: (proj1 (@sample_dominated R d k n _ S s s_gt0 update measurable_update q C q01 (ltW C_gt0) (gradients _ X)
    (gradients _ (row' i0 X)) i0 _ _ same short i y)).
- apply: (@dominated_run R _ S _ _ (normal_pdf 0 s) (mixed q C s) (measurable_normal_pdf _ _) measurable_mixed N _ t _ z _
    (mout A mA) (expR_ge0 e) without_row) => i y.
  exact: (proj2 (@sample_dominated R d k n _ S s s_gt0 update measurable_update q C q01 (ltW C_gt0) (gradients _ X)
    (gradients _ (row' i0 X)) i0 _ _ same short i y)).
Qed.
End Algorithm.

(* The account can be met: four samples at the rate 1/100 with any noise, where the draws that miss the row pay for nothing. *)
Section Holds.
Variable R : realType.
Let rate : R := 1 / 100.

Example account_holds (C s a : R) : 1 <= a -> (excess (mixed rate C s) (normal_pdf 0 s) 4 1 a <= (1 / 25)%:E)%E /\
  (excess (normal_pdf 0 s) (mixed rate C s) 4 1 a <= (1 / 25)%:E)%E.
Proof.
move=> a1; have mn v : measurable_fun setT (normal_pdf v s : R -> R) := measurable_normal_pdf v s.
have mk k v : measurable_fun setT (fun x : R => (k * normal_pdf v s x)%:E).
  by apply/measurable_EFinP; apply: measurable_funM; [exact: measurable_cst | exact: mn].
have [r0 r1] : 0 <= rate /\ 0 <= 1 - rate by rewrite /rate; split; lra.
have total k v : 0 <= k -> (\int[lebesgue_measure]_x (k * normal_pdf v s x)%:E = k%:E)%E.
  move=> k0; under eq_integral do rewrite EFinM.
  rewrite ge0_integralZl_EFin ?integral_normal_pdf ?mule1 //; [by move=> x _; rewrite lee_fin normal_pdf_ge0 | by apply/measurable_EFinP; exact: mn].
have pos k v x : 0 <= k -> 0 <= k * normal_pdf v s x by move=> k0; apply: mulr_ge0 => //; exact: normal_pdf_ge0.
have dn : density (normal_pdf 0 s) by split=> // [x|]; [exact: normal_pdf_ge0 | exact: integral_normal_pdf].
have mm : measurable_fun setT (mixed rate C s) by apply: measurable_funD; exact: measurable_funM.
have dm : density (mixed rate C s).
  split=> // [x|]; first by apply: addr_ge0; apply: mulr_ge0 => //; exact: normal_pdf_ge0.
  rewrite /mixed; under eq_integral do rewrite EFinD; rewrite ge0_integralD ?total //.
  - by rewrite -EFinD subrK.
  - by move=> x _; rewrite lee_fin pos.
  - exact: mk.
  - by move=> x _; rewrite lee_fin pos.
  - exact: mk.
have le1 x : (1 - rate) * normal_pdf 0 s x <= mixed rate C s x by rewrite /mixed lerDl pos.
have le2 x : (1 - rate) * normal_pdf 0 s x <= normal_pdf 0 s x by rewrite ler_piMl ?normal_pdf_ge0 // gerBl.
have common x : 0 <= (1 - rate) * normal_pdf 0 s x by exact: pos.
have small : 1 - (1 - rate) ^+ 4 * 1 <= 1 / 25 by rewrite /rate !exprS expr0; lra.
have mc : measurable_fun setT (fun x => (1 - rate) * normal_pdf 0 s x) by exact: measurable_funM.
split; apply: (@le_trans _ _ (1 - (1 - rate) ^+ 4 * 1)%:E); rewrite ?lee_fin //.
- exact: (excess_common 4 dm (mn 0) mc common (total _ _ r1) le1 le2 ler01 (lexx 1) a1).
- exact: (excess_common 4 dn mm mc common (total _ _ r1) le2 le1 ler01 (lexx 1) a1).
Qed.

Example dominated_holds d (T : measurableType d) (p q : R -> R) : dominated p q (mzero : {measure set T -> \bar R}) (mzero : {measure set T -> \bar R}).
Proof.
move=> E F G [_ E0 _] _ _ _ u v _ _; rewrite !integral_measure_zero !mule0 add0e.
by apply: integral_ge0 => x _; exact: E0.
Qed.

Example turned_holds (s b a c v w : R) : turned s (fun _ _ => 0%E) b a c v w = 0%E.
Proof. by rewrite /turned integral0. Qed.
End Holds.
