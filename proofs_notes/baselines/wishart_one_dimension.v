(* The Wishart mechanism in one dimension, both bounds: the release A + W, A = X^T X / n, W exponential with mean 2 c, is
   (0, delta)-private for delta = 1 - exp(-1/(2 c n)), and for no epsilon is a smaller delta enough (jiang2016.exact-profile,
   d = 1). The law of W has no memory: what exceeds s has the law of s + W. That decides every event. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From mathcomp Require Import boolp classical_sets functions mathcomp_extra.
From mathcomp Require Import reals ereal interval_inference topology normedtype sequences esum exp measure numfun measurable_realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral.
From DPPCA.lib Require Import measure squared_norms.
From DPPCA.primitives Require Import row_changes second_moment.
From DPPCA.baselines Require Import wishart.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Local Notation line R := [the measurableType _ of measurableTypeR R].

(* A law on the line, by its distribution function: exponential with mean m. *)
Section Memory.
Variables (R : realType) (m : R) (nu : {measure set (line R) -> \bar R}).
Hypotheses (m_gt0 : 0 < m) (total : nu setT = 1%E).
Hypothesis tail0 : forall u, u <= 0 -> nu `]-oo, u[%classic = 0%E.
Hypothesis tail : forall u, 0 <= u -> nu `]-oo, u[%classic = (1 - expR (- (u / m)))%:E.

Let fin (A : set (line R)) : measurable A -> nu A \is a fin_num.
Proof. by move=> mA; rewrite ge0_fin_numE // (le_lt_trans (measure_le1 total mA)) // ltry. Qed.

Let beyond (s : R) : set (line R) := `[s, +oo[%classic.
Let m_beyond s : measurable (beyond s). Proof. exact: measurable_itv. Qed.
Definition shift (s : R) (x : line R) : line R := (x : R) - s.
Let m_shift s : measurable_fun setT (shift s).
Proof. by apply: measurable_funB; [apply: measurable_id | apply: measurable_cst]. Qed.

(* On half-lines, *)
Lemma no_memory_tail s u : 0 <= s ->
  nu ((shift s @^-1` `]-oo, u[%classic) `&` beyond s) = ((expR (- (s / m)))%:E * nu `]-oo, u[%classic)%E.
Proof.
move=> s0; have [u0|u0] := leP u 0.
  rewrite tail0 // mule0 (_ : _ `&` _ = set0) ?measure0 //; apply/seteqP; split=> x //=.
  by rewrite /shift /beyond /= !in_itv /= andbT => -[lt le]; have := lt_le_trans lt u0; rewrite subr_lt0 ltNge le.
have mL v : measurable (`]-oo, v[%classic : set (line R)) by apply: measurable_itv.
have H := measureDI nu (mL (s + u)) (m_beyond s).
have e1 : `]-oo, s + u[%classic `\` beyond s = `]-oo, s[%classic :> set (line R).
  apply/seteqP; split=> x; rewrite /beyond /= !in_itv /= andbT.
    by move=> [_ /negP]; rewrite -ltNge.
  by move=> xs; split; [apply: lt_le_trans xs _; rewrite lerDl ltW | apply/negP; rewrite -ltNge].
have e2 : `]-oo, s + u[%classic `&` beyond s = (shift s @^-1` `]-oo, u[%classic) `&` beyond s :> set (line R).
  by apply/seteqP; split=> x; rewrite /shift /beyond /= !in_itv /= andbT ltrBlDl.
have mI : measurable ((shift s @^-1` `]-oo, u[%classic) `&` beyond s) by rewrite -e2; apply: measurableI.
rewrite e1 e2 in H; rewrite (tail (ltW u0)).
have {}H : (1 - expR (- ((s + u) / m)))%:E =
    ((1 - expR (- (s / m)))%:E + nu ((shift s @^-1` `]-oo, u[%classic) `&` beyond s))%E.
  apply: (etrans (esym (tail (addr_ge0 s0 (ltW u0))))); apply: (etrans H).
  by congr (_ + _)%E; exact: (tail s0).
move: H; rewrite -(fineK (fin mI)) -EFinM -EFinD => -[] H.
congr (_%:E); apply: (addrI (1 - expR (- (s / m)))); rewrite -H mulrDl opprD expRD.
by move: (expR (- (s / m))) (expR _) => x y; ring.
Qed.

(* so on every event. *)
Lemma no_memory s (E : set (line R)) : 0 <= s -> measurable E ->
  nu ((shift s @^-1` E) `&` beyond s) = ((expR (- (s / m)))%:E * nu E)%E.
Proof.
move=> s0 mE; have k0 : 0 <= expR (- (s / m)) by apply/ltW/expR_gt0.
pose nu' := [the {measure set (line R) -> \bar R} of mrestr nu (m_beyond s)].
pose m1 := [the {measure set (line R) -> \bar R} of pushforward nu' (m_shift s)].
pose m2 := [the {measure set (line R) -> \bar R} of mscale (NngNum k0) nu].
pose half (k : nat) : set (line R) := `]-oo, (k%:R : R)[%classic.
have generated : @measurable _ (line R) = <<s @RGenInftyO.G R >> by apply: RGenInftyO.measurableE.
have closed : setI_closed (@RGenInftyO.G R).
  move=> A B [x ->] [y ->]; exists (minr x y); apply/seteqP; split=> z; rewrite /= !in_itv /= lt_min.
    by move=> [-> ->].
  by move=> /andP[-> ->].
have listed k : RGenInftyO.G (half k) by exists k%:R.
have cover : \bigcup_k (half k) = setT.
  apply/seteqP; split=> x // _; exists (archi_bound `|x : R|) => //=; rewrite /half /= in_itv /=.
  exact: le_lt_trans (ler_norm _) (archi_boundP (normr_ge0 _)).
have same A : RGenInftyO.G A -> m1 A = m2 A by move=> [u ->]; apply: no_memory_tail.
have small k : (m1 (half k) < +oo)%E.
  apply: le_lt_trans (_ : nu setT < +oo)%E; last by rewrite total ltry.
  apply: le_measure; rewrite ?inE //; apply: measurableI => //; rewrite -[X in measurable X]setTI.
  by apply: m_shift => //; apply: measurable_itv.
exact: (@measure_unique _ R (line R) _ half generated closed listed cover m1 m2 same small E mE).
Qed.

(* W and s + W differ by 1 - exp(-s / m) in total variation. *)
Lemma exponential_shift s (E : set (line R)) : 0 <= s -> measurable E ->
  (nu (shift s @^-1` E) <= nu E + (1 - expR (- (s / m)))%:E)%E /\
  (nu E <= nu (shift s @^-1` E) + (1 - expR (- (s / m)))%:E)%E.
Proof.
move=> s0 mE; have mS : measurable (shift s @^-1` E) by rewrite -[X in measurable X]setTI; apply: m_shift.
have H : nu (shift s @^-1` E) = (nu (shift s @^-1` E `\` beyond s) + (expR (- (s / m)))%:E * nu E)%E.
  by apply: (etrans (measureDI nu mS (m_beyond s))); congr (_ + _)%E; exact: (no_memory s0 mE).
have mD : measurable (shift s @^-1` E `\` beyond s) by apply: measurableD.
have out : (nu (shift s @^-1` E `\` beyond s) <= (1 - expR (- (s / m)))%:E)%E.
  have mL : measurable (`]-oo, s[%classic : set (line R)) by apply: measurable_itv.
  rewrite -(tail s0); apply: (le_measure nu (mem_set mD) (mem_set mL)).
  by move=> x [_]; rewrite /beyond /= !in_itv /= andbT => /negP; rewrite -ltNge.
have e1 : expR (- (s / m)) <= 1 by rewrite -[X in _ <= X]expR0 ler_expR oppr_le0 divr_ge0 // ltW.
have number (A : set (line R)) : measurable A -> exists2 p, 0 <= p & nu A = p%:E.
  by move=> mA; exists (fine (nu A)); [apply: fine_ge0 | rewrite fineK // fin].
have [p p0 Ep] := number E mE; have [q _ Eq] := number _ mS; have [d d0 Ed] := number _ mD.
have := measure_le1 total mE; move: H out; rewrite Eq Ep Ed -EFinM -!EFinD !lee_fin => -[].
move: (expR _) e1 => k k1 -> d1 p1; split.
  by rewrite addrC; apply: lerD => //; rewrite ler_piMl.
apply: le_trans (_ : k * p + (1 - k) * p <= _); first by rewrite -mulrDl addrC subrK mul1r.
by rewrite [d + _]addrC -addrA lerD2l; apply: le_trans (_ : 1 - k <= _); rewrite ?lerDr // ler_piMr ?subr_ge0.
Qed.
End Memory.

Section Profile.
Context dO (Omega : measurableType dO) (R : realType) (n : nat).
Variables (mu : {measure set Omega -> \bar R}) (W : Omega -> 'M[R]_1) (c : R).
Hypotheses (c_gt0 : 0 < c) (n_gt0 : (0 < n)%N) (total : mu setT = 1%E) (law : exponential_law mu W c).
Implicit Types X : 'M[R]_(n, 1).

Let noise (w : Omega) : line R := W w 0 0.
Let m_noise : measurable_fun setT noise.
Proof.
apply: (measurability (RGenInftyO.measurableE R)) => _ [_ [u ->] <-]; case: law => _ [mW _].
by rewrite setTI (_ : _ @^-1` _ = [set w | W w 0 0 < u]) //; apply/seteqP; split=> w; rewrite /= in_itv.
Qed.

(* The released number, and its law. *)
Definition released X (w : Omega) : line R := (mean_gram X + W w) 0 0.

Lemma releasedE X w : released X w = mean_gram X 0 0 + W w 0 0.
Proof. by rewrite /released mxE. Qed.

Lemma measurable_released X : measurable_fun setT (released X).
Proof.
rewrite (_ : released X = (cst (mean_gram X 0 0 : R) \+ noise)); last by apply/funext => w; rewrite releasedE.
by apply: measurable_funD => //; apply: measurable_cst.
Qed.
Definition release_law X := [the {measure set (line R) -> \bar R} of pushforward mu (@measurable_released X)].

Let nu := [the {measure set (line R) -> \bar R} of pushforward mu m_noise].
Let m := 2%:R * c.
Let m_gt0 : 0 < m. Proof. by rewrite mulr_gt0 ?ltr0n. Qed.

Let half_line u : nu `]-oo, u[%classic = mu [set w | W w 0 0 < u].
Proof. by rewrite /nu /= /pushforward; congr (mu _); apply/seteqP; split=> w; rewrite /= in_itv. Qed.
Let nu_total : nu setT = 1%E. Proof. by rewrite -total /nu /= /pushforward preimage_setT. Qed.
Let nu_tail0 u : u <= 0 -> nu `]-oo, u[%classic = 0%E.
Proof.
move=> u0; case: law => W0 _; rewrite half_line (_ : [set _ | _] = set0) ?measure0 //; apply/seteqP; split=> w //= lt.
by have := W0 w; rewrite leNgt (lt_le_trans lt u0).
Qed.
Let nu_tail u : 0 <= u -> nu `]-oo, u[%classic = (1 - expR (- (u / m)))%:E.
Proof. by case: law => _ [_ +] u0; rewrite half_line; apply. Qed.

Let bound := 1 - expR (- (2%:R * c * n%:R)^-1).

Let moved X X' (E : set (line R)) : measurable E -> 0 <= mean_gram X 0 0 - mean_gram X' 0 0 <= n%:R^-1 ->
  (release_law X E <= release_law X' E + bound%:E)%E /\ (release_law X' E <= release_law X E + bound%:E)%E.
Proof.
move=> mE /andP[s0 s1]; set s := _ - _ in s0 s1.
pose at_X : set (line R) := [set x : line R | E (mean_gram X 0 0 + (x : R))].
have mX : measurable at_X.
  rewrite -[X in measurable X]setTI; apply: (measurable_funD (measurable_cst _) (@measurable_id _ _ _)) => //.
have e1 : release_law X E = nu at_X.
  by rewrite /release_law /nu /= /pushforward; congr (mu _); apply/seteqP; split=> w; rewrite /= releasedE.
have e2 : release_law X' E = nu (shift s @^-1` at_X).
  have e (x : R) : mean_gram X 0 0 + (x - s) = mean_gram X' 0 0 + x :> R by rewrite /s; ring.
  rewrite /release_law /nu /= /pushforward; congr (mu _); apply/funext => w.
  by rewrite /preimage /= releasedE /at_X /shift /= /noise e.
have sb : 1 - expR (- (s / m)) <= bound.
  rewrite /bound lerD2l lerN2 ler_expR lerN2 -/m [(m * _)^-1]invfM mulrC.
  by rewrite ler_wpM2l // invr_ge0 ltW.
have [H1 H2] := exponential_shift m_gt0 nu_total nu_tail0 nu_tail s0 mX.
by rewrite e1 e2; split; [apply: le_trans H2 _ | apply: le_trans H1 _]; rewrite leeD2l // lee_fin.
Qed.

(* jiang2016.exact-profile, d = 1, the upper bound: (0, delta)-private, so (epsilon, delta)-private for every epsilon *)
Theorem wishart_line_private X X' a : 1 <= a -> replaced X X' -> indist a bound (release_law X) (release_law X').
Proof.
move=> a1 nb; apply: (indist_monotone a1 (lexx _)) => E mE; rewrite mul1e.
have n0 : 0 < n%:R :> R by rewrite ltr0n.
have close : `|mean_gram X 0 0 - mean_gram X' 0 0| <= n%:R^-1.
  have -> : mean_gram X 0 0 - mean_gram X' 0 0 = n%:R^-1 * (gram X - gram X') 0 0.
    by transitivity ((mean_gram X - mean_gram X') 0 0); [rewrite [RHS]mxE [X in _ = _ + X]mxE | rewrite -scalerBr mxE].
  have := line_replaced nb; rewrite sqnorm_row big_ord1; move: ((gram X - gram X') 0 0) => D D1.
  rewrite normrM ger0_norm ?invr_ge0 ?ler0n // ler_piMr ?invr_ge0 ?ler0n //.
  by rewrite -(@expr_le1 _ 2) // real_normK ?num_real.
have [le|gt] := leP (mean_gram X' 0 0) (mean_gram X 0 0).
  by apply: (proj1 (moved mE _)); rewrite subr_ge0 le (le_trans (ler_norm _) close).
by apply: (proj2 (@moved X' X E mE _)); rewrite subr_ge0 ltW // (le_trans (ler_norm _)) // distrC.
Qed.

(* jiang2016.exact-profile, d = 1: no smaller delta is enough, for any epsilon *)
Theorem wishart_line_exact a t : 1 <= a ->
  (forall X X', replaced X X' -> indist a t (release_law X) (release_law X')) <-> bound <= t.
Proof.
move=> a1; split=> [H|bt X X' nb]; last by apply: (indist_monotone (lexx a) bt); apply: wishart_line_private.
pose i0 := Ordinal n_gt0; pose X := set_row (0 : 'M[R]_(n, 1)) i0 0; pose X' := set_row (0 : 'M[R]_(n, 1)) i0 (axis 0).
have nb : replaced X X'.
  apply: replaced_set_row; [move=> i | exact: in_ball0 | exact: in_ball_axis].
  by rewrite row0; apply: in_ball0.
have gap : mean_gram X' 0 0 - mean_gram X 0 0 = n%:R^-1.
  transitivity ((mean_gram X' - mean_gram X) 0 0); first by rewrite [RHS]mxE [X in _ = _ + X]mxE.
  by rewrite -scalerBr gram_set_row outer0 subr0 outer_axis !mxE mulr1.
pose E : set (line R) := `]-oo, (mean_gram X' 0 0 : R)[%classic.
have mE : measurable E by apply: measurable_itv.
have none : release_law X' E = 0%E.
  rewrite /release_law /= /pushforward (_ : _ @^-1` _ = set0) ?measure0 //; apply/seteqP; split=> w //=.
  by case: law => W0 _; rewrite /preimage /E /= releasedE in_itv /= gtrDl ltNge W0.
have some : release_law X E = bound%:E.
  have <- : nu `]-oo, n%:R^-1[%classic = bound%:E by rewrite nu_tail ?invr_ge0 ?ler0n // /bound [in RHS]invfM mulrC.
  rewrite half_line /release_law /= /pushforward; congr (mu _); apply/seteqP; split=> w;
    by rewrite /preimage /E /= releasedE in_itv /= -gap ltrBrDl addrC.
by have := H _ _ nb E mE; rewrite some none mule0 add0e lee_fin.
Qed.
End Profile.

(* The hypotheses can be met: W = - 2 ln u for a uniform u. *)
Example wishart_line_exact_holds (R : realType) a t : 1 <= a ->
  (forall X X' : 'M[R]_(3, 1), replaced X X' -> indist a t (release_law (exponential_law_holds (@ltr01 R)) X)
    (release_law (exponential_law_holds (@ltr01 R)) X')) <-> 1 - expR (- (2%:R * 1 * 3%:R)^-1) <= t.
Proof.
move=> a1; apply: wishart_line_exact => //.
by rewrite /uniform /= /mrestr setTI lebesgue_measure_itv /= lte_fin ltr01 -EFinB subr0.
Qed.

Example shift_computes (R : realType) : shift (2%:R : R) (5%:R : R) = 3%:R.
Proof. by rewrite /shift -natrB. Qed.
