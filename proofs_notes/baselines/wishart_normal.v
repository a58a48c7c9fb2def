(* The Wishart mechanism with its own noise, for every n and d >= 1: X^T X / n + c G G^T, G a d by d + 1 matrix of independent
   standard normal entries, so that c G G^T has the law W_d(d + 1, c I). On the diagonal the release never shows less than
   X^T X / n, and with a positive probability hardly more: that event tells neighbours apart.

   wishart_release c X  the law of X^T X / n + c G G^T *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype exp measure.
From mathcomp Require Import sequences measurable_realfun lebesgue_measure lebesgue_integral.
From mathcomp Require Import ring.
From DPPCA.lib Require Import measure squared_norms gaussian_matrix.
From DPPCA.primitives Require Import row_changes second_moment.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section WishartNoise.
Context {R : realType} {d : nat}.
Implicit Types (c : R) (G : 'M[R]_(d, d.+1)).

(* W_d(d + 1, c I) as a function of the normal entries. *)
Definition wishart_noise c G : 'M[R]_d := c *: (G *m G^T).

Lemma wishart_noise_entry c G i j : wishart_noise c G i j = c * \sum_k G i k * G j k.
Proof. by rewrite !mxE; congr (_ * _); apply: eq_bigr => k _; rewrite mxE. Qed.

(* What is released, as a function of the normal entries, and its law. *)
Definition wishart_matrix c n (X : 'M[R]_(n, d)) G := mean_gram X + wishart_noise c G.
Definition wishart_release c n (X : 'M[R]_(n, d)) : set 'M[R]_d -> \bar R := fun B => normal_matrix (wishart_matrix c X @^-1` B).

Lemma measurable_wishart c n (X : 'M[R]_(n, d)) : measurable_fun setT (wishart_matrix c X).
Proof.
apply: measurable_matrix => i j; under eq_fun do rewrite mxE wishart_noise_entry.
apply: measurable_funD; first exact: measurable_cst.
apply: measurable_funM; first exact: measurable_cst.
by apply: (@measurable_sum _ _ R setT _ _ (fun k G => G i k * G j k)) => k; apply: measurable_funM; exact: measurable_entry.
Qed.

(* A lower bound: the probability that c times a sum of d + 1 squares of normal numbers is below 1/n *)
Theorem wishart_normal_delta n (X : 'M[R]_(n, d)) (i0 : 'I_n) (j : 'I_d) c a t : 0 <= c ->
  indist a t (wishart_release c (set_row X i0 0)) (wishart_release c (set_row X i0 (axis j))) ->
  (normal_matrix [set G : 'M[R]_(d, d.+1) | (c * (\sum_k G j k ^+ 2) < n%:R^-1)%R] <= t%:E)%E.
Proof.
move=> c0; set X0 := set_row X i0 0; set X1 := set_row X i0 (axis j).
have entry Y G : wishart_matrix c Y G j j = @mean_gram R n d Y j j + c * \sum_k G j k ^+ 2.
  by rewrite mxE wishart_noise_entry; congr (_ + _ * _); apply: eq_bigr => k _; rewrite expr2.
have gap : mean_gram X1 j j = mean_gram X0 j j + n%:R^-1.
  apply/eqP; rewrite addrC -subr_eq; apply/eqP; transitivity ((mean_gram X1 - mean_gram X0) j j); first by rewrite !mxE.
  by rewrite -scalerBr gram_set_row outer0 subr0 outer_axis !mxE !eqxx mulr1.
pose B := [set M : 'M[R]_d | M j j < mean_gram X1 j j].
have mB : measurable B.
  rewrite (_ : B = (fun M : 'M[R]_d => M j j) @^-1` `]-oo, (mean_gram X1 j j)[%classic).
    by rewrite -[X in measurable X]setTI; apply: measurable_entry.
  by apply/seteqP; split=> M /=; rewrite in_itv.
move=> /(_ B mB); rewrite /wishart_release.
have -> : wishart_matrix c X1 @^-1` B = set0.
  apply/seteqP; split=> G //=; rewrite /B /= entry ltNge lerDl mulr_ge0 //.
  by apply: sumr_ge0 => k _; exact: sqr_ge0.
have -> : wishart_matrix c X0 @^-1` B = [set G | c * (\sum_k G j k ^+ 2) < n%:R^-1].
  by apply/seteqP; split=> G; rewrite /B /= entry gap ltrD2l.
by rewrite normal_matrix_set0 mule0 add0e.
Qed.

(* jiang2016.theorem-pure: the row i0 is replaced, whatever the other rows are; no scale c > 0 makes it (epsilon, 0)-private *)
Theorem wishart_normal_not_pure n (X : 'M[R]_(n, d)) (i0 : 'I_n) (j : 'I_d) c a : 0 < c ->
  ~ indist a 0 (wishart_release c (set_row X i0 0)) (wishart_release c (set_row X i0 (axis j))).
Proof.
move=> c0 /(wishart_normal_delta (ltW c0)); apply/negP; rewrite -ltNge.
have n0 : 0 < n%:R :> R by rewrite ltr0n (leq_ltn_trans _ (ltn_ord i0)).
pose D : R := d.+1%:R; have D0 : 0 < D by rewrite ltr0n.
have h0 : 0 < (2 * n%:R * (c * D))^-1 by rewrite invr_gt0 !mulr_gt0.
have mE : measurable [set G : 'M[R]_(d, d.+1) | c * (\sum_k G j k ^+ 2) < n%:R^-1].
  rewrite (_ : [set _ | _] = (fun G : 'M[R]_(d, d.+1) => c * \sum_k G j k ^+ 2) @^-1` `]-oo, (n%:R^-1)[%classic).
    rewrite -[X in measurable X]setTI; apply: measurable_funM => //.
    apply: (@measurable_sum _ _ R setT _ _ (fun k (G : 'M[R]_(d, d.+1)) => G j k ^+ 2)) => k.
    by apply: measurable_funX; exact: measurable_entry.
  by apply/seteqP; split=> G /=; rewrite in_itv.
apply: (normal_matrix_small (b := Num.sqrt (2 * n%:R * (c * D))^-1)) => // [|G small]; first by rewrite sqrtr_gt0.
have bound : \sum_k G j k ^+ 2 <= (2 * n%:R * (c * D))^-1 * D.
  rewrite [leRHS](_ : _ = \sum_(k < d.+1) (2 * n%:R * (c * D))^-1); last by rewrite sumr_const card_ord -[RHS]mulr_natr.
  apply: ler_sum => k _; rewrite -[leRHS]sqr_sqrtr ?(ltW h0) //.
  by rewrite -[leLHS]real_normK ?num_real // ler_pXn2r ?nnegrE ?sqrtr_ge0.
rewrite /=; apply: le_lt_trans (_ : c * ((2 * n%:R * (c * D))^-1 * D) < _); first by rewrite ler_pM2l.
rewrite (_ : c * _ = n%:R^-1 / 2); last by clearbody D; field; rewrite !gt_eqF.
by rewrite ltr_pdivrMr // ltr_pMr ?invr_gt0 // ltr1n.
Qed.
End WishartNoise.

(* jiang2016.theorem-pure, refuted: for all n >= 1, d >= 1 and c > 0 there are neighbours that no epsilon covers *)
Theorem wishart_refuted (R : realType) n d (c : R) : (0 < n)%N -> (0 < d)%N -> 0 < c ->
  exists X X' : 'M[R]_(n, d), replaced X X' /\
    forall epsilon, ~ indist (expR epsilon) 0 (wishart_release c X) (wishart_release c X').
Proof.
case: n d => [|n] [|d] // _ _ c0; exists (set_row 0 0 0), (set_row 0 0 (axis 0)); split.
  by apply: replaced_set_row; [move=> i; rewrite row0; exact: in_ball0 | exact: in_ball0 | exact: in_ball_axis].
by move=> epsilon; exact: wishart_normal_not_pure.
Qed.

(* jiang2016.theorem-pure as printed: the noise W_d(d + 1, c I) with c = 3 / (2 n epsilon) *)
Corollary wishart_refuted_printed (R : realType) n d (epsilon : R) : (0 < n)%N -> (0 < d)%N -> 0 < epsilon ->
  ~ forall X X' : 'M[R]_(n, d), replaced X X' -> indist (expR epsilon) 0 (wishart_release (3 / (2 * n%:R * epsilon)) X)
      (wishart_release (3 / (2 * n%:R * epsilon)) X').
Proof.
move=> n0 d0 e0; have c0 : 0 < 3 / (2 * n%:R * epsilon) by rewrite divr_gt0 ?mulr_gt0 ?ltr0n.
by have [X [X' [nb apart]]] := wishart_refuted n0 d0 c0 => /(_ X X' nb)/apart.
Qed.

(* The definitions compute. The release is a probability; a delta of 1 is always enough. *)
Example wishart_noise_computes (R : realType) : wishart_noise 2 (const_mx 1 : 'M[R]_(1, 2)) 0 0 = 4.
Proof. by rewrite wishart_noise_entry !big_ord_recl big_ord0 !mxE; ring. Qed.
Example wishart_release_total (R : realType) n d (X : 'M[R]_(n, d)) c : wishart_release c X setT = 1%E.
Proof. exact: noisy_total. Qed.
Example wishart_indist_holds (R : realType) n d (X X' : 'M[R]_(n, d)) c : indist 0 1 (wishart_release c X) (wishart_release c X').
Proof.
move=> A mA; rewrite mul0e add0e; apply: normal_matrix_le1; rewrite -[X in measurable X]setTI; exact: measurable_wishart.
Qed.
