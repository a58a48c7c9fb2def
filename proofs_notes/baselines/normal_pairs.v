(* One release of a matrix with normal noise, moved or not by at most C: whatever follows, it costs no more than one number with
   that noise, moved or not by C.

   turned E b       what two numbers cost whose squared distance is b, weighed
   turned_split     one more number: squared distances add up, as the pair can be turned
   moved_covered    any weights of V + noise and W + noise, |V - W|^2 <= b *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp.
From mathcomp Require Import measure numfun measurable_realfun lebesgue_measure lebesgue_integral probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure squared_norms normal_line gaussian_dp gaussian_run gaussian_matrix gaussian_steps real_releases dominating_pairs.
From DPPCA.liu2022 Require Import densities_of_noise.
From DPPCA.baselines Require Import normal_sums.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Turned.
Context {R : realType} (s : R) (s0 : 0 < s).
Local Notation mu := (@lebesgue_measure R).
Implicit Types (E : R -> R -> \bar R) (a b c v w x y : R).

(* The ratio of the densities at two points, by the inner product z of their difference with the noise; b is their squared
   distance. *)
Let ratio z b := expR ((z - b / 2) / s ^+ 2).

Let pdf_ratio v w x : normal_pdf w s x = normal_pdf v s x * ratio ((w - v) * (x - v)) ((w - v) ^+ 2).
Proof.
rewrite !normal_pdfE // /ratio -[RHS]mulrA -expRD; congr (_ * expR _).
by field; rewrite gt_eqF.
Qed.

Let ratioD z b z' b' : ratio z b * ratio z' b' = ratio (z + z') (b + b').
Proof. by rewrite /ratio -expRD; congr expR; field; rewrite gt_eqF. Qed.

Definition turned E b a c a' c' : \bar R :=
  (\int[mu]_x E (a * normal_pdf 0 s x + c * normal_pdf (Num.sqrt b) s x)%R (a' * normal_pdf 0 s x + c' * normal_pdf (Num.sqrt b) s x)%R)%E.

Let weighed E a c a' c' b z := E (a + c * ratio z b) (a' + c' * ratio z b).

Let turned_ratio E b a c a' c' : cost E -> 0 <= b ->
  turned E b a c a' c' = (\int[mu]_x ((normal_pdf 0 s x)%:E * weighed E a c a' c' b (Num.sqrt b * x)%R))%E.
Proof.
move=> [_ _ hE] b0; apply: eq_integral => x _; rewrite /weighed -hE ?normal_pdf_ge0 //.
have := pdf_ratio 0 (Num.sqrt b) x; rewrite !subr0 sqr_sqrtr // => ->.
by congr (E _ _); ring.
Qed.

Let measurable_weighed E a c a' c' b : cost E -> measurable_fun setT (weighed E a c a' c' b).
Proof.
move=> cE; apply: cost_at => //; apply: measurable_funD => //; apply: measurable_funM => //;
  by apply: measurableT_comp => //; apply: measurable_funM => //; apply: measurable_funB.
Qed.

(* One more number that differs by w - v: the squared distances add up. *)
Lemma turned_split E b v w a c a' c' : cost E -> 0 <= b ->
  (\int[mu]_x turned E b (a * normal_pdf v s x)%R (c * normal_pdf w s x)%R (a' * normal_pdf v s x)%R (c' * normal_pdf w s x)%R =
   turned E (b + (w - v) ^+ 2)%R a c a' c')%E.
Proof.
move=> cE b0; have [_ E0 hE] := cE; have b'0 : 0 <= b + (w - v) ^+ 2 by rewrite addr_ge0 ?sqr_ge0.
rewrite [RHS]turned_ratio //.
have := @normal_sum R v s (w - v) (Num.sqrt b) (weighed E a c a' c' (b + (w - v) ^+ 2)) s0 (sqrtr_ge0 b)
  (measurable_weighed _ _ _ _ _ cE) (fun z => E0 _ _); rewrite (sqr_sqrtr b0) => <-.
apply: eq_integral => x _; rewrite turned_ratio //; apply: eq_integral => y _.
rewrite /weighed -!hE ?mulr_ge0 ?normal_pdf_ge0 // (pdf_ratio v w) addrC [b + _]addrC.
by congr (E _ _); rewrite -ratioD; ring.
Qed.

(* Weighed means of what follows, number by number. *)
Lemma weighed_means a c a' c' v w (f1 f2 g1 g2 e : R -> \bar R) : 0 <= a -> 0 <= c -> 0 <= a' -> 0 <= c' ->
  test f1 -> test f2 -> test g1 -> test g2 -> measurable_fun setT e -> (forall x, 0 <= e x)%E ->
  (forall x, (a * normal_pdf v s x)%:E * f1 x + (c * normal_pdf w s x)%:E * f2 x <=
    (a' * normal_pdf v s x)%:E * g1 x + (c' * normal_pdf w s x)%:E * g2 x + e x)%E ->
  (a%:E * mean (normal_pdf v s) f1 + c%:E * mean (normal_pdf w s) f2 <=
    a'%:E * mean (normal_pdf v s) g1 + c'%:E * mean (normal_pdf w s) g2 + \int[mu]_x e x)%E.
Proof.
move=> a0 c0 a'0 c'0 tf1 tf2 tg1 tg2 me e0 le.
have part k u (f : R -> \bar R) : 0 <= k -> test f -> [/\ measurable_fun setT (fun x => ((k * normal_pdf u s x)%:E * f x)%E),
    forall x, (0 <= (k * normal_pdf u s x)%:E * f x)%E &
    (k%:E * mean (normal_pdf u s) f = \int[mu]_x ((k * normal_pdf u s x)%:E * f x))%E].
  move=> k0 [mf f01]; have f0 x : (0 <= f x)%E by case/andP: (f01 x).
  have mp : measurable_fun setT (fun x => ((normal_pdf u s x)%:E * f x)%E) by apply: measurable_mass => //; exact: measurable_normal_pdf.
  split.
  - by apply: measurable_mass => //; apply: measurable_funM => //; exact: measurable_normal_pdf.
  - by move=> x; rewrite mule_ge0 // lee_fin mulr_ge0 ?normal_pdf_ge0.
  rewrite /mean -ge0_integralZl_EFin //; first by apply: eq_integral => x _; rewrite EFinM muleA.
  by move=> x _; rewrite mule_ge0 ?lee_fin ?normal_pdf_ge0.
have [m1 p1 ->] := part a v f1 a0 tf1; have [m2 p2 ->] := part c w f2 c0 tf2.
have [m3 p3 ->] := part a' v g1 a'0 tg1; have [m4 p4 ->] := part c' w g2 c'0 tg2.
have s34 x : (0 <= (a' * normal_pdf v s x)%:E * g1 x + (c' * normal_pdf w s x)%:E * g2 x)%E by rewrite adde_ge0.
have m34 := emeasurable_funD m3 m4.
rewrite -(ge0_integralD mu measurableT (fun x _ => p1 x) m1 (fun x _ => p2 x) m2).
rewrite -(ge0_integralD mu measurableT (fun x _ => p3 x) m3 (fun x _ => p4 x) m4).
rewrite -(ge0_integralD mu measurableT (fun x _ => s34 x) m34 (fun x _ => e0 x) me).
apply: ge0_le_integral => //.
- by move=> x _; rewrite adde_ge0.
- exact: emeasurable_funD.
- by move=> x _; rewrite adde_ge0.
- exact: emeasurable_funD.
Qed.

Lemma turned_ge0 E b a c a' c' : cost E -> (0 <= turned E b a c a' c')%E.
Proof. by case=> _ E0 _; apply: integral_ge0 => x _. Qed.

Lemma measurable_turned E b v w a c a' c' : cost E -> measurable_fun setT
  (fun x => turned E b (a * normal_pdf v s x) (c * normal_pdf w s x) (a' * normal_pdf v s x) (c' * normal_pdf w s x)).
Proof.
move=> cE; have [_ E0 _] := cE.
pose f (z : R * R) := E (a * normal_pdf v s z.1 * normal_pdf 0 s z.2 + c * normal_pdf w s z.1 * normal_pdf (Num.sqrt b) s z.2)
  (a' * normal_pdf v s z.1 * normal_pdf 0 s z.2 + c' * normal_pdf w s z.1 * normal_pdf (Num.sqrt b) s z.2).
have f0 z : (0 <= f z)%E by exact: E0.
have part k u r : measurable_fun setT (fun z : R * R => k * normal_pdf u s z.1 * normal_pdf r s z.2).
  apply: measurable_funM; last by apply: (measurableT_comp (measurable_normal_pdf _ _)); exact: measurable_snd.
  by apply: measurable_funM => //; apply: (measurableT_comp (measurable_normal_pdf _ _)); exact: measurable_fst.
have mf : measurable_fun setT f by apply: cost_at => //; apply: measurable_funD; exact: part.
have mF : measurable_fun setT (fubini_F mu f) by exact: measurable_fun_fubini_tonelli_F.
exact: mF.
Qed.

Section Moved.
Context {m n : nat}.
Local Notation matrix := 'M[R]_(m, n).
Implicit Types (V W M : matrix) (l : seq ('I_m * 'I_n)) (F G : matrix -> \bar R).

Let rel l V F M := releases l (const_mx s) V (fun Y (_ : set matrix) => F Y) M setT.

Let test_rel l V F M ij : test F -> test (fun x => rel l V F (add_entry ij (M, x))).
Proof.
move=> [mF F01]; have fF : follows (fun w : unit * matrix => fun _ : set matrix => F w.2).
  by split=> [A _|w A _]; [exact: (measurableT_comp mF measurable_snd) | exact: F01].
have c0 : unit -> forall i j, 0 < (const_mx s : matrix) i j by move=> _ i j; rewrite mxE.
have [mr r01] := @follows_releases R m n _ unit _ matrix l (fun _ : unit => const_mx s) (fun=> V) _ (measurable_cst _) (measurable_cst _) c0 fF.
have mg : measurable_fun setT (fun x : R => (tt, add_entry ij (M, x))).
  apply: measurable_fun_prod; first exact: measurable_cst.
  by apply: (measurableT_comp (@measurable_add_entry R m n ij)); apply: measurable_fun_prod; first exact: measurable_cst.
split=> [|x]; first exact: (measurableT_comp (mr setT measurableT) mg).
exact: (r01 (tt, add_entry ij (M, x)) setT measurableT).
Qed.

Lemma releases_covered E F G l V W M b a c a' c' : cost E -> test F -> test G -> (forall Y, covered E (F Y) (G Y)) ->
  \sum_(ij <- l) (W ij.1 ij.2 - V ij.1 ij.2) ^+ 2 <= b -> 0 <= a -> 0 <= c -> 0 <= a' -> 0 <= c' ->
  (a%:E * rel l V F M + c%:E * rel l W F M <= a'%:E * rel l V G M + c'%:E * rel l W G M + turned E b a c a' c')%E.
Proof.
move=> cE tF tG FG; elim: l M b a c a' c' => [|ij l IH] M b a c a' c' le a0 c0 a'0 c'0.
  have dn v : density (normal_pdf v s).
    by split; [exact: measurable_normal_pdf | move=> x; exact: normal_pdf_ge0 | exact: integral_normal_pdf].
  have [F0 F1] := andP (proj2 tF M); have [G0 G1] := andP (proj2 tG M).
  have tf : test (fun _ : R => F M) by apply: test_const; rewrite F0.
  have tg : test (fun _ : R => G M) by apply: test_const; rewrite G0.
  have := @weighed_means a c a' c' 0 (Num.sqrt b) (fun=> F M) (fun=> F M) (fun=> G M) (fun=> G M)
    (fun x => E (a * normal_pdf 0 s x + c * normal_pdf (Num.sqrt b) s x) (a' * normal_pdf 0 s x + c' * normal_pdf (Num.sqrt b) s x)).
  rewrite !(mean_const (dn _) F0) !(mean_const (dn _) G0); apply => // [||x].
  - by apply: cost_at => //; apply: measurable_funD; apply: measurable_funM => //; exact: measurable_normal_pdf.
  - by move=> x; case: cE.
  rewrite -!ge0_muleDl ?lee_fin ?mulr_ge0 ?normal_pdf_ge0 // -!EFinD.
  by apply: FG; rewrite addr_ge0 // mulr_ge0 // normal_pdf_ge0.
rewrite big_cons in le; set D := (_ - _) ^+ 2 in le; have b0 : 0 <= b - D.
  by rewrite subr_ge0; apply: le_trans le; rewrite lerDl sumr_ge0 // => i _; exact: sqr_ge0.
have := @turned_split E (b - D) (V ij.1 ij.2) (W ij.1 ij.2) a c a' c' cE b0; rewrite subrK => <-.
have e U H : rel (ij :: l) U H M = mean (normal_pdf (U ij.1 ij.2) s) (fun x => rel l U H (add_entry ij (M, x))).
  by rewrite /rel /= /mix /mean mxE.
rewrite !e; apply: weighed_means => //; try exact: test_rel.
- exact: measurable_turned.
- by move=> x; exact: turned_ge0.
by move=> x; apply: IH; rewrite ?mulr_ge0 ?normal_pdf_ge0 // lerBrDl.
Qed.

Theorem moved_covered E F G (P Q : {measure set matrix -> \bar R}) V W b a c a' c' : cost E -> test F -> test G ->
  (forall Y, covered E (F Y) (G Y)) -> (forall A, measurable A -> P A = noisy predT (const_mx s) V A) ->
  (forall A, measurable A -> Q A = noisy predT (const_mx s) W A) -> sqnorm (W - V) <= b -> 0 <= a -> 0 <= c -> 0 <= a' -> 0 <= c' ->
  (a%:E * \int[P]_Y F Y + c%:E * \int[Q]_Y F Y <= a'%:E * \int[P]_Y G Y + c'%:E * \int[Q]_Y G Y + turned E b a c a' c')%E.
Proof.
move=> cE tF tG FG PV QW le a0 c0 a'0 c'0.
have [mF F01] := tF; have [mG G01] := tG; have F0 Y : (0 <= F Y)%E by case/andP: (F01 Y).
have G0 Y : (0 <= G Y)%E by case/andP: (G01 Y).
rewrite !(noisy_mean PV) // !(noisy_mean QW) //; apply: releases_covered => //; apply: le_trans le.
rewrite big_enum /sqnorm /dot -(pair_bigA _ (fun i j => (W i j - V i j) ^+ 2)) /=.
by apply: ler_sum => i _; apply: ler_sum => j _; rewrite !mxE expr2.
Qed.
End Moved.
End Turned.
