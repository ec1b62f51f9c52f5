//===- ReductionBody.cpp - The parts of a reduction block -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReductionBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "relay-mlir/Dialect/TIR/Analysis/CombiningKind.h"

using namespace mlir;
using namespace mlir::tir;

TypedAttr ReductionBody::getNeutral() const {
  std::optional<TypedAttr> neutral = arith::getNeutralElement(combiner);
  return neutral ? *neutral : TypedAttr();
}

Value ReductionBody::combine(OpBuilder &builder, Location loc, Value a,
                             Value b) const {
  OperationState state(loc, combiner->getName(), {a, b}, {a.getType()},
                       combiner->getAttrs());
  return builder.create(state)->getResult(0);
}

/// Whether `value` is computed from `source` in the body of `block`.
static bool dependsOn(Value value, Operation *source, BlockOp block) {
  DenseSet<Operation *> visited;
  SmallVector<Value> worklist = {value};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op || !block->isProperAncestor(op) || !visited.insert(op).second)
      continue;
    if (op == source)
      return true;
    op->walk([&](Operation *inner) {
      llvm::append_range(worklist, inner->getOperands());
    });
  }
  return false;
}

DiagnosedSilenceableFailure mlir::tir::matchReductionBody(BlockOp block,
                                                          ReductionBody &body) {
  auto refuseBody = [&](const Twine &reason) {
    return refuse(block) << "expects the body of block @" << block.getName()
                         << " to combine one value into one element, but "
                         << reason.str();
  };
  InitOp init = block.getInit();
  SmallVector<BufferAccess> accesses = collectAccesses(block);
  const BufferAccess *write = nullptr;
  for (const BufferAccess &access : accesses) {
    if (!access.isWrite || (init && init->isProperAncestor(access.op)))
      continue;
    if (write)
      return refuseBody("it stores several");
    write = &access;
  }
  if (!write || !isa<affine::AffineStoreOp>(write->op) || !write->map ||
      write->op->getBlock() != block.getBody())
    return refuseBody("it has no affine.store at its end");
  body.buffer = write->buffer;
  body.map = *write->map;
  body.symbols = write->symbols;
  body.store = write->op;
  body.combiner = body.store->getOperand(0).getDefiningOp();
  if (!body.combiner || body.combiner->getBlock() != block.getBody() ||
      !getCombiningKind(body.combiner) || !body.combiner->hasOneUse())
    return refuseBody("what it stores is no sum, product, minimum, maximum or "
                      "bitwise combination");
  for (const BufferAccess &access : accesses) {
    if (access.buffer != body.buffer || access.op == body.store)
      continue;
    bool isSame =
        access.map && *access.map == body.map && access.symbols == body.symbols;
    if (!isSame)
      return refuseBody("it uses other elements of the buffer");
    if (access.isWrite)
      continue;
    if (body.load || !access.op->hasOneUse())
      return refuseBody("it reads the element several times");
    body.load = access.op;
  }
  for (unsigned operand : {0u, 1u})
    if (body.load &&
        body.combiner->getOperand(operand).getDefiningOp() == body.load)
      body.value = body.combiner->getOperand(1 - operand);
  if (!body.value || dependsOn(body.value, body.load, block))
    return refuseBody("what it stores is not combined with what was there");
  return DiagnosedSilenceableFailure::success();
}

Value mlir::tir::cloneComputation(OpBuilder &builder, BlockOp block,
                                  Value value, IRMapping &mapping) {
  auto clone = [&](auto &self, Value needed) -> void {
    Operation *op = needed.getDefiningOp();
    if (mapping.contains(needed) || !op || !block->isProperAncestor(op))
      return;
    // What regions use comes first, too.
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *def = operand.getDefiningOp();
        if (!def || !op->isAncestor(def))
          self(self, operand);
      }
    });
    builder.clone(*op, mapping);
  };
  clone(clone, value);
  return mapping.lookupOrDefault(value);
}
