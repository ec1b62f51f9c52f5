//===- CombineParallelOpBatch.cpp - One batch for parallel branches -------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "ParallelBranches.h"

#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::relay {
#define GEN_PASS_DEF_COMBINEPARALLELOPBATCHPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

namespace {

struct CombineParallelOpBatchPass final
    : relay::impl::CombineParallelOpBatchPassBase<CombineParallelOpBatchPass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override;
  void runOnOperation() override;

private:
  LogicalResult combine(ArrayRef<Operation *> roots);
  Operation *createBatchOp(OpBuilder &builder, Operation *model,
                           ValueRange operands);

  const OperatorSchema *batchSchema = nullptr;
  DictionaryAttr moreAttributes;
};

} // namespace

static RankedTensorType getTensorType(Value value) {
  return dyn_cast<RankedTensorType>(value.getType());
}

static std::string getOperationName(StringRef operatorName) {
  return (RelayDialect::getDialectNamespace() + "." + operatorName).str();
}

//===----------------------------------------------------------------------===//
// What is combined
//===----------------------------------------------------------------------===//

static bool areTypesEqual(ValueRange a, ValueRange b) {
  return llvm::equal(a.getTypes(), b.getTypes());
}

/// Whether two calls differ in what their operands hold only. Sizes that are
/// not known may differ, but for those of the data, which is the same.
static bool areCompatible(Operation *a, Operation *b) {
  return a->getAttrDictionary() == b->getAttrDictionary() &&
         areTypesEqual(a->getOperands(), b->getOperands()) &&
         llvm::all_of(a->getOperands().drop_front(), [](Value value) {
           return getTensorType(value).hasStaticShape();
         });
}

/// Whether the followers of all branches at `level` are one operator on a
/// batch.
static bool canCombineLevel(ArrayRef<Branch> branches, unsigned level) {
  if (!areAlike(branches, level))
    return false;
  const Branch &model = branches.front();
  // Takes a vector, so there is none for a batch.
  if (isa<NNBiasAddOp>(model[level]))
    return false;
  for (const Branch &branch : branches)
    for (auto [operand, wanted] : llvm::zip_equal(
             branch[level]->getOperands(), model[level]->getOperands())) {
      if (operand == branch[level - 1]->getResult(0))
        continue;
      RankedTensorType type = getTensorType(operand);
      if (!type || !type.hasStaticShape() || type != wanted.getType() ||
          !isAvailable(operand, model.front()))
        return false;
    }
  return true;
}

//===----------------------------------------------------------------------===//
// The batch
//===----------------------------------------------------------------------===//

/// The value with leading dimensions of size 1, as many as `rank` asks for.
static Value expandTo(OpBuilder &builder, Value value, int64_t rank) {
  RankedTensorType type = getTensorType(value);
  int64_t missing = rank - type.getRank();
  if (missing == 0)
    return value;
  SmallVector<int64_t> shape(missing, 1);
  llvm::append_range(shape, type.getShape());
  return ExpandDimsOp::create(
      builder, value.getLoc(), TypeRange(type.clone(shape)), value,
      {builder.getNamedAttr("axis", builder.getI64IntegerAttr(0)),
       builder.getNamedAttr("num_newaxis",
                            builder.getI64IntegerAttr(missing))});
}

static Value stack(OpBuilder &builder, Location loc, ValueRange values) {
  RankedTensorType type = getTensorType(values.front());
  SmallVector<int64_t> shape = {int64_t(values.size())};
  llvm::append_range(shape, type.getShape());
  return StackOp::create(builder, loc, TypeRange(type.clone(shape)), values,
                         ArrayRef<NamedAttribute>());
}

/// Makes the operator on the batch; null after an error.
Operation *CombineParallelOpBatchPass::createBatchOp(OpBuilder &builder,
                                                     Operation *model,
                                                     ValueRange operands) {
  NamedAttrList attributes;
  for (NamedAttribute attribute : model->getAttrs())
    if (batchSchema->lookupAttribute(attribute.getName()))
      attributes.push_back(attribute);
  for (NamedAttribute attribute : moreAttributes)
    attributes.set(attribute.getName(), attribute.getValue());
  RankedTensorType type = getTensorType(model->getResult(0));
  SmallVector<int64_t> shape = {getTensorType(operands.front()).getDimSize(0)};
  llvm::append_range(shape, type.getShape());
  auto reject = [&]() -> Operation * {
    model->emitError("cannot make a batch of '")
        << opName.getValue() << "' by '" << batchOpName.getValue() << "'";
    return nullptr;
  };
  std::optional<unsigned> most = batchSchema->getMaxArguments();
  if (operands.size() < batchSchema->getMinArguments() ||
      (most && operands.size() > *most) ||
      llvm::any_of(llvm::zip(operands, batchSchema->operands), [](auto pair) {
        auto [operand, schema] = pair;
        return !schema.accepts(operand.getType());
      }))
    return reject();
  OperationState state(model->getLoc(), getOperationName(batchOpName));
  state.addOperands(operands);
  state.addAttributes(attributes);
  state.addTypes(type.clone(shape));
  Operation *batch = builder.create(state);
  // Reports at the branch what does not fit.
  SmallVector<Type> types;
  auto inference = dyn_cast<InferTypeOpInterface>(batch);
  if (!inference ||
      failed(inference.inferReturnTypes(
          &getContext(), model->getLoc(), batch->getOperands(),
          batch->getAttrDictionary(), batch->getPropertiesStorage(),
          batch->getRegions(), types)) ||
      types != SmallVector<Type>(batch->getResultTypes())) {
    batch->erase();
    return reject();
  }
  return batch;
}

/// Cuts the batch into what the branches computed.
static void cutApart(OpBuilder &builder, Location loc, Value batch,
                     SmallVector<Value> results) {
  RankedTensorType type = getTensorType(results.front());
  SmallVector<int64_t> shape = {1};
  llvm::append_range(shape, type.getShape());
  SmallVector<Type> parts(results.size(), type.clone(shape));
  Value split = SplitOp::create(
      builder, loc, TypeRange(builder.getTupleType(parts)), batch,
      {builder.getNamedAttr("indices_or_sections",
                            builder.getI64IntegerAttr(results.size()))});
  for (auto [index, result] : llvm::enumerate(results)) {
    Value part = TupleGetItemOp::create(builder, result.getLoc(), split, index);
    Value squeezed = SqueezeOp::create(
        builder, result.getLoc(), TypeRange(result.getType()), part,
        {builder.getNamedAttr("axis", builder.getDenseI64ArrayAttr({0}))});
    result.replaceAllUsesWith(squeezed);
  }
}

LogicalResult CombineParallelOpBatchPass::combine(ArrayRef<Operation *> roots) {
  SmallVector<Branch> branches = llvm::map_to_vector(roots, getBranch);
  Operation *first = roots.front();
  Location loc = getBranchesLoc(roots);
  OpBuilder builder(first);
  auto gather = [&](unsigned level, unsigned index, int64_t rank) {
    SmallVector<Value> values;
    for (const Branch &branch : branches) {
      Value value = branch[level]->getOperand(index);
      makeAvailable(value, first);
      builder.setInsertionPoint(first);
      values.push_back(expandTo(builder, value, rank));
    }
    return stack(builder, loc, values);
  };

  SmallVector<Value> operands;
  for (unsigned i = 0; i != first->getNumOperands(); ++i)
    operands.push_back(
        gather(0, i, getTensorType(first->getOperand(i)).getRank()));
  Operation *batchOp = createBatchOp(builder, first, operands);
  if (!batchOp)
    return failure();
  batchOp->setLoc(loc);
  Value batch = batchOp->getResult(0);
  RankedTensorType type = getTensorType(first->getResult(0));

  unsigned numLevels = 1;
  for (; canCombineLevel(branches, numLevels); ++numLevels) {
    Operation *model = branches.front()[numLevels];
    IRMapping mapping;
    for (auto [index, operand] : llvm::enumerate(model->getOperands()))
      mapping.map(operand,
                  operand == branches.front()[numLevels - 1]->getResult(0)
                      ? batch
                      : gather(numLevels, index, type.getRank()));
    builder.setInsertionPoint(first);
    Operation *op = builder.clone(*model, mapping);
    op->setLoc(loc);
    op->getResult(0).setType(batch.getType());
    batch = op->getResult(0);
  }
  cutApart(builder, loc, batch,
           llvm::map_to_vector(branches, [&](const Branch &branch) {
             return Value(branch[numLevels - 1]->getResult(0));
           }));
  eraseLevels(branches, numLevels);
  numCombined += branches.size();
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

LogicalResult CombineParallelOpBatchPass::initialize(MLIRContext *context) {
  auto lookup = [&](StringRef option, StringRef name) {
    const OperatorSchema *schema = getOperatorSchema(name);
    if (!schema || schema->takesAnyAttribute) {
      emitError(UnknownLoc::get(context))
          << "expects " << option << " to be an operator, but got '" << name
          << "'";
      schema = nullptr;
    }
    return schema;
  };
  batchSchema = lookup("batch-op", batchOpName);
  if (!batchSchema || !lookup("op", opName))
    return failure();
  moreAttributes = dyn_cast_if_present<DictionaryAttr>(
      parseAttribute("{" + attributes + "}", context));
  if (!moreAttributes)
    return emitError(UnknownLoc::get(context))
           << "expects attributes to be a list of name=value, but got '"
           << attributes << "'";
  for (NamedAttribute attribute : moreAttributes)
    if (!batchSchema->lookupAttribute(attribute.getName()))
      return emitError(UnknownLoc::get(context))
             << "expects attributes of '" << batchOpName << "', but got "
             << attribute.getName();
  return success();
}

void CombineParallelOpBatchPass::runOnOperation() {
  std::string name = getOperationName(opName);
  SmallVector<Block *> blocks;
  getOperation().walk([&](Block *block) { blocks.push_back(block); });
  for (Block *block : blocks) {
    llvm::MapVector<Value, SmallVector<SmallVector<Operation *>>> groups;
    for (Operation &op : *block) {
      if (op.getName().getStringRef() != name || op.getNumOperands() == 0 ||
          op.getNumResults() != 1 ||
          !llvm::all_of(op.getOperands(), getTensorType) ||
          !getTensorType(op.getResult(0)))
        continue;
      auto &candidates = groups[op.getOperand(0)];
      auto *group = llvm::find_if(candidates, [&](const auto &candidate) {
        Operation *first = candidate.front();
        return areCompatible(first, &op) &&
               llvm::all_of(op.getOperands(), [&](Value operand) {
                 return isAvailable(operand, first);
               });
      });
      if (group == candidates.end())
        candidates.push_back({&op});
      else
        group->push_back(&op);
    }
    for (auto &[data, candidates] : groups)
      for (ArrayRef<Operation *> roots : candidates)
        if (roots.size() >= minNumBranches && roots.size() > 1 &&
            areCompatible(roots.front(), roots.front()) &&
            failed(combine(roots)))
          return signalPassFailure();
  }
}
