# The repository's commands. Each sets up what it needs in .venv and does only what is out of date.
#
# phipsi is installed editable: Python under src/ is imported where it stands, and the compiled core is rebuilt by make
# (incrementally, in build/editable) when cpp/, CMakeLists.txt or pyproject.toml is newer than the last build. A command
# therefore always runs what is in the tree. CMake and Ninja come from PyPI, so that python3, pip, g++ and make suffice.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet
JOBS   ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
TESTS  ?=

# what pip would put into an isolated build environment stands in .venv instead, so that builds are incremental
BUILD_TOOLS := $(shell sed -n '/^\[build-system\]/,/^$$/s/^requires = \[\(.*\)\]/\1/p' pyproject.toml | tr -d ,) cmake ninja
CORE_INPUTS := pyproject.toml CMakeLists.txt $(wildcard cpp/*.hpp cpp/*.cpp)
PY_FILES    := $(sort $(shell find src/phipsi -name '*.py'))
CPP_FILES   := $(wildcard cpp/*.hpp cpp/*.cpp cpp/tests/*.cpp cpp/tests/*.hpp)
EDITABLE    := --no-build-isolation --config-settings=build-dir=build/editable --editable
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(JOBS)

.DEFAULT_GOAL := help
.PHONY: help demo test bench lint format stubs sanitize docs clean

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 18

demo:  ## a satellite catches a tumbling target, and report.html shows it; DEMO=chain for another
	@$(MAKE) --no-print-directory $(if $(wildcard $(VENV)/.core),$(VENV)/.core,$(VENV)/.quick)
	@$(BIN)/python -m phipsi.cli demo $(DEMO)

test: $(VENV)/.core $(VENV)/.extra-test  ## every test and doctest; TESTS="-k pose" picks some
	$(BIN)/python -m pytest -n $(JOBS) $(TESTS)

bench: $(VENV)/.core $(VENV)/.extra-bench  ## phipsi against Pinocchio and MuJoCo, with the bars it must clear
	$(BIN)/python -m bench $(BENCH)

lint: $(VENV)/.core $(VENV)/.extra-test $(VENV)/.extra-dev  ## ruff, pyright (strict), clang-format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/clang-format --dry-run -Werror $(CPP_FILES)

format: $(VENV)/.extra-dev  ## let ruff and clang-format rewrite the sources
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP_FILES)

stubs: $(VENV)/.core  ## regenerate src/phipsi/_core.pyi from the compiled core
	$(BIN)/python tests/packaging/test_stubs.py

sanitize: $(VENV)/.build-tools  ## native tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(BIN)/cmake -S . -B build/sanitize -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN)/ninja) \
	  -DPHIPSI_MODULE=OFF -DPHIPSI_NATIVE_TESTS=ON -DPHIPSI_SANITIZE=ON
	$(BIN)/cmake --build build/sanitize
	$(BIN)/ctest --test-dir build/sanitize --output-on-failure

docs: $(VENV)/.core $(VENV)/.extra-docs  ## the documentation site, built strictly into docs/_build
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --config-file docs/mkdocs.yml

clean:  ## remove what was built; the environment too
	rm -rf build dist wheelhouse $(VENV) .pytest_cache .ruff_cache .hypothesis

# ---- the environment: each stamp is newer than everything it was made from ----
$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV) || { echo "python3 cannot make virtual environments: on Debian, apt install python3-venv"; exit 1; }

$(VENV)/.build-tools: pyproject.toml | $(VENV)/bin/python
	$(PIP) install $(BUILD_TOOLS)
	@touch $@

# an editable install has a list of the Python files: it must be made anew where one came or went
$(VENV)/.files: FORCE | $(VENV)/bin/python
	@echo '$(PY_FILES)' | cmp -s - $@ || echo '$(PY_FILES)' > $@
FORCE:

$(VENV)/.core: $(VENV)/.build-tools $(VENV)/.files $(CORE_INPUTS)
	$(PIP) install $(EDITABLE) .
	@touch $@

# who has built nothing yet and wants to see something need not wait for the instruction sets of other machines
ISA := $(shell if [ "$$(uname -m)" = x86_64 ]; then \
  if grep -qs avx512bw /proc/cpuinfo; then echo avx512; elif grep -qs avx2 /proc/cpuinfo; then echo avx2; else echo baseline; fi; fi)
$(VENV)/.quick: $(VENV)/.build-tools $(VENV)/.files $(CORE_INPUTS)
	@echo "building the core for $(if $(ISA),$(ISA) alone,this machine): a minute or two, once"
	SKBUILD_CMAKE_DEFINE="PHIPSI_ISAS=$(ISA)" $(PIP) install --no-build-isolation --config-settings=build-dir=build/quick --editable .
	@touch $@

# an extra's packages; phipsi itself comes along, but its build is already up to date
$(VENV)/.extra-%: pyproject.toml | $(VENV)/.core
	$(PIP) install $(EDITABLE) ".[$*]"
	@touch $@
