// Beam search over one prompt, as rounds of requests of one token each.
//
// Every live beam is extended by its 2·width best next tokens. An EOS among them finishes a copy of the beam; of the
// rest the `width` best live on. There is no early stop: the search ends after max_tokens rounds. The result is the
// best of the finished and the live beams by  sum of log probabilities / L^length_penalty, where L counts prompt and
// output tokens without a trailing EOS (vllm/entrypoints/generate/beam_search).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ingot/core/request.h"
#include "ingot/core/token_event.h"

namespace ingot::serve {

struct BeamOptions {
  int32_t width = 1;
  int32_t max_tokens = 1;
  double length_penalty = 1.0;
  bool ignore_eos = false;
  bool keeps_eos = false;               // a finished beam's tokens end with the EOS
  std::optional<int32_t> num_logprobs;  // kept of each token, best first; −1 = all
  std::vector<int32_t> eos_token_ids;
};

struct Beam {
  std::vector<SampledToken> tokens;  // the output
  double cum_logprob = 0.0;
  FinishReason finish = FinishReason::kLength;
  std::optional<int32_t> stop_token_id;  // the EOS that finished it
};

// One thread at a time.
class BeamSearch {
 public:
  // `request`: each round's requests are like it, behind its prompt the beam's tokens. Sampling must be for one token
  // with 2·width logprobs; what is sampled does not matter.
  BeamSearch(Request request, BeamOptions options);

  // Appends a request for every live beam, in their order, ids left open. None: the search has ended.
  void append_round(std::vector<Request>& requests) const;

  // The answer to the round's request number `beam`. An event without tokens and with FinishReason::kAbort ends the
  // search after this round.
  void add(size_t beam, const TokenEvent& event);
  void end_round();  // when all of the round's requests have finished

  std::vector<Beam> best() const;  // at most `width`, best first

 private:
  struct Node {  // one output token; a beam is a node and its ancestors
    int32_t parent;
    SampledToken token;
  };
  struct Path {
    int32_t node = kRoot, length = 0;  // output tokens, without the EOS that finished it
    double cum_logprob = 0.0;
    std::optional<int32_t> eos;  // finished by it
  };
  struct Candidate {
    size_t beam;
    int32_t token, rank;
    double cum_logprob;
  };
  static constexpr int32_t kRoot = -1;

  bool is_eos(int32_t token) const;
  int32_t append(int32_t parent, size_t beam, int32_t token, int32_t rank);
  double score(const Path& path) const;
  Beam beam_of(const Path& path, FinishReason live_reason) const;

  const Request request_;
  const BeamOptions options_;
  std::vector<Node> nodes_;
  std::vector<Path> live_ = {Path{}}, finished_;
  std::vector<TokenLogprobs> round_;  // by live beam
  int32_t num_rounds_ = 0;
  bool aborted_ = false;
};

}  // namespace ingot::serve
