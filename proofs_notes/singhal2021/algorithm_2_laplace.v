(** singhal2021, Algorithm 2 with the stability histogram and Laplace noise: Lemma 3.4.

    n rows of any type in T blocks. The public randomness w (references, offset, the point in the cell) has any law; given w a
    block's cell is any function of its rows, and there may be infinitely many cells. What is output is a function of w and of
    the histogram, so an event about it is, given w, an event about the released counts. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra zify.
From DPPCA.lib Require Import measure real_releases truncated_line laplace gaussian_matrix.
From DPPCA.primitives Require Import equal_chances laplace_tails laplace_histogram.
From DPPCA.singhal2021 Require Import algorithm_2_approximate.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** Public randomness of any law Q: what holds given w holds on average. *)
Lemma public_mixture (R : realType) d (W : measurableType d) (Q : probability W R) (a t : R) (P P' : W -> \bar R) : 0 <= a -> 0 <= t ->
  (forall w, 0 <= P w)%E -> (forall w, 0 <= P' w)%E -> measurable_fun setT P -> measurable_fun setT P' ->
  (forall w, P w <= a%:E * P' w + t%:E)%E -> (\int[Q]_w P w <= a%:E * \int[Q]_w P' w + t%:E)%E.
Proof.
move=> a0 t0 P0 P'0 mP mP' le; rewrite -ge0_integralZl_EFin //.
have eD : (\int[Q]_w t%:E = t%:E)%E.
  rewrite integral_cst //; transitivity (t%:E * 1)%E; last by rewrite mule1.
  by congr (_ * _)%E; exact: probability_setT.
rewrite -[X in (_ <= _ + X)%E]eD -ge0_integralD //.
- apply: ge0_le_integral => //.
  + by move=> w _; rewrite adde_ge0 ?mule_ge0 ?lee_fin.
  + by apply: emeasurable_funD => //; exact: measurable_funeM.
- by move=> w _; rewrite mule_ge0 ?lee_fin.
- exact: measurable_funeM.
Qed.

Section Blocks.
Variables (Row : Type) (n T m : nat) (enough_rows : (T * m <= n)%N) (T_gt0 : (0 < T)%N).
Context d (W : measurableType d) (Cell : eqType) (cell_of : W -> ('I_m -> Row) -> Cell).
Hypothesis ext : by_rows cell_of.
Context {R : realType}.
Variables (e threshold : R).
Hypotheses (e0 : 0 < e) (threshold1 : 1 <= threshold).
Local Notation dataset := ('I_n -> Row).
Local Notation delta := (expR (- (e * (threshold - 1) / 2)) / 2).

(** Line 14: the cells of the blocks. *)
Definition block_cells w (X : dataset) (j : 'I_T) : Cell := cell_of w (block enough_rows X j).

Lemma block_cells_replaced w X X' : row_replaced X X' -> replaced (block_cells w X) (block_cells w X').
Proof. by move=> nb; have [j0 same] := one_block_changes enough_rows nb T_gt0; exists j0 => j /same e1; exact: ext. Qed.

(** singhal2021.lemma-3.4, singhal2021.algorithm-2-post-processing: with any histogram that is (epsilon, delta)-DP when one item is
    replaced, what is computed of it and of the public randomness is, given that randomness, and on average over any law of it. *)
Theorem approximate_estimator_private d' (Out : measurableType d') (histogram : ('I_T -> Cell) -> set Out -> \bar R) (t : R) X X' :
  0 <= t -> (forall items S, (0 <= histogram items S)%E) ->
  (forall items items', replaced items items' -> indist (expR e) t (histogram items) (histogram items')) -> row_replaced X X' ->
  (forall w, indist (expR e) t (histogram (block_cells w X)) (histogram (block_cells w X'))) /\
  forall (Q : probability W R) (S : W -> set Out), (forall w, measurable (S w)) ->
    measurable_fun setT (fun w => histogram (block_cells w X) (S w)) -> measurable_fun setT (fun w => histogram (block_cells w X') (S w)) ->
    (\int[Q]_w histogram (block_cells w X) (S w) <= (expR e)%:E * \int[Q]_w histogram (block_cells w X') (S w) + t%:E)%E.
Proof.
move=> t0 h0 priv nb; have given w : indist (expR e) t (histogram (block_cells w X)) (histogram (block_cells w X')).
  by apply: priv; exact: block_cells_replaced.
split=> // Q S mS mX mX'; apply: public_mixture => //; first exact: expR_ge0.
by move=> w; exact: given.
Qed.

(** The released counts of k different cells that hold all blocks. *)
Definition released k (cell : W -> 'I_k -> Cell) w (X : dataset) : set 'rV[R]_k -> \bar R :=
  histogram (cell w) e threshold (block_cells w X).

(** The histogram with Laplace noise is one: (epsilon, delta)-DP given the public randomness, and on average over any law of it. *)
Theorem approximate_estimator_laplace X X' k (cell : W -> 'I_k -> Cell) : row_replaced X X' ->
  (forall w, injective (cell w)) -> (forall w, listed (cell w) (block_cells w X)) -> (forall w, listed (cell w) (block_cells w X')) ->
  (forall w, indist (expR e) delta (released cell w X) (released cell w X')) /\
  forall (Q : probability W R) (S : W -> set 'rV[R]_k), (forall w, measurable (S w)) ->
    measurable_fun setT (fun w => released cell w X (S w)) -> measurable_fun setT (fun w => released cell w X' (S w)) ->
    (\int[Q]_w released cell w X (S w) <= (expR e)%:E * \int[Q]_w released cell w X' (S w) + delta%:E)%E.
Proof.
move=> nb inj lX lX'.
have given w : indist (expR e) delta (released cell w X) (released cell w X').
  by have [H _] := laplace_histogram e0 threshold1; apply: H => //; exact: block_cells_replaced.
split=> // Q S mS mX mX'; apply: public_mixture => //; first exact: expR_ge0.
- by rewrite divr_ge0 ?expR_ge0.
- by move=> w; have [_ H] := test_cells threshold (divr_gt0 (ltr0n _ 2) e0) (enum 'I_k) (counts (cell w) (block_cells w X)) (test_event (R := R) (mS w)); case/andP: (H 0).
- by move=> w; have [_ H] := test_cells threshold (divr_gt0 (ltr0n _ 2) e0) (enum 'I_k) (counts (cell w) (block_cells w X')) (test_event (R := R) (mS w)); case/andP: (H 0).
- by move=> w; exact: given.
Qed.
End Blocks.

(** singhal2021.algorithm-2-cells: for a cell length l > 0 and an offset, every vector lies in exactly one half-open cube. *)
Theorem one_cube (R : realType) k (l offset : R) (x : 'rV[R]_k) : 0 < l ->
  exists! i : 'rV[int]_k, forall j, (offset + (i 0 j)%:~R) * l <= x 0 j < (offset + (i 0 j)%:~R + 1) * l.
Proof.
move=> l0; have cube (y : R) (z : int) : ((offset + z%:~R) * l <= y < (offset + z%:~R + 1) * l) = (z == Num.floor (y / l - offset)).
  rewrite -ler_pdivlMr // -ltr_pdivrMr //; apply/andP/eqP => [[h1 h2]|->].
    by apply/esym/floor_def; rewrite lerBrDl h1 intrD ltrBlDl addrA.
  have := floor_itv (y / l - offset); rewrite intrD lerBrDl ltrBlDl addrA => /andP[h1 h2].
  by split.
exists (\row_j Num.floor (x 0 j / l - offset)); split=> [j|i at_i]; first by rewrite cube mxE.
by apply/rowP => j; rewrite mxE; apply/esym/eqP; rewrite -cube.
Qed.

(** Two blocks of one number, whose cell is the number. *)
Example block_cells_compute : block_cells (isT : (2 * 1 <= 2)%N) (fun (_ : unit) (rows : 'I_1 -> nat) => rows ord0) tt (fun i : 'I_2 => i.+4) ord_max = 5%N.
Proof. by []. Qed.

Example released_example (R : realType) (X : 'I_2 -> nat) (cell : unit -> 'I_3 -> nat) :
  released (isT : (2 * 1 <= 2)%N) (fun (_ : unit) (rows : 'I_1 -> nat) => rows ord0) (1 : R) 3 cell tt X =
  histogram (cell tt) 1 3 (block_cells (isT : (2 * 1 <= 2)%N) (fun (_ : unit) (rows : 'I_1 -> nat) => rows ord0) tt X).
Proof. by []. Qed.
