(* The definitions of shuffling.v, shuffled_releases.v and hidden_order.v compute, and the hypotheses of their theorems can be met. *)
From mathcomp Require Import all_ssreflect all_algebra fingroup perm.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp.
From mathcomp Require Import measure numfun measurable_realfun lebesgue_measure lebesgue_integral probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import shuffling shuffling_bounds shuffled_releases hidden_order.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(* Record 0 leans to true by one half; a single record with the label true. *)
Example labels_compute (R : realFieldType) (m := [ffun=> Some true] : {ffun 'I_1 -> option bool}) :
  [/\ weight (1 / 4) (3 / 4) (1 / 2 : R) m = 3 / 4, lead R m = 1, named R m = 1 & exchange ord0 m = m].
Proof.
split; rewrite /weight /lead /named ?big_ord1 ?ffunE //=; first by rewrite /share eqxx /=; field.
by apply/ffunP => i; rewrite !ffunE.
Qed.

Section Identity.
Variables (R : realFieldType) (T : Type).
Let keep (f : T -> R) := f.
Let ok (f : T -> R) := forall x, 0 <= f x.

Example cone_holds : cone ok.
Proof. by split=> [f f0|c c0 x|c f g c0 f0 g0 x]; [exact: f0 | exact: c0 | rewrite addr_ge0 // mulr_ge0]. Qed.

Example operator_holds : operator ok keep. Proof. by []. Qed.

(* Releases of nothing, in a hidden order. *)
Example labelled_computes f x (m : {ffun 'I_2 -> option bool}) : labelled (fun _ _ => keep) (fun _ _ => keep) m f x = f x.
Proof.
rewrite /labelled (eq_bigr (fun=> f x)) => [|s _]; first exact: shuffled_const.
by rewrite /= /release_of; case: (m _) => [b|]; case: (m _).
Qed.

Let leans (t : R) := leaning (1 / 4) (3 / 4) (fun (_ : 'I_2) _ => keep) (fun _ _ => keep) t.

Example leaning_holds (f : T -> R) x : ok f -> (forall y, f y <= 1) ->
  shuffled (leans (1 / 2)) f x <= 3 * shuffled (leans (- (1 / 2))) f x +
    \sum_(m : {ffun 'I_2 -> option bool} | 1 * named R m < lead R m) weight (1 / 4) (3 / 4) (1 / 2) m.
Proof. by move=> okf f1; apply: (shuffled_lean cone_holds) => //; lra. Qed.
End Identity.

(* Releases that are the same for all records. *)
Section Same.
Context {R : realType} d (S : measurableType d) d' (Y : measurableType d') (mu : probability Y R).
Let one (w : S * Y) : R := 1.

Example fm_holds : fm mu (fun=> 1 : R).
Proof. by split=> //; rewrite integral_cst // mul1e; apply: (@le_lt_trans _ _ 1%E); [exact: probability_le1 | exact: ltry]. Qed.

Example density_holds : density mu one.
Proof.
split=> [|w|s]; [exact: measurable_cst | exact: ler01 |].
by rewrite (eq_integral (cst 1%E)) // integral_cst // mul1e; exact: probability_setT.
Qed.

Example near_holds : near mu 2 0 one one.
Proof.
move=> s; rewrite /total (eq_integral (cst 0%E)) ?integral0 // => y _.
by rewrite /above /one max_l //; lra.
Qed.

Example core_holds : sub mu (core mu 2 0 one one).
Proof. by apply: core_sub; [lra | lra | exact: density_holds | exact: density_holds | exact: near_holds | exact: near_holds]. Qed.

Example rest_holds (h k p : S * Y -> R) w :
  2^-1 / 2 * ext mu 2 0 h k w + 2^-1 / 2 * ext mu 2 0 k h w + (1 - 2^-1 + 2 * 0 / 2) * rest mu 2 0 h k p w = p w + excess mu 2 0 h k p w.
Proof. by apply: rest_mixture; lra. Qed.

Let keep (_ : 'I_2) (w : S * Y) := w.1.

Example hidden_order_holds (x x' : 'I_2 -> bool) s : x ord0 = x' ord0 ->
  in_order mu keep (fun _ _ => one) x (fun=> 1) s <= 3 * in_order mu keep (fun _ _ => one) x' (fun=> 1) s + cost 2 0 1 3 (1 / 2).
Proof.
move=> same; apply: (@hidden_order R _ S _ Y mu 2 0 bool 1 keep (fun _ _ => one) _ _ _ _ _ x x' ord_max) => //; try lra.
- by move=> i; exact: measurable_fst.
- by move=> _ _; exact: density_holds.
- by move=> _ _ _; exact: near_holds.
- by move=> j ne; rewrite (_ : j = ord0) //; apply: val_inj; case: j ne => [[|[|k]]].
- by rewrite (_ : (2 - 1) / (2 + 1) = 1 / 3 :> R); [lra | field].
- by split=> //; exists 1.
Qed.
End Same.
