// Key order as vLLM's GenerateRequest and SamplingParams.
#include "ingot/api/render.h"

#include "ingot/api/json_writer.h"

namespace ingot::api {
namespace {

// Writes members that differ from their defaults.
class Differences {
 public:
  explicit Differences(JsonWriter& out) : out_(out) {}

  void number(std::string_view name, float value, float usual) {
    if (value != usual) out_.key(name).number(value);
  }
  void integer(std::string_view name, int64_t value, int64_t usual) {
    if (value != usual) out_.integer(name, value);
  }
  void integer(std::string_view name, const std::optional<int32_t>& value) {
    if (value) out_.integer(name, *value);
  }
  void boolean(std::string_view name, bool value, bool usual) {
    if (value != usual) out_.boolean(name, value);
  }
  void ids(std::string_view name, std::span<const int32_t> values) {
    if (values.empty()) return;
    out_.key(name).open_array();
    for (const int32_t id : values) out_.integer(id);
    out_.close_array();
  }
  void texts(std::string_view name, std::span<const std::string> values) {
    if (values.empty()) return;
    out_.key(name).open_array();
    for (const std::string& text : values) out_.string(text);
    out_.close_array();
  }

 private:
  JsonWriter& out_;
};

void write_logit_bias(JsonWriter& out, const SamplingParams& params) {
  if (params.logit_bias.empty()) return;
  out.key("logit_bias").open_object();
  for (const auto& [id, bias] : params.logit_bias) out.key(std::to_string(id)).number(bias);
  out.close_object();
}

void write_repetition_detection(JsonWriter& out, const RepetitionDetection& detection) {
  if (detection.max_pattern_size == 0) return;
  out.key("repetition_detection").open_object();
  out.integer("max_pattern_size", detection.max_pattern_size);
  out.integer("min_pattern_size", detection.min_pattern_size);
  out.integer("min_count", detection.min_count).close_object();
}

void write_sampling(JsonWriter& out, const RenderedRequest& request) {
  const SamplingFields& fields = request.sampling;
  const SamplingParams& params = fields.params;
  out.open_object();
  Differences differences(out);
  differences.integer("n", fields.n, 1);
  differences.number("presence_penalty", params.presence_penalty, 0);
  differences.number("frequency_penalty", params.frequency_penalty, 0);
  differences.number("repetition_penalty", params.repetition_penalty, 1);
  differences.number("temperature", params.temperature, 1);
  differences.number("top_p", params.top_p, 1);
  differences.integer("top_k", params.top_k, 0);
  differences.number("min_p", params.min_p, 0);
  if (fields.seed) out.integer("seed", *fields.seed);
  differences.texts("stop", fields.stop);
  differences.ids("stop_token_ids", params.stop_token_ids);
  differences.boolean("ignore_eos", params.eos_token_ids.empty(), false);
  out.integer("max_tokens", request.max_tokens);
  differences.integer("min_tokens", params.min_tokens, 0);
  differences.integer("logprobs", params.num_logprobs);
  differences.integer("prompt_logprobs", params.num_prompt_logprobs);
  differences.ids("logprob_token_ids", params.logprob_token_ids);
  differences.boolean("skip_special_tokens", fields.skip_special_tokens, true);
  differences.boolean("include_stop_str_in_output", fields.include_stop_str_in_output, false);
  differences.integer("stream_interval", request.options.stream_interval, 1);
  write_logit_bias(out, params);
  differences.ids("allowed_token_ids", params.allowed_token_ids);
  differences.texts("bad_words", fields.bad_words);
  write_repetition_detection(out, params.repetition_detection);
  out.close_object();
}

void write_stream(JsonWriter& out, const RequestOptions& options) {
  out.boolean("stream", options.stream).key("stream_options");
  if (!options.stream || !options.include_usage) {
    out.null();
    return;
  }
  out.open_object().boolean("include_usage", true);
  out.boolean("continuous_usage_stats", options.continuous_usage_stats).close_object();
}

}  // namespace

std::string render_body(const RenderedRequest& request) {
  JsonWriter out;
  out.open_object().string("request_id", request.id).key("token_ids").open_array();
  for (const int32_t id : request.token_ids) out.integer(id);
  out.close_array().null("token_offsets").null("features").key("sampling_params");
  write_sampling(out, request);
  out.string("model", request.options.model);
  write_stream(out, request.options);
  if (request.options.cache_salt.empty()) {
    out.null("cache_salt");
  } else {
    out.string("cache_salt", request.options.cache_salt);
  }
  return out.integer("priority", request.priority).null("kv_transfer_params").close_object().take();
}

}  // namespace ingot::api
