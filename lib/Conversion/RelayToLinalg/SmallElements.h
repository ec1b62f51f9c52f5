//===- SmallElements.h - Elements of 2, 4 and 8 bits ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_SMALLELEMENTS_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_SMALLELEMENTS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::relay::detail {

/// The type in which small elements (isSmallElement) are computed: f32, or an
/// integer of 8 bits.
Type getWideElementType(Type type);

/// The value, in that type, of a byte with the bits of an element of `type`.
Value widenSmallElement(ImplicitLocOpBuilder &b, Type type, Value byte);

/// The byte with the bits of an element of `type`, from its value in that type:
/// floats are rounded to the nearest, integers keep their low bits, unless
/// `saturates`, which makes the nearest end of what is beyond the range.
Value narrowToSmallElement(ImplicitLocOpBuilder &b, Type type, Value value,
                           bool saturates);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_SMALLELEMENTS_H
