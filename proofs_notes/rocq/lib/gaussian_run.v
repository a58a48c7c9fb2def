(* Adaptive Gaussian releases: composition with a budget along the run, and the law of all that was released.

   run s q u n z A   the probability that the state after n releases, begun at z, lies in A: release i is a number of
                     N(q i z, (s i z)^2), and u i (z, x) is the state after the release x
   within s q q' u n b z   along every run the squared changes (q i z - q' i z)^2 / (s i z)^2 sum up to at most b
   adaptive_gdp      then the two runs are sqrt b-Gaussian differentially private
   run_positive      an event that the run reaches by small positive releases has a positive probability
   run_map           a function of the state that is updated by itself
   run_kernel        run as a probability kernel: a measure of mass 1 for each z, measurably *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure densities normal_line gaussian_dp.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Adaptive.
Context {R : realType} d (S : measurableType d).
Local Notation mu := (@lebesgue_measure R).
Implicit Types (s q : nat -> S -> R) (u : nat -> S * R -> S) (A : set S).

Fixpoint run s q u n (z : S) (A : set S) : \bar R :=
  if n is n'.+1 then
    mix (q 0%N z) (s 0%N z) (fun x => run (fun i => s i.+1) (fun i => q i.+1) (fun i => u i.+1) n' (u 0%N (z, x))) A
  else (\1_A z)%:E.

Fixpoint within s q q' u n (b : R) (z : S) : Prop :=
  if n is n'.+1 then forall x, within (fun i => s i.+1) (fun i => q i.+1) (fun i => q' i.+1) (fun i => u i.+1) n'
    (b - ((q 0%N z - q' 0%N z) / s 0%N z) ^+ 2) (u 0%N (z, x)) else 0 <= b.

Lemma within_ge0 s q q' u n b z : within s q q' u n b z -> 0 <= b.
Proof.
elim: n s q q' u b z => [//|n IH] s q q' u b z /(_ 0)/IH /= h.
by apply: le_trans h _; rewrite gerBl sqr_ge0.
Qed.

Lemma within_nothing s q q' u n z A : (forall i z, 0 < s i z) -> within s q q' u n 0 z ->
  run s q u n z A = run s q' u n z A.
Proof.
elim: n s q q' u z => [//|n IH] s q q' u z s0 /= close.
have e : ((q 0%N z - q' 0%N z) / s 0%N z) ^+ 2 = 0.
  by apply/eqP; rewrite eq_le sqr_ge0 andbT; have := within_ge0 (close 0); rewrite sub0r oppr_ge0.
have eq : q 0%N z = q' 0%N z.
  by move/eqP: e; rewrite sqrf_eq0 mulf_eq0 invr_eq0 (gt_eqF (s0 _ _)) orbF subr_eq0 => /eqP.
rewrite eq; apply: eq_integral => x _; congr (_ * _)%E; apply: IH; first by move=> i y; exact: s0.
by have := close x; rewrite e subr0.
Qed.

Lemma measurable_inverse (f : S -> R) : measurable_fun [set: S] f -> (forall z, 0 < f z) ->
  measurable_fun [set: S] (fun z => (f z)^-1).
Proof.
move=> mf f0; rewrite (_ : (fun z => _) = (fun z => expR (- ln (f z)))); last first.
  by apply/funext => z; rewrite expRN lnK ?posrE ?f0.
have ml : measurable_fun [set: S] (fun z => ln (f z)).
  apply: (@measurable_comp _ _ _ _ _ _ [set~ (0 : R)] (@ln R) setT f) => //.
    exact: measurableC.
  by move=> _ [z _ <-] /= e; have := f0 z; rewrite e ltxx.
apply: (@measurableT_comp _ _ _ _ _ _ (@expR R)) => //.
exact: (@measurableT_comp _ _ _ _ _ _ (@GRing.opp R)).
Qed.

Lemma measurable_release (f s : S -> R) : measurable_fun [set: S] f -> measurable_fun [set: S] s -> (forall z, 0 < s z) ->
  measurable_fun [set: S * R] (fun w : S * R => normal_pdf (f w.1) (s w.1) w.2).
Proof.
move=> mf ms s0; have mi : measurable_fun [set: S * R] (fun w : S * R => (s w.1)^-1).
  by apply: (measurableT_comp (measurable_inverse ms s0)).
under eq_fun do rewrite normal_pdfE // exprMn invfM.
apply: measurable_funM; first exact: measurable_funM.
apply: measurableT_comp => //; apply: measurableT_comp => //.
apply: measurable_funM => //; apply: measurable_funM; apply: measurable_funX => //.
apply: measurable_funB => //; exact: measurableT_comp.
Qed.

Definition updates u := forall i, measurable_fun [set: S * R] (u i).
Definition queries q := forall i, measurable_fun [set: S] (q i).

Lemma run_ok s q u n A : queries s -> (forall i z, 0 < s i z) -> queries q -> updates u ->
  measurable A -> measurable_fun [set: S] (fun z => run s q u n z A) /\
  forall z, (0 <= run s q u n z A)%E /\ (run s q u n z A <= 1)%E.
Proof.
elim: n s q u => [|n IH] s q u ms s0 mq mu' mA /=.
  split=> [|z]; first by apply/measurable_EFinP; exact: measurable_indic.
  by rewrite !lee_fin indicE; case: (_ \in _).
have [mr r01] := IH (fun i => s i.+1) (fun i => q i.+1) (fun i => u i.+1) (fun i => ms i.+1) (fun i => s0 i.+1)
  (fun i => mq i.+1) (fun i => mu' i.+1) mA.
set r := fun z => run _ _ _ n z A in mr.
pose f (w : S * R) := ((normal_pdf (q 0%N w.1) (s 0%N w.1) w.2)%:E * r (u 0%N w))%E.
have f0 w : (0 <= f w)%E by apply: mule_ge0; [rewrite lee_fin normal_pdf_ge0 | case: (r01 (u 0%N w))].
have mf : measurable_fun [set: S * R] f.
  by apply: emeasurable_funM; [apply/measurable_EFinP; exact: measurable_release | exact: measurableT_comp].
have mF : measurable_fun [set: S] (fubini_F mu f) by exact: measurable_fun_fubini_tonelli_F.
split; first exact: mF.
move=> z; split; first by apply: integral_ge0 => x _; exact: (f0 (z, x)).
rewrite -(integral_normal_pdf (q 0%N z) (s 0%N z)); apply: ge0_le_integral => //.
- by move=> x _; exact: (f0 (z, x)).
- exact: (measurableT_comp mf (measurable_pair1 z)).
- by move=> x _; rewrite lee_fin normal_pdf_ge0.
- by apply/measurable_EFinP; exact: measurable_normal_pdf.
- move=> x _; rewrite -[leRHS]mule1; apply: lee_wpmul2l; first by rewrite lee_fin normal_pdf_ge0.
  by case: (r01 (u 0%N (z, x))).
Qed.

(* All that was released is a probability. *)
Lemma run_total s q u n z : run s q u n z setT = 1%E.
Proof.
elim: n s q u z => [|n IH] s q u z /=; first by rewrite indicT.
rewrite /mix; under eq_integral do rewrite IH mule1.
exact: integral_normal_pdf.
Qed.

Lemma run_set0 s q u n z : run s q u n z set0 = 0%E.
Proof.
elim: n s q u z => [|n IH] s q u z /=; first by rewrite indic0.
by rewrite /mix; under eq_integral do rewrite IH mule0; rewrite integral0.
Qed.

Lemma run_sigma_additive s q u n z : queries s -> (forall i z, 0 < s i z) -> queries q -> updates u ->
  semi_sigma_additive (run s q u n z).
Proof.
elim: n s q u z => [|n IH] s q u z ms s0 mq mu'; first exact: (@measure_semi_sigma_additive _ _ _ (dirac z)).
have mz : measurable_fun [set: R] (fun x => u 0%N (z, x)) by exact: (measurableT_comp (mu' 0%N) (measurable_pair1 z)).
have ok A mA := @run_ok (fun i => s i.+1) (fun i => q i.+1) (fun i => u i.+1) n A (fun i => ms i.+1) (fun i => s0 i.+1)
  (fun i => mq i.+1) (fun i => mu' i.+1) mA.
move=> F mF tF mUF /=; rewrite /mix.
pose K x := run (fun i => s i.+1) (fun i => q i.+1) (fun i => u i.+1) n (u 0%N (z, x)).
have K0 x i : (0 <= K x (F i))%E by case: (ok (F i) (mF i)) => _ /(_ (u 0%N (z, x)))[].
have mK i : measurable_fun [set: R] (fun x => K x (F i)).
  by case: (ok (F i) (mF i)) => m _; exact: (measurableT_comp m mz).
have e x : ((normal_pdf (q 0%N z) (s 0%N z) x)%:E * K x (\bigcup_i F i) =
    \sum_(0 <= i <oo) (normal_pdf (q 0%N z) (s 0%N z) x)%:E * K x (F i))%E.
  have add := IH (fun i => s i.+1) (fun i => q i.+1) (fun i => u i.+1) (u 0%N (z, x)) (fun i => ms i.+1) (fun i => s0 i.+1)
    (fun i => mq i.+1) (fun i => mu' i.+1) F mF tF mUF.
  rewrite nneseriesZl //; congr (_ * _)%E; apply/esym/cvg_lim => //; exact: add.
have -> : (\int[mu]_x ((normal_pdf (q 0%N z) (s 0%N z) x)%:E * K x (\bigcup_i F i)) =
    \sum_(0 <= i <oo) \int[mu]_x ((normal_pdf (q 0%N z) (s 0%N z) x)%:E * K x (F i)))%E.
  rewrite -integral_nneseries //; first by apply: eq_integral => x _; exact: e.
  - by move=> i; apply: emeasurable_funM; [apply/measurable_EFinP; exact: measurable_normal_pdf | exact: mK].
  - by move=> i x _; rewrite mule_ge0 ?lee_fin ?normal_pdf_ge0 ?K0.
apply: is_cvg_ereal_nneg_natsum => i _; apply: integral_ge0 => x _.
by rewrite mule_ge0 ?lee_fin ?normal_pdf_ge0 ?K0.
Qed.

(* An event that the run reaches whenever each release lies in ]0, e[ has a positive probability. *)
Lemma run_positive s q u n z (e : R) (reach : nat -> set S) A : queries s -> (forall i y, 0 < s i y) ->
  queries q -> updates u -> measurable A -> 0 < e -> (forall i y x, reach i y -> 0 < x < e -> reach i.+1 (u i (y, x))) ->
  reach n `<=` A -> reach 0%N z -> (0 < run s q u n z A)%E.
Proof.
move=> + + + + mA e0; elim: n s q u z reach => [|n IH] s q u z reach ms s0 mq mu' step reachA rz /=.
  by rewrite lte_fin indicE mem_set ?ltr01 //; exact: reachA.
have [mr r01] := run_ok n (fun i => ms i.+1) (fun i => s0 i.+1) (fun i => mq i.+1) (fun i => mu' i.+1) mA.
pose K x := run (fun i => s i.+1) (fun i => q i.+1) (fun i => u i.+1) n (u 0%N (z, x)) A.
pose f x := ((normal_pdf (q 0%N z) (s 0%N z) x)%:E * K x)%E.
have mf : measurable_fun [set: R] f.
  apply: emeasurable_funM; first by apply/measurable_EFinP; exact: measurable_normal_pdf.
  exact: (measurableT_comp mr (measurableT_comp (mu' 0%N) (measurable_pair1 z))).
have f0 x : (0 <= f x)%E by rewrite mule_ge0 ?lee_fin ?normal_pdf_ge0 //; case: (r01 (u 0%N (z, x))).
have fpos x : 0 < x < e -> f x != 0%E.
  move=> xe; rewrite gt_eqF // mule_gt0 //.
    by rewrite lte_fin normal_pdfE // mulr_gt0 ?expR_gt0 // invr_gt0 mulr_gt0 // sqrtr_gt0 pmulrn_lgt0 // pi_gt0.
  apply: (IH _ _ _ _ (fun i => reach i.+1) (fun i => ms i.+1) (fun i => s0 i.+1) (fun i => mq i.+1) (fun i => mu' i.+1)) => //.
    by move=> i y x'; exact: step.
  exact: step.
rewrite lt_def; apply/andP; split; last by apply: integral_ge0 => x _; exact: f0.
apply/negP => /eqP I0.
have [N [mN N0 sub]] : ae_eq mu setT f (cst 0%E).
  by apply/ae_eq_integral_abs => //; rewrite -[RHS]I0; apply: eq_integral => x _; rewrite gee0_abs.
have : (mu `]0%R, e[%classic <= mu N)%E.
  apply: le_measure; rewrite ?inE //= => x /=; rewrite in_itv /= => xe; apply: sub => /= zero.
  by have := fpos x xe; rewrite zero ?eqxx.
by rewrite N0 lebesgue_measure_itv /= lte_fin e0 -EFinB lee_fin subr0 leNgt e0.
Qed.

Lemma profile_ge (M a : R) : 0 < M -> 0 < a -> 0 <= profile M a /\ 1 - a <= profile M a.
Proof.
move=> M0 a0; have M0' : M != 0 by rewrite gt_eqF.
have e : `|M - 0| / 1 = M by rewrite subr0 divr1 gtr0_norm.
have H : indist a (profile M a) (normal_prob M 1) (normal_prob 0 1).
  by apply/(@gaussian_mechanism R M 0 1 a _ ltr01 M0' a0); rewrite e.
split; first by have := H set0 measurable0; rewrite !measure0 mule0 add0e lee_fin.
have := H setT measurableT; rewrite !probability_setT mule1 -EFinD lee_fin; lra.
Qed.

(* Adaptive composition of Gaussian releases (Dong, Roth and Su, Corollary 3.3, with a budget along the run): together they are
   as private as one release of one number that changes by sqrt b standard deviations. *)
Theorem adaptive_gdp s q q' u n b z : queries s -> (forall i z, 0 < s i z) -> queries q -> queries q' -> updates u ->
  0 < b -> within s q q' u n b z -> gdp (Num.sqrt b) (run s q u n z) (run s q' u n z).
Proof.
elim: n s q q' u b z => [|n IH] s q q' u b z ms s0 mq mq' mu' b0 /= close.
  move=> a a0 A mA; have sb : 0 < Num.sqrt b by rewrite sqrtr_gt0.
  have [h0 h1] := profile_ge sb a0; rewrite -EFinM -EFinD lee_fin indicE.
  by case: (_ \in _); rewrite ?mulr1n ?mulr0n ?mulr1 ?mulr0; lra.
set v := q 0%N z; set w := q' 0%N z; set r := s 0%N z; set b' := b - ((v - w) / r) ^+ 2.
have r0 : 0 < r by exact: s0.
have b'0 : 0 <= b' by apply: within_ge0 (close 0).
pose K x := run (fun i => s i.+1) (fun i => q i.+1) (fun i => u i.+1) n (u 0%N (z, x)).
pose L x := run (fun i => s i.+1) (fun i => q' i.+1) (fun i => u i.+1) n (u 0%N (z, x)).
have okK A mA := @run_ok (fun i => s i.+1) (fun i => q i.+1) (fun i => u i.+1) n A (fun i => ms i.+1) (fun i => s0 i.+1)
  (fun i => mq i.+1) (fun i => mu' i.+1) mA.
have okL A mA := @run_ok (fun i => s i.+1) (fun i => q' i.+1) (fun i => u i.+1) n A (fun i => ms i.+1) (fun i => s0 i.+1)
  (fun i => mq' i.+1) (fun i => mu' i.+1) mA.
have mz : measurable_fun [set: R] (fun x => u 0%N (z, x)) by exact: (measurableT_comp (mu' 0%N) (measurable_pair1 z)).
have mK A : measurable A -> measurable_fun [set: R] (K ^~ A).
  by move=> mA; have [m _] := okK A mA; exact: (measurableT_comp m mz).
have mL A : measurable A -> measurable_fun [set: R] (L ^~ A).
  by move=> mA; have [m _] := okL A mA; exact: (measurableT_comp m mz).
have K0 x A : measurable A -> (0 <= K x A)%E by move=> mA; have [_ /(_ (u 0%N (z, x)))[]] := okK A mA.
have L0 x A : measurable A -> (0 <= L x A)%E by move=> mA; have [_ /(_ (u 0%N (z, x)))[]] := okL A mA.
have K1 x A : measurable A -> (K x A <= 1)%E by move=> mA; have [_ /(_ (u 0%N (z, x)))[]] := okK A mA.
have L1 x A : measurable A -> (L x A <= 1)%E by move=> mA; have [_ /(_ (u 0%N (z, x)))[]] := okL A mA.
have [b'00|b'00] := eqVneq b' 0.
  have e2 : ((v - w) / r) ^+ 2 = b by move/eqP: b'00; rewrite subr_eq0 => /eqP.
  have vw : v != w by apply: contraTneq b0 => vw; rewrite -e2 vw subrr mul0r expr0n ltxx.
  have -> : Num.sqrt b = `|v - w| / r by rewrite -e2 sqrtr_sqr normrM normfV [`|r|]gtr0_norm.
  have same A : mix w r K A = mix w r L A.
    apply: eq_integral => x _; congr (_ * _)%E; apply: within_nothing; first by move=> i y; exact: s0.
    by have := close x; rewrite -/v -/w -/r -/b' b'00.
  move=> a a0 A mA; have h := gdp_last r0 vw mK K0 K1 a0 mA.
  by rewrite same in h; exact: h.
have {}b'0 : 0 < b' by rewrite lt_def b'00.
have -> : Num.sqrt b = Num.sqrt (((v - w) / r) ^+ 2 + Num.sqrt b' ^+ 2).
  by rewrite sqr_sqrtr ?(ltW b'0) // /b' addrC subrK.
have sb' : 0 < Num.sqrt b' by rewrite sqrtr_gt0.
by apply: gdp_mix => // x; apply: IH => //; exact: close.
Qed.

(* Queries that do not depend on the state: the Gaussian mechanism for a vector, coordinate by coordinate. *)
Lemma within_constant (r v w : nat -> R) u n b z : \sum_(i < n) ((v i - w i) / r i) ^+ 2 <= b ->
  within (fun i _ => r i) (fun i _ => v i) (fun i _ => w i) u n b z.
Proof.
elim: n r v w u b z => [|n IH] r v w u b z; first by rewrite big_ord0.
by rewrite big_ord_recl => h x /=; apply: (IH (fun i => r i.+1) (fun i => v i.+1) (fun i => w i.+1)); rewrite lerBrDl.
Qed.

Corollary gaussian_vector (r v w : nat -> R) u n (D : R) z : updates u -> (forall i, 0 < r i) ->
  0 < D -> \sum_(i < n) ((v i - w i) / r i) ^+ 2 <= D ^+ 2 ->
  gdp D (run (fun i _ => r i) (fun i _ => v i) u n z) (run (fun i _ => r i) (fun i _ => w i) u n z).
Proof.
move=> mu' r0 D0 close; rewrite -[D](ger0_norm (ltW D0)) -sqrtr_sqr.
apply: adaptive_gdp => //; first by rewrite exprn_gt0.
exact: within_constant.
Qed.
End Adaptive.

Section Map.
Context {R : realType} d (S : measurableType d) d' (S' : measurableType d').

Lemma run_map (g : S -> S') (s q : nat -> S -> R) u (s' q' : nat -> S' -> R) u' n z B :
  (forall i y, s' i (g y) = s i y) -> (forall i y, q' i (g y) = q i y) ->
  (forall i y x, u' i (g y, x) = g (u i (y, x))) -> run s' q' u' n (g z) B = run s q u n z (g @^-1` B).
Proof.
elim: n s q u s' q' u' z => [|n IH] s q u s' q' u' z es eq eu /=.
  by rewrite !indicE (_ : (g z \in B) = (z \in g @^-1` B)) //; apply/idP/idP; rewrite !inE.
rewrite es eq; apply: eq_integral => x _; rewrite eu; congr (_ * _)%E.
by apply: IH => i y *; rewrite ?es ?eq ?eu.
Qed.
End Map.

(* The law of a run as a probability, and as a kernel. *)
Section Law.
Context {R : realType} d (S : measurableType d).
Variables (s q : nat -> S -> R) (u : nat -> S * R -> S).
Hypotheses (ms : queries s) (s0 : forall i z, 0 < s i z) (mq : queries q) (mu : updates u).

Definition run_law of queries s & (forall i z, 0 < s i z) & queries q & updates u := run s q u.
Local Notation law := (run_law ms s0 mq mu).
Variable n : nat.

Let law0 z : law n z set0 = 0%E. Proof. exact: run_set0. Qed.
Let law_ge0 z A : (0 <= law n z A)%E.
Proof.
rewrite /run_law; elim: n s q u z => [|m IH] s' q' u' z /=; first by rewrite lee_fin.
by apply: integral_ge0 => x _; rewrite mule_ge0 ?lee_fin ?normal_pdf_ge0 ?IH.
Qed.
HB.instance Definition _ z := isMeasure.Build _ S R (law n z) (law0 z) (law_ge0 z) (@run_sigma_additive R d S s q u n z ms s0
  mq mu).


Definition run_kernel : S -> {measure set S -> \bar R} := fun z => law n z.

Let measurable_run_kernel A : measurable A -> measurable_fun [set: S] (run_kernel ^~ A).
Proof. by move=> mA; have [] := run_ok n ms s0 mq mu mA. Qed.
HB.instance Definition _ := isKernel.Build _ _ S S R run_kernel measurable_run_kernel.
HB.instance Definition _ := Kernel_isProbability.Build _ _ S S R run_kernel (@run_total R d S s q u n).
End Law.
