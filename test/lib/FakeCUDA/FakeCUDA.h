//===- FakeCUDA.h - What tests ask of a driver in software ------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the driver of FakeCUDA.cpp is like, which tests change, and what it has
// counted. FAKE_CUDA_SYMBOL, a GetFakeCUDA, finds it.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TEST_LIB_FAKECUDA_FAKECUDA_H
#define RELAY_MLIR_TEST_LIB_FAKECUDA_FAKECUDA_H

#include <cstdint>

#define FAKE_CUDA_SYMBOL "getFakeCUDA"

struct FakeCUDA {
  /// The environment variables FAKE_CUDA_VERSION, FAKE_CUDA_DEVICES and
  /// FAKE_CUDA_ARCH set these first.
  int version = 13000;
  int numDevices = 8;
  int major = 9, minor = 0;
  /// Whether devices that are used for the first time have memory pools.
  bool hasPools = true;
  /// Of each device.
  uint64_t memoryBytes = uint64_t(64) << 20;

  /// Results of later calls in place of what they do, if not 0: of cuInit, of
  /// the next launch, of the next instantiation of a graph.
  int initResult = 0;
  int nextLaunch = 0;
  int nextGraph = 0;

  // Counts.
  int allocations = 0, trims = 0, contexts = 0;
  int pinnedAllocations = 0;
  int copiesFromHost = 0, copiesToHost = 0, copiesAcross = 0;
  int launches = 0, clusterLaunches = 0, graphs = 0, graphLaunches = 0;
  int modules = 0, streams = 0;
  /// Kernels that have run, by launch or as a part of a graph.
  int kernelsRun = 0;
  /// Of the last launch.
  unsigned grid[3] = {}, block[3] = {}, sharedBytes = 0, cluster = 0;
};

using GetFakeCUDA = FakeCUDA *(*)();

#endif // RELAY_MLIR_TEST_LIB_FAKECUDA_FAKECUDA_H
