// Beams share their common tokens as a tree of nodes.
#include "ingot/serve/beam_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ingot::serve {

BeamSearch::BeamSearch(Request request, BeamOptions options)
    : request_(std::move(request)), options_(std::move(options)), round_(1) {}

void BeamSearch::append_round(std::vector<Request>& requests) const {
  if (num_rounds_ == options_.max_tokens || aborted_) return;
  for (const Path& path : live_) {
    Request request = request_;
    const size_t end = request.prompt.size() + static_cast<size_t>(path.length);
    request.prompt.resize(end);
    size_t at = end;
    for (int32_t node = path.node; node != kRoot; node = nodes_[node].parent) {
      request.prompt[--at] = nodes_[node].token.token;
    }
    requests.push_back(std::move(request));
  }
}

void BeamSearch::add(size_t beam, const TokenEvent& event) {
  if (!event.tokens.empty()) {
    round_[beam] = event.tokens.front().logprobs.value_or(TokenLogprobs{});
  } else if (event.finish == FinishReason::kAbort) {
    aborted_ = true;
  }
}

void BeamSearch::end_round() {
  if (aborted_) return;  // an incomplete round chooses nothing: the beams stay as they were
  ++num_rounds_;
  std::vector<Candidate> candidates;
  for (size_t beam = 0; beam < live_.size(); ++beam) {
    const auto& best = round_[beam].best;
    const size_t most = std::min(best.size(), 2 * static_cast<size_t>(options_.width));
    for (size_t i = 0; i < most; ++i) {
      const auto [token, logprob] = best[i];
      const auto rank = static_cast<int32_t>(i) + 1;
      const double sum = live_[beam].cum_logprob + logprob;
      if (options_.ignore_eos || !is_eos(token)) {
        candidates.push_back({beam, token, rank, sum});
        continue;
      }
      Path path = live_[beam];
      if (options_.keeps_eos) path.node = append(path.node, beam, token, rank);
      path.cum_logprob = sum;
      path.eos = token;
      finished_.push_back(path);
    }
  }
  std::ranges::stable_sort(candidates, std::greater(), &Candidate::cum_logprob);
  candidates.resize(std::min(candidates.size(), static_cast<size_t>(options_.width)));
  std::vector<Path> next;
  for (const Candidate& c : candidates) {
    const Path& parent = live_[c.beam];
    next.push_back({append(parent.node, c.beam, c.token, c.rank), parent.length + 1, c.cum_logprob, {}});
  }
  live_ = std::move(next);
  round_.assign(live_.size(), {});
}

std::vector<Beam> BeamSearch::best() const {
  std::vector<Path> paths = finished_;
  paths.insert(paths.end(), live_.begin(), live_.end());
  std::ranges::stable_sort(paths, std::greater(), [this](const Path& path) { return score(path); });
  paths.resize(std::min(paths.size(), static_cast<size_t>(options_.width)));
  std::vector<Beam> beams;
  for (const Path& path : paths)
    beams.push_back(beam_of(path, aborted_ ? FinishReason::kAbort : FinishReason::kLength));
  return beams;
}

bool BeamSearch::is_eos(int32_t token) const {
  return std::ranges::find(options_.eos_token_ids, token) != options_.eos_token_ids.end();
}

int32_t BeamSearch::append(int32_t parent, size_t beam, int32_t token, int32_t rank) {
  Node node{parent, {.request = {}, .token = token, .logprobs = {}}};
  if (options_.num_logprobs) {
    const auto& best = round_[beam].best;
    const auto all = static_cast<int32_t>(best.size());
    const int32_t kept = *options_.num_logprobs < 0 ? all : std::min(*options_.num_logprobs, all);
    node.token.logprobs = {.logprob = best[rank - 1].second, .rank = rank, .best = {best.begin(), best.begin() + kept}};
  }
  nodes_.push_back(std::move(node));
  return static_cast<int32_t>(nodes_.size()) - 1;
}

double BeamSearch::score(const Path& path) const {
  auto length = static_cast<int64_t>(request_.prompt.size()) + path.length;
  const int32_t last = path.length == 0 ? request_.prompt.back() : nodes_[path.node].token.token;
  if (!path.eos && is_eos(last)) --length;
  return path.cum_logprob / std::pow(static_cast<double>(std::max<int64_t>(length, 1)), options_.length_penalty);
}

Beam BeamSearch::beam_of(const Path& path, FinishReason live_reason) const {
  Beam beam{.tokens = {}, .cum_logprob = path.cum_logprob, .finish = live_reason, .stop_token_id = path.eos};
  if (path.eos) beam.finish = FinishReason::kStop;
  for (int32_t node = path.node; node != kRoot; node = nodes_[node].parent) beam.tokens.push_back(nodes_[node].token);
  std::ranges::reverse(beam.tokens);
  return beam;
}

}  // namespace ingot::serve
