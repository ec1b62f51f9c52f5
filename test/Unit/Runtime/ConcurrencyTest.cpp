//===- ConcurrencyTest.cpp - One run time, many threads -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What several threads may do at once with the C interface. A build with
// ThreadSanitizer sees races of the run time and, because the artefact is C
// that is built the same way, of two runs that share memory they should not.
//
//===----------------------------------------------------------------------===//

#include "Artifacts.h"
#include "Tensor.h"

#include "relay-mlir-c/Runtime.h"

#include "gtest/gtest.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

/// Runs `body(i)` for i in [0, count), each on a thread of its own.
void runOnThreads(int count, const std::function<void(int)> &body) {
  std::vector<std::thread> threads;
  std::atomic<int> numWaiting{count};
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&, i] {
      // They begin together.
      --numWaiting;
      while (numWaiting.load() != 0)
        std::this_thread::yield();
      body(i);
    });
  for (std::thread &thread : threads)
    thread.join();
}

/// The outputs of one run: y = 2 * x, z = the sums of the rows of y.
struct Outputs {
  DLManagedTensor *tensors[2] = {};

  void free() {
    for (DLManagedTensor *&tensor : tensors) {
      tensor->deleter(tensor);
      tensor = nullptr;
    }
  }
};

RelayStatus run(RelayModule *module, int64_t numRows, int64_t numColumns,
                float value, Outputs &outputs) {
  std::vector<float> x(numRows * numColumns, value);
  relay_test::Tensor input({numRows, numColumns}, x.data());
  const DLTensor *inputs[] = {&input.tensor};
  return relayModuleRun(module, inputs, 1, outputs.tensors, 2);
}

void expectOutputs(const Outputs &outputs, int64_t numRows, float value) {
  const auto *y =
      static_cast<const float *>(outputs.tensors[0]->dl_tensor.data);
  const auto *z =
      static_cast<const float *>(outputs.tensors[1]->dl_tensor.data);
  for (int64_t row = 0; row < numRows; ++row) {
    for (int64_t column = 0; column < 3; ++column)
      ASSERT_EQ(2 * value, y[3 * row + column]) << row;
    ASSERT_EQ(6 * value, z[row]) << row;
  }
}

void runAndCheck(RelayModule *module, int64_t numRows, float value) {
  Outputs outputs;
  ASSERT_EQ(RELAY_OK, run(module, numRows, 3, value, outputs))
      << relayGetLastError();
  expectOutputs(outputs, numRows, value);
  outputs.free();
}

class ConcurrencyTest : public ::testing::Test {
protected:
  void SetUp() override { ASSERT_EQ(RELAY_OK, relaySetNumThreads(3)); }

  RelayModule *load() {
    RelayModule *module = nullptr;
    EXPECT_EQ(RELAY_OK, relayModuleLoad(path.c_str(), &module))
        << relayGetLastError();
    return module;
  }

  std::string path = relay_test::makeArtifact("good");
};

TEST_F(ConcurrencyTest, ManyCallersOfOneModule) {
  RelayModule *module = load();
  runOnThreads(32, [&](int caller) {
    for (int repeat = 0; repeat < 20; ++repeat)
      runAndCheck(module, 1 + (caller * 7 + repeat) % 50, caller);
  });
  relayModuleFree(module);
}

TEST_F(ConcurrencyTest, ModulesComeAndGoWhileOthersRun) {
  RelayModule *shared = load();
  runOnThreads(12, [&](int caller) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      if (caller % 2) {
        runAndCheck(shared, 40, caller);
        continue;
      }
      RelayModule *own = load();
      runAndCheck(own, 30, caller);
      relayModuleFree(own);
    }
  });
  relayModuleFree(shared);
}

TEST_F(ConcurrencyTest, ThePoolIsReplacedWhileModulesRun) {
  RelayModule *module = load();
  runOnThreads(9, [&](int caller) {
    for (int repeat = 0; repeat < 30; ++repeat)
      if (caller == 0)
        ASSERT_EQ(RELAY_OK, relaySetNumThreads(1 + repeat % 4));
      else
        runAndCheck(module, 60, caller);
  });
  relayModuleFree(module);
}

/// Outputs may be freed by another thread, and after the module.
TEST_F(ConcurrencyTest, OutputsAreFreedElsewhere) {
  constexpr int kCallers = 8, kRuns = 20, kRows = 25;
  RelayModule *module = load();
  std::mutex mutex;
  std::vector<std::pair<Outputs, float>> handedOver;
  runOnThreads(2 * kCallers, [&](int caller) {
    for (int repeat = 0; repeat < kRuns; ++repeat) {
      std::pair<Outputs, float> entry{{}, float(caller)};
      if (caller < kCallers) {
        ASSERT_EQ(RELAY_OK, run(module, kRows, 3, entry.second, entry.first));
        std::lock_guard<std::mutex> lock(mutex);
        handedOver.push_back(entry);
        continue;
      }
      {
        std::lock_guard<std::mutex> lock(mutex);
        if (handedOver.empty())
          continue;
        entry = handedOver.back();
        handedOver.pop_back();
      }
      expectOutputs(entry.first, kRows, entry.second);
      entry.first.free();
    }
  });
  relayModuleFree(module);
  for (auto &[outputs, value] : handedOver) {
    expectOutputs(outputs, kRows, value);
    outputs.free();
  }
}

TEST_F(ConcurrencyTest, EachThreadHasItsOwnErrors) {
  RelayModule *module = load();
  runOnThreads(8, [&](int caller) {
    for (int repeat = 0; repeat < 20; ++repeat) {
      if (caller == 0) {
        runAndCheck(module, 4, 1);
        continue;
      }
      Outputs outputs;
      ASSERT_NE(RELAY_OK, run(module, 2, 3 + caller, 1, outputs));
      std::string message = relayGetLastError();
      EXPECT_NE(std::string::npos, message.find(std::to_string(3 + caller)))
          << message;
      RelayModule *none = nullptr;
      std::string path = "/no/such/" + std::to_string(caller);
      ASSERT_NE(RELAY_OK, relayModuleLoad(path.c_str(), &none));
      message = relayGetLastError();
      EXPECT_NE(std::string::npos, message.find(path)) << message;
    }
  });
  relayModuleFree(module);
}

} // namespace
