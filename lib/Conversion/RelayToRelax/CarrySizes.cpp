//===- CarrySizes.cpp - Sizes that elements decide ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CarrySizes.h"

#include "relay-mlir/Dialect/Relay/Analysis/SizeComputations.h"
#include "relay-mlir/Dialect/Relay/IR/PassInterfaces.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/TensorFunctions.h"

using namespace mlir;
using namespace mlir::relay;

bool relay::detail::isSizedOnly(Value value) {
  auto call = value.getDefiningOp<CallOp>();
  return call && call.getCallee().starts_with(relay::detail::kBuiltinPrefix);
}

/// The function of the machine that takes sizes of `type`.
static FlatSymbolRefAttr getBuiltin(ModuleOp module, RankedTensorType type,
                                    RankedTensorType result) {
  std::string name = (relay::detail::kBuiltinPrefix + "make_sized").str();
  // The machine has one for all types.
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

static bool isKnown(Value value) {
  return getSizeComputation(value).has_value();
}

/// start + step * [0, 1, ...], as many as the machine finds.
static void carryRange(ArangeOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Type element = op.getDtype(), f64 = builder.getF64Type(),
       i64 = builder.getI64Type();
  auto castTo = [&](Value value, Type type) -> Value {
    if (getElementTypeOrSelf(value.getType()) == type)
      return value;
    return CastOp::create(builder, loc, value, type);
  };
  auto scalarType = RankedTensorType::get({}, i64);
  auto makeConstant = [&](int64_t value) -> Value {
    return ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(scalarType, builder.getI64IntegerAttr(value)));
  };
  Value extent = SubtractOp::create(builder, loc, castTo(op.getStop(), f64),
                                    castTo(op.getStart(), f64));
  Value count = CeilOp::create(
      builder, loc,
      DivideOp::create(builder, loc, extent, castTo(op.getStep(), f64)));
  count = MaximumOp::create(builder, loc, castTo(count, i64), makeConstant(0));
  Value known = carry(builder, loc, count);
  auto vectorType = RankedTensorType::get({ShapedType::kDynamic}, i64);
  Value numbers =
      ArangeOp::create(builder, loc, TypeRange{vectorType},
                       ValueRange{makeConstant(0), known, makeConstant(1)},
                       {builder.getNamedAttr("dtype", TypeAttr::get(i64))});
  Value steps = MultiplyOp::create(builder, loc, castTo(numbers, element),
                                   castTo(op.getStep(), element));
  Value result =
      AddOp::create(builder, loc, steps, castTo(op.getStart(), element));
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
      if (type && type.getRank() <= 1 && type.hasStaticShape() &&
          type.getElementType().isInteger() && !isKnown(operand.get()))
        operand.set(carry(builder, op->getLoc(), operand.get()));
    }
  }
}
