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

/// Sizes for 0, which stands for the size of the data, and for a single -1,
/// which stands for what is left. Other codes stay, and are no sizes.
static Value resolveCodes(OpBuilder &builder, DynReshapeOp op, Value codes) {
  Location loc = op.getLoc();
  Value data = op.getData();
  auto dataType = cast<RankedTensorType>(data.getType());
  auto type = cast<RankedTensorType>(codes.getType());
  codes = castTo(builder, loc, codes, builder.getI64Type());
  Value one = makeNumber(builder, loc, 1);
  auto multiplyAll = [&](Value numbers) -> Value {
    return ProdOp::create(builder, loc, numbers, DenseI64ArrayAttr(),
                          /*keepdims=*/false, /*exclude=*/false);
  };
  auto isEqual = [&](Value lhs, int64_t rhs) -> Value {
    return EqualOp::create(builder, loc, lhs, makeNumber(builder, loc, rhs));
  };
  int64_t rank = dataType.getRank(), count = type.getNumElements();
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  Value sizes = getSizes(builder, loc, data, all);
  Value factors = codes;
  if (!op.getAllowzero() && rank != 0 && count != 0) {
    // The first `to` of `from` numbers; behind the last one there is none to
    // copy.
    auto select = [&](Value numbers, int64_t from, int64_t to) -> Value {
      SmallVector<int64_t> indices, isThere;
      for (int64_t dim = 0; dim < to; ++dim) {
        indices.push_back(std::min(dim, from - 1));
        isThere.push_back(dim < from);
      }
      auto vector = RankedTensorType::get({to}, builder.getI64Type());
      auto makeInts = [&](ArrayRef<int64_t> values) -> Value {
        return ConstantOp::create(builder, loc,
                                  DenseElementsAttr::get(vector, values));
      };
      Value taken = TakeOp::create(builder, loc, numbers, makeInts(indices),
                                   /*batch_dims=*/0,
                                   builder.getI64IntegerAttr(0), "wrap");
      return MultiplyOp::create(builder, loc, taken, makeInts(isThere));
    };
    Value isCopied =
        castTo(builder, loc, isEqual(codes, 0), builder.getI64Type());
    codes = WhereOp::create(builder, loc, isEqual(codes, 0),
                            select(sizes, rank, count), codes);
    // What is copied says nothing of the rest, also where it is 0.
    factors = WhereOp::create(builder, loc, isEqual(isCopied, 1), one, codes);
    sizes = WhereOp::create(
        builder, loc, isEqual(select(isCopied, count, rank), 1), one, sizes);
  }
  Value isRest = isEqual(codes, -1);
  Value known =
      multiplyAll(WhereOp::create(builder, loc, isRest, one, factors));
  Value total = multiplyAll(sizes);
  Value rest = DivideOp::create(builder, loc, total, known);
  Value number = SumOp::create(
      builder, loc, castTo(builder, loc, isRest, builder.getI64Type()),
      DenseI64ArrayAttr(), /*keepdims=*/false, /*exclude=*/false);
  Value isSingle = isEqual(number, 1);
  return WhereOp::create(builder, loc,
                         LogicalAndOp::create(builder, loc, isRest, isSingle),
                         rest, codes);
}

/// `number`, of which `isRight` has to hold when the machine takes it for a
/// size.
static Value expect(OpBuilder &builder, Location loc, Value number,
                    Value isRight, StringRef what) {
  return AssertOp::create(
      builder, loc, TypeRange{number.getType()}, ValueRange{number, isRight},
      {builder.getNamedAttr("message", builder.getStringAttr(what))});
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
