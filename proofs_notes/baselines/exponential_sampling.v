(* The exponential mechanism for directions and for all k directions at once, on the sphere itself; several draws in turn.

   The measure that the densities are with respect to, such as the uniform law on the sphere, is a parameter: [base], the law of
   a point u of any measurable space T, and frame (s, u), an orthonormal d x k matrix (k = 1: a unit vector) that depends on u
   and, measurably, on the state s, which holds what was drawn before. For one draw T is the set of orthonormal matrices and
   frame (s, u) = u; for deflation frame (s, u) is u turned into the complement of the directions drawn before.

   draw base w F s      the mean of F(s, u) under the law of u with a density proportional to w(s, u)
   draws                n draws in turn, each with its own weight: the probability that the state ends up in A
   frame_weight m X V   exp(m tr(V^T X^T X V))
   exponential_law      the law with that density, for one draw *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions cardinality fsbigop interval_inference.
From mathcomp Require Import reals ereal topology normedtype sequences esum exp measure numfun measurable_realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure real_releases squared_norms.
From DPPCA.primitives Require Import row_changes.
From DPPCA.baselines Require Import matrix_exponential.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Draw.
Context {R : realType} {d1 d2} {S : measurableType d1} {T : measurableType d2} (base : probability T R).
Implicit Types (w v : S * T -> R) (F G : S * T -> \bar R) (s : S) (c r : R).

(* A weight is measurable, and lies between two positive numbers. *)
Definition weight w := measurable_fun setT w /\ exists c C, 0 < c /\ forall z, c <= w z <= C.
Definition total w s : R := fine (\int[base]_u (w (s, u))%:E)%E.
Definition draw w F s : \bar R := ((\int[base]_u ((w (s, u))%:E * F (s, u))) * ((total w s)^-1)%:E)%E.

Lemma weight_at w s : weight w -> [/\ measurable_fun setT (fun u => w (s, u)), (forall u, 0 <= w (s, u)), 0 < total w s &
  (\int[base]_u (w (s, u))%:E)%E = (total w s)%:E].
Proof.
case=> mw [c [C [c0 w_c]]]; have ms : measurable_fun setT (fun u => w (s, u)).
  exact: (measurableT_comp mw (measurable_pair1 s)).
have w0 u : 0 <= w (s, u) by have /andP[h _] := w_c (s, u); apply: le_trans h; exact: ltW.
have const (e : R) : (\int[base]_u e%:E = e%:E)%E by rewrite integral_cst // [X in (_ * X)%E]probability_setT mule1.
have lo : (c%:E <= \int[base]_u (w (s, u))%:E)%E.
  rewrite -(const c); apply: ge0_le_integral => //; try by move=> u _; rewrite lee_fin // ltW.
  - exact/measurable_EFinP.
  - by move=> u _; rewrite lee_fin; case/andP: (w_c (s, u)).
have hi : (\int[base]_u (w (s, u))%:E <= C%:E)%E.
  rewrite -(const C); apply: ge0_le_integral => //; try by move=> u _; rewrite lee_fin.
  - exact/measurable_EFinP.
  - by move=> u _; rewrite lee_fin; have /andP[h1 h2] := w_c (s, u); apply: le_trans h2.
  - by move=> u _; rewrite lee_fin; case/andP: (w_c (s, u)).
have fin : (\int[base]_u (w (s, u))%:E)%E \is a fin_num.
  rewrite ge0_fin_numE; first exact: le_lt_trans hi (ltry _).
  by apply: integral_ge0 => u _; rewrite lee_fin.
have t0 : 0 < total w s.
  by rewrite /total -lte_fin fineK //; apply: (@lt_le_trans _ _ c%:E) => //; rewrite lte_fin.
exact: And4 ms w0 t0 (esym (fineK fin)).
Qed.

Lemma measurable_product w F s : weight w -> test F -> measurable_fun setT (fun u => ((w (s, u))%:E * F (s, u))%E).
Proof.
move=> [mw _] [mF _]; have m : measurable_fun setT (fun z => ((w z)%:E * F z)%E).
  by apply: emeasurable_funM => //; exact/measurable_EFinP.
exact: (measurableT_comp m (measurable_pair1 s)).
Qed.

Lemma test_draw w F : weight w -> test F -> test (draw w F).
Proof.
move=> ww tF; have [mw wc] := ww; have [mF F01] := tF; have f0 z : (0 <= F z)%E by case/andP: (F01 z).
have w0 z : 0 <= w z by case: z => s u; case: (weight_at s ww) => _ w0 _ _; exact: w0.
split=> [|s]; last first.
  have [mws ws0 t0 eZ] := weight_at s ww; apply/andP; split.
    by apply: mule_ge0; [apply: integral_ge0 => u _; rewrite mule_ge0 ?lee_fin | rewrite lee_fin invr_ge0 ltW].
  apply: le_trans (_ : ((total w s)%:E * ((total w s)^-1)%:E <= _)%E); last by rewrite -EFinM divff // gt_eqF.
  apply: lee_wpmul2r; first by rewrite lee_fin invr_ge0 ltW.
  rewrite -eZ; apply: ge0_le_integral.
  - exact: measurableT.
  - by move=> u _; rewrite mule_ge0 ?lee_fin.
  - exact: measurable_product.
  - by move=> u _; rewrite lee_fin.
  - exact/measurable_EFinP.
  - by move=> u _; rewrite -[leRHS]mule1; apply: lee_wpmul2l; rewrite ?lee_fin //; case/andP: (F01 (s, u)).
have mtot : measurable_fun setT (total w).
  apply: (measurableT_comp (fine_measurable measurableT)).
  have : measurable_fun setT (fubini_F base (fun z => (w z)%:E)).
    by apply: measurable_fun_fubini_tonelli_F; [exact/measurable_EFinP | move=> z; rewrite lee_fin].
  by [].
have mln : measurable_fun setT (@ln R \o total w).
  apply: (@measurable_comp _ _ _ _ _ _ [set~ (0 : R)] (@ln R) setT (total w)).
  - by apply: measurableC; exact: measurable_set1.
  - by move=> _ /= [s _ <-]; have [_ _ t0 _] := weight_at s ww; apply/eqP; rewrite gt_eqF.
  - exact: measurable_ln.
  - exact: mtot.
have minv : measurable_fun setT (fun s => ((total w s)^-1)%:E).
  apply/measurable_EFinP; rewrite (_ : (fun s => _) = (fun s => expR (- ln (total w s)))); last first.
    by apply/funext => s; have [_ _ t0 _] := weight_at s ww; rewrite expRN lnK.
  apply: measurableT_comp => //; apply: measurableT_comp => //; exact: mln.
apply: emeasurable_funM => //.
have : measurable_fun setT (fubini_F base (fun z => ((w z)%:E * F z)%E)).
  apply: measurable_fun_fubini_tonelli_F; last by move=> z; rewrite mule_ge0 ?lee_fin.
  by apply: emeasurable_funM => //; exact/measurable_EFinP.
by [].
Qed.

(* Weights within a factor r of each other give laws within r^2, whatever follows. *)
Lemma draw_private w v F G r c s : weight w -> weight v -> test F -> test G -> 0 <= r -> 0 <= c ->
  (forall z, w z <= r * v z) -> (forall z, v z <= r * w z) -> (forall z, F z <= c%:E * G z)%E ->
  (draw w F s <= (r * r * c)%:E * draw v G s)%E.
Proof.
move=> ww wv tF tG r0 c0 le_wv le_vw FG; have [mw w0 tw eZ] := weight_at s ww; have [mv v0 tv eV] := weight_at s wv.
have [[mF F01] [mG G01]] := (tF, tG).
have F0 z : (0 <= F z)%E by case/andP: (F01 z).
have G0 z : (0 <= G z)%E by case/andP: (G01 z).
have num : (\int[base]_u ((w (s, u))%:E * F (s, u)) <= (r * c)%:E * \int[base]_u ((v (s, u))%:E * G (s, u)))%E.
  rewrite -ge0_integralZl_EFin ?mulr_ge0 //; last 2 first.
  - by move=> u _; rewrite mule_ge0 ?lee_fin.
  - exact: measurable_product.
  apply: ge0_le_integral => //.
  - by move=> u _; rewrite mule_ge0 ?lee_fin.
  - exact: measurable_product.
  - by move=> u _; rewrite mule_ge0 ?lee_fin ?mulr_ge0 // mule_ge0 ?lee_fin.
  - by apply: measurable_funeM; exact: measurable_product.
  move=> u _; rewrite EFinM -muleA [(c%:E * _)%E]muleCA muleA -EFinM.
  by apply: lee_pmul; rewrite ?lee_fin.
have den : (total w s)^-1 <= r * (total v s)^-1.
  rewrite -[leLHS]mul1r ler_pdivrMr // mulrAC ler_pdivlMr // mul1r -lee_fin EFinM -eZ -eV.
  rewrite -ge0_integralZl_EFin //; last 2 first.
  - by move=> u _; rewrite lee_fin.
  - exact/measurable_EFinP.
  apply: ge0_le_integral => //; try by move=> u _; rewrite -?EFinM lee_fin ?mulr_ge0.
  - exact/measurable_EFinP.
  - by apply: measurable_funeM; exact/measurable_EFinP.
have n0 : (0 <= \int[base]_u ((w (s, u))%:E * F (s, u)))%E.
  by apply: integral_ge0 => u _; rewrite mule_ge0 ?lee_fin.
have m0 : (0 <= \int[base]_u ((v (s, u))%:E * G (s, u)))%E.
  by apply: integral_ge0 => u _; rewrite mule_ge0 ?lee_fin.
rewrite /draw; apply: le_trans (_ : ((r * c)%:E * \int[base]_u ((v (s, u))%:E * G (s, u)) * (r * (total v s)^-1)%:E <= _)%E).
  by apply: lee_pmul => //; rewrite lee_fin ?invr_ge0 // ltW.
by rewrite [(r * (total v s)^-1)%:E]EFinM muleACA -EFinM (_ : r * c * r = r * r * c); [| ring].
Qed.

(* Several draws in turn: next (s, u) is the state after s when u was drawn. *)
Variable next : nat -> S * T -> S.
Hypothesis mnext : forall i, measurable_fun setT (next i).

Fixpoint draws (p : nat -> S * T -> R) i n (A : set S) s : \bar R :=
  if n is n'.+1 then draw (p i) (fun z => draws p i.+1 n' A (next i z)) s else (\1_A s)%:E.

Lemma test_draws (p : nat -> S * T -> R) i n A : (forall j, weight (p j)) -> measurable A -> test (draws p i n A).
Proof.
move=> wp mA; elim: n i => [|n IH] i /=; first exact: test_event.
by apply: test_draw => //; apply: (test_comp (f := next i)).
Qed.

Theorem draws_private (p q : nat -> S * T -> R) r n i s : (forall j, weight (p j)) -> (forall j, weight (q j)) -> 0 <= r ->
  (forall j z, p j z <= r * q j z) -> (forall j z, q j z <= r * p j z) ->
  indist ((r * r) ^+ n) 0 (fun A => draws p i n A s) (fun A => draws q i n A s).
Proof.
move=> wp wq r0 le_pq le_qp A mA; rewrite adde0; elim: n i s => [|n IH] i s; first by rewrite expr0 mul1e.
rewrite exprS; apply: (draw_private s (wp i) (wq i)) => //.
- by apply: (test_comp (f := next i)) => //; exact: test_draws.
- by apply: (test_comp (f := next i)) => //; exact: test_draws.
- by rewrite exprn_ge0 // mulr_ge0.
Qed.
End Draw.

Section Directions.
Context {R : realType} (n d k : nat) {d1 d2} {S : measurableType d1} {T : measurableType d2} (base : probability T R).
Variables (frame : nat -> S * T -> 'M[R]_(d, k)) (next : nat -> S * T -> S).
Hypotheses (mnext : forall i, measurable_fun setT (next i)) (oframe : forall i z, orthonormal (frame i z)).
Hypothesis mframe : forall i a b, measurable_fun setT (fun z => frame i z a b).
Implicit Types (X : 'M[R]_(n, d)) (m e : R).

Definition frame_weight m X (V : 'M[R]_(d, k)) := expR (m * directions_score X V).

Lemma measurable_score X i : measurable_fun setT (fun z => directions_score X (frame i z)).
Proof.
rewrite (_ : (fun z => _) = fun z => \sum_(l < n) \sum_(a < 1) \sum_(b < k)
    ((row l X *m frame i z) a b * (row l X *m frame i z) a b)); last first.
  by apply/funext => z; rewrite directions_score_rows.
apply: measurable_sum => l; apply: measurable_sum => a; apply: measurable_sum => b.
have entry : measurable_fun setT (fun z => (row l X *m frame i z) a b).
  rewrite (_ : (fun z => _) = fun z => \sum_j (row l X a j * frame i z j b)); last by apply/funext => z; rewrite mxE.
  by apply: measurable_sum => j; apply: measurable_funM.
exact: measurable_funM.
Qed.

Lemma score_bounds X (V : 'M[R]_(d, k)) : unit_rows X -> orthonormal V -> 0 <= directions_score X V <= n%:R.
Proof.
move=> uX oV; rewrite directions_score_rows sumr_ge0 => [|l _]; last exact: sqnorm_ge0.
rewrite -[in leRHS](card_ord n) -sum1_card natr_sum; apply: ler_sum => l _.
by apply: le_trans (bessel _ oV) _; exact: uX.
Qed.

Lemma weight_frame m X i : 0 <= m -> unit_rows X -> weight (fun z => frame_weight m X (frame i z)).
Proof.
move=> m0 uX; split; first by apply: measurableT_comp => //; apply: measurable_funM => //; exact: measurable_score.
exists 1, (expR (m * n%:R)); split=> // z; have /andP[s0 sn] := score_bounds uX (oframe i z).
by rewrite -[X in X <= _]expR0 !ler_expR mulr_ge0 // ler_wpM2l.
Qed.

Lemma frame_ratio m X X' (V : 'M[R]_(d, k)) : 0 <= m -> replaced X X' -> orthonormal V ->
  frame_weight m X V <= expR m * frame_weight m X' V.
Proof.
move=> m0 nb oV; rewrite -expRD ler_expR -[X in _ <= X + _]mulr1 -mulrDr ler_wpM2l // addrC -lerBlDl.
by apply: le_trans (ler_norm _) _; exact: directions_replaced.
Qed.

(* The law of the state after j draws. *)
Definition sampled m j X (s : S) (A : set S) := draws base next (fun i z => frame_weight m X (frame i z)) 0 j A s.

(* j draws with the multiplier m are 2 m j-private. *)
Theorem sampled_private m j X X' s : 0 <= m -> replaced X X' -> indist (expR (2 * m * j%:R)) 0 (sampled m j X s) (sampled m j X' s).
Proof.
move=> m0 nb; have [uX uX' _] := nb.
have -> : expR (2 * m * j%:R) = (expR m * expR m) ^+ j.
  by rewrite expRM_natr mulr_natl mulr2n expRD.
apply: draws_private => //; first by move=> i; exact: weight_frame.
- by move=> i; exact: weight_frame.
- exact: expR_ge0.
- by move=> i z; exact: frame_ratio.
- by move=> i z; apply: frame_ratio => //; exact: replaced_sym.
Qed.

(* amin2019.deflation: k draws in turn with epsilon / k each *)
Corollary deflation_private e j X X' s : 0 < e -> (0 < j)%N -> replaced X X' ->
  indist (expR e) 0 (sampled (e / j%:R / 2) j X s) (sampled (e / j%:R / 2) j X' s).
Proof.
move=> e0 j0 nb; have jn : j%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
rewrite -[in expR e](_ : 2 * (e / j%:R / 2) * j%:R = e); last by field.
by apply: sampled_private => //; rewrite !divr_ge0 // ltW.
Qed.
End Directions.

(* One draw of an orthonormal matrix: T is a space of them, such as the sphere, with any law, such as the uniform one. *)
Section One.
Context {R : realType} (n d k : nat) {d2} {T : measurableType d2} (base : probability T R) (frame : T -> 'M[R]_(d, k)).
Hypotheses (oframe : forall u, orthonormal (frame u)) (mframe : forall a b, measurable_fun setT (fun u => frame u a b)).
Implicit Types (X : 'M[R]_(n, d)) (e m : R).

(* The law with the density exp(m tr(V^T X^T X V)), normalised. *)
Definition exponential_law m X (A : set T) : \bar R :=
  ((\int[base]_(u in A) (frame_weight m X (frame u))%:E) * ((fine (\int[base]_u (frame_weight m X (frame u))%:E))^-1)%:E)%E.

(* chaudhuri2013.matrix-sensitivity for every k, chaudhuri2013.ppca-privacy for k = 1: with the multiplier epsilon / 2, or one
   that was rounded down *)
Theorem exponential_law_private e m X X' : 0 < e -> 0 <= m -> m <= e / 2 -> replaced X X' ->
  indist (expR e) 0 (exponential_law m X) (exponential_law m X').
Proof.
move=> e0 m0 me nb A mA; have [uX uX' _] := nb; pose fr (i : nat) (z : T * T) := frame z.2.
pose p (Y : 'M[R]_(n, d)) (i : nat) (z : T * T) := frame_weight m Y (fr i z).
have mfr i a b : measurable_fun setT (fun z => fr i z a b) by exact: (measurableT_comp (mframe a b) measurable_snd).
have ofr i z : orthonormal (fr i z) by exact: oframe.
have E Y : exponential_law m Y A = draws base (fun (_ : nat) (z : T * T) => z.2) (p Y) 0 1 A point.
  rewrite /exponential_law /= /draw /total; congr (_ * _)%E.
  rewrite integral_mkcond; apply: eq_integral => u _; rewrite patchE indicE.
  by case: ifP => _; rewrite ?mule1 ?mule0.
have ee : expR e = (expR (e / 2) * expR (e / 2)) ^+ 1 by rewrite expr1 -expRD; congr expR; field.
have ratio Y Y' i z : replaced Y Y' -> p Y i z <= expR (e / 2) * p Y' i z.
  move=> nb'; apply: le_trans (frame_ratio m0 nb' (ofr i z)) _.
  by rewrite ler_wpM2r ?expR_ge0 // ler_expR.
rewrite !E ee; apply: (@draws_private R _ _ T T base (fun _ z => z.2) _ (p X) (p X')) => //.
- by move=> _; exact: measurable_snd.
- by move=> i; apply: (weight_frame ofr mfr).
- by move=> i; apply: (weight_frame ofr mfr).
- exact: expR_ge0.
- by move=> i z; exact: ratio.
- by move=> i z; apply: ratio; exact: replaced_sym.
Qed.
End One.

(* Without data every direction is as likely as the base measure says; no draw leaves the state as it is; a weight. *)
Example exponential_law_no_data (R : realType) n d k d2 (T : measurableType d2) (base : probability T R)
    (frame : T -> 'M[R]_(d, k)) (m : R) A : measurable A -> exponential_law base frame m (0 : 'M[R]_(n, d)) A = base A.
Proof.
move=> mA; have e u : frame_weight m (0 : 'M[R]_(n, d)) (frame u) = 1.
  by rewrite /frame_weight /directions_score /gram !mulmx0 mul0mx mxtrace0 mulr0 expR0.
rewrite /exponential_law; under eq_integral do rewrite e; under [X in fine X]eq_integral do rewrite e.
by rewrite !integral_cst // !mul1e [X in fine X]probability_setT /= invr1 mule1.
Qed.
Example sampled_nothing (R : realType) n d k d1 d2 (S : measurableType d1) (T : measurableType d2) (base : probability T R)
    (frame : nat -> S * T -> 'M[R]_(d, k)) next (m : R) (X : 'M[R]_(n, d)) s A :
  sampled base frame next m 0 X s A = (\1_A s)%:E.
Proof. by []. Qed.
Example weight_example (R : realType) d1 d2 (S : measurableType d1) (T : measurableType d2) :
  weight (fun _ : S * T => 1 : R).
Proof. by split; [exact: measurable_cst | exists 1, 1; split=> [|z]; [exact: ltr01 | rewrite lexx]]. Qed.
