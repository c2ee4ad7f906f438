# The demo runs in .venv-demo, which has only what users need. All else runs in .venv, which `make env` brings up to date
# and every other target asks for first.
# On a fresh machine git, make and Python 3.11 are enough.

PYTHON ?= python3
# Tests start the command a thousand times: compiling it anew each time would take most of their time.
export PYTHONDONTWRITEBYTECODE =
VENV := .venv
BIN := $(VENV)/bin
DEMO := .venv-demo
# What Watchbill imports, then what builds it.
DEMO_NEEDS := click|msgspec|hatchling|packaging|pathspec|pluggy|tomlkit|trove-classifiers
ENGINE_SOURCES := $(filter-out %_test.go,$(wildcard engine/*.go)) engine/go.mod engine/go.sum
CLUSTER := $(BIN)/python -m dev.cluster

.PHONY: demo test test-cluster test-long lint bench fuzz record record-all corpus cluster cluster-down env pins charts-bump clean

# The stories of real charts, each with its true verdict; what is found makes `check` exit with 1.
demo: $(DEMO)/.installed
	@for story in examples/stories/*/; do echo "\$$ watchbill check $$story"; $(DEMO)/bin/watchbill check $$story || [ $$? = 1 ]; echo; done
	@$(DEMO)/bin/watchbill check examples/stories/conditional-hook --set deletePolicy=before-hook-creation || [ $$? = 1 ]
	@$(DEMO)/bin/watchbill rehearse examples/stories/plain-job install "upgrade --force-replace" || [ $$? = 1 ]
	@$(DEMO)/bin/watchbill matrix examples/stories/ttl-job

test: env
	$(BIN)/pytest -n 2 -m "not cluster and not oracle"

# With the cluster's components compiled, asking Kubernetes' own code what the model must say costs little more.
# What fails is run once more, alone: beside another suite a pod may take longer than a test can wait. Twice is a failure.
test-cluster: env
	$(CLUSTER) up --level control
	$(CLUSTER) up --level node
	$(BIN)/python -m dev.oracle
	$(BIN)/pytest -n 2 -m "(cluster or oracle) and not long" || $(BIN)/pytest --last-failed --last-failed-no-failures none

# What is killed again and again, and databases that are made anew each time: ten minutes.
test-long: env
	$(CLUSTER) up --level control
	$(CLUSTER) up --level node
	$(BIN)/pytest -n 2 -m long

lint: env
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m dev.go lint

bench: env
	$(BIN)/python -m benchmarks

# Fifteen bounded minutes on loading, parsing, rendering and locating.
fuzz: env
	$(BIN)/python -m dev.go fuzz

# Truth for the model: the real tools play the cases of tests/tapes on the real API server.
record: env
	$(CLUSTER) up --level control
	$(BIN)/python -m dev.tapes record

record-all: env
	$(CLUSTER) up --level control
	$(BIN)/python -m dev.tapes record --all

# The same with real charts, which lie beside this repository; compares what the model says of them, and plays every
# error that `check` finds in them.
corpus: env
	$(CLUSTER) up --level control
	$(BIN)/python -m dev.tapes corpus
	$(BIN)/python -m dev.tapes verdicts

cluster: env
	$(CLUSTER) up --level node

cluster-down: env
	$(CLUSTER) down

env: $(VENV)/.installed
ifeq ($(wildcard src/watchbill/charts/_engine/watchbill-engine),)
.PHONY: $(VENV)/.installed $(DEMO)/.installed
endif

NEW_ENOUGH = @$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("error: Watchbill needs Python 3.11 or newer, and $(PYTHON) is %d.%d; name another: make PYTHON=python3.11 $(MAKECMDGOALS)" % sys.version_info[:2])'

# Dependencies with their hashes first, then ourselves: an editable install cannot be hashed.
$(VENV)/.pinned: constraints.txt
	$(NEW_ENOUGH)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --require-hashes --requirement constraints.txt
	@touch $@

# The folder itself counts too: a file that was removed has no date.
$(VENV)/.installed: $(VENV)/.pinned pyproject.toml hatch_build.py engine $(ENGINE_SOURCES)
	@$(BIN)/python -m dev.go engine
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(DEMO)/.installed: constraints.txt pyproject.toml hatch_build.py engine $(ENGINE_SOURCES)
	$(NEW_ENOUGH)
	@echo "installing Watchbill into $(DEMO)"
	@$(PYTHON) -m venv $(DEMO)
	@awk '/^[a-z]/ { needed = /^($(DEMO_NEEDS))==/ } needed' constraints.txt > $(DEMO)/pins.txt
	@$(DEMO)/bin/python -m pip install --quiet --require-hashes --requirement $(DEMO)/pins.txt
	@$(DEMO)/bin/python -m dev.go engine
	@$(DEMO)/bin/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

# Raises every pin to the newest version that pyproject.toml allows.
pins: env
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-annotate --no-header --group dev --extra deploy pyproject.toml --output-file constraints.txt

# Charts that changed and all that are built on them: READMEs, schemas, versions, packaged dependencies. A chart that was
# not raised by hand is raised by STEP: patch, minor, major, or none while nobody has it yet.
charts-bump: env
	$(BIN)/python -m dev.charts readme
	$(BIN)/python -m dev.charts schema
	$(BIN)/python -m dev.charts bump --step $(or $(STEP),patch)

clean:
	rm -rf $(VENV) $(DEMO) build dist src/watchbill/charts/_engine
