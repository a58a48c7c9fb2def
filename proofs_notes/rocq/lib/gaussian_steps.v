(* Adaptive Gaussian releases of matrices, and what they cost together.

   follows K            K x is a probability that depends measurably on x: the law of what follows x
   budget b M N         M and N are the same if b = 0, and sqrt b-Gaussian differentially private otherwise
   budget_mix           one more number: the square of its change is added to b
   releases l s V K Y   the law of what follows a release of the entries l of V, each with its own normal noise
   steps s V u N z      the law of the state after N releases of matrices V i (state), begun at z
   change s V W         the squared change from V to W, in standard deviations
   steps_budget         squared changes add up, whatever was released before
   steps_private        N releases that change by at most C each: a calibration for sqrt (N C) makes them (e, t)-private *)
From mathcomp Require Import all_ssreflect ssralg ssrnum matrix ssrint interval.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure squared_norms normal_line gaussian_dp gaussian_run gaussian_calibration gaussian_matrix.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Follows.
Context {R : realType} d (T : measurableType d).

(* The law of what follows x, a probability that depends measurably on x. *)
Definition follows d' (X : measurableType d') (K : X -> set T -> \bar R) := (forall A, measurable A -> measurable_fun setT (K ^~ A)) /\
  forall x A, measurable A -> (0 <= K x A <= 1)%E.

Lemma follows_comp d1 (X : measurableType d1) d2 (Y : measurableType d2) (K : Y -> set T -> \bar R) (f : X -> Y) :
  measurable_fun setT f -> follows K -> follows (fun x => K (f x)).
Proof. by move=> mf [mK K01]; split=> [A mA|x A mA]; [exact: (measurableT_comp (mK A mA)) | exact: K01]. Qed.

Lemma follows_mix d' (X : measurableType d') (q s : X -> R) (K : X * R -> set T -> \bar R) :
  measurable_fun setT q -> measurable_fun setT s -> (forall x, 0 < s x) -> follows K ->
  follows (fun x => mix (q x) (s x) (fun y => K (x, y))).
Proof.
move=> mq ms s0 [mK K01].
pose f A (w : X * R) := ((normal_pdf (q w.1) (s w.1) w.2)%:E * K w A)%E.
have f0 A w : measurable A -> (0 <= f A w)%E.
  by move=> mA; apply: mule_ge0; [rewrite lee_fin normal_pdf_ge0 | case/andP: (K01 w A mA)].
have mf A : measurable A -> measurable_fun setT (f A).
  by move=> mA; apply: emeasurable_funM; [apply/measurable_EFinP; exact: measurable_release | exact: mK].
split=> [A mA|x A mA].
  have mF : measurable_fun setT (fubini_F (@lebesgue_measure R) (f A)).
    have fA0 w := f0 A w mA; have mfA := mf A mA.
    exact: measurable_fun_fubini_tonelli_F.
  exact: mF.
apply/andP; split; first by apply: integral_ge0 => y _; exact: (f0 A (x, y)).
rewrite -(integral_normal_pdf (q x) (s x)); apply: ge0_le_integral => //.
- by move=> y _; exact: (f0 A (x, y)).
- exact: (measurableT_comp (mf A mA) (measurable_pair1 x)).
- by move=> y _; rewrite lee_fin normal_pdf_ge0.
- by apply/measurable_EFinP; exact: measurable_normal_pdf.
- move=> y _; rewrite -[leRHS]mule1; apply: lee_wpmul2l; first by rewrite lee_fin normal_pdf_ge0.
  by case/andP: (K01 (x, y) A mA).
Qed.
End Follows.

Section Budget.
Context {R : realType} d (T : measurableType d).
Implicit Types (M N : set T -> \bar R) (K L : R -> set T -> \bar R) (b v w s : R).

(* M and N are the same if b = 0, and sqrt b-Gaussian differentially private otherwise. *)
Definition budget b M N := 0 <= b /\ if b == 0 then forall A, measurable A -> M A = N A else gdp (Num.sqrt b) M N.

Lemma budget_gdp b M N : 0 < b -> budget b M N -> gdp (Num.sqrt b) M N.
Proof. by move=> b0 [_]; rewrite gt_eqF. Qed.

Lemma budget_same b M : 0 <= b -> (forall A, measurable A -> (0 <= M A <= 1)%E) -> budget b M M.
Proof.
move=> b0 M01; split=> //; case: eqVneq => // bn0 a a0 A mA; have /andP[m0 m1] := M01 A mA.
have sb : 0 < Num.sqrt b by rewrite sqrtr_gt0 lt_def bn0.
have [h0 h1] := profile_ge sb a0.
have mf : M A \is a fin_num by rewrite ge0_fin_numE // (le_lt_trans m1) // ltry.
have e : M A = (fine (M A))%:E by rewrite fineK.
rewrite e !lee_fin in m0 m1; rewrite e -EFinM -EFinD lee_fin; move: (fine (M A)) m0 m1 => m m0 m1; nra.
Qed.

Lemma budget_mix K L v w s b : 0 < s -> follows K -> follows L -> (forall x, budget b (K x) (L x)) ->
  budget (((v - w) / s) ^+ 2 + b) (mix v s K) (mix w s L).
Proof.
move=> s0 [mK K01] [mL L01] close; have [b0 _] := close 0; split; first by rewrite addr_ge0 ?sqr_ge0.
have K0 x A : measurable A -> (0 <= K x A)%E by move=> mA; case/andP: (K01 x A mA).
have K1 x A : measurable A -> (K x A <= 1)%E by move=> mA; case/andP: (K01 x A mA).
have L0 x A : measurable A -> (0 <= L x A)%E by move=> mA; case/andP: (L01 x A mA).
have L1 x A : measurable A -> (L x A <= 1)%E by move=> mA; case/andP: (L01 x A mA).
have [b00|bn0] := eqVneq b 0; last first.
  have bp : 0 < b by rewrite lt_def bn0.
  rewrite gt_eqF; last by rewrite ltr_wpDl ?sqr_ge0.
  rewrite -{1}[b]sqr_sqrtr //; apply: gdp_mix => //; first by rewrite sqrtr_gt0.
  by move=> x; exact: budget_gdp (close x).
have same A u : measurable A -> mix u s K A = mix u s L A.
  by move=> mA; apply: eq_integral => x _; case: (close x) => _; rewrite b00 eqxx => ->.
rewrite b00 addr0 sqrf_eq0 mulf_eq0 invr_eq0 (gt_eqF s0) orbF subr_eq0; have [->|vw] := eqVneq v w; first by move=> A; exact: same.
rewrite sqrtr_sqr normrM normfV [`|s|]gtr0_norm // => a a0 A mA.
by rewrite -same //; exact: (gdp_last s0 vw mK K0 K1 a0 mA).
Qed.

Lemma budget_monotone b b' M N : b <= b' -> (forall A, measurable A -> (0 <= M A <= 1)%E) -> budget b M N -> budget b' M N.
Proof.
move=> bb M01 [b0 H]; have b'0 := le_trans b0 bb; split=> //; have [e|bn0] := eqVneq b 0.
  have same : budget b' M M by exact: budget_same.
  rewrite e eqxx in H; case: eqVneq => [_|n0]; first exact: H.
  by move: same => [_]; rewrite (negPf n0) => G a a0 A mA; rewrite -H //; exact: G.
have bp : 0 < b by rewrite lt_def bn0.
rewrite (negPf bn0) in H; rewrite gt_eqF ?(lt_le_trans bp) // => a a0 A mA; apply: le_trans (H a a0 A mA) _.
by rewrite leeD2l // lee_fin profile_monotone // ?sqrtr_gt0 // ler_wsqrtr.
Qed.
End Budget.


Section Releases.
Context {R : realType} {m n : nat}.
Local Notation matrix := 'M[R]_(m, n).
Implicit Types (s V W M : matrix) (l : seq ('I_m * 'I_n)).

(* The law of what follows a release of the entries l of V, where K Y is the law of it after Y; M is what came before. *)
Fixpoint releases d (T : measurableType d) l s V (K : matrix -> set T -> \bar R) M (A : set T) : \bar R :=
  if l is ij :: l' then mix (V ij.1 ij.2) (s ij.1 ij.2) (fun x => releases l' s V K (add_entry ij (M, x))) A else K M A.

Lemma noisyE P s V A : noisy P s V A = releases (enum P) s V (fun M B => (\1_B M)%:E) 0 A.
Proof.
rewrite /noisy cardE; move: (0 : matrix); elim: (enum P) => [//|ij l IH] M /=.
by apply: eq_integral => x _; rewrite IH.
Qed.

Lemma releases_total d (T : measurableType d) l s V (K : matrix -> set T -> \bar R) M A :
  (forall N, K N A = 1%E) -> releases l s V K M A = 1%E.
Proof.
move=> K1; elim: l M => [//|ij l IH] M /=; rewrite /mix; under eq_integral do rewrite IH mule1.
exact: integral_normal_pdf.
Qed.

Context d (S : measurableType d) d' (T : measurableType d').

Lemma follows_releases l (s V : S -> matrix) (K : S * matrix -> set T -> \bar R) : measurable_fun setT s ->
  measurable_fun setT V -> (forall z i j, 0 < s z i j) -> follows K ->
  follows (fun w : S * matrix => releases l (s w.1) (V w.1) (fun Y => K (w.1, Y)) w.2).
Proof.
move=> ms mV s0 fK; elim: l => [|ij l IH] /=.
  by apply: (follows_comp (f := fun w : S * matrix => (w.1, w.2))) fK; apply: measurable_fun_prod.
have entry (g : S -> matrix) : measurable_fun setT g -> measurable_fun setT (fun w : S * matrix => g w.1 ij.1 ij.2).
  by move=> mg; apply: (measurableT_comp (measurable_entry ij.1 ij.2)); exact: measurableT_comp.
apply: (@follows_mix _ _ _ _ _ (fun w : S * matrix => V w.1 ij.1 ij.2) (fun w => s w.1 ij.1 ij.2)
  (fun w => releases l (s w.1.1) (V w.1.1) (fun Y => K (w.1.1, Y)) (add_entry ij (w.1.2, w.2)))); try exact: entry.
  by [].
apply: (follows_comp (f := fun w : (S * matrix) * R => (w.1.1, add_entry ij (w.1.2, w.2)))) IH.
apply: measurable_fun_prod; first exact: measurableT_comp.
apply: (measurableT_comp (@measurable_add_entry R m n ij)); apply: measurable_fun_prod => //; exact: measurableT_comp.
Qed.

End Releases.

Section Changes.
Context {R : realType} {m n : nat} d' (T : measurableType d').
Local Notation matrix := 'M[R]_(m, n).
Implicit Types (s V W M : matrix) (l : seq ('I_m * 'I_n)).

(* The change of a release, in standard deviations and squared. *)
Definition change (s V W : matrix) : R := \sum_(ij : 'I_m * 'I_n) ((V ij.1 ij.2 - W ij.1 ij.2) / s ij.1 ij.2) ^+ 2.

Lemma releases_budget l s V W (K L : matrix -> set T -> \bar R) b M : (forall i j, 0 < s i j) -> follows K -> follows L ->
  (forall N, budget b (K N) (L N)) ->
  budget (\sum_(ij <- l) ((V ij.1 ij.2 - W ij.1 ij.2) / s ij.1 ij.2) ^+ 2 + b) (releases l s V K M) (releases l s W L M).
Proof.
move=> s0 fK fL close; elim: l M => [|ij l IH] M; first by rewrite big_nil add0r.
have next (U : matrix) (F : matrix -> set T -> \bar R) : follows F ->
    follows (fun x : R => releases l s U F (add_entry ij (M, x))).
  move=> fF; have fF' : follows (fun w : unit * matrix => F w.2) by apply: follows_comp fF.
  have := @follows_releases R m n _ unit _ T l (fun _ : unit => s) (fun=> U) _ (measurable_cst _) (measurable_cst _) (fun=> s0) fF'.
  apply: (follows_comp (f := fun x : R => (tt, add_entry ij (M, x)))).
  apply: measurable_fun_prod; first exact: measurable_cst.
  by apply: (measurableT_comp (@measurable_add_entry R m n ij)); apply: measurable_fun_prod; first exact: measurable_cst.
rewrite big_cons -addrA; apply: budget_mix => //; [exact: next | exact: next].
Qed.
End Changes.

Section Steps.
Context {R : realType} {m n : nat} d (S : measurableType d).
Local Notation matrix := 'M[R]_(m, n).
Implicit Types (s V W : nat -> S -> matrix) (u : nat -> S * matrix -> S).

(* The probability that the state after N releases, begun at z, lies in A: release i is the matrix V i z with noise of the
   standard deviations s i z, and u i (z, Y) is the state after the release Y. *)
Fixpoint steps s V u N (z : S) (A : set S) : \bar R :=
  if N is N'.+1 then releases (enum {: 'I_m * 'I_n}) (s 0%N z) (V 0%N z)
    (fun Y => steps (fun i => s i.+1) (fun i => V i.+1) (fun i => u i.+1) N' (u 0%N (z, Y))) 0 A
  else (\1_A z)%:E.

Lemma steps_total s V u N z : steps s V u N z setT = 1%E.
Proof. by elim: N s V u z => [|N IH] s V u z /=; [rewrite indicT | apply: releases_total => Y; exact: IH]. Qed.

Definition measurable_steps d1 (X : measurableType d1) d2 (Y : measurableType d2) (f : nat -> X -> Y) :=
  forall i, measurable_fun setT (f i).

Lemma follows_steps s V u N : measurable_steps s -> (forall i z a b, 0 < s i z a b) -> measurable_steps V ->
  measurable_steps u -> follows (steps s V u N).
Proof.
elim: N s V u => [|N IH] s V u ms s0 mV mu /=.
  split=> [A mA|z A _]; first by apply/measurable_EFinP; exact: measurable_indic.
  by rewrite !lee_fin indicE; case: (_ \in _); rewrite ?lexx ?ler01.
have next := IH (fun i => s i.+1) (fun i => V i.+1) (fun i => u i.+1) (fun i => ms i.+1) (fun i => s0 i.+1)
  (fun i => mV i.+1) (fun i => mu i.+1).
have := @follows_releases R m n d S d S (enum {: 'I_m * 'I_n}) _ _ _ (ms 0%N) (mV 0%N) (s0 0%N) (follows_comp (mu 0%N) next).
apply: (follows_comp (f := fun z => (z, 0 : matrix))).
by apply: measurable_fun_prod; [exact: measurable_id | exact: measurable_cst].
Qed.

(* Adaptive releases of matrices, of which release i changes by at most b i whatever was released before. *)
Theorem steps_budget s V W u N (b : nat -> R) z : measurable_steps s -> (forall i z a b, 0 < s i z a b) ->
  measurable_steps V -> measurable_steps W -> measurable_steps u ->
  (forall i z, change (s i z) (V i z) (W i z) <= b i) -> budget (\sum_(i < N) b i) (steps s V u N z) (steps s W u N z).
Proof.
elim: N s V W u b z => [|N IH] s V W u b z ms s0 mV mW mu close.
  by rewrite big_ord0; split; rewrite ?eqxx.
have next := IH (fun i => s i.+1) (fun i => V i.+1) (fun i => W i.+1) (fun i => u i.+1) (fun i => b i.+1) _ (fun i => ms i.+1)
  (fun i => s0 i.+1) (fun i => mV i.+1) (fun i => mW i.+1) (fun i => mu i.+1) (fun i => close i.+1).
have after U : measurable_steps U -> follows (fun Y => steps (fun i => s i.+1) (fun i => U i.+1) (fun i => u i.+1) N (u 0%N (z, Y))).
  move=> mU; apply: (follows_comp (f := fun Y => u 0%N (z, Y))); first exact: (measurableT_comp (mu 0%N) (measurable_pair1 z)).
  by apply: follows_steps => i *; [exact: ms | exact: s0 | exact: mU | exact: mu].
rewrite big_ord_recl /=; apply: (@budget_monotone _ _ _ (change (s 0%N z) (V 0%N z) (W 0%N z) + \sum_(i < N) b i.+1)).
- by rewrite lerD2r; exact: close.
- by move=> A mA; case: (@follows_steps s V u N.+1 ms s0 mV mu) => _; apply.
- have -> : change (s 0%N z) (V 0%N z) (W 0%N z) = \sum_(ij <- enum {: 'I_m * 'I_n})
      ((V 0%N z ij.1 ij.2 - W 0%N z ij.1 ij.2) / s 0%N z ij.1 ij.2) ^+ 2 by rewrite big_enum.
  by apply: releases_budget; [exact: s0 | exact: after | exact: after | move=> Y; exact: next].
Qed.

Lemma change_const (r : R) (A B : matrix) : change (const_mx r) A B = sqnorm (A - B) / r ^+ 2.
Proof.
rewrite /change /sqnorm /dot mulr_suml -(pair_bigA _ (fun i j => ((A i j - B i j) / (const_mx r : matrix) i j) ^+ 2)).
by apply: eq_bigr => i _; rewrite mulr_suml; apply: eq_bigr => j _; rewrite !mxE expr_div_n expr2.
Qed.

Lemma change_ge0 (r A B : matrix) : 0 <= change r A B.
Proof. by apply: sumr_ge0 => ij _; exact: sqr_ge0. Qed.

Theorem steps_private s V W u N (C e t : R) z : measurable_steps s -> (forall i z a b, 0 < s i z a b) ->
  measurable_steps V -> measurable_steps W -> measurable_steps u -> 0 < C ->
  (forall i z, change (s i z) (V i z) (W i z) <= C) -> (0 < N)%N -> calibrated e t (Num.sqrt (N%:R * C)) ->
  indist (expR e) t (steps s V u N z) (steps s W u N z).
Proof.
move=> ms s0 mV mW mu C0 close N0 cal A mA.
have := @steps_budget s V W u N (fun=> C) z ms s0 mV mW mu close; rewrite sumr_const card_ord -mulr_natl => /budget_gdp.
move=> /(_ _ _ (expR_gt0 e) A mA) h; apply: le_trans (h _) _; first by rewrite mulr_gt0 ?ltr0n.
by rewrite leeD2l // lee_fin.
Qed.
End Steps.
