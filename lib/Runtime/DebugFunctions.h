//===- DebugFunctions.h - What programs show values to ----------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_DEBUGFUNCTIONS_H
#define RELAY_MLIR_LIB_RUNTIME_DEBUGFUNCTIONS_H

#include "Objects.h"

#include <map>
#include <mutex>
#include <string>

namespace relay_rt {

/// Functions of the process by name.
class DebugFunctions {
public:
  /// Never freed: programs may run until the process ends.
  static DebugFunctions &get() {
    static auto *functions = new DebugFunctions();
    return *functions;
  }

  void set(const std::string &name, RelayDebugFunction function, void *user) {
    std::lock_guard<std::mutex> lock(mutex);
    if (function)
      entries[name] = {function, user};
    else
      entries.erase(name);
  }

  /// Calls a function, if there is one. It may set others.
  int32_t call(const std::string &name, Object *value) {
    Entry entry = {};
    {
      std::lock_guard<std::mutex> lock(mutex);
      auto it = entries.find(name);
      if (it != entries.end())
        entry = it->second;
    }
    return entry.function
               ? entry.function(entry.user,
                                reinterpret_cast<RelayValue *>(value))
               : 0;
  }

private:
  struct Entry {
    RelayDebugFunction function;
    void *user;
  };

  std::mutex mutex;
  std::map<std::string, Entry> entries;
};

} // namespace relay_rt

#endif // RELAY_MLIR_LIB_RUNTIME_DEBUGFUNCTIONS_H
