//===- RoundedScale.h - Changes of scale that round to even -----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_VTA_TRANSFORMS_ROUNDEDSCALE_H
#define RELAY_MLIR_LIB_DIALECT_VTA_TRANSFORMS_ROUNDEDSCALE_H

#include "AveragePool.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

namespace mlir::vta {

/// What quantized networks of ONNX compute of sums: a product of floats with a
/// power of two, rounded to the even neighbour, within the range of bytes.
struct RoundedScale {
  ScaleChange scale;
  /// From the cast to floats to the one to bytes, operands before users.
  SmallVector<Operation *> ops;
};

/// The change of scale that begins with `toFloats`, a cast of 32-bit integers
/// from `least` to `most`, if integers of 32 bits give the same bytes.
std::optional<RoundedScale> findRoundedScale(relay::CastOp toFloats,
                                             int64_t least, int64_t most);

} // namespace mlir::vta

#endif // RELAY_MLIR_LIB_DIALECT_VTA_TRANSFORMS_ROUNDEDSCALE_H
