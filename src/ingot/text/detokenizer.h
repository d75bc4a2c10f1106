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
// mend. After a prompt that ends inside a character, the output begins with that character. One exception: a
// byte-fallback vocabulary decodes a run of byte tokens as a whole, and a bad byte anywhere in it breaks all its
// characters. Those that were complete before the bad byte have come out by then, and stay. The cost of a token does
// not grow with the output. One thread at a time.
class Detokenizer {
 public:
  // `prompt_tail`: the last prompt ids (a handful is enough), which decide how the first piece joins (leading spaces).
  Detokenizer(std::shared_ptr<const Tokenizer> tokenizer, std::vector<int32_t> prompt_tail, bool skip_special_tokens);

  std::string push(int32_t id);  // text that became certain, maybe ""
  std::string flush();           // the rest at the end of the output; broken bytes become U+FFFD

 private:
  std::string decode(size_t begin, size_t end) const;  // of the window's ids [begin, end)
  std::string take(const std::string& text, size_t certain);
  void slide(std::string text);
  std::string shorten(const std::string& text);

  // The window: num_context_ ids whose text is out, then those pending. Its decoded text is given_ + held_.
  std::shared_ptr<const Tokenizer> tokenizer_;
  std::vector<int32_t> ids_;
  size_t num_context_;
  std::string given_, held_;
  bool skip_special_tokens_;
};

}  // namespace ingot
