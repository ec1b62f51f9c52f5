//===- Cumulative.h - Types of running sums and products --------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_IR_CUMULATIVE_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_IR_CUMULATIVE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

#include <optional>

namespace mlir::relay::detail {

/// The type of running sums or products along `axis`, of all elements without
/// one. `dtype` absent means that of the data.
LogicalResult inferCumulative(std::optional<Location> location, Type data,
                              std::optional<int64_t> axis,
                              std::optional<Type> dtype,
                              SmallVectorImpl<Type> &types);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_IR_CUMULATIVE_H
