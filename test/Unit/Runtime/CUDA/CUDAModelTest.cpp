//===- CUDAModelTest.cpp - Models on GPUs in software ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Artefacts by hand whose devices are of kind cuda, through the run time and
// librelay_device_cuda.so, with test/lib/FakeCUDA as the driver.
//
//===----------------------------------------------------------------------===//

#include "Unit/Runtime/Artifacts.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <thread>
#include <unistd.h>

using namespace relay_test;

namespace {
class CUDAModelTest : public ::testing::Test {
protected:
  void SetUp() override {
    // Drivers that cannot be used are in processes of their own.
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    setenv("RELAY_DEVICE_PATH", RELAY_TEST_DEVICES, /*replace=*/1);
    setenv("RELAY_CUDA_LIBRARY", RELAY_TEST_FAKE_CUDA, /*replace=*/1);
  }
  void TearDown() override { relayModuleFree(module); }

  RelayStatus load(const std::string &name) {
    std::string path = makeArtifact(name, /*factor=*/3);
    RelayStatus status = relayModuleLoad(path.c_str(), &module);
    unlink(path.c_str());
    return status;
  }

  /// A process where a variable has a value: the model can be loaded, and
  /// running it says `reason`.
  void expectUnavailable(const char *variable, const char *value,
                         const char *reason) {
    EXPECT_EXIT(
        {
          setenv(variable, value, /*replace=*/1);
          bool isLoaded = load("device-cuda") == RELAY_OK;
          bool isRun = isLoaded && !runRow(module, {1, 2, 3}).empty();
          std::fprintf(stderr, "%d%d %s", isLoaded, isRun, relayGetLastError());
          std::_Exit(0);
        },
        testing::ExitedWithCode(0),
        std::string("^10 expects a device cuda:1, "
                    "but there is none: ") +
            reason);
  }

  RelayModule *module = nullptr;
};
} // namespace

TEST_F(CUDAModelTest, RunsOnADevice) {
  ASSERT_EQ(RELAY_OK, load("device-cuda")) << relayGetLastError();
  EXPECT_EQ((std::vector<float>{3, 6, 9}), runRow(module, {1, 2, 3}));
  EXPECT_EQ((std::vector<float>{12, 0, -3}), runRow(module, {4, 0, -1}));
}

TEST_F(CUDAModelTest, SeveralThreadsRunOneModule) {
  ASSERT_EQ(RELAY_OK, load("device-cuda")) << relayGetLastError();
  std::vector<std::thread> threads;
  std::vector<int> wrong(4);
  for (int t = 0; t != 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i != 50; ++i) {
        float x = static_cast<float>(100 * t + i);
        if (runRow(module, {x, 0, 1}) != std::vector<float>{3 * x, 0, 3})
          ++wrong[t];
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(std::vector<int>(4), wrong);
}

TEST_F(CUDAModelTest, ObserversGetTheTimesOfTheDevice) {
  ASSERT_EQ(RELAY_OK, load("device-cuda")) << relayGetLastError();
  struct Times {
    std::vector<int64_t> calls, starts, ends;
  } times;
  relayModuleSetDeviceObserver(
      module,
      [](void *user, int64_t call, int64_t start, int64_t end) {
        static_cast<Times *>(user)->calls.push_back(call);
        static_cast<Times *>(user)->starts.push_back(start);
        static_cast<Times *>(user)->ends.push_back(end);
      },
      &times);
  for (int i = 0; i != 2; ++i) {
    times = Times();
    EXPECT_EQ((std::vector<float>{3, 6, 9}), runRow(module, {1, 2, 3}));
    EXPECT_EQ((std::vector<int64_t>{0, 1, 2, 3}), times.calls);
    ASSERT_EQ(4u, times.ends.size());
    // Of FakeCUDA: one nanosecond for each byte, one microsecond for each
    // block.
    // The status is copied as well.
    const int64_t want[] = {12, 12, 1000, 12 + 4};
    for (int call = 0; call != 4; ++call)
      EXPECT_EQ(want[call], times.ends[call] - times.starts[call]);
    // In the stream of one device.
    EXPECT_EQ(times.starts[2], times.ends[1]);
  }
  relayModuleSetDeviceObserver(module, nullptr, nullptr);
  times = Times();
  EXPECT_EQ((std::vector<float>{3, 6, 9}), runRow(module, {1, 2, 3}));
  EXPECT_TRUE(times.calls.empty());
}

TEST_F(CUDAModelTest, ADriverThatIsMissingIsNamed) {
  expectUnavailable("RELAY_CUDA_LIBRARY", "/nowhere/libcuda.so.1",
                    "expects NVIDIA's driver as '/nowhere/libcuda.so.1', but "
                    "cannot load it .*; install the driver, or set "
                    "RELAY_CUDA_LIBRARY to where it is");
}

TEST_F(CUDAModelTest, ADriverThatIsTooOldIsNamed) {
  expectUnavailable("FAKE_CUDA_VERSION", "11040",
                    "expects an NVIDIA driver for CUDA 12.0 or newer, but "
                    "'.*FakeCUDA.so' is for CUDA 11.4; install driver 525 or "
                    "newer");
}

TEST_F(CUDAModelTest, ALibraryThatIsNoDriverIsNamed) {
  expectUnavailable("RELAY_CUDA_LIBRARY", "libm.so.6",
                    "expects 'libm.so.6' to be NVIDIA's driver, but it has no "
                    "cuInit, cuDriverGetVersion, .*; install driver 525 or "
                    "newer");
}

TEST_F(CUDAModelTest, AMachineWithoutADeviceIsNamed) {
  expectUnavailable("FAKE_CUDA_DEVICES", "0",
                    "expects an NVIDIA device, but the driver finds none; "
                    "there may be no such device on this machine, or "
                    "CUDA_VISIBLE_DEVICES hides it");
}

TEST_F(CUDAModelTest, ADeviceThatIsNotThereIsNamed) {
  EXPECT_EXIT(
      {
        setenv("FAKE_CUDA_DEVICES", "1", /*replace=*/1);
        RelayStatus status = load("device-cuda");
        std::fprintf(stderr, "%d %s", status, relayGetLastError());
        std::_Exit(0);
      },
      testing::ExitedWithCode(0),
      "^3 expects a device cuda:1, but there are 1 of the kind");
}

TEST_F(CUDAModelTest, CodeForOtherChipsIsRefused) {
  EXPECT_EQ(RELAY_INCOMPATIBLE, load("device-cuda-newer"));
  EXPECT_STREQ("cuda:1 cannot load the code of the model: expects code for "
               "sm_90 (Fake GPU), but the model has code for ptx sm_100a; "
               "compile it for this device, with --target=\"cuda "
               "-arch=sm_90\"",
               relayGetLastError());
}

TEST_F(CUDAModelTest, AnIndexOutOfRangeIsToldWithTheKernel) {
  ASSERT_EQ(RELAY_OK, load("device-cuda-complain")) << relayGetLastError();
  for (int i = 0; i != 2; ++i) {
    EXPECT_TRUE(runRow(module, {1, 2, 3}).empty());
    EXPECT_STREQ("cuda:1 cannot copy to the host: expects indices within the "
                 "data, but kernel 'scale' got something else",
                 relayGetLastError());
  }
  // Other models are none the worse for it.
  relayModuleFree(module);
  module = nullptr;
  ASSERT_EQ(RELAY_OK, load("device-cuda")) << relayGetLastError();
  EXPECT_EQ((std::vector<float>{3, 6, 9}), runRow(module, {1, 2, 3}));
}

TEST_F(CUDAModelTest, AKernelThatFaultsLosesTheDevice) {
  ASSERT_EQ(RELAY_OK, load("device-cuda-fault")) << relayGetLastError();
  EXPECT_TRUE(runRow(module, {1, 2, 3}).empty());
  EXPECT_STREQ("cuda:3 cannot copy to the host: an illegal memory access was "
               "encountered (CUDA_ERROR_ILLEGAL_ADDRESS) in one of the kernels "
               "launched last, 'scale'; the device is lost for this process; "
               "CUDA_LAUNCH_BLOCKING=1 in the environment tells which one it "
               "was",
               relayGetLastError());
  // It stays lost, and says why.
  for (int i = 0; i != 2; ++i) {
    EXPECT_TRUE(runRow(module, {1, 2, 3}).empty());
    std::string error = relayGetLastError();
    EXPECT_NE(std::string::npos,
              error.find("the device is lost because of an illegal memory "
                         "access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS) "
                         "in one of the kernels launched last, 'scale'"))
        << error;
  }
  relayModuleFree(module);
  module = nullptr;
  EXPECT_EQ(RELAY_EXECUTION_FAILED, load("device-cuda-fault"));
  // Others go on.
  ASSERT_EQ(RELAY_OK, load("device-cuda")) << relayGetLastError();
  EXPECT_EQ((std::vector<float>{3, 6, 9}), runRow(module, {1, 2, 3}));
}
