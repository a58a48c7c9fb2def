(* liu2022, appendix E.2: how many subsets a private histogram over infinitely many bins needs. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions cardinality reals ereal topology normedtype
  sequences esum exp measure.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure.
From DPPCA.lib Require discrete.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Histogram.
Context d (T : measurableType d) (R : realType) (X : Type) (neighbours : X -> X -> Prop).
Variables (M : X -> {measure set T -> \bar R}) (names : nat -> set T) (equal_in : nat -> X).
Variables (e t zeta : R) (k : nat).

(* names j: the outputs that name bin j, for infinitely many bins; equal_in j: the data whose k eigenvalues all lie in bin j, which
   are k replacements away from each other. *)
Hypotheses (M1 : forall x, M x setT = 1%E) (private : mechanism_indist (expR e) t neighbours M).
Hypotheses (mnames : forall j, measurable (names j)) (one_bin : trivIset setT names).
Hypothesis near : forall i j, discrete.distance neighbours k (equal_in i) (equal_in j).
Hypothesis good : forall j, ((1 - zeta)%:E <= M (equal_in j) (names j))%E.

Lemma rare_bin (r : R) : 0 < r -> exists j, (M (equal_in 0) (names j) <= r%:E)%E.
Proof.
move=> r0; apply: contrapT => none; pose N := Num.bound (r^-1).
have many j : (r%:E <= M (equal_in 0) (names j))%E.
  by rewrite leNgt; apply/negP => lt; apply: none; exists j; exact: ltW.
have : (M (equal_in 0) (\big[setU/set0]_(j < N) names j) <= 1)%E.
  rewrite -(M1 (equal_in 0)); apply: le_measure; rewrite ?inE //; exact: bigsetU_measurable.
rewrite measure_bigsetU //.
apply/negP; rewrite -ltNge; apply: lt_le_trans (_ : (\sum_(j < N) r%:E <= _)%E); last by apply: lee_sum => j _; exact: many.
rewrite sumEFin sumr_const card_ord lte_fin -[_ *+ N]mulr_natl -ltr_pdivrMr // div1r.
by apply: archi_boundP; rewrite invr_ge0 ltW.
Qed.

(* liu2022.appendix-e.2-necessary *)
Theorem subsets_needed : 0 < e -> 0 < t -> 0 < zeta < 1 ->
  ln (1 + (1 - zeta) * (expR e - 1) / t) / e <= k%:R.
Proof.
move=> e0 t0 /andP[z0 z1]; have E1 : 1 < expR e by rewrite expR_gt1.
have En : expR e - 1 != 0 by rewrite gt_eqF // subr_gt0.
pose S := t * ((expR e ^+ k - 1) / (expR e - 1)).
have sum : (t * \sum_(i < k) expR e ^+ i)%R = S by rewrite /S subrX1 mulrAC divff ?mul1r.
have bound r : 0 < r -> 1 - zeta <= expR e ^+ k * r + S.
  move=> r0; have [j rare] := rare_bin r0.
  have G := mechanism_group_privacy (expR_ge0 e) private (near j 0) (mnames j); rewrite sum in G.
  rewrite -lee_fin; apply: le_trans (good j) (le_trans G _); rewrite EFinD [(expR e ^+ k * r)%:E]EFinM; apply: leeD => //.
  by apply: lee_wpmul2l => //; rewrite lee_fin exprn_ge0 // expR_ge0.
have le : 1 - zeta <= S.
  rewrite leNgt; apply/negP => lt; have p0 : 0 < expR e ^+ k by rewrite exprn_gt0 // expR_gt0.
  have q0 : 0 < (1 - zeta - S) / 2 / expR e ^+ k by rewrite !divr_gt0 // subr_gt0.
  by have := bound _ q0; rewrite mulrC divfK ?gt_eqF //; lra.
rewrite ler_pdivrMr // (_ : k%:R * e = ln (expR e ^+ k)); last by rewrite -expRM_natr expRK mulrC.
rewrite ler_ln ?posrE ?exprn_gt0 ?expR_gt0 //; last first.
  by rewrite addr_gt0 // divr_gt0 // mulr_gt0 ?subr_gt0.
rewrite -lerBrDl ler_pdivrMr // -ler_pdivlMr ?subr_gt0 //; apply: le_trans le _.
by rewrite /S le_eqVlt; apply/orP; left; apply/eqP; move: (expR e ^+ k) => q; field.
Qed.
End Histogram.
