//===- Strings.h - Strings of a run, for C ----------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors of strings have their numbers, of 64 bits, as elements. Which string
// a number is, the table of a run says: it begins with the strings of the model
// (number 0 is the empty one), and strings are added to it as callers and
// kernels bring them. Equal strings have equal numbers. Strings are UTF-8, and
// may have zeros in them.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_C_STRINGS_H
#define RELAY_MLIR_C_STRINGS_H

#include "relay-mlir-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The strings of a run, which several threads may use at once.
typedef struct RelayStrings RelayStrings;

/// Makes a table that has the strings of a module, which must live longer; null
/// stands for one that has only the empty string.
RELAY_RT_EXPORT RelayStatus relayStringsCreate(const RelayModule *module,
                                               RelayStrings **strings);

/// Frees a table; null is allowed.
RELAY_RT_EXPORT void relayStringsFree(RelayStrings *strings);

RELAY_RT_EXPORT int64_t relayStringsGetSize(const RelayStrings *strings);

/// Stores the number of a string, which is added if it is new. Fails if it is
/// no UTF-8.
RELAY_RT_EXPORT RelayStatus relayStringsGetNumber(RelayStrings *strings,
                                                  const char *text,
                                                  uint64_t length,
                                                  int64_t *number);

/// Stores the string of a number, which lives as long as the table. Fails if
/// there is none.
RELAY_RT_EXPORT RelayStatus relayStringsGetText(const RelayStrings *strings,
                                                int64_t number,
                                                const char **text,
                                                uint64_t *length);

/// Lets calls of relayModuleRun, relayModuleInvoke and relayModuleInvokeClosure
/// by this thread have inputs and outputs with numbers of `strings`, to which
/// they add, until it is called again. Null takes the strings away: functions
/// of strings then know those of the model only, and what they make is gone
/// after the call. Returns what the thread had before.
RELAY_RT_EXPORT RelayStrings *relayUseStrings(RelayStrings *strings);
RELAY_RT_EXPORT RelayStrings *relayGetUsedStrings(void);

//===----------------------------------------------------------------------===//
// Functions of strings
//===----------------------------------------------------------------------===//

/// What kernels call (`relay.string_map` describes each function). Values are
/// part of the artefact format.
typedef enum RelayStringFunction {
  RELAY_STRING_CONCAT = 0,
  RELAY_STRING_LOWER = 1,
  RELAY_STRING_UPPER = 2,
  RELAY_STRING_SPLIT = 3,
  RELAY_STRING_CHARACTERS = 4,
  RELAY_STRING_FIND_ALL = 5,
  RELAY_STRING_SPLIT_ALL = 6,
  RELAY_STRING_LIST_SIZE = 7,
  RELAY_STRING_LIST_ITEM = 8,
  RELAY_STRING_FULL_MATCH = 9,
  RELAY_STRING_PARSE_INT = 10,
  RELAY_STRING_PARSE_UINT = 11,
  RELAY_STRING_PARSE_FLOAT = 12,
  RELAY_STRING_FORMAT_INT = 13,
  RELAY_STRING_FORMAT_UINT = 14,
  RELAY_STRING_FORMAT_FLOAT = 15,
  RELAY_STRING_HASH = 16,
  RELAY_STRING_LESS = 17,
} RelayStringFunction;

typedef struct RelayStringFunctionInfo {
  const char *name;
  RelayStringFunction function;
  /// Operands come first, then params.
  int32_t num_operands;
  int32_t num_params;
  /// Not 0 if more params may follow.
  int32_t has_more_params;
} RelayStringFunctionInfo;

/// Null if there is none of that name.
RELAY_RT_EXPORT const RelayStringFunctionInfo *
relayFindStringFunction(const char *name, uint64_t length);

/// Calls a function of strings with its operands and params. Fails if it does
/// not take them.
RELAY_RT_EXPORT RelayStatus relayStringsCall(RelayStrings *strings,
                                             int32_t function,
                                             const int64_t *args,
                                             int32_t num_args, int64_t *result);

/// Fails if a text is no regular expression of RE2, or if there is nothing that
/// knows regular expressions.
RELAY_RT_EXPORT RelayStatus relayCheckPattern(const char *pattern,
                                              uint64_t length);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // RELAY_MLIR_C_STRINGS_H
