//===- GradientOperations.cpp - What goes back through operators ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HigherOrderGradient.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static Value getField(OpBuilder &builder, Value tuple, int64_t index) {
  if (auto made = tuple.getDefiningOp<TupleOp>())
    return made.getFields()[index];
  return TupleGetItemOp::create(builder, tuple.getLoc(), tuple, index);
}

Value Differentiation::addGradients(OpBuilder &builder, Value value) {
  Type type = value.getType();
  Location loc = value.getLoc();
  if (isFloatTensor(type)) {
    Value cell = RefCreateOp::create(builder, loc, RefType::get(type),
                                     makeZeros(builder, loc, value));
    return TupleOp::create(builder, loc, ValueRange{value, cell});
  }
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple || !hasFloatTensor(type))
    return value;
  SmallVector<Value> fields;
  for (size_t i = 0; i < tuple.size(); ++i)
    fields.push_back(addGradients(builder, getField(builder, value, i)));
  return TupleOp::create(builder, loc, fields);
}

Value Differentiation::getPrimal(OpBuilder &builder, Value value, Type type) {
  if (isFloatTensor(type))
    return getField(builder, value, 0);
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple || !hasFloatTensor(type))
    return value;
  SmallVector<Value> fields;
  for (auto [i, field] : llvm::enumerate(tuple.getTypes()))
    fields.push_back(getPrimal(builder, getField(builder, value, i), field));
  return TupleOp::create(builder, value.getLoc(), fields);
}

SmallVector<Value> Differentiation::getCells(OpBuilder &builder, Value value,
                                             Type type) {
  if (isFloatTensor(type))
    return {getField(builder, value, 1)};
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple)
    return {Value()};
  SmallVector<Value> cells;
  for (auto [i, field] : llvm::enumerate(tuple.getTypes())) {
    if (hasFloatTensor(field))
      cells.append(getCells(builder, getField(builder, value, i), field));
    else
      cells.append(getLeafTypes(field).size(), Value());
  }
  return cells;
}

Value Differentiation::readCell(OpBuilder &builder, Value cell) {
  return RefReadOp::create(builder, cell.getLoc(),
                           cast<RefType>(cell.getType()).getContentType(),
                           cell);
}

void Differentiation::addToCell(OpBuilder &builder, Value cell,
                                Value gradient) {
  Location loc = gradient.getLoc();
  Value sum = AddOp::create(builder, loc, readCell(builder, cell), gradient);
  RefWriteOp::create(builder, loc, TupleType::get(context), cell, sum);
}

//===----------------------------------------------------------------------===//
// Going back
//===----------------------------------------------------------------------===//

Value Differentiation::makeBack(OpBuilder &builder, Location loc) {
  auto fn = FnOp::create(builder, loc, types.getBackFunction());
  OpBuilder inner = OpBuilder::atBlockEnd(&fn.getBody().front());
  YieldOp::create(inner, loc,
                  TupleOp::create(inner, loc, ValueRange()).getResult());
  return RefCreateOp::create(builder, loc, types.getBackType(), fn.getResult());
}

void Differentiation::goBack(OpBuilder &builder, Location loc, Value back) {
  CallIndirectOp::create(builder, loc, TupleType::get(context),
                         readCell(builder, back), ValueRange(),
                         /*arg_attrs=*/ArrayAttr(), /*res_attrs=*/ArrayAttr());
}

LogicalResult Differentiation::pushBack(
    OpBuilder &builder, Location loc, Value back,
    llvm::function_ref<FailureOr<bool>(OpBuilder &)> fill) {
  Value before = readCell(builder, back);
  auto fn = FnOp::create(builder, loc, types.getBackFunction());
  OpBuilder inner = OpBuilder::atBlockEnd(&fn.getBody().front());
  FailureOr<bool> isNeeded = fill(inner);
  Value result =
      CallIndirectOp::create(inner, loc, TupleType::get(context), before,
                             ValueRange(), /*arg_attrs=*/ArrayAttr(),
                             /*res_attrs=*/ArrayAttr());
  YieldOp::create(inner, loc, result);
  if (failed(isNeeded))
    return failure();
  if (*isNeeded) {
    RefWriteOp::create(builder, loc, TupleType::get(context), back,
                       fn.getResult());
  } else {
    fn.erase();
    before.getDefiningOp()->erase();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

LogicalResult Differentiation::convertOperator(Operation *op,
                                               OpBuilder &builder,
                                               IRMapping &mapping, Value back) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(
        getPrimal(builder, mapping.lookup(operand), operand.getType()));
  Operation *primal = builder.clone(*op);
  primal->setOperands(operands);
  Type type = op->getResult(0).getType();
  Value result = addGradients(builder, primal->getResult(0));
  mapping.map(op->getResult(0), result);
  if (!operators.check(op))
    return success();
  return pushBack(
      builder, op->getLoc(), back, [&](OpBuilder &inner) -> FailureOr<bool> {
        SmallVector<Value> gradients;
        for (Value cell : getCells(inner, result, type))
          gradients.push_back(cell ? readCell(inner, cell) : Value());
        FailureOr<SmallVector<Value>> results =
            operators.build(inner, primal, gradients);
        if (failed(results))
          return failure();
        ArrayRef<Value> rest = *results;
        bool isNeeded = false;
        for (Value operand : op->getOperands())
          for (Value cell :
               getCells(inner, mapping.lookup(operand), operand.getType())) {
            Value gradient = rest.consume_front();
            if (!cell || !gradient)
              continue;
            addToCell(inner, cell, gradient);
            isNeeded = true;
          }
        return isNeeded;
      });
}

SmallVector<Operation *>
Differentiation::getSegment(Operation *checkpoint, ArrayRef<Operation *> ops) {
  DenseSet<Operation *> inside = {checkpoint};
  SmallVector<Operation *> segment;
  for (Operation *op : llvm::reverse(ops)) {
    if (op == checkpoint || op->use_empty() || !isOnTensors(op) || !isPure(op))
      continue;
    if (llvm::all_of(op->getUsers(),
                     [&](Operation *user) { return inside.contains(user); })) {
      inside.insert(op);
      segment.push_back(op);
    }
  }
  std::reverse(segment.begin(), segment.end());
  return segment;
}

LogicalResult Differentiation::convertCheckpoint(Operation *op,
                                                 ArrayRef<Operation *> segment,
                                                 OpBuilder &builder,
                                                 IRMapping &mapping,
                                                 Value back) {
  Value operand = op->getOperand(0);
  Type type = operand.getType();
  if (segment.empty()) {
    mapping.map(op->getResult(0), mapping.lookup(operand));
    return success();
  }
  IRMapping primal;
  for (Operation *each : segment) {
    for (Value value : each->getOperands())
      if (!primal.contains(value))
        primal.map(value,
                   getPrimal(builder, mapping.lookup(value), value.getType()));
    builder.clone(*each, primal);
  }
  Value result = addGradients(builder, primal.lookup(operand));
  mapping.map(op->getResult(0), result);
  if (!hasFloatTensor(type))
    return success();
  return pushBack(
      builder, op->getLoc(), back, [&](OpBuilder &inner) -> FailureOr<bool> {
        Value again = makeBack(inner, op->getLoc());
        IRMapping copies(mapping);
        if (failed(convertAll(segment, inner, copies, again)))
          return failure();
        for (auto [from, to] :
             llvm::zip_equal(getCells(inner, result, type),
                             getCells(inner, copies.lookup(operand), type)))
          if (from)
            addToCell(inner, to, readCell(inner, from));
        goBack(inner, op->getLoc(), again);
        return true;
      });
}
