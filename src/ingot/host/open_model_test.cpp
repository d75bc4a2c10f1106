// Folders of a tiny model through open_model to a running engine: heads, dtypes, dummy weights, and hostile files.
#include "ingot/host/open_model.h"

#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingot/checkpoint/testing/mutate.h"
#include "ingot/host/testing/tiny_folder.h"

namespace ingot {
namespace {

using ::testing::HasSubstr;
using Tokens = std::vector<int32_t>;

OpenOptions options_for(const std::filesystem::path& folder) {
  OpenOptions options;
  options.source.model = folder.string();
  options.scheduler.max_num_seqs = 2;
  options.scheduler.max_num_batched_tokens = 64;
  options.kv_budget.memory_bytes = 1 << 20;
  return options;
}

// Eight greedy tokens after a short prompt.
Tokens generate(Engine& engine) {
  Request request;
  request.id = RequestId{1};
  request.prompt = {5, 6, 7};
  request.sampling.max_tokens = 8;
  request.sampling.temperature = 0;
  std::promise<Tokens> done;
  Tokens tokens;
  const Status accepted = engine.submit({std::move(request)}, [&](TokenEvent event) {
    for (const SampledToken& token : event.tokens) tokens.push_back(token.token);
    if (event.finish) done.set_value(tokens);
  });
  if (!accepted) throw std::runtime_error(accepted.error().message);
  return done.get_future().get();
}

class OpenModel : public ::testing::Test {
 protected:
  OpenModel() : folder_(std::filesystem::path(::testing::TempDir()) / "ingot_open_model_test") {
    testing::write_tiny_model(folder_);
  }
  Tokens tokens_of(OpenOptions options) {
    const auto opened = open_model(std::move(options));
    if (!opened) throw std::runtime_error(opened.error().message);
    return generate(*opened->engine);
  }
  Tokens tokens() { return tokens_of(options_for(folder_.path())); }
  Error error_of(OpenOptions options) {
    const auto opened = open_model(std::move(options));
    return opened ? Error{ErrorCode::kInternal, "the model was taken", {}} : opened.error();
  }

  testing::TempFolder folder_;
};

TEST_F(OpenModel, users_82_every_pair_of_flag_and_head_loads) {
  const auto with = [&](bool tied, bool has_head) {
    boost::json::object config = boost::json::parse(testing::kTinyModelConfig).as_object();
    config["tie_word_embeddings"] = tied;
    folder_.write("config.json", boost::json::serialize(config));
    auto weights = testing::tiny_model_weights();
    if (has_head) weights.tensor("lm_head.weight", {400, 64}, testing::random_floats(400 * 64, 99));
    folder_.write("model.safetensors", weights.build());
    return tokens();
  };
  const Tokens tied = with(true, false);
  EXPECT_EQ(tied.size(), 8u);
  EXPECT_EQ(with(true, true), tied) << "a stray head is ignored";
  EXPECT_EQ(with(false, false), tied) << "the embeddings serve";
  EXPECT_NE(with(false, true), tied) << "the head is used";
}

TEST_F(OpenModel, MissingAndUnknownTensorsAreNamed) {
  auto weights = testing::tiny_model_weights();
  weights.tensor("model.layers.0.self_attn.q_proj.bias", {64}, std::vector<float>(64));
  folder_.write("model.safetensors", weights.build());
  EXPECT_THAT(error_of(options_for(folder_.path())).message,
              HasSubstr("does not read tensor 'model.layers.0.self_attn.q_proj.bias'"));
  folder_.write("model.safetensors", testing::tiny_safetensors().build());
  EXPECT_THAT(error_of(options_for(folder_.path())).message, HasSubstr("config: vocab_size is 400"));
  OpenOptions deeper = options_for(folder_.path());
  testing::write_tiny_model(folder_);
  deeper.source.hf_overrides = {{"num_hidden_layers", 2}};
  EXPECT_THAT(error_of(deeper).message, HasSubstr("tensor 'model.layers.1.input_layernorm.weight' is missing"));
}

TEST_F(OpenModel, DtypesAndOverridesReachTheModel) {
  OpenOptions options = options_for(folder_.path());
  options.source.dtype = WeightDtype::kFloat32;
  const Tokens exact = tokens_of(options);
  EXPECT_EQ(exact, tokens());
  for (const WeightDtype dtype : {WeightDtype::kFloat16, WeightDtype::kBfloat16}) {
    options.source.dtype = dtype;
    EXPECT_EQ(tokens_of(options).size(), 8u);
  }
  options.source.dtype = WeightDtype::kAuto;
  options.source.hf_overrides = {{"rope_theta", 2.0}};
  EXPECT_NE(tokens_of(options), exact);
}

TEST_F(OpenModel, DummyWeightsNeedTheConfigAlone) {
  std::filesystem::remove(folder_.path() / "model.safetensors");
  OpenOptions options = options_for(folder_.path());
  options.source.load_format = LoadFormat::kDummy;
  options.source.hf_overrides = {{"tie_word_embeddings", false}};  // a tied one repeats its last token
  const Tokens first = tokens_of(options);
  EXPECT_EQ(tokens_of(options), first);
  options.source.seed = 1;
  EXPECT_NE(tokens_of(options), first);
}

TEST_F(OpenModel, LengthIsTheModelsTheUsersOrTheMemorys) {
  OpenOptions options = options_for(folder_.path());
  EXPECT_EQ(open_model(options)->max_model_len, 256);
  options.source.max_model_len = 100;
  EXPECT_EQ(open_model(options)->max_model_len, 100);
  options.source.max_model_len = 257;
  EXPECT_THAT(error_of(options).message, HasSubstr("exceeds the model's 256 positions"));
  options.source.max_model_len.reset();
  options.kv_budget.num_blocks = 5;
  EXPECT_THAT(error_of(options).message, HasSubstr("--max-model-len"));
  options.source.fit_max_model_len = true;
  EXPECT_EQ(open_model(options)->max_model_len, 4 * 16);
}

// INGOT_MUTATIONS=10000 is the long run. Every round opens the whole model: a refusal with a message, or a model that
// answers.
TEST_F(OpenModel, MutatedFoldersAreRefusedOrServed) {
  const auto weights = testing::tiny_model_weights();
  const auto whole = weights.build();
  const std::string header = boost::json::serialize(testing::tiny_model_weights().header());
  const auto data = std::span(whole).subspan(8 + header.size());
  std::ostringstream tokenizer;
  tokenizer << std::ifstream(folder_.path() / "tokenizer.json").rdbuf();
  testing::Mutator mutate(4);
  int taken = 0, refused = 0;
  for (int round = 0; round < testing::mutation_rounds(60); ++round) {
    testing::write_tiny_model(folder_);
    switch (round % 5) {
      case 0:
        folder_.write("config.json", mutate.json(testing::kTinyModelConfig));
        break;
      case 1:
        folder_.write("model.safetensors", testing::safetensors_bytes(mutate.json(header), data));
        break;
      case 2:
        folder_.write("model.safetensors", mutate.bytes(whole, whole.size()));
        break;
      case 3:
        folder_.write("tokenizer.json", mutate.json(tokenizer.str()));
        break;
      default:
        folder_.write("generation_config.json", mutate.json(R"({"eos_token_id": [1, 2], "temperature": 0.5})"));
    }
    const auto opened = open_model(options_for(folder_.path()));
    if (!opened) {
      EXPECT_NE(opened.error().message, "");
      ++refused;
      continue;
    }
    EXPECT_LE(generate(*opened->engine).size(), 8u);
    ++taken;
    opened->engine->stop(std::chrono::milliseconds(0));
  }
  EXPECT_GT(taken, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace ingot
