(* Truncated Laplace noise in every entry of a row vector: (epsilon, delta)-DP for L1 sensitivity D and delta <= 1/2 exactly when
   its bound A is at least (D / epsilon) ln(1 + (e^epsilon - 1) / (2 delta)).

   noisy_row b A v     the law of the row v with independent noise of density proportional to exp(- |x| / b) on [- A, A] *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun derive realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral trigo ftc probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure real_releases truncated_line gaussian_matrix.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Rows.
Context {R : realType} {n : nat}.
Variables (b A : R).
Hypotheses (b0 : 0 < b) (A0 : 0 < A).
Local Notation row := 'rV[R]_n.
Local Notation pdf := (tlap_pdf b A).
Local Notation loss := (tlap_loss b A).
Implicit Types (v w M : row) (l : seq 'I_n) (K : row -> \bar R).

Fixpoint entries l v K M : \bar R :=
  if l is i :: l' then mean (pdf (v 0 i)) (fun x => entries l' v K (M + x *: delta_mx 0 i)) else K M.

Definition noisy_row v (S : set row) : \bar R := entries (enum 'I_n) v (fun M => (\1_S M)%:E) 0.

Lemma measurable_add_row i : measurable_fun setT (fun w : row * R => w.1 + w.2 *: delta_mx 0 i).
Proof. exact: (@measurable_add_entry R 1 n (0, i)). Qed.

Lemma test_entries l v K : test K -> test (entries l v K).
Proof.
move=> tK; elim: l => [//|i l IH] /=.
have dd : densities (fun _ : row => pdf (v 0 i)) by apply: densities_const; exact: density_tlap.
exact: (test_mean dd (test_comp (measurable_add_row i) IH)).
Qed.

Lemma entries_spends l v w K M : test K -> \sum_(i <- l) `|v 0 i - w 0 i| <= A ->
  let D := \sum_(i <- l) `|v 0 i - w 0 i| in (entries l v K M <= (expR (D / b))%:E * entries l w K M + (loss D)%:E)%E.
Proof.
move=> tK; elim: l M => [|i l IH] M le /=.
  by rewrite big_nil /tlap_loss mul0r expR0 subrr mul0r mul1e adde0.
move: le; rewrite big_cons; set d0 := `|_|; set D := \sum_(_ <- _) _ => le.
have d00 : 0 <= d0 by exact: normr_ge0.
have D0 : 0 <= D by apply: sumr_ge0 => s' _; exact: normr_ge0.
have DA : D <= A by lra.
have dA : d0 <= A by lra.
have dens (z : R) : density (pdf z) by exact: density_tlap.
have ms : measurable_fun setT (fun x : R => M + x *: delta_mx 0 i).
  have mp : measurable_fun setT (fun x : R => (M, x)) by exact: measurable_pair1.
  exact: (measurableT_comp (measurable_add_row i) mp).
have tst u : test (fun x : R => entries l u K (M + x *: delta_mx 0 i)) by exact: (test_comp ms (test_entries l u tK)).
have sp := tlap_spends b0 A0 (lexx d0) dA.
have h := mean_compose (dens _) (dens _) (tst v) (tst w) (ltW (expR_gt0 _)) (ltW (expR_gt0 _)) (tlap_loss_ge0 b0 A0 D0) sp
  (fun x => IH (M + x *: delta_mx 0 i) DA).
apply: le_trans h _; rewrite -expRD -mulrDl leeD2l // lee_fin.
exact: tlap_loss_add.
Qed.

(* An event about one entry. *)
Lemma entries_one l v (k : R -> \bar R) (i0 : 'I_n) M : test k -> uniq l ->
  entries l v (fun N => k (N 0 i0)) M = if i0 \in l then mean (pdf (v 0 i0)) (fun x => k (M 0 i0 + x)) else k (M 0 i0).
Proof.
move=> tk; elim: l M => [//|i l IH] M /= /andP[il ul]; rewrite inE.
case: (eqVneq i0 i) il => [<- il|ne il].
  by apply: mean_eq => x _; rewrite IH // (negPf il) !mxE !eqxx mulr1.
rewrite /= -[RHS](mean_const (density_tlap b0 A0 (v 0 i))); last first.
  have [_ k01] := tk; have k0 z : (0 <= k z)%E by case/andP: (k01 z).
  case: ifP => _ //; apply: integral_ge0 => x _; rewrite mule_ge0 ?lee_fin //; exact: tlap_pdf_ge0.
apply: mean_eq => x _; rewrite IH //.
by rewrite !mxE (negPf ne) andbF mulr0 addr0.
Qed.

Theorem noisy_row_private v w D : \sum_i `|v 0 i - w 0 i| <= D -> D <= A ->
  indist (expR (D / b)) (loss D) (noisy_row v) (noisy_row w).
Proof.
move=> vw DA S mS; have tS := test_event (R := R) mS.
have e : \sum_i `|v 0 i - w 0 i| = \sum_(i <- enum 'I_n) `|v 0 i - w 0 i| by rewrite big_enum.
rewrite e in vw.
apply: le_trans (entries_spends 0 tS (le_trans vw DA)) _; apply: leeD.
  apply: lee_wpmul2r; first by have [_ h] := test_entries (enum 'I_n) w tS; case/andP: (h 0).
  by rewrite lee_fin ler_expR ler_pM2r ?invr_gt0.
by rewrite lee_fin tlap_loss_monotone.
Qed.
End Rows.

Section Exact.
Context {R : realType}.
Variables (b A : R).
Hypotheses (b0 : 0 < b) (A0 : 0 < A).
Local Notation mu := (@lebesgue_measure R).
Local Notation pdf := (tlap_pdf b A).
Local Notation loss := (tlap_loss b A).

Let mE v (B : set R) : measurable_fun B (fun x => (pdf v x)%:E).
Proof. by apply/measurable_EFinP; apply: measurable_funTS; exact: measurable_tlap. Qed.

(* Above w + A the release of w is impossible; that of w + D has at least the loss of D there. *)
Lemma above_mass (v D : R) : 0 <= D -> D <= A -> ((loss D)%:E <= release (pdf v) `]((v - D) + A)%R, +oo[)%E.
Proof.
move=> D0 DA; rewrite releaseE // -(tlap_above b0 A0 v D0 DA).
rewrite -integral_itv_obnd_cbnd; last by apply: measurable_funTS; exact: measurable_tlap.
apply: ge0_subset_integral => //; first exact: mE.
  by move=> x _; rewrite lee_fin tlap_pdf_ge0.
by move=> x /=; rewrite !in_itv /= andbT => /andP[h _]; lra.
Qed.

Lemma above_none (w : R) : release (pdf w) `](w + A)%R, +oo[ = 0%E.
Proof.
rewrite /release -[RHS](mean_const (density_tlap b0 A0 w)) //; apply: mean_eq => x /tlap_pdf_neq0/andP[_ h].
by rewrite indicE memNset //= in_itv /= andbT => h2; move: (le_lt_trans h h2); rewrite ltxx.
Qed.

(* A change of more than the bound costs at least what a change by the bound costs, 1/2; so does any factor. *)
Lemma loss_bound : loss A = 1 / 2.
Proof.
have e1 : expR (A / b) - 1 != 0 by rewrite gt_eqF // subr_gt0 -expR0 ltr_expR divr_gt0.
by rewrite /tlap_loss; field.
Qed.

(* For D > A the release of D is above A with a probability of more than 1/2. *)
Lemma far_mass (D : R) : A < D -> ((1 / 2)%:E < release (pdf D) `]A, +oo[)%E.
Proof.
move=> AD; pose m := (Num.max A (D - A) + D) / 2.
have mx : Num.max A (D - A) < D by rewrite gt_max AD /=; move: A0; lra.
have [mA mDA] : A <= Num.max A (D - A) /\ D - A <= Num.max A (D - A) by rewrite !le_max !lexx orbT.
have m1 : m < D by rewrite /m; lra.
have m2 : A < m by rewrite /m; lra.
have m3 : D - A <= m by rewrite /m; lra.
have DA : D <= D + A by rewrite lerDl ltW.
apply: (@lt_le_trans _ _ (\int[mu]_(x in `[m, (D + A)%R]) (pdf D x)%:E)%E); last first.
  rewrite releaseE //; apply: ge0_subset_integral => //; first exact: mE.
    by move=> x _; rewrite lee_fin tlap_pdf_ge0.
  by move=> x /=; rewrite !in_itv /= andbT => /andP[h _]; exact: lt_le_trans h.
rewrite (split_at b0 A0 D (ltW m1) DA) (tlap_left b0 A0 m3 (ltW m1) (lexx D)) (tlap_right b0 A0 (lexx D) DA (lexx _)).
have e2 : D + A - D = A by ring.
have half : tlap_const b A * b * (expR (- ((D - D) / b)) - expR (- ((D + A - D) / b))) = 1 / 2.
  have n0 : 1 - expR (- (A / b)) != 0 by rewrite gt_eqF // subr_gt0 -expR0 ltr_expR oppr_lt0 divr_gt0.
  rewrite e2 subrr mul0r oppr0 expR0 /tlap_const; field.
  by rewrite n0 gt_eqF.
rewrite half -EFinD lte_fin ltrDr; apply: mulr_gt0; first by rewrite mulr_gt0 ?tlap_const_gt0.
by rewrite subrr mul0r oppr0 expR0 subr_gt0 -expR0 ltr_expR oppr_lt0 divr_gt0 // subr_gt0.
Qed.
End Exact.

(* primitives.truncated-laplace *)
Theorem truncated_laplace_exact (R : realType) (n : nat) (e t D A : R) : 0 < e -> 0 < t -> t <= 1 / 2 -> 0 < D -> 0 < A ->
  (forall v w : 'rV[R]_n.+1, \sum_i `|v 0 i - w 0 i| <= D ->
    indist (expR e) t (noisy_row (D / e) A v) (noisy_row (D / e) A w)) <->
  D / e * ln (1 + (expR e - 1) / (2 * t)) <= A.
Proof.
move=> e0 t0 t1 D0 A0; set b := D / e; have b0 : 0 < b by rewrite divr_gt0.
have Db : D / b = e by rewrite /b; field; rewrite !gt_eqF.
have E1 : 0 < expR e - 1 by rewrite subr_gt0 -expR0 ltr_expR.
have q0 : 0 < (expR e - 1) / (2 * t) by rewrite divr_gt0 ?mulr_gt0.
have arg : 0 < 1 + (expR e - 1) / (2 * t) by rewrite addr_gt0.
have eA : 0 < expR (A / b) - 1 by rewrite subr_gt0 -expR0 ltr_expR divr_gt0.
have bound : b * ln (1 + (expR e - 1) / (2 * t)) <= A <-> (expR e - 1) / (2 * t) <= expR (A / b) - 1.
  rewrite mulrC -ler_pdivlMr // lerBrDl -{2}(lnK arg) ler_expR; by split.
have loss_bound' : tlap_loss b A D <= t <-> b * ln (1 + (expR e - 1) / (2 * t)) <= A.
  rewrite bound /tlap_loss Db ler_pdivrMr ?mulr_gt0 // ler_pdivrMr ?mulr_gt0 // mulrCA mulrA [X in _ <-> _ <= X]mulrC.
  by rewrite -mulrA; split.
rewrite -loss_bound'; split=> [H|le v w vw]; last first.
  have DA : D <= A.
    move: le; rewrite loss_bound' bound => le.
    have h : expR e - 1 <= expR (A / b) - 1.
      apply: le_trans le; rewrite ler_pdivlMr ?mulr_gt0 //; have h2 : 2 * t <= 1 by lra.
      have E10 := ltW E1; by rewrite ler_piMr.
    by move: h; rewrite lerD2r ler_expR -Db ler_pM2r // invr_gt0.
  have h := noisy_row_private b0 A0 vw DA; rewrite Db in h.
  by move=> S mS; apply: le_trans (h S mS) _; rewrite leeD2l // lee_fin.
pose v : 'rV[R]_n.+1 := D *: delta_mx 0 0; pose S := (fun M : 'rV[R]_n.+1 => M 0 0) @^-1` `]A, +oo[.
have mS : measurable S by rewrite -[S]setTI; exact: (@measurable_entry R 1 n.+1 0 0).
have vw : \sum_i `|v 0 i - (0 : 'rV[R]_n.+1) 0 i| <= D.
  rewrite (bigD1 0) //= big1 ?addr0 => [|i ne]; last by rewrite !mxE (negPf ne) andbF mulr0 subrr normr0.
  by rewrite !mxE !eqxx mulr1 subr0 gtr0_norm.
have law_of u : noisy_row b A u S = release (tlap_pdf b A (u 0 0)) `]A, +oo[.
  have tk := @test_event R _ R `]A, +oo[%classic (measurable_itv _).
  have := @entries_one R n.+1 b A b0 A0 (enum 'I_n.+1) u _ 0 0 tk (enum_uniq _); rewrite mem_enum /= mxE => h.
  by rewrite /noisy_row; transitivity (entries b A (enum 'I_n.+1) u (fun N => (\1_(`]A, +oo[%classic) (N 0 0))%:E) 0); rewrite // h;
    apply: mean_eq => x _; rewrite add0r.
have := H v 0 vw S mS; rewrite !law_of !mxE !eqxx mulr1.
have -> : release (tlap_pdf b A 0) `]A, +oo[ = 0%E by have := above_none b0 A0 0; rewrite add0r.
rewrite mule0 add0e => mass.
have [DA|AD] := leP D A.
  have := above_mass b0 A0 D (ltW D0) DA; rewrite subrr add0r => low.
  by rewrite -lee_fin; exact: le_trans low mass.
have := lt_le_trans (far_mass b0 A0 AD) mass; rewrite lte_fin ltNge.
by rewrite t1.
Qed.

(* The condition can be met: epsilon = 1, delta = 1/2, D = A = 1, rows of two entries. *)
Example truncated_laplace_holds (R : realType) (v w : 'rV[R]_2) : \sum_i `|v 0 i - w 0 i| <= 1 ->
  indist (expR 1) (1 / 2) (noisy_row (1 / 1) 1 v) (noisy_row (1 / 1) 1 w).
Proof.
move: v w; apply/truncated_laplace_exact => //; try lra.
have -> : 1 + (expR 1 - 1) / (2 * (1 / 2)) = expR 1 :> R by field.
by rewrite expRK; lra.
Qed.
