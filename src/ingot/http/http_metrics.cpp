// Families are made once; their label sets grow with routes and methods, never with what clients make up.
#include "ingot/http/http_metrics.h"

#include <algorithm>

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/summary.h>

namespace ingot::http {

namespace {

using prometheus::Histogram;

const Histogram::BucketBoundaries kBuckets = {.1, .5, 1};
const Histogram::BucketBoundaries kFineBuckets = {.01, .025, .05, .075, .1,  .25, .5,  .75, 1,  1.5, 2,
                                                  2.5, 3,    3.5, 4,    4.5, 5,   7.5, 10,  30, 60};

// A client may send any method: only the known ones become labels.
std::string known_method(std::string_view method) {
  constexpr std::string_view kMethods[] = {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"};
  return std::ranges::find(kMethods, method) != std::end(kMethods) ? std::string(method) : "other";
}

}  // namespace

struct HttpMetrics::Impl {
  prometheus::Family<prometheus::Counter>& requests;
  prometheus::Family<prometheus::Summary>&request_bytes, &response_bytes;
  prometheus::Family<Histogram>& duration;
  Histogram& fine_duration;
};

HttpMetrics::HttpMetrics(prometheus::Registry& registry)
    : impl_(new Impl{.requests = prometheus::BuildCounter()
                                     .Name("http_requests_total")
                                     .Help("Total number of requests by method, status and handler.")
                                     .Register(registry),
                     .request_bytes = prometheus::BuildSummary()
                                          .Name("http_request_size_bytes")
                                          .Help("Content length of incoming requests by handler.")
                                          .Register(registry),
                     .response_bytes = prometheus::BuildSummary()
                                           .Name("http_response_size_bytes")
                                           .Help("Content length of outgoing responses by handler.")
                                           .Register(registry),
                     .duration = prometheus::BuildHistogram()
                                     .Name("http_request_duration_seconds")
                                     .Help("Latency with only few buckets by handler.")
                                     .Register(registry),
                     .fine_duration = prometheus::BuildHistogram()
                                          .Name("http_request_duration_highr_seconds")
                                          .Help("Latency with many buckets but no labels.")
                                          .Register(registry)
                                          .Add({}, kFineBuckets)}) {}

HttpMetrics::~HttpMetrics() = default;

void HttpMetrics::on_response(const ServedRequest& request) {
  const std::string handler(request.handler), method = known_method(request.method);
  const std::string status = std::to_string(request.status / 100) + "xx";
  impl_->requests.Add({{"handler", handler}, {"method", method}, {"status", status}}).Increment();
  const prometheus::Summary::Quantiles none;
  impl_->request_bytes.Add({{"handler", handler}}, none).Observe(static_cast<double>(request.request_bytes));
  impl_->response_bytes.Add({{"handler", handler}}, none).Observe(static_cast<double>(request.response_bytes));
  impl_->duration.Add({{"handler", handler}, {"method", method}}, kBuckets).Observe(request.seconds);
  impl_->fine_duration.Observe(request.seconds);
}

}  // namespace ingot::http
