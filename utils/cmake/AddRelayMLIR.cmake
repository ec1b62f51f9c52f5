include_guard()

# relay_add_library(<name> SOURCES <file>... [DEPENDS <target>...]
#                   [INCLUDE_DIRS <dir>...] [LINK_LIBS <lib>...]
#                   [PRECOMPILE_{RELAY,TIR,LLVM}_DIALECT] [ENABLE_EXCEPTIONS])
#
# One folder of the compiler: an object library that becomes part of
# libRelayMLIR.so. It waits for every generated header. LINK_LIBS names what the
# shared library must link beyond libMLIR.so and libLLVM.so. With
# PRECOMPILE_RELAY_DIALECT and so on, the headers of a dialect are parsed once for
# all files: for folders where most include them.
function(relay_add_library name)
  set(dialects PRECOMPILE_RELAY_DIALECT PRECOMPILE_TIR_DIALECT
    PRECOMPILE_LLVM_DIALECT)
  cmake_parse_arguments(ARG "ENABLE_EXCEPTIONS;${dialects}" ""
    "SOURCES;DEPENDS;INCLUDE_DIRS;LINK_LIBS" ${ARGN})
  add_library(obj.${name} OBJECT ${ARG_SOURCES})
  add_dependencies(obj.${name} relay-headers ${ARG_DEPENDS})
  target_include_directories(obj.${name} PRIVATE ${ARG_INCLUDE_DIRS})
  set(headers relay-pch)
  if(ARG_PRECOMPILE_RELAY_DIALECT)
    set(headers relay-dialect-pch)
  elseif(ARG_PRECOMPILE_TIR_DIALECT)
    set(headers relay-tir-pch)
  elseif(ARG_PRECOMPILE_LLVM_DIALECT)
    set(headers relay-llvm-pch)
  endif()
  if(ARG_ENABLE_EXCEPTIONS)
    string(APPEND headers -exceptions)
  else()
    # As LLVM is built; exceptions must not cross its frames.
    target_compile_options(obj.${name} PRIVATE -fno-exceptions)
  endif()
  relay_use_precompiled_headers(obj.${name} ${headers})
  set_property(GLOBAL APPEND PROPERTY RELAY_MLIR_OBJECTS
    $<TARGET_OBJECTS:obj.${name}>)
  set_property(GLOBAL APPEND PROPERTY RELAY_MLIR_LINK_LIBS ${ARG_LINK_LIBS})
endfunction()

# relay_add_tool(<name> <source>...): an executable over libRelayMLIR.so.
function(relay_add_tool name)
  add_executable(${name} ${ARGN})
  add_dependencies(${name} relay-headers)
  target_compile_options(${name} PRIVATE -fno-exceptions)
  target_link_libraries(${name} PRIVATE RelayMLIR)
  relay_use_precompiled_headers(${name} relay-dialect-pch)
  set_property(GLOBAL APPEND PROPERTY RELAY_TOOLS ${name})
  install(TARGETS ${name} EXPORT RelayMLIRTargets
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# relay_add_unittest(<name> <source>...): a gtest program under test/Unit, run by
# check-relay through lit.
function(relay_add_unittest name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES} ${ARG_UNPARSED_ARGUMENTS})
  add_dependencies(${name} relay-headers)
  target_link_libraries(${name} PRIVATE GTest::gtest_main ${ARG_LINK_LIBS})
  # Others know nothing of MLIR.
  if(RelayMLIR IN_LIST ARG_LINK_LIBS)
    relay_use_precompiled_headers(${name} relay-dialect-pch-exceptions)
  endif()
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test/Unit)
  set_property(GLOBAL APPEND PROPERTY RELAY_UNITTESTS ${name})
endfunction()

# relay_add_doc(<td> <path> <generator> <tblgen arg>...)
#
# Writes docs/<path>.md in the build tree as part of the relay-doc target.
function(relay_add_doc td path generator)
  set(LLVM_TARGET_DEFINITIONS ${td}.td)
  string(MAKE_C_IDENTIFIER ${path} id)
  tablegen(MLIR ${id}.md ${generator} ${ARGN})
  add_custom_command(
    OUTPUT ${PROJECT_BINARY_DIR}/docs/${path}.md
    COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_BINARY_DIR}/${id}.md
            ${PROJECT_BINARY_DIR}/docs/${path}.md
    DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${id}.md)
  add_custom_target(${id}DocGen
    DEPENDS ${PROJECT_BINARY_DIR}/docs/${path}.md)
  add_dependencies(relay-doc ${id}DocGen)
endfunction()

# relay_add_operator_schema(<family>)
#
# Makes Relay<family>OpsSchema.inc, what OperatorSchema.cpp knows of the
# operators in Relay<family>Ops.td.
macro(relay_add_operator_schema family)
  set(LLVM_TABLEGEN_EXE ${LLVM_TOOLS_BINARY_DIR}/llvm-tblgen)
  tablegen(LLVM Relay${family}Ops.json --dump-json)
  add_custom_command(
    OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/Relay${family}OpsSchema.inc
    COMMAND ${Python3_EXECUTABLE}
            ${PROJECT_SOURCE_DIR}/utils/operator_schema.py ${family}
            ${CMAKE_CURRENT_BINARY_DIR}/Relay${family}Ops.json
            ${CMAKE_CURRENT_BINARY_DIR}/Relay${family}OpsSchema.inc
    DEPENDS ${PROJECT_SOURCE_DIR}/utils/operator_schema.py
            ${CMAKE_CURRENT_BINARY_DIR}/Relay${family}Ops.json)
  list(APPEND RELAY_OPERATOR_FAMILIES ${family})
endmacro()

# relay_add_operator_schemas_target(<name>): the schemas above become target
# <name> and a list of the families, RelayOperatorFamilies.inc.
macro(relay_add_operator_schemas_target name)
  set(_includes "")
  set(_names "")
  set(_outputs "")
  foreach(_family ${RELAY_OPERATOR_FAMILIES})
    string(APPEND _includes
      "#include \"relay-mlir/Dialect/Relay/IR/Relay${_family}OpsSchema.inc\"\n")
    string(APPEND _names "RELAY_OPERATOR_FAMILY(${_family})\n")
    list(APPEND _outputs
      ${CMAKE_CURRENT_BINARY_DIR}/Relay${_family}OpsSchema.inc)
  endforeach()
  file(CONFIGURE OUTPUT RelayOperatorFamilies.inc @ONLY CONTENT
"#ifdef RELAY_OPERATOR_FAMILY
${_names}#undef RELAY_OPERATOR_FAMILY
#else
${_includes}#endif
")
  add_custom_target(${name} DEPENDS ${_outputs})
  add_dependencies(relay-headers ${name})
endmacro()

# relay_add_tablegen_target(<name>): the mlir_tablegen() outputs since the last
# call become target <name>, which every library waits for.
macro(relay_add_tablegen_target name)
  add_public_tablegen_target(${name})
  add_dependencies(relay-headers ${name})
endmacro()

# relay_add_subdirectories(): every subfolder with a CMakeLists.txt, so that
# a new folder need not be announced above it.
macro(relay_add_subdirectories)
  file(GLOB _lists RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS
    ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt)
  foreach(_list ${_lists})
    get_filename_component(_dir ${_list} DIRECTORY)
    add_subdirectory(${_dir})
  endforeach()
endmacro()
