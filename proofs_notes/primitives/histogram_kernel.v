(* The stability histogram of laplace_histogram.v as it is calibrated, and as a kernel of items that depend on the state.

   stability_threshold e t   1 + 2 / e max(0, ln(1 / (2 t))), with which the histogram is (e, t)-private
   stable_histogram   the histogram with that threshold
   histogram_law_of   the histogram of counts that depend on the state
   measurable_items   the cells of the items depend measurably on the state, and then so do the counts *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure real_releases laplace gaussian_matrix release_kernels.
From DPPCA.primitives Require Import laplace_histogram.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section HistogramKernel.
Context {R : realType} {m : nat} (b T : R) (b0 : 0 < b).
Local Notation row := 'rV[R]_m.

Lemma cells_sigma_additive l c (M : row) : semi_sigma_additive (fun A => cells b T l c (fun N => (\1_A N)%:E) M).
Proof.
elim: l M => [|i l IH] M /=; first exact: (@measure_semi_sigma_additive _ _ _ (dirac M)).
case ci: (c i) => [|k] /=; first exact: IH.
apply: mean_sigma_additive => [|x|A mA]; [exact: density_laplace | exact: IH |].
have tA := @test_event R _ _ A mA.
exact: (test_shown T (test_next T b0 l c M i tA)).
Qed.

Context d (S : measurableType d) (c : S -> 'I_m -> nat) (mc : forall i, measurable_fun setT (c ^~ i)).

(* The histogram of counts that depend on the state. *)
Definition histogram_kernel of 0 < b & (forall i, measurable_fun setT (c ^~ i)) : S -> set row -> \bar R :=
  fun z => histogram_law b T (c z).
Local Notation law := (histogram_kernel b0 mc).

Let law0 z : law z set0 = 0%E.
Proof.
rewrite /histogram_kernel /histogram_law; elim: (enum 'I_m) (0 : row) => [|i l IH] M /=; first by rewrite indic0.
case: (c z i) => [|k] /=; first exact: IH.
by rewrite /mean; under eq_integral do rewrite IH mule0; rewrite integral0.
Qed.
Let law_ge0 z A : (0 <= law z A)%E.
Proof.
rewrite /histogram_kernel /histogram_law; elim: (enum 'I_m) (0 : row) => [|i l IH] M /=; first by rewrite lee_fin.
case: (c z i) => [|k] /=; first exact: IH.
apply: integral_ge0 => x _; rewrite mule_ge0 ?IH // lee_fin; exact: laplace_pdf_ge0.
Qed.
HB.instance Definition _ z := isMeasure.Build _ row R (law z) (law0 z) (law_ge0 z) (@cells_sigma_additive (enum 'I_m) (c z) 0).

Definition histogram_law_of : S -> {measure set row -> \bar R} := fun z => law z.

Lemma test_cells_of l (K : row -> \bar R) : test K -> test (fun w : S * row => cells b T l (c w.1) K w.2).
Proof.
move=> tK; elim: l => [|i l IH] /=; first exact: (test_comp (@measurable_snd _ _ S row) tK).
have -> : (fun w : S * row => cell_mean b T (c w.1 i) (fun z => cells b T l (c w.1) K (w.2 + z *: delta_mx 0 i))) =
    (fun w => if c w.1 i == 0%N then cells b T l (c w.1) K w.2
       else mean (laplace_pdf (c w.1 i)%:R b) (fun y => cells b T l (c w.1) K (w.2 + shown T y *: delta_mx 0 i))).
  by apply/funext => w; case: (c w.1 i) => [|k] //=; rewrite scale0r addr0.
have mci : measurable_fun setT (fun w : S * row => c w.1 i) by exact: (measurableT_comp (mc i)).
apply: test_if; [|exact: IH|].
  by apply: (@measurableT_comp _ _ _ _ _ _ (fun k : nat => k == 0%N)).
apply: (@test_mean _ _ _ (fun w : S * row => laplace_pdf (c w.1 i)%:R b)
  (fun v : (S * row) * R => cells b T l (c v.1.1) K (v.1.2 + shown T v.2 *: delta_mx 0 i))).
  split=> [w|]; first exact: density_laplace.
  rewrite /laplace_pdf; apply: measurable_funM; first exact: measurable_cst.
  apply: measurableT_comp => //; apply: measurableT_comp => //; apply: measurable_funM; last exact: measurable_cst.
  apply: measurableT_comp => //; apply: measurable_funB; first exact: measurable_snd.
  apply: (@measurableT_comp _ _ _ _ _ _ (fun k : nat => k%:R : R)) => //.
  by apply: (measurableT_comp mci).
apply: (test_comp (f := fun v : (S * row) * R => (v.1.1, v.1.2 + shown T v.2 *: delta_mx 0 i)) _ IH).
apply/measurable_fun_prod; first exact: (measurableT_comp (@measurable_fst _ _ S row)).
apply: (measurableT_comp (@measurable_place R m i) (_ : measurable_fun setT (fun v : (S * row) * R => (v.1.2, shown T v.2)))).
apply/measurable_fun_prod; first exact: (measurableT_comp (@measurable_snd _ _ S row)).
exact: (measurableT_comp (measurable_shown T)).
Qed.

Let measurable_law A : measurable A -> measurable_fun setT (histogram_law_of ^~ A).
Proof.
move=> mA; have mz : measurable_fun setT (fun z : S => (z, 0 : row)).
  by apply: measurable_fun_prod; [exact: measurable_id | exact: measurable_cst].
by have [] := test_comp mz (test_cells_of (enum 'I_m) (@test_event R _ _ A mA)).
Qed.
HB.instance Definition _ := isKernel.Build _ _ S row R histogram_law_of measurable_law.
Let law_total z : histogram_law_of z setT = 1%E.
Proof.
change (cells b T (enum 'I_m) (c z) (fun N : row => (\1_[set: row] N)%:E) 0 = 1%E).
elim: (enum 'I_m) (0 : row) => [|i l IH] M /=; first by rewrite indicT.
case: (c z i) => [|k] /=; first exact: IH.
have -> : (fun y => cells b T l (c z) (fun N => (\1_[set: row] N)%:E) (M + shown T y *: delta_mx 0 i)) = (fun=> 1%E).
  by apply/funext => y; exact: IH.
by apply: mean_const => //; exact: density_laplace.
Qed.
HB.instance Definition _ := Kernel_isProbability.Build _ _ S row R histogram_law_of law_total.
End HistogramKernel.

(* Items of which the cell depends on the state: item j is in the cell X z j of m. *)
Section Items.
Context {R : realType} {n m : nat} d (S : measurableType d).
Definition measurable_items (X : S -> 'I_n -> 'I_m) := forall j i, measurable_fun setT (fun z => X z j == i).

Lemma measurable_counts (X : S -> 'I_n -> 'I_m) : measurable_items X -> forall i, measurable_fun setT (fun z => counts id (X z) i).
Proof.
move=> mX i.
have -> : (fun z => counts id (X z) i) = (fun z => \sum_(j <- enum 'I_n) (X z j == i))%N.
  by apply/funext => z; rewrite /counts -sum1dep_card big_mkcond [RHS]big_enum; apply: eq_bigr => j _; case: (X z j == i).
elim: (enum 'I_n) => [|j l IH]; first by under eq_fun do rewrite big_nil; exact: measurable_cst.
under eq_fun do rewrite big_cons.
have -> : (fun z => (X z j == i) + \sum_(k <- l) (X z k == i))%N = (fun z => if X z j == i then (\sum_(k <- l) (X z k == i)).+1 else \sum_(k <- l) (X z k == i))%N.
  by apply/funext => z; case: (X z j == i).
apply: measurable_fun_ifT => //.
by apply: (@measurableT_comp _ _ _ _ _ _ succn).
Qed.
End Items.

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

(* The histogram as it is calibrated, over any cells that list those that are occupied. *)
Definition stable_histogram (n m : nat) (Cell : eqType) (cell : 'I_m -> Cell) e t (X : 'I_n -> Cell) : set 'rV[R]_m -> \bar R :=
  histogram cell e (stability_threshold e t) X.

Lemma stable_histogram_private (n m : nat) (Cell : eqType) (cell : 'I_m -> Cell) e t (X X' : 'I_n -> Cell) : 0 < e -> 0 < t -> injective cell ->
  replaced X X' -> listed cell X -> listed cell X' -> indist (expR e) t (stable_histogram cell e t X) (stable_histogram cell e t X').
Proof.
move=> e0 t0 inj nb lX lX'; have [T1 le] := threshold_enough e0 t0.
move=> A mA; apply: le_trans (histogram_private inj e0 T1 nb lX lX' mA) _.
by rewrite leeD2l // lee_fin.
Qed.
End Threshold.
