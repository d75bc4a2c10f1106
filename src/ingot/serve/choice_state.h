// One choice of a reply while it grows: token events in; text, logprobs, finish and stop reason out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingot/api/reply.h"
#include "ingot/api/sampling_fields.h"
#include "ingot/core/token_event.h"
#include "ingot/serve/prompt_scores.h"
#include "ingot/serve/stop_matcher.h"
#include "ingot/text/detokenizer.h"
#include "ingot/text/tokenizer.h"

namespace ingot::serve {

// One thread at a time.
class ChoiceState {
 public:
  struct Options {
    bool wants_token_ids = false;
    bool wants_prompt_logprobs = false;  // in the pieces, and not only among an echo's logprobs
    std::optional<std::string> echo;     // text before the output, and with it the prompt's logprobs where asked for
  };

  // `prompt`: the ids before the output.
  ChoiceState(std::shared_ptr<const Tokenizer> tokenizer, const api::SamplingFields& sampling,
              std::span<const int32_t> prompt, Options options);

  // Adds what the event says to `piece`: a fresh Choice, or one that earlier events of this choice went into. Sets
  // finish_reason with the last text. Tokens behind a stop string, and events behind the end, are dropped.
  void add(const TokenEvent& event, api::Choice& piece);

  bool finished() const { return finish_.has_value(); }
  bool stopped_by_text() const { return stops_.match() != nullptr; }  // then the engine knows nothing of the end
  FinishReason finish() const { return *finish_; }                    // requires finished()
  const std::optional<Error>& error() const { return error_; }        // with FinishReason::kError
  int32_t num_tokens() const { return num_tokens_; }

 private:
  void begin(api::Choice& piece);
  void add_token(const SampledToken& token, bool with_text, api::Choice& piece);
  void add_text(std::string_view text, api::Choice& piece);
  void add_logprobs(const SampledToken& token, api::Choice& piece);
  void finish_with(FinishReason reason, api::StopReason stop, api::Choice& piece);

  std::shared_ptr<const Tokenizer> tokenizer_;
  Detokenizer detokenizer_;
  StopMatcher stops_;
  Options options_;
  std::optional<PromptScores> prompt_scores_;
  bool keeps_stop_text_, wants_logprobs_, drops_output_;
  bool began_ = false;
  int32_t min_tokens_;
  std::vector<int32_t> context_;  // the last few output ids, for the text of logprobs
  int32_t num_tokens_ = 0;
  std::optional<FinishReason> finish_;
  std::optional<Error> error_;
};

}  // namespace ingot::serve
