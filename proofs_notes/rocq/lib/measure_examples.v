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
