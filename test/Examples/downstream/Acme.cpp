//===- Acme.cpp - An extension of the compiler ----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "relay-mlir/Conversion/RelayToLinalg/Elementwise.h"
#include "relay-mlir/Conversion/RelayToLinalg/RelayToLinalg.h"
#include "relay-mlir/Dialect/Relay/Transforms/DialectPasses.h"
#include "relay-mlir/Dialect/Relay/Transforms/Rewrites.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/KernelSchedule.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/ScheduleRules.h"
#include "relay-mlir/Frontend/ONNX/OnnxConverters.h"
#include "relay-mlir/Interpreter/Elementwise.h"
#include "relay-mlir/Plugin.h"
#include "relay-mlir/Target/Kernel/DeviceModules.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

#include "Acme.h.inc"

#include "Acme.cpp.inc"

namespace acme {
#include "Acme.pdll.h.inc"
#define GEN_PASS_DECL
#define GEN_PASS_DEF_ACMEFINDGELUPASS
#define GEN_PASS_REGISTRATION
#include "AcmePasses.h.inc"
} // namespace acme

using acme::QuickGeluOp;

// An operator: its types, what it is fused with, what it computes.

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

namespace {

struct Evaluators : relay::EvaluatorDialectInterface {
  using EvaluatorDialectInterface::EvaluatorDialectInterface;

  void populateEvaluators(relay::EvaluatorTable &table) const override {
    relay::addElementwiseEvaluator<QuickGeluOp>(
        table, [](QuickGeluOp op, ArrayRef<double> x) {
          return x[0] / (1 + std::exp(-op.getAlpha().convertToDouble() * x[0]));
        });
  }
};

struct Lowering : relay::RelayToLinalgDialectInterface {
  using RelayToLinalgDialectInterface::RelayToLinalgDialectInterface;

  void populatePatterns(const TypeConverter &converter,
                        RewritePatternSet &patterns) const override {
    relay::addElementwiseLowering<QuickGeluOp>(
        converter, patterns,
        [](ImplicitLocOpBuilder &b, QuickGeluOp op, ValueRange x) -> Value {
          auto constant = [&](double value) -> Value {
            return arith::ConstantOp::create(
                b, b.getFloatAttr(x[0].getType(), value));
          };
          Value slope = constant(-op.getAlpha().convertToDouble());
          Value power =
              math::ExpOp::create(b, arith::MulFOp::create(b, slope, x[0]));
          Value sum = arith::AddFOp::create(b, constant(1), power);
          return arith::DivFOp::create(b, x[0], sum);
        });
  }
};

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

// A pass, which applies rules, and where it runs.

struct FindGeluPass : acme::impl::AcmeFindGeluPassBase<FindGeluPass> {
  LogicalResult initialize(MLIRContext *context) override {
    FailureOr<relay::RuleSet> compiled =
        relay::RuleSet::compile(context, acme::populateGeneratedPDLLPatterns);
    if (succeeded(compiled))
      rules = std::move(*compiled);
    return compiled;
  }

  void runOnOperation() override {
    if (failed(relay::rewriteFunction(getOperation(), rules)))
      signalPassFailure();
  }

  relay::RuleSet rules;
};

struct Passes : relay::PassesDialectInterface {
  using PassesDialectInterface::PassesDialectInterface;

  void addPasses(OpPassManager &manager) const override {
    manager.addNestedPass<func::FuncOp>(acme::createAcmeFindGeluPass());
  }
};

} // namespace

// A code generator for parts of models.

static bool takes(Operation *op) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return isa<QuickGeluOp>(op) && type.hasStaticShape() &&
         type.getElementType().isF32();
}

static FailureOr<relay::ExternalCode> writeC(ModuleOp functions) {
  std::string source = "#include <math.h>\n#include <stdint.h>\n";
  llvm::raw_string_ostream os(source);
  for (auto function : functions.getOps<func::FuncOp>()) {
    if (function.getNumArguments() != 1)
      return function.emitError("expects one tensor, but got ")
             << function.getNumArguments();
    auto type = cast<RankedTensorType>(function.getArgumentTypes().front());
    os << "int32_t " << function.getSymName() << "(void *const *args) {\n"
       << "  for (long i = 0; i < " << type.getNumElements() << "; ++i) {\n"
       << "    float x = ((const float *)args[0])[i];\n";
    function.walk([&](QuickGeluOp op) {
      os << "    x /= 1 + expf(" << -op.getAlpha().convertToDouble()
         << " * x);\n";
    });
    os << "    ((float *)args[1])[i] = x;\n  }\n  return 0;\n}\n";
  }
  return relay::ExternalCode(relay::ExternalCSource{source, {}});
}

// A kind of targets.

StringRef acme::CardAttr::getKind() const { return "acme"; }

namespace {
struct Rules : tir::ScheduleRulesInterface {
  using ScheduleRulesInterface::ScheduleRulesInterface;

  void addRules(relay::TargetAttrInterface target,
                tir::ScheduleRules &rules) const override {
    if (isa<acme::CardAttr>(target))
      rules.addBlockRule({"one loop", /*benefit=*/1, fuseLoops});
  }

  static LogicalResult fuseLoops(tir::KernelSchedule &schedule,
                                 tir::BlockNest nest) {
    return success(!nest.isReduction() && schedule.fuse(nest.block.getLoops()));
  }
};
} // namespace

FailureOr<relay::DeviceCode>
acme::CardAttr::generateCode(ModuleOp kernels) const {
  return relay::compileKernelLibrary(kernels, getProcessor());
}

// The plugin.

void acme::AcmeDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "AcmeAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "AcmeOps.cpp.inc"
      >();
  addInterfaces<Evaluators, Lowering, Converters, Passes, Rules>();
}

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return relay::getPluginInfo<acme::AcmeDialect>("Acme", "0.1", [] {
    acme::registerAcmePasses();
    relay::addCodeGenerator("acme", takes, writeC);
  });
}
