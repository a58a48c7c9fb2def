(* shang2021, Theorems 3 and 4: their noise is too small for the full gradient alone, and so for DP-VRPCA's noisy gradients,
   already for one epoch of one step, whose only release is the noisy full gradient. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp
  measure.
From mathcomp Require Import measurable_realfun.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure squared_norms gaussian_dp gaussian_calibration gaussian_matrix gaussian_exact.
From DPPCA.primitives Require Import row_changes too_little_noise.
From DPPCA.shang2021 Require Import gradients.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Printed.
Context (R : realType) (n d : nat) (n0 : (0 < n)%N).
Implicit Types (X : 'M[R]_(n, d)) (v : 'M[R]_(d, 1)) (e t G s : R).

(* Theorem 3's standard deviation. *)
Definition theorem_3_std G e t T m : R := G * Num.sqrt (T%:R * m%:R * ln (1 / t)) / (n%:R * e).

(* The m releases of the full gradient at v, each with its own noise of standard deviation s, one a row; G is the factor of the
   gradient, which is the largest gradient. *)
Definition full_gradients G v s m X : set 'M[R]_(m, d) -> \bar R :=
  noisy predT (const_mx s) (\matrix_(i, j) full_gradient G (-1) X v j 0).
Arguments full_gradients G v s m X : clear implicits.

(* One row, the unit vector v itself, in place of 0. *)
Let at_row (i0 : 'I_n) v : 'M[R]_(n, d) := set_row 0 i0 v^T.

Let change_full G i0 v j : sqnorm v = 1 ->
  full_gradient G (-1) (at_row i0 v) v j 0 - full_gradient G (-1) (set_row 0 i0 0) v j 0 = - G / n%:R * v j 0.
Proof.
move=> v1; have E (Y : 'M[R]_(n, d)) : full_gradient G (-1) Y v j 0 = -1 * G / n%:R * (gram Y *m v) j 0.
  by rewrite /full_gradient mxE.
rewrite !E -mulrBr mulN1r; congr (_ * _).
have -> : (gram (at_row i0 v) *m v) j 0 - (gram (set_row 0 i0 0) *m v) j 0 = ((gram (at_row i0 v) - gram (set_row 0 i0 0)) *m v) j 0.
  by rewrite mulmxBl [RHS]mxE; congr (_ + _); rewrite [RHS]mxE.
rewrite /at_row gram_set_row outer0 subr0 /outer trmxK -mulmxA [v^T *m v]mx11_scalar.
have -> : (v^T *m v) 0 0 = 1 by rewrite -v1 -sqnorm_tr sqnorm_row mxE; apply: eq_bigr => i _; rewrite !mxE expr2.
by rewrite mulmx1.
Qed.

(* shang2021.theorem-3-constant: whatever m and epsilon, the factor 1 is too small once delta is small *)
Theorem full_gradients_refuted G e v m : 0 < G -> 0 < e -> sqnorm v = 1 -> (0 < m)%N ->
  exists t, [/\ 0 < t, t < 1 & exists X X', replaced X X' /\
    ~ indist (expR e) t (full_gradients G v (theorem_3_std G e t 1 m) m X) (full_gradients G v (theorem_3_std G e t 1 m) m X')].
Proof.
move=> G0 e0 v1 m0; have k1 : 1 <= (1 : R) <= 5 / 4 by lra.
have [t [t0 t1 H]] := @too_little_noise_delta R e 1 e0 k1; exists t; split=> //.
have L0 : 0 < ln (1 / t) by rewrite ln_gt0 // ltr_pdivlMr // mul1r.
have nR : 0 < n%:R :> R by rewrite ltr0n.
have mR : 0 < m%:R :> R by rewrite ltr0n.
pose i0 : 'I_n := Ordinal n0; exists (at_row i0 v), (set_row 0 i0 0); split.
  apply: replaced_set_row; last exact: in_ball0.
    by move=> l; rewrite /in_ball row0 sqnorm0 ler01.
  by rewrite /in_ball sqnorm_tr v1.
have s0 : 0 < theorem_3_std G e t 1 m.
  by rewrite /theorem_3_std [1%:R * _]mul1r divr_gt0 ?mulr_gt0 // sqrtr_gt0 mulr_gt0.
have c0 : 0 < Num.sqrt (ln (1 / t)) by rewrite sqrtr_gt0.
have D0 : 0 < e / Num.sqrt (ln (1 / t)) by rewrite divr_gt0.
move=> bad; apply: (H _ c0); first by rewrite sqr_sqrtr // ltW.
move: bad; apply: (iffLR (@noisy_exact R _ _ predT (const_mx (theorem_3_std G e t 1 m)) _ _
  (e / Num.sqrt (ln (1 / t))) e t _ _ _)) => [i j||]; [by rewrite mxE | exact: D0 |].
have v1sum : \sum_j v j 0 ^+ 2 = 1 by rewrite -v1 -sqnorm_tr sqnorm_row; apply: eq_bigr => j _; rewrite mxE.
pose q := Num.sqrt (m%:R * ln (1 / t)); have q0 : q != 0 by rewrite gt_eqF // sqrtr_gt0 mulr_gt0.
rewrite (eq_bigr (fun ij : 'I_m * 'I_d => (e / q) ^+ 2 * v ij.2 0 ^+ 2)) => [|[i j] _]; last first.
  rewrite /= [X in (X - _) / _]mxE [X in (_ - X) / _]mxE [X in _ / X]mxE change_full // -exprMn -[LHS]sqrrN; congr (_ ^+ 2); rewrite /theorem_3_std [1%:R * _]mul1r -/q.
  by move: q (v j 0) q0 => q w q0; field; rewrite q0 !gt_eqF.
rewrite -(pair_bigA _ (fun (i : 'I_m) (j : 'I_d) => (e / q) ^+ 2 * v j 0 ^+ 2)) /=.
rewrite (eq_bigr (fun=> (e / q) ^+ 2)) => [|i _]; last by rewrite -mulr_sumr v1sum mulr1.
rewrite /q sumr_const card_ord -[_ *+ m]mulr_natl !expr_div_n !sqr_sqrtr ?mulr_ge0 ?(ltW L0) ?(ltW mR) //.
by field; rewrite !gt_eqF.
Qed.

(* shang2021.theorem-3, shang2021.theorem-4-privacy: Algorithm 2 with T = m = 1, whatever row i its step draws; epsilon is any
   positive number, as in Theorem 4, such as one below 1 / n^2, as Theorem 3 asks for *)
Definition noisy_first_gradient G (i : 'I_n) v s X : set 'M[R]_(1, d) -> \bar R :=
  noisy predT (const_mx s) (reduced_gradient G (-1) X i v v)^T.

Example first_gradient_is_full G i v s X : noisy_first_gradient G i v s X = full_gradients G v s 1 X.
Proof.
rewrite /noisy_first_gradient /full_gradients; congr noisy.
by rewrite first_step; apply/matrixP => l j; rewrite [LHS]mxE [RHS]mxE ord1.
Qed.

Theorem theorem_3_refuted G e v i : 0 < G -> 0 < e -> sqnorm v = 1 ->
  exists t, [/\ 0 < t, t < 1 & exists X X', replaced X X' /\
    ~ indist (expR e) t (noisy_first_gradient G i v (theorem_3_std G e t 1 1) X)
                        (noisy_first_gradient G i v (theorem_3_std G e t 1 1) X')].
Proof.
move=> G0 e0 v1; have [t [t0 t1 [X [X' [nb bad]]]]] := full_gradients_refuted G0 e0 v1 (ltn0Sn 0).
by exists t; split=> //; exists X, X'; rewrite !first_gradient_is_full.
Qed.
End Printed.

Example theorem_3_std_computes (R : realType) (t : R) : theorem_3_std 1 0 1 t 1 1 = 0.
Proof. by rewrite /theorem_3_std mul0r mul0r. Qed.
