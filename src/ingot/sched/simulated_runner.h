// A runner without tensors, for tests. A page holds, at each position, a digest of all tokens up to it; the next token
// is a function of the digest read back from the page. So a wrong hit, a stale page or a lost token changes what comes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ingot/core/engine_config.h"
#include "ingot/core/kv_spec.h"
#include "ingot/core/step_plan.h"
#include "ingot/core/step_result.h"

namespace ingot {

constexpr uint64_t extend_digest(uint64_t digest, int32_t token) {
  uint64_t x = digest * 0x9e3779b97f4a7c15 + static_cast<uint64_t>(token) + 1;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  return x ^ (x >> 27);
}

// Checks every plan against what a device in order could do: reports test failures, never throws.
class SimulatedRunner {
 public:
  static constexpr int32_t kVocab = 40;

  SimulatedRunner(const CacheConfig& cache, std::vector<KvGroup> groups)
      : block_size_(cache.block_size),
        groups_(std::move(groups)),
        pages_(groups_.size(), std::vector<uint64_t>(static_cast<size_t>(cache.num_blocks) * cache.block_size)) {}

  static int32_t next_token(uint64_t digest) { return static_cast<int32_t>((digest >> 20) % kVocab); }

  void expect(RequestId request, std::vector<int32_t> prompt) {
    truth_[request] = {std::move(prompt), 0, false};
    truth_[request].num_prompt_tokens = static_cast<int32_t>(truth_[request].tokens.size());
  }

  // Runs a step at once; its result waits for collect(). A failing step leaves garbage where it should have written.
  void submit(const StepPlan& plan, bool fails) {
    for (const SlotStart& start : plan.starts) begin(start);
    touched_.emplace_back();
    StepResult result{plan.step, {}, {}, fails ? "simulated fault" : ""};
    for (const PlannedRow& row : plan.rows) run(row, fails, result);
    if (fails) result.tokens.clear();
    results_.push_back(std::move(result));
    check_conflicts();
  }

  size_t num_in_flight() const { return results_.size(); }

  StepResult collect() {
    StepResult result = std::move(results_.front());
    results_.pop_front();
    touched_.pop_front();
    return result;
  }

 private:
  struct Truth {
    std::vector<int32_t> tokens;
    int32_t num_prompt_tokens = 0;
    bool broken = false;  // a step of it failed: nothing is known of its pages any more
  };
  struct Slot {
    RequestId request{};
    std::vector<std::vector<BlockId>> tables;
  };
  struct Touch {
    RequestId request{};
    bool writes = false;
  };
  using Touches = std::multimap<std::pair<size_t, BlockId>, Touch>;  // by group and block

  void begin(const SlotStart& start) {
    slots_[start.slot] = {start.request, std::vector<std::vector<BlockId>>(groups_.size())};
  }

  uint64_t& page(size_t group, const Slot& slot, int32_t position) {
    const BlockId id = slot.tables[group].at(position / block_size_);
    EXPECT_NE(id, kNullBlock) << "position " << position;
    return pages_[group][index(id) * block_size_ + position % block_size_];
  }

  int32_t first_visible(size_t group, int32_t position) const {
    const KvSpec& spec = groups_[group].spec;
    return spec.kind == KvKind::kWindow ? std::max(0, position - spec.window + 1) : 0;
  }

  void run(const PlannedRow& row, bool fails, StepResult& result) {
    Slot& slot = slots_[row.slot];
    Truth& truth = truth_.at(row.request);
    EXPECT_EQ(slot.request, row.request) << "the slot is another request's";
    const auto num_known = static_cast<int32_t>(row.token_ids.size());
    EXPECT_TRUE(num_known == row.num_tokens || num_known == row.num_tokens - 1);
    ASSERT_EQ(row.new_blocks.size(), groups_.size());
    for (size_t g = 0; g < groups_.size(); ++g) {
      slot.tables[g].insert(slot.tables[g].end(), row.new_blocks[g].begin(), row.new_blocks[g].end());
      touch(g, slot, row);
    }
    truth.broken |= fails;
    const int32_t end = row.start + row.num_tokens;
    ASSERT_LE(end, static_cast<int32_t>(truth.tokens.size()));
    EXPECT_TRUE(std::equal(row.token_ids.begin(), row.token_ids.end(), truth.tokens.begin() + row.start) ||
                truth.broken);
    for (size_t g = 0; g < groups_.size(); ++g) write(g, slot, row, truth);
    EXPECT_EQ(row.samples, end == static_cast<int32_t>(truth.tokens.size()));
    if (!row.samples) return;
    EXPECT_EQ(row.output_index, end - truth.num_prompt_tokens);
    const int32_t token = next_token(page(0, slot, end - 1));
    truth.tokens.push_back(token);
    result.tokens.push_back({row.request, token, {}});
  }

  void write(size_t group, const Slot& slot, const PlannedRow& row, const Truth& truth) {
    uint64_t digest = 0;
    for (int32_t i = 0; i < row.start; ++i) {
      digest = extend_digest(digest, truth.tokens[i]);
      if (i >= first_visible(group, row.start) && !truth.broken) {
        EXPECT_EQ(page(group, slot, i), digest) << "stale or foreign content at position " << i;
      }
    }
    if (row.start > first_visible(group, row.start)) digest = page(group, slot, row.start - 1);
    for (int32_t i = row.start; i < row.start + row.num_tokens; ++i) {
      digest = extend_digest(digest, truth.tokens[i]);
      page(group, slot, i) = truth.broken ? ~digest : digest;
    }
  }

  void touch(size_t group, const Slot& slot, const PlannedRow& row) {
    const std::vector<BlockId>& table = slot.tables[group];
    const int32_t first_written = row.start / block_size_;
    const int32_t last = (row.start + row.num_tokens - 1) / block_size_;
    EXPECT_EQ(static_cast<int32_t>(table.size()), last + 1) << "the table is not as long as the sequence";
    for (int32_t i = first_visible(group, row.start) / block_size_; i <= last; ++i)
      touched_.back().insert({{group, table[i]}, {row.request, i >= first_written}});
  }

  // While steps are in flight, a block that one request writes is no other's.
  void check_conflicts() const {
    Touches all;
    for (const Touches& step : touched_) all.insert(step.begin(), step.end());
    for (const auto& [block, touch] : all) {
      if (!touch.writes) continue;
      const auto [first, last] = all.equal_range(block);
      for (auto other = first; other != last; ++other)
        EXPECT_EQ(other->second.request, touch.request) << "block " << index(block.second) << " is shared in flight";
    }
  }

  int32_t block_size_;
  std::vector<KvGroup> groups_;
  std::vector<std::vector<uint64_t>> pages_;  // by group: [block, offset]
  std::map<SlotId, Slot> slots_;
  std::map<RequestId, Truth> truth_;
  std::deque<Touches> touched_;  // by step in flight
  std::deque<StepResult> results_;
};

}  // namespace ingot
