//===- Strings.h - Strings of a run -----------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A run has a table of its own, behind the one of its module: so runs do not
// disturb each other, and what a run has made goes with it. Patterns come from
// the model alone, and stay with the module.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_STRINGS_H
#define RELAY_MLIR_LIB_RUNTIME_STRINGS_H

#include "relay-mlir-c/Strings.h"
#include "relay-mlir/Runtime/ArtifactFormat.h"

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace relay_rt {

struct PatternAPI;

/// A regular expression.
class Pattern {
public:
  /// Throws if `text` is none, or if there is nothing that knows them.
  Pattern(std::string_view text, bool isLongest);
  ~Pattern();
  Pattern(const Pattern &) = delete;

  bool matchesAll(std::string_view text) const;
  /// The first match from `begin` on: where it begins, and its size. Returns
  /// false if there is none.
  bool find(std::string_view text, size_t begin, size_t &at,
            size_t &size) const;

private:
  const PatternAPI &api;
  void *pattern;
};

/// The strings of a module.
class ModuleStrings {
public:
  /// Of a module without strings: the empty one.
  ModuleStrings();
  explicit ModuleStrings(const RelayArtifact &artifact);

  int64_t size() const { return static_cast<int64_t>(texts.size()); }
  const std::string &getText(int64_t number) const { return texts[number]; }
  /// Null if the module has no such string.
  const int64_t *findNumber(std::string_view text) const;

  const Pattern &getPattern(std::string_view text, bool isLongest) const;

private:
  void add(std::string text);

  std::deque<std::string> texts;
  std::unordered_map<std::string_view, int64_t> numbers;
  mutable std::mutex mutex;
  mutable std::map<std::pair<std::string, bool>, std::unique_ptr<Pattern>>
      patterns;
};

/// Lists of strings that functions make for others, by their numbers. They
/// belong to one run.
using StringLists = std::vector<std::vector<int64_t>>;

} // namespace relay_rt

struct RelayStrings {
public:
  explicit RelayStrings(std::shared_ptr<const relay_rt::ModuleStrings> base)
      : base(std::move(base)) {}

  const relay_rt::ModuleStrings *getBase() const { return base.get(); }

  int64_t size() const;
  /// These throw for what is no UTF-8, and for numbers that nothing has.
  int64_t getNumber(std::string_view text);
  std::string_view getText(int64_t number) const;
  int64_t call(int32_t function, const int64_t *args, int32_t numArgs,
               relay_rt::StringLists &lists);

  /// Of calls that are of no run.
  relay_rt::StringLists ownLists;

private:
  /// The same while the mutex is held.
  int64_t add(std::string_view text);
  std::string_view lookup(int64_t number) const;
  /// What `function` makes of its arguments, whose number is right.
  int64_t compute(RelayStringFunction function, const int64_t *args,
                  int32_t numArgs, relay_rt::StringLists &lists);
  std::vector<int64_t> split(std::string_view text, std::string_view delimiter,
                             int64_t maxSplits);
  std::vector<int64_t> splitCharacters(std::string_view text);
  std::vector<int64_t> findAll(std::string_view text, std::string_view pattern,
                               int64_t minSize);
  std::vector<int64_t> splitAll(std::string_view text, int64_t minSize,
                                const int64_t *patterns, int32_t numPatterns);

  std::shared_ptr<const relay_rt::ModuleStrings> base;
  mutable std::mutex mutex;
  /// Behind those of the module.
  std::deque<std::string> texts;
  std::unordered_map<std::string_view, int64_t> numbers;
};

#endif // RELAY_MLIR_LIB_RUNTIME_STRINGS_H
