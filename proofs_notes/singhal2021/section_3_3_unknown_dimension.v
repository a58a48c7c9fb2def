(** singhal2021, section 3.3: Algorithm 2 with unknown k, by private selection
    (reference/singhal2021/section_3_3_unknown_dimension.py).

    One run draws k uniformly from 1..k_max, k_max = kk + 1, runs Algorithm 2 on the rows X, and unless that ends in bottom
    counts the auxiliary rows near the subspace, with noise. The best of K hidden runs is released, K geometric of mean
    10 k_max. Subspaces are those of a finite set; scores have two-sided geometric noise and are stored in 0..B. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import zify.
From DPPCA.lib Require Import discrete.
From DPPCA.primitives Require Import truncated_laplace geometric_noise sparse_histogram private_selection.
From DPPCA.singhal2021 Require Import algorithm_2_approximate.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(** * One run, and the selection, for any private estimator of each dimension *)

Section Selection.
Variables (R : realFieldType) (a : R) (Row : Type) (n n_aux kk B : nat) (subspace : finType).
Local Notation rows := ('I_n -> Row).
Local Notation auxiliary := ('I_n_aux -> Row).
Local Notation scored := (option (subspace * 'I_B.+1)).
Variables (estimator : 'I_kk.+1 -> rows -> option subspace -> R) (inside : subspace -> Row -> bool).

(** One row of X or one auxiliary row is replaced. *)
Definition either_replaced (D D' : rows * auxiliary) :=
  (row_replaced D.1 D'.1 /\ D.2 = D'.2) \/ (D.1 = D'.1 /\ row_replaced D.2 D'.2).

(** The score: the number of auxiliary rows that are inside; with noise of factor a; bottom (None) has none. *)
Definition score (Y : auxiliary) s : nat := #|[set i | inside s (Y i)]|.
Definition noisy_score (Y : auxiliary) (o : option subspace) : scored -> R :=
  if o is Some s then push (fun y => Some (s, y)) (@clamped_geometric R a B (score Y s)) else dirac R None.

Definition uniform_dimension (_ : 'I_kk.+1) : R := kk.+1%:R^-1.
Definition one_run (D : rows * auxiliary) : scored -> R :=
  bind uniform_dimension (fun k => bind (estimator k D.1) (noisy_score D.2)).

(** A higher score is better; bottom is the worst. The subspace of the best run is released, None if all ended in bottom. *)
Definition run_rank (o : scored) : nat := if o is Some (s, y) then (y * #|subspace| + enum_rank s).+1 else 0.
Definition mean_runs : nat := 10 * kk.+1.
Definition unknown_dimension (D : rows * auxiliary) : option subspace -> R :=
  push (omap fst) (best run_rank (mean_runs%:R^-1) (one_run D)).

Lemma run_rank_inj : injective run_rank.
Proof.
move=> [[s y]|] [[s' y']|] //= [e]; have [l l'] := (ltn_ord (enum_rank s), ltn_ord (enum_rank s')).
have c0 : (0 < #|subspace|)%N by apply: leq_ltn_trans l.
have ye : (y : nat) = y'.
  by have := congr1 (fun x => x %/ #|subspace|)%N e; rewrite !divnMDl // !divn_small ?addn0.
have se : (enum_rank s : nat) = enum_rank s' by move: e; rewrite ye => /addnI.
by congr (Some (_, _)); [apply/enum_rank_inj/val_inj | apply: val_inj].
Qed.

Lemma run_rank_score s s' (y y' : 'I_B.+1) : (y < y')%N -> (run_rank (Some (s, y)) < run_rank (Some (s', y')))%N.
Proof.
by move=> lt /=; have := ltn_ord (enum_rank s); rewrite ltnS; set c := #|_| => l; nia.
Qed.

Lemma score_le Y s : (score Y s <= n_aux)%N.
Proof. by rewrite -[X in (_ <= X)%N]card_ord max_card. Qed.

Lemma score_change (Y Y' : auxiliary) s : row_replaced Y Y' -> (score Y s <= (score Y' s).+1)%N.
Proof.
case=> i0 same; rewrite /score -add1n -(cards1 i0); apply: leq_trans (leq_card_setU _ _).
apply/subset_leq_card/subsetP => i; rewrite !inE; case: (eqVneq i i0) => //= ne.
by rewrite same.
Qed.

Hypotheses (a_gt1 : 1 < a) (B_gt0 : (0 < B)%N) (B_enough : (n_aux <= B)%N).

Lemma law_uniform_dimension : law uniform_dimension.
Proof.
split=> [k|]; first by rewrite invr_ge0 ler0n.
by rewrite /uniform_dimension sumr_const card_ord -[_ *+ _]mulr_natr mulVf ?pnatr_eq0.
Qed.

Lemma law_noisy_score Y o : law (noisy_score Y o).
Proof.
case: o => [s|] /=; last exact: law_dirac.
by apply: law_push; apply: law_clamped_geometric => //; apply: leq_trans (score_le Y s) B_enough.
Qed.

Lemma noisy_score_dp (Y Y' : auxiliary) o : row_replaced Y Y' -> dp a 0 (noisy_score Y o) (noisy_score Y' o).
Proof.
move=> nb; have nb' : row_replaced Y' Y by case: nb => i0 same; exists i0 => i /same.
case: o => [s|] /=; last by apply: dp_monotone (dp_refl _); rewrite ?(ltW a_gt1) //; apply: law_dirac.
apply: dp_post_processing_function.
apply/(clamped_geometric_exact a_gt1 _ (leq_trans (score_le Y s) B_enough) (leq_trans (score_le Y' s) B_enough) B_gt0).
rewrite -[X in _ <= X]expr1; apply: ler_weXn2l; first exact: ltW.
by have := score_change s nb; have := score_change s nb'; rewrite /absdiff; lia.
Qed.

Hypothesis estimator_law : forall k X, law (estimator k X).

Lemma law_one_run D : law (one_run D).
Proof.
apply: law_bind; first exact: law_uniform_dimension.
by move=> k; apply: law_bind => // o; apply: law_noisy_score.
Qed.

(** One run costs the larger of the two budgets, not their sum: a row of X and an auxiliary row are different rows. *)
Theorem one_run_private d : 0 <= d -> (forall k, mechanism_dp a d (@row_replaced Row n) (estimator k)) ->
  mechanism_dp a d either_replaced one_run.
Proof.
move=> d0 H; have lU := law_uniform_dimension.
have constant (T : finType) (p : T -> R) c : law p -> mean p (fun=> c) = c.
  by move=> lp; rewrite /mean -mulr_suml law_sum // mul1r.
have key D D' : either_replaced D D' -> dp a d (one_run D) (one_run D').
  move=> nb; rewrite -[d](constant _ _ _ lU); apply: dp_mixture => [k|k]; first exact: law_ge0.
  case: nb => [[nb <-]|[<- nb]].
    by apply: dp_post_processing; [move=> o; apply: law_noisy_score | case: (H k _ _ nb)].
  apply: (dp_monotone (a := a) (d := 0)) => //; first by apply: law_bind => // o; apply: law_noisy_score.
  rewrite -[0](constant _ _ 0 (estimator_law k D.1)).
  by apply: dp_mixture => o; [apply: law_ge0 | apply: noisy_score_dp].
move=> D D' nb; split; apply: key => //; move: nb.
by case=> [[[i0 same] e]|[e [i0 same]]]; [left | right]; split=> //; exists i0 => i /same.
Qed.

(** singhal2021.section-3.3-selection: a = e^(epsilon / 3) and delta / (10 k_max) for one run are (epsilon, delta) for all. *)
Theorem unknown_dimension_private delta : 0 <= delta ->
  (forall k, mechanism_dp a (delta / mean_runs%:R) (@row_replaced Row n) (estimator k)) ->
  mechanism_dp (a ^+ 3) delta either_replaced unknown_dimension.
Proof.
move=> d0 H; have m0 : 0 < mean_runs%:R :> R by rewrite ltr0n.
have run := one_run_private (divr_ge0 d0 (ltW m0)) H.
have g0 : 0 < mean_runs%:R^-1 :> R by rewrite invr_gt0.
have g1 : mean_runs%:R^-1 <= 1 :> R by rewrite invf_le1 // ler1n.
apply: mechanism_post_processing_function => D D' /run[H1 H2].
rewrite -[delta](divfK (lt0r_neq0 m0)) -[X in _ * X]invrK.
by split; apply: (selection_private run_rank_inj g0 g1 (ltW a_gt1)) => //; apply: law_one_run.
Qed.
End Selection.

(** * With Algorithm 2 *)

Section Algorithm2.
Variables (R : realFieldType) (r : R) (Row : Type) (n n_aux kk B : nat) (subspace : finType) (inside : subspace -> Row -> bool).

(** For each dimension: blocks, public references and offsets, cells, where counts are stored, the threshold, lines 16 to 24. *)
Variables (t m M threshold : 'I_kk.+1 -> nat) (public cell : 'I_kk.+1 -> finType) (q : forall k, public k -> R).
Variables (enough_rows : forall k, (t k * m k <= n)%N) (cell_of : forall k, public k -> ('I_(m k) -> Row) -> cell k).
Variable finish : forall k, public k -> {ffun cell k -> 'I_(M k).+1} -> option subspace -> R.
Arguments finish : clear implicits.

Definition algorithm_2_run (k : 'I_kk.+1) (X : 'I_n -> Row) : option subspace -> R :=
  push snd (approximate_estimator (enough_rows k) (@q k) (@cell_of k) ord0 (@geometric_release R r (M k) (threshold k))
    (@finish k) X).

Definition algorithm_2_selected (D : ('I_n -> Row) * ('I_n_aux -> Row)) : option subspace -> R :=
  unknown_dimension (r ^+ 2) B algorithm_2_run inside D.

(** The budget of the code: e^(epsilon / 3) = r^2 for Algorithm 2 and for the score, so that e^epsilon = r^6; the threshold of
    each dimension for delta / (10 k_max). *)
Theorem algorithm_2_selected_private delta : 1 < r -> 0 <= delta -> (0 < B)%N -> (n_aux <= B)%N ->
  (forall k, (0 < t k <= M k)%N) -> (forall k, (0 < threshold k < M k)%N) ->
  (forall k, r ^- (threshold k).-1 / (r + 1) <= delta / (mean_runs kk)%:R) ->
  (forall k, law (@q k)) -> (forall k, by_rows (@cell_of k)) -> (forall k v h, law (@finish k v h)) ->
  mechanism_dp (r ^+ 6) delta (@either_replaced Row n n_aux) algorithm_2_selected.
Proof.
move=> r1 d0 B0 nB tM hM small lq ext lf; rewrite (exprM r 2 3).
have lawful k X : law (approximate_estimator (enough_rows k) (@q k) (@cell_of k) ord0
    (@geometric_release R r (M k) (threshold k)) (@finish k) X).
  have [/andP[t0 tMk] /andP[h0 hMk]] := (tM k, hM k).
  apply: law_joint => // v; apply: law_bind => //.
  exact: law_sparse_histogram (geometric_release_stable r1 tMk h0 hMk) _.
apply: unknown_dimension_private => //; first by rewrite exprn_egt1.
  by move=> k X; apply: law_push.
move=> k; apply: mechanism_post_processing_function.
apply: mechanism_monotone (lexx _) (small k) _; first by move=> X; apply: lawful.
exact: approximate_estimator_geometric.
Qed.
End Algorithm2.

(** * Examples *)

(** Two dimensions, the blocks of algorithm_2_approximate.v, ten auxiliary rows: everything that the theorem asks for. *)
Definition example_subspace (_ : unit) (shown : {ffun 'I_3 -> 'I_11}) : option 'I_3 -> rat :=
  dirac _ (if [exists c, shown c != ord0] then Some [arg max_(c > ord0) shown c] else None).

Example algorithm_2_selected_holds :
  mechanism_dp (2%:R ^+ 6) (32%:R^-1) (@either_replaced bool 7 10)
    (algorithm_2_selected 2%:R (n := 7) 10 (fun (s : 'I_3) row => row && (s == ord0)) (t := fun _ : 'I_2 => 3%N) (m := fun=> 2%N)
      (M := fun=> 10%N) (fun=> 9%N) (fun _ => dirac (rat : realFieldType) tt) (fun=> isT) (fun _ => example_cell)
      (fun _ => example_subspace)).
Proof.
apply: algorithm_2_selected_private.
- by [].
- by vm_compute.
- by [].
- by [].
- by [].
- by [].
- by move=> k; vm_compute.
- by move=> k; apply: law_dirac.
- by move=> k v rows rows' e; rewrite /example_cell; congr inord; apply: eq_bigr => i _; rewrite e.
- by move=> k v h; apply: law_dirac.
Qed.

Example score_computes : score (fun (s : 'I_4) (x : nat) => (s <= x)%N) (fun i : 'I_4 => val i) (inord 1) = 3%N.
Proof. by rewrite /score -sum1dep_card big_mkcond !big_ord_recl big_ord0 /= inordK. Qed.

Example run_rank_computes :
  [seq run_rank o | o <- [:: None; Some (ord_max, ord0); Some (ord_max : 'I_2, ord_max : 'I_3)]] = [:: 0; 2; 6]%N.
Proof. by rewrite /= !enum_rank_ord /= card_ord. Qed.
