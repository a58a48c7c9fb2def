(* Amplification by shuffling (liu2022, Theorem D.1): n + 1 adaptive randomisers in a uniform hidden order. Any two records give
   laws with densities of which the part of the one above e^e0 times the other has mass d0 at most; one record is replaced.

   in_order x       the mean of a test after releases about the records x 0, ..., x n in a uniform hidden order
   hidden_order     it is (ln a, d)-private for every lead S, with d in closed form *)
From mathcomp Require Import all_ssreflect all_algebra fingroup perm.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp.
From mathcomp Require Import measure numfun measurable_realfun lebesgue_measure lebesgue_integral probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import shuffling shuffling_bounds shuffled_releases.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Steps.
Context {R : realType} d (S : measurableType d) d' (Y : measurableType d') (mu : probability Y R).
Variables (e d0 : R).
Hypotheses (e1 : 1 < e) (d00 : 0 <= d0) (d01 : d0 < 1).
Variables (n : nat) (u : 'I_n.+1 -> S * Y -> S) (p0 p1 : 'I_n.+1 -> S * Y -> R) (p : 'I_n.+1 -> 'I_n.+1 -> S * Y -> R).
Hypotheses (mu' : forall i, measurable_fun setT (u i)).
Hypotheses (dp0 : forall i, density mu (p0 i)) (dp1 : forall i, density mu (p1 i)) (dp : forall i j, density mu (p i j)).
Local Notation close := (near mu e d0).
Hypotheses (near01 : forall i, close (p0 i) (p1 i)) (near10 : forall i, close (p1 i) (p0 i)).
Hypotheses (near0 : forall i j, close (p0 i) (p i j)) (near1 : forall i j, close (p1 i) (p i j)).
Local Notation t := ((e - 1) / (e + 1)).
Local Notation left := (1 - e^-1 + 2 * d0 / e).
Local Notation ext := (ext mu e d0).
Local Notation core := (core mu e d0).
Local Notation bounded := (@bounded_test R d S).

Let e_gt0 : 0 < e. Proof. exact: lt_trans e1. Qed.
Let ie1 : e^-1 < 1. Proof. by rewrite invf_lt1. Qed.
Let left_ge0 : 0 <= left. Proof. by rewrite addr_ge0 ?subr_ge0 ?(ltW ie1) // divr_ge0 ?(ltW e_gt0) // mulr_ge0. Qed.

Definition law_of i h : (S -> R) -> S -> R := via mu (u i) h.
Let U i (b : bool) := law_of i (if b then ext (p0 i) (p1 i) else ext (p1 i) (p0 i)).
Let O i j := law_of i (rest mu e d0 (p0 i) (p1 i) (p i j)).

Let sub01 i : sub mu (ext (p0 i) (p1 i)). Proof. exact: ext_sub. Qed.
Let sub10 i : sub mu (ext (p1 i) (p0 i)). Proof. exact: ext_sub. Qed.
Let sub_rest i j : sub mu (rest mu e d0 (p0 i) (p1 i) (p i j)). Proof. exact: rest_sub. Qed.
Let core01 i : sub mu (core (p0 i) (p1 i)). Proof. exact: core_sub. Qed.
Let core10 i : sub mu (core (p1 i) (p0 i)). Proof. exact: core_sub. Qed.

Let leaning_first s i f y : bounded f -> leaning e^-1 left U O s i ord0 f y =
  (1 + s) / 2 * law_of i (ext (p0 i) (p1 i)) f y + (1 - s) / 2 * law_of i (ext (p1 i) (p0 i)) f y.
Proof.
by move=> okf; rewrite /leaning sum_label /share eqxx /release_of /U /= mul0r add0r mulr1 mulrN1.
Qed.

Let leaning_core i f y : bounded f -> leaning e^-1 left U O t i ord0 f y = law_of i (core (p0 i) (p1 i)) f y.
Proof.
move=> okf; rewrite leaning_first // -via_comb //.
- congr (via _ _ _ _ _); apply/funext => w; rewrite [RHS](core_ext mu d0 e1).
  by congr (_ * _ + _ * _); field; rewrite gt_eqF // addr_gt0.
- by rewrite divr_ge0 // addr_ge0 // divr_ge0 ?subr_ge0 ?(ltW e1) // addr_ge0 // ltW.
- by rewrite divr_ge0 // subr_ge0 ler_pdivrMr ?addr_gt0 // mul1r; lra.
Qed.

Let leaning_core' i f y : bounded f -> leaning e^-1 left U O (- t) i ord0 f y = law_of i (core (p1 i) (p0 i)) f y.
Proof.
move=> okf; rewrite leaning_first // opprK -via_comb //.
- congr (via _ _ _ _ _); apply/funext => w; rewrite [RHS](core_ext mu d0 e1) addrC.
  by congr (_ * _ + _ * _); field; rewrite gt_eqF // addr_gt0.
- by rewrite divr_ge0 // subr_ge0 ler_pdivrMr ?addr_gt0 // mul1r; lra.
- by rewrite divr_ge0 // addr_ge0 // divr_ge0 ?subr_ge0 ?(ltW e1) // addr_ge0 // ltW.
Qed.

Let mixture i j w := p i j w + excess mu e d0 (p0 i) (p1 i) (p i j) w.

Let excess_ge0 i j w : 0 <= excess mu e d0 (p0 i) (p1 i) (p i j) w.
Proof. by rewrite /excess divr_ge0 ?mulr_ge0 ?(ltW e_gt0) // addr_ge0 // /above le_max lexx. Qed.

Let leaning_other s i j f y : j != ord0 -> bounded f ->
  fm mu (fun z => mixture i j (y, z) * f (u i (y, z))) /\
  leaning e^-1 left U O s i j f y = total mu (fun z => mixture i j (y, z) * f (u i (y, z))).
Proof.
move=> j0 okf; have g0 : 0 <= e^-1 / 2 by rewrite divr_ge0 // invr_ge0 ltW.
pose H q z := q (y, z) * f (u i (y, z)).
have fH q : sub mu q -> fm mu (H q) by move=> sq; exact: (via_fm (mu' i) y sq okf).
have f1 := fm_comb g0 g0 (fH _ (sub01 i)) (fH _ (sub10 i)).
have f2 := fm_comb ler01 left_ge0 f1 (fH _ (sub_rest i j)).
have e2 : (fun z => mixture i j (y, z) * f (u i (y, z))) = fun z => 1 * (e^-1 / 2 * H (ext (p0 i) (p1 i)) z +
    e^-1 / 2 * H (ext (p1 i) (p0 i)) z) + left * H (rest mu e d0 (p0 i) (p1 i) (p i j)) z.
  by apply/funext => z; rewrite /mixture -(rest_mixture mu e1 d00) /H /=; ring.
rewrite e2; split; first exact: f2.
rewrite (total_comb ler01 left_ge0 f1 (fH _ (sub_rest i j))) (total_comb g0 g0 (fH _ (sub01 i)) (fH _ (sub10 i))).
by rewrite /leaning sum_label /share (negPf j0) /release_of /U /O /law_of /= addrC mul1r.
Qed.

Theorem steps_in_order (a l : R) f y : 1 + t * l <= a * (1 - t * l) -> 0 <= a -> 0 <= l -> bounded f -> (forall z, f z <= 1) ->
  shuffled (fun i j => if j == ord0 then law_of i (p0 i) else law_of i (p i j)) f y <=
  a * shuffled (fun i j => if j == ord0 then law_of i (p1 i) else law_of i (p i j)) f y +
  (expR (l * (1 - l)) * (left + e^-1 * expR (- (l ^+ 2 / 2))) ^+ n + d0 + a * ((1 + 2 * d0 / e) ^+ n.+1 * ((d0 / e) *+ n))).
Proof.
move=> al a0 l0 okf f1; have g0 : 0 <= e^-1 by rewrite invr_ge0 ltW.
have k0 : 0 <= d0 / e by rewrite divr_ge0 // ltW.
have t01 : 0 <= t <= 1.
  by rewrite divr_ge0 ?subr_ge0 ?(ltW e1) ?addr_ge0 ?(ltW e_gt0) //= ler_pdivrMr ?addr_gt0 // mul1r; lra.
have subp q : density mu q -> sub mu q by exact: density_sub.
have op i h : sub mu h -> operator bounded (law_of i h) by exact: via_operator.
have one i h z : sub mu h -> law_of i h (fun=> 1) z <= 1 by exact: via1.
have tail := labels_tail n g0 left_ge0 t01 l0.
apply: (@le_trans _ _ (a * shuffled (fun i j => if j == ord0 then law_of i (p1 i) else law_of i (p i j)) f y +
  (\sum_(m : {ffun 'I_n.+1 -> option bool} | l * named R m < lead R m) weight e^-1 left t m + d0 +
   a * ((1 + 2 * d0 / e) ^+ n.+1 * ((d0 / e) *+ n))))); last by rewrite lerD2l !lerD2r.
apply: (@shuffled_close R S bounded (@bounded_cone R d S) n e^-1 left U O g0 left_ge0) => //.
- by move=> i b; apply: op; case: b.
- by move=> i j; exact: op.
- by move=> i b z; apply: one; case: b.
- by move=> i j z; exact: one.
- by move=> i; apply: op; exact: subp.
- by move=> i; apply: op; exact: subp.
- by move=> i j; apply: op; exact: subp.
- by move=> i z; apply: one; exact: subp.
- by move=> i z; apply: one; exact: subp.
- by move=> i j z; apply: one; exact: subp.
- by rewrite lerDl !mulr_ge0 // ?invr_ge0 ?ltW.
- by lra.
- move=> i h z okh h1; rewrite leaning_core //.
  have [fl small] := core_lacks e1 d01 (dp0 i) (dp1 i) (near01 i) (near10 i) z.
  apply: (total_close _ _ fl) small => [||v|v].
  + exact: (via_fm (mu' i) z (density_sub (dp0 i)) okh).
  + exact: (via_fm (mu' i) z (core01 i) okh).
  + by case: okh => _ h0 _; rewrite h0 h1.
  by rewrite addrC subrK.
- move=> i h z okh; rewrite leaning_core' //; apply: total_le => [||v].
  + exact: (via_fm (mu' i) z (core10 i) okh).
  + exact: (via_fm (mu' i) z (density_sub (dp1 i)) okh).
  by case: okh => _ h0 _; rewrite ler_wpM2r //; exact: core_le.
- move=> i j h z j0 okh; have [fq ->] := leaning_other t i z j0 okh.
  apply: total_le => [||v] //; first exact: (via_fm (mu' i) z (density_sub (dp i j)) okh).
  by case: okh => _ h0 _; rewrite ler_wpM2r // lerDl.
move=> i j h z j0 okh h1; have [fq ->] := leaning_other (- t) i z j0 okh.
have [fx small] := excess_small e1 d01 (dp0 i) (dp1 i) (near01 i) (near10 i) (dp i j) (near0 i j) (near1 i j) z.
apply: (total_close _ _ fx) small => // [|v]; first exact: (via_fm (mu' i) z (density_sub (dp i j)) okh).
by case: okh => _ h0 _; rewrite h0 h1.
Qed.
End Steps.

(* Any place may be the replaced one. *)
Section Order.
Context {R : realType} d (S : measurableType d) d' (Y : measurableType d') (mu : probability Y R).
Variables (e d0 : R) (X : Type) (n : nat) (u : 'I_n.+1 -> S * Y -> S) (p : 'I_n.+1 -> X -> S * Y -> R).
Hypotheses (e1 : 1 < e) (d00 : 0 <= d0) (mu' : forall i, measurable_fun setT (u i)).
Hypotheses (dp : forall i r, density mu (p i r)) (near_p : forall i r r', near mu e d0 (p i r) (p i r')).
Implicit Types (x : 'I_n.+1 -> X) (f : S -> R).

Definition in_order x : (S -> R) -> S -> R := shuffled (fun i j => law_of mu u i (p i (x j))).

Lemma in_order_bounds x f y : bounded_test f -> (forall z, f z <= 1) -> 0 <= in_order x f y <= 1.
Proof.
move=> okf f1; have op (s : 'S_n.+1) i : operator (@bounded_test R d S) (law_of mu u i (p i (x (s i)))).
  by apply: via_operator => //; exact: density_sub.
apply/andP; split.
  rewrite mulr_ge0 ?invr_ge0 ?ler0n // sumr_ge0 // => s _.
  by case: (ok_runs (op s) okf) => _ ge0 _; exact: ge0.
rewrite -[leRHS](shuffled_const n.+1 1) ler_wpM2l ?invr_ge0 ?ler0n //; apply: ler_sum => s _.
by apply: (runs_le1 (@bounded_cone R d S)) => // i z; apply: via1 => //; exact: density_sub.
Qed.

Definition cost a l : R := expR (l * (1 - l)) * (1 - e^-1 + 2 * d0 / e + e^-1 * expR (- (l ^+ 2 / 2))) ^+ n + d0 +
  a * ((1 + 2 * d0 / e) ^+ n.+1 * ((d0 / e) *+ n)).

Theorem hidden_order x x' j0 a l f y (t := (e - 1) / (e + 1)) : d0 < 1 -> (forall j, j != j0 -> x j = x' j) ->
  1 + t * l <= a * (1 - t * l) -> 0 <= a -> 0 <= l -> bounded_test f -> (forall z, f z <= 1) ->
  in_order x f y <= a * in_order x' f y + cost a l.
Proof.
move=> d01 same al a0 l0 okf f1; pose P (w : 'I_n.+1 -> X) i j := law_of mu u i (p i (w j)).
have relabel w : in_order w f y = shuffled (fun i j => P w i (tperm ord0 j0 j)) f y.
  congr (_ * _); rewrite [LHS](reindex_inj (mulIg (tperm ord0 j0))); apply: eq_bigr => s _.
  by congr (runs _ f y); apply/funext => i; rewrite permM.
have := @steps_in_order R d S d' Y mu e d0 e1 d00 d01 n u (fun i => p i (x j0)) (fun i => p i (x' j0))
  (fun i j => p i (x (tperm ord0 j0 j))) mu' (fun i => dp i _) (fun i => dp i _) (fun i j => dp i _) (fun i => near_p i _ _)
  (fun i => near_p i _ _) (fun i j => near_p i _ _) (fun i j => near_p i _ _) a l f y al a0 l0 okf f1.
rewrite -/(cost a l) !relabel; congr (_ <= _ * _ + _); congr (shuffled _ f y); apply/funext => i; apply/funext => j; rewrite /P.
  by case: eqP => [->|//]; rewrite tpermL.
case: eqP => [->|/eqP ne]; first by rewrite tpermL.
by congr (law_of mu u i (p i _)); apply: same; rewrite -{2}(tpermL ord0 j0) (inj_eq perm_inj).
Qed.

(* The cost, where the lead is rare. *)
Lemma cost_le a l L (N := n.+1%:R : R) : 0 <= a -> 0 <= l -> l <= 1 -> N * d0 <= 1 / 8 ->
  l * (1 - l) + L <= n%:R / e * (l ^+ 2 / 2 / (1 + l ^+ 2 / 2)) -> cost a l <= expR (- L) * (1 + 4 * (N * d0)) + d0 + a * (2 * (N * d0)).
Proof.
move=> a0 l0 l1 small key; have e0 : 0 < e by exact: lt_trans e1.
have ie0 : 0 <= e^-1 by rewrite invr_ge0 ltW.
have ie1 : e^-1 <= 1 by rewrite invf_le1 // ltW.
have nN : n%:R * d0 <= N * d0 by rewrite ler_wpM2r // ler_nat.
have N0 : 0 <= N * d0 by rewrite mulr_ge0.
have grow : expR (2 * (N * d0)) <= 1 + 4 * (N * d0).
  have pe := expR_gt0 (2 * (N * d0)); have h := expR_ge1Dx (- (2 * (N * d0))); rewrite expRN in h.
  have : (1 - 2 * (N * d0)) * expR (2 * (N * d0)) <= (expR (2 * (N * d0)))^-1 * expR (2 * (N * d0)) by rewrite ler_wpM2r // ltW.
  by rewrite mulVf ?gt_eqF // => h2; move: (N * d0) (expR _) h2 N0 small pe => q E; nra.
have pow1 (b c : R) k : 0 <= 1 + b -> k%:R * b <= c -> (1 + b) ^+ k <= expR c.
  move=> b0 kb; apply: (@le_trans _ _ (expR b ^+ k)); first by apply: lerXn2r; rewrite ?nnegrE ?expR_ge0 // expR_ge1Dx.
  by rewrite -expRM_natl ler_expR.
rewrite /cost; apply: lerD; [apply: lerD => // | apply: ler_wpM2l => //].
- set E := expR (- (l ^+ 2 / 2)); have E0 : 0 <= E by exact: expR_ge0.
  have u0 : 0 <= l ^+ 2 / 2 by rewrite divr_ge0 ?sqr_ge0.
  have fall : l ^+ 2 / 2 / (1 + l ^+ 2 / 2) <= 1 - E.
    have E1 : E <= (1 + l ^+ 2 / 2)^-1 by rewrite /E expRN lef_pV2 ?posrE ?expR_gt0 ?expR_ge1Dx // ltr_pwDl.
    rewrite (_ : _ / (1 + _) = 1 - (1 + l ^+ 2 / 2)^-1); first by rewrite lerD2l lerN2.
    by move: (l ^+ 2 / 2) u0 => v v0; field; rewrite gt_eqF // ltr_pwDl.
  have ne0 : 0 <= n%:R / e by rewrite divr_ge0 // ltW.
  rewrite (_ : 1 - _ + _ + _ = 1 + - (e^-1 * (1 - E - 2 * d0))); last by ring.
  apply: (@le_trans _ _ (expR (l * (1 - l)) * expR (- (n%:R / e * (1 - E)) + 2 * (N * d0)))).
    rewrite ler_wpM2l ?expR_ge0 //; apply: pow1.
      have : e^-1 * (1 - E - 2 * d0) <= e^-1 * 1 by rewrite ler_wpM2l //; lra.
      by lra.
    have : n%:R * d0 * e^-1 <= n%:R * d0 * 1 by rewrite ler_wpM2l // mulr_ge0.
    by lra.
  rewrite -expRD; apply: (@le_trans _ _ (expR (- L) * expR (2 * (N * d0)))); last by rewrite ler_wpM2l ?expR_ge0.
  rewrite -expRD ler_expR; have := ler_wpM2l ne0 fall; lra.
have nd : (d0 / e) *+ n <= N * d0.
  rewrite -[_ *+ n]mulr_natl; apply: le_trans nN; rewrite ler_wpM2l ?ler0n // ler_pdivrMr // ler_peMr // ltW //.
have two : (1 + 2 * d0 / e) ^+ n.+1 <= 2.
  apply: (@le_trans _ _ (expR (2 * (N * d0)))); last by lra.
  apply: pow1; first by rewrite addr_ge0 // divr_ge0 ?mulr_ge0 // ltW.
  have : N * d0 * e^-1 <= N * d0 * 1 by rewrite ler_wpM2l.
  by rewrite -/N; lra.
apply: ler_pM => //; last by rewrite mulrn_wge0 // divr_ge0 // ltW.
by rewrite exprn_ge0 // addr_ge0 // divr_ge0 ?mulr_ge0 // ltW.
Qed.
End Order.
