//===- CodeBuilder.h - Code of the host module ------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_TARGET_AOT_CODEBUILDER_H
#define RELAY_MLIR_LIB_TARGET_AOT_CODEBUILDER_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "relay-mlir/Dialect/Relax/IR/Relax.h"

namespace mlir::relay::detail {

/// Builds the LLVM dialect of one function.
class CodeBuilder {
public:
  CodeBuilder(LLVM::LLVMFuncOp function, relax::SymbolScope &scope)
      : builder(function.getContext()), loc(function.getLoc()),
        function(function), scope(scope),
        pointer(LLVM::LLVMPointerType::get(function.getContext())) {
    entry = function.addEntryBlock(builder);
    builder.setInsertionPointToEnd(entry);
  }

  Value constant(int64_t value, unsigned width = 64) {
    return LLVM::ConstantOp::create(builder, loc, builder.getIntegerType(width),
                                    value);
  }
  Value getArgument(unsigned index) { return entry->getArgument(index); }
  Value offset(Value base, Value bytes) {
    return LLVM::GEPOp::create(builder, loc, pointer, builder.getI8Type(), base,
                               ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(bytes)});
  }
  Value element(Value base, int64_t index, Type type) {
    return LLVM::GEPOp::create(
        builder, loc, pointer, type, base,
        ArrayRef<LLVM::GEPArg>{LLVM::GEPArg(static_cast<int32_t>(index))});
  }
  Value load(Type type, Value from) {
    return LLVM::LoadOp::create(builder, loc, type, from);
  }
  void store(Value value, Value to) {
    LLVM::StoreOp::create(builder, loc, value, to);
  }
  Value max(Value lhs, Value rhs) {
    return LLVM::SMaxOp::create(builder, loc, lhs, rhs);
  }

  /// Reads the symbols from the array that argument `index` points to.
  void loadSymbols(unsigned index, ArrayRef<StringAttr> names);

  /// The value of `expr` over the symbols of the scope. All are computed where
  /// the first one is, so that they dominate every use.
  Value evaluate(AffineExpr expr);

  /// The bytes of a storage, rounded up so that the next one is aligned.
  Value evaluateStorage(ArrayRef<AffineExpr> alternatives);

  /// Ends the current block: leaves the function with `status` unless it is
  /// zero.
  void returnUnlessZero(Value status);
  void returnZero() { LLVM::ReturnOp::create(builder, loc, constant(0, 32)); }

  OpBuilder builder;
  Location loc;

private:
  Value computeFloor(AffineBinaryOpExpr expr);

  LLVM::LLVMFuncOp function;
  relax::SymbolScope &scope;
  LLVM::LLVMPointerType pointer;
  Block *entry;
  DenseMap<AffineExpr, Value> sizes;
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_TARGET_AOT_CODEBUILDER_H
