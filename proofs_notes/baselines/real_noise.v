(* Analyze Gauss, MOD-SULQ and the private power method with noise that is not on a grid: what is released lies in any
   measurable space O. The hypothesis [calibrated_law] is the Gaussian mechanism for that noise. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions mathcomp_extra.
From mathcomp Require Import reals ereal interval_inference topology normedtype sequences esum exp measure numfun measurable_realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral.
From DPPCA.lib Require Import measure squared_norms adaptive_runs noisy_runs.
From DPPCA.primitives Require Import row_changes second_moment.
From DPPCA.baselines Require Import sensitivities.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section OneRelease.
Context d (O : measurableType d) (R : realType) (n p : nat) (a t : R).
Variable release : 'M[R]_p -> {measure set O -> \bar R}.
Let near D (M N : 'M[R]_p) := upper_sqnorm (M - N) <= D.

(* The eigenvectors, or whatever is computed from the noisy matrix. *)
Context d' (V : measurableType d') (eigenvectors : O -> V) (measurable_eigenvectors : measurable_fun setT eigenvectors).

(* dwork2014.algorithm-1-relation *)
Theorem analyze_gauss_indist (X X' : 'M[R]_(n, p)) : calibrated_law (near 2%:R) a t release -> replaced X X' ->
  indist a t (pushforward (release (gram X)) measurable_eigenvectors) (pushforward (release (gram X')) measurable_eigenvectors).
Proof.
case=> _ H nb; apply: indist_post_processing_function; apply: (proj1 (H _ _ _)).
exact: upper_replaced.
Qed.

(* dwork2014.algorithm-1-privacy: the row is removed, or added *)
Theorem analyze_gauss_removed_indist (X : 'M[R]_(n.+1, p)) (X' : 'M[R]_(n, p)) : calibrated_law (near 1) a t release ->
  removed X X' ->
  indist a t (pushforward (release (gram X)) measurable_eigenvectors) (pushforward (release (gram X')) measurable_eigenvectors) /\
  indist a t (pushforward (release (gram X')) measurable_eigenvectors) (pushforward (release (gram X)) measurable_eigenvectors).
Proof. by case=> _ H nb; have [H1 H2] := H _ _ (upper_removed nb); split; apply: indist_post_processing_function. Qed.

(* chaudhuri2013.theorem-1 *)
Theorem mod_sulq_indist (X X' : 'M[R]_(n, p)) : calibrated_law (near (2%:R / n%:R ^+ 2)) a t release -> replaced X X' ->
  indist a t (pushforward (release (mean_gram X)) measurable_eigenvectors)
             (pushforward (release (mean_gram X')) measurable_eigenvectors).
Proof.
case=> _ H nb; apply: indist_post_processing_function; apply: (proj1 (H _ _ _)).
exact: mod_sulq_sensitivity.
Qed.
End OneRelease.

Section PowerMethod.
Context d (O : measurableType d) d' (S : measurableType d') (R : realType) (n p k L : nat) (a t : R).
Variables (release : 'M[R]_(p, k) -> {measure set O -> \bar R}) (update : S -> O -> S) (basis : S -> 'M[R]_(p, k)).
Hypotheses (measurable_update : forall s, measurable_fun setT (update s)) (basis_orthonormal : forall s, orthonormal (basis s)).
Let near D (v w : 'M[R]_(p, k)) := sqnorm (v - w) <= D.

Definition power_step (X : 'M[R]_(n, p)) := release_step release measurable_update (fun s => gram X *m basis s).
Hypothesis power_markov : forall X, markov (power_step X).
Implicit Types X : 'M[R]_(n, p).

(* hardt2014.ppm-relation: each of the L products has the guarantee (a, t) *)
Theorem power_method_indist X X' s A : 0 <= a -> calibrated_law (near 2%:R) a t release -> replaced X X' -> measurable A ->
  (run (fun=> power_step X) L A s <= (a ^+ L)%:E * run (fun=> power_step X') L A s + (t *+ L)%:E)%E.
Proof.
move=> a0 noise nb mA.
have := @run_indist _ S R (fun=> power_step X) (fun=> power_step X') L (fun=> a) (fun=> t) A s mA
  (fun=> power_markov X) (fun=> power_markov X') (fun=> a0).
rewrite prodr_const sumr_const card_ord; apply => _ s'.
by apply: (step_private _ noise); rewrite /near -mulmxBl; apply: basis_replaced.
Qed.

(* hardt2014.ppm-relation: noise for L changes of sqrt 2 *)
Theorem power_method_composed X X' s A : calibrated_run release measurable_update (near 2%:R) L a t -> replaced X X' ->
  measurable A -> (run (fun=> power_step X) L A s <= a%:E * run (fun=> power_step X') L A s + t%:E)%E.
Proof.
move=> H nb mA; apply: (H (fun _ s => gram X *m basis s) (fun _ s => gram X' *m basis s) (fun=> power_markov X) (fun=> power_markov X')) => // _ s'.
by rewrite /near -mulmxBl; apply: basis_replaced.
Qed.
End PowerMethod.

(* The hypotheses can be met: states and outcomes are bits, a release is a biased coin. *)
Section Examples.
Variable R : realType.

Let keep (s y : bool) := y.
Let one_at_axis (s : bool) : 'M[R]_2 := 1%:M.
Let keep_measurable (s : bool) : measurable_fun setT (keep s). Proof. exact: measurable_bits. Qed.

Example power_method_holds (X X' : 'M[R]_2) s A : replaced X X' ->
  (run (fun=> power_step (@flip R) one_at_axis keep_measurable X) 2 A s <=
   (3%:R ^+ 2)%:E * run (fun=> power_step (@flip R) one_at_axis keep_measurable X') 2 A s + (0 *+ 2)%:E)%E.
Proof.
move=> nb; apply: power_method_indist => //; try exact: calibrated_law_holds.
- by move=> s'; rewrite /orthonormal trmx1 mulmx1.
- by move=> Y; apply: markov_bits => s'; apply: coin_total.
Qed.

End Examples.
