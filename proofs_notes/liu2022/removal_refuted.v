(* liu2022, Algorithm 4 under the relation of print, one gradient more or less: with its own noise, threshold and bins it is not
   private, whatever epsilon and delta are. Without the first gradient all pairs are others, and with them all eigenvalues.

   top_eigenvalue c M   line 4: the largest eigenvalue of M^T M / c, as the largest |v M^T|^2 / c over the unit vectors v
   bin_of l             line 5: the number of the bin of l; 0 is that of {0}
   chosen h             lines 7 and 8: 0 is bottom, i.+1 that bin i has a largest height
   top_eigenvalue_law   lines 1 to 9 for k subsets of b differences; the left end of a bin is as good as the bin *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra zify.
From DPPCA.lib Require Import measure squared_norms neighbours real_releases laplace gaussian_matrix.
From DPPCA.primitives Require Import histogram_counts equal_chances laplace_tails laplace_histogram histogram_kernel.
From DPPCA.liu2022 Require Import parts_of_the_data dp_pca.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section TopEigenvalue.
Context {R : realType} (d b : nat).
Implicit Types (M : 'M[R]_(b, d)) (v : 'rV[R]_d) (x c l : R).

Definition top_eigenvalue c M : R := sup [set sqnorm (v *m M^T) | v in [set v : 'rV[R]_d | sqnorm v = 1]] / c.

Lemma top_eigenvalueE c M v x : sqnorm v = 1 -> sqnorm (v *m M^T) = x -> (forall u : 'rV[R]_d, sqnorm u = 1 -> sqnorm (u *m M^T) <= x) ->
  top_eigenvalue c M = x / c.
Proof.
move=> v1 vx ub; congr (_ / _); set E := (X in sup X); have Ex : E x by exists v.
have Eub : ubound E x by move=> _ [u u1 <-]; exact: ub.
apply/eqP; rewrite eq_le; apply/andP; split; [by apply: sup_le_ub => //; exists x | by apply: sup_ubound => //; exists x].
Qed.

Definition bin_of l : nat := if l == 0 then 0%N else (pickle (Num.floor (4 * ln l / ln 2))).+1.
End TopEigenvalue.

Section Chosen.
Context {R : realType}.
Implicit Types (h : heights R) (c : nat).

Definition shows c h : Prop := 0 < h c /\ forall i, h i <= h c.
Definition chosen h : nat := if pselect (exists c, `[< shows c h >]) is left ex then (ex_minn ex).+1 else 0%N.

Lemma chosen_shows h c : chosen h = c.+1 -> shows c h.
Proof. by rewrite /chosen; case: pselect => // ex [<-]; case: ex_minnP => m /asboolP. Qed.

Lemma chosen_only h c : 0 < h c -> (forall i, i != c -> h i = 0) -> chosen h = c.+1.
Proof.
move=> hc h0; have sc : shows c h by split=> // i; have [->//|/h0 ->] := eqVneq i c; exact: ltW.
rewrite /chosen; case: pselect => [ex|[]]; last by exists c; exact/asboolP.
congr S; case: ex_minnP => m /asboolP[hm _] _; apply/eqP/negPn/negP => /h0 m0.
by move: hm; rewrite m0 ltxx.
Qed.

Lemma measurable_shows c : measurable [set h | shows c h].
Proof.
have nonneg i : measurable [set h : heights R | h i <= h c].
  rewrite (_ : [set h | _] = setT `&` (fun h : heights R => h c - h i) @^-1` `[0, +oo[).
    by apply: (measurable_funB (measurable_height c) (measurable_height i)) => //; exact: measurable_itv.
  by rewrite setTI; apply/seteqP; split=> h; rewrite /= in_itv /= andbT subr_ge0.
have positive : measurable [set h : heights R | 0 < h c].
  rewrite (_ : [set h | _] = setT `&` (fun h : heights R => h c) @^-1` `]0, +oo[).
    by apply: measurable_height => //; exact: measurable_itv.
  by rewrite setTI; apply/seteqP; split=> h; rewrite /= in_itv /= andbT.
rewrite (_ : [set h | shows c h] = [set h | 0 < h c] `&` \bigcap_i [set h : heights R | h i <= h c]); last first.
  by apply/seteqP; split=> h [h0 le]; split=> // i; [move=> _; exact: le | exact: le].
by apply: measurableI => //; apply: bigcap_measurable => // i _; exact: nonneg.
Qed.

(* What is chosen is a function of the heights that can be observed. *)
Lemma measurable_chosen : measurable_fun setT chosen.
Proof.
have m1 c : measurable (chosen @^-1` [set c.+1]).
  rewrite (_ : _ @^-1` _ = [set h | shows c h] `\` \bigcup_(i in [set i | (i < c)%N]) [set h | shows i h]).
    by apply: measurableD; [exact: measurable_shows | apply: bigcup_measurable => i _; exact: measurable_shows].
  apply/seteqP; split=> h /=.
    move=> e; split; first exact: chosen_shows.
    move=> [i lt si]; move: e; rewrite /chosen; case: pselect => // ex [mE].
    by move: mE; case: ex_minnP => m _ /(_ i); rewrite asboolT // => /(_ isT) le mE; move: lt; rewrite /= -mE ltnNge le.
  move=> [sc none]; rewrite /chosen; case: pselect => [ex|[]]; last by exists c; exact/asboolP.
  congr S; case: ex_minnP => m /asboolP sm /(_ c); rewrite asboolT // => /(_ isT) le.
  by apply/eqP; rewrite eqn_leq le /= leqNgt; apply/negP => lt; apply: none; exists m.
move=> _ B _; rewrite setTI (_ : chosen @^-1` B = \bigcup_(i in B) chosen @^-1` [set i]); last first.
  by apply/seteqP; split=> [h Bh|h [i Bi /= e]]; [exists (chosen h) | rewrite /= e].
apply: bigcup_measurable => -[|i] _; last exact: m1.
rewrite (_ : _ @^-1` _ = ~` \bigcup_c chosen @^-1` [set c.+1]); last first.
  apply/seteqP; split=> h /=; first by move=> e [c _] /=; rewrite e.
  by case e: (chosen h) => [//|c] no; case: no; exists c.
by apply: measurableC; apply: bigcup_measurable => c _; exact: m1.
Qed.
End Chosen.

(* All items in one bin. *)
Section OneBin.
Context {R : realType} (e t : R).
Hypotheses (e0 : 0 < e) (t0 : 0 < t).
Local Notation T := (stability_threshold e t).
Let b0 : 0 < 2 / e. Proof. by rewrite divr_gt0. Qed.
Let T1 : 1 <= T. Proof. by have [] := threshold_enough e0 t0. Qed.

Lemma cells_none m (l : seq 'I_m) c K M : (forall i, i \in l -> c i = 0%N) -> cells (2 / e) T l c K M = K M.
Proof.
elim: l M => [//|i l IH] M none /=; rewrite none ?mem_head //= scale0r addr0 IH // => j jl.
by rewrite none // inE jl orbT.
Qed.

Lemma cells_only m (l : seq 'I_m) c K M i0 : uniq l -> i0 \in l -> (forall i, i != i0 -> c i = 0%N) ->
  cells (2 / e) T l c K M = cell_mean (2 / e) T (c i0) (fun y => K (M + y *: delta_mx 0 i0)).
Proof.
move=> ul il none; elim: l M ul il => [//|i l IH] M /= /andP[nil ul]; rewrite inE.
case: (eqVneq i0 i) nil => [<- nil _|ne nil /= il].
  by congr cell_mean; apply/funext => y; apply: cells_none => j jl; apply: none; apply: contraNneq nil => <-.
by rewrite (none i) 1?eq_sym //= scale0r addr0 IH.
Qed.

Definition spike c (y : R) : heights R := fun i => if i == c then y else 0.

Lemma one_bin k c A : stable_histogram e t (fun _ : 'I_k.+1 => c) A =
  mean (laplace_pdf k.+1%:R (2 / e)) (fun y => (\1_A (spike c (shown T y)))%:E).
Proof.
rewrite (@stable_histogramE _ _ _ _ _ _ c.+1); last by rewrite ltnS; apply/bigmax_leqP.
rewrite /histogram /histogram_law (@cells_only _ _ _ _ _ ord_max) ?enum_uniq ?mem_enum //; last first.
  move=> i ne; apply/eqP; rewrite cards_eq0; apply/eqP/finset.setP => j; rewrite !inE.
  by apply/negbTE; apply: contra ne => /eqP ci; apply/eqP/val_inj.
have -> : counts (@nat_of_ord c.+1) (fun _ : 'I_k.+1 => c) ord_max = k.+1.
  by rewrite /counts -[RHS](card_ord k.+1) -cardsT; apply: eq_card => j; rewrite !inE eqxx.
rewrite /=; apply: mean_eq => y _; rewrite !indicE; congr (_%:R)%:E; congr nat_of_bool.
have -> : spike c (shown T y) = placed (0 + shown T y *: delta_mx 0 (ord_max : 'I_c.+1)).
  apply/funext => i; rewrite placed_add /spike /= [placed 0 i](_ : _ = 0) ?add0r //.
  by rewrite /placed; case: insub => // ?; rewrite mxE.
by apply/idP/idP; rewrite !inE.
Qed.

Lemma spike_chosen c c' y : (\1_(chosen @^-1` [set c'.+1]) (spike c (shown T y)))%:E = ((c' == c) && (T < y))%:R%:E :> \bar R.
Proof.
rewrite indicE; congr (_%:R)%:E; congr nat_of_bool; apply/idP/idP; rewrite inE /=.
  move=> /chosen_shows[+ _]; rewrite /spike; case: eqP => [_|_]; last by rewrite ltxx.
  by rewrite /shown; case: (T < y) => //; rewrite ltxx.
case/andP => /eqP -> Ty; have y0 : 0 < y by apply: lt_trans Ty; exact: lt_le_trans T1.
by apply: chosen_only; rewrite /spike /shown ?eqxx Ty // => i /negPf ->.
Qed.

(* The bin of k items is released but for a small probability; another bin never is. *)
Lemma one_bin_chosen k c : ((1 - expR (e * (T - k.+1%:R) / 2) / 2)%:E <=
  stable_histogram e t (fun _ : 'I_k.+1 => c) (chosen @^-1` [set c.+1]))%E.
Proof.
rewrite one_bin (_ : mean _ _ = mean (laplace_pdf k.+1%:R (2 / e)) (fun y => (T < y)%R%:R%:E)); last first.
  by apply: mean_eq => y _; rewrite spike_chosen eqxx.
have t1 : test (fun y : R => (T < y)%R%:R%:E : \bar R) by apply: test_bool; exact: measurable_fun_ltr.
have t2 : test (fun y : R => (y <= T)%R%:R%:E : \bar R) by apply: test_bool; exact: measurable_fun_ler.
have := mean_add (density_laplace b0 k.+1%:R) t1 t2.
have -> : mean (laplace_pdf k.+1%:R (2 / e)) (fun y => (T < y)%R%:R%:E + (y <= T)%R%:R%:E)%E = 1%E.
  rewrite -[RHS](mean_const (density_laplace b0 k.+1%:R) lee01); apply: mean_eq => y _.
  by rewrite -EFinD; case: ltP => _; rewrite ?addr0 ?add0r.
have [_] := laplace_tails b0 k.+1%:R T; rewrite /laplace_prob integral_mkcond.
rewrite (_ : integral _ _ _ = mean (laplace_pdf k.+1%:R (2 / e)) (fun y => (y <= T)%R%:R%:E)); last first.
  apply: eq_integral => y _; rewrite patchE mem_setE in_itv /=.
  by case: (y <= T); rewrite ?mule1 ?mule0.
rewrite (_ : (T - k.+1%:R) / (2 / e) = e * (T - k.+1%:R) / 2); last by field; rewrite gt_eqF.
have /andP[q0 q1] := mean_01 (density_laplace b0 k.+1%:R) t2; have /andP[p0 p1] := mean_01 (density_laplace b0 k.+1%:R) t1.
move: (mean _ _) (mean _ _) q0 q1 p0 p1 => q p q0 q1 p0 p1 small sum1.
have fin (x : \bar R) : (0 <= x)%E -> (x <= 1)%E -> x = (fine x)%:E by move=> x0 x1; rewrite fineK // ge0_fin_numE // (le_lt_trans x1) // ltry.
move: sum1 small; rewrite (fin p) // (fin q) // -EFinD !lee_fin => -[]; lra.
Qed.

Lemma other_bin_chosen k c c' : c' != c -> stable_histogram e t (fun _ : 'I_k.+1 => c) (chosen @^-1` [set c'.+1]) = 0%E.
Proof.
move=> ne; rewrite one_bin -[RHS](mean_const (density_laplace b0 k.+1%:R) (lexx 0%E)).
by apply: mean_eq => y _; rewrite spike_chosen // (negPf ne).
Qed.
End OneBin.

(* The algorithm, and the gradients with and without their first. *)
Section Removed.
Context {R : realType} (d b k : nat) (c : R).
Hypotheses (b_gt0 : (0 < b)%N) (c_gt0 : 0 < c).
Implicit Types (g : nat -> 'rV[R]_d) (e t : R).

Definition top_eigenvalue_law e t g (A : set nat) : \bar R :=
  stable_histogram e t (eigenvalue_bin (b := b) (bin_of \o top_eigenvalue c) g : 'I_k.+1 -> nat) (chosen @^-1` A : set (heights R)).

(* 0, v, v, 0, 0, v, v, 0, ... *)
Definition in_turn (v : 'rV[R]_d) (i : nat) : 'rV[R]_d := (alternating i)%:R *: v.

Lemma in_turn_pairs v p : next_minus (in_turn v p.*2) (in_turn v p.*2.+1) = (-1) ^+ odd p *: v /\
  next_minus (without_first (in_turn v) p.*2) (without_first (in_turn v) p.*2.+1) = 0.
Proof.
have e1 : p.*2.+1./2 = p by lia.
have e2 : p.*2.+2./2 = p.+1 by lia.
have e3 : p.*2.+3./2 = p.+1 by lia.
rewrite /next_minus /without_first /in_turn /alternating e1 e2 e3 subrr; split=> //.
by rewrite oddS -scalerBl; case: (odd p); rewrite /= ?sub0r ?subr0 ?expr0 ?expr1.
Qed.

Lemma sqnorm_rows (M : 'M[R]_(b, d)) v (s : 'I_b -> R) u : (forall l, row l M = s l *: v) ->
  sqnorm (u *m M^T) = \sum_l (s l * dot u v) ^+ 2.
Proof.
move=> rows; rewrite sqnorm_row; apply: eq_bigr => l _; rewrite mxE dot_row mulr_sumr; congr (_ ^+ 2); apply: eq_bigr => i _.
by have /rowP/(_ i) := rows l; rewrite !mxE => ->; ring.
Qed.

Lemma in_turn_bins (i0 : 'I_d) (j : 'I_k.+1) (bin := bin_of \o top_eigenvalue c : 'M[R]_(b, d) -> nat) :
  eigenvalue_bin (b := b) bin (in_turn (axis R i0)) j = bin_of (b%:R / c : R) /\
  eigenvalue_bin (b := b) bin (without_first (in_turn (axis R i0))) j = 0%N.
Proof.
have entry g (l : 'I_b) : row l (rows_of b (subset_of (@next_minus R d) b g j)) = pair (@next_minus R d) g (j * b + l).
  by rewrite rowK nth_mkseq.
have unit : sqnorm (axis R i0 : 'rV[R]_d) = 1 by exact: sqnorm_axis.
split; rewrite /eigenvalue_bin /item /bin /=.
  have value (u : 'rV[R]_d) : sqnorm (u *m (rows_of b (subset_of (@next_minus R d) b (in_turn (axis R i0)) j))^T) = dot u (axis R i0) ^+ 2 * b%:R.
    rewrite (sqnorm_rows (v := axis R i0) (s := fun l => (-1) ^+ odd (j * b + l))) => [|l]; last first.
      by rewrite entry /pair; case: (in_turn_pairs (axis R i0) (j * b + l)) => ->.
    rewrite (eq_bigr (fun=> dot u (axis R i0) ^+ 2)) => [|l _]; last by rewrite exprMn sqrr_sign mul1r.
    by rewrite sumr_const card_ord mulr_natr.
  rewrite (top_eigenvalueE (v := axis R i0) (x := b%:R) c) //.
    by rewrite value -/(sqnorm _) unit expr1n mul1r.
  move=> u u1; rewrite value -[leRHS]mul1r ler_wpM2r //.
  by apply: le_trans (cauchy_schwarz _ _) _; rewrite u1 unit mulr1.
have value (u : 'rV[R]_d) : sqnorm (u *m (rows_of b (subset_of (@next_minus R d) b (without_first (in_turn (axis R i0))) j))^T) = 0.
  rewrite (sqnorm_rows (v := axis R i0) (s := fun=> 0)) => [|l]; last first.
    by rewrite entry /pair scale0r; case: (in_turn_pairs (axis R i0) (j * b + l)).
  by rewrite big1 // => l _; rewrite mul0r expr0n.
rewrite (top_eigenvalueE (v := axis R i0) (x := 0) c) ?value // => [|u _]; last by rewrite value.
by rewrite mul0r /bin_of eqxx.
Qed.

(* liu2022.theorem-6.1-privacy, liu2022.definition-2.3, the relation of print: with k subsets no factor a makes up for a delta
   below the probability that a bin is released *)
Theorem algorithm_4_removed (i0 : 'I_d) e t delta a : 0 < e -> 0 < t -> delta < 1 - expR (e * (stability_threshold e t - k.+1%:R) / 2) / 2 ->
  ~ indist a delta (top_eigenvalue_law e t (in_turn (axis R i0))) (top_eigenvalue_law e t (without_first (in_turn (axis R i0)))).
Proof.
move=> e0 t0 small /(_ [set (bin_of (b%:R / c : R)).+1] I); apply/negP; rewrite -ltNge /top_eigenvalue_law.
have law g v : (forall j : 'I_k.+1, eigenvalue_bin (b := b) (bin_of \o top_eigenvalue c) g j = v) ->
    (eigenvalue_bin (b := b) (bin_of \o top_eigenvalue c) g : 'I_k.+1 -> nat) = fun=> v by move=> H; apply/funext.
rewrite (law _ _ (fun j => proj1 (in_turn_bins i0 j))) (law _ _ (fun j => proj2 (in_turn_bins i0 j))).
rewrite other_bin_chosen //; last first.
  by rewrite /bin_of [_ / _ == _]gt_eqF // divr_gt0 // ltr0n.
by rewrite mule0 add0e; apply: lt_le_trans (one_bin_chosen e0 t0 _ _); rewrite lte_fin.
Qed.
End Removed.

(* For every epsilon and delta, with enough subsets, that is a small enough zeta. *)
Theorem algorithm_4_not_private (R : realType) (e t : R) : 0 < e -> 0 < t -> t < 1 -> exists K, forall d b k (c : R), (K <= k)%N -> (0 < d)%N ->
  (0 < b)%N -> 0 < c -> exists g : nat -> 'rV[R]_d, ~ indist (expR e) t (top_eigenvalue_law b k c e t g) (top_eigenvalue_law b k c e t (without_first g)).
Proof.
move=> e0 t0 t1; pose x := stability_threshold e t - 2 / e * ln (1 - t); exists (Num.bound `|x|) => d b k c K d0 b0 c0.
exists (in_turn (axis R (Ordinal d0))); apply: algorithm_4_removed => //.
have kx : x < k.+1%:R.
  apply: (@lt_le_trans _ _ (Num.bound `|x|)%:R); last by rewrite ler_nat; exact: leq_trans K _.
  by apply: le_lt_trans (ler_norm x) _; apply: archi_boundP.
set y := e * _ / 2; have h : expR y < 1 - t; last by have := expR_gt0 y; lra.
rewrite -[ltRHS]lnK ?posrE ?subr_gt0 // ltr_expR /y ltr_pdivrMr // mulrC -ltr_pdivlMr //.
by move: kx; rewrite /x mulrC mulrA; lra.
Qed.

(* The definitions compute. *)
Example bin_of_computes (R : realType) : bin_of (0 : R) = 0%N /\ bin_of (1 : R) = (pickle (0%Z : int)).+1.
Proof. by rewrite /bin_of eqxx oner_eq0 ln1 mulr0 mul0r floor0. Qed.

Example chosen_computes (R : realType) : chosen (spike 3 (2 : R)) = 4%N.
Proof. by apply: chosen_only; rewrite /spike ?eqxx // => i /negPf ->. Qed.

(* epsilon = 1, delta = 1/2, in three dimensions, with twenty subsets of one difference each *)
Example top_eigenvalue_law_holds (R : realType) (g := in_turn (axis R (0 : 'I_3))) :
  ~ indist (expR 1) (1 / 2) (top_eigenvalue_law 1 19 1 1 (1 / 2) g) (top_eigenvalue_law 1 19 1 1 (1 / 2) (without_first g)).
Proof.
apply: algorithm_4_removed => //; try lra.
rewrite /stability_threshold (_ : 1 / (2 * (1 / 2)) = 1 :> R); last by field.
rewrite ln1 maxxx mulr0 addr0; have h : expR (1 * (1 - 20%:R) / 2) < 1 :> R by rewrite -[ltRHS]expR0 ltr_expR; lra.
by lra.
Qed.
