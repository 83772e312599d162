# Makes our own copy of the prebuilt ExecuTorch libraries and defines `nocopy_runtime`, which links it.
#
# The copies get file names and sonames of our own. The dynamic loader tells libraries apart by soname,
# so a process that also holds the `executorch` package, whatever its version and whichever was
# imported first, has two runtimes with two registries instead of one built from halves.

set(nocopy_executorch_hint
  "Set NOCOPY_EXECUTORCH_ROOT to the folder `executorch` of an unpacked executorch 1.5.1 wheel \
(`python build_backend/executorch_wheel.py` fetches one and prints its path), \
or configure with -DNOCOPY_BUILD_RUNTIME=OFF.")
if(NOT NOCOPY_EXECUTORCH_ROOT)
  message(FATAL_ERROR "NOCOPY_EXECUTORCH_ROOT is not set. ${nocopy_executorch_hint}")
endif()
if(NOT EXISTS "${NOCOPY_EXECUTORCH_ROOT}/include/executorch/runtime/executor/program.h")
  message(FATAL_ERROR
    "${NOCOPY_EXECUTORCH_ROOT} holds no include/executorch. ${nocopy_executorch_hint}")
endif()

file(STRINGS "${NOCOPY_EXECUTORCH_ROOT}/version.py" nocopy_executorch_version REGEX "^__version__ = ")
string(REGEX REPLACE ".*[\"']([0-9.]+).*" "\\1" NOCOPY_EXECUTORCH_VERSION
  "${nocopy_executorch_version}")
if(NOT NOCOPY_EXECUTORCH_VERSION VERSION_EQUAL 1.5.1)
  # Its C++ interface is not stable between releases: another one may build and then misbehave.
  message(FATAL_ERROR "${NOCOPY_EXECUTORCH_ROOT} is executorch ${NOCOPY_EXECUTORCH_VERSION}. \
${nocopy_executorch_hint}")
endif()

set(nocopy_runtime_sources
  libexecutorch
  libexecutorch_threadpool
  libexecutorch_kernels_optimized
  libexecutorch_kernels_quantized
  libexecutorch_backend_xnnpack
  libexecutorch_etdump)
set(NOCOPY_RUNTIME_LIBRARY_DIR "${PROJECT_BINARY_DIR}/runtime")

include(NocopyBundle)
nocopy_bundle_libraries(
  SOURCE_DIR "${NOCOPY_EXECUTORCH_ROOT}/lib"
  DESTINATION "${NOCOPY_RUNTIME_LIBRARY_DIR}"
  LIBRARIES ${nocopy_runtime_sources}
  OUTPUT NOCOPY_RUNTIME_LIBRARIES)

add_library(nocopy_runtime INTERFACE)
# System: these headers are not ours to clean of warnings.
target_include_directories(nocopy_runtime SYSTEM INTERFACE
  "${NOCOPY_EXECUTORCH_ROOT}/include"
  "${NOCOPY_EXECUTORCH_ROOT}/include/executorch/runtime/core/portable_type/c10")
# What the libraries were compiled with; another value declares other functions and layouts.
target_compile_definitions(nocopy_runtime INTERFACE
  C10_USING_CUSTOM_GENERATED_MACROS ET_EVENT_TRACER_ENABLED ET_USE_THREADPOOL)
target_link_libraries(nocopy_runtime INTERFACE ${NOCOPY_RUNTIME_LIBRARIES})
if(NOT APPLE)
  # Kernels, delegate and profiler are only reached through the registry they fill while loading. A
  # linker that drops libraries no symbol of which is used would drop them.
  target_link_options(nocopy_runtime INTERFACE "LINKER:--no-as-needed")
endif()
