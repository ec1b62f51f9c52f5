//===- ApplyRules.cpp - Rules until none applies --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuleRewriter.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/Transforms/Rewrites.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Rewrite/PatternApplicator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

namespace {

/// Operations in the order in which they came, each once. Those that are erased
/// are null.
class Worklist {
public:
  void push(Operation *op) {
    if (positions.try_emplace(op, operations.size()).second)
      operations.push_back(op);
  }
  void remove(Operation *op) {
    auto it = positions.find(op);
    if (it == positions.end())
      return;
    operations[it->second] = nullptr;
    positions.erase(it);
  }
  bool empty() const { return positions.empty(); }
  size_t size() const { return operations.size(); }
  Operation *operator[](size_t index) const { return operations[index]; }

private:
  std::vector<Operation *> operations;
  DenseMap<Operation *, size_t> positions;
};

class RuleDriver {
public:
  RuleDriver(Operation *scope, const RuleSet &rules, int64_t maxRounds)
      : scope(scope), rules(rules.getRules()), rewriter(scope->getContext()),
        maxRounds(maxRounds), applicators(rules.getRules().size()) {}

  LogicalResult run();
  int64_t getNumApplied() const { return numApplied; }

private:
  LogicalResult visit(Operation *op);
  /// The rules that may rewrite operations of a name.
  ArrayRef<size_t> getRulesFor(OperationName name);
  PatternApplicator &getApplicator(size_t rule);
  /// Does what the rewriter has collected.
  LogicalResult commit(Operation *op);
  FailureOr<Value> convert(Value value, Type type, Operation *user);
  InFlightDiagnostic report(Operation *op);
  /// Erases operations, and then what only they need.
  void erase(ArrayRef<Operation *> operations);

  Operation *scope;
  ArrayRef<RewriteRule> rules;
  RuleRewriter rewriter;
  int64_t maxRounds;
  std::vector<std::unique_ptr<PatternApplicator>> applicators;
  DenseMap<OperationName, SmallVector<size_t>> rulesByName;
  /// The one that is tried, and the one that was applied last.
  const RewriteRule *rule = nullptr, *last = nullptr;
  int64_t numApplied = 0, maxApplied = 0;
  Worklist current, next;
};

} // namespace

void RuleDriver::erase(ArrayRef<Operation *> operations) {
  // They may use each other.
  llvm::SmallSetVector<Operation *, 8> producers;
  auto release = [&](Operation *op) {
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        producers.insert(producer);
    op->dropAllReferences();
    op->walk([&](Operation *inner) {
      current.remove(inner);
      next.remove(inner);
    });
  };
  llvm::for_each(operations, release);
  for (Operation *op : operations) {
    producers.remove(op);
    op->erase();
  }
  while (!producers.empty()) {
    Operation *op = producers.pop_back_val();
    if (!isOpTriviallyDead(op))
      continue;
    release(op);
    op->erase();
  }
}

InFlightDiagnostic RuleDriver::report(Operation *op) {
  InFlightDiagnostic diag = emitError(op->getLoc(), "expects rule \"")
                            << rule->name << "\" ";
  diag.attachNote(rule->loc) << "the rule is here";
  return diag;
}

/// Returns `value` as one of `type`, or fails if it is none.
FailureOr<Value> RuleDriver::convert(Value value, Type type, Operation *user) {
  if (value.getType() == type)
    return value;
  // The sizes that are known may differ.
  auto from = dyn_cast<RankedTensorType>(value.getType());
  auto to = dyn_cast<RankedTensorType>(type);
  if (!from || !to || from.getElementType() != to.getElementType() ||
      failed(verifyCompatibleShape(from, to)))
    return failure();
  OpBuilder builder(user);
  return AscribeOp::create(builder, user->getLoc(), type, value).getResult();
}

/// Whether an operation may read a value that is computed in its block, or
/// outside.
static bool isThereBefore(Value value, Operation *user) {
  Operation *definition = value.getDefiningOp();
  if (!definition)
    return true;
  Operation *reader = definition->getBlock()->findAncestorOpInBlock(*user);
  return reader && definition != reader && definition->isBeforeInBlock(reader);
}

LogicalResult RuleDriver::commit(Operation *op) {
  llvm::SmallPtrSet<Operation *, 4> created(llvm::from_range,
                                            rewriter.getCreated());
  // Each once.
  llvm::SmallSetVector<Operation *, 4> gone(llvm::from_range,
                                            rewriter.getErased());
  for (const auto &[replaced, values] : rewriter.getReplacements()) {
    if (replaced->getNumResults() != values.size())
      return report(op) << "to make " << replaced->getNumResults()
                        << " values, but got " << values.size();
    for (auto [result, value] :
         llvm::zip_equal(replaced->getResults(), values)) {
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return created.contains(user); }))
        return report(op) << "not to use what it replaces, but got a use";
      auto isTooEarly = [&, value = value](Operation *user) {
        return !gone.contains(user) && !isThereBefore(value, user);
      };
      if (value == result || llvm::any_of(result.getUsers(), isTooEarly))
        return report(op) << "to make a value that is there where the replaced "
                             "one is read, but got a later one";
      FailureOr<Value> converted = convert(value, result.getType(), replaced);
      if (failed(converted))
        return report(op) << "to make a value of type " << result.getType()
                          << ", but got " << value.getType();
      for (Operation *user : result.getUsers())
        next.push(user);
      result.replaceAllUsesWith(*converted);
    }
    gone.insert(replaced);
  }
  for (Operation *created : rewriter.getCreated())
    next.push(created);
  for (Operation *op : gone)
    if (llvm::any_of(op->getUsers(),
                     [&](Operation *user) { return !gone.contains(user); }))
      return report(op) << "to replace what it erases, but got uses";
  for (Operation *op : gone) {
    auto endsTheBlock = [&](Operation *created) {
      return created->getBlock() == op->getBlock() &&
             created->hasTrait<OpTrait::IsTerminator>();
    };
    if (op->hasTrait<OpTrait::IsTerminator>() &&
        llvm::none_of(created, endsTheBlock))
      return report(op) << "not to erase the end of a block, but got '"
                        << op->getName() << "' erased";
  }
  erase(gone.getArrayRef());
  return success();
}

ArrayRef<size_t> RuleDriver::getRulesFor(OperationName name) {
  auto [it, isNew] = rulesByName.try_emplace(name);
  if (isNew)
    for (auto [index, rule] : llvm::enumerate(rules))
      if (!rule.root || rule.root == name)
        it->second.push_back(index);
  return it->second;
}

PatternApplicator &RuleDriver::getApplicator(size_t rule) {
  std::unique_ptr<PatternApplicator> &applicator = applicators[rule];
  if (!applicator) {
    applicator = std::make_unique<PatternApplicator>(rules[rule].pattern);
    applicator->applyDefaultCostModel();
  }
  return *applicator;
}

LogicalResult RuleDriver::visit(Operation *op) {
  if (isOpTriviallyDead(op)) {
    erase(op);
    return success();
  }
  for (size_t index : getRulesFor(op->getName())) {
    rewriter.begin(op);
    LogicalResult applied = getApplicator(index).matchAndRewrite(
        op, rewriter, /*canApply=*/{},
        [&](const Pattern &) { rewriter.rollBack(); });
    rule = &rules[index];
    if (!rewriter.getError().empty() ||
        (succeeded(applied) && !rewriter.verifyCreated()))
      return report(op) << "to make operations that verify, but got: "
                        << rewriter.getError();
    if (failed(applied))
      continue;
    if (++numApplied > maxApplied)
      return report(op) << "to apply up to " << maxRounds
                        << " times for each operation, but got more";
    last = rule;
    return commit(op);
  }
  return success();
}

LogicalResult RuleDriver::run() {
  scope->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != scope)
      next.push(op);
  });
  maxApplied = maxRounds * next.size();
  for (int64_t round = 0; !next.empty(); ++round) {
    int64_t before = numApplied;
    current = std::move(next);
    next = Worklist();
    // Operations of this round may go, but none come.
    for (size_t i = 0; i != current.size(); ++i)
      if (Operation *op = current[i])
        if (failed(visit(op)))
          return failure();
    if (numApplied == before || round != maxRounds)
      continue;
    rule = last;
    return report(scope) << "to be done after " << maxRounds
                         << " rounds, but it still applies";
  }
  return success();
}

LogicalResult relay::applyRules(Operation *scope, const RuleSet &rules,
                                int64_t maxRounds, int64_t &numApplied) {
  RuleDriver driver(scope, rules, maxRounds);
  LogicalResult result = driver.run();
  numApplied += driver.getNumApplied();
  return result;
}
