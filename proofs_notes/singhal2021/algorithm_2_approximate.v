(** singhal2021, Algorithm 2 (approximate subspace estimator): Lemma 3.4, and a selection of the cell with fewer blocks.

    Model. n rows of any type, t blocks of m rows. Public randomness v (reference points and offset of the grid) is drawn first.
    A block's subspace and its projected references are any function of its rows, so the block falls into the cell
    [cell_of v rows]; given v there are finitely many, as projections do not lengthen the references. The histogram of the
    blocks is released by a noisy rule; all that follows, the random point in the cell included, is a kernel of v and
    what the histogram shows. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import zify.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import discrete.
From DPPCA.primitives Require Import truncated_laplace geometric_noise sparse_histogram.
From DPPCA.singhal2021 Require Import values gap_max algorithm_1_exact.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** * Blocks *)

Section Blocks.
Variables (Row : Type) (n t m : nat).
Hypothesis enough_rows : (t * m <= n)%N.
Local Notation dataset := ('I_n -> Row).

Definition row_replaced (X X' : dataset) := exists i0, forall i, i != i0 -> X i = X' i.

Lemma row_of_block (j : 'I_t) (i : 'I_m) : (j * m + i < n)%N.
Proof.
apply: leq_trans enough_rows; apply: (@leq_trans (j.+1 * m)); last by rewrite leq_mul2r ltn_ord orbT.
by rewrite mulSn addnC ltn_add2r.
Qed.

(** Line 4: block j holds the rows j m, ..., j m + m - 1 (numbers from 0). Rows from t m on are not used. *)
Definition block (X : dataset) (j : 'I_t) (i : 'I_m) : Row := X (Ordinal (row_of_block j i)).

(** singhal2021.lemma-3.4-blocks: a replaced row lies in one block. *)
Theorem one_block_changes X X' : row_replaced X X' -> (0 < t)%N ->
  exists j0, forall j, j != j0 -> block X j =1 block X' j.
Proof.
case=> i0 same t0; pose k := (i0 %/ m)%N.
have j0 : exists j0 : 'I_t, forall j : 'I_t, j != j0 -> (j : nat) <> k.
  case: (ltnP k t) => kt; first by exists (Ordinal kt) => j ne e; move/eqP: ne; apply; apply: val_inj.
  by exists (Ordinal t0) => j _ e; move: (ltn_ord j); rewrite e ltnNge kt.
case: j0 => j0 other; exists j0 => j /other jk i; apply: same.
apply/eqP => e; apply: jk; rewrite /k -e /= divnMDl ?divn_small ?addn0 //.
by apply: leq_ltn_trans (ltn_ord i).
Qed.

(** Line 14: the cells of the blocks. One row changes the cell of one block. *)
Definition cells (V : Type) (cell : finType) (cell_of : V -> ('I_m -> Row) -> cell) (v : V) (X : dataset) : items t cell :=
  [ffun j => cell_of v (block X j)].

Definition by_rows (V : Type) (cell : Type) (cell_of : V -> ('I_m -> Row) -> cell) :=
  forall v rows rows', rows =1 rows' -> cell_of v rows = cell_of v rows'.

Theorem one_cell_changes (V : Type) (cell : finType) (cell_of : V -> ('I_m -> Row) -> cell) v X X' :
  by_rows cell_of -> (0 < t)%N -> row_replaced X X' -> one_replaced (cells cell_of v X) (cells cell_of v X').
Proof.
move=> ext t0 /one_block_changes /(_ t0)[j0 same]; exists j0 => j /same e.
by rewrite !ffunE; apply: ext.
Qed.

(** * Algorithm 2 with the stability histogram *)

Section StabilityHistogram.
Variables (R : realFieldType) (r : R) (V cell Out : finType) (q : V -> R) (cell_of : V -> ('I_m -> Row) -> cell).
Variables (T : finType) (hidden : T) (release : nat -> T -> R).
Variable finish : V -> {ffun cell -> T} -> Out -> R.
Hypotheses (r_ge1 : 1 <= r) (stable : stable_release t r release) (public : law q) (ext : by_rows cell_of) (t_gt0 : (0 < t)%N).
Hypothesis finish_law : forall v h, law (finish v h).

(** Draw v, release the histogram, finish; shown are v and the result. *)
Definition approximate_estimator (X : dataset) : V * Out -> R :=
  joint q (fun v => bind (sparse_histogram hidden release (cells cell_of v X)) (finish v)).

(** singhal2021.lemma-3.4, singhal2021.algorithm-2-post-processing: Algorithm 2 is (epsilon, delta)-DP with epsilon = 2 ln r and
    delta the probability that a single block's cell is shown; references and offset are public. *)
Theorem approximate_estimator_dp :
  mechanism_dp (r ^+ 2) (shown_alone hidden release) row_replaced approximate_estimator.
Proof.
have key X X' : row_replaced X X' -> dp (r ^+ 2) (shown_alone hidden release) (approximate_estimator X) (approximate_estimator X').
  move=> nb; rewrite /approximate_estimator.
  have H v := dp_post_processing (@finish_law v)
    (proj1 (sparse_histogram_dp hidden r_ge1 stable (one_cell_changes v ext t_gt0 nb))).
  rewrite -[r ^+ 2]mul1r -[shown_alone _ _]add0r.
  apply: (dp_adaptive_composition public public _ _ ler01 _ (dp_refl q) H).
  - by move=> v; apply: law_bind => //; apply: law_sparse_histogram stable _.
  - by move=> v; apply: law_bind => //; apply: law_sparse_histogram stable _.
  - by rewrite exprn_ge0 // (le_trans ler01).
move=> X X' nb; split; apply: key => //.
by case: nb => i0 same; exists i0 => i /same.
Qed.
End StabilityHistogram.

(** * Algorithm 2 with GAP-MAX on the counts of the cells

    Show the leading cell if its lead, minus 1, plus one noise exceeds A; there may be infinitely many cells. The whole
    algorithm is algorithm_2_gap_max.v. *)

Section Selection.
Variables (cell : eqType) (cell_of : ('I_m -> Row) -> cell).
Hypothesis ext : forall rows rows', rows =1 rows' -> cell_of rows = cell_of rows'.

Definition cell_list (X : dataset) : seq cell := [seq cell_of (block X j) | j <- enum 'I_t].
Definition cell_count (X : dataset) (c : cell) : nat := count_mem c (cell_list X).

Lemma occupied_cells_complete X : complete xpredT 0 (cell_count X) (undup (cell_list X)).
Proof.
split=> // [|c _ pos]; first exact: undup_uniq.
by rewrite mem_undup -has_pred1 has_count.
Qed.

Lemma cell_count_change X X' c : row_replaced X X' -> (0 < t)%N -> (cell_count X c <= (cell_count X' c).+1)%N.
Proof.
move=> nb t0; have [j0 same] := one_block_changes nb t0.
have e Y : cell_count Y c = #|[set j | cell_of (block Y j) == c]|.
  by rewrite /cell_count /cell_list count_map enumT cardsE cardE /enum_mem size_filter; apply: eq_count.
rewrite !e -add1n -(cards1 j0); apply: leq_trans (leq_card_setU _ _).
apply/subset_leq_card/subsetP => j; rewrite !inE; case: (eqVneq j j0) => //= ne.
by rewrite (ext (same j ne)).
Qed.

Variables (R : realFieldType) (r : R) (N g : nat) (delta : R).
Hypothesis t_gt0 : (0 < t)%N.

Definition selected_cell (X : dataset) (y : noise_index N) : option cell :=
  gap_threshold R g 0 (cell_count X) (undup (cell_list X)) y.

(** The selected cell is (epsilon, delta)-DP; the rest of Algorithm 2 is post-processing ([private_post_processing],
    [private_public]). *)
Theorem selected_cell_private : calibrated r N g delta ->
  private (r ^+ (2 * g)) delta (noise_law r (N := N)) row_replaced selected_cell.
Proof.
move=> cal X X' nb E; case: (cal) => r1 g0 _ _; have reach := calibrated_reach cal.
have nb' : row_replaced X' X by case: nb => i0 same; exists i0 => i /same.
have near : close_scores xpredT (cell_count X) (cell_count X') by move=> c _; split; apply: cell_count_change.
apply: le_trans (gap_threshold_private r1 g0 reach near (occupied_cells_complete X) (occupied_cells_complete X') E) _.
by rewrite lerD2l; apply: calibrated_delta.
Qed.

Lemma cell_counts_sum X c c' : c != c' -> (cell_count X c + cell_count X c' <= t)%N.
Proof.
move=> ne; rewrite -[X in (_ <= X)%N]card_ord cardE -(size_map (fun j => cell_of (block X j)) (enum 'I_t)) -/(cell_list X).
rewrite -count_predUI (@eq_count _ (predI _ _) pred0) ?count_pred0 ?addn0 ?count_size // => x /=.
by case: (x =P c) => // ->; apply/negbTE.
Qed.

(** singhal2021.section-1.4-histogram-size: if three quarters of the blocks are in one cell, this cell is certain for
    t > 4 A + 2. So a number of blocks of order 1 + L / epsilon is enough, without ln(1 + 1 / epsilon). *)
Theorem selected_cell_accurate X c y : (0 < g)%N -> (3 * t <= 4 * cell_count X c)%N ->
  4%:R * bound R N g + 2%:R < t%:R :> R -> selected_cell X y = Some c.
Proof.
move=> g0 most; have gR : 0 < g%:R :> R by rewrite ltr0n.
have gb : g%:R * bound R N g = N%:R by rewrite /bound mulrC divfK ?gt_eqF.
rewrite -(ltr_pM2l gR) mulrDr [g%:R * (_ * _)]mulrCA gb -!natrM -natrD ltr_nat => large.
have C := occupied_cells_complete X.
have ct : (cell_count X c <= t)%N.
  by apply: leq_trans (count_size _ _) _; rewrite size_map -cardE card_ord.
have [v [tv vN]] : exists v, (t <= 2 * v + 2)%N /\ (v <= value 0 (cell_count X) (undup (cell_list X)) c)%N.
  set v := (2 * cell_count X c - t - 1)%N; exists v; split; first by rewrite /v; lia.
  case: (posnP v) => [->//|pos]; rewrite -(prednK pos).
  apply/(value_above _ C isT); split=> [|c' _ ne]; first by rewrite /v in pos *; lia.
  by have := cell_counts_sum X (c := c) (c' := c'); rewrite eq_sym ne /v in pos * => /(_ isT); lia.
have win : (2 * N < g * value 0 (cell_count X) (undup (cell_list X)) c)%N by nia.
have only c' : (0 < value 0 (cell_count X) (undup (cell_list X)) c')%N -> c' = c.
  move=> pos'; apply: (positive_value_unique C pos'); rewrite lt0n; apply: contraTneq win => ->.
  by rewrite muln0.
rewrite /selected_cell (gap_threshold_outcome R g0 y only) ifT //.
exact: leq_trans win (leq_addr _ _).
Qed.

End Selection.
End Blocks.

(** * With geometric noise: no hypothesis is left *)

(** A cell is shown if its count plus two-sided geometric noise of ratio r = e^(epsilon/2) exceeds the threshold; delta is
    r^-(threshold - 1) / (r + 1). *)
Theorem approximate_estimator_geometric (Row : Type) (n t m M threshold : nat) (rows : (t * m <= n)%N) (R : realFieldType)
    (r : R) (V cell Out : finType) (q : V -> R) (cell_of : V -> ('I_m -> Row) -> cell)
    (finish : V -> {ffun cell -> 'I_M.+1} -> Out -> R) :
  1 < r -> (0 < t <= M)%N -> (0 < threshold < M)%N -> law q -> by_rows cell_of -> (forall v h, law (finish v h)) ->
  mechanism_dp (r ^+ 2) (r ^- threshold.-1 / (r + 1)) (@row_replaced Row n)
    (approximate_estimator rows q cell_of ord0 (@geometric_release R r M threshold) finish).
Proof.
move=> r1 /andP[t0 tM] /andP[h0 hM] lq ext lf; have stable := geometric_release_stable r1 tM h0 hM.
by rewrite -(geometric_shown_alone r1 h0 hM); apply: approximate_estimator_dp => //; apply: ltW.
Qed.

(** Three blocks of two rows (a seventh is not used), cells by the number of ones in a block, the output the cell of most
    blocks: everything that the theorem asks for. *)
Definition example_cell (_ : unit) (rows : 'I_2 -> bool) : 'I_3 := inord (\sum_i rows i).
Definition example_finish (_ : unit) (shown : {ffun 'I_3 -> 'I_5}) : 'I_3 -> rat := dirac _ [arg max_(c > ord0) shown c].

Example approximate_estimator_example :
  mechanism_dp (2%:R ^+ 2) (2%:R ^- 2 / (2%:R + 1)) (@row_replaced bool 7)
    (approximate_estimator (isT : (3 * 2 <= 7)%N) (dirac (rat : realFieldType) tt) example_cell ord0 (@geometric_release _ 2%:R 4 3) example_finish).
Proof.
apply: approximate_estimator_geometric => //.
- exact: law_dirac.
- by move=> v rows rows' e; rewrite /example_cell; congr inord; apply: eq_bigr => i _; rewrite e.
- by move=> v h; apply: law_dirac.
Qed.

(** Row 3 is the second row of block 1; the leading cell of the blocks (5, 5), (8, 8), (5, 5) has the count 2. *)
Example block_computes : block (isT : (3 * 2 <= 7)%N) (fun i : 'I_7 => val i) (inord 1) (inord 1) = 3%N.
Proof. by rewrite /block /= !inordK. Qed.

Example cell_count_computes :
  let X : 'I_7 -> nat := fun i => nth 0%N [:: 5; 5; 8; 8; 5; 5; 8]%N i in
  cell_count (isT : (3 * 2 <= 7)%N) (fun rows => rows ord0) X 5%N = 2%N.
Proof. by rewrite /cell_count /cell_list !enum_ordSl /= (size0nil (size_enum_ord 0)). Qed.
