(* How rarely the labels of shuffling.v lean far to one side, and the closed form of amplification by shuffling.

   cosh_le           (e^x + e^-x) / 2 <= e^(x^2 / 2)
   labels_tail       the probability that labels true lead by more than S times the labels that are not none *)
From mathcomp Require Import all_ssreflect all_algebra fingroup perm.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp.
From mathcomp Require Import derive realfun.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import shuffling.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Cosh.
Context {R : realType}.
Implicit Types x y : R.

Let rise x : R := expR (2 * x) * (x - 1) + (x + 1).
Let is_derive_rise x : is_derive x 1 rise (expR (2 * x) * (2 * x - 1) + 1).
Proof.
have H2 := @is_derive1_comp R (@expR R) (fun x => 2 * x) x _ _ (is_derive_expR (2 * x)) (is_deriveZ 2 (is_derive_id x 1)).
have H := is_deriveD (is_deriveM H2 (is_deriveB (is_derive_id x 1) (is_derive_cst (1 : R) x 1)))
  (is_deriveD (is_derive_id x 1) (is_derive_cst (1 : R) x 1)).
by apply: (is_derive_eq H); rewrite !fctE /GRing.scale /=; ring.
Qed.

Let rise_ge0 x : 0 <= x -> 0 <= rise x.
Proof.
move=> x0; have -> : 0 = rise 0 by rewrite /rise mulr0 expR0; ring.
apply: (@ger0_derive1_ndecr R rise 0 x) => //.
- move=> z _; rewrite derive1E; case: (is_derive_rise z) => _ ->.
  have e := expR_ge1Dx (- (2 * z)); rewrite expRN in e.
  have p := expR_gt0 (2 * z); have : expR (2 * z) * (1 - 2 * z) <= expR (2 * z) * (expR (2 * z))^-1 by rewrite ler_wpM2l // ltW.
  by rewrite divff ?gt_eqF //; lra.
- by apply: derivable_within_continuous => z _; case: (is_derive_rise z).
Qed.

Let fall x : R := expR (- (x ^+ 2 / 2)) * (expR x + expR (- x)).
Let is_derive_fall x : is_derive x 1 fall (- (expR (- (x ^+ 2 / 2)) * expR (- x) * rise x)).
Proof.
have sq : is_derive x 1 (fun x : R => - (x ^+ 2 / 2)) (- x) by apply: is_derive_eq; rewrite /GRing.scale /= ?expr1; field.
have neg : is_derive x 1 (fun x : R => - x) (- 1) by apply: is_derive_eq.
have H1 := @is_derive1_comp R (@expR R) (fun x => - (x ^+ 2 / 2)) x _ _ (is_derive_expR (- (x ^+ 2 / 2))) sq.
have H2 := @is_derive1_comp R (@expR R) (fun x => - x) x _ _ (is_derive_expR (- x)) neg.
have H := is_deriveM H1 (is_deriveD (is_derive_expR x) H2).
apply: (is_derive_eq H); rewrite !fctE /GRing.scale /rise /=.
have e : expR (2 * x) * expR (- x) = expR x by rewrite -expRD; congr expR; ring.
by rewrite -!e; ring.
Qed.

Lemma cosh_le x : expR x + expR (- x) <= 2 * expR (x ^+ 2 / 2).
Proof.
suff pos y : 0 <= y -> expR y + expR (- y) <= 2 * expR (y ^+ 2 / 2).
  have [x0|x0] := lerP 0 x; first exact: pos.
  by have := pos (- x); rewrite oppr_ge0 ltW // opprK sqrrN addrC; apply.
move=> y0; have : fall y <= fall 0.
  apply: (@ler0_derive1_nincr R fall 0 y) => //.
  - move=> z; rewrite in_itv /= => /andP[z0 _]; rewrite derive1E; case: (is_derive_fall z) => _ ->.
    by rewrite oppr_le0 !mulr_ge0 ?expR_ge0 // rise_ge0 // ltW.
  - by apply: derivable_within_continuous => z _; case: (is_derive_fall z).
rewrite /fall expr0n /= mul0r oppr0 expR0 mul1r => h.
by rewrite -ler_pdivrMr ?expR_gt0 // -expRN mulrC; apply: le_trans h _.
Qed.
End Cosh.

Section Tail.
Context {R : realType} (n : nat) (g r t S : R).
Hypotheses (g0 : 0 <= g) (r0 : 0 <= r) (t01 : 0 <= t <= 1) (S0 : 0 <= S).
Local Notation label := (option bool).

Lemma sum_label (F : label -> R) : \sum_l F l = F None + (F (Some true) + F (Some false)).
Proof.
by rewrite (bigD1 None) //= (bigD1 (Some true)) //= (bigD1 (Some false)) //= big1 ?addr0 => [|[[]|]].
Qed.

Theorem labels_tail : \sum_(m : {ffun 'I_n.+1 -> label} | S * named R m < lead R m) weight g r t m <=
  expR (S * (1 - S)) * (r + g * expR (- (S ^+ 2 / 2))) ^+ n.
Proof.
pose b (l : label) := expR (S * (sign R l - S * (l != None)%:R)); have /andP[t0 t1] := t01.
have nt : `|t| <= 1 by rewrite ger0_norm.
have b0 l : 0 <= b l by exact: expR_ge0.
apply: (@le_trans _ _ (\sum_(m : {ffun 'I_n.+1 -> label}) \prod_j (share g r t j (m j) * b (m j)))).
  rewrite big_mkcond; apply: ler_sum => m _; rewrite big_split /= -/(weight g r t m); case: ifP => [lt|_]; last first.
    by rewrite mulr_ge0 ?weight_ge0 // prodr_ge0.
  rewrite ler_peMr ?weight_ge0 // /b -(big_morph _ (@expRD R) (@expR0 R)) -[leLHS]expR0 ler_expR -mulr_sumr.
  by rewrite mulr_ge0 // sumrB -mulr_sumr subr_ge0 ltW.
rewrite -(bigA_distr_bigA (fun j l => share g r t j l * b l)) big_ord_recl; apply: ler_pM.
- by apply: sumr_ge0 => l _; rewrite mulr_ge0 // share_ge0.
- by apply: prodr_ge0 => j _; apply: sumr_ge0 => l _; rewrite mulr_ge0 // share_ge0.
- rewrite sum_label /share eqxx /b /= mul0r add0r.
  have le : expR (S * (-1 - S * 1)) <= expR (S * (1 - S)) by rewrite ler_expR ler_wpM2l // mulr1; lra.
  by rewrite mulr1 in le *; nra.
rewrite (eq_bigr (fun=> r + g / 2 * (expR (- (S ^+ 2)) * (expR S + expR (- S))))) => [|j _]; last first.
  rewrite sum_label /share eq_sym /b /= mulr0 subr0 mulr0 expR0 mulr1 mulr1.
  rewrite (_ : S * (1 - S) = - S ^+ 2 + S); last by ring.
  by rewrite (_ : S * (-1 - S) = - S ^+ 2 + - S) ?expRD; ring.
rewrite prodr_const card_ord; apply: lerXn2r; rewrite ?nnegrE.
- by rewrite addr_ge0 // !mulr_ge0 ?expR_ge0 ?addr_ge0 ?expR_ge0 // invr_ge0.
- by rewrite addr_ge0 // mulr_ge0 ?expR_ge0.
rewrite lerD2l -mulrA ler_wpM2l // mulrC ler_pdivrMr //; apply: le_trans (ler_wpM2l (expR_ge0 _) (cosh_le S)) _.
by rewrite mulrCA -expRD mulrC (_ : - S ^+ 2 + S ^+ 2 / 2 = - (S ^+ 2 / 2)) //; field.
Qed.
End Tail.
