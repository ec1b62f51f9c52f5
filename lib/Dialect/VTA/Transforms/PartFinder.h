//===- PartFinder.h - Parts of a graph for VTA ------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_VTA_TRANSFORMS_PARTFINDER_H
#define RELAY_MLIR_LIB_DIALECT_VTA_TRANSFORMS_PARTFINDER_H

#include "AveragePool.h"
#include "BlockProducts.h"

#include "mlir/IR/BuiltinTypes.h"
#include "relay-mlir/Runtime/VTA/Config.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::vta {

/// One step of a part, in the order in which steps run.
struct Step {
  /// What is computed: an operator of the graph, or else a change of scale,
  /// which the graph has in 64 bits.
  Operation *op = nullptr;
  ScaleChange scale;
  /// Which operand is the result of the step before.
  unsigned operand = 0;
  Value result;
};

/// A part of a graph.
struct Part {
  Operation *root = nullptr;
  /// The bytes that the root takes.
  Value data;
  /// None if the root is a maximum of windows, or the first step.
  BlockProducts products;
  SmallVector<Step> steps;
  /// Operations of the graph that the part takes the place of.
  SmallVector<Operation *> ops;
  /// What the part computes; bytes.
  Value result;
};

/// Whether a part begins with the maximum of windows.
bool isMaxPool(Operation *op);

/// Whether `op` is what a part with products may begin with: products of two
/// operands.
bool isLayer(Operation *op);

/// The part that begins with `root`, a layer; nullopt if a VTA does not have
/// it, and `reason` says why. It ends before what is `taken` by other parts,
/// such as a sum of two results.
std::optional<Part> findPart(Operation *root, const relay_vta::Config &config,
                             const DenseSet<Operation *> &taken,
                             std::string &reason);

/// The part without a product of layers that begins with `root`: a pool, or a
/// function of elements. It takes one of the values `onDevice`, since what
/// comes from the processor is better computed there.
std::optional<Part> findElementPart(Operation *root,
                                    const relay_vta::Config &config,
                                    const DenseSet<Operation *> &taken,
                                    const DenseSet<Value> &onDevice);

/// The type of a tensor of static shape; null for others.
inline RankedTensorType getStaticType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type : RankedTensorType();
}

} // namespace mlir::vta

#endif // RELAY_MLIR_LIB_DIALECT_VTA_TRANSFORMS_PARTFINDER_H
