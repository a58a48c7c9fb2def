(* The stability histogram with Laplace noise, over any cells: counts of occupied cells plus noise of scale b, shown above T >= 1.

   shown T y            what is released of a noisy count y: y, or 0 if it does not exceed T
   histogram_law b T c  the law of the row of released counts for the counts c; a cell with the count 0 shows nothing
   alone b T            the probability that a single item's cell is shown, exp(- (T - 1) / b) / 2
   laplace_histogram    with b = 2 / epsilon it is (epsilon, alone)-DP when one item is replaced, and no less *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra zify.
From DPPCA.lib Require Import measure real_releases truncated_line laplace gaussian_matrix.
From DPPCA.primitives Require Import equal_chances laplace_tails.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Cells.
Context {R : realType} {m : nat}.
Variables (b T : R).
Hypotheses (b0 : 0 < b) (T1 : 1 <= T).
Local Notation row := 'rV[R]_m.
Implicit Types (c : 'I_m -> nat) (K : row -> \bar R) (F G : R -> \bar R) (l : seq 'I_m) (M : row).

Definition shown (y : R) : R := if T < y then y else 0.

Definition cell_mean (k : nat) F : \bar R := if k is 0 then F 0%R else mean (laplace_pdf k%:R b) (fun y => F (shown y)).

Lemma cell_mean0 F : cell_mean 0 F = F 0. Proof. by []. Qed.

Fixpoint cells l c K M : \bar R := if l is i :: l' then cell_mean (c i) (fun z => cells l' c K (M + z *: delta_mx 0 i)) else K M.

Definition histogram_law c (S : set row) : \bar R := cells (enum 'I_m) c (fun M => (\1_S M)%:E) 0.

Definition alone : R := expR (- ((T - 1) / b)) / 2.

Lemma density_laplace v : density (laplace_pdf v b).
Proof.
split; [exact: measurable_laplace_pdf | by move=> x; exact: laplace_pdf_ge0 |].
by have := laplace_total v b0; rewrite /laplace_prob.
Qed.

Lemma measurable_shown : measurable_fun setT shown.
Proof. by apply: measurable_fun_ifT => //; exact: measurable_fun_ltr. Qed.

Lemma test_shown F : test F -> test (fun y => F (shown y)).
Proof. by move=> tF; exact: (test_comp measurable_shown tF). Qed.

Lemma cell_mean_01 k F : test F -> (0 <= cell_mean k F <= 1)%E.
Proof. by move=> tF; case: k => [|k]; [have [_] := tF; apply | exact: mean_01 (density_laplace _) (test_shown tF)]. Qed.

Lemma alone_bounds : 0 <= alone <= 1 / 2.
Proof.
rewrite /alone divr_ge0 ?expR_ge0 //= ler_pM2r ?invr_gt0 // -[leRHS](@expR0 R) ler_expR oppr_le0 divr_ge0 ?subr_ge0 //.
exact: ltW.
Qed.

Let p0 : 0 <= alone. Proof. by case/andP: alone_bounds. Qed.
Let p1 : alone <= 1. Proof. by case/andP: alone_bounds => _; lra. Qed.

(* A single item's cell is shown with the probability alone. *)
Lemma mean_alone : mean (laplace_pdf 1 b) (fun y => (T < y)%R%:R%:E) = alone%:E.
Proof.
rewrite -[RHS](laplace_above b0 T1) /laplace_prob -integral_itv_obnd_cbnd; last by apply: measurable_funTS; exact: measurable_laplace_pdf.
rewrite [RHS]integral_mkcond; apply: eq_integral => y _; rewrite patchE mem_setE in_itv /= andbT.
by case: ltP => _; rewrite ?mule1 ?mule0.
Qed.

Lemma mean_hidden : mean (laplace_pdf 1 b) (fun y => (y <= T)%R%:R%:E) = (1 - alone)%:E.
Proof.
have t1 : test (fun y : R => (T < y)%R%:R%:E : \bar R) by apply: test_bool; exact: measurable_fun_ltr.
have t2 : test (fun y : R => (y <= T)%R%:R%:E : \bar R) by apply: test_bool; exact: measurable_fun_ler.
have := mean_add (density_laplace 1) t1 t2; rewrite mean_alone.
have -> : mean (laplace_pdf 1 b) (fun y => (T < y)%R%:R%:E + (y <= T)%R%:R%:E)%E = 1%E.
  rewrite -[RHS](mean_const (density_laplace 1) lee01); apply: mean_eq => y _.
  by rewrite -EFinD; case: ltP => _; rewrite ?addr0 ?add0r.
have /andP[m0 _] := mean_01 (density_laplace 1) t2; set q := mean _ _ in m0 * => e.
have fin : q \is a fin_num by rewrite ge0_fin_numE // (@le_lt_trans _ _ 1%E) ?ltry // e leeDr // lee_fin.
by move: e; rewrite -(fineK fin) -EFinD => -[] ->; congr EFin; ring.
Qed.

(* A single item against none, and none against a single item. *)
Lemma disappears F : test F -> (cell_mean 1 F <= alone%:E + (1 - alone)%:E * F 0%R)%E.
Proof.
move=> tF; have [_ F01] := tF; have /andP[F0 F1] := F01 0.
have t1 : test (fun y : R => (T < y)%R%:R%:E : \bar R) by apply: test_bool; exact: measurable_fun_ltr.
have t2 : test (fun y : R => (y <= T)%R%:R%:E : \bar R) by apply: test_bool; exact: measurable_fun_ler.
have t3 : test (fun y : R => F 0%R * (y <= T)%R%:R%:E)%E.
  split=> [|y]; first by apply: measurable_funeM; case: t2.
  by case: (y <= T); rewrite ?mule1 ?mule0 ?F0 ?F1 ?lexx ?lee01.
have tH : test (fun y : R => if T < y then 1%E else F 0%R : \bar R).
  apply: test_if; [exact: measurable_fun_ltr | apply: test_const; rewrite lexx lee01 // | apply: test_const; rewrite F0 //].
apply: le_trans (mean_le (density_laplace 1) (test_shown tF) tH _) _ => [y|].
  by rewrite /shown; case: ltP => // _; have /andP[] := F01 y.
rewrite -mean_alone -mean_hidden muleC -(mean_scale (density_laplace 1) t2 F0) -(mean_add (density_laplace 1) t1 t3) le_eqVlt.
apply/orP; left; apply/eqP/mean_eq => y _; case: ltP => _ /=; first by rewrite mule0 adde0.
by rewrite mule1 add0e.
Qed.

Lemma appears G : test G -> ((1 - alone)%:E * G 0%R <= cell_mean 1 G)%E.
Proof.
move=> tG; have [_ G01] := tG; have /andP[G0 G1] := G01 0.
have t2 : test (fun y : R => (y <= T)%R%:R%:E : \bar R) by apply: test_bool; exact: measurable_fun_ler.
rewrite -mean_hidden muleC -(mean_scale (density_laplace 1) t2 G0) /cell_mean.
have t3 : test (fun y : R => G 0%R * (y <= T)%R%:R%:E)%E.
  split=> [|y]; first by apply: measurable_funeM; case: t2.
  by case: (y <= T); rewrite ?mule1 ?mule0 ?G0 ?G1 ?lexx ?lee01.
apply: (mean_le (density_laplace 1) t3 (test_shown tG)) => y; rewrite /shown; case: ltP => _ /=; last by rewrite mule1.
by rewrite mule0; have /andP[] := G01 y.
Qed.

(** ** One cell after the other: alpha P <= a Q + t for the laws P and Q of the cells still to come *)

Lemma measurable_place i : measurable_fun setT (fun w : row * R => w.1 + w.2 *: delta_mx 0 i).
Proof. exact: (@measurable_add_entry R 1 m (0, i)). Qed.

Lemma test_cells l c K : test K -> test (cells l c K).
Proof.
move=> tK; elim: l => [//|i l IH] /=.
have tF : test (fun w : row * R => cells l c K (w.1 + w.2 *: delta_mx 0 i)) by exact: (test_comp (measurable_place i) IH).
case: (c i) => [|k] /=.
  by rewrite (_ : (fun M => _) = cells l c K) //; apply/funext => M; rewrite scale0r addr0.
have dd : densities (fun _ : row => laplace_pdf k.+1%:R b) by apply: densities_const; exact: density_laplace.
have mp : measurable_fun setT (fun w : row * R => (w.1, shown w.2)).
  apply/prod_measurable_funP; split; first exact: measurable_fst.
  exact: (measurableT_comp measurable_shown (@measurable_snd _ _ row R)).
exact: (test_mean dd (test_comp mp tF)).
Qed.

Lemma test_next l c K M i : test K -> test (fun z : R => cells l c K (M + z *: delta_mx 0 i)).
Proof.
move=> tK; have tF : test (fun w : row * R => cells l c K (w.1 + w.2 *: delta_mx 0 i)) by exact: (test_comp (measurable_place i) (test_cells l c tK)).
exact: (test_comp (measurable_pair1 M) tF).
Qed.

Definition close (alpha a t : R) (x y : \bar R) := (alpha%:E * x <= a%:E * y + t%:E)%E.

(* A cell with the same count on both sides. *)
Lemma same_cell k F G alpha a t : test F -> test G -> 0 <= alpha <= 1 -> 0 <= a -> 0 <= t ->
  (forall z, close alpha a t (F z) (G z)) -> close alpha a t (cell_mean k F) (cell_mean k G).
Proof.
move=> tF tG /andP[al0 al1] a0 t0 le; case: k => [|k]; first exact: le.
have tF' : test (fun y => alpha%:E * F (shown y))%E.
  have [mF F01] := test_shown tF; split=> [|y]; first exact: measurable_funeM.
  have /andP[f0 f1] := F01 y; rewrite mule_ge0 ?lee_fin //= -[leRHS]mule1.
  by apply: lee_pmul; rewrite ?lee_fin.
rewrite /close /cell_mean -(mean_scale (density_laplace _) (test_shown tF)) ?lee_fin //.
by apply: (mean_same (density_laplace _) tF' (test_shown tG) a0 t0) => y; exact: le.
Qed.

(* Positive counts that differ by one. *)
Lemma near_cell k k' F G a t : `|k.+1%:R - k'.+1%:R| <= 1 :> R -> test F -> test G -> 0 <= a -> 0 <= t ->
  (forall z, close 1 a t (F z) (G z)) -> close 1 (expR (1 / b) * a) t (cell_mean k.+1 F) (cell_mean k'.+1 G).
Proof.
move=> kk tF tG a0 t0 le; rewrite /close mul1e /cell_mean.
have sp : spends (expR (1 / b)) 0 (laplace_pdf k.+1%:R b) (laplace_pdf k'.+1%:R b).
  apply: spends_ratio => x; apply: le_trans (laplace_ratio _ k'.+1%:R x b0) _.
  by rewrite ler_wpM2r ?laplace_pdf_ge0 // ler_expR ler_pM2r ?invr_gt0.
have next y : (F (shown y) <= a%:E * G (shown y) + t%:E)%E by have := le (shown y); rewrite /close mul1e.
have := mean_compose (density_laplace _) (density_laplace _) (test_shown tF) (test_shown tG) (ltW (expR_gt0 _)) a0 t0 sp next.
by rewrite add0r.
Qed.

Lemma disappearing_cell F G a t : test F -> test G -> 0 <= a -> 0 <= t ->
  close 1 a t (F 0%R) (G 0%R) -> close 1 a (t + alone) (cell_mean 1 F) (cell_mean 0 G).
Proof.
move=> tF tG a0 t0; rewrite /close !mul1e /= => le; apply: le_trans (disappears tF) _.
have [_ /(_ 0)/andP[F0 F1]] := tF; have [_ /(_ 0)/andP[G0 _]] := tG.
rewrite [leLHS]addeC (EFinD t) addeA leeD2r //; apply: le_trans le.
by rewrite -[leRHS]mul1e lee_wpmul2r // lee_fin; have := p0; lra.
Qed.

Lemma appearing_cell F G a t : test F -> test G -> 0 <= a -> 0 <= t ->
  close 1 a t (F 0%R) (G 0%R) -> close 1 a (t + alone) (cell_mean 0 F) (cell_mean 1 G).
Proof.
move=> tF tG a0 t0; rewrite /close !mul1e => le; have up := appears tG.
have [_ /(_ 0)/andP[F0 F1]] := tF; have [_ /(_ 0)/andP[G0 G1]] := tG.
have /andP[g0 g1] := cell_mean_01 1 tG.
have fin x : (0 <= x)%E -> (x <= 1)%E -> x = (fine x)%:E :> \bar R.
  by move=> x0 x1; rewrite fineK // ge0_fin_numE // (le_lt_trans x1) // ltry.
have fE := fin _ F0 F1; have gE := fin _ G0 G1; have hE := fin _ g0 g1.
change (F 0%R <= a%:E * cell_mean 1 G + (t + alone)%:E)%E.
rewrite fE gE hE in F0 F1 G0 G1 g0 g1 le up *; rewrite -!(EFinM, EFinD) !lee_fin in F0 F1 G0 G1 g0 g1 le up *.
move: (fine (F 0%R)) (fine (G 0%R)) (fine (cell_mean 1 G)) F0 F1 G0 G1 g0 g1 le up => f g h F0 F1 G0 G1 g0 g1 le up.
have h1 : (1 - alone) * f <= (1 - alone) * (a * g + t) by rewrite ler_wpM2l // subr_ge0.
have h2 : a * ((1 - alone) * g) <= a * h by rewrite ler_wpM2l.
have h3 : alone * f <= alone by rewrite -[leRHS]mulr1 ler_wpM2l.
have h4 : 0 <= alone * t by rewrite mulr_ge0.
rewrite (_ : a * ((1 - alone) * g) = (1 - alone) * (a * g)) in h2; last by ring.
rewrite mulrDr in h1; rewrite mulrBl mul1r in h1; move: h1 h2; rewrite [(1 - alone) * t]mulrBl mul1r; lra.
Qed.

(** ** Two rows of counts: one item leaves the cell x and joins the cell z *)

Section OneItem.
Variables (c c' : 'I_m -> nat) (x z : 'I_m) (K : row -> \bar R).
Hypotheses (xz : x != z) (down : c x = (c' x).+1) (up : c' z = (c z).+1) (same : forall i, i != x -> i != z -> c i = c' i) (tK : test K).

Let q01 : 0 <= 1 - alone <= 1. Proof. by rewrite subr_ge0 p1 /= lerBlDr lerDl p0. Qed.
Let q0 : 0 <= 1 - alone. Proof. by case/andP: q01. Qed.
Let one01 : 0 <= (1 : R) <= 1. Proof. by rewrite ler01 lexx. Qed.

Lemma cells_same l M : x \notin l -> z \notin l -> cells l c K M = cells l c' K M.
Proof.
elim: l M => [//|i l IH] M; rewrite !inE !negb_or => /andP[xi xl] /andP[zi zl] /=.
rewrite (same (i := i)) ?[i == _]eq_sym //; case: (c' i) => [|k] /=; first exact: IH.
by apply: mean_eq => y _; exact: IH.
Qed.

Lemma appearing l M : c z = 0%N -> uniq l -> x \notin l -> close (1 - alone) 1 0 (cells l c K M) (cells l c' K M).
Proof.
move=> z0; have z1 : c' z = 1%N by rewrite up z0.
elim: l M => [|i l IH] M /=.
  by move=> _ _; rewrite /close mul1e adde0 -[leRHS]mul1e lee_wpmul2r ?lee_fin //; [have [_ /(_ M)/andP[]] := tK | case/andP: q01].
move=> /andP[il ul]; rewrite inE negb_or => /andP[xi xl].
have [e1|ne] := eqVneq i z; last first.
  rewrite (same (i := i)) ?[i == x]eq_sym //; apply: same_cell; rewrite ?ler01 ?lexx //; try exact: test_next.
  by move=> y; exact: IH.
rewrite e1 z0 z1 /close mul1e adde0 -e1; have zl : z \notin l by rewrite -e1.
rewrite cell_mean0 cells_same //; exact: (appears (test_next l c' M i tK)).
Qed.

Lemma disappearing l M : c' x = 0%N -> uniq l -> z \notin l -> close 1 (1 - alone) alone (cells l c K M) (cells l c' K M).
Proof.
move=> x0; have x1 : c x = 1%N by rewrite down x0.
elim: l M => [|i l IH] M /=.
  move=> _ _; rewrite /close mul1e; have [_ /(_ M)/andP[k0 k1]] := tK.
  have fin : K M \is a fin_num by rewrite ge0_fin_numE // (le_lt_trans k1) // ltry.
  move: k1; rewrite -(fineK fin) -EFinM -EFinD !lee_fin => k1.
  have : alone * fine (K M) <= alone * 1 by rewrite ler_wpM2l.
  by rewrite mulrBl; lra.
move=> /andP[il ul]; rewrite inE negb_or => /andP[zi zl].
have [e1|ne] := eqVneq i x; last first.
  rewrite (same (i := i)) ?[i == z]eq_sym //; apply: same_cell; rewrite ?ler01 ?lexx //; try exact: test_next.
  by move=> y; exact: IH.
have xl : x \notin l by rewrite -e1.
rewrite e1 x0 x1 /close mul1e addeC -e1 cell_mean0 -cells_same //; exact: (disappears (test_next l c M i tK)).
Qed.

(* A single item moves to an empty cell. *)
Lemma moves_alone l M : c' x = 0%N -> c z = 0%N -> uniq l -> x \in l -> z \in l -> close 1 1 alone (cells l c K M) (cells l c' K M).
Proof.
move=> x0 z0; have x1 : c x = 1%N by rewrite down x0.
have z1 : c' z = 1%N by rewrite up z0.
elim: l M => [//|i l IH] M /= /andP[il ul]; rewrite !inE.
have [ex|nx] := eqVneq i x.
  have xl : x \notin l by rewrite -ex.
  have -> : (z == i) = false by rewrite ex eq_sym; exact/negbTE.
  move=> _ /= zl; rewrite ex x0 x1 /close !mul1e -ex cell_mean0.
  apply: le_trans (disappears (test_next l c M i tK)) _; rewrite [leLHS]addeC leeD2r //.
  by have := appearing (M + 0 *: delta_mx 0 i) z0 ul xl; rewrite /close mul1e adde0.
have [ez|nz] := eqVneq i z => /= [xl _|xl zl].
  have zl : z \notin l by rewrite -ez.
  rewrite ez z0 z1 /close !mul1e -ez cell_mean0.
  have := disappearing (M + 0 *: delta_mx 0 i) x0 ul zl; rewrite /close mul1e => h; apply: le_trans h _.
  by rewrite leeD2r //; exact: (appears (test_next l c' M i tK)).
rewrite (same (i := i)) //; apply: same_cell; rewrite ?ler01 ?lexx //; try exact: test_next.
by move=> y; exact: IH.
Qed.

(* Otherwise the prices of the two cells are multiplied and added. *)
Let dprice : R * R := if c' x == 0%N then (1, alone) else (expR (1 / b), 0).
Let uprice : R * R := if c z == 0%N then (1, alone) else (expR (1 / b), 0).

Let near_counts (k : nat) : `|k.+1%:R - k%:R| <= 1 :> R /\ `|k%:R - k.+1%:R| <= 1 :> R.
Proof.
have e : k.+1%:R - k%:R = 1 :> R by rewrite -natr1 addrC addKr.
by split; [rewrite e normr1 | rewrite distrC e normr1].
Qed.

Let price_ge0 : [/\ 0 <= dprice.1, 0 <= dprice.2, 0 <= uprice.1 & 0 <= uprice.2].
Proof. by rewrite /dprice /uprice; do 2 case: ifP => _; rewrite ?ler01 ?expR_ge0 ?p0. Qed.

Lemma moves l M : uniq l -> close 1 ((if x \in l then dprice.1 else 1) * (if z \in l then uprice.1 else 1))
  ((if x \in l then dprice.2 else 0) + (if z \in l then uprice.2 else 0)) (cells l c K M) (cells l c' K M).
Proof.
have [d1 d2 u1 u2] := price_ge0.
have A0 (s s' : bool) : 0 <= (if s then dprice.1 else 1) * (if s' then uprice.1 else 1).
  by rewrite mulr_ge0 //; case: ifP.
have D0 (s s' : bool) : 0 <= (if s then dprice.2 else 0) + (if s' then uprice.2 else 0).
  by rewrite addr_ge0 //; case: ifP.
elim: l M => [|i l IH] M /=; first by move=> _; rewrite mulr1 addr0 /close !mul1e adde0.
move=> /andP[il ul]; rewrite !inE; pose P (y : R) := cells l c K (M + y *: delta_mx 0 i); pose Q (y : R) := cells l c' K (M + y *: delta_mx 0 i).
have tP : test P by exact: test_next.
have tQ : test Q by exact: test_next.
have [ex|nx] := eqVneq i x.
  have xl : x \in l = false by apply/negbTE; rewrite -ex.
  have -> : (z == i) = false by rewrite ex eq_sym; exact/negbTE.
  have := IH _ ul; rewrite xl mul1r add0r /= => le; rewrite ex down /dprice; case c0: (c' x) => [|k] /=; rewrite -ex.
    by rewrite mul1r addrC; apply: (@disappearing_cell P Q) => //; try exact: le; case: ifP.
  rewrite add0r; apply: (@near_cell k.+1 k P Q) => //; try (by case: ifP); first by have [] := near_counts k.+1.
  by move=> y; exact: le.
have [ez|nz] := eqVneq i z => /=.
  have zl : z \in l = false by apply/negbTE; rewrite -ez.
  have := IH _ ul; rewrite zl mulr1 addr0 => le; rewrite ez up /uprice; case c0: (c z) => [|k] /=; rewrite -ez.
    by rewrite mulr1; apply: (@appearing_cell P Q) => //; try exact: le; case: ifP.
  rewrite addr0 mulrC; apply: (@near_cell k k.+1 P Q) => //; try (by case: ifP); first by have [] := near_counts k.+1.
  by move=> y; exact: le.
rewrite (same (i := i)) //; apply: same_cell => //; try exact: test_next.
by move=> y; exact: IH.
Qed.

Theorem item_moves M : close 1 (expR (2 / b)) alone (cells (enum 'I_m) c K M) (cells (enum 'I_m) c' K M).
Proof.
have [_ K01] := test_cells (enum 'I_m) c' tK; have /andP[P0 _] := K01 M.
have r1 : 1 <= expR (1 / b) by rewrite -[leLHS](@expR0 R) ler_expR divr_ge0 // ltW.
have r2 : expR (2 / b) = expR (1 / b) * expR (1 / b) by rewrite -expRD -mulrDl.
have r21 : expR (1 / b) <= expR (2 / b) by rewrite r2 ler_peMr // expR_ge0.
have weaken a t : a <= expR (2 / b) -> t <= alone -> close 1 a t (cells (enum 'I_m) c K M) (cells (enum 'I_m) c' K M) ->
    close 1 (expR (2 / b)) alone (cells (enum 'I_m) c K M) (cells (enum 'I_m) c' K M).
  by rewrite /close => le1 le2 le; apply: le_trans le _; apply: leeD; rewrite ?lee_fin // lee_wpmul2r // lee_fin.
case: (boolP ((c' x == 0%N) && (c z == 0%N))) => [/andP[/eqP x0 /eqP z0]|not_both].
  apply: (weaken 1 alone) => //; first exact: le_trans r21.
  by apply: moves_alone; rewrite ?enum_uniq ?mem_enum.
have := moves M (enum_uniq 'I_m); rewrite !mem_enum /=; apply: weaken; move: not_both; rewrite /dprice /uprice.
  case: (c' x == 0%N); case: (c z == 0%N) => // _.
  - by change (1 * expR (1 / b) <= expR (2 / b)); rewrite mul1r.
  - by change (expR (1 / b) * 1 <= expR (2 / b)); rewrite mulr1.
  - by change (expR (1 / b) * expR (1 / b) <= expR (2 / b)); rewrite -r2.
case: (c' x == 0%N); case: (c z == 0%N) => // _.
- by change (alone + 0 <= alone); rewrite addr0.
- by change (0 + alone <= alone); rewrite add0r.
- by change (0 + 0 <= alone); rewrite addr0.
Qed.
End OneItem.

(* An event about one cell. *)
Lemma cells_one l c k i0 M : test k -> uniq l ->
  cells l c (fun N => k (N 0 i0)) M = if i0 \in l then cell_mean (c i0) (fun y => k (M 0 i0 + y)) else k (M 0 i0).
Proof.
move=> tk; elim: l M => [//|i l IH] M /= /andP[il ul]; rewrite inE.
case: (eqVneq i0 i) il => [<- il|ne il].
  by case: (c i0) => [|j] /=; [|apply: mean_eq => y _]; rewrite IH // (negPf il) !mxE !eqxx mulr1.
have [_ k01] := tk; have k0 y : (0 <= k y)%E by case/andP: (k01 y).
have step y : cells l c (fun N => k (N 0 i0)) (M + y *: delta_mx 0 i) = if i0 \in l then cell_mean (c i0) (fun y => k (M 0 i0 + y)) else k (M 0 i0).
  by rewrite IH // !mxE (negPf ne) andbF mulr0 addr0.
case: (c i) => [|j] /=; first exact: step.
rewrite -[RHS](mean_const (density_laplace j.+1%:R)); first by apply: mean_eq => y _; exact: step.
have tk' : test (fun y : R => k (M 0 i0 + y)) by apply: (test_comp _ tk); exact: measurable_funD.
by case: ifP => // _; have /andP[] := cell_mean_01 (c i0) tk'.
Qed.
End Cells.

(** * The histogram of items *)

Section Histogram.
Context {R : realType}.
Variables (n m : nat) (Cell : eqType) (cell : 'I_m -> Cell).
Implicit Types (X : 'I_n -> Cell).

(** How many items are in the i-th of m different cells. *)
Definition counts X (i : 'I_m) : nat := #|[set j | X j == cell i]%SET|.

(** The cells of all items are among them; other cells have the count 0 and show nothing. *)
Definition listed X := forall j, exists i, cell i = X j.

Definition replaced X X' := exists j0, forall j, j != j0 -> X j = X' j.

Hypothesis cells_differ : injective cell.

Lemma counts_replaced X X' : replaced X X' -> listed X -> listed X' -> (forall i, counts X i = counts X' i) \/
  exists x z, [/\ x != z, counts X x = (counts X' x).+1, counts X' z = (counts X z).+1 &
    forall i, i != x -> i != z -> counts X i = counts X' i].
Proof.
move=> [j0 same] lX lX'; have [x ex] := lX j0; have [z ez] := lX' j0.
have split (Y : 'I_n -> Cell) i : counts Y i = ((Y j0 == cell i) + #|[set j | (j != j0) && (Y j == cell i)]%SET|)%N.
  rewrite /counts (cardsD1 j0) inE; congr (_ + _)%N; apply: eq_card => j; rewrite !inE.
  by [].
have rest i : #|[set j | (j != j0) && (X j == cell i)]%SET| = #|[set j | (j != j0) && (X' j == cell i)]%SET|.
  by apply: eq_card => j; rewrite !inE; case: (boolP (j != j0)) => //= /same ->.
have [exz|nxz] := eqVneq x z.
  left=> i; rewrite !split rest; congr (_ + _)%N; congr nat_of_bool.
  by rewrite -ex -ez exz.
right; exists x, z; split=> //.
- by rewrite !split rest -ex -ez !eqxx (inj_eq cells_differ) [z == x]eq_sym (negPf nxz).
- by rewrite !split rest -ex -ez !eqxx (inj_eq cells_differ) (negPf nxz).
- move=> i ix iz; rewrite !split rest -ex -ez !(inj_eq cells_differ) ![_ == i]eq_sym.
  by rewrite (negPf ix) (negPf iz).
Qed.

Section Noise.
Variables (e T : R).
Hypotheses (e0 : 0 < e) (T1 : 1 <= T).
Let b0 : 0 < 2 / e. Proof. by rewrite divr_gt0. Qed.

Definition histogram X : set 'rV[R]_m -> \bar R := histogram_law (2 / e) T (counts X).

(** With scale 2 / epsilon the histogram is (epsilon, delta)-DP when one item is replaced, delta = exp(- epsilon (T - 1) / 2) / 2. *)
Lemma histogram_private X X' : replaced X X' -> listed X -> listed X' ->
  indist (expR e) (expR (- (e * (T - 1) / 2)) / 2) (histogram X) (histogram X').
Proof.
move=> nb lX lX' S mS; have tS := test_event (R := R) mS.
have eb : 2 / (2 / e) = e by field; rewrite gt_eqF.
have ea : alone (2 / e) T = expR (- (e * (T - 1) / 2)) / 2.
  by rewrite /alone; congr (expR (- _) / _); field; rewrite gt_eqF.
have [p0 _] := andP (alone_bounds b0 T1).
rewrite /histogram /histogram_law -ea; have [same|[x [z [xz down up same]]]] := counts_replaced nb lX lX'.
  have -> : counts X = counts X' by apply/funext => i; exact: same.
  have [_ /(_ 0)/andP[P0 _]] := test_cells T b0 (enum 'I_m) (counts X') tS.
  rewrite -[leLHS]adde0; apply: leeD; last by rewrite lee_fin.
  by rewrite -[leLHS]mul1e lee_wpmul2r // lee_fin -[leLHS](@expR0 R) ler_expR ltW.
by have := item_moves b0 T1 xz down up same tS 0; rewrite /close mul1e eb.
Qed.
End Noise.
End Histogram.

(** primitives.sparse-histogram: for every number of items and cells, and no smaller delta, for two different cells. *)
Theorem laplace_histogram (R : realType) (e T : R) : 0 < e -> 1 <= T ->
  (forall n m (Cell : eqType) (cell : 'I_m -> Cell) (X X' : 'I_n -> Cell), injective cell -> replaced X X' ->
    listed cell X -> listed cell X' ->
    indist (expR e) (expR (- (e * (T - 1) / 2)) / 2) (histogram cell e T X) (histogram cell e T X')) /\
  forall n a delta, exists X X' : 'I_n.+1 -> bool, replaced X X' /\
    (indist a delta (histogram (fun i : 'I_2 => i == 0) e T X) (histogram (fun i : 'I_2 => i == 0) e T X') ->
     expR (- (e * (T - 1) / 2)) / 2 <= delta).
Proof.
move=> e0 T1; split=> [n m Cell cell X X' inj nb lX lX'|n a delta]; first exact: histogram_private.
have b0 : 0 < 2 / e by rewrite divr_gt0.
have ea : alone (2 / e) T = expR (- (e * (T - 1) / 2)) / 2.
  by rewrite /alone; congr (expR (- _) / _); field; rewrite gt_eqF.
pose X (j : 'I_n.+1) := j == 0; pose X' (j : 'I_n.+1) := false.
exists X, X'; split; first by exists 0 => j /negPf; rewrite /X => ->.
pose S : set 'rV[R]_2 := (fun M : 'rV[R]_2 => M 0 0) @^-1` `]0%R, +oo[%classic.
have mS : measurable S by rewrite -[S]setTI; exact: (@measurable_entry R 1 2 0 0 measurableT _ (measurable_itv _)).
have tk := @test_event R _ R `]0%R, +oo[%classic (measurable_itv _).
have law_of Y : histogram (fun i : 'I_2 => i == 0) e T Y S =
    cell_mean (2 / e) T (counts (fun i : 'I_2 => i == 0) Y 0) (fun y => (\1_(`]0%R, +oo[%classic) y)%:E).
  rewrite /histogram /histogram_law.
  transitivity (cells (2 / e) T (enum 'I_2) (counts (fun i : 'I_2 => i == 0) Y) (fun N => (\1_(`]0%R, +oo[%classic) (N 0 0))%:E) 0); first by [].
  rewrite (cells_one T b0 _ _ _ tk (enum_uniq _)) mem_enum /= mxE; congr cell_mean; apply/funext => y; rewrite add0r.
  by [].
have c1 : counts (fun i : 'I_2 => i == 0) X 0 = 1%N.
  by rewrite /counts -(cards1 (0 : 'I_n.+1)); apply: eq_card => j; rewrite !inE /X eqxx eqb_id.
have c0 : counts (fun i : 'I_2 => i == 0) X' 0 = 0%N.
  by rewrite /counts; apply/eqP; rewrite cards_eq0; apply/eqP/setP => j; rewrite !inE.
move=> /(_ S mS); rewrite !law_of c1 c0 /=.
have -> : (\1_(`]0%R, +oo[%classic) (0 : R))%:E = 0%E :> \bar R by rewrite indicE memNset // /= in_itv /= ltxx.
rewrite mule0 add0e -ea -lee_fin => h; apply: le_trans h; rewrite -(mean_alone b0 T1) le_eqVlt; apply/orP; left; apply/eqP/mean_eq => y _.
rewrite indicE mem_setE in_itv /= andbT /shown; case: ltP => Ty; first by rewrite (lt_trans _ Ty) // (lt_le_trans _ T1).
by rewrite ltxx.
Qed.

(* Two items in one cell, then in two. *)
Example laplace_histogram_example (R : realType) : let cell (i : 'I_2) := i == 0 in
  indist (expR 1) (expR (- (1 * (3 - 1) / 2)) / 2) (histogram cell (1 : R) 3 (fun _ : 'I_2 => true)) (histogram cell (1 : R) 3 (fun j : 'I_2 => j == 0)).
Proof.
move=> cell; have [|H _] := @laplace_histogram R 1 3 ltr01; first by lra.
apply: H.
- by move=> i j; rewrite /cell; case: i j => [[|[|//]] ?] [[|[|//]] ?] //= _; apply: val_inj.
- by exists (Ordinal (isT : (1 < 2)%N)) => j; rewrite -(inj_eq val_inj); case: j => [[|[|//]] ?].
- by move=> j; exists 0.
- by move=> j; exists j.
Qed.

(* A single item is shown above T = 1 with probability 1/2. *)
Example alone_computes (R : realType) : alone 1 1 = 1 / 2 :> R /\ close 1 1 0 (1%E : \bar R) 1%E.
Proof. by rewrite /alone subrr mul0r oppr0 expR0 /close !mul1e adde0. Qed.
