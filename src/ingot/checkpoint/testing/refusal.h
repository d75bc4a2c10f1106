// With what a parser refuses a file.
#pragma once

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

#include "ingot/checkpoint/format_error.h"

namespace ingot::testing {

// The message and code; fails the test when the file is taken.
template <class Parse>
FormatError refusal(const Parse& parse, const std::vector<std::byte>& bytes) {
  try {
    parse(bytes);
  } catch (const FormatError& e) {
    return e;
  }
  ADD_FAILURE() << "the file was taken";
  return {ErrorCode::kInternal, ""};
}

}  // namespace ingot::testing
