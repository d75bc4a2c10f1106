// One function a kind of scaling; each turns the default frequencies into its own.
#include "ingot/models/rope_reader.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace ingot {
namespace {

namespace json = boost::json;
using Frequencies = std::vector<double>;

Frequencies default_frequencies(double theta, int dims) {
  Frequencies inv_freq(dims / 2);
  for (int i = 0; i < dims / 2; ++i) inv_freq[i] = std::pow(theta, -2.0 * i / dims);
  return inv_freq;
}

// What the kinds share.
struct Scaling {
  ConfigReader& keys;  // of the object of parameters
  RopeShape shape;
  double theta = 0;
  int dims = 0;          // rotated channels
  int original_len = 0;  // positions before scaling
};

// Su, Lu et al.: "NTK-aware" scaling of θ for sequences of max_position_embeddings · factor tokens.
Frequencies dynamic(const Scaling& s) {
  const double factor = s.keys.real("factor");
  if (s.dims <= 2) s.keys.fault("rope_type", "dynamic needs more than one rotated pair");
  const double growth = factor * factor - (factor - 1);
  return default_frequencies(s.theta * std::pow(growth, double(s.dims) / std::max(1, s.dims - 2)), s.dims);
}

// Long waves are stretched by `factor`, short ones kept, those between blended.
Frequencies llama3(const Scaling& s) {
  const double factor = s.keys.real("factor"), low = s.keys.real("low_freq_factor", 1.0),
               high = s.keys.real("high_freq_factor", 4.0);
  if (!(low < high)) s.keys.fault("high_freq_factor", "must be above low_freq_factor");
  Frequencies inv_freq = default_frequencies(s.theta, s.dims);
  for (double& inv : inv_freq) {
    const double waves = s.original_len * inv / (2 * std::numbers::pi);  // within the original context
    const double kept = std::clamp((waves - low) / (high - low), 0.0, 1.0);
    inv *= (1 - kept) / factor + kept;
  }
  return inv_freq;
}

double yarn_scale(double factor, double mscale) { return factor <= 1 ? 1.0 : 0.1 * mscale * std::log(factor) + 1.0; }

// Peng et al. 2023: pairs that turn often within the original context are kept, slow ones stretched, a ramp between.
Frequencies yarn(const Scaling& s, double factor, float& scale) {
  const double mscale = s.keys.real_or_zero("mscale", 0), all_dim = s.keys.real_or_zero("mscale_all_dim", 0);
  const double usual =
      mscale != 0 && all_dim != 0 ? yarn_scale(factor, mscale) / yarn_scale(factor, all_dim) : yarn_scale(factor, 1);
  scale = static_cast<float>(s.keys.real("attention_factor", usual));
  const auto pair_of = [&](double turns) {
    return s.dims * std::log(s.original_len / (turns * 2 * std::numbers::pi)) / (2 * std::log(s.theta));
  };
  double low = pair_of(s.keys.real("beta_fast", 32.0)), high = pair_of(s.keys.real("beta_slow", 1.0));
  if (s.keys.flag("truncate", true)) low = std::floor(low), high = std::ceil(high);
  low = std::max(low, 0.0), high = std::min(high, s.dims - 1.0);
  if (low == high) high += 0.001;
  Frequencies inv_freq = default_frequencies(s.theta, s.dims);
  for (size_t i = 0; i < inv_freq.size(); ++i) {
    const double stretched = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
    inv_freq[i] *= stretched / factor + (1 - stretched);
  }
  return inv_freq;
}

// Each pair divided by its own factor.
Frequencies divided(const Scaling& s, std::string_view key) {
  const std::vector<double> factors = s.keys.reals(key);
  Frequencies inv_freq = default_frequencies(s.theta, s.dims);
  if (factors.size() != inv_freq.size())
    s.keys.fault(key, fmt::format("has {} elements, must have one for each of {} rotated pairs", factors.size(),
                                  inv_freq.size()));
  for (size_t i = 0; i < std::min(inv_freq.size(), factors.size()); ++i) inv_freq[i] /= factors[i];
  return inv_freq;
}

std::vector<float> rounded(const Frequencies& inv_freq) { return {inv_freq.begin(), inv_freq.end()}; }

// Ding et al. 2024.
void longrope(const Scaling& s, RopeConfig& rope) {
  const double factor = s.keys.real("factor", double(s.shape.max_position_embeddings) / s.original_len);
  const double usual = factor <= 1 ? 1.0 : std::sqrt(1 + std::log(factor) / std::log(s.original_len));
  rope.scale = static_cast<float>(s.keys.real("attention_factor", usual));
  rope.inv_freq = rounded(divided(s, "short_factor"));
  rope.long_inv_freq = rounded(divided(s, "long_factor"));
  rope.short_len = s.original_len;
}

ReadRope scaled(const Scaling& s) {
  const std::string kind = s.keys.text("rope_type", s.keys.text("type", "default"));
  ReadRope result{{}, double(s.shape.max_position_embeddings)};
  RopeConfig& rope = result.rope;
  if (kind == "default") {
    rope.inv_freq = rounded(default_frequencies(s.theta, s.dims));
  } else if (kind == "linear") {
    const double factor = s.keys.real("factor");
    Frequencies inv_freq = default_frequencies(s.theta, s.dims);
    for (double& inv : inv_freq) inv /= factor;
    rope.inv_freq = rounded(inv_freq);
    result.max_model_len *= factor;
  } else if (kind == "dynamic") {
    rope.inv_freq = rounded(dynamic(s));
    result.max_model_len *= s.keys.real("factor");
  } else if (kind == "llama3") {
    rope.inv_freq = rounded(llama3(s));
  } else if (kind == "yarn") {
    const double factor = s.keys.real("factor", double(s.shape.max_position_embeddings) / s.original_len);
    rope.inv_freq = rounded(yarn(s, factor, rope.scale));
    result.max_model_len = s.original_len * factor;
  } else if (kind == "longrope" || kind == "su") {
    longrope(s, rope);
  } else if (kind == "factors") {
    rope.inv_freq = rounded(divided(s, "factors"));
  } else {
    s.keys.refuse("rope_type", fmt::format("'{}' is not supported", kind));
  }
  return result;
}

// The object that holds the parameters of `layer_type`, and its key.
std::pair<const json::object*, std::string> parameters(ConfigReader& reader, std::string_view layer_type) {
  for (const char* key : {"rope_scaling", "rope_parameters"}) {
    const json::object* outer = reader.object(key);
    if (!outer || outer->empty()) continue;
    if (!outer->contains("full_attention") && !outer->contains("sliding_attention")) return {outer, key};
    const std::string path = fmt::format("{}.{}", key, layer_type);
    const json::value* inner = outer->if_contains(layer_type);
    if (inner && inner->is_object()) return {&inner->get_object(), path};
    if (!inner || !inner->is_null()) reader.fault(path, inner ? "is no object" : "is missing");
    return {nullptr, path};
  }
  static const json::object empty;
  return {&empty, "rope_parameters"};
}

}  // namespace

RopeConfig no_rope() { return {.inv_freq = {0.0f}, .long_inv_freq = {}, .short_len = 0, .scale = 1.0f}; }

ReadRope read_rope(ConfigReader& reader, std::string_view layer_type, const RopeShape& shape) {
  const auto [object, path] = parameters(reader, layer_type);
  if (!object) return {no_rope(), double(shape.max_position_embeddings)};
  ConfigReader keys(*object, fmt::format("{}{}.", reader.where(), path));
  for (const char* key : {"alpha", "mrope_section", "short_mscale", "long_mscale"}) {
    if (keys.find(key)) keys.refuse(key, "is not supported");
  }
  Scaling s{keys, shape};
  s.theta = keys.real("rope_theta", reader.real("rope_theta", shape.default_theta));
  s.original_len = reader.positive("original_max_position_embeddings",
                                   keys.positive("original_max_position_embeddings", shape.max_position_embeddings));
  const double partial = keys.real("partial_rotary_factor", reader.real("partial_rotary_factor", 1.0));
  // A factor that a file derived as dims / head_dim may fall short of the whole number by rounding.
  s.dims = static_cast<int>(std::floor(shape.head_dim * std::min(partial, 1.0) + 1e-6));
  if (partial > 1 || s.dims < 2 || s.dims % 2 != 0)
    keys.fault("partial_rotary_factor",
               fmt::format("{} of {} channels does not give pairs to rotate", partial, shape.head_dim));
  ReadRope result = scaled(s);
  result.rope.query_growth = static_cast<float>(keys.real_or_zero("llama_4_scaling_beta", 0));
  result.rope.query_period = s.original_len;
  if (result.rope.query_growth > 0 && s.dims != shape.head_dim)
    keys.refuse("llama_4_scaling_beta", "is not supported where only part of a head is rotated");
  reader.take(keys);
  return result;
}

}  // namespace ingot
