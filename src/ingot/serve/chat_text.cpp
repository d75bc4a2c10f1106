// The template does the work.
#include "ingot/serve/chat_text.h"

#include <utility>

namespace ingot::serve {

api::Parsed<std::string> render_chat(const ServedModel& model, api::ChatRequest& request) {
  if (!model.chat_template) {
    return std::unexpected(api::semantic_error("This model has no chat template; send a prompt instead.", "messages"));
  }
  request.variables["bos_token"] = model.bos_token;
  request.variables["eos_token"] = model.eos_token;
  auto text = model.chat_template->render(request.variables);
  if (!text) return std::unexpected(api::from_error(text.error()));
  if (request.continued_text) return api::cut_to_continue(*std::move(text), *request.continued_text);
  return *std::move(text);
}

}  // namespace ingot::serve
