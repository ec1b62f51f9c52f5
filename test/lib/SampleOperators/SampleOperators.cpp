//===- SampleOperators.cpp - Operators from outside -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a project has to write that adds operators to programs of relay: what
// passes have to know of them, by interfaces. relay-opt loads it with
// --load-dialect-plugin; nothing in the compiler knows of it.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "relay-mlir/Dialect/Relay/IR/PassInterfaces.h"
#include "relay-mlir/Dialect/Relay/IR/QuantizeOpInterface.h"
#include "relay-mlir/Dialect/Relay/Transforms/CompositePatterns.h"
#include "relay-mlir/Plugin.h"

using namespace mlir;

#include "SampleOperators.h.inc"

#include "SampleOperators.cpp.inc"

using namespace sample;

LogicalResult CorrelateOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto data = cast<RankedTensorType>(adaptor.getData().getType());
  auto weight = cast<RankedTensorType>(adaptor.getWeight().getType());
  StringRef layout = adaptor.getDataLayout(),
            kernel = adaptor.getKernelLayout();
  StringRef outLayout =
      adaptor.getOutLayout().empty() ? layout : adaptor.getOutLayout();
  SmallVector<int64_t> shape;
  for (char letter : outLayout) {
    int64_t outputs = weight.getDimSize(kernel.find('O'));
    int64_t size = data.getDimSize(layout.find(letter));
    if (letter == 'H' || letter == 'W')
      size -= weight.getDimSize(kernel.find(letter)) - 1;
    shape.push_back(letter == 'C' ? outputs : size);
  }
  types.push_back(data.clone(shape));
  return success();
}

Value SoftenOp::legalize(OpBuilder &builder) {
  return relay::NNLeakyReluOp::create(
      builder, getLoc(), TypeRange(getType()), getData(),
      {builder.getNamedAttr("alpha", builder.getF64FloatAttr(0.125))});
}

LogicalResult SoftenOp::buildGradients(OpBuilder &builder, ValueRange gradients,
                                       MutableArrayRef<Value> results) {
  // The slope where x is not positive.
  Value gradient = gradients.front();
  auto type = cast<RankedTensorType>(gradient.getType());
  auto makeNumber = [&](double value) -> Value {
    auto scalar = RankedTensorType::get({}, type.getElementType());
    auto attr = builder.getFloatAttr(type.getElementType(), value);
    return relay::ConstantOp::create(builder, getLoc(),
                                     DenseElementsAttr::get(scalar, attr));
  };
  Value isPositive =
      relay::GreaterOp::create(builder, getLoc(), getData(), makeNumber(0));
  Value less =
      relay::MultiplyOp::create(builder, getLoc(), gradient, makeNumber(0.125));
  results[0] =
      relay::WhereOp::create(builder, getLoc(), isPositive, gradient, less);
  return success();
}

FailureOr<relay::QuantizedValue>
SoftenOp::toIntegers(OpBuilder &builder,
                     ArrayRef<relay::QuantizedValue> operands,
                     const relay::WantedQuantization &wanted) {
  const relay::QuantizedValue &x = operands.front();
  const relay::Quantization &from = x.quantizations.front();
  Type i32 = builder.getI32Type();
  auto makeNumber = [&](Attribute value, Type elementType) -> Value {
    auto scalar = RankedTensorType::get({}, elementType);
    return relay::ConstantOp::create(builder, getLoc(),
                                     DenseElementsAttr::get(scalar, value));
  };
  auto makeInteger = [&](int32_t value) {
    return makeNumber(builder.getI32IntegerAttr(value), i32);
  };
  // An eighth of the scale, so that nothing is rounded.
  Value wide = relay::SubtractOp::create(
      builder, getLoc(),
      relay::CastOp::create(builder, getLoc(), x.value, i32).getResult(),
      from.zeroPoint);
  Value zero = makeInteger(0);
  Value isPositive = relay::GreaterOp::create(builder, getLoc(), wide, zero);
  Value more =
      relay::MultiplyOp::create(builder, getLoc(), wide, makeInteger(8));
  Value result =
      relay::WhereOp::create(builder, getLoc(), isPositive, more, wide);
  Value scale = relay::MultiplyOp::create(
      builder, getLoc(), from.scale,
      makeNumber(builder.getF32FloatAttr(0.125f), builder.getF32Type()));
  return relay::QuantizedValue(result, {scale, zero});
}

relay::QuantizeRole SoftenOp::getQuantizeRole() {
  return relay::QuantizeRole::Clip;
}

SmallVector<int64_t> CorrelateOp::getSummedWeightAxes() {
  SmallVector<int64_t> axes;
  for (auto [axis, letter] : llvm::enumerate(getKernelLayout()))
    if (letter != 'O')
      axes.push_back(axis);
  return axes;
}

std::optional<relay::ChannelAxes> CorrelateOp::getChannelAxes() {
  StringRef outLayout =
      getOutLayout().empty() ? getDataLayout() : getOutLayout();
  StringRef kernel = getKernelLayout();
  return relay::ChannelAxes{
      int64_t(getDataLayout().find('C')), int64_t(outLayout.find('C')),
      int64_t(kernel.find('I')), int64_t(kernel.find('O'))};
}

namespace {
/// What a code generator of the name "sample" takes.
struct SamplePatterns : relay::PatternTableInterface {
  using PatternTableInterface::PatternTableInterface;

  void addPatterns(StringRef compiler,
                   relay::PatternTable &table) const override {
    using namespace relay::dataflow;
    if (compiler != "sample")
      return;
    PatternPtr conv = isOp("sample.correlate")->call({wildcard(), wildcard()});
    PatternPtr biased = conv->optional([](PatternPtr pattern) {
      return isOp("nn.bias_add")->call({pattern, isConstant()});
    });
    PatternPtr soft = isOp("sample.soften")->call({biased});
    table.push_back({"sample.correlate_soften", soft, [](Operation *root) {
                       // No open sizes.
                       return cast<RankedTensorType>(
                                  root->getResult(0).getType())
                           .hasStaticShape();
                     }});
  }
};
} // namespace

void SampleDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "SampleOperatorsOps.cpp.inc"
      >();
  addInterfaces<SamplePatterns>();
}

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return relay::getPluginInfo<SampleDialect>("SampleOperators", "0.1");
}
