(* The baselines: Analyze Gauss, MOD-SULQ, the private power method and the exponential mechanism are private with the
   corrected noise. (The Wishart mechanism is not: wishart.v.)

   Releases have finitely many outcomes T (a grid); a factor a stands for e^epsilon. What the noise is calibrated for is
   said by a hypothesis of lib/transcripts.v; the exponential mechanism over a finite set needs none. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import reals sequences exp.
From DPPCA.lib Require Import discrete squared_norms transcripts.
From DPPCA.primitives Require Import row_changes second_moment exponential_mechanism.
From DPPCA.baselines Require Import sensitivities.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* One noisy upper triangle, then eigenvectors. *)
Section OneRelease.
Variables (R : realFieldType) (d : nat) (T V : finType) (a delta : R) (release : 'M[R]_d -> T -> R) (eigenvectors : T -> V).

Definition analyze_gauss n (X : 'M[R]_(n, d)) : V -> R := push eigenvectors (release (gram X)).
Definition mod_sulq n (X : 'M[R]_(n, d)) : V -> R := push eigenvectors (release (mean_gram X)).

(* dwork2014.algorithm-1-relation: a row is replaced, noise for sqrt 2 *)
Theorem analyze_gauss_replaced n : calibrated_noise (@upper_near R d 2%:R) a delta release ->
  mechanism_dp a delta (@replaced R n d) (@analyze_gauss n).
Proof. by case=> _ H; apply: mechanism_post_processing_function => X X' nb; apply: H; apply: upper_replaced. Qed.

(* dwork2014.algorithm-1-privacy: a row is added or removed, noise for 1 *)
Theorem analyze_gauss_removed n (X : 'M[R]_(n.+1, d)) X' : calibrated_noise (@upper_near R d 1) a delta release ->
  removed X X' -> dp a delta (analyze_gauss X) (analyze_gauss X') /\ dp a delta (analyze_gauss X') (analyze_gauss X).
Proof.
case=> _ H nb; have [H1 H2] := H (gram X) (gram X') (upper_removed nb).
by split; apply: dp_post_processing_function.
Qed.

(* chaudhuri2013.theorem-1, the reading CORRECTED of the code: noise for sqrt 2 / n *)
Theorem mod_sulq_private n : calibrated_noise (@upper_near R d (2%:R / n%:R ^+ 2)) a delta release ->
  mechanism_dp a delta (@replaced R n d) (@mod_sulq n).
Proof. by case=> _ H; apply: mechanism_post_processing_function => X X' nb; apply: H; apply: mod_sulq_sensitivity. Qed.
End OneRelease.

(* The private power method: L noisy products, each basis a function of the products before it. *)
Section PowerMethod.
Variables (R : realFieldType) (n d k L : nat) (T V : finType) (a delta : R) (release : 'M[R]_(d, k) -> T -> R).
Variables (basis : seq T -> 'M[R]_(d, k)) (output : L.-tuple T -> V).
Hypothesis basis_orthonormal : forall s, orthonormal (basis s).

Definition products (X : 'M[R]_(n, d)) : L.-tuple T -> R := transcript L (fun s => release (gram X *m basis s)).
Definition noisy_power_method (X : 'M[R]_(n, d)) : V -> R := push output (products X).

(* hardt2014.ppm-relation: noise for L changes of sqrt 2 *)
Theorem power_method_private : calibrated_composition (near 2%:R) L a delta release ->
  mechanism_dp a delta (@replaced R n d) noisy_power_method.
Proof.
case=> _ H; apply: mechanism_post_processing_function => X X' nb.
suff one Y Y' : replaced Y Y' -> dp a delta (products Y) (products Y') by split; apply: one => //; apply: replaced_sym.
by move=> nb'; apply: H => s; rewrite /near -mulmxBl; apply: basis_replaced.
Qed.

(* The same with basic composition: each product is (a, delta)-private. *)
Theorem power_method_basic : 0 <= a -> calibrated_noise (near 2%:R) a delta release ->
  mechanism_dp (a ^+ L) (delta *+ L) (@replaced R n d) noisy_power_method.
Proof.
move=> a0 [l H]; apply: mechanism_post_processing_function; apply: mechanism_transcript => // s X X' nb.
by apply: H; rewrite /near -mulmxBl; apply: basis_replaced.
Qed.
End PowerMethod.
Arguments products {R n d k} L {T} release basis X t.

(* hardt2014.ppm-relation, k = 1: noise for L changes of 1 *)
Theorem power_method_private1 (R : realFieldType) n d L (T V : finType) a delta (release : 'M[R]_(d, 1) -> T -> R)
    (basis : seq T -> 'M[R]_(d, 1)) (output : L.-tuple T -> V) : (forall s, orthonormal (basis s)) ->
  calibrated_composition (@near R d 1 1) L a delta release ->
  mechanism_dp a delta (@replaced R n d) (noisy_power_method release basis output (n := n)).
Proof.
move=> oB [_ H]; apply: mechanism_post_processing_function => X X' nb.
suff one (Y Y' : 'M[R]_(n, d)) : replaced Y Y' -> dp a delta (products L release basis Y) (products L release basis Y').
  by split; apply: one => //; apply: replaced_sym.
by move=> nb'; apply: H => s; rewrite /near -mulmxBl; apply: basis1_replaced.
Qed.

(* The exponential mechanism over a finite set of directions, with the score v^T X^T X v; m is the multiplier. *)
Section Exponential.
Variables (R : realType) (C : finType) (c0 : C).

Definition draw_direction n e (m : R) (direction : C -> 'rV[R]_e) (X : 'M[R]_(n, e)) : C -> R :=
  by_weight (fun c => expR (m * score X (direction c))).

Lemma weight_ratio n e (m : R) (direction : C -> 'rV[R]_e) (X X' : 'M[R]_(n, e)) c : 0 <= m ->
  (forall c, sqnorm (direction c) = 1) -> replaced X X' ->
  expR (m * score X (direction c)) <= expR m * expR (m * score X' (direction c)).
Proof.
move=> m0 unit nb; rewrite -expRD ler_expR -[X in _ <= X + _]mulr1 -mulrDr ler_wpM2l // addrC -lerBlDl.
by apply: le_trans (ler_norm _) _; apply: score_replaced.
Qed.

(* chaudhuri2013.ppca-privacy, amin2019.eigenvector-sensitivity: m = epsilon / 2 *)
Theorem exponential_mechanism_private n e (epsilon : R) (direction : C -> 'rV[R]_e) : 0 <= epsilon ->
  (forall c, sqnorm (direction c) = 1) ->
  mechanism_dp (expR epsilon) 0 (@replaced R n e) (draw_direction (epsilon / 2%:R) direction (n := n)).
Proof.
move=> e0 unit; have m0 : 0 <= epsilon / 2%:R by rewrite divr_ge0 ?ler0n.
have -> : expR epsilon = expR (epsilon / 2%:R) ^+ 2 by rewrite expr2 -expRD -splitr.
apply: (by_weight_dp c0) => [|X c|X X' nb c]; [by apply/ltW/expR_gt0 | exact: expR_gt0 |].
by split; apply: weight_ratio => //; apply: replaced_sym.
Qed.

(* k directions by deflation: Q s is an orthonormal basis of the complement of the directions in s. *)
Variables (n d k : nat) (e : seq C -> nat) (Q : forall s, 'M[R]_(d, e s)) (direction : forall s, C -> 'rV[R]_(e s)).
Hypotheses (Q_orthonormal : forall s, orthonormal (Q s)) (unit : forall s c, sqnorm (direction s c) = 1).

Definition deflation (m : R) (X : 'M[R]_(n, d)) : k.-tuple C -> R :=
  transcript k (fun s => draw_direction m (@direction s) (X *m Q s)).

Lemma projected_replaced s (X X' : 'M[R]_(n, d)) : replaced X X' -> replaced (X *m Q s) (X' *m Q s).
Proof.
case=> uX uX' [i0 same]; split=> [i|i|]; last by exists i0 => i ne; rewrite !row_mul same.
  by rewrite /in_ball row_mul (le_trans (bessel _ (Q_orthonormal s))) //; apply: uX.
by rewrite /in_ball row_mul (le_trans (bessel _ (Q_orthonormal s))) //; apply: uX'.
Qed.

(* amin2019.deflation: epsilon / k for each direction *)
Theorem deflation_private (epsilon : R) : 0 <= epsilon ->
  mechanism_dp (expR epsilon ^+ k) 0 (@replaced R n d) (deflation (epsilon / 2%:R)).
Proof.
move=> e0; rewrite -(mul0rn _ k); apply: mechanism_transcript => [X s||s X X' nb].
- by apply: (law_by_weight c0) => c; apply: expR_gt0.
- by apply/ltW/expR_gt0.
- exact: exponential_mechanism_private (projected_replaced s nb).
Qed.

Theorem deflation_private_total (epsilon : R) : 0 <= epsilon -> (0 < k)%N ->
  mechanism_dp (expR epsilon) 0 (@replaced R n d) (deflation (epsilon / k%:R / 2%:R)).
Proof.
move=> e0 k0; have -> : expR epsilon = expR (epsilon / k%:R) ^+ k.
  have sum j (t : R) : expR t ^+ j = expR (t *+ j).
    by elim: j => [|j IH]; rewrite ?expr0 ?mulr0n ?expR0 // exprS mulrS expRD IH.
  by rewrite sum -(mulr_natr (epsilon / _)) divfK // pnatr_eq0 -lt0n.
by apply: deflation_private; rewrite divr_ge0 ?ler0n.
Qed.
End Exponential.

(* The hypotheses can be met, and the definitions compute. *)
Section Examples.
Variable R : realFieldType.
Local Notation release := (respond (3%:R : R) (m := 1)).

Example analyze_gauss_holds : mechanism_dp 3%:R 0 (@replaced R 2 2) (analyze_gauss (release (k := 1)) negb (n := 2)).
Proof. by apply: analyze_gauss_replaced; apply: calibrated_noise_holds; rewrite ler1n. Qed.
Example mod_sulq_holds : mechanism_dp 3%:R 0 (@replaced R 2 2) (mod_sulq (release (k := 1)) negb (n := 2)).
Proof. by apply: mod_sulq_private; apply: calibrated_noise_holds; rewrite ler1n. Qed.
Example power_method_holds : mechanism_dp (3%:R ^+ 2) 0 (@replaced R 2 2)
  (noisy_power_method (release (k := 1)) (fun=> 1%:M) (fun t : 2.-tuple bool => tnth t 0) (n := 2)).
Proof.
apply: power_method_private; last by apply: calibrated_composition_holds; rewrite ler1n.
by move=> s; rewrite /orthonormal trmx1 mulmx1.
Qed.
Example analyze_gauss_computes : analyze_gauss (respond 3%:R (m := 1) (k := 1)) negb two_rows false = 3%:R / 4%:R.
Proof. by rewrite /analyze_gauss /push (big_pred1 true) => [|[]] //; rewrite gram_computes /respond !mxE. Qed.
Example mod_sulq_computes : mod_sulq (respond 3%:R (m := 1) (k := 1)) negb two_rows false = 3%:R / 4%:R.
Proof. by rewrite /mod_sulq /push (big_pred1 true) => [|[]] //; rewrite /mean_gram gram_computes /respond !mxE. Qed.
Example products_compute : products 1 (respond 3%:R (m := 1) (k := 1)) (fun=> 1%:M) two_rows [tuple true] = 3%:R / 4%:R.
Proof. by rewrite /products /transcript big_ord1 mulmx1 gram_computes /respond !mxE. Qed.
End Examples.

(* Along the axes, with no data: every direction is as likely. *)
Example draw_direction_computes (R : realType) : draw_direction (1 : R) (@axis R 2) (0 : 'M[R]_(1, 2)) 0 = 2%:R^-1.
Proof.
have s0 c : score (0 : 'M[R]_(1, 2)) (axis c) = 0 by rewrite /score /gram trmx0 !mulmx0 dot0l.
by rewrite /draw_direction /by_weight !s0 mulr0 expR0 mul1r (eq_bigr (fun=> 1)) => [|c _]; rewrite ?sumr_const ?card_ord // s0 mulr0 expR0.
Qed.
Example deflation_holds (R : realType) : mechanism_dp (expR (1 : R)) 0 (@replaced R 2 2)
  (@deflation R _ 2 2 2 (fun=> 2%N) (fun=> 1%:M) (fun=> @axis R 2) (1 / 2%:R / 2%:R)).
Proof.
apply: (deflation_private_total (0 : 'I_2)) => // [s|s c].
  by rewrite /orthonormal trmx1 mulmx1.
exact: sqnorm_axis.
Qed.
