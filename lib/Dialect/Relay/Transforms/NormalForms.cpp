//===- NormalForms.cpp - A-normal and graph normal form -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "Functional.h"

#include "relay-mlir/Dialect/Relay/Analysis/Expressions.h"
#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"
#include "relay-mlir/Dialect/Relay/IR/RelayMemoryOps.h"
#include "relay-mlir/Dialect/Relay/Transforms/InferTypes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::relay {
#define GEN_PASS_DEF_TOANORMALFORMPASS
#define GEN_PASS_DEF_TOGRAPHNORMALFORMPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// The operands of an operator that are one tuple in Relay; none for others.
static OperandRange getTupleFields(Operation *op) {
  const OperatorSchema *schema = getOperatorSchema(op);
  if (auto apply = dyn_cast<ApplyOp>(op))
    schema = getOperatorSchema(apply.getName());
  bool takesTuple = schema && schema->operands.size() == 1 &&
                    schema->operands.front().kind == OperandKind::Tuple;
  return op->getOperands().take_front(takesTuple ? op->getNumOperands() : 0);
}

/// Whether Relay does not write a field: an operator has the whole tuple.
static bool isPartOfTuple(Operation *op) {
  return isa<TupleGetItemOp>(op) && !op->use_empty() &&
         llvm::all_of(op->getUsers(), [](Operation *user) {
           return bool(getWholeTuple(getTupleFields(user)));
         });
}

namespace {

struct ToANormalFormPass
    : relay::impl::ToANormalFormPassBase<ToANormalFormPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isOptimizable(function))
        run(function);
  }

private:
  void run(func::FuncOp function) {
    NameCounter names(&getContext());
    function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isNamedValue(op))
        return WalkResult::skip();
      if (isa_and_present<RelayDialect>(op->getDialect())) {
        bindTuple(op, names);
        if (!isa<LetOp, AscribeOp>(op) && !isPartOfTuple(op))
          for (OpResult result : op->getResults())
            if (!getBinding(result))
              bind(result, names.next());
      }
      return isa<FnOp>(op) && isClosedUnit(op) ? WalkResult::skip()
                                               : WalkResult::advance();
    });
  }

  static Value bind(OpResult value, StringAttr name) {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfter(value.getOwner());
    auto let =
        LetOp::create(builder, value.getLoc(), value.getType(), name, value);
    value.replaceAllUsesExcept(let.getResult(), let);
    return let.getResult();
  }

  /// Binds the tuple that an operator has for its operands.
  static void bindTuple(Operation *op, NameCounter &names) {
    OperandRange fields = getTupleFields(op);
    if (fields.empty() || getWholeTuple(fields))
      return;
    OpBuilder builder(op);
    Location loc = op->getLoc();
    auto made = TupleOp::create(builder, loc, fields);
    Value tuple = bind(cast<OpResult>(made.getResult()), names.next());
    SmallVector<Value> items;
    for (auto [index, type] : llvm::enumerate(fields.getTypes()))
      items.push_back(TupleGetItemOp::create(builder, loc, type, tuple,
                                             static_cast<int64_t>(index)));
    op->setOperands(items);
  }
};

/// Replaces what a program declares of a value by the value. Sizes that only
/// the declaration knows stay to be checked, tensor by tensor. Returns what
/// stands for the value then.
static Value dissolve(AscribeOp ascribe) {
  Value value = ascribe.getValue();
  auto tuple = dyn_cast<TupleType>(ascribe.getType());
  if (ascribe.isChecked() && !tuple)
    return ascribe.getResult();
  if (ascribe.isChecked()) {
    OpBuilder builder(ascribe);
    Location loc = ascribe.getLoc();
    SmallVector<Value> fields;
    for (auto [index, type] : llvm::enumerate(tuple.getTypes())) {
      auto field = TupleGetItemOp::create(
          builder, loc, cast<TupleType>(value.getType()).getType(index), value,
          static_cast<int64_t>(index));
      fields.push_back(dissolve(AscribeOp::create(builder, loc, type, field)));
    }
    value = TupleOp::create(builder, loc, fields);
  }
  ascribe.getResult().replaceAllUsesWith(value);
  ascribe.erase();
  return value;
}

/// Cases of a match that differ in sizes have one type only as they are
/// declared.
static void declareCases(MatchOp match) {
  auto getYield = [](Region &region) {
    return cast<YieldOp>(region.front().getTerminator());
  };
  if (llvm::all_equal(llvm::map_range(match.getCases(), [&](Region &region) {
        return getYield(region)->getOperand(0).getType();
      })))
    return;
  for (Region &region : match.getCases()) {
    YieldOp yield = getYield(region);
    OpBuilder builder(yield);
    yield->setOperand(0,
                      ascribe(builder, yield->getOperand(0), match.getType()));
  }
}

struct ToGraphNormalFormPass
    : relay::impl::ToGraphNormalFormPassBase<ToGraphNormalFormPass> {
  void runOnOperation() override {
    getOperation().walk([](LetOp let) {
      let.getResult().replaceAllUsesWith(let.getValue());
      let.erase();
    });
    getOperation().walk([](AscribeOp ascribe) { dissolve(ascribe); });
    // Where there are no variables, they do not end.
    eraseKills(getOperation());
    // A declared type may have hidden sizes from what uses the value.
    if (failed(propagateTypes(getOperation())))
      return signalPassFailure();
    getOperation().walk(declareCases);
  }
};

} // namespace
