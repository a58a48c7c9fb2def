(* Private selection among private candidates on any measurable space: the best of K runs, K hidden and geometric,
   P(K = j) = gamma (1 - gamma)^(j - 1). What private_selection.v proves about finitely many outcomes holds for each event,
   by outcomes that are the level of the score and whether the event happens.

   keep score mu j F y       y is the best so far, j runs of law mu are to come; the mean of F of the best of all. A later run
                             wins only by a higher score; a run of score -oo wins against none
   best_of_runs score mu j A   the probability that the best of j + 1 runs lies in A
   selected score gamma mu A   that of the best of K runs
   spread score mu A         scores that differ by little are rarely met twice: the scores fall into finitely many levels, each
                             of which either has a small probability, or does not tell A from its complement *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import reals ereal interval_inference topology normedtype sequences esum exp measure numfun measurable_realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral.
From mathcomp Require Import ring lra zify.
From DPPCA.lib Require discrete.
From DPPCA.lib Require Import measure real_releases.
From DPPCA.primitives Require Import private_selection.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Import numFieldTopology.Exports numFieldNormedType.Exports.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

(* The same for ranks: the mean of f of the largest of m and j ranks of law p. *)
Section Ranks.
Context {R : realFieldType} {n : nat}.
Implicit Types (p : 'I_n -> R) (f : nat -> R).

Fixpoint keep_rank p j f m : R := if j is j'.+1 then \sum_x p x * keep_rank p j' f (maxn m x) else f m.

Lemma keep_rank_01 p j f m : discrete.law p -> (forall x, 0 <= f x <= 1) -> 0 <= keep_rank p j f m <= 1.
Proof.
move=> [p0 p1] f01; elim: j m => [//|j IH] m /=; apply/andP; split.
  by apply: sumr_ge0 => x _; rewrite mulr_ge0 //; case/andP: (IH (maxn m x)).
rewrite -p1; apply: ler_sum => x _; rewrite ler_piMr //; by case/andP: (IH (maxn m x)).
Qed.

Lemma keep_rank_below p j N m : keep_rank p j (fun x => (x < N)%N%:R) m = (m < N)%N%:R * below val N p ^+ j.
Proof.
elim: j m => [|j IH] m /=; first by rewrite expr0 mulr1.
rewrite exprS {1}/below [in RHS]big_mkcond mulr_suml mulr_sumr; apply: eq_bigr => x _; rewrite IH gtn_max.
by case: (m < N)%N; case: (x < N)%N; rewrite /= ?mul0r ?mulr0 ?mul1r ?mul0r.
Qed.

Lemma keep_rank_sum p j f m : (m < n)%N ->
  keep_rank p j f m = \sum_(t < n) f t * (keep_rank p j (fun x => (x < t.+1)%N%:R) m - keep_rank p j (fun x => (x < t)%N%:R) m).
Proof.
elim: j m => [|j IH] m mn /=.
  rewrite (bigD1 (Ordinal mn)) //= ltnSn ltnn subr0 mulr1 big1 ?addr0 // => t tm.
  have ne : val t != m by apply: contraNneq tm => tm; apply/eqP/val_inj.
  by rewrite ltnS (leq_eqVlt m) eq_sym (negPf ne) subrr mulr0.
transitivity (\sum_(x < n) \sum_(t < n) p x * (f t * (keep_rank p j (fun x => (x < t.+1)%N%:R) (maxn m x) -
    keep_rank p j (fun x => (x < t)%N%:R) (maxn m x)))).
  by apply: eq_bigr => x _; rewrite IH ?gtn_max ?mn ?ltn_ord // mulr_sumr.
rewrite exchange_big; apply: eq_bigr => t _; rewrite mulrBr !mulr_sumr -sumrB; apply: eq_bigr => x _; ring.
Qed.

(* Begun with a run, it is best_of. *)
Lemma keep_rank_best p j f : \sum_x p x * keep_rank p j f x = \sum_(t < n) f t * best_of val j.+1 p t.
Proof.
under eq_bigr => x _ do rewrite keep_rank_sum // mulr_sumr.
rewrite exchange_big; apply: eq_bigr => t _; rewrite /best_of /at_most /worse.
have e N : \sum_(x < n) p x * keep_rank p j (fun x => (x < N)%N%:R) x = below val N p ^+ j.+1.
  rewrite exprS {1}/below [in RHS]big_mkcond mulr_suml; apply: eq_bigr => x _.
  by rewrite keep_rank_below; case: (_ < _)%N; rewrite ?mul1r // !mul0r mulr0.
by rewrite -!e -sumrB mulr_sumr; apply: eq_bigr => x _; ring.
Qed.
End Ranks.

Section Best.
Context {R : realType} d (Z : measurableType d).
Variables (score : Z -> \bar R).
Hypothesis m_score : measurable_fun setT score.
Implicit Types (mu nu : probability Z R) (A : set Z) (F : Z -> \bar R) (y z : Z) (gamma : R).

Definition better y z : Z := if (score y < score z)%E then z else y.

Fixpoint keep mu j F y : \bar R := if j is j'.+1 then (\int[mu]_z keep mu j' F (better y z))%E else F y.

Definition best_of_runs mu j A : \bar R := (\int[mu]_y keep mu j (fun z => (\1_A z)%:E) y)%E.
Definition selected gamma mu A : \bar R := (\sum_(0 <= j <oo) (gamma * (1 - gamma) ^+ j)%:E * best_of_runs mu j A)%E.

Lemma measurable_better : measurable_fun setT (fun w : Z * Z => better w.1 w.2).
Proof.
apply: measurable_fun_ifT; [|exact: measurable_snd|exact: measurable_fst].
apply: (measurable_fun_bool true) => //; rewrite (_ : _ @^-1` _ = setT `&` [set w : Z * Z | (score w.1 < score w.2)%E]).
  by rewrite setTI; apply: emeasurable_fun_lt => //; exact: measurableT_comp.
by apply/seteqP; split=> w /=; [split | case].
Qed.

Lemma probability_mean_01 mu F : test F -> (0 <= \int[mu]_z F z <= 1)%E.
Proof.
move=> [mF F01]; apply/andP; split; first by apply: integral_ge0 => z _; case/andP: (F01 z).
have <- : (\int[mu]_z (cst 1%E : Z -> \bar R) z = 1)%E by rewrite integral_cst // mul1e; exact: probability_setT.
by apply: ge0_le_integral => // z _; case/andP: (F01 z).
Qed.

Lemma test_keep mu j F : test F -> test (keep mu j F).
Proof.
elim: j => [//|j IH] /IH tF /=.
pose G (w : Z * Z) := keep mu j F (better w.1 w.2).
have tG : test G := test_comp measurable_better tF.
split=> [|y]; last by apply: probability_mean_01; exact: (test_comp (f := fun z => (y, z)) (measurable_pair1 y) tG).
have [mG G01] := tG; have G0 w : (0 <= G w)%E by case/andP: (G01 w).
have mF : measurable_fun setT (fubini_F mu G) by exact: measurable_fun_fubini_tonelli_F.
exact: mF.
Qed.

(* Levels of the score, and the rank that a run has by its level and by whether it lies in A. *)
Section Levels.
Variables (A : set Z) (N : nat) (level : Z -> 'I_N).
Hypotheses (mA : measurable A) (m_level : forall l, measurable [set z | level z = l]).
Hypothesis level_score : forall y z, (score y <= score z)%E -> (level y <= level z)%N.

Lemma rank_lt z : ((level z).*2 + (z \in A) < N.*2)%N.
Proof. by have := ltn_ord (level z); case: (z \in A); lia. Qed.
Definition rank z : 'I_N.*2 := Ordinal (rank_lt z).

Lemma measurable_rank x : measurable [set z | rank z = x].
Proof.
have xN : (x./2 < N)%N by have := ltn_ord x; lia.
rewrite (_ : [set z | _] = [set z | level z = Ordinal xN] `&` (if odd x then A else ~` A)).
  by apply: measurableI => //; case: ifP => _ //; exact: measurableC.
apply/seteqP; split=> z /=.
  move=> e; have ox : odd x = (z \in A) by rewrite -e /= oddD odd_double /=; case: (z \in A).
  split; first by apply: val_inj => /=; rewrite -e /=; case: (z \in A); lia.
  by rewrite ox; case: (boolP (z \in A)) => [/set_mem|/negP zA] // /mem_set.
case=> [zl zA]; apply: val_inj => /=; rewrite zl /=; move: zA.
have := odd_double_half x; case: (odd x) => half zA; first by rewrite mem_set //; lia.
by rewrite memNset //; lia.
Qed.

Definition rank_law mu (x : 'I_N.*2) : R := fine (mu [set z | rank z = x]).

Let massE mu x : mu [set z | rank z = x] = (rank_law mu x)%:E.
Proof. by rewrite fineK // fin_num_measure //; exact: measurable_rank. Qed.

Let rank_sum (g : 'I_N.*2 -> R) z : (g (rank z))%:E = (\sum_x (g x)%:E * (\1_[set z | rank z = x] z)%:E)%E.
Proof.
rewrite (bigD1 (rank z)) //= indicE mem_set // mule1 big1 ?adde0 // => x xz.
by rewrite indicE memNset ?mule0 // => /= e; rewrite e eqxx in xz.
Qed.

Lemma measurable_of_rank (g : 'I_N.*2 -> R) : measurable_fun setT (fun z => (g (rank z))%:E).
Proof.
under eq_fun do rewrite rank_sum; apply: emeasurable_sum => x; apply: measurable_funeM.
by apply/measurable_EFinP; apply: measurable_indic; exact: measurable_rank.
Qed.

Lemma integral_rank mu (g : 'I_N.*2 -> R) : (forall x, 0 <= g x) -> (\int[mu]_z (g (rank z))%:E = (\sum_x rank_law mu x * g x)%:E)%E.
Proof.
move=> g0; have mi x : measurable_fun setT (fun z => (\1_[set z | rank z = x] z)%:E : \bar R).
  by apply/measurable_EFinP; apply: measurable_indic; exact: measurable_rank.
under eq_integral do rewrite rank_sum; rewrite ge0_integral_sum //.
- rewrite -sumEFin; apply: eq_bigr => x _; rewrite ge0_integralZl_EFin //; last by move=> z _; rewrite lee_fin.
  rewrite integral_indic //; last exact: measurable_rank.
  by rewrite setIT EFinM muleC; congr (_ * _)%E; exact: massE.
- by move=> x; exact: measurable_funeM.
- by move=> x z _; rewrite mule_ge0 ?lee_fin.
Qed.

Lemma law_rank mu : discrete.law (rank_law mu).
Proof.
split=> [x|]; first by rewrite fine_ge0.
apply: (@EFin_inj R); rewrite (eq_bigr (fun x => rank_law mu x * 1)) => [|x _]; last by rewrite mulr1.
rewrite -integral_rank // (_ : (fun _ => _) = cst 1%E) // integral_cst // mul1e; exact: probability_setT.
Qed.

Lemma dp_rank mu nu a t : indist a t mu nu -> discrete.dp a t (rank_law mu) (rank_law nu).
Proof.
move=> H B; have mS : measurable [set z | rank z \in B].
  rewrite (_ : [set _ | _] = \bigcup_(x in [set` enum B]) [set z | rank z = x]).
    by rewrite bigcup_seq; apply: bigsetU_measurable => x _; exact: measurable_rank.
  apply/seteqP; split=> z /=; last by case=> x /=; rewrite mem_enum => xB ->.
  by move=> zB; exists (rank z) => //=; rewrite mem_enum.
have prE m : (discrete.pr (rank_law m) B)%:E = m [set z | rank z \in B].
  rewrite discrete.pr_mean /discrete.mean -integral_rank // -[in RHS](setIT [set _ | _]) -integral_indic //.
  apply: eq_integral => z _; rewrite indicE (_ : (z \in _) = (rank z \in B)) //.
  by apply/idP/idP => [/set_mem //|zB]; exact: mem_set.
by have := H _ mS; rewrite -!prE -EFinM -EFinD lee_fin.
Qed.

Local Notation bit := (fun x : nat => (odd x)%:R : R).
Local Notation inside := (fun z => (\1_A z)%:E : \bar R).

Let test_inside : test inside. Proof. exact: test_event. Qed.
Let bit01 (x : nat) : 0 <= bit x <= 1. Proof. by rewrite ler0n lern1 leq_b1. Qed.
Let rank01 mu j m : 0 <= keep_rank (rank_law mu) j bit m <= 1.
Proof. by apply: keep_rank_01 => //; exact: law_rank. Qed.
Let test_next mu j y : test (fun z => keep mu j inside (better y z)).
Proof.
apply: (test_comp (f := fun z => better y z)); last exact: test_keep.
exact: (measurableT_comp measurable_better (measurable_pair1 y)).
Qed.

Lemma better_level y z : level (better y z) = maxn (level y) (level z) :> nat.
Proof.
rewrite /better; case: ifP => [/ltW/level_score le|/negbT]; first by rewrite (maxn_idPr le).
by rewrite -leNgt => /level_score le; rewrite (maxn_idPl le).
Qed.

(* What ties among equal levels can give: all to A, *)
Lemma keep_upper mu j y m : level y = m./2 :> nat -> (y \in A -> odd m) ->
  (keep mu j inside y <= (keep_rank (rank_law mu) j bit m)%:E)%E.
Proof.
elim: j y m => [|j IH] y m ym yA /=.
  by rewrite lee_fin indicE; case: (y \in A) yA => [->//|_]; case/andP: (bit01 m).
rewrite -(integral_rank mu (g := fun x : 'I_N.*2 => keep_rank (rank_law mu) j bit (maxn m x))); last first.
  by move=> x; case/andP: (rank01 mu j (maxn m x)).
have [mF F01] := test_next mu j y; apply: ge0_le_integral => //.
- by move=> z _; case/andP: (F01 z).
- by move=> z _; rewrite lee_fin; case/andP: (rank01 mu j (maxn m (rank z))).
- exact: (measurable_of_rank (fun x : 'I_N.*2 => keep_rank (rank_law mu) j bit (maxn m x))).
move=> z _; have zl := rank_lt z; apply: IH; first by rewrite better_level ym /=; case: (z \in A); lia.
rewrite /better; case: ifP => [/ltW/level_score le zA|/negbT]; first by rewrite ym in le; rewrite /= zA; lia.
by rewrite -leNgt => /level_score; rewrite ym => le /yA om; rewrite /=; case: (z \in A); lia.
Qed.

Lemma rank_better y z : level y != level z \/ (y \in A) = (z \in A) -> rank (better y z) = maxn (rank y) (rank z) :> nat.
Proof.
have e u : (rank u : nat) = ((level u).*2 + (u \in A))%N by [].
have ne : level y != level z -> (level y : nat) <> level z by move=> /eqP ne /val_inj.
rewrite /better !e; case: ifP => [/ltW/level_score|/negbT]; last rewrite -leNgt => /level_score.
  by move=> le [/ne {}ne|->]; case: (z \in A); try case: (y \in A); lia.
by move=> le [/ne {}ne|->]; case: (z \in A); try case: (y \in A); lia.
Qed.

(* and not more than that, but with a probability of at most eta a run. *)
Definition told_apart mu (eta : R) :=
  forall l, (mu [set z | level z = l] <= eta%:E)%E \/ forall y z, level y = l -> level z = l -> (y \in A) = (z \in A).

Lemma keep_lower mu j y eta : 0 <= eta -> told_apart mu eta ->
  ((keep_rank (rank_law mu) j bit (rank y))%:E <= keep mu j inside y + (j%:R * eta)%:E)%E.
Proof.
move=> eta0 apart; elim: j y => [|j IH] y.
  by rewrite /= mul0r adde0 lee_fin indicE oddD odd_double oddb.
have [S [mS muS same]] : exists S, [/\ measurable S, (mu S <= eta%:E)%E &
    forall z, ~ S z -> level y != level z \/ (y \in A) = (z \in A)].
  case: (apart (level y)) => [small|const].
    by exists [set z | level z = level y]; split=> // z nS; left; apply/eqP => e; apply: nS.
  exists set0; split; rewrite ?measure0 ?lee_fin // => z _.
  by case: (eqVneq (level y) (level z)) => [e|]; [right; apply: const | left].
have [mF F01] := test_next mu j y; have F0 z : (0 <= keep mu j inside (better y z))%E by case/andP: (F01 z).
have c0 : 0 <= j%:R * eta by rewrite mulr_ge0.
have mI : measurable_fun setT (fun z => (\1_S z)%:E : \bar R) by apply/measurable_EFinP; exact: measurable_indic.
have i0 z : (0 <= (\1_S z)%:E :> \bar R)%E by rewrite lee_fin.
have mc : measurable_fun setT (cst (j%:R * eta)%:E : Z -> \bar R) by exact: measurable_cst.
rewrite /= -(integral_rank mu (g := fun x : 'I_N.*2 => keep_rank (rank_law mu) j bit (maxn (rank y) x))); last first.
  by move=> x; case/andP: (rank01 mu j (maxn (rank y) x)).
apply: (@le_trans _ _ (\int[mu]_z (keep mu j inside (better y z) + ((j%:R * eta)%:E + (\1_S z)%:E)))%E).
  apply: ge0_le_integral => //.
  - by move=> z _; rewrite lee_fin; case/andP: (rank01 mu j (maxn (rank y) (rank z))).
  - exact: (measurable_of_rank (fun x : 'I_N.*2 => keep_rank (rank_law mu) j bit (maxn (rank y) x))).
  - by move=> z _; rewrite !adde_ge0.
  - by apply: emeasurable_funD => //; exact: emeasurable_funD.
  move=> z _; case: (pselect (S z)) => Sz; last first.
    by rewrite indicE memNset // adde0 -rank_better; [exact: IH | exact: same].
  rewrite indicE mem_set // addeA; apply: (@le_trans _ _ 1%E); last by rewrite leeDr // adde_ge0.
  by rewrite lee_fin; case/andP: (rank01 mu j (maxn (rank y) (rank z))).
rewrite ge0_integralD //; last 2 first.
- by move=> z _; rewrite adde_ge0.
- exact: emeasurable_funD.
rewrite leeD2l // ge0_integralD // integral_indic // setIT -natr1 mulrDl mul1r EFinD; apply: leeD => //.
rewrite (_ : (\int[mu]_z _ = (j%:R * eta)%:E)%E) // integral_cst //.
by transitivity ((j%:R * eta)%:E * 1)%E; [congr (_ * _)%E; exact: probability_setT | rewrite mule1].
Qed.

Let mass_at mu j := \sum_(x < N.*2) bit x * best_of val j.+1 (rank_law mu) x.

Lemma best_upper mu j : (best_of_runs mu j A <= (mass_at mu j)%:E)%E.
Proof.
rewrite /mass_at -(keep_rank_best (rank_law mu) j bit).
rewrite -(integral_rank mu (g := fun x : 'I_N.*2 => keep_rank (rank_law mu) j bit x)); last first.
  by move=> x; case/andP: (rank01 mu j x).
have [mF F01] := test_keep mu j test_inside; apply: ge0_le_integral => //.
- by move=> z _; case/andP: (F01 z).
- by move=> z _; rewrite lee_fin; case/andP: (rank01 mu j (rank z)).
- exact: (measurable_of_rank (fun x : 'I_N.*2 => keep_rank (rank_law mu) j bit x)).
by move=> z _; apply: keep_upper; rewrite /= ?oddD ?odd_double => //=; [case: (z \in A); lia | move=> ->].
Qed.

Lemma best_lower mu j eta : 0 <= eta -> told_apart mu eta -> ((mass_at mu j)%:E <= best_of_runs mu j A + (j%:R * eta)%:E)%E.
Proof.
move=> eta0 apart; rewrite /mass_at -(keep_rank_best (rank_law mu) j bit).
rewrite -(integral_rank mu (g := fun x : 'I_N.*2 => keep_rank (rank_law mu) j bit x)); last first.
  by move=> x; case/andP: (rank01 mu j x).
have c0 : 0 <= j%:R * eta by rewrite mulr_ge0.
have [mF F01] := test_keep mu j test_inside; have F0 z : (0 <= keep mu j inside z)%E by case/andP: (F01 z).
have mc : measurable_fun setT (cst (j%:R * eta)%:E : Z -> \bar R) by exact: measurable_cst.
have ec : (\int[mu]_z (cst (j%:R * eta)%:E : Z -> \bar R) z = (j%:R * eta)%:E)%E.
  rewrite integral_cst //; transitivity ((j%:R * eta)%:E * 1)%E; last by rewrite mule1.
  by congr (_ * _)%E; exact: probability_setT.
rewrite -[X in (_ + X)%E]ec -ge0_integralD //.
apply: ge0_le_integral => //.
- by move=> z _; rewrite lee_fin; case/andP: (rank01 mu j (rank z)).
- exact: (measurable_of_rank (fun x : 'I_N.*2 => keep_rank (rank_law mu) j bit x)).
- by move=> z _; rewrite adde_ge0 // lee_fin.
- exact: emeasurable_funD.
by move=> z _; exact: keep_lower.
Qed.

Section Geometric.
Variable gamma : R.
Hypotheses (gamma_gt0 : 0 < gamma) (gamma_le1 : gamma <= 1).
Let w j := gamma * (1 - gamma) ^+ j.
Let w0 j : 0 <= w j. Proof. by rewrite mulr_ge0 ?(ltW gamma_gt0) // exprn_ge0 // subr_ge0. Qed.
Let mass mu := \sum_(x < N.*2) bit x * best val gamma (rank_law mu) x.

Lemma best_of_runs_01 mu j : (0 <= best_of_runs mu j A <= 1)%E.
Proof. exact: probability_mean_01 (test_keep mu j test_inside). Qed.

Let up_to mu J : \sum_(x < N.*2) bit x * best_up_to val gamma J (rank_law mu) x = \sum_(j < J) w j * mass_at mu j.
Proof.
rewrite /best_up_to /mass_at; under eq_bigr do rewrite mulr_sumr; rewrite exchange_big; apply: eq_bigr => j _.
by rewrite mulr_sumr; apply: eq_bigr => x _; rewrite /w; ring.
Qed.

Lemma selected_upper mu : (selected gamma mu A <= (mass mu)%:E)%E.
Proof.
have term0 j : (0 <= (w j)%:E * best_of_runs mu j A)%E by rewrite mule_ge0 ?lee_fin //; case/andP: (best_of_runs_01 mu j).
apply: lime_le; first by apply: is_cvg_nneseries => j _ _; exact: term0.
near=> J; rewrite big_mkord; apply: (@le_trans _ _ (\sum_(j < J) w j * mass_at mu j)%:E).
  by rewrite -sumEFin; apply: lee_sum => j _; rewrite [leRHS]EFinM; apply: lee_wpmul2l; [rewrite lee_fin; exact: w0 | exact: best_upper].
rewrite lee_fin -up_to; apply: ler_sum => x _; rewrite ler_wpM2l // -subr_ge0.
by case/andP: (best_is_limit (@val_inj _ _ _) gamma_gt0 gamma_le1 J x (law_rank mu)).
Unshelve. all: by end_near. Qed.

(* The mean of K - 1. *)
Let mean_index J : \sum_(j < J) w j * j%:R <= gamma^-1.
Proof.
have c0 : 0 <= 1 - gamma by rewrite subr_ge0.
have : \sum_(j < J) w j * j%:R + (1 - gamma) ^+ J * (J%:R + (1 - gamma) / gamma) = (1 - gamma) / gamma.
  elim: J => [|J IH]; first by rewrite big_ord0 expr0 add0r mul1r add0r.
  rewrite big_ord_recr /= -[RHS]IH -addrA; congr (_ + _).
  by rewrite /w exprS -natr1; field; rewrite gt_eqF.
move=> e; apply: (@le_trans _ _ ((1 - gamma) / gamma)).
  by rewrite -e lerDl mulr_ge0 ?exprn_ge0 // addr_ge0 // divr_ge0 // ltW.
by rewrite ler_pdivrMr // mulVf ?gt_eqF // lerBlDr lerDl ltW.
Qed.

Lemma selected_lower mu eta : 0 <= eta -> told_apart mu eta -> ((mass mu)%:E <= selected gamma mu A + (eta / gamma)%:E)%E.
Proof.
move=> eta0 apart; apply/lee_addgt0Pr => e e0.
have c1 : `|1 - gamma| < 1 by rewrite ger0_norm ?subr_ge0 // ltrBlDr ltrDl.
have [J small] : exists J, N.*2%:R * (1 - gamma) ^+ J <= e.
  have N0 : 0 < N.*2.+1%:R :> R by rewrite ltr0n.
  have /cvgrPdist_le/(_ (e / N.*2.+1%:R) (divr_gt0 e0 N0))[J _ H] := cvg_expr c1.
  exists J; have := H J (leqnn J); rewrite /= sub0r normrN ger0_norm ?exprn_ge0 ?subr_ge0 // ler_pdivlMr // mulrC; apply: le_trans.
  by rewrite ler_wpM2r ?exprn_ge0 ?subr_ge0 // ler_nat.
pose b j := fine (best_of_runs mu j A); have bE j : best_of_runs mu j A = (b j)%:E.
  by case/andP: (best_of_runs_01 mu j) => b0 b1; rewrite fineK // ge0_fin_numE // (le_lt_trans b1) // ltry.
have partial : ((\sum_(j < J) w j * b j)%:E <= selected gamma mu A)%E.
  rewrite -sumEFin (eq_bigr (fun j : 'I_J => (w j)%:E * best_of_runs mu j A)%E) => [|j _]; last by rewrite bE EFinM.
  rewrite -(big_mkord xpredT (fun j => (w j)%:E * best_of_runs mu j A)%E); apply: nneseries_lim_ge => j _ _.
  by rewrite mule_ge0 ?lee_fin //; case/andP: (best_of_runs_01 mu j).
apply: (@le_trans _ _ ((\sum_(j < J) w j * b j)%:E + (eta / gamma)%:E + e%:E)%E); last by rewrite !leeD2r.
rewrite -!EFinD lee_fin.
have h1 : mass mu <= \sum_(x < N.*2) bit x * best_up_to val gamma J (rank_law mu) x + N.*2%:R * (1 - gamma) ^+ J.
  have -> : N.*2%:R * (1 - gamma) ^+ J = \sum_(x < N.*2) (1 - gamma) ^+ J by rewrite sumr_const card_ord mulr_natl.
  rewrite -big_split; apply: ler_sum => x _ /=; rewrite -lerBlDl -mulrBr.
  case/andP: (best_is_limit (@val_inj _ _ _) gamma_gt0 gamma_le1 J x (law_rank mu)) => l0 l1.
  by apply: le_trans l1; rewrite ler_piMl //; case/andP: (bit01 x).
have h2 : \sum_(j < J) w j * mass_at mu j <= \sum_(j < J) w j * b j + (\sum_(j < J) w j * j%:R) * eta.
  rewrite mulr_suml -big_split; apply: ler_sum => j _ /=; rewrite -mulrA -mulrDr ler_wpM2l //.
  by have := best_lower j eta0 apart; rewrite bE -EFinD lee_fin.
have h3 := ler_wpM2r eta0 (mean_index J); rewrite up_to in h1.
by move: h1 h2 h3 small; rewrite mulrC; lra.
Qed.
End Geometric.
End Levels.

Definition spread mu A := forall eta : R, 0 < eta -> exists (N : nat) (level : Z -> 'I_N),
  [/\ forall l, measurable [set z | level z = l], forall y z, (score y <= score z)%E -> (level y <= level z)%N &
      told_apart A level mu eta].

(* primitives.private-selection at eta = 1, on any measurable space: 3 epsilon, and E[K] = 1 / gamma times delta. *)
Theorem selected_private gamma a t mu nu A : measurable A -> 0 < gamma -> gamma <= 1 -> 1 <= a -> indist a t mu nu -> indist a t nu mu ->
  spread nu A -> (selected gamma mu A <= (a ^+ 3)%:E * selected gamma nu A + (t / gamma)%:E)%E.
Proof.
move=> mA g0 g1 a1 H H' sp; have a3 : 0 < a ^+ 3 by rewrite exprn_gt0 // (lt_le_trans ltr01).
apply/lee_addgt0Pr => e e0; have eta0 : 0 < e * gamma / a ^+ 3 by exact: divr_gt0 (mulr_gt0 e0 g0) a3.
have [N [level [ml ls apart]]] := sp _ eta0.
have U := selected_upper mA ml ls g0 g1 mu; have L := selected_lower mA ml ls g0 g1 (ltW eta0) apart.
have := selection_private (@val_inj _ _ _) g0 g1 a1 (law_rank mA ml mu) (law_rank mA ml nu) (dp_rank mA ml H) (dp_rank mA ml H').
move=> /(_ [set x : 'I_N.*2 | odd x]%SET); rewrite /discrete.pr.
have bits m : \sum_(x in [set x : 'I_N.*2 | odd x]%SET) best val gamma (rank_law A level m) x =
    \sum_(x < N.*2) (odd x)%:R * best val gamma (rank_law A level m) x.
  by rewrite big_mkcond; apply: eq_bigr => x _; rewrite inE; case: (odd x); rewrite ?mul1r ?mul0r.
rewrite !bits => le; apply: le_trans U _.
have s0 : (0 <= selected gamma nu A)%E.
  apply: nneseries_ge0 => j _ _; rewrite mule_ge0 ?lee_fin ?mulr_ge0 ?(ltW g0) ?exprn_ge0 ?subr_ge0 //.
  by case/andP: (best_of_runs_01 mA nu j).
have e1 : e = a ^+ 3 * (e * gamma / a ^+ 3 / gamma) by field; rewrite !gt_eqF // (lt_le_trans ltr01).
apply: le_trans (_ : ((a ^+ 3)%:E * (selected gamma nu A + (e * gamma / a ^+ 3 / gamma)%:E) + (t / gamma)%:E <= _)%E).
  apply: le_trans (_ : ((a ^+ 3)%:E * (\sum_(x < N.*2) (odd x)%:R * best val gamma (rank_law A level nu) x)%:E + (t / gamma)%:E <= _)%E).
    by rewrite -EFinM -EFinD lee_fin.
  by rewrite leeD2r // lee_wpmul2l // lee_fin ltW.
have x0 : (0 <= (e * gamma / a ^+ 3 / gamma)%:E :> \bar R)%E by rewrite lee_fin divr_ge0 ?(ltW g0) ?(ltW eta0).
have e2 : ((a ^+ 3)%:E * (e * gamma / a ^+ 3 / gamma)%:E = e%:E)%E by rewrite -EFinM; congr EFin; rewrite -e1.
by rewrite (ge0_muleDr _ s0 x0) e2 -!addeA [(e%:E + _)%E]addeC.
Qed.
End Best.

(* The definitions compute: two ranks, each with probability 1/2; runs of equal scores. *)
Example keep_rank_computes : keep_rank (fun _ : 'I_2 => 2^-1 : rat) 1 (fun x => (odd x)%:R) 0 = 2^-1.
Proof. by rewrite /keep_rank !big_ord_recl big_ord0 /= !mulr0 add0r addr0 mulr1. Qed.

Section Equal.
Context (R : realType) d (Z : measurableType d) (mu : probability Z R).
Local Notation score := (fun _ : Z => -oo%E : \bar R).

Let m_level (l : 'I_1) : measurable [set z : Z | ord0 = l].
Proof. by rewrite (_ : [set _ | _] = setT) //; apply/seteqP; split=> // z _; exact/esym/ord1. Qed.

Example rank_law_holds : discrete.law (rank_law setT (fun _ : Z => ord0 : 'I_1) mu).
Proof. by apply: law_rank. Qed.

Example spread_holds : spread score mu setT.
Proof.
move=> eta _; exists 1%N, (fun=> ord0); split=> // l; right=> y z _ _.
by rewrite !in_setT.
Qed.

Example selected_holds : (selected score (1 / 2) mu setT <= (1 ^+ 3)%:E * selected score (1 / 2) mu setT + (0 / (1 / 2))%:E)%E.
Proof.
apply: selected_private => //; try exact: indist_refl; try lra.
exact: spread_holds.
Qed.
End Equal.
