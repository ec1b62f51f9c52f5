//===- ProductTerms.cpp - How exact the products of a network are ---------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// On matrix units a product of f32 is a sum of products of bf16. At precision
// "high" these are 3, less exact than f32, or 6, which are not. Which of them
// is chosen so that the errors of the network stay within a multiple of those
// that it has in plain f32.
//
// The model. Errors are random and relative to what is summed, as root mean
// square: with 3 terms kSplitError, whatever the depth; in plain f32
// kSumError * sqrt(depth), because each partial sum is rounded. Layers that
// follow pass errors on, enlarged or not, in the same way whichever they come
// from. So squares add up, and the ratio of the sums bounds the ratio of errors
// of the network, if layers are alike in what follows does to them. One that is
// not may count for more: short sums (kMinSplitDepth) have 6 terms whatever the
// others have.
//
//===----------------------------------------------------------------------===//

#include "../../InlineProducers.h"
#include "../CPURules.h"
#include "MatrixMatcher.h"

#include "relay-mlir/Dialect/TIR/IR/KernelAttributes.h"
#include "relay-mlir/Dialect/TIR/ScheduleRules/Passes.h"
#include "relay-mlir/Support/SplitFloat.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::tir {
#define GEN_PASS_DEF_TIRCHOOSEPRECISIONPASS
#include "relay-mlir/Dialect/TIR/ScheduleRules/Passes.h.inc"
} // namespace mlir::tir

using namespace mlir;
using namespace mlir::tir;

namespace {

/// One kernel, by call.
struct KernelErrors {
  PrimFuncOp kernel;
  double numCalls = 1;
  /// Squares of errors: of products of 3 terms, and of all products if they
  /// were plain f32.
  double split = 0, plain = 0;
  /// What 6 terms take longer.
  double extraCycles = 0;
};

} // namespace

static void setPrecision(PrimFuncOp kernel, relay::Precision precision) {
  kernel->setAttr(relay::TargetDialect::kPrecisionAttrName,
                  relay::PrecisionAttr::get(kernel.getContext(), precision));
}

/// Cycles of the product on matrix units, if it gets there, else by vectors.
static double estimate(KernelSchedule &schedule, const BlockNest &nest,
                       relay::Precision precision,
                       int64_t *numTerms = nullptr) {
  setPrecision(schedule.getKernel(), precision);
  MatrixMatcher matcher(schedule, nest);
  if (failed(matcher.match()))
    return 0;
  if (!matcher.isWorthIt())
    return matcher.estimateVectorCycles();
  if (numTerms)
    *numTerms = matcher.plan.getNumTerms();
  return std::max(matcher.cycles, matcher.estimateMemoryCycles());
}

static void addProduct(KernelSchedule &schedule, const BlockNest &nest,
                       KernelErrors &errors) {
  std::optional<SumOfProducts> sum = matchSumOfProducts(nest);
  if (!sum ||
      !cast<MemRefType>(sum->out.buffer.getType()).getElementType().isF32())
    return;
  double depth = 1;
  for (unsigned var : nest.getVars(/*isReduce=*/true))
    depth *= nest.guessExtent(var);
  errors.plain += relay::kSumError * relay::kSumError * depth;
  int64_t numTerms = 0;
  double cycles = estimate(schedule, nest, relay::Precision::High, &numTerms);
  if (numTerms != 3)
    return;
  errors.split += relay::kSplitError * relay::kSplitError;
  errors.extraCycles +=
      estimate(schedule, nest, relay::Precision::Highest) - cycles;
}

/// What the products of the kernel add to the errors of the network.
static KernelErrors estimateErrors(PrimFuncOp kernel, relay::CPUAttr cpu) {
  KernelErrors errors;
  errors.kernel = kernel;
  OwningOpRef<ModuleOp> scratch = kernel.cloneIntoModule();
  auto copy = *scratch->getOps<PrimFuncOp>().begin();
  KernelSchedule schedule(copy, cpu);
  inlineProducers(schedule);
  bool isTransformed = scheduleConstantTransforms(schedule);
  if (!isTransformed)
    (void)scheduleAttention(schedule);
  for (BlockOp block : llvm::to_vector(copy.getBlocks())) {
    FailureOr<BlockNest> nest = BlockNest::get(block);
    if (succeeded(nest))
      addProduct(schedule, *nest, errors);
  }
  // Transforms of results (Winograd's algorithm) enlarge errors of the products
  // between them.
  if (isTransformed && errors.split != 0) {
    setPrecision(kernel, relay::Precision::Highest);
    errors.split = 0;
  }
  return errors;
}

/// Of kernels with precision "high", makes those "highest" whose products would
/// take the errors of the network they belong to beyond ten times those of
/// plain f32, the cheapest first. `numCalls` says how often each is called.
static void chooseProductTerms(ArrayRef<PrimFuncOp> kernels,
                               ArrayRef<int64_t> numCalls) {
  double split = 0, plain = 0, numSplit = 0;
  std::vector<KernelErrors> candidates;
  for (auto [kernel, calls] : llvm::zip_equal(kernels, numCalls)) {
    auto cpu = dyn_cast_or_null<relay::CPUAttr>(relay::lookupTarget(kernel));
    if (!cpu || !cpu.getInfo().hasTiles() ||
        relay::getPrecision(kernel) != relay::Precision::High)
      continue;
    KernelErrors errors = estimateErrors(kernel, cpu);
    errors.numCalls = calls;
    plain += calls * errors.plain;
    split += calls * errors.split;
    if (errors.split == 0)
      continue;
    numSplit += calls;
    candidates.push_back(errors);
  }
  // Of a product alone the bound of an operator is what there is to keep.
  if (numSplit < 2)
    return;
  llvm::stable_sort(
      candidates, [](const KernelErrors &lhs, const KernelErrors &rhs) {
        return lhs.extraCycles * rhs.split < rhs.extraCycles * lhs.split;
      });
  // Ten is what networks are to keep; the model was a third off at most.
  constexpr double kMaxRatio = 7;
  double allowed = (kMaxRatio * kMaxRatio - 1) * plain;
  for (const KernelErrors &errors : candidates) {
    if (split <= allowed && errors.extraCycles > 0)
      return;
    setPrecision(errors.kernel, relay::Precision::Highest);
    split -= errors.numCalls * errors.split;
  }
}

namespace {

struct TIRChoosePrecision
    : tir::impl::TIRChoosePrecisionPassBase<TIRChoosePrecision> {
  using TIRChoosePrecisionPassBase::TIRChoosePrecisionPassBase;

  void runOnOperation() override {
    SmallVector<PrimFuncOp> kernels(getOperation().getOps<PrimFuncOp>());
    if (forceMatrixTiles) {
      for (PrimFuncOp kernel : kernels)
        kernel->setAttr(kForceTilesAttr, UnitAttr::get(&getContext()));
      return;
    }
    // Whoever names a kernel calls it.
    llvm::StringMap<int64_t> uses;
    if (auto known = SymbolTable::getSymbolUses(&getOperation().getRegion()))
      for (SymbolTable::SymbolUse use : *known)
        ++uses[use.getSymbolRef().getRootReference()];
    SmallVector<int64_t> numCalls;
    for (PrimFuncOp kernel : kernels)
      numCalls.push_back(uses.lookup(kernel.getSymName()));
    chooseProductTerms(kernels, numCalls);
  }
};

} // namespace
