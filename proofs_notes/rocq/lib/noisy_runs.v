(* Releases with noise that is not on a grid, alone and one after the other: what is released lies in any measurable space O,
   such as R^m with normal noise. The hypothesis [calibrated_law] says what the noise guarantees.

   In a run the state s holds what was released; the next query and the next state are functions of it. That these
   functions make a probability for every event is asked for ([markov]). *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions mathcomp_extra.
From mathcomp Require Import reals ereal interval_inference topology normedtype sequences esum exp measure numfun measurable_realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral.
From DPPCA.lib Require Import measure adaptive_runs.
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
have partE q (q0 : 0 <= q) c : part q0 c A = (q * (c \in A)%:R)%:E by rewrite /part /= /mscale /= diracE.
by rewrite !partE -EFinD natrD natrM [in RHS]mulrDl mul1r mulrAC [_^-1 * _]mulrC.
Qed.

Lemma coin_total b : coin b setT = 1%E.
Proof. by rewrite coinE !mem_set //= divff // pnatr_eq0. Qed.

Lemma coin_indist b b' : indist 3%:R 0 (coin b) (coin b').
Proof.
move=> A _; rewrite !coinE -EFinM -EFinD lee_fin addr0 mulrA ler_pM2r ?invr_gt0 ?ltr0n // -natrM ler_nat.
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
Let keep_measurable (s : bool) : measurable_fun setT (keep s). Proof. exact: measurable_bits. Qed.

Example calibrated_run_holds near : calibrated_run flip keep_measurable near 2 (3%:R ^+ 2) (0 *+ 2).
Proof. by apply: composition_of_law; [rewrite ler0n | apply: calibrated_law_holds]. Qed.

Example run_computes (s : bool) : run (fun=> coin) 0 [set true] s = (s == true)%:R%:E.
Proof. by rewrite /= indicE; case: s; [rewrite mem_set | rewrite memNset]. Qed.
End Examples.
