(* liu2022: DP-PCA (Algorithm 3) and its two estimates, of the top eigenvalue (Algorithm 4) and of the mean (Algorithm 5), are
   private under replace-one, with their Laplace and normal noise.

   stable_histogram of histogram_kernel.v has the threshold that the code computes and bins numbered 0, 1, 2, ..., as the integers
   can be; [classical_std] is line 10's formula.
   S is any measurable space that holds what was released; gradients, bins, the box and the next state are measurable functions
   of it, so that a step after bottom, or at an eigenvalue of 0, is one that leaves the state as it is. Of the d histograms
   of Algorithm 5 each has the share of Lemma B.4, which advanced_composition.v proves.

   eigenvalue_bin     lines 1 to 5 of Algorithm 4: the bin of one of the k subsets
   mean_step          the d + 1 releases of Algorithm 5, on the second half of a batch
   dp_pca_step        the releases of Algorithm 3: d + 2 for each batch *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra zify.
From DPPCA.lib Require Import measure squared_norms neighbours gaussian_run gaussian_calibration gaussian_matrix gaussian_steps.
From DPPCA.lib Require Import gaussian_response real_releases adaptive_runs advanced_composition release_kernels.
From DPPCA.primitives Require Import histogram_counts laplace_histogram histogram_kernel.
From DPPCA.liu2022 Require Import clipping parts_of_the_data.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(* Algorithm 4: the bins of the k eigenvalues. *)
Section Eigenvalues.
Context {R : realType} (d k b : nat).
Implicit Types (g : nat -> 'rV[R]_d) (bin : 'M[R]_(b, d) -> nat).

Definition next_minus (g h : 'rV[R]_d) : 'rV[R]_d := h - g.
Definition rows_of (s : seq 'rV[R]_d) : 'M[R]_(b, d) := \matrix_(l < b) nth (0 : 'rV[R]_d) s l.

(* Lines 1, 2 and 4: the bin of the j-th subset of b differences; line 4's eigenvalue is a function of the subset. *)
Definition eigenvalue_bin bin g (j : 'I_k) : nat := item next_minus (bin \o rows_of) b g j.

Lemma eigenvalue_bin_reads bin g g' : (forall i, (i < (k * b).*2)%N -> g i = g' i) -> eigenvalue_bin bin g = eigenvalue_bin bin g'.
Proof.
move=> same; apply/funext => j; rewrite /eigenvalue_bin /item; congr (bin (rows_of _)).
apply/eq_in_map => i; rewrite mem_iota add0n => lt.
by have := ltn_ord j => jk; rewrite /pair !same //; nia.
Qed.

Lemma eigenvalue_bin_replaced bin g g' : (0 < k)%N -> replace_one g g' -> replaced (eigenvalue_bin bin g) (eigenvalue_bin bin g').
Proof.
move=> k0 [i0 same]; have other := one_subset next_minus (bin \o rows_of) (b := b) same.
have [lt|le] := ltnP (i0./2 %/ b) k; first by exists (Ordinal lt) => j ne; apply: other.
by exists (Ordinal k0) => j _; apply: other; apply: contraTneq le => <-; rewrite -ltnNge.
Qed.

(* liu2022.theorem-6.1-privacy: whatever is computed from the histogram, such as the left end of a bin with a largest count *)
Theorem top_eigenvalue_private bin e t g g' d' (U : measurableType d') (largest : heights R -> U) :
  0 < e -> 0 < t -> (0 < k)%N -> measurable_fun setT largest -> replace_one g g' ->
  indist (expR e) t (fun A => stable_histogram e t (eigenvalue_bin bin g) (largest @^-1` A))
                    (fun A => stable_histogram e t (eigenvalue_bin bin g') (largest @^-1` A)).
Proof.
move=> e0 t0 k0 ml nb; apply: (indist_image ml).
by apply: stable_histogram_private => //; exact: eigenvalue_bin_replaced.
Qed.
End Eigenvalues.

(* Places in batches, and steps in blocks. *)
Section Places.
Local Open Scope nat_scope.
Implicit Types (B q l Q M D r : nat).

Lemma batch_place B q l (i0 : nat) : l < B -> q * B + l = i0 -> q = i0 %/ B /\ l = i0 %% B.
Proof. by move=> lt <-; rewrite divnMDl ?modnMDl ?divn_small ?modn_small ?addn0 //; apply: leq_ltn_trans lt. Qed.

Lemma half_place B l : l < B./2 -> l < B /\ B./2 + l < B.
Proof. by lia. Qed.

Lemma one_step Q M D : Q + D.+2 <= M -> M = Q + (1 + (M - Q - 1)).
Proof. by lia. Qed.

Lemma other_steps Q M D : Q + D.+2 <= M -> M = Q + 1 + (D.+1 + (M - Q - D.+2)).
Proof. by lia. Qed.

Lemma inside_steps Q D r : r.+1 < D.+2 -> (Q + r.+1 < Q + 1) || (Q + 1 + D.+1 <= Q + r.+1) = false.
Proof. by lia. Qed.
End Places.

(* Algorithms 5 and 3. *)
Section Steps.
Context {R : realType} (A : Type) (d B k b : nat) dS (S : measurableType dS).
Implicit Types (x : nat -> A) (z : S) (e t : R).
(* The state z holds all that was released. What depends on it: the gradient of a record, at the current iterate; Algorithm 4's
   bin of a subset of differences; Algorithm 5's bin of a coordinate, the half side of its box, and the point g_bar. *)
Variables (gradient : S -> A -> 'rV[R]_d) (bin4 : S -> 'M[R]_(b, d) -> nat) (bin5 : S -> 'I_d -> R -> nat).
Variables (radius : S -> R) (g_bar : S -> 'rV[R]_d).
(* The state after a release: the iterate's step, or no change if there is none, as after bottom. *)
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

Let d0 : 0 < d%:R :> R. Proof. by rewrite ltr0n. Qed.

(* The gradients of batch i, in its first half for Algorithm 4 and in its second half for Algorithm 5. *)
Definition first_half x i z (l : nat) : 'rV[R]_d := gradient z (x (i * B + l)%N).
Definition second_half x i z (l : nat) : 'rV[R]_d := gradient z (x (i * B + B./2 + l)%N).

Definition items4 x i z : 'I_k -> nat := eigenvalue_bin (bin4 z) (first_half x i z).
Definition items5 x i (j : 'I_d) z (l : 'I_B./2) : nat := bin5 z j (second_half x i z l 0 j).
(* Line 10's mean, and its sensitivity: the diagonal of the box over B. *)
Definition mean6 x i z : 'rV[R]_d := truncated_mean (radius z) (g_bar z) (\matrix_(l < B./2) second_half x i z l).
Definition sensitivity6 z : R := Num.sqrt d%:R * (2 * radius z / B./2%:R).

Lemma measurable_items4 x i : measurable_items (items4 x i).
Proof.
move=> j c; rewrite /items4 /eigenvalue_bin /item /=.
have mM : measurable_fun setT (fun z => rows_of b (subset_of (@next_minus R d) b (first_half x i z) j)).
  apply: measurable_matrix => l q; under eq_fun do rewrite mxE /subset_of nth_mkseq // /pair /next_minus /first_half !mxE.
  by apply: measurable_funB; apply: (measurableT_comp (measurable_entry _ _)); exact: measurable_gradient.
apply: (measurableT_comp (measurable_bin4 c) (_ : measurable_fun setT (fun z => (z, rows_of b (subset_of (@next_minus R d) b (first_half x i z) j))))).
by apply: measurable_fun_prod; first exact: measurable_id.
Qed.

Lemma measurable_items5 x i j : measurable_items (items5 x i j).
Proof.
move=> l c; apply: (measurableT_comp (measurable_bin5 j c) (_ : measurable_fun setT (fun z => (z, second_half x i z l 0 j)))).
apply: measurable_fun_prod; first exact: measurable_id.
by apply: (measurableT_comp (measurable_entry _ _)); exact: measurable_gradient.
Qed.

Lemma measurable_mean6 x i : measurable_fun setT (mean6 x i).
Proof.
apply: measurable_matrix => a c; under eq_fun do rewrite mxE.
apply: measurable_funM; first exact: measurable_cst.
apply: measurable_sum => l; rewrite /truncate; apply: measurable_maxr.
  by apply: (@measurableT_comp _ _ _ _ _ _ (@GRing.opp R)).
apply: measurable_minr => //; under eq_fun do rewrite mxE; apply: measurable_funB.
  by apply: (measurableT_comp (measurable_entry _ _)); exact: measurable_gradient.
exact: (measurableT_comp (measurable_entry _ _)).
Qed.

Let sensitivity_gt0 z : 0 < sensitivity6 z.
Proof. by rewrite mulr_gt0 ?sqrtr_gt0 // divr_gt0 ?ltr0n // mulr_gt0. Qed.

Let noise_gt0 e t : 0 < e -> 0 < t -> t < 1 -> forall z, 0 < classical_std e t (sensitivity6 z).
Proof. by move=> e0 t0 t1 z; exact: classical_std_gt0. Qed.

Let measurable_noise e t : measurable_fun setT (fun z => classical_std e t (sensitivity6 z)).
Proof.
rewrite /classical_std /sensitivity6; apply: measurable_funM; last exact: measurable_cst.
apply: measurable_funM; last exact: measurable_cst.
apply: measurable_funM; first exact: measurable_cst.
apply: measurable_funM; last exact: measurable_cst.
by apply: measurable_funM; first exact: measurable_cst.
Qed.

Section Budget.
Variables (e t : R).
Hypotheses (e_gt0 : 0 < e) (e_le : e <= 9 / 10) (t_gt0 : 0 < t) (t_lt1 : t < 1).

(* Algorithm 5 has halves: one for its d histograms together, one for the mean. *)
Let e5 : R := share (e / 2) (t / 2) d.
Let t5 : R := t / 2 / (2 * d%:R).
Let e2 : 0 < e / 2 /\ e / 2 <= 9 / 10. Proof. by split; have := e_gt0; have := e_le; lra. Qed.
Let t2 : 0 < t / 2 /\ t / 2 < 1. Proof. by split; have := t_gt0; have := t_lt1; lra. Qed.
Let e5_gt0 : 0 < e5. Proof. by have [] := share_bounds (proj1 e2) (proj2 e2) (proj1 t2) (proj2 t2) d_gt0. Qed.
Let t5_gt0 : 0 < t5. Proof. by rewrite divr_gt0 ?(proj1 t2) // mulr_gt0. Qed.

Definition step4 x i : R.-pker S ~> S :=
  release_step (histogram_kernel t e_gt0 (measurable_items4 x i)) (measurable_after4 i).
Definition step5 x i j : R.-pker S ~> S :=
  release_step (histogram_kernel t5 e5_gt0 (measurable_items5 x i j)) (measurable_after5 i j).
Definition step6 x i : R.-pker S ~> S :=
  release_step (normal_kernel (noise_gt0 (proj1 e2) (proj1 t2) (proj2 t2)) (measurable_noise (e / 2) (t / 2)) (measurable_mean6 x i)) (measurable_after6 i).

(* Algorithm 5 on the second half of batch i: d histograms, then the mean. *)
Definition mean_step x i j : R.-pker S ~> S := if insub j is Some j' then step5 x i j' else step6 x i.
(* Algorithm 3: batch i takes the steps i (d + 2), ..., i (d + 2) + d + 1. *)
Definition dp_pca_step x n : R.-pker S ~> S :=
  if (n %% d.+2)%N is j.+1 then mean_step x (n %/ d.+2) j else step4 x (n %/ d.+2).

Lemma step4_private x x' i z : replaced (items4 x i z) (items4 x' i z) -> indist (expR e) t (step4 x i z) (step4 x' i z).
Proof.
by move=> nb; apply: release_step_indist => C mC; rewrite !histogram_kernelE; exact: stable_histogram_private.
Qed.

Lemma step5_private x x' i j z : replaced (items5 x i j z) (items5 x' i j z) -> indist (expR e5) t5 (step5 x i j z) (step5 x' i j z).
Proof.
by move=> nb; apply: release_step_indist => C mC; rewrite !histogram_kernelE; exact: stable_histogram_private.
Qed.

(* liu2022.algorithm-5-noise: line 10 *)
Theorem noisy_truncated_mean_private x x' i z (l0 : 'I_B./2) : (forall l : 'I_B./2, l != l0 -> second_half x i z l = second_half x' i z l) ->
  indist (expR (e / 2)) (t / 2) (step6 x i z) (step6 x' i z).
Proof.
move=> same; apply: release_step_indist; have [e20 e21] := e2; have [t20 t21] := t2; have s0 := sensitivity_gt0 z.
apply: (@noisy_private_const R 1 d predT _ _ _ (sensitivity6 z ^+ 2)).
- exact: noise_gt0.
- by rewrite exprn_gt0.
- rewrite sqrtr_sqr ger0_norm ?(ltW s0) //; apply: classical_gaussian => //.
  by apply: le_trans e21 _; lra.
have e1 : \sum_(ij : 'I_1 * 'I_d) (mean6 x i z ij.1 ij.2 - mean6 x' i z ij.1 ij.2) ^+ 2 = sqnorm (mean6 x i z - mean6 x' i z).
  have := change_const 1 (mean6 x i z) (mean6 x' i z); rewrite expr1n divr1 => <-; apply: eq_bigr => ij _.
  by rewrite [const_mx _ _ _]mxE divr1.
have main := @truncated_mean_sensitivity R B./2 d (radius z) (g_bar z) (\matrix_(l < B./2) second_half x i z l)
  (\matrix_(l < B./2) second_half x' i z l) l0 (ltW (radius_gt0 z)).
rewrite [leLHS]e1; apply: le_trans (main _) _; first by move=> l ne; rewrite !rowK same.
by rewrite /sensitivity6 [leRHS]exprMn sqr_sqrtr // ltW.
Qed.

(* What one batch's second half costs, and what is computed from it. *)
Lemma mean_steps_private x x' i l0 F G z : test F -> test G -> (forall y, F y <= G y)%E ->
  (forall y (l : nat), (l < B./2)%N -> l != l0 -> second_half x i y l = second_half x' i y l) ->
  (after (mean_step x i) d.+1 F z <= (expR e)%:E * after (mean_step x' i) d.+1 G z + t%:E)%E.
Proof.
move=> tF tG FG same; have [e20 e21] := e2; have [t20 t21] := t2.
pose first : 'I_d := Ordinal d_gt0.
have head y H : after (mean_step y i) d H z = after (fun j => step5 y i (insubd first j)) d H z.
  apply: after_eq => j lt; rewrite /mean_step insubT; congr (step5 _ _ _).
  by apply: val_inj; rewrite val_insubd lt.
have last y H : after (fun j => mean_step y i (d + j)) 1 H = (fun s => \int[step6 y i s]_u H u)%E.
  by apply/funext => s; rewrite /= /mean_step insubF // addn0 ltnn.
have [l1 near] : exists l1 : 'I_B./2, forall y (l : 'I_B./2), l != l1 -> second_half x i y l = second_half x' i y l.
  have [lt|le] := ltnP l0 B./2; first by exists (Ordinal lt) => y l ne; apply: same.
  by exists (Ordinal half_gt0) => y l _; apply: same => //; apply: contraTneq le => <-; rewrite -ltnNge.
rewrite -addn1 !after_add !head !last.
have tI H y : test H -> test (fun s => \int[step6 y i s]_u H u)%E.
  by move=> tH; have := test_after (fun=> step6 y i) 1 tH.
have nb j y : replaced (items5 x i j y) (items5 x' i j y).
  by exists l1 => l ne; rewrite /items5 near.
have nb' j y : replaced (items5 x' i j y) (items5 x i j y).
  by have [l2 h] := nb j y; exists l2 => l ne; rewrite h.
rewrite (_ : expR e = expR (e / 2) * expR (e / 2)); last by rewrite -expRD; congr expR; lra.
rewrite {1}(_ : t = t / 2 + t / 2); last by lra.
apply: after_advanced; rewrite ?expR_ge0 ?(ltW t20) //; try exact: tI.
- by move=> j y; exact: step5_private.
- by move=> j y; exact: step5_private.
move=> y; rewrite -[expR (e / 2)]mulr1 -[t / 2]addr0; apply: mean_then; rewrite ?expR_ge0 //.
- exact: (proj1 (pker_mean (step6 x i))).
- by apply: (@noisy_truncated_mean_private x x' i y l1) => l; exact: near.
- by move=> u; rewrite mul1e adde0.
Qed.

(* liu2022.lemma-6.2-privacy: the d + 1 releases of Algorithm 5 *)
Theorem private_mean_private x x' z C : replace_one x x' -> measurable C ->
  (run (mean_step x 0) d.+1 C z <= (expR e)%:E * run (mean_step x' 0) d.+1 C z + t%:E)%E.
Proof.
move=> [i0 same] mC; have tC := @test_event R _ S C mC; apply: (mean_steps_private (l0 := (i0 - (0 * B + B./2))%N)) => // y l ll ne.
by rewrite /second_half same //; apply: contra ne => /eqP <-; rewrite addKn.
Qed.

(* A step whose records are the same. *)
Lemma step_same x x' i0 n z : differ_at i0 x x' -> (n %/ d.+2 != i0 %/ B)%N || ((n %% d.+2 == 0) == (B./2 <= i0 %% B))%N ->
  indist 1 0 (dp_pca_step x n z) (dp_pca_step x' n z).
Proof.
move=> same far; rewrite /dp_pca_step; set q := (n %/ d.+2)%N in far *.
have place := @batch_place B q.
have equal d1 (Y : measurableType d1) (K L : R.-pker S ~> Y) (u : S * Y -> S) (mu : measurable_fun setT u) :
    K z = L z :> (set Y -> \bar R) -> indist 1 0 (release_step K mu z) (release_step L mu z).
  by move=> KL; apply: release_step_indist => C mC; rewrite KL mul1e adde0.
have second y : (n %% d.+2 != 0)%N -> forall l : nat, (l < B./2)%N -> second_half x q y l = second_half x' q y l.
  move=> n0 l lt; rewrite /second_half same //; apply: contraTN far => /eqP at_i0; rewrite -addnA in at_i0.
  have [-> e2'] := place _ _ (proj2 (half_place lt)) at_i0.
  by rewrite eqxx /= (negPf n0) -e2' leq_addr.
case en : (n %% d.+2)%N => [|j].
  have ei : items4 x q z = items4 x' q z.
    apply: eigenvalue_bin_reads => l lt; rewrite /first_half same //; apply: contraTN far => /eqP at_i0.
    have lh := leq_trans lt fits; have [-> e2'] := place _ _ (proj1 (half_place lh)) at_i0.
    by rewrite eqxx en /= -e2' -ltnNge.
  by apply: equal; rewrite /= /histogram_kernel ei.
have {}second y l : (l < B./2)%N -> second_half x q y l = second_half x' q y l by apply: second; rewrite en.
rewrite /mean_step; case: insubP => [j' _ _|_].
  have ei : items5 x q j' z = items5 x' q j' z by apply/funext => l; rewrite /items5 second.
  by apply: equal; rewrite /= /histogram_kernel ei.
have em : mean6 x q z = mean6 x' q z.
  by rewrite /mean6; congr truncated_mean; apply/row_matrixP => l; rewrite !rowK second.
by apply: equal; rewrite /= /normal_kernel /normal_law em.
Qed.

(* liu2022.theorem-5.1-privacy, liu2022.transcript: all that Algorithm 3 releases in N batches *)
Theorem dp_pca_private N x x' z C : replace_one x x' -> measurable C ->
  (run (dp_pca_step x) (N * d.+2) C z <= (expR e)%:E * run (dp_pca_step x') (N * d.+2) C z + t%:E)%E.
Proof.
move=> [i0 same] mC; have tC := @test_event R _ S C mC; rewrite /run; set F := fun s : S => (\1_C s)%:E in tC *.
have e1 : 1 <= expR e by rewrite -[leLHS]expR0 ler_expR ltW.
have [lt|le] := ltnP (i0 %/ B) N; last first.
  apply: le_trans (@after_same _ S R _ (dp_pca_step x') _ 1 0 F F z tC tC ler01 (lexx _) _ _) _.
  - move=> n y lt; apply: (step_same _ same); apply/orP; left; apply: contraTneq le => <-; rewrite -ltnNge.
    by rewrite ltn_divLR.
  - by move=> y; rewrite mul1e adde0.
  have [_ /(_ z)/andP[r0 _]] := test_after (dp_pca_step x') (N * d.+2) tC.
  by apply: leeD; [rewrite lee_wpmul2r // lee_fin | rewrite lee_fin ltW].
set q := (i0 %/ B)%N in lt *.
have quot m j : (j < d.+2)%N -> ((m * d.+2 + j) %/ d.+2 = m)%N /\ ((m * d.+2 + j) %% d.+2 = j)%N.
  by move=> lj; rewrite divnMDl // modnMDl divn_small ?modn_small ?addn0.
have long : (q * d.+2 + d.+2 <= N * d.+2)%N by rewrite -mulSnr leq_mul2r lt orbT.
have [first|second] := ltnP (i0 %% B) B./2.
  rewrite (one_step long); apply: after_block; rewrite ?expR_ge0 ?(ltW t_gt0) //.
    move=> n y far; apply: (step_same _ same); rewrite -/q [(B./2 <= _)%N]leqNgt first.
    have [en|//] := eqVneq (n %/ d.+2)%N q; have dn := divn_eq n d.+2; rewrite en in dn.
    case: (n %% d.+2)%N dn => [|r] // dn; move: far; rewrite {}dn.
    by move: (q * d.+2)%N => Q; rewrite addn0 ltnn addn1 ltnn.
  move=> H G y tH tG HG /=; rewrite -[expR e]mulr1 -[t]addr0; apply: mean_then; rewrite ?expR_ge0 //.
  - exact: (proj1 (pker_mean _)).
  - have [qe re] := quot q 0%N isT; rewrite /dp_pca_step !addn0 in qe re *; rewrite qe re.
    apply: step4_private; apply: eigenvalue_bin_replaced => //; exists (i0 %% B)%N => l ne.
    rewrite /first_half same //; apply: contra ne => /eqP at_i0; apply/eqP; apply: (@addnI (q * B)%N).
    by rewrite at_i0; exact: divn_eq.
  - by move=> u; rewrite mul1e adde0.
rewrite (other_steps long); apply: after_block; rewrite ?expR_ge0 ?(ltW t_gt0) //.
  move=> n y far; apply: (step_same _ same); rewrite -/q second.
  have [en|//] := eqVneq (n %/ d.+2)%N q; have dn := divn_eq n d.+2; rewrite en in dn; have lr := ltn_pmod n (isT : (0 < d.+2)%N).
  case: (n %% d.+2)%N dn lr => [|r] // dn lr; move: far; rewrite {}dn.
  by rewrite inside_steps.
move=> H G y tH tG HG.
have part w D : after (fun i => dp_pca_step w (q * d.+2 + 1 + i)) d.+1 D y = after (mean_step w q) d.+1 D y.
  apply: after_eq => j lj; rewrite /dp_pca_step -addnA add1n.
  by have [-> ->] := quot q j.+1 lj.
rewrite !part; apply: (mean_steps_private (l0 := (i0 %% B - B./2)%N)) => // u l ll ne.
rewrite /second_half same //; apply: contra ne => /eqP <-; rewrite -addnA modnMDl modn_small ?addKn //.
by case: (half_place ll).
Qed.
End Budget.
End Steps.

(* The hypotheses can be met: numbers in one dimension, batches of four, one pair a batch, all items in one bin. *)
Section Examples.
Variable R : realType.
Let scaled (z : 'rV[R]_1) (a : R) : 'rV[R]_1 := a *: z.
Let measurable_scaled a : measurable_fun setT (scaled ^~ a).
Proof.
apply: measurable_matrix => i j; under eq_fun do rewrite mxE.
by apply: measurable_funM; [exact: measurable_cst | exact: measurable_entry].
Qed.
Let keep (n : nat) (w : 'rV[R]_1 * heights R) := w.1.
Let keep_bin (n : nat) (j : 'I_1) (w : 'rV[R]_1 * heights R) := w.1.
Let move_to (n : nat) (w : 'rV[R]_1 * 'rV[R]_1) := w.2.
Let measurable_keep i : measurable_fun setT (keep i). Proof. exact: measurable_fst. Qed.
Let measurable_keep_bin i j : measurable_fun setT (keep_bin i j). Proof. exact: measurable_fst. Qed.
Let measurable_move_to i : measurable_fun setT (move_to i). Proof. exact: measurable_snd. Qed.
Let bin4 (z : 'rV[R]_1) (M : 'M[R]_(1, 1)) := 0%N.
Let bin5 (z : 'rV[R]_1) (j : 'I_1) (a : R) := 0%N.
Let measurable_one4 i : measurable_fun setT (fun w : 'rV[R]_1 * 'M[R]_(1, 1) => bin4 w.1 w.2 == i). Proof. exact: measurable_cst. Qed.
Let measurable_one5 j i : measurable_fun setT (fun w : 'rV[R]_1 * R => bin5 w.1 j w.2 == i). Proof. exact: measurable_cst. Qed.
Let one_gt0 (z : 'rV[R]_1) : 0 < (fun=> 1 : R) z. Proof. exact: ltr01. Qed.
Let e0 : 0 < 1 / 2 :> R. Proof. by lra. Qed.
Let e1 : 1 / 2 <= 9 / 10 :> R. Proof. by lra. Qed.
Let t0 : 0 < 1 / 10 :> R. Proof. by lra. Qed.
Let t1 : 1 / 10 < 1 :> R. Proof. by lra. Qed.

Example dp_pca_holds (x x' : nat -> R) z C : replace_one x x' -> measurable C -> exists K K' : nat -> R.-pker 'rV[R]_1 ~> 'rV[R]_1,
  (run K (3 * 3) C z <= (expR (1 / 2))%:E * run K' (3 * 3) C z + (1 / 10)%:E)%E.
Proof.
move=> nb mC.
have H := @dp_pca_private R R 1 4 1 1 _ 'rV[R]_1 scaled bin4 bin5 (fun=> 1) (fun=> 0) keep keep_bin move_to
  measurable_scaled measurable_one4 measurable_one5 (measurable_cst _) (measurable_cst _) measurable_keep measurable_keep_bin
  measurable_move_to one_gt0 isT isT isT isT (1 / 2) (1 / 10) e0 e1 t0 t1 3 x x' z C nb mC.
by eexists; eexists; exact: H.
Qed.

Example top_eigenvalue_holds (g g' : nat -> 'rV[R]_1) : replace_one g g' -> let bin (M : 'M[R]_(1, 1)) : nat := 0 < M 0 0 in
  indist (expR (1 / 2 : R)) (1 / 10)
    (fun A : set (heights R) => stable_histogram (1 / 2 : R) (1 / 10) (eigenvalue_bin bin g : 'I_3 -> nat) (idfun @^-1` A))
    (fun A : set (heights R) => stable_histogram (1 / 2 : R) (1 / 10) (eigenvalue_bin bin g' : 'I_3 -> nat) (idfun @^-1` A)).
Proof. by move=> nb bin; apply: top_eigenvalue_private => //; exact: measurable_id. Qed.
End Examples.

Example rows_of_computes (R : realType) : rows_of 1 [:: const_mx 2 : 'rV[R]_1] 0 0 = 2.
Proof. by rewrite !mxE. Qed.
