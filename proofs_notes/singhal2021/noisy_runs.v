(** singhal2021, section 3.3, with its real noise: one run and the selection among K hidden runs, on any measurable space.

    A run draws one of k_max estimators uniformly, and counts the auxiliary rows that are inside what it found, with Laplace noise
    of scale b. A run that ends in bottom (bot) has the score -oo. The output is what the run of the highest score has found.

    one_run b est X Y     the law of what a run finds, and of its noisy count
    run_score             the score of such a pair
    selected_output       the law of the output *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel charge.
From mathcomp Require Import ring lra zify.
From DPPCA.lib Require Import measure real_releases laplace.
From DPPCA.lib Require Import advanced_composition.
From DPPCA.primitives Require Import laplace_tails best_of_runs private_selection.
From DPPCA.singhal2021 Require Import algorithm_2_approximate.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(** One row of X or one auxiliary row is replaced. *)
Definition either_replaced (Row : Type) (n n_aux : nat) (D D' : ('I_n -> Row) * ('I_n_aux -> Row)) :=
  (row_replaced D.1 D'.1 /\ D.2 = D'.2) \/ (D.1 = D'.1 /\ row_replaced D.2 D'.2).

(** K is geometric of this mean. *)
Definition mean_runs (kk : nat) : nat := (10 * kk.+1)%N.

(** What follows a found o, if a number is drawn around v o, one of finitely many values, with Laplace noise. *)
Section Scored.
Context {R : realType} d (T : measurableType d).
Variables (b : R) (N : nat) (v : T -> 'I_N).
Hypotheses (b0 : 0 < b) (m_v : forall c, measurable [set o | v o = c]).
Local Notation mu := (@lebesgue_measure R).
Implicit Types (M : probability T R) (C : set (T * R)).

Definition scored M C : \bar R := (\int[M]_o laplace_prob (v o : nat)%:R b (xsection C o))%E.

Let lap0 c (A : set R) : (0 <= laplace_prob c b A)%E.
Proof. by apply: integral_ge0 => x _; rewrite lee_fin laplace_pdf_ge0. Qed.

Let mE c (B : set R) : measurable_fun B (fun x => (laplace_pdf c b x)%:E).
Proof. by apply/measurable_EFinP; apply: measurable_funTS; exact: measurable_laplace_pdf. Qed.

Let lap_additive c : semi_sigma_additive (laplace_prob c b).
Proof.
have H := @semi_sigma_additive_nng_induced _ _ R mu (fun x => (laplace_pdf c b x)%:E) (@mE c setT).
by apply: H => x; rewrite lee_fin laplace_pdf_ge0.
Qed.

(** As a measure, for what is measurable in o. *)
Let law c of 0 < b : set R -> \bar R := laplace_prob c b.
Let law_set0 c : law c b0 set0 = 0%E. Proof. by rewrite /law /laplace_prob integral_set0. Qed.
HB.instance Definition _ c := isMeasure.Build _ R R (law c b0) (law_set0 c) (lap0 c) (@lap_additive c).
Let law_total c : law c b0 setT = 1%E. Proof. exact: laplace_total. Qed.
HB.instance Definition _ c := Measure_isProbability.Build _ _ _ (law c b0) (law_total c).

Lemma laplace_le1 c (A : set R) : measurable A -> (laplace_prob c b A <= 1)%E.
Proof. by move=> mA; exact: (probability_le1 (law c b0)). Qed.

Lemma laplace_sub c (A B : set R) : measurable A -> measurable B -> A `<=` B -> (laplace_prob c b A <= laplace_prob c b B)%E.
Proof. by move=> mA mB; apply: (le_measure (law c b0)); rewrite inE. Qed.

Lemma measurable_scored C : measurable C -> measurable_fun setT (fun o => laplace_prob (v o : nat)%:R b (xsection C o)).
Proof.
move=> mC; have e o : laplace_prob (v o : nat)%:R b (xsection C o) =
    (\sum_(c < N) (\1_[set o | v o = c] o)%:E * law (c : nat)%:R b0 (xsection C o))%E.
  rewrite (bigD1 (v o)) //= indicE mem_set // mul1e big1 ?adde0 // => c co.
  by rewrite indicE memNset ?mul0e // => /= e; rewrite e eqxx in co.
under eq_fun do rewrite e; apply: emeasurable_sum => c; apply: emeasurable_funM.
  by apply/measurable_EFinP; exact: measurable_indic.
exact: measurable_fun_xsection.
Qed.

Lemma test_scored C : measurable C -> test (fun o => laplace_prob (v o : nat)%:R b (xsection C o)).
Proof.
by move=> mC; split=> [|o]; [exact: measurable_scored | rewrite lap0 laplace_le1 //; exact: measurable_xsection].
Qed.

Let scored0 M : scored M set0 = 0%E.
Proof. by rewrite /scored; under eq_integral do rewrite xsection0 /laplace_prob integral_set0; rewrite integral0. Qed.
Let scored_ge0 M C : (0 <= scored M C)%E. Proof. by apply: integral_ge0. Qed.
Let scored_additive M : semi_sigma_additive (scored M).
Proof.
move=> F mF tF mUF; rewrite /scored.
have -> : (\int[M]_o laplace_prob (v o : nat)%:R b (xsection (\bigcup_i F i) o) =
    \sum_(0 <= i <oo) \int[M]_o laplace_prob (v o : nat)%:R b (xsection (F i) o))%E.
  rewrite -integral_nneseries //; last by move=> i; exact: measurable_scored.
  apply: eq_integral => o _; rewrite xsection_bigcup; apply/esym/cvg_lim => //.
  have := @lap_additive (v o : nat)%:R (fun i => xsection (F i) o); apply.
  - by move=> i; exact: measurable_xsection.
  - exact: trivIset_xsection.
  - by apply: bigcup_measurable => i _; exact: measurable_xsection.
by apply: is_cvg_ereal_nneg_natsum => i _; exact: integral_ge0.
Qed.

Definition scored_law of 0 < b & (forall c, measurable [set o | v o = c]) : probability T R -> set (T * R) -> \bar R := scored.
Local Notation slaw := (scored_law b0 m_v).
HB.instance Definition _ M := isMeasure.Build _ (T * R)%type R (slaw M) (scored0 M) (scored_ge0 M) (@scored_additive M).

Lemma scored_total M : slaw M setT = 1%E.
Proof.
rewrite /scored_law /scored (eq_integral (cst 1%E)) => [|o _]; first by rewrite integral_cst // mul1e; exact: probability_setT.
by rewrite (_ : xsection setT o = setT) ?laplace_total //; apply/seteqP; split=> x // _; rewrite /xsection /= inE.
Qed.

(** The data changes what is found, and not what is counted. *)
Lemma scored_found M M' a t : 0 <= a -> indist a t M M' -> indist a t (scored M) (scored M').
Proof.
move=> a0 H C mC; have [mF F01] := test_scored mC.
apply: (indist_mean mF) => //; try (by move=> o; case/andP: (F01 o)); exact: probability_setT.
Qed.

(** One of k_max, each with the same probability. *)
Variable kk : nat.
Implicit Types E : nat -> probability T R.
Let weight : {nonneg R} := NngNum (ltW (divr_gt0 ltr01 (ltr0n R kk.+1))).

Definition one_run E : {measure set (T * R) -> \bar R} := msum (fun k => mscale weight (slaw (E k))) kk.+1.

Lemma one_runE E C : one_run E C = (\sum_(k < kk.+1) (1 / kk.+1%:R)%:E * scored (E k) C)%E.
Proof. by []. Qed.

Lemma one_run_total E : one_run E setT = 1%E.
Proof.
rewrite one_runE (eq_bigr (fun=> (1 / kk.+1%:R)%:E)) => [|k _]; last by rewrite -/(scored_law b0 m_v (E k) setT) scored_total mule1.
rewrite sumEFin sumr_const card_ord; congr EFin; rewrite -[LHS]mulr_natr; by field; rewrite nat1r pnatr_eq0.
Qed.

End Scored.

(** An auxiliary row is replaced: the counts are 1 apart at most, whatever was found. *)
Section Counts.
Context {R : realType} d (T : measurableType d).
Variables (b : R) (N : nat) (v v' : T -> 'I_N).
Hypotheses (b0 : 0 < b) (m_v : forall c, measurable [set o | v o = c]) (m_v' : forall c, measurable [set o | v' o = c]).
Hypothesis close : forall o, (v o <= (v' o).+1)%N /\ (v' o <= (v o).+1)%N.

Lemma scored_counts (M : probability T R) : indist (expR (1 / b)) 0 (scored b v M) (scored b v' M).
Proof.
move=> C mC; rewrite adde0 /scored; have [mF F01] := test_scored b0 m_v mC; have [mG G01] := test_scored b0 m_v' mC.
rewrite -ge0_integralZl_EFin ?expR_ge0 //; last by move=> o _; case/andP: (G01 o).
apply: ge0_le_integral => //.
- by move=> o _; case/andP: (F01 o).
- by move=> o _; rewrite mule_ge0 ?lee_fin ?expR_ge0 //; case/andP: (G01 o).
- exact: measurable_funeM.
move=> o _; have mS := measurable_xsection o mC.
have := @laplace_mechanism R (v o : nat)%:R (v' o : nat)%:R b b0 _ mS; rewrite adde0 => h; apply: le_trans h _.
apply: lee_wpmul2r; first by case/andP: (G01 o).
rewrite lee_fin ler_expR ler_pM2r ?invr_gt0 //; have [h1 h2] := close o.
by move: h1 h2; rewrite -!(ler_nat R) -!natr1 ler_norml => h1 h2; apply/andP; split; lra.
Qed.
End Counts.

(** The slot of a number among cuts: how many of them it has passed, from the first on. *)
Section Slots.
Context {R : realType}.
Implicit Types (cs : seq R) (x y c : R).

Definition slot cs x : nat := find (fun c => x < c) cs.

Lemma slot_mono cs x y : x <= y -> (slot cs x <= slot cs y)%N.
Proof. by move=> xy; apply: sub_find => c; exact: le_lt_trans. Qed.

Lemma measurable_slot cs k : measurable [set x : R | slot cs x = k].
Proof.
elim: cs k => [|c cs IH] [|k].
- by rewrite (_ : [set _ | _] = setT) //; apply/seteqP.
- by rewrite (_ : [set _ | _] = set0) //; apply/seteqP; split=> x.
- rewrite (_ : [set _ | _] = `]-oo, c[%classic) //; apply/seteqP; split=> x; rewrite /slot /= in_itv /=; by case: (x < c).
rewrite (_ : [set _ | _] = `[c, +oo[%classic `&` [set x | slot cs x = k]); first exact: measurableI.
apply/seteqP; split=> x; rewrite /slot /= in_itv /= andbT ltNge; case: (c <= x) => /=; try by case.
by case=> _ <-.
Qed.

Variable b : R.
Hypothesis b0 : 0 < b.

Lemma laplace_interval c p q : p <= q -> (laplace_prob c b `[p, q]%classic <= ((q - p) / (2 * b))%:E)%E.
Proof.
move=> pq; apply: (@le_trans _ _ (\int[@lebesgue_measure R]_(x in `[p, q]%classic) (cst ((2 * b)^-1)%:E x))%E).
  apply: ge0_le_integral => //.
  - by move=> x _; rewrite lee_fin laplace_pdf_ge0.
  - by apply/measurable_EFinP; apply: measurable_funTS; exact: measurable_laplace_pdf.
  - by move=> x _; rewrite lee_fin invr_ge0 mulr_ge0 // ltW.
  move=> x _; rewrite lee_fin /laplace_pdf ler_piMr ?invr_ge0 ?mulr_ge0 ?(ltW b0) //.
  by rewrite -[leRHS]expR0 ler_expR oppr_le0 divr_ge0 // ltW.
rewrite integral_cst // [X in (_ * X)%E]lebesgue_measure_itv /= lte_fin; case: ifP => [_|_].
  by rewrite -EFinB -EFinM mulrC.
by rewrite mule0 lee_fin divr_ge0 ?subr_ge0 ?mulr_ge0 // ltW.
Qed.

(** Cuts between which no count plus noise is often. *)
Lemma rare_slots (N : nat) (eta : R) : 0 < eta -> exists cs, forall (c : nat) k, (c <= N)%N ->
  (laplace_prob c%:R b [set x | slot cs x = k] <= eta%:E)%E.
Proof.
move=> eta0; pose h := 2 * b * eta; pose D := b / eta; have h0 : 0 < h by rewrite !mulr_gt0.
have D0 : 0 < D by rewrite divr_gt0.
pose m := archi_bound ((2 * D + N%:R) / h); pose cut (i : nat) : R := - D + i%:R * h.
have small : expR (- (D / b)) / 2 <= eta.
  have e1 : D / b = eta^-1 by rewrite /D; field; rewrite !gt_eqF.
  apply: (@le_trans _ _ (expR (- (D / b)))); first by rewrite ler_pdivrMr // ler_peMr ?expR_ge0 // ler1n.
  rewrite e1 expRN -[leRHS]invrK lef_pV2 ?posrE ?invr_gt0 ?expR_gt0 //.
  by apply: le_trans (expR_ge1Dx _); rewrite lerDr.
exists (mkseq cut m.+1) => c k cN; set cs := mkseq cut m.+1; have mS := measurable_slot cs k.
have cN' : c%:R <= N%:R :> R by rewrite ler_nat.
have c0 : 0 <= c%:R :> R by [].
have below i x : (i < k)%N -> (i < m.+1)%N -> slot cs x = k -> cut i <= x.
  move=> ik im sk; have := @before_find _ 0 (fun c => x < c) cs i; rewrite -/(slot cs x) sk => /(_ ik).
  by rewrite nth_mkseq // => /negbT; rewrite -leNgt.
have above x : (k < m.+1)%N -> slot cs x = k -> x <= cut k.
  move=> km sk; have : has (fun c => x < c) cs by rewrite has_find -/(slot cs x) sk size_mkseq.
  by move=> /(nth_find 0); rewrite -/(slot cs x) sk nth_mkseq // => /ltW.
have [k0|k1] := posnP k.
  apply: (@le_trans _ _ (laplace_prob c%:R b `]-oo, cut 0%N]%classic)).
    by apply: laplace_sub => // x sk; rewrite /= in_itv /=; have := above x _ sk; rewrite k0; apply.
  have [_ +] := laplace_tails b0 c%:R (cut 0%N); move/le_trans; apply; rewrite lee_fin; apply: le_trans small.
  rewrite ler_pM2r ?invr_gt0 // ler_expR -mulNr ler_pM2r ?invr_gt0 // /cut mul0r addr0; lra.
have [km|mk] := ltnP k m.+1.
  apply: (@le_trans _ _ (laplace_prob c%:R b `[cut k.-1, cut k]%classic)).
    apply: laplace_sub => // x sk; rewrite /= in_itv /= (above x km sk) andbT; apply: (below _ x _ _ sk); lia.
  have e1 : cut k - cut k.-1 = h by rewrite /cut -{1}(prednK k1) -natr1; ring.
  apply: le_trans (laplace_interval _ _) _; first by rewrite -subr_ge0 e1 ltW.
  by rewrite e1 /h lee_fin le_eqVlt; apply/orP; left; apply/eqP; field; rewrite gt_eqF.
apply: (@le_trans _ _ (laplace_prob c%:R b `[cut m, +oo[%classic)).
  by apply: laplace_sub => // x sk; rewrite /= in_itv /= andbT; apply: (below _ x _ _ sk).
have [+ _] := laplace_tails b0 c%:R (cut m); move/le_trans; apply; rewrite lee_fin; apply: le_trans small.
rewrite ler_pM2r ?invr_gt0 // ler_expR -mulNr ler_pM2r ?invr_gt0 // /cut.
have : (2 * D + N%:R) / h < m%:R by apply: archi_boundP; rewrite divr_ge0 ?(ltW h0) // addr_ge0 // mulr_ge0 // ltW.
by rewrite ltr_pdivrMr //; lra.
Qed.
End Slots.

Section Runs.
Context {R : realType} d (T : measurableType d).
Variables (b : R) (N kk : nat).
Hypothesis b0 : 0 < b.

Lemma one_run_indist (v v' : T -> 'I_N) (m_v : forall c, measurable [set o | v o = c]) (m_v' : forall c, measurable [set o | v' o = c])
    (E E' : nat -> probability T R) a t : 0 <= a -> (forall k, (k <= kk)%N -> indist a t (scored b v (E k)) (scored b v' (E' k))) ->
  indist a t (one_run b0 m_v kk E) (one_run b0 m_v' kk E').
Proof.
move=> a0 H C mC; rewrite !one_runE; set w := 1 / kk.+1%:R; have w0 : 0 <= w by rewrite divr_ge0.
have S0 k : (0 <= scored b v' (E' k) C)%E.
  by apply: integral_ge0 => o _; apply: integral_ge0 => x _; rewrite lee_fin laplace_pdf_ge0.
have e : t%:E = (\sum_(k < kk.+1) w%:E * t%:E)%E.
  rewrite sumEFin sumr_const card_ord; congr EFin; rewrite -[RHS]mulr_natr /w; by field; rewrite nat1r pnatr_eq0.
rewrite [X in (_ + X)%E]e ge0_sume_distrr => [|k _]; last by rewrite mule_ge0 ?lee_fin.
rewrite -big_split; apply: lee_sum => k _ /=.
rewrite muleCA; apply: le_trans (lee_wpmul2l _ (H k (ltn_ord k) C mC)) _; first by rewrite lee_fin.
have t0 : 0 <= t.
  have := H 0%N isT set0 measurable0.
  by rewrite -!/(scored_law b0 m_v _ set0) -!/(scored_law b0 m_v' _ set0) !measure0 mule0 add0e lee_fin.
by rewrite ge0_muleDr ?mule_ge0 ?lee_fin.
Qed.
End Runs.

(** The score of what a run has found, and of its noisy count. *)
Section Score.
Context {R : realType} d (T : measurableType d).
Variables (bot : T) (b : R) (N kk : nat) (v : T -> 'I_N).
Hypotheses (m_bot : measurable [set bot]) (b0 : 0 < b) (m_v : forall c, measurable [set o | v o = c]).

Definition run_score (z : T * R) : \bar R := if z.1 == bot then -oo%E else z.2%:E.

Let m_at : measurable [set z : T * R | z.1 = bot].
Proof. by rewrite -[X in measurable X]setTI; apply: (measurable_fst _ [set bot]). Qed.

Lemma measurable_run_score : measurable_fun setT run_score.
Proof.
apply: measurable_fun_ifT; [|exact: measurable_cst|by apply/measurable_EFinP; exact: measurable_snd].
have e : (fun z : T * R => z.1 == bot) @^-1` [set true] = [set z | z.1 = bot] by apply/seteqP; split=> z /= /eqP.
by apply: (measurable_fun_bool true); rewrite e; move: m_at; rewrite ?setTI.
Qed.

Lemma one_run_spread E (B : set T) : spread run_score (as_probability (one_run_total b0 m_v kk E)) [set z | B z.1].
Proof.
move=> eta eta0; have [cs rare] := rare_slots b0 N eta0.
have lt (z : T * R) : ((if z.1 == bot then 0 else (slot cs z.2).+1) < (size cs).+2)%N.
  by case: ifP => // _; rewrite !ltnS find_size.
exists (size cs).+2, (fun z => Ordinal (lt z)).
have m_slot k : measurable [set z : T * R | slot cs z.2 = k].
  by rewrite -[X in measurable X]setTI; apply: (measurable_snd _ [set x | slot cs x = k]) => //; exact: measurable_slot.
have at_level k : [set z | (if z.1 == bot then 0 else (slot cs z.2).+1)%N = k] =
    if k is k'.+1 then (~` [set z : T * R | z.1 = bot]) `&` [set z | slot cs z.2 = k'] else [set z | z.1 = bot].
  by case: k => [|k]; apply/seteqP; split=> z /=; case: (eqVneq z.1 bot) => [e|/eqP ne]; intuition congruence.
have m_level (l : 'I_(size cs).+2) : measurable [set z | Ordinal (lt z) = l].
  rewrite (_ : [set _ | _] = [set z | (if z.1 == bot then 0 else (slot cs z.2).+1)%N = l]).
    by rewrite at_level; case: (l : nat) => // k; apply: measurableI => //; exact: measurableC.
  by apply/seteqP; split=> z /= => [<-//|e]; exact: val_inj.
split=> [//|y z|l].
  rewrite /run_score /=; case: (eqVneq y.1 bot) => // _; case: (eqVneq z.1 bot) => _; first by rewrite leeNy_eq.
  by rewrite lee_fin ltnS; exact: slot_mono.
have [l0|l1] := posnP l.
  right=> y z /(congr1 val) /= ; rewrite l0 => + /(congr1 val) /=; rewrite l0.
  case: (eqVneq y.1 bot) => // ey _; case: (eqVneq z.1 bot) => // ez _.
  by apply/idP/idP => /set_mem /= h; apply: mem_set => /=; rewrite ?ez ?ey; move: h; rewrite ?ey ?ez.
left; rewrite [X in (X <= _)%E](one_runE b0 m_v).
have one k : (scored b v (E k) [set z | Ordinal (lt z) = l] <= eta%:E)%E.
  have [mF F01] := test_scored b0 m_v (m_level l).
  apply: (@le_trans _ _ (\int[E k]_o (cst eta%:E o))%E); last first.
    rewrite integral_cst // ; rewrite -[leRHS]mule1; apply: lee_wpmul2l; first by rewrite lee_fin ltW.
    by rewrite [leLHS](@probability_setT _ _ _ (E k)).
  apply: ge0_le_integral => //.
  - by move=> o _; case/andP: (F01 o).
  - by move=> o _; rewrite lee_fin ltW.
  move=> o _; apply: le_trans (rare (v o) l.-1 _); last by rewrite ltnW.
  apply: laplace_sub => //; [exact: measurable_xsection | exact: measurable_slot |].
  move=> x; rewrite /xsection /= inE /= => /(congr1 val) /=; case: ifP => _ e; first by rewrite -e in l1.
  by rewrite -e.
apply: (@le_trans _ _ (\sum_(k < kk.+1) (1 / kk.+1%:R)%:E * eta%:E)%E).
  by apply: lee_sum => k _; apply: lee_wpmul2l => //; rewrite lee_fin divr_ge0.
rewrite sumEFin sumr_const card_ord lee_fin -mulr_natr le_eqVlt; apply/orP; left; apply/eqP; field.
by rewrite nat1r pnatr_eq0.
Qed.
End Score.

(** Section 3.3: the estimators of the dimensions 1 .. k_max = kk + 1 on the rows X, the auxiliary rows Y. *)
Section Selection.
Context {R : realType} d (T : measurableType d).
Variables (bot : T) (Row : Type) (n n_aux kk : nat) (inside : T -> Row -> bool).
Hypotheses (m_bot : measurable [set bot]) (m_inside : forall r, measurable [set o | inside o r]).
Variables (estimator : nat -> ('I_n -> Row) -> probability T R) (e t : R).
Hypotheses (e0 : 0 < e) (t0 : 0 <= t).
Implicit Types (Y : 'I_n_aux -> Row) (D : ('I_n -> Row) * ('I_n_aux -> Row)).

Lemma near_lt Y o : (#|[set i | inside o (Y i)]%SET| < n_aux.+1)%N.
Proof. by rewrite ltnS -[leqRHS]card_ord max_card. Qed.

(** The count of auxiliary rows that are inside. *)
Definition near Y o : 'I_n_aux.+1 := Ordinal (near_lt Y o).

Lemma measurable_near Y c : measurable [set o | near Y o = c].
Proof.
pose g o : R := \sum_i \1_[set o | inside o (Y i)] o.
have mg : measurable_fun setT g.
  by apply: (@measurable_sum _ _ R setT _ _ (fun i o => \1_[set o | inside o (Y i)] o)) => i; exact: measurable_indic.
have gE o : g o = (near Y o)%:R.
  rewrite /g /near /= -sum1_card natr_sum [in RHS]big_mkcond; apply: eq_bigr => i _.
  rewrite indicE inE; case: (boolP (inside o (Y i))) => io; first by rewrite mem_set.
  by rewrite memNset //; exact/negP.
rewrite (_ : [set _ | _] = g @^-1` [set (c : nat)%:R]).
  by rewrite -[X in measurable X]setTI; exact: mg.
apply/seteqP; split=> o /=; rewrite gE; first by move=> ->.
by move=> /eqP; rewrite eqr_nat => /eqP /val_inj.
Qed.

Lemma near_change Y Y' o : row_replaced Y Y' -> (near Y o <= (near Y' o).+1)%N.
Proof.
case=> i0 same; rewrite /= -add1n -(cards1 i0); apply: leq_trans (leq_card_setU _ _).
apply/subset_leq_card/fintype.subsetP => i; rewrite !inE; case: (eqVneq i i0) => //= ne.
by rewrite same.
Qed.

Lemma noise_gt0 : 0 < 3 / e. Proof. by rewrite divr_gt0. Qed.
Definition run D := as_probability (one_run_total noise_gt0 (measurable_near D.2) kk (fun k => estimator k D.1)).
Definition selected_output D (B : set T) : \bar R := selected (run_score bot) (mean_runs kk)%:R^-1 (run D) [set z | B z.1].

Hypothesis private : forall k X X', (k <= kk)%N -> row_replaced X X' ->
  indist (expR (e / 3)) (t / (mean_runs kk)%:R) (estimator k X) (estimator k X').

Lemma run_private D D' : either_replaced D D' -> indist (expR (e / 3)) (t / (mean_runs kk)%:R) (run D) (run D').
Proof.
case: D D' => [X Y] [X' Y'] /=; case=> -[/= nb].
  move=> <-; apply: one_run_indist; first exact: expR_ge0.
  by move=> k kkk; apply: (scored_found noise_gt0 (measurable_near Y)); [exact: expR_ge0 | exact: private].
move=> nb'; rewrite -nb; apply: one_run_indist; first exact: expR_ge0.
move=> k kkk C mC; have nbs : row_replaced Y' Y by case: nb' => i0 same; exists i0 => i /same.
have := scored_counts noise_gt0 (measurable_near Y) (measurable_near Y') (fun o => conj (near_change o nb') (near_change o nbs)) (estimator k X) mC.
have -> : 1 / (3 / e) = e / 3 by field; rewrite gt_eqF.
by rewrite adde0 => /le_trans; apply; rewrite leeDl // lee_fin divr_ge0.
Qed.

(** singhal2021.section-3.3-selection *)
Theorem selected_output_private D D' : either_replaced D D' -> indist (expR e) t (selected_output D) (selected_output D').
Proof.
move=> nb B mB; have nbs : either_replaced D' D.
  by case: nb => [[[i0 same] e1]|[e1 [i0 same]]]; [left | right]; split=> //; exists i0 => i /same.
have m0 : 0 < (mean_runs kk)%:R :> R by rewrite ltr0n.
have mA : measurable [set z : T * R | B z.1] by rewrite -[X in measurable X]setTI; exact: (measurable_fst _ B).
have g0 : 0 < (mean_runs kk)%:R^-1 :> R by rewrite invr_gt0.
have g1 : (mean_runs kk)%:R^-1 <= 1 :> R by rewrite invf_le1 // ler1n.
have a1 : 1 <= expR (e / 3) by rewrite -[leLHS]expR0 ler_expR divr_ge0 // ltW.
have e3 : expR (e / 3) ^+ 3 = expR e by rewrite -expRM_natl; congr expR; field.
have td : t / (mean_runs kk)%:R / (mean_runs kk)%:R^-1 = t by rewrite invrK divfK ?gt_eqF.
have := selected_private (measurable_run_score m_bot) mA g0 g1 a1 (run_private nb) (run_private nbs)
  (one_run_spread kk m_bot noise_gt0 (measurable_near D'.2) (fun k => estimator k D'.1) B).
by rewrite e3 td.
Qed.
End Selection.

(** The definitions compute, and the hypotheses can be met: every estimator finds the same, bottom or not. *)
Example slot_computes (R : realType) : slot [:: 1; 3] (2 : R) = 1%N.
Proof. by rewrite /slot /= ltNge ler1n /= ltr_nat. Qed.

Example selected_output_holds (R : realType) d (T : measurableType d) (bot : T) (M : probability T R)
    (m_all : forall r : bool, measurable [set _ : T | r]) (D D' : ('I_5 -> bool) * ('I_3 -> bool)) : measurable [set bot] ->
  either_replaced D D' -> indist (expR 1) (1 / 2) (selected_output bot 1 m_all (fun _ _ => M) ltr01 D)
    (selected_output bot 1 m_all (fun _ _ => M) ltr01 D').
Proof.
move=> m_bot nb; apply: selected_output_private => // k X X' _ _.
apply: indist_monotone (indist_refl M); first by rewrite -[leLHS]expR0 ler_expR divr_ge0.
by rewrite divr_ge0 // divr_ge0.
Qed.
