// POST /v1/chat/completions
#include "ingot/http/endpoint.h"

namespace ingot::http {

Answer chat_completions(const Context& context, HttpRequest& request, const serve::Call::Wake& wake) {
  return start_call(api::Endpoint::kChat, context, request, wake);
}

}  // namespace ingot::http
