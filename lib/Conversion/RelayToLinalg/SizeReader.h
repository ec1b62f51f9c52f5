//===- SizeReader.h - Sizes that are elements of tensors --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators such as dyn.reshape have a small tensor of integers that says how
// large their result is. Kernels are called with memory for their results, so
// these numbers have to follow from the sizes of their arguments. Fusion copies
// what computes them into the kernel, where it is lowered to nests on tensors
// like everything else. SizeReader writes single elements of such tensors as
// arithmetic on the sizes of arguments; the nests are dead then.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_SIZEREADER_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_SIZEREADER_H

#include "LinalgBuilder.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Transforms/DialectConversion.h"

#include <map>
#include <variant>

namespace mlir::relay::detail {

/// Reads elements of tensors that are lowered already.
class SizeReader {
public:
  /// Builds arithmetic with `b`. `op` is the operator that is lowered.
  SizeReader(ConversionPatternRewriter &rewriter, LinalgBuilder &b,
             Operation *op)
      : rewriter(rewriter), b(b), op(op) {}

  /// All elements of `tensor`, of static shape, in row-major order, as numbers
  /// of type index. Fails with a reason for the user, in which the operand is
  /// called `name`, if one does not follow from sizes of arguments and from
  /// constants.
  FailureOr<SmallVector<OpFoldResult>> read(Value tensor, StringRef name);
  /// The only element of `tensor`.
  FailureOr<OpFoldResult> readSingle(Value tensor, StringRef name);

  /// A size, or the constant float that an element is.
  using Number = std::variant<OpFoldResult, double>;
  /// The only element of `tensor`, which may be of floats: a constant, or a
  /// size that has been converted.
  FailureOr<Number> readNumber(Value tensor, StringRef name);

private:
  using Position = SmallVector<int64_t>;

  LogicalResult failToFollow(StringRef name);
  /// The integer `element` as a size.
  OpFoldResult toSize(Value element);

  /// The element at `position`, of the tensor's element type; null if it does
  /// not follow from sizes.
  Value getElement(Value tensor, ArrayRef<int64_t> position);
  Value computeElement(Value tensor, ArrayRef<int64_t> position);
  Value evaluateNest(linalg::GenericOp nest, unsigned result,
                     ArrayRef<int64_t> position);
  /// The values that one iteration yields, for `carried` elements of the
  /// destinations; empty on failure.
  SmallVector<Value> evaluateBody(linalg::GenericOp nest,
                                  ArrayRef<int64_t> iteration,
                                  ArrayRef<Value> carried);
  /// `bodyOp` with its operands mapped, as its values or the constants that it
  /// folds to.
  LogicalResult evaluateOp(Operation &bodyOp, IRMapping &mapping);

  ConversionPatternRewriter &rewriter;
  LinalgBuilder &b;
  Operation *op;
  std::map<std::pair<void *, Position>, Value> elements;
  /// Iterations of nests that have been evaluated.
  int64_t numSteps = 0;
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_SIZEREADER_H
