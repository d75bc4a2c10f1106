# The target `mlx`, of exactly the pinned version: an installed MLX first, else the wheel that tools/fetch_mlx unpacks.
set(INGOT_MLX_VERSION 0.32.4)
set(INGOT_MLX_DIR "" CACHE PATH "Folder of an unpacked MLX wheel (holds include/, lib/, share/)")

if(NOT INGOT_MLX_DIR AND INGOT_BACKEND STREQUAL cpu)
  find_package(MLX ${INGOT_MLX_VERSION} EXACT CONFIG QUIET)
endif()

if(NOT MLX_FOUND)
  if(NOT INGOT_MLX_DIR)
    execute_process(
      COMMAND ${CMAKE_SOURCE_DIR}/tools/fetch_mlx ${INGOT_BACKEND} ${INGOT_MLX_VERSION}
      OUTPUT_VARIABLE fetched OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE rc)
    if(NOT rc EQUAL 0)
      message(FATAL_ERROR "MLX ${INGOT_MLX_VERSION} (${INGOT_BACKEND}) could not be fetched; set INGOT_MLX_DIR to an unpacked wheel")
    endif()
    set(INGOT_MLX_DIR ${fetched} CACHE PATH "" FORCE)
  endif()

  file(STRINGS ${INGOT_MLX_DIR}/include/mlx/version.h mlx_version_lines REGEX "define MLX_VERSION_(MAJOR|MINOR|PATCH)")
  string(REGEX MATCHALL "[0-9]+" mlx_version_parts "${mlx_version_lines}")
  list(JOIN mlx_version_parts "." mlx_version)
  if(NOT mlx_version STREQUAL INGOT_MLX_VERSION)
    message(FATAL_ERROR "MLX at ${INGOT_MLX_DIR} is ${mlx_version}; Ingot needs exactly ${INGOT_MLX_VERSION}")
  endif()

  add_library(mlx SHARED IMPORTED)
  set_target_properties(mlx PROPERTIES IMPORTED_LOCATION ${INGOT_MLX_DIR}/lib/libmlx.so)
  target_include_directories(mlx SYSTEM INTERFACE ${INGOT_MLX_DIR}/include)
endif()
target_compile_definitions(mlx INTERFACE INGOT_MLX_VERSION="${INGOT_MLX_VERSION}")
