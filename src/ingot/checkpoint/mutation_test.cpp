// Mutated files, half of them in headers and structure: each is taken or refused with a message that names its file.
// INGOT_MUTATIONS=10000 is the long run, under the sanitizers.
#include <gtest/gtest.h>

#include "ingot/checkpoint/checkpoint.h"
#include "ingot/checkpoint/testing/gguf_builder.h"
#include "ingot/checkpoint/testing/mutate.h"
#include "ingot/checkpoint/testing/safetensors_builder.h"

namespace ingot {
namespace {

using testing::Mutator;
using testing::TempFolder;

constexpr int kRounds = 200;

struct Tally {
  int taken = 0, refused = 0;
};

// Opens the path and reads everything that a load reads.
void load(const std::filesystem::path& path, Tally& tally, LoadFormat format = LoadFormat::kAuto) {
  const auto checkpoint = open_checkpoint(path, {.format = format});
  if (!checkpoint) {
    EXPECT_TRUE(checkpoint.error().message.starts_with(path.string())) << checkpoint.error().message;
    EXPECT_LT(checkpoint.error().message.size(), 5000u);
    ++tally.refused;
    return;
  }
  unsigned sum = 0;
  for (const Tensor& tensor : (*checkpoint)->tensors())
    for (const std::byte byte : tensor.data) sum += std::to_integer<unsigned>(byte);
  for (const NamedTemplate& t : (*checkpoint)->chat_templates()) sum += static_cast<unsigned>(t.text.size());
  const auto tokenizer = (*checkpoint)->tokenizer_json();
  EXPECT_TRUE(tokenizer || !tokenizer.error().message.empty());
  ++(sum + (*checkpoint)->config().size() > 0 ? tally.taken : tally.refused);
}

TempFolder folder_of(const char* name) { return TempFolder(std::filesystem::path(::testing::TempDir()) / name); }

TEST(Mutations, Gguf) {
  const TempFolder folder = folder_of("ingot_mutated_gguf");
  const auto builder = testing::tiny_llama();
  const auto whole = builder.build();
  Mutator mutate(1);
  Tally tally;
  for (int round = 0; round < testing::mutation_rounds(kRounds); ++round) {
    folder.write("m.gguf", mutate.bytes(whole, round % 2 ? whole.size() : builder.header_bytes()));
    load(folder.path() / "m.gguf", tally);
  }
  EXPECT_GT(tally.taken, 0);
  EXPECT_GT(tally.refused, 0);
}

TEST(Mutations, Safetensors) {
  const TempFolder folder = folder_of("ingot_mutated_safetensors");
  folder.write("config.json", testing::kTinyConfig);
  auto builder = testing::tiny_safetensors();
  builder.header()["__metadata__"] = {{"format", "pt"}};
  const auto whole = builder.build();
  const std::string header = boost::json::serialize(builder.header());
  const auto data = std::span(whole).subspan(8 + header.size());
  Mutator mutate(2);
  Tally tally;
  for (int round = 0; round < testing::mutation_rounds(kRounds); ++round) {
    switch (round % 4) {
      case 0:
        folder.write("model.safetensors", testing::safetensors_bytes(mutate.json(header), data));
        break;
      case 1:
        folder.write("model.safetensors", testing::safetensors_bytes(mutate.text(header), data));
        break;
      case 2:
        folder.write("model.safetensors", mutate.bytes(whole, 16));
        break;
      default:
        folder.write("model.safetensors", mutate.bytes(whole, whole.size()));
    }
    load(folder.path(), tally);
  }
  EXPECT_GT(tally.taken, 0);
  EXPECT_GT(tally.refused, 0);
}

TEST(Mutations, FilesBesideTheWeights) {
  const std::pair<const char*, std::string_view> files[] = {
      {"config.json", testing::kTinyConfig},
      {"generation_config.json", R"({"eos_token_id": [0, 1], "temperature": 0.6, "top_p": 0.9})"},
      {"tokenizer_config.json", R"({"bos_token": {"content": "<s>"}, "eos_token": "</s>", "added_tokens_decoder":
          {"0": {"content": "<s>", "special": true}}, "chat_template": [{"name": "default", "template": "{{ x }}"},
          {"name": "tool_use", "template": "{% if tools %}{% endif %}"}]})"},
      {"special_tokens_map.json", R"({"unk_token": {"content": "<unk>"}, "additional_special_tokens": ["<a>"]})"},
      {"chat_template.json", R"({"chat_template": "{{ messages }}"})"},
      {"model.safetensors.index.json",
       R"({"metadata": {"total_size": 288}, "weight_map": {"model.embed_tokens.weight": "a.safetensors",
           "model.norm.weight": "b.safetensors"}})"},
  };
  const TempFolder folder = folder_of("ingot_mutated_files");
  folder.write(
      "a.safetensors",
      testing::SafetensorsBuilder().tensor("model.embed_tokens.weight", {8, 8}, std::vector<float>(64)).build());
  folder.write("b.safetensors",
               testing::SafetensorsBuilder().tensor("model.norm.weight", {8}, std::vector<float>(8)).build());
  for (const auto& [name, text] : files) folder.write(name, text);
  Mutator mutate(3);
  Tally tally;
  for (int round = 0; round < testing::mutation_rounds(kRounds); ++round) {
    const auto& [name, text] = files[static_cast<size_t>(round) % std::size(files)];
    folder.write(name, mutate.below(2) ? mutate.json(text) : mutate.text(std::string(text)));
    load(folder.path(), tally);
    if (round % 3 == 0) load(folder.path(), tally, LoadFormat::kDummy);
    folder.write(name, text);
  }
  EXPECT_GT(tally.taken, 0);
  EXPECT_GT(tally.refused, 0);
}

}  // namespace
}  // namespace ingot
