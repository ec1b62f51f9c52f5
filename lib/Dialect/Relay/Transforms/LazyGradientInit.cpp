//===- LazyGradientInit.cpp - Tensors of zeros and ones on demand ---------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "Functional.h"
#include "OperatorGradients.h"

#include "relay-mlir/Dialect/Relay/IR/PassInterfaces.h"

#include "mlir/IR/IRMapping.h"

namespace mlir::relay {
#define GEN_PASS_DEF_LAZYGRADIENTINITPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

static constexpr StringLiteral kCellName = "GradCell";
static constexpr StringLiteral kReadName = "FromGradCell";
static constexpr StringLiteral kAddName = "AddGradCell";
static constexpr StringLiteral kMultiplyName = "MultiplyGradCell";

namespace {

/// Makes cells of the tensors of one function.
class CellConversion {
public:
  explicit CellConversion(MLIRContext *context) : context(context) {}

  LogicalResult run(func::FuncOp function);

private:
  Type convert(Type type);
  ADTType getCellType(Type type) {
    return ADTType::get(FlatSymbolRefAttr::get(context, kCellName), {type});
  }
  Value construct(OpBuilder &builder, StringRef constructor, Value content,
                  Type tensor);
  /// A cell, or a tuple of them, for tensors.
  Value wrap(OpBuilder &builder, Value value);
  /// The tensors; `type` is their type.
  Value unwrap(OpBuilder &builder, Value value, Type type);

  LogicalResult convertBlock(Block &from, OpBuilder &builder,
                             IRMapping &mapping);
  LogicalResult convert(Operation *op, OpBuilder &builder, IRMapping &mapping);
  /// Of operations on tensors, and calls of functions of the module.
  void convertOnTensors(Operation *op, OpBuilder &builder, IRMapping &mapping);
  /// A cell that is known to be of one number.
  void convertFilled(Operation *op, StringRef constructor, OpBuilder &builder,
                     IRMapping &mapping);
  /// A sum or product by a function on cells.
  void convertArithmetic(Operation *op, StringRef function, OpBuilder &builder,
                         IRMapping &mapping);
  LogicalResult convertStructure(Operation *op, OpBuilder &builder,
                                 IRMapping &mapping);

  MLIRContext *context;
  DenseMap<Type, Type> converted;
};

} // namespace

Type CellConversion::convert(Type type) {
  if (Type known = converted.lookup(type))
    return known;
  Type result;
  if (isa<RankedTensorType>(type)) {
    result = getCellType(type);
  } else {
    result = convertParts(type, [&](Type part) { return convert(part); });
  }
  converted[type] = result;
  return result;
}

Value CellConversion::construct(OpBuilder &builder, StringRef constructor,
                                Value content, Type tensor) {
  auto symbol = SymbolRefAttr::get(
      context, kCellName, {FlatSymbolRefAttr::get(context, constructor)});
  return ConstructOp::create(builder, content.getLoc(), getCellType(tensor),
                             symbol, content);
}

Value CellConversion::wrap(OpBuilder &builder, Value value) {
  SmallVector<Value> cells;
  Type type = value.getType();
  for (Value leaf : getLeaves(builder, value))
    cells.push_back(construct(builder, "Raw", leaf, leaf.getType()));
  return makeFromLeaves(builder, value.getLoc(), type, cells);
}

Value CellConversion::unwrap(OpBuilder &builder, Value value, Type type) {
  SmallVector<Value> tensors;
  for (auto [leaf, tensor] :
       llvm::zip_equal(getLeaves(builder, value), getLeafTypes(type)))
    tensors.push_back(
        CallOp::create(builder, value.getLoc(), TypeRange(tensor),
                       FlatSymbolRefAttr::get(context, kReadName), leaf,
                       /*arg_attrs=*/ArrayAttr(), /*res_attrs=*/ArrayAttr())
            .getResult(0));
  return makeFromLeaves(builder, value.getLoc(), type, tensors);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void CellConversion::convertOnTensors(Operation *op, OpBuilder &builder,
                                      IRMapping &mapping) {
  IRMapping tensors;
  for (Value operand : op->getOperands())
    if (!tensors.contains(operand))
      tensors.map(operand,
                  unwrap(builder, mapping.lookup(operand), operand.getType()));
  Operation *result = builder.clone(*op, tensors);
  mapping.map(op->getResult(0), wrap(builder, result->getResult(0)));
}

void CellConversion::convertFilled(Operation *op, StringRef constructor,
                                   OpBuilder &builder, IRMapping &mapping) {
  Type type = op->getResult(0).getType();
  auto fn = FnOp::create(builder, op->getLoc(),
                         FunctionType::get(context, {}, {type}));
  OpBuilder inner = OpBuilder::atBlockEnd(&fn.getBody().front());
  IRMapping tensors;
  for (Value operand : op->getOperands())
    tensors.map(operand,
                unwrap(inner, mapping.lookup(operand), operand.getType()));
  Value value = inner.clone(*op, tensors)->getResult(0);
  YieldOp::create(inner, op->getLoc(), value);
  mapping.map(op->getResult(0),
              construct(builder, constructor, fn.getResult(), type));
}

void CellConversion::convertArithmetic(Operation *op, StringRef function,
                                       OpBuilder &builder, IRMapping &mapping) {
  Type type = op->getResult(0).getType();
  auto fn = FnOp::create(builder, op->getLoc(),
                         FunctionType::get(context, {type, type}, {type}));
  Block &body = fn.getBody().front();
  OpBuilder inner = OpBuilder::atBlockEnd(&body);
  Operation *result = inner.clone(*op);
  result->setOperands(body.getArguments());
  YieldOp::create(inner, op->getLoc(), result->getResult(0));
  SmallVector<Value> operands = {fn.getResult()};
  for (Value operand : op->getOperands())
    operands.push_back(mapping.lookup(operand));
  auto call = CallOp::create(builder, op->getLoc(), TypeRange(convert(type)),
                             FlatSymbolRefAttr::get(context, function),
                             operands, /*arg_attrs=*/ArrayAttr(),
                             /*res_attrs=*/ArrayAttr());
  mapping.map(op->getResult(0), call.getResult(0));
}

LogicalResult CellConversion::convertStructure(Operation *op,
                                               OpBuilder &builder,
                                               IRMapping &mapping) {
  Operation *result = builder.cloneWithoutRegions(*op, mapping);
  for (OpResult each : result->getResults())
    each.setType(convert(each.getType()));
  if (auto types = op->getAttrOfType<ArrayAttr>(kTypeArgsAttrName)) {
    SmallVector<Attribute> args;
    for (auto type : types.getAsRange<TypeAttr>())
      args.push_back(TypeAttr::get(convert(type.getValue())));
    result->setAttr(kTypeArgsAttrName, builder.getArrayAttr(args));
  }
  result->removeAttr(kOperatorAttrName);
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), result->getRegions())) {
    Block &block = to.emplaceBlock();
    IRMapping inner(mapping);
    for (BlockArgument argument : from.front().getArguments())
      inner.map(argument, block.addArgument(convert(argument.getType()),
                                            argument.getLoc()));
    OpBuilder body = OpBuilder::atBlockEnd(&block);
    if (failed(convertBlock(from.front(), body, inner)))
      return failure();
  }
  return success();
}

LogicalResult CellConversion::convert(Operation *op, OpBuilder &builder,
                                      IRMapping &mapping) {
  if (auto filled = dyn_cast<FilledOpInterface>(op)) {
    convertFilled(op, filled.isFilledWithOnes() ? "One" : "Zero", builder,
                  mapping);
    return success();
  }
  // One of another shape would be a result of the wrong shape.
  auto isOfShape = [&](Type type) {
    return type == op->getResult(0).getType() &&
           cast<RankedTensorType>(type).hasStaticShape();
  };
  if (isa<AddOp, MultiplyOp>(op) &&
      llvm::all_of(op->getOperandTypes(), isOfShape)) {
    convertArithmetic(op, isa<AddOp>(op) ? kAddName : kMultiplyName, builder,
                      mapping);
    return success();
  }
  if (auto fn = dyn_cast<FnOp>(op); fn && isClosedUnit(fn))
    return fn.emitOpError("expects functions that are not compiled as they are "
                          "for lazy gradients, but got one; relay-defuse-ops "
                          "makes operators of it");
  if (auto ifOp = dyn_cast<IfOp>(op)) {
    // Branches that read the condition as well read its cell.
    Value condition = unwrap(builder, mapping.lookup(ifOp.getCondition()),
                             ifOp.getCondition().getType());
    if (failed(convertStructure(op, builder, mapping)))
      return failure();
    mapping.lookup(ifOp.getResult())
        .getDefiningOp<IfOp>()
        .getConditionMutable()
        .assign(condition);
    return success();
  }
  auto marker = dyn_cast<GradientOpInterface>(op);
  bool isStructure =
      isa<TupleOp, TupleGetItemOp, LetOp, MatchOp, RefCreateOp, RefReadOp,
          RefWriteOp, ConstructOp, FnOp, CallIndirectOp>(op) ||
      (marker && marker.returnsOperand());
  if (isStructure)
    return convertStructure(op, builder, mapping);
  bool isAscription =
      isa<AscribeOp>(op) && hasTensorsOnly(op->getOperand(0).getType());
  if (!isOnTensors(op) && !isAscription)
    return op->emitOpError("expects functions of the module on tensors, and "
                           "tuples of them, for lazy gradients, but got ")
           << FunctionType::get(context, op->getOperandTypes(),
                                op->getResultTypes())
           << "; relay-partial-evaluate leaves closures only";
  convertOnTensors(op, builder, mapping);
  return success();
}

LogicalResult CellConversion::convertBlock(Block &from, OpBuilder &builder,
                                           IRMapping &mapping) {
  for (Operation &op : from.without_terminator())
    if (failed(convert(&op, builder, mapping)))
      return failure();
  builder.clone(*from.getTerminator(), mapping);
  return success();
}

LogicalResult CellConversion::run(func::FuncOp function) {
  Region result;
  Block &from = function.getBody().front(), &to = result.emplaceBlock();
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(&to);
  IRMapping mapping;
  for (BlockArgument argument : from.getArguments())
    mapping.map(argument, wrap(builder, to.addArgument(argument.getType(),
                                                       argument.getLoc())));
  for (Operation &op : from.without_terminator())
    if (failed(convert(&op, builder, mapping)))
      return failure();
  Operation *end = from.getTerminator();
  Value value = end->getOperand(0);
  func::ReturnOp::create(
      builder, end->getLoc(),
      unwrap(builder, mapping.lookup(value), value.getType()));
  function.getBody().takeBody(result);
  return success();
}

namespace {

struct LazyGradientInitPass
    : relay::impl::LazyGradientInitPassBase<LazyGradientInitPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkPrelude(module)))
      return signalPassFailure();
    for (auto function : module.getOps<func::FuncOp>()) {
      auto hasTensors = [](TypeRange types) {
        return llvm::all_of(types, hasTensorsOnly);
      };
      if (!isOptimizable(function) || function.getNumResults() != 1 ||
          !hasTensors(function.getArgumentTypes()) ||
          !hasTensors(function.getResultTypes()))
        continue;
      if (failed(CellConversion(&getContext()).run(function)))
        return signalPassFailure();
    }
  }

private:
  /// Looks for what gradient.rly defines.
  static LogicalResult checkPrelude(ModuleOp module) {
    for (StringRef name : {kCellName, kReadName, kAddName, kMultiplyName})
      if (!module.lookupSymbol(name)) {
        InFlightDiagnostic diag =
            module.emitError("expects the definitions of gradient.rly for lazy "
                             "gradients, but @")
            << name << " is not there";
        diag.attachNote()
            << "relay.transform.LazyGradientInit of Python imports "
               "them";
        return diag;
      }
    return success();
  }
};

} // namespace
