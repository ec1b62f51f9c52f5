//===- DeviceTest.cpp - Models on devices ---------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Artefacts by hand that run on devices of kind cpu and of a kind that a shared
// object of another project drives (test/lib/ScalarTarget/ScalarDevice.c).
//
//===----------------------------------------------------------------------===//

#include "relay-mlir-c/Device.h"
#include "Artifacts.h"

#include "gtest/gtest.h"

#include <cstddef>
#include <cstdlib>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace relay_test;

namespace {
class DeviceTest : public ::testing::Test {
protected:
  void SetUp() override {
    setenv("RELAY_DEVICE_PATH", "/nowhere:" RELAY_TEST_DEVICES, /*replace=*/1);
  }
  void TearDown() override { relayModuleFree(module); }

  RelayStatus load(const std::string &name) {
    std::string path = makeArtifact(name, /*factor=*/3);
    RelayStatus status = relayModuleLoad(path.c_str(), &module);
    unlink(path.c_str());
    return status;
  }

  static void expectError(const std::string &text) {
    EXPECT_NE(std::string::npos, std::string(relayGetLastError()).find(text))
        << relayGetLastError();
  }

  RelayModule *module = nullptr;
};
} // namespace

TEST_F(DeviceTest, RunsOnAnotherProcessor) {
  ASSERT_EQ(RELAY_OK, load("device-cpu")) << relayGetLastError();
  EXPECT_EQ((std::vector<float>{3, 6, 9}), runRow(module, {1, 2, 3}));
  EXPECT_EQ((std::vector<float>{12, 0, -3}), runRow(module, {4, 0, -1}));
}

TEST_F(DeviceTest, RunsOnADeviceOfAnotherProject) {
  ASSERT_EQ(RELAY_OK, load("device-scalar")) << relayGetLastError();
  EXPECT_EQ((std::vector<float>{3, 6, 9}), runRow(module, {1, 2, 3}));
}

TEST_F(DeviceTest, CopiesBetweenKindsOfDevices) {
  ASSERT_EQ(RELAY_OK, load("device-mixed")) << relayGetLastError();
  EXPECT_EQ((std::vector<float>{3, 6, 9}), runRow(module, {1, 2, 3}));
}

TEST_F(DeviceTest, SeveralThreadsRunOneModule) {
  ASSERT_EQ(RELAY_OK, load("device-scalar")) << relayGetLastError();
  std::vector<std::thread> threads;
  std::vector<int> wrong(8);
  for (int t = 0; t != 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i != 50; ++i) {
        float x = static_cast<float>(100 * t + i);
        if (runRow(module, {x, 0, 1}) != std::vector<float>{3 * x, 0, 3})
          ++wrong[t];
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(std::vector<int>(8), wrong);
}

TEST_F(DeviceTest, ObserversSeeCopiesAndKernels) {
  ASSERT_EQ(RELAY_OK, load("device-cpu")) << relayGetLastError();
  const RelayArtifact &artifact = *relayModuleGetArtifact(module);
  ASSERT_EQ(4, artifact.num_calls);
  EXPECT_EQ(2, artifact.calls[0].device);
  EXPECT_EQ(0, artifact.calls[0].source_device);
  EXPECT_EQ(-1, artifact.calls[2].source_device);
}

TEST_F(DeviceTest, ForeignPointersAreRefused) {
  ASSERT_EQ(RELAY_OK, load("device-pointer")) << relayGetLastError();
  EXPECT_TRUE(runRow(module, {1, 2, 3}).empty());
  EXPECT_STREQ("cpu:1 cannot run kernel 'fused_scale': expects memory of cpu:1 "
               "for a kernel, but got an address that is elsewhere",
               relayGetLastError());
}

TEST_F(DeviceTest, MissingDevicesAreNamed) {
  EXPECT_EQ(RELAY_INCOMPATIBLE, load("device-nowhere"));
  expectError("expects something to drive devices of kind 'nowhere', but found "
              "none; register it, or put librelay_device_nowhere.so into a "
              "folder of RELAY_DEVICE_PATH; ");
  EXPECT_EQ(RELAY_INCOMPATIBLE, load("device-ninth"));
  EXPECT_STREQ("expects a device scalar:9, but there are 4 of the kind",
               relayGetLastError());
}

TEST_F(DeviceTest, LibrariesOfOtherVersionsAreRefused) {
  EXPECT_EQ(RELAY_INCOMPATIBLE, load("device-old"));
  expectError("librelay_device_old.so' to have version 1 to 4, but got 99");
  EXPECT_EQ(RELAY_INCOMPATIBLE, load("device-other"));
  expectError("to drive 'other', but it drives 'scalar'");
}

TEST_F(DeviceTest, CodeThatADeviceDoesNotKnowIsRefused) {
  EXPECT_EQ(RELAY_INVALID_ARTIFACT, load("device-format"));
  EXPECT_STREQ("scalar:1 cannot load the code of the model: expects code in "
               "the format scalar-text",
               relayGetLastError());
  EXPECT_EQ(RELAY_INVALID_ARTIFACT, load("device-unknown"));
  EXPECT_STREQ("cpu:1 cannot load the code of the model: expects code in the "
               "format 'host' or 'library', but got 'scalar-text'",
               relayGetLastError());
  EXPECT_EQ(RELAY_INVALID_ARTIFACT, load("device-library"));
  expectError("cpu:1 cannot load the code of the model: cannot load 'kernels'");
  EXPECT_EQ(RELAY_INVALID_ARTIFACT, load("device-kernel"));
  EXPECT_STREQ("scalar:1 cannot find kernel 'fused_scale': there is no such "
               "kernel",
               relayGetLastError());
}

TEST_F(DeviceTest, ADeviceThatIsFullIsAnError) {
  ASSERT_EQ(RELAY_OK, load("device-scalar")) << relayGetLastError();
  // More than one MiB for two tensors.
  std::vector<float> x(3 * 50000, 1.f);
  int64_t shape[] = {50000, 3};
  DLTensor input = {};
  input.data = x.data();
  input.device = {kDLCPU, 0};
  input.ndim = 2;
  input.dtype = {kDLFloat, 32, 1};
  input.shape = shape;
  const DLTensor *inputs[] = {&input};
  DLManagedTensor *outputs[] = {nullptr};
  EXPECT_EQ(RELAY_OUT_OF_MEMORY, relayModuleRun(module, inputs, 1, outputs, 1));
  EXPECT_STREQ("scalar:1 cannot allocate 1200000 bytes for intermediate "
               "tensors: it has one MiB of memory",
               relayGetLastError());
  // It goes on.
  EXPECT_EQ((std::vector<float>{3, 6, 9}), runRow(module, {1, 2, 3}));
}

TEST_F(DeviceTest, RegistrationsAreChecked) {
  EXPECT_EQ(RELAY_INCOMPATIBLE, relayRegisterDeviceAPI(nullptr));
  RelayDeviceAPI api = {};
  EXPECT_EQ(RELAY_INCOMPATIBLE, relayRegisterDeviceAPI(&api));
  api.version = RELAY_DEVICE_API_VERSION;
  api.struct_size = sizeof(api);
  EXPECT_EQ(RELAY_INVALID_ARGUMENT, relayRegisterDeviceAPI(&api));
  api.kind = "../evil";
  EXPECT_EQ(RELAY_INVALID_ARGUMENT, relayRegisterDeviceAPI(&api));
  api.kind = "incomplete";
  EXPECT_EQ(RELAY_INVALID_ARGUMENT, relayRegisterDeviceAPI(&api));
  EXPECT_STREQ("expects the device API to have all functions, but one is null",
               relayGetLastError());
  static RelayDeviceAPI same = *relayGetCPUDeviceAPI();
  EXPECT_EQ(RELAY_INVALID_ARGUMENT, relayRegisterDeviceAPI(&same));
  same.kind = "same";
  EXPECT_EQ(RELAY_OK, relayRegisterDeviceAPI(&same));
  // All functions of clocks, or none.
  static RelayDeviceAPI clock = *relayGetCPUDeviceAPI();
  clock.kind = "clock";
  clock.record_event = [](void *, int32_t, void *, void *) { return RELAY_OK; };
  EXPECT_EQ(RELAY_INVALID_ARGUMENT, relayRegisterDeviceAPI(&clock));
  EXPECT_STREQ("expects the device API to have all functions of clocks or none",
               relayGetLastError());
  // The first version has none.
  static RelayDeviceAPI first = *relayGetCPUDeviceAPI();
  first.kind = "first";
  first.version = 1;
  EXPECT_EQ(RELAY_INCOMPATIBLE, relayRegisterDeviceAPI(&first));
  first.struct_size = offsetof(RelayDeviceAPI, create_event);
  EXPECT_EQ(RELAY_OK, relayRegisterDeviceAPI(&first));
  // The second one checks no kernels.
  static RelayDeviceAPI second = *relayGetCPUDeviceAPI();
  second.kind = "second";
  second.version = 2;
  EXPECT_EQ(RELAY_INCOMPATIBLE, relayRegisterDeviceAPI(&second));
  second.struct_size = offsetof(RelayDeviceAPI, check_kernel);
  EXPECT_EQ(RELAY_OK, relayRegisterDeviceAPI(&second));
  // The third one has one way to run kernels.
  static RelayDeviceAPI third = *relayGetCPUDeviceAPI();
  third.kind = "third";
  third.version = 3;
  EXPECT_EQ(RELAY_INCOMPATIBLE, relayRegisterDeviceAPI(&third));
  third.struct_size = offsetof(RelayDeviceAPI, load_module_for);
  EXPECT_EQ(RELAY_OK, relayRegisterDeviceAPI(&third));
}
