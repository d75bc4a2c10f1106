// Brings up the engine of this process around a model.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "ingot/base/result.h"
#include "ingot/core/engine_config.h"
#include "ingot/core/kv_budget.h"
#include "ingot/core/logprobs_mode.h"
#include "ingot/engine/engine.h"

namespace ingot {

class CausalLm;

struct EngineSettings {
  SchedulerConfig scheduler;
  CacheConfig cache;  // num_blocks and hash_root are filled in
  KvBudget kv_budget;
  int32_t vocab_size = 0;  // columns of the logits
  LogprobsMode logprobs_mode = LogprobsMode::kRawLogprobs;
  bool fit_max_model_len = false;  // lower scheduler.max_model_len to what the KV cache holds
};

// A model whose weights are in memory.
struct EngineModel {
  std::unique_ptr<CausalLm> model;
  std::string weights_digest;  // root of the prefix cache's hashes
  int64_t weight_bytes = 0;
};

struct StartedEngine {
  std::unique_ptr<Engine> engine;
  CacheConfig cache;          // as resolved
  int32_t max_model_len = 0;  // likewise
};

// `load` runs on the engine thread, the only one that may touch arrays. Returns when one real step has run.
// Errors: what `load` says; kInvalidArgument when the pool does not fit (see plan_kv_blocks).
Result<StartedEngine> start_engine(EngineSettings settings, std::function<Result<EngineModel>()> load);

}  // namespace ingot
