//===- OperatorGradients.cpp - Gradients of single operations -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorGradients.h"

#include "relay-mlir/Dialect/Relay/IR/PassInterfaces.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

bool relay::hasTensorsOnly(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type))
    return llvm::all_of(tuple.getTypes(), hasTensorsOnly);
  return isa<RankedTensorType>(type);
}

bool relay::isFloatTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa<FloatType>(tensor.getElementType());
}

bool relay::isOnTensors(Operation *op) {
  return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
         hasTensorsOnly(op->getResult(0).getType()) &&
         llvm::all_of(op->getOperandTypes(), hasTensorsOnly) &&
         !isa<LetOp, AscribeOp, CallIndirectOp>(op);
}

bool relay::hasFloatTensor(Type type) {
  return llvm::any_of(getLeafTypes(type), isFloatTensor);
}

Value relay::makeZeros(OpBuilder &builder, Location loc, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  if (type.hasStaticShape())
    return ZerosOp::create(builder, loc, type.getShape(),
                           type.getElementType());
  return ZerosLikeOp::create(builder, loc, like);
}

Value relay::makeOnes(OpBuilder &builder, Location loc, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  if (type.hasStaticShape())
    return OnesOp::create(builder, loc, type.getShape(), type.getElementType());
  return OnesLikeOp::create(builder, loc, like);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

LogicalResult relay::checkDifferentiable(func::FuncOp function) {
  if (function.isExternal() || !llvm::hasSingleElement(function.getBody()))
    return function.emitError(
        "expects a function with a body of one block to differentiate");
  if (function->hasAttr(kTypeParamsAttrName))
    return function.emitError("expects a function without type parameters to "
                              "differentiate, but got ")
           << function->getAttr(kTypeParamsAttrName);
  if (function.getNumResults() != 1)
    return function.emitError("expects a function of one result to "
                              "differentiate, but got ")
           << function.getNumResults();
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    if (!hasTensorsOnly(type))
      return function.emitError("expects tensors and tuples of them for "
                                "parameters of a function to differentiate, "
                                "but got ")
             << type << " for parameter " << i;
  Type result = function.getResultTypes().front();
  if (!hasTensorsOnly(result))
    return function.emitError("expects a tensor or a tuple of them for the "
                              "result of a function to differentiate, but got ")
           << result;
  if (!hasFloatTensor(result))
    return function.emitError("expects a result with floats to differentiate, "
                              "but got ")
           << result;
  return success();
}

FunctionType relay::getGradientType(FunctionType type) {
  MLIRContext *context = type.getContext();
  Type gradients = TupleType::get(context, type.getInputs());
  return FunctionType::get(
      context, type.getInputs(),
      {TupleType::get(context, {type.getResult(0), gradients})});
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

bool OperatorGradients::isMarker(Operation *op) {
  auto interface = dyn_cast<GradientOpInterface>(op);
  return interface && interface.returnsOperand();
}

StringAttr OperatorGradients::getGradientOfCallee(Operation *op) {
  auto call = dyn_cast<CallOp>(op);
  if (!call)
    return nullptr;
  auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
  auto attrs = callee
                   ? callee->getAttrOfType<DictionaryAttr>(kTextAttrsAttrName)
                   : DictionaryAttr();
  return attrs ? attrs.getAs<StringAttr>(kPrimalGradientAttrName)
               : StringAttr();
}

bool OperatorGradients::check(Operation *op) {
  auto hasFloats = [](TypeRange types) {
    return llvm::any_of(types, hasFloatTensor);
  };
  if (!hasFloats(op->getOperandTypes()) || !hasFloats(op->getResultTypes()))
    return false;
  if (isa<GradientOpInterface>(op) || getGradientOfCallee(op))
    return true;
  missing.insert(op);
  return false;
}

LogicalResult OperatorGradients::report() {
  if (missing.empty())
    return success();
  auto getName = [](Operation *op) {
    if (auto apply = dyn_cast<ApplyOp>(op))
      return apply.getName();
    return op->getName().getStringRef();
  };
  llvm::SetVector<StringRef> names;
  for (Operation *op : missing)
    names.insert(getName(op));
  InFlightDiagnostic diag = missing.front()->emitError(
      "expects operators whose gradients are known, but got ");
  llvm::interleave(
      names, [&](StringRef name) { diag << '\'' << name << '\''; },
      [&] { diag << ", "; });
  for (Operation *op : ArrayRef(missing.getArrayRef()).drop_front())
    diag.attachNote(op->getLoc()) << "'" << getName(op) << "' is here";
  diag.attachNote() << "an operator tells its gradient by GradientOpInterface, "
                       "a function by the attribute FPrimalGradient (in "
                       "Python, relay.op.register_gradient)";
  return diag;
}

FailureOr<SmallVector<Value>>
OperatorGradients::build(OpBuilder &builder, Operation *op,
                         ArrayRef<Value> gradients) {
  // Null for each leaf of `operands`.
  auto addNone = [](SmallVector<Value> results, OperandRange operands) {
    for (Value operand : operands)
      results.append(getLeafTypes(operand.getType()).size(), Value());
    return results;
  };
  if (isMarker(op))
    return addNone(SmallVector<Value>(gradients),
                   op->getOperands().drop_front());
  // Nothing follows from a result without elements, whatever its formula says.
  if (llvm::all_of(getLeafTypes(op->getResult(0).getType()), [](Type type) {
        auto tensor = cast<RankedTensorType>(type);
        return tensor.hasStaticShape() && tensor.getNumElements() == 0;
      }))
    return addNone({}, op->getOperands());
  // Nothing is left open but what has no gradient at all.
  SmallVector<Value> complete(gradients);
  SmallVector<Value> leaves;
  for (auto [i, type] :
       llvm::enumerate(getLeafTypes(op->getResult(0).getType()))) {
    if (complete[i] || !isFloatTensor(type))
      continue;
    if (leaves.empty())
      leaves = getLeaves(builder, op->getResult(0));
    complete[i] = makeZeros(builder, op->getLoc(), leaves[i]);
  }
  if (StringAttr function = getGradientOfCallee(op))
    return buildByFunction(builder, op, function, complete);
  SmallVector<Value> results(op->getNumOperands());
  auto interface = cast<GradientOpInterface>(op);
  if (failed(interface.buildGradients(builder, complete, results)))
    return failure();
  for (auto [i, result] : llvm::enumerate(results))
    if (result && result.getType() != op->getOperand(i).getType())
      return op->emitOpError("expects a gradient of type ")
             << op->getOperand(i).getType() << " for operand " << i
             << ", but its gradient is of type " << result.getType();
  return results;
}

FailureOr<SmallVector<Value>>
OperatorGradients::buildByFunction(OpBuilder &builder, Operation *op,
                                   StringAttr function,
                                   ArrayRef<Value> gradients) {
  Location loc = op->getLoc();
  Value result = op->getResult(0);
  SmallVector<Value> complete(gradients), leaves;
  for (auto [i, gradient] : llvm::enumerate(complete)) {
    if (gradient)
      continue;
    if (leaves.empty())
      leaves = getLeaves(builder, result);
    gradient = makeZeros(builder, loc, leaves[i]);
  }
  SmallVector<Value> operands(op->getOperands());
  operands.push_back(result);
  operands.push_back(makeFromLeaves(builder, loc, result.getType(), complete));
  Type type = TupleType::get(op->getContext(), op->getOperandTypes());
  auto callee = symbols.lookup<func::FuncOp>(function);
  FunctionType expected = FunctionType::get(
      op->getContext(), ValueRange(operands).getTypes(), {type});
  if (!callee)
    return op->emitOpError("expects a function @")
           << function.getValue()
           << ", the gradient of the one that it calls, but there is none";
  if (callee.getFunctionType() != expected)
    return op->emitOpError("expects the gradient @")
           << function.getValue() << " to be of type " << expected
           << ", but it is of type " << callee.getFunctionType();
  auto call = CallOp::create(builder, loc, TypeRange(type),
                             FlatSymbolRefAttr::get(function), operands,
                             /*arg_attrs=*/ArrayAttr(),
                             /*res_attrs=*/ArrayAttr());
  SmallVector<Value> results = getLeaves(builder, call.getResult(0));
  for (Value &value : results)
    if (!isFloatTensor(value.getType()))
      value = nullptr;
  return results;
}
