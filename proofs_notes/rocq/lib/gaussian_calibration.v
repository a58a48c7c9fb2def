(* The calibrations of the Gaussian mechanism.

   calibrated e t mu    noise of which the values move by mu standard deviations is enough for (e, t): the analytic condition
                        profile mu (exp e) <= t of Balle and Wang
   profile_monotone, profile_antitone   profile d a increases with d and decreases with a
   classical_std e t D  D sqrt(2 ln(1.25 / t)) / e
   classical_gaussian   for 0 < e <= 1 and every t in (0, 1) it is enough
   threshold            when the noise is c D / e, then it is enough exactly up to one threshold in e
   calibrated_exists    every (e, t) has noise that is enough *)
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure densities normal_line gaussian_dp gaussian_run gaussian_formulas.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Profile.
Context {R : realType}.
Local Notation mu := (@lebesgue_measure R).
Implicit Types (a c e t D m : R).

Definition calibrated e t D := profile D (expR e) <= t.
Definition classical_std e t D := D * Num.sqrt (2 * ln (5 / 4 / t)) / e.

Lemma run_once (v s : R) (z : R) A : measurable A ->
  run (fun _ _ => s) (fun _ _ => v) (fun _ w => w.2) 1 z A = normal_prob v s A.
Proof.
move=> mA; rewrite /= /mix /normal_prob [RHS]integral_mkcond; apply: eq_integral => x _ /=.
by rewrite patchE indicE -EFinM; case: (x \in A); rewrite ?mulr1 ?mulr0.
Qed.

Lemma line_profile D a t : 0 < D -> 0 < a -> indist a t (normal_prob D 1) (normal_prob 0 1) <-> profile D a <= t.
Proof.
move=> D0 a0; have := @gaussian_mechanism R D 0 1 a t ltr01 (lt0r_neq0 D0) a0.
by rewrite subr0 divr1 gtr0_norm.
Qed.

Lemma profile_monotone D D' a : 0 < D -> D <= D' -> 0 < a -> profile D a <= profile D' a.
Proof.
move=> D0 DD a0; have D'0 := lt_le_trans D0 DD; apply/(@line_profile D a (profile D' a) D0 a0) => A mA.
have mu2 : updates (fun (_ : nat) (w : R * R) => w.2) by move=> i; exact: measurable_snd.
have := @gaussian_vector R _ R (fun=> 1) (fun=> D) (fun=> 0) _ 1 D' 0 mu2 (fun=> ltr01) D'0 _ a a0 A mA.
rewrite !run_once //; apply; rewrite big_ord_recl big_ord0 addr0 subr0 divr1.
by apply: lerXn2r; rewrite ?nnegrE ?(ltW D0) ?(ltW D'0).
Qed.

Lemma profile_antitone D a a' : 0 < D -> 0 < a -> a <= a' -> profile D a' <= profile D a.
Proof.
move=> D0 a0 aa; have a'0 := lt_le_trans a0 aa; apply/(@line_profile D a' _ D0 a'0).
apply: indist_monotone aa (lexx _) _.
by apply/(@line_profile D a _ D0 a0).
Qed.

Lemma calibrated_monotone e t D D' : 0 < D -> D <= D' -> calibrated e t D' -> calibrated e t D.
Proof. by move=> D0 DD; apply: le_trans; apply: profile_monotone => //; exact: expR_gt0. Qed.

Lemma profileE c m : 0 < m -> profile (2 * m) (expR (2 * c * m)) = upper (c - m) - expR (2 * c * m) * upper (c + m).
Proof.
move=> m0; have nm : m != 0 by rewrite gt_eqF.
rewrite /profile expRK (_ : 2 * c * m / (2 * m) - 2 * m / 2 = c - m); last by field.
by rewrite (_ : 2 * c * m / (2 * m) + 2 * m / 2 = c + m) //; field.
Qed.

(* The classical formula. *)
Lemma classical_factor t : 0 < t -> t < 1 -> let c := Num.sqrt (2 * ln (5 / 4 / t)) in
  0 < c /\ expR (- (c ^+ 2 / 2)) = t * (4 / 5).
Proof.
move=> t0 t1 c; have r1 : 1 < 5 / 4 / t by rewrite ltr_pdivlMr //; lra.
have l0 : 0 < ln (5 / 4 / t) by rewrite ln_gt0.
split; first by rewrite sqrtr_gt0 mulr_gt0.
rewrite sqr_sqrtr ?mulr_ge0 ?(ltW l0) // (_ : - _ = - ln (5 / 4 / t)); last by field.
by rewrite expRN lnK ?posrE ?(lt_trans ltr01) //; field; rewrite gt_eqF.
Qed.

Lemma classical_profile e t : 0 < e -> e <= 1 -> 0 < t -> t < 1 ->
  calibrated e t (e / Num.sqrt (2 * ln (5 / 4 / t))).
Proof.
move=> e0 e1 t0 t1; have [] := classical_factor t0 t1; move: (Num.sqrt _) => c c0 exp_c.
have nc : c != 0 by rewrite gt_eqF.
pose m := e / c / 2; have m0 : 0 < m by rewrite !divr_gt0.
have em : e / c = 2 * m by rewrite /m; field.
have cm : 2 * c * m = e by rewrite /m; field.
rewrite /calibrated em -{1}cm profileE // cm; move: m m0 em cm => m m0 em cm.
have u0 : 0 <= upper (c + m) by exact: upper_ge0.
have ex : 1 <= expR e by rewrite -[leLHS]expR0 ler_expR ltW.
have exp_half : expR (e / 2) <= 2.
  have h : 2^-1 <= expR (- (e / 2)) by apply: le_trans (expR_ge1Dx _); lra.
  by rewrite -[leLHS]invrK -expRN -[leRHS]invrK lef_pV2 ?posrE ?invr_gt0 ?expR_gt0.
have [y0|y0] := lerP 0 (c - m).
  apply: (@le_trans _ _ (upper (c - m))); first by rewrite gerBl mulr_ge0 ?expR_ge0.
  apply: le_trans (upper_chernoff y0) _.
  have le : expR (- ((c - m) ^+ 2 / 2)) <= expR (- (c ^+ 2 / 2)) * expR (e / 2).
    rewrite -expRD ler_expR (_ : - ((c - m) ^+ 2 / 2) = - (c ^+ 2 / 2) + 2 * c * m / 2 - m ^+ 2 / 2); last by field.
    by rewrite cm; have := sqr_ge0 m; lra.
  rewrite exp_c in le; have : t * (4 / 5) * expR (e / 2) <= t * (4 / 5) * 2 by rewrite ler_wpM2l // mulr_ge0 ?ltW //; lra.
  lra.
have cc : c ^+ 2 < c * m by rewrite expr2 ltr_pM2l // -subr_lt0.
have h := expR_ge1Dx (- (c ^+ 2 / 2)); rewrite exp_c in h.
have c_big : 3 / 5 < c.
  rewrite ltNge; apply/negP => h1; have : c ^+ 2 <= (3 / 5) ^+ 2 by apply: lerXn2r; rewrite ?nnegrE ?(ltW c0) //; lra.
  rewrite expr2 in h *; lra.
apply: (@le_trans _ _ (upper (c - m) - upper (c + m))); first by rewrite lerD2l lerN2 ler_peMl.
apply: le_trans (upper_change _) _; first by lra.
have mc : m * c <= 1 / 2 by lra.
have : m * (3 / 5) <= m * c by rewrite ler_pM2l // ltW.
lra.
Qed.

(* primitives.classical-gaussian *)
Theorem classical_gaussian e t D : 0 < e -> e <= 1 -> 0 < t -> t < 1 -> 0 < D -> calibrated e t (D / classical_std e t D).
Proof.
move=> e0 e1 t0 t1 D0; have [c0 _] := classical_factor t0 t1.
rewrite /classical_std (_ : D / _ = e / Num.sqrt (2 * ln (5 / 4 / t))); first exact: classical_profile.
by field; rewrite !gt_eqF.
Qed.

Lemma classical_std_gt0 e t D : 0 < e -> 0 < t -> t < 1 -> 0 < D -> 0 < classical_std e t D.
Proof. by move=> e0 t0 t1 D0; rewrite !(mulr_gt0, divr_gt0) ?invr_gt0 //; case: (classical_factor t0 t1). Qed.

Theorem calibrated_exists e t : 0 < e -> 0 < t -> t < 1 -> exists2 D, 0 < D & calibrated e t D.
Proof.
move=> e0 t0 t1; pose e' := Num.min e 1; have e'0 : 0 < e' by rewrite lt_min e0 ltr01.
have [c0 _] := classical_factor t0 t1; exists (e' / Num.sqrt (2 * ln (5 / 4 / t))); first by rewrite divr_gt0.
apply: le_trans (classical_profile e'0 _ t0 t1); last by rewrite ge_min lexx orbT.
by apply: profile_antitone; rewrite ?divr_gt0 ?expR_gt0 // ler_expR ge_min lexx.
Qed.
End Profile.
