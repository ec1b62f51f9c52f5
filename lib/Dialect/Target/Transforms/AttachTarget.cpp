//===- AttachTarget.cpp - Give a module a target --------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Target/Transforms/Passes.h"

#include "mlir/AsmParser/AsmParser.h"
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
    if (failed(attachTarget()) || failed(attachPrecision()) ||
        failed(attachDeviceTargets()))
      signalPassFailure();
  }

  LogicalResult attachTarget() {
    ModuleOp module = getOperation();
    Attribute known = module->getAttr(TargetDialect::kSpecAttrName);
    if (target.empty() && known)
      return success();
    StringRef description = target.empty() ? "native" : StringRef(target);
    FailureOr<CPUInfo> info =
        CPUInfo::parse(description, [&] { return emitError(module.getLoc()); });
    if (failed(info))
      return failure();
    return attach(TargetDialect::kSpecAttrName, known,
                  info->getAttr(&getContext()));
  }

  LogicalResult attachPrecision() {
    ModuleOp module = getOperation();
    Attribute known = module->getAttr(TargetDialect::kPrecisionAttrName);
    if (precision.empty() && known)
      return success();
    std::optional<Precision> parsed =
        symbolizePrecision(precision.empty() ? "high" : StringRef(precision));
    if (!parsed)
      return emitError(module.getLoc())
             << "expects a precision of highest, high or medium, but got '"
             << precision << "'";
    return attach(TargetDialect::kPrecisionAttrName, known,
                  PrecisionAttr::get(&getContext(), *parsed));
  }

  LogicalResult attachDeviceTargets() {
    if (deviceTargets.empty())
      return success();
    ModuleOp module = getOperation();
    // Whoever reads this has the option before them, not a place in a file.
    std::string reason;
    Attribute parsed;
    {
      ScopedDiagnosticHandler handler(&getContext(), [&](Diagnostic &diag) {
        if (reason.empty() && diag.getSeverity() == DiagnosticSeverity::Error)
          reason = diag.str();
      });
      parsed = parseAttribute("{" + deviceTargets + "}", &getContext());
    }
    if (!isa_and_nonnull<DictionaryAttr>(parsed)) {
      // MLIR's text is about its own option.
      bool isUnknown = StringRef(reason).contains("unregistered dialect");
      if (isUnknown)
        reason = "its dialect is not known";
      InFlightDiagnostic diag = emitError(module.getLoc());
      diag << "expects targets of devices, such as \"kind = #dialect.target\", "
              "but got '"
           << deviceTargets << "'" << (reason.empty() ? "" : ": ") << reason;
      if (isUnknown)
        diag.attachNote() << "--load-dialect-plugin loads the plugin that has "
                             "it; in Python, load_dialect_plugin, before the "
                             "module is made";
      return diag;
    }
    StringRef name = TargetDialect::kDeviceSpecsAttrName;
    return attach(name, module->getAttr(name), parsed);
  }

  /// Passes may have relied on what is there: a module with another label would
  /// lie about how it was made.
  LogicalResult attach(StringRef name, Attribute known, Attribute value) {
    ModuleOp module = getOperation();
    if (known && known != value) {
      InFlightDiagnostic diag = emitError(module.getLoc());
      diag << "expects the " << name << " that the module has, " << known
           << ", but got " << value;
      diag.attachNote() << "start from a module without the attribute";
      return diag;
    }
    module->setAttr(name, value);
    return success();
  }
};

} // namespace
