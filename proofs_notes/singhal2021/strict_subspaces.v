(** singhal2021, section 2, first paragraph: it is enough to bound the points in the strict subspaces of the answer. *)

From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.zify Require Import zify.
From DPPCA.singhal2021 Require Import scores general_position.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section StrictSubspaces.
Variables (F : fieldType) (n d : nat).
Implicit Types (X : 'I_n -> 'rV[F]_d) (s t : 'M[F]_d).

(** All but ell points lie in s, of dimension k, and its strict subspaces hold at most ell. *)
Definition strict_problem X k ell s :=
  [/\ \rank s = k, (n <= inside X s + ell)%N & forall t : 'M[F]_d, (t < s)%MS -> (inside X t <= ell)%N].

Lemma problem_is_strict X k ell s : problem X k ell s -> strict_problem X k ell s.
Proof.
by case=> rs close few; split=> // t; rewrite ltmxErank rs => /andP[_ /few].
Qed.

Lemma outside_le X s ell : (n <= inside X s + ell)%N -> (#|~: points_in X s| <= ell)%N.
Proof. by move=> close; rewrite cardsCs setCK card_ord; move: close; rewrite /inside /points_in; lia. Qed.

Section Answer.
Variables (X : 'I_n -> 'rV[F]_d) (k ell : nat) (sstar : 'M[F]_d).
Hypothesis strict : strict_problem X k ell sstar.

Lemma strict_score_of_answer : (n - 2 * ell <= score X sstar)%N.
Proof.
case: strict => _ close few; have : (supremum X sstar <= ell)%N by case: (supremumP X sstar) => _; apply.
by rewrite /score; lia.
Qed.

Lemma strict_score_of_others s : ~ (s :=: sstar)%MS -> (score X s <= ell)%N.
Proof.
case: strict => _ close few ne; case: (boolP (s <= sstar)%MS) => [sub|nsub].
  apply: leq_trans (score_le_inside X s) _; apply: few; rewrite ltmxE sub /=; apply/negP => sup.
  by apply: ne; apply/eqmxP; rewrite sub.
have lt : (s :&: sstar < s)%MS by rewrite ltmxE capmxSl sub_capmx submx_refl.
apply: leq_trans (score_le_outside X lt) _; apply: leq_trans (outside_le close).
by apply/subset_leq_card/subsetP => i; rewrite !inE => /andP[iIs]; rewrite sub_capmx iIs.
Qed.

(** Another subspace of dimension k - 1 may hold more than ell points, but less than 2 ell. *)
Lemma strict_outside t : (2 * ell < n)%N -> (\rank t).+1 = k -> ~~ (t <= sstar)%MS -> (inside X t <= 2 * ell - 1)%N.
Proof.
case: strict => rs close few large rt nsub; set w := (t :&: sstar)%MS.
have wt : (w < t)%MS by rewrite ltmxE capmxSl sub_capmx submx_refl.
have rw : (\rank w < \rank t)%N by move: wt; rewrite ltmxErank => /andP[].
have ws : (w <= sstar)%MS by exact: capmxSr.
have [i /andP[xs xw]] : exists i, (X i <= sstar)%MS && ~~ (X i <= w)%MS.
  apply/existsP; apply: contraLR large; rewrite negb_exists -leqNgt => /forallP all.
  have : (inside X sstar <= inside X w)%N.
    by apply/subset_leq_card/subsetP => j; rewrite !inE; have := all j; case: (X j <= sstar)%MS => //=; rewrite negbK.
  have : (inside X w <= ell)%N by apply: few; rewrite ltmxErank ws rs -rt; lia.
  by move: close; lia.
have ru : (\rank (w + X i)%MS < k)%N by rewrite rank_add_vector // -rt; lia.
have us : (w + X i < sstar)%MS by rewrite ltmxErank addsmx_sub ws xs rs ru.
have more : (inside X w < inside X (w + X i)%MS)%N.
  apply/proper_card/properP; split; first by apply/subsetP => j; rewrite !inE => /submx_trans; apply; apply: addsmxSl.
  by exists i; rewrite !inE ?addsmxSr.
have : (inside X t <= inside X w + #|~: points_in X sstar|)%N.
  apply: leq_trans (leq_card_setU _ _); apply/subset_leq_card/subsetP => j; rewrite !inE => jt.
  by rewrite /w sub_capmx jt /=; case: (X j <= sstar)%MS.
have := few _ us; have := outside_le close; lia.
Qed.
End Answer.

(** singhal2021.section-2-strict-subspaces: the scores of Lemma 2.4, uniqueness, and the points outside. *)
Theorem strict_subspaces X k ell s : strict_problem X k ell s ->
  [/\ (n - 2 * ell <= score X s)%N,
      forall s', ~ (s' :=: s)%MS -> (score X s' <= ell)%N,
      (3 * ell < n)%N -> forall s', strict_problem X k ell s' -> (s :=: s')%MS &
      (2 * ell < n)%N -> forall t : 'M[F]_d, (\rank t).+1 = k -> ~~ (t <= s)%MS -> (inside X t <= 2 * ell - 1)%N].
Proof.
move=> st; split=> [|s'|large s' st'|large t]; [exact: strict_score_of_answer st|apply: (strict_score_of_others st)| |exact: (strict_outside st)].
apply/eqmxP/negPn/negP => ne; have := strict_score_of_answer st.
have : (score X s <= ell)%N by apply: (strict_score_of_others st') => /eqmxP e; rewrite e in ne.
by lia.
Qed.
End StrictSubspaces.

(** * 2 ell - 1 is reached: a zero, four points of a plane on different lines, and two points of a line beside it *)

Definition beside (i : 'I_7) : 'rV[rat]_3 := \row_j nth 0 (nth [::] [:: [:: 0; 0; 0]; [:: 1; 0; 0]; [:: 1; 1; 0];
  [:: 1; 2%:R; 0]; [:: 1; 3%:R; 0]; [:: 0; 0; 1]; [:: 0; 0; 1]] i) j.
Definition third_axis : 'rV[rat]_3 := delta_mx 0 ord_max.
Definition first_plane : 'M[rat]_3 := pid_mx 2.

Lemma in_first_plane (x : 'rV[rat]_3) : (x <= first_plane)%MS = (x 0 ord_max == 0).
Proof.
apply/idP/eqP => [/submxP[y ->]|x0].
  by rewrite mxE !big_ord_recl big_ord0 !mxE /= !mulr0 !addr0.
apply/submxP; exists x; apply/rowP => -[[|[|[|//]]] lt]; rewrite mxE !big_ord_recl big_ord0 !mxE /= ?mulr0 ?mulr1 ?addr0 ?add0r;
  by [congr (x 0 _); apply: val_inj|rewrite -[RHS]x0; congr (x 0 _); apply: val_inj|rewrite -x0; congr (x 0 _); apply: val_inj].
Qed.

Lemma same_line (t : 'M[rat]_3) (x y : 'rV[rat]_3) : (\rank t < 2)%N -> x != 0 -> (x <= t)%MS -> (y <= t)%MS -> (y <= x)%MS.
Proof.
move=> rt x0 xt yt; apply: submx_trans (addsmxSr x y) _; rewrite -(geq_leqif (mxrank_leqif_sup (addsmxSl x y))) rank_rV x0.
by have /mxrankS : (x + y <= t)%MS; [rewrite addsmx_sub xt yt | move=> h; apply: leq_trans h _].
Qed.

Theorem strict_outside_reached : [/\ strict_problem beside 2 2 first_plane, \rank <<third_axis>>%MS = 1%N,
  ~~ (<<third_axis>> <= first_plane)%MS & inside beside <<third_axis>>%MS = (2 * 2 - 1)%N].
Proof.
have inside_plane : inside beside first_plane = 5%N.
  rewrite /inside -sum1dep_card big_mkcond /= !big_ord_recl big_ord0 !in_first_plane !mxE /=.
  by [].
split.
- split; first by rewrite rank_pid_mx.
    by rewrite inside_plane.
  move=> t; rewrite ltmxErank rank_pid_mx // => /andP[ts rt].
  suff one i j : (beside i <= t)%MS -> (beside j <= t)%MS -> (0 < i < 5)%N -> (0 < j < 5)%N -> i = j.
    have sub : [set i | (beside i <= t)%MS] \subset ord0 |: [set i : 'I_7 | (beside i <= t)%MS && (0 < i < 5)%N].
      apply/subsetP => i; rewrite !inE => it; rewrite it /=; case: (posnP i) => [e|i0] /=.
        by apply/orP; left; apply/eqP/val_inj.
      apply/orP; right; rewrite ltnNge; apply/negP => far.
      have : (beside i <= first_plane)%MS by exact: submx_trans it ts.
      by rewrite in_first_plane mxE; move: far; case: i {it i0} => -[|[|[|[|[|[|[|//]]]]]]].
    apply: leq_trans (subset_leq_card sub) _; rewrite cardsU1; apply: leq_trans (leq_add (leq_b1 _) (_ : (_ <= 1)%N)) _ => //.
    by apply/card_le1_eqP => i j; rewrite !inE => /andP[it i5] /andP[jt j5]; exact: one.
  move=> it jt i5 j5; have i0 : beside i 0 0 = 1 by rewrite mxE; move: i5; case: i {it} => -[|[|[|[|[|//]]]]].
  have j0 : beside j 0 0 = 1 by rewrite mxE; move: j5; case: j {jt} => -[|[|[|[|[|//]]]]].
  have /sub_rVP[c e] : (beside j <= beside i)%MS.
    apply: same_line it jt => //; apply/eqP => /rowP/(_ 0)/eqP.
    by rewrite i0 mxE oner_eq0.
  have c1 : c = 1 by rewrite -j0 e mxE i0 mulr1.
  move: e; rewrite c1 scale1r => /rowP/(_ 1).
  rewrite !mxE; move: i5 j5; case: i {it i0} => -[|[|[|[|[|//]]]]] //= ? _; case: j {jt j0} => -[|[|[|[|[|//]]]]] //= ? _ /eqP;
    by [move=> _; apply: val_inj | rewrite ?[_ == 0]eq_sym ?(eqr_nat _ 0) ?(eqr_nat _ 1)].
- by rewrite genmxE rank_rV; apply/eqP; rewrite eqb1; apply/eqP => /rowP/(_ ord_max)/eqP; rewrite !mxE eqxx oner_eq0.
- by rewrite genmxE in_first_plane mxE eqxx oner_eq0.
rewrite /inside -sum1dep_card big_mkcond /= !big_ord_recl big_ord0 !genmxE.
have on_axis i : (beside i <= third_axis)%MS = (beside i 0 0 == 0) && (beside i 0 1 == 0).
  apply/idP/andP => [/sub_rVP[c ->]|[/eqP e0 /eqP e1]]; first by rewrite !mxE /= mulr0 eqxx.
  apply/sub_rVP; exists (beside i 0 ord_max); apply/rowP => -[[|[|[|//]]] lt]; rewrite [RHS]mxE [X in _ = _ * X]mxE /= ?mulr0 ?mulr1.
  - by rewrite -[RHS]e0; congr (beside i 0 _); apply: val_inj.
  - by rewrite -[RHS]e1; congr (beside i 0 _); apply: val_inj.
  - by congr (beside i 0 _); apply: val_inj.
by rewrite !on_axis !mxE.
Qed.

Example strict_subspaces_hold : strict_problem beside 2 2 first_plane /\ inside beside <<third_axis>>%MS = 3%N.
Proof. by case: strict_outside_reached. Qed.
