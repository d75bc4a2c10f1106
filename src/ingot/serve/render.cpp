// A request is prepared as for the engine, and shown instead of submitted.
#include "ingot/serve/render.h"

#include <atomic>

#include <fmt/format.h>

#include "ingot/api/render.h"

namespace ingot::serve {

namespace {

api::Parsed<PreparedCall> prepare_alone(api::Endpoint endpoint, const ServedModel& model, const CallInput& input) {
  auto call = prepare(endpoint, model, input, std::atomic<bool>(false));
  if (call && call->sampling.beam_length_penalty) {
    return std::unexpected(
        api::semantic_error("Beam search is not supported by the render endpoint", "use_beam_search"));
  }
  return call;
}

std::string body_of(const PreparedCall& call, size_t prompt, std::string_view id) {
  const Request& request = call.requests[prompt * static_cast<size_t>(call.sampling.n)];
  return api::render_body({.id = id,
                           .token_ids = call.prompts[prompt],
                           .sampling = call.sampling,
                           .max_tokens = request.sampling.max_tokens,
                           .options = call.options,
                           .priority = request.priority});
}

}  // namespace

api::Parsed<std::string> render_chat_request(const ServedModel& model, const CallInput& input) {
  const auto call = prepare_alone(api::Endpoint::kChat, model, input);
  if (!call) return std::unexpected(call.error());
  return body_of(*call, 0, call->head.id);
}

api::Parsed<std::string> render_completion_request(const ServedModel& model, const CallInput& input) {
  const auto call = prepare_alone(api::Endpoint::kCompletions, model, input);
  if (!call) return std::unexpected(call.error());
  std::string body = "[";
  for (size_t prompt = 0; prompt < call->prompts.size(); ++prompt) {
    if (prompt > 0) body += ',';
    body +=
        body_of(*call, prompt, call->prompts.size() == 1 ? call->head.id : fmt::format("{}-{}", call->head.id, prompt));
  }
  return body + "]";
}

}  // namespace ingot::serve
