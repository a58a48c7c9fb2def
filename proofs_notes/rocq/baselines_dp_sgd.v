(* DP-SGD on the PCA objective (abadi2016, Algorithm 1; reference/baselines/dp_sgd.py): a row is added or removed.

   Every step draws each row with probability q, hidden, clips the gradients -x x^T V of the drawn rows at length C, and
   releases their sum with noise. The iterates are functions of the sums released before; the lot size and the step sizes are
   part of these functions. Outcomes are on a finite grid T; a = e^epsilon. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import discrete.
From DPPCA.sensitivity Require Import linear row_changes gradients clipping.
From DPPCA.algorithms Require Import transcripts subsampling.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Sums.
Variables (R : rcfType) (d k : nat) (C : R).
Hypothesis C_ge0 : 0 <= C.
Implicit Types (x : 'rV[R]_d) (V : 'M[R]_(d, k)).

(* Lines 4 and 5: the gradient of one row, clipped. *)
Definition clipped_gradient x V : 'M[R]_(d, k) := clip C (gradient 1 x V).
(* The sum of line 6 without its noise, over the drawn rows S. *)
Definition clipped_sum n (X : 'M[R]_(n, d)) V (S : {set 'I_n}) := \sum_(i in S) clipped_gradient (row i X) V.

Lemma clip_sqnorm m (g : 'M[R]_(m, k)) : sqnorm (clip C g) = Num.min (sqnorm g) (C ^+ 2).
Proof.
have [short|long] := leP (sqnorm g) (C ^+ 2); first by rewrite clip_id.
have g0 : 0 < sqnorm g by apply: le_lt_trans long; apply: sqr_ge0.
have root : 0 < Num.sqrt (sqnorm g) by rewrite sqrtr_gt0.
rewrite /clip sqnormZ min_r; last by rewrite ler_pdivr_mulr // mul1r -(ger0_norm C_ge0) -sqrtr_sqr ler_wsqrtr // ltW.
by rewrite exprMn exprVn sqr_sqrtr ?ltW // divfK // gt_eqF.
Qed.

Lemma gradient_length x V : sqnorm (gradient 1 x V) = sqnorm x * sqnorm (x *m V).
Proof.
rewrite /gradient sqnormZ sqrrN expr1n mul1r /outer -mulmxA.
move: (x *m V) => y; rewrite /sqnorm !dotE trmx_mul trmxK mulmxA mxtrace_mulC !mulmxA.
rewrite -[_ *m y *m y^T]mulmxA [y *m _]mx11_scalar mul_mx_scalar -scalemxAl mxtraceZ mulrC; congr (_ * _).
by rewrite mxtrace_mulC mulmxA -mulmxA mulmx_sum_row.
Abort.
End Sums.
