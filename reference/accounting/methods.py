"""The protocol of an account: one way to bound delta, estimated in floats and proved by numbers that the checker takes.

`search` asks every account that applies, goes for the least estimate, and raises what it found until a proof succeeds. An
account is a subclass: `applies`, `delta` (the estimate) and `propose` (the numbers of a proof); `prove` is the same for all.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace

from dppca.reference.accounting.certificates import Certificate
from dppca.reference.accounting.checker import Progress, Proof
from dppca.reference.accounting.mechanisms import Statement, check_level, check_statement, check_std, check_target

#: Searches end when the two sides are this close, relatively.
TOLERANCE = 1e-5
#: A proof that fails raises the value by this much, relatively, then by four times as much, and so on.
NUDGE = 1e-5


class Method(ABC):
    """One account. `on_demand`: it is slow, and only tried where a proof is asked for with certify=True."""

    on_demand = False
    tolerance = TOLERANCE
    nudge = NUDGE

    @abstractmethod
    def applies(self, of: Statement, std: float) -> bool:
        """Return whether the account is of this statement, and worth trying at standard deviations up to this one."""

    @abstractmethod
    def delta(self, of: Statement, std: float, epsilon: float, like: float | None = None) -> float:
        """Return delta in floats, not proved; at least 1 where the account says nothing.

        Args:
            of: what is accounted.
            std: standard deviation of a step's noise, per coordinate.
            epsilon: >= 0.
            like: the size of delta that is expected, for which grids and parameters are made; found where it is absent.
        """

    @abstractmethod
    def propose(self, of: Statement, std: float, epsilon: float, like: float) -> Proof:
        """Return the numbers of a proof, made for a delta of this size."""

    def prove(self, of: Statement, std: float, epsilon: float, like: float, *, progress: Progress | None = None) -> Certificate:
        """Return the certificate of the delta that the checker gives; it may be above or below `like`: it is what was proved.

        Raises:
            ValueError: an argument outside its range.
        """
        check_statement(of)
        check_std(std)
        check_level(epsilon)
        return self.certified(of, std, epsilon, self.propose(of, std, epsilon, check_target(like)), progress)

    @staticmethod
    def certified(of: Statement, std: float, epsilon: float, proof: Proof, progress: Progress | None = None) -> Certificate:
        """Return the certificate with these numbers, and the delta that the checker gives."""
        stated = Certificate(of, float(std), float(epsilon), 1.0, proof)
        return replace(stated, delta=stated.bound(progress))


class FirstMethod(Method):
    """An account that a search can begin with: it says something at every standard deviation of a range.

    `loose`: others are much better where they apply, so that a proof of theirs counts before an estimate of this one.
    """

    loose = False

    @abstractmethod
    def stds(self, of: Statement, epsilon: float, delta: float) -> tuple[float, float, float]:
        """Return the least standard deviation that the account covers, where a search begins, and the largest."""
