include_guard()

# MLIR's headers are most of the time of a compilation. They are parsed once,
# for the libraries of the compiler, which include them all the same: with
# RELAY_PRECOMPILE_HEADERS=OFF each file shows whether it includes what it uses.
# The project's own headers are left out; a change of theirs should rebuild what
# includes them only.
option(RELAY_PRECOMPILE_HEADERS "Parse the headers of MLIR once" ON)

set(RELAY_PRECOMPILED_HEADERS
  mlir/Dialect/Affine/IR/AffineOps.h
  mlir/Dialect/Arith/IR/Arith.h
  mlir/Dialect/Func/IR/FuncOps.h
  mlir/Dialect/Math/IR/Math.h
  mlir/Dialect/MemRef/IR/MemRef.h
  mlir/Dialect/SCF/IR/SCF.h
  mlir/Dialect/Tensor/IR/Tensor.h
  mlir/Dialect/Utils/StaticValueUtils.h
  mlir/Dialect/Vector/IR/VectorOps.h
  mlir/IR/Builders.h
  mlir/IR/BuiltinOps.h
  mlir/IR/ImplicitLocOpBuilder.h
  mlir/IR/Matchers.h
  mlir/IR/OpImplementation.h
  mlir/IR/PatternMatch.h
  mlir/IR/TypeUtilities.h
  mlir/Pass/Pass.h
  mlir/Transforms/DialectConversion.h
  llvm/ADT/STLExtras.h
  llvm/ADT/StringExtras.h
  llvm/ADT/StringMap.h
  llvm/ADT/TypeSwitch.h)

# CMake would also name the list of headers, by a path that differs from build
# to build; ccache could not share object files between them.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  set(CMAKE_CXX_COMPILE_OPTIONS_USE_PCH
    -Xclang -include-pch -Xclang <PCH_FILE>)
endif()

# Object files of ccache depend on the headers through a checksum of where they
# come from: the file that the compiler makes of them holds paths of the build.
function(_relay_write_checksum name)
  list(JOIN RELAY_PRECOMPILED_HEADERS "\n" headers)
  file(TIMESTAMP ${MLIR_CMAKE_DIR}/MLIRConfigVersion.cmake installed)
  file(CONFIGURE
    OUTPUT CMakeFiles/${name}.dir/cmake_pch.hxx.pch.sum
    CONTENT "${name} ${LLVM_PACKAGE_VERSION} ${installed}\n${headers}\n" @ONLY)
endfunction()

# relay_add_precompiled_headers(<name> [<option>...])
function(relay_add_precompiled_headers name)
  if(NOT RELAY_PRECOMPILE_HEADERS)
    return()
  endif()
  file(CONFIGURE OUTPUT ${name}.cpp CONTENT "" @ONLY)
  add_library(${name} OBJECT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  target_compile_options(${name} PRIVATE ${ARGN})
  list(TRANSFORM RELAY_PRECOMPILED_HEADERS
    REPLACE "(.+)" "<\\1>" OUTPUT_VARIABLE headers)
  target_precompile_headers(${name} PRIVATE ${headers})
  set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER "")
  _relay_write_checksum(${name})
endfunction()

# relay_use_precompiled_headers(<target> <name>): the target's options must be
# those that <name> was added with.
function(relay_use_precompiled_headers target name)
  if(RELAY_PRECOMPILE_HEADERS)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()
