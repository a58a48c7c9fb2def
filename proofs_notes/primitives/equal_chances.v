(* The arg max of independent noisy values: ties have probability 0, and labels of equal values win with the same probability.

   arg_max noise best c E   the probability of E for the arg max of best.1, whose noisy value is best.2, and the labels c;
                            noise s is the density of the noisy value of s, and of equal numbers the first wins
   arg_max_of noise c E     the same for the labels c alone
   never_tie                two noisy values are equal with probability 0
   equal_chances            labels whose noisy values have one density: l of them win with probability #l / #labels *)
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure real_releases.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Definitions.
Context {R : realType} {L : eqType}.
Variable noise : L -> R -> R.
Implicit Types (best : L * R) (c : seq L) (E : pred L).

Fixpoint arg_max best c E : \bar R :=
  if c is s :: c' then mean (noise s) (fun y => arg_max (if best.2 < y then (s, y) else best) c' E)
  else (E best.1)%:R%:E.

Definition arg_max_of c E : \bar R := if c is s :: c' then mean (noise s) (fun y => arg_max (s, y) c' E) else 0%E.
End Definitions.

Section Means.
Context {R : realType}.
Local Notation mu := (@lebesgue_measure R).
Implicit Types (p q : R -> R).

Lemma test_bool d (T : measurableType d) (f : T -> bool) : measurable_fun setT f -> test (fun x => (f x)%:R%:E : \bar R).
Proof.
move=> mf; rewrite (_ : (fun x => _) = fun x => if f x then 1%E else 0%E : \bar R); last by apply/funext => x; case: (f x).
by apply: test_if => //; apply: test_const; rewrite ?lexx ?lee01.
Qed.

Lemma mean_swap p q (F : R * R -> \bar R) : density p -> density q -> test F ->
  mean p (fun x => mean q (fun y => F (x, y))) = mean q (fun y => mean p (fun x => F (x, y))).
Proof.
move=> [mp p0 p1] [mq q0 q1] [mF F01]; have F0 w : (0 <= F w)%E by case/andP: (F01 w).
pose f (w : R * R) := ((p w.1)%:E * ((q w.2)%:E * F w))%E.
have f0 w : (0 <= f w)%E by rewrite !mule_ge0 ?lee_fin.
have m1 : measurable_fun setT (fun w : R * R => (p w.1)%:E) by apply/measurable_EFinP; exact: measurableT_comp.
have m2 : measurable_fun setT (fun w : R * R => (q w.2)%:E) by apply/measurable_EFinP; exact: measurableT_comp.
have mf : measurable_fun setT f by do 2 (apply: emeasurable_funM => //).
transitivity (\int[mu]_x \int[mu]_y f (x, y))%E.
  apply: eq_integral => x _; rewrite -ge0_integralZl ?lee_fin //.
  - by apply: measurable_mass => //; exact: (measurableT_comp mF (measurable_pair1 x)).
  - by move=> y _; rewrite mule_ge0 ?lee_fin.
transitivity (\int[mu]_y \int[mu]_x f (x, y))%E; first exact: fubini_tonelli.
apply: eq_integral => y _; rewrite -ge0_integralZl ?lee_fin //.
- by apply: eq_integral => x _; rewrite /f /= muleCA.
- by apply: measurable_mass => //; exact: (measurableT_comp mF (measurable_pair2 y)).
- by move=> x _; rewrite mule_ge0 ?lee_fin.
Qed.

(* One number has probability 0. *)
Lemma mean_off_point p (F G : R -> \bar R) z : density p -> test F -> test G -> (forall x, x != z -> F x = G x) -> mean p F = mean p G.
Proof.
move=> [mp p0 p1] tF tG same.
have off H : test H -> mean p H = (\int[mu]_(x in setT `\ z) ((p x)%:E * H x))%E.
  move=> [mH H01]; have m1 := @measurable_mass R p H mp mH.
  have h0 x : (0 <= (p x)%:E * H x)%E by rewrite mule_ge0 ?lee_fin //; case/andP: (H01 x).
  transitivity (\int[mu]_(x in [set z] `|` ([set: R] `\ z)) ((p x)%:E * H x))%E; first by rewrite setDUK.
  rewrite ge0_integral_setU //=.
  - by rewrite integral_set1 add0e.
  - exact: measurableD.
  - by rewrite setDUK.
  - by apply/disj_set2P; rewrite setDE setTI setICr.
rewrite !off //; apply: eq_integral => x; rewrite inE => -[_ /eqP xz].
by rewrite same.
Qed.

Lemma mean_point p (F : R -> \bar R) z : density p -> test F -> (forall x, x != z -> F x = 0%E) -> mean p F = 0%E.
Proof.
move=> dp tF zero; rewrite -[RHS](mean_const dp (lexx 0%E)); apply: (mean_off_point (z := z)) => //.
by apply: test_const; rewrite lexx lee01.
Qed.

Theorem never_tie p q : density p -> density q -> mean p (fun x => mean q (fun y => (x == y)%:R%:E)) = 0%E.
Proof.
move=> dp dq; rewrite -[RHS](mean_const dp (lexx 0%E)); apply: mean_eq => x _; apply: (mean_point (z := x)) => //.
  by apply: test_bool; apply: measurable_fun_eqr.
by move=> y; rewrite eq_sym => /negPf ->.
Qed.

Lemma mean_add p F G : density p -> test F -> test G -> mean p (fun x => F x + G x)%E = (mean p F + mean p G)%E.
Proof.
move=> [mp p0 _] [mF F01] [mG G01]; rewrite /mean.
have F0 x : (0 <= F x)%E by case/andP: (F01 x).
have G0 x : (0 <= G x)%E by case/andP: (G01 x).
rewrite -ge0_integralD //.
- by apply: eq_integral => x _; rewrite ge0_muleDr.
- by move=> x _; rewrite mule_ge0 ?lee_fin.
- exact: measurable_mass.
- by move=> x _; rewrite mule_ge0 ?lee_fin.
- exact: measurable_mass.
Qed.

Lemma mean_scale p F (k : \bar R) : density p -> test F -> (0 <= k)%E -> mean p (fun x => k * F x)%E = (k * mean p F)%E.
Proof.
move=> [mp p0 _] [mF F01] k0; rewrite /mean -ge0_integralZl //.
- by apply: eq_integral => x _; rewrite muleCA.
- exact: measurable_mass.
- by move=> x _; rewrite mule_ge0 ?lee_fin //; case/andP: (F01 x).
Qed.
End Means.

Section Chances.
Context {R : realType} {L : eqType}.
Implicit Types (noise : L -> R -> R) (best : L * R) (c : seq L) (E : pred L) (x y : R).

Definition densities_of noise c := forall s, s \in c -> density (noise s).

Lemma densities_of_tail noise s c : densities_of noise (s :: c) -> density (noise s) /\ densities_of noise c.
Proof. by move=> d; split=> [|s' sc]; apply: d; rewrite inE ?eqxx ?sc ?orbT. Qed.

Lemma test_arg_max noise b c E : densities_of noise c -> test (fun x : R => arg_max noise (b, x) c E).
Proof.
elim: c b => [|s c IH] b /=; first by move=> _; apply: test_const; case: (E b); rewrite ?lexx ?lee01.
move=> /densities_of_tail[ds dc].
have tF : test (fun w : R * R => arg_max noise (if w.1 < w.2 then (s, w.2) else (b, w.1)) c E).
  rewrite (_ : (fun w => _) = fun w : R * R => if w.1 < w.2 then arg_max noise (s, w.2) c E else arg_max noise (b, w.1) c E); last first.
    by apply/funext => w; case: ifP.
  apply: test_if; first exact: measurable_fun_ltr.
    exact: (test_comp (f := snd) measurable_snd (IH s dc)).
  exact: (test_comp (f := fst) measurable_fst (IH b dc)).
have dd : densities (fun _ : R => noise s) by exact: densities_const.
exact: (test_mean dd tF).
Qed.

Lemma test_next noise b s c E x : densities_of noise c -> test (fun y : R => arg_max noise (if x < y then (s, y) else (b, x)) c E).
Proof.
move=> dc; rewrite (_ : (fun y => _) = fun y : R => if x < y then arg_max noise (s, y) c E else arg_max noise (b, x) c E); last first.
  by apply/funext => y; case: ifP.
apply: test_if; [exact: measurable_fun_ltr | exact: test_arg_max |].
by apply: test_const; have [_] := test_arg_max b E dc; apply.
Qed.

(* Events that do not meet are added. *)
Lemma arg_max_add noise best c E E' : densities_of noise c -> (forall s, ~~ (E s && E' s)) ->
  arg_max noise best c (predU E E') = (arg_max noise best c E + arg_max noise best c E')%E.
Proof.
move=> + none; elim: c best => [|s c IH] best /= => [_|/densities_of_tail[ds dc]].
  by have := none best.1; case: (E _); case: (E' _) => //= _; rewrite -EFinD ?addr0 ?add0r.
case: best => b x; rewrite -mean_add //; try exact: test_next.
by apply: mean_eq => y _; exact: IH.
Qed.

Lemma arg_max_none noise best c E : densities_of noise c -> ~~ E best.1 -> (forall s, s \in c -> ~~ E s) -> arg_max noise best c E = 0%E.
Proof.
elim: c best => [|s c IH] best /= => [_ /negPf -> //|/densities_of_tail[ds dc] Eb Ec].
rewrite -[RHS](mean_const ds (lexx 0%E)); apply: mean_eq => y _; apply: IH => //=.
  by case: ifP => _ //=; apply: Ec; exact: mem_head.
by move=> s' sc; apply: Ec; rewrite inE sc orbT.
Qed.

Lemma arg_max_all noise best c E : densities_of noise c -> E best.1 -> (forall s, s \in c -> E s) -> arg_max noise best c E = 1%E.
Proof.
elim: c best => [|s c IH] best /= => [_ -> //|/densities_of_tail[ds dc] Eb Ec].
rewrite -[RHS](mean_const ds lee01); apply: mean_eq => y _; apply: IH => //=.
  by case: ifP => _ //=; apply: Ec; exact: mem_head.
by move=> s' sc; apply: Ec; rewrite inE sc orbT.
Qed.

Lemma arg_max_same noise noise' best c E : (forall s, s \in c -> noise s = noise' s) -> arg_max noise best c E = arg_max noise' best c E.
Proof.
elim: c best => [//|s c IH] best same; have e : noise s = noise' s by apply: same; exact: mem_head.
change (mean (noise s) (fun y => arg_max noise (if best.2 < y then (s, y) else best) c E) =
  mean (noise' s) (fun y => arg_max noise' (if best.2 < y then (s, y) else best) c E)).
by rewrite e; apply: mean_eq => y _; apply: IH => s' sc; apply: same; rewrite inE sc orbT.
Qed.

(* The chances of a label against m others, all with the density p. *)
Section OneDensity.
Variable p : R -> R.
Hypothesis dp : density p.
Let noise (_ : L) := p.
Let dn c : densities_of noise c. Proof. by []. Qed.

Definition below x : \bar R := mean p (fun y => (y <= x)%R%:R%:E).
Definition all_below m x : \bar R := iter m (fun k => below x * k)%E 1%E.

Let test_below : test below.
Proof.
have dd : densities (fun _ : R => p) by exact: densities_const.
apply: (test_mean dd (F := fun w : R * R => (w.2 <= w.1)%R%:R%:E)).
by apply: test_bool; apply: measurable_fun_ler.
Qed.

Let test_mul (F G : R -> \bar R) : test F -> test G -> test (fun x => F x * G x)%E.
Proof.
move=> [mF F01] [mG G01]; split=> [|x]; first exact: emeasurable_funM.
have /andP[F0 F1] := F01 x; have /andP[G0 G1] := G01 x; rewrite mule_ge0 //=.
by rewrite -[leRHS]mule1; apply: lee_pmul.
Qed.

Let test_all_below m : test (all_below m).
Proof.
elim: m => [|m IH]; first by apply: test_const; rewrite lexx lee01.
exact: (test_mul test_below IH).
Qed.

Let all_below_ge0 m x : (0 <= all_below m x)%E. Proof. by have [_ /(_ x)/andP[]] := test_all_below m. Qed.

Lemma stays b x c : b \notin c -> arg_max noise (b, x) c (pred1 b) = all_below (size c) x.
Proof.
elim: c => [|s c IH] /=; first by rewrite eqxx.
rewrite inE negb_or => /andP[bs bc]; rewrite muleC -mean_scale //.
- apply: mean_eq => y _; case: ltP => xy; rewrite /= ?mule0 ?mule1 ?IH //.
  by apply: arg_max_none => //= [|s' sc]; [rewrite eq_sym | apply: contraNneq bc => <-].
- by apply: test_bool; apply: measurable_fun_ler.
Qed.

(* A new label beats x, and then m others. *)
Definition beats m x : \bar R := mean p (fun y => if x < y then all_below m y else 0%E).

Let test_beats m x : test (fun y => if x < y then all_below m y else 0%E).
Proof.
apply: test_if; [exact: measurable_fun_ltr | exact: test_all_below |].
by apply: test_const; rewrite lexx lee01.
Qed.

(* Noise is below y with the same probability whether y counts or not. *)
Let strictly_below y : mean p (fun x => (x < y)%R%:R%:E) = below y.
Proof.
apply: (mean_off_point (z := y)) => //; try by apply: test_bool; [apply: measurable_fun_ltr | apply: measurable_fun_ler].
- by apply: test_bool; apply: measurable_fun_ltr.
- by apply: test_bool; apply: measurable_fun_ler.
- by move=> x xy; rewrite lt_neqAle xy.
Qed.

Let swap_beats (S : R -> R -> bool) m : measurable_fun setT (fun w : R * R => S w.1 w.2) ->
  mean p (fun x => mean p (fun y => if S x y then all_below m y else 0%E)) =
  mean p (fun y => (all_below m y * mean p (fun x => (S x y)%:R%:E))%E).
Proof.
move=> mS; rewrite (mean_swap (F := fun w => if S w.1 w.2 then all_below m w.2 else 0%E)) //; last first.
  apply: test_if => //; first exact: (test_comp (f := snd) measurable_snd (test_all_below m)).
  by apply: test_const; rewrite lexx lee01.
apply: mean_eq => y _ /=; rewrite -mean_scale //.
- by apply: mean_eq => x _; case: (S x y); rewrite ?mule1 ?mule0.
- by apply: test_bool; exact: (measurableT_comp mS (measurable_pair2 y)).
Qed.

Lemma joins b x c s : uniq c -> b != s -> s \in c -> arg_max noise (b, x) c (pred1 s) = beats (size c).-1 x.
Proof.
elim: c b x => [//|s1 c IH] b x /= /andP[s1c uc] bs.
have [e|ne] := eqVneq s1 s.
  move=> _; rewrite -e in bs *; apply: mean_eq => y _; case: ifP => _; first exact: stays.
  by apply: arg_max_none => //= s' sc; apply: contraNneq s1c => <-.
rewrite inE eq_sym (negPf ne) /= => sc; have c0 : (0 < size c)%N by case: c sc {IH uc s1c}.
transitivity (mean p (fun y1 => mean p (fun y => if (x < y) && (y1 < y) then all_below (size c).-1 y else 0%E))).
  apply: mean_eq => y1 _; rewrite (_ : (if _ then _ else _) = ((if x < y1 then s1 else b), Num.max x y1)); last first.
    by case: ltP.
  rewrite IH //; last by case: ifP.
  by apply: mean_eq => y _; rewrite gt_max.
rewrite (swap_beats (S := fun y1 y => (x < y) && (y1 < y))); last first.
  by apply: measurable_and; apply: measurable_fun_ltr.
apply: mean_eq => y _; case: ltP => xy /=; last first.
  by rewrite (_ : mean p _ = 0%E) ?mule0 // -[RHS](mean_const dp (lexx 0%E)).
by rewrite strictly_below muleC -[size c in RHS]prednK.
Qed.

Lemma first_chance s c : s \notin c -> mean p (fun x => arg_max noise (s, x) c (pred1 s)) = mean p (all_below (size c)).
Proof. by move=> sc; apply: mean_eq => x _; exact: stays. Qed.

Lemma later_chance b c s : uniq c -> b != s -> s \in c -> mean p (fun x => arg_max noise (b, x) c (pred1 s)) = mean p (all_below (size c)).
Proof.
move=> uc bs sc; have c0 : (0 < size c)%N by case: c sc {uc}.
transitivity (mean p (fun x => beats (size c).-1 x)); first by apply: mean_eq => x _; exact: joins.
rewrite /beats (swap_beats (S := fun x y => x < y)); last exact: measurable_fun_ltr.
by apply: mean_eq => y _; rewrite strictly_below muleC -[in RHS](prednK c0).
Qed.
End OneDensity.

(* Each label has the same chance, so it is one over their number. *)
Theorem equal_chances noise c p l : density p -> (forall s, s \in c -> noise s = p) -> uniq c -> uniq l -> {subset l <= c} ->
  arg_max_of noise c (mem l) = ((size l)%:R / (size c)%:R)%:E.
Proof.
move=> dp same uc ul lc; case: c same uc lc => [|s0 c] same uc lc.
  by case: l ul lc => [|s l] _ lc; [rewrite mul0r | have := lc s (mem_head _ _)].
have d0 : density (noise s0) by rewrite same ?mem_head.
pose q := mean p (all_below p (size c)).
have chance s' : s' \in s0 :: c -> arg_max_of noise (s0 :: c) (pred1 s') = q.
  have rest x E : arg_max noise (s0, x) c E = arg_max (fun _ => p) (s0, x) c E.
    by apply: arg_max_same => s1 s1c; apply: same; rewrite inE s1c orbT.
  move: uc => /= /andP[s0c uc]; rewrite /= same ?mem_head // inE => /predU1P[->|s'c].
    by rewrite /q -(first_chance dp s0c); apply: mean_eq => x _; exact: rest.
  rewrite /q -(later_chance dp uc (_ : s0 != s') s'c); first by apply: mean_eq => x _; exact: rest.
  by apply: contraNneq s0c => ->.
have dc : densities_of noise (s0 :: c) by move=> s' /same ->.
have [_ dc'] := densities_of_tail dc.
have sum l' : uniq l' -> {subset l' <= s0 :: c} -> arg_max_of noise (s0 :: c) (mem l') = ((size l')%:R%:E * q)%E.
  elim: l' {l ul lc} => [|s1 l IH] /=.
    by move=> _ _; rewrite mul0e -[RHS](mean_const d0 (lexx 0%E)); apply: mean_eq => x _; exact: arg_max_none.
  move=> /andP[s1l ul] sub; have sub' : {subset l <= s0 :: c} by move=> s' s'l; apply: sub; rewrite inE s'l orbT.
  have q0 : (0 <= q)%E by rewrite -(chance s1) ?sub ?mem_head //; have /andP[] := mean_01 d0 (test_arg_max s0 (pred1 s1) dc').
  rewrite -[(size l).+1]add1n natrD EFinD ge0_muleDl ?lee_fin // mul1e -IH // -(chance s1) ?sub ?mem_head //.
  rewrite /= -mean_add //; try exact: test_arg_max.
  apply: mean_eq => x _; rewrite -arg_max_add //.
  by move=> s'; apply/negP => /andP[/eqP ->]; exact/negP.
have total := sum (s0 :: c) uc (fun s' => id).
have one : arg_max_of noise (s0 :: c) (mem (s0 :: c)) = 1%E.
  rewrite -[RHS](mean_const d0 lee01); apply: mean_eq => x _; apply: arg_max_all => //=; first exact: mem_head.
  by move=> s' sc'; rewrite inE sc' orbT.
rewrite one in total; rewrite (sum l) // EFinM; congr (_ * _)%E.
have n0 : (size (s0 :: c))%:R != 0 :> R by rewrite pnatr_eq0.
transitivity (((size (s0 :: c))%:R^-1)%:E * ((size (s0 :: c))%:R%:E * q))%E; last by rewrite -total mule1.
by rewrite muleA -EFinM mulVf // mul1e.
Qed.

Lemma arg_max_eq noise best c E E' : E =1 E' -> arg_max noise best c E = arg_max noise best c E'.
Proof. by move=> e; elim: c best => [|s c IH] best /=; [rewrite e | apply: mean_eq => y _; exact: IH]. Qed.

Corollary equal_chance noise c p s : density p -> (forall s', s' \in c -> noise s' = p) -> uniq c -> s \in c ->
  arg_max_of noise c (pred1 s) = ((size c)%:R^-1)%:E.
Proof.
move=> dp same uc sc; rewrite -[_^-1]mul1r -(@equal_chances noise c p [:: s]) // => [|s' /[!inE] /eqP -> //].
by case: c {same uc sc} => [//|s0 c]; apply: mean_eq => y _; apply: arg_max_eq => s'; rewrite /= inE.
Qed.

(* An event with none of the labels. *)
Lemma arg_max_of_none noise c E : densities_of noise c -> (forall s, s \in c -> ~~ E s) -> arg_max_of noise c E = 0%E.
Proof.
case: c => [//|s c] /densities_of_tail[ds dc] none; rewrite -[RHS](mean_const ds (lexx 0%E)).
apply: mean_eq => y _; apply: arg_max_none => //= [|s' sc]; apply: none; rewrite inE ?eqxx ?sc ?orbT //.
Qed.
End Chances.

(* Three labels: each wins with probability 1/3. *)
Example equal_chances_example (R : realType) (p : R -> R) : density p ->
  arg_max_of (fun _ : 'I_3 => p) (enum 'I_3) (pred1 ord0) = (3^-1)%:E.
Proof.
by move=> dp; rewrite (@equal_chance R _ (fun _ : 'I_3 => p) (enum 'I_3) p ord0 dp) ?enum_uniq ?mem_enum ?size_enum_ord.
Qed.

Example beats_example (R : realType) (p : R -> R) : density p -> [/\ densities_of (fun _ : 'I_3 => p) (enum 'I_3),
  all_below p 1 0 = (below p 0 * 1)%E & beats p 0 0 = mean p (fun y => if 0 < y then 1%E else 0%E)].
Proof. by move=> dp; split=> // s _. Qed.
