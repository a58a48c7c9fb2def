(* Matrices with independent normal multiples of given directions: z + x_1 D_1 + ... + x_m D_m.

   mean [:: D_1; ..; D_m] f z   the mean of f(z + x_1 D_1 + ... + x_m D_m)
   mean_perm          the order of the directions does not matter
   mean_le            the mean is monotone, and linear (mean_add)
   mean_turned        two directions may be turned in their plane *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral probability.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure normal_line gaussian_dp gaussian_run gaussian_matrix squared_norms plane_normal.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Mean.
Context {R : realType} {p q : nat}.
Local Notation mu := (@lebesgue_measure R).
Local Notation M := 'M[R]_(p, q).
Implicit Types (D E z : M) (l : seq M) (f g : M -> \bar R).

Fixpoint mean l f z : \bar R := if l is D :: l' then (\int[mu]_x ((phi x)%:E * mean l' f (z + x *: D)%R))%E else f z.

(* Nonnegative and measurable. *)
Definition fair f := measurable_fun setT f /\ forall z, (0 <= f z)%E.

Lemma measurable_step z D : measurable_fun setT (fun x : R => z + x *: D).
Proof.
apply: measurable_matrix => i j; under eq_fun do rewrite !mxE.
by apply: measurable_funD => //; exact: measurable_funM.
Qed.

Lemma measurable_steps D : measurable_fun setT (fun w : M * R => w.1 + w.2 *: D).
Proof.
apply: measurable_matrix => i j; under eq_fun do rewrite !mxE.
apply: measurable_funD; first exact: (measurableT_comp (measurable_entry i j) measurable_fst).
by apply: measurable_funM.
Qed.

Lemma mean_fair l f : fair f -> fair (mean l f).
Proof.
move=> fairf; elim: l => [//|D l [mf f0]]; pose F (w : M * R) : \bar R := ((phi w.2)%:E * mean l f (w.1 + w.2 *: D)%R)%E.
have F0 w : (0 <= F w)%E by apply: mule_ge0; [rewrite lee_fin phi_ge0 | exact: f0].
have mF : measurable_fun setT F.
  apply: emeasurable_funM; last exact: (measurableT_comp mf (measurable_steps D)).
  by apply/measurable_EFinP; exact: (measurableT_comp measurable_phi measurable_snd).
split; last by move=> z; apply: integral_ge0 => x _; exact: (F0 (z, x)).
have : measurable_fun setT (fubini_F mu F) by exact: measurable_fun_fubini_tonelli_F.
by [].
Qed.

Lemma fair_comp (T : M -> M) f : measurable_fun setT T -> fair f -> fair (fun z => f (T z)).
Proof. by move=> mT [mf f0]; split=> [|z]; [exact: measurableT_comp | exact: f0]. Qed.

Lemma fair_event (A : set M) : measurable A -> fair (fun z => (\1_A z)%:E).
Proof. by move=> mA; split=> [|z]; [apply/measurable_EFinP; exact: measurable_indic | rewrite lee_fin]. Qed.

Lemma fair_cst (c : \bar R) : (0 <= c)%E -> fair (fun=> c).
Proof. by move=> c0; split. Qed.

Lemma mean_cat l l' f z : mean (l ++ l') f z = mean l (mean l' f) z.
Proof. by elim: l z => [//|D l IH] z /=; apply: eq_integral => x _; rewrite IH. Qed.

Lemma mean_eq l f g z : (forall z, f z = g z) -> mean l f z = mean l g z.
Proof. by move=> e; congr mean; apply/funext. Qed.

Let m_step l f z D : fair f -> measurable_fun setT (fun x : R => ((phi x)%:E * mean l f (z + x *: D)%R)%E).
Proof.
move=> ff; have [mf _] := @mean_fair l f ff; apply: emeasurable_funM; first by apply/measurable_EFinP; exact: measurable_phi.
exact: (measurableT_comp mf (measurable_step z D)).
Qed.

Let step_ge0 l f z D : fair f -> forall x, (0 <= (phi x)%:E * mean l f (z + x *: D)%R)%E.
Proof. by move=> ff x; have [_ f0] := @mean_fair l f ff; apply: mule_ge0; [rewrite lee_fin phi_ge0 | exact: f0]. Qed.

(* What holds where the walk begins and stays true along the directions. *)
Lemma mean_le (P : M -> Prop) l f g z (c : R) : 0 <= c -> fair f -> fair g -> P z ->
  (forall z D x, P z -> D \in l -> P (z + x *: D)) -> (forall z, P z -> (c%:E * f z <= g z)%E) ->
  (c%:E * mean l f z <= mean l g z)%E.
Proof.
move=> c0 ff fg Pz + le; elim: l z Pz => [|D l IH] z Pz stay /=; first exact: le.
rewrite -(ge0_integralZl_EFin mu measurableT (fun x _ => step_ge0 l z D ff x) (m_step l z D ff) c0).
apply: ge0_le_integral => //.
- by move=> x _; apply: mule_ge0; [rewrite lee_fin | exact: step_ge0].
- by apply: measurable_funeM; exact: m_step.
- by move=> x _; exact: step_ge0.
- exact: m_step.
move=> x _; rewrite muleCA; apply: lee_wpmul2l; first by rewrite lee_fin phi_ge0.
apply: IH => [|z' E y Pz' El]; first by apply: stay => //; rewrite inE eqxx.
by apply: stay => //; rewrite inE El orbT.
Qed.

Lemma mean_cst l (c : \bar R) z : (0 <= c)%E -> mean l (fun=> c) z = c.
Proof.
move=> c0; elim: l z => [//|D l IH] z /=; under eq_integral do rewrite IH muleC.
have m_phi : measurable_fun setT (fun x : R => (phi x)%:E) by apply/measurable_EFinP; exact: measurable_phi.
have phi0 (x : R) : setT x -> (0 <= (phi x)%:E)%E by rewrite lee_fin phi_ge0.
by rewrite (ge0_integralZl mu measurableT m_phi phi0 c0) integral_normal_pdf mule1.
Qed.

Lemma mean_add l f g z : fair f -> fair g -> mean l (fun z => f z + g z)%E z = (mean l f z + mean l g z)%E.
Proof.
move=> ff fg; elim: l z => [//|D l IH] z /=.
rewrite -(ge0_integralD mu measurableT (fun x _ => step_ge0 l z D ff x) (m_step l z D ff) (fun x _ => step_ge0 l z D fg x)
  (m_step l z D fg)).
have [_ f0] := @mean_fair l f ff; have [_ g0] := @mean_fair l g fg.
by apply: eq_integral => x _; rewrite IH (ge0_muleDr (phi x)%:E (f0 _) (g0 _)).
Qed.

(* Two directions: the plane. *)
Let point z D E (w : R * R) : M := z + w.1 *: D + w.2 *: E.
Let m_point z D E : measurable_fun setT (point z D E).
Proof.
apply: measurable_matrix => i j; under eq_fun do rewrite !mxE.
by apply: measurable_funD; [apply: measurable_funD => //|]; exact: measurable_funM.
Qed.

Lemma mean_two D E l f z : mean (D :: E :: l) f z = plane (fun w => mean l f (z + w.1 *: D + w.2 *: E)).
Proof. by []. Qed.

Lemma mean_swap D E l f z : fair f -> mean (D :: E :: l) f z = mean (E :: D :: l) f z.
Proof.
move=> ff; have [mf f0] := @mean_fair l f ff; rewrite !mean_two.
rewrite -(plane_swap (measurableT_comp mf (m_point z D E)) (fun w => f0 _)).
by congr plane; apply/funext => w; rewrite /= /point /= addrAC.
Qed.

Lemma mean_perm l l' f z : fair f -> perm_eq l l' -> mean l f z = mean l' f z.
Proof.
move=> ff; elim: l l' z => [|D l IH] l' z; first by rewrite perm_sym => /perm_nilP ->.
move=> perm; have Dl' : D \in l' by rewrite -(perm_mem perm) inE eqxx.
case/splitPr: Dl' perm => l1 l2; rewrite perm_sym perm_catC /= perm_cons perm_sym perm_sym perm_catC perm_sym => perm.
transitivity (mean (D :: l1 ++ l2) f z); first by apply: eq_integral => x _; congr (_ * _)%E; exact: IH.
elim: l1 z {perm} => [//|E l1 IH1] z; rewrite [LHS]mean_swap //.
by apply: eq_integral => x _; congr (_ * _)%E; exact: IH1.
Qed.

Lemma mean_turned D E l f z (a b : R) : fair f -> a ^+ 2 + b ^+ 2 = 1 ->
  mean (D :: E :: l) f z = mean (a *: D + b *: E :: a *: E - b *: D :: l) f z.
Proof.
move=> ff ab; have [mf f0] := @mean_fair l f ff; rewrite !mean_two.
rewrite -(plane_rotation (measurableT_comp mf (m_point z D E)) (fun w => f0 _) ab).
congr plane; apply/funext => w; rewrite /= /point /=; congr (mean l f _); apply/matrixP => i j; rewrite !mxE; ring.
Qed.
End Mean.
