# Tests of the repository itself, and the rooms whose tests also run under the sanitizers.
if(INGOT_TESTS)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(tools ${CMAKE_SOURCE_DIR}/tools)
  add_test(NAME check_arrows COMMAND Python3::Interpreter ${tools}/check_arrows --build ${CMAKE_BINARY_DIR})
  add_test(NAME check_sizes COMMAND Python3::Interpreter ${tools}/check_sizes)
  add_test(NAME check_docs COMMAND Python3::Interpreter ${tools}/check_docs)
  # After a change of the metrics: make docs
  add_test(NAME docs_metrics COMMAND sh -c "$<TARGET_FILE:ingot> docs metrics | diff ${CMAKE_SOURCE_DIR}/docs/metrics.md -")
  add_test(NAME tools COMMAND Python3::Interpreter -m unittest discover -s ${tools} -p "*_test.py")

  # `cmake --build --preset asan` builds this target; `ctest --preset asan` runs this label.
  add_custom_target(sanitized_tests)
  foreach(room base core kv sched engine api checkpoint text weights serve http)
    if(TARGET ${room}_test)
      add_dependencies(sanitized_tests ${room}_test)
      set_property(TEST ${room} APPEND PROPERTY LABELS sanitized)
    endif()
  endforeach()
endif()
