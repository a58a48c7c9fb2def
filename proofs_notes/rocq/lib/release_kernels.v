(* The steps of an adaptive algorithm as probability kernels on the state, for adaptive_runs.v.

   release_step K u   draw a value y with the law K z, and go from the state z to u (z, y)
   release_step_indist   it is as private as K
   mean_sigma_additive   the mean of measures is one
   normal_kernel      a matrix with normal noise of one standard deviation, both dependent on the state *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure squared_norms normal_line gaussian_dp gaussian_run gaussian_matrix gaussian_steps real_releases.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(* A release of a value in Y, and the state that is computed from it. *)
Section ReleaseStep.
Context {R : realType} d (S : measurableType d) d' (Y : measurableType d').
Variables (K : R.-pker S ~> Y) (u : S * Y -> S) (mu : measurable_fun setT u).

Definition release_step : S -> {measure set S -> \bar R} := mkcomp K (kdirac mu).

Lemma release_stepE s A : measurable A -> release_step s A = K s ((fun y => u (s, y)) @^-1` A).
Proof.
move=> mA; have mB : measurable ((fun y => u (s, y)) @^-1` A).
  by rewrite -[X in measurable X]setTI; exact: (measurableT_comp mu (measurable_pair1 s)).
rewrite -[in RHS](setIT (_ @^-1` A)) -integral_indic //.
Qed.

Let measurable_step A : measurable A -> measurable_fun setT (release_step ^~ A).
Proof. by move=> mA; exact: (measurable_fun_mkcomp_sfinite K (kdirac mu) mA). Qed.
HB.instance Definition _ := isKernel.Build _ _ S S R release_step measurable_step.
Let step_total s : release_step s setT = 1%E.
Proof. by rewrite release_stepE // preimage_setT prob_kernel. Qed.
HB.instance Definition _ := Kernel_isProbability.Build _ _ S S R release_step step_total.
End ReleaseStep.

Lemma release_step_indist (R : realType) d (S : measurableType d) d' (Y : measurableType d') (K L : R.-pker S ~> Y) (u : S * Y -> S)
    (mu : measurable_fun setT u) a t s : indist a t (K s) (L s) -> indist a t (release_step K mu s) (release_step L mu s).
Proof.
move=> KL A mA; rewrite !release_stepE //; apply: KL; rewrite -[X in measurable X]setTI.
exact: (measurableT_comp mu (measurable_pair1 s)).
Qed.

Section SigmaAdditive.
Context {R : realType} d (T : measurableType d).
Local Notation mu := (@lebesgue_measure R).

Lemma mean_sigma_additive (p : R -> R) (G : R -> set T -> \bar R) : density p -> (forall x, semi_sigma_additive (G x)) ->
  (forall A, measurable A -> test (fun x => G x A)) -> semi_sigma_additive (fun A => mean p (fun x => G x A)).
Proof.
move=> [mp p0 _] add tG F mF tF mUF.
have G0 x i : (0 <= G x (F i))%E by case: (tG (F i) (mF i)) => _ /(_ x)/andP[].
have mG i : measurable_fun [set: R] (fun x => G x (F i)) by case: (tG (F i) (mF i)).
have e x : ((p x)%:E * G x (\bigcup_i F i) = \sum_(0 <= i <oo) (p x)%:E * G x (F i))%E.
  rewrite nneseriesZl //; congr (_ * _)%E; apply/esym/cvg_lim => //; exact: add.
have -> : (mean p (fun x => G x (\bigcup_i F i)) = \sum_(0 <= i <oo) mean p (fun x => G x (F i)))%E.
  rewrite /mean -integral_nneseries //; first by apply: eq_integral => x _; exact: e.
  - by move=> i; exact: measurable_mass.
  - by move=> i x _; rewrite mule_ge0 ?lee_fin.
apply: is_cvg_ereal_nneg_natsum => i _; apply: integral_ge0 => x _.
by rewrite mule_ge0 ?lee_fin.
Qed.
End SigmaAdditive.


(* A vector with normal noise of the same standard deviation in every entry, both dependent on the state. *)
Section NormalKernel.
Context {R : realType} {p q : nat} d (S : measurableType d).
Local Notation matrix := 'M[R]_(p, q).
Variables (s : S -> R) (V : S -> matrix).
Hypotheses (s0 : forall z, 0 < s z) (ms : measurable_fun setT s) (mV : measurable_fun setT V).

Definition normal_law of (forall z, 0 < s z) & measurable_fun setT s & measurable_fun setT V : S -> set matrix -> \bar R :=
  fun z => noisy predT (const_mx (s z)) (V z).
Local Notation law := (normal_law s0 ms mV).

Let const_gt0 z i j : 0 < (const_mx (s z) : matrix) i j. Proof. by rewrite mxE. Qed.

Let law0 z : law z set0 = 0%E.
Proof.
rewrite /normal_law /noisy; move: (const_gt0 z); set k := #|_|; move: (nth 1 _) (nth 0 _) (nth fst _) (0 : matrix) => r v u M _.
elim: k r v u M => [|k IH] r v u M /=; first by rewrite indic0.
by rewrite /mix; under eq_integral do rewrite IH mule0; rewrite integral0.
Qed.
Let law_ge0 z A : (0 <= law z A)%E.
Proof.
rewrite /normal_law /noisy; set k := #|_|; move: (nth 1 _) (nth 0 _) (nth fst _) (0 : matrix) => r v u M.
elim: k r v u M => [|k IH] r v u M /=; first by rewrite lee_fin.
by apply: integral_ge0 => x _; rewrite mule_ge0 ?lee_fin ?normal_pdf_ge0 ?IH.
Qed.
Let law_additive z : semi_sigma_additive (law z).
Proof.
apply: run_sigma_additive; [by move=> i; exact: measurable_cst | by move=> i y; exact: scale_gt0 | by move=> i; exact: measurable_cst | exact: updates_noisy].
Qed.
HB.instance Definition _ z := isMeasure.Build _ matrix R (law z) (law0 z) (law_ge0 z) (@law_additive z).

Definition normal_kernel : S -> {measure set matrix -> \bar R} := fun z => law z.

Let measurable_law A : measurable A -> measurable_fun setT (normal_kernel ^~ A).
Proof.
move=> mA; have mc : measurable_fun setT (fun z => const_mx (s z) : matrix).
  by apply: measurable_matrix => i j; under eq_fun do rewrite mxE.
have fK : follows (fun w : S * matrix => fun B : set matrix => (\1_B w.2)%:E : \bar R).
  split=> [B mB|w B mB]; last by rewrite !lee_fin indicE; case: (_ \in _); rewrite ?lexx ?ler01.
  by apply/measurable_EFinP; apply: (measurableT_comp (measurable_indic _)).
have [mF _] := @follows_releases R p q d S _ _ (enum {: 'I_p * 'I_q}) _ _ _ mc mV const_gt0 fK.
have mz : measurable_fun setT (fun z : S => (z, 0 : matrix)) by apply: measurable_fun_prod; [exact: measurable_id | exact: measurable_cst].
have := measurableT_comp (mF A mA) mz; congr measurable_fun; apply/funext => z /=.
by rewrite /normal_kernel /normal_law noisyE; congr releases; apply: eq_enum.
Qed.
HB.instance Definition _ := isKernel.Build _ _ S matrix R normal_kernel measurable_law.
Let law_total z : normal_kernel z setT = 1%E.
Proof. exact: noisy_total. Qed.
HB.instance Definition _ := Kernel_isProbability.Build _ _ S matrix R normal_kernel law_total.
End NormalKernel.
