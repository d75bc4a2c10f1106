# The crates of src/ingot/rust as the target `ingot_rust_bridge`: one static library (its C++ glue inside) and the headers
# "ingot/rust/NAME.h". Cargo builds in release mode under the build folder, and only when a source changes.
find_program(CARGO cargo HINTS $ENV{CARGO_HOME}/bin $ENV{HOME}/.cargo/bin)
set(bridge_dir ${CMAKE_SOURCE_DIR}/src/ingot/rust)
set(bridge_remedy "On Debian 12: apt install cargo-web (it takes the place of cargo); elsewhere: rustup update stable (https://rustup.rs)")

file(STRINGS ${bridge_dir}/Cargo.toml bridge_needs REGEX "^rust-version")
string(REGEX MATCH "[0-9]+\\.[0-9]+" bridge_needs "${bridge_needs}")
if(NOT CARGO)
  message(FATAL_ERROR "No cargo found; the bridges need ${bridge_needs} or newer. ${bridge_remedy}")
endif()
execute_process(COMMAND ${CARGO} --version OUTPUT_VARIABLE cargo_version OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REGEX MATCH "[0-9]+\\.[0-9]+\\.[0-9]+" cargo_number "${cargo_version}")
if(NOT cargo_number OR cargo_number VERSION_LESS bridge_needs)
  message(FATAL_ERROR "${CARGO} is '${cargo_version}', too old for src/ingot/rust/Cargo.lock, which needs ${bridge_needs}. ${bridge_remedy}")
endif()

set(INGOT_RUST_DIR ${CMAKE_BINARY_DIR}/rust CACHE PATH "Where cargo builds; builds of several kinds may share it")
set(bridge_out ${INGOT_RUST_DIR})
set(bridge_include ${bridge_out}/include)
set(bridge_lib ${bridge_out}/release/libingot_bridge.a)
set(bridge_headers ${bridge_include}/rust/cxx.h ${bridge_include}/ingot/rust/template.h ${bridge_include}/ingot/rust/tokenizer.h)
file(GLOB_RECURSE bridge_sources CONFIGURE_DEPENDS ${bridge_dir}/src/*.rs)

# Static Oniguruma: the version of the crate, whatever the machine has. No compiler launcher: cargo caches by itself.
add_custom_command(
  OUTPUT ${bridge_out}/stamp
  BYPRODUCTS ${bridge_lib} ${bridge_headers}
  COMMAND ${CMAKE_COMMAND} -E env CARGO_TARGET_DIR=${bridge_out} INGOT_BRIDGE_INCLUDE=${bridge_include}
          RUSTONIG_STATIC_LIBONIG=1 CC=${CMAKE_C_COMPILER} CXX=${CMAKE_CXX_COMPILER} ${CARGO} build --release --locked
  COMMAND ${CMAKE_COMMAND} -E touch ${bridge_out}/stamp
  DEPENDS ${bridge_sources} ${bridge_dir}/Cargo.toml ${bridge_dir}/Cargo.lock ${bridge_dir}/build.rs
  WORKING_DIRECTORY ${bridge_dir}
  COMMENT "Building the Rust bridges"
  USES_TERMINAL VERBATIM)
add_custom_target(ingot_rust_bridge_build DEPENDS ${bridge_out}/stamp)

file(MAKE_DIRECTORY ${bridge_include})
add_library(ingot_rust_bridge INTERFACE)
add_dependencies(ingot_rust_bridge ingot_rust_bridge_build)
target_include_directories(ingot_rust_bridge SYSTEM INTERFACE ${bridge_include})
target_link_libraries(ingot_rust_bridge INTERFACE ${bridge_lib} Threads::Threads ${CMAKE_DL_LIBS} m)
