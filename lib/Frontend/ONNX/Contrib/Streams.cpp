//===- Streams.cpp - Several residual streams of ONNX Runtime -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decoders with hyper-connections have several streams where others have one
// residual: a layer reads a mixture of them, and adds to each.
//
//===----------------------------------------------------------------------===//

#include "../Formula.h"
#include "../Products.h"
#include "Contrib.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

namespace {

/// One node that mixes streams, (..., stream, feature) or, with the attribute
/// num_branches, (..., stream * feature). Its inputs may be of different types
/// of floats; it computes in f32 and rounds its result once.
class StreamMixer {
public:
  explicit StreamMixer(NodeContext &node)
      : node(node), wide(node.getBuilder().getF32Type()) {}

  LogicalResult reduce();
  LogicalResult spread();

private:
  /// Reads the streams, with a dimension of their own.
  LogicalResult readStreams();
  /// Input `index`, which has a number for each stream, or for each of its
  /// features, as (..., stream, 1 or feature). Null after an error.
  Value getGates(unsigned index);
  Value getWide(unsigned index) {
    return node.castTo(node.getInput(index), wide);
  }

  NodeContext &node;
  Type wide;
  Value streams;
  bool isFlat = false;
  int64_t rank = 0, count = 0, width = 0;
};

} // namespace

LogicalResult StreamMixer::readStreams() {
  RankedTensorType type = node.getInputType(0);
  int64_t branches = node.getInt("num_branches", 0);
  if (branches < 0)
    return node.emitError()
           << "expects num_branches to be 0 or positive, but got " << branches;
  isFlat = branches > 0;
  if (type.getRank() < (isFlat ? 1 : 2))
    return node.emitError() << "expects streams of rank " << (isFlat ? 1 : 2)
                            << " or more, but got " << type;
  streams = getWide(0);
  SmallVector<ShapeScalar> dims = node.getDims(streams);
  if (isFlat) {
    std::optional<int64_t> all = dims.back().getConstant();
    if (!all || *all % branches != 0)
      return node.emitError() << "expects a last axis of " << branches
                              << " streams, but got " << type;
    dims.back() = ShapeScalar::get(branches);
    dims.push_back(ShapeScalar::get(*all / branches));
    streams = node.reshape(streams, dims);
  }
  rank = static_cast<int64_t>(dims.size());
  std::optional<int64_t> own = dims[rank - 2].getConstant();
  std::optional<int64_t> features = dims[rank - 1].getConstant();
  if (!own || !features)
    return node.emitError() << "expects known numbers of streams and features, "
                               "but got "
                            << type;
  count = *own, width = *features;
  return success(streams != nullptr);
}

Value StreamMixer::getGates(unsigned index) {
  RankedTensorType type = node.getInputType(index);
  ArrayRef<int64_t> sizes = type.getShape();
  Value gates = getWide(index);
  if (type.getRank() == rank - 1 && sizes.back() == count)
    return node.expandDims(gates, rank - 1);
  if (isFlat && type.getRank() == rank - 1 && sizes.back() == count * width) {
    SmallVector<ShapeScalar> dims = node.getDims(gates);
    dims.back() = ShapeScalar::get(count);
    dims.push_back(ShapeScalar::get(width));
    return node.reshape(gates, dims);
  }
  if (type.getRank() == rank && sizes[rank - 2] == count &&
      (sizes.back() == 1 || sizes.back() == width))
    return gates;
  node.emitError() << "expects a number for each of " << count
                   << " streams, or of their " << width
                   << " features, in input " << index << ", but got " << type;
  return nullptr;
}

LogicalResult StreamMixer::reduce() {
  if (failed(readStreams()))
    return failure();
  Value gates = getGates(1);
  if (!gates)
    return failure();
  SumOp::Properties sum;
  sum.axis = node.getBuilder().getDenseI64ArrayAttr(rank - 2);
  Value result =
      node.create<SumOp>({node.create<MultiplyOp>({streams, gates})}, sum);
  result = node.create<MultiplyOp>(
      {result, node.createScalar(node.getFloat("reduction_scale", 1), wide)});
  return node.setResult(
      node.castTo(result, node.getInputType(0).getElementType()));
}

LogicalResult StreamMixer::spread() {
  enum { Streams, Block, Gates, Mix };
  if (failed(readStreams()))
    return failure();
  Value gates = getGates(Gates);
  RankedTensorType block = node.getInputType(Block);
  if (!gates)
    return failure();
  if (block.getRank() != rank - 1 || block.getShape().back() != width)
    return node.emitError()
           << "expects a block's result (..., " << width << ") of rank "
           << rank - 1 << ", but got " << block;
  Value mixed = streams;
  if (node.hasInput(Mix)) {
    RankedTensorType type = node.getInputType(Mix);
    if (type.getRank() != rank || type.getDimSize(rank - 1) != count ||
        type.getDimSize(rank - 2) != count)
      return node.emitError()
             << "expects stream_mix (..., " << count << ", " << count
             << ") of rank " << rank << ", but got " << type;
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(rank));
    std::swap(order[rank - 1], order[rank - 2]);
    mixed = createMatmul(node, node.transpose(getWide(Mix), order), streams);
  }
  Value added = node.create<MultiplyOp>(
      {gates, node.expandDims(getWide(Block), rank - 2)});
  Value result = node.create<AddOp>({mixed, added});
  SmallVector<ShapeScalar> dims = node.getDims(node.getInput(Streams));
  result = isFlat && result ? node.reshape(result, dims) : result;
  return node.setResult(
      node.castTo(result, node.getInputType(Streams).getElementType()));
}

static LogicalResult convertPreMix(NodeContext &node) {
  return StreamMixer(node).reduce();
}

static LogicalResult convertPostMix(NodeContext &node) {
  return StreamMixer(node).spread();
}

/// `data` over the root of its mean square along the last axis, of four, times
/// `scale`, of each stream.
static Value normalize(NodeContext &node, Value data, Value scale) {
  Formula f(node, data);
  Value square = f.reduce<MeanOp>(f.mul(data, data), 3);
  Value inverse = node.create<RsqrtOp>(
      {f.add(square, f.number(node.getFloat("epsilon", 1e-5)))});
  return f.mul(f.mul(data, inverse), scale);
}

/// How much of a value each stream takes, by its key and a query.
static LogicalResult convertEngramGate(NodeContext &node) {
  enum { Key, Query, Values, KeyScale, QueryScale, ValueScale };
  for (auto [index, rank] : {std::pair<unsigned, int64_t>(Key, 4),
                             {Query, 4},
                             {Values, 3},
                             {KeyScale, 2},
                             {QueryScale, 2},
                             {ValueScale, 2}})
    if (node.hasInput(index) && node.getInputType(index).getRank() != rank)
      return node.emitError()
             << "expects rank " << rank << " of input " << index << ", but got "
             << node.getInputType(index);
  Value key = node.getInput(Key), query = node.getInput(Query);
  std::optional<int64_t> width = node.getDims(key)[3].getConstant();
  if (!width || *width < 1)
    return node.emitError()
           << "expects a known number of features, but got " << key.getType();
  Formula f(node);
  Value products = f.mul(normalize(node, key, node.getInput(KeyScale)),
                         normalize(node, query, node.getInput(QueryScale)));
  Value score = f.mul(f.reduce<SumOp>(products, 3),
                      f.number(1 / std::sqrt(static_cast<double>(*width))));
  Value root = f.sqrt(f.max(f.abs(score), f.number(1e-6)));
  Value gate = f.sigmoid(f.mul(node.create<SignOp>({score}), root));
  Value result = f.mul(gate, node.expandDims(node.getInput(Values), 2));
  if (node.wantsOutput(1)) {
    if (!node.hasInput(ValueScale))
      return node.emitError() << "expects input 5 for output 1";
    if (!result || failed(node.setOutput(
                       1, normalize(node, result, node.getInput(ValueScale)))))
      return failure();
  }
  return node.setResult(result);
}

void mlir::relay::onnx::addContribStreamOps(OpTable &table) {
  addContrib(table, "EngramGate", convertEngramGate, {0, 1, 2, 3, 4}, 6);
  addContrib(table, "HyperConnectionPreMix", convertPreMix, {0, 1}, 2,
             /*isComposed=*/false);
  addContrib(table, "HyperConnectionPostMix", convertPostMix, {0, 1, 2}, 4,
             /*isComposed=*/false);
}
