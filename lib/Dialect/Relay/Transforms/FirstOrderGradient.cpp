//===- FirstOrderGradient.cpp - Gradients as straight code ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates a function on its parameters, where calls of closures become what
// they compute: that leaves operators, one after the other. Then goes back from
// the last to the first, and adds to the gradients of their operands.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "Functional.h"
#include "OperatorGradients.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <deque>

namespace mlir::relay {
#define GEN_PASS_DEF_FIRSTORDERGRADIENTPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// Closures that call closures may be many more operators than the program has.
static constexpr size_t kMaxOperations = 1 << 18;
/// Calls are evaluated by recursion.
static constexpr unsigned kMaxDepth = 1000;

namespace {

struct Scope;

/// What a value of the program is.
struct Known {
  Known() = default;
  explicit Known(Value value) : value(value) {}
  Known(FnOp fn, Scope *scope) : fn(fn), scope(scope) {}

  /// What it is after evaluation; null for a closure, and for a tuple with one.
  Value value;
  FnOp fn;
  Scope *scope = nullptr;
  std::vector<Known> fields;
};

/// The values of one evaluation of a function.
struct Scope {
  explicit Scope(Scope *outer) : outer(outer) {}

  Scope *outer;
  DenseMap<Value, Known> values;

  const Known &lookup(Value value) const {
    for (const Scope *scope = this;; scope = scope->outer)
      if (auto it = scope->values.find(value); it != scope->values.end())
        return it->second;
  }
};

class FirstOrderGradient {
public:
  FirstOrderGradient(func::FuncOp function, OperatorGradients &operators)
      : function(function), operators(operators),
        builder(function.getContext()) {}

  LogicalResult run();

private:
  FailureOr<Known> evaluate(Block &block, Scope &scope);
  FailureOr<Known> evaluate(Operation *op, Scope &scope);
  FailureOr<Known> call(CallIndirectOp op, Scope &scope);
  /// A copy of an operation on what its operands are.
  FailureOr<Known> copy(Operation *op, Scope &scope);
  InFlightDiagnostic refuse(Operation *op);

  void findActive(Block &body);
  LogicalResult goBack(Operation *op);
  /// Adds to the gradients of the leaves of a value.
  void add(Value value, ArrayRef<Value> gradients);
  Value addTo(Value sum, Value gradient);

  func::FuncOp function;
  OperatorGradients &operators;
  OpBuilder builder;
  std::deque<Scope> scopes;
  SmallVector<Operation *> made;
  unsigned depth = 0;
  /// What depends on a parameter.
  DenseSet<Value> active;
  DenseMap<Value, SmallVector<Value>> gradients;
};

} // namespace

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

InFlightDiagnostic FirstOrderGradient::refuse(Operation *op) {
  InFlightDiagnostic diag = op->emitOpError(
      "expects operators, tuples and closures that are called where they are "
      "known, for a first-order gradient, but got ");
  diag.attachNote() << "relay-gradient (mode \"higher_order\" in Python) "
                       "differentiates any construct";
  return diag;
}

FailureOr<Known> FirstOrderGradient::copy(Operation *op, Scope &scope) {
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    const Known &known = scope.lookup(operand);
    if (!known.value)
      return refuse(op) << "a closure as an operand";
    operands.push_back(known.value);
  }
  if (made.size() >= kMaxOperations)
    return op->emitOpError("expects at most ")
           << kMaxOperations << " operators after calls, but got more";
  Operation *result = builder.clone(*op);
  result->setOperands(operands);
  made.push_back(result);
  return Known(result->getResult(0));
}

FailureOr<Known> FirstOrderGradient::call(CallIndirectOp op, Scope &scope) {
  Known callee = scope.lookup(op.getCallee());
  if (!callee.fn)
    return refuse(op) << "a call of a closure that is not known";
  FnOp fn = callee.fn;
  if (isClosedUnit(fn))
    return refuse(op) << "a call of a function that is compiled as it is "
                         "(relay-defuse-ops makes operators of it)";
  if (fn.getTypeParamsAttr())
    return refuse(op) << "a call of a closure with type parameters";
  Scope &inner = scopes.emplace_back(callee.scope);
  for (auto [param, arg] : llvm::zip_equal(fn.getParams(), op.getArgs()))
    inner.values[param] = scope.lookup(arg);
  if (++depth > kMaxDepth)
    return op.emitOpError("expects at most ")
           << kMaxDepth << " calls inside of each other, but got more";
  FailureOr<Known> result = evaluate(fn.getBody().front(), inner);
  --depth;
  return result;
}

FailureOr<Known> FirstOrderGradient::evaluate(Operation *op, Scope &scope) {
  if (auto let = dyn_cast<LetOp>(op))
    return scope.lookup(let.getValue());
  if (auto fn = dyn_cast<FnOp>(op)) {
    if (fn.getRecursive())
      return refuse(op) << "a closure that calls itself";
    return Known(fn, &scope);
  }
  if (auto callIndirect = dyn_cast<CallIndirectOp>(op))
    return call(callIndirect, scope);
  if (auto tuple = dyn_cast<TupleOp>(op)) {
    Known result;
    bool isPlain = true;
    for (Value field : tuple.getFields()) {
      result.fields.push_back(scope.lookup(field));
      isPlain &= static_cast<bool>(result.fields.back().value);
    }
    return isPlain ? copy(op, scope) : result;
  }
  if (auto item = dyn_cast<TupleGetItemOp>(op)) {
    Known tuple = scope.lookup(item.getTuple());
    if (!tuple.value && !tuple.fields.empty())
      return tuple.fields[item.getIndex()];
    return copy(op, scope);
  }
  if (auto apply = dyn_cast<ApplyOp>(op);
      apply && op->getNumResults() == 1 &&
      hasTensorsOnly(op->getResult(0).getType()))
    return copy(op, scope);
  bool isOperator = isa<InferTypeOpInterface>(op) || isa<AscribeOp>(op) ||
                    isPure(op) || OperatorGradients::isMarker(op) ||
                    operators.getGradientOfCallee(op);
  bool isLanguage = op->getNumRegions() || op->getNumResults() != 1 ||
                    !hasTensorsOnly(op->getResult(0).getType());
  if (!isOperator || isLanguage)
    return refuse(op) << "'" << op->getName() << "'";
  return copy(op, scope);
}

FailureOr<Known> FirstOrderGradient::evaluate(Block &block, Scope &scope) {
  for (Operation &op : block.without_terminator()) {
    FailureOr<Known> result = evaluate(&op, scope);
    if (failed(result))
      return failure();
    scope.values[op.getResult(0)] = std::move(*result);
  }
  return scope.lookup(block.getTerminator()->getOperand(0));
}

//===----------------------------------------------------------------------===//
// Going back
//===----------------------------------------------------------------------===//

void FirstOrderGradient::findActive(Block &body) {
  active.insert_range(body.getArguments());
  for (Operation *op : made)
    if (llvm::any_of(op->getOperands(),
                     [&](Value value) { return active.contains(value); }) &&
        hasFloatTensor(op->getResult(0).getType()))
      active.insert(op->getResult(0));
}

Value FirstOrderGradient::addTo(Value sum, Value gradient) {
  if (!sum || !gradient)
    return sum ? sum : gradient;
  return AddOp::create(builder, gradient.getLoc(), sum, gradient);
}

void FirstOrderGradient::add(Value value, ArrayRef<Value> more) {
  if (!active.contains(value))
    return;
  SmallVector<Value> &sums = gradients[value];
  if (sums.empty())
    sums.resize(more.size());
  for (auto [sum, gradient] : llvm::zip_equal(sums, more))
    sum = addTo(sum, gradient);
}

LogicalResult FirstOrderGradient::goBack(Operation *op) {
  SmallVector<Value> known = gradients.lookup(op->getResult(0));
  if (llvm::none_of(known, [](Value gradient) { return bool(gradient); }))
    return success();
  ArrayRef<Value> rest = known;
  if (auto tuple = dyn_cast<TupleOp>(op)) {
    for (Value field : tuple.getFields()) {
      size_t size = getLeafTypes(field.getType()).size();
      add(field, rest.take_front(size));
      rest = rest.drop_front(size);
    }
    return success();
  }
  if (auto item = dyn_cast<TupleGetItemOp>(op)) {
    auto type = cast<TupleType>(item.getTuple().getType());
    SmallVector<Value> all(getLeafTypes(type).size());
    size_t before = 0;
    for (int64_t i = 0; i < item.getIndex(); ++i)
      before += getLeafTypes(type.getType(i)).size();
    llvm::copy(rest, all.begin() + before);
    add(item.getTuple(), all);
    return success();
  }
  if (auto ascribe = dyn_cast<AscribeOp>(op)) {
    SmallVector<Value> all;
    for (auto [gradient, type] :
         llvm::zip_equal(rest, getLeafTypes(ascribe.getValue().getType())))
      all.push_back(gradient ? relay::ascribe(builder, gradient, type)
                             : Value());
    add(ascribe.getValue(), all);
    return success();
  }
  if (!operators.check(op))
    return success();
  FailureOr<SmallVector<Value>> results = operators.build(builder, op, known);
  if (failed(results))
    return failure();
  rest = *results;
  for (Value operand : op->getOperands()) {
    size_t size = getLeafTypes(operand.getType()).size();
    add(operand, rest.take_front(size));
    rest = rest.drop_front(size);
  }
  return success();
}

LogicalResult FirstOrderGradient::run() {
  if (failed(checkDifferentiable(function)))
    return failure();
  Region &region = function.getBody();
  Block &from = region.front();
  Block *to = new Block;
  region.push_back(to);
  builder.setInsertionPointToEnd(to);
  Scope &scope = scopes.emplace_back(nullptr);
  for (BlockArgument argument : from.getArguments())
    scope.values[argument] =
        Known(to->addArgument(argument.getType(), argument.getLoc()));
  FailureOr<Known> result = evaluate(from, scope);
  if (failed(result))
    return failure();
  Location loc = from.getTerminator()->getLoc();
  assert(result->value && "closures are no tensors");
  Value value = result->value;
  findActive(*to);
  SmallVector<Value> seeds;
  for (Value leaf : getLeaves(builder, value))
    seeds.push_back(isFloatTensor(leaf.getType()) ? makeOnes(builder, loc, leaf)
                                                  : Value());
  add(value, seeds);
  for (Operation *op : llvm::reverse(made))
    if (failed(goBack(op)))
      return failure();
  if (failed(operators.report()))
    return failure();
  SmallVector<Value> all;
  for (BlockArgument param : to->getArguments()) {
    SmallVector<Value> known = gradients.lookup(param), leaves;
    known.resize(getLeafTypes(param.getType()).size());
    for (auto [i, gradient] : llvm::enumerate(known)) {
      if (gradient)
        continue;
      if (leaves.empty())
        leaves = getLeaves(builder, param);
      gradient = makeZeros(builder, loc, leaves[i]);
    }
    all.push_back(makeFromLeaves(builder, loc, param.getType(), known));
  }
  Value tuple = TupleOp::create(builder, loc, all);
  Value both = TupleOp::create(builder, loc, ValueRange{value, tuple});
  func::ReturnOp::create(builder, loc, both);
  from.erase();
  function.setFunctionType(getGradientType(function.getFunctionType()));
  function.removeResAttrsAttr();
  // Gradients of what is no parameter.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*to)))
    if (isOpTriviallyDead(&op))
      op.erase();
  return success();
}

namespace {

struct FirstOrderGradientPass
    : relay::impl::FirstOrderGradientPassBase<FirstOrderGradientPass> {
  using FirstOrderGradientPassBase::FirstOrderGradientPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<func::FuncOp> functions;
    for (const std::string &name : entries) {
      auto function = module.lookupSymbol<func::FuncOp>(name);
      if (!function) {
        module.emitError("expects the name of a function of the module, but "
                         "got '@")
            << name << "'";
        return signalPassFailure();
      }
      functions.push_back(function);
    }
    if (entries.empty())
      for (auto function : module.getOps<func::FuncOp>())
        if (isOptimizable(function) && !isGradient(function) &&
            SymbolTable::symbolKnownUseEmpty(function, module))
          functions.push_back(function);
    OperatorGradients operators(module);
    for (func::FuncOp function : functions)
      if (failed(FirstOrderGradient(function, operators).run()))
        return signalPassFailure();
  }

private:
  /// Whether a function is the gradient of another one.
  static bool isGradient(func::FuncOp function) {
    auto module = function->getParentOfType<ModuleOp>();
    return llvm::any_of(module.getOps<func::FuncOp>(), [&](func::FuncOp other) {
      auto attrs = other->getAttrOfType<DictionaryAttr>(kTextAttrsAttrName);
      return attrs &&
             attrs.get(kPrimalGradientAttrName) == function.getSymNameAttr();
    });
  }
};

} // namespace
