// Embedding returns exactly the table's rows.
#include "ingot/ops/embedding/embedding.h"

#include <gtest/gtest.h>

#include "ingot/ops/linear/packed_fixture.h"

namespace ingot {
namespace {

TEST(Embedding, ReturnsTheRowsOfEveryFormat) {
  std::vector<int32_t> ids;
  for (int i = 0; i < 70; ++i) ids.push_back(i * 29 % 41);
  for (WeightFormat format : kAllFormats) {
    for (int width : {32, 96, 576}) {
      const PackedWeight table = random_weight(format, 41, width);
      array got = embedding(from_host(ids), table), fallback = embedding_reference(from_host(ids), table);
      const auto rows = to_host<float>(got), expected = to_host<float>(fallback);
      ASSERT_EQ(rows.size(), ids.size() * width);
      for (size_t i = 0; i < rows.size(); ++i) {
        ASSERT_EQ(rows[i], float(weight_at(table, ids[i / width], i % width))) << format_name(format) << " " << i;
        ASSERT_EQ(rows[i], expected[i]) << format_name(format) << " " << i;
      }
    }
  }
}

TEST(Embedding, GivesZerosForAnIdOutsideTheTable) {
  const PackedWeight table = random_weight(WeightFormat::kQ8_0, 41, 64);
  array got = embedding(from_host(std::vector<int32_t>{-1, 41, 47, INT32_MIN, INT32_MAX}), table);
  for (float value : to_host<float>(got)) EXPECT_EQ(value, 0.0f);
}

TEST(Embedding, RefusesOtherShapes) {
  PackedWeight table = random_weight(WeightFormat::kQ8_0, 41, 64);
  EXPECT_THROW(embedding(mx::zeros({2, 2}, mx::int32), table), std::invalid_argument);
  EXPECT_THROW(embedding(mx::zeros({2}), table), std::invalid_argument);
  table.out_features = 50;
  EXPECT_THROW(embedding(mx::zeros({2}, mx::int32), table), std::invalid_argument);
}

}  // namespace
}  // namespace ingot
