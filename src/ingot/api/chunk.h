// Stream chunks: the JSON after `data: ` (framing and [DONE] belong to http/). Only the fields that are set are sent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ingot/api/json_writer.h"
#include "ingot/api/reply.h"
#include "ingot/api/sampling_fields.h"

namespace ingot::api {

// Makes the chunks of one streamed reply; not thread-safe. Order of calls: role() once a choice (chat only), delta()
// for every output of a choice (with finish_reason on its last), usage() at the end when the client asked for it.
class ChunkWriter {
 public:
  struct Options {
    bool include_usage = false;  // a usage chunk will follow, and carries the system_fingerprint
  };

  ChunkWriter(Endpoint endpoint, ReplyHead head, Options options);

  // `running_usage` (continuous_usage_stats) is added to the chunk when given.
  std::string role(int32_t index, const PromptEcho& prompt = {}, const Usage* running_usage = nullptr) const;
  std::string delta(const Choice& choice, const Usage* running_usage = nullptr);
  std::string usage(const Usage& usage) const;

 private:
  void write_chat_choice(JsonWriter& out, const Choice& choice) const;
  void write_completion_choice(JsonWriter& out, const Choice& choice);

  Endpoint endpoint_;
  ReplyHead head_;
  Options options_;
  std::string prefix_;                 // up to and with "choices":[
  std::vector<int64_t> text_offsets_;  // by choice: characters of the tokens already listed in logprobs
};

}  // namespace ingot::api
