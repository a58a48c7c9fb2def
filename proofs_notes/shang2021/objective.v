(* shang2021: the objective and its gradients, the second moment, and formulas of the paper, as printed and as corrected. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring lra.
From DPPCA.lib Require Import squared_norms.
From DPPCA.primitives Require Import row_changes.
From DPPCA.shang2021 Require Import gradients.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Objective.
Variables (R : realFieldType) (d : nat).
Implicit Types (x y v w h : 'rV[R]_d) (a c s : R).

(* (9), times a: f_i(v) = -a (x_i . v)^2 *)
Definition loss a x v := - a * dot x v ^+ 2.
(* g is the gradient of f at v: up to what is quadratic in h, f grows by g . h *)
Definition is_gradient (f : 'rV[R]_d -> R) v g := exists q, forall h,
  f (v + h) = f v + dot g h + q h /\ forall t, q (t *: h) = t ^+ 2 * q h.

(* shang2021.algorithm-1-gradient for a = 1, shang2021.algorithm-2-gradient for a = 1/2: the gradient is -2 a x x^T v *)
Theorem loss_gradient a x v : is_gradient (loss a x) v (- (2 * a) *: (v *m outer x)).
Proof.
exists (loss a x) => h; split=> [|t].
  by rewrite /loss dotDr mul_outer !dotZl (dotC v x); ring.
by rewrite /loss dotZr; ring.
Qed.

Lemma gradient_unique f v g g' : is_gradient f v g -> is_gradient f v g' -> g = g'.
Proof.
move=> [q Hq] [p Hp]; apply/eqP; rewrite -subr_eq0; apply/eqP/sqnorm_eq0; set h := g - g'.
have e t : t * sqnorm h + t ^+ 2 * (q h - p h) = 0.
  have [e1 e2] := Hq (t *: h); have [e3 e4] := Hp (t *: h); have [_ q2] := Hq h; have [_ p2] := Hp h.
  rewrite e1 q2 p2 !dotZr in e3.
  by rewrite /sqnorm {2}/h dotDr dotNr (dotC h g) (dotC h g'); lra.
have e1 := e 1; have e2 := e (- 1); lra.
Qed.

(* Line 2 and (14) of Algorithm 2 do not have the gradient of (9) itself. *)
Theorem algorithm_2_other_gradient (i : 'I_d) :
  is_gradient (loss (1 / 2) (axis i : 'rV[R]_d)) (axis i) (- 1 *: (axis i *m outer (axis i))) /\
  ~ is_gradient (loss 1 (axis i : 'rV[R]_d)) (axis i) (- 1 *: (axis i *m outer (axis i))).
Proof.
split=> [|H]; first by have := loss_gradient (1 / 2) (axis i : 'rV[R]_d) (axis i); rewrite (_ : 2 * (1 / 2) = 1) //; field.
have := gradient_unique H (loss_gradient 1 _ _); rewrite mul_outer dot_axis1 scale1r => e.
have := congr1 (fun u : 'rV[R]_d => u 0 i) e; rewrite !mxE !eqxx /= => h; clear H e; lra.
Qed.

(* The second moment and the covariance. *)
Definition mean_row n (X : 'M[R]_(n, d)) : 'rV[R]_d := n%:R^-1 *: (\sum_i row i X).
Definition covariance n (X : 'M[R]_(n, d)) : 'M[R]_d := n%:R^-1 *: (\sum_i outer (row i X - mean_row X)).

(* shang2021.second-moment-name *)
Theorem covariance_second_moment n (X : 'M[R]_(n, d)) : (0 < n)%N ->
  covariance X = n%:R^-1 *: gram X - outer (mean_row X).
Proof.
move=> n0; have nR : n%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
set m := mean_row X; have sum (c : 'I_d) : \sum_i row i X 0 c = n%:R * m 0 c.
  by rewrite /m /mean_row mxE summxE mulrA divff // mul1r.
apply/matrixP => a b; rewrite /covariance gram_sum -/m.
have -> : (n%:R^-1 *: (\sum_i outer (row i X - m))) a b = n%:R^-1 * \sum_i (row i X 0 a - m 0 a) * (row i X 0 b - m 0 b).
  by rewrite mxE summxE; congr (_ * _); apply: eq_bigr => i _; rewrite outerE [in LHS]mxE [X in (_ + X) * _]mxE
    [X in _ * X]mxE [X in _ * (_ + X)]mxE.
have -> : (n%:R^-1 *: (\sum_i outer (row i X)) - outer m) a b =
    n%:R^-1 * (\sum_i row i X 0 a * row i X 0 b) - m 0 a * m 0 b.
  by rewrite mxE [X in X + _]mxE summxE [X in _ + X]mxE outerE; congr (_ * _ - _); apply: eq_bigr => i _; rewrite outerE.
rewrite (eq_bigr (fun i => row i X 0 a * row i X 0 b - row i X 0 a * m 0 b - m 0 a * row i X 0 b + m 0 a * m 0 b)); last first.
  by move=> i _; ring.
rewrite !big_split /= !sumrN -mulr_suml -mulr_sumr !sum sumr_const card_ord -[_ *+ n]mulr_natl.
by field.
Qed.

(* One row that is not 0: its covariance is 0, its second moment is not. *)
Theorem covariance_differs (i : 'I_d) : covariance (axis i : 'M[R]_(1, d)) = 0 /\ gram (axis i : 'M[R]_(1, d)) != 0.
Proof.
split; last first.
  by apply/eqP => /matrixP /(_ i i); rewrite /gram -/(outer (axis i)) outerE !mxE !eqxx mulr1 => /eqP; rewrite oner_eq0.
have r0 j : row j (axis i : 'M[R]_(1, d)) = axis i by apply/rowP => l; rewrite !mxE ord1.
rewrite /covariance /mean_row !big_ord1 !r0 invr1 !scale1r subrr.
by rewrite outer0.
Qed.
End Objective.

Section Blocks.
Variables (R : realFieldType) (n d k : nat).
Implicit Types (x y : 'rV[R]_d) (V : 'M[R]_(d, k)).

(* shang2021.objective-scaling: with noise c s for the factor c, changes are the same number of standard deviations *)
Theorem scaling_free c s x y V : c != 0 -> s != 0 ->
  sqnorm (gradient c x V - gradient c y V) / (c * s) ^+ 2 = sqnorm (gradient 1 x V - gradient 1 y V) / s ^+ 2.
Proof.
by move=> c0 s0; rewrite !gradient_change !sqnormZ; move: (sqnorm _) => q; field; rewrite c0 s0.
Qed.

(* shang2021.lemma-2: V and -V span the same space, and are 2 sqrt k apart *)
Theorem lemma_2_refuted V (C : R) : (0 < k)%N -> orthonormal V ->
  sqnorm (V *m V^T - (- V) *m (- V)^T) = 0 /\ C * 0 < sqnorm (V - - V).
Proof.
move=> k0 oV; rewrite linearN /= mulNmx mulmxN opprK subrr sqnorm0 mulr0; split=> //.
have sV : sqnorm V = k%:R by rewrite -sqnorm_tr /sqnorm dotE trmxK oV mxtrace1.
by rewrite opprK -mulr2n -scaler_nat sqnormZ sV mulr_gt0 ?exprn_gt0 // ltr0n.
Qed.
End Blocks.

(* shang2021.unbiased-wording: the gradient of one row is not the full gradient *)
Theorem sampled_differs (R : realFieldType) : exists (X : 'M[R]_(2, 1)) (V : 'M[R]_(1, 1)) i,
  unit_rows X /\ gradient 1 (row i X) V != full_gradient 1 (-1) X V.
Proof.
exists (\matrix_(i, j) (i == 0)%:R), 1%:M, 0; split.
  move=> i; rewrite /in_ball sqnorm_row big_ord1 !mxE; case: (i == 0); rewrite ?expr1n ?expr0n //; exact: ler01.
set X := \matrix_(i, j) _; have e1 : gradient 1 (row 0 X) 1%:M 0 0 = -1.
  by rewrite /gradient mulmx1 mxE outerE !mxE /=; ring.
have e2 : full_gradient 1 (-1) X 1%:M 0 0 = - (1 / 2).
  by rewrite /full_gradient mulmx1 mxE /gram mxE !big_ord_recl big_ord0 !mxE /=; field.
by apply/eqP => /matrixP /(_ 0 0); rewrite e1 e2; lra.
Qed.

(* shang2021.sensitive-eigenvector: the top eigenvectors, unique up to the factor, of neighbours that are orthogonal *)
Definition top_eigenvector (R : realFieldType) d (A : 'M[R]_d) (v : 'rV[R]_d) := exists2 l, v *m A = l *: v &
  forall w : 'rV[R]_d, dot (w *m A) w <= l * sqnorm w /\ (dot (w *m A) w = l * sqnorm w -> (w <= v)%MS).

Theorem sensitive_eigenvector (R : realFieldType) n d (X : 'M[R]_(n, d)) (i0 : 'I_n) (i j : 'I_d) : i != j -> X = 0 ->
  let A := gram (set_row X i0 (axis i)) in let A' := gram (set_row X i0 (axis j)) in
  [/\ replaced (set_row X i0 (axis i)) (set_row X i0 (axis j)), top_eigenvector A (axis i),
      top_eigenvector A' (axis j) & dot (axis i : 'rV[R]_d) (axis j) = 0].
Proof.
move=> ij ->; have g0 a : gram (set_row (0 : 'M[R]_(n, d)) i0 (axis a)) = outer (axis a).
  rewrite -[LHS]subr0 -(_ : gram (set_row (0 : 'M[R]_(n, d)) i0 0) = 0); first by rewrite gram_set_row outer0 subr0.
  rewrite (_ : set_row _ _ _ = 0) /gram ?trmx0 ?mul0mx //.
  by apply/matrixP => b c; rewrite !mxE; case: ifP.
have top a : top_eigenvector (outer (axis a : 'rV[R]_d)) (axis a).
  exists 1 => [|w]; first by rewrite mul_outer dot_axis1.
  rewrite mul1r mul_outer dotZl (dotC _ w) -expr2; split.
    by apply: le_trans (cauchy_schwarz w (axis a)) _; rewrite sqnorm_axis mulr1.
  move=> e; suff -> : w = dot w (axis a) *: axis a by exact: scalemx_sub.
  apply/eqP; rewrite -subr_eq0; apply/eqP/sqnorm_eq0.
  by rewrite sqnormB dotZr sqnormZ sqnorm_axis -e; ring.
move=> A A'; rewrite /A /A' !g0; split=> //; last exact: dot_axis.
by apply: replaced_set_row; rewrite ?in_ball_axis // => l; rewrite /in_ball row0 sqnorm0 ler01.
Qed.

(* Formulas. L stands for log(1/delta) > 0, e for epsilon. *)
Section Formulas.
Variable R : realFieldType.
Implicit Types (e L n T m mu G : R).

Definition order e L mu := L / ((1 - mu) * e) + 1.
(* The variance of Lemma 1, and of Theorem 3. *)
Definition lemma_1_variance e L n T mu G := 20 * T * order e L mu * G ^+ 2 / (n ^+ 2 * e * mu).
Definition theorem_3_variance e L n T m G := G ^+ 2 * T * m * L / (n * e) ^+ 2.

(* shang2021.alpha-mu-arithmetic *)
Theorem alpha_mu_arithmetic e L n T mu G : 0 < e -> 0 < L -> 0 < n -> 0 < T -> 0 < mu < 1 -> 0 < G ->
  T * (5 * order e L mu * (2 * G) ^+ 2 / (n ^+ 2 * lemma_1_variance e L n T mu G)) = mu * e /\
  L / (order e L mu - 1) = (1 - mu) * e.
Proof.
move=> e0 L0 n0 T0 /andP[m0 m1] G0; have m1' : 0 < 1 - mu by rewrite subr_gt0.
have a0 : 0 < order e L mu by rewrite addr_gt0 // divr_gt0 // mulr_gt0.
split; last by rewrite /order addrK; field; rewrite !gt_eqF.
by rewrite /lemma_1_variance; move: (order e L mu) a0 => a a0; field; rewrite !gt_eqF.
Qed.

(* shang2021.theorem-1-mu-exists *)
Theorem mu_exists e L n T : 0 < e -> 0 < L -> 0 < n -> 0 < T ->
  exists2 mu, 0 < mu < 1 & 3 / 2 <= 5 * T * order e L mu / (n ^+ 2 * e * mu).
Proof.
move=> e0 L0 n0 T0; pose mu := Num.min (1 / 2) (5 * T / (3 / 2 * (n ^+ 2 * e))).
have den : 0 < n ^+ 2 * e by rewrite mulr_gt0 // exprn_gt0.
have h32 : 0 < 3 / 2 :> R by lra.
have mu0 : 0 < mu by rewrite lt_min; apply/andP; split; [lra | rewrite divr_gt0 // mulr_gt0].
have mu1 : mu <= 1 / 2 by rewrite ge_min lexx.
exists mu; first by rewrite mu0 /=; lra.
have mu2 : mu <= 5 * T / (3 / 2 * (n ^+ 2 * e)) by rewrite ge_min lexx orbT.
have a1 : 1 <= order e L mu by rewrite lerDr divr_ge0 ?mulr_ge0 ?ltW //; lra.
rewrite ler_pdivlMr ?mulr_gt0 //; move: mu2; rewrite ler_pdivlMr; last exact: mulr_gt0.
move=> mu2.
apply: le_trans (_ : 5 * T <= _); first by lra.
by rewrite ler_peMr // mulr_ge0 // ltW.
Qed.

(* shang2021.noise-inverse-n2: n^2 times either variance does not depend on n; inside the ranges epsilon <= T / n^2 and
   epsilon <= T m / n^2 both are at least a number that does not *)
Theorem noise_inverse_n2 e L n T m mu G : 0 < e -> 0 < L -> 0 < n -> 0 < T -> 0 < m -> 0 < mu < 1 -> 0 < G ->
  [/\ n ^+ 2 * lemma_1_variance e L n T mu G = lemma_1_variance e L 1 T mu G,
      n ^+ 2 * theorem_3_variance e L n T m G = theorem_3_variance e L 1 T m G,
      e <= T / n ^+ 2 -> 20 * G ^+ 2 <= lemma_1_variance e L n T mu G &
      e <= T * m / n ^+ 2 -> G ^+ 2 * L / e <= theorem_3_variance e L n T m G].
Proof.
move=> e0 L0 n0 T0 m0 /andP[u0 u1] G0; have n2 : 0 < n ^+ 2 by rewrite exprn_gt0.
have a1 : 1 <= order e L mu by rewrite lerDr divr_ge0 ?mulr_ge0 ?ltW //; lra.
have G2 : 0 < G ^+ 2 by rewrite exprn_gt0.
split=> [||le|le].
- by rewrite /lemma_1_variance; move: (order _ _ _) => a; field; rewrite !gt_eqF.
- by rewrite /theorem_3_variance; field; rewrite !gt_eqF.
- have le' : e * n ^+ 2 <= T by rewrite -ler_pdivlMr.
  rewrite /lemma_1_variance ler_pdivlMr ?mulr_gt0 //; move: (order _ _ _) a1 => a a1.
  apply: le_trans (_ : 20 * G ^+ 2 * (e * n ^+ 2) <= _).
    by rewrite ler_pM2l ?mulr_gt0 // [leRHS]mulrC ler_piMr ?mulr_ge0 // ltW.
  apply: le_trans (_ : 20 * G ^+ 2 * T <= _); first by rewrite ler_pM2l ?mulr_gt0 //.
  rewrite [leRHS](_ : _ = 20 * G ^+ 2 * (T * a)); last by ring.
  by rewrite ler_pM2l ?mulr_gt0 // ler_peMr // ltW.
- have le' : e * n ^+ 2 <= T * m by rewrite -ler_pdivlMr.
  rewrite /theorem_3_variance ler_pdivlMr ?exprn_gt0 ?mulr_gt0 //.
  rewrite [leLHS](_ : _ = G ^+ 2 * L * (e * n ^+ 2)); last by field; rewrite gt_eqF.
  rewrite [leRHS](_ : _ = G ^+ 2 * L * (T * m)); last by ring.
  by rewrite ler_pM2l // mulr_gt0.
Qed.
End Formulas.

(* shang2021.remark-1: sqrt(kd)/(n sqrt(epsilon)) < kd/(n epsilon^2) exactly for epsilon^3 < kd *)
Theorem remark_1 (R : rcfType) (n e kd : R) : 0 < n -> 0 < e -> 0 < kd ->
  (Num.sqrt kd / (n * Num.sqrt e) < kd / (n * e ^+ 2)) = (e ^+ 3 < kd).
Proof.
move=> n0 e0 kd0; have s0 : 0 < Num.sqrt kd by rewrite sqrtr_gt0.
have t0 : 0 < Num.sqrt e by rewrite sqrtr_gt0.
have ek : kd = Num.sqrt kd ^+ 2 by rewrite sqr_sqrtr // ltW.
have ee : e = Num.sqrt e ^+ 2 by rewrite sqr_sqrtr // ltW.
rewrite ltr_pdivrMr ?mulr_gt0 // mulrAC ltr_pdivlMr ?mulr_gt0 ?exprn_gt0 //.
move: (Num.sqrt kd) (Num.sqrt e) s0 t0 ek ee => s t s0 t0 -> ->.
rewrite (_ : s * (n * (t ^+ 2) ^+ 2) = s * n * t * t ^+ 3); last by ring.
rewrite (_ : s ^+ 2 * (n * t) = s * n * t * s); last by ring.
rewrite ltr_pM2l ?mulr_gt0 // (_ : (t ^+ 2) ^+ 3 = (t ^+ 3) ^+ 2); last by ring.
by rewrite ltr_pXn2r ?nnegrE ?exprn_ge0 // ltW.
Qed.

Example formulas_example : [/\ order 1 1 (1 / 2) = 3 :> rat, lemma_1_variance 1 1 1 1 (1 / 2) 1 = 120 :> rat &
  theorem_3_variance 1 1 1 1 1 1 = 1 :> rat].
Proof. by []. Qed.
Example mean_row_computes : mean_row (1%:M : 'M[rat]_1) = 1%:M.
Proof. by rewrite /mean_row big_ord1 invr1 scale1r; apply/rowP => i; rewrite !mxE !ord1. Qed.
Example loss_example (R : realFieldType) (v : 'rV[R]_2) : loss 1 0 v = 0 /\ is_gradient (loss 1 0) v (- (2 * 1) *: (v *m outer 0)).
Proof. by split; [rewrite /loss dot0l expr0n mulr0 | exact: loss_gradient]. Qed.
Example covariance_example (R : realFieldType) : covariance (axis 0 : 'M[R]_(1, 2)) = 0.
Proof. by have [] := covariance_differs R (0 : 'I_2). Qed.
Example top_eigenvector_example (R : realFieldType) : top_eigenvector (1%:M : 'M[R]_1) (1%:M : 'rV[R]_1).
Proof. by exists 1 => [|w]; rewrite mulmx1 ?scale1r ?mul1r //; split=> // _; exact: submx1. Qed.
