# `make run` does the main job, `make test` checks everything. Both need Rust, Python and make, and nothing installed before.
#
# Set-up is remembered in two stamps inside the virtual environment, so a second run starts at once:
#   .venv/.tools  the pinned packages of requirements-dev.txt are installed
#   .venv/.wheel  the wheel built from the present sources is installed
# Paths are relative to this file, so the project may live below a folder with a space in its name.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:

# The Python that makes the virtual environment: `make PYTHON=python3.12 test`.
PYTHON ?= python3
# Downloaded packages are kept here, so that another clone can be set up without a network.
PACKAGES ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/openmotrix/packages
# The browser of the tests, where `tests/chromium.py` looks for it.
BROWSER := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/openmotrix/chromium

VENV := .venv
PY := $(VENV)/bin/python
PIP := $(PY) -m pip --disable-pip-version-check
CARGO := cargo
PYTHON_FILES := python tests benches examples
SOURCES := Cargo.toml Cargo.lock pyproject.toml README.md LICENSE \
	$(shell find crates -type d -o -name '*.rs' -o -name Cargo.toml) \
	$(shell find python/motrixsim -name '*.py' -o -name '*.pyi' -o -name py.typed)

# PyO3 asks this interpreter which Python it builds for; without it, it would take whichever comes first on the path.
export PYO3_PYTHON := $(CURDIR)/$(PY)

.PHONY: help run test quick bench pictures instructions instructions-bounds wheel format lint rust-tests docs browser python-tests stubs clean

help: ## Print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

run: $(VENV)/.wheel ## Build the wheel, install it in .venv and run the headline example
	@mkdir -p target
	$(PY) examples/headline.py --picture target/headline.png

test: format lint rust-tests docs python-tests stubs instructions ## Everything: format, lints, Rust and Python tests, docs, stubs, instruction counts

wheel: $(VENV)/.wheel ## Build the release wheel into dist/ and install it in .venv

format: $(VENV)/.tools ## Check that Rust and Python files are formatted
	$(CARGO) fmt --all --check
	$(PY) -m ruff format --check $(PYTHON_FILES)

lint: $(VENV)/.tools ## Clippy and ruff, warnings are errors
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	$(PY) -m ruff check $(PYTHON_FILES)

# Property tests draw from this seed, so that a red run can be repeated: `make rust-tests PROPTEST_RNG_SEED=2` draws anew.
export PROPTEST_RNG_SEED ?= 1
rust-tests: $(VENV)/.tools ## Rust unit, property, layering and documentation tests
	$(CARGO) test --locked --workspace

docs: $(VENV)/.tools ## Build the Rust documentation, warnings are errors
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --locked --workspace --no-deps

# Where no browser can be had, the tests that need one are skipped and say how to get it.
browser: ## Unpack a headless Chromium for the tests of the page: Debian, no root
	.ci/browser '$(BROWSER)'

python-tests: $(VENV)/.wheel ## pytest against the installed release wheel
	@.ci/browser '$(BROWSER)' || echo 'No browser could be had; the tests of the page are skipped'
	$(PY) -m pytest -q

stubs: $(VENV)/.wheel ## Check that the stub and the binary say the same, and the types of the Python half
	$(PY) -m mypy.stubtest motrixsim._core
	$(PY) -m mypy --no-error-summary python/motrixsim

# The inner loop: two lane types instead of five, in a place of its own so that the installed release wheel stays.
QUICK := target/quick
quick: export RUSTFLAGS := --cfg motrix_few_lanes
quick: export CARGO_TARGET_DIR := $(QUICK)
quick: $(VENV)/.tools ## The inner loop: format, lints, Rust tests, fast Python tests on a build with few lane types
	$(MAKE) --no-print-directory format lint
	$(CARGO) test --locked --workspace --lib --tests
	$(CARGO) build --locked --release -p motrix-python
	rm -rf $(QUICK)/site && mkdir -p $(QUICK)/site && cp -R python/motrixsim $(QUICK)/site/
	cp $(QUICK)/release/lib_core.so $(QUICK)/site/motrixsim/_core.abi3.so
	PYTHONPATH=$(QUICK)/site $(PY) -m pytest -q -m 'not slow' --ignore tests/test_package.py

# Each bench leaves a Markdown file; the report joins them. MOTRIXSIM names the Python of an environment with MotrixSim, which is
# then measured too: `make bench MOTRIXSIM=elsewhere/bin/python`.
BENCHES := target/release/motrix-benches
bench: $(VENV)/.wheel $(BENCHES) ## Measure, and write the figures into README.md and docs/performance.md
	rm -rf target/bench && mkdir -p target/bench
	$(BENCHES) > target/bench/kernels.md
	$(BENCHES) step examples/assets/quadruped.xml > target/bench/stages.md
	$(PY) benches/compare.py $(if $(MOTRIXSIM),--motrixsim '$(MOTRIXSIM)') > target/bench/peers.md
	$(PY) benches/plot.py target/bench/peers.md docs/peers.svg
	$(PY) benches/scale.py > target/bench/scale.md
	$(PY) benches/sizes.py > target/bench/sizes.md
	$(PY) benches/large.py > target/bench/large.md
	$(PY) benches/scan.py $(if $(MOTRIXSIM),--motrixsim '$(MOTRIXSIM)') > target/bench/scan.md
	$(PY) benches/surface.py > target/bench/surface.md
	$(PY) benches/pairs.py > target/bench/pairs.md
	$(PY) benches/api.py > target/bench/api.md
	$(PY) benches/pictures.py > target/bench/pictures.md
	$(PY) benches/load.py > target/bench/load.md
	$(PY) benches/report.py
	@cat target/bench/*.md

instructions: $(VENV)/.tools $(BENCHES) ## Compare the instructions of a step with the committed bounds
	$(PY) benches/instructions.py $(BENCHES)

instructions-bounds: $(VENV)/.tools $(BENCHES) ## Make the present counts the bounds
	$(PY) benches/instructions.py $(BENCHES) --write

$(BENCHES): $(SOURCES) $(wildcard benches/Cargo.toml benches/src/*.rs)
	$(CARGO) build --locked --release -p motrix-benches
	@touch $@

pictures: $(VENV)/.wheel ## Draw the pictures of README.md and docs/ again, and the golden ones of the tests
	$(PY) examples/headline.py --steps 80 --picture docs/headline.png
	$(PY) examples/gallery.py --size 480 320 --samples 4 --out docs/pictures
	$(PY) examples/gallery.py --out tests/golden/pictures

clean: ## Remove everything that was built, the virtual environment included
	rm -rf $(VENV) target dist .mypy_cache .pytest_cache .ruff_cache .hypothesis

# An offline attempt comes first: with a warm cache no network is asked. `pip wheel` also builds what has no ready wheel.
$(VENV)/.tools: requirements-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
	  || { echo 'Python 3.10 or newer is needed; name one with: make PYTHON=python3.12'; exit 1; }
	@$(PY) -c '' 2>/dev/null || $(PYTHON) -m venv --clear $(VENV)
	@mkdir -p '$(PACKAGES)'
	@$(PIP) install --quiet --no-index --find-links '$(PACKAGES)' -r requirements-dev.txt 2>/dev/null || { \
	  echo 'Fetching the pinned Python packages'; \
	  $(PIP) wheel --quiet --wheel-dir '$(PACKAGES)' -r requirements-dev.txt && \
	  $(PIP) install --quiet --no-index --find-links '$(PACKAGES)' -r requirements-dev.txt; }
	@touch $@

$(VENV)/.wheel: $(VENV)/.tools $(SOURCES)
	rm -rf dist
	$(PY) -m maturin build --release --locked --interpreter $(PY) --out dist
	$(PIP) install --quiet --no-index --no-deps --force-reinstall dist/*.whl
	@touch $@
