//===- FuseOps.cpp - Group operators into primitive functions -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/Analysis/FusionGroups.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::relay {
#define GEN_PASS_DEF_FUSEOPSPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// Longer names say no more, and end up in symbol tables.
static constexpr size_t kMaxNameLength = 80;

/// Whether `op` is a constant that is copied into the groups that use it.
static bool isScalarConstant(Operation *op) {
  auto constant = dyn_cast_or_null<ConstantOp>(op);
  return constant && constant.getType().getNumElements() == 1 &&
         constant.getType().getRank() == 0;
}

namespace {

/// Moves groups of operations into functions of a module.
class Outliner {
public:
  explicit Outliner(ModuleOp module)
      : module(module), symbols(module),
        builder(OpBuilder::atBlockBegin(module.getBody())) {}

  void outline(ArrayRef<Operation *> group, func::FuncOp parent);
  int64_t getNumFunctions() const { return numFunctions; }

private:
  func::FuncOp getOrCreate(ArrayRef<Operation *> group, ValueRange inputs,
                           ValueRange outputs, func::FuncOp parent);

  ModuleOp module;
  SymbolTable symbols;
  OpBuilder builder;
  /// By the text of type and body, so that equal groups share a function.
  llvm::StringMap<func::FuncOp> functions;
  int64_t numFunctions = 0;
};

} // namespace

/// Returns the values that a function returns in place of `value`: the fields,
/// if it is a tuple.
static SmallVector<Value> flatten(OpBuilder &builder, Value value) {
  auto tuple = dyn_cast<TupleType>(value.getType());
  if (!tuple)
    return {value};
  SmallVector<Value> fields;
  for (size_t i = 0; i < tuple.size(); ++i) {
    Value field = builder.createOrFold<TupleGetItemOp>(value.getLoc(), value,
                                                       static_cast<int64_t>(i));
    llvm::append_range(fields, flatten(builder, field));
  }
  return fields;
}

/// Rebuilds a value of type `type` from the front of `flat`.
static Value unflatten(OpBuilder &builder, Location loc, Type type,
                       ValueRange &flat) {
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple) {
    Value value = flat.front();
    flat = flat.drop_front();
    return value;
  }
  SmallVector<Value> fields;
  for (Type field : tuple.getTypes())
    fields.push_back(unflatten(builder, loc, field, flat));
  return TupleOp::create(builder, loc, fields);
}

static std::string getFunctionName(ArrayRef<Operation *> group) {
  std::string name = "fused";
  for (Operation *op : group) {
    if (isa<TupleOp, TupleGetItemOp>(op))
      continue;
    std::string part = op->getName().stripDialect().str();
    llvm::replace(part, '.', '_');
    if (name.size() + part.size() >= kMaxNameLength)
      break;
    name += "_" + part;
  }
  return name;
}

func::FuncOp Outliner::getOrCreate(ArrayRef<Operation *> group,
                                   ValueRange inputs, ValueRange outputs,
                                   func::FuncOp parent) {
  SmallVector<Location> locations;
  for (Operation *op : group)
    locations.push_back(op->getLoc());
  Location loc = FusedLoc::get(module.getContext(), locations);
  auto function = func::FuncOp::create(
      loc, getFunctionName(group),
      FunctionType::get(module.getContext(), inputs.getTypes(), {}));
  Block *body = function.addEntryBlock();
  OpBuilder inner = OpBuilder::atBlockBegin(body);
  IRMapping mapping;
  mapping.map(inputs, body->getArguments());
  for (Operation *op : group) {
    for (Value operand : op->getOperands())
      if (isScalarConstant(operand.getDefiningOp()) &&
          !mapping.contains(operand))
        inner.clone(*operand.getDefiningOp(), mapping);
    inner.clone(*op, mapping);
  }
  SmallVector<Value> results;
  for (Value output : outputs)
    llvm::append_range(results, flatten(inner, mapping.lookup(output)));
  func::ReturnOp::create(inner, loc, results);
  function.setType(FunctionType::get(module.getContext(), inputs.getTypes(),
                                     ValueRange(results).getTypes()));
  function.setPrivate();
  function->setAttr(kPrimitiveAttrName, builder.getUnitAttr());

  std::string key;
  llvm::raw_string_ostream os(key);
  function.getFunctionType().print(os);
  for (Operation &op : *body)
    op.print(os, OpPrintingFlags().useLocalScope().printGenericOpForm());
  auto [it, isNew] = functions.try_emplace(key, function);
  if (!isNew) {
    function->erase();
    return it->second;
  }
  symbols.insert(function, parent->getIterator());
  ++numFunctions;
  return function;
}

void Outliner::outline(ArrayRef<Operation *> group, func::FuncOp parent) {
  // A projection of a tuple from elsewhere stays outside, so that arguments are
  // tensors; so do tuples that only gather what leaves the group.
  llvm::SetVector<Operation *> members(group.begin(), group.end());
  for (Operation *op : group)
    if (auto item = dyn_cast<TupleGetItemOp>(op))
      if (!members.contains(item.getTuple().getDefiningOp()))
        members.remove(op);
  for (Operation *op : llvm::reverse(group))
    if (isa<TupleOp>(op) && llvm::none_of(op->getUsers(), [&](Operation *u) {
          return members.contains(u);
        }))
      members.remove(op);
  if (members.empty())
    return;

  llvm::SetVector<Value> inputs;
  SmallVector<Value> outputs;
  for (Operation *op : members) {
    for (Value operand : op->getOperands())
      if (!members.contains(operand.getDefiningOp()) &&
          !isScalarConstant(operand.getDefiningOp()))
        inputs.insert(operand);
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !members.contains(user);
          }))
        outputs.push_back(result);
  }

  func::FuncOp function =
      getOrCreate(members.getArrayRef(), inputs.getArrayRef(), outputs, parent);
  Operation *last = members.back();
  builder.setInsertionPoint(last);
  auto call = CallOp::create(
      builder, function.getLoc(), function.getResultTypes(),
      FlatSymbolRefAttr::get(function.getSymNameAttr()), inputs.getArrayRef(),
      /*arg_attrs=*/nullptr, /*res_attrs=*/nullptr);
  ValueRange results = call.getResults();
  for (Value output : outputs) {
    Value value =
        unflatten(builder, output.getLoc(), output.getType(), results);
    output.replaceUsesWithIf(value, [&](OpOperand &use) {
      return !members.contains(use.getOwner());
    });
  }
  for (Operation *op : llvm::reverse(members))
    op->erase();
}

namespace {

struct FuseOpsPass : relay::impl::FuseOpsPassBase<FuseOpsPass> {
  using FuseOpsPassBase::FuseOpsPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    Outliner outliner(module);
    SmallVector<func::FuncOp> parents;
    for (auto function : module.getOps<func::FuncOp>())
      if (!function.isExternal() && !function->hasAttr(kPrimitiveAttrName))
        parents.push_back(function);
    for (func::FuncOp function : parents)
      for (Block &block : function.getBody()) {
        FusionGroups groups = computeFusionGroups(block, maxDepth, merge);
        for (ArrayRef<Operation *> group : groups.groups)
          outliner.outline(group, function);
        numGroups += groups.groups.size();
        cleanUp(block);
      }
    numFunctions += outliner.getNumFunctions();
  }

private:
  /// Projections of the tuples that outlining rebuilt become plain values, and
  /// scalar constants that moved into groups go.
  static void cleanUp(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block))
      if (auto item = dyn_cast<TupleGetItemOp>(op))
        if (auto tuple = item.getTuple().getDefiningOp<TupleOp>()) {
          item.replaceAllUsesWith(tuple.getFields()[item.getIndex()]);
          item.erase();
        }
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(block.getOperations())))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
};

} // namespace
