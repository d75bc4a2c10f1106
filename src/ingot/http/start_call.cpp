// What the endpoints that start a call share: headers that reach the call, and the answer before a model is open.
#include <charconv>

#include "ingot/http/endpoint.h"

namespace ingot::http {

namespace {

// The header's integer; nothing when it is absent.
api::Parsed<std::optional<int64_t>> read_priority(const std::string& text) {
  if (text.empty()) return std::nullopt;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::unexpected(api::semantic_error("X-Vllm-Priority must be an integer.", "priority", text));
  }
  return value;
}

}  // namespace

HttpResponse error_response(const api::ApiError& error) {
  HttpResponse response{.status = error.status, .body = api::error_body(error)};
  if (error.retry_after_s) response.headers.emplace_back("retry-after", std::to_string(*error.retry_after_s));
  return response;
}

Answer start_call(const serve::Call::Task& task, const Context& context, HttpRequest& request,
                  const serve::Call::Wake& wake) {
  const auto priority = read_priority(request.headers.x_vllm_priority);
  if (!priority) return error_response(priority.error());
  auto call = context.service.start(task,
                                    {.body = std::move(request.body),
                                     .hold = std::move(request.lease),
                                     .request_id = request.headers.x_request_id,
                                     .priority = *priority,
                                     .arrival = request.arrival},
                                    wake);
  if (!call) return error_response(api::unavailable("The model is still being loaded."));
  return call;
}

}  // namespace ingot::http
