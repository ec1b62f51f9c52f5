//===- QuantizePartition.cpp - Where kernels of integers end --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/IR/DType.h"
#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/QuantizeOpInterface.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"

#include "QuantizedTypes.h"

namespace mlir::relay {
#define GEN_PASS_DEF_QUANTIZEPARTITIONPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

/// Marks are of values that a convolution computes and whose kernel may go on.
/// An operator that ends the kernel reads the value behind a hint.
class Partitioner {
public:
  explicit Partitioner(Type type) : type(type) {}

  void run(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(&op);
  }

  unsigned numMarked = 0;

private:
  void visit(Operation *op);
  bool isMarked(OpOperand &operand) { return marked.contains(operand.get()); }
  /// The operand behind a hint.
  void end(OpOperand &operand);
  void endAll(Operation *op) {
    op->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        if (isMarked(operand))
          end(operand);
    });
  }

  Type type;
  DenseSet<Value> marked;
  DenseMap<Value, Value> ended;
};

} // namespace

void Partitioner::end(OpOperand &operand) {
  Value value = operand.get();
  Value &behind = ended[value];
  if (!behind) {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    Value hint = AnnotationCastHintOp::create(builder, value.getLoc(),
                                              value.getType(), value, type);
    behind = AnnotationStopFusionOp::create(builder, value.getLoc(),
                                            value.getType(), hint);
    ++numMarked;
  }
  operand.set(behind);
}

void Partitioner::visit(Operation *op) {
  auto quantizable = dyn_cast<QuantizeOpInterface>(op);
  if (!quantizable)
    return endAll(op);
  Value result = op->getResult(0);
  switch (quantizable.getQuantizeRole()) {
  case QuantizeRole::Contraction:
    endAll(op);
    if (isa<ConvolutionOpInterface>(op))
      marked.insert(result);
    return;
  case QuantizeRole::Clip:
  case QuantizeRole::Narrow:
    if (isMarked(op->getOpOperand(0)))
      marked.insert(result);
    return;
  case QuantizeRole::Sum: {
    OpOperand &lhs = op->getOpOperand(0), &rhs = op->getOpOperand(1);
    if (isMarked(lhs) && isMarked(rhs)) {
      endAll(op);
      marked.insert(result);
    } else if (isMarked(lhs) && rhs.get().getDefiningOp<ConstantOp>()) {
      marked.insert(result);
    } else {
      endAll(op);
    }
    return;
  }
  case QuantizeRole::Product: {
    bool hasMarked =
        isMarked(op->getOpOperand(0)) || isMarked(op->getOpOperand(1));
    endAll(op);
    if (hasMarked)
      marked.insert(result);
    return;
  }
  case QuantizeRole::End:
    return end(op->getOpOperand(0));
  case QuantizeRole::MatrixProduct:
  case QuantizeRole::Join:
  case QuantizeRole::Same:
  case QuantizeRole::Mean:
    return endAll(op);
  }
}

namespace {

struct QuantizePartitionPass final
    : relay::impl::QuantizePartitionPassBase<QuantizePartitionPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    FailureOr<IntegerType> parsed = parseQuantizedType(dtypeInput, context);
    if (failed(parsed))
      return failure();
    type = *parsed;
    return success();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || isCompiledAsItIs(function))
      return;
    Partitioner partitioner(type);
    partitioner.run(function.getBody().front());
    numMarked += partitioner.numMarked;
  }

  Type type;
};

} // namespace
