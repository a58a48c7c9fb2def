(* Speaks for the programs that Rocq extracted; nothing is computed here.
   A request is a line: a name, then integers. Its answer is a line of integers.

   candidates d m S_1 .. S_m n x_1 .. x_n    a subset S is its size and its indices, from 0; a point has d coordinates
   candidates_of_sizes d m k_1 .. k_m n x_1 .. x_n    all subsets of the sizes k_1 .. k_m, in this order
       answer, for every candidate: the number of points that span it, these points, its score, its draw
   score d m y_1 .. y_m n x_1 .. x_n         the score of the span of the points y
   dimension_scores d k_max n x_1 .. x_n     SCORE(1) .. SCORE(k_max)
   values floor u_1 .. u_m                   the values of the scores u
   winner null v_1 .. v_m                    0 for NULL, else the number of the winner

   Of the requests below the numbers of any size, in capitals, are binary; "winner" has no others. A list is its length and its
   entries, a cell a list, one of lists likewise.

   histogram UNIT THRESHOLD NOISE l          noise: a list; l: of cells. The number of cells that are shown and, for each of
                                             them, its cell and its noisy count; then the first of the largest, if any
   counts l                                  the different cells, each with its count
   lead l                                    the lead, 1 and the leading cell; 0 instead of these for the empty list
   threshold UNIT BOUND NOISE v_1 .. v_m     0 for NULL, else the number of the value that is shown
   subsets k b l                             l: of points. The differences of k subsets of b pairs
   batches t B n                             the numbers, from 0, of the items of t batches of B of n items
   halves n                                  those of the halves of n items: two lists
   truncated_sum RADIUS CENTRE X             the sum of the truncated deviations of the list X
   score_sum CEILING X                       the sum of the clipped entries of the list X
   clip BETA NORM X                          the clipped vector X of this norm: numerators, a list, and their denominator
   bins TAU X                                the bins of the entries of the list X *)

open Models

let rec positive n = if n = 1 then XH else if n land 1 = 1 then XI (positive (n / 2)) else XO (positive (n / 2))
let z_of_int n = if n = 0 then Z0 else if n > 0 then Zpos (positive n) else Zneg (positive (-n))
let rec int_of_positive = function XH -> 1 | XO p -> 2 * int_of_positive p | XI p -> (2 * int_of_positive p) + 1
let int_of_z = function Z0 -> 0 | Zpos p -> int_of_positive p | Zneg p -> -int_of_positive p

let z_of_binary digits =
  let add z c =
    match (c, z) with
    | '1', Z0 -> Zpos XH
    | '1', Zpos p -> Zpos (XI p)
    | '0', Zpos p -> Zpos (XO p)
    | _ -> z
  in
  match Seq.fold_left add Z0 (String.to_seq digits) with Zpos p when digits.[0] = '-' -> Zneg p | z -> z

let rec binary_of_positive = function
  | XH -> "1"
  | XO p -> binary_of_positive p ^ "0"
  | XI p -> binary_of_positive p ^ "1"
let binary = function Z0 -> "0" | Zpos p -> binary_of_positive p | Zneg p -> "-" ^ binary_of_positive p

let words = ref []
let next () = match !words with w :: rest -> words := rest; w | [] -> failwith "the request is too short"
let int () = int_of_string (next ())

(* List.init does not promise an order *)
let rec times n read = if n = 0 then [] else let first = read () in first :: times (n - 1) read
let points d = times (int ()) (fun () -> times d (fun () -> z_of_int (int ())))
let number () = z_of_binary (next ())
let numbers () = times (int ()) number
let cells () = times (int ()) numbers
let show numbers = String.concat " " (List.map string_of_int numbers)
let show_list show l = String.concat " " (string_of_int (List.length l) :: List.map show l)
let show_cell = show_list binary

let show_candidates d l subsets =
  let show_candidate (t, score) =
    (List.length t :: List.map int_of_z (List.concat t)) @ [ score; owner_program d subsets t ]
  in
  show (List.concat_map show_candidate (scores_program d l subsets))

let answer = function
  | "candidates" ->
      let d = int () in
      let indices = times (int ()) (fun () -> times (int ()) int) in
      let l = points d in
      show_candidates d l (List.map (List.map (List.nth l)) indices)
  | "candidates_of_sizes" ->
      let d = int () in
      let sizes = times (int ()) int in
      let l = points d in
      show_candidates d l (subsets_of_sizes sizes l)
  | "score" ->
      let d = int () in
      let t = points d in
      show [ score_program d (points d) t ]
  | "dimension_scores" ->
      let d = int () in
      let k_max = int () in
      show (dimension_scores_program d k_max (points d))
  | "values" ->
      let floor = int () in
      show (values_program floor (List.map int_of_string !words))
  | "winner" ->
      let null = z_of_binary (next ()) in
      show [ winner_program 0 null 1 (List.map z_of_binary !words) ]
  | "histogram" ->
      let unit = number () in
      let threshold = number () in
      let noise = numbers () in
      let shown = shown_program unit threshold noise (cells ()) in
      let largest = match largest_program shown with Some cell -> [ cell ] | None -> [] in
      show_list (fun (cell, noisy) -> show_cell cell ^ " " ^ binary noisy) shown ^ " " ^ show_list show_cell largest
  | "counts" ->
      let l = cells () in
      show_list (fun cell -> show_cell cell ^ " " ^ string_of_int (count_program l cell)) (found_program l)
  | "lead" -> (
      let l = cells () in
      show [ lead_program l ] ^ match leading_program l with Some cell -> " 1 " ^ show_cell cell | None -> " 0")
  | "threshold" ->
      let unit = number () in
      let bound = number () in
      let noise = number () in
      show [ threshold_program unit bound noise (List.map int_of_string !words) ]
  | "subsets" ->
      let k = int () in
      let b = int () in
      show_list (show_list show_cell) (subsets_program difference_program k b (cells ()))
  | "batches" ->
      let t = int () in
      let size = int () in
      show_list (show_list string_of_int) (batches_program t size (List.init (int ()) Fun.id))
  | "halves" ->
      let first, second = halves_program (List.init (int ()) Fun.id) in
      show_list (show_list string_of_int) [ first; second ]
  | "truncated_sum" ->
      let radius = number () in
      let centre = number () in
      binary (truncated_sum_program radius centre (numbers ()))
  | "score_sum" ->
      let ceiling = number () in
      binary (score_sum_program ceiling (numbers ()))
  | "clip" ->
      let beta = number () in
      let norm = number () in
      let clipped, denominator = clip_program beta norm (numbers ()) in
      show_cell clipped ^ " " ^ binary denominator
  | "bins" ->
      let tau = number () in
      show_cell (List.map (bin_program tau) (numbers ()))
  | name -> failwith ("unknown request " ^ name)

let () =
  try
    while true do
      words := List.filter (( <> ) "") (String.split_on_char ' ' (input_line stdin));
      print_endline (answer (next ()))
    done
  with End_of_file -> ()
