(* wang2020: statements about formulas of the bounds, and about the message as a matrix. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp
  measure.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure squared_norms.
From DPPCA.primitives Require Import row_changes.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Formulas.
Variable R : realType.
Implicit Types (a b e t : R).

(* wang2020.theorem-3-maximum *)
Theorem maximum_and_sum a b : 0 <= a -> 0 <= b -> (a + b) / 2 <= Num.max a b <= a + b.
Proof. by move=> a0 b0; case: (leP a b) => ?; apply/andP; split; lra. Qed.

(* wang2020.remark-1-central-comparison: k p / (n epsilon^2) exceeds every multiple of k p / (n epsilon)^2 as n grows *)
Theorem central_comparison (p k : nat) e C : (0 < p)%N -> (0 < k)%N -> 0 < e ->
  exists2 n, (0 < n)%N & C * ((k * p)%:R / (n%:R ^+ 2 * e ^+ 2)) < (k * p)%:R / (n%:R * e ^+ 2).
Proof.
move=> p0 k0 e0; exists (Num.bound `|C|).+1 => //; set n := _.+1.
have n0 : 0 < n%:R :> R by rewrite ltr0n.
have Cn : C < n%:R.
  apply: le_lt_trans (ler_norm C) _; apply: lt_le_trans (archi_boundP (normr_ge0 C)) _.
  by rewrite ler_nat leqnSn.
have kp : 0 < (k * p)%:R / (n%:R ^+ 2 * e ^+ 2) :> R.
  by rewrite divr_gt0 ?mulr_gt0 ?exprn_gt0 // ltr0n muln_gt0 k0.
have -> : (k * p)%:R / (n%:R * e ^+ 2) = n%:R * ((k * p)%:R / (n%:R ^+ 2 * e ^+ 2)) by field; rewrite !gt_eqF.
by rewrite ltr_pM2r.
Qed.

(* wang2020.section-5-trivial: the right side of (2), with the eigengap at most lambda_1 *)
Theorem trivial_bound (n p k : nat) e t l gap : (0 < n)%N -> (n <= p)%N -> 0 < e -> 0 < t < 1 -> 0 < gap <= l ->
  e ^+ 2 <= ln (1 / t) -> k%:R <= l ^+ 2 * (k * p)%:R * ln (1 / t) / (gap ^+ 2 * n%:R * e ^+ 2).
Proof.
move=> n0 np e0 /andP[t0 t1] /andP[g0 gl] le; have nR : 0 < n%:R :> R by rewrite ltr0n.
have e2 : 0 < e ^+ 2 by rewrite exprn_gt0.
have l2 : gap ^+ 2 <= l ^+ 2 by apply: lerXn2r; rewrite ?nnegrE // ltW // (lt_le_trans g0).
have pn : n%:R <= p%:R :> R by rewrite ler_nat.
rewrite ler_pdivlMr ?mulr_gt0 ?exprn_gt0 // natrM.
have h1 : gap ^+ 2 * n%:R <= l ^+ 2 * p%:R by apply: ler_pM; rewrite ?sqr_ge0 // ltW.
have h2 : gap ^+ 2 * n%:R * e ^+ 2 <= l ^+ 2 * p%:R * ln (1 / t).
  by apply: ler_pM => //; rewrite ?mulr_ge0 ?sqr_ge0 // ltW.
apply: le_trans (_ : k%:R * (l ^+ 2 * p%:R * ln (1 / t)) <= _); first by rewrite ler_wpM2l.
by rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
Qed.

(* wang2020.algorithm-1-line-2-delta-domain *)
Definition printed_variance e t := 2 * ln (5 / 4 / t) / e ^+ 2.

Theorem delta_domain e : 0 < e -> [/\ forall t, 0 < t < 1 -> 0 < printed_variance e t, printed_variance e (5 / 4) = 0 &
  forall t, 5 / 4 < t -> printed_variance e t < 0].
Proof.
move=> e0; have e2 : 0 < (e ^+ 2)^-1 by rewrite invr_gt0 exprn_gt0.
split=> [t /andP[t0 t1]||t t1]; rewrite /printed_variance.
- by rewrite pmulr_lgt0 // pmulr_rgt0 // ln_gt0 // ltr_pdivlMr //; lra.
- by rewrite divff ?ln1 ?mulr0 ?mul0r //; apply/eqP; lra.
- have t0 : 0 < t by lra.
  have q0 : 0 < 5 / 4 / t by rewrite divr_gt0 //; lra.
  by rewrite pmulr_llt0 // pmulr_rlt0 // ln_lt0 // q0 /= ltr_pdivrMr // mul1r.
Qed.

Theorem delta_one d (T : measurableType d) (M N : {measure set T -> \bar R}) e : M setT = 1%E -> indist (expR e) 1 M N.
Proof.
move=> M1 A mA; apply: le_trans (_ : (1%:E <= _)%E); first by rewrite -M1; apply: le_measure; rewrite ?inE.
by rewrite leeDr // mule_ge0 // lee_fin expR_ge0.
Qed.

(* wang2020.algorithm-1-line-2-symmetry: a message is symmetric, and a draw of the noise makes it of full rank, without a
   non-negative direction, and no v^T v *)
Theorem message_symmetric p (x : 'rV[R]_p) : (1 < p)%N ->
  (forall Z : 'M[R]_p, Z^T = Z -> (outer x + Z)^T = outer x + Z) /\
  exists Z : 'M[R]_p, [/\ Z^T = Z, \rank (outer x + Z)%R = p, (forall v : 'rV[R]_p, v != 0 -> dot (v *m (outer x + Z)) v < 0) &
    forall v : 'rV[R]_p, outer x + Z != outer v].
Proof.
move=> p1; split=> [Z sZ|]; first by rewrite linearD /= sZ outer_sym.
pose Z : 'M[R]_p := - 1%:M - outer x; have e : outer x + Z = - 1%:M by rewrite addrC subrK.
have neg (v : 'rV[R]_p) : v != 0 -> dot (v *m (- 1%:M)) v < 0.
  move=> v0; rewrite mulmxN mulmx1 dotNl oppr_lt0 lt_def sqnorm_ge0 andbT; apply: contraNneq v0 => /sqnorm_eq0 ->.
  by [].
exists Z; split; first by rewrite /Z linearB linearN /= trmx1 outer_sym.
- by rewrite e mxrank_opp mxrank1.
- by move=> v v0; rewrite e; exact: neg.
move=> v; rewrite e; apply/eqP => ev; have i0 : (0 < p)%N by exact: ltn_trans p1.
pose u : 'rV[R]_p := axis (Ordinal i0); have u1 : sqnorm u = 1 by exact: sqnorm_axis.
have a0 : u != 0 by apply/eqP => e0; have := @ltr01 R; rewrite -u1 e0 sqnorm0 ltxx.
by have := neg _ a0; rewrite ev mul_outer dotZl [dot v _]dotC -expr2 ltNge sqr_ge0.
Qed.
End Formulas.

Example printed_variance_computes (R : realType) : printed_variance 1 (5 / 4) = 0 :> R.
Proof. by have [_ e _] := @delta_domain R 1 ltr01. Qed.
