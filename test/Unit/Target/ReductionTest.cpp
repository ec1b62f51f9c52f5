//===- ReductionTest.cpp - Numbers of compiled reductions -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

using namespace relay_test;

namespace {

class ReductionTest : public TargetTest {};

INSTANTIATE_TEST_SUITE_P(Targets, ReductionTest, testing::ValuesIn(kTargets),
                         getTargetName);

// Lanes over the reduction, any length, with and without an outer loop that
// carries them.
TEST_P(ReductionTest, RowSum) {
  constexpr const char *text = R"(
#join = affine_map<(d0, d1) -> (d0 * INNER + d1)>
tir.prim_func @k(%x: memref<5xCOLSxf32>, %y: memref<5xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  tir.for %i = 0 to 5 kind(parallel) {
    tir.for %ko = 0 to OUTER {
      tir.for %ki = 0 to INNER kind(vectorized) {
        %kk = affine.apply #join(%ko, %ki)
        tir.block @sum(%v0 = spatial %i in 5, %v1 = reduce %kk in COLS)
            reads(%x[%v0, %v1] : memref<5xCOLSxf32>, %y[%v0] : memref<5xf32>)
            writes(%y[%v0] : memref<5xf32>) {
          tir.init {
            affine.store %zero, %y[%v0] : memref<5xf32>
          }
          %0 = affine.load %x[%v0, %v1] : memref<5xCOLSxf32>
          %1 = affine.load %y[%v0] : memref<5xf32>
          %2 = arith.addf %1, %0 : f32
          affine.store %2, %y[%v0] : memref<5xf32>
        }
      }
    }
  }
})";
  for (auto [outer, inner] : {std::pair<int64_t, int64_t>(1, 1),
                              {1, 7},
                              {1, 16},
                              {1, 33},
                              {3, 16},
                              {4, 19},
                              {2, 64},
                              {1, 1000}}) {
    int64_t cols = outer * inner;
    CompiledFunction kernel(
        substitute(text, {{"OUTER", outer}, {"INNER", inner}, {"COLS", cols}}),
        GetParam());
    ASSERT_TRUE(kernel);
    GuardedBuffer x(5 * cols * 4), y(5 * 4);
    fillRandom(x.get<float>(), 5 * cols);
    EXPECT_EQ(kernel({x.get<void>(), y.get<void>()}), 0);
    for (int64_t i = 0; i < 5; ++i) {
      double sum = 0;
      for (int64_t j = 0; j < cols; ++j)
        sum += x.get<float>()[i * cols + j];
      EXPECT_NEAR(y.get<float>()[i], sum, 5e-5) << outer << "x" << inner;
    }
  }
}

// Over a dynamic extent: a main loop and a rest.
TEST_P(ReductionTest, MaxOfDynamicExtent) {
  CompiledFunction kernel(R"(
tir.prim_func @k(%x: memref<?xf32>, %y: memref<1xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %low = arith.constant 0xFF800000 : f32
  tir.for %k = 0 to %n kind(vectorized) {
    tir.block @max(%v0 = spatial %c0 in 1, %v1 = reduce %k in %n)
        reads(%x[%v1] : memref<?xf32>, %y[%v0] : memref<1xf32>)
        writes(%y[%v0] : memref<1xf32>) {
      tir.init {
        affine.store %low, %y[%v0] : memref<1xf32>
      }
      %0 = affine.load %x[%v1] : memref<?xf32>
      %1 = affine.load %y[%v0] : memref<1xf32>
      %2 = arith.maximumf %1, %0 : f32
      affine.store %2, %y[%v0] : memref<1xf32>
    }
  }
})",
                          GetParam());
  ASSERT_TRUE(kernel);
  for (int64_t n = 0; n <= 40; ++n) {
    GuardedBuffer x(4 * n), y(4);
    fillRandom(x.get<float>(), n);
    EXPECT_EQ(kernel({x.get<void>(), y.get<void>()}, {n}), 0);
    float expected = -std::numeric_limits<float>::infinity();
    for (int64_t i = 0; i < n; ++i)
      expected = std::max(expected, x.get<float>()[i]);
    EXPECT_EQ(*y.get<float>(), expected) << n;
  }
}

// A register tile: unrolled rows and vectorized columns inside the reduction,
// both with guards.
TEST_P(ReductionTest, TiledMatmul) {
  constexpr const char *text = R"(
#guard = affine_set<(d0, d1, d2, d3) : (ROWS - 1 - d0 * 4 - d1 >= 0, COLS - 1 - d2 * 32 - d3 >= 0)>
tir.prim_func @k(%a: memref<ROWSxDEPTHxf32>, %b: memref<DEPTHxCOLSxf32>,
                 %c: memref<ROWSxCOLSxf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %zero = arith.constant 0.0 : f32
  tir.for %io = 0 to ROWTILES kind(parallel) {
    tir.for %jo = 0 to COLTILES {
      tir.for %k = 0 to DEPTH {
        tir.for %ii = 0 to 4 kind(unrolled) {
          tir.for %ji = 0 to 32 kind(vectorized) {
            %i = affine.apply affine_map<(d0, d1) -> (d0 * 4 + d1)>(%io, %ii)
            %j = affine.apply affine_map<(d0, d1) -> (d0 * 32 + d1)>(%jo, %ji)
            tir.block @mm(%v0 = spatial %i in ROWS, %v1 = spatial %j in COLS, %v2 = reduce %k in DEPTH)
                where #guard(%io, %ii, %jo, %ji)
                reads(%a[%v0, %v2] : memref<ROWSxDEPTHxf32>, %b[%v2, %v1] : memref<DEPTHxCOLSxf32>, %c[%v0, %v1] : memref<ROWSxCOLSxf32>)
                writes(%c[%v0, %v1] : memref<ROWSxCOLSxf32>) {
              tir.init {
                affine.store %zero, %c[%v0, %v1] : memref<ROWSxCOLSxf32>
              }
              %0 = affine.load %a[%v0, %v2] : memref<ROWSxDEPTHxf32>
              %1 = affine.load %b[%v2, %v1] : memref<DEPTHxCOLSxf32>
              %2 = affine.load %c[%v0, %v1] : memref<ROWSxCOLSxf32>
              %3 = arith.mulf %0, %1 : f32
              %4 = arith.addf %2, %3 : f32
              affine.store %4, %c[%v0, %v1] : memref<ROWSxCOLSxf32>
            }
          }
        }
      }
    }
  }
})";
  for (auto [m, n, k] :
       {std::array<int64_t, 3>{8, 64, 16}, {5, 37, 3}, {1, 1, 1}, {7, 32, 9}}) {
    CompiledFunction kernel(substitute(text, {{"ROWTILES", (m + 3) / 4},
                                              {"COLTILES", (n + 31) / 32},
                                              {"ROWS", m},
                                              {"COLS", n},
                                              {"DEPTH", k}}),
                            GetParam());
    ASSERT_TRUE(kernel);
    GuardedBuffer a(m * k * 4), b(k * n * 4), c(m * n * 4);
    fillRandom(a.get<float>(), m * k);
    fillRandom(b.get<float>(), k * n);
    EXPECT_EQ(kernel({a.get<void>(), b.get<void>(), c.get<void>()}), 0);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        double sum = 0;
        for (int64_t l = 0; l < k; ++l)
          sum += double(a.get<float>()[i * k + l]) * b.get<float>()[l * n + j];
        EXPECT_NEAR(c.get<float>()[i * n + j], sum, 1e-5)
            << m << "x" << n << "x" << k;
      }
  }
}

// A convolution as it comes, without a schedule but with a padded copy in a
// workspace, and one with lanes over columns at stride 2.
TEST_P(ReductionTest, Convolution) {
  constexpr const char *text = R"(
tir.prim_func @k(%x: memref<?x3x11x11xf32>, %w: memref<4x3x3x3xf32>,
                 %y: memref<?x4x6x6xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %x, %c0 : memref<?x3x11x11xf32>
  %pad = tir.alloc_buffer(%n) : memref<?x3x13x13xf32>
  tir.for %b = 0 to %n {
    tir.for %c = 0 to 3 {
      tir.for %h = 0 to 13 {
        tir.for %i = 0 to 13 VECTOR {
          tir.block @pad(%v0 = spatial %b in %n, %v1 = spatial %c in 3, %v2 = spatial %h in 13, %v3 = spatial %i in 13)
              reads(%x[%v0, %v1, %v2 - 1, %v3 - 1] : memref<?x3x11x11xf32>)
              writes(%pad[%v0, %v1, %v2, %v3] : memref<?x3x13x13xf32>) {
            %0 = affine.if affine_set<(d0, d1) : (d0 - 1 >= 0, 11 - d0 >= 0, d1 - 1 >= 0, 11 - d1 >= 0)>(%v2, %v3) -> f32 {
              %1 = affine.load %x[%v0, %v1, %v2 - 1, %v3 - 1] : memref<?x3x11x11xf32>
              affine.yield %1 : f32
            } else {
              affine.yield %zero : f32
            }
            affine.store %0, %pad[%v0, %v1, %v2, %v3] : memref<?x3x13x13xf32>
          }
        }
      }
    }
  }
  tir.for %b = 0 to %n {
    tir.for %o = 0 to 4 {
      tir.for %h = 0 to 6 {
        tir.for %c = 0 to 3 {
          tir.for %kh = 0 to 3 {
            tir.for %kw = 0 to 3 {
              tir.for %i = 0 to 6 VECTOR {
                tir.block @conv(%v0 = spatial %b in %n, %v1 = spatial %o in 4, %v2 = spatial %h in 6, %v3 = spatial %i in 6, %v4 = reduce %c in 3, %v5 = reduce %kh in 3, %v6 = reduce %kw in 3)
                    reads(%pad[%v0, %v4, %v2 * 2 + %v5, %v3 * 2 + %v6] : memref<?x3x13x13xf32>, %w[%v1, %v4, %v5, %v6] : memref<4x3x3x3xf32>, %y[%v0, %v1, %v2, %v3] : memref<?x4x6x6xf32>)
                    writes(%y[%v0, %v1, %v2, %v3] : memref<?x4x6x6xf32>) {
                  tir.init {
                    affine.store %zero, %y[%v0, %v1, %v2, %v3] : memref<?x4x6x6xf32>
                  }
                  %0 = affine.load %pad[%v0, %v4, %v2 * 2 + %v5, %v3 * 2 + %v6] : memref<?x3x13x13xf32>
                  %1 = affine.load %w[%v1, %v4, %v5, %v6] : memref<4x3x3x3xf32>
                  %2 = affine.load %y[%v0, %v1, %v2, %v3] : memref<?x4x6x6xf32>
                  %3 = arith.mulf %0, %1 : f32
                  %4 = arith.addf %2, %3 : f32
                  affine.store %4, %y[%v0, %v1, %v2, %v3] : memref<?x4x6x6xf32>
                }
              }
            }
          }
        }
      }
    }
  }
})";
  for (const char *kind : {"", "kind(vectorized)"}) {
    CompiledFunction kernel(replaceAll(text, "VECTOR", kind), GetParam());
    ASSERT_TRUE(kernel);
    for (int64_t n : {1, 3}) {
      GuardedBuffer x(n * 363 * 4), w(108 * 4), y(n * 144 * 4),
          pad(n * 507 * 4);
      fillRandom(x.get<float>(), n * 363);
      fillRandom(w.get<float>(), 108);
      EXPECT_EQ(
          kernel({x.get<void>(), w.get<void>(), y.get<void>(), pad.get<void>()},
                 {n, n, n}),
          0);
      for (int64_t b = 0; b < n; ++b)
        for (int64_t o = 0; o < 4; ++o)
          for (int64_t h = 0; h < 6; ++h)
            for (int64_t i = 0; i < 6; ++i) {
              double sum = 0;
              for (int64_t c = 0; c < 3; ++c)
                for (int64_t kh = 0; kh < 3; ++kh)
                  for (int64_t kw = 0; kw < 3; ++kw) {
                    int64_t r = 2 * h + kh - 1, s = 2 * i + kw - 1;
                    if (r < 0 || r >= 11 || s < 0 || s >= 11)
                      continue;
                    sum +=
                        double(
                            x.get<float>()[((b * 3 + c) * 11 + r) * 11 + s]) *
                        w.get<float>()[((o * 3 + c) * 3 + kh) * 3 + kw];
                  }
              EXPECT_NEAR(y.get<float>()[((b * 4 + o) * 6 + h) * 6 + i], sum,
                          1e-5);
            }
    }
  }
}

// Two results, one chosen by the other: no combiner that lanes could use.
TEST_P(ReductionTest, ArgMaxRunsSerially) {
  CompiledFunction kernel(R"(
tir.prim_func @k(%x: memref<37xf32>, %value: memref<1xf32>, %index: memref<1xi64>)
    attributes {tir.num_outputs = 2 : i64} {
  %c0 = arith.constant 0 : index
  %low = arith.constant 0xFF800000 : f32
  %first = arith.constant 0 : i64
  tir.for %k = 0 to 37 kind(vectorized) {
    tir.block @argmax(%v0 = spatial %c0 in 1, %v1 = reduce %k in 37)
        reads(%x[%v1] : memref<37xf32>, %value[%v0] : memref<1xf32>, %index[%v0] : memref<1xi64>)
        writes(%value[%v0] : memref<1xf32>, %index[%v0] : memref<1xi64>) {
      tir.init {
        affine.store %low, %value[%v0] : memref<1xf32>
        affine.store %first, %index[%v0] : memref<1xi64>
      }
      %0 = affine.load %x[%v1] : memref<37xf32>
      %1 = affine.load %value[%v0] : memref<1xf32>
      %2 = affine.load %index[%v0] : memref<1xi64>
      %3 = arith.cmpf ogt, %0, %1 : f32
      %4 = arith.index_cast %v1 : index to i64
      %5 = arith.select %3, %0, %1 : f32
      %6 = arith.select %3, %4, %2 : i64
      affine.store %5, %value[%v0] : memref<1xf32>
      affine.store %6, %index[%v0] : memref<1xi64>
    }
  }
})",
                          GetParam());
  ASSERT_TRUE(kernel);
  std::vector<float> x = getRandom<float>(37);
  float value = 0;
  int64_t index = -1;
  EXPECT_EQ(kernel({x.data(), &value, &index}), 0);
  EXPECT_EQ(index, std::max_element(x.begin(), x.end()) - x.begin());
  EXPECT_EQ(value, x[index]);
}

// The reduction runs inside the lanes, which are guarded; a second block, on
// the same lanes, reads its result.
TEST_P(ReductionTest, LoopsInsideLanes) {
  CompiledFunction kernel(R"(
#guard = affine_set<(d0, d1)[s0] : (s0 - d0 * 16 - d1 - 1 >= 0)>
#join = affine_map<(d0, d1) -> (d0 * 16 + d1)>
tir.prim_func @k(%x: memref<9x?xf32>, %s: memref<?xf32>, %y: memref<?xf32>)
    attributes {tir.num_outputs = 2 : i64} {
  %c1 = arith.constant 1 : index
  %n = memref.dim %x, %c1 : memref<9x?xf32>
  %zero = arith.constant 0.0 : f32
  %tiles = affine.apply affine_map<()[s0] -> (s0 ceildiv 16)>()[%n]
  tir.for %o = 0 to %tiles kind(parallel) {
    tir.for %i = 0 to 16 kind(vectorized) {
      %j = affine.apply #join(%o, %i)
      tir.for %k = 0 to 9 {
        tir.block @sum(%v0 = spatial %j in %n, %v1 = reduce %k in 9) where #guard(%o, %i)[%n]
            reads(%x[%v1, %v0] : memref<9x?xf32>, %s[%v0] : memref<?xf32>)
            writes(%s[%v0] : memref<?xf32>) {
          tir.init {
            affine.store %zero, %s[%v0] : memref<?xf32>
          }
          %0 = affine.load %x[%v1, %v0] : memref<9x?xf32>
          %1 = affine.load %s[%v0] : memref<?xf32>
          %2 = arith.addf %1, %0 : f32
          affine.store %2, %s[%v0] : memref<?xf32>
        }
      }
      tir.block @neg(%v0 = spatial %j in %n) where #guard(%o, %i)[%n]
          reads(%s[%v0] : memref<?xf32>) writes(%y[%v0] : memref<?xf32>) {
        %0 = affine.load %s[%v0] : memref<?xf32>
        %1 = arith.negf %0 : f32
        affine.store %1, %y[%v0] : memref<?xf32>
      }
    }
  }
})",
                          GetParam());
  ASSERT_TRUE(kernel);
  for (int64_t n = 1; n <= 40; n += 3) {
    GuardedBuffer x(4 * 9 * n), s(4 * n), y(4 * n);
    fillRandom(x.get<float>(), 9 * n);
    EXPECT_EQ(kernel({x.get<void>(), s.get<void>(), y.get<void>()}, {n, n, n}),
              0);
    for (int64_t i = 0; i < n; ++i) {
      double sum = 0;
      for (int64_t k = 0; k < 9; ++k)
        sum += x.get<float>()[k * n + i];
      EXPECT_NEAR(s.get<float>()[i], sum, 1e-5) << n;
      EXPECT_EQ(y.get<float>()[i], -s.get<float>()[i]) << n;
    }
  }
}

// Products, minima and bits of integers; a guard on the reduction itself.
TEST_P(ReductionTest, CombinersOfIntegers) {
  constexpr const char *text = R"(
#guard = affine_set<(d0, d1) : (36 - d0 * 8 - d1 >= 0)>
tir.prim_func @k(%x: memref<37xTYPE>, %y: memref<1xTYPE>)
    attributes {tir.num_outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %start = arith.constant START : TYPE
  tir.for %ko = 0 to 5 {
    tir.for %ki = 0 to 8 kind(vectorized) {
      %kk = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)>(%ko, %ki)
      tir.block @combine(%v0 = spatial %c0 in 1, %v1 = reduce %kk in 37) where #guard(%ko, %ki)
          reads(%x[%v1] : memref<37xTYPE>, %y[%v0] : memref<1xTYPE>)
          writes(%y[%v0] : memref<1xTYPE>) {
        tir.init {
          affine.store %start, %y[%v0] : memref<1xTYPE>
        }
        %0 = affine.load %x[%v1] : memref<37xTYPE>
        %1 = affine.load %y[%v0] : memref<1xTYPE>
        %2 = OP %0, %1 : TYPE
        affine.store %2, %y[%v0] : memref<1xTYPE>
      }
    }
  }
})";
  auto run = [&](const char *op, int64_t start, auto combine) {
    auto runType = [&](const char *type, auto zero) {
      using T = decltype(zero);
      CompiledFunction kernel(
          replaceAll(replaceAll(replaceAll(text, "TYPE", type), "OP", op),
                     "START", std::to_string(start)),
          GetParam());
      ASSERT_TRUE(kernel);
      std::vector<T> x = getRandom<T>(37, 100);
      T y = 0, expected = static_cast<T>(start);
      EXPECT_EQ(kernel({x.data(), &y}), 0);
      for (T value : x)
        expected = static_cast<T>(combine(expected, value));
      EXPECT_EQ(y, expected) << op << " " << type;
    };
    runType("i8", int8_t(0));
    runType("i32", int32_t(0));
    runType("i64", int64_t(0));
  };
  run("arith.addi", 0, [](auto a, auto b) { return uint64_t(a) + b; });
  run("arith.muli", 1,
      [](auto a, auto b) { return uint64_t(a) * uint64_t(b); });
  run("arith.minsi", 127, [](auto a, auto b) { return std::min(a, b); });
  run("arith.maxsi", -128, [](auto a, auto b) { return std::max(a, b); });
  run("arith.xori", 0, [](auto a, auto b) { return a ^ b; });
  run("arith.andi", -1, [](auto a, auto b) { return a & b; });
}

} // namespace
