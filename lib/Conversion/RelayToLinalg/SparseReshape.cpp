//===- SparseReshape.cpp - Lower sparse_reshape to linalg -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shapes are elements, so all is checked when it runs, by one instance of
// an opaque computation: shapes first, and then that indices are of an element.
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"
#include "LinalgBuilder.h"
#include "PopulatePatterns.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/RelaySparseOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

using Predicate = arith::CmpIPredicate;

namespace {

/// The code of the computation. Numbers are i64; `holds` says whether all was
/// as expected so far.
class Reshape {
public:
  Reshape(ImplicitLocOpBuilder &builder, Type indexType, Type fromType,
          Type toType, ValueRange inputs, ValueRange results)
      : b(builder), math(builder, builder.getI64Type()), indexType(indexType),
        fromType(fromType), toType(toType), indices(inputs[0]), from(inputs[1]),
        to(inputs[2]), newIndices(results[0]), newShape(results[1]),
        zero(arith::ConstantIndexOp::create(b, 0)),
        fromRank(emitSizes(builder, from).front()),
        toRank(emitSizes(builder, to).front()) {}

  void emit();

private:
  Value load(Type type, Value buffer, ValueRange position) const {
    return math.convertFrom(type, memref::LoadOp::create(b, buffer, position));
  }
  void store(Type type, Value value, Value buffer, ValueRange position) const {
    value = ElementMath(b, type).convertFrom(math.getType(), value);
    memref::StoreOp::create(b, value, buffer, position);
  }
  Value number(int64_t value) const {
    return arith::ConstantOp::create(b, b.getI64IntegerAttr(value));
  }
  Value truth(bool value) const {
    return arith::ConstantOp::create(b, b.getBoolAttr(value));
  }
  Value compare(Predicate predicate, Value lhs, Value rhs) const {
    return arith::CmpIOp::create(b, predicate, lhs, rhs);
  }
  Value both(Value lhs, Value rhs) const {
    return arith::AndIOp::create(b, lhs, rhs);
  }
  /// The product of two numbers that are not negative, and whether it has room.
  std::pair<Value, Value> multiply(Value lhs, Value rhs) const {
    auto wide = arith::MulUIExtendedOp::create(b, lhs, rhs);
    return {wide.getLow(),
            both(compare(Predicate::eq, wide.getHigh(), number(0)),
                 compare(Predicate::sge, wide.getLow(), number(0)))};
  }
  SmallVector<Value>
  loop(Value end, ValueRange values,
       llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) const {
    return emitLoop(b, zero, end, values, body);
  }

  /// The number of elements of the old shape, and whether it is one.
  std::pair<Value, Value> emitTotal();
  /// Writes the new shape; whether it is one of `total` elements.
  Value emitNewShape(Value total);
  /// Whether both shapes are the same.
  Value emitIsSame();
  /// Writes the indices of a row; whether they were of one of `total` elements.
  Value emitRow(Value row, Value total);

  ImplicitLocOpBuilder &b;
  ElementMath math;
  Type indexType, fromType, toType;
  Value indices, from, to, newIndices, newShape, zero, fromRank, toRank;
};

struct SparseReshapeToLinalg : OpConversionPattern<SparseReshapeOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(SparseReshapeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LinalgBuilder b(rewriter, op);
    Type indexType = getElementType(op.getSparseIndices());
    Type toType = getElementType(op.getNewShape());
    OpFoldResult rank = b.getSize(adaptor.getNewShape(), 0);
    b.assertEqual(b.getSize(adaptor.getSparseIndices(), 1),
                  b.getSize(adaptor.getPrevShape(), 0),
                  "expects an index for each dimension");
    SmallVector<Value> results =
        b.opaque(b.getBlockName(), /*along=*/{},
                 {adaptor.getSparseIndices(), adaptor.getPrevShape(),
                  adaptor.getNewShape()},
                 {b.empty({b.getSize(adaptor.getSparseIndices(), 0), rank},
                          getSignless(indexType)),
                  b.empty({rank}, getSignless(toType))},
                 [&](ImplicitLocOpBuilder &body, ValueRange, ValueRange inputs,
                     ValueRange buffers) {
                   Reshape(body, indexType, getElementType(op.getPrevShape()),
                           toType, inputs, buffers)
                       .emit();
                 });
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

} // namespace

std::pair<Value, Value> Reshape::emitTotal() {
  SmallVector<Value> result =
      loop(fromRank, {number(1), truth(true)},
           [&](Value dim, ValueRange state) -> SmallVector<Value> {
             Value size = load(fromType, from, dim);
             auto [product, fits] = multiply(state[0], size);
             Value isSize = compare(Predicate::sge, size, number(0));
             return {product, both(state[1], both(fits, isSize))};
           });
  return {result[0], result[1]};
}

Value Reshape::emitNewShape(Value total) {
  // What is known, whether a size is inferred, and whether all are sizes.
  SmallVector<Value> state =
      loop(toRank, {number(1), truth(false), truth(true)},
           [&](Value dim, ValueRange state) -> SmallVector<Value> {
             Value size = load(toType, to, dim);
             Value isCode = compare(Predicate::eq, size, number(-1));
             Value isFirst =
                 both(isCode, arith::XOrIOp::create(b, state[1], truth(true)));
             size = arith::SelectOp::create(b, isFirst, number(1), size);
             auto [product, fits] = multiply(state[0], size);
             Value isSize = compare(Predicate::sge, size, number(0));
             return {product, arith::OrIOp::create(b, state[1], isCode),
                     both(state[2], both(fits, isSize))};
           });
  Value known = state[0];
  Value divisor = arith::MaxSIOp::create(b, known, number(1));
  Value inferred = arith::DivSIOp::create(b, total, divisor);
  Value isWhole =
      both(compare(Predicate::ne, known, number(0)),
           compare(Predicate::eq, arith::RemSIOp::create(b, total, divisor),
                   number(0)));
  Value fits = arith::SelectOp::create(b, state[1], isWhole,
                                       compare(Predicate::eq, known, total));
  loop(toRank, {}, [&](Value dim, ValueRange) -> SmallVector<Value> {
    Value size = load(toType, to, dim);
    Value isCode = compare(Predicate::eq, size, number(-1));
    store(toType, arith::SelectOp::create(b, isCode, inferred, size), newShape,
          dim);
    return {};
  });
  return both(state[2], fits);
}

Value Reshape::emitIsSame() {
  Value common = arith::MinSIOp::create(b, fromRank, toRank);
  Value isSame = compare(Predicate::eq, fromRank, toRank);
  return loop(common, isSame,
              [&](Value dim, ValueRange state) -> SmallVector<Value> {
                return {both(state[0],
                             compare(Predicate::eq, load(fromType, from, dim),
                                     load(toType, newShape, dim)))};
              })
      .front();
}

Value Reshape::emitRow(Value row, Value total) {
  SmallVector<Value> state =
      loop(fromRank, {number(0), truth(true)},
           [&](Value dim, ValueRange state) -> SmallVector<Value> {
             Value index = load(indexType, indices, {row, dim});
             auto [product, fits] =
                 multiply(state[0], load(fromType, from, dim));
             Value position = arith::AddIOp::create(b, product, index);
             // A sum with no room is negative.
             Value isInside = both(compare(Predicate::sge, index, number(0)),
                                   compare(Predicate::ult, position, total));
             return {position, both(state[1], both(fits, isInside))};
           });
  Value last =
      arith::SubIOp::create(b, toRank, arith::ConstantIndexOp::create(b, 1));
  loop(toRank, state[0], [&](Value index, ValueRange rest) {
    Value dim = arith::SubIOp::create(b, last, index);
    Value size =
        arith::MaxSIOp::create(b, load(toType, newShape, dim), number(1));
    store(indexType, arith::RemUIOp::create(b, rest[0], size), newIndices,
          {row, dim});
    return SmallVector<Value>{arith::DivUIOp::create(b, rest[0], size)};
  });
  return state[1];
}

void Reshape::emit() {
  auto [total, isShape] = emitTotal();
  Value fits = both(isShape, emitNewShape(total));
  cf::AssertOp::create(b, fits,
                       "expects new_shape with the elements of prev_shape");
  Value isSame = both(fits, emitIsSame());
  Value numRows = emitSizes(b, indices).front();
  Value areInside =
      loop(numRows, truth(true),
           [&, total = total](Value row,
                              ValueRange state) -> SmallVector<Value> {
             return {both(state[0], emitRow(row, total))};
           })
          .front();
  cf::AssertOp::create(b, arith::OrIOp::create(b, isSame, areInside),
                       "expects indices of elements of prev_shape");
  // The same shape leaves all indices as they are.
  emitWhere(b, isSame, [&] {
    loop(numRows, {}, [&](Value row, ValueRange) -> SmallVector<Value> {
      loop(toRank, {}, [&](Value dim, ValueRange) -> SmallVector<Value> {
        Value index = load(indexType, indices, {row, dim});
        store(indexType, index, newIndices, {row, dim});
        return {};
      });
      return {};
    });
  });
}

void mlir::relay::detail::populateSparseReshapePatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<SparseReshapeToLinalg>(converter, patterns.getContext());
}
