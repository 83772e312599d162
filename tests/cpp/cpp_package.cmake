# Installs the component `cpp` of BUILD, builds EXAMPLE against it and runs what came out.
set(prefix "${BUILD}/cpp_package/prefix")
set(binaries "${BUILD}/cpp_package/example")
file(REMOVE_RECURSE "${BUILD}/cpp_package")

set(flags "")
if(SANITIZE)
  set(flags "-fsanitize=${SANITIZE}")
endif()

execute_process(COMMAND_ERROR_IS_FATAL ANY
  COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --component cpp --prefix "${prefix}")
execute_process(COMMAND_ERROR_IS_FATAL ANY
  COMMAND "${CMAKE_COMMAND}" -S "${EXAMPLE}" -B "${binaries}" -G "${GENERATOR}"
    "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_CXX_FLAGS=${flags}")
execute_process(COMMAND_ERROR_IS_FATAL ANY COMMAND "${CMAKE_COMMAND}" --build "${binaries}")
execute_process(COMMAND_ERROR_IS_FATAL ANY
  COMMAND "${binaries}/onnx_weights" make "${binaries}/made.onnx")
execute_process(COMMAND_ERROR_IS_FATAL ANY OUTPUT_VARIABLE shown
  COMMAND "${binaries}/onnx_weights" show "${binaries}/made.onnx")
if(NOT shown MATCHES "weight +FLOAT +\\[3, 4\\] +48 bytes, in the mapped file")
  message(FATAL_ERROR "the example shows:\n${shown}")
endif()
execute_process(RESULT_VARIABLE code ERROR_VARIABLE complaint
  COMMAND "${binaries}/onnx_weights" show "${binaries}/onnx_weights")
if(code EQUAL 0 OR NOT complaint MATCHES "byte [0-9]+")
  message(FATAL_ERROR "a program read as a model: ${complaint}")
endif()
