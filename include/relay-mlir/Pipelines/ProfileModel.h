//===- ProfileModel.h - Where the time of a run goes ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PIPELINES_PROFILEMODEL_H
#define RELAY_MLIR_PIPELINES_PROFILEMODEL_H

#include "relay-mlir-c/Runtime.h"
#include "relay-mlir/Support/MachinePeak.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <utility>
#include <vector>

namespace mlir::relay {

struct ProfileOptions {
  int repeat = 50;
  int warmUp = 5;
};

/// All calls of one kernel on one device, per run of the model.
struct KernelProfile {
  /// The device that runs it, such as "cpu:0"; where a copy ends.
  std::string device;
  /// The fused relay function that the kernel came from; its name says what is
  /// fused. Equal kernels share the name of the first. "(program)" is what a
  /// program of several functions does between kernels, its calls those of
  /// functions of tensors.
  std::string name;
  int64_t numCalls = 0;
  double minSeconds = 0, medianSeconds = 0;
  /// Part of the sum of the medians of all kernels.
  double share = 0;
  /// Arithmetic operations, and bytes of inputs and outputs; -1 if unknown.
  int64_t flops = 0, bytes = 0;
  /// The part of the time of all threads in which one is at work; -1 on devices
  /// that are no processor, whose threads nobody counts.
  double busy = 0;
  /// What the device has counted, such as cycles; empty if nothing.
  std::vector<std::pair<std::string, int64_t>> counters;
};

/// What was measured of some runs.
class ModelProfile {
public:
  /// Kernels, those that take longest first.
  std::vector<KernelProfile> getKernels() const;

  /// Time from the start of the first kernel to the end of the last one; of a
  /// program, the time of a call.
  double getMedianSeconds() const;
  int getNumRuns() const { return static_cast<int>(runs.size()); }

  /// Writes a table. A share of the roofline is the time that the machine's
  /// limits would allow for a kernel over the time that it took; there is none
  /// on devices that are no processor. What devices have counted is in a second
  /// table.
  void print(llvm::raw_ostream &os, const MachinePeak &peak) const;

  /// Writes all runs in the format of chrome://tracing, which Perfetto reads: a
  /// row of kernels, and for each thread one of the pieces of parallel loops
  /// that it ran.
  void writeTrace(llvm::raw_ostream &os) const;

private:
  friend class ProfileRecorder;

  /// One kernel call of the artefact.
  struct Call {
    std::string kernel, function, source, device;
    int64_t flops, bytes;
  };
  /// A kernel call of a run, in seconds since the first run; the time of all
  /// threads in which one is at work.
  struct Step {
    size_t call;
    double start, end, busy;
    std::vector<std::pair<std::string, int64_t>> counters;
  };
  /// A piece of a parallel loop of a step, in seconds since the first run.
  struct Piece {
    int thread;
    size_t step;
    int64_t begin, end;
    double startTime, endTime;
  };
  struct Run {
    double start = 0, end = 0;
    /// In the order of time. What is between them is bytecode.
    std::vector<Step> steps;
    /// What each thread did, in the order of time.
    std::vector<Piece> pieces;
    /// How often functions of tensors were called.
    int64_t numFunctions = 0;
  };

  static void printCounters(llvm::raw_ostream &os,
                            llvm::ArrayRef<KernelProfile> kernels,
                            size_t nameWidth);

  /// Whether there is something between kernels.
  bool isProgram = false;
  int numThreads = 1;
  /// How many devices the model runs on.
  int numDevices = 1;
  std::vector<Call> calls;
  std::vector<Run> runs;
};

/// Runs `module` on `inputs` and takes the time of every kernel call; a copy
/// between two kernels counts for the second one. The module must not be run by
/// others meanwhile; its observers are removed.
llvm::Expected<ModelProfile>
profileModel(RelayModule *module, llvm::ArrayRef<const DLTensor *> inputs,
             const ProfileOptions &options);

/// The same of a function of a program.
llvm::Expected<ModelProfile>
profileProgram(RelayModule *module, const std::string &function,
               llvm::ArrayRef<RelayValue *> arguments,
               const ProfileOptions &options);

} // namespace mlir::relay

#endif // RELAY_MLIR_PIPELINES_PROFILEMODEL_H
