(* Output perturbation: normal noise on the upper triangle of the projector of the principal subspace, for every n, d, k,
   epsilon, delta, and whatever the gap between eigenvalues is.

   is_projector k P     P is the orthogonal projector on a subspace of dimension k
   projector_bound d k  the largest squared distance of two such: 2 min(k, d - k); 2 if that is 0 *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp
  measure.
From mathcomp Require Import numfun measurable_realfun lebesgue_measure lebesgue_integral.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure squared_norms gaussian_dp gaussian_calibration gaussian_matrix.
From DPPCA.primitives Require Import row_changes triangle_noise.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Projectors.
Context (R : realFieldType) (d k : nat).
Implicit Types P Q : 'M[R]_d.

Definition is_projector P := [/\ P^T = P, P *m P = P & \tr P = k%:R].
Definition projector_bound : R := 2 * (maxn 1 (minn k (d - k)))%:R.

Lemma trace_projectors P Q : P^T = P -> P *m P = P -> Q^T = Q -> Q *m Q = Q -> 0 <= \tr (P *m Q).
Proof.
move=> sP pP sQ pQ; suff -> : \tr (P *m Q) = sqnorm (P *m Q) by exact: sqnorm_ge0.
by rewrite /sqnorm dotE trmx_mul sP sQ mulmxA -[P *m Q *m Q]mulmxA pQ [RHS]mxtrace_mulC mulmxA pP.
Qed.

(* dwork2006.projector-distance: the squared distance is at most 2 min(k, d - k) *)
Theorem projector_distance P Q : is_projector P -> is_projector Q -> sqnorm (P - Q) <= 2 * (minn k (d - k))%:R.
Proof.
move=> [sP pP tP] [sQ pQ tQ]; have pq := trace_projectors sP pP sQ pQ.
have c A : A^T = A -> A *m A = A -> (1%:M - A)^T = 1%:M - A /\ (1%:M - A) *m (1%:M - A) = 1%:M - A :> 'M[R]_d.
  move=> sA pA; split; first by rewrite linearB /= trmx1 sA.
  by rewrite mulmxBl mul1mx mulmxBr mulmx1 pA subrr subr0.
have [sP' pP'] := c P sP pP; have [sQ' pQ'] := c Q sQ pQ.
have := trace_projectors sP' pP' sQ' pQ'.
rewrite mulmxBl mul1mx mulmxBr mulmx1 !raddfB /= mxtrace1 tP tQ => pq'.
have -> : sqnorm (P - Q) = 2 * (k%:R - \tr (P *m Q)).
  rewrite sqnormB /sqnorm !dotE sP sQ pP pQ tP tQ; ring.
rewrite ler_pM2l ?ltr0n // /minn; case: ltnP => [_|kd]; first by rewrite gerBl.
have [dk|dk] := leqP k d; first by rewrite natrB //; lra.
have : (d%:R : R) < k%:R by rewrite ltr_nat.
have -> : (d - k)%N = 0%N by apply/eqP; rewrite subn_eq0 ltnW.
(* more dimensions than the space has: there is no such projector *)
have := trace_projectors sP pP sQ' pQ'; rewrite mulmxBr mulmx1 raddfB /= tP => h1.
have h2 : \tr ((1%:M - P) *m 1%:M) = sqnorm (1%:M - P).
  by rewrite /sqnorm dotE sP' pP' mulmx1.
have := sqnorm_ge0 (1%:M - P); rewrite -h2 mulmx1 raddfB /= mxtrace1 tP; lra.
Qed.
End Projectors.

Section OutputPerturbation.
Context (R : realType) (n d k : nat).
Implicit Types (s e t : R) (X : 'M[R]_(n, d)).
(* Lines 1 and 2: the projector is any function of the rows, such as that of the k leading eigenvectors of X^T X. *)
Context (projector : 'M[R]_(n, d) -> 'M[R]_d).
Hypothesis projector_rank : forall X, is_projector k (projector X).

Definition output_perturbation s X := noisy_triangle s (projector X).

(* dwork2006.output-perturbation: noise for the largest distance, by the analytic condition; X and X' need not be neighbours *)
Theorem output_perturbation_private s e t X X' : 0 < s -> calibrated e t (Num.sqrt (projector_bound R d k) / s) ->
  indist (expR e) t (output_perturbation s X) (output_perturbation s X').
Proof.
move=> s0 cal; have [[sP pP tP] [sQ pQ tQ]] := (projector_rank X, projector_rank X').
apply: (triangle_private s0 _ cal); first by rewrite mulr_gt0 ?ltr0n // leq_max.
apply: le_trans (upper_le _) _; first by rewrite linearB /= sP sQ.
apply: le_trans (projector_distance (projector_rank X) (projector_rank X')) _.
by rewrite ler_pM2l ?ltr0n // ler_nat leq_maxr.
Qed.
End OutputPerturbation.

Example is_projector_holds (R : realFieldType) : is_projector 1 (outer (axis 0 : 'rV[R]_2)).
Proof.
split; first exact: outer_sym.
  by rewrite outer_axis mul_delta_mx.
by rewrite outer_axis /mxtrace !big_ord_recl big_ord0 !mxE /= !addr0.
Qed.

(* A projector that does not depend on the rows; for a plane in the plane the bound is 2. *)
Example output_perturbation_holds (R : realType) (X X' : 'M[R]_(3, 2)) :
  let s := classical_std 1 (1 / 100) (Num.sqrt (projector_bound R 2 1)) in
  indist (expR 1) (1 / 100) (output_perturbation (fun=> outer (axis 0)) s X) (output_perturbation (fun=> outer (axis 0)) s X').
Proof.
move=> s; have r0 : 0 < Num.sqrt (projector_bound R 2 1) by rewrite sqrtr_gt0 mulr_gt0 ?ltr0n.
have [t0 t1] : 0 < 1 / 100 :> R /\ 1 / 100 < 1 :> R by split; lra.
apply: (@output_perturbation_private _ _ _ 1) => [Y||]; first exact: is_projector_holds; first exact: classical_std_gt0.
exact: classical_gaussian.
Qed.
