//===- ShapesFunction.h - Sizes of a run, and their conditions --*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_TARGET_AOT_SHAPESFUNCTION_H
#define RELAY_MLIR_LIB_TARGET_AOT_SHAPESFUNCTION_H

#include "CodeBuilder.h"
#include "HostData.h"

namespace mlir::relay::detail {

/// Builds RelayArtifactFunction::shapes, and describes what it checks: the
/// sizes that the program takes as equal or as large enough, and that those of
/// no tensor are negative or too large. Everything that the program computes
/// from sizes later is then right.
class ShapesFunction {
public:
  ShapesFunction(relax::FuncOp main, relax::SymbolScope &scope,
                 ArrayRef<StringAttr> symbols, ArrayRef<DeviceAttr> devices,
                 HostData &data)
      : main(main), scope(scope), symbols(symbols), devices(devices),
        data(data) {}

  /// Builds the body of `function`. Sizes that are known and wrong are errors
  /// at the operations that have them.
  LogicalResult build(LLVM::LLVMFuncOp function);

  /// An array of RelayArtifactCheck, its length, and the most values of one.
  FlatSymbolRefAttr getChecks() { return data.getStructs(checks); }
  int32_t getNumChecks() const { return checks.size(); }
  int32_t getMaxValues() const { return maxValues; }

private:
  /// Adds a check of `exprs` and the code that leaves if `violation` holds.
  void add(CodeBuilder &code, int32_t kind, ArrayRef<AffineExpr> exprs,
           StringRef subject, Value violation);
  void checkPair(CodeBuilder &code, int32_t kind, AffineExpr lhs,
                 AffineExpr rhs);
  LogicalResult checkTensor(CodeBuilder &code, Value tensor);
  /// What a message calls the tensor.
  std::string getSubject(Value tensor);
  FlatSymbolRefAttr getText(AffineExpr expr);

  relax::FuncOp main;
  relax::SymbolScope &scope;
  ArrayRef<StringAttr> symbols;
  /// Those of the program; each has an arena.
  ArrayRef<DeviceAttr> devices;
  HostData &data;
  SmallVector<HostData::Struct> checks;
  int32_t maxValues = 0;
  /// Types whose check is there.
  llvm::SmallDenseSet<Type> checkedTypes;
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_TARGET_AOT_SHAPESFUNCTION_H
