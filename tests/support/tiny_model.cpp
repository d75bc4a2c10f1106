// Reads the fixture; the template is ChatML.
#include "tests/support/tiny_model.h"

#include <fstream>
#include <sstream>
#include <stdexcept>

#include <boost/json.hpp>

namespace ingot::testing {

namespace {

constexpr const char* kTemplate =
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}";

template <class T>
T value_of(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

}  // namespace

std::shared_ptr<const Tokenizer> tiny_tokenizer(const std::string& source_dir, const std::string& post_processor) {
  const std::string path = source_dir + "/tests/fixtures/tiny_tokenizer.json";
  std::ifstream file(path);
  std::stringstream text;
  if (!(text << file.rdbuf())) throw std::runtime_error("cannot read " + path);
  boost::json::value json = boost::json::parse(text.str());
  if (!post_processor.empty()) json.as_object()["post_processor"] = boost::json::parse(post_processor);
  return value_of(Tokenizer::from_json(boost::json::serialize(json)));
}

serve::ServedModel tiny_model(const std::string& source_dir) {
  serve::ServedModel model;
  model.defaults.model_names = {"tiny", "alias"};
  model.defaults.max_model_len = 2048;
  model.defaults.vocab_size = kTinyVocabSize;
  model.defaults.eos_token_ids = {kTinyImEnd};
  model.root = "/models/tiny";
  model.system_fingerprint = "ingot-test";
  model.tokenizer = tiny_tokenizer(source_dir);
  model.chat_template = value_of(ChatTemplate::compile(kTemplate));
  model.eos_token = "<|im_end|>";
  return model;
}

}  // namespace ingot::testing
