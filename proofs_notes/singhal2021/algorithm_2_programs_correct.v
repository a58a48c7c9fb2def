(** The programs of subspace_programs.v compute what the models of singhal2021 say: the blocks of Algorithm 2, the lead of its
    cells and whether the leading one is shown, and the threshold form of Algorithm 1.

    The models' noise is on a grid: index y stands for (y - N) / g and the bound for N / g. The programs take all numbers
    times a unit, which is g here, so the bound is N and the noise y - N. *)

From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import zify ssrZ.
From DPPCA.liu2022 Require Import counting_programs counting_programs_correct.
From DPPCA.singhal2021 Require Import scores values gap_max algorithm_1_exact algorithm_2_approximate algorithm_2_gap_max.
From DPPCA.singhal2021 Require subspace_programs.
From DPPCA.singhal2021 Require subspace_programs_correct.
From DPPCA.liu2022 Require parts_of_the_data.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.

(** * Blocks *)

(** Line 4: t batches of m rows are the blocks of the model. *)
Theorem blocks_program_correct (Row : Type) (x0 : Row) n t m (enough : t * m <= n) (X : 'I_n -> Row) :
  batches_program t m [seq X i | i <- enum 'I_n] = [seq [seq block enough X j i | i <- enum 'I_m] | j <- enum 'I_t].
Proof.
have sz : size [seq X i | i <- enum 'I_n] = n by rewrite size_map size_enum_ord.
rewrite (batches_program_correct x0) ?sz // /mkseq -(val_enum_ord t) -map_comp.
apply: eq_map => j /=; rewrite /parts_of_the_data.batch -[j * m]addn0 iotaDl -map_comp -(val_enum_ord m) -map_comp.
apply: eq_map => i /=; have lt := row_of_block enough j i.
rewrite (nth_map (Ordinal lt)) ?size_enum_ord // -[X in nth _ _ X]/(val (Ordinal lt)) nth_ord_enum.
by congr X; apply: val_inj.
Qed.

(** * The lead of the cells *)

Lemma counts_programE l : counts_program l = counts found_program l.
Proof. by congr sort; apply: eq_map => c; apply: count_program_correct. Qed.

Theorem lead_program_correct l : lead_program l = lead found_program l.
Proof. by rewrite /lead_program counts_programE. Qed.

Theorem leading_program_correct l : leading_program l = leading_cell found_program l.
Proof. by congr ohead; apply: eq_filter => c; rewrite counts_programE count_program_correct. Qed.

(** The program's cells are what the model takes for granted of them. *)
Theorem found_cells l : perm_eq (found_program l) (undup l).
Proof. by case: (found_program_correct l). Qed.

(** * One noise against its bound *)

Section Noise.
Variables (R : realFieldType) (N g : nat).
Hypothesis g_gt0 : (0 < g)%N.

(** The noise of index y, times g. *)
Definition noise_numerator (y : noise_index N) : Z := Z.sub (Z.of_nat y) (Z.of_nat N).

Theorem exceeds_program_correct v y :
  exceeds_program (Z.of_nat g) (Z.of_nat N) (noise_numerator y) v = (bound R N g < v%:R + xi R g y)%R.
Proof. by rewrite exceeds_bound // /exceeds_program /noise_numerator; apply/idP/idP; lia. Qed.

(** Algorithm 2: what the program shows is the release of the model, whose privacy is [lead_estimator_private]. *)
Theorem show_leading_program l (y : noise_index N) : show_leading found_program R g l y =
  if exceeds_program (Z.of_nat g) (Z.of_nat N) (noise_numerator y) (lead_program l) then leading_program l else None.
Proof. by rewrite exceeds_program_correct lead_program_correct leading_program_correct. Qed.

(** The threshold form of Algorithm 1: the program's number is the place (from 1) of the candidate that is shown, 0 for NULL. *)
Theorem threshold_program_correct (L : eqType) floor (u : L -> nat) (c : seq L) (s0 : L) y :
  let place := threshold_program (Z.of_nat g) (Z.of_nat N) (noise_numerator y)
                 (subspace_programs.values_program floor [seq u s | s <- c]) in
  gap_threshold R g floor u c y = if place is i.+1 then Some (nth s0 c i) else None.
Proof.
rewrite subspace_programs_correct.values_program_correct /threshold_program /gap_threshold exceeds_program_correct size_map.
pose P s := 0 < value floor u c s; rewrite (_ : find _ _ = find P c); last by rewrite find_map.
rewrite -/P -has_find; have [e|no] := boolP (has P c); last first.
  by move: no; rewrite has_filter negbK => /eqP ->.
have -> : [seq s <- c | P s] = nth s0 c (find P c) :: behead [seq s <- c | P s].
  by elim: (c) e => //= s c' IH; case: ifP => //= Ps /IH.
by rewrite (nth_map s0) -?has_find //=; case: ifP.
Qed.

(** Which complete list of candidates is used makes no difference. *)
Lemma gap_threshold_of_list (L : eqType) (labels : pred L) floor (u : L -> nat) (c c' : seq L)
    (y : noise_index N) : complete labels floor u c -> complete labels floor u c' ->
  gap_threshold R g floor u c y = gap_threshold R g floor u c' y.
Proof.
move=> C C'; have same s : value floor u c s = value floor u c' s.
  have [ls|no] := boolP (labels s); first exact: value_of_list C C' ls.
  have [_ sub _] := C; have [_ sub' _] := C'; rewrite /value.
  by rewrite (negPf (contra (sub s) no)) (negPf (contra (sub' s) no)).
have [/hasP[s _ pos]|no] := boolP (has (fun s => 0 < value floor u c s) c).
  have only t : 0 < value floor u c t -> t = s by move=> pos'; apply: positive_value_unique C pos' pos.
  rewrite (gap_threshold_outcome R g_gt0 y only) (gap_threshold_outcome R g_gt0 y (s := s)) ?same // => t.
  by rewrite -same; apply: only.
rewrite /gap_threshold; have none s : (0 < value floor u c s) = false.
  by apply/negP => pos; move/hasP: no; apply; exists s => //; apply: contraTT pos; rewrite /value => /negPf ->.
have none' s : (0 < value floor u c' s) = pred0 s by rewrite -same none.
by rewrite (eq_filter none) (eq_filter none') !filter_pred0.
Qed.

(** Algorithm 1 with one noise on points with integer coordinates, from end to end. *)
Theorem threshold_estimator_program d (l : seq subspace_programs.point) ks (y : noise_index N) :
  let subsets := subspace_programs.subsets_of_sizes ks l in
  let scores := subspace_programs.scores_program d l subsets in
  threshold_estimator R g (mem ks) (@subspace_programs_correct.dataset_of d l) y =
  if threshold_program (Z.of_nat g) (Z.of_nat N) (noise_numerator y)
       (subspace_programs.values_program 0 [seq e.2 | e <- scores]) is i.+1
  then Some <<subspace_programs_correct.span_of d (nth ([::], 0) scores i).1>>%MS else None.
Proof.
move=> subsets scores; set X := @subspace_programs_correct.dataset_of d l.
pose label (e : seq subspace_programs.point * nat) : 'M[rat]_d := <<subspace_programs_correct.span_of d e.1>>%MS.
have C := @subspace_programs_correct.candidates_program_complete d l ks; have C' := candidates_complete (mem ks) X.
rewrite /threshold_estimator (gap_threshold_of_list y C' C).
rewrite (_ : [seq _ | T <- _] = map label scores); last by rewrite -map_comp.
rewrite (threshold_program_correct _ _ _ (label ([::], 0))).
rewrite -map_comp; have -> : [seq (score X \o label) e | e <- scores] = [seq e.2 | e <- scores].
  by apply/eq_in_map => e /subspace_programs_correct.scores_program_correct ->.
case: (threshold_program _ _ _ _) => // i; congr Some.
have [lt|ge] := ltnP i (size scores); first by rewrite (nth_map ([::], 0)).
by rewrite [RHS]/= (nth_default _ ge) nth_default // size_map.
Qed.
End Noise.

(** The definitions compute, and the hypotheses can be met: g = 2 and N = 3, noise 1/2 of index 4, so a value of 2 is shown. *)
Example noise_numerator_computes : noise_numerator (Ordinal (isT : 4 < (0 + 2 * 3).+1)) = 1%z. Proof. by []. Qed.
Example threshold_program_holds (R : realFieldType) (u : bool -> nat) (y : noise_index 3) :
  gap_threshold R 2 0 u [:: true; false] y =
  if threshold_program 2 3 (noise_numerator y) (subspace_programs.values_program 0 [:: u true; u false]) is i.+1
  then Some (nth true [:: true; false] i) else None.
Proof. exact: (threshold_program_correct R (isT : 0 < 2) 0 u _ true). Qed.
Example show_leading_holds (R : realFieldType) l (y : noise_index 3) : show_leading found_program R 2 l y =
  if exceeds_program 2 3 (noise_numerator y) (lead_program l) then leading_program l else None.
Proof. exact: (show_leading_program R (isT : 0 < 2)). Qed.
