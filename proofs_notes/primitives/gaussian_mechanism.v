(* The Gaussian mechanism for vectors: its exact condition, its composition, the classical formula, and where that ends.

   gaussian s v         the law of the vector v with independent noise N(0, s^2)
   private_within D s e t   every two vectors at most D apart are (e, t)-indistinguishable after it
   Phi x                P(Z <= x) for a standard normal Z *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp
  measure.
From mathcomp Require Import measurable_realfun lebesgue_measure probability.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure squared_norms normal_line gaussian_dp gaussian_run gaussian_formulas gaussian_calibration.
From DPPCA.lib Require Import gaussian_threshold gaussian_matrix gaussian_exact gaussian_steps.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Mechanism.
Context (R : realType) (n : nat).
Implicit Types (v w : 'rV[R]_n.+1) (s D e t : R).

Definition gaussian s v := noisy predT (const_mx s) v.
Definition private_within D s e t := forall v w, sqnorm (v - w) <= D ^+ 2 -> indist (expR e) t (gaussian s v) (gaussian s w).
Definition Phi (x : R) : R := fine (normal_prob 0 1 `]-oo, x]%classic).

Lemma change_entries s v w : \sum_(ij | predT ij) (v ij.1 ij.2 - w ij.1 ij.2) ^+ 2 = sqnorm (v - w).
Proof.
rewrite -(pair_bigA _ (fun i j => (v i j - w i j) ^+ 2)) /sqnorm /dot; apply: eq_bigr => i _; apply: eq_bigr => j _.
by rewrite !mxE expr2.
Qed.

Lemma profile_Phi D e : profile D (expR e) = Phi (D / 2 - e / D) - expR e * Phi (- (D / 2) - e / D).
Proof.
by rewrite /profile /Phi expRK !lower_upper /= opprB opprD opprK [D / 2 + _]addrC opprK.
Qed.

Lemma private_within_calibrated D s e t : 0 < s -> 0 < D -> private_within D s e t <-> calibrated e t (D / s).
Proof.
move=> s0 D0; have nrm : Num.sqrt (D ^+ 2) = D by rewrite sqrtr_sqr gtr0_norm.
have D20 : 0 < D ^+ 2 by rewrite exprn_gt0.
split=> [H|cal v w close]; last by apply: (noisy_private_const s0 D20); rewrite ?nrm ?change_entries.
have := H (D *: axis R ord0) 0; rewrite subr0 sqnormZ sqnorm_axis mulr1 => /(_ (lexx _)).
apply: (iffLR (@noisy_exact R _ _ predT (const_mx s) _ _ (D / s) e t _ _ _)) => [i j||]; first by rewrite mxE.
  by rewrite divr_gt0.
rewrite expr_div_n -[in RHS](mulr1 (D ^+ 2)) -(sqnorm_axis R (ord0 : 'I_n.+1)) -sqnormZ -[X in sqnorm X]subr0
  -(change_entries s) mulr_suml.
by apply: eq_bigr => ij _; rewrite [const_mx _ _ _]mxE expr_div_n.
Qed.

(* primitives.gaussian-profile *)
Theorem gaussian_profile D s e t : 0 < s -> 0 < D -> private_within D s e t <->
  Phi (D / s / 2 - e / (D / s)) - expR e * Phi (- (D / s / 2) - e / (D / s)) <= t.
Proof. by move=> s0 D0; rewrite -profile_Phi; exact: private_within_calibrated. Qed.

(* primitives.classical-gaussian, liu2022.lemma-2.4 *)
Theorem gaussian_classical D e t : 0 < e -> e <= 1 -> 0 < t -> t < 1 -> 0 < D -> private_within D (classical_std e t D) e t.
Proof.
move=> e0 e1 t0 t1 D0; apply/private_within_calibrated => //; first exact: classical_std_gt0.
exact: classical_gaussian.
Qed.

(* primitives.classical-gaussian-range: up to one threshold, which depends on delta, and no further *)
Theorem gaussian_classical_range D t : 0 < D -> 0 < t -> t < 1 ->
  exists2 e0, 0 < e0 & forall e, 0 < e -> private_within D (classical_std e t D) e t <-> e <= e0.
Proof.
move=> D0 t0 t1; have [c0 _] := classical_factor t0 t1; have [e0 e00 H] := calibrated_threshold c0 t0 t1.
exists e0 => // e epos; have s0 := classical_std_gt0 epos t0 t1 D0; rewrite -(H e epos) private_within_calibrated //.
rewrite /classical_std (_ : D / _ = e / Num.sqrt (2 * ln (5 / 4 / t))) //.
by move: (Num.sqrt _) c0 => c c0; field; rewrite !gt_eqF.
Qed.
End Mechanism.

(* primitives.gaussian-composition: adaptive releases of matrices of any size, release i of which changes by at most mu i standard
   deviations whatever was released before; the same mu is the smallest for releases that reach it *)
Theorem gaussian_composition (R : realType) N (mu : nat -> R) : 0 < \sum_(i < N) mu i ^+ 2 ->
  (forall m n d (S : measurableType d) (s V W : nat -> S -> 'M[R]_(m, n)) (u : nat -> S * 'M[R]_(m, n) -> S) z,
     measurable_steps s -> (forall i y a b, 0 < s i y a b) -> measurable_steps V -> measurable_steps W -> measurable_steps u ->
     (forall i y, change (s i y) (V i y) (W i y) <= mu i ^+ 2) ->
     gdp (Num.sqrt (\sum_(i < N) mu i ^+ 2)) (steps s V u N z) (steps s W u N z)) /\
  forall e t, indist (expR e) t (noisy predT (const_mx 1) (\row_(i < N) mu i)) (noisy predT (const_mx 1) 0) <->
    calibrated e t (Num.sqrt (\sum_(i < N) mu i ^+ 2)).
Proof.
move=> pos; split=> [m n d S s V W u z ms s0 mV mW mu' close|e t].
  exact: (budget_gdp pos (@steps_budget R m n d S s V W u N (fun i => mu i ^+ 2) z ms s0 mV mW mu' close)).
apply: noisy_exact; first by move=> i j; rewrite mxE ltr01.
  by rewrite sqrtr_gt0.
rewrite sqr_sqrtr ?(ltW pos) // -(pair_bigA _ (fun i j => (((\row_(i < N) mu i) i j - (0 : 'rV_N) i j) / (const_mx 1 : 'rV_N) i j) ^+ 2)).
by rewrite big_ord1; apply: eq_bigr => i _; rewrite !mxE subr0 divr1.
Qed.
