//===- DynOps.h - Types of dyn operators ------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder: what the definitions of RelayDynOps.td call, and
// which other operators they are.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_IR_DYNOPS_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_IR_DYNOPS_H

#include "OperatorFormat.h"

namespace mlir::relay::detail {

/// A tensor of `dtype` with a dynamic size for each value of `shape`.
LogicalResult inferDynCreate(std::optional<Location> location, Value shape,
                             Type dtype, SmallVectorImpl<Type> &types);

/// Says of operators which other ones they are where operands are constants.
void registerStaticForms(MLIRContext *context);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_IR_DYNOPS_H
