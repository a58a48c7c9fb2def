(* The stability histogram of laplace_histogram.v as it is calibrated, over a bin for each number 0, 1, 2, ..., and as a kernel of
   items of which the bins depend on the state. Finitely many bins are occupied; the others show nothing, and are not listed.

   stability_threshold e t   1 + 2 / e max(0, ln(1 / (2 t))), with which the histogram is (e, t)-private
   heights R          what is released: the height of every bin, 0 where nothing is shown
   stable_histogram e t X   the law of the heights for the items X, with that threshold
   histogram_kernel   the same for items that depend measurably on the state *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra zify.
From DPPCA.lib Require Import measure real_releases laplace gaussian_matrix release_kernels.
From DPPCA.primitives Require Import laplace_histogram.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(* The threshold of the histogram, and what it is for. *)
Section Threshold.
Context {R : realType}.
Implicit Types (e t : R).
Definition stability_threshold e t : R := 1 + 2 / e * maxr 0 (ln (1 / (2 * t))).

Lemma threshold_enough e t : 0 < e -> 0 < t -> 1 <= stability_threshold e t /\
  expR (- (e * (stability_threshold e t - 1) / 2)) / 2 <= t.
Proof.
move=> e0 t0; have e2 : 0 <= 2 / e by rewrite divr_ge0 // ltW.
rewrite /stability_threshold; split; first by rewrite lerDl mulr_ge0 // le_max lexx.
rewrite [1 + _]addrC addrK (_ : e * _ / 2 = maxr 0 (ln (1 / (2 * t)))); last by field; rewrite gt_eqF.
have l0 : 0 < 1 / (2 * t) by rewrite divr_gt0 // mulr_gt0.
have tE : (1 / (2 * t))^-1 = 2 * t by field; rewrite gt_eqF.
have le : expR (- maxr 0 (ln (1 / (2 * t)))) <= expR (- ln (1 / (2 * t))) by rewrite ler_expR lerN2 le_max lexx orbT.
apply: (@le_trans _ _ (expR (- ln (1 / (2 * t))) / 2)); first by rewrite ler_pM2r ?invr_gt0.
by rewrite expRN lnK ?posrE // tE; lra.
Qed.
End Threshold.

(* The heights of the bins 0, 1, 2, ..., with the sigma-algebra of its entries. *)
Definition heights (R : realType) : Type := nat -> R.
HB.instance Definition _ (R : realType) := Pointed.copy (heights R) (nat -> R).

Section Heights.
Context {R : realType}.

Definition height_events : set (set (heights R)) := [set A | exists i B, measurable B /\ A = (fun h : heights R => h i) @^-1` B].

Let eventsC (A : set (heights R)) : <<s height_events >> A -> <<s height_events >> (~` A).
Proof. by move=> sA; rewrite -setTD; exact: sigma_algebraCD. Qed.

HB.instance Definition _ := @isMeasurable.Build (sigma_display height_events) (heights R) <<s height_events >>
  (@sigma_algebra0 _ setT height_events) eventsC (@sigma_algebra_bigcup _ setT height_events).

Lemma measurable_height i : measurable_fun setT (fun h : heights R => h i).
Proof. by move=> _ B mB; rewrite setTI; apply: sub_sigma_algebra; exists i, B. Qed.

Lemma measurable_heights d (T : measurableType d) (f : T -> heights R) : (forall i, measurable_fun setT (fun x => f x i)) ->
  measurable_fun setT f.
Proof.
move=> mf; apply: (measurability (G := height_events)) => // _ [_ [i [B [mB ->]]] <-].
exact: mf.
Qed.

(* The row of the first m bins, and 0 for the others. *)
Definition placed m (M : 'rV[R]_m) : heights R := fun k => if insub k is Some i then M 0 i else 0.

Lemma measurable_placed m : measurable_fun setT (@placed m).
Proof.
apply: measurable_heights => k; rewrite /placed; case: (insub k) => [i|]; last exact: measurable_cst.
exact: measurable_entry.
Qed.

Lemma placed_add m (M : 'rV[R]_m) (i : 'I_m) (x : R) k :
  placed (M + x *: delta_mx 0 i) k = placed M k + (if k == i then x else 0).
Proof.
rewrite /placed; case: insubP => [j _ <-|out]; last first.
  by case: eqP => [e|_]; rewrite ?addr0 //; move: out; rewrite e ltn_ord.
by rewrite !mxE eqxx /= -(inj_eq val_inj) /=; case: (val j == val i); rewrite ?mulr1 ?mulr0.
Qed.
End Heights.

(* The histogram of counts, as a measure. *)
Section Counts.
Context {R : realType} {m : nat} (b T : R) (c : 'I_m -> nat).
Local Notation row := 'rV[R]_m.
Hypothesis b0 : 0 < b.

Lemma cells_sigma_additive l (M : row) : semi_sigma_additive (fun A => cells b T l c (fun N => (\1_A N)%:E) M).
Proof.
elim: l M => [|i l IH] M /=; first exact: (@measure_semi_sigma_additive _ _ _ (dirac M)).
case ci: (c i) => [|k] /=; first exact: IH.
apply: mean_sigma_additive => [|x|A mA]; [exact: density_laplace | exact: IH |].
have tA := @test_event R _ _ A mA.
exact: (test_shown T (test_next T b0 l c M i tA)).
Qed.

Definition counts_law of 0 < b : set row -> \bar R := histogram_law b T c.

Let law0 : counts_law b0 set0 = 0%E.
Proof.
rewrite /counts_law /histogram_law; elim: (enum 'I_m) (0 : row) => [|i l IH] M /=; first by rewrite indic0.
case: (c i) => [|k] /=; first exact: IH.
by rewrite /mean; under eq_integral do rewrite IH mule0; rewrite integral0.
Qed.
Let law_ge0 A : (0 <= counts_law b0 A)%E.
Proof.
rewrite /counts_law /histogram_law; elim: (enum 'I_m) (0 : row) => [|i l IH] M /=; first by rewrite lee_fin.
case: (c i) => [|k] /=; first exact: IH.
apply: integral_ge0 => x _; rewrite mule_ge0 ?IH // lee_fin; exact: laplace_pdf_ge0.
Qed.
HB.instance Definition _ := isMeasure.Build _ row R (counts_law b0) law0 law_ge0 (@cells_sigma_additive (enum 'I_m) 0).

Lemma counts_law_total : counts_law b0 setT = 1%E.
Proof.
change (cells b T (enum 'I_m) c (fun N : row => (\1_[set: row] N)%:E) 0 = 1%E).
elim: (enum 'I_m) (0 : row) => [|i l IH] M /=; first by rewrite indicT.
case: (c i) => [|k] /=; first exact: IH.
have -> : (fun y => cells b T l c (fun N => (\1_[set: row] N)%:E) (M + shown T y *: delta_mx 0 i)) = (fun=> 1%E).
  by apply/funext => y; exact: IH.
by apply: mean_const => //; exact: density_laplace.
Qed.
End Counts.

(* More bins than those that are occupied change nothing. *)
Section MoreBins.
Context {R : realType} (b T : R) (m m' : nat) (c : 'I_m -> nat) (c' : 'I_m' -> nat).
Hypothesis same : forall i', c' i' = if insub (val i') is Some i then c i else 0%N.

Lemma cells_placed (l' : seq 'I_m') (A : set (heights R)) (M : 'rV[R]_m) (M' : 'rV[R]_m') : placed M = placed M' ->
  cells b T l' c' (fun N => (\1_(@placed R m' @^-1` A) N)%:E) M' =
  cells b T (pmap (fun i => insub (val i)) l') c (fun N => (\1_(@placed R m @^-1` A) N)%:E) M.
Proof.
elim: l' M M' => [|i' l' IH] M M' e /=.
  by rewrite !indicE; congr (_%:R)%:E; congr nat_of_bool; apply/idP/idP; rewrite !inE /= e.
have next (i : 'I_m) x : val i = val i' -> placed (M + x *: delta_mx 0 i) = placed (M' + x *: delta_mx 0 i').
  by move=> ei; apply/funext => k; rewrite !placed_add e ei.
rewrite same; case: insubP => [i _ ei|_] /=.
  by case: (c i) => [|n]; [apply: IH; exact: next | apply: mean_eq => y _; apply: IH; exact: next].
by apply: IH; rewrite e; apply/funext => k; rewrite placed_add; case: eqP; rewrite addr0.
Qed.

Lemma more_bins (A : set (heights R)) : (m <= m')%N ->
  histogram_law b T c' (@placed R m' @^-1` A) = histogram_law b T c (@placed R m @^-1` A).
Proof.
move=> mm; rewrite /histogram_law; have e0 : placed (0 : 'rV[R]_m) = placed (0 : 'rV[R]_m').
  by apply/funext => k; rewrite /placed; do 2 case: insub => [?|]; rewrite ?mxE.
rewrite (cells_placed _ _ e0); congr (cells _ _ _ _ _ _); apply: (inj_map val_inj).
rewrite (_ : pmap _ _ = pmap insub (map val (enum 'I_m'))); last by elim: (enum _) => //= i l ->.
rewrite (pmap_filter (@insubK _ _ _)) !val_enum_ord -[m'](subnKC mm) iotaD filter_cat add0n.
rewrite (eq_in_filter (a2 := predT)) ?filter_predT; last by move=> k; rewrite mem_iota add0n isSome_insub => /andP[_ ->].
rewrite (eq_in_filter (a2 := pred0)) ?filter_pred0 ?cats0 //.
by move=> k; rewrite mem_iota isSome_insub => /andP[le _]; apply/negbTE; rewrite -leqNgt.
Qed.
End MoreBins.

(* The histogram of n items with the bins X j, as it is calibrated. *)
Section Bins.
Context {R : realType} {n : nat}.
Implicit Types (e t : R) (X : 'I_n -> nat).

Definition bins X : nat := (\max_j X j).+1.
Definition stable_histogram e t X (A : set (heights R)) : \bar R :=
  histogram (@nat_of_ord (bins X)) e (stability_threshold e t) X (@placed R (bins X) @^-1` A).

Lemma listed_bins X m : (bins X <= m)%N -> listed (@nat_of_ord m) X.
Proof.
move=> le j; have lt : (X j < m)%N by apply: leq_trans le; rewrite /bins ltnS; exact: leq_bigmax.
by exists (Ordinal lt).
Qed.

Lemma stable_histogramE e t X A m : (bins X <= m)%N ->
  stable_histogram e t X A = histogram (@nat_of_ord m) e (stability_threshold e t) X (@placed R m @^-1` A).
Proof.
move=> le; apply/esym; apply: more_bins => // i'; rewrite /counts; case: insubP => [i _ ei|out].
  have {}ei : nat_of_ord i = nat_of_ord i' := ei.
  by apply: eq_card => j; rewrite !inE ei.
apply/eqP; rewrite cards_eq0; apply/eqP/setP => j; rewrite !inE.
apply/negbTE; apply: contra out => /eqP e1; change (nat_of_ord i' < bins X)%N.
by rewrite -e1 /bins ltnS; exact: leq_bigmax.
Qed.

Lemma stable_histogram_private e t X X' : 0 < e -> 0 < t -> replaced X X' ->
  indist (expR e) t (stable_histogram e t X) (stable_histogram e t X').
Proof.
move=> e0 t0 nb A mA; have [T1 le] := threshold_enough e0 t0; set m := maxn (bins X) (bins X').
rewrite (stable_histogramE e t A (leq_maxl (bins X) (bins X'))) (stable_histogramE e t A (leq_maxr (bins X) (bins X'))).
have mB : measurable (@placed R m @^-1` A) by rewrite -[X in measurable X]setTI; exact: measurable_placed.
apply: le_trans (histogram_private (@ord_inj m) e0 T1 nb _ _ mB) _; try (apply: listed_bins; rewrite leq_max leqnn ?orbT //).
by rewrite leeD2l // lee_fin.
Qed.
End Bins.

(* Items of which the bins depend on the state. *)
Section Kernel.
Context {R : realType} {n : nat} d (S : measurableType d) (e t : R) (X : S -> 'I_n -> nat).
Definition measurable_items := forall j i, measurable_fun setT (fun z => X z j == i).
Hypotheses (e0 : 0 < e) (mX : measurable_items).
Let b0 : 0 < 2 / e. Proof. by rewrite divr_gt0. Qed.

Definition histogram_kernel of measurable_items : S -> {measure set (heights R) -> \bar R} := fun z =>
  pushforward (counts_law (stability_threshold e t) (counts (@nat_of_ord (bins (X z))) (X z)) b0) (@measurable_placed R (bins (X z))).

Lemma histogram_kernelE z A : histogram_kernel mX z A = stable_histogram e t (X z) A.
Proof. by []. Qed.

(* There are countably many ways in which the items lie in the bins. *)
Lemma measurable_countable (I : countType) (f : S -> I) (g : I -> \bar R) : (forall i, measurable (f @^-1` [set i])) ->
  measurable_fun setT (fun z => g (f z)).
Proof.
move=> mf _ B mB; rewrite setTI (_ : _ @^-1` B = \bigcup_i (if `[< B (g i) >] then f @^-1` [set i] else set0)).
  by apply: countable_bigcupT_measurable => [|i]; [exact: countableP | case: ifP].
apply/seteqP; split=> [z Bz|z [i _]]; first by exists (f z) => //; rewrite asboolT.
by case: ifPn => // /asboolP Bi /= ->.
Qed.

Let measurable_kernel A : measurable A -> measurable_fun setT (histogram_kernel mX ^~ A).
Proof.
move=> mA; rewrite (_ : (fun z => _) = fun z => stable_histogram e t ([ffun j => X z j] : {ffun 'I_n -> nat}) A); last first.
  by apply/funext => z; rewrite histogram_kernelE; congr (stable_histogram _ _ _ _); apply/funext => j; rewrite ffunE.
apply: (@measurable_countable _ (fun z => [ffun j => X z j] : {ffun 'I_n -> nat}) (fun Y => stable_histogram e t Y A)) => Y.
have mall (l : seq 'I_n) : measurable_fun setT (fun z => all (fun j => X z j == Y j) l).
  elim: l => [|j l IH]; first exact: measurable_cst.
  exact: measurable_and.
rewrite (_ : _ @^-1` _ = setT `&` (fun z => all (fun j => X z j == Y j) (enum 'I_n)) @^-1` [set true]); first exact: mall.
rewrite setTI; apply/seteqP; split=> z /=.
  by move=> <-; apply/allP => j _; rewrite ffunE.
by move=> /allP H; apply/ffunP => j; rewrite ffunE; apply/eqP; apply: H; rewrite mem_enum.
Qed.
HB.instance Definition _ := isKernel.Build _ _ S (heights R) R (histogram_kernel mX) measurable_kernel.
Let kernel_total z : histogram_kernel mX z setT = 1%E.
Proof. exact: counts_law_total. Qed.
HB.instance Definition _ := Kernel_isProbability.Build _ _ S (heights R) R (histogram_kernel mX) kernel_total.
End Kernel.

Example height_events_hold (R : realType) : height_events [set h : heights R | [set: R] (h 3%N)].
Proof. by exists 3%N, setT. Qed.
