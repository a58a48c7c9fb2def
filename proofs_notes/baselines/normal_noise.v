(* Analyze Gauss and MOD-SULQ with their normal noise, for every n, d, epsilon, delta. Both release the upper triangle of a
   second moment; the eigenvectors are a measurable function of it, by which indistinguishability is not lost (indist_image). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp
  measure.
From mathcomp Require Import measurable_realfun.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure squared_norms gaussian_dp gaussian_calibration gaussian_threshold gaussian_matrix.
From DPPCA.primitives Require Import row_changes second_moment triangle_noise triangle_noise_exact.
From DPPCA.baselines Require Import sensitivities.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section AnalyzeGauss.
Context (R : realType) (n d : nat).
Implicit Types (s e t : R) (X : 'M[R]_(n, d)).

Definition row_bound : R := if d == 1%N then 1 else 2.

Lemma row_bound_gt0 : 0 < row_bound.
Proof. by rewrite /row_bound; case: ifP; rewrite ?ltr01 ?ltr0n. Qed.

Lemma upper_change_le X X' : replaced X X' -> upper_sqnorm (gram X - gram X') <= row_bound.
Proof.
rewrite /row_bound; case: eqP => [d1|_]; last exact: upper_replaced.
by move: X X'; rewrite d1; exact: upper_line_replaced.
Qed.

Definition analyze_gauss s m (X : 'M[R]_(m, d)) := noisy_triangle s (gram X).

(* dwork2014.algorithm-1-relation: a row is replaced, noise for sqrt 2, or 1 if d = 1 *)
Theorem analyze_gauss_replaced s e t X X' : 0 < s -> calibrated e t (Num.sqrt row_bound / s) -> replaced X X' ->
  indist (expR e) t (analyze_gauss s X) (analyze_gauss s X').
Proof. by move=> s0 cal nb; apply: (triangle_private s0 row_bound_gt0 cal); exact: upper_change_le. Qed.

Lemma upper_sqnorm_sym (M N : 'M[R]_d) : upper_sqnorm (M - N) = upper_sqnorm (N - M).
Proof. by apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite !mxE -sqrrN opprB. Qed.

(* dwork2014.algorithm-1-privacy: a row is removed, or added, noise for 1 by the analytic condition *)
Theorem analyze_gauss_removed s e t (X1 : 'M[R]_(n.+1, d)) X : 0 < s -> calibrated e t (1 / s) -> removed X1 X ->
  indist (expR e) t (analyze_gauss s X1) (analyze_gauss s X) /\ indist (expR e) t (analyze_gauss s X) (analyze_gauss s X1).
Proof.
move=> s0; rewrite -{1}[1]sqrtr1 => cal nb; split; apply: (triangle_private s0 ltr01 cal); last rewrite upper_sqnorm_sym;
  exact: upper_removed.
Qed.

(* dwork2014.algorithm-1-privacy: the printed noise, for epsilon <= 1 *)
Theorem analyze_gauss_classical e t (X1 : 'M[R]_(n.+1, d)) X : 0 < e -> e <= 1 -> 0 < t -> t < 1 -> removed X1 X ->
  indist (expR e) t (analyze_gauss (classical_std e t 1) X1) (analyze_gauss (classical_std e t 1) X) /\
  indist (expR e) t (analyze_gauss (classical_std e t 1) X) (analyze_gauss (classical_std e t 1) X1).
Proof. by move=> e0 e1 t0 t1; apply: analyze_gauss_removed; [exact: classical_std_gt0 | exact: classical_gaussian]. Qed.
End AnalyzeGauss.

Section Refuted.
Context (R : realType) (n d : nat) (d1 : (0 < d)%N).

(* dwork2014.algorithm-1-privacy: as printed, for every epsilon, it is false; it holds exactly up to a threshold *)
Theorem analyze_gauss_threshold (t : R) : 0 < t -> t < 1 -> exists2 e0, 0 < e0 & forall e, 0 < e ->
  (forall (X1 : 'M[R]_(n.+1, d)) (X : 'M[R]_(n, d)), removed X1 X ->
     indist (expR e) t (analyze_gauss (classical_std e t 1) X1) (analyze_gauss (classical_std e t 1) X)) <-> e <= e0.
Proof.
move=> t0 t1; have [e0 e00 H] := classical_threshold ltr01 t0 t1.
exists e0 => // e epos; rewrite -(H e epos) sqrtr1; have s0 := classical_std_gt0 epos t0 t1 ltr01.
split=> [all|cal X1 X nb]; last by have [] := analyze_gauss_removed s0 cal nb.
case: d d1 all => // q _ all.
have u0 : unit_rows (0 : 'M[R]_(n, q.+1)) by move=> i; rewrite row0; exact: in_ball0.
have [X1 [nb apart]] := upper_removed_reached ord0 u0.
by have := iffLR (triangle_exact e t s0 ltr01 apart) (all _ _ nb); rewrite sqrtr1.
Qed.
End Refuted.

(* dwork2014.algorithm-1-relation: when a row is replaced and d >= 2, noise is enough iff it is calibrated for sqrt 2 *)
Theorem analyze_gauss_replaced_exact (R : realType) n d (s e t : R) : (0 < n)%N -> (1 < d)%N -> 0 < s ->
  (forall X X' : 'M[R]_(n, d), replaced X X' -> indist (expR e) t (analyze_gauss s X) (analyze_gauss s X')) <->
  calibrated e t (Num.sqrt 2 / s).
Proof.
move=> n0 d2 s0; have b2 : row_bound R d = 2 by rewrite /row_bound; case: eqP d2 => [->|].
split=> [all|cal X X' nb]; last by apply: analyze_gauss_replaced; rewrite ?b2.
case: d d2 b2 all => [|[|q]] // _ _ all; pose X0 : 'M[R]_(n, q.+2) := 0; pose i0 := Ordinal n0.
have u0 : unit_rows X0 by move=> i; rewrite row0; exact: in_ball0.
have := all _ _ (replaced_set_row i0 u0 (in_ball_axis _ (ord0 : 'I_q.+2)) (in_ball_axis _ (lift ord0 ord0))).
by move/(iffLR (triangle_exact e t s0 (ltr0Sn _ 1) (upper_replaced_reached X0 i0 (neq_lift _ _)))).
Qed.

Section ModSulq.
Context (R : realType) (n d : nat) (n0 : (0 < n)%N).
Implicit Types (s e t : R) (X : 'M[R]_(n, d)).

Definition mod_sulq s X := noisy_triangle s (mean_gram X).

(* chaudhuri2013.theorem-1, the corrected reading: the analytic condition for the sensitivity sqrt 2 / n, or 1 / n if d = 1 *)
Theorem mod_sulq_private s e t X X' : 0 < s -> calibrated e t (Num.sqrt (row_bound R d) / n%:R / s) -> replaced X X' ->
  indist (expR e) t (mod_sulq s X) (mod_sulq s X').
Proof.
move=> s0 cal nb; have nr : 0 < n%:R :> R by rewrite ltr0n.
have b0 : 0 < row_bound R d / n%:R ^+ 2 by rewrite divr_gt0 ?row_bound_gt0 ?exprn_gt0.
apply: (triangle_private s0 b0).
  by rewrite sqrtrM ?(ltW (row_bound_gt0 R d)) // sqrtrV ?sqr_ge0 // sqrtr_sqr gtr0_norm.
rewrite -scalerBr upper_sqnormZ exprVn mulrC ler_wpM2r ?invr_ge0 ?sqr_ge0 //.
exact: upper_change_le.
Qed.
End ModSulq.
