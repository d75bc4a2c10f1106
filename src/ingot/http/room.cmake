target_compile_definitions(ingot_http PRIVATE INGOT_VERSION="${PROJECT_VERSION}")

# The server on the mock engine, for tests/e2e.
if(INGOT_TESTS)
  add_executable(mock_server ${CMAKE_SOURCE_DIR}/tests/e2e/mock_server.cpp)
  target_link_libraries(mock_server PRIVATE ingot_http ingot_tiny_model ingot_mock_engine CLI11::CLI11)
  target_compile_definitions(mock_server PRIVATE INGOT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
endif()
