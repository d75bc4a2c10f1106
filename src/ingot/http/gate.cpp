// The order is vLLM's: preflight, key, path, method, content type.
#include "ingot/http/gate.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include "ingot/api/json_reader.h"
#include "ingot/api/reply_id.h"

namespace ingot::http {

namespace {

using Digest = std::array<unsigned char, SHA256_DIGEST_LENGTH>;

Digest sha256(std::string_view text) {
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return digest;
}

// The token of "Bearer TOKEN"; "" for another scheme.
std::string_view bearer_token(std::string_view authorization) {
  constexpr std::string_view kScheme = "bearer ";
  if (authorization.size() <= kScheme.size()) return "";
  const bool fits = std::equal(kScheme.begin(), kScheme.end(), authorization.begin(), [](char want, char got) {
    return want == std::tolower(static_cast<unsigned char>(got));
  });
  return fits ? authorization.substr(kScheme.size()) : "";
}

bool is_guarded(std::string_view path) {
  constexpr std::string_view kGuarded[] = {"/v1", "/v2", "/inference", "/cohere"};
  return std::ranges::any_of(kGuarded, [&](std::string_view prefix) { return path.starts_with(prefix); });
}

bool is_preflight(const HttpRequest& request) {
  return request.method == "OPTIONS" && !request.headers.origin.empty() &&
         !request.headers.access_control_request_method.empty();
}

HttpResponse preflight_response(const HttpRequest& request) {
  HttpResponse response{.status = 200, .body = "OK", .content_type = "text/plain; charset=utf-8"};
  response.headers = {{"access-control-allow-methods", "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"},
                      {"access-control-max-age", "600"}};
  if (!request.headers.access_control_request_headers.empty()) {
    response.headers.emplace_back("access-control-allow-headers", request.headers.access_control_request_headers);
  }
  return response;
}

}  // namespace

bool is_authorized(const std::vector<std::string>& api_keys, const HttpRequest& request) {
  if (api_keys.empty() || request.method == "OPTIONS" || !is_guarded(request.path)) return true;
  const Digest given = sha256(bearer_token(request.headers.authorization));
  bool fits = false;  // every key is compared, in constant time
  for (const std::string& key : api_keys) {
    const Digest wanted = sha256(key);
    fits |= CRYPTO_memcmp(given.data(), wanted.data(), wanted.size()) == 0;
  }
  return fits;
}

void add_cors(const HttpRequest& request, HttpResponse& response) {
  if (!request.headers.origin.empty()) response.headers.emplace_back("access-control-allow-origin", "*");
}

void add_request_id(const HttpRequest& request, HttpResponse& response) {
  const std::string& given = request.headers.x_request_id;
  response.headers.emplace_back("x-request-id", given.empty() ? api::random_hex(32) : given);
}

Gate pass_gate(const ServerConfig& config, const HttpRequest& request) {
  if (is_preflight(request)) return {.response = preflight_response(request)};
  if (!is_authorized(config.api_keys, request)) {
    return {.response = HttpResponse{.status = 401, .body = api::unauthorized_body()}};
  }
  const Match match = find_route(request.method, request.path);
  if (!match.route) return {.response = HttpResponse{.status = 404, .body = api::detail_body("Not Found")}};
  if (!match.method_fits) {
    HttpResponse response{.status = 405, .body = api::detail_body("Method Not Allowed")};
    response.headers.emplace_back("allow", std::string(match.route->method));
    return {.route = match.route, .response = std::move(response)};
  }
  if (match.route->takes_json) {
    if (auto checked = api::check_content_type(request.headers.content_type); !checked) {
      return {.route = match.route, .response = error_response(checked.error())};
    }
  }
  return {.route = match.route, .response = {}};
}

}  // namespace ingot::http
