//===- Layout.h - Layouts such as NCHW and NCHW16c --------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_INTERPRETER_LAYOUT_H
#define RELAY_MLIR_LIB_INTERPRETER_LAYOUT_H

#include "relay-mlir/Interpreter/Tensor.h"

namespace mlir::relay {

/// Rearranges `data` from layout `from` to layout `to`. A layout is a letter
/// per dimension: an upper-case one for the dimension itself (or its outer
/// part), a number and a lower-case one for an inner part of that size. Parts
/// must divide their dimensions. Fails with a diagnostic at `op`.
FailureOr<Tensor> transformLayout(Operation *op, const Tensor &data,
                                  StringRef from, StringRef to);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_INTERPRETER_LAYOUT_H
