// Opens a model: from a reference to a running engine with its tokenizer and template.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ingot/base/result.h"
#include "ingot/core/engine_config.h"
#include "ingot/core/kv_budget.h"
#include "ingot/core/logprobs_mode.h"
#include "ingot/core/model_config.h"
#include "ingot/core/model_source.h"
#include "ingot/engine/engine.h"
#include "ingot/host/generation.h"
#include "ingot/host/model_text.h"

namespace ingot {

struct OpenOptions {
  ModelSource source;
  SchedulerConfig scheduler;  // max_model_len is filled in
  CacheConfig cache;          // num_blocks and hash_root are filled in
  KvBudget kv_budget;
  LogprobsMode logprobs_mode = LogprobsMode::kRawLogprobs;
};

struct OpenedModel {
  std::string path;
  ModelConfig config;
  int32_t max_model_len = 0;
  CacheConfig cache;
  GenerationDefaults generation;
  ModelText text;
  std::shared_ptr<Engine> engine;
};

// Blocks until the engine has run one step; weights load beside the tokenizer. Errors name the file, tensor or flag at
// fault.
Result<OpenedModel> open_model(OpenOptions options);

}  // namespace ingot
