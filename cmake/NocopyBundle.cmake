# nocopy_bundle_libraries(SOURCE_DIR dir DESTINATION dir LIBRARIES name... OUTPUT variable)
#
# Copies shared libraries under names of our own (libexecutorch* -> libnocopy_executorch*), makes them
# refer to each other by those names and look for each other in their own folder. Leaves the paths
# of the copies in `variable`.

find_package(Python 3.10 REQUIRED COMPONENTS Interpreter)
set(NOCOPY_KEEP_SYMBOLS_APART "${CMAKE_CURRENT_LIST_DIR}/keep_symbols_apart.py")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${NOCOPY_KEEP_SYMBOLS_APART}")

function(nocopy_bundle_libraries)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "SOURCE_DIR;DESTINATION;OUTPUT" "LIBRARIES")
  if(APPLE)
    set(suffix ".dylib")
  else()
    set(suffix ".so")
  endif()

  set(outputs)
  set(fingerprint)
  foreach(library IN LISTS arg_LIBRARIES)
    set(source "${arg_SOURCE_DIR}/${library}${suffix}")
    if(NOT EXISTS "${source}")
      message(FATAL_ERROR "${source} does not exist. ${nocopy_executorch_hint}")
    endif()
    string(REGEX REPLACE "^lib" "libnocopy_" renamed "${library}")
    list(APPEND outputs "${arg_DESTINATION}/${renamed}${suffix}")
    file(SHA256 "${source}" hash)
    string(APPEND fingerprint "${hash} ${renamed}\n")
  endforeach()
  foreach(recipe IN ITEMS "${CMAKE_CURRENT_FUNCTION_LIST_FILE}" "${NOCOPY_KEEP_SYMBOLS_APART}")
    file(SHA256 "${recipe}" hash)
    string(APPEND fingerprint "${hash}\n")
  endforeach()
  set(${arg_OUTPUT} ${outputs} PARENT_SCOPE)

  # Touching the copies again would relink everything at each configure.
  set(stamp "${arg_DESTINATION}/fingerprint.txt")
  if(EXISTS "${stamp}")
    file(READ "${stamp}" previous)
    if(previous STREQUAL fingerprint)
      return()
    endif()
  endif()

  file(REMOVE_RECURSE "${arg_DESTINATION}")
  file(MAKE_DIRECTORY "${arg_DESTINATION}")
  foreach(library output IN ZIP_LISTS arg_LIBRARIES outputs)
    configure_file("${arg_SOURCE_DIR}/${library}${suffix}" "${output}" COPYONLY
      FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
      WORLD_EXECUTE)
    if(APPLE)
      nocopy_rename_macho("${output}" "${arg_LIBRARIES}")
    else()
      nocopy_rename_elf("${output}" "${arg_LIBRARIES}")
    endif()
  endforeach()
  file(WRITE "${stamp}" "${fingerprint}")
endfunction()

function(nocopy_rename_elf path libraries)
  find_program(NOCOPY_PATCHELF patchelf REQUIRED)
  cmake_path(GET path FILENAME soname)
  set(arguments --set-soname "${soname}" --set-rpath "$ORIGIN")
  foreach(library IN LISTS libraries)
    string(REGEX REPLACE "^lib" "libnocopy_" renamed "${library}")
    list(APPEND arguments --replace-needed "${library}.so" "${renamed}.so")
  endforeach()
  execute_process(COMMAND "${NOCOPY_PATCHELF}" ${arguments} "${path}" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${Python_EXECUTABLE}" "${NOCOPY_KEEP_SYMBOLS_APART}" "${path}"
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(nocopy_rename_macho path libraries)
  find_program(NOCOPY_INSTALL_NAME_TOOL install_name_tool REQUIRED)
  find_program(NOCOPY_OTOOL otool REQUIRED)
  find_program(NOCOPY_CODESIGN codesign REQUIRED)
  cmake_path(GET path FILENAME name)
  set(arguments -id "@rpath/${name}")
  foreach(library IN LISTS libraries)
    string(REGEX REPLACE "^lib" "libnocopy_" renamed "${library}")
    # -change says nothing about a name that the file does not refer to.
    list(APPEND arguments -change "@rpath/${library}.dylib" "@loader_path/${renamed}.dylib")
  endforeach()

  # The search paths lead to places in the other package; a copy of ours must never look there.
  execute_process(COMMAND "${NOCOPY_OTOOL}" -l "${path}" OUTPUT_VARIABLE commands
    COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "cmd LC_RPATH[^(]*\\(offset" entries "${commands}")
  foreach(entry IN LISTS entries)
    string(REGEX REPLACE ".*path (.*) \\(offset" "\\1" rpath "${entry}")
    list(APPEND arguments -delete_rpath "${rpath}")
  endforeach()
  execute_process(COMMAND "${NOCOPY_INSTALL_NAME_TOOL}" ${arguments} "${path}"
    COMMAND_ERROR_IS_FATAL ANY)

  execute_process(COMMAND "${NOCOPY_OTOOL}" -L "${path}" OUTPUT_VARIABLE needed
    COMMAND_ERROR_IS_FATAL ANY)
  if(needed MATCHES "[/ \t]libexecutorch[a-z_]*\\.dylib")
    message(FATAL_ERROR "${path} still refers to a library of the executorch package:\n${needed}")
  endif()
  # Changing a Mach-O file breaks its signature, and Apple silicon runs no file with a broken one.
  execute_process(COMMAND "${NOCOPY_CODESIGN}" --force --sign - "${path}"
    COMMAND_ERROR_IS_FATAL ANY)
endfunction()
