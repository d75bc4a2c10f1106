// Builds all metrics once, without a model, and lists them.
#include "ingot/apps/metrics_page.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>

#include "ingot/http/http_metrics.h"
#include "ingot/serve/metrics.h"
#include "ingot/serve/process_metrics.h"

namespace ingot {
namespace {

std::vector<prometheus::MetricFamily> all_metrics() {
  const auto registry = std::make_shared<prometheus::Registry>();
  const serve::Metrics metrics(registry, {.model_name = "m", .max_model_len = 1, .cache_config = {{"block_size", ""}}},
                               [] { return EngineStats{}; });
  http::HttpMetrics http(*registry);
  http.on_response({.handler = "/", .method = "GET", .status = 200});
  std::vector<prometheus::MetricFamily> families = metrics.collect_engine();
  std::ranges::move(registry->Collect(), std::back_inserter(families));
  std::ranges::move(serve::collect_process(), std::back_inserter(families));
  std::ranges::sort(families, {}, &prometheus::MetricFamily::name);
  return families;
}

const char* type_name(prometheus::MetricType type) {
  switch (type) {
    case prometheus::MetricType::Counter:
      return "counter";
    case prometheus::MetricType::Gauge:
      return "gauge";
    case prometheus::MetricType::Histogram:
      return "histogram";
    case prometheus::MetricType::Summary:
      return "summary";
    default:
      return "untyped";
  }
}

}  // namespace

std::string metrics_page() {
  std::string page =
      "# Metrics of `GET /metrics`\n\nMade by `make docs`. The names and labels are vLLM's, so its dashboards work; a "
      "metric whose feature is not there stays 0.\n\n| metric | type | labels | meaning |\n|---|---|---|---|\n";
  for (const prometheus::MetricFamily& family : all_metrics()) {
    std::set<std::string> labels;
    for (const auto& metric : family.metric)
      for (const auto& label : metric.label) labels.insert("`" + label.name + "`");
    page += fmt::format("| `{}` | {} | {} | {} |\n", family.name, type_name(family.type), fmt::join(labels, " "),
                        family.help);
  }
  return page;
}

}  // namespace ingot
