//===- SizeNames.h - Names of open sizes of parameters ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTORELAX_SIZENAMES_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTORELAX_SIZENAMES_H

#include "relay-mlir/Dialect/Relax/IR/Relax.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::relay {

/// Names the open sizes of a function's parameters, each of which is named
/// once: as `relay.dims` says, or d0 and so on.
class SizeNamer {
public:
  explicit SizeNamer(func::FuncOp function);

  /// The type of parameter `index` as callers outside know it. Open sizes of a
  /// tensor, and of tensors in a tuple, have names; other types are as they
  /// are.
  Type getType(unsigned index);

  /// Whether `name` is nobody's so far, which it is no longer.
  bool reserve(StringRef name) { return taken.insert(name).second; }

private:
  Type nameSizes(Type type, ArrayAttr names);

  func::FuncOp function;
  llvm::StringSet<> taken;
  unsigned numMade = 0;
};

/// The types of all parameters, likewise.
SmallVector<Type> getTypesWithSizeNames(func::FuncOp function);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTORELAX_SIZENAMES_H
