# The companion's commands. Everything needed is installed into .venv on the first call; later calls find it ready.
#
#   make book                build the book into book/_build/html, warnings are errors; with SOLUTIONS=no without solutions
#   make book-live           the book, and the files with which its cells run in the reader's browser, also from a folder: 45 MB
#   make test [FULL=yes]     style, types, the tests of what changed, and results compared with what the code gives; with FULL=yes all
#   make settle ACCEPT=NAME  compare stored results with what the code gives; with ACCEPT store what is made now (pages/ch3_batched, all)
#   make test PAPER=slug     style, types, and the fast and slow tests of one paper
#   make check [PAPER=slug]  style, types, the fast tests, and what of form is worth a look, of one paper or all: a minute, while you work
#   make notebooks [CH=3]    execute and store pages whose code or data changed (with CH: both pages of that chapter in any case)
#   make rerun CH=3 [ARGS="-p name=value"]   run both pages of a chapter at the book settings, or others, into runs/
#   make paper CH=3          compute the paper-scale results a chapter loads, and run it at that scale; with SHARD=2/20 one part of them
#   make evidence CH=3       check those statements, numbers and suspected errors of a paper again whose code or data changed
#   make everything          every stored run, piece of evidence and page again, compared with what is stored: a night; with SHARD=2/20 a part of the runs
#   make verify CH=3         make a sample of its stored runs again and compare the digits
#   make chapter CH=3        paper, evidence and notebooks, in this order; stops at the first that fails
#   make assignments         students' copies, solutions and autograders of all assignments, into build/assignments
#   make pdf                 the book on paper: build/companion.pdf, printed by a headless Chromium
#   make archive             the book as one file to unpack and read from a folder: build/companion-site.zip; make archive-live: its code runs
#   make sphinx              the same pages built by plain Sphinx 9, without Jupyter Book, and compared
#   make bench [FULL=yes]    time engine and methods beside what others would use, three minutes of processor time; with FULL=yes all sizes, half an hour
#   make release             check, then build wheel, sdist and digests of the last commit into build/release; the tag is yours
#   make ci | look           what continuous integration runs: make test FULL=yes with a browser | build the book and look at it
#   make readme              draw the picture of README.md again
#   make env                 set up the environment, which every other command does as well; COMPANION_TORCH=cu128 for a GPU
#   make messages            renew tests/messages.md, every refusal in its words, by running the tests; then read what changed
#   make lint | format       check or mend the style
#   make clean | distclean   remove what was built | and the environment

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
HTML := book/_build/html
JOBS ?= 4
# With no, the book leaves out the solutions of its exercises; see book/marking.md.
SOLUTIONS ?= yes
# One thread a process: tests run in several processes, and small matrices gain nothing from more threads.
export OMP_NUM_THREADS ?= 1
# Hundreds of processes import the package; compiled modules are kept, whatever the shell says, so that one of them compiles.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: everything everything-week release publish report ci look pdf archive archive-live sphinx readme assignments help env book book-live test tests check fast-tests lint format types messages notebooks check-notebooks compare-notebooks settle rerun paper evidence verify bench clean distclean chapter which

help:
	@sed -n '3,27s/^#  *//p' Makefile

env:
	@$(PYTHON) .ci/environment.py $(VENV)

book: env
	@$(PY) -m companion.pages check
	@# A failed build is removed: its cache would let the next one skip the pages that had warnings.
	@COMPANION_SOLUTIONS=$(SOLUTIONS) $(VENV)/bin/jupyter-book build . --path-output book -W -n --keep-going -q || { rm -rf book/_build; exit 1; }
	@echo "The book is $(HTML)/index.html"

# What shown cells and recipes import; the papers' studies, pages and checks are not among it.
LIVE = --lib src/companion --without companion/classroom companion/cli companion/exports companion/pages 'companion/papers/*/page' 'companion/papers/*/checks'
book-live: book
	@$(PY) book/_ext/run_in_page/make.py $(HTML) $(LIVE)

# Style first, it takes seconds; the rest side by side, since types and browser keep one core each and leave others idle.
test: env lint
	@$(MAKE) --no-print-directory -j3 types settle tests

# Which results rest on what has changed is known by their stamps in data/current.
settle: env
	@$(PY) -m companion settle $(if $(ACCEPT),--accept $(ACCEPT)) $(if $(filter yes,$(FULL)),--all) --jobs=-1

# In the order of the files: the book is built and looked at beside the other tests, not after them.
tests: env
	@$(PY) -m pytest -q $(if $(PAPER),-m "not browser" $(OF_PAPER),--depth $(if $(filter yes,$(FULL)),full,changed)) -n auto --maxprocesses $(JOBS) --dist loadscope --no-loadscope-reorder

# Slow tests, ledgers and the browser are left to make test. Advice on form fails nothing.
check: env lint
	@$(MAKE) --no-print-directory -j2 types fast-tests
	@$(PY) -m companion.pages.advice $(PAPER)

# A paper may be called by its chapter: batched, 3, ch3, ch3_batched.
# What asks all papers at once, or each, names where they are found.
OF_PAPER = --paper $(SLUG) $(wildcard tests/papers/test_*.py tests/papers/$(SLUG)) \
  $(shell grep -rlE --include='test_*.py' '\bpapers\.(slugs|chapters|having|of|part|experiments)\b|\blessons\b|mark\.papers' tests | grep -v '^tests/papers/')
SLUG = $(shell $(PY) -c "from companion import papers; print(papers.slug_of('$(PAPER)'))")

fast-tests: env
	@$(PY) -m pytest -q -m "not slow and not browser" -n auto --maxprocesses $(JOBS) --dist loadscope \
	  $(if $(PAPER),$(OF_PAPER))

messages: env
	@COMPANION_MESSAGES=renew $(PY) -m pytest -q -n auto --maxprocesses $(JOBS) --dist loadscope -m "not browser"

lint: env
	@$(PY) -m ruff check --quiet .
	@$(PY) -m ruff format --check --quiet . || { echo "Not in the common format; mend it with: make format"; exit 1; }

# What cannot be mended is said last, and everything else is mended before.
format: env
	@$(PY) -m ruff check --quiet --fix --exit-zero . >/dev/null
	@$(PY) -m ruff format .
	@$(PY) -m ruff check --quiet .

types: env
	@$(PY) -m mypy

# Former names, for one version.
check-notebooks compare-notebooks:
	@echo "$@ is now a part of make settle; with FULL=yes it compares every page"; exit 2

notebooks: env
	@$(PY) -m companion settle --accept $(if $(CH),--all) $(if $(CH),$(addprefix pages/,$(STEMS)),pages) --jobs=-1

STEMS = $(shell $(PY) -c "from companion.core.files import checkout; from companion.pages.document import find_pages; print(*(page.stem for page in find_pages(checkout(), '$(CH)')))")

rerun: env which
	@$(PY) -m companion run $(CH) --profile book --jobs=-1 $(ARGS)

paper: env which
	@$(PY) -m companion $(if $(SHARD),sweep $(CH) --shard $(SHARD),run $(CH) --profile paper) --jobs=-1 $(ARGS)

evidence: env which
	@$(PY) -m companion evidence $(CH) $(ARGS)

# What is finished is kept: the same command goes on where it was stopped.
everything: env
	@$(PY) -m companion everything $(if $(SHARD),--shard $(SHARD)) $(ARGS)

# Another part each week: within a year all stored runs are made again.
everything-week:
	@$(MAKE) --no-print-directory everything SHARD=$$(( $$(date +%-V) % 52 + 1 ))/52

verify: env which
	@$(PY) -m companion verify $(CH) $(ARGS)

# In this order: runs, what is judged on them, and the pages that show it all.
chapter: which
	@for step in paper evidence notebooks; do $(MAKE) --no-print-directory $$step ARGS= || exit 1; done

which:
	@test -n "$(CH)" || { echo "Which chapter? For example: make rerun CH=3"; exit 2; }

# The secret is made once and kept out of version control: students' numbers come from it.
assignments: env
	@$(PY) -m companion assignment make $(ARGS)

pdf: book
	@$(PY) .ci/editions/pdf.py $(HTML) build/companion.pdf

archive: book
	@$(PY) .ci/editions/archive.py $(HTML) build/companion-site.zip

# Beside what a release has: code that runs, for readers without a network.
archive-live: book-live
	@$(PY) .ci/editions/archive.py $(HTML) build/release/companion-site.zip

# What Sphinx 9 needs in other versions than Jupyter Book lies in a folder of its own, in front of the environment.
build/sphinx/packages: .ci/sphinx/requirements.txt
	@rm -rf $@ && $(PY) -m pip --disable-pip-version-check install -qq --no-deps --target $@ -r $< && touch $@

sphinx: book build/sphinx/packages
	@rm -rf build/sphinx/html
	@PYTHONPATH=build/sphinx/packages $(PY) -m sphinx -b html -c .ci/sphinx -d build/sphinx/doctrees -E -W -n --keep-going -q . build/sphinx/html
	@$(PY) .ci/sphinx/compare.py $(HTML) build/sphinx/html

# The tag is the owner's: without one this is a rehearsal.
release: check
	@$(PY) .ci/release.py build/release

# From a workflow that the index trusts: no token is stored, and the only tool is uv, by its digests.
publish:
	@$(PYTHON) -m venv build/uv && build/uv/bin/pip install -qq --only-binary=:all: --no-deps --require-hashes -r .ci/uv.hashes
	@build/uv/bin/uv publish --trusted-publishing always build/release/*.whl build/release/*.tar.gz

# One issue for all failures of the weekly run, however many weeks they last.
report:
	@number=$$(gh issue list --state open --search 'in:title "The weekly run failed"' --json number --jq '.[0].number // empty') && \
	  if [ -n "$$number" ]; then gh issue comment "$$number" --body "Again: $$RUN"; \
	  else gh issue create --title "The weekly run failed" --body "$$RUN"; fi

# Without TARGET it is make test FULL=yes.
ci:
	@.ci/run $(TARGET)

look: book
	@$(PY) -m pytest -q --depth full tests/book/test_browser.py

bench: env
	@$(PY) benchmarks/page.py $(if $(filter yes,$(FULL)),--full) $(ARGS)

clean:
	rm -rf book/_build build runs .pytest_cache .mypy_cache .ruff_cache

distclean: clean
	rm -rf $(VENV)

readme: env
	@$(PY) .ci/readme_picture.py
