(* A release about a hidden choice, on any measurable space: one of finitely many kernels, drawn with known probabilities. What
   subsampling.v and subsampling_batches.v prove about finite laws holds for each event, and so for these kernels.

   happens M A     the law on bool of whether the event A happens
   choose w K      the kernel that draws i with probability w i, hidden, and goes on with K i
   hidden_index_indist, hidden_batch_indist, hidden_sample_indist   what is gained by a uniform index of n + 1, by a batch of m of
                   n + 1, and by a Poisson sample *)
From HB Require Import structures.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions.
From mathcomp Require Import reals ereal interval_inference topology normedtype sequences esum exp measure numfun measurable_realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import discrete subsampling subsampling_batches.
From DPPCA.lib Require Import measure.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Happens.
Context d (T : measurableType d) (R : realType).
Implicit Types (M N : {measure set T -> \bar R}) (A : set T).

Definition happens (M : set T -> \bar R) A (b : bool) : R := fine (M (if b then A else ~` A)).

Lemma mass_fin M A : M setT = 1%E -> measurable A -> M A \is a fin_num.
Proof. by move=> M1 mA; rewrite ge0_fin_numE // (le_lt_trans (measure_le1 M1 mA)) // ltry. Qed.

Lemma happensE M A : M setT = 1%E -> measurable A -> M A = (happens M A true)%:E.
Proof. by move=> M1 mA; rewrite /happens fineK // mass_fin. Qed.

Lemma happens_not M A : M setT = 1%E -> measurable A -> happens M A false = 1 - happens M A true.
Proof.
move=> M1 mA; have mC := measurableC mA; rewrite /happens; apply/eqP; rewrite eq_sym subr_eq; apply/eqP.
apply: (@EFin_inj R); rewrite EFinD !fineK ?mass_fin // -M1 -(setvU A) measureU //.
by rewrite setICl.
Qed.

Lemma law_happens M A : M setT = 1%E -> measurable A -> law (happens M A).
Proof.
move=> M1 mA; split=> [b|]; first by rewrite fine_ge0.
by rewrite big_bool /= happens_not // addrC subrK.
Qed.

Lemma dp_happens M N A a t : M setT = 1%E -> N setT = 1%E -> measurable A -> indist a t M N -> dp a t (happens M A) (happens N A).
Proof.
move=> M1 N1 mA H; have mC := measurableC mA; have t0 := indist_ge0 H.
have event b : happens M A b <= a * happens N A b + t.
  have mb : measurable (if b then A else ~` A) by case: b.
  by have := H _ mb; rewrite /happens -lee_fin EFinD EFinM !fineK ?mass_fin.
have all := H _ measurableT; rewrite M1 N1 mule1 -EFinD lee_fin in all.
move=> B; rewrite /pr ![\sum_(x in B) _]big_mkcond !big_bool /=.
case: (true \in B); case: (false \in B); rewrite ?addr0 ?add0r ?mulr0 ?add0r //=.
by rewrite !happens_not //; lra.
Qed.

Lemma indist_happens M N a t : M setT = 1%E -> N setT = 1%E ->
  (forall A, measurable A -> dp a t (happens M A) (happens N A)) -> indist a t M N.
Proof.
move=> M1 N1 H A mA; rewrite (happensE M1 mA) (happensE N1 mA) -EFinM -EFinD lee_fin.
by have := H A mA [set true]%SET; rewrite /pr !big_set1.
Qed.
End Happens.

Section Choose.
Context d (S : measurableType d) d' (Y : measurableType d') (R : realType) (I : finType).
Variables (w : I -> R) (lw : law w) (K : I -> R.-pker S ~> Y).

Let weight i : {nonneg R} := NngNum (law_ge0 i lw).
Let part (k : nat) s : {measure set Y -> \bar R} :=
  if insub k is Some j then mscale (weight (enum_val (j : 'I_#|I|))) (K (enum_val j) s) else mzero.

Definition choose : S -> {measure set Y -> \bar R} := fun s => msum (part ^~ s) #|I|.

Lemma chooseE s A : choose s A = (\sum_i (w i)%:E * K i s A)%E.
Proof.
transitivity (\sum_(i in I) (w i)%:E * K i s A)%E; last exact: eq_bigl.
rewrite big_enum_val; apply: eq_bigr => j _.
by rewrite /part valK.
Qed.

Lemma choose_mean s (F : Y -> \bar R) : measurable_fun setT F -> (forall y, 0 <= F y)%E ->
  (\int[choose s]_y F y = \sum_i (w i)%:E * \int[K i s]_y F y)%E.
Proof.
move=> mF F0; rewrite ge0_integral_measure_sum //; transitivity (\sum_(i in I) (w i)%:E * \int[K i s]_y F y)%E; last exact: eq_bigl.
by rewrite [RHS]big_enum_val; apply: eq_bigr => j _; rewrite /part valK ge0_integral_mscale.
Qed.

Let measurable_choose A : measurable A -> measurable_fun setT (choose ^~ A).
Proof.
move=> mA; under eq_fun do rewrite chooseE; apply: emeasurable_sum => i; apply: measurable_funeM.
exact: measurable_kernel.
Qed.
HB.instance Definition _ := isKernel.Build _ _ S Y R choose measurable_choose.
Let choose_total s : choose s setT = 1%E.
Proof.
rewrite chooseE -[RHS]/(1%:E) -(law_sum lw) -sumEFin; apply: eq_bigr => i _.
by rewrite prob_kernel mule1.
Qed.
HB.instance Definition _ := Kernel_isProbability.Build _ _ S Y R choose choose_total.

Lemma happens_choose s A : measurable A -> happens (choose s) A =1 mixture w (fun i => happens (K i s) A).
Proof.
move=> mA b; have mb : measurable (if b then A else ~` A) by case: b => //; exact: measurableC.
apply: (@EFin_inj R); rewrite /happens /mixture fineK ?mass_fin // chooseE -sumEFin; apply: eq_bigr => i _.
by rewrite EFinM fineK // mass_fin // prob_kernel.
Qed.
End Choose.

Example happens_computes d (T : measurableType d) (R : realType) (M : {measure set T -> \bar R}) : M setT = 1%E -> happens M setT true = 1.
Proof. by move=> M1; rewrite /happens M1. Qed.

(* The three ways to draw. *)
Section Amplification.
Context d (S : measurableType d) d' (Y : measurableType d') (R : realType).
Implicit Types (a t q : R) (s : S).

Let same_happens (K L : R.-pker S ~> Y) s : (forall A, measurable A -> K s A = L s A) -> forall A, measurable A ->
  happens (K s) A = happens (L s) A.
Proof. by move=> e A mA; apply/funext => b; rewrite /happens e //; case: b => //; exact: measurableC. Qed.

Let event a t (K L : R.-pker S ~> Y) s A : measurable A -> indist a t (K s) (L s) -> dp a t (happens (K s) A) (happens (L s) A).
Proof. by move=> mA; apply: dp_happens; rewrite ?prob_kernel. Qed.

Let laws (K : R.-pker S ~> Y) s A : measurable A -> law (happens (K s) A).
Proof. by move=> mA; apply: law_happens; rewrite ?prob_kernel. Qed.

(* One of n + 1 records, which is replaced. *)
Theorem hidden_index_indist n a t (K K' : 'I_n.+1 -> R.-pker S ~> Y) i0 s : 1 <= a ->
  (forall i A, i != i0 -> measurable A -> K i s A = K' i s A) -> (forall i, indist a t (K i0 s) (K' i s)) ->
  indist (amplified n.+1%:R^-1 a) (t / n.+1%:R) (choose (@law_one_of R n) K s) (choose (@law_one_of R n) K' s).
Proof.
move=> a1 same H; apply: indist_happens => [||A mA]; try exact: prob_kernel.
apply: dp_eq (fsym (happens_choose _ _ s mA)) (fsym (happens_choose _ _ s mA)) _.
apply: (hidden_draw_amplified (i0 := i0)) => // [i||i ne|i]; try exact: laws; last exact: event.
by apply: same_happens => // B mB; exact: same.
Qed.

(* A batch of m of n + 1 records, one of which is replaced. *)
Theorem hidden_batch_indist n m (mn : (m <= n.+1)%N) a t (K K' : {set 'I_n.+1} -> R.-pker S ~> Y) (i0 : 'I_n.+1) s : 1 <= a ->
  (forall (B : {set 'I_n.+1}) A, i0 \notin B -> measurable A -> K B s A = K' B s A) ->
  (forall B : {set 'I_n.+1}, #|B| = m -> i0 \in B -> indist a t (K B s) (K' B s)) ->
  (forall (B : {set 'I_n.+1}) j, #|B| = m -> i0 \in B -> j \notin B -> indist a t (K B s) (K (exchanged i0 j B) s)) ->
  indist (amplified (m%:R / n.+1%:R) a) (m%:R / n.+1%:R * t)
    (choose (@law_batch R n m mn) K s) (choose (@law_batch R n m mn) K' s).
Proof.
move=> a1 same replaced exchange; apply: indist_happens => [||A mA]; try exact: prob_kernel.
apply: dp_eq (fsym (happens_choose _ _ s mA)) (fsym (happens_choose _ _ s mA)) _.
apply: (@hidden_batch_amplified R n m mn bool a t _ _ i0) => // [B|B|B iB b|B cB iB|B j cB iB jB]; try exact: laws.
- by rewrite (same_happens (L := K' B)) // => C mC; exact: same.
- by apply: event => //; exact: replaced.
- by apply: event => //; exact: exchange.
Qed.

(* A Poisson sample: the one data set has the record i0, and the other lacks it. *)
Theorem hidden_sample_indist n q (q01 : 0 <= q <= 1) a t (K : {set 'I_n.+1} -> R.-pker S ~> Y) (K' : {set 'I_n} -> R.-pker S ~> Y)
    i0 s : 1 <= a -> (forall B A, measurable A -> K' B s A = K (others i0 B) s A) ->
  (forall B, indist a t (K (i0 |: others i0 B)%SET s) (K (others i0 B) s) /\ indist a t (K (others i0 B) s) (K (i0 |: others i0 B)%SET s)) ->
  indist (amplified q a) (q * t) (choose (law_draw q01 n.+1) K s) (choose (law_draw q01 n) K' s) /\
  indist (amplified q a) (q * t) (choose (law_draw q01 n) K' s) (choose (law_draw q01 n.+1) K s).
Proof.
move=> a1 same H; have both A : measurable A ->
    dp (amplified q a) (q * t) (happens (choose (law_draw q01 n.+1) K s) A) (happens (choose (law_draw q01 n) K' s) A) /\
    dp (amplified q a) (q * t) (happens (choose (law_draw q01 n) K' s) A) (happens (choose (law_draw q01 n.+1) K s) A).
  move=> mA; have [] := @poisson_amplification R bool q q01 n a t (fun B => happens (K B s) A) (fun B => happens (K' B s) A) i0 a1.
  - by move=> B; exact: laws.
  - by move=> B b; rewrite (same_happens (L := K (others i0 B))) // => C mC; exact: same.
  - by move=> B; have [h1 h2] := H B; split; exact: event.
  move=> h1 h2; split; [apply: dp_eq _ _ h1 | apply: dp_eq _ _ h2]; apply: fsym; exact: happens_choose.
by split; apply: indist_happens => [||A mA]; try exact: prob_kernel; case: (both A mA).
Qed.
End Amplification.
