//===- Lookups.cpp - Distances, and rows of quantized tables --------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operators of the domain com.microsoft that compare rows, or look them up.
//
//===----------------------------------------------------------------------===//

#include "Contrib.h"

#include "../Bits.h"

#include "relay-mlir/Dialect/Relay/IR/DType.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

/// The distance of each row of A from each row of B.
static LogicalResult convertCDist(NodeContext &node) {
  StringRef metric = node.getString("metric", "sqeuclidean");
  if (metric != "euclidean" && metric != "sqeuclidean")
    return node.emitError() << "expects metric euclidean or sqeuclidean, but "
                               "got \""
                            << metric << "\"";
  Value lhs = node.getInput(0), rhs = node.getInput(1);
  if (node.getRank(lhs) != 2 || node.getRank(rhs) != 2)
    return node.emitError() << "expects two matrices, but got " << lhs.getType()
                            << " and " << rhs.getType();
  node.expectEqualSizes(lhs, 1, rhs, 1);
  Value difference = node.create<SubtractOp>(
      {node.expandDims(lhs, 1), node.expandDims(rhs, 0)});
  SumOp::Properties properties;
  properties.axis = node.getBuilder().getDenseI64ArrayAttr({2});
  Value sum = node.create<SumOp>(
      {node.create<MultiplyOp>({difference, difference})}, properties);
  return node.setResult(metric == "euclidean" ? node.create<SqrtOp>({sum})
                                              : sum);
}

namespace {

/// GatherBlockQuantized: what is gathered is dequantized, with a scale for each
/// block.
class BlockGatherer {
public:
  explicit BlockGatherer(NodeContext &node) : node(node) {}

  LogicalResult build();

private:
  enum { Data, Indices, Scales, Zeros };

  LogicalResult checkInputs();
  /// The elements of an input at the indices, as integers of 32 bits if they
  /// are integers. `numElements` is how many there are along the last axis once
  /// they are unpacked.
  Value gather(unsigned input, int64_t numElements);
  /// Repeats what there is for each block.
  Value repeat(Value value, int64_t count);

  NodeContext &node;
  int64_t bits = 4, size = 128, gatherAxis = 0, quantizeAxis = 1;
  int64_t perByte = 1;
};

} // namespace

LogicalResult BlockGatherer::checkInputs() {
  RankedTensorType data = node.getInputType(Data);
  auto element = dyn_cast<IntegerType>(data.getElementType());
  if (!element || (element.getWidth() != 4 && !element.isUnsignedInteger(8)))
    return node.emitError()
           << "expects data of int4, uint4 or uint8, but got " << data;
  bits = node.getInt("bits", 4);
  size = node.getInt("block_size", 128);
  bool isPacked = element.getWidth() == 8;
  if (bits != 4 && !(bits == 8 && isPacked))
    return node.emitError()
           << "expects bits 4, or 8 for uint8, but got " << bits;
  if (size < 16 || !llvm::isPowerOf2_64(size))
    return node.emitError() << "expects block_size to be a power of two from "
                               "16 on, but got "
                            << size;
  FailureOr<int64_t> gathered =
      node.normalizeAxis(node.getInt("gather_axis", 0), data.getRank());
  FailureOr<int64_t> quantized =
      node.normalizeAxis(node.getInt("quantize_axis", 1), data.getRank());
  if (failed(gathered) || failed(quantized))
    return failure();
  gatherAxis = *gathered, quantizeAxis = *quantized;
  if (gatherAxis == quantizeAxis)
    return node.emitError() << "expects a gather_axis other than quantize_axis";
  perByte = isPacked ? 8 / bits : 1;
  if (perByte != 1 && quantizeAxis != data.getRank() - 1)
    return node.emitError() << "expects the last axis for quantize_axis of "
                               "packed data, but got "
                            << quantizeAxis;
  if (data.isDynamicDim(quantizeAxis))
    return node.emitError() << "expects a known size along quantize_axis, but "
                               "got "
                            << data;
  for (unsigned input : {Scales, Zeros})
    if (node.hasInput(input) &&
        node.getInputType(input).getRank() != data.getRank())
      return node.emitError()
             << "expects scales and zero points of rank " << data.getRank()
             << ", as the data, but got " << node.getInputType(input);
  int64_t count = data.getDimSize(quantizeAxis) * perByte;
  int64_t numBlocks = node.getInputType(Scales).getDimSize(quantizeAxis);
  if (numBlocks != static_cast<int64_t>(llvm::divideCeil(count, size)))
    return node.emitError()
           << "expects scales of " << llvm::divideCeil(count, size)
           << " blocks along axis " << quantizeAxis << ", but got "
           << node.getInputType(Scales);
  return success();
}

Value BlockGatherer::gather(unsigned input, int64_t numElements) {
  Value found = node.take(node.getInput(input), node.getInput(Indices),
                          gatherAxis, "fast");
  if (!found || !isa<IntegerType>(node.getElementType(found)))
    return found;
  if (perByte != 1)
    found = unpackBits(node, found, bits, numElements);
  return node.castTo(found, node.getBuilder().getI32Type());
}

Value BlockGatherer::repeat(Value value, int64_t count) {
  if (!value)
    return nullptr;
  int64_t rank = node.getInputType(Indices).getRank();
  int64_t axis = quantizeAxis + (gatherAxis < quantizeAxis ? rank - 1 : 0);
  RepeatOp::Properties properties;
  properties.repeats = node.getBuilder().getI64IntegerAttr(size);
  properties.axis = node.getBuilder().getI64IntegerAttr(axis);
  Value repeated = node.create<RepeatOp>({value}, properties);
  return repeated ? node.slice(repeated, axis, 0, count) : nullptr;
}

LogicalResult BlockGatherer::build() {
  if (failed(checkInputs()))
    return failure();
  Type type = node.getInputType(Scales).getElementType();
  Type f32 = node.getBuilder().getF32Type();
  int64_t count = node.getInputType(Data).getDimSize(quantizeAxis) * perByte;
  int64_t numBlocks = node.getInputType(Scales).getDimSize(quantizeAxis);
  Value numbers = gather(Data, count);
  if (node.hasInput(Zeros))
    numbers = node.create<SubtractOp>(
        {numbers, repeat(gather(Zeros, numBlocks), count)});
  else if (node.getInputType(Data).getElementType().isUnsignedInteger(8))
    numbers = node.create<SubtractOp>(
        {numbers, node.createScalar(double(int64_t(1) << (bits - 1)),
                                    node.getBuilder().getI32Type())});
  Value scales = repeat(node.castTo(gather(Scales, numBlocks), f32), count);
  Value result = node.create<MultiplyOp>({node.castTo(numbers, f32), scales});
  return node.setResult(node.castTo(result, type));
}

static LogicalResult convertGatherBlockQuantized(NodeContext &node) {
  return BlockGatherer(node).build();
}

/// Tokens that would repeat a group of some that there is get the score
/// -infinity.
static LogicalResult convertNGramRepeatBlock(NodeContext &node) {
  Value tokens = node.getInput(0), scores = node.getInput(1);
  int64_t size = node.getInt("ngram_size", 0);
  if (size < 1 || size > 64)
    return node.emitError()
           << "expects ngram_size from 1 to 64, but got " << size;
  if (node.getRank(tokens) != 2 || node.getRank(scores) != 2)
    return node.emitError()
           << "expects tokens and scores (batch, ...), but got "
           << tokens.getType() << " and " << scores.getType();
  node.expectEqualSizes(tokens, 0, scores, 0);
  // A group ends at each token. The first ones begin with what is no token,
  // which no two have at the same places.
  Value padded = node.pad(tokens, 1, size - 1, 0, -1);
  Value isRepeated;
  for (int64_t i = 0; i + 1 < size; ++i) {
    int64_t fromEnd = size - 1 - i;
    Value token = node.slice(padded, 1, i, -fromEnd);
    Value wanted = fromEnd == 1 ? node.dropFirst(padded, 1, -1)
                                : node.slice(padded, 1, -fromEnd, 1 - fromEnd);
    Value isSame = node.create<EqualOp>({token, wanted});
    isRepeated =
        i == 0 ? isSame : node.create<LogicalAndOp>({isRepeated, isSame});
  }
  Type type = node.getBuilder().getF32Type();
  Value infinity =
      node.createScalar(std::numeric_limits<double>::infinity(), type);
  Value lowest = node.create<NegativeOp>({infinity});
  Value zeros = node.create<ZerosLikeOp>({tokens});
  Value limits =
      size == 1 ? node.create<SubtractOp>({node.castTo(zeros, type), infinity})
                : node.create<WhereOp>({isRepeated, lowest, infinity});
  ScatterElementsOp::Properties properties;
  properties.axis = node.getBuilder().getI64IntegerAttr(1);
  properties.reduction = node.getBuilder().getStringAttr("min");
  return node.setResult(
      node.create<ScatterElementsOp>({scores, tokens, limits}, properties));
}

void mlir::relay::onnx::addContribLookupOps(OpTable &table) {
  addContrib(table, "CDist", convertCDist, {0, 1}, 2);
  addContrib(table, "GatherBlockQuantized", convertGatherBlockQuantized,
             {0, 1, 2}, 4, /*isComposed=*/false);
  addContrib(table, "NGramRepeatBlock", convertNGramRepeatBlock, {0, 1}, 2);
}
