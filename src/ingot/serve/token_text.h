// The text of single tokens, as logprobs show it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "ingot/api/reply.h"
#include "ingot/core/step_result.h"
#include "ingot/text/tokenizer.h"

namespace ingot::serve {

// A token whose own bytes are broken UTF-8 is read together with up to four of the tokens before it (`context`, oldest
// first): the token that completes a character shows the character, those before it show "".
std::string token_text(const Tokenizer& tokenizer, std::span<const int32_t> context, int32_t token);

// A token's logprobs with the texts of all that they name.
api::TokenLogprob named_logprobs(const Tokenizer& tokenizer, std::span<const int32_t> context, int32_t token,
                                 const TokenLogprobs& logprobs);

}  // namespace ingot::serve
