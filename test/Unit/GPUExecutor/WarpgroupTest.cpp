//===- WarpgroupTest.cpp - Products of matrices by warpgroups -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices are laid out here as the layouts of shared memory are drawn: chunks
// of 16 bytes in rows, of which a swizzle exchanges some.
//
//===----------------------------------------------------------------------===//

#include "ExecutorTest.h"

#include "llvm/ADT/APFloat.h"

#include <cstring>
#include <functional>
#include <random>

using namespace mlir;
using namespace mlir::relay;

namespace {

struct Case {
  std::string name;
  std::string type;
  int n, k;
  /// How many products along k.
  int steps;
  /// The bytes where element i, l of a factor is, without the start.
  std::function<uint64_t(int i, int l)> placeA, placeB;
  bool isTransposedB;
  /// Descriptors without the start, and how far the start moves with a step.
  uint64_t descriptorA, descriptorB;
  uint64_t stepA, stepB;
};

uint64_t describe(uint64_t leading, uint64_t stride, uint64_t mode) {
  return (leading >> 4) << 16 | (stride >> 4) << 32 | mode << 62;
}

constexpr uint64_t kStartB = 16384;

const std::vector<Case> &getCases() {
  // Rows of 128 bytes: 64 elements of 2 bytes, in 8 chunks.
  auto place128 = [](int i, int l) -> uint64_t {
    int chunk = l / 8;
    return i * 128 + (chunk ^ i % 8) * 16 + l % 8 * 2;
  };
  // Rows of 64 bytes, two in a line of 128: the line exchanges chunks.
  auto place64 = [](int i, int l) -> uint64_t {
    int chunk = l / 8;
    return i * 64 + (chunk ^ i / 2 % 4) * 16 + l % 8 * 2;
  };
  // Eight rows of a chunk follow each other; along k, others follow them.
  auto placePlain = [](int i, int l) -> uint64_t {
    return i / 8 * 256 + l / 8 * 128 + i % 8 * 16 + l % 8 * 2;
  };
  auto placeBytes = [](int i, int l) -> uint64_t {
    return i / 8 * 256 + l / 16 * 128 + i % 8 * 16 + l % 16;
  };
  // Rows are along k, of 64 columns.
  auto placeRows = [](int j, int l) -> uint64_t {
    int chunk = j / 8;
    return l * 128 + (chunk ^ l % 8) * 16 + j % 8 * 2;
  };
  static const std::vector<Case> cases = {
      {"Swizzle128", "f16", 16, 16, 4, place128, place128, false,
       describe(16, 1024, 1), describe(16, 1024, 1), 32, 32},
      {"Swizzle64", "bf16", 24, 16, 2, place64, place64, false,
       describe(16, 512, 2), describe(16, 512, 2), 32, 32},
      {"NoSwizzle", "f16", 8, 16, 1, placePlain, placePlain, false,
       describe(128, 256, 0), describe(128, 256, 0), 0, 0},
      {"Bytes", "s8", 8, 32, 1, placeBytes, placeBytes, false,
       describe(128, 256, 0), describe(128, 256, 0), 0, 0},
      {"RowsOfB", "f16", 64, 16, 4, place128, placeRows, true,
       describe(16, 1024, 1), describe(8192, 1024, 1), 32, 2048},
  };
  return cases;
}

class WarpgroupTest : public ExecutorTest,
                      public testing::WithParamInterface<size_t> {};

TEST_P(WarpgroupTest, Wgmma) {
  const Case &test = getCases()[GetParam()];
  bool isFloat = test.type != "s8";
  std::string sum = isFloat ? "f32" : "i32";
  int perThread = test.n / 2, depth = test.k * test.steps;
  std::string memref =
      "memref<128x" + std::to_string(perThread) + "x" + sum + ">";
  std::string structure = "!llvm.struct<(";
  for (int i = 0; i < perThread; ++i)
    structure += (i ? ", " : "") + sum;
  structure += ")>";
  std::string source;
  llvm::raw_string_ostream os(source);
  os << "gpu.module @kernels { gpu.func @k(%in: memref<32768xi8>, %out: "
     << memref << ", %a: i64, %b: i64, %stepA: i64, %stepB: i64) kernel {\n"
     << R"(
      %i = gpu.thread_id x
      %c0 = arith.constant 0 : index
      %c16 = arith.constant 16 : index
      %n = arith.constant 32768 : index
      %c2048 = arith.constant 2048 : index
      %shared = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
      %first = arith.muli %i, %c16 : index
      scf.for %at = %first to %n step %c2048 {
        %v = vector.load %in[%at] : memref<32768xi8>, vector<16xi8>
        vector.store %v, %shared[%at] : memref<?xi8, #gpu.address_space<workgroup>>, vector<16xi8>
      }
      gpu.barrier
      nvvm.wgmma.fence.aligned
)";
  os << "%acc = llvm.mlir.undef : " << structure << "\n";
  std::string last = "%acc", descA = "%a", descB = "%b";
  for (int step = 0; step < test.steps; ++step) {
    std::string id = std::to_string(step);
    os << "%d" << id << " = nvvm.wgmma.mma_async " << descA << ", " << descB
       << ", " << last << ", #nvvm.shape<m = 64, n = " << test.n
       << ", k = " << test.k << ">, D [<" << (isFloat ? "f32" : "s32")
       << ">, #nvvm.wgmma_scale_out<" << (step ? "one" : "zero") << ">], A [<"
       << test.type << ">, #nvvm.wgmma_scale_in<one>, <row>], B [<" << test.type
       << ">, #nvvm.wgmma_scale_in<one>, <"
       << (test.isTransposedB ? "row" : "col") << ">] : " << structure << " -> "
       << structure << "\n%nextA" << id << " = arith.addi " << descA
       << ", %stepA : i64\n%nextB" << id << " = arith.addi " << descB
       << ", %stepB : i64\n";
    last = "%d" + id;
    descA = "%nextA" + id;
    descB = "%nextB" + id;
  }
  os << "nvvm.wgmma.commit.group.sync.aligned\n"
        "nvvm.wgmma.wait.group.sync.aligned 0\n";
  for (int i = 0; i < perThread; ++i)
    os << "%at" << i << " = arith.constant " << i << " : index\n%v" << i
       << " = llvm.extractvalue " << last << "[" << i << "] : " << structure
       << "\nmemref.store %v" << i << ", %out[%i, %at" << i << "] : " << memref
       << "\n";
  os << "gpu.return } }\n";
  GPUExecutor executor = create(source);

  std::mt19937 random(11);
  std::uniform_int_distribution<int> draw(-4, 4);
  std::vector<int> a(64 * depth), b(test.n * depth);
  for (auto *matrix : {&a, &b})
    for (int &value : *matrix)
      value = draw(random);
  std::vector<char> in(32768);
  auto write = [&](uint64_t at, int value) {
    if (!isFloat) {
      in[at] = static_cast<char>(value);
      return;
    }
    llvm::APFloat number(static_cast<double>(value));
    bool loses;
    number.convert(test.type == "f16" ? llvm::APFloat::IEEEhalf()
                                      : llvm::APFloat::BFloat(),
                   llvm::APFloat::rmNearestTiesToEven, &loses);
    auto bits = static_cast<uint16_t>(number.bitcastToAPInt().getZExtValue());
    std::memcpy(&in[at], &bits, 2);
  };
  for (int l = 0; l < depth; ++l) {
    for (int i = 0; i < 64; ++i)
      write(test.placeA(i, l), a[i * depth + l]);
    for (int j = 0; j < test.n; ++j)
      write(kStartB + test.placeB(j, l), b[j * depth + l]);
  }
  std::vector<uint32_t> out(128 * perThread);
  GPULaunch launch;
  launch.block = {128, 1, 1};
  launch.dynamicSharedBytes = 32768;
  launch.arguments = {
      add(in.data(), in.size()), add(out.data(), out.size() * 4),
      test.descriptorA,          test.descriptorB | kStartB >> 4,
      test.stepA >> 4,           test.stepB >> 4};
  ASSERT_TRUE(succeeded(executor.launch("k", launch, memory))) << error;
  for (int thread = 0; thread < 128; ++thread)
    for (int i = 0; i < perThread; ++i) {
      int row = thread / 32 * 16 + thread % 32 / 4 + (i % 4 < 2 ? 0 : 8);
      int column = i / 4 * 8 + thread % 4 * 2 + i % 2;
      int expected = 0;
      for (int l = 0; l < depth; ++l)
        expected += a[row * depth + l] * b[column * depth + l];
      uint32_t bits = out[thread * perThread + i];
      float number;
      std::memcpy(&number, &bits, 4);
      EXPECT_EQ(isFloat ? static_cast<int>(number) : static_cast<int32_t>(bits),
                expected)
          << "at " << row << ", " << column;
    }
}

INSTANTIATE_TEST_SUITE_P(Layouts, WarpgroupTest,
                         testing::Range(size_t(0), getCases().size()),
                         [](const testing::TestParamInfo<size_t> &info) {
                           return getCases()[info.param].name;
                         });

} // namespace
