# bench/ROOM/NAME_bench.cpp is a program, NAME_bench, built only when asked for: it checks an operation, then times it.
# The folder's other sources are linked into each of its programs.
find_package(benchmark QUIET)
if(benchmark_FOUND)
  file(GLOB bench_sources RELATIVE ${CMAKE_SOURCE_DIR}/bench CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bench/*/*_bench.cpp)
  foreach(source IN LISTS bench_sources)
    cmake_path(GET source PARENT_PATH room)
    cmake_path(GET source STEM program)
    file(GLOB shared CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bench/${room}/*.cpp)
    list(FILTER shared EXCLUDE REGEX "_bench\\.cpp$")
    add_executable(${program} EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/bench/${source} ${shared})
    target_link_libraries(${program} PRIVATE ingot_${room} benchmark::benchmark_main)
  endforeach()
endif()
