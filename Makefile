# `make prove` and `make test` install what they need into .venv and run; nothing else is required.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
WITNESSES := tests/official/node_modules/.package-lock.json
EXAMPLE := examples/typescript-minimal/node_modules/.package-lock.json
STRANGER := tests/strangers/typescript/node_modules/.package-lock.json

.PHONY: bench prove test soak check rules format lock clean

prove: $(STAMP)
	$(BIN)/kadu-conformance prove $(ARGS)

test: $(STAMP) $(WITNESSES) $(EXAMPLE) $(STRANGER)
	KADU_SCREENSHOTS=$${KADU_SCREENSHOTS:-kadu-conformance-report/console} $(BIN)/pytest -n auto --dist loadfile $(ARGS)

# The long form of every test that has one: kills, races, registers against a model, each mutant against every rule.
soak: $(STAMP)
	KADU_SOAK=1 $(BIN)/pytest $$(grep -rl --include='test_*.py' KADU_SOAK tests | sort) $(ARGS)

# Measures what is promised, on a quiet machine, and writes docs/bench.md.
bench: $(STAMP)
	$(BIN)/python -m bench

check: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/kadu-conformance lint

# After a change of rules, features or mutants: the page that lists them.
rules: $(STAMP)
	$(BIN)/kadu-conformance rules --format markdown > docs/rules.md

format: $(STAMP)
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Needs uv (https://docs.astral.sh/uv/); run it after a change of the dependencies in pyproject.toml.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --extra dev --no-header --no-emit-index-url \
	  --output-file requirements.lock pyproject.toml

$(STAMP): requirements.lock pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

# The official MCP suite and clients. Where they cannot be had, the tests that need them say so and are skipped.
$(WITNESSES): tests/official/package-lock.json
	cd tests/official && npm ci || echo "No official MCP suite and clients: npm ci failed in tests/official." >&2

# Where its packages cannot be had, its tests say so and are skipped.
$(EXAMPLE): examples/typescript-minimal/package-lock.json
	cd examples/typescript-minimal && npm ci || echo "No example for Node: npm ci failed in examples/typescript-minimal." >&2

$(STRANGER): tests/strangers/typescript/package-lock.json
	cd tests/strangers/typescript && npm ci || echo "No stranger in TypeScript: npm ci failed in tests/strangers/typescript." >&2

clean:
	rm -rf $(VENV) tests/official/node_modules examples/typescript-minimal/node_modules tests/strangers/typescript/node_modules build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache kadu-conformance-report
