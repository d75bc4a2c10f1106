// Flattens a plan into the ragged batch.
#include "ingot/runner/gather.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "ingot/ops/sampling/adjust_logits.h"
#include "ingot/ops/sampling/row_ops.h"

namespace ingot {
namespace {

array ints(const std::vector<int32_t>& values) { return from_host(std::span<const int32_t>(values)); }

// Input ids of the batch: the host's where it knows them, else taken on the device from the slot's last sampled token.
array gather_ids(const StepPlan& plan, const Caches& caches) {
  std::vector<int32_t> host_ids, slot_of_token;
  bool all_known = true;
  for (const PlannedRow& row : plan.rows) {
    const auto num_unread = row.num_tokens - static_cast<int32_t>(row.token_ids.size());
    if (num_unread < 0 || num_unread > 1) throw std::logic_error("a planned row has the wrong number of token ids");
    host_ids.insert(host_ids.end(), row.token_ids.begin(), row.token_ids.end());
    slot_of_token.insert(slot_of_token.end(), row.token_ids.size(), -1);
    if (num_unread == 0) continue;
    host_ids.push_back(0);
    slot_of_token.push_back(static_cast<int32_t>(row.slot));
    all_known = false;
  }
  if (all_known) return ints(host_ids);
  return step_ids(ints(host_ids), ints(slot_of_token), caches.last_sampled());
}

// Rows of different lengths, padded with the null block.
array gather_block_table(const StepPlan& plan, const Rows& rows, size_t group) {
  size_t width = 1;
  for (const PlannedRow& row : plan.rows) width = std::max(width, rows[row.slot].block_tables[group].size());
  std::vector<int32_t> table(plan.rows.size() * width, static_cast<int32_t>(kNullBlock));
  for (size_t r = 0; r < plan.rows.size(); ++r) {
    std::ranges::copy(rows[plan.rows[r].slot].block_tables[group], table.begin() + static_cast<ptrdiff_t>(r * width));
  }
  return array(table.data(), {static_cast<int>(plan.rows.size()), static_cast<int>(width)});
}

}  // namespace

Step gather_step(const StepPlan& plan, const Rows& rows, Caches& caches) {
  std::vector<int32_t> positions, query_start{0}, context_len;
  for (const PlannedRow& row : plan.rows) {
    for (int32_t i = 0; i < row.num_tokens; ++i) positions.push_back(row.start + i);
    query_start.push_back(query_start.back() + row.num_tokens);
    context_len.push_back(row.start + row.num_tokens);
  }
  std::vector<array> tables;
  const size_t num_groups = rows[plan.rows.front().slot].block_tables.size();
  for (size_t group = 0; group < num_groups; ++group) tables.push_back(gather_block_table(plan, rows, group));
  return {gather_ids(plan, caches),
          ints(positions),
          ints(query_start),
          ints(context_len),
          caches.begin(plan, std::move(tables)),
          {},
          {}};
}

array gather_history(const StepPlan& plan, const Rows& rows, const Caches& caches, const array& step_ids) {
  std::vector<int32_t> slots, positions, cached_ids, tokens;
  for (const SlotStart& start : plan.starts) {
    for (size_t i = 0; i < start.cached_ids.size(); ++i) {
      slots.push_back(static_cast<int32_t>(start.slot));
      positions.push_back(static_cast<int32_t>(i));
    }
    cached_ids.insert(cached_ids.end(), start.cached_ids.begin(), start.cached_ids.end());
  }
  int32_t token = 0;
  for (const PlannedRow& row : plan.rows) {
    for (int32_t i = 0; i < row.num_tokens; ++i, ++token) {
      if (!rows[row.slot].sampling->needs_history()) continue;
      slots.push_back(static_cast<int32_t>(row.slot));
      positions.push_back(row.start + i);
      tokens.push_back(token);
    }
  }
  if (slots.empty()) return caches.history();
  const array ids = mx::concatenate({ints(cached_ids), mx::take(step_ids, ints(tokens))});
  return record_tokens(caches.history(), ints(slots), ints(positions), ids);
}

}  // namespace ingot
