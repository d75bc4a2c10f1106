// What turns text into ids and back for one model: its own files, or those that the user named.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <boost/json.hpp>

#include "ingot/base/result.h"
#include "ingot/checkpoint/checkpoint.h"
#include "ingot/core/model_source.h"
#include "ingot/text/chat_template.h"
#include "ingot/text/tokenizer.h"

namespace ingot {

struct ModelText {
  std::shared_ptr<const Tokenizer> tokenizer;
  boost::json::object tokenizer_config;
  std::vector<NamedTemplate> chat_templates;          // every one that there is
  std::shared_ptr<const ChatTemplate> chat_template;  // the default one; null where there is none
};

// Of the checkpoint, except where the source names a tokenizer or a chat template. Errors name the file at fault.
Result<ModelText> open_text(const ModelSource& source, const Checkpoint& checkpoint);

}  // namespace ingot
