// The reply of a prepared call: token events in, JSON out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ingot/api/chunk.h"
#include "ingot/core/token_event.h"
#include "ingot/serve/choice_state.h"
#include "ingot/serve/metrics.h"
#include "ingot/serve/prepare.h"

namespace ingot::serve {

// A reply that is sent in one piece.
struct WholeReply {
  int status = 200;
  std::string body;  // JSON
  std::optional<int> retry_after_s;
};

WholeReply error_reply(const api::ApiError& error);

// What is new of a reply, for the connection to send.
struct Progress {
  std::optional<WholeReply> whole;  // the reply, and its end; never after a chunk
  std::vector<std::string> chunks;  // of a stream: JSON payloads, to be sent as events
  bool ended = false;               // nothing follows
  bool more = false;                // there is more already: ask again at once
  bool too_slow = false;            // the client fell too far behind and the call was aborted: close the connection
};

// Events of one choice that were added between two flushes share a chunk. One thread at a time.
class Reply {
 public:
  // Borrows model and metrics.
  Reply(const ServedModel& model, const PreparedCall& call, Metrics& metrics);

  // `to_abort` gains the request when its choice ended here and not in the engine (a stop string).
  void add(const TokenEvent& event, std::vector<RequestId>& to_abort);
  void flush(Progress& progress);
  void fail(api::ApiError error);  // the reply ends with it
  void abandon();                  // counts the choices that are still open as aborted; nothing may be added any more

  bool is_open() const { return num_open_ > 0; }  // some choice has not ended

 private:
  struct Output {  // of one choice
    ChoiceState state;
    api::Choice piece;  // what was not sent yet
    bool touched = false;
    std::optional<int32_t> num_sent = {};  // output tokens of the chunks so far; absent before the first
    TimePoint last_token{};
  };

  void observe(size_t index, const TokenEvent& event);
  void count(size_t index, FinishReason reason, const RequestTimes& times);
  void flush_stream(Progress& progress);
  void flush_whole(Progress& progress);
  void begin_stream(Progress& progress);
  bool is_worth_a_chunk(const Output& output) const;
  ChoiceState::Options choice_options(const PreparedCall& call, size_t index) const;
  size_t prompt_of(size_t index) const { return index / static_cast<size_t>(n_); }
  api::Usage usage() const;
  api::Usage running_usage(size_t index) const;

  const ServedModel& model_;
  Metrics& metrics_;
  const api::Endpoint endpoint_;
  const api::ReplyHead head_;
  const api::RequestOptions options_;
  const api::PromptEcho prompt_echo_;
  const std::string chat_echo_;  // the last message's text, sent behind the roles of a stream
  const int32_t n_;
  const RequestId first_id_;

  std::vector<int32_t> prompt_sizes_, max_tokens_;
  std::vector<int32_t> cached_;  // by prompt: tokens taken from the prefix cache
  std::vector<Output> outputs_;
  std::vector<size_t> touched_;  // outputs with something new, in the order in which it came
  size_t num_open_;
  int32_t most_tokens_ = 0;                 // of any choice
  std::optional<api::ChunkWriter> writer_;  // of a stream
  std::optional<api::ApiError> failure_;
  bool began_ = false;
};

}  // namespace ingot::serve
