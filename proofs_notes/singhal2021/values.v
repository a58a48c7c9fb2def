(** singhal2021, Algorithm 1, lines 9-11, before the noise: the values of GAP-MAX.

    Labels are of any type with a decidable equality (later: subspaces). The candidates are a list c without repetitions;
    it may depend on the data, as long as the labels off the list have score 0 ([complete]). *)

From mathcomp Require Import all_ssreflect.
From mathcomp.zify Require Import zify.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.

(** * Definitions *)

Section Definitions.
Variable L : eqType.

(** The second-largest score of line 10; 0 if there are fewer than two candidates. *)
Definition second (u : L -> nat) (c : seq L) := nth 0 (sort geq [seq u t | t <- c]) 1.

(** The value max(0, u(s) - max(u(s_2), floor) - 1) of line 11 (the floor is 0 but for the random subsets of section 2.3);
    subtraction of natural numbers is this maximum with 0. Labels off the list have the value 0. *)
Definition value (floor : nat) (u : L -> nat) (c : seq L) (s : L) :=
  if s \in c then u s - maxn (second u c) floor - 1 else 0.

(** The candidates c stand for all labels: what is left out has score 0 (at most floor). *)
Definition complete (labels : pred L) (floor : nat) (u : L -> nat) (c : seq L) :=
  [/\ uniq c, forall s, s \in c -> labels s & forall s, labels s -> floor < u s -> s \in c].

(** Scores of sensitivity 1. *)
Definition close_scores (labels : pred L) (u u' : L -> nat) :=
  forall s, labels s -> u s <= (u' s).+1 /\ u' s <= (u s).+1.

(** The L1 distance of the values over a list of labels. *)
Definition l1_distance (v v' : L -> nat) (l : seq L) := \sum_(s <- l) ((v s - v' s) + (v' s - v s)).

End Definitions.

Section Values.
Variables (L : eqType) (labels : pred L) (floor : nat).
Implicit Types (u v : L -> nat) (c l : seq L).

Let geq_total : total geq. Proof. by move=> x y; apply: leq_total. Qed.
Let geq_trans : transitive geq. Proof. by move=> y x z /= xy yz; apply: leq_trans yz xy. Qed.

(** The second largest is the largest of the others, seen from a label with the largest score; and at least each other one. *)
Lemma second_largest u c s : uniq c -> s \in c -> (forall t, t \in c -> u t <= u s) ->
  second u c = \max_(t <- c | t != s) u t.
Proof.
move=> uc sc top; have pc := perm_to_rem sc.
rewrite (perm_big _ pc) big_cons eqxx /= -(big_filter (rem s c)) rem_filter //.
have -> : [seq t <- [seq x <- c | predC1 s x] | t != s] = rem s c.
  by rewrite rem_filter // -filter_predI; apply: eq_filter => t /=; rewrite andbb.
have -> : second u c = nth 0 (sort geq (u s :: [seq u t | t <- rem s c])) 1.
  by rewrite /second; congr nth; apply/perm_sortP => //; [move=> x y /= /andP[]; lia|apply: perm_map pc].
have anti : antisymmetric geq by move=> x y /= ; lia.
set r := map u (rem s c).
have sr : sort geq (u s :: r) = u s :: sort geq r.
  apply: (sorted_eq geq_trans anti) => //; first exact: sort_sorted.
    rewrite /= path_sortedE //; apply/andP; split; last exact: sort_sorted.
    by rewrite all_sort; apply/allP => _ /mapP[t tr ->] /=; apply: top; apply: mem_rem tr.
  by rewrite perm_sort perm_sym perm_cons; rewrite perm_sort.
rewrite sr /= -[RHS](big_map u xpredT id) -/r.
have : sorted geq (sort geq r) by apply: sort_sorted.
have <- : \max_(x <- sort geq r) x = \max_(x <- r) x by apply: perm_big; rewrite perm_sort.
case: (sort geq r) => [|x q] /=; first by rewrite big_nil.
rewrite path_sortedE // => /andP[/allP xq _]; rewrite big_cons.
by apply/esym/maxn_idPl/bigmax_leqP_seq => y /xq.
Qed.

Lemma exists_largest u c s : s \in c -> exists2 t, t \in c & forall t', t' \in c -> u t' <= u t.
Proof.
elim: c s => // x [|y c] IH s _; first by exists x; rewrite ?mem_head // => t; rewrite inE => /eqP ->.
have [t tc top] := IH y (mem_head _ _); case: (leqP (u x) (u t)) => xt.
  by exists t; [rewrite inE tc orbT|move=> t'; rewrite inE => /orP[/eqP ->|/top]].
exists x; first exact: mem_head.
by move=> t'; rewrite inE => /orP[/eqP -> //|/top]; move: xt; lia.
Qed.

Lemma second_ge u c s t : uniq c -> s \in c -> t \in c -> s != t -> minn (u s) (u t) <= second u c.
Proof.
move=> uc sc tc st; have [x xc top] := exists_largest u sc.
rewrite (second_largest uc xc top); case: (eqVneq s x) => [sx|sx].
  by apply: leq_trans (geq_minr _ _) _; rewrite (big_rem t) //= -sx eq_sym st leq_maxl.
by apply: leq_trans (geq_minl _ _) _; rewrite (big_rem s) //= sx leq_maxl.
Qed.

(** A value above m says that the label leads every other label by more than m + 1, whatever the list of candidates is. *)
Theorem value_above m u c s : complete labels floor u c -> labels s ->
  (m < value floor u c s) <->
  (floor + m.+2 <= u s /\ forall t, labels t -> t != s -> u t + m.+2 <= u s).
Proof.
case=> uc sub all ls; rewrite /value; split=> [|[high lead]].
  case: ifP => // sc pos; have hs : second u c + m.+2 <= u s by lia.
  have hf : floor + m.+2 <= u s by lia.
  split=> // t lt ts; case: (boolP (t \in c)) => tc.
    by have := second_ge u uc sc tc; rewrite eq_sym ts => /(_ isT); lia.
  have : u t <= floor by rewrite leqNgt; apply: contra tc; apply: all.
  by lia.
have sc : s \in c by apply: all => //; lia.
rewrite sc (second_largest uc sc) => [|t tc]; last first.
  by case: (eqVneq t s) => [->//|ts]; have := lead t (sub t tc) ts; lia.
suff : \max_(t <- c | t != s) u t <= u s - m.+2 by lia.
by apply/bigmax_leqP_seq => t tc ts; have := lead t (sub t tc) ts; lia.
Qed.

(** The list of candidates does not matter: the values of two complete lists agree. *)
Corollary value_of_list u c c' s : complete labels floor u c -> complete labels floor u c' -> labels s ->
  value floor u c s = value floor u c' s.
Proof.
move=> C C' ls; apply/eqP; rewrite eqn_leq; apply/andP; split; rewrite leqNgt; apply/negP.
  by move=> /(value_above _ C ls)/(value_above _ C' ls); rewrite ltnn.
by move=> /(value_above _ C' ls)/(value_above _ C ls); rewrite ltnn.
Qed.

Lemma value_off_labels u c s : complete labels floor u c -> ~~ labels s -> value floor u c s = 0.
Proof. by case=> _ sub _ ls; rewrite /value; case: ifP => // /sub; rewrite (negbTE ls). Qed.

Lemma positive_is_label u c s : complete labels floor u c -> 0 < value floor u c s -> labels s.
Proof. by move=> C; apply: contraLR => /(value_off_labels C) ->. Qed.

(** singhal2021.values-sparsity: at most one label has a positive value ... *)
Theorem positive_value_unique u c s t : complete labels floor u c ->
  0 < value floor u c s -> 0 < value floor u c t -> s = t.
Proof.
move=> C ps pt; apply/eqP/negPn/negP => ne.
have ls := positive_is_label C ps; have lt := positive_is_label C pt.
have [_ /(_ t lt)] := (value_above 0 C ls).1 ps; have [_ /(_ s ls)] := (value_above 0 C lt).1 pt.
by rewrite (eq_sym t) ne => /(_ isT) ? /(_ isT) ?; lia.
Qed.

Section Neighbours.
Variables (u u' : L -> nat) (c c' : seq L).
Hypotheses (near : close_scores labels u u') (C : complete labels floor u c) (C' : complete labels floor u' c').

(** ... and on two neighbours it is the same one wherever both have one. *)
Theorem positive_value_same s t : 0 < value floor u c s -> 0 < value floor u' c' t -> s = t.
Proof.
move=> ps pt; apply/eqP/negPn/negP => ne.
have ls := positive_is_label C ps; have lt := positive_is_label C' pt.
have [_ /(_ t lt)] := (value_above 0 C ls).1 ps; have [_ /(_ s ls)] := (value_above 0 C' lt).1 pt.
rewrite (eq_sym t) ne => /(_ isT) h1 /(_ isT) h2.
by have := near ls; have := near lt; lia.
Qed.

Lemma value_change s : value floor u c s <= value floor u' c' s + 2.
Proof.
case: (boolP (labels s)) => ls; last by rewrite (value_off_labels C).
case: (posnP (value floor u c s - 2)) => [|pos]; first by lia.
have [high lead] := (value_above _ C ls).1 (ltac:(lia) : (value floor u c s).-1 < value floor u c s).
suff : (value floor u c s - 3) < value floor u' c' s by lia.
apply/(value_above _ C' ls); have := near ls; split=> [|t lt ts]; first by lia.
by have := lead t lt ts; have := near lt; lia.
Qed.

End Neighbours.

(** singhal2021.values-sensitivity: the values change by at most 2 in L1, over any list of labels. *)
Theorem values_sensitivity u u' c c' l :
  close_scores labels u u' -> complete labels floor u c -> complete labels floor u' c' -> uniq l ->
  l1_distance (value floor u c) (value floor u' c') l <= 2.
Proof.
move=> near C C' ul.
have near' : close_scores labels u' u by move=> s /near[].
set v := value floor u c; set v' := value floor u' c'.
have one s : (v s - v' s) + (v' s - v s) <= 2.
  by have := value_change near C C' s; have := value_change near' C' C s; rewrite -/v -/v'; lia.
case: (boolP (has (fun s => (0 < v s) || (0 < v' s)) l)) => [/hasP[s sl ps]|/hasPn none]; last first.
  by rewrite /l1_distance big_seq big1 // => s /none; rewrite negb_or; lia.
rewrite /l1_distance (bigD1_seq s) //= big1 ?addn0 // => t ts.
suff : v t = 0 /\ v' t = 0 by case=> -> ->.
have [at_ bt] : ~ 0 < v t /\ ~ 0 < v' t.
  split=> pt; move/eqP: ts; apply; case/orP: ps => ps.
  - exact: positive_value_unique C pt ps.
  - exact (positive_value_same near C C' pt ps).
  - exact (esym (positive_value_same near C C' ps pt)).
  - exact: positive_value_unique C' pt ps.
by lia.
Qed.

(** singhal2021.algorithm-1-ties: with a tie for the first place all values are 0. *)
Theorem tie_gives_no_value u c s t : complete labels floor u c -> labels s -> labels t -> s != t -> u s = u t ->
  (forall r, labels r -> u r <= u s) -> forall r, value floor u c r = 0.
Proof.
move=> C ls lt st e top r; apply/eqP; rewrite -leqn0 leqNgt; apply/negP => pos.
have lr := positive_is_label C pos; have [_ lead] := (value_above 0 C lr).1 pos.
case: (eqVneq s r) => [sr|sr]; last by have := lead s ls sr; have := top r lr; lia.
by have := lead t lt; rewrite -sr eq_sym => /(_ st); lia.
Qed.

End Values.

(** The list itself is complete for the labels on it: GAP-MAX over a fixed list (section 1.4). *)
Lemma fixed_list_complete (L : eqType) floor (u : L -> nat) (l : seq L) : uniq l -> complete (mem l) floor u l.
Proof. by split. Qed.

(** * The bound is reached, and the definitions compute *)

(** singhal2021.values-sensitivity, the maximiser: scores (r + 3, r) and (r + 2, r + 1) on two labels. *)
Theorem values_sensitivity_reached r :
  let u (s : bool) := if s then r + 3 else r in
  let u' (s : bool) := if s then r + 2 else r + 1 in
  close_scores xpredT u u' /\ l1_distance (value 0 u [:: true; false]) (value 0 u' [:: true; false]) [:: true; false] = 2.
Proof.
have two (a b : nat) : second (fun s : bool => if s then a else b) [:: true; false] = minn a b.
  by rewrite /second /sort /=; case: leqP => /= *; lia.
split=> [[] _|]; try by lia.
by rewrite /l1_distance !big_cons big_nil /value /= !two; lia.
Qed.

Example second_computes : second (fun i => nth 0 [:: 3; 8; 5; 8] i) [:: 0; 1; 2; 3] = 8.
Proof. by vm_compute. Qed.

Example value_computes :
  [seq value 0 (fun i => nth 0 [:: 3; 9; 5] i) [:: 0; 1; 2] i | i <- [:: 0; 1; 2; 7]] = [:: 0; 3; 0; 0].
Proof. by vm_compute. Qed.

Example value_with_floor_computes : value 7 (fun i => nth 0 [:: 3; 9; 5] i) [:: 0; 1; 2] 1 = 1.
Proof. by vm_compute. Qed.

Example single_candidate : second (fun _ => 4) [:: tt] = 0 /\ value 0 (fun _ => 4) [:: tt] tt = 3.
Proof. by vm_compute. Qed.
