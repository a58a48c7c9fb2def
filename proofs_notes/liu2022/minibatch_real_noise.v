(* liu2022, Algorithm 2 in a public order and Equation (7), with noise that is not on a grid: what is released lies in any
   measurable space O. The hypothesis [calibrated_law] is the Gaussian mechanism for that noise. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions mathcomp_extra.
From mathcomp Require Import reals ereal interval_inference topology normedtype sequences esum exp measure numfun measurable_realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral.
From DPPCA.lib Require Import measure squared_norms neighbours adaptive_runs noisy_runs.
From DPPCA.primitives Require Import row_changes.
From DPPCA.liu2022 Require Import clipping.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(* Algorithm 2 in a public order, and Equation (7): step i reads the records i B, ..., i B + B - 1. *)
Section MinibatchOja.
Context d (O : measurableType d) d' (S : measurableType d') (R : realType) (p B steps : nat) (a t beta : R).
Variables (release : 'cV[R]_p -> {measure set O -> \bar R}) (update : S -> O -> S) (iterate : S -> 'cV[R]_p).
Hypotheses (measurable_update : forall s, measurable_fun setT (update s)) (B_gt0 : (0 < B)%N) (beta_ge0 : 0 <= beta).
Let near D (v w : 'cV[R]_p) := sqnorm (v - w) <= D.
Implicit Types x : nat -> 'M[R]_p.

Definition clipped_mean x i s : 'cV[R]_p := mean_of (fun j : 'I_B => clip beta (x (i * B + j)%N *m iterate s)).
Definition oja_step x i := release_step release measurable_update (clipped_mean x i).
Hypothesis oja_markov : forall x i, markov (oja_step x i).

(* liu2022.equation-7-privacy, liu2022.lemma-b.2: the noise of one release, for every number of steps *)
Theorem minibatch_oja_indist x x' i0 s A : 1 <= a -> 0 <= t -> calibrated_law (near ((2%:R * beta / B%:R) ^+ 2)) a t release ->
  differ_at i0 x x' -> measurable A ->
  (run (oja_step x) steps A s <= a%:E * run (oja_step x') steps A s + t%:E)%E.
Proof.
move=> a1 t0 noise same mA; apply: (@run_parallel _ S R (oja_step x) (oja_step x') steps (i0 %/ B)%N a t A s mA (oja_markov x) (oja_markov x') a1 t0) => [i s' ne|s'].
  apply: step_same; congr (_ *: _); apply: eq_bigr => j _; rewrite same //.
  by apply: contra ne => /eqP <-; rewrite divnMDl // divn_small ?addn0.
apply: (step_private _ noise); rewrite /near.
apply: (clipped_mean_sensitivity (f := fun j : 'I_B => x (i0 %/ B * B + j)%N *m iterate s')
    (f' := fun j : 'I_B => x' (i0 %/ B * B + j)%N *m iterate s') (i0 := Ordinal (ltn_pmod i0 B_gt0))) => // j ne.
rewrite same //; apply: contra ne => /eqP e; apply/eqP; apply: val_inj => /=.
by rewrite -e modnMDl modn_small.
Qed.
End MinibatchOja.

(* The hypotheses can be met: states and outcomes are bits, a release is a biased coin. *)
Section Examples.
Variable R : realType.

Let keep (s y : bool) := y.
Let keep_measurable (s : bool) : measurable_fun setT (keep s). Proof. exact: measurable_bits. Qed.

Let flip_column (v : 'cV[R]_2) : {measure set bool -> \bar R} := coin R (0 < v 0 0).
Let w (s : bool) : 'cV[R]_2 := (axis 0)^T.
Example minibatch_oja_holds (x x' : nat -> 'M[R]_2) i0 s A : differ_at i0 x x' ->
  (run (oja_step 2 1 flip_column w keep_measurable x) 5 A s <=
   3%:R%:E * run (oja_step 2 1 flip_column w keep_measurable x') 5 A s + 0%:E)%E.
Proof.
move=> same; apply: (@minibatch_oja_indist _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ x x' i0) => //; rewrite ?ler01 ?ler1n //.
- by move=> y i; apply: markov_bits => s'; apply: coin_total.
- by split=> [v|v w' _]; [apply: coin_total | split; apply: coin_indist].
Qed.

End Examples.
