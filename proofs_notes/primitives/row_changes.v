(* How far one row moves the second moment X^T X (claim primitives.row-changes), exactly: each bound is followed by the
   rows that reach it, whatever the other rows are.

   Rows lie in the unit ball. Norms are squared: a bound 2 on the squared Frobenius norm is the sensitivity sqrt 2. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import squared_norms.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Definitions.
Variable R : realFieldType.

Definition in_ball d (x : 'rV[R]_d) := sqnorm x <= 1.
Definition unit_rows n d (X : 'M[R]_(n, d)) := forall i, in_ball (row i X).
(* The second moment. *)
Definition gram n d (X : 'M[R]_(n, d)) := X^T *m X.

(* Neighbours with n public: one row is replaced. *)
Definition replaced n d (X X' : 'M[R]_(n, d)) :=
  [/\ unit_rows X, unit_rows X' & exists i0, forall i, i != i0 -> row i X = row i X'].
(* Neighbours under addition and removal: X' is X without one row. *)
Definition removed n d (X : 'M[R]_(n.+1, d)) (X' : 'M[R]_(n, d)) := unit_rows X /\ exists i0, X' = row' i0 X.

(* X with the row i0 replaced by x. *)
Definition set_row n d (X : 'M[R]_(n, d)) i0 (x : 'rV[R]_d) := \matrix_(i, j) (if i == i0 then x 0 j else X i j).

(* The squared Euclidean norm of the entries on and above the diagonal, which is what the mechanisms release. *)
Definition upper_sqnorm d (D : 'M[R]_d) := \sum_(i < d) \sum_(j < d | (i <= j)%N) D i j ^+ 2.
(* The same with the diagonal divided by sqrt 2: the repair of wang2020 that doubles the variance of the diagonal only. *)
Definition repaired_sqnorm d (D : 'M[R]_d) := \sum_(i < d) (D i i ^+ 2 / 2%:R + \sum_(j < d | (i < j)%N) D i j ^+ 2).
(* The nuclear norm is at most c: it is the largest tr(D W) over the matrices W of operator norm at most 1. *)
Definition nuclear_at_most d (D : 'M[R]_d) c := forall W, contraction W -> \tr (D *m W) <= c.
(* The score of a direction v in the exponential mechanism. *)
Definition score n d (X : 'M[R]_(n, d)) (v : 'rV[R]_d) := dot (v *m gram X) v.
End Definitions.
Arguments axis {R d} i.

Section Change.
Variable R : realFieldType.
Implicit Types n d k : nat.

Lemma row_set_row n d (X : 'M[R]_(n, d)) i0 x : row i0 (set_row X i0 x) = x.
Proof. by apply/rowP => j; rewrite !mxE eqxx. Qed.

Lemma row_set_row_other n d (X : 'M[R]_(n, d)) i0 x i : i != i0 -> row i (set_row X i0 x) = row i X.
Proof. by move=> /negPf ne; apply/rowP => j; rewrite !mxE ne. Qed.

Lemma unit_rows_set_row n d (X : 'M[R]_(n, d)) i0 x : unit_rows X -> in_ball x -> unit_rows (set_row X i0 x).
Proof.
move=> uX ux i; case: (eqVneq i i0) => [->|ne]; first by rewrite row_set_row.
by rewrite row_set_row_other.
Qed.

(* The pairs below are neighbours. *)
Lemma replaced_set_row n d (X : 'M[R]_(n, d)) i0 x y :
  unit_rows X -> in_ball x -> in_ball y -> replaced (set_row X i0 x) (set_row X i0 y).
Proof.
move=> uX ux uy; split; [exact: unit_rows_set_row | exact: unit_rows_set_row |].
by exists i0 => i ne; rewrite !row_set_row_other.
Qed.

Lemma replaced_sym n d (X X' : 'M[R]_(n, d)) : replaced X X' -> replaced X' X.
Proof. by case=> uX uX' [i0 same]; split=> //; exists i0 => i ne; rewrite same. Qed.

Lemma in_ball_axis d (i : 'I_d) : in_ball (axis i : 'rV[R]_d).
Proof. by rewrite /in_ball sqnorm_axis. Qed.

Lemma in_ball0 d : in_ball (0 : 'rV[R]_d).
Proof. by rewrite /in_ball sqnorm0 ler01. Qed.

Lemma gram_sum n d (X : 'M[R]_(n, d)) : gram X = \sum_i outer (row i X).
Proof.
apply/matrixP => a b; rewrite /gram mxE summxE; apply: eq_bigr => i _.
by rewrite outerE !mxE.
Qed.

Lemma gram_replaced n d (X X' : 'M[R]_(n, d)) i0 : (forall i, i != i0 -> row i X = row i X') ->
  gram X - gram X' = outer (row i0 X) - outer (row i0 X').
Proof.
move=> same; rewrite !gram_sum (bigD1 i0) //= [\sum_i outer (row i X')](bigD1 i0) //=.
rewrite (eq_bigr (fun i => outer (row i X'))) => [|i ne]; last by rewrite same.
by rewrite opprD addrACA subrr addr0.
Qed.

Lemma gram_set_row n d (X : 'M[R]_(n, d)) i0 x y :
  gram (set_row X i0 x) - gram (set_row X i0 y) = outer x - outer y.
Proof. by rewrite (gram_replaced (i0 := i0)) ?row_set_row // => i ne; rewrite !row_set_row_other. Qed.

Lemma gram_removed n d (X : 'M[R]_(n.+1, d)) i0 : gram X - gram (row' i0 X) = outer (row i0 X).
Proof.
rewrite !gram_sum (bigD1_ord i0) //= -[RHS]addr0 -addrA; congr (_ + _).
by apply/eqP; rewrite subr_eq0; apply/eqP/eq_bigr => i _; congr outer; apply/rowP => j; rewrite !mxE.
Qed.

(* A matrix n + 1 by d whose row i0 is x and whose others are those of X: every added row arises so. *)
Lemma removed_ex n d (X : 'M[R]_(n, d)) (x : 'rV[R]_d) (i0 : 'I_n.+1) : unit_rows X -> in_ball x ->
  exists X1 : 'M[R]_(n.+1, d), removed X1 X /\ gram X1 - gram X = outer x.
Proof.
move=> uX ux; exists (\matrix_(i, j) (if unlift i0 i is Some i' then X i' j else x 0 j)); set X1 := (X in removed X _).
have Xr : X = row' i0 X1 by apply/matrixP => i j; rewrite !mxE liftK.
have xr : row i0 X1 = x by apply/rowP => j; rewrite !mxE unlift_none.
split; last by rewrite {2}Xr gram_removed xr.
split; last by exists i0.
move=> i; case: (unliftP i0 i) => [i'|] ->; last by rewrite xr.
by suff -> : row (lift i0 i') X1 = row i' X by []; apply/rowP => j; rewrite !mxE liftK.
Qed.

(* What a bound for two points of the ball, or one, says about data sets. *)
Lemma by_rows n d (P : 'M[R]_d -> Prop) : (forall x y, in_ball x -> in_ball y -> P (outer x - outer y)) ->
  forall X X' : 'M[R]_(n, d), replaced X X' -> P (gram X - gram X').
Proof. by move=> H X X' [uX uX' [i0 same]]; rewrite (gram_replaced same); apply: H. Qed.

Lemma by_row n d (P : 'M[R]_d -> Prop) : (forall x, in_ball x -> P (outer x)) ->
  forall (X : 'M[R]_(n.+1, d)) X', removed X X' -> P (gram X - gram X').
Proof. by move=> H X X' [uX [i0 ->]]; rewrite gram_removed; apply: H. Qed.
End Change.

Section Points.
Variables (R : realFieldType) (d : nat).
Implicit Types (x y v : 'rV[R]_d) (D : 'M[R]_d).

Lemma sqnorm_change x y : sqnorm (outer x - outer y) = sqnorm x ^+ 2 + sqnorm y ^+ 2 - 2%:R * dot x y ^+ 2.
Proof. by rewrite sqnormB !sqnorm_outer dot_outer; ring. Qed.

Lemma sqnorm_ball2 x : in_ball x -> 0 <= sqnorm x ^+ 2 <= 1.
Proof. by move=> x1; rewrite sqr_ge0 exprn_ile1 ?sqnorm_ge0. Qed.

Lemma change_le2 x y : in_ball x -> in_ball y -> sqnorm (outer x - outer y) <= 2%:R.
Proof.
move=> /sqnorm_ball2/andP[_ x1] /sqnorm_ball2/andP[_ y1]; rewrite sqnorm_change lerBlDr.
apply: le_trans (_ : 1 + 1 <= _); first exact: lerD.
by rewrite -[1 + 1]/2%:R lerDl mulr_ge0 ?ler0n ?sqr_ge0.
Qed.

Lemma change_axes (i j : 'I_d) : i != j -> sqnorm (outer (axis i : 'rV[R]_d) - outer (axis j)) = 2%:R.
Proof. by move=> ij; rewrite sqnorm_change !sqnorm_axis dot_axis // expr0n expr1n mulr0 subr0. Qed.

Lemma outer_le1 x : in_ball x -> sqnorm (outer x) <= 1.
Proof. by move=> /sqnorm_ball2/andP[_]; rewrite sqnorm_outer. Qed.

Lemma outer_axis_sqnorm (i : 'I_d) : sqnorm (outer (axis i : 'rV[R]_d)) = 1.
Proof. by rewrite sqnorm_outer sqnorm_axis expr1n. Qed.

Lemma change_sym x y : (outer x - outer y)^T = outer x - outer y.
Proof. by rewrite linearB /= !outer_sym. Qed.

Lemma dot_axis1 (i : 'I_d) : dot (axis i : 'rV[R]_d) (axis i) = 1.
Proof. exact: sqnorm_axis. Qed.

Lemma form_outer v x : dot (v *m outer x) v = dot v x ^+ 2.
Proof. by rewrite mul_outer dotZl (dotC x) expr2. Qed.

Lemma form_change v x y : dot (v *m (outer x - outer y)) v = dot v x ^+ 2 - dot v y ^+ 2.
Proof. by rewrite mulmxBr dotDl dotNl !form_outer. Qed.

Lemma dot_ball v x : in_ball x -> 0 <= dot v x ^+ 2 <= sqnorm v.
Proof.
move=> x1; rewrite sqr_ge0; apply: le_trans (cauchy_schwarz v x) _.
by rewrite ler_piMr ?sqnorm_ge0.
Qed.

Lemma form_change_le v x y : in_ball x -> in_ball y -> `|dot (v *m (outer x - outer y)) v| <= sqnorm v.
Proof.
move=> /(dot_ball v)/andP[x0 x1] /(dot_ball v)/andP[y0 y1]; rewrite form_change ler_norml.
rewrite lerBrDr lerBlDr; apply/andP; split.
  by apply: le_trans x0; rewrite addrC subr_le0.
by apply: le_trans x1 _; rewrite lerDl.
Qed.

Lemma change_contraction x y : in_ball x -> in_ball y -> contraction (outer x - outer y).
Proof. by move=> xb yb; apply: symmetric_contraction => [|v]; [apply: change_sym | apply: form_change_le]. Qed.

Lemma outer_contraction x : in_ball x -> contraction (outer x).
Proof. by move=> xb; rewrite -[outer x]subr0 -(outer0 _ d); apply: change_contraction => //; apply: in_ball0. Qed.

Lemma trace_outer x (W : 'M[R]_d) : \tr (outer x *m W) = dot (x *m W) x.
Proof. by rewrite /outer -mulmxA mxtrace_mulC dotE. Qed.

Lemma form_contraction x (W : 'M[R]_d) : contraction W -> in_ball x -> `|dot (x *m W) x| <= 1.
Proof.
move=> cW xb; have xW : sqnorm (x *m W) <= 1 ^+ 2 by rewrite expr1n; apply: le_trans (cW x) xb.
have x1 : sqnorm x <= 1 ^+ 2 by rewrite expr1n.
have le1 A : sqnorm A <= 1 ^+ 2 -> dot A x <= 1 by move=> A1; have := dot_le ler01 ler01 A1 x1; rewrite mulr1.
by rewrite ler_norml -lerNl -dotNl !le1 ?sqnormN.
Qed.

(* The upper triangle. *)
Lemma upper_row D (i : 'I_d) :
  \sum_(j < d | (i <= j)%N) D i j ^+ 2 = D i i ^+ 2 + \sum_(j < d | (i < j)%N) D i j ^+ 2.
Proof.
rewrite (bigD1 i) //=; congr (_ + _); apply: eq_bigl => j.
by rewrite -(inj_eq val_inj) /= ltn_neqAle eq_sym andbC.
Qed.

Lemma upper_identity D : D^T = D -> 2%:R * upper_sqnorm D = sqnorm D + \sum_i D i i ^+ 2.
Proof.
move=> sym; have swap i j : D i j = D j i by rewrite -[in LHS]sym mxE.
have split_at (F : 'I_d -> 'I_d -> R) i : \sum_(j < d) F i j =
    F i i + \sum_(j < d | (i < j)%N) F i j + \sum_(j < d | (j < i)%N) F i j.
  rewrite (bigD1 i) //= -addrA; congr (_ + _); rewrite (bigID (fun j : 'I_d => (i < j)%N)) /=.
  congr (_ + _); apply: eq_bigl => j; rewrite -(inj_eq val_inj) /=; case: ltngtP => //.
have lower : \sum_(i < d) \sum_(j < d | (j < i)%N) D i j ^+ 2 = \sum_(i < d) \sum_(j < d | (i < j)%N) D i j ^+ 2.
  rewrite (exchange_big_dep xpredT) //=; apply: eq_bigr => i _; apply: eq_bigr => j _.
  by rewrite swap.
rewrite /upper_sqnorm (eq_bigr _ (fun i _ => upper_row D i)) big_split /=.
have -> : sqnorm D = \sum_i \sum_j D i j ^+ 2 by apply: eq_bigr => i _; apply: eq_bigr => j _; rewrite expr2.
rewrite (eq_bigr _ (fun i _ => split_at (fun i j => D i j ^+ 2) i)) !big_split /= lower.
by move: (\sum_i D i i ^+ 2) (\sum_(i < d) \sum_(j < d | (i < j)%N) _) => s t; ring.
Qed.

Lemma upper_le D : D^T = D -> upper_sqnorm D <= sqnorm D.
Proof.
move=> sym; rewrite -subr_ge0 -(@pmulr_rge0 _ 2%:R) ?ltr0n // mulrBr (upper_identity sym).
rewrite [X in 0 <= X](_ : _ = sqnorm D - \sum_i D i i ^+ 2); last by move: (\sum_i _) => s; ring.
rewrite subr_ge0; apply: ler_sum => i _; rewrite (bigD1 i) //= -expr2 lerDl.
by apply: sumr_ge0 => j _; rewrite -expr2 sqr_ge0.
Qed.

Lemma upper_diagonal D : (forall i j, i != j -> D i j = 0) -> upper_sqnorm D = sqnorm D.
Proof.
move=> diag; apply: eq_bigr => i _; rewrite (bigD1 i) //= [RHS](bigD1 i) //= -expr2.
rewrite !big1 // => [j ji|j /andP[_ ji]]; first by rewrite diag ?mulr0 // eq_sym.
by rewrite diag ?expr0n // eq_sym.
Qed.

Lemma repaired_identity D : D^T = D -> 2%:R * repaired_sqnorm D = sqnorm D.
Proof.
move=> sym; have two0 : 2%:R != 0 :> R by rewrite pnatr_eq0.
have -> : sqnorm D = 2%:R * upper_sqnorm D - \sum_i D i i ^+ 2 by rewrite upper_identity // addrK.
rewrite /repaired_sqnorm /upper_sqnorm !mulr_sumr -sumrB; apply: eq_bigr => i _.
rewrite upper_row.
by move: (\sum_(j < d | _) _) => s; field.
Qed.

Lemma outer_axis_diagonal (i a b : 'I_d) : a != b -> outer (axis i : 'rV[R]_d) a b = 0.
Proof.
move=> /negPf ab; rewrite outer_axis mxE; case: (eqVneq a i) => //= ai; rewrite -ai.
by rewrite eq_sym ab.
Qed.

Lemma change_axes_diagonal (i j a b : 'I_d) : a != b -> (outer (axis i : 'rV[R]_d) - outer (axis j)) a b = 0.
Proof. by move=> ab; rewrite [LHS]mxE [X in _ + X]mxE !outer_axis_diagonal // subr0. Qed.

End Points.

(* The theorems. Each is stated for data sets; the pairs that reach a bound replace row i0 of any X. *)
Section Theorems.
Variables (R : realFieldType) (n d : nat).
Implicit Types (X : 'M[R]_(n, d)).

(* primitives.row-changes: Frobenius norm, sqrt 2. *)
Theorem frobenius_replaced X X' : replaced X X' -> sqnorm (gram X - gram X') <= 2%:R.
Proof. by move: X X'; apply: (by_rows (P := fun D => sqnorm D <= 2%:R)) => x y; apply: change_le2. Qed.

Theorem frobenius_replaced_reached X i0 (i j : 'I_d) : i != j ->
  sqnorm (gram (set_row X i0 (axis i)) - gram (set_row X i0 (axis j))) = 2%:R.
Proof. by move=> ij; rewrite gram_set_row change_axes. Qed.

(* primitives.row-changes: Frobenius norm, 1 for an added row. *)
Theorem frobenius_removed (X : 'M[R]_(n.+1, d)) X' : removed X X' -> sqnorm (gram X - gram X') <= 1.
Proof. by move: X X'; apply: (by_row (P := fun D => sqnorm D <= 1)) => x; apply: outer_le1. Qed.

Theorem frobenius_removed_reached X (i : 'I_d) : unit_rows X ->
  exists X1 : 'M[R]_(n.+1, d), removed X1 X /\ sqnorm (gram X1 - gram X) = 1.
Proof.
move=> uX; have [X1 [nb e]] := removed_ex ord0 uX (in_ball_axis R i).
by exists X1; rewrite e outer_axis_sqnorm.
Qed.

(* primitives.row-changes: upper triangle in the Euclidean norm, sqrt 2. *)
Theorem upper_replaced X X' : replaced X X' -> upper_sqnorm (gram X - gram X') <= 2%:R.
Proof.
move: X X'; apply: (by_rows (P := fun D => upper_sqnorm D <= 2%:R)) => x y xb yb.
by apply: le_trans (upper_le (change_sym _ _)) _; apply: change_le2.
Qed.

Theorem upper_replaced_reached X i0 (i j : 'I_d) : i != j ->
  upper_sqnorm (gram (set_row X i0 (axis i)) - gram (set_row X i0 (axis j))) = 2%:R.
Proof.
move=> ij; rewrite gram_set_row upper_diagonal ?change_axes //.
by move=> a b ab; apply: change_axes_diagonal.
Qed.

Theorem upper_removed (X : 'M[R]_(n.+1, d)) X' : removed X X' -> upper_sqnorm (gram X - gram X') <= 1.
Proof.
move: X X'; apply: (by_row (P := fun D => upper_sqnorm D <= 1)) => x xb.
by apply: le_trans (upper_le (outer_sym _)) _; apply: outer_le1.
Qed.

Theorem upper_removed_reached X (i : 'I_d) : unit_rows X ->
  exists X1 : 'M[R]_(n.+1, d), removed X1 X /\ upper_sqnorm (gram X1 - gram X) = 1.
Proof.
move=> uX; have [X1 [nb e]] := removed_ex ord0 uX (in_ball_axis R i).
by exists X1; split=> //; rewrite e upper_diagonal ?outer_axis_sqnorm // => a b; apply: outer_axis_diagonal.
Qed.

(* primitives.row-changes: spectral norm, 1: no direction v is lengthened. *)
Theorem spectral_replaced X X' : replaced X X' -> contraction (gram X - gram X').
Proof. by move: X X'; apply: (by_rows (P := @contraction R d)) => x y; apply: change_contraction. Qed.

Theorem spectral_replaced_reached X i0 (i : 'I_d) :
  sqnorm (axis i *m (gram (set_row X i0 (axis i)) - gram (set_row X i0 0))) = sqnorm (axis i : 'rV[R]_d).
Proof. by rewrite gram_set_row outer0 subr0 mul_outer sqnormZ dot_axis1 expr1n mul1r. Qed.

Theorem spectral_removed (X : 'M[R]_(n.+1, d)) X' : removed X X' -> contraction (gram X - gram X').
Proof. by move: X X'; apply: (by_row (P := @contraction R d)) => x; apply: outer_contraction. Qed.

Theorem spectral_removed_reached X (i : 'I_d) : unit_rows X -> exists X1 : 'M[R]_(n.+1, d),
  removed X1 X /\ sqnorm (axis i *m (gram X1 - gram X)) = sqnorm (axis i : 'rV[R]_d).
Proof.
move=> uX; have [X1 [nb e]] := removed_ex ord0 uX (in_ball_axis R i).
by exists X1; rewrite e mul_outer sqnormZ dot_axis1 expr1n mul1r.
Qed.

(* primitives.row-changes, amin2019.eigenvector-sensitivity: the score of a unit vector, 1 and not 2. *)
Lemma score_change X X' v : score X v - score X' v = dot (v *m (gram X - gram X')) v.
Proof. by rewrite mulmxBr dotDl dotNl. Qed.

Theorem score_replaced X X' v : replaced X X' -> sqnorm v = 1 -> `|score X v - score X' v| <= 1.
Proof.
move=> nb v1; rewrite score_change -v1; move: X X' nb.
by apply: (by_rows (P := fun D => `|dot (v *m D) v| <= sqnorm v)) => x y; apply: form_change_le.
Qed.

Theorem score_replaced_reached X i0 (i : 'I_d) :
  score (set_row X i0 (axis i)) (axis i) - score (set_row X i0 0) (axis i) = 1.
Proof. by rewrite score_change gram_set_row outer0 subr0 form_outer dot_axis1 expr1n. Qed.

(* primitives.row-changes: nuclear norm, 2; 1 for an added row. *)
Theorem nuclear_replaced X X' : replaced X X' -> nuclear_at_most (gram X - gram X') 2%:R.
Proof.
move: X X'; apply: (by_rows (P := fun D => nuclear_at_most D 2%:R)) => x y xb yb W cW; rewrite mulmxBl linearB /= !trace_outer.
have := form_contraction cW xb; have := form_contraction cW yb; rewrite !ler_norml => /andP[y0 _] /andP[_ x1].
by rewrite -[2%:R]/(1 + 1); apply: lerD => //; rewrite lerNl.
Qed.

Theorem nuclear_replaced_reached X i0 (i j : 'I_d) c : i != j ->
  nuclear_at_most (gram (set_row X i0 (axis i)) - gram (set_row X i0 (axis j))) c -> 2%:R <= c.
Proof.
move=> ij /(_ (outer (axis i) - outer (axis j))) H; rewrite gram_set_row in H; rewrite -(change_axes R ij) /sqnorm dotE.
by rewrite change_sym; apply: H; apply: change_contraction; apply: in_ball_axis.
Qed.

Theorem nuclear_removed (X : 'M[R]_(n.+1, d)) X' : removed X X' -> nuclear_at_most (gram X - gram X') 1.
Proof.
move: X X'; apply: (by_row (P := fun D => nuclear_at_most D 1)) => x xb W cW; rewrite trace_outer.
by have := form_contraction cW xb; rewrite ler_norml => /andP[_].
Qed.

Theorem nuclear_removed_reached X (i : 'I_d) : unit_rows X -> exists X1 : 'M[R]_(n.+1, d),
  removed X1 X /\ forall c, nuclear_at_most (gram X1 - gram X) c -> 1 <= c.
Proof.
move=> uX; have [X1 [nb e]] := removed_ex ord0 uX (in_ball_axis R i).
exists X1; split=> // c /(_ 1%:M); rewrite e mulmx1 /outer mxtrace_mulC -dotE dot_axis1; apply=> v.
by rewrite mulmx1.
Qed.

(* primitives.row-changes: X^T X V for orthonormal V with k columns, sqrt 2. *)
Theorem basis_replaced k X X' (V : 'M[R]_(d, k)) : replaced X X' -> orthonormal V ->
  sqnorm ((gram X - gram X') *m V) <= 2%:R.
Proof. by move=> nb oV; apply: le_trans (bessel _ oV) (frobenius_replaced nb). Qed.

(* The first k columns of the identity, k <= d. *)
Lemma first_columns_orthonormal k : (k <= d)%N -> orthonormal (pid_mx k : 'M[R]_(d, k)).
Proof. by move=> kd; rewrite /orthonormal tr_pid_mx mul_pid_mx minnn (minn_idPr kd) pid_mx_1. Qed.

Theorem basis_replaced_reached k X i0 (i j : 'I_d) : (k <= d)%N -> i != j -> (i < k)%N -> (j < k)%N ->
  sqnorm ((gram (set_row X i0 (axis i)) - gram (set_row X i0 (axis j))) *m (pid_mx k : 'M[R]_(d, k))) = 2%:R.
Proof.
move=> kd ij ik jk; rewrite gram_set_row -(change_axes R ij) !outer_axis.
rewrite -(sqnorm_back _ (first_columns_orthonormal kd)) -mulmxA tr_pid_mx mul_pid_mx !minnn mulmxBl.
have keep (l : 'I_d) : (l < k)%N -> delta_mx l l *m (pid_mx k : 'M[R]_d) = delta_mx l l.
  move=> lk; apply/matrixP => a b; rewrite !mxE (bigD1 b) //= !mxE eqxx /= big1 ?addr0 => [|c cb].
    by case: (eqVneq b l) => [->|]; rewrite ?andbF ?mul0r // lk mulr1.
  by rewrite !mxE (inj_eq val_inj) (negPf cb) mulr0.
by rewrite !keep.
Qed.

(* primitives.row-changes: k = 1, 1. *)
Theorem basis1_replaced X X' (V : 'M[R]_(d, 1)) : replaced X X' -> orthonormal V -> sqnorm ((gram X - gram X') *m V) <= 1.
Proof.
move=> nb oV; rewrite -sqnorm_tr trmx_mul; have -> : (gram X - gram X')^T = gram X - gram X'.
  by rewrite linearB /= !trmx_mul !trmxK.
apply: le_trans (spectral_replaced nb _) _; rewrite sqnorm_tr /sqnorm -dot_tr dotE trmxK.
by rewrite oV mxtrace1.
Qed.

Theorem basis1_replaced_reached X i0 (i : 'I_d) :
  sqnorm ((gram (set_row X i0 (axis i)) - gram (set_row X i0 0)) *m (axis i)^T) = 1 :> R.
Proof.
rewrite -sqnorm_tr trmx_mul trmxK gram_set_row outer0 subr0 outer_sym mul_outer sqnormZ.
by rewrite dot_axis1 expr1n mul1r sqnorm_axis.
Qed.

(* primitives.row-changes: an added row, 1 for every k. *)
Theorem basis_removed k (X : 'M[R]_(n.+1, d)) X' (V : 'M[R]_(d, k)) : removed X X' -> orthonormal V ->
  sqnorm ((gram X - gram X') *m V) <= 1.
Proof. by move=> nb oV; apply: le_trans (bessel _ oV) (frobenius_removed nb). Qed.

Lemma sqnorm_product m (x : 'rV[R]_d) (y : 'rV[R]_m) : sqnorm (x^T *m y) = sqnorm x * sqnorm y.
Proof.
rewrite !sqnorm_row mulr_suml; apply: eq_bigr => i _; rewrite mulr_sumr; apply: eq_bigr => j _.
by rewrite mxE big_ord1 mxE -expr2 exprMn.
Qed.

Theorem basis_removed_reached k X (i : 'I_d) : (i < k)%N -> (k <= d)%N -> unit_rows X ->
  exists (X1 : 'M[R]_(n.+1, d)) (V : 'M[R]_(d, k)), [/\ removed X1 X, orthonormal V & sqnorm ((gram X1 - gram X) *m V) = 1].
Proof.
move=> ik kd uX; have [X1 [nb e]] := removed_ex ord0 uX (in_ball_axis R i).
exists X1, (pid_mx k); split; [by [] | exact: first_columns_orthonormal |].
rewrite e /outer -mulmxA; have -> : axis i *m (pid_mx k : 'M[R]_(d, k)) = axis (Ordinal ik).
  rewrite -rowE; apply/rowP => b; rewrite !mxE ik andbT eqxx /= -(inj_eq val_inj) /=.
  by rewrite [(i == b :> nat)]eq_sym.
by rewrite sqnorm_product !sqnorm_axis mulr1.
Qed.

End Theorems.

(* One dimension: the two signs of a row are the same, so every supremum is 1. *)
Section Line.
Variables (R : realFieldType) (n : nat).

Lemma sqnorm_line (x y : 'rV[R]_1) : sqnorm (outer x - outer y) = (sqnorm x - sqnorm y) ^+ 2.
Proof. by rewrite sqnorm_change !sqnorm_row dot_row !big_ord1; move: (x 0 0) (y 0 0) => s t; ring. Qed.

(* primitives.row-changes: d = 1, Frobenius norm and upper triangle. *)
Theorem line_replaced (X X' : 'M[R]_(n, 1)) : replaced X X' -> sqnorm (gram X - gram X') <= 1.
Proof.
move: X X'; apply: (by_rows (P := fun D => sqnorm D <= 1)) => x y xb yb; rewrite sqnorm_line -real_normK ?num_real //.
apply: exprn_ile1; first exact: normr_ge0.
have [x0 y0] := (sqnorm_ge0 x, sqnorm_ge0 y).
rewrite ler_norml lerBrDr lerBlDr; apply/andP; split; last by apply: le_trans xb _; rewrite lerDl.
by apply: le_trans x0; rewrite addrC subr_le0.
Qed.

Theorem line_replaced_reached (X : 'M[R]_(n, 1)) i0 :
  sqnorm (gram (set_row X i0 (axis 0)) - gram (set_row X i0 0)) = 1.
Proof. by rewrite gram_set_row sqnorm_line sqnorm_axis sqnorm0 subr0 expr1n. Qed.

Theorem upper_line_replaced (X X' : 'M[R]_(n, 1)) : replaced X X' -> upper_sqnorm (gram X - gram X') <= 1.
Proof.
move=> nb; rewrite upper_diagonal; first exact: line_replaced.
by move=> i j; rewrite !ord1 eqxx.
Qed.

Theorem upper_line_replaced_reached (X : 'M[R]_(n, 1)) i0 :
  upper_sqnorm (gram (set_row X i0 (axis 0)) - gram (set_row X i0 0)) = 1.
Proof. by rewrite upper_diagonal ?line_replaced_reached // => i j; rewrite !ord1 eqxx. Qed.

(* primitives.row-changes: d = 1, nuclear norm. *)
Theorem nuclear_line_replaced (X X' : 'M[R]_(n, 1)) : replaced X X' -> nuclear_at_most (gram X - gram X') 1.
Proof.
move=> nb W cW; have W1 : sqnorm W <= 1 ^+ 2.
  have := cW (axis 0); rewrite sqnorm_axis expr1n; congr (sqnorm _ <= _).
  by rewrite -rowE; apply/matrixP => i j; rewrite mxE !ord1.
rewrite -[W]trmxK -dotE -[1]mulr1; apply: dot_le; rewrite ?ler01 ?sqnorm_tr //.
by rewrite expr1n; apply: line_replaced.
Qed.

Theorem nuclear_line_replaced_reached (X : 'M[R]_(n, 1)) i0 c :
  nuclear_at_most (gram (set_row X i0 (axis 0)) - gram (set_row X i0 0)) c -> 1 <= c.
Proof.
move=> /(_ 1%:M); rewrite gram_set_row outer0 subr0 mulmx1 /outer mxtrace_mulC -dotE dot_axis1; apply=> v.
by rewrite mulmx1.
Qed.
End Line.

(* The definitions compute, and the hypotheses can be met: two rows of the unit ball, the second one replaced. *)
Definition two_rows : 'M[rat]_2 := \matrix_(i < 2) (if i == 0 then axis 0 else 0).
Lemma unit_two_rows : unit_rows two_rows.
Proof. by move=> i; rewrite rowK; case: ifP; rewrite ?in_ball0 ?in_ball_axis. Qed.
Example replaced_holds : replaced (set_row two_rows 1 (axis 0)) (set_row two_rows 1 (axis 1)).
Proof. by apply: replaced_set_row; [apply: unit_two_rows | apply: in_ball_axis | apply: in_ball_axis]. Qed.
Example removed_holds : exists X1 : 'M[rat]_(3, 2), removed X1 two_rows.
Proof. by have [X1 []] := removed_ex ord0 unit_two_rows (in_ball_axis _ 0); exists X1. Qed.
Example gram_computes : gram two_rows = delta_mx 0 0.
Proof. by rewrite gram_sum !big_ord_recl big_ord0 !rowK /= outer0 !addr0 outer_axis. Qed.
Example upper_computes : upper_sqnorm (const_mx 1 : 'M[rat]_2) = 3%:R.
Proof. by rewrite /upper_sqnorm; under eq_bigr do rewrite big_mkcond; rewrite !big_ord_recl !big_ord0 /= !mxE. Qed.
Example repaired_computes : repaired_sqnorm (const_mx 1 : 'M[rat]_2) = 2%:R.
Proof. by rewrite /repaired_sqnorm; under eq_bigr do rewrite big_mkcond; rewrite !big_ord_recl !big_ord0 /= !mxE. Qed.
Example score_computes : score two_rows (axis 0) = 1.
Proof. by rewrite /score gram_computes -(outer_axis _ 0) form_outer dot_axis1 expr1n. Qed.
Example nuclear_holds : nuclear_at_most (0 : 'M[rat]_2) 0.
Proof. by move=> W _; rewrite mul0mx mxtrace0. Qed.
Example nuclear_fails : ~ nuclear_at_most (1%:M : 'M[rat]_2) 1.
Proof. by move=> /(_ 1%:M); rewrite mulmx1 mxtrace1 => H; have := H contraction_holds. Qed.
