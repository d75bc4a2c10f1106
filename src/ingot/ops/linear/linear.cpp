// Linear as a node of the graph.
#include "ingot/ops/linear/linear.h"

#include <stdexcept>

#include <fmt/format.h>
#include <mlx/device.h>

#include "ingot/ops/cpu/cpu_op.h"
#include "ingot/ops/cpu/isa.h"
#include "ingot/ops/linear/linear_cpu.h"

namespace ingot {
namespace {

void check(const array& x, const PackedWeight& weight, const std::optional<array>& bias) {
  require(x, mx::float32, {-1, weight.in_features}, "linear input");
  if (is_quantised(weight.format) && weight.in_features % kGroupSize != 0)
    throw std::invalid_argument(fmt::format("linear weight: {} inputs are no whole groups", weight.in_features));
  require(weight.data, mx::uint8, {int(weight.num_panels() * weight.panel_bytes())}, "linear weight");
  if (bias) require(*bias, mx::float32, {weight.out_features}, "linear bias");
}

}  // namespace

array linear(const array& x, const PackedWeight& weight, const std::optional<array>& bias) {
  check(x, weight, bias);
  if (mx::default_device() != mx::Device::cpu) return linear_reference(x, weight, bias);
  const cpu::LinearShape shape{weight.format, x.shape(0), weight.in_features, weight.out_features};
  std::vector<array> inputs = {x, weight.data};
  if (bias) inputs.push_back(*bias);
  return cpu::cpu_op("linear", std::move(inputs), {{{shape.num_rows, shape.out_features}, mx::float32}},
                     [shape](const std::vector<array>& in, std::vector<array>& out) {
                       cpu::run_linear(shape, in[0].data<float>(),
                                       {in[1].data<uint8_t>(), in.size() > 2 ? in[2].data<float>() : nullptr},
                                       out[0].data<float>(), cpu::ThreadPool::instance(), cpu::isa());
                     })[0];
}

}  // namespace ingot
