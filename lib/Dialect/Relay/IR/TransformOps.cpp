//===- TransformOps.cpp - Types of more operators that move ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TransformOps.h"

#include "relay-mlir/Dialect/Relay/IR/Notation.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"
#include "relay-mlir/Support/SaturatingMath.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::detail;

static bool isDynamic(int64_t size) { return ShapedType::isDynamic(size); }

/// Returns the product of sizes, dynamic if one of them is.
static int64_t getProduct(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (isDynamic(size))
      return size;
    product = saturatingMultiply(product, size);
  }
  return product;
}

//===----------------------------------------------------------------------===//
// Types of other tensors
//===----------------------------------------------------------------------===//

LogicalResult relay::detail::checkBroadcastsTo(std::optional<Location> location,
                                               RankedTensorType from,
                                               ArrayRef<int64_t> to,
                                               StringRef name) {
  ArrayRef<int64_t> shape = from.getShape();
  bool fits = shape.size() <= to.size();
  if (fits)
    for (auto [own, size] : llvm::zip_equal(shape, to.take_back(shape.size())))
      fits &= own == 1 || mayEqual(own, size);
  if (fits)
    return success();
  return emitOptionalError(location, "expects ", name,
                           " that broadcasts to shape ", formatShape(to),
                           ", but got ", from);
}

LogicalResult BroadcastToLikeOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType result = tensorType(adaptor.getBroadcastType());
  if (failed(checkElementType(location, adaptor.getData(),
                              adaptor.getBroadcastType(), "broadcast_type")) ||
      failed(checkBroadcastsTo(location, tensorType(adaptor.getData()),
                               result.getShape(), "data")))
    return failure();
  types.push_back(result);
  return success();
}

LogicalResult CastLikeOp::inferReturnTypes(MLIRContext *,
                                           std::optional<Location>,
                                           Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  types.push_back(
      tensorType(adaptor.getData())
          .clone(tensorType(adaptor.getDtypeLike()).getElementType()));
  return success();
}

LogicalResult CollapseSumLikeOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType result = tensorType(adaptor.getCollapseType());
  if (failed(checkElementType(location, adaptor.getData(),
                              adaptor.getCollapseType(), "collapse_type")) ||
      failed(checkBroadcastsTo(location, result,
                               tensorType(adaptor.getData()).getShape(),
                               "collapse_type")))
    return failure();
  types.push_back(result);
  return success();
}

LogicalResult CollapseSumToOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  RankedTensorType target = tensorType(adaptor.getTarget());
  if (target.getRank() > 1 || !target.hasStaticShape())
    return emitOptionalError(
        location, "expects target to be a vector of static size, but got ",
        target);
  int64_t rank = target.getNumElements();
  SmallVector<int64_t> shape(rank, ShapedType::kDynamic);
  if (std::optional<ArrayRef<int64_t>> sizes = adaptor.getShape()) {
    if (static_cast<int64_t>(sizes->size()) != rank ||
        llvm::any_of(*sizes, [](int64_t size) { return size < 0; }))
      return emitOptionalError(location, "expects ", rank,
                               " sizes in shape, as in target, but got [",
                               *sizes, "]");
    shape.assign(sizes->begin(), sizes->end());
  }
  RankedTensorType result = data.clone(shape);
  if (failed(checkBroadcastsTo(location, result, data.getShape(), "a shape")))
    return failure();
  types.push_back(result);
  return success();
}

/// Reads [begin, end) of `rank` dimensions, where negative positions count from
/// the last and an absent end is the rank.
static FailureOr<std::pair<int64_t, int64_t>>
getDimRange(std::optional<Location> location, int64_t begin,
            std::optional<int64_t> end, int64_t rank, StringRef side) {
  int64_t first = begin < 0 ? begin + rank : begin;
  int64_t last = end.value_or(rank);
  if (last < 0)
    last += rank;
  if (first < 0 || last > rank || first > last)
    return emitOptionalError(location, "expects ", side, "_begin and ", side,
                             "_end to be a range of ", rank,
                             " dimensions, but got ", begin, " and ",
                             end.value_or(rank));
  return std::pair(first, last);
}

LogicalResult ReshapeLikeOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> location,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  RankedTensorType like = tensorType(adaptor.getShapeLike());
  auto own = getDimRange(location, adaptor.getLhsBegin(), adaptor.getLhsEnd(),
                         data.getRank(), "lhs");
  if (failed(own))
    return failure();
  auto other = getDimRange(location, adaptor.getRhsBegin(), adaptor.getRhsEnd(),
                           like.getRank(), "rhs");
  if (failed(other))
    return failure();
  ArrayRef<int64_t> replaced =
      data.getShape().slice(own->first, own->second - own->first);
  ArrayRef<int64_t> with =
      like.getShape().slice(other->first, other->second - other->first);
  int64_t before = getProduct(replaced), after = getProduct(with);
  if (!mayEqual(before, after))
    return emitOptionalError(location, "expects dimensions of shape_like with ",
                             before, " elements, but got ", after, " of ",
                             like);
  SmallVector<int64_t> shape(data.getShape().take_front(own->first));
  llvm::append_range(shape, with);
  llvm::append_range(shape, data.getShape().drop_front(own->second));
  types.push_back(data.clone(shape));
  return success();
}

LogicalResult SliceLikeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  RankedTensorType like = tensorType(adaptor.getShapeLike());
  SmallVector<int64_t> axes(adaptor.getAxes().value_or(ArrayRef<int64_t>()));
  if (axes.empty())
    axes = llvm::to_vector(llvm::seq<int64_t>(like.getRank()));
  SmallVector<int64_t> shape(data.getShape());
  for (int64_t number : axes) {
    FailureOr<int64_t> axis = normalizeAxis(location, number, data.getRank());
    if (failed(axis))
      return failure();
    if (*axis >= like.getRank())
      return emitOptionalError(location, "expects shape_like to have axis ",
                               *axis, ", but got ", like);
    int64_t size = like.getDimSize(*axis);
    if (!isDynamic(size) && !isDynamic(shape[*axis]) && size > shape[*axis])
      return emitOptionalError(location, "expects shape_like within ", data,
                               " along axis ", *axis, ", but got ", like);
    shape[*axis] = size;
  }
  types.push_back(data.clone(shape));
  return success();
}

//===----------------------------------------------------------------------===//
// Shapes, layouts and bits
//===----------------------------------------------------------------------===//

LogicalResult ContribReverseReshapeOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  auto sizes = llvm::to_vector(llvm::reverse(data.getShape()));
  auto codes = llvm::to_vector(llvm::reverse(adaptor.getNewshape()));
  SmallVector<int64_t> shape;
  if (failed(inferReshape(location, data.clone(sizes), codes,
                          adaptor.getAllowzero(), shape)))
    return failure();
  std::reverse(shape.begin(), shape.end());
  types.push_back(data.clone(shape));
  return success();
}

LogicalResult ReinterpretOp::inferReturnTypes(MLIRContext *,
                                              std::optional<Location> location,
                                              Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  Type dtype = adaptor.getDtype(), own = data.getElementType();
  if (!dtype.isIntOrFloat() ||
      dtype.getIntOrFloatBitWidth() != own.getIntOrFloatBitWidth() ||
      (own != dtype && own.getIntOrFloatBitWidth() < 8))
    return emitOptionalError(location, "expects a dtype of ",
                             own.getIntOrFloatBitWidth(), " bits, as ", own,
                             " has, but got ", dtype);
  types.push_back(data.clone(dtype));
  return success();
}

static FailureOr<TiledLayout> parseLayout(std::optional<Location> location,
                                          StringRef text, StringRef name) {
  FailureOr<TiledLayout> layout = TiledLayout::parse(text);
  if (failed(layout))
    return emitOptionalError(location, "expects ", name,
                             " such as \"4N16C\", but got \"", text, "\"");
  return layout;
}

LogicalResult AutoSchedulerLayoutTransformOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  FailureOr<TiledLayout> src =
      parseLayout(location, adaptor.getSrcLayout(), "src_layout");
  FailureOr<TiledLayout> dst =
      failed(src) ? src
                  : parseLayout(location, adaptor.getDstLayout(), "dst_layout");
  if (failed(dst))
    return failure();
  if (failed(verifyCompatibleShape(src->sizes, data.getShape())))
    return emitOptionalError(location,
                             "expects data of the sizes of "
                             "src_layout \"",
                             adaptor.getSrcLayout(), "\", but got ", data);
  for (auto [i, axis] : llvm::enumerate(src->axes)) {
    if (llvm::is_contained(ArrayRef(src->axes).take_front(i), axis))
      return emitOptionalError(location,
                               "expects each axis once in "
                               "src_layout, but got \"",
                               adaptor.getSrcLayout(), "\"");
    int64_t product = 1;
    for (auto [other, size] : llvm::zip_equal(dst->axes, dst->sizes))
      if (other == axis && llvm::MulOverflow(product, size, product))
        product = 0;
    if (product != src->sizes[i])
      return emitOptionalError(location, "expects tiles of axis ", axis,
                               " in dst_layout with product ", src->sizes[i],
                               ", but got \"", adaptor.getDstLayout(), "\"");
  }
  for (StringRef axis : dst->axes)
    if (!llvm::is_contained(src->axes, axis))
      return emitOptionalError(location, "expects the axes of src_layout \"",
                               adaptor.getSrcLayout(), "\", but got \"",
                               adaptor.getDstLayout(), "\"");
  types.push_back(data.clone(dst->sizes));
  return success();
}

LogicalResult MetaScheduleLayoutTransformOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  AffineMap map = adaptor.getIndexMap();
  if (map.getNumDims() != data.getRank() || map.getNumSymbols())
    return emitOptionalError(location, "expects an index_map of ",
                             data.getRank(), " dimensions, but got ",
                             AffineMapAttr::get(map));
  if (!data.hasStaticShape()) {
    types.push_back(data.clone(
        SmallVector<int64_t>(map.getNumResults(), ShapedType::kDynamic)));
    return success();
  }
  FailureOr<SmallVector<int64_t>> shape = mapShape(map, data.getShape());
  if (failed(shape) || getProduct(*shape) != data.getNumElements())
    return emitOptionalError(location, "expects a bijective index_map for ",
                             data, ", but got ", AffineMapAttr::get(map));
  types.push_back(data.clone(*shape));
  return success();
}

//===----------------------------------------------------------------------===//
// Windows and parts
//===----------------------------------------------------------------------===//

LogicalResult SlidingWindowOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType data = tensorType(adaptor.getData());
  FailureOr<int64_t> axis =
      normalizeAxis(location, adaptor.getAxis(), data.getRank());
  if (failed(axis))
    return failure();
  ArrayRef<int64_t> window = adaptor.getWindowShape();
  ArrayRef<int64_t> strides = adaptor.getStrides();
  size_t count = data.getRank() - *axis;
  auto isPositive = [](int64_t value) { return value > 0; };
  if (window.size() != count || !llvm::all_of(window, isPositive))
    return emitOptionalError(location, "expects ", count,
                             " positive values in window_shape, but got [",
                             window, "]");
  if (strides.size() != count || !llvm::all_of(strides, isPositive))
    return emitOptionalError(location, "expects ", count,
                             " positive values in strides, but got [", strides,
                             "]");
  SmallVector<int64_t> shape(data.getShape().take_front(*axis));
  for (size_t i = 0; i < count; ++i) {
    int64_t size = data.getDimSize(*axis + i);
    if (!isDynamic(size) && window[i] > size)
      return emitOptionalError(location, "expects a window within ", data,
                               ", but got [", window, "]");
    shape.push_back(isDynamic(size) ? size
                                    : (size - window[i]) / strides[i] + 1);
  }
  llvm::append_range(shape, window);
  types.push_back(data.clone(shape));
  return success();
}

LogicalResult relay::detail::checkStridedSet(std::optional<Location> location,
                                             Value data, Value v,
                                             ArrayRef<Value> bounds) {
  if (failed(checkElementType(location, data, v, "v")))
    return failure();
  RankedTensorType type = tensorType(data);
  for (Value bound : bounds) {
    int64_t size = tensorType(bound).getDimSize(0);
    if (!isDynamic(size) && size > type.getRank())
      return emitOptionalError(location, "expects at most ", type.getRank(),
                               " positions, but got ", bound.getType());
  }
  if (tensorType(v).getRank() > type.getRank())
    return emitOptionalError(location, "expects v of rank ", type.getRank(),
                             " or less, but got ", v.getType());
  return success();
}

LogicalResult
relay::detail::checkMatrixSetDiag(std::optional<Location> location, Value input,
                                  Value diagonal, int64_t k1, int64_t k2) {
  RankedTensorType type = tensorType(input), diagonals = tensorType(diagonal);
  int64_t rank = type.getRank();
  if (failed(checkElementType(location, input, diagonal, "diagonal")))
    return failure();
  if (rank < 2)
    return emitOptionalError(location,
                             "expects input of rank 2 or more, but got ", type);
  int64_t rows = type.getDimSize(rank - 2), columns = type.getDimSize(rank - 1);
  if (k1 > k2)
    return emitOptionalError(location, "expects k1 up to k2, but got ", k1,
                             " and ", k2);
  if ((!isDynamic(rows) && k1 <= -rows) ||
      (!isDynamic(columns) && k2 >= columns))
    return emitOptionalError(location, "expects diagonals of ", type,
                             ", but got those from ", k1, " to ", k2);
  SmallVector<int64_t> expected(type.getShape().drop_back(2));
  if (k1 != k2)
    expected.push_back(k2 - k1 + 1);
  // The longest of the diagonals is the one closest to the main diagonal.
  expected.push_back(isDynamic(rows) || isDynamic(columns)
                         ? ShapedType::kDynamic
                         : std::min(rows + std::min<int64_t>(k2, 0),
                                    columns - std::max<int64_t>(k1, 0)));
  if (failed(verifyCompatibleShape(expected, diagonals.getShape())))
    return emitOptionalError(location, "expects diagonal of shape ",
                             formatShape(expected), ", but got ", diagonals);
  return success();
}

LogicalResult
relay::detail::checkReverseSequence(std::optional<Location> location,
                                    Value data, Value lengths, int64_t seqAxis,
                                    int64_t batchAxis) {
  RankedTensorType type = tensorType(data);
  FailureOr<int64_t> seq =
      normalizeAxis(location, seqAxis, type.getRank(), "seq_axis");
  FailureOr<int64_t> batch =
      failed(seq)
          ? seq
          : normalizeAxis(location, batchAxis, type.getRank(), "batch_axis");
  if (failed(batch))
    return failure();
  if (*seq == *batch)
    return emitOptionalError(location,
                             "expects seq_axis and batch_axis to "
                             "differ, but got ",
                             seqAxis, " and ", batchAxis);
  if (!mayEqual(type.getDimSize(*batch), tensorType(lengths).getDimSize(0)))
    return emitOptionalError(location, "expects seq_lengths for ",
                             type.getDimSize(*batch), " sequences, but got ",
                             lengths.getType());
  return success();
}

LogicalResult relay::detail::checkSequenceMask(std::optional<Location> location,
                                               Value data, Value validLength,
                                               int64_t axis) {
  RankedTensorType type = tensorType(data), lengths = tensorType(validLength);
  if (axis != 0 && axis != 1)
    return emitOptionalError(location, "expects axis 0 or 1, but got ", axis);
  if (type.getRank() < 2)
    return emitOptionalError(location,
                             "expects data of rank 2 or more, but got ", type);
  if (!mayEqual(type.getDimSize(1 - axis), lengths.getDimSize(0)))
    return emitOptionalError(location, "expects valid_length of size ",
                             type.getDimSize(1 - axis), ", but got ", lengths);
  return success();
}

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.cpp.inc"

void RelayDialect::registerTransformOps() {
  addOperations<
#define GET_OP_LIST
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.cpp.inc"
      >();
}
