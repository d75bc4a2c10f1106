# The mock by itself, for the tests of the rooms above: it links neither runner nor MLX.
if(INGOT_TESTS)
  add_library(ingot_mock_engine STATIC ${CMAKE_CURRENT_LIST_DIR}/mock_engine.cpp)
  target_include_directories(ingot_mock_engine PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(ingot_mock_engine PUBLIC ingot_base)
endif()
