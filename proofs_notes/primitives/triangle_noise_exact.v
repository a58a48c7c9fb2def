(* Normal noise on the upper triangle of a symmetric matrix, exactly, and how far the classical formula serves.

   triangle_exact       two matrices of which the upper triangles are sqrt C apart: private iff the noise is calibrated
   classical_threshold  the classical standard deviation for the sensitivity 1, where the values move by sqrt C: enough exactly
                        up to one threshold in e, for each t in (0, 1) *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp
  measure.
From mathcomp Require Import measurable_realfun.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure squared_norms gaussian_dp gaussian_calibration gaussian_threshold gaussian_matrix
  gaussian_exact.
From DPPCA.primitives Require Import row_changes triangle_noise.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Exact.
Context (R : realType) (p : nat).
Implicit Types (M N : 'M[R]_p) (s C e t : R).

Theorem triangle_exact s C e t M N : 0 < s -> 0 < C -> upper_sqnorm (M - N) = C ->
  indist (expR e) t (noisy_triangle s M) (noisy_triangle s N) <-> calibrated e t (Num.sqrt C / s).
Proof.
move=> s0 C0 apart; have r0 : 0 < Num.sqrt C by rewrite sqrtr_gt0.
apply: noisy_exact; first by move=> i j; rewrite mxE.
  by rewrite divr_gt0.
rewrite expr_div_n sqr_sqrtr ?(ltW C0) // -apart -triangle_change mulr_suml; apply: eq_bigr => ij _.
by rewrite [const_mx _ _ _]mxE expr_div_n.
Qed.
End Exact.

Theorem classical_threshold (R : realType) (C t : R) : 0 < C -> 0 < t -> t < 1 ->
  exists2 e0, 0 < e0 & forall e, 0 < e -> calibrated e t (Num.sqrt C / classical_std e t 1) <-> e <= e0.
Proof.
move=> C0 t0 t1; have [c0 _] := classical_factor t0 t1; have r0 : 0 < Num.sqrt C by rewrite sqrtr_gt0.
have [e0 e00 H] := calibrated_threshold (divr_gt0 c0 r0) t0 t1.
exists e0 => // e epos; rewrite -(H e epos) /classical_std.
suff -> : Num.sqrt C / (1 * Num.sqrt (2 * ln (5 / 4 / t)) / e) = e / (Num.sqrt (2 * ln (5 / 4 / t)) / Num.sqrt C) by [].
by move: (Num.sqrt (2 * _)) c0 (Num.sqrt C) r0 => c c0 r r0; field; rewrite !gt_eqF.
Qed.
