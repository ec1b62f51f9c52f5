//===- Spectra.cpp - Fourier transforms in other operators ----------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A transform of few points is a product with a matrix. One of N = R * Q points
// is R-point transforms, a turn of each number, and Q-point transforms: N * (R
// + Q) products instead of N * N. Complex numbers have a dimension for their
// real and imaginary part, (rows, parts, points), so that a product of complex
// numbers is one contraction.
//
//===----------------------------------------------------------------------===//

#include "Decomposition.h"

#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

#include <cmath>
#include <complex>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::decompositions;

/// So many points are transformed by one matrix: its work, and that of two
/// smaller ones with passes between, are about the same there.
static constexpr int64_t kMaxPlainPoints = 64;
/// The points of a matrix that is a constant.
static constexpr int64_t kMaxTablePoints = 512;

namespace {

class Fourier {
public:
  Fourier(Decomposition &decomposition, Type elementType, bool inverse)
      : d(decomposition), elementType(elementType), sign(inverse ? 1 : -1) {}

  /// The first `frequencies` numbers of the transforms of the rows of `x`,
  /// which has one part if it is real.
  Term transform(Term x, int64_t frequencies);
  /// Those of rows of an open size, or of one that has no small divisors.
  Term transformOpen(Term x);

  Term table(ArrayRef<double> values, ArrayRef<int64_t> shape) const;

private:
  Term transformPlain(Term x, int64_t frequencies, StringRef equation);
  /// Multiplies number (k, n) of (rows, k, parts, n) by exp(2 pi i sign k n /
  /// `points`).
  Term turn(Term x, int64_t points);
  std::complex<double> getRoot(int64_t turns, int64_t points) const;

  Decomposition &d;
  Type elementType;
  int sign;
};

} // namespace

/// exp(2 pi i sign turns / points), exact at the quarters.
std::complex<double> Fourier::getRoot(int64_t turns, int64_t points) const {
  turns %= points;
  if (4 * turns % points == 0) {
    static constexpr double kSines[] = {0, 1, 0, -1};
    int64_t quarter = 4 * turns / points;
    return {kSines[(quarter + 1) % 4], sign * kSines[quarter]};
  }
  return std::polar(1.0, sign * 2 * M_PI * static_cast<double>(turns) /
                             static_cast<double>(points));
}

Term Fourier::table(ArrayRef<double> values, ArrayRef<int64_t> shape) const {
  auto type = RankedTensorType::get(shape, elementType);
  if (elementType.isF64())
    return d.make<ConstantOp>(DenseElementsAttr::get(type, values));
  SmallVector<float> narrow(values.begin(), values.end());
  return d.make<ConstantOp>(DenseElementsAttr::get(type, ArrayRef(narrow)));
}

Term Fourier::transformPlain(Term x, int64_t frequencies, StringRef equation) {
  int64_t parts = x.getSize(1), points = x.getSize(2);
  // (parts, points, 2, frequencies)
  SmallVector<double> values;
  for (int64_t part = 0; part < parts; ++part)
    for (int64_t n = 0; n < points; ++n)
      for (bool isImaginary : {false, true})
        for (int64_t k = 0; k < frequencies; ++k) {
          std::complex<double> root = getRoot(n * k, points);
          if (part == 1)
            root *= std::complex<double>(0, 1);
          values.push_back(isImaginary ? root.imag() : root.real());
        }
  Term matrix = table(values, {parts, points, 2, frequencies});
  return d.make<EinsumOp>(ValueRange{x, matrix}, equation);
}

Term Fourier::turn(Term x, int64_t points) {
  int64_t rows = x.getSize(1), columns = x.getSize(3);
  SmallVector<double> cosines, sines;
  for (int64_t k = 0; k < rows; ++k) {
    for (int64_t n = 0; n < columns; ++n)
      cosines.push_back(getRoot(k * n, points).real());
    for (int factor : {-1, 1})
      for (int64_t n = 0; n < columns; ++n)
        sines.push_back(factor * getRoot(k * n, points).imag());
  }
  // The real part takes its sines from the imaginary one, and this from it.
  Term swapped = d.make<ReverseOp>(x.get(), int64_t(2));
  return x * table(cosines, {rows, 1, columns}) +
         swapped * table(sines, {rows, 2, columns});
}

Term Fourier::transform(Term x, int64_t frequencies) {
  int64_t parts = x.getSize(1), points = x.getSize(2);
  // The divisor that is closest to the root makes the least work.
  int64_t radix = 1;
  for (int64_t i = 2; i <= kMaxPlainPoints; ++i)
    if (points % i == 0 && i + points / i < radix + points / radix)
      radix = i;
  if (points <= kMaxPlainPoints || (radix == 1 && points <= kMaxTablePoints))
    return transformPlain(x, frequencies, "mcn,cndk->mdk");
  if (radix == 1)
    return d.slice(transformOpen(x), 2, 0, frequencies);
  // x[n1 * rest + n2] for result[k1 + radix * k2].
  int64_t rest = points / radix;
  x = d.reshape(x, {-1, parts, radix, rest});
  x = turn(transformPlain(x, radix, "mcnr,cndk->mkdr"), points);
  x = transform(d.reshape(x, {-1, 2, rest}), rest);
  x = d.reshape(x, {-1, radix, 2, rest});
  x = d.reshape(d.transpose(x, {0, 2, 3, 1}), {-1, 2, points});
  return d.slice(x, 2, 0, frequencies);
}

Term Fourier::transformOpen(Term x) {
  Type indexType = d.getI64Type();
  auto index = [&](int64_t value) { return d.number(value, indexType); };
  Term shape = d.shapeOf(x);
  Term points = d.reshape(d.slice(shape, 0, 2, 3), {});
  Term column =
      d.make<ArangeOp>(index(0).get(), points.get(), index(1).get(), indexType);
  Term row = d.make<ExpandDimsOp>(column.get(), int64_t(1), int64_t(1));
  // Whole turns are taken away from products that floats could not hold.
  Term turns = d.make<FloorModOp>((row * column).get(), points.get());
  Term angles = d.castTo(turns, elementType) * (sign * 2 * M_PI) /
                d.castTo(points, elementType);
  Term cosine = d.make<CosOp>(angles.get()), sine = d.make<SinOp>(angles.get());
  auto multiply = [&](int64_t part, Term matrix) {
    return d.make<EinsumOp>(ValueRange{d.slice(x, 1, part, part + 1), matrix},
                            "mcn,nk->mck");
  };
  Term real = multiply(0, cosine), imaginary = multiply(0, sine);
  if (x.getSize(1) == 2) {
    real = real - multiply(1, sine);
    imaginary = imaginary + multiply(1, cosine);
  }
  return d.make<ConcatenateOp>(ValueRange{real, imaginary}, int64_t(1));
}

// Found by DecompositionModel.
namespace mlir::relay::decompositions {

static Value write(DftOp op, Decomposition &d) {
  // A size that the type of one part does not know may be in that of the other.
  RankedTensorType type = op.getReData().getType();
  SmallVector<int64_t> shape(type.getShape());
  for (auto [size, other] :
       llvm::zip_equal(shape, op.getImData().getType().getShape()))
    if (ShapedType::isDynamic(size))
      size = other;
  type = type.clone(shape);
  Value re = d.ascribe(op.getReData(), type),
        im = d.ascribe(op.getImData(), type);
  Type elementType = type.getElementType(), wide = d.getWideType(elementType);
  int64_t points = type.getShape().back();
  bool isOpen = ShapedType::isDynamic(points);
  if (points == 0)
    return d.make<TupleOp>(ValueRange{re, im}).get();
  Fourier fourier(d, wide, op.getInverse());
  auto getPart = [&](Value part) {
    Term x = d.castTo(part, wide);
    if (type.getRank() == 1)
      return d.make<ExpandDimsOp>(x.get(), int64_t(0), int64_t(2));
    // The other dimensions become one.
    for (int64_t rank = type.getRank(); rank > 2; --rank) {
      SmallVector<int64_t> codes(rank - 1, 0);
      codes.front() = -3;
      x = d.reshape(x, codes);
    }
    return d.make<ExpandDimsOp>(x.get(), int64_t(1), int64_t(1));
  };
  Term x =
      d.make<ConcatenateOp>(ValueRange{getPart(re), getPart(im)}, int64_t(1));
  Term y = isOpen ? fourier.transformOpen(x) : fourier.transform(x, points);
  if (op.getInverse())
    y = y / d.sizeOf(x, 2, wide);
  SmallVector<Value> fields;
  for (int64_t part : {0, 1})
    fields.push_back(d.castTo(d.reshapeLike(d.slice(y, 1, part, part + 1), re),
                              elementType));
  return d.make<TupleOp>(fields).get();
}

/// Transforms of windows.
static Term write(StftOp op, Decomposition &d) {
  Type elementType = op.getData().getType().getElementType();
  Type wide = d.getWideType(elementType);
  int64_t size = op.getNFft();
  int64_t hop = op.getHopLength() == -1 ? size / 4 : op.getHopLength();
  int64_t length = op.getWinLength() == -1 ? size : op.getWinLength();
  int64_t frequencies = op.getOnesided() ? size / 2 + 1 : size;
  // The frames must not be repeated by a window whose size is not known.
  Term window = d.castTo(
      d.ascribe(op.getWindow(), op.getWindow().getType().clone({length})),
      wide);
  if (op.getNormalized())
    window = window * (1 / std::sqrt(static_cast<double>(size)));
  // A window that is shorter than a frame lies in its middle.
  int64_t before = (size - length) / 2;
  if (length != size)
    window = d.make<NNPadOp>(window.get(), d.number(0, window).get(),
                             ArrayRef<int64_t>{before, size - length - before},
                             "constant");
  Term frames =
      d.make<SlidingWindowOp>(d.castTo(op.getData(), wide).get(), int64_t(-1),
                              ArrayRef(size), ArrayRef(hop));
  int64_t rank = frames.getRank();
  Term rows = d.reshape(frames * window, rank == 3 ? ArrayRef<int64_t>{-3, 0}
                                                   : ArrayRef<int64_t>{0, 0});
  rows = d.make<ExpandDimsOp>(rows.get(), int64_t(1), int64_t(1));
  Fourier fourier(d, wide, /*inverse=*/false);
  Term y = fourier.transform(rows, frequencies);
  // (frames, 2, frequencies), with the batch before.
  y = d.make<ReshapeLikeOp>(y.get(), frames.get(), int64_t(0),
                            d.getI64IntegerAttr(1), int64_t(0),
                            d.getI64IntegerAttr(rank - 1));
  SmallVector<int64_t> order = {2, 0, 1};
  if (rank == 3)
    order = {0, 3, 1, 2};
  return d.castTo(d.transpose(y, order), elementType);
}

} // namespace mlir::relay::decompositions

void decompositions::registerSpectra(MLIRContext *context) {
  attach<DftOp, StftOp>(context);
}
