//===- MatrixTest.cpp - Products of matrices by warps ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which lane has which elements is written here as the manual of PTX does, for
// each shape; products are compared with those of the matrices.
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

struct Position {
  int row, column;
};
using Layout = std::function<Position(int group, int lane, int i)>;

struct Shape {
  std::string factor, sum;
  int m, n, k;
  /// The vectors of a lane.
  std::string a, b, c;
  Layout layoutA, layoutB;
};

/// Elements 0 and 1 of an accumulator are in one row, others 8 below.
Position getAccumulator(int group, int lane, int i) {
  return {i < 2 ? group : group + 8, lane * 2 + (i & 1)};
}

const std::vector<Shape> &getShapes() {
  auto rowsOf2 = [](int group, int lane, int i) {
    return Position{i < 2 ? group : group + 8, lane * 2 + (i & 1)};
  };
  auto columnOf2 = [](int group, int lane, int i) {
    return Position{lane * 2 + i, group};
  };
  auto rowsOf16 = [](int group, int lane, int i) {
    bool isUpper = (0 <= i && i < 2) || (4 <= i && i < 6);
    return Position{isUpper ? group : group + 8,
                    i < 4 ? lane * 2 + (i & 1) : lane * 2 + (i & 1) + 8};
  };
  auto columnOf16 = [](int group, int lane, int i) {
    return Position{i < 2 ? lane * 2 + (i & 1) : lane * 2 + (i & 1) + 8, group};
  };
  static const std::vector<Shape> shapes = {
      {"f16", "f32", 16, 8, 8, "2x2xf16", "1x2xf16", "2x2xf32", rowsOf2,
       columnOf2},
      {"f16", "f16", 16, 8, 8, "2x2xf16", "1x2xf16", "2x2xf16", rowsOf2,
       columnOf2},
      {"f16", "f32", 16, 8, 16, "4x2xf16", "2x2xf16", "2x2xf32", rowsOf16,
       columnOf16},
      {"f16", "f16", 16, 8, 16, "4x2xf16", "2x2xf16", "2x2xf16", rowsOf16,
       columnOf16},
      {"bf16", "f32", 16, 8, 8, "2x2xbf16", "1x2xbf16", "2x2xf32", rowsOf2,
       columnOf2},
      {"bf16", "f32", 16, 8, 16, "4x2xbf16", "2x2xbf16", "2x2xf32", rowsOf16,
       columnOf16},
      {"f32", "f32", 16, 8, 4, "2x1xf32", "1x1xf32", "2x2xf32",
       [](int group, int lane, int i) {
         return Position{i == 0 ? group : group + 8, lane};
       },
       [](int group, int lane, int i) { return Position{lane, group}; }},
      {"f32", "f32", 16, 8, 8, "4x1xf32", "2x1xf32", "2x2xf32",
       [](int group, int lane, int i) {
         return Position{i == 0 || i == 2 ? group : group + 8,
                         i == 0 || i == 1 ? lane : lane + 4};
       },
       [](int group, int lane, int i) {
         return Position{i == 0 ? lane : lane + 4, group};
       }},
      {"i8", "i32", 16, 8, 16, "2x4xi8", "1x4xi8", "2x2xi32",
       [](int group, int lane, int i) {
         return Position{i < 4 ? group : group + 8, lane * 4 + (i & 3)};
       },
       [](int group, int lane, int i) {
         return Position{lane * 4 + i, group};
       }},
      {"i8", "i32", 16, 8, 32, "4x4xi8", "2x4xi8", "2x2xi32",
       [](int group, int lane, int i) {
         bool isUpper = (0 <= i && i < 4) || (8 <= i && i < 12);
         return Position{isUpper ? group : group + 8,
                         i < 8 ? lane * 4 + (i & 3) : lane * 4 + (i & 3) + 16};
       },
       [](int group, int lane, int i) {
         return Position{i < 4 ? lane * 4 + (i & 3) : lane * 4 + (i & 3) + 16,
                         group};
       }},
      {"f64", "f64", 8, 8, 4, "1x1xf64", "1x1xf64", "1x2xf64",
       [](int group, int lane, int i) { return Position{group, lane}; },
       [](int group, int lane, int i) { return Position{lane, group}; }},
  };
  return shapes;
}

/// Numbers of a type in memory.
class Numbers {
public:
  Numbers(StringRef type, size_t count)
      : type(type), bytes(getSize() * count) {}

  size_t getSize() const {
    return type == "f64"                    ? 8
           : type == "f32" || type == "i32" ? 4
           : type == "i8"                   ? 1
                                            : 2;
  }

  void set(size_t i, double value) {
    uint64_t bits = getSemantics()
                        ? convert(value).bitcastToAPInt().getZExtValue()
                        : static_cast<uint64_t>(static_cast<int64_t>(value));
    std::memcpy(&bytes[i * getSize()], &bits, getSize());
  }

  double get(size_t i) const {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes[i * getSize()], getSize());
    if (!getSemantics())
      return type == "i8" ? static_cast<int8_t>(bits)
                          : static_cast<int32_t>(bits);
    llvm::APFloat value(*getSemantics(), llvm::APInt(getSize() * 8, bits));
    bool loses;
    value.convert(llvm::APFloat::IEEEdouble(),
                  llvm::APFloat::rmNearestTiesToEven, &loses);
    return value.convertToDouble();
  }

  void *data() { return bytes.data(); }
  size_t size() const { return bytes.size(); }

private:
  const llvm::fltSemantics *getSemantics() const {
    if (type == "f16")
      return &llvm::APFloat::IEEEhalf();
    if (type == "bf16")
      return &llvm::APFloat::BFloat();
    if (type == "f32")
      return &llvm::APFloat::IEEEsingle();
    return type == "f64" ? &llvm::APFloat::IEEEdouble() : nullptr;
  }

  llvm::APFloat convert(double number) const {
    llvm::APFloat value(number);
    bool loses;
    value.convert(*getSemantics(), llvm::APFloat::rmNearestTiesToEven, &loses);
    return value;
  }

  std::string type;
  std::vector<char> bytes;
};

class MatrixTest : public ExecutorTest,
                   public testing::WithParamInterface<size_t> {};

TEST_P(MatrixTest, MmaSync) {
  const Shape &shape = getShapes()[GetParam()];
  auto count = [](StringRef vector) {
    auto [rows, rest] = vector.split('x');
    return std::stoi(rows.str()) * std::stoi(rest.split('x').first.str());
  };
  int numA = count(shape.a), numB = count(shape.b), numC = count(shape.c);
  ASSERT_EQ(numA * 32, shape.m * shape.k);
  std::string source;
  llvm::raw_string_ostream os(source);
  auto memref = [](StringRef vector) {
    return ("memref<32x" + vector + ">").str();
  };
  os << "gpu.module @kernels { gpu.func @k(%a: " << memref(shape.a)
     << ", %b: " << memref(shape.b) << ", %c: " << memref(shape.c)
     << ") kernel {\n%lane = gpu.lane_id\n%c0 = arith.constant 0 : index\n";
  for (auto [name, vector] : {std::pair("a", StringRef(shape.a)),
                              {"b", StringRef(shape.b)},
                              {"c", StringRef(shape.c)}})
    os << "%pad" << name << " = arith.constant "
       << (vector.ends_with("i8") || vector.ends_with("i32") ? "0" : "0.0")
       << " : " << vector.rsplit('x').second << "\n%v" << name
       << " = vector.transfer_read %" << name << "[%lane, %c0, %c0], %pad"
       << name << " {in_bounds = [true, true]} : " << memref(vector)
       << ", vector<" << vector << ">\n";
  os << "%d = nvgpu.mma.sync(%va, %vb, %vc) {mmaShape = [" << shape.m << ", "
     << shape.n << ", " << shape.k << "]"
     << (shape.factor == "f32" ? ", tf32Enabled" : "") << "} : (vector<"
     << shape.a << ">, vector<" << shape.b << ">, vector<" << shape.c
     << ">) -> vector<" << shape.c
     << ">\nvector.transfer_write %d, %c[%lane, %c0, %c0] {in_bounds = [true, "
        "true]} : vector<"
     << shape.c << ">, " << memref(shape.c) << "\ngpu.return } }\n";
  GPUExecutor executor = create(source);

  // Small integers, so that all products and sums are exact.
  std::mt19937 random(7);
  std::uniform_int_distribution<int> draw(-8, 8);
  std::vector<double> a(shape.m * shape.k), b(shape.k * shape.n),
      c(shape.m * shape.n);
  for (auto *matrix : {&a, &b, &c})
    for (double &value : *matrix)
      value = draw(random);
  Numbers fragmentsA(shape.factor, 32 * numA),
      fragmentsB(shape.factor, 32 * numB);
  Numbers fragmentsC(shape.sum, 32 * numC);
  for (int lane = 0; lane < 32; ++lane) {
    int group = lane >> 2, inGroup = lane % 4;
    for (int i = 0; i < numA; ++i) {
      auto [row, column] = shape.layoutA(group, inGroup, i);
      fragmentsA.set(lane * numA + i, a[row * shape.k + column]);
    }
    for (int i = 0; i < numB; ++i) {
      auto [row, column] = shape.layoutB(group, inGroup, i);
      fragmentsB.set(lane * numB + i, b[row * shape.n + column]);
    }
    for (int i = 0; i < numC; ++i) {
      auto [row, column] = getAccumulator(group, inGroup, i);
      fragmentsC.set(lane * numC + i, c[row * shape.n + column]);
    }
  }
  GPULaunch launch;
  launch.block = {32, 1, 1};
  for (Numbers *numbers : {&fragmentsA, &fragmentsB, &fragmentsC})
    launch.arguments.push_back(add(numbers->data(), numbers->size()));
  ASSERT_TRUE(succeeded(executor.launch("k", launch, memory)));
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < numC; ++i) {
      auto [row, column] = getAccumulator(lane >> 2, lane % 4, i);
      double expected = c[row * shape.n + column];
      for (int l = 0; l < shape.k; ++l)
        expected += a[row * shape.k + l] * b[l * shape.n + column];
      EXPECT_EQ(fragmentsC.get(lane * numC + i), expected)
          << "at " << row << ", " << column;
    }
}

INSTANTIATE_TEST_SUITE_P(Shapes, MatrixTest,
                         testing::Range(size_t(0), getShapes().size()),
                         [](const testing::TestParamInfo<size_t> &info) {
                           const Shape &shape = getShapes()[info.param];
                           return shape.factor + "_" + shape.sum + "_k" +
                                  std::to_string(shape.k);
                         });

class LoadMatrixTest : public ExecutorTest,
                       public testing::WithParamInterface<bool> {};

/// Row r of matrix j is row 8 j + r in memory; its elements are 100 r + column
/// + 1000 j.
TEST_P(LoadMatrixTest, LdMatrix) {
  bool isTransposed = GetParam();
  std::string source = R"(
    gpu.module @kernels {
      gpu.func @k(%in: memref<32x8xi16>, %out: memref<32x8xi16>)
          workgroup(%s: memref<32x8xi16, #gpu.address_space<workgroup>>) kernel {
        %lane = gpu.lane_id
        %c0 = arith.constant 0 : index
        %row = vector.load %in[%lane, %c0] : memref<32x8xi16>, vector<8xi16>
        vector.store %row, %s[%lane, %c0] : memref<32x8xi16, #gpu.address_space<workgroup>>, vector<8xi16>
        gpu.barrier
        %m = nvgpu.ldmatrix %s[%lane, %c0] {numTiles = 4 : i32, transpose = )";
  source += isTransposed ? "true" : "false";
  source +=
      R"(} : memref<32x8xi16, #gpu.address_space<workgroup>> -> vector<4x2xi16>
        %flat = vector.shape_cast %m : vector<4x2xi16> to vector<8xi16>
        vector.store %flat, %out[%lane, %c0] : memref<32x8xi16>, vector<8xi16>
        gpu.return
      }
    })";
  GPUExecutor executor = create(source);
  std::vector<int16_t> in(256), out(256);
  for (int row = 0; row < 32; ++row)
    for (int column = 0; column < 8; ++column)
      in[row * 8 + column] = 1000 * (row / 8) + 100 * (row % 8) + column;
  GPULaunch launch;
  launch.block = {32, 1, 1};
  launch.arguments = {add(in.data(), 512), add(out.data(), 512)};
  ASSERT_TRUE(succeeded(executor.launch("k", launch, memory)));
  for (int lane = 0; lane < 32; ++lane)
    for (int matrix = 0; matrix < 4; ++matrix)
      for (int i = 0; i < 2; ++i) {
        int row = lane / 4, column = 2 * (lane % 4) + i;
        if (isTransposed)
          std::swap(row, column);
        EXPECT_EQ(out[lane * 8 + matrix * 2 + i],
                  1000 * matrix + 100 * row + column);
      }
}

INSTANTIATE_TEST_SUITE_P(Layouts, LoadMatrixTest, testing::Bool());

} // namespace
