# `make audit` and `make test` need Python 3.11+ and nothing else: they build their own environment in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
BUDGET ?= standard
PROCESSES ?= auto
export OMP_NUM_THREADS ?= 1

.PHONY: audit audit-adapters test lint ledger vectors benchmark meta docs proofs clean

audit: $(STAMP)
	$(BIN)/python -m pytest audit/ --budget $(BUDGET) --numprocesses $(PROCESSES) --dist worksteal

audit-adapters: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[diffprivlib,opendp]"
	$(BIN)/python -m pytest audit/ -k "diffprivlib or opendp" --budget $(BUDGET) --report build/adapters.json

test: $(STAMP) lint
	$(BIN)/python -m pytest tests/

lint: $(STAMP) build/path
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/codespell

ledger: $(STAMP)
	$(BIN)/python -m dppca.proofs --write

vectors: $(STAMP)
	$(BIN)/python -m dppca.reference.vectors

proofs:
	$(PYTHON) -P proofs_notes/formal.py

benchmark: $(STAMP)
	$(BIN)/python -m tests.benchmarks

meta: $(STAMP)
	$(BIN)/python -m tests.meta.table --write

docs: $(STAMP)
	$(BIN)/python -m dppca.proofs.site

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c "import sys; sys.exit('Python 3.11 or newer is needed') if sys.version_info < (3, 11) else None"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev,peers,cluster,docs]"
	touch $(STAMP)

# The packages under their import names, for tools that do not follow an editable install's import hook.
build/path: reference/package/__init__.py Makefile
	mkdir -p build/path/dppca
	ln -sfn ../../../reference build/path/dppca/reference
	ln -sfn ../../../audit build/path/dppca/audit
	ln -sfn ../../../proofs_notes build/path/dppca/proofs
	for file in reference/package/*.py; do ln -sf ../../../$$file build/path/dppca/; done
	touch build/path

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
