//===- CUDADeviceTest.cpp - The library for devices of kind cuda ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// librelay_device_cuda.so through its RelayDeviceAPI, with test/lib/FakeCUDA as
// the driver, whose counts tell what happens there.
//
//===----------------------------------------------------------------------===//

#include "lib/FakeCUDA/FakeCUDA.h"
#include "relay-mlir-c/Device.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <numeric>
#include <vector>

namespace {

const char *const kImage = ".entry scale\n.entry increment\n.entry double\n"
                           ".entry fault\n.entry complain\n.entry hungry\n";

/// Code with some lines for kernels.
std::string makeCode(const std::string &kernels,
                     const std::string &image = kImage) {
  return "relay-cuda 1\nimage ptx sm_80 " + std::to_string(image.size()) +
         "\n" + kernels + "end\n" + image;
}

class CUDADeviceTest : public ::testing::Test {
protected:
  void SetUp() override {
    setenv("RELAY_CUDA_LIBRARY", RELAY_TEST_FAKE_CUDA, /*replace=*/1);
    void *library =
        dlopen(RELAY_TEST_DEVICES "/librelay_device_cuda.so", RTLD_NOW);
    ASSERT_TRUE(library) << dlerror();
    api = reinterpret_cast<RelayGetDeviceAPI>(
        dlsym(library, RELAY_DEVICE_API_SYMBOL))();
    void *driver = dlopen(RELAY_TEST_FAKE_CUDA, RTLD_NOW);
    ASSERT_TRUE(driver) << dlerror();
    fake = reinterpret_cast<GetFakeCUDA>(dlsym(driver, FAKE_CUDA_SYMBOL))();
  }

  void TearDown() override {
    if (stream)
      EXPECT_EQ(RELAY_OK, api->destroy_stream(nullptr, device, stream));
    if (module)
      EXPECT_EQ(RELAY_OK, api->unload_module(nullptr, device, module));
    for (void *memory : blocks)
      EXPECT_EQ(RELAY_OK, api->release(nullptr, device, memory));
  }

  std::string getError() { return api->get_error(nullptr); }
  void expectError(const std::string &text) {
    EXPECT_NE(std::string::npos, getError().find(text)) << getError();
  }

  void *allocate(uint64_t bytes) {
    void *memory = nullptr;
    EXPECT_EQ(RELAY_OK, api->allocate(nullptr, device, bytes, &memory))
        << getError();
    blocks.push_back(memory);
    return memory;
  }

  /// A vector of floats on the device.
  void *upload(const std::vector<float> &values) {
    uint64_t bytes = values.size() * sizeof(float);
    void *memory = allocate(bytes);
    EXPECT_EQ(RELAY_OK, api->copy_from_host(nullptr, device, stream, memory,
                                            values.data(), bytes))
        << getError();
    return memory;
  }

  std::vector<float> download(void *memory, size_t count) {
    std::vector<float> values(count);
    EXPECT_EQ(RELAY_OK,
              api->copy_to_host(nullptr, device, stream, values.data(), memory,
                                count * sizeof(float)))
        << getError();
    return values;
  }

  RelayStatus load(const std::string &code) {
    return api->load_module(nullptr, device, "cuda", code.data(), code.size(),
                            &module);
  }

  void *find(const char *name) {
    void *kernel = nullptr;
    EXPECT_EQ(RELAY_OK, api->get_kernel(nullptr, device, module, name, &kernel))
        << getError();
    return kernel;
  }

  void prepare(const std::string &kernels) {
    ASSERT_EQ(RELAY_OK, load(makeCode(kernels))) << getError();
    ASSERT_EQ(RELAY_OK, api->create_stream(nullptr, device, &stream))
        << getError();
  }

  RelayStatus launch(void *kernel, std::vector<void *> args,
                     std::vector<int64_t> dims) {
    return api->launch(nullptr, device, stream, kernel, args.data(),
                       static_cast<int32_t>(args.size()), dims.data(), nullptr);
  }
  RelayStatus synchronize() {
    return api->synchronize(nullptr, device, stream);
  }

  int32_t device = 0;
  const RelayDeviceAPI *api = nullptr;
  FakeCUDA *fake = nullptr;
  void *stream = nullptr, *module = nullptr;
  std::vector<void *> blocks;
};

const char *const kVectorKernels =
    "kernel increment 1 1\nlaunch increment d0,32,ceildiv 1 1 32 1 1 0\n"
    "kernel double 1 1\nlaunch double 1 1 1 32 1 1 0\n";

} // namespace

TEST_F(CUDADeviceTest, CopiesOfAllSizes) {
  ASSERT_EQ(RELAY_OK, api->create_stream(nullptr, device, &stream));
  // Staging memory has 4 MiB, twice: less than a part, and several times all.
  for (size_t count : {1, 1000, 1 << 20, (1 << 20) + 1, 5 << 20}) {
    std::vector<float> values(count);
    std::iota(values.begin(), values.end(), 1.f);
    void *memory = upload(values);
    EXPECT_EQ(0u, reinterpret_cast<uintptr_t>(memory) % 256);
    EXPECT_EQ(values, download(memory, count)) << count;
    EXPECT_EQ(RELAY_OK, api->release(nullptr, device, memory));
    blocks.clear();
  }
}

TEST_F(CUDADeviceTest, MemoryOfTheHostMayChangeAfterACopy) {
  ASSERT_EQ(RELAY_OK, api->create_stream(nullptr, device, &stream));
  std::vector<float> values(3 << 20, 1.f);
  void *first = upload(values);
  values.assign(values.size(), 2.f);
  void *second = upload(values);
  EXPECT_EQ(std::vector<float>(3 << 20, 1.f), download(first, 3 << 20));
  EXPECT_EQ(std::vector<float>(3 << 20, 2.f), download(second, 3 << 20));
}

TEST_F(CUDADeviceTest, CopiesWithoutAStreamAreOver) {
  std::vector<float> values = {1, 2, 3};
  void *memory = upload(values); // of no stream
  ASSERT_EQ(RELAY_OK, api->create_stream(nullptr, device, &stream));
  EXPECT_EQ(values, download(memory, 3));
}

TEST_F(CUDADeviceTest, CopiesBetweenDevices) {
  ASSERT_EQ(RELAY_OK, api->create_stream(nullptr, device, &stream));
  std::vector<float> values = {1, 2, 3};
  void *here = upload(values), *same = allocate(12), *there = nullptr;
  ASSERT_EQ(RELAY_OK,
            api->copy_across(nullptr, device, stream, same, device, here, 12));
  EXPECT_EQ(values, download(same, 3));
  ASSERT_EQ(RELAY_OK, api->allocate(nullptr, 1, 12, &there));
  ASSERT_EQ(RELAY_OK,
            api->copy_across(nullptr, 1, nullptr, there, device, here, 12))
      << getError();
  std::vector<float> back(3);
  ASSERT_EQ(RELAY_OK,
            api->copy_to_host(nullptr, 1, nullptr, back.data(), there, 12));
  EXPECT_EQ(values, back);
  EXPECT_EQ(RELAY_OK, api->release(nullptr, 1, there));
}

TEST_F(CUDADeviceTest, KernelsAreSequencesOfLaunches) {
  prepare("kernel both 1 1\n"
          "launch increment d0,32,ceildiv 1 1 32 1 1 0\n"
          "launch double 1 1 1 32 1 1 0\n"
          "launch increment d0,32,ceildiv 1 1 32 1 1 0\n"
          "kernel wide 1 1\n"
          "launch increment d0,4,ceildiv,4,* 1 1 64 2 1 d0,1024,* cluster=4\n"
          "kernel wider 1 1\n"
          "launch increment 16 1 1 64 1 1 100000 cluster=16\n");
  void *x = upload({1, 2, 3});
  ASSERT_EQ(RELAY_OK, launch(find("both"), {x}, {3})) << getError();
  EXPECT_EQ((std::vector<float>{5, 7, 9}), download(x, 3));
  int before = fake->clusterLaunches;
  ASSERT_EQ(RELAY_OK, launch(find("wide"), {x}, {3})) << getError();
  EXPECT_EQ(before + 1, fake->clusterLaunches);
  EXPECT_EQ(4u, fake->cluster);
  EXPECT_EQ(4u, fake->grid[0]);
  EXPECT_EQ(64u, fake->block[0]);
  EXPECT_EQ(2u, fake->block[1]);
  EXPECT_EQ(3072u, fake->sharedBytes);
  EXPECT_EQ((std::vector<float>{6, 8, 10}), download(x, 3));
  // More shared memory and larger clusters than usual are asked for.
  ASSERT_EQ(RELAY_OK, launch(find("wider"), {x}, {3})) << getError();
  EXPECT_EQ((std::vector<float>{7, 9, 11}), download(x, 3));
}

TEST_F(CUDADeviceTest, LaunchesOfNoBlocksAreSkipped) {
  prepare(kVectorKernels);
  void *x = upload({1});
  int before = fake->launches;
  ASSERT_EQ(RELAY_OK, launch(find("increment"), {x}, {0})) << getError();
  EXPECT_EQ(before, fake->launches);
  EXPECT_EQ((std::vector<float>{1}), download(x, 1));
}

TEST_F(CUDADeviceTest, SizesThatAreTooLargeAreErrors) {
  prepare("kernel tall 1 1\nlaunch increment 1 d0 1 32 1 1 0\n"
          "kernel large 1 1\nlaunch increment 1 1 1 32 1 1 d0,131072,*\n");
  void *x = upload({1});
  EXPECT_EQ(RELAY_INVALID_ARGUMENT, launch(find("tall"), {x}, {65536}));
  EXPECT_EQ("expects at most 65535 blocks along dimension 1 of a grid for "
            "kernel 'tall', but its sizes ask for 65536",
            getError());
  EXPECT_EQ(RELAY_INVALID_ARGUMENT, launch(find("large"), {x}, {8}));
  EXPECT_EQ("expects at most 232448 bytes of shared memory for kernel "
            "'large', but its sizes ask for 1048576",
            getError());
  EXPECT_EQ(RELAY_INVALID_ARGUMENT, launch(find("large"), {x, x}, {1}));
  EXPECT_EQ("expects 1 buffers, but got 2", getError());
  EXPECT_EQ(RELAY_OK, synchronize());
  EXPECT_EQ(RELAY_OK, launch(find("large"), {x}, {1})) << getError();
  EXPECT_EQ((std::vector<float>{2}), download(x, 1));
}

TEST_F(CUDADeviceTest, ADeviceThatIsFullSaysWhatItHolds) {
  // Of 64 MiB.
  void *first = allocate(40 << 20);
  void *memory = nullptr;
  EXPECT_EQ(RELAY_OUT_OF_MEMORY,
            api->allocate(nullptr, device, 30 << 20, &memory));
  expectError("out of memory: 31457280 bytes were asked for; the memory pool "
              "holds ");
  expectError(" of 67108864 bytes of the device (Fake GPU) are free");
  // What was released serves for something else.
  EXPECT_EQ(RELAY_OK, api->release(nullptr, device, first));
  blocks.clear();
  int trims = fake->trims;
  allocate(30 << 20);
  EXPECT_EQ(trims + 1, fake->trims);
  EXPECT_EQ(RELAY_INVALID_ARGUMENT, api->release(nullptr, device, first));
}

TEST_F(CUDADeviceTest, DevicesWithoutPoolsWork) {
  // One that was not used before.
  device = 6;
  fake->hasPools = false;
  std::vector<float> values = {1, 2, 3};
  void *memory = upload(values);
  EXPECT_EQ(values, download(memory, 3));
  void *other = nullptr;
  EXPECT_EQ(RELAY_OUT_OF_MEMORY,
            api->allocate(nullptr, device, 65 << 20, &other));
  expectError("out of memory: 68157440 bytes were asked for");
  fake->hasPools = true;
}

TEST_F(CUDADeviceTest, CodeIsChecked) {
  int modules = fake->modules;
  EXPECT_EQ(RELAY_INVALID_ARTIFACT, load("relay-cuda 1\nend"));
  EXPECT_EQ("the code is damaged: line 2: expects 'end', but there are no "
            "more lines",
            getError());
  EXPECT_EQ(RELAY_INVALID_ARTIFACT,
            api->load_module(nullptr, device, "ptx", "", 0, &module));
  EXPECT_EQ("expects code in the format 'cuda', but got 'ptx'", getError());
  EXPECT_EQ(RELAY_INVALID_ARTIFACT,
            load(makeCode("kernel f 1 1\nlaunch nobody 1 1 1 1 1 1 0\n")));
  EXPECT_EQ("expects a function 'nobody' for kernel 'f', but the code for "
            "sm_80 has none of that name",
            getError());
  EXPECT_EQ(RELAY_INVALID_ARTIFACT, load(makeCode("", "a mistake\n")));
  EXPECT_EQ("the driver refuses the PTX for sm_80: a PTX JIT compilation "
            "failed (CUDA_ERROR_INVALID_PTX); it says: line 1: there is a "
            "mistake fatal error",
            getError());
  EXPECT_EQ(RELAY_INCOMPATIBLE, load(makeCode("", "newer\n")));
  EXPECT_EQ("the driver refuses the PTX for sm_80: error 222; install a newer "
            "driver",
            getError());
  EXPECT_EQ(RELAY_INCOMPATIBLE,
            load(makeCode("kernel f 1 1\nlaunch hungry 1 1 1 256 1 1 0\n")));
  EXPECT_EQ("expects 256 threads in a block of kernel 'f', but the device has "
            "registers for 128",
            getError());
  EXPECT_EQ(
      RELAY_INCOMPATIBLE,
      load(makeCode("kernel f 1 1\nlaunch increment 1 1 1 1 1 1 300000\n")));
  EXPECT_EQ("expects 300000 bytes of shared memory for a block of kernel 'f', "
            "but the device has 231424",
            getError());
  EXPECT_EQ(modules, fake->modules);
  ASSERT_EQ(RELAY_OK, load(makeCode("kernel f 1 1\n")));
  void *kernel = nullptr;
  EXPECT_EQ(RELAY_INVALID_ARTIFACT,
            api->get_kernel(nullptr, device, module, "g", &kernel));
  EXPECT_EQ("expects a kernel 'g', but the code has none of that name",
            getError());
}

TEST_F(CUDADeviceTest, LaunchesThatTheDriverRefusesAreErrors) {
  prepare(kVectorKernels);
  void *x = upload({1});
  fake->nextLaunch = 1; // CUDA_ERROR_INVALID_VALUE
  EXPECT_EQ(RELAY_EXECUTION_FAILED, launch(find("increment"), {x}, {1}));
  EXPECT_EQ("the driver cannot launch a kernel: invalid argument "
            "(CUDA_ERROR_INVALID_VALUE)",
            getError());
  ASSERT_EQ(RELAY_OK, launch(find("increment"), {x}, {1})) << getError();
  EXPECT_EQ((std::vector<float>{2}), download(x, 1));
}

TEST_F(CUDADeviceTest, IndicesOutOfRangeAreTold) {
  prepare("kernel increment 1 1\nlaunch increment 1 1 1 32 1 1 0\n"
          "kernel gather 1 1\nlaunch complain 1 1 1 32 1 1 0\n");
  void *x = upload({1});
  for (int i = 0; i != 2; ++i) {
    ASSERT_EQ(RELAY_OK, launch(find("increment"), {x}, {1}));
    ASSERT_EQ(RELAY_OK, launch(find("gather"), {x}, {1}));
    ASSERT_EQ(RELAY_OK, launch(find("gather"), {x}, {1}));
    EXPECT_EQ(RELAY_INVALID_ARGUMENT, synchronize());
    EXPECT_EQ("expects indices within the data, but kernel 'gather' got "
              "something else",
              getError());
    // It is told once.
    EXPECT_EQ(RELAY_OK, synchronize());
  }
  EXPECT_EQ((std::vector<float>{3}), download(x, 1));
}

TEST_F(CUDADeviceTest, AFaultNamesTheLastKernels) {
  // Of a device that nobody uses afterwards.
  device = 7;
  prepare(std::string(kVectorKernels) +
          "kernel wild 1 1\nlaunch fault 1 1 1 32 1 1 0\n");
  void *x = upload({1});
  ASSERT_EQ(RELAY_OK, launch(find("wild"), {x}, {1}));
  for (int i = 0; i != 20; ++i)
    ASSERT_EQ(RELAY_OK, launch(find("double"), {x}, {1}));
  EXPECT_EQ(RELAY_EXECUTION_FAILED, synchronize());
  expectError("'double', 'double' and 5 before; the device is lost");
  // Everything but giving back says so.
  void *other = nullptr;
  EXPECT_EQ(RELAY_EXECUTION_FAILED, synchronize());
  expectError("the device is lost because of an illegal memory access was "
              "encountered");
  EXPECT_EQ(RELAY_EXECUTION_FAILED, api->allocate(nullptr, device, 4, &other));
  EXPECT_EQ(RELAY_EXECUTION_FAILED,
            api->create_stream(nullptr, device, &other));
  EXPECT_EQ(RELAY_EXECUTION_FAILED,
            api->copy_from_host(nullptr, device, stream, x, &device, 4));
  EXPECT_EQ(RELAY_EXECUTION_FAILED,
            api->copy_to_host(nullptr, device, stream, &device, x, 4));
  EXPECT_EQ(RELAY_EXECUTION_FAILED, launch(find("double"), {x}, {1}));
  expectError("the device is lost because of");
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

TEST_F(CUDADeviceTest, WhatComesAgainIsOneGraph) {
  prepare(kVectorKernels);
  void *increment = find("increment"), *twice = find("double");
  void *x = upload({0, 1});
  auto run = [&](int64_t size) {
    ASSERT_EQ(RELAY_OK, launch(increment, {x}, {size}));
    ASSERT_EQ(RELAY_OK, launch(twice, {x}, {size}));
    ASSERT_EQ(RELAY_OK, launch(increment, {x}, {size}));
    ASSERT_EQ(RELAY_OK, launch(twice, {x}, {size}));
    ASSERT_EQ(RELAY_OK, synchronize()) << getError();
  };
  std::vector<float> values = {0, 1};
  int launches = fake->launches, graphs = fake->graphLaunches;
  for (int i = 0; i != 5; ++i) {
    run(2);
    for (float &value : values)
      value = ((value + 1) * 2 + 1) * 2;
    EXPECT_EQ(values, download(x, 2)) << i;
  }
  // The first two are launched one by one.
  EXPECT_EQ(launches + 2 * 4, fake->launches);
  EXPECT_EQ(graphs + 3, fake->graphLaunches);
  // Other sizes are not taken for these.
  run(1);
  values[0] = ((values[0] + 1) * 2 + 1) * 2;
  EXPECT_EQ(values, download(x, 2));
  EXPECT_EQ(graphs + 3, fake->graphLaunches);
  EXPECT_EQ(launches + 3 * 4, fake->launches);
  // Both are remembered.
  run(1);
  run(1);
  run(2);
  EXPECT_EQ(graphs + 5, fake->graphLaunches);
}

TEST_F(CUDADeviceTest, SequencesThatTurnOutOtherwiseAreRight) {
  prepare(kVectorKernels);
  void *kernels[] = {find("increment"), find("double")};
  void *x = upload({1, 2, 3}), *y = upload({4, 5, 6});
  std::vector<float> wantX = {1, 2, 3}, wantY = {4, 5, 6};
  // Random sequences of few kinds: many begin alike.
  unsigned seed = 1;
  auto draw = [&](unsigned count) {
    seed = seed * 1103515245 + 12345;
    return (seed >> 16) % count;
  };
  int graphs = fake->graphLaunches;
  for (int i = 0; i != 300; ++i) {
    unsigned count = 3 + draw(4), wrong = draw(3);
    for (unsigned k = 0; k != count; ++k) {
      unsigned kind = (k + (wrong == 0 && k == count - 1)) % 2;
      int64_t size = wrong == 1 && k == 2 ? 2 : 3;
      bool isX = wrong != 2 || k % 2;
      ASSERT_EQ(RELAY_OK, launch(kernels[kind], {isX ? x : y}, {size}));
      for (int64_t j = 0; j != size; ++j) {
        float &value = (isX ? wantX : wantY)[j];
        value = kind == 0 ? value + 1 : value * 2;
      }
    }
    if (draw(2) == 0)
      ASSERT_EQ(RELAY_OK, synchronize());
    if (draw(4) == 0) {
      EXPECT_EQ(wantX, download(x, 3));
      EXPECT_EQ(wantY, download(y, 3));
      // Before numbers are too large to tell apart.
      wantX = {1, 2, 3};
      wantY = {4, 5, 6};
      ASSERT_EQ(RELAY_OK, api->copy_from_host(nullptr, device, stream, x,
                                              wantX.data(), 12));
      ASSERT_EQ(RELAY_OK, api->copy_from_host(nullptr, device, stream, y,
                                              wantY.data(), 12));
    }
  }
  EXPECT_LT(graphs + 20, fake->graphLaunches);
}

TEST_F(CUDADeviceTest, WithoutGraphsItGoesOn) {
  prepare(kVectorKernels);
  void *increment = find("increment");
  void *x = upload({0});
  int graphs = fake->graphLaunches;
  fake->nextGraph = 2; // out of memory
  for (int i = 0; i != 4; ++i) {
    for (int k = 0; k != 3; ++k)
      ASSERT_EQ(RELAY_OK, launch(increment, {x}, {1}));
    ASSERT_EQ(RELAY_OK, synchronize()) << getError();
  }
  EXPECT_EQ(0, fake->nextGraph);
  EXPECT_EQ((std::vector<float>{12}), download(x, 1));
  EXPECT_EQ(graphs, fake->graphLaunches);
}

TEST_F(CUDADeviceTest, ErrorsInGraphsAreTold) {
  prepare("kernel increment 1 1\nlaunch increment 1 1 1 32 1 1 0\n"
          "kernel gather 1 1\nlaunch complain 1 1 1 32 1 1 0\n");
  void *increment = find("increment"), *gather = find("gather");
  void *x = upload({1});
  int graphs = fake->graphLaunches;
  for (int i = 0; i != 4; ++i) {
    ASSERT_EQ(RELAY_OK, launch(increment, {x}, {1}));
    ASSERT_EQ(RELAY_OK, launch(gather, {x}, {1}));
    ASSERT_EQ(RELAY_OK, launch(increment, {x}, {1}));
    EXPECT_EQ(RELAY_INVALID_ARGUMENT, synchronize());
    expectError("kernel 'gather' got something else");
  }
  EXPECT_EQ(graphs + 2, fake->graphLaunches);
}

TEST_F(CUDADeviceTest, NothingIsLeft) {
  int modules = fake->modules, graphs = fake->graphs, streams = fake->streams;
  prepare(kVectorKernels);
  void *increment = find("increment");
  void *x = upload({0});
  for (int i = 0; i != 3; ++i) {
    for (int k = 0; k != 3; ++k)
      ASSERT_EQ(RELAY_OK, launch(increment, {x}, {1}));
    ASSERT_EQ(RELAY_OK, synchronize());
  }
  EXPECT_EQ(modules + 1, fake->modules);
  EXPECT_EQ(graphs + 1, fake->graphs);
  EXPECT_EQ(streams + 1, fake->streams);
  EXPECT_EQ(RELAY_OK, api->destroy_stream(nullptr, device, stream));
  EXPECT_EQ(RELAY_OK, api->unload_module(nullptr, device, module));
  stream = module = nullptr;
  EXPECT_EQ(modules, fake->modules);
  EXPECT_EQ(graphs, fake->graphs);
  EXPECT_EQ(streams, fake->streams);
}
