//===- Sort.cpp - Lower sorting to linalg ---------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lines along the axis are sorted one by one, as opaque computations on the
// positions of their elements: merged from runs that double, or, if only few
// elements are asked for, kept in a short sorted list. Equal elements keep
// their order.
//
//===----------------------------------------------------------------------===//

#include "ElementMath.h"
#include "LinalgBuilder.h"
#include "PopulatePatterns.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/DialectConversion.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// Up to this many elements are kept in a list. In the worst case each one that
/// comes moves all of them.
static constexpr int64_t kLongestList = 64;

namespace {

/// One line of a tensor, in the body of an opaque computation: its elements and
/// which of two comes first.
class SortLine {
public:
  SortLine(ImplicitLocOpBuilder &builder, Value data, ValueRange position,
           int64_t axis, Type elementType, bool isAscending)
      : b(builder), math(builder, elementType), data(data),
        indices(position.begin(), position.end()), axis(axis),
        isAscending(isAscending) {
    indices.insert(indices.begin() + axis, Value());
  }

  Value load(Value index) {
    indices[axis] = index;
    return memref::LoadOp::create(b, data, indices);
  }
  Value comesBefore(Value lhs, Value rhs) const {
    return isAscending ? math.precedes(lhs, rhs) : math.precedes(rhs, lhs);
  }
  /// Stores to `buffer`, which differs in the size of the axis.
  void store(Value value, Value buffer, Value index) {
    indices[axis] = index;
    memref::StoreOp::create(b, value, buffer, indices);
  }
  const ElementMath &getMath() const { return math; }

private:
  ImplicitLocOpBuilder &b;
  ElementMath math;
  Value data;
  SmallVector<Value> indices;
  int64_t axis;
  bool isAscending;
};

/// Positions in a scratch buffer: one line, or two to merge to and fro.
class PositionList {
public:
  PositionList(ImplicitLocOpBuilder &builder, Value buffer, ValueRange position)
      : b(builder), buffer(buffer), outer(position.begin(), position.end()) {}

  Value load(ValueRange at) const {
    return arith::IndexCastOp::create(
        b, b.getIndexType(), memref::LoadOp::create(b, buffer, getIndices(at)));
  }
  void store(Value position, ValueRange at) const {
    Value narrow = arith::IndexCastOp::create(b, b.getI32Type(), position);
    memref::StoreOp::create(b, narrow, buffer, getIndices(at));
  }

private:
  SmallVector<Value> getIndices(ValueRange at) const {
    SmallVector<Value> indices = outer;
    llvm::append_range(indices, at);
    return indices;
  }

  ImplicitLocOpBuilder &b;
  Value buffer;
  SmallVector<Value> outer;
};

/// Sorts one tensor along one axis. NaN counts as larger than every number.
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
  LinalgBuilder &b;
  Value data;
  Type elementType;
  int64_t axis, rank;
  bool isAscending;
};

} // namespace

static Value compare(ImplicitLocOpBuilder &b, arith::CmpIPredicate predicate,
                     Value lhs, Value rhs) {
  return arith::CmpIOp::create(b, predicate, lhs, rhs);
}

/// Sorts all `size` positions by merging runs. Returns in which of the two
/// lines of `list` they are.
static Value emitMergeSort(ImplicitLocOpBuilder &b, SortLine &line,
                           const PositionList &list, Value size) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value two = arith::ConstantIndexOp::create(b, 2);
  emitLoop(b, zero, size, {},
           [&](Value index, ValueRange) -> SmallVector<Value> {
             list.store(index, {zero, index});
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
          Value rightFirst =
              line.comesBefore(line.load(right), line.load(left));
          Value hasLeft =
              compare(b, arith::CmpIPredicate::slt, heads[0], middle);
          Value hasRight = compare(b, arith::CmpIPredicate::slt, heads[1], end);
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

  Type index = b.getIndexType();
  auto passes = scf::WhileOp::create(
      b, TypeRange{index, index}, ValueRange{one, zero},
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        Value isUnsorted = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::slt, args[0], size);
        scf::ConditionOp::create(builder, loc, isUnsorted, args);
      },
      [&](OpBuilder &builder, Location loc, ValueRange args) {
        OpBuilder::InsertionGuard guard(b);
        b.restoreInsertionPoint(builder.saveInsertionPoint());
        Value length = args[0], from = args[1];
        Value to = arith::SubIOp::create(b, one, from);
        Value step = arith::MulIOp::create(b, length, two);
        auto runs = scf::ForOp::create(b, zero, size, step);
        {
          OpBuilder::InsertionGuard loopGuard(b);
          b.setInsertionPointToStart(runs.getBody());
          emitMerge(from, to, runs.getInductionVar(), length);
        }
        scf::YieldOp::create(b, ValueRange{step, to});
      });
  return passes.getResult(1);
}

/// Keeps the first `count` of the sorted positions in `list`, of which there
/// are at least one.
static void emitSelection(ImplicitLocOpBuilder &b, SortLine &line,
                          const PositionList &list, Value size, Value count) {
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value one = arith::ConstantIndexOp::create(b, 1);
  Value last = arith::SubIOp::create(b, count, one);
  Type index = b.getIndexType();

  /// Puts `element`, which lies at `position`, into a list of `length`.
  auto emitInsertion = [&](Value element, Value position, Value length) {
    auto shifts = scf::WhileOp::create(
        b, TypeRange{index},
        ValueRange{arith::MinSIOp::create(b, length, last).getResult()},
        [&](OpBuilder &builder, Location loc, ValueRange args) {
          OpBuilder::InsertionGuard guard(b);
          b.restoreInsertionPoint(builder.saveInsertionPoint());
          Value isInside = compare(b, arith::CmpIPredicate::sgt, args[0], zero);
          Value previous = arith::MaxSIOp::create(
              b, arith::SubIOp::create(b, args[0], one), zero);
          // What the first place holds before anything is put there is not
          // known, and may be no position.
          auto moves = scf::IfOp::create(b, TypeRange{b.getI1Type()}, isInside,
                                         /*withElseRegion=*/true);
          {
            OpBuilder::InsertionGuard branchGuard(b);
            b.setInsertionPointToStart(moves.thenBlock());
            Value neighbour = line.load(list.load(previous));
            scf::YieldOp::create(b, line.comesBefore(element, neighbour));
            b.setInsertionPointToStart(moves.elseBlock());
            Value isFalse = arith::ConstantOp::create(b, b.getBoolAttr(false));
            scf::YieldOp::create(b, isFalse);
          }
          scf::ConditionOp::create(b, moves.getResult(0), args);
        },
        [&](OpBuilder &builder, Location loc, ValueRange args) {
          OpBuilder::InsertionGuard guard(b);
          b.restoreInsertionPoint(builder.saveInsertionPoint());
          Value previous = arith::SubIOp::create(b, args[0], one);
          list.store(list.load(previous), args[0]);
          scf::YieldOp::create(b, previous);
        });
    list.store(position, shifts.getResult(0));
  };

  Value worst = line.getMath().zero();
  emitLoop(
      b, zero, size, {zero, worst},
      [&](Value position, ValueRange state) -> SmallVector<Value> {
        Value element = line.load(position);
        Value length = state[0];
        Value hasRoom = compare(b, arith::CmpIPredicate::slt, length, count);
        Value enters = arith::OrIOp::create(
            b, hasRoom, line.comesBefore(element, state[1]));
        auto branch = scf::IfOp::create(b, TypeRange(state), enters,
                                        /*withElseRegion=*/true);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(branch.thenBlock());
        emitInsertion(element, position, length);
        Value longer = arith::MinSIOp::create(
            b, arith::AddIOp::create(b, length, one), count);
        Value back = arith::SubIOp::create(b, longer, one);
        scf::YieldOp::create(b, ValueRange{longer, line.load(list.load(back))});
        b.setInsertionPointToStart(branch.elseBlock());
        scf::YieldOp::create(b, state);
        return llvm::to_vector_of<Value>(branch.getResults());
      });
}

SmallVector<Value> AxisSort::build(OpFoldResult count, bool wantsValues,
                                   Type positionType) {
  SmallVector<OpFoldResult> sizes = b.getSizes(data), scratchSizes;
  SmallVector<int64_t> along;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != axis) {
      along.push_back(dim);
      scratchSizes.push_back(sizes[dim]);
    }
  std::optional<int64_t> constantCount = getConstantIntValue(count);
  bool isSelection =
      constantCount && *constantCount >= 1 && *constantCount <= kLongestList;
  if (isSelection) {
    scratchSizes.push_back(count);
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
  destinations.push_back(b.empty(scratchSizes, b.getI32Type()));

  auto emit = [&](ImplicitLocOpBuilder &body, ValueRange position,
                  ValueRange inputs, ValueRange buffers) {
    SortLine line(body, inputs.front(), position, axis, elementType,
                  isAscending);
    PositionList list(body, buffers.back(), position);
    Value size = emitSizes(body, inputs.front())[axis];
    Value wanted = emitSizes(body, buffers.front())[axis];
    Value zero = arith::ConstantIndexOp::create(body, 0);
    Value half;
    if (isSelection)
      emitSelection(body, line, list, size, wanted);
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
               Value found = list.load(at);
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

struct TopkToLinalg : OpConversionPattern<TopkOp> {
  using Base::Base;

  LogicalResult
  matchAndRewrite(TopkOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value data = adaptor.getData();
    auto type = cast<RankedTensorType>(op.getData().getType());
    int64_t axis = normalizeAxis(op.getAxis(), type.getRank());
    LinalgBuilder b(rewriter, op);
    AxisSort sort(b, data, type.getElementType(), axis, op.getIsAscend());
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
    bool wantsPositions = op.getRetType() != "values";
    SmallVector<Value> results =
        sort.build(count, /*wantsValues=*/op.getRetType() != "indices",
                   wantsPositions ? getElementType(types.back()) : Type());
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
