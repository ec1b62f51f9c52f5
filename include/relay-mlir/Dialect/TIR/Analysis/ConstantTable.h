//===- ConstantTable.h - Buffers whose contents are constants ---*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_ANALYSIS_CONSTANTTABLE_H
#define RELAY_MLIR_DIALECT_TIR_ANALYSIS_CONSTANTTABLE_H

#include "relay-mlir/Dialect/TIR/IR/TIR.h"

namespace mlir::tir {

/// The contents of an intermediate buffer that one block without loops fills
/// with constants: the form that small constant tensors have in a kernel.
class ConstantTable {
public:
  /// Fails if `buffer` is not such a buffer.
  static FailureOr<ConstantTable> get(Value buffer);

  ArrayRef<int64_t> getShape() const { return shape; }
  /// In row-major order.
  ArrayRef<Attribute> getElements() const { return elements; }

private:
  SmallVector<int64_t> shape;
  SmallVector<Attribute> elements;
};

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_ANALYSIS_CONSTANTTABLE_H
