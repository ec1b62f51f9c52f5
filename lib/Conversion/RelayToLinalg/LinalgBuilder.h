//===- LinalgBuilder.h - Builds linalg from relay operators -----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every lowering of this library goes through this builder, so that one place
// decides what a loop nest looks like: destination-style generics that carry
// the name of their block, sizes of the destination taken from the operands,
// and constant scalars inside the body instead of among the operands.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_LINALGBUILDER_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_LINALGBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir {
class ConversionPatternRewriter;
class TypeConverter;
} // namespace mlir

namespace mlir::relay::detail {

/// A tensor and the elements of it that one iteration of a nest touches.
struct Access {
  Value tensor;
  AffineMap map;
};

/// Emits the body of a nest: the elements of the inputs, then those of the
/// destinations, to the new elements of the destinations.
using NestBody =
    llvm::function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, ValueRange)>;
/// The same for a nest with one destination.
using ElementBody =
    llvm::function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

/// Emits the code of one instance of an opaque computation: its position, then
/// the buffers of inputs and destinations.
using OpaqueBody =
    llvm::function_ref<void(ImplicitLocOpBuilder &, ValueRange position,
                            ValueRange inputs, ValueRange destinations)>;

using Iterators = SmallVector<utils::IteratorType>;

class LinalgBuilder : public ImplicitLocOpBuilder {
public:
  /// Builds before `op`, at its location. Its name without the family
  /// (`relay.nn.conv2d` -> `conv2d`) names the blocks.
  LinalgBuilder(OpBuilder &builder, Operation *op);

  StringRef getBlockName() const { return blockName; }

  //===--------------------------------------------------------------------===//
  // Sizes
  //===--------------------------------------------------------------------===//

  /// The size of a dimension: an attribute where it is static, else
  /// `tensor.dim`.
  OpFoldResult getSize(Value tensor, int64_t dim);
  SmallVector<OpFoldResult> getSizes(Value tensor);

  /// The size as the static type of `type` knows it, else `size`.
  static SmallVector<OpFoldResult> refine(ArrayRef<OpFoldResult> sizes,
                                          ShapedType type);

  /// The sizes of operands that broadcast to `resultType`. Two dynamic sizes
  /// are taken to be equal: a size that is 1 only at run time does not repeat.
  SmallVector<OpFoldResult> getBroadcastSizes(ValueRange operands,
                                              RankedTensorType resultType);

  /// `expr` over dimensions d0, d1, ... bound to `operands`.
  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> operands);
  OpFoldResult multiply(OpFoldResult lhs, OpFoldResult rhs);
  OpFoldResult add(OpFoldResult lhs, OpFoldResult rhs);
  OpFoldResult floorDiv(OpFoldResult lhs, OpFoldResult rhs);

  Value indexValue(int64_t value);
  Value toValue(OpFoldResult size);

  //===--------------------------------------------------------------------===//
  // Conditions
  //===--------------------------------------------------------------------===//
  //
  // What an operator expects of sizes that are known when a model runs. They
  // are checked before each run; where sizes are static, operators' verifiers
  // have checked the same, and nothing is asserted.

  /// Asserts that `size` is at least `bound`. `message` says what the operator
  /// expects.
  void assertAtLeast(OpFoldResult size, OpFoldResult bound,
                     const Twine &message);
  void assertAtLeast(OpFoldResult size, int64_t bound, const Twine &message) {
    assertAtLeast(size, getIndexAttr(bound), message);
  }
  void assertAtMost(OpFoldResult size, int64_t bound, const Twine &message) {
    assertAtLeast(getIndexAttr(bound), size, message);
  }
  /// Asserts that two sizes are equal.
  void assertEqual(OpFoldResult lhs, OpFoldResult rhs, const Twine &message);

  //===--------------------------------------------------------------------===//
  // Tensors
  //===--------------------------------------------------------------------===//

  Value empty(ArrayRef<OpFoldResult> sizes, Type elementType);
  /// A tensor of the given sizes, every element `value`.
  Value filled(ArrayRef<OpFoldResult> sizes, TypedAttr value,
               StringRef name = "init");
  /// Casts between static and dynamic forms of one type, if needed.
  Value castTo(Value tensor, Type type);
  /// Pads `tensor` by `low` and `high` with `value`; no op when all are zero.
  Value pad(Value tensor, ArrayRef<OpFoldResult> low,
            ArrayRef<OpFoldResult> high, TypedAttr value,
            StringRef name = "pad");

  //===--------------------------------------------------------------------===//
  // Nests
  //===--------------------------------------------------------------------===//

  /// One linalg.generic. `destinations` are tensors to start from.
  SmallVector<Value> nest(StringRef name, ArrayRef<Access> inputs,
                          ArrayRef<Access> destinations,
                          ArrayRef<utils::IteratorType> iterators,
                          NestBody body);
  /// One linalg.generic with one destination.
  Value nest(StringRef name, ArrayRef<Access> inputs, Access destination,
             ArrayRef<utils::IteratorType> iterators, ElementBody body);
  /// A nest over all elements of a new tensor of the given sizes.
  Value elements(StringRef name, ArrayRef<Access> inputs,
                 ArrayRef<OpFoldResult> sizes, Type elementType,
                 ElementBody body);

  /// One tir.opaque with an instance for each position along the dimensions
  /// `along` of the first destination. `sizes` names the sizes of all operands.
  SmallVector<Value> opaque(StringRef name, ArrayRef<int64_t> along,
                            ValueRange inputs, ValueRange destinations,
                            OpaqueBody body, ArrayRef<AffineMap> sizes = {});

  /// A tensor whose only purpose is its shape: operand of a nest some of whose
  /// loops index no other operand by themselves.
  Value shapeOnly(ArrayRef<OpFoldResult> sizes);

  //===--------------------------------------------------------------------===//
  // Maps
  //===--------------------------------------------------------------------===//

  AffineMap identity(int64_t rank) { return getMultiDimIdentityMap(rank); }
  /// (d0, ..., d<loops-1>) -> (dims...)
  AffineMap select(int64_t loops, ArrayRef<int64_t> dims);
  AffineMap map(int64_t loops, ArrayRef<AffineExpr> results);
  AffineExpr dim(int64_t position) { return getAffineDimExpr(position); }
  AffineExpr constant(int64_t value) { return getAffineConstantExpr(value); }
  /// How an operand of `operandType` is read in a nest over `resultRank`
  /// dimensions, shapes aligned at the end and sizes of one repeated.
  AffineMap broadcast(RankedTensorType operandType, int64_t resultRank);

  /// Names the block that `op` becomes.
  void name(Operation *op, StringRef name);

private:
  void assertSizes(arith::CmpIPredicate predicate, OpFoldResult lhs,
                   OpFoldResult rhs, const Twine &message);

  StringRef blockName;
};

/// In the body of an opaque computation: a loop from `begin` to before `end`
/// with the loop-carried `values`, whose results it returns.
SmallVector<Value>
emitLoop(ImplicitLocOpBuilder &builder, Value begin, Value end,
         ValueRange values,
         llvm::function_ref<SmallVector<Value>(Value index, ValueRange values)>
             body);
/// A scf.while whose two regions are emitted by functions of its values.
ValueRange emitWhile(
    ImplicitLocOpBuilder &builder, ValueRange values,
    llvm::function_ref<std::pair<Value, SmallVector<Value>>(ValueRange)> before,
    llvm::function_ref<SmallVector<Value>(ValueRange)> after);
/// The first number from 0 on of which `isBefore` is not true, `count` if there
/// is none. It is true of no number behind one of which it is not.
Value emitPartitionPoint(ImplicitLocOpBuilder &builder, Value count,
                         llvm::function_ref<Value(Value number)> isBefore);
/// Loops over all positions of a space of `sizes`, in row-major order.
void emitLoops(ImplicitLocOpBuilder &builder, ValueRange sizes,
               llvm::function_ref<void(ValueRange position)> body);
/// A loop whose iterations may meet in memory, and one that runs on vectors.
/// Unlike the loops above they may be around, and inside of, each other.
void emitSerialLoop(ImplicitLocOpBuilder &builder, Value begin, Value end,
                    llvm::function_ref<void(Value index)> body);
void emitVectorLoop(ImplicitLocOpBuilder &builder, Value size,
                    llvm::function_ref<void(Value index)> body);
/// The code of `body` where `condition` holds.
void emitWhere(ImplicitLocOpBuilder &builder, Value condition,
               llvm::function_ref<void()> body);
/// The sizes of `buffer`.
SmallVector<Value> emitSizes(ImplicitLocOpBuilder &builder, Value buffer);

/// Inside a body: a number, the value of a loop, and a size as a value.
Value emitConstant(ImplicitLocOpBuilder &builder, int64_t value);
Value emitLoopIndex(ImplicitLocOpBuilder &builder, int64_t loop);
Value emitIndex(ImplicitLocOpBuilder &builder, OpFoldResult size);

/// `parallel` loops followed by `reduction` loops.
Iterators getIterators(int64_t parallel, int64_t reduction = 0);

/// Replaces an operator by the fields of its result, which may know more of
/// their sizes.
void replaceByFields(ConversionPatternRewriter &rewriter, LinalgBuilder &b,
                     Operation *op, SmallVector<Value> fields,
                     const TypeConverter &converter);

/// The element all elements of the constant `tensor` are equal to, or null.
TypedAttr getSplatValue(Value tensor);

inline RankedTensorType getTensorType(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}
inline Type getElementType(Value tensor) {
  return getTensorType(tensor).getElementType();
}

/// `axis` counted from the front.
inline int64_t normalizeAxis(int64_t axis, int64_t rank) {
  return axis < 0 ? axis + rank : axis;
}

/// Replaces what remains of splat constant tensors by fills, and erases those
/// that the bodies of nests have absorbed.
void finalizeConstants(Operation *root);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_LINALGBUILDER_H
