# `make audit` and `make test` need Python 3.11+ and nothing else: they build their own environment in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
BUDGET ?= standard
PROCESSES ?= auto
MINUTES ?= 60
export OMP_NUM_THREADS ?= 1

.PHONY: help audit audit-adapters test test-slow lint check new completeness ledger vectors benchmark peers accounts meta front-door ledger-mutants mutants fuzz kills docs proofs lowest clean
.DEFAULT_GOAL := help

help:  ## say what each target does
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/\1\t\2/p' Makefile | expand -t 16

audit: $(STAMP)  ## pytest audit/: every privacy claim (BUDGET=quick, standard or deep; PROCESSES=1)
	$(BIN)/python -m pytest audit/ --budget $(BUDGET) --numprocesses $(PROCESSES) --dist worksteal

audit-adapters: $(STAMP)  ## audit the adapters for diffprivlib and OpenDP
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[diffprivlib,opendp]"
	$(BIN)/python -m pytest audit/ -k "diffprivlib or opendp" --budget $(BUDGET) --report build/adapters.json

test: $(STAMP) lint  ## the linters and the project's own tests, but for the slow ones
	$(BIN)/python -m pytest tests/ -m "not slow" --numprocesses $(PROCESSES) --dist worksteal

test-slow: $(STAMP)  ## the slow tests: whole runs in processes of their own, the site, studies of validity
	$(BIN)/python -m pytest tests/ -m slow --numprocesses $(PROCESSES) --dist worksteal

lint: $(STAMP) build/path  ## ruff, mypy, codespell
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/codespell

check: $(STAMP) build/path  ## everything about one algorithm: make check KEY=baselines.analyze_gauss
	$(BIN)/python -m tests.check $(KEY)

new: $(STAMP)  ## begin an algorithm: make new KEY=baselines.private_lanczos
	$(BIN)/python -m tests.scaffold $(KEY)

completeness: $(STAMP)  ## name what is missing of any algorithm, or of KEY
	$(BIN)/python -m tests.completeness $(KEY)

ledger: $(STAMP)  ## execute every claim; write LEDGER.md, FINDINGS.md and the top of README.md
	$(BIN)/python -m dppca.proofs --write

vectors: $(STAMP)  ## write the known answers anew
	$(BIN)/python -m dppca.reference.vectors

lowest:  ## try the lowest versions that pyproject.toml allows
	mkdir -p build
	$(PYTHON) -m venv --clear build/lowest
	$(PYTHON) -m tests.lowest > build/lowest.txt
	build/lowest/bin/python -m pip install --quiet --disable-pip-version-check -r build/lowest.txt
	build/lowest/bin/python -m pip install --quiet --disable-pip-version-check --no-deps .
	cd build/lowest && bin/dppca check-vectors && bin/dppca proofs && bin/dppca audit --budget quick -k baselines
	build/lowest/bin/python -m pytest tests/test_outputs.py tests/test_messages.py tests/test_wrong_uses.py

proofs:  ## compile and check the Rocq proofs (needs coqc: see CONTRIBUTING.md); write proofs_notes/rocq/THEOREMS.md
	$(PYTHON) -P proofs_notes/formal.py

benchmark: $(STAMP)  ## print the auditor's figures
	$(BIN)/python -m tests.benchmarks

peers:  ## the auditor beside others on the same outputs; write tests/PEERS.md
	mkdir -p build
	$(PYTHON) -m venv build/peers
	build/peers/bin/python -m pip install --quiet --disable-pip-version-check -e ".[suite]" jax-privacy==2.0.0 privacy-estimates==0.1.0.post1
	build/peers/bin/python -m tests.peers --write

accounts: $(STAMP)  ## the figures of the accounts; write tests/ACCOUNTS.md
	$(BIN)/python -m tests.benchmarks_accounting --write

meta: $(STAMP)  ## plant every bug; write tests/meta/TABLE.md
	$(BIN)/python -m tests.meta.table --write

front-door: $(STAMP)  ## each planted bug through pytest audit/; write tests/meta/FRONT_DOOR.md
	$(BIN)/python -m tests.meta.front_door --write

fuzz: $(STAMP)  ## 100,000 odd inputs; write tests/FUZZ.md
	$(BIN)/python -m tests.fuzz --write

kills: $(STAMP)  ## kill audits at 100 random moments, flip 1,000 bits of a store
	KILLS=100 FLIPS=1000 $(BIN)/python -m pytest tests/test_apart.py tests/test_store.py -k "killed or flipped" --numprocesses $(PROCESSES)

ledger-mutants: $(STAMP)  ## change the code that claims are about; write tests/meta/LEDGER_MUTANTS.md
	$(BIN)/python -m tests.meta.ledger_mutants --write

mutants: $(STAMP)  ## change the reference and the auditor's engine under their tests; write tests/meta/MUTATION_SCORE.md
	$(BIN)/python -m tests.meta.mutation_score --write --minutes $(MINUTES)

docs: $(STAMP)  ## build the site in build/docs
	$(BIN)/python -m dppca.proofs.site

$(STAMP): pyproject.toml setup.py constraints.txt
	$(PYTHON) -c "import sys; sys.exit('Python 3.11 or newer is needed') if sys.version_info < (3, 11) else None"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev,peers,cluster,docs]"
	touch $(STAMP)

# The packages under their import names, for tools that do not follow an editable install's import hook.
build/path: $(wildcard reference/package/*.py) Makefile
	mkdir -p build/path/dppca
	ln -sfn ../../../reference build/path/dppca/reference
	ln -sfn ../../../audit build/path/dppca/audit
	ln -sfn ../../../proofs_notes build/path/dppca/proofs
	ln -sfn ../../../tests/conformance build/path/dppca/conformance
	for file in reference/package/*.py reference/package/py.typed; do ln -sf ../../../$$file build/path/dppca/; done
	touch build/path

clean:  ## remove what was built
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
