//===- ConstantTable.cpp - Buffers whose contents are constants -----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/TIR/Analysis/ConstantTable.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "relay-mlir/Dialect/TIR/IR/Access.h"
#include "relay-mlir/Support/SaturatingMath.h"

using namespace mlir;
using namespace mlir::tir;

FailureOr<ConstantTable> ConstantTable::get(Value buffer) {
  auto allocation = buffer.getDefiningOp<AllocBufferOp>();
  auto type = cast<MemRefType>(buffer.getType());
  if (!allocation || !type.hasStaticShape())
    return failure();
  // Each element is written on its own. More of them are no table.
  constexpr int64_t kMaxElements = 1 << 16;
  int64_t numElements = 1;
  for (int64_t size : type.getShape()) {
    numElements = relay::saturatingMultiply(numElements, size);
    if (numElements > kMaxElements)
      return failure();
  }
  SmallVector<BlockOp> writers = getWriters(buffer);
  if (writers.size() != 1 || writers.front().getNumIters() != 0 ||
      writers.front()->getParentOp() != allocation->getParentOp() ||
      !isa<PrimFuncOp>(allocation->getParentOp()))
    return failure();
  ConstantTable table;
  table.shape.assign(type.getShape().begin(), type.getShape().end());
  table.elements.resize(numElements);
  for (const BufferAccess &access : collectAccesses(writers.front())) {
    if (access.buffer != buffer)
      continue;
    Attribute value;
    if (!access.isWrite || !access.map || !access.map->isConstant() ||
        !matchPattern(access.op->getOperand(0), m_Constant(&value)))
      return failure();
    int64_t position = 0;
    for (auto [index, size] :
         llvm::zip(access.map->getConstantResults(), table.shape))
      position = position * size + index;
    // Written once, so that the order does not matter.
    Attribute &element = table.elements[position];
    if (element)
      return failure();
    element = value;
  }
  if (llvm::is_contained(table.elements, Attribute()))
    return failure();
  return table;
}
