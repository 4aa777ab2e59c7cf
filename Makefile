# One command does it all, at the desk and in CI: `make test`. Needs git, make and Python >= 3.11.
RUN = .venv/bin

.PHONY: help setup demo test test-hosts bench golden reasons lock clean
.NOTPARALLEL:

help: ## say what can be made
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' Makefile | expand -t 19

setup: ## make the private environment .venv/ (the others do it by themselves)
	@PYTHON="$(PYTHON)" sh scripts/setup

demo: setup ## show the whole story on a throw-away repository
	$(RUN)/freezegate demo

test: setup ## formatting, lint, types, import contracts and every test
	$(RUN)/ruff format --check .
	$(RUN)/ruff check .
	$(RUN)/mypy
	$(RUN)/lint-imports
	$(RUN)/pytest -n 2

bench: setup ## measure what docs promise, as ratios (takes minutes)
	$(RUN)/python -m benchmarks.run
	$(RUN)/python -m benchmarks.many_pushes

golden: setup ## remake the golden files of the tests, for `git diff` to show
	REMAKE_GOLDEN=1 $(RUN)/pytest -q tests/wire

reasons: setup ## remake docs/reasons.md from the catalogue of reasons
	$(RUN)/freezegate explain --format markdown > docs/reasons.md

test-hosts: setup ## push to real git hosts on loopback (as root, installs what is missing of Debian)
	sh scripts/host-packages
	$(RUN)/pytest tests/hosts

lock: setup ## remake scripts/requirements.txt from what .venv holds
	{ sed -n '/^#/p' scripts/requirements.txt; $(RUN)/python -m pip freeze --exclude-editable; } > .venv/lock
	cp .venv/lock scripts/requirements.txt

clean: ## remove the environment and everything that was made
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis dist build
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
