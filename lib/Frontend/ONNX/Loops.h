//===- Loops.h - Loop and Scan ----------------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_LOOPS_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_LOOPS_H

#include "ControlFlow.h"
#include "NodeContext.h"

namespace mlir::relay::onnx {

/// Imports a node that repeats its graph "body". Who makes it says what the
/// inputs of that are; outputs are a condition, if there is one, then what is
/// carried to the next iteration, then what is collected.
class LoopImporter {
public:
  using Inputs = FailureOr<SmallVector<Binding *>>;

  LoopImporter(Importer &importer, PendingNode &pending, const Graph &graph)
      : importer(importer), pending(pending), graph(graph),
        builder(importer.getBuilder()) {}

  /// Imports it, and binds the outputs of the node.
  LogicalResult run();

  /// The largest number of iterations; null for none.
  Binding *count = nullptr;
  /// Whether there is a first one; null if there is.
  Binding *condition = nullptr;
  /// Whether the first output of the body says that there is a next one.
  bool hasCondition = false;
  /// What is carried, before the first iteration, and the position of that
  /// among the inputs of the body.
  SmallVector<Binding *> initial;
  unsigned firstCarried = 0;
  /// Whether the body takes the number of an iteration, and its condition, as
  /// vectors of one element.
  bool isCountVector = false, isConditionVector = false;
  /// All inputs of the body, of the number of an iteration, the condition, and
  /// what is carried.
  std::function<Inputs(Binding *, Binding *, ArrayRef<Binding *>)> makeInputs;
  /// The axis along which each output is collected, and whether from the last
  /// iteration to the first; empty for the first axis of all.
  SmallVector<std::pair<int64_t, bool>> scanOutputs;
  /// Whether what is collected stays a list, as a sequence is one.
  bool collectsLists = false;
  /// How many outputs of the body are collected; LoopImporter::checkGraph finds
  /// that.
  unsigned numScans = 0;

  LogicalResult checkGraph(unsigned numInputs);
  Binding *createValue(Value value);
  InFlightDiagnostic emitError();
  /// The number or bool in a tensor of one element, if it is known.
  std::optional<int64_t> getKnown(Binding *binding);

private:
  Binding *createNumber(int64_t number, Type elementType, bool isVector);
  /// The outputs of the body.
  Inputs importIteration(Binding *number, Binding *goesOn,
                         ArrayRef<Binding *> carried);
  LogicalResult checkRow(unsigned index, Type type);
  unsigned firstCarriedOutput() const { return hasCondition ? 1 : 0; }

  /// Makes all iterations, if they are known to be few; else returns false.
  FailureOr<bool> unroll();
  LogicalResult bindUnrolled(ArrayRef<Binding *> carried,
                             ArrayRef<SmallVector<Binding *>> rows);
  std::optional<SmallVector<ValueKind>> findKinds();
  Value createEmpty(NodeContext &node, const ValueKind &kind);
  Value finishScan(NodeContext &node, unsigned index, Value value);

  LogicalResult prepare();
  LogicalResult settleSequences();
  LogicalResult openSizes();
  FailureOr<bool> widenKind(unsigned index, const ValueKind &found);
  LogicalResult importBody();
  FailureOr<bool> importUntilStable();
  LogicalResult findTypes();
  LogicalResult build();
  FnOp createClosure(ArrayRef<Type> lists, Type resultType);
  LogicalResult finishBody(FnOp closure, Type resultType);
  Value collect(NodeContext &node, unsigned index, Value list, Value isAny);

  Importer &importer;
  PendingNode &pending;
  const Graph &graph;
  OpBuilder &builder;

  /// Null where there is none.
  Value countValue, startValue;
  /// What is known of carried values in all iterations, and which of their
  /// sizes change.
  SmallVector<ValueKind> kinds;
  SmallVector<SmallVector<bool>> isOpen;
  /// An iteration: its arguments are its number, the condition, and what is
  /// carried; what it gives is in `results`, and whether it is the last in
  /// `goesOn`, if that depends on the run.
  std::unique_ptr<Block> body;
  SmallVector<Value> results;
  bool isConditional = false;
  Value goesOn;
};

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_LOOPS_H
