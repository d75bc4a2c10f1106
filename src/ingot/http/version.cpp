// GET /version
#include "ingot/http/endpoint.h"

namespace ingot::http {

Answer version(const Context&, HttpRequest&, const serve::Call::Wake&) {
  return HttpResponse{.body = R"({"version":")" INGOT_VERSION R"("})"};
}

}  // namespace ingot::http
