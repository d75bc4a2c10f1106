# The program.
file(GLOB app_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/ingot/apps/*.cpp)
add_executable(ingot ${app_sources})
target_compile_definitions(ingot PRIVATE
  INGOT_VERSION="${PROJECT_VERSION}"
  INGOT_BACKEND="${INGOT_BACKEND}"
  INGOT_COMPILER="${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
  INGOT_BUILD="$<CONFIG>")
target_link_libraries(ingot PRIVATE ingot_config ingot_http ingot_serve ingot_host ingot_cli)
