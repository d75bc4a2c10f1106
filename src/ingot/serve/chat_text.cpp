// The template does the work.
#include "ingot/serve/chat_text.h"

#include <memory>
#include <utility>

namespace ingot::serve {

api::Parsed<std::string> render_chat(const ServedModel& model, api::ChatRequest& request) {
  std::shared_ptr<const ChatTemplate> chat_template = model.chat_template;
  if (request.chat_template) {
    auto compiled = ChatTemplate::compile(*request.chat_template);
    if (!compiled) return std::unexpected(api::semantic_error(compiled.error().message, "chat_template"));
    chat_template = *std::move(compiled);
  }
  if (!chat_template) {
    return std::unexpected(api::semantic_error("This model has no chat template; send a prompt instead.", "messages"));
  }
  request.variables["bos_token"] = model.bos_token;
  request.variables["eos_token"] = model.eos_token;
  auto text = chat_template->render(request.variables);
  if (!text) return std::unexpected(api::from_error(text.error()));
  if (request.continued_text) return api::cut_to_continue(*std::move(text), *request.continued_text);
  return *std::move(text);
}

}  // namespace ingot::serve
