// Flattens a plan into the ragged batch.
#include "ingot/runner/gather.h"

#include <algorithm>
#include <stdexcept>

#include "ingot/ops/sampling/row_ops.h"

namespace ingot {
namespace {

array ints(const std::vector<int32_t>& values) { return from_host(std::span<const int32_t>(values)); }
array floats(const std::vector<float>& values) { return from_host(std::span<const float>(values)); }

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
array gather_block_table(const StepPlan& plan, const Rows& rows, int group) {
  size_t width = 1;
  for (const PlannedRow& row : plan.rows) width = std::max(width, rows[row.slot].block_tables[group].size());
  std::vector<int32_t> table(plan.rows.size() * width, static_cast<int32_t>(kNullBlock));
  for (size_t r = 0; r < plan.rows.size(); ++r) {
    std::ranges::copy(rows[plan.rows[r].slot].block_tables[group], table.begin() + static_cast<ptrdiff_t>(r * width));
  }
  return array(table.data(), {static_cast<int>(plan.rows.size()), static_cast<int>(width)});
}

Step gather_step(const StepPlan& plan, const Rows& rows, Caches& caches, size_t num_groups) {
  std::vector<int32_t> positions, query_start{0}, context_len;
  for (const PlannedRow& row : plan.rows) {
    for (int32_t i = 0; i < row.num_tokens; ++i) positions.push_back(row.start + i);
    query_start.push_back(query_start.back() + row.num_tokens);
    context_len.push_back(row.start + row.num_tokens);
  }
  std::vector<array> tables;
  for (size_t group = 0; group < num_groups; ++group) {
    tables.push_back(gather_block_table(plan, rows, static_cast<int>(group)));
  }
  return {gather_ids(plan, caches),
          ints(positions),
          ints(query_start),
          ints(context_len),
          caches.begin(plan, std::move(tables)),
          {},
          {}};
}

// Columns of the sampling rows' parameters.
struct Columns {
  std::vector<float> temperature, top_p, min_p;
  std::vector<int32_t> top_k, output_index, slots, out_rows;
  std::vector<uint32_t> seed;

  void add(const PlannedRow& row, const SamplingParams& s, int32_t last_token) {
    temperature.push_back(s.temperature);
    top_p.push_back(s.top_p);
    min_p.push_back(s.min_p);
    top_k.push_back(s.top_k);
    output_index.push_back(row.output_index);
    slots.push_back(static_cast<int32_t>(row.slot));
    out_rows.push_back(last_token);
    seed.push_back(static_cast<uint32_t>(s.seed));
    seed.push_back(static_cast<uint32_t>(s.seed >> 32));
  }

  SampleParams params() const {
    const int num_rows = static_cast<int>(slots.size());
    return {floats(temperature), ints(top_k), floats(top_p), floats(min_p), array(seed.data(), {num_rows, 2}),
            ints(output_index)};
  }
};

}  // namespace

GatheredStep gather(const StepPlan& plan, const Rows& rows, Caches& caches, int vocab_size) {
  Columns columns;
  std::vector<SamplingRow> sampling;
  int32_t end = 0;
  for (const PlannedRow& row : plan.rows) {
    end += row.num_tokens;
    if (!row.samples) continue;
    const SamplingParams& params = rows[row.slot].sampling;
    columns.add(row, params, end - 1);
    int32_t num_logprobs = params.num_logprobs.value_or(-1);
    if (params.num_logprobs == -1) num_logprobs = vocab_size;
    sampling.push_back({row.request, num_logprobs});
  }
  const size_t num_groups = rows[plan.rows.front().slot].block_tables.size();
  Step step = gather_step(plan, rows, caches, num_groups);
  step.out_rows = ints(columns.out_rows);
  return {std::move(step), std::move(sampling), columns.params(), ints(columns.slots)};
}

}  // namespace ingot
