// GET /load: the number of requests being served, which is told only where it is tracked.
#include "ingot/http/endpoint.h"

namespace ingot::http {

Answer load(const Context&, HttpRequest&, const serve::Call::Wake&) {
  return HttpResponse{.body = R"({"server_load":0})"};
}

}  // namespace ingot::http
