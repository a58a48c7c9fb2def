"""What to cite for an algorithm or a paper, and for this code, of which the commit is named where it is known."""

from __future__ import annotations

import functools
import json
import subprocess
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from types import MappingProxyType
from urllib.parse import urlsplit, urlunsplit

from dppca import __version__
from dppca.reference.usage import did_you_mean

__all__ = ["BIBTEX", "SOFTWARE", "UnknownAlgorithmError", "cite", "origin", "software"]

CHECKOUT = Path(__file__).resolve().parents[1]

BIBTEX: Mapping[str, str] = MappingProxyType(
    {
        "liu2022": """\
@inproceedings{liu2022,
  author    = {Liu, Xiyang and Kong, Weihao and Jain, Prateek and Oh, Sewoong},
  title     = {{DP-PCA}: Statistically Optimal and Differentially Private {PCA}},
  booktitle = {Advances in Neural Information Processing Systems},
  volume    = {35},
  year      = {2022},
  note      = {arXiv:2205.13709},
}
""",
        "wang2020": """\
@article{wang2020,
  author  = {Wang, Di and Xu, Jinhui},
  title   = {Principal Component Analysis in the Local Differential Privacy Model},
  journal = {Theoretical Computer Science},
  volume  = {809},
  pages   = {296--312},
  year    = {2020},
}
""",
        "singhal2021": """\
@inproceedings{singhal2021,
  author    = {Singhal, Vikrant and Steinke, Thomas},
  title     = {Privately Learning Subspaces},
  booktitle = {Advances in Neural Information Processing Systems},
  volume    = {34},
  year      = {2021},
  note      = {arXiv:2106.00001},
}
""",
        "shang2021": """\
@inproceedings{shang2021,
  author    = {Shang, Fanhua and Zhang, Zhihui and Xu, Tao and Liu, Yuanyuan and Liu, Hongying},
  title     = {Principal Component Analysis in the Stochastic Differential Privacy Model},
  booktitle = {Uncertainty in Artificial Intelligence},
  series    = {Proceedings of Machine Learning Research},
  volume    = {161},
  pages     = {1110--1119},
  year      = {2021},
}
""",
        "dwork2006": """\
@inproceedings{dwork2006,
  author    = {Dwork, Cynthia and McSherry, Frank and Nissim, Kobbi and Smith, Adam},
  title     = {Calibrating Noise to Sensitivity in Private Data Analysis},
  booktitle = {Theory of Cryptography Conference (TCC)},
  pages     = {265--284},
  year      = {2006},
}
""",
        "dwork2014": """\
@inproceedings{dwork2014,
  author    = {Dwork, Cynthia and Talwar, Kunal and Thakurta, Abhradeep and Zhang, Li},
  title     = {Analyze {Gauss}: Optimal Bounds for Privacy-Preserving Principal Component Analysis},
  booktitle = {ACM Symposium on Theory of Computing (STOC)},
  pages     = {11--20},
  year      = {2014},
}
""",
        "chaudhuri2013": """\
@article{chaudhuri2013,
  author  = {Chaudhuri, Kamalika and Sarwate, Anand D. and Sinha, Kaushik},
  title   = {A Near-Optimal Algorithm for Differentially-Private Principal Components},
  journal = {Journal of Machine Learning Research},
  volume  = {14},
  pages   = {2905--2943},
  year    = {2013},
}
""",
        "abadi2016": """\
@inproceedings{abadi2016,
  author    = {Abadi, Mart{\\'\\i}n and Chu, Andy and Goodfellow, Ian and McMahan, H. Brendan and Mironov, Ilya and
               Talwar, Kunal and Zhang, Li},
  title     = {Deep Learning with Differential Privacy},
  booktitle = {ACM SIGSAC Conference on Computer and Communications Security (CCS)},
  pages     = {308--318},
  year      = {2016},
}
""",
        "hardt2014": """\
@inproceedings{hardt2014,
  author    = {Hardt, Moritz and Price, Eric},
  title     = {The Noisy Power Method: A Meta Algorithm with Applications},
  booktitle = {Advances in Neural Information Processing Systems},
  volume    = {27},
  year      = {2014},
}
""",
        "jiang2016": """\
@inproceedings{jiang2016,
  author    = {Jiang, Wuxuan and Xie, Cong and Zhang, Zhihua},
  title     = {Wishart Mechanism for Differentially Private Principal Components Analysis},
  booktitle = {AAAI Conference on Artificial Intelligence},
  volume    = {30},
  year      = {2016},
}
""",
        "amin2019": """\
@inproceedings{amin2019,
  author    = {Amin, Kareem and Dick, Travis and Kulesza, Alex and {Mu{\\~n}oz Medina}, Andr{\\'e}s and Vassilvitskii, Sergei},
  title     = {Differentially Private Covariance Estimation},
  booktitle = {Advances in Neural Information Processing Systems},
  volume    = {32},
  year      = {2019},
}
""",
    }
)
"""Keys of papers, as in `dppca.reference.catalog`, to BibTeX."""

SOFTWARE = """\
@software{dp-pca-reference,
  author  = {{The dp-pca-reference maintainers}},
  title   = {dp-pca-reference: a formally checked reference implementation of differentially private {PCA},
             with privacy auditing},
  version = {%s},
  year    = {2026},
%s}
"""
"""This code in BibTeX, with places for its version and for further fields; the same facts as CITATION.cff."""


class UnknownAlgorithmError(ValueError):
    """The error for a key that no algorithm of the catalogue has."""


def software() -> str:
    """Return the BibTeX of this code: its version, and where they can be known its address and commit."""
    fields = {name: value for name, value in zip(("url", "commit"), origin(), strict=True) if value}
    return SOFTWARE % (__version__, "".join(f"  {name:7} = {{{value}}},\n" for name, value in fields.items()))


@functools.cache
def origin() -> tuple[str, str]:
    """Return the address and the commit that this code is from, each "" where it is unknown.

    A checkout knows them by git; an installation straight from a repository, by what pip has noted.
    """
    if (CHECKOUT / ".git").exists():
        commit = _git("rev-parse", "HEAD")
        changed = _git("status", "--porcelain", "--untracked-files=no")
        return shown_address(_git("remote", "get-url", "origin")), f"{commit} with changes" if commit and changed else commit
    try:
        noted = distribution("dppca").read_text("direct_url.json")
    except PackageNotFoundError:
        return "", ""
    place = json.loads(noted) if noted else {}
    commit = str(place.get("vcs_info", {}).get("commit_id", ""))
    return (shown_address(str(place.get("url", ""))), commit) if commit else ("", "")


def shown_address(url: str) -> str:
    """Return a public address without what it may hold of a user, "" for a folder of this machine."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2])) if parts.scheme in ("http", "https") else ""


def _git(*arguments: str) -> str:
    """Return what git answers about the checkout, "" where it cannot."""
    command = ["git", "-C", str(CHECKOUT), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=10, check=False)  # noqa: S603 - no input
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def cite(key: str) -> str:
    """Return BibTeX of a paper, or of what an algorithm rests on: its paper, others whose claims it has; and of this code.

    Args:
        key: key of `dppca.reference.catalog.ALGORITHMS`, such as "liu2022.dp_pca", or of BIBTEX, such as "liu2022".

    Raises:
        UnknownAlgorithmError: if there is no such algorithm or paper; asks whether one with a similar key is meant.
    """
    if isinstance(key, str) and key in BIBTEX:
        return "\n".join([BIBTEX[key], software()])
    from dppca.reference.catalog import ALGORITHMS  # noqa: PLC0415 - `import reference` must stay cheap

    if not isinstance(key, str) or key not in ALGORITHMS:
        from dppca.reference.rigour.validation import shown  # noqa: PLC0415 - as above

        meant = did_you_mean(key, ALGORITHMS, 3) if isinstance(key, str) else ""
        raise UnknownAlgorithmError(f"key must be one that `dppca list` prints, got {shown(key)}{meant}")
    entry = ALGORITHMS[key]
    papers = dict.fromkeys([entry.paper, *(claim.split(".")[0] for claim in entry.claims)])
    for paper in papers.keys() - BIBTEX.keys():
        raise UnknownAlgorithmError(
            f"claims of {key} must begin with a paper of BIBTEX in reference/citations.py, got {paper!r}"
        )
    return "\n".join([*(BIBTEX[paper] for paper in papers), software()])
