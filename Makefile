# LocalServer. Everything runs from a checkout: `make demo` is the first thing to try.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
TASK   ?=

.DEFAULT_GOAL := help
.PHONY: help install demo test check format bench fuzz serve clean
.PHONY: crashtest stop-proof kill-proof fuzz-images image-cost schemathesis shell-values load soak
.PHONY: mcp-inspector safety test-device test-matrix test-faults injection privacy

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
	@$(BIN)/python -m pytest -n 3 --dist loadfile

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

N ?= 10000
crashtest: $(VENV)/.installed-dev ## kill a server N times and check what it promised
	@$(BIN)/python -m tests.crash --kills $(N)

stop-proof: $(VENV)/.installed-dev ## stop a task at 500 random moments: no input after a second
	@LOCALSERVER_STOP_MOMENTS=500 $(BIN)/python -m pytest tests/proofs/test_stop.py -s

kill-proof: $(VENV)/.installed-dev ## 2,000 kills between a deed and its record: none is repeated
	@LOCALSERVER_PHONE_KILLS=2000 $(BIN)/python -m pytest tests/proofs/test_at_most_once.py -s

fuzz-images: $(VENV)/.installed-dev ## 100,000 damaged pictures
	@$(BIN)/python -m tests.server.closed.image_fuzz --cases 100000

image-cost: $(VENV)/.installed-dev ## memory and time of the dearest requests
	@$(BIN)/python -m tests.server.closed.image_cost

schemathesis: $(VENV)/.installed-dev ## 20,000 requests made from the OpenAPI document: no server error
	@LOCALSERVER_SCHEMA_REQUESTS=20000 $(BIN)/python -m pytest -s tests/server/closed/test_schema_fuzz.py

shell-values: $(VENV)/.installed-dev ## 1,000,000 texts through typing and launching, read by a real sh
	@$(BIN)/python -m tests.device.shell_values --values 1000000

load: $(VENV)/.installed-dev ## 50 sessions with a slow model
	@$(BIN)/python -m tests.server.closed.load

soak: $(VENV)/.installed-dev ## an hour of it: memory and files stay flat
	@$(BIN)/python -m tests.server.closed.load --soak 3600

privacy: $(VENV)/.installed-dev ## 200 planted secrets: none readable in what left; what a level costs
	@LOCALSERVER_PRIVACY_SCREENS=all $(BIN)/python -m pytest tests/safety/test_privacy.py tests/server/mcp/test_privacy.py
	@$(BIN)/python tests/benchmarks/bench_privacy.py

test-device: $(VENV)/.installed-dev ## the device and end-to-end suites on your phone: SERIAL=...
	@LOCALSERVER_TEST_SERIAL="$(SERIAL)" $(BIN)/python -m pytest tests/device/test_any_device.py tests/e2e/test_any_phone.py -rs

mcp-inspector: $(VENV)/.installed-dev ## the MCP Inspector against a virtual phone (needs npx and the npm registry)
	@$(BIN)/python -m tests.e2e.mcp_inspector

safety: $(VENV)/.installed-dev ## labelled screens and a model that always obeys: the figures
	@$(BIN)/python -m tests.safety.hostile

injection: $(VENV)/.installed-dev ## orders on the screen and a model that obeys them, all of them
	@LOCALSERVER_INJECTIONS=all $(BIN)/python -m pytest tests/e2e/test_injection.py

test-matrix: $(VENV)/.installed-dev ## the demo tasks on every kind of phone
	@LOCALSERVER_PHONE_KINDS=all $(BIN)/python -m pytest tests/e2e/test_phone_kinds.py

test-faults: $(VENV)/.installed-dev ## 200 tasks of which every tenth command fails
	@LOCALSERVER_FAULT_RUNS=200 $(BIN)/python -m pytest tests/e2e/test_faulty_phones.py

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build *.egg-info
