# LocalServer. Everything runs from a checkout: `make demo` is the first thing to try.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
TASK   ?=

.DEFAULT_GOAL := help
.PHONY: help install demo test check format bench fuzz serve clean

help: ## show what there is
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

install: $(VENV)/.installed ## make the virtual environment and install LocalServer with the demo
$(VENV)/.installed: pyproject.toml constraints.txt tools/bootstrap.py
	@$(PYTHON) tools/bootstrap.py --venv $(VENV)
	@touch $@

$(VENV)/.installed-dev: pyproject.toml constraints.txt tools/bootstrap.py
	@$(PYTHON) tools/bootstrap.py --venv $(VENV) --dev
	@touch $@ $(VENV)/.installed

demo: install ## a virtual phone, the demo model and the server run a task: make demo TASK="..."
	@$(BIN)/localserver demo $(if $(value TASK),"$$LOCALSERVER_TASK")
demo: export LOCALSERVER_TASK = $(value TASK)

serve: install ## start the service
	@$(BIN)/localserver serve

test: $(VENV)/.installed-dev ## the whole test suite
	@$(BIN)/python -m pytest

check: $(VENV)/.installed-dev ## format, lint, types, import rules
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

format: $(VENV)/.installed-dev ## put the code into the project's format
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(VENV)/.installed-dev ## benchmarks: ratios measured in one run
	@for file in tests/benchmarks/bench_*.py; do echo "== $$file"; $(BIN)/python $$file || exit 1; done

fuzz: $(VENV)/.installed-dev ## the long edition of the fuzz tests (50,000 inputs a dialect)
	@LOCALSERVER_FUZZ_EXAMPLES=50000 $(BIN)/python -m pytest tests/parsers -k fuzz

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build *.egg-info
