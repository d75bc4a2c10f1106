// Every query's every split is worked on once, whatever the number of threads.
#include "ingot/ops/attention/attention_plan.h"

#include <map>
#include <tuple>

#include <gtest/gtest.h>

namespace ingot {
namespace {

TEST(AttentionPlan, CoversEachSplitOfEachQueryOnce) {
  const std::vector<int32_t> query_start = {0, 1, 101, 102, 102 + 700}, context_len = {9000, 100, 1, 1500};
  for (const int window : {0, 64, 1000}) {
    const AttentionShape shape{.num_heads = 9, .num_kv_heads = 3, .head_dim = 64, .scale = 1, .window = window};
    for (const int threads : {1, 2, 7, 64}) {
      const AttentionPlan plan = plan_attention(query_start, context_len, shape, threads);
      std::map<std::tuple<int, int, int>, int> seen;  // token, head, split
      for (const AttentionPiece& piece : plan.pieces) {
        const AttentionUnit& unit = plan.units[piece.unit];
        EXPECT_EQ(piece.split >= 0, unit.partial >= 0);
        EXPECT_LE(unit.partial < 0 ? 0 : unit.partial + unit.end_split - unit.first_split, plan.num_partials);
        EXPECT_GE(unit.first_token, query_start[unit.row]);
        EXPECT_LE(unit.first_token + unit.num_tokens, query_start[unit.row + 1]);
        for (int t = unit.first_token; t < unit.first_token + unit.num_tokens; ++t) {
          const int position = context_len[unit.row] - query_start[unit.row + 1] + t;
          const int first = window > 0 ? std::max(0, position - window + 1) : 0;
          EXPECT_LE(unit.first_split, first / 512);
          EXPECT_GE(unit.end_split, position / 512 + 1);
          for (int s = unit.first_split; s < unit.end_split; ++s)
            if (piece.split < 0 || piece.split == s) ++seen[{t, unit.kv_head, s}];
        }
      }
      for (const auto& [key, times] : seen) EXPECT_EQ(times, 1);
      for (int t = 0; t < query_start.back(); ++t)
        for (int head = 0; head < 3; ++head) EXPECT_TRUE(seen.lower_bound({t, head, 0}) != seen.end());
    }
  }
}

TEST(AttentionPlan, SharesOneLongRow) {
  const AttentionShape shape{.num_heads = 8, .num_kv_heads = 1, .head_dim = 64, .scale = 1, .window = 0};
  const std::vector<int32_t> query_start = {0, 1}, context_len = {8192};
  EXPECT_EQ(plan_attention(query_start, context_len, shape, 8).pieces.size(), 16u);
  EXPECT_EQ(plan_attention(query_start, context_len, shape, 1).pieces.size(), 1u);
}

}  // namespace
}  // namespace ingot
