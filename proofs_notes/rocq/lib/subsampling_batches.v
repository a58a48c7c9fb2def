(* Privacy gained by a hidden batch: m of the n records, drawn uniformly without replacement, when a record is replaced.

   A base mechanism that is (epsilon, delta)-private on batches is (ln(1 + (m / n) (e^epsilon - 1)), (m / n) delta)-private on the
   data set. A factor a stands for e^epsilon; there are n + 1 records. m = 1 is [hidden_draw_amplified] of subsampling.v. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring.
From mathcomp.zify Require Import zify.
From DPPCA.lib Require Import discrete subsampling.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Batches.
Variables (R : realFieldType) (n m : nat).
Hypothesis m_le : (m <= n.+1)%N.
Local Notation batch := {set 'I_n.+1}.
Implicit Types (S : batch) (i j : 'I_n.+1).

(* Every batch of m records has the same probability. *)
Definition batch_probability S : R := (#|S| == m)%:R / 'C(n.+1, m)%:R.
Definition hidden_batch (U : finType) (release : batch -> U -> R) : U -> R := mixture batch_probability release.

Lemma binomial_gt0 : 0 < 'C(n.+1, m)%:R :> R. Proof. by rewrite ltr0n bin_gt0. Qed.

Lemma law_batch : law batch_probability.
Proof.
split=> [S|]; first by rewrite divr_ge0 ?ler0n.
rewrite /batch_probability -mulr_suml -natr_sum (_ : (\sum_(S : batch) (#|S| == m) = 'C(n.+1, m))%N) ?divff ?gt_eqF ?binomial_gt0 //.
rewrite -[X in 'C(X, m)]card_ord -[in RHS](card_draws ('I_n.+1) m) -sum1dep_card [RHS]big_mkcond.
by apply: eq_bigr => S _; case: (_ == _).
Qed.

Lemma law_hidden_batch (U : finType) (release : batch -> U -> R) : (forall S, law (release S)) -> law (hidden_batch release).
Proof. by move=> l; apply: law_mixture => //; apply: law_batch. Qed.

(* Batches with record i0 and a record j outside of them, and batches without i0 and a record j in them: exchanging i0 and j
   takes the ones to the others. *)
Definition exchanged i j S : batch := j |: S :\ i.

Lemma exchanged_card i j S : i \in S -> j \notin S -> #|exchanged i j S| = #|S|.
Proof.
move=> iS jS; rewrite cardsU1 !inE (negbTE jS) andbF /= (cardsD1 i S) iS.
by rewrite add1n.
Qed.

Lemma exchangedK i j S : i \in S -> j \notin S -> exchanged j i (exchanged i j S) = S.
Proof.
move=> iS jS; apply/setP => x; rewrite !inE; case: (eqVneq x i) => [->|xi] //=.
by case: (eqVneq x j) => [->|xj] //=; rewrite (negbTE jS).
Qed.

Section Exchange.
Variables (i0 : 'I_n.+1) (f : batch -> R).

Lemma sum_exchanged :
  \sum_(S : batch | (#|S| == m) && (i0 \in S)) \sum_(j | j \notin S) f (exchanged i0 j S) =
  m%:R * \sum_(S : batch | (#|S| == m) && (i0 \notin S)) f S.
Proof.
rewrite mulr_sumr [RHS](eq_bigr (fun S : batch => \sum_(j in S) f S)); last first.
  by move=> S /andP[/eqP cS _]; rewrite sumr_const cS mulr_natl.
rewrite !pair_big_dep /= (reindex_onto (fun z : batch * 'I_n.+1 => (exchanged z.2 i0 z.1, z.2))
  (fun z : batch * 'I_n.+1 => (exchanged i0 z.2 z.1, z.2))) /=; last first.
  by move=> [S j] /= /andP[/andP[_ iS] jS]; rewrite exchangedK.
apply: eq_big => [[S j]|[S j]] /=.
  apply/idP/idP => [/andP[/andP[/andP[cS i0S] jS] /eqP[e]]|/andP[/andP[cS i0S] jS]].
    have i0j : i0 != j by apply: contraNneq jS => <-; rewrite !inE eqxx.
    have iS : i0 \notin S by rewrite -e !inE eqxx (negbTE i0j).
    have jS' : j \in S by rewrite -e !inE eqxx.
    by rewrite iS jS' -(exchanged_card jS' iS) cS.
  rewrite exchanged_card // cS exchangedK // eqxx andbT !inE !eqxx /= ?orbF.
  by apply: contraNneq i0S => <-.
by move=> /andP[_ /eqP[-> ]].
Qed.

Lemma sum_unchanged : \sum_(S : batch | (#|S| == m) && (i0 \in S)) \sum_(j | j \notin S) f S =
  (n.+1 - m)%:R * \sum_(S : batch | (#|S| == m) && (i0 \in S)) f S.
Proof.
rewrite mulr_sumr; apply: eq_bigr => S /andP[/eqP cS _].
by rewrite sumr_const (eq_card (B := ~: S)) => [|j]; rewrite ?inE // cardsCs setCK card_ord cS mulr_natl.
Qed.
End Exchange.

(* The share of the batches that hold a record. *)
Lemma count_with i0 : (\sum_(S : batch | (#|S| == m) && (i0 \in S)) 1 : R) = m%:R / n.+1%:R * 'C(n.+1, m)%:R.
Proof.
have N0 : n.+1%:R != 0 :> R by rewrite pnatr_eq0.
have all : 'C(n.+1, m)%:R = (\sum_(S : batch | (#|S| == m) && (i0 \in S)) 1 + \sum_(S : batch | (#|S| == m) && (i0 \notin S)) 1 : R).
  rewrite -bigID sumr_const -[X in 'C(X, m)]card_ord -(card_draws ('I_n.+1) m); congr (_ *+ _).
  by rewrite cardsE.
have := sum_exchanged i0 (fun=> 1); rewrite (sum_unchanged i0 (fun=> 1)); move: all.
set P := \sum_(S | _ && _) 1; set Q := \sum_(S | _ && _) 1 => -> h.
apply: (mulfI N0); rewrite mulrA [_ * (m%:R / _)]mulrCA divff // mulr1.
by rewrite [RHS]mulrDr -h -mulrDl -natrD subnKC.
Qed.

(* foundations.amplification-without-replacement: the base mechanism is private when a record of the batch is replaced: by the
   new record in its place (release'), or by another record of the data set. *)
Theorem hidden_batch_amplified (T : finType) a d (release release' : batch -> T -> R) i0 : 1 <= a ->
  (forall S, law (release S)) -> (forall S, law (release' S)) -> (forall S, i0 \notin S -> release S =1 release' S) ->
  (forall S, #|S| = m -> i0 \in S -> dp a d (release S) (release' S)) ->
  (forall S j, #|S| = m -> i0 \in S -> j \notin S -> dp a d (release S) (release (exchanged i0 j S))) ->
  dp (amplified (m%:R / n.+1%:R) a) (m%:R / n.+1%:R * d) (hidden_batch release) (hidden_batch release').
Proof.
move=> a1 l l' same replaced exchange A.
have N0 : 0 < n.+1%:R :> R by rewrite ltr0n.
have C0 : 'C(n.+1, m)%:R != 0 :> R by rewrite gt_eqF ?binomial_gt0.
have a0 : 0 < a by apply: lt_le_trans ltr01 a1.
have q0 : 0 <= m%:R / n.+1%:R :> R by rewrite divr_ge0 ?ler0n.
have q1 : m%:R / n.+1%:R <= 1 :> R by rewrite ler_pdivrMr // mul1r ler_nat.
have := amplified_le q1 a1; have := amplified_ge1 q0 a1; set c := amplified _ a => c1 ca.
pose P (f : batch -> T -> R) := \sum_(S : batch | (#|S| == m) && (i0 \in S)) pr (f S) A.
pose Q (f : batch -> T -> R) := \sum_(S : batch | (#|S| == m) && (i0 \notin S)) pr (f S) A.
have split_at f : 'C(n.+1, m)%:R * pr (hidden_batch f) A = P f + Q f.
  rewrite pr_bind /mean mulr_sumr -bigID [RHS]big_mkcond; apply: eq_bigr => S _.
  rewrite /batch_probability mulrA [_ * (_ / _)]mulrCA (divff C0) mulr1.
  by case: (_ == _); rewrite ?mul1r ?mul0r.
have eQ : Q release' = Q release.
  by apply: eq_bigr => S /andP[_ iS]; apply: eq_bigr => x _; rewrite same.
set count : R := \sum_(S : batch | (#|S| == m) && (i0 \in S)) 1.
have h1 : P release <= a * P release' + d * count.
  rewrite !mulr_sumr -big_split /=; apply: ler_sum => S /andP[/eqP cS iS].
  by rewrite mulr1; apply: replaced.
have h2 : (n.+1 - m)%:R * P release <= a * (m%:R * Q release) + d * ((n.+1 - m)%:R * count).
  rewrite -!sum_unchanged -sum_exchanged !mulr_sumr -big_split /=; apply: ler_sum => S /andP[/eqP cS iS].
  rewrite !mulr_sumr -big_split /=; apply: ler_sum => j jS.
  by rewrite mulr1; apply: exchange.
rewrite -(ler_pM2l binomial_gt0) split_at mulrDr mulrCA split_at eQ.
rewrite [X in _ <= _ + X](_ : _ = d * count); last by rewrite /count count_with; ring.
have ac : a - c = (a - 1) / n.+1%:R * (n.+1 - m)%:R.
  by move: N0; rewrite /c /amplified natrB //; move: (n.+1%:R : R) (m%:R : R) => x y x0; field; rewrite gt_eqF.
have cm : (a - 1) / n.+1%:R * m%:R = c - 1.
  by rewrite /c /amplified; move: (n.+1%:R^-1 : R) (m%:R : R) => x y; ring.
have weight : 0 <= (a - 1) / n.+1%:R by rewrite divr_ge0 ?subr_ge0 ?ler0n.
move: h1 h2; set p := P release; set p' := P release'; set u := Q release => h1 h2.
have := lerD (ler_wpM2l weight h2) (ler_wpM2l (le_trans ler01 c1) h1).
move: weight ac cm; set w := (a - 1) / n.+1%:R; set M := (n.+1 - m)%:R : R; set mR := m%:R : R => weight ac cm.
have -> : w * (M * p) + c * p = a * p by rewrite mulrA -ac; ring.
have -> : w * (a * (mR * u) + d * (M * count)) + c * (a * p' + d * count) = a * (w * mR * u) + d * (w * M * count) + c * (a * p' + d * count).
  by ring.
rewrite -ac cm -(lerD2r (a * u)) => h; rewrite -(ler_pM2l a0) mulrDr; apply: le_trans h _.
by rewrite le_eqVlt; apply/orP; left; apply/eqP; ring.
Qed.
End Batches.

(* The definitions compute, and the hypotheses can be met. *)
Section Examples.
Variable R : realFieldType.

Example batch_probability_computes :
  batch_probability (rat : realFieldType) 2 [set (0 : 'I_3); 1] = 3%:R^-1 /\ batch_probability (rat : realFieldType) 2 [set (0 : 'I_3)] = 0.
Proof. by rewrite /batch_probability cards2 cards1 mul1r mul0r. Qed.

Example exchanged_computes : exchanged (0 : 'I_3) 2%:R [set 0; 1] = [set 1; 2%:R].
Proof. by apply/setP => -[[|[|[|//]]] lt]; rewrite !inE. Qed.

(* A response about whether record 0 is in a batch of two of four. *)
Example hidden_batch_holds (release : {set 'I_4} -> bool -> R) : (forall S, law (release S)) -> (forall S S', dp 3%:R 0 (release S) (release S')) ->
  dp (amplified (2%:R / 4%:R) 3%:R) (2%:R / 4%:R * 0) (hidden_batch 2 release) (hidden_batch 2 release).
Proof. by move=> l H; apply: (@hidden_batch_amplified R 3 2 isT bool _ _ _ _ 0) => //; rewrite ler1n. Qed.
End Examples.
