(* The premises of lib/measure.v and of the Laplace mechanism are met by ordinary laws. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval.
From mathcomp.classical Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp.analysis Require Import reals ereal signed topology normedtype sequences esum exp measure numfun.
From mathcomp.analysis Require Import lebesgue_measure lebesgue_integral.
From DPPCA.lib Require Import measure.
From DPPCA Require Import primitives_laplace.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Examples.
Context d (T : measurableType d) d' (U : measurableType d') (R : realType).

(* A release that draws from one law whatever its input is a kernel; with it, [joint] is the product measure. *)
Example constant_kernel (nu : {measure set U -> \bar R}) : nu setT = 1 -> kernel (fun _ : T => nu).
Proof.
move=> nu1; split=> // C mC; have sf : sigma_finite setT nu.
  exists (fun=> setT); first by apply/esym/seteqP; split=> // x _; exists 0%N.
  by move=> i; split=> //; rewrite nu1 ltry.
by apply: (measurable_fun_xsection sf); rewrite inE.
Qed.

Example joint_product (mu : {measure set T -> \bar R}) (nu : {measure set U -> \bar R}) (sf : sigma_finite setT nu) :
  joint mu (fun _ : T => nu) = product_measure1 mu sf.
Proof. by []. Qed.

(* Every law has the density 1 with respect to itself. *)
Example density_one (mu : {measure set T -> \bar R}) : has_density mu (cst 1%R) mu.
Proof. by move=> A mA; rewrite (_ : (fun x => _) = cst (1%:E : \bar R)) // (integral_cst mu mA) mul1e. Qed.

(* A point mass against itself, and against another one: no factor helps, delta has to be 1. *)
Example dirac_private (x : T) : indist 1 0 (dirac x : set T -> \bar R) (dirac x : set T -> \bar R).
Proof. by move=> A mA; rewrite mul1e adde0. Qed.

Example dirac_not_private (x y : T) (a t : R) (A : set T) : measurable A -> A x -> ~ A y ->
  indist a t (dirac x : set T -> \bar R) (dirac y : set T -> \bar R) -> (1 <= t)%R.
Proof.
move=> mA Ax Ay H; have := H A mA; rewrite /dirac !indicE mem_set // memNset // mule0 add0e.
by rewrite lee_fin.
Qed.

End Examples.

Example within_1 (R : realType) : within (fun v x : measurableTypeR R => `|x - v|)%R 1 0%R 1%R.
Proof. by apply: within_line; rewrite sub0r normrN normr1. Qed.

Section More.
Context d (T : measurableType d) d' (U : measurableType d') (R : realType).

Example measurable_mechanism_holds : measurable_mechanism (fun x : T => [the {measure set T -> \bar R} of dirac x]).
Proof. by move=> x; rewrite /= diracE mem_set. Qed.

(* From a point, the output of a kernel has the kernel's law. *)
Example bind_computes (x : T) (K : T -> {measure set U -> \bar R}) B : kernel K -> measurable B ->
  bind [the {measure set T -> \bar R} of dirac x] K B = K x B.
Proof.
by move=> kK mB; rewrite /bind integral_dirac //; [rewrite indicE mem_set // mul1e | apply: kernel_section].
Qed.

Example worst_event_computes : worst_event (cst 2%:R : T -> R) (cst 1%R) 1%R = setT /\ worst_event (cst 2%:R : T -> R) (cst 1%R) 2%:R = set0.
Proof.
split; apply/seteqP; split=> x //=; rewrite /worst_event /= mulr1 ?ltxx //.
by rewrite -[1%R]/(1%:R)%R ltr_nat.
Qed.
End More.

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
move=> A mA; rewrite by_densityE (@integral_measure_add _ _ _ _ _ _ mA) //; last by move=> x _; rewrite lee_fin.
by rewrite !integral_dirac // !indicE -!EFinM -EFinD ![(_%:R * _)%R]mulrC.
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
