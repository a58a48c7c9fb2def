"""The instances that `pytest audit/` runs, one module per paper and one for the baselines."""

from dppca.audit.suite.instances import baselines, liu2022, shang2021, singhal2021, wang2020

INSTANCES = [
    *wang2020.instances(),
    *singhal2021.instances(),
    *shang2021.instances(),
    *liu2022.instances(),
    *baselines.instances(),
]
