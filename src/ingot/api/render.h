// The body of /v1/completions/render and /v1/chat/completions/render: what a request comes to, before the engine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ingot/api/request_options.h"
#include "ingot/api/sampling_fields.h"

namespace ingot::api {

// Borrows all that it names.
struct RenderedRequest {
  std::string_view id;
  std::span<const int32_t> token_ids;
  const SamplingFields& sampling;
  int32_t max_tokens;  // as the length rule has it
  const RequestOptions& options;
  int64_t priority;
};

// One JSON object, as /inference/v1/generate takes it: sampling_params holds what differs from the defaults.
std::string render_body(const RenderedRequest& request);

}  // namespace ingot::api
