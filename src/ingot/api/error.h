// What a client is told when a request cannot be served, and the JSON bodies that say so.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "ingot/base/result.h"

namespace ingot::api {

// An HTTP error in the making. `status` is also the envelope's `code`.
struct ApiError {
  int status = 400;
  std::string message;
  std::string type;                  // e.g. "BadRequestError"
  std::optional<std::string> param;  // the request field at fault
  std::optional<int> retry_after_s;  // becomes the Retry-After header
};

template <class T>
using Parsed = std::expected<T, ApiError>;

// 400 of a named check. The message gains " (parameter=x, value=y)" for the parts that are present.
ApiError semantic_error(std::string message, std::string_view param = {}, std::optional<std::string> value = {});
// 400 for a known field whose feature does not exist here (yet).
ApiError unsupported(std::string_view param, std::string_view value, std::string_view hint = {});
ApiError unknown_model(std::string_view model);                    // 404
ApiError unavailable(std::string message, int retry_after_s = 1);  // 503 + Retry-After
ApiError internal_error(std::string message);                      // 500
ApiError http_error(int status, std::string message);              // type = the status phrase, param null

// What another room's Error means to a client: kInvalidArgument and kUnsupported 400, kNotFound 404,
// kResourceExhausted and kUnavailable 503, all else 500.
ApiError from_error(const Error& error);

// {"error":{"message","type","param","code"}}; a plain body or, inside a stream, the payload of a `data:` line.
std::string error_body(const ApiError& error);
// The two bodies that are not envelopes: {"detail":"Not Found"} of unrouted requests, {"error":"Unauthorized"}.
std::string detail_body(std::string_view detail);
std::string unauthorized_body();

// "Bad Request", "Not Found", …; "" for an unknown status.
std::string_view status_phrase(int status);

}  // namespace ingot::api
