//===- KernelTest.cpp - Numbers of compiled kernels -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

using namespace relay_test;

namespace {

class KernelTest : public TargetTest {};

INSTANTIATE_TEST_SUITE_P(Targets, KernelTest, testing::ValuesIn(kTargets),
                         getTargetName);

constexpr const char *kScale = R"(
tir.prim_func @k(%x: memref<Nxf32>, %y: memref<Nxf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %a = arith.constant 2.0 : f32
  %b = arith.constant 1.0 : f32
  tir.for %i = 0 to N kind(vectorized) {
    tir.block @scale(%v0 = spatial %i in N)
        reads(%x[%v0] : memref<Nxf32>) writes(%y[%v0] : memref<Nxf32>) {
      %0 = affine.load %x[%v0] : memref<Nxf32>
      %1 = arith.mulf %0, %a : f32
      %2 = arith.addf %1, %b : f32
      affine.store %2, %y[%v0] : memref<Nxf32>
    }
  }
})";

// Every rest, with memory that ends exactly where the buffers do.
TEST_P(KernelTest, ElementwiseOfEveryLength) {
  for (int64_t n = 1; n <= 33; ++n) {
    CompiledFunction kernel(replaceAll(kScale, "N", std::to_string(n)),
                            GetParam());
    ASSERT_TRUE(kernel);
    for (bool atEnd : {false, true}) {
      GuardedBuffer x(4 * n, atEnd), y(4 * n, atEnd);
      fillRandom(x.get<float>(), n);
      EXPECT_EQ(kernel({x.get<void>(), y.get<void>()}), 0);
      for (int64_t i = 0; i < n; ++i)
        EXPECT_FLOAT_EQ(y.get<float>()[i], 2 * x.get<float>()[i] + 1) << n;
    }
  }
}

TEST_P(KernelTest, ElementwiseOfDynamicLength) {
  CompiledFunction kernel(R"(
tir.prim_func @k(%x: memref<?xf32>, %y: memref<?xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %one = arith.constant 1.0 : f32
  tir.for %i = 0 to %n kind(vectorized) {
    tir.block @add(%v0 = spatial %i in %n)
        reads(%x[%v0] : memref<?xf32>) writes(%y[%v0] : memref<?xf32>) {
      %0 = affine.load %x[%v0] : memref<?xf32>
      %1 = arith.addf %0, %one : f32
      affine.store %1, %y[%v0] : memref<?xf32>
    }
  }
})",
                          GetParam());
  ASSERT_TRUE(kernel);
  for (int64_t n = 0; n <= 40; ++n) {
    GuardedBuffer x(4 * n), y(4 * n);
    fillRandom(x.get<float>(), n);
    EXPECT_EQ(kernel({x.get<void>(), y.get<void>()}, {n, n}), 0);
    for (int64_t i = 0; i < n; ++i)
      EXPECT_EQ(y.get<float>()[i], x.get<float>()[i] + 1) << n;
  }
}

// A split that does not divide: the guard cuts off the last lanes.
TEST_P(KernelTest, GuardedLanes) {
  CompiledFunction kernel(R"(
#guard = affine_set<(d0, d1)[s0] : (s0 - d0 * 16 - d1 - 1 >= 0)>
#join = affine_map<(d0, d1) -> (d0 * 16 + d1)>
tir.prim_func @k(%x: memref<?xf32>, %y: memref<?xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %tiles = affine.apply affine_map<()[s0] -> (s0 ceildiv 16)>()[%n]
  tir.for %o = 0 to %tiles kind(parallel) {
    tir.for %i = 0 to 16 kind(vectorized) {
      %j = affine.apply #join(%o, %i)
      tir.block @neg(%v0 = spatial %j in %n) where #guard(%o, %i)[%n]
          reads(%x[%v0] : memref<?xf32>) writes(%y[%v0] : memref<?xf32>) {
        %0 = affine.load %x[%v0] : memref<?xf32>
        %1 = arith.negf %0 : f32
        affine.store %1, %y[%v0] : memref<?xf32>
      }
    }
  }
})",
                          GetParam());
  ASSERT_TRUE(kernel);
  for (int64_t n = 0; n <= 50; ++n) {
    GuardedBuffer x(4 * n), y(4 * n);
    fillRandom(x.get<float>(), n);
    EXPECT_EQ(kernel({x.get<void>(), y.get<void>()}, {n, n}), 0);
    for (int64_t i = 0; i < n; ++i)
      EXPECT_EQ(y.get<float>()[i], -x.get<float>()[i]) << n;
  }
}

} // namespace
