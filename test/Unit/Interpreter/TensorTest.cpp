//===- TensorTest.cpp - Host tensors --------------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Interpreter/Tensor.h"
#include "relay-mlir/Interpreter/TensorIO.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/APFloat.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace mlir;
using namespace mlir::relay;

/// Rounds through LLVM's arbitrary-precision floats.
static uint64_t round(double value, const llvm::fltSemantics &semantics) {
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.bitcastToAPInt().getZExtValue();
}

TEST(ElementTypesTest, RoundsHalvesOnce) {
  std::mt19937_64 random(0);
  std::vector<double> values = {
      0.0,    -0.0,    1.0,     65504.0,   65519.99, 65520.0,  1e300,
      5e-324, 0x1p-24, 0x1p-25, 0x1.8p-25, 0x1p-14,  INFINITY, -INFINITY};
  // Just off the middle between two halves: rounding through float fails here.
  values.push_back(1.0 + 0x1p-11 + 0x1p-40);
  values.push_back(1.0 + 0x1p-11 - 0x1p-40);
  values.push_back(1.0 + 0x1p-8 + 0x1p-40);
  values.push_back(1.0 + 0x1p-8 - 0x1p-40);
  values.push_back(std::numeric_limits<float>::max() * 1.0000001);
  for (int i = 0; i < 100000; ++i) {
    values.push_back(
        std::ldexp(std::uniform_real_distribution<>(-1, 1)(random),
                   std::uniform_int_distribution<>(-30, 18)(random)));
    uint64_t bits = random();
    values.push_back(llvm::bit_cast<double>(bits));
  }
  for (double value : values) {
    if (std::isnan(value))
      continue;
    EXPECT_EQ(round(value, llvm::APFloat::IEEEhalf()), Float16::get(value).bits)
        << value;
    EXPECT_EQ(round(value, llvm::APFloat::BFloat()), BFloat16::get(value).bits)
        << value;
  }
  EXPECT_TRUE(std::isnan(double(Float16::get(NAN))));
  EXPECT_TRUE(std::isnan(double(BFloat16::get(NAN))));
}

TEST(ElementTypesTest, WidensEveryHalf) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    Float16 half{static_cast<uint16_t>(bits)};
    if (std::isnan(double(half)))
      continue;
    EXPECT_EQ(bits, Float16::get(half).bits);
    llvm::APFloat exact(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits));
    EXPECT_EQ(exact.convertToDouble(), double(half));
  }
}

TEST(ElementTypesTest, SaturatesFloatsAndWrapsIntegers) {
  EXPECT_EQ(127, narrow<int8_t>(1e9));
  EXPECT_EQ(-128, narrow<int8_t>(-1e9));
  EXPECT_EQ(0, narrow<int8_t>(NAN));
  EXPECT_EQ(0, narrow<uint8_t>(-1.0));
  EXPECT_EQ(INT64_MAX, narrow<int64_t>(0x1p63));
  EXPECT_EQ(INT64_MIN, narrow<int64_t>(-0x1p63));
  EXPECT_EQ(-1, narrow<int32_t>(-1.9));
  EXPECT_EQ(44, narrow<int8_t>(int64_t(300)));
  EXPECT_EQ(200u, narrow<uint8_t>(int64_t(-56)));
  EXPECT_TRUE(narrow<bool>(int64_t(256)));
}

namespace {
class TensorTest : public ::testing::Test {
protected:
  MLIRContext context;
  Builder builder{&context};
};
} // namespace

TEST_F(TensorTest, ReshapesWithoutCopy) {
  Tensor tensor = Tensor::getVector(builder.getI32Type(), {1, 2, 3, 4, 5, 6});
  Tensor matrix = tensor.reshape({2, 3});
  EXPECT_EQ(tensor.getRawData(), matrix.getRawData());
  EXPECT_EQ(RankedTensorType::get({2, 3}, builder.getI32Type()),
            matrix.getType());
  tensor = Tensor(); // The view keeps the memory.
  EXPECT_EQ(6, matrix.getElements<int32_t>()[5]);
}

TEST_F(TensorTest, LoadsAndStoresEveryType) {
  SmallVector<Type> types = {builder.getF64Type(), builder.getF32Type(),
                             builder.getF16Type(), builder.getBF16Type()};
  for (unsigned width : {8, 16, 32, 64}) {
    types.push_back(builder.getIntegerType(width));
    types.push_back(builder.getIntegerType(width, /*isSigned=*/false));
  }
  for (Type type : types) {
    Tensor tensor = Tensor::getVector(type, {0, 1, 2, 3, 100});
    EXPECT_EQ(5 * getElementSize(type), tensor.getSizeInBytes());
    EXPECT_EQ((SmallVector<double>{0, 1, 2, 3, 100}), tensor.loadAll<double>());
    int64_t odd[2];
    tensor.load(1, 2, 2, odd);
    EXPECT_EQ(1, odd[0]);
    EXPECT_EQ(3, odd[1]);
  }
  Tensor bools = Tensor::getVector(builder.getI1Type(), {0, 1, 7});
  EXPECT_EQ(3, bools.getSizeInBytes());
  EXPECT_EQ((SmallVector<uint64_t>{0, 1, 1}), bools.loadAll<uint64_t>());
  Tensor large = Tensor::getScalar(builder.getIntegerType(64, false), -1);
  EXPECT_EQ(UINT64_MAX, large.loadAll<uint64_t>()[0]);
}

TEST_F(TensorTest, ConvertsAttributes) {
  auto emitError = [&]() { return mlir::emitError(builder.getUnknownLoc()); };
  auto type = RankedTensorType::get({2, 2}, builder.getF32Type());
  auto attr = DenseElementsAttr::get(type, ArrayRef<float>{1, 2, 3, 4});
  Tensor tensor = *Tensor::get(attr, emitError);
  EXPECT_EQ(attr.getRawData().data(), tensor.getRawData());
  EXPECT_EQ(attr, tensor.toDenseElements());

  auto splat = DenseElementsAttr::get(type, 5.0f);
  EXPECT_EQ((SmallVector<double>(4, 5.0)),
            Tensor::get(splat, emitError)->loadAll<double>());

  auto boolType = RankedTensorType::get({3}, builder.getI1Type());
  auto bools = DenseElementsAttr::get(boolType, ArrayRef<bool>{1, 0, 1});
  EXPECT_EQ(bools, Tensor::get(bools, emitError)->toDenseElements());
  auto empty = DenseElementsAttr::get(
      RankedTensorType::get({0}, builder.getF32Type()), ArrayRef<float>());
  EXPECT_EQ(empty, Tensor::get(empty, emitError)->toDenseElements());
}

TEST_F(TensorTest, SharesResources) {
  auto emitError = [&]() { return mlir::emitError(builder.getUnknownLoc()); };
  Tensor tensor = Tensor::getVector(builder.getI64Type(), {7, 8, 9});
  DenseResourceElementsAttr attr = tensor.toDenseResource("numbers");
  Tensor back = *Tensor::get(attr, emitError);
  EXPECT_EQ(tensor.getRawData(), back.getRawData());
  tensor = Tensor();
  EXPECT_EQ((SmallVector<int64_t>{7, 8, 9}), back.loadAll<int64_t>());
}

TEST_F(TensorTest, RefusesBadResources) {
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diag) {
    message = diag.str();
    return success();
  });
  auto emitError = [&]() { return mlir::emitError(builder.getUnknownLoc()); };
  auto type = RankedTensorType::get({4}, builder.getF32Type());
  char bytes[8] = {};
  auto attr = DenseResourceElementsAttr::get(
      type, "short",
      UnmanagedAsmResourceBlob::allocateInferAlign(ArrayRef<char>(bytes)));
  EXPECT_TRUE(failed(Tensor::get(attr, emitError)));
  EXPECT_EQ("expects resource 'short' to hold 16 bytes, but got 8", message);
}

TEST_F(TensorTest, ConvertsNpyArrays) {
  for (Type type : {builder.getI1Type(), builder.getIntegerType(16),
                    builder.getIntegerType(32, /*isSigned=*/false)}) {
    Tensor tensor = Tensor::getVector(type, {1, 0, 1});
    Tensor back = getTensor(getNpyArray(tensor), &context);
    EXPECT_EQ(tensor.getType(), back.getType());
    EXPECT_EQ(tensor.getRawData(), back.getRawData());
  }
  for (Type type : {Type(builder.getBF16Type()), Type(builder.getF16Type()),
                    Type(builder.getF32Type()), Type(builder.getF64Type())})
    EXPECT_EQ(type, getTensor(getNpyArray(Tensor::getScalar(type, 1)), &context)
                        .getElementType());
}
