// GET /metrics
#include "ingot/http/endpoint.h"

namespace ingot::http {

Answer metrics(const Context& context, HttpRequest&, const serve::Call::Wake&) {
  return HttpResponse{.body = context.service.metrics_text(),
                      .content_type = "text/plain; version=0.0.4; charset=utf-8"};
}

}  // namespace ingot::http
