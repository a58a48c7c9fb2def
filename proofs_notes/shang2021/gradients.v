(* The sensitivities of the noisy gradients of shang2021 (Algorithms 1 and 2, with their block forms) and the identities of
   the paper that need no probability.

   c is the factor of the gradient, s = 1 or -1 the sign of the full gradient in Algorithm 2 (1 in print, -1 corrected).
   [at_most D b]: no product D V with orthonormal V has a squared norm above b; row changes have b = 2, and b = 1 for k = 1. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import squared_norms.
From DPPCA.primitives Require Import row_changes.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Gradients.
Variables (R : realFieldType) (n d k : nat).
Implicit Types (x y : 'rV[R]_d) (V W : 'M[R]_(d, k)) (X : 'M[R]_(n, d)) (c s : R).

(* grad f_i(V) = -c x_i x_i^T V. *)
Definition gradient c x V : 'M[R]_(d, k) := - c *: (outer x *m V).
(* The full gradient of Algorithm 2, line 2. *)
Definition full_gradient c s X W : 'M[R]_(d, k) := (s * c / n%:R) *: (gram X *m W).
(* The release of Algorithm 2, line 6, without its noise, when row i is drawn. *)
Definition reduced_gradient c s X i V W : 'M[R]_(d, k) :=
  gradient c (row i X) V - gradient c (row i X) W + full_gradient c s X W.

Lemma gradient_change c x y V : gradient c x V - gradient c y V = - c *: ((outer x - outer y) *m V).
Proof. by rewrite /gradient -scalerBr mulmxBl. Qed.

(* shang2021.lipschitz-value, the value of G: the largest gradient over orthonormal V, squared *)
Lemma gradient_norm c x V : in_ball x -> orthonormal V -> sqnorm (gradient c x V) <= c ^+ 2.
Proof.
move=> xb oV; rewrite sqnormZ sqrrN ler_piMr ?sqr_ge0 //.
by apply: le_trans (bessel _ oV) _; apply: outer_le1.
Qed.

(* shang2021.block-noise: c sqrt 2 for every k *)
Theorem gradient_sensitivity c x y V : in_ball x -> in_ball y -> orthonormal V ->
  sqnorm (gradient c x V - gradient c y V) <= c ^+ 2 * 2%:R.
Proof.
move=> xb yb oV; rewrite gradient_change sqnormZ sqrrN ler_wpM2l ?sqr_ge0 //.
by apply: le_trans (bessel _ oV) _; apply: change_le2.
Qed.

Theorem gradient_sensitivity_reached c (i j : 'I_d) : (k <= d)%N -> i != j -> (i < k)%N -> (j < k)%N ->
  sqnorm (gradient c (axis i) (pid_mx k) - gradient c (axis j) (pid_mx k)) = c ^+ 2 * 2%:R.
Proof.
move=> kd ij ik jk; rewrite gradient_change sqnormZ sqrrN; congr (_ * _).
by rewrite -(gram_set_row (0 : 'M[R]_(1, d)) 0) basis_replaced_reached.
Qed.

(* shang2021.gradient-sensitivity: 2 G with G = c is enough *)
Theorem twice_lipschitz c x y V : in_ball x -> in_ball y -> orthonormal V ->
  sqnorm (gradient c x V - gradient c y V) <= (2%:R * c) ^+ 2.
Proof.
move=> xb yb oV; apply: le_trans (gradient_sensitivity c xb yb oV) _.
by rewrite exprMn [leRHS]mulrC ler_wpM2l ?sqr_ge0 // -natrX ler_nat.
Qed.

(* The sum of two matrices with coefficients, in squared norms. *)
Lemma combination m p (A B : 'M[R]_(m, p)) a b M : sqnorm A <= M -> sqnorm B <= M -> 0 <= a -> 0 <= b ->
  sqnorm (a *: A - b *: B) <= (a + b) ^+ 2 * M.
Proof.
move=> AM BM a0 b0; have M0 : 0 <= M by apply: le_trans (sqnorm_ge0 A) AM.
have dM : - dot A B <= M.
  have [//|gt] := leP (- dot A B) M.
  have := cauchy_schwarz A B; rewrite leNgt => /negP[].
  apply: le_lt_trans (_ : M ^+ 2 < _); first by rewrite expr2; apply: ler_pM; rewrite ?sqnorm_ge0.
  by rewrite -[X in _ < X]sqrrN ltr_pXn2r ?nnegrE // ltW // (le_lt_trans M0 gt).
rewrite sqnormB !sqnormZ dotZl dotZr.
rewrite [X in X <= _](_ : _ = a ^+ 2 * sqnorm A + 2%:R * a * b * (- dot A B) + b ^+ 2 * sqnorm B); last by ring.
rewrite [X in _ <= X](_ : _ = a ^+ 2 * M + 2%:R * a * b * M + b ^+ 2 * M); last by ring.
by apply: lerD; [apply: lerD|]; apply: ler_wpM2l; rewrite ?sqr_ge0 // !mulr_ge0 ?ler0n.
Qed.

(* shang2021.algorithm-2-first-step: the first gradient of an epoch does not depend on the index *)
Theorem first_step c s X i W : reduced_gradient c s X i W W = full_gradient c s X W.
Proof. by rewrite /reduced_gradient subrr add0r. Qed.

(* shang2021.equation-14: lines 6 and 7 with the corrected sign and c = 1, and noise z *)
Theorem equation_14 X i V W (z : 'M[R]_(d, k)) (eta : R) : let A := n%:R^-1 *: gram X in
  V - eta *: (reduced_gradient 1 (-1) X i V W + z) =
  (V + eta *: (A *m V)) + eta *: ((outer (row i X) - A) *m (V - W)) - eta *: z.
Proof.
rewrite /reduced_gradient /gradient /full_gradient /= mulmxBl !mulmxBr -!scalemxAl.
move: (outer _ *m V) (outer _ *m W) (gram X *m V) (gram X *m W) n%:R^-1 => a b e f r.
apply/matrixP => p q; rewrite !mxE; move: (V p q) (z p q) (a p q) (b p q) (e p q) (f p q) => v z' a' b' e' f'.
ring.
Qed.

End Gradients.

(* shang2021.unbiased: the mean over the rows is the gradient of the mean *)
Theorem unbiased (R : realFieldType) n d k (X : 'M[R]_(n, d)) (V : 'M[R]_(d, k)) c :
  n%:R^-1 *: (\sum_i gradient c (row i X) V) = full_gradient c (-1) X V.
Proof.
rewrite /gradient /full_gradient gram_sum mulmx_suml -scaler_sumr !scalerA; congr (_ *: _).
by ring.
Qed.

Section Algorithm2.
Variables (R : realFieldType) (n d k : nat).
Hypothesis n_pos : (0 < n)%N.
Implicit Types (V W : 'M[R]_(d, k)) (X : 'M[R]_(n, d)) (c s : R).

Lemma reduced_change_other c s X X' i i0 V W : (forall i, i != i0 -> row i X = row i X') -> i != i0 ->
  reduced_gradient c s X i V W - reduced_gradient c s X' i V W = (s * c / n%:R) *: ((gram X - gram X') *m W).
Proof.
move=> same ne; rewrite /reduced_gradient same // /full_gradient mulmxBl scalerBr.
by rewrite opprD addrACA subrr add0r.
Qed.

Lemma reduced_change_own c s X X' i0 V W : (forall i, i != i0 -> row i X = row i X') ->
  let E := gram X - gram X' in
  reduced_gradient c s X i0 V W - reduced_gradient c s X' i0 V W = - c *: (E *m V - (1 + s / n%:R) *: (E *m W)).
Proof.
move=> same E; rewrite /reduced_gradient /full_gradient /gradient.
have EV (U : 'M[R]_(d, k)) : E *m U = outer (row i0 X) *m U - outer (row i0 X') *m U.
  by rewrite /E (gram_replaced same) mulmxBl.
have EW : gram X *m W = E *m W + gram X' *m W by rewrite -mulmxDl subrK.
rewrite EW EV EV; move: (outer (row i0 X) *m V) (outer (row i0 X') *m V) => a a'.
move: (outer (row i0 X) *m W) (outer (row i0 X') *m W) (gram X' *m W) => e e' g.
apply/matrixP => p q; rewrite !mxE.
move: (a p q) (a' p q) (e p q) (e' p q) (g p q) n%:R^-1 => ? ? ? ? ? ?.
ring.
Qed.

Lemma factor_ge0 s : `|s| <= 1 -> 0 <= 1 + s / n%:R.
Proof.
move=> s1; rewrite -lerBlDl sub0r ler_pdivlMr ?ltr0n // mulN1r.
have n1 : 1 <= n%:R :> R by rewrite ler1n.
by move: s1; rewrite ler_norml => /andP[s1 _]; apply: le_trans s1; rewrite lerN2.
Qed.

(* A bound b on the squared change of X^T X V: b = 2 for every k (basis_replaced), b = 1 for k = 1 (basis1_replaced). *)
Variable b : R.
Hypothesis change_bound : forall X X' V, replaced X X' -> orthonormal V -> sqnorm ((gram X - gram X') *m V) <= b.

(* shang2021.algorithm-2-sensitivity: with the row's own index, c (2 + s / n) times the change of X^T X V *)
Theorem reduced_gradient_own c s X X' i V W : replaced X X' -> (forall j, j != i -> row j X = row j X') -> `|s| <= 1 ->
  orthonormal V -> orthonormal W ->
  sqnorm (reduced_gradient c s X i V W - reduced_gradient c s X' i V W) <= c ^+ 2 * (2%:R + s / n%:R) ^+ 2 * b.
Proof.
move=> nb same s1 oV oW; rewrite (reduced_change_own _ _ _ _ same) sqnormZ sqrrN -mulrA ler_wpM2l ?sqr_ge0 //.
have -> : 2%:R + s / n%:R = 1 + (1 + s / n%:R) by ring.
rewrite -[_ *m V]scale1r; apply: combination; rewrite ?change_bound ?ler01 //.
exact: factor_ge0.
Qed.

(* With another index only the full gradient moves: c / n times the change of X^T X V. *)
Theorem reduced_gradient_other c s X X' i i0 V W : replaced X X' -> (forall j, j != i0 -> row j X = row j X') ->
  i != i0 -> `|s| <= 1 -> orthonormal W ->
  sqnorm (reduced_gradient c s X i V W - reduced_gradient c s X' i V W) <= (c / n%:R) ^+ 2 * b.
Proof.
move=> nb same ne s1 oW; rewrite (reduced_change_other _ _ _ _ same ne) sqnormZ.
have b0 : 0 <= b by apply: le_trans (sqnorm_ge0 _) (change_bound nb oW).
apply: le_trans (_ : (s * c / n%:R) ^+ 2 * b <= _); first by rewrite ler_wpM2l ?sqr_ge0 ?change_bound.
have s2 : s ^+ 2 <= 1 by rewrite -real_normK ?num_real // exprn_ile1.
by rewrite -mulrA exprMn -mulrA ler_piMl // mulr_ge0 ?sqr_ge0.
Qed.

(* Reached at V = - W, by what reaches the change of X^T X V: sharp for the printed and the corrected sign. *)
Theorem reduced_gradient_reached c s X X' i W : (forall j, j != i -> row j X = row j X') ->
  sqnorm ((gram X - gram X') *m W) = b ->
  sqnorm (reduced_gradient c s X i (- W) W - reduced_gradient c s X' i (- W) W) = c ^+ 2 * (2%:R + s / n%:R) ^+ 2 * b.
Proof.
move=> same eb; rewrite (reduced_change_own _ _ _ _ same) sqnormZ sqrrN -mulrA; congr (_ * _).
rewrite mulmxN -[- (_ *m W)]scaleN1r -scalerBl sqnormZ eb; congr (_ * _).
by rewrite -sqrrN; congr (_ ^+ 2); ring.
Qed.
End Algorithm2.

(* shang2021.block-noise, k = 1: c *)
Theorem gradient_sensitivity1 (R : realFieldType) d c (x y : 'rV[R]_d) (V : 'M[R]_(d, 1)) : in_ball x -> in_ball y ->
  orthonormal V -> sqnorm (gradient c x V - gradient c y V) <= c ^+ 2.
Proof.
move=> xb yb oV; rewrite gradient_change sqnormZ sqrrN ler_piMr ?sqr_ge0 //.
have -> : outer x - outer y = gram (\matrix_(i < 1) x) - gram (\matrix_(i < 1) y) by rewrite !gram_sum !big_ord1 !rowK.
apply: basis1_replaced => //; split; try by move=> i; rewrite rowK.
by exists 0 => i; rewrite ord1 eqxx.
Qed.

Theorem gradient_sensitivity1_reached (R : realFieldType) d c (i : 'I_d) :
  sqnorm (gradient c (axis i) (axis i)^T - gradient c 0 (axis i)^T) = c ^+ 2 :> R.
Proof.
rewrite gradient_change sqnormZ sqrrN -(gram_set_row (0 : 'M[R]_(1, d)) 0) basis1_replaced_reached.
by rewrite mulr1.
Qed.

(* The constants of Algorithm 2: k >= 2, and k = 1. *)
Section Constants.
Variables (R : realFieldType) (n d : nat).
Hypothesis n_pos : (0 < n)%N.
Variables (X X' : 'M[R]_(n, d)) (i : 'I_n) (c s : R).
Hypotheses (nb : replaced X X') (same : forall j, j != i -> row j X = row j X') (s1 : `|s| <= 1).

(* shang2021.algorithm-2-sensitivity, k >= 2 *)
Theorem reduced_gradient_sensitivity k (V W : 'M[R]_(d, k)) : orthonormal V -> orthonormal W ->
  sqnorm (reduced_gradient c s X i V W - reduced_gradient c s X' i V W) <= c ^+ 2 * (2%:R + s / n%:R) ^+ 2 * 2%:R.
Proof. by move=> oV oW; apply: reduced_gradient_own => //; move=> *; apply: basis_replaced. Qed.

(* shang2021.algorithm-2-sensitivity, k = 1 *)
Theorem reduced_gradient_sensitivity1 (V W : 'M[R]_(d, 1)) : orthonormal V -> orthonormal W ->
  sqnorm (reduced_gradient c s X i V W - reduced_gradient c s X' i V W) <= c ^+ 2 * (2%:R + s / n%:R) ^+ 2.
Proof.
move=> oV oW; rewrite -[leRHS]mulr1; apply: reduced_gradient_own => //.
by move=> *; apply: basis1_replaced.
Qed.
End Constants.

(* shang2021.algorithm-2-sensitivity: both constants are reached, whatever the other rows *)
Theorem reduced_gradient_sensitivity_reached (R : realFieldType) n d k (X : 'M[R]_(n, d)) i (a b : 'I_d) c s :
  (k <= d)%N -> a != b -> (a < k)%N -> (b < k)%N ->
  let X1 := set_row X i (axis a) in let X2 := set_row X i (axis b) in let W : 'M[R]_(d, k) := pid_mx k in
  sqnorm (reduced_gradient c s X1 i (- W) W - reduced_gradient c s X2 i (- W) W) = c ^+ 2 * (2%:R + s / n%:R) ^+ 2 * 2%:R.
Proof.
move=> kd ab ak bk X1 X2 W; apply: reduced_gradient_reached; last exact: basis_replaced_reached.
by move=> j ji; rewrite !row_set_row_other.
Qed.

Theorem reduced_gradient_sensitivity1_reached (R : realFieldType) n d (X : 'M[R]_(n, d)) i (a : 'I_d) c s :
  let X1 := set_row X i (axis a) in let X2 := set_row X i 0 in let W := (axis a)^T in
  sqnorm (reduced_gradient c s X1 i (- W) W - reduced_gradient c s X2 i (- W) W) = c ^+ 2 * (2%:R + s / n%:R) ^+ 2.
Proof.
rewrite /= -[RHS]mulr1; apply: reduced_gradient_reached; last exact: basis1_replaced_reached.
by move=> j ji; rewrite !row_set_row_other.
Qed.

(* shang2021.algorithm-2-sensitivity, the whole claim; s = 1 is the sign as printed, s = -1 the corrected one: every gradient
   moves, by up to c / n, with the row's own index by up to c (2 + s / n), times sqrt 2 unless k = 1 (below squared); one
   pair, whatever the other rows, reaches both. *)
Definition most_change (R : realFieldType) n (k : nat) (c s : R) (own : bool) : R :=
  (if own then c ^+ 2 * (2%:R + s / n%:R) ^+ 2 else (c / n%:R) ^+ 2) * (if k == 1%N then 1 else 2%:R).

Theorem algorithm_2_sensitivity (R : realFieldType) n d k (c s : R) : (0 < n)%N -> s ^+ 2 = 1 ->
  [/\ forall (X X' : 'M[R]_(n, d)) i0 i (V W : 'M[R]_(d, k)), replaced X X' -> (forall j, j != i0 -> row j X = row j X') ->
       orthonormal V -> orthonormal W ->
       sqnorm (reduced_gradient c s X i V W - reduced_gradient c s X' i V W) <= most_change n k c s (i == i0) &
     (0 < k <= d)%N -> forall (X : 'M[R]_(n, d)) i0, unit_rows X -> exists x y (V W : 'M[R]_(d, k)),
       [/\ replaced (set_row X i0 x) (set_row X i0 y), orthonormal V, orthonormal W & forall i,
         sqnorm (reduced_gradient c s (set_row X i0 x) i V W - reduced_gradient c s (set_row X i0 y) i V W) =
         most_change n k c s (i == i0)]].
Proof.
move=> n0 s2; rewrite /most_change; set B := if k == 1%N then 1 else 2%:R; have s1 : `|s| <= 1.
  by rewrite -(@ler_pXn2r _ 2) ?nnegrE // real_normK ?num_real // s2 expr1n.
have bound (X X' : 'M[R]_(n, d)) (V : 'M[R]_(d, k)) : replaced X X' -> orthonormal V -> sqnorm ((gram X - gram X') *m V) <= B.
  rewrite /B; case: (eqVneq k 1%N) => [k1|_]; last exact: basis_replaced.
  by move: V; rewrite k1 => V; apply: basis1_replaced.
split=> [X X' i0 i V W nb same oV oW|/andP[k0 kd] X i0 uX].
  case: (eqVneq i i0) => [->|ne]; first exact: (reduced_gradient_own n0 bound).
  exact: (reduced_gradient_other bound c V nb same ne s1 oW).
suff [x [y [W [xb yb oW eB]]]] : exists x y (W : 'M[R]_(d, k)), [/\ in_ball x, in_ball y, orthonormal W &
    sqnorm ((gram (set_row X i0 x) - gram (set_row X i0 y)) *m W) = B].
  have same j : j != i0 -> row j (set_row X i0 x) = row j (set_row X i0 y) by move=> ji; rewrite !row_set_row_other.
  exists x, y, (- W), W; split=> //; first exact: replaced_set_row.
    by rewrite /orthonormal (_ : (- W)^T = - W^T) ?mulNmx ?mulmxN ?opprK //; apply/matrixP => a b; rewrite !mxE.
  move=> i; case: (eqVneq i i0) => [->|ne]; first exact: reduced_gradient_reached.
  by rewrite (reduced_change_other _ _ _ _ same ne) sqnormZ eB -mulrA exprMn s2 mul1r.
have d0 : (0 < d)%N by apply: leq_trans kd.
rewrite /B; case: (eqVneq k 1%N) => [k1|k1].
  rewrite k1; exists (axis (Ordinal d0)), 0, (axis (Ordinal d0))^T; split; rewrite ?basis1_replaced_reached //.
  - exact: in_ball_axis.
  - exact: in_ball0.
  - by rewrite /orthonormal trmxK [LHS]mx11_scalar; congr _%:M; rewrite -[RHS](sqnorm_axis R (Ordinal d0)) /sqnorm dotE /mxtrace big_ord1.
have k2 : (1 < k)%N by rewrite ltn_neqAle eq_sym k1.
have d1 : (1 < d)%N by apply: leq_trans kd.
exists (axis (Ordinal d0)), (axis (Ordinal d1)), (pid_mx k); split; first exact: in_ball_axis.
- exact: in_ball_axis.
- exact: first_columns_orthonormal.
- exact: basis_replaced_reached.
Qed.

(* The definitions compute, and the hypotheses can be met. *)
Example gradient_computes : gradient 2%:R (axis 0) (1%:M : 'M[rat]_2) 0 0 = - 2%:R.
Proof. by rewrite /gradient mulmx1 mxE outer_axis !mxE. Qed.
Example full_gradient_computes : full_gradient 1 (-1) two_rows (1%:M : 'M[rat]_2) 0 0 = - 2%:R^-1.
Proof. by rewrite /full_gradient mulmx1 gram_computes !mxE. Qed.
Example most_change_computes : most_change 2 1 2%:R (-1) true = 9%:R :> rat /\ most_change 2 3 2%:R (-1) false = 2%:R :> rat.
Proof. by split; apply/eqP. Qed.
Example reduced_gradient_computes : reduced_gradient 1 1 two_rows 0 (- 1%:M) (1%:M : 'M[rat]_2) 0 0 = 2%:R + 2%:R^-1.
Proof. by rewrite /reduced_gradient /gradient /full_gradient mulmxN !mulmx1 gram_computes rowK eqxx outer_axis !mxE. Qed.
Example sensitivity_holds : sqnorm (reduced_gradient 1 1 (set_row two_rows 1 (axis 0)) 1 1%:M (1%:M : 'M[rat]_2)
    - reduced_gradient 1 1 (set_row two_rows 1 (axis 1)) 1 1%:M 1%:M) <= 1 ^+ 2 * (2%:R + 1 / 2%:R) ^+ 2 * 2%:R.
Proof.
apply: reduced_gradient_sensitivity; rewrite ?normr1 //; first exact: replaced_holds.
  by move=> j ne; rewrite !row_set_row_other.
- exact: orthonormal_holds.
- exact: orthonormal_holds.
Qed.
