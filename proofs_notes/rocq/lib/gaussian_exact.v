(* The Gaussian mechanism for matrices, exactly: linear functions of noisy matrices, and the half-space that decides.

   normal_tail m sd c   P(m + sd Z >= c), for sd = 0 too
   run_functional       the law of a weighted sum of the released numbers
   noisy_exact          if V and W are D standard deviations apart, then the release of V and that of W are
                        (e, t)-indistinguishable exactly when the noise is calibrated for D *)
From mathcomp Require Import all_ssreflect ssralg ssrnum matrix ssrint interval.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure normal_line gaussian_dp gaussian_run gaussian_formulas gaussian_calibration
  gaussian_matrix.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Functional.
Context {R : realType}.
Local Notation mu := (@lebesgue_measure R).
Implicit Types (m s v k sd c : R).

Definition normal_tail m sd c : \bar R := if sd == 0 then ((c <= m)%R%:R)%:E else (upper ((c - m) / sd))%:E.

Lemma integral_event v s (A : set R) : measurable A ->
  (\int[mu]_x ((normal_pdf v s x)%:E * (\1_A x)%:E) = normal_prob v s A)%E.
Proof.
move=> mA; rewrite /normal_prob [RHS]integral_mkcond; apply: eq_integral => x _ /=.
by rewrite patchE indicE -EFinM; case: (x \in A); rewrite ?mulr1 ?mulr0.
Qed.

Lemma normal_tail_mix v s m k sd c : 0 < s -> 0 <= sd ->
  (\int[mu]_x ((normal_pdf v s x)%:E * normal_tail (m + k * x) sd c))%E =
  normal_tail (m + k * v) (Num.sqrt (k ^+ 2 * s ^+ 2 + sd ^+ 2)) c.
Proof.
move=> s0 sd0; have [sd00|sdn0] := eqVneq sd 0.
  rewrite sd00 expr0n addr0 -exprMn sqrtr_sqr normrM (gtr0_norm s0).
  have [->|k0] := eqVneq k 0.
    rewrite normr0 mul0r /normal_tail !eqxx mul0r addr0.
    under eq_integral do rewrite mul0r addr0; case: (c <= m).
      by under eq_integral do rewrite mule1; rewrite integral_normal_pdf; case: eqP.
    by under eq_integral do rewrite mule0; rewrite integral0; case: eqP.
  rewrite /normal_tail eqxx mulf_eq0 normr_eq0 (negPf k0) (gt_eqF s0) /=.
  have ns : s != 0 by rewrite gt_eqF.
  have [kp|kn|e] := ltgtP 0 k; last by rewrite -e eqxx in k0.
    transitivity (tail v s ((c - m) / k)); last first.
      by rewrite tail_upper // gtr0_norm //; congr (upper _)%:E; field; rewrite ns k0.
    rewrite /tail -integral_event //; apply: eq_integral => x _; rewrite indicE mem_setE in_itv /= andbT.
    by rewrite ler_pdivrMr // lerBlDl [x * k]mulrC.
  transitivity (normal_prob v s `]-oo, ((c - m) / k)]%classic); last first.
    by rewrite lower_tail // ltr0_norm //; congr (upper _)%:E; field; rewrite ns k0.
  rewrite -integral_event //; apply: eq_integral => x _; rewrite indicE mem_setE in_itv /=.
  by rewrite ler_ndivlMr // lerBlDl [x * k]mulrC.
have sdp : 0 < sd by rewrite lt_def sdn0.
have root : 0 < Num.sqrt (k ^+ 2 * s ^+ 2 + sd ^+ 2).
  by rewrite sqrtr_gt0 ltr_wpDl ?exprn_gt0 // mulr_ge0 ?sqr_ge0.
have pos : 0 <= k ^+ 2 * s ^+ 2 + sd ^+ 2 by apply: addr_ge0; rewrite ?sqr_ge0 // mulr_ge0 // sqr_ge0.
rewrite /normal_tail (negPf sdn0) (gt_eqF root) -tail_upper // [m + k * v]addrC.
rewrite -(@tail_mixture R v s m sd k _ c s0 sdp root) ?(sqr_sqrtr pos) //.
by apply: eq_integral => x _; rewrite -tail_upper.
Qed.

Lemma run_functional (r v k : nat -> R) n (z c : R) : (forall i, 0 < r i) ->
  run (fun i _ => r i) (fun i _ => v i) (fun i (w : R * R) => w.1 + k i * w.2) n z `[c, +oo[%classic =
  normal_tail (z + \sum_(i < n) k i * v i) (Num.sqrt (\sum_(i < n) k i ^+ 2 * r i ^+ 2)) c.
Proof.
elim: n r v k z => [|n IH] r v k z r0.
  by rewrite !big_ord0 sqrtr0 addr0 /normal_tail eqxx /= indicE mem_setE in_itv /= andbT.
rewrite /= /mix !big_ord_recl; set S := \sum_(i < n) _; set Q := \sum_(i < n) _.
have Q0 : 0 <= Q by apply: sumr_ge0 => i _; rewrite mulr_ge0 ?sqr_ge0.
rewrite addrA [z + _ + S]addrAC -[Q]sqr_sqrtr // -normal_tail_mix ?sqrtr_ge0 //; apply: eq_integral => x _.
congr (_ * _)%E; rewrite (IH (fun i => r i.+1) (fun i => v i.+1) (fun i => k i.+1)) //.
by rewrite addrAC.
Qed.
End Functional.

Section Exact.
Context {R : realType} {m n : nat}.
Implicit Types (P : pred ('I_m * 'I_n)) (s V W : 'M[R]_(m, n)) (l : seq ('I_m * 'I_n)).

Let weighted l (k : 'I_m * 'I_n -> R) (M : 'M[R]_(m, n)) : R := \sum_(ij <- l) k ij * M ij.1 ij.2.

Let weighted_add l k (j : nat) M x : uniq l ->
  weighted l k (nth fst [seq @add_entry R m n ij | ij <- l] j (M, x)) = weighted l k M + nth 0 [seq k ij | ij <- l] j * x.
Proof.
move=> ul; have [jl|lj] := ltnP j (size l); last by rewrite !nth_default ?size_map // mul0r addr0.
case: l ul jl => // ij0 l' ul jl; rewrite !(nth_map ij0) //; set l := ij0 :: l' in ul jl *; set ij := nth ij0 l j.
have inl : ij \in l by exact: mem_nth.
rewrite /weighted /add_entry /= [LHS](eq_bigr (fun ab => k ab * M ab.1 ab.2 + (if ab == ij then k ij * x else 0))).
  rewrite big_split /=; congr (_ + _); rewrite -big_mkcond /= -big_filter.
  by rewrite (_ : [seq i <- l | i == ij] = [:: ij]) ?big_seq1 //; exact: filter_pred1_uniq.
move=> [a b] _; case: (ij) => a' b'; rewrite !mxE /= mulrDr xpair_eqE; congr (_ + _).
by case: (eqVneq a a') => [->|_]; case: (eqVneq b b') => [->|_]; rewrite /= ?mulr1 ?mulr0.
Qed.

Lemma weighted_law P s V k c : (forall i j, 0 < s i j) ->
  noisy P s V (weighted (enum P) k @^-1` `[c, +oo[%classic) =
  normal_tail (\sum_(ij | P ij) k ij * V ij.1 ij.2) (Num.sqrt (\sum_(ij | P ij) k ij ^+ 2 * s ij.1 ij.2 ^+ 2)) c.
Proof.
move=> s0; pose kn := nth 0 [seq k ij | ij <- enum P].
rewrite /noisy -(@run_map R _ _ _ _ (weighted (enum P) k) _ _ _ (fun i _ => nth 1 [seq s ij.1 ij.2 | ij <- enum P] i)
  (fun i _ => nth 0 [seq V ij.1 ij.2 | ij <- enum P] i) (fun i (w : R * R) => w.1 + kn i * w.2)) //; last first.
  by move=> i M x; rewrite weighted_add ?enum_uniq.
rewrite run_functional; last exact: scale_gt0.
have -> : weighted (enum P) k 0 = 0 by rewrite /weighted big1 // => ij _; rewrite mxE mulr0.
have e1 : \sum_(i < #|P|) kn i * nth 0 [seq V ij.1 ij.2 | ij <- enum P] i = \sum_(ij | P ij) k ij * V ij.1 ij.2.
  rewrite -[RHS]big_enum cardE /kn /=; elim: (enum P) => [|ij l IH]; first by rewrite big_ord0 big_nil.
  by rewrite big_ord_recl big_cons -IH.
have e2 : \sum_(i < #|P|) kn i ^+ 2 * nth 1 [seq s ij.1 ij.2 | ij <- enum P] i ^+ 2 =
    \sum_(ij | P ij) k ij ^+ 2 * s ij.1 ij.2 ^+ 2.
  rewrite -[RHS]big_enum cardE /kn /=; elim: (enum P) => [|ij l IH]; first by rewrite big_ord0 big_nil.
  by rewrite big_ord_recl big_cons -IH.
by rewrite add0r e1 e2.
Qed.

Theorem noisy_exact P s V W D e t : (forall i j, 0 < s i j) -> 0 < D ->
  \sum_(ij | P ij) ((V ij.1 ij.2 - W ij.1 ij.2) / s ij.1 ij.2) ^+ 2 = D ^+ 2 ->
  indist (expR e) t (noisy P s V) (noisy P s W) <-> calibrated e t D.
Proof.
move=> s0 D0 apart; split=> [H|cal]; last by apply: noisy_private cal _; rewrite ?apart.
pose k ij := (V ij.1 ij.2 - W ij.1 ij.2) / s ij.1 ij.2 ^+ 2.
pose mean (U : 'M[R]_(m, n)) := \sum_(ij | P ij) k ij * U ij.1 ij.2.
have ns i j : s i j != 0 by rewrite gt_eqF.
have sd : Num.sqrt (\sum_(ij | P ij) k ij ^+ 2 * s ij.1 ij.2 ^+ 2) = D.
  rewrite -[RHS]gtr0_norm // -sqrtr_sqr -apart; congr Num.sqrt; apply: eq_bigr => ij _; rewrite /k.
  by field; rewrite ns.
have diff : mean V = mean W + D ^+ 2.
  rewrite -apart /mean -big_split /=; apply: eq_bigr => ij _.
  by rewrite /k; field; rewrite ns.
pose c := e + (mean V + mean W) / 2.
have mA : measurable (weighted (enum P) k @^-1` `[c, +oo[%classic).
  have mw : measurable_fun setT (weighted (enum P) k).
    apply: (@measurable_sum _ _ R setT _ (enum P) (fun ij (M : 'M[R]_(m, n)) => k ij * M ij.1 ij.2)) => ij.
    by apply: measurable_funM; [exact: measurable_cst | exact: measurable_entry].
  by rewrite -[X in measurable X]setTI; apply: mw.
have := H _ mA; rewrite !weighted_law // sd /normal_tail gt_eqF // -/(mean V) -/(mean W) -EFinM -EFinD lee_fin.
have nD : D != 0 by rewrite gt_eqF.
rewrite /calibrated /profile expRK (_ : (c - mean V) / D = e / D - D / 2); last by rewrite /c diff; field.
rewrite (_ : (c - mean W) / D = e / D + D / 2); last by rewrite /c diff; field.
lra.
Qed.
End Exact.
