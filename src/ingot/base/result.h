// Result<T>: a value or an Error that a caller can act on. Exceptions are left to what ends a step.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace ingot {

enum class ErrorCode {
  kInvalidArgument,    // the input is wrong; the message says what and how to mend it
  kNotFound,           // a named thing (file, model, tensor) does not exist
  kUnsupported,        // a known thing that this build does not do
  kResourceExhausted,  // a stated bound is reached; trying again later may work
  kUnavailable,        // the engine is stopping or dead
  kCorrupt,            // a file contradicts its own format
  kIo,                 // the operating system refused
  kInternal,           // a defect of Ingot
};

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  std::string param;  // the request field or flag that is at fault, else empty
};

template <class T>
using Result = std::expected<T, Error>;
using Status = Result<void>;

inline std::unexpected<Error> fail(ErrorCode code, std::string message, std::string param = {}) {
  return std::unexpected(Error{code, std::move(message), std::move(param)});
}

}  // namespace ingot
