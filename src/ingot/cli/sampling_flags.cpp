// Rows and fields. Ranges are the server's to judge: they differ between servers.
#include "ingot/cli/sampling_flags.h"

namespace ingot::cli {
namespace {

constexpr const char* kSampling = "Sampling";

template <class T>
void put(boost::json::object& fields, const char* name, const std::optional<T>& value) {
  if (value) fields[name] = *value;
}

}  // namespace

void add_sampling_flags(FlagTable& t, SamplingFlags& f) {
  t.value(kSampling, "--temperature", f.temperature, "0: always the likeliest token; higher: more varied");
  t.value(kSampling, "--top-p", f.top_p, "Only the likeliest tokens that together have this probability");
  t.value(kSampling, "--top-k", f.top_k, "Only so many of the likeliest tokens");
  t.value(kSampling, "--min-p", f.min_p, "Only tokens at least this likely, relative to the likeliest");
  t.value(kSampling, "--repetition-penalty", f.repetition_penalty, "Above 1: against tokens of prompt and output");
  t.value(kSampling, "--frequency-penalty", f.frequency_penalty, "Above 0: against tokens by their count so far");
  t.value(kSampling, "--presence-penalty", f.presence_penalty, "Above 0: against tokens that were there");
}

boost::json::object request_fields(const SamplingFlags& f) {
  boost::json::object fields;
  put(fields, "temperature", f.temperature);
  put(fields, "top_p", f.top_p);
  put(fields, "top_k", f.top_k);
  put(fields, "min_p", f.min_p);
  put(fields, "repetition_penalty", f.repetition_penalty);
  put(fields, "frequency_penalty", f.frequency_penalty);
  put(fields, "presence_penalty", f.presence_penalty);
  put(fields, "seed", f.seed);
  put(fields, "max_tokens", f.max_tokens);
  if (!f.stop.empty()) fields["stop"] = boost::json::array(f.stop.begin(), f.stop.end());
  return fields;
}

}  // namespace ingot::cli
