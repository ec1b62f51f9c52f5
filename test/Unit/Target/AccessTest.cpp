//===- AccessTest.cpp - Numbers of kernels with all kinds of access -------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

using namespace relay_test;

namespace {

class AccessTest : public TargetTest {};

INSTANTIATE_TEST_SUITE_P(Targets, AccessTest, testing::ValuesIn(kTargets),
                         getTargetName);

// Rows chosen by data, along both dimensions.
TEST_P(AccessTest, Gather) {
  constexpr const char *text = R"(
tir.prim_func @k(%x: memref<9x?xTYPE>, %i: memref<21xi32>, %y: memref<21x21xTYPE>)
    attributes {tir.num_outputs = 1 : i64} {
  tir.for %a = 0 to 21 {
    tir.for %b = 0 to 21 kind(vectorized) {
      tir.block @take(%v0 = spatial %a in 21, %v1 = spatial %b in 21)
          reads(%x : memref<9x?xTYPE>, %i[%v0] : memref<21xi32>, %i[%v1] : memref<21xi32>)
          writes(%y[%v0, %v1] : memref<21x21xTYPE>) {
        %0 = affine.load %i[%v0] : memref<21xi32>
        %1 = affine.load %i[%v1] : memref<21xi32>
        %2 = arith.index_cast %0 : i32 to index
        %3 = arith.index_cast %1 : i32 to index
        %4 = memref.load %x[%3, %2] : memref<9x?xTYPE>
        affine.store %4, %y[%v0, %v1] : memref<21x21xTYPE>
      }
    }
  }
})";
  auto run = [&](const char *type, auto zero) {
    using T = decltype(zero);
    CompiledFunction kernel(replaceAll(text, "TYPE", type), GetParam());
    ASSERT_TRUE(kernel);
    std::vector<T> x = getRandom<T>(9 * 11, 100), y(21 * 21);
    std::vector<int32_t> index(21);
    for (int i = 0; i < 21; ++i)
      index[i] = i * 5 % 9;
    int64_t cols = 11;
    EXPECT_EQ(kernel({x.data(), index.data(), y.data()}, {cols}), 0);
    for (int a = 0; a < 21; ++a)
      for (int b = 0; b < 21; ++b)
        EXPECT_EQ(y[a * 21 + b], x[index[b] * cols + index[a]]) << type;
  };
  run("f32", 0.0f);
  run("f64", 0.0);
  run("i8", int8_t(0));
  run("i16", int16_t(0));
  run("i64", int64_t(0));
}

// Transposed and reversed reads, strided writes, divided indices.
TEST_P(AccessTest, AffineMaps) {
  CompiledFunction kernel(R"(
tir.prim_func @k(%x: memref<12x20xf32>, %t: memref<20x12xf32>,
                 %r: memref<240xf32>, %s: memref<12x40xf32>, %q: memref<240xf32>)
    attributes {tir.num_outputs = 4 : i64} {
  tir.for %a = 0 to 20 {
    tir.for %b = 0 to 12 kind(vectorized) {
      tir.block @transpose(%v0 = spatial %a in 20, %v1 = spatial %b in 12)
          reads(%x[%v1, %v0] : memref<12x20xf32>) writes(%t[%v0, %v1] : memref<20x12xf32>) {
        %0 = affine.load %x[%v1, %v0] : memref<12x20xf32>
        affine.store %0, %t[%v0, %v1] : memref<20x12xf32>
      }
    }
  }
  tir.for %a = 0 to 240 kind(vectorized) {
    tir.block @reshape_and_reverse(%v0 = spatial %a in 240)
        reads(%x[(239 - %v0) floordiv 20, (239 - %v0) mod 20] : memref<12x20xf32>) writes(%r[%v0] : memref<240xf32>) {
      %0 = affine.load %x[(239 - %v0) floordiv 20, (239 - %v0) mod 20] : memref<12x20xf32>
      affine.store %0, %r[%v0] : memref<240xf32>
    }
  }
  tir.for %a = 0 to 12 {
    tir.for %b = 0 to 40 kind(vectorized) {
      tir.block @zero(%v0 = spatial %a in 12, %v1 = spatial %b in 40)
          writes(%s[%v0, %v1] : memref<12x40xf32>) {
        %zero = arith.constant 0.0 : f32
        affine.store %zero, %s[%v0, %v1] : memref<12x40xf32>
      }
    }
  }
  tir.for %a = 0 to 12 {
    tir.for %b = 0 to 20 kind(vectorized) {
      tir.block @spread(%v0 = spatial %a in 12, %v1 = spatial %b in 20)
          reads(%x[%v0, %v1] : memref<12x20xf32>) writes(%s[%v0, %v1 * 2 + 1] : memref<12x40xf32>) {
        %0 = affine.load %x[%v0, %v1] : memref<12x20xf32>
        affine.store %0, %s[%v0, %v1 * 2 + 1] : memref<12x40xf32>
      }
    }
  }
  tir.for %a = 0 to 15 {
    tir.for %b = 0 to 16 kind(vectorized) {
      %j = affine.apply affine_map<(d0, d1) -> (d0 * 16 + d1)>(%a, %b)
      tir.block @blocked(%v0 = spatial %j in 240)
          reads(%x[%v0 floordiv 20, %v0 mod 20] : memref<12x20xf32>) writes(%q[%v0] : memref<240xf32>) {
        %0 = affine.load %x[%v0 floordiv 20, %v0 mod 20] : memref<12x20xf32>
        %1 = arith.index_cast %v0 : index to i32
        %2 = arith.sitofp %1 : i32 to f32
        %3 = arith.addf %0, %2 : f32
        affine.store %3, %q[%v0] : memref<240xf32>
      }
    }
  }
})",
                          GetParam());
  ASSERT_TRUE(kernel);
  GuardedBuffer x(240 * 4), t(240 * 4), r(240 * 4), s(480 * 4), q(240 * 4);
  fillRandom(x.get<float>(), 240);
  EXPECT_EQ(kernel({x.get<void>(), t.get<void>(), r.get<void>(), s.get<void>(),
                    q.get<void>()}),
            0);
  float *in = x.get<float>();
  for (int a = 0; a < 12; ++a)
    for (int b = 0; b < 20; ++b) {
      EXPECT_EQ(t.get<float>()[b * 12 + a], in[a * 20 + b]);
      EXPECT_EQ(s.get<float>()[a * 40 + 2 * b], 0);
      EXPECT_EQ(s.get<float>()[a * 40 + 2 * b + 1], in[a * 20 + b]);
    }
  for (int i = 0; i < 240; ++i) {
    EXPECT_EQ(r.get<float>()[i], in[239 - i]);
    EXPECT_EQ(q.get<float>()[i], in[i] + i);
  }
}

// A blocked layout: the divisor of the index is the number of lanes.
TEST_P(AccessTest, PackedLayout) {
  CompiledFunction kernel(R"(
tir.prim_func @k(%x: memref<3x4x5x16xf32>, %y: memref<5x64x3xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  tir.for %n = 0 to 3 {
    tir.for %p = 0 to 5 {
      tir.for %c = 0 to 64 kind(vectorized) {
        tir.block @unpack(%v0 = spatial %n in 3, %v1 = spatial %p in 5, %v2 = spatial %c in 64)
            reads(%x[%v0, %v2 floordiv 16, %v1, %v2 mod 16] : memref<3x4x5x16xf32>)
            writes(%y[%v1, %v2, %v0] : memref<5x64x3xf32>) {
          %0 = affine.load %x[%v0, %v2 floordiv 16, %v1, %v2 mod 16] : memref<3x4x5x16xf32>
          affine.store %0, %y[%v1, %v2, %v0] : memref<5x64x3xf32>
        }
      }
    }
  }
})",
                          GetParam());
  ASSERT_TRUE(kernel);
  std::vector<float> x = getRandom<float>(960), y(960);
  EXPECT_EQ(kernel({x.data(), y.data()}), 0);
  for (int n = 0; n < 3; ++n)
    for (int p = 0; p < 5; ++p)
      for (int c = 0; c < 64; ++c)
        EXPECT_EQ(y[(p * 64 + c) * 3 + n],
                  x[((n * 4 + c / 16) * 5 + p) * 16 + c % 16]);
}

// Booleans are bytes, and any byte but 0 is true.
TEST_P(AccessTest, Booleans) {
  CompiledFunction kernel(R"(
tir.prim_func @k(%m: memref<37xi1>, %x: memref<37xf32>, %y: memref<37xf32>, %o: memref<37xi1>)
    attributes {tir.num_outputs = 2 : i64} {
  %zero = arith.constant 0.0 : f32
  tir.for %i = 0 to 37 kind(vectorized) {
    tir.block @where(%v0 = spatial %i in 37)
        reads(%m[%v0] : memref<37xi1>, %x[%v0] : memref<37xf32>)
        writes(%y[%v0] : memref<37xf32>, %o[%v0] : memref<37xi1>) {
      %0 = affine.load %m[%v0] : memref<37xi1>
      %1 = affine.load %x[%v0] : memref<37xf32>
      %2 = arith.select %0, %1, %zero : f32
      %3 = arith.cmpf ogt, %1, %zero : f32
      %4 = arith.andi %0, %3 : i1
      affine.store %2, %y[%v0] : memref<37xf32>
      affine.store %4, %o[%v0] : memref<37xi1>
    }
  }
})",
                          GetParam());
  ASSERT_TRUE(kernel);
  GuardedBuffer mask(37), x(37 * 4), y(37 * 4), out(37);
  for (int i = 0; i < 37; ++i)
    mask.get<uint8_t>()[i] = i % 3;
  fillRandom(x.get<float>(), 37);
  EXPECT_EQ(
      kernel({mask.get<void>(), x.get<void>(), y.get<void>(), out.get<void>()}),
      0);
  for (int i = 0; i < 37; ++i) {
    bool isSet = i % 3 != 0;
    float value = x.get<float>()[i];
    EXPECT_EQ(y.get<float>()[i], isSet ? value : 0);
    EXPECT_EQ(out.get<uint8_t>()[i], isSet && value > 0);
  }
}

// Branches with results that differ between lanes, around loads that may only
// happen on one side.
TEST_P(AccessTest, Branches) {
  CompiledFunction kernel(R"(
tir.prim_func @k(%x: memref<20xf32>, %d: memref<33xi32>, %y: memref<33xi32>, %z: memref<33xf32>)
    attributes {tir.num_outputs = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c10 = arith.constant 10 : index
  %c20 = arith.constant 20 : index
  %one = arith.constant 1.0 : f32
  %i0 = arith.constant 0 : i32
  %hundred = arith.constant 100 : i32
  tir.for %i = 0 to 33 kind(vectorized) {
    tir.block @b(%v0 = spatial %i in 33)
        reads(%x : memref<20xf32>, %d[%v0] : memref<33xi32>)
        writes(%y[%v0] : memref<33xi32>, %z[%v0] : memref<33xf32>) {
      %0 = affine.load %d[%v0] : memref<33xi32>
      %1 = arith.cmpi ne, %0, %i0 : i32
      %2 = scf.if %1 -> i32 {
        %3 = arith.divsi %hundred, %0 : i32
        scf.yield %3 : i32
      } else {
        scf.yield %i0 : i32
      }
      affine.store %2, %y[%v0] : memref<33xi32>
      %j = arith.subi %v0, %c10 : index
      %4 = arith.cmpi sge, %j, %c0 : index
      %5 = arith.cmpi slt, %j, %c20 : index
      %6 = arith.andi %4, %5 : i1
      %7 = scf.if %6 -> f32 {
        %8 = memref.load %x[%j] : memref<20xf32>
        scf.yield %8 : f32
      } else {
        scf.yield %one : f32
      }
      affine.store %7, %z[%v0] : memref<33xf32>
    }
  }
})",
                          GetParam());
  ASSERT_TRUE(kernel);
  for (bool atEnd : {false, true}) {
    GuardedBuffer x(80, atEnd), d(132, atEnd), y(132, atEnd), z(132, atEnd);
    fillRandom(x.get<float>(), 20);
    for (int i = 0; i < 33; ++i)
      d.get<int32_t>()[i] = i % 4;
    EXPECT_EQ(
        kernel({x.get<void>(), d.get<void>(), y.get<void>(), z.get<void>()}),
        0);
    for (int i = 0; i < 33; ++i) {
      EXPECT_EQ(y.get<int32_t>()[i], i % 4 ? 100 / (i % 4) : 0);
      bool isInside = i >= 10 && i < 30;
      EXPECT_EQ(z.get<float>()[i], isInside ? x.get<float>()[i - 10] : 1.0f);
    }
  }
}

uint16_t toBF16(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
float fromBF16(uint16_t value) {
  uint32_t bits = uint32_t(value) << 16;
  float result;
  memcpy(&result, &bits, 4);
  return result;
}

// Half precision is stored, arithmetic happens in f32.
TEST_P(AccessTest, HalfPrecision) {
  constexpr const char *text = R"(
tir.prim_func @k(%x: memref<37xTYPE>, %y: memref<37xTYPE>, %z: memref<37xf32>)
    attributes {tir.num_outputs = 2 : i64} {
  %half = arith.constant 1.5 : TYPE
  tir.for %i = 0 to 37 kind(vectorized) {
    tir.block @b(%v0 = spatial %i in 37)
        reads(%x[%v0] : memref<37xTYPE>)
        writes(%y[%v0] : memref<37xTYPE>, %z[%v0] : memref<37xf32>) {
      %0 = affine.load %x[%v0] : memref<37xTYPE>
      %1 = arith.mulf %0, %half : TYPE
      affine.store %1, %y[%v0] : memref<37xTYPE>
      %2 = arith.extf %0 : TYPE to f32
      %3 = math.exp %2 : f32
      affine.store %3, %z[%v0] : memref<37xf32>
    }
  }
})";
  {
    CompiledFunction kernel(replaceAll(text, "TYPE", "bf16"), GetParam());
    ASSERT_TRUE(kernel);
    std::vector<float> source = getRandom<float>(37, 4), z(37);
    std::vector<uint16_t> x(37), y(37);
    std::transform(source.begin(), source.end(), x.begin(), toBF16);
    EXPECT_EQ(kernel({x.data(), y.data(), z.data()}), 0);
    for (int i = 0; i < 37; ++i) {
      EXPECT_EQ(y[i], toBF16(fromBF16(x[i]) * 1.5f)) << i;
      EXPECT_FLOAT_EQ(z[i], std::exp(fromBF16(x[i])));
    }
  }
  {
    CompiledFunction kernel(replaceAll(text, "TYPE", "f16"), GetParam());
    ASSERT_TRUE(kernel);
    std::vector<_Float16> x = getRandom<_Float16>(37, 4), y(37);
    std::vector<float> z(37);
    // Overflow, and numbers below the smallest normal one.
    x[0] = _Float16(65504.0f);
    x[1] = _Float16(-60000.0f);
    x[2] = _Float16(3e-5f);
    x[3] = _Float16(-1e-7f);
    x[4] = std::numeric_limits<float>::infinity();
    EXPECT_EQ(kernel({x.data(), y.data(), z.data()}), 0);
    for (int i = 0; i < 37; ++i) {
      EXPECT_EQ(float(y[i]), float(_Float16(float(x[i]) * 1.5f))) << i;
      EXPECT_FLOAT_EQ(z[i], std::exp(float(x[i])));
    }
  }
}

// Padding, which selects; and conversions from and to everything else.
TEST_P(AccessTest, HalfPrecisionConversions) {
  constexpr const char *text = R"(
tir.prim_func @k(%x: memref<37xTYPE>, %i: memref<37xi32>, %p: memref<41xTYPE>,
                 %h: memref<37xTYPE>, %j: memref<37xi32>, %d: memref<37xf64>, %e: memref<37xTYPE>)
    attributes {tir.num_outputs = 5 : i64} {
  %zero = arith.constant 0.0 : TYPE
  tir.for %a = 0 to 41 kind(vectorized) {
    tir.block @pad(%v0 = spatial %a in 41)
        reads(%x[%v0 - 2] : memref<37xTYPE>) writes(%p[%v0] : memref<41xTYPE>) {
      %0 = affine.if affine_set<(d0) : (d0 - 2 >= 0, 38 - d0 >= 0)>(%v0) -> TYPE {
        %1 = affine.load %x[%v0 - 2] : memref<37xTYPE>
        affine.yield %1 : TYPE
      } else {
        affine.yield %zero : TYPE
      }
      affine.store %0, %p[%v0] : memref<41xTYPE>
    }
  }
  tir.for %a = 0 to 37 kind(vectorized) {
    tir.block @convert(%v0 = spatial %a in 37)
        reads(%x[%v0] : memref<37xTYPE>, %i[%v0] : memref<37xi32>)
        writes(%h[%v0] : memref<37xTYPE>, %j[%v0] : memref<37xi32>, %d[%v0] : memref<37xf64>, %e[%v0] : memref<37xTYPE>) {
      %0 = affine.load %i[%v0] : memref<37xi32>
      %1 = arith.sitofp %0 : i32 to TYPE
      affine.store %1, %h[%v0] : memref<37xTYPE>
      %2 = affine.load %x[%v0] : memref<37xTYPE>
      %3 = arith.fptosi %2 : TYPE to i32
      affine.store %3, %j[%v0] : memref<37xi32>
      %4 = arith.extf %2 : TYPE to f64
      affine.store %4, %d[%v0] : memref<37xf64>
      %5 = arith.truncf %4 : f64 to TYPE
      %6 = arith.maximumf %5, %zero : TYPE
      affine.store %6, %e[%v0] : memref<37xTYPE>
    }
  }
})";
  auto run = [&](const char *type, auto toBits, auto fromBits) {
    CompiledFunction kernel(replaceAll(text, "TYPE", type), GetParam());
    ASSERT_TRUE(kernel);
    std::vector<float> source = getRandom<float>(37, 8);
    std::vector<uint16_t> x(37), p(41), h(37), e(37);
    std::vector<int32_t> i(37), j(37);
    std::vector<double> d(37);
    for (int n = 0; n < 37; ++n) {
      x[n] = toBits(source[n]);
      i[n] = n - 20;
    }
    EXPECT_EQ(kernel({x.data(), i.data(), p.data(), h.data(), j.data(),
                      d.data(), e.data()}),
              0);
    for (int n = 0; n < 41; ++n)
      EXPECT_EQ(p[n], n < 2 || n > 38 ? 0 : x[n - 2]) << type << n;
    for (int n = 0; n < 37; ++n) {
      EXPECT_EQ(h[n], toBits(n - 20)) << type << n;
      EXPECT_EQ(j[n], int32_t(fromBits(x[n]))) << type << n;
      EXPECT_EQ(d[n], fromBits(x[n])) << type << n;
      EXPECT_EQ(e[n], fromBits(x[n]) > 0 ? x[n] : 0) << type << n;
    }
  };
  run("bf16", toBF16, fromBF16);
  run(
      "f16",
      [](float value) {
        _Float16 half = static_cast<_Float16>(value);
        uint16_t bits;
        memcpy(&bits, &half, 2);
        return bits;
      },
      [](uint16_t bits) {
        _Float16 half;
        memcpy(&half, &bits, 2);
        return static_cast<float>(half);
      });
}

// Conversions between widths: the widest value decides how many lanes there
// are.
TEST_P(AccessTest, Integers) {
  CompiledFunction kernel(R"(
tir.prim_func @k(%a: memref<37xui8>, %b: memref<37xi8>, %c: memref<37xi64>, %d: memref<37xi8>)
    attributes {tir.num_outputs = 2 : i64} {
  %lo = arith.constant -128 : i32
  %hi = arith.constant 127 : i32
  tir.for %i = 0 to 37 kind(vectorized) {
    tir.block @b(%v0 = spatial %i in 37)
        reads(%a[%v0] : memref<37xui8>, %b[%v0] : memref<37xi8>)
        writes(%c[%v0] : memref<37xi64>, %d[%v0] : memref<37xi8>) {
      %u = affine.load %a[%v0] : memref<37xui8>
      %0 = builtin.unrealized_conversion_cast %u : ui8 to i8
      %1 = affine.load %b[%v0] : memref<37xi8>
      %2 = arith.extui %0 : i8 to i32
      %3 = arith.extsi %1 : i8 to i32
      %4 = arith.muli %2, %3 : i32
      %5 = arith.extsi %4 : i32 to i64
      affine.store %5, %c[%v0] : memref<37xi64>
      %6 = arith.maxsi %4, %lo : i32
      %7 = arith.minsi %6, %hi : i32
      %8 = arith.trunci %7 : i32 to i8
      affine.store %8, %d[%v0] : memref<37xi8>
    }
  }
})",
                          GetParam());
  ASSERT_TRUE(kernel);
  GuardedBuffer a(37), b(37), c(37 * 8), d(37);
  for (int i = 0; i < 37; ++i) {
    a.get<uint8_t>()[i] = i * 7;
    b.get<int8_t>()[i] = 5 * i - 90;
  }
  EXPECT_EQ(
      kernel({a.get<void>(), b.get<void>(), c.get<void>(), d.get<void>()}), 0);
  for (int i = 0; i < 37; ++i) {
    int64_t product = int64_t(uint8_t(i * 7)) * int8_t(5 * i - 90);
    EXPECT_EQ(c.get<int64_t>()[i], product);
    EXPECT_EQ(d.get<int8_t>()[i], std::clamp<int64_t>(product, -128, 127));
  }
}

// Local buffers, of one thread each, and sizes that the body computes anew.
TEST_P(AccessTest, LocalBuffersAndCapturedSizes) {
  CompiledFunction kernel(R"(
tir.prim_func @k(%x: memref<?x?xf32>, %y: memref<?x?xf32>)
    attributes {tir.num_outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %x, %c0 : memref<?x?xf32>
  %n = memref.dim %x, %c1 : memref<?x?xf32>
  %last = arith.subi %n, %c1 : index
  %tiles = affine.apply affine_map<()[s0] -> (s0 ceildiv 8)>()[%n]
  %t = tir.alloc_buffer() : memref<8xf32, #target.memory<"local">>
  tir.for %i = 0 to %m kind(parallel) {
    tir.for %jo = 0 to %tiles {
      tir.for %ji = 0 to 8 kind(vectorized) {
        %j = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)>(%jo, %ji)
        tir.block @copy(%v0 = spatial %i in %m, %v1 = spatial %j in %n, %v2 = opaque %ji in 8)
            where affine_set<(d0)[s0] : (s0 - d0 >= 0)>(%j)[%last]
            reads(%x[%v0, %v1] : memref<?x?xf32>) writes(%t[%v2] : memref<8xf32, #target.memory<"local">>) {
          %0 = affine.load %x[%v0, %v1] : memref<?x?xf32>
          %1 = arith.addf %0, %0 : f32
          affine.store %1, %t[%v2] : memref<8xf32, #target.memory<"local">>
        }
      }
      tir.for %ji = 0 to 8 {
        %j = affine.apply affine_map<(d0, d1) -> (d0 * 8 + d1)>(%jo, %ji)
        tir.block @use(%v0 = spatial %i in %m, %v1 = spatial %j in %n, %v2 = opaque %ji in 8)
            where affine_set<(d0)[s0] : (s0 - d0 >= 0)>(%j)[%last]
            reads(%t[%v2] : memref<8xf32, #target.memory<"local">>) writes(%y[%v0, %v1] : memref<?x?xf32>) {
          %0 = affine.load %t[%v2] : memref<8xf32, #target.memory<"local">>
          affine.store %0, %y[%v0, %v1] : memref<?x?xf32>
        }
      }
    }
  }
})",
                          GetParam());
  ASSERT_TRUE(kernel);
  for (auto [m, n] : {std::pair<int64_t, int64_t>(1, 1), {5, 8}, {4, 29}}) {
    GuardedBuffer x(4 * m * n), y(4 * m * n);
    fillRandom(x.get<float>(), m * n);
    EXPECT_EQ(kernel({x.get<void>(), y.get<void>()}, {m, n, m, n}), 0);
    for (int64_t i = 0; i < m * n; ++i)
      EXPECT_EQ(y.get<float>()[i], 2 * x.get<float>()[i]);
  }
}

} // namespace
