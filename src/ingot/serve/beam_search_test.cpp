// Beam search against an exhaustive one on a made-up language, and its ends.
#include "ingot/serve/beam_search.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace ingot::serve {
namespace {

constexpr int32_t kVocab = 4, kEos = 3;

// Log probabilities of the next token, by the whole sequence; no two sequences score alike.
std::vector<double> next_logprobs(const std::vector<int32_t>& ids) {
  uint64_t hash = 1469598103934665603u;
  for (const int32_t id : ids) hash = (hash ^ static_cast<uint64_t>(id + 1)) * 1099511628211u;
  std::vector<double> out;
  double sum = 0;
  for (int32_t token = 0; token < kVocab; ++token) {
    hash = hash * 6364136223846793005u + 1442695040888963407u;
    out.push_back(static_cast<double>(hash >> 40) / (1 << 24) * 3);
    sum += std::exp(out.back());
  }
  for (double& logit : out) logit -= std::log(sum);
  return out;
}

TokenEvent answer(const Request& request) {
  const std::vector<double> logprobs = next_logprobs(request.prompt);
  TokenLogprobs all;
  for (int32_t token = 0; token < kVocab; ++token) all.best.emplace_back(token, static_cast<float>(logprobs[token]));
  std::ranges::sort(all.best, std::greater(), &std::pair<int32_t, float>::second);
  TokenEvent event;
  event.tokens.push_back({.request = request.id, .token = all.best.front().first, .logprobs = all});
  event.finish = FinishReason::kLength;
  return event;
}

Request prompt() {
  Request request;
  request.prompt = {0, 1};
  return request;
}

std::vector<Beam> search(const BeamOptions& options) {
  BeamSearch beams(prompt(), options);
  for (;;) {
    std::vector<Request> round;
    beams.append_round(round);
    if (round.empty()) return beams.best();
    for (size_t i = 0; i < round.size(); ++i) beams.add(i, answer(round[i]));
    beams.end_round();
  }
}

struct Scored {
  std::vector<int32_t> tokens;
  bool finished;
  double cum_logprob, score;
};

// All sequences there are.
void enumerate(const BeamOptions& options, Scored prefix, std::vector<Scored>& out) {
  const auto score = [&](double sum, size_t output) { return sum / std::pow(2.0 + output, options.length_penalty); };
  if (prefix.tokens.size() == static_cast<size_t>(options.max_tokens)) {
    const bool ends_with_eos = prefix.tokens.back() == kEos;
    prefix.score = score(prefix.cum_logprob, prefix.tokens.size() - (ends_with_eos ? 1 : 0));
    out.push_back(prefix);
    return;
  }
  std::vector<int32_t> ids = prompt().prompt;
  ids.insert(ids.end(), prefix.tokens.begin(), prefix.tokens.end());
  const std::vector<double> logprobs = next_logprobs(ids);
  for (int32_t token = 0; token < kVocab; ++token) {
    Scored next = prefix;
    next.cum_logprob += static_cast<float>(logprobs[token]);
    if (token == kEos && !options.ignore_eos) {
      next.finished = true;
      next.score = score(next.cum_logprob, next.tokens.size());
      if (options.keeps_eos) next.tokens.push_back(kEos);
      out.push_back(next);
      continue;
    }
    next.tokens.push_back(token);
    enumerate(options, next, out);
  }
}

std::vector<int32_t> ids_of(const Beam& beam) {
  std::vector<int32_t> ids;
  for (const SampledToken& token : beam.tokens) ids.push_back(token.token);
  return ids;
}

TEST(BeamSearch, AWideOneFindsTheBestOfAllSequences) {
  for (const double length_penalty : {0.0, 1.0, 2.5, -1.0}) {
    for (const bool ignore_eos : {false, true}) {
      for (const bool keeps_eos : {false, true}) {
        const BeamOptions options{.width = 256,
                                  .max_tokens = 4,
                                  .length_penalty = length_penalty,
                                  .ignore_eos = ignore_eos,
                                  .keeps_eos = keeps_eos,
                                  .num_logprobs = {},
                                  .eos_token_ids = {kEos}};
        std::vector<Scored> all;
        enumerate(options, {}, all);
        std::ranges::stable_sort(all, std::greater(), &Scored::score);
        const std::vector<Beam> beams = search(options);
        ASSERT_EQ(beams.size(), all.size());
        for (size_t i = 0; i < beams.size(); ++i) {
          EXPECT_EQ(ids_of(beams[i]), all[i].tokens) << i;
          EXPECT_NEAR(beams[i].cum_logprob, all[i].cum_logprob, 1e-9);
          EXPECT_EQ(beams[i].finish, all[i].finished ? FinishReason::kStop : FinishReason::kLength);
        }
      }
    }
  }
}

TEST(BeamSearch, ANarrowOneKeepsTheBestOfEachRound) {
  // Width 1: the best token other than EOS lives on, an EOS among the two best finishes.
  std::vector<int32_t> greedy;
  size_t finished = 0;
  for (int round = 0; round < 5; ++round) {
    std::vector<int32_t> ids = prompt().prompt;
    ids.insert(ids.end(), greedy.begin(), greedy.end());
    const std::vector<double> logprobs = next_logprobs(ids);
    std::vector<int32_t> order = {0, 1, 2, 3};
    std::ranges::sort(order, std::greater(), [&](int32_t token) { return logprobs[token]; });
    if (order[0] == kEos || order[1] == kEos) ++finished;
    greedy.push_back(order[0] == kEos ? order[1] : order[0]);
  }
  ASSERT_GT(finished, 0u);
  const auto best = search({.width = 1,
                            .max_tokens = 5,
                            .length_penalty = 20,  // the longest wins
                            .ignore_eos = false,
                            .keeps_eos = false,
                            .num_logprobs = {},
                            .eos_token_ids = {kEos}});
  ASSERT_EQ(best.size(), 1u);
  EXPECT_EQ(ids_of(best[0]), greedy);
}

TEST(BeamSearch, TokensCarryTheirLogprobs) {
  const auto beams = search({.width = 2,
                             .max_tokens = 3,
                             .length_penalty = 1,
                             .ignore_eos = true,
                             .keeps_eos = false,
                             .num_logprobs = 1,
                             .eos_token_ids = {kEos}});
  ASSERT_EQ(beams.size(), 2u);
  for (const Beam& beam : beams) {
    std::vector<int32_t> ids = prompt().prompt;
    double sum = 0;
    for (const SampledToken& token : beam.tokens) {
      const std::vector<double> logprobs = next_logprobs(ids);
      EXPECT_FLOAT_EQ(token.logprobs->logprob, static_cast<float>(logprobs[token.token]));
      EXPECT_EQ(token.logprobs->rank,
                std::ranges::count_if(logprobs, [&](double l) { return l >= logprobs[token.token]; }));
      ASSERT_EQ(token.logprobs->best.size(), 1u);
      EXPECT_FLOAT_EQ(token.logprobs->best[0].second, static_cast<float>(std::ranges::max(logprobs)));
      sum += token.logprobs->logprob;
      ids.push_back(token.token);
    }
    EXPECT_NEAR(beam.cum_logprob, sum, 1e-6);
  }
}

TEST(BeamSearch, AnAbortKeepsTheBeamsOfTheRoundBefore) {
  BeamSearch beams(prompt(), {.width = 2,
                              .max_tokens = 9,
                              .length_penalty = 1,
                              .ignore_eos = true,
                              .keeps_eos = false,
                              .num_logprobs = {},
                              .eos_token_ids = {kEos}});
  std::vector<Request> round;
  beams.append_round(round);
  beams.add(0, answer(round[0]));
  beams.end_round();
  round.clear();
  beams.append_round(round);
  ASSERT_EQ(round.size(), 2u);
  beams.add(0, answer(round[0]));
  TokenEvent aborted;
  aborted.finish = FinishReason::kAbort;
  beams.add(1, aborted);
  beams.end_round();
  round.clear();
  beams.append_round(round);
  EXPECT_TRUE(round.empty());
  ASSERT_EQ(beams.best().size(), 2u);
  EXPECT_EQ(beams.best()[0].tokens.size(), 1u);
  EXPECT_EQ(beams.best()[0].finish, FinishReason::kAbort);
}

}  // namespace
}  // namespace ingot::serve
