// Bodies of plain replies.
#include "ingot/api/response.h"

#include "ingot/api/json_writer.h"
#include "ingot/api/reply_json.h"

namespace ingot::api {
namespace {

void write_head(JsonWriter& out, const ReplyHead& head, std::string_view object) {
  out.open_object().string("id", head.id).string("object", object);
  out.integer("created", head.created).string("model", head.model);
}

void write_fingerprint_and_usage(JsonWriter& out, const ReplyHead& head, const Usage& usage) {
  out.null("service_tier").key("system_fingerprint");
  head.system_fingerprint.empty() ? out.null() : out.string(head.system_fingerprint);
  write_usage(out.key("usage"), usage, true);
}

void write_ending(JsonWriter& out, const Choice& choice) {
  write_finish_reason(out.key("finish_reason"), choice.finish_reason);
  write_stop_reason(out.key("stop_reason"), choice.stop_reason);
  write_token_ids(out.key("token_ids"), choice.token_ids);
}

}  // namespace

std::string chat_body(const ReplyHead& head, std::span<const Choice> choices, const Usage& usage,
                      const PromptEcho& prompt) {
  JsonWriter out;
  write_head(out, head, "chat.completion");
  out.key("choices").open_array();
  for (const Choice& choice : choices) {
    out.open_object().integer("index", choice.index).key("message").open_object();
    out.string("role", head.role).string("content", choice.text);
    for (const char* absent : {"refusal", "annotations", "audio", "function_call", "reasoning"}) out.null(absent);
    out.close_object().key("logprobs");
    choice.logprobs ? write_chat_logprobs(out, head, *choice.logprobs) : void(out.null());
    write_ending(out, choice);
    out.null("routed_experts").close_object();
  }
  out.close_array();
  write_fingerprint_and_usage(out, head, usage);
  write_prompt_logprobs(out.key("prompt_logprobs"), choices.front().prompt_logprobs);
  write_token_ids(out.key("prompt_token_ids"), prompt.token_ids);
  prompt.text ? out.string("prompt_text", *prompt.text) : out.null("prompt_text");
  out.null("kv_transfer_params").null("ec_transfer_params").null("metrics").close_object();
  return out.take();
}

std::string completion_body(const ReplyHead& head, std::span<const Choice> choices, const Usage& usage) {
  JsonWriter out;
  write_head(out, head, "text_completion");
  out.key("choices").open_array();
  for (const Choice& choice : choices) {
    out.open_object().integer("index", choice.index).string("text", choice.text).key("logprobs");
    choice.logprobs ? void(write_completion_logprobs(out, head, *choice.logprobs, 0)) : void(out.null());
    write_ending(out, choice);
    write_prompt_logprobs(out.key("prompt_logprobs"), choice.prompt_logprobs);
    write_token_ids(out.key("prompt_token_ids"), choice.prompt_token_ids);
    out.null("routed_experts").close_object();
  }
  out.close_array();
  write_fingerprint_and_usage(out, head, usage);
  out.null("kv_transfer_params").null("ec_transfer_params").null("metrics").close_object();
  return out.take();
}

}  // namespace ingot::api
