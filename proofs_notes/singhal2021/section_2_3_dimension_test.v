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

(** Half of the points on a line, half on different lines of a plane beside it: ell = m, n = 2 m. *)
Section Halves.
Variables (m : nat).
Hypothesis m0 : (0 < m)%N.
Context {R : realType}.

Definition halves (i : 'I_(2 * m)) : 'rV[rat]_3 := \row_j (if (i < m)%N then (j == 0)%:R else if j == 0 then 0 else if j == 1 then 1 else i%:R).

Let first : 'rV[rat]_3 := delta_mx 0 0.

Let near (i : 'I_(2 * m)) : (i < m)%N -> halves i = first.
Proof. by move=> im; apply/rowP => j; rewrite !mxE im eqxx. Qed.

Let count (P : pred nat) : (#|[set i : 'I_(2 * m) | P i]| = \sum_(i < 2 * m) P i)%N.
Proof. by rewrite -sum1dep_card big_mkcond /=; apply: eq_bigr => i _; case: (P i). Qed.

Let lower : #|[set i : 'I_(2 * m) | (i < m)%N]| = m.
Proof.
rewrite (count (fun i => i < m)%N) mul2n -addnn big_split_ord /= (eq_bigr (fun=> 1%N)) => [|i _]; last by rewrite ltn_ord.
by rewrite [X in (_ + X)%N]big1 ?addn0 ?sum1_card ?card_ord // => i _; rewrite ltnNge leq_addr.
Qed.

Let upper : #|[set i : 'I_(2 * m) | ~~ (i < m)%N]| = m.
Proof.
have := cardsC [set i : 'I_(2 * m) | (i < m)%N]; rewrite lower card_ord mul2n -addnn => /addnI e; rewrite -[RHS]e.
by apply: eq_card => i; rewrite !inE.
Qed.

Let far_neq (i : 'I_(2 * m)) : ~~ (i < m)%N -> (halves i) 0 1 = 1.
Proof. by move=> /negPf im; rewrite !mxE im. Qed.

Let first_neq0 : first != 0.
Proof. by apply/eqP => /rowP/(_ 0)/eqP; rewrite !mxE !eqxx oner_eq0. Qed.

Let line_holds (s : 'M[rat]_3) : (\rank s < 2)%N -> (inside halves s <= m)%N.
Proof.
move=> rs; have [/existsP[i /andP[xi im]]|none] := boolP [exists i, (halves i <= s)%MS && (i < m)%N].
  rewrite -[X in (_ <= X)%N]lower; apply/subset_leq_card/fintype.subsetP => j; rewrite !inE => xj; apply: contraTT xj => jm.
  apply/negP => xj; rewrite near // in xi; have /sub_rVP[c /rowP/(_ 1)] := same_line rs first_neq0 xi xj.
  by rewrite far_neq // !mxE /= mulr0 => /eqP; rewrite oner_eq0.
rewrite -[X in (_ <= X)%N]upper; apply/subset_leq_card/fintype.subsetP => j; rewrite !inE => xj.
by move: none; rewrite negb_exists => /forallP/(_ j); rewrite xj.
Qed.

Let problem_of_line : problem halves 1 m <<first>>%MS.
Proof.
split; first by rewrite genmxE rank_rV first_neq0.
  have : (m <= inside halves <<first>>%MS)%N.
    rewrite -[X in (X <= _)%N]lower; apply/subset_leq_card/fintype.subsetP => i; rewrite !inE => im.
    by rewrite near // genmxE submx_refl.
  by move: (inside _ _) => u mu; rewrite mul2n -addnn leq_add2r.
by move=> s rs; apply: line_holds; apply: ltnW.
Qed.

Let plane : 'M[rat]_3 := kermx (first^T).

Let in_plane (x : 'rV[rat]_3) : (x <= plane)%MS = (x 0 0 == 0).
Proof.
have e : (x *m first^T) 0 0 = x 0 0.
  by rewrite mxE !big_ord_recl big_ord0 !mxE /= mulr1 !mulr0 !addr0.
apply/sub_kermxP/eqP => [h|h]; first by rewrite -e h mxE.
by apply/matrixP => a b; rewrite !ord1 e h mxE.
Qed.

Let plane_score : (m <= (dimension_score halves 2).+1)%N.
Proof.
have rp : \rank plane = 2%N by rewrite mxrank_ker mxrank_tr rank_rV first_neq0.
apply: leq_trans (_ : m <= (score halves plane).+1)%N _; last by have := dimension_score_bound halves plane; rewrite rp ltnS.
have m_in : (m <= inside halves plane)%N.
  rewrite -[X in (X <= _)%N]upper; apply/subset_leq_card/fintype.subsetP => i; rewrite !inE => /negPf im.
  by rewrite in_plane !mxE im /=.
have sup : (supremum halves plane <= 1)%N.
  case: (supremumP halves plane) => _; apply=> s; rewrite ltmxErank rp => /andP[sp rs].
  apply/card_le1_eqP => i j; rewrite !inE => xi xj.
  have far l : (halves l <= s)%MS -> ~~ (l < m)%N.
    move=> xl; apply/negP => lm; have := submx_trans xl sp; rewrite near // in_plane !mxE !eqxx /=.
    by rewrite oner_eq0.
  have i1 := far_neq (far i xi); have j1 := far_neq (far j xj).
  have xi0 : halves i != 0 by apply/eqP => z; move: i1; rewrite z mxE => /eqP; rewrite eq_sym oner_eq0.
  have /sub_rVP[c e] := same_line rs xi0 xi xj.
  have c1 : c = 1 by rewrite -j1 e mxE i1 mulr1.
  move: e; rewrite c1 scale1r => /rowP/(_ ord_max); rewrite !mxE (negPf (far i xi)) (negPf (far j xj)) /= => /eqP.
  by rewrite eqr_nat => /eqP h; apply: val_inj; rewrite /= h.
by move: m_in sup; rewrite /score; clear; lia.
Qed.

Lemma halves_undecided (r : R) kk : 1 <= r -> (0 < kk)%N ->
  problem halves 1 m <<first>>%MS /\ dimension_mechanism r halves (ord0 : 'I_kk.+1) <= r / (1 + r).
Proof.
move=> r1 kk0; split; first exact: problem_of_line.
have r0 : 0 < r by apply: lt_le_trans r1.
pose i1 : 'I_kk.+1 := Ordinal (kk0 : (1 < kk.+1)%N).
have [p0 total] := @dimension_law rat _ _ R r kk halves r0.
have two : dimension_mechanism r halves (ord0 : 'I_kk.+1) + dimension_mechanism r halves i1 <= 1.
  rewrite -total (bigD1 ord0) //= lerD2l (bigD1 i1) //= lerDl; exact: sumr_ge0.
have le1 : (dimension_score halves 1 <= m)%N.
  apply/bigmax_leqP => I /andP[_ /eqP rI]; apply: leq_trans (score_le_inside _ _) _.
  by apply: line_holds; rewrite rI.
have ratio : dimension_mechanism r halves (ord0 : 'I_kk.+1) <= r * dimension_mechanism r halves i1.
  rewrite /dimension_mechanism /exponential /by_weight mulrA ler_pM2r; last first.
    by rewrite invr_gt0; apply: sum_weights_gt0 => [|j]; [exact: ord0 | exact: exprn_gt0].
  by rewrite -exprS; apply: ler_weXn2l => //; rewrite /dimension_scores; apply: leq_trans le1 plane_score.
rewrite ler_pdivlMr ?addr_gt0 //; move: two ratio; set p := dimension_mechanism _ _ _; set q := dimension_mechanism _ _ _ => two ratio.
have : r * (p + q) <= r * 1 by rewrite ler_wpM2l // ltW.
by rewrite mulrDr; lra.
Qed.
End Halves.

(** singhal2021.section-2.3-unknown-dimension-accuracy *)
Theorem dimension_accuracy (R : realType) :
  (forall (F : fieldType) n d (X : 'I_n -> 'rV[F]_d) k ell s kk (e beta : R) (k_le : (k < kk.+1)%N),
    0 < e -> (0 < kk)%N -> 0 < beta < 1 -> problem X k.+1 ell s -> 3 * ell%:R + 2 / e * ln (kk%:R / beta) <= n%:R ->
    1 - beta <= dimension_mechanism (expR (e / 2)) X (Ordinal k_le)) /\
  forall m kk (e : R), (0 < m)%N -> (0 < kk)%N -> 0 < e -> exists (X : 'I_(2 * m) -> 'rV[rat]_3) s,
    problem X 1 m s /\ dimension_mechanism (expR (e / 2)) X (ord0 : 'I_kk.+1) <= expR (e / 2) / (1 + expR (e / 2)).
Proof.
split=> [F n d X k ell s kk e beta k_le|m kk e m0 kk0 e0]; first exact: dimension_right.
exists (@halves m), <<delta_mx 0 0 : 'rV[rat]_3>>%MS; apply: halves_undecided => //.
by rewrite ltW // expR_gt1 divr_gt0.
Qed.

Example halves_compute : halves (ord0 : 'I_(2 * 1)) = delta_mx 0 0.
Proof. by apply/rowP => j; rewrite !mxE eqxx. Qed.

Example dimension_test_example (R : realType) : private (1 : R) 0 (@neighbours (rat : fieldType) 9 3) (@dimension_test_law (rat : fieldType) 9 3 2 1 R 1).
Proof. by have [] := @dimension_test (rat : fieldType) 9 3 2 1 R 1 ltr01. Qed.
