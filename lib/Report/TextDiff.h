//===- TextDiff.h - How a pass changed the text of a program ----*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_REPORT_TEXTDIFF_H
#define RELAY_MLIR_LIB_REPORT_TEXTDIFF_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace mlir::relay {

struct TextDiff {
  /// The lines of the hunks, each after ' ', '-', '+', or '@' before a hunk.
  std::vector<std::string> lines;
  /// How many lines were removed and added, shown or not.
  size_t numRemoved = 0, numAdded = 0;
  /// Lines that are not shown, and whether the texts differ so much that one is
  /// said to be replaced by the other.
  size_t numOmitted = 0;
  bool isReplaced = false;
};

/// Compares the lines of two texts of MLIR. Lines that differ only in the
/// numbers of their values are equal, if the numbers stand for the same values.
TextDiff diffTexts(llvm::StringRef before, llvm::StringRef after,
                   size_t maxLines);

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_REPORT_TEXTDIFF_H
