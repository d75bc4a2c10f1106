// A round of all searches is one batch of requests.
#include "ingot/serve/beam_call.h"

#include <algorithm>

#include "ingot/serve/request_ids.h"

namespace ingot::serve {

namespace {

std::vector<RequestId> ids_of(std::span<const Request> requests) {
  std::vector<RequestId> ids;
  for (const Request& request : requests) ids.push_back(request.id);
  return ids;
}

BeamOptions beam_options(const ServedModel& model, const PreparedCall& call, const SamplingParams& params) {
  return {.width = call.sampling.n,
          .max_tokens = params.max_tokens,
          .length_penalty = *call.sampling.beam_length_penalty,
          .ignore_eos = params.eos_token_ids.empty(),
          .keeps_eos = call.sampling.include_stop_str_in_output,
          .num_logprobs = params.num_logprobs,
          .eos_token_ids = model.defaults.eos_token_ids};
}

// A beam's request: one token, whichever, and the logprobs that candidates come from.
Request round_request(const ServedModel& model, const Request& choice, int32_t width) {
  Request request = choice;
  request.sampling = {};
  request.sampling.temperature = choice.sampling.temperature;
  request.sampling.seed = choice.sampling.seed;
  request.sampling.max_tokens = 1;
  request.sampling.num_logprobs = 2 * width < model.defaults.vocab_size ? 2 * width : -1;
  return request;
}

}  // namespace

BeamCall::BeamCall(const ServedModel& model, const PreparedCall& call)
    : choices_(ids_of(call.requests)), width_(static_cast<size_t>(call.sampling.n)), cached_(call.prompts.size()) {
  times_.arrival = call.requests.front().arrival;
  for (size_t prompt = 0; prompt < call.prompts.size(); ++prompt) {
    const Request& choice = call.requests[prompt * width_];
    searches_.emplace_back(round_request(model, choice, call.sampling.n), beam_options(model, call, choice.sampling));
  }
}

std::vector<Request> BeamCall::next_round() {
  std::vector<Request> requests;
  slots_.clear();
  for (size_t search = 0; search < searches_.size(); ++search) {
    const size_t before = requests.size();
    searches_[search].append_round(requests);
    for (size_t beam = 0; before + beam < requests.size(); ++beam) slots_.push_back({search, beam});
  }
  num_open_ = requests.size();
  first_id_ = take_request_ids(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) requests[i].id = RequestId{static_cast<uint64_t>(first_id_) + i};
  return requests;
}

bool BeamCall::add(const TokenEvent& event) {
  const Slot slot = slots_[static_cast<uint64_t>(event.request) - static_cast<uint64_t>(first_id_)];
  searches_[slot.search].add(slot.beam, event);
  if (times_.first_token == TimePoint{}) {
    times_.first_scheduled = event.times.first_scheduled;
    times_.first_token = event.times.first_token;
    cached_[slot.search] = event.num_cached_tokens;
  }
  times_.last_token = std::max(times_.last_token, event.times.last_token);
  if (!event.finish || --num_open_ > 0) return false;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (i == 0 || slots_[i].search != slots_[i - 1].search) searches_[slots_[i].search].end_round();
  }
  return true;
}

std::vector<TokenEvent> BeamCall::results() const {
  std::vector<TokenEvent> events;
  for (size_t prompt = 0; prompt < searches_.size(); ++prompt) {
    const std::vector<Beam> beams = searches_[prompt].best();
    for (size_t i = 0; i < beams.size(); ++i) {
      TokenEvent event{.request = choices_[prompt * width_ + i],
                       .tokens = beams[i].tokens,
                       .prompt_logprobs = {},
                       .finish = {},
                       .stop_token_id = {},
                       .error = {},
                       .num_cached_tokens = cached_[prompt],
                       .times = times_};
      events.push_back(event);  // apart from its end, which would take the last token for the one that stopped it
      event.tokens.clear();
      event.finish = beams[i].finish;
      event.stop_token_id = beams[i].stop_token_id;
      events.push_back(std::move(event));
    }
  }
  return events;
}

}  // namespace ingot::serve
