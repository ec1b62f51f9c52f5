//===- Dyn.cpp - Operators with shapes for operands -----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Delegate.h"
#include "Evaluators.h"

#include "relay-mlir/Dialect/Relay/IR/RelayDynOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelayNNSpatialOps.h"
#include "relay-mlir/Dialect/Relay/IR/RelaySparseOps.h"
#include "relay-mlir/Support/FormatNumber.h"

#include "mlir/IR/Builders.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;

static DenseI64ArrayAttr getInts(const Tensor &values) {
  return DenseI64ArrayAttr::get(values.getContext(), values.loadAll<int64_t>());
}

static IntegerAttr getInt(const Tensor &value) {
  return IntegerAttr::get(IntegerType::get(value.getContext(), 64),
                          value.loadAll<int64_t>().front());
}

static FloatAttr getFloat(const Tensor &value) {
  return FloatAttr::get(Float64Type::get(value.getContext()),
                        value.loadAll<double>().front());
}

/// Adds the evaluator of `DynT`, which is `OpT` with other properties.
/// `operandsOfOp` are the operands that `OpT` has as well;
/// `setProperties(DynT, operands, properties)` makes attributes of the others.
template <typename DynT, typename OpT, typename Fn>
static void addDyn(EvaluatorTable &table, ArrayRef<size_t> operandsOfOp,
                   Fn setProperties) {
  table.add<DynT>(
      [evaluate = Delegate<OpT>(table),
       kept = SmallVector<size_t>(operandsOfOp), setProperties](
          DynT op, ArrayRef<Tensor> operands) -> FailureOr<InterpreterValue> {
        typename OpT::Properties properties;
        if (failed(setProperties(op, operands, properties)))
          return failure();
        SmallVector<Tensor> tensors;
        for (size_t i : kept)
          tensors.push_back(operands[i]);
        return evaluate(op, tensors, properties);
      });
}

/// Floats stand for integers where they are whole numbers of 32 bits.
static LogicalResult checkWhole(Operation *op, const Tensor &values,
                                StringRef name) {
  if (!isa<FloatType>(values.getElementType()))
    return success();
  for (double value : values.loadAll<double>())
    if (!(std::abs(value) < 0x1p31) || value != std::trunc(value))
      return op->emitOpError("expects whole numbers for ")
             << name << ", but got " << formatNumber(value);
  return success();
}

static LogicalResult checkShape(Operation *op, const Tensor &shape) {
  for (int64_t size : shape.loadAll<int64_t>())
    if (size < 0)
      return op->emitOpError("expects sizes not to be negative, but got ")
             << size;
  return success();
}

static LogicalResult checkSingle(Operation *op, const Tensor &value,
                                 StringRef name) {
  if (value.getNumElements() == 1)
    return success();
  return op->emitOpError("expects ")
         << name << " to be a single value, but got " << value.getType();
}

static void populateShapes(EvaluatorTable &table) {
  addDyn<DynReshapeOp, ReshapeOp>(
      table, {0},
      [](DynReshapeOp op, ArrayRef<Tensor> operands,
         auto &properties) -> LogicalResult {
        // Others change the number of dimensions.
        for (int64_t code : getInts(operands[1]).asArrayRef())
          if (code < -3 || code == -2)
            return op.emitOpError("expects sizes, 0, -1 or -3 in newshape, but "
                                  "got ")
                   << code;
        properties.newshape = getInts(operands[1]);
        properties.allowzero = op.getAllowzeroAttr();
        return success();
      });
  addDyn<DynExpandDimsOp, ExpandDimsOp>(
      table, {0},
      [](DynExpandDimsOp op, ArrayRef<Tensor> operands, auto &properties) {
        if (failed(checkSingle(op, operands[1], "axis")))
          return failure();
        properties.axis = getInt(operands[1]);
        properties.num_newaxis = op.getNumNewaxisAttr();
        return success();
      });
  addDyn<DynSqueezeOp, SqueezeOp>(
      table, {0},
      [](DynSqueezeOp, ArrayRef<Tensor> operands, auto &properties) {
        properties.axis = getInts(operands[1]);
        return success();
      });
  addDyn<DynBroadcastToOp, BroadcastToOp>(
      table, {0},
      [](DynBroadcastToOp op, ArrayRef<Tensor> operands, auto &properties) {
        properties.shape = getInts(operands[1]);
        return checkShape(op, operands[1]);
      });
}

static void populateCreation(EvaluatorTable &table) {
  auto setShape = [](auto op, ArrayRef<Tensor> operands, auto &properties) {
    properties.shape = getInts(operands[0]);
    properties.dtype = op.getDtypeAttr();
    return checkShape(op, operands[0]);
  };
  addDyn<DynZerosOp, ZerosOp>(table, {}, setShape);
  addDyn<DynOnesOp, OnesOp>(table, {}, setShape);
  addDyn<DynFullOp, FullOp>(
      table, {0},
      [](DynFullOp op, ArrayRef<Tensor> operands, auto &properties) {
        properties.shape = getInts(operands[1]);
        properties.dtype = op.getDtypeAttr();
        return checkShape(op, operands[1]);
      });
  addDyn<DynOneHotOp, OneHotOp>(
      table, {0, 1, 2},
      [](DynOneHotOp op, ArrayRef<Tensor> operands, auto &properties) {
        if (failed(checkSingle(op, operands[3], "depth")))
          return failure();
        properties.depth = getInt(operands[3]);
        properties.axis = op.getAxisAttr();
        properties.dtype = op.getDtypeAttr();
        return success();
      });
  addDyn<DynSparseToDenseOp, SparseToDenseOp>(
      table, {0, 1, 2},
      [](DynSparseToDenseOp op, ArrayRef<Tensor> operands, auto &properties) {
        properties.output_shape = getInts(operands[3]);
        return checkShape(op, operands[3]);
      });
}

static void populateMovement(EvaluatorTable &table) {
  addDyn<DynTileOp, TileOp>(
      table, {0},
      [](DynTileOp op, ArrayRef<Tensor> operands, auto &properties) {
        properties.reps = getInts(operands[1]);
        return checkWhole(op, operands[1], "reps");
      });
  addDyn<DynStridedSliceOp, StridedSliceOp>(
      table, {0},
      [](DynStridedSliceOp op, ArrayRef<Tensor> operands, auto &properties) {
        properties.begin = getInts(operands[1]);
        properties.end = getInts(operands[2]);
        properties.strides = getInts(operands[3]);
        properties.slice_mode = op.getSliceModeAttr();
        properties.axes = op.getAxesAttr();
        return success();
      });
  // The static operator has the value before the widths, which are no operand.
  addDyn<DynNNPadOp, NNPadOp>(
      table, {0, 2},
      [](DynNNPadOp op, ArrayRef<Tensor> operands, auto &properties) {
        properties.pad_width = getInts(operands[1]);
        properties.pad_mode = op.getPadModeAttr();
        return success();
      });
  addDyn<DynTopkOp, TopkOp>(
      table, {0},
      [](DynTopkOp op, ArrayRef<Tensor> operands, auto &properties) {
        if (failed(checkSingle(op, operands[1], "k")) ||
            failed(checkWhole(op, operands[1], "k")))
          return failure();
        properties.k = getInt(operands[1]);
        properties.axis = op.getAxisAttr();
        properties.ret_type = op.getRetTypeAttr();
        properties.is_ascend = op.getIsAscendAttr();
        properties.dtype = op.getDtypeAttr();
        return success();
      });
}

static LogicalResult checkScale(Operation *op, const Tensor &scale) {
  double value = scale.loadAll<double>().front();
  if (value > 0 && value < 0x1p20)
    return success();
  return op->emitOpError("expects a positive scale, but got ")
         << formatNumber(value);
}

static void populateImages(EvaluatorTable &table) {
  addDyn<DynNNUpsamplingOp, NNUpsamplingOp>(
      table, {0},
      [](DynNNUpsamplingOp op, ArrayRef<Tensor> operands, auto &properties) {
        properties.scale_h = getFloat(operands[1]);
        properties.scale_w = getFloat(operands[2]);
        properties.layout = op.getLayoutAttr();
        properties.method = op.getMethodAttr();
        properties.align_corners = op.getAlignCornersAttr();
        return success(succeeded(checkScale(op, operands[1])) &&
                       succeeded(checkScale(op, operands[2])));
      });
  addDyn<DynNNUpsampling3dOp, NNUpsampling3dOp>(
      table, {0},
      [](DynNNUpsampling3dOp op, ArrayRef<Tensor> operands, auto &properties) {
        properties.scale_d = getFloat(operands[1]);
        properties.scale_h = getFloat(operands[2]);
        properties.scale_w = getFloat(operands[3]);
        properties.layout = op.getLayoutAttr();
        properties.method = op.getMethodAttr();
        properties.coordinate_transformation_mode =
            op.getCoordinateTransformationModeAttr();
        return success(
            llvm::all_of(operands.drop_front(), [&](const Tensor &scale) {
              return succeeded(checkScale(op, scale));
            }));
      });
  addDyn<DynImageResize2dOp, ImageResize2dOp>(
      table, {0},
      [](DynImageResize2dOp op, ArrayRef<Tensor> operands, auto &properties) {
        properties.size = getInts(operands[1]);
        properties.roi = DenseF64ArrayAttr::get(op.getContext(),
                                                operands[2].loadAll<double>());
        properties.layout = op.getLayoutAttr();
        properties.method = op.getMethodAttr();
        properties.coordinate_transformation_mode =
            op.getCoordinateTransformationModeAttr();
        properties.rounding_method = op.getRoundingMethodAttr();
        properties.cubic_alpha = op.getCubicAlphaAttr();
        properties.cubic_exclude = op.getCubicExcludeAttr();
        properties.extrapolation_value = op.getExtrapolationValueAttr();
        properties.out_dtype = op.getOutDtypeAttr();
        return checkWhole(op, operands[1], "size");
      });
}

void relay::detail::populateDynEvaluators(EvaluatorTable &table) {
  populateShapes(table);
  populateCreation(table);
  populateMovement(table);
  populateImages(table);
}
