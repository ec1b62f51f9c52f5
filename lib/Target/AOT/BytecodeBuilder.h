//===- BytecodeBuilder.h - Functions of objects as bytecode -----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_TARGET_AOT_BYTECODEBUILDER_H
#define RELAY_MLIR_LIB_TARGET_AOT_BYTECODEBUILDER_H

#include "mlir/IR/BuiltinOps.h"
#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace mlir::relay::detail {

/// A RelayVMProgram on its way into an artefact.
struct Bytecode {
  struct Function {
    std::string name;
    int32_t kind;
    bool isPublic = false;
    SmallVector<std::string> params = {};
    /// Of what callers pass, as ArtifactFormat.h describes it.
    SmallVector<int64_t> types = {};
    /// Of what they get.
    SmallVector<int64_t> resultTypes = {};
    SmallVector<std::string> results = {};
    /// Those that are strings, by their numbers.
    SmallVector<int64_t> stringParams = {}, stringResults = {};
    /// The names of open sizes in the types.
    llvm::SetVector<StringAttr> symbols = {};
    int32_t numRegisters = 0;
    int32_t tensorFunction = 0;
    int64_t firstWord = 0, numWords = 0;
  };
  struct Constant {
    ElementsAttr value;
    Location loc;
    /// Among the weights of the host, once it is placed.
    uint64_t offset = 0;
  };

  std::vector<Function> functions;
  std::vector<Constant> constants;
  SmallVector<relax::ConstructorAttr> constructors;
  /// The types of their fields; none for all behind the last one.
  std::vector<SmallVector<int64_t>> fieldTypes;
  SmallVector<int64_t> words;
};

/// Translates the functions of objects in `glue`. `tensorFunctions` are the
/// numbers of the functions of tensors by their names.
FailureOr<Bytecode>
buildBytecode(ModuleOp glue, const llvm::StringMap<unsigned> &tensorFunctions);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_TARGET_AOT_BYTECODEBUILDER_H
