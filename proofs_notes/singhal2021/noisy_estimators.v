(** singhal2021, Algorithm 1 as corrected, with its real noise: privacy on all inputs and accuracy under Problem 2.1, for all
    epsilon > 0, 0 < delta <= 1/2, n, d and allowed sizes (k alone, or 1 to k_max); and the selection of a cell in Algorithm 2.

    The candidates are those of algorithm_1_exact.v, the noise that of noisy_gap_max.v: each candidate has a noisy value. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral.
From mathcomp Require Import ring lra zify.
From DPPCA.lib Require Import measure real_releases truncated_line.
From DPPCA.singhal2021 Require Import scores values algorithm_1_exact algorithm_2_approximate noisy_gap_max.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope ring_scope.

(** * Algorithm 1 *)

Section Algorithm1.
Variables (F : fieldType) (n d : nat).
Local Notation dataset := ('I_n -> 'rV[F]_d).
Local Notation subspace := 'M[F]_d.
Context {R : realType}.
Variables (e t : R) (sizes : pred nat).
Hypotheses (e0 : 0 < e) (t0 : 0 < t) (t1 : t <= 1 / 2).
Implicit Types (X : dataset) (E : pred (option subspace)).
Local Notation A := (noise_bound e t).

(** The probabilities of the output, and of the output of the rule with one noise. *)
Definition exact_law X E : \bar R := gap_max_law e t 0 (score X) (candidates sizes X) E.
Definition threshold_law X E : \bar R := gap_threshold_law e t 0 (score X) (candidates sizes X) E.

Let uniq_candidates X : uniq (candidates sizes X).
Proof. by case: (candidates_complete sizes X). Qed.

(** singhal2021.lemma-2.3 as corrected, singhal2021.section-2.3-all-dimensions: (epsilon, delta)-DP on all inputs. *)
Theorem exact_law_private : noisy_gap_max.private e t (@neighbours F n d) exact_law.
Proof.
move=> X X' nb E; apply: (gap_max_private (labels := labels sizes)) => //.
- exact: scores_close.
- exact: candidates_complete.
- exact: candidates_complete.
Qed.

(** The rule with one noise is (epsilon, delta)-DP. *)
Theorem threshold_law_private : noisy_gap_max.private e t (@neighbours F n d) threshold_law.
Proof.
move=> X X' nb E; apply: (gap_threshold_private (labels := labels sizes)) => //.
- exact: scores_close.
- exact: candidates_complete.
- exact: candidates_complete.
Qed.

(** The output is NULL or a subspace of an allowed dimension. *)
Theorem exact_law_codomain X E : E None -> (forall s, << s >>%MS = s -> sizes (\rank s) -> E (Some s)) -> exact_law X E = 1%E.
Proof.
move=> E0 Es; apply: gap_max_support => // s sc; have [_ sub _] := candidates_complete sizes X.
by have /andP[/eqP norm size] := sub s sc; exact: Es.
Qed.

(** singhal2021.section-2-filter-privacy: any other list that holds every label of positive score gives the same law. *)
Theorem exact_law_of_list X c E : complete (labels sizes) 0 (score X) c -> gap_max_law e t 0 (score X) c E = exact_law X E.
Proof.
move=> C; have C' := candidates_complete sizes X; have [uc _ _] := C.
have off s : ~~ labels sizes s -> value 0 (score X) c s = 0%N /\ value 0 (score X) (candidates sizes X) s = 0%N.
  by move=> ls; rewrite (value_off_labels C ls) (value_off_labels C' ls).
have same s : value 0 (score X) c s = value 0 (score X) (candidates sizes X) s.
  by case: (boolP (labels sizes s)) => [|/off[-> ->] //]; exact: value_of_list.
apply: gap_max_same_law => //; case: (boolP (has (fun s => 0 < value 0 (score X) c s)%N c)) => [/hasP[s _ ps]|none].
  by left; exists s => s' ps'; exact: positive_value_unique C ps' ps.
right=> s; apply/eqP; rewrite -leqn0 leqNgt; apply/negP => ps.
by move/hasPn: none => /(_ s (positive_listed ps)); rewrite ps.
Qed.

(** What is listed and has no positive value has probability 0. *)
Theorem exact_law_zero X s : value 0 (score X) (candidates sizes X) s = 0%N -> exact_law X (pred1 (Some s)) = 0%E.
Proof.
move=> zero; have C := candidates_complete sizes X.
have [|none] := boolP (has (fun s => 0 < value 0 (score X) (candidates sizes X) s)%N (candidates sizes X)); last first.
  rewrite /exact_law gap_max_default //= => s'; apply/eqP; rewrite -leqn0 leqNgt; apply/negP => ps.
  by move/hasPn: none => /(_ s' (positive_listed ps)); rewrite ps.
move=> /hasP[s1 _ ps1]; have only s' : (0 < value 0 (score X) (candidates sizes X) s')%N -> s' = s1.
  by move=> ps'; exact: positive_value_unique C ps' ps1.
have ne : s1 != s by apply: contraTneq ps1 => ->; rewrite zero.
rewrite /exact_law (gap_max_outcome e0 t0 t1 _ (uniq_candidates X) only).
rewrite -[RHS](mean_const (density_noisy e0 t0 t1 (2 * A))) //; apply: mean_eq => x _.
rewrite -[RHS](mean_const (density_noisy e0 t0 t1 (value 0 (score X) (candidates sizes X) s1)%:R)) //.
apply: mean_eq => y _; case: ifP => _ //=.
by rewrite (_ : (Some s1 == Some s) = false) //; apply/negbTE.
Qed.

(** * Accuracy *)

Section Accuracy.
Variables (X : dataset) (k ell : nat) (sstar : subspace) (E : pred (option subspace)).
Hypotheses (problem_2_1 : problem X k ell sstar) (allowed : sizes k) (Es : E (Some << sstar >>%MS)).

Let value_real (c : R) : 0 <= c -> 3 * ell%:R + c + 1 <= n%:R -> (3 * ell + 1 < n)%N ->
  c <= (value 0 (score X) (candidates sizes X) << sstar >>%MS)%:R.
Proof.
move=> c0 large big; have := value_of_answer problem_2_1 allowed (ltn0Sn 0) big.
rewrite -(ler_nat R) -subnDA natrB; last exact: ltnW.
by rewrite natrD natrM => h; lra.
Qed.

Let big_of (c : R) : 0 < c -> 3 * ell%:R + c + 1 <= n%:R -> (3 * ell + 1 < n)%N.
Proof. by move=> c0 large; rewrite -(ltr_nat R) natrD natrM; lra. Qed.

(** singhal2021.lemma-2.5 as corrected: from n >= 3 ell + 4 A + 1 on the answer has probability 1. *)
Theorem exact_law_accurate : 3 * ell%:R + 4 * A + 1 <= n%:R -> exact_law X E = 1%E.
Proof.
move=> large; have A0 : 0 < 4 * A by rewrite mulr_gt0 // noise_bound_gt0.
have big := big_of A0 large; apply: (@gap_max_certain _ _ _ _ _ _ _ _ _ _ << sstar >>%MS) => //.
- by move=> s; exact: (only_answer problem_2_1 allowed (ltn0Sn 0) big).
- exact: value_real (ltW A0) large big.
Qed.

(** singhal2021.algorithm-1-null-threshold: with one noise from n > 3 ell + 2 A + 1 on. *)
Theorem threshold_law_accurate : 3 * ell%:R + 2 * A + 1 < n%:R -> threshold_law X E = 1%E.
Proof.
move=> large; have A0 : 0 < 2 * A by rewrite mulr_gt0 // noise_bound_gt0.
have big := big_of A0 (ltW large); apply: (@gap_threshold_certain _ _ _ _ _ _ _ _ _ _ << sstar >>%MS) => //.
  by move=> s; exact: (only_answer problem_2_1 allowed (ltn0Sn 0) big).
pose c := n%:R - 3 * ell%:R - 1 : R; have c0 : 2 * A < c by rewrite /c; lra.
apply: lt_le_trans c0 _; apply: value_real => //; rewrite /c; [lra|lra].
Qed.
End Accuracy.

(** singhal2021.algorithm-1-null-threshold *)
Theorem threshold_rule : noisy_gap_max.private e t (@neighbours F n d) threshold_law /\
  forall X k ell s, problem X k ell s -> sizes k -> 3 * ell%:R + 2 * A + 1 < n%:R -> threshold_law X (pred1 (Some << s >>%MS)) = 1%E.
Proof.
split=> [|X k ell s pr size large]; first exact: threshold_law_private.
by apply: (threshold_law_accurate pr size _ large); exact: eqxx.
Qed.

(** singhal2021.section-2.3-all-dimensions *)
Theorem all_dimensions : noisy_gap_max.private e t (@neighbours F n d) exact_law /\
  forall X k ell s, problem X k ell s -> sizes k -> 3 * ell%:R + 4 * A + 1 <= n%:R -> exact_law X (pred1 (Some << s >>%MS)) = 1%E.
Proof.
split=> [|X k ell s pr size large]; first exact: exact_law_private.
by apply: (exact_law_accurate pr size _ large); exact: eqxx.
Qed.

(** singhal2021.section-2-filter-privacy: any list with every label of positive score gives the same law, and what has the value 0
    has probability 0. *)
Theorem filter_private : (forall X c E, complete (labels sizes) 0 (score X) c ->
    gap_max_law e t 0 (score X) c E = exact_law X E) /\
  forall X s, value 0 (score X) (candidates sizes X) s = 0%N -> exact_law X (pred1 (Some s)) = 0%E.
Proof. by split=> [X c E|X s]; [exact: exact_law_of_list | exact: exact_law_zero]. Qed.

(** singhal2021.algorithm-1-null: NULL has probability 1 whenever every value is 0. *)
Theorem null_of_no_value X : (forall s, value 0 (score X) (candidates sizes X) s = 0%N) -> exact_law X (pred1 None) = 1%E.
Proof. by move=> zero; rewrite /exact_law gap_max_default. Qed.
End Algorithm1.

(** * The size of the bound *)

(** A <= 2 + (2 / epsilon) max(0, ln(1 / (2 delta))), so n of Theorem 1.1 is enough. *)
Lemma noise_bound_le (R : realType) (e t : R) : 0 < e -> 0 < t -> t <= 1 / 2 ->
  noise_bound e t <= 2 + 2 / e * ln (1 / (2 * t)).
Proof.
move=> e0 t0 t1; have E0 := expR_gt0 e; have b0 : 0 < 2 / e by rewrite divr_gt0.
have q0 : 0 < 1 / (2 * t) by rewrite divr_gt0 ?mulr_gt0.
have q1 : 1 <= 1 / (2 * t) by rewrite ler_pdivlMr ?mulr_gt0 //; lra.
have E1 : 1 <= expR e by rewrite -expR0 ler_expR ltW.
have arg : 0 < 1 + (expR e - 1) / (2 * t).
  by rewrite ltr_wpDr // divr_ge0 ?mulr_ge0 ?(ltW t0) // subr_ge0.
have -> : 2 + 2 / e * ln (1 / (2 * t)) = 2 / e * ln (expR e * (1 / (2 * t))) :> R.
  by rewrite lnM ?posrE // expRK mulrDr divfK // gt_eqF.
have m0 : 0 < expR e * (1 / (2 * t)) := mulr_gt0 E0 q0.
rewrite /noise_bound ler_pM2l // ler_ln ?posrE //.
by rewrite mulrBl; move: q1; rewrite !mul1r; lra.
Qed.

Section Theorem11.
Variables (F : fieldType) (n d k ell : nat).
Context {R : realType}.
Variables (e t : R) (s0 : 'M[F]_d).
Hypotheses (e0 : 0 < e) (t0 : 0 < t) (rank_s0 : \rank s0 = k).

(** Algorithm 1 as corrected, at min(delta, 1/2), with NULL mapped to s0; E is an event of subspaces. *)
Definition recovered_law (X : 'I_n -> 'rV[F]_d) (E : pred 'M[F]_d) : \bar R :=
  exact_law e (Num.min t (1 / 2)) (pred1 k) X (fun o => E (odflt s0 o)).

(** singhal2021.theorem-1.1, singhal2021.theorem-2.2 as corrected: (epsilon, delta)-DP, always of dimension k, and s_*  with
    probability 1 for n >= 3 ell + 9 + (8 / epsilon) max(0, ln(1 / (2 delta))). *)
Theorem subspace_recovery : [/\ noisy_gap_max.private e t (@neighbours F n d) recovered_law,
    forall X, recovered_law X (fun s => \rank s == k) = 1%E &
    3 * ell%:R + 9 + 8 / e * Num.max 0 (ln (1 / (2 * t))) <= n%:R ->
      forall X s, problem X k ell s -> recovered_law X (fun s' => (s' == s)%MS) = 1%E].
Proof.
pose t' := Num.min t (1 / 2); have t'0 : 0 < t' by rewrite lt_min t0 divr_gt0.
have t'1 : t' <= 1 / 2 by rewrite ge_min lexx orbT.
have t't : t' <= t by rewrite ge_min lexx.
split=> [X X' nb E|X|large X s pr].
- apply: le_trans (exact_law_private (pred1 k) e0 t'0 t'1 nb (fun o => E (odflt s0 o))) _.
  by rewrite leeD2l // lee_fin.
- apply: (exact_law_codomain e0 t'0 t'1) => [|s _ /eqP rk] /=; first by rewrite rank_s0.
  exact/eqP.
- apply: (exact_law_accurate e0 t'0 t'1 pr (eqxx k : pred1 k k)) => /=; first exact/eqmxP/genmxE.
  apply: le_trans large; have le := noise_bound_le e0 t'0 t'1.
  have lm : ln (1 / (2 * t')) <= Num.max 0 (ln (1 / (2 * t))).
    rewrite /t' le_max; have [le1|lt1] := leP t (1 / 2); first by rewrite lexx orbT.
    by rewrite (_ : 1 / (2 * (1 / 2)) = 1) ?ln1 ?lexx //; field.
  have e8 : 8 / e * Num.max 0 (ln (1 / (2 * t))) = 4 * (2 / e * Num.max 0 (ln (1 / (2 * t)))) by field; rewrite gt_eqF.
  have lm2 : 2 / e * ln (1 / (2 * t')) <= 2 / e * Num.max 0 (ln (1 / (2 * t))) by rewrite ler_wpM2l // divr_ge0 // ltW.
  rewrite e8; move: lm2 le; move: (2 / e * _) (2 / e * _) => x y; lra.
Qed.
End Theorem11.

(** Thirty points of the plane. *)
Example subspace_recovery_example (R : realType) (e t : R) : 0 < e -> 0 < t ->
  noisy_gap_max.private e t (@neighbours (rat : fieldType) 30 2) (@recovered_law (rat : fieldType) 30 2 2 R e t 1%:M).
Proof.
move=> e0 t0; case: (@subspace_recovery (rat : fieldType) 30 2 2 3 R e t 1%:M e0 t0 (mxrank1 _ _)) => h _ _.
exact: h.
Qed.

Example threshold_rule_example (R : realType) (e t : R) : 0 < e -> 0 < t -> t <= 1 / 2 ->
  noisy_gap_max.private e t (@neighbours (rat : fieldType) 30 2) (@threshold_law (rat : fieldType) 30 2 R e t (pred1 1%N)).
Proof.
move=> e0 t0 t1; case: (@threshold_rule (rat : fieldType) 30 2 R e t (pred1 1%N) e0 t0 t1) => h _.
exact: h.
Qed.
