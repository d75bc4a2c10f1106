// What ends a load.
#pragma once

#include <stdexcept>
#include <utility>

#include "ingot/base/result.h"

namespace ingot {

// Thrown by WeightSource and Weights while a model is built, so that layers can take their weights in constructors;
// whoever loads a model catches it.
class WeightError : public std::runtime_error {
 public:
  explicit WeightError(Error error) : std::runtime_error(error.message), error_(std::move(error)) {}
  const Error& error() const { return error_; }

 private:
  Error error_;
};

}  // namespace ingot
