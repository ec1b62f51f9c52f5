//===- KernelLowering.h - One function to one kernel ------------*- C++ -*-===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef RELAY_MLIR_LIB_CONVERSION_LINALGTOTIR_KERNELLOWERING_H
#define RELAY_MLIR_LIB_CONVERSION_LINALGTOTIR_KERNELLOWERING_H

#include "TensorView.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "relay-mlir/Dialect/TIR/IR/TIR.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::tir {

/// Builds the kernel of one function of linalg on tensors.
class KernelLowering {
public:
  explicit KernelLowering(func::FuncOp function)
      : function(function), builder(function.getContext()) {}

  /// Creates the kernel before the function, which stays.
  FailureOr<PrimFuncOp> run();

private:
  //===--------------------------------------------------------------------===//
  // Destinations
  //===--------------------------------------------------------------------===//

  /// Lets `tensor` be computed in `destination`, as far as its defining op can.
  /// Of `destination` only buffer and map count. Returns whether that is where
  /// its elements will be, if they are in a buffer at all: not if they have
  /// another place already.
  bool assignDestination(Value tensor, const TensorView &destination);

  /// The memory of a result: its destination, else a new buffer.
  TensorView createResult(Value tensor, ArrayRef<OpFoldResult> sizes);

  //===--------------------------------------------------------------------===//
  // Ops
  //===--------------------------------------------------------------------===//

  LogicalResult convert(Operation &op);
  LogicalResult convertConstant(arith::ConstantOp op);
  LogicalResult convertLinalg(linalg::LinalgOp op);
  LogicalResult convertOpaque(OpaqueOp op);
  LogicalResult convertPad(tensor::PadOp op);
  LogicalResult convertConcat(tensor::ConcatOp op);
  LogicalResult convertInsertSlice(tensor::InsertSliceOp op);
  LogicalResult convertExtractSlice(tensor::ExtractSliceOp op);
  LogicalResult convertExpandShape(tensor::ExpandShapeOp op);
  LogicalResult convertCollapseShape(tensor::CollapseShapeOp op);
  LogicalResult convertFromElements(tensor::FromElementsOp op);
  LogicalResult convertGenerate(tensor::GenerateOp op);

  /// Clones an op of a payload region into a block; payload-only ops become
  /// iteration variables and loads.
  void clonePayloadOp(Operation &op, IRMapping &mapping, Domain domain);
  void clonePayload(Block &payload, IRMapping &mapping, Domain domain);

  /// Clones a payload that computes an element from its index; returns that.
  Value cloneElement(Block &payload, Domain domain);

  /// The elements of `tensor` as a row-major buffer of its shape: its own, or a
  /// copy.
  Value getWholeBuffer(Value tensor);

  /// Writes `source` to `destination` in a block of its own.
  void copy(Location loc, StringRef name, const TensorView &source,
            const TensorView &destination, ArrayRef<OpFoldResult> extents);

  //===--------------------------------------------------------------------===//
  // Values
  //===--------------------------------------------------------------------===//

  const TensorView &lookup(Value tensor) const {
    auto it = views.find(tensor);
    assert(it != views.end() && "tensor is used before it is converted");
    return it->second;
  }
  /// The same where elements are read. Those of a tensor that nobody wrote may
  /// be anything: they are zero.
  TensorView lookupElements(Value tensor);
  SmallVector<OpFoldResult> remap(ArrayRef<OpFoldResult> values);
  Value materialize(Location loc, OpFoldResult value);
  OpFoldResult add(Location loc, OpFoldResult lhs, OpFoldResult rhs);
  /// A name for a block that no block has yet.
  std::string getBlockName(StringRef prefix);
  std::string getBlockName(Operation *op, StringRef fallback);
  /// A block in loops of its own, of a name from `getBlockName`.
  void buildNest(Location loc, StringRef name, ArrayRef<IterKind> kinds,
                 ArrayRef<OpFoldResult> extents,
                 function_ref<void(OpBuilder &, BlockOp)> buildBody);

  func::FuncOp function;
  PrimFuncOp kernel;
  OpBuilder builder;
  DenseMap<Value, TensorView> views;
  DenseMap<Value, TensorView> destinations;
  /// Operands of concatenations that are computed in their part of the result.
  DenseSet<Value> parts;
  /// Scalars and sizes of the function to those of the kernel.
  IRMapping scalars;
  llvm::StringSet<> blockNames;
  /// The last number that a name was told apart by.
  llvm::StringMap<unsigned> suffixes;
};

} // namespace mlir::tir

#endif // RELAY_MLIR_LIB_CONVERSION_LINALGTOTIR_KERNELLOWERING_H
