//===- ConvertLayoutPlan.cpp - Which operators change their layout --------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the order of dimensions in which each operator runs. Operators are
// taken in program order: convolutions take their desired layout, others the
// order that moves the fewest bytes. With an estimate, operators that pass
// tensors on to each other are then looked at together: if what their
// convolutions gain is less than what changes of order cost, they are excluded,
// and the plan is made anew. Nothing is changed here; ConvertLayout.cpp does
// that.
//
//===----------------------------------------------------------------------===//

#include "ConvertLayoutPlan.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::relay;

// What a conversion is worth. A convolution loses about a third of its time
// when its channels come last (direct 3x3: 93 instead of 59 GFLOP/s on a core;
// 1x1, which become plain matrix products, much more). A core computes some ten
// operations in the time in which a change of order moves a byte.
static constexpr double kGainPerOperation = 1.0 / 3;
static constexpr double kOperationsPerByte = 10;

// Data of so few channels, such as images, is read one by one in any layout, so
// that a convolution may as well take it as it comes.
static constexpr int64_t kFewChannels = 8;

/// What an operation of a convolution gains from channels that come last.
static double getGainPerOperation(Operation *op) {
  auto conv = dyn_cast<NNConv2dOp>(op);
  // Instructions that add up products of bytes take neighbouring channels
  // (1x1: 50 GOP/s without them, 150 and more with).
  constexpr double kOfBytes = 2;
  if (conv && conv.getGroups() == 1 &&
      getElementTypeOrSelf(conv.getData().getType()).isInteger(8))
    return kOfBytes;
  if (!conv || conv.getGroups() == 1 || conv.getStrides().empty())
    return kGainPerOperation;
  // Depthwise, channels first, lanes are columns that lie apart: they are
  // picked out of two vectors, or gathered (11 and 3 GFLOP/s; channels last,
  // 50).
  constexpr double kPicked = 10, kGathered = 30;
  auto data = cast<RankedTensorType>(conv.getData().getType());
  int64_t stride = conv.getStrides().back();
  size_t axis = conv.getDataLayout().find('C');
  if (stride == 1 || axis >= static_cast<size_t>(data.getRank()) ||
      data.getDimSize(axis) != static_cast<int64_t>(conv.getGroups()))
    return kGainPerOperation;
  return stride == 2 ? kPicked : kGathered;
}

static double getBytes(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    double total = 0;
    for (Type field : tuple.getTypes())
      total += getBytes(field);
    return total;
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getElementType().isIntOrFloat())
    return 0;
  double bytes = std::max(tensor.getElementTypeBitWidth() / 8, 1u);
  for (int64_t size : tensor.getShape())
    bytes *= ShapedType::isDynamic(size) ? kTypicalSize : size;
  return bytes;
}

std::optional<DimOrder> relay::getAliasOrder(Operation *op) {
  auto layoutOp = dyn_cast<LayoutOpInterface>(op);
  if (!layoutOp)
    return std::nullopt;
  std::optional<SmallVector<int64_t>> axes = layoutOp.getTransposition();
  if (!axes)
    return std::nullopt;
  return renameOrder({}, *axes);
}

LayoutPlan::LayoutPlan(func::FuncOp function,
                       const llvm::StringMap<DesiredLayout> &desired,
                       bool estimate, ArrayRef<uint64_t> skipped)
    : desired(desired), estimate(estimate) {
  findConstants(function);
  exclude(function, skipped);
  do {
    forms.clear();
    stored.clear();
    work.clear();
    bytes.clear();
    components = {};
    function.walk<WalkOrder::PreOrder>([&](Operation *op) { choose(op); });
  } while (estimate && excludeLosses());
}

/// What constant folding will compute.
void LayoutPlan::findConstants(func::FuncOp function) {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op->getNumResults() != 1 || op->getNumRegions() != 0 || !isPure(op))
      return;
    bool isConstant = isa<ConstantOp>(op) ||
                      (op->getNumOperands() != 0 &&
                       llvm::all_of(op->getOperands(), [&](Value operand) {
                         return constants.contains(operand);
                       }));
    if (isConstant)
      constants.insert(op->getResult(0));
  });
}

void LayoutPlan::exclude(func::FuncOp function, ArrayRef<uint64_t> skipped) {
  uint64_t number = 0;
  function.walk<WalkOrder::PreOrder>([&](ConvolutionOpInterface conv) {
    if (desired.contains(getLayoutName(conv->getName())) &&
        llvm::is_contained(skipped, number++))
      excluded.insert(conv);
  });
}

ArrayRef<LayoutPlan::Stored> LayoutPlan::getStored(Value value) const {
  static const Stored canonical[] = {{{}, false}};
  auto it = stored.find(value);
  return it == stored.end() ? ArrayRef(canonical) : ArrayRef(it->second);
}

/// Whether a reshape leads from one order to another.
static bool isReshape(Type type, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && relay::detail::isSameSequence(tensor, from, to) &&
         relay::detail::getReshapeCodes(
             cast<RankedTensorType>(getStoredType(tensor, from)),
             cast<RankedTensorType>(getStoredType(tensor, to)));
}

double LayoutPlan::getCost(Value value, ArrayRef<int64_t> order) const {
  if (constants.contains(value))
    return 0;
  bool isFree = llvm::any_of(getStored(value), [&](const Stored &other) {
    return ArrayRef<int64_t>(other.order) == order ||
           isReshape(value.getType(), other.order, order);
  });
  return isFree ? 0 : 2 * getBytes(value.getType());
}

void LayoutPlan::request(Operation *op, Value value, ArrayRef<int64_t> order) {
  Operation *producer = value.getDefiningOp();
  bool isProducerStored = producer && forms.contains(producer);
  if (isProducerStored && forms.contains(op))
    components.unionSets(op, producer);
  if (double cost = getCost(value, order))
    bytes[isProducerStored ? producer : op] += cost;
  if (constants.contains(value))
    return;
  SmallVector<Stored, 2> list(getStored(value));
  bool isNew = llvm::none_of(list, [&](const Stored &other) {
    return other.order == DimOrder(order);
  });
  if (isNew) {
    list.push_back({DimOrder(order), true});
    stored[value] = std::move(list);
  }
}

void LayoutPlan::apply(Operation *op, OperatorForm form) {
  components.insert(op);
  forms[op] = form;
  work[op] += 0;
  for (auto [operand, order] :
       llvm::zip_equal(op->getOperands(), form.operands))
    request(op, operand, order);
  if (form.isAlias)
    bytes[op] -= 2 * getBytes(op->getResult(0).getType());
  stored[op->getResult(0)] = {{form.result, true}};
}

/// Whether an operator in this form is what it was.
static bool isCanonical(const OperatorForm &form) {
  return form.result.empty() &&
         llvm::all_of(form.operands,
                      [](const DimOrder &order) { return order.empty(); });
}

void LayoutPlan::choose(Operation *op) {
  if (!excluded.contains(op)) {
    auto it = desired.find(getLayoutName(op->getName()));
    if (it != desired.end())
      if (std::optional<OperatorForm> form = inferDesiredForm(op, it->second)) {
        work[op] = getConvolutionWork(op) * getGainPerOperation(op);
        int64_t channels = getConvolutionChannels(op);
        bool hasFewChannels =
            !ShapedType::isDynamic(channels) && channels < kFewChannels;
        if (estimate && hasFewChannels &&
            getCost(op->getOperand(0), form->operands[0]) > 0)
          form->operands[0].clear();
        return apply(op, *form);
      }
  }

  std::optional<OperatorForm> best;
  auto layoutOp = dyn_cast<LayoutOpInterface>(op);
  if (layoutOp && !excluded.contains(op) &&
      !constants.contains(op->getResult(0))) {
    double bestCost = 0;
    for (Value operand : op->getOperands())
      bestCost += getCost(operand, {});
    if (layoutOp.getTransposition())
      bestCost += 2 * getBytes(op->getResult(0).getType());
    for (OpOperand &operand : op->getOpOperands())
      for (const Stored &offer : getStored(operand.get())) {
        if (!offer.isOffered || offer.order.empty())
          continue;
        std::optional<OperatorForm> form =
            layoutOp.inferForm(operand.getOperandNumber(), offer.order);
        if (!form || isCanonical(*form))
          continue;
        double cost = 0;
        for (auto [value, order] :
             llvm::zip_equal(op->getOperands(), form->operands))
          cost += getCost(value, order);
        // Of equals the stored form, which may go on to the next one.
        if (cost < bestCost || (cost == bestCost && !best)) {
          bestCost = cost;
          best = std::move(form);
        }
      }
  }
  if (best)
    return apply(op, std::move(*best));

  for (Value operand : op->getOperands())
    request(op, operand, {});
  if (std::optional<DimOrder> alias = getAliasOrder(op);
      alias && !constants.contains(op->getResult(0)))
    stored[op->getResult(0)] = {{{}, false}, {*alias, false}};
}

bool LayoutPlan::excludeLosses() {
  llvm::MapVector<Operation *, Component> totals;
  for (auto &[op, form] : forms)
    totals[components.getLeaderValue(op)].operators.push_back(op);
  for (auto &[leader, total] : totals)
    for (Operation *op : total.operators) {
      total.work += work.lookup(op);
      total.bytes += bytes.lookup(op);
    }
  bool hasLosses = false;
  for (auto &[leader, total] : totals) {
    if (total.work > total.bytes * kOperationsPerByte)
      continue;
    // Others may be part of something else without the convolutions.
    bool hasWork = total.work != 0;
    for (Operation *op : total.operators)
      if (!hasWork || work.lookup(op) != 0)
        hasLosses |= excluded.insert(op).second;
  }
  return hasLosses;
}
