//===- Embeddings.cpp - Embeddings of words of ONNX Runtime ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sum of rows for words, positions and segments, normalized. Of tables of
// integers, only the rows that are looked up become floats.
//
//===----------------------------------------------------------------------===//

#include "Contrib.h"

#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

namespace {

/// One layer, whose tables are floats or integers.
class EmbeddingLayer {
public:
  EmbeddingLayer(NodeContext &node, bool isQuantized)
      : node(node), isQuantized(isQuantized) {}

  LogicalResult convert();

private:
  enum {
    Words,
    Segments,
    WordRows,
    PositionRows,
    SegmentRows,
    Gamma,
    Beta,
    Mask,
    /// Of floats.
    Positions,
    /// Of integers: the scales of inputs 2 to 6, and then their zero points.
    Scales = 8,
    ZeroPoints = 13,
  };

  /// `value`, of the table or vector in `input`, as floats.
  Value toFloats(Value value, unsigned input);
  Value lookUp(unsigned table, Value positions) {
    return toFloats(node.take(node.getInput(table), positions, 0, "fast"),
                    table);
  }
  LogicalResult setCounts(Value words);

  NodeContext &node;
  bool isQuantized;
};

} // namespace

Value EmbeddingLayer::toFloats(Value value, unsigned input) {
  if (!isQuantized || !value)
    return value;
  unsigned place = input - WordRows;
  return dequantize(node, value, getNumber(node, Scales + place),
                    getNumber(node, ZeroPoints + place));
}

/// How many positions of each row are no padding.
LogicalResult EmbeddingLayer::setCounts(Value words) {
  OpBuilder &b = node.getBuilder();
  Value mask =
      node.hasInput(Mask)
          ? node.castTo(node.getInput(Mask), b.getI32Type())
          : node.castTo(node.create<ZerosLikeOp>({words}), b.getI32Type());
  SumOp::Properties properties;
  properties.axis = b.getDenseI64ArrayAttr(1);
  return node.setOutput(1, node.create<SumOp>({mask}, properties));
}

LogicalResult EmbeddingLayer::convert() {
  Value words = node.getInput(Words);
  if (node.getRank(words) != 2)
    return node.emitError()
           << "expects words (batch, positions), but got " << words.getType();
  Value sum = lookUp(WordRows, words);
  Value positions = isQuantized ? nullptr : node.getInput(Positions);
  if (!positions)
    positions = node.createPositions(node.getDims(words)[1],
                                     node.getBuilder().getI64Type());
  sum = addOptional(node, sum, lookUp(PositionRows, positions));
  if (node.hasInput(Segments) != node.hasInput(SegmentRows))
    return node.emitError()
           << "expects segment_ids and segment_embedding together";
  unsigned segmentPlace = SegmentRows - WordRows;
  if (isQuantized && node.hasInput(Segments) &&
      (!node.hasInput(Scales + segmentPlace) ||
       !node.hasInput(ZeroPoints + segmentPlace)))
    return node.emitError() << "expects a scale and a zero point of "
                               "segment_embedding, which are left out";
  if (node.hasInput(Segments))
    sum = addOptional(node, sum, lookUp(SegmentRows, node.getInput(Segments)));
  Value result =
      createLayerNorm(node, sum, toFloats(node.getInput(Gamma), Gamma),
                      toFloats(node.getInput(Beta), Beta),
                      /*isSimplified=*/false);
  if (!result || (!isQuantized && failed(node.setOutput(2, sum))))
    return failure();
  if (node.wantsOutput(1) && failed(setCounts(words)))
    return failure();
  return node.setResult(result);
}

template <bool isQuantized>
static LogicalResult convertEmbedLayerNorm(NodeContext &node) {
  return EmbeddingLayer(node, isQuantized).convert();
}

void mlir::relay::onnx::addContribEmbeddingOps(OpTable &table) {
  addContrib(table, "EmbedLayerNormalization", convertEmbedLayerNorm<false>,
             {0, 2, 3, 5, 6}, 9);
  addContrib(table, "QEmbedLayerNormalization", convertEmbedLayerNorm<true>,
             {0, 2, 3, 5, 6, 8, 9, 11, 12, 13, 14, 16, 17}, 18);
}
