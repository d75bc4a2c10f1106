// POST /v1/completions
#include "ingot/http/endpoint.h"

namespace ingot::http {

Answer completions(const Context& context, HttpRequest& request, const serve::Call::Wake& wake) {
  return start_call(api::Endpoint::kCompletions, context, request, wake);
}

}  // namespace ingot::http
