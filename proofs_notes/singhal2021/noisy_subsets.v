(** singhal2021, section 2.3: Algorithm 1 over random subsets, with its real noise: privacy, and how many subsets are enough.

    The candidates are those of section_2_3_random_subsets.v. The value of a candidate s is max(0, u(s) - max(u(s_2), tau) - 1), s_2
    the second of the candidates, tau a floor; NULL has the value 2 A; the arg max of values plus truncated Laplace noise is
    released (noisy_gap_max.v). *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra zify.
From DPPCA.lib Require Import measure real_releases truncated_line discrete failures.
From DPPCA.singhal2021 Require Import values scores algorithm_1_exact noisy_gap_max noisy_estimators section_2_3_random_subsets.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope ring_scope.

Section Algorithm.
Variables (F : fieldType) (n d k m tau : nat) (R : realType) (e t : R).
Local Notation dataset := ('I_n -> 'rV[F]_d).
Local Notation subspace := 'M[F]_d.
Local Notation subsets := {ffun 'I_m -> k.-tuple 'I_n}.
Local Notation subsets_law := (@subsets_law n k m R).
Local Notation miss := (@miss n k m R).
Implicit Types (X : dataset) (S : subsets) (s : subspace).

(** The probability that the output, a subspace in normal form or NULL, is in E. *)
Definition sampled_law X (E : pred (option subspace)) : R :=
  \sum_S subsets_law S * fine (gap_max_law e t tau (score X) (sampled_candidates X S) E).

(** * Privacy *)

Hypotheses (e0 : 0 < e) (t0 : 0 < t) (t1 : t <= 1 / 2).

Lemma gap_max_fine u (c : seq subspace) E : (fine (gap_max_law e t tau u c E))%:E = gap_max_law e t tau u c E /\
  0 <= fine (gap_max_law e t tau u c E) <= 1.
Proof.
have /andP[h0 h1] := mean_01 (density_noisy e0 t0 t1 (2 * noise_bound e t)) (test_arg_max e0 t0 t1 (value tau u c) None c E).
have fin : gap_max_law e t tau u c E \is a fin_num by rewrite ge0_fin_numE // (le_lt_trans h1) // ltry.
by rewrite fineK // -!lee_fin fineK // h0 h1.
Qed.

Section Privacy.
Hypothesis floor_lt : (tau < n)%N.

(** The probability that the subsets miss one of the two subspaces that matter. *)
Definition failure : R := 2%:R * miss tau.+1.

Let complete_floor X : complete (labels (pred1 k)) tau (score X) (candidates (pred1 k) X).
Proof.
have [uc sub all] := candidates_complete (pred1 k) X; split=> // s ls hi; apply: all => //.
exact: leq_ltn_trans hi.
Qed.

Let t01 : 0 <= t <= 1.
Proof. by rewrite (ltW t0) /=; apply: le_trans t1 _; rewrite ler_pdivrMr // mul1r ler1n. Qed.

Let n_gt0 : (0 < n)%N. Proof. exact: leq_ltn_trans floor_lt. Qed.

(** On every input, the values over the subsets are those over all subspaces of dimension k, but for the failures. *)
Lemma subsets_good X : exists2 B : {set subsets}, pr subsets_law B <= failure & forall S, S \notin B ->
  forall E, gap_max_law e t tau (score X) (sampled_candidates X S) E = gap_max_law e t tau (score X) (candidates (pred1 k) X) E.
Proof.
have [l [size_l high same]] := two_leaders (complete_floor X).
have lS : law subsets_law by apply: law_subsets.
have [S0 _] := lS.
exists [set S : subsets | has (fun s => s \notin sampled_candidates X S) l].
  apply: le_trans (_ : (size l)%:R * miss tau.+1 <= _); last by rewrite ler_wpM2r ?miss_ge0 // ler_nat.
  elim: (l) high => [|s l' IH] high.
    by rewrite mul0r /pr big_pred0 // => S; rewrite inE.
  have -> : [set S : subsets | has (fun s => s \notin sampled_candidates X S) (s :: l')] =
      [set S : subsets | s \notin sampled_candidates X S] :|: [set S : subsets | has (fun s => s \notin sampled_candidates X S) l'].
    by apply/setP => S; rewrite !inE.
  rewrite -[size _]addn1 natrD mulrDl mul1r addrC; apply: le_trans (pr_union _ _ lS) _.
  apply: lerD; last by apply: IH => s' tl; apply: high; rewrite inE tl orbT.
  have [ls hs] := high s (mem_head _ _); apply: le_trans (subsets_miss m R X n_gt0 ls) _.
  apply: miss_le => //; exact: leq_trans (score_le_inside X s) (inside_le X s).
move=> S; rewrite inE => /hasPn found E; have [uc _ _] := complete_floor X.
have uc' : uniq (sampled_candidates X S) by apply: undup_uniq.
have values := same _ uc' (fun s sc => sampled_candidates_labels sc) (fun s sl => negbNE (found s sl)).
apply: (gap_max_same_law e0 t0 t1 E uc' uc) => //.
case: (boolP (has (fun s => 0 < value tau (score X) (sampled_candidates X S) s)%N (sampled_candidates X S))) => [/hasP[s _ ps]|none].
  by left; exists s => s' ps'; exact: positive_value_unique (fixed_list_complete tau (score X) uc') ps' ps.
right=> s; apply/eqP; rewrite -leqn0 leqNgt; apply/negP => ps.
by move/hasPn: none => /(_ s (positive_listed ps)); rewrite ps.
Qed.

(** singhal2021.section-2.3-random-subsets: (epsilon, delta + (1 - delta) beta)-DP with beta = 2 (1 - ((tau + 1) / n)^k)^m, on
    all inputs; the subsets are hidden. *)
Theorem sampled_law_private X X' E : neighbours X X' ->
  sampled_law X E <= expR e * sampled_law X' E + (t + (1 - t) * failure).
Proof.
move=> nb; have [B small good] := subsets_good X; have [B' small' good'] := subsets_good X'.
have [eq u01] := gap_max_fine (score X) (candidates (pred1 k) X) E.
have [eq' u'01] := gap_max_fine (score X') (candidates (pred1 k) X') E.
have lS : law subsets_law by apply: law_subsets.
have P01 S := proj2 (gap_max_fine (score X) (sampled_candidates X S) E).
have P'01 S := proj2 (gap_max_fine (score X') (sampled_candidates X' S) E).
have le : fine (gap_max_law e t tau (score X) (candidates (pred1 k) X) E) <=
    expR e * fine (gap_max_law e t tau (score X') (candidates (pred1 k) X') E) + t.
  rewrite -lee_fin EFinD EFinM eq eq'.
  exact: (gap_max_private e0 t0 t1 (scores_close nb) (complete_floor X) (complete_floor X') E).
exact (hidden_draws lS (expR_ge0 e) t01 u01 u'01 P01 P'01 le small small' (fun S SB => congr1 fine (good S SB E))
  (fun S SB => congr1 fine (good' S SB E))).
Qed.

(** The calibration of the code: so many subsets that beta is at most (delta' - delta) / (1 - delta) give delta' in total. *)
Corollary sampled_law_calibrated delta' X X' E : neighbours X X' -> failure <= (delta' - t) / (1 - t) ->
  sampled_law X E <= expR e * sampled_law X' E + delta'.
Proof.
move=> nb; have d1 : 0 < 1 - t by move: t1; lra.
rewrite ler_pdivlMr // => enough; apply: le_trans (sampled_law_private E nb) _.
by rewrite lerD2l; move: enough; rewrite mulrC; lra.
Qed.
End Privacy.
End Algorithm.

(** * How many subsets are enough *)

Lemma bernoulli (R : realFieldType) (x : R) k : 0 <= x <= 1 -> 1 - k%:R * x <= (1 - x) ^+ k.
Proof.
move=> /andP[x0 x1]; elim: k => [|k IH]; first by rewrite mul0r subr0 expr0.
rewrite exprS; apply: le_trans (ler_wpM2l _ IH); last by lra.
have k0 : 0 <= k%:R * x * x by rewrite !mulr_ge0.
by rewrite -natr1; move: k0; lra.
Qed.

(** singhal2021.section-2.3-random-subsets-inclusion: k row numbers span a subspace of score u with probability (u / n)^k at
    least, so (n / u)^k ln(1 / beta) subsets miss it with probability beta at most. That is at most n^k ln(1 / beta), for
    u = n - 2 ell at most 2 ln(1 / beta) if 4 k ell <= n, and at least 2^k ln(1 / beta) if 4 ell >= n. *)
Theorem subsets_needed (R : realType) (F : fieldType) (n d k m : nat) (X : 'I_n -> 'rV[F]_d) (s : 'M[F]_d) (beta : R) : (0 < n)%N ->
  << s >>%MS = s -> \rank s = k -> (0 < score X s)%N -> 0 < beta < 1 ->
  [/\ ((score X s)%:R / n%:R) ^+ k <= pr (@one_subset n R k) [set t | spans X s (t : k.-tuple 'I_n)],
      (n%:R / (score X s)%:R) ^+ k * ln (1 / beta) <= m%:R -> pr (@subsets_law n k m R) [set S : {ffun 'I_m -> k.-tuple 'I_n} | s \notin sampled_candidates X S] <= beta,
      (n%:R / (score X s)%:R) ^+ k <= n%:R ^+ k :> R,
      forall ell, (4 * k * ell <= n)%N -> (n%:R / (n - 2 * ell)%:R) ^+ k <= 2 :> R &
      forall ell, (n <= 4 * ell)%N -> (2 * ell < n)%N -> 2 ^+ k <= (n%:R / (n - 2 * ell)%:R) ^+ k :> R].
Proof.
move=> n0 norm rk u0 /andP[beta0 beta1]; have n0' : 0 < n%:R :> R by rewrite ltr0n.
have u0' : 0 < (score X s)%:R :> R by rewrite ltr0n.
have un : (score X s <= n)%N by apply: leq_trans (score_le_inside X s) (inside_le X s).
split.
- exact: subset_spans.
- move=> enough; apply: le_trans (subsets_miss m R X n0 _) _; first by rewrite /labels /= norm rk !eqxx.
  rewrite /miss; set x := (_ / n%:R) ^+ k; have x1 : x <= 1.
    by rewrite exprn_ile1 ?divr_ge0 // ler_pdivrMr // mul1r ler_nat.
  apply: (@le_trans _ _ (expR (- x) ^+ m)).
    by apply: lerXn2r; rewrite ?nnegrE ?subr_ge0 ?expR_ge0 //; exact: expR_ge1Dx.
  rewrite -expRM_natl -ler_ln ?posrE ?expR_gt0 // expRK mulrN lerNl -lnV ?posrE // -[beta^-1]mul1r.
  have x0 : 0 < x by rewrite exprn_gt0 // divr_gt0.
  rewrite -ler_pdivrMr //; apply: le_trans enough; rewrite mulrC ler_pM2r ?ln_gt0 ?ltr_pdivlMr ?mul1r //.
  by rewrite /x -exprVn invf_div.
- apply: lerXn2r; rewrite ?nnegrE ?divr_ge0 // ler_pdivrMr // ler_peMr //.
  by rewrite ler1n.
- move=> ell few; have [->|k0] := posnP k; first by rewrite expr0 ler1n.
  have e2 : (4 * ell <= n)%N by move: few k0; clear; nia.
  have v0 : 0 < (n - 2 * ell)%:R :> R by rewrite ltr0n; move: e2 n0; clear; lia.
  rewrite expr_div_n ler_pdivrMr ?exprn_gt0 //; pose x : R := 2 * ell%:R / n%:R.
  have vx : (n - 2 * ell)%:R = n%:R * (1 - x) :> R.
    rewrite natrB; last by move: e2; clear; lia.
    by rewrite natrM /x; field; rewrite gt_eqF.
  have xk : k%:R * x <= 2^-1.
    rewrite /x mulrA ler_pdivrMr //; move: few; rewrite -(ler_nat R) !natrM; lra.
  have x01 : 0 <= x <= 1.
    rewrite divr_ge0 ?mulr_ge0 //=; apply: le_trans (_ : k%:R * x <= _); last by lra.
    by rewrite ler_peMl ?divr_ge0 ?mulr_ge0 // ler1n.
  rewrite vx exprMn mulrCA ler_peMr ?exprn_ge0 //; have := bernoulli k x01; lra.
move=> ell big small; have v0 : 0 < (n - 2 * ell)%:R :> R by rewrite ltr0n subn_gt0.
apply: lerXn2r; rewrite ?nnegrE ?divr_ge0 // ler_pdivlMr // -natrM ler_nat; move: big small; clear; lia.
Qed.

(** * Examples *)

Example miss_computes (R : realType) : failure 4 1 2 1 R = 1 / 2 :> R.
Proof. by rewrite /failure /miss expr1; field. Qed.

(** Fourteen points, lines, six subsets, the floor 3. *)
Example sampled_law_private_example (R : realType) (e t : R) d (X X' : 'I_14 -> 'rV[rat]_d) E : 0 < e -> 0 < t -> t <= 1 / 2 -> neighbours X X' ->
  @sampled_law _ 14 d 1 6 3 R e t X E <= expR e * @sampled_law _ 14 d 1 6 3 R e t X' E + (t + (1 - t) * failure 14 1 6 3 R).
Proof. by move=> e0 t0 t1; exact: sampled_law_private. Qed.
