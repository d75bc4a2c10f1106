// A real engine on the default model for tests, as GGUF and as safetensors, and requests run on it to their end.
#pragma once

#include <future>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ingot/host/open_model.h"

namespace ingot::testing {

struct Settings {
  int32_t max_num_batched_tokens = 2048;
  int32_t max_num_seqs = 64;
  int32_t max_model_len = 2048;
  int32_t long_prefill_token_threshold = 0;
  int32_t num_blocks = 2048;
  bool enable_prefix_caching = true;
};

// The default model in the forms that it is served in, and the reference of each (a folder of tests/golden).
struct ModelForm {
  const char* name;  // of the tests' instances
  const char* golden;
  bool as_bf16_folder;  // false: the GGUF
};
inline constexpr ModelForm kGguf{"Gguf", "smollm2", false}, kBf16{"Bf16", "smollm2_bf16", true};
inline std::string name_of_form(const ::testing::TestParamInfo<ModelForm>& info) { return info.param.name; }
void PrintTo(const ModelForm& form, std::ostream* out);

// What opens it: `make model` and `make bf16-model` bring it.
std::string reference_of(const ModelForm& form);

// The model, opened. Fails the test with the reason when it is not there.
OpenedModel open_test_model(const ModelForm& form, const Settings& settings);

// What a request gave, comparable bit for bit.
struct Output {
  std::vector<int32_t> tokens;
  std::vector<float> logprobs;                               // of the sampled tokens
  std::vector<std::vector<std::pair<int32_t, float>>> best;  // the best five of each
  FinishReason finish{};
  int32_t num_cached_tokens = 0;
  bool operator==(const Output& other) const {
    return tokens == other.tokens && logprobs == other.logprobs && best == other.best && finish == other.finish;
  }
};

Request make_request(std::vector<int32_t> prompt, int32_t max_tokens, float temperature, uint64_t seed);
std::future<Output> start(Engine& engine, Request request);
Output run(Engine& engine, Request request);

// Once nothing runs, or after a second: the last step in flight ends shortly after its requests.
EngineStats stats_when_idle(const Engine& engine);

// Ids of real text from the tokenizer's own vocabulary, the same for the same arguments.
std::vector<int32_t> sample_prompt(const Tokenizer& tokenizer, uint32_t seed, int32_t length);

}  // namespace ingot::testing
