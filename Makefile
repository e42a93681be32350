# Everything is made inside the checkout: .venv/, build/, specs/results/. All of it is git-ignored.
PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
PIP     = $(BIN)/python -m pip --quiet --disable-pip-version-check
PYTEST  = $(BIN)/python -m pytest

# pip reads dependency groups since 25.1; the pip that a venv brings is often older.
TOOLS = $(VENV)/.installed-tools
RUN   = $(VENV)/.installed-run

.PHONY: help demo test lint real corpus refresh bench tools environment clean
.DEFAULT_GOAL := help

help:
	@echo "make demo      create $(VENV), then compile, diff and train on this machine's CPU"
	@echo "make test      the fast tests: unit and golden"
	@echo "make lint      ruff, mypy, and whether what is generated is up to date"
	@echo "make real      the slow tests: the real RLinf, Ray, torch and torch_npu, wheels, git"
	@echo "make corpus    every config that RLinf ships, and whole checkouts where they are at hand (half an hour)"
	@echo "make bench     start-up time and memory, as ratios to 'python -c pass'"
	@echo "make refresh   write golden files and generated pages anew"
	@echo "make clean     remove $(VENV), build/ and the runs of the shipped specs"

demo: $(RUN)
	@$(BIN)/python scripts/demo.py

test: $(TOOLS)
	$(PYTEST) -q -m "not real and not corpus" -n 2 --dist loadfile

lint: $(TOOLS)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	@set -e; for script in scripts/generate_*.py; do echo "$$script --check"; $(BIN)/python $$script --check; done
	$(BIN)/vlac compile specs/pi05_libero10_8x910b3.yaml -o build/lint > /dev/null
	$(BIN)/shellcheck build/lint/launch.sh .ci/run

real: $(RUN)
	$(PYTEST) -q -m real

refresh: $(TOOLS)
	@set -e; for script in scripts/generate_*.py; do echo "$$script"; $(BIN)/python $$script; done
	VLAC_REFRESH=1 $(PYTEST) -q -m "not real and not corpus"

corpus: $(RUN)
	$(PYTEST) -q -m corpus

bench: $(TOOLS)
	$(BIN)/python benchmarks/startup.py

tools: $(TOOLS)

environment: $(RUN)

clean:
	rm -rf $(VENV) build dist specs/results

$(TOOLS): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "vlac needs Python 3.10 or newer: make PYTHON=python3.11 ...")'
	@echo "$(VENV): the compiler and the test tools"
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) install -c constraints.txt "pip>=25.1"
	@$(PIP) install -c constraints.txt -e ".[compose]" --group test
	@$(BIN)/python -m compileall -q vlac adapters
	@touch $@

$(RUN): $(TOOLS)
	@echo "$(VENV): RLinf, Ray and torch (3.6 GB; a few minutes)"
	@$(PIP) install -c constraints.txt -e ".[run,compose]"
	@touch $@
