//===- Options.h - How a model is compiled ----------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PIPELINES_OPTIONS_H
#define RELAY_MLIR_PIPELINES_OPTIONS_H

#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace mlir::relay {

/// How exactly results are computed in f32; docs/Precision.md has the bounds.
enum class Precision {
  /// No operator is less exact than sums of products in f32: no Winograd, and
  /// on matrix units (AMX) each operand is three pieces of bf16.
  Highest,
  /// Networks err at most ten times as much as in f32, and 1e-4 of the scale of
  /// their outputs: on matrix units, operands are two or three pieces of bf16,
  /// as tir::chooseProductTerms() finds.
  High,
  /// As High, but operands are rounded to bf16: on matrix units both, elsewhere
  /// constant weights of a few rows, which come from memory in half the time.
  Medium,
};

/// Returns the precision called `name` in `--precision=`, if there is one.
std::optional<Precision> parsePrecision(llvm::StringRef name);
llvm::StringRef getPrecisionName(Precision precision);

/// Whether there is an optimisation level of that number.
constexpr bool isOptLevel(int level) { return level >= 0 && level <= 3; }

/// What tools and the Python package may choose about a compilation.
struct CompileOptions {
  /// A target as TargetInfo::parse() reads it: "native", "x86-64-v3", ...
  std::string target = "native";

  /// 0: no graph optimisation beyond what lowering needs, each operator is a
  /// kernel of its own; 1: constants are folded too; 2: operators are fused;
  /// 3: convolutions run with channels last. There are no others.
  int optLevel = 3;

  Precision precision = Precision::High;

  /// Whether products that matrix units (AMX) can compute take them also where
  /// they are estimated to be slower, for tests.
  bool forceMatrixTiles = false;

  /// The layout of convolutions: `NHWC`, `NCHW`, `nn.conv2d=NHWC:OHWI` or a
  /// list of such, by commas, as of --relay-convert-layout; `default` leaves
  /// them as they are. Empty: channels last at optLevel 3, where this pays.
  std::string desiredLayout;

  /// The object cache; an empty folder means the default one.
  bool useCache = true;
  std::string cacheDir;

  /// A file of schedules, or a folder of such files, for some or all kernels;
  /// the rules schedule the others. Empty for none.
  std::string schedules;

  /// A folder to write the schedule of each kernel to; empty for none.
  std::string saveSchedules;

  /// Prints the time of each pass, and of each phase, to standard error.
  bool timing = false;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_PIPELINES_OPTIONS_H
