// What `ingot serve` was asked to do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ingot/core/engine_config.h"
#include "ingot/core/kv_budget.h"
#include "ingot/core/logprobs_mode.h"
#include "ingot/core/model_source.h"

namespace ingot {

struct ServeConfig {
  // model
  ModelSource source;
  std::vector<std::string> served_model_names;
  int32_t max_logprobs = 20;  // −1 = no cap
  LogprobsMode logprobs_mode = LogprobsMode::kRawLogprobs;

  // engine
  SchedulerConfig scheduler{.max_num_batched_tokens = 512};  // on a CPU more gain nothing and make streams wait
  CacheConfig cache;
  KvBudget kv_budget;

  // front end
  std::string host = "127.0.0.1";
  uint16_t port = 8000;
  std::vector<std::string> api_keys;
  std::string response_role = "assistant";
  std::string chat_template_content_format = "auto";  // auto, string, openai
  boost::json::object chat_template_kwargs = {};
  bool trust_request_chat_template = false;
  bool enable_prompt_tokens_details = true;
  bool enable_force_include_usage = false;
  bool enable_request_id_headers = false;
  bool access_log = true;
  bool log_stats = true;
  int32_t sse_keep_alive_interval_s = 0;  // 0 = none
  int32_t shutdown_timeout_s = 30;        // 0 = abort at once
  std::string log_level = "info";
};

}  // namespace ingot
