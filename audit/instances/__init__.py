"""The instances that `pytest audit/` runs, one module per paper."""

from audit.instances import wang2020

INSTANCES = [*wang2020.instances()]
