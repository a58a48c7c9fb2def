(* liu2022: DP-PCA (Algorithm 3) and its two estimates, of the top eigenvalue (Algorithm 4) and of the mean (Algorithm 5),
   are private under replace-one.

   Noisy histograms are those of sparse_histogram.v, whose guarantee is proved there: [release c] is the law of
   what a cell with count c >= 1 shows, r^2 stands for e^epsilon, and delta is [shown_alone]. The noise of the mean is the
   hypothesis [calibrated_noise]. Cells and outcomes are finite sets. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import zify.
From DPPCA.lib Require Import discrete squared_norms neighbours transcripts.
From DPPCA.primitives Require Import sparse_histogram.
From DPPCA.liu2022 Require Import clipping parts_of_the_data.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* The records that a mechanism reads: the first m. *)
Definition reads_first (R : realFieldType) (T : finType) (G : Type) m (M : (nat -> G) -> T -> R) :=
  forall x x', (forall i, (i < m)%N -> x i = x' i) -> M x =1 M x'.

(* Algorithm 4. *)
Section TopEigenvalue.
Variables (R : realFieldType) (G U : Type) (cell T V : finType) (hidden : T) (k b : nat) (r : R).
(* Line 1's differences; line 4's eigenvalue with line 5's bin; the law of a shown count; lines 7 to 9. *)
Variables (difference : G -> G -> U) (bin : seq U -> cell) (release : nat -> T -> R) (largest : {ffun cell -> T} -> V).
Implicit Types g : nat -> G.

Definition eigenvalue_bins g : items k cell := [ffun j : 'I_k => item difference bin b g j].
Definition top_eigenvalue g : V -> R := push largest (sparse_histogram hidden release (eigenvalue_bins g)).

(* It reads 2 k b gradients. *)
Lemma top_eigenvalue_reads : reads_first (k * b).*2 top_eigenvalue.
Proof.
move=> g g' same v; rewrite /top_eigenvalue; suff -> : eigenvalue_bins g = eigenvalue_bins g' by [].
apply/ffunP => j; rewrite !ffunE; congr bin; apply/eq_in_map => l; rewrite mem_iota add0n => lt.
by have := ltn_ord j; move=> jk; rewrite /pair !same //; nia.
Qed.
Hypotheses (r_ge1 : 1 <= r) (stable : stable_release k r release) (k_gt0 : (0 < k)%N).

Lemma eigenvalue_bins_replaced g g' : replace_one g g' -> one_replaced (eigenvalue_bins g) (eigenvalue_bins g').
Proof.
case=> i0 same; have other := one_subset difference bin (b := b) same.
have [lt|le] := ltnP (i0./2 %/ b) k.
  by exists (Ordinal lt) => j ne; rewrite !ffunE; apply: other.
by exists (Ordinal k_gt0) => j _; rewrite !ffunE; apply: other; apply: contraTneq le => <-; rewrite -ltnNge.
Qed.

(* liu2022.theorem-6.1-privacy *)
Theorem top_eigenvalue_private : mechanism_dp (r ^+ 2) (shown_alone hidden release) (@replace_one G) top_eigenvalue.
Proof.
apply: mechanism_post_processing_function => g g' nb; apply: (sparse_histogram_dp hidden r_ge1 stable).
exact: eigenvalue_bins_replaced.
Qed.

Theorem law_top_eigenvalue g : law (top_eigenvalue g).
Proof. by apply: law_push; apply: (law_sparse_histogram _ stable). Qed.

End TopEigenvalue.

(* Algorithm 5. *)
Section Mean.
Variables (R : rcfType) (d B : nat) (cell T S V : finType) (hidden : T) (r radius : R).
(* Line 4's bin of coordinate j; the law of a shown count; the point g_bar of lines 6 and 7, or none; the noise of line 10;
   line 11. *)
Variables (bin : nat -> 'rV[R]_d -> cell) (release : nat -> T -> R).
Local Notation histogram := {ffun cell -> T}.
Variables (g_bar : d.-tuple histogram -> option 'rV[R]_d) (noisy : 'rV[R]_d -> S -> R).
Variable output : d.-tuple histogram * option S -> V.
Implicit Types g : nat -> 'rV[R]_d.

Definition coordinate_bins j g : items B cell := [ffun i : 'I_B => bin j (g i)].
Definition histograms g : d.-tuple histogram -> R :=
  transcript d (fun s => sparse_histogram hidden release (coordinate_bins (size s) g)).
(* Lines 8 to 10, or bottom when a coordinate has no bin. *)
Definition noisy_truncated_mean g (h : d.-tuple histogram) : option S -> R :=
  if g_bar h is Some p then push Some (noisy (truncated_mean radius p (\matrix_(i < B) g i))) else dirac R None.
Definition private_mean g : V -> R := push output (joint (histograms g) (noisy_truncated_mean g)).

(* It reads B gradients. *)
Lemma private_mean_reads : reads_first B private_mean.
Proof.
move=> g g' same v; apply: eq_bigr => -[h o] _; rewrite /joint /=; congr (_ * _).
  apply: eq_bigr => i _; congr (sparse_histogram _ _ _ _); apply/ffunP => l; rewrite !ffunE same //.
rewrite /noisy_truncated_mean; suff -> : (\matrix_(i < B) g i) = (\matrix_(i < B) g' i) :> 'M[R]_(B, d) by [].
by apply/row_matrixP => i; rewrite !rowK same.
Qed.
Hypotheses (r_ge1 : 1 <= r) (stable : stable_release B r release) (B_gt0 : (0 < B)%N) (radius_ge0 : 0 <= radius).
(* Lines 8 and 10: the diagonal of the box over B. *)
Definition box_diagonal := d%:R * (2%:R * radius / B%:R) ^+ 2.

Lemma coordinate_bins_replaced j g g' : replace_one g g' -> one_replaced (coordinate_bins j g) (coordinate_bins j g').
Proof.
case=> i0 same; have [lt|le] := ltnP i0 B.
  by exists (Ordinal lt) => i ne; rewrite !ffunE same.
by exists (Ordinal B_gt0) => i _; rewrite !ffunE same //; apply: contraTneq le => <-; rewrite -ltnNge.
Qed.

Lemma law_histogram j g : law (sparse_histogram hidden release (coordinate_bins j g)).
Proof. exact: (law_sparse_histogram _ stable). Qed.

Lemma law_noisy_truncated_mean g h : is_mechanism noisy -> law (noisy_truncated_mean g h).
Proof. by move=> l; rewrite /noisy_truncated_mean; case: (g_bar h) => [p|]; [apply/law_push/l | apply: law_dirac]. Qed.

(* liu2022.algorithm-5-noise: the mean, given the histograms *)
Theorem noisy_truncated_mean_private a delta h : 1 <= a -> 0 <= delta ->
  calibrated_noise (near box_diagonal) a delta noisy ->
  mechanism_dp a delta (@replace_one 'rV[R]_d) (fun g => noisy_truncated_mean g h).
Proof.
move=> a1 d0 [l H] g g' nb; rewrite /noisy_truncated_mean; case: (g_bar h) => [p|]; last first.
  by split; apply: dp_monotone (dp_refl _) => //; apply: law_dirac.
suff close : near box_diagonal (truncated_mean radius p (\matrix_(i < B) g i)) (truncated_mean radius p (\matrix_(i < B) g' i)).
  by have [H1 H2] := H _ _ close; split; apply: dp_post_processing_function.
case: nb => i0 same; rewrite /near /box_diagonal; have [lt|le] := ltnP i0 B.
  apply: (@truncated_mean_sensitivity _ _ _ _ _ _ _ (Ordinal lt)) => // i ne; rewrite !rowK same //.
have -> : (\matrix_(i < B) g i) = (\matrix_(i < B) g' i) :> 'M[R]_(B, d).
  apply/row_matrixP => i; rewrite !rowK same //.
  by apply: contraTneq le => <-; rewrite -ltnNge.
by rewrite subrr sqnorm0 mulr_ge0 ?ler0n ?sqr_ge0.
Qed.

(* liu2022.lemma-6.2-privacy, liu2022.lemma-b.3: the histograms, by Lemma B.4 or another account, and the mean *)
Theorem private_mean_private a1 delta1 a2 delta2 : 1 <= a1 -> 1 <= a2 -> 0 <= delta2 ->
  @advanced_composition R (histogram : finType) d (r ^+ 2) (shown_alone hidden release) a1 delta1 ->
  calibrated_noise (near box_diagonal) a2 delta2 noisy ->
  mechanism_dp (a1 * a2) (delta1 + delta2) (@replace_one 'rV[R]_d) private_mean.
Proof.
move=> a1_ge1 a2_ge1 d2 advanced noise; have [l _] := noise.
apply: mechanism_post_processing_function; apply: mechanism_composition => [g|h g||||h].
- by apply: law_transcript => s; apply: law_histogram.
- exact: law_noisy_truncated_mean.
- exact: le_trans ler01 a1_ge1.
- exact: le_trans ler01 a2_ge1.
- have hist j : mechanism_dp (r ^+ 2) (shown_alone hidden release) (@replace_one 'rV[R]_d)
      (fun g => sparse_histogram hidden release (coordinate_bins j g)).
    by move=> g g' nb; apply: (sparse_histogram_dp hidden r_ge1 stable); apply: coordinate_bins_replaced.
  move=> g g' nb; split; apply: advanced => s; try exact: law_histogram.
  + by have [] := hist (size s) g g' nb.
  + by have [] := hist (size s) g g' nb.
  + by have [] := hist (size s) g g' nb.
  + by have [] := hist (size s) g g' nb.
- exact: noisy_truncated_mean_private.
Qed.

(* The same without Lemma B.4: d histograms by basic composition. *)
Theorem private_mean_basic a2 delta2 : 1 <= a2 -> 0 <= delta2 -> calibrated_noise (near box_diagonal) a2 delta2 noisy ->
  mechanism_dp ((r ^+ 2) ^+ d * a2) (shown_alone hidden release *+ d + delta2) (@replace_one 'rV[R]_d) private_mean.
Proof.
move=> a2_ge1 d2; have r2 : 1 <= r ^+ 2 by apply: exprn_ege1.
apply: private_mean_private => //; first exact: exprn_ege1.
by apply: advanced_of_basic; apply: le_trans ler01 r2.
Qed.

Theorem law_private_mean g : is_mechanism noisy -> law (private_mean g).
Proof.
move=> l; apply: law_push; apply: law_joint => [|h]; last exact: law_noisy_truncated_mean.
by apply: law_transcript => s; apply: law_histogram.
Qed.

End Mean.

(* Algorithm 3 from its two halves. Stage 2 t is line 3 on the first half of batch t, stage 2 t + 1 is line 4 on the second
   half, or nothing when line 3 gave bottom or 0. Each may depend on all outcomes before it, through the iterate. *)
Section Halves.
Variables (R : realFieldType) (G : Type) (B : nat) (O4 O5 : finType).
Local Notation outcome := (O4 + option O5)%type.
Variables (eigenvalue : seq outcome -> (nat -> G) -> O4 -> R) (mean : seq outcome -> (nat -> G) -> O5 -> R).
(* Whether the step goes on after the eigenvalue's outcome, which is the last one so far. *)
Variable proceed : seq outcome -> bool.
Implicit Types x : nat -> G.

Definition first_records x t : nat -> G := fun l => x (t * B + l)%N.
Definition second_records x t : nat -> G := fun l => x (t * B + B./2 + l)%N.
Definition stage x (s : seq outcome) : outcome -> R :=
  if ~~ odd (size s) then push inl (eigenvalue s (first_records x (size s)./2))
  else if proceed s then push (inr \o Some) (mean s (second_records x (size s)./2)) else dirac R (inr None).
Definition stages steps x : steps.*2.-tuple outcome -> R := transcript steps.*2 (stage x).

Hypotheses (law4 : forall s, is_mechanism (eigenvalue s)) (law5 : forall s, is_mechanism (mean s)).
Hypotheses (reads4 : forall s, reads_first B./2 (eigenvalue s)) (reads5 : forall s, reads_first B./2 (mean s)).

Lemma law_stage x s : law (stage x s).
Proof.
rewrite /stage; case: ifP => _; first by apply/law_push/law4.
by case: ifP => _; [apply/law_push/law5 | apply: law_dirac].
Qed.

Lemma part_replaced x x' i0 k : differ_at i0 x x' -> replace_one (fun l => x (k + l)%N) (fun l => x' (k + l)%N).
Proof. by move=> same; case: (one_record k same) => H; [exists (i0 - k)%N | exists 0%N => l _]. Qed.

Lemma push_eq (T U : finType) (f : T -> U) (p q : T -> R) : p =1 q -> push f p =1 push f q.
Proof. by move=> e y; apply: eq_bigr => z _; apply: e. Qed.

(* The stage that holds record i0. *)
Definition stage_of i0 := ((i0 %/ B).*2 + (B./2 <= i0 %% B))%N.

Lemma stage_other x x' i0 s : differ_at i0 x x' -> size s != stage_of i0 -> stage x s =1 stage x' s.
Proof.
move=> same ne; have place t l : (l < B)%N -> (t * B + l)%N = i0 -> (i0 %/ B = t /\ i0 %% B = l)%N.
  by move=> lt <-; rewrite divnMDl ?modnMDl ?divn_small ?modn_small ?addn0 //; lia.
rewrite /stage; case: ifP => even.
  apply: push_eq; apply: reads4 => l lt; apply: same; apply: contra ne => /eqP e.
  have [] := place (size s)./2 l _ e; first by lia.
  by rewrite /stage_of => -> ->; apply/eqP; lia.
case: ifP => // _; apply: push_eq; apply: reads5 => l lt; apply: same; apply: contra ne => /eqP e.
rewrite -addnA in e; have [] := place (size s)./2 (B./2 + l)%N _ e; first by lia.
by rewrite /stage_of => -> ->; apply/eqP; lia.
Qed.

(* liu2022.algorithm-3-halves, liu2022.theorem-5.1-privacy: the whole costs the larger of the two budgets, not their sum.
   All outcomes are released, so the guarantee covers every iterate (liu2022.transcript). *)
Theorem stages_private steps a delta : 1 <= a -> 0 <= delta ->
  (forall s, mechanism_dp a delta (@replace_one G) (eigenvalue s)) ->
  (forall s, mechanism_dp a delta (@replace_one G) (mean s)) -> mechanism_dp a delta (@replace_one G) (@stages steps).
Proof.
move=> a1 d0 dp4 dp5 x x' nb; suff one y y' : replace_one y y' -> dp a delta (stages y) (stages (steps := steps) y').
  by split; apply: one => //; apply: replace_one_sym.
case=> i0 same; apply: (dp_transcript_parallel (i0 := stage_of i0)) => //; try exact: law_stage.
  by move=> s; apply: stage_other.
move=> s _; rewrite /stage; case: ifP => _.
  by apply: dp_post_processing_function; apply: (proj1 (dp4 _ _ _ _)); apply: part_replaced same.
case: ifP => _; first by apply: dp_post_processing_function; apply: (proj1 (dp5 _ _ _ _)); apply: part_replaced same.
by apply: dp_monotone (dp_refl _) => //; apply: law_dirac.
Qed.
End Halves.

(* Algorithm 3 with Algorithms 4 and 5: a gradient is a vector that depends on a record and on the outcomes so far. For
   one component it is A w (dimension d), for r components at once A W as d r numbers (liu2022.rank-r-block). *)
Section DPPCA.
Variables (R : rcfType) (A : Type) (d B k b : nat) (cell4 cell5 T S V4 V5 U : finType) (hidden : T).
Local Notation histogram := {ffun cell5 -> T}.
Local Notation outcome := (V4 + option V5)%type.
Variable gradient : seq outcome -> A -> 'rV[R]_d.
(* Algorithm 4. *)
Variables (r4 : R) (bin4 : seq 'rV[R]_d -> cell4) (release4 : nat -> T -> R) (largest : {ffun cell4 -> T} -> V4).
(* Algorithm 5; its box, bins, point and noise may depend on the outcomes so far, through Lambda_hat. *)
Variables (r5 : R) (radius : seq outcome -> R) (bin5 : seq outcome -> nat -> 'rV[R]_d -> cell5) (release5 : nat -> T -> R).
Variables (g_bar : seq outcome -> d.-tuple histogram -> option 'rV[R]_d) (noisy : seq outcome -> 'rV[R]_d -> S -> R).
Variable output5 : d.-tuple histogram * option S -> V5.
Variable proceed : seq outcome -> bool.

Definition eigenvalue_estimate s (x : nat -> A) : V4 -> R :=
  @top_eigenvalue R _ _ _ T V4 hidden k b (fun g h => h - g) bin4 release4 largest (fun i => gradient s (x i)).
Definition mean_estimate s (x : nat -> A) : V5 -> R :=
  @private_mean R d B./2 cell5 T S V5 hidden (radius s) (bin5 s) release5 (g_bar s) (noisy s) output5 (fun i => gradient s (x i)).
Definition dp_pca steps (output : steps.*2.-tuple outcome -> U) (x : nat -> A) : U -> R :=
  push output (stages B eigenvalue_estimate mean_estimate proceed x).

Hypotheses (r4_ge1 : 1 <= r4) (r5_ge1 : 1 <= r5) (k_gt0 : (0 < k)%N) (fits : ((k * b).*2 <= B./2)%N) (half_gt0 : (0 < B./2)%N).
Hypotheses (stable4 : stable_release k r4 release4) (stable5 : stable_release B./2 r5 release5).
Hypothesis radius_ge0 : forall s, 0 <= radius s.

Lemma gradients_replaced s (x x' : nat -> A) : replace_one x x' -> replace_one (fun i => gradient s (x i)) (fun i => gradient s (x' i)).
Proof. by case=> i0 same; exists i0 => i ne; rewrite same. Qed.

(* liu2022.theorem-5.1-privacy. a4, delta4 is what Algorithm 4's histogram spends; a5, delta5 what Algorithm 5's histograms
   spend together; a6, delta6 what the mean spends. *)
Theorem dp_pca_private steps (output : steps.*2.-tuple outcome -> U) a delta a5 delta5 a6 delta6 :
  r4 ^+ 2 <= a -> shown_alone hidden release4 <= delta -> 0 <= delta ->
  1 <= a5 -> 1 <= a6 -> 0 <= delta6 -> a5 * a6 <= a -> delta5 + delta6 <= delta ->
  @advanced_composition R (histogram : finType) d (r5 ^+ 2) (shown_alone hidden release5) a5 delta5 ->
  (forall s, calibrated_noise (near (box_diagonal d B./2 (radius s))) a6 delta6 (noisy s)) ->
  mechanism_dp a delta (@replace_one A) (dp_pca output).
Proof.
move=> a4 d4 d0 a5_ge1 a6_ge1 d6 a56 d56 advanced noise; have a1 : 1 <= a by apply: le_trans a4; apply: exprn_ege1.
have law4 s : is_mechanism (eigenvalue_estimate s) by move=> x; apply: law_top_eigenvalue stable4 _.
have law5 s : is_mechanism (mean_estimate s).
  by move=> x; apply: law_private_mean; [exact: stable5 | case: (noise s)].
apply: mechanism_post_processing_function; apply: stages_private => //.
- move=> s x x' same; apply: top_eigenvalue_reads => i lt; rewrite same //.
  exact: leq_trans fits.
- by move=> s x x' same; apply: private_mean_reads => i lt; rewrite same.
- move=> s; apply: (mechanism_monotone (law4 s) a4 d4) => x x' nb.
  apply: top_eigenvalue_private r4_ge1 stable4 k_gt0 _ _ _; exact: gradients_replaced.
- move=> s; apply: (mechanism_monotone (law5 s) a56 d56) => x x' nb.
  exact: (private_mean_private (bin5 s) (g_bar s) output5 r5_ge1 stable5 half_gt0 (radius_ge0 s)
    a5_ge1 a6_ge1 d6 advanced (noise s) (gradients_replaced s nb)).
Qed.
End DPPCA.
(* The hypotheses can be met: batches of 4 records, one pair a batch, geometric noise on the counts. *)
Section Examples.
Variable R : rcfType.
Let release := geometric_release (2%:R : R) (M := 5) 2.
Let two_gt1 : 1 < 2%:R :> R. Proof. by rewrite ltr1n. Qed.
Let stable n : (n <= 5)%N -> stable_release n 2%:R release.
Proof. by move=> n5; apply: geometric_release_stable. Qed.
Let alone : shown_alone ord0 release = 2%:R^-1 / (2%:R + 1).
Proof. by rewrite geometric_shown_alone // expr1. Qed.
Let sign_bin (x : 'rV[R]_1) : bool := 0 < x 0 0.
Let point (h : 1.-tuple {ffun bool -> 'I_6}) : option 'rV[R]_1 := if tnth h ord0 true == ord0 then None else Some 0.

Example top_eigenvalue_holds : mechanism_dp (2%:R ^+ 2) (2%:R^-1 / (2%:R + 1)) (@replace_one 'rV[R]_1)
  (@top_eigenvalue R _ _ _ _ _ ord0 3 1 (fun g h => h - g) (has sign_bin) release (fun h => h true == ord0)).
Proof. by rewrite -alone; apply: top_eigenvalue_private; [apply: ltW | apply: stable |]. Qed.

Example private_mean_holds : mechanism_dp (2%:R ^+ 2 * 3%:R) (2%:R^-1 / (2%:R + 1) + 0) (@replace_one 'rV[R]_1)
  (private_mean 4 ord0 1 (fun _ => sign_bin) release point (respond 3%:R (m := 0) (k := 0)) snd).
Proof.
have noise : calibrated_noise (near (box_diagonal 1 4 (1 : R))) 3%:R 0 (respond 3%:R (m := 0) (k := 0)).
  by apply: calibrated_noise_holds; rewrite ler1n.
have r1 : 1 <= 2%:R :> R by apply: ltW.
have s4 : stable_release 4 2%:R release by apply: stable.
have a3 : 1 <= 3%:R :> R by rewrite ler1n.
have := private_mean_basic ord0 (fun _ => sign_bin) point snd r1 s4 isT ler01 a3 (lexx 0) noise.
by rewrite alone expr1 mulr1n.
Qed.

Example dp_pca_holds : mechanism_dp (2%:R ^+ 2 * 3%:R) (2%:R^-1 / (2%:R + 1)) (@replace_one 'rV[R]_1)
  (@dp_pca R 'rV[R]_1 1 4 1 1 _ _ _ _ _ _ _ ord0 (fun _ x => x) (has sign_bin) release (fun h => h true == ord0)
    (fun=> 1) (fun _ _ => sign_bin) release (fun=> point) (fun=> respond 3%:R (m := 0) (k := 0)) snd (fun s => last (inl false) s == inl true)
    3 (fun t => tnth t ord0)).
Proof.
have r1 : 1 <= 2%:R :> R by apply: ltW.
have r2 : 1 <= 2%:R ^+ 2 :> R by apply: exprn_ege1.
have a3 : 1 <= 3%:R :> R by rewrite ler1n.
have d0 : 0 <= 2%:R^-1 / (2%:R + 1) :> R by rewrite divr_ge0 ?invr_ge0 ?addr_ge0 ?ler0n ?ler01.
apply dp_pca_private with (r4 := 2%:R : R) (r5 := 2%:R : R) (a5 := 2%:R ^+ 2 : R)
  (delta5 := 2%:R^-1 / (2%:R + 1) : R) (a6 := 3%:R : R) (delta6 := 0 : R) => //.
- exact: stable.
- exact: stable.
- by rewrite ler_peMr ?exprn_ge0 ?ler0n.
- by rewrite alone.
- by rewrite addr0.
- by rewrite alone; have := @advanced_of_basic R ({ffun bool -> 'I_6} : finType) 1 (2%:R ^+ 2) (2%:R^-1 / (2%:R + 1)) (le_trans ler01 r2).
- by move=> s; apply: calibrated_noise_holds.
Qed.

(* The definitions compute. *)
Example eigenvalue_bins_compute :
  eigenvalue_bins 2 1 (fun g h : nat => (h - g)%N) (pred1 [:: 3%N]) (nth 0%N [:: 1; 4; 2; 2]%N) = [ffun j : 'I_2 => j == ord0].
Proof. by apply/ffunP => -[[|[|//]] lt]; rewrite !ffunE. Qed.
Example coordinate_bins_compute :
  coordinate_bins 2 (fun _ => sign_bin) 0 (fun i => if i == 0%N then 1%:M else 0) = [ffun i : 'I_2 => i == ord0].
Proof. by apply/ffunP => -[[|[|//]] lt]; rewrite !ffunE /sign_bin mxE ?ltr01 ?ltxx. Qed.
Example stage_of_computes : (stage_of 5 6 = 2 /\ stage_of 5 7 = 3)%N. Proof. by []. Qed.
Example records_compute : first_records 5 id 1 1 = 6%N /\ second_records 5 id 1 1 = 8%N. Proof. by []. Qed.
Example noisy_truncated_mean_bottom_computes (h : 1.-tuple {ffun bool -> 'I_6}) :
  noisy_truncated_mean 2 1 (fun=> None) (respond 3%:R (m := 0) (k := 0)) (fun=> 0) h None = 1 :> R.
Proof. by rewrite /noisy_truncated_mean /dirac eqxx. Qed.
End Examples.

Example reads_first_holds : reads_first 2 (fun (x : nat -> bool) => response 3%:R (x 0%N && x 1%N) : bool -> rat).
Proof. by move=> x x' same y; rewrite !same. Qed.
