(* Squared norms of matrices and vectors over an ordered field: what the sensitivities of the algorithms are measured in.

   One notion serves vectors (Euclidean norm) and matrices (Frobenius norm). Bounds on norms are stated for their
   squares, so that no square root is needed: a sensitivity sqrt 2 is a squared sensitivity 2. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Linear.
Variable R : realFieldType.

(* The sum of the products of the entries. *)
Definition dot m n (A B : 'M[R]_(m, n)) : R := \sum_i \sum_j A i j * B i j.
(* The squared Euclidean norm of a vector, the squared Frobenius norm of a matrix. *)
Definition sqnorm m n (A : 'M[R]_(m, n)) : R := dot A A.
(* The matrix of the products of the entries of a row x: x^T x, print's x x^T for a column x. *)
Definition outer d (x : 'rV[R]_d) : 'M[R]_d := x^T *m x.
(* The unit vector along axis i. *)
Definition axis d (i : 'I_d) : 'rV[R]_d := delta_mx 0 i.
(* The operator norm is at most 1. *)
Definition contraction d (W : 'M[R]_d) := forall v : 'rV_d, sqnorm (v *m W) <= sqnorm v.
(* The columns are orthonormal. *)
Definition orthonormal d k (V : 'M[R]_(d, k)) := V^T *m V = 1%:M.

Section Dot.
Variables m n : nat.
Implicit Types A B C : 'M[R]_(m, n).

Lemma dotE A B : dot A B = \tr (A *m B^T).
Proof. by rewrite /dot /mxtrace; apply: eq_bigr => i _; rewrite mxE; apply: eq_bigr => j _; rewrite mxE. Qed.

Lemma dotC A B : dot A B = dot B A.
Proof. by apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite mulrC. Qed.

Lemma dotDl A B C : dot (A + B) C = dot A C + dot B C.
Proof. by rewrite !dotE mulmxDl mxtraceD. Qed.

Lemma dotZl a A B : dot (a *: A) B = a * dot A B.
Proof. by rewrite !dotE -scalemxAl mxtraceZ. Qed.

Lemma dotNl A B : dot (- A) B = - dot A B.
Proof. by rewrite -scaleN1r dotZl mulN1r. Qed.

Lemma dotDr A B C : dot A (B + C) = dot A B + dot A C.
Proof. by rewrite dotC dotDl !(dotC A). Qed.

Lemma dotZr a A B : dot A (a *: B) = a * dot A B.
Proof. by rewrite dotC dotZl dotC. Qed.

Lemma dotNr A B : dot A (- B) = - dot A B.
Proof. by rewrite dotC dotNl dotC. Qed.

Lemma dot0l A : dot 0 A = 0.
Proof. by rewrite -(scale0r 0) dotZl mul0r. Qed.

Lemma sqnorm_ge0 A : 0 <= sqnorm A.
Proof. by apply: sumr_ge0 => i _; apply: sumr_ge0 => j _; rewrite -expr2 sqr_ge0. Qed.

Lemma sqnorm0 : sqnorm (0 : 'M_(m, n)) = 0.
Proof. exact: dot0l. Qed.

Lemma sqnorm_eq0 A : sqnorm A = 0 -> A = 0.
Proof.
move=> A0; apply/matrixP => i j; rewrite mxE; apply/eqP; rewrite -sqrf_eq0 expr2.
have row0 i' : 0 <= \sum_j A i' j * A i' j by apply: sumr_ge0 => k _; rewrite -expr2 sqr_ge0.
have /eqP := A0; rewrite psumr_eq0; last by move=> i' _.
move/allP => /(_ i (mem_index_enum _)) /= /eqP /eqP; rewrite psumr_eq0; last by move=> k _; rewrite -expr2 sqr_ge0.
by move/allP => /(_ j (mem_index_enum _)).
Qed.

Lemma sqnormN A : sqnorm (- A) = sqnorm A.
Proof. by rewrite /sqnorm dotNl dotNr opprK. Qed.

Lemma sqnormZ a A : sqnorm (a *: A) = a ^+ 2 * sqnorm A.
Proof. by rewrite /sqnorm dotZl dotZr; ring. Qed.

Lemma sqnormD A B : sqnorm (A + B) = sqnorm A + 2%:R * dot A B + sqnorm B.
Proof. by rewrite /sqnorm dotDl !dotDr (dotC B A); ring. Qed.

Lemma sqnormB A B : sqnorm (A - B) = sqnorm A - 2%:R * dot A B + sqnorm B.
Proof. by rewrite sqnormD sqnormN dotNr; ring. Qed.

Lemma sqnorm_tr A : sqnorm A^T = sqnorm A.
Proof. by rewrite /sqnorm /dot exchange_big; apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite !mxE. Qed.

(* The Cauchy-Schwarz inequality. *)
Lemma cauchy_schwarz A B : dot A B ^+ 2 <= sqnorm A * sqnorm B.
Proof.
have [B0|B0] := eqVneq (sqnorm B) 0; first by rewrite (sqnorm_eq0 B0) dotC dot0l sqnorm0 mulr0 expr0n.
have Bpos : 0 < sqnorm B by rewrite lt_def B0 sqnorm_ge0.
have := sqnorm_ge0 (sqnorm B *: A - dot A B *: B).
rewrite sqnormB !sqnormZ dotZl dotZr.
rewrite [X in 0 <= X](_ : _ = sqnorm B * (sqnorm A * sqnorm B - dot A B ^+ 2)); last by ring.
by rewrite pmulr_rge0 // subr_ge0.
Qed.

Lemma dot_le A B a b : 0 <= a -> 0 <= b -> sqnorm A <= a ^+ 2 -> sqnorm B <= b ^+ 2 -> dot A B <= a * b.
Proof.
move=> a0 b0 lea leb; have [dneg|dpos] := ltP (dot A B) 0.
  exact: le_trans (ltW dneg) (mulr_ge0 a0 b0).
rewrite -(@ler_pXn2r _ 2) ?nnegrE ?mulr_ge0 // exprMn.
by apply: le_trans (cauchy_schwarz A B) _; apply: ler_pM => //; apply: sqnorm_ge0.
Qed.

(* The triangle inequality. *)
Lemma triangle A B a b : 0 <= a -> 0 <= b -> sqnorm A <= a ^+ 2 -> sqnorm B <= b ^+ 2 -> sqnorm (A + B) <= (a + b) ^+ 2.
Proof.
move=> a0 b0 lea leb; rewrite sqnormD.
have -> : (a + b) ^+ 2 = a ^+ 2 + 2%:R * (a * b) + b ^+ 2 by ring.
by apply: lerD => //; apply: lerD => //; rewrite ler_pM2l ?ltr0n //; apply: dot_le.
Qed.

Lemma triangleB A B a b : 0 <= a -> 0 <= b -> sqnorm A <= a ^+ 2 -> sqnorm B <= b ^+ 2 -> sqnorm (A - B) <= (a + b) ^+ 2.
Proof. by move=> a0 b0 lea leb; apply: triangle; rewrite ?sqnormN. Qed.

End Dot.

Lemma dot_tr m n (A B : 'M[R]_(m, n)) : dot A^T B^T = dot A B.
Proof. by rewrite /dot exchange_big; apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite !mxE. Qed.

Lemma dot_mulmx m n p (A : 'M[R]_(m, n)) (B : 'M[R]_(n, p)) (C : 'M[R]_(m, p)) :
  dot (A *m B) C = dot A (C *m B^T).
Proof. by rewrite !dotE trmx_mul trmxK mulmxA. Qed.

Section Vectors.
Variable d : nat.
Implicit Types (x y v w : 'rV[R]_d) (D : 'M[R]_d).

Lemma dot_row x y : dot x y = \sum_i x 0 i * y 0 i.
Proof. by rewrite /dot big_ord1. Qed.

Lemma sqnorm_row x : sqnorm x = \sum_i x 0 i ^+ 2.
Proof. by rewrite /sqnorm dot_row. Qed.

Lemma sqnorm_axis (i : 'I_d) : sqnorm (axis i) = 1.
Proof.
rewrite sqnorm_row (bigD1 i) //= mxE !eqxx expr1n big1 ?addr0 // => j ji.
by rewrite mxE (negPf ji) andbF expr0n.
Qed.

Lemma dot_axis (i j : 'I_d) : i != j -> dot (axis i) (axis j) = 0.
Proof.
move=> ij; rewrite dot_row big1 // => l _; rewrite !mxE /=.
by case: (eqVneq l i) => [->|_]; rewrite ?(negPf ij) ?mulr0 ?mul0r.
Qed.

Lemma outerE x i j : outer x i j = x 0 i * x 0 j.
Proof. by rewrite /outer mxE big_ord1 mxE. Qed.

Lemma outer_sym x : (outer x)^T = outer x.
Proof. by rewrite /outer trmx_mul trmxK. Qed.

Lemma outer0 : outer (0 : 'rV_d) = 0.
Proof. by rewrite /outer mulmx0. Qed.

Lemma outerZ a x : outer (a *: x) = a ^+ 2 *: outer x.
Proof. by apply/matrixP => i j; rewrite [RHS]mxE !outerE !mxE; move: (x 0 i) (x 0 j) => s t; ring. Qed.

Lemma outerN x : outer (- x) = outer x.
Proof. by rewrite -scaleN1r outerZ sqrrN expr1n scale1r. Qed.

Lemma outer_axis (i : 'I_d) : outer (axis i) = delta_mx i i.
Proof. by rewrite /outer trmx_delta mul_delta_mx. Qed.

Lemma mul_outer v x : v *m outer x = dot v x *: x.
Proof.
rewrite /outer mulmxA [v *m x^T]mx11_scalar mul_scalar_mx; congr (_ *: _).
by rewrite dot_row mxE; apply: eq_bigr => i _; rewrite mxE.
Qed.

Lemma dot_outer x y : dot (outer x) (outer y) = dot x y ^+ 2.
Proof.
rewrite /dot big_ord1 expr2 big_distrlr; apply: eq_bigr => i _; apply: eq_bigr => j _.
by rewrite !outerE mulrACA.
Qed.

Lemma sqnorm_outer x : sqnorm (outer x) = sqnorm x ^+ 2.
Proof. exact: dot_outer. Qed.

(* A symmetric matrix whose quadratic form is at most the squared norm, in absolute value, has operator norm at most 1. *)
Lemma symmetric_contraction D : D^T = D -> (forall v, `|dot (v *m D) v| <= sqnorm v) -> contraction D.
Proof.
move=> sym form v; set w := v *m D.
have q_sum : dot ((v + w) *m D) (v + w) - dot ((v - w) *m D) (v - w) = 4%:R * sqnorm w.
  have swap : dot (w *m D) v = sqnorm w by rewrite dot_mulmx sym.
  rewrite mulmxBl mulmxDl -/w !(dotDl, dotDr, dotNl, dotNr) swap -/(sqnorm w); ring.
have bound : 4%:R * sqnorm w <= sqnorm (v + w) + sqnorm (v - w).
  rewrite -q_sum; apply: lerD; first exact: le_trans (ler_norm _) (form _).
  by apply: le_trans (form (v - w)); rewrite -normrN ler_norm.
rewrite -subr_ge0 -(@pmulr_rge0 _ 2%:R) ?ltr0n //.
rewrite [X in 0 <= X](_ : _ = sqnorm (v + w) + sqnorm (v - w) - 4%:R * sqnorm w); first by rewrite subr_ge0.
by rewrite sqnormD sqnormB; ring.
Qed.

Lemma sqnorm_back m k (A : 'M[R]_(m, d)) (V : 'M[R]_(d, k)) : orthonormal V -> sqnorm (A *m V *m V^T) = sqnorm (A *m V).
Proof. by move=> VV; rewrite /sqnorm dot_mulmx trmxK -!mulmxA VV mulmx1. Qed.

(* Bessel's inequality: a product with orthonormal columns does not lengthen. *)
Lemma bessel m k (A : 'M[R]_(m, d)) (V : 'M[R]_(d, k)) : orthonormal V -> sqnorm (A *m V) <= sqnorm A.
Proof.
move=> VV; rewrite -subr_ge0.
suff -> : sqnorm A - sqnorm (A *m V) = sqnorm (A - A *m V *m V^T) by apply: sqnorm_ge0.
have dotAP : dot A (A *m V *m V^T) = sqnorm (A *m V) by rewrite -dot_mulmx.
by rewrite sqnormB dotAP sqnorm_back //; ring.
Qed.

End Vectors.
End Linear.

(* The definitions compute: the vector (3, 4) has squared norm 25, and its outer product (9, 12; 12, 16) has 625. *)
Definition three_four : 'rV[rat]_2 := \row_(i < 2) (if i == 0 then 3%:R else 4%:R).
Example dot_computes : dot three_four (axis _ 1) = 4%:R.
Proof. by rewrite dot_row !big_ord_recl big_ord0 !mxE. Qed.
Example sqnorm_computes : sqnorm three_four = 25%:R.
Proof. by rewrite sqnorm_row !big_ord_recl big_ord0 !mxE. Qed.
Example outer_computes : outer three_four 0 1 = 12%:R.
Proof. by rewrite outerE !mxE. Qed.
Example orthonormal_holds : orthonormal (1%:M : 'M[rat]_2).
Proof. by rewrite /orthonormal trmx1 mulmx1. Qed.
Example orthonormal_fails : ~ orthonormal (2%:R%:M : 'M[rat]_2).
Proof. by rewrite /orthonormal tr_scalar_mx -scalar_mxM => /matrixP /(_ 0 0); rewrite !mxE. Qed.
Example contraction_holds : contraction (1%:M : 'M[rat]_2).
Proof. by move=> v; rewrite mulmx1. Qed.
Example contraction_fails : ~ contraction (2%:R%:M : 'M[rat]_2).
Proof. by move=> /(_ (axis _ 0)); rewrite mul_mx_scalar sqnormZ sqnorm_axis. Qed.

(* The change from v to w is one that noise for the squared distance D covers. *)
Definition near (R : realFieldType) m n (D : R) (v w : 'M[R]_(m, n)) := sqnorm (v - w) <= D.
Example near_computes (R : realFieldType) m n (v : 'M[R]_(m, n)) : near 0 v v.
Proof. by rewrite /near subrr sqnorm0. Qed.
