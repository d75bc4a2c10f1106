# The programs.
if(EXISTS ${CMAKE_SOURCE_DIR}/src/ingot/apps/main.cpp)
  add_executable(ingot ${CMAKE_SOURCE_DIR}/src/ingot/apps/main.cpp)
  target_link_libraries(ingot PRIVATE ingot_config ingot_http ingot_serve ingot_host ingot_cli)
endif()
