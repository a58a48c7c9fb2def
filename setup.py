"""Names the packages: `dppca` and all that it links to; see pyproject.toml for all else."""

from setuptools import find_namespace_packages, setup

setup(packages=find_namespace_packages(include=["dppca", "dppca.*"], exclude=["*__pycache__*"]))
