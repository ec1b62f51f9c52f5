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

  Value min(Value lhs, Value rhs) {
    return LLVM::SMinOp::create(builder, loc, lhs, rhs);
  }

  /// Reads the symbols of the parameters of `main` from the array that argument
  /// `index` points to. Those that operations of `main` bind are computed where
  /// they are used.
  void loadSymbols(unsigned index, relax::FuncOp main);

  /// Calls `callback` for the symbols of parameters that `expr` depends on.
  void walkParameters(AffineExpr expr,
                      function_ref<void(StringAttr)> callback) const;

  /// The value of `expr` over the symbols of the scope. All are computed where
  /// the first one is, so that they dominate every use.
  Value evaluate(AffineExpr expr);

  /// A value, and whether it is not what it should be because that has no 64
  /// bits; null if it always has.
  struct Checked {
    Value value, overflow;
  };
  /// The same with that said. A product with zero is zero, whatever the other
  /// factor is.
  Checked evaluateChecked(AffineExpr expr);

  /// The bytes of a storage, rounded up so that the next one is aligned.
  Value evaluateStorage(ArrayRef<AffineExpr> alternatives);
  Checked evaluateStorageChecked(ArrayRef<AffineExpr> alternatives);

  /// Whether a tensor of this shape has no elements; null if it surely has.
  Value isEmpty(relax::ShapeAttr shape);

  Checked addChecked(Checked lhs, Checked rhs);
  Checked multiplyChecked(Checked lhs, Checked rhs);
  /// Either or both may be null, which is false.
  Value either(Value lhs, Value rhs);
  Value compare(LLVM::ICmpPredicate predicate, Value lhs, Value rhs) {
    return LLVM::ICmpOp::create(builder, loc, predicate, lhs, rhs);
  }

  /// Ends the current block: leaves the function with `result`, or `status` if
  /// that is null, unless `status` is zero.
  void returnUnlessZero(Value status, Value result = {});
  /// Ends the current block: if `condition` holds, stores each of `values` in
  /// the array that `place` points to and leaves the function with `status`.
  void returnIf(Value condition, int32_t status, ArrayRef<Value> values,
                Value place);
  void returnZero() { LLVM::ReturnOp::create(builder, loc, constant(0, 32)); }

  OpBuilder builder;
  Location loc;

private:
  Value computeFloor(AffineBinaryOpExpr expr, Value lhs, Value rhs);
  Checked compute(AffineExpr expr, bool isChecked);
  Checked computeExtreme(const relax::ExtremeSize &extreme, bool isChecked);
  Checked callWithOverflow(bool isProduct, Checked lhs, Checked rhs);

  LLVM::LLVMFuncOp function;
  relax::SymbolScope &scope;
  LLVM::LLVMPointerType pointer;
  Block *entry;
  /// What has been computed, without and with checks.
  DenseMap<AffineExpr, Checked> sizes, checkedSizes;
  DenseMap<AffineExpr, relax::ExtremeSize> extremes;
  DenseMap<relax::ShapeAttr, Value> emptiness;
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_TARGET_AOT_CODEBUILDER_H
