//===- ConstantNumbers.h - The numbers in a constant ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_CONSTANTNUMBERS_H
#define RELAY_MLIR_DIALECT_RELAY_IR_CONSTANTNUMBERS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace mlir::relay {

/// The contents of a constant of static shape, also of those outside of the
/// context; null if they are not at hand.
DenseElementsAttr getContents(ElementsAttr constant);

/// The elements of a constant of signless integers; of a splat the one that all
/// are. None of anything else.
std::optional<SmallVector<int64_t>> getIntegers(Value value);

/// The elements of a constant of f32; none of anything else.
std::optional<SmallVector<float>> getFloats(Value value);

/// The elements of a constant, floats or integers, as doubles; none of anything
/// else.
std::optional<SmallVector<double>> getNumbers(Value value);

/// Whether two values are the same, or constants as large of the same numbers,
/// which may differ by `tolerance` times one of them.
bool areSameNumbers(Value a, Value b, double tolerance = 0);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_CONSTANTNUMBERS_H
