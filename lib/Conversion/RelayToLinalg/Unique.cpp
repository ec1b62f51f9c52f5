//===- Unique.cpp - Lower unique to linalg --------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a sort, equal elements are next to each other, and the first of them is
// the first one of the vector. So each begins a group, whose number is that of
// its value. In the order of appearance, groups are numbered anew.
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"
#include "Gather.h"
#include "PopulatePatterns.h"
#include "SortBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

using Predicate = arith::CmpIPredicate;

namespace {

/// The code that fills the results, in the body of an opaque computation.
class Grouping {
public:
  Grouping(ImplicitLocOpBuilder &builder, Type elementType, ValueRange inputs,
           ValueRange buffers, bool hasCounts)
      : b(builder), math(builder, elementType), data(inputs[0]),
        order(inputs[1]), values(buffers[0]), first(buffers[1]),
        inverse(buffers[2]), total(buffers[3]),
        counts(hasCounts ? buffers[4] : Value()),
        starts(buffers.drop_back().back()), numbers(buffers.back()),
        zero(arith::ConstantIndexOp::create(b, 0)),
        one(arith::ConstantIndexOp::create(b, 1)),
        size(emitSizes(builder, data).front()) {}

  void emit(bool isSorted);

private:
  /// Finds where groups start, and the group of each element. Returns how many
  /// groups there are.
  Value emitGroups();
  /// Numbers groups in the order of the vector: the element where a group
  /// starts comes before all others of it.
  void emitAppearance();

  Value load(Value buffer, Value at) const {
    return memref::LoadOp::create(b, buffer, at);
  }
  Value loadIndex(Value buffer, Value at) const {
    return emitLoadIndex(b, buffer, at);
  }
  void storeIndex(Value value, Value buffer, Value at) const {
    emitStoreIndex(b, value, buffer, at);
  }
  void forEach(Value begin, Value end,
               llvm::function_ref<void(Value index)> body) const {
    emitLoop(b, begin, end, {}, [&](Value index, ValueRange) {
      body(index);
      return SmallVector<Value>();
    });
  }
  /// `number` and one more where `condition` holds.
  Value countUp(Value condition, Value number) const {
    return arith::SelectOp::create(
        b, condition, arith::AddIOp::create(b, number, one), number);
  }

  ImplicitLocOpBuilder &b;
  ElementMath math;
  Value data, order, values, first, inverse, total, counts, starts, numbers;
  Value zero, one, size;
};

struct UniqueToLinalg : OpConversionPattern<UniqueOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(UniqueOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LinalgBuilder b(rewriter, op);
    Value data = adaptor.getData();
    Type type = getElementType(op.getData());
    Type i32 = b.getI32Type();
    OpFoldResult size = b.getSize(data, 0);
    Value order = buildSort(b, data, type, /*axis=*/0, /*isAscending=*/true,
                            size, /*wantsValues=*/false, b.getI64Type())
                      .front();
    bool hasCounts = op.getReturnCounts();
    auto makeVector = [&] { return b.empty({size}, i32); };
    SmallVector<Value> destinations = {b.empty({size}, getSignless(type)),
                                       makeVector(), makeVector(),
                                       b.empty({b.getIndexAttr(1)}, i32)};
    if (hasCounts)
      destinations.push_back(makeVector());
    size_t numResults = destinations.size();
    destinations.append({makeVector(), makeVector()});
    SmallVector<Value> results = b.opaque(
        (b.getBlockName() + "_groups").str(), /*along=*/{}, {data, order},
        destinations,
        [&](ImplicitLocOpBuilder &body, ValueRange, ValueRange inputs,
            ValueRange buffers) {
          Grouping(body, type, inputs, buffers, hasCounts).emit(op.getSorted());
        });
    results.truncate(numResults);
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

} // namespace

Value Grouping::emitGroups() {
  auto emitStep = [&](Value index, ValueRange state) -> SmallVector<Value> {
    Value position = loadIndex(order, index);
    Value before =
        arith::MaxSIOp::create(b, arith::SubIOp::create(b, index, one), zero);
    // What is no number differs from all.
    Value differs = math.compare(ElementMath::Order::NE, load(data, position),
                                 load(data, loadIndex(order, before)));
    Value begins = arith::OrIOp::create(
        b, differs, arith::CmpIOp::create(b, Predicate::eq, index, zero));
    Value numGroups = countUp(begins, state.front());
    Value group = arith::SubIOp::create(b, numGroups, one);
    emitWhere(b, begins, [&] { storeIndex(position, starts, group); });
    storeIndex(group, inverse, position);
    return {numGroups};
  };
  return emitLoop(b, zero, size, zero, emitStep).front();
}

void Grouping::emitAppearance() {
  auto emitStep = [&](Value position, ValueRange state) -> SmallVector<Value> {
    Value group = loadIndex(inverse, position);
    Value isFirst = arith::CmpIOp::create(b, Predicate::eq,
                                          loadIndex(starts, group), position);
    emitWhere(b, isFirst, [&] { storeIndex(state.front(), numbers, group); });
    return {countUp(isFirst, state.front())};
  };
  emitLoop(b, zero, size, zero, emitStep);
}

void Grouping::emit(bool isSorted) {
  Value numGroups = emitGroups();
  storeIndex(numGroups, total, zero);
  if (isSorted)
    forEach(zero, numGroups,
            [&](Value group) { storeIndex(group, numbers, group); });
  else
    emitAppearance();
  forEach(zero, numGroups, [&](Value group) {
    Value number = loadIndex(numbers, group), start = loadIndex(starts, group);
    memref::StoreOp::create(b, load(data, start), values, number);
    storeIndex(start, first, number);
  });
  forEach(numGroups, size, [&](Value number) {
    memref::StoreOp::create(b, math.zero(), values, number);
    storeIndex(zero, first, number);
  });
  if (counts)
    forEach(zero, size,
            [&](Value number) { storeIndex(zero, counts, number); });
  forEach(zero, size, [&](Value position) {
    Value number = loadIndex(numbers, loadIndex(inverse, position));
    storeIndex(number, inverse, position);
    if (counts)
      storeIndex(arith::AddIOp::create(b, loadIndex(counts, number), one),
                 counts, number);
  });
}

void mlir::relay::detail::populateUniquePatterns(const TypeConverter &converter,
                                                 RewritePatternSet &patterns) {
  patterns.add<UniqueToLinalg>(converter, patterns.getContext());
}
