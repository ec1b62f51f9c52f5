//===- ElementSizes.cpp - Results whose sizes elements decide -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is moved to the front is scattered there: updates are made one after the
// other, so that of all that name a place the last one counts.
//
//===----------------------------------------------------------------------===//

#include "ElementSizes.h"

#include "relay-mlir/Dialect/Relay/IR/PassInterfaces.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelaySparseOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"
#include "relay-mlir/Dialect/Relay/IR/TermBuilder.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

/// Formulas on vectors of i64.
class VectorBuilder : public TermBuilder {
public:
  using TermBuilder::TermBuilder;

  Term toIntegers(Value x) { return castTo(x, getI64Type()); }
  Term flatten(Value x) { return reshape(x, {-1}); }
  Term sumBefore(Term x) {
    return make<CumsumOp>(x.get(), getI64IntegerAttr(0),
                          TypeAttr::get(x.getElementType()),
                          /*exclusive=*/true);
  }
  /// 0, 1, 2, ...: as many as elements of `x`.
  Term numbersOf(Term x) { return sumBefore(onesLike(x)); }
  Term scatter(Term data, Term places, Term updates, StringRef how = "update") {
    return make<ScatterElementsOp>(data.get(), places.get(), updates.get(),
                                   /*axis=*/0, how);
  }
  Term scatterRows(Term data, Term places, Term updates) {
    return make<ScatterNdOp>(data.get(), places.get(), updates.get(), "update");
  }
  Term take(Value data, Value indices) {
    return make<TakeOp>(data, indices, /*batch_dims=*/0, getI64IntegerAttr(0),
                        "clip");
  }
  Term stack(ArrayRef<Value> columns) {
    return make<StackOp>(columns, /*axis=*/1);
  }
  Term concatenate(ArrayRef<Value> parts) {
    return make<ConcatenateOp>(parts, /*axis=*/0);
  }
  Term column(Value matrix, int64_t index) {
    return reshape(slice(term(matrix), 1, index, index + 1), {-1});
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// An element that is not zero goes to the place with the number of those
/// before it, as do the zeros that come before it and after the last one that
/// is not.
static void makeBounded(ArgwhereOp op, VectorBuilder &b,
                        SmallVectorImpl<Value> &results,
                        SmallVectorImpl<Value> &counts) {
  Value data = op.getCondition();
  auto type = cast<RankedTensorType>(data.getType());
  Type indexType = cast<RankedTensorType>(op.getType()).getElementType();
  Term isSome = b.toIntegers(b.castTo(b.flatten(data), b.getI1Type()));
  counts.push_back(b.sumAll(isSome));
  if (type.getRank() == 0) {
    results.push_back(b.makeWith<ZerosOp>(
        {}, {b.getNamedAttr("shape", b.getDenseI64ArrayAttr({1, 0})),
             b.getNamedAttr("dtype", TypeAttr::get(indexType))}));
    return;
  }
  Term before = b.sumBefore(isSome);
  Term rest = b.scatter(b.zerosLike(before), before, b.numbersOf(before));
  // The digits of what is a row-major position, from the last one on.
  SmallVector<Value> columns(type.getRank());
  for (int64_t dim = type.getRank(); dim-- > 0;) {
    Term digit = rest;
    if (dim > 0) {
      Term size = b.sizeOf(data, dim, b.getI64Type());
      digit = b.make<ModOp>(rest, size);
      rest = rest / size;
    }
    columns[dim] = b.castTo(digit, indexType);
  }
  results.push_back(b.stack(columns));
}

/// Rows keep the order of their elements. An empty one is taken to have one
/// element, whose values stay where no other element is.
static void makeBounded(SparseFillEmptyRowsOp op, VectorBuilder &b,
                        SmallVectorImpl<Value> &results,
                        SmallVectorImpl<Value> &counts) {
  Value indices = op.getSparseIndices();
  auto getVector = [&](Term scalar) { return b.reshape(scalar, {1}); };
  Term zero = b.number(0, b.getI64Type());
  Term numRows =
      getVector(b.slice(b.term(b.toIntegers(op.getDenseShape())), 0, 0, 1));
  Term noElement = b.make<DynZerosOp>(numRows.get(), DenseI64ArrayAttr(),
                                      TypeAttr::get(b.getI64Type()));
  // What is negative is no row, and does not count from the end.
  Term row = b.toIntegers(b.column(indices, 0));
  row = b.where(isLess(row, zero), numRows, row);
  Term lengths = b.scatter(noElement, row, b.onesLike(row), "add");
  Term isEmpty = b.toIntegers(isEqual(lengths, zero));
  Term begins = b.sumBefore(lengths), starts = b.sumBefore(lengths + isEmpty);

  Term order = b.make<ArgsortOp>(row.get(), /*axis=*/-1, /*is_ascend=*/true,
                                 TypeAttr::get(b.getI64Type()));
  Term places = b.take(starts - begins, b.take(row, order)) + b.numbersOf(row);
  // The rank may be a size that is not known either.
  Term coordinates = b.toIntegers(indices);
  Term rank = getVector(b.sizeOf(indices, 1, b.getI64Type()));
  Term noRow =
      b.make<DynZerosOp>(b.concatenate({numRows, rank}).get(),
                         DenseI64ArrayAttr(), TypeAttr::get(b.getI64Type()));
  Term first = b.concatenate({starts, b.zerosLike(starts)});
  Term result = b.concatenate({b.zerosLike(coordinates), noRow});
  result =
      b.scatterRows(result, b.reshape(first, {2, -1}), b.numbersOf(starts));
  result = b.scatterRows(result, b.reshape(places, {1, -1}),
                         b.take(coordinates, order));

  Term nothing = b.concatenate({b.zerosLike(row), noElement});
  Term fill = getVector(b.term(b.toIntegers(op.getDefaultValue())));
  Term values = b.toIntegers(op.getSparseValues());
  values = b.scatter(nothing + fill, places, b.take(values, order));
  Term count = b.sumAll(lengths + isEmpty);
  results.append({result, values, isEmpty});
  counts.append({count, count, Value()});
}

namespace {

template <typename OpTy>
struct ElementSizedModel
    : ElementSizedOpInterface::ExternalModel<ElementSizedModel<OpTy>, OpTy> {
  void makeBounded(Operation *op, OpBuilder &builder,
                   SmallVectorImpl<Value> &results,
                   SmallVectorImpl<Value> &counts) const {
    VectorBuilder b(op->getLoc(), builder);
    ::makeBounded(cast<OpTy>(op), b, results, counts);
  }
};

} // namespace

void relay::detail::registerElementSizes(MLIRContext *context) {
  ArgwhereOp::attachInterface<ElementSizedModel<ArgwhereOp>>(*context);
  SparseFillEmptyRowsOp::attachInterface<
      ElementSizedModel<SparseFillEmptyRowsOp>>(*context);
}
