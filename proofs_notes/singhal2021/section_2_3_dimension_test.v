(** singhal2021, section 2.3: how often the dimension of the exponential mechanism is right, and the test whether the dimension is at
    most k_max, with Laplace noise. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra zify.
From DPPCA.lib Require Import discrete measure real_releases truncated_line laplace.
From DPPCA.primitives Require Import exponential_mechanism laplace_tails.
From DPPCA.singhal2021 Require Import scores noisy_gap_max general_position strict_subspaces section_2_3_unknown_dimension.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * The test *)

Section Test.
Variables (F : fieldType) (n d ell k_max : nat).
Context {R : realType}.
Variable e : R.
Hypothesis e0 : 0 < e.
Implicit Types (X : 'I_n -> 'rV[F]_d) (E : pred bool).

Let middle : R := (n%:R - ell%:R) / 2.

(** The answer is whether the largest score of a dimension up to k_max, plus Laplace noise of scale 1 / epsilon, exceeds
    (n - ell) / 2: true says k <= k_max. *)
Definition dimension_test_law X E : \bar R := laplace_prob (largest_score X k_max)%:R (1 / e) [set y | E (middle < y)].

Let answers E : [set y | E (middle < y)] =
  if E true then (if E false then setT else `]middle, +oo[%classic) else (if E false then `]-oo, middle]%classic else set0).
Proof.
by case Et: (E true); case Ef: (E false); apply/seteqP; split=> y //=; rewrite ?in_itv /= ?andbT; case: ltP; rewrite ?Et ?Ef.
Qed.

Let measurable_answers E : measurable [set y | E (middle < y)].
Proof. by rewrite answers; do 2 case: ifP => _. Qed.

Let b0 : 0 < 1 / e. Proof. by rewrite divr_gt0. Qed.

(** singhal2021.section-2.3-dimension-test: it is epsilon-DP, and under Problem 2.1 wrong with probability at most
    e^(- epsilon (n - 3 ell) / 2) / 2. *)
Theorem dimension_test : private e 0 (@neighbours F n d) dimension_test_law /\
  forall X k s, (0 < k)%N -> problem X k ell s ->
    (dimension_test_law X (fun a => a != (k <= k_max)%N) <= (expR (- (e * (n%:R - 3 * ell%:R) / 2)) / 2)%:E)%E.
Proof.
split=> [X X' nb E|X k s k0 pr].
  have close : `|(largest_score X k_max)%:R - (largest_score X' k_max)%:R| <= 1 :> R.
    have := largest_score_sensitivity k_max nb; have := largest_score_sensitivity k_max (neighbours_sym nb).
    by rewrite -!(ler_nat R) -!natr1 ler_norml => h1 h2; apply/andP; split; lra.
  apply: le_trans (laplace_mechanism _ (largest_score X' k_max)%:R b0 (@measurable_answers E)) _.
  rewrite leeD2r //; apply: lee_wpmul2r; last first.
    by rewrite lee_fin ler_expR ler_pdivrMr // mulrCA divff ?gt_eqF // mulr1.
  by apply: integral_ge0 => x _; rewrite lee_fin laplace_pdf_ge0.
have [up low] := laplace_tails b0 (largest_score X k_max)%:R middle.
have e1 := congr1 (laplace_prob (largest_score X k_max)%:R (1 / e)) (answers (fun a => a != (k <= k_max)%N)).
have := largest_score_of_problem k_max k0 pr; rewrite [dimension_test_law _ _]e1; case: (k <= k_max)%N => /= lead.
  apply: le_trans low _; rewrite lee_fin ler_pM2r ?invr_gt0 // ler_expR ler_pdivrMr //.
  have : n%:R - 2 * ell%:R <= (largest_score X k_max)%:R :> R.
    by move: lead; rewrite -(ler_nat R) => lead; rewrite lerBlDr -natrM -natrD ler_nat; move: lead; rewrite ler_nat leq_subLR addnC.
  rewrite /middle -[X in _ -> _ <= X](_ : - ((n%:R - 3 * ell%:R) / 2) = _); last by field; rewrite gt_eqF.
  by lra.
rewrite /laplace_prob integral_itv_obnd_cbnd; last by apply: measurable_funTS; exact: measurable_laplace_pdf.
apply: le_trans up _; rewrite lee_fin ler_pM2r ?invr_gt0 // ler_expR ler_pdivrMr //.
move: lead; rewrite -(ler_nat R) => lead.
rewrite /middle -[X in _ <= X](_ : - ((n%:R - 3 * ell%:R) / 2) = _); last by field; rewrite gt_eqF.
by lra.
Qed.
End Test.
Local Close Scope classical_set_scope.

(** * The exponential mechanism *)

Section Accuracy.
Variables (F : fieldType) (n d : nat).
Context {R : realType}.

Lemma dimension_law (r : R) kk (X : 'I_n -> 'rV[F]_d) : 0 < r -> law (@dimension_mechanism F n d R r kk X).
Proof. by move=> r0; apply: law_by_weight => [|i]; [exact: ord0 | exact: exprn_gt0]. Qed.

(** With k_max = kk + 1 >= 2, answer i standing for the dimension i + 1. *)
Lemma dimension_right (e beta : R) kk (X : 'I_n -> 'rV[F]_d) k ell s (k_le : (k < kk.+1)%N) : 0 < e -> (0 < kk)%N -> 0 < beta < 1 ->
  problem X k.+1 ell s -> 3 * ell%:R + 2 / e * ln (kk%:R / beta) <= n%:R ->
  1 - beta <= dimension_mechanism (expR (e / 2)) X (Ordinal k_le).
Proof.
move=> e0 kk0 /andP[beta0 beta1] pr large; have b0 : 0 < 2 / e by rewrite divr_gt0.
have q0 : 0 < kk%:R / beta by rewrite divr_gt0 // ltr0n.
have q1 : 1 <= kk%:R / beta by rewrite ler_pdivlMr // mul1r; apply: le_trans (ltW beta1) _; rewrite ler1n.
have l0 : 0 <= ln (kk%:R / beta) by rewrite ln_ge0.
have enough : (3 * ell <= n)%N by rewrite -(ler_nat R) natrM; have := mulr_ge0 (ltW b0) l0; move: large; lra.
have r1 : 1 < expR (e / 2) by rewrite expR_gt1 divr_gt0.
have := dimension_mechanism_accurate k_le r1 enough pr; set p := dimension_mechanism _ _ _ => others.
have [p0 total] := @dimension_law (expR (e / 2)) kk X (lt_trans ltr01 r1).
rewrite (bigD1 (Ordinal k_le)) //= -/p in total.
have power : kk%:R / beta <= expR (e / 2) ^+ (n - 3 * ell).
  rewrite -expRM_natl -ler_ln ?posrE ?expR_gt0 // expRK natrB // natrM.
  have -> : (n%:R - 3 * ell%:R) * (e / 2) = (n%:R - 3 * ell%:R) / (2 / e) by field; rewrite gt_eqF.
  by rewrite ler_pdivlMr //; move: large; rewrite mulrC; lra.
have odds : kk%:R / expR (e / 2) ^+ (n - 3 * ell) <= beta.
  by rewrite ler_pdivrMr ?exprn_gt0 ?expR_gt0 // mulrC -ler_pdivrMr.
have p1 : p <= 1 by rewrite -total lerDl; apply: sumr_ge0 => i _.
have pp : 0 <= p by exact: p0.
have : kk%:R / expR (e / 2) ^+ (n - 3 * ell) * p <= beta * 1 by apply: ler_pM => //; rewrite divr_ge0 ?exprn_ge0 ?expR_ge0.
by move: others total; lra.
Qed.
End Accuracy.

Lemma card_between n a b : (a <= b)%N -> (b <= n)%N -> #|[set i : 'I_n | (a <= i < b)%N]| = (b - a)%N.
Proof.
move=> ab bn; have := sum_nat_const_nat a b 1; rewrite muln1 => <-.
by rewrite (big_nat_widenl a 0) // (big_nat_widen _ _ n) // big_mkord sum1dep_card.
Qed.

(** The plane of the first two axes with 2 m + 1 points, m of them on the first axis, and m points of the third axis: ell = m,
    n = 3 m + 1. *)
Section Thirds.
Variables (m : nat).
Hypothesis m0 : (0 < m)%N.
Context {R : realType}.

Let off (i : nat) := (m <= i < 2 * m)%N.
Definition thirds (i : 'I_(3 * m).+1) : 'rV[rat]_3 :=
  \row_j (if off i then (j == ord_max)%:R else if j == 0 then 1 else if j == 1 then (if (i < m)%N then 0 else i%:R) else 0).

Let axis (j : 'I_3) : 'rV[rat]_3 := delta_mx 0 j.
Let axis_neq0 j : axis j != 0.
Proof. by apply/eqP => /rowP/(_ j)/eqP; rewrite !mxE !eqxx oner_eq0. Qed.

Let in_plane i : (thirds i <= first_plane)%MS = ~~ off i.
Proof. by rewrite in_first_plane mxE; case: (off i); rewrite ?eqxx ?oner_eq0. Qed.

Let first i : (thirds i) 0 0 = (~~ off i)%:R. Proof. by rewrite mxE; case: (off i). Qed.
Let second (i : 'I_(3 * m).+1) : ~~ off i -> (thirds i) 0 1 = if (i < m)%N then 0 else i%:R.
Proof. by move=> /negPf b; rewrite mxE b. Qed.

Let third (i : 'I_(3 * m).+1) : off i -> thirds i = axis ord_max.
Proof. by move=> b; apply/rowP => j; rewrite !mxE b eqxx. Qed.

Let thirds_neq0 i : thirds i != 0.
Proof.
have [b|b] := boolP (off i); first by rewrite third // axis_neq0.
by apply/eqP => /rowP/(_ 0)/eqP; rewrite first b mxE oner_eq0.
Qed.

(** Points of a line are the same. *)
Let alike (s : 'M[rat]_3) i j : (\rank s < 2)%N -> (thirds i <= s)%MS -> (thirds j <= s)%MS -> thirds j = thirds i.
Proof.
move=> rs xi xj; have /sub_rVP[c e] := same_line rs (thirds_neq0 i) xi xj.
have := congr1 (fun x : 'rV[rat]_3 => x 0 0) e; rewrite [in RHS]mxE !first.
have [bi|bi] := boolP (off i); have [bj|bj] := boolP (off j); rewrite ?mulr0 ?mulr1.
- by rewrite !third.
- by move/eqP; rewrite oner_eq0.
- by move=> c0; move: (thirds_neq0 j); rewrite e -c0 scale0r eqxx.
- by move=> c1; rewrite e -c1 scale1r.
Qed.

Let line_holds (s : 'M[rat]_3) : (\rank s < 2)%N -> (inside thirds s <= m)%N.
Proof.
move=> rs; rewrite /inside; have [->|[i]] := set_0Vmem [set i | (thirds i <= s)%MS]; first by rewrite cards0.
rewrite inE => xi; have same j : (thirds j <= s)%MS -> thirds j = thirds i by exact: alike.
have kept j : (thirds j <= s)%MS -> off j = off i.
  by move/same/(congr1 (fun x : 'rV[rat]_3 => x 0 0)); rewrite !first; do 2 case: (off _).
have [bi|bi] := boolP (off i).
  rewrite -[X in (_ <= X)%N](_ : (2 * m - m = m)%N); last by lia.
  rewrite -(@card_between (3 * m).+1 m (2 * m)); [|lia|lia].
  by apply/subset_leq_card/fintype.subsetP => j; rewrite !inE => /kept; rewrite bi.
have [im|mi] := ltnP i m.
  rewrite -[X in (_ <= X)%N](_ : (m - 0 = m)%N); last by lia.
  rewrite -(@card_between (3 * m).+1 0 m); [|lia|lia].
  apply/subset_leq_card/fintype.subsetP => j; rewrite !inE => xj; have bj := kept j xj; rewrite (negPf bi) in bj.
  have := congr1 (fun x : 'rV[rat]_3 => x 0 1) (same j xj); rewrite !second ?bj // im.
  case: ltnP => // mj /eqP; rewrite pnatr_eq0; move: mj; case: (nat_of_ord j) => //; lia.
apply: leq_trans m0; apply/card_le1_eqP => j k; rewrite !inE => xj xk.
have at_i l : (thirds l <= s)%MS -> l = i.
  move=> xl; have bl := kept l xl; rewrite (negPf bi) in bl.
  have := congr1 (fun x : 'rV[rat]_3 => x 0 1) (same l xl); rewrite !second ?bl // [(i < m)%N]ltnNge mi /=.
  case: ltnP => [lm /eqP|ml /eqP]; last by rewrite eqr_nat => /eqP e; apply: val_inj.
  by rewrite eq_sym pnatr_eq0; move: mi m0; case: (nat_of_ord i) => //; lia.
by rewrite (at_i j xj) (at_i k xk).
Qed.

Let rank_plane : \rank first_plane = 2%N.
Proof. by rewrite /first_plane rank_pid_mx. Qed.

Let off_count : #|[set i : 'I_(3 * m).+1 | off i]| = m.
Proof. by rewrite card_between; lia. Qed.

Let problem_of_plane : problem thirds 2 m first_plane.
Proof.
split; [exact: rank_plane | | exact: line_holds].
rewrite -[X in (X <= _)%N](card_ord (3 * m).+1) -(cardsC [set i | (thirds i <= first_plane)%MS]) leq_add2l -[X in (_ <= X)%N]off_count.
by apply/subset_leq_card/fintype.subsetP => i; rewrite !inE in_plane negbK.
Qed.

Let plane_score : (score thirds first_plane <= m.+1)%N.
Proof.
have lt : (<<axis 0>> < first_plane)%MS.
  by rewrite ltmxErank !genmxE in_first_plane rank_plane rank_rV axis_neq0 !mxE.
apply: leq_trans (score_le_outside thirds lt) _.
rewrite -[X in (_ <= X)%N](_ : (3 * m).+1 - 2 * m = m.+1)%N; last by lia.
rewrite -(@card_between (3 * m).+1 (2 * m) (3 * m).+1); [|lia|lia].
apply/subset_leq_card/fintype.subsetP => i; rewrite !inE in_plane genmxE ltn_ord andbT => /andP[oi]; apply: contraNT => im.
have {}im : (i < m)%N by move: oi im; rewrite /off -ltnNge; lia.
suff -> : thirds i = axis 0 by [].
by apply/rowP => j; rewrite !mxE (negPf oi) im eqxx /=; case: (j == 0); case: (j == 1).
Qed.

Let line_score : (m <= dimension_score thirds 1)%N.
Proof.
have r1 : \rank <<axis ord_max>>%MS = 1%N by rewrite genmxE rank_rV axis_neq0.
apply: leq_trans (_ : m <= score thirds <<axis ord_max>>%MS)%N _; last by rewrite -[X in dimension_score _ X]r1 dimension_score_bound.
have m_in : (m <= inside thirds <<axis ord_max>>%MS)%N.
  rewrite -[X in (X <= _)%N]off_count; apply/subset_leq_card/fintype.subsetP => i; rewrite !inE => oi.
  by rewrite genmxE third.
rewrite /score (_ : supremum thirds _ = 0)%N ?subn0 //; apply/eqP; rewrite -leqn0.
case: (supremumP thirds <<axis ord_max>>%MS) => _; apply=> s; rewrite ltmxErank r1 => /andP[_]; rewrite ltnS leqn0 mxrank_eq0 => /eqP ->.
by rewrite leqn0 cards_eq0; apply/eqP/setP => i; rewrite !inE submx0 (negPf (thirds_neq0 i)).
Qed.

Lemma thirds_undecided (r : R) kk (kk0 : (1 < kk.+1)%N) : 1 <= r ->
  problem thirds 2 m first_plane /\ dimension_mechanism r thirds (Ordinal kk0) <= r / (1 + r).
Proof.
move=> r1; split; first exact: problem_of_plane.
have r0 : 0 < r by apply: lt_le_trans r1.
have [p0 total] := @dimension_law rat _ _ R r kk thirds r0.
have two : dimension_mechanism r thirds (Ordinal kk0) + dimension_mechanism r thirds (ord0 : 'I_kk.+1) <= 1.
  rewrite -total (bigD1 (Ordinal kk0)) //= lerD2l (bigD1 ord0) //= lerDl; exact: sumr_ge0.
have le1 : (dimension_score thirds 2 <= m.+1)%N.
  apply/bigmax_leqP => I _; have [/eqmxP e|/eqmxP ne] := boolP (span thirds I == first_plane)%MS.
    by rewrite (score_eq thirds e) plane_score.
  by apply: leq_trans (score_of_others problem_of_plane ne) _.
have ratio : dimension_mechanism r thirds (Ordinal kk0) <= r * dimension_mechanism r thirds (ord0 : 'I_kk.+1).
  rewrite /dimension_mechanism /exponential /by_weight mulrA ler_pM2r; last first.
    by rewrite invr_gt0; apply: sum_weights_gt0 => [|j]; [exact: ord0 | exact: exprn_gt0].
  by rewrite -exprS; apply: ler_weXn2l => //; rewrite /dimension_scores; apply: leq_trans le1 _; rewrite ltnS line_score.
rewrite ler_pdivlMr ?addr_gt0 //; move: two ratio; set p := dimension_mechanism _ _ _; set q := dimension_mechanism _ _ _ => two ratio.
have : r * (p + q) <= r * 1 by rewrite ler_wpM2l // ltW.
by rewrite mulrDr; lra.
Qed.
End Thirds.

(** singhal2021.section-2.3-unknown-dimension-accuracy *)
Theorem dimension_accuracy (R : realType) :
  (forall (F : fieldType) n d (X : 'I_n -> 'rV[F]_d) k ell s kk (e beta : R) (k_le : (k < kk.+1)%N),
    0 < e -> (0 < kk)%N -> 0 < beta < 1 -> problem X k.+1 ell s -> 3 * ell%:R + 2 / e * ln (kk%:R / beta) <= n%:R ->
    1 - beta <= dimension_mechanism (expR (e / 2)) X (Ordinal k_le)) /\
  forall m kk (e : R) (kk0 : (1 < kk.+1)%N), (0 < m)%N -> 0 < e -> exists (X : 'I_(3 * m).+1 -> 'rV[rat]_3) s,
    problem X 2 m s /\ dimension_mechanism (expR (e / 2)) X (Ordinal kk0) <= expR (e / 2) / (1 + expR (e / 2)).
Proof.
split=> [F n d X k ell s kk e beta k_le|m kk e kk0 m0 e0]; first exact: dimension_right.
exists (@thirds m), first_plane; apply: thirds_undecided => //.
by rewrite ltW // expR_gt1 divr_gt0.
Qed.

Example thirds_compute : thirds (ord0 : 'I_(3 * 1).+1) = delta_mx 0 0.
Proof. by apply/rowP => j; rewrite !mxE /=; case: (j == 0); case: (j == 1). Qed.

Example dimension_test_example (R : realType) : private (1 : R) 0 (@neighbours (rat : fieldType) 9 3) (@dimension_test_law (rat : fieldType) 9 3 2 1 R 1).
Proof. by have [] := @dimension_test (rat : fieldType) 9 3 2 1 R 1 ltr01. Qed.
