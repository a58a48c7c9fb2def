(* The Wishart mechanism adds positive semidefinite noise W to A = X^T X / n. The release never shows less than A, so it
   tells data sets apart by an event that one of them cannot produce: with noise of any law, and in one dimension with its own: there the noise W_1(2, c) is exponential
   with mean 2 c, and delta is at least 1 - exp(-1/(2 c n)) for every epsilon, 1 - exp(-epsilon/3) at the printed scale. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From mathcomp Require Import boolp classical_sets functions mathcomp_extra.
From mathcomp Require Import reals ereal interval_inference topology normedtype sequences esum exp measure numfun measurable_realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral.
From DPPCA.lib Require Import measure squared_norms.
From DPPCA.primitives Require Import row_changes second_moment.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Wishart.
Context dO (Omega : measurableType dO) (R : realType) (n d : nat).
Variables (mu : {measure set Omega -> \bar R}) (W : Omega -> 'M[R]_d).
Implicit Types X : 'M[R]_(n, d).

Definition positive_semidefinite (M : 'M[R]_d) := forall v : 'rV[R]_d, 0 <= dot (v *m M) v.
(* The release A + W of X is (a, t)-private against that of X', for the events of the released matrix that have a
   probability under both. *)
Definition additive_indist a t X X' := forall event : set 'M[R]_d,
  measurable [set w | event (mean_gram X + W w)] -> measurable [set w | event (mean_gram X' + W w)] ->
  (mu [set w | event (mean_gram X + W w)%R] <= a%:E * mu [set w | event (mean_gram X' + W w)%R] + t%:E)%E.

(* jiang2016.exact-profile, the lower bound, in the direction v: the row 0 is replaced by x *)
Theorem wishart_delta X i0 (v x : 'rV[R]_d) a t : (forall w, positive_semidefinite (W w)) ->
  measurable [set w | dot (v *m W w) v < n%:R^-1 * dot v x ^+ 2] ->
  additive_indist a t (set_row X i0 0) (set_row X i0 x) ->
  (mu [set w | (dot (v *m W w) v < n%:R^-1 * dot v x ^+ 2)%R] <= t%:E)%E.
Proof.
move=> Wpsd mE; pose A' := mean_gram (set_row X i0 x).
pose event := [set M | dot (v *m (M - A')) v < 0].
have second : [set w | event (mean_gram (set_row X i0 x) + W w)] = set0.
  by apply/seteqP; split=> w //=; rewrite /event /= [_ + W w]addrC addrK ltNge Wpsd.
have first : [set w | event (mean_gram (set_row X i0 0) + W w)] = [set w | dot (v *m W w) v < n%:R^-1 * dot v x ^+ 2].
  have key w : dot (v *m (mean_gram (set_row X i0 0) + W w - A')) v = dot (v *m W w) v - n%:R^-1 * dot v x ^+ 2.
    have -> : mean_gram (set_row X i0 0) + W w - A' = W w - n%:R^-1 *: outer x.
      rewrite [_ + W w]addrC -addrA; congr (_ + _); rewrite -opprB; congr (- _).
      by rewrite /A' /mean_gram -scalerBr gram_set_row outer0 subr0.
    by rewrite mulmxBr dotDl dotNl -scalemxAr dotZl form_outer.
  by apply/seteqP; split=> w; rewrite /event /= key subr_lt0.
by move=> /(_ event); rewrite first second measure0 mule0 add0e; apply.
Qed.

(* jiang2016.theorem-pure: no scale makes it (epsilon, 0)-private, if the noise can be small in some direction *)
Theorem wishart_not_pure X i0 (v x : 'rV[R]_d) a : (forall w, positive_semidefinite (W w)) ->
  measurable [set w | dot (v *m W w) v < n%:R^-1 * dot v x ^+ 2] ->
  (0 < mu [set w | (dot (v *m W w) v < n%:R^-1 * dot v x ^+ 2)%R])%E ->
  ~ additive_indist a 0 (set_row X i0 0) (set_row X i0 x).
Proof. by move=> Wpsd mE pos /(wishart_delta Wpsd mE); rewrite leNgt pos. Qed.
End Wishart.

Section OneDimension.
Context dO (Omega : measurableType dO) (R : realType) (n : nat).
Variables (mu : {measure set Omega -> \bar R}) (W : Omega -> 'M[R]_1) (c : R).
Hypotheses (c_gt0 : 0 < c) (n_gt0 : (0 < n)%N).

(* The law of W_1(2, c): exponential with mean 2 c. *)
Definition exponential_law := (forall w, 0 <= W w 0 0) /\ (forall u, measurable [set w | W w 0 0 < u]) /\
  (forall u, 0 <= u -> mu [set w | (W w 0 0 < u)%R] = (1 - expR (- (u / (2%:R * c))))%:E).

(* jiang2016.exact-profile, d = 1, the lower bound, for every a = e^epsilon *)
Theorem wishart_line (X : 'M[R]_(n, 1)) i0 a t : exponential_law ->
  additive_indist mu W a t (set_row X i0 0) (set_row X i0 (axis 0)) -> 1 - expR (- (2%:R * c * n%:R)^-1) <= t.
Proof.
move=> [W0 [mW tail]] H; have form w (v : 'rV[R]_1) : dot (v *m W w) v = v 0 0 ^+ 2 * W w 0 0.
  by rewrite dot_row big_ord1 mxE big_ord1; move: (v 0 0) (W w 0 0) => s u; ring.
pose e : 'rV[R]_1 := axis 0.
have eqE : [set w | dot (e *m W w) e < n%:R^-1 * dot e e ^+ 2] = [set w | W w 0 0 < n%:R^-1].
  by apply/seteqP; split=> w /=; rewrite form /e mxE !eqxx dot_axis1 !expr1n mul1r mulr1.
have psd w : positive_semidefinite (W w) by move=> v; rewrite form mulr_ge0 ?sqr_ge0.
have := @wishart_delta _ _ _ _ _ mu W X i0 e e a t psd; rewrite eqE => /(_ (mW _) H) bound.
rewrite -lee_fin; apply: le_trans bound.
rewrite tail ?invr_ge0 ?ler0n // lee_fin lerD2l lerNr opprK ler_expR lerNr opprK.
by rewrite invfM mulrC.
Qed.

(* jiang2016.theorem-pure, d = 1, at the printed scale *)
Theorem wishart_line_printed (X : 'M[R]_(n, 1)) i0 a t epsilon : exponential_law -> 0 < epsilon ->
  c = 3%:R / (2%:R * n%:R * epsilon) ->
  additive_indist mu W a t (set_row X i0 0) (set_row X i0 (axis 0)) -> 1 - expR (- (epsilon / 3%:R)) <= t.
Proof.
move=> law e0 cE /(wishart_line law); congr (1 - expR (- _) <= t); rewrite cE.
have n0 : n%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
have n2 : 2%:R != 0 :> R by rewrite pnatr_eq0.
have n3 : 3%:R != 0 :> R by rewrite pnatr_eq0.
by field; rewrite ?n0 ?n2 ?n3 ?(lt0r_neq0 e0).
Qed.

Theorem wishart_line_not_pure (X : 'M[R]_(n, 1)) i0 a : exponential_law ->
  ~ additive_indist mu W a 0 (set_row X i0 0) (set_row X i0 (axis 0)).
Proof.
move=> law /(wishart_line law); rewrite leNgt => /negP[]; rewrite subr_gt0 -[X in _ < X]expR0 ltr_expR oppr_lt0 invr_gt0.
by apply: mulr_gt0; rewrite ?ltr0n //; apply: mulr_gt0; rewrite ?ltr0n.
Qed.
End OneDimension.

(* The hypothesis can be met: W = - 2 c ln u for a uniform u in ]0, 1[. *)
Section Exponential.
Variables (R : realType) (c : R).
Hypothesis c_gt0 : 0 < c.
Let unit_interval : set R := `]0, 1[%classic.
Let measurable_unit : measurable unit_interval. Proof. exact: measurable_itv. Qed.
Definition uniform := [the {measure set _ -> \bar R} of mrestr (@lebesgue_measure R) measurable_unit].
Definition logarithm (u : R) : 'M[R]_1 := (if 0 < (u : R) < 1 then - (2%:R * c * ln (u : R)) else 0)%:M.

Let c2 : 0 < 2%:R * c. Proof. by rewrite mulr_gt0 ?ltr0n. Qed.

Lemma logarithm_ge0 u : 0 <= logarithm u 0 0.
Proof.
rewrite mxE eqxx mulr1n; case: ifP => // /andP[u0 u1].
by rewrite oppr_ge0 mulr_ge0_le0 ?(ltW c2) // -ler_expR lnK ?posrE // expR0 ltW.
Qed.

Lemma logarithm_lt t u : 0 < t -> (logarithm u 0 0 < t) = ~~ ((u : R) \in `]0, expR (- (t / (2%:R * c)))]).
Proof.
move=> t0; have e1 : expR (- (t / (2%:R * c))) < 1 by rewrite -[X in _ < X]expR0 ltr_expR oppr_lt0 divr_gt0.
rewrite mxE eqxx mulr1n in_itv /=; case: ifP => [/andP[u0 u1]|out].
  have up : u \is Num.pos by rewrite posrE.
  rewrite u0 /= -ltNge -[X in _ = (_ < X)](lnK up) ltr_expR ltrNl [X in _ = (X < _)](_ : _ = - t / (2%:R * c)); last by rewrite mulNr.
  by rewrite ltr_pdivrMr // [ln u * _]mulrC.
rewrite t0; apply/esym; apply: contraFN out => /andP[u0 ue]; rewrite u0 /=.
exact: le_lt_trans ue e1.
Qed.

Lemma logarithm_set t : 0 < t -> [set u | logarithm u 0 0 < t] = ~` `]0, expR (- (t / (2%:R * c)))]%classic.
Proof. by move=> t0; apply/seteqP; split=> u /=; rewrite logarithm_lt // => /negP. Qed.

Example exponential_law_holds : exponential_law uniform logarithm c.
Proof.
split; first exact: logarithm_ge0.
split=> [t|t t0].
  have [le|gt] := leP t 0; last by rewrite logarithm_set //; apply: measurableC; apply: measurable_itv.
  rewrite (_ : [set _ | _] = set0) //; apply/seteqP; split=> u //= lt.
  by have := logarithm_ge0 u; rewrite leNgt (lt_le_trans lt le).
move: t0; rewrite le_eqVlt => /orP[/eqP <-|t0].
  rewrite mul0r oppr0 expR0 subrr (_ : [set _ | _] = set0) ?measure0 //; apply/seteqP; split=> u //= lt.
  by have := logarithm_ge0 u; rewrite leNgt lt.
rewrite logarithm_set // /uniform /= /mrestr; set e := expR _.
have e0 : 0 < e by apply: expR_gt0.
have e1 : e < 1 by rewrite -[X in _ < X]expR0 ltr_expR oppr_lt0 divr_gt0.
have -> : ~` `]0, e]%classic `&` unit_interval = `]e, 1[%classic.
  apply/seteqP; split=> u /=; rewrite /unit_interval /= !in_itv /=.
    by move=> [/negP out /andP[u0 u1]]; move: out; rewrite u0 u1 andbT /= -ltNge.
  by move=> /andP[eu u1]; rewrite u1 (lt_trans e0 eu) /= leNgt eu.
by rewrite lebesgue_measure_itv /= lte_fin e1 -EFinB.
Qed.
End Exponential.

Example wishart_line_holds (R : realType) (X : 'M[R]_(3, 1)) i0 a :
  ~ additive_indist (uniform R) (logarithm 1) a 0 (set_row X i0 0) (set_row X i0 (axis 0)).
Proof. by apply: wishart_line_not_pure; [exact: ltr01 | | apply: exponential_law_holds; apply: ltr01]. Qed.

Example positive_semidefinite_computes (R : realType) :
  positive_semidefinite (1%:M : 'M[R]_2) /\ ~ positive_semidefinite (- 1%:M : 'M[R]_2).
Proof.
split=> [v|/(_ (axis 0))]; first by rewrite mulmx1 sqnorm_ge0.
by rewrite mulmxN mulmx1 dotNl dot_axis1 oppr_ge0 leNgt ltr01.
Qed.
