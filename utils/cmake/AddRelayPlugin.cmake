include_guard()

# relay_add_plugin(<name> DIALECT <namespace> <source>...)
#
# A plugin: a shared object <name>.so with a dialect, which the tools load with
# --load-dialect-plugin and Python with load_dialect_plugin. C++ sources are
# compiled as the compiler is. Others become files that they include:
#
#   <file>.td    <file>.h.inc and <file>.cpp.inc: declarations and definitions of
#                the dialect, its attributes, types and operations. The lists of
#                these are in <file>Attributes.cpp.inc and so on;
#                <file>Passes.h.inc has the passes
#   <file>.pdll  <file>.pdll.h.inc: rules, in a function
#                populateGeneratedPDLLPatterns
#
# They may include the .td and .pdll files of MLIR and of this project.
#
# A project with plugins also gets editor/ in its build folder: a language server
# that knows their dialects, and settings.json for Visual Studio Code.
function(relay_add_plugin name)
  cmake_parse_arguments(ARG "" "DIALECT" "" ${ARGN})
  set(sources ${ARG_UNPARSED_ARGUMENTS})
  if(NOT TARGET relay-headers)
    # mlir_tablegen reads what the folder includes.
    get_target_property(include_dirs RelayMLIR::RelayMLIR
      INTERFACE_INCLUDE_DIRECTORIES)
    include_directories(${include_dirs})
    include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  endif()
  foreach(source ${sources})
    get_filename_component(stem ${source} NAME_WLE)
    get_filename_component(extension ${source} LAST_EXT)
    set(LLVM_TARGET_DEFINITIONS ${source})
    if(extension STREQUAL ".pdll")
      add_mlir_pdll_library(${name}${stem}RulesIncGen
        ${source} ${stem}.pdll.h.inc)
      list(APPEND generated ${name}${stem}RulesIncGen)
    elseif(extension STREQUAL ".td")
      foreach(part h cpp)
        set(forms_h decls)
        set(forms_cpp defs)
        set(includes "")
        set(kinds Dialect dialect dialect Attributes attrdef attrdefs-dialect
          Types typedef typedefs-dialect Ops op dialect)
        while(kinds)
          list(POP_FRONT kinds kind generator option)
          mlir_tablegen(${stem}${kind}.${part}.inc
            -gen-${generator}-${forms_${part}} -${option}=${ARG_DIALECT})
          string(APPEND includes "#include \"${stem}${kind}.${part}.inc\"\n")
        endwhile()
        file(CONFIGURE OUTPUT ${stem}.${part}.inc @ONLY CONTENT
"#define GET_ATTRDEF_CLASSES
#define GET_TYPEDEF_CLASSES
#define GET_OP_CLASSES
${includes}#undef GET_ATTRDEF_CLASSES
#undef GET_TYPEDEF_CLASSES
#undef GET_OP_CLASSES
")
      endforeach()
      # The generator refuses files that do not include what passes are.
      file(CONFIGURE OUTPUT ${stem}Passes.td @ONLY CONTENT
"include \"mlir/Pass/PassBase.td\"
include \"${source}\"
")
      set(LLVM_TARGET_DEFINITIONS
        ${CMAKE_CURRENT_BINARY_DIR}/${stem}Passes.td)
      mlir_tablegen(${stem}Passes.h.inc -gen-pass-decls -name ${stem})
      add_public_tablegen_target(${name}${stem}IncGen)
      list(APPEND generated ${name}${stem}IncGen)
    endif()
  endforeach()
  list(FILTER sources EXCLUDE REGEX "\\.(td|pdll)$")
  add_library(${name} MODULE ${sources})
  if(generated)
    add_dependencies(${name} ${generated})
  endif()
  if(TARGET relay-headers)
    add_dependencies(${name} relay-headers)
  endif()
  set_target_properties(${name} PROPERTIES PREFIX "")
  target_compile_features(${name} PRIVATE cxx_std_17)
  # As LLVM is built: exceptions must not cross its frames, and its package has
  # no assertions (PackagedLLVM.h).
  target_compile_options(${name} PRIVATE -fno-exceptions
    "SHELL:-include ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/PackagedLLVM.h")
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}
    ${CMAKE_CURRENT_BINARY_DIR})
  target_link_libraries(${name} PRIVATE RelayMLIR::RelayMLIR)
  if(TARGET relay-headers)
    relay_use_precompiled_headers(${name} relay-dialect-pch)
  else()
    get_property(plugins GLOBAL PROPERTY RELAY_PLUGINS)
    if(NOT plugins)
      cmake_language(DEFER DIRECTORY ${CMAKE_SOURCE_DIR}
        CALL relay_configure_editor)
    endif()
    set_property(GLOBAL APPEND PROPERTY RELAY_PLUGINS ${name})
  endif()
endfunction()

# Language servers for what the project is written in.
function(relay_configure_editor)
  set(folder ${CMAKE_BINARY_DIR}/editor)
  get_property(plugins GLOBAL PROPERTY RELAY_PLUGINS)
  set(options "")
  foreach(plugin ${plugins})
    string(APPEND options
      " \"--load-dialect-plugin=$<TARGET_FILE:${plugin}>\"")
  endforeach()
  # Editors take a program without arguments.
  file(GENERATE OUTPUT ${folder}/mlir-lsp-server CONTENT
"#!/bin/sh
exec \"$<TARGET_FILE:RelayMLIR::relay-lsp-server>\"${options} \"$@\"
" FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
  file(GENERATE OUTPUT ${folder}/settings.json CONTENT
"{
  \"mlir.server_path\": \"${folder}/mlir-lsp-server\",
  \"mlir.pdll_server_path\": \"${LLVM_TOOLS_BINARY_DIR}/mlir-pdll-lsp-server\",
  \"mlir.pdll_compilation_databases\": [
    \"${CMAKE_BINARY_DIR}/pdll_compile_commands.yml\"
  ],
  \"mlir.tablegen_server_path\": \"${LLVM_TOOLS_BINARY_DIR}/tblgen-lsp-server\",
  \"mlir.tablegen_compilation_databases\": [
    \"${CMAKE_BINARY_DIR}/tablegen_compile_commands.yml\"
  ]
}
")
endfunction()

# relay_add_device(<name> <kind> <source>...)
#
# What drives devices of a kind when a model runs (relay-mlir-c/Device.h):
# librelay_device_<kind>.so, which the run time finds in a folder of
# RELAY_DEVICE_PATH. It needs nothing of the compiler.
function(relay_add_device name kind)
  add_library(${name} MODULE ${ARGN})
  if(TARGET relay-headers)
    add_dependencies(${name} relay-headers)
  endif()
  set_target_properties(${name} PROPERTIES
    PREFIX "" OUTPUT_NAME librelay_device_${kind})
  target_link_libraries(${name} PRIVATE RelayMLIR::RelayRuntime)
endfunction()
