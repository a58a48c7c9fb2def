(* liu2022 beyond DP-PCA: r components by deflation on disjoint parts (Section 7), and the search for step sizes (Section 5).
   (r components at once are DP-PCA with gradients of d r numbers, dp_pca.v.)

   The runs of DP-PCA enter as any mechanism that is private under replace-one and reads its own part of the records. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import zify.
From DPPCA.lib Require Import discrete neighbours transcripts.
From DPPCA.liu2022 Require Import parts_of_the_data clipping.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* The records that a mechanism reads: the first m. *)
Definition reads_first (R : realFieldType) (T : finType) (G : Type) m (M : (nat -> G) -> T -> R) :=
  forall x x', (forall i, (i < m)%N -> x i = x' i) -> M x =1 M x'.

Lemma part_replaced (G : Type) (x x' : nat -> G) i0 k : differ_at i0 x x' -> replace_one (fun l => x (k + l)%N) (fun l => x' (k + l)%N).
Proof. by move=> same; case: (one_record k same) => H; [exists (i0 - k)%N | exists 0%N => l _]. Qed.

Section Deflation.
Variables (R : realFieldType) (G : Type) (m r : nat) (T U : finType) (component : seq T -> (nat -> G) -> T -> R).
Variable output : r.-tuple T -> U.
Implicit Types x : nat -> G.

(* Component j is found on the records j m, ..., j m + m - 1, after a projection that the components before it fix. *)
Definition one_component x s : T -> R := component s (fun l => x (size s * m + l)%N).
Definition deflation x : U -> R := push output (transcript r (one_component x)).

Hypotheses (laws : forall s, is_mechanism (component s)) (reads : forall s, reads_first m (component s)).

(* liu2022.rank-r-deflation: r components cost what one costs *)
Theorem deflation_private a delta : 1 <= a -> 0 <= delta ->
  (forall s, mechanism_dp a delta (@replace_one G) (component s)) -> mechanism_dp a delta (@replace_one G) deflation.
Proof.
move=> a1 d0 H; apply: mechanism_post_processing_function => x x' nb.
suff one y y' : replace_one y y' -> dp a delta (transcript r (one_component y)) (transcript r (one_component y')).
  by split; apply: one => //; apply: replace_one_sym.
case=> i0 same; apply: (dp_transcript_parallel (i0 := (i0 %/ m)%N)) => //; try by move=> s; apply: laws.
  move=> s ne; apply: reads => l lt; apply: same; apply: contra ne => /eqP <-; rewrite divnMDl; last by lia.
  by rewrite divn_small ?addn0.
by move=> s _; apply: (proj1 (H _ _ _ _)); apply: part_replaced same.
Qed.
End Deflation.

Section Search.
Variables (R : realFieldType) (G : Type) (m held_out pairs : nat) (W S U : finType).
Local Notation outcome := (W * S)%type.
(* The run of DP-PCA for the next pair of constants, on the first m records; its noisy score, on the next held_out ones. *)
Variables (training : seq outcome -> (nat -> G) -> W -> R) (scoring : seq outcome -> W -> (nat -> G) -> S -> R).
Variable output : pairs.-tuple outcome -> U.
Implicit Types x : nat -> G.

Definition one_pair x s : outcome -> R := joint (training s x) (fun w => scoring s w (fun l => x (m + l)%N)).
(* What is released: every direction and score, also those after the search has ended. *)
Definition search x : U -> R := push output (transcript pairs (one_pair x)).

Hypotheses (law_training : forall s, is_mechanism (training s)) (law_scoring : forall s w, is_mechanism (scoring s w)).
Hypotheses (reads_training : forall s, reads_first m (training s)) (reads_scoring : forall s w, reads_first held_out (scoring s w)).

(* liu2022.search-budget, liu2022.search-training: pair i may spend (a i, delta i) both on its run and on its score, since a
   record takes part in one of them; the pairs add up *)
Theorem search_private (a delta : nat -> R) : (forall i, 1 <= a i) -> (forall i, 0 <= delta i) ->
  (forall s, mechanism_dp (a (size s)) (delta (size s)) (@replace_one G) (training s)) ->
  (forall s w, mechanism_dp (a (size s)) (delta (size s)) (@replace_one G) (scoring s w)) ->
  mechanism_dp (\prod_(i < pairs) a i) (\sum_(i < pairs) delta i) (@replace_one G) search.
Proof.
move=> a1 d0 train score; apply: mechanism_post_processing_function => x x' nb.
have law_pair y s : law (one_pair y s).
  by apply: law_joint => [|w]; [apply: law_training | apply: law_scoring].
suff one y y' : replace_one y y' ->
    dp (\prod_(i < pairs) a i) (\sum_(i < pairs) delta i) (transcript pairs (one_pair y)) (transcript pairs (one_pair y')).
  by split; apply: one => //; apply: replace_one_sym.
case=> i0 same; apply: dp_transcript_steps; try by move=> s; apply: law_pair.
  by move=> i; apply: le_trans ler01 (a1 i).
move=> s; have a0 : 0 <= a (size s) by apply: le_trans ler01 (a1 _).
have [lt|le] := ltnP i0 m.
  rewrite -[a _]mulr1 -[delta _]addr0; apply: dp_adaptive_composition; rewrite ?ler01 //; try by move=> *; apply: law_scoring.
  - exact: law_training.
  - exact: law_training.
  - by apply: (proj1 (train s _ _ _)); exists i0.
  - move=> w; apply: dp_eq (dp_refl _) => //; apply: reads_scoring => l _; apply: same.
    by apply: contraTneq lt => <-; rewrite -leqNgt leq_addr.
rewrite -[a _]mul1r -[delta _]add0r; apply: dp_adaptive_composition; rewrite ?ler01 //; try by move=> *; apply: law_scoring.
- exact: law_training.
- exact: law_training.
- apply: dp_eq (dp_refl _) => //; apply: reads_training => l lt; apply: same.
  by apply: contraTneq le => <-; rewrite -ltnNge.
- by move=> w; apply: (proj1 (score s w _ _ _)); apply: part_replaced same.
Qed.
End Search.

(* The score is private: a mean over the held-out records of numbers in [0, 1], with noise for the change 1 / held_out. *)
Section Score.
Variables (R : rcfType) (G : Type) (held_out : nat) (W S : finType) (captured : W -> G -> R) (noisy : R -> S -> R).
Definition score_near (u v : R) := `|u - v| <= held_out%:R^-1.
Definition noisy_score w (x : nat -> G) : S -> R := noisy (search_score (fun i : 'I_held_out => captured w (x i))).

(* liu2022.search-score, the reading of the code *)
Theorem noisy_score_private a delta w : calibrated_noise score_near a delta noisy ->
  mechanism_dp a delta (@replace_one G) (noisy_score w).
Proof.
case=> _ H x x' [i0 same]; apply: H; rewrite /score_near; have [lt|le] := ltnP i0 held_out.
  by apply: (@search_score_sensitivity _ _ _ _ (Ordinal lt)) => i ne; rewrite same.
have -> : search_score (fun i : 'I_held_out => captured w (x i)) = search_score (fun i : 'I_held_out => captured w (x' i)).
  rewrite /search_score; congr (_ * _); apply: eq_bigr => i _; rewrite same //.
  by apply: contraTneq le => <-; rewrite -ltnNge.
by rewrite subrr normr0 invr_ge0 ler0n.
Qed.
End Score.

(* The hypotheses can be met, and the definitions compute: a run and a score are randomised responses about one record. *)
Section Examples.
Variable R : realFieldType.
Let three : 1 <= 3%:R :> R. Proof. by rewrite ler1n. Qed.
Let ask (x : nat -> bool) : bool -> R := response 3%:R (x 0%N).
Let ask_private : mechanism_dp 3%:R 0 (@replace_one bool) ask.
Proof. by move=> x x' _; split; apply: response_dp. Qed.
Let ask_reads : reads_first 1 ask.
Proof. by move=> x x' same y; rewrite /ask same. Qed.

Example deflation_holds : mechanism_dp 3%:R 0 (@replace_one bool) (deflation 1 (fun _ => ask) (fun t : 4.-tuple bool => tnth t 3)).
Proof.
by apply: deflation_private; rewrite ?lexx // => s x; apply: response_law.
Qed.

Example search_holds : mechanism_dp (\prod_(i < 4) 3%:R) (\sum_(i < 4) 0) (@replace_one bool)
  (search 1 (fun _ => ask) (fun _ _ => ask) (fun t : 4.-tuple (bool * bool) => (tnth t 3).1)).
Proof.
apply (@search_private R bool 1 1 4 _ _ _ _ _ _) with (a := fun=> 3%:R : R) (delta := fun=> 0 : R) => //.
- by move=> s x; apply: response_law.
- by move=> s w x; apply: response_law.
Qed.
End Examples.

Example one_component_computes : one_component 2 (fun _ x => response 3%:R (x 1%N)) odd [:: true] true = 3%:R / 4%:R :> rat.
Proof. by []. Qed.
Example one_pair_computes :
  one_pair 1 (fun _ x => response 3%:R (x 0%N)) (fun _ _ x => response 3%:R (x 0%N)) odd [::] (false, true) = 9%:R / 16%:R :> rat.
Proof. by []. Qed.
Example noisy_score_computes (R : rcfType) : noisy_score 1 (fun (_ : unit) (b : bool) => b%:R) (fun u => response 3%:R (0 < u)) tt (fun=> true) true
  = 3%:R / (1 + 3%:R) :> R.
Proof.
rewrite /noisy_score /search_score big_ord1 invr1 mul1r (min_idPl (lexx _)) (max_idPr (@ler01 _)) ltr01.
by rewrite /response.
Qed.

Example score_near_computes (R : rcfType) : score_near 2 (1 / 2%:R : R) 0 /\ ~~ score_near 2 (1 : R) 0.
Proof.
by rewrite /score_near !subr0 normr1 mul1r ger0_norm ?invr_ge0 ?ler0n // lexx -ltNge invf_lt1 ?ltr0n // ltr1n.
Qed.

Example reads_first_holds : reads_first 2 (fun (x : nat -> bool) => response 3%:R (x 0%N && x 1%N) : bool -> rat).
Proof. by move=> x x' same y; rewrite !same. Qed.
