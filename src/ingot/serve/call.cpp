// Who does what: the worker prepares and submits, the engine fills the inbox, the connection empties it.
#include "ingot/serve/call.h"

#include <exception>
#include <utility>

namespace ingot::serve {

namespace {

constexpr size_t kMaxWaitingBytes = 4u << 20;  // of events that a slow client has not taken
constexpr size_t kEventsAPoll = 256;           // keeps a reply that catches up from filling memory with JSON

api::ApiError refusal(const Engine& engine, const Error& error) {
  return engine.alive() ? api::from_error(error) : api::internal_error(error.message);
}

}  // namespace

Call::Call(Task task, CallInput input, std::shared_ptr<const OpenModel> open, Wake wake)
    : task_(task), open_(std::move(open)), wake_(std::move(wake)), input_(std::move(input)), inbox_(kMaxWaitingBytes) {}

void Call::start() noexcept {
  try {
    if (cancelled_) return;
    if (const Job* job = std::get_if<Job>(&task_)) {
      auto body = (*job)(open_->model, input_);
      input_ = {};
      answer(body ? WholeReply{.body = *std::move(body), .retry_after_s = {}} : error_reply(body.error()));
    } else {
      submit();
    }
  } catch (const std::exception& e) {
    refuse(api::internal_error(e.what()));
  }
}

void Call::submit() {
  auto prepared = prepare(std::get<api::Endpoint>(task_), open_->model, input_, cancelled_);
  input_ = {};  // the body is not needed any more
  if (!prepared) return refuse(prepared.error());
  if (cancelled_) return;
  auto reply = std::make_unique<Reply>(open_->model, *prepared, *open_->metrics);
  auto beams = prepared->sampling.beam_length_penalty ? std::make_unique<BeamCall>(open_->model, *prepared) : nullptr;
  std::vector<Request> requests = beams ? beams->next_round() : std::move(prepared->requests);
  {
    std::lock_guard lock(mutex_);
    reply_ = std::move(reply);
    beams_ = std::move(beams);
    state_ = State::kRunning;
  }
  if (const Status taken = run(std::move(requests)); !taken) return refuse(refusal(*open_->engine, taken.error()));
  submitted_ = true;
  if (cancelled_) abort_all();
}

Status Call::run(std::vector<Request> requests) {
  {
    std::lock_guard lock(mutex_);
    ids_.clear();
    for (const Request& request : requests) ids_.push_back(request.id);
  }
  // Weak: the engine must never be what keeps a call, and with it itself, alive.
  return open_->engine->submit(std::move(requests), [weak = weak_from_this()](TokenEvent event) {
    if (const auto call = weak.lock()) call->on_event(std::move(event));
  });
}

void Call::answer(WholeReply reply) {
  {
    std::lock_guard lock(mutex_);
    answer_ = std::move(reply);
    state_ = State::kAnswered;
  }
  if (!cancelled_) wake_();
}

void Call::on_event(TokenEvent event) {
  switch (inbox_.push(std::move(event))) {
    case Inbox::Push::kFirst:
      return wake_();
    case Inbox::Push::kOverflow:
      abort_all();
      return wake_();
    case Inbox::Push::kMore:
    case Inbox::Push::kClosed:
      return;
  }
}

void Call::abort_all() {
  std::lock_guard lock(mutex_);
  for (const RequestId id : ids_) open_->engine->abort(id);
}

void Call::add(const TokenEvent& event) {
  if (!beams_) return reply_->add(event, stopped_);
  if (event.finish == FinishReason::kError) {
    return reply_->fail(api::internal_error(event.error ? event.error->message : "the engine failed"));
  }
  if (beams_->add(event)) next_beams();
}

void Call::next_beams() {
  std::vector<Request> requests = beams_->next_round();
  if (requests.empty()) {
    for (const TokenEvent& event : beams_->results()) reply_->add(event, stopped_);
  } else if (const Status taken = run(std::move(requests)); !taken) {
    reply_->fail(refusal(*open_->engine, taken.error()));
  }
}

void Call::poll(Progress& progress) {
  {
    std::lock_guard lock(mutex_);
    if (state_ == State::kPreparing) return;
    if (state_ == State::kAnswered) {
      progress.whole = std::move(answer_);
      progress.ended = true;
      return;
    }
  }
  if (inbox_.overflowed()) {
    reply_->abandon();
    progress.too_slow = progress.ended = true;
    return;
  }
  events_.clear();
  progress.more = inbox_.take(events_, kEventsAPoll);
  for (const TokenEvent& event : events_) add(event);
  for (const RequestId id : stopped_) open_->engine->abort(id);
  stopped_.clear();
  reply_->flush(progress);
  if (!progress.ended) return;
  inbox_.close();
  if (reply_->is_open()) abort_all();  // of a reply that failed in part
  reply_->abandon();
}

void Call::cancel() {
  inbox_.close();
  cancelled_ = true;
  if (submitted_) abort_all();
  std::lock_guard lock(mutex_);
  if (state_ == State::kRunning) reply_->abandon();
}

}  // namespace ingot::serve
