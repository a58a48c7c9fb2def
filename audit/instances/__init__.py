"""The instances that `pytest audit/` runs, one module per paper."""

from audit.instances import singhal2021, wang2020

INSTANCES = [*wang2020.instances(), *singhal2021.instances()]
