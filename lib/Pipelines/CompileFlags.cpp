//===- CompileFlags.cpp - Options of a compilation on a command line ------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Pipelines/CompileFlags.h"

#include "relay-mlir/Support/OptionUse.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::relay;
namespace cl = llvm::cl;

CompileFlags::CompileFlags(cl::OptionCategory &category)
    : target(
          "target",
          cl::desc("Processor: native, an LLVM CPU name, x86-64-v2, -v3, -v4, "
                   "aarch64, each with ,+feature,-feature (default: that of "
                   "the module, else native); before it and a comma, what "
                   "computes the model, or parts of it: cuda[ -arch=sm_90a], "
                   "vta"),
          cl::cat(category)),
      deviceTargets("device-targets",
                    cl::desc("Targets of devices that are no processor, by "
                             "their kind: \"npu = #npu.core<lanes = 8>, "
                             "cuda = cuda -arch=sm_90a, ...\" "
                             "(default: those of the module)"),
                    cl::cat(category)),
      executor("executor",
               cl::desc("What runs the program: aot, native code (default); "
                        "vm, bytecode that calls native functions of tensors; "
                        "graph, one native function of tensors, and the graph "
                        "of its kernels in a .json beside the output"),
               cl::init("aot"), cl::cat(category)),
      optLevel("O", cl::Prefix,
               cl::desc("0: no folding and no fusion; 1: folding; "
                        "2: fusion too; 3: layouts too (default)"),
               cl::init(CompileOptions().optLevel), cl::cat(category)),
      precision("precision",
                cl::desc("How exactly results are computed in f32: highest "
                         "(plain f32, as ONNX Runtime), high (default), "
                         "medium (bf16 operands)"),
                cl::cat(category)),
      forceMatrixTiles("force-matrix-tiles",
                       cl::desc("Use matrix units (AMX) also where that is "
                                "estimated to be slower"),
                       cl::cat(category)),
      desiredLayout("desired-layout",
                    cl::desc("Layout of convolutions: NHWC, NCHW, "
                             "nn.conv2d=NHWC:OHWI, ...; default leaves them as "
                             "they are (without: NHWC with -O3, where it "
                             "pays)"),
                    cl::cat(category)),
      integerRegions("integer-regions",
                     cl::desc("Whether floats between integers (QDQ) are "
                              "computed in integers: on (default, where it is "
                              "faster), off, hard-fail (or it is an error), "
                              "use-qat (also where no quantizer comes after), "
                              "or both, by a comma"),
                     cl::init("on"), cl::cat(category)),
      externalFallback("external-fallback",
                       cl::desc("Compile what other code generators fail at, "
                                "after a warning"),
                       cl::cat(category)),
      vtaSearch("vta-search",
                cl::desc("How many tiles of each kernel for VTA are tried on "
                         "the cycle simulator; 0 takes the one that is "
                         "estimated to be fastest"),
                cl::init(CompileOptions().vtaSearch), cl::value_desc("count"),
                cl::cat(category)),
      noCache("no-cache", cl::desc("Neither read nor write the object cache"),
              cl::cat(category)),
      cacheDir("cache-dir",
               cl::desc("The object cache (default: $RELAY_CACHE_DIR, else "
                        "relay-mlir in the user's cache folder)"),
               cl::cat(category)) {}

llvm::ArrayRef<StringRef> CompileFlags::getNames() {
  static constexpr StringRef kNames[] = {
      "target",    "device-targets",     "executor",        "O",
      "precision", "force-matrix-tiles", "desired-layout",  "no-cache",
      "cache-dir", "external-fallback",  "integer-regions", "vta-search"};
  return kNames;
}

std::optional<CompileOptions> CompileFlags::get() const {
  CompileOptions options;
  if (target.getNumOccurrences())
    options.target = target;
  options.deviceTargets = deviceTargets;
  std::optional<ExecutorKind> kind = parseExecutorKind(executor);
  if (!kind) {
    llvm::errs() << "error: expects --executor=aot, vm or graph, but got '"
                 << executor << "'\n";
    return std::nullopt;
  }
  options.executor = *kind;
  options.optLevel = optLevel;
  options.forceMatrixTiles = forceMatrixTiles;
  options.desiredLayout = desiredLayout;
  options.externalFallback = externalFallback;
  std::optional<IntegerRegions> regions = IntegerRegions::parse(integerRegions);
  if (!regions) {
    llvm::errs() << "error: expects --integer-regions="
                 << IntegerRegions::kExpected << ", but got '" << integerRegions
                 << "'\n";
    return std::nullopt;
  }
  options.integerRegions = *regions;
  options.vtaSearch = vtaSearch;
  options.useCache = !noCache;
  options.cacheDir = cacheDir;
  if (!isOptLevel(options.optLevel)) {
    llvm::errs() << "error: expects -O0, -O1, -O2 or -O3, but got -O"
                 << options.optLevel << '\n';
    return std::nullopt;
  }
  options.precision = symbolizePrecision(precision);
  if (precision.getNumOccurrences() && !options.precision) {
    llvm::errs() << "error: expects --precision=highest, high or medium, but "
                    "got '"
                 << precision << "'\n";
    return std::nullopt;
  }
  if (noCache && failed(refuseOptions({"cache-dir"}, "with --no-cache")))
    return std::nullopt;
  if (options.optLevel == 0 &&
      failed(refuseOptions({"desired-layout", "integer-regions"}, "with -O0")))
    return std::nullopt;
  return options;
}
