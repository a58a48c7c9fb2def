(* Randomised response: a bit is told as it is with probability a / (1 + a), which is pure with the factor a = e^epsilon. *)
From mathcomp Require Import all_ssreflect all_algebra.
From DPPCA.lib Require Import discrete.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Response.
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
End Response.

Example response_computes : response 3%:R true false = 4%:R^-1 :> rat. Proof. by []. Qed.
