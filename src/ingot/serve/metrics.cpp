// Histograms live in the registry; the engine's own figures are collected from its stats when someone looks.
#include "ingot/serve/metrics.h"

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <prometheus/collectable.h>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace ingot::serve {

namespace {

using prometheus::Counter;
using prometheus::Histogram;
using prometheus::Labels;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Buckets = Histogram::BucketBoundaries;

const Buckets kFirstTokenBuckets = {.001, .005, .01, .02, .04, .06, .08, .1, .25, .5,  .75,
                                    1,    2.5,  5,   7.5, 10,  20,  40,  80, 160, 640, 2560};
const Buckets kTokenBuckets = {.01, .025, .05, .075, .1, .15, .2, .3, .4, .5, .75, 1, 2.5, 5, 7.5, 10, 20, 40, 80};
const Buckets kRequestBuckets = {.3, .5, .8, 1,  1.5, 2,   2.5, 5,   10,   15,  20,
                                 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680};
const Buckets kChoicesBuckets = {1, 2, 5, 10, 20};

// 1, 2, 5 · 10^k up to `max`.
Buckets length_buckets(int32_t max) {
  Buckets buckets;
  for (double decade = 1;; decade *= 10) {
    for (const double mantissa : {1, 2, 5}) {
      if (mantissa * decade > max) return buckets;
      buckets.push_back(mantissa * decade);
    }
  }
}

struct Scrape {  // one figure of the engine's
  const char* name;
  const char* help;
  MetricType type;
  double (*value)(const EngineStats&);
};

double nothing(const EngineStats&) { return 0.0; }  // told from the start, for dashboards that expect it
double uncached(const EngineStats& s) { return static_cast<double>(s.prompt_tokens - s.prompt_tokens_cached); }

const Scrape kScrapes[] = {
    {"vllm:num_requests_running", "Number of requests in model execution batches.", MetricType::Gauge,
     [](const EngineStats& s) { return static_cast<double>(s.num_running); }},
    {"vllm:num_requests_waiting", "Number of requests waiting to be processed.", MetricType::Gauge,
     [](const EngineStats& s) { return static_cast<double>(s.num_waiting); }},
    {"vllm:kv_cache_usage_perc", "KV-cache usage. 1 means 100 percent usage.", MetricType::Gauge,
     [](const EngineStats& s) { return s.kv_cache_usage; }},
    {"vllm:prefix_cache_queries_total", "Prefix cache queries, in terms of number of queried tokens.",
     MetricType::Counter, [](const EngineStats& s) { return static_cast<double>(s.prefix_cache_queries); }},
    {"vllm:prefix_cache_hits_total", "Prefix cache hits, in terms of number of cached tokens.", MetricType::Counter,
     [](const EngineStats& s) { return static_cast<double>(s.prefix_cache_hits); }},
    {"vllm:num_preemptions_total", "Cumulative number of preemptions from the engine.", MetricType::Counter,
     [](const EngineStats& s) { return static_cast<double>(s.num_preemptions); }},
    {"vllm:prompt_tokens_total", "Number of prefill tokens processed.", MetricType::Counter,
     [](const EngineStats& s) { return static_cast<double>(s.prompt_tokens); }},
    {"vllm:prompt_tokens_cached_total", "Number of prompt tokens taken from the prefix cache.", MetricType::Counter,
     [](const EngineStats& s) { return static_cast<double>(s.prompt_tokens_cached); }},
    {"vllm:generation_tokens_total", "Number of generation tokens processed.", MetricType::Counter,
     [](const EngineStats& s) { return static_cast<double>(s.generation_tokens); }},
    {"vllm:external_prefix_cache_queries_total", "External prefix cache queries from KV connectors, in tokens.",
     MetricType::Counter, nothing},
    {"vllm:external_prefix_cache_hits_total", "External prefix cache hits from KV connectors, in tokens.",
     MetricType::Counter, nothing},
    {"vllm:mm_cache_queries_total", "Multi-modal cache queries, in items.", MetricType::Counter, nothing},
    {"vllm:mm_cache_hits_total", "Multi-modal cache hits, in items.", MetricType::Counter, nothing},
};

prometheus::ClientMetric::Histogram histogram_of(const StepTokens& steps) {
  prometheus::ClientMetric::Histogram histogram;
  for (size_t i = 0; i < steps.counts.size(); ++i) {
    histogram.sample_count += steps.counts[i];
    histogram.bucket.push_back({.cumulative_count = histogram.sample_count,
                                .upper_bound = i < StepTokens::kBounds.size() ? StepTokens::kBounds[i] : INFINITY});
  }
  histogram.sample_sum = static_cast<double>(steps.sum);
  return histogram;
}

// The engine's stats as metric families with the model's labels.
std::vector<MetricFamily> collect(const EngineStats& stats, const Labels& labels) {
  const auto sample = [&](MetricType type, double value, const Labels& more) {
    prometheus::ClientMetric metric;
    for (const auto& [name, text] : labels) metric.label.push_back({name, text});
    for (const auto& [name, text] : more) metric.label.push_back({name, text});
    (type == MetricType::Gauge ? metric.gauge.value : metric.counter.value) = value;
    return metric;
  };
  std::vector<MetricFamily> families;
  for (const Scrape& scrape : kScrapes) {
    families.push_back({scrape.name, scrape.help, scrape.type, {sample(scrape.type, scrape.value(stats), {})}});
  }
  families.push_back({"vllm:num_requests_waiting_by_reason",
                      "Number of requests waiting to be processed, by reason.",
                      MetricType::Gauge,
                      {sample(MetricType::Gauge, stats.num_waiting, {{"reason", "capacity"}}),
                       sample(MetricType::Gauge, 0, {{"reason", "deferred"}})}});
  families.push_back({"vllm:engine_sleep_state",
                      "Engine sleep state: 1 for the state that the engine is in.",
                      MetricType::Gauge,
                      {sample(MetricType::Gauge, 1, {{"sleep_state", "awake"}}),
                       sample(MetricType::Gauge, 0, {{"sleep_state", "weights_offloaded"}}),
                       sample(MetricType::Gauge, 0, {{"sleep_state", "discard_all"}})}});
  families.push_back({"vllm:iteration_tokens_total",
                      "Histogram of number of tokens per engine_step.",
                      MetricType::Histogram,
                      {sample(MetricType::Histogram, 0, {})}});
  families.back().metric[0].histogram = histogram_of(stats.step_tokens);
  families.push_back(
      {"vllm:prompt_tokens_by_source_total",
       "Number of prompt tokens by source.",
       MetricType::Counter,
       {sample(MetricType::Counter, uncached(stats), {{"source", "local_compute"}}),
        sample(MetricType::Counter, static_cast<double>(stats.prompt_tokens_cached), {{"source", "local_cache_hit"}}),
        sample(MetricType::Counter, 0, {{"source", "external_kv_transfer"}})}});
  return families;
}

}  // namespace

struct Metrics::Impl {
  std::shared_ptr<prometheus::Registry> registry;
  Labels labels;
  std::function<EngineStats()> stats;

  Histogram *first_token, *inter_token, *time_per_output_token;
  Histogram *e2e, *queue, *inference, *prefill, *decode;
  Histogram *prompt_tokens, *generation_tokens, *max_generation_tokens, *max_tokens, *computed_tokens, *choices;
  std::array<Counter*, 5> success;  // by FinishReason

  Histogram* histogram(const char* name, const char* help, const Buckets& buckets) {
    return &prometheus::BuildHistogram().Name(name).Help(help).Register(*registry).Add(labels, buckets);
  }
  void build_latencies();
  void build_counts(int32_t max_model_len);
  void build_cache_info(const std::map<std::string, std::string>& config);
};

void Metrics::Impl::build_latencies() {
  first_token = histogram("vllm:time_to_first_token_seconds", "Time to first token in seconds.", kFirstTokenBuckets);
  inter_token = histogram("vllm:inter_token_latency_seconds", "Inter-token latency in seconds.", kTokenBuckets);
  time_per_output_token = histogram("vllm:request_time_per_output_token_seconds",
                                    "Mean time per output token of a request in seconds.", kTokenBuckets);
  e2e = histogram("vllm:e2e_request_latency_seconds", "End to end request latency in seconds.", kRequestBuckets);
  queue = histogram("vllm:request_queue_time_seconds", "Time spent in the WAITING phase.", kRequestBuckets);
  inference = histogram("vllm:request_inference_time_seconds", "Time spent in the RUNNING phase.", kRequestBuckets);
  prefill = histogram("vllm:request_prefill_time_seconds", "Time spent in the PREFILL phase.", kRequestBuckets);
  decode = histogram("vllm:request_decode_time_seconds", "Time spent in the DECODE phase.", kRequestBuckets);
}

void Metrics::Impl::build_counts(int32_t max_model_len) {
  const Buckets lengths = length_buckets(max_model_len);
  prompt_tokens = histogram("vllm:request_prompt_tokens", "Number of prefill tokens of a request.", lengths);
  generation_tokens = histogram("vllm:request_generation_tokens", "Number of generated tokens of a request.", lengths);
  max_generation_tokens = histogram("vllm:request_max_num_generation_tokens",
                                    "Maximum number of generated tokens over a request's choices.", lengths);
  max_tokens = histogram("vllm:request_params_max_tokens", "The max_tokens request parameter.", lengths);
  computed_tokens = histogram("vllm:request_prefill_kv_computed_tokens",
                              "Prompt tokens whose state was computed, cached ones excluded.", lengths);
  choices = histogram("vllm:request_params_n", "The n request parameter.", kChoicesBuckets);
  auto& family = prometheus::BuildCounter()
                     .Name("vllm:request_success_total")
                     .Help("Count of finished requests by reason.")
                     .Register(*registry);
  constexpr const char* kReasons[] = {"stop", "length", "abort", "error", "repetition"};
  for (size_t i = 0; i < success.size(); ++i) {
    Labels with_reason = labels;
    with_reason["finished_reason"] = kReasons[i];
    success[i] = &family.Add(with_reason);
  }
}

void Metrics::Impl::build_cache_info(const std::map<std::string, std::string>& config) {
  Labels with_config(config.begin(), config.end());
  with_config["engine"] = labels.at("engine");
  prometheus::BuildGauge()
      .Name("vllm:cache_config_info")
      .Help("Information of the LLMEngine CacheConfig.")
      .Register(*registry)
      .Add(with_config)
      .Set(1);
}

Metrics::Metrics(std::shared_ptr<prometheus::Registry> registry, const MetricsLabels& labels,
                 std::function<EngineStats()> stats)
    : impl_(std::make_unique<Impl>()) {
  impl_->registry = std::move(registry);
  impl_->labels = {{"engine", "0"}, {"model_name", labels.model_name}};
  impl_->stats = std::move(stats);
  impl_->build_latencies();
  impl_->build_counts(labels.max_model_len);
  impl_->build_cache_info(labels.cache_config);
}

Metrics::~Metrics() = default;

void Metrics::on_call(int32_t n) { impl_->choices->Observe(n); }

void Metrics::on_first_token(const RequestTimes& times) {
  impl_->first_token->Observe(seconds_between(times.arrival, times.first_token));
}

void Metrics::on_next_token(double seconds) { impl_->inter_token->Observe(seconds); }

void Metrics::on_finish(const FinishedChoice& choice) {
  impl_->success[static_cast<size_t>(choice.reason)]->Increment();
  impl_->prompt_tokens->Observe(choice.num_prompt_tokens);
  impl_->generation_tokens->Observe(choice.num_output_tokens);
  impl_->max_tokens->Observe(choice.max_tokens);
  impl_->computed_tokens->Observe(choice.num_prompt_tokens - choice.num_cached_tokens);
  const RequestTimes& times = choice.times;
  if (times.first_token == TimePoint{}) return;  // ended before its first token: no phase is complete
  const double decode_s = seconds_between(times.first_token, times.last_token);
  impl_->e2e->Observe(seconds_between(times.arrival, times.last_token));
  impl_->queue->Observe(seconds_between(times.arrival, times.first_scheduled));
  impl_->prefill->Observe(seconds_between(times.first_scheduled, times.first_token));
  impl_->decode->Observe(decode_s);
  impl_->inference->Observe(seconds_between(times.first_scheduled, times.last_token));
  if (choice.num_output_tokens > 1) impl_->time_per_output_token->Observe(decode_s / (choice.num_output_tokens - 1));
}

void Metrics::on_call_end(int32_t max_num_output_tokens) {
  impl_->max_generation_tokens->Observe(max_num_output_tokens);
}

std::vector<MetricFamily> Metrics::collect_engine() const { return collect(impl_->stats(), impl_->labels); }

}  // namespace ingot::serve
