//===- ConvertLayout.cpp - Run operators in other layouts -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/Transforms/Passes.h"

#include "ConvertLayoutPlan.h"

#include "relay-mlir/Dialect/Relay/IR/FunctionAttributes.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace mlir::relay {
#define GEN_PASS_DEF_CONVERTLAYOUTPASS
#include "relay-mlir/Dialect/Relay/Transforms/Passes.h.inc"
} // namespace mlir::relay

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

namespace {

/// Rewrites a function as planned. Each value is there in the orders that it
/// was asked for, each made once.
class LayoutRewriter {
public:
  LayoutRewriter(func::FuncOp function, const LayoutPlan &plan)
      : function(function), plan(plan), builder(function.getContext()) {}

  void run();

  int64_t numConverted = 0, numTransforms = 0;

private:
  using StoredValue = std::pair<DimOrder, Value>;

  void rewrite(Operation *op);
  Value get(Value value, ArrayRef<int64_t> order);
  SmallVector<StoredValue, 2> &getStored(Value value);
  Value convert(Value value, const StoredValue &source,
                ArrayRef<int64_t> order);
  Value convertTuple(Value value, const StoredValue &source,
                     ArrayRef<int64_t> order);
  Value buildTranspose(Location loc, Value data, ArrayRef<int64_t> axes,
                       StringRef letters = "");

  func::FuncOp function;
  const LayoutPlan &plan;
  OpBuilder builder;
  DenseMap<Value, SmallVector<StoredValue, 2>> stored;
  /// The layout of the value that get() is asked for, if it is a kernel.
  StringRef kernelLayout;
};

} // namespace

SmallVector<std::pair<DimOrder, Value>, 2> &
LayoutRewriter::getStored(Value value) {
  auto [it, isNew] = stored.try_emplace(value);
  if (isNew)
    it->second.push_back({DimOrder(), value});
  return it->second;
}

Value LayoutRewriter::get(Value value, ArrayRef<int64_t> order) {
  SmallVector<StoredValue, 2> &list = getStored(value);
  for (const auto &[other, contents] : list)
    if (ArrayRef<int64_t>(other) == order)
      return contents;
  const StoredValue *source = &list.front();
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    for (const StoredValue &other : list)
      if (relay::detail::isSameSequence(type, other.first, order)) {
        source = &other;
        break;
      }
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(source->second);
  Value result = convert(value, *source, order);
  list.push_back({DimOrder(order), result});
  return result;
}

Value LayoutRewriter::convertTuple(Value value, const StoredValue &source,
                                   ArrayRef<int64_t> order) {
  SmallVector<Value> fields;
  Location loc = source.second.getLoc();
  for (auto [index, type] :
       llvm::enumerate(cast<TupleType>(value.getType()).getTypes())) {
    Value field = TupleGetItemOp::create(
        builder, loc, cast<TupleType>(source.second.getType()).getType(index),
        source.second, index);
    if (field.getType() != type) {
      SmallVector<int64_t> axes;
      for (int64_t dim = 0; dim < static_cast<int64_t>(source.first.size());
           ++dim)
        axes.push_back(
            llvm::find(source.first, order.empty() ? dim : order[dim]) -
            source.first.begin());
      field = buildTranspose(loc, field, axes);
    }
    fields.push_back(field);
  }
  return TupleOp::create(builder, loc, value.getType(), fields);
}

/// Makes what is stored for `value` as `source` in another order.
Value LayoutRewriter::convert(Value value, const StoredValue &source,
                              ArrayRef<int64_t> order) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return convertTuple(value, source, order);
  auto resultType = cast<RankedTensorType>(getStoredType(type, order));
  auto [from, data] = source;
  Location loc = data.getLoc();
  if (relay::detail::isSameSequence(type, from, order)) {
    if (data.getType() == resultType)
      return data;
    auto dataType = cast<RankedTensorType>(data.getType());
    if (auto codes = relay::detail::getReshapeCodes(dataType, resultType))
      return ReshapeOp::create(builder, loc, resultType, data, *codes);
  }

  int64_t rank = order.empty() ? type.getRank() : order.size();
  int64_t added = rank - type.getRank();
  DimOrder wide = llvm::to_vector<6>(llvm::seq<int64_t>(0, added));
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    wide.push_back(added + (from.empty() ? dim : from[dim]));
  if (added) {
    SmallVector<int64_t> shape(added, 1);
    llvm::append_range(shape,
                       cast<RankedTensorType>(data.getType()).getShape());
    data = ExpandDimsOp::create(builder, loc, type.clone(shape), data,
                                /*axis=*/0, added);
  }
  SmallVector<int64_t> axes;
  for (int64_t dim = 0; dim < rank; ++dim)
    axes.push_back(llvm::find(wide, order.empty() ? dim : order[dim]) -
                   wide.begin());
  data = buildTranspose(loc, data, axes, from.empty() ? kernelLayout : "");
  if (data.getType() == resultType)
    return data;
  SmallVector<int64_t> leading =
      llvm::to_vector(llvm::seq<int64_t>(0, rank - resultType.getRank()));
  return SqueezeOp::create(builder, loc, resultType, data,
                           builder.getDenseI64ArrayAttr(leading));
}

Value LayoutRewriter::buildTranspose(Location loc, Value data,
                                     ArrayRef<int64_t> axes,
                                     StringRef letters) {
  ++numTransforms;
  auto type = cast<RankedTensorType>(data.getType());
  auto resultType = type.clone(applyPermutation(type.getShape(), axes));
  if (letters.size() == axes.size())
    return LayoutTransformOp::create(builder, loc, resultType, data, letters,
                                     permuteLayout(letters, axes));
  // Channels that move to the end, or back, are better known as such.
  constexpr StringRef layouts[][2] = {
      {"NCW", "NWC"}, {"NCHW", "NHWC"}, {"NCDHW", "NDHWC"}};
  for (auto [first, last] : layouts)
    for (auto [from, to] : {std::pair(first, last), std::pair(last, first)}) {
      bool isThis = from.size() == axes.size();
      for (size_t i = 0; isThis && i < axes.size(); ++i)
        isThis = from[axes[i]] == to[i];
      if (isThis)
        return LayoutTransformOp::create(builder, loc, resultType, data, from,
                                         to);
    }
  return TransposeOp::create(builder, loc, resultType, data,
                             builder.getDenseI64ArrayAttr(axes));
}

void LayoutRewriter::rewrite(Operation *op) {
  if (const OperatorForm *form = plan.lookup(op)) {
    SmallVector<Value> operands;
    for (auto [index, order] : llvm::enumerate(form->operands)) {
      auto conv = dyn_cast<ConvolutionOpInterface>(op);
      kernelLayout = conv && index == 1 ? conv.getKernelLayout() : "";
      operands.push_back(get(op->getOperand(index), order));
    }
    kernelLayout = "";
    Value result = operands.front();
    if (!form->isAlias) {
      builder.setInsertionPoint(op);
      result = cast<LayoutOpInterface>(op)
                   .buildInForm(builder, *form, operands)
                   ->getResult(0);
    }
    stored[op->getResult(0)] = {{form->result, result}};
    ++numConverted;
    return;
  }
  for (OpOperand &operand : op->getOpOperands())
    if (stored.contains(operand.get()))
      operand.set(get(operand.get(), {}));
  if (std::optional<DimOrder> alias = getAliasOrder(op))
    getStored(op->getResult(0)).push_back({*alias, op->getOperand(0)});
}

void LayoutRewriter::run() {
  SmallVector<Operation *> operators;
  function.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { operators.push_back(op); });
  for (Operation *op : operators)
    rewrite(op);
  for (Operation *op : llvm::reverse(operators))
    if (op->use_empty() && (plan.lookup(op) || getAliasOrder(op)))
      op->erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct ConvertLayoutPass final
    : relay::impl::ConvertLayoutPassBase<ConvertLayoutPass> {
  using ConvertLayoutPassBase::ConvertLayoutPassBase;

  LogicalResult initialize(MLIRContext *context) override {
    desired.clear();
    if (desiredLayouts.empty())
      return addLayout(context, "NHWC");
    for (const std::string &layout : desiredLayouts)
      if (failed(addLayout(context, layout)))
        return failure();
    return success();
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (isCompiledAsItIs(function))
      return markAllAnalysesPreserved();
    LayoutPlan plan(function, desired, estimate, skipLayers);
    if (plan.isEmpty())
      return markAllAnalysesPreserved();
    LayoutRewriter rewriter(function, plan);
    rewriter.run();
    numConverted += rewriter.numConverted;
    numTransforms += rewriter.numTransforms;
  }

private:
  LogicalResult addLayout(MLIRContext *context, StringRef text);

  llvm::StringMap<DesiredLayout> desired;
};

} // namespace

/// The letters of a layout of `rank` spatial dimensions.
static StringRef getLetters(int64_t rank) {
  constexpr StringRef letters[] = {"NCW", "NCHW", "NCDHW"};
  return letters[rank - 1];
}

static bool isPermutationOf(StringRef layout, StringRef letters) {
  std::string sorted = layout.str(), expected = letters.str();
  llvm::sort(sorted);
  llvm::sort(expected);
  return sorted == expected;
}

LogicalResult ConvertLayoutPass::addLayout(MLIRContext *context,
                                           StringRef text) {
  auto fail = [&](const Twine &expected, StringRef found) {
    return emitError(UnknownLoc::get(context), "expects ")
           << expected << ", but got \"" << found << "\"";
  };
  bool isForAll = !text.contains('=');
  auto [first, second] = text.split('=');
  auto [data, kernel] = (isForAll ? text : second).split(':');
  if (isForAll && data != kDefaultLayout &&
      llvm::none_of(ArrayRef<int64_t>{1, 2, 3}, [&, data = data](int64_t rank) {
        return isPermutationOf(data, getLetters(rank));
      }))
    return fail("a desired layout of the letters NCHW, NCW or NCDHW, or "
                "default, with the name of an operator before it and '=', or "
                "without",
                text);
  bool isKnown = false;
  // Operators may be asked for by name; a layout for all is that of
  // convolutions.
  for (RegisteredOperationName operation : context->getRegisteredOperations()) {
    auto *spatial = operation.getInterface<SpatialOpInterface>();
    if (!spatial)
      continue;
    StringRef name = getLayoutName(operation);
    bool isConvolution = operation.hasInterface<ConvolutionOpInterface>();
    int64_t rank = spatial->getSpatialRank();
    if (isForAll ? !isConvolution : name != first)
      continue;
    if (!isConvolution && !kernel.empty() && kernel != kDefaultLayout)
      return fail("no desired layout of a kernel for " + name, kernel);
    StringRef letters = getLetters(rank);
    std::string layout = data.str();
    bool isOfRank = data.size() == letters.size();
    // A layout without a name says for all ranks where channels are.
    if (isForAll && !isOfRank && data.size() > 2)
      layout = data[1] == 'C' ? letters.str()
                              : ("N" + letters.drop_front(2) + "C").str();
    if (data != kDefaultLayout && !isPermutationOf(layout, letters))
      return fail("a desired layout of the letters " + letters +
                      ", or default, for " + name,
                  data);
    std::string kernelLetters = ("OI" + letters.drop_front(2)).str();
    StringRef kernelLayout = isForAll && !isOfRank ? "" : kernel;
    if (!kernelLayout.empty() && kernelLayout != kDefaultLayout &&
        !isPermutationOf(kernelLayout, kernelLetters))
      return fail("a desired layout of the letters " + kernelLetters +
                      ", or default, for the kernel of " + name,
                  kernel);
    isKnown = true;
    if (data != kDefaultLayout)
      desired[name] = {layout, kernelLayout.str()};
  }
  if (!isKnown)
    return fail("a desired layout of an operator that may have one, such as "
                "nn.conv2d or nn.max_pool2d",
                first);
  return success();
}
