(* The Gaussian mechanism for matrices and vectors.

   'M[R]_(m, n) is a measurable space with the sigma-algebra of its entries (measurable_entry, measurable_matrix).

   noisy P s V        the law of the matrix whose entry ij is V ij + s ij N(0, 1), independently, where P ij holds, and 0
                      elsewhere; P is all entries, or the upper triangle
   noisy_gdp          if the changes of V over s are at most D in Euclidean norm, it is D-Gaussian differentially private
   noisy_private      then a calibration for D makes it (e, t)-private, with any measurable post-processing
   normal_matrix      the law of a matrix of independent standard normal entries
   normal_matrix_small  all its entries are below a bound at once with a positive probability *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum matrix ssrint interval.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure densities normal_line gaussian_dp gaussian_run gaussian_formulas gaussian_calibration.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Measurable.
Context {R : realType} {m n : nat}.

Definition entry_events : set (set 'M[R]_(m, n)) :=
  [set A | exists i j B, measurable B /\ A = (fun M : 'M[R]_(m, n) => M i j) @^-1` B].

Let eventsC (A : set 'M[R]_(m, n)) : <<s entry_events >> A -> <<s entry_events >> (~` A).
Proof. by move=> sA; rewrite -setTD; exact: sigma_algebraCD. Qed.

HB.instance Definition _ := @isMeasurable.Build (sigma_display entry_events) 'M[R]_(m, n) <<s entry_events >>
  (@sigma_algebra0 _ setT entry_events) eventsC (@sigma_algebra_bigcup _ setT entry_events).

Lemma measurable_entry i j : measurable_fun setT (fun M : 'M[R]_(m, n) => M i j).
Proof. by move=> _ B mB; rewrite setTI; apply: sub_sigma_algebra; exists i, j, B. Qed.

Lemma measurable_matrix d (T : measurableType d) (f : T -> 'M[R]_(m, n)) :
  (forall i j, measurable_fun setT (fun x => f x i j)) -> measurable_fun setT f.
Proof.
move=> mf; apply: (measurability (G := entry_events)) => // _ [_ [i [j [B [mB ->]]]] <-].
exact: mf.
Qed.
End Measurable.

Section Noisy.
Context {R : realType} {m n : nat}.
Implicit Types (P : pred ('I_m * 'I_n)) (s V W : 'M[R]_(m, n)) (l : seq ('I_m * 'I_n)).

(* The state after a number is released is the matrix with the number at its place, where there was 0. *)
Definition add_entry (ij : 'I_m * 'I_n) (w : 'M[R]_(m, n) * R) : 'M[R]_(m, n) := w.1 + w.2 *: delta_mx ij.1 ij.2.

Definition noisy P s V : set 'M[R]_(m, n) -> \bar R :=
  run (fun k _ => nth 1 [seq s ij.1 ij.2 | ij <- enum P] k) (fun k _ => nth 0 [seq V ij.1 ij.2 | ij <- enum P] k)
    (nth fst [seq add_entry ij | ij <- enum P]) #|P| 0.

Lemma measurable_add_entry ij : measurable_fun setT (add_entry ij).
Proof.
apply: measurable_matrix => i j; under eq_fun do rewrite !mxE.
apply: measurable_funD; first by apply: (measurableT_comp (measurable_entry i j)); exact: measurable_fst.
by apply: measurable_funM; [exact: measurable_snd | exact: measurable_cst].
Qed.

Lemma updates_noisy l : updates (nth fst [seq add_entry ij | ij <- l]).
Proof.
elim: l => [|ij l IH] [|k] /=; try exact: measurable_fst; first exact: measurable_add_entry.
exact: IH.
Qed.

Lemma scale_gt0 P s : (forall i j, 0 < s i j) -> forall k, 0 < nth 1 [seq s ij.1 ij.2 | ij <- enum P] k.
Proof. by move=> s0 k; elim: (enum P) k => [|ij l IH] [|k] //=; rewrite ?ltr01. Qed.

Lemma noisy_total P s V : noisy P s V setT = 1%E.
Proof. exact: run_total. Qed.

Lemma sum_entries P s V W : \sum_(k < #|P|) ((nth 0 [seq V ij.1 ij.2 | ij <- enum P] k -
    nth 0 [seq W ij.1 ij.2 | ij <- enum P] k) / nth 1 [seq s ij.1 ij.2 | ij <- enum P] k) ^+ 2 =
  \sum_(ij | P ij) ((V ij.1 ij.2 - W ij.1 ij.2) / s ij.1 ij.2) ^+ 2.
Proof.
rewrite -[RHS]big_enum cardE /=; elim: (enum P) => [|ij l IH]; first by rewrite big_ord0 big_nil.
by rewrite big_ord_recl big_cons -IH.
Qed.

Theorem noisy_gdp P s V W D : (forall i j, 0 < s i j) -> 0 < D ->
  \sum_(ij | P ij) ((V ij.1 ij.2 - W ij.1 ij.2) / s ij.1 ij.2) ^+ 2 <= D ^+ 2 -> gdp D (noisy P s V) (noisy P s W).
Proof.
move=> s0 D0 close; apply: gaussian_vector => //; first exact: updates_noisy.
  exact: scale_gt0.
by rewrite sum_entries.
Qed.

Theorem noisy_private P s V W D e t : (forall i j, 0 < s i j) -> 0 < D -> calibrated e t D ->
  \sum_(ij | P ij) ((V ij.1 ij.2 - W ij.1 ij.2) / s ij.1 ij.2) ^+ 2 <= D ^+ 2 ->
  indist (expR e) t (noisy P s V) (noisy P s W).
Proof.
move=> s0 D0 cal close A mA; have := noisy_gdp s0 D0 close (expR_gt0 e) mA => h.
by apply: le_trans h _; rewrite leeD2l // lee_fin.
Qed.

(* The same standard deviation everywhere, and a bound on the squared change. *)
Corollary noisy_private_const P (r : R) V W (C : R) e t : 0 < r -> 0 < C -> calibrated e t (Num.sqrt C / r) ->
  \sum_(ij | P ij) (V ij.1 ij.2 - W ij.1 ij.2) ^+ 2 <= C -> indist (expR e) t (noisy P (const_mx r) V) (noisy P (const_mx r) W).
Proof.
move=> r0 C0 cal close; apply: noisy_private cal _; first by move=> i j; rewrite mxE.
  by rewrite divr_gt0 // sqrtr_gt0.
rewrite expr_div_n sqr_sqrtr ?(ltW C0) // ler_pdivlMr ?exprn_gt0 // mulr_suml; apply: le_trans close; apply: ler_sum => ij _.
by rewrite mxE expr_div_n mulfVK // expf_neq0 // gt_eqF.
Qed.
End Noisy.

Section Small.
Context {R : realType} {m n : nat}.
Implicit Types (M : 'M[R]_(m, n)) (l : seq ('I_m * 'I_n)).

Lemma entry_small l k M (x r e : R) : 0 < x < e -> (forall i j, `|M i j| <= r) ->
  forall i j, `|nth fst [seq @add_entry R m n ij | ij <- l] k (M, x) i j| <= r + e.
Proof.
move=> /andP[x0 xe] small i j; have e0 : 0 <= e by exact: ltW (lt_trans x0 xe).
elim: l k => [|ij l IH] [|k] /=; rewrite ?nth_nil /=; try by apply: le_trans (small i j) _; rewrite lerDl.
  rewrite /add_entry !mxE; apply: le_trans (ler_normD _ _) _; apply: lerD => //; rewrite normrM gtr0_norm //.
  by case: (_ && _); rewrite ?normr1 ?normr0 ?mulr1 ?mulr0 // ltW.
exact: IH.
Qed.

(* The law of a matrix of independent standard normal entries. *)
Definition normal_matrix : set 'M[R]_(m, n) -> \bar R := noisy predT (const_mx 1) 0.

Lemma normal_matrix_set0 : normal_matrix set0 = 0%E.
Proof. exact: run_set0. Qed.

Lemma normal_matrix_le1 A : measurable A -> (normal_matrix A <= 1)%E.
Proof.
move=> mA; have s0 : forall i j, 0 < (const_mx 1 : 'M[R]_(m, n)) i j by move=> i j; rewrite mxE.
have [_ /(_ 0)[_ le1]] := @run_ok R _ _ (fun k _ => nth 1 [seq (const_mx 1 : 'M[R]_(m, n)) ij.1 ij.2 | ij <- enum predT] k)
  (fun k _ => nth 0 [seq (0 : 'M[R]_(m, n)) ij.1 ij.2 | ij <- enum predT] k) _ #|(predT : pred ('I_m * 'I_n))| A
  (fun k => measurable_cst _) (fun k _ => scale_gt0 predT s0 k) (fun k => measurable_cst _) (updates_noisy (enum predT)) mA.
exact: le1.
Qed.

(* The entries are all small at once with a positive probability. *)
Lemma normal_matrix_small (A : set 'M[R]_(m, n)) (b : R) : measurable A -> 0 < b ->
  (forall M, (forall i j, `|M i j| <= b) -> A M) -> (0 < normal_matrix A)%E.
Proof.
move=> mA b0 inA; set N := #|(predT : pred ('I_m * 'I_n))|; pose e := b / N.+1%:R.
have e0 : 0 < e by rewrite divr_gt0 ?ltr0n.
pose reach k := [set M : 'M[R]_(m, n) | forall i j, `|M i j| <= e *+ k].
have s0 : forall i j, 0 < (const_mx 1 : 'M[R]_(m, n)) i j by move=> i j; rewrite mxE.
apply: (run_positive (e := e) (reach := reach)) => //.
- by move=> k y; exact: scale_gt0.
- exact: updates_noisy.
- by move=> k M x small xe i j; rewrite mulrSr; exact: entry_small.
- move=> M small; apply: inA => i j; apply: le_trans (small i j) _.
  by rewrite -[_ *+ _]mulr_natr /e -mulrA ler_piMr ?(ltW b0) // mulrC ler_pdivrMr ?ltr0n // mul1r ler_nat.
- by move=> i j; rewrite mxE normr0.
Qed.
End Small.

(* Post-processing by a measurable function, for set functions. *)
Lemma indist_image d (T : measurableType d) d' (U : measurableType d') (R : realType) (f : T -> U) a t (M N : set T -> \bar R) :
  measurable_fun setT f -> indist a t M N -> indist a t (fun B => M (f @^-1` B)) (fun B => N (f @^-1` B)).
Proof. by move=> mf H B mB; apply: H; rewrite -[X in measurable X]setTI; exact: mf. Qed.
