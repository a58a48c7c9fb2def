(* Turning independent normal directions.

   turn V             V is orthogonal, and directions that V mixes give the same means
   turn_triangular    every matrix becomes lower triangular by such a V *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import reals ereal topology normedtype measure.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import gaussian_matrix normal_directions.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope ring_scope.

Section Turn.
Context {R : realType} {p q : nat}.
Local Notation M := 'M[R]_(p, q).
Implicit Types (z : M) (f : M -> \bar R).

Definition mixed n (V : 'M[R]_n) (D : 'I_n -> M) (i : 'I_n) : M := \sum_j V i j *: D j.
Definition turn n (V : 'M[R]_n) := V *m V^T = 1%:M /\ forall (D : 'I_n -> M) f z, fair f ->
  mean [seq D i | i <- enum 'I_n] f z = mean [seq mixed V D i | i <- enum 'I_n] f z.

Lemma mixed1 n (D : 'I_n -> M) : mixed 1%:M D = D.
Proof.
apply/funext => i; rewrite /mixed (bigD1 i) //= mxE eqxx scale1r big1 ?addr0 // => j /negPf ji.
by rewrite mxE eq_sym ji scale0r.
Qed.

Lemma turn1 n : turn (1%:M : 'M[R]_n).
Proof. by split=> [|D f z _]; rewrite ?mixed1 // trmx1 mulmx1. Qed.

Lemma turn_mul n (V W : 'M[R]_n) : turn V -> turn W -> turn (V *m W).
Proof.
move=> [oV mV] [oW mW]; split=> [|D f z ff].
  by rewrite trmx_mul mulmxA -[V *m W *m _]mulmxA oW mulmx1.
rewrite mW // mV //; congr mean; apply: eq_map => i; rewrite /mixed.
under eq_bigr do rewrite scaler_sumr; rewrite exchange_big /=; apply: eq_bigr => l _.
by rewrite mxE scaler_suml; apply: eq_bigr => j _; rewrite scalerA.
Qed.

Lemma enum_split k n : perm_eq (enum 'I_(k + n)) ([seq lshift n i | i <- enum 'I_k] ++ [seq rshift k i | i <- enum 'I_n]).
Proof.
apply: uniq_perm; first exact: enum_uniq.
  rewrite cat_uniq; apply/and3P; split.
  - by rewrite map_inj_uniq ?enum_uniq //; exact: lshift_inj.
  - by apply/hasPn => _ /mapP[i _ ->]; apply/mapP => -[j _ /eqP]; rewrite eq_rlshift.
  - by rewrite map_inj_uniq ?enum_uniq //; exact: rshift_inj.
move=> i; rewrite mem_enum mem_cat; apply/esym/orP.
by case: (split_ordP i) => j ->; [left | right]; apply/mapP; exists j; rewrite ?mem_enum.
Qed.

Lemma map_split k n (D : 'I_(k + n) -> M) : perm_eq [seq D i | i <- enum 'I_(k + n)]
  ([seq D (lshift n i) | i <- enum 'I_k] ++ [seq D (rshift k i) | i <- enum 'I_n]).
Proof.
have e1 : map D (map (lshift n) (enum 'I_k)) = [seq D (lshift n i) | i <- enum 'I_k] by exact/esym/map_comp.
have e2 : map D (map (@rshift k n) (enum 'I_n)) = [seq D (rshift k i) | i <- enum 'I_n] by exact/esym/map_comp.
by rewrite -e1 -e2 -map_cat; apply: perm_map; exact: enum_split.
Qed.

Lemma turn_block k n (A : 'M[R]_k) (V : 'M[R]_n) : turn A -> turn V -> turn (block_mx A 0 0 V).
Proof.
move=> [oA mA] [oV mV]; split=> [|D f z ff].
  by rewrite tr_block_mx mulmx_block !trmx0 !mulmx0 !mul0mx !addr0 !add0r oA oV -scalar_mx_block.
have eA i : mixed (block_mx A 0 0 V) D (lshift n i) = mixed A (D \o @lshift k n) i.
  rewrite /mixed big_split_ord /= [X in _ + X]big1 ?addr0 => [|j _]; last by rewrite block_mxEur mxE scale0r.
  by apply: eq_bigr => j _; rewrite block_mxEul.
have eV i : mixed (block_mx A 0 0 V) D (rshift k i) = mixed V (D \o @rshift k n) i.
  rewrite /mixed big_split_ord /= [X in X + _]big1 ?add0r => [|j _]; last by rewrite block_mxEdl mxE scale0r.
  by apply: eq_bigr => j _; rewrite block_mxEdr.
rewrite (mean_perm z ff (map_split D)) (mean_perm z ff (map_split (mixed (block_mx A 0 0 V) D))) !mean_cat.
have -> : [seq mixed (block_mx A 0 0 V) D (rshift k i) | i <- enum 'I_n] = [seq mixed V (D \o @rshift k n) i | i <- enum 'I_n].
  by apply: eq_map => i; exact: eV.
have -> : [seq mixed (block_mx A 0 0 V) D (lshift n i) | i <- enum 'I_k] = [seq mixed A (D \o @lshift k n) i | i <- enum 'I_k].
  by apply: eq_map => i; exact: eA.
have <- : mean [seq D (rshift k i) | i <- enum 'I_n] f = mean [seq mixed V (D \o @rshift k n) i | i <- enum 'I_n] f.
  by apply/funext => z'; exact: (mV (D \o @rshift k n)).
by apply: (mA (D \o @lshift k n)); exact: mean_fair.
Qed.

(* The plane. *)
Definition plane_turn (a b : R) : 'M[R]_2 := \matrix_(i, j) if i == j then a else if i == 0 then b else - b.

Lemma turn_plane (a b : R) : a ^+ 2 + b ^+ 2 = 1 -> turn (plane_turn a b).
Proof.
move=> ab; split.
  apply/matrixP => i j; rewrite !mxE !big_ord_recl big_ord0 !mxE addr0.
  by case: i j => [[|[|i]]] // ? [[|[|j]]] //= ?; rewrite -[RHS]/(_%:R) -?ab; ring.
move=> D f z ff; have e : enum 'I_2 = [:: ord0; lift ord0 ord0].
  by apply: (inj_map val_inj); rewrite val_enum_ord.
rewrite e; transitivity (mean [:: D ord0; D (lift ord0 ord0)] f z); first by [].
rewrite (mean_turned (D ord0) (D (lift ord0 ord0)) [::] z ff ab).
transitivity (mean [:: mixed (plane_turn a b) D ord0; mixed (plane_turn a b) D (lift ord0 ord0)] f z); last by [].
have e0 : mixed (plane_turn a b) D ord0 = a *: D ord0 + b *: D (lift ord0 ord0).
  by rewrite /mixed !big_ord_recl big_ord0 addr0 !mxE.
have e1 : mixed (plane_turn a b) D (lift ord0 ord0) = a *: D (lift ord0 ord0) - b *: D ord0.
  by rewrite /mixed !big_ord_recl big_ord0 addr0 !mxE addrC scaleNr.
by rewrite e0 e1.
Qed.

Lemma turn_pair (x : 'rV[R]_2) : exists V, turn V /\ (x *m V^T) 0 (lift ord0 ord0) = 0.
Proof.
pose s := x 0 0; pose t := x 0 (lift ord0 ord0); pose r := Num.sqrt (s ^+ 2 + t ^+ 2).
have r2 : r ^+ 2 = s ^+ 2 + t ^+ 2 by rewrite sqr_sqrtr // addr_ge0 ?sqr_ge0.
have out a b : (x *m (plane_turn a b)^T) 0 (lift ord0 ord0) = t * a - s * b.
  by rewrite mxE !big_ord_recl big_ord0 !mxE /= -/s -/t; ring.
have [r0|r0] := eqVneq r 0.
  exists 1%:M; split; first exact: turn1.
  rewrite trmx1 mulmx1 -/t; apply/eqP; rewrite -sqrf_eq0 eq_le sqr_ge0 andbT.
  by rewrite r0 expr0n in r2; rewrite [leRHS]r2 lerDr sqr_ge0.
exists (plane_turn (s / r) (t / r)); split; last by rewrite out; field.
by apply: turn_plane; rewrite !expr_div_n -mulrDl -r2 mulfV // expf_neq0.
Qed.

Lemma turn_row n (h : 'rV[R]_n.+1) : exists V, turn V /\ forall j, j != ord0 -> (h *m V^T) 0 j = 0.
Proof.
elim: n h => [|n IH] h.
  by exists 1%:M; split; [exact: turn1 | move=> j; rewrite ord1].
have [V [tV V0]] := IH (rsubmx (h : 'rV_(1 + n.+1))).
pose W : 'M_(1 + n.+1) := block_mx 1%:M 0 0 V; have tW : turn W by apply: turn_block => //; exact: turn1.
pose u : 'rV_(2 + n) := h *m W^T.
have u0 : rsubmx u = 0.
  apply/rowP => j; rewrite !mxE /u; transitivity ((h *m W^T) 0 (rshift 1 (lift ord0 j))).
    by rewrite mxE; apply: eq_bigr => i _; congr (_ * W^T _ _); apply: val_inj.
  transitivity ((row_mx (lsubmx (h : 'rV_(1 + n.+1))) (rsubmx (h : 'rV_(1 + n.+1))) *m block_mx 1%:M 0 0 V^T) 0 (rshift 1 (lift ord0 j))).
    by rewrite hsubmxK /W tr_block_mx !trmx0 trmx1.
  by rewrite mul_row_block !mulmx0 add0r row_mxEr; exact: V0.
have [A [tA A0]] := turn_pair (lsubmx u).
pose B : 'M_(2 + n) := block_mx A 0 0 1%:M; have tB : turn B by apply: turn_block => //; exact: turn1.
exists ((B : 'M_n.+2) *m W); split; first exact: turn_mul.
move=> j j0; rewrite trmx_mul mulmxA -/u.
have -> : u *m B^T = row_mx (lsubmx u *m A^T) 0.
  by rewrite -[u in LHS]hsubmxK u0 tr_block_mx mul_row_block !trmx0 !mul0mx !mulmx0 !addr0.
suff zero (j' : 'I_(2 + n)) : j' != ord0 -> row_mx (lsubmx u *m A^T) (0 : 'rV_n) 0 j' = 0 by exact: (zero j j0).
case: (split_ordP j') => i ->; last by rewrite row_mxEr mxE.
rewrite row_mxEl; case: i => [[|[|i]]] // ilt _.
by rewrite -[RHS]A0; congr (fun_of_matrix _ _ _); apply: val_inj.
Qed.

Theorem turn_triangular n k (H : 'M[R]_(k, n)) : exists V, turn V /\ forall (i : 'I_k) (j : 'I_n), (i < j)%N -> (H *m V^T) i j = 0.
Proof.
elim: n k H => [|n IH] [|k] H; try by exists 1%:M; split; [exact: turn1 | move=> [] // i ? [] // j ?].
have [V [tV V0]] := turn_row (usubmx (H : 'M_(1 + k, n.+1))).
pose K : 'M_(1 + k, 1 + n) := H *m V^T; have [W [tW W0]] := IH k (drsubmx K).
pose B : 'M_(1 + n) := block_mx 1%:M 0 0 W; have tB : turn B by apply: turn_block => //; exact: turn1.
exists ((B : 'M_n.+1) *m V); split; first exact: turn_mul.
have K0 : ursubmx K = 0.
  apply/rowP => j; rewrite [RHS]mxE /ursubmx [LHS]mxE; have := V0 (rshift 1 j) isT.
  by rewrite mul_usub_mx.
move=> i j ij; rewrite trmx_mul mulmxA -/K.
have -> : K *m B^T = block_mx (ulsubmx K) 0 (dlsubmx K) (drsubmx K *m W^T).
  by rewrite -[K in LHS]submxK K0 tr_block_mx mulmx_block !trmx0 !mul0mx !mulmx0 !trmx1 !mulmx1 !addr0 !add0r.
suff zero (i' : 'I_(1 + k)) (j' : 'I_(1 + n)) : (i' < j')%N ->
    block_mx (ulsubmx K) 0 (dlsubmx K) (drsubmx K *m W^T) i' j' = 0 by exact: (zero i j ij).
case: (split_ordP j') => j1 ->; first by rewrite ord1 ltn0.
case: (split_ordP i') => i1 -> lt; first by rewrite block_mxEur mxE.
by rewrite block_mxEdr W0.
Qed.
End Turn.
