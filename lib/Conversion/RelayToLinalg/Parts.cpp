//===- Parts.cpp - Lower the replacement of parts to linalg ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators whose result is a tensor with some of its elements from another
// one.
//
//===----------------------------------------------------------------------===//

#include "Gather.h"
#include "PopulatePatterns.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

using Predicate = arith::CmpIPredicate;

namespace {

/// What strided_set replaces, in the body of an opaque computation: positions
/// begin, begin + step, ... of each dimension. The numbers are data.
class StridedPart {
public:
  StridedPart(ImplicitLocOpBuilder &builder) : b(builder) {}

  /// Adds a dimension of `size`. `begin`, `end` and `step` are null where there
  /// is no number.
  void add(Value size, Value begin, Value end, Value step);

  ArrayRef<Value> getCounts() const { return counts; }
  /// Where element `index` of the part is.
  SmallVector<Value> getPosition(ValueRange index) const;

private:
  Value constant(int64_t value) const {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value compare(Predicate predicate, Value lhs, Value rhs) const {
    return arith::CmpIOp::create(b, predicate, lhs, rhs);
  }
  Value select(Value condition, Value whenTrue, Value whenFalse) const {
    return arith::SelectOp::create(b, condition, whenTrue, whenFalse);
  }
  Value subtract(Value lhs, Value rhs) const {
    return arith::SubIOp::create(b, lhs, rhs);
  }

  ImplicitLocOpBuilder &b;
  SmallVector<Value> begins, steps, counts;
};

} // namespace

void StridedPart::add(Value size, Value begin, Value end, Value step) {
  Value zero = constant(0), one = constant(1);
  if (!step)
    step = one;
  cf::AssertOp::create(b, compare(Predicate::ne, step, zero),
                       "expects strides other than 0");
  Value isUp = compare(Predicate::sgt, step, zero);
  // Going down, a part may end before the first element.
  Value lowest = select(isUp, zero, constant(-1));
  Value highest = select(isUp, size, subtract(size, one));
  auto clamp = [&](Value position) -> Value {
    position = emitFromEnd(b, position, size);
    Value most = arith::MaxSIOp::create(b, lowest, highest);
    return arith::MaxSIOp::create(b, arith::MinSIOp::create(b, position, most),
                                  lowest);
  };
  // Without a bound the part reaches to the end.
  begin = begin ? clamp(begin) : select(isUp, zero, highest);
  end = end ? clamp(end) : select(isUp, size, constant(-1));
  Value length = select(isUp, subtract(end, begin), subtract(begin, end));
  Value distance = select(isUp, step, subtract(zero, step));
  Value count = arith::AddIOp::create(
      b, arith::DivUIOp::create(b, subtract(length, one), distance), one);
  begins.push_back(begin);
  steps.push_back(step);
  counts.push_back(select(compare(Predicate::sgt, length, zero), count, zero));
}

SmallVector<Value> StridedPart::getPosition(ValueRange index) const {
  SmallVector<Value> position;
  for (auto [i, begin, step] : llvm::zip_equal(index, begins, steps))
    position.push_back(
        arith::AddIOp::create(b, begin, arith::MulIOp::create(b, i, step)));
  return position;
}

namespace {

struct StridedSetToLinalg : OpConversionPattern<StridedSetOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(StridedSetOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    int64_t rank = op.getData().getType().getRank();
    SmallVector<Value> inputs = {adaptor.getV(), adaptor.getBegin(),
                                 adaptor.getEnd(), adaptor.getStrides()};
    SmallVector<Type> numberTypes;
    for (Value numbers : {op.getBegin(), op.getEnd(), op.getStrides()}) {
      auto type = cast<RankedTensorType>(numbers.getType());
      if (!type.hasStaticShape())
        return rewriter.notifyMatchFailure(op, [&](Diagnostic &diagnostic) {
          diagnostic << "expects begin, end and strides of static sizes, but "
                        "got "
                     << type;
        });
      numberTypes.push_back(type.getElementType());
    }

    LinalgBuilder b(rewriter, op);
    auto emit = [&](ImplicitLocOpBuilder &body, ValueRange, ValueRange buffers,
                    ValueRange destinations) {
      SmallVector<Value> sizes = emitSizes(body, destinations[0]);
      StridedPart part(body);
      for (int64_t dim = 0; dim < rank; ++dim) {
        auto load = [&](unsigned operand) -> Value {
          Value numbers = buffers[1 + operand];
          if (dim >= cast<MemRefType>(numbers.getType()).getDimSize(0))
            return nullptr;
          Value at = arith::ConstantIndexOp::create(body, dim);
          return emitToIndex(body, numberTypes[operand],
                             memref::LoadOp::create(body, numbers, at));
        };
        part.add(sizes[dim], load(0), load(1), load(2));
      }
      emitCopy(body, buffers[0], destinations[0], part);
    };
    rewriter.replaceOp(op, b.opaque(b.getBlockName(), /*along=*/{}, inputs,
                                    adaptor.getData(), emit));
    return success();
  }

private:
  /// Copies `values`, repeated to the shape of `part`, there.
  static void emitCopy(ImplicitLocOpBuilder &b, Value values, Value target,
                       const StridedPart &part) {
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value one = arith::ConstantIndexOp::create(b, 1);
    SmallVector<Value> sizes = emitSizes(b, values), moves;
    for (auto [size, count] :
         llvm::zip_equal(sizes, part.getCounts().take_back(sizes.size()))) {
      Value isOne = arith::CmpIOp::create(b, Predicate::eq, size, one);
      Value fits = arith::OrIOp::create(
          b, isOne, arith::CmpIOp::create(b, Predicate::eq, size, count));
      cf::AssertOp::create(b, fits, "expects v that broadcasts to the part");
      moves.push_back(arith::SelectOp::create(b, isOne, zero, one));
    }
    emitLoops(b, part.getCounts(), [&](ValueRange index) {
      SmallVector<Value> source;
      for (auto [i, move] :
           llvm::zip_equal(index.take_back(moves.size()), moves))
        source.push_back(arith::MulIOp::create(b, i, move));
      memref::StoreOp::create(b, memref::LoadOp::create(b, values, source),
                              target, part.getPosition(index));
    });
  }
};

/// One nest over the matrices, which reads the diagonals where they are.
struct MatrixSetDiagToLinalg : OpConversionPattern<MatrixSetDiagOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(MatrixSetDiagOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value input = adaptor.getInput(), diagonal = adaptor.getDiagonal();
    auto type = cast<RankedTensorType>(input.getType());
    int64_t rank = type.getRank(), k1 = op.getK1(), k2 = op.getK2();
    LinalgBuilder b(rewriter, op);
    SmallVector<OpFoldResult> sizes = b.getSizes(input);
    SmallVector<OpFoldResult> own = b.getSizes(diagonal);
    assertSizes(b, op, sizes, own);
    OpFoldResult rows = sizes[rank - 2], columns = sizes[rank - 1];

    Value result = b.elements(
        b.getBlockName(), {{input, b.identity(rank)}}, sizes,
        type.getElementType(),
        [&](ImplicitLocOpBuilder &body, ValueRange args) -> Value {
          auto constant = [&](int64_t value) -> Value {
            return arith::ConstantIndexOp::create(body, value);
          };
          auto subtract = [&](Value lhs, Value rhs) -> Value {
            return arith::SubIOp::create(body, lhs, rhs);
          };
          auto min = [&](Value lhs, Value rhs) -> Value {
            return arith::MinSIOp::create(body, lhs, rhs);
          };
          SmallVector<Value> position = emitLoopIndices(body, rank);
          Value column = position.pop_back_val();
          Value row = position.pop_back_val();
          Value k = subtract(column, row), zero = constant(0);
          Value isSuper = arith::CmpIOp::create(body, Predicate::sge, k, zero);
          Value length = min(
              arith::AddIOp::create(body, emitIndex(body, rows), min(k, zero)),
              subtract(emitIndex(body, columns),
                       arith::MaxSIOp::create(body, k, zero)));
          // Diagonals that are shorter than the longest begin or end with it.
          Value room = subtract(emitIndex(body, own.back()), length);
          Value shift = arith::SelectOp::create(
              body, isSuper, op.getSuperDiagRightAlign() ? room : zero,
              op.getSubDiagRightAlign() ? room : zero);
          Value along = arith::AddIOp::create(body, min(row, column), shift);
          // Off the diagonals, there is something to read as well.
          if (k1 != k2)
            position.push_back(
                emitClamp(body, subtract(constant(k2), k), own[rank - 2]));
          position.push_back(emitClamp(body, along, own.back()));
          Value element = emitExtract(body, diagonal, position);
          Value isOn = arith::AndIOp::create(
              body,
              arith::CmpIOp::create(body, Predicate::sge, k, constant(k1)),
              arith::CmpIOp::create(body, Predicate::sle, k, constant(k2)));
          return arith::SelectOp::create(body, isOn, element, args[0]);
        });
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// Asserts that `own`, the sizes of the diagonals, are those of matrices of
  /// `sizes`.
  static void assertSizes(LinalgBuilder &b, MatrixSetDiagOp op,
                          ArrayRef<OpFoldResult> sizes,
                          ArrayRef<OpFoldResult> own) {
    int64_t rank = sizes.size(), k1 = op.getK1(), k2 = op.getK2();
    constexpr StringLiteral kMessage = "expects diagonals of the matrices";
    OpFoldResult rows = sizes[rank - 2], columns = sizes[rank - 1];
    for (int64_t dim = 0; dim < rank - 2; ++dim)
      b.assertEqual(sizes[dim], own[dim], kMessage);
    b.assertAtLeast(rows, 1 - k1, kMessage);
    b.assertAtLeast(columns, k2 + 1, kMessage);
    if (k1 != k2)
      b.assertEqual(own[rank - 2], b.getIndexAttr(k2 - k1 + 1), kMessage);
    if (getConstantIntValue(rows) && getConstantIntValue(columns) &&
        getConstantIntValue(own.back()))
      return;
    // The longest of the diagonals is the one closest to the main diagonal.
    Value below = b.toValue(b.apply(b.dim(0) + std::min<int64_t>(k2, 0), rows));
    Value right =
        b.toValue(b.apply(b.dim(0) - std::max<int64_t>(k1, 0), columns));
    b.assertEqual(own.back(),
                  arith::MinSIOp::create(b, below, right).getResult(),
                  kMessage);
  }
};

} // namespace

void mlir::relay::detail::populatePartsPatterns(const TypeConverter &converter,
                                                RewritePatternSet &patterns) {
  patterns.add<MatrixSetDiagToLinalg, StridedSetToLinalg>(
      converter, patterns.getContext());
}
