// Every decoder family beside transformers in float32, on tiny checkpoints with random weights (tests/golden/families).
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <sstream>

#include "family_model.h"
#include <boost/json.hpp>
#include <gtest/gtest.h>
#include <mlx/io.h>

#include "ingot/weights/weight_error.h"

namespace ingot::testing {
namespace {

namespace json = boost::json;

struct Case {
  std::string name, checkpoint;
  json::object changes;
  int prompt_length = 0, max_model_len = 0;
  double rounding = 0;  // mean KL that a bfloat16 cache costs the reference
  json::value without;  // changes that take the case's trait away; null: it has none

  // Products of 16-bit weights take inputs of 14 bits: 16 times finer than bfloat16, with room for other roundings.
  double allowed() const { return 1.5 * rounding + 1e-6; }
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = [] {
    std::stringstream text;
    text << std::ifstream(INGOT_SOURCE_DIR "/tests/golden/families/cases.json").rdbuf();
    std::vector<Case> read;
    const json::value rows = json::parse(text.str());
    for (const json::value& row : rows.as_array()) {
      const json::value& limit = row.at("max_model_len");
      read.push_back({json::value_to<std::string>(row.at("name")), json::value_to<std::string>(row.at("checkpoint")),
                      row.at("changes").as_object(), json::value_to<int>(row.at("prompt_length")),
                      limit.is_null() ? 0 : json::value_to<int>(limit), row.at("rounding").to_number<double>(),
                      row.at("without")});
    }
    return read;
  }();
  return all;
}

const Case& find_case(std::string_view name) { return *std::ranges::find(cases(), name, &Case::name); }

class Expected {
 public:
  explicit Expected(const Case& c) : name_(c.name) {
    static const auto tensors =
        mx::load_safetensors(INGOT_SOURCE_DIR "/tests/golden/families/expected.safetensors").first;
    tokens = read<int32_t>(tensors.at(name_ + ".tokens"));
    positions = read<int32_t>(tensors.at(name_ + ".positions"));
    logprobs = read<float>(tensors.at(name_ + ".logprobs"));
  }

  // Mean over the positions of KL(reference ‖ softmax of logits).
  double divergence(const std::vector<float>& logits) const {
    const size_t vocab = logprobs.size() / positions.size();
    double sum = 0;
    for (size_t i = 0; i < positions.size(); ++i) {
      const float* row = logits.data() + positions[i] * vocab;
      const double peak = *std::max_element(row, row + vocab);
      double mass = 0;
      for (size_t v = 0; v < vocab; ++v) mass += std::exp(row[v] - peak);
      for (size_t v = 0; v < vocab; ++v) {
        const double p = logprobs[i * vocab + v];
        sum += std::exp(p) * (p - (row[v] - peak - std::log(mass)));
      }
    }
    return sum / static_cast<double>(positions.size());
  }

  std::vector<int32_t> tokens, positions;
  std::vector<float> logprobs;

 private:
  template <class T>
  static std::vector<T> read(array tensor) {
    const auto values = to_host<T>(tensor);
    return {values.begin(), values.end()};
  }

  std::string name_;
};

FamilyModel model_of(const Case& c) { return FamilyModel(*open_family(c.checkpoint, c.changes), c.max_model_len); }

TEST(Families, DistributionsAndGreedyTokensAreTransformers) {
  ASSERT_GE(cases().size(), 20u);
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name);
    const Expected expected(c);
    const FamilyModel model = model_of(c);
    const std::vector<float> logits = model.logits(expected.tokens);
    const double divergence = expected.divergence(logits);
    std::cout << c.name << ": mean KL to float32 " << divergence << ", by rounding " << c.rounding << "\n";
    EXPECT_LE(divergence, c.allowed());
    for (size_t i = c.prompt_length; i < expected.tokens.size(); ++i) {
      const float* row = logits.data() + (i - 1) * model.vocab_size();
      EXPECT_EQ(std::max_element(row, row + model.vocab_size()) - row, expected.tokens[i]) << "token " << i;
    }
  }
}

TEST(Families, TheGoldensSeeWhatTheirCasesAreAbout) {
  int num_seen = 0;
  for (const Case& c : cases()) {
    if (c.without.is_null()) continue;
    SCOPED_TRACE(c.name);
    const FamilyModel other(*open_family(c.checkpoint, c.without.as_object()), c.max_model_len);
    const Expected expected(c);
    EXPECT_GT(expected.divergence(other.logits(expected.tokens)), 100 * c.allowed());
    ++num_seen;
  }
  EXPECT_GE(num_seen, 15);
}

// users.md 89: a query sees itself and w − 1 keys. The goldens hold positions w − 2 … w + 1 and 2w − 2 … 2w + 1.
TEST(Families, User89WindowsAreTheSameChunkedAndDecoded) {
  for (const char* name : {"mistral", "mistral_long_window", "qwen2_sliding", "qwen3_sliding"}) {
    SCOPED_TRACE(name);
    const Case& c = find_case(name);
    const Expected expected(c);
    const FamilyModel model = model_of(c);
    const int window = std::ranges::max(model.config().layers, {}, &LayerConfig::window).window;
    ASSERT_GT(window, 0);
    for (const int border : {window - 1, window, window + 1, 2 * window})
      EXPECT_TRUE(std::ranges::count(expected.positions, border - 1) == 1 ||
                  border >= static_cast<int>(expected.tokens.size()))
          << border << " tokens";
    const std::vector<float> whole = model.logits(expected.tokens);
    for (const int chunk : {1, 7, 16, window}) {
      if (chunk == 1 && expected.tokens.size() > 500) continue;
      EXPECT_TRUE(model.logits(expected.tokens, chunk) == whole) << "chunks of " << chunk;
    }
  }
}

// A checkpoint whose head is not there.
class Headless final : public Checkpoint {
 public:
  explicit Headless(std::shared_ptr<const Checkpoint> inner) : inner_(std::move(inner)) {
    for (const Tensor& tensor : inner_->tensors())
      if (tensor.name != "lm_head.weight") tensors_.push_back(tensor);
  }
  std::span<const Tensor> tensors() const override { return tensors_; }
  const Tensor* find(std::string_view name) const override {
    return name == "lm_head.weight" ? nullptr : inner_->find(name);
  }
  std::string_view gguf_architecture() const override { return inner_->gguf_architecture(); }
  const json::object& config() const override { return inner_->config(); }
  const json::object& generation_config() const override { return inner_->generation_config(); }
  const json::object& tokenizer_config() const override { return inner_->tokenizer_config(); }
  std::span<const NamedTemplate> chat_templates() const override { return inner_->chat_templates(); }
  Result<std::string> tokenizer_json() const override { return inner_->tokenizer_json(); }
  void drop_pages(const Tensor& tensor) const override { inner_->drop_pages(tensor); }

 private:
  std::shared_ptr<const Checkpoint> inner_;
  std::vector<Tensor> tensors_;
};

// users.md 82: tied + present ignores the head, untied + absent serves the embeddings; the goldens hold the two
// consistent forms (llama: untied + present, qwen3: tied + absent).
TEST(Families, User82HeadsTiedOrNotPresentOrNot) {
  const Case& tied = find_case("llama_tied_stray_head");
  const Expected expected(tied);
  ASSERT_NE(open_family("llama")->find("lm_head.weight"), nullptr);
  ASSERT_EQ(open_family("qwen3")->find("lm_head.weight"), nullptr);
  const std::vector<float> stray = model_of(tied).logits(expected.tokens);
  EXPECT_LE(expected.divergence(stray), tied.allowed());
  const std::vector<float> absent = FamilyModel(Headless(open_family("llama"))).logits(expected.tokens);
  EXPECT_TRUE(absent == stray);
  EXPECT_GT(expected.divergence(FamilyModel(*open_family("llama")).logits(expected.tokens)), 0.1);
}

TEST(Families, AMissingTensorIsNamed) {
  try {
    FamilyModel(*open_family("llama", {{"attention_bias", true}}));
    FAIL() << "the checkpoint has no biases";
  } catch (const WeightError& e) {
    EXPECT_NE(e.error().message.find("self_attn.q_proj.bias"), std::string::npos) << e.error().message;
  }
  try {
    FamilyModel(*open_family("llama_bias", {{"mlp_bias", false}}));
    FAIL() << "the checkpoint's biases would be forgotten";
  } catch (const WeightError& e) {
    EXPECT_NE(e.error().message.find(".mlp."), std::string::npos) << e.error().message;
  }
}

}  // namespace
}  // namespace ingot::testing
