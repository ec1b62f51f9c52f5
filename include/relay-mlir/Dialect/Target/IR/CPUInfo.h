//===- CPUInfo.h - What is known of a processor -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_TARGET_IR_CPUINFO_H
#define RELAY_MLIR_DIALECT_TARGET_IR_CPUINFO_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/LLVM.h"
#include "llvm/TargetParser/Triple.h"

#include <string>
#include <vector>

namespace mlir::relay {

/// Sizes in bytes of the data caches that one core sees; 0 if there is none.
struct CacheSizes {
  int64_t l1 = 32 << 10;
  int64_t l2 = 1 << 20;
  int64_t l3 = 8 << 20;
};

class CPUAttr;

/// What scheduling and code generation know of a processor: all that follows
/// from a `#target.cpu`.
class CPUInfo {
public:
  /// Reads a description:
  ///
  ///     native | <cpu> | x86-64[-v2|-v3|-v4] | aarch64[-<cpu>]
  ///
  /// followed by any number of `,+<feature>` and `,-<feature>`. CPUs and
  /// features have LLVM's names. A wrong one is reported through `emitError`,
  /// with what would be right. The environment variable RELAY_NATIVE_TARGET, a
  /// description, says what `native` stands for where that is not the processor
  /// that runs the compiler.
  static FailureOr<CPUInfo>
  parse(StringRef description,
        llvm::function_ref<InFlightDiagnostic()> emitError);

  /// The processor of `#target.cpu` with these parameters. Caches of 0 bytes
  /// are as the name of the CPU has it.
  static FailureOr<CPUInfo>
  get(StringRef triple, StringRef cpu, StringRef features, CacheSizes caches,
      llvm::function_ref<InFlightDiagnostic()> emitError);

  /// The processor that runs the compiler.
  static CPUInfo getNative();

  /// The attribute that this follows from.
  CPUAttr getAttr(MLIRContext *context) const;

  const llvm::Triple &getTriple() const { return triple; }
  StringRef getCPU() const { return cpu; }
  bool isX86() const { return triple.isX86(); }
  bool isAArch64() const { return triple.isAArch64(); }

  /// Changes to the features of the CPU, as LLVM reads them: "+a,-b".
  StringRef getFeatureString() const { return featureString; }

  /// The CPU whose pipelines code is laid out for, if not that of the target;
  /// else empty.
  StringRef getTuneCPU() const;

  /// Whether the target has the feature, be it through its CPU or by name.
  bool hasFeature(StringRef feature) const;

  /// Size of the largest vector registers that code should use.
  int64_t getVectorBits() const { return vectorBits; }

  /// Registers that hold vectors.
  int64_t getNumVectorRegisters() const {
    return isAArch64() || hasFeature("avx512vl") ? 32 : 16;
  }

  /// Whether loads and stores of a part of a vector are as fast as those of
  /// all of it.
  bool hasMaskedAccess() const { return hasFeature("avx512vl"); }

  /// Whether a fused multiply-add is one instruction.
  bool hasFMA() const { return isAArch64() || hasFeature("fma"); }

  /// Whether there are matrix registers (AMX), and instructions that multiply
  /// tiles of bf16, or of bytes.
  bool hasTiles(bool isFloat = true) const;

  const CacheSizes &getCacheSizes() const { return caches; }

  /// Bytes that the buffers of a kernel may take of the stack; those of threads
  /// have some megabytes.
  static constexpr int64_t kMaxStackBytes = 1 << 20;

  /// The features, comma separated, that generated code may use and that the
  /// run time must find before it calls such code.
  std::string getRequiredFeatures() const;

  /// A text that is equal for two targets exactly if code for one is code for
  /// the other.
  std::string getKey() const;

private:
  /// Appends changes, each "+<feature>" or "-<feature>".
  LogicalResult addFeatures(ArrayRef<StringRef> changes,
                            llvm::function_ref<InFlightDiagnostic()> emitError);
  /// Looks up in LLVM's tables what the CPU and the feature string imply.
  void resolveFeatures();

  llvm::Triple triple;
  std::string cpu;
  std::string featureString;
  /// All features that the target has, sorted.
  std::vector<std::string> features;
  int64_t vectorBits = 128;
  CacheSizes caches;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_TARGET_IR_CPUINFO_H
