// One request of a connection and what is known of its response.
#pragma once

#include <optional>

#include "ingot/http/endpoint.h"
#include "ingot/http/session.h"
#include "ingot/http/wire.h"

namespace ingot::http {

struct Session::Exchange {
  HttpRequest request;
  Framing framing{.version = 11, .keep_alive = false, .head_only = false};
  const Route* route = nullptr;
  std::optional<HttpResponse> response;  // settled before the endpoint: refused, preflight, no request at all
  bool streams = false;                  // the head of an event stream has been sent
  int status = 0;                        // 0: nothing was sent
  size_t request_bytes = 0, response_bytes = 0;
};

}  // namespace ingot::http
