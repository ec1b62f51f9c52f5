//===- ShapeEvaluator.h - Compute shapes at import --------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_SHAPEEVALUATOR_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_SHAPEEVALUATOR_H

#include "NodeContext.h"

namespace mlir::relay::onnx {

/// Computes the output of a node, if its numbers follow from the sizes and
/// constants that reach it.
class ShapeEvaluator {
public:
  /// Of a `partial` result, some numbers may be unknown in every case.
  explicit ShapeEvaluator(NodeContext &node, bool isPartial = false)
      : node(node), isPartial(isPartial) {}

  std::optional<ShapeTensor> run();

private:
  using Result = std::optional<ShapeTensor>;
  using Function = Result (ShapeEvaluator::*)();
  static const llvm::StringMap<Function> &getFunctions();

  const ShapeTensor *find(unsigned index) {
    return isPartial ? node.getPartialContents(index) : node.getContents(index);
  }
  const ShapeTensor &get(unsigned index) { return *find(index); }
  bool has(unsigned index) { return node.hasInput(index); }
  Type getI64() { return node.getBuilder().getI64Type(); }
  Type getI1() { return node.getBuilder().getI1Type(); }
  /// Constants in an input, or in an attribute of older opsets.
  std::optional<SmallVector<int64_t>> getInts(unsigned index, StringRef name);

  Result shape();
  Result size();
  Result identity() { return get(0); }
  Result constant();
  Result constantOfShape();
  Result range();
  Result cast();
  Result gather();
  Result scatter();
  Result slice();
  Result concat();
  Result reshape();
  Result squeeze();
  Result unsqueeze();
  Result expand();
  Result transpose();
  Result binary();
  Result compare();
  Result logical();
  Result clip();
  Result minMax();
  Result unary();
  Result where();
  Result reduce();

  /// The elements of `source` in the order of a new shape: `position` maps an
  /// index of the result to one of the source.
  static Result
  permute(const ShapeTensor &source, ArrayRef<int64_t> shape,
          llvm::function_ref<void(ArrayRef<int64_t>, MutableArrayRef<int64_t>)>
              position);
  static Result broadcast(const ShapeTensor &source, ArrayRef<int64_t> shape);
  /// The inputs, broadcast to one shape.
  std::optional<SmallVector<ShapeTensor>> getBroadcastInputs();
  /// Applies `function` to the elements of the broadcast inputs.
  Result
  mapElements(Type elementType,
              llvm::function_ref<ShapeScalar(ArrayRef<ShapeScalar>)> function);

  NodeContext &node;
  bool isPartial;
};

/// The output of `node`, if it can be computed now. None for all that is not
/// worth it or goes wrong: then the node is converted, and its converter
/// reports errors.
std::optional<ShapeTensor> evaluateShape(NodeContext &node);

/// The same where some inputs are known only when the model runs, as far as the
/// others say it.
std::optional<ShapeTensor> evaluatePartialShape(NodeContext &node);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_SHAPEEVALUATOR_H
