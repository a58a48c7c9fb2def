(* wang2020: the local Gaussian mechanism (Algorithm 1) and its version for row-sparse subspaces (Algorithm 2), with their
  normal
   noise, for every p, n, epsilon, delta.

   client s x        line 2: the upper triangle of x x^T, each number with independent noise N(0, s^2)
   messages s X      lines 1 to 3: the messages of all clients, one row each
   bound p           the squared sensitivity of a message: 1 for p = 1, and 2 otherwise
   to_ball x         the row clipped to the unit ball
   The server is any measurable function of the messages: for Algorithm 1 the mean and its eigenvectors (lines 4 and 5), for
   Algorithm 2 the mean, problem (5) and eigenvectors (lines 4 to 13). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp
  measure.
From mathcomp Require Import measurable_realfun.
From mathcomp Require Import lra.
From DPPCA.lib Require Import measure squared_norms gaussian_dp gaussian_run gaussian_calibration gaussian_matrix.
From DPPCA.primitives Require Import row_changes triangle_noise.
From DPPCA.wang2020 Require Import client_sensitivity.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Client.
Context (R : realType) (p : nat).
Implicit Types (x y : 'rV[R]_p) (s e t : R).

Definition client s x : set 'rV[R]_#|upper_place| -> \bar R := noisy_triangle s (outer x).
Definition bound : R := if p == 1%N then 1 else 2.
Definition to_ball x : 'rV[R]_p := if sqnorm x <= 1 then x else (Num.sqrt (sqnorm x))^-1 *: x.

Lemma bound_gt0 : 0 < bound.
Proof. by rewrite /bound; case: ifP; rewrite ?ltr01 ?ltr0n. Qed.

Lemma in_to_ball x : in_ball (to_ball x).
Proof.
rewrite /to_ball /in_ball; case: ifP => // /negbT; rewrite -ltNge => x1; have x0 := lt_trans ltr01 x1.
by rewrite sqnormZ exprVn sqr_sqrtr ?(ltW x0) // mulVf // gt_eqF.
Qed.

(* wang2020.algorithm-1-line-2-sensitivity *)
Lemma message_change x y : in_ball x -> in_ball y -> upper_sqnorm (outer x - outer y) <= bound.
Proof.
rewrite /bound; case: eqP => [p1|_]; last exact: client_message.
by move: x y; rewrite p1; exact: client_message_line.
Qed.

(* wang2020.theorem-2-privacy: noise for the sensitivity sqrt 2, or 1 if p = 1, by the analytic condition *)
Theorem client_private s e t x y : 0 < s -> calibrated e t (Num.sqrt bound / s) -> in_ball x -> in_ball y ->
  indist (expR e) t (client s x) (client s y).
Proof. by move=> s0 cal xb yb; apply: (triangle_private s0 bound_gt0 cal); exact: message_change. Qed.

(* wang2020.algorithm-1-input-norm: every client clips its row *)
Theorem clipped_client_private s e t x y : 0 < s -> calibrated e t (Num.sqrt bound / s) ->
  indist (expR e) t (client s (to_ball x)) (client s (to_ball y)).
Proof. by move=> s0 cal; apply: client_private => //; exact: in_to_ball. Qed.

(* wang2020.algorithm-1-line-2-formula: for epsilon <= 1 the classical formula with the right sensitivity *)
Theorem client_private_classical e t x y : 0 < e -> e <= 1 -> 0 < t -> t < 1 -> in_ball x -> in_ball y ->
  indist (expR e) t (client (classical_std e t (Num.sqrt bound)) x) (client (classical_std e t (Num.sqrt bound)) y).
Proof.
move=> e0 e1 t0 t1; have b0 : 0 < Num.sqrt bound by rewrite sqrtr_gt0 bound_gt0.
by apply: client_private; [exact: classical_std_gt0 | exact: classical_gaussian].
Qed.

(* wang2020.algorithm-1-line-2-classical-repair: twice the printed variance, for epsilon <= 1 *)
Theorem client_private_doubled s e t x y : 0 < e -> e <= 1 -> 0 < t -> t < 1 -> 0 < s -> s ^+ 2 = 2 * classical_std e t 1 ^+
  2 ->
  in_ball x -> in_ball y -> indist (expR e) t (client s x) (client s y).
Proof.
move=> e0 e1 t0 t1 s0 s2; have c0 := classical_std_gt0 e0 t0 t1 ltr01; apply: client_private => //.
have -> : s = Num.sqrt 2 * classical_std e t 1.
  rewrite -[LHS]gtr0_norm // -sqrtr_sqr s2 sqrtrM // sqrtr_sqr gtr0_norm //.
have r2 : 0 < Num.sqrt 2 :> R by rewrite sqrtr_gt0.
apply: (@calibrated_monotone R e t _ (1 / classical_std e t 1)); last exact: classical_gaussian.
  by apply: divr_gt0; [rewrite sqrtr_gt0 bound_gt0 | exact: mulr_gt0].
rewrite invfM mulrA ler_wpM2r ?invr_ge0 ?(ltW c0) // ler_pdivrMr // mul1r; apply: ler_wsqrtr.
by rewrite /bound; case: ifP; rewrite // ler1n.
Qed.

(* The printed noise with twice the variance on the diagonal. *)
Definition repaired_std s : 'rV[R]_#|upper_place| :=
  \row_k (if (enum_val k : 'I_p * 'I_p).1 == (enum_val k).2 then Num.sqrt 2 * s else s).
Definition repaired_client s x : set 'rV[R]_#|upper_place| -> \bar R := noisy predT (repaired_std s) (upper_part (outer x)).

(* wang2020.algorithm-1-line-2-diagonal-repair *)
Theorem repaired_client_private e t x y : 0 < e -> e <= 1 -> 0 < t -> t < 1 -> in_ball x -> in_ball y ->
  indist (expR e) t (repaired_client (classical_std e t 1) x) (repaired_client (classical_std e t 1) y).
Proof.
move=> e0 e1 t0 t1 xb yb; have c0 := classical_std_gt0 e0 t0 t1 ltr01; set s := classical_std e t 1 in c0 *.
have r2 : 0 < Num.sqrt 2 :> R by rewrite sqrtr_gt0.
apply: (@noisy_private R _ _ predT (repaired_std s) _ _ (1 / s)).
- by move=> i k; rewrite mxE; case: ifP => _ //; rewrite mulr_gt0.
- by rewrite divr_gt0.
- exact: classical_gaussian.
rewrite -(pair_bigA _ (fun i k => ((upper_part (outer x) i k - upper_part (outer y) i k) / repaired_std s i k) ^+ 2))
  big_ord1 /=.
pose D := outer x - outer y.
rewrite (eq_bigr (fun k => (D (enum_val k).1 (enum_val k).2 / (if (enum_val k : 'I_p * 'I_p).1 == (enum_val k).2 then
  Num.sqrt 2 * s else s)) ^+ 2)) => [|k _]; last by rewrite !mxE.
rewrite (sum_upper_place (fun ij => (D ij.1 ij.2 / (if ij.1 == ij.2 then Num.sqrt 2 * s else s)) ^+ 2)) /=.
have -> : \sum_(i < p) \sum_(j < p | (i <= j)%N) (D i j / (if i == j then Num.sqrt 2 * s else s)) ^+ 2 = repaired_sqnorm D /
  s ^+ 2.
  rewrite /repaired_sqnorm mulr_suml; apply: eq_bigr => i _; rewrite (bigD1 i) //= eqxx expr_div_n exprMn sqr_sqrtr ?ler0n //.
  rewrite [RHS]mulrDl mulr_suml invfM mulrA; congr (_ + _); apply: eq_big => [j|j /andP[_ ji]].
    by rewrite ltn_neqAle andbC eq_sym.
  by rewrite eq_sym (negPf ji) expr_div_n.
rewrite div1r exprVn -[leRHS]mul1r; apply: ler_wpM2r; first by rewrite invr_ge0 sqr_ge0.
exact: repaired_message.
Qed.
End Client.

(* wang2020.algorithm-1-input-norm: to refuse rows outside of the ball is not private, as the refusal is seen *)
Theorem refusal_not_private d (S : measurableType d) (R : realType) p (M : 'rV[R]_p -> set S -> \bar R) (refused : set S) (a
  t : R) x y :
  measurable refused -> (forall z, M z refused = if sqnorm z <= 1 then 0%E else 1%E) ->
  1 < sqnorm x -> sqnorm y <= 1 -> indist a t (M x) (M y) -> 1 <= t.
Proof.
move=> mr law; rewrite ltNge => /negPf x1 y1 H; have := H _ mr.
by rewrite !law x1 y1 mule0 add0e lee_fin.
Qed.

Section Algorithms.
Context (R : realType) (n p : nat).
Implicit Types (X : 'M[R]_(n, p)) (s e t : R).

Definition messages s X : set 'M[R]_(n, #|@upper_place p|) -> \bar R :=
  noisy predT (const_mx s) (\matrix_(i, k) upper_part (outer (row i X)) 0 k).

(* Only the message of the row that is replaced changes. *)
Lemma messages_change X X' : replaced X X' ->
  \sum_(ik : 'I_n * 'I_#|@upper_place p|) ((\matrix_(i, k) upper_part (outer (row i X)) 0 k) ik.1 ik.2 -
    (\matrix_(i, k) upper_part (outer (row i X')) 0 k) ik.1 ik.2) ^+ 2 <= bound R p.
Proof.
move=> [uX uX' [i0 same]].
rewrite -(pair_bigA _ (fun i k => ((\matrix_(i, k) upper_part (outer (row i X)) 0 k) i k -
  (\matrix_(i, k) upper_part (outer (row i X')) 0 k) i k) ^+ 2)) (bigD1 i0) //= [X in _ + X]big1 ?addr0; last first.
  by move=> i ne; rewrite big1 // => k _; rewrite 2!mxE same // subrr expr0n.
apply: le_trans (message_change (uX i0) (uX' i0)); rewrite -triangle_change.
rewrite -(pair_bigA _ (fun i k => (upper_part (outer (row i0 X)) i k - upper_part (outer (row i0 X')) i k) ^+ 2)) big_ord1 /=.
by rewrite le_eqVlt; apply/orP; left; apply/eqP; apply: eq_bigr => k _; rewrite 2!mxE.
Qed.

(* wang2020.algorithm-1-lines-4-5-post-processing, wang2020.theorem-2-privacy, wang2020.theorem-4-privacy: all messages
  together,
   and whatever a server makes of them *)
Theorem messages_private s e t X X' : 0 < s -> calibrated e t (Num.sqrt (bound R p) / s) -> replaced X X' ->
  indist (expR e) t (messages s X) (messages s X').
Proof. by move=> s0 cal nb; apply: (noisy_private_const s0 (bound_gt0 R p) cal); exact: messages_change. Qed.

Context d (V : measurableType d) (server : 'M[R]_(n, #|@upper_place p|) -> V) (measurable_server : measurable_fun setT server).

Definition local_gaussian_mechanism s X (B : set V) := messages s X (server @^-1` B).

(* wang2020.theorem-2-privacy, wang2020.theorem-4-privacy *)
Theorem algorithms_private s e t X X' : 0 < s -> calibrated e t (Num.sqrt (bound R p) / s) -> replaced X X' ->
  indist (expR e) t (local_gaussian_mechanism s X) (local_gaussian_mechanism s X').
Proof. by move=> s0 cal nb; apply: indist_image => //; exact: messages_private. Qed.

(* wang2020.theorem-4-privacy: rows clipped by the clients, of two data sets of any rows that differ in one *)
Definition clip_rows X : 'M[R]_(n, p) := \matrix_(i, j) to_ball (row i X) 0 j.

Lemma row_clip_rows X i : row i (clip_rows X) = to_ball (row i X).
Proof. by apply/rowP => j; rewrite !mxE. Qed.

Theorem clipped_algorithms_private s e t X X' i0 : 0 < s -> calibrated e t (Num.sqrt (bound R p) / s) ->
  (forall i, i != i0 -> row i X = row i X') ->
  indist (expR e) t (local_gaussian_mechanism s (clip_rows X)) (local_gaussian_mechanism s (clip_rows X')).
Proof.
move=> s0 cal same; apply: algorithms_private => //; split=> [i|i|]; try by rewrite row_clip_rows; exact: in_to_ball.
by exists i0 => i ne; rewrite !row_clip_rows same.
Qed.

(* wang2020.algorithm-1-lines-4-5-post-processing: the law of the output depends on the data through that of the messages *)
Theorem output_from_messages s X X' : (forall A, measurable A -> messages s X A = messages s X' A) ->
  forall B, measurable B -> local_gaussian_mechanism s X B = local_gaussian_mechanism s X' B.
Proof.
move=> same B mB; apply: same; rewrite -[X in measurable X]setTI; exact: measurable_server.
Qed.
End Algorithms.

Example bound_computes (R : realType) : bound R 1 = 1 /\ bound R 2 = 2.
Proof. by []. Qed.
Example clip_rows_computes (R : realType) : clip_rows (0 : 'M[R]_(1, 2)) = 0.
Proof.
apply/matrixP => i j; rewrite mxE (_ : row i 0 = 0); last by apply/rowP => l; rewrite !mxE.
by rewrite /to_ball sqnorm0 ler01 !mxE.
Qed.
Example to_ball_computes (R : realType) : to_ball (0 : 'rV[R]_2) = 0.
Proof. by rewrite /to_ball sqnorm0 ler01. Qed.
