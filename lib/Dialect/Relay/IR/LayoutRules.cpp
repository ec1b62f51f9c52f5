//===- LayoutRules.cpp - Operators on permuted tensors --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/LayoutForms.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

DimOrder relay::canonicalOrder(DimOrder order) {
  if (isIdentityPermutation(order))
    order.clear();
  return order;
}

DimOrder relay::renameOrder(ArrayRef<int64_t> order, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> newNames = invertPermutationVector(axes);
  DimOrder result;
  for (size_t i = 0; i < axes.size(); ++i)
    result.push_back(newNames[order.empty() ? i : order[i]]);
  return canonicalOrder(result);
}

std::string relay::permuteLayout(StringRef layout, ArrayRef<int64_t> order) {
  if (order.empty())
    return layout.str();
  std::string result;
  for (int64_t dim : order)
    result += layout[dim];
  return result;
}

int64_t relay::detail::getPosition(ArrayRef<int64_t> order, int64_t axis) {
  if (order.empty())
    return axis;
  return llvm::find(order, axis) - order.begin();
}

static int64_t getRank(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getRank() : -1;
}

/// Counts from the first dimension.
static int64_t normalizeAxis(int64_t axis, int64_t rank) {
  return axis < 0 ? axis + rank : axis;
}

static bool isValidAxis(int64_t axis, int64_t rank) {
  return axis >= -rank && axis < rank;
}

static SmallVector<int64_t> permute(ArrayRef<int64_t> values,
                                    ArrayRef<int64_t> order) {
  return order.empty() ? llvm::to_vector(values)
                       : applyPermutation(values, order);
}

OperatorForm relay::detail::getDataForm(Operation *op,
                                        ArrayRef<int64_t> order) {
  OperatorForm form;
  form.operands.resize(op->getNumOperands());
  form.operands.front() = DimOrder(order);
  form.result = DimOrder(order);
  return form;
}

Operation *relay::detail::cloneInForm(OpBuilder &builder, Operation *op,
                                      const OperatorForm &form,
                                      ValueRange operands) {
  Operation *stored = builder.clone(*op);
  stored->setOperands(operands);
  cast<LayoutOpInterface>(stored).setForm(form);
  for (OpResult result : stored->getResults())
    result.setType(getStoredType(result.getType(), form.result));
  return stored;
}

static void setInts(Operation *op, StringAttr name, ArrayRef<int64_t> values) {
  op->setAttr(name, DenseI64ArrayAttr::get(op->getContext(), values));
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

std::optional<OperatorForm>
relay::detail::inferDataForm(Operation *op, unsigned index,
                             ArrayRef<int64_t> order) {
  if (index != 0)
    return std::nullopt;
  return getDataForm(op, order);
}

std::optional<OperatorForm>
relay::detail::inferElementwiseForm(Operation *op, unsigned index,
                                    ArrayRef<int64_t> order) {
  int64_t rank = order.size();
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if ((type && type.getRank() != rank) ||
      getRank(op->getOperand(index)) != rank)
    return std::nullopt;
  OperatorForm form;
  for (Value operand : op->getOperands()) {
    auto operandType = dyn_cast<RankedTensorType>(operand.getType());
    if (!operandType || operandType.getRank() > rank)
      return std::nullopt;
    bool isScalar =
        operandType.hasStaticShape() && operandType.getNumElements() == 1;
    form.operands.push_back(isScalar ? DimOrder() : DimOrder(order));
  }
  form.result = DimOrder(order);
  return form;
}

/// Fields of the rank of the order are stored in it.
std::optional<OperatorForm> TupleGetItemOp::inferForm(unsigned,
                                                      ArrayRef<int64_t> order) {
  OperatorForm form = detail::getDataForm(*this, order);
  if (getRank(getResult()) != static_cast<int64_t>(order.size()))
    form.result.clear();
  return form;
}

//===----------------------------------------------------------------------===//
// One axis
//===----------------------------------------------------------------------===//

static bool hasAxis(std::optional<int64_t> axis, ArrayRef<int64_t> order) {
  return axis && isValidAxis(*axis, order.size());
}

std::optional<OperatorForm>
relay::detail::inferAxisForm(Operation *op, unsigned index,
                             ArrayRef<int64_t> order,
                             std::optional<int64_t> axis) {
  if (index != 0 || !hasAxis(axis, order))
    return std::nullopt;
  return getDataForm(op, order);
}

std::optional<OperatorForm>
relay::detail::inferInstancesForm(Operation *op, unsigned index,
                                  ArrayRef<int64_t> order,
                                  std::optional<int64_t> axis) {
  // The first dimension, whatever it is called, counts instances.
  if (order.empty() || order.front() != 0)
    return std::nullopt;
  return inferAxisForm(op, index, order, axis);
}

std::optional<OperatorForm>
relay::detail::inferAxisOfAllForm(Operation *op, unsigned,
                                  ArrayRef<int64_t> order,
                                  std::optional<int64_t> axis) {
  int64_t rank = order.size();
  if (!hasAxis(axis, order) ||
      llvm::any_of(op->getOperands(),
                   [&](Value operand) { return getRank(operand) != rank; }))
    return std::nullopt;
  OperatorForm form;
  form.operands.assign(op->getNumOperands(), DimOrder(order));
  form.result = DimOrder(order);
  return form;
}

void relay::detail::setAxisForm(Operation *op, const OperatorForm &form,
                                StringAttr name, std::optional<int64_t> axis) {
  ArrayRef<int64_t> order = form.operands.front();
  int64_t position = getPosition(order, normalizeAxis(*axis, order.size()));
  op->setAttr(name, Builder(op->getContext()).getI64IntegerAttr(position));
}

/// The axis is replaced by the dimensions of the indices.
std::optional<OperatorForm> TakeOp::inferForm(unsigned index,
                                              ArrayRef<int64_t> order) {
  if (index != 0 || getBatchDims() != 0 || !hasAxis(getAxis(), order))
    return std::nullopt;
  int64_t axis = normalizeAxis(*getAxis(), order.size());
  int64_t added = getRank(getIndices());
  OperatorForm form = detail::getDataForm(*this, order);
  form.result.clear();
  for (int64_t dim : order) {
    if (dim != axis)
      form.result.push_back(dim < axis ? dim : dim + added - 1);
    else
      llvm::append_range(form.result, llvm::seq(axis, axis + added));
  }
  form.result = canonicalOrder(form.result);
  return form;
}

void TakeOp::setForm(const OperatorForm &form) {
  detail::setAxisForm(*this, form, getAxisAttrName(), getAxis());
}

//===----------------------------------------------------------------------===//
// Lists of axes
//===----------------------------------------------------------------------===//

/// The axes of a list; all if it is absent or empty. None if one is wrong.
static std::optional<SmallVector<int64_t>>
getAxes(std::optional<ArrayRef<int64_t>> list, int64_t rank) {
  if (!list || list->empty())
    return llvm::to_vector(llvm::seq<int64_t>(0, rank));
  SmallVector<int64_t> axes(*list);
  for (int64_t &axis : axes) {
    if (!isValidAxis(axis, rank))
      return std::nullopt;
    axis = normalizeAxis(axis, rank);
  }
  return axes;
}

std::optional<OperatorForm>
relay::detail::inferAxesForm(Operation *op, unsigned index,
                             ArrayRef<int64_t> order,
                             std::optional<ArrayRef<int64_t>> axes) {
  if (index != 0 || !getAxes(axes, order.size()))
    return std::nullopt;
  return getDataForm(op, order);
}

void relay::detail::setAxesForm(Operation *op, const OperatorForm &form,
                                StringAttr name,
                                std::optional<ArrayRef<int64_t>> axes) {
  ArrayRef<int64_t> order = form.operands.front();
  SmallVector<int64_t> positions = *getAxes(axes, order.size());
  for (int64_t &axis : positions)
    axis = getPosition(order, axis);
  setInts(op, name, positions);
}

std::optional<OperatorForm> StridedSliceOp::inferForm(unsigned index,
                                                      ArrayRef<int64_t> order) {
  std::optional<SmallVector<int64_t>> axes = ::getAxes(getAxes(), order.size());
  if (index != 0 || !axes || getBegin().size() > axes->size() ||
      getEnd().size() != getBegin().size() ||
      (getStrides() && getStrides()->size() > getBegin().size()))
    return std::nullopt;
  return detail::getDataForm(*this, order);
}

/// Without axes, the lists of a slice belong to the leading dimensions.
void StridedSliceOp::setForm(const OperatorForm &form) {
  ArrayRef<int64_t> order = form.operands.front();
  SmallVector<int64_t> axes = *::getAxes(getAxes(), order.size());
  axes.resize(getBegin().size());
  for (int64_t &axis : axes)
    axis = detail::getPosition(order, axis);
  setAxes(axes);
}

/// Both operands have one rank; no axes means all.
std::optional<OperatorForm> SliceLikeOp::inferForm(unsigned,
                                                   ArrayRef<int64_t> order) {
  int64_t rank = order.size();
  if (!::getAxes(getAxes(), rank) || getRank(getData()) != rank ||
      getRank(getShapeLike()) != rank)
    return std::nullopt;
  OperatorForm form = detail::getDataForm(*this, order);
  form.operands[1] = DimOrder(order);
  return form;
}

void SliceLikeOp::setForm(const OperatorForm &form) {
  detail::setAxesForm(*this, form, getAxesAttrName(), getAxes());
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Which axes a reduction reduces; none if the attributes are wrong.
static std::optional<SmallVector<bool>>
getReduced(relay::detail::ReducedAxes reduced, int64_t rank) {
  std::optional<SmallVector<int64_t>> axes = getAxes(reduced.axes, rank);
  if (!axes)
    return std::nullopt;
  // `exclude` of all axes, which an empty list means, reduces all.
  bool exclude = reduced.exclude;
  if (exclude && (!reduced.axes || reduced.axes->empty()))
    return std::nullopt;
  SmallVector<bool> isReduced(rank, exclude);
  for (int64_t axis : *axes)
    isReduced[axis] = !exclude;
  return isReduced;
}

std::optional<OperatorForm>
relay::detail::inferReduceForm(Operation *op, unsigned index,
                               ArrayRef<int64_t> order, ReducedAxes axes,
                               bool keepDims, bool isPosition) {
  std::optional<SmallVector<bool>> reduced = getReduced(axes, order.size());
  if (index != 0 || !reduced)
    return std::nullopt;
  if (isPosition) {
    SmallVector<int64_t> kept;
    llvm::copy_if(order, std::back_inserter(kept),
                  [&](int64_t dim) { return (*reduced)[dim]; });
    if (!llvm::is_sorted(kept))
      return std::nullopt;
  }
  OperatorForm form = getDataForm(op, order);
  // Such as the mean, with reduced axes of size 1.
  for (DimOrder &operand : llvm::drop_begin(form.operands))
    operand = DimOrder(order);
  if (keepDims)
    return form;
  form.result.clear();
  for (int64_t dim : order)
    if (!(*reduced)[dim])
      form.result.push_back(
          dim - llvm::count(ArrayRef(*reduced).take_front(dim), true));
  form.result = canonicalOrder(form.result);
  return form;
}

void relay::detail::setReduceForm(Operation *op, const OperatorForm &form,
                                  StringAttr axisName, StringAttr excludeName,
                                  ReducedAxes reduced) {
  ArrayRef<int64_t> order = form.operands.front();
  SmallVector<bool> isReduced = *getReduced(reduced, order.size());
  SmallVector<int64_t> axes;
  for (auto [position, dim] : llvm::enumerate(order))
    if (isReduced[dim])
      axes.push_back(position);
  setInts(op, axisName, axes);
  op->setAttr(excludeName, BoolAttr::get(op->getContext(), false));
}

//===----------------------------------------------------------------------===//
// A value for each dimension
//===----------------------------------------------------------------------===//

std::optional<OperatorForm>
relay::detail::inferPerDimensionForm(Operation *op, unsigned index,
                                     ArrayRef<int64_t> order,
                                     ArrayRef<int64_t> values) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (index != 0 || values.size() != order.size() || !type ||
      type.getRank() != static_cast<int64_t>(order.size()))
    return std::nullopt;
  return getDataForm(op, order);
}

void relay::detail::setPerDimensionForm(Operation *op, const OperatorForm &form,
                                        StringAttr name,
                                        ArrayRef<int64_t> values) {
  setInts(op, name, permute(values, form.operands.front()));
}

std::optional<OperatorForm> NNPadOp::inferForm(unsigned index,
                                               ArrayRef<int64_t> order) {
  if (index != 0 || getPadWidth().size() != 2 * order.size())
    return std::nullopt;
  return detail::getDataForm(*this, order);
}

void NNPadOp::setForm(const OperatorForm &form) {
  ArrayRef<int64_t> old = getPadWidth();
  SmallVector<int64_t> widths;
  for (int64_t dim : form.operands.front())
    widths.append({old[2 * dim], old[2 * dim + 1]});
  setPadWidth(widths);
}

//===----------------------------------------------------------------------===//
// Operators with a layout
//===----------------------------------------------------------------------===//

static bool isPlainLayout(StringRef layout) {
  return llvm::is_contained({"NCW", "NWC", "NCHW", "NHWC", "NCDHW", "NDHWC"},
                            layout);
}

std::optional<OperatorForm>
relay::detail::inferSpatialForm(Operation *op, unsigned index,
                                ArrayRef<int64_t> order) {
  auto spatial = cast<SpatialOpInterface>(op);
  StringRef layout = spatial.getDataLayout();
  StringRef outLayout = spatial.getOutLayout();
  if (index != 0 || layout.size() != order.size() ||
      !isPlainLayout(permuteLayout(layout, order)) ||
      (!outLayout.empty() && outLayout != layout))
    return std::nullopt;
  return getDataForm(op, order);
}

void relay::detail::setSpatialForm(Operation *op, const OperatorForm &form,
                                   StringAttr name) {
  auto spatial = cast<SpatialOpInterface>(op);
  auto set = [&](StringAttr name, StringRef value) {
    op->setAttr(name, StringAttr::get(op->getContext(), value));
  };
  StringRef layout = spatial.getDataLayout();
  StringRef outLayout = spatial.getOutLayout();
  std::string newLayout = permuteLayout(layout, form.operands[0]);
  std::string newOutLayout =
      permuteLayout(outLayout.empty() ? layout : outLayout, form.result);
  auto outName = StringAttr::get(op->getContext(), "out_layout");
  if (newLayout != layout)
    set(name, newLayout);
  if (newOutLayout != newLayout)
    set(outName, newOutLayout);
  else if (!outLayout.empty())
    set(outName, "");
  auto conv = dyn_cast<ConvolutionOpInterface>(op);
  if (conv && !form.operands[1].empty())
    set(StringAttr::get(op->getContext(), "kernel_layout"),
        permuteLayout(conv.getKernelLayout(), form.operands[1]));
}

bool relay::detail::isDepthwise(Operation *op) {
  auto conv = cast<ConvolutionOpInterface>(op);
  auto data = cast<RankedTensorType>(op->getOperand(0).getType());
  auto kernel = cast<RankedTensorType>(op->getOperand(1).getType());
  int64_t groups = conv.getGroups();
  auto hasGroups = [&](RankedTensorType type, size_t axis) {
    return axis < static_cast<size_t>(type.getRank()) &&
           type.getDimSize(axis) == groups;
  };
  return groups > 1 && hasGroups(data, conv.getDataLayout().find('C')) &&
         hasGroups(kernel, conv.getKernelLayout().find('O'));
}

std::string relay::detail::getUsualKernelLayout(Operation *op, StringRef layout,
                                                bool isOutputFirst) {
  if (layout.starts_with("NC")) {
    bool isTransposed = cast<ConvolutionOpInterface>(op).isTransposed();
    return ((isTransposed ? "IO" : "OI") + layout.drop_front(2)).str();
  }
  if (!layout.starts_with("N") || !layout.ends_with("C"))
    return "";
  return (layout.drop_front().drop_back() + (isOutputFirst ? "OI" : "IO"))
      .str();
}

//===----------------------------------------------------------------------===//
// Quantised operators
//===----------------------------------------------------------------------===//

static bool isOneElement(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() == 1;
}

/// Whether scales and zero points, which follow both operands, are numbers.
/// Otherwise they belong to an axis of an operand.
static bool isPerTensor(Operation *op) {
  return llvm::all_of(op->getOperands().drop_front(2), isOneElement);
}

std::optional<OperatorForm>
relay::detail::inferQnnForm(Operation *op, unsigned index,
                            ArrayRef<int64_t> order,
                            std::array<int64_t, 2> axes) {
  int64_t rank = order.size();
  if (index > 1 || getRank(op->getResult(0)) != rank ||
      getRank(op->getOperand(index)) != rank)
    return std::nullopt;
  OperatorForm form;
  form.operands.resize(op->getNumOperands());
  for (auto [i, axis] : llvm::enumerate(axes)) {
    Value operand = op->getOperand(i);
    if (getRank(operand) < 0 || getRank(operand) > rank)
      return std::nullopt;
    if (!isPerTensor(op) &&
        (getRank(operand) != rank || !isValidAxis(axis, rank)))
      return std::nullopt;
    if (!isOneElement(operand))
      form.operands[i] = DimOrder(order);
  }
  form.result = DimOrder(order);
  return form;
}

void relay::detail::setQnnForm(Operation *op, const OperatorForm &form,
                               std::array<StringAttr, 2> names,
                               std::array<int64_t, 2> axes) {
  if (isPerTensor(op))
    return;
  for (auto [i, name] : llvm::enumerate(names)) {
    int64_t axis = normalizeAxis(axes[i], form.result.size());
    if (!form.operands[i].empty())
      axis = getPosition(form.result, axis);
    op->setAttr(name, Builder(op->getContext()).getI64IntegerAttr(axis));
  }
}

//===----------------------------------------------------------------------===//
// Transpositions, which change only what dimensions are called
//===----------------------------------------------------------------------===//

std::optional<OperatorForm>
relay::detail::inferTransposedForm(Operation *op, ArrayRef<int64_t> order,
                                   std::optional<SmallVector<int64_t>> axes) {
  if (!axes || axes->size() != order.size())
    return std::nullopt;
  OperatorForm form = getDataForm(op, order);
  form.result = renameOrder(order, *axes);
  form.isAlias = true;
  return form;
}

std::optional<SmallVector<int64_t>> TransposeOp::getTransposition() {
  return getPermutation();
}

std::optional<SmallVector<int64_t>> LayoutTransformOp::getTransposition() {
  StringRef from = getSrcLayout(), to = getDstLayout();
  SmallVector<int64_t> axes;
  for (char letter : to) {
    size_t position = from.find(letter);
    if (position == StringRef::npos || !llvm::isUpper(letter))
      return std::nullopt;
    axes.push_back(position);
  }
  if (from.size() != to.size())
    return std::nullopt;
  return axes;
}
