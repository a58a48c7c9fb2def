(* liu2022 beyond DP-PCA: r components by deflation on disjoint parts (Section 7), and the search for step sizes (Section 5).
   (r components at once are DP-PCA with gradients of d r numbers, dp_pca.v.)

   The runs of DP-PCA enter as any kernels that are private under replace-one and read their own part of the records; their
   releases are on any measurable space. S holds what was released so far; a run goes from one state to the next. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import reals ereal topology normedtype sequences exp measure numfun measurable_realfun lebesgue_measure lebesgue_integral realfun kernel.
From mathcomp Require Import ring lra zify.
From DPPCA.lib Require Import measure neighbours squared_norms gaussian_calibration gaussian_matrix release_kernels adaptive_runs noisy_choices.
From DPPCA.liu2022 Require Import parts_of_the_data clipping.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Parts.
Context (R : realType) (G : Type) dS (S : measurableType dS).
Implicit Types (x : nat -> G) (M : (nat -> G) -> R.-pker S ~> S).

(* The records that a kernel reads: the first m. *)
Definition reads_first m M := forall x x' z A, (forall i, (i < m)%N -> x i = x' i) -> measurable A -> M x z A = M x' z A.
Definition private_kernel a t M := forall x x' z, replace_one x x' -> indist a t (M x z) (M x' z).

Lemma reads_same m M x x' z : reads_first m M -> (forall i, (i < m)%N -> x i = x' i) -> indist 1 0 (M x z) (M x' z).
Proof. by move=> reads same A mA; rewrite (reads x x' z A same mA) mul1e adde0. Qed.

Lemma part_replaced x x' i0 k : differ_at i0 x x' -> replace_one (fun l => x (k + l)%N) (fun l => x' (k + l)%N).
Proof. by move=> same; case: (one_record k same) => H; [exists (i0 - k)%N | exists 0%N => l _]. Qed.

(* What is computed from the last state, and its privacy. *)
Lemma output_private d' (U : measurableType d') (output : S -> U) (K L : nat -> R.-pker S ~> S) N a t z : measurable_fun setT output ->
  (forall A, measurable A -> run K N A z <= a%:E * run L N A z + t%:E)%E ->
  indist a t (fun B => run K N (output @^-1` B) z) (fun B => run L N (output @^-1` B) z).
Proof. by move=> mo H B mB; apply: H; rewrite -[X in measurable X]setTI; exact: mo. Qed.

(* Component i is found on the records i m, ..., i m + m - 1, after a projection that the components before it fix. *)
Section Deflation.
Context (m r : nat) (component : nat -> (nat -> G) -> R.-pker S ~> S) dU (U : measurableType dU) (output : S -> U).
Hypotheses (measurable_output : measurable_fun setT output) (reads : forall i, reads_first m (component i)).

Definition one_component x i : R.-pker S ~> S := component i (fun l => x (i * m + l)%N).
Definition deflation x z (B : set U) := run (one_component x) r (output @^-1` B) z.

(* liu2022.rank-r-deflation: r components cost what one costs *)
Theorem deflation_private a t x x' z : 1 <= a -> 0 <= t -> (forall i, private_kernel a t (component i)) -> replace_one x x' ->
  indist a t (deflation x z) (deflation x' z).
Proof.
move=> a1 t0 H [i0 same]; apply: output_private => // A mA; apply: (@run_parallel _ S R _ _ r (i0 %/ m)%N) => // [i y ne|y].
  apply: (reads_same _ (@reads i)) => l lt; apply: same; apply: contra ne => /eqP <-; rewrite divnMDl; last by lia.
  by rewrite divn_small ?addn0.
by apply: H; exact: part_replaced same.
Qed.
End Deflation.

(* The search: the run of DP-PCA for a pair of constants, on the first m records; its noisy score, on the next held_out ones. *)
Section Search.
Context (m held_out : nat) (training scoring : nat -> (nat -> G) -> R.-pker S ~> S) dU (U : measurableType dU) (output : S -> U).
Hypotheses (measurable_output : measurable_fun setT output).
Hypotheses (reads_training : forall i, reads_first m (training i)) (reads_scoring : forall i, reads_first held_out (scoring i)).

(* Pair i takes the steps 2 i and 2 i + 1. What is released: every direction and score, also those after the search has ended. *)
Definition search_step x j : R.-pker S ~> S := if odd j then scoring j./2 (fun l => x (m + l)%N) else training j./2 x.
Definition search pairs x z (B : set U) := run (search_step x) pairs.*2 (output @^-1` B) z.

Lemma pairs_of_steps (V : Type) (idx : V) (op : Monoid.com_law idx) n (f : nat -> V) :
  \big[op/idx]_(j < n.*2) f j = \big[op/idx]_(i < n) op (f i.*2) (f i.*2.+1).
Proof. by elim: n => [|n IH]; rewrite ?big_ord0 // doubleS !big_ord_recr /= IH Monoid.mulmA. Qed.

(* liu2022.search-training, liu2022.search-budget: pair i may spend (a i, t i) both on its run and on its score, since a record
   takes part in one of them; the pairs add up *)
Theorem search_private pairs (a t : nat -> R) x x' z : (forall i, 1 <= a i) ->
  (forall i, private_kernel (a i) (t i) (training i)) -> (forall i, private_kernel (a i) (t i) (scoring i)) -> replace_one x x' ->
  indist (\prod_(i < pairs) a i) (\sum_(i < pairs) t i) (search pairs x z) (search pairs x' z).
Proof.
move=> a1 train score [i0 same]; apply: output_private => // A mA; pose first := (i0 < m)%N.
pose pays j := odd j != first.
pose b j : R := if pays j then a j./2 else 1; pose u j : R := if pays j then t j./2 else 0.
have eb : \prod_(j < pairs.*2) b j = \prod_(i < pairs) a i.
  rewrite (pairs_of_steps _ pairs b); apply: eq_bigr => i _; rewrite /b /pays /= odd_double /= half_double uphalf_double.
  by case: (boolP first) => _; rewrite /= ?mulr1 ?mul1r.
have eu : \sum_(j < pairs.*2) u j = \sum_(i < pairs) t i.
  rewrite (pairs_of_steps _ pairs u); apply: eq_bigr => i _; rewrite /u /pays /= odd_double /= half_double uphalf_double.
  by case: (boolP first) => _; rewrite /= ?addr0 ?add0r.
rewrite -eb -eu; apply: (@run_indist _ S R (search_step x) (search_step x') pairs.*2 b u A z mA) => [j|j y].
  by rewrite /b; case: ifP => _; rewrite ?ler01 // (le_trans ler01).
rewrite /b /u /search_step /pays; case: (boolP (odd j)) => oj; rewrite /first; case: ltnP => side /=.
- by apply: (reads_same _ (@reads_scoring _)) => l _; apply: same; apply: contraTneq side => <-; rewrite -leqNgt leq_addr.
- by apply: score; exact: part_replaced same.
- by apply: train; exists i0.
- by apply: (reads_same _ (@reads_training _)) => l lt; apply: same; apply: contraTneq side => <-; rewrite -ltnNge.
Qed.
End Search.
End Parts.

(* The score is private: a mean over the held-out records of numbers in [0, 1], with normal noise for the change 1 / held_out. *)
Section Score.
Context (R : realType) (G : Type) (held_out : nat) (W : Type) (captured : W -> G -> R).
Implicit Types (x : nat -> G) (s e t : R).
Definition score w x : 'M[R]_1 := const_mx (search_score (fun i : 'I_held_out => captured w (x i))).
Definition noisy_score s w x := noisy predT (const_mx s) (score w x).

(* liu2022.search-score, the reading of the code *)
Theorem noisy_score_private s e t w x x' : (0 < held_out)%N -> 0 < s -> calibrated e t (held_out%:R^-1 / s) -> replace_one x x' ->
  indist (expR e) t (noisy_score s w x) (noisy_score s w x').
Proof.
move=> h0 s0 cal [i0 same]; have C0 : 0 < held_out%:R^-1 ^+ 2 :> R by rewrite exprn_gt0 // invr_gt0 ltr0n.
apply: (noisy_private_const s0 C0); first by rewrite sqrtr_sqr ger0_norm // invr_ge0 ler0n.
rewrite -(pair_bigA _ (fun i j => (score w x i j - score w x' i j) ^+ 2)) !big_ord1 !mxE -real_normK ?num_real //.
rewrite ler_pXn2r ?nnegrE ?invr_ge0 ?ler0n //; have [lt|le] := ltnP i0 held_out.
  by apply: (@search_score_sensitivity _ _ _ _ (Ordinal lt)) => i ne; rewrite same.
have -> : search_score (fun i : 'I_held_out => captured w (x i)) = search_score (fun i : 'I_held_out => captured w (x' i)).
  rewrite /search_score; congr (_ * _); apply: eq_bigr => i _; rewrite same //.
  by apply: contraTneq le => <-; rewrite -ltnNge.
by rewrite subrr normr0 invr_ge0 ler0n.
Qed.
End Score.

(* The hypotheses can be met: a run and a score are noisy numbers about one bit. *)
Section Examples.
Variable R : realType.
Let D_gt0 : 0 < Num.sqrt (1 : R). Proof. by rewrite sqrtr_gt0 ?exprn_gt0. Qed.
Let t_gt0 : 0 < 1 / 100 :> R. Proof. by lra. Qed.
Let t_lt1 : 1 / 100 < 1 :> R. Proof. by lra. Qed.
Let std : R := classical_std 1 (1 / 100) (Num.sqrt 1).
Let std_gt0 : 0 < std. Proof. exact: classical_std_gt0. Qed.
Let bit (x : nat -> bool) : 'M[R]_1 := const_mx (x 0%N)%:R.
Let ask (i : nat) x : R.-pker 'M[R]_1 ~> 'M[R]_1 := noisy_value std_gt0 (measurable_cst (bit x)) measurable_snd.
Let ask_private i : private_kernel (expR 1) (1 / 100) (ask i).
Proof.
move=> x x' z _; apply: (@noisy_value_indist _ _ _ _ _ _ _ _ _ 1) => //; first exact: classical_gaussian.
by rewrite /sqnorm /dot !big_ord1 !mxE; case: (x 0%N); case: (x' 0%N); rewrite /= ?mulr1n ?mulr0n; lra.
Qed.
Example ask_reads i : reads_first 1 (ask i).
Proof. by move=> x x' z A same mA; apply: noisy_value_same => //; rewrite /= /bit same. Qed.
Let one_le : 1 <= expR 1 :> R. Proof. by rewrite -[leLHS]expR0 ler_expR. Qed.

Example deflation_holds (x x' : nat -> bool) z : replace_one x x' ->
  indist (expR 1) (1 / 100) (deflation 1 4 ask (@idfun 'M[R]_1) x z) (deflation 1 4 ask (@idfun 'M[R]_1) x' z).
Proof. by apply: deflation_private => //; first [exact: measurable_id | exact: ask_reads | exact: ask_private | exact: ltW]. Qed.

Example search_holds (x x' : nat -> bool) z (a t : nat -> R) : (forall i, a i = expR 1) -> (forall i, t i = 1 / 100) -> replace_one x x' ->
  indist (\prod_(i < 4) a i) (\sum_(i < 4) t i) (search 1 ask ask (@idfun 'M[R]_1) 4 x z) (search 1 ask ask (@idfun 'M[R]_1) 4 x' z).
Proof.
move=> ea et nb; apply: (search_private (held_out := 1)) => //; first exact: measurable_id.
all: move=> i; rewrite ?ea ?et; first [exact: ask_reads | exact: one_le | exact: ask_private].
Qed.

Example noisy_score_holds (x x' : nat -> bool) : replace_one x x' -> let s : R := classical_std 1 (1 / 100) 2%:R^-1 in
  indist (expR 1) (1 / 100) (noisy_score 2 (fun (_ : unit) (b : bool) => b%:R) s tt x) (noisy_score 2 (fun (_ : unit) (b : bool) => b%:R) s tt x').
Proof.
move=> nb s; apply: noisy_score_private => //; first by apply: classical_std_gt0; rewrite // invr_gt0.
by apply: classical_gaussian; rewrite // invr_gt0.
Qed.
End Examples.
