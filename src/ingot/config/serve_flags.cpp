// One row a flag.
#include "ingot/config/serve_flags.h"

#include <cstdlib>
#include <limits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ingot/config/flag_table.h"

namespace ingot {
namespace {

constexpr const char* kModel = "Model";
constexpr const char* kCache = "KV cache";
constexpr const char* kScheduler = "Scheduler";
constexpr const char* kServer = "Server";
constexpr const char* kReplies = "Front end";

constexpr int64_t kMaxTokens = std::numeric_limits<int32_t>::max();
constexpr double kMaxSeed = 9007199254740991;  // that a double is sure of
constexpr int64_t kMaxBytes = int64_t{1} << 50;

LogprobsMode logprobs_mode(std::string_view name) {
  if (name == "processed_logprobs") return LogprobsMode::kProcessedLogprobs;
  if (name == "raw_logits") return LogprobsMode::kRawLogits;
  return name == "processed_logits" ? LogprobsMode::kProcessedLogits : LogprobsMode::kRawLogprobs;
}

void add_model_flags(CLI::App& app, FlagTable& t, ServeConfig& c) {
  ModelSource& source = c.source;
  app.add_option("model,--model", source.model,
                 "Path of a .gguf file, or of a folder as Hugging Face lays it out (config.json, safetensors, "
                 "tokenizer.json). Default: SmolLM2-135M-Instruct, as `make model` fetched it")
      ->group(kModel)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeFirst)  // what the command line says comes first
      ->type_name("PATH");
  t.choice<LoadFormat>(kModel, "--load-format", source.load_format,
                       {{"auto", LoadFormat::kAuto},
                        {"safetensors", LoadFormat::kSafetensors},
                        {"gguf", LoadFormat::kGguf},
                        {"dummy", LoadFormat::kDummy}},
                       "auto: by what the path holds; dummy: random weights for the folder's config.json");
  t.choice<WeightDtype>(kModel, "--dtype", source.dtype,
                        {{"auto", WeightDtype::kAuto},
                         {"half", WeightDtype::kFloat16},
                         {"float16", WeightDtype::kFloat16},
                         {"bfloat16", WeightDtype::kBfloat16},
                         {"float", WeightDtype::kFloat32},
                         {"float32", WeightDtype::kFloat32}},
                        "Of dense weight matrices in memory; auto: as stored. Quantised ones stay as stored");
  t.json(kModel, "--hf-overrides", source.hf_overrides,
         "Laid over config.json, nested objects key by key; --hf-overrides.KEY VALUE sets one key");
  t.value(kModel, "--tokenizer", source.tokenizer, "Folder, or tokenizer.json, to read instead of the model's own")
      ->type_name("PATH");
  t.count(
      kModel, "--max-model-len", {1, kMaxTokens, {"auto", "-1"}},
      [&source](std::optional<int64_t> count) {
        source.fit_max_model_len = !count;
        source.max_model_len = count ? std::optional(static_cast<int32_t>(*count)) : std::nullopt;
      },
      "Longest prompt + output, tokens (1k = 1000, 1K = 1024); auto: as long as the model and the KV cache allow. "
      "Default: what the model was made for");
  t.value(kModel, "--generation-config", source.generation_config,
          "auto: sampling defaults from the model; vllm: none; or a folder with another generation_config.json")
      ->type_name("auto|vllm|FOLDER");
  t.json(kModel, "--override-generation-config", source.generation_overrides, "Laid over generation_config.json");
  t.value(kModel, "--max-logprobs", c.max_logprobs, "Most logprobs that a request may ask for a token; -1: no limit")
      ->check(within(-1, kMaxTokens));
  t.choice(
      kModel, "--logprobs-mode", [&c](const std::string& name) { c.logprobs_mode = logprobs_mode(name); },
      {"raw_logprobs", "processed_logprobs", "raw_logits", "processed_logits"},
      "What logprobs are: raw: of the model's logits; processed: after penalties, temperature and cuts; logits: no log "
      "probabilities but logits");
  t.value(kModel, "--seed", source.seed,
          "Seeds dummy weights, and the requests that name no seed: the same requests in the same order get the same "
          "replies after every "
          "start; -1: other ones each time")
      ->check(within(-1, kMaxSeed));
}

void add_cache_flags(FlagTable& t, ServeConfig& c) {
  t.count(kCache, "--kv-cache-memory-bytes", c.kv_budget.memory_bytes, 1, kMaxBytes,
          "Size of the KV cache (4G = 4 GiB). Default: the smaller of 4 GiB and 0.4 of available memory");
  t.value(kCache, "--gpu-memory-utilization", c.kv_budget.memory_utilization,
          "Share of available memory that weights and KV cache may take")
      ->check(within(0.01, 1.0));
  t.count(kCache, "--num-gpu-blocks-override", c.kv_budget.num_blocks, 2, kMaxTokens,
          "Number of KV blocks, at most what the memory holds");
  t.value(kCache, "--block-size", c.cache.block_size, "Tokens a KV block")
      ->check(one_of({"16", "32", "64", "128"}))
      ->type_name("16|32|64|128");
  t.flag(kCache, "--enable-prefix-caching,!--no-enable-prefix-caching", c.cache.enable_prefix_caching,
         "Keep finished prompts' blocks for requests that begin alike");
}

void add_scheduler_flags(FlagTable& t, ServeConfig& c) {
  SchedulerConfig& s = c.scheduler;
  t.count(kScheduler, "--max-num-batched-tokens", s.max_num_batched_tokens, 1, kMaxTokens,
          "Tokens a step: lower for steadier streams, higher for faster prompts");
  t.count(kScheduler, "--max-num-seqs", s.max_num_seqs, 1, 1 << 16, "Requests that run at once");
  t.count(kScheduler, "--long-prefill-token-threshold", s.long_prefill_token_threshold, 0, kMaxTokens,
          "Most tokens of one prompt in a step; 0: the budget");
  t.flag(kScheduler, "--enable-chunked-prefill,!--no-enable-chunked-prefill", s.enable_chunked_prefill,
         "Cut long prompts over several steps");
  t.choice(
      kScheduler, "--scheduling-policy",
      [&s](const std::string& name) {
        s.policy = name == "priority" ? SchedulingPolicy::kPriority : SchedulingPolicy::kFcfs;
      },
      {"fcfs", "priority"}, "fcfs: first come, first served; priority: by the requests' priority field");
  t.value(kScheduler, "--watermark", s.watermark, "Share of KV blocks kept free when a request is let in beside others")
      ->check(within(0.0, 1.0));
  t.flag(kScheduler, "--scheduler-reserve-full-isl,!--no-scheduler-reserve-full-isl", s.reserve_full_prompt,
         "Let a request in only when its whole prompt fits");
  t.count(kScheduler, "--max-num-queued-reqs", s.max_num_queued_reqs, 0, kMaxTokens,
          "Requests that may wait; more get 503. 0: no limit but memory");
  t.count(kScheduler, "--max-num-queued-tokens", s.max_num_queued_tokens, 0, kMaxBytes,
          "Prompt tokens that may wait; more get 503. 0: 256 MiB of them");
}

void add_server_flags(CLI::App& app, FlagTable& t, ServeConfig& c) {
  t.value(kServer, "--host", c.host, "Address to listen on; 0.0.0.0 for every interface");
  t.value(kServer, "--port", c.port, "Port; 0: one that is free")->check(within(0, 65535));
  t.list(kServer, "--api-key", c.api_keys, "KEY",
         "Keys, one of which every /v1 request must carry as a Bearer token. Default: $VLLM_API_KEY, else none");
  t.count(kServer, "--shutdown-timeout", c.shutdown_timeout_s, 0, 1 << 20,
          "Seconds that running requests get to end after SIGTERM; 0: none");
  t.count(kServer, "--sse-keep-alive-interval", c.sse_keep_alive_interval_s, 0, 1 << 20,
          "Seconds of silence after which a stream sends a comment line; 0: never");
  app.add_option("--config", "YAML file of flags; the command line and the environment win")
      ->group(kServer)
      ->type_name("FILE");
}

void add_reply_flags(FlagTable& t, ServeConfig& c) {
  t.list(kReplies, "--served-model-name", c.served_model_names, "NAME",
         "Names that requests may use; the first stands in replies. Default: the model's own");
  t.value(kReplies, "--chat-template", c.source.chat_template,
          "Chat template in place of the model's: a file, or the Jinja text itself")
      ->type_name("FILE|TEXT");
  t.choice(kReplies, "--chat-template-content-format", c.chat_template_content_format, {"auto", "string", "openai"},
           "What templates are given as a message's content: one text, or OpenAI's list of parts");
  t.json(kReplies, "--default-chat-template-kwargs", c.chat_template_kwargs,
         "Variables for the chat template, under those of a request's chat_template_kwargs");
  t.flag(kReplies, "--trust-request-chat-template,!--no-trust-request-chat-template", c.trust_request_chat_template,
         "Let requests bring their own chat_template");
  t.value(kReplies, "--response-role", c.response_role, "Role of chat replies");
  t.flag(kReplies, "--enable-prompt-tokens-details,!--no-enable-prompt-tokens-details", c.enable_prompt_tokens_details,
         "Report cached prompt tokens in usage");
  t.flag(kReplies, "--enable-force-include-usage,!--no-enable-force-include-usage", c.enable_force_include_usage,
         "Report usage in every stream");
  t.flag(kReplies, "--enable-request-id-headers,!--no-enable-request-id-headers", c.enable_request_id_headers,
         "Send X-Request-Id in every reply");
  t.flag(kReplies, "--access-log,!--disable-uvicorn-access-log", c.access_log, "Log a line a request");
  t.flag(kReplies, "--log-stats,!--disable-log-stats", c.log_stats, "Log throughput every 10 s");
  t.choice(kReplies, "--uvicorn-log-level,--log-level", c.log_level, {"debug", "info", "warning", "error"},
           "How much to log");
}

void add_flags(CLI::App& app, ServeConfig& c) {
  add_engine_flags(app, c);
  FlagTable table(app);
  add_server_flags(app, table, c);
  add_reply_flags(table, c);
  app.footer(
      "Examples:\n"
      "  ingot serve                                   the default model on 127.0.0.1:8000\n"
      "  ingot serve model.gguf --port 9000            another model and port\n"
      "  ingot serve ~/models/Llama-3.2-1B-Instruct    a folder of safetensors\n"
      "  ingot serve --host 0.0.0.0 --api-key secret   for the whole network, behind a key\n"
      "  ingot serve --max-num-batched-tokens 512      steadier streams beside long prompts");
}

}  // namespace

void add_engine_flags(CLI::App& app, ServeConfig& c) {
  FlagTable table(app);
  add_model_flags(app, table, c);
  add_cache_flags(table, c);
  add_scheduler_flags(table, c);
}

Result<std::variant<ServeConfig, HelpText>> parse_serve_flags(std::span<const std::string> arguments) {
  ServeConfig config;
  CLI::App app("Serves a model over the OpenAI API.", "ingot serve");
  add_flags(app, config);
  auto help = parse_command_line(app, arguments);
  if (!help) return std::unexpected(help.error());
  if (*help) return std::move(**help);
  if (const char* key = std::getenv("VLLM_API_KEY"); key && *key && config.api_keys.empty())
    config.api_keys.push_back(key);
  return config;
}

std::string serve_flags_page() {
  ServeConfig config;
  CLI::App app;
  add_flags(app, config);
  std::string page =
      "# Flags of `ingot serve`\n\nMade by `make docs` from the table in `src/ingot/config/serve_flags.cpp`. "
      "`-` and `_` are equal in names.\n\n"
      "A flag's value comes from the command line, else from the environment (`INGOT_MAX_NUM_SEQS=4` for "
      "`--max-num-seqs 4`; values of a list apart by blanks), else from the YAML file that `--config` names "
      "(`max-num-seqs: 4`). `--help=GROUP`, `--help=FLAG` and `--help=all` explain parts of the table.\n";
  for (const char* group : {kModel, kCache, kScheduler, kServer, kReplies}) {
    page += fmt::format("\n## {}\n| flag | default | meaning |\n|---|---|---|\n", group);
    for (const CLI::Option* option : app.get_options()) {
      if (option->get_group() != group) continue;
      page += fmt::format("| `{}` | {} | {} |\n", fmt::join(flag_names(*option), "`, `"), option->get_default_str(),
                          option->get_description());
    }
  }
  return page;
}

}  // namespace ingot
