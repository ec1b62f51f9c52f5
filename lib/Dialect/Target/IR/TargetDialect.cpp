//===- TargetDialect.cpp - The target dialect -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Target/IR/Target.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relay;

#include "relay-mlir/Dialect/Target/IR/TargetDialect.cpp.inc"
#include "relay-mlir/Dialect/Target/IR/TargetEnums.cpp.inc"
#include "relay-mlir/Dialect/Target/IR/TargetInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "relay-mlir/Dialect/Target/IR/TargetAttributes.cpp.inc"

namespace {

/// Native processors have a hundred features, which are printed once.
struct TargetAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (!isa<CPUAttr>(attr))
      return AliasResult::NoAlias;
    os << "cpu";
    return AliasResult::FinalAlias;
  }
};

} // namespace

void TargetDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "relay-mlir/Dialect/Target/IR/TargetAttributes.cpp.inc"
      >();
  addInterfaces<TargetAsmInterface>();
}

LogicalResult
TargetDialect::verifyOperationAttribute(Operation *op,
                                        NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (name == kSpecAttrName) {
    if (!isa<TargetAttrInterface>(attribute.getValue()))
      return op->emitError("expects ")
             << name << " to be a target, such as #target.cpu, but got "
             << attribute.getValue();
    return success();
  }
  if (name == kPrecisionAttrName) {
    if (!isa<PrecisionAttr>(attribute.getValue()))
      return op->emitError("expects ")
             << name << " to be a #target.precision, but got "
             << attribute.getValue();
    return success();
  }
  return op->emitError("expects ")
         << kSpecAttrName << " or " << kPrecisionAttrName << ", but got "
         << name;
}

const CPUInfo &TargetDialect::getCPUInfo(CPUAttr attr) {
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<CPUInfo> &info = infos[attr];
  if (!info)
    info = std::make_unique<CPUInfo>(*CPUInfo::get(
        attr.getTriple(), attr.getCpu(), attr.getFeatures(),
        {attr.getL1(), attr.getL2(), attr.getL3()},
        [&] { return emitError(UnknownLoc::get(attr.getContext())); }));
  return *info;
}

//===----------------------------------------------------------------------===//
// #target.cpu
//===----------------------------------------------------------------------===//

LogicalResult CPUAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              StringRef triple, StringRef cpu,
                              StringRef features, int64_t l1, int64_t l2,
                              int64_t l3) {
  for (int64_t size : {l1, l2, l3})
    if (size < 0)
      return emitError() << "expects the bytes of a cache, but got " << size;
  return CPUInfo::get(triple, cpu, features, {l1, l2, l3}, emitError);
}

const CPUInfo &CPUAttr::getInfo() const {
  return cast<TargetDialect>(getDialect()).getCPUInfo(*this);
}

StringRef CPUAttr::getKind() const { return "cpu"; }

std::string CPUAttr::getDescription() const {
  std::string text = (getTriple() + " " + getCpu()).str();
  return getFeatures().empty() ? text : text + " " + getFeatures().str();
}

int64_t CPUAttr::getVectorBits() const { return getInfo().getVectorBits(); }

CacheSizes CPUAttr::getCacheSizes() const { return getInfo().getCacheSizes(); }

int64_t CPUAttr::getMatrixTerms(Precision precision) const {
  if (!getInfo().hasTiles())
    return 0;
  switch (precision) {
  case Precision::Highest:
    return 6;
  case Precision::High:
    return 3;
  case Precision::Medium:
    return 1;
  }
  llvm_unreachable("unknown precision");
}

//===----------------------------------------------------------------------===//
// Targets of operations
//===----------------------------------------------------------------------===//

template <typename AttrT>
static AttrT lookup(Operation *op, StringRef name) {
  for (; op; op = op->getParentOp())
    if (auto attr = op->getAttrOfType<AttrT>(name))
      return attr;
  return {};
}

TargetAttrInterface relay::lookupTarget(Operation *op) {
  return lookup<TargetAttrInterface>(op, TargetDialect::kSpecAttrName);
}

FailureOr<TargetAttrInterface> relay::getTarget(Operation *op) {
  if (TargetAttrInterface target = lookupTarget(op))
    return target;
  // Not at the operation, which would be printed whole.
  InFlightDiagnostic diag =
      emitError(op->getLoc(), "expects a target, but got none");
  diag.attachNote() << "--relay-attach-target gives the module one";
  return diag;
}

FailureOr<CPUAttr> relay::getTargetCPU(Operation *op) {
  FailureOr<TargetAttrInterface> target = getTarget(op);
  if (failed(target))
    return failure();
  if (auto cpu = dyn_cast<CPUAttr>(*target))
    return cpu;
  return emitError(op->getLoc())
         << "expects a target of kind cpu, but got " << target->getKind();
}

Precision relay::getPrecision(Operation *op) {
  auto attr = lookup<PrecisionAttr>(op, TargetDialect::kPrecisionAttrName);
  return attr ? attr.getValue() : Precision::High;
}
