# Defines `nocopy_options`, which every target of ours links: warnings, sanitizers, include root.

add_library(nocopy_options INTERFACE)
target_include_directories(nocopy_options INTERFACE "${PROJECT_SOURCE_DIR}/src")
target_compile_options(nocopy_options INTERFACE -Wall -Wextra -Wshadow -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees an overlap in every `"literal" + std::string()` that it inlines; GCC 13 does not.
  target_compile_options(nocopy_options INTERFACE -Wno-restrict)
  target_link_options(nocopy_options INTERFACE -Wno-restrict -Wno-stringop-overflow)
endif()
if(NOCOPY_WERROR)
  target_compile_options(nocopy_options INTERFACE -Werror)
endif()

if(NOCOPY_SANITIZE)
  # Not recovering makes an undefined behaviour fail the test that met it.
  target_compile_options(nocopy_options INTERFACE
    "-fsanitize=${NOCOPY_SANITIZE}" -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  target_link_options(nocopy_options INTERFACE "-fsanitize=${NOCOPY_SANITIZE}")
endif()
