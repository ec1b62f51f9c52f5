//===- CarrySizes.cpp - Sizes that elements decide ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CarrySizes.h"

#include "relay-mlir/Dialect/Relax/IR/Builtins.h"
#include "relay-mlir/Dialect/Relay/Analysis/SizeComputations.h"
#include "relay-mlir/Dialect/Relay/IR/PassInterfaces.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/TensorFunctions.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::relay;

bool relay::detail::isSizedOnly(Value value) {
  auto call = value.getDefiningOp<CallOp>();
  return call && call.getCallee().starts_with(relax::kBuiltinPrefix);
}

/// The function of the machine that takes sizes of `type`.
static FlatSymbolRefAttr getBuiltin(ModuleOp module, RankedTensorType type,
                                    RankedTensorType result) {
  std::string name = relax::kMakeSizedBuiltin.str();
  llvm::raw_string_ostream(name)
      << "." << result.getRank() << "." << type.getRank() << "."
      << type.getElementType();
  if (!module.lookupSymbol(name)) {
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto function =
        func::FuncOp::create(builder, module.getLoc(), name,
                             builder.getFunctionType({type}, {result}));
    function.setPrivate();
    function->setAttr(kTensorFunctionAttrName, builder.getUnitAttr());
  }
  return FlatSymbolRefAttr::get(module.getContext(), name);
}

/// Numbers equal to the integers in `sizes`, a scalar or a vector of a known
/// length, that follow from the shape of a tensor.
static Value carry(OpBuilder &builder, Location loc, Value sizes) {
  auto type = cast<RankedTensorType>(sizes.getType());
  int64_t count = type.getRank() == 0 ? 1 : type.getDimSize(0);
  auto sizedType = RankedTensorType::get(
      SmallVector<int64_t>(count, ShapedType::kDynamic), builder.getI8Type());
  auto module =
      builder.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  Value sized =
      CallOp::create(builder, loc, TypeRange{sizedType},
                     getBuiltin(module, type, sizedType), ValueRange{sizes},
                     /*arg_attrs=*/ArrayAttr(), /*res_attrs=*/ArrayAttr())
          .getResult(0);
  Type i64 = builder.getI64Type();
  Value shape = ShapeOfOp::create(
      builder, loc, TypeRange{RankedTensorType::get({count}, i64)}, sized,
      builder.getNamedAttr("dtype", TypeAttr::get(i64)));
  if (type.getRank() == 0)
    shape = SqueezeOp::create(
        builder, loc, TypeRange{RankedTensorType::get({}, i64)}, shape,
        {builder.getNamedAttr("axis", builder.getDenseI64ArrayAttr({0}))});
  if (type.getElementType() != i64)
    shape = CastOp::create(builder, loc, shape, type.getElementType());
  return shape;
}

static Value makeNumber(OpBuilder &builder, Location loc, int64_t value) {
  auto type = RankedTensorType::get({}, builder.getI64Type());
  return ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(type, builder.getI64IntegerAttr(value)));
}

static Value castTo(OpBuilder &builder, Location loc, Value value, Type type) {
  if (getElementTypeOrSelf(value.getType()) == type)
    return value;
  return CastOp::create(builder, loc, value, type);
}

/// The same for integers that may be negative: the difference of two sizes.
static Value carrySigned(OpBuilder &builder, Location loc, Value numbers) {
  Type type = getElementTypeOrSelf(numbers.getType());
  numbers = castTo(builder, loc, numbers, builder.getI64Type());
  auto getPart = [&](Value part) {
    Value zero = makeNumber(builder, loc, 0);
    return carry(builder, loc, MaximumOp::create(builder, loc, part, zero));
  };
  Value result =
      SubtractOp::create(builder, loc, getPart(numbers),
                         getPart(NegativeOp::create(builder, loc, numbers)));
  return castTo(builder, loc, result, type);
}

/// The sizes of `data` at `axes`.
static Value getSizes(OpBuilder &builder, Location loc, Value data,
                      ArrayRef<int64_t> axes) {
  Type i64 = builder.getI64Type();
  int64_t rank = cast<RankedTensorType>(data.getType()).getRank();
  Value shape = ShapeOfOp::create(
      builder, loc, TypeRange{RankedTensorType::get({rank}, i64)}, data,
      builder.getNamedAttr("dtype", TypeAttr::get(i64)));
  auto type = RankedTensorType::get({static_cast<int64_t>(axes.size())}, i64);
  Value indices =
      ConstantOp::create(builder, loc, DenseElementsAttr::get(type, axes));
  return TakeOp::create(builder, loc, shape, indices, /*batch_dims=*/0,
                        builder.getI64IntegerAttr(0), "wrap");
}

/// Begins and ends of a slice, of which those far outside, as INT64_MAX, are
/// moved to where they mean the same.
static Value carryBounds(OpBuilder &builder, DynStridedSliceOp op,
                         Value bounds) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(bounds.getType());
  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getNumElements()));
  if (std::optional<ArrayRef<int64_t>> given = op.getAxes())
    axes.assign(given->begin(), given->end());
  Value sizes = getSizes(builder, loc, op.getData(), axes);
  Value beyond =
      SubtractOp::create(builder, loc, makeNumber(builder, loc, -1), sizes);
  Value clipped = MaximumOp::create(
      builder, loc, castTo(builder, loc, bounds, builder.getI64Type()), beyond);
  return carrySigned(builder, loc,
                     MinimumOp::create(builder, loc, clipped, sizes));
}

/// `number`, of which `isRight` has to hold when the machine takes it for a
/// size.
static Value expect(OpBuilder &builder, Location loc, Value number,
                    Value isRight, StringRef what) {
  return AssertOp::create(
      builder, loc, TypeRange{number.getType()}, ValueRange{number, isRight},
      {builder.getNamedAttr("message", builder.getStringAttr(what))});
}

/// Sizes for 0, which stands for the size of the data, -3, which stands for the
/// product of two of them, and a single -1, which stands for what is left.
/// Other codes stay, and are no sizes.
static Value resolveCodes(OpBuilder &builder, DynReshapeOp op, Value codes) {
  Location loc = op.getLoc();
  Value data = op.getData();
  Type i64 = builder.getI64Type();
  codes = castTo(builder, loc, codes, i64);
  auto isEqual = [&](Value lhs, Value rhs) -> Value {
    return EqualOp::create(builder, loc, lhs, rhs);
  };
  auto hasCode = [&](int64_t code) {
    return isEqual(codes, makeNumber(builder, loc, code));
  };
  // How many elements of a condition hold, of all or along some axes.
  auto count = [&](Value condition, DenseI64ArrayAttr axes = {}) -> Value {
    return SumOp::create(builder, loc, castTo(builder, loc, condition, i64),
                         axes, /*keepdims=*/false, /*exclude=*/false);
  };
  auto refuse = [&](Value condition, StringRef what) {
    codes = expect(builder, loc, codes,
                   LogicalNotOp::create(builder, loc, condition), what);
  };
  // -2 and -4 would change the number of dimensions.
  Value isBelow =
      LessOp::create(builder, loc, codes, makeNumber(builder, loc, -3));
  refuse(LogicalOrOp::create(builder, loc, isBelow, hasCode(-2)),
         "expects sizes, 0, -1 or -3 in newshape");
  if (op.getAllowzero()) {
    Value hasZero = NotEqualOp::create(builder, loc, count(hasCode(0)),
                                       makeNumber(builder, loc, 0));
    refuse(LogicalAndOp::create(builder, loc, hasCode(-1), hasZero),
           "expects no -1 beside a 0 that is a size (allowzero)");
  }
  int64_t rank = cast<RankedTensorType>(data.getType()).getRank();
  int64_t newRank = cast<RankedTensorType>(codes.getType()).getNumElements();
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  Value sizes = getSizes(builder, loc, data, all);
  Value one = makeNumber(builder, loc, 1), none = makeNumber(builder, loc, -2);
  // 0, 1, 2, ...
  auto countTo = [&](ArrayRef<int64_t> shape, int64_t number) -> Value {
    SmallVector<int64_t> numbers =
        llvm::to_vector(llvm::seq<int64_t>(0, number));
    return ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(RankedTensorType::get(shape, i64),
                               ArrayRef(numbers)));
  };
  auto multiplyAll = [&](Value numbers) -> Value {
    return ProdOp::create(builder, loc, numbers, DenseI64ArrayAttr(),
                          /*keepdims=*/false, /*exclude=*/false);
  };
  auto select = [&](Value condition, Value lhs, Value rhs) -> Value {
    return WhereOp::create(builder, loc, condition, lhs, rhs);
  };
  auto add = [&](Value lhs, Value rhs) -> Value {
    return AddOp::create(builder, loc, lhs, rhs);
  };
  Value factors = codes;
  if (rank != 0 && newRank != 0) {
    // Each code is of one size of the data, and -3 of two.
    Value isMerged = hasCode(-3);
    Value merged = castTo(builder, loc, isMerged, i64);
    Value source =
        add(countTo({newRank}, newRank),
            CumsumOp::create(builder, loc, merged, builder.getI64IntegerAttr(0),
                             TypeAttr::get(i64), /*exclusive=*/true));
    Value next = add(source, one), end = makeNumber(builder, loc, rank);
    // Behind the last size there is none.
    auto getSize = [&](Value index) -> Value {
      Value size = TakeOp::create(builder, loc, sizes, index, /*batch_dims=*/0,
                                  builder.getI64IntegerAttr(0), "clip");
      return select(LessOp::create(builder, loc, index, end), size, none);
    };
    Value first = getSize(source), second = getSize(next);
    Value product = MultiplyOp::create(builder, loc, first, second);
    product = select(LessOp::create(builder, loc, next, end), product, none);
    codes = select(isMerged, product, codes);
    factors = codes;
    if (!op.getAllowzero()) {
      // What is copied says nothing of the rest, also where it is 0.
      Value isCopied = hasCode(0);
      isCopied = LogicalAndOp::create(
          builder, loc, isCopied, LogicalNotOp::create(builder, loc, isMerged));
      codes = select(isCopied, first, codes);
      factors = select(isCopied, one, codes);
      Value column = ReshapeOp::create(builder, loc, source, {newRank, 1});
      Value meets = isEqual(column, countTo({1, rank}, rank));
      meets = LogicalAndOp::create(
          builder, loc, meets,
          ReshapeOp::create(builder, loc, isCopied, {newRank, 1}));
      Value isUsed = count(meets, builder.getDenseI64ArrayAttr({0}));
      sizes = select(isEqual(isUsed, makeNumber(builder, loc, 0)), sizes, one);
    }
  }
  Value isRest = hasCode(-1);
  Value known = multiplyAll(select(isRest, one, factors));
  Value rest = DivideOp::create(builder, loc, multiplyAll(sizes), known);
  Value isSingle = isEqual(count(isRest), one);
  return select(LogicalAndOp::create(builder, loc, isRest, isSingle), rest,
                codes);
}

/// How many of the largest elements, of which there are that many. What is less
/// than 1 stands for all of them.
static Value carryNumber(OpBuilder &builder, DynTopkOp op, Value number) {
  Location loc = op.getLoc();
  int64_t rank = cast<RankedTensorType>(op.getData().getType()).getRank();
  int64_t axis = op.getAxis() < 0 ? op.getAxis() + rank : op.getAxis();
  Value size = getSizes(builder, loc, op.getData(), {axis});
  Value all = castTo(builder, loc, number, builder.getI64Type());
  if (cast<RankedTensorType>(number.getType()).getRank() == 0)
    size = ReshapeOp::create(builder, loc, size, ArrayRef<int64_t>());
  Value isRight = LessEqualOp::create(builder, loc, all, size);
  return carrySigned(
      builder, loc,
      expect(builder, loc, number, isRight,
             "expects k of topk up to the size of the data at its axis"));
}

/// `operand`, the sizes of an operator, as numbers that follow from a shape.
static Value carryOperand(OpBuilder &builder, Operation *op, Value operand) {
  Location loc = op->getLoc();
  if (auto slice = dyn_cast<DynStridedSliceOp>(op))
    return carryBounds(builder, slice, operand);
  if (auto reshape = dyn_cast<DynReshapeOp>(op))
    return carry(builder, loc, resolveCodes(builder, reshape, operand));
  if (auto topk = dyn_cast<DynTopkOp>(op))
    return carryNumber(builder, topk, operand);
  auto type = cast<RankedTensorType>(operand.getType());
  if (type.getRank() <= 1)
    return carry(builder, loc, operand);
  Value flat = ReshapeOp::create(builder, loc, operand, ArrayRef<int64_t>{-1});
  return ReshapeOp::create(builder, loc, carry(builder, loc, flat),
                           type.getShape());
}

static bool isKnown(Value value) {
  return getSizeComputation(value).has_value();
}

static bool isConstant(Value value) {
  return matchPattern(value, m_Constant());
}

/// Whether a slice needs more than two bounds of the run time at each axis.
static bool isByPositions(DynStridedSliceOp op) {
  return !isConstant(op.getStridesValue()) ||
         (op.getSliceMode() == "size" &&
          !(isConstant(op.getBeginValue()) && isConstant(op.getEndValue())));
}

/// Takes the elements at the positions of a slice, axis by axis: as many as the
/// machine finds.
static void carryPositions(DynStridedSliceOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Type i64 = builder.getI64Type();
  auto type = cast<RankedTensorType>(op.getBeginValue().getType());
  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::seq<int64_t>(0, type.getNumElements()));
  if (std::optional<ArrayRef<int64_t>> given = op.getAxes())
    axes.assign(given->begin(), given->end());
  bool takesSize = op.getSliceMode() == "size";
  Value zero = makeNumber(builder, loc, 0), one = makeNumber(builder, loc, 1);
  auto pick = [&](Value vector, int64_t index) -> Value {
    auto scalar = RankedTensorType::get({}, i64);
    Value element = TakeOp::create(
        builder, loc, castTo(builder, loc, vector, i64),
        ConstantOp::create(
            builder, loc,
            DenseElementsAttr::get(scalar, builder.getI64IntegerAttr(index))),
        /*batch_dims=*/0, builder.getI64IntegerAttr(0), "wrap");
    return element;
  };
  auto select = [&](Value condition, Value lhs, Value rhs) -> Value {
    return WhereOp::create(builder, loc, condition, lhs, rhs);
  };
  auto isLess = [&](Value lhs, Value rhs) -> Value {
    return LessOp::create(builder, loc, lhs, rhs);
  };
  auto add = [&](Value lhs, Value rhs) -> Value {
    return AddOp::create(builder, loc, lhs, rhs);
  };
  auto subtract = [&](Value lhs, Value rhs) -> Value {
    return SubtractOp::create(builder, loc, lhs, rhs);
  };
  auto min = [&](Value lhs, Value rhs) -> Value {
    return MinimumOp::create(builder, loc, lhs, rhs);
  };
  auto max = [&](Value lhs, Value rhs) -> Value {
    return MaximumOp::create(builder, loc, lhs, rhs);
  };
  Value result = op.getData();
  for (auto [index, axis] : llvm::enumerate(axes)) {
    Value size =
        ReshapeOp::create(builder, loc, getSizes(builder, loc, result, {axis}),
                          ArrayRef<int64_t>());
    Value begin = pick(op.getBeginValue(), index);
    Value end = pick(op.getEndValue(), index);
    Value step = one;
    if (!takesSize) {
      step = pick(op.getStridesValue(), index);
      Value isRight = NotEqualOp::create(builder, loc, step, zero);
      step = select(isRight, step, one);
      step =
          expect(builder, loc, step, isRight, "expects strides other than 0");
    }
    // Backwards, bounds lie one element further down.
    Value shift =
        castTo(builder, loc, isLess(step, zero), builder.getI64Type());
    Value low = subtract(zero, shift), high = subtract(size, shift);
    auto clamp = [&](Value bound) {
      bound = select(isLess(bound, zero), add(bound, size), bound);
      return min(max(bound, low), max(low, high));
    };
    begin = clamp(begin);
    if (takesSize)
      end = select(isLess(end, zero), size,
                   min(size, add(begin, min(end, size))));
    else
      end = clamp(end);
    // The distance over the step, rounded up.
    Value count = NegativeOp::create(
        builder, loc,
        FloorDivideOp::create(builder, loc, subtract(begin, end), step));
    count = carry(builder, loc, max(count, zero));
    Value numbers = ArangeOp::create(
        builder, loc,
        TypeRange{RankedTensorType::get({ShapedType::kDynamic}, i64)},
        ValueRange{zero, count, one},
        {builder.getNamedAttr("dtype", TypeAttr::get(i64))});
    Value positions =
        add(MultiplyOp::create(builder, loc, numbers, step), begin);
    result = TakeOp::create(builder, loc, result, positions, /*batch_dims=*/0,
                            builder.getI64IntegerAttr(axis), "clip");
  }
  if (result.getType() != op.getType())
    result = AscribeOp::create(builder, loc, op.getType(), result);
  op.replaceAllUsesWith(result);
  op.erase();
}

/// start + step * [0, 1, ...], as many as the machine finds.
static void carryRange(ArangeOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Type element = op.getDtype(), f64 = builder.getF64Type(),
       i64 = builder.getI64Type();
  auto convert = [&](Value value, Type type) {
    return castTo(builder, loc, value, type);
  };
  Value zero = makeNumber(builder, loc, 0), one = makeNumber(builder, loc, 1);
  Value extent = SubtractOp::create(builder, loc, convert(op.getStop(), f64),
                                    convert(op.getStart(), f64));
  Value count = CeilOp::create(
      builder, loc,
      DivideOp::create(builder, loc, extent, convert(op.getStep(), f64)));
  count = MaximumOp::create(builder, loc, convert(count, i64), zero);
  Value isRight = NotEqualOp::create(
      builder, loc, op.getStep(),
      convert(zero, getElementTypeOrSelf(op.getStep().getType())));
  count = expect(builder, loc, count, isRight,
                 "expects a step of arange other than 0");
  Value known = carry(builder, loc, count);
  auto vectorType = RankedTensorType::get({ShapedType::kDynamic}, i64);
  Value numbers = ArangeOp::create(
      builder, loc, TypeRange{vectorType}, ValueRange{zero, known, one},
      {builder.getNamedAttr("dtype", TypeAttr::get(i64))});
  Value steps = MultiplyOp::create(builder, loc, convert(numbers, element),
                                   convert(op.getStep(), element));
  Value result =
      AddOp::create(builder, loc, steps, convert(op.getStart(), element));
  op.replaceAllUsesWith(result);
  op.erase();
}

/// The first rows of what is as long as it may be, as many as the machine
/// finds.
static void carryCounts(ElementSizedOpInterface op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  SmallVector<Value> results, counts;
  op.makeBounded(builder, results, counts);
  auto makeVector = [&](int64_t value) -> Value {
    auto type = RankedTensorType::get({1}, builder.getI64Type());
    return ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type, builder.getI64IntegerAttr(value)));
  };
  Type type = op->getResult(0).getType();
  auto tuple = dyn_cast<TupleType>(type);
  // The machine reads a number once.
  DenseMap<Value, Value> known;
  for (auto [number, entry] :
       llvm::enumerate(llvm::zip_equal(results, counts))) {
    auto &[result, count] = entry;
    if (count) {
      Value &end = known[count];
      if (!end)
        end =
            carry(builder, loc,
                  ReshapeOp::create(builder, loc, count, ArrayRef<int64_t>{1}));
      result = DynStridedSliceOp::create(
          builder, loc, result, makeVector(0), end, makeVector(1),
          DenseI64ArrayAttr(), DenseI64ArrayAttr(), DenseI64ArrayAttr(), "end",
          builder.getDenseI64ArrayAttr(0));
    }
    // Of sizes that are not known the operator may know more.
    Type wanted = tuple ? tuple.getType(number) : type;
    if (result.getType() != wanted)
      result = AscribeOp::create(builder, loc, wanted, result);
  }
  op->getResult(0).replaceAllUsesWith(
      tuple ? TupleOp::create(builder, loc, results).getResult()
            : results.front());
  op.erase();
}

void relay::detail::carrySizes(func::FuncOp function) {
  SmallVector<ElementSizedOpInterface> elementSized;
  function.walk(
      [&](ElementSizedOpInterface op) { elementSized.push_back(op); });
  for (ElementSizedOpInterface op : elementSized)
    carryCounts(op);
  SmallVector<DynStridedSliceOp> byPositions;
  function.walk([&](DynStridedSliceOp op) {
    if (isByPositions(op))
      byPositions.push_back(op);
  });
  for (DynStridedSliceOp op : byPositions)
    carryPositions(op);
  SmallVector<SizeOperandsOpInterface> ops;
  function.walk([&](SizeOperandsOpInterface op) {
    for (unsigned index : op.getSizeOperands())
      if (!isKnown(op->getOperand(index))) {
        ops.push_back(op);
        return;
      }
  });
  for (SizeOperandsOpInterface op : ops) {
    if (auto range = dyn_cast<ArangeOp>(*op)) {
      if (range.getType().isDynamicDim(0))
        carryRange(range);
      continue;
    }
    OpBuilder builder(op);
    for (unsigned index : op.getSizeOperands()) {
      OpOperand &operand = op->getOpOperand(index);
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      // Others have no code, which the compiler tells.
      if (type && type.hasStaticShape() && type.getElementType().isInteger() &&
          !isKnown(operand.get()))
        operand.set(carryOperand(builder, op, operand.get()));
    }
  }
}
