//===- OnnxConverters.cpp - Converters of ONNX operators from outside -----===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Frontend/ONNX/OnnxConverters.h"

#include "relay-mlir/Plugin.h"

using namespace mlir;
using namespace mlir::relay;

static LogicalResult convertScaledSum(OnnxNode &node) {
  Value sum = node.getInput(0);
  if (Value other = node.getInput(1))
    sum = node.create<AddOp>({sum, other});
  Value factor =
      node.createScalar(node.getFloat("factor", 1),
                        Float32Type::get(node.getBuilder().getContext()));
  return node.setResult(node.create<MultiplyOp>({sum, factor}));
}

static LogicalResult convertRelu(OnnxNode &node) {
  return node.setResult(node.create<NNReluOp>({node.getInput(0)}));
}

namespace {

struct Converters : OnnxDialectInterface {
  using OnnxDialectInterface::OnnxDialectInterface;

  void populateConverters(OnnxConverterTable &table) const override {
    table.add("test", "ScaledSum",
              {convertScaledSum, /*minInputs=*/1, /*maxInputs=*/2,
               /*since=*/2, /*until=*/3});
    // Names that ONNX has, too; its operators are imported as they are.
    table.add("test", "Constant", {convertRelu, 1, 1});
    table.add("test", "Shape", {convertRelu, 1, 1});
    table.add("", "Sigmoid", {convertRelu, 1, 1});
    table.add("", "Unheard", {convertRelu, 1, 1});
    table.add("test", "Silent", {[](OnnxNode &) { return failure(); }, 1, 1});
    table.add("test", "Refused", {[](OnnxNode &node) -> LogicalResult {
                return node.emitError() << "expects mode a, but got "
                                        << node.getString("mode", "");
              }});
  }
};

struct TestDialect : Dialect {
  explicit TestDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<TestDialect>()) {
    addInterfaces<Converters>();
  }
  static constexpr StringLiteral getDialectNamespace() {
    return StringLiteral("test_onnx");
  }
};

} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return getPluginInfo<TestDialect>("OnnxConverters", "0.1");
}
