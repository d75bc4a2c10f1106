// Reads and checks the keys that decoders share (defaults as in transformers).
#include "ingot/models/config_reader.h"

#include <optional>

#include <boost/json.hpp>
#include <boost/system/error_code.hpp>
#include <fmt/format.h>

namespace ingot {
namespace {

namespace json = boost::json;

constexpr int kMaxDimension = 1 << 24;  // beyond any model; keeps products of two within int64

// Reads keys of one object and remembers the first fault.
class Reader {
 public:
  explicit Reader(const json::object& config) : config_(config) {}

  int positive(std::string_view key, std::optional<int> fallback = {}) {
    const json::value* value = find(key);
    if (!value) return fallback ? *fallback : fault(key, "is missing");
    boost::system::error_code error;
    const auto number = value->to_number<int64_t>(error);
    if (error || number < 1 || number > kMaxDimension)
      return fault(key, fmt::format("is {}, must be 1 … {}", json::serialize(*value), kMaxDimension));
    return static_cast<int>(number);
  }

  double real(std::string_view key, double fallback) {
    const json::value* value = find(key);
    if (!value) return fallback;
    boost::system::error_code error;
    const auto number = value->to_number<double>(error);
    if (error || !(number > 0))
      return fault(key, fmt::format("is {}, must be a positive number", json::serialize(*value)));
    return number;
  }

  bool flag(std::string_view key, bool fallback) {
    const json::value* value = find(key);
    if (!value) return fallback;
    if (!value->is_bool()) return fault(key, fmt::format("is {}, must be true or false", json::serialize(*value)));
    return value->get_bool();
  }

  std::string text(std::string_view key) {
    const json::value* value = find(key);
    return value && value->is_string() ? std::string(value->get_string()) : std::string();
  }

  const json::value* find(std::string_view key) const {
    const json::value* value = config_.if_contains(key);
    return value && !value->is_null() ? value : nullptr;
  }

  int fault(std::string_view key, std::string_view what) {
    if (fault_.empty()) fault_ = fmt::format("config: {} {}", key, what);
    return 1;
  }

  const std::string& fault() const { return fault_; }

 private:
  const json::object& config_;
  std::string fault_;
};

// rope_theta stands at the top in older files and in rope_parameters in newer ones; the nested one wins.
double read_rope_theta(Reader& reader) {
  const double top = reader.real("rope_theta", 1e4);
  const json::value* nested = reader.find("rope_parameters");
  if (!nested || !nested->is_object()) return top;
  Reader inner(nested->get_object());
  const double theta = inner.real("rope_theta", top);
  if (!inner.fault().empty()) reader.fault("rope_parameters", inner.fault());
  return theta;
}

// What changes the numbers and no family reads yet must not pass in silence.
Status refuse_unread(const json::object& config) {
  const auto given = [&config](const char* key) {
    const json::value* value = config.if_contains(key);
    return value && !value->is_null() && *value != json::value(false) ? value : nullptr;
  };
  for (const char* key : {"rope_scaling", "sliding_window", "attention_bias", "mlp_bias"}) {
    if (const json::value* value = given(key)) {
      return fail(ErrorCode::kUnsupported,
                  fmt::format("config: {} = {} is not supported yet", key, json::serialize(*value)));
    }
  }
  const json::value* rope = given("rope_parameters");
  const json::value* kind = rope && rope->is_object() ? rope->get_object().if_contains("rope_type") : nullptr;
  if (kind && *kind != json::value("default")) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("config: rope_type {} is not supported yet", json::serialize(*kind)));
  }
  return {};
}

}  // namespace

Result<ModelConfig> read_decoder_config(const json::object& config) {
  Reader reader(config);
  ModelConfig c;
  if (const json::value* names = reader.find("architectures");
      names && names->is_array() && !names->get_array().empty() && names->get_array()[0].is_string()) {
    c.architecture = names->get_array()[0].get_string();
  }
  c.model_type = reader.text("model_type");
  c.vocab_size = reader.positive("vocab_size");
  c.hidden_size = reader.positive("hidden_size");
  c.intermediate_size = reader.positive("intermediate_size");
  c.num_layers = reader.positive("num_hidden_layers");
  c.num_heads = reader.positive("num_attention_heads");
  c.num_kv_heads = reader.positive("num_key_value_heads", c.num_heads);
  c.head_dim = reader.positive("head_dim", std::max(1, c.hidden_size / c.num_heads));
  c.rms_norm_eps = static_cast<float>(reader.real("rms_norm_eps", 1e-6));
  c.rope_theta = read_rope_theta(reader);
  c.max_position_embeddings = reader.positive("max_position_embeddings");
  c.tie_word_embeddings = reader.flag("tie_word_embeddings", false);
  if (c.num_heads % c.num_kv_heads != 0) {
    reader.fault("num_key_value_heads",
                 fmt::format("({}) does not divide num_attention_heads ({})", c.num_kv_heads, c.num_heads));
  }
  if (c.head_dim % 2 != 0) reader.fault("head_dim", "must be even");
  if (!reader.fault().empty()) return fail(ErrorCode::kCorrupt, reader.fault());
  if (Status read = refuse_unread(config); !read) return std::unexpected(read.error());
  c.raw = std::make_shared<const json::object>(config);
  return c;
}

}  // namespace ingot
