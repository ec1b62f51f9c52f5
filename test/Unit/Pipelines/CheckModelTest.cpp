//===- CheckModelTest.cpp - Comparing tensors -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Pipelines/CheckModel.h"

#include "mlir/IR/Builders.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

/// Tensors of 1000 elements of which some are not what is expected.
class CompareTensorsTest : public ::testing::Test {
protected:
  static constexpr int64_t kNumElements = 1000;

  /// `base` in each element, and `base + offset` in the first `count`.
  Tensor get(Type type, double base, double offset = 0, int64_t count = 0) {
    SmallVector<double> values(kNumElements, base);
    for (int64_t i = 0; i < count; ++i)
      values[i] += offset;
    Tensor tensor = Tensor::allocate({kNumElements}, type);
    tensor.store(0, kNumElements, values.data());
    return tensor;
  }

  MLIRContext context;
  Builder b{&context};
  Type byte = b.getIntegerType(8, /*isSigned=*/false);
};

TEST_F(CompareTensorsTest, FloatsHaveATolerance) {
  Tensor want = get(b.getF32Type(), 2);
  Tolerance tolerance{/*relative=*/1e-3, /*absolute=*/1e-5};
  EXPECT_TRUE(compareTensors(want, get(b.getF32Type(), 2.001), tolerance)
                  .withinTolerance);
  TensorDifference difference =
      compareTensors(want, get(b.getF32Type(), 2, 0.5, 3), tolerance);
  EXPECT_FALSE(difference.withinTolerance);
  EXPECT_EQ(difference.position, 0);
  EXPECT_EQ(difference.actual, 2.5);
}

TEST_F(CompareTensorsTest, IntegersAreEqual) {
  EXPECT_TRUE(compareTensors(get(byte, 7), get(byte, 7), {}).withinTolerance);
  EXPECT_FALSE(
      compareTensors(get(byte, 7), get(byte, 7, 1, 1), {}).withinTolerance);
}

TEST_F(CompareTensorsTest, FewElementsMayBeAStepOff) {
  Tensor want = get(byte, 7);
  Tensor shifted[] = {get(byte, 8), get(byte, 6)};
  auto compare = [&](double offset, int64_t count) {
    return compareTensors(want, get(byte, 7, offset, count), {}, shifted);
  };
  EXPECT_TRUE(compare(1, 10).withinTolerance);
  EXPECT_EQ(compare(1, 10).numSteps, 10);
  EXPECT_TRUE(compare(-1, 10).withinTolerance);
  // Too many, or too far.
  EXPECT_FALSE(compare(1, 11).withinTolerance);
  EXPECT_FALSE(compare(2, 1).withinTolerance);
  // What no quantizer moves must be equal.
  Tensor same[] = {want, want};
  EXPECT_FALSE(
      compareTensors(want, get(byte, 7, 1, 1), {}, same).withinTolerance);
}

TEST_F(CompareTensorsTest, StepsOfFloatsHaveTheirSize) {
  Type f32 = b.getF32Type();
  Tensor want = get(f32, 2);
  Tensor shifted[] = {get(f32, 2.25), get(f32, 1.75)};
  EXPECT_TRUE(
      compareTensors(want, get(f32, 2, 0.25, 4), {}, shifted).withinTolerance);
  EXPECT_FALSE(
      compareTensors(want, get(f32, 2, 0.4, 4), {}, shifted).withinTolerance);
}

} // namespace
