//===- AnnotateTarget.cpp - Mark what other compilers take ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerRegions.h"

#include "relay-mlir/Dialect/Relay/IR/Offload.h"
#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

namespace mlir::relay {
#define GEN_PASS_DEF_ANNOTATETARGETPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// Parts of the language, which are no operators, and run where their operands
/// are.
static bool isNeutral(Operation *op) {
  return isa<TupleOp, TupleGetItemOp, RefCreateOp, RefReadOp, RefWriteOp>(op);
}

/// What stays as it is: names of values, and what only gives them one.
static bool isPassive(Operation *op) {
  return isa<BeginOp, EndOp, FnOp, GlobalOp>(op) ||
         op->hasTrait<OpTrait::ConstantLike>();
}

/// What takes values out of regions without computing anything itself.
static bool isBorder(Operation *op) {
  return isa<LetOp, AscribeOp>(op) || op->getNumRegions() ||
         op->hasTrait<OpTrait::IsTerminator>();
}

/// Whether a closure needs nothing from around it but constants.
static bool isClosed(FnOp fn) {
  WalkResult result = fn.walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (!fn.getBody().isAncestor(operand.getParentRegion()) &&
          !(source && source->hasTrait<OpTrait::ConstantLike>()))
        return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return !result.wasInterrupted();
}

namespace {

class TargetAnnotator {
public:
  TargetAnnotator(ModuleOp module, ArrayRef<std::string> targets,
                  const llvm::StringMap<llvm::StringSet<>> &operators,
                  bool includeNonCallOps)
      : queries(module), targets(targets), operators(operators),
        includeNonCallOps(includeNonCallOps), context(module.getContext()) {}

  /// Asks for the target of each operator, before anything changes.
  LogicalResult choose(func::FuncOp function);
  void annotate(func::FuncOp function);
  unsigned numOperators = 0;

private:
  FailureOr<bool> supports(Operation *op, StringRef target) const;
  void annotate(Operation *op);
  void annotateOperands(Operation *op, MutableOperandRange operands,
                        StringAttr target);
  void endOperands(Operation *op);
  /// A new end of `value`, if it is computed by something with a target.
  Value makeEnd(Value value, OpBuilder &builder);
  void setTarget(Operation *op, StringAttr target) {
    for (Value result : op->getResults())
      targetOf[result] = target;
  }
  StringAttr getDefault() const {
    return StringAttr::get(context, kDefaultTarget);
  }

  OffloadQueries queries;
  ArrayRef<std::string> targets;
  const llvm::StringMap<llvm::StringSet<>> &operators;
  bool includeNonCallOps;
  MLIRContext *context;
  DenseMap<Operation *, StringAttr> choices;
  DenseMap<Value, StringAttr> targetOf;
  /// What is inside of a region that was there before.
  DenseSet<Value> inside;
};

} // namespace

FailureOr<bool> TargetAnnotator::supports(Operation *op,
                                          StringRef target) const {
  if (auto it = operators.find(target); it != operators.end()) {
    auto apply = dyn_cast<ApplyOp>(op);
    const OperatorSchema *schema =
        apply ? getOperatorSchema(apply.getName()) : getOperatorSchema(op);
    if (schema && it->second.contains(schema->name))
      return true;
  }
  return queries.supports(op, target);
}

LogicalResult TargetAnnotator::choose(func::FuncOp function) {
  WalkResult result = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == function || isPassive(op) || isBorder(op) || isNeutral(op)) {
      // Patterns are taken as a whole.
      return op->hasAttr(kCompositeAttrName) ? WalkResult::skip()
                                             : WalkResult::advance();
    }
    if (auto call = dyn_cast<CallIndirectOp>(op)) {
      FnOp fn = getComposite(call);
      if (!fn || !isClosed(fn))
        return WalkResult::advance();
      auto name = fn->getAttrOfType<StringAttr>(kCompositeAttrName);
      auto [prefix, rest] =
          name ? name.getValue().split('.') : std::pair<StringRef, StringRef>();
      if (!rest.empty() && llvm::is_contained(targets, prefix))
        choices[op] = StringAttr::get(context, prefix);
      return WalkResult::advance();
    }
    if (isa<CallOp, ConstructOp>(op))
      return WalkResult::advance();
    for (StringRef target : targets) {
      FailureOr<bool> answer = supports(op, target);
      if (failed(answer))
        return WalkResult::interrupt();
      if (*answer) {
        choices[op] = StringAttr::get(context, target);
        break;
      }
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

Value TargetAnnotator::makeEnd(Value value, OpBuilder &builder) {
  StringAttr target = targetOf.lookup(value);
  return target ? EndOp::create(builder, value.getLoc(), value, target) : value;
}

void TargetAnnotator::endOperands(Operation *op) {
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands())
    operand.set(makeEnd(operand.get(), builder));
}

/// Puts annotations on each use; without a target, that which all operands have
/// in common.
void TargetAnnotator::annotateOperands(Operation *op,
                                       MutableOperandRange operands,
                                       StringAttr target) {
  if (!target)
    for (OpOperand &operand : operands) {
      StringAttr other = targetOf.lookup(operand.get());
      if (auto end = operand.get().getDefiningOp<EndOp>())
        other = end.getCompilerAttr();
      if (!other)
        other = getDefault();
      target = !target || target == other ? other : getDefault();
    }
  if (!target)
    return;
  OpBuilder builder(op);
  for (OpOperand &operand : operands) {
    Value value = makeEnd(operand.get(), builder);
    operand.set(BeginOp::create(builder, op->getLoc(), value, target));
  }
  setTarget(op, target);
}

void TargetAnnotator::annotate(Operation *op) {
  if (isa<EndOp>(op))
    return;
  auto begin = dyn_cast<BeginOp>(op);
  if (begin || llvm::any_of(op->getOperands(),
                            [&](Value v) { return inside.contains(v); })) {
    // What has been annotated for somebody stays.
    StringAttr target;
    for (Value operand : op->getOperands())
      if (inside.contains(operand))
        target = targetOf.lookup(operand);
    if (begin) {
      target = begin.getCompilerAttr();
      // What it takes may have got a target only now.
      endOperands(begin);
    }
    if (op->hasTrait<OpTrait::IsTerminator>())
      return;
    inside.insert(op->result_begin(), op->result_end());
    setTarget(op, target);
    return;
  }
  // What is neither relay's nor an operator takes values as they are.
  if (isBorder(op) || (!isa_and_present<RelayDialect>(op->getDialect()) &&
                       !isa<FusionPatternOpInterface>(op)))
    return endOperands(op);
  if (isPassive(op) || op->getNumOperands() == 0)
    return;
  if (isNeutral(op)) {
    if (includeNonCallOps)
      annotateOperands(op, MutableOperandRange(op), nullptr);
    else
      endOperands(op);
    return;
  }
  auto call = dyn_cast<CallIndirectOp>(op);
  // Nothing would begin the region of a call without arguments. Calls of
  // closures are no operators either.
  if (call && (call.getArgs().empty() ||
               (!includeNonCallOps && !call.getCallee().getDefiningOp<FnOp>())))
    return endOperands(op);
  StringAttr target = choices.lookup(op);
  numOperators += target != nullptr;
  annotateOperands(op, call ? call.getArgsMutable() : MutableOperandRange(op),
                   target ? target : getDefault());
}

void TargetAnnotator::annotate(func::FuncOp function) {
  removeDefaultAnnotations(function);
  SmallVector<Operation *> ops;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == function)
      return WalkResult::advance();
    ops.push_back(op);
    return op->hasAttr(kCompositeAttrName) ? WalkResult::skip()
                                           : WalkResult::advance();
  });
  for (Operation *op : ops)
    annotate(op);
}

namespace {

struct AnnotateTargetPass
    : relay::impl::AnnotateTargetPassBase<AnnotateTargetPass> {
  using AnnotateTargetPassBase::AnnotateTargetPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (const std::string &target : targets)
      if (failed(checkTargetName(target, module.getLoc())))
        return signalPassFailure();
    FailureOr<llvm::StringMap<llvm::StringSet<>>> byTarget =
        parseTargetOperators(operators, module.getLoc());
    if (failed(byTarget))
      return signalPassFailure();
    SmallVector<func::FuncOp> functions;
    for (auto function : module.getOps<func::FuncOp>())
      if (!isClosed(function))
        functions.push_back(function);
    TargetAnnotator annotator(module, targets, *byTarget, includeNonCallOps);
    for (func::FuncOp function : functions)
      nameComposites(function);
    for (func::FuncOp function : functions)
      if (failed(annotator.choose(function)))
        return signalPassFailure();
    for (func::FuncOp function : functions)
      annotator.annotate(function);
    numOperators += annotator.numOperators;
  }
};

} // namespace
