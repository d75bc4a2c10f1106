// Frequencies and angles of every kind of scaling against transformers (tests/golden/rope/tables.json, made by
// tools/reference/make_rope_tables.py).
#include "ingot/models/rope_reader.h"

#include <cmath>
#include <fstream>
#include <sstream>

#include <boost/json.hpp>
#include <gtest/gtest.h>

#include "ingot/layers/rope.h"
#include "ingot/models/decoder_config.h"

namespace ingot {
namespace {

namespace json = boost::json;

using Row = std::vector<double>;

struct Case {
  std::string name;
  ModelConfig config;
  int max_model_len = 0;
  Row inv_freq;
  double scale = 0;
  std::vector<int32_t> positions;
  std::vector<Row> cos, sin;  // by position
};

std::vector<Case> golden_cases() {
  std::stringstream text;
  text << std::ifstream(INGOT_SOURCE_DIR "/tests/golden/rope/tables.json").rdbuf();
  std::vector<Case> cases;
  const json::value rows = json::parse(text.str());
  for (const json::value& row : rows.as_array()) {
    Case c{.name = json::value_to<std::string>(row.at("name")),
           .config = read_decoder_config(row.at("config").as_object()).value()};
    c.max_model_len =
        row.at("max_model_len").is_null() ? c.config.max_model_len : json::value_to<int>(row.at("max_model_len"));
    c.inv_freq = json::value_to<Row>(row.at("inv_freq"));
    c.scale = row.at("scale").to_number<double>();
    c.positions = json::value_to<std::vector<int32_t>>(row.at("positions"));
    c.cos = json::value_to<std::vector<Row>>(row.at("cos"));
    c.sin = json::value_to<std::vector<Row>>(row.at("sin"));
    cases.push_back(std::move(c));
  }
  return cases;
}

TEST(RopeReader, FrequenciesAreTransformers) {
  const std::vector<Case> cases = golden_cases();
  ASSERT_EQ(cases.size(), 18u);
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    ASSERT_EQ(c.config.ropes.size(), 1u);
    const std::vector<float>& inv_freq = c.config.ropes[0].frequencies(c.max_model_len);
    ASSERT_EQ(inv_freq.size(), c.inv_freq.size());
    // The reference computes in float32: some roundings of 6e-8, more where a ramp blends two frequencies.
    for (size_t i = 0; i < inv_freq.size(); ++i) EXPECT_NEAR(inv_freq[i] / c.inv_freq[i], 1.0, 1e-6) << "pair " << i;
    EXPECT_FLOAT_EQ(c.config.ropes[0].scale, static_cast<float>(c.scale));
  }
}

// users.md 90: cosines and sines at positions 0, 1, 4095, 4096 and 131071.
TEST(RopeReader, AnglesAreTransformersAtAnyPosition) {
  for (const Case& c : golden_cases()) {
    SCOPED_TRACE(c.name);
    const Rope rope(c.config.ropes[0], c.max_model_len);
    RopeTables tables = rope(from_host(std::span<const int32_t>(c.positions)));
    EXPECT_FALSE(tables.queries.has_value());
    const auto values = to_host<float>(tables.keys);
    const size_t half = c.inv_freq.size();
    ASSERT_EQ(values.size(), c.positions.size() * 2 * half);
    for (size_t p = 0; p < c.positions.size(); ++p) {
      for (size_t i = 0; i < half; ++i) {
        // An angle is as exact as its frequency: 1e-6 of a turn of thousands is some hundredths.
        const double tolerance = c.scale * (1e-6 + 1e-6 * c.positions[p] * c.inv_freq[i]);
        EXPECT_NEAR(values[2 * p * half + i], c.cos[p][i], tolerance) << c.positions[p] << ", pair " << i;
        EXPECT_NEAR(values[(2 * p + 1) * half + i], c.sin[p][i], tolerance) << c.positions[p] << ", pair " << i;
      }
    }
  }
}

TEST(RopeReader, LongropeGoesByTheServersLongestRequest) {
  for (const Case& c : golden_cases()) {
    if (!c.name.starts_with("longrope")) continue;
    const RopeConfig& rope = c.config.ropes[0];
    EXPECT_EQ(&rope.frequencies(4096), &rope.inv_freq);
    EXPECT_EQ(&rope.frequencies(4097), &rope.long_inv_freq);
    EXPECT_NE(rope.inv_freq, rope.long_inv_freq);
  }
}

TEST(RopeReader, DivisorsOfAGgufFile) {
  const json::object config = json::parse(R"({"rope_theta": 10000,
    "rope_scaling": {"rope_type": "factors", "factors": [1, 2, 4, 8]}})")
                                  .as_object();
  ConfigReader reader(config);
  const ReadRope read = read_rope(reader, "full_attention", {.head_dim = 8, .max_position_embeddings = 100});
  ASSERT_TRUE(reader.status());
  ASSERT_EQ(read.rope.inv_freq.size(), 4u);
  for (int i = 0; i < 4; ++i) EXPECT_FLOAT_EQ(read.rope.inv_freq[i], std::pow(10.0, -i) / (1 << i));
}

TEST(RopeReader, Ministral3sQueriesGrow) {
  const json::object config = json::parse(R"({"rope_parameters": {"rope_type": "yarn", "factor": 16, "rope_theta": 1e6,
    "original_max_position_embeddings": 512, "llama_4_scaling_beta": 0.1, "mscale": 1, "mscale_all_dim": 1}})")
                                  .as_object();
  ConfigReader reader(config);
  const RopeConfig c = read_rope(reader, "full_attention", {.head_dim = 8, .max_position_embeddings = 8192}).rope;
  ASSERT_TRUE(reader.status());
  EXPECT_EQ(c.scale, 1.0f);
  RopeTables tables = Rope(c, 8192)(from_host(std::vector<int32_t>{511, 512, 1536}));
  ASSERT_TRUE(tables.queries.has_value());
  const auto keys = to_host<float>(tables.keys), queries = to_host<float>(*tables.queries);
  for (size_t i = 0; i < keys.size(); ++i) {
    const double growth = 1 + 0.1 * std::log(1 + std::vector{0, 1, 3}[i / 8]);
    EXPECT_NEAR(queries[i], keys[i] * growth, 1e-6);
  }
}

}  // namespace
}  // namespace ingot
