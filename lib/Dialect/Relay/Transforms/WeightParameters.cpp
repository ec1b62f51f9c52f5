//===- WeightParameters.cpp - Weights in other forms ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes after which a program takes some weights in another form: transposed,
// or as a sparse matrix. Who calls it gives it weights that are prepared.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "SparseWeights.h"

#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelaySparseOps.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::relay {
#define GEN_PASS_DEF_CONV2DTOSPARSEPASS
#define GEN_PASS_DEF_DENSETOSPARSEPASS
#define GEN_PASS_DEF_SIMPLIFYFCTRANSPOSEPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

namespace {

/// A parameter that takes the place of another one, or is added after it.
struct Parameter {
  std::string name;
  RankedTensorType type;
};

} // namespace

/// The functions whose parameters may change: those with a body that nothing in
/// the module refers to.
static SmallVector<func::FuncOp> getEntryFunctions(ModuleOp module) {
  llvm::StringSet<> used;
  if (auto uses = SymbolTable::getSymbolUses(&module.getBodyRegion()))
    for (SymbolTable::SymbolUse use : *uses)
      used.insert(use.getSymbolRef().getRootReference().getValue());
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() && !used.contains(function.getSymName()) &&
        !isCompiledAsItIs(function))
      functions.push_back(function);
  return functions;
}

static StringRef getParameterName(func::FuncOp function, unsigned index) {
  auto name = function.getArgAttrOfType<StringAttr>(index, kNameAttrName);
  return name ? name.getValue() : StringRef();
}

/// Adds parameters after the one with number `index`.
static FailureOr<SmallVector<Value>>
addParameters(func::FuncOp function, unsigned index,
              ArrayRef<Parameter> parameters) {
  Builder builder(function.getContext());
  SmallVector<Value> values;
  for (auto [i, parameter] : llvm::enumerate(parameters)) {
    unsigned position = index + 1 + i;
    NamedAttribute name = builder.getNamedAttr(
        kNameAttrName, builder.getStringAttr(parameter.name));
    if (failed(function.insertArgument(position, parameter.type,
                                       builder.getDictionaryAttr(name),
                                       function.getLoc())))
      return failure();
  }
  for (unsigned i = 0; i != parameters.size(); ++i)
    values.push_back(function.getArgument(index + 1 + i));
  return values;
}

/// Calls `replace` for each parameter of the entry functions from the last to
/// the first, and removes those that it leaves without a use.
static LogicalResult replaceParameters(
    ModuleOp module,
    llvm::function_ref<LogicalResult(func::FuncOp, unsigned)> replace) {
  for (func::FuncOp function : getEntryFunctions(module))
    for (unsigned index = function.getNumArguments(); index-- > 0;) {
      if (function.getArgument(index).use_empty())
        continue;
      if (failed(replace(function, index)))
        return failure();
      if (function.getArgument(index).use_empty() &&
          failed(function.eraseArgument(index)))
        return failure();
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Transposed weights
//===----------------------------------------------------------------------===//

/// Whether it swaps the dimensions of a matrix.
static bool swapsDimensions(TransposeOp op) {
  return op.getPermutation() == SmallVector<int64_t>{1, 0};
}

namespace {

struct SimplifyFCTransposePass final
    : relay::impl::SimplifyFCTransposePassBase<SimplifyFCTransposePass> {
  using Base::Base;

  void runOnOperation() override {
    llvm::StringSet<> names;
    names.insert_range(weights);
    auto replace = [&](func::FuncOp function, unsigned index) {
      if (!names.contains(getParameterName(function, index)))
        return success();
      return transpose(function, index);
    };
    if (failed(replaceParameters(getOperation(), replace)))
      signalPassFailure();
  }

private:
  LogicalResult transpose(func::FuncOp function, unsigned index) {
    SmallVector<TransposeOp> found;
    for (Operation *user : function.getArgument(index).getUsers()) {
      auto op = dyn_cast<TransposeOp>(user);
      if (op && swapsDimensions(op) &&
          llvm::all_of(op->getUses(), [](OpOperand &use) {
            return isa<NNDenseOp>(use.getOwner()) &&
                   use.getOperandNumber() == 1;
          }))
        found.push_back(op);
    }
    if (found.empty())
      return success();
    auto type = cast<RankedTensorType>(found.front().getType());
    FailureOr<SmallVector<Value>> values = addParameters(
        function, index,
        {{(getParameterName(function, index) + ".T").str(), type}});
    if (failed(values))
      return failure();
    for (TransposeOp op : found) {
      op.replaceAllUsesWith(values->front());
      op.erase();
      ++numTransposed;
    }
    return success();
  }
};

//===----------------------------------------------------------------------===//
// Sparse weights
//===----------------------------------------------------------------------===//

/// The sizes of the parts of a sparse matrix.
struct SparseShape {
  SmallVector<int64_t> data;
  int64_t numIndices, numPointers;
};

} // namespace

/// Reads entries such as `w=16x4x1:16:9`.
static LogicalResult parseShapes(ArrayRef<std::string> entries,
                                 MLIRContext *context,
                                 llvm::StringMap<SparseShape> &shapes) {
  for (StringRef entry : entries) {
    auto [name, text] = entry.rsplit('=');
    SmallVector<StringRef> parts, sizes;
    text.split(parts, ':');
    SparseShape shape;
    bool isValid = parts.size() == 3 && !name.empty() &&
                   !parts[1].getAsInteger(10, shape.numIndices) &&
                   !parts[2].getAsInteger(10, shape.numPointers);
    if (isValid)
      parts[0].split(sizes, 'x');
    for (StringRef size : sizes) {
      int64_t number = 0;
      isValid &= !size.getAsInteger(10, number) && number >= 0;
      shape.data.push_back(number);
    }
    if (!isValid || shape.numIndices < 0 || shape.numPointers < 0)
      return emitError(UnknownLoc::get(context))
             << "expects weights such as w=16x4x1:16:9, but got '" << entry
             << "'";
    shapes[name] = shape;
  }
  return success();
}

/// The parameters with the parts of a sparse weight.
static SmallVector<Parameter> getParts(StringRef name, Type elementType,
                                       const SparseShape &shape) {
  Type index = IntegerType::get(elementType.getContext(), 32);
  return {
      {(name + ".data").str(), RankedTensorType::get(shape.data, elementType)},
      {(name + ".indices").str(),
       RankedTensorType::get({shape.numIndices}, index)},
      {(name + ".indptr").str(),
       RankedTensorType::get({shape.numPointers}, index)}};
}

/// Replaces operators whose weight is one of `shapes` by those on its parts.
/// `isWeight` says of a use of a parameter whether it is such a weight.
static LogicalResult
replaceWeights(ModuleOp module, const llvm::StringMap<SparseShape> &shapes,
               llvm::function_ref<bool(OpOperand &)> isWeight,
               Pass::Statistic &numReplaced) {
  auto replace = [&](func::FuncOp function, unsigned index) -> LogicalResult {
    StringRef name = getParameterName(function, index);
    auto shape = shapes.find(name);
    if (shape == shapes.end())
      return success();
    SmallVector<Operation *> readers;
    for (OpOperand &use : function.getArgument(index).getUses())
      if (isWeight(use))
        readers.push_back(use.getOwner());
    if (readers.empty())
      return success();
    auto type = cast<RankedTensorType>(function.getArgument(index).getType());
    FailureOr<SmallVector<Value>> parts = addParameters(
        function, index, getParts(name, type.getElementType(), shape->second));
    if (failed(parts))
      return failure();
    for (Operation *reader : readers) {
      ++numReplaced;
      if (failed(makeSparse(reader, *parts)))
        return failure();
    }
    return success();
  };
  return replaceParameters(module, replace);
}

namespace {

struct DenseToSparsePass final
    : relay::impl::DenseToSparsePassBase<DenseToSparsePass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    shapes.clear();
    return parseShapes(weights, context, shapes);
  }

  void runOnOperation() override {
    auto isWeight = [](OpOperand &use) {
      return isa<NNDenseOp>(use.getOwner()) && use.getOperandNumber() == 1;
    };
    if (failed(replaceWeights(getOperation(), shapes, isWeight, numReplaced)))
      signalPassFailure();
  }

private:
  llvm::StringMap<SparseShape> shapes;
};

struct Conv2dToSparsePass final
    : relay::impl::Conv2dToSparsePassBase<Conv2dToSparsePass> {
  using Base::Base;

  LogicalResult initialize(MLIRContext *context) override {
    shapes.clear();
    if (failed(checkSparseConvolutions(layout, kernelSize, context)))
      return failure();
    return parseShapes(weights, context, shapes);
  }

  void runOnOperation() override {
    auto isWeight = [&](OpOperand &use) {
      auto conv = dyn_cast<NNConv2dOp>(use.getOwner());
      return conv && use.getOperandNumber() == 1 &&
             canBeSparse(conv, layout, kernelSize);
    };
    if (failed(replaceWeights(getOperation(), shapes, isWeight, numReplaced)))
      signalPassFailure();
  }

private:
  llvm::StringMap<SparseShape> shapes;
};

} // namespace
