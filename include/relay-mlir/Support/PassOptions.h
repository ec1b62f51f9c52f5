//===- PassOptions.h - Values that options of passes take -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_SUPPORT_PASSOPTIONS_H
#define RELAY_MLIR_SUPPORT_PASSOPTIONS_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassOptions.h"

#include <limits>

namespace mlir::relay {

/// Fails with an error if the value of `option` is not from `least` to `most`.
/// A pass asks when it is initialized, before it has changed anything.
template <typename T, typename Parser>
LogicalResult
checkRange(MLIRContext *context,
           const ::mlir::detail::PassOptions::Option<T, Parser> &option,
           T least, T most = std::numeric_limits<T>::max()) {
  T value = option.getValue();
  if (value >= least && value <= most)
    return success();
  InFlightDiagnostic diag = emitError(UnknownLoc::get(context))
                            << "expects option '" << option.ArgStr
                            << "' to be at least " << least;
  if (most != std::numeric_limits<T>::max())
    diag << " and at most " << most;
  return diag << ", but got " << value;
}

} // namespace mlir::relay

#endif // RELAY_MLIR_SUPPORT_PASSOPTIONS_H
