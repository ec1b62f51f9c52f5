//===- ModuleTest.cpp - Load, bind and run artefacts ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Artifacts.h"
#include "Tensor.h"

#include "gtest/gtest.h"

#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace relay_test;

namespace {
class ModuleTest : public ::testing::Test {
protected:
  void SetUp() override {
    std::string path = makeArtifact("good");
    ASSERT_EQ(RELAY_OK, relayModuleLoad(path.c_str(), &module))
        << relayGetLastError();
    unlink(path.c_str());
  }
  void TearDown() override { relayModuleFree(module); }

  /// Runs the module on one tensor and returns the status.
  RelayStatus run(const DLTensor &input) {
    for (DLManagedTensor *&output : outputs)
      output = nullptr;
    const DLTensor *inputs[] = {&input};
    return relayModuleRun(module, inputs, 1, outputs, 2);
  }
  void freeOutputs() {
    for (DLManagedTensor *output : outputs)
      output->deleter(output);
  }
  static const float *data(const DLManagedTensor *tensor) {
    return static_cast<const float *>(tensor->dl_tensor.data);
  }

  RelayModule *module = nullptr;
  DLManagedTensor *outputs[2] = {};
};
} // namespace

TEST_F(ModuleTest, DescribesInputsAndOutputs) {
  EXPECT_EQ(1, relayModuleGetNumInputs(module));
  EXPECT_EQ(2, relayModuleGetNumOutputs(module));
  RelayTensorInfo info;
  ASSERT_EQ(RELAY_OK, relayModuleGetInputInfo(module, 0, &info));
  EXPECT_STREQ("x", info.name);
  EXPECT_EQ(2, info.ndim);
  EXPECT_EQ(-1, info.shape[0]);
  EXPECT_EQ(3, info.shape[1]);
  EXPECT_STREQ("n", info.dim_names[0]);
  EXPECT_EQ(RELAY_INVALID_ARGUMENT, relayModuleGetInputInfo(module, 1, &info));
  int32_t index = -1;
  EXPECT_EQ(RELAY_OK, relayModuleFindInput(module, "x", &index));
  EXPECT_EQ(0, index);
  EXPECT_EQ(RELAY_INVALID_ARGUMENT, relayModuleFindInput(module, "q", &index));
  EXPECT_STREQ("expects one of the inputs 'x', but got 'q'",
               relayGetLastError());
}

TEST_F(ModuleTest, RunsAtEveryBatchAndThreadCount) {
  for (int threads : {1, 2, 3, 8}) {
    ASSERT_EQ(RELAY_OK, relaySetNumThreads(threads));
    int32_t count = 0;
    ASSERT_EQ(RELAY_OK, relayGetNumThreads(&count));
    EXPECT_EQ(threads, count);
    for (int64_t batch : {0, 1, 2, 5, 1000, 7}) {
      std::vector<float> x(3 * batch);
      for (size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<float>(i);
      ASSERT_EQ(RELAY_OK, run(Tensor({batch, 3}, x.data()).tensor))
          << relayGetLastError();
      EXPECT_EQ(batch, outputs[0]->dl_tensor.shape[0]);
      for (size_t i = 0; i < x.size(); ++i)
        ASSERT_EQ(2 * x[i], data(outputs[0])[i]);
      for (int64_t i = 0; i < batch; ++i)
        ASSERT_EQ(2 * (x[3 * i] + x[3 * i + 1] + x[3 * i + 2]),
                  data(outputs[1])[i]);
      freeOutputs();
    }
  }
}

TEST_F(ModuleTest, WritesIntoGivenOutputs) {
  float x[] = {1, 2, 3}, y[3] = {}, z[1] = {};
  Tensor input({1, 3}, x), first({1, 3}, y), second({1}, z);
  DLManagedTensor given[] = {{first.tensor, nullptr, nullptr},
                             {second.tensor, nullptr, nullptr}};
  DLManagedTensor *places[] = {&given[0], &given[1]};
  const DLTensor *inputs[] = {&input.tensor};
  ASSERT_EQ(RELAY_OK, relayModuleRun(module, inputs, 1, places, 2));
  EXPECT_EQ(6, y[2]);
  EXPECT_EQ(12, z[0]);

  second.shape[0] = 2;
  EXPECT_EQ(RELAY_INVALID_ARGUMENT,
            relayModuleRun(module, inputs, 1, places, 2));
  EXPECT_STREQ("expects output 'z' to have shape [1], but got [2]",
               relayGetLastError());
}

TEST_F(ModuleTest, ReadsStridedInputs) {
  float x[] = {1, 4, 2, 5, 3, 6}; // A 3x2 array, seen as its transpose.
  int64_t strides[] = {1, 2};
  Tensor input({2, 3}, x);
  input.tensor.strides = strides;
  ASSERT_EQ(RELAY_OK, run(input.tensor));
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(2 * (i + 1), data(outputs[0])[i]);
  freeOutputs();
}

TEST_F(ModuleTest, RefusesWrongInputs) {
  float x[12] = {};
  EXPECT_EQ(RELAY_INVALID_ARGUMENT, run(Tensor({3, 4}, x).tensor));
  EXPECT_STREQ("expects input 'x' to have shape [n, 3], but got [3, 4]",
               relayGetLastError());
  EXPECT_EQ(RELAY_INVALID_ARGUMENT, run(Tensor({3}, x).tensor));
  EXPECT_STREQ("expects input 'x' to have shape [n, 3], but got [3]",
               relayGetLastError());
  Tensor ints({1, 3}, x);
  ints.tensor.dtype = {kDLInt, 64, 1};
  EXPECT_EQ(RELAY_INVALID_ARGUMENT, run(ints.tensor));
  EXPECT_STREQ("expects input 'x' to have dtype float32, but got int64",
               relayGetLastError());
  EXPECT_EQ(RELAY_INVALID_ARGUMENT, run(Tensor({1, 3}, nullptr).tensor));
  EXPECT_EQ(RELAY_INVALID_ARGUMENT,
            relayModuleRun(module, nullptr, 0, outputs, 2));
  EXPECT_STREQ("expects 1 inputs, but got 0", relayGetLastError());
  EXPECT_EQ(RELAY_INVALID_ARGUMENT, relaySetNumThreads(0));
  EXPECT_EQ(RELAY_INVALID_ARGUMENT, relaySetNumThreads(-3));
  EXPECT_EQ(RELAY_INVALID_ARGUMENT, relaySetNumThreads(1000000));
}

// Sizes of which products do not fit 64 bits.
TEST_F(ModuleTest, RefusesInputsThatAreTooLarge) {
  float x[3] = {};
  int64_t large = int64_t(1) << 61, strides[] = {0, 1};
  EXPECT_EQ(RELAY_INVALID_ARGUMENT, run(Tensor({large, 3}, x).tensor));
  EXPECT_STREQ("expects input 'x' to have fewer than 2^63 bytes, but got shape "
               "[2305843009213693952, 3] of float32",
               relayGetLastError());
  EXPECT_EQ(RELAY_INVALID_ARGUMENT, run(Tensor({-1, 3}, x).tensor));
  // A row that is repeated: there is no memory for all rows.
  Tensor repeated({int64_t(1) << 50, 3}, x);
  repeated.tensor.strides = strides;
  EXPECT_EQ(RELAY_OUT_OF_MEMORY, run(repeated.tensor));
  EXPECT_STREQ("out of memory: cannot allocate 13510798882111488 bytes for a "
               "contiguous copy of input 'x' of shape [1125899906842624, 3]",
               relayGetLastError());
  // The module is as good as before.
  ASSERT_EQ(RELAY_OK, run(Tensor({1, 3}, x).tensor));
  freeOutputs();
}

TEST_F(ModuleTest, SaysWhichSizesDoNotFit) {
  std::vector<float> x(3 * 2026);
  EXPECT_EQ(RELAY_INVALID_ARGUMENT, run(Tensor({2026, 3}, x.data()).tensor));
  EXPECT_STREQ("expects n mod 1013 to be at least 1, but got 0; n = 2026 is "
               "dimension 0 of input 'x'",
               relayGetLastError());
}

TEST_F(ModuleTest, CallsTheObserver) {
  float x[] = {1, 2, 3};
  struct Seen {
    std::vector<int64_t> calls;
    std::vector<float> y;
  } seen;
  relayModuleSetObserver(
      module,
      [](void *user, int64_t call, void *const *args, const int64_t *) {
        auto *seen = static_cast<Seen *>(user);
        seen->calls.push_back(call);
        if (call == RELAY_OBSERVER_START)
          return;
        const float *y = static_cast<const float *>(args[1]);
        seen->y.assign(y, y + 3);
      },
      &seen);
  ASSERT_EQ(RELAY_OK, run(Tensor({1, 3}, x).tensor));
  freeOutputs();
  EXPECT_EQ((std::vector<int64_t>{RELAY_OBSERVER_START, 0}), seen.calls);
  EXPECT_EQ((std::vector<float>{2, 4, 6}), seen.y);
}

TEST_F(ModuleTest, TellsTheWorkOfEachCall) {
  Tensor input({5, 3}, nullptr);
  float x[15] = {};
  input.tensor.data = x;
  const DLTensor *inputs[] = {&input.tensor};
  int64_t flops = 0, bytes = 0;
  ASSERT_EQ(RELAY_OK, relayModuleGetWork(module, inputs, 1, &flops, &bytes));
  EXPECT_EQ(15, flops);
  EXPECT_EQ(-1, bytes);
  EXPECT_EQ(RELAY_INVALID_ARGUMENT,
            relayModuleGetWork(module, nullptr, 0, &flops, &bytes));
  EXPECT_STREQ("expects 1 inputs, but got 0", relayGetLastError());
}

TEST_F(ModuleTest, RunsFromSeveralThreads) {
  ASSERT_EQ(RELAY_OK, relaySetNumThreads(2));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int repeat = 0; repeat < 50; ++repeat) {
        std::vector<float> x(3 * (t + 1) * 10, float(t));
        Tensor input({int64_t(x.size()) / 3, 3}, x.data());
        const DLTensor *inputs[] = {&input.tensor};
        DLManagedTensor *out[2] = {};
        ASSERT_EQ(RELAY_OK, relayModuleRun(module, inputs, 1, out, 2));
        for (size_t i = 0; i < x.size(); ++i)
          ASSERT_EQ(2.0f * t, data(out[0])[i]);
        out[0]->deleter(out[0]);
        out[1]->deleter(out[1]);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(ModuleTest, RunsInAForkedChild) {
  ASSERT_EQ(RELAY_OK, relaySetNumThreads(2));
  float x[] = {1, 2, 3, 4, 5, 6};
  ASSERT_EQ(RELAY_OK, run(Tensor({2, 3}, x).tensor));
  freeOutputs();
  pid_t child = fork();
  if (child == 0) {
    alarm(20); // A deadlock must not hang the suite.
    bool ok =
        run(Tensor({2, 3}, x).tensor) == RELAY_OK && data(outputs[0])[5] == 12;
    _exit(ok ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(child, waitpid(child, &status, 0));
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(Run, ReportsAFailingKernel) {
  std::string path = makeArtifact("failing");
  RelayModule *module = nullptr;
  ASSERT_EQ(RELAY_OK, relayModuleLoad(path.c_str(), &module));
  unlink(path.c_str());
  float x[] = {1, 2, 3};
  Tensor input({1, 3}, x);
  const DLTensor *inputs[] = {&input.tensor};
  DLManagedTensor *outputs[2] = {};
  EXPECT_EQ(RELAY_EXECUTION_FAILED,
            relayModuleRun(module, inputs, 1, outputs, 2));
  EXPECT_STREQ("kernel 'fused_scale', of 'row', failed with code 7",
               relayGetLastError());
  EXPECT_EQ(nullptr, outputs[0]);
  relayModuleFree(module);
}

TEST(Version, HasThreeParts) {
  int major, minor, patch;
  EXPECT_EQ(3,
            sscanf(relayRuntimeVersion(), "%d.%d.%d", &major, &minor, &patch));
}
