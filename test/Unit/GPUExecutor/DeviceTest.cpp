//===- DeviceTest.cpp - A device of kind cuda in software -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir-c/Device.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace {

/// Kernel 1 scales n numbers in two launches, kernel 2 takes one by its index,
/// kernel 3 writes behind the end, and in kernel 4 each thread reports an
/// index.
const char *const kSource = R"(
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @double(%x: memref<?xf32>, %y: memref<?xf32>, %n: i64,
                     %status: memref<1xi32>) kernel {
      %i = gpu.global_id x
      %count = arith.index_cast %n : i64 to index
      %inside = arith.cmpi slt, %i, %count : index
      scf.if %inside {
        %v = memref.load %x[%i] : memref<?xf32>
        %w = arith.addf %v, %v : f32
        memref.store %w, %y[%i] : memref<?xf32>
      }
      gpu.return
    }
    gpu.func @increment(%x: memref<?xf32>, %y: memref<?xf32>, %n: i64,
                        %status: memref<1xi32>) kernel {
      %i = gpu.block_id x
      %one = arith.constant 1.0 : f32
      %v = memref.load %y[%i] : memref<?xf32>
      %w = arith.addf %v, %one : f32
      memref.store %w, %y[%i] : memref<?xf32>
      gpu.return
    }
    gpu.func @take(%x: memref<4xf32>, %index: memref<1xi64>, %y: memref<1xf32>,
                   %status: !llvm.ptr<1>) kernel {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %number = memref.load %index[%c0] : memref<1xi64>
      %i = arith.index_cast %number : i64 to index
      %inside = arith.cmpi ult, %i, %c4 : index
      scf.if %inside {
        %v = memref.load %x[%i] : memref<4xf32>
        memref.store %v, %y[%c0] : memref<1xf32>
      } else {
        %zero = arith.constant 0 : i32
        %two = arith.constant 2 : i32
        %old = llvm.cmpxchg %status, %zero, %two monotonic monotonic
            : !llvm.ptr<1>, i32
      }
      gpu.return
    }
    gpu.func @beyond(%y: memref<?xf32>, %status: memref<1xi32>) kernel {
      %i = arith.constant 4 : index
      %zero = arith.constant 0.0 : f32
      memref.store %zero, %y[%i] : memref<?xf32> loc("model":7:3)
      gpu.return
    }
    gpu.func @meet(%y: memref<?xf32>, %status: memref<1xi32>) kernel {
      %i = arith.constant 0 : index
      %one = arith.constant 1.0 : f32
      memref.store %one, %y[%i] : memref<?xf32>
      gpu.return
    }
    gpu.func @report(%status: memref<1xi32>) kernel {
      %zero = arith.constant 0 : index
      %four = arith.constant 4 : i32
      %before = memref.load %status[%zero] : memref<1xi32>
      %old = memref.atomic_rmw maxu %four, %status[%zero]
          : (i32, memref<1xi32>) -> i32
      gpu.return
    }
  }
}
)";

class DeviceTest : public testing::Test {
protected:
  void SetUp() override {
    library = dlopen(RELAY_TEST_DEVICE, RTLD_NOW);
    ASSERT_TRUE(library) << dlerror();
    auto getAPI = reinterpret_cast<RelayGetDeviceAPI>(
        dlsym(library, RELAY_DEVICE_API_SYMBOL));
    ASSERT_TRUE(getAPI);
    api = getAPI();
    ASSERT_EQ(api->create_stream(api->user, 0, &stream), RELAY_OK);
  }

  void TearDown() override {
    for (void *memory : allocations)
      EXPECT_EQ(api->release(api->user, 0, memory), RELAY_OK);
    if (module) {
      EXPECT_EQ(api->unload_module(api->user, 0, module), RELAY_OK);
    }
    EXPECT_EQ(api->destroy_stream(api->user, 0, stream), RELAY_OK);
  }

  RelayStatus load(const std::string &header) {
    code = header + "end\n" + kSource;
    return api->load_module(api->user, 0, "cuda", code.data(), code.size(),
                            &module);
  }

  void loadKernels() {
    ASSERT_EQ(load("relay-cuda 1\n"
                   "image mlir sm_90 " +
                   std::to_string(std::string(kSource).size()) +
                   "\n"
                   "kernel scale 2 1\n"
                   "launch double d0,4,ceildiv 1 1 4 1 1 0\n"
                   "launch increment d0 1 1 1 1 1 d0,16,*\n"
                   "kernel take 3 0\n"
                   "launch take 1 1 1 1 1 1 0\n"
                   "kernel beyond 1 0\n"
                   "launch beyond 1 1 1 1 1 1 0\n"
                   "kernel report 0 0\n"
                   "launch report 2 1 1 2 1 1 0\n"
                   "kernel meet 1 0\n"
                   "launch meet 1 1 1 2 1 1 0\n"),
              RELAY_OK)
        << error();
  }

  std::string error() { return api->get_error(api->user); }

  template <typename T>
  void *upload(const std::vector<T> &values) {
    void *memory = nullptr;
    uint64_t bytes = values.size() * sizeof(T);
    EXPECT_EQ(api->allocate(api->user, 0, bytes, &memory), RELAY_OK);
    allocations.push_back(memory);
    EXPECT_EQ(
        api->copy_from_host(api->user, 0, stream, memory, values.data(), bytes),
        RELAY_OK);
    return memory;
  }

  std::vector<float> download(const void *memory, size_t count) {
    std::vector<float> values(count);
    EXPECT_EQ(api->copy_to_host(api->user, 0, stream, values.data(), memory,
                                count * sizeof(float)),
              RELAY_OK);
    return values;
  }

  RelayStatus run(const char *name, std::vector<void *> args,
                  std::vector<int64_t> dims) {
    void *kernel = nullptr;
    EXPECT_EQ(api->get_kernel(api->user, 0, module, name, &kernel), RELAY_OK);
    return api->launch(api->user, 0, stream, kernel, args.data(), args.size(),
                       dims.data(), nullptr);
  }

  void *library = nullptr;
  const RelayDeviceAPI *api = nullptr;
  void *stream = nullptr;
  void *module = nullptr;
  std::string code;
  std::vector<void *> allocations;
};

TEST_F(DeviceTest, LaunchesInOrder) {
  loadKernels();
  void *x = upload<float>({1, 2, 3, 4, 5, 6});
  void *y = upload<float>({0, 0, 0, 0, 0, 0});
  ASSERT_EQ(run("scale", {x, y}, {5}), RELAY_OK) << error();
  EXPECT_EQ(download(y, 6), (std::vector<float>{3, 5, 7, 9, 11, 0}));
  // A grid of no blocks is no launch.
  ASSERT_EQ(run("scale", {x, y}, {0}), RELAY_OK) << error();
  EXPECT_EQ(download(y, 6), (std::vector<float>{3, 5, 7, 9, 11, 0}));
}

TEST_F(DeviceTest, ReportsIndices) {
  loadKernels();
  void *x = upload<float>({1, 2, 3, 4});
  void *y = upload<float>({0});
  ASSERT_EQ(run("take", {x, upload<int64_t>({2}), y}, {}), RELAY_OK) << error();
  EXPECT_EQ(download(y, 1), (std::vector<float>{3}));
  EXPECT_EQ(run("take", {x, upload<int64_t>({4}), y}, {}),
            RELAY_EXECUTION_FAILED);
  EXPECT_EQ(error(), "kernel 'take': an index is out of range");
  // Threads may look whether others have failed.
  EXPECT_EQ(run("report", {}, {}), RELAY_EXECUTION_FAILED);
  EXPECT_EQ(error(), "kernel 'report': an index is out of range");
  // It is said once.
  EXPECT_EQ(run("take", {x, upload<int64_t>({1}), y}, {}), RELAY_OK);
}

TEST_F(DeviceTest, FindsWhatKernelsMustNotDo) {
  loadKernels();
  void *y = upload<float>({1, 2, 3, 4});
  EXPECT_EQ(run("beyond", {y}, {}), RELAY_EXECUTION_FAILED);
  EXPECT_NE(error().find("\"model\":7:3"), std::string::npos) << error();
  EXPECT_NE(error().find("kernel 'beyond', thread (0, 0, 0) of block (0, 0, "
                         "0): expects an access in an allocation"),
            std::string::npos)
      << error();
  // The device goes on.
  EXPECT_EQ(download(y, 4), (std::vector<float>{1, 2, 3, 4}));
}

TEST_F(DeviceTest, FindsRacesUnlessToldNotTo) {
  loadKernels();
  void *y = upload<float>({0});
  EXPECT_EQ(run("meet", {y}, {}), RELAY_EXECUTION_FAILED);
  EXPECT_NE(error().find("expects a barrier between two threads"),
            std::string::npos)
      << error();
  EXPECT_EQ(api->unload_module(api->user, 0, module), RELAY_OK);
  setenv("RELAY_GPU_EXECUTOR_DETECT", "0", 1);
  loadKernels();
  unsetenv("RELAY_GPU_EXECUTOR_DETECT");
  EXPECT_EQ(run("meet", {y}, {}), RELAY_OK) << error();
  EXPECT_EQ(download(y, 1), (std::vector<float>{1}));
}

TEST_F(DeviceTest, MemoryOfTheHostIsNotThatOfTheDevice) {
  loadKernels();
  std::vector<float> host(8);
  EXPECT_EQ(run("scale", {host.data(), host.data()}, {4}),
            RELAY_EXECUTION_FAILED);
  EXPECT_NE(error().find("expects memory of the device"), std::string::npos)
      << error();
  EXPECT_EQ(
      api->copy_from_host(api->user, 0, stream, host.data(), host.data(), 4),
      RELAY_INVALID_ARGUMENT);
  void *memory = upload<float>({1, 2});
  EXPECT_EQ(api->copy_to_host(api->user, 0, stream, host.data(), memory, 12),
            RELAY_INVALID_ARGUMENT);
  EXPECT_EQ(
      error(),
      "expects a copy in an allocation, but got 12 bytes from byte 0 of 8");
  // Addresses are not used twice.
  EXPECT_EQ(api->release(api->user, 0, memory), RELAY_OK);
  allocations.pop_back();
  upload<float>({1, 2});
  EXPECT_EQ(run("beyond", {memory}, {}), RELAY_EXECUTION_FAILED);
}

TEST_F(DeviceTest, OutOfMemory) {
  void *memory = nullptr;
  EXPECT_EQ(api->allocate(api->user, 0, uint64_t(1) << 50, &memory),
            RELAY_OUT_OF_MEMORY);
  EXPECT_NE(error().find("out of device memory"), std::string::npos);
}

TEST_F(DeviceTest, RefusesOtherCode) {
  std::string size = std::to_string(std::string(kSource).size());
  std::string image = "image mlir sm_90 " + size + "\n";
  struct Case {
    std::string header, error;
  };
  for (const Case &each : std::vector<Case>{
           {"relay-cuda 2\n",
            "line 1: expects 'relay-cuda 1', but got 'relay-cuda 2'"},
           {"relay-cuda 1\nimage ptx sm_90 " + size + "\n",
            "expects code with an image 'mlir', which the GPU executor runs, "
            "but got none; compile with --target=\"cuda -code=mlir\""},
           {"relay-cuda 1\nimage mlir sm_90 1000000\n",
            "line 3: expects 1000000 bytes of the image for sm_90, but there "
            "are " +
                size},
           {"relay-cuda 1\n" + image +
                "kernel k 2 1\nlaunch triple 1 1 1 1 1 1 0\n",
            "expects an entry of the image, but got 'triple'"},
           {"relay-cuda 1\n" + image +
                "kernel k 1 1\nlaunch double 1 1 1 1 1 1 0\n",
            "expects entry 'double' to have 3 parameters, but got 4"},
           {"relay-cuda 1\n" + image +
                "kernel k 2 1\nlaunch double 1 1 1 1 1 1 0 buffers=1\n",
            "expects entry 'double' to have 3 parameters, but got 4"}}) {
    EXPECT_NE(load(each.header), RELAY_OK);
    EXPECT_EQ(error(), each.error);
    EXPECT_FALSE(module);
  }
  EXPECT_EQ(api->load_module(api->user, 0, "ptx", "", 0, &module),
            RELAY_INCOMPATIBLE);
}

} // namespace
