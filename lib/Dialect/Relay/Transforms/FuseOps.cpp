//===- FuseOps.cpp - Group operators into primitive functions -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "OutlineLiterals.h"
#include "WeightMakers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "relay-mlir/Dialect/Relay/Analysis/FusionGroups.h"
#include "relay-mlir/Dialect/Relay/Analysis/RowGroups.h"
#include "relay-mlir/Dialect/Relay/Analysis/SizeComputations.h"
#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"
#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayMemoryOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <map>

namespace mlir::relay {
#define GEN_PASS_DEF_FUSEOPSPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

/// What a group computes, apart from where its arguments come from. Attributes
/// and types are unique in the context, so that their addresses tell them
/// apart.
using GroupKey = std::vector<uintptr_t>;

/// A group that is about to become a call.
struct Kernel {
  /// First what computes operands that are sizes, as many as `numSizeOps`.
  FusionGroup ops;
  size_t numSizeOps = 0;
  /// Arguments, in order of first use.
  llvm::SetVector<Value> inputs;
  /// Constants to copy into the body, with their contents inline.
  llvm::MapVector<Value, DenseElementsAttr> constants;
  /// If the last operation makes a tuple: the fields to return.
  std::optional<SmallVector<int64_t>> fields;
};

class FuseOps : public relay::impl::FuseOpsPassBase<FuseOps> {
public:
  using Base::Base;

  void runOnOperation() override;

private:
  void fuseBlock(Block &block, func::FuncOp function);
  void detachSizes(Block &block, Block &sizes);
  Kernel describe(FusionGroup group) const;
  void outline(Kernel kernel, func::FuncOp function);
  func::FuncOp createFunction(const Kernel &kernel, func::FuncOp before);
  std::string createName(const Kernel &kernel);

  std::optional<SymbolTable> symbols;
  /// What computes the operands of an operator that are sizes. It is outside of
  /// the block, so that no kernel is made of it.
  DenseMap<Operation *, SmallVector<Operation *>> sizeOps;
  /// Functions by what they compute.
  std::map<GroupKey, func::FuncOp> functions;
  /// How often a name was asked for.
  llvm::StringMap<unsigned> names;
};

} // namespace

//===----------------------------------------------------------------------===//
// What a group needs and gives
//===----------------------------------------------------------------------===//

/// Returns the contents of a constant with one element, which is cheaper to
/// have in the kernel than to read from memory.
static DenseElementsAttr getScalar(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  if (!constant)
    return nullptr;
  auto type = cast<RankedTensorType>(constant.getType());
  if (!type.hasStaticShape() || type.getNumElements() != 1)
    return nullptr;
  return getContents(constant.getValue());
}

/// Returns which fields of `result`, a tuple, are used.
static SmallVector<int64_t> getUsedFields(Value result) {
  SmallVector<int64_t> fields;
  for (Operation *user : result.getUsers()) {
    auto item = dyn_cast<TupleGetItemOp>(user);
    if (!item)
      return llvm::to_vector(
          llvm::seq<int64_t>(0, cast<TupleType>(result.getType()).size()));
    fields.push_back(item.getIndex());
  }
  llvm::sort(fields);
  fields.erase(llvm::unique(fields), fields.end());
  return fields;
}

Kernel FuseOps::describe(FusionGroup group) const {
  Kernel kernel;
  for (Operation *op : group)
    llvm::append_range(kernel.ops, sizeOps.lookup(op));
  kernel.numSizeOps = kernel.ops.size();
  llvm::append_range(kernel.ops, group);
  DenseSet<Operation *> members(kernel.ops.begin(), kernel.ops.end());
  for (Operation *op : kernel.ops)
    for (Value operand : op->getOperands()) {
      auto constant = operand.getDefiningOp<ConstantOp>();
      DenseElementsAttr contents = linkParams && constant
                                       ? getContents(constant.getValue())
                                       : getScalar(operand);
      if (contents)
        kernel.constants.insert({operand, contents});
      else if (!members.contains(operand.getDefiningOp()))
        kernel.inputs.insert(operand);
    }
  Value result = group.back()->getResult(0);
  if (isa<TupleType>(result.getType()))
    kernel.fields = getUsedFields(result);
  return kernel;
}

static GroupKey getKey(const Kernel &kernel) {
  GroupKey key;
  auto add = [&](const void *pointer) {
    key.push_back(reinterpret_cast<uintptr_t>(pointer));
  };
  DenseMap<Value, unsigned> numbers;
  auto define = [&](Value value) {
    numbers.insert({value, numbers.size()});
    add(value.getType().getAsOpaquePointer());
  };
  key.push_back(kernel.inputs.size());
  llvm::for_each(kernel.inputs, define);
  key.push_back(kernel.constants.size());
  for (auto [value, scalar] : kernel.constants) {
    add(scalar.getAsOpaquePointer());
    define(value);
  }
  for (Operation *op : kernel.ops) {
    add(op->getName().getAsOpaquePointer());
    add(op->getAttrDictionary().getAsOpaquePointer());
    key.push_back(op->getNumOperands());
    for (Value operand : op->getOperands())
      key.push_back(numbers.lookup(operand));
    llvm::for_each(op->getResults(), define);
  }
  if (kernel.fields)
    llvm::append_range(key, *kernel.fields);
  return key;
}

static Location getLoc(const Kernel &kernel) {
  SmallVector<Location> locations;
  for (Operation *op : kernel.ops)
    locations.push_back(op->getLoc());
  return FusedLoc::get(kernel.ops.front()->getContext(), locations);
}

//===----------------------------------------------------------------------===//
// Outlining
//===----------------------------------------------------------------------===//

std::string FuseOps::createName(const Kernel &kernel) {
  std::string name = "fused";
  std::string rest;
  for (Operation *op : ArrayRef(kernel.ops).drop_front(kernel.numSizeOps)) {
    if (isa<TupleOp, TupleGetItemOp>(op))
      continue;
    std::string part = ("_" + op->getName().stripDialect()).str();
    llvm::replace(part, '.', '_');
    // A long group is told apart by a digest of what does not fit.
    (rest.empty() && name.size() + part.size() <= 80 ? name : rest) += part;
  }
  if (!rest.empty())
    name += "_" + llvm::utohexstr(llvm::xxh3_64bits(rest), /*LowerCase=*/true);

  std::string unique = name;
  do {
    unsigned &count = names[name];
    if (count > 0)
      unique = name + "_" + std::to_string(count);
    ++count;
  } while (symbols->lookup(unique));
  return unique;
}

func::FuncOp FuseOps::createFunction(const Kernel &kernel,
                                     func::FuncOp before) {
  OpBuilder builder(before);
  Location loc = getLoc(kernel);
  auto function = func::FuncOp::create(builder, loc, createName(kernel),
                                       builder.getFunctionType({}, {}));
  function.setPrivate();
  function->setAttr(kPrimitiveAttrName, builder.getUnitAttr());

  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  IRMapping mapping;
  for (Value input : kernel.inputs)
    mapping.map(input, body->addArgument(input.getType(), input.getLoc()));
  for (auto [value, scalar] : kernel.constants)
    mapping.map(value, ConstantOp::create(builder, value.getLoc(), scalar));
  for (Operation *op : kernel.ops)
    builder.clone(*op, mapping);

  Value result = mapping.lookup(kernel.ops.back()->getResult(0));
  SmallVector<Value> results;
  if (!kernel.fields)
    results.push_back(result);
  else
    for (int64_t field : *kernel.fields)
      results.push_back(
          TupleGetItemOp::create(builder, result.getLoc(), result, field));
  func::ReturnOp::create(builder, loc, results);
  function.setType(builder.getFunctionType(body->getArgumentTypes(),
                                           ValueRange(results).getTypes()));
  symbols->insert(function);
  ++numFunctions;
  return function;
}

void FuseOps::outline(Kernel kernel, func::FuncOp function) {
  func::FuncOp &callee = functions[getKey(kernel)];
  if (!callee)
    callee = createFunction(kernel, function);

  Operation *last = kernel.ops.back();
  OpBuilder builder(last);
  auto call = CallOp::create(builder, getLoc(kernel), callee.getResultTypes(),
                             callee.getSymName(), kernel.inputs.getArrayRef(),
                             /*arg_attrs=*/{}, /*res_attrs=*/{});
  Value result = last->getResult(0);
  if (!kernel.fields) {
    result.replaceAllUsesWith(call.getResult(0));
  } else {
    for (Operation *user : llvm::make_early_inc_range(result.getUsers())) {
      auto item = dyn_cast<TupleGetItemOp>(user);
      if (!item)
        continue;
      auto field = llvm::find(*kernel.fields, item.getIndex());
      item.replaceAllUsesWith(call.getResult(field - kernel.fields->begin()));
      item.erase();
    }
    if (!result.use_empty())
      result.replaceAllUsesWith(
          TupleOp::create(builder, last->getLoc(), call.getResults()));
  }
  for (Operation *op : llvm::reverse(kernel.ops))
    op->erase();
  ++numGroups;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Removes what no kernel should compute: fields of tuples that are at hand and
/// operations without a use.
static void simplifyBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (auto item = dyn_cast<TupleGetItemOp>(op))
      if (auto tuple = item.getTuple().getDefiningOp<TupleOp>())
        item.replaceAllUsesWith(tuple.getFields()[item.getIndex()]);
    if (isOpTriviallyDead(&op))
      op.erase();
  }
}

/// Whether a part for another compiler begins or ends.
static bool isBorder(Operation *op) {
  return isa<AnnotationCompilerBeginOp, AnnotationCompilerEndOp>(op);
}

/// Removes from `group` what is no operator of its kernel: projections of
/// tuples that another kernel makes, as its results, tuples that are only made,
/// copies between devices, which no kernel can do, ends of variables, and
/// borders of what others take.
static void trimGroup(FusionGroup &group) {
  DenseSet<Operation *> members(group.begin(), group.end());
  llvm::erase_if(group, [&](Operation *op) {
    auto item = dyn_cast<TupleGetItemOp>(op);
    return item && !members.contains(item.getTuple().getDefiningOp());
  });
  if (llvm::all_of(group, [](Operation *op) {
        return isBorder(op) ||
               isa<DeviceCopyOp, MemoryKillOp, TupleOp, TupleGetItemOp>(op);
      }))
    group.clear();
}

/// Removes marks that keep groups apart, which have done that.
static void removeMarkers(FusionGroup &group) {
  for (Operation *&op : group)
    if (isa<AnnotationStopFusionOp>(op)) {
      op->replaceAllUsesWith(op->getOperands());
      op->erase();
      op = nullptr;
    }
  llvm::erase(group, nullptr);
}

/// Gives each operator of `block` copies, in `sizes`, of what computes its
/// operands that are sizes. What is computed from elements stays where it is.
void FuseOps::detachSizes(Block &block, Block &sizes) {
  for (Operation &op : block) {
    auto consumer = dyn_cast<SizeOperandsOpInterface>(op);
    if (!consumer)
      continue;
    OpBuilder builder(&getContext());
    builder.setInsertionPointToEnd(&sizes);
    IRMapping mapping;
    for (unsigned index : consumer.getSizeOperands()) {
      OpOperand &operand = op.getOpOperand(index);
      std::optional<SmallVector<Operation *>> computation =
          getSizeComputation(operand.get());
      if (!computation)
        continue;
      for (Operation *source : *computation) {
        // The kernel has those of one element without a copy.
        if (mapping.contains(source) || getScalar(source->getResult(0)))
          continue;
        Operation *copy = builder.clone(*source, mapping);
        if (auto constant = dyn_cast<ConstantOp>(copy))
          if (DenseElementsAttr contents = getContents(constant.getValue()))
            constant.setValueAttr(contents);
        sizeOps[&op].push_back(copy);
      }
      operand.set(mapping.lookupOrDefault(operand.get()));
    }
  }
}

void FuseOps::fuseBlock(Block &block, func::FuncOp function) {
  simplifyBlock(block);
  Block sizes;
  sizeOps.clear();
  detachSizes(block, sizes);
  simplifyBlock(block);
  if (merge && rows)
    for (FusionGroup &group : computeRowGroups(block, maxDepth))
      outline(describe(std::move(group)), function);
  SmallVector<FusionGroup> groups =
      computeFusionGroups(block, merge ? maxDepth : 1);
  // Before the first is outlined, because that removes projections.
  for (FusionGroup &group : groups) {
    trimGroup(group);
    removeMarkers(group);
  }
  if (merge) {
    OperatorTargets targets(function);
    joinWeightMakers(groups, targets);
    joinBlockSums(groups, targets);
  }
  for (FusionGroup &group : groups)
    if (!group.empty())
      outline(describe(std::move(group)), function);
  // Constants that were copied.
  simplifyBlock(block);
}

void FuseOps::runOnOperation() {
  symbols.emplace(getOperation());
  functions.clear();
  names.clear();
  // What a program calls as a kernel is one, also if it comes from where no
  // function is private.
  getOperation().walk([&](CallOp call) {
    auto callee = symbols->lookup<func::FuncOp>(call.getCallee());
    if (callee && callee->hasAttr(kPrimitiveAttrName))
      callee.setPrivate();
  });
  for (auto function :
       llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>())) {
    if (isCompiledAsItIs(function))
      continue;
    outlineLiterals(function, *symbols);
    SmallVector<Block *> blocks;
    function.walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      fuseBlock(*block, function);
  }
}
