//===- TensorFunction.h - A function of tensors -----------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_RUNTIME_TENSORFUNCTION_H
#define RELAY_MLIR_LIB_RUNTIME_TENSORFUNCTION_H

#include "Tensors.h"

#include <memory>
#include <string>
#include <vector>

struct RelayModule;

namespace relay_rt {

class ModuleRun;

/// Provides memory for the outputs of a call.
class OutputAllocator {
public:
  /// Memory for output `index`, whose sizes are `dims`.
  virtual void *allocate(int32_t index, const int64_t *dims, size_t bytes) = 0;

protected:
  ~OutputAllocator() = default;
};

/// Numbers of a call, of which a program makes many: their memory stays.
struct CallScratch {
  std::vector<int64_t> symbols, dims, arenaBytes, values;
  std::vector<void *> inputs, outputs;
};

/// A function of an artefact: checks what it is called with, and runs it.
class TensorFunction {
public:
  TensorFunction(const RelayArtifact &artifact,
                 const RelayArtifactFunction &function);

  const RelayArtifactFunction &getDescription() const { return function; }
  const std::vector<RelayTensorInfo> &getInputs() const { return inputs; }
  const std::vector<RelayTensorInfo> &getOutputs() const { return outputs; }

  /// Checks inputs, and finds the values of the symbols.
  void checkInputs(const DLTensor *const *tensors, int32_t count,
                   std::vector<int64_t> &symbols) const;

  /// Finds the sizes of all dimensions of all outputs, and the bytes of the
  /// arena of each device, given the values of the symbols.
  void computeShapes(CallScratch &call) const;

  /// Runs on contiguous tensors of the host.
  void call(ModuleRun &run, const DLTensor *const *tensors, int32_t count,
            OutputAllocator &allocator) const;

  /// Throws what a kernel has found wrong with its data.
  [[noreturn]] void failKernel(int32_t status, const ModuleRun &run) const;

private:
  std::vector<RelayTensorInfo> describe(const RelayArtifactTensor *tensors,
                                        int32_t count);
  void checkInput(int32_t index, const DLTensor &tensor,
                  std::vector<int64_t> &symbols) const;
  /// Says why the inputs do not fit.
  [[noreturn]] void failCheck(const RelayArtifactCheck &check,
                              const int64_t *values,
                              const std::vector<int64_t> &symbols) const;

  const RelayArtifact &artifact;
  const RelayArtifactFunction &function;
  std::vector<std::unique_ptr<int64_t[]>> shapes;
  std::vector<RelayTensorInfo> inputs;
  std::vector<RelayTensorInfo> outputs;
  /// What computeShapes finds, where no size is open.
  std::vector<int64_t> staticDims, staticArenaBytes;
  /// Dimensions of all outputs.
  size_t numDims = 0;
};

} // namespace relay_rt

#endif // RELAY_MLIR_LIB_RUNTIME_TENSORFUNCTION_H
