(* Adaptive algorithms whose outcomes are not on a grid: probabilities on any measurable space, such as the real numbers.

   A state s of a measurable space S holds all that was released so far. Step i is a kernel: K i s is the law of the next state;
   [run K n A s] is the probability that the state after n steps, begun at s, lies in A. An algorithm that releases a
   value with noise has the step [release_step]: draw the outcome, then compute the next state from it. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions mathcomp_extra.
From mathcomp Require Import reals ereal interval_inference topology normedtype sequences esum exp measure numfun measurable_realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral kernel.
From DPPCA.lib Require Import measure.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Runs.
Context d (S : measurableType d) (R : realType).
Implicit Types K L : nat -> R.-pker S ~> S.

Lemma pker_mean (K : R.-pker S ~> S) : (forall s, K s setT = 1) /\
  (forall f : S -> \bar R, measurable_fun setT f -> (forall x, 0 <= f x) -> measurable_fun setT (fun s => \int[K s]_x f x)).
Proof.
split=> [s|f mf f0]; first exact: prob_kernel.
by apply: measurable_fun_integral_kernel => // U mU; exact: measurable_kernel.
Qed.

Fixpoint run (K : nat -> R.-pker S ~> S) n (A : set S) (s : S) : \bar R :=
  if n is n'.+1 then \int[K 0%N s]_x run (fun i => K i.+1) n' A x else (\1_A s)%:E.

Lemma run_ok K n A : measurable A ->
  measurable_fun setT (run K n A) /\ forall s, 0 <= run K n A s /\ run K n A s <= 1.
Proof.
move=> mA; elim: n K => [|n IH] K /=.
  split=> [|s]; first by apply/measurable_EFinP; apply: measurable_indic.
  by rewrite !lee_fin indicE; case: (_ \in _); rewrite ?ler01 ?lexx.
have [mF F01] := IH (fun i => K i.+1); have [K1 mI] := pker_mean (K 0%N).
have F0 x : 0 <= run (fun i => K i.+1) n A x by case: (F01 x).
split=> [|s]; first exact: mI.
split; first by apply: integral_ge0 => x _; apply: F0.
apply: le_trans (_ : \int[K 0%N s]_x 1%:E <= _); last by rewrite (integral_cst (K 0%N s) measurableT) K1 mule1.
apply: ge0_le_integral => //; last by move=> x _; case: (F01 x).
Qed.

(* liu2022.lemma-b.3 on any measurable space: basic adaptive composition, step i has the guarantee (a i, t i) *)
Theorem run_indist K L n (a t : nat -> R) A s : measurable A ->
  (forall i, 0 <= a i)%R -> (forall i s, indist (a i) (t i) (K i s) (L i s)) ->
  run K n A s <= (\prod_(i < n) a i)%R%:E * run L n A s + (\sum_(i < n) t i)%R%:E.
Proof.
move=> mA; elim: n K L a t s => [|n IH] K L a t s a0 H.
  by rewrite !big_ord0 mul1e adde0.
have [K1 _] := pker_mean (K 0%N); have [L1 _] := pker_mean (L 0%N).
have t0 i : (0 <= t i)%R by have := H i s set0 measurable0; rewrite !measure0 mule0 add0e lee_fin.
rewrite !big_ord_recl /=.
pose P := (\prod_(i < n) a (lift ord0 i))%R; pose D := (\sum_(i < n) t (lift ord0 i))%R; rewrite -/P -/D.
have P0 : (0 <= P)%R by apply: prodr_ge0.
have D0 : (0 <= D)%R by apply: sumr_ge0.
have [mF F01] := @run_ok (fun i => K i.+1) n A mA.
have [mG G01] := @run_ok (fun i => L i.+1) n A mA.
set F := run (fun i => K i.+1) n A in mF F01 *; set G := run (fun i => L i.+1) n A in mG G01 *.
have FG x : F x <= P%:E * G x + D%:E.
  exact: (IH (fun i => K i.+1) (fun i => L i.+1) (fun i => a i.+1) (fun i => t i.+1) x).
have F0 x : 0 <= F x by case: (F01 x).
have F1 x : F x <= 1 by case: (F01 x).
have G0 x : 0 <= G x by case: (G01 x).
have PG0 x : 0 <= P%:E * G x by rewrite mule_ge0 ?lee_fin.
have mPG : measurable_fun setT (fun x => P%:E * G x) by apply: measurable_funeM.
have mone : measurable_fun setT (cst 1 : S -> \bar R) by exact: measurable_cst.
have mD : measurable_fun setT (cst D%:E : S -> \bar R) by exact: measurable_cst.
pose h x := mine (P%:E * G x) 1.
have mh : measurable_fun setT h by apply: measurable_mine.
have h0 x : 0 <= h x by rewrite /h le_min PG0 lee_fin ler01.
have h1 x : h x <= 1 by rewrite /h ge_min lexx orbT.
have hP x : h x <= P%:E * G x by rewrite /h ge_min lexx.
have Fh x : F x <= h x + D%:E.
  by rewrite /h; case: (leP (P%:E * G x) 1) => _ //; apply: le_trans (F1 x) _; rewrite leeDl // lee_fin.
have step1 : \int[K 0%N s]_x F x <= \int[K 0%N s]_x h x + D%:E.
  have eD : \int[K 0%N s]_x D%:E = D%:E by rewrite (integral_cst (K 0%N s) measurableT) K1 mule1.
  have D0' x : [set: S] x -> 0 <= (cst D%:E : S -> \bar R) x by rewrite lee_fin.
  rewrite -[X in _ + X]eD -(ge0_integralD (K 0%N s) measurableT (fun x _ => h0 x) mh D0' mD).
  apply: ge0_le_integral => //; first by move=> x _; rewrite adde_ge0 ?h0 ?lee_fin.
  exact: emeasurable_funD.
have step2 := indist_mean mh h0 h1 (a0 0%N) (K1 s) (H 0%N s).
have step3 : \int[L 0%N s]_x h x <= P%:E * \int[L 0%N s]_x G x.
  by rewrite -(ge0_integralZl_EFin (L 0%N s) measurableT (fun x _ => G0 x) mG P0); apply: ge0_le_integral.
apply: le_trans step1 _; rewrite EFinD addeA leeD2r //.
apply: le_trans step2 _; rewrite leeD2r // EFinM -muleA.
by apply: lee_wpmul2l; rewrite ?lee_fin.
Qed.

(* liu2022.lemma-b.2 on any measurable space: only step i0 depends on what changes, and it pays alone *)
Theorem run_parallel K L n i0 (a t : R) A s : measurable A ->
  (1 <= a)%R -> (0 <= t)%R -> (forall i s, i != i0 -> indist 1 0 (K i s) (L i s)) ->
  (forall s, indist a t (K i0 s) (L i0 s)) -> run K n A s <= a%:E * run L n A s + t%:E.
Proof.
move=> mA a1 t0 same H; have [_ L01] := @run_ok L n A mA; have [L0 _] := L01 s.
have steps := @run_indist K L n (fun i => if i == i0 then a else 1%R) (fun i => if i == i0 then t else 0%R) A s mA.
apply: le_trans (steps _ _) _.
- by move=> i; case: ifP => // _; rewrite (le_trans ler01).
- by move=> i s'; case: eqP => [->|/eqP ne]; [apply: H | apply: same].
apply: leeD; last first.
  rewrite lee_fin; have [lt|le] := ltnP i0 n; last first.
    by rewrite big1 // => i _; case: eqP => // e; move: (ltn_ord i); rewrite e ltnNge le.
  rewrite (bigD1 (Ordinal lt)) //= eqxx big1 ?addr0 // => i ne; case: eqP => // e.
  by case/eqP: ne; apply: val_inj.
apply: lee_wpmul2r => //; rewrite lee_fin; have [lt|le] := ltnP i0 n; last first.
  by rewrite big1 // => i _; case: eqP => // e; move: (ltn_ord i); rewrite e ltnNge le.
rewrite (bigD1 (Ordinal lt)) //= eqxx big1 ?mulr1 // => i ne; case: eqP => // e.
by case/eqP: ne; apply: val_inj.
Qed.
End Runs.

(* Three steps that leave the state as it is. *)
Example run_example d (S : measurableType d) (R : realType) (K : R.-pker S ~> S) A s : measurable A ->
  run (fun=> K) 3 A s <= (\prod_(i < 3) 1)%R%:E * run (fun=> K) 3 A s + (\sum_(i < 3) 0)%R%:E.
Proof.
move=> mA; exact: (@run_indist _ S R (fun=> K) (fun=> K) 3 (fun=> 1%R) (fun=> 0%R) A s mA (fun=> ler01) (fun i s' => @indist_refl _ _ _ (K s'))).
Qed.
