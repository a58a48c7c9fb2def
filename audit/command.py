"""`dppca audit`: audit the algorithms of the catalogue, another implementation of them, or a mechanism of your own.

    dppca audit -k wang2020                               the catalogue, as `pytest audit/` in a checkout
    dppca audit --implementation mine:implementation      your implementation of the catalogue's algorithms
    dppca audit mine:mechanism --data "[1, 0, 1]" --neighbour "[1, 0, 0]" --epsilon 1 --delta 1e-2
    dppca audit mine:mechanism --data "[1, 0, 1]" --neighbour "[1, 0, 0]" --gdp 1
    dppca audit mine:mechanism --pairs "Values(10, low=0, high=1)" --epsilon 1 --found worst

The last three audit a callable (data, rng) -> output or an object with sample(data, trials, rng); with --transcript a callable
(data, noise) -> output. A dataset is a file (.npy, .json, .csv), pkg.module:object, or a Python literal. --pairs searches for
the worst pair, among those of a generator: Values(n, low, high), Records(by=, relation=) of the table --data,
Edges(nodes), Rows(n, d), or a callable pkg.module:object; --data and --neighbour name a pair to begin with. Without a claim the
bound alone is printed. --report results.json writes the result there, and a page with its plot to results.html.
"""

from __future__ import annotations

import argparse
import ast
import importlib
import json
import math
import os
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

from dppca.audit.report.document import RESULTS
from dppca.audit.report.place import check_report
from dppca.reference.command_line import (
    DONE,
    FOUND_WRONG,
    NO_VERDICT,
    Counter,
    Parser,
    dataset,
    load_object,
    new_file,
    one_line,
    run_pytest,
    say,
    say_written,
    supervised,
)
from dppca.reference.usage import UsageError

TESTS = Path(__file__).resolve().parent / "suite"
#: Trials on each dataset, of outputs and of transcripts, where none are asked for: as in `dppca.audit`.
OUTPUTS, TRANSCRIPTS = 100_000, 20_000
#: Options of the suite that pytest takes as they are, by their names here.
_SUITE = ("budget", "implementation", "dask")
_SHARED = ("report", "seed", "data", "epsilon", "delta", "workers", "store", "call_timeout")
_OWN = ("neighbour", "pairs", "found", "trials", "seconds", "confidence", "subspace", "view", "key")
#: Generators of pairs that --pairs knows.
_GENERATORS = ("Edges", "Records", "Rows", "Values")
#: Options that claim a whole curve, by their names here, with the class of the claim.
_CURVES = {"gdp": "GDP", "zcdp": "ZCDP", "rdp": "RDP", "curve": "PrivacyCurve", "trade_off": "TradeOff"}


def main(arguments: list[str] | None = None) -> int:
    """Return 0 where nothing was found; 1 where a claim is refuted, or a law differs; 2 for wrong usage; 3: no verdict."""
    parser = _parser()
    options = parser.parse_args(arguments)
    own = options.mechanism is not None
    others = [name for name in (*_SUITE, "select", "processes") if own and getattr(options, name) is not None]
    others += [name for name in (*_OWN, *_CURVES) if not own and getattr(options, name) is not None]
    if others:
        named = {"select": "-k", "view": f"--{options.view}"}.get(others[0], f"--{others[0].replace('_', '-')}")
        parser.error(f"{named} is for {'the suite, not for' if own else ''} a mechanism of your own".replace("  ", " "))
    try:
        from dppca.audit.execution.isolation import adopted  # noqa: PLC0415 - `--help` needs none of it

        with adopted():
            return _audit_own(parser, options) if own else _run_suite(options)
    except (UsageError, ValueError) as error:
        parser.error(str(error))


def _parser() -> Parser:
    parser = Parser(prog="dppca audit", description=__doc__)
    parser.add_argument("mechanism", nargs="?", metavar="PKG.MODULE:OBJECT", help="your own mechanism (default: the suite)")
    both = parser.add_argument_group("all audits")
    both.add_argument("--data", metavar="WHAT", help="the dataset; for the suite, the directory of the real data sets")
    both.add_argument("--epsilon", type=float, help="epsilon of the claim (suite: the target of --implementation)")
    both.add_argument("--delta", type=float, help="delta of the claim (default: 0)")
    both.add_argument("--report", metavar="FILE", help="write a JSON report there, and a page with plots beside it")
    both.add_argument("--seed", type=int, help="seed of all randomness")
    both.add_argument("--workers", type=int, help="how many batches of trials run at a time (default: 1)")
    both.add_argument("--store", metavar="FILE", help="SQLite file that stores finished batches, to continue from")
    both.add_argument("--call-timeout", type=float, metavar="SECONDS", help="how long one call of a mechanism may take")
    own = parser.add_argument_group("a mechanism of your own")
    own.add_argument("--neighbour", "--neighbor", metavar="WHAT", help="the neighbouring dataset")
    own.add_argument("--pairs", metavar="WHAT", help="generator of pairs of datasets, of which the worst is searched for")
    own.add_argument("--found", metavar="NAME", help="the best pair found is written to NAME-data.* and NAME-neighbour.*")
    claim = own.add_mutually_exclusive_group()
    claim.add_argument("--gdp", type=float, metavar="MU", help="claim Gaussian differential privacy")
    claim.add_argument("--zcdp", type=float, metavar="RHO", help="claim zero-concentrated differential privacy")
    claim.add_argument("--rdp", type=float, nargs=2, metavar=("ALPHA", "EPSILON"), help="claim Renyi differential privacy")
    claim.add_argument("--curve", metavar="PKG.MODULE:F", help="claim (epsilon, F(epsilon))-DP for every epsilon")
    claim.add_argument("--trade-off", metavar="PKG.MODULE:F", help="claim the trade-off function F")
    own.add_argument("--trials", type=int, help="runs on each dataset (default: 100000, transcripts 20000)")
    own.add_argument("--seconds", type=float, help="how long the check of a claim may take; --trials is a limit too")
    own.add_argument("--confidence", type=float, help="confidence of the bound (default: 0.95)")
    view = own.add_mutually_exclusive_group()
    view.add_argument("--output", dest="view", action="store_const", const="output", help="see outputs alone (default)")
    view.add_argument("--transcript", dest="view", action="store_const", const="transcript", help="see every release")
    own.add_argument("--subspace", action="store_const", const=True, help="compare outputs, which are bases, by what they span")
    own.add_argument("--key", help="name of the mechanism and its version in the store")
    suite = parser.add_argument_group("the suite (needs the extra `suite`)")
    suite.add_argument("-k", dest="select", metavar="WORDS", help="the tests whose names hold these words, as in pytest")
    suite.add_argument("--budget", choices=("quick", "standard", "deep"), help="how many trials (default: standard)")
    suite.add_argument("--implementation", metavar="PKG.MODULE:OBJECT", help="audit this in place of the catalogue")
    suite.add_argument("--processes", type=int, metavar="N", help="how many processes of pytest-xdist there are")
    suite.add_argument("--dask", metavar="ADDRESS", help="run on the Dask cluster with this scheduler")
    return parser


def _run_suite(options: argparse.Namespace) -> int:
    """Run the suite."""
    command = []
    if options.select is not None:
        command += ["-k", options.select]
    if options.processes is not None:
        if options.processes < 1:
            raise UsageError(f"--processes must be >= 1, got {options.processes}")
        importlib.import_module("xdist")  # its absence is told by the caller
        command += ["--numprocesses", str(options.processes), "--dist", "worksteal"]
    for name in (*_SUITE, *_SHARED):
        value = getattr(options, name)
        if value is not None:
            command.append(f"--{name.replace('_', '-')}={value}")
    return run_pytest(TESTS, command)


def _audit_own(parser: Parser, options: argparse.Namespace) -> int:
    """Audit one mechanism and print what was found; the mechanism is imported in another process."""
    from dppca import audit  # noqa: PLC0415 - `dppca audit --help` needs none of it
    from dppca.audit.report import card  # noqa: PLC0415 - as above

    _check_own(options)
    transcript = options.view == "transcript"
    counter = Counter(options.trials or (TRANSCRIPTS if transcript else OUTPUTS), options.seconds or math.inf)
    bound: Any = audit.transcript_lower_bound if transcript else audit.lower_bound  # or what extra is missing
    check: Any = audit.transcript_check if transcript else audit.check
    if options.pairs is not None:
        bound = audit.transcript_lower_bound_over_pairs if transcript else audit.lower_bound_over_pairs

    def audited(*_: Any) -> int:
        try:
            return _found(options, bound, check, counter)
        except (UsageError, ValueError, audit.StoreError) as error:
            parser.error(str(error))
        except (audit.MechanismError, audit.VersionError, OSError) as error:
            sys.stderr.write(f"dppca audit: {one_line(error)}{_place(error)}\n")
            if options.report is not None:
                told = card.document(card.NoVerdict(str(error), _claim(options)), mechanism=options.mechanism)
                say_written(options.report, card.write([told], Path(options.report)))
            return NO_VERDICT

    return supervised("dppca audit", audited, counter.line)


def _place(error: Exception) -> str:
    """Return in words where in the user's code an error was raised; nothing where it is not known."""
    notes = "\n".join(getattr(error, "__notes__", ()))
    places = re.findall(r'File "([^"\n]+)", line (\d+), in (\S+)', notes)
    return "; raised in {}, line {}, by {}".format(*map(one_line, places[-1])) if places else ""


def _check_own(options: argparse.Namespace) -> None:
    """Raise UsageError where options do not go together."""
    if options.pairs is None:
        for name in ("data", "neighbour"):
            if getattr(options, name) is None:
                raise UsageError(
                    f"--{name} must name a dataset for a mechanism of your own, or --pairs what makes pairs of them"
                )
    if options.found is not None and options.pairs is None:
        raise UsageError("--found is for --pairs: it names where the pair goes that the search ends with")
    if options.subspace and options.view == "transcript":
        raise UsageError("--subspace is for the output view: a transcript is compared release by release")
    if (options.store is None) != (options.key is None):
        raise UsageError("--store and --key go together: the key names the mechanism and its version in the store")
    if options.report is not None:
        check_report(Path(options.report), RESULTS)
    claimed = any(getattr(options, name) is not None for name in ("epsilon", *_CURVES))
    if options.seconds is not None and (not claimed or options.pairs is not None):
        raise UsageError("--seconds is for a claim: a bound alone and a search have --trials")


def _found(options: argparse.Namespace, bound: Any, check: Any, counter: Counter) -> int:
    """Return the status of an audit by one of these functions, its result printed."""
    from dppca import audit  # noqa: PLC0415 - as above
    from dppca.audit.report import card  # noqa: PLC0415 - as above

    mechanism = load_object("the mechanism", options.mechanism)
    given_data = {name: getattr(options, name) for name in ("data", "neighbour")}
    data, neighbour = (None if text is None else dataset(f"--{name}", text) for name, text in given_data.items())
    given = {name: getattr(options, name) for name in ("trials", "confidence", "seed", "workers", "call_timeout")}
    settings: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    settings["isolate"] = hasattr(os, "fork")
    if options.store is not None:
        settings["store"] = audit.Store(options.store, options.key)
    if options.seconds is not None:
        settings["seconds"] = options.seconds
    if options.subspace:
        settings["features"] = audit.Subspace()
    delta = 0.0 if options.delta is None else options.delta
    claim = _claim(options)
    if options.pairs is not None:
        pairs, start = _pairs(options.pairs, data, neighbour)
        found = bound(mechanism, pairs, start=start, delta=delta, claim=claim, **settings)
    elif claim is None:
        found = bound(mechanism, data, neighbour, delta=delta, **settings)
    else:
        found = check(mechanism, data, neighbour, claim, progress=counter.add, **settings)
    told = card.document(found, mechanism=options.mechanism)
    say(card.text(told))
    for name in () if options.found is None else ("data", "neighbour"):
        say_written(_write_dataset(f"{options.found}-{name}", getattr(found, name)))
    if options.report is not None:
        say_written(options.report, card.write([told], Path(options.report)))
    return FOUND_WRONG if told["verdict"] == "REFUTED" else DONE


def _pairs(text: str, data: Any, neighbour: Any) -> tuple[Any, Any]:
    """Return the generator of pairs that a text names, and the pair to start from or None."""
    from dppca import audit  # noqa: PLC0415 - as above

    start = None if data is None or neighbour is None else (data, neighbour)
    try:
        call = ast.parse(text.strip(), mode="eval").body
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id not in _GENERATORS:
            return load_object("--pairs", text), start
        name, arguments = call.func.id, [ast.literal_eval(argument) for argument in call.args]
        options = {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
        if name == "Records":
            if data is None:
                raise UsageError("--data must name the table whose records --pairs Records takes")
            arguments = [data, *arguments]
        return getattr(audit, name)(*arguments, **options), start
    except (SyntaxError, TypeError) as error:
        if ":" in text and "(" not in text:
            return load_object("--pairs", text), start
        raise UsageError(f"--pairs must be as in Values(10, low=0, high=1), got {text!r}: {one_line(error)}") from error


def _write_dataset(name: str, value: Any) -> Path:
    """Write a dataset so that --data can read it; return where it is."""
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        path = new_file("--found", Path(f"{name}.npy"))
        np.save(path, value, allow_pickle=False)
        return path
    path = new_file("--found", Path(f"{name}.json"))
    try:
        path.write_text(json.dumps(value) + "\n", encoding="utf-8")
    except TypeError as error:
        raise UsageError(f"--found can write arrays and what JSON can say: {one_line(error)}") from error
    return path


def _claim(options: argparse.Namespace) -> Any:
    """Return what is claimed: a point, a curve, or None."""
    from dppca import audit  # noqa: PLC0415 - as above

    name = next((name for name in _CURVES if getattr(options, name) is not None), None)
    if name is None:
        return None if options.epsilon is None else audit.Claim(options.epsilon, options.delta or 0.0)
    option = f"--{name.replace('_', '-')}"
    for other in ("epsilon", "delta"):
        if getattr(options, other) is not None:
            raise UsageError(f"--{other} must not be given beside {option}, which claims a delta for every epsilon")
    value = getattr(options, name)
    if isinstance(value, str):
        value = load_object(option, value)
    return getattr(audit, _CURVES[name])(*(value if name == "rdp" else [value]))
