//===- Regions.h - Regions of images ----------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_FRONTEND_ONNX_REGIONS_H
#define RELAY_MLIR_LIB_FRONTEND_ONNX_REGIONS_H

#include "NodeContext.h"

namespace mlir::relay::onnx {

/// The means of `counts` bins of each region of RoiAlign, in each of which as
/// many samples are taken as it has pixels. With `isShifted`, corners are those
/// of half pixels; else regions have at least one pixel.
Value createAdaptiveRoiAlign(NodeContext &node, ArrayRef<int64_t> counts,
                             double scale, bool isShifted);

LogicalResult convertMaxRoiPool(NodeContext &node);

} // namespace mlir::relay::onnx

#endif // RELAY_MLIR_LIB_FRONTEND_ONNX_REGIONS_H
