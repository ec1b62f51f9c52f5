//===- ControlFlow.h - Graphs in nodes --------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_CONTROLFLOW_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_CONTROLFLOW_H

#include "Importer.h"

namespace mlir::relay::onnx {

/// What is known of a value that may come from several places: its type, and
/// the sizes of a tensor.
struct ValueKind {
  Type type;
  /// Empty for what is no tensor.
  SmallVector<ShapeScalar> dims;

  static ValueKind get(Importer &importer, Value value);
};

/// The type of values that are of one of two types: sizes that differ are open.
/// Null where element types, ranks or kinds of values differ.
Type joinTypes(Type lhs, Type rhs);

/// The same for what is known of values. Sizes that may differ are new symbols.
ValueKind joinKinds(Importer &importer, const ValueKind &lhs,
                    const ValueKind &rhs);

/// `value` as one of a type that knows no more of it.
Value widen(Importer &importer, Location loc, Value value, Type type);

/// Field `index` of a tuple, of which `kind` is known.
Value getField(Importer &importer, Location loc, Value tuple, unsigned index,
               const ValueKind &kind);

/// The number of nodes in a graph and in those of its nodes.
int64_t countNodes(const Graph &graph);

/// A tensor of one element, which is what conditions and trip counts are, as a
/// scalar; null, and an error, if it is something else.
Value toScalar(NodeContext &node, Binding &binding, Type elementType,
               StringRef what);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_CONTROLFLOW_H
