# Pilotfish. `make` lists what there is to do.

SHELL := /bin/sh
.DEFAULT_GOAL := help

# Wails chooses its parts by build tags; the other programs ignore them. One set
# for all, so that the build cache is shared between programs, tests and linter.
TAGS := desktop,production,webkit2_41
VERSION := $(shell build/version)
LDFLAGS := -s -w -X main.version=$(VERSION)
SMALL_CFLAGS := -std=c11 -O2 -Wall -Wextra -Wconversion -Werror -D_FORTIFY_SOURCE=2 -fstack-protector-strong

CACHE := build/cache
STAMPS := $(CACHE)/stamps
COMPONENTS := $(CACHE)/components/select2.js
PROGRAMS := build/bin/Pilotfish build/bin/pilotfish-window build/bin/pilotfish-tray build/bin/pilotfish build/bin/pilotfish-whole

# Everything that the Go programs are made of.
GO_SOURCES := go.mod go.sum $(shell find app backend -name '*.go' -not -name '*_test.go' -not -path '*/testdata/*') \
	$(shell find app backend -type f -not -name '*.go' -not -path '*/testdata/*' -not -path '*/artifacts/*') \
	$(wildcard frontend/*.go extension/*.go extension/welcome/*)
UI_SOURCES := $(shell find frontend/ui -type f)
WINDOW_SOURCES := $(UI_SOURCES) $(shell find frontend -type f -not -path '*/node_modules/*' -not -path 'frontend/dist/*' -not -path 'frontend/ui/*')
PANEL_SOURCES := $(UI_SOURCES) $(shell find extension -type f -not -path '*/node_modules/*' -not -path 'extension/dist/*')

# The tools are built once for each set of versions and each Go.
TOOLS_KEY := $(shell { go env GOVERSION; cat build/tools/go.sum; } 2>/dev/null | cksum | cut -d ' ' -f 1)
LINTER := $(CACHE)/bin/golangci-lint-$(TOOLS_KEY)
TYGO := $(CACHE)/bin/tygo-$(TOOLS_KEY)

# Chromium refuses to run as root with its sandbox, and nowhere else do we give
# the sandbox up.
ifeq ($(shell id -u),0)
export PILOTFISH_NO_SANDBOX := 1
SAY_ROOT := echo "Running as root: Chromium runs without its sandbox (PILOTFISH_NO_SANDBOX=1)."
else
SAY_ROOT := :
endif

.PHONY: help
help: ## list the targets
	@echo "Pilotfish. Targets:"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1 | \2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-18s %s\n", $$1, $$2}'

.PHONY: run
run: install-run $(PROGRAMS) ## install what is missing, build, start the app
	@$(SAY_ROOT)
	@build/display build/bin/Pilotfish

.PHONY: build
build: install-build $(PROGRAMS) ## build the programs into build/bin

.PHONY: test
test: install-test $(PROGRAMS) $(COMPONENTS) ## install what is missing, run all tests
	@$(SAY_ROOT)
	@build/display --own build/test $(TAGS)

# The inner loop: seconds after the first time, for Go knows what has not changed.
.PHONY: check
check: install-build modules extension/dist/manifest.json frontend/dist/index.html ## run the tests that need no browser, without the race detector
	@build/test $(TAGS) check

.PHONY: lint
lint: install-build modules $(LINTER) ## run the linters of Go and TypeScript
	@build/lint $(LINTER)

.PHONY: bench
bench: install-test $(PROGRAMS) ## measure; prints a table, writes build/bench.json
	@$(SAY_ROOT)
	@build/display go run -tags $(TAGS) ./app/bench

# The suite of the Model Context Protocol, pinned; it takes about 15 s and is of
# use only when /mcp changes.
.PHONY: conformance
conformance: install-build build/bin/pilotfish ## run MCP's own conformance suite against /mcp
	@$(SAY_ROOT)
	@cd build/conformance && npm ci --no-audit --no-fund --loglevel=error && node run.mjs ../bin/pilotfish

# Real agents with a stand-in for their model; what is tested is how they and
# Pilotfish get on. It takes about two minutes, and its agents 1.3 GB.
.PHONY: test-agents
test-agents: install-test build/bin/pilotfish ## install real agents, run the tests with them
	@$(SAY_ROOT)
	@# The lock pins them; "npm ci" also wants the agents' programs for every other system in it.
	@cd build/agents && npm install --no-save --no-audit --no-fund --loglevel=error
	@go test -tags $(TAGS),agents -count=1 -timeout 25m ./app/agents/...

.PHONY: generate
generate: modules $(TYGO) ## write the TypeScript of backend/protocol, and docs/reference
	@build/generate $(TYGO)

.PHONY: clean
clean: ## remove what was built (not node_modules)
	rm -rf build/bin $(CACHE) build/bench.json
	find frontend/dist extension/dist -mindepth 1 -not -name .gitkeep -delete

# What the machine needs.
.PHONY: install-build install-run install-test
install-build:
	@build/install/packages build
install-run:
	@build/install/packages build run $(if $(DISPLAY)$(WAYLAND_DISPLAY),,display)
install-test:
	@build/install/packages build run test

# node_modules follow their lock files. npm writes .package-lock.json last.
WINDOW_MODULES := frontend/node_modules/.package-lock.json
PANEL_MODULES := extension/node_modules/.package-lock.json
COMPONENT_MODULES := build/components/node_modules/.package-lock.json
.PHONY: modules
modules: $(WINDOW_MODULES) $(PANEL_MODULES)
$(WINDOW_MODULES) $(PANEL_MODULES) $(COMPONENT_MODULES): %/node_modules/.package-lock.json: %/package-lock.json %/package.json
	@echo "Installing the npm packages of $*/"
	@cd $* && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

# Real component libraries, on which the tests of Task act. esbuild writes all
# bundles at once.
$(COMPONENTS): $(wildcard build/components/src/*) build/components/build.mjs $(COMPONENT_MODULES)
	cd build/components && npm run --silent build ../cache/components
	@touch $@

# The two faces are built first: the programs embed them.
frontend/dist/index.html: $(WINDOW_SOURCES) $(WINDOW_MODULES)
	cd frontend && npm run --silent build
	@touch frontend/dist/.gitkeep $@
extension/dist/manifest.json: $(PANEL_SOURCES) $(PANEL_MODULES) $(WINDOW_MODULES)
	cd extension && npm run --silent build
	@touch extension/dist/.gitkeep $@

# The command line and the tray come first: an error in the backend shows before
# Wails has taken its minutes.
build/bin/pilotfish-whole: $(GO_SOURCES) extension/dist/manifest.json | install-build
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o $@ ./app/cli
# What is started: it becomes the whole one for what it does not do itself.
build/bin/pilotfish: app/cli/start/pilotfish.c app/cli/start/json.h build/bin/pilotfish-whole | install-build
ifeq ($(shell uname),Linux)
	$(CC) $(SMALL_CFLAGS) -static -s '-DVERSION="$(VERSION)"' -o $@ $<
else
	cp build/bin/pilotfish-whole $@
endif
build/bin/pilotfish-tray: $(GO_SOURCES) | install-build
	go build -trimpath -ldflags '$(LDFLAGS)' -o $@ ./app/tray
build/bin/pilotfish-window: $(GO_SOURCES) frontend/dist/index.html | install-build
	go build -tags $(TAGS) -trimpath -ldflags '$(LDFLAGS)' -o $@ ./app/window
# Without C it starts at once: what draws its window is another program's.
build/bin/Pilotfish: $(GO_SOURCES) extension/dist/manifest.json build/bin/pilotfish build/bin/pilotfish-tray build/bin/pilotfish-window | install-build
	CGO_ENABLED=0 go build -trimpath -ldflags '$(LDFLAGS)' -o $@ ./app

$(LINTER):
	@echo "Building golangci-lint"
	@mkdir -p $(@D)
	@go build -modfile=build/tools/go.mod -o $@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
$(TYGO):
	@mkdir -p $(@D)
	@go build -modfile=build/tools/go.mod -o $@ github.com/gzuidhof/tygo
