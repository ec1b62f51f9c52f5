include_guard()

# MLIR's headers are most of the time of a compilation. They are parsed once,
# for the libraries of the compiler, which include them all the same: with
# RELAY_PRECOMPILE_HEADERS=OFF each file shows whether it includes what it uses.
# The project's own headers are left out; a change of theirs should rebuild what
# includes them only. The exceptions are dialects that nearly every file of some
# libraries includes: relay, whose 300 operators take as long to parse as all of
# MLIR, and tir.
option(RELAY_PRECOMPILE_HEADERS "Parse the headers of MLIR once" ON)

set(RELAY_PRECOMPILED_HEADERS
  mlir/Dialect/Affine/IR/AffineOps.h
  mlir/Dialect/Arith/IR/Arith.h
  mlir/Dialect/Func/IR/FuncOps.h
  mlir/Dialect/Linalg/IR/Linalg.h
  mlir/Dialect/Math/IR/Math.h
  mlir/Dialect/MemRef/IR/MemRef.h
  mlir/Dialect/SCF/IR/SCF.h
  mlir/Dialect/Tensor/IR/Tensor.h
  mlir/Dialect/Utils/StaticValueUtils.h
  mlir/Dialect/Vector/IR/VectorOps.h
  mlir/IR/AsmState.h
  mlir/IR/Builders.h
  mlir/IR/BuiltinOps.h
  mlir/IR/DialectImplementation.h
  mlir/IR/DialectResourceBlobManager.h
  mlir/IR/ImplicitLocOpBuilder.h
  mlir/IR/Matchers.h
  mlir/IR/OpImplementation.h
  mlir/IR/PatternMatch.h
  mlir/IR/TypeUtilities.h
  mlir/Pass/Pass.h
  mlir/Pass/PassManager.h
  mlir/Transforms/DialectConversion.h
  llvm/ADT/STLExtras.h
  llvm/ADT/StringExtras.h
  llvm/ADT/StringMap.h
  llvm/ADT/TypeSwitch.h
  llvm/Support/Error.h
  llvm/Support/FileSystem.h
  llvm/Support/SourceMgr.h
  llvm/TargetParser/Triple.h)

# CMake would also name the list of headers, by a path that differs from build
# to build; ccache could not share object files between them.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH
    -Xclang -include-pch -Xclang <PCH_FILE>)
endif()

# Object files of ccache depend on the headers through a checksum of where they
# come from: the file that the compiler makes of them holds paths of the build.
# Packaged headers come from a version of MLIR; what the project's own headers
# say is added when they are parsed (ChecksumHeaders.cmake).
function(_relay_write_checksum name packaged headers)
  set(sum CMakeFiles/${name}.dir/cmake_pch.hxx.pch.sum)
  if(packaged)
    list(APPEND packaged ${pybind11_VERSION} ${Python3_VERSION})
  endif()
  list(JOIN RELAY_PRECOMPILED_HEADERS "\n" all)
  list(JOIN packaged "\n" packaged)
  file(TIMESTAMP ${MLIR_CMAKE_DIR}/MLIRConfigVersion.cmake installed)
  set(content
    "${name} ${LLVM_PACKAGE_VERSION} ${installed}\n${all}\n${packaged}")
  if(NOT headers)
    file(CONFIGURE OUTPUT ${sum} CONTENT "${content}" @ONLY)
    return()
  endif()
  file(CONFIGURE OUTPUT ${sum}.in CONTENT "${content}" @ONLY)
  set(pch ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${name}.dir/cmake_pch.hxx.pch)
  add_custom_command(
    OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${sum}
    COMMAND ${CMAKE_COMMAND}
      -DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/${sum} "-DHEADERS=${headers}"
      -DSOURCE_DIR=${PROJECT_SOURCE_DIR}/include
      -DBINARY_DIR=${PROJECT_BINARY_DIR}/include
      -P ${PROJECT_SOURCE_DIR}/utils/cmake/ChecksumHeaders.cmake
    DEPENDS ${pch} ${PROJECT_SOURCE_DIR}/utils/cmake/ChecksumHeaders.cmake
    COMMENT "Summing up the headers of ${name}" VERBATIM)
  add_custom_target(${name}-sum DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/${sum})
  add_dependencies(${name}-sum ${name})
endfunction()

# relay_add_precompiled_headers(<name> [OPTIONS <option>...]
#                               [HEADERS <header>...]
#                               [PACKAGED <header>... LINK_LIBS <lib>...])
#
# MLIR's headers, the project's HEADERS, and those of other packages, which
# LINK_LIBS bring.
function(relay_add_precompiled_headers name)
  if(NOT RELAY_PRECOMPILE_HEADERS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "OPTIONS;HEADERS;PACKAGED;LINK_LIBS" ${ARGN})
  file(CONFIGURE OUTPUT ${name}.cpp CONTENT "" @ONLY)
  add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS})
  set(headers ${RELAY_PRECOMPILED_HEADERS} ${ARG_PACKAGED} ${ARG_HEADERS})
  list(TRANSFORM headers REPLACE "(.+)" "<\\1>")
  target_precompile_headers(${name} PRIVATE ${headers})
  set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER "")
  if(ARG_HEADERS)
    add_dependencies(${name} relay-headers)
  endif()
  _relay_write_checksum(${name} "${ARG_PACKAGED}" "${ARG_HEADERS}")
endfunction()

# relay_use_precompiled_headers(<target> <name>): the target's options must be
# those that <name> was added with. A program is compiled as a library is.
function(relay_use_precompiled_headers target name)
  if(RELAY_PRECOMPILE_HEADERS)
    target_precompile_headers(${target} REUSE_FROM ${name})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL EXECUTABLE)
      target_compile_options(${target} PRIVATE -fPIC)
    endif()
    if(TARGET ${name}-sum)
      add_dependencies(${target} ${name}-sum)
    endif()
  endif()
endfunction()
