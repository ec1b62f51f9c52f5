//===- Ethosu.cpp - Operators of the Ethos-U processor --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Feature maps are brought to NHWC and computed on as numbers of 64 bits or
// more, in the real numbers that they stand for; each result is rounded once.
//
//===----------------------------------------------------------------------===//

#include "Evaluators.h"
#include "Quantized.h"
#include "Strided.h"

#include "relay-mlir/Dialect/Relay/IR/RelayEthosuOps.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;

/// Holds products of two int32 exactly, where the machine has such a type.
using Real = long double;

//===----------------------------------------------------------------------===//
// Feature maps
//===----------------------------------------------------------------------===//

/// Brings a map with `channels` to NHWC; bricks may hold more of them.
static FailureOr<Tensor> toNHWC(Operation *op, const Tensor &map,
                                StringRef layout, int64_t channels) {
  bool isBrick = layout == "NHCWB16";
  ArrayRef<int64_t> shape = map.getShape();
  int64_t held = isBrick ? shape[2] * shape[4] : shape[3];
  if (held != (isBrick ? (channels + 15) / 16 * 16 : channels))
    return op->emitOpError("expects a map of ")
           << channels << " channels, but got " << map.getType();
  if (!isBrick)
    return map;
  Tensor merged = transpose(map, {0, 1, 3, 2, 4})
                      .reshape({shape[0], shape[1], shape[3], held});
  return copyStrided(merged, {shape[0], shape[1], shape[3], channels},
                     getStrides(merged.getShape()));
}

/// Brings NHWC to NHCWB16; what bricks hold beyond the channels is 0.
static Tensor fromNHWC(const Tensor &map, StringRef layout) {
  if (layout == "NHWC")
    return map;
  ArrayRef<int64_t> shape = map.getShape();
  int64_t bricks = (shape[3] + 15) / 16;
  Tensor zero = Tensor::allocateZeros({}, map.getElementType());
  Tensor padded = gatherDimensions(
      map, {shape[0], shape[1], shape[2], bricks * 16},
      [&](int64_t dim, int64_t i) { return i < shape[dim] ? i : -1; }, &zero);
  return transpose(padded.reshape({shape[0], shape[1], shape[2], bricks, 16}),
                   {0, 1, 3, 2, 4});
}

/// Doubles height and width.
static Tensor upscale(const Tensor &map, StringRef mode, int64_t zeroPoint) {
  if (mode == "NONE")
    return map;
  ArrayRef<int64_t> shape = map.getShape();
  Tensor zero = Tensor::getScalar(map.getElementType(), zeroPoint);
  return gatherDimensions(
      map, {shape[0], 2 * shape[1], 2 * shape[2], shape[3]},
      [&](int64_t dim, int64_t i) {
        if (dim == 0 || dim == 3)
          return i;
        return mode == "NEAREST" || i % 2 == 0 ? i / 2 : -1;
      },
      &zero);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

static Real roundTo(Real value, StringRef mode) {
  if (mode == "TRUNCATE")
    return std::trunc(value);
  if (mode == "NATURAL")
    return std::floor(value + static_cast<Real>(0.5));
  return std::round(value);
}

namespace {

/// Rounds, clips and looks up, as the attributes of an operator say.
class Finisher {
public:
  template <typename OpT>
  static FailureOr<Finisher> get(OpT op, const Tensor &lut) {
    Finisher result(getResultElementType(op), op.getRoundingMode());
    if constexpr (!std::is_same_v<OpT, ContribEthosuIdentityOp>)
      if (op.getActivation() == "CLIP") {
        result.low = std::max(result.low, op.getClipMin());
        result.high = std::min(result.high, op.getClipMax());
        if (result.low > result.high)
          return op.emitOpError("expects clip_min not above clip_max, but got ")
                 << op.getClipMin() << " and " << op.getClipMax();
      }
    if (op.getActivation() == "NONE" || op.getActivation() == "CLIP")
      return result;
    // Entries for all values of 8 bits.
    if (result.type.getIntOrFloatBitWidth() != 8 || lut.getNumElements() != 256)
      return op.emitOpError("expects a result of 8 bits and a lut of 256 "
                            "values for activation ")
             << op.getActivation() << ", but got " << result.type << " and "
             << lut.getType();
    result.table = lut.loadAll<int64_t>();
    return result;
  }

  int64_t operator()(Real value) const {
    Real rounded = roundTo(value, rounding);
    auto clipped = static_cast<int64_t>(std::fmin(
        std::fmax(rounded, static_cast<Real>(low)), static_cast<Real>(high)));
    if (table.empty())
      return clipped;
    return table[clipped - getIntegerRange(type).first];
  }

private:
  Finisher(Type type, StringRef rounding) : type(type), rounding(rounding) {
    std::tie(low, high) = getIntegerRange(type);
  }

  Type type;
  StringRef rounding;
  int64_t low = 0, high = 0;
  SmallVector<int64_t> table;
};

/// The window of one output position along height and width.
struct Window {
  int64_t y, x, height, width;
  ArrayRef<int64_t> strides, padding, dilation, kernel;

  /// Calls `fn(ky, kx, iy, ix)` for the positions inside of the data.
  template <typename Fn>
  void forEach(Fn fn) const {
    for (int64_t ky = 0; ky < kernel[0]; ++ky)
      for (int64_t kx = 0; kx < kernel[1]; ++kx) {
        int64_t iy = y * strides[0] + ky * dilation[0] - padding[0];
        int64_t ix = x * strides[1] + kx * dilation[1] - padding[1];
        if (iy >= 0 && iy < height && ix >= 0 && ix < width)
          fn(ky, kx, iy, ix);
      }
  }
};

} // namespace

/// Computes an NHWC tensor, `fn(n, y, x, c)`, and brings it to the layout.
static Tensor
makeMap(ArrayRef<int64_t> shape, Type elementType, StringRef layout,
        function_ref<int64_t(int64_t, int64_t, int64_t, int64_t)> fn) {
  SmallVector<int64_t> values;
  for (int64_t n = 0; n < shape[0]; ++n)
    for (int64_t y = 0; y < shape[1]; ++y)
      for (int64_t x = 0; x < shape[2]; ++x)
        for (int64_t c = 0; c < shape[3]; ++c)
          values.push_back(fn(n, y, x, c));
  Tensor result = Tensor::allocate(shape, elementType);
  result.store<int64_t>(0, values.size(), values.data());
  return fromNHWC(result, layout);
}

static int64_t countWindows(int64_t size, int64_t before, int64_t after,
                            int64_t kernel, int64_t dilation, int64_t stride) {
  int64_t room = size + before + after - ((kernel - 1) * dilation + 1);
  return room < 0 ? 0 : room / stride + 1;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// One row of scale_bias: how the sum of a channel becomes its result.
static Real applyScaleBias(Real sum, ArrayRef<uint8_t> row) {
  uint64_t bias = 0, scale = 0;
  for (int i = 4; i >= 0; --i)
    bias = bias << 8 | row[i];
  for (int i = 8; i >= 5; --i)
    scale = scale << 8 | row[i];
  // Forty bits with a sign.
  auto offset = static_cast<int64_t>(bias << 24) >> 24;
  return std::ldexp((sum + offset) * static_cast<Real>(scale),
                    -static_cast<int>(row[9] & 0x3f));
}

template <typename OpT>
static FailureOr<Tensor> evaluateConvolution(OpT op,
                                             ArrayRef<Tensor> operands) {
  constexpr bool isDepthwise =
      std::is_same_v<OpT, ContribEthosuDepthwiseConv2dOp>;
  FailureOr<Finisher> finish = Finisher::get(op, operands[3]);
  if (failed(finish))
    return failure();
  ArrayRef<int64_t> weightShape = operands[1].getShape();
  int64_t channels = weightShape[0], inner = weightShape[3];
  int64_t inChannels = isDepthwise ? channels : inner;
  int64_t zeroPoint = op.getIfmZeroPoint();
  FailureOr<Tensor> given =
      toNHWC(op, operands[0], op.getIfmLayout(), inChannels);
  if (failed(given))
    return failure();
  Tensor map = upscale(*given, op.getUpscale(), zeroPoint);
  SmallVector<int64_t> data = map.loadAll<int64_t>();
  SmallVector<int64_t> weight = operands[1].loadAll<int64_t>();
  ArrayRef<uint8_t> scaleBias = operands[2].getElements<uint8_t>();
  if (static_cast<int64_t>(scaleBias.size()) != channels * 10)
    return op.emitOpError("expects scale_bias of ")
           << channels << " rows, but got " << operands[2].getType();
  int64_t height = map.getDimSize(1), width = map.getDimSize(2);
  ArrayRef<int64_t> padding = op.getPadding(), strides = op.getStrides();
  ArrayRef<int64_t> dilation = op.getDilation();
  ArrayRef<int64_t> kernel = weightShape.slice(1, 2);
  SmallVector<int64_t> shape = {
      map.getDimSize(0),
      countWindows(height, padding[0], padding[2], kernel[0], dilation[0],
                   strides[0]),
      countWindows(width, padding[1], padding[3], kernel[1], dilation[1],
                   strides[1]),
      channels};
  return makeMap(
      shape, getResultElementType(op), op.getOfmLayout(),
      [&](int64_t n, int64_t y, int64_t x, int64_t o) {
        int64_t sum = 0;
        Window window = {y,       x,       height,   width,
                         strides, padding, dilation, kernel};
        window.forEach([&](int64_t ky, int64_t kx, int64_t iy, int64_t ix) {
          const int64_t *pixel =
              data.data() + ((n * height + iy) * width + ix) * inChannels;
          const int64_t *factors =
              weight.data() + ((o * kernel[0] + ky) * kernel[1] + kx) * inner;
          for (int64_t i = 0; i < inner; ++i)
            sum += (pixel[isDepthwise ? o : i] - zeroPoint) *
                   (factors[i] - static_cast<int64_t>(op.getWeightZeroPoint()));
        });
        return (*finish)(applyScaleBias(sum, scaleBias.slice(o * 10, 10)) +
                         op.getOfmZeroPoint());
      });
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> evaluatePooling(ContribEthosuPoolingOp op,
                                         ArrayRef<Tensor> operands) {
  FailureOr<Finisher> finish = Finisher::get(op, operands[1]);
  if (failed(finish))
    return failure();
  bool isSum = op.getPoolingType() == "SUM";
  bool isMax = op.getPoolingType() == "MAX";
  int64_t zeroPoint = op.getIfmZeroPoint();
  // A sum is over all channels, whose number the bricks do not tell; those that
  // are not used must hold the zero point.
  bool isBrick = op.getIfmLayout() == "NHCWB16";
  int64_t held = operands[0].getDimSize(isBrick ? 2 : 3) * (isBrick ? 16 : 1);
  int64_t inChannels = isSum ? held : op.getOfmChannels().value_or(held);
  FailureOr<Tensor> given =
      toNHWC(op, operands[0], op.getIfmLayout(), inChannels);
  if (failed(given))
    return failure();
  Tensor map = upscale(*given, op.getUpscale(), zeroPoint);
  SmallVector<int64_t> data = map.loadAll<int64_t>();
  int64_t height = map.getDimSize(1), width = map.getDimSize(2);
  ArrayRef<int64_t> padding = op.getPadding(), strides = op.getStrides();
  ArrayRef<int64_t> kernel = *op.getPoolShape();
  int64_t ones[] = {1, 1};
  SmallVector<int64_t> shape = {
      map.getDimSize(0),
      countWindows(height, padding[0], padding[2], kernel[0], 1, strides[0]),
      countWindows(width, padding[1], padding[3], kernel[1], 1, strides[1]),
      isSum ? 1 : inChannels};
  Real factor = static_cast<Real>(op.getIfmScale().convertToDouble()) /
                op.getOfmScale().convertToDouble();
  return makeMap(
      shape, getResultElementType(op), op.getOfmLayout(),
      [&](int64_t n, int64_t y, int64_t x, int64_t c) {
        Real sum = 0, largest = -INFINITY;
        int64_t count = 0;
        Window window = {y, x, height, width, strides, padding, ones, kernel};
        window.forEach([&](int64_t, int64_t, int64_t iy, int64_t ix) {
          const int64_t *pixel =
              data.data() + ((n * height + iy) * width + ix) * inChannels;
          for (int64_t i = isSum ? 0 : c; i < (isSum ? inChannels : c + 1);
               ++i) {
            Real value = pixel[i] - zeroPoint;
            sum += value;
            largest = std::fmax(largest, value);
            ++count;
          }
        });
        Real value = isMax ? largest : isSum || !count ? sum : sum / count;
        return (*finish)(value * factor + op.getOfmZeroPoint());
      });
}

//===----------------------------------------------------------------------===//
// Elementwise operators
//===----------------------------------------------------------------------===//

static FailureOr<Tensor> evaluateIdentity(ContribEthosuIdentityOp op,
                                          ArrayRef<Tensor> operands) {
  FailureOr<Finisher> finish = Finisher::get(op, operands[1]);
  if (failed(finish))
    return failure();
  Real factor = static_cast<Real>(op.getIfmScale().convertToDouble()) /
                op.getOfmScale().convertToDouble();
  return mapElements<int64_t>({operands[0]}, operands[0].getShape(),
                              getResultElementType(op), [&](const int64_t *x) {
                                return (*finish)((x[0] - op.getIfmZeroPoint()) *
                                                     factor +
                                                 op.getOfmZeroPoint());
                              });
}

static FailureOr<Tensor> evaluateUnary(ContribEthosuUnaryElementwiseOp op,
                                       ArrayRef<Tensor> operands) {
  FailureOr<Finisher> finish = Finisher::get(op, operands[1]);
  if (failed(finish))
    return failure();
  bool isClz = op.getOperatorType() == "CLZ";
  Real factor = static_cast<Real>(op.getIfmScale().convertToDouble()) /
                op.getOfmScale().convertToDouble();
  FailureOr<Tensor> map =
      toNHWC(op, operands[0], op.getIfmLayout(), op.getOfmChannels());
  if (failed(map))
    return failure();
  Tensor result = mapElements<int64_t>(
      {*map}, map->getShape(), getResultElementType(op), [&](const int64_t *x) {
        if (isClz)
          return (*finish)(llvm::countl_zero(static_cast<uint32_t>(x[0])));
        Real value = x[0] - op.getIfmZeroPoint();
        return (*finish)(std::fabs(value) * factor + op.getOfmZeroPoint());
      });
  return fromNHWC(result, op.getOfmLayout());
}

static FailureOr<Tensor> evaluateBinary(ContribEthosuBinaryElementwiseOp op,
                                        ArrayRef<Tensor> operands) {
  FailureOr<Finisher> finish = Finisher::get(op, operands[2]);
  if (failed(finish))
    return failure();
  StringRef kind = op.getOperatorType();
  FailureOr<Tensor> a =
      toNHWC(op, operands[0], op.getIfmLayout(), op.getIfmChannels());
  if (failed(a))
    return failure();
  FailureOr<Tensor> b =
      toNHWC(op, operands[1], op.getIfm2Layout(), op.getIfm2Channels());
  if (failed(b))
    return failure();
  std::optional<SmallVector<int64_t>> shape =
      broadcastShapes(a->getShape(), b->getShape());
  if (!shape || ArrayRef(*shape) != a->getShape())
    return op.emitOpError("expects sizes of ifm2 that are 1 or those of ifm, "
                          "but got ")
           << operands[1].getType() << " and " << operands[0].getType();
  bool isShift = kind == "SHR" || kind == "SHL";
  if (isShift)
    for (int64_t bits : (op.getReversedOperands() ? *a : *b).loadAll<int64_t>())
      if (bits < 0 || bits > 31)
        return op.emitOpError("expects shifts of 0 to 31 bits, but got ")
               << bits;
  Real ofmScale = op.getOfmScale().convertToDouble();
  Tensor result = mapElements<int64_t>(
      {*a, *b}, a->getShape(), getResultElementType(op), [&](const int64_t *x) {
        bool isRaw = isShift || op.getUseRescale();
        Real scales[] = {isRaw ? 1 : op.getIfmScale().convertToDouble(),
                         isRaw ? 1 : op.getIfm2Scale().convertToDouble()};
        Real l =
            (x[0] - static_cast<int64_t>(op.getIfmZeroPoint())) * scales[0];
        Real r =
            (x[1] - static_cast<int64_t>(op.getIfm2ZeroPoint())) * scales[1];
        if (op.getReversedOperands())
          std::swap(l, r);
        Real value = kind == "ADD"   ? l + r
                     : kind == "SUB" ? l - r
                     : kind == "MUL" ? l * r
                     : kind == "MIN" ? std::fmin(l, r)
                     : kind == "MAX" ? std::fmax(l, r)
                     : kind == "SHR" ? std::ldexp(l, -static_cast<int>(r))
                                     : std::ldexp(l, static_cast<int>(r));
        if (op.getUseRescale())
          value = std::ldexp(value * static_cast<int64_t>(op.getRescaleScale()),
                             -static_cast<int>(op.getRescaleShift()));
        else if (!isShift)
          value /= ofmScale;
        return (*finish)(value + op.getOfmZeroPoint());
      });
  return fromNHWC(result, op.getOfmLayout());
}

void relay::detail::populateEthosuEvaluators(EvaluatorTable &table) {
  table.add<ContribEthosuConv2dOp>(evaluateConvolution<ContribEthosuConv2dOp>);
  table.add<ContribEthosuDepthwiseConv2dOp>(
      evaluateConvolution<ContribEthosuDepthwiseConv2dOp>);
  table.add<ContribEthosuPoolingOp>(evaluatePooling);
  table.add<ContribEthosuIdentityOp>(evaluateIdentity);
  table.add<ContribEthosuUnaryElementwiseOp>(evaluateUnary);
  table.add<ContribEthosuBinaryElementwiseOp>(evaluateBinary);
}
