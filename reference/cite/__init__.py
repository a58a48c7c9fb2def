"""What to cite for an algorithm: the paper that it is from, and this code."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["PAPERS", "SOFTWARE", "UnknownAlgorithmError", "cite"]

PAPERS: Mapping[str, str] = MappingProxyType(
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
}
"""
"""This code in BibTeX, with a place for its version; the same facts as CITATION.cff."""


class UnknownAlgorithmError(ValueError):
    """No algorithm of the catalogue has this key."""


def cite(algorithm: str) -> str:
    """BibTeX of what an algorithm rests on: the paper it is from, others whose claims it has, and this code.

    Args:
        algorithm: key of `dppca.reference.catalog.ALGORITHMS`, such as "liu2022.dp_pca".

    Raises:
        UnknownAlgorithmError: if there is no such algorithm; names those with similar keys.
    """
    from dppca.reference import __version__  # noqa: PLC0415 - it has this function
    from dppca.reference.catalog import ALGORITHMS  # noqa: PLC0415 - `import reference` must stay cheap

    if algorithm not in ALGORITHMS:
        close = difflib.get_close_matches(algorithm, ALGORITHMS, n=3, cutoff=0.4)
        listed = ", ".join(close or ALGORITHMS)
        raise UnknownAlgorithmError(
            f"algorithm must be a key of the catalogue ({'close: ' if close else ''}{listed}), got {algorithm!r}"
        )
    entry = ALGORITHMS[algorithm]
    papers = dict.fromkeys([entry.paper, *(claim.split(".")[0] for claim in entry.claims)])
    return "\n".join([*(PAPERS[paper] for paper in papers), SOFTWARE % __version__])
