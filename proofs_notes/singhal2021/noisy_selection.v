(** singhal2021, Algorithm 2 with the cell of most blocks selected by its lead, with its real noise: privacy over any number of
    cells, for every public randomness, and the certainty of a cell that three quarters of the blocks share.

    Blocks, cells, leads: algorithm_2_approximate.v, algorithm_2_gap_max.v. Given the public randomness w (references, offset,
    the point in the cell) a block's cell is any function of its rows; what is released is a function of w and the cell shown. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral probability.
From mathcomp Require Import ring lra zify.
From DPPCA.lib Require Import measure real_releases truncated_line.
From DPPCA.singhal2021 Require Import values algorithm_2_approximate algorithm_2_gap_max noisy_gap_max.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope ring_scope.

(** Public randomness w of any law Q that does not depend on the data, shown with the output: the event is E w of the rest. *)
Lemma private_public (R : realType) (e t : R) d (W : measurableType d) (Q : probability W R) (Data Out : Type)
    (near : Data -> Data -> Prop) (law : W -> Data -> pred Out -> \bar R) (E : W -> pred Out) X X' : 0 <= t ->
  (forall w, noisy_gap_max.private e t near (law w)) -> (forall w Y, 0 <= law w Y (E w))%E ->
  (forall Y, measurable_fun setT (fun w => law w Y (E w))) -> near X X' ->
  (\int[Q]_w law w X (E w) <= (expR e)%:E * \int[Q]_w law w X' (E w) + t%:E)%E.
Proof.
move=> t0 priv law0 mlaw nb; have E0 : 0 <= expR e := expR_ge0 e.
rewrite -ge0_integralZl_EFin //.
have eD : (\int[Q]_w t%:E = t%:E)%E.
  rewrite integral_cst //; transitivity (t%:E * 1)%E; last by rewrite mule1.
  by congr (_ * _)%E; exact: probability_setT.
rewrite -[X in (_ <= _ + X)%E]eD -ge0_integralD //.
- apply: ge0_le_integral => //.
  + by move=> w _; rewrite adde_ge0 ?mule_ge0 ?lee_fin.
  + by apply: emeasurable_funD => //; exact: measurable_funeM.
  + by move=> w _; exact: priv.
- by move=> w _; rewrite mule_ge0 ?lee_fin.
- exact: measurable_funeM.
Qed.

Section Selection.
Variables (Row : Type) (n T m : nat) (enough_rows : (T * m <= n)%N).
Variables (cell : eqType) (found : seq cell -> seq cell) (W : Type) (cell_of : W -> ('I_m -> Row) -> cell).
Context {R : realType}.
Variables (e t : R) (Out : Type) (finish : W -> option cell -> Out).
Hypotheses (e0 : 0 < e) (t0 : 0 < t) (t1 : t <= 1 / 2) (T_gt0 : (0 < T)%N).
Hypotheses (found_cells : forall l, perm_eq (found l) (undup l)) (ext : by_rows cell_of).
Local Notation A := (noise_bound e t).
Local Notation dataset := ('I_n -> Row).

(** The leading cell is shown exactly if the lead max(0, c_1 - c_2 - 1) plus one noise exceeds A. *)
Definition shown_law w (X : dataset) (E : pred (option cell)) : \bar R :=
  let l := cell_list enough_rows (cell_of w) X in
  mean (noisy_value e t (lead found l)%:R) (fun y => (E (if A < y then leading_cell found l else None))%:R%:E).

Lemma shown_lawE w X E : shown_law w X E =
  gap_threshold_law e t 0 (cell_count enough_rows (cell_of w) X) (undup (cell_list enough_rows (cell_of w) X)) E.
Proof.
have l0 : cell_list enough_rows (cell_of w) X != [::].
  by apply/eqP => /(congr1 size); rewrite size_map size_enum_ord => e1; have := T_gt0; rewrite e1.
have [s [leadE only shown]] := lead_is_value found_cells (ltn0Sn 0) l0.
rewrite (gap_threshold_outcome e0 t0 t1 E only) /shown_law leadE; apply: mean_eq => y /noisy_support/andP[_].
have [pos|] := posnP (value 0 (cell_count enough_rows (cell_of w) X) (undup (cell_list enough_rows (cell_of w) X)) s).
  rewrite /cell_count in pos; rewrite pos add0r => yA.
  by rewrite ltNge yA.
by move=> /shown -> _.
Qed.

(** singhal2021.algorithm-2-gap-max-selection: (epsilon, delta)-DP for every public randomness, over any number of cells. *)
Theorem shown_private w : noisy_gap_max.private e t (@row_replaced Row n) (shown_law w).
Proof.
move=> X X' nb E; rewrite !shown_lawE.
have nb' : row_replaced X' X by case: nb => i0 same; exists i0 => i /same.
have ext' rows rows' : rows =1 rows' -> cell_of w rows = cell_of w rows' by exact: ext.
apply: (gap_threshold_private (labels := xpredT)) => //; try exact: occupied_cells_complete.
by move=> c _; split; apply: cell_count_change.
Qed.

(** Three quarters of T >= 3 + 4 A blocks in one cell: it is shown with certainty. *)
Theorem shown_certain w X c : (3 * T <= 4 * cell_count enough_rows (cell_of w) X c)%N -> 3 + 4 * A <= T%:R ->
  shown_law w X (pred1 (Some c)) = 1%E.
Proof.
move=> most large; rewrite shown_lawE; have C := occupied_cells_complete enough_rows (cell_of w) X.
set u := cell_count _ _ _ in most C *; set cs := undup _ in C *.
have cT : (u c <= T)%N by apply: leq_trans (count_size _ _) _; rewrite size_map -cardE card_ord.
have [v [tv vN]] : exists v, (T <= 2 * v + 2)%N /\ (v <= value 0 u cs c)%N.
  set v := (2 * u c - T - 1)%N; exists v; split; first by rewrite /v; lia.
  case: (posnP v) => [->//|pos]; rewrite -(prednK pos).
  apply/(value_above _ C isT); split=> [|c' _ ne]; first by rewrite /v in pos *; lia.
  have := @cell_counts_sum Row n T m enough_rows cell (cell_of w) X c c'; rewrite eq_sym ne -/u => /(_ isT) h.
  by rewrite /v in pos *; lia.
have big : 2 * A < (value 0 u cs c)%:R.
  by move: tv vN; rewrite -!(ler_nat R) natrD natrM => h1 h2; lra.
have pos : (0 < value 0 u cs c)%N.
  by rewrite -(ltr_nat R); apply: le_lt_trans big; rewrite mulr_ge0 // ltW // noise_bound_gt0.
apply: (@gap_threshold_certain _ _ _ _ _ _ _ _ _ _ c) => //=; first by move=> c' pos'; exact: positive_value_unique C pos' pos.
Qed.

(** singhal2021.algorithm-2-gap-max-selection *)
Theorem selection_rule : (forall w, noisy_gap_max.private e t (@row_replaced Row n) (fun X E => shown_law w X (fun c => E (finish w c)))) /\
  forall w X c, (3 * T <= 4 * cell_count enough_rows (cell_of w) X c)%N -> 3 + 4 * A <= T%:R ->
    shown_law w X (pred1 (Some c)) = 1%E.
Proof.
split=> [w|w X c]; last exact: shown_certain.
by apply: private_post_processing; exact: shown_private.
Qed.
End Selection.

(** Three blocks of two rows, the cell a block's first row: everything that the theorem asks for. *)
Example shown_private_holds (R : realType) :
  noisy_gap_max.private (1 : R) (1 / 2) (@row_replaced nat 7)
    (shown_law (isT : (3 * 2 <= 7)%N) (@undup _) (fun (_ : unit) (rows : 'I_2 -> nat) => rows ord0) 1 (1 / 2) tt).
Proof.
by apply: shown_private => //; lra.
Qed.
