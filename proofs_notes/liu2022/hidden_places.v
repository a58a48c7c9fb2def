(* liu2022, the repair that keeps Definition 2.3: the records are padded with spare ones to N at least, all are put into a uniform
   hidden order, and the first N places are used. Whatever is private for a replaced record is then private for multisets that
   differ by one record more or less.

   first_places N spare g   the data that are read: the first N places of g, spare ones beyond
   in_orders M g            the law of M on them, where the records g are in a uniform hidden order
   hidden_law M s           the same for the records s, padded first *)
From mathcomp Require Import all_ssreflect all_algebra fingroup perm.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp.
From mathcomp Require Import measure numfun measurable_realfun lebesgue_measure lebesgue_integral probability kernel.
From mathcomp Require Import ring lra zify.
From DPPCA.lib Require Import measure neighbours squared_norms laplace.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Averages.
Context {R : realType} d (Y : measurableType d) (a t : R).
Hypothesis a_ge0 : 0 <= a.

Lemma average_indist (I : finType) (c : R) (K L : I -> set Y -> \bar R) : 0 <= c -> c * #|I|%:R = 1 ->
  (forall i B, measurable B -> (0 <= L i B <= 1)%E) -> (forall i, indist a t (K i) (L i)) ->
  indist a t (fun B => c%:E * \sum_i K i B)%E (fun B => c%:E * \sum_i L i B)%E.
Proof.
move=> c0 total L01 close B mB.
have Lf i : L i B = (fine (L i B))%:E.
  by have /andP[l0 l1] := L01 i B mB; rewrite fineK // ge0_fin_numE // (le_lt_trans l1) // ltry.
apply: (@le_trans _ _ (c%:E * \sum_i (a * fine (L i B) + t)%:E)%E).
  by apply: lee_wpmul2l; rewrite ?lee_fin //; apply: lee_sum => i _; apply: le_trans (close i B mB) _; rewrite {1}Lf -EFinM -EFinD.
under [X in (_ <= _ * (_ * X) + _)%E]eq_bigr do rewrite Lf.
rewrite !sumEFin -!EFinM -EFinD lee_fin big_split /= mulrDr sumr_const -mulr_sumr mulrCA lerD2l.
by rewrite -[t *+ _]mulr_natl mulrA total mul1r.
Qed.
End Averages.

(* An order of n + 1 places: one of the first n, and a place j that changes records with the last. *)
Section Orders.
Variable n : nat.
Implicit Types (j : 'I_n.+1) (o : 'S_n).

Definition with_last (p : 'I_n.+1 * 'S_n) : 'S_n.+1 := (tperm p.1 ord_max * lift_perm ord_max ord_max p.2)%g.

Lemma with_last_at j o : with_last (j, o) j = ord_max.
Proof. by rewrite permM tpermL lift_perm_id. Qed.

Lemma with_last_other j o (k : 'I_n) : lift ord_max k != j -> with_last (j, o) (lift ord_max k) = lift ord_max (o k).
Proof. by move=> ne; rewrite permM tpermD 1?eq_sym ?lift_perm_lift // eq_sym neq_lift. Qed.

Lemma with_last_bij : bijective with_last.
Proof.
apply: inj_card_bij; last by rewrite card_prod !card_Sn card_ord factS.
move=> [j o] [j' o'] e; have jj : j = j'.
  by apply: (@perm_inj _ (with_last (j, o))); rewrite {2}e !with_last_at.
rewrite {j}jj in e *; congr (_, _); apply/permP => k; apply: (@lift_inj _ ord_max).
have := congr1 (fun s : 'S_n.+1 => s (tperm j' ord_max (lift ord_max k))) e.
by rewrite !permM tpermK !lift_perm_lift.
Qed.
End Orders.

Section HiddenPlaces.
Context {R : realType} d (Y : measurableType d) (A : eqType) (spare : A) (N : nat) (M : (nat -> A) -> set Y -> \bar R) (a t : R).
Implicit Types (s p : seq A) (B : set Y).

Definition first_places m (g : 'I_m -> A) (i : nat) : A := if (i < N)%N then oapp g spare (insub i) else spare.
Definition in_orders m (g : 'I_m -> A) B : \bar R := ((m`!%:R^-1)%:E * \sum_(o : 'S_m) M (first_places (g \o o)) B)%E.
Definition padded s := s ++ nseq (N - size s) spare.
Definition hidden_law s := in_orders (tnth (in_tuple (padded s))).

Lemma in_tuple_law n (u : n.-tuple A) p : tval u = p -> in_orders (tnth (in_tuple p)) = in_orders (tnth u).
Proof.
case: u => q e /= qp; subst q; have en := eqP e; case: n / en in e *.
by congr (in_orders (tnth _)); apply: val_inj.
Qed.

Lemma in_orders_perm n (u v : n.-tuple A) : perm_eq u v -> in_orders (tnth u) = in_orders (tnth v).
Proof.
case/tuple_permP => o e; apply/funext => B; congr (_ * _)%E; rewrite [RHS](reindex_inj (mulIg o)).
apply: eq_bigr => q _; congr (M _ B); congr first_places; apply/funext => i /=.
by rewrite permM (tnth_nth spare) e (nth_map i) ?size_enum_ord // nth_ord_enum.
Qed.

Lemma padded_law s n (u : n.-tuple A) : perm_eq (padded s) u -> hidden_law s = in_orders (tnth u).
Proof.
move=> e; have /eqP sz := perm_size e; rewrite size_tuple in sz.
by rewrite -(in_orders_perm (u := Tuple sz) e); exact: in_tuple_law.
Qed.

Hypotheses (a_ge0 : 0 <= a) (probabilities : forall x B, measurable B -> (0 <= M x B <= 1)%E).
Hypothesis replaced : forall x x', replace_one x x' -> indist a t (M x) (M x').

Lemma one_place_law m (g g' : 'I_m -> A) i0 : (forall i, i != i0 -> g i = g' i) -> indist a t (in_orders g) (in_orders g').
Proof.
move=> same; apply: average_indist => //.
- by rewrite invr_ge0.
- by rewrite card_Sn mulVf // pnatr_eq0 -lt0n fact_gt0.
- by move=> o B; exact: probabilities.
move=> o; apply: replaced; exists ((o^-1)%g i0 : nat) => i ne; rewrite /first_places; case: ifP => // _.
case: insubP => [k _ ki|//] /=; apply: same; apply: contra ne => /eqP <-.
by rewrite permK -ki.
Qed.

Lemma last_place_law m (g : 'I_m.+1 -> A) (h : 'I_m -> A) : (N <= m)%N -> (forall k, g (lift ord_max k) = h k) ->
  indist a t (in_orders g) (in_orders h) /\ indist a t (in_orders h) (in_orders g).
Proof.
move=> Nm same; pose K (p : 'I_m.+1 * 'S_m) := M (first_places (g \o with_last p)); pose L (p : 'I_m.+1 * 'S_m) := M (first_places (h \o p.2)).
have gE : in_orders g = fun B => ((m.+1`!%:R^-1)%:E * \sum_p K p B)%E.
  by apply/funext => B; rewrite /in_orders (reindex _ (onW_bij _ (with_last_bij m))).
have hE : forall B, measurable B -> in_orders h B = ((m.+1`!%:R^-1)%:E * \sum_p L p B)%E.
  move=> B mB; have Mf o : M (first_places (h \o o)) B = (fine (M (first_places (h \o o)) B))%:E.
    by have /andP[l0 l1] := probabilities (first_places (h \o o)) mB; rewrite fineK // ge0_fin_numE // (le_lt_trans l1) // ltry.
  pose total := \sum_(o : 'S_m) fine (M (first_places (h \o o)) B).
  have sumE : (\sum_(o : 'S_m) M (first_places (h \o o)) B = total%:E)%E by rewrite -sumEFin; apply: eq_bigr => o _; rewrite Mf.
  have -> : (\sum_p L p B = \sum_(j < m.+1) \sum_(o : 'S_m) M (first_places (h \o o)) B)%E by rewrite pair_bigA.
  rewrite /in_orders sumE sumEFin -!EFinM sumr_const card_ord factS natrM; congr EFin.
  by rewrite -[total *+ m.+1]mulr_natl mulrA; congr (_ * total); rewrite invfM mulrAC mulVf ?mul1r // pnatr_eq0.
have close (p : 'I_m.+1 * 'S_m) : indist a t (K p) (L p) /\ indist a t (L p) (K p).
  suff near : replace_one (first_places (g \o with_last p)) (first_places (h \o p.2)).
    by split; apply: replaced => //; exact: replace_one_sym.
  case: p => j o; exists (nat_of_ord j) => i ne; rewrite /first_places; case: ifP => // iN.
  have im : (i < m)%N by exact: leq_trans iN Nm.
  rewrite (insubT (fun i => (i < m.+1)%N) (leqW im)) (insubT (fun i => (i < m)%N) im) /=.
  have -> : Sub i (leqW im) = lift ord_max (Ordinal im) :> 'I_m.+1 by apply: val_inj; rewrite /= /bump leqNgt im.
  rewrite with_last_other ?same //; apply: contra ne => /eqP <-.
  by rewrite /= /bump leqNgt im.
have total : m.+1`!%:R^-1 * #|{: 'I_m.+1 * 'S_m}|%:R = 1 :> R.
  by rewrite card_prod card_Sn card_ord -factS mulVf // pnatr_eq0 -lt0n fact_gt0.
have c0 : 0 <= m.+1`!%:R^-1 :> R by rewrite invr_ge0.
by split=> B mB; rewrite gE hE //; apply: average_indist => // [p C mC|p]; rewrite ?probabilities //; case: (close p).
Qed.

(* liu2022.definition-2.3, the correction in brackets *)
Theorem hidden_places_private s s' x : perm_eq s' (x :: s) ->
  indist a t (hidden_law s) (hidden_law s') /\ indist a t (hidden_law s') (hidden_law s).
Proof.
move=> e; have sz : size s' = (size s).+1 by rewrite (perm_size e).
have [lt|le] := ltnP (size s) N.
  pose r := s ++ nseq (N - size s') spare.
  have es : perm_eq (padded s) (cons_tuple spare (in_tuple r)).
    rewrite /padded (_ : (N - size s)%N = (N - size s').+1) /=; last by rewrite sz subnSK.
    by rewrite -[spare :: nseq _ _]cat1s perm_catCA.
  have es' : perm_eq (padded s') (cons_tuple x (in_tuple r)) by rewrite /padded -[tval _]/((x :: s) ++ _) perm_cat2r.
  rewrite (padded_law es) (padded_law es').
  have same (i : 'I_(size r).+1) : i != ord0 -> tnth (cons_tuple spare (in_tuple r)) i = tnth (cons_tuple x (in_tuple r)) i.
    by case: (unliftP ord0 i) => [k ->|->] //; rewrite !tnthS.
  by split; apply: (one_place_law (i0 := ord0)) => i ne; rewrite same.
have es : perm_eq (padded s) (in_tuple s) by rewrite /padded (eqP le) cats0.
have es' : perm_eq (padded s') (rcons_tuple (in_tuple s) x).
  have -> : padded s' = s' ++ [::] by rewrite /padded (_ : (N - size s')%N = 0%N) //; apply/eqP; rewrite sz subn_eq0 ltnW.
  by rewrite cats0 (perm_trans e) // perm_sym perm_rcons.
rewrite (padded_law es) (padded_law es').
have [|l1 l2] := @last_place_law (size s) (tnth (rcons_tuple (in_tuple s) x)) (tnth (in_tuple s)) le.
  by move=> k; have lt : (k < size s)%N := ltn_ord k; rewrite !(tnth_nth x) lift_max /= nth_rcons lt.
by split.
Qed.
End HiddenPlaces.

(* The hypotheses can be met: truth about the first of two places is told with Laplace noise. *)
Section Holds.
Context {R : realType}.
Let told (x : nat -> bool) : set R -> \bar R := laplace_prob (x 0%N)%:R 1.

Example hidden_places_hold s s' b : perm_eq s' (b :: s) ->
  indist (expR 1) 0 (hidden_law false 2 told s) (hidden_law false 2 told s') /\
  indist (expR 1) 0 (hidden_law false 2 told s') (hidden_law false 2 told s).
Proof.
apply: hidden_places_private => [x B mB|x x' _ B mB].
  have p0 y : (0 <= (laplace_pdf (x 0%N)%:R 1 y)%:E :> \bar R)%E by rewrite lee_fin laplace_pdf_ge0.
  rewrite integral_ge0 //= -(laplace_total (x 0%N)%:R (ltr01 : 0 < 1 :> R)); apply: ge0_subset_integral => //.
  by apply/measurable_EFinP; exact: measurable_laplace_pdf.
apply: le_trans (laplace_mechanism _ _ ltr01 mB) _; rewrite !adde0 /told; apply: lee_wpmul2r.
  by apply: integral_ge0 => y _; rewrite lee_fin laplace_pdf_ge0.
by rewrite lee_fin ler_expR divr1; case: (x 0%N); case: (x' 0%N); rewrite ?subrr ?subr0 ?sub0r ?normrN ?normr1 ?normr0.
Qed.
End Holds.

Example padded_computes : padded 0%N 3 [:: 5; 7]%N = [:: 5; 7; 0]%N. Proof. by []. Qed.
Example first_places_compute : [seq first_places 9 2 (fun i : 'I_3 => val i) i | i <- iota 0 4]%N = [:: 0; 1; 9; 9]%N.
Proof. by rewrite /first_places /= !insubT. Qed.
Example with_last_computes : with_last (0, 1%g) (0 : 'I_3) = ord_max :> 'I_3. Proof. exact: with_last_at. Qed.
