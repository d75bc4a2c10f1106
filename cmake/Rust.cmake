# The crates' bridges (src/ingot/rust) as one static library, `ingot_rust_bridge`.
if(EXISTS ${CMAKE_SOURCE_DIR}/src/ingot/rust/bridge.cmake)
  include(${CMAKE_SOURCE_DIR}/src/ingot/rust/bridge.cmake)
else()
  add_library(ingot_rust_bridge INTERFACE)
endif()
