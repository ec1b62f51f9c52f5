//===- CPUFeatures.h - What this CPU can do ---------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_CPUFEATURES_H
#define RELAY_MLIR_LIB_RUNTIME_CPUFEATURES_H

#include <string>

namespace relay_rt {

/// Returns those of `features` (LLVM's names, comma separated) that this CPU or
/// its operating system lacks, in the same form. A name that this run time does
/// not know counts as lacking.
std::string getMissingFeatures(const char *features);

} // namespace relay_rt

#endif // RELAY_MLIR_LIB_RUNTIME_CPUFEATURES_H
