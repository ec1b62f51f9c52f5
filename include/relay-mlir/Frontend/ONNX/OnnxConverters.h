//===- OnnxConverters.h - ONNX operators from outside -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a dialect outside this project imports operators of ONNX that the
// importer does not know, such as those of a domain of its own.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_FRONTEND_ONNX_ONNXCONVERTERS_H
#define RELAY_MLIR_FRONTEND_ONNX_ONNXCONVERTERS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <limits>
#include <optional>

namespace mlir::relay {

namespace onnx {
class NodeContext;
} // namespace onnx

/// One node while it is converted.
///
/// Errors stick: whoever finds one reports it and goes on with a null value,
/// which every operator built from it hands on. The converter fails at the end.
class OnnxNode {
public:
  explicit OnnxNode(onnx::NodeContext &context) : context(context) {}

  /// The opset of the node's domain.
  int64_t getOpset() const;

  unsigned getNumInputs() const;
  /// Null for an optional input that is left out.
  Value getInput(unsigned index) const;

  bool hasAttr(StringRef name) const;
  int64_t getInt(StringRef name, int64_t defaultValue);
  double getFloat(StringRef name, double defaultValue);
  StringRef getString(StringRef name, StringRef defaultValue);
  std::optional<ArrayRef<int64_t>> getInts(StringRef name);
  std::optional<ArrayRef<float>> getFloats(StringRef name);

  OpBuilder &getBuilder() const;
  /// Builds `OpT` with inferred result types. Null if an operand is null, or if
  /// the operator refuses its operands, which is reported.
  template <typename OpT>
  Value create(ArrayRef<Value> operands,
               typename OpT::Properties properties = {}) {
    OperationState state(getLoc(), OpT::getOperationName());
    state.addOperands(operands);
    if constexpr (!std::is_same_v<typename OpT::Properties, EmptyProperties>)
      state.getOrAddProperties<typename OpT::Properties>() =
          std::move(properties);
    return insert(state);
  }
  /// A constant with one element and no dimension.
  Value createScalar(double value, Type elementType);

  /// Sets an output. For null, reports that there is no such output if it is
  /// read.
  LogicalResult setOutput(unsigned index, Value value);
  LogicalResult setResult(Value value) { return setOutput(0, value); }

  /// Starts an error that names the file, the node, its operator and opset.
  InFlightDiagnostic emitError() const;

private:
  Location getLoc() const;
  Value insert(OperationState &state);

  onnx::NodeContext &context;
};

/// How nodes of one operator become operators of relay, or of a dialect that
/// compiles with it.
struct OnnxConverter {
  std::function<LogicalResult(OnnxNode &)> convert;
  unsigned minInputs = 1;
  unsigned maxInputs = 1;
  /// Opsets of the domain in which the operator exists.
  int64_t since = 1;
  int64_t until = std::numeric_limits<int64_t>::max();
};

/// Converters by domain and name. The importer asks it for operators that it
/// does not convert itself.
class OnnxConverterTable {
public:
  /// `domain` is empty for that of ONNX.
  void add(StringRef domain, StringRef opType, OnnxConverter converter) {
    converters[domain][opType] = std::move(converter);
  }
  const llvm::StringMap<llvm::StringMap<OnnxConverter>> &get() const {
    return converters;
  }

private:
  llvm::StringMap<llvm::StringMap<OnnxConverter>> converters;
};

/// A dialect that has converters. Every import asks the loaded dialects for
/// them; that of a plugin is among these (Plugin.h).
class OnnxDialectInterface
    : public DialectInterface::Base<OnnxDialectInterface> {
public:
  OnnxDialectInterface(Dialect *dialect) : Base(dialect) {}
  virtual void populateConverters(OnnxConverterTable &table) const = 0;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_FRONTEND_ONNX_ONNXCONVERTERS_H
