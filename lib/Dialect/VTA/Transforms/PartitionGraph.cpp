//===- PartitionGraph.cpp - Give VTA the parts of a graph that it can -----===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part is a convolution or dense layer of bytes with constant weights, and
// what is computed of each of its results until there are bytes again. Between
// parts, tensors stay on the device in its layout; where others need them, they
// are copied and brought to the layout of the model.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"
#include "relay-mlir/Dialect/VTA/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::vta {
#define GEN_PASS_DEF_PARTITIONGRAPHPASS
#include "relay-mlir/Dialect/VTA/Transforms/Passes.h.inc"
} // namespace mlir::vta

using namespace mlir;
using namespace mlir::vta;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// What VTA computes
//===----------------------------------------------------------------------===//

static RankedTensorType getType(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type : RankedTensorType();
}

static bool isIntegers(Value value, unsigned bits) {
  RankedTensorType type = getType(value);
  return type && type.getElementType().isSignlessInteger(bits);
}

/// The elements of a constant of integers.
static std::optional<SmallVector<int64_t>> getIntegers(Value value) {
  auto constant = value.getDefiningOp<ConstantOp>();
  RankedTensorType type = constant ? getType(constant) : RankedTensorType();
  if (!type || !type.getElementType().isSignlessInteger())
    return std::nullopt;
  // Large constants are bytes outside of the context.
  auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
  if (auto resource =
          dyn_cast<DenseResourceElementsAttr>(constant.getValue())) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
    if (!blob || static_cast<int64_t>(blob->getData().size()) != bytes)
      return std::nullopt;
    elements = DenseElementsAttr::getFromRawBuffer(type, blob->getData());
  }
  if (!elements)
    return std::nullopt;
  if (elements.isSplat())
    return SmallVector<int64_t>{elements.getSplatValue<APInt>().getSExtValue()};
  return llvm::map_to_vector(
      elements.getValues<APInt>(),
      [](const APInt &element) { return element.getSExtValue(); });
}

/// The one number that a constant has in all elements.
static std::optional<int64_t> getNumber(Value value) {
  std::optional<SmallVector<int64_t>> elements = getIntegers(value);
  return elements && elements->size() == 1 ? std::optional(elements->front())
                                           : std::nullopt;
}

namespace {

/// What numbers may be. Beyond 32 bits, they are not what they would be.
struct Bounds {
  int64_t least, most;

  static Bounds ofBits(unsigned bits) {
    return {-(int64_t(1) << (bits - 1)), (int64_t(1) << (bits - 1)) - 1};
  }
  bool fits(unsigned bits) const {
    Bounds all = ofBits(bits);
    return least >= all.least && most <= all.most;
  }
};

/// One step of a part, in the order in which steps run.
struct Step {
  /// What is computed: an operator of the graph, or else, for a change of scale
  /// in 64 bits, a sum and a shift.
  Operation *op = nullptr;
  int64_t addend = 0, shift = 0;
  /// Which operand is the result of the step before.
  unsigned operand = 0;
  Value result;
};

/// A part of a graph.
struct Part {
  Operation *root = nullptr;
  SmallVector<Step> steps;
  /// Operations of the graph that the part takes the place of.
  SmallVector<Operation *> ops;
  /// What the part computes; bytes.
  Value result;
};

/// Finds parts.
class PartFinder {
public:
  std::optional<Part> find(Operation *root);

private:
  bool takesRoot(Operation *root);
  /// The step that takes `value`, which is in `bounds`; changes these.
  std::optional<Step> getStep(Value value, Bounds &bounds, Part &part);
  std::optional<Step> getScaleChange(CastOp cast, Bounds &bounds, Part &part);
  bool takesOperand(Operation *op, Value other, Bounds &bounds);
  // Of the result of an operator of a kind that VTA has, whose operand is in
  // `bounds`; none of others.
  std::optional<Bounds> getBoundsOfPair(Operation *op, unsigned operand,
                                        Bounds bounds);
  std::optional<Bounds> getBoundsOfRange(Operation *op, Bounds bounds);
  std::optional<Bounds> getBoundsOfShift(Operation *op, unsigned operand,
                                         Bounds bounds);
};

} // namespace

bool PartFinder::takesRoot(Operation *root) {
  Value data, weight;
  if (auto conv = dyn_cast<NNConv2dOp>(root)) {
    data = conv.getData();
    weight = conv.getWeight();
    if (conv.getGroups() != 1 || conv.getDataLayout() != "NCHW" ||
        conv.getKernelLayout() != "OIHW" ||
        (!conv.getOutLayout().empty() && conv.getOutLayout() != "NCHW"))
      return false;
  } else if (auto dense = dyn_cast<NNDenseOp>(root)) {
    data = dense.getData();
    weight = dense.getWeight();
    if (!getType(data) || getType(data).getRank() != 2)
      return false;
  } else {
    return false;
  }
  return isIntegers(data, 8) && isIntegers(weight, 8) &&
         weight.getDefiningOp<ConstantOp>() &&
         !data.getDefiningOp<ConstantOp>() &&
         isIntegers(root->getResult(0), 32) &&
         llvm::all_of(getType(root->getResult(0)).getShape(),
                      [](int64_t size) { return size > 0; });
}

/// Whether a constant has one number, or one for each channel of `type`.
static bool isPerChannel(RankedTensorType constant, RankedTensorType type) {
  if (constant.getNumElements() == 1)
    return true;
  int64_t channelAxis = type.getRank() - 1 - (type.getRank() == 4 ? 2 : 0);
  int64_t first = type.getRank() - constant.getRank();
  if (first < 0)
    return false;
  for (auto [axis, size] : llvm::enumerate(constant.getShape()))
    if (size != 1 && static_cast<int64_t>(axis) + first != channelAxis)
      return false;
  return true;
}

bool PartFinder::takesOperand(Operation *op, Value other, Bounds &bounds) {
  RankedTensorType type = getType(op->getResult(0));
  if (std::optional<SmallVector<int64_t>> numbers = getIntegers(other)) {
    if (!isPerChannel(getType(other), type))
      return false;
    bounds = {*llvm::min_element(*numbers), *llvm::max_element(*numbers)};
    return true;
  }
  // Bytes of the same shape, which may be on the device already.
  auto cast = other.getDefiningOp<CastOp>();
  bounds = Bounds::ofBits(8);
  return cast && isIntegers(cast.getData(), 8) &&
         !cast.getData().getDefiningOp<ConstantOp>() &&
         getType(cast.getData()).getShape() == type.getShape();
}

/// (x * 2^p + 2^(s - 1)) >> s in 64 bits is a sum and a shift in 32 bits.
std::optional<Step> PartFinder::getScaleChange(CastOp cast, Bounds &bounds,
                                               Part &part) {
  SmallVector<Operation *> ops = {cast};
  auto next = [&](Value value) -> Operation * {
    if (!value.hasOneUse())
      return nullptr;
    return ops.emplace_back(*value.user_begin());
  };
  auto multiply = dyn_cast_or_null<MultiplyOp>(next(cast.getResult()));
  if (!multiply || multiply.getLhs() != cast.getResult())
    return std::nullopt;
  auto add = dyn_cast_or_null<AddOp>(next(multiply.getResult()));
  if (!add || add.getLhs() != multiply.getResult())
    return std::nullopt;
  auto shift = dyn_cast_or_null<RightShiftOp>(next(add.getResult()));
  if (!shift || shift.getLhs() != add.getResult())
    return std::nullopt;
  auto back = dyn_cast_or_null<CastOp>(next(shift.getResult()));
  std::optional<int64_t> factor = getNumber(multiply.getRhs());
  std::optional<int64_t> rounding = getNumber(add.getRhs());
  std::optional<int64_t> bits = getNumber(shift.getRhs());
  if (!back || !isIntegers(back.getResult(), 32) || !factor || !rounding ||
      !bits || *factor <= 0 || !llvm::isPowerOf2_64(*factor) || *bits < 0 ||
      *bits > 62)
    return std::nullopt;
  int64_t power = llvm::Log2_64(*factor);
  Step step;
  step.shift = *bits - power;
  // Halves of what is left over do not count.
  step.addend = *rounding >> power;
  if (step.shift < 0 || step.shift > 31 || step.addend < 0 ||
      (step.shift == 0 && step.addend != 0))
    return std::nullopt;
  Bounds sum = {bounds.least + step.addend, bounds.most + step.addend};
  // The product must not have left 64 bits either.
  if (!sum.fits(32) || power > 31)
    return std::nullopt;
  bounds = {sum.least >> step.shift, sum.most >> step.shift};
  step.result = back.getResult();
  llvm::append_range(part.ops, ops);
  return step;
}

/// Sums, minima and maxima of two tensors.
std::optional<Bounds>
PartFinder::getBoundsOfPair(Operation *op, unsigned operand, Bounds bounds) {
  Bounds other{};
  if (!isa<AddOp, MaximumOp, MinimumOp>(op) ||
      op->getOperand(0) == op->getOperand(1) ||
      !takesOperand(op, op->getOperand(1 - operand), other))
    return std::nullopt;
  if (isa<MaximumOp>(op))
    return Bounds{std::max(bounds.least, other.least),
                  std::max(bounds.most, other.most)};
  if (isa<MinimumOp>(op))
    return Bounds{std::min(bounds.least, other.least),
                  std::min(bounds.most, other.most)};
  // Sums of bytes wrap around; they are left to the processor.
  if (!isIntegers(op->getResult(0), 32))
    return std::nullopt;
  return Bounds{bounds.least + other.least, bounds.most + other.most};
}

/// What cuts numbers off at the ends of a range.
std::optional<Bounds> PartFinder::getBoundsOfRange(Operation *op,
                                                   Bounds bounds) {
  if (isa<NNReluOp>(op))
    return Bounds{std::max<int64_t>(bounds.least, 0),
                  std::max<int64_t>(bounds.most, 0)};
  auto clip = dyn_cast<ClipOp>(op);
  if (!clip)
    return std::nullopt;
  double least = clip.getAMin().convertToDouble();
  double most = clip.getAMax().convertToDouble();
  Bounds all =
      Bounds::ofBits(getType(op->getResult(0)).getElementTypeBitWidth());
  if (least != std::floor(least) || most != std::floor(most) ||
      least < all.least || most > all.most || least > most)
    return std::nullopt;
  return Bounds{std::clamp<int64_t>(bounds.least, least, most),
                std::clamp<int64_t>(bounds.most, least, most)};
}

/// Shifts, and products of powers of two.
std::optional<Bounds>
PartFinder::getBoundsOfShift(Operation *op, unsigned operand, Bounds bounds) {
  if (!isa<RightShiftOp, LeftShiftOp, MultiplyOp>(op) ||
      !isIntegers(op->getResult(0), 32))
    return std::nullopt;
  std::optional<int64_t> number = getNumber(op->getOperand(1 - operand));
  if (!number)
    return std::nullopt;
  if (isa<MultiplyOp>(op)) {
    if (*number <= 0 || !llvm::isPowerOf2_64(*number))
      return std::nullopt;
    return Bounds{bounds.least * *number, bounds.most * *number};
  }
  if (operand != 0 || *number < 0 || *number > 31)
    return std::nullopt;
  if (isa<RightShiftOp>(op))
    return Bounds{bounds.least >> *number, bounds.most >> *number};
  return Bounds{bounds.least * (int64_t(1) << *number),
                bounds.most * (int64_t(1) << *number)};
}

std::optional<Step> PartFinder::getStep(Value value, Bounds &bounds,
                                        Part &part) {
  if (!value.hasOneUse())
    return std::nullopt;
  Operation *op = *value.user_begin();
  if (op->getNumResults() != 1 || op->getBlock() != part.root->getBlock())
    return std::nullopt;
  if (auto cast = dyn_cast<CastOp>(op);
      cast && isIntegers(op->getResult(0), 64))
    return isIntegers(value, 32) ? getScaleChange(cast, bounds, part)
                                 : std::nullopt;
  bool isWord = isIntegers(op->getResult(0), 32);
  if ((!isWord && !isIntegers(op->getResult(0), 8)) ||
      getType(op->getResult(0)).getShape() != getType(value).getShape())
    return std::nullopt;
  unsigned bits = isWord ? 32 : 8;
  Step step;
  step.op = op;
  step.result = op->getResult(0);
  step.operand = op->getOperand(0) == value ? 0 : 1;
  std::optional<Bounds> next = getBoundsOfPair(op, step.operand, bounds);
  if (!next)
    next = getBoundsOfRange(op, bounds);
  if (!next)
    next = getBoundsOfShift(op, step.operand, bounds);
  if (!next && isa<CastOp>(op))
    next = bounds;
  if (!next)
    return std::nullopt;
  bounds = next->fits(bits) ? *next : Bounds::ofBits(bits);
  part.ops.push_back(op);
  return step;
}

std::optional<Part> PartFinder::find(Operation *root) {
  if (!takesRoot(root))
    return std::nullopt;
  Part part;
  part.root = root;
  part.ops.push_back(root);
  RankedTensorType weight = getType(root->getOperand(1));
  int64_t terms = weight.getNumElements() / weight.getDimSize(0);
  constexpr int64_t kLargestProduct = int64_t(1) << 14;
  Bounds bounds = {-terms * kLargestProduct, terms * kLargestProduct};
  if (!bounds.fits(32))
    bounds = Bounds::ofBits(32);
  Value value = root->getResult(0);
  size_t numSteps = 0, numOps = 0;
  Bounds before = bounds;
  while (std::optional<Step> step = getStep(value, bounds, part)) {
    // A bound that all results are beyond is a constant, and needs no device.
    if (bounds.least == bounds.most && before.least != before.most &&
        isa_and_present<MaximumOp, MinimumOp, ClipOp>(step->op))
      break;
    before = bounds;
    part.steps.push_back(*step);
    value = step->result;
    if (!isIntegers(value, 8))
      continue;
    part.result = value;
    numSteps = part.steps.size();
    numOps = part.ops.size();
  }
  if (!part.result)
    return std::nullopt;
  part.steps.resize(numSteps);
  part.ops.truncate(numOps);
  return part;
}

//===----------------------------------------------------------------------===//
// The graph of the device
//===----------------------------------------------------------------------===//

namespace {

/// Moves parts of a function to the device.
class Partitioner {
public:
  Partitioner(func::FuncOp function, relay_vta::Config config)
      : function(function), batch(config.getBatch()), block(config.getBlock()),
        builder(function.getContext()) {
    std::string images = batch == 1 ? "" : std::to_string(batch) + "n";
    dataLayout = "NCHW" + images + std::to_string(block) + "c";
    kernelLayout =
        "OIHW" + std::to_string(block) + "o" + std::to_string(block) + "i";
    device = DeviceAttr::get(function.getContext(), kDeviceKind, 0)
                 .toVirtualDevice();
    host = DeviceAttr::get(function.getContext(), DeviceAttr::kCPUKind, 0)
               .toVirtualDevice();
  }

  unsigned run();

private:
  bool isOneMatrix(const Part &part);
  void move(const Part &part);
  Value pad(Location loc, Value value, ArrayRef<int64_t> sizes);
  Value toFourDims(Location loc, Value value);
  /// `value` in the layout of the device, and on it.
  Value getPacked(Location loc, Value value);
  Value packWeight(Location loc, Value weight);
  Value packConstant(Location loc, Value constant, RankedTensorType type);
  Value unpack(Location loc, Value packed, RankedTensorType type);
  Value getNumberConstant(Location loc, int64_t number);

  func::FuncOp function;
  int64_t batch, block;
  OpBuilder builder;
  std::string dataLayout, kernelLayout;
  DictionaryAttr device, host;
  DenseMap<Value, Value> packed;
};

} // namespace

/// Zeros after the elements of each dimension, up to `sizes`.
Value Partitioner::pad(Location loc, Value value, ArrayRef<int64_t> sizes) {
  RankedTensorType type = getType(value);
  SmallVector<int64_t> widths;
  for (auto [size, wanted] : llvm::zip_equal(type.getShape(), sizes))
    widths.append({0, wanted - size});
  if (type.getShape() == sizes)
    return value;
  auto scalar = RankedTensorType::get({}, type.getElementType());
  Value zero = ConstantOp::create(
      builder, loc, scalar,
      DenseElementsAttr::get(scalar,
                             builder.getZeroAttr(scalar.getElementType())));
  return NNPadOp::create(builder, loc, value, zero, widths, "constant");
}

/// Dense layers are convolutions of one pixel.
Value Partitioner::toFourDims(Location loc, Value value) {
  RankedTensorType type = getType(value);
  if (type.getRank() == 4)
    return value;
  return ReshapeOp::create(
      builder, loc, value,
      ArrayRef<int64_t>{type.getDimSize(0), type.getDimSize(1), 1, 1});
}

Value Partitioner::getPacked(Location loc, Value value) {
  Value &result = packed[value];
  if (result)
    return result;
  Value data = toFourDims(loc, value);
  SmallVector<int64_t> sizes(getType(data).getShape());
  sizes[0] = llvm::alignTo(sizes[0], batch);
  sizes[1] = llvm::alignTo(sizes[1], block);
  data = pad(loc, data, sizes);
  data = LayoutTransformOp::create(builder, loc, data, "NCHW", dataLayout);
  return result = DeviceCopyOp::create(builder, loc, data, host, device);
}

Value Partitioner::packWeight(Location loc, Value weight) {
  weight = toFourDims(loc, weight);
  SmallVector<int64_t> sizes(getType(weight).getShape());
  sizes[0] = llvm::alignTo(sizes[0], block);
  sizes[1] = llvm::alignTo(sizes[1], block);
  weight = pad(loc, weight, sizes);
  return LayoutTransformOp::create(builder, loc, weight, "OIHW", kernelLayout);
}

Value Partitioner::packConstant(Location loc, Value constant,
                                RankedTensorType type) {
  RankedTensorType from = getType(constant);
  if (from.getNumElements() == 1)
    return from.getRank() == 0 ? constant
                               : Value(ReshapeOp::create(builder, loc, constant,
                                                         ArrayRef<int64_t>{}));
  int64_t channels = type.getDimSize(1);
  constant = ReshapeOp::create(builder, loc, constant,
                               ArrayRef<int64_t>{1, channels, 1, 1});
  int64_t padded = llvm::alignTo(channels, block);
  constant = pad(loc, constant, {1, padded, 1, 1});
  if (batch != 1)
    constant = BroadcastToOp::create(builder, loc, constant,
                                     ArrayRef<int64_t>{batch, padded, 1, 1},
                                     TypeAttr());
  return LayoutTransformOp::create(builder, loc, constant, "NCHW", dataLayout);
}

Value Partitioner::unpack(Location loc, Value value, RankedTensorType type) {
  value = DeviceCopyOp::create(builder, loc, value, device, host);
  value = LayoutTransformOp::create(builder, loc, value, dataLayout, "NCHW");
  SmallVector<int64_t> sizes(type.getShape());
  sizes.resize(4, 1);
  if (getType(value).getShape() != ArrayRef(sizes))
    value = StridedSliceOp::create(
        builder, loc, value, SmallVector<int64_t>(4, 0), sizes,
        DenseI64ArrayAttr(), "end", DenseI64ArrayAttr());
  if (type.getRank() != 4)
    value = ReshapeOp::create(builder, loc, value, type.getShape());
  return value;
}

Value Partitioner::getNumberConstant(Location loc, int64_t number) {
  auto type = RankedTensorType::get({}, builder.getI32Type());
  return ConstantOp::create(
      builder, loc, type,
      DenseElementsAttr::get(type, builder.getI32IntegerAttr(number)));
}

void Partitioner::move(const Part &part) {
  Operation *root = part.root;
  builder.setInsertionPoint(part.result.getDefiningOp());
  Location loc = root->getLoc();
  Value data = getPacked(loc, root->getOperand(0));
  Value weight = packWeight(loc, root->getOperand(1));
  SmallVector<int64_t> strides = {1, 1}, padding = {0, 0, 0, 0},
                       dilation = {1, 1};
  if (auto conv = dyn_cast<NNConv2dOp>(root)) {
    strides.assign(conv.getStrides().begin(), conv.getStrides().end());
    padding.assign(conv.getPadding().begin(), conv.getPadding().end());
    dilation.assign(conv.getDilation().begin(), conv.getDilation().end());
  }
  Value value = NNConv2dOp::create(
      builder, loc, data, weight, strides, padding, dilation, /*groups=*/1,
      IntegerAttr(), DenseI64ArrayAttr(), dataLayout, kernelLayout, "",
      TypeAttr::get(builder.getI32Type()));
  RankedTensorType type = getType(root->getResult(0));
  RankedTensorType shape = getType(value);
  for (const Step &step : part.steps) {
    Location stepLoc = step.result.getLoc();
    if (!step.op) {
      if (step.addend)
        value = AddOp::create(builder, stepLoc, value,
                              getNumberConstant(stepLoc, step.addend));
      if (step.shift)
        value = RightShiftOp::create(builder, stepLoc, value,
                                     getNumberConstant(stepLoc, step.shift));
      continue;
    }
    IRMapping mapping;
    mapping.map(step.op->getOperand(step.operand), value);
    if (step.op->getNumOperands() == 2) {
      Value other = step.op->getOperand(1 - step.operand);
      if (auto cast = other.getDefiningOp<CastOp>())
        mapping.map(other, CastOp::create(builder, stepLoc,
                                          getPacked(stepLoc, cast.getData()),
                                          cast.getDtype())
                               .getResult());
      else
        mapping.map(other, packConstant(stepLoc, other, type));
    }
    Operation *clone = builder.clone(*step.op, mapping);
    clone->getResult(0).setType(
        shape.clone(getType(step.result).getElementType()));
    value = clone->getResult(0);
  }
  packed[part.result] = value;
}

/// Whether a product is of one pixel, with one block of inputs and several of
/// outputs. Blocks of all its buffers are then rows of matrices, and loops over
/// them one, in which tiles do not see blocks.
bool Partitioner::isOneMatrix(const Part &part) {
  ArrayRef<int64_t> weight = getType(part.root->getOperand(1)).getShape();
  ArrayRef<int64_t> result = getType(part.root->getResult(0)).getShape();
  auto isOne = [](int64_t size) { return size == 1; };
  return batch == 1 && weight[1] <= block && weight[0] > block &&
         llvm::all_of(weight.drop_front(2), isOne) &&
         llvm::all_of(result.drop_front(2), isOne);
}

unsigned Partitioner::run() {
  PartFinder finder;
  std::vector<Part> parts;
  DenseSet<Operation *> taken;
  for (Block &blockOfOps : function.getBody())
    for (Operation &op : blockOfOps)
      if (std::optional<Part> part = finder.find(&op);
          part && !isOneMatrix(*part))
        parts.push_back(std::move(*part));
  // A part may need what another one computes, which then comes before.
  llvm::stable_sort(parts, [](const Part &lhs, const Part &rhs) {
    Operation *left = lhs.result.getDefiningOp();
    Operation *right = rhs.result.getDefiningOp();
    return left->getBlock() == right->getBlock() &&
           left->isBeforeInBlock(right);
  });
  for (const Part &part : parts)
    taken.insert(part.ops.begin(), part.ops.end());
  for (const Part &part : parts)
    move(part);
  for (const Part &part : parts) {
    bool isNeeded = llvm::any_of(part.result.getUsers(), [&](Operation *user) {
      return !taken.contains(user);
    });
    if (!isNeeded)
      continue;
    Operation *last = part.result.getDefiningOp();
    builder.setInsertionPoint(last);
    Value result =
        unpack(last->getLoc(), packed[part.result], getType(part.result));
    Value(part.result).replaceUsesWithIf(result, [&](OpOperand &use) {
      return !taken.contains(use.getOwner());
    });
  }
  for (const Part &part : llvm::reverse(parts))
    for (Operation *op : llvm::reverse(part.ops)) {
      // Casts of bytes that another part adds have no users left.
      if (op->use_empty())
        op->erase();
    }
  return parts.size();
}

namespace {

struct PartitionGraph : vta::impl::PartitionGraphPassBase<PartitionGraph> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal() || function->hasAttr(kPrimitiveAttrName))
      return markAllAnalysesPreserved();
    auto device = DeviceAttr::get(&getContext(), kDeviceKind, 0);
    auto config = dyn_cast_or_null<ConfigAttr>(
        relay::lookupDeviceTarget(function, device));
    if (!config) {
      function.emitError("expects a target for devices of kind vta, such as "
                         "target.device_specs = {vta = #vta.config<batch = 1, "
                         "block = 16>}");
      return signalPassFailure();
    }
    relay_vta::Config parameters = config.getConfig();
    if (parameters.getInpBits() != 8 || parameters.getWgtBits() != 8 ||
        parameters.getAccBits() != 32) {
      function.emitError("expects a VTA of bytes that adds up in 32 bits, but "
                         "got ")
          << config;
      return signalPassFailure();
    }
    numParts += Partitioner(function, parameters).run();
  }
};

} // namespace
