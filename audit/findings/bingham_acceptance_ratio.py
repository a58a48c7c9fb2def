"""Shows what diffprivlib 0.6.6 and OpenDP 0.16.0 draw for a Bingham direction, and what it costs, before and after the remedy.

It needs numpy, scipy and the package that is looked at (for OpenDP also randomgen and scikit-learn), and nothing else:

    python bingham_acceptance_ratio.py diffprivlib
    python bingham_acceptance_ratio.py opendp

See bingham-acceptance-ratio.md. A third argument, such as 500, is the number of draws on each dataset (default: 7000).
"""

import inspect
import math
import sys
import textwrap
from importlib.metadata import version

import numpy as np
from scipy.optimize import brentq
from scipy.stats import beta, kstest

SEED = 1

#: The expression that is wrong, and what it should be.
REMEDY = {
    "diffprivlib": ("/ ((unit_vec.dot(omega)", "* ((unit_vec.dot(omega)"),
    "opendp": ("M * (u.T @ Omega @ u)", "M / (u.T @ Omega @ u)"),
}


def repaired(package, function):
    """Return the package's own function with that one expression replaced."""
    wrong, right = REMEDY[package]
    source = textwrap.dedent(inspect.getsource(function))
    if source.count(wrong) != 1:
        sys.exit(f"{package} {version(package)} does not have this expression: {wrong}")
    namespace = dict(vars(inspect.getmodule(function)))
    exec(source.replace(wrong, right), namespace)  # noqa: S102 - the package's own source
    return namespace[function.__name__]


def sampler(package, repair):
    """Return a function (C, epsilon, rng): a direction with, as claimed, density proportional to exp(epsilon / 4 v^T C v)."""
    if package == "diffprivlib":
        from diffprivlib.mechanisms import Bingham

        class Mechanism(Bingham):
            """The package's mechanism, perhaps repaired."""

        if repair:
            Mechanism.randomise = repaired(package, Bingham.randomise)

        def drawn(C, epsilon, rng):
            same_stream = np.random.RandomState(rng.bit_generator)  # the kind of generator that diffprivlib takes
            return Mechanism(epsilon=epsilon, random_state=same_stream).randomise(C)

        return drawn

    import opendp._lib
    import opendp.prelude as dp
    from opendp.extras.numpy import _sscp_domain
    from opendp.extras.sklearn._make_eigenvector import make_private_eigenvector as make

    dp.enable_features("contrib", "idealized-numerics")
    make = repaired(package, make) if repair else make

    def draw(C, epsilon, rng):
        opendp._lib._np_csprng = rng  # in place of the cryptographic generator, so that a seed repeats the run
        domain = _sscp_domain(num_features=len(C), norm=1.0, p=2, T=float)
        return np.array(make(domain, dp.symmetric_distance(), unit_epsilon=epsilon)(C))

    return draw


def envelope(gaps):
    """Return the b for which the sum of 1 / (b + 2 gap) is 1: the parameter of the proposals."""
    return brentq(lambda b: np.sum(1.0 / (b + 2.0 * gaps)) - 1.0, 1e-9, len(gaps), xtol=1e-14)


def law(gap, d, power):
    """Return the distribution function of 1 - v_1^2 for A = gap (I - e_1 e_1^T) and density exp(-v^T A v) q(v)^power."""
    t = np.linspace(0.0, 0.5 * math.pi, 200_001)
    form, b = gap * np.sin(t) ** 2, envelope(gap * np.array([0.0] + [1.0] * (d - 1)))
    density = np.exp(-form) * np.sin(t) ** (d - 2) * (1.0 + 2.0 * form / b) ** power
    mass = np.concatenate([[0.0], np.cumsum(0.5 * (density[1:] + density[:-1]))])
    return lambda w: np.interp(np.arcsin(np.sqrt(w)), t, mass / mass[-1])


def true_epsilon(d, rows, epsilon):
    """Return epsilon of the law that is drawn, on `rows` rows at each of e_1 and e_2 and one that moves between the two."""
    m = epsilon / 4.0
    b = envelope(m * np.array([0.0, 1.0, *[rows + 1.0] * (d - 2)]))
    return m + d * math.log1p(2.0 * m / b)


def lower_bound(first, second, confidence):
    """Return a lower bound on epsilon: the event is chosen on a third, both intervals are Clopper-Pearson on the rest."""
    third = len(first) // 3
    threshold = max(
        np.quantile(first[:third], np.linspace(0.02, 0.98, 49)),
        key=lambda t: ((first[:third] > t).mean() + 1e-3) / ((second[:third] > t).mean() + 20.0 / third),
    )
    n, wrong = len(first) - third, (1.0 - confidence) / 2.0
    high, low = (int((sample[third:] > threshold).sum()) for sample in (first, second))
    p, q = beta.ppf(wrong, high, n - high + 1), beta.isf(wrong, low + 1, n - low)
    return max(0.0, math.log(p / q)), threshold


def main(package, draws=7000):
    """Print the law and the guarantee, as the package is and with the remedy."""
    print(f"{package} {version(package)}")
    print("epsilon of the law that is drawn, 100 rows at each of e_1 and e_2, where epsilon = 1 is claimed:")
    print("  " + ", ".join(f"d = {d}: {true_epsilon(d, 100, 1.0):.3f}" for d in (4, 6, 8, 10, 12)))
    w = np.linspace(0.0, 1.0, 100_001)
    for repair in (False, True):
        rng, draw = np.random.default_rng(SEED), sampler(package, repair)
        print("with the remedy:" if repair else "as it is:")

        # The matrix diag(4, 0, 0) at epsilon = 4: the density is to be exp(4 v_1^2), up to a constant.
        off = np.clip([1.0 - draw(np.diag([4.0, 0.0, 0.0]), 4.0, rng)[0] ** 2 for _ in range(2000)], 0.0, 1.0)
        print(f"  mean of 1 - v_1^2 over {len(off):,} draws: {np.mean(off):.4f}")
        for name, power in (("the Bingham law", 0), ("exp(-v^T A v) q(v)^-d", -3)):
            cdf = law(4.0, 3, power)
            print(f"    {name}: mean {1.0 - np.mean(cdf(w)):.4f}, Kolmogorov-Smirnov p = {kstest(off, cdf).pvalue:.2g}")

        # 201 rows of R^6: one at e_1 or e_2, 100 at each. Replacing it changes v^T X^T X v by at most 1.
        samples = [
            np.array([draw(np.diag(diagonal), 2.0, rng)[0] ** 2 for _ in range(draws)])
            for diagonal in ([101.0, 100.0, 0.0, 0.0, 0.0, 0.0], [100.0, 101.0, 0.0, 0.0, 0.0, 0.0])
        ]
        bound, threshold = lower_bound(*samples, confidence=0.999)
        word = "REFUTED" if bound > 2.0 else "not refuted"
        print(f"  epsilon = 2 claimed, d = 6: at least {bound:.3f} with 99.9 % confidence: {word} (v_1^2 > {threshold:.2f})")


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in REMEDY:
        sys.exit(__doc__)
    main(sys.argv[1], *map(int, sys.argv[2:3]))
