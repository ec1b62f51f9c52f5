//===- CarrySizes.h - Sizes that elements decide ----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTORELAX_CARRYSIZES_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTORELAX_CARRYSIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::relay::detail {

/// What the run time takes for inputs of which only the sizes are used
/// (RELAY_SIZES_PREFIX of Runtime/ArtifactFormat.h).
inline constexpr llvm::StringLiteral kSizesPrefix = "sizes:";

/// Rewrites operators whose sizes depend on elements of tensors that are not
/// constant. A function of tensors knows the sizes of its results from those of
/// its arguments only; so the machine makes a tensor of such sizes, without
/// elements (`vm.builtin.make_sized`), for an argument.
void carrySizes(func::FuncOp function);

/// Whether a value is such a tensor.
bool isSizedOnly(Value value);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTORELAX_CARRYSIZES_H
