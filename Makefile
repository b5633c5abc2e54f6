# Two commands set everything up: `make demo` and `make test`. Both make their own virtual environment first.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready

KILLS ?= 100
MUTANTS ?= 20000

.PHONY: pages demo test bench validate soak fuzz lint clean

$(READY): pyproject.toml
	$(PYTHON) -c "import sys; sys.exit('Gori needs Python 3.11 or newer; try make PYTHON=python3.12') if sys.version_info < (3, 11) else None"
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --quiet --upgrade pip
	$(PY) -m pip install --quiet --editable ".[dev]"
	touch $(READY)

pages: $(READY)           ## build the pages of the viewer again if their sources have changed
	-$(PY) hatch_build.py

demo: pages               ## run one case of each capability, check it, leave a report with pictures in out/demo
	$(VENV)/bin/gori doctor --compile
	$(PY) -m demo

test: pages               ## lint, then all tests
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/gori doctor --compile
	$(PY) -m pytest -n 2 --dist loadfile

bench: $(READY)           ## all benchmarks
	$(PY) -m bench.tree
	$(PY) -m bench.simulate
	$(PY) -m bench.implicit
	$(PY) -m bench.stiff
	$(PY) -m bench.loops
	$(PY) -m bench.contact
	$(PY) -m bench.vehicle
	$(PY) -m bench.particles
	$(PY) -m bench.broad_phase
	$(PY) -m bench.formats

validate: $(READY)        ## published problems against their reference values
	$(PY) -m validation

soak: $(READY)            ## kills, signals, full disks, damaged files: make soak KILLS=1000
	$(PY) -m soak --kills $(KILLS)

fuzz: $(READY)            ## hostile files of all formats, by the thousand: make fuzz MUTANTS=100000
	$(PY) -m fuzz --count $(MUTANTS)

lint: $(READY)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/pyright

clean:
	rm -rf $(VENV) out .pytest_cache .ruff_cache .hypothesis
