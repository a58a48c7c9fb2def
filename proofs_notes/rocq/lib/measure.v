(* Differential privacy of probabilities on any measurable space, with mathcomp-analysis.

   [indist a d mu nu] says mu(A) <= a nu(A) + d for every measurable A, a = e^epsilon. It is lib/discrete.v's [dp] for
   measures. A kernel K gives a probability on U for every x in T, measurably; [bind mu K] is the law of its output, and
   [joint mu K] the law of (input, output), which is what adaptive composition releases. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval archimedean.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import reals ereal interval_inference topology normedtype sequences esum exp measure numfun measurable_realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral.
From DPPCA.lib Require discrete.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.
Local Open Scope ereal_scope.

Section Definitions.
Context d (T : measurableType d) (R : realType).

Definition indist (a t : R) (mu nu : set T -> \bar R) := forall A, measurable A -> mu A <= a%:E * nu A + t%:E.

Definition measurable_mechanism (X : Type) (M : X -> {measure set T -> \bar R}) := forall x, M x setT = 1.
Definition mechanism_indist (X : Type) (a t : R) (neighbours : X -> X -> Prop) (M : X -> {measure set T -> \bar R}) :=
  forall x x', neighbours x x' -> indist a t (M x) (M x') /\ indist a t (M x') (M x).

Context d' (U : measurableType d').

Definition kernel (K : T -> {measure set U -> \bar R}) := (forall x, K x setT = 1) /\
  (forall C : set (T * U)%type, measurable C -> measurable_fun setT (fun x => K x (xsection C x))).

Definition joint (mu : {measure set T -> \bar R}) (K : T -> {measure set U -> \bar R}) (C : set (T * U)%type) :=
  \int[mu]_x K x (xsection C x).
Definition bind (mu : {measure set T -> \bar R}) (K : T -> {measure set U -> \bar R}) (B : set U) := \int[mu]_x K x B.
End Definitions.

(* The layers of a number between 0 and N. *)
Section Layers.
Variable R : realType.

Lemma count_layers N (z : R) : (0 <= z <= N%:R)%R ->
  (\sum_(k < N) (k.+1%:R <= z)%R%:R <= z <= \sum_(k < N) (k.+1%:R <= z)%R%:R + 1)%R.
Proof.
elim: N => [|N IH] /andP[z0 zN].
  by rewrite big_ord0 z0 add0r (le_trans zN) // ler01.
rewrite big_ord_recr /=; case: (leP z N%:R) => zN'.
  have -> : (N.+1%:R <= z)%R = false by apply/negbTE; rewrite -ltNge (le_lt_trans zN') // ltr_nat.
  by rewrite addr0; apply: IH; rewrite z0.
have -> : (\sum_(k < N) (k.+1%:R <= z)%R%:R = N%:R :> R)%R.
  rewrite (eq_bigr (fun=> 1%R)) => [|k _]; last by rewrite (le_trans _ (ltW zN')) // ler_nat.
  by rewrite sumr_const card_ord.
case: (leP N.+1%:R z) => h; rewrite /= ?addr0 natr1; last by rewrite !ltW.
by rewrite h (le_trans zN) // lerDl.
Qed.

Lemma layers n (y : R) : (0 < n)%N -> (0 <= y <= 1)%R ->
  (\sum_(k < n) n%:R^-1 * (k.+1%:R / n%:R <= y)%R%:R <= y <= \sum_(k < n) n%:R^-1 * (k.+1%:R / n%:R <= y)%R%:R + n%:R^-1)%R.
Proof.
move=> n0 /andP[y0 y1]; have n0' : (0 < n%:R :> R)%R by rewrite ltr0n.
have := @count_layers n (y * n%:R)%R; rewrite mulr_ge0 ?(ltW n0') //= ler_piMl ?(ltW n0') // => /(_ isT).
rewrite (eq_bigr (fun k : 'I_n => (k.+1%:R / n%:R <= y)%R%:R)) => [|k _]; last by rewrite ler_pdivrMr.
set s := (\sum_k _)%R => /andP[h1 h2]; rewrite -mulr_sumr -/s; apply/andP; split.
  by rewrite mulrC ler_pdivrMr.
by rewrite -[X in (_ + X)%R]mulr1 -mulrDr mulrC ler_pdivlMr.
Qed.
End Layers.

(* Every measurable test with values in [0, 1] obeys the inequality of the events. *)
Section Mean.
Context d (T : measurableType d) (R : realType).
Variable h : T -> \bar R.
Hypotheses (mh : measurable_fun setT h) (h0 : forall x, 0 <= h x) (h1 : forall x, h x <= 1).

Let level n k := [set x | (k.+1%:R / n%:R)%:E <= h x].
Let step n x : \bar R := \sum_(k < n) (n%:R^-1)%:E * (\1_(level n k) x)%:E.

Let measurable_level n k : measurable (level n k).
Proof. by rewrite -[level _ _]setTI; apply: emeasurable_fun_c_infty. Qed.

Let step_bounds n x : (0 < n)%N -> step n x <= h x /\ h x <= step n x + (n%:R^-1)%:E.
Proof.
move=> n0; have hf : h x \is a fin_num.
  by rewrite ge0_fin_numE // (le_lt_trans (h1 x)) // ltry.
have y01 : (0 <= fine (h x) <= 1)%R by rewrite -!lee_fin fineK // h0 h1.
have -> : step n x = (\sum_(k < n) n%:R^-1 * (k.+1%:R / n%:R <= fine (h x))%R%:R)%:E.
  rewrite /step -sumEFin; apply: eq_bigr => k _; rewrite -EFinM indicE; congr (_ * _%:R)%:E.
  congr (nat_of_bool _); apply/idP/idP; rewrite inE /level /=.
    by rewrite -{1}(fineK hf) lee_fin.
  by rewrite -{2}(fineK hf) lee_fin.
by have /andP[l u] := layers n0 y01; rewrite -(fineK hf) -EFinD !lee_fin.
Qed.

Let integral_step (m : {measure set T -> \bar R}) n :
  \int[m]_x step n x = \sum_(k < n) (n%:R^-1)%:E * m (level n k).
Proof.
have n0 : (0 <= n%:R^-1 :> R)%R by rewrite invr_ge0.
have mi k : measurable_fun setT (fun x => (\1_(level n k) x)%:E : \bar R).
  by apply/measurable_EFinP; apply: measurable_indic.
have i0 k x : 0 <= (\1_(level n k) x)%:E :> \bar R by rewrite lee_fin.
have mn k : measurable_fun setT (fun x => (n%:R^-1)%:E * (\1_(level n k) x)%:E : \bar R) by apply: measurable_funeM.
have i0' k x : 0 <= (n%:R^-1)%:E * (\1_(level n k) x)%:E :> \bar R by rewrite mule_ge0.
transitivity (\sum_(k < n) \int[m]_x ((n%:R^-1)%:E * (\1_(level n k) x)%:E)).
  exact: (ge0_integral_sum m measurableT (fun k : 'I_n => mn k) (fun k x _ => i0' k x)).
apply: eq_bigr => k _; rewrite (ge0_integralZl_EFin m measurableT (fun x _ => i0 k x) (mi k) n0).
by rewrite integral_indic // setIT.
Qed.
Let measurable_step n : measurable_fun setT (step n).
Proof.
apply: emeasurable_fun_sum => k; apply: measurable_funeM.
by apply/measurable_EFinP; apply: measurable_indic.
Qed.

Let step_ge0 n x : 0 <= step n x.
Proof. by apply: sume_ge0 => k _; rewrite mule_ge0 // lee_fin. Qed.

Theorem indist_mean (mu nu : {measure set T -> \bar R}) a t : (0 <= a)%R -> mu setT = 1 -> indist a t mu nu ->
  \int[mu]_x h x <= a%:E * \int[nu]_x h x + t%:E.
Proof.
move=> a0 mu1 H.
have t0 : (0 <= t)%R by have := H set0 measurable0; rewrite !measure0 mule0 add0e lee_fin.
suff bound n : (0 < n)%N -> \int[mu]_x h x <= a%:E * \int[nu]_x h x + t%:E + (n%:R^-1)%:E.
  apply/lee_addgt0Pr => e e1; pose n := (archi_bound (e^-1)%R).+1.
  have en : (n%:R^-1 <= e)%R.
    have e0 : (0 <= e^-1 :> R)%R by rewrite invr_ge0 ltW.
    rewrite -[leRHS]invrK lef_pV2 ?posrE ?invr_gt0 ?ltr0n //; apply: ltW.
    by apply: lt_le_trans (archi_boundP e0) _; rewrite ler_nat /n leqnSn.
  by apply: le_trans (bound n isT) _; rewrite leeD2l // lee_fin.
move=> n0; pose r : R := (n%:R^-1)%R; have r0 : (0 <= r)%R by rewrite invr_ge0.
have le_h x : step n x <= h x by have [] := step_bounds x n0.
have h_le x : h x <= step n x + r%:E by have [] := step_bounds x n0.
have mr : measurable_fun setT (cst r%:E : T -> \bar R) by exact: measurable_cst.
have up : \int[mu]_x h x <= \int[mu]_x step n x + r%:E.
  have e1 : \int[mu]_x (cst r%:E) x = r%:E by rewrite (integral_cst mu measurableT) mu1 mule1.
  have rr0 x : [set: T] x -> 0 <= (cst r%:E : T -> \bar R) x by rewrite lee_fin.
  have sum := ge0_integralD mu measurableT (fun x _ => step_ge0 n x) (@measurable_step n) rr0 mr.
  rewrite -[X in _ + X]e1 -sum; apply: ge0_le_integral => //; last exact: emeasurable_funD.
  by move=> x _; rewrite adde_ge0 ?step_ge0 ?lee_fin.
have down : \int[nu]_x step n x <= \int[nu]_x h x by apply: ge0_le_integral.
apply: le_trans up _; rewrite leeD2r //.
apply: le_trans (_ : a%:E * \int[nu]_x step n x + t%:E <= _); last first.
  by rewrite leeD2r // lee_wpmul2l // lee_fin.
rewrite !integral_step ge0_sume_distrr => [|k _]; last by rewrite mule_ge0 ?lee_fin.
have -> : t%:E = \sum_(k < n) (r%:E * t%:E).
  rewrite -EFinM sumEFin sumr_const card_ord -mulr_natl /r mulrA divff ?mul1r //.
  by rewrite pnatr_eq0 -lt0n.
rewrite -big_split /=; apply: lee_sum => k _.
rewrite muleCA -ge0_muleDr ?mule_ge0 ?lee_fin //.
by apply: lee_wpmul2l; [rewrite lee_fin | apply: H].
Qed.
End Mean.

Section Laws.
Context d (T : measurableType d) (R : realType).
Implicit Types (mu nu rho : {measure set T -> \bar R}) (a t : R).

Lemma indist_ge0 mu nu a t : indist a t mu nu -> (0 <= t)%R.
Proof. by move=> H; have := H set0 measurable0; rewrite !measure0 mule0 add0e lee_fin. Qed.

Lemma measure_le1 mu A : mu setT = 1 -> measurable A -> mu A <= 1.
Proof. by move=> <- mA; apply: le_measure; rewrite ?inE //. Qed.

Theorem indist_refl mu : indist 1 0 mu mu.
Proof. by move=> A mA; rewrite mul1e adde0. Qed.

Theorem indist_monotone mu nu a a' t t' : (a <= a')%R -> (t <= t')%R -> indist a t mu nu -> indist a' t' mu nu.
Proof.
move=> aa tt H A mA; apply: le_trans (H A mA) _; apply: leeD; last by rewrite lee_fin.
by apply: lee_wpmul2r => //; rewrite lee_fin.
Qed.

Theorem indist_transitive mu nu rho a a' t t' : (0 <= a)%R -> (0 <= a')%R ->
  indist a t mu nu -> indist a' t' nu rho -> indist (a * a') (t + a * t') mu rho.
Proof.
move=> a0 a'0 H H' A mA; have t'0 := indist_ge0 H'; apply: le_trans (H A mA) _.
apply: le_trans (_ : a%:E * (a'%:E * rho A + t'%:E) + t%:E <= _).
  by rewrite leeD2r //; apply: lee_wpmul2l; [rewrite lee_fin | apply: H'].
rewrite ge0_muleDr ?mule_ge0 ?lee_fin // EFinD !EFinM -muleA -addeA [t%:E + _]addeC.
by rewrite lexx.
Qed.

(* Group privacy: x' is reached from x in k steps. *)
Theorem mechanism_group_privacy (X : Type) (neighbours : X -> X -> Prop) a t k (M : X -> {measure set T -> \bar R}) x x' :
  (0 <= a)%R -> mechanism_indist a t neighbours M -> discrete.distance neighbours k x x' ->
  indist (a ^+ k) (t * \sum_(i < k) a ^+ i)%R (M x) (M x').
Proof.
move=> a0 H; elim=> {x x' k} [x|k x y z xy _ IH].
  by rewrite expr0 big_ord0 mulr0; apply: indist_refl.
have -> : (t * (\sum_(i < k.+1) a ^+ i) = t + a * (t * \sum_(i < k) a ^+ i))%R.
  rewrite big_ord_recl expr0 mulrDr mulr1; congr (_ + _)%R.
  by rewrite mulrCA; congr (_ * _)%R; rewrite mulr_sumr; apply: eq_bigr => i _; rewrite -exprS.
rewrite exprS; apply: indist_transitive IH; rewrite ?exprn_ge0 //.
by have [] := H x y xy.
Qed.

(* Convexity: the same choice between two pairs of laws. *)
Theorem indist_convex mu nu mu' nu' a t t' (s : R) : (0 <= a)%R -> (0 <= s <= 1)%R ->
  indist a t mu nu -> indist a t' mu' nu' ->
  indist a (s * t + (1 - s) * t')%R
    (fun A => s%:E * mu A + (1 - s)%:E * mu' A) (fun A => s%:E * nu A + (1 - s)%:E * nu' A).
Proof.
move=> a0 /andP[s0 s1] H H' A mA; have t0 := indist_ge0 H; have t'0 := indist_ge0 H'.
have : (0 <= 1 - s)%R by rewrite subr_ge0.
move: (1 - s)%R => u u0; apply: le_trans (_ : s%:E * (a%:E * nu A + t%:E) + u%:E * (a%:E * nu' A + t'%:E) <= _).
  by apply: leeD; apply: lee_wpmul2l; rewrite ?lee_fin //; [apply: H | apply: H'].
rewrite !ge0_muleDr ?mule_ge0 ?lee_fin // EFinD !EFinM addeACA.
by rewrite ![a%:E * (_ * _)]muleCA lexx.
Qed.

(* Post-processing by a measurable function. *)
Theorem indist_post_processing_function d' (U : measurableType d') (f : T -> U) (mf : measurable_fun setT f) mu nu a t :
  indist a t mu nu -> indist a t (pushforward mu mf) (pushforward nu mf).
Proof. by move=> H B mB; apply: H; rewrite -[X in measurable X]setTI; apply: mf. Qed.

(* A ratio of at most a for events outside of a set of probability t. *)
Theorem indist_bad_set mu nu a t B : (0 <= a)%R -> measurable B -> mu B <= t%:E ->
  (forall A, measurable A -> A `&` B = set0 -> mu A <= a%:E * nu A) -> indist a t mu nu.
Proof.
move=> a0 mB bad ratio A mA; rewrite (measureDI mu mA mB); apply: leeD.
  apply: le_trans (ratio _ (measurableD mA mB) _) _; first by rewrite setDE -setIA setICl setI0.
  by apply: lee_wpmul2l; [rewrite lee_fin | apply: le_measure; do ?[by rewrite inE]; first (by rewrite inE; apply: measurableD); exact: subDsetl].
apply: le_trans bad; apply: le_measure; rewrite ?inE //; exact: measurableI.
Qed.

(* Laws with densities f and g with respect to rho. *)
Definition has_density rho (f : T -> R) (mu : set T -> \bar R) :=
  forall A, measurable A -> mu A = \int[rho]_(x in A) (f x)%:E.

Theorem indist_density mu nu rho (f g : T -> R) a t B : (0 <= a)%R -> measurable B ->
  measurable_fun setT f -> measurable_fun setT g -> (forall x, 0 <= f x)%R -> (forall x, 0 <= g x)%R ->
  has_density rho f mu -> has_density rho g nu -> (forall x, ~ B x -> (f x <= a * g x)%R) -> mu B <= t%:E ->
  indist a t mu nu.
Proof.
move=> a0 mB mf mg f0 g0 df dg ratio bad; apply: (indist_bad_set a0 mB bad) => A mA AB.
have mA' (h : T -> R) : measurable_fun setT h -> measurable_fun A (fun x => (h x)%:E).
  by move=> mh; apply/measurable_EFinP; apply: measurable_funS mh.
rewrite df // dg // -ge0_integralZl_EFin //; [|by move=> x _; rewrite lee_fin|exact: mA'].
apply: ge0_le_integral => //.
- by move=> x _; rewrite lee_fin.
- exact: mA'.
- by move=> x _; rewrite mule_ge0 ?lee_fin.
- by apply: measurable_funeM; apply: mA'.
- move=> x Ax; rewrite -EFinM lee_fin; apply: ratio => Bx.
  by have : (A `&` B) x by []; rewrite AB.
Qed.

End Laws.

(* The worst event for two densities is where f exceeds a g: it alone decides. *)
Section NeymanPearson.
Context d (T : measurableType d) (R : realType).
Variables (mu nu rho : {measure set T -> \bar R}) (f g : T -> R) (a t : R).
Hypotheses (a0 : (0 <= a)%R) (mu1 : mu setT = 1) (nu1 : nu setT = 1).
Hypotheses (mf : measurable_fun setT f) (mg : measurable_fun setT g).
Hypotheses (f0 : forall x, (0 <= f x)%R) (g0 : forall x, (0 <= g x)%R).
Hypotheses (df : has_density rho f mu) (dg : has_density rho g nu).

Definition worst_event := [set x | (a * g x < f x)%R].

Let mE (h : T -> R) A : measurable_fun setT h -> measurable A -> measurable_fun A (fun x => (h x)%:E).
Proof. by move=> mh mA; apply/measurable_EFinP; apply: measurable_funS mh. Qed.

Lemma measurable_worst_event : measurable worst_event.
Proof.
rewrite [worst_event](_ : _ = [set: T] `&` [set x | 0 < (f x - a * g x)%:E]).
  apply: emeasurable_fun_o_infty => //; apply/measurable_EFinP; apply: measurable_funB => //.
  by apply: measurable_funM; [exact: measurable_cst | exact: mg].
by rewrite setTI; apply/seteqP; split=> x; rewrite /worst_event /= lte_fin subr_gt0.
Qed.

Let scaled A : measurable A -> a%:E * nu A = \int[rho]_(x in A) (a%:E * (g x)%:E).
Proof.
by move=> mA; rewrite dg // ge0_integralZl_EFin //; [move=> x _; rewrite lee_fin | apply: mE].
Qed.

Let compare A : measurable A ->
  ((forall x, A x -> (f x <= a * g x)%R) -> mu A <= a%:E * nu A) /\
  ((forall x, A x -> (a * g x <= f x)%R) -> a%:E * nu A <= mu A).
Proof.
move=> mA; rewrite scaled // df //.
have mag : measurable_fun A (fun x => a%:E * (g x)%:E) by apply: measurable_funeM; apply: mE.
have fE x : A x -> 0 <= (f x)%:E by rewrite lee_fin.
have gE x : A x -> 0 <= a%:E * (g x)%:E by move=> _; rewrite mule_ge0 ?lee_fin.
by split=> le; apply: ge0_le_integral => //; (try exact: mE) => x Ax; rewrite -EFinM lee_fin le.
Qed.

Theorem indist_worst_event : indist a t mu nu <-> mu worst_event <= a%:E * nu worst_event + t%:E.
Proof.
split=> [H|H A mA]; first exact: H measurable_worst_event.
set P := worst_event in H; have mP : measurable P by exact: measurable_worst_event.
have mAP := measurableD mA mP; have mPA := measurableD mP mA; have mI := measurableI _ _ mA mP.
have fin (m : {measure set T -> \bar R}) B : m setT = 1 -> measurable B -> m B \is a fin_num.
  by move=> m1 mB; rewrite ge0_fin_numE // (le_lt_trans (measure_le1 m1 mB)) // ltry.
have out : mu (A `\` P) <= a%:E * nu (A `\` P).
  by apply: (proj1 (compare mAP)) => x [_ /negP]; rewrite -leNgt.
have inside : a%:E * nu (P `\` A) <= mu (P `\` A).
  by apply: (proj2 (compare mPA)) => x [/ltW].
have split_at (m : {measure set T -> \bar R}) B C : measurable B -> measurable C -> m B = m (B `\` C) + m (B `&` C).
  by move=> mB mC; rewrite -measureDI.
move: H; rewrite (split_at mu _ _ mP mA) (split_at nu _ _ mP mA) [P `&` A]setIC.
rewrite (split_at mu _ _ mA mP) (split_at nu _ _ mA mP); move: out inside.
rewrite -(fineK (fin _ _ mu1 mAP)) -(fineK (fin _ _ nu1 mAP)) -(fineK (fin _ _ mu1 mPA)) -(fineK (fin _ _ nu1 mPA)).
rewrite -(fineK (fin _ _ mu1 mI)) -(fineK (fin _ _ nu1 mI)) -?EFinD -?EFinM -?EFinD -?EFinM -?EFinD !lee_fin.
move=> out inside H; rewrite mulrDr -addrA; apply: lerD => //.
rewrite mulrDr in H; rewrite -(lerD2l (fine (mu (P `\` A)))); apply: le_trans H _.
by rewrite -addrA lerD2r.
Qed.
End NeymanPearson.

Section Kernels.
Context d (T : measurableType d) d' (U : measurableType d') (R : realType).
Implicit Types (mu nu : {measure set T -> \bar R}) (K L : T -> {measure set U -> \bar R}).

Lemma kernel_section K B : kernel K -> measurable B -> measurable_fun setT (fun x => K x B).
Proof.
move=> [_ mK] mB; have := mK (setT `*` B) (measurableM measurableT mB).
by congr (measurable_fun _ _); apply/funext => x; rewrite in_xsectionM // inE.
Qed.

Lemma kernel_le1 K x B : kernel K -> measurable B -> K x B <= 1.
Proof. by move=> [K1 _] mB; apply: measure_le1. Qed.

(* Post-processing by a kernel: the output may be drawn at random. *)
Theorem indist_post_processing mu nu K a t : (0 <= a)%R -> mu setT = 1 -> kernel K ->
  indist a t mu nu -> indist a t (bind mu K) (bind nu K).
Proof.
move=> a0 mu1 kK H B mB; apply: indist_mean => //; first exact: kernel_section.
by move=> x; apply: kernel_le1.
Qed.

(* Basic adaptive composition: the second release may depend on the first, and both are released. *)
Theorem indist_adaptive_composition mu nu K L a a' t t' : (0 <= a)%R -> (0 <= a')%R -> mu setT = 1 ->
  kernel K -> kernel L -> indist a t mu nu -> (forall x, indist a' t' (K x) (L x)) ->
  indist (a * a') (t + t') (joint mu K) (joint nu L).
Proof.
move=> a0 a'0 mu1 kK kL H H' C mC; rewrite /joint.
have mS x : measurable (xsection C x) by apply: measurable_xsection.
have mKC := proj2 kK C mC; have mLC := proj2 kL C mC.
case: (pselect (exists x : T, True)) => [[x0 _]|none]; last first.
  have e : [set: T] = set0 by apply/eqP/negPn/negP => /set0P[x _]; apply: none; exists x.
  by move: mu1; rewrite e measure0 => -[] /eqP; rewrite eq_sym oner_eq0.
have t'0 := indist_ge0 (H' x0).
pose h x := mine (a'%:E * L x (xsection C x)) 1.
have h0 x : 0 <= h x by rewrite /h le_min mule_ge0 ?lee_fin //= lee_fin.
have h1 x : h x <= 1 by rewrite /h ge_min lexx orbT.
have mh : measurable_fun setT h.
  by apply: measurable_mine; [apply: measurable_funeM | apply: measurable_cst].
have Kh x : K x (xsection C x) <= h x + t'%:E.
  have le1 := kernel_le1 x kK (mS x); have le2 := H' x _ (mS x).
  rewrite /h; case: (leP (a'%:E * L x (xsection C x)) 1) => _ //.
  by apply: le_trans le1 _; apply: leeDl; rewrite lee_fin.
have mt : measurable_fun setT (cst t'%:E : T -> \bar R) by exact: measurable_cst.
have tt0 x : [set: T] x -> 0 <= (cst t'%:E : T -> \bar R) x by rewrite lee_fin.
have sum := ge0_integralD mu measurableT (fun x _ => h0 x) mh tt0 mt.
have e1 : \int[mu]_x (cst t'%:E) x = t'%:E by rewrite (integral_cst mu measurableT) mu1 mule1.
apply: le_trans (_ : \int[mu]_x (h x + (cst t'%:E : T -> \bar R) x) <= _).
  apply: ge0_le_integral => //; last exact: emeasurable_funD.
  by move=> x _; rewrite adde_ge0 // lee_fin.
rewrite sum e1; have := indist_mean mh h0 h1 a0 mu1 H => mean.
apply: le_trans (leeD2r _ mean) _.
rewrite EFinD EFinM -muleA addeA leeD2r // leeD2r //; apply: lee_wpmul2l; first by rewrite lee_fin.
rewrite -ge0_integralZl_EFin //; apply: ge0_le_integral => //.
- by move=> x _; rewrite mule_ge0 // lee_fin.
- exact: measurable_funeM.
- by move=> x _; rewrite /h ge_min lexx.
Qed.

(* Parallel composition: the second release does not see what changes, or sees nothing else. *)
Theorem indist_parallel_first mu nu K a t : (0 <= a)%R -> mu setT = 1 -> kernel K ->
  indist a t mu nu -> indist a t (joint mu K) (joint nu K).
Proof.
move=> a0 mu1 kK H; have := @indist_adaptive_composition mu nu K K a 1%R t 0%R a0 ler01 mu1 kK kK H (fun x => @indist_refl _ _ _ (K x)).
by rewrite mulr1 addr0.
Qed.

Theorem indist_parallel_second mu K L a t : (0 <= a)%R -> mu setT = 1 -> kernel K -> kernel L ->
  (forall x, indist a t (K x) (L x)) -> indist a t (joint mu K) (joint mu L).
Proof.
move=> a0 mu1 kK kL H; have := @indist_adaptive_composition mu mu K L 1%R a 0%R t ler01 a0 mu1 kK kL (@indist_refl _ _ _ mu) H.
by rewrite mul1r add0r.
Qed.
End Kernels.
