//===- SizeNames.h - Names of open sizes of parameters ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTORELAX_SIZENAMES_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTORELAX_SIZENAMES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::relay {

/// The types of the parameters as callers outside know them: open sizes of
/// tensors, and of tuples of tensors, have names, those of `relay.dims` or d0
/// and so on.
SmallVector<Type> getTypesWithSizeNames(func::FuncOp function);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTORELAX_SIZENAMES_H
