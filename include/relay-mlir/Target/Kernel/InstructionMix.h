//===- InstructionMix.h - Instructions of compiled kernels ------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TARGET_KERNEL_INSTRUCTIONMIX_H
#define RELAY_MLIR_TARGET_KERNEL_INSTRUCTIONMIX_H

#include "relay-mlir/Dialect/Target/IR/CPUInfo.h"

#include <string>
#include <vector>

namespace mlir::relay {

/// The arithmetic instructions in a kernel's code, by what they do and on
/// which registers: "fma ymm", "mul xmm scalar", "tdpbf16ps tmm".
struct InstructionMix {
  struct Family {
    std::string name;
    int64_t count;
    bool isVector;
  };
  /// Those that occur most often first.
  std::vector<Family> families;

  bool hasVectors() const;
  /// "fma ymm (96), add ymm (4)"; empty if there is no arithmetic.
  std::string describe() const;
};

/// Disassembles the code of a relocatable object.
InstructionMix getInstructionMix(StringRef object, const CPUInfo &target);

} // namespace mlir::relay

#endif // RELAY_MLIR_TARGET_KERNEL_INSTRUCTIONMIX_H
