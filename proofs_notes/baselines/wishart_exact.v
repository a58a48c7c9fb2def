(* The Wishart mechanism with its own noise W_d(d + 1, c I), for every n >= 1 and d >= 1: the smallest delta is
   1 - exp(-1/(2 c n)), for every epsilon >= 0. The noise is c G G^T. In the direction y of the row that is replaced, given
   all the rest, G has d + 1 normal coordinates, of which two are orthogonal to the rest: their squares add to the noise in that
   direction alone, and the sum of two squares has no memory. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype exp measure.
From mathcomp Require Import sequences numfun measurable_realfun lebesgue_measure lebesgue_integral.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure squared_norms gaussian_run gaussian_matrix plane_normal two_squares no_memory.
From DPPCA.lib Require Import normal_directions normal_turns normal_rank.
From DPPCA.primitives Require Import row_changes second_moment.
From DPPCA.baselines Require Import wishart_normal.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Directions.
Context {R : realType} {d : nat}.
Local Notation m := d.+1.
Local Notation n := d.+2.
Local Notation M := 'M[R]_(m, n).
Implicit Types (f : M -> \bar R) (z : M).

(* The law of normal entries, direction by direction. *)
Lemma normal_matrixE (A : set M) : normal_matrix A = mean [seq delta_mx ij.1 ij.2 | ij : 'I_m * 'I_n] (fun z => (\1_A z)%:E) 0.
Proof.
have walk (l : seq ('I_m * 'I_n)) z : run (fun k _ => nth 1 [seq (const_mx 1 : M) ij.1 ij.2 | ij <- l] k)
    (fun k _ => nth 0 [seq (0 : M) ij.1 ij.2 | ij <- l] k) (nth fst [seq @add_entry R m n ij | ij <- l]) (size l) z A =
    mean [seq delta_mx ij.1 ij.2 | ij <- l] (fun z => (\1_A z)%:E) z.
  elim: l z => [//|ij l IH] z; rewrite /= /gaussian_dp.mix !mxE; apply: eq_integral => x _; congr (_ * _)%E; exact: IH.
by rewrite /normal_matrix /noisy cardE; exact: walk.
Qed.

Let pairs : seq ('I_m * 'I_n) := [seq (i, k) | k <- enum 'I_n, i <- enum 'I_m].
Let rest : seq ('I_m * 'I_n) := [seq (lift ord0 i, k) | k <- enum 'I_n, i <- enum 'I_d].
Let first : seq ('I_m * 'I_n) := [seq (ord0, k) | k <- enum 'I_n].

Let uniq_pairs : uniq pairs.
Proof. by apply: allpairs_uniq; rewrite ?enum_uniq // => -[k i] [k' i'] _ _ [-> ->]. Qed.

Let all_pairs ik : ik \in pairs.
Proof. by case: ik => i k; apply/allpairsP; exists (k, i); rewrite !mem_enum. Qed.

Let perm_all : perm_eq (enum (predT : pred ('I_m * 'I_n))) pairs.
Proof. by apply: uniq_perm; rewrite ?enum_uniq // => ik; rewrite mem_enum all_pairs. Qed.

Let perm_split : perm_eq pairs (rest ++ first).
Proof.
apply: uniq_perm => //.
  rewrite cat_uniq; apply/and3P; split.
  - apply: allpairs_uniq; rewrite ?enum_uniq // => -[k i] [k' i'] _ _ e.
    by rewrite (lift_inj (congr1 fst e)) -(congr1 snd e : k = k').
  - apply/hasPn => _ /mapP[k _ ->]; apply/allpairsP => -[[k' i] [_ _ /(congr1 fst) /= /eqP]].
    by rewrite (negPf (neq_lift _ _)).
  - by rewrite map_inj_uniq ?enum_uniq // => k k' /(congr1 snd).
case=> i k; rewrite all_pairs mem_cat; apply/esym/orP; case: (unliftP ord0 i) => [i'|] ->.
  by left; apply/allpairsP; exists (k, i'); rewrite !mem_enum.
by right; apply/mapP; exists k; rewrite ?mem_enum.
Qed.

(* The same law with the rows of an orthogonal matrix for the axes, those without the first row first. *)
Definition others (V : 'M[R]_m) : seq M := [seq (row ij.1 V)^T *m delta_mx (0 : 'I_1) ij.2 | ij <- rest].
Definition along (y : 'rV[R]_m) : seq M := [seq y^T *m delta_mx (0 : 'I_1) k | k <- enum 'I_n].

Let mixed_column (V : 'M[R]_m) (k : 'I_n) (i : 'I_m) :
  @mixed R m n m V (fun j => delta_mx j k) i = (row i V)^T *m delta_mx (0 : 'I_1) k.
Proof.
apply/matrixP => a b; rewrite summxE !mxE big_ord1 (bigD1 a) //= big1 => [|j /negPf ja]; last by rewrite !mxE eq_sym ja mulr0.
by rewrite addr0 !mxE !eqxx.
Qed.

Lemma mean_turn (V : 'M[R]_m) f : @turn R m n m V -> fair f ->
  mean [seq delta_mx ij.1 ij.2 | ij : 'I_m * 'I_n] f 0 = mean (others V) (mean (along (row ord0 V)) f) 0.
Proof.
move=> [_ tV] ff; rewrite (mean_perm 0 ff (perm_map _ perm_all)) -mean_cat.
pose D (ij : 'I_m * 'I_n) : M := (row ij.1 V)^T *m delta_mx (0 : 'I_1) ij.2.
transitivity (mean [seq D ij | ij <- pairs] f 0).
  rewrite /pairs; elim: (enum 'I_n) 0 => [//|k ks IH] z; rewrite /= !map_cat !mean_cat.
  have -> : mean [seq delta_mx ij.1 ij.2 | ij <- [seq (i, k0) | k0 <- ks, i <- enum 'I_m]] f =
      mean [seq D ij | ij <- [seq (i, k0) | k0 <- ks, i <- enum 'I_m]] f by apply/funext => z'; exact: IH.
  set g := mean _ f; have fg : fair g by exact: mean_fair.
  have e1 : [seq (delta_mx ij.1 ij.2 : M) | ij <- [seq (i, k) | i <- enum 'I_m]] = [seq delta_mx i k | i <- enum 'I_m].
    exact/esym/map_comp.
  have e2 : [seq D ij | ij <- [seq (i, k) | i <- enum 'I_m]] = [seq @mixed R m n m V (fun j => delta_mx j k) i | i <- enum 'I_m].
    rewrite (_ : [seq D ij | ij <- _] = [seq D (i, k) | i <- enum 'I_m]); last exact/esym/map_comp.
    by apply: eq_map => i; rewrite mixed_column.
  by rewrite e1 e2; exact: tV.
rewrite (mean_perm 0 ff (perm_map _ perm_split)) map_cat; congr (mean (_ ++ _) f 0).
exact: (esym (map_comp D (fun k => (ord0, k)) (enum 'I_n))).
Qed.

(* The last two of the d + 2 indices. *)
Definition before : seq 'I_n := [seq widen_ord (leqnSn m) (widen_ord (leqnSn d) i) | i <- enum 'I_d].
Definition la : 'I_n := widen_ord (leqnSn m) ord_max.
Definition lb : 'I_n := ord_max.

Let enum_last : enum 'I_n = before ++ [:: la; lb].
Proof. 
rewrite enum_ordSr enum_ordSr map_rcons (_ : map _ (map _ _) = before); last exact/esym/map_comp.
by rewrite -!cats1 -catA. Qed.

Let not_before k : k \in before -> (k != la) && (k != lb).
Proof.
move=> kb; have := enum_uniq 'I_n; rewrite enum_last cat_uniq => /and3P[_ /hasPn out _].
by apply/andP; split; apply: contraTneq kb => ->; apply: out; rewrite !inE eqxx ?orbT.
Qed.

(* In a direction y that z leaves free there are two coordinates that see nothing else. *)
Lemma two_free (V : 'M[R]_m) z : V *m V^T = 1%:M -> row ord0 V *m z = 0 ->
  exists W : 'M[R]_n, [/\ @turn R m n n W, z *m (row la W)^T = 0 & z *m (row lb W)^T = 0].
Proof.
move=> oV yz; have VV : V^T *m V = 1%:M by exact: mulmx1C.
have [W [tW W0]] := @turn_triangular R m n _ _ (row' ord0 (V *m z)); exists W.
have zero (j : 'I_n) : (d <= j)%N -> z *m (row j W)^T = 0.
  move=> dj; rewrite -[z]mul1mx -VV -[V^T *m V *m z]mulmxA -mulmxA -[RHS](mulmx0 _ V^T); congr (_ *m _).
  apply/matrixP => i k; rewrite [RHS]mxE ord1; case: (unliftP ord0 i) => [i'|] ->.
    have <- := W0 i' j (leq_trans (ltn_ord i') dj); rewrite !mxE; apply: eq_bigr => b _.
    by rewrite !mxE.
  have <- : (row ord0 V *m z *m (row j W)^T) 0 0 = 0 by rewrite yz mul0mx mxE.
  by rewrite -row_mul !mxE; apply: eq_bigr => b _; rewrite !mxE.
by split=> //; apply: zero; rewrite /= ?leqnSn.
Qed.

Lemma mean_along (y : 'rV[R]_m) (W : 'M[R]_n) z f : @turn R m n n W -> fair f ->
  mean (along y) f z = mean [seq y^T *m row k W | k <- before] (mean [:: y^T *m row la W; y^T *m row lb W] f) z.
Proof.
move=> [_ tW] ff; rewrite /along tW // -mean_cat; congr mean; rewrite enum_last map_cat /=.
have e k : @mixed R m n n W (fun j => y^T *m delta_mx (0 : 'I_1) j) k = y^T *m row k W.
  rewrite /mixed; under eq_bigr do rewrite scalemxAr; rewrite -mulmx_sumr; congr (_ *m _).
  apply/matrixP => a b; rewrite summxE ord1 !mxE (bigD1 b) //= big1 => [|j /negPf jb]; last by rewrite !mxE eq_sym jb andbF mulr0.
  by rewrite addr0 !mxE !eqxx mulr1.
by rewrite !e; congr (_ ++ _); apply: eq_map.
Qed.

(* The noise c z z^T after the last two steps. *)
Lemma mean_free (y : 'rV[R]_m) (v w : 'rV[R]_n) z (g : 'M[R]_m -> \bar R) :
  v *m v^T = 1%:M -> w *m w^T = 1%:M -> v *m w^T = 0 -> z *m v^T = 0 -> z *m w^T = 0 ->
  mean [:: y^T *m v; y^T *m w] (fun z => g (z *m z^T)) z = plane (fun r => g (z *m z^T + (r.1 ^+ 2 + r.2 ^+ 2) *: outer y)).
Proof.
move=> vv ww vw zv zw; rewrite mean_two; congr plane; apply/funext => r /=; congr g.
pose u := r.1 *: v + r.2 *: w; have -> : z + r.1 *: (y^T *m v) + r.2 *: (y^T *m w) = z + y^T *m u.
  by rewrite -addrA /u mulmxDr -!scalemxAr.
have zu : z *m u^T = 0 by rewrite /u linearD !linearZ /= mulmxDr -!scalemxAr zv zw !scaler0 addr0.
have uz : u *m z^T = 0 by rewrite -[LHS]trmxK trmx_mul trmxK zu trmx0.
have wv : w *m v^T = 0 by rewrite -[LHS]trmxK trmx_mul trmxK vw trmx0.
have uu : u *m u^T = (r.1 ^+ 2 + r.2 ^+ 2)%:M.
  rewrite /u linearD !linearZ /= mulmxDr !mulmxDl -!scalemxAr -!scalemxAl vv ww vw wv !scaler0 addr0 add0r.
  by rewrite !scalerA -scalerDl -!expr2 scalemx1.
clearbody u; have tE : (z + y^T *m u)^T = z^T + u^T *m y by rewrite linearD /= trmx_mul trmxK.
rewrite tE mulmxDl !mulmxDr [z *m (_ *m _)]mulmxA zu mul0mx addr0 -[y^T *m u *m z^T]mulmxA uz mulmx0 add0r.
rewrite -mulmxA [u *m (_ *m _)]mulmxA uu; congr (_ + _).
by rewrite mul_scalar_mx -scalemxAr.
Qed.

Lemma orthonormal_rows k (V : 'M[R]_k) (i j : 'I_k) : V *m V^T = 1%:M -> row i V *m (row j V)^T = (i == j)%:R%:M.
Proof.
move=> oV; apply/matrixP => a b; rewrite !ord1; transitivity ((V *m V^T) i j); last by rewrite oV !mxE eqxx mulr1n.
by rewrite !mxE; apply: eq_bigr => l _; rewrite !mxE.
Qed.

Definition noise_law c (S : 'M[R]_m) (B : set 'M[R]_m) : \bar R := normal_matrix [set z : M | B (S + c *: (z *m z^T))].
Let seen c (S : 'M[R]_m) (B : set 'M[R]_m) z : \bar R := (\1_B (S + c *: (z *m z^T)))%:E.

Let measurable_noise c (S : 'M[R]_m) : measurable_fun setT (fun z : M => S + c *: (z *m z^T)).
Proof.
apply: measurable_matrix => i j; under eq_fun do rewrite !mxE.
apply: measurable_funD; first exact: measurable_cst.
apply: measurable_funM; first exact: measurable_cst.
apply: (@measurable_sum _ _ R setT _ _ (fun k (z : M) => z i k * z^T k j)) => k.
by under eq_fun do rewrite mxE; apply: measurable_funM; exact: measurable_entry.
Qed.

Let fair_seen c S B : measurable B -> fair (seen c S B).
Proof.
move=> mB; split=> [|z]; last by rewrite lee_fin.
by apply/measurable_EFinP; apply: (measurableT_comp _ (measurable_noise c S)); exact: measurable_indic.
Qed.

Let noise_lawE c S B (V : 'M[R]_m) : measurable B -> @turn R m n m V ->
  noise_law c S B = mean (others V) (mean (along (row ord0 V)) (seen c S B)) 0.
Proof.
move=> mB tV; rewrite -mean_turn //; last exact: fair_seen.
rewrite /noise_law normal_matrixE; apply: mean_eq => z; rewrite /seen !indicE; congr ((nat_of_bool _)%:R)%:E.
Qed.

Let free_others (V : 'M[R]_m) z D (x : R) : V *m V^T = 1%:M -> row ord0 V *m z = 0 -> D \in others V ->
  row ord0 V *m (z + x *: D) = 0.
Proof.
move=> oV yz /mapP[_ /allpairsP[[k i] [_ _ ->]] ->] /=.
rewrite mulmxDr yz add0r -scalemxAr mulmxA orthonormal_rows // (negPf (neq_lift _ _)).
by rewrite (_ : 0%:R%:M = 0) ?mul0mx ?scaler0 //; apply/matrixP => a b; rewrite !mxE mul0rn.
Qed.

Let free_before (y : 'rV[R]_m) (W : 'M[R]_n) (j : 'I_n) z D (x : R) : W *m W^T = 1%:M -> j \in [:: la; lb] ->
  z *m (row j W)^T = 0 -> D \in [seq y^T *m row k W | k <- before] -> (z + x *: D) *m (row j W)^T = 0.
Proof.
move=> oW jl zj /mapP[k kb ->]; rewrite mulmxDl zj add0r -scalemxAl -mulmxA orthonormal_rows //.
have /negPf -> : k != j by have /andP[ka kb'] := not_before kb; move: jl; rewrite !inE => /orP[]/eqP ->.
by rewrite (_ : 0%:R%:M = 0) ?mulmx0 ?scaler0 //; apply/matrixP => a b; rewrite !mxE mul0rn.
Qed.

Let one_rows (W : 'M[R]_n) : W *m W^T = 1%:M ->
  [/\ row la W *m (row la W)^T = 1%:M, row lb W *m (row lb W)^T = 1%:M & row la W *m (row lb W)^T = 0].
Proof.
move=> oW; rewrite !orthonormal_rows // !eqxx; split=> //.
have /negPf -> : la != lb by rewrite -(inj_eq val_inj) /= neq_ltn ltnSn.
by apply/matrixP => a b; rewrite !mxE mul0rn.
Qed.

(* What the noise shows with tau x^T x added, and without it. *)
Theorem noise_shift c S (x : 'rV[R]_m) (tau : R) B : 0 < c -> 0 <= tau -> measurable B ->
  ((expR (- (tau * sqnorm x / (2 * c))))%:E * noise_law c (S + tau *: outer x) B <= noise_law c S B)%E.
Proof.
move=> c0 tau0 mB; have [V [tV V0]] := @turn_triangular R m n _ _ x; have [oV _] := tV.
pose y := row ord0 V; pose r := (x *m V^T) 0 ord0.
have xy : x = r *: y.
  rewrite -[x]mulmx1 -(mulmx1C oV) mulmxA (_ : x *m V^T = r *: delta_mx 0 ord0) -?scalemxAl -?rowE //.
  apply/rowP => j; rewrite [RHS]mxE [X in _ = _ * X]mxE eqxx /=; case: (eqVneq j ord0) => [->|j0]; first by rewrite mulr1.
  by rewrite mulr0 V0 // lt0n.
have y1 : sqnorm y = 1.
  by rewrite /sqnorm dotE (orthonormal_rows _ _ oV) eqxx mxtrace_scalar.
rewrite xy sqnormZ y1 mulr1 outerZ scalerA; set t := tau * r ^+ 2; have t0 : 0 <= t by rewrite mulr_ge0 ?sqr_ge0.
rewrite !(noise_lawE _ _ mB tV); set K := expR _; have K0 : 0 <= K by exact: expR_ge0.
have f1 := fair_seen c (S + t *: outer y) mB; have f0 := fair_seen c S mB.
apply: (@mean_le R _ _ (fun z => y *m z = 0)) => //; try exact: mean_fair; first exact: mulmx0.
  by move=> z D a yz /(free_others a oV yz).
move=> z yz; have [W [tW za zb]] := two_free oV yz; have [oW _] := tW; have [aa bb ab] := one_rows oW.
rewrite !(mean_along y z tW) //.
apply: (@mean_le R _ _ (fun z => z *m (row la W)^T = 0 /\ z *m (row lb W)^T = 0)) => //; try exact: mean_fair.
  by move=> z' D a [za' zb'] Db; split; apply: (free_before a oW _ _ Db); rewrite // !inE eqxx ?orbT.
move=> z' [za' zb'].
rewrite /seen (mean_free y (fun Z => (\1_B (S + t *: outer y + c *: Z))%:E) aa bb ab za' zb').
rewrite (mean_free y (fun Z => (\1_B (S + c *: Z))%:E) aa bb ab za' zb').
pose E : set R := [set a | B (S + c *: (z' *m z'^T) + (c * a) *: outer y)].
have mE : measurable E.
  rewrite -[X in measurable X]setTI; apply: (_ : measurable_fun setT (fun a => S + c *: (z' *m z'^T) + (c * a) *: outer y)) => //.
  apply: measurable_matrix => i j; under eq_fun do rewrite mxE [X in _ + X]mxE.
  by apply: measurable_funD => //; apply: measurable_funM => //; apply: measurable_funM.
have s0 : 0 <= t / c by rewrite divr_ge0 // ltW.
have cn : c != 0 by rewrite gt_eqF.
have seen_E (a : R) X : X = S + c *: (z' *m z'^T) + (c * a) *: outer y -> (\1_B X)%:E = (\1_E a)%:E :> \bar R.
  by move=> ->; rewrite !indicE (_ : (a \in E) = (S + c *: (z' *m z'^T) + (c * a) *: outer y \in B)) //; apply/idP/idP; rewrite !inE.
have e1 : (fun w : R * R => (\1_B (S + t *: outer y + c *: (z' *m z'^T + (w.1 ^+ 2 + w.2 ^+ 2) *: outer y)))%:E) =
    (fun w => (\1_E (w.1 ^+ 2 + w.2 ^+ 2 + t / c))%:E) :> (R * R -> \bar R).
  apply/funext => w; apply: seen_E; move: (w.1 ^+ 2 + w.2 ^+ 2) => a.
  rewrite scalerDr scalerA (_ : c * (a + t / c) = c * a + t) ?scalerDl; last by field.
  by rewrite -!addrA; congr (_ + _); rewrite addrC -addrA.
have e0 : (fun w : R * R => (\1_B (S + c *: (z' *m z'^T + (w.1 ^+ 2 + w.2 ^+ 2) *: outer y)))%:E) =
    (fun w => (\1_E (w.1 ^+ 2 + w.2 ^+ 2))%:E) :> (R * R -> \bar R).
  by apply/funext => w; apply: seen_E; rewrite scalerDr scalerA addrA.
rewrite e1 e0 (_ : K = expR (- (t / c / 2))); first exact: squares_shift.
by congr expR; field.
Qed.

Let measurable_seen c (S : 'M[R]_m) B : measurable B -> measurable [set z : M | B (S + c *: (z *m z^T))].
Proof. by move=> mB; rewrite -[X in measurable X]setTI; exact: (measurable_noise c S). Qed.

Lemma noise_lawC c (S : 'M[R]_m) B : measurable B -> (noise_law c S B + noise_law c S (~` B) = 1)%E.
Proof.
move=> mB; have mC : measurable (~` B) by exact: measurableC.
rewrite /noise_law !normal_matrixE -mean_add; [|exact: fair_event (measurable_seen c S mB)|exact: fair_event (measurable_seen c S mC)].
rewrite -[RHS](mean_cst [seq delta_mx ij.1 ij.2 | ij : 'I_m * 'I_n] (0 : M) lee01); apply: mean_eq => z.
rewrite (_ : [set z : M | (~` B) _] = ~` [set z : M | B (S + c *: (z *m z^T))]) // !indicE in_setC.
by case: (z \in _); rewrite /= ?adde0 ?add0e.
Qed.

Lemma noise_law_number c (S : 'M[R]_m) B : measurable B -> exists2 p, 0 <= p & noise_law c S B = p%:E.
Proof.
move=> mB; have p0 : (0 <= noise_law c S B)%E.
  rewrite /noise_law normal_matrixE.
  by have [_ +] := mean_fair [seq delta_mx ij.1 ij.2 | ij : 'I_m * 'I_n] (fair_event (measurable_seen c S mB)); apply.
have p1 : (noise_law c S B <= 1)%E by apply: normal_matrix_le1; exact: measurable_seen.
exists (fine (noise_law c S B)); first exact: fine_ge0.
by rewrite fineK // ge0_fin_numE // (le_lt_trans p1) // ltry.
Qed.

(* The noise after one of two points of the ball: (0, delta)-private. *)
Theorem noise_close c (S : 'M[R]_m) (x x' : 'rV[R]_m) (tau : R) : 0 < c -> 0 <= tau -> in_ball x -> in_ball x' ->
  indist 1 (1 - expR (- (tau / (2 * c)))) (noise_law c (S + tau *: outer x)) (noise_law c (S + tau *: outer x')).
Proof.
move=> c0 tau0 x1 x1' B mB; rewrite mul1e; set th := expR _.
have c2 : 0 < 2 * c by rewrite mulr_gt0.
have below (v : 'rV[R]_m) : in_ball v -> th <= expR (- (tau * sqnorm v / (2 * c))).
  by move=> v1; rewrite ler_expR lerN2 ler_pM2r ?invr_gt0 // ler_piMr.
have bound (v : 'rV[R]_m) S' B' : in_ball v -> measurable B' ->
    (th%:E * noise_law c (S' + tau *: outer v) B' <= noise_law c S' B')%E.
  move=> v1 mB'; apply: le_trans (noise_shift S' v c0 tau0 mB').
  have [p p0 ->] := noise_law_number c (S' + tau *: outer v) mB'.
  by rewrite -!EFinM lee_fin ler_wpM2r // below.
have mC : measurable (~` B) by exact: measurableC.
have h1 := bound x (S + tau *: outer x') B x1 mB; have h2 := bound x' (S + tau *: outer x) (~` B) x1' mC.
have c1 := noise_lawC c (S + tau *: outer x) mB; have c3 := noise_lawC c (S + tau *: outer x' + tau *: outer x) mB.
rewrite addrAC in h2; move: h1 h2 c1 c3.
have [p p0 ->] := noise_law_number c (S + tau *: outer x) mB.
have [p' p0' ->] := noise_law_number c (S + tau *: outer x) mC.
have [q q0 ->] := noise_law_number c (S + tau *: outer x') mB.
have [v v0 ->] := noise_law_number c (S + tau *: outer x' + tau *: outer x) mB.
have [v' v0' ->] := noise_law_number c (S + tau *: outer x' + tau *: outer x) mC.
rewrite -!EFinM -!EFinD !lee_fin => h1 h2 [] e1 [] e2.
have -> : p = 1 - p' by rewrite -e1 addrK.
have e3 : th * v + th * v' = th by rewrite -mulrDr e2 mulr1.
move: (th * v) (th * v') h1 h2 e3 => a b h1 h2 e3; lra.
Qed.

(* The block of the other rows that decides whether they are independent. *)
Let block (z : M) : 'M[R]_d := \matrix_(i, j) z (lift ord0 i) (lift ord0 (lift ord0 j)).
Let diagonal : seq ('I_m * 'I_n) := [seq (lift ord0 i, lift ord0 (lift ord0 i)) | i <- enum 'I_d].

Let uniq_diagonal : uniq diagonal.
Proof. by rewrite map_inj_uniq ?enum_uniq // => i j e; exact: (lift_inj (congr1 fst e)). Qed.

Let perm_diagonal : perm_eq rest ([seq ij <- rest | ij \notin diagonal] ++ diagonal).
Proof.
rewrite perm_sym; have /permPl e := perm_filterC [pred ij | ij \in diagonal] rest; apply: perm_trans e.
rewrite perm_catC perm_cat2r perm_sym.
apply: uniq_perm; [apply: filter_uniq | exact: uniq_diagonal |].
  by have := perm_uniq perm_split; rewrite uniq_pairs cat_uniq => /esym/and3P[].
move=> ij; rewrite mem_filter; apply: andb_idr => /mapP[i _ ->]; apply/allpairsP.
by exists (lift ord0 (lift ord0 i), i); rewrite !mem_enum.
Qed.

Let others1 : others 1%:M = [seq delta_mx ij.1 ij.2 | ij <- rest].
Proof. by apply: eq_map => ij; rewrite -mixed_column mixed1. Qed.

(* The other rows are independent, almost surely. *)
Let mean_block : (1 <= mean (others 1%:M) (fun z => invertible (block z)) 0)%E.
Proof.
have fb : fair (fun z => invertible (block z)).
  by apply: (@fair_neq0 R _ _ (fun z => \det (block z))); apply: measurable_det => i j; under eq_fun do rewrite mxE; exact: measurable_entry.
have lin z (x : R) D : block (z + x *: D) = block z + x *: block D by apply/matrixP => i j; rewrite !mxE.
rewrite others1 (mean_perm 0 fb (perm_map _ perm_diagonal)) map_cat mean_cat.
set l := map _ _; have f1 := @fair_cst R m n 1%E lee01.
rewrite -(mean_cst l (0 : M) lee01) -[leLHS]mul1e.
apply: (@mean_le R _ _ (fun=> True)) => //; first exact: mean_fair.
move=> z _; rewrite mul1e (mean_map (T := block)) //.
have -> : map block [seq delta_mx ij.1 ij.2 | ij <- diagonal] = [seq delta_mx i i | i <- enum 'I_d].
  rewrite /diagonal -!map_comp; apply: eq_map => i; apply/matrixP => a b.
  by rewrite !mxE /= !(inj_eq lift_inj).
exact: mean_invertible.
Qed.

(* Given the other rows the first one shows its two free coordinates. *)
Let gram_degenerate (W : 'M[R]_n) z : W *m W^T = 1%:M -> z *m (row la W)^T = 0 -> z *m (row lb W)^T = 0 -> \det (z *m z^T) = 0.
Proof.
move=> oW za zb; apply/eqP; apply: contraT; rewrite -unitfE -/(\det _) -unitmxE -row_free_unit /row_free => /eqP full.
have [aa bb ab] := one_rows oW; pose K := col_mx (row la W) (row lb W).
have KK : K *m K^T = 1%:M.
  rewrite /K tr_col_mx mul_col_row aa bb ab (_ : row lb W *m _ = 0) ?scalar_mx_block //.
  by rewrite -[LHS]trmxK trmx_mul trmxK ab trmx0.
have zK : z *m K^T = 0 by rewrite /K tr_col_mx mul_mx_row za zb row_mx0.
have := mulmx0_rank_max zK; rewrite mxrank_tr.
have rz : (m <= \rank z)%N by apply: leq_trans (_ : \rank (z *m z^T) <= _)%N; [rewrite full | exact: mxrankM_maxl].
have rK : (2 <= \rank K)%N by apply: leq_trans (_ : \rank (K *m K^T) <= _)%N; [rewrite KK mxrank1 | exact: mxrankM_maxl].
by move=> le; have := leq_trans (leq_add rz rK) le; rewrite addn2 ltnn.
Qed.

Definition shows_less (tau : R) : set 'M[R]_m := [set Z | \det (Z - tau *: delta_mx ord0 ord0) < 0].

Lemma measurable_shows_less tau : measurable (shows_less tau).
Proof.
rewrite (_ : shows_less tau = (fun Z => \det (Z - tau *: delta_mx ord0 ord0)) @^-1` `]-oo, 0[%classic); last first.
  by apply/seteqP; split=> Z; rewrite /= in_itv.
rewrite -[X in measurable X]setTI; apply: measurable_det => // i j; under eq_fun do rewrite mxE.
by apply: measurable_funD; [exact: measurable_entry | exact: measurable_cst].
Qed.

Lemma noise_shows_less c tau : 0 < c -> 0 <= tau -> ((1 - expR (- (tau / (2 * c))))%:E <= noise_law c 0 (shows_less tau))%E.
Proof.
move=> c0 tau0; set K := 1 - _; have c2 : 0 < 2 * c by rewrite mulr_gt0.
have K0 : 0 <= K by rewrite subr_ge0 -[leRHS]expR0 ler_expR oppr_le0 divr_ge0 // ltW.
have mB := measurable_shows_less tau; have t1 := @turn1 R m n m; have f0 := fair_seen c 0 mB.
rewrite (noise_lawE c 0 mB t1); set y := row ord0 1%:M.
have y0 : y = axis ord0 by apply/rowP => j; rewrite !mxE eqxx eq_sym.
have fb : fair (fun z => invertible (block z)).
  by apply: (@fair_neq0 R _ _ (fun z => \det (block z))); apply: measurable_det => i j; under eq_fun do rewrite mxE; exact: measurable_entry.
apply: le_trans (_ : K%:E * mean (others 1%:M) (fun z => invertible (block z)) 0 <= _)%E.
  by rewrite -[leLHS]mule1; apply: lee_wpmul2l => //; rewrite lee_fin.
have oV := proj1 t1.
apply: (@mean_le R _ _ (fun z => y *m z = 0)) => //; try exact: mean_fair; first exact: mulmx0.
  by move=> z D a yz /(free_others a oV yz).
move=> z yz; rewrite /invertible; have [e|det0] := eqVneq (\det (block z)) 0.
  by rewrite mule0; have [_ +] := @mean_fair R _ _ (along y) _ f0; apply.
have [W [tW za zb]] := two_free oV yz; have [oW _] := tW; have [aa bb ab] := one_rows oW.
rewrite (mean_along y z tW) // mule1; set l := [seq _ | k <- before].
rewrite -[leLHS]mule1 -[X in (_ * X)%E](mean_cst l z lee01).
apply: (@mean_le R _ _ (fun z' => [/\ z' *m (row la W)^T = 0, z' *m (row lb W)^T = 0 & block z' = block z])) => //.
- exact: mean_fair.
- move=> z' D a [za' zb' bz] Dl; split.
  + by apply: (free_before a oW _ _ Dl); rewrite // !inE eqxx ?orbT.
  + by apply: (free_before a oW _ _ Dl); rewrite // !inE eqxx ?orbT.
  rewrite -bz; apply/matrixP => i j; rewrite !mxE; move: Dl => /mapP[k _ ->].
  by rewrite y0 !mxE big_ord1 !mxE mul0r mulr0 addr0.
move=> z' [za' zb' bz]; rewrite mule1 /seen.
rewrite (mean_free y (fun Z => (\1_(shows_less tau) (0 + c *: Z))%:E) aa bb ab za' zb').
have dH : 0 < \det (row' ord0 z' *m (row' ord0 z')^T).
  rewrite lt_def gram_det_ge0 ?andbT; last exact: leqW.
  apply: (@gram_det_neq0 R _ _ _ (\matrix_(k, j) (k == lift ord0 (lift ord0 j))%:R)).
  rewrite (_ : _ *m _ = block z) // -bz; apply/matrixP => i j; rewrite !mxE (bigD1 (lift ord0 (lift ord0 j))) //=.
  by rewrite big1 => [|k /negPf kj]; rewrite !mxE ?eqxx ?mulr1 ?addr0 ?kj ?mulr0.
have u0 : 0 <= tau / c by rewrite divr_ge0 // ltW.
rewrite /K (_ : tau / (2 * c) = tau / c / 2); last by field; rewrite gt_eqF.
rewrite -(squares_below u0) le_eqVlt; apply/orP; left; apply/eqP; congr plane; apply/funext => w.
move: (w.1 ^+ 2 + w.2 ^+ 2) => a.
have value : \det (0 + c *: (z' *m z'^T + a *: outer y) - tau *: delta_mx ord0 ord0) =
    (c * a - tau) * (c ^+ d * \det (row' ord0 z' *m (row' ord0 z')^T)).
  have -> : 0 + c *: (z' *m z'^T + a *: outer y) - tau *: delta_mx ord0 ord0 = c *: (z' *m z'^T) + (c * a - tau) *: delta_mx ord0 ord0.
    by rewrite y0 outer_axis add0r scalerDr scalerA -addrA scalerBl.
  rewrite det_bump detZ (gram_degenerate oW za' zb') mulr0 add0r -detZ; congr (_ * \det _).
  by apply/matrixP => i j; rewrite !mxE; congr (_ * _); apply: eq_bigr => k _; rewrite !mxE.
have same : (a \in (`]-oo, tau / c[%classic : set R)) = (0 + c *: (z' *m z'^T + a *: outer y) \in shows_less tau).
  have pos : 0 < c ^+ d * \det (row' ord0 z' *m (row' ord0 z')^T) by rewrite mulr_gt0 ?exprn_gt0.
  rewrite mem_setE in_itv /=; apply/idP/idP; rewrite inE /shows_less /= value pmulr_llt0 // subr_lt0 ltr_pdivlMr // mulrC //.
by rewrite !indicE same.
Qed.
End Directions.

(* The upper bound. *)
Theorem wishart_private (R : realType) n d (c a : R) (X X' : 'M[R]_(n, d.+1)) : 0 < c -> 1 <= a -> replaced X X' ->
  indist a (1 - expR (- (2 * c * n%:R)^-1)) (wishart_release c X) (wishart_release c X').
Proof.
move=> c0 a1 [uX uX' [i0 same]]; have n0 : (0 < n)%N by exact: leq_ltn_trans (ltn_ord i0).
have nn : n%:R != 0 :> R by rewrite pnatr_eq0 -lt0n.
pose K := mean_gram X - n%:R^-1 *: outer (row i0 X).
have eX : mean_gram X = K + n%:R^-1 *: outer (row i0 X) by rewrite subrK.
have eX' : mean_gram X' = K + n%:R^-1 *: outer (row i0 X').
  have gap : mean_gram X - mean_gram X' = n%:R^-1 *: (outer (row i0 X) - outer (row i0 X')).
    by rewrite -scalerBr (gram_replaced same).
  by rewrite -[LHS](subKr (mean_gram X)) gap scalerBr opprB /K addrA addrAC.
have := @noise_close R d c K (row i0 X) (row i0 X') n%:R^-1 c0 _ (uX i0) (uX' i0).
rewrite -eX -eX' (_ : n%:R^-1 / (2 * c) = (2 * c * n%:R)^-1); last by field; rewrite nn gt_eqF.
rewrite invr_ge0 ler0n => /(_ isT) close A mA; apply: le_trans (close A mA) _; apply: leeD2r.
have [p p0 e] := @noise_law_number R d c (mean_gram X') A mA.
by rewrite [wishart_release c X' A]e e -!EFinM lee_fin ler_wpM2r.
Qed.

(* jiang2016.exact-profile *)
Theorem wishart_exact (R : realType) n d (c epsilon t : R) : (0 < n)%N -> (0 < d)%N -> 0 < c -> 0 <= epsilon ->
  (forall X X' : 'M[R]_(n, d), replaced X X' -> indist (expR epsilon) t (wishart_release c X) (wishart_release c X')) <->
  1 - expR (- (2 * c * n%:R)^-1) <= t.
Proof.
case: n d => [|n] [|d] // _ _ c0 e0; have a1 : 1 <= expR epsilon by rewrite -[leLHS]expR0 ler_expR.
split=> [H|bt X X' nb A mA]; last first.
  by apply: le_trans (wishart_private c0 a1 nb mA) _; rewrite leeD2l // lee_fin.
pose X := set_row (0 : 'M[R]_(n.+1, d.+1)) ord0 0; pose X' := set_row (0 : 'M[R]_(n.+1, d.+1)) ord0 (axis ord0).
have nb : replaced X X'.
  by apply: replaced_set_row; [move=> i; rewrite row0; exact: in_ball0 | exact: in_ball0 | exact: in_ball_axis].
pose tau : R := n.+1%:R^-1; have tau0 : 0 <= tau by rewrite invr_ge0 ler0n.
have X0 : mean_gram X = 0.
  rewrite /mean_gram (_ : X = 0) ?/gram ?mulmx0 ?scaler0 //.
  by apply/matrixP => i j; rewrite !mxE; case: ifP.
have X1 : mean_gram X' = tau *: delta_mx ord0 ord0.
  by rewrite -[LHS]subr0 -X0 -scalerBr gram_set_row outer0 subr0 outer_axis.
have mB := @measurable_shows_less R d tau; have := H X X' nb _ mB.
have -> : wishart_release c X' (shows_less tau) = 0%E.
  rewrite /wishart_release (_ : _ @^-1` _ = set0) ?normal_matrix_set0 //; apply/seteqP; split=> z //=.
  rewrite /shows_less /= /wishart_matrix X1 addrAC subrr add0r /wishart_noise detZ ltNge mulr_ge0 //.
    by rewrite exprn_ge0 // ltW.
  by apply: gram_det_ge0; exact: leqnSn.
rewrite mule0 add0e => low; rewrite -lee_fin; apply: le_trans low.
rewrite -[wishart_release c X _]/(noise_law c (mean_gram X) (shows_less tau)) X0.
apply: le_trans (noise_shows_less c0 tau0); rewrite (_ : (2 * c * n.+1%:R)^-1 = tau / (2 * c)) //.
by rewrite /tau invfM mulrC.
Qed.

(* The hypotheses can be met, and the definitions compute. *)
Example wishart_exact_holds (R : realType) (t : R) :
  (forall X X' : 'M[R]_(3, 2), replaced X X' -> indist (expR 1) t (wishart_release 1 X) (wishart_release 1 X')) <->
  1 - expR (- (2 * 1 * 3)^-1) <= t.
Proof. exact: wishart_exact. Qed.
Example shows_less_fails (R : realType) : ~ shows_less 0 (1%:M : 'M[R]_1).
Proof. by rewrite /shows_less /= scale0r subr0 det1 ltr10. Qed.
Example noise_law_total (R : realType) d (S : 'M[R]_d.+1) c : noise_law c S setT = 1%E.
Proof. exact: noisy_total. Qed.
Example plane_computes (R : realType) : plane (fun=> 2%:E : \bar R) = 2%:E. Proof. by apply: plane_cst; rewrite lee_fin. Qed.
Example radial_computes (R : realType) : phi 0 * phi 0 = radial 0 :> R. Proof. by rewrite radialE expr0n addr0. Qed.
Example mean_computes (R : realType) (D z : 'M[R]_2) : mean [:: D] (fun=> 2%:E) z = 2%:E.
Proof. by apply: mean_cst; rewrite lee_fin. Qed.
Example fair_holds (R : realType) : fair (fun _ : 'M[R]_2 => 2%:E). Proof. by apply: fair_cst; rewrite lee_fin. Qed.
Example turn_holds (R : realType) : @turn R 1 1 2 (plane_turn 0 1). Proof. by apply: turn_plane; rewrite expr0n expr1n add0r. Qed.
Example invertible_computes (R : realType) : invertible (1%:M : 'M[R]_2) = 1%E. Proof. by rewrite /invertible det1 oner_eq0. Qed.
Example others_size (R : realType) (V : 'M[R]_2) : size (others V) = 3%N.
Proof. by rewrite size_map size_allpairs !size_enum_ord. Qed.
Example along_size (R : realType) (y : 'rV[R]_2) : size (along y) = 3%N. Proof. by rewrite size_map size_enum_ord. Qed.
Example last_computes : [/\ size (@before 1) = 1%N, (@la 1 : nat) = 1%N & (@lb 1 : nat) = 2%N].
Proof. by rewrite size_map size_enum_ord. Qed.
