//===- Patterns.h - What knows regular expressions --------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What librelay_patterns.so has, which the run time loads for models with
// regular expressions: so it needs RE2 for these alone.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_RE2_PATTERNS_H
#define RELAY_MLIR_LIB_RUNTIME_RE2_PATTERNS_H

#include <cstddef>

namespace relay_rt {

struct PatternAPI {
  /// Of this structure.
  int version;
  /// A regular expression that finds the longest match or the first one of its
  /// alternatives. Null, and why in `error`, if the text is none.
  void *(*compile)(const char *text, size_t length, bool isLongest, char *error,
                   size_t errorSize);
  void (*free)(void *pattern);
  /// Whether there is a match in [begin, length), or of all of it, and where.
  /// What is before `begin` counts as context.
  bool (*match)(const void *pattern, const char *text, size_t length,
                size_t begin, bool isFull, size_t *matchBegin,
                size_t *matchEnd);
};

constexpr int kPatternVersion = 1;
constexpr const char *kPatternLibrary = "librelay_patterns.so";
constexpr const char *kPatternSymbol = "relayGetPatternAPI";

} // namespace relay_rt

#endif // RELAY_MLIR_LIB_RUNTIME_RE2_PATTERNS_H
