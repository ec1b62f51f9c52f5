//===- Cumulative.h - Wrapping arithmetic, running results ------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_INTERPRETER_CUMULATIVE_H
#define RELAY_MLIR_LIB_INTERPRETER_CUMULATIVE_H

#include "Evaluators.h"
#include "Strided.h"

#include <type_traits>

namespace mlir::relay {

/// In which products and sums of `W` are computed: unsigned ones wrap where
/// signed ones would be undefined.
template <typename W>
using Wrapping =
    std::conditional_t<std::is_same_v<W, double>, double, uint64_t>;

/// Evaluates cumsum or cumprod: `combine` adds a value to what came before,
/// which begins with `identity`.
template <typename OpT, typename Fn>
FailureOr<Tensor> evaluateCumulative(OpT op, ArrayRef<Tensor> operands,
                                     int identity, Fn combine) {
  Tensor data = operands[0];
  int64_t axis = 0;
  if (op.getAxis())
    axis = normalizeAxis(*op.getAxis(), data.getRank());
  else
    data = data.reshape(data.getNumElements());
  Type elementType = getResultElementType(op);
  SmallVector<int64_t> permutation =
      getAxesLastPermutation(data.getRank(), axis);
  bool exclusive = op.getExclusive();
  Tensor moved = transpose(data, permutation);
  Tensor results = dispatchWideType(elementType, [&](auto wide) {
    using W = decltype(wide);
    return mapRows<W>(moved, elementType, [&](MutableArrayRef<W> row) {
      Wrapping<W> running = identity;
      for (W &value : row) {
        Wrapping<W> before = running;
        running = combine(running, static_cast<Wrapping<W>>(value));
        value = static_cast<W>(exclusive ? before : running);
      }
    });
  });
  return transpose(results, invertPermutation(permutation));
}

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_INTERPRETER_CUMULATIVE_H
