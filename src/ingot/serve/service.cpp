// Wiring: nothing here decides anything.
#include "ingot/serve/service.h"

#include <iterator>
#include <utility>

#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include "ingot/serve/process_metrics.h"

namespace ingot::serve {

namespace {

constexpr size_t kLongBody = 256u << 10;  // takes up to a second to tokenise

}  // namespace

Service::Service(ServiceOptions options)
    : options_(options), registry_(std::make_shared<prometheus::Registry>()), workers_(options.num_workers) {}

Service::~Service() = default;

void Service::open(ServedModel model, std::shared_ptr<Engine> engine,
                   const std::map<std::string, std::string>& cache_config) {
  auto open = std::make_shared<OpenModel>();
  open->metrics = std::make_unique<Metrics>(registry_,
                                            MetricsLabels{.model_name = model.defaults.model_names.front(),
                                                          .max_model_len = model.defaults.max_model_len,
                                                          .cache_config = cache_config},
                                            [engine] { return engine->stats(); });
  open->model = std::move(model);
  open->engine = engine;
  if (options_.log_interval.count() > 0) {
    stats_log_ = std::make_unique<StatsLog>([engine] { return engine->stats(); }, options_.log_interval);
  }
  std::lock_guard lock(mutex_);
  open_ = std::move(open);
}

bool Service::healthy() const {
  const auto open = model();
  return open && open->engine->ready() && open->engine->alive();
}

std::shared_ptr<const OpenModel> Service::model() const {
  std::lock_guard lock(mutex_);
  return open_;
}

std::shared_ptr<Call> Service::start(Call::Task task, CallInput input, Call::Wake wake) {
  auto open = model();
  if (!open) return nullptr;
  const bool is_long = input.body.size() > kLongBody;
  auto call = std::make_shared<Call>(task, std::move(input), std::move(open), std::move(wake));
  workers_.post([call] { call->start(); }, is_long);
  return call;
}

std::string Service::metrics_text() const {
  std::vector<prometheus::MetricFamily> families;
  if (const auto open = model()) families = open->metrics->collect_engine();
  std::ranges::move(registry_->Collect(), std::back_inserter(families));
  std::ranges::move(collect_process(), std::back_inserter(families));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace ingot::serve
