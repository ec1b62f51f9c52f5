//===- InitAllPasses.h - Register every pass --------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_INITALLPASSES_H
#define RELAY_MLIR_INITALLPASSES_H

#include "mlir/InitAllPasses.h"

namespace mlir::relay {

/// Registers all passes and pipelines of the project and of MLIR.
inline void registerAllPasses() { mlir::registerAllPasses(); }

} // namespace mlir::relay

#endif // RELAY_MLIR_INITALLPASSES_H
