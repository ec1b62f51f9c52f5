//===- OutlineTensors.cpp - Cut a program into tensors and glue -----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each block is cut for itself. An operation has a depth: how often a path to
// it, over values of the block, goes from operators to something else. Two
// operators of one depth cannot be on a cycle through glue, so those that are
// connected become one function. Glue with effects is never less deep than the
// glue with effects before it, so that in the order of depths all effects are
// in the order of the program.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Conversion/RelayToRelax/RelayToRelax.h"

#include "CarrySizes.h"

#include "relay-mlir/Dialect/Relay/Analysis/SizeComputations.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"
#include "relay-mlir/Dialect/Relay/IR/TensorFunctions.h"
#include "relay-mlir/Dialect/Relay/IR/TupleLeaves.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

#include <map>

namespace mlir::relay {
#define GEN_PASS_DEF_OUTLINETENSORSPASS
#include "relay-mlir/Conversion/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

/// A tensor, or a tuple of such types.
static bool isFlat(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type))
    return llvm::all_of(tuple.getTypes(), isFlat);
  return isa<RankedTensorType>(type);
}

static bool areFlat(Operation *op) {
  return llvm::all_of(op->getOperandTypes(), isFlat) &&
         llvm::all_of(op->getResultTypes(), isFlat);
}

namespace {

class Outlining {
public:
  Outlining(ModuleOp module) : module(module), symbols(module) {}

  void run(func::FuncOp function);

private:
  /// What is known of an operation of the block at hand.
  struct Info {
    bool isOperator = false;
    unsigned depth = 0;
  };

  bool isLanguage(Operation *op) const;
  void sink(func::FuncOp function);
  void separateSizes(func::FuncOp function);
  void separateTuples(Block &block);
  void join(Operation &op, DenseMap<Operation *, Info> &infos,
            llvm::EquivalenceClasses<Operation *> &groups);
  void cut(Block &block);
  void cutNested(Block &block);
  void outline(ArrayRef<Operation *> group);
  void nameInputs(func::FuncOp outlined, ArrayRef<Value> inputs);
  void nameResults(func::FuncOp outlined, ArrayRef<Value> outputs);

  ModuleOp module;
  SymbolTable symbols;
  /// What computes sizes of one operator alone.
  llvm::SmallPtrSet<Operation *, 16> sizeOps;
  /// The function at hand, and how many were cut from it.
  func::FuncOp source;
  unsigned numOutlined = 0;
};

} // namespace

/// Whether `op` is an operation of the language, which is glue but for those
/// that only move tensors about. Primitive functions, the code of others among
/// them, take and give tensors as operators do.
bool Outlining::isLanguage(Operation *op) const {
  if (auto call = dyn_cast<CallOp>(op)) {
    Operation *callee = symbols.lookup(call.getCallee());
    return !callee || !callee->hasAttr(kPrimitiveAttrName);
  }
  return isa<CallIndirectOp, ConstantOp, ConstructOp, DebugOp, FnOp, GlobalOp,
             IfOp, LetOp, MatchOp, RefCreateOp, RefReadOp, RefWriteOp, TupleOp,
             TupleGetItemOp, ApplyOp>(op) ||
         op->hasTrait<OpTrait::IsTerminator>();
}

/// Brings constants and names into the blocks that use them: they are no
/// values that a closure or an operator would take from outside. Removes
/// bindings, which are aliases here.
void Outlining::sink(func::FuncOp function) {
  function.walk([](LetOp let) {
    let.replaceAllUsesWith(let.getValue());
    let.erase();
  });
  SmallVector<Operation *> leaves;
  function.walk([&](Operation *op) {
    if (isa<ConstantOp, GlobalOp>(op))
      leaves.push_back(op);
  });
  for (Operation *op : leaves) {
    llvm::SmallDenseMap<Block *, Operation *> copies;
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses())) {
      Block *block = use.getOwner()->getBlock();
      if (block == op->getBlock())
        continue;
      Operation *&copy = copies[block];
      if (!copy)
        copy = OpBuilder::atBlockBegin(block).clone(*op);
      use.set(copy->getResult(0));
    }
    if (op->use_empty())
      op->erase();
  }
}

/// Gives operators what computes their sizes, which can go where they go: from
/// another function it would come as elements.
void Outlining::separateSizes(func::FuncOp function) {
  SmallVector<SizeOperandsOpInterface> ops;
  function.walk([&](SizeOperandsOpInterface op) { ops.push_back(op); });
  for (SizeOperandsOpInterface op : ops)
    for (unsigned index : op.getSizeOperands()) {
      OpOperand &operand = op->getOpOperand(index);
      std::optional<SmallVector<Operation *>> computation =
          getSizeComputation(operand.get());
      if (!computation)
        continue;
      OpBuilder builder(op);
      IRMapping mapping;
      for (Operation *part : *computation)
        if (!isa<ConstantOp>(part))
          sizeOps.insert(builder.clone(*part, mapping));
      operand.set(mapping.lookupOrDefault(operand.get()));
    }
}

/// Gives operators tuples of their own, which can go where they go.
void Outlining::separateTuples(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto item = dyn_cast<TupleGetItemOp>(op)) {
      if (auto tuple = item.getTuple().getDefiningOp<TupleOp>()) {
        item.replaceAllUsesWith(tuple->getOperand(item.getIndex()));
        item.erase();
      }
      continue;
    }
    if (isLanguage(&op) || !areFlat(&op))
      continue;
    for (OpOperand &operand : op.getOpOperands())
      if (auto tuple = operand.get().getDefiningOp<TupleOp>()) {
        OpBuilder builder(&op);
        operand.set(builder.clone(*tuple)->getResult(0));
        if (tuple->use_empty())
          tuple.erase();
      }
  }
}

/// Puts an operator into the group of its operands that are as deep. Tuples and
/// sizes that were made for it are as deep as it is.
void Outlining::join(Operation &op, DenseMap<Operation *, Info> &infos,
                     llvm::EquivalenceClasses<Operation *> &groups) {
  for (Value value : op.getOperands()) {
    Operation *def = value.getDefiningOp();
    if (!def || !infos.lookup(def).isOperator)
      continue;
    if (isa<TupleOp>(def) || sizeOps.contains(def)) {
      infos[def].depth = infos.lookup(&op).depth;
      groups.unionSets(def, &op);
      join(*def, infos, groups);
    } else if (infos.lookup(def).depth == infos.lookup(&op).depth) {
      groups.unionSets(def, &op);
    }
  }
}

void Outlining::cut(Block &block) {
  DenseMap<Operation *, Info> infos;
  llvm::EquivalenceClasses<Operation *> groups;
  unsigned lastEffect = 0;
  for (Operation &op : block) {
    Info info;
    auto isOperator = [&](Operation *other) {
      return other && infos.lookup(other).isOperator;
    };
    if (isa<TupleOp>(op))
      info.isOperator = areFlat(&op) && !op.use_empty() &&
                        llvm::all_of(op.getUsers(), [&](Operation *user) {
                          return user->getBlock() == &block &&
                                 !isLanguage(user) && areFlat(user);
                        });
    else if (isa<TupleGetItemOp>(op))
      info.isOperator =
          isOperator(op.getOperand(0).getDefiningOp()) && areFlat(&op);
    else if (auto ascribe = dyn_cast<AscribeOp>(op))
      info.isOperator = areFlat(&op) && ascribe.isChecked();
    else
      info.isOperator = !isLanguage(&op) && areFlat(&op);

    llvm::SetVector<Value> used(op.operand_begin(), op.operand_end());
    for (Region &region : op.getRegions())
      getUsedValuesDefinedAbove(region, used);
    for (Value value : used) {
      Operation *def = value.getDefiningOp();
      if (!def || def->getBlock() != &block || isa<ConstantOp>(def))
        continue;
      Info from = infos.lookup(def);
      info.depth =
          std::max(info.depth,
                   from.depth + unsigned(from.isOperator && !info.isOperator));
    }
    if (!info.isOperator && !isMemoryEffectFree(&op)) {
      info.depth = std::max(info.depth, lastEffect);
      lastEffect = info.depth;
    }
    infos[&op] = info;
    if (!info.isOperator)
      continue;
    groups.insert(&op);
    // These join with what they were made for.
    if (!isa<TupleOp>(op) && !sizeOps.contains(&op))
      join(op, infos, groups);
  }

  // In the order of depths; glue of a depth comes before its operators.
  std::map<std::pair<unsigned, bool>, SmallVector<Operation *>> byRank;
  for (Operation &op : block.without_terminator()) {
    // Constants depend on nothing.
    const Info &info = infos[&op];
    byRank[isa<ConstantOp>(op) ? std::pair(0u, false)
                               : std::pair(info.depth, info.isOperator)]
        .push_back(&op);
  }
  llvm::MapVector<Operation *, SmallVector<Operation *>> members;
  Operation *end = block.getTerminator();
  for (auto &[rank, ops] : byRank)
    for (Operation *op : ops) {
      op->moveBefore(end);
      if (infos[op].isOperator)
        members[groups.getLeaderValue(op)].push_back(op);
    }
  // A group is a whole where its last member is.
  for (auto &[leader, group] : members)
    for (Operation *op : ArrayRef(group).drop_back())
      op->moveBefore(group.back());
  for (auto &[leader, group] : members)
    outline(group);
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Parameters are called as in the program, as far as that tells them apart.
void Outlining::nameInputs(func::FuncOp outlined, ArrayRef<Value> inputs) {
  llvm::StringSet<> known;
  for (auto [number, input] : llvm::enumerate(inputs)) {
    if (input && relay::detail::isSizedOnly(input)) {
      // The run time knows by this that there are no elements.
      outlined.setArgAttr(
          number, kNameAttrName,
          StringAttr::get(module.getContext(),
                          relay::detail::kSizesPrefix + Twine(number)));
      continue;
    }
    auto argument = dyn_cast_if_present<BlockArgument>(input);
    if (!argument)
      continue;
    Operation *owner = argument.getOwner()->getParentOp();
    StringAttr name;
    if (auto function = dyn_cast<func::FuncOp>(owner)) {
      unsigned index = argument.getArgNumber();
      name = function.getArgAttrOfType<StringAttr>(index, kNameAttrName);
      if (Attribute dims = function.getArgAttr(index, kDimsAttrName))
        outlined.setArgAttr(number, kDimsAttrName, dims);
    } else if (auto fn = dyn_cast<FnOp>(owner)) {
      auto *param = llvm::find(fn.getParams(), argument);
      if (param != fn.getParams().end())
        name = fn.getParamName(param - fn.getParams().begin());
    }
    if (name && known.insert(name.getValue()).second)
      outlined.setArgAttr(number, kNameAttrName, name);
  }
}

/// So are results that the program has as its own.
void Outlining::nameResults(func::FuncOp outlined, ArrayRef<Value> outputs) {
  unsigned number = 0;
  for (Value output : outputs) {
    size_t numLeaves = getLeafTypes(output.getType()).size();
    for (OpOperand &use : output.getUses())
      if (numLeaves == 1 && isa<func::ReturnOp>(use.getOwner()))
        if (auto name = source.getResultAttrOfType<StringAttr>(
                use.getOperandNumber(), kNameAttrName))
          outlined.setResultAttr(number, kNameAttrName, name);
    number += numLeaves;
  }
}

/// Makes values of the types of `values` from the leaves of all of them.
static void mapTuples(OpBuilder &builder, Location loc, ArrayRef<Value> values,
                      ValueRange leaves, function_ref<void(Value, Value)> map) {
  for (Value value : values) {
    size_t count = getLeafTypes(value.getType()).size();
    map(value, makeFromLeaves(builder, loc, value.getType(),
                              SmallVector<Value>(leaves.take_front(count))));
    leaves = leaves.drop_front(count);
  }
}

void Outlining::outline(ArrayRef<Operation *> group) {
  llvm::SmallPtrSet<Operation *, 16> inside(group.begin(), group.end());
  llvm::SetVector<Value> inputs, outputs;
  for (Operation *op : group) {
    for (Value value : op->getOperands())
      if (Operation *def = value.getDefiningOp();
          !inside.contains(def) && !isa_and_nonnull<ConstantOp>(def))
        inputs.insert(value);
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !inside.contains(user); }))
        outputs.insert(result);
  }

  Operation *last = group.back();
  Location loc = last->getLoc();
  OpBuilder builder(last);
  SmallVector<Value> arguments, sources;
  for (Value input : inputs) {
    SmallVector<Value> leaves = getLeaves(builder, input);
    // Only a tensor itself has the name that its value has.
    sources.append(leaves.size(), leaves.size() == 1 ? input : Value());
    llvm::append_range(arguments, leaves);
  }

  auto function = func::FuncOp::create(
      loc, (source.getSymName() + "." + Twine(numOutlined++)).str(),
      builder.getFunctionType(ValueRange(arguments).getTypes(), {}));
  function->setAttr(kTensorFunctionAttrName, builder.getUnitAttr());
  Block *body = function.addEntryBlock();
  for (auto [argument, value] :
       llvm::zip_equal(body->getArguments(), arguments))
    argument.setLoc(value.getLoc());
  OpBuilder inner = OpBuilder::atBlockBegin(body);
  IRMapping mapping;
  mapTuples(inner, loc, inputs.getArrayRef(), body->getArguments(),
            [&](Value input, Value param) { mapping.map(input, param); });
  for (Operation *op : group) {
    for (Value value : op->getOperands())
      if (auto constant = value.getDefiningOp<ConstantOp>();
          constant && !mapping.contains(value))
        mapping.map(value, inner.clone(*constant)->getResult(0));
    inner.clone(*op, mapping);
  }
  SmallVector<Value> results;
  for (Value output : outputs)
    llvm::append_range(results, getLeaves(inner, mapping.lookup(output)));
  func::ReturnOp::create(inner, loc, results);
  function.setFunctionType(builder.getFunctionType(
      function.getArgumentTypes(), ValueRange(results).getTypes()));
  nameInputs(function, sources);
  nameResults(function, outputs.getArrayRef());
  symbols.insert(function);

  auto call = CallOp::create(builder, loc, ValueRange(results).getTypes(),
                             FlatSymbolRefAttr::get(function), arguments,
                             /*arg_attrs=*/ArrayAttr(),
                             /*res_attrs=*/ArrayAttr());
  mapTuples(
      builder, loc, outputs.getArrayRef(), call->getResults(),
      [](Value output, Value result) { output.replaceAllUsesWith(result); });
  for (Operation *op : llvm::reverse(group))
    op->erase();
}

/// Blocks of what has left `block` are no longer there.
void Outlining::cutNested(Block &block) {
  cut(block);
  for (Operation &op : block)
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        cutNested(inner);
}

void Outlining::run(func::FuncOp function) {
  source = function;
  numOutlined = 0;
  relay::detail::carrySizes(function);
  sizeOps.clear();
  separateSizes(function);
  sink(function);
  // What nothing needs would be a function without results.
  function.walk([&](Block *block) {
    separateTuples(*block);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
      if (isOpTriviallyDead(&op)) {
        sizeOps.erase(&op);
        op.erase();
      }
  });
  for (Block &block : function.getBody())
    cutNested(block);
  // Constants that only operators used.
  function.walk([](ConstantOp constant) {
    if (constant.use_empty())
      constant.erase();
  });
}

namespace {

struct OutlineTensorsPass final
    : relay::impl::OutlineTensorsPassBase<OutlineTensorsPass> {
  void runOnOperation() override {
    Outlining outlining(getOperation());
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (!function.isExternal() && !function->hasAttr(kPrimitiveAttrName) &&
          !function->hasAttr(kTensorFunctionAttrName))
        outlining.run(function);
  }
};

} // namespace
