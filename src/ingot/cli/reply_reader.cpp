// JSON of the OpenAI API → plain values.
#include "ingot/cli/reply_reader.h"

#include <boost/json.hpp>
#include <fmt/format.h>

namespace ingot::cli {

namespace json = boost::json;

namespace {

const json::value* at(const json::value* value, std::string_view key) {
  return value && value->is_object() ? value->get_object().if_contains(key) : nullptr;
}

std::string text_at(const json::value* value, std::string_view key) {
  const json::value* found = at(value, key);
  return found && found->is_string() ? std::string(found->get_string()) : std::string();
}

std::optional<int64_t> count_at(const json::value* value, std::string_view key) {
  const json::value* found = at(value, key);
  return found && found->is_int64() ? std::optional(found->get_int64()) : std::nullopt;
}

// {"error": {"message"}}, {"error": "Unauthorized"}, {"detail": "Not Found"}; "" where it is none of these.
std::string error_message(const json::value& reply) {
  const json::value* error = at(&reply, "error");
  if (error && error->is_string()) return std::string(error->get_string());
  if (error) return text_at(error, "message");
  return text_at(&reply, "detail");
}

void read_choice(const json::value& choice, ReplyPiece& piece) {
  const json::value* message = at(&choice, "delta");
  if (!message) message = at(&choice, "message");
  piece.text = message ? text_at(message, "content") : text_at(&choice, "text");
  if (message && piece.text.empty()) piece.text = text_at(message, "reasoning");
  piece.finish_reason = text_at(&choice, "finish_reason");
}

}  // namespace

Result<ReplyPiece> read_reply(std::string_view text) {
  boost::system::error_code ec;
  const json::value reply = json::parse(text, ec);
  if (ec) return fail(ErrorCode::kCorrupt, fmt::format("the server sent what is no JSON: {:.200}", text));
  const json::value* choices = at(&reply, "choices");
  if (!choices || !choices->is_array()) {
    const std::string message = error_message(reply);
    if (!message.empty()) return fail(ErrorCode::kUnavailable, message);
    return fail(ErrorCode::kCorrupt, fmt::format("the server sent what is no completion: {:.200}", text));
  }
  ReplyPiece piece;
  if (!choices->get_array().empty()) read_choice(choices->get_array().front(), piece);
  const json::value* usage = at(&reply, "usage");
  piece.prompt_tokens = count_at(usage, "prompt_tokens");
  piece.completion_tokens = count_at(usage, "completion_tokens");
  return piece;
}

Error read_refusal(int status, std::string_view body) {
  boost::system::error_code ec;
  const json::value reply = json::parse(body, ec);
  std::string message = ec ? std::string() : error_message(reply);
  if (message.empty()) message = body.empty() ? "no reason given" : std::string(body.substr(0, 200));
  if (status == 401) message += ". The server wants a key: pass --api-key or set OPENAI_API_KEY";
  if (status == 404 && message == "Not Found") message += ". Is the path of the address right? It usually ends in /v1";
  return {ErrorCode::kUnavailable, fmt::format("{} (status {})", message, status), ""};
}

}  // namespace ingot::cli
