(* wang2020 with noise that is not on a grid: all clients, and the server. Outcomes of a release lie in any measurable space O,
   such as the upper triangles with normal noise; on_a_grid.v is the same for a finite grid.

   Client i releases its message, and the server takes it in: [receive i s y] is what the server holds after the message y of
   client i, if it held s before. S can be the list of all messages, or their sum. What it shows in the end is a function of
   what it holds. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions mathcomp_extra.
From mathcomp Require Import reals ereal interval_inference topology normedtype sequences esum exp measure numfun measurable_realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral.
From DPPCA.lib Require Import measure squared_norms adaptive_runs noisy_runs.
From DPPCA.primitives Require Import row_changes second_moment.
From DPPCA.wang2020 Require Import client_sensitivity.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section OneMessage.
Context d (O : measurableType d) (R : realType) (p : nat) (a t : R).
Variable release : 'M[R]_p -> {measure set O -> \bar R}.
Let near D (M N : 'M[R]_p) := upper_sqnorm (M - N) <= D.

(* wang2020.theorem-2-privacy, wang2020.theorem-4-privacy: a client's message *)
Theorem client_indist (x y : 'rV[R]_p) : calibrated_law (near 2%:R) a t release -> in_ball x -> in_ball y ->
  indist a t (release (outer x)) (release (outer y)).
Proof. by case=> _ H xb yb; apply: (proj1 (H _ _ _)); apply: client_message. Qed.

(* wang2020.algorithm-1-line-2-diagonal-repair *)
Theorem client_indist_repaired (x y : 'rV[R]_p) : calibrated_law (fun M N => repaired_sqnorm (M - N) <= 1) a t release ->
  in_ball x -> in_ball y -> indist a t (release (outer x)) (release (outer y)).
Proof. by case=> _ H xb yb; apply: (proj1 (H _ _ _)); apply: repaired_message. Qed.
End OneMessage.

Section Clients.
Context d (O : measurableType d) d' (S : measurableType d') d'' (V : measurableType d'').
Variables (R : realType) (n p : nat) (release : 'M[R]_p -> {measure set O -> \bar R}) (receive : nat -> S -> O -> S).
Hypothesis measurable_receive : forall i s, measurable_fun setT (receive i s).
Implicit Types X : 'M[R]_(n, p).

Definition client_row X (i : nat) : 'rV[R]_p := if insub i is Some i' then row i' X else 0.
(* Lines 1 to 3: the message of client i, and what the server holds after it. *)
Definition client_step X i := release_step release (measurable_receive i) (fun=> outer (client_row X i)).
(* The probability that the server shows a value in B, if it began with s. *)
Definition shown X (answer : S -> V) (s : S) (B : set V) := run (client_step X) n (answer @^-1` B) s.

Hypothesis client_markov : forall X i, markov (client_step X i).
Variables (a t : R) (s : S).

(* wang2020.algorithm-1-lines-4-5-post-processing: if each client's message is private, all are, with any server *)
Theorem clients_indist X X' (answer : S -> V) : 1 <= a -> measurable_fun setT answer ->
  (forall x y : 'rV[R]_p, in_ball x -> in_ball y -> indist a t (release (outer x)) (release (outer y))) ->
  replaced X X' -> indist a t (shown X answer s) (shown X' answer s).
Proof.
move=> a1 mf private [uX uX' [i0 same]] B mB; have mA : measurable (answer @^-1` B) by rewrite -[_ @^-1` _]setTI; apply: mf.
have at_row Y (i : 'I_n) : client_row Y i = row i Y by rewrite /client_row valK.
have H := private _ _ (uX i0) (uX' i0).
apply: (@run_parallel _ S R (client_step X) (client_step X') n i0 a t _ s mA (client_markov X) (client_markov X') a1 (indist_ge0 H)) => [i s' ne|s'].
  rewrite /client_step (_ : client_row X i = client_row X' i); first exact: indist_refl.
  rewrite /client_row; case: insubP => // i' _ ii; apply: same; apply: contra ne => /eqP <-.
  by rewrite ii.
by rewrite /client_step !at_row; apply: (indist_post_processing_function (measurable_receive i0 s') H).
Qed.
End Clients.

Section Algorithms.
Context d (O : measurableType d) d' (S : measurableType d') d1 (M : measurableType d1) d2 (V : measurableType d2).
Variables (R : realType) (n p : nat) (release : 'M[R]_p -> {measure set O -> \bar R}) (receive : nat -> S -> O -> S).
Hypothesis measurable_receive : forall i s, measurable_fun setT (receive i s).
Hypothesis client_markov : forall (X : 'M[R]_(n, p)) i, markov (client_step release measurable_receive X i).
Variables (average : S -> M) (fantope : M -> M) (eigenvectors : M -> V).
Hypotheses (measurable_average : measurable_fun setT average) (measurable_fantope : measurable_fun setT fantope).
Hypothesis measurable_eigenvectors : measurable_fun setT eigenvectors.
Variables (a t : R) (s : S) (X X' : 'M[R]_(n, p)).
Hypotheses (a_ge1 : 1 <= a) (XX' : replaced X X').
Let near D (A B : 'M[R]_p) := upper_sqnorm (A - B) <= D.
Let repaired_near D (A B : 'M[R]_p) := repaired_sqnorm (A - B) <= D.

(* wang2020.theorem-2-privacy: Algorithm 1 with noise for the sensitivity sqrt 2 *)
Theorem algorithm_1_indist : calibrated_law (near 2%:R) a t release ->
  indist a t (shown release measurable_receive X (eigenvectors \o average) s) (shown release measurable_receive X' (eigenvectors \o average) s).
Proof.
move=> noise; apply: clients_indist => //; first exact: measurableT_comp.
by move=> x y; apply: client_indist.
Qed.

(* wang2020.algorithm-1-line-2-diagonal-repair: with the diagonal's variance doubled *)
Theorem algorithm_1_indist_repaired : calibrated_law (repaired_near 1) a t release ->
  indist a t (shown release measurable_receive X (eigenvectors \o average) s) (shown release measurable_receive X' (eigenvectors \o average) s).
Proof.
move=> noise; apply: clients_indist => //; first exact: measurableT_comp.
by move=> x y; apply: client_indist_repaired.
Qed.

(* wang2020.theorem-4-privacy, wang2020.algorithm-2-line-2 *)
Theorem algorithm_2_indist : calibrated_law (near 2%:R) a t release ->
  indist a t (shown release measurable_receive X (eigenvectors \o (fantope \o average)) s)
             (shown release measurable_receive X' (eigenvectors \o (fantope \o average)) s).
Proof.
move=> noise; apply: clients_indist => //; last by move=> x y; apply: client_indist.
by do 2 (apply: measurableT_comp => //).
Qed.

(* The same with the repaired diagonal. *)
Theorem algorithm_2_indist_repaired : calibrated_law (repaired_near 1) a t release ->
  indist a t (shown release measurable_receive X (eigenvectors \o (fantope \o average)) s)
             (shown release measurable_receive X' (eigenvectors \o (fantope \o average)) s).
Proof.
move=> noise; apply: clients_indist => //; last by move=> x y; apply: client_indist_repaired.
by do 2 (apply: measurableT_comp => //).
Qed.
End Algorithms.

(* The hypotheses can be met, and the definitions compute: a message is a biased coin, the server counts those that are true. *)
Section Examples.
Variable R : realType.
Let count (i s : nat) (y : bool) : nat := (s + y)%N.
Let measurable_count i s : measurable_fun setT (count i s).
Proof. by move=> _ Y mY. Qed.

Let count_markov (X : 'M[R]_2) i : markov (client_step (@flip R) measurable_count X i).
Proof. by split=> [s|f _ _ _ Y mY //]; apply: coin_total. Qed.

Example algorithm_2_indist_holds (X X' : 'M[R]_2) : replaced X X' ->
  indist 3%:R 0 (shown (@flip R) measurable_count X (id \o (id \o id)) 0%N)
                (shown (@flip R) measurable_count X' (id \o (id \o id)) 0%N).
Proof.
move=> nb; apply: algorithm_2_indist => //; try exact: measurable_id; last exact: calibrated_law_holds.
by rewrite -[1]/(1%:R) ler_nat.
Qed.

Example client_row_computes : client_row (1%:M : 'M[R]_2) 1 = axis 1 /\ client_row (1%:M : 'M[R]_2) 2 = 0.
Proof.
split; last by rewrite /client_row insubN.
by rewrite /client_row (valK (1 : 'I_2)) row1.
Qed.
End Examples.
