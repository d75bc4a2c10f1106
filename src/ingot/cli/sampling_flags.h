// The sampling fields of a request, as flags of the client commands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "ingot/config/flag_table.h"

namespace ingot::cli {

// What is absent is left to the server.
struct SamplingFlags {
  std::optional<double> temperature, top_p, min_p;
  std::optional<double> repetition_penalty, frequency_penalty, presence_penalty;
  std::optional<int64_t> top_k, seed, max_tokens;
  std::vector<std::string> stop;
};

// All but seed, max_tokens and stop, which mean different things to different commands.
void add_sampling_flags(FlagTable& table, SamplingFlags& flags);

// The fields of a request.
boost::json::object request_fields(const SamplingFlags& flags);

}  // namespace ingot::cli
