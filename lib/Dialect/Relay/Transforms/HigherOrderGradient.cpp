//===- HigherOrderGradient.cpp - Gradients of any construct ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HigherOrderGradient.h"

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "Functional.h"

#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"

#include "mlir/Pass/PassManager.h"

namespace mlir::relay {
#define GEN_PASS_DEF_GRADIENTPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Other operations
//===----------------------------------------------------------------------===//

Attribute Differentiation::convertTypeArgs(Attribute attr) {
  SmallVector<Attribute> result;
  for (auto type : cast<ArrayAttr>(attr).getAsRange<TypeAttr>())
    result.push_back(TypeAttr::get(types.convert(type.getValue())));
  return ArrayAttr::get(context, result);
}

LogicalResult Differentiation::convertClosure(FnOp fn, OpBuilder &builder,
                                              IRMapping &mapping) {
  if (isClosedUnit(fn))
    return fn.emitOpError("expects functions that are not compiled as they are "
                          "for a gradient, but got one; relay-defuse-ops makes "
                          "operators of it");
  auto result = FnOp::create(
      builder, fn.getLoc(), types.convertFunction(fn.getFunctionType()),
      fn.getRecursive(), relay::getTypeParams(fn.getResult().getType()));
  copyFunctionAttrs(fn, result);
  if (ArrayAttr attrs = fn.getArgAttrsAttr()) {
    SmallVector<Attribute> names(attrs.begin(), attrs.end());
    llvm::append_range(names, getParamNames(context, {"back"}));
    result.setArgAttrsAttr(builder.getArrayAttr(names));
  }
  Block &from = fn.getBody().front(), &to = result.getBody().front();
  IRMapping inner(mapping);
  for (auto [argument, other] :
       llvm::zip_first(from.getArguments(), to.getArguments()))
    inner.map(argument, other);
  mapping.map(fn.getResult(), result.getResult());
  OpBuilder body = OpBuilder::atBlockEnd(&to);
  return convertBlock(from, to, body, inner, result.getParams().back());
}

LogicalResult Differentiation::convertCall(Operation *op, OpBuilder &builder,
                                           IRMapping &mapping, Value back) {
  SmallVector<Value> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value value) { return mapping.lookup(value); });
  operands.push_back(back);
  Type type = types.convert(op->getResult(0).getType());
  Operation *result;
  if (auto call = dyn_cast<CallOp>(op)) {
    FailureOr<func::FuncOp> callee =
        getCallee(op, call.getCalleeAttr().getAttr());
    if (failed(callee))
      return failure();
    result = CallOp::create(builder, op->getLoc(), TypeRange(type),
                            FlatSymbolRefAttr::get(*callee), operands,
                            /*arg_attrs=*/ArrayAttr(),
                            /*res_attrs=*/ArrayAttr());
  } else {
    result = CallIndirectOp::create(
        builder, op->getLoc(), type, operands.front(),
        ArrayRef(operands).drop_front(), /*arg_attrs=*/ArrayAttr(),
        /*res_attrs=*/ArrayAttr());
  }
  if (Attribute attr = op->getAttr(kTypeArgsAttrName))
    result->setAttr(kTypeArgsAttrName, convertTypeArgs(attr));
  mapping.map(op->getResult(0), result->getResult(0));
  return success();
}

LogicalResult Differentiation::convertStructure(Operation *op,
                                                OpBuilder &builder,
                                                IRMapping &mapping,
                                                Value back) {
  Operation *result = builder.cloneWithoutRegions(*op, mapping);
  for (OpResult each : result->getResults())
    each.setType(types.convert(each.getType()));
  if (Attribute attr = op->getAttr(kTypeArgsAttrName))
    result->setAttr(kTypeArgsAttrName, convertTypeArgs(attr));
  if (auto construct = dyn_cast<ConstructOp>(result))
    construct.setConstructorAttr(types.convert(construct.getConstructor()));
  if (auto match = dyn_cast<MatchOp>(result)) {
    SmallVector<Attribute> patterns =
        llvm::map_to_vector(match.getPatterns(), [&](Attribute pattern) {
          return types.convertPattern(pattern);
        });
    match.setPatternsAttr(builder.getArrayAttr(patterns));
  }
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), result->getRegions())) {
    Block &block = to.emplaceBlock();
    IRMapping inner(mapping);
    for (BlockArgument argument : from.front().getArguments())
      inner.map(argument, block.addArgument(types.convert(argument.getType()),
                                            argument.getLoc()));
    OpBuilder body = OpBuilder::atBlockEnd(&block);
    if (failed(convertBlock(from.front(), block, body, inner, back)))
      return failure();
  }
  return success();
}

LogicalResult Differentiation::convert(Operation *op, OpBuilder &builder,
                                       IRMapping &mapping, Value back) {
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    mapping.map(constant.getResult(),
                addGradients(builder, builder.clone(*op)->getResult(0)));
    return success();
  }
  if (auto fn = dyn_cast<FnOp>(op))
    return convertClosure(fn, builder, mapping);
  if (auto global = dyn_cast<GlobalOp>(op)) {
    FailureOr<func::FuncOp> callee =
        getCallee(op, global.getSymbol().getRootReference());
    if (failed(callee))
      return failure();
    auto result = GlobalOp::create(builder, op->getLoc(),
                                   types.convert(global.getResult().getType()),
                                   FlatSymbolRefAttr::get(*callee));
    mapping.map(global.getResult(), result.getResult());
    return success();
  }
  if (isa<CallOp, CallIndirectOp>(op) && !operators.getGradientOfCallee(op)) {
    if (op->getNumResults() != 1)
      return op->emitOpError("expects calls of one result for a gradient, but "
                             "got ")
             << op->getNumResults() << " results";
    return convertCall(op, builder, mapping, back);
  }
  bool isStructure =
      isa<TupleOp, TupleGetItemOp, LetOp, AscribeOp, IfOp, MatchOp, RefCreateOp,
          RefReadOp, RefWriteOp, ConstructOp>(op) ||
      OperatorGradients::isMarker(op);
  if (isStructure)
    return convertStructure(op, builder, mapping, back);
  if (isOnTensors(op))
    return convertOperator(op, builder, mapping, back);
  return op->emitOpError("expects operators on tensors, and constructs of "
                         "Relay, for a gradient");
}

LogicalResult Differentiation::convertAll(ArrayRef<Operation *> ops,
                                          OpBuilder &builder,
                                          IRMapping &mapping, Value back) {
  // A checkpoint before another one may be a part of it.
  DenseSet<Operation *> inSegment;
  DenseMap<Operation *, SmallVector<Operation *>> segments;
  for (Operation *op : llvm::reverse(ops)) {
    if (!isa<AnnotationCheckpointOp>(op) || !isOnTensors(op) ||
        inSegment.contains(op))
      continue;
    segments[op] = getSegment(op, ops);
    inSegment.insert_range(segments[op]);
  }
  for (Operation *op : ops) {
    if (inSegment.contains(op))
      continue;
    auto it = segments.find(op);
    LogicalResult result =
        it != segments.end()
            ? convertCheckpoint(op, it->second, builder, mapping, back)
            : convert(op, builder, mapping, back);
    if (failed(result))
      return failure();
  }
  return success();
}

LogicalResult Differentiation::convertBlock(Block &from, Block &to,
                                            OpBuilder &builder,
                                            IRMapping &mapping, Value back) {
  SmallVector<Operation *> ops = llvm::map_to_vector(
      from.without_terminator(), [](Operation &op) { return &op; });
  if (failed(convertAll(ops, builder, mapping, back)))
    return failure();
  builder.clone(*from.getTerminator(), mapping);
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

FailureOr<func::FuncOp> Differentiation::getCallee(Operation *op,
                                                   StringAttr name) {
  auto function = symbols.lookup<func::FuncOp>(name);
  if (!function || !isOptimizable(function) || function.getNumResults() != 1)
    return op->emitOpError("expects functions with a body of one block and one "
                           "result, that are not compiled as they are, for a "
                           "gradient, but got @")
           << name.getValue();
  func::FuncOp &result = callees[function];
  if (result)
    return result;
  result =
      func::FuncOp::create(function.getLoc(), (name.getValue() + "_grad").str(),
                           types.convertFunction(function.getFunctionType()));
  for (NamedAttribute attr : function->getDiscardableAttrs())
    result->setAttr(attr.getName(), attr.getValue());
  for (unsigned i = 0, end = function.getNumArguments(); i != end; ++i)
    result.setArgAttrs(i, function.getArgAttrDict(i));
  result.setArgAttr(function.getNumArguments(), kNameAttrName,
                    StringAttr::get(context, "back"));
  result.setPrivate();
  symbols.insert(result, module.getBody()->end());
  return result;
}

LogicalResult Differentiation::convertCallee(func::FuncOp function,
                                             func::FuncOp result) {
  Block *to = result.addEntryBlock();
  Block &from = function.getBody().front();
  IRMapping mapping;
  for (auto [argument, other] :
       llvm::zip_first(from.getArguments(), to->getArguments()))
    mapping.map(argument, other);
  OpBuilder builder = OpBuilder::atBlockEnd(to);
  return convertBlock(from, *to, builder, mapping, to->getArguments().back());
}

LogicalResult Differentiation::convertEntry(func::FuncOp function,
                                            Region &result) {
  Block &from = function.getBody().front();
  Block &to = result.emplaceBlock();
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(&to);
  IRMapping mapping;
  for (BlockArgument argument : from.getArguments())
    mapping.map(argument,
                addGradients(builder, to.addArgument(argument.getType(),
                                                     argument.getLoc())));
  Value back = makeBack(builder, function.getLoc());
  SmallVector<Operation *> ops = llvm::map_to_vector(
      from.without_terminator(), [](Operation &op) { return &op; });
  if (failed(convertAll(ops, builder, mapping, back)))
    return failure();
  Operation *end = from.getTerminator();
  Location loc = end->getLoc();
  Type type = end->getOperand(0).getType();
  Value value = mapping.lookup(end->getOperand(0));
  for (Value cell : getCells(builder, value, type))
    if (cell)
      addToCell(builder, cell, makeOnes(builder, loc, readCell(builder, cell)));
  goBack(builder, loc, back);
  SmallVector<Value> gradients;
  for (BlockArgument argument : from.getArguments()) {
    Value param = to.getArgument(argument.getArgNumber());
    SmallVector<Value> leaves;
    for (auto [cell, leaf] : llvm::zip_equal(
             getCells(builder, mapping.lookup(argument), argument.getType()),
             getLeaves(builder, param)))
      leaves.push_back(cell ? readCell(builder, cell)
                            : makeZeros(builder, loc, leaf));
    gradients.push_back(
        makeFromLeaves(builder, loc, argument.getType(), leaves));
  }
  Value tuple = TupleOp::create(builder, loc, gradients);
  Value both = TupleOp::create(
      builder, loc, ValueRange{getPrimal(builder, value, type), tuple});
  func::ReturnOp::create(builder, loc, both);
  return success();
}

void Differentiation::replace(func::FuncOp function, Region &body) {
  // Whoever calls it means what it was.
  func::FuncOp value = function.clone();
  function.getBody().takeBody(body);
  function.setFunctionType(getGradientType(function.getFunctionType()));
  function.removeResAttrsAttr();
  if (SymbolTable::symbolKnownUseEmpty(function, module)) {
    value.erase();
    return;
  }
  value.setPrivate();
  value.setSymName((function.getSymName() + "_value").str());
  symbols.insert(value, std::next(function->getIterator()));
  (void)SymbolTable::replaceAllSymbolUses(function, value.getSymNameAttr(),
                                          module);
}

LogicalResult Differentiation::run(ArrayRef<std::string> entries) {
  SmallVector<func::FuncOp> functions;
  for (const std::string &name : entries) {
    auto function = symbols.lookup<func::FuncOp>(name);
    if (!function)
      return module.emitError("expects the name of a function of the module, "
                              "but got '@")
             << name << "'";
    if (failed(checkDifferentiable(function)))
      return failure();
    functions.push_back(function);
  }
  // Those that are called are made from what entries were before.
  std::vector<Region> bodies(functions.size());
  for (auto [function, body] : llvm::zip_equal(functions, bodies))
    if (failed(convertEntry(function, body)))
      return failure();
  for (size_t i = 0; i != callees.size(); ++i) {
    auto [function, result] = *std::next(callees.begin(), i);
    if (failed(convertCallee(cast<func::FuncOp>(function), result)))
      return failure();
  }
  if (failed(operators.report()))
    return failure();
  for (auto [function, body] : llvm::zip_equal(functions, bodies))
    replace(function, body);
  types.removeUnused();
  return success();
}

namespace {

struct GradientPass : relay::impl::GradientPassBase<GradientPass> {
  using GradientPassBase::GradientPassBase;

  void runOnOperation() override {
    // Constructors as values take nothing that goes back.
    OpPassManager expand(ModuleOp::getOperationName());
    expand.addPass(createEtaExpandPass({true, false}));
    if (failed(runPipeline(expand, getOperation())))
      return signalPassFailure();
    SmallVector<std::string> names(entries.begin(), entries.end());
    if (names.empty())
      names.push_back("main");
    if (failed(Differentiation(getOperation()).run(names)))
      signalPassFailure();
  }
};

} // namespace
