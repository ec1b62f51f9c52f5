//===- Driver.h - What drives a VTA -----------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever runs programs needs memory that the accelerator sees, copies to and
// from it, and a way to start it. A simulator has these, and so would a board.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_RUNTIME_VTA_DRIVER_H
#define RELAY_MLIR_RUNTIME_VTA_DRIVER_H

#include "relay-mlir/Runtime/VTA/Simulator.h"

namespace relay_vta {

class Driver {
public:
  virtual ~Driver() = default;

  /// What the accelerator is made of.
  virtual const Config &getConfig() const = 0;

  /// Memory without gaps at an address that is a multiple of kPageBytes; 0 if
  /// there is none. `bytes` is not 0.
  virtual uint64_t allocate(uint64_t bytes) = 0;
  virtual void release(uint64_t address) = 0;

  /// Copies to and from memory; false if a part of it is not allocated.
  virtual bool write(uint64_t address, const void *from, uint64_t bytes) = 0;
  virtual bool read(uint64_t address, void *to, uint64_t bytes) = 0;

  /// Runs instructions that are in memory, and waits until they have run.
  virtual RunStatus run(uint64_t address, uint64_t count) = 0;

  /// How long the last run took, without a trace; null if nobody knows.
  virtual const Timing *getTiming() const { return nullptr; }
};

enum class SimulatorKind { Functional, Cycle };

/// A simulator with up to `capacity` bytes of memory. `config` must be one that
/// checkConfig accepts.
std::unique_ptr<Driver> makeSimulatorDriver(const Config &config,
                                            SimulatorKind kind,
                                            uint64_t capacity,
                                            const RunOptions &options = {});

/// Moves a program to another address of memory, a multiple of kPageBytes.
/// Returns why it cannot be there; empty if it is.
std::string relocate(Program &program, uint64_t dramBase);

} // namespace relay_vta

#endif // RELAY_MLIR_RUNTIME_VTA_DRIVER_H
