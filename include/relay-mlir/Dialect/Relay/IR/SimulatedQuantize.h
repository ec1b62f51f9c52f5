//===- SimulatedQuantize.h - What annotation quantizes ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_SIMULATEDQUANTIZE_H
#define RELAY_MLIR_DIALECT_RELAY_IR_SIMULATEDQUANTIZE_H

#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"

namespace mlir::relay {

/// The simulated_quantize of a function that quantize, in the order in which
/// passes and reports number them.
SmallVector<RelayOpAnnotationSimulatedQuantizeOp>
getSimulatedQuantizes(Operation *function);

/// Where the channels are of a product that quantization may make integers, by
/// its QuantizeRole, if those of its data and of its result are of static size.
std::optional<ChannelAxes> getQuantizedChannels(Operation *op);

/// Those of a function that have channels, in their order.
SmallVector<std::pair<Operation *, ChannelAxes>>
getQuantizedProducts(Operation *function);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_SIMULATEDQUANTIZE_H
