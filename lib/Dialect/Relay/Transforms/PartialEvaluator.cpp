//===- PartialEvaluator.cpp - Values of the program that is made ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartialEvaluator.h"

#include "FoldConstant.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Partial *PartialEvaluator::makeUnknown(Value value) {
  Partial &result = values.emplace_back();
  result.value = value;
  result.time = ++time;
  return &result;
}

Partial *PartialEvaluator::makePlaceholder(Kind kind, Type type, Location loc,
                                           Context &context) {
  auto op = UnrealizedConversionCastOp::create(context.builder, loc,
                                               TypeRange(type), ValueRange());
  Partial *result = makeUnknown(op.getResult(0));
  result->kind = kind;
  placeholders.push_back(result);
  return result;
}

Partial *PartialEvaluator::makeData(SymbolRefAttr constructor, Type type,
                                    ArrayRef<Partial *> fields, Location loc,
                                    Context &context) {
  Partial *result = makePlaceholder(Kind::Data, type, loc, context);
  result->constructor = constructor;
  result->fields.assign(fields.begin(), fields.end());
  return result;
}

Partial *PartialEvaluator::makeFunction(Operation *function, Type type,
                                        Location loc, Context &context) {
  Partial *result = makePlaceholder(Kind::Function, type, loc, context);
  KnownFunction &known = functions.emplace_back();
  known.op = function;
  if (isa<FnOp>(function)) {
    known.activation = context.activation;
    known.types = *context.types;
    known.fuel = context.fuel;
  }
  result->function = &known;
  return result;
}

SmallVector<Partial *> PartialEvaluator::getValues(OperandRange operands,
                                                   Context &context) {
  return llvm::map_to_vector(
      operands, [&](Value value) { return getValue(value, context); });
}

Operation *PartialEvaluator::copy(Operation *op, Context &context) {
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, getValue(operand, context)->value);
  for (Region &region : op->getRegions()) {
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(region, captured);
    for (Value value : captured)
      mapping.map(value, getValue(value, context)->value);
  }
  Operation *result = context.builder.clone(*op, mapping);
  if (!context.types->empty())
    substituteTypesIn(result, *context.types);
  return result;
}

Partial *PartialEvaluator::leave(Operation *op, Context &context) {
  // It may change anything, unless it says that it does not.
  if (!isMemoryEffectFree(op) && !isa<RefCreateOp, RefReadOp, RefWriteOp>(op))
    store.clear();
  Operation *result = copy(op, context);
  return makeUnknown(result->getResult(0));
}

//===----------------------------------------------------------------------===//
// What stands for values
//===----------------------------------------------------------------------===//

Value PartialEvaluator::materializeClosure(Partial *value, FnOp fn,
                                           OpBuilder &builder) {
  KnownFunction &known = *value->function;
  // A type parameter must not take the place of one of the program around.
  TypeSubstitution types = known.types;
  llvm::SetVector<StringAttr> around;
  for (auto &entry : known.types)
    around.set_union(getFreeTypeVars(entry.second));
  SmallVector<StringAttr> params;
  for (StringAttr param : relay::getTypeParams(fn.getResult().getType())) {
    StringAttr name = param;
    for (unsigned i = 1; around.contains(name); ++i)
      name = builder.getStringAttr(param.getValue() + "_" + Twine(i));
    types.erase(param.getValue());
    if (name != param)
      types[param.getValue()] =
          TypeVarType::get(builder.getContext(), name.getValue());
    around.insert(name);
    params.push_back(name);
  }
  auto type = cast<FunctionType>(substituteTypes(fn.getFunctionType(), types));
  auto result =
      FnOp::create(builder, fn.getLoc(), type, fn.getRecursive(), params);
  for (NamedAttribute attr : fn->getDiscardableAttrs())
    result->setAttr(attr.getName(), attr.getValue());
  if (ArrayAttr attrs = fn.getArgAttrsAttr())
    result.setArgAttrsAttr(attrs);

  // When it is called, references may have anything.
  DenseMap<unsigned, Partial *> outer;
  std::swap(outer, store);
  Activation &activation = activations.emplace_back();
  activation.parent = known.activation;
  SmallVector<Partial *> args;
  for (auto [from, to] : llvm::zip_equal(fn.getParams(), result.getParams())) {
    to.setLoc(from.getLoc());
    args.push_back(makeUnknown(to));
    activation.values[from] = args.back();
  }
  if (Value self = fn.getSelf()) {
    Partial *again = makeUnknown(result.getSelf());
    again->kind = Kind::Function;
    again->function = &known;
    activation.values[self] = again;
  }
  FuelFrame &frame =
      frames.emplace_back(FuelFrame{fn, Fuel(value, args), known.fuel});
  Block &body = result.getBody().front();
  unsigned depth = 0;
  for (Operation *op = result; op; op = op->getParentOp())
    ++depth;
  Context context{&activation, &types, &frame, OpBuilder::atBlockEnd(&body),
                  depth};
  Partial *end = evaluateBlock(fn.getBody().front(), context);
  YieldOp::create(context.builder,
                  fn.getBody().front().getTerminator()->getLoc(),
                  ascribe(context.builder, end->value, type.getResult(0)));
  store = std::move(outer);
  return result.getResult();
}

Value PartialEvaluator::materialize(Partial *value, OpBuilder &builder) {
  Location loc = value->value.getLoc();
  SmallVector<Value> fields = llvm::map_to_vector(
      value->fields, [](Partial *field) { return field->value; });
  switch (value->kind) {
  case Kind::Tensor:
    return buildConstant(builder, loc, "evaluated", value->contents);
  case Kind::Tuple:
    return TupleOp::create(builder, loc, fields);
  case Kind::Data:
    return ConstructOp::create(builder, loc, value->getType(),
                               value->constructor, fields);
  case Kind::Function: {
    Operation *op = value->function->op;
    if (auto fn = dyn_cast<FnOp>(op))
      return materializeClosure(value, fn, builder);
    SymbolRefAttr symbol = value->constructor;
    if (auto function = dyn_cast<func::FuncOp>(op))
      symbol = FlatSymbolRefAttr::get(function);
    return GlobalOp::create(builder, loc, value->getType(), symbol);
  }
  case Kind::Unknown:
  case Kind::Reference:
    break;
  }
  llvm_unreachable("others have no placeholders");
}

void PartialEvaluator::makeUsed() {
  // What a value is made of was there before it.
  while (!placeholders.empty()) {
    Partial *value = placeholders.back();
    placeholders.pop_back();
    Value old = value->value;
    Operation *op = old.getDefiningOp();
    if (!old.use_empty()) {
      OpBuilder builder(op);
      value->value = materialize(value, builder);
      old.replaceAllUsesWith(value->value);
    }
    op->erase();
  }
}
