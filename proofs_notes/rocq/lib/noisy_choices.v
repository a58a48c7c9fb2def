(* Adaptive steps that release, with normal noise, a value about a hidden choice of records, and what they cost together: each
   step's guarantee is amplified, and the steps add up.

   noisy_choice w V u   one step: draw i with probability w i, hidden; release V i z with noise at the state z; go on by u
   noisy_indices, noisy_batches, noisy_samples   steps about one of n + 1 records, about a batch of m, about a Poisson sample *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import reals ereal interval_inference topology normedtype sequences esum exp measure numfun measurable_realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import discrete subsampling subsampling_batches.
From DPPCA.lib Require Import measure squared_norms gaussian_calibration gaussian_matrix gaussian_steps release_kernels adaptive_runs.
From DPPCA.lib Require Import hidden_choices.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Step.
Context (R : realType) (p q : nat) d (S : measurableType d) (s : R) (s0 : 0 < s).
Local Notation matrix := 'M[R]_(p, q).
Implicit Types (V W : S -> matrix) (e t C : R).

Definition noisy_value V (mV : measurable_fun setT V) (u : S * matrix -> S) (mu : measurable_fun setT u) : R.-pker S ~> S :=
  release_step (normal_kernel (fun=> s0) (measurable_cst s) mV) mu.

Lemma noisy_value_indist e t C V W (mV : measurable_fun setT V) (mW : measurable_fun setT W) u (mu : measurable_fun setT u) z :
  0 < C -> calibrated e t (Num.sqrt C / s) -> sqnorm (V z - W z) <= C ->
  indist (expR e) t (noisy_value mV mu z) (noisy_value mW mu z).
Proof.
move=> C0 cal close; apply: release_step_indist; apply: (noisy_private_const s0 C0 cal).
apply: le_trans close; rewrite le_eqVlt; apply/orP; left; apply/eqP.
have := change_const 1 (V z) (W z); rewrite expr1n divr1 => <-; apply: eq_bigr => ij _.
by rewrite [const_mx _ _ _]mxE divr1.
Qed.

Lemma noisy_value_same V W (mV : measurable_fun setT V) (mW : measurable_fun setT W) u (mu : measurable_fun setT u) z A :
  V z = W z -> measurable A -> noisy_value mV mu z A = noisy_value mW mu z A.
Proof. by move=> e mA; rewrite /noisy_value !release_stepE //= /normal_kernel /normal_law /= e. Qed.

Definition noisy_choice (I : finType) (w : I -> R) (lw : law w) (V : I -> S -> matrix) (mV : forall i, measurable_fun setT (V i))
    (u : S * matrix -> S) (mu : measurable_fun setT u) : R.-pker S ~> S := choose lw (fun i => noisy_value (mV i) mu).
End Step.

(* Steps that have the same guarantee. *)
Lemma run_same_steps (R : realType) d (S : measurableType d) (K L : nat -> R.-pker S ~> S) N (a t : R) A z : measurable A -> 0 <= a ->
  (forall i y, indist a t (K i y) (L i y)) -> (run K N A z <= (a ^+ N)%:E * run L N A z + (t *+ N)%:E)%E.
Proof.
move=> mA a0 H; have := @run_indist _ S R K L N (fun=> a) (fun=> t) A z mA (fun=> a0) H.
by rewrite prodr_const sumr_const !card_ord.
Qed.

Section Runs.
Context (R : realType) (p q n : nat) d (S : measurableType d) (s : R) (s0 : 0 < s).
Local Notation matrix := 'M[R]_(p, q).
Context (u : nat -> S * matrix -> S) (mu : measurable_steps u).
Implicit Types (e t C : R) (V W : 'I_n.+1 -> S -> matrix) (A : set S).

Let factor e (r : R) : 0 <= r -> 0 <= e -> 0 <= amplified r (expR e).
Proof. by move=> r0 e0; apply: le_trans ler01 (amplified_ge1 r0 _); rewrite -[leLHS]expR0 ler_expR. Qed.

Let one_le_exp e : 0 <= e -> 1 <= expR e :> R. Proof. by move=> e0; rewrite -[leLHS]expR0 ler_expR. Qed.

(* One of n + 1 records, hidden. *)
Definition index_step V (mV : forall i, measurable_fun setT (V i)) i : R.-pker S ~> S := noisy_choice s0 (@law_one_of R n) mV (mu i).

Theorem noisy_indices e t C V W mV mW i0 N A z : 0 <= e -> 0 < C -> calibrated e t (Num.sqrt C / s) ->
  (forall i y, i != i0 -> V i y = W i y) -> (forall i y, sqnorm (V i0 y - W i y) <= C) -> measurable A ->
  (run (@index_step V mV) N A z <= (amplified n.+1%:R^-1 (expR e) ^+ N)%:E * run (@index_step W mW) N A z + (t / n.+1%:R *+ N)%:E)%E.
Proof.
move=> e0 C0 cal same close mA; apply: run_same_steps => // [|i y]; first by apply: factor; rewrite ?invr_ge0 ?ler0n.
apply: (hidden_index_indist (i0 := i0)) => [|j B ne mB|j]; first exact: one_le_exp.
  by apply: noisy_value_same => //; exact: same.
exact: noisy_value_indist (close j y).
Qed.

(* A batch of m of n + 1 records, hidden: the sum of their values is released. *)
Section Batches.
Context (m : nat) (mn : (m <= n.+1)%N).
Definition batch_sum V (B : {set 'I_n.+1}) y : matrix := \sum_(i in B) V i y.
Definition batch_step V (mV : forall B, measurable_fun setT (batch_sum V B)) i : R.-pker S ~> S :=
  noisy_choice s0 (@law_batch R n m mn) mV (mu i).

Theorem noisy_batches e t C V W mV mW i0 N A z (r := m%:R / n.+1%:R) : 0 <= e -> 0 < C -> calibrated e t (Num.sqrt C / s) ->
  (forall i y, i != i0 -> V i y = W i y) -> (forall i j y, sqnorm (V i y - W j y) <= C) -> measurable A ->
  (run (@batch_step V mV) N A z <= (amplified r (expR e) ^+ N)%:E * run (@batch_step W mW) N A z + (r * t *+ N)%:E)%E.
Proof.
move=> e0 C0 cal same close mA; apply: run_same_steps => // [|k y]; first by apply: factor; rewrite // divr_ge0 ?ler0n.
apply: (@hidden_batch_indist _ _ _ _ _ n m mn _ _ _ _ i0) => [|B D iB mD|B cB iB|B j cB iB jB]; first exact: one_le_exp.
- apply: noisy_value_same => //; apply: eq_bigr => i iB'; apply: same; apply: contraNneq iB => <-.
  by [].
- apply: noisy_value_indist C0 cal _; rewrite /batch_sum (big_setD1 _ iB) /= [X in _ - X](big_setD1 _ iB) /=.
  rewrite [X in _ - (_ + X)](eq_bigr (V^~ y)); last by move=> i; rewrite !inE => /andP[ne _]; rewrite same.
  by rewrite opprD addrACA subrr addr0.
- apply: noisy_value_indist C0 cal _; have ji : j != i0 by apply: contraNneq jB => ->.
  rewrite /batch_sum (big_setD1 _ iB) /= big_setU1 /=; last by rewrite !inE negb_and jB orbT.
  by rewrite opprD addrACA subrr addr0 (same j).
Qed.
End Batches.

(* A Poisson sample of the records, hidden: one data set has the record i0 in addition. *)
Section Samples.
Context (r : R) (r01 : 0 <= r <= 1).
Definition sample_step k (V : 'I_k -> S -> matrix) (mV : forall B : {set 'I_k}, measurable_fun setT (fun y => \sum_(i in B) V i y)) i :
  R.-pker S ~> S := noisy_choice s0 (law_draw r01 k) mV (mu i).

Theorem noisy_samples e t C V (W : 'I_n -> S -> matrix) mV mW (i0 : 'I_n.+1) N A z : 0 <= e -> 0 < C -> calibrated e t (Num.sqrt C / s) ->
  (forall i y, W i y = V (lift i0 i) y) -> (forall y, sqnorm (V i0 y) <= C) -> measurable A ->
  (run (@sample_step _ V mV) N A z <= (amplified r (expR e) ^+ N)%:E * run (@sample_step _ W mW) N A z + (r * t *+ N)%:E)%E /\
  (run (@sample_step _ W mW) N A z <= (amplified r (expR e) ^+ N)%:E * run (@sample_step _ V mV) N A z + (r * t *+ N)%:E)%E.
Proof.
move=> e0 C0 cal same short mA; have /andP[r0 r1] := r01.
have both k y : indist (amplified r (expR e)) (r * t) (@sample_step _ V mV k y) (@sample_step _ W mW k y) /\
    indist (amplified r (expR e)) (r * t) (@sample_step _ W mW k y) (@sample_step _ V mV k y).
  apply: (@hidden_sample_indist _ _ _ _ _ n r r01 _ _ _ _ i0) => [|B D mD|B]; first exact: one_le_exp.
    by apply: noisy_value_same => //; rewrite sum_others; apply: eq_bigr => i _; exact: same.
  split; apply: noisy_value_indist C0 cal _; rewrite sum_with sum_others ?addrK //.
  by rewrite opprD addrCA subrr addr0 sqnormN.
by split; apply: run_same_steps => //; try exact: factor; move=> k y; case: (both k y).
Qed.
End Samples.
End Runs.
