// Requests and responses as endpoints see them: plain values, no sockets.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ingot/base/clock.h"
#include "ingot/http/byte_budget.h"

namespace ingot::http {

// The headers that some endpoint or check looks at; "" = absent.
struct RequestHeaders {
  std::string content_type = {}, authorization = {}, origin = {}, expect = {};
  std::string access_control_request_method = {}, access_control_request_headers = {};
  std::string x_request_id = {}, x_vllm_priority = {};
};

struct HttpRequest {
  std::string method;  // "GET"
  std::string path;    // without query, not decoded
  RequestHeaders headers;
  std::string body;
  std::shared_ptr<ByteBudget::Lease> lease;  // for as long as the body is held
  TimePoint arrival = now();
};

struct HttpResponse {
  int status = 200;
  std::string body = {};
  std::string content_type = "application/json";  // not sent with an empty body
  std::vector<std::pair<std::string, std::string>> headers = {};
};

}  // namespace ingot::http
