// Weights → pool size → scheduler and runner → first step.
#include "ingot/engine/start_engine.h"

#include <fmt/format.h>

#include "ingot/base/log.h"
#include "ingot/base/system_memory.h"
#include "ingot/engine/local_engine.h"
#include "ingot/runner/kv_budget.h"
#include "ingot/runner/runner.h"

namespace ingot {
namespace {

// What makes two pools' pages interchangeable, beside the tokens.
std::string hash_root(const EngineModel& model, const CacheConfig& cache) {
  return fmt::format("{} kv=bfloat16 block={}", model.weights_digest, cache.block_size);
}

Result<EngineParts> build_parts(EngineSettings& settings, EngineModel model) {
  const std::vector<KvGroup> groups = group_layers(model.model->kv_spec());
  int32_t& max_model_len = settings.scheduler.max_model_len;
  const bool fits = settings.fit_max_model_len;
  const Result<int32_t> num_blocks =
      plan_kv_blocks(settings.kv_budget, groups, settings.cache.block_size, fits ? 1 : max_model_len,
                     model.weight_bytes, available_memory_bytes());
  if (!num_blocks) return std::unexpected(num_blocks.error());
  const int64_t most = static_cast<int64_t>(*num_blocks - 1) * settings.cache.block_size;
  if (fits && most < max_model_len) {
    log::info("--max-model-len auto: {} tokens, as the KV cache holds, of the model's {}", most, max_model_len);
    max_model_len = static_cast<int32_t>(most);
  }
  settings.cache.num_blocks = *num_blocks;
  settings.cache.hash_root = hash_root(model, settings.cache);
  reserve_memory(groups, settings.cache, model.weight_bytes);
  log::info("KV cache: {} blocks of {} tokens, {} tokens in all", *num_blocks - 1, settings.cache.block_size, most);
  const RunnerConfig config{settings.scheduler.max_num_seqs,
                            *num_blocks,
                            settings.cache.block_size,
                            {settings.vocab_size, settings.logprobs_mode},
                            max_model_len};
  auto runner = std::make_unique<Runner>(std::move(model.model), config);
  auto scheduler = std::make_unique<Scheduler>(settings.scheduler, settings.cache, groups);
  return EngineParts{std::move(scheduler), std::move(runner), settings.scheduler, static_cast<int32_t>(groups.size())};
}

}  // namespace

Result<StartedEngine> start_engine(EngineSettings settings, std::function<Result<EngineModel>()> load) {
  auto resolved = std::make_shared<EngineSettings>(std::move(settings));
  auto engine = std::make_unique<LocalEngine>([resolved, load = std::move(load)]() -> Result<EngineParts> {
    Result<EngineModel> model = load();
    if (!model) return std::unexpected(model.error());
    return build_parts(*resolved, std::move(*model));
  });
  if (Status ready = engine->wait_ready(); !ready) return std::unexpected(ready.error());
  return StartedEngine{std::move(engine), resolved->cache, resolved->scheduler.max_model_len};
}

}  // namespace ingot
