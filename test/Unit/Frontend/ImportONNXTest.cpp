//===- ImportONNXTest.cpp - The C++ interface of the ONNX importer --------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Frontend/ONNX/ImportONNX.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

/// y = Relu(x), where x is float[N, 3], at opset 17.
constexpr char kModel[] =
    "\x08\x08\x3a\x3f\x0a\x0e\x0a\x01\x78\x12\x01\x79\x22\x04\x52\x65\x6c\x75"
    "\x3a\x00\x12\x01\x67\x5a\x14\x0a\x01\x78\x12\x0f\x0a\x0d\x08\x01\x12\x09"
    "\x0a\x03\x12\x01\x4e\x0a\x02\x08\x03\x62\x14\x0a\x01\x79\x12\x0f\x0a\x0d"
    "\x08\x01\x12\x09\x0a\x03\x12\x01\x4e\x0a\x02\x08\x03\x42\x04\x0a\x00\x10"
    "\x11";

class ImportONNXTest : public testing::Test {
protected:
  ImportONNXTest()
      : handler(&context, [this](Diagnostic &diagnostic) {
          messages.push_back(diagnostic.str());
          return success();
        }) {}

  OwningOpRef<ModuleOp> import(StringRef bytes) {
    return importOnnxBuffer(llvm::MemoryBufferRef(bytes, "<memory>"), &context,
                            options);
  }

  MLIRContext context;
  OnnxImportOptions options;
  std::vector<std::string> messages;
  ScopedDiagnosticHandler handler;
};

StringRef getModel() { return StringRef(kModel, sizeof(kModel) - 1); }

RankedTensorType getArgumentType(ModuleOp module) {
  auto main = module.lookupSymbol<func::FuncOp>("main");
  return cast<RankedTensorType>(main.getArgumentTypes().front());
}

TEST_F(ImportONNXTest, ReadsMemory) {
  OwningOpRef<ModuleOp> module = import(getModel());
  ASSERT_TRUE(module);
  EXPECT_EQ(getArgumentType(*module).getShape(),
            ArrayRef<int64_t>({ShapedType::kDynamic, 3}));
  EXPECT_TRUE(messages.empty());
}

TEST_F(ImportONNXTest, ReplacesInputShapes) {
  options.inputs.shapes["x"] = {5, 3};
  OwningOpRef<ModuleOp> module = import(getModel());
  ASSERT_TRUE(module);
  EXPECT_EQ(getArgumentType(*module).getShape(), ArrayRef<int64_t>({5, 3}));
  auto main = module->lookupSymbol<func::FuncOp>("main");
  EXPECT_EQ(cast<RankedTensorType>(main.getResultTypes().front()).getShape(),
            ArrayRef<int64_t>({5, 3}));
  // No dimension is left to have a name.
  EXPECT_FALSE(main.getArgAttr(0, "relay.dims"));
}

TEST_F(ImportONNXTest, RefusesShapesOfAnotherRank) {
  options.inputs.shapes["x"] = {5, 3, 1};
  EXPECT_FALSE(import(getModel()));
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0], "expects 2 dimensions for input \"x\", but got 3");
}

TEST_F(ImportONNXTest, RefusesShapesOfUnknownInputs) {
  options.inputs.shapes["image"] = {5, 3};
  EXPECT_FALSE(import(getModel()));
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0], "expects the name of an input, but got \"image\"; "
                         "there are \"x\"");
}

/// No beginning of a model is a model, or a crash.
TEST_F(ImportONNXTest, RefusesEveryTruncation) {
  for (size_t size = 0; size < getModel().size(); ++size) {
    messages.clear();
    EXPECT_FALSE(import(getModel().take_front(size))) << size;
    EXPECT_EQ(messages.size(), 1u) << size;
  }
}

TEST_F(ImportONNXTest, ReportsMissingFiles) {
  EXPECT_FALSE(importOnnxFile("/nowhere/model.onnx", &context));
  ASSERT_EQ(messages.size(), 1u);
  EXPECT_EQ(messages[0], "cannot read the file: No such file or directory");
}

} // namespace
