// The list, in the order of vllm's groups. A flag leaves it when it is built.
#include "ingot/config/unbuilt_flags.h"

#include <algorithm>
#include <iterator>
#include <string>

namespace ingot {
namespace {

// clang-format off
constexpr std::string_view kNames[] = {
    "--uds", "--root-path", "--allowed-origins", "--allowed-methods", "--allowed-headers", "--allow-credentials",
    "--ssl-keyfile", "--ssl-certfile", "--ssl-ca-certs", "--ssl-cert-reqs", "--disable-access-log-for-endpoints",
    "--disable-fastapi-docs", "--middleware", "--api-server-count", "-asc", "--h11-max-incomplete-event-size",
    "--h11-max-header-count", "--grpc", 
    "--enable-auto-tool-choice",
    "--tool-call-parser", "--tool-parser-plugin", "--exclude-tools-when-tool-choice-none", "--reasoning-parser",
    "--return-tokens-as-token-ids", "--enable-per-request-metrics", "--enable-server-load-tracking",
    "--enable-tokenizer-info-endpoint", "--enable-log-requests", "--enable-log-outputs", "--max-log-len",
    "--lora-modules", "--tool-server", "--fingerprint-mode", "--tokenizer-mode", "--revision",
    "--tokenizer-revision", "--trust-remote-code", "--quantization", "-q", "--download-dir",
    "--hf-token", "--config-format", "--runner", "--convert", "--pooler-config",
    "--skip-tokenizer-init", "--enable-prompt-embeds",
    "--enable-sleep-mode", "--disable-sliding-window", "--model-impl", "--logits-processors",
    "--renderer-num-workers", "--allowed-local-media-path", "--allowed-media-domains", "--kv-cache-dtype",
    "--prefix-caching-hash-algo", "--prefix-match-unit", "--prefix-cache-retention-interval", "--mamba-cache-dtype",
    "--mamba-ssm-cache-dtype", "--mamba-cache-mode", "--mamba-block-size", "--kv-offloading-size",
    "--cpu-offload-gb", "--max-num-scheduled-tokens", "--async-scheduling", "--stream-interval",
    "--disable-chunked-mm-input", "--disable-hybrid-kv-cache-manager", "--performance-mode",
    "--tensor-parallel-size", "-tp", "--pipeline-parallel-size", "-pp", "--data-parallel-size", "-dp",
    "--data-parallel-backend", "--data-parallel-size-local", "--data-parallel-address", "--data-parallel-rpc-port",
    "--distributed-executor-backend", "--nnodes", "--node-rank", "--master-addr", "--master-port",
    "--enable-expert-parallel", "--headless", "--speculative-config", "-sc", "--spec-method", "--spec-model",
    "--spec-tokens", "--per-request-spec-decode-metrics", "--limit-mm-per-prompt", "--media-io-kwargs",
    "--mm-processor-kwargs", "--mm-processor-cache-gb", "--mm-processor-cache-type", "--mm-hasher-algorithm",
    "--interleave-mm-strings", "--language-model-only", "--skip-mm-profiling", "--enable-mm-embeds",
    "--video-pruning-rate", "--enable-lora", "--max-loras", "--max-lora-rank", "--max-cpu-loras", "--lora-dtype",
    "--lora-target-modules", "--default-mm-loras", "--enable-tower-connector-lora", "--structured-outputs-config",
    "--reasoning-config", "--kv-transfer-config", "--kv-events-config", "--additional-config", "--profiler-config",
    "--kv-cache-metrics", "--show-hidden-metrics-for-version", "--otlp-traces-endpoint",
    "--enable-logging-iteration-details",
};
// clang-format on

}  // namespace

bool is_unbuilt_flag(std::string_view name) {
  const std::string base(name.substr(0, name.find('.')));
  const std::string positive = base.starts_with("--no-") ? "--" + base.substr(5) : base;
  return std::ranges::find(kNames, positive) != std::end(kNames);
}

}  // namespace ingot
