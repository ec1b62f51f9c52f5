//===- Module.h - A loaded artefact -----------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_MODULE_H
#define RELAY_MLIR_LIB_RUNTIME_MODULE_H

#include "Devices.h"
#include "Error.h"
#include "Library.h"
#include "RunQueue.h"
#include "Strings.h"
#include "TensorFunction.h"
#include "Tensors.h"
#include "ThreadPool.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace relay_rt {

class OutputPool;
class Program;

/// Bytes of memory for the intermediate values of one run, kept for the next.
struct Arena {
  size_t size = 0;
  AlignedBuffer data;
};

/// What one run of a module has to itself. It may call several functions, one
/// after the other.
class ModuleRun {
public:
  explicit ModuleRun(RelayModule &module);
  ~ModuleRun();
  ModuleRun(const ModuleRun &) = delete;

  /// Takes memory for the intermediate tensors of a call.
  void provideMemory(const std::vector<int64_t> &arenaBytes);
  /// Throws if a kernel reports an error.
  void call(const TensorFunction &function, void *const *inputs,
            void *const *outputs, const int64_t *symbols);

  /// Of the calls of a program.
  CallScratch scratch;

  /// Null if only the host runs.
  const DeviceRun *getDevices() const { return devices ? &*devices : nullptr; }

  /// What the kernel expected that has failed; null if it did not say.
  const char *getExpectation() const { return expectation; }

  /// Why a function of strings has failed.
  const std::string &getStringError() const { return stringError; }

  /// Why a packed function has failed.
  [[noreturn]] void failPacked() const {
    throw Error(packedStatus, packedError);
  }

private:
  /// What RelayKernelContext::call_packed does.
  static int32_t callPacked(const RelayKernelContext *context,
                            int64_t callIndex, void *const *args,
                            const int64_t *dims);
  /// What RelayKernelContext::call_string_function does.
  static int32_t callStringFunction(const RelayKernelContext *context,
                                    int32_t function, const int64_t *args,
                                    int32_t numArgs, int64_t *result);

  RelayModule &module;
  std::shared_ptr<ThreadPool> pool;
  /// Before there is memory or a thread for it.
  RunQueue::Turn turn;
  ThreadPool::Run threads;
  Arena arena;
  std::optional<DeviceRun> devices;
  const char *expectation = nullptr;
  /// Those of the caller, or else own ones once they are needed.
  RelayStrings *strings;
  std::optional<RelayStrings> ownStrings;
  StringLists lists;
  std::string stringError;
  RelayStatus packedStatus = RELAY_OK;
  std::string packedError;
  RelayKernelContext context = {};
};

} // namespace relay_rt

struct RelayModule {
public:
  /// `device` is what runs kernels for a kind of devices, or null.
  RelayModule(const char *path, int32_t flags, const char *device);
  ~RelayModule();

  /// Throws if the weights are not those that the compiler wrote.
  void verify() const { library.verify(); }

  const RelayArtifact &getArtifact() const { return library.getArtifact(); }

  /// The function of tensors that the artefact is; throws if it is a program.
  const relay_rt::TensorFunction &getMain() const;
  /// The bytecode; throws if there is none.
  const relay_rt::Program &getProgram() const;
  bool hasProgram() const { return program != nullptr; }
  const relay_rt::TensorFunction &getFunction(int32_t index) const {
    return *functions[index];
  }

  const std::shared_ptr<const relay_rt::ModuleStrings> &getStrings() const {
    return strings;
  }

  void run(const DLTensor *const *inputs, int32_t numInputs,
           DLManagedTensor **outputs, int32_t numOutputs);

  void getWork(const DLTensor *const *inputs, int32_t numInputs, int64_t *flops,
               int64_t *bytes) const;

  RelayObserver observer = nullptr;
  void *observerData = nullptr;
  RelayThreadObserver threadObserver = nullptr;
  void *threadObserverData = nullptr;
  RelayDeviceObserver deviceObserver = nullptr;
  void *deviceObserverData = nullptr;
  RelayCounterObserver counterObserver = nullptr;
  void *counterObserverData = nullptr;
  RelayInterrupt interrupt = nullptr;
  void *interruptData = nullptr;

private:
  friend class relay_rt::ModuleRun;
  /// A function that runs in place of the main one where symbols have certain
  /// values.
  struct Variant {
    const relay_rt::TensorFunction *function;
    std::vector<std::pair<size_t, int64_t>> sizes;
  };
  Variant makeVariant(const relay_rt::TensorFunction &function) const;
  /// Checks inputs, and returns what runs on them, with the values of its
  /// symbols.
  const relay_rt::TensorFunction &choose(const DLTensor *const *inputs,
                                         int32_t numInputs,
                                         std::vector<int64_t> &symbols) const;
  relay_rt::Arena takeArena(size_t bytes);
  void returnArena(relay_rt::Arena arena);

  relay_rt::Library library;
  /// Code of the library may be loaded there.
  relay_rt::ModuleDevices devices;
  std::vector<std::unique_ptr<relay_rt::TensorFunction>> functions;
  std::vector<Variant> variants;
  std::shared_ptr<const relay_rt::ModuleStrings> strings;
  /// Null without bytecode.
  std::unique_ptr<relay_rt::Program> program;
  relay_rt::RunQueue queue;
  /// Whether the last run had any.
  std::atomic<bool> hasParallelLoops{true};
  std::mutex arenaMutex;
  std::vector<relay_rt::Arena> freeArenas;
  /// Outputs know it as long as the module is there.
  std::shared_ptr<relay_rt::OutputPool> outputPool;
};

#endif // RELAY_MLIR_LIB_RUNTIME_MODULE_H
