//===- Relay.h - The relay dialect ------------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAY_IR_RELAY_H
#define RELAY_MLIR_DIALECT_RELAY_IR_RELAY_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "relay-mlir/Dialect/Relay/IR/LayoutForms.h"

#include "relay-mlir/Dialect/Relay/IR/RelayEnums.h.inc"

namespace mlir::relay {

/// Dimensions of channels in the operands and the result of a contraction.
struct ChannelAxes {
  int64_t data, result;
  /// In the weight: of the channels of the data, unless they are in groups, and
  /// of those of the result.
  std::optional<int64_t> weightIn;
  int64_t weightOut;
};

namespace detail {
std::optional<int64_t> getBroadcastAxis(Operation *op, unsigned index,
                                        int64_t axis);
} // namespace detail

} // namespace mlir::relay

#include "relay-mlir/Dialect/Relay/IR/RelayInterfaces.h.inc"

#include "relay-mlir/Dialect/Relay/IR/RelayDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayTypes.h.inc"
#define GET_ATTRDEF_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayAttributes.h.inc"

namespace mlir::relay {
namespace detail {
LogicalResult verifyCountableResults(Operation *op);
} // namespace detail

/// The bytes of each result that is a tensor, or a tuple of them, have a number
/// of 64 bits, as far as sizes are known. A tensor without elements may have
/// sizes of any product.
template <typename ConcreteOp>
class CountableResults
    : public OpTrait::TraitBase<ConcreteOp, CountableResults> {
public:
  static LogicalResult verifyTrait(Operation *op) {
    return detail::verifyCountableResults(op);
  }
};

// Facts of operators that passes rely on; RelayInterfaces.td says what they
// mean.

template <typename ConcreteOp>
class PositivelyHomogeneous
    : public OpTrait::TraitBase<ConcreteOp, PositivelyHomogeneous> {};

template <typename ConcreteOp>
class MovesElements : public OpTrait::TraitBase<ConcreteOp, MovesElements> {};

template <typename ConcreteOp>
class OnQuantized : public OpTrait::TraitBase<ConcreteOp, OnQuantized> {};

template <typename ConcreteOp>
class ReadsSizes : public OpTrait::TraitBase<ConcreteOp, ReadsSizes> {};

template <typename ConcreteOp>
class HasSizeOperands : public OpTrait::TraitBase<ConcreteOp, HasSizeOperands> {
};
} // namespace mlir::relay

namespace mlir::relay {

/// Marks a function that holds the operators of one kernel.
inline constexpr StringLiteral kPrimitiveAttrName = "relay.primitive";

/// Argument and result attribute: the name that users know it by.
inline constexpr StringLiteral kNameAttrName = "relay.name";

/// Function attribute: names of the type parameters.
inline constexpr StringLiteral kTypeParamsAttrName = "relay.type_params";

/// Attribute of calls of something polymorphic: types for its first type
/// parameters, an array.
inline constexpr StringLiteral kTypeArgsAttrName = "relay.type_args";

/// Attribute of a closure that only applies an operator: the operator's name.
/// It is the operator as a value.
inline constexpr StringLiteral kOperatorAttrName = "relay.operator";

/// Argument attribute: names of its dimensions, empty for those without.
inline constexpr StringLiteral kDimsAttrName = "relay.dims";

/// Marks a function that a code generator of somebody else compiles; its name.
inline constexpr StringLiteral kCompilerAttrName = "relay.compiler";

/// Of a function that stands for a pattern of operators: the pattern's name.
inline constexpr StringLiteral kCompositeAttrName = "relay.composite";

/// Of a function that others call by this name.
inline constexpr StringLiteral kGlobalSymbolAttrName = "relay.global_symbol";

/// Marks a function whose calls are to be inlined.
inline constexpr StringLiteral kInlineAttrName = "relay.inline";

/// Attributes of a function of Relay text that have no name of their own here.
inline constexpr StringLiteral kTextAttrsAttrName = "relay.attrs";

/// Of parameters, variables and functions: the device, as Relay text has it.
inline constexpr StringLiteral kVirtualDeviceAttrName = "relay.virtual_device";

} // namespace mlir::relay

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayCoreOps.h.inc"
#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayElementwiseOps.h.inc"
#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayImageOps.h.inc"
#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayLanguageOps.h.inc"
#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayNNOps.h.inc"
#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayReduceOps.h.inc"
#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayTensorOps.h.inc"

#endif // RELAY_MLIR_DIALECT_RELAY_IR_RELAY_H
