// The primitive behind cpu_op().
#include "ingot/ops/cpu/cpu_op.h"

#include <memory>
#include <stdexcept>
#include <string>

#include <mlx/backend/cpu/encoder.h>
#include <mlx/primitives.h>

namespace ingot::cpu {
namespace {

class CpuOp : public mx::Primitive {
 public:
  CpuOp(mx::Stream stream, const char* name, std::vector<int> aliases, Kernel kernel)
      : Primitive(stream), name_(name), aliases_(std::move(aliases)), kernel_(std::move(kernel)) {}

  const char* name() const override { return name_; }

  void eval_cpu(const std::vector<array>& inputs, std::vector<array>& outputs) override {
    std::vector<array> ins, outs;
    ins.reserve(inputs.size());
    outs.reserve(outputs.size());
    for (const array& input : inputs) {
      if (!input.flags().row_contiguous)
        throw std::invalid_argument(std::string(name_) + ": input is not row-contiguous: " + describe(input));
      ins.push_back(array::unsafe_weak_copy(input));
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (aliases_[i] >= 0) {
        outputs[i].copy_shared_buffer(inputs[aliases_[i]]);
      } else {
        outputs[i].set_data(mx::allocator::malloc(outputs[i].nbytes()));
      }
      outs.push_back(array::unsafe_weak_copy(outputs[i]));
    }
    mx::cpu::get_command_encoder(stream()).dispatch(
        [kernel = kernel_, ins = std::move(ins), outs = std::move(outs)]() mutable { kernel(ins, outs); });
  }

  void eval_gpu(const std::vector<array>&, std::vector<array>&) override {
    throw std::runtime_error(std::string(name_) + " is a CPU kernel and was scheduled on a GPU");
  }

 private:
  const char* name_;
  std::vector<int> aliases_;
  Kernel kernel_;
};

}  // namespace

std::vector<array> cpu_op(const char* name, std::vector<array> inputs, std::vector<Output> outputs, Kernel kernel) {
  std::vector<mx::Shape> shapes;
  std::vector<mx::Dtype> dtypes;
  std::vector<int> aliases;
  for (Output& output : outputs) {
    shapes.push_back(std::move(output.shape));
    dtypes.push_back(output.dtype);
    aliases.push_back(output.alias);
  }
  auto primitive =
      std::make_shared<CpuOp>(mx::default_stream(mx::Device::cpu), name, std::move(aliases), std::move(kernel));
  return array::make_arrays(std::move(shapes), dtypes, std::move(primitive), inputs);
}

}  // namespace ingot::cpu
