// The constant front of a reply's chunks is made once; the rest is appended per chunk.
#include "ingot/api/chunk.h"

#include <utility>

#include "ingot/api/json_writer.h"
#include "ingot/api/reply_json.h"

namespace ingot::api {

ChunkWriter::ChunkWriter(Endpoint endpoint, ReplyHead head, Options options)
    : endpoint_(endpoint), head_(std::move(head)), options_(options) {
  JsonWriter out;
  out.open_object().string("id", head_.id);
  out.string("object", endpoint == Endpoint::kChat ? "chat.completion.chunk" : "text_completion");
  out.integer("created", head_.created).string("model", head_.model).key("choices").open_array();
  prefix_ = out.take();
}

std::string ChunkWriter::role(int32_t index, const PromptEcho& prompt, const Usage* running_usage) const {
  JsonWriter out(prefix_);
  out.open_object().integer("index", index).key("delta").open_object();
  out.string("role", head_.role).string("content", "").close_object();
  out.null("logprobs").null("finish_reason").close_object().close_array();
  if (running_usage) write_usage(out.key("usage"), *running_usage, false);
  write_token_ids(out.key("prompt_token_ids"), prompt.token_ids);
  prompt.text ? out.string("prompt_text", *prompt.text) : out.null("prompt_text");
  out.close_object();
  return out.take();
}

std::string ChunkWriter::delta(const Choice& choice, const Usage* running_usage) {
  JsonWriter out(prefix_);
  out.open_object().integer("index", choice.index);
  endpoint_ == Endpoint::kChat ? write_chat_choice(out, choice) : write_completion_choice(out, choice);
  out.close_object().close_array();
  if (running_usage) write_usage(out.key("usage"), *running_usage, false);
  if (choice.finish_reason && !options_.include_usage && !head_.system_fingerprint.empty()) {
    out.string("system_fingerprint", head_.system_fingerprint);
  }
  out.close_object();
  return out.take();
}

std::string ChunkWriter::usage(const Usage& usage) const {
  JsonWriter out(prefix_);
  out.close_array();
  write_usage(out.key("usage"), usage, false);
  if (!head_.system_fingerprint.empty()) out.string("system_fingerprint", head_.system_fingerprint);
  out.close_object();
  return out.take();
}

void ChunkWriter::write_chat_choice(JsonWriter& out, const Choice& choice) const {
  out.key("delta").open_object().string("content", choice.text).close_object().key("logprobs");
  choice.logprobs ? write_chat_logprobs(out, head_, *choice.logprobs) : void(out.null());
  write_finish_reason(out.key("finish_reason"), choice.finish_reason);
  if (choice.finish_reason) write_stop_reason(out.key("stop_reason"), choice.stop_reason);
  write_token_ids(out.key("token_ids"), choice.token_ids);
}

void ChunkWriter::write_completion_choice(JsonWriter& out, const Choice& choice) {
  out.string("text", choice.text).key("logprobs");
  if (choice.logprobs) {
    const auto index = static_cast<size_t>(choice.index);
    if (text_offsets_.size() <= index) text_offsets_.resize(index + 1);
    text_offsets_[index] = write_completion_logprobs(out, head_, *choice.logprobs, text_offsets_[index]);
  } else {
    out.null();
  }
  write_finish_reason(out.key("finish_reason"), choice.finish_reason);
  write_stop_reason(out.key("stop_reason"), choice.stop_reason);
  write_token_ids(out.key("prompt_token_ids"), choice.prompt_token_ids);
  write_token_ids(out.key("token_ids"), choice.token_ids);
}

}  // namespace ingot::api
