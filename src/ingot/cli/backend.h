// Who answers: a server behind an address, or an engine in this process. Both speak the same JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/io_context.hpp>
#include <boost/json.hpp>

#include "ingot/api/sampling_fields.h"
#include "ingot/base/result.h"

namespace ingot::cli {

// A reply that ended, or was interrupted.
struct Reply {
  std::string text;
  std::string finish_reason;
  bool interrupted = false;  // by Ctrl-C: the text is what had come by then
  std::optional<int64_t> prompt_tokens, completion_tokens;
  double first_s = 0, total_s = 0;  // from the request to the first text, and to the end
};

// One thread.
class Backend {
 public:
  virtual ~Backend() = default;

  // The model that requests go to when they name none.
  virtual Result<std::string> default_model() = 0;

  // Sends a request, streamed, and hands out text as it comes. Ctrl-C ends the reply and not the program. Errors: the
  // server's own message; kUnavailable, naming the address, where no server is.
  Result<Reply> ask(api::Endpoint endpoint, boost::json::object request,
                    const std::function<void(std::string_view)>& on_text);

 protected:
  using DataSink = std::function<void(std::string_view json)>;

  // Hands out the chunks of the reply, until its end or until interrupt().
  virtual Status exchange(api::Endpoint endpoint, std::string body, const DataSink& on_chunk) = 0;
  virtual void interrupt() = 0;  // called from within run_until()

  void run_until(const bool& done);

  boost::asio::io_context io_{1};
};

}  // namespace ingot::cli
