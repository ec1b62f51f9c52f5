//===- AST.cpp - Relay expressions ----------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Frontend/RelayText/AST.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relay::ast;

//===----------------------------------------------------------------------===//
// Destruction
//===----------------------------------------------------------------------===//

void Expr::release(ExprPtr &&child) {
  thread_local std::vector<ExprPtr> pending;
  thread_local bool draining = false;
  // Nodes that others still use only lose a reference.
  if (!child || child.use_count() > 1) {
    child.reset();
    return;
  }
  pending.push_back(std::move(child));
  if (draining)
    return;
  draining = true;
  while (!pending.empty()) {
    ExprPtr next = std::move(pending.back());
    pending.pop_back();
    next.reset();
  }
  draining = false;
}

void Expr::release(std::vector<ExprPtr> &&children) {
  for (ExprPtr &child : children)
    release(std::move(child));
}

//===----------------------------------------------------------------------===//
// Traversal
//===----------------------------------------------------------------------===//

void mlir::relay::ast::forEachChild(const Expr &expr,
                                    function_ref<void(const ExprPtr &)> fn) {
  llvm::TypeSwitch<const Expr *>(&expr)
      .Case([&](const Tuple *tuple) { llvm::for_each(tuple->fields, fn); })
      .Case([&](const TupleGetItem *item) { fn(item->tuple); })
      .Case([&](const Call *call) {
        llvm::for_each(call->args, fn);
        fn(call->callee);
      })
      .Case([&](const Let *let) {
        fn(let->value);
        fn(let->body);
      })
      .Case([&](const If *ifExpr) {
        fn(ifExpr->condition);
        fn(ifExpr->trueBranch);
        fn(ifExpr->falseBranch);
      })
      .Case([&](const Function *function) { fn(function->body); })
      .Case([&](const Match *match) {
        fn(match->data);
        for (const Clause &clause : match->clauses)
          fn(clause.body);
      })
      .Case([&](const RefCreate *create) { fn(create->value); })
      .Case([&](const RefRead *read) { fn(read->ref); })
      .Case([&](const RefWrite *write) {
        fn(write->ref);
        fn(write->value);
      })
      .Default([](const Expr *) {});
}

void mlir::relay::ast::visitPostOrder(const ExprPtr &root,
                                      function_ref<void(const ExprPtr &)> fn) {
  struct Entry {
    ExprPtr expr;
    std::vector<ExprPtr> children;
    size_t next = 0;
  };
  DenseSet<const Expr *> visited;
  std::vector<Entry> stack;
  auto enter = [&](const ExprPtr &expr) {
    if (!expr || !visited.insert(expr.get()).second)
      return;
    Entry &entry = stack.emplace_back();
    entry.expr = expr;
    forEachChild(
        *expr, [&](const ExprPtr &child) { entry.children.push_back(child); });
  };
  enter(root);
  while (!stack.empty()) {
    Entry &top = stack.back();
    if (top.next < top.children.size()) {
      // `enter` may move the stack.
      ExprPtr child = top.children[top.next++];
      enter(child);
      continue;
    }
    ExprPtr expr = std::move(top.expr);
    stack.pop_back();
    fn(expr);
  }
}

void mlir::relay::ast::getBoundVars(const Pattern &pattern,
                                    std::vector<std::shared_ptr<Var>> &vars) {
  if (auto *var = dyn_cast<PatternVar>(&pattern))
    vars.push_back(var->var);
  else if (auto *constructor = dyn_cast<PatternConstructor>(&pattern))
    for (const PatternPtr &field : constructor->fields)
      getBoundVars(*field, vars);
  else if (auto *tuple = dyn_cast<PatternTuple>(&pattern))
    for (const PatternPtr &field : tuple->fields)
      getBoundVars(*field, vars);
}

void mlir::relay::ast::getBoundVars(const Expr &expr,
                                    std::vector<std::shared_ptr<Var>> &vars) {
  if (auto *let = dyn_cast<Let>(&expr))
    vars.push_back(let->var);
  else if (auto *function = dyn_cast<Function>(&expr))
    llvm::append_range(vars, function->params);
  else if (auto *match = dyn_cast<Match>(&expr))
    for (const Clause &clause : match->clauses)
      getBoundVars(*clause.pattern, vars);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

const Module::Definition *Module::lookupFunction(StringRef name) const {
  auto it = llvm::find_if(functions, [&](const Definition &definition) {
    return definition.name == name;
  });
  return it == functions.end() ? nullptr : &*it;
}

const TypeData *Module::lookupType(StringRef name) const {
  auto it = llvm::find_if(
      types, [&](const TypeData &type) { return type.name == name; });
  return it == types.end() ? nullptr : &*it;
}

std::shared_ptr<Constructor> Module::lookupConstructor(StringRef name) const {
  for (const TypeData &type : types)
    for (const std::shared_ptr<Constructor> &constructor : type.constructors)
      if (constructor->name == name)
        return constructor;
  return nullptr;
}
