//===- Gather.h - Reading elements at computed positions --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_GATHER_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_GATHER_H

#include "LinalgBuilder.h"

namespace mlir::relay::detail {

/// `operand`, repeated along dimensions that are to have static `sizes`
/// (aligned at the end) and turn out to have size 1 at run time. The kernel
/// asserts that each has one of these sizes.
Value buildRuntimeBroadcast(LinalgBuilder &b, Value operand,
                            ArrayRef<OpFoldResult> sizes);

/// The element of `tensor` at `indices`; of a splat constant, its value.
Value emitExtract(ImplicitLocOpBuilder &b, Value tensor, ValueRange indices);

/// The values of the first `count` loops.
SmallVector<Value> emitLoopIndices(ImplicitLocOpBuilder &b, int64_t count);

/// An element of an index tensor of relay type `type` as an index.
Value emitToIndex(ImplicitLocOpBuilder &b, Type type, Value element);

/// Forces `index` into [0, size).
Value emitClamp(ImplicitLocOpBuilder &b, Value index, OpFoldResult size);
/// `index` modulo `size`.
Value emitWrap(ImplicitLocOpBuilder &b, Value index, OpFoldResult size);
/// A negative `index` counts from the end.
Value emitFromEnd(ImplicitLocOpBuilder &b, Value index, OpFoldResult size);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_GATHER_H
