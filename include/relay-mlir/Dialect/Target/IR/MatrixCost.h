//===- MatrixCost.h - What matrix units cost --------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by whoever compares matrix units (AMX) with something else: vectors,
// when a kernel is scheduled, and Winograd's algorithm long before. Measured on
// current x86 servers, one core.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TARGET_IR_MATRIXCOST_H
#define RELAY_MLIR_DIALECT_TARGET_IR_MATRIXCOST_H

namespace mlir::relay {

/// Cycles to split a vector of f32 into two pieces of bf16: 13 instructions,
/// two at a time, and loads and stores that do not all hide behind them.
inline constexpr double kSplitCycles = 10;

/// Bytes per cycle that stream from where `bytes` fit, in a core with a second
/// and a third cache of so many bytes.
inline double getBandwidth(double bytes, double l2, double l3) {
  return bytes <= l2 / 2 ? 32 : bytes <= l3 / 2 ? 12 : 6;
}

/// Cycles of `tiles` tiles of results, each the sum of `products`
/// multiplications of tile registers. One starts every 16 cycles if its
/// operands are there; with operands from the second cache, whole convolutions
/// and products of matrices took 23 to 27 for each.
inline double estimateMatrixTiles(double tiles, double products) {
  constexpr double kProductCycles = 24, kTileCycles = 200;
  return tiles * (products * kProductCycles + kTileCycles);
}

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_TARGET_IR_MATRIXCOST_H
