// Incremental decoding of one output: ids in, whole characters out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ingot/text/tokenizer.h"

namespace ingot {

// The concatenation of all push() results and flush() equals the decoding of all ids at once. A character whose bytes
// are spread over several tokens comes out when it is complete; push() never returns a U+FFFD that later ids could
// mend. One thread at a time.
class Detokenizer {
 public:
  // `prompt_tail`: the last prompt ids (a handful is enough), which decide how the first piece joins (leading spaces).
  Detokenizer(std::shared_ptr<const Tokenizer> tokenizer, std::vector<int32_t> prompt_tail, bool skip_special_tokens);

  std::string push(int32_t id);  // text that became certain, maybe ""
  std::string flush();           // the rest at the end of the output; broken bytes become U+FFFD

 private:
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::vector<int32_t> ids_;  // a window: what is still needed as context, then what is pending
  size_t prefix_offset_ = 0, read_offset_ = 0;
  bool skip_special_tokens_;
};

}  // namespace ingot
