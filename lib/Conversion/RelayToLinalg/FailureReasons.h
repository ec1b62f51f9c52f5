//===- FailureReasons.h - Why patterns do not match -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_FAILUREREASONS_H
#define RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_FAILUREREASONS_H

#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::relay::detail {

/// What patterns tell by `notifyMatchFailure`, by operation. The conversion
/// driver of a release build of MLIR has no ear for it, so the patterns
/// themselves are given one.
class FailureReasons {
public:
  /// Listens to all of `patterns`, which must not outlive this.
  void observe(RewritePatternSet &patterns);

  /// Whether a pattern for `op` has failed, or there is none.
  bool isRefused(Operation *op) const {
    return reasons.contains(op) || !names.contains(op->getName());
  }
  /// Adds what the patterns for `op` said as notes.
  void attachNotes(InFlightDiagnostic &diagnostic, Operation *op) const;

private:
  class Listener;
  class ObservedPattern;
  using Reasons = std::vector<Diagnostic>;

  static void addReason(Reasons &reasons, Diagnostic reason);

  DenseMap<Operation *, Reasons> reasons;
  llvm::DenseSet<OperationName> names;
};

} // namespace mlir::relay::detail

#endif // RELAY_MLIR_LIB_CONVERSION_RELAYTOLINALG_FAILUREREASONS_H
