(** singhal2021: what no private algorithm does. Theorem 1.1 without a constant, its optimality, a gap of 1, a single block.

    A law of outputs P : pred Out -> \bar R is additive on events that do not meet ([additive_law]); algorithms are any family of
    such laws that is (epsilon, delta)-DP ([private] of noisy_gap_max.v). *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra zify.
From DPPCA.lib Require Import measure real_releases truncated_line.
From DPPCA.singhal2021 Require Import values scores noisy_gap_max general_position reached_bounds.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope ring_scope.

(** * Laws of outputs *)

Section Laws.
Context {R : realType} {Out : eqType}.
Implicit Types (P : pred Out -> \bar R) (E : pred Out).

Definition additive_law P := [/\ P xpredT = 1%E, forall E, (0 <= P E)%E &
  forall E E', (forall s, ~~ (E s && E' s)) -> P (fun s => E s || E' s) = (P E + P E')%E].

Variable P : pred Out -> \bar R.
Hypothesis law : additive_law P.

Lemma law_complement E : (P E + P (fun s => ~~ E s) = 1)%E.
Proof.
have [one _ add] := law; rewrite -add => [|s]; last by case: (E s).
by rewrite -one; congr P; apply/funext => s; case: (E s).
Qed.

Lemma law_le E E' : (forall s, E s -> E' s) -> (P E <= P E')%E.
Proof.
move=> sub; have [_ P0 add] := law.
have -> : E' = fun s => E s || (E' s && ~~ E s).
  by apply/funext => s; have := sub s; case: (E s); case: (E' s) => // /(_ isT).
by rewrite add ?leeDl // => s; case: (E s); rewrite //= andbF.
Qed.

Lemma law_none E : (forall s, ~~ E s) -> P E = 0%E.
Proof.
move=> none; have := law_complement xpredT; have [-> P0 _] := law; rewrite (_ : (fun s => ~~ xpredT s) = E); last first.
  by apply/funext => s; apply/esym/negbTE/none.
move=> e; have fin : P E \is a fin_num.
  by rewrite ge0_fin_numE // (le_lt_trans _ (ltry 1)) // -e leeDr // lee_fin.
by move: e; rewrite -(fineK fin) -EFinD => -[] /eqP; rewrite -[X in _ == X]addr0 (inj_eq (addrI _)) => /eqP ->.
Qed.

Lemma law_zero E : P E = 1%E -> P (fun s => ~~ E s) = 0%E.
Proof.
move=> one; have := law_complement E; have [_ P0 _] := law; rewrite one => e.
have fin : P (fun s => ~~ E s) \is a fin_num.
  by rewrite ge0_fin_numE // (le_lt_trans _ (ltry 1)) // -e leeDr // lee_fin.
by move: e; rewrite -(fineK fin) -EFinD => -[] /eqP; rewrite -[X in _ == X]addr0 (inj_eq (addrI _)) => /eqP ->.
Qed.

(** Of N outputs one has probability 1 / N at most. *)
Lemma law_sum (l : seq Out) : uniq l -> (\sum_(s <- l) P (pred1 s) <= 1)%E.
Proof.
move=> ul; have [one P0 add] := law; apply: (@le_trans _ _ (P (mem l))); last by rewrite -one; exact: law_le.
elim: l ul => [|s l IH] /=; first by rewrite big_nil.
move=> /andP[sl ul]; rewrite big_cons; apply: (@le_trans _ _ (P (pred1 s) + P (mem l)))%E; first by rewrite leeD2l // IH.
by rewrite -add => [|s']; [apply: law_le => s' /=; rewrite inE | apply/negP => /andP[/eqP ->]; apply/negP].
Qed.
End Laws.

(** * Two neighbours with different answers *)

Lemma certain_neighbours (R : realType) (e t : R) (Data : Type) (Out : eqType) (near : Data -> Data -> Prop)
    (law : Data -> pred Out -> \bar R) X X' (E E' : pred Out) :
  (forall Y, additive_law (law Y)) -> private e t near law -> near X X' -> (forall s, ~~ (E s && E' s)) ->
  law X E = 1%E -> law X' E' = 1%E -> 1 <= t.
Proof.
move=> al priv nb apart one one'; have := priv _ _ nb E; rewrite one.
have -> : law X' E = 0%E.
  apply/eqP; rewrite eq_le; have [_ P0 _] := al X'; rewrite P0 andbT -(law_zero (al X') one').
  by apply: law_le => // s Es; have := apart s; rewrite Es.
by rewrite mule0 add0e lee_fin.
Qed.

(** singhal2021.section-1.4-gap-size: a gap of 1 never makes a selection among two labels certain, for delta < 1. *)
Theorem gap_of_one (R : realType) (e t : R) (law : (bool -> nat) -> pred bool -> \bar R) :
  (forall u, additive_law (law u)) -> private e t (close_scores xpredT) law -> t < 1 ->
  ~ (forall u s, u s = (u (~~ s)).+1 -> law u (pred1 s) = 1%E).
Proof.
move=> al priv t1 sure; have := @certain_neighbours R e t _ _ (close_scores xpredT) law
  (fun s => if s then 1 else 0)%N (fun s => if s then 0 else 1)%N (pred1 true) (pred1 false) al priv.
rewrite leNgt t1 => H; suff : false by []; apply: H.
- by case.
- by case.
- exact: sure.
- exact: sure.
Qed.

(** * Theorem 1.1 as printed *)

(** singhal2021.theorem-1.1: for every C there are epsilon and delta < 1 with C (ell + L / epsilon) <= n = 1, at ell = 0 and k = 1 in
    the plane, such that no (epsilon, delta)-DP algorithm answers every instance with certainty. *)
Theorem constant_needed (F : fieldType) (R : realType) (C : R) : 0 < C ->
  exists e t : R, [/\ 0 < e, 0 < t < 1, C * (0 + ln (1 / t) / e) <= 1 &
    forall law : ('I_1 -> 'rV[F]_2) -> pred 'M[F]_2 -> \bar R, (forall X, additive_law (law X)) ->
      private e t (@neighbours F 1 2) law ->
      ~ (forall X s, problem X 1 0 s -> law X (fun s' => (s' == s)%MS) = 1%E)].
Proof.
move=> C0; pose t : R := 2^-1; have L0 : 0 < ln (1 / t) by rewrite ln_gt0 // /t invrK mul1r ltr1n.
exists (C * ln (1 / t)), t; split.
- exact: mulr_gt0.
- by rewrite /t; apply/andP; split; lra.
- by rewrite add0r mulrA -[X in _ * X / _]mul1r; rewrite mul1r divff // gt_eqF ?mulr_gt0.
move=> law al priv sure.
pose axis (j : 'I_2) (_ : 'I_1) : 'rV[F]_2 := delta_mx 0 j.
have pr j : problem (axis j) 1 0 <<delta_mx 0 j : 'rV[F]_2>>%MS.
  apply: line_has_no_ell => [|i|i]; [by rewrite genmxE mxrank_delta | by rewrite genmxE submx_refl |].
  by apply/eqP => /rowP/(_ j)/eqP; rewrite !mxE !eqxx oner_eq0.
have := @certain_neighbours R _ t _ _ _ law (axis 0) (axis 1) _ _ al priv _ _ (sure _ _ (pr 0)) (sure _ _ (pr 1)).
have half : (1 <= t) = false by apply/negbTE; rewrite -ltNge /t; lra.
rewrite half => H; suff : false by []; apply: H.
  by exists ord0 => i; rewrite (ord1 i) eqxx.
move=> s; apply/negP => /andP[/eqmxP e0 /eqmxP e1].
have : ((delta_mx 0 0 : 'rV[F]_2) <= (delta_mx 0 1 : 'rV[F]_2))%MS by rewrite -(genmxE (delta_mx 0 1)) -e1 e0 genmxE submx_refl.
move=> /sub_rVP[a] /rowP/(_ 0)/eqP; rewrite !mxE !eqxx /= mulr0.
by rewrite oner_eq0.
Qed.

(** * Optimality: one answer and another, as few replacements apart as possible *)

Lemma half_bounds M : [/\ M./2 <= M, M./2 <= M - M./2 & 2 * (M - M./2) <= M.+1]%N.
Proof.
have := odd_double_half M; rewrite -addnn; have : (odd M <= 1)%N by case: (odd M).
by move: (odd M : nat) (M./2) => o h; split; lia.
Qed.

Section GroupPrivacy.
Context {R : realType}.
Variables (e t : R) (Data : Type) (Out : eqType) (near : Data -> Data -> Prop) (law : Data -> pred Out -> \bar R).
Hypotheses (t0 : 0 <= t) (al : forall X, additive_law (law X)) (priv : private e t near law).
Hypothesis sym : forall X X', near X X' -> near X' X.

(** delta (E^m - 1) / (E - 1), E = e^epsilon, as a sum. *)
Definition group_delta m : R := t * \sum_(i < m) expR e ^+ i.

Lemma group_deltaE m : expR e != 1 -> group_delta m = t * ((expR e ^+ m - 1) / (expR e - 1)).
Proof.
move=> E1; have n0 : expR e - 1 != 0 by rewrite subr_eq0.
rewrite /group_delta subrX1 mulrAC divff // mul1r; congr (_ * _).
Qed.

Lemma group_private m (Y : nat -> Data) E : (forall i, (i < m)%N -> near (Y i) (Y i.+1)) ->
  (law (Y 0%N) E <= (expR e ^+ m)%:E * law (Y m) E + (group_delta m)%:E)%E.
Proof.
elim: m Y => [|m IH] Y steps; first by rewrite /group_delta big_ord0 mulr0 expr0 mul1e adde0.
have h1 := priv (steps 0 isT) E.
have h2 : (law (Y 1%N) E <= (expR e ^+ m)%:E * law (Y m.+1) E + (group_delta m)%:E)%E.
  by apply: (IH (fun i => Y i.+1)) => i im; apply: steps.
have [_ P0 _] := al (Y m.+1); apply: le_trans h1 _.
apply: (@le_trans _ _ ((expR e)%:E * ((expR e ^+ m)%:E * law (Y m.+1) E + (group_delta m)%:E) + t%:E)%E).
  by rewrite leeD2r // lee_wpmul2l // lee_fin expR_ge0.
have s0 : 0 <= group_delta m by rewrite mulr_ge0 // sumr_ge0 // => i _; rewrite exprn_ge0 // expR_ge0.
rewrite ge0_muleDr ?mule_ge0 ?lee_fin ?exprn_ge0 ?expR_ge0 // muleA -!EFinM -exprS -addeA -EFinD leeD2l // lee_fin.
rewrite /group_delta big_ord_recl expr0 mulrDr mulr1 addrC lerD2l mulrCA ler_wpM2l //.
by rewrite mulr_sumr; apply: ler_sum => i _; rewrite /= -exprS.
Qed.

(** Certain answers E and E' that exclude each other, m replacements apart. *)
Lemma answers_apart m (Y : nat -> Data) (E E' : pred Out) : (forall i, (i < m)%N -> near (Y i) (Y i.+1)) ->
  (forall s, ~~ (E s && E' s)) -> law (Y 0%N) E = 1%E -> law (Y m) E' = 1%E -> 1 <= group_delta m./2 + group_delta (m - m./2).
Proof.
move=> steps apart one one'; set h := m./2; have hm : (h <= m)%N by have [] := half_bounds m.
have none : law (Y m) E = 0%E.
  apply/eqP; rewrite eq_le; have [_ P0 _] := al (Y m); rewrite P0 andbT -(law_zero (al (Y m)) one').
  by apply: law_le => // s Es; have := apart s; rewrite Es.
have up : (law (Y h) E <= (group_delta (m - h))%:E)%E.
  have := @group_private (m - h) (fun i => Y (h + i)%N) E; rewrite addn0 subnKC // none mule0 add0e; apply=> i im.
  by rewrite addnS; apply: steps; lia.
have down : (law (Y h) (fun s => ~~ E s) <= (group_delta h)%:E)%E.
  have := @group_private h (fun i => Y (h - i)%N) (fun s => ~~ E s); rewrite subn0 subnn (law_zero (al (Y 0%N)) one) mule0 add0e; apply=> i ih.
  by apply: sym; rewrite (_ : h - i = (h - i.+1).+1)%N; [apply: steps | ]; lia.
by rewrite -lee_fin EFinD -(law_complement (al (Y h)) E) addeC; apply: leeD.
Qed.

(** For even m that is m >= A. *)
Lemma answers_apart_even h : 0 < e -> 0 < t -> 1 <= group_delta h + group_delta h -> noise_bound e t <= (2 * h)%:R.
Proof.
move=> e0 tpos; have E1 : 0 < expR e - 1 by rewrite subr_gt0 -expR0 ltr_expR.
rewrite group_deltaE; last by rewrite -subr_eq0 gt_eqF.
move=> le; have q0 : 0 < (expR e - 1) / (2 * t) by rewrite divr_gt0 ?mulr_gt0.
have arg : 0 < 1 + (expR e - 1) / (2 * t) by rewrite addr_gt0.
have key : 1 + (expR e - 1) / (2 * t) <= expR e ^+ h.
  rewrite -lerBrDl ler_pdivrMr ?mulr_gt0 //.
  by move: le; rewrite -mulrDr -mulrDl mulrA ler_pdivlMr // mul1r; lra.
have le2 : ln (1 + (expR e - 1) / (2 * t)) <= e *+ h.
  by rewrite -[e in e *+ h]expRK -lnXn ?expR_gt0 // ler_ln ?posrE // exprn_gt0 // expR_gt0.
apply: (@le_trans _ _ (2 / e * (e *+ h))); first by rewrite ler_pM2l // divr_gt0.
have -> : 2 / e * (e *+ h) = 2 * h%:R by rewrite -[e *+ h]mulr_natr; field; rewrite gt_eqF.
by rewrite natrM lexx.
Qed.
End GroupPrivacy.

Section Optimality.
Variables (F : numFieldType) (n d k ell : nat).
Context {R : realType}.
Variables (e t : R) (law : ('I_n -> 'rV[F]_d) -> pred 'M[F]_d -> \bar R).
Hypotheses (e0 : 0 < e) (t0 : 0 < t) (al : forall X, additive_law (law X)) (priv : private e t (@neighbours F n d) law).

(** The bound for M replacements. *)
Definition needs (M : nat) := 1 <= t * ((expR e ^+ M./2 + expR e ^+ (M - M./2) - 2) / (expR e - 1)) /\
  (~~ odd M -> noise_bound e t <= M%:R) /\ 2 / e * ln (e / (2 * t)) - 1 <= M%:R.

Let E1 : 0 < expR e - 1. Proof. by rewrite subr_gt0 -expR0 ltr_expR. Qed.

Lemma needs_of_group M : 1 <= group_delta e t M./2 + group_delta e t (M - M./2) -> needs M.
Proof.
have ne : expR e != 1 by rewrite -subr_eq0 gt_eqF.
move=> le; have le2 := le; rewrite !group_deltaE // -mulrDr -mulrDl in le2; split.
  move: (expR e ^+ M./2) (expR e ^+ (M - M./2)) le2 => x y; rewrite (_ : x - 1 + (y - 1) = x + y - 2) //; ring.
split=> [even|].
  have eM : (M - M./2 = M./2)%N by rewrite -{1}(odd_double_half M) (negPf even) add0n -addnn addnK.
  rewrite eM in le; have := answers_apart_even e0 t0 le.
  by rewrite (_ : 2 * M./2 = M)%N // -[RHS]odd_double_half (negPf even) add0n mul2n.
set b := (M - M./2)%N in le *; have ab : (M./2 <= b)%N by have [] := half_bounds M.
have bb : 1 <= group_delta e t b + group_delta e t b.
  apply: le_trans le _; rewrite lerD2r !group_deltaE // ler_pM2l // ler_pM2r ?invr_gt0 // lerD2r.
  by apply: ler_weXn2l => //; rewrite -expR0 ler_expR ltW.
have := answers_apart_even e0 t0 bb; rewrite /noise_bound => nb.
have q0 : 0 < (expR e - 1) / (2 * t) by rewrite divr_gt0 ?mulr_gt0.
have lower : 2 / e * ln (e / (2 * t)) <= (2 * b)%:R.
  apply: le_trans nb; rewrite ler_pM2l ?divr_gt0 // ler_ln ?posrE ?divr_gt0 ?mulr_gt0 ?addr_gt0 //.
  apply: (@le_trans _ _ ((expR e - 1) / (2 * t))); last by rewrite lerDr.
  by rewrite ler_pM2r ?invr_gt0 ?mulr_gt0 // lerBrDl expR_ge1Dx.
by have [_ _ bM] := half_bounds M; rewrite lerBlDr natr1; apply: le_trans lower _; rewrite ler_nat.
Qed.

Hypothesis right : forall X s, problem X k ell s -> law X (fun s' => (s' == s)%MS) = 1%E.
Hypotheses (k_gt0 : (0 < k)%N) (k_lt_d : (k < d)%N).

Lemma needs_of_path M (Y : nat -> 'I_n -> 'rV[F]_d) (s s' : 'M[F]_d) : (forall i, (i < M)%N -> neighbours (Y i) (Y i.+1)) ->
  ~ (s :=: s')%MS -> problem (Y 0%N) k ell s -> problem (Y M) k ell s' -> needs M.
Proof.
move=> steps ne pr pr'; apply: needs_of_group.
apply: (answers_apart (ltW t0) al priv (@neighbours_sym F n d) steps _ (right pr) (right pr')) => u.
by apply/negP => /andP[/eqmxP e1 /eqmxP e2]; apply: ne; exact: eqmx_trans (eqmx_sym e1) e2.
Qed.

(** For k < d, ell >= k - 1, n >= 3 ell. *)
Lemma needs_points : (k <= ell.+1)%N -> (3 * ell <= n)%N -> needs (n - 3 * ell).
Proof.
move=> kl ln; pose Y i := @curve F n d k ell (fun j => (j < n - ell - i)%N).
have few a b : (b <= n)%N -> (b - a <= ell)%N -> (#|[set i : 'I_n | (a <= i < b)%N]| <= ell)%N by move=> bn ab; rewrite card_range.
have ell2 : (2 * ell <= n)%N by lia.
apply: (needs_of_path (Y := Y) (s := first_axes F d k) (s' := other_axes F k_lt_d)) => [i im|||].
- have lt : (n - ell - i.+1 < n)%N by lia.
  exists (Ordinal lt) => j ne; apply/rowP => l; rewrite !mxE.
  rewrite (_ : (j < n - ell - i)%N = (j < n - ell - i.+1)%N) //.
  have : (j : nat) != (n - ell - i.+1)%N by apply: contraNneq ne => e1; apply/eqP/val_inj.
  by move=> /eqP; lia.
- by move=> e1; exact: (@axes_differ F d k k_lt_d (eqmx_sym e1)).
- apply: curve_problem_first => //; apply: leq_trans (few (n - ell)%N n _ _) => //; last by lia.
  by apply/subset_leq_card/fintype.subsetP => j; rewrite !inE subn0 -leqNgt ltn_ord => /andP[->].
apply: curve_problem_other => //; apply: leq_trans (few ell (2 * ell)%N _ _); try lia.
apply/subset_leq_card/fintype.subsetP => j; rewrite !inE => /andP[h1 h2]; rewrite h2 /=; lia.
Qed.
End Optimality.

(** For k = 1 and non-zero points, n >= 2 ell. *)
Section NonZero.
Variables (F : numFieldType) (n d ell : nat).
Context {R : realType}.
Variables (e t : R) (law : ('I_n -> 'rV[F]_d.+2) -> pred 'M[F]_d.+2 -> \bar R).
Hypotheses (e0 : 0 < e) (t0 : 0 < t) (al : forall X, additive_law (law X)) (priv : private e t (@neighbours F n d.+2) law).
Hypothesis right : forall X s, (forall i, X i != 0) -> problem X 1 ell s -> law X (fun s' => (s' == s)%MS) = 1%E.

Let axis (j : 'I_d.+2) : 'rV[F]_d.+2 := delta_mx 0 j.
Let Y i (j : 'I_n) : 'rV[F]_d.+2 := if (j < n - ell - i)%N then axis 0 else axis 1.

Let axis_neq0 j : axis j != 0.
Proof. by apply/eqP => /rowP/(_ j)/eqP; rewrite !mxE !eqxx oner_eq0. Qed.

Let on_axis j m (P : pred nat) : (forall i : 'I_n, P i -> Y m i = axis j) -> (#|[set i : 'I_n | ~~ P i]| <= ell)%N -> problem (Y m) 1 ell <<axis j>>%MS.
Proof.
move=> on few; split; first by rewrite genmxE rank_rV axis_neq0.
  change (n <= #|points_in (Y m) <<axis j>>%MS| + ell)%N.
  rewrite -[X in (X <= _)%N](card_ord n) -(cardsC (points_in (Y m) <<axis j>>%MS)) leq_add2l; apply: leq_trans few.
  by apply/subset_leq_card/fintype.subsetP => i; rewrite !inE; apply: contra => /on ->; rewrite genmxE submx_refl.
move=> s; rewrite ltnS leqn0 mxrank_eq0 => /eqP ->; rewrite (_ : inside _ _ = 0%N) //; apply/eqP; rewrite cards_eq0; apply/eqP/setP => i.
by rewrite !inE submx0; apply/negbTE; rewrite /Y; case: ifP.
Qed.

Lemma needs_nonzero_points : (2 * ell <= n)%N -> needs e t (n - 2 * ell).
Proof.
move=> ln; have few a b : (b <= n)%N -> (b - a <= ell)%N -> (#|[set i : 'I_n | (a <= i < b)%N]| <= ell)%N by move=> bn ab; rewrite card_range.
have Y0 i j : Y i j != 0 by rewrite /Y; case: ifP.
apply: (needs_of_group e0 t0); apply: (answers_apart (Y := Y) (E := fun s => (s == <<axis 0>>)%MS) (E' := fun s => (s == <<axis 1>>)%MS) (ltW t0) al priv
  (@neighbours_sym F n d.+2)).
- move=> i im; have lt : (n - ell - i.+1 < n)%N by lia.
  exists (Ordinal lt) => j ne; rewrite /Y (_ : (j < n - ell - i)%N = (j < n - ell - i.+1)%N) //.
  have : (j : nat) != (n - ell - i.+1)%N by apply: contraNneq ne => e1; apply/eqP/val_inj.
  by move=> /eqP; lia.
- move=> u; apply/negP => /andP[/eqmxP e1 /eqmxP e2].
  have : (axis 0 <= axis 1)%MS by rewrite -(genmxE (axis 1)) -e2 e1 genmxE submx_refl.
  by move=> /sub_rVP[a] /rowP/(_ 0)/eqP; rewrite !mxE !eqxx /= mulr0 oner_eq0.
- apply: right => //; apply: (@on_axis _ _ (fun i => i < n - ell)%N) => [i lt|]; first by rewrite /Y subn0 lt.
  apply: leq_trans (few (n - ell)%N n _ _) => //; last by lia.
  by apply/subset_leq_card/fintype.subsetP => j; rewrite !inE -leqNgt ltn_ord => ->.
apply: right => //; apply: (@on_axis _ _ (fun i => ~~ (i < n - ell - (n - 2 * ell)))%N) => [i /negPf lt|]; first by rewrite /Y lt.
apply: leq_trans (few 0%N ell _ _) => //; try lia.
by apply/subset_leq_card/fintype.subsetP => j; rewrite !inE negbK /=; lia.
Qed.
End NonZero.

(** The line of a uniformly random point: right for every instance with k = 1, ell = 0. *)
Section RandomPoint.
Variables (F : fieldType) (d : nat).
Context {R : realType}.

Definition random_point_law (X : 'I_10 -> 'rV[F]_d) (E : pred 'M[F]_d) : \bar R := (10^-1 * #|[set i | E <<X i>>%MS]|%:R)%:E.

Lemma random_point_right (e : R) : 0 < e -> [/\ forall X, additive_law (random_point_law X), private e 10^-1 (@neighbours F 10 d) random_point_law &
  forall X s, problem X 1 0 s -> random_point_law X (fun s' => (s' == s)%MS) = 1%E].
Proof.
move=> e0; split.
- move=> X; split=> [|E|E E' none].
  + by rewrite /random_point_law (_ : [set i | _] = [set: 'I_10]%SET) ?cardsT ?card_ord ?mulVf //; apply/setP => i; rewrite !inE.
  + by rewrite lee_fin mulr_ge0 ?invr_ge0.
  rewrite -EFinD -mulrDr -natrD; congr (_ * _%:R)%:E.
  rewrite -cardsUI (_ : [set i | E <<X i>>%MS] :&: [set i | E' <<X i>>%MS] = finset.set0)%SET ?cards0 ?addn0.
    by apply: eq_card => i; rewrite !inE.
  by apply/setP => i; rewrite !inE; apply/negbTE.
- move=> X X' [i0 same] E; rewrite -EFinM -EFinD lee_fin.
  have : (#|[set i | E <<X i>>%MS]| <= #|[set i | E <<X' i>>%MS]|.+1)%N by apply: (@card_change 10 _ _ i0) => i /same ->.
  rewrite -(ler_nat R) -natr1 => le.
  have E1 : 1 <= expR e by rewrite -expR0 ler_expR ltW.
  have pos : 0 <= #|[set i | E <<X' i>>%MS]|%:R :> R by [].
  have : #|[set i | E <<X' i>>%MS]|%:R <= expR e * #|[set i | E <<X' i>>%MS]|%:R :> R by rewrite ler_peMl.
  move: le; rewrite mulrCA; lra.
move=> X s [rs close few]; rewrite /random_point_law.
have all : inside X s = 10%N by apply/eqP; rewrite eqn_leq; apply/andP; split; [exact: inside_le | move: close; rewrite addn0].
have X0 i : X i != 0.
  apply/negP => /eqP z; have := few 0; rewrite mxrank0 => /(_ isT); rewrite leqNgt => /negP; apply.
  by apply/card_gt0P; exists i; rewrite inE z sub0mx.
have Xs i : (X i <= s)%MS.
  have /setP/(_ i) : [set i | (X i <= s)%MS] = [set: 'I_10]%SET.
    by apply/eqP; rewrite eqEcard finset.subsetT cardsT card_ord; move: all; rewrite /inside => ->.
  by rewrite !inE.
rewrite (_ : [set i | _] = [set: 'I_10]%SET) ?cardsT ?card_ord ?mulVf //.
apply/setP => i; rewrite !inE; apply/andP; split; first by rewrite genmxE Xs.
have le : (<<X i>> <= s)%MS by rewrite genmxE Xs.
by rewrite -(geq_leqif (mxrank_leqif_sup le)) rs genmxE rank_rV X0.
Qed.
End RandomPoint.

(** singhal2021.theorem-1.1-optimality: what M = n - 3 ell has to satisfy for k < d (M = n - 2 ell for k = 1 and non-zero points),
    that ten points are enough at k = 1, ell = 0 and delta = 0.1, and that a constant answers for k = d. *)
Theorem optimality (F : numFieldType) (R : realType) :
  [/\ forall n d k ell (e t : R) (law : ('I_n -> 'rV[F]_d) -> pred 'M[F]_d -> \bar R), 0 < e -> 0 < t ->
      (forall X, additive_law (law X)) -> private e t (@neighbours F n d) law ->
      (forall X s, problem X k ell s -> law X (fun s' => (s' == s)%MS) = 1%E) ->
      (0 < k < d)%N -> (k <= ell.+1)%N -> (3 * ell <= n)%N -> needs e t (n - 3 * ell),
    forall n d ell (e t : R) (law : ('I_n -> 'rV[F]_d.+2) -> pred 'M[F]_d.+2 -> \bar R), 0 < e -> 0 < t ->
      (forall X, additive_law (law X)) -> private e t (@neighbours F n d.+2) law ->
      (forall X s, (forall i, X i != 0) -> problem X 1 ell s -> law X (fun s' => (s' == s)%MS) = 1%E) ->
      (2 * ell <= n)%N -> needs e t (n - 2 * ell),
    forall d (e : R), 0 < e -> exists law : ('I_10 -> 'rV[F]_d) -> pred 'M[F]_d -> \bar R,
      [/\ forall X, additive_law (law X), private e 10^-1 (@neighbours F 10 d) law &
        forall X s, problem X 1 0 s -> law X (fun s' => (s' == s)%MS) = 1%E] &
    forall n d ell (X : 'I_n -> 'rV[F]_d) s, problem X d ell s -> (1%:M == s)%MS].
Proof.
split.
- by move=> n d k ell e t law e0 t0 al priv right /andP[k0 kd] kl ln; exact: (needs_points e0 t0 al priv right k0 kd kl ln).
- by move=> n d ell e t law e0 t0 al priv right; exact: (needs_nonzero_points e0 t0 al priv right).
- by move=> d e e0; exists (@random_point_law F d R); exact: random_point_right.
by move=> n d ell X s [rs _ _]; rewrite submx1 andbT sub1mx /row_full rs.
Qed.

(** * The definitions compute, and the hypotheses can be met *)

Example random_point_example (R : realType) d (X : 'I_10 -> 'rV[rat]_d) : additive_law (@random_point_law (rat : fieldType) d R X).
Proof. by have [] := @random_point_right (rat : fieldType) d R 1 ltr01. Qed.

Example group_delta_computes (R : realType) (e t : R) : group_delta e t 1 = t /\ (needs e t 2 -> noise_bound e t <= 2).
Proof.
split; first by rewrite /group_delta big_ord_recl big_ord0 expr0 addr0 mulr1.
by move=> [_ [even _]]; exact: even.
Qed.
