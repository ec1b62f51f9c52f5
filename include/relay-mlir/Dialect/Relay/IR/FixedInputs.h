//===- FixedInputs.h - Sizes and inputs known to the compiler ---*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a user says of the inputs of a model before it is compiled: sizes that
// the model leaves open, and inputs that are the same in every run.
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_FIXEDINPUTS_H
#define RELAY_MLIR_DIALECT_RELAY_IR_FIXEDINPUTS_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace mlir::relay {

struct FixedInputs {
  /// The elements of an input: numbers as text, whose type that of the input
  /// decides, or a tensor. The shape of numbers is that of the input, unless
  /// they have one.
  struct Value {
    std::string text;
    ElementsAttr tensor;
    std::optional<SmallVector<int64_t>> sizes;
  };

  /// Sizes by the names that the model gives them.
  llvm::StringMap<int64_t> dims;
  /// Shapes of inputs by name; a size that stays open is negative. They take
  /// the place of what the model says, also of sizes that it knows.
  llvm::StringMap<SmallVector<int64_t>> shapes;
  /// Inputs that become constants.
  llvm::StringMap<Value> values;

  bool empty() const;

  /// Add what the command line says: "n=16", "x=1x3x?x224", "scale=0.5" or
  /// "shape=1,3,224". A name that comes twice is an error.
  llvm::Error addDim(StringRef text);
  llvm::Error addShape(StringRef text);
  llvm::Error addValue(StringRef text);
  llvm::Error setValue(StringRef name, Value value);
};

/// An input as the model has it.
struct ModelInput {
  StringRef name;
  /// Null if it is no tensor, or of a type that is not supported.
  Type elementType;
  /// None if the model does not say it. Open sizes are kDynamic.
  std::optional<SmallVector<int64_t>> shape;
  /// The names of open sizes, "" for one without; none if no size has one.
  SmallVector<StringRef> dimNames;
};

/// An input as it is compiled.
struct FixedInput {
  /// Null where the model says no shape and the user neither, and for what is
  /// no tensor.
  RankedTensorType type;
  /// Null unless it is a constant.
  ElementsAttr value;
};

/// What becomes of each of `inputs`. A size with a name that an input decides
/// is that of all others with this name. Fails, with an error, for names that
/// the model does not have, and for sizes and elements that do not fit.
FailureOr<SmallVector<FixedInput>>
fixInputs(const FixedInputs &fixed, ArrayRef<ModelInput> inputs,
          function_ref<InFlightDiagnostic()> emitError);

} // namespace mlir::relay

#endif // RELAY_MLIR_DIALECT_RELAY_IR_FIXEDINPUTS_H
