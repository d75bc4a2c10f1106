// From the bytes of a request to what the engine takes: parse, render, tokenise, check lengths, make the children.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ingot/api/error.h"
#include "ingot/api/reply.h"
#include "ingot/api/request_options.h"
#include "ingot/api/sampling_fields.h"
#include "ingot/base/clock.h"
#include "ingot/core/request.h"
#include "ingot/serve/model.h"

namespace ingot::serve {

// A request as it came in.
struct CallInput {
  std::string body;
  std::shared_ptr<const void> hold;  // whatever is to be given back together with the body
  std::string request_id;            // X-Request-Id; "" = none
  std::optional<int64_t> priority;   // X-Vllm-Priority, wins over the body's
  TimePoint arrival = now();
};

// A call that the engine can take. Choice c of the reply is requests[c]: prompt c / n, child c % n.
struct PreparedCall {
  api::Endpoint endpoint{};
  api::ReplyHead head;
  api::RequestOptions options;
  api::SamplingFields sampling;
  api::PromptEcho prompt_echo;                // chat
  std::vector<std::string> echoes;            // by prompt, what echo puts before the output; empty without echo
  std::vector<std::vector<int32_t>> prompts;  // ids
  std::vector<Request> requests;              // ids ascending from the first one's
};

// Any thread; slow (a worker's job). `cancelled` is looked at between steps: once set, the result is of no interest.
api::Parsed<PreparedCall> prepare(api::Endpoint endpoint, const ServedModel& model, const CallInput& input,
                                  const std::atomic<bool>& cancelled);

}  // namespace ingot::serve
