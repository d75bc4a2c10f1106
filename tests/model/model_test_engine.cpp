// Opens the default model once per settings and drives its engine.
#include "model_test_engine.h"

#include <atomic>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include "ingot/hub/cache.h"

namespace ingot::testing {

void PrintTo(const ModelForm& form, std::ostream* out) { *out << form.name; }

std::string reference_of(const ModelForm& form) {
  return form.as_bf16_folder ? cache_folder().value() / "models" / "SmolLM2-135M-Instruct-bf16" : "";
}

OpenedModel open_test_model(const ModelForm& form, const Settings& settings) {
  OpenOptions options;
  options.source.model = reference_of(form);
  options.source.max_model_len = settings.max_model_len;
  options.scheduler.max_num_batched_tokens = settings.max_num_batched_tokens;
  options.scheduler.max_num_seqs = settings.max_num_seqs;
  options.scheduler.verify_each_step = true;
  options.scheduler.long_prefill_token_threshold = settings.long_prefill_token_threshold;
  options.cache.enable_prefix_caching = settings.enable_prefix_caching;
  options.kv_budget.memory_bytes = int64_t{2} << 30;
  options.kv_budget.num_blocks = settings.num_blocks;
  Result<OpenedModel> opened = open_model(std::move(options));
  if (!opened) throw std::runtime_error(opened.error().message);
  return std::move(*opened);
}

Request make_request(std::vector<int32_t> prompt, int32_t max_tokens, float temperature, uint64_t seed) {
  static std::atomic<uint64_t> next_id{1};
  Request request;
  request.id = RequestId{next_id++};
  request.prompt = std::move(prompt);
  request.sampling.max_tokens = max_tokens;
  request.sampling.temperature = temperature;
  request.sampling.seed = seed;
  request.sampling.num_logprobs = 5;
  return request;
}

std::future<Output> start(Engine& engine, Request request) {
  auto promise = std::make_shared<std::promise<Output>>();
  auto output = std::make_shared<Output>();
  std::future<Output> future = promise->get_future();
  const Status accepted = engine.submit({std::move(request)}, [promise, output](TokenEvent event) {
    for (SampledToken& token : event.tokens) {
      output->tokens.push_back(token.token);
      output->logprobs.push_back(token.logprobs.value().logprob);
      output->best.push_back(std::move(token.logprobs->best));
    }
    if (!event.finish) return;
    output->finish = *event.finish;
    output->num_cached_tokens = event.num_cached_tokens;
    promise->set_value(std::move(*output));
  });
  if (!accepted) throw std::runtime_error(accepted.error().message);
  return future;
}

Output run(Engine& engine, Request request) { return start(engine, std::move(request)).get(); }

EngineStats stats_when_idle(const Engine& engine) {
  const TimePoint deadline = now() + std::chrono::seconds(1);
  EngineStats stats = engine.stats();
  while ((stats.num_running > 0 || stats.kv_cache_usage > 0) && now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    stats = engine.stats();
  }
  return stats;
}

std::vector<int32_t> sample_prompt(const Tokenizer& tokenizer, uint32_t seed, int32_t length) {
  static constexpr const char* kSentences[] = {
      "The history of the lighthouse begins with a fire on a hill.",
      "def add(a, b):\n    return a + b\n",
      "Water boils at a lower temperature in the mountains, because the air is thinner there.",
      "Who wrote the letter, and why was it never sent?",
      "1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89.",
      "El tren sale a las ocho y llega a Madrid antes de la cena.",
      "She counted the coins twice and put them back.",
  };
  std::mt19937 random(seed);
  std::vector<int32_t> ids = tokenizer.encode(std::to_string(seed) + ": ", false).value();  // no two share a block
  while (static_cast<int32_t>(ids.size()) < length) {
    const std::string sentence = std::string(kSentences[random() % std::size(kSentences)]) + " ";
    const auto more = tokenizer.encode(sentence, false).value();
    ids.insert(ids.end(), more.begin(), more.end());
  }
  ids.resize(length);
  return ids;
}

}  // namespace ingot::testing
