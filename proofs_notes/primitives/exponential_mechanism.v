(* The exponential mechanism over a finite set of answers.

   Answer s has mass proportional to a weight w(x, s) > 0. If the weights of neighbours have a ratio of at most r, both
   ways, the mechanism is pure with factor r^2. With w = r^score, r = e^(epsilon/2), and scores that differ by at most 1
   this is epsilon-DP; with weights that all move one way r^2 becomes r. *)

From mathcomp Require Import all_ssreflect all_algebra.
From DPPCA.lib Require Import discrete.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Exponential.
Variables (R : realFieldType) (X : Type) (T : finType) (neighbours : X -> X -> Prop).

(* There is at least one answer s0. *)
Variable s0 : T.

Definition by_weight (w : T -> R) (s : T) : R := w s / \sum_t w t.

Lemma sum_weights_gt0 (w : T -> R) : (forall s, 0 < w s) -> 0 < \sum_t w t.
Proof. by move=> w0; rewrite (bigD1 s0) //=; apply: ltr_wpDr => //; apply: sumr_ge0 => s _; apply: ltW. Qed.

Theorem law_by_weight (w : T -> R) : (forall s, 0 < w s) -> law (by_weight w).
Proof.
move=> w0; split=> [s|]; first by rewrite divr_ge0 // ltW // sum_weights_gt0.
by rewrite -mulr_suml divff // gt_eqF // sum_weights_gt0.
Qed.

Lemma by_weight_ratio (r : R) (w w' : T -> R) s : 0 <= r -> (forall s, 0 < w s) -> (forall s, 0 < w' s) ->
  (forall s, w s <= r * w' s) -> (forall s, w' s <= r * w s) -> by_weight w s <= r ^+ 2 * by_weight w' s.
Proof.
move=> r0 w0 w'0 ww' w'w; have S0 := sum_weights_gt0 w0; have S'0 := sum_weights_gt0 w'0.
rewrite /by_weight mulrA ler_pdivrMr // mulrAC ler_pdivlMr //.
rewrite (_ : r ^+ 2 * w' s * _ = r * w' s * (r * \sum_t w t)); last by rewrite expr2 mulrACA mulrA.
by apply: ler_pM; [exact: ltW | exact: ltW | by [] | by rewrite mulr_sumr; apply: ler_sum].
Qed.

Theorem by_weight_dp (r : R) (w : X -> T -> R) : 0 <= r -> (forall x s, 0 < w x s) ->
  (forall x x', neighbours x x' -> forall s, w x s <= r * w x' s /\ w x' s <= r * w x s) ->
  mechanism_dp (r ^+ 2) 0 neighbours (fun x => by_weight (w x)).
Proof.
move=> r0 w0 close x x' nb.
split; apply/dp_pure => s; apply: by_weight_ratio => // t; by have [] := close x x' nb t.
Qed.

(* Weights r^score, for integer scores of sensitivity 1. *)
Definition exponential (r : R) (score : X -> T -> nat) (x : X) := by_weight (fun s => r ^+ score x s).
Definition sensitivity1 (score : X -> T -> nat) := forall x x', neighbours x x' ->
  forall s, (score x s <= (score x' s).+1)%N /\ (score x' s <= (score x s).+1)%N.

Theorem law_exponential r score x : 0 < r -> law (exponential r score x).
Proof. by move=> r0; apply: law_by_weight => s; apply: exprn_gt0. Qed.

Theorem exponential_dp (r : R) (score : X -> T -> nat) : 1 <= r -> sensitivity1 score ->
  mechanism_dp (r ^+ 2) 0 neighbours (exponential r score).
Proof.
move=> r1 sens; have r0 : 0 < r by apply: lt_le_trans r1.
apply: by_weight_dp => [|x s|x x' nb s]; [exact: ltW | exact: exprn_gt0 |].
by have [le le'] := sens x x' nb s; rewrite -!exprS; split; apply: ler_weXn2l.
Qed.

(* A counting score moves up only when a row is added: then r is enough. *)
Theorem by_weight_monotone_dp (r : R) (w : X -> T -> R) : 0 <= r -> (forall x s, 0 < w x s) ->
  (forall x x', neighbours x x' -> (forall s, w x s <= w x' s <= r * w x s) \/ (forall s, w x' s <= w x s <= r * w x' s)) ->
  mechanism_dp r 0 neighbours (fun x => by_weight (w x)).
Proof.
have up (v v' : T -> R) s : 0 <= r -> (forall t, 0 < v t) -> (forall t, 0 < v' t) -> (forall t, v t <= v' t <= r * v t) ->
    by_weight v s <= r * by_weight v' s /\ by_weight v' s <= r * by_weight v s.
  move=> r0 v0 v'0 le; have S0 := sum_weights_gt0 v0; have S'0 := sum_weights_gt0 v'0.
  have [le1 le2] : \sum_t v t <= \sum_t v' t /\ \sum_t v' t <= r * \sum_t v t.
    by split; [|rewrite mulr_sumr]; apply: ler_sum => t _; have /andP[] := le t.
  have /andP[les les'] := le s.
  rewrite /by_weight !mulrA !ler_pdivrMr // !(mulrAC _ _^-1) !ler_pdivlMr //; split.
    by rewrite -mulrA mulrCA mulrC [X in _ <= X]mulrC; apply: ler_pM; rewrite // ltW.
  by apply: ler_pM; rewrite // ltW.
by move=> r0 w0 H x x' /H[] le; split; apply/dp_pure => s; have [] := up _ _ s r0 (w0 _) (w0 _) le.
Qed.

End Exponential.
