(* How to prove a mechanism of one's own, here the number of true bits plus Laplace noise of scale 1 / e: bound what one record
   changes, and apply the theorem about the noise. *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra zify.
From DPPCA.lib Require Import measure laplace.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope ring_scope.

Definition count {n} (bits : 'I_n -> bool) : nat := \sum_i bits i.

Lemma count_changes n (bits bits' : 'I_n -> bool) i0 : (forall i, i != i0 -> bits i = bits' i) -> (count bits <= (count bits').+1)%N.
Proof.
move=> same; rewrite /count (bigD1 i0) //= [X in (_ <= X.+1)%N](bigD1 i0) //= (eq_bigr (fun i => bits' i : nat)) => [|i ne].
  by case: (bits i0); case: (bits' i0); rewrite ?add0n ?add1n // ltnW.
by rewrite same.
Qed.

Theorem noisy_count_private (R : realType) n (e : R) (bits bits' : 'I_n -> bool) i0 : 0 < e ->
  (forall i, i != i0 -> bits i = bits' i) ->
  indist (expR e) 0 (laplace_prob (count bits)%:R (1 / e)) (laplace_prob (count bits')%:R (1 / e)).
Proof.
move=> e0 same A mA; have b0 : 0 < 1 / e by rewrite divr_gt0.
have le1 := count_changes _ _ _ _ same; have le2 := count_changes _ _ _ _ (fun i ne => esym (same i ne)).
have close : `|(count bits)%:R - (count bits')%:R| <= 1 :> R.
  move: le1 le2; rewrite -!(ler_nat R) -!natr1 ler_norml => le1 le2; apply/andP; split; lra.
apply: le_trans (laplace_mechanism _ (count bits')%:R b0 mA) _; rewrite leeD2r //; apply: lee_wpmul2r.
  by apply: integral_ge0 => x _; rewrite lee_fin laplace_pdf_ge0.
by rewrite lee_fin ler_expR ler_pdivrMr // mulrCA divff ?gt_eqF // mulr1.
Qed.

Example count_computes : count (fun i : 'I_3 => i != ord0) = 2%N.
Proof. by rewrite /count !big_ord_recl big_ord0. Qed.
