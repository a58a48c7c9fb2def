# `make audit` and `make test` need Python 3.11+ and nothing else: they build their own environment in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
BUDGET ?= standard
PROCESSES ?= auto
MINUTES ?= 60
export OMP_NUM_THREADS ?= 1
# New processes import what is compiled already, whatever the user's setting; what is compiled lies in build/.
export PYTHONDONTWRITEBYTECODE :=
export PYTHONPYCACHEPREFIX ?= $(CURDIR)/build/pycache

.PHONY: help audit audit-adapters test test-slow lint check new completeness ledger vectors coverage benchmark dependence cost peers accounts meta ledger-mutants mutants fuzz kills docs plots notebooks errata proofs lowest clean
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

lint: $(STAMP)  ## ruff, mypy, codespell, what may import what
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/codespell
	$(BIN)/python -m pytest -q tests/project/test_layers.py

check: $(STAMP)  ## everything about one algorithm: make check KEY=baselines.analyze_gauss
	$(BIN)/python -m tests.project.completeness $(KEY)
	$(BIN)/python -m dppca.proofs_notes $(KEY)
	$(BIN)/python -m dppca.reference.conformance --check $(KEY)
	$(BIN)/python -m pytest -q tests/ -k $(word 2,$(subst ., ,$(KEY)))
	$(BIN)/python -m pytest -q audit/ -k "$(KEY)-" --budget quick --report build/check/$(KEY).json
	$(BIN)/python -m tests.studies.mutation.planted_bugs $(KEY)

new: $(STAMP)  ## begin an algorithm: make new KEY=baselines.private_lanczos PAPER=dwork2014
	$(BIN)/python -m tests.project.scaffold $(KEY) $(PAPER)

completeness: $(STAMP)  ## name what is missing of KEY; without it, of any algorithm and in README, CITATION.cff
	$(BIN)/python -m tests.project.completeness $(KEY)

ledger: $(STAMP)  ## execute every claim; write LEDGER.md, FINDINGS.md and the top of README.md
	$(BIN)/python -m dppca.proofs_notes --write

vectors: $(STAMP)  ## write the known answers anew, all or those of KEY
	$(BIN)/python -m dppca.reference.conformance.vectors_command $(KEY)

lowest:  ## try the lowest versions that pyproject.toml allows
	mkdir -p build
	$(PYTHON) -m venv --clear build/lowest
	$(PYTHON) -m tests.project.lowest > build/lowest.txt
	build/lowest/bin/python -m pip install --quiet --disable-pip-version-check -r build/lowest.txt
	build/lowest/bin/python -m pip install --quiet --disable-pip-version-check --no-deps .
	cd build/lowest && bin/dppca check-vectors && bin/dppca proofs && bin/dppca audit --budget quick -k baselines
	build/lowest/bin/python -m pytest tests/auditor/test_outputs.py tests/project/test_messages.py tests/execution/test_wrong_uses.py

proofs:  ## compile and check the Rocq proofs, in a container or root folder if need be; write proofs_notes/rocq/THEOREMS.md
	$(PYTHON) -m dppca.proofs_notes.rocq.proofs

coverage: $(STAMP)  ## the branches of algorithms and calibrations that the audits of budgets, laws and secret draws reach
	$(BIN)/coverage run -m pytest -n0 --budget quick audit/suite/accounting/test_spent_budget.py audit/suite/test_laws.py audit/suite/test_secret_draws.py audit/suite/test_domain.py
	$(BIN)/coverage report

benchmark: $(STAMP)  ## print the auditor's figures
	$(BIN)/python -m tests.studies.benchmarks

cost: $(STAMP)  ## time and memory of audits, and how they grow; write tests/studies/COST.md
	$(BIN)/python -m tests.studies.cost --write

dependence: $(STAMP)  ## dependent mechanisms that are refused and honest ones that are not; write tests/studies/DEPENDENCE.md
	$(BIN)/python -m tests.studies.dependence

peers:  ## the auditor beside others on the same outputs; write tests/studies/PEERS.md
	mkdir -p build
	$(PYTHON) -m venv build/peers
	build/peers/bin/python -m pip install --quiet --disable-pip-version-check -e ".[suite]" jax-privacy==2.0.0 privacy-estimates==0.1.0.post1
	build/peers/bin/python -m tests.studies.peers --write

accounts: $(STAMP)  ## the figures of the accounts; write tests/studies/ACCOUNTS.md
	$(BIN)/python -m tests.studies.benchmarks_accounting --write

meta: $(STAMP)  ## each planted bug through pytest audit/; write tests/studies/mutation/PLANTED.md
	$(BIN)/python -m tests.studies.mutation.planted_bugs --write

fuzz: $(STAMP)  ## 100,000 odd inputs; write tests/studies/FUZZ.md
	$(BIN)/python -m tests.studies.fuzz --write

kills: $(STAMP)  ## kill audits at 100 random moments, flip 1,000 bits of a store
	KILLS=100 FLIPS=1000 $(BIN)/python -m pytest tests/execution/test_isolation.py tests/execution/test_store.py -k "killed or flipped" --numprocesses $(PROCESSES)

ledger-mutants: $(STAMP)  ## planted bugs and machine-made ones: which let a claim of the ledger fall
	$(BIN)/python -m tests.studies.mutation.planted_bugs --side ledger
	$(BIN)/python -m tests.studies.mutation.score --side ledger --minutes $(MINUTES)

mutants: $(STAMP)  ## machine-made bugs in the reference through pytest audit/; write tests/studies/mutation/MUTANTS.md
	$(BIN)/python -m tests.studies.mutation.score --write --minutes $(MINUTES)

plots: $(STAMP)  ## fit the rates of the utility experiments, and draw the plots of README and the site
	$(BIN)/python -m pytest audit/suite -n0 -k "rate_of_theorem or rates_of_the_private_term" --budget standard --report build/rates.json
	$(BIN)/python -m dppca.proofs_notes.site.figures build/rates.json

docs: $(STAMP)  ## build the site in build/docs
	$(BIN)/python -m dppca.proofs_notes.site

notebooks: $(STAMP)  ## execute the notebooks of the guides, and store what they show
	$(BIN)/python -m dppca.proofs_notes.site.notebooks

errata: $(STAMP)  ## the errata of each paper as a PDF, in build/errata
	$(BIN)/python -m dppca.proofs_notes.site.errata_pdf

$(STAMP): pyproject.toml setup.py constraints.txt
	$(PYTHON) -c "import sys; sys.exit('Python 3.11 or newer is needed') if sys.version_info < (3, 11) else None"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[dev,peers,cluster,docs]"
	touch $(STAMP)

clean:  ## remove what was built
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
