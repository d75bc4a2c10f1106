// The table of routes.
#include "ingot/http/endpoint.h"

namespace ingot::http {

namespace {

constexpr Route kRoutes[] = {
    {"POST", "/v1/chat/completions", chat_completions, true, true},
    {"POST", "/v1/completions", completions, true, true},
    {"POST", "/v1/chat/completions/render", render_chat, true, true},
    {"POST", "/v1/completions/render", render_completion, true, true},
    {"GET", "/v1/models", models, false, true},
    {"POST", "/tokenize", tokenize, true, true},
    {"POST", "/detokenize", detokenize, true, true},
    {"GET", "/load", load, false, false},
    {"GET", "/health", health, false, false},
    {"GET", "/ping", ping, false, false},
    {"POST", "/ping", ping, false, false},
    {"GET", "/version", version, false, false},
    {"GET", "/metrics", metrics, false, false},
};

}  // namespace

Match find_route(std::string_view method, std::string_view path) {
  if (method == "HEAD") method = "GET";
  Match match;
  for (const Route& route : kRoutes) {
    if (route.path != path) continue;
    match.route = &route;
    match.method_fits = route.method == method;
    if (match.method_fits) break;
  }
  return match;
}

}  // namespace ingot::http
