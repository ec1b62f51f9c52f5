//===- SizeExprs.h - Sizes as functions of arguments ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_TIR_TRANSFORMS_SIZEEXPRS_H
#define RELAY_MLIR_LIB_DIALECT_TIR_TRANSFORMS_SIZEEXPRS_H

#include "relay-mlir/Dialect/TIR/IR/IndexReader.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::memref {
class DimOp;
} // namespace mlir::memref

namespace mlir::tir {

/// Sizes as functions of the dynamic dimensions of inputs and outputs, which
/// are numbered as the kernel's callers pass them.
class SizeExprs {
public:
  explicit SizeExprs(PrimFuncOp kernel);

  unsigned getNumSymbols() const { return symbols.size(); }

  /// Null if the size follows from something else.
  AffineExpr get(Value size) const;
  AffineExpr get(OpFoldResult size) const;

  /// What the size is not larger than; null if nothing is known.
  AffineExpr getUpperBound(Value size) const;

  /// The number of elements of an input or output.
  AffineExpr getNumElements(BlockArgument argument) const;

private:
  /// Between what a size lies; null where nothing is known.
  struct Bounds {
    AffineExpr lower, upper;
  };

  AffineExpr get(OpFoldResult size, IndexReader &reader) const;
  using KnownBounds = llvm::DenseMap<Value, Bounds>;
  Bounds getBounds(OpFoldResult size, KnownBounds &known) const;
  Bounds computeBounds(Value size, KnownBounds &known) const;
  Bounds boundExpr(AffineExpr expr, ArrayRef<Bounds> dims,
                   ArrayRef<Bounds> symbols) const;
  Bounds boundBinary(AffineExprKind kind, Bounds lhs, Bounds rhs) const;
  /// What `expr` and 0 are not larger than.
  AffineExpr getPositivePart(AffineExpr expr) const;
  AffineExpr compute(Value size, IndexReader &reader) const;
  AffineExpr getDim(memref::DimOp dim, IndexReader &reader) const;
  AffineExpr getBinary(Operation *op, IndexReader &reader) const;

  MLIRContext *context;
  llvm::DenseMap<std::pair<Value, int64_t>, unsigned> symbols;
};

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_DIALECT_TIR_TRANSFORMS_SIZEEXPRS_H
