//===- MultiplyConstants.cpp - Constants of channels as products ----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An ALU that adds two accumulators reads both, and takes two cycles for each
// element. GEMM adds an element in one. So a constant of each channel is a
// product of bytes, if it is not too large: an element of data whose first lane
// is 1 and whose others are 127, and a block of weights with the digits of each
// channel's constant.
//
// Folding would make constants of such products again, so that this happens
// when parts are functions, and constants are what they are called with.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/VTA/Transforms/Passes.h"

#include "relay-mlir/Dialect/Relay/IR/ConstantNumbers.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Target/IR/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace mlir::vta {
#define GEN_PASS_DEF_MULTIPLYCONSTANTSPASS
#include "relay-mlir/Dialect/VTA/Transforms/Passes.h.inc"
} // namespace mlir::vta

using namespace mlir;
using namespace mlir::vta;
using namespace mlir::relay;

/// What lanes of data after the first one have.
static constexpr int64_t kBase = 127;

/// The digits of a constant, one for each of `count` lanes; none if they are
/// not enough.
static std::optional<SmallVector<int8_t>> getDigits(int64_t number,
                                                    int64_t count) {
  // Of the first lane, the one next to zero.
  int64_t last = number % kBase;
  if (last > kBase / 2)
    last -= kBase;
  if (last < -(kBase / 2))
    last += kBase;
  int64_t rest = (number - last) / kBase;
  SmallVector<int8_t> digits = {static_cast<int8_t>(last)};
  for (int64_t lane = 1; lane < count; ++lane) {
    int64_t digit = std::clamp<int64_t>(rest, INT8_MIN, INT8_MAX);
    digits.push_back(static_cast<int8_t>(digit));
    rest -= digit;
  }
  return rest == 0 ? std::optional(digits) : std::nullopt;
}

namespace {

/// A sum, in a part, of what a layer computes and constants of its channels.
struct ChannelSum {
  NNConv2dOp layer;
  AddOp sum;
  BlockArgument constants;
};

/// Takes the sums of one function.
class Multiplier {
public:
  Multiplier(func::FuncOp part, ArrayRef<CallOp> calls,
             relay_vta::Config config)
      : part(part), calls(calls), config(config), batch(config.getBatch()),
        block(config.getBlock()), builder(part.getContext()) {}

  bool run();

private:
  bool hasRoom(NNConv2dOp layer) const;
  std::optional<ChannelSum> findSum(BlockArgument argument);
  /// Weights that have the constants of one call; null if these are too large.
  DenseElementsAttr getWeights(Value constants);

  func::FuncOp part;
  ArrayRef<CallOp> calls;
  relay_vta::Config config;
  int64_t batch, block;
  OpBuilder builder;
};

} // namespace

/// Whether tiles of a layer leave room for the products of constants, twice
/// where weights are.
bool Multiplier::hasRoom(NNConv2dOp layer) const {
  ArrayRef<int64_t> weight =
      cast<RankedTensorType>(layer.getWeight().getType()).getShape();
  int64_t window = weight[2] * weight[3];
  int64_t span = 1;
  for (auto [size, step] :
       llvm::zip_equal(weight.slice(2, 2), layer.getDilation()))
    span *= (size - 1) * step + 1;
  // What steps need beside data.
  constexpr int64_t kReserve = 8;
  auto depth = [&](relay_vta::Memory memory) {
    return static_cast<int64_t>(config.getDepth(memory));
  };
  return 2 * (window + 1) <= depth(relay_vta::Memory::Wgt) &&
         span + kReserve <= depth(relay_vta::Memory::Inp);
}

std::optional<ChannelSum> Multiplier::findSum(BlockArgument argument) {
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  if (!type || !type.hasStaticShape() || !argument.hasOneUse() ||
      !type.getElementType().isSignlessInteger(32))
    return std::nullopt;
  auto sum = dyn_cast<AddOp>(*argument.user_begin());
  if (!sum)
    return std::nullopt;
  Value other = sum.getLhs() == argument ? sum.getRhs() : sum.getLhs();
  // What is computed before it may be other steps of a layer.
  NNConv2dOp layer;
  for (Operation &op : part.getBody().front())
    if (auto conv = dyn_cast<NNConv2dOp>(op)) {
      if (layer)
        return std::nullopt;
      layer = conv;
    }
  std::string images = batch == 1 ? "" : std::to_string(batch) + "n";
  std::string channels = std::to_string(block);
  auto result = dyn_cast<RankedTensorType>(other.getType());
  // The layer has to have more results than there are constants.
  if (!layer || !result || result != layer.getResult().getType() ||
      result.getNumElements() <= type.getNumElements() ||
      layer.getDataLayout() != "NCHW" + images + channels + "c" ||
      layer.getKernelLayout() != "OIHW" + channels + "o" + channels + "i" ||
      !hasRoom(layer) || type.getRank() != (batch == 1 ? 5 : 6))
    return std::nullopt;
  SmallVector<int64_t> shape = {1, type.getDimSize(1), 1, 1};
  if (batch != 1)
    shape.push_back(batch);
  shape.push_back(block);
  if (type.getShape() != ArrayRef(shape))
    return std::nullopt;
  return ChannelSum{layer, sum, argument};
}

DenseElementsAttr Multiplier::getWeights(Value constants) {
  std::optional<SmallVector<int64_t>> numbers = getIntegers(constants);
  auto type = cast<RankedTensorType>(constants.getType());
  if (!numbers)
    return {};
  int64_t blocks = type.getDimSize(1);
  SmallVector<int8_t> weights;
  for (int64_t channel = 0; channel < blocks * block; ++channel) {
    // All images have the same.
    int64_t index = channel / block * batch * block + channel % block;
    std::optional<SmallVector<int8_t>> digits =
        getDigits((*numbers)[numbers->size() == 1 ? 0 : index], block);
    if (!digits)
      return {};
    llvm::append_range(weights, *digits);
  }
  return DenseElementsAttr::get(
      RankedTensorType::get({blocks, 1, 1, 1, block, block},
                            builder.getI8Type()),
      ArrayRef(weights));
}

bool Multiplier::run() {
  std::optional<ChannelSum> found;
  for (BlockArgument argument : part.getArguments())
    if ((found = findSum(argument)))
      break;
  if (!found || calls.empty())
    return false;
  unsigned position = found->constants.getArgNumber();
  SmallVector<DenseElementsAttr> weights;
  for (CallOp call : calls) {
    weights.push_back(getWeights(call.getArgOperands()[position]));
    if (!weights.back())
      return false;
  }

  SmallVector<int64_t> dataShape = {1, 1, 1, 1};
  if (batch != 1)
    dataShape.push_back(batch);
  dataShape.push_back(block);
  auto dataType = RankedTensorType::get(dataShape, builder.getI8Type());
  SmallVector<int8_t> lanes(batch * block, kBase);
  for (int64_t image = 0; image < batch; ++image)
    lanes[image * block] = 1;
  auto data = DenseElementsAttr::get(dataType, ArrayRef(lanes));

  // In the part, a layer of one pixel in place of the constants.
  Location loc = found->sum.getLoc();
  auto sumType = cast<RankedTensorType>(found->constants.getType());
  found->constants.setType(weights.front().getType());
  BlockArgument ones =
      part.getBody().front().addArgument(dataType, found->constants.getLoc());
  builder.setInsertionPoint(found->layer);
  Value product = NNConv2dOp::create(
      builder, loc, ones, found->constants, ArrayRef<int64_t>{1, 1},
      ArrayRef<int64_t>{0, 0}, ArrayRef<int64_t>{1, 1}, /*groups=*/1,
      IntegerAttr(), DenseI64ArrayAttr(), found->layer.getDataLayout(),
      found->layer.getKernelLayout(), "", TypeAttr::get(builder.getI32Type()));
  assert(product.getType() == sumType && "expects constants of channels");
  (void)sumType;
  found->sum->replaceUsesOfWith(found->constants, product);
  part.setFunctionType(builder.getFunctionType(
      part.getBody().front().getArgumentTypes(), part.getResultTypes()));
  if (part.getArgAttrsAttr())
    part.removeArgAttrsAttr();

  // It is called with both.
  for (auto [call, weight] : llvm::zip_equal(calls, weights)) {
    builder.setInsertionPoint(call);
    call->setOperand(position, ConstantOp::create(builder, loc, weight));
    call->insertOperands(call->getNumOperands(),
                         ConstantOp::create(builder, loc, data).getResult());
  }
  return true;
}

namespace {

struct MultiplyConstants
    : vta::impl::MultiplyConstantsPassBase<MultiplyConstants> {
  void runOnOperation() override {
    auto device = DeviceAttr::get(&getContext(), kDeviceKind, 0);
    auto config = dyn_cast_or_null<ConfigAttr>(
        relay::lookupDeviceTarget(getOperation(), device));
    // Digits are bytes, and constants have 32 bits.
    if (!config || config.getConfig().getInpBits() != 8 ||
        config.getConfig().getWgtBits() != 8 ||
        config.getConfig().getAccBits() != 32)
      return markAllAnalysesPreserved();
    SymbolTableCollection symbols;
    SymbolUserMap users(symbols, getOperation());
    for (auto part : getOperation().getOps<func::FuncOp>()) {
      if (!part->hasAttr(kPrimitiveAttrName) || part.isExternal())
        continue;
      SmallVector<CallOp> calls;
      for (Operation *user : users.getUsers(part))
        calls.push_back(dyn_cast<CallOp>(user));
      if (llvm::all_of(calls, [](CallOp call) { return bool(call); }))
        numProducts += Multiplier(part, calls, config.getConfig()).run();
    }
  }
};

} // namespace
