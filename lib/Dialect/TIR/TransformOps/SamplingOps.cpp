//===- SamplingOps.cpp - Transform ops that draw --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Payload.h"
#include "relay-mlir/Dialect/TIR/Schedule/Sampling.h"
#include "relay-mlir/Dialect/TIR/TransformOps/TIRTransformOps.h"
#include "relay-mlir/Support/FormatNumber.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tir;
using namespace mlir::tir::transform_ops;

using transform::TransformResults;
using transform::TransformRewriter;
using transform::TransformState;

DEFINE_EFFECTS(SampleCategoricalOp, Query)
DEFINE_EFFECTS(SamplePerfectTileOp, Query)
DEFINE_EFFECTS(SamplePartitionedTileOp, Query)
DEFINE_EFFECTS(SampleComputeLocationOp, Query)
DEFINE_EFFECTS(EnterPostprocOp, Query)

/// Sets the results of `op` to numbers.
static void setNumbers(Operation *op, TransformResults &results,
                       ArrayRef<int64_t> numbers) {
  Builder builder(op->getContext());
  for (auto [result, number] : llvm::zip(op->getOpResults(), numbers))
    results.setParams(result, {builder.getI64IntegerAttr(number)});
}

//===----------------------------------------------------------------------===//
// sample_categorical
//===----------------------------------------------------------------------===//

LogicalResult SampleCategoricalOp::verify() {
  if (getCandidates().empty() ||
      getCandidates().size() != getProbabilities().size())
    return emitOpError("expects candidates, each with a probability, but got ")
           << getCandidates().size() << " and " << getProbabilities().size();
  double total = 0;
  for (double probability : getProbabilities()) {
    if (!(probability >= 0))
      return emitOpError("expects probabilities that are not negative, but "
                         "got ")
             << relay::formatNumber(probability);
    total += probability;
  }
  if (!(std::abs(total - 1) < 1e-5))
    return emitOpError("expects probabilities that add up to 1, but got ")
           << relay::formatNumber(total);
  int64_t size = getCandidates().size();
  if (std::optional<int64_t> decision = getDecision();
      decision && (*decision < 0 || *decision >= size))
    return emitOpError("expects a decision from 0 to ")
           << size - 1 << ", but got " << *decision;
  return success();
}

DiagnosedSilenceableFailure
SampleCategoricalOp::apply(TransformRewriter &, TransformResults &results,
                           TransformState &) {
  if (!getDecision())
    setDecision(sampleCategorical(getProbabilities(), getSeed()));
  setNumbers(*this, results, getCandidates()[*getDecision()]);
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Draws the factors of a loop, or takes those that were drawn before.
template <typename OpTy>
static DiagnosedSilenceableFailure applyTile(OpTy op, TileConstraint constraint,
                                             TransformResults &results,
                                             TransformState &state) {
  ForOp loop;
  DiagnosedSilenceableFailure found = getPayload(state, op, op.getLoop(), loop);
  if (!found.succeeded())
    return found;
  constraint.count = op.getNumResults();
  SmallVector<int64_t> factors;
  DiagnosedSilenceableFailure done = DiagnosedSilenceableFailure::success();
  if (std::optional<ArrayRef<int64_t>> decision = op.getDecision()) {
    factors.assign(decision->begin(), decision->end());
    done = checkTile(loop, constraint, factors);
  } else {
    done = sampleTile(loop, constraint, op.getSeed(), factors);
  }
  if (!done.succeeded())
    return done;
  op.setDecision(factors);
  setNumbers(op, results, factors);
  return done;
}

DiagnosedSilenceableFailure
SamplePerfectTileOp::apply(TransformRewriter &, TransformResults &results,
                           TransformState &state) {
  if (static_cast<int64_t>(getMaxInnermost()) < 1)
    return emitSilenceableFailure(getLoc())
           << "expects a largest innermost factor of at least 1, but got "
           << static_cast<int64_t>(getMaxInnermost());
  TileConstraint constraint;
  constraint.maxInnermost = getMaxInnermost();
  return applyTile(*this, constraint, results, state);
}

DiagnosedSilenceableFailure
SamplePartitionedTileOp::apply(TransformRewriter &, TransformResults &results,
                               TransformState &state) {
  TileConstraint constraint;
  constraint.partition = getPartition();
  constraint.innerMultiple = getInner();
  return applyTile(*this, constraint, results, state);
}

//===----------------------------------------------------------------------===//
// sample_compute_location
//===----------------------------------------------------------------------===//

DiagnosedSilenceableFailure
SampleComputeLocationOp::apply(TransformRewriter &, TransformResults &results,
                               TransformState &state) {
  return applyToBlock(*this, state, [&](BlockOp block) {
    int64_t location = getDecision() ? static_cast<int64_t>(*getDecision())
                                     : sampleComputeLocation(block, getSeed());
    Operation *target = nullptr;
    DiagnosedSilenceableFailure resolved =
        resolveComputeLocation(block, location, target);
    if (!resolved.succeeded())
      return resolved;
    setDecision(location);
    results.set(cast<OpResult>(getLocation()), {target});
    return resolved;
  });
}

DiagnosedSilenceableFailure EnterPostprocOp::apply(TransformRewriter &,
                                                   TransformResults &,
                                                   TransformState &) {
  return DiagnosedSilenceableFailure::success();
}
