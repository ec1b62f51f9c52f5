//===- RelayToLinalgTest.cpp - Lowerings from outside ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Conversion/RelayToLinalg/RelayToLinalg.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::relay;

namespace {

/// An operator of somebody else, which fusion puts into kernels.
template <typename ConcreteOp>
struct VendorOp : Op<ConcreteOp, OpTrait::OneResult, OpTrait::OneOperand,
                     OpTrait::ZeroSuccessors, OpTrait::ZeroRegions,
                     FusionPatternOpInterface::Trait> {
  using VendorOp::Op::Op;
  static ArrayRef<StringRef> getAttributeNames() { return {}; }
  OpPatternKind getFusionPattern() { return OpPatternKind::ElemWise; }
};

struct KnownOp : VendorOp<KnownOp> {
  using VendorOp::VendorOp;
  static StringRef getOperationName() { return "vendor.known"; }
};

struct UnknownOp : VendorOp<UnknownOp> {
  using VendorOp::VendorOp;
  static StringRef getOperationName() { return "vendor.unknown"; }
};

/// Says why it does not match, too.
struct LowerKnown : ConversionPattern {
  LowerKnown(const TypeConverter &converter, MLIRContext *context)
      : ConversionPattern(converter, KnownOp::getOperationName(),
                          /*benefit=*/1, context) {}
  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<Value> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (op->hasAttr("refuse"))
      return rewriter.notifyMatchFailure(op, "it was told to refuse");
    rewriter.replaceOp(op, operands);
    return success();
  }
};

struct Lowering : RelayToLinalgDialectInterface {
  using RelayToLinalgDialectInterface::RelayToLinalgDialectInterface;
  void populatePatterns(const TypeConverter &converter,
                        RewritePatternSet &patterns) const override {
    patterns.add<LowerKnown>(converter, patterns.getContext());
  }
};

struct VendorDialect : Dialect {
  explicit VendorDialect(MLIRContext *context)
      : Dialect(getDialectNamespace(), context, TypeID::get<VendorDialect>()) {
    addOperations<KnownOp, UnknownOp>();
    addInterfaces<Lowering>();
  }
  static StringRef getDialectNamespace() { return "vendor"; }
};

class RelayToLinalgTest : public ::testing::Test {
protected:
  RelayToLinalgTest() {
    context.loadDialect<func::FuncDialect, RelayDialect, VendorDialect>();
    context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
      messages.push_back(diagnostic.str());
      for (Diagnostic &note : diagnostic.getNotes())
        messages.push_back(note.str());
      return success();
    });
  }

  /// Lowers a primitive function that applies `operation`.
  LogicalResult lower(StringRef operation) {
    module = parseSourceString<ModuleOp>(
        ("func.func @kernel(%x: tensor<4xf32>) -> tensor<4xf32>\n"
         "    attributes {relay.primitive} {\n"
         "  %0 = " +
         operation +
         " : (tensor<4xf32>) -> tensor<4xf32>\n"
         "  return %0 : tensor<4xf32>\n"
         "}")
            .str(),
        &context);
    PassManager manager(&context);
    manager.addNestedPass<func::FuncOp>(createConvertRelayToLinalgPass());
    return manager.run(*module);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::vector<std::string> messages;
};

} // namespace

TEST_F(RelayToLinalgTest, AsksDialectsForPatterns) {
  ASSERT_TRUE(succeeded(lower("\"vendor.known\"(%x)")));
  auto kernel = module->lookupSymbol<func::FuncOp>("kernel");
  EXPECT_TRUE(kernel.getOps<KnownOp>().empty());
}

TEST_F(RelayToLinalgTest, ReportsAnOperatorWithoutPattern) {
  EXPECT_TRUE(failed(lower("\"vendor.unknown\"(%x)")));
  ASSERT_FALSE(messages.empty());
  EXPECT_EQ("'vendor.unknown' op has no lowering to linalg for these types "
            "and attributes",
            messages.front());
}

TEST_F(RelayToLinalgTest, ReportsWhyAPatternRefused) {
  EXPECT_TRUE(failed(lower("\"vendor.known\"(%x) {refuse}")));
  EXPECT_TRUE(llvm::is_contained(messages, "it was told to refuse"))
      << llvm::join(messages, "\n");
}
