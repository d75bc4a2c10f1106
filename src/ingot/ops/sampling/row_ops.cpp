// Row movement on CPU.
#include "ingot/ops/sampling/row_ops.h"

#include <cstring>
#include <stdexcept>

#include <fmt/format.h>

#include "ingot/ops/cpu/cpu_op.h"

namespace ingot {
namespace {

// A bad index is a fault of the engine's own books: it ends the step.
size_t checked(int32_t index, int size) {
  if (index < 0 || index >= size) throw std::out_of_range(fmt::format("row {} of {}", index, size));
  return index;
}

}  // namespace

array gather_rows(const array& x, const array& rows) {
  require(x, mx::float32, {-1, -1}, "gather_rows x");
  require(rows, mx::int32, {-1}, "gather_rows rows");
  return cpu::cpu_op("gather_rows", {x, rows}, {{{rows.shape(0), x.shape(1)}, mx::float32}},
                     [](const std::vector<array>& in, std::vector<array>& out) {
                       const size_t width = in[0].shape(1);
                       for (int r = 0; r < in[1].shape(0); ++r) {
                         const size_t from = checked(in[1].data<int32_t>()[r], in[0].shape(0));
                         std::memcpy(out[0].data<float>() + r * width, in[0].data<float>() + from * width,
                                     width * sizeof(float));
                       }
                     })[0];
}

array step_ids(const array& host_ids, const array& slot_of_token, const array& last_sampled) {
  require(host_ids, mx::int32, {-1}, "step_ids host_ids");
  require(slot_of_token, mx::int32, {host_ids.shape(0)}, "step_ids slot_of_token");
  require(last_sampled, mx::int32, {-1}, "step_ids last_sampled");
  return cpu::cpu_op("step_ids", {host_ids, slot_of_token, last_sampled}, {{host_ids.shape(), mx::int32}},
                     [](const std::vector<array>& in, std::vector<array>& out) {
                       for (int t = 0; t < in[0].shape(0); ++t) {
                         const int32_t slot = in[1].data<int32_t>()[t];
                         out[0].data<int32_t>()[t] = slot == -1 ? in[0].data<int32_t>()[t]
                                                                : in[2].data<int32_t>()[checked(slot, in[2].shape(0))];
                       }
                     })[0];
}

array store_sampled(const array& last_sampled, const array& slots, const array& tokens) {
  require(last_sampled, mx::int32, {-1}, "store_sampled last_sampled");
  require(slots, mx::int32, {-1}, "store_sampled slots");
  require(tokens, mx::int32, {slots.shape(0)}, "store_sampled tokens");
  return cpu::cpu_op("store_sampled", {last_sampled, slots, tokens}, {{last_sampled.shape(), mx::int32, 0}},
                     [](const std::vector<array>& in, std::vector<array>& out) {
                       for (int r = 0; r < in[1].shape(0); ++r) {
                         const size_t slot = checked(in[1].data<int32_t>()[r], out[0].shape(0));
                         out[0].data<int32_t>()[slot] = in[2].data<int32_t>()[r];
                       }
                     })[0];
}

}  // namespace ingot
