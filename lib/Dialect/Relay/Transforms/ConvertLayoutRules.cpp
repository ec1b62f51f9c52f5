//===- ConvertLayoutRules.cpp - Operators in other layouts ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvertLayoutRules.h"

#include "ConvertLayoutAttributes.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

//===----------------------------------------------------------------------===//
// Orders
//===----------------------------------------------------------------------===//

Order relay::canonicalOrder(Order order) {
  if (isIdentityPermutation(order))
    order.clear();
  return order;
}

Order relay::renameOrder(ArrayRef<int64_t> order, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> newNames = invertPermutationVector(axes);
  Order result;
  for (size_t i = 0; i < axes.size(); ++i)
    result.push_back(newNames[order.empty() ? i : order[i]]);
  return canonicalOrder(result);
}

static int64_t getPosition(ArrayRef<int64_t> order, int64_t axis) {
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

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

namespace {

struct Rule {
  using Infer = std::optional<OperatorForm> (*)(Operation *op, unsigned index,
                                                ArrayRef<int64_t> order,
                                                StringRef attribute);
  /// Adapts the attributes of `op`, which are still those of `original`.
  using Update = void (*)(Operation *op, Operation *original,
                          const OperatorForm &form, StringRef attribute);
  Infer infer;
  Update update;
  StringRef attribute;
};

} // namespace

static void keepAttributes(Operation *, Operation *, const OperatorForm &,
                           StringRef) {}

/// The first operand and the result are in `order`, the others as they are.
static OperatorForm getDataForm(Operation *op, ArrayRef<int64_t> order) {
  OperatorForm form;
  form.operands.resize(op->getNumOperands());
  form.operands.front() = Order(order);
  form.result = Order(order);
  return form;
}

static std::optional<OperatorForm>
inferData(Operation *op, unsigned index, ArrayRef<int64_t> order, StringRef) {
  if (index != 0)
    return std::nullopt;
  return getDataForm(op, order);
}

// Elementwise

/// Operands broadcast to the result.
static std::optional<OperatorForm> inferElementwise(Operation *op,
                                                    unsigned index,
                                                    ArrayRef<int64_t> order,
                                                    StringRef) {
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
    form.operands.push_back(isScalar ? Order() : Order(order));
  }
  form.result = Order(order);
  return form;
}

/// Fields of the rank of the order are stored in it.
static std::optional<OperatorForm>
inferTupleGetItem(Operation *op, unsigned, ArrayRef<int64_t> order, StringRef) {
  OperatorForm form = getDataForm(op, order);
  if (getRank(op->getResult(0)) != static_cast<int64_t>(order.size()))
    form.result.clear();
  return form;
}

// One axis

static bool hasAxis(Operation *op, int64_t rank, StringRef attribute) {
  std::optional<int64_t> axis = getInt(op, attribute);
  return axis && isValidAxis(*axis, rank);
}

static std::optional<OperatorForm> inferAxis(Operation *op, unsigned index,
                                             ArrayRef<int64_t> order,
                                             StringRef attribute) {
  if (index != 0 || !hasAxis(op, order.size(), attribute))
    return std::nullopt;
  return getDataForm(op, order);
}

/// The first dimension, whatever it is called, counts instances.
static std::optional<OperatorForm> inferInstances(Operation *op, unsigned index,
                                                  ArrayRef<int64_t> order,
                                                  StringRef attribute) {
  if (order.empty() || order.front() != 0)
    return std::nullopt;
  return inferAxis(op, index, order, attribute);
}

/// All operands have the rank of the result.
static std::optional<OperatorForm> inferAxisOfAll(Operation *op, unsigned,
                                                  ArrayRef<int64_t> order,
                                                  StringRef attribute) {
  int64_t rank = order.size();
  if (!hasAxis(op, rank, attribute) ||
      llvm::any_of(op->getOperands(),
                   [&](Value operand) { return getRank(operand) != rank; }))
    return std::nullopt;
  OperatorForm form;
  form.operands.assign(op->getNumOperands(), Order(order));
  form.result = Order(order);
  return form;
}

static void updateAxis(Operation *op, Operation *original,
                       const OperatorForm &form, StringRef attribute) {
  ArrayRef<int64_t> order = form.operands.front();
  int64_t axis = normalizeAxis(*getInt(original, attribute), order.size());
  setInt(op, attribute, getPosition(order, axis));
}

/// The axis is replaced by the dimensions of the indices.
static std::optional<OperatorForm> inferTake(Operation *op, unsigned index,
                                             ArrayRef<int64_t> order,
                                             StringRef attribute) {
  auto take = cast<TakeOp>(op);
  if (index != 0 || take.getBatchDims() != 0 ||
      !hasAxis(op, order.size(), attribute))
    return std::nullopt;
  int64_t axis = normalizeAxis(*take.getAxis(), order.size());
  int64_t added = getRank(take.getIndices());
  OperatorForm form = getDataForm(op, order);
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

// Lists of axes

/// The axes of a list; all if it is absent or empty.
static std::optional<SmallVector<int64_t>> getAxes(Operation *op, int64_t rank,
                                                   StringRef attribute) {
  std::optional<SmallVector<int64_t>> axes = getInts(op, attribute);
  if (!axes || axes->empty())
    return llvm::to_vector(llvm::seq<int64_t>(0, rank));
  for (int64_t &axis : *axes) {
    if (!isValidAxis(axis, rank))
      return std::nullopt;
    axis = normalizeAxis(axis, rank);
  }
  return axes;
}

static std::optional<OperatorForm> inferAxes(Operation *op, unsigned index,
                                             ArrayRef<int64_t> order,
                                             StringRef attribute) {
  if (index != 0 || !getAxes(op, order.size(), attribute))
    return std::nullopt;
  return getDataForm(op, order);
}

static void updateAxes(Operation *op, Operation *original,
                       const OperatorForm &form, StringRef attribute) {
  ArrayRef<int64_t> order = form.operands.front();
  SmallVector<int64_t> axes = *getAxes(original, order.size(), attribute);
  for (int64_t &axis : axes)
    axis = getPosition(order, axis);
  setInts(op, attribute, axes);
}

/// Without axes, the lists of a slice belong to the leading dimensions.
static void updateSlice(Operation *op, Operation *original,
                        const OperatorForm &form, StringRef attribute) {
  ArrayRef<int64_t> order = form.operands.front();
  auto slice = cast<StridedSliceOp>(original);
  SmallVector<int64_t> axes = *getAxes(original, order.size(), attribute);
  axes.resize(slice.getBegin().size());
  for (int64_t &axis : axes)
    axis = getPosition(order, axis);
  setInts(op, attribute, axes);
}

static std::optional<OperatorForm> inferSlice(Operation *op, unsigned index,
                                              ArrayRef<int64_t> order,
                                              StringRef attribute) {
  auto slice = cast<StridedSliceOp>(op);
  std::optional<SmallVector<int64_t>> axes =
      getAxes(op, order.size(), attribute);
  if (index != 0 || !axes || slice.getBegin().size() > axes->size() ||
      slice.getEnd().size() != slice.getBegin().size() ||
      (slice.getStrides() &&
       slice.getStrides()->size() > slice.getBegin().size()))
    return std::nullopt;
  return getDataForm(op, order);
}

/// Both operands have one rank; no axes means all.
static std::optional<OperatorForm> inferSliceLike(Operation *op, unsigned,
                                                  ArrayRef<int64_t> order,
                                                  StringRef attribute) {
  int64_t rank = order.size();
  if (!getAxes(op, rank, attribute) || getRank(op->getOperand(0)) != rank ||
      getRank(op->getOperand(1)) != rank)
    return std::nullopt;
  OperatorForm form = getDataForm(op, order);
  form.operands[1] = Order(order);
  return form;
}

// Reductions

/// Which axes a reduction reduces; none if the attributes are wrong.
static std::optional<SmallVector<bool>> getReduced(Operation *op,
                                                   int64_t rank) {
  std::optional<SmallVector<int64_t>> axes = getAxes(op, rank, "axis");
  if (!axes)
    return std::nullopt;
  // `exclude` of all axes, which an empty list means, reduces all.
  bool exclude = getBool(op, "exclude");
  auto listed = getInts(op, "axis");
  if (exclude && (!listed || listed->empty()))
    return std::nullopt;
  SmallVector<bool> reduced(rank, exclude);
  for (int64_t axis : *axes)
    reduced[axis] = !exclude;
  return reduced;
}

static std::optional<OperatorForm>
inferReduce(Operation *op, unsigned index, ArrayRef<int64_t> order, StringRef) {
  int64_t rank = order.size();
  std::optional<SmallVector<bool>> reduced = getReduced(op, rank);
  if (index != 0 || !reduced)
    return std::nullopt;
  // Positions count in the reduced axes flattened.
  if (isa<ArgmaxOp, ArgminOp>(op)) {
    SmallVector<int64_t> kept;
    llvm::copy_if(order, std::back_inserter(kept),
                  [&](int64_t dim) { return (*reduced)[dim]; });
    if (!llvm::is_sorted(kept))
      return std::nullopt;
  }
  OperatorForm form = getDataForm(op, order);
  // The mean, with reduced axes of size 1.
  if (isa<VarianceOp>(op))
    form.operands[1] = Order(order);
  if (getBool(op, "keepdims"))
    return form;
  form.result.clear();
  for (int64_t dim : order)
    if (!(*reduced)[dim])
      form.result.push_back(
          dim - llvm::count(ArrayRef(*reduced).take_front(dim), true));
  form.result = canonicalOrder(form.result);
  return form;
}

static void updateReduce(Operation *op, Operation *original,
                         const OperatorForm &form, StringRef attribute) {
  ArrayRef<int64_t> order = form.operands.front();
  SmallVector<bool> reduced = *getReduced(original, order.size());
  SmallVector<int64_t> axes;
  for (auto [position, dim] : llvm::enumerate(order))
    if (reduced[dim])
      axes.push_back(position);
  setInts(op, attribute, axes);
  op->setAttr("exclude", BoolAttr::get(op->getContext(), false));
}

// A value for each dimension

static std::optional<OperatorForm> inferPerDimension(Operation *op,
                                                     unsigned index,
                                                     ArrayRef<int64_t> order,
                                                     StringRef attribute) {
  std::optional<SmallVector<int64_t>> values = getInts(op, attribute);
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (index != 0 || !values || values->size() != order.size() || !type ||
      type.getRank() != static_cast<int64_t>(order.size()))
    return std::nullopt;
  return getDataForm(op, order);
}

static void updatePerDimension(Operation *op, Operation *original,
                               const OperatorForm &form, StringRef attribute) {
  setInts(op, attribute,
          permute(*getInts(original, attribute), form.operands.front()));
}

static std::optional<OperatorForm>
inferPad(Operation *op, unsigned index, ArrayRef<int64_t> order, StringRef) {
  if (index != 0 || cast<NNPadOp>(op).getPadWidth().size() != 2 * order.size())
    return std::nullopt;
  return getDataForm(op, order);
}

static void updatePad(Operation *op, Operation *original,
                      const OperatorForm &form, StringRef attribute) {
  ArrayRef<int64_t> old = cast<NNPadOp>(original).getPadWidth();
  SmallVector<int64_t> widths;
  for (int64_t dim : form.operands.front())
    widths.append({old[2 * dim], old[2 * dim + 1]});
  setInts(op, attribute, widths);
}

// Operators with a layout

static bool isPlainLayout(StringRef layout) {
  return llvm::is_contained({"NCW", "NWC", "NCHW", "NHWC", "NCDHW", "NDHWC"},
                            layout);
}

static std::optional<OperatorForm> inferLayout(Operation *op, unsigned index,
                                               ArrayRef<int64_t> order,
                                               StringRef attribute) {
  StringRef layout = getString(op, attribute);
  StringRef outLayout = getString(op, "out_layout");
  if (index != 0 || layout.size() != order.size() ||
      !isPlainLayout(permuteLayout(layout, order)) ||
      (!outLayout.empty() && outLayout != layout))
    return std::nullopt;
  return getDataForm(op, order);
}

static void updateLayout(Operation *op, Operation *original,
                         const OperatorForm &form, StringRef attribute) {
  StringRef layout = getString(original, attribute);
  StringRef outLayout = getString(original, "out_layout");
  std::string newLayout = permuteLayout(layout, form.operands[0]);
  std::string newOutLayout =
      permuteLayout(outLayout.empty() ? layout : outLayout, form.result);
  if (newLayout != layout)
    setString(op, attribute, newLayout);
  if (newOutLayout != newLayout)
    setString(op, "out_layout", newOutLayout);
  else if (!outLayout.empty())
    setString(op, "out_layout", "");
  if (form.operands.size() > 1 && !form.operands[1].empty())
    setString(
        op, "kernel_layout",
        permuteLayout(getString(original, "kernel_layout"), form.operands[1]));
}

// Transpositions, which change only what dimensions are called

static std::optional<OperatorForm>
inferRenaming(Operation *op, ArrayRef<int64_t> axes, ArrayRef<int64_t> order) {
  if (axes.size() != order.size())
    return std::nullopt;
  OperatorForm form = getDataForm(op, order);
  form.result = renameOrder(order, axes);
  form.isAlias = true;
  return form;
}

static std::optional<OperatorForm>
inferTranspose(Operation *op, unsigned, ArrayRef<int64_t> order, StringRef) {
  return inferRenaming(op, cast<TransposeOp>(op).getPermutation(), order);
}

static std::optional<OperatorForm> inferLayoutTransform(Operation *op, unsigned,
                                                        ArrayRef<int64_t> order,
                                                        StringRef) {
  auto transform = cast<LayoutTransformOp>(op);
  StringRef from = transform.getSrcLayout(), to = transform.getDstLayout();
  SmallVector<int64_t> axes;
  for (char letter : to) {
    size_t position = from.find(letter);
    if (position == StringRef::npos || !llvm::isUpper(letter))
      return std::nullopt;
    axes.push_back(position);
  }
  if (from.size() != to.size())
    return std::nullopt;
  return inferRenaming(op, axes, order);
}

static std::optional<OperatorForm>
inferReshape(Operation *op, unsigned, ArrayRef<int64_t> order, StringRef) {
  return relay::detail::inferReshapeForm(op, order);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

static llvm::StringMap<Rule> makeRules() {
  llvm::StringMap<Rule> rules;
  auto add = [&](ArrayRef<StringRef> names, Rule::Infer infer,
                 Rule::Update update, StringRef attribute = "") {
    for (StringRef name : names)
      rules[name] = {infer, update, attribute};
  };
  add({"abs",           "acos",       "acosh",
       "add",           "asin",       "asinh",
       "atan",          "atanh",      "bitwise_and",
       "bitwise_not",   "bitwise_or", "bitwise_xor",
       "cast",          "ceil",       "clip",
       "copy",          "cos",        "cosh",
       "divide",        "equal",      "erf",
       "exp",           "fast_erf",   "fast_exp",
       "fast_tanh",     "floor",      "fixed_point_multiply",
       "floor_divide",  "floor_mod",  "full_like",
       "greater",       "isfinite",   "greater_equal",
       "isinf",         "isnan",      "left_shift",
       "less",          "less_equal", "log",
       "log10",         "log2",       "logical_and",
       "logical_not",   "logical_or", "logical_xor",
       "maximum",       "minimum",    "mod",
       "multiply",      "negative",   "nn.dropout",
       "nn.leaky_relu", "nn.relu",    "not_equal",
       "ones_like",     "power",      "reinterpret",
       "right_shift",   "round",      "rsqrt",
       "sigmoid",       "sign",       "sin",
       "sinh",          "sqrt",       "subtract",
       "tan",           "tanh",       "trunc",
       "trunc_divide",  "trunc_mod",  "where",
       "zeros_like"},
      inferElementwise, keepAttributes);
  add({"tuple_get_item"}, inferTupleGetItem, keepAttributes);
  add({"qnn.add", "qnn.mul", "qnn.subtract"}, inferQnnForm, updateQnnAxes);
  add({"qnn.abs", "qnn.erf", "qnn.exp", "qnn.hardswish", "qnn.leaky_relu",
       "qnn.log", "qnn.rsqrt", "qnn.sigmoid", "qnn.sqrt", "qnn.tanh"},
      inferData, keepAttributes);
  // Of the second operand only the element type counts.
  add({"cast_like"}, inferData, keepAttributes);
  add({"cumprod",
       "cumsum",
       "nn.batch_norm",
       "nn.bias_add",
       "nn.fast_softmax",
       "nn.layer_norm",
       "nn.log_softmax",
       "nn.lrn",
       "nn.prelu",
       "nn.softmax",
       "qnn.dequantize",
       "qnn.quantize",
       "qnn.requantize",
       "qnn.softmax",
       "repeat",
       "reverse",
       "sort",
       "split",
       "topk",
       "argsort"},
      inferAxis, updateAxis, "axis");
  add({"nn.group_norm", "nn.instance_norm"}, inferInstances, updateAxis,
      "axis");
  add({"concatenate", "gather", "scatter_elements"}, inferAxisOfAll, updateAxis,
      "axis");
  add({"take"}, inferTake, updateAxis, "axis");
  add({"nn.l2_normalize"}, inferAxes, updateAxes, "axis");
  add({"strided_slice"}, inferSlice, updateSlice, "axes");
  add({"slice_like"}, inferSliceLike, updateAxes, "axes");
  add({"all", "any", "argmax", "argmin", "max", "mean", "min", "prod", "sum",
       "variance"},
      inferReduce, updateReduce, "axis");
  add({"broadcast_to"}, inferPerDimension, updatePerDimension, "shape");
  add({"tile"}, inferPerDimension, updatePerDimension, "reps");
  add({"nn.dilate"}, inferPerDimension, updatePerDimension, "strides");
  add({"nn.pad"}, inferPad, updatePad, "pad_width");
  add({"nn.conv1d", "nn.conv1d_transpose", "nn.conv2d", "nn.conv2d_transpose",
       "nn.conv3d", "nn.conv3d_transpose", "qnn.conv2d",
       "qnn.conv2d_transpose"},
      inferLayout, updateLayout, "data_layout");
  add({"image.resize1d",         "image.resize2d",
       "image.resize3d",         "nn.adaptive_avg_pool1d",
       "nn.adaptive_avg_pool2d", "nn.adaptive_avg_pool3d",
       "nn.adaptive_max_pool1d", "nn.adaptive_max_pool2d",
       "nn.adaptive_max_pool3d", "nn.avg_pool1d",
       "nn.avg_pool2d",          "nn.avg_pool3d",
       "nn.depth_to_space",      "nn.global_avg_pool2d",
       "nn.global_max_pool2d",   "nn.max_pool1d",
       "nn.max_pool2d",          "nn.max_pool3d",
       "nn.space_to_depth",      "nn.upsampling",
       "nn.upsampling3d",        "image.crop_and_resize",
       "qnn.avg_pool2d",         "vision.roi_align",
       "vision.roi_pool"},
      inferLayout, updateLayout, "layout");
  add({"transpose"}, inferTranspose, keepAttributes);
  add({"layout_transform"}, inferLayoutTransform, keepAttributes);
  add({"contrib_reverse_reshape", "expand_dims", "nn.batch_flatten", "reshape",
       "squeeze"},
      inferReshape, keepAttributes);
  return rules;
}

static const Rule *lookupRule(Operation *op) {
  static const llvm::StringMap<Rule> rules = makeRules();
  if (!isa_and_nonnull<RelayDialect>(op->getDialect()))
    return nullptr;
  auto it = rules.find(op->getName().stripDialect());
  return it == rules.end() ? nullptr : &it->second;
}

std::optional<OperatorForm> relay::inferForm(Operation *op, unsigned index,
                                             ArrayRef<int64_t> order) {
  const Rule *rule = lookupRule(op);
  if (!rule)
    return std::nullopt;
  return rule->infer(op, index, order, rule->attribute);
}

std::optional<Order> relay::getAliasOrder(Operation *op) {
  if (!isa<TransposeOp, LayoutTransformOp>(op))
    return std::nullopt;
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  Order identity = llvm::to_vector<6>(llvm::seq<int64_t>(0, type.getRank()));
  std::optional<OperatorForm> form = inferForm(op, 0, identity);
  if (!form)
    return std::nullopt;
  return form->result;
}

Operation *relay::buildInForm(OpBuilder &builder, Operation *op,
                              const OperatorForm &form, ValueRange operands) {
  const Rule *rule = lookupRule(op);
  if (rule->infer == inferReshape)
    return relay::detail::buildReshapeInForm(builder, op, form,
                                             operands.front());
  Operation *stored = builder.clone(*op);
  stored->setOperands(operands);
  rule->update(stored, op, form, rule->attribute);
  for (OpResult result : stored->getResults())
    result.setType(getStoredType(result.getType(), form.result));
  return stored;
}
