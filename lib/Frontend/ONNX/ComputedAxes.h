//===- ComputedAxes.h - Axes that are known when a model runs ---*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many axes a node names is known; which, its input says when the model
// runs. What the node does is done along each axis of the data, and kept where
// the input names it. Axes that the data does not have are refused then.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_COMPUTEDAXES_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_COMPUTEDAXES_H

#include "NodeContext.h"

namespace mlir::relay::onnx {

class ComputedAxes {
public:
  /// The axes in input `index`, of `rank` dimensions. Fails, after an error, if
  /// it is no vector of known length.
  static FailureOr<ComputedAxes> get(NodeContext &node, unsigned index,
                                     int64_t rank);

  int64_t getCount() const { return count; }
  /// For each dimension, whether it is an axis.
  Value getMask() const { return mask; }
  /// For each dimension the number that `values` has for it, or `other`.
  Value pick(NodeContext &node, Value values, Value other) const;
  /// `changed`, which has another size along `axis` than `value`, if that is
  /// one of the axes, else `value`.
  Value choose(NodeContext &node, Value value, Value changed,
               int64_t axis) const;
  /// `value` without the axes, which have one element.
  Value squeeze(NodeContext &node, Value value) const;
  /// `value` with an axis of one element at each of the axes, which are those
  /// of the result.
  Value unsqueeze(NodeContext &node, Value value) const;
  /// The product of the sizes of `value` along the axes.
  Value countElements(NodeContext &node, Value value) const;

  /// The reduction of `value` along the axes.
  template <typename OpT>
  Value reduce(NodeContext &node, Value value, bool keep) const {
    for (int64_t axis = 0; value && axis < rank; ++axis) {
      typename OpT::Properties properties;
      properties.axis = node.getBuilder().getDenseI64ArrayAttr(axis);
      properties.keepdims = node.getBuilder().getBoolAttr(true);
      value = choose(node, value, node.create<OpT>({value}, properties), axis);
    }
    return keep ? value : squeeze(node, value);
  }

private:
  int64_t rank = 0, count = 0;
  /// (rank, count): whether a dimension is that axis.
  Value matches;
  Value mask;
};

/// Where parts of a tensor begin and end along an axis, vectors, and how many
/// there are, a number. Null after an error.
struct ComputedParts {
  Value begins, ends, count;
};

/// Parts of `sizes`, integers of 64 bits: a number, of which the last part may
/// have less, or a vector. It is an error of the run if they are not all of
/// `data`, or not positive.
ComputedParts createParts(NodeContext &node, Value data, int64_t axis,
                          Value sizes);

/// The part [begin, end) of `value` along `axis`; both are vectors of one
/// element.
Value sliceAt(NodeContext &node, Value value, Value begin, Value end,
              int64_t axis);

/// A reshape to sizes that are a vector.
Value reshapeTo(NodeContext &node, Value value, Value sizes);

/// An input with one number, which may be computed when the model runs, as a
/// scalar of `type`; null, and an error, for others.
Value getScalar(NodeContext &node, unsigned index, Type type);

/// That one of `values`, of one type but for their sizes, which `index` says, a
/// scalar of 64 bits. Others than those there are are refused when the model
/// runs.
Value chooseTensor(NodeContext &node, ArrayRef<Value> values, Value index);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_COMPUTEDAXES_H
