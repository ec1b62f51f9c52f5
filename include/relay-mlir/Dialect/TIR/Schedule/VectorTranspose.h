//===- VectorTranspose.h - Square transposes in registers -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_SCHEDULE_VECTORTRANSPOSE_H
#define RELAY_MLIR_DIALECT_TIR_SCHEDULE_VECTORTRANSPOSE_H

#include "mlir/IR/Builders.h"

namespace mlir::tir {

/// Whether `transposeVectors` takes `lanes` vectors of `lanes` elements of
/// `bits` bits.
bool canTransposeVectors(int64_t lanes, int64_t bits);

/// Transposes a square matrix given by its rows.
SmallVector<Value> transposeVectors(OpBuilder &builder, Location loc,
                                    ArrayRef<Value> rows);

/// Returns the elements of the transpose of a matrix of fewer rows than lanes,
/// one after the other, in as many vectors.
SmallVector<Value> interleaveVectors(OpBuilder &builder, Location loc,
                                     ArrayRef<Value> rows);

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_SCHEDULE_VECTORTRANSPOSE_H
