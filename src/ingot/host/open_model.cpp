// The way from a reference to a running engine.
#include "ingot/host/open_model.h"

#include <future>

#include <fmt/format.h>

#include "ingot/base/clock.h"
#include "ingot/base/log.h"
#include "ingot/checkpoint/checkpoint.h"
#include "ingot/engine/start_engine.h"
#include "ingot/hub/resolve.h"
#include "ingot/models/registry.h"
#include "ingot/weights/weights.h"

namespace ingot {
namespace {

// Runs on the engine thread.
Result<EngineModel> load_weights(const Checkpoint& checkpoint, const Architecture& architecture,
                                 const ModelConfig& config) {
  const TimePoint start = now();
  WeightSource source(checkpoint);
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

Result<int32_t> choose_max_model_len(const ModelConfig& config, std::optional<int32_t> wanted) {
  if (!wanted) return config.max_position_embeddings;
  if (*wanted > config.max_position_embeddings) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("--max-model-len {} exceeds the model's {} positions", *wanted,
                                                         config.max_position_embeddings));
  }
  return *wanted;
}

Status open_text(const Checkpoint& checkpoint, OpenedModel& opened) {
  const Result<std::string> json = checkpoint.tokenizer_json();
  if (!json) return std::unexpected(json.error());
  auto tokenizer = Tokenizer::from_json(*json);
  if (!tokenizer) return std::unexpected(tokenizer.error());
  opened.tokenizer = std::move(*tokenizer);
  if (checkpoint.chat_template().empty()) return {};
  auto chat_template = ChatTemplate::compile(checkpoint.chat_template());
  if (!chat_template) return std::unexpected(chat_template.error());
  opened.chat_template = std::move(*chat_template);
  return {};
}

}  // namespace

Result<OpenedModel> open_model(OpenOptions options) {
  const auto path = resolve_model(options.model);
  if (!path) return std::unexpected(path.error());
  auto opening = open_checkpoint(*path);
  if (!opening) return std::unexpected(opening.error());
  const std::shared_ptr<const Checkpoint> checkpoint = std::move(*opening);
  const auto architecture = find_architecture(checkpoint->config());
  if (!architecture) return std::unexpected(architecture.error());
  auto config = (*architecture)->read_config(checkpoint->config());
  if (!config) return std::unexpected(config.error());
  const auto max_model_len = choose_max_model_len(*config, options.max_model_len);
  if (!max_model_len) return std::unexpected(max_model_len.error());

  OpenedModel opened;
  opened.path = path->string();
  opened.config = std::move(*config);
  opened.max_model_len = *max_model_len;
  opened.generation_config = checkpoint->generation_config();
  opened.tokenizer_config = checkpoint->tokenizer_config();
  opened.chat_templates.assign(checkpoint->chat_templates().begin(), checkpoint->chat_templates().end());
  options.scheduler.max_model_len = *max_model_len;

  std::future<Status> text = std::async(std::launch::async, [&] { return open_text(*checkpoint, opened); });
  auto engine = start_engine(
      {options.scheduler, options.cache, options.kv_budget, opened.config.vocab_size, options.logprobs_mode},
      [checkpoint, architecture = *architecture, config = opened.config] {
        return load_weights(*checkpoint, *architecture, config);
      });
  if (Status text_opened = text.get(); !text_opened) return std::unexpected(text_opened.error());
  if (!engine) return std::unexpected(engine.error());
  opened.engine = std::move(engine->engine);
  opened.cache = engine->cache;
  return opened;
}

}  // namespace ingot
