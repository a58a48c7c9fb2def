(* liu2022, appendices C and F: the sine of the angle between two unit vectors, and their distance.

   norm x       the Euclidean norm
   sine x y     sqrt(1 - <x, y>^2), for unit vectors the sine of the angle between the lines of x and y *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.algebra_tactics Require Import ring lra.
From DPPCA.lib Require Import squared_norms.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

Section Sines.
Variable R : rcfType.

Definition unit_vector d (x : 'rV[R]_d) := sqnorm x = 1.
Definition norm d (x : 'rV[R]_d) := Num.sqrt (sqnorm x).
Definition sine d (x y : 'rV[R]_d) := Num.sqrt (1 - dot x y ^+ 2).

Lemma le_sqr (x y : R) : 0 <= y -> x ^+ 2 <= y ^+ 2 -> x <= y.
Proof. by move=> y0 le; rewrite leNgt; apply/negP => lt; nra. Qed.

Lemma lt_sqr (x y : R) : 0 <= y -> x ^+ 2 < y ^+ 2 -> x < y.
Proof. by move=> y0 lt; rewrite ltNge; apply/negP => le; nra. Qed.

Section Pairs.
Variable d : nat.
Implicit Types (x y v w : 'rV[R]_d) (a : R).

Lemma sqnorm_sum x y : unit_vector x -> unit_vector y -> sqnorm (x + y) = 4 - sqnorm (x - y).
Proof. by move=> ux uy; rewrite sqnormD sqnormB ux uy; ring. Qed.

Lemma sine_distance x y : unit_vector x -> unit_vector y ->
  1 - dot x y ^+ 2 = sqnorm (x - y) - sqnorm (x - y) ^+ 2 / 4.
Proof. by move=> ux uy; rewrite sqnormB ux uy; field. Qed.

Lemma distance_le x y : unit_vector x -> unit_vector y -> 0 <= sqnorm (x - y) <= 4.
Proof. by move=> ux uy; rewrite sqnorm_ge0 -subr_ge0 -sqnorm_sum // sqnorm_ge0. Qed.

Lemma sqr_norm x : norm x ^+ 2 = sqnorm x.
Proof. by rewrite sqr_sqrtr // sqnorm_ge0. Qed.

Lemma sqr_sine x y : unit_vector x -> unit_vector y -> sine x y ^+ 2 = 1 - dot x y ^+ 2.
Proof.
move=> ux uy; rewrite sqr_sqrtr // sine_distance //; have /andP[d0 d4] := distance_le ux uy.
by move: (sqnorm _) d0 d4 => q d0 d4; nra.
Qed.

Lemma sqrt2 : 0 <= (Num.sqrt 2 : R) <= 2 /\ (Num.sqrt 2 : R) ^+ 2 = 2.
Proof.
have e : Num.sqrt 2 ^+ 2 = 2 :> R by rewrite sqr_sqrtr.
split=> //; rewrite sqrtr_ge0 /=; have := sqrtr_ge0 (2 : R); move: (Num.sqrt 2) e => s e s0.
by rewrite leNgt; apply/negP => h; nra.
Qed.

(* liu2022.lemma-f.4 *)
Theorem lemma_f_4 x y : unit_vector x -> unit_vector y -> 1 - dot x y ^+ 2 <= sqnorm (x - y) /\
  (sqnorm (x - y) <= Num.sqrt 2 -> sqnorm (x - y) / 2 <= 1 - dot x y ^+ 2).
Proof.
move=> ux uy; rewrite sine_distance //; have /andP[d0 d4] := distance_le ux uy; have [/andP[s0 s2] _] := sqrt2.
by move: (sqnorm _) d0 d4 => q d0 d4; split=> [|le]; nra.
Qed.

(* liu2022.lemma-f.4-use: with |x - y|^2 <= 2 for the condition, which holds for distances up to sqrt 2 alpha, alpha <= 1 *)
Theorem lemma_f_4_corrected x y a : unit_vector x -> unit_vector y -> 0 < a <= 1 -> norm (x - y) <= Num.sqrt 2 * a ->
  sqnorm (x - y) <= 2 /\ sqnorm (x - y) / 2 <= 1 - dot x y ^+ 2.
Proof.
move=> ux uy /andP[a0 a1] le; have [/andP[s0 _] s2] := sqrt2; rewrite sine_distance //.
have le2 : sqnorm (x - y) <= 2.
  rewrite -sqr_norm; apply: le_trans (_ : (Num.sqrt 2 * a) ^+ 2 <= _); last by rewrite exprMn s2; nra.
  by apply: lerXn2r; rewrite ?nnegrE ?sqrtr_ge0 ?mulr_ge0 // ltW.
have /andP[d0 _] := distance_le ux uy; split=> //.
by move: (sqnorm _) d0 le2 => q d0 le2; nra.
Qed.

(* liu2022.equation-20, corrected *)
Theorem equation_20 x y a : unit_vector x -> unit_vector y -> 0 < a <= 1 ->
  a / Num.sqrt 2 <= norm (x - y) <= Num.sqrt 2 * a -> Num.sqrt 7 / 4 * a <= sine x y <= Num.sqrt 2 * a.
Proof.
move=> ux uy /andP[a0 a1] /andP[low high]; have [/andP[s0 _] s2] := sqrt2.
have sp : 0 < Num.sqrt 2 :> R by rewrite sqrtr_gt0.
have s7 : Num.sqrt 7 ^+ 2 = 7 :> R by rewrite sqr_sqrtr.
have sq z : 0 <= norm z :> R by exact: sqrtr_ge0.
have low2 : a ^+ 2 / 2 <= sqnorm (x - y).
  rewrite -sqr_norm -s2 -expr_div_n; apply: lerXn2r; rewrite ?nnegrE ?sq //; by rewrite divr_ge0 // ltW.
have high2 : sqnorm (x - y) <= 2 * a ^+ 2.
  rewrite -sqr_norm -[X in X * _]s2 -exprMn; apply: lerXn2r; rewrite ?nnegrE ?sq //; by rewrite mulr_ge0 // ltW.
have s := sqr_sine ux uy; rewrite sine_distance // in s.
have a2 : 0 < a ^+ 2 by rewrite exprn_gt0.
have a21 : a ^+ 2 <= 1 by rewrite exprn_ile1 // ltW.
have b1 : 7 / 16 * a ^+ 2 <= sine x y ^+ 2.
  by rewrite s; move: (sqnorm _) (a ^+ 2) low2 high2 a2 a21 => q b low2 high2 b0 b1'; nra.
have b2 : sine x y ^+ 2 <= 2 * a ^+ 2.
  by rewrite s; move: (sqnorm _) (a ^+ 2) low2 high2 a2 a21 => q b low2 high2 b0 b1'; nra.
apply/andP; split; apply: le_sqr; rewrite ?sqrtr_ge0 ?mulr_ge0 ?(ltW a0) ?(ltW sp) //; last by rewrite [leRHS]exprMn s2.
by apply: le_trans b1; rewrite !exprMn exprVn s7 le_eqVlt; apply/orP; left; apply/eqP; field.
Qed.

(* liu2022.appendix-c.2-packing, corrected *)
Theorem packing_sine v w : unit_vector v -> unit_vector w -> 1 / 2 <= norm (v - w) -> 1 / 2 <= norm (v + w) ->
  1 / Num.sqrt 8 <= sine v w.
Proof.
move=> uv uw lo hi; have s8 : Num.sqrt 8 ^+ 2 = 8 :> R by rewrite sqr_sqrtr.
have sq (z : 'rV[R]_d) : 1 / 2 <= norm z -> 1 / 4 <= sqnorm z.
  move=> h; rewrite -sqr_norm; apply: le_trans (_ : (1 / 2) ^+ 2 <= _); first by lra.
  by apply: lerXn2r; rewrite ?nnegrE ?sqrtr_ge0 //; lra.
have := sq _ hi; have := sq _ lo; rewrite (sqnorm_sum uv uw) => {}lo {}hi.
apply: le_sqr; first exact: sqrtr_ge0.
rewrite sqr_sine // sine_distance // expr_div_n s8 expr1n.
by move: (sqnorm _) lo hi => q lo hi; nra.
Qed.

(* liu2022.appendix-c.2-f.4, corrected *)
Theorem packing_distance v w : unit_vector v -> unit_vector w ->
  Num.min (norm (v - w)) (norm (v + w)) / Num.sqrt 2 <= sine v w.
Proof.
move=> uv uw; have [/andP[s0 _] s2] := sqrt2; have /andP[d0 d4] := distance_le uv uw.
have m0 : 0 <= Num.min (norm (v - w)) (norm (v + w)) by rewrite le_min !sqrtr_ge0.
apply: le_sqr; first exact: sqrtr_ge0.
rewrite sqr_sine // sine_distance // expr_div_n s2.
have [le|gt] := leP (sqnorm (v - w)) 2.
  apply: le_trans (_ : norm (v - w) ^+ 2 / 2 <= _); last by rewrite sqr_norm; move: (sqnorm _) d0 d4 le => q *; nra.
  by rewrite ler_pM2r ?invr_gt0 // ler_pXn2r ?nnegrE ?sqrtr_ge0 // ge_min lexx.
apply: le_trans (_ : norm (v + w) ^+ 2 / 2 <= _).
  by rewrite ler_pM2r ?invr_gt0 // ler_pXn2r ?nnegrE ?sqrtr_ge0 // ge_min lexx orbT.
by rewrite sqr_norm (sqnorm_sum uv uw); move: (sqnorm _) d0 d4 gt => q *; nra.
Qed.
End Pairs.

(* What print says, refuted in the plane. *)
Definition first : 'rV[R]_2 := axis R 0.
Definition second : 'rV[R]_2 := axis R 1.
Definition turned : 'rV[R]_2 := (3 / 5) *: first + (4 / 5) *: second.

Lemma unit_axes : unit_vector first /\ unit_vector second. Proof. by split; exact: sqnorm_axis. Qed.
Lemma dot_axes : dot first second = 0. Proof. by rewrite dot_axis. Qed.

Lemma unit_turned : unit_vector turned.
Proof.
have [u1 u2] := unit_axes; rewrite /unit_vector /turned sqnormD !sqnormZ dotZl dotZr dot_axes u1 u2; by field.
Qed.

Lemma dot_turned : dot first turned = 3 / 5.
Proof. by have [u1 _] := unit_axes; rewrite /turned dotDr !dotZr dot_axes -/(sqnorm first) u1; field. Qed.

(* liu2022.lemma-f.4-use: alpha = 1, where |x - y| = sqrt 2 *)
Theorem lemma_f_4_use_refuted : exists x y : 'rV[R]_2, [/\ unit_vector x, unit_vector y,
  norm (x - y) = Num.sqrt 2 * 1 & ~ sqnorm (x - y) <= Num.sqrt 2].
Proof.
have [u1 u2] := unit_axes; exists first, second; have e : sqnorm (first - second) = 2.
  by rewrite sqnormB u1 u2 dot_axes; ring.
split=> //; first by rewrite /norm e mulr1.
rewrite e; apply/negP; rewrite -ltNge; have [_ s2] := sqrt2; have := sqrtr_ge0 (2 : R); move: (Num.sqrt 2) s2 => s *; nra.
Qed.

(* liu2022.equation-20: a sine above alpha *)
Theorem equation_20_refuted : exists (a : R) (x y : 'rV[R]_2), [/\ 0 < a <= 1, unit_vector x, unit_vector y,
  a / Num.sqrt 2 <= norm (x - y) <= Num.sqrt 2 * a & a < sine x y].
Proof.
have [u1 _] := unit_axes; exists (7 / 10), first, turned; have e : sqnorm (first - turned) = 4 / 5.
  by rewrite sqnormB u1 unit_turned dot_turned; field.
have [_ s2] := sqrt2; have sp : 0 < Num.sqrt 2 :> R by rewrite sqrtr_gt0.
have n2 : norm (first - turned) ^+ 2 = 4 / 5 by rewrite sqr_norm.
have n0 : 0 <= norm (first - turned) by exact: sqrtr_ge0.
have low : 7 / 10 <= norm (first - turned) * Num.sqrt 2.
  by apply: le_sqr; [exact: mulr_ge0 (ltW sp) | rewrite [leRHS]exprMn n2 s2; lra].
have high : norm (first - turned) <= Num.sqrt 2 * (7 / 10).
  by apply: le_sqr; [rewrite mulr_ge0 ?(ltW sp) //; lra | rewrite [leRHS]exprMn n2 s2; lra].
have sine2 : sine first turned ^+ 2 = 16 / 25.
  by rewrite (sqr_sine u1 unit_turned) dot_turned; field.
split; [by lra | exact: u1 | exact: unit_turned | by rewrite ler_pdivrMr // low high |].
by apply: lt_sqr; [exact: sqrtr_ge0 | rewrite sine2; lra].
Qed.

(* liu2022.appendix-c.2-packing, liu2022.appendix-c.2-f.4: opposite vectors *)
Theorem packing_refuted : exists x y : 'rV[R]_2, [/\ unit_vector x, unit_vector y, 1 / 2 <= norm (x - y) &
  sine x y = 0 /\ sine x y < norm (x - y)].
Proof.
have [u1 _] := unit_axes; exists first, (- first); have e : sqnorm (first - - first) = 2 ^+ 2.
  by rewrite opprK sqnormD -/(sqnorm first) u1; ring.
have n2 : norm (first - - first) = 2 by rewrite /norm e sqrtr_sqr ger0_norm.
have s0 : sine first (- first) = 0 by rewrite /sine dotNr -/(sqnorm first) u1 sqrrN expr1n subrr sqrtr0.
by split=> //; [rewrite /unit_vector sqnormN | rewrite n2; lra | rewrite n2 s0; split=> //; lra].
Qed.

Example turned_example : unit_vector turned /\ dot first turned = 3 / 5.
Proof. by split; [exact: unit_turned | exact: dot_turned]. Qed.
Example unit_vectors_example : [/\ unit_vector first, norm first = 1 & sine first second = 1].
Proof. by have [u1 _] := unit_axes; rewrite /norm u1 /sine dot_axes expr0n subr0 sqrtr1. Qed.
End Sines.
