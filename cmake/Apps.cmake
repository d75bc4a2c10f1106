# The program.
file(GLOB app_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/ingot/apps/*.cpp)
add_executable(ingot ${app_sources})
target_compile_definitions(ingot PRIVATE INGOT_VERSION="${PROJECT_VERSION}")
target_link_libraries(ingot PRIVATE ingot_config ingot_http ingot_serve ingot_host ingot_cli)
