# Pilotfish. `make` lists the targets.

SHELL := /bin/sh
.DEFAULT_GOAL := help

# Paths of this checkout are in no program, and another checkout shares the build cache.
export GOFLAGS := $(strip -trimpath $(GOFLAGS))

# Wails selects its parts by build tags; the other programs ignore them. All
# programs use the same tags, so that programs, tests and linter share the build
# cache.
TAGS := desktop,production,webkit2_41
VERSION := $(shell build/version)
LDFLAGS := -s -w -X main.version=$(VERSION)

CACHE := build/cache
COMPONENTS := $(CACHE)/components/select2.js
PROGRAMS := build/bin/Pilotfish build/bin/pilotfish-window build/bin/pilotfish-tray build/bin/pilotfish build/bin/pilotfish-service

# The sources of the Go programs.
GO_SOURCES := go.mod go.sum $(shell find app backend -name '*.go' -not -name '*_test.go' -not -path '*/testdata/*') \
	$(shell find app backend -type f -not -name '*.go' -not -path '*/testdata/*' -not -path '*/artifacts/*') \
	$(wildcard frontend/*.go extension/*.go extension/welcome/*)
UI_SOURCES := $(shell find frontend/ui -type f)
WINDOW_SOURCES := $(UI_SOURCES) $(shell find frontend -type f -not -path '*/node_modules/*' -not -path 'frontend/dist/*' -not -path 'frontend/ui/*')
PANEL_SOURCES := $(UI_SOURCES) $(shell find extension -type f -not -path '*/node_modules/*' -not -path 'extension/dist/*')

# The tools are built once for each set of versions and each version of Go.
TOOLS_KEY := $(shell { go env GOVERSION; cat build/tools/go.sum; } 2>/dev/null | cksum | cut -d ' ' -f 1)
LINTER := $(CACHE)/bin/golangci-lint-$(TOOLS_KEY)
TYGO := $(CACHE)/bin/tygo-$(TOOLS_KEY)
GOTESTSUM := $(CACHE)/bin/gotestsum-$(TOOLS_KEY)
PACKAGE_KEY := $(shell { go env GOVERSION; cat build/package/tools/go.sum; } 2>/dev/null | cksum | cut -d ' ' -f 1)
NFPM := $(CACHE)/bin/nfpm-$(PACKAGE_KEY)
CYCLONEDX := $(CACHE)/bin/cyclonedx-gomod-$(PACKAGE_KEY)

# As root, Chromium does not start with its sandbox. In every other case we keep
# the sandbox.
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
test: install-test $(PROGRAMS) $(COMPONENTS) $(GOTESTSUM) ## install what is missing, run all tests
	@$(SAY_ROOT)
	@GOTESTSUM=$(abspath $(GOTESTSUM)) build/display --own build/test $(TAGS) $(MODE)

# What a release needs, and the end of an issue. It continues after a failure, and make
# lists the targets that failed.
.PHONY: test-all
test-all: ## make test with the race detector everywhere, then fuzz, real agents, packages, image, conformance, a soak of 2 minutes
	@$(MAKE) --no-print-directory --keep-going MODE=all SOAK=2m FUZZ_TIME=10s test fuzz conformance test-agents test-package test-image test-npm soak

# For the edit-and-test loop. After the first time it takes seconds, because Go
# caches results.
.PHONY: check
check: install-build modules extension/dist/manifest.json frontend/dist/index.html $(GOTESTSUM) ## run the tests that need no browser, without the race detector
	@GOTESTSUM=$(abspath $(GOTESTSUM)) build/test $(TAGS) check

# The seeds of each target run with its package's tests.
.PHONY: fuzz
fuzz: install-build modules extension/dist/manifest.json frontend/dist/index.html ## fuzz every decoder, 30 s each (FUZZ_TIME=5m for longer)
	@build/fuzz $(TAGS) $(or $(FUZZ_TIME),30s)

.PHONY: lint
lint: install-build modules $(LINTER) ## run the linters of Go and TypeScript
	@build/lint $(LINTER)

.PHONY: bench
bench: install-test $(PROGRAMS) ## measure; prints a table, writes build/bench.json (ROWS=click for some rows)
	@$(SAY_ROOT)
	@build/display go run -tags $(TAGS) ./app/bench $(if $(ROWS),-only '$(ROWS)')

# The conformance suite of the Model Context Protocol, in a pinned version. It
# takes about 15 s and is useful only when /mcp changes.
.PHONY: conformance
conformance: install-build build/bin/pilotfish build/bin/pilotfish-service ## run MCP's own conformance suite against /mcp
	@$(SAY_ROOT)
	@cd build/conformance && npm ci --no-audit --no-fund --loglevel=error && node run.mjs ../bin/pilotfish

# Real agents with a fake model; the tests check how they work with Pilotfish.
# They take about five minutes, and the agents 2.1 GB.
.PHONY: test-agents
test-agents: install-test build/bin/pilotfish build/bin/pilotfish-service ## install real agents, run the tests with them
	@$(SAY_ROOT)
	@# The lock pins them; "npm ci" also wants the agents' programs for every other system in it.
	@cd build/agents && npm install --no-save --no-audit --no-fund --loglevel=error
	@go test -tags $(TAGS),agents -count=1 -timeout 25m ./app/agents/...

# A real Selenium Grid and Browserless; nothing of them is needed to build or to run Pilotfish.
.PHONY: test-grid
test-grid: install-test install-grid build/bin/pilotfish build/bin/pilotfish-service ## install a Selenium Grid and Browserless, run the tests with their browsers
	@$(SAY_ROOT)
	@cd build/grid && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@build/display --own go test -tags $(TAGS),grid -count=1 -timeout 25m -run 'Grid|Browserless' ./app/e2e/cli

# The whole product under load while its parts are killed and its disk is full. Not a
# part of `make test`, because it takes half an hour.
.PHONY: soak
soak: install-test $(PROGRAMS) ## kill parts of the app at random for 30 minutes, or SOAK=2m
	@$(SAY_ROOT)
	@build/display --own go test -tags $(TAGS),soak -count=1 -v -timeout 0 -run '^TestSoak$$' ./app/e2e

.PHONY: pictures
pictures: install-test $(PROGRAMS) ## take the screenshots of README again
	@$(SAY_ROOT)
	@PILOTFISH_PICTURES=$(CURDIR)/docs/pictures build/display --own go test -tags $(TAGS),pictures -count=1 -run '^TestPictures$$' ./app/e2e

# Packages of the programs as they are built now, for this machine's architecture.
DIST := build/dist
.PHONY: package
package: install-package $(PROGRAMS) $(NFPM) $(CYCLONEDX) ## make deb, rpm, archive, SBOM and checksums in build/dist
	@build/package/make $(DIST) $(NFPM) $(CYCLONEDX)

.PHONY: test-package
test-package: package ## install, use, upgrade and remove the deb on a clean Debian
	@build/package/test $(DIST) $(NFPM) $(CYCLONEDX)

# A container image with the deb of now, without a daemon (docs/adr/276).
.PHONY: image test-image
image: package ## make the container image in build/dist/image, in OCI layout and as a tar
	@build/install/packages image
	@build/image/make $(DIST)
test-image: image ## run the image in a container, and check the manifests of Kubernetes
	@build/image/test $(DIST)

# The command line and its service for all systems: nothing in them is C. The window and
# the tray need each system's own compiler. `make npm` takes what is there.
CROSS := linux-amd64 linux-arm64 darwin-amd64 darwin-arm64 windows-amd64 windows-arm64
.PHONY: cross $(CROSS:%=cross-%)
cross: $(CROSS:%=cross-%) ## build the command line for Linux, macOS and Windows, in build/cross
$(CROSS:%=cross-%): cross-%: extension/dist/manifest.json | install-build
	CGO_ENABLED=0 GOOS=$(word 1,$(subst -, ,$*)) GOARCH=$(word 2,$(subst -, ,$*)) go build -ldflags '$(LDFLAGS)' -o build/cross/$*/ ./app/cli ./app/service
	cd build/cross/$* && for end in '' .exe; do if [ -f cli$$end ]; then mv -f cli$$end pilotfish$$end; mv -f service$$end pilotfish-service$$end; fi; done

# The same programs as packages of npm. They are tested on this system only.
.PHONY: npm test-npm
npm: cross ## make the packages of npm for all systems, and server.json, in build/dist/npm
	@node build/npm/make.mjs $(DIST)/npm build/cross '$(VERSION)'
	@ls -l $(DIST)/npm | awk 'NR > 1 {printf "%10d  %s\n", $$5, $$9}'
test-npm: npm ## install the packages of npm without a network, and use them
	@node build/npm/test.mjs $(DIST)/npm build/cross '$(VERSION)'

.PHONY: generate
generate: modules $(TYGO) ## write TypeScript types and schemas of backend/protocol, and docs/reference
	@build/generate $(TYGO)

.PHONY: clean
clean: ## remove what was built (not node_modules)
	rm -rf build/bin build/cross build/dist $(CACHE) build/bench.json
	find frontend/dist extension/dist -mindepth 1 -not -name .gitkeep -delete

# Install what the machine needs.
.PHONY: install-build install-run install-test install-package install-grid
install-build:
	@build/install/packages build
install-run:
	@build/install/packages build run $(if $(DISPLAY)$(WAYLAND_DISPLAY),,display)
install-test:
	@build/install/packages build run test
install-package:
	@build/install/packages build package
install-grid:
	@build/install/packages grid

# node_modules depends on its lock file. npm writes .package-lock.json last.
WINDOW_MODULES := frontend/node_modules/.package-lock.json
PANEL_MODULES := extension/node_modules/.package-lock.json
COMPONENT_MODULES := build/components/node_modules/.package-lock.json
.PHONY: modules
modules: $(WINDOW_MODULES) $(PANEL_MODULES)
$(WINDOW_MODULES) $(PANEL_MODULES) $(COMPONENT_MODULES): %/node_modules/.package-lock.json: %/package-lock.json %/package.json
	@echo "Installing the npm packages of $*/"
	@# "npm ci" empties the folder first, through a link too: then that of another work tree.
	@[ ! -L $*/node_modules ] || rm $*/node_modules
	@cd $* && npm ci --no-audit --no-fund --loglevel=error
	@touch $@

# Real component libraries, which the tests of Task act on. esbuild writes all
# bundles at once.
$(COMPONENTS): $(wildcard build/components/src/*) build/components/build.mjs $(COMPONENT_MODULES)
	cd build/components && npm run --silent build ../cache/components
	@touch $@

# The two user interfaces are built first, because the programs embed them.
frontend/dist/index.html: $(WINDOW_SOURCES) $(WINDOW_MODULES)
	cd frontend && npm run --silent build
	@touch frontend/dist/.gitkeep $@
extension/dist/manifest.json: $(PANEL_SOURCES) $(PANEL_MODULES) $(WINDOW_MODULES)
	cd extension && npm run --silent build
	@touch extension/dist/.gitkeep $@

# Command line and tray come first: an error in the backend then appears before
# the minutes that Wails takes. The command line is copied after linking, because
# a copy starts faster than a file that the linker wrote in pieces (docs/adr/090).
build/bin/pilotfish: $(GO_SOURCES) | install-build
	CGO_ENABLED=0 go build -ldflags '$(LDFLAGS)' -o $(CACHE)/pilotfish ./app/cli
	install -D -m 755 $(CACHE)/pilotfish $@
build/bin/pilotfish-service: $(GO_SOURCES) extension/dist/manifest.json frontend/dist/index.html | install-build
	CGO_ENABLED=0 go build -ldflags '$(LDFLAGS)' -o $@ ./app/service
build/bin/pilotfish-tray: $(GO_SOURCES) | install-build
	go build -ldflags '$(LDFLAGS)' -o $@ ./app/tray
build/bin/pilotfish-window: $(GO_SOURCES) frontend/dist/index.html | install-build
	go build -tags $(TAGS) -ldflags '$(LDFLAGS)' -o $@ ./app/window
# It starts faster without cgo: another program draws its window.
build/bin/Pilotfish: $(GO_SOURCES) extension/dist/manifest.json frontend/dist/index.html build/bin/pilotfish build/bin/pilotfish-service build/bin/pilotfish-tray build/bin/pilotfish-window | install-build
	CGO_ENABLED=0 go build -ldflags '$(LDFLAGS)' -o $@ ./app

$(LINTER):
	@echo "Building golangci-lint"
	@mkdir -p $(@D)
	@go build -modfile=build/tools/go.mod -o $@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint
$(TYGO):
	@mkdir -p $(@D)
	@go build -modfile=build/tools/go.mod -o $@ github.com/gzuidhof/tygo
$(GOTESTSUM):
	@mkdir -p $(@D)
	@go build -modfile=build/tools/go.mod -o $@ gotest.tools/gotestsum
$(NFPM):
	@mkdir -p $(@D)
	@go build -modfile=build/package/tools/go.mod -o $@ github.com/goreleaser/nfpm/v2/cmd/nfpm
$(CYCLONEDX):
	@mkdir -p $(@D)
	@go build -modfile=build/package/tools/go.mod -o $@ github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod
