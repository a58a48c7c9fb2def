(* shang2021: DP-SPCA (Algorithm 1) and DP-VRPCA (Algorithm 2) are private with the noise that the account gives.

   Every step draws a row, hidden, and releases its gradient with noise; the iterates are functions of the gradients
   released before. The accounts are the hypotheses [subsampled_account] and [shifted_account]: they say what the
   calibration guarantees for any adaptive gradients whose changes are bounded. That the gradients of these algorithms
   are so bounded is what is proved here; then, without an account, what basic composition gives.

   There are n + 1 rows; outcomes are on a finite grid T; a = e^epsilon. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import discrete squared_norms transcripts subsampling subsampling_batches.
From DPPCA.primitives Require Import row_changes.
From DPPCA.shang2021 Require Import gradients.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Algorithm1.
Variables (R : realFieldType) (n d k steps : nat) (T U : finType) (a delta c : R) (release : 'M[R]_(d, k) -> T -> R).
(* V_(t-1), a function of the noisy gradients so far (line 4 and the start), and the output (line 5). *)
Variables (iterate : seq T -> 'M[R]_(d, k)) (output : steps.-tuple T -> U).
Hypothesis iterate_orthonormal : forall s, orthonormal (iterate s).

(* Lines 2 and 3: a hidden index, and the noisy gradient at its row. *)
Definition noisy_gradient (X : 'M[R]_(n.+1, d)) (s : seq T) : T -> R :=
  hidden_draw (fun i => release (gradient c (row i X) (iterate s))).
Definition dp_spca (X : 'M[R]_(n.+1, d)) : U -> R := push output (transcript steps (noisy_gradient X)).

(* What is released before the last line is as private as the output: the transcript. *)
Lemma spca_transcript_private (near : 'M[R]_(d, k) -> 'M[R]_(d, k) -> Prop) :
  (forall x y V, in_ball x -> in_ball y -> orthonormal V -> near (gradient c x V) (gradient c y V)) ->
  subsampled_account near n steps a delta release ->
  mechanism_dp a delta (@replaced R n.+1 d) (fun X => transcript steps (noisy_gradient X)).
Proof.
move=> close [_ H] X X' nb; suff one Y Y' : replaced Y Y' ->
    dp a delta (transcript steps (noisy_gradient Y)) (transcript steps (noisy_gradient Y')).
  by split; apply: one => //; apply: replaced_sym.
case=> uY uY' [i0 same]; apply: (H (fun s i => gradient c (row i Y) (iterate s))
    (fun s i => gradient c (row i Y') (iterate s)) i0) => [s i ne|s i j]; first by rewrite same.
exact: close.
Qed.

(* shang2021.theorem-1 (the correction), shang2021.account-one-step: an account for gradients up to c sqrt 2 apart *)
Theorem dp_spca_private : subsampled_account (near (c ^+ 2 * 2%:R)) n steps a delta release ->
  mechanism_dp a delta (@replaced R n.+1 d) dp_spca.
Proof.
move=> account; apply: mechanism_post_processing_function; apply: spca_transcript_private account.
by move=> x y V; apply: gradient_sensitivity.
Qed.

(* Without an account: a step costs the factor 1 + (a - 1) / n and the n-th part of delta, n the number of rows. *)
Theorem dp_spca_basic (step := amplified n.+1%:R^-1 a) : 1 <= a -> calibrated_noise (near (c ^+ 2 * 2%:R)) a delta release ->
  mechanism_dp (step ^+ steps) (delta / n.+1%:R *+ steps) (@replaced R n.+1 d) dp_spca.
Proof.
move=> a1 noise; have account := account_of_noise_amplified n steps a1 noise; case: account => l H.
apply: mechanism_post_processing_function => X X' nb.
suff one Y Y' : replaced Y Y' -> dp (step ^+ steps) (delta / n.+1%:R *+ steps)
    (transcript steps (noisy_gradient Y)) (transcript steps (noisy_gradient Y')).
  by split; apply: one => //; apply: replaced_sym.
case=> uY uY' [i0 same]; apply: (H (fun s i => gradient c (row i Y) (iterate s))
    (fun s i => gradient c (row i Y') (iterate s)) i0) => [s i ne|s i j]; first by rewrite same.
exact: gradient_sensitivity.
Qed.
(* The same with m hidden rows a step, drawn without replacement, and the mean of their gradients: gradients of the step c / m. *)
Variable m : nat.
Definition noisy_batch_gradient (X : 'M[R]_(n.+1, d)) (s : seq T) : T -> R :=
  hidden_batch m (fun S => release (\sum_(i in S) gradient (c / m%:R) (row i X) (iterate s))).
Definition dp_spca_batches (X : 'M[R]_(n.+1, d)) : U -> R := push output (transcript steps (noisy_batch_gradient X)).

(* Noise for changes of c sqrt 2 / m; a step costs the factor 1 + (m / n) (a - 1) and m / n of delta, n the number of rows. *)
Theorem dp_spca_batches_private (q := m%:R / n.+1%:R) : (m <= n.+1)%N -> 1 <= a ->
  calibrated_noise (near ((c / m%:R) ^+ 2 * 2%:R)) a delta release ->
  mechanism_dp (amplified q a ^+ steps) (q * delta *+ steps) (@replaced R n.+1 d) dp_spca_batches.
Proof.
move=> mn a1 noise; apply: mechanism_post_processing_function => X X' nb.
suff one Y Y' : replaced Y Y' -> dp (amplified q a ^+ steps) (q * delta *+ steps)
    (transcript steps (noisy_batch_gradient Y)) (transcript steps (noisy_batch_gradient Y')).
  by split; apply: one => //; apply: replaced_sym.
case=> uY uY' [i0 same]; apply: (batch_steps_private (i0 := i0) mn a1 noise) => [s i ne|s i j]; first by rewrite same.
exact: gradient_sensitivity.
Qed.
End Algorithm1.

(* shang2021.theorem-1 (the correction), k = 1: an account for gradients up to c apart *)
Theorem dp_spca_private1 (R : realFieldType) n d steps (T U : finType) (a delta c : R) (release : 'M[R]_(d, 1) -> T -> R)
    (iterate : seq T -> 'M[R]_(d, 1)) (output : steps.-tuple T -> U) : (forall s, orthonormal (iterate s)) ->
  subsampled_account (near (c ^+ 2)) n steps a delta release ->
  mechanism_dp a delta (@replaced R n.+1 d) (dp_spca c release iterate output (n := n)).
Proof.
move=> oV account; apply: mechanism_post_processing_function; apply: spca_transcript_private account => //.
by move=> x y V; apply: gradient_sensitivity1.
Qed.

Section Algorithm2.
Variables (R : realFieldType) (n d k steps : nat) (T U : finType) (a delta c s : R) (release : 'M[R]_(d, k) -> T -> R).
(* V_(t-1) and V~, functions of the noisy gradients so far (lines 3, 7, 8 and 10), and the output. *)
Variables (iterate anchor : seq T -> 'M[R]_(d, k)) (output : steps.-tuple T -> U).
Hypotheses (iterate_orthonormal : forall t, orthonormal (iterate t)) (anchor_orthonormal : forall t, orthonormal (anchor t)).
Hypothesis sign : `|s| <= 1.

(* Lines 5 and 6. *)
Definition noisy_reduced_gradient (X : 'M[R]_(n.+1, d)) (t : seq T) : T -> R :=
  hidden_draw (fun i => release (reduced_gradient c s X i (iterate t) (anchor t))).
Definition dp_vrpca (X : 'M[R]_(n.+1, d)) : U -> R := push output (transcript steps (noisy_reduced_gradient X)).

Variable b : R.
Hypothesis b_bound : forall (x y : 'rV[R]_d) (V : 'M[R]_(d, k)), in_ball x -> in_ball y -> orthonormal V ->
  sqnorm ((outer x - outer y) *m V) <= b.

Lemma drawn_close (x y : 'rV[R]_d) (V W : 'M[R]_(d, k)) : in_ball x -> in_ball y -> orthonormal V -> orthonormal W ->
  sqnorm ((gradient c x V - gradient c x W) - (gradient c y V - gradient c y W)) <= c ^+ 2 * 4%:R * b.
Proof.
move=> xb yb oV oW; have -> : (gradient c x V - gradient c x W) - (gradient c y V - gradient c y W) =
    - c *: (1 *: ((outer x - outer y) *m V) - 1 *: ((outer x - outer y) *m W)).
  rewrite !scale1r /gradient !mulmxBl; move: (outer x *m V) (outer x *m W) (outer y *m V) (outer y *m W) => p q u v.
  by apply/matrixP => i j; rewrite !mxE; move: (p i j) (q i j) (u i j) (v i j) => ? ? ? ?; ring.
rewrite sqnormZ sqrrN -mulrA ler_wpM2l ?sqr_ge0 //.
have -> : 4%:R = (1 + 1) ^+ 2 :> R by ring.
by apply: combination; rewrite ?ler01 ?b_bound.
Qed.

Lemma full_close (X X' : 'M[R]_(n.+1, d)) (W : 'M[R]_(d, k)) : replaced X X' -> orthonormal W ->
  sqnorm (full_gradient c s X W - full_gradient c s X' W) <= (c / n.+1%:R) ^+ 2 * b.
Proof.
case=> uX uX' [i0 same] oW; rewrite /full_gradient -scalerBr -mulmxBl (gram_replaced same) sqnormZ.
have bb : sqnorm ((outer (row i0 X) - outer (row i0 X')) *m W) <= b by apply: b_bound.
have b0 : 0 <= b by apply: le_trans bb; apply: sqnorm_ge0.
have s2 : s ^+ 2 <= 1 by rewrite -real_normK ?num_real // exprn_ile1.
apply: le_trans (_ : (s * c / n.+1%:R) ^+ 2 * b <= _); first by rewrite ler_wpM2l ?sqr_ge0.
by rewrite -mulrA exprMn -mulrA ler_piMl // mulr_ge0 ?sqr_ge0.
Qed.

Lemma vrpca_private : shifted_account (c ^+ 2 * 4%:R * b) ((c / n.+1%:R) ^+ 2 * b) n steps a delta release ->
  mechanism_dp a delta (@replaced R n.+1 d) dp_vrpca.
Proof.
case=> _ H; apply: mechanism_post_processing_function => X X' nb; suff one Y Y' : replaced Y Y' ->
    dp a delta (transcript steps (noisy_reduced_gradient Y)) (transcript steps (noisy_reduced_gradient Y')).
  by split; apply: one => //; apply: replaced_sym.
move=> nb'; case: (nb') => uY uY' [i0 same].
pose g (Z : 'M[R]_(n.+1, d)) t i := gradient c (row i Z) (iterate t) - gradient c (row i Z) (anchor t).
apply: (H (g Y) (g Y') (fun t => full_gradient c s Y (anchor t)) (fun t => full_gradient c s Y' (anchor t)) i0).
- by move=> t i ne; rewrite /g same.
- by move=> t i j; apply: drawn_close; rewrite ?uY ?uY'.
- by move=> t; apply: full_close.
Qed.
End Algorithm2.

(* shang2021.theorem-3 (the correction), shang2021.account-vrpca: the drawn part moves by 2 c sqrt 2, the full gradient by
   c sqrt 2 / n *)
Theorem dp_vrpca_private (R : realFieldType) n d k steps (T U : finType) (a delta c s : R) (release : 'M[R]_(d, k) -> T -> R)
    (iterate anchor : seq T -> 'M[R]_(d, k)) (output : steps.-tuple T -> U) :
  (forall t, orthonormal (iterate t)) -> (forall t, orthonormal (anchor t)) -> `|s| <= 1 ->
  shifted_account (c ^+ 2 * 4%:R * 2%:R) ((c / n.+1%:R) ^+ 2 * 2%:R) n steps a delta release ->
  mechanism_dp a delta (@replaced R n.+1 d) (dp_vrpca c s release iterate anchor output (n := n)).
Proof.
move=> oV oW s1; apply: vrpca_private => // x y V xb yb oU.
by apply: le_trans (bessel _ oU) _; apply: change_le2.
Qed.

(* The same for k = 1: 2 c and c / n. *)
Theorem dp_vrpca_private1 (R : realFieldType) n d steps (T U : finType) (a delta c s : R) (release : 'M[R]_(d, 1) -> T -> R)
    (iterate anchor : seq T -> 'M[R]_(d, 1)) (output : steps.-tuple T -> U) :
  (forall t, orthonormal (iterate t)) -> (forall t, orthonormal (anchor t)) -> `|s| <= 1 ->
  shifted_account (c ^+ 2 * 4%:R * 1) ((c / n.+1%:R) ^+ 2 * 1) n steps a delta release ->
  mechanism_dp a delta (@replaced R n.+1 d) (dp_vrpca c s release iterate anchor output (n := n)).
Proof.
move=> oV oW s1; apply: vrpca_private => // x y V xb yb oU.
by have := gradient_sensitivity1 1 xb yb oU; rewrite gradient_change sqnormZ sqrrN !expr1n mul1r.
Qed.

(* The hypotheses can be met, and the definitions compute. *)
Section Examples.
Variable R : realFieldType.
Let identity (s : seq bool) : 'M[R]_2 := 1%:M.
Let identity_orthonormal s : orthonormal (identity s). Proof. by rewrite /orthonormal trmx1 mulmx1. Qed.

Example dp_spca_holds : mechanism_dp (3%:R ^+ 4) 0 (@replaced R 2 2)
  (dp_spca 2%:R (respond 3%:R (m := 1) (k := 1)) identity (fun t : 4.-tuple bool => tnth t 3) (n := 1)).
Proof. by apply: dp_spca_private; [apply: identity_orthonormal | apply: subsampled_account_holds; rewrite ler1n]. Qed.

(* Batches of two of three rows. *)
Example dp_spca_batches_holds : mechanism_dp (amplified (2%:R / 3%:R) 3%:R ^+ 4) (2%:R / 3%:R * 0 *+ 4) (@replaced R 3 2)
  (dp_spca_batches 2%:R (respond 3%:R (m := 1) (k := 1)) identity (fun t : 4.-tuple bool => tnth t 3) 2 (n := 2)).
Proof.
by apply: dp_spca_batches_private; rewrite ?ler1n //; apply: calibrated_noise_holds; rewrite ler1n.
Qed.

Example dp_vrpca_holds : mechanism_dp (3%:R ^+ 4) 0 (@replaced R 2 2)
  (dp_vrpca 1 (-1) (respond 3%:R (m := 1) (k := 1)) identity identity (fun t : 4.-tuple bool => tnth t 3) (n := 1)).
Proof.
apply: dp_vrpca_private; rewrite ?normrN1 //; try exact: identity_orthonormal.
by apply: shifted_account_holds; rewrite ler1n.
Qed.
End Examples.

Example noisy_gradient_computes :
  noisy_gradient (- 1) (respond 3%:R (m := 1) (k := 1)) (fun=> 1%:M) two_rows [::] true = 2%:R^-1 :> rat.
Proof.
by rewrite /noisy_gradient /hidden_draw /mixture !big_ord_recl big_ord0 /respond /gradient !mulmx1 !rowK /= outer0 outer_axis !mxE.
Qed.
Example noisy_reduced_gradient_computes :
  noisy_reduced_gradient 1 1 (respond 3%:R (m := 1) (k := 1)) (fun=> 1%:M) (fun=> 1%:M) two_rows [::] true = 3%:R / 4%:R :> rat.
Proof.
rewrite /noisy_reduced_gradient /hidden_draw /mixture !big_ord_recl big_ord0 !first_step /full_gradient mulmx1.
by rewrite /respond gram_computes !mxE.
Qed.
