// What the HTTP side talks to: the open model, the workers that prepare calls, metrics and the periodic log line.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>

#include "ingot/serve/call.h"
#include "ingot/serve/stats_log.h"
#include "ingot/serve/worker_pool.h"

namespace ingot::serve {

struct ServiceOptions {
  int num_workers = 2;                             // threads that parse, render and tokenise
  std::chrono::milliseconds log_interval{10'000};  // 0 = no log line
};

// Serves no model until open(): calls are then refused with 503. Every method may be called from any thread.
class Service {
 public:
  explicit Service(ServiceOptions options = {});
  ~Service();

  // Once. `cache_config`: the labels of vllm:cache_config_info.
  void open(ServedModel model, std::shared_ptr<Engine> engine, const std::map<std::string, std::string>& cache_config);

  bool healthy() const;  // a model is open and its engine is ready and alive

  // Null before open().
  std::shared_ptr<const OpenModel> model() const;

  // Null before open(). The call is on its way to a worker; see call.h for `wake`.
  std::shared_ptr<Call> start(Call::Task task, CallInput input, Call::Wake wake);

  // Where the HTTP side adds its own metrics.
  prometheus::Registry& registry() { return *registry_; }
  std::string metrics_text() const;  // Prometheus' text format 0.0.4

 private:
  const ServiceOptions options_;
  const std::shared_ptr<prometheus::Registry> registry_;
  mutable std::mutex mutex_;  // guards open_
  std::shared_ptr<const OpenModel> open_;
  std::unique_ptr<StatsLog> stats_log_;
  WorkerPool workers_;
};

}  // namespace ingot::serve
