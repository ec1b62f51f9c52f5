//===- TargetDialect.cpp - The target dialect -----------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Target/IR/Target.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

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

static LogicalResult verifyDeviceSpecs(Operation *op, Attribute value) {
  StringRef name = TargetDialect::kDeviceSpecsAttrName;
  auto specs = dyn_cast<DictionaryAttr>(value);
  if (!isa<ModuleOp>(op) || !specs)
    return op->emitError("expects ")
           << name << " to be a dictionary of a module, but got " << value;
  for (NamedAttribute spec : specs) {
    StringRef kind = spec.getName();
    if (!DeviceAttr::isKind(kind))
      return op->emitError("expects ")
             << name
             << " to have kinds of letters, digits and underscores, but got '"
             << kind << "'";
    if (kind == DeviceAttr::kCPUKind)
      return op->emitError("expects ")
             << name << " of kinds that are no processor, but got '" << kind
             << "', whose target is " << TargetDialect::kSpecAttrName;
    if (!isa<TargetAttrInterface>(spec.getValue()))
      return op->emitError("expects a target for devices of kind ")
             << kind << ", but got " << spec.getValue();
  }
  return success();
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
  if (name == kDeviceSpecsAttrName)
    return verifyDeviceSpecs(op, attribute.getValue());
  return op->emitError("expects ")
         << kSpecAttrName << ", " << kPrecisionAttrName << " or "
         << kDeviceSpecsAttrName << ", but got " << name;
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

SmallVector<MemoryInfo> CPUAttr::getMemories() const {
  return {{MemoryAttr::kLocal, MemorySharing::Kernel, MemoryAccess::Flat,
           CPUInfo::kMaxStackBytes}};
}

Threading CPUAttr::getThreading() const { return Threading::Pool; }

//===----------------------------------------------------------------------===//
// #target.memory
//===----------------------------------------------------------------------===//

LogicalResult MemoryAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef name) {
  if (name.empty() || name == kGlobal)
    return emitError() << "expects the name of a memory that is not the "
                          "default one, but got '"
                       << name << "'";
  return success();
}

std::optional<MemoryInfo> relay::lookupMemory(TargetAttrInterface target,
                                              StringRef name) {
  for (const MemoryInfo &memory : target.getMemories())
    if (memory.name == name)
      return memory;
  return std::nullopt;
}

std::string relay::getMemoryNames(TargetAttrInterface target) {
  std::string names(MemoryAttr::kGlobal);
  for (const MemoryInfo &memory : target.getMemories())
    names += (", " + memory.name).str();
  return names;
}

//===----------------------------------------------------------------------===//
// #target.device
//===----------------------------------------------------------------------===//

/// DLDeviceType, as the run times that have such devices call them.
static constexpr int64_t kExtension = 12;
static constexpr std::pair<int64_t, StringLiteral> kDeviceTypes[] = {
    {1, DeviceAttr::kCPUKind},
    {2, "cuda"},
    {4, "opencl"},
    {7, "vulkan"},
    {8, "metal"},
    {10, "rocm"},
    {kExtension, "ext_dev"},
    {15, "webgpu"},
    {16, "hexagon"}};

bool DeviceAttr::isKind(StringRef kind) {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  return !kind.empty() && llvm::all_of(kind, isWord);
}

LogicalResult DeviceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef kind, int64_t index) {
  if (!isKind(kind))
    return emitError() << "expects a kind of letters, digits and underscores, "
                          "but got '"
                       << kind << "'";
  if (!llvm::isInt<32>(index) || index < 0)
    return emitError() << "expects the number of a device, but got " << index;
  return success();
}

std::string DeviceAttr::getName(DeviceAttr device) {
  StringRef kind = device ? device.getKind() : StringRef(kCPUKind);
  return (kind + ":" + Twine(device ? device.getIndex() : 0)).str();
}

DictionaryAttr DeviceAttr::toVirtualDevice() const {
  int64_t type = kExtension;
  for (auto [number, name] : kDeviceTypes)
    if (getKind() == name)
      type = number;
  Builder builder(getContext());
  SmallVector<NamedAttribute> entries{
      {"device_type", builder.getI64IntegerAttr(type)},
      {"virtual_device_id", builder.getI64IntegerAttr(getIndex())}};
  if (type == kExtension && getKind() != "ext_dev")
    entries.push_back({"target", builder.getStringAttr(getKind())});
  return builder.getDictionaryAttr(entries);
}

FailureOr<DeviceAttr> DeviceAttr::fromVirtualDevice(
    DictionaryAttr device, llvm::function_ref<InFlightDiagnostic()> emitError) {
  if (auto scope = device.getAs<StringAttr>("memory_scope");
      scope && !scope.empty())
    return emitError() << "expects a device without a memory scope, but got "
                       << scope;
  for (StringRef name : {"device_type", "virtual_device_id"})
    if (auto number = device.getAs<IntegerAttr>(name);
        number && !number.getValue().isSignedIntN(32))
      return emitError() << "expects " << name << " of 32 bits, but got "
                         << number;
  auto type = device.getAs<IntegerAttr>("device_type");
  auto target = device.getAs<StringAttr>("target");
  if (!type && target && !target.empty())
    return emitError() << "expects the type of a device beside its target, 12 "
                          "for one of kind "
                       << target.getValue().split(' ').first
                       << ", but got none";
  if (!type)
    return DeviceAttr();
  StringRef kind;
  for (auto [number, name] : kDeviceTypes)
    if (type.getInt() == number)
      kind = name;
  if (kind.empty())
    return emitError() << "expects the type of a device in DLPack, such as 1 "
                          "for cpu, but got "
                       << type.getInt();
  if (type.getInt() == kExtension && target && !target.empty())
    kind = target.getValue().split(' ').first;
  // Minus one leaves the number open.
  auto index = device.getAs<IntegerAttr>("virtual_device_id");
  bool isOpen = !index || index.getInt() == -1;
  DeviceAttr result = DeviceAttr::getChecked(emitError, device.getContext(),
                                             kind, isOpen ? 0 : index.getInt());
  if (!result)
    return failure();
  return result;
}

//===----------------------------------------------------------------------===//
// #target.external_code
//===----------------------------------------------------------------------===//

StringRef ExternalCodeAttr::getKind() const { return "external_code"; }

std::string ExternalCodeAttr::getDescription() const {
  return "code of \"" + getCompiler().str() + "\"";
}

FailureOr<DeviceCode> ExternalCodeAttr::generateCode(ModuleOp) const {
  return DeviceCode{getFormat().str(), getData().str()};
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

TargetAttrInterface relay::lookupDeviceTarget(Operation *op,
                                              DeviceAttr device) {
  if (DeviceAttr::isProcessor(device))
    return lookupTarget(op);
  auto specs = lookup<DictionaryAttr>(op, TargetDialect::kDeviceSpecsAttrName);
  return specs ? specs.getAs<TargetAttrInterface>(device.getKind())
               : TargetAttrInterface();
}

FailureOr<TargetAttrInterface> relay::getDeviceTarget(Operation *op,
                                                      DeviceAttr device) {
  if (DeviceAttr::isProcessor(device))
    return getTarget(op);
  if (TargetAttrInterface target = lookupDeviceTarget(op, device))
    return target;
  InFlightDiagnostic diag = emitError(op->getLoc())
                            << "expects a target for devices of kind "
                            << device.getKind() << ", but got none";
  diag.attachNote() << "--device-targets=\"" << device.getKind()
                    << " = ...\" gives the module one";
  return diag;
}

Precision relay::getPrecision(Operation *op) {
  auto attr = lookup<PrecisionAttr>(op, TargetDialect::kPrecisionAttrName);
  return attr ? attr.getValue() : Precision::High;
}
