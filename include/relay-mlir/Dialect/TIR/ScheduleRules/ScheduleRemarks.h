//===- ScheduleRemarks.h - What rules say of a kernel -----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// For people: what a schedule did and, where it stopped, why. What programs
// need to do the same again is the script.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TIR_SCHEDULERULES_SCHEDULEREMARKS_H
#define RELAY_MLIR_DIALECT_TIR_SCHEDULERULES_SCHEDULEREMARKS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace mlir::tir {

struct ScheduleRemark {
  /// Whether it is about something that was not done.
  bool isMissed = false;
  /// One word: "tile", "parallel", ...
  std::string name;
  std::string text;
};

using ScheduleRemarks = SmallVector<ScheduleRemark>;

} // namespace mlir::tir

#endif // RELAY_MLIR_DIALECT_TIR_SCHEDULERULES_SCHEDULEREMARKS_H
