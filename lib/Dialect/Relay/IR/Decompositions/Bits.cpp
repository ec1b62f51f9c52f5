//===- Bits.cpp - Products of integers of few bits ------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As products of the integers that the bits stand for: machines that multiply
// bytes do that faster than they count bits. Sums wrap, so all is computed in
// the type of the result, if it is one of integers.
//
//===----------------------------------------------------------------------===//

#include "Decomposition.h"

#include "relay-mlir/Dialect/Relay/IR/RelayNNContribOps.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::decompositions;

namespace {

class BitProduct {
public:
  BitProduct(Decomposition &d, Type resultType) : d(d), resultType(resultType) {
    bool isWide = isa<IntegerType>(resultType) && !resultType.isInteger(1);
    type = isWide ? resultType : d.getI64Type();
  }

  /// The lowest `bits` bits of `x` as an unsigned integer.
  Term getLowBits(Value x, int64_t bits) {
    Term low = d.castTo(x, type);
    if (bits >= type.getIntOrFloatBitWidth())
      return low;
    return d.make<BitwiseAndOp>(low.get(), getMask(bits).get());
  }

  /// With `unipolar`, clear bits count -2^b.
  Term getWeight(Value x, int64_t bits, bool unipolar) {
    Term low = getLowBits(x, bits);
    return unipolar ? low + low - getMask(bits) : low;
  }

  /// The integers of which nn.bitpack has put the bits into words: along `axis`
  /// of the result, the `numBits` of a number along `bitAxis` of `packed`.
  Term unpack(Value packed, int64_t axis, int64_t bitAxis, int64_t numBits);

  /// The type of the operands of a product that gives `getSumType()`: floats
  /// are exact sums of exact products as far as they go.
  Term asFactor(Term x) {
    return isa<FloatType>(resultType) ? d.castTo(x, getSumType()) : x;
  }
  Type getSumType() const {
    if (!isa<FloatType>(resultType))
      return type;
    return resultType.isF64() ? resultType : Float32Type::get(d.getContext());
  }
  Term finish(Term sums) { return d.castTo(sums, resultType); }

private:
  Term getMask(int64_t bits) {
    APInt mask = APInt::getLowBitsSet(64, bits).zextOrTrunc(
        type.getIntOrFloatBitWidth());
    return d.make<ConstantOp>(DenseElementsAttr::get(
        RankedTensorType::get({}, type), IntegerAttr::get(type, mask)));
  }
  /// begin, begin + step, ... as a vector along a dimension `trailing` before
  /// the last.
  Term getRange(int64_t begin, int64_t step, int64_t count, Type elementType,
                int64_t trailing) {
    SmallVector<int64_t> numbers;
    for (int64_t i = 0; i < count; ++i)
      numbers.push_back(begin + i * step);
    Term range = d.castTo(d.integers(numbers), elementType);
    if (trailing == 0)
      return range;
    return d.make<ExpandDimsOp>(range.get(), int64_t(1), trailing);
  }

  Decomposition &d;
  Type resultType, type;
};

} // namespace

Term BitProduct::unpack(Value packed, int64_t axis, int64_t bitAxis,
                        int64_t numBits) {
  Term words = d.make<ExpandDimsOp>(packed, axis + 1, int64_t(1));
  bitAxis += axis < bitAxis ? 1 : 0;
  Type word = words.getElementType();
  int64_t width = word.getIntOrFloatBitWidth(), rank = words.getRank();
  // The first element is in the highest bit.
  Term shifts = getRange(width - 1, -1, width, word, rank - axis - 2);
  Term bits = d.make<BitwiseAndOp>(
      d.make<RightShiftOp>(words.get(), shifts.get()).get(),
      d.number(1, words).get());
  Term places = getRange(0, 1, numBits, type, rank - bitAxis - 1);
  Term numbers = d.sum(
      d.make<LeftShiftOp>(d.castTo(bits, type).get(), places.get()), {bitAxis});
  if (bitAxis < axis)
    --axis;
  SmallVector<int64_t> codes(rank - 2, 0);
  codes[axis] = -3;
  return d.reshape(numbers, codes);
}

// Found by DecompositionModel.
namespace mlir::relay::decompositions {

static Term write(NNBitserialConv2dOp op, Decomposition &d) {
  BitProduct product(d, op.getType().getElementType());
  bool isNHWC = op.getDataLayout() == "NHWC";
  Term weight = d.term(op.getWeight());
  if (weight.getRank() == 5)
    weight = product.unpack(weight, isNHWC ? 2 : 1, /*bitAxis=*/4,
                            op.getWeightBits());
  weight = product.getWeight(weight, op.getWeightBits(), op.getUnipolar());
  Term data = product.getLowBits(op.getData(), op.getActivationBits());
  return product.finish(d.make<NNConv2dOp>(
      product.asFactor(data).get(), product.asFactor(weight).get(),
      op.getStrides(), op.getPadding(), ArrayRef<int64_t>{1, 1}, int64_t(1),
      op.getChannelsAttr(), op.getKernelSizeAttr(), op.getDataLayout(),
      op.getKernelLayout(), "", TypeAttr::get(product.getSumType())));
}

static Term write(NNBitserialDenseOp op, Decomposition &d) {
  BitProduct product(d, op.getType().getElementType());
  Term weight = d.term(op.getWeight());
  if (weight.getRank() == 3)
    weight =
        product.unpack(weight, /*axis=*/2, /*bitAxis=*/1, op.getWeightBits());
  weight = product.getWeight(weight, op.getWeightBits(), op.getUnipolar());
  Term data = product.getLowBits(op.getData(), op.getDataBits());
  return product.finish(d.make<NNDenseOp>(
      product.asFactor(data).get(), product.asFactor(weight).get(),
      op.getUnitsAttr(), TypeAttr::get(product.getSumType())));
}

} // namespace mlir::relay::decompositions

void decompositions::registerBits(MLIRContext *context) {
  attach<NNBitserialConv2dOp, NNBitserialDenseOp>(context);
}
