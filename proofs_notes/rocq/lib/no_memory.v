(* Laws without a memory: what exceeds s, under an exponential law, has the law of s plus the whole.

   no_memory          for the law with mean m, given by its distribution function, on every event
   squares_below, squares_shift   the sum of the squares of two normal numbers, which has such a law with m = 2 *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import boolp classical_sets functions mathcomp_extra.
From mathcomp Require Import reals ereal interval_inference topology normedtype sequences esum exp measure numfun measurable_realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral probability kernel.
From mathcomp Require Import ring.
From DPPCA.lib Require Import measure gaussian_dp gaussian_run plane_normal two_squares.
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

End Memory.

Section Squares.
Context {R : realType}.
Local Notation L := (line R).

Let one (i : nat) (z : L) : R := 1.
Let zero (i : nat) (z : L) : R := 0.
Let add_square (i : nat) (w : L * R) : L := (w.1 : R) + w.2 ^+ 2.
Let m_one : queries one. Proof. by move=> i; exact: measurable_cst. Qed.
Let m_zero : queries zero. Proof. by move=> i; exact: measurable_cst. Qed.
Let one_gt0 i z : 0 < one i z. Proof. exact: ltr01. Qed.
Let m_add : updates add_square.
Proof. by move=> i; apply: measurable_funD; [exact: measurable_fst | apply: measurable_funX; exact: measurable_snd]. Qed.

Let nu := run_kernel m_one one_gt0 m_zero m_add 2 (0 : R).

Let nuE (A : set L) : nu A = plane (fun w => (\1_A (w.1 ^+ 2 + w.2 ^+ 2 : L))%:E).
Proof.
rewrite /nu /run_kernel /run_law /= /mix; apply: eq_integral => x _; congr (_ * _)%E; apply: eq_integral => y _.
by rewrite /add_square /= add0r.
Qed.

Let nu_total : nu setT = 1%E.
Proof. by rewrite nuE -[RHS](plane_cst lee01); congr plane; apply/funext => w; rewrite indicT. Qed.

Let nu_tail0 u : u <= 0 -> nu `]-oo, u[%classic = 0%E.
Proof.
move=> u0; rewrite nuE -[RHS](plane_cst (lexx 0%E)); congr plane; apply/funext => w.
have r0 : 0 <= w.1 ^+ 2 + w.2 ^+ 2 by exact: addr_ge0 (sqr_ge0 _) (sqr_ge0 _).
by rewrite indicE mem_setE in_itv /= ltNge (le_trans u0 r0).
Qed.

Let nu_tail u : 0 <= u -> nu `]-oo, u[%classic = (1 - expR (- (u / 2)))%:E.
Proof.
move=> u0; have up : nu `[u, +oo[%classic = (expR (- (u / 2)))%:E by rewrite nuE two_squares.
have all : (nu `]-oo, u[%classic + nu `[u, +oo[%classic = 1)%E.
  rewrite -nu_total -measureU.
  - congr (nu _); apply/seteqP; split=> x //= _; rewrite !in_itv /= andbT; case: (ltP (x : R) u) => h; [by left | by right].
  - exact: measurable_itv.
  - exact: measurable_itv.
  - by apply/seteqP; split=> x //=; rewrite !in_itv /= andbT => -[h1 h2]; move: h1; rewrite ltNge h2.
by move: all; rewrite up => /eqP; rewrite eq_sym -sube_eq ?fin_num_adde_defl // => /eqP <-; rewrite EFinB.
Qed.

Theorem squares_below (u : R) : 0 <= u ->
  plane (fun w => (\1_(`]-oo, u[%classic : set L) (w.1 ^+ 2 + w.2 ^+ 2 : L))%:E) = (1 - expR (- (u / 2)))%:E.
Proof. by move=> u0; rewrite -nuE nu_tail. Qed.

Theorem squares_shift (s : R) (E : set L) : 0 <= s -> measurable E ->
  ((expR (- (s / 2)))%:E * plane (fun w => (\1_E (w.1 ^+ 2 + w.2 ^+ 2 + s : L))%:E) <=
    plane (fun w => (\1_E (w.1 ^+ 2 + w.2 ^+ 2 : L))%:E))%E.
Proof.
move=> s0 mE; pose E' : set L := [set r : L | E ((r : R) + s)].
have mE' : measurable E'.
  rewrite -[X in measurable X]setTI; apply: (measurable_funD (@measurable_id _ _ _) (measurable_cst _)) => //.
have back : shift s @^-1` E' = E by apply/seteqP; split=> r; rewrite /E' /shift /= subrK.
have <- : nu E' = plane (fun w => (\1_E (w.1 ^+ 2 + w.2 ^+ 2 + s : L))%:E).
  by rewrite nuE; congr plane; apply/funext => w; rewrite !indicE; congr ((_%:R)%:E); apply/idP/idP; rewrite !inE.
rewrite -nuE -(no_memory nu_total nu_tail0 nu_tail s0 mE') back.
have mB : measurable (`[s, +oo[%classic : set L) by exact: measurable_itv.
exact: (le_measure nu (mem_set (measurableI _ _ mE mB)) (mem_set mE) (@subIsetl _ _ _)).
Qed.
End Squares.

Example shift_computes (R : realType) : shift (2%:R : R) (5%:R : R) = 3%:R.
Proof. by rewrite /shift -natrB. Qed.
