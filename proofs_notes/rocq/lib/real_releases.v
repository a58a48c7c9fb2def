(* Releases of real numbers by their densities, and what one after the other costs.

   density p           p is the density of a probability on the line
   mean p F            the mean of F(x), where x has the density p
   test F              F is measurable with values in [0, 1], such as the indicator of an event or the probability of one later on
   spends a t p q      the positive part of p - a q has an integral of at most t: the release p is (a, t)-private against q
   spends_event        what it says about events
   mean_compose        a release, then whatever is private given it: the factors are multiplied, the parts t added
   measurable_mean     the mean of a function of a parameter, as a function of it *)
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Means.
Context {R : realType}.
Local Notation mu := (@lebesgue_measure R).
Implicit Types (p q : R -> R) (F G : R -> \bar R) (a t : R).

Definition density p := [/\ measurable_fun [set: R] p, forall x, 0 <= p x & (\int[mu]_x (p x)%:E = 1)%E].
Definition mean p F : \bar R := (\int[mu]_x ((p x)%:E * F x))%E.
Definition test d (T : measurableType d) (F : T -> \bar R) := measurable_fun [set: T] F /\ forall x, (0 <= F x <= 1)%E.
Definition spends a t p q := (\int[mu]_x (maxr 0 (p x - a * q x))%:E <= t%:E)%E.

Lemma measurable_mass p F : measurable_fun setT p -> measurable_fun setT F -> measurable_fun setT (fun x => ((p x)%:E * F x)%E).
Proof. by move=> mp mF; apply: emeasurable_funM => //; apply/measurable_EFinP. Qed.

Lemma mean_const p (c : \bar R) : density p -> (0 <= c)%E -> mean p (fun=> c) = c.
Proof.
case=> mp p0 p1 c0; rewrite /mean; under eq_integral do rewrite muleC.
rewrite ge0_integralZl //; first by rewrite p1 mule1.
- exact/measurable_EFinP.
- by move=> x _; rewrite lee_fin.
Qed.

Lemma mean_eq p F G : (forall x, p x != 0 -> F x = G x) -> mean p F = mean p G.
Proof. by move=> e; apply: eq_integral => x _; case: (eqVneq (p x) 0) => [->|/e ->//]; rewrite !mul0e. Qed.

Lemma mean_le p F G : density p -> test F -> test G -> (forall x, F x <= G x)%E -> (mean p F <= mean p G)%E.
Proof.
case=> mp p0 _ [mF F01] [mG G01] le; apply: ge0_le_integral => //.
- by move=> x _; rewrite mule_ge0 ?lee_fin //; case/andP: (F01 x).
- exact: measurable_mass.
- by move=> x _; rewrite mule_ge0 ?lee_fin //; case/andP: (G01 x).
- exact: measurable_mass.
- by move=> x _; rewrite lee_wpmul2l // lee_fin.
Qed.

Lemma test_const d (T : measurableType d) (c : \bar R) : (0 <= c <= 1)%E -> test ((fun=> c) : T -> \bar R).
Proof. by move=> c01; split=> // ; exact: measurable_cst. Qed.

Lemma test_comp d d' (T : measurableType d) (U : measurableType d') (F : U -> \bar R) (f : T -> U) : measurable_fun setT f -> test F -> test (fun x => F (f x)).
Proof. by move=> mf [mF F01]; split=> [|x]; [exact: measurableT_comp | exact: F01]. Qed.

Lemma test_if d (T : measurableType d) (b : T -> bool) (F G : T -> \bar R) : measurable_fun setT b -> test F -> test G -> test (fun x => if b x then F x else G x).
Proof. by move=> mb [mF F01] [mG G01]; split=> [|x]; [exact: measurable_fun_ifT | case: ifP]. Qed.

Lemma mean_01 p F : density p -> test F -> (0 <= mean p F <= 1)%E.
Proof.
move=> dp tF; have t1 : test ((fun=> 1%E) : R -> \bar R) by apply: test_const; rewrite lexx lee_fin ler01.
apply/andP; split; last first.
  by rewrite -(mean_const dp lee01); apply: mean_le => // x; case: tF => _ /(_ x)/andP[].
by case: dp tF => _ p0 _ [_ F01]; apply: integral_ge0 => x _; rewrite mule_ge0 ?lee_fin //; case/andP: (F01 x).
Qed.

Lemma spends_refl p : spends 1 0 p p.
Proof. by rewrite /spends; under eq_integral do rewrite mul1r subrr maxxx; rewrite integral0. Qed.

Lemma spends_ratio a p q : (forall x, p x <= a * q x) -> spends a 0 p q.
Proof. by move=> le; rewrite /spends; under eq_integral => x _ do rewrite max_l ?subr_le0 //; rewrite integral0. Qed.

Lemma measurable_excess a p q : measurable_fun setT p -> measurable_fun setT q ->
  measurable_fun setT (fun x => (maxr 0 (p x - a * q x))%:E).
Proof.
move=> mp mq; apply/measurable_EFinP; apply: measurable_maxr => //.
by apply: measurable_funB => //; exact: measurable_funM.
Qed.

Theorem mean_compose p q F G a a' t t' : density p -> density q -> test F -> test G -> 0 <= a -> 0 <= a' -> 0 <= t' ->
  spends a t p q -> (forall x, F x <= a'%:E * G x + t'%:E)%E ->
  (mean p F <= (a * a')%:E * mean q G + (t + t')%:E)%E.
Proof.
move=> dp dq tF tG a0 a'0 t'0 sp le; have [mp p0 p1] := dp; have [mq q0 q1] := dq.
have [mF F01] := tF; have [mG G01] := tG.
have meas1 : measurable_fun setT (fun x => ((a * a')%:E * ((q x)%:E * G x))%E) by apply: measurable_funeM; exact: measurable_mass.
have meas2 : measurable_fun setT (fun x => (t'%:E * (p x)%:E)%E) by apply: measurable_funeM; exact/measurable_EFinP.
have meas3 := measurable_excess a mp mq.
have pos1 x : (0 <= (a * a')%:E * ((q x)%:E * G x))%E.
  by case/andP: (G01 x) => G0 _; rewrite !mule_ge0 ?lee_fin ?mulr_ge0.
have pos2 x : (0 <= t'%:E * (p x)%:E)%E by rewrite mule_ge0 ?lee_fin.
have pos3 x : (0 <= (maxr 0 (p x - a * q x))%:E)%E by rewrite lee_fin le_max lexx.
have sum : (mean p F <= \int[mu]_x ((a * a')%:E * ((q x)%:E * G x) + ((maxr 0 (p x - a * q x))%:E + t'%:E * (p x)%:E)))%E.
  apply: ge0_le_integral => //.
  - by move=> x _; rewrite mule_ge0 ?lee_fin //; case/andP: (F01 x).
  - exact: measurable_mass.
  - by move=> x _; rewrite !adde_ge0.
  - by apply: emeasurable_funD => //; exact: emeasurable_funD.
  move=> x _; have /andP[f0 f1] := F01 x; have /andP[g0 g1] := G01 x; have := le x.
  have fe : F x = (fine (F x))%:E by rewrite fineK // ge0_fin_numE // (le_lt_trans f1) // ltry.
  have ge : G x = (fine (G x))%:E by rewrite fineK // ge0_fin_numE // (le_lt_trans g1) // ltry.
  rewrite fe ge in f0 f1 g0 g1 *; rewrite -!(EFinM, EFinD) !lee_fin in f0 f1 g0 g1 *.
  move: (fine (F x)) (fine (G x)) f0 f1 g0 g1 => f g f0 f1 g0 g1 fg; have px := p0 x; have qx := q0 x.
  have [m0 m1] : 0 <= maxr 0 (p x - a * q x) /\ p x - a * q x <= maxr 0 (p x - a * q x) by rewrite !le_max !lexx orbT.
  move: (maxr _ _) m0 m1 => m m0 m1; have ag : 0 <= a' * g by exact: mulr_ge0.
  have aq : 0 <= a * q x by exact: mulr_ge0.
  have pt : 0 <= p x * t' by exact: mulr_ge0.
  have [ft|tf] := leP f t'.
    have : p x * f <= p x * t' by rewrite ler_wpM2l.
    have : 0 <= (a * q x) * (a' * g) by exact: mulr_ge0.
    rewrite (_ : (a * q x) * (a' * g) = a * a' * (q x * g)); last by ring.
    by rewrite [t' * _]mulrC; lra.
  have f_t : 0 <= f - t' by lra.
  have h1 : p x * (f - t') <= (a * q x + m) * (f - t') by rewrite ler_wpM2r //; lra.
  have h2 : (a * q x) * (f - t') <= (a * q x) * (a' * g) by rewrite ler_wpM2l //; lra.
  have h3 : m * (f - t') <= m by rewrite ler_piMr //; lra.
  rewrite (_ : a * a' * (q x * g) = (a * q x) * (a' * g)); last by ring.
  by rewrite mulrBr in h1 *; rewrite [t' * _]mulrC; rewrite mulrDl in h1; lra.
apply: le_trans sum _; rewrite ge0_integralD //; last 2 first.
- by move=> x _; rewrite adde_ge0.
- exact: emeasurable_funD.
rewrite ge0_integralZl_EFin ?mulr_ge0 //; last 2 first.
- by move=> x _; rewrite mule_ge0 ?lee_fin //; case/andP: (G01 x).
- exact: measurable_mass.
apply: leeD => //; rewrite ge0_integralD // EFinD; apply: leeD => //.
by rewrite ge0_integralZl_EFin // ?p1 ?mule1 //; [move=> x _; rewrite lee_fin | exact/measurable_EFinP].
Qed.

(* What comes after does not depend on what changed. *)
Corollary mean_spends p q F a t : density p -> density q -> test F -> 0 <= a -> spends a t p q ->
  (mean p F <= a%:E * mean q F + t%:E)%E.
Proof.
move=> dp dq tF a0 sp; have := @mean_compose p q F F a 1 t 0 dp dq tF tF a0 ler01 (lexx _) sp.
by rewrite mulr1 addr0; apply=> x; rewrite mul1e adde0.
Qed.

(* The release is the same, what comes after is private given it. *)
Corollary mean_same p F G a t : density p -> test F -> test G -> 0 <= a -> 0 <= t ->
  (forall x, F x <= a%:E * G x + t%:E)%E -> (mean p F <= a%:E * mean p G + t%:E)%E.
Proof.
move=> dp tF tG a0 t0 le; have := @mean_compose p p F G 1 a 0 t dp dp tF tG ler01 a0 t0 (spends_refl p) le.
by rewrite mul1r add0r.
Qed.

Lemma test_event d (T : measurableType d) (A : set T) : measurable A -> test (fun x => (\1_A x)%:E).
Proof.
move=> mA; split=> [|x]; first by apply/measurable_EFinP; exact: measurable_indic.
by rewrite !lee_fin indicE; case: (_ \in _); rewrite ?lexx ?ler01.
Qed.

(* The probability of an event under the release. *)
Definition release p (A : set R) : \bar R := mean p (fun x => (\1_A x)%:E).

Corollary spends_event p q a t : density p -> density q -> 0 <= a -> spends a t p q -> indist a t (release p) (release q).
Proof. by move=> dp dq a0 sp A mA; apply: mean_spends => //; exact: test_event. Qed.

Lemma releaseE p A : measurable A -> release p A = (\int[mu]_(x in A) (p x)%:E)%E.
Proof.
move=> mA; rewrite integral_mkcond; apply: eq_integral => x _; rewrite patchE indicE.
by case: ifP => _; rewrite ?mule1 ?mule0.
Qed.
End Means.

Section Measurable.
Context {R : realType} d (T : measurableType d).
Local Notation mu := (@lebesgue_measure R).

(* Densities that depend measurably on what came before. *)
Definition densities (p : T -> R -> R) := (forall x, density (p x)) /\ measurable_fun setT (fun w : T * R => p w.1 w.2).

Lemma test_mean (p : T -> R -> R) (F : T * R -> \bar R) : densities p -> test F -> test (fun x => mean (p x) (fun y => F (x, y))).
Proof.
move=> [dp mp] [mF F01]; split=> [|x]; last first.
  apply: mean_01 => //; apply: (test_comp (f := fun y => (x, y)) (measurable_pair1 x)); by split.
pose f (w : T * R) := ((p w.1 w.2)%:E * F w)%E.
have f0 w : (0 <= f w)%E by have [_ p0 _] := dp w.1; rewrite mule_ge0 ?lee_fin //; case/andP: (F01 w).
have mf : measurable_fun setT f by apply: emeasurable_funM => //; exact/measurable_EFinP.
have mG : measurable_fun setT (fubini_F mu f) by exact: measurable_fun_fubini_tonelli_F.
exact: mG.
Qed.

Lemma densities_const p : density p -> densities (fun _ : T => p).
Proof. by move=> dp; split=> //; have [mp _ _] := dp; exact: measurableT_comp. Qed.
End Measurable.

Example release_everything (R : realType) (p : R -> R) : density p ->
  test (fun x : R => (\1_[set: R] x)%:E : \bar R) /\ release p setT = 1%E.
Proof. by move=> dp; split; [exact: test_event | rewrite releaseE //; case: dp]. Qed.

Example densities_example (R : realType) (p : R -> R) : density p -> densities (fun _ : R => p).
Proof. exact: densities_const. Qed.
