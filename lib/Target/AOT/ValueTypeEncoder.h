//===- ValueTypeEncoder.h - Types of values as words ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_TARGET_AOT_VALUETYPEENCODER_H
#define RELAY_MLIR_LIB_TARGET_AOT_VALUETYPEENCODER_H

#include "relay-mlir/Dialect/Relax/IR/Relax.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::relay::detail {

/// Writes types of relay as the words of a RelayVMType.
class ValueTypeEncoder {
public:
  /// `constructors` are those of the program, by their numbers.
  explicit ValueTypeEncoder(ArrayRef<relax::ConstructorAttr> constructors);

  /// Appends `type`. `params` are those of the data type around it; any other
  /// type variable may be anything. Names of open sizes are added to `symbols`.
  void encode(Type type, ArrayRef<StringAttr> params,
              llvm::SetVector<StringAttr> &symbols,
              SmallVectorImpl<int64_t> &words) const;

private:
  /// The number of the first constructor of each data type.
  llvm::StringMap<int64_t> dataTypes;
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_TARGET_AOT_VALUETYPEENCODER_H
