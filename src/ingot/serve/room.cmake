# A model without weights, for the tests of serve and http and for the mock server.
if(INGOT_TESTS)
  add_library(ingot_tiny_model STATIC ${CMAKE_SOURCE_DIR}/tests/support/tiny_model.cpp)
  target_include_directories(ingot_tiny_model PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(ingot_tiny_model PUBLIC ingot_serve)
endif()
