//===- DeviceTargets.cpp - Names of targets with devices ------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceTargets.h"

#include "relay-mlir/Dialect/CUDA/IR/CUDA.h"

using namespace mlir;
using namespace mlir::relay;

/// The oldest one whose code runs, by way of PTX, on all later ones.
static constexpr StringLiteral kDefaultArch = "sm_80";

/// Reads "cuda -arch=sm_90a -code=cubin" and returns the attribute's text.
static std::string parseCUDA(StringRef text, std::string &error) {
  StringRef arch = kDefaultArch, code = "ptx";
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
  if (error.empty() && !cuda::lookupArch(arch))
    error = "expects an architecture of " + cuda::getArchNames() +
            ", but got '" + arch.str() + "'";
  if (error.empty() && code != "ptx" && code != "cubin" && code != "mlir")
    error = "expects code in the form ptx, cubin or mlir, but got '" +
            code.str() + "'";
  return "#cuda.gpu<\"" + arch.str() + "\", code = \"" + code.str() + "\">";
}

std::string mlir::relay::resolveDeviceTargets(CompileOptions &options) {
  if (!options.target)
    return {};
  std::string text = *options.target;
  auto [first, rest] = StringRef(text).split(',');
  if (first.split(' ').first != cuda::kDeviceKind)
    return {};
  std::string error;
  std::string attribute = parseCUDA(first, error);
  if (!error.empty())
    return error;
  if (rest.empty())
    options.target.reset();
  else
    options.target = rest.str();
  options.deviceTargets += (options.deviceTargets.empty() ? "" : ", ") +
                           (cuda::kDeviceKind + " = " + attribute).str();
  options.device = (cuda::kDeviceKind + ":0").str();
  return {};
}
