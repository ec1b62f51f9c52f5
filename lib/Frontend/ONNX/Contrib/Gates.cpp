//===- Gates.cpp - Gated sums and norms of ONNX Runtime -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What decoders with linear attention and several residual streams have between
// their products.
//
//===----------------------------------------------------------------------===//

#include "../Formula.h"
#include "../Heads.h"
#include "../Products.h"
#include "Contrib.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

/// x + y * gate, of which the product is rounded, too.
static LogicalResult convertGatedAdd(NodeContext &node) {
  Formula f(node);
  Value product = f.mul(node.getInput(1), node.getInput(2));
  return node.setResult(f.add(f.getX(), product));
}

/// Each step is rounded to the type of the data.
static LogicalResult convertScaledSiLU(NodeContext &node) {
  Type type = node.getElementType(node.getInput(0));
  Type wide = node.getBuilder().getF32Type();
  Value scale = node.hasInput(1)
                    ? node.castTo(node.getInput(1), wide)
                    : node.createScalar(node.getFloat("alpha", 1), wide);
  if (!scale || node.getRank(scale) > 1)
    return node.emitError() << "expects one number as scale";
  scale = node.reshape(scale, ArrayRef<int64_t>());
  auto round = [&](Value value) {
    return node.castTo(node.castTo(value, type), wide);
  };
  Value x = node.castTo(node.getInput(0), wide);
  Formula f(node, x);
  Value scaled = round(f.mul(x, scale));
  Value gate = round(f.sigmoid(scaled));
  return node.setResult(node.castTo(f.mul(scaled, gate), type));
}

/// `data` over the root of its mean square along the last axis.
static Value normalize(NodeContext &node, Value data) {
  if (!data)
    return nullptr;
  Formula f(node, data);
  Value square = f.reduce<MeanOp>(f.mul(data, data), node.getRank(data) - 1);
  Value inverse = node.create<RsqrtOp>(
      {f.add(square, f.number(node.getFloat("epsilon", 1e-5)))});
  return f.mul(data, inverse);
}

/// `data` whose last axis is groups of `size` elements.
static Value splitGroups(NodeContext &node, Value data, int64_t size) {
  int64_t width = node.getType(data).getShape().back();
  if (size < 1 || ShapedType::isDynamic(width) || width % size != 0) {
    node.emitError() << "expects a last axis of whole groups of " << size
                     << " elements, but got " << data.getType();
    return nullptr;
  }
  SmallVector<ShapeScalar> dims = node.getDims(data);
  dims.back() = ShapeScalar::get(width / size);
  dims.push_back(ShapeScalar::get(size));
  return node.reshape(data, dims);
}

static LogicalResult expectRank(NodeContext &node, Value value, int64_t rank) {
  if (node.getRank(value) >= rank)
    return success();
  return node.emitError() << "expects rank " << rank << " or more, but got "
                          << value.getType();
}

static LogicalResult convertGatedRMSNorm(NodeContext &node) {
  Value data = node.getInput(0), scale = node.getInput(1);
  if (failed(expectRank(node, data, 1)))
    return failure();
  StringRef activation = node.getString("activation", "silu");
  bool isSigmoid = activation == "sigmoid";
  if (!isSigmoid && activation != "silu" && activation != "swish")
    return node.emitError() << "expects activation silu, swish or sigmoid, but "
                               "got \""
                            << activation << "\"";
  RankedTensorType type = node.getType(scale);
  if (type.getRank() != 1 || !type.hasStaticShape())
    return node.emitError()
           << "expects a scale (features), of a known size, but got " << type;
  SmallVector<ShapeScalar> dims = node.getDims(data);
  Value norm = normalize(node, splitGroups(node, data, type.getDimSize(0)));
  if (!norm)
    return failure();
  norm = node.reshape(node.create<MultiplyOp>({norm, scale}), dims);
  Value gate = node.getInput(2);
  Formula f(node, gate);
  Value factor = f.sigmoid(gate);
  if (!isSigmoid)
    factor = f.mul(gate, factor);
  return node.setResult(f.mul(norm, factor));
}

static LogicalResult convertBranchwiseRMSNorm(NodeContext &node) {
  Value data = node.getInput(0), scale = node.getInput(1);
  int64_t branches = node.getInt("num_branches", 0);
  if (branches < 0)
    return node.emitError()
           << "expects num_branches to be 0 or positive, but got " << branches;
  if (failed(expectRank(node, data, branches > 0 ? 1 : 2)))
    return failure();
  SmallVector<ShapeScalar> dims = node.getDims(data);
  Value groups = data;
  if (branches > 0) {
    int64_t width = node.getType(data).getShape().back();
    if (ShapedType::isDynamic(width) || width % branches != 0)
      return node.emitError() << "expects a last axis of " << branches
                              << " branches, but got " << data.getType();
    groups = splitGroups(node, data, width / branches);
  }
  Value norm = normalize(node, groups);
  if (!norm)
    return failure();
  ArrayRef<int64_t> sizes = node.getType(groups).getShape().take_back(2);
  if (scale && node.getRank(scale) == 1 &&
      node.getType(scale).getDimSize(0) != sizes[1])
    scale = node.reshape(scale, sizes);
  if (node.hasInput(1))
    norm = node.create<MultiplyOp>({norm, scale});
  return node.setResult(branches > 0 ? node.reshape(norm, dims) : norm);
}

/// Decays and rates of updates of linear attention.
static LogicalResult convertLinearAttentionGate(NodeContext &node) {
  Formula f(node);
  Value sum = f.add(f.getX(), node.getInput(1));
  if (failed(node.setOutput(0, f.mul(node.getInput(2), f.softplus(sum)))))
    return failure();
  if (!node.wantsOutput(1))
    return success();
  if (!node.hasInput(3))
    return node.emitError() << "expects input 3 for output 1";
  return node.setOutput(1, f.sigmoid(node.getInput(3)));
}

/// Positions relative to each other, by two gates that follow from the queries.
static LogicalResult convertGatedRelativePositionBias(NodeContext &node) {
  enum { Query, Bias, Positions, Weight, GateBias, Constant, Offsets };
  if (node.hasInput(Offsets))
    return node.emitError() << "token_offset is not supported";
  Value query = node.getInput(Query);
  if (node.getRank(query) != 3)
    return node.emitError() << "expects queries (batch, positions, features), "
                               "but got "
                            << query.getType();
  query = splitHeads(node, node.create<AddOp>({query, node.getInput(Bias)}),
                     node.getInt("num_heads", 0));
  if (!query)
    return failure();
  // (batch, head, position, 2 * n).
  Value gates = createMatmul(node, node.transpose(query, {0, 2, 1, 3}),
                             node.getInput(Weight));
  if (!gates)
    return failure();
  gates = node.create<AddOp>({gates, node.getInput(GateBias)});
  int64_t width = gates ? node.getType(gates).getDimSize(3) : 0;
  if (!gates || ShapedType::isDynamic(width) || width % 2 != 0)
    return node.emitError() << "expects an even number of columns in the "
                               "weight, but got "
                            << node.getInput(Weight).getType();
  Formula f(node, gates);
  auto getGate = [&](int64_t begin) {
    Value half = node.slice(gates, 3, begin, begin + width / 2);
    return f.sigmoid(f.reduce<SumOp>(half, 3));
  };
  Value inner =
      f.sub(f.mul(getGate(width / 2), node.getInput(Constant)), f.number(1));
  Value factor = f.add(f.mul(getGate(0), inner), f.number(2));
  return node.setResult(f.mul(factor, node.getInput(Positions)));
}

void mlir::relay::onnx::addContribGateOps(OpTable &table) {
  addContrib(table, "BranchwiseRMSNorm", convertBranchwiseRMSNorm, {0}, 2);
  addContrib(table, "GatedAdd", convertGatedAdd, {0, 1, 2}, 3,
             /*isComposed=*/false);
  addContrib(table, "GatedRMSNorm", convertGatedRMSNorm, {0, 1, 2}, 3);
  addContrib(table, "GatedRelativePositionBias",
             convertGatedRelativePositionBias, {0, 1, 2, 3, 4, 5}, 7);
  addContrib(table, "LinearAttentionGate", convertLinearAttentionGate,
             {0, 1, 2}, 4);
  addContrib(table, "ScaledSiLU", convertScaledSiLU, {0}, 2,
             /*isComposed=*/false);
}
