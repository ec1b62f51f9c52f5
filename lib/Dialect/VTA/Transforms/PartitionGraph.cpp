//===- PartitionGraph.cpp - Give VTA the parts of a graph that it can -----===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between parts, tensors stay on the device in its layout; where others need
// them, they are copied and brought to the layout of the model.
//
//===----------------------------------------------------------------------===//

#include "Differences.h"
#include "PartFinder.h"

#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayAnnotationOps.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"
#include "relay-mlir/Dialect/VTA/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"

namespace mlir::vta {
#define GEN_PASS_DEF_PARTITIONGRAPHPASS
#include "relay-mlir/Dialect/VTA/Transforms/Passes.h.inc"
} // namespace mlir::vta

using namespace mlir;
using namespace mlir::vta;
using namespace mlir::relay;

namespace {

/// Moves parts of a function to the device.
class Partitioner {
public:
  Partitioner(func::FuncOp function, relay_vta::Config config)
      : function(function), config(config), batch(config.getBatch()),
        block(config.getBlock()), builder(function.getContext()) {
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
  std::vector<Part> findParts(DenseSet<Operation *> &taken);
  void move(const Part &part);
  /// One of the convolutions of a part, and its steps.
  Value buildProduct(const Part &part, const BlockProduct &product);
  Value buildMaxPool(const Part &part);
  Value buildSteps(const Part &part, Value value);
  Value buildOther(Location loc, Value other, int64_t channels);
  Value buildHalf(Location loc, Value value, int64_t shift);
  Value buildScaleChange(Location loc, Value value, const Step &step);
  Value interleave(Location loc, ArrayRef<Value> results,
                   std::array<int64_t, 2> phases, RankedTensorType type);
  Value pad(Location loc, Value value, ArrayRef<int64_t> sizes);
  Value toFourDims(Location loc, Value value);
  /// `value` in the layout of the device, and on it, with at least so many
  /// channels.
  Value getPacked(Location loc, Value value, int64_t channels = 0);
  Value getOperand(Location loc, Value bytes, int64_t channels = 0);
  Value packWeight(Location loc, const Part &part, const BlockProduct &product);
  Value packConstant(Location loc, Value constant, RankedTensorType type,
                     int64_t padded);
  Value cut(Location loc, Value value, ArrayRef<int64_t> sizes);
  Value unpack(Location loc, Value packed, RankedTensorType type);
  Value getNumberConstant(Location loc, int64_t number);

  func::FuncOp function;
  relay_vta::Config config;
  int64_t batch, block;
  OpBuilder builder;
  std::string dataLayout, kernelLayout;
  DictionaryAttr device, host;
  /// Results of parts, on the device, and values as parts take them, by how
  /// many channels these have.
  DenseMap<Value, Value> results;
  DenseMap<std::pair<Value, int64_t>, Value> packed;
  /// Results that the processor has put together.
  DenseMap<Value, Value> interleaved;
};

} // namespace

/// Zeros after the elements of each dimension, up to `sizes`.
Value Partitioner::pad(Location loc, Value value, ArrayRef<int64_t> sizes) {
  RankedTensorType type = getStaticType(value);
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

/// Dense layers are convolutions of one pixel, and those of one dimension of
/// one row.
static SmallVector<int64_t> getFourDims(RankedTensorType type) {
  SmallVector<int64_t> sizes(type.getShape());
  while (sizes.size() < 4)
    sizes.insert(sizes.begin() + 2, 1);
  return sizes;
}

Value Partitioner::toFourDims(Location loc, Value value) {
  RankedTensorType type = getStaticType(value);
  if (type.getRank() == 4)
    return value;
  return ReshapeOp::create(builder, loc, value, getFourDims(type));
}

Value Partitioner::getPacked(Location loc, Value value, int64_t channels) {
  RankedTensorType type = getStaticType(value);
  channels =
      std::max<int64_t>(channels, llvm::alignTo(type.getDimSize(1), block));
  Value &result = packed[{value, channels}];
  if (result)
    return result;
  Value computed = results.lookup(value);
  if (computed && getStaticType(computed).getDimSize(1) * block == channels)
    return result = computed;
  // The processor brings it to another number of channels.
  Value whole =
      computed ? unpack(loc, computed, type) : interleaved.lookup(value);
  Value data = toFourDims(loc, whole ? whole : value);
  SmallVector<int64_t> sizes(getStaticType(data).getShape());
  sizes[0] = llvm::alignTo(sizes[0], batch);
  sizes[1] = channels;
  data = pad(loc, data, sizes);
  data = LayoutTransformOp::create(builder, loc, data, "NCHW", dataLayout);
  return result = DeviceCopyOp::create(builder, loc, data, host, device);
}

/// Bytes that steps of a part take. A part that has computed them stores bytes,
/// so that the steps are not to be fused with that.
Value Partitioner::getOperand(Location loc, Value bytes, int64_t channels) {
  Value value = getPacked(loc, bytes, channels);
  if (!value.getDefiningOp<DeviceCopyOp>())
    value =
        AnnotationStopFusionOp::create(builder, loc, value.getType(), value);
  return value;
}

Value Partitioner::packWeight(Location loc, const Part &part,
                              const BlockProduct &product) {
  Value weight;
  if (product.weight.empty())
    weight = toFourDims(loc, getUncast(part.root->getOperand(1)));
  else
    weight = ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(
            RankedTensorType::get(product.weightShape, builder.getI8Type()),
            ArrayRef(product.weight)));
  SmallVector<int64_t> sizes(getStaticType(weight).getShape());
  sizes[0] = llvm::alignTo(sizes[0], block);
  sizes[1] = llvm::alignTo(sizes[1], block);
  weight = pad(loc, weight, sizes);
  return LayoutTransformOp::create(builder, loc, weight, "OIHW", kernelLayout);
}

Value Partitioner::packConstant(Location loc, Value constant,
                                RankedTensorType type, int64_t padded) {
  RankedTensorType from = getStaticType(constant);
  if (from.getNumElements() == 1)
    return from.getRank() == 0 ? constant
                               : Value(ReshapeOp::create(builder, loc, constant,
                                                         ArrayRef<int64_t>{}));
  int64_t channels = type.getDimSize(1);
  constant = ReshapeOp::create(builder, loc, constant,
                               ArrayRef<int64_t>{1, channels, 1, 1});
  constant = pad(loc, constant, {1, padded, 1, 1});
  if (batch != 1)
    constant = BroadcastToOp::create(builder, loc, constant,
                                     ArrayRef<int64_t>{batch, padded, 1, 1},
                                     TypeAttr());
  return LayoutTransformOp::create(builder, loc, constant, "NCHW", dataLayout);
}

/// The first elements of each dimension.
Value Partitioner::cut(Location loc, Value value, ArrayRef<int64_t> sizes) {
  if (getStaticType(value).getShape() == sizes)
    return value;
  return StridedSliceOp::create(
      builder, loc, value, SmallVector<int64_t>(sizes.size(), 0), sizes,
      DenseI64ArrayAttr(), "end", DenseI64ArrayAttr());
}

Value Partitioner::unpack(Location loc, Value value, RankedTensorType type) {
  value = DeviceCopyOp::create(builder, loc, value, device, host);
  value = LayoutTransformOp::create(builder, loc, value, dataLayout, "NCHW");
  value = cut(loc, value, getFourDims(type));
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

Value Partitioner::buildProduct(const Part &part, const BlockProduct &product) {
  Operation *root = part.root;
  Location loc = root->getLoc();
  // All groups have as many.
  Value data = getPacked(
      loc, part.data,
      product.groups == 1 ? 0 : product.groups * product.weightShape[1]);
  Value weight = packWeight(loc, part, product);
  SmallVector<int64_t> shape(getStaticType(data).getShape());
  auto reshape = [&](int64_t images, int64_t blocks, Value tensor) -> Value {
    SmallVector<int64_t> sizes(getStaticType(tensor).getShape());
    sizes[0] = images;
    sizes[1] = blocks;
    return ReshapeOp::create(builder, loc, tensor, sizes);
  };
  if (product.isPerBlock)
    data = reshape(shape[0] * shape[1], 1, data);
  Value value = NNConv2dOp::create(
      builder, loc, data, weight, product.strides, product.padding,
      product.dilation, product.groups, IntegerAttr(), DenseI64ArrayAttr(),
      dataLayout, kernelLayout, "", TypeAttr::get(builder.getI32Type()));
  value = buildSteps(part, value);
  return product.isPerBlock ? reshape(shape[0], shape[1], value) : value;
}

Value Partitioner::buildMaxPool(const Part &part) {
  Operation *root = part.root;
  Value data = getPacked(root->getLoc(), part.data);
  if (auto pool = dyn_cast<NNMaxPool2dOp>(root))
    return NNMaxPool2dOp::create(builder, root->getLoc(), data,
                                 pool.getPoolSize(), pool.getStrides(),
                                 pool.getDilation(), pool.getPadding(),
                                 dataLayout, "", pool.getCeilMode());
  ArrayRef<int64_t> sizes = getStaticType(part.data).getShape().drop_front(2);
  return NNMaxPool2dOp::create(builder, root->getLoc(), data, sizes,
                               ArrayRef<int64_t>{1, 1}, ArrayRef<int64_t>{1, 1},
                               ArrayRef<int64_t>{0, 0}, dataLayout);
}

/// What is added before a shift that rounds halves to the even number: a half,
/// less one where the quotient is even. That is where its last bit, which
/// adding it changes, is the sign once it is the first one.
Value Partitioner::buildHalf(Location loc, Value value, int64_t shift) {
  // A shift by 15 has another number that differs in this bit, and is small
  // enough to be a part of an instruction.
  int64_t bit = shift == 15 ? INT16_MIN : int64_t(1) << shift;
  value = AddOp::create(builder, loc, value, getNumberConstant(loc, bit));
  value = LeftShiftOp::create(builder, loc, value,
                              getNumberConstant(loc, 31 - shift));
  value = MinimumOp::create(builder, loc, value, getNumberConstant(loc, 0));
  value = MaximumOp::create(builder, loc, value, getNumberConstant(loc, -1));
  return AddOp::create(builder, loc, value,
                       getNumberConstant(loc, int64_t(1) << (shift - 1)));
}

Value Partitioner::buildScaleChange(Location loc, Value value,
                                    const Step &step) {
  const ScaleChange &scale = step.scale;
  if (scale.factor != 1)
    value = MultiplyOp::create(builder, loc, value,
                               getNumberConstant(loc, scale.factor));
  if (scale.addend)
    value = AddOp::create(builder, loc, value,
                          getNumberConstant(loc, scale.addend));
  if (scale.isToEven)
    value =
        AddOp::create(builder, loc, value, buildHalf(loc, value, scale.shift));
  if (scale.shift)
    value = RightShiftOp::create(builder, loc, value,
                                 getNumberConstant(loc, scale.shift));
  if (scale.least)
    value = MaximumOp::create(builder, loc, value,
                              getNumberConstant(loc, *scale.least));
  if (scale.most)
    value = MinimumOp::create(builder, loc, value,
                              getNumberConstant(loc, *scale.most));
  Type type = getStaticType(step.result).getElementType();
  if (getStaticType(value).getElementType() != type)
    value = CastOp::create(builder, loc, value, type);
  return value;
}

/// Bytes, as they are or in 32 bits, or a multiple of these.
Value Partitioner::buildOther(Location loc, Value other, int64_t channels) {
  if (getStaticType(other).getElementType().isInteger(8))
    return getOperand(loc, other, channels);
  Operation *op = other.getDefiningOp();
  if (auto cast = dyn_cast<CastOp>(op))
    return CastOp::create(builder, loc,
                          getOperand(loc, cast.getData(), channels),
                          cast.getDtype());
  IRMapping mapping;
  Value value = buildOther(loc, op->getOperand(0), channels);
  mapping.map(op->getOperand(0), value);
  RankedTensorType factor = getStaticType(op->getOperand(1));
  mapping.map(op->getOperand(1),
              packConstant(loc, op->getOperand(1), factor, channels));
  Operation *clone = builder.clone(*op, mapping);
  clone->getResult(0).setType(value.getType());
  return clone->getResult(0);
}

Value Partitioner::buildSteps(const Part &part, Value value) {
  Operation *root = part.root;
  RankedTensorType type = getStaticType(root->getResult(0));
  RankedTensorType shape = getStaticType(value);
  int64_t channels = shape.getDimSize(1) * block;
  for (const Step &step : part.steps) {
    Location stepLoc = step.result.getLoc();
    if (!step.op) {
      value = buildScaleChange(stepLoc, value, step);
      continue;
    }
    IRMapping mapping;
    mapping.map(step.op->getOperand(step.operand), value);
    if (step.op->getNumOperands() == 2) {
      Value other = step.op->getOperand(1 - step.operand);
      mapping.map(other, getIntegers(other)
                             ? packConstant(stepLoc, other, type, channels)
                             : buildOther(stepLoc, other, channels));
    }
    Operation *clone = builder.clone(*step.op, mapping);
    clone->getResult(0).setType(
        shape.clone(getStaticType(step.result).getElementType()));
    value = clone->getResult(0);
  }
  return value;
}

/// Puts phases of a result, in the layout of the model, where they belong.
Value Partitioner::interleave(Location loc, ArrayRef<Value> results,
                              std::array<int64_t, 2> phases,
                              RankedTensorType type) {
  ArrayRef<int64_t> size = getStaticType(results.front()).getShape();
  int64_t images = size[0], channels = size[1], rows = size[2];
  int64_t columns = size[3] * phases[1];
  auto join = [&](ArrayRef<Value> values, int64_t axis,
                  ArrayRef<int64_t> single, ArrayRef<int64_t> joined) -> Value {
    if (values.size() == 1)
      return values.front();
    SmallVector<Value> parts;
    for (Value value : values)
      parts.push_back(ReshapeOp::create(builder, loc, value, single));
    return ReshapeOp::create(
        builder, loc, ConcatenateOp::create(builder, loc, parts, axis), joined);
  };
  SmallVector<Value> byRow;
  for (int64_t row = 0; row < phases[0]; ++row)
    byRow.push_back(join(results.slice(row * phases[1], phases[1]), 4,
                         {images, channels, rows, size[3], 1},
                         {images, channels, rows, columns}));
  Value result = join(byRow, 3, {images, channels, rows, 1, columns},
                      {images, channels, rows * phases[0], columns});
  return cut(loc, result, type.getShape());
}

void Partitioner::move(const Part &part) {
  builder.setInsertionPoint(part.result.getDefiningOp());
  const BlockProducts &all = part.products;
  if (all.products.empty()) {
    Value value = isMaxPool(part.root)
                      ? buildMaxPool(part)
                      : getOperand(part.root->getLoc(), part.data);
    results[part.result] = buildSteps(part, value);
    return;
  }
  if (all.products.size() == 1) {
    results[part.result] = buildProduct(part, all.products.front());
    return;
  }
  Location loc = part.root->getLoc();
  RankedTensorType type = getStaticType(part.result);
  SmallVector<Value> results;
  for (const BlockProduct &product : all.products) {
    Value value = buildProduct(part, product);
    SmallVector<int64_t> sizes(type.getShape());
    for (int64_t axis : {0, 1})
      sizes[2 + axis] = llvm::divideCeil(sizes[2 + axis], all.phases[axis]);
    results.push_back(unpack(loc, value, type.clone(sizes)));
  }
  interleaved[part.result] = interleave(loc, results, all.phases, type);
}

/// Quantization writes a clip to the range of bytes, the cast, and a clip to a
/// range within that. The last one is enough, and each takes two instructions.
static void mergeClips(Part &part) {
  for (size_t i = 0; i + 2 < part.steps.size(); ++i) {
    auto outer = dyn_cast_or_null<ClipOp>(part.steps[i].op);
    auto inner = dyn_cast_or_null<ClipOp>(part.steps[i + 2].op);
    if (!outer || !inner || !isa_and_present<CastOp>(part.steps[i + 1].op) ||
        inner.getAMin() < outer.getAMin() || inner.getAMax() > outer.getAMax())
      continue;
    // The cast keeps all that the clip before it leaves.
    unsigned bits = getStaticType(inner.getResult()).getElementTypeBitWidth();
    double most = std::ldexp(1, static_cast<int>(bits) - 1) - 1;
    if (outer.getAMin().convertToDouble() < -most - 1 ||
        outer.getAMax().convertToDouble() > most)
      continue;
    // Nobody else sees it, and the part takes its place.
    outer.setAMin(inner.getAMin());
    outer.setAMax(inner.getAMax());
    part.steps.erase(part.steps.begin() + i + 2);
  }
}

/// Layers with what comes after them first, then what is left between them.
std::vector<Part> Partitioner::findParts(DenseSet<Operation *> &taken) {
  std::vector<Part> parts;
  DenseSet<Value> onDevice;
  for (Block &blockOfOps : function.getBody())
    for (Operation &op : blockOfOps) {
      if (!isLayer(&op))
        continue;
      std::string reason;
      std::optional<Part> part = findPart(&op, config, taken, reason);
      if (!part) {
        remark::missed(op.getLoc(),
                       remark::RemarkOpts::name("vta").category("relay"))
            << ("computed by the processor: " + reason);
        continue;
      }
      taken.insert(part->ops.begin(), part->ops.end());
      mergeClips(*part);
      if (part->products.products.size() == 1)
        onDevice.insert(part->result);
      parts.push_back(std::move(*part));
    }
  for (Block &blockOfOps : function.getBody())
    for (Operation &op : blockOfOps)
      if (std::optional<Part> part =
              findElementPart(&op, config, taken, onDevice)) {
        taken.insert(part->ops.begin(), part->ops.end());
        onDevice.insert(part->result);
        parts.push_back(std::move(*part));
      }
  return parts;
}

unsigned Partitioner::run() {
  makeSums(function);
  DenseSet<Operation *> taken;
  std::vector<Part> parts = findParts(taken);
  // A part may need what another one computes, which then comes before.
  llvm::stable_sort(parts, [](const Part &lhs, const Part &rhs) {
    Operation *left = lhs.result.getDefiningOp();
    Operation *right = rhs.result.getDefiningOp();
    return left->getBlock() == right->getBlock() &&
           left->isBeforeInBlock(right);
  });
  // Casts of bytes for layers alone.
  SmallVector<Operation *> casts;
  for (const Part &part : parts) {
    auto cast = part.root->getOperand(0).getDefiningOp<CastOp>();
    if (cast && llvm::all_of(cast->getUsers(), [&](Operation *user) {
          return taken.contains(user);
        }))
      if (taken.insert(cast).second)
        casts.push_back(cast);
  }
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
    Value result = interleaved.lookup(part.result);
    if (!result)
      result = unpack(last->getLoc(), results[part.result],
                      getStaticType(part.result));
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
  for (Operation *cast : casts)
    if (cast->use_empty())
      cast->erase();
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
    if (parameters.getBlock() == 1) {
      function.emitError("expects a VTA with blocks of at least two channels, "
                         "but got ")
          << config;
      return signalPassFailure();
    }
    numParts += Partitioner(function, parameters).run();
  }
};

} // namespace
