(** GAP-MAX with a default (singhal2021, sections 1.4 and 2): the release of Algorithm 1's line 11 as corrected, and the
    shorter rule with one noise.

    A discrete version. Noise is truncated Laplace on the grid of step 1/g from -A to A, A = N/g: an index y in 0..2N stands
    for xi(y) = (y - N)/g and has mass proportional to r^(-|y - N|). So e^epsilon, for a change of 2, is r^(2 g), and delta is
    tlap_delta r N (2 g), exactly what this noise spends on a shift by 2 (truncated_laplace.v). As g grows
    this is TLap(2, epsilon, delta) of the continuous algorithm to any accuracy. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import zify.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import discrete.
From DPPCA.primitives Require Import truncated_laplace.
From DPPCA.singhal2021 Require Import values.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** * Definitions *)

Section Definitions.
Variables (R : realFieldType) (r : R) (N g : nat).

Definition noise_index := 'I_(0 + 2 * N).+1.
Definition bound : R := N%:R / g%:R.
Definition xi (y : noise_index) : R := (y%:R - N%:R) / g%:R.

(** The law of one noise, and of independent noises, one for each draw. *)
Definition noise_law : noise_index -> R := @tlap R r N 0 0.
Definition noises_law (J : finType) : {ffun J -> noise_index} -> R := product (fun _ => noise_law).

Variable L : eqType.

(** The arg max of a list of (label, number); of equal numbers the first wins. *)
Definition better (e f : option L * R) := if e.2 < f.2 then f else e.
Definition arg_max (e : option L * R) (l : seq (option L * R)) := (foldl better e l).1.

(** Line 11 as corrected: NULL has the value 2 A. Draw j0 is NULL's; [owner s] says which draw belongs to label s. *)
Definition gap_max (J : Type) (j0 : J) (owner : L -> J) floor (u : L -> nat) (c : seq L) (w : J -> noise_index) :=
  arg_max (None, 2%:R * bound + xi (w j0)) [seq (Some s, (value floor u c s)%:R + xi (w (owner s))) | s <- c].

(** The shorter rule: the first candidate of positive value, if its value plus one noise exceeds A; else NULL. *)
Definition gap_threshold floor (u : L -> nat) (c : seq L) (y : noise_index) : option L :=
  if [seq s <- c | (0 < value floor u c s)%N] is s :: _
  then if bound < (value floor u c s)%:R + xi y then Some s else None else None.

End Definitions.

(** Privacy of an output of any type, as a function of the data and of noise of one law, for both directions. *)
Definition private (R : realFieldType) (W : finType) (Data Out : Type) (a d : R) (p : W -> R)
    (near : Data -> Data -> Prop) (run : Data -> W -> Out) :=
  forall X X', near X X' -> forall E : pred Out,
    pr p [set w | E (run X w)] <= a * pr p [set w | E (run X' w)] + d.

(** On a finite type of outputs this is [mechanism_dp] of the law of the output. *)
Lemma private_mechanism_dp (R : realFieldType) (W : finType) Data (Out : finType) a d (p : W -> R) near
    (run : Data -> W -> Out) :
  private a d p near run -> (forall X X', near X X' -> near X' X) ->
  mechanism_dp a d near (fun X => push (run X) p).
Proof.
by move=> H sym X X' nb; split=> B; rewrite !pr_push; apply: (H _ _ _ (mem B)) => //; apply: sym.
Qed.

(** Post-processing by a function of any kind; with public randomness v, drawn without the data, there is one for each v. *)
Lemma private_post_processing (R : realFieldType) (W : finType) Data (Out Out' : Type) a d (p : W -> R) near
    (run : Data -> W -> Out) (f : Out -> Out') :
  private a d p near run -> private a d p near (fun X w => f (run X w)).
Proof. by move=> H X X' nb E; apply: (H X X' nb (fun o => E (f o))). Qed.

Lemma private_public (R : realFieldType) (V W : finType) Data Out a d (q : V -> R) (p : W -> R) near
    (run : V -> Data -> W -> Out) :
  law q -> (forall v, private a d p near (run v)) ->
  private a d (joint q (fun _ => p)) near (fun X vw => (vw.1, run vw.1 X vw.2)).
Proof.
move=> lq H X X' nb E.
have e Y : pr (joint q (fun _ => p)) [set vw | E (vw.1, run vw.1 Y vw.2)] =
           \sum_v q v * pr p [set w | E (v, run v Y w)].
  rewrite /pr /joint big_mkcond /=.
  under [RHS]eq_bigr do rewrite mulr_sumr big_mkcond.
  by rewrite pair_big /=; apply: eq_bigr => [[v w]] _; rewrite !inE.
rewrite !e mulr_sumr -[d]mul1r -(law_sum lq) mulr_suml -big_split /=.
by apply: ler_sum => v _; rewrite mulrCA -mulrDr; apply: ler_wpM2l; [apply: law_ge0|apply: (H v X X' nb (fun o => E (v, o)))].
Qed.

(** * Two of many independent noises *)

Lemma pr_two (R : realFieldType) (J T : finType) (p : T -> R) (j0 j1 : J) (E : T -> T -> bool) : law p -> j0 != j1 ->
  pr (product (fun _ => p)) [set w : {ffun J -> T} | E (w j0) (w j1)] = \sum_x p x * pr p [set y | E x y].
Proof.
move=> lp ne; rewrite /pr (partition_big (fun w : {ffun J -> T} => (w j0, w j1)) (fun xy => E xy.1 xy.2)) /=; last first.
  by move=> w; rewrite inE.
under [RHS]eq_bigr do rewrite mulr_sumr.
rewrite [RHS]pair_big_dep /=; apply: eq_big => [[x y]|[x y] Exy] /=; first by rewrite inE.
pose Q j := if j == j0 then pred1 x else if j == j1 then pred1 y else predT.
have -> : p x * p y = \prod_j \sum_(z | Q j z) p z.
  rewrite (bigD1 j0) //= (bigD1 j1) /=; last by rewrite eq_sym.
  rewrite /Q eqxx eq_sym (negbTE ne) eqxx !big_pred1_eq big1 ?mulr1 // => j /andP[/negbTE -> /negbTE ->].
  exact: law_sum.
rewrite bigA_distr_big_dep /=; apply: eq_bigl => w; rewrite inE.
apply/andP/familyP => [[_ /eqP[e0 e1]] j|fam].
  rewrite /Q; case: (eqVneq j j0) => [->|_]; first by rewrite inE e0.
  by case: (eqVneq j j1) => [->|_]; rewrite inE ?e1.
have := fam j0; have := fam j1; rewrite /Q eqxx eq_sym (negbTE ne) eqxx !inE => /eqP -> /eqP ->.
by rewrite Exy eqxx.
Qed.

(** * The noise *)

Section Grid.
Variables (R : realFieldType) (N g : nat).
Hypothesis g_gt0 : (0 < g)%N.
Local Notation A := (bound R N g).

Lemma gR : 0 < g%:R :> R. Proof. by rewrite ltr0n. Qed.

Lemma xi_le (y : noise_index N) : xi R g y <= A.
Proof.
rewrite ler_pM2r ?invr_gt0 ?gR // lerBlDr -natrD ler_nat.
by have := ltn_ord y; rewrite -ltnS; lia.
Qed.

Lemma xi_ge (y : noise_index N) : - A <= xi R g y.
Proof. by rewrite -mulNr ler_pM2r ?invr_gt0 ?gR // lerBrDr addNr ler0n. Qed.

(** A comparison of rational numbers is one of integers: the value v beats NULL. *)
Lemma beats_null v (x y : noise_index N) : (2%:R * A + xi R g x < v%:R + xi R g y) = (2 * N + x < g * v + y)%N.
Proof.
have g0 := lt0r_neq0 gR.
have -> : 2%:R * A + xi R g x = ((2 * N + x)%:R - N%:R) / g%:R by rewrite /A /xi natrD natrM; field.
have -> : v%:R + xi R g y = ((g * v + y)%:R - N%:R) / g%:R by rewrite /xi natrD natrM; field.
by rewrite ltr_pM2r ?invr_gt0 ?gR // ltrD2r ltr_nat.
Qed.

Lemma exceeds_bound v (y : noise_index N) : (A < v%:R + xi R g y) = (2 * N < g * v + y)%N.
Proof.
have g0 := lt0r_neq0 gR.
have -> : A = ((2 * N)%:R - N%:R) / g%:R by rewrite /A natrM; field.
have -> : v%:R + xi R g y = ((g * v + y)%:R - N%:R) / g%:R by rewrite /xi natrD natrM; field.
by rewrite ltr_pM2r ?invr_gt0 ?gR // ltrD2r ltr_nat.
Qed.

End Grid.

Section Noise.
Variables (R : realFieldType) (r : R) (N : nat).
Hypothesis r_gt1 : 1 < r.
Local Notation noise := (noise_law r (N := N)).

Lemma law_noise : law noise.
Proof. exact: law_tlap. Qed.

(** The law of v + noise is tlap, so a shift of v by s steps of the grid costs r^s and tlap_delta s. *)
Lemma noise_shift (v v' s : nat) (E : pred nat) : (absdiff v v' <= s)%N -> (s <= N)%N ->
  pr noise [set y : noise_index N | E (v + y)%N] <= r ^+ s * pr noise [set y : noise_index N | E (v' + y)%N] + tlap_delta r N s.
Proof.
move=> vs sN; set V := maxn v v'.
have e x : (x <= V)%N -> pr noise [set y : noise_index N | E (x + y)%N] = pr (@tlap _ r N V x) [set z : 'I_(V + 2 * N).+1 | E z].
  move=> xV; rewrite /pr.
  under eq_bigl do rewrite inE; under [RHS]eq_bigl do rewrite inE.
  rewrite (sum_tlap N r_gt1 (fun y => E (x + y)%N)) // (sum_tlap N r_gt1 E) //; congr (_ / _).
  rewrite -{2}[x]add0n big_addn; have -> : (x + 2 * N + 1 - x = 0 + 2 * N + 1)%N by lia.
  apply: eq_big => [y|y _]; first by rewrite addnC.
  by congr (weight _ _); rewrite /absdiff; lia.
have [vV v'V] : (v <= V)%N /\ (v' <= V)%N by rewrite leq_maxl leq_maxr.
rewrite !e //; apply: (dp_monotone (a := r ^+ absdiff v v') (d := tlap_delta r N (absdiff v v'))).
- exact: law_tlap.
- by apply: ler_weXn2l => //; apply: ltW.
- exact: tlap_delta_le.
- by apply/tlap_dp => //; lia.
Qed.

End Noise.

(** * The arg max *)

Section ArgMax.
Variables (R : realFieldType) (L : eqType).
Implicit Types (b e f m : option L * R) (l : seq (option L * R)).

Lemma arg_max_is_largest b l : let e := foldl (@better R L) b l in
  e \in b :: l /\ forall f, f \in b :: l -> f.2 <= e.2.
Proof.
elim: l b => [|f l IH] b /=; first by split=> [|e]; rewrite inE // => /eqP ->.
have [mem top] := IH (better b f); split.
  by move: mem; rewrite /better !inE; case: ifP => _ /orP[->|->]; rewrite ?orbT.
have big e : e.2 <= (better b f).2 -> e.2 <= (foldl (@better R L) (better b f) l).2.
  by move=> h; apply: le_trans h (top _ (mem_head _ _)).
move=> e; rewrite !inE => /or3P[/eqP ->|/eqP ->|el]; last by apply: top; rewrite inE el orbT.
  by apply: big; rewrite /better; case: ifP => // /ltW.
by apply: big; rewrite /better; case: (ltP b.2 f.2).
Qed.

Lemma arg_max_default b l : (forall e, e \in l -> e.2 <= b.2) -> arg_max b l = b.1.
Proof.
rewrite /arg_max; elim: l => // e l IH low /=.
have -> : better b e = b by rewrite /better ltNge low ?mem_head.
by apply: IH => f fl; apply: low; rewrite inE fl orbT.
Qed.

Lemma arg_max_winner b l m : m \in l -> b.2 < m.2 -> (forall e, e \in l -> e.1 != m.1 -> e.2 < m.2) ->
  arg_max b l = m.1.
Proof.
move=> ml bm low; have [mem top] := arg_max_is_largest b l; rewrite /arg_max.
have le : m.2 <= (foldl (@better R L) b l).2 by apply: top; rewrite inE ml orbT.
move: mem; rewrite inE => /orP[/eqP e|el]; first by move: le; rewrite e leNgt bm.
by apply/eqP; apply: contraTT le => ne; rewrite -ltNge low.
Qed.

End ArgMax.

(** * What the two rules come to *)

Section Outcome.
Variables (R : realFieldType) (N g : nat) (L : eqType) (J : finType) (j0 : J) (labels : pred L) (floor : nat).
Local Notation draws := {ffun J -> noise_index N}.
Implicit Types (u : L -> nat) (c : seq L) (owner : L -> J).

Lemma positive_listed u c t : (0 < value floor u c t)%N -> t \in c.
Proof. by rewrite /value; case: ifP. Qed.

(** On two neighbours, one and the same label s (or none) is the only one that can have a positive value. *)
Lemma common_label u u' c c' : close_scores labels u u' -> complete labels floor u c -> complete labels floor u' c' ->
  exists2 s : option L, (forall t, (0 < value floor u c t)%N -> Some t = s) &
    (forall t, (0 < value floor u' c' t)%N -> Some t = s).
Proof.
move=> near C C'; case: (boolP (has (fun s => 0 < value floor u c s)%N c)) => [/hasP[s _ ps]|none].
  exists (Some s) => t pt; congr Some; first exact: positive_value_unique C pt ps.
  exact (esym (positive_value_same near C C' ps pt)).
case: (boolP (has (fun s => 0 < value floor u' c' s)%N c')) => [/hasP[s _ ps]|none'].
  exists (Some s) => t pt; congr Some; last exact: positive_value_unique C' pt ps.
  exact (positive_value_same near C C' pt ps).
exists None => t pt.
  by move/hasPn: none => /(_ t (positive_listed pt)); rewrite pt.
by move/hasPn: none' => /(_ t (positive_listed pt)); rewrite pt.
Qed.

Lemma grid_change u u' c c' s : close_scores labels u u' -> complete labels floor u c -> complete labels floor u' c' ->
  (absdiff (g * value floor u c s) (g * value floor u' c' s) <= 2 * g)%N.
Proof.
move=> near C C'; have near' : close_scores labels u' u by move=> t /near[].
have := value_change near C C' s; have := value_change near' C' C s; rewrite /absdiff -!mulnBr; nia.
Qed.

Definition not_null owner := forall s, owner s != j0.

Hypothesis g_gt0 : (0 < g)%N.

(** What line 11 comes to: only NULL and the label of positive value can win. *)
Lemma gap_max_outcome owner u c s (w : draws) : complete labels floor u c ->
  (forall t, (0 < value floor u c t)%N -> t = s) ->
  gap_max R g j0 owner floor u c w = if (2 * N + w j0 < g * value floor u c s + w (owner s))%N then Some s else None.
Proof.
move=> C only; have w_le j : (w j <= 2 * N)%N by have := ltn_ord (w j); rewrite -ltnS; lia.
have zero t : t != s -> value floor u c t = 0%N.
  by move=> ts; apply/eqP; rewrite -leqn0 leqNgt; apply: contra ts => /only ->.
case: ifP => win; rewrite /gap_max.
  have pos : (0 < value floor u c s)%N.
    by rewrite lt0n; apply: contraTneq win => ->; have := w_le (owner s); lia.
  have sc : s \in c by move: pos; rewrite /value; case: ifP.
  apply: (arg_max_winner (m := (Some s, (value floor u c s)%:R + xi R g (w (owner s))))).
  - exact: (map_f (fun s => (Some s, (value floor u c s)%:R + xi R g (w (owner s))))).
  - by rewrite /= beats_null.
  - move=> _ /mapP[t tc ->] /= ts; have {}ts : t != s by apply: contra ts => /eqP ->.
    rewrite zero // add0r; apply: le_lt_trans (xi_le R g_gt0 (w (owner t))) _.
    apply: le_lt_trans (_ : _ <= 2%:R * bound R N g + xi R g (w j0)) _; last by rewrite beats_null.
    by rewrite mulr_natl mulr2n -addrA lerDl -lerBlDl sub0r; apply: xi_ge.
apply: arg_max_default => _ /mapP[t tc ->] /=; rewrite leNgt beats_null //; apply/negP => win'.
case: (eqVneq t s) => [ts|/zero z]; first by rewrite ts win in win'.
by move: win'; rewrite z; have := w_le (owner t); lia.
Qed.

Lemma gap_max_default owner u c (w : draws) :
  (forall t, value floor u c t = 0%N) -> gap_max R g j0 owner floor u c w = None.
Proof.
move=> zero; apply: arg_max_default => _ /mapP[t tc ->] /=; rewrite zero leNgt beats_null // muln0.
by apply/negP => win; have := ltn_ord (w (owner t)); lia.
Qed.

(** What is shown leads the floor and every other label by at least 2. *)
Lemma gap_max_leads owner u c s (w : draws) : complete labels floor u c -> gap_max R g j0 owner floor u c w = Some s ->
  [/\ s \in c, (floor + 2 <= u s)%N & forall t, labels t -> t != s -> (u t + 2 <= u s)%N].
Proof.
move=> C; case: (boolP (has (fun t => 0 < value floor u c t)%N c)) => [/hasP[s1 _ p1]|none].
  have only t : (0 < value floor u c t)%N -> t = s1 by move=> pt; apply: positive_value_unique C pt p1.
  rewrite (gap_max_outcome owner w C only); case: ifP => // _ [<-]; have sc := positive_listed p1.
  by have [_ sub _] := C; have [] := (value_above 0 C (sub _ sc)).1 p1.
rewrite gap_max_default // => t; apply/eqP; rewrite -leqn0 leqNgt; apply/negP => pt.
by move/hasPn: none => /(_ t (positive_listed pt)); rewrite pt.
Qed.

Lemma gap_threshold_outcome u c s (y : noise_index N) : (forall t, (0 < value floor u c t)%N -> t = s) ->
  gap_threshold R g floor u c y = if (2 * N < g * value floor u c s + y)%N then Some s else None.
Proof.
move=> only; rewrite /gap_threshold; case e: [seq t <- c | _] => [|t l]; last first.
  have : t \in t :: l by apply: mem_head.
  by rewrite -e mem_filter => /andP[/only -> _]; rewrite exceeds_bound.
case: ifP => // win; have : s \in [seq t <- c | (0 < value floor u c t)%N]; last by rewrite e.
have pos : (0 < value floor u c s)%N by rewrite lt0n; apply: contraTneq win => ->; have := ltn_ord y; lia.
by rewrite mem_filter pos (positive_listed pos).
Qed.

End Outcome.

(** * Privacy *)

Section Privacy.
Variables (R : realFieldType) (r : R) (N g : nat) (L : eqType) (J : finType) (j0 : J) (labels : pred L) (floor : nat).
Hypotheses (r_gt1 : 1 < r) (g_gt0 : (0 < g)%N) (reach : (2 * g <= N)%N).
Local Notation noise := (noise_law r (N := N)).
Local Notation draws := {ffun J -> noise_index N}.
Local Notation noises := (noises_law r (N := N) (J := J)).
Implicit Types (u : L -> nat) (c : seq L) (owner : L -> J).

(** The law of the output: NULL's noise x, and one noise for the only label that can have a positive value. *)
Lemma gap_max_law owner u c s (E : pred (option L)) : not_null j0 owner -> complete labels floor u c ->
  (forall t, (0 < value floor u c t)%N -> t = s) ->
  pr noises [set w : draws | E (gap_max R g j0 owner floor u c w)] =
  \sum_x noise x * pr noise [set y : noise_index N | E (if (2 * N + x < g * value floor u c s + y)%N then Some s else None)].
Proof.
move=> nn C only; have ln := law_noise N r_gt1.
rewrite -(pr_two (fun x y : noise_index N => E (if (2 * N + x < g * value floor u c s + y)%N then Some s else None))
  ln (j0 := j0) (j1 := owner s)); last by rewrite eq_sym; apply: nn.
by congr pr; apply/setP => w; rewrite !inE (gap_max_outcome R j0 g_gt0 owner w C only).
Qed.

Lemma gap_max_law_default owner u c (E : pred (option L)) : (forall t, value floor u c t = 0%N) ->
  pr noises [set w : draws | E (gap_max R g j0 owner floor u c w)] = (E None)%:R.
Proof.
move=> zero; have lnoises : law noises by apply: law_product => _; apply: law_noise N r_gt1.
transitivity (pr noises (if E None then setT else set0)).
  by congr pr; apply/setP => w; rewrite inE gap_max_default //; case: (E None); rewrite !inE.
by case: (E None); rewrite /pr ?big_set0 // -(law_sum lnoises); apply: eq_bigl => w; rewrite inE.
Qed.

(** singhal2021.section-1.4-gap-max, singhal2021.section-1.4-infinite-candidates: with scores of sensitivity 1 and lists that
    are complete, the arg max is (epsilon, delta)-DP. The number of labels does not matter, nor does it matter that
    lists, and which noise belongs to which label, depend on the data. *)
Theorem gap_max_private owner owner' u u' c c' : not_null j0 owner -> not_null j0 owner' ->
  close_scores labels u u' -> complete labels floor u c -> complete labels floor u' c' ->
  forall E : pred (option L),
    pr noises [set w : draws | E (gap_max R g j0 owner floor u c w)] <=
    r ^+ (2 * g) * pr noises [set w : draws | E (gap_max R g j0 owner' floor u' c' w)] + tlap_delta r N (2 * g).
Proof.
move=> nn nn' near C C' E; have ln := law_noise N r_gt1.
have [s only only'] := common_label near C C'.
case: s only only' => [s|] only only'; last first.
  have zero u0 c0 : (forall t, (0 < value floor u0 c0 t)%N -> Some t = None) -> forall t, value floor u0 c0 t = 0%N.
    by move=> none t; apply/eqP; rewrite -leqn0 leqNgt; apply/negP => /none.
  rewrite !gap_max_law_default; try exact: zero.
  apply: ler_wpDr; first exact: tlap_delta_ge0.
  by case: (E None); rewrite ?mulr0 // mulr1 exprn_ege1 // ltW.
rewrite (gap_max_law E nn C (s := s)) => [|t /only[->] //]; rewrite (gap_max_law E nn' C' (s := s)) => [|t /only'[->] //].
rewrite mulr_sumr -[tlap_delta _ _ _]mul1r -(law_sum ln) mulr_suml -big_split /=.
apply: ler_sum => x _; rewrite mulrCA -mulrDr; apply: ler_wpM2l; first exact: law_ge0.
apply: (noise_shift r_gt1 (fun z => E (if (2 * N + x < z)%N then Some s else None))) => //; exact: grid_change near C C'.
Qed.

(** singhal2021.algorithm-1-null-threshold: so is the rule with one noise. *)
Theorem gap_threshold_private u u' c c' :
  close_scores labels u u' -> complete labels floor u c -> complete labels floor u' c' ->
  forall E : pred (option L),
    pr noise [set y : noise_index N | E (gap_threshold R g floor u c y)] <=
    r ^+ (2 * g) * pr noise [set y : noise_index N | E (gap_threshold R g floor u' c' y)] +
    tlap_delta r N (2 * g).
Proof.
move=> near C C' E; have near' : close_scores labels u' u by move=> s /near[].
have [s only only'] := common_label near C C'; case: s only only' => [s|] only only'.
  pose e (z : nat) := E (if (2 * N < z)%N then Some s else None).
  have law_of u0 c0 : complete labels floor u0 c0 -> (forall t, (0 < value floor u0 c0 t)%N -> Some t = Some s) ->
      [set y : noise_index N | E (gap_threshold R g floor u0 c0 y)] =
      [set y : noise_index N | e (g * value floor u0 c0 s + y)%N].
    move=> C0 only0; apply/setP => y; rewrite !inE (gap_threshold_outcome R g_gt0 y (s := s)) // => t /only0[->] //.
  rewrite !law_of //; apply: (noise_shift r_gt1 e) => //.
  exact: grid_change near C C'.
have e u0 c0 : (forall t, (0 < value floor u0 c0 t)%N -> Some t = None) ->
    [set y : noise_index N | E (gap_threshold R g floor u0 c0 y)] = [set y : noise_index N | E None].
  move=> none; apply/setP => y; rewrite !inE /gap_threshold.
  case e: [seq s <- c0 | _] => [//|s l]; have : s \in s :: l by apply: mem_head.
  by rewrite -e mem_filter => /andP[/none].
rewrite !e //; apply: ler_wpDr; first exact: tlap_delta_ge0.
apply: ler_peMl; first by apply: pr_ge0; apply: law_noise.
by rewrite exprn_ege1 // ltW.
Qed.
End Privacy.

(** Which candidates are listed, and how many draws there are, matters only by the values. *)
Lemma gap_max_same_law (R : realFieldType) (r : R) (N g : nat) (L : eqType) (labels labels' : pred L) (floor : nat) (u : L -> nat)
    (J J' : finType) (j0 : J) (j0' : J') (owner : L -> J) (owner' : L -> J') (c c' : seq L) (E : pred (option L)) :
  1 < r -> (0 < g)%N -> not_null j0 owner -> not_null j0' owner' -> complete labels floor u c -> complete labels' floor u c' ->
  (forall s, value floor u c s = value floor u c' s) ->
  pr (noises_law r (N := N) (J := J)) [set w : {ffun J -> noise_index N} | E (gap_max R g j0 owner floor u c w)] =
  pr (noises_law r (N := N) (J := J')) [set w : {ffun J' -> noise_index N} | E (gap_max R g j0' owner' floor u c' w)].
Proof.
move=> r1 g0 nn nn' C C' e; case: (boolP (has (fun s => 0 < value floor u c s)%N c)) => [/hasP[s _ ps]|none].
  have only t : (0 < value floor u c t)%N -> t = s by move=> pt; apply: positive_value_unique C pt ps.
  have only' t : (0 < value floor u c' t)%N -> t = s by rewrite -e; apply: only.
  by rewrite (gap_max_law N r1 g0 E nn C only) (gap_max_law N r1 g0 E nn' C' only') e.
have zero t : value floor u c t = 0%N.
  apply/eqP; rewrite -leqn0 leqNgt; apply/negP => pt.
  by move/hasPn: none => /(_ t (positive_listed pt)); rewrite pt.
by rewrite !(gap_max_law_default N _ r1 g0) // => t; rewrite -e.
Qed.

(** * GAP-MAX over a fixed finite list, without a default *)

Section FixedList.
Variables (R : realFieldType) (r : R) (N g : nat) (Data : Type) (near : Data -> Data -> Prop).
Variables (I : finType) (i0 : I) (u : Data -> I -> nat) (M : nat).
Hypotheses (r_gt1 : 1 < r) (reach : (2 * g <= N)%N).
Hypothesis bounded : forall X i, (u X i <= M)%N.
Hypothesis sensitivity1 : forall X X', near X X' -> close_scores xpredT (u X) (u X').

(** The values of line 11 in units of the grid, noise on each, and the first label of the largest. *)
Definition fixed_list_values (X : Data) (i : I) : nat := (g * value 0 (u X) (enum I) i)%N.
Definition fixed_list_winner (noisy : {ffun I -> 'I_(g * M + 2 * N).+1}) : I := [arg max_(i > i0) noisy i].
Definition fixed_list_gap_max (X : Data) : I -> R :=
  push fixed_list_winner (@tlap_vector R r N I (g * M) (fixed_list_values X)).

(** singhal2021.section-1.4-gap-max: it is (epsilon, delta)-DP; a label of constant score may be among the labels. *)
Theorem fixed_list_gap_max_dp : mechanism_dp (r ^+ (2 * g)) (tlap_delta r N (2 * g)) near fixed_list_gap_max.
Proof.
move=> X X' nb; have C Y : complete (mem (enum I)) 0 (u Y) (enum I) := fixed_list_complete 0 (u Y) (enum_uniq I).
have low Y i : (fixed_list_values Y i <= g * M)%N.
  by rewrite leq_mul2l /value mem_enum; apply/orP; right; apply: leq_trans (bounded Y i); lia.
have close : l1_close (g * M) (2 * g) (fixed_list_values X) (fixed_list_values X').
  split=> //; have := values_sensitivity (l := enum I) _ (C X) (C X') (enum_uniq I).
  rewrite /l1_distance big_enum /= => H.
  have {}H : (\sum_i (value 0 (u X) (enum I) i - value 0 (u X') (enum I) i +
      (value 0 (u X') (enum I) i - value 0 (u X) (enum I) i)) <= 2)%N by apply: H => i _; apply: (sensitivity1 nb).
  rewrite mulnC; apply: leq_trans (leq_mul (leqnn g) H); rewrite big_distrr /=.
  by apply: leq_sum => i _; rewrite /absdiff /fixed_list_values -!mulnBr mulnDr.
have [H1 H2] := tlap_vector_dp r_gt1 reach close.
by split; apply: dp_post_processing_function.
Qed.
End FixedList.

(** * Examples *)

(** A = 1, g = 1: value 7 and the least noise -1 against NULL at 2 and its largest noise 1: the label wins; value 3 does not. *)
Example gap_max_computes :
  let draw (first other : noise_index 1) (j : bool) := if j then first else other in
  let run v := gap_max (rat : realFieldType) 1 true (fun _ => false) 0 (fun s : bool => if s then v else 1%N) [:: true; false]
    (draw ord_max ord0) in
  run 9%N = Some true /\ run 5%N = None.
Proof. by split; apply/eqP; vm_compute. Qed.

Example gap_threshold_computes :
  let run v (y : noise_index 1) := gap_threshold (rat : realFieldType) 1 0 (fun s : bool => if s then v else 1%N) [:: true; false] y in
  [:: run 5%N ord0; run 4%N ord0; run 4%N ord_max; run 2%N ord_max] = [:: Some true; None; Some true; None].
Proof. by apply/eqP; vm_compute. Qed.

Example fixed_list_gap_max_example :
  mechanism_dp (2%:R ^+ 2 : rat) (tlap_delta 2%:R 3 2) (fun _ _ : bool => True)
    (fixed_list_gap_max 2%:R 3 1 true (fun X s => if X && s then 5%N else 4%N) 5).
Proof.
apply: fixed_list_gap_max_dp => // [X s|X X' _ s _]; first by case: ifP.
by case: X X' s => -[] [].
Qed.

Example noises_law_holds : law (noises_law (2%:R : rat) (N := 1) (J := bool)).
Proof. by apply: law_product => _; apply: law_noise. Qed.
