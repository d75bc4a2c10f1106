// The loader and the runner of the server, without its text half.
#include "family_model.h"

#include <algorithm>
#include <stdexcept>

#include "ingot/engine/start_engine.h"
#include "ingot/models/registry.h"
#include "ingot/runner/gather.h"
#include "ingot/weights/weights.h"

namespace ingot::testing {
namespace {

constexpr int kBlockSize = 16;

template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

std::unique_ptr<CausalLm> load(const Checkpoint& checkpoint, const ModelConfig& config, WeightSource& source) {
  const Architecture& architecture = *value_of(find_architecture(checkpoint.config()));
  auto model = architecture.make(config, source.root());
  source.finish(architecture.ignored);
  return model;
}

ModelConfig read_config(const Checkpoint& checkpoint, int max_model_len) {
  ModelConfig config = value_of(value_of(find_architecture(checkpoint.config()))->read_config(checkpoint.config()));
  if (max_model_len > 0) config.max_model_len = max_model_len;
  return config;
}

}  // namespace

std::shared_ptr<const Checkpoint> open_family(const std::string& name, const boost::json::object& changes) {
  return value_of(open_checkpoint(INGOT_SOURCE_DIR "/tests/golden/families/" + name, {.config_changes = changes}));
}

FamilyModel::FamilyModel(const Checkpoint& checkpoint, int max_model_len)
    : config_(read_config(checkpoint, max_model_len)) {
  WeightSource source(checkpoint);
  model_ = load(checkpoint, config_, source);
}

std::vector<float> FamilyModel::logits(const std::vector<int32_t>& ids, int chunk) const {
  const auto groups = group_layers(model_->kv_spec());
  const auto length = static_cast<int32_t>(ids.size());
  const int num_blocks = length / kBlockSize + 1;
  std::vector<BlockId> blocks;
  for (int block = 1; block <= num_blocks; ++block) blocks.push_back(BlockId{block});
  Rows rows(1, static_cast<int>(groups.size()));
  Caches caches(groups, num_blocks + 1, kBlockSize, 1, length);
  std::vector<float> all;
  for (int32_t start = 0; start < length;) {
    PlannedRow row;
    row.start = start;
    row.num_tokens = chunk > 0 ? std::min(chunk, length - start) : length;
    row.token_ids.assign(ids.begin() + start, ids.begin() + start + row.num_tokens);
    row.new_blocks.resize(groups.size());
    StepPlan plan{.step = 1, .starts = {}, .rows = {}, .copies = {}};
    if (start == 0) {
      plan.starts.emplace_back();
      row.new_blocks.assign(groups.size(), blocks);
    }
    start += row.num_tokens;
    plan.rows.push_back(std::move(row));
    rows.apply(plan);
    Step step = gather_step(plan, rows, caches);
    array result = model_->logits(model_->hidden(step));
    const std::span<const float> values = to_host<float>(result);
    all.insert(all.end(), values.begin(), values.end());
    caches.end(step.kv, caches.last_sampled(), caches.history());
  }
  return all;
}

std::unique_ptr<Engine> start_family(std::shared_ptr<const Checkpoint> checkpoint, const FamilyEngine& settings) {
  const ModelConfig config = read_config(*checkpoint, settings.scheduler.max_model_len);
  EngineSettings engine;
  engine.scheduler = settings.scheduler;
  engine.cache.enable_prefix_caching = settings.enable_prefix_caching;
  engine.kv_budget.memory_bytes = int64_t{64} << 20;
  engine.kv_budget.num_blocks = settings.num_blocks;
  engine.vocab_size = config.vocab_size;
  StartedEngine started = value_of(start_engine(engine, [checkpoint, config]() -> Result<EngineModel> {
    WeightSource source(*checkpoint);
    auto model = load(*checkpoint, config, source);
    return EngineModel{std::move(model), source.digest(), static_cast<int64_t>(source.bytes())};
  }));
  return std::move(started.engine);
}

}  // namespace ingot::testing
