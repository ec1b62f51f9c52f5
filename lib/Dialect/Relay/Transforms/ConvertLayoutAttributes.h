//===- ConvertLayoutAttributes.h - Attributes with defaults -----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Operations may leave out attributes that have their default value.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_CONVERTLAYOUTATTRIBUTES_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_CONVERTLAYOUTATTRIBUTES_H

#include "mlir/IR/Operation.h"

namespace mlir::relay::detail {

std::optional<int64_t> getInt(Operation *op, StringRef name);
std::optional<SmallVector<int64_t>> getInts(Operation *op, StringRef name);
bool getBool(Operation *op, StringRef name);
StringRef getString(Operation *op, StringRef name);

void setInt(Operation *op, StringRef name, int64_t value);
void setInts(Operation *op, StringRef name, ArrayRef<int64_t> values);
void setString(Operation *op, StringRef name, StringRef value);

/// A layout such as NCHW in another order.
std::string permuteLayout(StringRef layout, ArrayRef<int64_t> order);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_CONVERTLAYOUTATTRIBUTES_H
