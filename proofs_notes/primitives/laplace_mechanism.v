(* Laplace noise by its density, in any dimension and any norm.

   A release of the value v has the density c e^(-dist(v, x) / b) with respect to a measure rho: rho is Lebesgue's and
   dist(v, x) = |x - v| on the line, the L1 distance in R^m. Truncated noise has this density where dist(v, x) <= A and 0
   elsewhere. That such a density is a probability (what c is) and what the truncated mass is stay with the reader:
   the first is a hypothesis, the second is the bound t. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint interval.
From mathcomp Require Import boolp classical_sets functions cardinality fsbigop mathcomp_extra.
From mathcomp Require Import reals ereal interval_inference topology normedtype sequences esum exp measure numfun measurable_realfun.
From mathcomp Require Import lebesgue_measure lebesgue_integral.
From DPPCA.lib Require Import measure.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Import Order.TTheory GRing.Theory Num.Def Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Laplace.
Context d (T : measurableType d) (R : realType).
Variables (V : Type) (dist : V -> T -> R) (rho : {measure set T -> \bar R}) (c b : R).

Definition laplace_density (v : V) (x : T) : R := c * expR (- (dist v x / b)).
Definition support (A : R) (v : V) := [set x | dist v x <= A].
Definition truncated_density (A : R) (v : V) (x : T) : R := laplace_density v x * \1_(support A v) x.

(* Two values at distance at most D: what a sensitivity D in the norm of dist means. *)
Definition within (D : R) (v w : V) := forall x, dist w x <= dist v x + D /\ dist v x <= dist w x + D.

Hypotheses (c0 : 0 <= c) (b0 : 0 < b) (m_dist : forall v, measurable_fun setT (dist v)).

Lemma laplace_density_ge0 v x : 0 <= laplace_density v x.
Proof. by rewrite mulr_ge0 // ltW // expR_gt0. Qed.

Lemma truncated_density_ge0 A v x : 0 <= truncated_density A v x.
Proof. by rewrite mulr_ge0 ?laplace_density_ge0 // indicE. Qed.

Lemma laplace_ratio D v w x : within D v w -> laplace_density v x <= expR (D / b) * laplace_density w x.
Proof.
move=> close; rewrite /laplace_density mulrCA ler_wpM2l // -expRD ler_expR -mulrBl -mulNr ler_pM2r ?invr_gt0 //.
by rewrite lerBrDr addrC lerBlDr addrC; have [] := close x.
Qed.

Lemma measurable_laplace_density v : measurable_fun setT (laplace_density v).
Proof.
apply: measurable_funM; first exact: measurable_cst.
apply: (@measurableT_comp _ _ _ _ _ _ expR setT (fun x => - (dist v x / b))); first exact: measurable_expR.
have -> : (fun x => - (dist v x / b)) = (fun x => (- b^-1) * dist v x).
  by apply/funext => x; rewrite mulNr mulrC.
by apply: measurable_funM; [exact: measurable_cst | exact: m_dist].
Qed.

Lemma measurable_support A v : measurable (support A v).
Proof.
have -> : support A v = [set: T] `&` [set x | (0 <= (A - dist v x)%:E)%E].
  by rewrite setTI; apply/seteqP; split=> x; rewrite /support /= lee_fin subr_ge0.
apply: emeasurable_fun_c_infty => //; apply/measurable_EFinP; apply: measurable_funB => //.
Qed.

Lemma measurable_truncated_density A v : measurable_fun setT (truncated_density A v).
Proof.
apply: measurable_funM; first exact: measurable_laplace_density.
by apply: measurable_indic; apply: measurable_support.
Qed.

(* epsilon = D / b, delta = 0 *)
Theorem laplace_indist D (M : V -> {measure set T -> \bar R}) :
  (forall v, has_density rho (laplace_density v) (M v)) -> mechanism_indist (expR (D / b)) 0 (within D) M.
Proof.
move=> dens; have one v w : within D v w -> indist (expR (D / b)) 0 (M v) (M w).
  move=> close; apply: (@indist_density _ _ _ _ _ rho (laplace_density v) (laplace_density w) _ _ set0) => //.
  - exact: ltW (expR_gt0 _).
  - exact: measurable_laplace_density.
  - exact: measurable_laplace_density.
  - by move=> x; apply: laplace_density_ge0.
  - by move=> x; apply: laplace_density_ge0.
  - by move=> x _; apply: laplace_ratio.
  - by rewrite measure0.
by move=> v w close; split; apply: one => // x; have [] := close x.
Qed.

(* Truncated at A: delta is at least the probability that the noise leaves the other support. *)
Theorem truncated_laplace_indist A D t (M : V -> {measure set T -> \bar R}) :
  (forall v, has_density rho (truncated_density A v) (M v)) ->
  (forall v w, within D v w -> (M v (~` support A w) <= t%:E)%E) ->
  mechanism_indist (expR (D / b)) t (within D) M.
Proof.
move=> dens tail; have one v w : within D v w -> indist (expR (D / b)) t (M v) (M w).
  move=> close.
  apply: (@indist_density _ _ _ _ _ rho (truncated_density A v) (truncated_density A w) _ _ (~` support A w)) => //.
  - exact: ltW (expR_gt0 _).
  - by apply: measurableC; apply: measurable_support.
  - exact: measurable_truncated_density.
  - exact: measurable_truncated_density.
  - by move=> x; apply: truncated_density_ge0.
  - by move=> x; apply: truncated_density_ge0.
  - move=> x /contrapT inw; rewrite /truncated_density [X in _ <= _ * (_ * X)]indicE mem_set // mulr1.
    apply: le_trans (laplace_ratio x close); rewrite indicE ler_piMr ?laplace_density_ge0 //.
    by case: (_ \in _); rewrite ?lexx ?ler01.
  - exact: tail.
by move=> v w close; split; apply: one => // x; have [] := close x.
Qed.

(* No smaller delta will do for v and w: the event "outside of the support of w" is impossible under w. *)
Theorem truncated_laplace_needs A a t (M : V -> {measure set T -> \bar R}) v w :
  (forall v, has_density rho (truncated_density A v) (M v)) -> indist a t (M v) (M w) -> (M v (~` support A w) <= t%:E)%E.
Proof.
move=> dens H; have mS := measurableC (measurable_support A w).
have := H _ mS; suff -> : M w (~` support A w) = 0%E by rewrite mule0 add0e.
rewrite dens //; transitivity (\int[rho]_(x in ~` support A w) (cst 0%E : T -> \bar R) x)%E; last by rewrite integral_cst // mul0e.
apply: eq_integral => x; rewrite inE => out; rewrite /truncated_density indicE memNset ?mulr0 //.
Qed.
End Laplace.

(* On the line dist(v, x) = |x - v|, and [within] is a distance of at most D. *)
Section Line.
Variables (R : realType) (D v w : R).

Lemma within_line : `|v - w| <= D -> within (fun v x : measurableTypeR R => `|x - v|) D v w.
Proof.
move=> vw x; have e (a b : R) : x - b = (x - a) + (a - b) by rewrite addrA subrK.
split; [rewrite (e v w) | rewrite (e w v)]; rewrite (le_trans (ler_normD _ _)) // lerD2l //.
by rewrite distrC.
Qed.
End Line.
