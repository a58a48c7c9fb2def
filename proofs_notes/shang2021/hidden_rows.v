(* shang2021: DP-SPCA (Algorithm 1) and DP-VRPCA (Algorithm 2) with their normal noise.

   Every step draws a row, hidden, and releases its gradient with noise of standard deviation s. S is any measurable space that
   holds the noisy gradients released so far; the iterates, the state after a release and the output are measurable functions of
   it. There are n + 1 rows. What is proved without the account of the moments: each step is amplified by its hidden draw, and the
   steps add up. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import reals ereal topology normedtype sequences exp measure numfun measurable_realfun lebesgue_measure lebesgue_integral realfun kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure squared_norms gaussian_run gaussian_calibration gaussian_matrix gaussian_steps adaptive_runs subsampling.
From DPPCA.lib Require Import hidden_choices noisy_choices.
From DPPCA.primitives Require Import row_changes.
From DPPCA.shang2021 Require Import gradients.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Measurable.
Context (R : realType) (n p k : nat) dS (S : measurableType dS).
Implicit Types (V W : S -> 'M[R]_(p, k)).

Lemma measurable_left_product (A : 'M[R]_p) (a : R) V : measurable_fun setT V -> measurable_fun setT (fun z => a *: (A *m V z)).
Proof.
move=> mV; apply: measurable_matrix => i j; under eq_fun do rewrite !mxE.
apply: measurable_funM; first exact: measurable_cst.
apply: measurable_sum => l; apply: measurable_funM; first exact: measurable_cst.
exact: (measurableT_comp (measurable_entry l j)).
Qed.

Lemma measurable_sum_of V W : measurable_fun setT V -> measurable_fun setT W -> measurable_fun setT (fun z => V z + W z).
Proof.
move=> mV mW; apply: measurable_matrix => i j; under eq_fun do rewrite mxE.
by apply: measurable_funD; apply: (measurableT_comp (measurable_entry i j)).
Qed.

Lemma measurable_reduced_gradient c sg (X : 'M[R]_(n, p)) i V W : measurable_fun setT V -> measurable_fun setT W ->
  measurable_fun setT (fun z => reduced_gradient c sg X i (V z) (W z)).
Proof.
move=> mV mW; apply: measurable_sum_of; last exact: measurable_left_product.
apply: measurable_sum_of; first exact: measurable_left_product.
rewrite (_ : (fun z => _) = fun z => c *: (outer (row i X) *m W z)); first exact: measurable_left_product.
by apply/funext => z; rewrite /gradient scaleNr opprK.
Qed.

Lemma measurable_batch (m : nat) (f : 'I_m -> S -> 'M[R]_(p, k)) (B : {set 'I_m}) : (forall i, measurable_fun setT (f i)) ->
  measurable_fun setT (fun z => \sum_(i in B) f i z).
Proof.
move=> mf; apply: measurable_matrix => a b; rewrite (_ : (fun z => _) = fun z => \sum_(i < m) if i \in B then f i z a b else 0); last first.
  by apply/funext => z; rewrite summxE big_mkcond.
apply: measurable_sum => i; case: (i \in B); last exact: measurable_cst.
exact: (measurableT_comp (measurable_entry a b)).
Qed.
End Measurable.

Section Algorithms.
Context (R : realType) (n p k : nat) dS (S : measurableType dS) (c s : R).
(* V_(t-1), a function of the noisy gradients so far; the state after a release; what is returned. *)
Context (iterate : S -> 'M[R]_(p, k)) (update : nat -> S * 'M[R]_(p, k) -> S) dU (U : measurableType dU) (output : S -> U).
Hypotheses (measurable_iterate : measurable_fun setT iterate) (measurable_update : measurable_steps update).
Hypotheses (measurable_output : measurable_fun setT output) (s_gt0 : 0 < s) (c_gt0 : 0 < c).
Hypothesis iterate_orthonormal : forall z, orthonormal (iterate z).
Implicit Types (X : 'M[R]_(n.+1, p)) (e t : R) (N : nat) (z : S) (A : set S) (B : set U).

Let c2_gt0 (b : R) : 0 < b -> 0 < c ^+ 2 * b. Proof. by move=> b0; rewrite mulr_gt0 // exprn_gt0. Qed.

(* Algorithm 1, lines 2 and 3: the noisy gradients of N steps. *)
Let measurable_gradients X i : measurable_fun setT (fun z => gradient c (row i X) (iterate z)).
Proof. exact: measurable_left_product. Qed.
Definition noisy_gradients X N A z := run (index_step s_gt0 measurable_update (measurable_gradients X)) N A z.
(* Line 4 and the output. *)
Definition dp_spca X N z B := noisy_gradients X N (output @^-1` B) z.

(* shang2021.algorithm-1-line-4: what the noisy gradients reveal about the data is all that the output reveals *)
Theorem spca_from_gradients X X' N z : ((forall A, measurable A -> noisy_gradients X N A z = noisy_gradients X' N A z) ->
    forall B, measurable B -> dp_spca X N z B = dp_spca X' N z B) /\
  forall a t, indist a t (noisy_gradients X N ^~ z) (noisy_gradients X' N ^~ z) -> indist a t (dp_spca X N z) (dp_spca X' N z).
Proof.
split=> [same B mB|a t]; last exact: indist_image.
by apply: same; rewrite -[X in measurable X]setTI; exact: measurable_output.
Qed.

Let spca_within b X X' N z e t : 0 < b -> (forall x y (V : 'M[R]_(p, k)), in_ball x -> in_ball y -> orthonormal V ->
    sqnorm (gradient c x V - gradient c y V) <= c ^+ 2 * b) -> 0 <= e -> calibrated e t (Num.sqrt (c ^+ 2 * b) / s) -> replaced X X' ->
  indist (amplified n.+1%:R^-1 (expR e) ^+ N) (t / n.+1%:R *+ N) (dp_spca X N z) (dp_spca X' N z).
Proof.
move=> b0 close e0 cal [uX uX' [i0 same]].
apply: (@indist_image _ _ _ _ R output _ _ (noisy_gradients X N ^~ z) (noisy_gradients X' N ^~ z) measurable_output) => A mA.
apply: (noisy_indices (i0 := i0) s_gt0 measurable_update _ _ N z e0 (c2_gt0 b0) cal) => // [i y ne|i y]; first by rewrite same.
exact: close.
Qed.

(* shang2021.theorem-1 without an account: a step costs the factor 1 + (e^epsilon - 1) / n and the n-th part of delta *)
Theorem dp_spca_private X X' N z e t : 0 <= e -> calibrated e t (Num.sqrt (c ^+ 2 * 2) / s) -> replaced X X' ->
  indist (amplified n.+1%:R^-1 (expR e) ^+ N) (t / n.+1%:R *+ N) (dp_spca X N z) (dp_spca X' N z).
Proof. by apply: spca_within => // x y V; apply: gradient_sensitivity. Qed.

(* m hidden rows a step, without replacement, and the mean of their gradients: gradients of the step c / m. *)
Context (m : nat) (m_gt0 : (0 < m)%N) (mn : (m <= n.+1)%N).
Let measurable_means X (D : {set 'I_n.+1}) : measurable_fun setT (batch_sum (fun i z => gradient (c / m%:R) (row i X) (iterate z)) D).
Proof. by apply: measurable_batch => i; exact: measurable_left_product. Qed.
Definition noisy_means X N A z := run (batch_step s_gt0 measurable_update mn (measurable_means X)) N A z.
Definition dp_spca_batches X N z B := noisy_means X N (output @^-1` B) z.

Theorem dp_spca_batches_private X X' N z e t (q := m%:R / n.+1%:R) : 0 <= e -> calibrated e t (Num.sqrt ((c / m%:R) ^+ 2 * 2) / s) ->
  replaced X X' -> indist (amplified q (expR e) ^+ N) (q * t *+ N) (dp_spca_batches X N z) (dp_spca_batches X' N z).
Proof.
move=> e0 cal [uX uX' [i0 same]].
apply: (@indist_image _ _ _ _ R output _ _ (noisy_means X N ^~ z) (noisy_means X' N ^~ z) measurable_output) => A mA.
have C0 : 0 < (c / m%:R) ^+ 2 * 2 :> R by rewrite mulr_gt0 // exprn_gt0 // divr_gt0 ?ltr0n.
apply: (noisy_batches (i0 := i0) s_gt0 measurable_update mn _ _ N z e0 C0 cal) => // [i y ne|i j y]; first by rewrite same.
exact: gradient_sensitivity.
Qed.

(* Algorithm 2: the anchor V~, a function of the noisy gradients before the epoch (lines 3, 8 and 10); lines 5 and 6. *)
Context (sg : R) (anchor : S -> 'M[R]_(p, k)) (measurable_anchor : measurable_fun setT anchor).
Let measurable_reduced X i : measurable_fun setT (fun z => reduced_gradient c sg X i (iterate z) (anchor z)).
Proof. exact: measurable_reduced_gradient. Qed.
Definition noisy_reduced_gradients X N A z := run (index_step s_gt0 measurable_update (measurable_reduced X)) N A z.
Definition dp_vrpca X N z B := noisy_reduced_gradients X N (output @^-1` B) z.

(* shang2021.algorithm-2-lines-8-10 *)
Theorem vrpca_from_gradients X X' N z :
  ((forall A, measurable A -> noisy_reduced_gradients X N A z = noisy_reduced_gradients X' N A z) ->
    forall B, measurable B -> dp_vrpca X N z B = dp_vrpca X' N z B) /\
  forall a t, indist a t (noisy_reduced_gradients X N ^~ z) (noisy_reduced_gradients X' N ^~ z) ->
    indist a t (dp_vrpca X N z) (dp_vrpca X' N z).
Proof.
split=> [same B mB|a t]; last exact: indist_image.
by apply: same; rewrite -[X in measurable X]setTI; exact: measurable_output.
Qed.
End Algorithms.

(* shang2021.theorem-1 without an account, k = 1 *)
Theorem dp_spca_private1 (R : realType) (n p : nat) dS (S : measurableType dS) (c s : R) (iterate : S -> 'M[R]_(p, 1))
    (update : nat -> S * 'M[R]_(p, 1) -> S) dU (U : measurableType dU) (output : S -> U) (mi : measurable_fun setT iterate)
    (mu : measurable_steps update) (s0 : 0 < s) (X X' : 'M[R]_(n.+1, p)) N z e t : measurable_fun setT output -> 0 < c ->
  (forall z, orthonormal (iterate z)) -> 0 <= e -> calibrated e t (Num.sqrt (c ^+ 2) / s) -> replaced X X' ->
  indist (amplified n.+1%:R^-1 (expR e) ^+ N) (t / n.+1%:R *+ N) (dp_spca c output mi mu s0 X N z) (dp_spca c output mi mu s0 X' N z).
Proof.
move=> mo c0 oV e0 cal [uX uX' [i0 same]].
apply: (@indist_image _ _ _ _ R output _ _ (noisy_gradients c mi mu s0 X N ^~ z) (noisy_gradients c mi mu s0 X' N ^~ z) mo) => A mA.
have C0 : 0 < c ^+ 2 by rewrite exprn_gt0.
apply: (noisy_indices (i0 := i0) s0 mu _ _ N z e0 C0 cal) => // [i y ne|i y]; first by rewrite same.
exact: gradient_sensitivity1.
Qed.

(* shang2021.account-vrpca: the changes for which its noise is computed. The part of the release that depends on the drawn row
   moves by 2 c sqrt 2, whichever rows are drawn, and only if the row that differs is one of them; the full gradient moves by
   c sqrt 2 / n, the number of rows n + 1 here; below squared. For k = 1 without the root. *)
Section Account.
Variables (R : realFieldType) (n d k : nat) (c sg b : R) (X X' : 'M[R]_(n.+1, d)) (V W : 'M[R]_(d, k)) (i0 : 'I_n.+1).
Hypotheses (nb : replaced X X') (same : forall i, i != i0 -> row i X = row i X') (sg1 : `|sg| <= 1).
Hypotheses (oV : orthonormal V) (oW : orthonormal W).
Hypothesis b_bound : forall (x y : 'rV[R]_d) (V : 'M[R]_(d, k)), in_ball x -> in_ball y -> orthonormal V ->
  sqnorm ((outer x - outer y) *m V) <= b.

Definition drawn_part (X : 'M[R]_(n.+1, d)) i := gradient c (row i X) V - gradient c (row i X) W.

Lemma changes_within : [/\ forall i, reduced_gradient c sg X i V W = drawn_part X i + full_gradient c sg X W,
  forall i, i != i0 -> drawn_part X i = drawn_part X' i, forall i j, sqnorm (drawn_part X i - drawn_part X' j) <= c ^+ 2 * 4 * b &
  sqnorm (full_gradient c sg X W - full_gradient c sg X' W) <= (c / n.+1%:R) ^+ 2 * b].
Proof.
have [uX uX' _] := nb; split=> [//|i ne|i j|]; first by rewrite /drawn_part same.
  have -> : drawn_part X i - drawn_part X' j =
      - c *: (1 *: ((outer (row i X) - outer (row j X')) *m V) - 1 *: ((outer (row i X) - outer (row j X')) *m W)).
    rewrite !scale1r /drawn_part /gradient !mulmxBl.
    move: (outer (row i X) *m V) (outer (row i X) *m W) (outer (row j X') *m V) (outer (row j X') *m W) => f g u v.
    by apply/matrixP => a e; rewrite !mxE; move: (f a e) (g a e) (u a e) (v a e) => ? ? ? ?; ring.
  rewrite sqnormZ sqrrN -mulrA ler_wpM2l ?sqr_ge0 // (_ : 4 = (1 + 1) ^+ 2 :> R); last by ring.
  by apply: combination; rewrite ?ler01 ?b_bound.
rewrite /full_gradient -scalerBr -mulmxBl (gram_replaced same) sqnormZ.
have bb : sqnorm ((outer (row i0 X) - outer (row i0 X')) *m W) <= b by apply: b_bound.
have b0 : 0 <= b by apply: le_trans bb; apply: sqnorm_ge0.
have s2 : sg ^+ 2 <= 1 by rewrite -real_normK ?num_real // exprn_ile1.
apply: le_trans (_ : (sg * c / n.+1%:R) ^+ 2 * b <= _); first by rewrite ler_wpM2l ?sqr_ge0.
by rewrite -mulrA exprMn -mulrA ler_piMl // mulr_ge0 ?sqr_ge0.
Qed.
End Account.

Theorem vrpca_changes (R : realFieldType) n d k (c sg : R) (X X' : 'M[R]_(n.+1, d)) (V W : 'M[R]_(d, k)) i0 : replaced X X' ->
  (forall i, i != i0 -> row i X = row i X') -> `|sg| <= 1 -> orthonormal V -> orthonormal W ->
  [/\ forall i, reduced_gradient c sg X i V W = drawn_part c V W X i + full_gradient c sg X W,
    forall i, i != i0 -> drawn_part c V W X i = drawn_part c V W X' i,
    forall i j, sqnorm (drawn_part c V W X i - drawn_part c V W X' j) <= c ^+ 2 * 4 * 2 &
    sqnorm (full_gradient c sg X W - full_gradient c sg X' W) <= (c / n.+1%:R) ^+ 2 * 2].
Proof.
move=> nb same sg1 oV oW; apply: changes_within => // x y U xb yb oU.
by apply: le_trans (bessel _ oU) _; apply: change_le2.
Qed.

Theorem vrpca_changes1 (R : realFieldType) n d (c sg : R) (X X' : 'M[R]_(n.+1, d)) (V W : 'M[R]_(d, 1)) i0 : replaced X X' ->
  (forall i, i != i0 -> row i X = row i X') -> `|sg| <= 1 -> orthonormal V -> orthonormal W ->
  [/\ forall i, reduced_gradient c sg X i V W = drawn_part c V W X i + full_gradient c sg X W,
    forall i, i != i0 -> drawn_part c V W X i = drawn_part c V W X' i,
    forall i j, sqnorm (drawn_part c V W X i - drawn_part c V W X' j) <= c ^+ 2 * 4 * 1 &
    sqnorm (full_gradient c sg X W - full_gradient c sg X' W) <= (c / n.+1%:R) ^+ 2 * 1].
Proof.
move=> nb same sg1 oV oW; apply: changes_within => // x y U xb yb oU.
by have := gradient_sensitivity1 1 xb yb oU; rewrite gradient_change sqnormZ sqrrN !expr1n mul1r.
Qed.

(* The hypotheses can be met: the iterate is the identity, and the last noisy gradient is stored and returned. *)
Section Examples.
Variable R : realType.
Let identity (z : 'M[R]_2) : 'M[R]_2 := 1%:M.
Let last (t : nat) (w : 'M[R]_2 * 'M[R]_2) := w.2.
Let measurable_identity : measurable_fun setT identity. Proof. exact: measurable_cst. Qed.
Let measurable_last : measurable_steps last. Proof. by move=> i; exact: measurable_snd. Qed.
Let identity_orthonormal z : orthonormal (identity z). Proof. by rewrite /orthonormal trmx1 mulmx1. Qed.
Let D_gt0 : 0 < Num.sqrt (2 ^+ 2 * 2 : R). Proof. by rewrite sqrtr_gt0 mulr_gt0 // exprn_gt0. Qed.
Let t_gt0 : 0 < 1 / 100 :> R. Proof. by lra. Qed.
Let t_lt1 : 1 / 100 < 1 :> R. Proof. by lra. Qed.
Let std : R := classical_std 1 (1 / 100) (Num.sqrt (2 ^+ 2 * 2)).
Let std_gt0 : 0 < std. Proof. exact: classical_std_gt0. Qed.
Let std_enough : calibrated 1 (1 / 100) (Num.sqrt (2 ^+ 2 * 2) / std). Proof. exact: classical_gaussian. Qed.

Example dp_spca_holds (X X' : 'M[R]_(3, 2)) z : replaced X X' ->
  let spca := dp_spca 2 (@idfun 'M[R]_2) measurable_identity measurable_last std_gt0 in
  indist (amplified 3%:R^-1 (expR 1) ^+ 4) (1 / 100 / 3%:R *+ 4) (spca X 4 z) (spca X' 4 z).
Proof. by move=> nb spca; apply: dp_spca_private => //; exact: measurable_id. Qed.

(* Batches of two of the three rows. *)
Let std2 : R := classical_std 1 (1 / 100) (Num.sqrt ((2 / 2%:R) ^+ 2 * 2)).
Let D2_gt0 : 0 < Num.sqrt ((2 / 2%:R) ^+ 2 * 2 : R). Proof. by rewrite sqrtr_gt0 mulr_gt0 // exprn_gt0 // divr_gt0. Qed.
Let std2_gt0 : 0 < std2. Proof. exact: classical_std_gt0. Qed.
Example dp_spca_batches_holds (X X' : 'M[R]_(3, 2)) z : replaced X X' ->
  let spca := dp_spca_batches 2 (@idfun 'M[R]_2) measurable_identity measurable_last std2_gt0 (isT : (2 <= 3)%N) in
  indist (amplified (2%:R / 3%:R) (expR 1) ^+ 4) (2%:R / 3%:R * (1 / 100) *+ 4) (spca X 4 z) (spca X' 4 z).
Proof. by move=> nb spca; apply: dp_spca_batches_private => //; try exact: measurable_id; exact: classical_gaussian. Qed.

Example dp_vrpca_holds (X : 'M[R]_(3, 2)) z a t :
  let vrpca := dp_vrpca 2 (@idfun 'M[R]_2) measurable_identity measurable_last std_gt0 (-1) measurable_identity in
  indist a t (noisy_reduced_gradients 2 measurable_identity measurable_last std_gt0 (-1) measurable_identity X 4 ^~ z)
    (noisy_reduced_gradients 2 measurable_identity measurable_last std_gt0 (-1) measurable_identity (0 : 'M[R]_(3, 2)) 4 ^~ z) ->
  indist a t (vrpca X 4 z) (vrpca 0 4 z).
Proof. by move=> vrpca H B mB; exact: (H B mB). Qed.
End Examples.

Example drawn_part_computes (R : realType) : drawn_part 1 (1%:M : 'M_2) 0 (const_mx 1 : 'M[R]_2) 0 0 0 = - 1.
Proof. by rewrite /drawn_part /gradient mulmx1 mulmx0 scaler0 subr0 !mxE big_ord1 !mxE mulr1 mulN1r. Qed.
