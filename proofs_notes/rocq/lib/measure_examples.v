(* The definitions of measure.v, computed on ordinary laws, and premises that are met. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import reals ereal interval_inference topology normedtype sequences esum exp measure numfun measurable_realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral.
From DPPCA.lib Require Import measure.

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
Example constant_kernel (nu : probability U R) : kernel (fun _ : T => nu : {measure set U -> \bar R}).
Proof. by split=> [x|C mC]; [exact: (@probability_setT _ _ _ nu) | exact: (@measurable_fun_xsection _ _ T U R nu C mC)]. Qed.

Example joint_product (mu : {measure set T -> \bar R}) (nu : {sigma_finite_measure set U -> \bar R}) :
  joint mu (fun _ : T => nu : {measure set U -> \bar R}) = product_measure1 mu nu.
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

Section More.
Context d (T : measurableType d) d' (U : measurableType d') (R : realType).

Example measurable_mechanism_holds : measurable_mechanism (fun x : T => [the {measure set T -> \bar R} of dirac x]).
Proof. by move=> x; rewrite /= diracE mem_set. Qed.

(* From a point, the output of a kernel has the kernel's law. *)
Example bind_computes (x : T) (K : T -> {measure set U -> \bar R}) B : kernel K -> measurable B ->
  bind [the {measure set T -> \bar R} of dirac x] K B = K x B.
Proof.
by move=> kK mB; rewrite /bind integral_dirac //; [rewrite diracE mem_set // mul1e | apply: kernel_section].
Qed.

Example worst_event_computes : worst_event (cst 2%:R : T -> R) (cst 1%R) 1%R = setT /\ worst_event (cst 2%:R : T -> R) (cst 1%R) 2%:R = set0.
Proof.
split; apply/seteqP; split=> x //=; rewrite /worst_event /= mulr1 ?ltxx //.
by rewrite -[1%R]/(1%:R)%R ltr_nat.
Qed.
End More.
