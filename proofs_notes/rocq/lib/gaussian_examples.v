(* The definitions about normal and Laplace noise compute, and the hypotheses of the theorems can be met. *)
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp Require Import mathcomp_extra boolp classical_sets functions reals ereal topology normedtype sequences exp
  measure.
From mathcomp Require Import numfun measurable_realfun lebesgue_measure probability kernel.
From mathcomp Require Import ring lra.
From DPPCA.lib Require Import measure normal_line gaussian_dp gaussian_run gaussian_formulas gaussian_calibration.
From DPPCA.lib Require Import gaussian_threshold gaussian_matrix gaussian_exact gaussian_steps laplace.
Set Implicit Arguments. Unset Strict Implicit. Unset Printing Implicit Defensive.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope classical_set_scope.
Local Open Scope ring_scope.

Section Examples.
Context (R : realType).

Example tail_computes : tail 0 1 (0 : R) = (2^-1)%:E.
Proof. by rewrite upperE upper0. Qed.

Example gap_computes (c : R) : gap c 0 = 0.
Proof. by rewrite gapE !mulr0 expR0 mul1r subr0 addr0 subrr. Qed.

Example normal_tail_computes : normal_tail (1 : R) 0 0 = 1%:E.
Proof. by rewrite /normal_tail eqxx ler01. Qed.

Example classical_holds : calibrated (1 : R) (1 / 100) (2 / classical_std 1 (1 / 100) 2).
Proof. by apply: classical_gaussian => //; lra. Qed.

Let two (i : nat) (z : R) : R := 2.
Let one (i : nat) (z : R) : R := 1.
Let last (i : nat) (w : R * R) : R := w.2.
Let measurable_two : queries two. Proof. by move=> i; exact: measurable_cst. Qed.
Let measurable_one : queries one. Proof. by move=> i; exact: measurable_cst. Qed.
Let measurable_last : updates last. Proof. by move=> i; exact: measurable_snd. Qed.
Let one_gt0 i z : 0 < one i z. Proof. exact: ltr01. Qed.

Example within_holds : within one two one last 3 3 0.
Proof. by move=> x y z /=; rewrite /two /one; lra. Qed.

Example run_holds : gdp (Num.sqrt 3) (run one two last 3 0) (run one one last 3 0).
Proof. by apply: adaptive_gdp => //; exact: within_holds. Qed.

Example mix_computes (v s : R) A : measurable A -> mix v s (fun x B => (\1_B x)%:E) A = normal_prob v s A.
Proof. by move=> mA; have := run_once v s 0 mA. Qed.

Example run_kernel_total z : run_kernel measurable_one one_gt0 measurable_two measurable_last 5 z setT = 1%E.
Proof. by rewrite /run_kernel /run_law; exact: run_total. Qed.

Example entry_events_holds : entry_events [set M : 'M[R]_2 | M ord0 ord0 = 0].
Proof. by exists ord0, ord0, [set 0]; split=> //; exact: measurable_set1. Qed.

Example add_entry_computes : add_entry (ord0, ord0) (0, 3) = const_mx 3 :> 'M[R]_1.
Proof. by apply/matrixP => i j; rewrite !ord1 !mxE eqxx mulr1 add0r. Qed.

Example noisy_total_computes (V : 'M[R]_2) : noisy predT (const_mx 1) V setT = 1%E.
Proof. exact: noisy_total. Qed.

Example steps_computes (V s : 'M[R]_2) A :
  steps (fun _ _ => s) (fun _ _ => V) (fun _ w => w.2) 1 0 A = noisy predT s V A.
Proof. by rewrite noisyE. Qed.

Example change_computes (V : 'M[R]_2) : change (const_mx 1) V V = 0.
Proof. by rewrite /change big1 // => ij _; rewrite subrr mul0r expr0n. Qed.

Example follows_holds (s V : 'M[R]_2) : (forall i j, 0 < s i j) ->
  follows (steps (fun _ _ => s) (fun _ _ => V) (fun _ (w : 'M[R]_2 * 'M[R]_2) => w.2) 3).
Proof.
move=> s0; apply: follows_steps => // i; try exact: measurable_cst.
exact: measurable_snd.
Qed.

Example budget_holds (M : set R -> \bar R) : budget 0 M M.
Proof. by split; rewrite ?eqxx. Qed.

Example laplace_total_computes : laplace_prob (3 : R) 2 setT = 1%E.
Proof. by apply: laplace_total. Qed.

Example laplace_pdf_computes : laplace_pdf (0 : R) 1 0 = 2^-1.
Proof. by rewrite /laplace_pdf subrr normr0 mul0r oppr0 expR0 !mulr1. Qed.
End Examples.
