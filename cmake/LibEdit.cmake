# The target `libedit::libedit`, the line editor of `ingot chat`.
find_path(LIBEDIT_INCLUDE_DIR histedit.h REQUIRED)
find_library(LIBEDIT_LIBRARY edit REQUIRED)
add_library(libedit::libedit UNKNOWN IMPORTED)
set_target_properties(libedit::libedit PROPERTIES IMPORTED_LOCATION ${LIBEDIT_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${LIBEDIT_INCLUDE_DIR})
