// How the readers of files that nobody vouches for say no.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "ingot/base/result.h"

namespace ingot {

// What the room's readers throw among themselves; open_checkpoint turns it into an Error.
class FormatError : public std::runtime_error {
 public:
  FormatError(ErrorCode code, const std::string& message) : std::runtime_error(message), code(code) {}
  ErrorCode code;
};

[[noreturn]] void corrupt(const std::string& message);
[[noreturn]] void unsupported(const std::string& message);

bool is_utf8(std::string_view text);
// 'text' fit for a message: bounded, unprintable bytes as \xNN. Beside <filesystem> its full name is needed.
std::string quoted(std::string_view text);

}  // namespace ingot
