(** The programs of counting_programs.v compute what the models say: the counts of a histogram, pairs, subsets, batches and
    halves of liu2022, its truncated means and the score of its search. *)

From Coq Require Import ZArith.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import zify ssrZ.
From mathcomp.algebra_tactics Require Import ring.
From DPPCA.lib Require Import squared_norms.
From DPPCA.primitives Require Import histogram_counts.
From DPPCA.liu2022 Require Import parts_of_the_data clipping counting_programs.
From DPPCA.primitives Require sparse_histogram.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.

(** * Histograms *)

Lemma same_cellE c c' : same_cell c c' = (c == c').
Proof.
elim: c c' => [|x q IH] [|y q'] //; rewrite /same_cell /= -/(same_cell q q') IH eqseq_cons.
by congr andb; apply/idP/eqP => /Z.eqb_eq.
Qed.

Lemma distinctE l : distinct l = undup l.
Proof.
elim: l => //= c l ->; suff -> : has (same_cell c) l = (c \in l) by [].
by rewrite -has_pred1; apply: eq_has => c' /=; rewrite same_cellE eq_sym.
Qed.

Lemma before_total : total before.
Proof.
elim=> [|x q IH] [|y q'] //=; case: (Z.ltb_spec x y) => [//|le] /=; case: (Z.ltb_spec y x) => [|ge]; rewrite ?orbT //=.
by have -> : x = y; [lia | rewrite Z.eqb_refl /=; apply: IH].
Qed.

(** All different cells are found, each once, in their order. *)
Theorem found_program_correct l : perm_eq (found_program l) (undup l) /\ sorted before (found_program l).
Proof. by rewrite /found_program distinctE perm_sort perm_refl sort_sorted //; apply: before_total. Qed.

Lemma mem_found c l : (c \in found_program l) = (c \in l).
Proof. by have [p _] := found_program_correct l; rewrite (perm_mem p) mem_undup. Qed.

Theorem count_program_correct l c : count_program l c = count_mem c l.
Proof. by apply: eq_count => c' /=; rewrite same_cellE eq_sym. Qed.

(** The counts of lib/neighbours.v, whose sensitivity is 2. *)
Theorem cell_count_program k (f : nat -> cell) c : count_program (mkseq f k) c = cell_count k f c.
Proof. exact: count_program_correct. Qed.

(** The counts of sparse_histogram.v, for cells of any finite type with names that tell them apart. *)
Theorem sparse_count_program n (T : finType) (name : T -> cell) (x : sparse_histogram.items n T) i :
  injective name -> count_program [seq name (x m) | m <- enum 'I_n] (name i) = sparse_histogram.count x i.
Proof.
move=> inj; rewrite count_program_correct count_map /sparse_histogram.count cardsE cardE -size_filter.
rewrite /enum_mem -filter_predI; congr size; apply: eq_filter => m /=.
by rewrite (inj_eq inj) inE andbT.
Qed.

(** A cell is shown with its count plus the noise of its first item, if that is above the threshold; no others are. *)
Theorem shown_program_correct unit threshold noise l c v : (c, v) \in shown_program unit threshold noise l <->
  [/\ c \in l, v = Z.add (Z.mul unit (Z.of_nat (count_mem c l))) (nth Z0 noise (index c l)) & (threshold < v)%z].
Proof.
have E : find (same_cell c) l = index c l by apply: eq_find => c' /=; rewrite same_cellE eq_sym.
rewrite mem_filter /=; split=> [/andP[/Z.ltb_spec0 above /mapP[c' + [e]]]|[cl -> above]].
  by subst c'; rewrite mem_found E count_program_correct.
apply/andP; split; first by apply/Z.ltb_spec0.
by apply/mapP; exists c; rewrite ?mem_found // E count_program_correct.
Qed.

(** The answer is the first of the shown cells with the largest noisy count; there is none where nothing is shown. *)
Theorem largest_program_correct shown :
  if largest_program shown is Some c then
    exists v before_it after_it, [/\ shown = before_it ++ (c, v) :: after_it,
      forall e, e \in before_it -> (e.2 < v)%z & forall e, e \in after_it -> (e.2 <= v)%z]
  else shown = [::].
Proof.
case: shown => // e s /=.
suff : exists v p q, [/\ e :: s = p ++ ((foldl larger e s).1, v) :: q, v = (foldl larger e s).2,
    forall f, f \in p -> (f.2 < v)%z & forall f, f \in q -> (f.2 <= v)%z].
  by case=> v [p [q [E _ lo hi]]]; exists v, p, q.
elim/last_ind: s => [|s f IH]; first by exists e.2, [::], [::]; case: e.
rewrite -cats1 foldl_cat /=; case: IH => v [p [q [E ve]]]; move: E; rewrite ve.
move: (foldl larger e s) => [mc mv] /= E lo hi; rewrite -cat_cons E -catA /larger /=; case: Z.ltb_spec => mf.
  exists f.2, (p ++ (mc, mv) :: q), [::]; split=> // [|g]; first by rewrite -catA; case: (f).
  by rewrite mem_cat inE => /or3P[/lo|/eqP ->|/hi] /=; lia.
exists mv, p, (q ++ [:: f]); split=> // g; rewrite mem_cat inE => /orP[/hi //|/eqP -> //].
Qed.

(** * Pairs, subsets, batches, halves *)

Section Lists.
Variables (A U : Type) (x0 : A).
Implicit Types (l : seq A).

Lemma reshape_nth (V : Type) (v0 : V) k b (s : seq V) : k * b <= size s ->
  reshape (nseq k b) s = mkseq (fun j => mkseq (fun i => nth v0 s (j * b + i)) b) k.
Proof.
elim: k s => // k IH s; rewrite mulSn => le /=.
rewrite IH ?size_drop; last by lia.
rewrite /mkseq /= -[1]/(1 + 0) iotaDl -map_comp; congr cons.
  by rewrite -(map_nth_iota0 v0); [apply: eq_map => i; rewrite mul0n | lia].
by apply: eq_map => j /=; apply: eq_map => i; rewrite nth_drop; congr nth; lia.
Qed.

Lemma size_pairs (f : A -> A -> U) l : size (pairs_program f l) = (size l)./2.
Proof.
suff : forall n l', size l' <= n -> size (pairs_program f l') = (size l')./2 by apply; apply: leqnn.
by elim=> [|n IH] [|x [|y l']] //= le; rewrite IH //; lia.
Qed.

Lemma nth_pairs (f : A -> A -> U) u0 l p : p.*2.+1 < size l -> nth u0 (pairs_program f l) p = pair f (nth x0 l) p.
Proof.
elim: p l => [|p IH] [|x [|y l]] //= lt; rewrite IH //; lia.
Qed.

(** Algorithm 4, lines 1 and 2: the subsets of the model. *)
Theorem subsets_program_correct (f : A -> A -> U) k b l : (k * b).*2 <= size l ->
  subsets_program f k b l = mkseq (subset_of f b (nth x0 l)) k.
Proof.
move=> enough; rewrite /subsets_program (reshape_nth (f x0 x0)) ?size_pairs; last by lia.
apply/eq_in_map => j; rewrite mem_iota add0n => jk; apply/eq_in_map => i; rewrite mem_iota add0n => ib.
by apply: nth_pairs; nia.
Qed.

(** Algorithm 3 and Equation (7): batch t holds B records; and the halves of a batch. *)
Theorem batches_program_correct t B l : t * B <= size l -> batches_program t B l = mkseq (batch B (nth x0 l)) t.
Proof.
move=> enough; rewrite /batches_program (reshape_nth x0) //; apply: eq_map => j.
by rewrite /batch -{2}(addn0 (j * B)) iotaDl -map_comp.
Qed.

Theorem halves_program_correct B (x : nat -> A) t : halves_program (batch B x t) = (first_half B x t, second_half B x t).
Proof.
rewrite /halves_program size_map size_iota /batch -map_take -map_drop -map_take take_iota drop_iota take_iota.
by rewrite /first_half /second_half; congr (map _ (iota _ _), map _ (iota _ _)); lia.
Qed.
End Lists.

(** * Truncation, in any field with square roots *)

Section Truncation.
Variable R : rcfType.
Local Open Scope ring_scope.
Definition real (z : Z) : R := (int_of_Z z)%:~R.

Lemma real_le x y : (real x <= real y) = Z.leb x y.
Proof. by rewrite ler_int; apply/idP/idP; lia. Qed.
Lemma real_ge0 x : (0 <= x)%z -> 0 <= real x.
Proof. by move=> x0; rewrite ler0z; lia. Qed.
Lemma realB x y : real (Z.sub x y) = real x - real y. Proof. by rewrite /real -rmorphB -rmorphB. Qed.
Lemma realN x : real (Z.opp x) = - real x. Proof. by rewrite /real -rmorphN -rmorphN. Qed.
Lemma realD x y : real (Z.add x y) = real x + real y. Proof. by rewrite /real -rmorphD -rmorphD. Qed.
Lemma realM x y : real (Z.mul x y) = real x * real y. Proof. by rewrite /real -rmorphM -rmorphM. Qed.
Lemma real_max x y : real (Z.max x y) = Num.max (real x) (real y).
Proof. by rewrite maxEle real_le; case: Z.leb_spec => ?; congr real; lia. Qed.
Lemma real_min x y : real (Z.min x y) = Num.min (real x) (real y).
Proof. by rewrite minEle real_le; case: Z.leb_spec => ?; congr real; lia. Qed.

Lemma real_sum (I : Type) (s : seq I) (f : I -> Z) : real (sum_program [seq f i | i <- s]) = \sum_(i <- s) real (f i).
Proof. by elim: s => [|i s IH]; rewrite ?big_nil ?big_cons //= realD IH. Qed.

(** The score of the search: numbers over the ceiling, clipped to [0, 1]. *)
Theorem score_sum_program_correct m ceiling (entries : 'I_m -> Z) : (0 < ceiling)%z ->
  search_score (fun i => real (entries i) / real ceiling) =
  m%:R^-1 * (real (score_sum_program ceiling [seq entries i | i <- enum 'I_m]) / real ceiling).
Proof.
move=> pos; have real0 : real Z0 = 0 by [].
have c0 : 0 < real ceiling by rewrite ltr0z; lia.
have inv0 : 0 <= (real ceiling)^-1 by rewrite invr_ge0 ltW.
rewrite /search_score /score_sum_program -map_comp real_sum big_enum mulr_suml; congr (_ * _).
apply: eq_bigr => i _ /=; rewrite real_max real_min real0 mulrC [RHS]mulrC maxr_pMr // minr_pMr // mulr0.
by rewrite mulVf // lt0r_neq0.
Qed.

(** The unit: one over a common denominator. *)
Variable c : R.
Hypothesis c_ge0 : 0 <= c.

Lemma truncate_program_correct radius x : truncate (c * real radius) (c * real x) = c * real (truncate_program radius x).
Proof. by rewrite /truncate /truncate_program real_max real_min realN maxr_pMr // minr_pMr // mulrN. Qed.

(** Algorithm 5, lines 8 and 10: B times a coordinate of the truncated mean. *)
Theorem truncated_sum_program_correct B d radius centre (entries : 'I_B -> Z) (g : 'M[R]_(B, d)) (g_bar : 'rV[R]_d) j :
  (forall i, g i j = c * real (entries i)) -> g_bar 0 j = c * real centre ->
  truncated_mean (c * real radius) g_bar g 0 j =
  B%:R^-1 * (c * real (truncated_sum_program radius centre [seq entries i | i <- enum 'I_B])).
Proof.
move=> gE barE; rewrite mxE; congr (_ * _); rewrite /truncated_sum_program -map_comp real_sum big_enum mulr_sumr.
by apply: eq_bigr => i _; rewrite gE barE -mulrBr -realB truncate_program_correct.
Qed.

(** Algorithm 2, line 6, and Equation (7): clipping a vector of rational norm; norm^2 is the sum of its squares. *)
Theorem clip_program_correct d beta norm (entries : 'I_d -> Z) : 0 < c -> (0 <= beta)%z -> (0 <= norm)%z ->
  Z.mul norm norm = sum_program [seq Z.mul (entries i) (entries i) | i <- enum 'I_d] ->
  let clipped := clip_program beta norm [seq entries i | i <- enum 'I_d] in
  clip (c * real beta) (\row_i (c * real (entries i))) =
  \row_i (c * real (nth Z0 clipped.1 i) / real clipped.2).
Proof.
move=> c_gt0 /real_ge0 b0 /real_ge0 n0 square clipped; set g := \row_i _.
have sq : sqnorm g = (c * real norm) ^+ 2.
  rewrite sqnorm_row exprMn [real norm ^+ 2]expr2 -realM square real_sum big_enum mulr_sumr.
  by apply: eq_bigr => i _; rewrite mxE exprMn realM -expr2.
have nthE (f : 'I_d -> Z) (i : 'I_d) : nth Z0 [seq f i | i <- enum 'I_d] i = f i.
  by rewrite (nth_map i) ?size_enum_ord // nth_ord_enum.
apply/rowP => i; rewrite /clipped /clip_program -real_le; have [le|gt] /= := lerP (real norm) (real beta).
  rewrite clip_id ?mulr_ge0 // ?sq; first by rewrite !mxE nthE divr1.
  by apply: lerXn2r; rewrite ?nnegrE ?mulr_ge0 // ler_wpM2l.
have norm0 : 0 < real norm by apply: le_lt_trans gt.
rewrite /clip sq sqrtr_sqr ger0_norm ?mulr_ge0 // min_r; last first.
  by rewrite ler_pdivrMr ?mulr_gt0 // mul1r ler_wpM2l // ltW.
by rewrite !mxE -map_comp nthE /= realM; field; rewrite !lt0r_neq0.
Qed.
End Truncation.

(** Algorithm 5, line 3: i tau < x <= (i + 1) tau for the bin i of x. *)
Theorem bin_program_correct tau x : (0 < tau)%z ->
  (bin_program tau x * tau < x <= (bin_program tau x + 1) * tau)%z.
Proof.
move=> pos; rewrite /bin_program; have := Z.div_mod (- x) tau; have := Z.mod_pos_bound (- x) tau pos.
by move: (Z.div _ _) (Z.modulo _ _) => q r ? ?; nia.
Qed.

(** The definitions compute, and the hypotheses can be met. *)
Example real_computes (R : rcfType) : real R 3%z = 3%:R%R. Proof. by []. Qed.
Example subsets_program_holds :
  subsets_program addn 1 2 [:: 1; 2; 3; 4; 5] = mkseq (subset_of addn 2 (nth 0 [:: 1; 2; 3; 4; 5])) 1.
Proof. by apply: subsets_program_correct. Qed.
Example batches_program_holds : batches_program 2 3 (iota 0 8) = mkseq (batch 3 (nth 0 (iota 0 8))) 2.
Proof. by apply: batches_program_correct. Qed.
Example sparse_count_holds (x : sparse_histogram.items 3 (bool : finType)) :
  count_program [seq [:: Z.of_nat (x m)] | m <- enum 'I_3] [:: Z.of_nat true] = sparse_histogram.count x true.
Proof. by apply: (sparse_count_program (name := fun b : bool => [:: Z.of_nat b])) => -[] []. Qed.
Example truncated_sum_holds (R : rcfType) :
  (truncated_mean (1 * real R 2%z) 0 (const_mx (1 * real R 5%z) : 'M_(3, 1)) 0 0 = 3%:R^-1 * (1 * real R 6%z))%R.
Proof.
rewrite (@truncated_sum_program_correct R 1 ler01 3 1 2%z Z0 (fun=> 5%z)) => [|i|]; rewrite ?mxE ?mulr0 //.
by rewrite !enum_ordSl enum_ord0.
Qed.
Example score_sum_holds (R : rcfType) :
  (search_score (fun i : 'I_1 => real R 5%z / real R 2%z) = 1%:R^-1 * (real R 2%z / real R 2%z))%R.
Proof. by rewrite (score_sum_program_correct R (ceiling := 2%z) (fun=> 5%z)) // !enum_ordSl enum_ord0. Qed.
Example bin_holds : (bin_program 4 (-3) * 4 < -3 <= (bin_program 4 (-3) + 1) * 4)%z.
Proof. exact: bin_program_correct. Qed.
Example clip_program_holds (R : rcfType) : clip (1 * real R 2%z)%R (\row_(i < 1) (1 * real R 5%z)%R) =
  (\row_i (1 * real R (nth Z0 [:: 10%z] i) / real R 5%z))%R.
Proof.
have := @clip_program_correct R 1 ler01 1 2%z 5%z (fun=> 5%z) ltr01.
by rewrite !enum_ordSl enum_ord0 => ->.
Qed.
