//===- Deformable.cpp - Convolutions of ONNX with data of their own ---===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Convolutions that read at positions that are data, or that keep what they
// have read for the next run.
//
//===----------------------------------------------------------------------===//

#include "ComputedAxes.h"
#include "Formula.h"
#include "OpTable.h"
#include "Products.h"
#include "Window.h"

#include "relay-mlir/Dialect/Relay/IR/RelayGeometryOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

//===----------------------------------------------------------------------===//
// DeformConv
//===----------------------------------------------------------------------===//

namespace {

/// Samples the data at displaced positions, which gives (batch, channel, tap *
/// row, column), and multiplies.
class DeformConv {
public:
  explicit DeformConv(NodeContext &node) : node(node) {}

  LogicalResult convert();

private:
  enum Input { Data, Weight, Offset, Bias, Mask };

  LogicalResult readShapes();
  Value getPositions(Value offset, int64_t axis);
  Value sample(int64_t group);

  NodeContext &node;
  std::optional<Window> window;
  int64_t batch = 0, channels = 0, outChannels = 0, groups = 1;
  int64_t offsetGroups = 1;
  /// Of the image and of the result.
  int64_t size[2] = {}, outSize[2] = {};
  int64_t taps = 1;
};

} // namespace

LogicalResult DeformConv::readShapes() {
  RankedTensorType data = node.getType(node.getInput(Data));
  RankedTensorType weight = node.getType(node.getInput(Weight));
  RankedTensorType offset = node.getType(node.getInput(Offset));
  for (RankedTensorType type : {data, weight, offset})
    if (type.getRank() != 4 || !type.hasStaticShape())
      return node.emitError()
             << "expects data, weight and offset of rank 4 with known sizes, "
                "but got "
             << type;
  FailureOr<Window> own = Window::get(node, weight.getShape().drop_front(2));
  if (failed(own))
    return failure();
  window = *own;
  groups = node.getInt("group", 1);
  offsetGroups = node.getInt("offset_group", 1);
  batch = data.getDimSize(0);
  channels = data.getDimSize(1);
  outChannels = weight.getDimSize(0);
  taps = weight.getDimSize(2) * weight.getDimSize(3);
  if (groups < 1 || offsetGroups < 1 || channels % offsetGroups != 0 ||
      outChannels % groups != 0 || weight.getDimSize(1) * groups != channels)
    return node.emitError()
           << "expects group and offset_group to divide the channels of "
           << data << " and " << weight << ", but got " << groups << " and "
           << offsetGroups;
  SmallVector<int64_t> expected = {batch, 2 * offsetGroups * taps};
  for (int64_t axis = 0; axis < 2; ++axis) {
    size[axis] = data.getDimSize(axis + 2);
    int64_t room = size[axis] + window->padding[axis] +
                   window->padding[2 + axis] - window->getExtent(axis);
    outSize[axis] = room < 0 ? 0 : room / window->strides[axis] + 1;
    expected.push_back(outSize[axis]);
    if (size[axis] < 1)
      return node.emitError() << "expects data with elements, but got " << data;
  }
  auto check = [&](Input input) -> LogicalResult {
    if (!node.hasInput(input) ||
        node.getInputType(input).getShape() == ArrayRef<int64_t>(expected))
      return success();
    InFlightDiagnostic error = node.emitError();
    error << "expects the sizes ";
    llvm::interleaveComma(expected, error);
    return error << " for input " << unsigned(input) << ", but got "
                 << node.getInputType(input);
  };
  if (failed(check(Offset)))
    return failure();
  expected[1] /= 2;
  return check(Mask);
}

/// Where along `axis` the data is read, from -1 to 1 between its outer edges:
/// (batch, 1, taps * rows, columns).
Value DeformConv::getPositions(Value offset, int64_t axis) {
  Formula f(node, offset);
  if (!offset)
    return nullptr;
  Type type = node.getElementType(offset);
  // (taps, rows, columns) without displacement.
  SmallVector<double> first;
  int64_t width = window->kernel[1];
  for (int64_t tap = 0; tap < taps; ++tap)
    first.push_back(static_cast<double>(
        (axis == 0 ? tap / width : tap % width) * window->dilations[axis] -
        window->padding[axis]));
  Value begin = node.createFloats(first, {taps, 1, 1}, type);
  Value line =
      f.mul(node.createPositions(ShapeScalar::get(outSize[axis]), type),
            f.number(static_cast<double>(window->strides[axis])));
  line = node.expandDims(line, 1, 1 - axis);
  Value position = f.add(f.add(begin, line), offset);
  double scale = 2 / static_cast<double>(size[axis]);
  Value scaled =
      f.add(f.mul(position, f.number(scale)), f.number(scale / 2 - 1));
  return node.reshape(
      scaled, ArrayRef<int64_t>{batch, 1, taps * outSize[0], outSize[1]});
}

/// The samples of the channels of an offset group.
Value DeformConv::sample(int64_t group) {
  OpBuilder &b = node.getBuilder();
  int64_t count = channels / offsetGroups;
  Value data = node.getInput(Data), offset = node.getInput(Offset);
  if (offsetGroups > 1) {
    data = node.slice(data, 1, group * count, (group + 1) * count);
    offset = node.slice(offset, 1, 2 * group * taps, 2 * (group + 1) * taps);
  }
  // (batch, taps, axis, rows, columns).
  offset = node.reshape(
      offset, ArrayRef<int64_t>{batch, taps, 2, outSize[0], outSize[1]});
  auto part = [&](int64_t axis) {
    return getPositions(
        node.squeeze(node.slice(offset, 2, axis, axis + 1), {2}), axis);
  };
  Value grid = node.concatenate({part(1), part(0)}, 1);
  ImageGridSampleOp::Properties properties;
  properties.method = b.getStringAttr("bilinear");
  properties.layout = b.getStringAttr("NCHW");
  properties.padding_mode = b.getStringAttr("zeros");
  properties.align_corners = b.getBoolAttr(false);
  Value samples = node.create<ImageGridSampleOp>({data, grid}, properties);
  if (!node.hasInput(Mask))
    return samples;
  Value mask = node.getInput(Mask);
  if (offsetGroups > 1)
    mask = node.slice(mask, 1, group * taps, (group + 1) * taps);
  mask = node.reshape(
      mask, ArrayRef<int64_t>{batch, 1, taps * outSize[0], outSize[1]});
  return node.create<MultiplyOp>({samples, mask});
}

LogicalResult DeformConv::convert() {
  if (failed(readShapes()))
    return failure();
  int64_t pixels = outSize[0] * outSize[1];
  SmallVector<Value> parts;
  for (int64_t group = 0; group < offsetGroups; ++group)
    parts.push_back(sample(group));
  Value samples = parts.size() == 1 ? parts[0] : node.concatenate(parts, 1);
  int64_t rows = channels / groups * taps;
  samples =
      node.reshape(samples, ArrayRef<int64_t>{batch, groups, rows, pixels});
  Value weight =
      node.reshape(node.getInput(Weight),
                   ArrayRef<int64_t>{1, groups, outChannels / groups, rows});
  if (!samples || !weight)
    return failure();
  SmallVector<ShapeScalar> shape;
  for (int64_t dim : {batch, groups, outChannels / groups, rows})
    shape.push_back(ShapeScalar::get(dim));
  Value product = createMatmul(node, node.broadcast(weight, shape), samples);
  Value result = node.reshape(
      product, ArrayRef<int64_t>{batch, outChannels, outSize[0], outSize[1]});
  if (result && node.hasInput(Bias)) {
    NNBiasAddOp::Properties properties;
    properties.axis = node.getBuilder().getI64IntegerAttr(1);
    result =
        node.create<NNBiasAddOp>({result, node.getInput(Bias)}, properties);
  }
  return node.setResult(result);
}

static LogicalResult convertDeformConv(NodeContext &node) {
  return DeformConv(node).convert();
}

//===----------------------------------------------------------------------===//
// CausalConvWithState
//===----------------------------------------------------------------------===//

/// A convolution of each channel by itself with what came before: the last
/// positions are kept for the next run.
static LogicalResult convertCausalConv(NodeContext &node) {
  enum { Data, Weight, Bias, Past };
  Value data = node.getInput(Data), weight = node.getInput(Weight);
  RankedTensorType type = node.getType(weight);
  int64_t taps = type.getRank() == 3 ? type.getDimSize(2) : 0;
  constexpr int64_t maxTaps = 256;
  if (node.getRank(data) != 3 || type.getRank() != 3 ||
      type.getDimSize(1) != 1 || taps < 1 || taps > maxTaps)
    return node.emitError()
           << "expects data of rank 3 and a weight (channels, 1, 1 to "
           << maxTaps << "), but got " << data.getType() << " and " << type;
  StringRef activation = node.getString("activation", "none");
  if (!llvm::is_contained({"none", "silu", "swish"}, activation))
    return node.emitError() << "expects activation none, silu or swish, but "
                               "got \""
                            << activation << "\"";
  Value all;
  if (node.hasInput(Past)) {
    Value past = node.getInput(Past);
    if (node.getRank(past) != 3)
      return node.emitError()
             << "expects a past of rank 3, but got " << past.getType();
    past = node.expectSize(past, 2, taps - 1);
    all = taps == 1 ? data : node.concatenate({past, data}, 2);
  } else {
    all = node.pad(data, 2, taps - 1, 0, 0);
  }
  if (!all)
    return failure();
  SmallVector<ShapeScalar> dims = node.getDims(data);
  Formula f(node, data);
  Value sum;
  for (int64_t tap = 0; tap < taps; ++tap) {
    Value part = all;
    if (taps > 1)
      part = tap == taps - 1 ? node.dropFirst(all, 2, tap)
                             : node.slice(all, 2, tap, tap - taps + 1);
    part = node.assumeDims(part, dims);
    Value factor = node.squeeze(node.slice(weight, 2, tap, tap + 1), {1});
    Value product = f.mul(part, factor);
    sum = sum ? f.add(sum, product) : product;
  }
  if (node.hasInput(Bias))
    sum = f.add(sum, node.expandDims(node.getInput(Bias), 1));
  if (activation != "none")
    sum = f.mul(sum, f.sigmoid(sum));
  if (!sum)
    return failure();
  Value kept =
      taps == 1 ? node.slice(all, 2, 0, 0) : node.dropFirst(all, 2, 1 - taps);
  if (failed(node.setOutput(1, kept)))
    return failure();
  return node.setResult(node.assumeDims(sum, dims));
}

void mlir::relay::onnx::addDeformableOps(OpTable &table) {
  table.add({"CausalConvWithState"},
            {convertCausalConv, 27, kNewestOpset, 2, 4, /*contentInputs=*/0,
             /*isComposed=*/true});
  table.add({"DeformConv"}, {convertDeformConv, 19, kNewestOpset, 3, 5,
                             /*contentInputs=*/0, /*isComposed=*/true});
}
