// Opens a model: from a reference to a running engine with its tokenizer and template.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "ingot/base/result.h"
#include "ingot/checkpoint/tokenizer_files.h"
#include "ingot/core/engine_config.h"
#include "ingot/core/kv_budget.h"
#include "ingot/core/logprobs_mode.h"
#include "ingot/core/model_config.h"
#include "ingot/engine/engine.h"
#include "ingot/text/chat_template.h"
#include "ingot/text/tokenizer.h"

namespace ingot {

struct OpenOptions {
  std::string model;                     // a reference for hub/; "" = the default model
  std::optional<int32_t> max_model_len;  // absent: the model's own
  SchedulerConfig scheduler;             // max_model_len is filled in
  CacheConfig cache;                     // num_blocks and hash_root are filled in
  KvBudget kv_budget;
  LogprobsMode logprobs_mode = LogprobsMode::kRawLogprobs;
};

struct OpenedModel {
  std::string path;
  ModelConfig config;
  int32_t max_model_len = 0;
  CacheConfig cache;
  boost::json::object generation_config, tokenizer_config;
  std::vector<NamedTemplate> chat_templates;  // every one that the checkpoint brings
  std::shared_ptr<const Tokenizer> tokenizer;
  std::shared_ptr<const ChatTemplate> chat_template;  // the default one; null where there is none
  std::shared_ptr<Engine> engine;
};

// Blocks until the engine has run one step; weights load beside the tokenizer. Errors name the file, tensor or flag at
// fault.
Result<OpenedModel> open_model(OpenOptions options);

}  // namespace ingot
