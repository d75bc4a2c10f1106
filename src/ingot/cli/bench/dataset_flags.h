// The flags of data sets.
#pragma once

#include "ingot/cli/bench/prompts.h"
#include "ingot/config/flag_table.h"

namespace ingot::cli {

// `options` holds the defaults. --input-len and --output-len stand for every data set's own.
class DatasetFlags {
 public:
  void add(FlagTable& table, bool with_seed);

  // What was asked for. Errors: kInvalidArgument.
  Result<DatasetOptions> options() const;

  DatasetOptions values;

 private:
  std::optional<int32_t> input_len_, output_len_;
};

}  // namespace ingot::cli
