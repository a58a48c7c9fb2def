(* Privacy gained by a hidden order (amplification by shuffling), by hidden labels.

   A release is an operator on tests: functions of the state after it become functions of the state before it. The record 0 is
   replaced; the order of all n + 1 records is uniform and hidden. Every record draws with a hidden label: true, false or none.
   What has the label true or false is drawn from the same two laws for all records; record 0 always has one of these, and
   more often true if it is the old record, more often false if it is the new one.

   cone ok           a class of tests that sums, multiples and constants do not leave
   operator K        K takes tests to tests; it is linear and monotone
   runs K f          the mean of the test f after the steps K 0, K 1, ...
   runs_expand       steps that draw a hidden label: the mean over all labels
   runs_close        steps that are close one by one are close together
   shuffled P f      the mean of f where step i is about record s i, for a uniform order s
   weight t m        the probability of the labels m; t is how much record 0 leans to true, g and r are the shares of the others
   lead m, named m   labels true minus labels false; labels that are not none
   labels_decide     the labels say all about record 0 that the releases do *)
From mathcomp Require Import all_ssreflect all_algebra fingroup perm.
From mathcomp Require Import boolp.
From mathcomp Require Import ring lra.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope ring_scope.

Section Operators.
Context (R : realFieldType) (T : Type).
Local Notation test := (T -> R).
Implicit Types (f g : test) (K : test -> test) (c : R).

Definition cone (ok : test -> Prop) := [/\ forall f, ok f -> forall x, 0 <= f x, forall c, 0 <= c -> ok (fun=> c) &
  forall c f g, 0 <= c -> ok f -> ok g -> ok (fun x => c * f x + g x)].

Variable ok : test -> Prop.
Hypothesis ok_cone : cone ok.

Definition operator K := [/\ forall f, ok f -> ok (K f),
  forall c f g, 0 <= c -> ok f -> ok g -> K (fun x => c * f x + g x) = (fun x => c * K f x + K g x) &
  forall f g, ok f -> ok g -> (forall x, f x <= g x) -> forall x, K f x <= K g x].

Let ok0 f x : ok f -> 0 <= f x. Proof. by case: ok_cone => H _ _ okf; exact: H. Qed.
Let okc c : 0 <= c -> ok (fun=> c). Proof. by case: ok_cone => _ H _; exact: H. Qed.
Let okD c f g : 0 <= c -> ok f -> ok g -> ok (fun x => c * f x + g x). Proof. by case: ok_cone => _ _; apply. Qed.

Lemma ok_sum (I : Type) (s : seq I) (w : I -> R) (F : I -> test) : (forall i, 0 <= w i) -> (forall i, ok (F i)) ->
  ok (fun x => \sum_(i <- s) w i * F i x).
Proof.
move=> w0 okF; elim: s => [|i s IH].
  by rewrite (_ : (fun _ => _) = fun=> 0); [exact: okc | apply/funext => x; rewrite big_nil].
rewrite (_ : (fun _ => _) = fun x => w i * F i x + \sum_(i <- s) w i * F i x); first exact: okD.
by apply/funext => x; rewrite big_cons.
Qed.

Lemma operator0 K : operator K -> K (fun=> 0) = fun=> 0.
Proof.
case=> _ lin _; have := lin 1 (fun=> 0) (fun=> 0) ler01 (okc (lexx 0)) (okc (lexx 0)).
rewrite (_ : (fun _ => _) = fun=> 0); last by apply/funext => x; rewrite mulr0 addr0.
move=> e; apply/funext => x; have := congr1 (@^~ x) e; rewrite mul1r => /eqP.
by rewrite -subr_eq subrr eq_sym => /eqP.
Qed.

Lemma operator_sum K (I : Type) (s : seq I) (w : I -> R) (F : I -> test) : operator K -> (forall i, 0 <= w i) ->
  (forall i, ok (F i)) -> K (fun x => \sum_(i <- s) w i * F i x) = fun x => \sum_(i <- s) w i * K (F i) x.
Proof.
move=> oK w0 okF; have [_ lin _] := oK; elim: s => [|i s IH].
  rewrite (_ : (fun _ => _) = fun=> 0); last by apply/funext => x; rewrite big_nil.
  by rewrite operator0 //; apply/funext => x; rewrite big_nil.
rewrite (_ : (fun _ => _) = fun x => w i * F i x + \sum_(i <- s) w i * F i x); last by apply/funext => x; rewrite big_cons.
by rewrite lin // ?IH; [apply/funext => x; rewrite big_cons | exact: ok_sum].
Qed.

Lemma operator_ge0 K f x : operator K -> ok f -> 0 <= K f x.
Proof. by case=> okK _ _ okf; apply: ok0; exact: okK. Qed.

Lemma operator_mixed (I : finType) (w : I -> R) (K : I -> test -> test) : (forall i, 0 <= w i) -> (forall i, operator (K i)) ->
  operator (fun f x => \sum_i w i * K i f x).
Proof.
move=> w0 oK; split=> [f okf|c f g c0 okf okg|f g okf okg le x].
- by apply: ok_sum => // i; case: (oK i) => okK _ _; exact: okK.
- apply/funext => x; rewrite mulr_sumr -big_split; apply: eq_bigr => i _.
  by case: (oK i) => _ lin _; rewrite lin // mulrDr mulrCA.
- by apply: ler_sum => i _; rewrite ler_wpM2l //; case: (oK i) => _ _; apply.
Qed.

(* The mean of a test after the steps K 0, K 1, ... *)
Fixpoint runs n : ('I_n -> test -> test) -> test -> test :=
  if n is n'.+1 then fun P f => P ord0 (runs (fun i => P (lift ord0 i)) f) else fun _ f => f.

Lemma runs_operator n (K : 'I_n -> test -> test) : (forall i, operator (K i)) -> operator (runs K).
Proof.
elim: n K => [|n IH] K oK; first by split.
have [okr linr mor] := IH _ (fun i => oK (lift ord0 i)); have [okK linK moK] := oK ord0; split=> [f okf|c f g c0 okf okg|f g okf okg le] /=.
- exact/okK/okr.
- by rewrite linr // linK //; exact: okr.
- by apply: moK; [exact: okr | exact: okr | exact: mor].
Qed.

Lemma ok_runs n (K : 'I_n -> test -> test) f : (forall i, operator (K i)) -> ok f -> ok (runs K f).
Proof. by move=> /runs_operator[okr _ _]; exact: okr. Qed.

Lemma runs_eq n (K L : 'I_n -> test -> test) f : K =1 L -> runs K f = runs L f.
Proof. by move=> KL; congr runs; apply/funext. Qed.

Lemma runs_le n (K L : 'I_n -> test -> test) f x : (forall i, operator (K i)) -> (forall i, operator (L i)) ->
  (forall i g y, ok g -> K i g y <= L i g y) -> ok f -> runs K f x <= runs L f x.
Proof.
move=> oK oL KL okf; elim: n K L oK oL KL x => [//|n IH] K L oK oL KL x /=.
have okK := ok_runs (fun i => oK (lift ord0 i)) okf; apply: le_trans (KL _ _ _ okK) _.
have [_ _ mo] := oL ord0; apply: mo => // [|y]; first exact: ok_runs.
by apply: IH => // i; exact: KL.
Qed.

Lemma runs_le1 n (K : 'I_n -> test -> test) f x : (forall i, operator (K i)) -> (forall i y, K i (fun=> 1) y <= 1) ->
  ok f -> (forall y, f y <= 1) -> runs K f x <= 1.
Proof.
move=> oK K1 okf f1; elim: n K oK K1 x => [//|n IH] K oK K1 x /=.
apply: le_trans (K1 ord0 x); have [_ _ mo] := oK ord0; apply: mo => [||y]; [exact: ok_runs | exact: okc | exact: IH].
Qed.

Lemma runs_close n (K L : 'I_n -> test -> test) (d : 'I_n -> R) M f x : (forall i, operator (K i)) -> (forall i, operator (L i)) ->
  1 <= M -> (forall i, 0 <= d i) -> (forall i y, K i (fun=> 1) y <= M) -> (forall i y, L i (fun=> 1) y <= 1) ->
  (forall i g y, ok g -> (forall y, g y <= 1) -> K i g y <= L i g y + d i) -> ok f -> (forall y, f y <= 1) ->
  runs K f x <= runs L f x + M ^+ n * \sum_i d i.
Proof.
move=> oK oL M1 d0 KM L1 KL okf f1; have M0 : 0 <= M by apply: le_trans M1.
elim: n K L d oK oL d0 KM L1 KL x => [|n IH] K L d oK oL d0 KM L1 KL x; first by rewrite big_ord0 mulr0 addr0.
pose E := M ^+ n * \sum_i d (lift ord0 i); have E0 : 0 <= E by rewrite mulr_ge0 ?exprn_ge0 ?sumr_ge0.
pose h := runs (fun i => L (lift ord0 i)) f; have okh : ok h by exact: ok_runs.
have ok1 : ok (fun=> 1) by exact: okc.
have [okK linK moK] := oK ord0.
have step : K ord0 (runs (fun i => K (lift ord0 i)) f) x <= E * K ord0 (fun=> 1) x + K ord0 h x.
  rewrite -[leRHS](congr1 (@^~ x) (linK E _ _ E0 ok1 okh)); apply: moK => [||y]; [exact: ok_runs | exact: okD |].
  by rewrite mulr1 addrC; exact: (IH _ _ _ (fun i => oK _) (fun i => oL _) (fun i => d0 _) (fun i => KM _) (fun i => L1 _) (fun i => KL _)).
apply: le_trans step _; rewrite /= -/h; have h1 y : h y <= 1 by exact: (runs_le1 _ (fun i => oL _) (fun i => L1 _)).
apply: le_trans (lerD (ler_wpM2l E0 (KM ord0 x)) (KL _ _ _ okh h1)) _.
rewrite addrCA lerD2l big_ord_recl mulrDr addrC; apply: lerD; first by rewrite ler_peMl ?exprn_ege1.
by rewrite /E exprS mulrC mulrA.
Qed.

(* Labels, one for each step. *)
Lemma sum_labels (L : finType) n (F : {ffun 'I_n.+1 -> L} -> R) :
  \sum_m F m = \sum_l \sum_(m : {ffun 'I_n -> L}) F [ffun i => if unlift ord0 i is Some j then m j else l].
Proof.
rewrite pair_big (reindex (fun p : L * {ffun 'I_n -> L} => [ffun i => if unlift ord0 i is Some j then p.2 j else p.1])) //=.
exists (fun m : {ffun 'I_n.+1 -> L} => (m ord0, [ffun i => m (lift ord0 i)])) => [[l m] _|m _].
  by rewrite ffunE unlift_none; congr (_, _); apply/ffunP => i; rewrite !ffunE liftK.
by apply/ffunP => i; rewrite !ffunE; case: unliftP => [j ->|->] //; rewrite ffunE.
Qed.

Lemma runs_expand (L : finType) n (w : 'I_n -> L -> R) (K : 'I_n -> L -> test -> test) (P : 'I_n -> test -> test) f x :
  (forall i l, 0 <= w i l) -> (forall i l, operator (K i l)) ->
  (forall i g, ok g -> P i g = fun y => \sum_l w i l * K i l g y) -> ok f ->
  runs P f x = \sum_(m : {ffun 'I_n -> L}) (\prod_i w i (m i)) * runs (fun i => K i (m i)) f x.
Proof.
move=> w0 oK PE okf; elim: n w K P w0 oK PE x => [|n IH] w K P w0 oK PE x.
  have no (i : 'I_0) : L by case: i.
  rewrite (big_pred1 [ffun i => no i]) => [|m]; first by rewrite big_ord0 mul1r.
  by apply/esym/eqP/ffunP; case.
have okm m : ok (runs (fun i => K (lift ord0 i) (m i)) f) by exact: ok_runs.
have -> : runs P f x = P ord0 (fun y => \sum_(m : {ffun 'I_n -> L}) (\prod_i w (lift ord0 i) (m i)) *
    runs (fun i => K (lift ord0 i) (m i)) f y) x.
  rewrite /=; congr (P ord0 _ x); apply/funext => y.
  exact: (IH (fun i => w (lift ord0 i)) (fun i => K (lift ord0 i)) _ (fun i => w0 _) (fun i => oK _) (fun i => PE _)).
rewrite PE; last by apply: ok_sum => // m; rewrite prodr_ge0.
rewrite sum_labels; apply: eq_bigr => l _; rewrite operator_sum //; last by move=> m; rewrite prodr_ge0.
rewrite mulr_sumr; apply: eq_bigr => m _; rewrite big_ord_recl ffunE unlift_none mulrA /=; congr (_ * _ * _).
  by apply: eq_bigr => i _; rewrite ffunE liftK.
by rewrite ffunE unlift_none; congr (K ord0 l _ x); apply: runs_eq => i; rewrite ffunE liftK.
Qed.

(* A uniform order. *)
Definition shuffled n (P : 'I_n -> 'I_n -> test -> test) f x : R := n`!%:R^-1 * \sum_(s : 'S_n) runs (fun i => P i (s i)) f x.

Lemma shuffled_const n (c : R) : n`!%:R^-1 * (\sum_(s : 'S_n) c) = c.
Proof.
rewrite sumr_const card_Sn -(mulr_natr c) mulrCA mulVf ?mulr1 //.
by rewrite pnatr_eq0 -lt0n fact_gt0.
Qed.

Lemma shuffled_le n (P Q : 'I_n -> 'I_n -> test -> test) f x c :
  (forall s : 'S_n, runs (fun i => P i (s i)) f x <= runs (fun i => Q i (s i)) f x + c) -> shuffled P f x <= shuffled Q f x + c.
Proof.
move=> le; rewrite -[X in _ + X](shuffled_const n c) -mulrDr -big_split ler_wpM2l ?invr_ge0 ?ler0n //.
exact: ler_sum.
Qed.
End Operators.

Section Labels.
Context (R : realFieldType) (n : nat) (g r : R).
Local Notation label := (option bool).
Local Notation labels := {ffun 'I_n.+1 -> label}.
Implicit Types (m : labels) (t : R) (l : label) (j : 'I_n.+1).

Definition sign l : R := if l is Some b then (if b then 1 else -1) else 0.
Definition share t j l : R := if j == ord0 then (if l is Some _ then (1 + t * sign l) / 2 else 0) else
  (if l is Some _ then g / 2 else r).
Definition weight t m := \prod_j share t j (m j).
Definition named m : R := \sum_j (m j != None)%:R.
Definition lead m := \sum_j sign (m j).
Definition exchange j m : labels := [ffun i => m (tperm ord0 j i)].

Hypotheses (g0 : 0 <= g) (r0 : 0 <= r).

Lemma sign_bounds l : `|sign l| <= (l != None)%:R.
Proof. by case: l => [[]|] /=; rewrite ?normrN ?normr1 ?normr0. Qed.

Lemma share_ge0 t j l : `|t| <= 1 -> 0 <= share t j l.
Proof.
rewrite ler_norml /share => /andP[t0 t1]; case: eqP => _; case: l => [b|] //; last by rewrite divr_ge0.
by case: b => /=; lra.
Qed.

Lemma weight_ge0 t m : `|t| <= 1 -> 0 <= weight t m.
Proof. by move=> t1; apply: prodr_ge0 => j _; exact: share_ge0. Qed.

Lemma weight_lean t m : weight t m = weight 0 m * (1 + t * sign (m ord0)).
Proof.
rewrite /weight (bigD1 ord0) //= [in RHS](bigD1 ord0) //= [X in _ * X = _](eq_bigr (fun j => share 0 j (m j))); last first.
  by move=> j /negPf nj; rewrite /share nj.
rewrite [RHS]mulrAC; congr (_ * _); rewrite /share eqxx; case: (m ord0) => [b|]; last by rewrite mul0r.
by rewrite mul0r addr0; field.
Qed.

Lemma weight_none m : m ord0 = None -> weight 0 m = 0.
Proof. by move=> e; rewrite /weight (bigD1 ord0) //= /share eqxx e mul0r. Qed.

Lemma exchangeK j : involutive (exchange j).
Proof. by move=> m; apply/ffunP => i; rewrite !ffunE tpermK. Qed.

Lemma weight_exchange j m : m ord0 != None -> m j != None -> weight 0 (exchange j m) = weight 0 m.
Proof.
move=> m0 mj; have [->|nj] := eqVneq j ord0; first by congr weight; apply/ffunP => i; rewrite ffunE tperm1 perm1.
rewrite /weight (bigD1 ord0) //= (bigD1 j) //= [in RHS](bigD1 ord0) //= [in RHS](bigD1 j) //= !mulrA; congr (_ * _).
  rewrite !ffunE tpermL tpermR /share eqxx (negPf nj); case: (m ord0) m0 => // a _; case: (m j) mj => // b _.
  by rewrite !mul0r.
by apply: eq_bigr => i /andP[i0 ij]; rewrite ffunE tpermD // eq_sym.
Qed.

Lemma named_exchange j m : named (exchange j m) = named m.
Proof. by rewrite /named [RHS](reindex_perm (tperm ord0 j)); apply: eq_bigr => i _; rewrite ffunE. Qed.

Lemma lead_exchange j m : lead (exchange j m) = lead m.
Proof. by rewrite /lead [RHS](reindex_perm (tperm ord0 j)); apply: eq_bigr => i _; rewrite ffunE. Qed.

Lemma named_gt0 m : m ord0 != None -> 0 < named m.
Proof. by move=> m0; rewrite /named (bigD1 ord0) //= m0 ltr_pwDl ?ltr01 // sumr_ge0. Qed.

Lemma lead_bounds m : `|lead m| <= named m.
Proof. by apply: le_trans (ler_norm_sum _ _ _) _; apply: ler_sum => j _; exact: sign_bounds. Qed.

(* What does not see an exchange of two labels that are not none sees the mean of the labels in place of that of record 0. *)
Lemma sum_exchange (G : labels -> R) : (forall j m, m ord0 != None -> m j != None -> G (exchange j m) = G m) ->
  \sum_m weight 0 m * sign (m ord0) * G m = \sum_m weight 0 m * (lead m / named m) * G m.
Proof.
move=> GE.
have at_j j : \sum_m weight 0 m * (sign (m j) / named m) * G m =
    \sum_m weight 0 m * (sign (m ord0) * (m j != None)%:R / named m) * G m.
  rewrite [LHS](reindex_inj (inv_inj (exchangeK j))); apply: eq_bigr => m _.
  have [m0|m0] := eqVneq (m ord0) None.
    rewrite [weight 0 m]weight_none // !mul0r ffunE tpermR m0 /= mul0r mulr0 mul0r //.
  rewrite named_exchange ffunE tpermR; have [mj|mj] := eqVneq (m j) None.
    by rewrite [weight 0 (exchange j m)]weight_none ?ffunE ?tpermL // mulr0 !mul0r mulr0 mul0r.
  by rewrite weight_exchange // GE // mulr1.
transitivity (\sum_m \sum_j weight 0 m * (sign (m ord0) * (m j != None)%:R / named m) * G m).
  apply: eq_bigr => m _; rewrite -mulr_suml -mulr_sumr -mulr_suml -mulr_sumr -/(named m).
  have [m0|m0] := eqVneq (m ord0) None; first by rewrite weight_none // !mul0r.
  by rewrite mulfK // gt_eqF // named_gt0.
rewrite exchange_big /= -(eq_bigr _ (fun j _ => at_j j)) exchange_big; apply: eq_bigr => m _.
by rewrite -mulr_suml -mulr_sumr -mulr_suml.
Qed.

(* Two data sets whose records 0 lean by t to true and to false. *)
Lemma sum_lean (G : labels -> R) t : (forall j m, m ord0 != None -> m j != None -> G (exchange j m) = G m) ->
  \sum_m weight t m * G m = \sum_m weight 0 m * (1 + t * (lead m / named m)) * G m.
Proof.
move=> GE; rewrite (eq_bigr (fun m => weight 0 m * G m + t * (weight 0 m * sign (m ord0) * G m))) => [|m _]; last first.
  by rewrite weight_lean; ring.
rewrite big_split /= -mulr_sumr sum_exchange // mulr_sumr -big_split; apply: eq_bigr => m _ /=; ring.
Qed.

Theorem labels_decide (G : labels -> R) t T a : 0 <= t <= 1 -> 1 + t * T <= a * (1 - t * T) -> 0 <= a ->
  (forall m, 0 <= G m <= 1) -> (forall j m, m ord0 != None -> m j != None -> G (exchange j m) = G m) ->
  \sum_m weight t m * G m <= a * (\sum_m weight (- t) m * G m) + \sum_(m | T * named m < lead m) weight t m.
Proof.
move=> /andP[t0 t1] aT a0 G01 GE; have w0 m : 0 <= weight 0 m by apply: weight_ge0; rewrite normr0 ler01.
have -> : \sum_(m | T * named m < lead m) weight t m =
    \sum_m weight 0 m * (1 + t * (lead m / named m)) * (T * named m < lead m)%R%:R.
  rewrite -sum_lean => [|j m _ _]; last by rewrite named_exchange lead_exchange.
  by rewrite big_mkcond; apply: eq_bigr => m _; case: ifP => _; rewrite ?mulr1 ?mulr0.
rewrite !sum_lean // mulr_sumr -big_split; apply: ler_sum => m _ /=.
have [m0|m0] := eqVneq (m ord0) None; first by rewrite weight_none // !mul0r mulr0 addr0.
have N0 := named_gt0 m0; set tau := lead m / named m.
have tau_T : (T * named m < lead m) = (T < tau) by rewrite /tau ltr_pdivlMr.
have tau1 : `|tau| <= 1 by rewrite /tau normrM normfV [`|named m|]gtr0_norm // ler_pdivrMr // mul1r lead_bounds.
have /andP[G0 G1] := G01 m; rewrite tau_T; move: tau1; rewrite ler_norml => /andP[lo up].
have ta : t * tau <= 1 by apply: le_trans (ler_wpM2l t0 up) _; rewrite mulr1.
have at' : - 1 <= t * tau by rewrite lerNl -mulrN; apply: le_trans (ler_wpM2l t0 _) _; [rewrite lerNl; exact: lo | rewrite mulr1].
have plus : 0 <= 1 + t * tau by rewrite -lerBlDl sub0r.
have minus : 0 <= 1 - t * tau by rewrite subr_ge0.
suff h : (1 + t * tau) * G m <= a * ((1 - t * tau) * G m) + (1 + t * tau) * (T < tau)%R%:R.
  rewrite mulNr -!mulrA; apply: le_trans (ler_wpM2l (w0 m) h) _.
  by rewrite mulrDr [X in X + _]mulrCA.
case: (ltP T tau) => /= h.
  rewrite mulr1; apply: le_trans (_ : 1 + t * tau <= _); first by rewrite ler_piMr.
  by rewrite lerDr !mulr_ge0.
rewrite mulr0 addr0 mulrA ler_wpM2r //; apply: le_trans (_ : 1 + t * T <= _); first by rewrite lerD2l ler_wpM2l.
by apply: le_trans aT _; rewrite ler_wpM2l // lerD2l lerN2 ler_wpM2l.
Qed.
End Labels.

(* Releases with hidden labels, in a hidden order. *)
Section Shuffle.
Context (R : realFieldType) (T : Type) (ok : (T -> R) -> Prop) (ok_cone : cone ok) (n : nat) (g r : R).
Local Notation op := ((T -> R) -> T -> R).
Local Notation label := (option bool).
Variables (U : 'I_n.+1 -> bool -> op) (O : 'I_n.+1 -> 'I_n.+1 -> op).
Hypotheses (g0 : 0 <= g) (r0 : 0 <= r).
Hypotheses (oU : forall i b, operator ok (U i b)) (oO : forall i j, operator ok (O i j)).
Hypotheses (U1 : forall i b x, U i b (fun=> 1) x <= 1) (O1 : forall i j x, O i j (fun=> 1) x <= 1).
Implicit Types (t : R) (m : {ffun 'I_n.+1 -> label}) (f : T -> R).

Definition release_of i j (l : label) : op := if l is Some b then U i b else O i j.
Definition leaning t i j : op := fun f x => \sum_l share g r t j l * release_of i j l f x.
Definition labelled m f x : R := n.+1`!%:R^-1 * \sum_(s : 'S_n.+1) runs (fun i => release_of i (s i) (m (s i))) f x.

Lemma operator_labelled i j l : operator ok (release_of i j l). Proof. by case: l => [b|]; [exact: oU | exact: oO]. Qed.

Lemma labelled1 i j l x : release_of i j l (fun=> 1) x <= 1. Proof. by case: l => [b|]; [exact: U1 | exact: O1]. Qed.

Lemma operator_leaning t i j : `|t| <= 1 -> operator ok (leaning t i j).
Proof. by move=> t1; apply: operator_mixed => // l; [exact: share_ge0 | exact: operator_labelled]. Qed.

Lemma leaning_mass t i j x : `|t| <= 1 -> leaning t i j (fun=> 1) x <= if j == ord0 then 1 else g + r.
Proof.
move=> t1; apply: (@le_trans _ _ (\sum_l share g r t j l)).
  by apply: ler_sum => l _; rewrite ler_piMr ?share_ge0 // labelled1.
rewrite (bigD1 None) //= (bigD1 (Some true)) //= (bigD1 (Some false)) //= big1 ?addr0 => [|[[]|] //].
by rewrite /share /=; case: eqP => _; lra.
Qed.

Lemma labelled_bounds m f x : ok f -> (forall y, f y <= 1) -> 0 <= labelled m f x <= 1.
Proof.
move=> okf f1; have o s i : operator ok (release_of i (s i) (m (s i))) by exact: operator_labelled.
apply/andP; split.
  rewrite mulr_ge0 ?invr_ge0 ?ler0n // sumr_ge0 // => s _.
  by case: ok_cone => ge0 _ _; apply: ge0; exact: ok_runs.
rewrite -[leRHS](shuffled_const n.+1 1) ler_wpM2l ?invr_ge0 ?ler0n //; apply: ler_sum => s _.
by apply: (runs_le1 ok_cone) => // i y; exact: labelled1.
Qed.

Lemma labelled_exchange j m f x : m ord0 != None -> m j != None -> labelled (exchange j m) f x = labelled m f x.
Proof.
move=> m0 mj; congr (_ * _); rewrite [RHS](reindex_inj (mulIg (tperm ord0 j))); apply: eq_bigr => s _.
congr (runs _ f x); apply/funext => i; rewrite permM ffunE; set a := s i.
have [e|ne0] := eqVneq a ord0; first by rewrite e tpermL; case: (m j) mj.
have [e|nej] := eqVneq a j; first by rewrite e tpermR; case: (m ord0) m0.
by rewrite tpermD // eq_sym.
Qed.

Lemma shuffled_labels t f x : `|t| <= 1 -> ok f -> shuffled (leaning t) f x = \sum_m weight g r t m * labelled m f x.
Proof.
move=> t1 okf; rewrite /shuffled /labelled (eq_bigr (fun s : 'S_n.+1 => \sum_m weight g r t m *
    runs (fun i => release_of i (s i) (m (s i))) f x)) => [|s _]; last first.
  rewrite (runs_expand ok_cone (w := fun i l => share g r t (s i) l) (K := fun i l => release_of i (s i) l)) //; first last.
  - by move=> i l; exact: operator_labelled.
  - by move=> i l; exact: share_ge0.
  rewrite (reindex (fun m : {ffun 'I_n.+1 -> label} => [ffun i => m (s i)])); last first.
    exists (fun m : {ffun 'I_n.+1 -> label} => [ffun i => m ((s^-1)%g i)]) => m _; apply/ffunP => i.
      by rewrite !ffunE permKV.
    by rewrite !ffunE permK.
  apply: eq_bigr => m _; congr (_ * _); last by congr (runs _ f x); apply/funext => i; rewrite ffunE.
  by rewrite /weight [RHS](reindex_perm s); apply: eq_bigr => i _; rewrite ffunE.
rewrite exchange_big mulr_sumr; apply: eq_bigr => m _ /=.
by rewrite -mulr_sumr mulrCA.
Qed.

Theorem shuffled_lean t S a f x : 0 <= t <= 1 -> 1 + t * S <= a * (1 - t * S) -> 0 <= a -> ok f -> (forall y, f y <= 1) ->
  shuffled (leaning t) f x <= a * shuffled (leaning (- t)) f x + \sum_(m : {ffun 'I_n.+1 -> label} | S * named R m < lead R m) weight g r t m.
Proof.
move=> t01 aS a0 okf f1; have /andP[t0 t1] := t01; rewrite !shuffled_labels ?normrN ?ger0_norm //.
by apply: labels_decide => // [m|j m m0 mj]; [exact: labelled_bounds | exact: labelled_exchange].
Qed.

(* Releases that are close to such ones: those of record 0 up to d, the others up to k. *)
Theorem shuffled_close (P0 P1 : 'I_n.+1 -> op) (P : 'I_n.+1 -> 'I_n.+1 -> op) t S a M d k f x :
  (forall i, operator ok (P0 i)) -> (forall i, operator ok (P1 i)) -> (forall i j, operator ok (P i j)) ->
  (forall i y, P0 i (fun=> 1) y <= 1) -> (forall i y, P1 i (fun=> 1) y <= 1) -> (forall i j y, P i j (fun=> 1) y <= 1) ->
  0 <= t <= 1 -> 1 + t * S <= a * (1 - t * S) -> 0 <= a -> 1 <= M -> g + r <= M -> 0 <= d -> 0 <= k ->
  (forall i h y, ok h -> (forall y, h y <= 1) -> P0 i h y <= leaning t i ord0 h y + d) ->
  (forall i h y, ok h -> leaning (- t) i ord0 h y <= P1 i h y) ->
  (forall i j h y, j != ord0 -> ok h -> P i j h y <= leaning t i j h y) ->
  (forall i j h y, j != ord0 -> ok h -> (forall y, h y <= 1) -> leaning (- t) i j h y <= P i j h y + k) ->
  ok f -> (forall y, f y <= 1) ->
  shuffled (fun i j => if j == ord0 then P0 i else P i j) f x <=
    a * shuffled (fun i j => if j == ord0 then P1 i else P i j) f x +
    (\sum_(m : {ffun 'I_n.+1 -> label} | S * named R m < lead R m) weight g r t m + d + a * (M ^+ n.+1 * (k *+ n))).
Proof.
move=> oP0 oP1 oP P01 P11 P1' t01 aS a0 M1 grM d0 k0 close0 close1 up down okf f1.
have /andP[t0 t1] := t01; have nt : `|t| <= 1 by rewrite ger0_norm.
have nt' : `|- t| <= 1 by rewrite normrN.
have one (s : 'S_n.+1) (c : R) : \sum_i (if s i == ord0 then c else 0) = c.
  transitivity (\sum_(i < n.+1) (if i == ord0 then c else 0)); first by rewrite [RHS](reindex_perm s).
  by rewrite big_ord_recl eqxx big1 ?addr0.
have rest (s : 'S_n.+1) (c : R) : \sum_i (if s i == ord0 then 0 else c) = c *+ n.
  transitivity (\sum_(i < n.+1) (if i == ord0 then 0 else c)); first by rewrite [RHS](reindex_perm s).
  by rewrite big_ord_recl eqxx add0r (eq_bigr (fun=> c)) ?sumr_const ?card_ord // => i _; rewrite eq_sym.
have first : shuffled (fun i j => if j == ord0 then P0 i else P i j) f x <= shuffled (leaning t) f x + d.
  apply: shuffled_le => s; pose V i := if s i == ord0 then leaning t i ord0 else P i (s i).
  have oV i : operator ok (V i) by rewrite /V; case: ifP => _ //; exact: operator_leaning.
  apply: (@le_trans _ _ (runs V f x + d)).
    have := @runs_close R T ok ok_cone n.+1 (fun i => if s i == ord0 then P0 i else P i (s i)) V
      (fun i => if s i == ord0 then d else 0) 1 f x; rewrite expr1n mul1r one; apply=> //.
    - by move=> i; case: ifP.
    - by move=> i; case: ifP.
    - by move=> i y; case: ifP.
    - by move=> i y; rewrite /V; case: ifP => // _; apply: le_trans (leaning_mass _ _ _ nt) _; rewrite eqxx.
    - by move=> i h y okh h1; rewrite /V; case: ifP => _; [exact: close0 | rewrite addr0].
  rewrite lerD2r; apply: (@runs_le _ _ ok n.+1 V (fun i => leaning t i (s i)) f x oV _ _ okf) => [i|i h y okh].
    exact: operator_leaning.
  rewrite /V; case: ifP => [/eqP ->|/negbT ne] //; exact: up.
have last : shuffled (leaning (- t)) f x <= shuffled (fun i j => if j == ord0 then P1 i else P i j) f x + M ^+ n.+1 * (k *+ n).
  apply: shuffled_le => s; rewrite -(rest s k); apply: (runs_close ok_cone) => //.
  - by move=> i; exact: operator_leaning.
  - by move=> i; case: ifP.
  - by move=> i; case: ifP.
  - by move=> i y; apply: le_trans (leaning_mass _ _ _ nt') _; case: ifP.
  - by move=> i y; case: ifP.
  move=> i h y okh h1; case: ifP => [/eqP ->|/negbT ne]; [rewrite addr0; exact: close1 | exact: down].
have middle := shuffled_lean x t01 aS a0 okf f1.
apply: le_trans first _; apply: le_trans (lerD middle (lexx d)) _.
rewrite -!addrA; apply: le_trans (lerD (ler_wpM2l a0 last) (lexx _)) _.
by rewrite mulrDr -!addrA lerD2l addrC -!addrA.
Qed.
End Shuffle.
