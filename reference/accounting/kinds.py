"""Reading a stored certificate of any kind."""

from __future__ import annotations

import json
from typing import TypeAlias, get_args

from dppca.reference.accounting.certificates import Certificate
from dppca.reference.accounting.gaussians import GaussianCertificate
from dppca.reference.accounting.hinges import HingeCertificate
from dppca.reference.accounting.moments import SmallStepCertificate
from dppca.reference.accounting.renyi import RenyiCertificate
from dppca.reference.accounting.shuffling import ShuffleCertificate
from dppca.reference.accounting.variance_reduced import VarianceReducedCertificate

StoredCertificate: TypeAlias = (
    Certificate
    | GaussianCertificate
    | HingeCertificate
    | SmallStepCertificate
    | RenyiCertificate
    | ShuffleCertificate
    | VarianceReducedCertificate
)
KINDS: dict[str, type[StoredCertificate]] = {of.kind: of for of in get_args(StoredCertificate)}


def read_certificate(text: str) -> StoredCertificate:
    """Return the certificate that the `to_json` of any of the accounts wrote; its `check` proves the statement again.

    Raises:
        ValueError: the text is none of that.
    """
    stored = json.loads(text)
    kind = stored.get("kind") if isinstance(stored, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise ValueError(f"a certificate must be an object whose kind is one of {sorted(KINDS)}")
    return KINDS[kind].from_json(text)
