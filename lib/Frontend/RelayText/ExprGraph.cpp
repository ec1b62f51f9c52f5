//===- ExprGraph.cpp - Patterns of expressions ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Frontend/RelayText/ExprGraph.h"

#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::ast;

//===----------------------------------------------------------------------===//
// Graph
//===----------------------------------------------------------------------===//

/// What a node consists of, variables that it binds included, in the order in
/// which the graph has them.
static std::vector<ExprPtr> getParts(const Expr &expr) {
  return llvm::TypeSwitch<const Expr *, std::vector<ExprPtr>>(&expr)
      .Case([](const Tuple *tuple) { return tuple->fields; })
      .Case([](const TupleGetItem *item) { return std::vector{item->tuple}; })
      .Case([](const Call *call) {
        std::vector<ExprPtr> parts = {call->callee};
        llvm::append_range(parts, call->args);
        return parts;
      })
      .Case([](const Let *let) {
        return std::vector<ExprPtr>{let->var, let->value, let->body};
      })
      .Case([](const If *ifExpr) {
        return std::vector{ifExpr->condition, ifExpr->trueBranch,
                           ifExpr->falseBranch};
      })
      .Case([](const Function *function) {
        std::vector<ExprPtr> parts(function->params.begin(),
                                   function->params.end());
        parts.push_back(function->body);
        return parts;
      })
      .Case([](const Match *match) {
        std::vector<ExprPtr> parts = {match->data};
        for (const Clause &clause : match->clauses) {
          std::vector<std::shared_ptr<Var>> vars;
          getBoundVars(*clause.pattern, vars);
          llvm::append_range(parts, vars);
          parts.push_back(clause.body);
        }
        return parts;
      })
      .Case([](const RefCreate *create) { return std::vector{create->value}; })
      .Case([](const RefRead *read) { return std::vector{read->ref}; })
      .Case([](const RefWrite *write) {
        return std::vector{write->ref, write->value};
      })
      .Default([](const Expr *) { return std::vector<ExprPtr>(); });
}

/// The kinds of both are the same, in the same order.
static dataflow::Graph::Kind getNodeKind(const Expr &expr) {
  using NodeKind = dataflow::Graph::Kind;
  static_assert(static_cast<int>(NodeKind::RefWrite) ==
                    static_cast<int>(Expr::Kind::RefWrite) &&
                static_cast<int>(NodeKind::Call) ==
                    static_cast<int>(Expr::Kind::Call));
  return static_cast<NodeKind>(expr.getKind());
}

/// The name of what is the same wherever it has this name, with its kind.
static std::string getGlobalName(const Expr &expr) {
  return llvm::TypeSwitch<const Expr *, std::string>(&expr)
      .Case([](const ast::Op *op) { return "op " + op->name; })
      .Case([](const GlobalVar *var) { return "@" + var->name; })
      .Case([](const Constructor *constructor) {
        return "constructor " + constructor->name;
      })
      .Default([](const Expr *) { return std::string(); });
}

void ast::visitBindersAndUses(const ExprPtr &root,
                              function_ref<void(const ExprPtr &)> fn) {
  struct Entry {
    ExprPtr expr;
    std::vector<ExprPtr> parts;
    size_t next = 0;
  };
  DenseSet<const Expr *> visited = {root.get()};
  std::vector<Entry> stack;
  stack.push_back({root, getParts(*root)});
  while (!stack.empty()) {
    Entry &top = stack.back();
    if (top.next < top.parts.size()) {
      ExprPtr part = top.parts[top.next++];
      if (visited.insert(part.get()).second) {
        std::vector<ExprPtr> parts = getParts(*part);
        stack.push_back({std::move(part), std::move(parts)});
      }
      continue;
    }
    ExprPtr expr = std::move(top.expr);
    stack.pop_back();
    fn(expr);
  }
}

ExprGraph::ExprGraph(const ExprPtr &root, MLIRContext *context,
                     ExprTypeFn inferType)
    : Graph(context), inferType(std::move(inferType)) {
  visitBindersAndUses(root, [&](const ExprPtr &expr) { addExpr(expr); });
}

unsigned ExprGraph::lookup(const ExprPtr &expr) const {
  return numbers.lookup(expr.get());
}

void ExprGraph::addExpr(const ExprPtr &expr) {
  std::string globalName = getGlobalName(*expr);
  if (!globalName.empty()) {
    auto [it, isNew] = named.try_emplace(globalName, size());
    if (!isNew) {
      numbers[expr.get()] = it->second;
      return;
    }
  }
  Node node = {getNodeKind(*expr), {}, {}};
  node.identity = expr.get();
  for (const ExprPtr &part : getParts(*expr))
    node.operands.push_back(lookup(part));
  llvm::TypeSwitch<Expr *>(expr.get())
      .Case<ast::Op, GlobalVar, Constructor>(
          [&](auto *named) { node.name = named->name; })
      .Case([&](Var *var) {
        node.name = var->name;
        node.annotation = var->annotation;
      })
      .Case([&](Constant *constant) { node.value = constant->value; })
      .Case([&](TupleGetItem *item) { node.index = item->index; })
      .Case([&](Match *match) {
        node.index = node.operands.size() - 1 - match->clauses.size();
      });
  numbers[expr.get()] = size();
  addNode(std::move(node));
  exprs.push_back(expr);
}

Type ExprGraph::getType(unsigned node) const {
  const ExprPtr &expr = exprs[node];
  if (expr->checkedType)
    return expr->checkedType;
  if (auto *constant = dyn_cast<Constant>(expr.get()))
    return constant->value.getShapedType();
  return inferType ? inferType(expr) : Type();
}

SmallVector<NamedAttribute> ExprGraph::getAttributes(unsigned node) const {
  const Expr &expr = *exprs[node];
  if (auto *function = dyn_cast<Function>(&expr))
    return llvm::to_vector(function->attrs);
  if (auto *call = dyn_cast<Call>(&expr))
    return llvm::to_vector(call->attrs);
  return {};
}

//===----------------------------------------------------------------------===//
// Replacing
//===----------------------------------------------------------------------===//

static std::shared_ptr<Match> withOperands(const Match &match,
                                           ArrayRef<ExprPtr> operands) {
  std::vector<Clause> clauses;
  size_t next = 1;
  for (const Clause &clause : match.clauses) {
    std::vector<std::shared_ptr<Var>> vars;
    getBoundVars(*clause.pattern, vars);
    next += vars.size();
    clauses.push_back(
        {clause.pattern, operands[next++], clause.resultLocation});
  }
  return std::make_shared<Match>(operands.front(), std::move(clauses),
                                 match.complete);
}

ExprPtr ast::withOperands(const ExprPtr &expr, ArrayRef<ExprPtr> operands) {
  std::vector<ExprPtr> parts = getParts(*expr);
  if (ArrayRef(parts) == operands)
    return expr;
  ExprPtr result =
      llvm::TypeSwitch<Expr *, ExprPtr>(expr.get())
          .Case(
              [&](Tuple *) { return std::make_shared<Tuple>(operands.vec()); })
          .Case([&](TupleGetItem *item) {
            return std::make_shared<TupleGetItem>(operands[0], item->index);
          })
          .Case([&](Call *call) {
            return std::make_shared<Call>(operands.front(),
                                          operands.drop_front().vec(),
                                          call->attrs, call->typeArgs);
          })
          .Case([&](Let *let) {
            return std::make_shared<Let>(let->var, operands[1], operands[2]);
          })
          .Case([&](If *ifExpr) {
            auto copy =
                std::make_shared<If>(operands[0], operands[1], operands[2]);
            copy->trueLocation = ifExpr->trueLocation;
            copy->falseLocation = ifExpr->falseLocation;
            return copy;
          })
          .Case([&](Function *function) {
            auto copy = std::make_shared<Function>(
                function->params, operands.back(), function->returnType,
                function->typeParams, function->attrs);
            copy->returnLocation = function->returnLocation;
            copy->resultLocation = function->resultLocation;
            return copy;
          })
          .Case([&](Match *match) { return ::withOperands(*match, operands); })
          .Case([&](RefCreate *) {
            return std::make_shared<RefCreate>(operands[0]);
          })
          .Case(
              [&](RefRead *) { return std::make_shared<RefRead>(operands[0]); })
          .Case([&](RefWrite *) {
            return std::make_shared<RefWrite>(operands[0], operands[1]);
          });
  result->location = expr->location;
  return result;
}

ExprPtr ast::replaceExprs(
    const ExprGraph &graph, std::vector<ExprPtr> &results,
    function_ref<ExprPtr(unsigned node, const ExprPtr &expr)> fn) {
  results.assign(graph.size(), nullptr);
  for (unsigned node = 0; node < graph.size(); ++node) {
    SmallVector<ExprPtr, 4> operands;
    for (unsigned operand : graph[node].operands)
      operands.push_back(results[operand]);
    // Nodes of the same name are one in the graph.
    ExprPtr expr = graph.getExpr(node);
    for (auto [part, operand] : llvm::zip_equal(getParts(*expr), operands))
      if (!getGlobalName(*part).empty() &&
          getGlobalName(*part) == getGlobalName(*operand))
        operand = part;
    results[node] = fn(node, withOperands(expr, operands));
    if (!results[node])
      return nullptr;
  }
  return results.back();
}

std::shared_ptr<Function>
ast::makeGroupFunction(const ExprGraph &graph, const dataflow::Group &group,
                       ArrayRef<NamedAttribute> attrs) {
  DenseMap<unsigned, ExprPtr> inside;
  std::vector<std::shared_ptr<Var>> params;
  for (auto [index, input] : llvm::enumerate(group.inputs)) {
    params.push_back(std::make_shared<Var>("FunctionVar_" +
                                               std::to_string(group.number) +
                                               "_" + std::to_string(index),
                                           Type()));
    inside[input] = params.back();
  }
  for (unsigned member : group.members) {
    SmallVector<ExprPtr, 4> operands;
    for (unsigned operand : graph[member].operands)
      operands.push_back(inside.lookup(operand));
    inside[member] = withOperands(graph.getExpr(member), operands);
  }
  Builder builder(graph.getContext());
  std::vector<NamedAttribute> all = {builder.getNamedAttr(
      dataflow::kPartitionedAttr, builder.getStringAttr(group.name))};
  llvm::append_range(all, attrs);
  return std::make_shared<Function>(std::move(params),
                                    inside.lookup(group.match.root), Type(),
                                    std::vector<std::string>(), std::move(all));
}

ExprPtr ast::partitionExpr(
    const ExprGraph &graph, ArrayRef<dataflow::Group> groups,
    ArrayRef<NamedAttribute> attrs,
    function_ref<std::optional<bool>(const ExprPtr &root)> check) {
  DenseMap<unsigned, const dataflow::Group *> groupOf;
  for (const dataflow::Group &group : groups) {
    unsigned root = group.match.root;
    // A leaf of its own is nothing to make a function of, nor is the function
    // that all this is in.
    bool isWhole =
        isa<Function>(*graph.getExpr(root)) && root == graph.size() - 1;
    if (!group.members.empty() && !graph[root].operands.empty() && !isWhole)
      groupOf[root] = &group;
  }
  std::vector<ExprPtr> results;
  return replaceExprs(
      graph, results, [&](unsigned node, const ExprPtr &expr) -> ExprPtr {
        const dataflow::Group *group = groupOf.lookup(node);
        if (!group)
          return expr;
        std::optional<bool> isAccepted = check(graph.getExpr(node));
        if (!isAccepted)
          return nullptr;
        if (!*isAccepted)
          return expr;
        std::vector<ExprPtr> args;
        for (unsigned input : group->inputs)
          args.push_back(results[input]);
        return std::make_shared<Call>(makeGroupFunction(graph, *group, attrs),
                                      std::move(args));
      });
}
