// The default model beside its float32 reference (tests/golden): distributions of real text, greedy tokens.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <numeric>
#include <sstream>

#include "model_test_engine.h"
#include <boost/json.hpp>
#include <gtest/gtest.h>
#include <mlx/io.h>

#include "ingot/checkpoint/checkpoint.h"
#include "ingot/hub/resolve.h"
#include "ingot/models/registry.h"
#include "ingot/runner/gather.h"
#include "ingot/weights/weights.h"

namespace ingot {
namespace {

std::string golden_file(const testing::ModelForm& form, const char* name) {
  return std::string(INGOT_SOURCE_DIR "/tests/golden/") + form.golden + "/" + name;
}

// The model without engine or scheduler: logits of every position of a text.
class Model {
 public:
  explicit Model(const testing::ModelForm& form) {
    const auto checkpoint = open_checkpoint(resolve_model(testing::reference_of(form)).value()).value();
    const Architecture& architecture = *find_architecture(checkpoint->config()).value();
    const ModelConfig config = architecture.read_config(checkpoint->config()).value();
    WeightSource source(*checkpoint);
    model_ = architecture.make(config, source.root());
    source.finish(architecture.ignored);
    vocab_size_ = config.vocab_size;
  }

  int vocab_size() const { return vocab_size_; }

  std::vector<float> logits(const std::vector<int32_t>& ids) const {
    const auto groups = group_layers(model_->kv_spec());
    const auto length = static_cast<int32_t>(ids.size());
    const int num_blocks = length / 16 + 1;
    PlannedRow row;
    row.num_tokens = length;
    row.token_ids = ids;
    row.new_blocks.emplace_back();
    for (int block = 1; block <= num_blocks; ++block) row.new_blocks[0].push_back(BlockId{block});
    row.samples = true;
    StepPlan plan{.step = 1, .starts = {{}}, .rows = {std::move(row)}, .copies = {}};
    Rows rows(1, static_cast<int>(groups.size()));
    rows.apply(plan);
    Caches caches(groups, num_blocks + 1, 16, 1, length);
    Step step = gather_step(plan, rows, caches);
    array result = model_->logits(model_->hidden(step));
    const std::span<const float> values = to_host<float>(result);
    return {values.begin(), values.end()};
  }

 private:
  std::unique_ptr<CausalLm> model_;
  int vocab_size_ = 0;
};

double log_sum_exp(const float* logits, int count) {
  const double peak = *std::max_element(logits, logits + count);
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += std::exp(logits[i] - peak);
  return peak + std::log(sum);
}

// The reference's data, by tensor.
class Distributions {
 public:
  explicit Distributions(const testing::ModelForm& form)
      : tensors_(mx::load_safetensors(golden_file(form, "distributions.safetensors")).first) {}

  template <class T>
  std::span<const T> get(const std::string& name) {
    return to_host<T>(tensors_.at(name));
  }

  int width(const std::string& name) const { return tensors_.at(name).shape(1); }

 private:
  std::unordered_map<std::string, array> tensors_;
};

// The estimate of the folder's README: exact over the top tokens, unbiased over draws from the rest.
double divergence(Distributions& d, size_t position, const float* logits, int vocab_size) {
  const double normaliser = log_sum_exp(logits, vocab_size);
  const auto terms = [&](const std::string& kind, auto term) {
    const size_t width = d.width(kind + "_ids");
    const uint16_t* ids = d.get<uint16_t>(kind + "_ids").data() + position * width;
    const float* logprobs = d.get<float>(kind + "_logprobs").data() + position * width;
    double sum = 0;
    for (size_t i = 0; i < width; ++i) sum += term(logprobs[i], logits[ids[i]] - normaliser);
    return sum;
  };
  const double top = terms("top", [](double p, double q) { return std::exp(p) * (p - q) + std::exp(q) - std::exp(p); });
  const double draws = terms("draw", [](double p, double q) { return (p - q) + std::exp(q - p) - 1; });
  return top + d.get<float>("rest_mass")[position] / d.width("draw_ids") * draws;
}

class GoldenOfForms : public ::testing::TestWithParam<testing::ModelForm> {};

TEST_P(GoldenOfForms, users_91_distributions_of_real_text_are_close_to_float32) {
  const Model model(GetParam());
  Distributions d(GetParam());
  const std::span<const int32_t> tokens = d.get<int32_t>("tokens");
  const int vocab_size = model.vocab_size();
  double sum = 0, largest = 0;
  size_t position = 0;
  for (const int32_t length : d.get<int32_t>("lengths")) {
    const std::vector<float> logits = model.logits({tokens.begin() + position, tokens.begin() + position + length});
    for (int32_t i = 0; i < length; ++i, ++position) {
      const double kl = divergence(d, position, logits.data() + static_cast<size_t>(i) * vocab_size, vocab_size);
      sum += kl;
      largest = std::max(largest, kl);
    }
  }
  ASSERT_GE(position, 1800u);
  std::cout << "mean KL to float32 over " << position << " positions: " << sum / position << ", largest " << largest
            << "\n";
  EXPECT_LE(sum / position, 5e-4);
}

TEST(Golden, GreedyTokensFollowTheReference) {
  const Model model(testing::kGguf);
  std::stringstream text;
  text << std::ifstream(golden_file(testing::kGguf, "greedy.json")).rdbuf();
  const boost::json::array cases = boost::json::parse(text.str()).as_array();
  ASSERT_EQ(cases.size(), 20u);
  int num_steps = 0, num_other = 0, num_clear_other = 0;
  for (const boost::json::value& c : cases) {
    const auto prompt = boost::json::value_to<std::vector<int32_t>>(c.at("prompt_ids"));
    const auto output = boost::json::value_to<std::vector<int32_t>>(c.at("output_ids"));
    std::vector<int32_t> ids = prompt;
    ids.insert(ids.end(), output.begin(), output.end());
    const std::vector<float> logits = model.logits(ids);
    for (size_t i = 0; i < output.size(); ++i, ++num_steps) {
      const float* row = logits.data() + (prompt.size() - 1 + i) * model.vocab_size();
      const auto best = static_cast<int32_t>(std::max_element(row, row + model.vocab_size()) - row);
      if (best == output[i]) continue;
      ++num_other;
      const boost::json::array& two = c.at("best_two").at(i).as_array();
      if (two[1].to_number<double>() - two[3].to_number<double>() > 0.5) ++num_clear_other;
    }
  }
  std::cout << num_other << " of " << num_steps << " greedy tokens differ from float32\n";
  EXPECT_EQ(num_steps, 1280);
  EXPECT_EQ(num_clear_other, 0) << "another best token where the reference's two best are more than 0.5 apart";
  EXPECT_LE(num_other, 10);
}

INSTANTIATE_TEST_SUITE_P(Golden, GoldenOfForms, ::testing::Values(testing::kGguf, testing::kBf16),
                         testing::name_of_form);

}  // namespace
}  // namespace ingot
