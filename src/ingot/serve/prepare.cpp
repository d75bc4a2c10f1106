// Completions and chat differ only in how their prompts come about.
#include "ingot/serve/prepare.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "ingot/api/chat.h"
#include "ingot/api/completion.h"
#include "ingot/api/length.h"
#include "ingot/api/reply_id.h"
#include "ingot/base/splitmix.h"
#include "ingot/serve/chat_text.h"
#include "ingot/serve/request_ids.h"

namespace ingot::serve {

namespace {

constexpr size_t kMaxCallIds = (256u << 20) / sizeof(int32_t);  // of all children together
constexpr size_t kMaxBeamPairs =
    65536;  // 2 logprobs each of a beam search's round: within what a call may have waiting

// For a sequence that names no seed; the same after every start with one --seed and one order of requests.
uint64_t draw_seed(const ServedModel& model) {
  static std::atomic<uint64_t> num_drawn{0};
  return splitmix64(model.seed, num_drawn++);
}

std::unexpected<api::ApiError> gone() { return std::unexpected(api::unavailable("the client is gone")); }

// A BOS that the text begins with already, as rendered prompts do, is not doubled.
api::Parsed<std::vector<int32_t>> tokenise(const ServedModel& model, std::string_view text, bool add_special_tokens) {
  auto ids = model.tokenizer->encode(text, add_special_tokens);
  if (!ids) return std::unexpected(api::from_error(ids.error()));
  if (add_special_tokens && !model.bos_token.empty() && text.starts_with(model.bos_token)) {
    const auto bos = model.tokenizer->token_to_id(model.bos_token);
    if (ids->size() > 1 && (*ids)[0] == bos && (*ids)[1] == bos) ids->erase(ids->begin());
  }
  return std::move(*ids);
}

// A text that must have more tokens than fit is refused before the work of finding out how many.
api::Parsed<void> check_size(const ServedModel& model, std::string_view text, const api::RequestOptions& options) {
  const auto context = static_cast<size_t>(model.defaults.max_model_len);
  if (options.truncate_prompt_tokens || text.size() / context <= model.max_token_bytes || model.max_token_bytes == 0) {
    return {};
  }
  return std::unexpected(api::semantic_error(
      fmt::format("This model's maximum context length is {} tokens. However, your prompt has {} bytes, more than that "
                  "many tokens can stand for. Please reduce the length of the input prompt.",
                  context, text.size()),
      "input_tokens"));
}

// truncate_prompt_tokens; −1 leaves room for the output that was asked for, at least one token.
void truncate(const ServedModel& model, const PreparedCall& call, std::vector<int32_t>& ids) {
  if (!call.options.truncate_prompt_tokens) return;
  int64_t most = *call.options.truncate_prompt_tokens;
  if (most < 0) most = std::max<int64_t>(model.defaults.max_model_len - call.sampling.max_tokens.value_or(1), 0);
  if (std::ssize(ids) <= most) return;
  call.options.truncates_left ? ids.erase(ids.begin(), ids.end() - most) : ids.erase(ids.begin() + most, ids.end());
}

api::Parsed<PreparedCall> read_chat(const ServedModel& model, const CallInput& input,
                                    const std::atomic<bool>& cancelled) {
  auto request = api::parse_chat_request(input.body, model.defaults);
  if (!request) return std::unexpected(request.error());
  if (cancelled) return gone();
  auto text = render_chat(model, *request);
  if (!text) return std::unexpected(text.error());
  if (auto fits = check_size(model, *text, request->options); !fits) return std::unexpected(fits.error());
  auto ids = tokenise(model, *text, request->add_special_tokens);
  if (!ids) return std::unexpected(ids.error());
  PreparedCall call;
  call.options = std::move(request->options);
  call.sampling = std::move(request->sampling);
  call.head.role = request->reply_role.value_or(model.response_role);
  if (call.sampling.echo && request->last_role == call.head.role) call.echoes.push_back(request->last_text);
  truncate(model, call, *ids);
  if (call.options.return_token_ids) call.prompt_echo.token_ids = *ids;
  if (request->return_prompt_text) call.prompt_echo.text = std::move(*text);
  call.prompts.push_back(std::move(*ids));
  return call;
}

api::Parsed<PreparedCall> read_completion(const ServedModel& model, const CallInput& input,
                                          const std::atomic<bool>& cancelled) {
  auto request = api::parse_completion_request(input.body, model.defaults);
  if (!request) return std::unexpected(request.error());
  PreparedCall call;
  call.options = std::move(request->options);
  call.sampling = std::move(request->sampling);
  for (api::Prompt& prompt : request->prompts) {
    if (cancelled) return gone();
    std::string* text = std::get_if<std::string>(&prompt);
    if (text) {
      if (auto fits = check_size(model, *text, call.options); !fits) return std::unexpected(fits.error());
    }
    auto ids = text ? tokenise(model, *text, request->add_special_tokens)
                    : api::Parsed<std::vector<int32_t>>(std::move(std::get<std::vector<int32_t>>(prompt)));
    if (!ids) return std::unexpected(ids.error());
    const size_t num_ids = ids->size();
    truncate(model, call, *ids);
    if (call.sampling.echo) {
      const bool whole = text && ids->size() == num_ids;
      call.echoes.push_back(whole ? std::move(*text)
                                  : model.tokenizer->decode(*ids, call.sampling.skip_special_tokens));
    }
    call.prompts.push_back(std::move(*ids));
  }
  return call;
}

// As vLLM: each word bare, and behind a space where that makes one different first token and no more of them.
api::Parsed<void> tokenise_bad_words(const ServedModel& model, api::SamplingFields& sampling) {
  for (const std::string& word : sampling.bad_words) {
    const std::string bare = word.substr(std::min(word.find_first_not_of(" \t\n\r\f\v"), word.size()));
    auto ids = tokenise(model, bare, false);
    auto spaced = tokenise(model, " " + bare, false);
    if (!ids || !spaced) return std::unexpected(ids ? spaced.error() : ids.error());
    if (ids->empty()) return std::unexpected(api::semantic_error("A bad word has no tokens.", "bad_words", word));
    const bool differs = spaced->size() == ids->size() && spaced->front() != ids->front();
    sampling.params.bad_words.push_back(std::move(*ids));
    if (differs) sampling.params.bad_words.push_back(std::move(*spaced));
  }
  return {};
}

// The sequences of the call: n children a prompt, each with its own seed.
api::Parsed<void> make_requests(const ServedModel& model, const CallInput& input, PreparedCall& call) {
  const size_t n = static_cast<size_t>(call.sampling.n);
  size_t num_ids = 0;
  for (const auto& prompt : call.prompts) num_ids += (prompt.size() + call.sampling.params.num_ids()) * n;
  if (num_ids > kMaxCallIds) {
    return std::unexpected(
        api::semantic_error("The prompts of all choices together are too long.", "n", std::to_string(call.sampling.n)));
  }
  if (call.sampling.beam_length_penalty && call.prompts.size() * n * n > kMaxBeamPairs) {
    return std::unexpected(api::semantic_error("Beam search over that many prompts and beams at once is too much.",
                                               "prompt", std::to_string(call.prompts.size())));
  }
  const auto first_id = static_cast<uint64_t>(take_request_ids(call.prompts.size() * n));
  for (const std::vector<int32_t>& prompt : call.prompts) {
    const auto max_tokens = api::resolve_max_tokens(static_cast<int64_t>(prompt.size()), call.sampling, model.defaults);
    if (!max_tokens) return std::unexpected(max_tokens.error());
    for (size_t child = 0; child < n; ++child) {
      Request request;
      request.id = RequestId{first_id + call.requests.size()};
      request.prompt = prompt;
      request.sampling = call.sampling.params;
      request.sampling.max_tokens = *max_tokens;
      // A chat reply shows its prompt's once, a completion's every choice has its own.
      if (call.endpoint == api::Endpoint::kChat && child > 0) request.sampling.num_prompt_logprobs.reset();
      request.sampling.seed =
          call.sampling.seed ? static_cast<uint64_t>(*call.sampling.seed) + child : draw_seed(model);
      request.priority = input.priority.value_or(call.options.priority);
      request.cache_salt = call.options.cache_salt;
      request.arrival = input.arrival;
      call.requests.push_back(std::move(request));
    }
  }
  return {};
}

api::ReplyHead make_head(const ServedModel& model, const CallInput& input, const PreparedCall& call) {
  const bool chat = call.endpoint == api::Endpoint::kChat;
  const SamplingParams& params = call.sampling.params;
  return {.id = api::reply_id(chat ? "chatcmpl-" : "cmpl-", input.request_id, call.options.request_id),
          .created = unix_seconds(),
          .model = model.defaults.model_names.front(),
          .system_fingerprint = model.system_fingerprint,
          .num_logprobs = params.logprob_token_ids.empty() ? params.num_logprobs.value_or(0) : -1,
          .tokens_as_token_ids = call.options.return_tokens_as_token_ids,
          .role = call.head.role};
}

}  // namespace

api::Parsed<PreparedCall> prepare(api::Endpoint endpoint, const ServedModel& model, const CallInput& input,
                                  const std::atomic<bool>& cancelled) {
  auto call =
      endpoint == api::Endpoint::kChat ? read_chat(model, input, cancelled) : read_completion(model, input, cancelled);
  if (!call) return call;
  if (cancelled) return gone();
  call->endpoint = endpoint;
  if (model.force_include_usage) call->options.include_usage = call->options.continuous_usage_stats = true;
  if (auto done = tokenise_bad_words(model, call->sampling); !done) return std::unexpected(done.error());
  if (auto made = make_requests(model, input, *call); !made) return std::unexpected(made.error());
  call->head = make_head(model, input, *call);
  return call;
}

}  // namespace ingot::serve
