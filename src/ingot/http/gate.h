// What is checked on a request's head, before its body is read: CORS preflight, API key, route, content type.
#pragma once

#include <optional>

#include "ingot/http/endpoint.h"

namespace ingot::http {

// A response that settles the request without its endpoint, or the route.
struct Gate {
  const Route* route = nullptr;  // also set with a 405 or a content type error; null when no path fits
  std::optional<HttpResponse> response;
};
Gate pass_gate(const ServerConfig& config, const HttpRequest& request);

// The header that lets scripts of other origins read the response; nothing when the request names no origin.
void add_cors(const HttpRequest& request, HttpResponse& response);

// Echoes X-Request-Id, or a new one where none came.
void add_request_id(const HttpRequest& request, HttpResponse& response);

// Paths under /v1, /v2, /inference, /cohere need `Authorization: Bearer KEY` where keys are set; OPTIONS never does.
bool is_authorized(const std::vector<std::string>& api_keys, const HttpRequest& request);

}  // namespace ingot::http
