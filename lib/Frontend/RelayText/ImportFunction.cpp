//===- ImportFunction.cpp - Scopes and order of evaluation ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Imports one function. The first step finds the scope of each node, the
// innermost one around all its uses; the second emits nodes in the order of
// evaluation, each once, into the block of its scope. Both keep stacks of their
// own. How a single node becomes an operation is in ImportNodes.cpp and
// ImportCalls.cpp.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/PolymorphicTypes.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::ast;

/// Regions, which MLIR goes over by recursion. More than the parser takes as
/// nesting in text, but values that are named, and used once, nest as well.
static constexpr unsigned kMaxRegionDepth = 1000;

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

FunctionImporter::Scope *FunctionImporter::makeScope(Scope *parent) {
  scopes.push_back({parent, parent ? parent->depth + 1 : 0});
  if (parent)
    scopes.back().typeParams = parent->typeParams;
  return &scopes.back();
}

void FunctionImporter::declareTypeParams(Scope *scope,
                                         ArrayRef<std::string> names) {
  if (names.empty())
    return;
  auto params = std::make_shared<TypeSubstitution>();
  if (scope->typeParams)
    *params = *scope->typeParams;
  auto isTaken = [&](StringRef name) {
    return llvm::any_of(*params, [&](auto &entry) {
      return cast<TypeVarType>(entry.second).getName() == name;
    });
  };
  for (const std::string &name : names) {
    std::string unique = name;
    for (unsigned i = 1; isTaken(unique) ||
                         (unique != name && llvm::is_contained(names, unique));
         ++i)
      unique = name + std::to_string(i);
    (*params)[name] = TypeVarType::get(builder.getContext(), unique);
  }
  scope->typeParams = params;
}

Type FunctionImporter::getType(Type written, Scope *scope) {
  if (!scope->typeParams || isa<RankedTensorType>(written))
    return written;
  return substituteTypes(written, *scope->typeParams);
}

bool FunctionImporter::checkSize(Type type, LocationAttr location) {
  if (depths.isTooDeep(type)) {
    module.emitError(location)
        << "expects a value of a type of at most " << TypeDepths::kMaxDepth
        << " levels, but got a deeper one";
    return false;
  }
  if (depths.isTooLong(type)) {
    module.emitError(location)
        << "expects a value of a type of at most " << TypeDepths::kMaxParts
        << " parts, but got a longer one";
    return false;
  }
  return true;
}

/// Notes that `expr` is needed in `scope`.
void FunctionImporter::use(const ExprPtr &expr, Scope *scope) {
  Scope *&common = scopeOf[expr.get()];
  if (!common) {
    common = scope;
    return;
  }
  // The innermost scope around both.
  while (common != scope) {
    if (common->depth >= scope->depth)
      common = common->parent;
    else
      scope = scope->parent;
  }
}

/// Notes where the children of a node are needed, which itself belongs to
/// `scope`.
void FunctionImporter::findChildScopes(const Expr &expr, Scope *scope) {
  auto makeInner = [&]() {
    Scope *inner = makeScope(scope);
    if (inner->depth > kMaxRegionDepth && !tooDeep)
      tooDeep = &expr;
    innerScopes[&expr].push_back(inner);
    return inner;
  };
  if (auto *function = dyn_cast<Function>(&expr)) {
    Scope *inner = makeInner();
    declareTypeParams(inner, function->typeParams);
    use(function->body, inner);
  } else if (auto *ifExpr = dyn_cast<If>(&expr)) {
    use(ifExpr->condition, scope);
    use(ifExpr->trueBranch, makeInner());
    use(ifExpr->falseBranch, makeInner());
  } else if (auto *match = dyn_cast<Match>(&expr)) {
    use(match->data, scope);
    for (const Clause &clause : match->clauses)
      use(clause.body, makeInner());
  } else {
    forEachChild(expr, [&](const ExprPtr &child) { use(child, scope); });
  }
}

void FunctionImporter::findScopes(const Function &function, Scope *body) {
  std::vector<const Expr *> order;
  visitPostOrder(function.body,
                 [&](const ExprPtr &expr) { order.push_back(expr.get()); });
  use(function.body, body);
  // Users come before what they use.
  for (const Expr *expr : llvm::reverse(order))
    findChildScopes(*expr, scopeOf.lookup(expr));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

void FunctionImporter::setInsertionPoint(Scope *scope) {
  if (scope->open)
    builder.setInsertionPoint(scope->open);
  else
    builder.setInsertionPointToEnd(scope->block);
}

Value FunctionImporter::makePlaceholder() {
  return UnrealizedConversionCastOp::create(
             builder, builder.getUnknownLoc(),
             TypeRange(IncompleteType::get(builder.getContext())), ValueRange())
      .getResult(0);
}

Value FunctionImporter::getValue(const ExprPtr &expr, Scope *scope) {
  auto *var = dyn_cast<Var>(expr.get());
  if (!var)
    return values.lookup(expr.get());
  auto it = bindings.find(var);
  if (it != bindings.end()) {
    Scope *around = scope;
    while (around && around->depth > it->second.scope->depth)
      around = around->parent;
    if (around == it->second.scope)
      return it->second.value;
  }
  InFlightDiagnostic diag = module.emitError(var->location)
                            << "expects a bound variable, but got '%"
                            << var->name << "'";
  if (it != bindings.end())
    diag.attachNote(it->second.value.getLoc())
        << "its value is not known outside of the function or branch that "
           "binds it";
  // One message for each variable.
  setInsertionPoint(scope);
  Value placeholder = makePlaceholder();
  Scope *outermost = scope;
  while (outermost->parent)
    outermost = outermost->parent;
  bindings[var] = {placeholder, outermost};
  return placeholder;
}

SmallVector<Value> FunctionImporter::getValues(ArrayRef<ExprPtr> exprs,
                                               Scope *scope) {
  return llvm::map_to_vector(
      exprs, [&](const ExprPtr &expr) { return getValue(expr, scope); });
}

void FunctionImporter::bind(const std::shared_ptr<Var> &var, Value value,
                            Scope *scope) {
  if (!bound.insert(var.get()).second) {
    module.emitError(var->location)
            .append("expects variable '%", var->name, "' to be bound once")
            .attachNote(bindings.lookup(var.get()).value.getLoc())
        << "it is bound here as well";
    return;
  }
  bindings[var.get()] = {value, scope};
}

//===----------------------------------------------------------------------===//
// Order of evaluation
//===----------------------------------------------------------------------===//

void FunctionImporter::visit(const ExprPtr &expr) {
  // Variables have theirs.
  if (!isa<Var>(expr.get()) && !values.count(expr.get()))
    stack.push_back({expr.get(), scopeOf.lookup(expr.get())});
}

void FunctionImporter::finish(Value value) {
  values[stack.back().expr] = value;
  stack.pop_back();
}

void FunctionImporter::emit(const ExprPtr &root) {
  visit(root);
  while (!stack.empty())
    advance();
}

/// Whether the callee of a call is not a value.
static bool isNamed(const Expr &callee) {
  return isa<GlobalVar, ast::Op, Constructor>(&callee);
}

void FunctionImporter::advance() {
  // A copy, for the stack moves when a child is visited.
  Frame frame = stack.back();
  ++stack.back().stage;
  if (auto *function = dyn_cast<Function>(frame.expr))
    return advanceFunction(*function, frame);
  if (auto *ifExpr = dyn_cast<If>(frame.expr))
    return advanceIf(*ifExpr, frame);
  if (auto *let = dyn_cast<Let>(frame.expr))
    return advanceLet(*let, frame);
  if (auto *match = dyn_cast<Match>(frame.expr))
    return advanceMatch(*match, frame);

  // Children one by one, in order; `stage` counts them.
  ExprPtr next;
  unsigned index = 0;
  auto *call = dyn_cast<Call>(frame.expr);
  if (call) {
    // Calls may have many arguments: no walk over those that are done.
    size_t count = call->args.size() + (isNamed(*call->callee) ? 0 : 1);
    if (frame.stage < count)
      next = frame.stage < call->args.size() ? call->args[frame.stage]
                                             : call->callee;
  } else if (auto *tuple = dyn_cast<Tuple>(frame.expr)) {
    if (frame.stage < tuple->fields.size())
      next = tuple->fields[frame.stage];
  } else {
    forEachChild(*frame.expr, [&](const ExprPtr &child) {
      if (index++ == frame.stage)
        next = child;
    });
  }
  if (next) {
    visit(next);
    return;
  }
  finish(emitNode(*frame.expr, frame.scope));
}

/// Makes `inner` the scope of a block of the operation of `frame`, which stays
/// open until closeRegion.
void FunctionImporter::openScope(Scope *scope, Block *block, Frame &frame) {
  scope->block = block;
  frame.scope->open = frame.op;
}

Location FunctionImporter::getResultLoc(const Expr &expr,
                                        LocationAttr location) {
  if (location)
    return location;
  const Expr *result = &expr;
  while (auto *let = dyn_cast<Let>(result))
    result = let->body.get();
  return getLoc(*result);
}

void FunctionImporter::closeRegion(const Frame &frame, Scope *inner,
                                   const ExprPtr &result,
                                   LocationAttr location) {
  Value value = getValue(result, inner);
  setInsertionPoint(inner);
  if (auto *function = dyn_cast<Function>(frame.expr))
    value =
        ascribe(value, function->returnType, inner, function->returnLocation);
  YieldOp::create(builder, getResultLoc(*result, location), value);
  frame.scope->open = frame.previous;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void FunctionImporter::advanceFunction(const Function &function, Frame frame) {
  Scope *inner = innerScopes[&function].front();
  if (frame.stage == 0) {
    // A let around the function lets it call itself.
    const Let *let = nullptr;
    if (stack.size() > 1)
      let = dyn_cast<Let>(stack[stack.size() - 2].expr);
    if (let && (let->value.get() != &function || bound.count(let->var.get())))
      let = nullptr;
    frame.previous = frame.scope->open;
    setInsertionPoint(frame.scope);
    auto op = cast<FnOp>(
        beginFunction(function, inner, let ? let->var.get() : nullptr));
    frame.op = op;
    openScope(inner, &op.getBody().front(), frame);
    for (auto [param, argument] :
         llvm::zip_equal(function.params, op.getParams()))
      bind(param, argument, inner);
    frame.stage = 1;
    stack.back() = frame;
    visit(function.body);
    return;
  }
  closeRegion(frame, inner, function.body, function.resultLocation);
  endFunction(frame.op);
  finish(frame.op->getResult(0));
}

void FunctionImporter::advanceLet(const Let &let, Frame frame) {
  if (frame.stage == 0) {
    visit(let.value);
    return;
  }
  if (frame.stage == 1) {
    Value value = getValue(let.value, frame.scope);
    setInsertionPoint(frame.scope);
    value = ascribe(value, let.var->annotation, frame.scope,
                    let.var->annotationLocation ? let.var->annotationLocation
                                                : let.var->location);
    auto op = LetOp::create(builder, getLoc(let), value.getType(),
                            let.var->name, value);
    if (let.var->virtualDevice)
      op->setAttr(kVirtualDeviceAttrName, let.var->virtualDevice);
    // While its function was made, the variable was the function itself.
    bind(let.var, op.getResult(), frame.scope);
    visit(let.body);
    return;
  }
  finish(getValue(let.body, frame.scope));
}

//===----------------------------------------------------------------------===//
// Branches
//===----------------------------------------------------------------------===//

void FunctionImporter::advanceIf(const If &ifExpr, Frame frame) {
  if (frame.stage == 0) {
    visit(ifExpr.condition);
    return;
  }
  // No references: visiting a child makes no scopes, but moves the stack.
  ArrayRef<Scope *> inner = innerScopes.find(&ifExpr)->second;
  if (frame.stage == 1) {
    Value condition = getValue(ifExpr.condition, frame.scope);
    frame.previous = frame.scope->open;
    setInsertionPoint(frame.scope);
    auto op =
        IfOp::create(builder, getLoc(ifExpr),
                     IncompleteType::get(builder.getContext()), condition);
    frame.op = op;
    for (Region &region : op->getRegions())
      region.emplaceBlock();
    openScope(inner[0], &op.getThenRegion().front(), frame);
    frame.stage = 2;
    stack.back() = frame;
    visit(ifExpr.trueBranch);
    return;
  }
  auto op = cast<IfOp>(frame.op);
  if (frame.stage == 2) {
    closeRegion(frame, inner[0], ifExpr.trueBranch, ifExpr.trueLocation);
    openScope(inner[1], &op.getElseRegion().front(), frame);
    visit(ifExpr.falseBranch);
    return;
  }
  closeRegion(frame, inner[1], ifExpr.falseBranch, ifExpr.falseLocation);
  // Equal types need no inference; for others there is a least upper bound.
  Type type =
      op.getThenRegion().front().getTerminator()->getOperand(0).getType();
  if (type ==
      op.getElseRegion().front().getTerminator()->getOperand(0).getType())
    op.getResult().setType(type);
  finish(op.getResult());
}

void FunctionImporter::advanceMatch(const Match &match, Frame frame) {
  if (frame.stage == 0) {
    visit(match.data);
    return;
  }
  ArrayRef<Scope *> inner;
  if (auto it = innerScopes.find(&match); it != innerScopes.end())
    inner = it->second;
  if (frame.stage == 1) {
    Value data = getValue(match.data, frame.scope);
    frame.previous = frame.scope->open;
    setInsertionPoint(frame.scope);
    SmallVector<std::unique_ptr<Block>> blocks;
    SmallVector<Attribute> patterns;
    for (auto [clause, scope] : llvm::zip_equal(match.clauses, inner)) {
      auto block = std::make_unique<Block>();
      patterns.push_back(importPattern(*clause.pattern, block.get(), scope));
      std::vector<std::shared_ptr<Var>> vars;
      getBoundVars(*clause.pattern, vars);
      for (auto [var, argument] : llvm::zip(vars, block->getArguments()))
        bind(var, argument, scope);
      blocks.push_back(std::move(block));
    }
    auto op = MatchOp::create(
        builder, getLoc(match), IncompleteType::get(builder.getContext()), data,
        builder.getArrayAttr(patterns), !match.complete, blocks.size());
    for (auto [region, block] : llvm::zip_equal(op.getCases(), blocks))
      region.push_back(block.release());
    frame.op = op;
    frame.stage = 2;
    stack.back() = frame;
    return;
  }
  // Then case by case; the previous one is complete.
  auto op = cast<MatchOp>(frame.op);
  unsigned index = frame.stage - 2;
  if (index > 0)
    closeRegion(frame, inner[index - 1], match.clauses[index - 1].body,
                match.clauses[index - 1].resultLocation);
  if (index < inner.size()) {
    openScope(inner[index], &op.getCases()[index].front(), frame);
    visit(match.clauses[index].body);
    return;
  }
  Type type;
  for (Region &region : op.getCases()) {
    Type result = region.front().getTerminator()->getOperand(0).getType();
    if (type && type != result) {
      type = nullptr;
      break;
    }
    type = result;
  }
  if (type)
    op.getResult().setType(type);
  finish(op.getResult());
}

//===----------------------------------------------------------------------===//
// Function bodies
//===----------------------------------------------------------------------===//

Value FunctionImporter::ascribe(Value value, Type written, Scope *scope,
                                LocationAttr location) {
  if (!written || isa<IncompleteType>(written))
    return value;
  Type type = getType(written, scope);
  if (type == value.getType())
    return value;
  return AscribeOp::create(
      builder, location ? Location(location) : value.getLoc(), type, value);
}

void FunctionImporter::import(const Function &function, func::FuncOp op) {
  Scope *body = makeScope(nullptr);
  declareTypeParams(body, function.typeParams);
  body->block = op.addEntryBlock();
  for (auto [param, argument] :
       llvm::zip_equal(function.params, body->block->getArguments())) {
    argument.setLoc(module.getLoc(param->location));
    bind(param, argument, body);
  }
  findScopes(function, body);
  if (tooDeep) {
    module.emitError(tooDeep->location)
        << "expects functions, branches and cases of at most "
        << kMaxRegionDepth << " levels, but got more";
    return;
  }
  emit(function.body);
  Value result = getValue(function.body, body);
  setInsertionPoint(body);
  result = ascribe(result, function.returnType, body, function.returnLocation);
  FunctionType type = op.getFunctionType();
  if (isa<IncompleteType>(type.getResult(0)))
    op.setFunctionType(
        builder.getFunctionType(type.getInputs(), result.getType()));
  func::ReturnOp::create(
      builder, getResultLoc(*function.body, function.resultLocation), result);
  for (Operation *tuple : llvm::reverse(tuples))
    if (tuple->use_empty())
      tuple->erase();
}
