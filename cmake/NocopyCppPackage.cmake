# `cmake --install build --component cpp --prefix DIR` leaves the ONNX messages for C++ programs:
# headers, static libraries and a CMake package with the target nocopy::onnx.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# Both folders, so that a program writes <nocopy/onnx/messages.h> and a header finds its neighbours.
foreach(target nocopy_memory nocopy_onnx)
  target_include_directories(${target} INTERFACE
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/nocopy>")
  target_compile_features(${target} PUBLIC cxx_std_20)
endforeach()
set_target_properties(nocopy_memory PROPERTIES EXPORT_NAME memory)
set_target_properties(nocopy_onnx PROPERTIES EXPORT_NAME onnx)

install(TARGETS nocopy_memory nocopy_onnx EXPORT nocopyTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT cpp)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/src/memory" "${PROJECT_SOURCE_DIR}/src/onnx"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/nocopy" COMPONENT cpp
  FILES_MATCHING PATTERN "*.h")

set(nocopy_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/nocopy")
install(EXPORT nocopyTargets NAMESPACE nocopy:: DESTINATION "${nocopy_package_dir}" COMPONENT cpp)
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/nocopyConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/nocopyConfig.cmake" INSTALL_DESTINATION "${nocopy_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/nocopyConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/nocopyConfig.cmake"
  "${PROJECT_BINARY_DIR}/nocopyConfigVersion.cmake"
  DESTINATION "${nocopy_package_dir}" COMPONENT cpp)
