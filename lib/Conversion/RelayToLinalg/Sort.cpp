//===- Sort.cpp - Lower sorting to linalg ---------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines along the axis are sorted one by one, as opaque computations on entries
// that stand for their elements: put in order digit by digit, or merged from
// runs that double if they are few or have no short keys, or, if only some
// elements are asked for, kept in a heap. Equal elements keep their order.
//
//===----------------------------------------------------------------------===//

#include "LinalgBuilder.h"
#include "PopulatePatterns.h"
#include "SizeReader.h"
#include "SortBuilder.h"
#include "SortLine.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

using Predicate = arith::CmpIPredicate;

/// Up to this many of an unknown number of elements are kept in a heap.
static constexpr int64_t kSurelyFew = 64;
/// One in so many elements is few enough for a heap instead of a sort by
/// merging, or by digits.
static constexpr int64_t kFewOfMerged = 4, kFewOfDigits = 16;
/// From so many elements on, counting digits pays.
static constexpr int64_t kManyElements = 512;
/// The values of a digit, and the digits of a key.
static constexpr int64_t kDigitBits = 8, kRadix = 1 << kDigitBits;
static constexpr int64_t kNumDigits = SortLine::kKeyBits / kDigitBits;

static Value compare(ImplicitLocOpBuilder &b, Predicate predicate, Value lhs,
                     Value rhs) {
  return arith::CmpIOp::create(b, predicate, lhs, rhs);
}

namespace {

/// Keeps the first elements of a line: a heap whose root comes last.
class EntryHeap {
public:
  EntryHeap(ImplicitLocOpBuilder &builder, SortLine &line,
            const EntryList &list)
      : b(builder), line(line), list(list) {}

  /// Takes the first `count` of `size` elements, in order. There is at least
  /// one.
  void select(Value size, Value count);

private:
  /// Puts `entry` into the first `length` entries, where `hole` is free.
  void siftDown(Value hole, Value entry, Value length);
  /// Lets elements from `begin` to before `end` in that come before `worst`,
  /// the root's; returns the new root's.
  Value scan(Value begin, Value end, Value worst, Value length);
  Value loadRoot() {
    return line.load(line.getPosition(list.load(emitConstant(b, 0))));
  }

  ImplicitLocOpBuilder &b;
  SortLine &line;
  const EntryList &list;
};

/// Sorts one tensor along one axis.
class AxisSort {
public:
  AxisSort(LinalgBuilder &builder, Value data, Type elementType, int64_t axis,
           bool isAscending)
      : b(builder), data(data), elementType(elementType), axis(axis),
        rank(cast<RankedTensorType>(data.getType()).getRank()),
        isAscending(isAscending) {}

  /// The first `count` sorted elements if `wantsValues`, then their positions
  /// if `positionType` is there. Zeros follow if there are fewer elements.
  SmallVector<Value> build(OpFoldResult count, bool wantsValues,
                           Type positionType);

private:
  /// Whether all elements are sorted by the digits of their keys.
  bool hasDigits();
  /// Whether `count` elements are few, and at least one.
  bool isSelection(OpFoldResult count);

  LinalgBuilder &b;
  Value data;
  Type elementType;
  int64_t axis, rank;
  bool isAscending;
};

} // namespace

//===----------------------------------------------------------------------===//
// Heaps
//===----------------------------------------------------------------------===//

void EntryHeap::siftDown(Value hole, Value entry, Value length) {
  Value one = emitConstant(b, 1);
  Value last = arith::SubIOp::create(b, length, one);
  Type i64 = b.getI64Type();
  // The values: the hole, its child that comes last, and where that is.
  Value none = arith::ConstantOp::create(b, b.getIntegerAttr(i64, 0));
  ValueRange results = emitWhile(
      b, {hole, none, hole},
      [&](ValueRange args) -> std::pair<Value, SmallVector<Value>> {
        Value left = arith::AddIOp::create(
            b, arith::AddIOp::create(b, args[0], args[0]), one);
        Value isInside = compare(b, Predicate::slt, left, length);
        // Behind the end, the last one stands in.
        Value at = arith::MinSIOp::create(b, left, last);
        Value right = arith::MinSIOp::create(
            b, arith::AddIOp::create(b, left, one), last);
        Value leftEntry = list.load(at), rightEntry = list.load(right);
        Value takesRight = line.isBefore(leftEntry, rightEntry);
        Value child =
            arith::SelectOp::create(b, takesRight, rightEntry, leftEntry);
        at = arith::SelectOp::create(b, takesRight, right, at);
        Value moves =
            arith::AndIOp::create(b, isInside, line.isBefore(entry, child));
        return {moves, {args[0], child, at}};
      },
      [&](ValueRange args) -> SmallVector<Value> {
        list.store(args[1], args[0]);
        return {args[2], args[1], args[2]};
      });
  list.store(entry, results[0]);
}

Value EntryHeap::scan(Value begin, Value end, Value worst, Value length) {
  Value zero = emitConstant(b, 0);
  return emitLoop(b, begin, end, worst,
                  [&](Value position, ValueRange state) -> SmallVector<Value> {
                    Value element = line.load(position);
                    auto branch = scf::IfOp::create(
                        b, worst.getType(), line.comesBefore(element, state[0]),
                        /*withElseRegion=*/true);
                    OpBuilder::InsertionGuard guard(b);
                    b.setInsertionPointToStart(branch.thenBlock());
                    siftDown(zero, line.getEntry(position), length);
                    scf::YieldOp::create(b, loadRoot());
                    b.setInsertionPointToStart(branch.elseBlock());
                    scf::YieldOp::create(b, state);
                    return {branch.getResult(0)};
                  })
      .front();
}

void EntryHeap::select(Value size, Value count) {
  Value zero = emitConstant(b, 0), one = emitConstant(b, 1);
  Value length = arith::MinSIOp::create(b, size, count);
  emitLoop(b, zero, length, {},
           [&](Value position, ValueRange) -> SmallVector<Value> {
             list.store(line.getEntry(position), position);
             return {};
           });
  Value numParents = arith::DivUIOp::create(b, length, emitConstant(b, 2));
  emitLoop(b, zero, numParents, {},
           [&](Value index, ValueRange) -> SmallVector<Value> {
             Value parent = arith::SubIOp::create(
                 b, arith::SubIOp::create(b, numParents, index), one);
             siftDown(parent, list.load(parent), length);
             return {};
           });

  // Of an empty line, nothing is read.
  Value hasSome = compare(b, Predicate::sgt, length, zero);
  emitWhere(b, hasSome, [&] {
    Value worst = loadRoot();
    Value begin = length;
    if (int64_t atOnce = line.getNumAtOnce()) {
      Value step = emitConstant(b, atOnce);
      Value numBlocks = arith::DivUIOp::create(
          b, arith::SubIOp::create(b, size, length), step);
      worst =
          emitLoop(b, zero, numBlocks, worst,
                   [&](Value block, ValueRange state) -> SmallVector<Value> {
                     Value from = arith::AddIOp::create(
                         b, length, arith::MulIOp::create(b, block, step));
                     Value to = arith::AddIOp::create(b, from, step);
                     auto branch = scf::IfOp::create(
                         b, worst.getType(), line.mayComeBefore(from, state[0]),
                         /*withElseRegion=*/true);
                     OpBuilder::InsertionGuard guard(b);
                     b.setInsertionPointToStart(branch.thenBlock());
                     scf::YieldOp::create(b, scan(from, to, state[0], length));
                     b.setInsertionPointToStart(branch.elseBlock());
                     scf::YieldOp::create(b, state);
                     return {branch.getResult(0)};
                   })
              .front();
      begin = arith::AddIOp::create(b, length,
                                    arith::MulIOp::create(b, numBlocks, step));
    }
    scan(begin, size, worst, length);

    // The root goes behind the others, one after the other.
    emitLoop(b, one, length, {},
             [&](Value index, ValueRange) -> SmallVector<Value> {
               Value last = arith::SubIOp::create(b, length, index);
               Value entry = list.load(last);
               list.store(list.load(zero), last);
               siftDown(zero, entry, last);
               return {};
             });
  });
}

//===----------------------------------------------------------------------===//
// Sorts
//===----------------------------------------------------------------------===//

/// Sorts all `size` entries by merging runs. Returns in which of the two lines
/// of `list` they are.
static Value emitMergeSort(ImplicitLocOpBuilder &b, SortLine &line,
                           const EntryList &list, Value size) {
  Value zero = emitConstant(b, 0), one = emitConstant(b, 1),
        two = emitConstant(b, 2);
  emitLoop(b, zero, size, {},
           [&](Value index, ValueRange) -> SmallVector<Value> {
             list.store(line.getEntry(index), {zero, index});
             return {};
           });

  auto emitMerge = [&](Value from, Value to, Value begin, Value length) {
    Value middle = arith::MinSIOp::create(
        b, arith::AddIOp::create(b, begin, length), size);
    Value end = arith::MinSIOp::create(
        b, arith::AddIOp::create(b, middle, length), size);
    Value lastLeft = arith::SubIOp::create(b, middle, one);
    Value lastRight = arith::SubIOp::create(b, size, one);
    emitLoop(
        b, begin, end, {begin, middle},
        [&](Value index, ValueRange heads) -> SmallVector<Value> {
          // Of a run that is used up, any element is read and not taken.
          Value left =
              list.load({from, arith::MinSIOp::create(b, heads[0], lastLeft)});
          Value right =
              list.load({from, arith::MinSIOp::create(b, heads[1], lastRight)});
          Value rightFirst = line.isBefore(right, left);
          Value hasLeft = compare(b, Predicate::slt, heads[0], middle);
          Value hasRight = compare(b, Predicate::slt, heads[1], end);
          Value takesRight = arith::SelectOp::create(
              b, hasLeft, arith::AndIOp::create(b, hasRight, rightFirst),
              hasRight);
          list.store(arith::SelectOp::create(b, takesRight, right, left),
                     {to, index});
          Value step =
              arith::IndexCastUIOp::create(b, b.getIndexType(), takesRight);
          Value nextRight = arith::AddIOp::create(b, heads[1], step);
          Value nextLeft = arith::AddIOp::create(
              b, heads[0], arith::SubIOp::create(b, one, step));
          return {nextLeft, nextRight};
        });
  };

  return emitWhile(
      b, {one, zero},
      [&](ValueRange args) -> std::pair<Value, SmallVector<Value>> {
        return {compare(b, Predicate::slt, args[0], size),
                llvm::to_vector(args)};
      },
      [&](ValueRange args) -> SmallVector<Value> {
        Value length = args[0], from = args[1];
        Value to = arith::SubIOp::create(b, one, from);
        Value step = arith::MulIOp::create(b, length, two);
        auto runs = scf::ForOp::create(b, zero, size, step);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(runs.getBody());
        emitMerge(from, to, runs.getInductionVar(), length);
        return {step, to};
      })[1];
}

/// Sorts all `size` entries by one digit of their keys after the other, from
/// the lowest one on. Line 2 of `list` has room for the counts of all digits.
/// Returns in which of the other two they are.
static Value emitDigitSort(ImplicitLocOpBuilder &b, SortLine &line,
                           const EntryList &list, Value size) {
  Value zero = emitConstant(b, 0), one = emitConstant(b, 1);
  Value counts = emitConstant(b, 2), radix = emitConstant(b, kRadix);
  Type i64 = b.getI64Type();
  auto integer = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, b.getIntegerAttr(i64, value));
  };
  auto getCounter = [&](Value entry, int64_t digit) -> Value {
    Value value = line.getDigit(entry, digit * kDigitBits, kDigitBits);
    return arith::AddIOp::create(b, value, emitConstant(b, digit * kRadix));
  };
  Value none = integer(0);
  emitLoop(b, zero, emitConstant(b, kNumDigits * kRadix), {},
           [&](Value index, ValueRange) -> SmallVector<Value> {
             list.store(none, {counts, index});
             return {};
           });
  emitLoop(b, zero, size, {},
           [&](Value index, ValueRange) -> SmallVector<Value> {
             Value entry = line.getEntry(index);
             list.store(entry, {zero, index});
             for (int64_t digit = 0; digit < kNumDigits; ++digit) {
               Value counter = getCounter(entry, digit);
               Value count = list.load({counts, counter});
               list.store(arith::AddIOp::create(b, count, integer(1)),
                          {counts, counter});
             }
             return {};
           });

  Value from = zero;
  Value all = arith::IndexCastOp::create(b, i64, size);
  for (int64_t digit = 0; digit < kNumDigits; ++digit) {
    // Where all have the same digit, nothing moves.
    Value first =
        list.load({counts, getCounter(list.load({from, zero}), digit)});
    Value differs = compare(b, Predicate::ne, first, all);
    auto branch = scf::IfOp::create(b, b.getIndexType(), differs,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, from);
    b.setInsertionPointToStart(branch.thenBlock());
    Value to = arith::SubIOp::create(b, one, from);
    Value offset = emitConstant(b, digit * kRadix);
    emitLoop(b, zero, radix, none,
             [&](Value value, ValueRange sum) -> SmallVector<Value> {
               Value counter = arith::AddIOp::create(b, value, offset);
               Value count = list.load({counts, counter});
               list.store(sum[0], {counts, counter});
               return {arith::AddIOp::create(b, sum[0], count)};
             });
    emitLoop(b, zero, size, {},
             [&](Value index, ValueRange) -> SmallVector<Value> {
               Value entry = list.load({from, index});
               Value counter = getCounter(entry, digit);
               Value place = list.load({counts, counter});
               list.store(arith::AddIOp::create(b, place, integer(1)),
                          {counts, counter});
               list.store(entry, {to, arith::IndexCastOp::create(
                                          b, b.getIndexType(), place)});
               return {};
             });
    scf::YieldOp::create(b, to);
    from = branch.getResult(0);
  }
  return from;
}

bool AxisSort::hasDigits() {
  std::optional<int64_t> size = getConstantIntValue(b.getSize(data, axis));
  return size && *size >= kManyElements &&
         SortLine::hasKeys(elementType, *size);
}

bool AxisSort::isSelection(OpFoldResult count) {
  std::optional<int64_t> wanted = getConstantIntValue(count);
  std::optional<int64_t> size = getConstantIntValue(b.getSize(data, axis));
  int64_t few = hasDigits() ? kFewOfDigits : kFewOfMerged;
  return wanted && *wanted >= 1 &&
         (size ? *wanted <= *size / few : *wanted <= kSurelyFew);
}

SmallVector<Value> AxisSort::build(OpFoldResult count, bool wantsValues,
                                   Type positionType) {
  SmallVector<OpFoldResult> sizes = b.getSizes(data), scratchSizes;
  if (SortLine::hasKeys(elementType, ShapedType::kDynamic))
    b.assertAtMost(sizes[axis], SortLine::kMaxWithKeys,
                   "expects fewer elements to sort");
  SmallVector<int64_t> along;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != axis) {
      along.push_back(dim);
      scratchSizes.push_back(sizes[dim]);
    }
  bool selects = isSelection(count);
  if (selects) {
    scratchSizes.push_back(count);
  } else if (hasDigits()) {
    scratchSizes.push_back(b.getIndexAttr(3));
    scratchSizes.push_back(b.getIndexAttr(
        std::max(*getConstantIntValue(sizes[axis]), kNumDigits * kRadix)));
  } else {
    scratchSizes.push_back(b.getIndexAttr(2));
    scratchSizes.push_back(sizes[axis]);
  }
  sizes[axis] = count;
  SmallVector<Value> destinations;
  if (wantsValues)
    destinations.push_back(b.empty(sizes, getSignless(elementType)));
  if (positionType)
    destinations.push_back(b.empty(sizes, getSignless(positionType)));
  destinations.push_back(b.empty(scratchSizes, b.getI64Type()));

  auto emit = [&](ImplicitLocOpBuilder &body, ValueRange position,
                  ValueRange inputs, ValueRange buffers) {
    SortLine line(body, inputs.front(), position, axis, elementType,
                  isAscending);
    EntryList list(body, buffers.back(), position);
    Value size = emitSizes(body, inputs.front())[axis];
    Value wanted = emitSizes(body, buffers.front())[axis];
    Value zero = emitConstant(body, 0);
    Value half;
    if (selects)
      EntryHeap(body, line, list).select(size, wanted);
    else if (hasDigits())
      half = emitDigitSort(body, line, list, size);
    else
      half = emitMergeSort(body, line, list, size);

    auto emitStores = [&](Value value, Value found, Value index) {
      unsigned next = 0;
      if (wantsValues)
        line.store(value, buffers[next++], index);
      if (!positionType)
        return;
      Type wide = body.getI64Type();
      found = arith::IndexCastOp::create(body, wide, found);
      line.store(ElementMath(body, positionType).convertFrom(wide, found),
                 buffers[next], index);
    };
    Value available = arith::MinSIOp::create(body, size, wanted);
    emitLoop(body, zero, available, {},
             [&](Value index, ValueRange) -> SmallVector<Value> {
               SmallVector<Value> at = {index};
               if (half)
                 at.insert(at.begin(), half);
               Value found = line.getPosition(list.load(at));
               emitStores(wantsValues ? line.load(found) : Value(), found,
                          index);
               return {};
             });
    emitLoop(body, available, wanted, {},
             [&](Value index, ValueRange) -> SmallVector<Value> {
               emitStores(line.getMath().zero(), zero, index);
               return {};
             });
  };
  SmallVector<Value> results =
      b.opaque(b.getBlockName(), along, data, destinations, emit);
  results.pop_back();
  return results;
}

SmallVector<Value> mlir::relay::detail::buildSort(
    LinalgBuilder &b, Value data, Type elementType, int64_t axis,
    bool isAscending, OpFoldResult count, bool wantsValues, Type positionType) {
  return AxisSort(b, data, elementType, axis, isAscending)
      .build(count, wantsValues, positionType);
}

namespace {

struct SortToLinalg : OpConversionPattern<SortOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(SortOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto type = cast<RankedTensorType>(op.getData().getType());
    int64_t axis = normalizeAxis(op.getAxis(), type.getRank());
    LinalgBuilder b(rewriter, op);
    AxisSort sort(b, adaptor.getData(), type.getElementType(), axis,
                  op.getIsAscend());
    rewriter.replaceOp(op, sort.build(b.getSize(adaptor.getData(), axis),
                                      /*wantsValues=*/true,
                                      /*positionType=*/Type()));
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
    AxisSort sort(b, adaptor.getData(), type.getElementType(), axis,
                  op.getIsAscend());
    Type indexType = cast<RankedTensorType>(op.getType()).getElementType();
    rewriter.replaceOp(op, sort.build(b.getSize(adaptor.getData(), axis),
                                      /*wantsValues=*/false, indexType));
    return success();
  }
};

/// topk, dyn.topk
template <typename OpT>
struct TopkToLinalg : OpConversionPattern<OpT> {
  using OpConversionPattern<OpT>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpT op, typename OpT::Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    auto type = cast<RankedTensorType>(op.getData().getType());
    int64_t axis = normalizeAxis(op.getAxis(), type.getRank());
    LinalgBuilder b(rewriter, op);
    AxisSort sort(b, data, type.getElementType(), axis, op.getIsAscend());
    OpFoldResult size = b.getSize(data, axis);
    FailureOr<OpFoldResult> k = readCount(rewriter, b, op, adaptor);
    if (failed(k))
      return failure();
    OpFoldResult count = *k;
    if (std::optional<int64_t> known = getConstantIntValue(count);
        known && *known < 1) {
      count = size;
    } else {
      b.assertAtLeast(size, count, "expects as many elements as are taken");
      if (!known)
        count = takeAll(b, count, size);
    }
    SmallVector<Type> types;
    Type resultType = op.getResult().getType();
    if (auto tuple = dyn_cast<TupleType>(resultType))
      llvm::append_range(types, tuple.getTypes());
    else
      types.push_back(resultType);
    auto getElementType = [](Type type) {
      return cast<RankedTensorType>(type).getElementType();
    };
    bool wantsPositions = op.getRetType() != "values";
    SmallVector<Value> results =
        sort.build(count, /*wantsValues=*/op.getRetType() != "indices",
                   wantsPositions ? getElementType(types.back()) : Type());
    for (auto [result, resultField] : llvm::zip_equal(results, types))
      result =
          b.castTo(result, this->getTypeConverter()->convertType(resultField));
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }

private:
  static FailureOr<OpFoldResult> readCount(ConversionPatternRewriter &,
                                           LinalgBuilder &b, TopkOp op,
                                           TopkOp::Adaptor) {
    return OpFoldResult(b.getIndexAttr(op.getK()));
  }
  static FailureOr<OpFoldResult> readCount(ConversionPatternRewriter &rewriter,
                                           LinalgBuilder &b, DynTopkOp op,
                                           DynTopkOp::Adaptor adaptor) {
    return SizeReader(rewriter, b, op).readSingle(adaptor.getKValue(), "k");
  }

  /// `count`, or all if it is less than 1.
  static OpFoldResult takeAll(LinalgBuilder &b, OpFoldResult count,
                              OpFoldResult size) {
    Value number = b.toValue(count);
    Value isAll = compare(b, Predicate::slt, number, emitConstant(b, 1));
    return arith::SelectOp::create(b, isAll, b.toValue(size), number)
        .getResult();
  }
};

} // namespace

void mlir::relay::detail::populateSortPatterns(const TypeConverter &converter,
                                               RewritePatternSet &patterns) {
  patterns.add<ArgsortToLinalg, SortToLinalg, TopkToLinalg<DynTopkOp>,
               TopkToLinalg<TopkOp>>(converter, patterns.getContext());
}
