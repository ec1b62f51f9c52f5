//===- PartialEvaluate.cpp - Run what is known ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates the functions of a module on parameters that are not known, and
// makes the operations that are left to do. Known closures are called, known
// conditions and data decide, operators of known tensors are computed, and what
// is in a known reference is known until something unknown may change it.
//
// Evaluation comes to an end because a function is called inside of a call of
// itself only as long as its arguments get smaller (Fuel), and because there is
// a limit on how many operations are evaluated in calls. Where either says no,
// the call is left to do.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"
#include "relay-mlir/Support/PassOptions.h"
#include "relay-mlir/Support/SilentDiagnostics.h"

#include "FoldConstant.h"
#include "PartialEvaluator.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::relay {
#define GEN_PASS_DEF_PARTIALEVALUATEPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// Calls are evaluated by recursion, and branches of evaluated calls are
/// nested.
static constexpr unsigned kMaxDepth = 400;

/// A result may be so much larger than the operands of an operator.
static constexpr int64_t kMaxGrowth = int64_t(1) << 20;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Partial *PartialEvaluator::evaluateOperator(Operation *op, Context &context) {
  if (op->getNumOperands() == 0 || op->getNumResults() != 1 ||
      op->getNumRegions() || !isPure(op) || !interpreter.canEvaluate(op))
    return leave(op, context);
  SmallVector<InterpreterValue> operands;
  int64_t limit = kMaxGrowth;
  for (Partial *operand : getValues(op->getOperands(), context)) {
    if (operand->kind != Kind::Tensor)
      return leave(op, context);
    operands.push_back(operand->contents);
    limit +=
        getSizeInBytes(operand->contents.getType(op->getContext())).value_or(0);
  }
  Operation *made = copy(op, context);
  InterpreterValue result;
  std::optional<int64_t> size = getSizeInBytes(made->getResult(0).getType());
  if (size.value_or(0) > limit ||
      failed(interpreter.evaluateOp(made, operands, result)) ||
      !result.isTensor() ||
      getSizeInBytes(result.getType(op->getContext())).value_or(0) > limit)
    return makeUnknown(made->getResult(0));
  Partial *value = makePlaceholder(
      Kind::Tensor, result.getType(op->getContext()), op->getLoc(), context);
  value->contents = std::move(result);
  made->erase();
  return value;
}

Partial *PartialEvaluator::evaluateAscribe(AscribeOp op, Context &context) {
  Partial *value = getValue(op.getValue(), context);
  Type type = context.getType(op.getType());
  if (value->getType() == type)
    return value;
  auto made =
      AscribeOp::create(context.builder, op.getLoc(), type, value->value);
  // A tensor that is of another size is an error at run time.
  if (value->kind == Kind::Tensor &&
      !areCompatible(type, value->contents.getType(op.getContext())))
    return makeUnknown(made.getResult());
  Partial &result = values.emplace_back(*value);
  result.value = made.getResult();
  return &result;
}

Partial *PartialEvaluator::evaluateWrite(RefWriteOp op, Context &context) {
  Partial *reference = getValue(op.getRef(), context);
  Partial *result = leave(op, context);
  // One that is not known may be any.
  if (reference->kind == Kind::Reference)
    store[reference->reference] = getValue(op.getValue(), context);
  else
    store.clear();
  result->kind = Kind::Tuple;
  return result;
}

Partial *PartialEvaluator::evaluate(Operation *op, Context &context) {
  if (auto let = dyn_cast<LetOp>(op);
      let && !let->hasAttr(kVirtualDeviceAttrName))
    return getValue(let.getValue(), context);
  if (auto ascribe = dyn_cast<AscribeOp>(op))
    return evaluateAscribe(ascribe, context);
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    Partial *result = leave(op, context);
    if (succeeded(interpreter.evaluateOp(constant, {}, result->contents)))
      result->kind = Kind::Tensor;
    return result;
  }
  if (auto tuple = dyn_cast<TupleOp>(op)) {
    SmallVector<Partial *> fields = getValues(tuple.getFields(), context);
    auto types = llvm::map_to_vector(
        fields, [](Partial *field) { return field->getType(); });
    Partial *result =
        makePlaceholder(Kind::Tuple, TupleType::get(op->getContext(), types),
                        op->getLoc(), context);
    result->fields = std::move(fields);
    return result;
  }
  if (auto item = dyn_cast<TupleGetItemOp>(op)) {
    Partial *tuple = getValue(item.getTuple(), context);
    return tuple->kind == Kind::Tuple ? tuple->fields[item.getIndex()]
                                      : leave(op, context);
  }
  if (auto construct = dyn_cast<ConstructOp>(op))
    return makeData(construct.getConstructor(),
                    context.getType(construct.getResult().getType()),
                    getValues(construct.getFields(), context), op->getLoc(),
                    context);
  if (auto fn = dyn_cast<FnOp>(op)) {
    if (isClosedUnit(fn))
      return leave(op, context);
    return makeFunction(fn, context.getType(fn.getResult().getType()),
                        op->getLoc(), context);
  }
  if (auto global = dyn_cast<GlobalOp>(op)) {
    Operation *symbol = symbols.lookup(global.getSymbol().getRootReference());
    auto function = dyn_cast_if_present<func::FuncOp>(symbol);
    if (!symbol || (function && !isOptimizable(function)))
      return leave(op, context);
    Partial *result =
        makeFunction(symbol, context.getType(global.getResult().getType()),
                     op->getLoc(), context);
    result->constructor = global.getSymbol();
    return result;
  }
  if (auto call = dyn_cast<CallOp>(op)) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || !isOptimizable(callee) || op->getNumResults() != 1)
      return leave(op, context);
    KnownFunction function{callee};
    if (Partial *result = this->call(
            &function, nullptr, context.getType(op->getResult(0).getType()),
            getValues(call.getOperands(), context), context))
      return result;
    return leave(op, context);
  }
  if (auto call = dyn_cast<CallIndirectOp>(op)) {
    Partial *callee = getValue(call.getCallee(), context);
    Type type = context.getType(call.getResult().getType());
    if (callee->kind == Kind::Function && isa<ADTOp>(callee->function->op))
      return makeData(callee->constructor, type,
                      getValues(call.getArgs(), context), op->getLoc(),
                      context);
    if (callee->kind == Kind::Function)
      if (Partial *result =
              this->call(callee->function, callee, type,
                         getValues(call.getArgs(), context), context))
        return result;
    return leave(op, context);
  }
  if (auto create = dyn_cast<RefCreateOp>(op)) {
    Partial *result = leave(op, context);
    result->kind = Kind::Reference;
    result->reference = numReferences++;
    store[result->reference] = getValue(create.getValue(), context);
    return result;
  }
  if (auto read = dyn_cast<RefReadOp>(op)) {
    Partial *reference = getValue(read.getRef(), context);
    if (reference->kind == Kind::Reference)
      if (Partial *known = store.lookup(reference->reference))
        return known;
    return leave(op, context);
  }
  if (auto write = dyn_cast<RefWriteOp>(op))
    return evaluateWrite(write, context);
  if (auto ifOp = dyn_cast<IfOp>(op))
    return evaluateIf(ifOp, context);
  if (auto match = dyn_cast<MatchOp>(op))
    return evaluateMatch(match, context);
  return evaluateOperator(op, context);
}

Partial *PartialEvaluator::evaluateBlock(Block &block, Context &context) {
  // Branches that nothing chooses count with all that they have.
  if (context.fuel->parent)
    remaining -= block.getOperations().size();
  for (Operation &op : block.without_terminator()) {
    if (op.getNumResults() == 1) {
      context.activation->values[op.getResult(0)] = evaluate(&op, context);
      continue;
    }
    store.clear();
    for (auto [from, to] :
         llvm::zip_equal(op.getResults(), copy(&op, context)->getResults()))
      context.activation->values[from] = makeUnknown(to);
  }
  return getValue(block.getTerminator()->getOperand(0), context);
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

void PartialEvaluator::evaluateRegion(Block &from, Region &to,
                                      Context &context) {
  Block &block = to.emplaceBlock();
  for (BlockArgument argument : from.getArguments())
    context.activation->values[argument] = makeUnknown(block.addArgument(
        context.getType(argument.getType()), argument.getLoc()));
  Context inner{context.activation, context.types, context.fuel,
                OpBuilder::atBlockEnd(&block), context.depth + 1};
  Partial *result = evaluateBlock(from, inner);
  YieldOp::create(inner.builder, from.getTerminator()->getLoc(), result->value);
}

Partial *PartialEvaluator::leaveBranches(Operation *op, Context &context) {
  IRMapping mapping;
  mapping.map(op->getOperand(0), getValue(op->getOperand(0), context)->value);
  Operation *result = context.builder.cloneWithoutRegions(*op, mapping);
  result->getResult(0).setType(context.getType(op->getResult(0).getType()));
  DenseMap<unsigned, Partial *> before = store;
  bool changes = false;
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), result->getRegions())) {
    store = before;
    evaluateRegion(from.front(), to, context);
    changes |= llvm::any_of(before, [&](auto &entry) {
      return store.lookup(entry.first) != entry.second;
    });
  }
  // Which branch is taken, nobody knows.
  store = changes ? DenseMap<unsigned, Partial *>() : std::move(before);
  return makeUnknown(result->getResult(0));
}

Partial *PartialEvaluator::evaluateIf(IfOp op, Context &context) {
  Partial *condition = getValue(op.getCondition(), context);
  if (std::optional<int64_t> value = condition->getNumber())
    return evaluateBlock(
        (*value ? op.getThenRegion() : op.getElseRegion()).front(), context);
  return leaveBranches(op, context);
}

Partial *PartialEvaluator::evaluateMatch(MatchOp op, Context &context) {
  Partial *value = getValue(op.getValue(), context);
  for (auto [pattern, region] :
       llvm::zip_equal(op.getPatterns(), op.getCases())) {
    SmallVector<Partial *> bound;
    std::optional<bool> matches = matchPattern(pattern, value, bound);
    if (!matches)
      break;
    if (!*matches)
      continue;
    Block &body = region.front();
    for (auto [argument, field] : llvm::zip_equal(body.getArguments(), bound))
      context.activation->values[argument] = field;
    return evaluateBlock(body, context);
  }
  return leaveBranches(op, context);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Adds types for the type parameters of a function to `types`.
static void addInstance(ArrayRef<StringAttr> params, FunctionType general,
                        ArrayRef<Partial *> args, Type result,
                        TypeSubstitution &types) {
  for (StringAttr param : params)
    types.erase(param.getValue());
  if (params.empty())
    return;
  auto known = cast<FunctionType>(substituteTypes(general, types));
  TypeSubstitution instance;
  for (StringAttr param : params)
    instance[param.getValue()] = nullptr;
  for (auto [input, arg] : llvm::zip_equal(known.getInputs(), args))
    (void)matchInstance(input, arg->getType(), instance);
  (void)matchInstance(known.getResult(0), result, instance);
  // A type that no value has may be any.
  for (StringAttr param : params) {
    Type type = instance[param.getValue()];
    types[param.getValue()] = type ? type : TupleType::get(param.getContext());
  }
}

Partial *PartialEvaluator::call(KnownFunction *function, Partial *callee,
                                Type result, ArrayRef<Partial *> args,
                                Context &context) {
  auto fn = dyn_cast<FnOp>(function->op);
  auto named = dyn_cast<func::FuncOp>(function->op);
  Block &body = fn ? fn.getBody().front() : named.getBody().front();
  if (static_cast<int64_t>(body.getOperations().size()) > remaining ||
      context.depth > kMaxDepth)
    return nullptr;
  FuelFrame *last = context.fuel;
  while (last && last->function != function->op)
    last = last->parent;
  Fuel fuel(fn ? callee : nullptr, args);
  if (last) {
    auto [least, progress] = last->fuel.meet(fuel);
    if (!progress)
      return nullptr;
    fuel = std::move(least);
  }
  FuelFrame &frame = frames.emplace_back(
      FuelFrame{function->op, std::move(fuel), context.fuel});
  TypeSubstitution types = function->types;
  Type type = fn ? fn.getResult().getType() : getValueType(named);
  addInstance(relay::getTypeParams(type), getFunctionBody(type), args, result,
              types);
  Activation &activation = activations.emplace_back();
  activation.parent = function->activation;
  auto params = fn ? fn.getParams() : named.getBody().getArguments();
  for (auto [param, arg] : llvm::zip_equal(params, args))
    activation.values[param] = arg;
  Context inner{&activation, &types, &frame, context.builder,
                context.depth + 1};
  if (Value self = fn ? fn.getSelf() : Value())
    activation.values[self] = callee;
  return evaluateBlock(body, inner);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Removes what nothing uses, and what has no effect.
static void removeDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (isOpTriviallyDead(&op)) {
      op.erase();
      continue;
    }
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        removeDead(inner);
    auto fn = dyn_cast<FnOp>(op);
    if (Value self = fn ? fn.getSelf() : Value(); self && self.use_empty()) {
      fn.getBody().eraseArgument(0);
      fn.setRecursive(false);
    }
  }
}

void PartialEvaluator::run(func::FuncOp function, int64_t maxEvaluated,
                           Region &result) {
  remaining = maxEvaluated;
  Block &from = function.getBody().front();
  Block &to = result.emplaceBlock();
  Activation &activation = activations.emplace_back();
  SmallVector<Partial *> args;
  for (BlockArgument argument : from.getArguments()) {
    args.push_back(
        makeUnknown(to.addArgument(argument.getType(), argument.getLoc())));
    activation.values[argument] = args.back();
  }
  TypeSubstitution types;
  FuelFrame &frame =
      frames.emplace_back(FuelFrame{function, Fuel(nullptr, args), nullptr});
  store.clear();
  Context context{&activation, &types, &frame, OpBuilder::atBlockEnd(&to), 1};
  Partial *end = evaluateBlock(from, context);
  func::ReturnOp::create(
      context.builder, from.getTerminator()->getLoc(),
      ascribe(context.builder, end->value, function.getResultTypes().front()));
  makeUsed();
  removeDead(to);
  values.clear();
  activations.clear();
  frames.clear();
  functions.clear();
}

namespace {

struct PartialEvaluatePass
    : relay::impl::PartialEvaluatePassBase<PartialEvaluatePass> {
  using PartialEvaluatePassBase::PartialEvaluatePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    return relay::checkRange<int64_t>(context, maxEvaluated, 0);
  }

  void runOnOperation() override {
    // What fails now stays as it is, and fails when it runs.
    SilentDiagnostics silence(&getContext());
    SmallVector<std::pair<func::FuncOp, OwningOpRef<func::FuncOp>>> results;
    PartialEvaluator evaluator(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!isOptimizable(function) || function.getNumResults() != 1)
        continue;
      OwningOpRef<func::FuncOp> result =
          cast<func::FuncOp>(function->cloneWithoutRegions());
      evaluator.run(function, maxEvaluated, result->getBody());
      results.emplace_back(function, std::move(result));
    }
    // Calls are of the functions as they were.
    for (auto &[function, result] : results)
      function.getBody().takeBody(result->getBody());
  }
};

} // namespace
