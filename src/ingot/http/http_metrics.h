// The http_* metrics, named and bucketed as prometheus-fastapi-instrumentator does.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace prometheus {
class Registry;
}

namespace ingot::http {

struct ServedRequest {
  std::string_view handler;  // the route's path; "none" where no route fits
  std::string_view method;
  int status = 0;
  size_t request_bytes = 0, response_bytes = 0;  // bodies
  double seconds = 0.0;
};

// Any thread.
class HttpMetrics {
 public:
  explicit HttpMetrics(prometheus::Registry& registry);
  ~HttpMetrics();

  void on_response(const ServedRequest& request);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingot::http
