//===- Spectral.cpp - Products, einsum and Fourier transforms -------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cumulative.h"
#include "Evaluators.h"
#include "Strided.h"

#include "relay-mlir/Dialect/Relay/IR/Notation.h"
#include "relay-mlir/Dialect/Relay/IR/RelayTransformOps.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <complex>
#include <map>

using namespace mlir;
using namespace mlir::relay;

static FailureOr<Tensor> evaluateCumprod(CumprodOp op,
                                         ArrayRef<Tensor> operands) {
  return evaluateCumulative(op, operands, 1,
                            [](auto a, auto b) { return a * b; });
}

static FailureOr<Tensor>
evaluateFixedPointMultiplyPerAxis(FixedPointMultiplyPerAxisOp op,
                                  ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  // Brings a parameter, whose dimension i is `axes[i]`, to those of data.
  ArrayRef<int64_t> axes = op.getAxes().value_or(ArrayRef<int64_t>());
  SmallVector<std::pair<int64_t, int64_t>> order; // (axis, dimension)
  for (auto [i, axis] : llvm::enumerate(axes))
    order.emplace_back(normalizeAxis(axis, data.getRank()), i);
  llvm::sort(order);
  SmallVector<int64_t> permutation, shape(data.getRank(), 1);
  for (auto [axis, dim] : order) {
    permutation.push_back(dim);
    shape[axis] = data.getDimSize(axis);
  }
  SmallVector<Tensor> aligned = {data};
  for (const Tensor &param : operands.drop_front()) {
    for (auto [axis, dim] : order)
      if (param.getDimSize(dim) != data.getDimSize(axis))
        return op.emitOpError("expects multipliers and shifts of dimensions [")
               << axes << "] of " << data.getType() << ", but got "
               << param.getType();
    aligned.push_back(transpose(param, permutation).reshape(shape));
  }
  bool shiftsLeft = op.getIsLshiftRequired();
  bool shiftsRight = op.getIsRshiftRequired();
  for (auto [shifts, isRequired] :
       {std::pair(aligned[2], shiftsLeft), std::pair(aligned[3], shiftsRight)})
    for (int64_t shift : shifts.loadAll<int64_t>())
      if (isRequired && (shift < 0 || shift > 31))
        return op.emitOpError("expects shifts in [0, 31], but got ") << shift;
  return mapElements<int64_t>(
      aligned, data.getShape(), data.getElementType(), [&](const int64_t *x) {
        int64_t left = shiftsLeft ? x[2] : 0;
        int64_t right = 31 + (shiftsRight ? x[3] : 0);
        __int128 product = static_cast<__int128>(x[0] * (int64_t(1) << left)) *
                           static_cast<__int128>(x[1]);
        __int128 half = static_cast<__int128>(1) << (right - 1);
        return static_cast<int64_t>((product + half) >> right);
      });
}

//===----------------------------------------------------------------------===//
// Einsum
//===----------------------------------------------------------------------===//

/// Walks over the result and, for each of its elements, over the labels that
/// are summed.
template <typename W>
static Tensor
contract(ArrayRef<Tensor> operands, ArrayRef<SmallVector<int64_t>> strides,
         ArrayRef<int64_t> shape, ArrayRef<int64_t> summed, Type elementType) {
  SmallVector<SmallVector<W>> elements;
  SmallVector<ArrayRef<int64_t>> outer, inner;
  for (auto [operand, stride] : llvm::zip_equal(operands, strides)) {
    elements.push_back(operand.template loadAll<W>());
    outer.push_back(ArrayRef(stride).take_front(shape.size()));
    inner.push_back(ArrayRef(stride).drop_front(shape.size()));
  }
  Tensor result = Tensor::allocate(shape, elementType);
  int64_t numSummed = getProduct(summed);
  auto contractRange = [&](int64_t begin, int64_t end) {
    StridedIterator at(shape, outer, begin);
    for (int64_t i = begin; i < end; ++i, at.advance()) {
      Wrapping<W> sum = 0;
      if (numSummed) {
        StridedIterator along(summed, inner);
        for (int64_t j = 0; j < numSummed; ++j, along.advance()) {
          Wrapping<W> product = 1;
          for (size_t k = 0; k < elements.size(); ++k)
            product *= static_cast<Wrapping<W>>(
                elements[k][at.getOffset(k) + along.getOffset(k)]);
          sum += product;
        }
      }
      W value = static_cast<W>(sum);
      result.store(i, 1, &value);
    }
  };
  if (result.getNumElements())
    forEachRange(result.getContext(), result.getNumElements(), numSummed * 4,
                 contractRange);
  return result;
}

static FailureOr<Tensor> evaluateEinsum(EinsumOp op,
                                        ArrayRef<Tensor> operands) {
  SmallVector<int64_t> ranks;
  for (const Tensor &operand : operands)
    ranks.push_back(operand.getRank());
  std::string error;
  FailureOr<EinsumEquation> equation =
      EinsumEquation::parse(op.getEquation(), ranks, error);
  if (failed(equation))
    return op.emitOpError(error);

  std::map<int, int64_t> sizes;
  for (auto [operand, labels] : llvm::zip_equal(operands, equation->operands))
    for (auto [label, size] : llvm::zip_equal(labels, operand.getShape())) {
      int64_t &common = sizes.try_emplace(label, size).first->second;
      if (common == 1)
        common = size;
      else if (size != 1 && size != common)
        return op.emitOpError("expects one size for each letter of equation, "
                              "but got ")
               << common << " and " << size;
    }
  SmallVector<int> labels = equation->result;
  SmallVector<int64_t> shape, summed;
  for (int label : labels)
    shape.push_back(sizes[label]);
  for (auto [label, size] : sizes)
    if (!llvm::is_contained(equation->result, label)) {
      labels.push_back(label);
      summed.push_back(size);
    }
  // A label twice in a term steps along the diagonal: strides add up.
  SmallVector<SmallVector<int64_t>> strides;
  for (auto [operand, own] : llvm::zip_equal(operands, equation->operands)) {
    SmallVector<int64_t> steps(labels.size(), 0);
    for (auto [label, size, step] : llvm::zip_equal(
             own, operand.getShape(), getStrides(operand.getShape())))
      if (size != 1)
        steps[llvm::find(labels, label) - labels.begin()] += step;
    strides.push_back(steps);
  }
  Type elementType = getResultElementType(op);
  return dispatchWideType(elementType, [&](auto wide) {
    return contract<decltype(wide)>(operands, strides, shape, summed,
                                    elementType);
  });
}

//===----------------------------------------------------------------------===//
// Fourier transforms
//===----------------------------------------------------------------------===//

/// The roots of unity exp(2 pi i sign k / size), exact at the quarters.
static std::vector<std::complex<double>> getRoots(int64_t size, int sign) {
  constexpr double tau = 6.283185307179586476925286766559;
  std::vector<std::complex<double>> roots;
  for (int64_t k = 0; k < size; ++k)
    roots.push_back(4 * k % size == 0
                        ? std::array<std::complex<double>,
                                     4>{{{1, 0},
                                         {0, double(sign)},
                                         {-1, 0},
                                         {0, -double(sign)}}}[4 * k / size]
                        : std::polar(1.0, sign * tau * static_cast<double>(k) /
                                              static_cast<double>(size)));
  return roots;
}

/// sum(values[i] * roots[i * frequency]).
static std::complex<double>
getCoefficient(ArrayRef<std::complex<double>> values, int64_t frequency,
               ArrayRef<std::complex<double>> roots) {
  std::complex<double> sum = 0;
  int64_t size = roots.size(), position = 0;
  for (std::complex<double> value : values) {
    sum += value * roots[position];
    position = (position + frequency) % size;
  }
  return sum;
}

static FailureOr<InterpreterValue> evaluateDft(DftOp op,
                                               ArrayRef<Tensor> operands) {
  const Tensor &re = operands[0], &im = operands[1];
  if (re.getShape() != im.getShape())
    return op.emitOpError("expects re_data and im_data of one type, but got ")
           << re.getType() << " and " << im.getType();
  int64_t size = re.getShape().back();
  Tensor reResult = Tensor::allocate(re.getType());
  Tensor imResult = Tensor::allocate(im.getType());
  auto roots = getRoots(size, op.getInverse() ? 1 : -1);
  double scale = op.getInverse() ? 1.0 / static_cast<double>(size) : 1.0;
  auto transformRange = [&](int64_t begin, int64_t end) {
    std::vector<double> a(size), b(size);
    std::vector<std::complex<double>> values(size);
    for (int64_t row = begin; row < end; ++row) {
      re.load(row * size, 1, size, a.data());
      im.load(row * size, 1, size, b.data());
      for (int64_t i = 0; i < size; ++i)
        values[i] = {a[i], b[i]};
      for (int64_t k = 0; k < size; ++k) {
        std::complex<double> value = getCoefficient(values, k, roots) * scale;
        a[k] = value.real();
        b[k] = value.imag();
      }
      reResult.store(row * size, size, a.data());
      imResult.store(row * size, size, b.data());
    }
  };
  if (re.getNumElements())
    forEachRange(op.getContext(), re.getNumElements() / size, size * size,
                 transformRange);
  return InterpreterValue(std::vector<InterpreterValue>{reResult, imResult});
}

static FailureOr<Tensor> evaluateStft(StftOp op, ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0], &window = operands[1];
  int64_t size = op.getNFft();
  int64_t hop = op.getHopLength() == -1 ? size / 4 : op.getHopLength();
  int64_t length = op.getWinLength() == -1 ? size : op.getWinLength();
  int64_t samples = data.getShape().back();
  if (samples < size)
    return op.emitOpError("expects ")
           << size << " samples or more, but got " << samples;
  if (window.getNumElements() != length)
    return op.emitOpError("expects a window of ")
           << length << " elements, but got " << window.getType();
  int64_t frequencies = op.getOnesided() ? size / 2 + 1 : size;
  int64_t frames = (samples - size) / hop + 1;
  SmallVector<int64_t> shape(data.getShape().drop_back());
  int64_t batch = getProduct(shape);
  shape.append({frequencies, frames, 2});
  Tensor result = Tensor::allocate(shape, data.getElementType());

  // A window that is shorter than a frame lies in its middle.
  std::vector<double> weights(size, 0.0);
  window.load(0, 1, length, weights.data() + (size - length) / 2);
  auto roots = getRoots(size, -1);
  double scale =
      op.getNormalized() ? 1.0 / std::sqrt(static_cast<double>(size)) : 1.0;
  std::vector<double> row(samples), part(size);
  std::vector<std::complex<double>> frame(size);
  for (int64_t b = 0; b < batch; ++b) {
    data.load(b * samples, 1, samples, row.data());
    for (int64_t t = 0; t < frames; ++t) {
      for (int64_t i = 0; i < size; ++i)
        frame[i] = row[t * hop + i] * weights[i];
      for (int64_t f = 0; f < frequencies; ++f) {
        std::complex<double> value = getCoefficient(frame, f, roots) * scale;
        double parts[] = {value.real(), value.imag()};
        result.store(((b * frequencies + f) * frames + t) * 2, 2, parts);
      }
    }
  }
  return result;
}

void relay::detail::populateSpectralEvaluators(EvaluatorTable &table) {
  table.add<CumprodOp>(evaluateCumprod);
  table.add<FixedPointMultiplyPerAxisOp>(evaluateFixedPointMultiplyPerAxis);
  table.add<EinsumOp>(evaluateEinsum);
  table.add<DftOp>(evaluateDft);
  table.add<StftOp>(evaluateStft);
}
