//===- SequenceNode.h - A node of an operator on sequences ----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_SEQUENCENODE_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_SEQUENCENODE_H

#include "ControlFlow.h"
#include "Lists.h"
#include "NodeContext.h"

namespace mlir::relay::onnx {

/// One node of an operator on sequences.
class SequenceNode {
public:
  SequenceNode(Importer &importer, PendingNode &pending)
      : importer(importer), pending(pending), builder(importer.getBuilder()),
        node(importer, pending), lists(importer.getModule(), builder,
                                       importer.getNodeLoc(*pending.node)) {}

  LogicalResult construct();
  LogicalResult makeEmpty();
  LogicalResult insert();
  LogicalResult erase();
  LogicalResult at();
  LogicalResult length();
  LogicalResult concat();
  LogicalResult split();
  /// Whether input 1, sizes of parts, is what it may be.
  LogicalResult checkSplit();
  LogicalResult map();
  LogicalResult makeOptional();
  LogicalResult hasElement();
  LogicalResult getElement();

private:
  InFlightDiagnostic emitError() {
    return importer.emitError(*pending.node, pending.opset);
  }
  LogicalResult expectInputs(unsigned least, unsigned most);
  Binding *getInput(unsigned index) {
    return index < pending.inputs.size() ? pending.inputs[index] : nullptr;
  }
  LogicalResult bind(Binding *output) {
    return importer.bindOutputs(*pending.node, *pending.frame, output);
  }
  LogicalResult bind(Value output);
  LogicalResult bindKnown(SmallVector<Binding *> elements);
  LogicalResult bindNumber(int64_t number, Type elementType);

  /// The elements of input `index`, which has to be a sequence; null if they
  /// are not known. Unless it `staysOpen`, the rank of elements is settled.
  FailureOr<KnownElements *> getKnown(unsigned index, bool staysOpen = false);
  /// Input `index`, a sequence, as a list.
  FailureOr<Value> getList(unsigned index);
  /// The position in input `index`, if it is known.
  FailureOr<std::optional<int64_t>> getKnownPosition(unsigned index);
  /// The position in input `index`, from the front of `list`.
  Value getPosition(unsigned index, Value list, bool mayBeEnd = false);
  /// The position in a sequence of `size` elements, which may be `end`.
  FailureOr<int64_t> checkPosition(int64_t position, int64_t size, int64_t end);

  Importer &importer;
  PendingNode &pending;
  OpBuilder &builder;
  NodeContext node;
  ListBuilder lists;
};

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_SEQUENCENODE_H
