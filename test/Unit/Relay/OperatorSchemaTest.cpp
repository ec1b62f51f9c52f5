//===- OperatorSchemaTest.cpp - What operators take -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"

#include "relay-mlir/Dialect/Relay/IR/DType.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

class OperatorSchemaTest : public testing::Test {
protected:
  OperatorSchemaTest()
      : handler(&context, [this](Diagnostic &diagnostic) {
          messages.push_back(diagnostic.str());
          return success();
        }) {
    context.loadDialect<RelayDialect>();
  }

  /// Reads a dictionary in which integers are written `1 : i32`.
  DictionaryAttr parse(StringRef text) {
    return cast<DictionaryAttr>(parseAttribute(text, &context));
  }

  FailureOr<NamedAttrList> convert(StringRef name, StringRef raw) {
    return convertRawAttrs(
        *getOperatorSchema(name), parse(raw).getValue(), &context,
        [this]() { return mlir::emitError(UnknownLoc::get(&context)); });
  }

  MLIRContext context;
  std::vector<std::string> messages;
  ScopedDiagnosticHandler handler;
};

TEST_F(OperatorSchemaTest, KeepsOrderKindsAndDefaults) {
  const OperatorSchema *schema = getOperatorSchema("nn.conv2d");
  ASSERT_NE(schema, nullptr);
  ASSERT_EQ(schema->operands.size(), 2u);
  EXPECT_EQ(schema->operands[1].name, "weight");
  std::vector<StringRef> names;
  for (const AttributeSchema &attribute : schema->attributes)
    names.push_back(attribute.name);
  EXPECT_EQ(names, (std::vector<StringRef>{"strides", "padding", "dilation",
                                           "groups", "channels", "kernel_size",
                                           "data_layout", "kernel_layout",
                                           "out_layout", "out_dtype"}));
  EXPECT_EQ(schema->attributes[0].getDefault(&context),
            parseAttribute("[1 : i32, 1 : i32]", &context));
  EXPECT_EQ(schema->lookupAttribute("data_layout")->getDefault(&context),
            StringAttr::get(&context, "NCHW"));
  EXPECT_EQ(schema->lookupAttribute("channels")->getDefault(&context),
            UnitAttr::get(&context));
  EXPECT_EQ(getOperatorSchema("nn.dense")->attributes[0].presence,
            AttrPresence::Nullable);
  EXPECT_EQ(getOperatorSchema("concatenate")->operands[0].kind,
            OperandKind::Tuple);
  EXPECT_EQ(getOperatorSchema("call"), nullptr);
  const OperandSchema &fill = getOperatorSchema("full")->operands[0];
  auto f32 = Float32Type::get(&context);
  EXPECT_TRUE(fill.accepts(RankedTensorType::get({}, f32)));
  EXPECT_FALSE(fill.accepts(RankedTensorType::get({1}, f32)));
  EXPECT_FALSE(fill.accepts(f32));
  EXPECT_EQ(fill.description, "0D tensor of floating-point or signless integer "
                              "or unsigned integer values");
}

TEST_F(OperatorSchemaTest, DefaultsAreThoseOfTheOperation) {
  ASSERT_GT(getOperatorSchemas().size(), 100u);
  for (const OperatorSchema *schema : getOperatorSchemas()) {
    OperationState state(UnknownLoc::get(&context),
                         "relay." + schema->name.str());
    ASSERT_TRUE(state.name.isRegistered()) << schema->name.str();
    EXPECT_EQ(state.name.getAttributeNames().size(), schema->attributes.size())
        << schema->name.str();
    Operation *op = Operation::create(state);
    DictionaryAttr defaults = op->getAttrDictionary();
    op->destroy();
    for (const AttributeSchema &attribute : schema->attributes) {
      std::string name = (schema->name + "." + attribute.name).str();
      Attribute expected = defaults.get(attribute.name);
      EXPECT_EQ(expected != Attribute(),
                attribute.presence == AttrPresence::Default)
          << name;
      if (!expected)
        continue;
      NamedAttribute raw(StringAttr::get(&context, attribute.name),
                         attribute.getDefault(&context));
      FailureOr<NamedAttrList> converted =
          convertRawAttrs(*schema, raw, &context);
      // A schema with required attributes rejects the one alone.
      if (succeeded(converted))
        EXPECT_EQ(converted->get(attribute.name), expected) << name;
    }
    EXPECT_TRUE(normalizeRawAttrs(*schema, {}, &context).empty() ||
                llvm::any_of(schema->attributes,
                             [](const AttributeSchema &attribute) {
                               return attribute.presence ==
                                      AttrPresence::Nullable;
                             }))
        << schema->name.str();
  }
}

TEST_F(OperatorSchemaTest, ConvertsBothWays) {
  FailureOr<NamedAttrList> attrs = convert(
      "nn.conv2d", R"({channels = 8 : i32, kernel_size = [3 : i32, 3 : i32],
                       padding = 1 : i32, strides = [1 : i32, 1 : i32],
                       out_dtype = "uint8", data_layout = "NHWC"})");
  ASSERT_TRUE(succeeded(attrs));
  EXPECT_EQ(attrs->getDictionary(&context),
            parse(R"({channels = 8 : i64, kernel_size = array<i64: 3, 3>,
                      padding = array<i64: 1>, strides = array<i64: 1, 1>,
                      out_dtype = ui8, data_layout = "NHWC"})"));
  // In the order of the definition, without the strides, which are the default.
  SmallVector<NamedAttribute> raw = toRawAttrs(*getOperatorSchema("nn.conv2d"),
                                               attrs->getDictionary(&context));
  ASSERT_EQ(raw.size(), 5u);
  EXPECT_EQ(raw[0].getName(), "padding");
  EXPECT_EQ(raw[0].getValue(), parseAttribute("[1 : i32]", &context));
  EXPECT_EQ(raw[3].getName(), "data_layout");
  EXPECT_EQ(raw[4].getValue(), StringAttr::get(&context, "uint8"));
}

TEST_F(OperatorSchemaTest, WritesNoneAndPairs) {
  FailureOr<NamedAttrList> dense =
      convert("nn.dense", R"({units, out_dtype = ""})");
  ASSERT_TRUE(succeeded(dense));
  EXPECT_TRUE(dense->empty());
  SmallVector<NamedAttribute> raw =
      toRawAttrs(*getOperatorSchema("nn.dense"), DictionaryAttr::get(&context));
  ASSERT_EQ(raw.size(), 1u);
  EXPECT_EQ(raw[0].getValue(), UnitAttr::get(&context));

  Attribute widths =
      parseAttribute("[[0 : i32, 1 : i32], [2 : i32, 3 : i32]]", &context);
  NamedAttribute named(StringAttr::get(&context, "pad_width"), widths);
  const OperatorSchema &pad = *getOperatorSchema("nn.pad");
  FailureOr<NamedAttrList> attrs = convertRawAttrs(pad, named, &context);
  ASSERT_TRUE(succeeded(attrs));
  EXPECT_EQ(attrs->get("pad_width"),
            DenseI64ArrayAttr::get(&context, {0, 1, 2, 3}));
  EXPECT_EQ(toRawAttrs(pad, attrs->getDictionary(&context))[0], named);
}

TEST_F(OperatorSchemaTest, LargeIntegersStayWhole) {
  FailureOr<NamedAttrList> attrs =
      convert("strided_slice", "{begin = [0 : i32], "
                               "end = [9223372036854775807 : i64]}");
  ASSERT_TRUE(succeeded(attrs));
  SmallVector<NamedAttribute> raw = toRawAttrs(
      *getOperatorSchema("strided_slice"), attrs->getDictionary(&context));
  EXPECT_EQ(raw[1].getValue(),
            parseAttribute("[9223372036854775807 : i64]", &context));
}

TEST_F(OperatorSchemaTest, ReportsEveryError) {
  EXPECT_TRUE(failed(convert("nn.softmax", "{axes = 1 : i32, axis = \"x\"}")));
  EXPECT_TRUE(failed(convert("nn.l2_normalize", "{eps = 1.0, axis}")));
  EXPECT_TRUE(failed(convert("nn.max_pool2d", "{}")));
  EXPECT_TRUE(failed(convert("nn.relu", "{axis = 1 : i32}")));
  EXPECT_TRUE(failed(convert("cast", "{dtype = \"float31\"}")));
  EXPECT_EQ(
      messages,
      (std::vector<std::string>{
          "expects attributes of 'nn.softmax' (axis), but got 'axes'",
          "expects 'axis' of 'nn.softmax' to be an integer, but got \"x\"",
          "expects 'axis' of 'nn.l2_normalize' to be a list of integers, but "
          "got None",
          "expects attribute 'pool_size' of 'nn.max_pool2d'",
          "expects no attributes of 'nn.relu', but got 'axis'",
          "expects 'dtype' of 'cast' to be the name of a data type, but got "
          "\"float31\""}));
}

TEST_F(OperatorSchemaTest, NamesDataTypes) {
  for (StringRef name :
       {"bool", "int8", "int32", "uint8", "uint64", "float16", "float32",
        "float64", "bfloat16", "int4", "uint2", "float8_e4m3fn",
        "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu",
        "float4_e2m1fn"}) {
    Type type = getDType(name, &context);
    ASSERT_TRUE(type) << name.str();
    EXPECT_EQ(getDTypeName(type), name);
  }
  EXPECT_EQ(getDTypeName(getDType("int", &context)), "int32");
  EXPECT_EQ(getDTypeName(getDType("float", &context)), "float32");
  for (StringRef name :
       {"", "ints", "int7", "float8", "int 8", "floaty", "void"})
    EXPECT_FALSE(getDType(name, &context)) << name.str();
}

} // namespace
