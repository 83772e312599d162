# `cmake --install build --prefix DIR` leaves an importable package in DIR/nocopy.
# The wheel takes the component `extensions` from here and the Python files from python/nocopy.

install(TARGETS _core DESTINATION nocopy COMPONENT extensions)
if(NOCOPY_BUILD_RUNTIME)
  install(TARGETS _executorch DESTINATION nocopy COMPONENT extensions)
  install(PROGRAMS ${NOCOPY_RUNTIME_LIBRARIES} DESTINATION nocopy/_libs COMPONENT extensions)
endif()
install(DIRECTORY "${PROJECT_SOURCE_DIR}/python/nocopy" DESTINATION . COMPONENT python
  PATTERN "__pycache__" EXCLUDE)
