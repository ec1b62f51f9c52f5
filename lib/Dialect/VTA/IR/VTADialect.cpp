//===- VTADialect.cpp - The vta dialect -----------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/VTA/IR/VTA.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::vta;

#include "relay-mlir/Dialect/VTA/IR/VTADialect.cpp.inc"
#include "relay-mlir/Dialect/VTA/IR/VTAEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "relay-mlir/Dialect/VTA/IR/VTAAttributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "relay-mlir/Dialect/VTA/IR/VTATypes.cpp.inc"

namespace {

/// Most lines of a program have a token.
struct VTAAsmInterface : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Type type, raw_ostream &os) const override {
    auto token = dyn_cast<TokenType>(type);
    if (!token)
      return AliasResult::NoAlias;
    os << stringifyStage(token.getFrom()) << "_to_"
       << stringifyStage(token.getTo());
    return AliasResult::FinalAlias;
  }
};

} // namespace

void VTADialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "relay-mlir/Dialect/VTA/IR/VTAAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "relay-mlir/Dialect/VTA/IR/VTATypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "relay-mlir/Dialect/VTA/IR/VTAOps.cpp.inc"
      >();
  addInterfaces<VTAAsmInterface>();
}

//===----------------------------------------------------------------------===//
// Configurations
//===----------------------------------------------------------------------===//

namespace {

/// A parameter of the attribute: its name, and the logarithm that stands for
/// it.
struct Parameter {
  StringRef name;
  uint32_t relay_vta::Config::*log;
};

} // namespace

static constexpr unsigned kNumParameters = 10;
/// Those that are printed also if they are as in the default.
static constexpr unsigned kNumPrinted = 2;

static ArrayRef<Parameter> getParameters() {
  using relay_vta::Config;
  static const Parameter parameters[kNumParameters] = {
      {"batch", &Config::batch},          {"block", &Config::block},
      {"inp", &Config::inpWidth},         {"wgt", &Config::wgtWidth},
      {"acc", &Config::accWidth},         {"uop_buffer", &Config::uopBuffer},
      {"inp_buffer", &Config::inpBuffer}, {"wgt_buffer", &Config::wgtBuffer},
      {"acc_buffer", &Config::accBuffer}, {"bus", &Config::busWidth}};
  return parameters;
}

static SmallVector<uint64_t> getValues(const relay_vta::Config &config) {
  return llvm::map_to_vector(getParameters(), [&](const Parameter &parameter) {
    return uint64_t(1) << config.*parameter.log;
  });
}

static SmallVector<uint64_t> getValues(ConfigAttr attr) {
  return {attr.getBatch(),     attr.getBlock(),     attr.getInp(),
          attr.getWgt(),       attr.getAcc(),       attr.getUopBuffer(),
          attr.getInpBuffer(), attr.getWgtBuffer(), attr.getAccBuffer(),
          attr.getBus()};
}

static ConfigAttr getConfigAttr(MLIRContext *context, ArrayRef<uint64_t> v) {
  return ConfigAttr::get(context, v[0], v[1], v[2], v[3], v[4], v[5], v[6],
                         v[7], v[8], v[9]);
}

ConfigAttr ConfigAttr::get(MLIRContext *context,
                           const relay_vta::Config &config) {
  return getConfigAttr(context, getValues(config));
}

static relay_vta::Config makeConfig(ArrayRef<uint64_t> values) {
  relay_vta::Config config;
  for (auto [parameter, value] : llvm::zip_equal(getParameters(), values))
    config.*parameter.log = llvm::Log2_64(value);
  return config;
}

relay_vta::Config ConfigAttr::getConfig() const {
  return makeConfig(getValues(*this));
}

StringRef ConfigAttr::getKind() const { return kDeviceKind; }

std::string ConfigAttr::getDescription() const {
  return "VTA " + relay_vta::getConfigName(getConfig());
}

/// What does not fit is told with the tile that it comes from, when programs
/// are made.
SmallVector<relay::MemoryInfo> ConfigAttr::getMemories() const {
  using namespace relay;
  return {{kInp, MemorySharing::Kernel, MemoryAccess::Elements, 0},
          {kWgt, MemorySharing::Kernel, MemoryAccess::Elements, 0},
          {kAcc, MemorySharing::Kernel, MemoryAccess::Elements, 0}};
}

LogicalResult ConfigAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 uint64_t batch, uint64_t block, uint64_t inp,
                                 uint64_t wgt, uint64_t acc, uint64_t uopBuffer,
                                 uint64_t inpBuffer, uint64_t wgtBuffer,
                                 uint64_t accBuffer, uint64_t bus) {
  uint64_t values[] = {batch,     block,     inp,       wgt,       acc,
                       uopBuffer, inpBuffer, wgtBuffer, accBuffer, bus};
  for (auto [parameter, value] : llvm::zip_equal(getParameters(), values))
    if (!llvm::isPowerOf2_64(value))
      return emitError() << "expects a power of 2 for " << parameter.name
                         << ", but got " << static_cast<int64_t>(value);
  std::string message = relay_vta::checkConfig(makeConfig(values));
  if (!message.empty())
    return emitError() << message;
  return success();
}

void ConfigAttr::print(AsmPrinter &printer) const {
  SmallVector<uint64_t> values = getValues(*this);
  SmallVector<uint64_t> defaults = getValues(relay_vta::Config());
  printer << '<';
  for (auto [i, parameter] : llvm::enumerate(getParameters())) {
    if (i >= kNumPrinted && values[i] == defaults[i])
      continue;
    printer << (i ? ", " : "") << parameter.name << " = " << values[i];
  }
  printer << '>';
}

Attribute ConfigAttr::parse(AsmParser &parser, Type) {
  SmallVector<uint64_t> values = getValues(relay_vta::Config());
  llvm::SmallBitVector seen(kNumParameters);
  SMLoc begin = parser.getCurrentLocation();
  auto parseParameter = [&]() -> ParseResult {
    StringRef name;
    SMLoc location = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    const auto *it = llvm::find_if(
        getParameters(), [&](const Parameter &p) { return p.name == name; });
    if (it == getParameters().end())
      return parser.emitError(location, "expects one of batch, block, inp, "
                                        "wgt, acc, uop_buffer, inp_buffer, "
                                        "wgt_buffer, acc_buffer and bus, but "
                                        "got ")
             << name;
    auto index = static_cast<unsigned>(it - getParameters().begin());
    if (seen.test(index))
      return parser.emitError(location, "expects ") << name << " once";
    seen.set(index);
    return failure(parser.parseEqual() || parser.parseInteger(values[index]));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseParameter))
    return {};
  return parser.getChecked<ConfigAttr>(
      begin, parser.getContext(), values[0], values[1], values[2], values[3],
      values[4], values[5], values[6], values[7], values[8], values[9]);
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

LogicalResult TokenType::verify(function_ref<InFlightDiagnostic()> emitError,
                                Stage from, Stage to) {
  // Only neighbours have queues.
  if ((from == Stage::Compute) == (to == Stage::Compute))
    return emitError() << "expects a token between compute and load or store, "
                          "but got "
                       << stringifyStage(from) << " to " << stringifyStage(to);
  return success();
}
