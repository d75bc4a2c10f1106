// GET /health, and GET or POST /ping, which answer the same.
#include "ingot/http/endpoint.h"

namespace ingot::http {

Answer health(const Context& context, HttpRequest&, const serve::Call::Wake&) {
  return HttpResponse{.status = context.service.healthy() ? 200 : 503, .body = ""};
}

Answer ping(const Context& context, HttpRequest& request, const serve::Call::Wake& wake) {
  return health(context, request, wake);
}

}  // namespace ingot::http
