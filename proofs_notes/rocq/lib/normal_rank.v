(* Determinants of random matrices and of Gram matrices.

   mean_map            the mean of a function of a linear image
   mean_invertible     independent normal numbers on the diagonal make every square matrix invertible, almost surely
   gram_det_ge0        det(H H^T) >= 0
   gram_det_neq0       it is not 0 if a square block of H is invertible *)
From mathcomp Require Import all_ssreflect fingroup perm all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import cardinality fsbigop interval_inference reals ereal topology normedtype.
From mathcomp Require Import sequences esum exp measure numfun measurable_realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral probability.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import gaussian_matrix squared_norms plane_normal normal_directions normal_turns.
Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Map.
Context {R : realType} {p q p' q' : nat}.

Lemma mean_map (T : 'M[R]_(p, q) -> 'M[R]_(p', q')) (l : seq 'M[R]_(p, q)) (f : 'M[R]_(p', q') -> \bar R) z :
  (forall z (x : R) D, T (z + x *: D) = T z + x *: T D) -> mean l (fun z => f (T z)) z = mean (map T l) f (T z).
Proof. by move=> lin; elim: l z => [//|D l IH] z; apply: eq_integral => x _; congr (_ * _)%E; rewrite -lin; exact: IH. Qed.
End Map.

Section Determinants.
Context {R : realType}.
Local Notation mu := (@lebesgue_measure R).

Lemma measurable_bigprod d (T : measurableType d) (I : Type) (r : seq I) (F : I -> T -> R) :
  (forall i, measurable_fun setT (F i)) -> measurable_fun setT (fun z => \prod_(i <- r) F i z).
Proof.
move=> mF; elim: r => [|i r IH]; first by under eq_fun do rewrite big_nil; exact: measurable_cst.
by under eq_fun do rewrite big_cons; exact: measurable_funM.
Qed.

Lemma measurable_det d (T : measurableType d) k (f : T -> 'M[R]_k) :
  (forall i j, measurable_fun setT (fun z => f z i j)) -> measurable_fun setT (fun z => \det (f z)).
Proof.
move=> mf; rewrite /determinant; apply: (@measurable_sum _ _ R setT _ _ (fun (s : {perm 'I_k}) z => (-1) ^+ s * \prod_i f z i (s i))) => s.
by apply: measurable_funM; [exact: measurable_cst | apply: measurable_bigprod => i; exact: mf].
Qed.

(* One number more on the diagonal. *)
Lemma det_bump k (z : 'M[R]_k.+1) (s : R) :
  \det (z + s *: delta_mx ord0 ord0) = \det z + s * \det (row' ord0 (col' ord0 z)).
Proof.
have cof j : cofactor (z + s *: delta_mx ord0 ord0) ord0 j = cofactor z ord0 j.
  congr (_ * \det _); apply/matrixP => i l; rewrite !mxE /= mulr0 addr0 //.
rewrite (expand_det_row _ ord0) (expand_det_row z ord0) big_ord_recl [in RHS]big_ord_recl !cof.
rewrite (eq_bigr (fun j => z ord0 (lift ord0 j) * cofactor z ord0 (lift ord0 j))) => [|j _]; last first.
  by rewrite cof !mxE /= mulr0 addr0.
by rewrite !mxE !eqxx mulr1 mulrDl addrAC; congr (_ + _ * _); rewrite /cofactor expr0 mul1r.
Qed.

Definition invertible k (z : 'M[R]_k) : \bar R := ((\det z != 0)%:R)%:E.

Lemma fair_neq0 m n (F : 'M[R]_(m, n) -> R) : measurable_fun setT F -> fair (fun z => ((F z != 0)%:R : R)%:E).
Proof.
move=> mF; rewrite (_ : (fun z => _) = (fun z => (\1_(F @^-1` ~` [set 0]) z)%:E)); last first.
  apply/funext => z; rewrite indicE; have [e|/eqP e] := eqVneq (F z) 0; last by rewrite mem_set.
  by rewrite memNset // => /(_ e).
by apply: fair_event; rewrite -[X in measurable X]setTI; apply: mF => //; apply: measurableC.
Qed.

Lemma fair_invertible k : fair (@invertible k).
Proof. by apply: fair_neq0; apply: measurable_det => i j; exact: measurable_entry. Qed.

Lemma almost_all (a : R) : (\int[mu]_x ((phi x)%:E * ((x != a)%:R)%:E) = 1)%E.
Proof.
rewrite -(integral_normal_pdf 0 1).
have m1 : measurable_fun setT (fun x : R => ((phi x)%:E * ((x != a)%:R)%:E)%E).
  apply: emeasurable_funM; first by apply/measurable_EFinP; exact: measurable_phi.
  rewrite (_ : (fun x => _) = (fun x => (\1_(~` [set a]) x)%:E)); last first.
    apply/funext => x; rewrite indicE; have [e|/eqP e] := eqVneq x a; last by rewrite mem_set.
    by rewrite memNset // => /(_ e).
  by apply/measurable_EFinP; apply: measurable_indic; apply: measurableC.
have m2 : measurable_fun setT (fun x : R => (phi x)%:E) by apply/measurable_EFinP; exact: measurable_phi.
have p1 (x : R) : setT x -> (0 <= (phi x)%:E * ((x != a)%:R)%:E)%E by move=> _; rewrite mule_ge0 ?lee_fin ?phi_ge0.
have p2 (x : R) : setT x -> (0 <= (phi x)%:E)%E by move=> _; rewrite lee_fin phi_ge0.
apply: (@ge0_ae_eq_integral _ _ R mu setT _ _ measurableT m1 m2 p1 p2).
exists [set a]; split => //; first exact: lebesgue_measure_set1.
by move=> x /= differ; apply: contrapT => /eqP xa; apply: differ => _; rewrite xa mule1.
Qed.

Lemma mean_invertible k (z : 'M[R]_k) : (1 <= mean [seq delta_mx i i | i <- enum 'I_k] (@invertible k) z)%E.
Proof.
elim: k z => [|k IH] z; first by rewrite enum_ord0 /= /invertible det_mx00 oner_eq0.
pose T (z : 'M[R]_k.+1) := row' ord0 (col' ord0 z).
pose l := [seq delta_mx (lift ord0 i) (lift ord0 i) | i <- enum 'I_k] : seq 'M[R]_k.+1.
have lin z' (x : R) D : T (z' + x *: D) = T z' + x *: T D by apply/matrixP => i j; rewrite !mxE.
rewrite (@mean_perm R _ _ _ (l ++ [:: delta_mx ord0 ord0]) _ _ (@fair_invertible _)); last first.
  by rewrite enum_ordSl /= -map_comp perm_sym perm_catC /= perm_refl.
rewrite mean_cat; apply: le_trans (IH (T z)) _.
have -> : [seq delta_mx i i | i <- enum 'I_k] = map T l.
  rewrite /l (_ : map T _ = [seq T (delta_mx (lift ord0 i) (lift ord0 i)) | i <- enum 'I_k]); last exact/esym/map_comp.
  by apply: eq_map => i; apply/matrixP => a b; rewrite !mxE !(inj_eq lift_inj).
rewrite -(@mean_map R _ _ _ _ T l (@invertible k) z lin) -[leLHS]mul1e.
have fT : fair (fun z => @invertible k (T z)).
  by apply: (@fair_neq0 _ _ (fun z => \det (T z))); apply: measurable_det => i j; under eq_fun do rewrite !mxE; exact: measurable_entry.
have fg := @mean_fair R _ _ [:: delta_mx ord0 ord0] _ (@fair_invertible k.+1).
apply: (@mean_le R _ _ (fun=> True)) => // z' _; rewrite mul1e /invertible.
have [e|m0] := eqVneq (\det (T z')) 0.
  by case: (@mean_fair R _ _ [:: delta_mx ord0 ord0] _ (@fair_invertible k.+1)) => _; apply.
rewrite /= -[leLHS](almost_all (- \det z' / \det (T z'))) le_eqVlt; apply/orP; left; apply/eqP.
apply: eq_integral => x _; congr (_ * (_%:R)%:E)%E; rewrite det_bump -/(T z'); congr (~~ _).
rewrite addrC addr_eq0; apply/eqP/eqP => [->|<-]; first by rewrite divfK.
by rewrite mulfK.
Qed.

Lemma gram_det_ge0 k n (H : 'M[R]_(k, n)) : (k <= n)%N -> 0 <= \det (H *m H^T).
Proof.
move=> kn; move: H; rewrite -(subnKC kn) => H; have [V [[oV _] V0]] := @turn_triangular R 0 0 _ _ H.
have VV : V^T *m V = 1%:M by exact: mulmx1C.
have -> : H *m H^T = (H *m V^T) *m (H *m V^T)^T by rewrite trmx_mul trmxK mulmxA -[H *m _ *m V]mulmxA VV mulmx1.
have r0 : rsubmx (H *m V^T) = 0.
  by apply/matrixP => i j; rewrite [LHS]mxE [RHS]mxE V0 //= (leq_trans (ltn_ord i)) // leq_addr.
rewrite -[H *m V^T]hsubmxK r0 tr_row_mx mul_row_col trmx0 mulmx0 addr0 det_mulmx det_tr -expr2.
exact: sqr_ge0.
Qed.

Lemma gram_det_neq0 k n (H : 'M[R]_(k, n)) (E : 'M[R]_(n, k)) : \det (H *m E) != 0 -> \det (H *m H^T) != 0.
Proof.
move=> d0; rewrite -unitfE -/(\det _) -unitmxE -row_free_unit; apply: inj_row_free => v v0.
have vH : v *m H = 0 by apply: sqnorm_eq0; rewrite /sqnorm dot_mulmx -mulmxA v0 dotC dot0l.
have u : H *m E \in unitmx by rewrite unitmxE unitfE.
by rewrite -[v](mulmxK u) mulmxA vH mul0mx mul0mx.
Qed.
End Determinants.
