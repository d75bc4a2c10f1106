// The load itself: streams many requests at once from one thread and notes when each piece comes.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ingot/base/result.h"
#include "ingot/cli/bench/outcome.h"
#include "ingot/cli/http_client.h"
#include "ingot/cli/url.h"

namespace ingot::cli {

struct LoadOptions {
  Url server;
  std::string path;  // of the endpoint: "/v1/completions"
  Headers headers;
  std::optional<int> max_concurrency;
};

// Sends bodies[i] at due_s[i] seconds after the start, or as soon as fewer than max_concurrency requests are open.
// Returns the outcomes, in the same order. `on_done`: after each request.
std::vector<Outcome> run_load(const LoadOptions& options, std::span<const std::string> bodies,
                              std::span<const double> due_s, const std::function<void()>& on_done);

// One request outside of the load: reply and status. Errors: kUnavailable, naming the server.
Result<HttpReply> send_once(const Url& server, const HttpCall& call);

}  // namespace ingot::cli
