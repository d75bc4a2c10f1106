// The tiny checkpoints of tests/golden/families: opened with changes to their config, run bare or behind an engine.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "ingot/checkpoint/checkpoint.h"
#include "ingot/core/engine_config.h"
#include "ingot/core/model_config.h"
#include "ingot/engine/engine.h"
#include "ingot/models/causal_lm.h"

namespace ingot::testing {

// One of the folder's checkpoints, with `changes` laid over its config.json.
std::shared_ptr<const Checkpoint> open_family(const std::string& name, const boost::json::object& changes = {});

// A model without engine or scheduler.
class FamilyModel {
 public:
  // max_model_len 0: the config's own.
  explicit FamilyModel(const Checkpoint& checkpoint, int max_model_len = 0);

  int vocab_size() const { return config_.vocab_size; }
  const ModelConfig& config() const { return config_; }

  // The logits of every position of a sequence, computed in steps of `chunk` tokens (0: one step).
  std::vector<float> logits(const std::vector<int32_t>& ids, int chunk = 0) const;

 private:
  ModelConfig config_;
  std::unique_ptr<CausalLm> model_;
};

struct FamilyEngine {
  SchedulerConfig scheduler{.max_model_len = 512, .verify_each_step = true};
  bool enable_prefix_caching = true;
  int32_t num_blocks = 512;
};

std::unique_ptr<Engine> start_family(std::shared_ptr<const Checkpoint> checkpoint, const FamilyEngine& settings);

}  // namespace ingot::testing
