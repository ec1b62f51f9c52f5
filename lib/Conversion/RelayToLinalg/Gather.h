//===- Gather.h - Reading elements at computed positions --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_GATHER_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_GATHER_H

#include "LinalgBuilder.h"

#include "mlir/Transforms/DialectConversion.h"

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

/// An element of a buffer of signed integers as an index, and back.
Value emitLoadIndex(ImplicitLocOpBuilder &b, Value buffer, ValueRange position);
void emitStoreIndex(ImplicitLocOpBuilder &b, Value index, Value buffer,
                    ValueRange position);

/// Forces `index` into [0, size).
Value emitClamp(ImplicitLocOpBuilder &b, Value index, OpFoldResult size);
/// `index` modulo `size`.
Value emitWrap(ImplicitLocOpBuilder &b, Value index, OpFoldResult size);
/// A negative `index` counts from the end.
Value emitFromEnd(ImplicitLocOpBuilder &b, Value index, OpFoldResult size);
/// The position that `index`, which may count from the end, stands for; the
/// nearest one if there is none.
Value emitPosition(ImplicitLocOpBuilder &b, Type type, Value index,
                   OpFoldResult size);
/// Whether `index`, which may count from the end, lies in [-size, size).
Value emitIsInside(ImplicitLocOpBuilder &b, Value index, Value size);

/// Asserts that there is something along `axis` of `data` if there are
/// `indices` into it.
void assertNotEmpty(LinalgBuilder &b, Value data, int64_t axis, Value indices);

/// Ends the kernel with an error, before its loops, if an element of `indices`,
/// an operand of `op`, is out of [-size, size). There is one size, or one for
/// each row (first dimension) of the indices. Of constant indices this is known
/// when the kernel is compiled: fails with a reason where the size is known as
/// well, and else asserts that it is large enough.
///
/// What reads at the indices must not rely on it: steps of a kernel that do not
/// depend on each other may run in any order.
LogicalResult checkIndices(ConversionPatternRewriter &rewriter,
                           LinalgBuilder &b, Operation *op, Value indices,
                           ArrayRef<OpFoldResult> sizes);

/// The same in the body of an opaque computation of one instance, for `indices`
/// in a buffer, of relay type `type`.
void emitIndexCheck(ImplicitLocOpBuilder &b, Value indices, Type type,
                    ValueRange sizes);

/// In the body of an opaque computation: whether `holds` is true at all
/// positions of a space of `sizes`. What is asserted there is asserted outside
/// of loops.
Value emitAll(ImplicitLocOpBuilder &b, ValueRange sizes,
              llvm::function_ref<Value(ValueRange position)> holds);
/// Whether `index` is in [0, size).
Value emitIsWithin(ImplicitLocOpBuilder &b, Value index, Value size);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_GATHER_H
