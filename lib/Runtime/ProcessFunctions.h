//===- ProcessFunctions.h - What programs call by name ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_PROCESSFUNCTIONS_H
#define RELAY_MLIR_LIB_RUNTIME_PROCESSFUNCTIONS_H

#include "Objects.h"

#include "relay-mlir-c/Functions.h"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace relay_rt {

/// Functions of one type by name. Any thread may set them; one that is called
/// may set others.
template <typename Function>
class FunctionTable {
public:
  struct Entry {
    Function function = nullptr;
    void *user = nullptr;
  };

  /// Null takes a function away.
  void set(const std::string &name, Function function, void *user) {
    std::lock_guard<std::mutex> lock(mutex);
    if (function)
      entries[name] = {function, user};
    else
      entries.erase(name);
  }

  Entry lookup(const std::string &name) {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = entries.find(name);
    return it == entries.end() ? Entry() : it->second;
  }

private:
  std::mutex mutex;
  std::map<std::string, Entry> entries;
};

/// What the process has set.
struct ProcessFunctions {
  /// Never freed: programs may run until the process ends.
  static ProcessFunctions &get() {
    static auto *functions = new ProcessFunctions();
    return *functions;
  }

  FunctionTable<RelayDebugFunction> debug;
  FunctionTable<RelayPackedFunction> packed;
};

/// Calls a packed function that writes the last `numOutputs` of its arguments,
/// or returns a value if there is no such number. Throws if there is none of
/// that name, or if it fails.
Value callPacked(const char *name, const std::vector<Value> &args,
                 std::optional<int32_t> numOutputs);

/// Copies elements of tensors, also in tuples, that are somebody else's, as far
/// as `object` is shared.
void ownTensors(Object *object, bool isShared);

} // namespace relay_rt

#endif // RELAY_MLIR_LIB_RUNTIME_PROCESSFUNCTIONS_H
