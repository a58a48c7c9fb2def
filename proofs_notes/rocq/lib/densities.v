(* Laws with densities: the event that decides (Neyman and Pearson), for any event between f > a g and f >= a g.

   indist_worst   for densities f and g, mu and nu are (a, t)-indistinguishable iff the one event P satisfies the
                  inequality, whenever a g <= f on P and f <= a g off P. (indist, has_density: lib/measure.v.) *)
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral.
From mathcomp Require Import lra.
From DPPCA.lib Require Import measure.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Lemma measurable_density d (T : measurableType d) (R : realType) (f : T -> R) A :
  measurable_fun [set: T] f -> measurable A -> measurable_fun A (EFin \o f).
Proof. by move=> mf mA; apply/measurable_EFinP; apply: measurable_funTS. Qed.

Section Worst.
Context d (T : measurableType d) (R : realType).
Variables (mu nu rho : {measure set T -> \bar R}) (f g : T -> R) (a t : R) (P : set T).
Hypotheses (a0 : (0 <= a)%R) (mu1 : mu setT <= 1) (nu1 : nu setT <= 1).
Hypotheses (mf : measurable_fun [set: T] f) (mg : measurable_fun [set: T] g).
Hypotheses (f0 : forall x, (0 <= f x)%R) (g0 : forall x, (0 <= g x)%R).
Hypotheses (df : has_density rho f mu) (dg : has_density rho g nu).
Hypotheses (mP : measurable P) (inP : forall x, P x -> (a * g x <= f x)%R) (outP : forall x, ~ P x -> (f x <= a * g x)%R).

Let fin (m : {measure set T -> \bar R}) A : m setT <= 1 -> measurable A -> m A \is a fin_num.
Proof.
move=> m1 mA; rewrite ge0_fin_numE //; apply: (@le_lt_trans _ _ 1); last by rewrite ltry.
by apply: le_trans m1; apply: le_measure; rewrite ?inE.
Qed.

Let scaled A : measurable A -> a%:E * nu A = \int[rho]_(x in A) (a%:E * (g x)%:E).
Proof. by move=> mA; rewrite dg // ge0_integralZl_EFin //; [move=> x _; rewrite lee_fin | exact: measurable_density]. Qed.

Let compare A : measurable A ->
  ((forall x, A x -> (f x <= a * g x)%R) -> mu A <= a%:E * nu A) /\
  ((forall x, A x -> (a * g x <= f x)%R) -> a%:E * nu A <= mu A).
Proof.
move=> mA; rewrite scaled // df //.
have mag : measurable_fun A (fun x => a%:E * (g x)%:E) by apply: measurable_funeM; exact: measurable_density.
have mff : measurable_fun A (fun x => (f x)%:E) by exact: measurable_density.
have fE x : A x -> 0 <= (f x)%:E by rewrite lee_fin.
have gE x : A x -> 0 <= a%:E * (g x)%:E by move=> _; rewrite mule_ge0 ?lee_fin.
by split=> le; apply: ge0_le_integral => // x Ax; rewrite -EFinM lee_fin le.
Qed.

(* Neyman and Pearson: the event P where f exceeds a g is the worst, so it alone decides. *)
Theorem indist_worst : indist a t mu nu <-> mu P <= a%:E * nu P + t%:E.
Proof.
split=> [H|H A mA]; first exact: H.
have mAP := measurableD mA mP; have mPA := measurableD mP mA; have mI := measurableI _ _ mA mP.
have out : mu (A `\` P) <= a%:E * nu (A `\` P) by apply: (proj1 (compare mAP)) => x [_ /outP].
have inside : a%:E * nu (P `\` A) <= mu (P `\` A) by apply: (proj2 (compare mPA)) => x [/inP].
have split_at (m : {measure set T -> \bar R}) B C : measurable B -> measurable C -> m B = m (B `\` C) + m (B `&` C).
  by move=> mB mC; rewrite -measureDI.
move: H; rewrite (split_at mu _ _ mP mA) (split_at nu _ _ mP mA) [P `&` A]setIC.
rewrite (split_at mu _ _ mA mP) (split_at nu _ _ mA mP); move: out inside.
rewrite -(fineK (fin mu1 mAP)) -(fineK (fin nu1 mAP)) -(fineK (fin mu1 mPA)) -(fineK (fin nu1 mPA)).
rewrite -(fineK (fin mu1 mI)) -(fineK (fin nu1 mI)) -!(EFinD, EFinM) !lee_fin.
by rewrite !mulrDr => out inside H; lra.
Qed.
End Worst.
