(* The sensitivities of liu2022's clipped gradients (Algorithm 2, Equation (7)), of the truncated mean (Algorithm 5) and of the
   score of the hyper-parameter search, with the records that reach them.

   Norms are squared. The field has square roots, because clipping divides by a norm. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import squared_norms.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Clip.
Variables (R : rcfType) (m n : nat).
Implicit Types g h : 'M[R]_(m, n).

(* clip_beta(g) = g min(1, beta / |g|); it maps 0 to 0, as 1 / 0 is 0 here. *)
Definition clip beta g := Num.min 1 (beta / Num.sqrt (sqnorm g)) *: g.

Lemma clip_norm beta g : 0 <= beta -> sqnorm (clip beta g) <= beta ^+ 2.
Proof.
move=> b0; rewrite /clip sqnormZ -{2}(sqr_sqrtr (sqnorm_ge0 g)) -exprMn.
set N := Num.sqrt _; have N0 : 0 <= N by apply: sqrtr_ge0.
have q0 : 0 <= beta / N by rewrite divr_ge0.
have min0 : 0 <= Num.min 1 (beta / N) by rewrite le_min ler01.
apply: lerXn2r; rewrite ?nnegrE ?mulr_ge0 //.
have [->|Npos] := eqVneq N 0; first by rewrite mulr0.
by rewrite -ler_pdivlMr ?lt_def ?Npos // ge_min lexx orbT.
Qed.

Lemma clip_id beta g : 0 <= beta -> sqnorm g <= beta ^+ 2 -> clip beta g = g.
Proof.
move=> b0 gb; have [g0|gpos] := eqVneq (sqnorm g) 0; first by rewrite (sqnorm_eq0 g0) /clip scaler0.
have Npos : 0 < Num.sqrt (sqnorm g) by rewrite sqrtr_gt0 lt_def gpos sqnorm_ge0.
rewrite /clip min_l ?scale1r // ler_pdivlMr // mul1r -(ger0_norm b0) -sqrtr_sqr.
by rewrite ler_wsqrtr.
Qed.

(* liu2022.local-randomiser: two clipped gradients are at most 2 beta apart, whatever the data *)
Theorem clip_sensitivity beta g h : 0 <= beta -> sqnorm (clip beta g - clip beta h) <= (2%:R * beta) ^+ 2.
Proof.
move=> b0; have -> : 2%:R * beta = beta + beta by ring.
by apply: triangleB => //; apply: clip_norm.
Qed.

End Clip.

Section PrivateOja.
Variables (R : rcfType) (d : nat).

(* Reached for every w, by the matrices beta I and - beta I. *)
Theorem clip_sensitivity_reached beta (w : 'cV[R]_d) : 0 <= beta -> sqnorm w = 1 ->
  sqnorm (clip beta (beta%:M *m w) - clip beta ((- beta)%:M *m w)) = (2%:R * beta) ^+ 2.
Proof.
move=> b0 w1; rewrite !mul_scalar_mx scaleNr.
have bw : sqnorm (beta *: w) <= beta ^+ 2 by rewrite sqnormZ w1 mulr1.
by rewrite !clip_id ?sqnormN // opprK -scalerDl sqnormZ w1; ring.
Qed.

(* For rows, A = x x^T, the gradient is (x . w) x. Twice beta is not reached, but it is the supremum: the rows a w + b u and
   a w - b u, with u orthogonal to w, come as close as one likes for small a / b. *)
Definition row_gradient (x w : 'rV[R]_d) := dot x w *: x.

Theorem clip_rows beta (w u : 'rV[R]_d) (a b : R) : 0 <= beta -> sqnorm w = 1 -> sqnorm u = 1 -> dot w u = 0 ->
  0 < a -> 0 < b -> beta ^+ 2 <= a ^+ 2 * (a ^+ 2 + b ^+ 2) ->
  sqnorm (clip beta (row_gradient (a *: w + b *: u) w) - clip beta (row_gradient (a *: w - b *: u) w)) =
  (2%:R * beta) ^+ 2 * (b ^+ 2 / (a ^+ 2 + b ^+ 2)).
Proof.
move=> b0 w1 u1 wu a0 bpos big; have uw : dot u w = 0 by rewrite dotC.
have ww : dot w w = 1 by [].
have uu : dot u u = 1 by [].
pose S := a ^+ 2 + b ^+ 2; have S0 : 0 < S by rewrite ltr_wpDr ?sqr_ge0 ?exprn_gt0.
have norm (t : R) : t ^+ 2 = b ^+ 2 -> clip beta (row_gradient (a *: w + t *: u) w) = (beta / Num.sqrt S) *: (a *: w + t *: u).
  move=> t2; have -> : row_gradient (a *: w + t *: u) w = a *: (a *: w + t *: u).
    by rewrite /row_gradient dotDl !dotZl ww uw mulr1 mulr0 addr0.
  have nS : sqnorm (a *: (a *: w + t *: u)) = a ^+ 2 * S.
    by rewrite sqnormZ sqnormD !sqnormZ dotZl dotZr w1 u1 wu t2 /S; ring.
  rewrite /clip nS sqrtrM ?sqr_ge0 // sqrtr_sqr gtr0_norm // scalerA.
  have root0 : 0 < Num.sqrt S by rewrite sqrtr_gt0.
  rewrite min_r; first by congr (_ *: _); field; rewrite !lt0r_neq0.
  rewrite ler_pdivrMr ?mulr_gt0 // mul1r -(ger0_norm b0) -sqrtr_sqr -(gtr0_norm a0) -[`|a|]sqrtr_sqr.
  by rewrite -sqrtrM ?sqr_ge0 // ler_wsqrtr.
rewrite norm // -scaleNr norm ?sqrrN // -scalerBr opprD addrACA subrr add0r -scaleNr opprK -scalerDl !sqnormZ u1.
rewrite exprMn exprVn sqr_sqrtr ?ltW // -/S mulr1.
by field; rewrite lt0r_neq0.
Qed.
End PrivateOja.

(* Means over a batch of B records, of which one changes. *)
Section Means.
Variables (R : rcfType) (B m n : nat).
Implicit Types f : 'I_B -> 'M[R]_(m, n).

Definition mean_of f := B%:R^-1 *: (\sum_i f i).

Lemma mean_change f f' i0 : (forall i, i != i0 -> f i = f' i) -> mean_of f - mean_of f' = B%:R^-1 *: (f i0 - f' i0).
Proof.
move=> same; rewrite /mean_of -scalerBr (bigD1 i0) //= [\sum_i f' i](bigD1 i0) //=.
by rewrite (eq_bigr f' same) opprD addrACA subrr addr0.
Qed.

(* liu2022.equation-7-multiplier: the noisy mean of clipped gradients, 2 beta / B *)
Theorem clipped_mean_sensitivity beta f f' i0 : 0 <= beta -> (forall i, i != i0 -> f i = f' i) ->
  sqnorm (mean_of (fun i => clip beta (f i)) - mean_of (fun i => clip beta (f' i))) <= (2%:R * beta / B%:R) ^+ 2.
Proof.
move=> b0 same; rewrite (mean_change (i0 := i0)) => [|i ne]; last by rewrite same.
rewrite sqnormZ [2%:R * beta / _]mulrC exprMn ler_wpM2l ?sqr_ge0 //.
exact: clip_sensitivity.
Qed.

Theorem clipped_mean_sensitivity_reached beta f f' i0 (w : 'M[R]_(m, n)) : 0 <= beta -> sqnorm w = 1 ->
  (forall i, i != i0 -> f i = f' i) -> f i0 = beta *: w -> f' i0 = - (beta *: w) ->
  sqnorm (mean_of (fun i => clip beta (f i)) - mean_of (fun i => clip beta (f' i))) = (2%:R * beta / B%:R) ^+ 2.
Proof.
move=> b0 w1 same fi f'i; rewrite (mean_change (i0 := i0)) => [|i ne]; last by rewrite same.
have bw : sqnorm (beta *: w) <= beta ^+ 2 by rewrite sqnormZ w1 mulr1.
by rewrite fi f'i !clip_id ?sqnormN // opprK -scalerDl !sqnormZ w1; move: B%:R^-1 => q; ring.
Qed.
End Means.

(* The mean of gradients truncated to a box around a public point: Algorithm 5, lines 8 and 10. The box has the half side r,
   which print takes as 3 K sqrt(Lambda) log^a(B d / zeta). *)
Section Truncated.
Variables (R : rcfType) (B d : nat).
Implicit Types (g : 'M[R]_(B, d)) (g_bar : 'rV[R]_d) (r : R).

Definition truncate r (x : R) := Num.max (- r) (Num.min x r).
Definition truncated_mean r g_bar g : 'rV[R]_d := \row_j (B%:R^-1 * \sum_(i < B) truncate r (g i j - g_bar 0 j)).

Lemma truncate_bounds r x : 0 <= r -> - r <= truncate r x <= r.
Proof. by move=> r0; rewrite /truncate le_max lexx /= ge_max ge_min lexx orbT andbT ge0_cp. Qed.

Lemma truncate_distance r x y : 0 <= r -> `|truncate r x - truncate r y| <= 2%:R * r.
Proof.
move=> r0; have /andP[x1 x2] := truncate_bounds x r0; have /andP[y1 y2] := truncate_bounds y r0.
have -> : 2%:R * r = r + r by ring.
rewrite ler_norml opprD; apply/andP; split; apply: lerD => //; first by rewrite lerN2.
by rewrite lerNl.
Qed.

Lemma truncated_mean_change r g_bar g g' i0 j : (forall i, i != i0 -> row i g = row i g') ->
  (truncated_mean r g_bar g - truncated_mean r g_bar g') 0 j =
  B%:R^-1 * (truncate r (g i0 j - g_bar 0 j) - truncate r (g' i0 j - g_bar 0 j)).
Proof.
move=> same; rewrite !mxE -mulrBr; congr (_ * _).
rewrite (bigD1 i0) //= [X in _ - X](bigD1 i0) //= opprD addrACA.
rewrite [X in _ + (X - _)](eq_bigr (fun i => truncate r (g' i j - g_bar 0 j))) ?subrr ?addr0 // => i ne.
by have /rowP/(_ j) := same i ne; rewrite !mxE => ->.
Qed.

(* liu2022.appendix-e.3-sensitivity, liu2022.algorithm-5-noise: sqrt d 2 r / B *)
Theorem truncated_mean_sensitivity r g_bar g g' i0 : 0 <= r -> (forall i, i != i0 -> row i g = row i g') ->
  sqnorm (truncated_mean r g_bar g - truncated_mean r g_bar g') <= d%:R * (2%:R * r / B%:R) ^+ 2.
Proof.
move=> r0 same; rewrite sqnorm_row.
have -> : d%:R * (2%:R * r / B%:R) ^+ 2 = \sum_(j < d) (2%:R * r / B%:R) ^+ 2 by rewrite sumr_const card_ord mulr_natl.
apply: ler_sum => j _; rewrite (truncated_mean_change _ _ _ same) [2%:R * r / _]mulrC !exprMn ler_wpM2l ?sqr_ge0 //.
rewrite -[X in X <= _]real_normK ?num_real // -exprMn; apply: lerXn2r; rewrite ?nnegrE ?mulr_ge0 ?ler0n //.
exact: truncate_distance.
Qed.

(* Reached by two opposite corners of the box, or points beyond them, whatever the other records. *)
Theorem truncated_mean_sensitivity_reached r g_bar g g' i0 : 0 <= r -> (forall i, i != i0 -> row i g = row i g') ->
  (forall j, g i0 j >= g_bar 0 j + r) -> (forall j, g' i0 j <= g_bar 0 j - r) ->
  sqnorm (truncated_mean r g_bar g - truncated_mean r g_bar g') = d%:R * (2%:R * r / B%:R) ^+ 2.
Proof.
move=> r0 same up down; rewrite sqnorm_row.
have -> : d%:R * (2%:R * r / B%:R) ^+ 2 = \sum_(j < d) (2%:R * r / B%:R) ^+ 2 by rewrite sumr_const card_ord mulr_natl.
apply: eq_bigr => j _; rewrite (truncated_mean_change _ _ _ same).
have -> : truncate r (g i0 j - g_bar 0 j) = r.
  by rewrite /truncate min_r ?max_r ?ge0_cp // lerBrDl.
have -> : truncate r (g' i0 j - g_bar 0 j) = - r.
  rewrite /truncate min_l ?max_l //; first by rewrite lerBlDl.
  by rewrite lerBlDl (le_trans (down j)) // lerD2l ge0_cp.
by congr (_ ^+ 2); move: B%:R^-1 => q; ring.
Qed.
End Truncated.

(* The score of the hyper-parameter search: the mean over m held-out records of a number clipped to [0, 1]. *)
Section Search.
Variables (R : rcfType) (m : nat).
Implicit Types s : 'I_m -> R.
Definition search_score s := m%:R^-1 * \sum_i Num.max 0 (Num.min (s i) 1).

(* liu2022.search-score, the reading of the code: 1 / m *)
Theorem search_score_sensitivity s s' i0 : (forall i, i != i0 -> s i = s' i) -> `|search_score s - search_score s'| <= m%:R^-1.
Proof.
move=> same; have m0 : 0 <= m%:R^-1 :> R by rewrite invr_ge0 ler0n.
rewrite /search_score -mulrBr (bigD1 i0) //= [X in _ - X](bigD1 i0) //=.
rewrite [X in _ + X - _](eq_bigr (fun i => Num.max 0 (Num.min (s' i) 1))) => [|i ne]; last by rewrite same.
rewrite opprD addrACA subrr addr0 normrM ger0_norm // ler_piMr //.
have unit (x : R) : 0 <= Num.max 0 (Num.min x 1) <= 1 by rewrite le_max lexx ge_max ler01 ge_min lexx orbT.
have /andP[x0 x1] := unit (s i0); have /andP[y0 y1] := unit (s' i0).
rewrite ler_norml lerBrDr lerBlDr; apply/andP; split.
  by apply: le_trans x0; rewrite addrC subr_le0.
by apply: le_trans x1 _; rewrite lerDl.
Qed.

Theorem search_score_sensitivity_reached s s' i0 : (forall i, i != i0 -> s i = s' i) -> 1 <= s i0 -> s' i0 <= 0 ->
  search_score s - search_score s' = m%:R^-1.
Proof.
move=> same up down; rewrite /search_score -mulrBr (bigD1 i0) //= [X in _ - X](bigD1 i0) //=.
rewrite [X in _ + X - _](eq_bigr (fun i => Num.max 0 (Num.min (s' i) 1))) => [|i ne]; last by rewrite same.
rewrite opprD addrACA subrr addr0 [Num.min (s i0) _]min_r // [Num.max _ 1]max_r ?ler01 // [Num.max _ _]max_l ?subr0 ?mulr1 //.
by rewrite ge_min down.
Qed.
End Search.

(* The definitions compute, and the hypotheses can be met, over any field with square roots. *)
Section Computes.
Variable R : rcfType.
Example clip_computes : clip 1 (5%:R *: axis R (0 : 'I_2)) = axis R 0.
Proof.
rewrite /clip sqnormZ sqnorm_axis mulr1 sqrtr_sqr ger0_norm ?ler0n // mul1r min_r ?invf_le1 ?ler1n ?ltr0n //.
by rewrite scalerA mulVf ?scale1r // pnatr_eq0.
Qed.
Example row_gradient_computes : row_gradient (2%:R *: axis R (0 : 'I_2)) (axis R 0) = 4%:R *: axis R 0.
Proof. by rewrite /row_gradient dotZl -/(sqnorm _) sqnorm_axis mulr1 scalerA -natrM. Qed.
Example mean_of_computes : mean_of (fun i : 'I_2 => if i == 0 then 3%:R%:M else 1%:M) = 2%:R%:M :> 'M[R]_1.
Proof.
have two0 : 2%:R != 0 :> R by rewrite pnatr_eq0.
by rewrite /mean_of !big_ord_recl big_ord0 /= addr0 -raddfD scale_scalar_mx; congr _%:M; field.
Qed.
Example truncated_mean_computes : truncated_mean 1 0 (const_mx 7%:R : 'M[R]_(2, 1)) 0 0 = 1.
Proof.
have two0 : 2%:R != 0 :> R by rewrite pnatr_eq0.
rewrite mxE !big_ord_recl big_ord0 !mxE subr0 /truncate min_r ?ler1n // max_r ?ge0_cp ?ler01 //.
by field.
Qed.
Example search_score_computes : search_score (fun i : 'I_2 => if i == 0 then 5%:R else - 1) = 2%:R^-1 :> R.
Proof.
rewrite /search_score !big_ord_recl big_ord0 /= min_r ?ler1n // max_r ?ler01 // min_l ?max_l ?oppr_le0 ?ler01 ?addr0 ?mulr1 //.
by apply: le_trans ler01; rewrite oppr_le0 ler01.
Qed.
End Computes.
