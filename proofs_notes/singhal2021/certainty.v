(** singhal2021: when the answer is certain. The gap that GAP-MAX needs, corrupted points, strict subspaces only, brittleness, and
    what the output leads by. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra zify.
From DPPCA.lib Require Import measure real_releases truncated_line.
From DPPCA.singhal2021 Require Import values noisy_gap_max scores algorithm_1_exact noisy_estimators general_position strict_subspaces reached_bounds.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope ring_scope.

(** * The gap that is enough *)

Section Gap.
Context {R : realType} {L : eqType}.
Variables (e t : R).
Hypotheses (e0 : 0 < e) (t0 : 0 < t) (t1 : t <= 1 / 2).
Implicit Types (u : L -> nat) (c : seq L) (s : L).
Local Notation A := (noise_bound e t).

(** The score of s exceeds that of every other candidate, and 0, by more than g. *)
Definition leads_by (g : R) u c s := g < (u s)%:R /\ forall s', s' \in c -> s' != s -> (u s')%:R + g < (u s)%:R.

Lemma value_of_gap g u c s : 0 <= g -> uniq c -> s \in c -> leads_by (1 + g) u c s ->
  g < (value 0 u c s)%:R /\ forall s', (0 < value 0 u c s')%N -> s' = s.
Proof.
move=> g0 uc sc [big lead].
have top s' : s' \in c -> (u s' <= u s)%N.
  by have [-> //|ne] := eqVneq s' s => sc'; rewrite -(ler_nat R); have := lead s' sc' ne; lra.
have second_low : (second u c)%:R + (1 + g) < (u s)%:R.
  rewrite (second_largest uc sc top) big_seq_cond.
  elim/big_ind: _ => [|x y|s' /andP[sc' ne]]; [by rewrite add0r | by case: leqP | exact: lead].
have pos : g < (value 0 u c s)%:R.
  rewrite /value sc maxn0 -subnDA natrB; last by rewrite -(ler_nat R) natrD; move: second_low; lra.
  by rewrite natrD; move: second_low; lra.
split=> // s' pos'; apply: (positive_value_unique (fixed_list_complete 0 u uc) pos').
by rewrite -(ltr_nat R); apply: le_lt_trans pos.
Qed.

(** singhal2021.section-1.4-gap-size: more than 1 + 4 A, or 1 + 2 A with the rule with one noise. *)
Theorem gap_is_enough u c s : uniq c -> s \in c ->
  (leads_by (1 + 4 * A) u c s -> gap_max_law e t 0 u c (pred1 (Some s)) = 1%E) /\
  (leads_by (1 + 2 * A) u c s -> gap_threshold_law e t 0 u c (pred1 (Some s)) = 1%E).
Proof.
move=> uc sc; have A0 := noise_bound_gt0 e0 t0 t1.
split=> /(value_of_gap _ uc sc)[|large only]; try by rewrite mulr_ge0 // ltW.
- by apply: (gap_max_certain e0 t0 t1 uc only) => //=; exact: ltW.
- by apply: (gap_threshold_certain e0 t0 t1 only) => /=.
Qed.

(** singhal2021.section-2.3-random-subsets-small-scores: a label that GAP-MAX shows with a positive probability leads every other one
    on the list, and the floor, by at least 2. *)
Theorem shown_label_leads floor u c s : uniq c -> gap_max_law e t floor u c (pred1 (Some s)) != 0%E ->
  [/\ s \in c, (floor + 2 <= u s)%N & forall s', s' \in c -> s' != s -> (u s' + 2 <= u s)%N].
Proof.
move=> uc shown; have C := fixed_list_complete floor u uc.
suff pos : (0 < value floor u c s)%N.
  have sc := positive_listed pos.
  by have [h1 h2] := (value_above 0 C sc).1 pos; split.
rewrite lt0n; apply: contraNneq shown => zero; apply/eqP.
have dens v : density (noisy_value e t v) by exact: density_noisy.
have [|none] := boolP (has (fun s => 0 < value floor u c s)%N c); last first.
  rewrite gap_max_default //= => s'; apply/eqP; rewrite -leqn0 leqNgt; apply/negP => ps.
  by move/hasPn: none => /(_ s' (positive_listed ps)); rewrite ps.
move=> /hasP[s1 _ ps1]; have only s' : (0 < value floor u c s')%N -> s' = s1.
  by move=> ps'; exact: positive_value_unique C ps' ps1.
have ne : (Some s1 == Some s) = false by apply/negbTE; apply: contraTneq ps1 => -[->]; rewrite zero.
rewrite (gap_max_outcome e0 t0 t1 _ uc only) -[RHS](mean_const (dens (2 * A)) (lexx 0%E)); apply: mean_eq => x _.
rewrite -[RHS](mean_const (dens (value floor u c s1)%:R) (lexx 0%E)); apply: mean_eq => y _.
by case: ifP => _ //=; rewrite ne.
Qed.
End Gap.

(** * Lemma 2.5 from two bounds on scores *)

Lemma lead_of_bounds (n ell u : nat) : (3 * ell + 1 < n)%N -> (n - 2 * ell <= u)%N ->
  [/\ (0 + (n - 3 * ell - 2).+2 <= u)%N, forall v, (v <= ell)%N -> (v + (n - 3 * ell - 2).+2 <= u)%N & (n - 3 * ell - 2).+1 = (n - (3 * ell + 1))%N].
Proof. by move=> large high; split=> [|v vl|]; lia. Qed.

Section FromScores.
Variables (F : fieldType) (n d : nat) (X : 'I_n -> 'rV[F]_d) (ell : nat) (sstar : 'M[F]_d) (sizes : pred nat).
Context {R : realType}.
Variables (e t : R).
Hypotheses (e0 : 0 < e) (t0 : 0 < t) (t1 : t <= 1 / 2) (allowed : sizes (\rank sstar)).
Hypotheses (high : (n - 2 * ell <= score X sstar)%N) (low : forall s, ~ (s :=: sstar)%MS -> (score X s <= ell)%N).
Local Notation A := (noise_bound e t).

Lemma certain_of_scores : 3 * ell%:R + 4 * A + 1 <= n%:R -> exact_law e t sizes X (pred1 (Some << sstar >>%MS)) = 1%E.
Proof.
move=> large; have A0 := noise_bound_gt0 e0 t0 t1; have C := candidates_complete sizes X; have [uc sub _] := C.
have big : (3 * ell + 1 < n)%N by rewrite -(ltr_nat R) natrD natrM; move: A0 large; lra.
have ls : labels sizes << sstar >>%MS by rewrite /labels /= genmx_id eqxx genmxE.
have [lead0 lead next] := lead_of_bounds big high.
have above : (n - 3 * ell - 2 < value 0 (score X) (candidates sizes X) << sstar >>%MS)%N.
  apply/(value_above _ C ls); rewrite (score_eq X (genmxE sstar)); split=> // s /andP[/eqP ns _] ne.
  by apply/lead/low => e1; move/eqP: ne; apply; rewrite -ns; apply/genmxP/eqmxP.
apply: (gap_max_certain e0 t0 t1 uc (s := << sstar >>%MS)) => //=; last first.
  apply: (@le_trans _ _ (n - (3 * ell + 1))%:R); last by rewrite ler_nat -next.
  by rewrite natrB 1?ltnW // natrD natrM; move: large; lra.
by move=> s ps; apply: (positive_value_unique C ps); apply: leq_trans above.
Qed.
End FromScores.

Section Accuracy.
Variables (F : fieldType) (n d : nat).
Context {R : realType}.
Variables (e t : R).
Hypotheses (e0 : 0 < e) (t0 : 0 < t) (t1 : t <= 1 / 2).
Local Notation A := (noise_bound e t).

(** singhal2021.section-2-strict-subspaces: Lemma 2.5 from the strict subspaces alone. *)
Theorem strict_is_certain (X : 'I_n -> 'rV[F]_d) k ell s : strict_problem X k ell s -> 3 * ell%:R + 4 * A + 1 <= n%:R ->
  exact_law e t (pred1 k) X (pred1 (Some << s >>%MS)) = 1%E.
Proof.
move=> st large; have [high low _ _] := strict_subspaces st; apply: (certain_of_scores e0 t0 t1 _ high low large).
by case: st => -> _ _ /=.
Qed.

(** singhal2021.theorem-1.1-robustness: if c points of a dataset in general position are corrupted, ell = k - 1 + c does; so the
    answer is certain for n >= 3 (k - 1 + c) + 4 A + 1, and for a quarter of the points once n is large. *)
Theorem corrupted_points (X X' : 'I_n -> 'rV[F]_d) k c s : (0 < k)%N -> \rank s = k -> general_position X s ->
  (#|[set i | X i != X' i]| <= c)%N ->
  [/\ problem X' k (k.-1 + c) s,
      3 * (k.-1 + c)%:R + 4 * A + 1 <= n%:R -> exact_law e t (pred1 k) X' (pred1 (Some << s >>%MS)) = 1%E &
      (4 * c <= n)%N -> 12 * k.-1%:R + 16 * A + 4 <= n%:R -> exact_law e t (pred1 k) X' (pred1 (Some << s >>%MS)) = 1%E].
Proof.
move=> k0 rs gp few; have [Xs _] := gp; have small := (general_position_equivalence rs Xs).1 gp.
have kd : (0 < k <= d)%N by rewrite k0 -rs rank_leq_col.
have [few_k _ _] := problem_2_1_sizes X s k.-1 kd; have {}small : forall u : 'M[F]_d, (\rank u < k)%N -> (inside X u <= k.-1)%N.
  by apply/few_k => u ru; apply: small; rewrite ru prednK.
have moved (u : 'M[F]_d) (Y Z : 'I_n -> 'rV[F]_d) : (#|[set i | Y i != Z i]| <= c)%N -> (inside Y u <= inside Z u + c)%N.
  move=> yz; rewrite /inside; apply: leq_trans (leq_add (leqnn _) yz); apply: leq_trans (leq_card_setU _ _).
  apply/subset_leq_card/fintype.subsetP => i; rewrite !inE => iu.
  by have [<-|] := eqVneq (Y i) (Z i); rewrite ?iu ?orbT.
have pr : problem X' k (k.-1 + c) s.
  split=> // [|u ru]; last first.
    apply: leq_trans (moved u X' X _) _; last by rewrite leq_add2r small.
    by apply: leq_trans few; apply/subset_leq_card/fintype.subsetP => i; rewrite !inE eq_sym.
  have all : inside X s = n.
    by rewrite /inside (_ : [set i | _] = [set: 'I_n]%SET) ?cardsT ?card_ord //; apply/setP => i; rewrite !inE Xs.
  by have := moved s X X' few; rewrite all; lia.
have sure : 3 * (k.-1 + c)%:R + 4 * A + 1 <= n%:R -> exact_law e t (pred1 k) X' (pred1 (Some << s >>%MS)) = 1%E.
  by move=> large; apply: (exact_law_accurate e0 t0 t1 pr (eqxx k : pred1 k k) _ large) => /=.
split=> // quarter large; apply: sure; move: quarter; rewrite natrD -(ler_nat R) natrM; move: large; lra.
Qed.
End Accuracy.

(** Scores 3 and 1: a lead of more than 1. *)
Example leads_by_computes (R : realType) : leads_by (1 : R) (fun s : bool => if s then 3 else 1)%N [:: true; false] true.
Proof. by split=> [|[] //= _ _]; [rewrite /= ltr1n | rewrite mulr1n; lra]. Qed.
