//===- RunStatistics.h - What a run of VTA has done -------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TOOLS_RELAY_VTA_SIM_RUNSTATISTICS_H
#define RELAY_MLIR_TOOLS_RELAY_VTA_SIM_RUNSTATISTICS_H

#include "relay-mlir/Runtime/VTA/Simulator.h"
#include "llvm/Support/raw_ostream.h"

namespace relay_vta_sim {

/// Prints bytes and micro-ops; with `timing`, cycles, utilisation, stalls and
/// the place in the roofline.
void printStatistics(const relay_vta::Program &program,
                     const relay_vta::Profile &profile,
                     const relay_vta::Timing *timing, llvm::raw_ostream &os);

/// Writes what each stage did when, for Perfetto or chrome://tracing. A cycle
/// is a microsecond there.
void writeTrace(const relay_vta::Program &program,
                const relay_vta::Timing &timing, llvm::raw_ostream &os);

} // namespace relay_vta_sim

#endif // RELAY_MLIR_TOOLS_RELAY_VTA_SIM_RUNSTATISTICS_H
