// The `vllm:` metrics of one model.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ingot/core/engine_stats.h"
#include "ingot/core/token_event.h"

namespace prometheus {
class Registry;
struct MetricFamily;
}  // namespace prometheus

namespace ingot::serve {

// What is known of a choice once it ended.
struct FinishedChoice {
  FinishReason reason{};
  int32_t num_prompt_tokens = 0, num_cached_tokens = 0, num_output_tokens = 0, max_tokens = 0;
  RequestTimes times;
};

struct MetricsLabels {
  std::string model_name;
  int32_t max_model_len = 0;                        // ends the buckets of token counts
  std::map<std::string, std::string> cache_config;  // labels of vllm:cache_config_info
};

// Every method may be called from any thread at once. What the engine counts is read from `stats` at scrape time.
class Metrics {
 public:
  Metrics(std::shared_ptr<prometheus::Registry> registry, const MetricsLabels& labels,
          std::function<EngineStats()> stats);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  void on_call(int32_t n);
  void on_first_token(const RequestTimes& times);
  void on_next_token(double seconds);  // since the choice's token before it
  void on_finish(const FinishedChoice& choice);

  void on_call_end(int32_t max_num_output_tokens);  // of the call's choices

  // The engine's figures, read now; all else is in the registry.
  std::vector<prometheus::MetricFamily> collect_engine() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingot::serve
