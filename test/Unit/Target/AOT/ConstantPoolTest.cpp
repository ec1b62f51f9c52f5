//===- ConstantPoolTest.cpp - Tests of packed constants -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/AOT/ConstantPool.h"

#include "relay-mlir/Runtime/ArtifactFormat.h"
#include "relay-mlir/Support/FileDescriptor.h"
#include "relay-mlir/Support/SplitFloat.h"
#include "relay-mlir/Target/AOT/ArtifactFile.h"
#include "relay-mlir/Target/AOT/PackLayout.h"
#include "relay-mlir/Target/Kernel/Linker.h"
#include "relay-mlir/Target/Kernel/ObjectEmitter.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

using namespace mlir;
using namespace mlir::relay;

namespace {

class ConstantPoolTest : public ::testing::Test {
protected:
  AffineMap parseMap(StringRef text) {
    return cast<AffineMapAttr>(
               parseAttribute(("affine_map<" + text + ">").str(), &context))
        .getValue();
  }

  template <typename T>
  ElementsAttr makeResource(StringRef name, ArrayRef<int64_t> shape,
                            ArrayRef<T> values, Type elementType) {
    return DenseResourceElementsAttr::get(
        RankedTensorType::get(shape, elementType), name,
        HeapAsmResourceBlob::allocateAndCopyInferAlign(values));
  }

  uint64_t add(ConstantPool &pool, ElementsAttr value, AffineMap layout = {},
               ArrayRef<int64_t> packedShape = {}, int64_t numPieces = 0) {
    FailureOr<uint64_t> offset =
        pool.add(value, layout, packedShape, {numPieces},
                 [&] { return emitError(UnknownLoc::get(&context)); });
    EXPECT_TRUE(succeeded(offset));
    return offset.value_or(0);
  }

  /// What the pool writes behind `skipped` bytes.
  std::string write(const ConstantPool &pool, uint64_t skipped = 0) {
    FileDescriptor file = std::move(*FileDescriptor::createInMemory("pool"));
    EXPECT_FALSE(
        llvm::sys::fs::resize_file(file.get(), pool.getSize() + skipped));
    EXPECT_FALSE(pool.write(file.get(), skipped));
    std::vector<char> bytes = *readAll(file.get());
    return StringRef(bytes.data(), bytes.size()).drop_front(skipped).str();
  }

  MLIRContext context;
  Builder b{&context};
};

int64_t count(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

/// Where `layout` puts an element of an array of `shape`, both as offsets.
int64_t getPlace(int64_t linear, ArrayRef<int64_t> shape, AffineMap layout,
                 ArrayRef<int64_t> packedShape) {
  auto indexType = IndexType::get(layout.getContext());
  SmallVector<Attribute> index(shape.size()), target;
  for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
    index[dim] = IntegerAttr::get(indexType, linear % shape[dim]);
    linear /= shape[dim];
  }
  EXPECT_TRUE(succeeded(layout.constantFold(index, target)));
  int64_t offset = 0;
  for (auto [position, size] : llvm::zip_equal(target, packedShape))
    offset = offset * size + cast<IntegerAttr>(position).getInt();
  return offset;
}

/// Compares what a packer makes of `source`, in steps of some slabs.
template <typename T, typename S>
void checkSlabs(const LayoutPacker &packer, ArrayRef<S> source,
                int64_t numSlabs, const std::vector<T> &expected) {
  // Unaligned, as weights in a file may be.
  std::vector<char> bytes(source.size() * sizeof(S) + 1);
  const auto *first = reinterpret_cast<const char *>(source.data());
  std::copy(first, first + source.size() * sizeof(S), bytes.begin() + 1);
  std::vector<T> packed(expected.size());
  ASSERT_EQ(packer.getNumSlabs(), numSlabs);
  ASSERT_EQ(packer.getNumSlabs() * packer.getSlabBytes(),
            int64_t(packed.size() * sizeof(T)));
  for (int64_t step : {int64_t(1), int64_t(2), numSlabs}) {
    std::fill(packed.begin(), packed.end(), T(77));
    for (int64_t begin = 0; begin < numSlabs; begin += step) {
      int64_t end = std::min(begin + step, numSlabs);
      packer.pack(bytes.data() + 1, begin, end,
                  {reinterpret_cast<char *>(packed.data()) +
                       begin * packer.getSlabBytes(),
                   size_t((end - begin) * packer.getSlabBytes())});
    }
    ASSERT_EQ(packed, expected) << step;
  }
}

/// Packs an array of consecutive numbers and compares with the definition.
template <typename T>
void checkPacking(ArrayRef<int64_t> shape, AffineMap layout,
                  ArrayRef<int64_t> packedShape, int64_t numSlabs) {
  std::vector<T> source(count(shape)), expected(count(packedShape));
  std::iota(source.begin(), source.end(), T(1));
  for (int64_t i = 0, e = source.size(); i < e; ++i)
    expected[getPlace(i, shape, layout, packedShape)] = source[i];
  checkSlabs(LayoutPacker(shape, layout, packedShape, sizeof(T)),
             ArrayRef<T>(source), numSlabs, expected);
}

/// The same of floats that are split; `shape` is without the pieces.
void checkSplitting(ArrayRef<int64_t> shape, AffineMap layout,
                    ArrayRef<int64_t> packedShape, int64_t numPieces,
                    int64_t numSlabs) {
  std::vector<float> source(count(shape));
  std::vector<uint16_t> expected(count(packedShape));
  SmallVector<int64_t> splitShape(shape);
  splitShape.push_back(numPieces);
  for (int64_t i = 0, e = source.size(); i < e; ++i) {
    source[i] = std::sin(static_cast<float>(i)) * 3;
    SmallVector<uint16_t> pieces(numPieces);
    splitFloat(source[i], pieces.data(), numPieces);
    for (int64_t p = 0; p < numPieces; ++p)
      expected[getPlace(i * numPieces + p, splitShape, layout, packedShape)] =
          pieces[p];
  }
  checkSlabs(LayoutPacker(shape, layout, packedShape, sizeof(float), numPieces),
             ArrayRef<float>(source), numSlabs, expected);
}

TEST_F(ConstantPoolTest, PackingFollowsTheMap) {
  struct Case {
    SmallVector<int64_t> shape;
    StringRef layout;
    SmallVector<int64_t> packedShape;
    int64_t numSlabs;
  };
  const Case cases[] = {
      {{7}, "(d0) -> (d0 floordiv 4, d0 mod 4)", {2, 4}, 2},
      {{7}, "(d0) -> (d0 mod 4, d0 floordiv 4)", {4, 2}, 1},
      {{7}, "(d0) -> (0, d0 floordiv 4, d0 mod 4)", {1, 3, 4}, 3},
      {{5, 9}, "(d0, d1) -> (d1, d0)", {9, 5}, 9},
      {{70, 130},
       "(d0, d1) -> (d0 floordiv 32, d1, d0 mod 32)",
       {3, 130, 32},
       3},
      {{70, 130},
       "(d0, d1) -> (d1 floordiv 16, d0, d1 mod 16)",
       {9, 70, 16},
       9},
      {{40, 6, 3, 3},
       "(o, c, h, w) -> (o floordiv 16, c, h, w, o mod 16)",
       {3, 6, 3, 3, 16},
       3},
      {{40, 6, 3, 5},
       "(o, c, h, w) -> (w, o floordiv 16, c, h, o mod 16)",
       {5, 3, 6, 3, 16},
       5},
      {{40, 10, 3, 3},
       "(o, c, h, w) -> (o floordiv 16, c floordiv 4, h, w, c mod 4, o mod 16)",
       {3, 3, 3, 3, 4, 16},
       3},
      {{4, 6, 5}, "(a, b, c) -> (a * 30 + b * 5 + c)", {120}, 1},
      {{4, 6},
       "(a, b) -> ((a * 6 + b) floordiv 5, (a * 6 + b) mod 5)",
       {5, 5},
       1},
      {{40, 5, 3, 7},
       "(o, c, h, w) -> (o floordiv 16, h, (w * 5 + c) floordiv 4, "
       "(w * 5 + c) mod 4, o mod 16)",
       {3, 3, 9, 4, 16},
       3},
      {{6, 5, 7},
       "(c, h, w) -> ((c * 7 + w) floordiv 4, h, (c * 7 + w) mod 4)",
       {11, 5, 4},
       1},
      {{3, 8, 4}, "(a, b, c) -> (b, a * 4 + c)", {8, 12}, 8},
      {{3, 5, 4},
       "(a, b, c) -> ((a + b) floordiv 8, (b + c) floordiv 9, a, b, c)",
       {1, 1, 3, 5, 4},
       1},
      {{}, "() -> (0)", {1}, 1},
      {{4, 6}, "(a, b) -> (a, b + 3)", {4, 9}, 4},
      {{4, 6}, "(a, b) -> (b + 3, a)", {9, 4}, 9},
      {{4, 6}, "(a, b) -> (5 - b, a)", {6, 4}, 1},
      {{3, 1, 8}, "(a, b, c) -> (b, c ceildiv 1, a)", {1, 8, 3}, 8},
      {{3, 0}, "(a, b) -> (b, a)", {0, 3}, 1},
  };
  for (const Case &test : cases) {
    SCOPED_TRACE(test.layout.str());
    AffineMap layout = parseMap(test.layout);
    checkPacking<uint8_t>(test.shape, layout, test.packedShape, test.numSlabs);
    checkPacking<uint16_t>(test.shape, layout, test.packedShape, test.numSlabs);
    checkPacking<uint32_t>(test.shape, layout, test.packedShape, test.numSlabs);
    checkPacking<uint64_t>(test.shape, layout, test.packedShape, test.numSlabs);
  }
}

TEST_F(ConstantPoolTest, SplittingFollowsTheMap) {
  struct Case {
    SmallVector<int64_t> shape;
    StringRef layout;
    /// Of the pieces, -1.
    SmallVector<int64_t> packedShape;
    /// As many as there are pieces if it is -1.
    int64_t numSlabs;
  };
  const Case cases[] = {
      {{}, "(p) -> (p, 0)", {-1, 1}, -1},
      {{9}, "(a, p) -> (p, a + 1)", {-1, 12}, -1},
      {{9}, "(a, p) -> (a, p)", {9, -1}, 9},
      {{7, 5}, "(k, n, p) -> (n, p, k)", {5, -1, 7}, 5},
      {{7, 5}, "(k, n, p) -> (n, k, p)", {5, 7, -1}, 5},
      {{7, 5}, "(k, n, p) -> (p, k floordiv 2, n, k mod 2)", {-1, 4, 5, 2}, -1},
      {{70, 130},
       "(k, n, p) -> (n floordiv 32, k floordiv 32, p, (n floordiv 16) mod 2, "
       "(k floordiv 2) mod 16, n mod 16, k mod 2)",
       {5, 3, -1, 2, 16, 16, 2},
       5},
      {{40, 33},
       "(o, c, p) -> (o floordiv 16, c floordiv 32, p, (c floordiv 2) mod 16, "
       "o mod 16, c mod 2)",
       {3, 2, -1, 16, 16, 2},
       3},
      {{40, 33, 3, 2},
       "(o, c, h, w, p) -> (o floordiv 16, h, w, c floordiv 32, p, "
       "(c floordiv 2) mod 16, o mod 16, c mod 2)",
       {3, 3, 2, 2, -1, 16, 16, 2},
       3},
      {{40, 6, 2, 7},
       "(o, c, h, w, p) -> (o floordiv 16, h, (w * 6 + c) floordiv 32, p, "
       "((w * 6 + c) mod 32) floordiv 2, o mod 16, c mod 2)",
       {3, 2, 2, -1, 16, 16, 2},
       3},
      {{8, 3, 2, 7},
       "(o, c, h, w, p) -> (o, h, (w * 3 + c) floordiv 2, p, (w * 3 + c) mod "
       "2)",
       {8, 2, 11, -1, 2},
       8},
      {{4, 6}, "(a, b, p) -> (a * 6 + b, p)", {24, -1}, 1},
      {{4, 6},
       "(a, b, p) -> ((a + b + p) floordiv 99, a, b, p)",
       {1, 4, 6, -1},
       1},
      {{4, 6},
       "(a, b, p) -> ((a * 6 + b) floordiv 5, (a * 6 + b) mod 5, p)",
       {5, 5, -1},
       1},
  };
  for (const Case &test : cases) {
    SCOPED_TRACE(test.layout.str());
    AffineMap layout = parseMap(test.layout);
    for (int64_t numPieces : {1, 2, 3}) {
      SmallVector<int64_t> packedShape(test.packedShape);
      llvm::replace(packedShape, int64_t(-1), numPieces);
      int64_t numSlabs = test.numSlabs < 0 ? numPieces : test.numSlabs;
      // A dimension of one is none.
      if (test.numSlabs < 0 && numPieces == 1)
        continue;
      checkSplitting(test.shape, layout, packedShape, numPieces, numSlabs);
    }
  }
}

TEST_F(ConstantPoolTest, TwoNumbersOfFourBitsAreInAByte) {
  // Rows of 3 columns; two rows are the halves of one, and the last is alone.
  SmallVector<int8_t> values = {1, 2, 3, 4, 5, 6, 15, 0, 9};
  auto type = RankedTensorType::get({3, 3}, b.getI8Type());
  ElementsAttr constant = DenseElementsAttr::get(type, ArrayRef(values));
  AffineMap layout = parseMap("(d0, d1) -> (d0 floordiv 2, d1, d0 mod 2)");
  ConstantPool pool(&context);
  auto addTo = [&](PackedElements elements, ArrayRef<int64_t> shape) {
    return pool.add(constant, layout, shape, elements,
                    [&] { return emitError(UnknownLoc::get(&context)); });
  };
  PackedElements nibbles;
  nibbles.areNibbles = true;
  FailureOr<uint64_t> offset = addTo(nibbles, {2, 3});
  ASSERT_TRUE(succeeded(offset));
  EXPECT_EQ(pool.getSize(), *offset + 6);
  std::string bytes = write(pool).substr(*offset, 6);
  EXPECT_EQ(bytes, StringRef("\x41\x52\x63\x0f\x00\x09", 6).str());
  // The same bytes whole are another constant.
  FailureOr<uint64_t> whole = addTo({}, {2, 3, 2});
  ASSERT_TRUE(succeeded(whole));
  EXPECT_NE(*whole, *offset);
}

TEST_F(ConstantPoolTest, EqualConstantsShareTheirPlace) {
  ConstantPool pool(&context);
  SmallVector<float> values = {1, 2, 3, 4, 5, 6};
  ElementsAttr a = makeResource<float>("a", {2, 3}, values, b.getF32Type());
  ElementsAttr same = makeResource<float>("b", {2, 3}, values, b.getF32Type());
  ElementsAttr flat = makeResource<float>("c", {6}, values, b.getF32Type());
  ElementsAttr other =
      makeResource<float>("d", {2, 3}, {1, 2, 3, 4, 5, 7}, b.getF32Type());
  AffineMap transpose = parseMap("(d0, d1) -> (d1, d0)");

  uint64_t offset = add(pool, a);
  EXPECT_EQ(add(pool, same), offset);
  EXPECT_EQ(add(pool, flat), offset);
  EXPECT_NE(add(pool, other), offset);
  uint64_t transposed = add(pool, a, transpose, {3, 2});
  EXPECT_NE(transposed, offset);
  EXPECT_EQ(add(pool, same, transpose, {3, 2}), transposed);
  EXPECT_EQ(add(pool, same, parseMap("(d0, d1) -> (d0, d1)"), {2, 3}), offset);
  EXPECT_EQ(pool.getSize(), 2 * 64 + 24u);

  std::string bytes = write(pool);
  ASSERT_EQ(bytes.size(), pool.getSize());
  EXPECT_EQ(write(pool, /*skipped=*/4096), bytes);
  auto *packed = reinterpret_cast<const float *>(bytes.data() + transposed);
  EXPECT_EQ(std::vector<float>(packed, packed + 6),
            std::vector<float>({1, 4, 2, 5, 3, 6}));
}

TEST_F(ConstantPoolTest, LongConstantsThatDifferInOneElementAreTwo) {
  ConstantPool pool(&context);
  std::vector<float> values(1 << 20, 1.5f);
  auto type = b.getF32Type();
  uint64_t first = add(pool, makeResource<float>("a", {1 << 20}, values, type));
  // Where no sample looks.
  values[4567] = 2;
  uint64_t second =
      add(pool, makeResource<float>("b", {1 << 20}, values, type));
  EXPECT_NE(first, second);
  EXPECT_EQ(add(pool, makeResource<float>("c", {1 << 20}, values, type)),
            second);
  // Longer than what is written at once.
  std::string bytes = write(pool);
  auto *written = reinterpret_cast<const float *>(bytes.data() + second);
  EXPECT_EQ(std::vector<float>(written, written + values.size()), values);
}

TEST_F(ConstantPoolTest, SplatsAndBoolsAreExpanded) {
  ConstantPool pool(&context);
  auto type = RankedTensorType::get({3}, b.getI32Type());
  uint64_t splat = add(pool, DenseElementsAttr::get(type, int32_t(7)));
  auto bools = DenseElementsAttr::get(RankedTensorType::get({3}, b.getI1Type()),
                                      {true, false, true});
  uint64_t mask = add(pool, bools);
  std::string bytes = write(pool);
  auto *numbers = reinterpret_cast<const int32_t *>(bytes.data() + splat);
  EXPECT_EQ(std::vector<int32_t>(numbers, numbers + 3),
            std::vector<int32_t>({7, 7, 7}));
  EXPECT_EQ(bytes.substr(mask, 3), std::string("\1\0\1", 3));
}

TEST_F(ConstantPoolTest, PiecesAreSplitAndPacked) {
  // 1 + 2^-8 is halfway between two bf16, and goes to the even one; then come
  // 2^-12 and 2^-20 at their own scale.
  const float third = 1 + 0x1p-8f + 0x1p-12f + 0x1p-20f;
  const float values[] = {0.5f, -third, 0x1.fffffep127f,
                          std::numeric_limits<float>::infinity()};
  ConstantPool pool(&context);
  auto value = DenseElementsAttr::get(
      RankedTensorType::get({4}, b.getF32Type()), ArrayRef<float>(values));
  add(pool, value, parseMap("(d0, d1) -> (d1, d0)"), {3, 4}, /*numPieces=*/3);
  std::string bytes = write(pool);
  ASSERT_EQ(bytes.size(), 3 * 4 * sizeof(uint16_t));
  uint16_t pieces[3][4];
  std::memcpy(pieces, bytes.data(), bytes.size());
  auto toDouble = [](uint16_t bits) {
    uint32_t wide = static_cast<uint32_t>(bits) << 16;
    float number;
    std::memcpy(&number, &wide, sizeof(number));
    return static_cast<double>(number);
  };
  EXPECT_EQ(pieces[0][0], 0x3f00);
  EXPECT_EQ(pieces[1][0], 0);
  EXPECT_EQ(pieces[2][0], 0);
  for (int i : {1, 2})
    EXPECT_EQ(toDouble(pieces[0][i]) + toDouble(pieces[1][i]) +
                  toDouble(pieces[2][i]),
              static_cast<double>(values[i]));
  EXPECT_LE(std::abs(toDouble(pieces[0][2])), 0x1.fep127);
  EXPECT_EQ(pieces[0][3], 0x7f80);
  EXPECT_EQ(pieces[1][3], 0);
  EXPECT_EQ(pieces[2][3], 0);
}

TEST_F(ConstantPoolTest, BadConstantsAreErrors) {
  ConstantPool pool(&context);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diag) {
    message = diag.str();
    return success();
  });
  auto addTo = [&](ElementsAttr value, int64_t numPieces = 0) {
    return pool.add(value, {}, {}, {numPieces},
                    [&] { return emitError(UnknownLoc::get(&context)); });
  };
  EXPECT_TRUE(failed(addTo(
      DenseElementsAttr::get(RankedTensorType::get({2}, b.getIntegerType(12)),
                             b.getIntegerAttr(b.getIntegerType(12), 1)))));
  EXPECT_EQ(message, "expects constant elements of whole bytes, but got 'i12'");
  EXPECT_TRUE(
      failed(addTo(makeResource<float>("short", {3}, {1, 2}, b.getF32Type()))));
  EXPECT_EQ(message,
            "expects 12 bytes in the resource of a constant, but got 8");
  auto makeSplat = [&](ArrayRef<int64_t> shape) {
    return DenseElementsAttr::get(RankedTensorType::get(shape, b.getF32Type()),
                                  b.getF32FloatAttr(1));
  };
  EXPECT_TRUE(failed(addTo(makeSplat({int64_t(1) << 31, int64_t(1) << 31}))));
  EXPECT_EQ(message, "expects constants of fewer than 2^63 bytes, but got "
                     "'tensor<2147483648x2147483648xf32>'");
  EXPECT_TRUE(failed(addTo(makeSplat({2}), /*numPieces=*/4)));
  EXPECT_EQ(message, "expects constant elements to be split in 1 to 3 pieces, "
                     "but got 4");
  EXPECT_TRUE(succeeded(addTo(makeSplat({int64_t(1) << 60}))));
  EXPECT_TRUE(failed(addTo(makeSplat({int64_t(1) << 60, 2}))));
  EXPECT_EQ(message, "expects constants of fewer than 2^63 bytes, but got "
                     "'tensor<1152921504606846976x2xf32>'");
}

// Zeros are as much of the file as nobody has written.
TEST_F(ConstantPoolTest, SplatsOfAnySizeAreWrittenInPieces) {
  ConstantPool pool(&context);
  auto makeSplat = [&](ArrayRef<int64_t> shape, float value) {
    return DenseElementsAttr::get(RankedTensorType::get(shape, b.getF32Type()),
                                  b.getF32FloatAttr(value));
  };
  uint64_t ones = add(pool, makeSplat({1000, 1000}, 1));
  uint64_t zeros = add(pool, makeSplat({1 << 20, 1 << 20}, 0));
  FileDescriptor file = std::move(*FileDescriptor::createInMemory("pool"));
  ASSERT_FALSE(llvm::sys::fs::resize_file(file.get(), pool.getSize()));
  ASSERT_FALSE(pool.write(file.get(), 0));
  float first = 0, last = 0, zero = 1;
  auto read = [&](float &value, uint64_t offset) {
    EXPECT_FALSE(readAt(
        file.get(), {reinterpret_cast<char *>(&value), sizeof(value)}, offset));
  };
  read(first, ones);
  read(last, ones + 4 * 999999);
  read(zero, zeros + (uint64_t(1) << 41));
  EXPECT_EQ(first, 1);
  EXPECT_EQ(last, 1);
  EXPECT_EQ(zero, 0);
}

TEST_F(ConstantPoolTest, FilesHaveTheConstants) {
  prepareForCodeGeneration(context);
  ConstantPool pool(&context);
  SmallVector<int64_t> values(10000);
  std::iota(values.begin(), values.end(), 42);
  add(pool, makeResource<int64_t>("w", {10000}, values, b.getI64Type()));
  for (StringRef name : {"x86-64", "aarch64"}) {
    auto emitHere = [&] { return emitError(UnknownLoc::get(&context)); };
    FailureOr<CPUInfo> target = CPUInfo::parse(name, emitHere);
    ASSERT_TRUE(succeeded(target));
    for (bool isShared : {false, true}) {
      SCOPED_TRACE(name.str() + (isShared ? " shared" : " relocatable"));
      std::string object = getArtifactObject(*target, pool.getSize(), isShared);
      EXPECT_LT(object.size(), 4096u);
      auto *link = isShared ? linkSharedObject : linkRelocatableObject;
      FailureOr<std::vector<char>> linked =
          link(StringRef(object), *target, emitHere);
      ASSERT_TRUE(succeeded(linked));
      FileDescriptor file = std::move(*FileDescriptor::createInMemory("pool"));
      ASSERT_FALSE(writeArtifactFile(file.get(), *linked, pool));

      std::vector<char> bytes = *readAll(file.get());
      StringRef text(bytes.data(), bytes.size());
      EXPECT_TRUE(text.ends_with(write(pool)));
      auto parsed = llvm::object::ObjectFile::createObjectFile(
          llvm::MemoryBufferRef(text, "linked"));
      ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
      auto *elf = cast<llvm::object::ELFObjectFileBase>(parsed->get());
      EXPECT_EQ(elf->getArch(), target->getTriple().getArch());
      bool hasWeights = false, hasNote = false;
      for (const llvm::object::SectionRef &section : elf->sections()) {
        StringRef name = llvm::cantFail(section.getName());
        hasNote |= name == RELAY_NOTE_SECTION;
        if (name != RELAY_WEIGHTS_SECTION)
          continue;
        hasWeights = true;
        EXPECT_GE(section.getAlignment().value(), 4096u);
        EXPECT_EQ(llvm::cantFail(section.getContents()).str(), write(pool));
      }
      EXPECT_TRUE(hasWeights);
      EXPECT_EQ(hasNote, isShared);
      // A program that the object is linked into finds them by their name.
      EXPECT_EQ(llvm::any_of(elf->symbols(),
                             [](const llvm::object::SymbolRef &symbol) {
                               return llvm::cantFail(symbol.getName()) ==
                                      kWeightsSymbol;
                             }),
                !isShared);
    }
  }
}

} // namespace
