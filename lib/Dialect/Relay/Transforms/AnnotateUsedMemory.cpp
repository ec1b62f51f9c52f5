//===- AnnotateUsedMemory.cpp - How much memory calls need ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "Functional.h"
#include "VariableUses.h"

#include "relay-mlir/Dialect/Relay/IR/TupleLeaves.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::relay {
#define GEN_PASS_DEF_ANNOTATEUSEDMEMORYPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// The bytes of a tensor, or of those that a tuple consists of. Fails with a
/// diagnostic if they are not known.
static FailureOr<int64_t> getBytes(Type type, Location loc) {
  int64_t bytes = 0;
  for (Type leaf : getLeafTypes(type)) {
    auto tensor = dyn_cast<RankedTensorType>(leaf);
    if (!tensor || !tensor.hasStaticShape() ||
        !tensor.getElementType().isIntOrFloat())
      return emitError(loc) << "expects tensors of sizes that are known, but "
                               "got "
                            << leaf;
    int64_t size = llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
    for (int64_t dim : tensor.getShape())
      if (llvm::MulOverflow(size, dim, size))
        return emitError(loc) << "expects the bytes of a tensor to fit in 63 "
                                 "bits, but got "
                              << leaf;
    if (llvm::AddOverflow(bytes, size, bytes))
      return emitError(loc) << "expects the bytes of tensors to fit in 63 bits";
  }
  return bytes;
}

/// Adds an attribute to those that a function has in Relay's text.
static void setTextAttr(Operation *function, StringRef name, Attribute value) {
  NamedAttrList attrs(
      function->getAttrOfType<DictionaryAttr>(kTextAttrsAttrName));
  attrs.set(name, value);
  function->setAttr(kTextAttrsAttrName,
                    attrs.getDictionary(function->getContext()));
}

/// As Relay writes integers: 64 bits only where they are needed.
static IntegerAttr getInteger(Builder &builder, int64_t value) {
  return llvm::isInt<32>(value) ? builder.getI32IntegerAttr(value)
                                : builder.getI64IntegerAttr(value);
}

namespace {

struct AnnotateUsedMemoryPass final
    : relay::impl::AnnotateUsedMemoryPassBase<AnnotateUsedMemoryPass> {
  using Base::Base;

  void runOnOperation() override {
    symbols.emplace(getOperation());
    used.clear();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isOptimizable(function) && failed(run(function)))
        return signalPassFailure();
    Builder builder(&getContext());
    for (auto &[function, bytes] : used) {
      SmallVector<Attribute> list;
      for (int64_t value : bytes)
        list.push_back(getInteger(builder, value));
      setTextAttr(function, "used_memory", builder.getArrayAttr(list));
    }
  }

private:
  LogicalResult run(func::FuncOp function);
  /// `live` are the bytes in use before the block; `ending` the variables from
  /// around it that nothing behind it uses.
  LogicalResult visit(Block &block, int64_t live, ArrayRef<Value> ending,
                      const VariableUses &uses);
  /// The primitive function that a call calls, or null.
  Operation *getPrimitive(Operation *op) const;

  std::optional<SymbolTable> symbols;
  /// Of variables that have memory.
  DenseMap<Value, int64_t> bytesOf;
  llvm::MapVector<Operation *, SmallVector<int64_t>> used;
};

} // namespace

Operation *AnnotateUsedMemoryPass::getPrimitive(Operation *op) const {
  Operation *callee = nullptr;
  if (auto call = dyn_cast<CallOp>(op)) {
    callee = symbols->lookup(call.getCallee());
  } else if (auto call = dyn_cast<CallIndirectOp>(op)) {
    callee = getBound(call.getCallee()).getDefiningOp<FnOp>();
  }
  return callee && callee->hasAttr(kPrimitiveAttrName) ? callee : nullptr;
}

LogicalResult AnnotateUsedMemoryPass::visit(Block &block, int64_t live,
                                            ArrayRef<Value> ending,
                                            const VariableUses &uses) {
  // What ends in this block, by the operation that uses it last.
  DenseMap<Operation *, SmallVector<Value>> ends;
  auto addEnd = [&](Value variable) {
    if (Operation *op = uses.getLast(variable, &block))
      ends[op].push_back(variable);
  };
  llvm::for_each(ending, addEnd);
  for (Value argument : block.getArguments()) {
    if (uses.getLast(argument, &block))
      live += bytesOf.lookup(argument);
    addEnd(argument);
  }
  for (Operation &op : block) {
    SmallVector<Value> endHere = ends.lookup(&op);
    if (isa<IfOp, MatchOp>(op)) {
      for (Region &region : op.getRegions()) {
        // What only other branches use has ended in this one.
        int64_t inside = live;
        SmallVector<Value> inBranch;
        for (Value variable : endHere)
          if (uses.getLast(variable, &region.front()))
            inBranch.push_back(variable);
          else
            inside -= bytesOf.lookup(variable);
        if (failed(visit(region.front(), inside, inBranch, uses)))
          return failure();
      }
    } else if (Operation *callee = getPrimitive(&op)) {
      int64_t result = 0;
      for (Type type : op.getResultTypes()) {
        FailureOr<int64_t> bytes = getBytes(type, op.getLoc());
        if (failed(bytes))
          return failure();
        result += *bytes;
      }
      used[callee].push_back(live + result);
    }
    if (auto let = dyn_cast<LetOp>(op)) {
      if (uses.getLast(let, &block))
        live += bytesOf.lookup(let);
      addEnd(let);
    }
    for (Value variable : endHere)
      live -= bytesOf.lookup(variable);
  }
  return success();
}

LogicalResult AnnotateUsedMemoryPass::run(func::FuncOp function) {
  VariableUses uses(function, /*throughTuples=*/true);
  bytesOf.clear();
  for (Value variable : uses.getVariables()) {
    auto let = variable.getDefiningOp<LetOp>();
    Operation *source = let ? let.getValue().getDefiningOp() : nullptr;
    // Constants and functions are not made while the program runs.
    if (source && (source->hasTrait<OpTrait::ConstantLike>() ||
                   isa<FnOp, GlobalOp>(source)))
      continue;
    FailureOr<int64_t> bytes = getBytes(variable.getType(), variable.getLoc());
    if (failed(bytes))
      return failure();
    bytesOf[variable] = *bytes;
  }
  if (function.getSymName() == "main") {
    int64_t total = 0;
    for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                              function.getResultTypes())) {
      FailureOr<int64_t> bytes = getBytes(type, function.getLoc());
      if (failed(bytes))
        return failure();
      total += *bytes;
    }
    Builder builder(&getContext());
    setTextAttr(function, "io_used_memory", getInteger(builder, total));
  }
  return visit(function.getBody().front(), 0, {}, uses);
}
