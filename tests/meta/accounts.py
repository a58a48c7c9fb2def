"""Bugs in the accounts that calibrations of subsampled steps rest on.

Each is looked for by the examinations of audit/suite/accounts.py, which `pytest audit/` runs for every algorithm with such a
calibration; what an examination compares with is a closed form, brute force or a plain transform.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dppca.audit.suite import accounts
from dppca.reference.accounting import certificates, hinges, lower, moments, renyi
from dppca.reference.accounting.mechanisms import Poisson, UniformIndex
from dppca.reference.accounting.variance_reduced import VarianceReduced
from tests.meta.audits import Exact
from tests.meta.bug import Bug, Layer
from tests.meta.planting import Edit

SPCA, VRPCA, SGD = "shang2021.dp_spca", "shang2021.dp_vrpca", "baselines.dp_sgd"


#: The examination that is asked first, by the algorithm: the one that its bugs are about.
FIRST: dict[str, Callable[[], bool]] = {
    SPCA: accounts.replacing_covers_each_pair,
    VRPCA: accounts.all_of_dp_vrpca_is_covered,
    SGD: accounts.the_grid_covers_brute_force,
}


def _bug(name: str, subject: str, layer: Layer, *edits: Edit, examination: Callable[[], bool] | None = None) -> Bug:
    """Return the bug: 1 where its examination fails and 0 where it does not, against 0."""
    asked = examination or FIRST[subject]
    return Bug(f"account: {name}", subject, layer, edits, lambda: Exact(lambda: (float(not asked()), 0.0)))


def _getter(of: property) -> Any:
    return of.fget


BUGS = [
    _bug(
        "sampling counted twice",
        SPCA,
        "composition",
        Edit(_getter(UniformIndex.__dict__["rate"]), "Fraction(1, self.n)", "Fraction(1, self.n) ** 2"),
        Edit(_getter(Poisson.__dict__["rate"]), "Fraction(self.probability)", "Fraction(self.probability) ** 2"),
    ),
    _bug(
        "one of the two pairs for a replaced row",
        SPCA,
        "calibration",
        Edit(_getter(UniformIndex.__dict__["pairs"]), '("replace",)', '("add",)'),
    ),
    _bug(
        "second moment of the hinge 3 % too small",
        SPCA,
        "calibration",
        Edit(hinges.second_moment, "square.expm1() if", "square.expm1() * 97 / 100 if"),
        examination=accounts.the_hinge_covers_each_pair,
    ),
    _bug(
        "hinge's point below 1 left out",
        SPCA,
        "calibration",
        Edit(hinges.one_step, "_add_point(masses, below - surplus, below, grid)", "pass"),
        examination=accounts.the_hinge_covers_each_pair,
    ),
    _bug(
        "hinge halved",
        SPCA,
        "calibration",
        Edit(hinges._hinge_mean, "return total *", "return total / 2 *"),
        examination=accounts.the_hinge_covers_each_pair,
    ),
    _bug(
        "drift halved",
        VRPCA,
        "calibration",
        Edit(VarianceReduced.small_steps, "Fraction(self.drift)", "Fraction(self.drift) / 2"),
        Edit(VarianceReduced.split, "Fraction(self.drift)", "Fraction(self.drift) / 2"),
    ),
    _bug(
        "full gradient left out",
        VRPCA,
        "composition",
        Edit(VarianceReduced.small_steps, "self.mean, spread, self.sensitivity,", "1e-6, spread, 0.0,"),
        Edit(VarianceReduced.split, "sampled, _up(s * root / self.n / Fraction(rest)))", "sampled)"),
    ),
    _bug(
        "second moment of small steps too small",
        VRPCA,
        "calibration",
        Edit(moments.moments, "return Moments(of.even(2),", 'return Moments(of.even(2) * flint().arb("0.6"),'),
    ),
    _bug(
        "Renyi moments from the second moment alone",
        VRPCA,
        "calibration",
        Edit(renyi.step_moments, "for m in range(2, p + 1)), flint", "for m in range(2, 3)), flint"),
        examination=accounts.renyi_moments_cover_the_worst_pair,
    ),
    _bug(
        "Renyi payoff of the next order",
        VRPCA,
        "calibration",
        Edit(renyi.renyi_payoff, "(-(p - 1) * epsilon)", "(-p * epsilon)"),
        examination=accounts.renyi_moments_cover_the_worst_pair,
    ),
    _bug(
        "Renyi moments of half the steps",
        VRPCA,
        "composition",
        Edit(renyi.RenyiCertificate.bound, "moment**self.steps.steps", "moment**((self.steps.steps + 1) // 2)"),
    ),
    _bug(
        "tail dropped",
        SGD,
        "calibration",
        Edit(certificates._integers, "max(0, to_integer(infinite, scale, up=True))", "0"),
    ),
    _bug(
        "masses rounded down",
        SGD,
        "float",
        Edit(certificates._integers, "to_integer(mass, scale, up=True)", "to_integer(mass, scale, up=False)"),
    ),
    _bug(
        "products rounded down",
        SGD,
        "float",
        Edit(certificates.divide_up, "(masses + module.fmpz_poly([(1 << scale) - 1] * masses.length()))", "masses"),
    ),
    _bug(
        "final sum 3 % too small",
        SGD,
        "calibration",
        Edit(certificates.delta_of, "above(step)) * unit", "above(step)) * unit * 97 / 100"),
    ),
    _bug(
        "masses of the lower bound rounded up",
        SGD,
        "float",
        Edit(
            lower._power,
            "_Law(one.origin, *law)",
            "_Law(one.origin, law[0], law[1] + module.fmpz_poly([1 << 40] * law[1].length()))",
        ),
        examination=accounts.lower_is_below_brute_force,
    ),
]
