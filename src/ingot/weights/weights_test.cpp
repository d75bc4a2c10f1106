// From a file to arrays. tests/golden/gguf holds a file by gguf-py and what transformers reads from it.
#include "ingot/weights/weights.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ingot/checkpoint/gguf/gguf_file.h"
#include "ingot/checkpoint/mapped_file.h"
#include "ingot/checkpoint/testing/gguf_builder.h"
#include "ingot/checkpoint/testing/safetensors_builder.h"
#include "ingot/weights/pack.h"
#include "ingot/weights/testing/unpack.h"

namespace ingot {
namespace {

using testing::GgufBuilder;
using ::testing::HasSubstr;
using testing::TempFile;
using testing::unpack;

const std::string kGolden = INGOT_SOURCE_DIR "/tests/golden/gguf/";

std::unique_ptr<Checkpoint> open(const std::filesystem::path& path) {
  auto checkpoint = open_checkpoint(path);
  if (!checkpoint) throw std::runtime_error(checkpoint.error().message);
  return std::move(*checkpoint);
}

std::unique_ptr<Checkpoint> open(const GgufBuilder& builder) {
  const TempFile file(std::filesystem::path(::testing::TempDir()) / "weights_test.gguf", builder.build());
  return open(file.path());  // the mapping outlives the name
}

Error error_of(const std::function<void()>& load) {
  try {
    load();
  } catch (const WeightError& e) {
    return e.error();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

// What transformers reads, by Hugging Face's names.
class Expected {
 public:
  Expected() : file_(gguf::parse(mapping_.bytes())) {}
  std::vector<float> operator[](const std::string& name) const {
    for (const Tensor& tensor : file_.tensors) {
      if (tensor.name != name) continue;
      std::vector<float> values(tensor.data.size() / sizeof(float));
      std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
      return values;
    }
    throw std::runtime_error("no " + name);
  }

 private:
  MappedFile mapping_ = MappedFile::open(kGolden + "tiny_llama_expected.gguf").value();
  gguf::GgufFile file_;
};

std::vector<float> floats(array a) {
  const auto values = to_host<float>(a);
  return {values.begin(), values.end()};
}

// Stored as F32, F16, BF16, Q4_0, Q4_1, Q8_0.
constexpr WeightFormat kFormats[] = {WeightFormat::kF32,  WeightFormat::kI16,  WeightFormat::kI16,
                                     WeightFormat::kQ4_0, WeightFormat::kQ4_1, WeightFormat::kQ8_0};

// The values of 16-bit floats as I16 keeps them: those within `exact` of the largest of their group are the same.
void expect_near_groups(const std::vector<float>& got, const std::vector<float>& want, float exact) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t group = 0; group < want.size(); group += kGroupSize) {
    float largest = 0;
    for (size_t i = group; i < group + kGroupSize; ++i) largest = std::max(largest, std::abs(want[i]));
    for (size_t i = group; i < group + kGroupSize; ++i)
      EXPECT_NEAR(got[i], want[i], std::abs(want[i]) * exact >= largest ? 0.0f : largest * 0x1p-13f) << i;
  }
}

TEST(Weights, users_85_every_type_as_transformers_reads_it) {
  const auto checkpoint = open(kGolden + "tiny_llama.gguf");
  const Expected expected;
  WeightSource source(*checkpoint);
  for (int layer = 0; layer < 6; ++layer) {
    const std::string scope = "model.layers." + std::to_string(layer);
    const Weights w = source.root().scope(scope);
    const PackedWeight qkv = w.scope("self_attn").linear({"q_proj.weight", "k_proj.weight", "v_proj.weight"});
    EXPECT_EQ(qkv.format, kFormats[layer]);
    EXPECT_EQ(qkv.out_features, 40);
    EXPECT_EQ(qkv.in_features, 96);
    std::vector<float> want;
    for (const char* name : {"q", "k", "v"}) {
      const std::vector<float> part = expected[scope + ".self_attn." + name + "_proj.weight"];
      want.insert(want.end(), part.begin(), part.end());
    }
    want.resize(48 * 96, 0.0f);  // the last panel's padding
    SCOPED_TRACE(layer);
    if (qkv.format == WeightFormat::kI16) {
      expect_near_groups(unpack(qkv, 48), want, layer == 1 ? 4 : 32);
    } else {
      EXPECT_EQ(unpack(qkv, 48), want);
    }
    EXPECT_EQ(floats(w.vector("input_layernorm.weight")), expected[scope + ".input_layernorm.weight"]);
  }
  EXPECT_EQ(unpack(source.root().linear({"model.embed_tokens.weight"}), 20), expected["model.embed_tokens.weight"]);
  EXPECT_EQ(floats(source.root().scope("model.norm").vector("weight")), expected["model.norm.weight"]);
  EXPECT_NO_THROW(source.finish({}));
}

TEST(Weights, ArraysOutliveEverythingAndStartOnCacheLines) {
  std::vector<PackedWeight> kept;
  std::vector<std::vector<float>> values;
  {
    const auto checkpoint = open(kGolden + "tiny_llama.gguf");
    WeightSource source(*checkpoint);
    for (int layer = 0; layer < 6; ++layer)
      for (const char* name : {".self_attn.q_proj.weight", ".self_attn.k_proj.weight"}) {
        kept.push_back(source.root().linear({"model.layers." + std::to_string(layer) + name}));
        values.push_back(unpack(kept.back(), kept.back().out_features));
      }
  }
  for (size_t i = 0; i < kept.size(); ++i) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(kept[i].data.data<uint8_t>()) % 64, 0u);
    EXPECT_EQ(kept[i].data.size(), size_t(kept[i].num_panels()) * kept[i].panel_bytes());
    EXPECT_EQ(unpack(kept[i], kept[i].out_features), values[i]);
  }
}

// What a row of 32 bf16 values is once packed as I16.
std::vector<float> packed_bf16(std::vector<float> values) {
  values.resize(kGroupSize);
  std::vector<std::byte> stored(2 * kGroupSize), panel(static_cast<size_t>(block_bytes(WeightFormat::kI16)));
  for (size_t i = 0; i < values.size(); ++i) {
    const auto half = static_cast<uint16_t>(std::bit_cast<uint32_t>(values[i]) >> 16);
    std::memcpy(&stored[2 * i], &half, sizeof(half));
  }
  pack_panel(std::array{StoredRow{stored.data(), ElementType::kBf16}}, WeightFormat::kI16, kGroupSize, panel.data());
  for (int i = 0; i < kGroupSize; ++i)
    values[i] = testing::unpack_element(reinterpret_cast<uint8_t*>(panel.data()), WeightFormat::kI16, 0, i);
  return values;
}

TEST(Weights, HalvesBecomeIntegersOverTheWholeRange) {
  for (const float unit : {1.0f, 0x1p-100f, 0x1p-114f, 0x1p119f}) {
    const std::vector<float> exact = {1.9921875f * unit, -unit, 0.0f, -0.0625f * unit, 0.0322265625f * unit};
    const std::vector<float> got = packed_bf16(exact);
    for (size_t i = 0; i < exact.size(); ++i) EXPECT_EQ(got[i], exact[i]) << unit;
  }
  EXPECT_EQ(packed_bf16({1.0f, 0x1p-13f})[1], 0.0f);  // half of the smallest code, to even
  EXPECT_EQ(packed_bf16({1.0f, 0x1.8p-13f})[1], 0x1p-12f);
  EXPECT_EQ(packed_bf16({}), std::vector<float>(kGroupSize));
  EXPECT_NEAR(packed_bf16({0x1p-126f})[0], 0x1p-126f, 0x1p-126f);  // too small for the grid: off by less than one step
  for (const float bad : {NAN, INFINITY, -INFINITY})
    for (const float value : packed_bf16({1.0f, bad})) EXPECT_TRUE(std::isnan(value));
}

// A matrix of one block a row, its 32 codes all `code`.
std::vector<std::byte> q8_0_rows(int rows, int8_t code) {
  std::vector<std::byte> bytes;
  for (int row = 0; row < rows; ++row) {
    bytes.insert(bytes.end(), {std::byte{0x00}, std::byte{0x3C}});  // d = 1
    bytes.insert(bytes.end(), 32, std::byte(code));
  }
  return bytes;
}

std::vector<std::byte> q4_rows(int rows, bool with_m, uint8_t codes) {
  std::vector<std::byte> bytes;
  for (int row = 0; row < rows; ++row) {
    bytes.insert(bytes.end(), {std::byte{0x00}, std::byte{0x38}});              // d = 0.5
    if (with_m) bytes.insert(bytes.end(), {std::byte{0x00}, std::byte{0x40}});  // m = 2
    bytes.insert(bytes.end(), 16, std::byte(codes));
  }
  return bytes;
}

TEST(Weights, MixedTypesShareAFormatThatHoldsBothExactly) {
  auto file = testing::tiny_llama();
  file.tensor("blk.0.ffn_gate.weight", 2, {32, 2}, q4_rows(2, false, 0xF0))
      .tensor("blk.0.ffn_up.weight", 8, {32, 1}, q8_0_rows(1, -3))
      .tensor("blk.0.ffn_down.weight", 3, {32, 1}, q4_rows(1, true, 0x11));
  const auto checkpoint = open(file);
  WeightSource source(*checkpoint);
  const Weights mlp = source.root().scope("model.layers.0.mlp");
  const PackedWeight both = mlp.linear({"gate_proj.weight", "up_proj.weight"});
  EXPECT_EQ(both.format, WeightFormat::kQ8_0);
  std::vector<float> want;
  for (int row = 0; row < 2; ++row) {
    want.insert(want.end(), 16, -4.0f);  // 0.5 · (0 − 8)
    want.insert(want.end(), 16, 3.5f);   // 0.5 · (15 − 8)
  }
  want.insert(want.end(), 32, -3.0f);
  EXPECT_EQ(unpack(both, 3), want);

  const Error error = error_of([&] { mlp.linear({"up_proj.weight", "down_proj.weight"}); });
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_THAT(error.message, HasSubstr("model.layers.0.mlp.down_proj.weight are Q8_0, Q4_1"));
}

TEST(Weights, NamesWhatIsMissingWrongOrForgotten) {
  auto file = testing::tiny_llama();
  file.tensor("blk.0.ffn_up.weight", {8, 4}, std::vector<float>(32))
      .tensor("blk.0.ffn_down.weight", {4, 8}, std::vector<float>(32))
      .tensor("blk.0.strange.weight", {4}, std::vector<float>(4));
  const auto checkpoint = open(file);
  WeightSource source(*checkpoint);
  const Weights w = source.root();
  EXPECT_TRUE(w.has("model.norm.weight"));
  EXPECT_FALSE(w.has("lm_head.weight"));
  EXPECT_EQ(error_of([&] { w.scope("lm_head").linear({"weight"}); }).message, "tensor 'lm_head.weight' is missing");
  EXPECT_THAT(error_of([&] { w.linear({"model.norm.weight"}); }).message, HasSubstr("[8], not a matrix"));
  EXPECT_THAT(error_of([&] { w.vector("model.embed_tokens.weight"); }).message, HasSubstr("not a row"));
  const Weights mlp = w.scope("model.layers.0.mlp");
  EXPECT_THAT(error_of([&] { mlp.linear({"up_proj.weight", "down_proj.weight"}); }).message,
              HasSubstr("take different inputs"));

  mlp.linear({"up_proj.weight"}), mlp.linear({"down_proj.weight"}), w.vector("model.norm.weight");
  EXPECT_EQ(error_of([&] { source.finish({}); }).message,
            "the model does not read tensor 'model.embed_tokens.weight' nor 1 others");
  w.linear({"model.embed_tokens.weight"});
  EXPECT_EQ(error_of([&] { source.finish({}); }).message, "the model does not read tensor 'blk.0.strange.weight'");
  const std::string_view ignored[] = {"blk.*.strange.*"};
  EXPECT_NO_THROW(source.finish(ignored));
}

TEST(Weights, RefusesRowsThatAreNoHeads) {
  auto file = testing::tiny_llama();
  file.tensor("blk.0.attn_q.weight", {8, 7}, std::vector<float>(56));
  const auto checkpoint = open(file);
  EXPECT_THAT(error_of([&] { WeightSource{*checkpoint}; }).message, HasSubstr("7 rows, not heads of 4"));
}

// A folder with one matrix and a scale in it.
class DtypeTest : public ::testing::Test {
 protected:
  DtypeTest() : folder_(std::filesystem::path(::testing::TempDir()) / "ingot_weights_dtype_test") {
    folder_.write("config.json", testing::kTinyConfig);
  }
  PackedWeight load(const std::vector<float>& values, WeightDtype dtype) {
    folder_.write("model.safetensors",
                  testing::SafetensorsBuilder().tensor("w.weight", {2, std::ssize(values) / 2}, values).build());
    const auto checkpoint = open(folder_.path());
    WeightSource source(*checkpoint, dtype);
    return source.root().scope("w").linear({"weight"});
  }
  testing::TempFolder folder_;
};

TEST(Weights, users_85_and_86_unread_types_matter_only_where_they_are_needed) {
  auto file = testing::tiny_llama();
  file.tensor("output.weight", 14, {256, 1}, std::vector<std::byte>(210));
  const auto checkpoint = open(file);
  WeightSource source(*checkpoint);
  EXPECT_THAT(error_of([&] { source.root().linear({"lm_head.weight"}); }).message,
              HasSubstr("tensor 'lm_head.weight' is Q6_K; only F32"));
  source.root().linear({"model.embed_tokens.weight"});
  source.root().vector("model.norm.weight");
  const std::string_view ignored[] = {"lm_head.weight"};
  EXPECT_NO_THROW(source.finish(ignored));
}

TEST_F(DtypeTest, PlainFloatsTakeTheDtypeThatWasAskedFor) {
  // Three inputs are no whole group, so the matrix stays in floats on every device.
  const float third = 1.0f / 3;
  const std::vector<float> values{1, third, -third, 65504, 1e-3f, 3};
  EXPECT_EQ(load(values, WeightDtype::kAuto).format, WeightFormat::kF32);
  EXPECT_EQ(load(values, WeightDtype::kFloat32).format, WeightFormat::kF32);
  const PackedWeight half = load(values, WeightDtype::kFloat16), brain = load(values, WeightDtype::kBfloat16);
  EXPECT_EQ(half.format, WeightFormat::kF16);
  EXPECT_EQ(brain.format, WeightFormat::kBf16);
  // By numpy.float16, and by hand for bfloat16 (1/3 = 0x3EAAAAAB → 0x3EAB, 65504 = 0x477FE000 → 0x4780).
  EXPECT_EQ(unpack(half, 2),
            (std::vector<float>{1, 0.333251953125f, -0.333251953125f, 65504, 0.001000404357910156f, 3}));
  EXPECT_EQ(unpack(brain, 2), (std::vector<float>{1, 0.333984375f, -0.333984375f, 65536, 0.00099945068359375f, 3}));
}

TEST_F(DtypeTest, NumbersTooLargeAreRefusedByName) {
  const std::vector<float> values{1, 70000, 3, 4};
  EXPECT_THAT(error_of([&] { load(values, WeightDtype::kFloat16); }).message,
              HasSubstr("'w.weight' holds numbers too large for F16"));
  EXPECT_EQ(unpack(load(values, WeightDtype::kBfloat16), 2).at(1), 70144);
  const std::vector<float> infinite{1, std::numeric_limits<float>::infinity(), std::nanf(""), 4};
  EXPECT_EQ(unpack(load(infinite, WeightDtype::kFloat16), 2).at(1), infinite[1]);
  EXPECT_TRUE(std::isnan(unpack(load(infinite, WeightDtype::kBfloat16), 2).at(2)));
}

TEST_F(DtypeTest, OtherTypesAreRefusedByNameUnlessIgnored) {
  const std::vector<std::byte> data(8);
  folder_.write("model.safetensors", testing::SafetensorsBuilder()
                                         .tensor("w.weight", "F8_E4M3", {2, 4}, data)
                                         .tensor("empty.weight", "F32", {0, 4}, {})
                                         .tensor("step", "I64", {}, data)
                                         .build());
  const auto checkpoint = open(folder_.path());
  WeightSource source(*checkpoint);
  EXPECT_THAT(error_of([&] { source.root().scope("w").linear({"weight"}); }).message,
              HasSubstr("tensor 'w.weight' is F8_E4M3"));
  EXPECT_THAT(error_of([&] { source.root().vector("step"); }).message, HasSubstr("tensor 'step' is I64"));
  EXPECT_THAT(error_of([&] { source.root().linear({"empty.weight"}); }).message, HasSubstr("not a matrix"));
  const std::vector<std::string_view> ignored{"w.*", "step", "empty.*"};
  EXPECT_NO_THROW(source.finish(ignored));
}

std::string digest_of(const GgufBuilder& file) {
  const auto checkpoint = open(file);
  WeightSource source(*checkpoint);
  source.root().linear({"model.embed_tokens.weight"});
  source.root().vector("model.norm.weight");
  source.finish({});
  return source.digest();
}

TEST(Weights, DigestFollowsContentAndNames) {
  const auto file = [](float changed, const char* name) {
    std::vector<float> values(64, 1.0f);
    values[63] = changed;
    auto builder = testing::tiny_llama_metadata();
    return builder.tensor(name, {8, 8}, values).tensor("output_norm.weight", {8}, std::vector<float>(8));
  };
  const std::string digest = digest_of(file(1.0f, "token_embd.weight"));
  EXPECT_EQ(digest.size(), 64u);
  EXPECT_EQ(digest_of(file(1.0f, "token_embd.weight")), digest);
  EXPECT_NE(digest_of(file(std::nextafter(1.0f, 2.0f), "token_embd.weight")), digest);
}

TEST(Weights, ReportsProgressToTheEnd) {
  const auto checkpoint = open(testing::tiny_llama());
  std::vector<uint64_t> read;
  uint64_t total = 0;
  WeightSource source(*checkpoint, WeightDtype::kAuto, [&](const LoadProgress& progress) {
    read.push_back(progress.bytes_read);
    total = progress.bytes_total;
  });
  source.root().linear({"model.embed_tokens.weight"});
  source.root().vector("model.norm.weight");
  source.root().vector("model.norm.weight");  // reading again is no progress
  EXPECT_EQ(read, (std::vector<uint64_t>{256, 288, 288}));
  EXPECT_EQ(total, 288u);
}

}  // namespace
}  // namespace ingot
