"""Names the packages: the folders of this checkout are imported below `dppca`, see pyproject.toml for all else."""

from setuptools import find_namespace_packages, setup

FOLDERS = {
    "dppca.reference": "reference",
    "dppca.audit": "audit",
    "dppca.proofs": "proofs_notes",
    "dppca.conformance": "tests/conformance",
}

setup(
    package_dir={"dppca": "reference/package", **FOLDERS},
    packages=[
        "dppca",
        *FOLDERS,
        *(
            f"{name}.{package}"
            for name, folder in FOLDERS.items()
            for package in find_namespace_packages(folder, exclude=["package", "package.*", "*__pycache__*"])
        ),
    ],
)
