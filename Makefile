# SPDX-License-Identifier: Apache-2.0
# Thin: each target is a line or two that can be typed by hand. `make` alone lists them.
PREFIX ?= /usr/local
SCALE ?= 1
CXX_FILES = $(shell git ls-files '*.cc' '*.h')

.PHONY: help deps deps-ci python-env build release test demo install dist bench format \
        format-check tidy headers docs fuzz clean

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' Makefile | while IFS='|' read -r target text; do \
	   printf '  make %-14s %s\n' "$$target" "$$text"; done

deps: ## Install what a build needs and is missing (Debian packages, Arrow C++)
	@tools/deps tools/packages.txt

deps-ci: ## As deps, with what .ci/run needs besides (clang, Java, Maven, strace)
	@tools/deps tools/packages.txt tools/packages-ci.txt
	@tools/fetch_spark_jars

python-env: deps ## Make .venv: other engines and the data generator, by pinned versions
	@tools/python_env

build: deps ## Build program and tests with checks on: build/dev/bin
	cmake --preset dev && cmake --build --preset dev

release: deps ## Build the program for use: build/release/bin/wheelpit
	cmake --preset release && cmake --build --preset release

test: build python-env ## Build and run every test; ends with "N passed, N failed"
	@tools/run_tests dev

demo: release python-env ## Make TPC-H data, query it, and show ours beside other engines
	@tools/demo --scale $(SCALE)

install: release ## Install below PREFIX (default /usr/local): program, libraries, headers
	cmake --install build/release --prefix "$(PREFIX)"

dist: release ## Make dist/wheelpit-VERSION-linux-ARCH.tar.gz and its checksum
	@tools/dist

bench: deps-ci python-env ## Run the benchmarks of bench/suites into bench/results
	cmake --preset bench && cmake --build --preset bench
	@bench/run --scale $(SCALE)

format: ## Format every C++ file
	@clang-format-16 -i $(CXX_FILES)

format-check: ## Fail when a C++ file is not formatted
	@clang-format-16 --dry-run -Werror $(CXX_FILES)

tidy: ## Check the rules of the tree: layers, sizes, banned words, documents
	@tools/tidy.py

headers: deps ## Compile every public header alone
	cmake --preset dev && cmake --build --preset dev --target all_verify_interface_header_sets

docs: build ## Write the generated pages of docs/ again
	@tools/write_docs

fuzz: deps-ci ## Build the fuzz targets and run each for 20 s
	cmake --preset fuzz && cmake --build --preset fuzz && tools/run_fuzz --seconds 20

clean: ## Remove what was built (dependencies and data stay)
	rm -rf build dist
