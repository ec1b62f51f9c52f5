//===- Relax.h - The relax dialect ------------------------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_DIALECT_RELAX_IR_RELAX_H
#define RELAY_MLIR_DIALECT_RELAX_IR_RELAX_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "relay-mlir/Dialect/Relax/IR/SymbolicExpr.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"

#include "relay-mlir/Dialect/Relax/IR/RelaxDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "relay-mlir/Dialect/Relax/IR/RelaxAttributes.h.inc"

#define GET_TYPEDEF_CLASSES
#include "relay-mlir/Dialect/Relax/IR/RelaxTypes.h.inc"

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relax/IR/RelaxOps.h.inc"

namespace mlir::relax {

/// Names of discardable attributes of relax.func's parameters and results, and
/// of those of kernels (tir.prim_func) that this dialect reads.
inline constexpr llvm::StringLiteral kNameAttr = "relax.name";
/// Of a function that runs in place of another one where the sizes of inputs
/// are its own: the symbol of the other one.
inline constexpr llvm::StringLiteral kVariantOfAttr = "relax.variant_of";
inline constexpr llvm::StringLiteral kNumOutputsAttr = "tir.num_outputs";
inline constexpr llvm::StringLiteral kNumWorkspacesAttr = "tir.workspaces";
inline constexpr llvm::StringLiteral kWorkspaceAttr = "tir.workspace";
inline constexpr llvm::StringLiteral kLayoutAttr = "tir.layout";
/// How many pieces of bf16 a kernel takes for each element of an argument of
/// f32, on arguments of kernels (see the tir dialect).
inline constexpr llvm::StringLiteral kPiecesAttr = "tir.pieces";
/// Whether it takes two numbers of 4 bits in each byte, likewise.
inline constexpr llvm::StringLiteral kNibblesAttr = "tir.nibbles";
inline constexpr llvm::StringLiteral kLayoutFreeAttr = "tir.layout_free";
/// Of the declaration of a kernel that is a packed function: its name in the
/// process.
inline constexpr llvm::StringLiteral kPackedFunctionAttr =
    "relax.packed_function";

/// Of a module with functions of objects: all constructors of its data types
/// (an array of ConstructorAttr), mentioned or not.
inline constexpr llvm::StringLiteral kConstructorsAttr = "relax.constructors";
/// Their types, in the same order: (fields) -> data type, of relay, quantified
/// over the parameters of the data type.
inline constexpr llvm::StringLiteral kConstructorTypesAttr =
    "relax.constructor_types";
/// Of a function of objects: the types that callers pass, of its last
/// parameters. A tensor whose open sizes have names is a SymbolicTensorType.
inline constexpr llvm::StringLiteral kParamTypesAttr = "relax.param_types";
/// Of a function of objects that callers outside may call: the types of its
/// results and their names. Several results, or none, are the fields of the
/// tuple that it returns.
inline constexpr llvm::StringLiteral kResultTypesAttr = "relax.result_types";
inline constexpr llvm::StringLiteral kResultNamesAttr = "relax.result_names";

/// Whether a function becomes bytecode: it takes objects and returns one.
bool isObjectFunction(FuncOp function);

/// The type of `tensor` as a relax value.
SymbolicTensorType getSymbolicType(RankedTensorType tensor);

/// The device that a call of a kernel runs on, where all its tensors are; null
/// is the host.
relay::DeviceAttr getCallDevice(Operation *call);

/// Checks the name under which a packed function is registered.
LogicalResult verifyPackedName(Operation *op, StringRef name);

/// The value whose elements `value` has: that before all reshapes.
Value getReshapeRoot(Value value);

/// What a min_size or max_size says.
struct ExtremeSize {
  StringAttr symbol;
  ShapeAttr sizes;
  bool isMax;

  /// None for other operations.
  static std::optional<ExtremeSize> of(Operation *op);
};

/// Whether `op` only states or names sizes: it computes nothing, and holds from
/// where it is.
bool isAboutSizes(Operation *op);

/// The number of elements, and of bytes, of `type` over the symbols of `scope`.
AffineExpr getNumElements(SymbolicTensorType type, SymbolScope &scope);
AffineExpr getNumBytes(SymbolicTensorType type, SymbolScope &scope);

/// How the buffers of a kernel divide into inputs, outputs and workspaces.
struct KernelSignature {
  unsigned numInputs;
  unsigned numOutputs;
  unsigned numWorkspaces;
  /// True for a function on tensors, which returns its outputs.
  bool returnsOutputs;

  static KernelSignature of(FunctionOpInterface kernel);
};

} // namespace mlir::relax

#endif // RELAY_MLIR_DIALECT_RELAX_IR_RELAX_H
