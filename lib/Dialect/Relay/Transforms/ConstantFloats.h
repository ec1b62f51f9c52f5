//===- ConstantFloats.h - Elements of constants ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_CONSTANTFLOATS_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_CONSTANTFLOATS_H

#include "mlir/IR/Value.h"

#include <optional>

namespace mlir::relay {

/// The elements of a constant of f32; none of anything else.
std::optional<SmallVector<float>> getFloats(Value value);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_CONSTANTFLOATS_H
