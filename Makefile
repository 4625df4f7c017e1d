# Two commands on a fresh machine: `make app` and `make test`. Python 3.11+ and make
# are all that they need; everything else is installed into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
INSTALLED_APP := $(VENV)/.installed-app
WARM := $(VENV)/.warm
JOBS ?= auto
FLOOR_TESTS := tests/data tests/encoding tests/kernels tests/metrics tests/datasets \
  tests/utility tests/gai tests/choquet tests/rules tests/gp tests/explanation \
  tests/elicitation tests/plotting tests/testing tests/test_conventions.py tests/test_io.py

.DEFAULT_GOAL := help
.PHONY: help app test soak check lint types layers format docs pictures bench mutants reproduce truth pins clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/.created:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "penchant needs Python 3.11 or newer")'
	$(PYTHON) -m venv $(VENV)
	touch $@

$(INSTALLED_APP): $(VENV)/.created pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[app,data,plot]'
	touch $@

$(INSTALLED): $(VENV)/.created pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@ $(INSTALLED_APP)

$(WARM): $(INSTALLED_APP)
	$(BIN)/penchant warm-up
	touch $@

app: $(WARM)  ## install and open the web app on 127.0.0.1
	$(BIN)/penchant serve --demo

# The workers are the parallelism: more threads in each would only disturb.
test: export OMP_NUM_THREADS = 1
test: export OPENBLAS_NUM_THREADS = 1
test: $(INSTALLED)  ## install and run all tests
	$(BIN)/python -m pytest -n $(JOBS) --cov --cov-report=term:skip-covered

.PHONY: test-floors
# Old versions beside new ones warn of each other. scikit-learn 1.6 asks for sparse tables
# also of those who refuse them.
test-floors: export OMP_NUM_THREADS = 1
test-floors: export OPENBLAS_NUM_THREADS = 1
test-floors: export NUMBA_CACHE_DIR = $(VENV)-floors/numba
test-floors: $(VENV)/.created  ## run the library's tests with the lowest versions allowed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv venv --quiet --clear --python $(BIN)/python $(VENV)-floors
	$(BIN)/uv pip install --quiet --python $(VENV)-floors --resolution lowest-direct -e '.[dev]'
	$(VENV)-floors/bin/python -m pytest -n $(JOBS) -m 'not slow and not soak' \
	  -k 'not sample_weight_equivalence_on_sparse_data' \
	  -W ignore::DeprecationWarning -W 'ignore:Solution may be inaccurate' $(FLOOR_TESTS)

soak: $(INSTALLED)  ## run the tests that take minutes: many kills, many requests
	$(BIN)/python -m pytest -m soak

check: lint types layers test  ## what CI runs: format, lint, types, layers, tests

lint: $(INSTALLED)  ## check format and style
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(INSTALLED)  ## check types
	$(BIN)/mypy

layers: $(INSTALLED)  ## check that dependencies point down
	$(BIN)/lint-imports

format: $(INSTALLED)  ## format and sort imports
	$(BIN)/ruff check --fix --exit-zero --quiet .
	$(BIN)/ruff format .

docs: $(INSTALLED)  ## build the documentation into docs/_build
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

pictures: $(INSTALLED)  ## draw the pictures of the course and photograph the app anew
	$(BIN)/python docs/images/draw_course.py
	$(BIN)/python docs/images/take_screenshots.py

bench: $(INSTALLED)  ## run the benchmarks and render docs/benchmarks.md (peer=NAME: with a peer)
ifdef peer
	$(PYTHON) -m venv $(VENV)-$(peer)
	$(VENV)-$(peer)/bin/python -m pip install --quiet --disable-pip-version-check \
	  psutil -e '.[app,data,plot]' -r benchmarks/peers/$(peer).txt
	$(VENV)-$(peer)/bin/python -m benchmarks --peer $(peer)
else
	$(BIN)/python -m benchmarks
endif

mutants: $(INSTALLED)  ## make 200 deliberate mistakes and see which the tests notice (an hour)
	$(BIN)/python -m benchmarks.mutants

reproduce: $(INSTALLED)  ## run a paper's experiments: make reproduce paper=gai [quick=1] [table=NAME] [peer=NAME]
ifdef peer
	$(PYTHON) -m venv $(VENV)-$(peer)
	$(VENV)-$(peer)/bin/python -m pip install --quiet --disable-pip-version-check \
	  -e '.[data,plot]' -r benchmarks/peers/$(peer).txt
	if test -f benchmarks/peers/$(peer)-alone.txt; then $(VENV)-$(peer)/bin/python -m pip install \
	  --quiet --disable-pip-version-check --no-deps -r benchmarks/peers/$(peer)-alone.txt; fi
	$(VENV)-$(peer)/bin/python -m experiments $(paper) $(if $(quick),--quick) $(if $(table),--table $(table))
else
	$(BIN)/python -m experiments $(paper) $(if $(quick),--quick) $(if $(table),--table $(table))
endif

# Stored families go on where they stopped; other code is measured anew.
truth: $(INSTALLED)  ## check what people are told and write docs/truth.md [quick=1]
	$(BIN)/python -m experiments.truth $(if $(quick),--quick)

pins: $(INSTALLED)  ## refresh constraints.txt
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --all-extras --universal --no-header \
	  --no-annotate --upgrade -o constraints.txt --quiet

clean:  ## remove everything that can be made again
	rm -rf $(VENV) $(VENV)-floors build dist docs/_build .mypy_cache .pytest_cache .ruff_cache .coverage*
