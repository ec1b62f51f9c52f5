//===- Case.h - What a model is run on and has to compute -------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A case is a text file that utils/gpu/prepare.py writes, beside files with the
// elements of tensors, row-major and without a header:
//
//   input <name> <dims> <file, or random:SEED>
//   output <name> <dims> <file> <bound>
//
// Dims are as in 1x3x224x224, or "scalar". A bound is how far an output may be
// off: the largest difference over the largest magnitude. Integers are equal.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_TOOLS_RELAY_EXEC_CASE_H
#define RELAY_MLIR_TOOLS_RELAY_EXEC_CASE_H

#include "relay-mlir-c/Runtime.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace relay_exec {

/// A message for the user.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A tensor that has its elements.
class Tensor {
public:
  Tensor(DLDataType type, std::vector<int64_t> dims);

  const DLTensor *get() const { return &tensor; }
  size_t getNumBytes() const { return bytes.size(); }
  size_t getNumElements() const { return numElements; }
  char *getData() { return bytes.data(); }

  /// Numbers from -1 to 1, or small integers.
  void fillRandom(uint64_t seed);

private:
  std::vector<int64_t> dims;
  size_t numElements = 1;
  std::vector<char> bytes;
  DLTensor tensor = {};
};

struct Output {
  std::string name;
  std::unique_ptr<Tensor> expected;
  double bound = 0;
};

/// How far an output is off, and what is wrong with it.
struct Difference {
  double error = 0;
  std::string reason;
};

class Case {
public:
  /// Reads a case for a model. Throws.
  Case(const std::string &path, RelayModule *module);
  /// One with random inputs of sizes that the model knows.
  explicit Case(RelayModule *module);

  std::vector<const DLTensor *> getInputs() const;
  /// By the outputs of the model; without a tensor for those that are not
  /// compared.
  const std::vector<Output> &getOutputs() const { return outputs; }

private:
  std::vector<std::unique_ptr<Tensor>> inputs;
  std::vector<Output> outputs;
};

Difference compare(const DLTensor &got, const Output &output);

} // namespace relay_exec

#endif // RELAY_MLIR_TOOLS_RELAY_EXEC_CASE_H
