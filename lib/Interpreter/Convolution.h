//===- Convolution.h - Convolutions -----------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_INTERPRETER_CONVOLUTION_H
#define RELAY_MLIR_LIB_INTERPRETER_CONVOLUTION_H

#include "relay-mlir/Interpreter/Tensor.h"

namespace mlir::relay {

/// Convolves (N, C, spatial...) data with an (O, I, spatial...) weight. The
/// result is in the same layout, of the element type that `op` returns. Fails
/// with a diagnostic at `op` where channels and groups do not fit.
FailureOr<Tensor>
evaluateConvolution(Operation *op, const Tensor &data, const Tensor &weight,
                    ArrayRef<int64_t> strides, ArrayRef<int64_t> padding,
                    ArrayRef<int64_t> dilation, int64_t groups);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_INTERPRETER_CONVOLUTION_H
