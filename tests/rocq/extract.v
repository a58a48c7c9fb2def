(* Extracts the programs to OCaml. Run by tests/rocq/test_extracted_programs.py. *)
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt.
From DPPCA.liu2022 Require Import counting_programs.
From DPPCA.singhal2021 Require Import subspace_programs.
Extraction "models.ml" score_program scores_program subsets_of_sizes owner_program values_program winner_program
  dimension_scores_program found_program count_program shown_program largest_program lead_program leading_program
  threshold_program subsets_program batches_program halves_program difference_program truncated_sum_program
  score_sum_program clip_program bin_program.
