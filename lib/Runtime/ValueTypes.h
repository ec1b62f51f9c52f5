//===- ValueTypes.h - What values may be ------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program is well typed, so that bytecode need not look at types. What comes
// from outside is checked before a function runs on it.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_VALUETYPES_H
#define RELAY_MLIR_LIB_RUNTIME_VALUETYPES_H

#include "Objects.h"

#include <string>
#include <vector>

namespace relay_rt {

/// A RelayVMType with what it needs.
struct ValueType {
  RelayVMType kind = RELAY_VM_TYPE_ANY;
  DLDataType dtype = {};
  /// Of a tensor; a negative one may be any size, and one below -1 has the
  /// name of symbol -2 - size.
  std::vector<int64_t> dims = {};
  /// The number of a constructor, of an argument, or of parameters.
  int64_t number = 0;
  /// Fields, arguments, or contents.
  std::vector<ValueType> parts = {};
};

/// The types in `count` words; throws an Error with RELAY_INVALID_ARTIFACT if
/// they are none, or name what `program` does not have. `owner` is whose they
/// are; it names so many sizes.
std::vector<ValueType> parseTypes(const RelayVMProgram &program,
                                  const int64_t *words, int64_t count,
                                  int32_t numSymbols, const std::string &owner);

/// Checks `args`, the last arguments of `function`, against the types that it
/// has for them. Throws an Error that names the argument and, in it, the field
/// that is something else.
void checkArguments(const Program &program, const BytecodeFunction &function,
                    const Value *args, size_t count);

/// Checks that `value` may take the place of `old`, the contents of a
/// reference, whose type no value has: tensors have their elements and rank,
/// tuples fields that may take each other's place, and so on. Looks not at the
/// fields of data types.
void checkContents(const Value &old, const Value &value);

} // namespace relay_rt

#endif // RELAY_MLIR_LIB_RUNTIME_VALUETYPES_H
