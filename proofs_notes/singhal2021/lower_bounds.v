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
From DPPCA.singhal2021 Require Import values noisy_gap_max scores general_position.
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
