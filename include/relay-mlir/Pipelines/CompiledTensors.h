//===- CompiledTensors.h - Tensors to and from compiled models --*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PIPELINES_COMPILEDTENSORS_H
#define RELAY_MLIR_PIPELINES_COMPILEDTENSORS_H

#include "relay-mlir-c/Runtime.h"
#include "relay-mlir/Interpreter/InterpreterValue.h"

#include "mlir/IR/Location.h"

namespace mlir::relay {

/// Returns the element type that a DLPack type stands for.
Type getElementType(MLIRContext *context, DLDataType type);

/// Tensors of the interpreter as the run time reads them, without a copy; the
/// values must outlive it.
class DLTensorViews {
public:
  explicit DLTensorViews(ArrayRef<InterpreterValue> values);
  DLTensorViews(const DLTensorViews &) = delete;

  ArrayRef<const DLTensor *> get() const { return pointers; }

private:
  SmallVector<DLTensor> tensors;
  SmallVector<SmallVector<int64_t>> shapes;
  SmallVector<const DLTensor *> pointers;
};

/// Runs `compiled` on tensors of the interpreter. Errors of the run time are
/// reported at `location`.
FailureOr<SmallVector<Tensor>> runCompiled(RelayModule *compiled,
                                           ArrayRef<InterpreterValue> inputs,
                                           Location location);

} // namespace mlir::relay

#endif // RELAY_MLIR_PIPELINES_COMPILEDTENSORS_H
