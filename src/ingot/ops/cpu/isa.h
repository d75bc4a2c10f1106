// Which instruction set the CPU kernels of this process use, and how an operation finds its kernels.
//
// A kernel file is `src/ingot/ops/OP/NAME_kernels.cpp`. The build compiles it once per instruction set, each time with
// that set's flags and INGOT_KERNEL_ISA naming it; the code is written with the 16-lane vectors of ops/cpu/simd.h, so
// every build gives the same bits. It exposes one table of function pointers, declared in NAME_kernels.h:
//
//   struct NormKernels { void (*rows)(const float* x, float* y, int num_rows, int width); };
//   // at the end of norm_kernels.cpp, all else being in an anonymous namespace:
//   template <> const NormKernels& kernel_table<NormKernels, kKernelIsa>() {
//     static constexpr NormKernels table{rows};
//     return table;
//   }
//   // the caller, an ordinary file:
//   kernels<NormKernels>().rows(x, y, num_rows, width);
//
// Inline functions of other headers must stay out of kernel files (the linker would keep one copy for the whole
// program, perhaps one that needs AVX-512): they include C headers, their table's header, ops/cpu/simd*.h, and nothing
// else. A test checks their symbols. Threads belong to the caller: a kernel works on the range it is given.
#pragma once

#include <string_view>

namespace ingot::cpu {

enum class Isa { kPortable, kNeon, kAvx2, kAvx512 };

std::string_view isa_name(Isa isa);  // "portable", "neon", "avx2", "avx512"

// True when this build has kernels for it and this machine runs them. avx512 means F, BW, VL, DQ, VNNI and BF16; avx2
// means AVX2, FMA and F16C.
bool isa_available(Isa isa);

// The set of this name, or the best one available for a null name. Throws std::runtime_error when the name is unknown
// or the set unavailable.
Isa choose_isa(const char* name);

// The process's choice, made once: choose_isa(INGOT_CPU_ISA).
Isa isa();

// Defined by each kernel file for the instruction set it is being compiled for.
template <class Table, Isa isa>
const Table& kernel_table();

// The kernels of an available instruction set.
template <class Table>
const Table& kernels(Isa choice = isa()) {
  switch (choice) {
#if defined(__x86_64__)
    case Isa::kAvx512:
      return kernel_table<Table, Isa::kAvx512>();
    case Isa::kAvx2:
      return kernel_table<Table, Isa::kAvx2>();
#elif defined(__aarch64__)
    case Isa::kNeon:
      return kernel_table<Table, Isa::kNeon>();
#endif
    default:
      return kernel_table<Table, Isa::kPortable>();
  }
}

}  // namespace ingot::cpu
