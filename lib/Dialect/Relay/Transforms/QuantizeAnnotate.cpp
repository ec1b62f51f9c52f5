//===- QuantizeAnnotate.cpp - Simulated quantization ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/QuantizeOpInterface.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"
#include "relay-mlir/Dialect/Relay/IR/ValueNumbers.h"

#include "llvm/ADT/SmallSet.h"

namespace mlir::relay {
#define GEN_PASS_DEF_QUANTIZEANNOTATEPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

using SimulatedQuantizeOp = RelayOpAnnotationSimulatedQuantizeOp;

namespace {

/// Kinds are of values that are quantized, or computed of such: data that is
/// quantized (Input) or what is to be before it is read as data (Activation).
class Annotator {
public:
  Annotator(ArrayRef<int64_t> skipConvLayers, bool skipDenseLayer,
            ArrayRef<int64_t> skipLayers, DenseSet<Value> skippedValues,
            bool isWhole)
      : skippedValues(std::move(skippedValues)),
        skippedConvolutions(skipConvLayers.begin(), skipConvLayers.end()),
        skippedLayers(skipLayers.begin(), skipLayers.end()),
        skipDenseLayer(skipDenseLayer), isWhole(isWhole) {}

  void run(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(&op);
  }

  unsigned numSimulated = 0;

private:
  void visit(Operation *op);
  bool isSkipped(Operation *op);
  bool readsSkipped(Operation *op) const {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return skippedValues.contains(operand);
    });
  }
  std::optional<QuantizeKind> annotate(Operation *op, QuantizeRole role);

  std::optional<QuantizeKind> getKind(OpOperand &operand) {
    auto kind = kinds.find(operand.get());
    return kind == kinds.end() ? std::nullopt : std::optional(kind->second);
  }
  /// Quantizes what an operand reads.
  void attach(OpOperand &operand, QuantizeKind kind);
  /// The same, unless it is of that kind already.
  void attachInput(OpOperand &operand) {
    if (getKind(operand) != QuantizeKind::Input)
      attach(operand, QuantizeKind::Input);
  }
  void attachConstantOrInput(OpOperand &operand) {
    if (operand.get().getDefiningOp<ConstantOp>())
      attach(operand, QuantizeKind::Weight);
    else
      attachInput(operand);
  }
  /// What is summed is quantized where an operator reads it that is none of
  /// those that are known.
  void leave(Operation *op) {
    op->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        if (getKind(operand) == QuantizeKind::Activation)
          attach(operand, QuantizeKind::Input);
    });
  }

  DenseMap<Value, QuantizeKind> kinds;
  DenseMap<std::pair<Value, int64_t>, Value> simulated;
  DenseSet<Value> skippedValues;
  llvm::SmallSet<int64_t, 4> skippedConvolutions, skippedLayers;
  bool skipDenseLayer, isWhole;
  int64_t numConvolutions = 0, numLayers = 0;
  bool hasEnded = false;
};

} // namespace

void Annotator::attach(OpOperand &operand, QuantizeKind kind) {
  Value value = operand.get();
  if (!isa<FloatType>(getElementTypeOrSelf(value)) ||
      skippedValues.contains(value))
    return;
  Value &result = simulated[{value, static_cast<int64_t>(kind)}];
  if (!result) {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    auto type = RankedTensorType::get({}, builder.getF32Type());
    // Not known yet.
    Value zero = ConstantOp::create(builder, value.getLoc(),
                                    DenseElementsAttr::get(type, 0.0f));
    result = SimulatedQuantizeOp::create(
        builder, value.getLoc(), value.getType(), value, zero, zero, zero,
        builder.getI64IntegerAttr(static_cast<int64_t>(kind)),
        builder.getBoolAttr(true), builder.getStringAttr("round"));
    kinds[result] = kind;
    ++numSimulated;
  }
  operand.set(result);
}

bool Annotator::isSkipped(Operation *op) {
  bool isOfSkippedValues = readsSkipped(op);
  if (skippedLayers.contains(numLayers++))
    return true;
  if (isa<NNConv2dOp>(op))
    return skippedConvolutions.contains(numConvolutions++) || isOfSkippedValues;
  if (isOfSkippedValues)
    return true;
  return skipDenseLayer && isa<NNDenseOp, NNMatmulOp>(op);
}

/// Returns the kind of the result; none if it is not quantized.
std::optional<QuantizeKind> Annotator::annotate(Operation *op,
                                                QuantizeRole role) {
  MutableArrayRef<OpOperand> operands = op->getOpOperands();
  switch (role) {
  case QuantizeRole::Contraction:
    if (isSkipped(op)) {
      leave(op);
      return std::nullopt;
    }
    attachInput(operands[0]);
    // A weight that is computed of data is data.
    if (getKind(operands[1]))
      attachInput(operands[1]);
    else
      attach(operands[1], QuantizeKind::Weight);
    return QuantizeKind::Activation;
  case QuantizeRole::MatrixProduct:
    if (isSkipped(op)) {
      leave(op);
      return std::nullopt;
    }
    attachConstantOrInput(operands[0]);
    attachConstantOrInput(operands[1]);
    return QuantizeKind::Activation;
  case QuantizeRole::Product:
    if (!getKind(operands[0]) && !getKind(operands[1]))
      return std::nullopt;
    attachConstantOrInput(operands[0]);
    attachConstantOrInput(operands[1]);
    return QuantizeKind::Activation;
  case QuantizeRole::Sum: {
    auto lhs = getKind(operands[0]), rhs = getKind(operands[1]);
    if (!lhs && !rhs)
      return std::nullopt;
    // Bytes would round a bias more than what it is added to.
    bool isBias = lhs == QuantizeKind::Activation &&
                  operands[1].get().getDefiningOp<ConstantOp>();
    if (!lhs)
      attachInput(operands[0]);
    else if (!rhs && !isBias)
      attachConstantOrInput(operands[1]);
    else if (lhs == QuantizeKind::Activation && rhs == lhs)
      attachInput(operands[1]);
    return QuantizeKind::Activation;
  }
  case QuantizeRole::Join:
    if (llvm::none_of(operands, [&](OpOperand &x) { return getKind(x); }))
      return std::nullopt;
    for (OpOperand &operand : operands)
      if (!getKind(operand))
        attach(operand, QuantizeKind::Activation);
    return QuantizeKind::Activation;
  case QuantizeRole::Clip:
  case QuantizeRole::Same:
    return getKind(operands[0]);
  case QuantizeRole::Narrow:
    if (!getKind(operands[0]))
      return std::nullopt;
    attachInput(operands[0]);
    return QuantizeKind::Input;
  case QuantizeRole::End:
    if (!isWhole) {
      leave(op);
      hasEnded = true;
      return std::nullopt;
    }
    [[fallthrough]];
  case QuantizeRole::Mean:
    if (!getKind(operands[0]))
      return std::nullopt;
    attachInput(operands[0]);
    return QuantizeKind::Activation;
  }
  llvm_unreachable("all roles are there");
}

void Annotator::visit(Operation *op) {
  auto quantizable = dyn_cast<QuantizeOpInterface>(op);
  bool isOfFloats = op->getNumResults() == 1 &&
                    isa<RankedTensorType>(op->getResult(0).getType()) &&
                    isa<FloatType>(getElementTypeOrSelf(op->getResult(0)));
  if (!quantizable || hasEnded || !isOfFloats)
    return leave(op);
  QuantizeRole role = quantizable.getQuantizeRole();
  bool isProduct =
      role == QuantizeRole::Contraction || role == QuantizeRole::MatrixProduct;
  if (!isProduct && readsSkipped(op))
    return leave(op);
  if (auto kind = annotate(op, role))
    kinds[op->getResult(0)] = *kind;
}

namespace {

struct QuantizeAnnotatePass final
    : relay::impl::QuantizeAnnotatePassBase<QuantizeAnnotatePass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || isCompiledAsItIs(function))
      return;
    Annotator annotator(skipConvLayers, skipDenseLayer, skipLayers,
                        getSkippedValues(), whole);
    annotator.run(function.getBody().front());
    numSimulated += annotator.numSimulated;
  }

  DenseSet<Value> getSkippedValues() {
    func::FuncOp function = getOperation();
    DenseSet<Value> skipped;
    if (skipValues.empty() || function.getName() != "main")
      return skipped;
    DenseSet<int64_t> numbers(skipValues.begin(), skipValues.end());
    visitValues(function, [&](Value value, int64_t number) {
      if (numbers.contains(number))
        skipped.insert(value);
    });
    return skipped;
  }
};

} // namespace
