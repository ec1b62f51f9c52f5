//===- Strings.h - Tensors of strings ---------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor of strings is one of their numbers, integers of 64 bits. The module
// has a table of the strings that it uses: number 0 is the empty one. Whoever
// calls @main numbers others behind those, equal ones equally.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_STRINGS_H
#define RELAY_MLIR_DIALECT_RELAY_IR_STRINGS_H

#include "relay-mlir-c/Strings.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::relay {

/// Argument and result attribute of tensors of strings.
inline constexpr StringLiteral kIsStringAttrName = "relay.is_string";

/// Module attribute: the table of strings, an array.
inline constexpr StringLiteral kStringsAttrName = "relay.strings";

/// Strings and their numbers, which go up as strings come.
class StringTable {
public:
  StringTable() = default;
  /// The table of a module, which may have none.
  explicit StringTable(ModuleOp module);
  // A copy would have the texts of what it is a copy of.
  StringTable(const StringTable &) = delete;
  StringTable &operator=(const StringTable &) = delete;
  StringTable(StringTable &&) = default;
  StringTable &operator=(StringTable &&) = default;

  int64_t size() const { return static_cast<int64_t>(texts.size()); }
  int64_t getNumber(StringRef text);
  SmallVector<int64_t> getNumbers(ArrayRef<std::string> texts);
  /// The string of a number; nothing if it has none.
  std::optional<StringRef> getText(int64_t number) const;
  /// The strings in the order of their numbers.
  ArrayAttr getAttr(MLIRContext *context) const;

private:
  llvm::StringMap<int64_t> numbers;
  /// The keys of `numbers`.
  std::vector<StringRef> texts;
};

/// The strings of runs of this thread while it lives: those of a table with
/// their numbers, and others behind them.
class StringRun {
public:
  /// `module` is what runs, or null for an interpreter.
  explicit StringRun(const StringTable &table,
                     const RelayModule *module = nullptr);
  ~StringRun();
  StringRun(const StringRun &) = delete;

  /// Adds to `table` what runs have added.
  void addTo(StringTable &table) const;

private:
  RelayStrings *strings = nullptr;
  RelayStrings *before;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_STRINGS_H
