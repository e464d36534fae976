SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

GO ?= go
# Tools are pinned in a module file of their own, so that they never change what
# the program links.
TOOL := $(GO) tool -modfile=go.tool.mod
TIMEOUT ?= 15m
BENCHTIME ?= 1s
# A checkout that git refuses to read (it belongs to somebody else) still builds.
VCS := $(shell git rev-parse HEAD >/dev/null 2>&1 && git status --porcelain >/dev/null 2>&1 && echo auto || echo false)

.PHONY: help
help: ## Print this list.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: run
run: postgresql build ## Install what is missing, build, and watch a simulated web, an hour of its time every second.
	@bin/strandline demo

.PHONY: first-look
first-look: postgresql build ## Install what is missing, build, and show what the program does on an archive it makes itself.
	@scripts/first-run

.PHONY: test
test: postgresql ## Install what is missing and run all tests.
	$(GO) test -timeout $(TIMEOUT) ./...

.PHONY: check
check: check-fast lint race ## Everything that a change must pass: format, linters, tests with the race detector.
	$(GO) mod tidy -diff

.PHONY: check-fast
check-fast: ## The part of check that takes seconds: format, vet, import order, generated files.
	@files=$$($(GO) list -f '{{.Dir}}' ./... | xargs gofmt -l | sort -u); \
	if [[ -n $$files ]]; then echo "not formatted by gofmt:"; echo "$$files"; exit 1; fi
	$(GO) vet -tags deb,wacz ./...
	$(GO) test -count=1 ./internal/layout
	$(GO) test -count=1 -run Fresh ./configs

.PHONY: fmt
fmt: ## Format all code by gofumpt.
	$(TOOL) gofumpt -w .

.PHONY: lint
lint: ## gofumpt, golangci-lint and staticcheck; the first run builds them, which takes minutes.
	@files=$$($(TOOL) gofumpt -l .); \
	if [[ -n $$files ]]; then echo "not formatted by gofumpt (make fmt):"; echo "$$files"; exit 1; fi
	$(TOOL) golangci-lint run ./...
	$(TOOL) staticcheck ./...

.PHONY: race
race: postgresql ## All tests with the race detector, in random order.
	$(GO) test -race -shuffle=on -timeout $(TIMEOUT) ./...

.PHONY: deadcode
deadcode: ## List functions that the program never reaches.
	$(TOOL) deadcode -test ./...

.PHONY: bench
bench: postgresql ## Run all benchmarks, one package at a time.
	$(GO) test -p 1 -timeout 0 -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) ./...

.PHONY: build
build: ## Build bin/strandline.
	$(GO) build -trimpath -buildvcs=$(VCS) -o bin/strandline ./cmd/strandline

# The version of packages: the last tag v1.2.3 and what came after it. Without tags it is the last release that
# the change log tells of and the time of the commit, so that it can be upgraded from and to.
RELEASE := $(shell sed -n 's/^\#\# \[\([0-9][^]]*\)\].*/\1/p' CHANGELOG.md | head -n 1)
VERSION ?= $(shell git describe --tags --match 'v[0-9]*' 2>/dev/null | sed 's/^v//; s/-/+/; s/-/./g' | grep . || echo "$(RELEASE)+$$(git log -1 --format=%cd --date=format:%Y%m%d%H%M%S 2>/dev/null || echo 0)")

.PHONY: deb
deb: build ## Build bin/strandline.deb: program, unit, man pages, completions, dashboard and alert rules.
	@mkdir -p bin/deb
	bin/strandline generate man | gzip -9n > bin/deb/strandline.1.gz
	bin/strandline generate config-man | gzip -9n > bin/deb/strandline.yaml.5.gz
	for shell in bash zsh fish; do bin/strandline generate $$shell > bin/deb/strandline.$$shell; done
	VERSION='$(VERSION)' ARCH=$$($(GO) env GOARCH) $(GO) tool -modfile=go.pkg.mod nfpm package --config packaging/nfpm.yaml --packager deb --target bin/strandline.deb

.PHONY: test-deb
test-deb: deb postgresql ## Install, start, upgrade, remove and purge the package in a folder of its own; wants root.
	STRANDLINE_DEB=$(CURDIR)/bin/strandline.deb $(GO) test -tags deb -count=1 -run Package ./cmd/strandline

.PHONY: test-wacz
test-wacz: postgresql ## Open an exported WACZ file in the replayer replaywebpage, which npm fetches.
	GO='$(GO)' scripts/test-wacz

.PHONY: clean
clean: ## Remove what make first-look and make build have made.
	rm -rf bin .strandline

.PHONY: postgresql
postgresql:
	@scripts/install-postgresql
