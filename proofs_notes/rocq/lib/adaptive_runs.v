(* Adaptive algorithms whose outcomes are not on a grid: probabilities on any measurable space, such as the real numbers.

   A state s of a measurable space S holds all that was released so far. Step i is a kernel: K i s is the law of the next state;
   [after K n F s] is the mean of F at the state after n steps, begun at s, and [run K n A s] the probability that it lies
   in A. Guarantees are about functions F with values in [0, 1], so that those of consecutive parts can be put together. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions mathcomp_extra.
From mathcomp Require Import reals ereal interval_inference topology normedtype sequences esum exp measure numfun measurable_realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral kernel.
From DPPCA.lib Require Import measure real_releases.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Runs.
Context d (S : measurableType d) (R : realType).
Implicit Types (K L : nat -> R.-pker S ~> S) (F G : S -> \bar R).

Lemma pker_mean (K : R.-pker S ~> S) : (forall s, K s setT = 1) /\
  (forall f : S -> \bar R, measurable_fun setT f -> (forall x, 0 <= f x) -> measurable_fun setT (fun s => \int[K s]_x f x)).
Proof.
split=> [s|f mf f0]; first exact: prob_kernel.
by apply: measurable_fun_integral_kernel => // U mU; exact: measurable_kernel.
Qed.

(* The mean of F at the state after n steps. *)
Fixpoint after (K : nat -> R.-pker S ~> S) n F (s : S) : \bar R :=
  if n is n'.+1 then \int[K 0%N s]_x after (fun i => K i.+1) n' F x else F s.

Definition run K n (A : set S) (s : S) : \bar R := after K n (fun x => (\1_A x)%:E) s.

Lemma after_add K m n F s : after K (m + n) F s = after K m (after (fun i => K (m + i)%N) n F) s.
Proof. by elim: m K s => [|m IH] K s //=; apply: eq_integral => x _; exact: IH. Qed.

Lemma after_eq K L n F s : (forall i, (i < n)%N -> K i = L i) -> after K n F s = after L n F s.
Proof.
elim: n K L s => [//|n IH] K L s same /=; rewrite (same 0%N) //; apply: eq_integral => x _; apply: IH => i lt.
exact: (same i.+1).
Qed.

Lemma test_after K n F : test F -> test (after K n F).
Proof.
move=> tF; elim: n K => [//|n IH] K /=; have [mF F01] := IH (fun i => K i.+1); have [K1 mI] := pker_mean (K 0%N).
have F0 x : 0 <= after (fun i => K i.+1) n F x by case/andP: (F01 x).
split=> [|s]; first exact: mI.
apply/andP; split; first by apply: integral_ge0 => x _; apply: F0.
apply: le_trans (_ : \int[K 0%N s]_x 1%:E <= _); last by rewrite (integral_cst (K 0%N s) measurableT) K1 mule1.
by apply: ge0_le_integral => // x _; case/andP: (F01 x).
Qed.

(* One step, and then what is private given its outcome. *)
Lemma mean_then (P Q : {measure set S -> \bar R}) (a a' t t' : R) F G : P setT = 1 -> (0 <= a)%R -> (0 <= a')%R -> (0 <= t')%R ->
  test F -> test G -> indist a t P Q -> (forall x, F x <= a'%:E * G x + t'%:E) ->
  \int[P]_x F x <= (a * a')%:E * \int[Q]_x G x + (t + t')%:E.
Proof.
move=> P1 a0 a'0 D0 [mF F01] [mG G01] H FG.
have F0 x : 0 <= F x by case/andP: (F01 x).
have G0 x : 0 <= G x by case/andP: (G01 x).
have PG0 x : 0 <= a'%:E * G x by rewrite mule_ge0 ?lee_fin.
have mPG : measurable_fun setT (fun x => a'%:E * G x) by apply: measurable_funeM.
have mone : measurable_fun setT (cst 1 : S -> \bar R) by exact: measurable_cst.
have mD : measurable_fun setT (cst t'%:E : S -> \bar R) by exact: measurable_cst.
pose h x := mine (a'%:E * G x) 1.
have mh : measurable_fun setT h by apply: measurable_mine.
have h0 x : 0 <= h x by rewrite /h le_min PG0 lee_fin ler01.
have h1 x : h x <= 1 by rewrite /h ge_min lexx orbT.
have hP x : h x <= a'%:E * G x by rewrite /h ge_min lexx.
have Fh x : F x <= h x + t'%:E.
  rewrite /h; case: (leP (a'%:E * G x) 1) => _ //; apply: le_trans (_ : 1 <= _); first by case/andP: (F01 x).
  by rewrite leeDl // lee_fin.
have step1 : \int[P]_x F x <= \int[P]_x h x + t'%:E.
  have eD : \int[P]_x t'%:E = t'%:E by rewrite (integral_cst P measurableT) P1 mule1.
  have D0' x : [set: S] x -> 0 <= (cst t'%:E : S -> \bar R) x by rewrite lee_fin.
  rewrite -[X in _ + X]eD -(ge0_integralD P measurableT (fun x _ => h0 x) mh D0' mD).
  apply: ge0_le_integral => //; first by move=> x _; rewrite adde_ge0 ?h0 ?lee_fin.
  exact: emeasurable_funD.
have step2 := indist_mean mh h0 h1 a0 P1 H.
have step3 : \int[Q]_x h x <= a'%:E * \int[Q]_x G x.
  by rewrite -(ge0_integralZl_EFin Q measurableT (fun x _ => G0 x) mG a'0); apply: ge0_le_integral.
apply: le_trans step1 _; rewrite EFinD addeA leeD2r //.
apply: le_trans step2 _; rewrite leeD2r // EFinM -muleA.
by apply: lee_wpmul2l; rewrite ?lee_fin.
Qed.

(* Step i has the guarantee (a i, t i), and what is computed from the last state the guarantee (c, u). *)
Theorem after_indist K L n (a t : nat -> R) (c u : R) F G s : test F -> test G -> (0 <= c)%R -> (0 <= u)%R ->
  (forall i, 0 <= a i)%R -> (forall i s, indist (a i) (t i) (K i s) (L i s)) -> (forall x, F x <= c%:E * G x + u%:E) ->
  after K n F s <= ((\prod_(i < n) a i) * c)%R%:E * after L n G s + (\sum_(i < n) t i + u)%R%:E.
Proof.
move=> tF tG c0 u0; elim: n K L a t s => [|n IH] K L a t s a0 H FG /=.
  by rewrite !big_ord0 mul1r add0r.
have t0 i : (0 <= t i)%R by have := H i s set0 measurable0; rewrite !measure0 mule0 add0e lee_fin.
rewrite !big_ord_recl -mulrA -addrA; apply: mean_then => //.
- exact: (proj1 (pker_mean (K 0%N))).
- by rewrite mulr_ge0 // prodr_ge0.
- by rewrite addr_ge0 // sumr_ge0.
- exact: test_after.
- exact: test_after.
- by move=> x; exact: (IH (fun i => K i.+1) (fun i => L i.+1) (fun i => a i.+1) (fun i => t i.+1) x).
Qed.

Lemma after_same K L n (c u : R) F G s : test F -> test G -> (0 <= c)%R -> (0 <= u)%R ->
  (forall i s, (i < n)%N -> indist 1 0 (K i s) (L i s)) -> (forall x, F x <= c%:E * G x + u%:E) ->
  after K n F s <= c%:E * after L n G s + u%:E.
Proof.
move=> tF tG c0 u0; elim: n K L s => [//|n IH] K L s H FG /=.
rewrite -[c in leRHS]mul1r -[u in leRHS]add0r; apply: mean_then => //.
- exact: (proj1 (pker_mean (K 0%N))).
- exact: test_after.
- exact: test_after.
- exact: H.
- by move=> x; apply: IH => // i y lt; apply: H.
Qed.

(* Only the m steps from i0 on depend on what changes, and they pay alone. *)
Theorem after_block K L n i0 m (a t : R) F s : test F -> (0 <= a)%R -> (0 <= t)%R ->
  (forall i s, (i < i0)%N || (i0 + m <= i)%N -> indist 1 0 (K i s) (L i s)) ->
  (forall F G s, test F -> test G -> (forall x, F x <= G x) ->
    after (fun i => K (i0 + i)%N) m F s <= a%:E * after (fun i => L (i0 + i)%N) m G s + t%:E) ->
  after K (i0 + (m + n)) F s <= a%:E * after L (i0 + (m + n)) F s + t%:E.
Proof.
move=> tF a0 t0 same block; rewrite !after_add; apply: after_same => //.
- exact: test_after.
- exact: test_after.
- by move=> i y lt; apply: same; rewrite lt.
move=> x; rewrite !after_add; apply: block; try exact: test_after.
move=> y; rewrite -[leRHS]mul1e -[leRHS]adde0; apply: after_same => //.
  by move=> i z _; apply: same; rewrite addnA leq_addr orbT.
by move=> z; rewrite mul1e adde0.
Qed.

(* liu2022.lemma-b.3 on any measurable space: basic adaptive composition, step i has the guarantee (a i, t i) *)
Theorem run_indist K L n (a t : nat -> R) A s : measurable A ->
  (forall i, 0 <= a i)%R -> (forall i s, indist (a i) (t i) (K i s) (L i s)) ->
  run K n A s <= (\prod_(i < n) a i)%R%:E * run L n A s + (\sum_(i < n) t i)%R%:E.
Proof.
move=> mA a0 H; have tA := @test_event R _ S A mA.
rewrite -[(\prod_i _)%R]mulr1 -[(\sum_i _)%R]addr0; apply: after_indist => //.
by move=> x; rewrite mul1e adde0.
Qed.

(* liu2022.lemma-b.2 on any measurable space: only step i0 depends on what changes, and it pays alone *)
Theorem run_parallel K L n i0 (a t : R) A s : measurable A ->
  (1 <= a)%R -> (0 <= t)%R -> (forall i s, i != i0 -> indist 1 0 (K i s) (L i s)) ->
  (forall s, indist a t (K i0 s) (L i0 s)) -> run K n A s <= a%:E * run L n A s + t%:E.
Proof.
move=> mA a1 t0 same H; have [_ /(_ s)/andP[L0 _]] := test_after L n (@test_event R _ S A mA).
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
