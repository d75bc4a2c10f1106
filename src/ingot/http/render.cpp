// POST /v1/chat/completions/render and POST /v1/completions/render
#include "ingot/serve/render.h"

#include "ingot/http/endpoint.h"

namespace ingot::http {

Answer render_chat(const Context& context, HttpRequest& request, const serve::Call::Wake& wake) {
  return start_call(serve::render_chat_request, context, request, wake);
}

Answer render_completion(const Context& context, HttpRequest& request, const serve::Call::Wake& wake) {
  return start_call(serve::render_completion_request, context, request, wake);
}

}  // namespace ingot::http
