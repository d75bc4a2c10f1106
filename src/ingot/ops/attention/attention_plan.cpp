// Units of some 48 query rows; units too dear for an even share of the work are taken apart into their splits.
#include "ingot/ops/attention/attention_plan.h"

#include <algorithm>

#include "ingot/ops/attention/attention_kernels.h"

namespace ingot {
namespace {

constexpr int kTileRows = 48;        // their queries and outputs stay in the L1 cache while keys and values stream by
constexpr int kPiecesPerThread = 4;  // wanted, for balance

struct Cost {
  int64_t unit = 0;   // query rows × tokens in sight
  int64_t split = 0;  // the same of its longest split
};

Cost cost_of(const AttentionUnit& unit, int last_position, int first_seen, int group) {
  const int64_t rows = int64_t(unit.num_tokens) * group, seen = last_position + 1 - first_seen;
  return {rows * seen, rows * std::min<int64_t>(seen, cpu::kSplitTokens)};
}

}  // namespace

AttentionPlan plan_attention(std::span<const int32_t> query_start, std::span<const int32_t> context_len,
                             const AttentionShape& shape, int num_threads) {
  AttentionPlan plan;
  std::vector<Cost> costs;
  int64_t total = 0;
  const int group = shape.num_heads / shape.num_kv_heads, tile_tokens = std::max(1, kTileRows / group);
  for (int row = 0; row < int(context_len.size()); ++row) {
    const int position_of_token = context_len[row] - query_start[row + 1];  // of token 0, were it of this row
    for (int token = query_start[row]; token < query_start[row + 1]; token += tile_tokens) {
      const int num_tokens = std::min(tile_tokens, query_start[row + 1] - token);
      const int first = position_of_token + token, last = first + num_tokens - 1;
      const int seen = shape.window > 0 ? std::max(0, first - shape.window + 1) : 0;
      for (int head = 0; head < shape.num_kv_heads; ++head) {
        plan.units.push_back({row, head, token, num_tokens, seen / cpu::kSplitTokens, last / cpu::kSplitTokens + 1});
        costs.push_back(cost_of(plan.units.back(), last, seen, group));
        total += costs.back().unit;
      }
    }
  }

  const int64_t share = total / (int64_t(num_threads) * kPiecesPerThread);
  for (int u = 0; u < int(plan.units.size()); ++u) {
    AttentionUnit& unit = plan.units[u];
    const int splits = unit.end_split - unit.first_split;
    if (num_threads == 1 || splits == 1 || costs[u].unit <= share) {
      plan.pieces.push_back({u, -1});
      continue;
    }
    unit.partial = plan.num_partials;
    plan.num_partials += splits;
    for (int s = unit.first_split; s < unit.end_split; ++s) plan.pieces.push_back({u, s});
  }
  const auto cost = [&](const AttentionPiece& p) { return p.split < 0 ? costs[p.unit].unit : costs[p.unit].split; };
  std::ranges::stable_sort(plan.pieces, std::greater<>(), cost);
  return plan;
}

}  // namespace ingot
