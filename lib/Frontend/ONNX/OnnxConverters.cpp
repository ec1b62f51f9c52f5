//===- OnnxConverters.cpp - ONNX operators from outside -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Frontend/ONNX/OnnxConverters.h"

#include "NodeContext.h"
#include "OpTable.h"

#include "mlir/IR/MLIRContext.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

int64_t OnnxNode::getOpset() const { return context.getOpset(); }

unsigned OnnxNode::getNumInputs() const { return context.getNumInputs(); }

Value OnnxNode::getInput(unsigned index) const {
  return index < context.getNumInputs() ? context.getInput(index) : Value();
}

bool OnnxNode::hasAttr(StringRef name) const { return context.hasAttr(name); }

int64_t OnnxNode::getInt(StringRef name, int64_t defaultValue) {
  return context.getInt(name, defaultValue);
}

double OnnxNode::getFloat(StringRef name, double defaultValue) {
  return context.getFloat(name, defaultValue);
}

StringRef OnnxNode::getString(StringRef name, StringRef defaultValue) {
  return context.getString(name, defaultValue);
}

std::optional<ArrayRef<int64_t>> OnnxNode::getInts(StringRef name) {
  return context.getInts(name);
}

std::optional<ArrayRef<float>> OnnxNode::getFloats(StringRef name) {
  return context.getFloats(name);
}

OpBuilder &OnnxNode::getBuilder() const { return context.getBuilder(); }

Value OnnxNode::createScalar(double value, Type elementType) {
  return context.createScalar(value, elementType);
}

LogicalResult OnnxNode::setOutput(unsigned index, Value value) {
  return context.setOutput(index, value);
}

InFlightDiagnostic OnnxNode::emitError() const { return context.emitError(); }

Location OnnxNode::getLoc() const { return context.getLoc(); }

Value OnnxNode::insert(OperationState &state) { return context.insert(state); }

OpTable mlir::relay::onnx::getAddedOps(MLIRContext *context) {
  OnnxConverterTable table;
  for (Dialect *dialect : context->getLoadedDialects())
    if (auto *interface =
            dialect->getRegisteredInterface<OnnxDialectInterface>())
      interface->populateConverters(table);
  OpTable ops;
  for (const auto &domain : table.get())
    for (const auto &[opType, converter] : domain.getValue()) {
      OpEntry entry;
      entry.convert = [convert = converter.convert](NodeContext &context) {
        OnnxNode node(context);
        LogicalResult result = convert(node);
        if (failed(result) && !context.hasFailed())
          context.emitError() << "expects a converter that sets each output or "
                                 "says why not, but got neither";
        return result;
      };
      entry.since = converter.since;
      entry.until = converter.until;
      entry.minInputs = converter.minInputs;
      entry.maxInputs = converter.maxInputs;
      ops.add(domain.getKey(), {opType}, std::move(entry));
    }
  return ops;
}
