(* wang2020: subspaces by orthonormal frames, their distance, and their support.

   An orthonormal p x k matrix V (V^T V = I, orthonormal of lib/squared_norms.v) stands for the space that its columns span.
   projector V       V V^T, the projector onto that space: print's E and F
   sine V W          ||sin Theta||_F^2, the sum of the squared sines of the angles between two spaces: what W has outside of
                     the space of V
   support V         the rows of V that are not zero; their number is print's ||V||_{2,0}
   coordinates A     the projector onto the coordinates in A
   embedded a J      A_alpha(J) of Lemma 8: (sqrt(1 - alpha^2) I; alpha J)
   sigma_V a V       the covariance of Equation (7), with the strength a for lambda *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring lra.
From DPPCA.lib Require Import squared_norms.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Definitions.
Variable R : realFieldType.
Definition projector p k (V : 'M[R]_(p, k)) := V *m V^T.
Definition sine p k (V W : 'M[R]_(p, k)) := sqnorm (W - projector V *m W).
Definition support p k (V : 'M[R]_(p, k)) := [set i | row i V != 0].
Definition coordinates p (A : {set 'I_p}) : 'M[R]_p := \sum_(i in A) delta_mx i i.
Definition sigma_V p k (a : R) (V : 'M[R]_(p, k)) : 'M[R]_p := (5 * p%:R * (a + 1))^-1 *: (a *: projector V + 1%:M).
(* The effective noise variance of a covariance with the eigenvalues u = lambda_1 = ... = lambda_k > v = lambda_{k+1}. *)
Definition effective_noise (u v : R) := u * v / (u - v) ^+ 2.
End Definitions.

Section Distance.
Variables (R : realFieldType) (p k : nat).
Implicit Types V W : 'M[R]_(p, k).

Lemma sqnorm_frame V : orthonormal V -> sqnorm V = k%:R.
Proof. by move=> oV; rewrite -sqnorm_tr /sqnorm dotE trmxK oV mxtrace1. Qed.

Lemma projector_sym V : (projector V)^T = projector V.
Proof. by rewrite /projector trmx_mul trmxK. Qed.

Lemma projector_frame V : orthonormal V -> projector V *m V = V.
Proof. by move=> oV; rewrite /projector -mulmxA oV mulmx1. Qed.

Lemma dot_projector V W : dot (projector V) (projector W) = sqnorm (V^T *m W).
Proof.
by rewrite /sqnorm !dotE projector_sym /projector [(V^T *m W)^T]trmx_mul trmxK -mulmxA mxtrace_mulC !mulmxA.
Qed.

Lemma sqnorm_projector V : orthonormal V -> sqnorm (projector V) = k%:R.
Proof. by move=> oV; rewrite /sqnorm dot_projector oV -(sqnorm_frame oV) /sqnorm !dotE trmx1 mulmx1 -mxtrace_mulC oV. Qed.

Lemma sineE V W : orthonormal V -> orthonormal W -> sine V W = k%:R - sqnorm (V^T *m W).
Proof.
move=> oV oW; have e : dot W (projector V *m W) = sqnorm (V^T *m W).
  by rewrite /sqnorm !dotE /projector !trmx_mul !trmxK -mulmxA [RHS]mxtrace_mulC !mulmxA.
have e2 : sqnorm (projector V *m W) = sqnorm (V^T *m W).
  by rewrite -sqnorm_tr /projector !trmx_mul trmxK mulmxA sqnorm_back // -sqnorm_tr trmx_mul trmxK.
by rewrite /sine sqnormB e e2 sqnorm_frame //; ring.
Qed.

(* wang2020.section-3-distance, wang2020.section-6-1-error: half of the squared distance of the projectors is the squared
   sine; the squared distance itself, which print equates with both, is twice that. *)
Theorem projector_distance V W : orthonormal V -> orthonormal W ->
  sine V W = sqnorm (projector V - projector W) / 2 /\ sqnorm (projector V - projector W) = 2 * sine V W.
Proof.
move=> oV oW; have e : sqnorm (projector V - projector W) = 2 * sine V W.
  by rewrite sineE // sqnormB !sqnorm_projector // dot_projector; ring.
by split=> //; rewrite e; field.
Qed.

Lemma sine_le V W : orthonormal V -> orthonormal W -> 0 <= sine V W <= k%:R.
Proof. by move=> oV oW; rewrite sqnorm_ge0 sineE // gerBl sqnorm_ge0. Qed.

(* wang2020.equation-3 *)
Theorem support_rotated (A : 'M[R]_(p, k)) (Q : 'M[R]_k) : Q *m Q^T = 1%:M -> support (A *m Q) = support A.
Proof.
move=> oQ; apply/setP => i; rewrite !inE row_mul; congr (~~ _).
apply/eqP/eqP => [e|->]; last by rewrite mul0mx.
by rewrite -[row i A]mulmx1 -oQ mulmxA e mul0mx.
Qed.

(* wang2020.section-5-support *)
Theorem support_diagonal V : support V = [set i | projector V i i != 0].
Proof.
apply/setP => i; rewrite !inE; have -> : projector V i i = sqnorm (row i V).
  by rewrite /projector mxE sqnorm_row; apply: eq_bigr => j _; rewrite !mxE expr2.
apply/idP/idP; apply: contra => /eqP e; last by rewrite e sqnorm0.
by apply/eqP; exact: sqnorm_eq0.
Qed.

Lemma coordinates_support V : coordinates R (support V) *m V = V.
Proof.
apply/row_matrixP => i; rewrite row_mul /coordinates; have [iA|iA] := boolP (i \in support V).
  rewrite (bigD1 i) //= linearD /= linear_sum /= big1 ?addr0 => [|j /andP[_ ji]].
    by rewrite -[delta_mx i i]/(delta_mx i i) rowE mul_delta_mx -rowE.
  by rewrite rowE mul_delta_mx_0 // eq_sym.
move: (iA); rewrite inE negbK => /eqP ->; rewrite linear_sum /= big1 ?mul0mx // => j jA.
by rewrite rowE mul_delta_mx_0 //; apply: contraTneq jA => <-.
Qed.

Lemma rank_coordinates (A : {set 'I_p}) : (\rank (coordinates R A) <= #|A|)%N.
Proof.
rewrite /coordinates -sum1_card; elim/big_rec2: _ => [|i m M _ le]; first by rewrite mxrank0.
by apply: leq_trans (mxrank_add _ _) _; rewrite mxrank_delta leq_add2l.
Qed.

Lemma rank_frame V : orthonormal V -> \rank V = k.
Proof.
move=> oV; apply/eqP; rewrite eqn_leq rank_leq_col /=; rewrite -{1}(mxrank1 R k) -oV.
exact: mxrankM_maxr.
Qed.

(* wang2020.definition-3: at least k rows are not zero, and with exactly k the space is spanned by coordinates *)
Theorem support_size V : orthonormal V ->
  (k <= #|support V|)%N /\ (#|support V| = k -> (V^T :=: coordinates R (support V))%MS).
Proof.
move=> oV; have sub : (V^T <= coordinates R (support V))%MS.
  rewrite -{1}(coordinates_support V) trmx_mul; apply: mulmx_sub; apply/submxP; exists 1%:M; rewrite mul1mx.
  by rewrite /coordinates linear_sum /=; apply: eq_bigr => i _; rewrite trmx_delta.
have rV : \rank V^T = k by rewrite mxrank_tr rank_frame.
have le := rank_coordinates (support V); split=> [|e].
  by apply: leq_trans le; rewrite -{1}rV mxrankS.
apply/eqmxP; rewrite sub /= -(geq_leqif (mxrank_leqif_sup sub)) rV.
by rewrite e in le.
Qed.
End Distance.

(* wang2020.equation-7: the eigenvalues 1/(5p), on the space of V, and 1/(5p(lambda + 1)), on what is orthogonal to it, with
   their multiplicities k and p - k, and the effective noise variance *)
Section Equation7.
Variables (R : realFieldType) (p k : nat) (a : R) (V : 'M[R]_(p, k)).
Hypotheses (p0 : (0 < p)%N) (a0 : 0 < a) (oV : orthonormal V).
Let c := (5 * p%:R * (a + 1))^-1.
Let c0 : 0 < c.
Proof. by rewrite invr_gt0 !mulr_gt0 ?ltr0n // addr_gt0. Qed.

Let mul_sigma (v : 'rV[R]_p) : v *m sigma_V a V = c *: (a *: (v *m projector V) + v).
Proof. by rewrite /sigma_V -scalemxAr mulmxDr mulmx1 -scalemxAr. Qed.

Theorem equation_7_large (v : 'rV[R]_p) : reflect (v *m sigma_V a V = (5 * p%:R)^-1 *: v) (v <= V^T)%MS.
Proof.
have e : (5 * p%:R)^-1 = c * (a + 1).
  by rewrite /c; field; rewrite pnatr_eq0 -lt0n p0 gt_eqF // addr_gt0.
rewrite e; apply: (iffP idP) => [/submxP[w ->]|h].
  by rewrite mul_sigma /projector mulmxA -[w *m V^T *m V]mulmxA oV mulmx1 -[X in _ + X]scale1r -scalerDl scalerA.
have : v *m projector V = v.
  move: h; rewrite mul_sigma -scalerA => /(scalerI (lt0r_neq0 c0)) /eqP; rewrite scalerDl scale1r.
  by rewrite (inj_eq (addIr v)) => /eqP /(scalerI (lt0r_neq0 a0)).
by move=> <-; rewrite /projector mulmxA submxMl.
Qed.

Theorem equation_7_small (v : 'rV[R]_p) : reflect (v *m sigma_V a V = (5 * p%:R * (a + 1))^-1 *: v) (v <= kermx V)%MS.
Proof.
rewrite -/c; apply: (iffP sub_kermxP) => [h|].
  by rewrite mul_sigma /projector mulmxA h mul0mx scaler0 add0r.
rewrite mul_sigma => /(scalerI (lt0r_neq0 c0)) /eqP; rewrite -[X in _ == X]add0r (inj_eq (addIr v)).
rewrite scaler_eq0 gt_eqF //= => /eqP h.
by rewrite -[v *m V]mulmx1 -oV !mulmxA -[v *m V *m V^T]mulmxA h mul0mx.
Qed.

Theorem equation_7 : [/\ \rank V^T = k, \rank (kermx V) = (p - k)%N,
  forall v : 'rV[R]_p, v *m sigma_V a V = (5 * p%:R)^-1 *: v <-> (v <= V^T)%MS,
  forall v : 'rV[R]_p, v *m sigma_V a V = (5 * p%:R * (a + 1))^-1 *: v <-> (v <= kermx V)%MS &
  effective_noise (5 * p%:R)^-1 (5 * p%:R * (a + 1))^-1 = (1 + a) / a ^+ 2].
Proof.
split; [by rewrite mxrank_tr rank_frame | by rewrite mxrank_ker rank_frame | by move=> v; exact: rwP (equation_7_large v) | by move=> v; exact: rwP (equation_7_small v) |].
have a1 : 0 < a + 1 by rewrite addr_gt0.
have pn : p%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
rewrite /effective_noise (_ : (5 * p%:R)^-1 - (5 * p%:R * (a + 1))^-1 = a / (5 * p%:R * (a + 1))); last first.
  by field; rewrite pn gt_eqF.
by field; rewrite pn !gt_eqF.
Qed.
End Equation7.

(* wang2020.lemma-8 *)
Section Lemma8.
Variables (R : rcfType) (p k : nat).
Implicit Types (a : R) (J : 'M[R]_(p, k)).

Definition embedded a J : 'M[R]_(k + p, k) := col_mx (Num.sqrt (1 - a ^+ 2))%:M (a *: J).

Lemma embedded_product a J1 J2 : 0 <= a <= 1 ->
  (embedded a J1)^T *m embedded a J2 = (1 - a ^+ 2)%:M + a ^+ 2 *: (J1^T *m J2).
Proof.
move=> /andP[a0 a1]; have s : 0 <= 1 - a ^+ 2 by rewrite subr_ge0 exprn_ile1.
rewrite /embedded tr_col_mx mul_row_col tr_scalar_mx -scalar_mxM -expr2 sqr_sqrtr //; congr (_ + _).
by rewrite -scalemxAr (_ : (a *: J1)^T = a *: J1^T) ?linearZ // -scalemxAl scalerA expr2.
Qed.

Lemma embedded_frame a J : 0 <= a <= 1 -> orthonormal J -> orthonormal (embedded a J).
Proof. by move=> a01 oJ; rewrite /orthonormal embedded_product // oJ scalemx1 -raddfD /= subrK. Qed.

Theorem lemma_8 a J1 J2 : 0 <= a <= 1 -> orthonormal J1 -> orthonormal J2 ->
  a ^+ 2 * (1 - a ^+ 2) * sqnorm (J1 - J2) <= sine (embedded a J1) (embedded a J2) <= a ^+ 2 * sqnorm (J1 - J2).
Proof.
move=> a01 o1 o2; have oe1 := embedded_frame a01 o1; have oe2 := embedded_frame a01 o2.
rewrite sineE // embedded_product // sqnormB (sqnorm_frame o1) (sqnorm_frame o2).
pose G := J1^T *m J2; pose g := \tr G; pose b := a ^+ 2.
have dG : dot J1 J2 = g by rewrite /g mxtrace_mulC -mxtrace_tr trmx_mul trmxK dotE.
have tI : dot (1%:M : 'M[R]_k) G = g by rewrite dotE mul1mx mxtrace_tr.
have s1 : sqnorm (1%:M : 'M[R]_k) = k%:R by rewrite /sqnorm dotE trmx1 mulmx1 mxtrace1.
have G_le : sqnorm G <= k%:R by have := sqnorm_ge0 (J2 - projector J1 *m J2); rewrite -/(sine J1 J2) sineE // subr_ge0.
have G_ge : 0 <= k%:R - 2 * g + sqnorm G by rewrite -tI -s1 -sqnormB sqnorm_ge0.
have b01 : 0 <= b <= 1 by case/andP: a01 => a0 a1; rewrite sqr_ge0 exprn_ile1.
have e : (1 - b)%:M + b *: G = (1 - b) *: 1%:M + b *: G by rewrite scalemx1.
rewrite -/G -/b e dG sqnormD !sqnormZ dotZl dotZr tI s1.
have le : 0 <= b ^+ 2 * (k%:R - sqnorm G) by rewrite mulr_ge0 ?sqr_ge0 ?subr_ge0.
have ge : 0 <= b ^+ 2 * (k%:R - 2 * g + sqnorm G) by rewrite mulr_ge0 ?sqr_ge0.
by apply/andP; split; lra.
Qed.
End Lemma8.

(* wang2020.section-4-sample-size: the effective rank tr(Sigma) / lambda_1 of a p x p covariance is at most p, so n >= p rows
   are at least that many. lambda_1 is a bound of the quadratic form. *)
Theorem effective_rank (R : realFieldType) n p (Sigma : 'M[R]_p) (l : R) : 0 < l ->
  (forall v : 'rV[R]_p, dot (v *m Sigma) v <= l * sqnorm v) -> (p <= n)%N -> \tr Sigma / l <= n%:R.
Proof.
move=> l0 form pn; rewrite ler_pdivrMr //; apply: le_trans (_ : p%:R * l <= _); last first.
  by rewrite ler_wpM2r ?(ltW l0) // ler_nat.
rewrite -[p in leRHS]card_ord -sum1_card natr_sum mulr_suml; apply: ler_sum => i _.
have := form (axis R i); rewrite sqnorm_axis mulr1 mul1r; congr (_ <= _).
by rewrite -rowE dot_row (bigD1 i) //= !mxE !eqxx mulr1 big1 ?addr0 // => j /negPf ji; rewrite !mxE ji andbF mulr0.
Qed.

(* wang2020.tables-maximum, wang2020.table-2-leukemia-epsilon-0-1: two spaces of dimension 10 are at most sqrt 20 apart, and so
   is a mean of such distances; the entry 4.518, rounded to 3 digits, is larger *)
Theorem largest_distance (R : rcfType) p (T : finType) (V W : T -> 'M[R]_(p, 10)) : (0 < #|T|)%N ->
  (forall i, orthonormal (V i) /\ orthonormal (W i)) ->
  (\sum_i Num.sqrt (sqnorm (projector (V i) - projector (W i)))) / #|T|%:R < 4518 / 1000 - 5 / 10000.
Proof.
move=> T0 o; have T0' : 0 < #|T|%:R :> R by rewrite ltr0n.
rewrite ltr_pdivrMr //; apply: le_lt_trans (_ : \sum_(i : T) (4473 / 1000 : R) < _).
  apply: ler_sum => i _; have [oV oW] := o i; have [_ ->] := projector_distance oV oW.
  rewrite -[leRHS]ger0_norm; last by lra.
  rewrite -sqrtr_sqr; apply: ler_wsqrtr; have /andP[_ le] := sine_le oV oW; lra.
by rewrite sumr_const -[_ *+ #|_|]mulr_natr ltr_pM2r //; lra.
Qed.

(* The definitions on small matrices. *)
Example support_computes : support (1%:M : 'M[rat]_2) = setT.
Proof.
apply/setP => i; rewrite !inE; apply/eqP => /rowP /(_ i).
by rewrite !mxE eqxx.
Qed.
Example sine_computes : sine (delta_mx 0 0 : 'M[rat]_(2, 1)) (delta_mx 1 0) = 1.
Proof.
by rewrite /sine /projector trmx_delta mul_delta_mx mul_delta_mx_0 // subr0 -sqnorm_tr trmx_delta sqnorm_axis.
Qed.
Example effective_noise_computes : effective_noise 2 1 = 2 :> rat.
Proof. by rewrite /effective_noise. Qed.
Example embedded_computes (R : rcfType) (J : 'M[R]_(2, 2)) : embedded 1 J = col_mx 0 J.
Proof. by rewrite /embedded expr1n subrr sqrtr0 scale1r raddf0. Qed.
Example coordinates_computes : coordinates rat (set0 : {set 'I_2}) = 0.
Proof. by rewrite /coordinates big_set0. Qed.
Example sigma_V_computes (V : 'M[rat]_(2, 1)) : sigma_V 0 V = (5 * 2%:R * (0 + 1))^-1 *: 1%:M.
Proof. by rewrite /sigma_V scale0r [0 + 1%:M]add0r. Qed.
