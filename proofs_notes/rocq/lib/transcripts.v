(* Adaptive releases whose guarantees differ from step to step, and what the algorithms assume about their noise.

   An algorithm is a sequence of releases: [transcript n K] is the law of n outcomes, where K s is the law of the next one
   after the outcomes s. Whatever is computed from the outcomes is post-processing ([push]). Outcomes lie on a finite grid,
   as they do on a computer; a factor a stands for e^epsilon.

   The noise enters by hypotheses that say what its calibration guarantees: they are the definitions below, and each theorem
   names those that it uses. *)
From mathcomp Require Import all_ssreflect fingroup perm all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import discrete squared_norms neighbours.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Steps.
Variables (R : realFieldType) (T : finType).
Implicit Types K L : seq T -> T -> R.

Lemma transcript_push n K : transcript n.+1 K =1
  push (fun z : T * n.-tuple T => [tuple of z.1 :: z.2]) (joint (K [::]) (fun x => transcript n (fun s => K (x :: s)))).
Proof.
move=> t; rewrite /push (big_pred1 (thead t, [tuple of behead t])) /=.
  rewrite /joint [RHS]/= -(transcript_cons K (thead t) [tuple of behead t]); congr (transcript _ _ _).
  by rewrite [LHS]tuple_eta; apply: val_inj.
move=> [x u]; rewrite /= eq_sym; apply/eqP/eqP => [->|[-> ->]]; last exact: tuple_eta.
by rewrite theadE; congr (_, _); apply: val_inj.
Qed.

(* Basic adaptive composition: step i has the guarantee (a i, d i). *)
Theorem dp_transcript_steps n (a d : nat -> R) K L : (forall s, law (K s)) -> (forall s, law (L s)) ->
  (forall i, 0 <= a i) -> (forall s, dp (a (size s)) (d (size s)) (K s) (L s)) ->
  dp (\prod_(i < n) a i) (\sum_(i < n) d i) (transcript n K) (transcript n L).
Proof.
elim: n a d K L => [|n IH] a d K L lK lL a0 H.
  rewrite !big_ord0; apply: dp_eq (dp_refl _) => // t.
  by rewrite /transcript !big_ord0.
apply: dp_eq (fsym (@transcript_push n K)) (fsym (@transcript_push n L)) _; apply: dp_post_processing_function.
rewrite !big_ord_recl; apply: dp_adaptive_composition => //.
- by move=> x; apply: law_transcript.
- by move=> x; apply: law_transcript.
- by apply: prodr_ge0.
- exact: (H [::]).
- by move=> x; refine (IH (fun i => a i.+1) (fun i => d i.+1) _ _ _ _ _ _) => // s; apply: (H (x :: s)).
Qed.

(* Parallel composition: only step i0 depends on what changes, and it pays alone. *)
Theorem dp_transcript_parallel n i0 a d K L : (forall s, law (K s)) -> (forall s, law (L s)) -> 1 <= a -> 0 <= d ->
  (forall s, size s != i0 -> K s =1 L s) -> (forall s, size s = i0 -> dp a d (K s) (L s)) ->
  dp a d (transcript n K) (transcript n L).
Proof.
move=> lK lL a1 d0 same H; have a0 : 0 <= a by apply: le_trans ler01 a1.
have steps := @dp_transcript_steps n (fun i => if i == i0 then a else 1) (fun i => if i == i0 then d else 0) K L lK lL.
apply: dp_monotone (steps _ _); first exact: law_transcript.
- have [lt|le] := ltnP i0 n; last by rewrite big1 // => i _; case: eqP => // e; move: (ltn_ord i); rewrite e ltnNge le.
  rewrite (bigD1 (Ordinal lt)) //= eqxx big1 ?mulr1 // => i ne; case: eqP => // e.
  by case/eqP: ne; apply: val_inj.
- have [lt|le] := ltnP i0 n; last by rewrite big1 // => i _; case: eqP => // e; move: (ltn_ord i); rewrite e ltnNge le.
  rewrite (bigD1 (Ordinal lt)) //= eqxx big1 ?addr0 // => i ne; case: eqP => // e.
  by case/eqP: ne; apply: val_inj.
- by move=> i; case: ifP => // _; apply: ler01.
- move=> s; case: eqP => [e|/eqP ne]; first exact: H.
  by apply: dp_eq (dp_refl (K s)) => //; apply: same.
Qed.

End Steps.

Section Hypotheses.
Variables (R : realFieldType) (T : finType).

(* What is released is a value v with noise; [near v w] says that the noise has to cover the change from v to w. *)
Section Noise.
Variables (V : Type) (near : V -> V -> Prop).

(* H: calibrated noise. One release is private for every change that the noise has to cover. For Gaussian noise and
   near v w := |v - w| <= D this is the Gaussian mechanism, with standard deviation analytic_std(epsilon, delta, D). *)
Definition calibrated_noise a d (release : V -> T -> R) :=
  is_mechanism release /\ mechanism_dp a d near release.

(* H: calibrated composition. The n releases of any adaptive queries are private together if no query moves by more
   than the noise has to cover. For Gaussian noise this is primitives.gaussian-composition with the analytic calibration. *)
Definition calibrated_composition n a d (release : V -> T -> R) := is_mechanism release /\
  forall q q' : seq T -> V, (forall s, near (q s) (q' s)) ->
  dp a d (transcript n (fun s => release (q s))) (transcript n (fun s => release (q' s))).
End Noise.

(* The law of a release about a record drawn uniformly among n + 1, the draw hidden. *)
Definition hidden_draw n (U : finType) (release : 'I_n.+1 -> U -> R) : U -> R := mixture (fun=> n.+1%:R^-1) release.

(* H: the account of subsampled releases. Each step releases g s i for a hidden uniform index i; the two data sets
   differ in the values of one index, and any two values that occur are at most [near]. The account of DP-SPCA. *)
Definition subsampled_account (V : Type) (near : V -> V -> Prop) n steps a d (release : V -> T -> R) := is_mechanism release /\
  forall (g g' : seq T -> 'I_n.+1 -> V) i0, (forall s i, i != i0 -> g s i = g' s i) ->
  (forall s i j, near (g s i) (g' s j)) ->
  dp a d (transcript steps (fun s => hidden_draw (fun i => release (g s i))))
         (transcript steps (fun s => hidden_draw (fun i => release (g' s i)))).

(* H: the account of subsampled releases with a part that is not subsampled. The value is g s i + f s. The account
   of DP-VRPCA. *)
Definition shifted_account m k (drawn full : R) n steps a d (release : 'M[R]_(m, k) -> T -> R) := is_mechanism release /\
  forall (g g' : seq T -> 'I_n.+1 -> 'M[R]_(m, k)) (f f' : seq T -> 'M[R]_(m, k)) i0,
  (forall s i, i != i0 -> g s i = g' s i) -> (forall s i j, sqnorm (g s i - g' s j) <= drawn) ->
  (forall s, sqnorm (f s - f' s) <= full) ->
  dp a d (transcript steps (fun s => hidden_draw (fun i => release (g s i + f s))))
         (transcript steps (fun s => hidden_draw (fun i => release (g' s i + f' s)))).

(* The records in another order: of the first n places, place t holds the record order t. *)
Definition reordered (G : Type) n (order : {perm 'I_n}) (x : nat -> G) t :=
  x (if insub t is Some i then val (order i) else t).

(* The law of n releases about the records in a uniform hidden order; each may depend on those before it. *)
Definition shuffled (G : Type) n (randomiser : seq T -> G -> T -> R) (x : nat -> G) : n.-tuple T -> R :=
  mixture (fun=> #|{perm 'I_n}|%:R^-1)
    (fun order : {perm 'I_n} => transcript n (fun s => randomiser s (reordered order x (size s)))).

Arguments shuffled {G} n randomiser x t.

(* H: amplification by shuffling (liu2022.theorem-d.1): n local randomisers with (a0, d0) are (a, d)-private in a hidden
   uniform order. *)
Definition amplification (G : Type) n a0 d0 a d := forall randomiser : seq T -> G -> T -> R,
  (forall s r, law (randomiser s r)) -> (forall s r r', dp a0 d0 (randomiser s r) (randomiser s r')) ->
  mechanism_dp a d (@replace_one G) (shuffled n randomiser).

End Hypotheses.
Arguments shuffled {R T G} n randomiser x t.

(* What holds without any of these: basic composition, no gain from hidden draws but in delta, none from a hidden order. *)
Section Basic.
Variables (R : realFieldType) (T : finType).

Lemma law_uniform (I : finType) : (0 < #|I|)%N -> law (fun _ : I => #|I|%:R^-1 : R).
Proof.
move=> I0; split=> [i|]; first by rewrite invr_ge0 ler0n.
by rewrite sumr_const -(mulr_natl (_^-1)) divff // pnatr_eq0 -lt0n.
Qed.

Lemma law_hidden_draw n (release : 'I_n.+1 -> T -> R) : (forall i, law (release i)) -> law (hidden_draw release).
Proof. by move=> l; apply: law_mixture => //; have := @law_uniform ('I_n.+1); rewrite card_ord; apply. Qed.

(* A record that is drawn with probability 1 / (n + 1) costs the n + 1-st part of delta. *)
Theorem hidden_draw_private n a d (release release' : 'I_n.+1 -> T -> R) i0 : (forall i, law (release i)) -> 1 <= a ->
  (forall i, i != i0 -> release i = release' i) -> dp a d (release i0) (release' i0) ->
  dp a (d / n.+1%:R) (hidden_draw release) (hidden_draw release').
Proof.
move=> l a1 same H.
have -> : d / n.+1%:R = mean (fun=> n.+1%:R^-1) (fun i => if i == i0 then d else 0).
  rewrite /mean (bigD1 i0) //= eqxx big1 ?addr0 ?[d * _]mulrC // => i /negPf ->.
  by rewrite mulr0.
apply: dp_mixture => [i|i]; first by rewrite invr_ge0 ler0n.
case: eqP => [->//|/eqP ne]; rewrite -(same i ne).
by apply: dp_monotone (dp_refl _).
Qed.

Theorem composition_of_noise V (near : V -> V -> Prop) n a d (release : V -> T -> R) : 0 <= a ->
  calibrated_noise near a d release -> calibrated_composition near n (a ^+ n) (d *+ n) release.
Proof.
move=> a0 [l H]; split=> // q q' close; apply: dp_transcript => // s.
by have [] := H _ _ (close s).
Qed.

Theorem account_of_noise V (near : V -> V -> Prop) n steps a d (release : V -> T -> R) : 1 <= a ->
  calibrated_noise near a d release ->
  subsampled_account near n steps (a ^+ steps) (d / n.+1%:R *+ steps) release.
Proof.
move=> a1 [l H]; split=> // g g' i0 same close; apply: dp_transcript; try by move=> s; apply: law_hidden_draw.
  by apply: le_trans ler01 a1.
move=> s; apply: (hidden_draw_private (i0 := i0)) => // [i ne|]; first by rewrite same.
by have [] := H _ _ (close s i0 i0).
Qed.

Lemma law_shuffled (G : Type) n (randomiser : seq T -> G -> T -> R) x : (forall s r, law (randomiser s r)) ->
  law (shuffled n randomiser x).
Proof.
move=> l; apply: law_mixture => [|order]; last by apply: law_transcript.
by apply: law_uniform; apply/card_gt0P; exists 1%g.
Qed.

Lemma reordered_differ (G : Type) n (order : {perm 'I_n}) (x x' : nat -> G) i0 : differ_at i0 x x' ->
  exists t0, differ_at t0 (reordered order x) (reordered order x').
Proof.
move=> same; have [lt|le] := ltnP i0 n; last first.
  exists i0 => t ne; rewrite /reordered; case: insubP => [i _ _|_]; apply: same => //.
  by apply/eqP => e; move: (ltn_ord (order i)); rewrite e ltnNge le.
exists (val (perm_inv order (Ordinal lt))) => t ne; rewrite /reordered; case: insubP => [i _ et|nt]; apply: same.
  apply: contra ne => /eqP e; rewrite -et; apply/eqP; congr val; apply: (@perm_inj _ order).
  by rewrite permKV; apply: val_inj.
by apply/eqP => e; move: nt; rewrite e lt.
Qed.

(* liu2022.no-shuffle-noise: a record takes part in one of the n releases, which pays alone, whatever the order. *)
Theorem shuffled_private (G : Type) n a d (randomiser : seq T -> G -> T -> R) : 1 <= a -> 0 <= d ->
  (forall s r, law (randomiser s r)) -> (forall s r r', dp a d (randomiser s r) (randomiser s r')) ->
  mechanism_dp a d (@replace_one G) (shuffled n randomiser).
Proof.
move=> a1 d0 l H x x' nb; suff one (y y' : nat -> G) : replace_one y y' -> dp a d (shuffled n randomiser y) (shuffled n randomiser y').
  by split; apply: one => //; apply: replace_one_sym.
case=> i0 same; have w0 : (0 < #|{perm 'I_n}|)%N by apply/card_gt0P; exists 1%g.
have -> : d = mean (fun=> #|{perm 'I_n}|%:R^-1) (fun _ : {perm 'I_n} => d).
  by rewrite /mean -mulr_suml (law_sum (law_uniform w0)) mul1r.
apply: dp_mixture => [order|order]; first by rewrite invr_ge0 ler0n.
have [t0 st] := reordered_differ order same.
apply: (dp_transcript_parallel (i0 := t0)) => // s ne y0; by rewrite st.
Qed.

End Basic.

(* Every hypothesis can be met: by randomised response about whether the first entry is positive. *)
Section Examples.
Variables (R : realFieldType) (a : R).
Hypothesis a1 : 1 <= a.
Definition response (b y : bool) : R := (if y == b then a else 1) / (1 + a).

Lemma response_law b : law (response b).
Proof.
have a0 : 0 < 1 + a by rewrite ltr_wpDr ?ltr01 // (le_trans ler01).
split=> [y|]; first by rewrite divr_ge0 ?(ltW a0) //; case: ifP => _; rewrite ?ler01 ?(le_trans ler01).
rewrite /response -mulr_suml big_bool; have n0 : 1 + a != 0 by rewrite lt0r_neq0.
by case: b; rewrite /= ?[a + 1]addrC divff.
Qed.

Lemma response_dp b b' : dp a 0 (response b) (response b').
Proof.
have a0 : 0 < 1 + a by rewrite ltr_wpDr ?ltr01 // (le_trans ler01).
have aa : a <= a * a by rewrite ler_pMr // (lt_le_trans ltr01).
apply/dp_pure => y; rewrite /response mulrA ler_pM2r ?invr_gt0 //.
by case: (y == b); case: (y == b'); rewrite ?mulr1 // (le_trans a1).
Qed.

Variables (m k : nat).
Definition respond (v : 'M[R]_(m.+1, k.+1)) : bool -> R := response (0 < v 0 0).

Example calibrated_noise_holds near : calibrated_noise near a 0 respond.
Proof. by split=> [v|v w _]; [apply: response_law | split; apply: response_dp]. Qed.

Example calibrated_composition_holds near n : calibrated_composition near n (a ^+ n) 0 respond.
Proof.
rewrite -(mul0rn _ n); apply: composition_of_noise (calibrated_noise_holds near).
exact: le_trans ler01 a1.
Qed.

Example subsampled_account_holds near n steps : subsampled_account near n steps (a ^+ steps) 0 respond.
Proof. by have := account_of_noise n steps a1 (calibrated_noise_holds near); rewrite mul0r mul0rn. Qed.

Example shifted_account_holds drawn full n steps : shifted_account drawn full n steps (a ^+ steps) 0 respond.
Proof.
split=> [v|g g' f f' i0 _ _ _]; first exact: response_law.
rewrite -(mul0rn _ steps); apply: dp_transcript; try by move=> s; apply: law_hidden_draw => i; apply: response_law.
  exact: le_trans ler01 a1.
move=> s; have -> : 0 = mean (fun=> n.+1%:R^-1) (fun _ : 'I_n.+1 => 0) :> R by rewrite /mean big1 // => i _; rewrite mulr0.
by apply: dp_mixture => [i|i]; [rewrite invr_ge0 ler0n | apply: response_dp].
Qed.

Example amplification_holds (G : Type) n : @amplification R bool G n a 0 a 0.
Proof. by move=> randomiser l H; apply: shuffled_private. Qed.
End Examples.

(* The definitions compute. *)
Example response_computes : response 3%:R true false = 4%:R^-1 :> rat. Proof. by []. Qed.
Example hidden_draw_computes : hidden_draw (fun i : 'I_2 => if i == 0 then response 3%:R true else response 3%:R false) true = 2%:R^-1 :> rat.
Proof. by rewrite /hidden_draw /mixture !big_ord_recl big_ord0. Qed.
Example reordered_computes : (reordered (1%g : {perm 'I_3}) id 2 = 2 /\ reordered (1%g : {perm 'I_3}) id 7 = 7)%N.
Proof. by rewrite /reordered insubT // insubF // perm1. Qed.
