//===- QuantizedLayers.h - What quantization makes of products --*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_PIPELINES_QUANTIZEDLAYERS_H
#define RELAY_MLIR_PIPELINES_QUANTIZEDLAYERS_H

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace mlir::relay {

/// A product of @main: a convolution, dense layer or matrix product.
struct QuantizedLayer {
  /// Of its place in the model, such as a node of ONNX; may be empty.
  std::string name;
  std::string op;
  /// The simulated_quantize that its operands come from, which maxima may have
  /// been taken of, by their numbers in @main, which
  /// `relay-quantize-collect=all=true` returns them by; -1 for none.
  int64_t data = -1, weight = -1;
  /// That whose range and scale the data has, which has perhaps been moved
  /// since.
  int64_t source = -1;
  /// The dimension of the weight that is the channels of the result; -1 if it
  /// is not one, or others read the weight.
  int64_t weightAxis = -1;
  /// The dimension of the data that is its channels, and how many they are; -1
  /// and 0 if passes on channels do not count it.
  int64_t dataAxis = -1, dataChannels = 0;
  bool isInteger = false;
};

/// Those that quantization may make integers, in the order by which
/// `relay-quantize-annotate=skip-layers=` counts them, or in a module that is
/// quantized, all.
std::vector<QuantizedLayer> getQuantizedLayers(ModuleOp module);

/// A simulated_quantize of @main.
struct SimulatedValue {
  /// Of QuantizeKind.
  int64_t kind;
  /// Which value it is of: the same number however much else is quantized.
  int64_t value;
};

/// Those of @main, by their numbers.
std::vector<SimulatedValue> getSimulatedValues(ModuleOp module);

/// An operator of @main that computes floats.
struct FloatOperator {
  /// Of its place in the model, such as a node of ONNX; may be empty.
  std::string name;
  std::string op;
  /// The type of elements of its result, such as f32.
  std::string type;
  /// The number of its result, as options of passes count values.
  int64_t value = -1;
  /// Which of its result and its operands `relay-collect-values` can return as
  /// maxima, by their numbers: -1 for others.
  int64_t result = -1;
  std::vector<int64_t> operands;
  /// Whether it sums products of its first operand, the data, and its second,
  /// the weight, and whether quantization knows it.
  bool isProduct = false, isQuantizable = false;
  /// Whether it says of itself that smaller types do not do.
  bool needsFullPrecision = false;
};

/// Those of @main, in the order of a walk.
std::vector<FloatOperator> getFloatOperators(ModuleOp module);

/// Whether the target of the module multiplies data with a sign faster by
/// weights of 7 bits: by `pmaddubsw`, where it has nothing that adds up
/// products of four bytes of 8 bits (docs/Decisions/byte-products.md).
bool gainsBySmallWeights(ModuleOp module);

/// The bytes of all constants.
int64_t getConstantBytes(ModuleOp module);

} // namespace mlir::relay

#endif // RELAY_MLIR_PIPELINES_QUANTIZEDLAYERS_H
