// Completions and chat differ only in how their prompts come about.
#include "ingot/serve/prepare.h"

#include <random>
#include <string>
#include <utility>
#include <variant>

#include "ingot/api/chat.h"
#include "ingot/api/completion.h"
#include "ingot/api/length.h"
#include "ingot/api/reply_id.h"

namespace ingot::serve {

namespace {

constexpr size_t kMaxCallIds = (256u << 20) / sizeof(int32_t);  // of all children together

RequestId take_request_ids(uint64_t count) {
  static std::atomic<uint64_t> next{1};
  return RequestId{next.fetch_add(count)};
}

uint64_t draw_seed() {
  thread_local std::mt19937_64 generator{(uint64_t{std::random_device{}()} << 32) | std::random_device{}()};
  return generator();
}

std::unexpected<api::ApiError> gone() { return std::unexpected(api::unavailable("the client is gone")); }

api::Parsed<std::vector<int32_t>> tokenise(const ServedModel& model, std::string_view text, bool add_special_tokens) {
  auto ids = model.tokenizer->encode(text, add_special_tokens);
  if (!ids) return std::unexpected(api::from_error(ids.error()));
  return std::move(*ids);
}

api::Parsed<std::string> render(const ServedModel& model, api::ChatRequest& request) {
  if (!model.chat_template) {
    return std::unexpected(api::semantic_error("This model has no chat template; use /v1/completions.", "messages"));
  }
  request.variables["bos_token"] = model.bos_token;
  request.variables["eos_token"] = model.eos_token;
  auto text = model.chat_template->render(request.variables);
  if (!text) return std::unexpected(api::from_error(text.error()));
  if (request.continued_text) {
    const size_t at = text->rfind(*request.continued_text);
    if (at == std::string::npos) {
      return std::unexpected(
          api::semantic_error("continue_final_message is set but the chat template does not show the final message as "
                              "it is.",
                              "continue_final_message"));
    }
    text->resize(at + request.continued_text->size());
  }
  return std::move(*text);
}

api::Parsed<PreparedCall> read_chat(const ServedModel& model, const CallInput& input,
                                    const std::atomic<bool>& cancelled) {
  auto request = api::parse_chat_request(input.body, model.defaults);
  if (!request) return std::unexpected(request.error());
  if (cancelled) return gone();
  auto text = render(model, *request);
  if (!text) return std::unexpected(text.error());
  auto ids = tokenise(model, *text, request->add_special_tokens);
  if (!ids) return std::unexpected(ids.error());
  PreparedCall call;
  if (request->options.return_token_ids) call.prompt_echo.token_ids = *ids;
  if (request->return_prompt_text) call.prompt_echo.text = std::move(*text);
  call.options = std::move(request->options);
  call.sampling = std::move(request->sampling);
  call.prompts.push_back(std::move(*ids));
  return call;
}

api::Parsed<PreparedCall> read_completion(const ServedModel& model, const CallInput& input,
                                          const std::atomic<bool>& cancelled) {
  auto request = api::parse_completion_request(input.body, model.defaults);
  if (!request) return std::unexpected(request.error());
  PreparedCall call;
  for (api::Prompt& prompt : request->prompts) {
    if (cancelled) return gone();
    if (auto* ids = std::get_if<std::vector<int32_t>>(&prompt)) {
      call.prompts.push_back(std::move(*ids));
      continue;
    }
    auto ids = tokenise(model, std::get<std::string>(prompt), request->add_special_tokens);
    if (!ids) return std::unexpected(ids.error());
    call.prompts.push_back(std::move(*ids));
  }
  call.options = std::move(request->options);
  call.sampling = std::move(request->sampling);
  return call;
}

// The sequences of the call: n children a prompt, each with its own seed.
api::Parsed<void> make_requests(const ServedModel& model, const CallInput& input, PreparedCall& call) {
  const size_t n = static_cast<size_t>(call.sampling.n);
  size_t num_ids = 0;
  for (const std::vector<int32_t>& prompt : call.prompts) num_ids += prompt.size() * n;
  if (num_ids > kMaxCallIds) {
    return std::unexpected(
        api::semantic_error("The prompts of all choices together are too long.", "n", std::to_string(call.sampling.n)));
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
      request.sampling.seed = call.sampling.seed ? static_cast<uint64_t>(*call.sampling.seed) + child : draw_seed();
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
  return {.id = api::reply_id(chat ? "chatcmpl-" : "cmpl-", input.request_id, call.options.request_id),
          .created = unix_seconds(),
          .model = model.defaults.model_names.front(),
          .system_fingerprint = model.system_fingerprint,
          .num_logprobs = call.sampling.params.num_logprobs.value_or(0),
          .tokens_as_token_ids = call.options.return_tokens_as_token_ids,
          .role = model.response_role};
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
  if (auto made = make_requests(model, input, *call); !made) return std::unexpected(made.error());
  call->head = make_head(model, input, *call);
  return call;
}

}  // namespace ingot::serve
