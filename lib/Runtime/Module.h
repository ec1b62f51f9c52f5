//===- Module.h - A loaded artefact -----------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_MODULE_H
#define RELAY_MLIR_LIB_RUNTIME_MODULE_H

#include "Devices.h"
#include "Library.h"
#include "Tensors.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace relay_rt {

class OutputPool;
class ThreadPool;

/// Bytes of memory for the intermediate values of one run, kept for the next.
struct Arena {
  size_t size = 0;
  AlignedBuffer data;
};

} // namespace relay_rt

struct RelayModule {
public:
  RelayModule(const char *path, int32_t flags);

  /// Throws if the weights are not those that the compiler wrote.
  void verify() const { library.verify(); }

  const RelayArtifact &getArtifact() const { return library.getArtifact(); }
  const std::vector<RelayTensorInfo> &getInputs() const { return inputs; }
  const std::vector<RelayTensorInfo> &getOutputs() const { return outputs; }

  void run(const DLTensor *const *inputs, int32_t numInputs,
           DLManagedTensor **outputs, int32_t numOutputs);

  void getWork(const DLTensor *const *inputs, int32_t numInputs, int64_t *flops,
               int64_t *bytes) const;

  RelayObserver observer = nullptr;
  void *observerData = nullptr;
  RelayThreadObserver threadObserver = nullptr;
  void *threadObserverData = nullptr;

private:
  std::vector<RelayTensorInfo> describe(const RelayArtifactTensor *tensors,
                                        int32_t count);
  std::string describeShape(const RelayTensorInfo &info) const;
  /// Returns the values of the symbols.
  std::vector<int64_t> checkInputs(const DLTensor *const *inputs,
                                   int32_t numInputs) const;
  void checkInput(int32_t index, const DLTensor &tensor,
                  std::vector<int64_t> &symbols) const;
  void checkOutput(int32_t index, const DLTensor &tensor,
                   const int64_t *dims) const;
  /// Computes the sizes of the outputs and the bytes of the arena of each
  /// device.
  std::vector<int64_t> computeShapes(const std::vector<int64_t> &symbols,
                                     std::vector<int64_t> &arenaBytes) const;
  /// Says why the inputs do not fit.
  [[noreturn]] void failCheck(const RelayArtifactCheck &check,
                              const int64_t *values,
                              const std::vector<int64_t> &symbols) const;
  relay_rt::Arena takeArena(size_t bytes);
  void returnArena(relay_rt::Arena arena);

  relay_rt::Library library;
  /// Code of the library may be loaded there.
  relay_rt::ModuleDevices devices;
  std::vector<std::unique_ptr<int64_t[]>> shapes;
  std::vector<RelayTensorInfo> inputs;
  std::vector<RelayTensorInfo> outputs;
  /// Whether the last run had any.
  std::atomic<bool> hasParallelLoops{true};
  std::mutex arenaMutex;
  std::vector<relay_rt::Arena> freeArenas;
  /// Outputs know it as long as the module is there.
  std::shared_ptr<relay_rt::OutputPool> outputPool;
};

#endif // RELAY_MLIR_LIB_RUNTIME_MODULE_H
