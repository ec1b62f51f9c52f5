//===- Programs.h - Programs in bytecode for tests --------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TEST_UNIT_RUNTIME_PROGRAMS_H
#define RELAY_MLIR_TEST_UNIT_RUNTIME_PROGRAMS_H

#include "Artifacts.h"

#include "gtest/gtest.h"

#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace relay_test {

/// Loads a file, which goes again; null if that fails.
inline RelayModule *load(const Bytes &file) {
  std::string path =
      ::testing::TempDir() + "program-" + std::to_string(getpid()) + "-XXXXXX";
  int descriptor = mkstemp(path.data());
  EXPECT_GE(descriptor, 0);
  close(descriptor);
  writeBytes(path, file);
  RelayModule *module = nullptr;
  RelayStatus status = relayModuleLoad(path.c_str(), &module);
  unlink(path.c_str());
  return status == RELAY_OK ? module : nullptr;
}

inline Bytes getWeights() { return Bytes(sizeof(int32_t), 0); }

/// A value of a program, which goes with it.
class Value {
public:
  Value() = default;
  explicit Value(int32_t number) {
    DLTensor tensor = {&number, {kDLCPU, 0}, 0, {kDLInt, 32, 1},
                       nullptr, nullptr,     0};
    EXPECT_EQ(RELAY_OK, relayValueFromTensor(&tensor, &value));
  }
  explicit Value(std::vector<int32_t> numbers) {
    int64_t size = numbers.size();
    DLTensor tensor = {numbers.data(), {kDLCPU, 0}, 1, {kDLInt, 32, 1},
                       &size,          nullptr,     0};
    EXPECT_EQ(RELAY_OK, relayValueFromTensor(&tensor, &value));
  }
  Value(Value &&other) : value(std::exchange(other.value, nullptr)) {}
  Value &operator=(Value &&other) {
    std::swap(value, other.value);
    return *this;
  }
  ~Value() { relayValueRelease(value); }
  RelayValue *get() const { return value; }
  RelayValue **operator&() { return &value; }

  int32_t getNumber() const {
    DLTensor tensor = {};
    EXPECT_EQ(RELAY_OK, relayValueGetTensor(value, &tensor))
        << relayGetLastError();
    return tensor.data ? *static_cast<int32_t *>(tensor.data) : -1;
  }

private:
  RelayValue *value = nullptr;
};

} // namespace relay_test

#endif // RELAY_MLIR_TEST_UNIT_RUNTIME_PROGRAMS_H
