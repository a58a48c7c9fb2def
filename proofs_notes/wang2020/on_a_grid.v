(* wang2020: the local Gaussian mechanism (Algorithm 1) and its version for row-sparse subspaces (Algorithm 2) are private as
   corrected: noise for the sensitivity sqrt 2, or the printed noise with twice the variance on the diagonal.

   A client releases the upper triangle of x x^T with noise. The law [release M] of the noisy upper triangle of M is on a
   finite grid T. That its noise is calibrated is the hypothesis [calibrated_noise]: changes of at most sqrt 2 in the
   norm of the upper triangle are (a, d)-private, a = e^epsilon. *)
From mathcomp Require Import all_ssreflect all_algebra.
From DPPCA.lib Require Import discrete squared_norms transcripts.
From DPPCA.primitives Require Import row_changes second_moment.
From DPPCA.wang2020 Require Import client_sensitivity.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Definitions.
Variables (R : realFieldType) (p : nat) (T : finType).

(* wang2020.definition-1: in the local model every two inputs of a client are neighbours; inputs lie in the ball. *)
Definition any_two (x y : 'rV[R]_p) := in_ball x /\ in_ball y.

Variable release : 'M[R]_p -> T -> R.
(* Algorithm 1, line 2. *)
Definition client (x : 'rV[R]_p) : T -> R := release (outer x).
(* Lines 1 to 3: one message per client. *)
Definition messages n (X : 'M[R]_(n, p)) : {ffun 'I_n -> T} -> R := product (fun i => client (row i X)).
(* Algorithm 1: the server averages the messages (line 4) and takes eigenvectors (line 5). *)
Definition local_gaussian_mechanism n (M V : finType) (average : {ffun 'I_n -> T} -> M) (eigenvectors : M -> V) X : V -> R :=
  push (eigenvectors \o average) (messages X).
(* Algorithm 2: between the two the server solves problem (5), by lines 6 to 13 or otherwise. *)
Definition local_gaussian_mechanism_sparse n (M V : finType) (average : {ffun 'I_n -> T} -> M) (fantope : M -> M)
  (eigenvectors : M -> V) X : V -> R := push (eigenvectors \o fantope \o average) (messages X).
End Definitions.

Section Privacy.
Variables (R : realFieldType) (p : nat) (T : finType) (a d : R) (release : 'M[R]_p -> T -> R).

(* wang2020.theorem-2-privacy, wang2020.theorem-4-privacy: a client's message, for every n and p *)
Theorem client_private : calibrated_noise (upper_near 2%:R) a d release ->
  mechanism_dp a d (@any_two R p) (client release).
Proof. by case=> _ H x y [xb yb]; apply: H; apply: client_message. Qed.

(* wang2020.algorithm-1-line-2-diagonal-repair: noise for the repaired norm 1 is enough *)
Theorem client_private_repaired : calibrated_noise (repaired_near 1) a d release ->
  mechanism_dp a d (@any_two R p) (client release).
Proof. by case=> _ H x y [xb yb]; apply: H; apply: repaired_message. Qed.

Hypotheses (laws : is_mechanism release) (private : mechanism_dp a d (@any_two R p) (client release)).

(* wang2020.algorithm-1-lines-4-5-post-processing: all messages together, with any server: one row is replaced *)
Theorem messages_private n : mechanism_dp a d (@replaced R n p) (messages release (n := n)).
Proof.
apply: (mechanism_parallel_composition (S := fun=> 'rV[R]_p) (near := fun=> @any_two R p) (part := fun i X => row i X)
    (M := fun=> client release)) => //.
- by move=> _ x; apply: laws.
- by move=> X X' [uX uX' [i0 same]]; exists i0; first by split; [apply: uX | apply: uX'].
Qed.
End Privacy.

Section Algorithms.
Variables (R : realFieldType) (p n : nat) (T M V : finType) (a d : R) (release : 'M[R]_p -> T -> R).
Variables (average : {ffun 'I_n -> T} -> M) (fantope : M -> M) (eigenvectors : M -> V).

(* wang2020.theorem-2-privacy *)
Theorem algorithm_1_private : calibrated_noise (upper_near 2%:R) a d release ->
  mechanism_dp a d (@replaced R n p) (local_gaussian_mechanism release average eigenvectors).
Proof.
move=> noise; apply: mechanism_post_processing_function; apply: messages_private; first by case: noise.
exact: client_private.
Qed.

(* wang2020.algorithm-1-line-2-diagonal-repair *)
Theorem algorithm_1_private_repaired : calibrated_noise (repaired_near 1) a d release ->
  mechanism_dp a d (@replaced R n p) (local_gaussian_mechanism release average eigenvectors).
Proof.
move=> noise; apply: mechanism_post_processing_function; apply: messages_private; first by case: noise.
exact: client_private_repaired.
Qed.

(* wang2020.theorem-4-privacy, wang2020.algorithm-2-line-2: the noise of Algorithm 1's correction *)
Theorem algorithm_2_private : calibrated_noise (upper_near 2%:R) a d release ->
  mechanism_dp a d (@replaced R n p) (local_gaussian_mechanism_sparse release average fantope eigenvectors).
Proof.
move=> noise; apply: mechanism_post_processing_function; apply: messages_private; first by case: noise.
exact: client_private.
Qed.
End Algorithms.

(* In one dimension noise for the change 1 is enough. *)
(* wang2020.theorem-2-privacy, p = 1 *)
Theorem client_private_line (R : realFieldType) (T : finType) a d (release : 'M[R]_1 -> T -> R) :
  calibrated_noise (upper_near 1) a d release -> mechanism_dp a d (@any_two R 1) (client release).
Proof. by case=> _ H x y [xb yb]; apply: H; apply: client_message_line. Qed.

(* The hypotheses can be met, and the definitions compute: two clients, whose messages are randomised responses. *)
Example algorithm_1_private_holds : mechanism_dp 3%:R 0 (@replaced (rat : realFieldType) 2 2)
  (local_gaussian_mechanism (respond 3%:R (m := 1) (k := 1)) (fun m : {ffun 'I_2 -> bool} => m 0 && m 1) negb).
Proof. by apply: algorithm_1_private; apply: calibrated_noise_holds. Qed.

Example client_computes : client (respond 3%:R (m := 1) (k := 1)) (axis 0 : 'rV[rat]_2) true = 3%:R / 4%:R.
Proof. by rewrite /client /respond outerE !mxE. Qed.

Example messages_compute :
  messages (respond 3%:R (m := 1) (k := 1)) two_rows [ffun=> true] = 3%:R / 4%:R * (1 / 4%:R) :> rat.
Proof. by rewrite /messages /product !big_ord_recl big_ord0 !ffunE /client /respond !outerE !mxE. Qed.

(* A server that ignores the messages: what is left is the probability 1 of its constant answer. *)
Example mechanisms_compute (R : realFieldType) (X : 'M[R]_2) :
  local_gaussian_mechanism_sparse (respond 3%:R (m := 1) (k := 1)) (fun=> true) negb id X false = 1 /\
  local_gaussian_mechanism (respond 3%:R (m := 1) (k := 1)) (fun=> true) negb X false = 1.
Proof.
have [_ one] := law_product (fun i => response_law (ler1n R 3) (0 < outer (row i X) 0 0)).
by split; rewrite -[RHS]one; apply: eq_bigl => m; rewrite eqxx.
Qed.

Example any_two_holds : any_two (axis 0 : 'rV[rat]_2) (axis 1).
Proof. by split; apply: in_ball_axis. Qed.

Example repaired_near_computes : repaired_near 1 (outer (axis 0 : 'rV[rat]_2)) (outer (axis 1)) /\
  ~~ repaired_near (1 / 2%:R) (outer (axis 0 : 'rV[rat]_2)) (outer (axis 1)).
Proof. by rewrite /repaired_near repaired_message_reached. Qed.

Example algorithm_1_private_repaired_holds : mechanism_dp 3%:R 0 (@replaced (rat : realFieldType) 2 2)
  (local_gaussian_mechanism (respond 3%:R (m := 1) (k := 1)) (fun m : {ffun 'I_2 -> bool} => m 0 && m 1) negb).
Proof. by apply: algorithm_1_private_repaired; apply: calibrated_noise_holds. Qed.
