(* liu2022, Algorithm 3 under the relation of print, one record more or less: with n = B records it takes a step, with n = B - 1
   none. With the noise, the thresholds and the bins of Algorithms 4 and 5 its output is then not private given its start, which is
   drawn without the data, whatever epsilon < 9/5 and delta are.

   state           the iterate, Lambda_hat (0 where there is no step) and g_bar
   output_law n x w   the law of what is output for the first n records of x from the start w
   records c       gradients 0 and w in turn, and then - c w
   opposite w      the half-space away from w *)
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
From DPPCA.liu2022 Require Import clipping parts_of_the_data dp_pca removal_refuted one_batch.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(* The algorithm: the state is the iterate, Lambda_hat (0 where there is no step) and g_bar. *)
Section Algorithm3.
Context {R : realType} (d : nat) (c4 eta om rho : R).
Hypotheses (d_gt0 : (0 < d)%N) (rho_gt0 : 0 < rho).
Local Notation row := 'rV[R]_d.
Local Notation state := (row * (R * row))%type.
Implicit Types (z : state) (j : 'I_d).

Definition record_gradient z (a : 'M[R]_d) : row := z.1 *m a^T.
Definition bin_of_subset z (M : 'M[R]_(1, d)) : nat := bin_of (top_eigenvalue c4 M).
Definition width z : R := om * Num.sqrt z.2.1.
Definition bin_of_entry z j (a : R) : nat := pickle (Num.floor (a / width z)).
Definition number_of i : R := if unpickle i is Some m then (m : int)%:~R else 0.
Definition left4 c : R := if c is i.+2 then expR (ln 2 / 4 * number_of i) else 0.
Definition left5 c : R := if c is i.+1 then number_of i else 0.
Definition after_bin4 (n : nat) (w : state * heights R) : state := (w.1.1, (left4 (chosen w.2), 0)).
Definition after_bin5 (n : nat) j (w : state * heights R) : state := if chosen w.2 == 0%N then (w.1.1, (0, 0)) else
  (w.1.1, (w.1.2.1, \row_i if i == j then left5 (chosen w.2) * width w.1 else w.1.2.2 0 i)).
Definition half_side z : R := if 0 < z.2.1 then rho * Num.sqrt z.2.1 else 1.
Definition normalise (v : row) : row := (Num.sqrt (sqnorm v))^-1 *: v.
Definition after_mean (n : nat) (w : state * row) : state := if w.1.2.1 == 0 then w.1 else
  (normalise (w.1.1 + eta *: (w.1.2.2 + w.2)), (0, 0)).

Lemma measurable_cell d1 (T : measurableType d1) (f : T -> R) i : measurable_fun setT f ->
  measurable_fun setT (fun x => pickle (Num.floor (f x)) == i).
Proof.
move=> mf; have [[m mi]|no] := pselect (exists m : int, pickle m = i); last first.
  rewrite (_ : (fun x => _) = fun=> false); first exact: measurable_cst.
  by apply/funext => x; apply/negbTE/eqP => e; apply: no; exists (Num.floor (f x)).
rewrite (_ : (fun x => _) = fun x => (m%:~R <= f x) && (f x < (m + 1)%:~R)).
  by apply: measurable_and; [apply: measurable_fun_ler | apply: measurable_fun_ltr].
apply/funext => x; rewrite floor_ge_int floor_lt_int ltzD1 -eq_le -mi eq_sym.
by rewrite (inj_eq (pcan_inj (@pickleK _))).
Qed.

Lemma measurable_bin_of d1 (T : measurableType d1) (f : T -> R) i : measurable_fun setT f -> measurable_fun setT (fun x => bin_of (f x) == i).
Proof.
move=> mf; have m0 : measurable_fun setT (fun x => f x == 0) by apply: measurable_fun_eqr.
case: i => [|i].
  by rewrite (_ : (fun x => _) = fun x => f x == 0) //; apply/funext => x; rewrite /bin_of; case: (f x == 0).
rewrite (_ : (fun x => _) = fun x => ~~ (f x == 0) && (pickle (Num.floor (4 * ln (f x) / ln 2)) == i)); last first.
  by apply/funext => x; rewrite /bin_of; case: (f x == 0).
apply: measurable_and; first exact: measurable_neg.
have mln : measurable_fun setT (@ln R).
  rewrite -(setUv [set 0]); apply: (proj2 (measurable_funU _ _ _)) => //; last by split; [exact: measurable_fun_set1 | exact: measurable_ln].
  exact: measurableC.
by apply: measurable_cell; apply: measurable_funM => //; apply: measurable_funM => //; exact: measurableT_comp.
Qed.

Lemma top_eigenvalue_row (M : 'M[R]_(1, d)) : top_eigenvalue c4 M = sqnorm M / c4.
Proof.
have value (v : row) : sqnorm (v *m M^T) = dot v M ^+ 2 by rewrite sqnorm_row big_ord1 mxE dot_row; congr (_ ^+ 2); apply: eq_bigr => i _; rewrite mxE.
have [M0|M0] := eqVneq (sqnorm M) 0.
  rewrite M0; apply: (@top_eigenvalueE R d 1 c4 M (axis R (Ordinal d_gt0))) => [||u _]; first exact: sqnorm_axis.
    by rewrite value (sqnorm_eq0 M0) dotC dot0l expr0n.
  by rewrite value (sqnorm_eq0 M0) dotC dot0l expr0n.
have r0 : 0 < Num.sqrt (sqnorm M) by rewrite sqrtr_gt0 lt0r M0; exact: sqnorm_ge0.
apply: (@top_eigenvalueE R d 1 c4 M (normalise M)) => [||u u1].
- by rewrite /normalise sqnormZ exprVn sqr_sqrtr ?sqnorm_ge0 // mulVf.
- rewrite value /normalise dotZl exprMn -/(sqnorm M) exprVn sqr_sqrtr ?sqnorm_ge0 // expr2 mulrA mulVf ?mul1r //.
by rewrite value; apply: le_trans (cauchy_schwarz _ _) _; rewrite u1 mul1r.
Qed.

Let measurable_sqrt d1 (T : measurableType d1) (f : T -> R) : measurable_fun setT f -> measurable_fun setT (fun x => Num.sqrt (f x)).
Proof. by move=> mf; apply: measurableT_comp => //; apply: continuous_measurable_fun; exact: sqrt_continuous. Qed.

Let measurable_norm d1 (T : measurableType d1) (f : T -> row) : measurable_fun setT f -> measurable_fun setT (fun x => sqnorm (f x)).
Proof.
move=> mf; under eq_fun do rewrite sqnorm_row; apply: measurable_sum => j; apply: measurable_funX.
exact: (measurableT_comp (measurable_entry 0 j)).
Qed.

Let measurable_of_nat (f : nat -> R) : measurable_fun setT (fun h : heights R => f (chosen h)).
Proof. exact: (measurableT_comp (_ : measurable_fun setT f) measurable_chosen). Qed.

Lemma measurable_inverse0 d1 (T : measurableType d1) (f : T -> R) : measurable_fun setT f -> (forall x, 0 <= f x) -> measurable_fun setT (fun x => (f x)^-1).
Proof.
move=> mf f0; have m0 : measurable_fun setT (fun x => f x == 0) by apply: measurable_fun_eqr.
rewrite (_ : (fun x => _) = fun x => if f x == 0 then 0 else (if f x == 0 then 1 else f x)^-1).
  apply: measurable_fun_ifT => //; apply: measurable_inverse => [|x]; first exact: measurable_fun_ifT.
  by case: eqP => [_|/eqP ne] //; rewrite lt_def ne f0.
by apply/funext => x; case: eqP => // ->; rewrite invr0.
Qed.

Lemma measurable_record_gradient a : measurable_fun setT (record_gradient ^~ a).
Proof.
apply: measurable_matrix => i j; under eq_fun do rewrite mxE; apply: measurable_sum => l; apply: measurable_funM => //.
exact: (measurableT_comp (measurable_entry i l) (@measurable_fst _ _ row (R * row)%type)).
Qed.

Lemma measurable_bin_of_subset i : measurable_fun setT (fun w : state * 'M[R]_(1, d) => bin_of_subset w.1 w.2 == i).
Proof.
under eq_fun do rewrite /bin_of_subset top_eigenvalue_row; apply: measurable_bin_of; apply: measurable_funM => //.
by apply: measurable_norm; exact: measurable_snd.
Qed.

Let measurable_eigenvalue : measurable_fun setT (fun z : state => z.2.1).
Proof. exact: (measurableT_comp measurable_fst measurable_snd). Qed.

Lemma measurable_width : measurable_fun setT width.
Proof. by apply: measurable_funM => //; exact: measurable_sqrt. Qed.

Hypothesis om_gt0 : 0 < om.

Lemma measurable_bin_of_entry j i : measurable_fun setT (fun w : state * R => bin_of_entry w.1 j w.2 == i).
Proof.
apply: measurable_cell; apply: measurable_funM; first exact: measurable_snd.
apply: measurable_inverse0 => [|w]; first exact: (measurableT_comp measurable_width measurable_fst).
by rewrite mulr_ge0 ?sqrtr_ge0 // ltW.
Qed.

Lemma half_side_gt0 z : 0 < half_side z.
Proof. by rewrite /half_side; case: ifP => // z0; rewrite mulr_gt0 ?sqrtr_gt0. Qed.

Lemma measurable_half_side : measurable_fun setT half_side.
Proof.
apply: measurable_fun_ifT => //; first exact: measurable_fun_ltr.
by apply: measurable_funM => //; exact: measurable_sqrt.
Qed.

Lemma measurable_g_bar : measurable_fun setT (fun z : state => z.2.2).
Proof. exact: (measurableT_comp measurable_snd measurable_snd). Qed.

Lemma measurable_after_bin4 n : measurable_fun setT (after_bin4 n).
Proof.
apply: measurable_fun_prod; first exact: (measurableT_comp measurable_fst measurable_fst).
apply: measurable_fun_prod => //; exact: (measurableT_comp (measurable_of_nat left4) measurable_snd).
Qed.

Lemma measurable_after_bin5 n j : measurable_fun setT (after_bin5 n j).
Proof.
have mw : measurable_fun setT (fun w : state * heights R => w.1.1) by exact: (measurableT_comp measurable_fst measurable_fst).
apply: measurable_fun_ifT.
- exact: (measurableT_comp (_ : measurable_fun setT (fun c : nat => c == 0%N)) (measurableT_comp measurable_chosen measurable_snd)).
- by apply: measurable_fun_prod.
apply: measurable_fun_prod => //; apply: measurable_fun_prod; first exact: (measurableT_comp measurable_eigenvalue measurable_fst).
apply: measurable_matrix => l i; under eq_fun do rewrite mxE; case: (i == j).
  apply: measurable_funM; first exact: (measurableT_comp (measurable_of_nat left5) measurable_snd).
  exact: (measurableT_comp measurable_width measurable_fst).
exact: (measurableT_comp (measurable_entry 0 i) (measurableT_comp measurable_g_bar measurable_fst)).
Qed.

Lemma measurable_after_mean n : measurable_fun setT (after_mean n).
Proof.
apply: measurable_fun_ifT; last 1 first.
- apply: measurable_fun_prod => //; pose v (w : state * row) : row := w.1.1 + eta *: (w.1.2.2 + w.2).
  have mv : measurable_fun setT v.
    apply: measurable_matrix => l i; under eq_fun do rewrite /v !mxE; rewrite ord1.
    apply: measurable_funD; first exact: (measurableT_comp (measurable_entry 0 i) (measurableT_comp measurable_fst measurable_fst)).
    apply: measurable_funM => //; apply: measurable_funD.
      exact: (measurableT_comp (measurable_entry 0 i) (measurableT_comp measurable_g_bar measurable_fst)).
    exact: (measurableT_comp (measurable_entry 0 i) measurable_snd).
  apply: measurable_matrix => l i; under eq_fun do rewrite mxE; apply: measurable_funM.
    by apply: measurable_inverse0 => [|w]; [apply: measurable_sqrt; exact: measurable_norm | exact: sqrtr_ge0].
  by rewrite ord1; exact: (measurableT_comp (measurable_entry 0 i)).
- by apply: measurable_fun_eqr => //; exact: (measurableT_comp measurable_eigenvalue measurable_fst).
exact: measurable_fst.
Qed.
End Algorithm3.

(* n = B = 4 k records against n = B - 1: one pair of gradients for each of Algorithm 4's k subsets. *)
Section OneRecordLess.
Context {R : realType} (d k : nat) (c4 eta om rho e t : R).
Hypotheses (d_gt0 : (0 < d)%N) (k_gt0 : (0 < k)%N) (c4_gt0 : 0 < c4) (eta_gt0 : 0 < eta) (om_gt0 : 0 < om) (om_le : om <= rho).
Hypotheses (e_gt0 : 0 < e) (e_le : e <= 9 / 5) (t_gt0 : 0 < t) (t_lt1 : t < 1).
Local Notation row := 'rV[R]_d.
Local Notation state := (row * (R * row))%type.
Implicit Types (w v : row) (x : nat -> 'M[R]_d) (c : R).

Definition batch_size := k.*2.*2.
Local Notation B := batch_size.
Let B2 : (B./2 = k.*2)%N. Proof. exact: doubleK. Qed.
Let half_gt0 : (0 < B./2)%N. Proof. by rewrite B2 double_gt0. Qed.
Let fits : ((k * 1).*2 <= B./2)%N. Proof. by rewrite B2 muln1. Qed.
Let rho_gt0 : 0 < rho. Proof. exact: lt_le_trans om_le. Qed.
Let e20 : 0 < e / 2. Proof. by rewrite divr_gt0. Qed.
Let e21 : e / 2 <= 9 / 10. Proof. by have := e_le; lra. Qed.
Let t20 : 0 < t / 2. Proof. by rewrite divr_gt0. Qed.
Let t21 : t / 2 < 1. Proof. by have := t_lt1; lra. Qed.

(* The half-plane away from the start. *)
Definition opposite w : set row := [set v | dot v w < 0].

Lemma measurable_opposite w : measurable (opposite w).
Proof.
rewrite (_ : opposite w = setT `&` (fun v => dot v w) @^-1` `]-oo, 0[); last first.
  by rewrite setTI; apply/seteqP; split=> v; rewrite /opposite /= in_itv.
have md : measurable_fun setT (fun v : row => dot v w).
  under eq_fun do rewrite dot_row; apply: measurable_sum => j; apply: measurable_funM => //; exact: measurable_entry.
by apply: md.
Qed.

(* Lines 1 to 6 from the start w: what is output, for n records. *)
Definition output_law n x w (C : set row) : \bar R :=
  run (dp_pca_step k (@measurable_record_gradient R d) (measurable_bin_of_subset c4 d_gt0) (measurable_bin_of_entry om_gt0)
    (measurable_half_side rho) (@measurable_g_bar R d) (@measurable_after_bin4 R d) (measurable_after_bin5 om)
    (measurable_after_mean eta) (half_side_gt0 rho_gt0) d_gt0 half_gt0 e20 e21 t20 t21 x)
    (n %/ B * d.+2) (fst @^-1` C) ((w, (0, 0)) : state).

Definition records c (i : nat) : 'M[R]_d := if (i < k.*2)%N then (odd i)%:R%:M else (- c)%:M.

Let l4 : R := left4 (bin_of (1 / c4)).+1.
Let wd : R := om * Num.sqrt l4.
Let cell c w (j : 'I_d) : nat := pickle (Num.floor (- c * w 0 j / wd)).
Let box c w (m : nat) : row := \row_j if (j < m)%N then left5 (cell c w j).+1 * wd else 0.
Let path c w (i : nat) : state := if i is m.+1 then (w, (l4, box c w m)) else (w, (0, 0)).

Let l4_gt0 : 0 < l4.
Proof. by rewrite /l4 /bin_of gt_eqF ?divr_gt0 // /left4 expR_gt0. Qed.

Let wd_gt0 : 0 < wd. Proof. by rewrite mulr_gt0 ?sqrtr_gt0. Qed.

Let left5E c w j : left5 (cell c w j).+1 = (Num.floor (- c * w 0 j / wd))%:~R :> R.
Proof. by rewrite /left5 /number_of /cell pickleK. Qed.

Let record_gradientE c w q i : record_gradient (w, q) (records c i) = (if (i < k.*2)%N then (odd i)%:R else - c) *: w.
Proof. by rewrite /record_gradient /records /=; case: ifP => _; rewrite tr_scalar_mx mul_mx_scalar. Qed.

Let reaches4 c w (j : 'I_k) : sqnorm w = 1 -> items4 B (@record_gradient R d) (@bin_of_subset R d c4) (records c) 0 (path c w 0%N) j = bin_of (1 / c4).
Proof.
move=> w1; rewrite /items4 /eigenvalue_bin /item /= /bin_of_subset top_eigenvalue_row //; congr (bin_of (_ / _)).
rewrite -[RHS]w1; congr sqnorm; apply/row_matrixP => l; rewrite rowK ord1 row_id nth_mkseq // /pair muln1 addn0 /next_minus.
rewrite /dp_pca.first_half !record_gradientE !mul0n !add0n.
by rewrite ltn_double ltn_Sdouble ltn_ord /= odd_double /= scale1r scale0r subr0.
Qed.

Let reaches5 c w (j : 'I_d) (l : 'I_B./2) : items5 (@record_gradient R d) (@bin_of_entry R d om) (records c) 0 j (path c w j.+1) l = cell c w j.
Proof.
have far (m : nat) : (0 * B + B./2 + m < k.*2)%N = false by rewrite mul0n add0n B2 ltnNge leq_addr.
by rewrite /items5 /bin_of_entry /dp_pca.second_half record_gradientE far mxE.
Qed.

Let after4E c w h : chosen h = (bin_of (1 / c4)).+1 -> after_bin4 0 (path c w 0%N, h) = path c w 1%N.
Proof. by rewrite /after_bin4 /= => ->; congr (_, (_, _)); apply/rowP => j; rewrite !mxE. Qed.

Let after5E c w (j : 'I_d) h : chosen h = (cell c w j).+1 -> after_bin5 om 0 j (path c w j.+1, h) = path c w j.+2.
Proof.
rewrite /after_bin5 /= => ->; congr (_, (_, _)); apply/rowP => i; rewrite !mxE ltnS.
by case: (eqVneq i j) => [->|ne]; rewrite ?leqnn // [(i <= j)%N]leq_eqVlt -[X in X || _]/(i == j) (negPf ne).
Qed.

(* The mean of the deviations, and the noise: g is -c w, the box holds it. *)
Let mean c w : row := \row_j (- c * w 0 j - left5 (cell c w j).+1 * wd).

Let sideE c w m : half_side rho (path c w m.+1) = rho * Num.sqrt l4. Proof. by rewrite /half_side l4_gt0. Qed.

Let mean6E c w : mean6 B (@record_gradient R d) (half_side rho) (fun z : state => z.2.2) (records c) 0 (path c w d.+1) = mean c w :> row.
Proof.
have far (m : nat) : (0 * B + B./2 + m < k.*2)%N = false by rewrite mul0n add0n B2 ltnNge leq_addr.
apply/rowP => j; rewrite /mean6 mxE (eq_bigr (fun=> mean c w 0 j)) => [|i _].
  by rewrite sumr_const card_ord -[mean c w 0 j *+ _]mulr_natl mulrA mulVf ?mul1r // pnatr_eq0 -lt0n.
have -> : (\matrix_(l < B./2) dp_pca.second_half B (@record_gradient R d) (records c) 0 (path c w d.+1) l) i j = - c * w 0 j.
  by rewrite mxE /dp_pca.second_half record_gradientE far mxE.
rewrite [(path c w d.+1).2.2 0 j]mxE ltn_ord [mean c w 0 j]mxE.
rewrite sideE left5E; set a := - c * w 0 j; have /andP[lo hi] := floor_itv (a / wd).
rewrite ler_pdivlMr // in lo; rewrite ltr_pdivrMr // intrD mulrDl mul1r in hi.
have wr : wd <= rho * Num.sqrt l4 by rewrite ler_wpM2r // sqrtr_ge0.
by rewrite /truncate min_l ?max_r //; lra.
Qed.

Let std : R := classical_std (e / 2 / 2) (t / 2 / 2) (Num.sqrt d%:R * (2 * (rho * Num.sqrt l4) / B./2%:R)).

Let std_gt0 : 0 < std.
Proof.
have := t_lt1; have := t_gt0; move=> t0 t1; apply: classical_std_gt0; rewrite ?divr_gt0 //; first by lra.
by rewrite mulr_gt0 ?sqrtr_gt0 ?ltr0n // divr_gt0 ?ltr0n // !mulr_gt0 ?sqrtr_gt0.
Qed.

Let sum_row (F : 'I_1 * 'I_d -> R) : \sum_ij F ij = \sum_j F (ord0, j).
Proof.
rewrite (eq_bigr (fun p => F (p.1, p.2))) => [|[a b] _] //.
by rewrite -(pair_bigA _ (fun a b => F (a, b))) big_ord1.
Qed.

Let reaches6 w X (c := 2 / eta + std * X) : sqnorm w = 1 ->
  ((1 - upper X)%:E <= step6 (@measurable_record_gradient R d) (measurable_half_side rho) (@measurable_g_bar R d)
    (measurable_after_mean eta) (half_side_gt0 rho_gt0) d_gt0 half_gt0 e20 e21 t20 t21 (records c) 0 (path c w d.+1)
    (fst @^-1` opposite w))%E.
Proof.
move=> w1; have mC : measurable (fst @^-1` opposite w : set state).
  by rewrite -[X in measurable X]setTI; apply: measurable_fst => //; exact: measurable_opposite.
rewrite /step6 release_stepE //.
pose weight (ij : 'I_1 * 'I_d) : R := - w 0 ij.2; pose low : R := 2 / eta + dot (box c w d) w.
pose value (M : row) : R := \sum_(ij <- enum (predT : pred ('I_1 * 'I_d))) weight ij * M ij.1 ij.2.
pose D : set row := value @^-1` `[low, +oo[%classic.
have mD : measurable D.
  have mv : measurable_fun setT value by apply: measurable_sum => ij; apply: measurable_funM => //; exact: measurable_entry.
  by rewrite -[X in measurable X]setTI; exact: mv.
have inside v : D v -> dot (normalise (w + eta *: (box c w d + v))) w < 0.
  rewrite /D /= in_itv /= andbT /value big_enum /= sum_row /weight /= => ge.
  have {}ge : dot v w <= - low.
    by rewrite -[leLHS]opprK lerN2 dot_row; apply: le_trans ge _; rewrite -sumrN; apply: ler_sum => j _; rewrite mulNr mulrC.
  set u := w + _; have u0 : dot u w <= -1.
    rewrite /u dotDl dotZl dotDl -/(sqnorm w) w1; have : eta * (dot (box c w d) w + dot v w) <= eta * (- (2 / eta)).
      by rewrite ler_pM2l // /low in ge *; lra.
    by rewrite mulrN mulrCA divff ?gt_eqF // mulr1; lra.
  have n0 : 0 < sqnorm u.
    rewrite lt0r sqnorm_ge0 andbT; apply/eqP => z; move: u0; rewrite (sqnorm_eq0 z) dot0l; lra.
  by rewrite /normalise dotZl pmulr_rlt0 ?invr_gt0 ?sqrtr_gt0 //; lra.
have tail : noisy predT (const_mx std) (mean c w) D = (1 - upper X)%:E.
  rewrite /D weighted_law => [|a b]; last by rewrite mxE.
  rewrite !sum_row /weight /=; have -> : \sum_j - w 0 j * mean c w 0 j = low + std * X.
    rewrite (eq_bigr (fun j => c * w 0 j ^+ 2 + box c w d 0 j * w 0 j)) => [|j _]; last by rewrite !mxE ltn_ord; ring.
    by rewrite big_split /= -mulr_sumr -sqnorm_row w1 -dot_row /low /c; ring.
  have -> : Num.sqrt (\sum_j (- w 0 j) ^+ 2 * (const_mx std : row) 0 j ^+ 2) = std.
    rewrite (eq_bigr (fun j => w 0 j ^+ 2 * std ^+ 2)) => [|j _]; last by rewrite mxE sqrrN.
    by rewrite -mulr_suml -sqnorm_row w1 mul1r sqrtr_sqr gtr0_norm.
  by rewrite /normal_tail gt_eqF // opprD addNKr -mulrN mulrAC divff ?gt_eqF // mul1r upperN.
set K := normal_kernel _ _ _.
have KE Z : K (path c w d.+1) Z = noisy predT (const_mx std) (mean c w) Z.
  by rewrite -(mean6E c w) /std -(sideE c w d).
rewrite -tail -KE; apply: le_measure; rewrite ?inE //.
  rewrite -[X in measurable X]setTI; exact: (measurableT_comp (measurable_after_mean eta 0) (measurable_pair1 _)).
by move=> v /inside; rewrite /after_mean /= gt_eqF.
Qed.

(* One step against none. *)
Theorem algorithm_3_reaches w X (c := 2 / eta + std * X) : sqnorm w = 1 ->
  ((1 - (no_bin4 k (e / 2) (t / 2) + d%:R * no_bin5 d B (e / 2) (t / 2) + upper X))%:E <= output_law B (records c) w (opposite w))%E /\
  output_law B.-1 (records c) w (opposite w) = 0%E.
Proof.
move=> w1; have X0 := upper_ge0 X; have B0 : (0 < B)%N by rewrite !double_gt0.
split.
  rewrite /output_law divnn B0 mul1n.
  apply: (one_batch_reaches (measurable_bin_of_subset c4 d_gt0) (measurable_bin_of_entry om_gt0) (@measurable_after_bin4 R d)
    (measurable_after_bin5 om) k_gt0 (path := path c w)) => //.
  - by rewrite -[X in measurable X]setTI; apply: measurable_fst => //; exact: measurable_opposite.
  - by move=> j; exact: reaches4.
  - by move=> h; exact: after4E.
  - by move=> j h; exact: after5E.
  exact: reaches6.
have lt : (B.-1 < B)%N by rewrite prednK.
rewrite /output_law divn_small // mul0n /run /= indicE memNset // /opposite /= -/(sqnorm w) w1.
by apply/negP; rewrite -leNgt; exact: ler01.
Qed.
End OneRecordLess.

Lemma rare (R : realType) (a T g : R) : 0 < a -> 0 < g -> exists K, forall n, (K <= n)%N -> expR (a * (T - n%:R) / 2) / 2 <= g.
Proof.
move=> a0 g0; pose x := T - 2 / a * ln g; exists (Num.bound `|x|) => n Kn.
have xn : x < n%:R.
  apply: (@lt_le_trans _ _ (Num.bound `|x|)%:R); last by rewrite ler_nat.
  by apply: le_lt_trans (ler_norm x) _; apply: archi_boundP.
set y := a * _ / 2; have h : expR y < g; last by have := expR_gt0 y; lra.
rewrite -[ltRHS]lnK ?posrE // ltr_expR /y ltr_pdivrMr // mulrC -ltr_pdivlMr //.
by move: xn; rewrite /x mulrC mulrA; lra.
Qed.

(* liu2022.definition-2.3, liu2022.theorem-5.1-privacy, the relation of print: for every start, dimension, step size, epsilon and
   delta, with enough subsets, that is a small enough zeta *)
Theorem algorithm_3_not_private (R : realType) (d : nat) (c4 eta om rho e t : R) (w : 'rV[R]_d) (d_gt0 : (0 < d)%N) (c4_gt0 : 0 < c4)
    (eta_gt0 : 0 < eta) (om_gt0 : 0 < om) (om_le : om <= rho) (e_gt0 : 0 < e) (e_le : e <= 9 / 5) (t_gt0 : 0 < t) (t_lt1 : t < 1) :
  sqnorm w = 1 -> exists K, forall k (k_gt0 : (0 < k)%N), (K <= k)%N -> exists x : nat -> 'M[R]_d,
  let law n := output_law c4 eta d_gt0 k_gt0 om_gt0 om_le e_gt0 e_le t_gt0 t_lt1 n x w in
  ~ indist (expR e) t (law (batch_size k)) (law (batch_size k).-1).
Proof.
move=> w1; pose g := (1 - t) / 4; have g0 : 0 < g by rewrite divr_gt0 ?subr_gt0.
have D0 : 0 < d%:R :> R by rewrite ltr0n.
have [e20 e40 e41 t40 t41] : [/\ 0 < e / 2, 0 < e / 2 / 2, e / 2 / 2 <= 9 / 10, 0 < t / 2 / 2 & t / 2 / 2 < 1].
  by split; rewrite ?divr_gt0 //; lra.
have [e50 _ _] := share_bounds e40 e41 t40 t41 d_gt0.
have [K4 small4] := rare (stability_threshold (e / 2) (t / 2)) e20 g0.
have [K5 small5] := rare (stability_threshold (share (e / 2 / 2) (t / 2 / 2) d) (t / 2 / 2 / (2 * d%:R))) e50 (divr_gt0 g0 D0).
have [X small6] : exists X, upper X <= g.
  pose X := 1 + 2 * `|ln g|; have X1 : 1 <= X by rewrite lerDl mulr_ge0.
  exists X; apply: le_trans (upper_chernoff (le_trans ler01 X1)) _.
  have : expR (- (X ^+ 2 / 2)) <= g.
    rewrite -[leRHS]lnK ?posrE // ler_expR; have XX : X <= X ^+ 2 by rewrite expr2 ler_peMr // (le_trans ler01).
    by have := ler_norm (- ln g); rewrite normrN; move: XX; rewrite {1}/X; lra.
  by have := expR_ge0 (- (X ^+ 2 / 2)); lra.
exists (maxn K4 K5) => k k_gt0; rewrite geq_max => /andP[k4 k5].
have [] := algorithm_3_reaches d_gt0 k_gt0 c4_gt0 eta_gt0 om_gt0 om_le e_gt0 e_le t_gt0 t_lt1 X w1.
set x := records _ _ _ => up down; exists x => law close.
have := close _ (measurable_opposite w); rewrite /law down mule0 add0e; apply/negP; rewrite -ltNge; apply: lt_le_trans up.
have B2 : (batch_size k)./2 = k.*2 by rewrite doubleK.
have le5 : d%:R * no_bin5 d (batch_size k) (e / 2) (t / 2) <= g.
  by rewrite mulrC -ler_pdivlMr //; apply: small5; rewrite B2 -addnn (leq_trans k5) // leq_addr.
have le4 : no_bin4 k (e / 2) (t / 2) <= g by exact: small4.
by rewrite lte_fin; move: le4 le5 small6; rewrite /g; lra.
Qed.

(* In two dimensions, with the bins and the box as wide as Lambda_hat's root. *)
Example algorithm_3_holds (R : realType) (w := axis R (0 : 'I_2)) (e0 : 0 < 1 :> R) (e1 : 1 <= 9 / 5 :> R) (t0 : 0 < 1 / 2 :> R)
    (t1 : 1 / 2 < 1 :> R) : let law n x := output_law 1 1 (isT : (0 < 2)%N) (isT : (0 < 3)%N) ltr01 (lexx (1 : R)) e0 e1 t0 t1 n x w in
  (exists x, law (batch_size 3).-1 x (opposite w) = 0%E) /\ batch_size 3 = 12%N.
Proof.
move=> law; split=> //; have [] := @algorithm_3_reaches R 2 3 1 1 1 1 1 (1 / 2) isT isT ltr01 ltr01 ltr01 (lexx 1) e0 e1 t0 t1 w 0.
  exact: sqnorm_axis.
by move=> _ none; eexists; exact: none.
Qed.
