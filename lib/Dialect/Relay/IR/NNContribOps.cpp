//===- NNContribOps.cpp - Operators on packed and transformed data --------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/RelayNNContribOps.h"
#include "relay-mlir/Support/Winograd.h"

#include "OperatorFormat.h"
#include "ShapeUtils.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::shapes;

//===----------------------------------------------------------------------===//
// Convolutions that take the kernel's sizes from attributes
//===----------------------------------------------------------------------===//

/// Checks the attributes of a convolution and returns the canonical shapes of
/// its data and result, which `types` becomes in its layout.
template <typename Adaptor>
static LogicalResult inferFromAttrs(std::optional<Location> location,
                                    Adaptor adaptor, StringRef canonical,
                                    SmallVectorImpl<int64_t> &dataShape,
                                    SmallVectorImpl<Type> &types) {
  RankedTensorType dataType = getTensor(adaptor.getData().getType());
  if (!adaptor.getKernelSize() || !adaptor.getChannels())
    return emitOptionalError(
        location, "expects ",
        adaptor.getKernelSize() ? "channels" : "kernel_size", ", but got none");
  if (failed(checkPositive(location, "groups", adaptor.getGroups())))
    return failure();
  auto data = mapShape(location, "data_layout", dataType.getShape(),
                       adaptor.getDataLayout(), canonical);
  if (failed(data))
    return failure();
  FailureOr<SmallVector<int64_t>> shape = getConvShape(
      location, *data,
      {adaptor.getStrides(), adaptor.getPadding(), adaptor.getDilation(),
       *adaptor.getKernelSize(), *adaptor.getChannels()});
  if (failed(shape))
    return failure();
  StringRef outLayout = adaptor.getOutLayout().empty() ? adaptor.getDataLayout()
                                                       : adaptor.getOutLayout();
  auto result = mapShape(location, "out_layout", *shape, canonical, outLayout);
  if (failed(result))
    return failure();
  dataShape.assign(data->begin(), data->end());
  types.push_back(RankedTensorType::get(
      *result, adaptor.getOutDtype().value_or(dataType.getElementType())));
  return success();
}

template <typename Adaptor>
static LogicalResult inferConvNCHWc(std::optional<Location> location,
                                    Adaptor adaptor,
                                    SmallVectorImpl<Type> &types) {
  SmallVector<int64_t> data;
  if (failed(inferFromAttrs(location, adaptor, "NCHW", data, types)))
    return failure();
  RankedTensorType weightType = getTensor(adaptor.getWeight().getType());
  auto weight = mapShape(location, "kernel_layout", weightType.getShape(),
                         adaptor.getKernelLayout(), "OIHW");
  if (failed(weight))
    return failure();
  int64_t groups = adaptor.getGroups(), channels = *adaptor.getChannels();
  if (channels % groups != 0 || (!isDynamic(data[1]) && data[1] % groups != 0))
    return emitOptionalError(location, "expects channels divisible by groups ",
                             groups, ", but got ", data[1], " and ", channels);
  int64_t perGroup = isDynamic(data[1]) ? data[1] : data[1] / groups;
  ArrayRef<int64_t> kernel = *adaptor.getKernelSize();
  auto fits = [&](ArrayRef<int64_t> expected) {
    return llvm::all_of(llvm::zip_equal(expected, *weight), [](auto pair) {
      return mayEqual(std::get<0>(pair), std::get<1>(pair));
    });
  };
  SmallVector<int64_t> expected = {channels, perGroup, kernel[0], kernel[1]};
  // A depthwise weight may have the results of each channel in dimension 1.
  bool isDepthwise = mayEqual(data[1], groups) &&
                     fits({groups, channels / groups, kernel[0], kernel[1]});
  if (!fits(expected) && !isDepthwise)
    return emitOptionalError(location, "expects a weight of shape ",
                             relay::detail::formatShape(expected),
                             " in OIHW, but got ",
                             relay::detail::formatShape(*weight));
  return success();
}

LogicalResult NNContribConv2dNCHWcOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  return inferConvNCHWc(location, adaptor, types);
}

LogicalResult NNContribDepthwiseConv2dNCHWcOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  return inferConvNCHWc(location, adaptor, types);
}

/// Checks that an algorithm's restrictions hold.
template <typename Adaptor>
static LogicalResult checkSimple(std::optional<Location> location,
                                 Adaptor adaptor, bool dense) {
  if (adaptor.getGroups() != 1)
    return emitOptionalError(location, "expects groups 1, but got ",
                             adaptor.getGroups());
  if (!dense)
    return success();
  auto isOne = [](int64_t value) { return value == 1; };
  if (!llvm::all_of(adaptor.getStrides(), isOne))
    return emitOptionalError(location, "expects strides of 1, but got [",
                             adaptor.getStrides(), "]");
  if (!llvm::all_of(adaptor.getDilation(), isOne))
    return emitOptionalError(location, "expects dilation of 1, but got [",
                             adaptor.getDilation(), "]");
  return success();
}

/// Checks that the weight has a shape.
static LogicalResult checkWeight(std::optional<Location> location,
                                 RankedTensorType weight,
                                 ArrayRef<int64_t> expected) {
  if (weight.getRank() == static_cast<int64_t>(expected.size()) &&
      llvm::all_of(llvm::zip_equal(weight.getShape(), expected), [](auto pair) {
        return mayEqual(std::get<0>(pair), std::get<1>(pair));
      }))
    return success();
  return emitOptionalError(location, "expects a transformed weight of shape ",
                           relay::detail::formatShape(expected), ", but got ",
                           weight);
}

LogicalResult NNContribConv2dGemmWithoutWeightTransformOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  if (failed(relay::detail::checkMode(location, "data_layout",
                                      adaptor.getDataLayout(), {"NHWC"})))
    return failure();
  SmallVector<int64_t> data;
  if (failed(inferFromAttrs(location, adaptor, "NCHW", data, types)) ||
      failed(checkSimple(location, adaptor, /*dense=*/false)))
    return failure();
  return checkRank(location, "weight", getTensor(adaptor.getWeight().getType()),
                   4);
}

LogicalResult NNContribConv2dGemmWeightTransformOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType weights = getTensor(adaptor.getWeights().getType());
  int64_t tileN = adaptor.getTile_N(), tileK = adaptor.getTile_K();
  if (failed(checkRank(location, "weights", weights, 4)) ||
      failed(checkPositive(location, "tile_N", tileN)) ||
      failed(checkPositive(location, "tile_K", tileK)))
    return failure();
  int64_t k = 1, n = weights.getDimSize(3);
  for (int64_t dim = 0; dim < 3; ++dim)
    k = multiply(k, weights.getDimSize(dim));
  auto countTiles = [](int64_t size, int64_t tile, int64_t group) {
    if (isDynamic(size))
      return size;
    return (size + tile * group - 1) / (tile * group) * group;
  };
  SmallVector<int64_t> shape = {countTiles(n, tileN, 1),
                                countTiles(k, tileK, 4), tileK, tileN};
  if (weights.getElementTypeBitWidth() == 8 &&
      isa<IntegerType>(weights.getElementType()))
    std::swap(shape[2], shape[3]);
  types.push_back(weights.clone(shape));
  return success();
}

//===----------------------------------------------------------------------===//
// Winograd's algorithm
//===----------------------------------------------------------------------===//

/// Sizes of the transformed kernel.
static SmallVector<int64_t> getTransformedSizes(ArrayRef<int64_t> kernel,
                                                int64_t tile) {
  SmallVector<int64_t> sizes;
  auto transform = [&](int64_t size) {
    return isDynamic(size) ? size : tile + size - 1;
  };
  bool isDepthTransformed =
      kernel.size() == 2 || (kernel[0] > 2 && kernel[0] < 8);
  if (kernel.size() == 3 && isDepthTransformed)
    sizes.push_back(transform(kernel[0]));
  sizes.push_back(transform(kernel[kernel.size() - 2]));
  sizes.push_back(transform(kernel.back()));
  if (!isDepthTransformed)
    sizes.push_back(kernel[0]);
  return sizes;
}

/// Larger tiles and kernels would have no digits left.
static LogicalResult checkTile(std::optional<Location> location, int64_t tile,
                               ArrayRef<int64_t> kernel) {
  if (tile < 1 || tile > 8)
    return emitOptionalError(
        location, "expects tile_size in the range [1, 8], but got ", tile);
  for (int64_t size : kernel)
    if (!isDynamic(size) && (size < 1 || size > 8))
      return emitOptionalError(
          location, "expects kernel sizes in the range [1, 8], but got ", size);
  return success();
}

/// What sums of 16 and 32 bits have room for.
static LogicalResult checkIntegerTile(std::optional<Location> location,
                                      int64_t tile, ArrayRef<int64_t> kernel) {
  if (llvm::any_of(kernel, [](int64_t size) { return size != kIntegerWindow; }))
    return emitOptionalError(location, "expects a window of ", kIntegerWindow,
                             " x ", kIntegerWindow, " of integers, but got ",
                             relay::detail::formatShape(kernel));
  if (tile + kIntegerWindow - 1 > kMaxIntegerReach)
    return emitOptionalError(location, "expects tile_size in the range [1, ",
                             kMaxIntegerReach - kIntegerWindow + 1,
                             "] of integers, but got ", tile);
  return success();
}

static LogicalResult inferWeightTransform(std::optional<Location> location,
                                          Type weightType, int64_t tile,
                                          int64_t rank,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType weight = getTensor(weightType);
  if (failed(checkRank(location, "weight", weight, rank)))
    return failure();
  ArrayRef<int64_t> kernel = weight.getShape().drop_front(2);
  if (failed(checkTile(location, tile, kernel)))
    return failure();
  // Which dimensions are transformed depends on the depth.
  if (rank == 5 && isDynamic(kernel[0]))
    return emitOptionalError(
        location, "expects a weight of known depth, but got ", weight);
  SmallVector<int64_t> shape = getTransformedSizes(kernel, tile);
  llvm::append_range(shape, weight.getShape().take_front(2));
  Type element = weight.getElementType();
  if (element.isInteger()) {
    if (failed(checkIntegerTile(location, tile, kernel)))
      return failure();
    element = IntegerType::get(weight.getContext(), 16);
  }
  types.push_back(RankedTensorType::get(shape, element));
  return success();
}

LogicalResult NNContribConv2dWinogradWeightTransformOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  return inferWeightTransform(location, adaptor.getWeight().getType(),
                              adaptor.getTileSize(), 4, types);
}

LogicalResult NNContribConv3dWinogradWeightTransformOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  return inferWeightTransform(location, adaptor.getWeight().getType(),
                              adaptor.getTileSize(), 5, types);
}

LogicalResult NNContribConv2dWinogradNnpackWeightTransformOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType weight = getTensor(adaptor.getWeight().getType());
  if (failed(checkRank(location, "weight", weight, 4)) ||
      failed(checkSize(location, "weight", weight, 2, 3)) ||
      failed(checkSize(location, "weight", weight, 3, 3)))
    return failure();
  int64_t algorithm = adaptor.getConvolutionAlgorithm();
  if (algorithm != 0 && algorithm != 3 && algorithm != 6)
    return emitOptionalError(
        location, "expects convolution_algorithm 0, 3 or 6, but got ",
        algorithm);
  Type elementType = adaptor.getOutDtype().value_or(weight.getElementType());
  if (!isa<FloatType>(elementType))
    return emitOptionalError(
        location, "expects a floating-point out_dtype, but got ", elementType);
  types.push_back(RankedTensorType::get(
      {weight.getDimSize(0), weight.getDimSize(1), 8, 8}, elementType));
  return success();
}

template <typename Adaptor>
static LogicalResult inferWinograd(std::optional<Location> location,
                                   Adaptor adaptor, StringRef canonical,
                                   SmallVectorImpl<Type> &types) {
  SmallVector<int64_t> data;
  if (failed(inferFromAttrs(location, adaptor, canonical, data, types)) ||
      failed(checkSimple(location, adaptor, /*dense=*/true)) ||
      failed(
          checkTile(location, adaptor.getTileSize(), *adaptor.getKernelSize())))
    return failure();
  SmallVector<int64_t> expected =
      getTransformedSizes(*adaptor.getKernelSize(), adaptor.getTileSize());
  expected.append({*adaptor.getChannels(), data[1]});
  return checkWeight(location, getTensor(adaptor.getWeight().getType()),
                     expected);
}

LogicalResult NNContribConv2dWinogradWithoutWeightTransformOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  if (failed(inferWinograd(location, adaptor, "NCHW", types)))
    return failure();
  auto hasFloats = [](Type type) {
    return isa<FloatType>(cast<RankedTensorType>(type).getElementType());
  };
  Type data = adaptor.getData().getType(),
       weight = adaptor.getWeight().getType(), result = types.front();
  if (hasFloats(data) && hasFloats(weight) && hasFloats(result))
    return success();
  if (hasFloats(data) || hasFloats(weight) ||
      !cast<RankedTensorType>(result).getElementType().isSignlessInteger(32))
    return emitOptionalError(
        location,
        "expects data, weight and result of floats, or of bytes, i16 and i32, "
        "but got ",
        data, ", ", weight, " and ", result);
  return checkIntegerTile(location, adaptor.getTileSize(),
                          *adaptor.getKernelSize());
}

LogicalResult NNContribConv3dWinogradWithoutWeightTransformOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  return inferWinograd(location, adaptor, "NCDHW", types);
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

LogicalResult NNContribDensePackOp::inferReturnTypes(
    MLIRContext *, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType data = getTensor(adaptor.getData().getType());
  RankedTensorType weight = getTensor(adaptor.getWeight().getType());
  if (failed(checkRank(location, "data", data, 2)) ||
      failed(checkElement(location, "weight", weight, data.getElementType())))
    return failure();
  if (weight.getRank() != 3 && weight.getRank() != 4)
    return emitOptionalError(location,
                             "expects weight of rank 3 or 4, but got ", weight);
  int64_t k = weight.getDimSize(1);
  if (weight.getRank() == 4)
    k = multiply(k, weight.getDimSize(3));
  int64_t units = multiply(weight.getDimSize(0), weight.getDimSize(2));
  StringRef layout = adaptor.getWeightLayout();
  if (layout != "NC") {
    auto shape =
        mapShape(location, "weight_layout", weight.getShape(), layout, "NC");
    if (failed(shape))
      return failure();
    if (!layout.starts_with("NC") || !mayEqual((*shape)[0], units) ||
        !mayEqual((*shape)[1], k))
      return emitOptionalError(
          location,
          "expects weight_layout such as \"NC16n\" or \"NC16n4c\", "
          "but got \"",
          layout, "\"");
  }
  if (failed(checkSize(location, "data", data, 1, k)))
    return failure();
  if (adaptor.getUnits() && !mayEqual(units, *adaptor.getUnits()))
    return emitOptionalError(location, "expects units ", units,
                             " as of weight, but got ", *adaptor.getUnits());
  types.push_back(RankedTensorType::get(
      {data.getDimSize(0), adaptor.getUnits().value_or(units)},
      adaptor.getOutDtype().value_or(data.getElementType())));
  return success();
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

/// Checks a number of bits, the value of attribute `name`.
static LogicalResult checkBits(std::optional<Location> location, StringRef name,
                               int64_t bits, Type elementType) {
  int64_t most = elementType.getIntOrFloatBitWidth();
  if (bits >= 1 && bits <= most)
    return success();
  return emitOptionalError(location, "expects ", name, " in the range [1, ",
                           most, "], but got ", bits);
}

/// Returns the number of bits in a word of `type`; fails unless it is one.
static FailureOr<int64_t> getWordSize(std::optional<Location> location,
                                      StringRef name, Type type) {
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || integer.getWidth() < 8)
    return emitOptionalError(location, "expects ", name,
                             " to be an integer type, but got ", type);
  return static_cast<int64_t>(integer.getWidth());
}

LogicalResult NNBitpackOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> location,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  RankedTensorType data = getTensor(adaptor.getData().getType());
  if (!adaptor.getPackType())
    return emitOptionalError(location, "expects pack_type, but got none");
  FailureOr<int64_t> width =
      getWordSize(location, "pack_type", *adaptor.getPackType());
  FailureOr<int64_t> packAxis = relay::detail::normalizeAxis(
      location, adaptor.getPackAxis(), data.getRank(), "pack_axis");
  FailureOr<int64_t> bitAxis = relay::detail::normalizeAxis(
      location, adaptor.getBitAxis(), data.getRank() + 1, "bit_axis");
  if (failed(width) || failed(packAxis) || failed(bitAxis) ||
      failed(checkBits(location, "bits", adaptor.getBits(),
                       data.getElementType())))
    return failure();
  SmallVector<int64_t> shape(data.getShape());
  int64_t &size = shape[*packAxis];
  if (!isDynamic(size)) {
    if (size % *width != 0)
      return emitOptionalError(location, "expects a size divisible by ", *width,
                               " along pack_axis, but got ", size);
    size /= *width;
  }
  shape.insert(shape.begin() + *bitAxis, adaptor.getBits());
  types.push_back(RankedTensorType::get(shape, *adaptor.getPackType()));
  return success();
}

static Type getWordType(MLIRContext *context, std::optional<Type> type) {
  return type ? *type : IntegerType::get(context, 32, IntegerType::Unsigned);
}

/// Checks that `size` elements fill words.
static LogicalResult checkWords(std::optional<Location> location, int64_t size,
                                int64_t width) {
  if (isDynamic(size) || size % width == 0)
    return success();
  return emitOptionalError(location,
                           "expects a number of elements to sum over that is a "
                           "multiple of ",
                           width, ", the bits of pack_dtype, but got ", size);
}

LogicalResult NNBitserialConv2dOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType dataType = getTensor(adaptor.getData().getType());
  RankedTensorType weight = getTensor(adaptor.getWeight().getType());
  StringRef layout = adaptor.getDataLayout();
  bool isNHWC = layout == "NHWC";
  if (failed(relay::detail::checkMode(location, "data_layout", layout,
                                      {"NCHW", "NHWC"})) ||
      failed(relay::detail::checkMode(location, "kernel_layout",
                                      adaptor.getKernelLayout(),
                                      {isNHWC ? "HWIO" : "OIHW"})) ||
      failed(checkRank(location, "data", dataType, 4)) ||
      failed(checkBits(location, "activation_bits", adaptor.getActivationBits(),
                       dataType.getElementType())))
    return failure();
  if (!adaptor.getChannels())
    return emitOptionalError(location, "expects channels, but got none");
  Type word = getWordType(context, adaptor.getPackDtype());
  FailureOr<int64_t> width = getWordSize(location, "pack_dtype", word);
  auto data =
      mapShape(location, "data_layout", dataType.getShape(), layout, "NCHW");
  if (failed(width) || failed(data) ||
      failed(checkWords(location, (*data)[1], *width)))
    return failure();
  ArrayRef<int64_t> kernel = adaptor.getKernelSize();
  FailureOr<SmallVector<int64_t>> shape =
      getConvShape(location, *data,
                   {adaptor.getStrides(),
                    adaptor.getPadding(),
                    {1, 1},
                    kernel,
                    *adaptor.getChannels()});
  if (failed(shape))
    return failure();

  int64_t in = (*data)[1], bits = adaptor.getWeightBits();
  bool isPacked = weight.getRank() == 5;
  if (isPacked && !isDynamic(in))
    in /= *width;
  SmallVector<int64_t> expected = {*adaptor.getChannels(), in, kernel[0],
                                   kernel[1]};
  if (isNHWC)
    expected = {kernel[0], kernel[1], in, *adaptor.getChannels()};
  if (isPacked)
    expected.push_back(bits);
  else if (failed(checkBits(location, "weight_bits", bits,
                            weight.getElementType())))
    return failure();
  if (isPacked &&
      failed(checkElement(location, "a packed weight", weight, word)))
    return failure();
  if (weight.getRank() != static_cast<int64_t>(expected.size()) ||
      !llvm::all_of(llvm::zip_equal(expected, weight.getShape()),
                    [](auto pair) {
                      return mayEqual(std::get<0>(pair), std::get<1>(pair));
                    }))
    return emitOptionalError(location, "expects a weight of shape ",
                             relay::detail::formatShape(expected), ", but got ",
                             weight);
  auto result = mapShape(location, "data_layout", *shape, "NCHW", layout);
  if (failed(result))
    return failure();
  types.push_back(RankedTensorType::get(
      *result, adaptor.getOutDtype().value_or(dataType.getElementType())));
  return success();
}

LogicalResult NNBitserialDenseOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
    SmallVectorImpl<Type> &types) {
  RankedTensorType data = getTensor(adaptor.getData().getType());
  RankedTensorType weight = getTensor(adaptor.getWeight().getType());
  Type word = getWordType(context, adaptor.getPackDtype());
  FailureOr<int64_t> width = getWordSize(location, "pack_dtype", word);
  if (failed(width) || failed(checkRank(location, "data", data, 2)) ||
      failed(checkBits(location, "data_bits", adaptor.getDataBits(),
                       data.getElementType())) ||
      failed(checkWords(location, data.getDimSize(1), *width)))
    return failure();
  int64_t k = data.getDimSize(1);
  if (weight.getRank() == 3) {
    if (failed(checkElement(location, "a packed weight", weight, word)) ||
        failed(
            checkSize(location, "weight", weight, 1, adaptor.getWeightBits())))
      return failure();
    if (!isDynamic(k))
      k /= *width;
  } else if (failed(checkRank(location, "weight", weight, 2)) ||
             failed(checkBits(location, "weight_bits", adaptor.getWeightBits(),
                              weight.getElementType()))) {
    return failure();
  }
  if (failed(checkSize(location, "weight", weight, weight.getRank() - 1, k)))
    return failure();
  int64_t units = weight.getDimSize(0);
  if (adaptor.getUnits() && !mayEqual(units, *adaptor.getUnits()))
    return emitOptionalError(location, "expects units ", units,
                             " as of weight, but got ", *adaptor.getUnits());
  types.push_back(RankedTensorType::get(
      {data.getDimSize(0), adaptor.getUnits().value_or(units)},
      adaptor.getOutDtype().value_or(data.getElementType())));
  return success();
}

void RelayDialect::registerNNContribOps() {
  addOperations<
#define GET_OP_LIST
#include "relay-mlir/Dialect/Relay/IR/RelayNNContribOps.cpp.inc"
      >();
}

#define GET_OP_CLASSES
#include "relay-mlir/Dialect/Relay/IR/RelayNNContribOps.cpp.inc"
