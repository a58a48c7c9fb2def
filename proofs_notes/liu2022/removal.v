(* liu2022, the relation of print: one record more or less. Each record's release is randomised response, pure with the factor a;
   batches hold one record. Replacing a record costs a (Lemma B.2, run_parallel of adaptive_runs.v); removing the first one moves
   all others, and costs a ^ steps. *)
From mathcomp Require Import all_ssreflect all_algebra.
From DPPCA.lib Require Import discrete neighbours randomised_response.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Removal.
Variables (R : realFieldType) (a : R).
Hypothesis a1 : 1 <= a.
Definition responses steps (x : nat -> bool) : steps.-tuple bool -> R := transcript steps (fun s => response a (x (size s))).

(* liu2022.lemma-b.2, liu2022.definition-2.3: parallel composition fails under removal, by as much as serial composition costs *)
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

(* The definition computes. *)
Example responses_compute : responses 3%:R odd [tuple false; true] = 9%:R / 16%:R :> rat.
Proof. by rewrite /responses /transcript !big_ord_recl big_ord0. Qed.
