//===- VirtualDevice.h - Attributes that name a device ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_IR_VIRTUALDEVICE_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_IR_VIRTUALDEVICE_H

#include "mlir/IR/Operation.h"

namespace mlir::relay::detail {

/// Checks that `device`, attribute `name`, has fields of a device only.
LogicalResult verifyVirtualDevice(Operation *op, StringRef name,
                                  std::optional<DictionaryAttr> device);

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_IR_VIRTUALDEVICE_H
