//===- MetadataTest.cpp - The metadata section of Relay text --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RelayTextTest.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

class MetadataTest : public RelayTextTest {
protected:
  /// Prints and parses a constant, and returns what comes back.
  ElementsAttr passThroughText(ElementsAttr value) {
    std::string text =
        printWhole(ast::ExprPtr(std::make_shared<ast::Constant>(value)));
    EXPECT_TRUE(StringRef(text).contains("meta[relay.Constant][0]")) << text;
    ast::ExprPtr expr = parseExpr(text);
    EXPECT_TRUE(expr) << getMessages() << text;
    return expr ? cast<ast::Constant>(expr.get())->value : ElementsAttr();
  }

  Builder builder{&context};
};

TEST_F(MetadataTest, Constants) {
  auto shape = [&](Type type) { return RankedTensorType::get({2, 3}, type); };
  float floats[] = {1, 2.5, -3, 1e-30f, 0.1f, INFINITY};
  int8_t bytes[] = {1, -2, 3, -4, 127, -128};
  bool bools[] = {true, false, false, true, true, false};
  for (ElementsAttr value : std::initializer_list<ElementsAttr>{
           DenseElementsAttr::get(shape(builder.getF32Type()),
                                  ArrayRef<float>(floats)),
           DenseElementsAttr::get(shape(builder.getI8Type()),
                                  ArrayRef<int8_t>(bytes)),
           DenseElementsAttr::get(shape(builder.getI1Type()),
                                  ArrayRef<bool>(bools)),
           DenseElementsAttr::get(shape(builder.getF64Type()), 0.1),
           DenseElementsAttr::get(
               shape(builder.getBF16Type()),
               builder.getFloatAttr(builder.getBF16Type(), 1.5)),
           DenseElementsAttr::get(
               RankedTensorType::get({}, builder.getIntegerType(8, false)),
               builder.getIntegerAttr(builder.getIntegerType(8, false), 7)),
           DenseElementsAttr::get(
               RankedTensorType::get({0}, builder.getI32Type()),
               ArrayRef<int32_t>())})
    EXPECT_EQ(passThroughText(value), value);
}

TEST_F(MetadataTest, LargeConstants) {
  std::vector<int32_t> values(1000);
  for (int32_t i = 0; i < 1000; ++i)
    values[i] = i * i;
  auto type = RankedTensorType::get({10, 100}, builder.getI32Type());
  ElementsAttr back =
      passThroughText(DenseElementsAttr::get(type, ArrayRef<int32_t>(values)));
  ASSERT_TRUE(back);
  EXPECT_EQ(back.getShapedType(), type);
  auto resource = dyn_cast<DenseI32ResourceElementsAttr>(back);
  ASSERT_TRUE(resource);
  EXPECT_EQ(*resource.tryGetAsArrayRef(), ArrayRef<int32_t>(values));
}

/// A section in the form that other writers have: references in strings, and
/// fields that do not matter here.
constexpr StringLiteral kForeign = R"(
#[metadata]
{
  "root": 1,
  "nodes": [
    {"type_key": ""},
    {"type_key": "Map", "keys": ["VirtualDevice", "relay.Constant",
                                 "relay.attrs.ScanopAttrs"],
     "data": [2, 5, 7]},
    {"type_key": "Array", "data": [3]},
    {"type_key": "VirtualDevice",
     "attrs": {"device_type_int": "1", "virtual_device_id": "0",
               "memory_scope": "4", "target": "0"}},
    {"type_key": "runtime.String", "repr_str": "global"},
    {"type_key": "Array", "data": ["6"]},
    {"type_key": "relay.Constant",
     "attrs": {"_checked_type_": "11", "data": "0", "span": "0",
               "virtual_device_": "0"}},
    {"type_key": "Array", "data": [8]},
    {"type_key": "relay.attrs.ScanopAttrs",
     "attrs": {"axis": "9", "dtype": "float32", "exclusive": "9"}},
    {"type_key": "IntImm", "attrs": {"dtype": "int32", "value": "1"}}
  ],
  "b64ndarrays": [
    "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAAAAAAAACAPwAAAEA="
  ],
  "attrs": {"tvm_version": "0.18.0"}
}
)";

TEST_F(MetadataTest, ForeignSection) {
  ast::ExprPtr expr =
      parseExpr("fn (%x {virtual_device=meta[VirtualDevice][0]}: int32, "
                "virtual_device=meta[VirtualDevice][0]) {\n"
                "  cumsum(meta[relay.Constant][0], "
                "meta[relay.attrs.ScanopAttrs][0])\n}" +
                kForeign.str());
  ASSERT_TRUE(expr) << getMessages();
  PrintOptions printOptions;
  printOptions.showMetadata = false;
  EXPECT_EQ(print(expr, printOptions),
            "fn (%x {virtual_device={device_type_int=1, "
            "memory_scope=\"global\", target=None, "
            "type_key=\"VirtualDevice\", virtual_device_id=0}}: int32, "
            "virtual_device={device_type_int=1, memory_scope=\"global\", "
            "target=None, type_key=\"VirtualDevice\", virtual_device_id=0}) "
            "{\n  cumsum(meta[relay.Constant][0], axis=1, dtype=\"float32\", "
            "exclusive=True)\n}");
  std::string text = printWhole(expr);
  EXPECT_TRUE(StringRef(text).contains(
      "%x {virtual_device=meta[VirtualDevice][0]}: int32"));
  ast::ExprPtr again = parseExpr(text);
  ASSERT_TRUE(again) << getMessages() << text;
  EXPECT_EQ(printWhole(again), text);
  auto *function = cast<ast::Function>(expr.get());
  auto *call = cast<ast::Call>(function->body.get());
  float expected[] = {1, 2};
  EXPECT_EQ(
      cast<ast::Constant>(call->args[0].get())->value,
      DenseElementsAttr::get(RankedTensorType::get({2}, builder.getF32Type()),
                             ArrayRef<float>(expected)));
}

TEST_F(MetadataTest, SectionsThatAreLeftOut) {
  ast::ExprPtr expr =
      parseExpr("(meta[relay.Constant][0], 1)" + kForeign.str());
  ASSERT_TRUE(expr) << getMessages();
  PrintOptions printOptions;
  printOptions.showMetadata = false;
  EXPECT_EQ(print(expr, printOptions), "(meta[relay.Constant][0], 1)");
  EXPECT_TRUE(
      StringRef(printWhole(expr, printOptions)).ends_with("is true.\n */\n"));
}

TEST_F(MetadataTest, GivenEntries) {
  options.metadata["relay.Constant"].push_back(
      DenseElementsAttr::get(RankedTensorType::get({2}, builder.getI32Type()),
                             builder.getI32IntegerAttr(3)));
  EXPECT_TRUE(parseExpr("meta[relay.Constant][0]"));
  EXPECT_EQ(getExprErrors("meta[relay.Constant][1]"),
            "1:1: expects an index below 1, but got 1\n");
  // They come after those of the text.
  EXPECT_TRUE(parseExpr("meta[relay.Constant][1]" + kForeign.str()));
}

TEST_F(MetadataTest, MalformedSections) {
  auto getErrors = [&](StringRef json) {
    return getExprErrors(("1\n#[metadata]\n" + json).str());
  };
  EXPECT_TRUE(StringRef(getErrors("{")).starts_with("2:1: expects JSON: "));
  EXPECT_EQ(getErrors("[]"), "2:1: expects a JSON object\n");
  EXPECT_EQ(getErrors("{}"),
            "2:1: expects a map as the root of the metadata\n");
  std::string deep = std::string(100000, '[');
  EXPECT_EQ(getErrors(deep),
            "2:1: expects JSON that is less than 64 levels deep\n");
  // A cycle, and a section that would be exponentially large.
  StringRef root = R"({"root": 0, "nodes": [)"
                   R"({"type_key": "Map", "keys": ["K"], "data": [1]},)";
  EXPECT_EQ(getErrors((root + R"({"type_key": "Array", "data": [1]}]})").str()),
            "2:1: expects metadata without cycles\n");
  EXPECT_EQ(getErrors((root + R"({"type_key": "Array", "data": [7]}]})").str()),
            "2:1: expects 7 to be a node of the metadata\n");
  std::string wide = root.str();
  for (int i = 1; i < 60; ++i) {
    std::string next = std::to_string(i + 1);
    wide += R"({"type_key": "Array", "data": [)" + next + ", " + next + "]},";
  }
  wide += R"({"type_key": ""}]})";
  EXPECT_TRUE(parseExpr("1\n#[metadata]\n" + wide)) << getMessages();
}

TEST_F(MetadataTest, MalformedArrays) {
  StringRef good =
      "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAgAAAAA"
      "AAAAAACAPwAAAEA=";
  std::string text = ("meta[relay.Constant][0]" + kForeign).str();
  size_t position = text.find(good);
  ASSERT_NE(position, std::string::npos);
  for (StringRef bad :
       {"", "AAAA", "!!!!", "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAA==",
        // Another size of the data, and of the shape; a negative rank.
        "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQACAAAAAAAAAAcAAAAA"
        "AAAAAACAPwAAAEA=",
        "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQD//////////wgAAAAA"
        "AAAAAACAPwAAAEA=",
        "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAAQAAAAIgAQAAAAAAAAAAQAgAAAAA"
        "AAAAAACAPwAAAEA=",
        "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAA/////wIgAQAIAAAAAAAAAAAAgD8A"
        "AABA",
        "P6G0lvBAXt0AAAAAAAAAAAEAAAAAAAAAQEIPAAIgAQACAAAAAAAAAAgAAAAA"
        "AAAAAACAPwAAAEA="}) {
    std::string changed = text;
    changed.replace(position, good.size(), bad.str());
    EXPECT_FALSE(parseExpr(changed)) << bad.str();
  }
}

} // namespace
