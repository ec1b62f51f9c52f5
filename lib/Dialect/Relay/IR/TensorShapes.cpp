//===- TensorShapes.cpp - Result types of shape operators -----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransformOps.h"

#include "relay-mlir/Dialect/Relay/IR/TensorLimits.h"
#include "relay-mlir/Support/SaturatingMath.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

static bool isDynamic(int64_t size) { return ShapedType::isDynamic(size); }

/// Returns the product of sizes, dynamic if one of them is (and none is zero).
static int64_t getProduct(ArrayRef<int64_t> sizes) {
  if (llvm::is_contained(sizes, 0))
    return 0;
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (isDynamic(size))
      return size;
    product = saturatingMultiply(product, size);
  }
  return product;
}

//===----------------------------------------------------------------------===//
// ReshapeOp
//===----------------------------------------------------------------------===//

LogicalResult relay::detail::inferReshape(std::optional<Location> location,
                                          RankedTensorType data,
                                          ArrayRef<int64_t> codes,
                                          bool allowzero,
                                          SmallVectorImpl<int64_t> &shape) {
  ArrayRef<int64_t> in = data.getShape();
  std::optional<size_t> inferred;
  // Sizes that appear unchanged on both sides cancel out: dynamic ones, and
  // where -1 is inferred zeros, which would leave open what it is.
  SmallVector<size_t> copiedFrom, copiedTo;
  bool infers = llvm::is_contained(codes, -1);
  size_t next = 0;
  auto missing = [&](int64_t code) {
    return emitOptionalError(location, "expects a dimension of data for code ",
                             code, " in newshape, but data is ", data);
  };
  auto copy = [&](size_t dim) {
    if (isDynamic(in[dim]) || (infers && in[dim] == 0)) {
      copiedFrom.push_back(dim);
      copiedTo.push_back(shape.size());
    }
    shape.push_back(in[dim]);
  };
  for (size_t i = 0; i < codes.size(); ++i) {
    int64_t code = codes[i];
    if (code > 0 || (code == 0 && allowzero)) {
      shape.push_back(code);
      ++next;
    } else if (code == 0) {
      if (next >= in.size())
        return missing(code);
      copy(next++);
    } else if (code == -1) {
      if (inferred)
        return emitOptionalError(location,
                                 "expects at most one -1 in newshape, but got "
                                 "[",
                                 codes, "]");
      inferred = shape.size();
      shape.push_back(ShapedType::kDynamic);
      ++next;
    } else if (code == -2) {
      while (next < in.size())
        copy(next++);
    } else if (code == -3) {
      if (next + 1 >= in.size())
        return missing(code);
      shape.push_back(getProduct(in.slice(next, 2)));
      next += 2;
    } else if (code == -4) {
      if (next >= in.size())
        return missing(code);
      if (i + 2 >= codes.size())
        return emitOptionalError(location,
                                 "expects two values after -4 in newshape, but "
                                 "got [",
                                 codes, "]");
      int64_t whole = in[next++], first = codes[i + 1], second = codes[i + 2];
      i += 2;
      if (first == -1 && second > 0)
        first = isDynamic(whole) ? whole : whole / second;
      else if (second == -1 && first > 0)
        second = isDynamic(whole) ? whole : whole / first;
      if ((first < 0 && !isDynamic(first)) ||
          (second < 0 && !isDynamic(second)) ||
          (!isDynamic(whole) && saturatingMultiply(first, second) != whole))
        return emitOptionalError(location, "expects a split of ", whole,
                                 " after -4 in newshape, but got [", codes,
                                 "]");
      shape.push_back(first);
      shape.push_back(second);
    } else {
      return emitOptionalError(location,
                               "expects codes from -4 in newshape, "
                               "but got ",
                               code);
    }
  }

  SmallVector<int64_t> inRest, outRest;
  for (size_t dim = 0; dim < in.size(); ++dim)
    if (!llvm::is_contained(copiedFrom, dim))
      inRest.push_back(in[dim]);
  for (size_t i = 0; i < shape.size(); ++i)
    if (i != inferred && !llvm::is_contained(copiedTo, i))
      outRest.push_back(shape[i]);
  int64_t inCount = getProduct(inRest), outCount = getProduct(outRest);
  if (inferred) {
    if (!isDynamic(inCount) && !isDynamic(outCount)) {
      if (outCount == 0 ? inCount != 0 : inCount % outCount != 0)
        return emitOptionalError(location, "expects newshape to divide the ",
                                 inCount, " elements of data, but got [", codes,
                                 "]");
      shape[*inferred] = outCount == 0 ? 0 : inCount / outCount;
    }
  } else if (!isDynamic(inCount) && !isDynamic(outCount) &&
             inCount != outCount && inCount != 0) {
    return emitOptionalError(location, "expects newshape of ", inCount,
                             " elements, but got [", codes, "] for ", data);
  }
  return success();
}

LogicalResult ReshapeOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  SmallVector<int64_t> shape;
  if (failed(inferReshape(location, data, adaptor.getNewshape(),
                          adaptor.getAllowzero(), shape)))
    return failure();
  types.push_back(data.clone(shape));
  return success();
}

//===----------------------------------------------------------------------===//
// Other reshapes
//===----------------------------------------------------------------------===//

LogicalResult ExpandDimsOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> location,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  int64_t count = adaptor.getNumNewaxis();
  if (count < 0)
    return emitOptionalError(
        location, "expects num_newaxis not to be negative, but got ", count);
  if (count > kMaxTensorRank - data.getRank())
    return emitOptionalError(location, "expects tensors of at most ",
                             kMaxTensorRank, " dimensions, but got ",
                             saturatingSum({data.getRank(), count}));
  FailureOr<int64_t> axis =
      normalizeAxis(location, adaptor.getAxis(), data.getRank() + 1);
  if (failed(axis))
    return failure();
  SmallVector<int64_t> shape(data.getShape());
  shape.insert(shape.begin() + *axis, count, 1);
  types.push_back(data.clone(shape));
  return success();
}

LogicalResult SqueezeOp::inferReturnTypes(MLIRContext *,
                                          std::optional<Location> location,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  SmallVector<bool> drop(data.getRank(), false);
  if (std::optional<ArrayRef<int64_t>> axes = adaptor.getAxis()) {
    for (int64_t number : *axes) {
      FailureOr<int64_t> axis = normalizeAxis(location, number, data.getRank());
      if (failed(axis))
        return failure();
      int64_t size = data.getDimSize(*axis);
      if (!isDynamic(size) && size != 1)
        return emitOptionalError(location, "expects size 1 at axis ", number,
                                 ", but got ", data);
      drop[*axis] = true;
    }
  } else {
    for (int64_t i = 0; i < data.getRank(); ++i)
      drop[i] = data.getDimSize(i) == 1;
  }
  SmallVector<int64_t> shape;
  for (int64_t i = 0; i < data.getRank(); ++i)
    if (!drop[i])
      shape.push_back(data.getDimSize(i));
  types.push_back(data.clone(shape));
  return success();
}

LogicalResult NNBatchFlattenOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  if (data.getRank() < 1)
    return emitOptionalError(location,
                             "expects data of rank 1 or more, but "
                             "got ",
                             data);
  types.push_back(data.clone(ArrayRef<int64_t>{
      data.getDimSize(0), getProduct(data.getShape().drop_front())}));
  return success();
}

LogicalResult BroadcastToOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> location,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  SmallVector<int64_t> shape(adaptor.getShape());
  int64_t offset = static_cast<int64_t>(shape.size()) - data.getRank();
  if (offset < 0)
    return emitOptionalError(location, "expects a shape of rank ",
                             data.getRank(), " or more, but got [",
                             adaptor.getShape(), "]");
  for (auto [i, size] : llvm::enumerate(shape)) {
    int64_t from =
        static_cast<int64_t>(i) < offset ? 1 : data.getDimSize(i - offset);
    if (size == -1)
      size = from;
    else if (size < 0 || (from != 1 && !isDynamic(from) && from != size))
      return emitOptionalError(location, "expects a shape that ", data,
                               " broadcasts to, but got [", adaptor.getShape(),
                               "]");
  }
  types.push_back(data.clone(shape));
  return success();
}

LogicalResult ShapeOfOp::inferReturnTypes(MLIRContext *context,
                                          std::optional<Location>,
                                          Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  Type element =
      adaptor.getDtype() ? *adaptor.getDtype() : IntegerType::get(context, 32);
  types.push_back(RankedTensorType::get(
      {tensorType(adaptor.getData()).getRank()}, element));
  return success();
}

LogicalResult NdarraySizeOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location>,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  Type element =
      adaptor.getDtype() ? *adaptor.getDtype() : IntegerType::get(context, 32);
  types.push_back(RankedTensorType::get({}, element));
  return success();
}

//===----------------------------------------------------------------------===//
// StridedSliceOp
//===----------------------------------------------------------------------===//

LogicalResult StridedSliceOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location> location,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  ArrayRef<int64_t> begin = adaptor.getBegin(), end = adaptor.getEnd();
  bool bySize = adaptor.getSliceMode() == "size";
  if (!bySize && adaptor.getSliceMode() != "end")
    return emitOptionalError(location,
                             "expects slice_mode \"end\" or \"size\", but got "
                             "\"",
                             adaptor.getSliceMode(), "\"");
  std::optional<ArrayRef<int64_t>> axes = adaptor.getAxes();
  size_t limit = axes ? axes->size() : data.getRank();
  if (begin.size() > limit || end.size() > limit ||
      (axes && (begin.size() != limit || end.size() != limit)))
    return emitOptionalError(location, "expects at most ", limit,
                             " values in begin and end, but got [", begin,
                             "] and [", end, "]");
  ArrayRef<int64_t> strides;
  if (!bySize && adaptor.getStrides())
    strides = *adaptor.getStrides();
  if (strides.size() > limit)
    return emitOptionalError(location, "expects at most ", limit,
                             " values in strides, but got [", strides, "]");
  SmallVector<int64_t> shape(data.getShape());
  size_t count = std::max({begin.size(), end.size(), strides.size()});
  for (size_t i = 0; i < count; ++i) {
    FailureOr<int64_t> dim =
        normalizeAxis(location, axes ? (*axes)[i] : i, data.getRank());
    if (failed(dim))
      return failure();
    int64_t size = shape[*dim];
    int64_t stride = i < strides.size() ? strides[i] : 1;
    if (stride == 0)
      return emitOptionalError(location, "expects strides not to be zero");
    // Without a bound the slice reaches to the end it runs towards.
    std::optional<int64_t> from, to;
    // No tensor is longer than that.
    auto limit = [](int64_t number) {
      return std::clamp(number, -kMaxTensorBytes, kMaxTensorBytes);
    };
    if (i < begin.size())
      from = limit(begin[i]);
    if (i < end.size())
      to = limit(end[i]);
    if (bySize && to)
      to = *to < 0 ? std::optional<int64_t>()
                   : saturatingAdd(from.value_or(0), *to);
    if (isDynamic(size)) {
      // Only the whole dimension is known to stay.
      shape[*dim] = ShapedType::kDynamic;
      continue;
    }
    auto clamp = [&](int64_t position) {
      if (position < 0)
        position = saturatingAdd(position, size);
      return stride > 0 ? std::clamp<int64_t>(position, 0, size)
                        : std::clamp<int64_t>(position, -1, size - 1);
    };
    int64_t first = from ? clamp(*from) : (stride > 0 ? 0 : size - 1);
    int64_t last = to ? clamp(*to) : (stride > 0 ? size : -1);
    int64_t distance = stride > 0 ? last - first : first - last;
    int64_t step = stride > 0 ? stride : -saturate(stride);
    shape[*dim] = distance > 0 ? (distance - 1) / step + 1 : 0;
  }
  types.push_back(data.clone(shape));
  return success();
}

//===----------------------------------------------------------------------===//
// PadOp, TileOp, RepeatOp
//===----------------------------------------------------------------------===//

LogicalResult NNPadOp::inferReturnTypes(MLIRContext *,
                                        std::optional<Location> location,
                                        Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  ArrayRef<int64_t> widths = adaptor.getPadWidth();
  if (static_cast<int64_t>(widths.size()) != 2 * data.getRank())
    return emitOptionalError(location, "expects ", 2 * data.getRank(),
                             " values in pad_width, but got [", widths, "]");
  StringRef mode = adaptor.getPadMode();
  if (mode != "constant" && mode != "edge" && mode != "reflect")
    return emitOptionalError(location,
                             "expects pad_mode \"constant\", \"edge\" or "
                             "\"reflect\", but got \"",
                             mode, "\"");
  SmallVector<int64_t> shape(data.getShape());
  for (auto [i, size] : llvm::enumerate(shape)) {
    if (isDynamic(size))
      continue;
    int64_t before = widths[2 * i], after = widths[2 * i + 1];
    // What is cut off is not there to be mirrored.
    auto [low, high] = std::minmax(before, after);
    int64_t kept = saturatingAdd(size, std::min<int64_t>(low, 0));
    if (mode == "reflect" && high > 0 && high >= kept)
      return emitOptionalError(
          location, "expects pad_width below the size ", size, " of dimension ",
          i, " for pad_mode \"reflect\", but got ", before, " and ", after);
    if (mode == "edge" && high > 0 && kept < 1)
      return emitOptionalError(location, "expects a dimension that is not "
                                         "empty for pad_mode \"edge\"");
    size = saturatingSum({size, before, after});
    if (size < 0)
      return emitOptionalError(location,
                               "expects pad_width that leaves "
                               "elements, but got [",
                               widths, "] for ", data);
  }
  types.push_back(data.clone(shape));
  return success();
}

LogicalResult TileOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> location,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  ArrayRef<int64_t> reps = adaptor.getReps();
  if (llvm::any_of(reps, [](int64_t rep) { return rep < 0; }))
    return emitOptionalError(
        location, "expects reps not to be negative, but got [", reps, "]");
  size_t rank = std::max<size_t>(reps.size(), data.getRank());
  SmallVector<int64_t> shape(rank);
  for (size_t i = 0; i < rank; ++i) {
    // Both are aligned at the last dimension.
    size_t back = rank - i;
    int64_t size = back <= static_cast<size_t>(data.getRank())
                       ? data.getDimSize(data.getRank() - back)
                       : 1;
    int64_t rep = back <= reps.size() ? reps[reps.size() - back] : 1;
    shape[i] = isDynamic(size) ? size : saturatingMultiply(size, rep);
  }
  types.push_back(data.clone(shape));
  return success();
}

LogicalResult RepeatOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> location,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  if (adaptor.getRepeats() < 0)
    return emitOptionalError(location,
                             "expects repeats not to be negative, but got ",
                             adaptor.getRepeats());
  SmallVector<int64_t> shape(data.getShape());
  int64_t dim = 0;
  if (std::optional<int64_t> axis = adaptor.getAxis()) {
    FailureOr<int64_t> normalized =
        normalizeAxis(location, *axis, data.getRank());
    if (failed(normalized))
      return failure();
    dim = *normalized;
  } else {
    shape.assign({getProduct(data.getShape())});
  }
  if (!isDynamic(shape[dim]))
    shape[dim] = saturatingMultiply(shape[dim], adaptor.getRepeats());
  types.push_back(data.clone(shape));
  return success();
}
