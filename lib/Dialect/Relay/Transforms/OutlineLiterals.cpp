//===- OutlineLiterals.cpp - Primitive closures become functions ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that was fused already has its groups as closures with
// `relay.primitive` where they are called. They become private functions, as
// relay-fuse-ops makes them; values from outside become arguments.
//
//===----------------------------------------------------------------------===//

#include "OutlineLiterals.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::relay;

/// Makes the function of a closure, whose last parameters are `captured`.
static func::FuncOp createFunction(FnOp fn, ArrayRef<Value> captured,
                                   StringRef name, Operation *before) {
  OpBuilder builder(before);
  Block &body = fn.getBody().front();
  SmallVector<Type> types(ValueRange(fn.getParams()).getTypes());
  llvm::append_range(types, ValueRange(captured).getTypes());
  Value result = body.getTerminator()->getOperand(0);
  auto tuple = dyn_cast<TupleType>(result.getType());
  auto function = func::FuncOp::create(
      builder, fn.getLoc(), name,
      builder.getFunctionType(types, tuple ? tuple.getTypes()
                                           : TypeRange(result.getType())));
  function.setPrivate();
  function->setAttr(kPrimitiveAttrName, builder.getUnitAttr());
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  IRMapping mapping;
  size_t numParams = fn.getParams().size();
  for (auto [param, arg] : llvm::zip(fn.getParams(), block->getArguments()))
    mapping.map(param, arg);
  for (auto [value, arg] :
       llvm::zip_equal(captured, block->getArguments().drop_front(numParams)))
    mapping.map(value, arg);
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> results = {mapping.lookupOrDefault(result)};
  if (tuple) {
    Value fields = results.front();
    results.clear();
    for (size_t i = 0; i != tuple.size(); ++i)
      results.push_back(
          TupleGetItemOp::create(builder, fields.getLoc(), fields, i));
  }
  func::ReturnOp::create(builder, body.getTerminator()->getLoc(), results);
  return function;
}

/// Whether calls of the closure are calls of a function of tensors.
static bool isKernel(FnOp fn, CallIndirectOp call) {
  if (!fn || !fn->hasAttr(kPrimitiveAttrName) || fn.getRecursive() ||
      fn.getTypeParams() || fn->hasAttr(kCompilerAttrName))
    return false;
  Type result = fn.getBody().front().getTerminator()->getOperand(0).getType();
  auto tuple = dyn_cast<TupleType>(result);
  return llvm::all_of(tuple ? tuple.getTypes() : TypeRange(result),
                      llvm::IsaPred<RankedTensorType>) &&
         result == call.getResult().getType() &&
         llvm::all_of(call.getArgs(), [](Value arg) {
           return isa<RankedTensorType>(arg.getType());
         });
}

void relay::outlineLiterals(func::FuncOp function, SymbolTable &symbols) {
  SmallVector<CallIndirectOp> calls;
  function.walk([&](CallIndirectOp call) {
    if (isKernel(call.getCallee().getDefiningOp<FnOp>(), call))
      calls.push_back(call);
  });
  struct Outlined {
    func::FuncOp function;
    llvm::SetVector<Value> captured;
  };
  DenseMap<Operation *, Outlined> outlined;
  for (CallIndirectOp call : calls) {
    auto fn = call.getCallee().getDefiningOp<FnOp>();
    Outlined &entry = outlined[fn];
    if (!entry.function) {
      getUsedValuesDefinedAbove(fn.getBody(), entry.captured);
      entry.function = createFunction(fn, entry.captured.getArrayRef(),
                                      "fused_literal", function);
      symbols.insert(entry.function);
    }
    OpBuilder builder(call);
    SmallVector<Value> args(call.getArgs());
    llvm::append_range(args, entry.captured);
    auto direct = CallOp::create(
        builder, call.getLoc(), entry.function.getResultTypes(),
        entry.function.getSymName(), args, /*arg_attrs=*/{}, /*res_attrs=*/{});
    Value result =
        isa<TupleType>(call.getResult().getType())
            ? TupleOp::create(builder, call.getLoc(), direct.getResults())
                  .getResult()
            : direct.getResult(0);
    call.getResult().replaceAllUsesWith(result);
    call.erase();
    if (fn->use_empty())
      fn.erase();
  }
}
