//===- RE2Patterns.cpp - Regular expressions by RE2 -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include <cstring>
#include <new>
#include <re2/re2.h>

using namespace relay_rt;

static void *compile(const char *text, size_t length, bool isLongest,
                     char *error, size_t errorSize) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_longest_match(isLongest);
  auto *pattern =
      new (std::nothrow) RE2(re2::StringPiece(text, length), options);
  if (pattern && pattern->ok())
    return pattern;
  std::strncpy(error, pattern ? pattern->error().c_str() : "out of memory",
               errorSize - 1);
  error[errorSize - 1] = '\0';
  delete pattern;
  return nullptr;
}

static void freePattern(void *pattern) { delete static_cast<RE2 *>(pattern); }

static bool match(const void *pattern, const char *text, size_t length,
                  size_t begin, bool isFull, size_t *matchBegin,
                  size_t *matchEnd) {
  re2::StringPiece found;
  if (!static_cast<const RE2 *>(pattern)->Match(
          re2::StringPiece(text, length), begin, length,
          isFull ? RE2::ANCHOR_BOTH : RE2::UNANCHORED, &found, 1))
    return false;
  *matchBegin = found.data() - text;
  *matchEnd = *matchBegin + found.size();
  return true;
}

extern "C" __attribute__((visibility("default"))) const PatternAPI *
relayGetPatternAPI() {
  static const PatternAPI api = {kPatternVersion, compile, freePattern, match};
  return &api;
}
