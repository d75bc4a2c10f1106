// Parses POST /v1/completions.
#include "ingot/api/completion.h"

#include <utility>

#include <boost/json/array.hpp>
#include <fmt/format.h>

#include "ingot/api/field_reader.h"
#include "ingot/api/json_reader.h"
#include "ingot/api/lax.h"

namespace ingot::api {
namespace {

namespace json = boost::json;

constexpr size_t kMaxPrompts = 1024;
constexpr std::string_view kShape =
    "Input should be a valid string, a list of strings, a list of token ids or a list of lists of token ids";

// Reads the four forms of `prompt`; schema errors go to `fields`.
class PromptReader {
 public:
  PromptReader(FieldReader& fields, int32_t vocab_size) : fields_(fields), vocab_size_(vocab_size) {}

  Parsed<std::vector<Prompt>> read() {
    const json::value* prompt = fields_.value("prompt");
    if (!prompt) return std::unexpected(empty());
    if (prompt->is_string()) {
      add(prompt->get_string());
    } else if (prompt->is_array()) {
      list(prompt->get_array());
    } else {
      fields_.wrong("prompt", "string_type", kShape);
    }
    if (!fault_ && fields_.errors().empty() && prompts_.empty()) fault_ = empty();
    if (fault_) return std::unexpected(*std::move(fault_));
    return std::move(prompts_);
  }

 private:
  static ApiError empty() {
    return semantic_error("Either prompt or prompt_embeds must be provided and non-empty.", "prompt");
  }

  ApiError out_of_vocabulary(int64_t id) const {
    return semantic_error(fmt::format("Token id {} is out of vocabulary. Vocabulary size: {}", id, vocab_size_),
                          "prompt", std::to_string(id));
  }

  void list(const json::array& items) {
    if (items.empty()) return;
    if (!items[0].is_string() && !items[0].is_array()) return add(items, {});
    if (items.size() > kMaxPrompts) {
      fault_ = semantic_error(
          fmt::format("prompt list length {} exceeds the maximum allowed count of {}.", items.size(), kMaxPrompts),
          "prompt");
      return;
    }
    for (size_t i = 0; i < items.size(); ++i) {
      const auto index = static_cast<int64_t>(i);
      if (items[i].kind() != items[0].kind()) {
        wrong({index}, "string_type", kShape, items[i]);
      } else if (items[i].is_string()) {
        add(items[i].get_string());
      } else {
        add(items[i].get_array(), {index});
      }
    }
  }

  void add(std::string_view text) {
    if (text.empty()) fault_ = empty();
    prompts_.emplace_back(std::string(text));
  }

  void add(const json::array& items, std::vector<int64_t> path) {
    if (items.empty()) fault_ = empty();
    std::vector<int32_t> ids;
    ids.reserve(items.size());
    path.push_back(0);
    for (size_t i = 0; i < items.size(); ++i) {
      path.back() = static_cast<int64_t>(i);
      const auto id = lax_integer(items[i]);
      if (!id) {
        wrong(path, id.error().type, id.error().message, items[i]);
      } else if (*id < 0) {
        wrong(path, "greater_than_equal", "Input should be greater than or equal to 0", items[i]);
      } else if (*id >= vocab_size_) {
        if (!fault_) fault_ = out_of_vocabulary(*id);
      } else {
        ids.push_back(static_cast<int32_t>(*id));
      }
    }
    prompts_.emplace_back(std::move(ids));
  }

  void wrong(const std::vector<int64_t>& path, std::string_view type, std::string_view message,
             const json::value& input) {
    Location location = fields_.at("prompt");
    location.insert(location.end(), path.begin(), path.end());
    fields_.errors().add(type, location, message, input);
  }

  FieldReader& fields_;
  int32_t vocab_size_;
  std::vector<Prompt> prompts_;
  std::optional<ApiError> fault_;
};

}  // namespace

Parsed<CompletionRequest> parse_completion_request(std::string_view body, const ModelDefaults& model) {
  const auto object = parse_body(body);
  if (!object) return std::unexpected(object.error());
  SchemaErrors errors;
  FieldReader fields(*object, errors);
  auto options = read_request_options(fields, model);
  auto prompts = PromptReader(fields, model.vocab_size).read();
  auto sampling = read_sampling_fields(fields, Endpoint::kCompletions, model);
  const bool add_special_tokens = fields.boolean("add_special_tokens").value_or(true);

  if (!errors.empty()) return std::unexpected(errors.to_error());
  if (!options) return std::unexpected(std::move(options.error()));
  if (!prompts) return std::unexpected(std::move(prompts.error()));
  if (!sampling) return std::unexpected(std::move(sampling.error()));
  return CompletionRequest{*std::move(options), *std::move(sampling), *std::move(prompts), add_special_tokens};
}

}  // namespace ingot::api
