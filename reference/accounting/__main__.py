"""`dppca account`: the smallest noise, epsilon or delta of subsampled Gaussian steps; give two of the three.

    dppca account --index 1000 --steps 5000 --epsilon 0.5 --delta 1e-5       the standard deviation
    dppca account --poisson 0.01 --steps 1000 --std 1 --delta 1e-5           epsilon
    dppca account --batch 1000 10 --steps 1000 --std 1 --epsilon 1           delta
    dppca account --poisson 0.01 --steps 1000 --std 1 --epsilon 0.5 1 2      a profile: delta at each epsilon
    dppca account --check FILE                                               whether a stored certificate holds

Neighbours of --index and --batch differ in one replaced row, those of --poisson in one row more or less.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from dppca.reference.accounting import (
    Account,
    FixedBatch,
    Mechanism,
    Poisson,
    UniformIndex,
    delta_at,
    epsilon_at,
    read_certificate,
    smallest_std,
)
from dppca.reference.accounting.certificates import TEXT_MAX
from dppca.reference.accounting.mechanisms import Sampling, Shape
from dppca.reference.command_line import DONE, FOUND_WRONG, Parser, new_file, say_written
from dppca.reference.usage import UsageError

#: Characters of the progress bar.
_BAR = 40
#: A check that takes longer, about, is announced.
_LONG = 5.0


def main(arguments: list[str] | None = None) -> int:
    """Return 0 after printing the account, or where a certificate holds; 1 where it does not; 2 for wrong usage."""
    given = sys.argv[1:] if arguments is None else arguments
    if any(argument.split("=")[0] == "--check" for argument in given):
        return _check(given)
    parser = Parser(prog="dppca account", description=__doc__)
    sampling = parser.add_mutually_exclusive_group(required=True)
    sampling.add_argument("--index", type=int, metavar="N", help="each step draws one of N rows")
    sampling.add_argument("--batch", type=int, nargs=2, metavar=("N", "SIZE"), help="each step draws SIZE of N rows")
    sampling.add_argument("--poisson", type=float, metavar="RATE", help="each step draws each row with this probability")
    parser.add_argument("--steps", type=int, required=True, help="how many steps")
    parser.add_argument("--sensitivity", type=float, default=1.0, help="L2 sensitivity of a step (default: 1)")
    parser.add_argument(
        "--shape",
        choices=("diameter", "ball"),
        help="--index, --batch: what the sensitivity bounds, the distance of two values or the diameter of a ball of all",
    )
    parser.add_argument(
        "--unsampled", type=float, default=0.0, help="sensitivity of one release of all rows whose noise is that of a step"
    )
    parser.add_argument("--fixed-ratio", type=float, default=0.0, help="sensitivity / std of one release of all rows")
    for name in ("std", "delta"):
        parser.add_argument(f"--{name}", type=float, help="two of --std, --epsilon, --delta are given; the third is printed")
    parser.add_argument("--epsilon", type=float, nargs="+", help="one, or with --std several: delta is printed at each")
    parser.add_argument(
        "--certify", action=argparse.BooleanOptionalAction, help="prove the number, or never (default: where it is quick)"
    )
    parser.add_argument("--certificate", type=Path, metavar="FILE", help="write the proof there, as JSON")
    parser.add_argument("--check", type=Path, metavar="FILE", help="check a stored certificate, and nothing else")
    options = parser.parse_args(given)
    account = None
    try:
        for account in _accounts(options):
            sys.stdout.write(
                f"std = {account.std:.6g}, epsilon = {account.epsilon:.6g}, delta = {account.delta:.6g} "
                f"({'proved' if account.certified else 'an estimate in floats, not proved'})\n"
            )
            sys.stdout.flush()
    except ValueError as error:
        parser.error(str(error))
    if options.certificate is not None and account is not None and account.certificate is not None:
        options.certificate.write_text(account.certificate.to_json(), encoding="utf-8")
        say_written(options.certificate)
    return DONE


def _check(given: list[str]) -> int:
    """Print what a stored certificate states, and whether the checker's arithmetic gives it."""
    parser = Parser(prog="dppca account", description="Check a certificate that --certificate wrote, or another's.")
    parser.add_argument("--check", type=Path, metavar="FILE", required=True, help="the certificate, as JSON")
    path = parser.parse_args(given).check
    try:
        with path.open(encoding="utf-8") as file:
            certificate = read_certificate(file.read(TEXT_MAX + 1))
        sys.stdout.write(f"{certificate.words}\n")
        if certificate.seconds > _LONG:
            sys.stdout.write(f"the check takes about {certificate.seconds:.0f} s\n")
        sys.stdout.flush()
        proved = certificate.bound(_bar if sys.stderr.isatty() else None)
    except (OSError, ValueError) as error:
        parser.error(f"--check: cannot check {path}: {error}")
    holds = proved <= certificate.delta
    sys.stdout.write(
        f"{'holds' if holds else 'does not hold'}: a proof of kind {certificate.kind} gives delta = {proved!r}, and "
        f"{certificate.delta!r} is stated\n"
    )
    return DONE if holds else FOUND_WRONG


def _accounts(options: argparse.Namespace) -> Iterator[Account]:
    """Yield one account, or one for each epsilon."""
    asked = [name for name in ("std", "epsilon", "delta") if getattr(options, name) is None]
    if len(asked) != 1:
        raise UsageError(f"exactly two of --std, --epsilon, --delta must be given, got {3 - len(asked)}")
    certify = options.certify
    if options.certificate is not None:
        if certify is False:
            raise UsageError("--certificate needs a proof, so it excludes --no-certify")
        new_file("--certificate", options.certificate)
        certify = True
    epsilons = options.epsilon or []
    if len(epsilons) > 1 and (asked != ["delta"] or options.certificate is not None):
        raise UsageError("several --epsilon need --std, and exclude --delta and --certificate")
    mechanism = Mechanism(_sampling(options), options.steps, options.sensitivity, options.unsampled, options.fixed_ratio)
    progress = _bar if sys.stderr.isatty() else None
    if asked == ["std"]:
        yield smallest_std(mechanism, epsilons[0], options.delta, certify=certify, progress=progress)
    elif asked == ["epsilon"]:
        yield epsilon_at(mechanism, options.std, options.delta, certify=certify, progress=progress)
    for epsilon in epsilons if asked == ["delta"] else ():
        yield delta_at(mechanism, options.std, epsilon, certify=certify, progress=progress)


def _sampling(options: argparse.Namespace) -> Sampling:
    shape: Shape = options.shape or "diameter"
    if options.index is not None:
        return UniformIndex(options.index, shape)
    if options.batch is not None:
        return FixedBatch(options.batch[0], options.batch[1], shape)
    if options.shape is not None:
        raise UsageError("--shape is of --index and --batch; with --poisson a row's value alone counts")
    return Poisson(options.poisson)


def _bar(done: int, total: int) -> None:
    """Show how many products of a proof are done, on one line of the terminal."""
    sys.stderr.write(f"\rproving [{'#' * (_BAR * done // total):{_BAR}}]" + ("\n" if done == total else ""))
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
