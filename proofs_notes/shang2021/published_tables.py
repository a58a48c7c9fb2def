"""Tables 2 and 3 of shang2021."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

#: Table 2: rows and columns
SIZES = {"a9a": (32561, 123), "CIFAR-10": (50000, 3072), "MNIST": (60000, 784), "Real-sim": (72309, 20958)}
#: Table 3: means and spreads, in the order of its rows: no privacy, PPI, MOD-SULQ, Gaussian, DP-SPCA, DP-VRPCA
MEANS = {
    "a9a": ("84.9483", "79.8034", "80.1136", "80.3199", "82.5539", "82.5539"),
    "MNIST": ("99.2883", "96.1450", "96.5200", "97.0667", "98.3500", "98.4750"),
    "Real-sim": ("99.4275", "71.7836", "72.7932", "85.5685", "92.1290", "94.1852"),
}
SPREADS = {
    "a9a": ("0.00", "0.14", "0.10", "0.23", "0.09", "0.07"),
    "MNIST": ("0.00", "0.20", "0.09", "0.34", "0.18", "0.14"),
    "Real-sim": ("0.00", "0.11", "0.17", "0.34", "0.10", "0.13"),
}
NONE, PPI, SULQ, GAUSS, SPCA, VRPCA = range(6)


def numbers(table: Mapping[str, tuple[str, ...]]) -> dict[str, list[Fraction]]:
    """Return the published entries of a table as rational numbers."""
    return {name: [Fraction(entry) for entry in row] for name, row in table.items()}
