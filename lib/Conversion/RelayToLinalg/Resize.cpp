//===- Resize.cpp - Build nests that resize images ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Resize.h"

#include "Gather.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::relay::detail;

/// The factor by which each element is repeated along `axis`, if that is all
/// the resize does to it.
static std::optional<int64_t> getRepetition(const ResizeMode &mode,
                                            OpFoldResult source,
                                            OpFoldResult result) {
  std::optional<int64_t> from = getConstantIntValue(source);
  std::optional<int64_t> to = getConstantIntValue(result);
  if (!from || !to || *from == 0 || *to % *from != 0 ||
      mode.method != "nearest_neighbor")
    return std::nullopt;
  StringRef rounding = mode.getRounding();
  bool repeats =
      (mode.coordinates == "asymmetric" && rounding == "floor") ||
      (mode.coordinates == "half_pixel" && rounding.starts_with("round"));
  if (!repeats)
    return std::nullopt;
  return *to / *from;
}

/// A read at d floordiv factor.
Value mlir::relay::detail::buildRepetition(LinalgBuilder &b, Value data,
                                           const Resize &resize,
                                           ArrayRef<int64_t> factors) {
  int64_t rank = resize.sizes.size();
  SmallVector<AffineExpr> exprs;
  for (int64_t dim = 0; dim < rank; ++dim)
    exprs.push_back(b.dim(dim));
  for (auto [axis, factor] : llvm::zip_equal(resize.axes, factors))
    exprs[axis] = exprs[axis].floorDiv(factor);
  return b.elements(b.getBlockName(), {{data, b.map(rank, exprs)}},
                    resize.sizes, getSignless(resize.to),
                    [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange args) {
                      return ElementMath(bodyBuilder, resize.to)
                          .convertFrom(resize.from, args[0]);
                    });
}

//===----------------------------------------------------------------------===//
// One axis after the other
//===----------------------------------------------------------------------===//

namespace {

/// The samples of an axis for each position of the result, a row of them for
/// each tap.
struct SampleTable {
  int64_t axis, numTaps;
  /// Without weights, there is one tap.
  Value positions, weights;
};

} // namespace

/// Whether the samples of all axes can be put into tables.
static bool hasTables(const Resize &resize,
                      ArrayRef<OpFoldResult> sourceSizes) {
  return resize.mode.coordinates != "tf_crop_and_resize" &&
         llvm::all_of(resize.axes, [&](int64_t axis) {
           return getConstantIntValue(sourceSizes[axis]) &&
                  getConstantIntValue(resize.sizes[axis]);
         });
}

/// Whether each position of the result is the same one of the source.
static bool isKept(const Resize &resize, OpFoldResult source, int64_t axis) {
  return getConstantIntValue(source) ==
             getConstantIntValue(resize.sizes[axis]) &&
         llvm::is_contained(ArrayRef<StringRef>{"half_pixel", "asymmetric",
                                                "pytorch_half_pixel",
                                                "align_corners"},
                            resize.mode.coordinates);
}

static SampleTable buildTable(LinalgBuilder &b, const Resize &resize,
                              unsigned number, OpFoldResult source,
                              Type positionType) {
  int64_t axis = resize.axes[number];
  OpFoldResult size = resize.sizes[axis];
  StringRef method = resize.mode.method;
  SampleTable table{axis,
                    method == "linear"  ? 2
                    : method == "cubic" ? 4
                                        : 1,
                    Value(), Value()};
  SmallVector<OpFoldResult> sizes = {b.getIndexAttr(table.numTaps), size};
  SmallVector<Value> destinations = {b.empty(sizes, b.getI32Type())};
  if (table.numTaps != 1)
    destinations.push_back(b.empty(sizes, positionType));
  auto emit = [&](ImplicitLocOpBuilder &body, ValueRange, ValueRange,
                  ValueRange buffers) {
    Value zero = arith::ConstantIndexOp::create(body, 0);
    emitLoop(
        body, zero, emitIndex(body, size), {},
        [&](Value index, ValueRange) -> SmallVector<Value> {
          AxisSampler sampler(body, resize.mode, positionType, source, size,
                              /*roi=*/{});
          for (auto [tap, sample] : llvm::enumerate(sampler.sample(index))) {
            SmallVector<Value> at = {arith::ConstantIndexOp::create(body, tap),
                                     index};
            Value position = arith::IndexCastOp::create(body, body.getI32Type(),
                                                        sample.index);
            memref::StoreOp::create(body, position, buffers[0], at);
            if (sample.weight)
              memref::StoreOp::create(body, sample.weight, buffers[1], at);
          }
          return {};
        });
  };
  SmallVector<Value> results = b.opaque("resize_samples", /*along=*/{},
                                        ValueRange(), destinations, emit);
  table.positions = results.front();
  if (results.size() > 1)
    table.weights = results.back();
  return table;
}

/// A nest that samples `data`, of the relay type `from`, along the axes of
/// `tables`.
static Value buildSampled(LinalgBuilder &b, Value data, Type from, Type through,
                          Type to, ArrayRef<OpFoldResult> sizes,
                          ArrayRef<SampleTable> tables) {
  int64_t rank = sizes.size();
  SmallVector<Access> inputs;
  SmallVector<int64_t> axes;
  for (const SampleTable &table : tables) {
    axes.push_back(table.axis);
    for (int64_t tap = 0; tap < table.numTaps; ++tap) {
      AffineMap at = b.map(rank, {b.constant(tap), b.dim(table.axis)});
      inputs.push_back({table.positions, at});
      if (table.weights)
        inputs.push_back({table.weights, at});
    }
  }
  return b.elements(b.getBlockName(), inputs, sizes, getSignless(to),
                    [&](ImplicitLocOpBuilder &body, ValueRange args) {
                      SmallVector<SmallVector<Tap>> taps;
                      for (const SampleTable &table : tables) {
                        SmallVector<Tap> &own = taps.emplace_back();
                        for (int64_t tap = 0; tap < table.numTaps; ++tap) {
                          Value index = arith::IndexCastOp::create(
                              body, body.getIndexType(), args.front());
                          args = args.drop_front();
                          Value weight;
                          if (table.weights) {
                            weight = args.front();
                            args = args.drop_front();
                          }
                          own.push_back({index, weight, Value()});
                        }
                      }
                      SmallVector<Value> position = emitLoopIndices(body, rank);
                      ElementMath math(body, through);
                      Value sample =
                          emitSamples(math, data, from, position, axes, taps);
                      return emitElement({body, to}, through, sample);
                    });
}

/// First what leaves less to do. Neighbours along the last axis are loaded one
/// by one, which takes several times as long.
static void orderTables(SmallVector<SampleTable> &tables,
                        ArrayRef<OpFoldResult> from,
                        ArrayRef<OpFoldResult> to) {
  if (tables.size() < 2)
    return;
  int64_t last = from.size() - 1;
  auto getSize = [](OpFoldResult size) {
    return static_cast<double>(*getConstantIntValue(size));
  };
  // How much is computed in that order, for each line along the other axes.
  auto getCost = [&](ArrayRef<SampleTable> order) {
    double elements = 1, cost = 0;
    for (const SampleTable &table : order)
      elements *= getSize(from[table.axis]);
    for (const SampleTable &table : order) {
      elements *= getSize(to[table.axis]) / getSize(from[table.axis]);
      cost += elements * (table.axis == last ? 4 : 1);
    }
    return cost;
  };
  auto isBefore = [](const SampleTable &a, const SampleTable &b) {
    return a.axis < b.axis;
  };
  llvm::sort(tables, isBefore);
  SmallVector<SampleTable> order = tables, best = tables;
  while (std::next_permutation(order.begin(), order.end(), isBefore))
    if (getCost(order) < getCost(best))
      best = order;
  tables = best;
}

/// Samples are the same for all lines along an axis, so they are computed once;
/// and what the axes do is independent.
static Value buildByAxes(LinalgBuilder &b, Value data, const Resize &resize,
                         Type positionType) {
  SmallVector<OpFoldResult> sizes = b.getSizes(data);
  SmallVector<SampleTable> tables;
  for (auto [number, axis] : llvm::enumerate(resize.axes))
    if (!isKept(resize, sizes[axis], axis))
      tables.push_back(
          buildTable(b, resize, number, sizes[axis], positionType));
  if (resize.mode.method == "nearest_neighbor")
    return buildSampled(b, data, resize.from, resize.from, resize.to,
                        resize.sizes, tables);

  orderTables(tables, sizes, resize.sizes);
  if (tables.empty())
    return buildSampled(b, data, resize.from, positionType, resize.to,
                        resize.sizes, tables);
  Type type = resize.from;
  for (const SampleTable &table : tables) {
    bool isLast = &table == &tables.back();
    sizes[table.axis] = resize.sizes[table.axis];
    Type to = isLast ? resize.to : positionType;
    data = buildSampled(b, data, type, positionType, to, sizes, table);
    type = to;
  }
  return data;
}

/// Begin and end of the part of axis `number` that is resized, if it counts.
static std::pair<Value, Value> emitRoi(ImplicitLocOpBuilder &b,
                                       const Resize &resize, unsigned number,
                                       Type type) {
  if (resize.mode.coordinates != "tf_crop_and_resize")
    return {};
  ElementMath math(b, type);
  unsigned rank = resize.axes.size();
  auto emit = [&](unsigned position, double whole) {
    if (resize.roiTensor) {
      Value index = arith::ConstantIndexOp::create(b, position);
      return math.convertFrom(resize.roiType,
                              emitExtract(b, resize.roiTensor, index));
    }
    return math.number(resize.roi.empty() ? whole : resize.roi[position]);
  };
  return {emit(number, 0), emit(rank + number, 1)};
}

Value mlir::relay::detail::buildResize(LinalgBuilder &b, Value data,
                                       const Resize &resize) {
  SmallVector<OpFoldResult> dataSizes = b.getSizes(data);
  SmallVector<int64_t> factors;
  for (int64_t axis : resize.axes)
    if (std::optional<int64_t> factor =
            getRepetition(resize.mode, dataSizes[axis], resize.sizes[axis]))
      factors.push_back(*factor);
  if (factors.size() == resize.axes.size())
    return buildRepetition(b, data, resize, factors);

  bool isNearest = resize.mode.method == "nearest_neighbor";
  Type positionType = getAccumulatorType(resize.from);
  if (!isa<FloatType>(positionType))
    positionType = b.getF32Type();
  if (hasTables(resize, dataSizes))
    return buildByAxes(b, data, resize, positionType);
  // A nearest neighbour is copied, so no float stands in between.
  Type sampleType = isNearest ? resize.from : positionType;
  return b.elements(
      b.getBlockName(), {}, resize.sizes, getSignless(resize.to),
      [&](ImplicitLocOpBuilder &bodyBuilder, ValueRange) {
        SmallVector<Value> position =
            emitLoopIndices(bodyBuilder, resize.sizes.size());
        SmallVector<SmallVector<Tap>> taps;
        Value isOutside;
        for (auto [number, axis] : llvm::enumerate(resize.axes)) {
          AxisSampler sampler(
              bodyBuilder, resize.mode, positionType, dataSizes[axis],
              resize.sizes[axis],
              emitRoi(bodyBuilder, resize, number, positionType));
          taps.push_back(sampler.sample(position[axis]));
          if (Value outside = sampler.getIsOutside())
            isOutside = isOutside ? arith::OrIOp::create(bodyBuilder, isOutside,
                                                         outside)
                                  : outside;
        }
        ElementMath math(bodyBuilder, sampleType);
        ElementMath result(bodyBuilder, resize.to);
        Value element = emitElement(
            result, sampleType,
            emitSamples(math, data, resize.from, position, resize.axes, taps));
        if (!isOutside)
          return element;
        return result.select(isOutside,
                             result.number(resize.mode.extrapolation), element);
      });
}
