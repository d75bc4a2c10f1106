# Kernel files (*_kernels.cpp) are compiled once per instruction set instead of once: see ops/cpu/isa.h.
# Those named *_probe_kernels.cpp belong to the tests.
set(kernel_flags_portable "")
set(kernel_flags_neon "")
set(kernel_flags_avx2 -mavx2 -mfma -mf16c)
set(kernel_flags_avx512 ${kernel_flags_avx2} -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx512vnni -mavx512bf16)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # With 16 registers, GCC's reordering of integer sums and late expansion would spill every product (measured: −30 %).
  list(APPEND kernel_flags_avx2 -fno-tree-reassoc -fno-tree-ter)
endif()
set(kernel_isas Portable)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND kernel_isas Avx2 Avx512)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  list(APPEND kernel_isas Neon)
endif()

# Compiles `kernel_sources` for every instruction set; adds the objects to the list `objects`.
macro(ingot_kernels name kernel_sources objects)
  foreach(isa IN LISTS kernel_isas)
    string(TOLOWER ${isa} lower)
    string(TOUPPER ${isa} upper)
    set(target ingot_ops_${name}_${lower})
    add_library(${target} OBJECT ${kernel_sources})
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src)
    target_compile_definitions(${target} PRIVATE INGOT_KERNEL_${upper} INGOT_KERNEL_ISA=k${isa})
    # No contraction: a product and a sum round twice unless the source says fma(). Debug builds optimise kernels too.
    target_compile_options(${target} PRIVATE ${kernel_flags_${lower}} -ffp-contract=off -fno-math-errno -Wno-psabi
                                             -Wno-unused-function -Wno-uninitialized
                                             $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
                                             $<$<CONFIG:Debug>:-O2>)
    list(APPEND ${objects} $<TARGET_OBJECTS:${target}>)
  endforeach()
endmacro()

set(ops_kernels ${sources})
list(FILTER ops_kernels INCLUDE REGEX "_kernels\\.cpp$")
list(FILTER sources EXCLUDE REGEX "_kernels\\.cpp$")
set(ops_probes ${ops_kernels})
list(FILTER ops_probes INCLUDE REGEX "_probe_kernels\\.cpp$")
list(FILTER ops_kernels EXCLUDE REGEX "_probe_kernels\\.cpp$")

set(kernel_objects "")
if(ops_kernels)
  ingot_kernels(kernels "${ops_kernels}" kernel_objects)
endif()
set_target_properties(${lib} PROPERTIES SOURCES "${sources};${kernel_objects}")
ingot_kernels(probes "${ops_probes}" tests)

if(INGOT_TESTS)
  add_test(NAME ops_kernels_leak_no_inline_function
           COMMAND ${CMAKE_SOURCE_DIR}/tools/check_kernel_symbols ${kernel_objects} COMMAND_EXPAND_LISTS)
endif()
