(* The algorithms with noise that is not on a grid: what is released lies in any measurable space O, such as R^m with
   normal noise. The hypothesis [calibrated_law] is the Gaussian mechanism for that noise.

   One release: a client of wang2020, Analyze Gauss, MOD-SULQ. Adaptive releases ([run]): the private power method, private
   Oja in a public order, and Equation (7) of liu2022. The state s holds what was released; the next query and the next
   state are functions of it. That these functions make a probability for every event is asked for ([markov]). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.classical Require Import boolp classical_sets functions mathcomp_extra.
From mathcomp.analysis Require Import reals ereal signed topology normedtype sequences esum exp measure numfun.
From mathcomp.analysis Require Import lebesgue_measure lebesgue_integral.
From DPPCA.lib Require Import measure.
From DPPCA.sensitivity Require Import linear row_changes second_moment clipping counts.
From DPPCA.algorithms Require Import runs.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Releases.
Context d (O : measurableType d) (R : realType).

(* H: calibrated noise. The release of v and that of w are (a, t)-private against each other whenever the noise has to
   cover the change from v to w. For normal noise and |v - w| <= D this is the Gaussian mechanism. *)
Definition calibrated_law (V : Type) (near : V -> V -> Prop) a t (release : V -> {measure set O -> \bar R}) :=
  (forall v, release v setT = 1%E) /\ mechanism_indist a t near release.

(* A release, then the next state. *)
Context d' (S : measurableType d').
Variables (V : Type) (release : V -> {measure set O -> \bar R}) (update : S -> O -> S).
Hypothesis measurable_update : forall s, measurable_fun setT (update s).
Definition release_step (query : S -> V) (s : S) : {measure set S -> \bar R} :=
  [the {measure set S -> \bar R} of pushforward (release (query s)) (measurable_update s)].

Lemma step_private (near : V -> V -> Prop) a t (q q' : S -> V) s : calibrated_law near a t release ->
  near (q s) (q' s) -> indist a t (release_step q s) (release_step q' s).
Proof.
case=> _ H close; have [H1 _] := H _ _ close.
exact: (indist_post_processing_function (measurable_update s) H1).
Qed.

Lemma step_same (q q' : S -> V) s : q s = q' s -> indist 1 0 (release_step q s) (release_step q' s).
Proof. by rewrite /release_step => ->; apply: indist_refl. Qed.

(* H: calibrated composition, for noise that is not on a grid. *)
Definition calibrated_run (near : V -> V -> Prop) n a t := forall q q' : nat -> S -> V,
  (forall i, markov (release_step (q i))) -> (forall i, markov (release_step (q' i))) ->
  (forall i s, near (q i s) (q' i s)) -> forall s A, measurable A ->
  (run (fun i => release_step (q i)) n A s <= a%:E * run (fun i => release_step (q' i)) n A s + t%:E)%E.

(* What holds without it: basic composition. *)
Theorem composition_of_law (near : V -> V -> Prop) n a t : 0 <= a -> calibrated_law near a t release ->
  calibrated_run near n (a ^+ n) (t *+ n).
Proof.
move=> a0 noise q q' mq mq' close s A mA.
have := @run_indist _ S R (fun i => release_step (q i)) (fun i => release_step (q' i)) n (fun=> a) (fun=> t) A s mA mq mq' (fun=> a0).
rewrite prodr_const sumr_const card_ord; apply => i s'; have [H1 _] := proj2 noise _ _ (close i s').
exact: (indist_post_processing_function (measurable_update s') H1).
Qed.
End Releases.

Section OneRelease.
Context d (O : measurableType d) (R : realType) (n p : nat) (a t : R).
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

(* The eigenvectors, or whatever is computed from the noisy matrix. *)
Context d' (V : measurableType d') (eigenvectors : O -> V) (measurable_eigenvectors : measurable_fun setT eigenvectors).

(* dwork2014.algorithm-1-relation *)
Theorem analyze_gauss_indist (X X' : 'M[R]_(n, p)) : calibrated_law (near 2%:R) a t release -> replaced X X' ->
  indist a t (pushforward (release (gram X)) measurable_eigenvectors) (pushforward (release (gram X')) measurable_eigenvectors).
Proof.
case=> _ H nb; apply: indist_post_processing_function; apply: (proj1 (H _ _ _)).
exact: upper_replaced.
Qed.

(* dwork2014.algorithm-1-privacy: the row is removed, or added *)
Theorem analyze_gauss_removed_indist (X : 'M[R]_(n.+1, p)) (X' : 'M[R]_(n, p)) : calibrated_law (near 1) a t release ->
  removed X X' ->
  indist a t (pushforward (release (gram X)) measurable_eigenvectors) (pushforward (release (gram X')) measurable_eigenvectors) /\
  indist a t (pushforward (release (gram X')) measurable_eigenvectors) (pushforward (release (gram X)) measurable_eigenvectors).
Proof. by case=> _ H nb; have [H1 H2] := H _ _ (upper_removed nb); split; apply: indist_post_processing_function. Qed.

(* chaudhuri2013.theorem-1 *)
Theorem mod_sulq_indist (X X' : 'M[R]_(n, p)) : calibrated_law (near (2%:R / n%:R ^+ 2)) a t release -> replaced X X' ->
  indist a t (pushforward (release (mean_gram X)) measurable_eigenvectors)
             (pushforward (release (mean_gram X')) measurable_eigenvectors).
Proof.
case=> _ H nb; apply: indist_post_processing_function; apply: (proj1 (H _ _ _)).
exact: mod_sulq_sensitivity.
Qed.
End OneRelease.

Section PowerMethod.
Context d (O : measurableType d) d' (S : measurableType d') (R : realType) (n p k L : nat) (a t : R).
Variables (release : 'M[R]_(p, k) -> {measure set O -> \bar R}) (update : S -> O -> S) (basis : S -> 'M[R]_(p, k)).
Hypotheses (measurable_update : forall s, measurable_fun setT (update s)) (basis_orthonormal : forall s, orthonormal (basis s)).
Let near D (v w : 'M[R]_(p, k)) := sqnorm (v - w) <= D.

Definition power_step (X : 'M[R]_(n, p)) := release_step release measurable_update (fun s => gram X *m basis s).
Hypothesis power_markov : forall X, markov (power_step X).
Implicit Types X : 'M[R]_(n, p).

(* hardt2014.ppm-relation: each of the L products has the guarantee (a, t) *)
Theorem power_method_indist X X' s A : 0 <= a -> calibrated_law (near 2%:R) a t release -> replaced X X' -> measurable A ->
  (run (fun=> power_step X) L A s <= (a ^+ L)%:E * run (fun=> power_step X') L A s + (t *+ L)%:E)%E.
Proof.
move=> a0 noise nb mA.
have := @run_indist _ S R (fun=> power_step X) (fun=> power_step X') L (fun=> a) (fun=> t) A s mA
  (fun=> power_markov X) (fun=> power_markov X') (fun=> a0).
rewrite prodr_const sumr_const card_ord; apply => _ s'.
by apply: (step_private _ noise); rewrite /near -mulmxBl; apply: basis_replaced.
Qed.

(* hardt2014.ppm-relation: noise for L changes of sqrt 2 *)
Theorem power_method_composed X X' s A : calibrated_run release measurable_update (near 2%:R) L a t -> replaced X X' ->
  measurable A -> (run (fun=> power_step X) L A s <= a%:E * run (fun=> power_step X') L A s + t%:E)%E.
Proof.
move=> H nb mA; apply: (H (fun _ s => gram X *m basis s) (fun _ s => gram X' *m basis s) (fun=> power_markov X) (fun=> power_markov X')) => // _ s'.
by rewrite /near -mulmxBl; apply: basis_replaced.
Qed.
End PowerMethod.

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

(* The hypotheses can be met, and the definitions compute: states and outcomes are bits, a release is a biased coin. *)
Section Examples.
Variable R : realType.

Lemma measurable_bits (f : bool -> bool) : measurable_fun setT f.
Proof. by move=> _ Y mY. Qed.
Lemma measurable_of_bits (f : bool -> \bar R) : measurable_fun setT f.
Proof. by move=> _ Y mY. Qed.

(* The bit b with probability 3/4, the other one with 1/4. *)
Let part (q : R) (q0 : 0 <= q) (b : bool) : {measure set bool -> \bar R} :=
  [the {measure set bool -> \bar R} of mscale (NngNum q0) [the {measure set bool -> \bar R} of dirac b]].
Let three0 : 0 <= 3%:R / 4%:R :> R. Proof. by rewrite divr_ge0 ?ler0n. Qed.
Let one0 : 0 <= 1 / 4%:R :> R. Proof. by rewrite divr_ge0 ?ler0n ?ler01. Qed.
Definition coin (b : bool) : {measure set bool -> \bar R} :=
  [the {measure set bool -> \bar R} of measure_add (part three0 b) (part one0 (~~ b))].

Lemma coinE b (A : set bool) : coin b A = ((3 * (b \in A) + (~~ b \in A))%:R / 4%:R)%:E.
Proof.
transitivity (part three0 b A + part one0 (~~ b) A)%E; first exact: measure_addE.
by rewrite /= /mscale /= !diracE -!EFinM -EFinD natrD natrM mul1r mulrDl mulrAC [_^-1 * _]mulrC.
Qed.

Lemma coin_total b : coin b setT = 1%E.
Proof. by rewrite coinE !mem_set //= divff // pnatr_eq0. Qed.

Lemma coin_indist b b' : indist 3%:R 0 (coin b) (coin b').
Proof.
move=> A _; rewrite !coinE -EFinM -EFinD lee_fin addr0 mulrA ler_pmul2r ?invr_gt0 ?ltr0n // -natrM ler_nat.
by case: b; case: b'; case: (true \in A); case: (false \in A).
Qed.

Definition flip (v : 'M[R]_2) : {measure set bool -> \bar R} := coin (0 < v 0 0).

Example calibrated_law_holds near : calibrated_law near 3%:R 0 flip.
Proof.
by split=> [v|v w _]; [apply: coin_total | split; apply: coin_indist].
Qed.

Lemma markov_bits (K : bool -> {measure set bool -> \bar R}) : (forall s, K s setT = 1%E) -> markov K.
Proof. by move=> K1; split=> // f _ _; apply: measurable_of_bits. Qed.

Let keep (s y : bool) := y.
Let one_at_axis (s : bool) : 'M[R]_2 := 1%:M.
Let keep_measurable (s : bool) : measurable_fun setT (keep s). Proof. exact: measurable_bits. Qed.

Example power_method_holds (X X' : 'M[R]_2) s A : replaced X X' ->
  (run (fun=> power_step flip one_at_axis keep_measurable X) 2 A s <=
   (3%:R ^+ 2)%:E * run (fun=> power_step flip one_at_axis keep_measurable X') 2 A s + (0 *+ 2)%:E)%E.
Proof.
move=> nb; apply: power_method_indist => //; try exact: calibrated_law_holds.
- by move=> s'; rewrite /orthonormal trmx1 mulmx1.
- by move=> Y; apply: markov_bits => s'; apply: coin_total.
Qed.

Example calibrated_run_holds near : calibrated_run flip keep_measurable near 2 (3%:R ^+ 2) (0 *+ 2).
Proof. by apply: composition_of_law; [rewrite ler0n | apply: calibrated_law_holds]. Qed.

Let flip_column (v : 'cV[R]_2) : {measure set bool -> \bar R} := coin (0 < v 0 0).
Let w (s : bool) : 'cV[R]_2 := (axis 0)^T.
Example minibatch_oja_holds (x x' : nat -> 'M[R]_2) i0 s A : differ_at i0 x x' ->
  (run (oja_step 2 1 flip_column w keep_measurable x) 5 A s <=
   3%:R%:E * run (oja_step 2 1 flip_column w keep_measurable x') 5 A s + 0%:E)%E.
Proof.
move=> same; apply: (@minibatch_oja_indist _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ x x' i0) => //; rewrite ?ler01 ?ler1n //.
- by move=> y i; apply: markov_bits => s'; apply: coin_total.
- by split=> [v|v w' _]; [apply: coin_total | split; apply: coin_indist].
Qed.

Example run_computes (s : bool) : run (fun=> coin) 0 [set true] s = (s == true)%:R%:E.
Proof. by rewrite /= indicE; case: s; [rewrite mem_set | rewrite memNset]. Qed.
End Examples.
