(* Who depends on one record in liu2022: pairs and subsets (Algorithm 4), batches and their halves (Algorithm 3, Equation
   (7)). And what happens to them when a record is removed instead: all places move. *)
From mathcomp Require Import all_ssreflect.
From mathcomp.zify Require Import zify.
From DPPCA.lib Require Import neighbours.
From DPPCA.primitives Require Import histogram_counts.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(* Algorithm 4: the gradients g, in pairs (2p, 2p + 1); subset j holds the pairs j b, ..., j b + b - 1; one number per
   subset, the bin of its top eigenvalue, is what the histogram counts. [bin] is any function of a subset. *)
Section Pairs.
Variables (G U : Type) (T : eqType) (difference : G -> G -> U) (bin : seq U -> T) (b : nat).
Implicit Types g : nat -> G.

Definition pair g p := difference (g p.*2) (g p.*2.+1).
Definition subset_of g j := mkseq (fun l => pair g (j * b + l)) b.
Definition item g j := bin (subset_of g j).

(* liu2022.theorem-6.1-privacy: a gradient is in one pair, *)
Theorem one_pair g g' i0 p : differ_at i0 g g' -> p != i0./2 -> pair g p = pair g' p.
Proof. by move=> same ne; rewrite /pair !same //; lia. Qed.

(* that in one subset, *)
Theorem one_subset g g' i0 : differ_at i0 g g' -> differ_at (i0./2 %/ b) (item g) (item g').
Proof.
move=> same j ne; congr bin; apply/eq_in_map => l; rewrite mem_iota add0n => lt.
apply: (one_pair same); apply: contra ne => /eqP <-; rewrite divnMDl; last by lia.
by rewrite divn_small ?addn0.
Qed.

(* so that the counts of the k bins change by 2 in all. *)
Theorem eigenvalue_sensitivity k g g' i0 cells : differ_at i0 g g' -> uniq cells ->
  l1_change k (item g) (item g') cells <= 2.
Proof. by move=> same uc; apply: histogram_sensitivity (one_subset same) uc. Qed.
End Pairs.

Definition zero_bin (s : seq nat) := all (pred1 0) s.
Definition absdiff x y := (x - y) + (y - x).
Definition zeros (i : nat) := 0.
Definition one_at (i0 i : nat) : nat := i == i0.

(* liu2022.theorem-6.1-privacy: reached for every number k of subsets of b pairs and every gradient i0 in them: all
   gradients 0, against this one 1; the bin is whether all differences of a subset are 0. *)
Theorem eigenvalue_sensitivity_reached k b i0 : i0 < (k * b).*2 ->
  l1_change k (item absdiff zero_bin b zeros) (item absdiff zero_bin b (one_at i0)) [:: true; false] = 2.
Proof.
move=> lt; have b0 : 0 < b by case: b lt => //; rewrite muln0.
have same : differ_at i0 zeros (one_at i0) by move=> i /negPf; rewrite /one_at => ->.
have pk : i0./2 < k * b by lia.
have item0 j : item absdiff zero_bin b zeros j = true.
  by rewrite /item /zero_bin all_map; apply/allP.
have item1 : item absdiff zero_bin b (one_at i0) (i0./2 %/ b) = false.
  apply/negbTE/allPn; exists (pair absdiff (one_at i0) i0./2).
    apply/mapP; exists (i0./2 %% b); first by rewrite mem_iota add0n ltn_mod.
    by rewrite -divn_eq.
  have even_at : (i0./2.*2 == i0) = ~~ odd i0 by have := odd_double_half i0; case: odd; lia.
  have odd_at : (i0./2.*2.+1 == i0) = odd i0 by have := odd_double_half i0; case: odd; lia.
  by rewrite /pair /absdiff /one_at even_at odd_at; case: odd.
apply: (@histogram_sensitivity_reached _ _ _ _ (i0./2 %/ b)) => //; rewrite ?item0 ?item1 //.
- exact: one_subset.
- by rewrite ltn_divLR.
Qed.

(* liu2022.theorem-6.1-privacy, the relation of print: without the first record every difference is another one. The data
   are 0, 1, 1, 0, 0, 1, 1, 0, ...: all differences are 1 in absolute value, and after the removal all are 0. *)
Definition alternating i : nat := odd i.+1./2.

Theorem removal_changes_all_pairs p :
  pair absdiff alternating p = 1 /\ pair absdiff (without_first alternating) p = 0.
Proof.
have e1 : p.*2.+1./2 = p by lia.
have e2 : p.*2.+2./2 = p.+1 by lia.
have e3 : p.*2.+3./2 = p.+1 by lia.
by rewrite /pair /without_first /alternating e1 e2 e3 oddS; case: (odd p).
Qed.

Theorem removal_changes_all_items k : let cells := [:: true; false] in
  l1_change k (item absdiff zero_bin 1 alternating) (item absdiff zero_bin 1 (without_first alternating)) cells = k.*2.
Proof.
have item_of g j : item absdiff zero_bin 1 g j = (pair absdiff g j == 0).
  by rewrite /item /subset_of /= muln1 addn0 andbT.
have counts g v : (forall p, (pair absdiff g p == 0) = v) ->
    forall c, cell_count k (item absdiff zero_bin 1 g) c = if v == c then k else 0.
  move=> e c; have -> : cell_count k (item absdiff zero_bin 1 g) c = count_mem c (nseq k v).
    congr (count_mem c _); apply: (@eq_from_nth _ v) => [|j]; rewrite size_mkseq ?size_nseq // => lt.
    by rewrite nth_mkseq // nth_nseq lt item_of e.
  by rewrite count_nseq /=; case: eqP; rewrite ?mul1n ?mul0n.
have all1 : forall p, (pair absdiff alternating p == 0) = false by move=> p; case: (removal_changes_all_pairs p) => ->.
have all0 : forall p, (pair absdiff (without_first alternating) p == 0) = true.
  by move=> p; case: (removal_changes_all_pairs p) => _ ->.
by rewrite /l1_change /= !(counts _ _ all1) !(counts _ _ all0) /=; lia.
Qed.

(* Algorithm 3 and Equation (7): T batches of B records by their places; Algorithm 3 halves a batch. *)
Section Batches.
Variables (T : Type) (B : nat).
Implicit Types x : nat -> T.
Definition batch x t := [seq x i | i <- iota (t * B) B].
Definition first_half x t := [seq x i | i <- iota (t * B) B./2].
Definition second_half x t := [seq x i | i <- iota (t * B + B./2) B./2].

(* liu2022.lemma-b.2, replace-one: a record is in one batch, *)
Theorem one_batch x x' i0 t : differ_at i0 x x' -> t != i0 %/ B -> batch x t = batch x' t.
Proof.
move=> same ne; apply/eq_in_map => i; rewrite mem_iota => /andP[le lt]; apply: same; apply: contra ne => /eqP <-.
by apply/eqP; nia.
Qed.

(* liu2022.algorithm-3-halves: and in one half of it. *)
Theorem one_half x x' i0 t : differ_at i0 x x' ->
  [/\ t != i0 %/ B -> first_half x t = first_half x' t, t != i0 %/ B -> second_half x t = second_half x' t
    & first_half x t = first_half x' t \/ second_half x t = second_half x' t].
Proof.
move=> same; have part k (n : nat) : (forall i, k <= i < k + n -> i != i0) -> [seq x i | i <- iota k n] = [seq x' i | i <- iota k n].
  by move=> H; apply/eq_in_map => i; rewrite mem_iota => /H/same.
split=> [ne|ne|]; first by apply: part => i ?; apply: contra ne => /eqP <-; apply/eqP; nia.
  by apply: part => i ?; apply: contra ne => /eqP <-; apply/eqP; nia.
by have [lt|le] := ltnP i0 (t * B + B./2); [right|left]; apply: part => i ?; lia.
Qed.

(* Of a half, one record changes. *)
Theorem one_record x x' i0 k : differ_at i0 x x' ->
  differ_at (i0 - k) (fun l => x (k + l)) (fun l => x' (k + l)) \/ forall l, x (k + l) = x' (k + l).
Proof.
move=> same; have [le|lt] := leqP k i0; [left=> l ne | right=> l]; apply: same; last by lia.
by apply: contra ne => /eqP e; apply/eqP; lia.
Qed.
End Batches.

(* liu2022.lemma-b.2 and liu2022.definition-2.3, the relation of print: without the first record every batch is another one. *)
Theorem removal_changes_all_batches B t : 0 < B -> batch B id t <> batch B (without_first id) t.
Proof. by case: B => // B _; rewrite /batch /without_first /= => -[]; lia. Qed.

(* The number of steps depends on n, which is public under replace-one only: Algorithm 3 has n / B steps. *)
Theorem removal_changes_steps B : 0 < B -> B %/ B = 1 /\ B.-1 %/ B = 0.
Proof. by move=> B0; rewrite divnn B0 divn_small //; lia. Qed.

(* The definitions compute. *)
Example item_computes : item absdiff zero_bin 2 (nth 0 [:: 1; 1; 2; 2; 5; 4; 3; 3]) 0 = true. Proof. by []. Qed.
Example item_computes' : item absdiff zero_bin 2 (nth 0 [:: 1; 1; 2; 2; 5; 4; 3; 3]) 1 = false. Proof. by []. Qed.
Example batch_computes : batch 3 id 1 = [:: 3; 4; 5]. Proof. by []. Qed.
Example halves_compute : first_half 5 id 1 = [:: 5; 6] /\ second_half 5 id 1 = [:: 7; 8]. Proof. by []. Qed.
Example alternating_computes : [seq alternating i | i <- iota 0 7] = [:: 0; 1; 1; 0; 0; 1; 1]%N. Proof. by []. Qed.
Example one_at_differs : differ_at 4 zeros (one_at 4). Proof. by move=> i /negPf; rewrite /one_at => ->. Qed.
