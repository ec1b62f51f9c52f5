//===- QuickGelu.cpp - An operator from outside ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that a project has to write to add an operator. Nothing in the compiler
// knows of it; docs/Tutorials/Operators.md goes through it.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "relay-mlir/Conversion/RelayToLinalg/RelayToLinalg.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Frontend/ONNX/OnnxConverters.h"
#include "relay-mlir/Interpreter/Interpreter.h"

#include <cmath>

using namespace mlir;

#include "AcmeDialect.h.inc"
#define GET_OP_CLASSES
#include "AcmeOps.h.inc"

#include "AcmeDialect.cpp.inc"
#define GET_OP_CLASSES
#include "AcmeOps.cpp.inc"

using acme::QuickGeluOp;

//===----------------------------------------------------------------------===//
// What the operator is
//===----------------------------------------------------------------------===//

LogicalResult QuickGeluOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto type = cast<RankedTensorType>(adaptor.getData().getType());
  if (!isa<FloatType>(type.getElementType()))
    return emitOptionalError(location, "expects a tensor of floats, but got ",
                             type);
  types.push_back(type);
  return success();
}

relay::OpPatternKind QuickGeluOp::getFusionPattern() {
  return relay::OpPatternKind::ElemWise;
}

//===----------------------------------------------------------------------===//
// What it computes
//===----------------------------------------------------------------------===//

namespace {

struct Evaluators : relay::EvaluatorDialectInterface {
  using EvaluatorDialectInterface::EvaluatorDialectInterface;

  void populateEvaluators(relay::EvaluatorTable &table) const override {
    table.add<QuickGeluOp>(
        [](QuickGeluOp op,
           ArrayRef<relay::Tensor> operands) -> FailureOr<relay::Tensor> {
          double alpha = op.getAlpha().convertToDouble();
          SmallVector<double> values = operands[0].loadAll<double>();
          for (double &x : values)
            x /= 1 + std::exp(-alpha * x);
          auto result = relay::Tensor::allocate(operands[0].getType());
          result.store<double>(0, values.size(), values.data());
          return result;
        });
  }
};

//===----------------------------------------------------------------------===//
// How it becomes loops
//===----------------------------------------------------------------------===//

struct QuickGeluToLinalg : OpConversionPattern<QuickGeluOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(QuickGeluOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value data = adaptor.getData();
    auto type = cast<RankedTensorType>(data.getType());
    Type elementType = type.getElementType();
    Value init = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, data), elementType);
    SmallVector<AffineMap> maps(
        2, rewriter.getMultiDimIdentityMap(type.getRank()));
    SmallVector<utils::IteratorType> loops(type.getRank(),
                                           utils::IteratorType::parallel);
    auto body = [&](OpBuilder &builder, Location loc, ValueRange args) {
      auto constant = [&](double value) -> Value {
        return arith::ConstantOp::create(
            builder, loc, builder.getFloatAttr(elementType, value));
      };
      Value x = args[0];
      Value minusAlpha = constant(-op.getAlpha().convertToDouble());
      Value exponent = arith::MulFOp::create(builder, loc, minusAlpha, x);
      Value power = math::ExpOp::create(builder, loc, exponent);
      Value sum = arith::AddFOp::create(builder, loc, constant(1), power);
      Value result = arith::DivFOp::create(builder, loc, x, sum);
      linalg::YieldOp::create(builder, loc, result);
    };
    auto nest = linalg::GenericOp::create(rewriter, loc, init.getType(), data,
                                          init, maps, loops, body);
    // The name of the loop nest in schedules and profiles.
    nest->setAttr("tir.block_name", rewriter.getStringAttr("quick_gelu"));
    rewriter.replaceOp(op, nest);
    return success();
  }
};

struct Lowering : relay::RelayToLinalgDialectInterface {
  using RelayToLinalgDialectInterface::RelayToLinalgDialectInterface;

  void populatePatterns(const TypeConverter &converter,
                        RewritePatternSet &patterns) const override {
    patterns.add<QuickGeluToLinalg>(converter, patterns.getContext());
  }
};

//===----------------------------------------------------------------------===//
// Where it comes from
//===----------------------------------------------------------------------===//

struct Converters : relay::OnnxDialectInterface {
  using OnnxDialectInterface::OnnxDialectInterface;

  void populateConverters(relay::OnnxConverterTable &table) const override {
    table.add("com.microsoft", "QuickGelu", {[](relay::OnnxNode &node) {
                QuickGeluOp::Properties properties;
                properties.alpha = node.getBuilder().getF64FloatAttr(
                    node.getFloat("alpha", 1.702));
                return node.setResult(
                    node.create<QuickGeluOp>({node.getInput(0)}, properties));
              }});
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// The plugin
//===----------------------------------------------------------------------===//

void acme::AcmeDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "AcmeOps.cpp.inc"
      >();
  addInterfaces<Evaluators, Lowering, Converters>();
}

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "QuickGelu", "0.1",
          [](DialectRegistry *registry) {
            registry->insert<acme::AcmeDialect>();
            // No ONNX model names the dialect, so it comes with relay's.
            registry->addExtension(
                +[](MLIRContext *context, relay::RelayDialect *) {
                  context->getOrLoadDialect<acme::AcmeDialect>();
                });
          }};
}
