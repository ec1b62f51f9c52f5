//===- MathTest.cpp - Accuracy of approximated functions ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRunner.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>

using namespace relay_test;

namespace {

struct Function {
  const char *op;
  double (*reference)(double);
  double low, high;
  /// Largest error: relative, and absolute where the result is small.
  double relative, absolute;
};

void PrintTo(const Function &function, std::ostream *os) { *os << function.op; }

class MathTest : public testing::TestWithParam<Function> {};

std::string getKernel(const std::string &op, const std::string &type) {
  return R"(
tir.prim_func @k(%x: memref<?x)" +
         type + R"(>, %y: memref<?x)" + type + R"(>)
    attributes {tir.num_outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x)" +
         type + R"(>
  tir.for %i = 0 to %n kind(vectorized) {
    tir.block @f(%v0 = spatial %i in %n)
        reads(%x[%v0] : memref<?x)" +
         type + R"(>) writes(%y[%v0] : memref<?x)" + type + R"(>) {
      %0 = affine.load %x[%v0] : memref<?x)" +
         type + R"(>
      %1 = )" +
         op + " %0 : " + type + R"(
      affine.store %1, %y[%v0] : memref<?x)" +
         type + R"(>
    }
  }
})";
}

// Vectors and the scalar rest, against the double-precision library.
TEST_P(MathTest, F32) {
  Function function = GetParam();
  for (const char *target : {"native", "native,-avx512f,-avx2"}) {
    if (!parseTarget("native").isX86())
      GTEST_SKIP() << "the machine lacks x86-64";
    CompiledFunction kernel(getKernel(function.op, "f32"), target);
    ASSERT_TRUE(kernel);
    constexpr int64_t n = 100003;
    std::vector<float> x(n), y(n);
    for (int64_t i = 0; i < n; ++i)
      x[i] = function.low + (function.high - function.low) * i / (n - 1);
    EXPECT_EQ(kernel({x.data(), y.data()}, {n, n}), 0);
    double worst = 0, at = 0;
    for (int64_t i = 0; i < n; ++i) {
      double expected = function.reference(x[i]);
      double error = std::abs(y[i] - expected);
      double bound =
          function.relative * std::abs(expected) + function.absolute + 1e-300;
      // A NaN stays the worst.
      if (!(error / bound <= worst) && !std::isnan(worst)) {
        worst = error / bound;
        at = x[i];
      }
    }
    EXPECT_LE(worst, 1) << function.op << "(" << at << ") is off by " << worst
                        << " times the bound, for " << target;
  }
}

// What is not a number, or too large, is for the reference to decide.
TEST_P(MathTest, SpecialValues) {
  Function function = GetParam();
  CompiledFunction kernel(getKernel(function.op, "f32"));
  ASSERT_TRUE(kernel);
  float inf = std::numeric_limits<float>::infinity();
  std::vector<float> x = {0.0f,  -0.0f,  inf,     -inf,    std::nanf(""),
                          1e30f, -1e30f, 100.0f,  -100.0f, -104.0f,
                          89.0f, 1e-30f, -1e-30f, 1.0f,    -1.0f,
                          1e5f,  -1e5f,  1e-37f};
  std::vector<float> y(x.size());
  int64_t n = x.size();
  EXPECT_EQ(kernel({x.data(), y.data()}, {n, n}), 0);
  for (int64_t i = 0; i < n; ++i) {
    float expected = function.reference(x[i]);
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(y[i])) << function.op << "(" << x[i] << ")";
    else if (std::isinf(expected))
      EXPECT_EQ(y[i], expected) << function.op << "(" << x[i] << ")";
    else
      EXPECT_NEAR(y[i], expected, 2e-6 * std::abs(expected) + 1e-6)
          << function.op << "(" << x[i] << ")";
  }
}

TEST_P(MathTest, F64) {
  Function function = GetParam();
  CompiledFunction kernel(getKernel(function.op, "f64"));
  ASSERT_TRUE(kernel);
  constexpr int64_t n = 1003;
  std::vector<double> x(n), y(n);
  for (int64_t i = 0; i < n; ++i)
    x[i] = function.low + (function.high - function.low) * i / (n - 1);
  EXPECT_EQ(kernel({x.data(), y.data()}, {n, n}), 0);
  for (int64_t i = 0; i < n; ++i) {
    double expected = function.reference(x[i]);
    EXPECT_NEAR(y[i], expected, 1e-14 * std::abs(expected) + 1e-300)
        << function.op << "(" << x[i] << ")";
  }
}

double rsqrt(double x) { return 1 / std::sqrt(x); }

INSTANTIATE_TEST_SUITE_P(
    Functions, MathTest,
    testing::Values(Function{"math.exp", std::exp, -87, 88.7, 2e-7, 0},
                    Function{"math.exp2", std::exp2, -126, 127.9, 2e-7, 0},
                    Function{"math.expm1", std::expm1, -10, 10, 5e-7, 0},
                    Function{"math.log", std::log, 1e-6, 100, 3e-7, 1e-7},
                    Function{"math.log2", std::log2, 1e-6, 100, 5e-7, 1e-7},
                    Function{"math.log10", std::log10, 1e-6, 100, 5e-7, 1e-7},
                    Function{"math.log1p", std::log1p, -0.99, 10, 5e-7, 0},
                    Function{"math.tanh", std::tanh, -10, 10, 1e-6, 0},
                    Function{"math.erf", std::erf, -5, 5, 1e-6, 0},
                    Function{"math.sin", std::sin, -20, 20, 1e-6, 2e-7},
                    Function{"math.cos", std::cos, -20, 20, 1e-6, 2e-7},
                    Function{"math.tan", std::tan, -1.5, 1.5, 1e-6, 1e-7},
                    Function{"math.sinh", std::sinh, -10, 10, 1e-6, 0},
                    Function{"math.cosh", std::cosh, -10, 10, 1e-6, 0},
                    Function{"math.asin", std::asin, -1, 1, 1e-6, 0},
                    Function{"math.acos", std::acos, -1, 1, 1e-6, 1e-7},
                    Function{"math.atan", std::atan, -20, 20, 1e-6, 0},
                    Function{"math.asinh", std::asinh, -20, 20, 1e-6, 1e-7},
                    Function{"math.acosh", std::acosh, 1.1, 20, 1e-6, 0},
                    Function{"math.atanh", std::atanh, -0.95, 0.95, 1e-6, 1e-7},
                    Function{"math.cbrt", std::cbrt, -30, 30, 1e-6, 0},
                    Function{"math.sqrt", std::sqrt, 0, 100, 1e-7, 0},
                    Function{"math.rsqrt", rsqrt, 0.01, 100, 4e-7, 0},
                    Function{"math.floor", std::floor, -9, 9, 0, 0},
                    Function{"math.ceil", std::ceil, -9, 9, 0, 0},
                    Function{"math.round", std::round, -9, 9, 0, 0},
                    Function{"math.roundeven", std::rint, -9, 9, 0, 0},
                    Function{"math.absf", std::fabs, -9, 9, 0, 0}),
    [](auto info) { return std::string(info.param.op).substr(5); });

} // namespace
