(* The sensitivities of MOD-SULQ and of the private power method, and the rows that reach them. Norms are squared. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import squared_norms.
From DPPCA.primitives Require Import row_changes second_moment.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section ModSulq.
Variables (R : realFieldType) (n d : nat).
Implicit Types X : 'M[R]_(n, d).

(* chaudhuri2013.theorem-1: sqrt 2 / n, reached *)
Theorem mod_sulq_sensitivity X X' : replaced X X' -> upper_sqnorm (mean_gram X - mean_gram X') <= 2%:R / n%:R ^+ 2.
Proof.
move=> nb; rewrite -scalerBr upper_sqnormZ exprVn [leRHS]mulrC ler_wpM2l ?invr_ge0 ?sqr_ge0 //.
exact: upper_replaced.
Qed.

Theorem mod_sulq_sensitivity_reached X i0 (i j : 'I_d) : i != j ->
  upper_sqnorm (mean_gram (set_row X i0 (axis i)) - mean_gram (set_row X i0 (axis j))) = 2%:R / n%:R ^+ 2.
Proof. by move=> ij; rewrite -scalerBr upper_sqnormZ upper_replaced_reached // exprVn mulrC. Qed.
End ModSulq.

(* chaudhuri2013.theorem-1, d = 1: 1 / n, reached *)
Theorem mod_sulq_line (R : realFieldType) n (X X' : 'M[R]_(n, 1)) : replaced X X' ->
  upper_sqnorm (mean_gram X - mean_gram X') <= 1 / n%:R ^+ 2.
Proof.
move=> nb; rewrite -scalerBr upper_sqnormZ exprVn [leRHS]mulrC ler_wpM2l ?invr_ge0 ?sqr_ge0 //.
exact: upper_line_replaced.
Qed.

Theorem mod_sulq_line_reached (R : realFieldType) n (X : 'M[R]_(n, 1)) i0 :
  upper_sqnorm (mean_gram (set_row X i0 (axis 0)) - mean_gram (set_row X i0 0)) = 1 / n%:R ^+ 2.
Proof. by rewrite -scalerBr upper_sqnormZ upper_line_replaced_reached exprVn mulrC. Qed.

(* The private power method of Hardt and Price. *)
Section PowerMethod.
Variables (R : realFieldType) (d k : nat).
Implicit Types (A : 'M[R]_d) (V : 'M[R]_(d, k)).

Lemma delta_mul (i j : 'I_d) V a b : (delta_mx i j *m V) a b = (a == i)%:R * V j b.
Proof.
rewrite !mxE (bigD1 j) //= !mxE eqxx andbT big1 ?addr0 // => c cj.
by rewrite !mxE (negPf cj) andbF mul0r.
Qed.

Lemma entry_change (i j : 'I_d) c V : sqnorm ((c *: delta_mx i j) *m V) = c ^+ 2 * \sum_b V j b ^+ 2.
Proof.
rewrite -scalemxAl sqnormZ; congr (_ * _); rewrite /sqnorm /dot (bigD1 i) //= [X in _ + X]big1 ?addr0.
  by apply: eq_bigr => b _; rewrite delta_mul eqxx mul1r expr2.
by move=> a ai; apply: big1 => b _; rewrite delta_mul (negPf ai) mul0r mul0r.
Qed.

(* The source's relation: one entry of A changes by c, at most 1; m bounds the entries of the basis: sqrt k m. *)
Theorem power_method_entry (i j : 'I_d) c V m : `|c| <= 1 -> (forall a b, `|V a b| <= m) ->
  sqnorm ((c *: delta_mx i j) *m V) <= k%:R * m ^+ 2.
Proof.
move=> c1 Vm; rewrite entry_change; have c2 : c ^+ 2 <= 1 by rewrite -real_normK ?num_real // exprn_ile1.
have -> : k%:R * m ^+ 2 = \sum_(b < k) m ^+ 2 by rewrite sumr_const card_ord mulr_natl.
apply: le_trans (_ : \sum_b V j b ^+ 2 <= _).
  by rewrite ler_piMl ?c2 //; apply: sumr_ge0 => b _; apply: sqr_ge0.
apply: ler_sum => b _; rewrite -real_normK ?num_real //.
by apply: lerXn2r; rewrite ?nnegrE // (le_trans (normr_ge0 _) (Vm j b)).
Qed.

Theorem power_method_entry_reached (i j : 'I_d) V m : (forall b, V j b = m) ->
  sqnorm (delta_mx i j *m V) = k%:R * m ^+ 2.
Proof.
move=> Vm; rewrite -[delta_mx i j]scale1r entry_change expr1n mul1r.
by under eq_bigr do rewrite Vm; rewrite sumr_const card_ord mulr_natl.
Qed.
End PowerMethod.

(* hardt2014.ppm-relation: for a replaced row the largest entry bounds nothing. All entries of the basis below are 1/2, so
   the source's noise is for a squared change 1/4, and the row moves X^T X V by 1. (The bound: basis_replaced.) *)
Section FlatBasis.
Variable R : realFieldType.
Definition flat_basis : 'M[R]_(4, 1) := const_mx 2%:R^-1.

Lemma flat_basis_orthonormal : orthonormal flat_basis.
Proof.
have two0 : 2%:R != 0 :> R by rewrite pnatr_eq0.
by apply/matrixP => i j; rewrite !ord1 !mxE !big_ord_recl big_ord0 !mxE /=; field.
Qed.

Lemma flat_basis_unit : sqnorm flat_basis^T = 1.
Proof. by rewrite /sqnorm dotE trmxK flat_basis_orthonormal mxtrace1. Qed.

Theorem largest_entry_refuted n (X : 'M[R]_(n, 4)) i0 :
  let X1 := set_row X i0 flat_basis^T in let X2 := set_row X i0 0 in
  [/\ unit_rows X -> replaced X1 X2, forall a b, `|flat_basis a b| <= 2%:R^-1,
      sqnorm ((gram X1 - gram X2) *m flat_basis) = 1 & 1%:R * (2%:R^-1) ^+ 2 < 1 :> R].
Proof.
split=> [uX|a b||].
- by apply: replaced_set_row; rewrite ?in_ball0 // /in_ball flat_basis_unit.
- by rewrite mxE ger0_norm ?invr_ge0 ?ler0n.
- rewrite gram_set_row outer0 subr0 -sqnorm_tr trmx_mul outer_sym mul_outer sqnormZ -/(sqnorm _).
  by rewrite flat_basis_unit expr1n mul1r.
- by rewrite mul1r exprVn invf_lt1 ?exprn_gt0 ?ltr0n // -natrX ltr1n.
Qed.
End FlatBasis.

Example flat_basis_computes : flat_basis (rat : realFieldType) = const_mx (1 / 2%:R). Proof. by rewrite /flat_basis mul1r. Qed.
