//===- ConstantPoolTest.cpp - Tests of packed constants -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Target/AOT/ConstantPool.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Object/ELFObjectFile.h"
#include "gtest/gtest.h"

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
               ArrayRef<int64_t> packedShape = {}) {
    FailureOr<uint64_t> offset = pool.add(value, layout, packedShape, [&] {
      return emitError(UnknownLoc::get(&context));
    });
    EXPECT_TRUE(succeeded(offset));
    return offset.value_or(0);
  }

  std::string write(const ConstantPool &pool) {
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    pool.write(os);
    return bytes;
  }

  MLIRContext context;
  Builder b{&context};
};

/// Packs an array of consecutive numbers and compares with the definition.
template <typename T>
void checkPacking(ArrayRef<int64_t> shape, AffineMap layout,
                  ArrayRef<int64_t> packedShape, MLIRContext *context) {
  auto count = [](ArrayRef<int64_t> sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                           std::multiplies<int64_t>());
  };
  std::vector<T> source(count(shape)), expected(count(packedShape)),
      packed(count(packedShape));
  std::iota(source.begin(), source.end(), T(1));
  for (int64_t linear = 0; linear < count(shape); ++linear) {
    SmallVector<Attribute> index(shape.size());
    int64_t rest = linear;
    for (int64_t dim = shape.size() - 1; dim >= 0; --dim) {
      index[dim] = IntegerAttr::get(IndexType::get(context), rest % shape[dim]);
      rest /= shape[dim];
    }
    SmallVector<Attribute> target;
    ASSERT_TRUE(succeeded(layout.constantFold(index, target)));
    int64_t offset = 0;
    for (auto [position, size] : llvm::zip_equal(target, packedShape))
      offset = offset * size + cast<IntegerAttr>(position).getInt();
    expected[offset] = source[linear];
  }
  packLayout(
      {reinterpret_cast<const char *>(source.data()),
       source.size() * sizeof(T)},
      shape, layout, packedShape, sizeof(T),
      {reinterpret_cast<char *>(packed.data()), packed.size() * sizeof(T)},
      context);
  ASSERT_EQ(packed, expected);
}

TEST_F(ConstantPoolTest, PackingFollowsTheMap) {
  struct Case {
    SmallVector<int64_t> shape;
    StringRef layout;
    SmallVector<int64_t> packedShape;
  };
  const Case cases[] = {
      {{7}, "(d0) -> (d0 floordiv 4, d0 mod 4)", {2, 4}},
      {{7}, "(d0) -> (d0 mod 4, d0 floordiv 4)", {4, 2}},
      {{5, 9}, "(d0, d1) -> (d1, d0)", {9, 5}},
      {{70, 130}, "(d0, d1) -> (d0 floordiv 32, d1, d0 mod 32)", {3, 130, 32}},
      {{70, 130}, "(d0, d1) -> (d1 floordiv 16, d0, d1 mod 16)", {9, 70, 16}},
      {{40, 6, 3, 3},
       "(o, c, h, w) -> (o floordiv 16, c, h, w, o mod 16)",
       {3, 6, 3, 3, 16}},
      {{40, 10, 3, 3},
       "(o, c, h, w) -> (o floordiv 16, c floordiv 4, h, w, c mod 4, o mod 16)",
       {3, 3, 3, 3, 4, 16}},
      {{4, 6, 5}, "(a, b, c) -> (a * 30 + b * 5 + c)", {120}},
      {{4, 6}, "(a, b) -> ((a * 6 + b) floordiv 5, (a * 6 + b) mod 5)", {5, 5}},
      {{4, 6}, "(a, b) -> (a, b + 3)", {4, 9}},
      {{3, 1, 8}, "(a, b, c) -> (b, c ceildiv 1, a)", {1, 8, 3}},
  };
  for (const Case &test : cases) {
    SCOPED_TRACE(test.layout.str());
    AffineMap layout = parseMap(test.layout);
    checkPacking<uint8_t>(test.shape, layout, test.packedShape, &context);
    checkPacking<uint16_t>(test.shape, layout, test.packedShape, &context);
    checkPacking<uint32_t>(test.shape, layout, test.packedShape, &context);
    checkPacking<uint64_t>(test.shape, layout, test.packedShape, &context);
  }
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
  auto *packed = reinterpret_cast<const float *>(bytes.data() + transposed);
  EXPECT_EQ(std::vector<float>(packed, packed + 6),
            std::vector<float>({1, 4, 2, 5, 3, 6}));
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

TEST_F(ConstantPoolTest, BadConstantsAreErrors) {
  ConstantPool pool(&context);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diag) {
    message = diag.str();
    return success();
  });
  auto addTo = [&](ElementsAttr value) {
    return pool.add(value, {}, {},
                    [&] { return emitError(UnknownLoc::get(&context)); });
  };
  EXPECT_TRUE(failed(addTo(
      DenseElementsAttr::get(RankedTensorType::get({2}, b.getIntegerType(4)),
                             b.getIntegerAttr(b.getIntegerType(4), 1)))));
  EXPECT_EQ(message, "expects constant elements of whole bytes, but got 'i4'");
  EXPECT_TRUE(
      failed(addTo(makeResource<float>("short", {3}, {1, 2}, b.getF32Type()))));
  EXPECT_EQ(message,
            "expects 12 bytes in the resource of a constant, but got 8");
}

TEST_F(ConstantPoolTest, ObjectHasSectionAndSymbol) {
  ConstantPool pool(&context);
  SmallVector<int64_t> values(1000, 42);
  add(pool, makeResource<int64_t>("w", {1000}, values, b.getI64Type()));
  for (StringRef name : {"x86-64", "aarch64"}) {
    FailureOr<TargetInfo> target = TargetInfo::parse(
        name, [&] { return emitError(UnknownLoc::get(&context)); });
    ASSERT_TRUE(succeeded(target));
    std::string bytes;
    llvm::raw_string_ostream os(bytes);
    pool.writeObject(*target, os);
    auto object = llvm::object::ObjectFile::createELFObjectFile(
        llvm::MemoryBufferRef(bytes, "weights.o"));
    ASSERT_TRUE(bool(object)) << llvm::toString(object.takeError());
    EXPECT_EQ((*object)->getArch(), target->getTriple().getArch());
    bool found = false;
    for (const llvm::object::SymbolRef &symbol : (*object)->symbols()) {
      if (llvm::cantFail(symbol.getName()) != kWeightsSymbol)
        continue;
      found = true;
      auto section = llvm::cantFail(symbol.getSection());
      EXPECT_EQ(llvm::cantFail(section->getName()), ".relay.weights");
      EXPECT_EQ(section->getAlignment().value(), 4096u);
      StringRef contents = llvm::cantFail(section->getContents());
      EXPECT_EQ(contents.str(), write(pool));
    }
    EXPECT_TRUE(found);
  }
}

} // namespace
