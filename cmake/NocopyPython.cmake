# Finds Python and nanobind, and defines how our extensions are built.

find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
execute_process(
  COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
  OUTPUT_VARIABLE nanobind_ROOT
  OUTPUT_STRIP_TRAILING_WHITESPACE
  RESULT_VARIABLE nocopy_nanobind_result
  ERROR_QUIET)
if(NOT nocopy_nanobind_result EQUAL 0)
  message(FATAL_ERROR
    "nanobind is not installed for ${Python_EXECUTABLE}. Install it there (pip install nanobind), \
or choose another interpreter with -DPython_EXECUTABLE=.")
endif()
find_package(nanobind CONFIG REQUIRED)

# nanobind's static library is made by the first nanobind_add_module; the glue that both extensions
# share links it too, so it is asked for here.
nanobind_build_library(nanobind-static AS_SYSINCLUDE)

# The same domain in both extensions: a class that one of them binds is known to the other, and
# neither shares anything with a stranger's nanobind extension.
set(NOCOPY_NB_DOMAIN nocopy)

# One extension per Python version (no stable ABI): it costs nothing here, as the wheel is built on
# the machine that installs it, and the limited API starts at 3.12 and is slower on the call path.
function(nocopy_add_extension name)
  nanobind_add_module(${name} NB_STATIC NB_DOMAIN ${NOCOPY_NB_DOMAIN} NOMINSIZE
    NB_SUPPRESS_WARNINGS)
  target_link_libraries(${name} PRIVATE nocopy_options)
  set_target_properties(${name} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/extensions")
  if(APPLE)
    target_link_options(${name} PRIVATE "LINKER:-exported_symbol,_PyInit_*")
  else()
    target_link_options(${name} PRIVATE "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/extension.map")
    set_property(TARGET ${name} APPEND PROPERTY LINK_DEPENDS
      "${PROJECT_SOURCE_DIR}/cmake/extension.map")
  endif()
endfunction()
