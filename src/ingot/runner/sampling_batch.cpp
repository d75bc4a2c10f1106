// Columns of parameters in, tokens out.
#include "ingot/runner/sampling_batch.h"

#include <algorithm>

namespace ingot {
namespace {

array ints(const std::vector<int32_t>& values) { return from_host(std::span<const int32_t>(values)); }
array floats(const std::vector<float>& values) { return from_host(std::span<const float>(values)); }

// −1 stands for all.
int32_t num_best(int32_t wanted, int vocab_size) { return wanted == -1 ? vocab_size : std::min(wanted, vocab_size); }

TokenLogprobs read_logprobs(TokenLogprobArrays& arrays, size_t row, int32_t count) {
  TokenLogprobs result{to_host<float>(arrays.logprob)[row], to_host<int32_t>(arrays.rank)[row], {}};
  const size_t width = arrays.top_ids.shape(1);
  const int32_t* ids = to_host<int32_t>(arrays.top_ids).data() + row * width;
  const float* logprobs = to_host<float>(arrays.top_logprobs).data() + row * width;
  for (size_t i = 0; i < std::min(width, static_cast<size_t>(count)); ++i)
    result.best.emplace_back(ids[i], logprobs[i]);
  return result;
}

void append(const TokenLogprobArrays& arrays, std::vector<array>& outputs) {
  outputs.insert(outputs.end(), {arrays.logprob, arrays.rank, arrays.top_ids, arrays.top_logprobs});
}

}  // namespace

SamplingBatch::SamplingBatch(const StepPlan& plan, const Rows& rows, const LogitsInfo& logits) {
  wishes_.mode = logits.mode;
  int32_t end = 0;
  for (const PlannedRow& row : plan.rows) {
    end += row.num_tokens;
    if (row.samples) add(row, rows[row.slot], end - 1, logits.vocab_size);
  }
}

void SamplingBatch::add(const PlannedRow& planned, const ingot::Row& slot, int32_t last_token, int vocab_size) {
  const SamplingParams& s = *slot.sampling;
  const auto row = static_cast<int32_t>(rows_.size());
  int32_t num_logprobs = s.num_logprobs ? num_best(*s.num_logprobs, vocab_size) : -1;
  if (!s.logprob_token_ids.empty()) num_logprobs = 0;
  rows_.push_back({planned.request, num_logprobs, slot.sampling});
  out_rows_.push_back(last_token);
  slots_.push_back(static_cast<int32_t>(planned.slot));
  num_tokens_.push_back(planned.start + planned.num_tokens);
  temperature_.push_back(s.temperature);
  top_p_.push_back(s.top_p);
  min_p_.push_back(s.min_p);
  top_k_.push_back(s.top_k);
  output_index_.push_back(planned.output_index);
  seed_.insert(seed_.end(), {static_cast<uint32_t>(s.seed), static_cast<uint32_t>(s.seed >> 32)});
  wishes_.most = std::max(wishes_.most, num_logprobs);
  wishes_.chosen_ids.insert(wishes_.chosen_ids.end(), s.logprob_token_ids.begin(), s.logprob_token_ids.end());
  wishes_.chosen_rows.resize(wishes_.chosen_ids.size(), row);
  if (s.adjusts(planned.output_index)) adjust(planned, slot);
}

// The newest row's wishes; rows before it that have none get an empty adjustment.
void SamplingBatch::adjust(const PlannedRow& planned, const ingot::Row& slot) {
  if (!adjustments_) adjustments_ = std::make_shared<LogitAdjustments>();
  adjustments_->rows.resize(rows_.size());
  const SamplingParams& s = *slot.sampling;
  LogitAdjustment& a = adjustments_->rows.back();
  a.repetition = s.repetition_penalty;
  a.frequency = s.frequency_penalty;
  a.presence = s.presence_penalty;
  a.allowed = s.allowed_token_ids;
  a.bad_words = s.bad_words;
  a.bias = s.logit_bias;
  a.num_prompt_tokens = slot.num_prompt_tokens;
  if (planned.output_index < s.min_tokens) a.banned = s.late_token_ids;
  adjusting_.push_back(slot.sampling);
}

SampleParams SamplingBatch::params() const {
  return {floats(temperature_),
          ints(top_k_),
          floats(top_p_),
          floats(min_p_),
          array(seed_.data(), {static_cast<int>(rows_.size()), 2}),
          ints(output_index_)};
}

array SamplingBatch::draw(const array& logits, const array& history, std::vector<array>& outputs) {
  array adjusted = logits;
  if (adjustments_) {
    adjustments_->rows.resize(rows_.size());
    adjustments_->keeps_alive = std::make_shared<decltype(adjusting_)>(std::move(adjusting_));
    adjusted = adjust_logits(logits, adjustments_, history, slots(), ints(num_tokens_));
  }
  sampled_ = sample(logits, adjusted, params(), wishes_);
  outputs.push_back(sampled_->token);
  if (sampled_->logprobs) append(*sampled_->logprobs, outputs);
  if (sampled_->chosen) outputs.push_back(*sampled_->chosen);
  return sampled_->token;
}

std::vector<SampledToken> SamplingBatch::read() {
  std::vector<SampledToken> tokens;
  tokens.reserve(rows_.size());
  for (size_t r = 0; r < rows_.size(); ++r) {
    SampledToken& token = tokens.emplace_back(SampledToken{rows_[r].request, to_host<int32_t>(sampled_->token)[r], {}});
    if (rows_[r].num_logprobs >= 0) token.logprobs = logprobs_of(r);
  }
  return tokens;
}

TokenLogprobs SamplingBatch::logprobs_of(size_t row) {
  TokenLogprobs result = read_logprobs(*sampled_->logprobs, row, rows_[row].num_logprobs);
  const auto [first, last] = std::ranges::equal_range(wishes_.chosen_rows, static_cast<int32_t>(row));
  for (auto i = first - wishes_.chosen_rows.begin(); i < last - wishes_.chosen_rows.begin(); ++i)
    result.best.emplace_back(wishes_.chosen_ids[i], to_host<float>(*sampled_->chosen)[i]);
  return result;
}

PromptBatch::PromptBatch(const StepPlan& plan, const Rows& rows, const LogitsInfo& logits) : mode_(logits.mode) {
  int32_t begin = 0;
  for (const PlannedRow& row : plan.rows) {
    if (!row.prompt_targets.empty()) {
      const int32_t wanted = num_best(rows[row.slot].sampling->num_prompt_logprobs.value(), logits.vocab_size);
      rows_.push_back({row.request, row.start + 1, row.prompt_targets.size(), wanted});
      num_logprobs_ = std::max(num_logprobs_, wanted);
      for (size_t i = 0; i < row.prompt_targets.size(); ++i) out_rows_.push_back(begin + static_cast<int32_t>(i));
      targets_.insert(targets_.end(), row.prompt_targets.begin(), row.prompt_targets.end());
    }
    begin += row.num_tokens;
  }
}

void PromptBatch::score(const array& logits, std::vector<array>& outputs) {
  logprobs_ = score_prompt(logits, ints(targets_), num_logprobs_, mode_);
  append(*logprobs_, outputs);
}

std::vector<PromptLogprobs> PromptBatch::read() {
  std::vector<PromptLogprobs> all;
  size_t at = 0;
  for (const Row& row : rows_) {
    PromptLogprobs& result = all.emplace_back(PromptLogprobs{row.request, row.first, {}});
    for (size_t i = 0; i < row.count; ++i) result.tokens.push_back(read_logprobs(*logprobs_, at++, row.num_logprobs));
  }
  return all;
}

}  // namespace ingot
