//===- SparseTensors.h - Sparse tensors of a model --------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_SPARSETENSORS_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_SPARSETENSORS_H

#include "Model.h"

namespace mlir::relay::onnx {

/// The tensor of shape `dims` that has `values` at `indices` and zeros
/// elsewhere, with the name of the values. `indices` are positions in the
/// flattened tensor, one for each value, or the coordinates of each.
llvm::Expected<Tensor> makeDense(const Tensor &values, const Tensor &indices,
                                 llvm::ArrayRef<int64_t> dims);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_SPARSETENSORS_H
