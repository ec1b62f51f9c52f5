//===- KernelSignature.h - Shapes that kernels are called with --*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_LINALGTOTIR_KERNELSIGNATURE_H
#define RELAY_MLIR_LIB_CONVERSION_LINALGTOTIR_KERNELSIGNATURE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "relay-mlir/Dialect/Relax/IR/Relax.h"

namespace mlir::tir {

/// The shape of operand or result `index` (results after operands) of a call,
/// from the one that it has.
using CallTypeFn = function_ref<relax::SymbolicTensorType(
    unsigned index, relax::SymbolicTensorType type)>;

/// Makes `call` pass and return tensors of other shapes, which have the same
/// elements in the same order.
void reshapeCall(relax::CallTIROp call, CallTypeFn getType);

/// Kernels that begin or end with a change of shape get tensors of the shape
/// they compute with instead, so that dimensions of the others stay visible:
/// callers reshape at no cost.
void dropBoundaryReshapes(func::FuncOp kernel,
                          ArrayRef<relax::CallTIROp> calls);

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_CONVERSION_LINALGTOTIR_KERNELSIGNATURE_H
