# `make help` lists the targets. CACHE holds the slow parts (engine, models, editors); see CONTRIBUTING.md.
SHELL := /bin/bash
CACHE := $(or $(ASSENT_TEST_CACHE),$(HOME)/.cache/assent-test)
TOOLS := $(CACHE)/tools
export ASSENT_TEST_CACHE := $(CACHE)
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || true)

.PHONY: help build check lint test unit fuzz e2e eval bench demo pictures vsix release-check generate fmt clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build the program as bin/assent
	go build -trimpath -ldflags "-X main.linked=$(VERSION)" -o bin/assent ./cmd/assent

check: ## the quick inner loop: vet, and the tests of logic and scenarios; names the slowest packages
	.ci/check

lint: ## the linters, pinned in .ci/tools/go.mod; builds them once
	.ci/tool golangci-lint run ./...

fmt: ## format the Go files
	.ci/tool golangci-lint fmt ./...

generate: ## write the generated files (settings, commands, tools, formats)
	go run ./cmd/generate

unit: ## all Go tests with the race detector
	go vet ./...
	go test -race ./...

fuzz: ## whole conversations against random editors, answers and faults, for FUZZTIME (60s)
	go test ./lsp -run '^$$' -fuzz FuzzConversation -fuzztime $(or $(FUZZTIME),60s) -fuzzminimizetime 1x

e2e: ## the story in real editors, with a scripted and a real model
	.ci/e2e

test: ## everything that gates: unit and scenario tests with -race, the extension, real editors, a real model
	.ci/test

vuln: ## look for known vulnerabilities in what the program calls; needs a network, and says so without one
	.ci/vuln

eval: ## task suites on real models; rewrites docs/small-models.md (slow)
	.ci/eval

pictures: ## take the pictures of docs/images anew, in real editors
	ASSENT_PICTURES=$(CURDIR)/docs/images .ci/e2e -run 'TestPictures|TestTryVSCode|TestCodeVSCode|TestSettingsPageVSCode|TestSurfacesVSCode|TestNativeChatVSCode'

bench: build ## measure; rewrites docs/performance.md
	rg=$$(editors/e2e/install/ripgrep.sh || true); PATH="$$PATH$${rg:+:$$(dirname "$$rg")}" go run ./cmd/bench

vsix: ## package the VS Code extension with the program inside, for this machine
	cd editors/vscode && npm ci --ignore-scripts --silent && ./bundle.sh

release-check: ## build a release for all systems, look into it, and start what this machine can (slow)
	.ci/release check

demo: ## the whole job with a real model, in a real editor, with a commentary
	editors/e2e/demo.sh

clean: ## remove what was built here
	rm -rf bin dist editors/vscode/dist editors/vscode/node_modules
