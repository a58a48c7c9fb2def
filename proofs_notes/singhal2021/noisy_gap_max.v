(** GAP-MAX with its real noise (singhal2021, sections 1.4 and 2): Algorithm 1's line 11 as corrected, the shorter rule with one
    noise, and the arg max over a fixed list.

    TLap(2, epsilon, delta) has a density proportional to exp(- epsilon |x| / 2) on [- A, A], A = noise_bound epsilon delta.
    A noisy value is a real number drawn from that density around the value, independently of the others. [probability] is
    that of an event of the output, E : pred (option L); any event, as the output has two values at most with positive
    probability. *)
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra zify.
From DPPCA.lib Require Import measure real_releases truncated_line.
From DPPCA.singhal2021 Require Import values.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** * Definitions *)

Section Definitions.
Context {R : realType}.
Variables (e t : R).

(** The noise's bound A, and its density around a value. *)
Definition noise_bound : R := 2 / e * ln (1 + (expR e - 1) / (2 * t)).
Definition noisy_value (v : R) : R -> R := tlap_pdf (2 / e) noise_bound v.

Variable L : eqType.
Implicit Types (E : pred (option L)) (u v : L -> nat) (c : seq L).

(** The arg max of noisy values: the best so far, and its noisy value; of equal numbers the first wins. *)
Fixpoint arg_max_law v (best : option L * R) c E : \bar R :=
  if c is s :: c' then mean (noisy_value (v s)%:R) (fun y => arg_max_law v (if best.2 < y then (Some s, y) else best) c' E)
  else (E best.1)%:R%:E.

(** Line 11 as corrected: NULL has the value 2 A. *)
Definition gap_max_law floor u c E : \bar R :=
  mean (noisy_value (2 * noise_bound)) (fun y => arg_max_law (value floor u c) (None, y) c E).

(** The shorter rule: the first candidate of positive value, if its value plus one noise exceeds A; else NULL. *)
Definition gap_threshold_law floor u c E : \bar R :=
  if [seq s <- c | (0 < value floor u c s)%N] is s :: _
  then mean (noisy_value (value floor u c s)%:R) (fun y => (E (if noise_bound < y then Some s else None))%:R%:E)
  else (E None)%:R%:E.

(** Over a fixed list s0 :: c, without a default. *)
Definition fixed_list_law floor u s0 c E : \bar R :=
  let v := value floor u (s0 :: c) in mean (noisy_value (v s0)%:R) (fun y => arg_max_law v (Some s0, y) c E).
End Definitions.

(** (epsilon, delta)-DP of the law of an output of any type, as a function of the data, for all events and both directions. *)
Definition private {R : realType} (e t : R) (Data Out : Type) (near : Data -> Data -> Prop) (law : Data -> pred Out -> \bar R) :=
  forall X X', near X X' -> forall E, (law X E <= (expR e)%:E * law X' E + t%:E)%E.

Lemma private_post_processing {R : realType} (e t : R) (Data Out Out' : Type) near (law : Data -> pred Out -> \bar R) (f : Out -> Out') :
  private e t near law -> private e t near (fun X E => law X (fun o => E (f o))).
Proof. by move=> H X X' nb E; exact: H. Qed.

(** * The noise *)

Section Noise.
Context {R : realType}.
Variables (e t : R).
Hypotheses (e0 : 0 < e) (t0 : 0 < t) (t1 : t <= 1 / 2).
Local Notation A := (noise_bound e t).
Local Notation b := (2 / e).

Lemma scale_gt0 : 0 < b. Proof. by rewrite divr_gt0. Qed.

Let e1 : 0 < expR e - 1. Proof. by rewrite subr_gt0 -expR0 ltr_expR. Qed.
Let q0 : 0 < (expR e - 1) / (2 * t). Proof. by rewrite divr_gt0 ?mulr_gt0. Qed.

Lemma exp_noise_bound : expR (A / b) = 1 + (expR e - 1) / (2 * t).
Proof.
rewrite /noise_bound [_ * ln _]mulrC mulfK ?gt_eqF ?scale_gt0 // lnK // posrE.
by rewrite addr_gt0.
Qed.

(** singhal2021.truncated-laplace-bound: the bound is enough, delta <= 1/2. *)
Lemma noise_bound_loss : tlap_loss b A 2 = t.
Proof.
have e2 : 2 / (2 / e) = e by field; rewrite gt_eqF.
have n1 : expR e - 1 != 0 by rewrite gt_eqF.
have n2 : t != 0 by rewrite gt_eqF.
rewrite /tlap_loss exp_noise_bound e2 addrAC subrr add0r; field.
by rewrite n1 n2.
Qed.

Lemma noise_bound_ge2 : 2 <= A.
Proof.
rewrite -(ler_pM2r (_ : 0 < b^-1)) ?invr_gt0 ?scale_gt0 // -ler_expR exp_noise_bound.
have -> : 2 * b^-1 = e by field; rewrite gt_eqF.
have h1 := ltW e1; have h2 : 2 * t <= 1 by have := t1; lra.
by rewrite -lerBlDl ler_pdivlMr ?mulr_gt0 // ler_piMr.
Qed.

Lemma noise_bound_gt0 : 0 < A. Proof. by apply: lt_le_trans noise_bound_ge2. Qed.

Lemma density_noisy v : density (noisy_value e t v).
Proof. exact: (density_tlap scale_gt0 noise_bound_gt0). Qed.

Lemma noisy_support v x : noisy_value e t v x != 0 -> v - A <= x <= v + A.
Proof. exact: tlap_pdf_neq0. Qed.

Lemma noisy_spends v w D : `|v - w| <= D -> D <= 2 -> spends (expR (D / b)) (tlap_loss b A D) (noisy_value e t v) (noisy_value e t w).
Proof. by move=> vw D2; apply: tlap_spends => //; [exact: scale_gt0 | exact: noise_bound_gt0 | exact: le_trans noise_bound_ge2]. Qed.

(** A value that changes by 2 at most: (epsilon, delta)-private. *)
Lemma noisy_spends2 v w : `|v - w| <= 2 -> spends (expR e) t (noisy_value e t v) (noisy_value e t w).
Proof.
move=> vw; have e2 : 2 / b = e by field; rewrite gt_eqF.
by have := noisy_spends vw (lexx 2); rewrite noise_bound_loss e2.
Qed.

(** What is true of all numbers of the support but one is certain. *)
Lemma mean_certain p (F : R -> \bar R) (z : R) : density p -> test F -> (forall x, x != z -> p x != 0 -> F x = 1%E) -> mean p F = 1%E.
Proof.
move=> dp tF one; have [mp p0 p1] := dp; have [mF F01] := tF.
apply/eqP; rewrite eq_le; apply/andP; split; first by case/andP: (mean_01 dp tF).
have pE (B : set R) : measurable_fun B p by apply: measurable_funTS.
rewrite -p1 -(@integral_setD1_EFin R p z setT); [|exact: measurableD|exact: pE].
rewrite [leLHS]integral_mkcond; apply: ge0_le_integral => //.
- by move=> x _; rewrite patchE; case: ifP => // _; rewrite lee_fin.
- by apply/measurable_restrict => //; [exact: measurableD | apply/measurable_EFinP; exact: pE].
- by move=> x _; rewrite mule_ge0 ?lee_fin //; case/andP: (F01 x).
- exact: measurable_mass.
move=> x _; rewrite patchE; case: ifP => [|_]; last by rewrite mule_ge0 ?lee_fin //; case/andP: (F01 x).
rewrite inE => -[_ /eqP xz]; have [->|px] := eqVneq (p x) 0; first by rewrite mul0e.
by rewrite one // mule1.
Qed.
End Noise.

(** * What the two rules come to *)

Section Outcome.
Context {R : realType}.
Variables (e t : R) (L : eqType) (labels : pred L) (floor : nat).
Hypotheses (e0 : 0 < e) (t0 : 0 < t) (t1 : t <= 1 / 2).
Local Notation A := (noise_bound e t).
Local Notation noisy := (noisy_value e t).
Local Notation gap_max := (@gap_max_law R e t L floor).
Local Notation gap_threshold := (@gap_threshold_law R e t L floor).
Implicit Types (E : pred (option L)) (u v : L -> nat) (c : seq L) (s : L).

Lemma bool_01 (x : bool) : (0 <= (x%:R : R)%:E <= 1)%E.
Proof. by rewrite !lee_fin; case: x; rewrite ?lexx ler01. Qed.

Lemma test_outcome (z : R) E (s s' : option L) : test (fun y : R => (E (if z < y then s else s'))%:R%:E : \bar R).
Proof.
rewrite (_ : (fun _ => _) = fun y => if z < y then (E s)%:R%:E else (E s')%:R%:E); last by apply/funext => y; case: ifP.
by apply: test_if; [exact: measurable_fun_ltr | apply: test_const; exact: bool_01 | apply: test_const; exact: bool_01].
Qed.

Lemma positive_listed u c s : (0 < value floor u c s)%N -> s \in c.
Proof. by rewrite /value; case: ifP. Qed.

(** Only a label of positive value can win against a best of at least A. *)
Lemma arg_max_one v best c E s : uniq c -> (forall s', s' \in c -> s' != s -> v s' = 0%N) -> A <= best.2 ->
  arg_max_law e t v best c E = if s \in c then
    mean (noisy (v s)%:R) (fun y => (E (if best.2 < y then Some s else best.1))%:R%:E) else (E best.1)%:R%:E.
Proof.
elim: c best => [//|s1 c IH] best /= /andP[s1c uc] zero Ab.
have zero' s' : s' \in c -> s' != s -> v s' = 0%N by move=> sc; apply: zero; rewrite inE sc orbT.
have [e1|ne] := eqVneq s1 s.
  rewrite -e1 mem_head; apply: mean_eq => y _; rewrite IH //=; last by case: ifP => // /ltW; exact: le_trans.
  by rewrite -e1 (negPf s1c); case: ifP.
rewrite inE eq_sym (negPf ne) /= -(IH best uc zero' Ab) -[RHS](mean_const (density_noisy e0 t0 t1 (v s1)%:R)); last first.
  rewrite IH //; case: ifP => _; last by rewrite lee_fin.
  by have /andP[] := mean_01 (density_noisy e0 t0 t1 (v s)%:R) (test_outcome best.2 E (Some s) best.1).
apply: mean_eq => y /(noisy_support)/andP[_]; rewrite zero ?mem_head // add0r => yA.
by rewrite ltNge (le_trans yA Ab).
Qed.

(** Line 11: NULL's noisy value x against that of the only label that can have a positive value. *)
Lemma gap_max_outcome u c s E : uniq c -> (forall s', (0 < value floor u c s')%N -> s' = s) ->
  gap_max u c E = mean (noisy (2 * A)) (fun x => mean (noisy (value floor u c s)%:R) (fun y => (E (if x < y then Some s else None))%:R%:E)).
Proof.
move=> uc only; apply: mean_eq => x /noisy_support/andP[x2 _].
have xA : A <= x by move: x2; lra.
rewrite (@arg_max_one _ _ _ _ s) //=; last first.
  by move=> s' _ ne; apply/eqP; rewrite -leqn0 leqNgt; apply: contra ne => /only ->.
case: ifP => // /negbT sc; rewrite {1}/value (negPf sc) -[LHS](mean_const (density_noisy e0 t0 t1 0)) ?lee_fin //.
by apply: mean_eq => y /noisy_support/andP[_]; rewrite add0r => yA; rewrite ltNge (le_trans yA xA).
Qed.

Lemma gap_max_default u c E : uniq c -> (forall s, value floor u c s = 0%N) -> gap_max u c E = (E None)%:R%:E.
Proof.
move=> uc zero; rewrite -[RHS](mean_const (density_noisy e0 t0 t1 (2 * A))) ?lee_fin //.
apply: mean_eq => x /noisy_support/andP[x2 _]; have xA : A <= x by move: x2; lra.
case: c uc zero => [//|s c] uc zero; rewrite (@arg_max_one _ _ _ _ s) // mem_head zero.
rewrite -[RHS](mean_const (density_noisy e0 t0 t1 0)) ?lee_fin //.
by apply: mean_eq => y /noisy_support/andP[_]; rewrite add0r => yA /=; rewrite ltNge (le_trans yA xA).
Qed.

Lemma gap_threshold_outcome u c s E : (forall s', (0 < value floor u c s')%N -> s' = s) ->
  gap_threshold u c E = mean (noisy (value floor u c s)%:R) (fun y => (E (if A < y then Some s else None))%:R%:E).
Proof.
move=> only; rewrite /gap_threshold_law; case e1: [seq s <- c | _] => [|s1 l].
  have -> : value floor u c s = 0%N.
    apply/eqP; rewrite -leqn0 leqNgt; apply/negP => pos; have : s \in [seq s <- c | (0 < value floor u c s)%N].
      by rewrite mem_filter pos (positive_listed pos).
    by rewrite e1.
  rewrite -[LHS](mean_const (density_noisy e0 t0 t1 0)) ?lee_fin //.
  by apply: mean_eq => y /noisy_support/andP[_]; rewrite add0r => yA; rewrite ltNge yA.
have : s1 \in s1 :: l by exact: mem_head.
by rewrite -e1 mem_filter => /andP[/only -> _].
Qed.

Lemma common_label u u' c c' : close_scores labels u u' -> complete labels floor u c -> complete labels floor u' c' ->
  exists2 s : option L, (forall s', (0 < value floor u c s')%N -> Some s' = s) &
    (forall s', (0 < value floor u' c' s')%N -> Some s' = s).
Proof.
move=> near C C'; case: (boolP (has (fun s => 0 < value floor u c s)%N c)) => [/hasP[s _ ps]|none].
  exists (Some s) => s' ps'; congr Some; first exact: positive_value_unique C ps' ps.
  exact (esym (positive_value_same near C C' ps ps')).
case: (boolP (has (fun s => 0 < value floor u' c' s)%N c')) => [/hasP[s _ ps]|none'].
  exists (Some s) => s' ps'; congr Some; last exact: positive_value_unique C' ps' ps.
  exact (positive_value_same near C C' ps' ps).
exists None => s' ps'.
  by move/hasPn: none => /(_ s' (positive_listed ps')); rewrite ps'.
by move/hasPn: none' => /(_ s' (positive_listed ps')); rewrite ps'.
Qed.

Lemma value_distance u u' c c' s : close_scores labels u u' -> complete labels floor u c -> complete labels floor u' c' ->
  `|(value floor u c s)%:R - (value floor u' c' s)%:R| <= 2 :> R.
Proof.
move=> near C C'; have near' : close_scores labels u' u by move=> s' /near[].
have := value_change near C C' s; have := value_change near' C' C s.
rewrite -!(ler_nat R) !natrD ler_norml => h1 h2; apply/andP; split; lra.
Qed.

Let ea1 : 1 <= expR e. Proof. by rewrite -expR0 ler_expR ltW. Qed.

Lemma constant_private (x : bool) : ((x%:R : R)%:E <= (expR e)%:E * (x%:R)%:E + t%:E)%E.
Proof.
rewrite -EFinM -EFinD lee_fin; have := ea1; case: x; rewrite /= ?mulr1 ?mulr0; have := t0; lra.
Qed.

Let zero_of u c : (forall s, (0 < value floor u c s)%N -> Some s = None) -> forall s, value floor u c s = 0%N.
Proof. by move=> none s; apply/eqP; rewrite -leqn0 leqNgt; apply/negP => /none. Qed.

(** singhal2021.section-1.4-infinite-candidates: with scores of sensitivity 1 and complete lists, the arg max with NULL at 2 A
    is (epsilon, delta)-DP. The number of labels does not matter, nor does it that lists depend on the data. *)
Theorem gap_max_private u u' c c' : close_scores labels u u' -> complete labels floor u c -> complete labels floor u' c' ->
  forall E, (gap_max u c E <= (expR e)%:E * gap_max u' c' E + t%:E)%E.
Proof.
move=> near C C' E; have [uc _ _] := C; have [uc' _ _] := C'.
have [s only only'] := common_label near C C'; case: s only only' => [s|] only only'; last first.
  by rewrite !gap_max_default //; [exact: constant_private | exact: zero_of | exact: zero_of].
rewrite (gap_max_outcome (s := s)) // => [|s' /only[->] //]; rewrite (gap_max_outcome (s := s) E uc') // => [|s' /only'[->] //].
have tests (v : R) : test (fun x : R => mean (noisy v) (fun y => (E (if x < y then Some s else None))%:R%:E)).
  have tF : test (fun w : R * R => (E (if w.1 < w.2 then Some s else None))%:R%:E : \bar R).
    rewrite (_ : (fun _ => _) = fun w : R * R => if w.1 < w.2 then (E (Some s))%:R%:E else (E None)%:R%:E); last first.
      by apply/funext => w; case: ifP.
    by apply: test_if; [exact: measurable_fun_ltr | apply: test_const; exact: bool_01 | apply: test_const; exact: bool_01].
  have dd : densities (fun _ : R => noisy v) by apply: densities_const; exact: density_noisy.
  exact: (test_mean dd tF).
apply: mean_same => //; [exact: density_noisy | exact: ltW (expR_gt0 _) | exact: ltW |] => x.
apply: mean_spends; [exact: density_noisy | exact: density_noisy | exact: test_outcome | exact: ltW (expR_gt0 _) |].
by apply: noisy_spends2 => //; exact: value_distance near C C'.
Qed.

(** singhal2021.algorithm-1-null-threshold: so is the rule with one noise. *)
Theorem gap_threshold_private u u' c c' : close_scores labels u u' -> complete labels floor u c -> complete labels floor u' c' ->
  forall E, (gap_threshold u c E <= (expR e)%:E * gap_threshold u' c' E + t%:E)%E.
Proof.
move=> near C C' E; have [s only only'] := common_label near C C'; case: s only only' => [s|] only only'; last first.
  have none u0 c0 : (forall s, (0 < value floor u0 c0 s)%N -> Some s = None) -> gap_threshold u0 c0 E = (E None)%:R%:E.
    move=> zero; rewrite /gap_threshold_law; case e1: [seq s <- c0 | _] => [//|s l].
    have : s \in s :: l by exact: mem_head.
    by rewrite -e1 mem_filter => /andP[/zero].
  by rewrite !none //; exact: constant_private.
rewrite (gap_threshold_outcome (s := s)) => [|s' /only[->] //]; rewrite (gap_threshold_outcome (s := s) (u := u')) => [|s' /only'[->] //].
apply: mean_spends; [exact: density_noisy | exact: density_noisy | exact: test_outcome | exact: ltW (expR_gt0 _) |].
by apply: noisy_spends2 => //; exact: value_distance near C C'.
Qed.

(** A value of at least 4 A wins over NULL with probability 1, one above 2 A passes the threshold with certainty. *)
Theorem gap_max_certain u c s E : uniq c -> (forall s', (0 < value floor u c s')%N -> s' = s) ->
  4 * A <= (value floor u c s)%:R -> E (Some s) -> gap_max u c E = 1%E.
Proof.
move=> uc only large Es; rewrite (gap_max_outcome E uc only).
have tests : test (fun x : R => mean (noisy (value floor u c s)%:R) (fun y => (E (if x < y then Some s else None))%:R%:E)).
  have tF : test (fun w : R * R => (E (if w.1 < w.2 then Some s else None))%:R%:E : \bar R).
    rewrite (_ : (fun _ => _) = fun w : R * R => if w.1 < w.2 then (E (Some s))%:R%:E else (E None)%:R%:E); last first.
      by apply/funext => w; case: ifP.
    by apply: test_if; [exact: measurable_fun_ltr | apply: test_const; exact: bool_01 | apply: test_const; exact: bool_01].
  have dd : densities (fun _ : R => noisy (value floor u c s)%:R) by apply: densities_const; exact: density_noisy.
  exact: (test_mean dd tF).
apply: (mean_certain (z := 3 * A)) => //; first exact: density_noisy.
move=> x ne /noisy_support/andP[_ x3]; have lt : x < 3 * A by rewrite lt_neqAle ne /=; move: x3; lra.
rewrite -[RHS](mean_const (density_noisy e0 t0 t1 (value floor u c s)%:R)) ?lee_fin //.
apply: mean_eq => y /noisy_support/andP[y3 _]; have xy : x < y by move: y3 lt; move: large; lra.
by rewrite xy Es.
Qed.

Theorem gap_threshold_certain u c s E : (forall s', (0 < value floor u c s')%N -> s' = s) ->
  2 * A < (value floor u c s)%:R -> E (Some s) -> gap_threshold u c E = 1%E.
Proof.
move=> only large Es; rewrite (gap_threshold_outcome E only).
rewrite -[RHS](mean_const (density_noisy e0 t0 t1 (value floor u c s)%:R)) ?lee_fin //.
apply: mean_eq => y /noisy_support/andP[y1 _]; have Ay : A < y by move: y1; move: large; lra.
by rewrite Ay Es.
Qed.

(** The output is NULL or a candidate. *)
Lemma arg_max_support v best c E : E best.1 -> (forall s, s \in c -> E (Some s)) -> arg_max_law e t v best c E = 1%E.
Proof.
elim: c best => [|s c IH] best Eb Ec /=; first by rewrite Eb.
rewrite -[RHS](mean_const (density_noisy e0 t0 t1 (v s)%:R)) ?lee_fin //; apply: mean_eq => y _; apply: IH.
  by case: ifP => _ //=; apply: Ec; exact: mem_head.
by move=> s' sc; apply: Ec; rewrite inE sc orbT.
Qed.

Theorem gap_max_support u c E : E None -> (forall s, s \in c -> E (Some s)) -> gap_max u c E = 1%E.
Proof.
move=> E0 Ec; rewrite -[RHS](mean_const (density_noisy e0 t0 t1 (2 * A))) ?lee_fin //.
by apply: mean_eq => y _; exact: arg_max_support.
Qed.

(** Values that are the same give the same law, whatever else is listed. *)
Lemma gap_max_same_law u c c' E : uniq c -> uniq c' -> (exists s, forall s', (0 < value floor u c s')%N -> s' = s) \/ (forall s, value floor u c s = 0%N) ->
  (forall s, value floor u c s = value floor u c' s) -> gap_max u c E = gap_max u c' E.
Proof.
move=> uc uc' [[s only]|zero] same; last by rewrite !gap_max_default // => s; rewrite -same.
by rewrite (gap_max_outcome E uc only) (gap_max_outcome (s := s) E uc') ?same // => s'; rewrite -same; exact: only.
Qed.
End Outcome.

(** * GAP-MAX over a fixed finite list, without a default *)

Section FixedList.
Context {R : realType}.
Variables (e t : R) (L : eqType).
Hypotheses (e0 : 0 < e) (t0 : 0 < t) (t1 : t <= 1 / 2).
Local Notation A := (noise_bound e t).
Local Notation b := (2 / e).
Local Notation noisy := (noisy_value e t).
Implicit Types (E : pred (option L)) (u v : L -> nat) (c : seq L) (o : option L).

Lemma test_arg_max v o c E : test (fun x : R => arg_max_law e t v (o, x) c E).
Proof.
elim: c o => [|s c IH] o /=; first by apply: test_const; exact: bool_01.
have tF : test (fun w : R * R => arg_max_law e t v (if w.1 < w.2 then (Some s, w.2) else (o, w.1)) c E).
  rewrite (_ : (fun _ => _) = fun w : R * R => if w.1 < w.2 then arg_max_law e t v (Some s, w.2) c E
      else arg_max_law e t v (o, w.1) c E); last by apply/funext => w; case: ifP.
  apply: test_if; first exact: measurable_fun_ltr.
    exact: (test_comp (f := snd) measurable_snd (IH (Some s))).
  exact: (test_comp (f := fst) measurable_fst (IH o)).
have dd : densities (fun _ : R => noisy (v s)%:R) by apply: densities_const; exact: density_noisy.
exact: (test_mean dd tF).
Qed.

Let b0 := scale_gt0 e0.
Let A0 := noise_bound_gt0 e0 t0 t1.

Lemma arg_max_close v v' c E : \sum_(s <- c) `|(v s)%:R - (v' s)%:R| <= 2 :> R -> forall o x,
  let D := \sum_(s <- c) `|(v s)%:R - (v' s)%:R| in
  (arg_max_law e t v (o, x) c E <= (expR (D / b))%:E * arg_max_law e t v' (o, x) c E + (tlap_loss b A D)%:E)%E.
Proof.
elim: c => [|s c IH] le o x /=.
  by rewrite big_nil /tlap_loss mul0r expR0 subrr mul0r mul1e adde0.
move: le; rewrite big_cons; set d0 := `|_|; set D := \sum_(_ <- _) _ => le.
have d00 : 0 <= d0 by exact: normr_ge0.
have D0 : 0 <= D by apply: sumr_ge0 => s' _; exact: normr_ge0.
have dens (z : R) : density (noisy z) by exact: density_noisy.
have tst v0 : test (fun y : R => arg_max_law e t v0 (if x < y then (Some s, y) else (o, x)) c E).
  rewrite (_ : (fun _ => _) = fun y : R => if x < y then arg_max_law e t v0 (Some s, y) c E
      else arg_max_law e t v0 (o, x) c E); last by apply/funext => y; case: ifP.
  apply: test_if; first exact: measurable_fun_ltr.
    exact: test_arg_max.
  by apply: test_const; have [_ h] := test_arg_max v0 o c E; exact: (h x).
have D2 : D <= 2 by lra.
have d2 : d0 <= 2 by lra.
have sp := noisy_spends e0 t0 t1 (lexx d0) d2.
have next y : (arg_max_law e t v (if (x < y)%R then (Some s, y) else (o, x)) c E <=
    (expR (D / b))%:E * arg_max_law e t v' (if (x < y)%R then (Some s, y) else (o, x)) c E + (tlap_loss b A D)%:E)%E.
  by case: ifP => _; exact: IH.
have h := mean_compose (dens _) (dens _) (tst v) (tst v') (ltW (expR_gt0 _)) (ltW (expR_gt0 _)) (tlap_loss_ge0 b0 A0 D0) sp next.
apply: le_trans h _; rewrite -expRD -mulrDl leeD2l // lee_fin.
exact: tlap_loss_add.
Qed.

Lemma l1_real (m n : nat) : `|m%:R - n%:R| = (m - n + (n - m))%:R :> R.
Proof.
have [le|lt] := leqP m n.
  have -> : (m - n = 0)%N by apply/eqP.
  by rewrite add0n natrB // distrC ger0_norm // subr_ge0 ler_nat.
have -> : (n - m = 0)%N by apply/eqP; exact: ltnW.
by rewrite addn0 natrB ?(ltnW lt) // ger0_norm // subr_ge0 ler_nat ltnW.
Qed.

(** singhal2021.section-1.4-gap-max: the arg max of the values of s0 :: c plus noise is (epsilon, delta)-DP; a label of constant
    score may be among them. *)
Theorem fixed_list_private floor u u' s0 c : uniq (s0 :: c) -> close_scores (mem (s0 :: c)) u u' -> forall E,
  (fixed_list_law e t floor u s0 c E <= (expR e)%:E * fixed_list_law e t floor u' s0 c E + t%:E)%E.
Proof.
move=> ul near E; have C := fixed_list_complete floor u ul; have C' := fixed_list_complete floor u' ul.
have := values_sensitivity near C C' ul; set v := value floor u _; set v' := value floor u' _ => l1.
have {}l1 : \sum_(s <- s0 :: c) `|(v s)%:R - (v' s)%:R| <= 2 :> R.
  rewrite (_ : \sum_(s <- _) _ = (l1_distance v v' (s0 :: c))%:R); first by rewrite (ler_nat R _ 2).
  by rewrite natr_sum; apply: eq_bigr => s _; exact: l1_real.
rewrite /fixed_list_law -/v -/v'.
have dens (z : R) : density (noisy z) by exact: density_noisy.
move: l1; rewrite big_cons; set d0 := `|_|; set D := \sum_(_ <- _) _ => le.
have d00 : 0 <= d0 by exact: normr_ge0.
have D0 : 0 <= D by apply: sumr_ge0 => s' _; exact: normr_ge0.
have D2 : D <= 2 by lra.
have d2 : d0 <= 2 by lra.
have sp := noisy_spends e0 t0 t1 (lexx d0) d2.
have next y := @arg_max_close v v' c E D2 (Some s0) y.
have h := mean_compose (dens _) (dens _) (test_arg_max v (Some s0) c E) (test_arg_max v' (Some s0) c E) (ltW (expR_gt0 _))
  (ltW (expR_gt0 _)) (tlap_loss_ge0 b0 A0 D0) sp next.
have loss_le : tlap_loss b A (d0 + D) <= t by rewrite -[leRHS](noise_bound_loss e0 t0) tlap_loss_monotone.
have exp_le : expR ((d0 + D) / b) <= expR e.
  have e2 : 2 / b = e by field; rewrite gt_eqF.
  by rewrite -{2}e2 ler_expR ler_pM2r ?invr_gt0.
have t01 : (0 <= mean (noisy (v' s0)%:R) (fun y => arg_max_law e t v' (Some s0, y) c E))%E.
  by case/andP: (mean_01 (dens (v' s0)%:R) (test_arg_max v' (Some s0) c E)).
apply: le_trans h _; rewrite -expRD -mulrDl; apply: leeD; first by apply: lee_wpmul2r => //; rewrite lee_fin.
by rewrite lee_fin; apply: le_trans loss_le; exact: tlap_loss_add.
Qed.
End FixedList.

(** * Examples *)

(** Two labels with the scores 9 and 1, epsilon = 1, delta = 1/2: A = ln(e^1) 2 = 2, and the value 7 passes the threshold. *)
Example noise_bound_computes (R : realType) : noise_bound 1 (1 / 2) = 2 :> R.
Proof.
rewrite /noise_bound (_ : 1 + _ / _ = expR 1 :> R) ?expRK; first by rewrite divr1 mulr1.
by rewrite mulrCA divff ?mulr1 // divr1 addrC subrK.
Qed.

Example gap_threshold_example (R : realType) :
  gap_threshold_law (1 : R) (1 / 2) 0 (fun s : bool => if s then 9 else 1)%N [:: true; false] (pred1 (Some true)) = 1%E.
Proof.
apply: (@gap_threshold_certain _ _ _ _ _ _ _ _ _ _ true) => //; try lra; first by case.
by rewrite noise_bound_computes /value /= /second /= -natrM ltr_nat.
Qed.

Example fixed_list_example (R : realType) :
  private (1 : R) (1 / 2) (fun _ _ : bool => True)
    (fun X => fixed_list_law 1 (1 / 2) 0 (fun s : bool => if X && s then 5 else 4)%N true [:: false]).
Proof.
move=> X X' _ E; apply: fixed_list_private => //; try lra.
by move=> s _; case: X X' s => [] [] [].
Qed.
