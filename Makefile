# laoma: `make up` starts it, `make down` stops it, `make test` runs everything that CI runs. Any current folder will do (`make -C`).
# Nothing is installed twice: a stamp in .venv carries the hash of what was installed.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

ROOT := $(patsubst %/,%,$(dir $(realpath $(lastword $(MAKEFILE_LIST)))))
VENV := $(ROOT)/.venv
BIN := $(VENV)/bin
PYTHON ?= python3.11
KIND ?= $(shell nvidia-smi -L >/dev/null 2>&1 && echo gpu || echo cpu)
WANTED := $(shell cat $(ROOT)/pyproject.toml $(ROOT)/constraints.txt | sha256sum | cut -c1-16)
RUNTIME := $(VENV)/.runtime-$(KIND)-$(WANTED)
TOOLS := $(VENV)/.tools-$(WANTED)
PIP := $(BIN)/python -m pip --disable-pip-version-check
ROOMS := schemas memory evolution lake serve eval jobs commands
PYTEST ?=

.PHONY: help up down test lint types contracts tests install clean

help: ## this list
	@grep -hE '^[a-z]+:.*##' $(ROOT)/Makefile | sed 's/:.*## /\t/' | expand -t 12

up: $(RUNTIME) ## install what is missing and start; prints address, key and a curl that works
	@$(BIN)/laoma up

down: ## stop what `make up` started
	@if [ -x $(BIN)/laoma ]; then $(BIN)/laoma down; else echo "laoma was never started from here"; fi

test: lint types contracts tests ## lint, types, import rules, all tests

install: $(RUNTIME) $(TOOLS) ## everything, without starting

lint: $(TOOLS)
	@cd $(ROOT) && $(BIN)/ruff check -q . && $(BIN)/ruff format -q --check .

types: $(RUNTIME) $(TOOLS)
	@cd $(ROOT) && $(BIN)/mypy $(addprefix -p ,$(ROOMS))

contracts: $(RUNTIME) $(TOOLS)
	@cd $(ROOT) && $(BIN)/lint-imports

tests: $(RUNTIME) $(TOOLS) ## the tests alone; PYTEST="-k recall" chooses
	@cd $(ROOT) && $(BIN)/python -m pytest $(PYTEST)

clean: down ## stop, and remove what was installed (never what is remembered)
	@rm -rf $(VENV)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null \
	  || { echo "laoma needs Python 3.11 as '$(PYTHON)': apt-get install python3.11, or make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "python could not make a virtual environment: apt-get install python3-venv" >&2; exit 1; }

# torch first and alone: pip would else take the CUDA build, of 3 GB, where the CPU build is meant
$(RUNTIME): $(ROOT)/pyproject.toml $(ROOT)/constraints.txt | $(BIN)/python
	@echo "installing laoma for $(KIND) into .venv: several minutes, once"
	@cd $(ROOT) && bash .ci/install $(KIND)
	@rm -f $(VENV)/.runtime-*; touch $@

$(TOOLS): $(ROOT)/pyproject.toml $(ROOT)/constraints.txt | $(RUNTIME)
	@echo "installing the tools for tests"
	@cd $(ROOT) && $(PIP) install -q -c constraints.txt -e '.[dev]' 2> >(grep -v '^WARNING: Location' >&2)
	@rm -f $(VENV)/.tools-*; touch $@
