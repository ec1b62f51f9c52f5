//===- Options.h - How a model is compiled ----------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PIPELINES_OPTIONS_H
#define RELAY_MLIR_PIPELINES_OPTIONS_H

#include "relay-mlir/Dialect/Target/IR/Target.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace mlir::relay {

class Report;

/// The normal forms of a module (docs/Architecture.md), in the order in which a
/// compilation goes through them.
enum class NormalForm {
  RelayTyped,
  RelayFused,
  RelaxKernels,
  TIRScheduled,
  RelaxExecutable
};

/// Returns the form called `name`, such as "relay-fused", if there is one.
std::optional<NormalForm> parseNormalForm(llvm::StringRef name);

/// What runs a compiled program.
enum class ExecutorKind {
  /// Native code: one function of tensors if the program is that, and else
  /// several, and the code that calls them.
  AOT,
  /// Bytecode that calls native functions of tensors.
  VM,
  /// One native function of tensors, which calls the kernels of a graph.
  Graph
};

/// Returns the kind called "aot", "vm" or "graph".
std::optional<ExecutorKind> parseExecutorKind(llvm::StringRef name);

/// Whether there is an optimisation level of that number.
constexpr bool isOptLevel(int level) { return level >= 0 && level <= 3; }

/// What becomes of floats between integers, as graphs of ONNX have them around
/// DequantizeLinear and QuantizeLinear.
struct IntegerRegions {
  /// Whether they are computed in integers, where that is faster.
  bool enabled = true;
  /// Whether it is an error if that cannot be.
  bool hardFail = false;
  /// Whether operators become integers that no quantizer comes after.
  bool useQat = false;

  static constexpr llvm::StringLiteral kExpected =
      "on, off, hard-fail, use-qat or hard-fail,use-qat";
  /// Reads one of these.
  static std::optional<IntegerRegions> parse(llvm::StringRef text);
};

/// What tools and the Python package may choose about a compilation.
struct CompileOptions {
  /// A target as CPUInfo::parse() reads it: "native", "x86-64-v3", ...; none
  /// for that of the module, which is "native" if it has none. A kind of
  /// devices before it, such as "cuda -arch=sm_90a,x86-64-v3", is where the
  /// model runs, or, as "vta,cpu", what it can of the model.
  std::optional<std::string> target;

  ExecutorKind executor = ExecutorKind::AOT;
  /// Whether it is a program of functions of objects, which calls functions of
  /// tensors, whatever it looks like; else the compiler decides. Whoever wants
  /// to know is told.
  bool hasGlue = false;
  bool *isProgram = nullptr;
  /// Where the graph of kernels goes, as JSON; empty for nowhere.
  std::string graphPath;

  /// 0: no graph optimisation beyond what lowering needs, each operator is a
  /// kernel of its own; 1: constants are folded too; 2: operators are fused;
  /// 3: convolutions run with channels last. There are no others.
  int optLevel = 3;

  /// What kernels on devices that are no processor are compiled for, as entries
  /// of `target.device_specs`: "npu = #npu.core<lanes = 8>". Empty for those of
  /// the module.
  std::string deviceTargets;

  /// Where operators run of which the module does not say it, such as "cuda:0";
  /// empty for the host.
  std::string device;

  /// A kind of devices that runs what it can of the model, number 0 of them;
  /// empty for none.
  std::string offloadKind;

  /// None for that of the module, which is High if it has none.
  std::optional<Precision> precision;

  /// The form of the module, and the one that it is brought to, if not code.
  NormalForm from = NormalForm::RelayTyped;
  std::optional<NormalForm> to;

  /// Whether products that matrix units (AMX) can compute take them also where
  /// they are estimated to be slower, for tests.
  bool forceMatrixTiles = false;

  /// The layout of convolutions: `NHWC`, `NCHW`, `nn.conv2d=NHWC:OHWI` or a
  /// list of such, by commas, as of --relay-convert-layout; `default` leaves
  /// them as they are. Empty: channels last at optLevel 3, where this pays.
  std::string desiredLayout;

  IntegerRegions integerRegions;

  /// Whether what other code generators fail at is compiled as everything else,
  /// after a warning.
  bool externalFallback = false;

  /// Whether code of others must define what it uses, as in a shared object.
  bool linksExternalCode = true;

  /// How many tiles of each kernel for VTA are tried on the cycle simulator,
  /// the fastest of which is taken; 0 takes what is estimated to be fastest.
  /// More than these are rarely of use.
  unsigned vtaSearch = 16;

  /// Sizes of open dimensions for which the model is compiled besides, each
  /// "n=1,m=8"; a run chooses by the sizes of its inputs. For aot.
  std::vector<std::string> variants;

  /// The object cache; an empty folder means the default one.
  bool useCache = true;
  std::string cacheDir;

  /// A file of schedules, or a folder of such files, for some or all kernels;
  /// the rules schedule the others. Empty for none.
  std::string schedules;

  /// A folder to write the schedule of each kernel to; empty for none.
  std::string saveSchedules;

  /// Is given copies of the scheduled kernels for devices that are no
  /// processor, if there is one.
  ModuleOp deviceKernels;

  /// Prints the time of each pass, and of each phase, to standard error.
  bool timing = false;

  /// Is told what passes do, if there is one.
  Report *report = nullptr;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_PIPELINES_OPTIONS_H
