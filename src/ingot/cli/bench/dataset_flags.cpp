// Rows.
#include "ingot/cli/bench/dataset_flags.h"

namespace ingot::cli {
namespace {

constexpr const char* kDataset = "Prompts";
constexpr int64_t kMaxTokens = 1 << 30;

}  // namespace

void DatasetFlags::add(FlagTable& t, bool with_seed) {
  DatasetOptions& v = values;
  t.choice(kDataset, "--dataset-name", v.name, {"random", "sharegpt", "custom"},
           "random tokens; conversations of ShareGPT; lines of JSON with a prompt");
  t.value(kDataset, "--dataset-path", v.path, "File of sharegpt or custom");
  t.count(kDataset, "--num-prompts", v.num_prompts, 1, 1 << 24, "Requests");
  t.count(kDataset, "--input-len", input_len_, 1, kMaxTokens, "Tokens of a prompt. Default: the data set's");
  t.count(kDataset, "--output-len", output_len_, 1, kMaxTokens, "Tokens of an output. Default: the data set's");
  t.count(kDataset, "--random-input-len", v.random_input_len, 1, kMaxTokens, "Of random: tokens of a prompt");
  t.count(kDataset, "--random-output-len", v.random_output_len, 1, kMaxTokens, "Of random: tokens of an output");
  t.value(kDataset, "--random-range-ratio", v.random_range_ratio, "Of random: lengths vary by this share up and down")
      ->check(within(0, 0.999));
  t.count(kDataset, "--random-prefix-len", v.random_prefix_len, 0, kMaxTokens,
          "Of random: tokens in front that all prompts share");
  if (with_seed) t.value(kDataset, "--seed", v.seed, "Of the prompts and the times at which they are sent");
}

Result<DatasetOptions> DatasetFlags::options() const {
  DatasetOptions options = values;
  if (input_len_) options.random_input_len = *input_len_;
  if (output_len_) options.random_output_len = *output_len_;
  options.output_len = output_len_;
  if (options.name != "random" && options.path.empty())
    return fail(ErrorCode::kInvalidArgument, "--dataset-name " + options.name + " needs a file: --dataset-path FILE");
  return options;
}

}  // namespace ingot::cli
