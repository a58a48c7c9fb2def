(* The private power method with its normal noise, for every n, d, k, the number N of steps, epsilon, delta.

   steps are adaptive Gaussian releases: S is any measurable space that holds what was released, [basis] the basis that the
   next step uses, a measurable function of it (QR factors of the last release), and [update] adds a release.

   power_method s A     the law of what was released after N steps on A, if the noise of a step is s of the state
   basis_bound          the squared change of A V when a row of X is replaced, A = X^T X: 1 for k = 1, and 2 otherwise
   largest V            the largest modulus of an entry, with which the source scales the noise
   entry_changed A A'   one entry differs by at most 1 *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp
  measure.
From mathcomp Require Import numfun measurable_realfun lebesgue_measure lebesgue_integral.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure squared_norms gaussian_dp gaussian_run gaussian_formulas gaussian_calibration.
From DPPCA.lib Require Import gaussian_threshold gaussian_matrix gaussian_exact gaussian_steps.
From DPPCA.primitives Require Import row_changes.
From DPPCA.baselines Require Import sensitivities.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Changes.
Context (R : realType) (p k : nat).
Implicit Types (A : 'M[R]_p) (V : 'M[R]_(p, k)).

Definition basis_bound : R := if k == 1%N then 1 else 2.
Definition largest V : R := \big[Num.max/0]_(ij <- enum {: 'I_p * 'I_k}) `|V ij.1 ij.2|.
Definition entry_changed A A' := exists i j c, `|c| <= 1 /\ A - A' = c *: delta_mx i j.

Lemma basis_bound_gt0 : 0 < basis_bound.
Proof. by rewrite /basis_bound; case: ifP; rewrite ?ltr01 ?ltr0n. Qed.

Lemma basis_change n (X X' : 'M[R]_(n, p)) V : replaced X X' -> orthonormal V ->
  sqnorm (gram X *m V - gram X' *m V) <= basis_bound.
Proof.
rewrite -mulmxBl /basis_bound; case: eqP => [k1|_]; last exact: basis_replaced.
by move: V; rewrite k1; exact: basis1_replaced.
Qed.

Lemma largest_ge V i j : `|V i j| <= largest V.
Proof. by rewrite /largest (bigD1_seq (i, j)) ?mem_enum ?enum_uniq //= le_max lexx. Qed.

Lemma largest_gt0 V : (0 < k)%N -> orthonormal V -> 0 < largest V.
Proof.
move=> k0 oV; rewrite lt_neqAle eq_sym; apply/andP; split; last first.
  by rewrite /largest; elim/big_rec: _ => // ij x _ x0; rewrite le_max normr_ge0.
apply/eqP => l0; have V0 : V = 0.
  by apply/matrixP => i j; rewrite mxE; apply/eqP; rewrite -normr_le0 -l0 largest_ge.
by have := congr1 (fun M : 'M_k => M (Ordinal k0) (Ordinal k0)) oV; rewrite V0 mulmx0 !mxE eqxx => /esym/eqP; rewrite oner_eq0.
Qed.

Lemma measurable_largest : measurable_fun setT largest.
Proof.
rewrite /largest; elim: (enum _) => [|ij l IH].
  by under eq_fun do rewrite big_nil; exact: measurable_cst.
under eq_fun do rewrite big_cons; apply: measurable_maxr => //.
by apply: measurableT_comp => //; exact: measurable_entry.
Qed.

Lemma entry_change_le A A' V : entry_changed A A' -> sqnorm (A *m V - A' *m V) <= k%:R * largest V ^+ 2.
Proof. by move=> [i [j [c [c1 e]]]]; rewrite -mulmxBl e; apply: power_method_entry => // a b; exact: largest_ge. Qed.

Lemma measurable_mulmx d (S : measurableType d) A (f : S -> 'M[R]_(p, k)) : measurable_fun setT f ->
  measurable_fun setT (fun z => A *m f z).
Proof.
move=> mf; apply: measurable_matrix => i j; under eq_fun do rewrite mxE.
apply: measurable_sum => l; apply: measurable_funM; first exact: measurable_cst.
by apply: (measurableT_comp (measurable_entry l j)).
Qed.
End Changes.

Section PowerMethod.
Context (R : realType) (p k N : nat) d (S : measurableType d).
Context (basis : S -> 'M[R]_(p, k)) (update : nat -> S * 'M[R]_(p, k) -> S).
Hypotheses (measurable_basis : measurable_fun setT basis) (measurable_update : measurable_steps update).
Hypothesis basis_orthonormal : forall z, orthonormal (basis z).
Implicit Types (A : 'M[R]_p) (e t : R).

Definition power_method (s : S -> R) A := steps (fun _ z => const_mx (s z)) (fun _ z => A *m basis z) update N.

(* What the theorems below have in common: noise that is a multiple m of a bound of the step's change. *)
Lemma power_method_ratio (s : S -> R) C e t A A' z : measurable_fun setT s -> (forall z, 0 < s z) -> 0 < C -> (0 < N)%N ->
  calibrated e t (Num.sqrt (N%:R * C)) -> (forall z, sqnorm (A *m basis z - A' *m basis z) <= C * s z ^+ 2) ->
  indist (expR e) t (power_method s A z) (power_method s A' z).
Proof.
move=> ms s0 C0 N0 cal close.
apply: (@steps_private R p k _ S _ _ _ _ N C) => //.
- by move=> i; apply: measurable_matrix => a b; under eq_fun do rewrite mxE.
- by move=> i z' a b; rewrite mxE.
- by move=> i; exact: measurable_mulmx.
- by move=> i; exact: measurable_mulmx.
- by move=> i z'; rewrite change_const ler_pdivrMr ?exprn_gt0.
Qed.

(* hardt2014.ppm-relation: a row is replaced; noise for sqrt N changes of sqrt 2, or 1 if k = 1, whatever the entries *)
Theorem power_method_private s e t n (X X' : 'M[R]_(n, p)) z : 0 < s -> (0 < N)%N ->
  calibrated e t (Num.sqrt (basis_bound R k) * Num.sqrt N%:R / s) -> replaced X X' ->
  indist (expR e) t (power_method (fun=> s) (gram X) z) (power_method (fun=> s) (gram X') z).
Proof.
move=> s0 N0 cal nb; have b0 := basis_bound_gt0 R k.
apply: (power_method_ratio z (C := basis_bound R k / s ^+ 2)) => // [||z'].
- by rewrite divr_gt0 ?exprn_gt0.
- by rewrite mulrCA sqrtrM ?(ltW b0) // sqrtrM ?ler0n // sqrtrV ?sqr_ge0 // sqrtr_sqr gtr0_norm // mulrA.
by rewrite divfK ?expf_neq0 ?gt_eqF //; exact: basis_change.
Qed.

(* The source's noise: sigma times the largest entry of the basis. *)
Definition printed_sigma e t : R := Num.sqrt (4 * k%:R * N%:R * ln t^-1) / e.
Definition printed_std e t z : R := largest (basis z) * printed_sigma e t.

Lemma printed_ratio e t : 0 < e -> 0 < t -> t < 1 -> (0 < k)%N -> (0 < N)%N ->
  0 < printed_sigma e t /\ Num.sqrt (N%:R * (k%:R / printed_sigma e t ^+ 2)) = e / (2 * Num.sqrt (ln t^-1)).
Proof.
move=> e0 t0 t1 k0 N0; have l0 : 0 < ln t^-1 by rewrite ln_gt0 // invf_gt1.
have kN : 0 < 4 * k%:R * N%:R * ln t^-1 :> R by rewrite !mulr_gt0 ?ltr0n.
split; first by rewrite divr_gt0 // sqrtr_gt0.
have -> : N%:R * (k%:R / printed_sigma e t ^+ 2) = (e / (2 * Num.sqrt (ln t^-1))) ^+ 2.
  rewrite /printed_sigma !expr_div_n sqr_sqrtr ?(ltW kN) // exprMn sqr_sqrtr ?(ltW l0) //.
  have nk : 0 < k%:R :> R by rewrite ltr0n.
  have nN : 0 < N%:R :> R by rewrite ltr0n.
  by move: (ln _) (k%:R : R) (N%:R : R) l0 nk nN => l a b l0 nk nN; field; rewrite !gt_eqF.
by rewrite sqrtr_sqr gtr0_norm // divr_gt0 // mulr_gt0 // sqrtr_gt0.
Qed.

(* hardt2014.ppm-privacy, the corrected range: when one entry changes, every epsilon for which the noise e / (2 sqrt(ln 1/t))
   is calibrated *)
Lemma power_method_printed e t A A' z : 0 < e -> 0 < t -> t < 1 -> (0 < k)%N -> (0 < N)%N ->
  calibrated e t (e / (2 * Num.sqrt (ln t^-1))) -> entry_changed A A' ->
  indist (expR e) t (power_method (printed_std e t) A z) (power_method (printed_std e t) A' z).
Proof.
move=> e0 t0 t1 k0 N0 cal nb; have [s0 ratio] := printed_ratio e0 t0 t1 k0 N0.
have l0 z' : 0 < largest (basis z') by apply: largest_gt0.
have s2 : printed_sigma e t ^+ 2 != 0 by rewrite expf_neq0 // gt_eqF.
apply: (@power_method_ratio (printed_std e t) (k%:R / printed_sigma e t ^+ 2)) => //.
- apply: measurable_funM; last exact: measurable_cst.
  by apply: (measurableT_comp (@measurable_largest R p k)).
- by move=> z'; rewrite mulr_gt0.
- by rewrite divr_gt0 ?exprn_gt0 // ltr0n.
- by rewrite ratio.
move=> z'; rewrite [leRHS](_ : _ = k%:R * largest (basis z') ^+ 2); first exact: entry_change_le.
rewrite /printed_std; move: (printed_sigma e t) s2 (largest _) => r r0 l.
by rewrite exprMn mulrCA divfK // mulrC.
Qed.
End PowerMethod.

(* Where the range ends. *)
Lemma printed_range (R : realType) (t : R) : 0 < t -> t < 1 -> exists2 e0, 2 * ln t^-1 < e0 &
  forall e, 0 < e -> calibrated e t (e / (2 * Num.sqrt (ln t^-1))) <-> e <= e0.
Proof.
move=> t0 t1; have l0 : 0 < ln t^-1 by rewrite ln_gt0 // invf_gt1.
have r0 : 0 < Num.sqrt (ln t^-1) by rewrite sqrtr_gt0.
have [e0 e00 H] := calibrated_threshold (mulr_gt0 (ltr0Sn R 1) r0) t0 t1; exists e0 => //.
have r2 : Num.sqrt (ln t^-1) ^+ 2 = ln t^-1 by rewrite sqr_sqrtr // ltW.
have tE : expR (- Num.sqrt (ln t^-1) ^+ 2) = t by rewrite r2 lnV ?posrE // opprK lnK.
move: (Num.sqrt _) r0 r2 tE H => r r0 r2 tE H.
apply: (@lt_le_trans _ _ (9 / 4 * r ^+ 2)); first by rewrite -r2 ltr_pM2r ?exprn_gt0 //; lra.
apply/H; first by rewrite mulr_gt0 ?exprn_gt0 //; lra.
have nr : r != 0 by rewrite gt_eqF.
rewrite /calibrated /profile expRK (_ : 9 / 4 * r ^+ 2 / (9 / 4 * r ^+ 2 / (2 * r)) -
  9 / 4 * r ^+ 2 / (2 * r) / 2 = 23 / 16 * r); last by field.
apply: (@le_trans _ _ (upper (23 / 16 * r))); first by rewrite gerBl mulr_ge0 ?expR_ge0 ?upper_ge0.
apply: (le_trans (upper_chernoff _)); first by rewrite mulr_ge0 ?(ltW r0) //; lra.
rewrite -[leRHS]tE; apply: (@le_trans _ _ (expR (- ((23 / 16 * r) ^+ 2 / 2)))).
  by rewrite ler_pdivrMr // ler_peMr ?expR_ge0 // ler1n.
rewrite ler_expR lerN2 exprMn; have := sqr_ge0 r; lra.
Qed.

(* hardt2014.ppm-privacy: when one entry of A changes by at most 1, the source's noise is private for every epsilon up to e0, which
   is above 2 ln(1/t), whatever p, k and the number of steps are; for one step with k = 1 for no greater epsilon, whatever the
   basis is *)
Theorem power_method_range (R : realType) (t : R) : 0 < t -> t < 1 -> exists e0, [/\ 2 * ln t^-1 < e0,
  forall e p k N d (S : measurableType d) (basis : S -> 'M[R]_(p, k)) (update : nat -> S * 'M[R]_(p, k) -> S) A A' z,
    0 < e -> e <= e0 -> (0 < k)%N -> (0 < N)%N -> measurable_fun setT basis -> measurable_steps update ->
    (forall z, orthonormal (basis z)) -> entry_changed A A' ->
    indist (expR e) t (power_method N basis update (printed_std N basis e t) A z)
                      (power_method N basis update (printed_std N basis e t) A' z) &
  forall e p (x : 'M[R]_(p, 1)), 0 < e -> orthonormal x ->
    (forall A A', entry_changed A A' -> indist (expR e) t
      (noisy predT (const_mx (largest x * printed_sigma 1 1 e t)) (A *m x))
      (noisy predT (const_mx (largest x * printed_sigma 1 1 e t)) (A' *m x))) -> e <= e0].
Proof.
move=> t0 t1; have [e0 big H] := printed_range t0 t1; exists e0; split=> //.
  by move=> e p k N d S basis update A A' z epos le k0 N0 mb mu ob nb; apply: power_method_printed => //; apply/H.
move=> e p x epos ox all; apply/(H e epos).
have [s0 ratio] := @printed_ratio R 1 1 e t epos t0 t1 isT isT; rewrite !mul1r in ratio.
have l0 := largest_gt0 (isT : (0 < 1)%N) ox.
have [j jl] : exists j, `|x j 0| = largest x.
  have : largest x \in [seq `|x ij.1 ij.2| | ij <- enum {: 'I_p * 'I_1}] \/ largest x = 0.
    rewrite /largest; elim: (enum _) => [|ij l IH]; first by right; rewrite big_nil.
    rewrite big_cons /=; case: (leP `|x ij.1 ij.2| (\big[Num.max/0]_(ij <- l) `|x ij.1 ij.2|)) => _.
      by case: IH => [IH|->]; [left; rewrite in_cons IH orbT | right].
    by left; rewrite in_cons eqxx.
  case=> [/mapP[[j c] _ ->]|l00]; first by exists j; rewrite [c]ord1.
  by move: l0; rewrite l00 ltxx.
have nb : entry_changed (delta_mx j j) (0 : 'M[R]_p).
  by exists j, j, 1; rewrite normr1 scale1r subr0.
rewrite -ratio.
have std0 : 0 < largest x * printed_sigma 1 1 e t by rewrite mulr_gt0.
apply: (iffLR (@noisy_exact R p 1 predT _ (delta_mx j j *m x) (0 *m x) _ e t _ _ _) (all _ _ nb)) => [a b||].
- by rewrite mxE.
- by rewrite ratio divr_gt0 // mulr_gt0 // sqrtr_gt0 ln_gt0 // invf_gt1.
rewrite -[LHS]/(change (const_mx (largest x * printed_sigma 1 1 e t)) (delta_mx j j *m x) (0 *m x)) change_const.
rewrite mul0mx subr0 (_ : sqnorm _ = largest x ^+ 2); last first.
  rewrite -[delta_mx j j]scale1r entry_change expr1n mul1r big_ord1 -jl.
  by rewrite real_normK ?num_real.
rewrite sqr_sqrtr ?invr_ge0 ?sqr_ge0 // exprMn invfM mulrA divff ?mul1r //.
by rewrite expf_neq0 // gt_eqF.
Qed.

(* The hypotheses can be met, and the definitions compute: three steps on the plane, the state is the last release. *)
Section Examples.
Context (R : realType).
Let axis0 : 'M[R]_(2, 1) := (axis 0)^T.
Let keep (i : nat) (w : 'M[R]_(2, 1) * 'M[R]_(2, 1)) := w.2.
Let measurable_keep : measurable_steps keep. Proof. by move=> i; exact: measurable_snd. Qed.

Let axis0_orthonormal : orthonormal axis0.
Proof. by apply/matrixP => i j; rewrite !ord1 !mxE !big_ord_recl big_ord0 !mxE /= !(mulr0, mulr1, addr0). Qed.

Example power_method_holds (X X' : 'M[R]_(5, 2)) : replaced X X' ->
  let s := classical_std 1 (1 / 100) (Num.sqrt (basis_bound R 1) * Num.sqrt 3) in
  indist (expR 1) (1 / 100) (power_method 3 (fun=> axis0) keep (fun=> s) (gram X) 0)
                            (power_method 3 (fun=> axis0) keep (fun=> s) (gram X') 0).
Proof.
move=> nb s; have c0 : 0 < Num.sqrt (basis_bound R 1) * Num.sqrt 3 by rewrite mulr_gt0 ?sqrtr_gt0 ?basis_bound_gt0.
have [t0 t1] : 0 < 1 / 100 :> R /\ 1 / 100 < 1 :> R by split; lra.
apply: power_method_private nb => //; first exact: classical_std_gt0.
exact: classical_gaussian.
Qed.

Example power_method_range_holds (A A' : 'M[R]_2) : entry_changed A A' -> exists e, 0 < e /\
  indist (expR e) (1 / 2) (power_method 3 (fun=> axis0) keep (printed_std 3 (fun=> axis0) e (1 / 2)) A 0)
                          (power_method 3 (fun=> axis0) keep (printed_std 3 (fun=> axis0) e (1 / 2)) A' 0).
Proof.
have [t0 t1] : 0 < 1 / 2 :> R /\ 1 / 2 < 1 :> R by split; lra.
have [e [big H _]] := power_method_range t0 t1; move=> nb; exists e.
have e0 : 0 < e by apply: lt_trans big; rewrite mulr_gt0 // ln_gt0 // invf_gt1.
by split=> //; apply: H.
Qed.
End Examples.
