// Coroutines on one io_context; connections are kept and used again.
#include "ingot/cli/bench/load.h"

#include <deque>
#include <exception>
#include <memory>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "ingot/base/clock.h"
#include "ingot/cli/reply_reader.h"
#include "ingot/cli/sse_parser.h"

namespace ingot::cli {

namespace net = boost::asio;

namespace {

// Turns the bytes of one reply into its outcome.
class Observer {
 public:
  Observer(Outcome& outcome, TimePoint sent) : outcome_(outcome), sent_(sent) {}

  void take(int status, std::string_view bytes) {
    if (status != 200) {
      refusal_ += bytes;
      return;
    }
    const double time_s = seconds_between(sent_, now());
    events_.feed(bytes, [&](std::string_view data) { take_event(data, time_s); });
  }

  void end(const Result<int>& status) {
    if (!status) {
      outcome_.error = status.error().message;
    } else if (*status != 200) {
      outcome_.error = read_refusal(*status, refusal_).message;
    } else if (!is_done_ && outcome_.ok()) {
      outcome_.error = "the stream ended early";
    }
  }

 private:
  void take_event(std::string_view data, double time_s) {
    if (data == "[DONE]") {
      is_done_ = true;
      return;
    }
    const Result<ReplyPiece> piece = read_reply(data);
    if (!piece) {
      outcome_.error = piece.error().message;
      return;
    }
    if (piece->prompt_tokens) outcome_.prompt_tokens = *piece->prompt_tokens;
    if (piece->completion_tokens) outcome_.output_tokens = *piece->completion_tokens;
    const bool ends = !piece->finish_reason.empty();
    if (piece->text.empty() && !ends) return;  // a role, usage
    if (outcome_.first_s == 0) {
      outcome_.first_s = time_s;
    } else if (!piece->text.empty()) {
      outcome_.gaps_s.push_back(time_s - outcome_.total_s);
    }
    outcome_.total_s = time_s;
    outcome_.text += piece->text;
  }

  Outcome& outcome_;
  const TimePoint sent_;
  SseParser events_;
  std::string refusal_;
  bool is_done_ = false;
};

class Load {
 public:
  Load(const LoadOptions& options, std::span<const std::string> bodies, const std::function<void()>& on_done)
      : options_(options), bodies_(bodies), on_done_(on_done), outcomes_(bodies.size()) {}

  std::vector<Outcome> run(std::span<const double> due_s) {
    start_ = now();
    net::co_spawn(io_, arrive(due_s), rethrow);
    io_.run();
    return std::move(outcomes_);
  }

 private:
  static constexpr auto rethrow = [](const std::exception_ptr& thrown) {
    if (thrown) std::rethrow_exception(thrown);
  };

  net::awaitable<void> arrive(std::span<const double> due_s) {
    net::steady_timer timer(io_);
    for (size_t i = 0; i < bodies_.size(); ++i) {
      const auto due =
          start_ + std::chrono::duration_cast<TimePoint::duration>(std::chrono::duration<double>(due_s[i]));
      if (due > now()) {
        timer.expires_at(due);
        co_await timer.async_wait(net::use_awaitable);
      }
      waiting_.push_back(i);
      start_waiting();
    }
  }

  void start_waiting() {
    while (!waiting_.empty() && (!options_.max_concurrency || num_open_ < *options_.max_concurrency)) {
      ++num_open_;
      net::co_spawn(io_, send(waiting_.front()), rethrow);
      waiting_.pop_front();
    }
  }

  net::awaitable<void> send(size_t index) {
    HttpClient client = take_client();
    Outcome& outcome = outcomes_[index];
    const TimePoint sent = now();
    outcome.start_s = seconds_between(start_, sent);
    Observer observer(outcome, sent);
    const HttpCall call{.method = "POST", .path = options_.path, .headers = options_.headers, .body = bodies_[index]};
    const HttpClient::BodySink sink = [&observer](int status, std::string_view bytes) { observer.take(status, bytes); };
    const Result<int> status = co_await client.stream(call, sink);
    observer.end(status);
    idle_.push_back(std::move(client));
    --num_open_;
    on_done_();
    start_waiting();
  }

  HttpClient take_client() {
    if (idle_.empty()) return HttpClient(options_.server);
    HttpClient client = std::move(idle_.back());
    idle_.pop_back();
    return client;
  }

  const LoadOptions& options_;
  const std::span<const std::string> bodies_;
  const std::function<void()>& on_done_;
  std::vector<Outcome> outcomes_;
  net::io_context io_{1};
  TimePoint start_{};
  std::deque<size_t> waiting_;
  int num_open_ = 0;
  std::vector<HttpClient> idle_;
};

}  // namespace

std::vector<Outcome> run_load(const LoadOptions& options, std::span<const std::string> bodies,
                              std::span<const double> due_s, const std::function<void()>& on_done) {
  return Load(options, bodies, on_done).run(due_s);
}

Result<HttpReply> send_once(const Url& server, const HttpCall& call) {
  net::io_context io(1);
  HttpClient client(server);
  Result<HttpReply> reply;
  std::exception_ptr failure;
  net::co_spawn(io, client.send(call), [&](std::exception_ptr thrown, Result<HttpReply> result) {
    failure = thrown;
    reply = std::move(result);
  });
  io.run();
  if (failure) std::rethrow_exception(failure);
  return reply;
}

}  // namespace ingot::cli
