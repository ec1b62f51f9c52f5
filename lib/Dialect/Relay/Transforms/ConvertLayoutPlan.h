//===- ConvertLayoutPlan.h - Which operators change their layout *- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_CONVERTLAYOUTPLAN_H
#define RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_CONVERTLAYOUTPLAN_H

#include "relay-mlir/Dialect/Relay/IR/LayoutForms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::relay {

/// The layouts that an operator is to run in.
struct DesiredLayout {
  std::string data;
  /// Empty: as it is. kDefaultLayout: the usual one for the layout of the data.
  std::string kernel;
};
inline constexpr StringLiteral kDefaultLayout = "default";

/// The name by which a layout of an operator is asked for: that of Relay, or
/// that of another dialect's operation.
inline StringRef getLayoutName(OperationName name) {
  StringRef text = name.getStringRef();
  text.consume_front("relay.");
  return text;
}

/// Returns how `op`, a SpatialOpInterface, runs in the desired layout; none if
/// it is in it already or cannot be.
std::optional<OperatorForm> inferDesiredForm(Operation *op,
                                             const DesiredLayout &desired);

/// The order in which the operand of a transposition is stored, as one of its
/// result; none if `op` is no transposition.
std::optional<DimOrder> getAliasOrder(Operation *op);

/// Floating-point operations of a convolution, 0 for another operator. Dynamic
/// sizes count as `kTypicalSize`.
double getConvolutionWork(Operation *op);
inline constexpr int64_t kTypicalSize = 32;

/// Number of channels of the data of a convolution; unknown (dynamic) for
/// another operator.
int64_t getConvolutionChannels(Operation *op);

/// Chooses a form for each operator of a function: convolutions run in their
/// desired layout, and the operators around them in that in which their
/// operands come, if this moves the fewest bytes.
class LayoutPlan {
public:
  /// With `estimate`, convolutions stay as they are where converting them does
  /// not pay. `skipped` has the numbers of others that stay, counted among
  /// those with a desired layout.
  LayoutPlan(func::FuncOp function,
             const llvm::StringMap<DesiredLayout> &desired, bool estimate,
             ArrayRef<uint64_t> skipped);

  /// The form of an operator; null if it stays as it is.
  const OperatorForm *lookup(Operation *op) const {
    const auto *it = forms.find(op);
    return it == forms.end() ? nullptr : &it->second;
  }

  bool isEmpty() const { return forms.empty(); }

private:
  struct Stored {
    DimOrder order;
    /// Whether consumers may follow it unasked.
    bool isOffered;
  };
  /// Operators that pass stored tensors on to each other, by one of them.
  struct Component {
    /// Floating-point operations of convolutions that change.
    double work = 0;
    /// Bytes read and written by changes of order, less those that vanish.
    double bytes = 0;
    SmallVector<Operation *> operators;
  };

  void findConstants(func::FuncOp function);
  void exclude(func::FuncOp function, ArrayRef<uint64_t> skipped);
  void choose(Operation *op);
  void apply(Operation *op, OperatorForm form);
  /// The bytes to move for `value` in `order`.
  double getCost(Value value, ArrayRef<int64_t> order) const;
  /// Makes `value` available in `order` for `op`.
  void request(Operation *op, Value value, ArrayRef<int64_t> order);
  ArrayRef<Stored> getStored(Value value) const;
  /// Excludes the operators that do not pay; whether there were any.
  bool excludeLosses();

  const llvm::StringMap<DesiredLayout> &desired;
  bool estimate;
  DenseSet<Value> constants;
  DenseSet<Operation *> excluded;

  /// In the order in which they were planned: what is summed over them must not
  /// depend on addresses.
  llvm::MapVector<Operation *, OperatorForm> forms;
  DenseMap<Value, SmallVector<Stored, 2>> stored;
  DenseMap<Operation *, double> work, bytes;
  llvm::EquivalenceClasses<Operation *> components;
};

} // namespace mlir::relay

#endif // RELAY_MLIR_LIB_DIALECT_RELAY_TRANSFORMS_CONVERTLAYOUTPLAN_H
