"""Every planted bug."""

from tests.meta import accounts, baselines, liu2022, primitives, shang2021, singhal2021, wang2020

BUGS = [
    *wang2020.BUGS,
    *singhal2021.BUGS,
    *shang2021.BUGS,
    *liu2022.BUGS,
    *baselines.BUGS,
    *primitives.BUGS,
    *accounts.BUGS,
]
