//===- AttachTarget.cpp - Give a module a target --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Target/Transforms/Passes.h"

#include "relay-mlir/Dialect/Target/IR/Target.h"

namespace mlir::relay {
#define GEN_PASS_DEF_ATTACHTARGETPASS
#include "relay-mlir/Dialect/Target/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

struct AttachTarget : relay::impl::AttachTargetPassBase<AttachTarget> {
  using AttachTargetPassBase::AttachTargetPassBase;

  void runOnOperation() override {
    if (failed(attachTarget()) || failed(attachPrecision()))
      signalPassFailure();
  }

  LogicalResult attachTarget() {
    ModuleOp module = getOperation();
    if (target.empty() && module->hasAttr(TargetDialect::kSpecAttrName))
      return success();
    StringRef description = target.empty() ? "native" : StringRef(target);
    FailureOr<CPUInfo> info =
        CPUInfo::parse(description, [&] { return emitError(module.getLoc()); });
    if (failed(info))
      return failure();
    module->setAttr(TargetDialect::kSpecAttrName, info->getAttr(&getContext()));
    return success();
  }

  LogicalResult attachPrecision() {
    ModuleOp module = getOperation();
    if (precision.empty() && module->hasAttr(TargetDialect::kPrecisionAttrName))
      return success();
    std::optional<Precision> known =
        symbolizePrecision(precision.empty() ? "high" : StringRef(precision));
    if (!known)
      return emitError(module.getLoc())
             << "expects a precision of highest, high or medium, but got '"
             << precision << "'";
    module->setAttr(TargetDialect::kPrecisionAttrName,
                    PrecisionAttr::get(&getContext(), *known));
    return success();
  }
};

} // namespace
