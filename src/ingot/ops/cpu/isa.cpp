// Detection of instruction sets.
#include "ingot/ops/cpu/isa.h"

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace ingot::cpu {
namespace {

constexpr Isa kBestFirst[] = {Isa::kAvx512, Isa::kAvx2, Isa::kNeon, Isa::kPortable};

}  // namespace

std::string_view isa_name(Isa isa) {
  switch (isa) {
    case Isa::kPortable:
      return "portable";
    case Isa::kNeon:
      return "neon";
    case Isa::kAvx2:
      return "avx2";
    case Isa::kAvx512:
      return "avx512";
  }
  return "unknown";
}

bool isa_available(Isa isa) {
  switch (isa) {
    case Isa::kPortable:
      return true;
#if defined(__aarch64__)
    case Isa::kNeon:
      return true;  // part of the architecture
#elif defined(__x86_64__)
    case Isa::kAvx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
    case Isa::kAvx512:
      return isa_available(Isa::kAvx2) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vnni") && __builtin_cpu_supports("avx512bf16");
#endif
    default:
      return false;
  }
}

Isa choose_isa(const char* name) {
  for (Isa isa : kBestFirst) {
    if (name && isa_name(isa) != name) continue;
    if (isa_available(isa)) return isa;
    if (name) throw std::runtime_error("INGOT_CPU_ISA=" + std::string(name) + ": this machine or build lacks it");
  }
  throw std::runtime_error("INGOT_CPU_ISA=" + std::string(name) + ": must be avx512, avx2, neon or portable");
}

Isa isa() {
  static const Isa chosen = choose_isa(std::getenv("INGOT_CPU_ISA"));
  return chosen;
}

}  // namespace ingot::cpu
