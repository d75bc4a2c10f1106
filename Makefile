# Ingot's commands. `make serve` and `make test` are all that a newcomer needs: each does the set-up that is missing.
#   BACKEND=cpu|cuda|metal   the MLX back end built against       JOBS=N   parallel compilations
#   ARGS='--port 9000'       flags for `make serve`
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.NOTPARALLEL:  # the targets share build/; compilers and tests run in parallel inside them

BACKEND ?= cpu
JOBS ?= $(shell getconf _NPROCESSORS_ONLN)
ARGS ?=
STAMPS := build/.stamps
CONFIGURED := $(STAMPS)/configured-$(BACKEND)
export CTEST_PARALLEL_LEVEL ?= $(JOBS)
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(JOBS)
export CARGO_BUILD_JOBS ?= $(JOBS)

say = @printf '\n==> %s\n' "$(1)"

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: serve
serve: build model ## build, fetch the default model, serve it on 127.0.0.1:8000
	@exec build/ingot serve $(ARGS)

.PHONY: build
build: $(CONFIGURED) ## build/ingot
	@cmake --build --preset release

.PHONY: model
model: $(STAMPS)/setup ## fetch the default model into the user's cache
	@tools/fetch_model >/dev/null

.PHONY: bf16-model
bf16-model: model ## the default model as a folder of bfloat16 safetensors, in the user's cache
	@tools/make_bf16_model >/dev/null

.PHONY: check
check: build model ## the fast suite: unit tests, arrows, sizes, docs
	$(call say,fast tests)
	@ctest --preset check

.PHONY: test
test: check sanitize model-tests e2e ## everything

.PHONY: sanitize
sanitize: $(STAMPS)/configured-asan ## unit tests under the address and undefined-behaviour sanitizers
	$(call say,tests under the sanitizers)
	@cmake --build --preset asan
	@ctest --preset asan

.PHONY: model-tests
model-tests: build bf16-model ## the default model against float32 and against itself
	$(call say,the default model against float32 and against itself)
	@ctest --preset model

.PHONY: e2e
e2e: build bf16-model ## clients against the server: on the mock engine, then on the model
	$(call say,clients against the server on the mock engine)
	@tests/e2e/run build
	$(call say,clients against the server on the default model)
	@tools/with_server build/ingot -- tests/e2e/run build
	$(call say,some of them against the server on safetensors)
	@tools/with_server build/ingot "$$(tools/make_bf16_model)" -- tests/e2e/run build -k "openai or tokenize"

.PHONY: bench
bench: build model ## the server beside llama.cpp's (and vLLM's: bench/compare/run --help)
	@bench/compare/run $(ARGS)

.PHONY: fmt
fmt: $(STAMPS)/setup-dev ## format the sources in place
	@git ls-files '*.h' '*.cpp' | xargs clang-format-19 -i

.PHONY: tidy
tidy: $(STAMPS)/setup-dev $(CONFIGURED) ## lint the sources
	@git ls-files 'src/*.cpp' | xargs -P $(JOBS) -n 4 clang-tidy-19 -p build --quiet

.PHONY: docs
docs: build ## write the pages that are generated from tables
	@build/ingot docs flags > docs/flags.md
	@build/ingot docs metrics > docs/metrics.md

.PHONY: clean
clean: ## remove build/
	@rm -rf build

# Stamps: each step runs again only when what it depends on is newer.
$(STAMPS):
	@mkdir -p $@

$(STAMPS)/setup: tools/setup src/ingot/rust/Cargo.toml | $(STAMPS)
	$(call say,packages)
	@tools/setup
	@touch $@

$(STAMPS)/setup-dev: $(STAMPS)/setup
	@tools/setup dev
	@touch $@

# Another back end is another MLX: forget the folder of the one before.
$(CONFIGURED): $(STAMPS)/setup CMakePresets.json
	$(call say,configuring for $(BACKEND))
	@rm -f $(STAMPS)/configured-cpu $(STAMPS)/configured-cuda $(STAMPS)/configured-metal
	@cmake --preset release -DINGOT_BACKEND=$(BACKEND) -UINGOT_MLX_DIR
	@touch $@

$(STAMPS)/configured-asan: $(STAMPS)/setup CMakePresets.json
	$(call say,configuring the sanitizer build)
	@cmake --preset asan
	@touch $@
