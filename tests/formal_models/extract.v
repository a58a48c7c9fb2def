(* Extracts the programs of singhal2021 to OCaml. Run by tests/test_formal_models.py. *)
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt.
From DPPCA Require Import singhal2021_programs.
Extraction "models.ml" score_program scores_program subsets_of_sizes owner_program values_program winner_program dimension_scores_program.
