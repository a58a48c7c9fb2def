(* Adaptive steps that are each no easier to distinguish than a pair of densities on the line, and what they cost together: what T
   independent draws from the pair cost, which is what an account computes.

   cost E            E u v is measurable, nonnegative and homogeneous: it stands for the integral of the positive part of u P - v Q
   covered E f g     u f <= v g + E u v for all weights u and v
   spread p q E      the cost of a draw from p or q, followed by what costs E
   excess p q n u v  the integral of the positive part of u p(x_1) ... p(x_n) - v q(x_1) ... q(x_n)
   dominated p q P Q whatever follows P and Q, the pair of laws costs no more than the pair of densities
   excess_common     draws that share a part of mass c cost at most 1 - c^n
   dominated_run     n adaptive steps, each dominated by (p, q), are (a, t)-indistinguishable if the excess of n draws is at most t *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions mathcomp_extra.
From mathcomp Require Import reals ereal interval_inference topology normedtype sequences esum exp measure numfun measurable_realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure real_releases adaptive_runs.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Pairs.
Context {R : realType}.
Local Notation mu := (@lebesgue_measure R).
Implicit Types (E : R -> R -> \bar R) (p q : R -> R) (u v a c t : R) (f g : \bar R).

Definition cost E := [/\ measurable_fun setT (fun w : R * R => E w.1 w.2), forall u v, (0 <= E u v)%E &
  forall c u v, 0 <= c -> E (c * u) (c * v) = (c%:E * E u v)%E].

Definition covered E f g := forall u v, 0 <= u -> 0 <= v -> (u%:E * f <= v%:E * g + E u v)%E.

Definition spread p q E u v : \bar R := (\int[mu]_x E (u * p x)%R (v * q x)%R)%E.

Fixpoint excess p q n : R -> R -> \bar R := if n is n'.+1 then spread p q (excess p q n') else fun u v => (maxr 0 (u - v))%:E.

Lemma cost_at E d (T : measurableType d) (f g : T -> R) : cost E -> measurable_fun setT f -> measurable_fun setT g ->
  measurable_fun setT (fun x => E (f x) (g x)).
Proof.
case=> mE _ _ mf mg.
by apply: (measurableT_comp (f := fun w : R * R => E w.1 w.2) (g := fun x => (f x, g x))) => //; exact: measurable_fun_prod.
Qed.

Lemma cost_spread p q E : measurable_fun setT p -> measurable_fun setT q -> cost E -> cost (spread p q E).
Proof.
move=> mp mq cE; have [mE E0 hE] := cE; split=> [|u v|c u v c0]; last 1 first.
- rewrite /spread -ge0_integralZl_EFin //; first by apply: eq_integral => x _; rewrite -!mulrA hE.
  by apply: cost_at => //; exact: measurable_funM.
- pose f (w : (R * R) * R) := E (w.1.1 * p w.2) (w.1.2 * q w.2).
  have mf : measurable_fun setT f.
    have [m1 m2] : measurable_fun setT (fun w : (R * R) * R => w.1.1) /\ measurable_fun setT (fun w : (R * R) * R => w.1.2).
      by split; [exact: (measurableT_comp measurable_fst measurable_fst) | exact: (measurableT_comp measurable_snd measurable_fst)].
    by apply: cost_at => //; apply: measurable_funM => //; exact: measurableT_comp.
  have f0 w : (0 <= f w)%E by exact: E0.
  have mF : measurable_fun setT (fubini_F mu f) by exact: measurable_fun_fubini_tonelli_F.
  exact: mF.
by apply: integral_ge0 => x _.
Qed.

Lemma cost_excess p q n : measurable_fun setT p -> measurable_fun setT q -> cost (excess p q n).
Proof.
move=> mp mq; elim: n => [|n IH] /=; last exact: cost_spread.
split=> [|u v|c u v c0].
- apply/measurable_EFinP; apply: measurable_maxr; first exact: measurable_cst.
  by apply: measurable_funB.
- by rewrite lee_fin le_max lexx.
- by rewrite -EFinM -mulrBr -[X in maxr X _](mulr0 c) maxr_pMr.
Qed.

Definition dominated p q d (T : measurableType d) (P Q : {measure set T -> \bar R}) := forall E F G, cost E -> test F -> test G ->
  (forall x, covered E (F x) (G x)) -> covered (spread p q E) (\int[P]_x F x) (\int[Q]_x G x).

Section Steps.
Context d (S : measurableType d) (K L : nat -> R.-pker S ~> S) (p q : R -> R).
Hypotheses (mp : measurable_fun setT p) (mq : measurable_fun setT q).

Theorem dominated_after n F z : (forall i y, dominated p q (K i y) (L i y)) -> test F ->
  covered (excess p q n) (after K n F z) (after L n F z).
Proof.
move=> + tF; elim: n K L z => [|n IH] K' L' z dom /=.
  move=> u v u0 v0; have [_ /(_ z)/andP[F0 F1]] := tF.
  have e : F z = (fine (F z))%:E by rewrite fineK // ge0_fin_numE // (le_lt_trans F1) // ltry.
  rewrite e !lee_fin in F0 F1; rewrite e -!EFinM -EFinD lee_fin; move: (fine (F z)) F0 F1 => f f0 f1.
  have [m0 m1] : 0 <= maxr 0 (u - v) /\ u - v <= maxr 0 (u - v) by rewrite !le_max !lexx orbT.
  have : (u - v) * f <= maxr 0 (u - v) * f by rewrite ler_wpM2r.
  have : maxr 0 (u - v) * f <= maxr 0 (u - v) by rewrite ler_piMr.
  rewrite mulrBl; lra.
apply: (dom 0%N z); [exact: cost_excess | exact: test_after | exact: test_after | move=> y].
by apply: (IH (fun i => K' i.+1) (fun i => L' i.+1)) => i x; exact: dom.
Qed.

Theorem dominated_run n a t A z : (forall i y, dominated p q (K i y) (L i y)) -> measurable A -> 0 <= a ->
  (excess p q n 1 a <= t%:E)%E -> (run K n A z <= a%:E * run L n A z + t%:E)%E.
Proof.
move=> dom mA a0 le; have := dominated_after n z dom (test_event mA) ler01 a0; rewrite mul1e => h.
by apply: le_trans h _; rewrite leeD2l.
Qed.
End Steps.

(* Draws from densities with a common part r of mass c: what the rest can cost. *)
Lemma excess_common (p q r : R -> R) (c : R) n (u v w : R) : density p -> measurable_fun setT q -> measurable_fun setT r -> (forall x, 0 <= r x) ->
  (\int[mu]_x (r x)%:E = c%:E)%E -> (forall x, r x <= p x) -> (forall x, r x <= q x) -> 0 <= w -> w <= u -> w <= v ->
  (excess p q n u v <= (u - c ^+ n * w)%:E)%E.
Proof.
move=> [mp p0 p1] mq mr r0 rc rp rq; elim: n u v w => [|n IH] u v w w0 wu wv.
  by rewrite /= lee_fin expr0 mul1r ge_max subr_ge0 wu lerB.
have c0 : 0 <= c by rewrite -lee_fin -rc; apply: integral_ge0 => x _; rewrite lee_fin.
have [mE E0 _] := cost_excess n mp mq; have u0 := le_trans w0 wu; have k0 : 0 <= c ^+ n * w by rewrite mulr_ge0 ?exprn_ge0.
have m1 : measurable_fun setT (fun x => excess p q n (u * p x) (v * q x)).
  by apply: cost_at; [exact: cost_excess | exact: measurable_funM | exact: measurable_funM].
have e (k : R) (f : R -> R) : 0 <= k -> measurable_fun setT f -> (forall x, 0 <= f x) ->
    (\int[mu]_x (k%:E * (f x)%:E) = k%:E * \int[mu]_x (f x)%:E)%E.
  by move=> k0' mf f0; rewrite ge0_integralZl_EFin //; [move=> x _; rewrite lee_fin | exact/measurable_EFinP].
rewrite /= /spread EFinB leeBrDr // exprSr -mulrA [c * w]mulrC mulrA EFinM -rc -e // -ge0_integralD //; last 2 first.
- by move=> x _; rewrite mule_ge0 ?lee_fin.
- by apply: measurable_funeM; exact/measurable_EFinP.
have -> : u%:E = (\int[mu]_x (u%:E * (p x)%:E))%E by rewrite e // p1 mule1.
apply: ge0_le_integral => //.
- by move=> x _; rewrite adde_ge0 ?mule_ge0 ?lee_fin.
- by apply: emeasurable_funD => //; apply: measurable_funeM; exact/measurable_EFinP.
- by move=> x _; rewrite mule_ge0 ?lee_fin.
- by apply: measurable_funeM; exact/measurable_EFinP.
move=> x _; have := IH (u * p x) (v * q x) (w * r x) (mulr_ge0 w0 (r0 x)) (ler_pM w0 (r0 x) wu (rp x)) (ler_pM w0 (r0 x) wv (rq x)).
by rewrite EFinB leeBrDr // -!EFinM mulrA.
Qed.
End Pairs.

Example excess_computes (R : realType) (p q : R -> R) : excess p q 0 3 1 = 2%:E.
Proof. by rewrite /= max_r; [congr EFin; lra | lra]. Qed.
