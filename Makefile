# Every target does its own set-up in .venv. PYTHON picks another interpreter.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
PYTEST := $(BIN)/python -m pytest

.PHONY: demo test test-slow test-tau2 check docs bench proof validity progress-coverage format clean

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing into $(VENV): a minute or two, once."
	$(PIP) -e .
	touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing into $(VENV): a minute or two, once."
	$(PIP) -e '.[dev]'
	touch $@ $(VENV)/.run

demo: $(VENV)/.run
	$(BIN)/draligned demo demo-study

test: $(VENV)/.dev
	$(PYTEST) -m "not slow and not real_model"

test-slow: $(VENV)/.dev
	$(PYTEST) -m "slow and not real_model"

# Needs Python 3.12: makes .venv-tau2, or says why it cannot.
test-tau2:
	tools/test_tau2.sh

check: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy -p draligned
	$(PYTEST) tests/house

# The pages that are written from the code; tests hold them to it.
docs: $(VENV)/.dev
	$(BIN)/python tools/cli_doc.py
	$(BIN)/python tools/study_toml_doc.py
	$(BIN)/python tools/tables_doc.py

bench: $(VENV)/.dev
	$(BIN)/python tools/bench.py

proof: $(VENV)/.dev
	$(BIN)/python tools/proof.py

validity: $(VENV)/.dev
	$(BIN)/python tools/validity.py

progress-coverage: $(VENV)/.dev
	$(BIN)/python tools/progress_coverage.py

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) .venv-tau2 build dist demo-study *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
