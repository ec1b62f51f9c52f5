//===- Assertions.cpp - What headers call where assertions are on ---------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With assertions, the transform dialect's headers call a function that MLIR's
// library only has if it was built with assertions, too, which packages are
// not. This one stands in for it, and gives way to it.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"

#ifndef NDEBUG

using namespace mlir;

LLVM_ATTRIBUTE_WEAK void
transform::detail::checkImplementsTransformOpInterface(StringRef name,
                                                       MLIRContext *context) {
  std::optional<RegisteredOperationName> op =
      RegisteredOperationName::lookup(name, context);
  assert(op && op->hasInterface<TransformOpInterface>() &&
         op->hasInterface<MemoryEffectOpInterface>() &&
         "expects an op of the transform dialect to have the interfaces of a "
         "transformation and of memory effects");
}

#endif
