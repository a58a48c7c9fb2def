(* liu2022, Algorithm 3: what one batch does to the state, but for a small probability, where all eigenvalues lie in one bin and all
   gradients' coordinates in one bin each. For refutations: algorithm_3_removed.v.

   step_reaches        a step that most values of its release take to one state
   one_batch_reaches   the d + 2 releases of a batch follow a path of states *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra zify.
From DPPCA.lib Require Import measure squared_norms neighbours normal_line gaussian_dp gaussian_run gaussian_formulas gaussian_calibration.
From DPPCA.lib Require Import gaussian_matrix gaussian_steps gaussian_exact real_releases adaptive_runs advanced_composition release_kernels.
From DPPCA.lib Require Import gaussian_response laplace.
From DPPCA.primitives Require Import histogram_counts laplace_histogram histogram_kernel.
From DPPCA.liu2022 Require Import clipping parts_of_the_data dp_pca removal_refuted.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Steps.
Context {R : realType} d (S : measurableType d).
Implicit Types (q Q : R) (F : S -> \bar R) (z : S).

Lemma step_reaches d' (Y : measurableType d') (K : R.-pker S ~> Y) (u : S * Y -> S) (mu : measurable_fun setT u) z z1 (D : set Y) F q Q :
  test F -> measurable D -> (forall y, D y -> u (z, y) = z1) -> 0 <= q -> 0 <= Q -> ((1 - q)%:E <= K z D)%E -> ((1 - Q)%:E <= F z1)%E ->
  ((1 - (q + Q))%:E <= \int[release_step K mu z]_x F x)%E.
Proof.
move=> [mF F01] mD reach q0 Q0 likely high; have F0 x : (0 <= F x)%E by case/andP: (F01 x).
have [neg|pos] := leP (1 - Q) 0.
  by apply: (@le_trans _ _ 0%E); [rewrite lee_fin; lra | apply: integral_ge0 => x _].
pose E := [set x | ((1 - Q)%:E <= F x)%E].
have mE : measurable E by rewrite -[E]setTI; apply: emeasurable_fun_c_infty.
apply: (@le_trans _ _ ((1 - Q)%:E * release_step K mu z E)%E); last first.
  rewrite -integral_cst //; apply: (@le_trans _ _ (\int[release_step K mu z]_(x in E) F x)%E).
    by apply: ge0_le_integral => //; try (by move=> x _; rewrite lee_fin ltW); try exact: measurable_cst; exact: measurable_funTS.
  by apply: ge0_subset_integral.
have KD : (K z D <= release_step K mu z E)%E.
  rewrite release_stepE //; apply: le_measure; rewrite ?inE //.
    by rewrite -[X in measurable X]setTI; exact: (measurableT_comp mu (measurable_pair1 z)).
  by move=> y /reach; rewrite /E /= => ->.
apply: (@le_trans _ _ ((1 - Q)%:E * (1 - q)%:E)%E); last by apply: lee_wpmul2l; [rewrite lee_fin ltW | exact: le_trans KD].
by rewrite -EFinM lee_fin; have := mulr_ge0 q0 Q0; lra.
Qed.

Lemma after_reaches (K : nat -> R.-pker S ~> S) n (path : nat -> S) (q : nat -> R) Q F : test F -> 0 <= Q -> (forall i, 0 <= q i) ->
  (forall i G Q', (i < n)%N -> test G -> 0 <= Q' -> ((1 - Q')%:E <= G (path i.+1))%E -> ((1 - (q i + Q'))%:E <= \int[K i (path i)]_x G x)%E) ->
  ((1 - Q)%:E <= F (path n))%E -> ((1 - (\sum_(i < n) q i + Q))%:E <= after K n F (path 0%N))%E.
Proof.
move=> tF Q0 q0; elim: n K path q q0 => [|n IH] K path q q0 step last /=; first by rewrite big_ord0 add0r.
rewrite big_ord_recl -addrA; apply: (step 0%N) => //.
- exact: test_after.
- by rewrite addr_ge0 // sumr_ge0.
by apply: (IH (fun i => K i.+1) (fun i => path i.+1) (fun i => q i.+1)) => // i G Q' lt; apply: step.
Qed.

Lemma all_in_bin n (e t : R) (X : 'I_n -> nat) c : 0 < e -> 0 < t -> (0 < n)%N -> (forall j, X j = c) ->
  ((1 - expR (e * (stability_threshold e t - n%:R) / 2) / 2)%:E <= stable_histogram e t X (chosen @^-1` [set c.+1]))%E.
Proof.
move=> e0 t0; case: n X => // n X _ all; rewrite (_ : X = fun=> c); first exact: one_bin_chosen.
by apply/funext.
Qed.
End Steps.

Section Reached.
Context {R : realType} (A : Type) (d B k b : nat) dS (S : measurableType dS).
Variables (gradient : S -> A -> 'rV[R]_d) (bin4 : S -> 'M[R]_(b, d) -> nat) (bin5 : S -> 'I_d -> R -> nat).
Variables (radius : S -> R) (g_bar : S -> 'rV[R]_d).
Variables (after4 : nat -> S * heights R -> S) (after5 : nat -> 'I_d -> S * heights R -> S) (after6 : nat -> S * 'rV[R]_d -> S).
Hypotheses (measurable_gradient : forall a, measurable_fun setT (gradient ^~ a)).
Hypotheses (measurable_bin4 : forall i, measurable_fun setT (fun w : S * 'M[R]_(b, d) => bin4 w.1 w.2 == i)).
Hypotheses (measurable_bin5 : forall j i, measurable_fun setT (fun w : S * R => bin5 w.1 j w.2 == i)).
Hypotheses (measurable_radius : measurable_fun setT radius) (measurable_g_bar : measurable_fun setT g_bar).
Hypotheses (measurable_after4 : forall i, measurable_fun setT (after4 i)).
Hypotheses (measurable_after5 : forall i j, measurable_fun setT (after5 i j)).
Hypotheses (measurable_after6 : forall i, measurable_fun setT (after6 i)).
Hypotheses (radius_gt0 : forall z, 0 < radius z) (d_gt0 : (0 < d)%N) (k_gt0 : (0 < k)%N).
Hypotheses (half_gt0 : (0 < B./2)%N) (fits : ((k * b).*2 <= B./2)%N).
Variables (e t : R).
Hypotheses (e_gt0 : 0 < e) (e_le : e <= 9 / 10) (t_gt0 : 0 < t) (t_lt1 : t < 1).
Local Notation algorithm_3 := (dp_pca_step k measurable_gradient measurable_bin4 measurable_bin5 measurable_radius measurable_g_bar
  measurable_after4 measurable_after5 measurable_after6 radius_gt0 d_gt0 half_gt0 e_gt0 e_le t_gt0 t_lt1).
Local Notation last_step := (step6 measurable_gradient measurable_radius measurable_g_bar measurable_after6 radius_gt0 d_gt0 half_gt0
  e_gt0 e_le t_gt0 t_lt1).

(* Lines 3 to 5 for one batch: all eigenvalues lie in the bin c4, all gradients' coordinates j in the bin c5 j. *)
Let e5 : R := share (e / 2) (t / 2) d.
Let t5 : R := t / 2 / (2 * d%:R).
Definition no_bin4 : R := expR (e * (stability_threshold e t - k%:R) / 2) / 2.
Definition no_bin5 : R := expR (e5 * (stability_threshold e5 t5 - B./2%:R) / 2) / 2.

Theorem one_batch_reaches x (path : nat -> S) c4 (c5 : 'I_d -> nat) (q : R) C : measurable C -> 0 <= q ->
  (forall j : 'I_k, items4 B gradient bin4 x 0 (path 0%N) j = c4) -> (forall h, chosen h = c4.+1 -> after4 0 (path 0%N, h) = path 1%N) ->
  (forall (j : 'I_d) (l : 'I_B./2), items5 gradient bin5 x 0 j (path j.+1) l = c5 j) ->
  (forall (j : 'I_d) h, chosen h = (c5 j).+1 -> after5 0 j (path j.+1, h) = path j.+2) ->
  ((1 - q)%:E <= last_step x 0 (path d.+1) C)%E ->
  ((1 - (no_bin4 + d%:R * no_bin5 + q))%:E <= run (algorithm_3 x) d.+2 C (path 0%N))%E.
Proof.
move=> mC q0 in4 to4 in5 to5 last; have tC := @test_event R _ S C mC; rewrite /run -(addn1 d.+1) after_add.
pose p i := if i is 0%N then no_bin4 else no_bin5.
have p0 i : 0 <= p i by case: i => [|i]; rewrite divr_ge0 ?expR_ge0.
have -> : no_bin4 + d%:R * no_bin5 + q = \sum_(i < d.+1) p i + q.
  by rewrite big_ord_recl /= sumr_const card_ord mulr_natl.
have mchosen c : measurable (chosen @^-1` [set c] : set (heights R)) by rewrite -[X in measurable X]setTI; exact: measurable_chosen.
have [e20 e21] : 0 < e / 2 /\ e / 2 <= 9 / 10 by have := e_gt0; have := e_le; split; lra.
have [t20 t21] : 0 < t / 2 /\ t / 2 < 1 by have := t_gt0; have := t_lt1; split; lra.
have [e50 _ _] := share_bounds e20 e21 t20 t21 d_gt0.
have t50 : 0 < t5 by rewrite divr_gt0 // mulr_gt0 // ltr0n.
apply: after_reaches => //.
- exact: test_after.
- move=> [|j] G Q lt tG Q0 high.
    rewrite /dp_pca_step mod0n div0n /step4; apply: (step_reaches (D := chosen @^-1` [set c4.+1]) _ tG _ _ _ Q0 _ high) => //.
    by rewrite histogram_kernelE; exact: all_in_bin.
  rewrite ltnS in lt; rewrite /dp_pca_step modn_small 1?divn_small // ?ltnS 1?ltnW // /mean_step insubT /step5.
  apply: (step_reaches (D := chosen @^-1` [set (c5 (Sub j lt)).+1]) _ tG _ _ _ Q0 _ high) => //.
    by move=> h; apply: to5.
  by rewrite histogram_kernelE; apply: all_in_bin => // l; apply: in5.
rewrite /= addn0 /dp_pca_step modn_small // divn_small // /mean_step insubF ?ltnn //.
by rewrite integral_indic // setIT.
Qed.
End Reached.
