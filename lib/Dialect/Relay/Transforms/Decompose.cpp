//===- Decompose.cpp - Operators become others ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "CompilerRegions.h"
#include "FoldConstant.h"

#include "relay-mlir/Dialect/Relay/IR/RelayQnnOps.h"
#include "relay-mlir/Interpreter/Interpreter.h"
#include "relay-mlir/Support/SilentDiagnostics.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir::relay {
#define GEN_PASS_DEF_DECOMPOSEPASS
#define GEN_PASS_DEF_QNNCANONICALIZEPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// Operations that are ours to compile. What others compile, they see as it is:
/// functions and patterns for them, and operators between annotations.
static std::vector<Operation *> findOurs(Operation *root) {
  std::vector<Operation *> ours;
  DenseSet<Value> taken;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->hasAttr(kCompilerAttrName) || op->hasAttr(kCompositeAttrName))
      return WalkResult::skip();
    if (auto begin = dyn_cast<BeginOp>(op)) {
      if (begin.getCompiler() != kDefaultTarget)
        taken.insert(begin.getResult());
    } else if (!isa<EndOp>(op)) {
      if (llvm::any_of(op->getOperands(),
                       [&](Value value) { return taken.contains(value); }))
        taken.insert(op->result_begin(), op->result_end());
      else
        ours.push_back(op);
    }
    return WalkResult::advance();
  });
  return ours;
}

/// The most operators that a parameter is computed by.
static constexpr unsigned kMaxDepth = 16;

/// A constant, or a tuple of constants, of a type whose tensors have no
/// elements; null for another type.
static Value buildEmpty(OpBuilder &builder, Location loc, Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    if (!llvm::is_contained(tensor.getShape(), 0) || !tensor.hasStaticShape())
      return {};
    return ConstantOp::create(builder, loc,
                              DenseElementsAttr::getFromRawBuffer(tensor, {}));
  }
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple || tuple.size() == 0)
    return {};
  SmallVector<Value> fields;
  for (Type field : tuple) {
    Value empty = buildEmpty(builder, loc, field);
    if (!empty)
      return {};
    fields.push_back(empty);
  }
  return TupleOp::create(builder, loc, fields);
}

/// Operators whose results have no elements compute nothing. Other sizes may
/// be huge, and their partial results, such as a sum for each row, take memory.
/// But integers may be indices, which kernels check, and open sizes may not
/// fit.
static unsigned replaceEmptyResults(func::FuncOp function) {
  unsigned count = 0;
  for (Operation *op : findOurs(function)) {
    if (!isa<RelayDialect>(op->getDialect()) || op->getNumRegions() != 0 ||
        op->getNumResults() != 1 || op->use_empty() ||
        isa<ConstantOp, TupleOp, TupleGetItemOp>(op) || !isMemoryEffectFree(op))
      continue;
    bool mayCheck = llvm::any_of(op->getOperandTypes(), [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || !tensor.hasStaticShape())
        return true;
      return isa<IntegerType>(tensor.getElementType()) &&
             !llvm::is_contained(tensor.getShape(), 0);
    });
    if (mayCheck)
      continue;
    OpBuilder builder(op);
    Value empty = buildEmpty(builder, op->getLoc(), op->getResult(0).getType());
    if (!empty)
      continue;
    op->getResult(0).replaceAllUsesWith(empty);
    op->erase();
    ++count;
  }
  return count;
}

namespace {

/// Makes constants of parameters that follow from constants. They are few
/// numbers, and no constants yet where constants are not folded at all.
class ParamFolder {
public:
  explicit ParamFolder(MLIRContext *context) : interpreter(context) {}

  /// Of an operator on constants; null if it computes nothing.
  Value evaluate(Operation *op) {
    std::optional<InterpreterValue> value = evaluate(op->getResult(0), 0);
    if (!value)
      return {};
    OpBuilder builder(op);
    return buildConstant(builder, op->getLoc(), op->getName().getStringRef(),
                         *value);
  }

  void fold(Operation *op) {
    for (OpOperand &operand : op->getOpOperands().drop_front()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (!type || type.getRank() > 1 ||
          operand.get().getDefiningOp<ConstantOp>())
        continue;
      if (std::optional<InterpreterValue> value = evaluate(operand.get(), 0)) {
        OpBuilder builder(op);
        operand.set(buildConstant(builder, operand.get().getLoc(),
                                  op->getName().getStringRef(), *value));
      }
    }
  }

private:
  std::optional<InterpreterValue> evaluate(Value value, unsigned depth) {
    Operation *op = value.getDefiningOp();
    if (!op || depth > kMaxDepth || op->getNumResults() != 1 ||
        op->getNumRegions() != 0 || !isMemoryEffectFree(op) ||
        !interpreter.canEvaluate(op))
      return std::nullopt;
    SmallVector<InterpreterValue> operands;
    for (Value operand : op->getOperands()) {
      std::optional<InterpreterValue> known = evaluate(operand, depth + 1);
      if (!known)
        return std::nullopt;
      operands.push_back(std::move(*known));
    }
    // What fails now fails when it runs.
    SilentDiagnostics silence(op->getContext());
    InterpreterValue result;
    if (failed(interpreter.evaluateOp(op, operands, result)))
      return std::nullopt;
    return result;
  }

  Interpreter interpreter;
};

/// Writes operators in others, and these again; all, or those of qnn alone.
class Decomposer {
public:
  Decomposer(MLIRContext *context, bool onlyQuantized)
      : folder(context), onlyQuantized(onlyQuantized) {}

  /// Returns how many operators are gone.
  FailureOr<unsigned> run(Operation *root) {
    collect(root);
    unsigned count = 0;
    while (!operators.empty()) {
      DecomposableOpInterface op = operators.pop_back_val();
      FailureOr<bool> isDone = decompose(op);
      if (failed(isDone))
        return failure();
      count += *isDone;
    }
    return count;
  }

private:
  void collect(Operation *root) {
    for (Operation *op : findOurs(root))
      if (auto decomposable = dyn_cast<DecomposableOpInterface>(op);
          decomposable && (!onlyQuantized || op->hasTrait<OnQuantized>()))
        operators.push_back(decomposable);
  }

  /// Returns whether the operator is gone.
  FailureOr<bool> decompose(DecomposableOpInterface op) {
    if (op->hasTrait<OnQuantized>())
      folder.fold(op);
    Operation *before = op->getPrevNode();
    FailureOr<Value> value = op.decompose(
        [&](Operation *constant) { return folder.evaluate(constant); });
    if (failed(value))
      return failure();
    if (!*value)
      return false;
    for (Operation *made = before ? before->getNextNode()
                                  : &op->getBlock()->front();
         made != op; made = made->getNextNode())
      collect(made);
    // Inference may know less of sizes that are not known.
    Type type = op->getResult(0).getType();
    if (value->getType() != type) {
      OpBuilder builder(op);
      *value = AscribeOp::create(builder, op->getLoc(), type, *value);
    }
    op->getResult(0).replaceAllUsesWith(*value);
    op->erase();
    return true;
  }

  ParamFolder folder;
  bool onlyQuantized;
  SmallVector<DecomposableOpInterface> operators;
};

struct DecomposePass final : relay::impl::DecomposePassBase<DecomposePass> {
  using DecomposePassBase::DecomposePassBase;

  void runOnOperation() override {
    unsigned numEmpty = replaceEmptyResults(getOperation());
    Decomposer decomposer(&getContext(), /*onlyQuantized=*/false);
    FailureOr<unsigned> count = decomposer.run(getOperation());
    if (failed(count))
      return signalPassFailure();
    if (*count == 0 && numEmpty == 0)
      return markAllAnalysesPreserved();
    numDecomposed += *count;
  }
};

struct QnnCanonicalizePass final
    : relay::impl::QnnCanonicalizePassBase<QnnCanonicalizePass> {
  using QnnCanonicalizePassBase::QnnCanonicalizePassBase;

  void runOnOperation() override {
    Decomposer decomposer(&getContext(), /*onlyQuantized=*/true);
    FailureOr<unsigned> count = decomposer.run(getOperation());
    if (failed(count))
      return signalPassFailure();
    if (*count == 0)
      return markAllAnalysesPreserved();
    numCanonicalized += *count;
  }
};

} // namespace
