// The probe, in the operations of ops/cpu/simd.h.
#include "ingot/ops/cpu/simd_probe_kernels.h"

#include <string.h>

#include "ingot/ops/cpu/simd.h"
#include "ingot/ops/cpu/simd_math.h"

namespace ingot::cpu {
namespace {

struct Recorder {
  uint32_t* out;
  int count = 0;
  void operator()(F32 a) { (*this)(bits_of(a)); }
  void operator()(I32 a) {
    store(reinterpret_cast<int32_t*>(out + count), a);
    count += 16;
  }
  void operator()(float a) { memcpy(out + count++, &a, 4); }
  void operator()(int32_t a) { out[count++] = static_cast<uint32_t>(a); }
  void halves(const void* p) { (*this)(load_bytes(p)); }
};

void record_floats(Recorder& record, F32 a, F32 b, F32 c) {
  record(a + b), record(a - b), record(a * b), record(a / b), record(fma(a, b, c)), record(sqrt(a * a));
  record(max(a, b)), record(min(a, b)), record(select_greater(a, b, b, c));
  record(reduce_add(a)), record(reduce_max(a));
  record(exp(a)), record(exp(b * set1(30.0f)));
}

void record_ints(Recorder& record, F32 a, F32 b) {
  const I32 x = bits_of(a), y = bits_of(b);
  record(x + y), record(x - y), record(x & y), record(max(x, y)), record(dot_i16(x, x, y));
  record(shift_left<5>(x)), record(shift_right<5>(x)), record(shift_right_16<3>(x));
  record(reduce_add(x)), record(reduce_max(x));
  record(to_f32(x)), record(round_to_i32(max(set1(-4e6f), min(set1(4e6f), a)))),
      record(round_to_i32(max(set1(-4e6f), min(set1(4e6f), b * set1(1000.5f)))));
  record(from_bits(x)), record(set1(7)), record(zero_i32()), record(zero_f32());
}

void record_memory(Recorder& record, const float* a, F32 b) {
  alignas(64) uint16_t halves[64] = {};
  store_f16(halves, load(a)), store_f16(halves + 16, b * set1(1e-6f));
  record.halves(halves);
  record(load_f16(halves)), record(load_f16(halves + 16));
  store_bf16(halves, load(a)), store_bf16(halves + 16, b);
  record.halves(halves);
  record(load_bf16(halves));
  int16_t swapped[32] = {};
  store_i16_swapped(swapped, round_to_i32(max(set1(-32767.0f), min(set1(32767.0f), b * set1(1000.0f)))));
  record.halves(swapped);
  for (int n = 0; n <= 16; n += 3) {
    record(load_first(a, n));
    alignas(64) float tail[16] = {};
    store_first(tail, b, n);
    record(load(tail));
  }
}

int run(const float* a, const float* b, const float* c, uint32_t* out) {
  Recorder record{out};
  record_floats(record, load(a), load(b), load(c));
  record_ints(record, load(a), load(b));
  record_memory(record, a, load(b));
  return record.count;
}

void exp_16(const float* x, float* y) { store(y, exp(load(x))); }

}  // namespace

template <>
const SimdProbe& kernel_table<SimdProbe, kKernelIsa>() {
  static constexpr SimdProbe table{run, exp_16};
  return table;
}

}  // namespace ingot::cpu
