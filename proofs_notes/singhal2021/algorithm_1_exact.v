(** singhal2021, Algorithm 1 (exact subspace estimator), as corrected in reference/singhal2021/algorithm_1_exact.py and, over
    several dimensions, in section_2_3_all_dimensions.py: privacy on all inputs, accuracy under Problem 2.1.

    Model. Points with coordinates in any field F. Candidates: the spans of the independent sets of points whose size is
    allowed (k; or 1 to k_max). Value of a candidate: max(0, u - u(s_2) - 1); of NULL: 2 A. Each draw is one noise on the grid
    of gap_max.v; NULL has one, each set of points has one, and [owner X s] is the set whose draw counts for s: in
    the code the last set that spans s; here any rule. Released is the arg max, a subspace in normal form <<s>> or None. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import zify.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import discrete.
From DPPCA.primitives Require Import truncated_laplace.
From DPPCA.singhal2021 Require Import scores values gap_max.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** * The calibration *)

(** singhal2021.truncated-laplace-bound: with E = e^epsilon = r^(2 g) and A = N / g, the condition is e^(epsilon A / 2) >=
    1 + (E - 1) / (2 delta), that is A >= (2 / epsilon) ln(1 + (E - 1) / (2 delta)): the continuous noise's exact bound. *)
Definition calibrated (R : realFieldType) (r : R) (N g : nat) (delta : R) :=
  [/\ 1 < r, (0 < g)%N, 0 < delta <= 1 / 2%:R & 1 + (r ^+ (2 * g) - 1) / (2%:R * delta) <= r ^+ N].

Section Calibration.
Variables (R : realFieldType) (r : R) (N g : nat) (delta : R).
Hypothesis cal : calibrated r N g delta.

(** The support reaches the sensitivity, and the noise spends at most delta. *)
Lemma calibrated_reach : (2 * g <= N)%N.
Proof.
case: cal => r1 g0 /andP[d0 d1] le; have E1 : 1 <= r ^+ (2 * g) by apply: exprn_ege1; apply: ltW.
rewrite -(ler_eXn2l r1); apply: le_trans le.
rewrite -lerBlDl -[X in X <= _]mulr1; apply: ler_wpM2l; first by rewrite subr_ge0.
by rewrite invf_ge1 ?mulr_gt0 ?ltr0n // mulrC -ler_pdivlMr ?ltr0n.
Qed.

(** singhal2021.truncated-laplace-bound: the condition is enough. *)
Theorem calibrated_delta : tlap_delta r N (2 * g) <= delta.
Proof.
case: cal => r1 g0 /andP[d0 d1] le.
rewrite /tlap_delta ler_pdivrMr ?denominator_gt0 //.
have -> : r ^+ (2 * g) - 1 = delta * (2%:R * ((r ^+ (2 * g) - 1) / (2%:R * delta))).
  by field; rewrite ?gt_eqF ?ltr0n.
apply: ler_wpM2l; first exact: ltW.
have {}le : (r ^+ (2 * g) - 1) / (2%:R * delta) <= r ^+ N - 1 by rewrite lerBrDl.
have {}le := ler_wpM2l (ltW (ltr0n _ 2 : (0 : R) < 2%:R)) le; apply: le_trans le _.
rewrite mulrBr mulr1 lerD2r mulr_natl mulr2n lerD2r.
by apply: ler_weXn2l => //; apply: ltW.
Qed.
End Calibration.

(** Enough is e^(epsilon A / 2) >= e^epsilon / (2 delta), that is A >= 2 + (2 / epsilon) ln(1 / (2 delta)). *)
Lemma calibrated_simple (R : realFieldType) (r : R) (N g : nat) (delta : R) :
  1 < r -> (0 < g)%N -> 0 < delta <= 1 / 2%:R -> r ^+ (2 * g) / (2%:R * delta) <= r ^+ N -> calibrated r N g delta.
Proof.
move=> r1 g0 /andP[d0 d1] le; split; rewrite ?d0 //; apply: le_trans le.
rewrite mulrBl addrCA gerDl subr_le0 mul1r invf_ge1 ?mulr_gt0 ?ltr0n //.
by rewrite mulrC -ler_pdivlMr ?ltr0n.
Qed.

(** * The algorithm *)

Section Algorithm.
Variables (F : fieldType) (n d : nat).
Local Notation dataset := ('I_n -> 'rV[F]_d).
Local Notation subspace := 'M[F]_d.
Implicit Types (X : dataset) (s : subspace) (sizes : pred nat).

(** Lines 3 and 4: the spans of the independent sets of allowed size, without repetitions. *)
Definition candidates sizes X : seq subspace :=
  let independent (Q0 : {set 'I_n}) := sizes #|Q0| && (\rank (span X Q0) == #|Q0|) in
  undup [seq <<span X Q0>>%MS | Q0 <- enum [set: {set 'I_n}] & independent Q0].

(** All subspaces of an allowed dimension, each by its normal form. *)
Definition labels sizes : pred subspace := [pred s | (<<s>>%MS == s) && sizes (\rank s)].

(** singhal2021.algorithm-1-candidates, singhal2021.section-2-filter: every other subspace of these dimensions has score 0. *)
Theorem candidates_complete sizes X : complete (labels sizes) 0 (score X) (candidates sizes X).
Proof.
split; first exact: undup_uniq.
  move=> s; rewrite mem_undup => /mapP[Q0]; rewrite mem_filter => /andP[/andP[size /eqP rS] _] ->.
  by rewrite /labels /= genmx_id eqxx genmxE rS.
move=> s /andP[/eqP norm size] pos; have [Q0 cS eS] := positive_score_listed pos.
rewrite mem_undup; apply/mapP; exists Q0; last by rewrite -norm; apply/esym/genmxP/eqmxP.
by rewrite mem_filter cS size mem_enum inE eS eqxx.
Qed.

Lemma scores_close sizes X X' : neighbours X X' -> close_scores (labels sizes) (score X) (score X').
Proof. by move=> nb s _; split; apply: score_change => //; apply: neighbours_sym. Qed.

Variables (R : realFieldType) (r : R) (N g : nat) (owner : dataset -> subspace -> {set 'I_n}).
Local Notation draws := {ffun option {set 'I_n} -> noise_index N}.

(** Algorithm 1: NULL's draw is number None. *)
Definition exact_estimator sizes X (w : draws) : option subspace :=
  gap_max R g None (fun s => Some (owner X s)) 0 (score X) (candidates sizes X) w.

(** The shorter correction: one noise. *)
Definition threshold_estimator sizes X (y : noise_index N) : option subspace :=
  gap_threshold R g 0 (score X) (candidates sizes X) y.

(** singhal2021.algorithm-1-codomain: the output is NULL or has an allowed dimension. *)
Theorem exact_estimator_codomain sizes X w s : exact_estimator sizes X w = Some s -> <<s>>%MS = s /\ sizes (\rank s).
Proof.
have [_ sub _] := candidates_complete sizes X.
rewrite /exact_estimator /gap_max /arg_max => e.
have [mem _] := arg_max_is_largest (None, 2%:R * bound R N g + xi R g (w None))
  [seq (Some s, (value 0 (score X) (candidates sizes X) s)%:R + xi R g (w (Some (owner X s)))) | s <- candidates sizes X].
move: mem; rewrite inE => /orP[/eqP E|/mapP[t tc E]]; first by rewrite E in e.
by move: e; rewrite E /= => -[<-]; have /andP[/eqP] := sub t tc.
Qed.

(** singhal2021.algorithm-1-few-points: with fewer than k points the output is NULL. *)
Theorem exact_estimator_few_points k X w : (n < k)%N -> exact_estimator (pred1 k) X w = None.
Proof.
move=> few; rewrite /exact_estimator /gap_max; suff -> : candidates (pred1 k) X = [::] by [].
apply/eqP; rewrite -size_eq0 /candidates -leqn0 leqNgt; apply/negP; rewrite -has_predT => /hasP[s].
rewrite mem_undup => /mapP[Q0]; rewrite mem_filter => /andP[/andP[/eqP cS _] _] _ _.
by move: (max_card (mem Q0)); rewrite cS card_ord leqNgt few.
Qed.

(** singhal2021.section-2-filter-privacy: any other list that holds every label of positive score gives the same output. *)
Theorem exact_estimator_of_list sizes X c (w : draws) : complete (labels sizes) 0 (score X) c -> (0 < g)%N ->
  gap_max R g None (fun s => Some (owner X s)) 0 (score X) c w = exact_estimator sizes X w.
Proof.
move=> C g0; have C' := candidates_complete sizes X.
have off s : ~~ labels sizes s -> value 0 (score X) c s = 0%N /\ value 0 (score X) (candidates sizes X) s = 0%N.
  by move=> ls; rewrite (value_off_labels C ls) (value_off_labels C' ls).
have e s : value 0 (score X) c s = value 0 (score X) (candidates sizes X) s.
  by case: (boolP (labels sizes s)) => [|/off[-> ->] //]; apply: value_of_list.
case: (boolP (has (fun s => 0 < value 0 (score X) c s)%N c)) => [/hasP[s _ ps]|none].
  have only t : (0 < value 0 (score X) c t)%N -> t = s by move=> pt; apply: positive_value_unique C pt ps.
  have only' t : (0 < value 0 (score X) (candidates sizes X) t)%N -> t = s by rewrite -e => /only.
  by rewrite /exact_estimator (gap_max_outcome R None g0 _ w C only) (gap_max_outcome R None g0 _ w C' only') e.
have zero t : value 0 (score X) c t = 0%N.
  apply/eqP; rewrite -leqn0 leqNgt; apply/negP => pt.
  by move/hasPn: none => /(_ t (positive_listed pt)); rewrite pt.
by rewrite /exact_estimator !gap_max_default // => t; rewrite -e.
Qed.

(** * Privacy *)

(** singhal2021.lemma-2.3 as corrected, singhal2021.section-2.3-all-dimensions: (epsilon, delta)-DP on all inputs, for all
    n, d, k (or k_max) and every rule for the draws. *)
Theorem exact_estimator_private sizes delta : calibrated r N g delta ->
  private (r ^+ (2 * g)) delta (noises_law r (N := N) (J := option ({set 'I_n} : finType))) (@neighbours F n d) (exact_estimator sizes).
Proof.
move=> cal X X' nb E; case: (cal) => r1 g0 _ _.
have reach := calibrated_reach cal; have near := scores_close (sizes := sizes) nb.
have C := candidates_complete sizes X; have C' := candidates_complete sizes X'.
have nn Y : not_null None (fun s => Some (owner Y s)) by [].
apply: le_trans (gap_max_private r1 g0 reach (nn X) (nn X') near C C' E) _.
by rewrite lerD2l; apply: calibrated_delta.
Qed.

(** singhal2021.algorithm-1-null-threshold: the rule with one noise is (epsilon, delta)-DP. *)
Theorem threshold_estimator_private sizes delta : calibrated r N g delta ->
  private (r ^+ (2 * g)) delta (noise_law r (N := N)) (@neighbours F n d) (threshold_estimator sizes).
Proof.
move=> cal X X' nb E; case: (cal) => r1 g0 _ _.
have reach := calibrated_reach cal; have near := scores_close (sizes := sizes) nb.
have C := candidates_complete sizes X; have C' := candidates_complete sizes X'.
apply: le_trans (gap_threshold_private r1 g0 reach near C C' E) _.
by rewrite lerD2l; apply: calibrated_delta.
Qed.

(** * Accuracy *)

Section Accuracy.
Variables (X : dataset) (sizes : pred nat) (k ell : nat) (sstar : subspace).
Hypotheses (problem_2_1 : problem X k ell sstar) (allowed : sizes k) (g_gt0 : (0 < g)%N).

Lemma value_of_answer : (3 * ell + 1 < n)%N ->
  (n - 3 * ell - 1 <= value 0 (score X) (candidates sizes X) <<sstar>>%MS)%N.
Proof.
move=> large; have C := candidates_complete sizes X.
have ls : labels sizes <<sstar>>%MS by rewrite /labels /= genmx_id eqxx genmxE; case: problem_2_1 => ->.
have := score_of_answer problem_2_1; rewrite -(score_eq X (genmxE sstar)) => high.
suff : (n - 3 * ell - 2 < value 0 (score X) (candidates sizes X) <<sstar>>%MS)%N by lia.
apply/(value_above _ C ls); split=> [|t /andP[/eqP nt _] ts]; first by lia.
suff : (score X t <= ell)%N by lia.
apply: (score_of_others problem_2_1) => e; move/eqP: ts; apply; rewrite -nt.
by apply/genmxP/eqmxP.
Qed.

Lemma only_answer : (3 * ell + 1 < n)%N ->
  forall t, (0 < value 0 (score X) (candidates sizes X) t)%N -> t = <<sstar>>%MS.
Proof.
move=> large t pt; apply: (positive_value_unique (candidates_complete sizes X) pt).
by apply: leq_trans (value_of_answer large); lia.
Qed.

(** In units of the grid: n > 3 ell + c A + 1 gives a value above c A. *)
Lemma large_n (c : nat) : 3%:R * ell%:R + c%:R * bound R N g + 1 < n%:R :> R ->
  (3 * ell + 1 < n)%N /\ (c * N < g * (n - 3 * ell - 1))%N.
Proof.
have gR : 0 < g%:R :> R by rewrite ltr0n.
rewrite -(ltr_pM2l gR) (_ : g%:R * _ = (g * (3 * ell + 1) + c * N)%:R).
  by rewrite -natrM ltr_nat => h; split; nia.
by rewrite /bound !(natrD, natrM) /=; field; rewrite gt_eqF.
Qed.

(** singhal2021.lemma-2.5 as corrected: the answer is certain for n > 3 ell + 4 A + 1. (At equality the noises of the grid can
    tie, with a probability that the continuous noise does not have.) *)
Theorem exact_estimator_accurate w : 3%:R * ell%:R + 4%:R * bound R N g + 1 < n%:R :> R ->
  exact_estimator sizes X w = Some <<sstar>>%MS.
Proof.
move=> /large_n[large win]; rewrite /exact_estimator.
rewrite (gap_max_outcome R None g_gt0 _ w (candidates_complete sizes X) (only_answer large)).
have := value_of_answer large; have := ltn_ord (w None); have := leq0n (w (Some (owner X <<sstar>>%MS))).
set v := value _ _ _ _; move=> _ w0 hv; rewrite ifT //.
have : (4 * N < g * v)%N by apply: leq_trans win _; rewrite leq_mul2l hv orbT.
move: (g * v)%N (w _) (w _) w0 => V x y; lia.
Qed.

(** singhal2021.algorithm-1-null-threshold: with one noise it is certain for n > 3 ell + 2 A + 1. *)
Theorem threshold_estimator_accurate y : 3%:R * ell%:R + 2%:R * bound R N g + 1 < n%:R :> R ->
  threshold_estimator sizes X y = Some <<sstar>>%MS.
Proof.
move=> /large_n[large win]; rewrite /threshold_estimator.
rewrite (gap_threshold_outcome R g_gt0 y (only_answer large)).
have := value_of_answer large; set v := value _ _ _ _ => hv; rewrite ifT //.
by apply: leq_trans win _; apply: leq_trans (leq_addr _ _); rewrite leq_mul2l hv orbT.
Qed.

End Accuracy.

(** singhal2021.theorem-1.1, singhal2021.theorem-2.2 as corrected: with NULL mapped to any fixed subspace s0 of dimension k the
    output always has dimension k, is (epsilon, delta)-DP, and answers Problem 2.1 for n > 3 ell + 4 A + 1. *)
Theorem estimator_of_theorem_1_1 k delta (s0 : subspace) : calibrated r N g delta -> \rank s0 = k ->
  let M X w := odflt s0 (exact_estimator (pred1 k) X w) in
  [/\ private (r ^+ (2 * g)) delta (noises_law r (N := N) (J := option ({set 'I_n} : finType))) (@neighbours F n d) M,
      forall X w, \rank (M X w) = k &
      forall X ell s w, problem X k ell s -> 3%:R * ell%:R + 4%:R * bound R N g + 1 < n%:R :> R -> (M X w :=: s)%MS].
Proof.
move=> cal r0 M; split=> [|X w|X ell s w pr large].
- exact: private_post_processing (exact_estimator_private (pred1 k) cal).
- by rewrite /M; case e: (exact_estimator _ X w) => [s|//] /=; have [_ /eqP] := exact_estimator_codomain e.
- case: cal => _ g0 _ _; rewrite /M (exact_estimator_accurate pr (eqxx k : pred1 k k) g0 w large) /=.
  exact: genmxE.
Qed.

End Algorithm.
