(** singhal2021, Algorithm 2 with the cell of most blocks selected by its lead (reference/singhal2021/algorithm_2_gap_max.py).

    Model. Lines 1 to 14 are those of algorithm_2_approximate.v; there may be infinitely many cells. Public randomness w
    (reference points, offset, the point in the cell) does not depend on the data and is shown. What is released is the
    leading cell where its lead plus one noise exceeds the noise's bound; the rest is a function of that and of w. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import zify.
From DPPCA.lib Require Import discrete.
From DPPCA.singhal2021 Require Import values gap_max algorithm_1_exact algorithm_2_approximate.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Lead.
Variables (cell : eqType) (found : seq cell -> seq cell).
Implicit Types (l : seq cell) (c : cell).

(** The different cells in some order (the reference sorts them), the counts of their blocks, the largest first. *)
Hypothesis found_cells : forall l, perm_eq (found l) (undup l).
Definition counts l : seq nat := sort geq [seq count_mem c l | c <- found l].

(** The lead max(0, c_1 - c_2 - 1), and the first of the cells with c_1 blocks. *)
Definition lead l : nat := (nth 0 (counts l) 0 - nth 0 (counts l) 1 - 1)%N.
Definition leading_cell l : option cell := ohead [seq c <- found l | count_mem c l == nth 0 (counts l) 0]%N.

Variables (R : realFieldType) (N g : nat).
Hypothesis g_gt0 : (0 < g)%N.

(** The release. *)
Definition show_leading l (y : noise_index N) : option cell :=
  if bound R N g < (lead l)%:R + xi R g y then leading_cell l else None.

Lemma found_complete l : complete xpredT 0 (fun c => count_mem c l) (found l).
Proof.
split=> // [|c _ pos]; first by rewrite (perm_uniq (found_cells l)) undup_uniq.
by rewrite (perm_mem (found_cells l)) mem_undup -has_pred1 has_count.
Qed.

Lemma largest_count l s : s \in found l -> (forall c, c \in found l -> (count_mem c l <= count_mem s l)%N) ->
  nth 0%N (counts l) 0 = count_mem s l.
Proof.
move=> sf top; have geq_trans : transitive geq by move=> y x z /= xy yz; apply: leq_trans yz xy.
have geq_total : total geq by move=> x y; apply: leq_total.
have : sorted geq (counts l) by apply: sort_sorted.
have mem x : x \in counts l = (x \in [seq count_mem c l | c <- found l]) by rewrite mem_sort.
move: (counts l) mem => [|x q] mem sorted_q.
  by have := mem (count_mem s l); rewrite (map_f (fun c => count_mem c l) sf) in_nil.
apply/eqP; rewrite eqn_leq /=; apply/andP; split.
  by have := mem_head x q; rewrite mem => /mapP[c /top le ->].
have : count_mem s l \in x :: q by rewrite mem (map_f (fun c => count_mem c l) sf).
by rewrite inE => /orP[/eqP ->//|sq]; have /allP := order_path_min geq_trans sorted_q; apply.
Qed.

(** The lead is the value of the only cell that can have a positive one, and then this is the leading cell. *)
Lemma lead_is_value l : l != [::] -> exists s, let v := value 0 (fun c => count_mem c l) (undup l) in
  [/\ lead l = v s, forall c, (0 < v c)%N -> c = s & (0 < v s)%N -> leading_cell l = Some s].
Proof.
move=> l0; set u := fun c => count_mem c l; have C := found_complete l.
have C' : complete xpredT 0 u (undup l).
  by split=> // [|c _ pos]; [exact: undup_uniq | rewrite mem_undup -has_pred1 has_count].
have [s0 s0f] : exists s0, s0 \in found l.
  by case: l l0 {C C' u} => // c l _; exists c; rewrite (perm_mem (found_cells _)) mem_undup mem_head.
have [s sf top] := exists_largest u s0f; have c1 := largest_count sf top.
exists s; split=> [|c|pos].
- by rewrite -(value_of_list C C') // /value sf /lead c1 /second maxn0.
- move=> /(value_above 0 C' isT)[_ far]; apply/eqP; apply: contraT => ne.
  have [_ _ all] := C; have := far s isT; rewrite eq_sym ne => /(_ isT).
  have [cl|cl] := boolP (c \in found l); first by have := top c cl; lia.
  by have : (u c <= 0)%N; [rewrite leqNgt; apply: contra cl; apply: all | lia].
have /(value_above 0 C' isT)[_ far] := pos; rewrite /leading_cell c1.
case e: [seq c <- found l | _] => [|c q] /=.
  by have : s \in [seq c <- found l | count_mem c l == count_mem s l]; [rewrite mem_filter eqxx sf | rewrite e].
have : c \in c :: q by apply: mem_head.
rewrite -e mem_filter => /andP[/eqP same _]; congr Some; apply/eqP; apply: contraT => ne.
by have := far c isT ne; rewrite /u same; lia.
Qed.

(** The reference's release is the rule whose privacy gap_max.v proves. *)
Theorem show_leading_is_threshold l y : l != [::] ->
  show_leading l y = gap_threshold R g 0 (fun c => count_mem c l) (undup l) y.
Proof.
move=> /lead_is_value[s [leadE only shown]].
rewrite (gap_threshold_outcome R g_gt0 y only) /show_leading exceeds_bound // leadE; case: ifP => // win.
by rewrite shown // lt0n; apply: contraTneq win => ->; have := ltn_ord y; lia.
Qed.
End Lead.

(** * The algorithm *)

Section Estimator.
Variables (Row : Type) (n t m : nat) (enough_rows : (t * m <= n)%N).
Variables (cell : eqType) (found : seq cell -> seq cell) (W : finType) (cell_of : W -> ('I_m -> Row) -> cell).
Variables (R : realFieldType) (r : R) (N g : nat) (delta : R) (q : W -> R) (Out : Type) (finish : W -> option cell -> Out).
Hypotheses (found_cells : forall l, perm_eq (found l) (undup l)) (t_gt0 : (0 < t)%N) (ext : by_rows cell_of).
Local Notation dataset := ('I_n -> Row).

Definition shown_cell w (X : dataset) (y : noise_index N) : option cell :=
  show_leading found R g (cell_list enough_rows (cell_of w) X) y.
Definition lead_estimator (X : dataset) (wy : W * noise_index N) : W * Out := (wy.1, finish wy.1 (shown_cell wy.1 X wy.2)).

Lemma shown_cell_is_selected w X y : (0 < g)%N -> shown_cell w X y = selected_cell enough_rows (cell_of w) R g X y.
Proof.
move=> g0; apply: show_leading_is_threshold => //; apply/eqP => /(congr1 size).
by rewrite size_map size_enum_ord => e; have := t_gt0; rewrite e.
Qed.

(** singhal2021.algorithm-2-gap-max-selection: e^epsilon = r^(2 g), noise of scale 2 / epsilon and bound A = N / g. *)
Theorem lead_estimator_private : calibrated r N g delta -> law q ->
  private (r ^+ (2 * g)) delta (joint q (fun _ => noise_law r (N := N))) (@row_replaced Row n) lead_estimator.
Proof.
move=> cal lq; have [_ g0 _ _] := cal.
apply: (private_public (run := fun w X y => finish w (shown_cell w X y)) lq) => w.
apply: (private_post_processing (finish w)) => X X' nb E.
have same Y : [set y | E (shown_cell w Y y)] = [set y | E (selected_cell enough_rows (cell_of w) R g Y y)].
  by apply/setP => y; rewrite !inE shown_cell_is_selected.
by rewrite !same; apply: (selected_cell_private enough_rows _ t_gt0 cal nb) => rows rows'; apply: ext.
Qed.

(** Three quarters of t >= 3 + 4 A blocks in one cell: it is shown, whatever the noise is. *)
Theorem shown_cell_accurate w X c y : (0 < g)%N -> (3 * t <= 4 * cell_count enough_rows (cell_of w) X c)%N ->
  3%:R + 4%:R * bound R N g <= t%:R :> R -> shown_cell w X y = Some c.
Proof.
move=> g0 most large; rewrite shown_cell_is_selected //; apply: selected_cell_accurate => //.
by rewrite addrC; apply: lt_le_trans large; rewrite ltrD2r ltr_nat.
Qed.
End Estimator.

(** * Examples *)

Example show_leading_computes :
  let run l y := show_leading (@undup _) (rat : realFieldType) 1 l (y : noise_index 1) in
  [:: run [:: 2; 2; 2; 2; 7]%N ord_max; run [:: 2; 2; 7; 7]%N ord_max; run [:: 7; 2; 2; 2; 2]%N ord0;
      run [:: 7; 2; 2; 2; 2; 2]%N ord0] = [:: Some 2; None; None; Some 2]%N.
Proof. by apply/eqP; vm_compute. Qed.

(** Three blocks of two rows, the cell a block's first row: everything that the theorem asks for. *)
Example lead_estimator_holds :
  private (2%:R ^+ (2 * 1)) 4%:R^-1 (joint (dirac (rat : realFieldType) tt) (fun _ => noise_law 2%:R (N := 3))) (@row_replaced nat 7)
    (lead_estimator (isT : (3 * 2 <= 7)%N) (@undup _) (fun (_ : unit) rows => rows ord0) (rat : realFieldType) 1 (fun _ c => c)).
Proof.
apply: lead_estimator_private => [l|//|w rows rows' same||].
- exact: perm_refl.
- exact: same.
- by split; vm_compute.
- exact: law_dirac.
Qed.
