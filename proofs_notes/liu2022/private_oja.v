(* liu2022: private Oja (Algorithm 2) with and without amplification by the hidden order, and the minibatch variant
   (Equation (7)), under replace-one; and why the relation of print, one record more or less, breaks both.

   Records are matrices A, n of them in x 0, x 1, ...; a gradient A w is clipped to norm beta and released with noise.
   Outcomes are on a finite grid T; a = e^epsilon. *)
From mathcomp Require Import all_ssreflect fingroup perm all_algebra.
From mathcomp.zify Require Import zify.
From DPPCA.lib Require Import discrete squared_norms neighbours transcripts.
From DPPCA.primitives Require Import row_changes.
From DPPCA.liu2022 Require Import clipping.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Algorithm2.
Variables (R : rcfType) (d : nat) (T U : finType) (beta : R) (release : 'cV[R]_d -> T -> R).
(* w_(t-1), a function of the noisy gradients so far (lines 6 and 7). *)
Variable iterate : seq T -> 'cV[R]_d.
Hypothesis beta_ge0 : 0 <= beta.
Implicit Types (A : 'M[R]_d) (x : nat -> 'M[R]_d).

(* Lines 5 and 6: one noisy clipped gradient. *)
Definition noisy_clipped s A : T -> R := release (clip beta (A *m iterate s)).
(* Lines 1 to 8: a hidden order, n noisy gradients, and the output computed from them. *)
Definition private_oja n (output : n.-tuple T -> U) x : U -> R := push output (shuffled n noisy_clipped x).
(* The same in the given order. *)
Definition private_oja_ordered n (output : n.-tuple T -> U) x : U -> R :=
  push output (transcript n (fun s => noisy_clipped s (x (size s)))).

(* liu2022.local-randomiser: each step is a local randomiser, for any two records *)
Theorem local_randomiser a delta s A A' : calibrated_noise (near ((2%:R * beta) ^+ 2)) a delta release ->
  dp a delta (noisy_clipped s A) (noisy_clipped s A').
Proof. by case=> _ H; have [] := H _ _ (clip_sensitivity (A *m iterate s) (A' *m iterate s) beta_ge0). Qed.

(* liu2022.lemma-3.1: with the amplification that the account gives *)
Theorem private_oja_private n (output : n.-tuple T -> U) a0 delta0 a delta :
  calibrated_noise (near ((2%:R * beta) ^+ 2)) a0 delta0 release ->
  @amplification R T 'M[R]_d n a0 delta0 a delta ->
  mechanism_dp a delta (@replace_one 'M[R]_d) (private_oja output).
Proof.
move=> noise amplified; apply: mechanism_post_processing_function; apply: amplified => [s A|s A A'].
  by case: noise => l _; apply: l.
exact: local_randomiser noise.
Qed.

(* liu2022.no-shuffle-noise: without amplification the noise of one release is enough, whatever n *)
Theorem private_oja_unamplified n (output : n.-tuple T -> U) a delta : 1 <= a -> 0 <= delta ->
  calibrated_noise (near ((2%:R * beta) ^+ 2)) a delta release ->
  mechanism_dp a delta (@replace_one 'M[R]_d) (private_oja output).
Proof. by move=> a1 d0 noise; apply: private_oja_private noise _ => r l H; apply: shuffled_private. Qed.

Theorem private_oja_ordered_private n (output : n.-tuple T -> U) a delta : 1 <= a -> 0 <= delta ->
  calibrated_noise (near ((2%:R * beta) ^+ 2)) a delta release ->
  mechanism_dp a delta (@replace_one 'M[R]_d) (private_oja_ordered output).
Proof.
move=> a1 d0 noise; apply: mechanism_post_processing_function => x x' nb.
suff one y y' : replace_one y y' -> dp a delta (transcript n (fun s => noisy_clipped s (y (size s))))
    (transcript n (fun s => noisy_clipped s (y' (size s)))) by split; apply: one => //; apply: replace_one_sym.
case=> i0 same; apply: (dp_transcript_parallel (i0 := i0)) => //.
- by case: noise => l _ s; apply: l.
- by case: noise => l _ s; apply: l.
- by move=> s ne u; rewrite same.
- by move=> s _; apply: local_randomiser noise.
Qed.

(* Equation (7), corrected: steps noisy means of the clipped gradients of consecutive batches of B records. *)
Definition noisy_mean B x s : T -> R := release (mean_of (fun i : 'I_B => clip beta (x (size s * B + i)%N *m iterate s))).
Definition minibatch_oja B steps (output : steps.-tuple T -> U) x : U -> R :=
  push output (transcript steps (noisy_mean B x)).

(* liu2022.equation-7-privacy, liu2022.lemma-b.2 under replace-one: the noise of one release, for every number of steps *)
Theorem minibatch_oja_private B steps (output : steps.-tuple T -> U) a delta : (0 < B)%N -> 1 <= a -> 0 <= delta ->
  calibrated_noise (near ((2%:R * beta / B%:R) ^+ 2)) a delta release ->
  mechanism_dp a delta (@replace_one 'M[R]_d) (minibatch_oja B output).
Proof.
move=> B0 a1 d0 [l H]; apply: mechanism_post_processing_function => x x' nb.
suff one y y' : replace_one y y' -> dp a delta (transcript steps (noisy_mean B y)) (transcript steps (noisy_mean B y')).
  by split; apply: one => //; apply: replace_one_sym.
case=> i0 same; apply: (dp_transcript_parallel (i0 := (i0 %/ B)%N)) => //; try by move=> s; apply: l.
  move=> s ne u; congr (release _ u); congr (_ *: _); apply: eq_bigr => i _; rewrite same //.
  by apply: contra ne => /eqP <-; rewrite divnMDl // divn_small ?addn0.
move=> s es; apply: (proj1 (H _ _ _)); rewrite /near.
apply: (clipped_mean_sensitivity (f := fun i : 'I_B => y (size s * B + i)%N *m iterate s)
    (f' := fun i : 'I_B => y' (size s * B + i)%N *m iterate s) (i0 := Ordinal (ltn_pmod i0 B0))) => // i ne.
rewrite same //; apply: contra ne => /eqP e; apply/eqP; apply: val_inj => /=.
by rewrite -e modnMDl modn_small.
Qed.
End Algorithm2.

(* The relation of print: one record more or less. Each record's release is randomised response, pure with factor a; batches
   hold one record. Replacing a record costs a; removing the first one moves all others, and costs a ^ steps. *)
Section Removal.
Variables (R : realFieldType) (a : R).
Hypothesis a1 : 1 <= a.
Definition responses steps (x : nat -> bool) : steps.-tuple bool -> R := transcript steps (fun s => response a (x (size s))).

(* liu2022.lemma-b.2: parallel composition holds under replace-one, *)
Theorem responses_replaced steps : mechanism_dp a 0 (@replace_one bool) (responses (steps := steps)).
Proof.
move=> x x' nb; suff one y y' : replace_one y y' -> dp a 0 (responses y) (responses (steps := steps) y').
  by split; apply: one => //; apply: replace_one_sym.
case=> i0 same; apply: (dp_transcript_parallel (i0 := i0)) => //; try by move=> s; apply: response_law.
  by move=> s ne y0; rewrite same.
by move=> s _; apply: response_dp.
Qed.

(* liu2022.lemma-b.2, liu2022.definition-2.3: and fails under removal, by as much as serial composition costs *)
Theorem responses_removed steps c : dp c 0 (responses odd) (responses (steps := steps) (without_first odd)) -> a ^+ steps <= c.
Proof.
have a0 : 0 < 1 + a by rewrite ltr_wpDr ?ltr01 // (le_trans ler01).
have sz : size (mkseq odd steps) == steps by rewrite size_mkseq.
move=> /dp_pure /(_ (Tuple sz)); rewrite /responses /transcript.
have at_i (i : 'I_steps) : tnth (Tuple sz) i = odd i by rewrite (tnth_nth false) /= nth_mkseq.
have size_i (i : 'I_steps) : size (take i (mkseq odd steps)) = i by rewrite size_takel // size_mkseq ltnW.
rewrite (eq_bigr (fun=> a / (1 + a))) => [|i _]; last by rewrite at_i size_i /response eqxx.
rewrite [X in _ <= c * X](eq_bigr (fun=> 1 / (1 + a))) => [|i _]; last first.
  by rewrite at_i size_i /response /without_first /=; case: (odd i).
rewrite !prodr_const card_ord !exprMn mulrA ler_pM2r ?exprn_gt0 ?invr_gt0 //.
by rewrite expr1n mulr1.
Qed.

(* Without the first record is the data set with one record less. *)
Example removal_is_removal steps (x : nat -> bool) : mkseq (without_first x) steps = behead (mkseq x steps.+1).
Proof. by rewrite /mkseq /= (iotaDl 1 0) -map_comp. Qed.
End Removal.

(* The hypotheses can be met, and the definitions compute. *)
Section Examples.
Variable R : rcfType.
Let noise := respond (3%:R : R) (m := 1) (k := 0).
Let fixed (s : seq bool) : 'cV[R]_2 := (axis 0)^T.
Example private_oja_holds : mechanism_dp 3%:R 0 (@replace_one 'M[R]_2) (private_oja 1 noise fixed (fun t : 5.-tuple bool => tnth t 4)).
Proof. by apply: private_oja_unamplified; rewrite ?ler01 ?ler1n //; apply: calibrated_noise_holds; rewrite ler1n. Qed.
Example private_oja_ordered_holds :
  mechanism_dp 3%:R 0 (@replace_one 'M[R]_2) (private_oja_ordered 1 noise fixed (fun t : 5.-tuple bool => tnth t 4)).
Proof. by apply: private_oja_ordered_private; rewrite ?ler01 ?ler1n //; apply: calibrated_noise_holds; rewrite ler1n. Qed.
Example minibatch_oja_holds :
  mechanism_dp 3%:R 0 (@replace_one 'M[R]_2) (minibatch_oja 1 noise fixed 2 (fun t : 5.-tuple bool => tnth t 4)).
Proof. by apply: minibatch_oja_private; rewrite ?ler01 ?ler1n //; apply: calibrated_noise_holds; rewrite ler1n. Qed.

Example noisy_clipped_computes : noisy_clipped 1 noise fixed [::] 1%:M true = 3%:R / (1 + 3%:R).
Proof.
rewrite /noisy_clipped mul1mx clip_id ?ler01 //; last by rewrite sqnorm_tr sqnorm_axis expr1n.
by rewrite /noise /respond !mxE /= ltr01.
Qed.
Example noisy_mean_computes : noisy_mean 1 noise fixed 2 (fun=> 1%:M) [::] true = 3%:R / (1 + 3%:R).
Proof.
rewrite /noisy_mean /mean_of !big_ord_recl big_ord0 !mul1mx !clip_id ?ler01 //; try by rewrite sqnorm_tr sqnorm_axis expr1n.
by rewrite /noise /respond !mxE /= addr0 pmulr_rgt0 ?invr_gt0 ?ltr0n ?addr_gt0 ?ltr01.
Qed.
Example responses_compute : responses 3%:R odd [tuple false; true] = 9%:R / 16%:R :> rat.
Proof. by rewrite /responses /transcript !big_ord_recl big_ord0. Qed.
End Examples.
