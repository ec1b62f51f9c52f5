//===- RewriteTables.cpp - The rules that are compiled in -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Rewrites.h"

#include "mlir/Dialect/PDL/IR/PDLOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::relay;

// What mlir-pdll makes of the tables: a class for each rule, and a function
// that adds all.
namespace likes {
#include "Likes.h.inc"
} // namespace likes
namespace arithmetic {
#include "Arithmetic.h.inc"
} // namespace arithmetic
namespace identities {
#include "Identities.h.inc"
} // namespace identities
namespace reshapes {
#include "Reshapes.h.inc"
} // namespace reshapes
namespace transposes {
#include "Transposes.h.inc"
} // namespace transposes
namespace casts {
#include "Casts.h.inc"
} // namespace casts
namespace filled {
#include "Filled.h.inc"
} // namespace filled
namespace constants {
#include "Constants.h.inc"
} // namespace constants
namespace quantized {
#include "Quantized.h.inc"
} // namespace quantized
namespace clips {
#include "Clips.h.inc"
} // namespace clips
namespace binomials {
#include "Binomials.h.inc"
} // namespace binomials
namespace divToMul {
#include "DivToMul.h.inc"
} // namespace divToMul
namespace fastMath {
#include "FastMath.h.inc"
} // namespace fastMath
namespace canonicalizeOps {
#include "CanonicalizeOps.h.inc"
} // namespace canonicalizeOps

static constexpr StringLiteral kSimplify = "relay-simplify-expr";
static constexpr StringLiteral kSimplifyAfter =
    "relay-simplify-expr-post-alter-op";
static constexpr StringLiteral kDivToMul = "relay-div-to-mul";
static constexpr StringLiteral kFastMath = "relay-fast-math";
static constexpr StringLiteral kCanonicalizeOps = "relay-canonicalize-ops";

ArrayRef<RewriteTable> relay::getRewriteTables() {
  static const RewriteTable tables[] = {
      {"Likes", {kSimplify}, likes::populateGeneratedPDLLPatterns},
      {"Arithmetic", {kSimplify}, arithmetic::populateGeneratedPDLLPatterns},
      {"Identities",
       {kSimplify, kSimplifyAfter},
       identities::populateGeneratedPDLLPatterns},
      {"Reshapes",
       {kSimplify, kSimplifyAfter},
       reshapes::populateGeneratedPDLLPatterns},
      {"Transposes", {kSimplify}, transposes::populateGeneratedPDLLPatterns},
      {"Casts",
       {kSimplify, kSimplifyAfter},
       casts::populateGeneratedPDLLPatterns},
      {"Filled", {kSimplify}, filled::populateGeneratedPDLLPatterns},
      {"Constants", {kSimplify}, constants::populateGeneratedPDLLPatterns},
      {"Quantized", {kSimplify}, quantized::populateGeneratedPDLLPatterns},
      {"Clips",
       {kSimplify, kSimplifyAfter},
       clips::populateGeneratedPDLLPatterns},
      {"Binomials", {kSimplify}, binomials::populateGeneratedPDLLPatterns},
      {"DivToMul", {kDivToMul}, divToMul::populateGeneratedPDLLPatterns},
      {"FastMath", {kFastMath}, fastMath::populateGeneratedPDLLPatterns},
      {"CanonicalizeOps",
       {kCanonicalizeOps},
       canonicalizeOps::populateGeneratedPDLLPatterns},
  };
  return tables;
}

OwningOpRef<ModuleOp> relay::getCompiledRules(MLIRContext *context,
                                              StringRef pass) {
  RewritePatternSet patterns(context);
  for (const RewriteTable &table : getRewriteTables())
    if (pass.empty() || llvm::is_contained(table.passes, pass))
      table.populate(patterns);
  return patterns.getPDLPatterns().getModule().clone();
}

void relay::listRewrites(raw_ostream &os) {
  DialectRegistry registry;
  registerRewriteDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  for (const RewriteTable &table : getRewriteTables()) {
    RewritePatternSet patterns(&context);
    table.populate(patterns);
    os << table.name << " (";
    llvm::interleaveComma(table.passes, os);
    os << ")\n";
    for (auto rule :
         patterns.getPDLPatterns().getModule().getOps<pdl::PatternOp>())
      os << "  " << rule.getSymName().value_or("") << "\n";
  }
}
