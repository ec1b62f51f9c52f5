//===- CollageCosts.cpp - Costs of parts by table -------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompilerRegions.h"

#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"
#include "relay-mlir/Dialect/Relay/Transforms/CollagePartition.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

/// What an operator costs that shares a kernel with others.
static constexpr double kShared = 0.9;

CostEstimator::~CostEstimator() = default;

FailureOr<TableCostEstimator>
TableCostEstimator::create(ArrayRef<std::string> entries,
                           MLIRContext *context) {
  TableCostEstimator estimator;
  for (StringRef entry : entries) {
    auto [key, text] = entry.split('=');
    auto [target, name] = key.split(':');
    double cost;
    if (target.empty() || (key.contains(':') && !getOperatorSchema(name)) ||
        text.getAsDouble(cost) || !std::isfinite(cost) || cost < 0)
      return emitError(UnknownLoc::get(context))
             << "expects costs as target=cost or target:operator=cost, each at "
                "least 0, but got \""
             << entry << "\"";
    estimator.costs[key] = cost;
  }
  return estimator;
}

FailureOr<double> TableCostEstimator::estimate(ModuleOp part,
                                               StringRef target) {
  double cost = 0;
  bool isFirst = true;
  WalkResult result = part.walk([&](Operation *op) {
    auto apply = dyn_cast<ApplyOp>(op);
    const OperatorSchema *schema =
        apply ? getOperatorSchema(apply.getName()) : getOperatorSchema(op);
    if (!schema || isa<TupleOp, TupleGetItemOp>(op) ||
        op->hasTrait<OpTrait::ConstantLike>())
      return WalkResult::advance();
    auto it = costs.find((target + ":" + schema->name).str());
    if (it == costs.end())
      it = costs.find(target);
    if (it == costs.end()) {
      emitError(op->getLoc())
          << "expects the cost of '" << schema->name << "' for \"" << target
          << "\", but the table has none";
      return WalkResult::interrupt();
    }
    cost += it->second * (isFirst ? 1 : kShared);
    isFirst = false;
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return cost;
}
