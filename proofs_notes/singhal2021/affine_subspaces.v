(** singhal2021, section 1.1: the rank of the covariance, and affine subspaces. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import zify.
From DPPCA.singhal2021 Require Import scores general_position.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** * The rank of A = sum x x^T *)

Definition covariance (F : fieldType) n d (X : 'I_n -> 'rV[F]_d) : 'M[F]_d := \sum_i (X i)^T *m X i.

Section Rank.
Variables (F : realFieldType) (n d : nat).
Implicit Types (X : 'I_n -> 'rV[F]_d).

Lemma rank_gram m (M : 'M[F]_(m, d)) : \rank (M^T *m M) = \rank M.
Proof.
apply/eqP; rewrite eqn_leq mxrankM_maxr /=.
have : (kermx (M^T *m M) <= kermx M^T)%MS.
  apply/rV_subP => v /sub_kermxP v0; apply/sub_kermxP.
  have : (v *m M^T) *m (v *m M^T)^T = 0 by rewrite trmx_mul trmxK mulmxA -(mulmxA v) v0 mul0mx.
  move=> /matrixP/(_ 0 0); rewrite mxE [RHS]mxE => /eqP.
  rewrite psumr_eq0 => [/allP zero|i _]; last by rewrite [_^T _ _]mxE -expr2 sqr_ge0.
  apply/rowP => i; rewrite [RHS]mxE; have := zero i; rewrite mem_index_enum [_^T _ _]mxE -expr2 sqrf_eq0.
  by move=> /(_ isT)/eqP.
move=> /mxrankS; rewrite !mxrank_ker mxrank_tr.
by have := rank_leq_col M; have := rank_leq_row (M^T *m M); lia.
Qed.

Lemma rank_covariance X : \rank (covariance X) = \rank (span X setT).
Proof.
have -> : covariance X = (\matrix_i X i)^T *m \matrix_i X i.
  apply/matrixP => a b; rewrite summxE mxE; apply: eq_bigr => i _.
  by rewrite !mxE big_ord1 !mxE.
rewrite rank_gram; apply: eqmx_rank; apply/andP; split.
  by apply/row_subP => i; rewrite rowK sub_span ?inE.
by apply/sumsmx_subP => i _; have := row_sub i (\matrix_j X j); rewrite rowK genmxE.
Qed.

(** singhal2021.section-1.1-rank: points lie in some k-dimensional subspace exactly if the rank is at most k, and the rank is that
    of their span. *)
Theorem rank_of_covariance X :
  (forall k, (k <= d)%N -> (\rank (covariance X) <= k)%N <-> exists2 s : 'M[F]_d, \rank s = k & forall i, (X i <= s)%MS) /\
  (forall s : 'M[F]_d, (s :=: span X setT)%MS -> \rank (covariance X) = \rank s).
Proof.
rewrite rank_covariance; split=> [k kd|s -> //]; split=> [rk|[s <- Xs]]; last by apply: mxrankS; apply: span_sub.
have [|s ws rs] := @larger_subspace F d (span X setT) k; first by rewrite rk.
by exists s => // i; apply: submx_trans ws; apply: sub_span; rewrite inE.
Qed.
End Rank.

(** Not so over finite fields: two equal points over the field of two elements. *)
Theorem rank_of_covariance_mod_2 : let X (_ : 'I_2) := 1%:M : 'rV['F_2]_1 in
  \rank (covariance X) = 0%N /\ ~ exists2 s : 'M['F_2]_1, \rank s = 0%N & forall i, (X i <= s)%MS.
Proof.
move=> X; split.
  apply/eqP; rewrite mxrank_eq0; apply/eqP/matrixP => a b.
  by rewrite summxE !big_ord_recl big_ord0 !ord1 !mxE !big_ord1 !mxE; apply/eqP.
move=> [s /eqP]; rewrite mxrank_eq0 => /eqP -> /(_ 0); rewrite submx0 => /eqP/matrixP/(_ 0 0)/eqP.
by rewrite !mxE.
Qed.

(** * Affine subspaces: a coordinate 1 before every point *)

Section Affine.
Variables (F : fieldType) (n d : nat).
Implicit Types (a b y : 'rV[F]_d) (U V : 'M[F]_d) (X : 'I_n -> 'rV[F]_d).

Definition with_one y : 'rV[F]_(1 + d) := row_mx 1%:M y.
Definition linear_of a U : 'M[F]_(1 + d) := (with_one a + row_mx (0 : 'M_(d, 1)) U)%MS.

(** a + U, its points in X, and Problem 2.1 for affine subspaces. *)
Definition affine_inside X a U := #|[set i | (X i - a <= U)%MS]|.
Definition affine_problem X k ell a U :=
  [/\ \rank U = k, (n <= affine_inside X a U + ell)%N & forall b V, (\rank V < k)%N -> (affine_inside X b V <= ell)%N].

Let mul_directions m (M : 'M[F]_(m, d)) : M *m row_mx (0 : 'M_(d, 1)) 1%:M = row_mx 0 M.
Proof. by rewrite mul_mx_row mulmx0 mulmx1. Qed.

Let directions_mul m (M : 'M[F]_(m, d)) : row_mx 0 M *m col_mx (0 : 'M_(1, d)) 1%:M = M.
Proof. by rewrite mul_row_col mulmx0 add0r mulmx1. Qed.

Lemma in_linear_of a U y : (with_one y <= linear_of a U)%MS = (y - a <= U)%MS.
Proof.
apply/idP/idP => [/sub_addsmxP[[c D]] /=|/submxP[D e]].
  rewrite /with_one !mul_mx_row mulmx0 add_row_mx addr0 mulmx1 => /eq_row_mx[<-]; rewrite mul1mx => ->.
  by rewrite addrAC subrr add0r submxMl.
apply/sub_addsmxP; exists (1%:M, D); rewrite /= !mul_mx_row mulmx0 add_row_mx addr0 !mul1mx -e.
by rewrite addrCA subrr addr0.
Qed.

Lemma rank_linear_of a U : \rank (linear_of a U) = (\rank U).+1.
Proof.
have rU : \rank (row_mx (0 : 'M_(d, 1)) U) = \rank U.
  apply/eqP; rewrite eqn_leq -{1}mul_directions mxrankM_maxl /=.
  by rewrite -{1}(directions_mul U) mxrankM_maxl.
rewrite -rU -(genmxE (row_mx _ U)) -(rank_add_vector (v := with_one a)); last first.
  rewrite genmxE; apply/negP => /submxP[D]; rewrite mul_mx_row mulmx0 => /eq_row_mx[/matrixP/(_ 0 0)/eqP].
  by rewrite !mxE oner_eq0.
by apply: eqmx_rank; rewrite /linear_of addsmxC; apply/eqmxP; apply: adds_eqmx; [apply: eqmx_sym; exact: genmxE|].
Qed.

(** A subspace that holds a point with a one is of this form. *)
Lemma linear_of_onto (s : 'M[F]_(1 + d)) y : (with_one y <= s)%MS -> exists U, (s :=: linear_of y U)%MS.
Proof.
move=> ys; pose C := (s :&: row_mx (0 : 'M_(d, 1)) 1%:M)%MS; pose U := <<C *m col_mx (0 : 'M_(1, d)) 1%:M>>%MS.
exists U; apply/eqmxP/andP; split.
  apply/rV_subP => z zs; pose c := lsubmx z 0 0; pose u := rsubmx z - c *: y.
  have ez : z = c *: with_one y + row_mx 0 u.
    rewrite /with_one scale_row_mx add_row_mx addr0 /u addrC subrK -{1}[z]hsubmxK; congr row_mx.
    by rewrite scalemx1 /c -mx11_scalar.
  have us : (row_mx 0 u <= C)%MS.
    rewrite sub_capmx -{2}mul_directions submxMl andbT.
    have -> : row_mx 0 u = z - c *: with_one y by rewrite ez addrAC subrr add0r.
    by rewrite addmx_sub // eqmx_opp scalemx_sub.
  rewrite ez; apply: addmx_sub_adds; first exact: scalemx_sub.
  have /submxP[D ->] : (u <= U)%MS by rewrite /U genmxE -{1}(directions_mul u) submxMr.
  by rewrite -[row_mx 0 (D *m U)](_ : D *m row_mx 0 U = _) ?submxMl // mul_mx_row mulmx0.
rewrite addsmx_sub ys /= -mul_directions; apply: submx_trans (_ : C <= s)%MS; last exact: capmxSl.
apply: submx_trans (submxMr _ (_ : U <= C *m col_mx 0 1%:M)%MS) _; first by rewrite genmxE.
have /submxP[D ->] : (C <= row_mx (0 : 'M_(d, 1)) 1%:M)%MS by exact: capmxSr.
by rewrite [D *m row_mx _ _]mul_directions directions_mul mul_directions.
Qed.

Lemma inside_linear_of X a U : inside (fun i => with_one (X i)) (linear_of a U) = affine_inside X a U.
Proof. by apply: eq_card => i; rewrite !inE in_linear_of. Qed.

(** singhal2021.section-1.1-affine: affine subspaces of dimension k are the linear ones of dimension k + 1 that hold a point with a
    one, with the same points; so Problem 2.1 for them is Problem 2.1 of the points with ones, and neighbours stay neighbours. *)
Theorem affine_is_linear X k ell :
  [/\ forall a U y, \rank (linear_of a U) = (\rank U).+1 /\ (with_one y <= linear_of a U)%MS = (y - a <= U)%MS,
      forall s : 'M[F]_(1 + d), \rank s = k.+1 -> (exists i, with_one (X i) <= s)%MS ->
        exists a U, \rank U = k /\ (s :=: linear_of a U)%MS,
      forall a U, affine_problem X k ell a U <-> problem (fun i => with_one (X i)) k.+1 ell (linear_of a U) &
      forall X', neighbours X X' -> neighbours (fun i => with_one (X i)) (fun i => with_one (X' i))].
Proof.
split=> [a U y|s rs [i /linear_of_onto[U e]]|a U|X' [i0 same]]; last by exists i0 => i /same ->.
- by rewrite rank_linear_of in_linear_of.
- by exists (X i), U; split=> //; have := rank_linear_of (X i) U; rewrite -e rs => -[].
rewrite /problem inside_linear_of rank_linear_of; split=> -[rU close few]; split=> //.
- by rewrite rU.
- move=> t; rewrite ltnS => rt; case: (pickP (fun i => with_one (X i) <= t)%MS) => [i /linear_of_onto[V e]|none].
    rewrite (inside_eq _ e) inside_linear_of; apply: few.
    by move: rt; rewrite e rank_linear_of.
  by rewrite /inside (eq_card (B := set0)) ?cards0 // => i; rewrite !inE none.
- by case: rU.
- by move=> b V rV; rewrite -inside_linear_of; apply: few; rewrite rank_linear_of.
Qed.
End Affine.

(** * The definitions compute *)

Example covariance_computes : covariance (fun _ : 'I_2 => 1%:M : 'rV[rat]_1) = 2%:M.
Proof. by rewrite /covariance !big_ord_recl big_ord0 trmx1 mulmx1 addr0; apply/matrixP => i j; rewrite !ord1 !mxE. Qed.

(** Two equal points of the line are in an affine subspace of dimension 0, a linear one of dimension 1. *)
Example affine_example (F : fieldType) : affine_problem (fun _ : 'I_2 => 0 : 'rV[F]_1) 0 0 0 0 /\
  problem (fun _ : 'I_2 => with_one (0 : 'rV[F]_1)) 1 0 (linear_of 0 0).
Proof.
have h : affine_problem (fun _ : 'I_2 => 0 : 'rV[F]_1) 0 0 0 0.
  split=> //; first exact: mxrank0.
  rewrite addn0 /affine_inside (_ : [set i | _] = setT) ?cardsT ?card_ord //.
  by apply/setP => i; rewrite !inE subrr sub0mx.
by split=> //; have [_ _ H _] := affine_is_linear (fun _ : 'I_2 => 0 : 'rV[F]_1) 0 0; apply/H.
Qed.
