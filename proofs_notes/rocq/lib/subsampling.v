(* Privacy gained by a hidden random sample of the records: by independent draws (Poisson) when a record is added or
   removed, and by a uniform sample of a fixed size, or one uniform index, when a record is replaced.

   A base mechanism that is (epsilon, delta)-private on the sample is (ln(1 + q (e^epsilon - 1)), q delta)-private on the data
   set, where q is the probability that a record is in the sample. A factor a stands for e^epsilon. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From mathcomp.zify Require Import zify.
From DPPCA.lib Require Import discrete randomised_response.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Core.
Variables (R : realFieldType) (T : finType).
Implicit Types (a d q : R) (p r s : T -> R).

(* e^epsilon' for a sampling rate q *)
Definition amplified q a := 1 + q * (a - 1).

Lemma amplified_ge1 q a : 0 <= q -> 1 <= a -> 1 <= amplified q a.
Proof. by move=> q0 a1; rewrite lerDl mulr_ge0 // subr_ge0. Qed.

Lemma amplified_le q a : q <= 1 -> 1 <= a -> amplified q a <= a.
Proof.
move=> q1 a1; rewrite -subr_ge0 [X in 0 <= X](_ : _ = (1 - q) * (a - 1)); last by rewrite /amplified; ring.
by rewrite mulr_ge0 ?subr_ge0.
Qed.

(* p with probability q, else r. *)
Definition blend q r p (x : T) := (1 - q) * r x + q * p x.

Lemma pr_blend q r p A : pr (blend q r p) A = (1 - q) * pr r A + q * pr p A.
Proof. by rewrite /pr /blend big_split /= -!mulr_sumr. Qed.

Lemma law_blend q r p : 0 <= q <= 1 -> law r -> law p -> law (blend q r p).
Proof.
move=> /andP[q0 q1] lr lp; split=> [x|].
  by rewrite addr_ge0 // mulr_ge0 ?subr_ge0 //; [case: lr | case: lp].
by rewrite /blend big_split /= -!mulr_sumr !law_sum //; ring.
Qed.

(* p is near both what stands in its place (s) and the rest (r): e^epsilon' = 1 + q (e^epsilon - 1), delta' = q delta. *)
Theorem dp_blend q a d r p s : 0 <= q <= 1 -> 1 <= a -> law r -> law s -> dp a d p r -> dp a d p s ->
  dp (amplified q a) (q * d) (blend q r p) (blend q r s).
Proof.
move=> /andP[q0 q1] a1 lr ls pr_r pr_s A; rewrite !pr_blend.
have a0 : 0 < a by apply: lt_le_trans ltr01 a1.
have hr := pr_r A; have hs := pr_s A.
have := amplified_le q1 a1; have := amplified_ge1 q0 a1; set c := amplified q a => c1 ca.
set u := pr p A in hr hs *; set v := pr r A in hr *; set w := pr s A in hs *.
(* u = (1 - c / a) u + (c / a) u <= (1 - c / a) (a v + d) + (c / a) (a w + d) *)
have hu : u <= (a - c) * v + c * w + d.
  rewrite -(ler_pM2l a0) [X in X <= _](_ : _ = (a - c) * u + c * u); last by ring.
  rewrite [X in _ <= X](_ : _ = (a - c) * (a * v + d) + c * (a * w + d)); last by ring.
  by apply: lerD; apply: ler_wpM2l; rewrite ?subr_ge0 // (le_trans ler01).
have := ler_wpM2l q0 hu; rewrite -(lerD2l ((1 - q) * v)) => /le_trans; apply.
rewrite le_eqVlt; apply/orP; left; apply/eqP.
by rewrite /c /amplified; ring.
Qed.

(* The other direction, where the record is absent from the right law. *)
Theorem dp_unblend q a d r p : 0 <= q <= 1 -> 1 <= a -> 0 <= d -> law r -> law p -> dp a d r p ->
  dp (amplified q a) (q * d) r (blend q r p).
Proof.
move=> /andP[q0 q1] a1 d0 lr lp H A; rewrite pr_blend; have h := H A.
have a0 : 0 < a by apply: lt_le_trans ltr01 a1.
have := amplified_le q1 a1; have := amplified_ge1 q0 a1; set c := amplified q a => c1 ca.
have u0 : 0 <= pr r A by apply: pr_ge0.
set u := pr r A in h u0 *; set v := pr p A in h *.
(* u = (1 - c q / a) u + (c q / a) u <= (1 - c q / a) u + (c q / a) (a v + d) *)
have s0 : 0 <= c * q by rewrite mulr_ge0 // (le_trans ler01).
have sa : c * q <= a * q by apply: ler_wpM2r.
rewrite -(ler_pM2l a0) [X in X <= _](_ : _ = (a - c * q) * u + c * q * u); last by ring.
apply: le_trans (_ : (a - c * q) * u + c * q * (a * v + d) <= _); first by rewrite lerD2l ler_wpM2l.
rewrite -subr_ge0 [X in 0 <= X](_ : _ = q * (1 - q) * (a - 1) ^+ 2 * u + (a * q - c * q) * d); last by rewrite /c /amplified; ring.
by rewrite addr_ge0 ?mulr_ge0 ?subr_ge0 ?sqr_ge0.
Qed.
End Core.

(* A Poisson sample: each of n records is drawn with probability q, independently of the others. *)
Section Poisson.
Variables (R : realFieldType) (T : finType) (q : R).
Hypothesis q01 : 0 <= q <= 1.

(* The probability that exactly the indices of S are drawn, and the law of a release about the sample. *)
Definition draw_probability n (S : {set 'I_n}) : R := \prod_i (if i \in S then q else 1 - q).
Definition poisson_sample n (release : {set 'I_n} -> T -> R) : T -> R := mixture (@draw_probability n) release.

Lemma law_draw n : law (@draw_probability n).
Proof.
have /andP[q0 q1] := q01; split=> [S|]; first by apply: prodr_ge0 => i _; case: ifP; rewrite ?subr_ge0.
transitivity (\prod_(i < n) \sum_(b : bool) (if b then q else 1 - q)).
  rewrite bigA_distr_bigA /= (reindex (fun f : {ffun 'I_n -> bool} => [set i | f i])) /=.
    by apply: eq_bigr => f _; apply: eq_bigr => i _; rewrite inE.
  exists (fun S : {set 'I_n} => [ffun i => i \in S]) => [f|S] _; first by apply/ffunP => i; rewrite ffunE inE.
  by apply/setP => i; rewrite inE ffunE.
by rewrite big1 // => i _; rewrite big_bool /= addrCA subrr addr0.
Qed.

Lemma law_poisson n (release : {set 'I_n} -> T -> R) : (forall S, law (release S)) -> law (poisson_sample release).
Proof. by move=> l; apply: law_mixture => //; apply: law_draw. Qed.

(* The indices but i0, as the records of a data set that lacks it are numbered. *)
Definition others n (i0 : 'I_n.+1) (S : {set 'I_n}) : {set 'I_n.+1} := [set lift i0 i | i in S].

Lemma others_not_in n (i0 : 'I_n.+1) S : i0 \notin others i0 S.
Proof. by apply/imsetP => -[i _ /eqP]; rewrite (negbTE (neq_lift _ _)). Qed.

Lemma lift_in_others n (i0 : 'I_n.+1) S i : (lift i0 i \in others i0 S) = (i \in S).
Proof. by rewrite mem_imset //; apply: lift_inj. Qed.

Lemma draw_others n (i0 : 'I_n.+1) S : draw_probability (others i0 S) = (1 - q) * draw_probability S.
Proof.
rewrite /draw_probability (bigD1_ord i0) //= (negbTE (others_not_in i0 S)); congr (_ * _).
by apply: eq_bigr => i _; rewrite lift_in_others.
Qed.

Lemma draw_with n (i0 : 'I_n.+1) S : draw_probability (i0 |: others i0 S) = q * draw_probability S.
Proof.
rewrite /draw_probability (bigD1_ord i0) //= setU11; congr (_ * _).
apply: eq_bigr => i _; rewrite in_setU1 lift_in_others; case: eqP => // e.
by have := neq_lift i0 i; rewrite e eqxx.
Qed.

(* A sample with record i0: it is drawn with probability q, and the others are drawn as without it. *)
Lemma poisson_split n (i0 : 'I_n.+1) (release : {set 'I_n.+1} -> T -> R) :
  poisson_sample release =1 blend q (poisson_sample (fun S => release (others i0 S)))
                                    (poisson_sample (fun S => release (i0 |: others i0 S))).
Proof.
move=> x; rewrite /poisson_sample /mixture /blend (bigID (fun S : {set 'I_n.+1} => i0 \in S)) /= addrC !mulr_sumr.
pose back (S : {set 'I_n.+1}) : {set 'I_n} := [set i | lift i0 i \in S].
have back_others S : back (others i0 S) = S by apply/setP => i; rewrite inE lift_in_others.
have others_back S : others i0 (back S) = S :\ i0.
  apply/setP => i; rewrite !inE; case: (unliftP i0 i) => [j|] ->.
    by rewrite lift_in_others inE eq_sym neq_lift.
  by rewrite eqxx (negbTE (others_not_in _ _)).
congr (_ + _).
  rewrite (reindex_onto (others i0) back) /=.
    apply: eq_big => [S|S _]; first by rewrite others_not_in back_others eqxx.
    by rewrite draw_others mulrA.
  by move=> S nS; rewrite others_back; apply/setP => i; rewrite !inE; case: eqP => //= ->; rewrite (negbTE nS).
rewrite (reindex_onto (fun S => i0 |: others i0 S) back) /=.
  apply: eq_big => [S|S _]; last by rewrite draw_with mulrA.
  rewrite setU11; apply/eqP/setP => i; rewrite inE in_setU1 lift_in_others.
  by rewrite eq_sym (negbTE (neq_lift _ _)).
by move=> S yS; rewrite others_back setD1K.
Qed.

(* foundations.amplification-poisson: for every finite data set, whatever is released about a sample. *)
Theorem poisson_amplification n a d (release : {set 'I_n.+1} -> T -> R) (release' : {set 'I_n} -> T -> R) i0 : 1 <= a ->
  (forall S, law (release S)) -> (forall S, release' S =1 release (others i0 S)) ->
  (forall S, dp a d (release (i0 |: others i0 S)) (release (others i0 S)) /\
             dp a d (release (others i0 S)) (release (i0 |: others i0 S))) ->
  dp (amplified q a) (q * d) (poisson_sample release) (poisson_sample release') /\
  dp (amplified q a) (q * d) (poisson_sample release') (poisson_sample release).
Proof.
move=> a1 l same H; have /andP[q0 q1] := q01.
set A := poisson_sample (fun S => release (others i0 S)); set B := poisson_sample (fun S => release (i0 |: others i0 S)).
have eA : A =1 poisson_sample release' by move=> x; apply: eq_bigr => S _; rewrite same.
have lA : law A by apply: law_poisson. have lB : law B by apply: law_poisson.
have d0 : 0 <= d by apply: dp_ge0 (proj1 (H set0)).
have dm : d = mean (@draw_probability n) (fun=> d) by rewrite /mean -mulr_suml (law_sum (law_draw n)) mul1r.
have [BA AB] : dp a d B A /\ dp a d A B.
  by split; rewrite dm; apply: dp_mixture => S; have [] := H S; rewrite ?(law_ge0 _ (law_draw n)).
split; [apply: (dp_eq (fsym (poisson_split i0 release)) eA) | apply: (dp_eq eA (fsym (poisson_split i0 release)))].
  apply: dp_eq (frefl _) _ (dp_blend q01 a1 lA lA BA BA) => x.
  by rewrite /blend -mulrDl subrK mul1r.
exact: dp_unblend.
Qed.

(* What the sum of a sample is when i0 is drawn and when it is not. *)
Lemma sum_others n i0 (V : zmodType) (g : 'I_n.+1 -> V) S : \sum_(i in others i0 S) g i = \sum_(i in S) g (lift i0 i).
Proof. by rewrite big_imset //= => i j _ _; apply: lift_inj. Qed.

Lemma sum_with n i0 (V : zmodType) (g : 'I_n.+1 -> V) S :
  \sum_(i in i0 |: others i0 S) g i = g i0 + \sum_(i in S) g (lift i0 i).
Proof. by rewrite big_setU1 ?others_not_in //= sum_others. Qed.
End Poisson.

(* One record drawn uniformly, hidden, when a record is replaced: q = 1 / (n + 1). *)
Section OneOfMany.
Variables (R : realFieldType) (T : finType).

Lemma law_one_of n : law (fun _ : 'I_n.+1 => n.+1%:R^-1 : R).
Proof.
split=> [i|]; first by rewrite invr_ge0 ler0n.
by rewrite sumr_const card_ord -(mulr_natl (_^-1)) divff // pnatr_eq0.
Qed.

(* The law of a release about a record drawn uniformly among n + 1, the draw hidden. *)
Definition hidden_draw n (release : 'I_n.+1 -> T -> R) : T -> R := mixture (fun=> n.+1%:R^-1) release.

(* foundations.amplification-uniform: the base mechanism is private whatever records it is given. *)
Theorem hidden_draw_amplified n a d (release release' : 'I_n.+1 -> T -> R) i0 : 1 <= a ->
  (forall i, law (release i)) -> law (release' i0) -> (forall i, i != i0 -> release i = release' i) ->
  (forall i, dp a d (release i0) (release' i)) ->
  dp (amplified n.+1%:R^-1 a) (d / n.+1%:R) (hidden_draw release) (hidden_draw release').
Proof.
move=> a1 l l' same H; case: n release release' i0 l l' same H => [|n] release release' i0 l l' same H.
  have e (f : 'I_1 -> T -> R) : f i0 =1 hidden_draw f.
    by move=> x; rewrite /hidden_draw /mixture big_ord1 invr1 mul1r [i0]ord1.
  have -> : d / 1%:R = d by rewrite divr1.
  have -> : amplified 1%:R^-1 a = a by rewrite /amplified invr1 mul1r addrCA subrr addr0.
  exact: (dp_eq (e release) (e release')).
pose r := mixture (fun i : 'I_n.+2 => (i != i0)%:R / n.+1%:R) release.
have N0 : n.+1%:R != 0 :> R by rewrite pnatr_eq0.
have N1 : n.+2%:R != 0 :> R by rewrite pnatr_eq0.
have lw : law (fun i : 'I_n.+2 => (i != i0)%:R / n.+1%:R : R).
  split=> [i|]; first by rewrite divr_ge0 ?ler0n.
  rewrite (bigD1 i0) //= eqxx mul0r add0r (eq_bigr (fun=> n.+1%:R^-1)) => [|i ->]; last exact: mul1r.
  by rewrite sumr_const cardC1 card_ord -(mulr_natr n.+1%:R^-1) /= mulVf.
have lr : law r by apply: law_mixture.
have near : dp a d (release i0) r.
  apply: (dp_eq (p := mixture (fun i : 'I_n.+2 => (i != i0)%:R / n.+1%:R) (fun=> release i0)) (q := r)) => // [x|].
    by rewrite /mixture -mulr_suml (law_sum lw) mul1r.
  have -> : d = mean (fun i : 'I_n.+2 => (i != i0)%:R / n.+1%:R) (fun=> d) by rewrite /mean -mulr_suml (law_sum lw) mul1r.
  apply: (dp_mixture (d := fun i => d)) => [i|i]; first by rewrite divr_ge0 ?ler0n.
  case: (eqVneq i i0) => [->|ne]; last by rewrite (same i ne).
  by apply: dp_monotone (dp_refl _) => //; apply: dp_ge0 (H i0).
have w : (1 - n.+2%:R^-1) / n.+1%:R = n.+2%:R^-1 :> R.
  have e : n.+1%:R = n.+2%:R - 1 :> R by rewrite -[n.+2]addn1 natrD addrK.
  by rewrite -{1}(divff N1) -[X in _ - X]mul1r -mulrBl -e mulrAC divff // mul1r.
have split_at (f : 'I_n.+2 -> T -> R) : (forall i, i != i0 -> f i = release i) -> blend n.+2%:R^-1 r (f i0) =1 hidden_draw f.
  move=> ef x; rewrite /blend /r /hidden_draw /mixture [in RHS](bigD1 i0) //= addrC; congr (_ + _).
  rewrite (bigD1 i0) //= eqxx !mul0r add0r mulr_sumr; apply: eq_bigr => i ne.
  by rewrite ef // ne -[(true%:R : R)]/(1 : R) mul1r mulrA w.
have q01 : 0 <= (n.+2%:R^-1 : R) <= 1 by rewrite invr_ge0 ler0n invf_le1 ?ltr0n // ler1n.
rewrite [d / _]mulrC; apply: dp_eq (split_at release _) (split_at release' _) _ => // [i ne|].
  by rewrite same.
exact: dp_blend.
Qed.
End OneOfMany.

(* The definitions compute. *)
Section Examples.
Variable R : realFieldType.
Example amplified_computes : amplified (3%:R^-1 : rat) 4%:R = 2%:R. Proof. by []. Qed.
Example hidden_draw_computes : hidden_draw (fun i : 'I_2 => if i == 0 then response 3%:R true else response 3%:R false) true = 2%:R^-1 :> rat.
Proof. by rewrite /hidden_draw /mixture !big_ord_recl big_ord0. Qed.
Example blend_computes : blend (4%:R^-1 : rat) (dirac _ false) (dirac _ true) true = 4%:R^-1. Proof. by []. Qed.
Example draw_computes (q : R) : draw_probability q [set (0 : 'I_2)] = q * (1 - q).
Proof. by rewrite /draw_probability !big_ord_recl big_ord0 !inE mulr1. Qed.
Example others_compute : others (0 : 'I_3) [set (0 : 'I_2)] = [set 1].
Proof. by rewrite /others imset_set1; congr [set _]; apply: val_inj. Qed.

(* A response about whether the only record is in the sample. *)
Example poisson_sample_computes :
  poisson_sample (4%:R^-1 : rat) (fun S : {set 'I_1} => response 3%:R (0 \in S)) true = 4%:R^-1 * (3%:R / 4%:R) + 3%:R / 4%:R * 4%:R^-1.
Proof.
have lone S : poisson_sample 4%:R^-1 S =1 blend (4%:R^-1 : rat) (poisson_sample 4%:R^-1 (fun S' => S (others 0 S')))
    (poisson_sample 4%:R^-1 (fun S' : {set 'I_0} => S (0 |: others 0 S'))) := @poisson_split _ bool _ 0 0 S.
rewrite lone /blend /poisson_sample /mixture /draw_probability !(big_pred1 set0).
  by rewrite !big_ord0 setU11 (negbTE (others_not_in _ _)).
all: by move=> S; apply/esym/eqP/setP => -[].
Qed.
End Examples.
