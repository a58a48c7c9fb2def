(* The premises of the Laplace mechanism are met by noise on two points. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import reals ereal interval_inference topology normedtype sequences esum exp measure numfun measurable_realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral.
From DPPCA.lib Require Import measure.
From DPPCA.primitives Require Import laplace_mechanism.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Example within_1 (R : realType) : within (fun v x : measurableTypeR R => `|x - v|)%R 1 0%R 1%R.
Proof. by apply: within_line; rewrite sub0r normrN normr1. Qed.

(* Laplace noise on two points at distance 1, and what is cut off at 0. *)
Section TwoPoints.
Variable R : realType.
Let dist (v x : bool) : R := (v != x)%:R%R.
Let all_measurable d (T : measurableType d) (f : bool -> T) (A : set bool) : measurable_fun A f.
Proof. by move=> _ Y _. Qed.

(* The measure with the density f with respect to the number of points. *)
Definition two_points : {measure set bool -> \bar R} :=
  [the {measure set bool -> \bar R} of measure_add [the {measure set bool -> \bar R} of dirac true] [the {measure set bool -> \bar R} of dirac false]].
Let part (x : bool) (p : R) (p0 : (0 <= p)%R) : {measure set bool -> \bar R} :=
  [the {measure set bool -> \bar R} of mscale (NngNum p0) [the {measure set bool -> \bar R} of dirac x]].
Definition by_density (f : bool -> R) (f0 : forall x, (0 <= f x)%R) : {measure set bool -> \bar R} :=
  [the {measure set bool -> \bar R} of measure_add (part true (f0 true)) (part false (f0 false))].

Lemma by_densityE f (f0 : forall x, (0 <= f x)%R) A :
  by_density f0 A = (f true * (true \in A)%:R + f false * (false \in A)%:R)%:E.
Proof.
transitivity (part true (f0 true) A + part false (f0 false) A); first exact: measure_addE.
by rewrite /= /mscale /= !diracE -!EFinM -EFinD.
Qed.

Lemma by_density_has f (f0 : forall x, (0 <= f x)%R) : has_density two_points f (by_density f0).
Proof.
move=> A mA; rewrite by_densityE (@ge0_integral_measure_add _ _ _ _ _ _ mA) //; last by move=> x _; rewrite lee_fin.
by rewrite !integral_dirac // !diracE -!EFinM -EFinD ![(_%:R * _)%R]mulrC.
Qed.

(* The scale 1; c makes it a probability. *)
Let c : R := (1 + expR (- 1))^-1%R.
Let c0 : (0 <= c)%R. Proof. by rewrite invr_ge0 addr_ge0 ?ler01 // ltW // expR_gt0. Qed.
Definition two_laplace (v : bool) := by_density (laplace_density_ge0 dist 1 c0 v).

Example two_laplace_total v : two_laplace v setT = 1%:E.
Proof.
rewrite by_densityE !mem_set // !mulr1 /laplace_density -mulrDr; congr (_%:E).
have n0 : (1 + expR (- 1) != 0 :> R)%R by rewrite gt_eqF // addr_gt0 ?ltr01 ?expR_gt0.
by case: v; rewrite /dist /= !divr1 oppr0 expR0 ?[(expR _ + 1)%R]addrC mulVf.
Qed.

Example within_two_points : within dist 1 true false.
Proof. by move=> x; rewrite /dist; case: x => /=; split; rewrite ?add0r ?addr_ge0 ?ler01. Qed.

Example two_laplace_private : indist (expR 1) 0 (two_laplace true) (two_laplace false).
Proof.
have := @laplace_indist _ _ R bool dist two_points c 1 c0 ltr01 (fun v => @all_measurable _ _ (dist v) setT) 1 two_laplace.
rewrite divr1 => /(_ (fun v => by_density_has _)) H; exact: (proj1 (H _ _ within_two_points)).
Qed.

(* Truncated at 0 nothing is left but the value itself, and delta is 1. *)
Example support_computes : support dist 0 true = [set true] /\ support dist 1 true = setT.
Proof.
by split; apply/seteqP; split=> -[] //=; rewrite /support /dist /= ?lexx ?ler01 ?ler10.
Qed.

Definition two_truncated (v : bool) := by_density (truncated_density_ge0 dist 1 (@ler01 R) 0 v).

Example two_truncated_total v : two_truncated v setT = 1%:E.
Proof.
have in_support x : (x \in support dist 0 v) = (v == x).
  by apply/idP/idP; rewrite inE /support /dist /=; case: (v == x); rewrite /= ?lexx ?ler10.
rewrite by_densityE !mem_set // !mulr1 /truncated_density /laplace_density !indicE !in_support; congr (_%:E).
by case: v in_support => _; rewrite /dist /= !divr1 oppr0 expR0 !mul1r mulr0 ?addr0 ?add0r.
Qed.

Example two_truncated_private : indist (expR 1) 1 (two_truncated true) (two_truncated false).
Proof.
have := @truncated_laplace_indist _ _ R bool dist two_points 1 1 ler01 ltr01 (fun v => @all_measurable _ _ (dist v) setT) 0 1 1 two_truncated.
rewrite divr1 => /(_ (fun v => by_density_has _)) H; apply: (proj1 (H _ _ _ within_two_points)) => v w _.
by rewrite -(two_truncated_total v); apply: le_measure; rewrite ?inE.
Qed.
End TwoPoints.
