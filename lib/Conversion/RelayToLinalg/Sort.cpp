//===- Sort.cpp - Lower sorting to linalg ---------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sorting by counting: the place of an element is the number of elements that
// come before it, and position p of the result belongs to the element whose
// place is p. That is quadratic along the axis, but parallel over it and a
// plain nest; equal elements keep their order.
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"
#include "Gather.h"
#include "PopulatePatterns.h"

#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// Sorts one tensor along one axis. NaN counts as larger than every number.
class CountingSort {
public:
  CountingSort(LinalgBuilder &builder, Value data, Type elementType,
               int64_t axis, bool isAscending)
      : b(builder), data(data), elementType(elementType), axis(axis),
        rank(cast<RankedTensorType>(data.getType()).getRank()) {
    outerMap = b.select(rank + 1, llvm::to_vector(llvm::seq<int64_t>(0, rank)));
    SmallVector<AffineExpr> exprs(outerMap.getResults());
    exprs[axis] = b.dim(rank);
    innerMap = b.map(rank + 1, exprs);
    buildPlaces(isAscending);
  }

  /// The first `count` sorted elements.
  Value buildValues(OpFoldResult count);
  /// Their positions in the data.
  Value buildPositions(OpFoldResult count, Type indexType);

private:
  void buildPlaces(bool isAscending);
  /// result[p] = what `emit` makes of element i, for the i whose place is p.
  Value buildSelection(StringRef name, OpFoldResult count,
                       ArrayRef<Access> inputs, TypedAttr initial,
                       ElementBody emit);

  LinalgBuilder &b;
  Value data;
  Type elementType;
  int64_t axis, rank;
  /// Loops (d0, ..., dn, j): the element at the outer loops, and that at j.
  AffineMap outerMap, innerMap;
  Value places;
};

void CountingSort::buildPlaces(bool isAscending) {
  Type countType = b.getI32Type();
  Value init = b.filled(b.getSizes(data), getZeroAttr(countType), "sort_init");
  places = b.nest(
      "sort_places", {{data, outerMap}, {data, innerMap}}, {init, outerMap},
      getIterators(rank, 1),
      [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
        ElementMath math(bodyBuilder, elementType);
        ElementMath count(bodyBuilder, countType);
        Value element = args[0], other = args[1];
        Value isSmaller = math.precedes(other, element);
        Value isLarger = math.precedes(element, other);
        Value comesBefore = isAscending ? isSmaller : isLarger;
        Value comesAfter = isAscending ? isLarger : isSmaller;
        Value isFalse = arith::ConstantOp::create(
            bodyBuilder, bodyBuilder.getBoolAttr(false));
        // Of equal elements the one at the lower position comes first.
        Value isEarlier = arith::CmpIOp::create(
            bodyBuilder, arith::CmpIPredicate::ult,
            emitLoopIndex(bodyBuilder, rank), emitLoopIndex(bodyBuilder, axis));
        Value isNotAfter =
            ElementMath(bodyBuilder, bodyBuilder.getI1Type())
                .compare(ElementMath::Order::EQ, comesAfter, isFalse);
        Value winsTie =
            arith::AndIOp::create(bodyBuilder, isNotAfter, isEarlier);
        Value counts = arith::OrIOp::create(bodyBuilder, comesBefore, winsTie);
        return count.add(args[2],
                         count.select(counts, count.one(), count.zero()));
      });
}

Value CountingSort::buildSelection(StringRef name, OpFoldResult count,
                                   ArrayRef<Access> inputs, TypedAttr initial,
                                   ElementBody emit) {
  SmallVector<OpFoldResult> sizes = b.getSizes(data);
  sizes[axis] = count;
  Value init = b.filled(sizes, initial, (name + "_init").str());
  SmallVector<Access> accesses = {{places, innerMap}};
  llvm::append_range(accesses, inputs);
  return b.nest(name, accesses, {init, outerMap}, getIterators(rank, 1),
                [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
                  Value place = arith::IndexCastOp::create(
                      bodyBuilder, bodyBuilder.getIndexType(), args[0]);
                  Value isHere = arith::CmpIOp::create(
                      bodyBuilder, arith::CmpIPredicate::eq, place,
                      emitLoopIndex(bodyBuilder, axis));
                  return arith::SelectOp::create(
                             bodyBuilder, isHere,
                             emit(bodyBuilder, args.drop_front().drop_back()),
                             args.back())
                      .getResult();
                });
}

Value CountingSort::buildValues(OpFoldResult count) {
  return buildSelection(
      "sort_values", count, Access{data, innerMap}, getZeroAttr(elementType),
      [](ImplicitLocOpBuilder &, ValueRange args) { return args[0]; });
}

Value CountingSort::buildPositions(OpFoldResult count, Type indexType) {
  return buildSelection("sort_positions", count, {}, getZeroAttr(indexType),
                        [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange) {
                          Value position = arith::IndexCastOp::create(
                              bodyBuilder, bodyBuilder.getI64Type(),
                              emitLoopIndex(bodyBuilder, rank));
                          return ElementMath(bodyBuilder, indexType)
                              .convertFrom(bodyBuilder.getI64Type(), position);
                        });
}

struct SortToLinalg : OpConversionPattern<SortOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(SortOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getData().getType());
    int64_t axis = normalizeAxis(op.getAxis(), type.getRank());
    LinalgBuilder b(rewriter, op);
    CountingSort sort(b, adaptor.getData(), type.getElementType(), axis,
                      op.getIsAscend());
    rewriter.replaceOp(op,
                       sort.buildValues(b.getSize(adaptor.getData(), axis)));
    return success();
  }
};

struct ArgsortToLinalg : OpConversionPattern<ArgsortOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(ArgsortOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getData().getType());
    int64_t axis = normalizeAxis(op.getAxis(), type.getRank());
    LinalgBuilder b(rewriter, op);
    CountingSort sort(b, adaptor.getData(), type.getElementType(), axis,
                      op.getIsAscend());
    Type indexType = cast<RankedTensorType>(op.getType()).getElementType();
    rewriter.replaceOp(
        op, sort.buildPositions(b.getSize(adaptor.getData(), axis), indexType));
    return success();
  }
};

struct TopkToLinalg : OpConversionPattern<TopkOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(TopkOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    auto type = cast<RankedTensorType>(op.getData().getType());
    int64_t axis = normalizeAxis(op.getAxis(), type.getRank());
    LinalgBuilder b(rewriter, op);
    CountingSort sort(b, data, type.getElementType(), axis, op.getIsAscend());
    OpFoldResult count =
        op.getK() < 1 ? b.getSize(data, axis) : b.getIndexAttr(op.getK());
    SmallVector<Type> types;
    Type resultType = op.getResult().getType();
    if (auto tuple = dyn_cast<TupleType>(resultType))
      llvm::append_range(types, tuple.getTypes());
    else
      types.push_back(resultType);
    auto getElementType = [](Type type) {
      return cast<RankedTensorType>(type).getElementType();
    };
    SmallVector<Value> results;
    if (op.getRetType() != "indices")
      results.push_back(sort.buildValues(count));
    if (op.getRetType() != "values")
      results.push_back(
          sort.buildPositions(count, getElementType(types.back())));
    for (auto [result, resultField] : llvm::zip_equal(results, types))
      result = b.castTo(result, getTypeConverter()->convertType(resultField));
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

} // namespace

void mlir::relay::detail::populateSortPatterns(const TypeConverter &converter,
                                               RewritePatternSet &patterns) {
  patterns.add<ArgsortToLinalg, SortToLinalg, TopkToLinalg>(
      converter, patterns.getContext());
}
