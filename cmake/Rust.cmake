# The crates' bridges (src/ingot/rust) as one static library, `ingot_rust_bridge`.
include(${CMAKE_SOURCE_DIR}/src/ingot/rust/bridge.cmake)
