# `make run` computes the main result, `make test` passes the tests; `make help` lists the rest.
SHELL := /bin/bash
VENV := .venv
AIRTCP := $(VENV)/bin/airtcp
TARGET := x86_64-unknown-linux-gnu
KERNEL_SERIES := $(shell kernel/default-series)
KERNEL_SOURCE = $(shell dpkg-query -W -f '$${Version}' linux-source-$(KERNEL_SERIES))
export AIRTCP_RUNNER := $(CURDIR)/target/release/airtcp-runner

.DEFAULT_GOAL := help
.PHONY: help deps test-deps kernel kernel-lab build venv venv-dev wheel wheel-lab wheel-source run test test-rust test-python check bench \
	check-deps kernel-profile prove-fit crosscheck generated unchanged repeat fuzz fuzz-parts outside format clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

deps: ## install what is missing (Debian packages)
	@tools/install-deps

test-deps:
	@tools/install-deps --also tshark chromium curl openssl mininet openvswitch-switch openvswitch-testcontroller \
		bridge-utils python3-pexpect iperf ethtool telnet nftables iptables ipset wpan-tools openssh-server sudo vlan bpftrace bpftool linux-perf \
		flent irtt iperf fping mtr-tiny traceroute iputils-tracepath nuttcp sockperf apache2-utils wrk d-itg

kernel: deps ## build the guest kernel, or find it in the cache
	@kernel/build

kernel-lab: deps ## the same of the kernel of guests for labs, for `airtcp mininet`
	@kernel/build --flavour lab

# The programs of pages; npm writes the list of what it installed.
FRONTEND := python/airtcp/report/html/assets/built/timeline.js
WEB := python/airtcp/web/assets/built/store.js
NODE_MODULES := frontend/node_modules/.package-lock.json

$(NODE_MODULES): frontend/package-lock.json | deps
	@cd frontend && npm ci --silent --ignore-scripts --no-audit --no-fund
	@touch $@

$(FRONTEND) $(WEB) &: $(NODE_MODULES) frontend/package.json $(wildcard frontend/src/*.ts)
	@cd frontend && npm run --silent build

build: deps $(FRONTEND) $(WEB) ## build runner, guest library, agent, and the programs of pages
	@cargo build --release --locked -q -p airtcp-runner -p airtcp-guest
	@RUSTFLAGS="-C target-feature=+crt-static" cargo build --profile agent --locked -q -p airtcp-agent --target $(TARGET)
	@install -m 755 target/$(TARGET)/agent/airtcp-agent target/release/airtcp-agent

# The stamp is newer than the dependencies it was made from.
$(VENV)/.ready: pyproject.toml | deps
	@python3 -m venv $(VENV)
	@$(VENV)/bin/pip install --quiet --disable-pip-version-check -e .
	@touch $@

# What tests and lints need beyond that.
$(VENV)/.ready-dev: $(VENV)/.ready
	@$(VENV)/bin/pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

venv: $(VENV)/.ready ## make the Python environment
venv-dev: $(VENV)/.ready-dev

wheel: kernel build venv-dev ## one wheel with all of it, in dist/
	@$(VENV)/bin/pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w dist .
	@ls dist/*.whl

wheel-lab: kernel-lab venv-dev ## the kernel of guests for labs as a wheel of its own, to be installed beside the other
	@$(VENV)/bin/pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation -w dist tools/wheel/lab
	@ls dist/airtcp_lab_kernel-*.whl

wheel-source: deps ## the complete source of the kernels in both wheels, to be offered with them (GPL-2.0)
	@mkdir -p dist
	@tar -cf dist/airtcp-kernel-source-$(KERNEL_SOURCE).tar -C /usr/src linux-source-$(KERNEL_SERIES).tar.xz -C $(CURDIR) kernel
	@ls dist/*.tar

run: kernel build venv ## compute section 4.2 of aoyagi2023 and say where to look
	@$(AIRTCP) study aoyagi2023 --section 4.2

test: kernel build venv-dev test-rust test-python ## all tests

test-rust: kernel build
	@cargo test --locked -q --workspace --no-fail-fast
	@cd tools/per-tables && cargo test --locked -q

test-python: kernel kernel-lab build venv-dev test-deps
	@$(VENV)/bin/pytest -q -n 2 --dist loadfile

# The reference is formatted by what generates it.
PROSE := $(shell find . -name '*.md' -not -path './docs/reference/*' -not -path './target/*' -not -path '*/target/*' \
	-not -path './.*' -not -path './reports/*' -not -path '*/node_modules/*')

check-deps:
	@tools/install-deps --also perl

check: venv-dev check-deps $(NODE_MODULES) ## formatting, lints and types of everything
	@cargo fmt --all --check
	@cargo clippy --locked -q --workspace --all-targets -- -D warnings
	@cd tools/per-tables && cargo fmt --check && cargo clippy --locked -q --all-targets -- -D warnings
	@PATH="$(CURDIR)/$(VENV)/bin:$$PATH" kernel/check
	@cd frontend && npm run --silent check
	@$(VENV)/bin/ruff check -q python tests studies tools
	@$(VENV)/bin/ruff format -q --check python tests tools
	@$(VENV)/bin/mdformat --check $(PROSE)
	@$(VENV)/bin/mypy
	@MYPYPATH=tools $(VENV)/bin/mypy -p crosscheck -p observation
	@MYPYPATH=tools $(VENV)/bin/mypy tools/*.py
	@MYPYPATH=tools/wheel $(VENV)/bin/mypy tools/wheel/*.py tools/wheel/lab/*.py

format: venv-dev ## format everything
	@cargo fmt --all
	@$(VENV)/bin/ruff format -q python tests tools
	@cd tools/per-tables && cargo fmt
	@PATH="$(CURDIR)/$(VENV)/bin:$$PATH" kernel/check --format
	@$(VENV)/bin/mdformat $(PROSE)

bench: kernel build venv ## measure speed; a table, and JSON in bench-results/
	@$(VENV)/bin/python tools/bench.py
	@if [ "$$(id -u)" = 0 ]; then $(VENV)/bin/python tools/bench_measuring.py; fi
	@PYTHONPATH=tools $(VENV)/bin/python -m crosscheck.speed

kernel-profile: deps build venv-dev ## count the branches of the guest kernel anew, by which kernel/build compiles it (SERIES=7.2)
	@PYTHONPATH=tools $(VENV)/bin/python tools/kernel_profile.py --series $(or $(SERIES),$(KERNEL_SERIES))

prove-fit: kernel build venv ## fit 20 synthetic networks with hidden parameters, and some that look alike (ONLY=text)
	@$(VENV)/bin/python tools/prove_fit.py $(if $(ONLY),--only "$(ONLY)")

# Headers and libraries of ns-3, without the package for scripts in Python on which its wheel depends.
$(VENV)/.ready-ns3: tools/crosscheck/results.py | $(VENV)/.ready-dev
	@$(VENV)/bin/pip install --quiet --disable-pip-version-check --no-deps "ns3==$$(sed -n 's/^NS3_VERSION = "\(.*\)"/\1/p' $<).*"
	@touch $@

crosscheck: venv-dev $(if $(REFERENCE),,$(VENV)/.ready-ns3) ## hold the air against ns-3 (QUICK=1: a part; REFERENCE=1: its stored results; ONLY=text)
	@PYTHONPATH=tools $(VENV)/bin/python -m crosscheck.compare $(if $(QUICK),--quick) $(if $(REFERENCE),--reference) $(if $(ONLY),--only "$(ONLY)")

generated: build venv-dev ## write what is generated: types of plans and messages, the table of Wi-Fi rules, counts on pages
	@$(AIRTCP_RUNNER) schema --wifi > python/airtcp/wifi/wifi.json
	@$(AIRTCP_RUNNER) schema --tcp-info > python/airtcp/data/tcp_info.json
	@$(AIRTCP_RUNNER) schema --tcp-info-assertions > kernel/src/arch/um/drivers/airtcp/probe/tcp_info_fields.h
	@$(VENV)/bin/python tools/generated_types.py
	@PYTHONPATH=tools $(VENV)/bin/python tools/page_counts.py

unchanged: kernel build venv ## compute 778 scenarios: no result may move (WRITE=1: keep what is found; ONLY=text)
	@PYTHONPATH=tools $(VENV)/bin/python tools/unchanged.py $(if $(WRITE),--write) $(if $(ONLY),--only "$(ONLY)")

repeat: kernel build venv ## ten scenarios 200 times under load: all results must be the same
	@$(VENV)/bin/python tools/repeat_runs.py

fuzz: kernel build venv-dev ## random scenarios, watched in every way: nothing may move (PLANS=500 FIRST_SEED=1 SERIES=6.1)
	@PYTHONPATH=tools $(VENV)/bin/python -m observation.search --plans $(or $(PLANS),500) --first-seed $(or $(FIRST_SEED),1) \
	  --series $(or $(SERIES),$(KERNEL_SERIES))

fuzz-parts: kernel build venv-dev ## random networks of two parts, by one guest and by two (PLANS=100 FIRST_SEED=1)
	@PYTHONPATH=tools $(VENV)/bin/python tools/parts_search.py --plans $(or $(PLANS),100) --first-seed $(or $(FIRST_SEED),1)

outside: kernel kernel-lab build venv test-deps ## tools and suites of others, and docs/outside.md (SELFTESTS="DIR FOLDER ..." PACKETDRILL=DIR)
	@$(VENV)/bin/python tools/outside.py tools flent $(if $(SELFTESTS),--selftests $(SELFTESTS)) $(if $(PACKETDRILL),--packetdrill $(PACKETDRILL))

clean: ## remove what was built here (not the kernel cache)
	rm -rf target dist $(VENV) $(dir $(FRONTEND)) frontend/node_modules
