// The way from a reference to a running engine.
#include "ingot/host/open_model.h"

#include <future>

#include <fmt/format.h>

#include "ingot/base/clock.h"
#include "ingot/base/log.h"
#include "ingot/checkpoint/checkpoint.h"
#include "ingot/engine/start_engine.h"
#include "ingot/host/load_progress.h"
#include "ingot/hub/resolve.h"
#include "ingot/models/registry.h"
#include "ingot/weights/weights.h"

namespace ingot {
namespace {

// Runs on the engine thread.
Result<EngineModel> load_weights(const Checkpoint& checkpoint, const Architecture& architecture,
                                 const ModelConfig& config, WeightDtype dtype) {
  const TimePoint start = now();
  LoadProgressBar bar;
  WeightSource source(checkpoint, dtype, [&](const LoadProgress& p) { bar.show(p.bytes_read, p.bytes_total); });
  EngineModel result;
  try {
    result.model = architecture.make(config, source.root());
    source.finish(architecture.ignored);
  } catch (const WeightError& e) {
    return std::unexpected(e.error());
  }
  result.weights_digest = source.digest();
  result.weight_bytes = source.bytes();
  log::info("loaded {:.0f} MiB of weights in {:.2f} s", result.weight_bytes / double{1 << 20},
            seconds_between(start, now()));
  return result;
}

Result<int32_t> choose_max_model_len(const ModelConfig& config, const ModelSource& source) {
  if (!source.max_model_len) return config.max_model_len;
  if (*source.max_model_len > config.max_model_len) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("--max-model-len {} exceeds the model's {} positions",
                                                         *source.max_model_len, config.max_model_len));
  }
  return *source.max_model_len;
}

}  // namespace

Result<OpenedModel> open_model(OpenOptions options) {
  const ModelSource& source = options.source;
  const auto path = resolve_model(source.model);
  if (!path) return std::unexpected(path.error());
  auto opening = open_checkpoint(*path, {source.load_format, source.hf_overrides, static_cast<uint64_t>(source.seed)});
  if (!opening) return std::unexpected(opening.error());
  const std::shared_ptr<const Checkpoint> checkpoint = std::move(*opening);
  const auto architecture = find_architecture(checkpoint->config());
  if (!architecture) return std::unexpected(architecture.error());
  auto config = (*architecture)->read_config(checkpoint->config());
  if (!config) return std::unexpected(config.error());
  const auto max_model_len = choose_max_model_len(*config, source);
  if (!max_model_len) return std::unexpected(max_model_len.error());
  auto generation = read_generation(source, *checkpoint);
  if (!generation) return std::unexpected(generation.error());

  OpenedModel opened;
  opened.path = path->string();
  opened.config = std::move(*config);
  opened.config.max_model_len = *max_model_len;
  opened.generation = std::move(*generation);
  options.scheduler.max_model_len = *max_model_len;

  auto text = std::async(std::launch::async, [&] { return open_text(source, *checkpoint); });
  auto engine = start_engine({options.scheduler, options.cache, options.kv_budget, opened.config.vocab_size,
                              options.logprobs_mode, source.fit_max_model_len},
                             [checkpoint, architecture = *architecture, config = opened.config, dtype = source.dtype] {
                               return load_weights(*checkpoint, *architecture, config, dtype);
                             });
  auto opened_text = text.get();
  if (!opened_text) return std::unexpected(opened_text.error());
  if (!engine) return std::unexpected(engine.error());
  opened.text = std::move(*opened_text);
  opened.engine = std::move(engine->engine);
  opened.cache = engine->cache;
  opened.max_model_len = engine->max_model_len;
  return opened;
}

}  // namespace ingot
