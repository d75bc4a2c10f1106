// Chats are rendered as they would be for a reply.
#include "ingot/serve/tokenize.h"

#include <optional>
#include <utility>
#include <vector>

#include "ingot/api/chat.h"
#include "ingot/api/tokenize.h"
#include "ingot/serve/chat_text.h"

namespace ingot::serve {

namespace {

struct Text {
  std::string text;
  bool add_special_tokens;
};

api::Parsed<Text> chat_text(const ServedModel& model, const CallInput& input) {
  auto request = api::parse_chat_request(input.body, model.defaults);
  if (!request) return std::unexpected(std::move(request.error()));
  auto text = render_chat(model, *request);
  if (!text) return std::unexpected(std::move(text.error()));
  return Text{*std::move(text), request->add_special_tokens};
}

}  // namespace

api::Parsed<std::string> tokenize(const ServedModel& model, const CallInput& input) {
  auto request = api::parse_tokenize_request(input.body, model.defaults);
  if (!request) return std::unexpected(std::move(request.error()));
  auto text = request->prompt ? api::Parsed<Text>(Text{*std::move(request->prompt), request->add_special_tokens})
                              : chat_text(model, input);
  if (!text) return std::unexpected(std::move(text.error()));
  const auto ids = model.tokenizer->encode(text->text, text->add_special_tokens);
  if (!ids) return std::unexpected(api::from_error(ids.error()));
  std::optional<std::vector<std::string>> pieces;
  if (request->return_token_strs) {
    pieces.emplace();
    for (const int32_t id : *ids) pieces->push_back(model.tokenizer->id_to_token(id));
  }
  return api::tokenize_body(*ids, pieces, model.defaults.max_model_len);
}

api::Parsed<std::string> detokenize(const ServedModel& model, const CallInput& input) {
  const auto ids = api::parse_detokenize_request(input.body, model.defaults);
  if (!ids) return std::unexpected(ids.error());
  return api::detokenize_body(model.tokenizer->decode(*ids, false));
}

}  // namespace ingot::serve
