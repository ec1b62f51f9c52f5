//===- Reduce.cpp - Reductions and running sums ---------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction first moves the reduced axes to the end: each result element is
// then a function of one contiguous row.
//
//===----------------------------------------------------------------------===//

#include "Cumulative.h"
#include "Evaluators.h"
#include "Strided.h"

#include "relay-mlir/Dialect/Relay/IR/Relay.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;

namespace {

/// `data` as a matrix of one row per result element, and the result's shape.
struct Rows {
  Tensor matrix;
  SmallVector<int64_t> axes;
  SmallVector<int64_t> resultShape;
};

} // namespace

static Rows getRows(const Tensor &data,
                    std::optional<ArrayRef<int64_t>> axisAttr, bool keepdims,
                    bool exclude) {
  int64_t rank = data.getRank();
  llvm::SmallDenseSet<int64_t> listed;
  for (int64_t axis : axisAttr.value_or(ArrayRef<int64_t>()))
    listed.insert(normalizeAxis(axis, rank));
  bool all = listed.empty();

  Rows rows;
  int64_t rowSize = 1;
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool isReduced = all || listed.contains(dim) != exclude;
    if (isReduced) {
      rows.axes.push_back(dim);
      rowSize *= data.getDimSize(dim);
    }
    if (!isReduced || keepdims)
      rows.resultShape.push_back(isReduced ? 1 : data.getDimSize(dim));
  }
  Tensor moved = transpose(data, getAxesLastPermutation(rank, rows.axes));
  rows.matrix = moved.reshape({getProduct(rows.resultShape), rowSize});
  return rows;
}

/// Computes one value per row.
template <typename W>
static Tensor reduceRows(const Rows &rows, Type elementType,
                         function_ref<W(ArrayRef<W> row)> fn) {
  Tensor result = Tensor::allocate(rows.resultShape, elementType);
  int64_t columns = rows.matrix.getDimSize(1);
  auto reduceRange = [&](int64_t begin, int64_t end) {
    std::vector<W> row(columns);
    for (int64_t i = begin; i < end; ++i) {
      rows.matrix.load(i * columns, 1, columns, row.data());
      W value = fn(row);
      result.store(i, 1, &value);
    }
  };
  forEachRange(result.getContext(), result.getNumElements(), columns * 2,
               reduceRange);
  return result;
}

template <typename W>
static W sum(ArrayRef<W> row) {
  // Unsigned, where integers wrap without being undefined.
  using Accumulator =
      std::conditional_t<std::is_same_v<W, double>, double, uint64_t>;
  Accumulator total = 0;
  for (W value : row)
    total += static_cast<Accumulator>(value);
  return static_cast<W>(total);
}

template <typename W>
static W product(ArrayRef<W> row) {
  using Accumulator =
      std::conditional_t<std::is_same_v<W, double>, double, uint64_t>;
  Accumulator total = 1;
  for (W value : row)
    total *= static_cast<Accumulator>(value);
  return static_cast<W>(total);
}

/// Position of the best element; a NaN is better than any number.
template <typename W, typename Better>
static size_t findBest(ArrayRef<W> row, bool last, Better better) {
  size_t best = 0;
  for (size_t i = 1; i < row.size(); ++i) {
    bool bestIsNaN = row[best] != row[best];
    bool isBetter =
        bestIsNaN ? false : row[i] != row[i] || better(row[i], row[best]);
    bool isEqual = bestIsNaN ? row[i] != row[i] : row[i] == row[best];
    if (isBetter || (last && isEqual))
      best = i;
  }
  return best;
}

/// Reduces each row by `fn(row)`, called with rows of the wide type.
template <typename OpT, typename Fn>
static Tensor reduce(OpT op, const Tensor &data, Fn fn) {
  Rows rows = getRows(data, op.getAxis(), op.getKeepdims(), op.getExclude());
  return dispatchWideType(data.getElementType(), [&](auto wide) {
    using W = decltype(wide);
    return reduceRows<W>(rows, getResultElementType(op), [&](ArrayRef<W> row) {
      return static_cast<W>(fn(row));
    });
  });
}

template <typename OpT, typename Fn>
static void addReduction(EvaluatorTable &table, Fn fn) {
  table.add<OpT>([fn](OpT op, ArrayRef<Tensor> operands) -> FailureOr<Tensor> {
    return reduce(op, operands[0], fn);
  });
}

/// The end of the range of `elementType`, infinite for floats.
static Tensor getLimit(Type elementType, bool isLowest) {
  Tensor limit = Tensor::allocate({}, elementType);
  dispatchElementType(elementType, [&](auto element) {
    using T = decltype(element);
    double infinity = std::numeric_limits<double>::infinity();
    T &value = limit.getMutableElements<T>().front();
    if constexpr (isFloatElement<T>)
      value = narrow<T>(isLowest ? -infinity : infinity);
    else if constexpr (isSmallInteger<T>)
      value = T::get(static_cast<uint64_t>(isLowest ? T::min : T::max));
    else
      value = isLowest ? std::numeric_limits<T>::min()
                       : std::numeric_limits<T>::max();
  });
  return limit;
}

/// A maximum or minimum; of no elements it is the other end of the range.
template <typename OpT, typename Better>
static void addExtreme(EvaluatorTable &table, bool isMax, Better better) {
  table.add<OpT>([=](OpT op, ArrayRef<Tensor> operands) -> FailureOr<Tensor> {
    Tensor limit = getLimit(operands[0].getElementType(), isMax);
    return reduce(op, operands[0], [&](auto row) {
      std::decay_t<decltype(row[0])> value;
      limit.load(0, 1, 1, &value);
      return row.empty() ? value : row[findBest(row, false, better)];
    });
  });
}

/// The position of a maximum or minimum, which must exist.
template <typename OpT, typename Better>
static void addPosition(EvaluatorTable &table, Better better) {
  table.add<OpT>([=](OpT op, ArrayRef<Tensor> operands) -> FailureOr<Tensor> {
    const Tensor &data = operands[0];
    Rows rows = getRows(data, op.getAxis(), op.getKeepdims(), op.getExclude());
    if (rows.matrix.getDimSize(1) == 0 && rows.matrix.getDimSize(0) != 0)
      return op.emitOpError("expects elements to reduce, but got ")
             << data.getType();
    return reduce(op, data, [&](auto row) {
      return findBest(row, op.getSelectLastIndex(), better);
    });
  });
}

static FailureOr<Tensor> evaluateVariance(VarianceOp op,
                                          ArrayRef<Tensor> operands) {
  const Tensor &data = operands[0];
  auto shape = broadcastShapes(data.getShape(), operands[1].getShape());
  if (!shape || ArrayRef<int64_t>(*shape) != data.getShape())
    return op.emitOpError("expects a mean that broadcasts to ")
           << data.getType() << ", but got " << operands[1].getType();
  // In double up to the end, so that the result is rounded once.
  Tensor squares = mapElements<double>(
      operands, data.getShape(), Float64Type::get(op.getContext()),
      [](const double *x) { return (x[0] - x[1]) * (x[0] - x[1]); });
  Rows rows = getRows(squares, op.getAxis(), op.getKeepdims(), op.getExclude());
  int64_t size = rows.matrix.getDimSize(1);
  double count = op.getUnbiased() ? size - 1 : std::max<int64_t>(size, 1);
  return reduceRows<double>(
      rows, data.getElementType(),
      [&](ArrayRef<double> row) { return sum(row) / count; });
}

static FailureOr<Tensor> evaluateCumsum(CumsumOp op,
                                        ArrayRef<Tensor> operands) {
  return evaluateCumulative(op, operands, 0,
                            [](auto a, auto b) { return a + b; });
}

void relay::detail::populateReduceEvaluators(EvaluatorTable &table) {
  auto isGreater = [](auto a, auto b) { return a > b; };
  auto isLess = [](auto a, auto b) { return a < b; };
  addReduction<SumOp>(table, [](auto row) { return sum(row); });
  addReduction<ProdOp>(table, [](auto row) { return product(row); });
  addReduction<MeanOp>(table, [](auto row) {
    // Of integers: truncated. Of no elements: 0.
    using W = std::decay_t<decltype(row[0])>;
    return row.empty() ? W(0) : sum(row) / static_cast<W>(row.size());
  });
  addReduction<AllOp>(table, [](auto row) {
    return llvm::all_of(row, [](auto x) { return x != 0; });
  });
  addReduction<AnyOp>(table, [](auto row) {
    return llvm::any_of(row, [](auto x) { return x != 0; });
  });
  addExtreme<MaxOp>(table, /*isMax=*/true, isGreater);
  addExtreme<MinOp>(table, /*isMax=*/false, isLess);
  addPosition<ArgmaxOp>(table, isGreater);
  addPosition<ArgminOp>(table, isLess);
  table.add<VarianceOp>(evaluateVariance);
  table.add<CumsumOp>(evaluateCumsum);
}
