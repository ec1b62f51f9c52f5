//===- DeviceTargets.cpp - Names of targets with devices ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceTargets.h"

#include "relay-mlir/Dialect/CUDA/IR/CUDA.h"
#include "relay-mlir/Dialect/VTA/IR/VTA.h"
#include "relay-mlir/Target/CUDA/NativeArch.h"

using namespace mlir;
using namespace mlir::relay;

/// The oldest one whose code runs, by way of PTX, on all later ones.
static constexpr StringLiteral kDefaultArch = "sm_80";

/// Reads "cuda -arch=sm_90a -code=cubin" and returns the attribute's text.
static std::string parseCUDA(StringRef text, std::string &error) {
  StringRef arch = kDefaultArch, code = "ptx";
  std::string native;
  for (StringRef word : llvm::split(text, ' ')) {
    if (word.empty() || word == cuda::kDeviceKind)
      continue;
    if (word.consume_front("-arch="))
      arch = word;
    else if (word.consume_front("-code="))
      code = word;
    else
      error = "expects -arch=<architecture> or -code=<ptx, cubin or mlir> "
              "after cuda, but got '" +
              word.str() + "'";
  }
  if (error.empty() && arch == "native")
    arch = native = cuda::findNativeArch(error);
  if (error.empty() && !cuda::lookupArch(arch))
    error = "expects native or an architecture of " + cuda::getArchNames() +
            ", but got '" + arch.str() + "'";
  if (error.empty() && code != "ptx" && code != "cubin" && code != "mlir")
    error = "expects code in the form ptx, cubin or mlir, but got '" +
            code.str() + "'";
  return "#cuda.gpu<\"" + arch.str() + "\", code = \"" + code.str() + "\">";
}

/// Reads "vta -config=1x16_i8w8a32_15_15_18_17" and returns the attribute's
/// text.
static std::string parseVTA(StringRef text, std::string &error) {
  relay_vta::Config config;
  for (StringRef word : llvm::split(text, ' ')) {
    if (word.empty() || word == vta::kDeviceKind)
      continue;
    if (!word.consume_front("-config="))
      error = "expects -config=<name> after vta, but got '" + word.str() + "'";
    else
      error = relay_vta::parseConfigName(word.str(), config);
    if (error.empty())
      error = relay_vta::checkConfig(config);
    if (!error.empty())
      return {};
  }
  MLIRContext context;
  context.loadDialect<vta::VTADialect>();
  std::string attribute;
  llvm::raw_string_ostream(attribute) << vta::ConfigAttr::get(&context, config);
  return attribute;
}

/// Whether a target is a name with options, as --target has them, and no
/// attribute.
static bool isNamed(StringRef target) {
  StringRef kind = target.split(' ').first;
  return kind == cuda::kDeviceKind || kind == vta::kDeviceKind;
}

static std::string parseNamed(StringRef target, std::string &error) {
  return target.split(' ').first == vta::kDeviceKind ? parseVTA(target, error)
                                                     : parseCUDA(target, error);
}

/// Writes attributes for names in "kind = target, ...". Commas in attributes
/// divide nothing.
static std::string resolveNames(std::string &targets) {
  std::string resolved, error;
  StringRef rest = targets;
  while (!rest.empty()) {
    int depth = 0;
    bool isQuoted = false;
    size_t size = 0;
    for (; size != rest.size(); ++size) {
      char c = rest[size];
      if (c == '"')
        isQuoted = !isQuoted;
      if (isQuoted)
        continue;
      depth += StringRef("<([{").contains(c) - StringRef(">)]}").contains(c);
      if (c == ',' && depth == 0)
        break;
    }
    StringRef entry = rest.take_front(size);
    rest = rest.drop_front(std::min(size + 1, rest.size()));
    auto [kind, target] = entry.split('=');
    resolved += resolved.empty() ? "" : ",";
    if (!isNamed(target.trim())) {
      resolved += entry;
      continue;
    }
    resolved += (kind + "= " + parseNamed(target.trim(), error)).str();
    if (!error.empty())
      return error;
  }
  targets = resolved;
  return {};
}

std::string mlir::relay::resolveDeviceTargets(CompileOptions &options) {
  if (std::string error = resolveNames(options.deviceTargets); !error.empty())
    return error;
  if (!options.target)
    return {};
  std::string text = *options.target;
  auto [first, rest] = StringRef(text).split(',');
  StringRef kind = first.split(' ').first;
  bool isVTA = kind == vta::kDeviceKind;
  bool isDevice = isNamed(first);
  for (StringRef other : llvm::split(rest, ',')) {
    other = other.split(' ').first;
    if (other != cuda::kDeviceKind && other != vta::kDeviceKind)
      continue;
    return isDevice ? ("expects one of cuda and vta, and then the processor, "
                       "but got '" +
                       text + "'")
                    : ("expects " + other + " before the processor, as in '" +
                       other + ",native', but got '" + text + "'")
                          .str();
  }
  if (!isDevice)
    return {};
  std::string error;
  std::string attribute = parseNamed(first, error);
  if (!error.empty())
    return error;
  // The processor of the host may be left to be found out.
  if (rest.empty() || (isVTA && rest == DeviceAttr::kCPUKind))
    options.target.reset();
  else
    options.target = rest.str();
  options.deviceTargets += (options.deviceTargets.empty() ? "" : ", ") +
                           (kind + " = " + attribute).str();
  // A GPU runs the whole model, VTA the parts that it can.
  if (isVTA)
    options.offloadKind = kind.str();
  else
    options.device = (kind + ":0").str();
  return {};
}
