// Builds ApiErrors and their bodies.
#include "ingot/api/error.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "ingot/api/json_writer.h"

namespace ingot::api {
namespace {

bool is_path_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.' || c == '/';
}

// Where the server's files lie is none of a client's business: absolute paths become "<path>".
std::string without_paths(std::string_view message) {
  static constexpr std::array<std::string_view, 9> kRoots = {"/home/", "/usr/", "/opt/", "/var/", "/tmp/",
                                                             "/root/", "/lib/", "/mnt/", "/srv/"};
  std::string out;
  while (!message.empty()) {
    size_t length = 0;
    for (std::string_view root : kRoots) {
      if (!message.starts_with(root)) continue;
      while (length < message.size() && is_path_char(message[length])) ++length;
    }
    out += length > 0 ? std::string_view("<path>") : message.substr(0, 1);
    message.remove_prefix(length > 0 ? length : 1);
  }
  return out;
}

}  // namespace

ApiError semantic_error(std::string message, std::string_view param, std::optional<std::string> value) {
  std::string parts;
  if (!param.empty()) parts += "parameter=" + std::string(param);
  if (value) parts += (parts.empty() ? "value=" : ", value=") + *value;
  if (!parts.empty()) message += " (" + parts + ")";
  ApiError error{400, std::move(message), "BadRequestError", std::nullopt, std::nullopt};
  if (!param.empty()) error.param = param;
  return error;
}

ApiError unsupported(std::string_view param, std::string_view value, std::string_view hint) {
  std::string message = fmt::format("`{}` is not supported yet.{}{}", param, hint.empty() ? "" : " ", hint);
  return semantic_error(std::move(message), param, std::string(value));
}

ApiError unknown_model(std::string_view model) {
  return {404, fmt::format("The model `{}` does not exist.", model), "NotFoundError", "model", std::nullopt};
}

ApiError unavailable(std::string message, int retry_after_s) {
  return {503, std::move(message), "Service Unavailable", std::nullopt, retry_after_s};
}

ApiError internal_error(std::string message) {
  return {500, std::move(message), "InternalServerError", std::nullopt, std::nullopt};
}

ApiError http_error(int status, std::string message) {
  return {status, std::move(message), std::string(status_phrase(status)), std::nullopt, std::nullopt};
}

ApiError from_error(const Error& error) {
  std::string message = without_paths(error.message);
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
    case ErrorCode::kUnsupported:
      return semantic_error(std::move(message), error.param);
    case ErrorCode::kNotFound:
      return {404, std::move(message), "NotFoundError", std::nullopt, std::nullopt};
    case ErrorCode::kResourceExhausted:
    case ErrorCode::kUnavailable:
      return unavailable(std::move(message));
    case ErrorCode::kCorrupt:
    case ErrorCode::kIo:
    case ErrorCode::kInternal:
      break;
  }
  return internal_error(std::move(message));
}

std::string error_body(const ApiError& error) {
  JsonWriter out;
  out.open_object().key("error").open_object();
  out.string("message", error.message).string("type", error.type);
  error.param ? out.string("param", *error.param) : out.null("param");
  out.integer("code", error.status).close_object().close_object();
  return out.take();
}

std::string detail_body(std::string_view detail) {
  JsonWriter out;
  out.open_object().string("detail", detail).close_object();
  return out.take();
}

std::string unauthorized_body() { return R"({"error":"Unauthorized"})"; }

std::string_view status_phrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 411:
      return "Length Required";
    case 413:
      return "Request Entity Too Large";
    case 415:
      return "Unsupported Media Type";
    case 422:
      return "Unprocessable Entity";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    default:
      return "";
  }
}

}  // namespace ingot::api
