(* The sensitivities of the releases of wang2020, shang2021, Analyze Gauss, MOD-SULQ, the private power method and of
   liu2022, section 2.3: what each mechanism's noise has to cover, and the rows that reach it.

   Everything here follows from row_changes.v. Norms are squared. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA Require Import sensitivity.linear sensitivity.row_changes.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* In the local model the neighbours of a client are any two points x, y of the ball (wang2020.definition-1). *)
Section Wang2020.
Variables (R : realFieldType) (p : nat).
Implicit Types x y : 'rV[R]_p.

(* wang2020.algorithm-1-line-2-sensitivity: sqrt 2 *)
Theorem client_message x y : in_ball x -> in_ball y -> upper_sqnorm (outer x - outer y) <= 2%:R.
Proof. by move=> xb yb; apply: le_trans (upper_le (change_sym _ _)) _; apply: change_le2. Qed.

(* wang2020.algorithm-1-line-2-sensitivity: reached by two axes, so that the printed noise is for too small a change *)
Theorem client_message_reached (i j : 'I_p) : i != j -> upper_sqnorm (outer (axis i : 'rV[R]_p) - outer (axis j)) = 2%:R.
Proof. by move=> ij; rewrite upper_diagonal ?change_axes // => a b; apply: change_axes_diagonal. Qed.

Theorem printed_sensitivity_refuted : (1 < p)%N ->
  ~ forall x y, in_ball x -> in_ball y -> upper_sqnorm (outer x - outer y) <= 1.
Proof.
case: p => [|[|q]] // _ H; have := H (axis 0) (axis 1) (in_ball_axis _ _) (in_ball_axis _ _).
rewrite upper_diagonal; last by move=> a b; apply: change_axes_diagonal.
by rewrite change_axes // -[X in _ <= X](mulr1n 1) ler_nat.
Qed.

(* wang2020.algorithm-1-line-2-diagonal-repair: 1, reached *)
Theorem repaired_message x y : in_ball x -> in_ball y -> repaired_sqnorm (outer x - outer y) <= 1.
Proof.
move=> xb yb; rewrite -(@ler_pmul2l _ 2%:R) ?ltr0n // repaired_identity ?change_sym //.
by rewrite mulr1 change_le2.
Qed.

Theorem repaired_message_reached (i j : 'I_p) : i != j -> repaired_sqnorm (outer (axis i : 'rV[R]_p) - outer (axis j)) = 1.
Proof.
move=> ij; have two0 : 2%:R != 0 :> R by rewrite pnatr_eq0.
by apply: (mulfI two0); rewrite repaired_identity ?change_sym // change_axes // mulr1.
Qed.

(* wang2020.algorithm-1-input-norm: outside the ball no noise suffices *)
Theorem unclipped_rows (i : 'I_p) c : exists x y, upper_sqnorm (outer x - outer y) > c.
Proof.
exists ((1 + `|c|) *: axis i), 0; rewrite outer0 subr0 outerZ.
have -> : upper_sqnorm ((1 + `|c|) ^+ 2 *: outer (axis i : 'rV[R]_p)) = (1 + `|c|) ^+ 4.
  rewrite upper_diagonal => [|a b ab]; first by rewrite sqnormZ outer_axis_sqnorm mulr1 -exprM.
  by rewrite [LHS]mxE outer_axis_diagonal // mulr0.
apply: le_lt_trans (ler_norm c) _; apply: lt_le_trans (_ : 1 + `|c| <= _); first by rewrite ltr_addr ltr01.
by apply: ler_eexpr; rewrite // ler_addl.
Qed.
End Wang2020.

Theorem client_message_line (R : realFieldType) (x y : 'rV[R]_1) : in_ball x -> in_ball y ->
  upper_sqnorm (outer x - outer y) <= 1.
Proof.
move=> xb yb; pose X := \matrix_(i < 1) x; pose Y := \matrix_(i < 1) y.
have same : gram X - gram Y = outer x - outer y by rewrite !gram_sum !big_ord1 !rowK.
rewrite -same; apply: upper_line_replaced; split; try by move=> i; rewrite rowK.
by exists 0 => i; rewrite ord1 eqxx.
Qed.

Theorem client_message_line_reached (R : realFieldType) : upper_sqnorm (outer (axis 0 : 'rV[R]_1) - outer 0) = 1.
Proof.
rewrite upper_diagonal => [|i j]; last by rewrite !ord1 eqxx.
by rewrite sqnorm_line sqnorm_axis sqnorm0 subr0 expr1n.
Qed.

(* Second moments with a factor: X^T X / n, and rows of norm at most beta. *)
Section Scaled.
Variables (R : realFieldType) (n d : nat).
Implicit Types X : 'M[R]_(n, d).

Lemma upper_sqnormZ a (D : 'M[R]_d) : upper_sqnorm (a *: D) = a ^+ 2 * upper_sqnorm D.
Proof.
rewrite /upper_sqnorm mulr_sumr; apply: eq_bigr => i _; rewrite mulr_sumr; apply: eq_bigr => j _.
by rewrite mxE exprMn.
Qed.

(* The release of MOD-SULQ. *)
Definition mean_gram X : 'M[R]_d := n%:R^-1 *: gram X.

(* chaudhuri2013.theorem-1: sqrt 2 / n, reached *)
Theorem mod_sulq_sensitivity X X' : replaced X X' -> upper_sqnorm (mean_gram X - mean_gram X') <= 2%:R / n%:R ^+ 2.
Proof.
move=> nb; rewrite -scalerBr upper_sqnormZ exprVn [leRHS]mulrC ler_wpmul2l ?invr_ge0 ?sqr_ge0 //.
exact: upper_replaced.
Qed.

Theorem mod_sulq_sensitivity_reached X i0 (i j : 'I_d) : i != j ->
  upper_sqnorm (mean_gram (set_row X i0 (axis i)) - mean_gram (set_row X i0 (axis j))) = 2%:R / n%:R ^+ 2.
Proof. by move=> ij; rewrite -scalerBr upper_sqnormZ upper_replaced_reached // exprVn mulrC. Qed.

(* liu2022.section-2.3-sensitivity: for rows of norm at most beta, sqrt 2 beta^2 / n *)
Theorem radius_sensitivity X X' (beta : R) i0 : 0 < beta ->
  (forall i, sqnorm (row i X) <= beta ^+ 2) -> (forall i, sqnorm (row i X') <= beta ^+ 2) ->
  (forall i, i != i0 -> row i X = row i X') ->
  sqnorm (mean_gram X - mean_gram X') <= 2%:R * beta ^+ 4 / n%:R ^+ 2.
Proof.
move=> b0 uX uX' same; have bN : beta != 0 by rewrite lt0r_neq0.
have unit_ball (Y : 'M[R]_(n, d)) i : sqnorm (row i Y) <= beta ^+ 2 -> in_ball (beta^-1 *: row i Y).
  by move=> h; rewrite /in_ball sqnormZ exprVn mulrC ler_pdivr_mulr ?exprn_gt0 // mul1r.
rewrite -scalerBr sqnormZ exprVn mulrC ler_wpmul2r ?invr_ge0 ?sqr_ge0 // (gram_replaced same).
have -> x y : outer x - outer y = beta ^+ 2 *: (outer (beta^-1 *: x) - outer (beta^-1 *: y)) :> 'M[R]_d.
  by rewrite !outerZ -scalerBr scalerA exprVn divff ?scale1r // expf_neq0.
rewrite sqnormZ -exprM mulrC; apply: ler_wpmul2r; first by rewrite exprn_ge0 // ltW.
by apply: change_le2; apply: unit_ball.
Qed.

Theorem radius_sensitivity_reached X (beta : R) i0 (i j : 'I_d) : i != j ->
  sqnorm (mean_gram (set_row X i0 (beta *: axis i)) - mean_gram (set_row X i0 (beta *: axis j))) =
  2%:R * beta ^+ 4 / n%:R ^+ 2.
Proof.
move=> ij; rewrite -scalerBr sqnormZ gram_set_row !outerZ -scalerBr sqnormZ change_axes // exprVn -exprM.
by rewrite mulrC (mulrC (beta ^+ _)).
Qed.
End Scaled.

(* chaudhuri2013.theorem-1, d = 1: 1 / n, reached *)
Theorem mod_sulq_line (R : realFieldType) n (X X' : 'M[R]_(n, 1)) : replaced X X' ->
  upper_sqnorm (mean_gram X - mean_gram X') <= 1 / n%:R ^+ 2.
Proof.
move=> nb; rewrite -scalerBr upper_sqnormZ exprVn [leRHS]mulrC ler_wpmul2l ?invr_ge0 ?sqr_ge0 //.
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
  by rewrite ler_pimull ?c2 //; apply: sumr_ge0 => b _; apply: sqr_ge0.
apply: ler_sum => b _; rewrite -real_normK ?num_real //.
by apply: ler_expn2r; rewrite ?nnegrE // (le_trans (normr_ge0 _) (Vm j b)).
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

Example flat_basis_computes : flat_basis [realFieldType of rat] = const_mx (1 / 2%:R). Proof. by rewrite /flat_basis mul1r. Qed.
