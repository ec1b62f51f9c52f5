//===- ShapeEvaluator.cpp - Compute shapes at import ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeEvaluator.h"

#include "TensorLoader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay::onnx;

namespace {

using Result = std::optional<ShapeTensor>;

class Evaluator {
public:
  explicit Evaluator(NodeContext &node) : node(node) {}

  Result run();

private:
  using Function = Result (Evaluator::*)();
  static const llvm::StringMap<Function> &getFunctions();

  const ShapeTensor &get(unsigned index) { return *node.getContents(index); }
  bool has(unsigned index) { return node.hasInput(index); }
  Type getI64() { return node.getBuilder().getI64Type(); }
  Type getI1() { return node.getBuilder().getI1Type(); }
  /// Constants in an input, or in an attribute of older opsets.
  std::optional<SmallVector<int64_t>> getInts(unsigned index, StringRef name);

  Result shape();
  Result size();
  Result identity() { return get(0); }
  Result constant();
  Result constantOfShape();
  Result range();
  Result cast();
  Result gather();
  Result slice();
  Result concat();
  Result reshape();
  Result squeeze();
  Result unsqueeze();
  Result expand();
  Result transpose();
  Result binary();
  Result compare();
  Result logical();
  Result minMax();
  Result unary();
  Result where();
  Result reduce();

  /// The elements of `source` in the order of a new shape: `position` maps an
  /// index of the result to one of the source.
  static Result
  permute(const ShapeTensor &source, ArrayRef<int64_t> shape,
          llvm::function_ref<void(ArrayRef<int64_t>, MutableArrayRef<int64_t>)>
              position);
  static Result broadcast(const ShapeTensor &source, ArrayRef<int64_t> shape);
  /// The inputs, broadcast to one shape.
  std::optional<SmallVector<ShapeTensor>> getBroadcastInputs();
  /// Applies `function` to the elements of the broadcast inputs.
  Result
  mapElements(Type elementType,
              llvm::function_ref<ShapeScalar(ArrayRef<ShapeScalar>)> function);

  NodeContext &node;
};

} // namespace

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

static std::optional<int64_t> getElementCount(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    if (size < 0 || llvm::MulOverflow(count, size, count))
      return std::nullopt;
  if (count > kMaxShapeElements)
    return std::nullopt;
  return count;
}

static int64_t getOffset(ArrayRef<int64_t> shape, ArrayRef<int64_t> index) {
  int64_t offset = 0;
  for (auto [size, i] : llvm::zip_equal(shape, index))
    offset = offset * size + i;
  return offset;
}

/// Advances a row-major index.
static void advance(ArrayRef<int64_t> shape, MutableArrayRef<int64_t> index) {
  for (size_t i = shape.size(); i-- > 0;) {
    if (++index[i] < shape[i])
      return;
    index[i] = 0;
  }
}

Result Evaluator::permute(
    const ShapeTensor &source, ArrayRef<int64_t> shape,
    llvm::function_ref<void(ArrayRef<int64_t>, MutableArrayRef<int64_t>)>
        position) {
  std::optional<int64_t> count = getElementCount(shape);
  if (!count)
    return std::nullopt;
  ShapeTensor result{source.elementType, llvm::to_vector(shape), {}};
  SmallVector<int64_t> index(shape.size(), 0);
  SmallVector<int64_t> sourceIndex(source.shape.size(), 0);
  for (int64_t i = 0; i < *count; ++i) {
    position(index, sourceIndex);
    for (auto [size, at] : llvm::zip_equal(source.shape, sourceIndex))
      if (at < 0 || at >= size)
        return std::nullopt;
    result.elements.push_back(
        source.elements[getOffset(source.shape, sourceIndex)]);
    advance(shape, index);
  }
  return result;
}

Result Evaluator::broadcast(const ShapeTensor &source,
                            ArrayRef<int64_t> shape) {
  if (shape.size() < source.shape.size())
    return std::nullopt;
  size_t extra = shape.size() - source.shape.size();
  for (auto [i, size] : llvm::enumerate(source.shape))
    if (size != 1 && size != shape[extra + i])
      return std::nullopt;
  return permute(source, shape,
                 [&](ArrayRef<int64_t> index, MutableArrayRef<int64_t> at) {
                   for (auto [i, size] : llvm::enumerate(source.shape))
                     at[i] = size == 1 ? 0 : index[extra + i];
                 });
}

std::optional<SmallVector<ShapeTensor>> Evaluator::getBroadcastInputs() {
  SmallVector<int64_t> shape;
  for (unsigned i = 0, e = node.getNumInputs(); i < e; ++i) {
    ArrayRef<int64_t> other = get(i).shape;
    if (other.size() > shape.size())
      shape.insert(shape.begin(), other.size() - shape.size(), 1);
    for (auto [size, target] :
         llvm::zip(llvm::reverse(other), llvm::reverse(shape)))
      if (target == 1)
        target = size;
  }
  SmallVector<ShapeTensor> inputs;
  for (unsigned i = 0, e = node.getNumInputs(); i < e; ++i) {
    Result input = broadcast(get(i), shape);
    if (!input)
      return std::nullopt;
    inputs.push_back(std::move(*input));
  }
  return inputs;
}

Result Evaluator::mapElements(
    Type elementType,
    llvm::function_ref<ShapeScalar(ArrayRef<ShapeScalar>)> function) {
  std::optional<SmallVector<ShapeTensor>> inputs = getBroadcastInputs();
  if (!inputs)
    return std::nullopt;
  ShapeTensor result{elementType, inputs->front().shape, {}};
  for (size_t i = 0, e = inputs->front().elements.size(); i < e; ++i) {
    SmallVector<ShapeScalar> operands;
    for (const ShapeTensor &input : *inputs)
      operands.push_back(input.elements[i]);
    result.elements.push_back(function(operands));
    if (!result.elements.back().isReliable())
      return std::nullopt;
  }
  return result;
}

std::optional<SmallVector<int64_t>> Evaluator::getInts(unsigned index,
                                                       StringRef name) {
  if (has(index))
    return get(index).getConstants();
  if (std::optional<ArrayRef<int64_t>> values = node.getInts(name))
    return llvm::to_vector(*values);
  return std::nullopt;
}

/// `axis` counted from the front; none if there is no such axis.
static std::optional<int64_t> normalize(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return std::nullopt;
  return axis < 0 ? axis + rank : axis;
}

/// Rounds to what a tensor of `type` can hold.
static double roundTo(double value, Type type) {
  return type.isF32() ? static_cast<float>(value) : value;
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

Result Evaluator::shape() {
  SmallVector<ShapeScalar> dims = node.getInputDims(0);
  int64_t rank = dims.size();
  auto clamp = [&](int64_t bound) {
    return std::clamp<int64_t>(bound < 0 ? bound + rank : bound, 0, rank);
  };
  int64_t start = clamp(node.getInt("start", 0));
  int64_t end = std::max(start, clamp(node.getInt("end", rank)));
  ShapeTensor result{getI64(), {end - start}, {}};
  result.elements.assign(dims.begin() + start, dims.begin() + end);
  return result;
}

Result Evaluator::size() {
  ShapeScalar product = ShapeScalar::get(1);
  for (const ShapeScalar &dim : node.getInputDims(0))
    product = multiplySizes(product, dim);
  if (!product.isReliable())
    return std::nullopt;
  return ShapeTensor{getI64(), {}, {product}};
}

Result Evaluator::constant() {
  OpBuilder &b = node.getBuilder();
  if (node.hasAttr("value_int"))
    return ShapeTensor{
        getI64(), {}, {ShapeScalar::get(node.getInt("value_int", 0))}};
  if (node.hasAttr("value_float"))
    return ShapeTensor{
        b.getF32Type(),
        {},
        {ShapeScalar::getFloat(node.getFloat("value_float", 0))}};
  ShapeTensor result;
  if (std::optional<ArrayRef<int64_t>> ints = node.getInts("value_ints")) {
    result.elementType = getI64();
    for (int64_t value : *ints)
      result.elements.push_back(ShapeScalar::get(value));
  } else if (std::optional<ArrayRef<float>> floats =
                 node.getFloats("value_floats")) {
    result.elementType = b.getF32Type();
    for (float value : *floats)
      result.elements.push_back(ShapeScalar::getFloat(value));
  } else {
    return std::nullopt;
  }
  result.shape = {int64_t(result.elements.size())};
  return result;
}

Result Evaluator::constantOfShape() {
  std::optional<SmallVector<int64_t>> shape = get(0).getConstants();
  std::optional<int64_t> count;
  if (!shape || !(count = getElementCount(*shape)))
    return std::nullopt;
  FailureOr<DenseElementsAttr> value = node.getFillValue();
  if (failed(value))
    return std::nullopt;
  Result fill = ShapeTensor::get(*value);
  if (!fill || fill->elements.size() != 1)
    return std::nullopt;
  return ShapeTensor{fill->elementType, *shape,
                     std::vector<ShapeScalar>(*count, fill->elements[0])};
}

Result Evaluator::range() {
  if (get(0).isFloat())
    return std::nullopt;
  int64_t bounds[3];
  for (unsigned i = 0; i < 3; ++i) {
    std::optional<SmallVector<int64_t>> value = get(i).getConstants();
    if (!value || value->size() != 1)
      return std::nullopt;
    bounds[i] = value->front();
  }
  auto [start, limit, delta] = bounds;
  if (delta == 0)
    return std::nullopt;
  ShapeTensor result{get(0).elementType, {}, {}};
  for (int64_t value = start; delta > 0 ? value < limit : value > limit;
       value += delta) {
    if (result.elements.size() == size_t(kMaxShapeElements))
      return std::nullopt;
    result.elements.push_back(ShapeScalar::get(value));
  }
  result.shape = {int64_t(result.elements.size())};
  return result;
}

//===----------------------------------------------------------------------===//
// Movement
//===----------------------------------------------------------------------===//

Result Evaluator::gather() {
  const ShapeTensor &data = get(0);
  std::optional<int64_t> axis =
      normalize(node.getInt("axis", 0), data.shape.size());
  std::optional<SmallVector<int64_t>> indices = get(1).getConstants();
  if (!axis || !indices)
    return std::nullopt;
  int64_t limit = data.shape[*axis];
  for (int64_t &index : *indices)
    if (index < 0)
      index += limit;
  ArrayRef<int64_t> inner = get(1).shape;
  SmallVector<int64_t> shape(data.shape.begin(), data.shape.begin() + *axis);
  shape.append(inner.begin(), inner.end());
  shape.append(data.shape.begin() + *axis + 1, data.shape.end());
  return permute(
      data, shape, [&](ArrayRef<int64_t> index, MutableArrayRef<int64_t> at) {
        llvm::copy(index.take_front(*axis), at.begin());
        at[*axis] =
            (*indices)[getOffset(inner, index.slice(*axis, inner.size()))];
        llvm::copy(index.drop_front(*axis + inner.size()),
                   at.begin() + *axis + 1);
      });
}

Result Evaluator::slice() {
  const ShapeTensor &data = get(0);
  std::optional<SmallVector<int64_t>> starts = getInts(1, "starts");
  std::optional<SmallVector<int64_t>> ends = getInts(2, "ends");
  if (!starts || !ends || starts->size() != ends->size())
    return std::nullopt;
  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::seq<int64_t>(static_cast<int64_t>(starts->size())));
  if (has(3) || node.hasAttr("axes")) {
    std::optional<SmallVector<int64_t>> values = getInts(3, "axes");
    if (!values)
      return std::nullopt;
    axes = *values;
  }
  SmallVector<int64_t> steps(starts->size(), 1);
  if (has(4)) {
    std::optional<SmallVector<int64_t>> values = get(4).getConstants();
    if (!values)
      return std::nullopt;
    steps = *values;
  }
  if (axes.size() != starts->size() || steps.size() != starts->size())
    return std::nullopt;
  SmallVector<int64_t> first(data.shape.size(), 0), step(data.shape.size(), 1);
  SmallVector<int64_t> shape = data.shape;
  for (auto [axis, start, end, by] :
       llvm::zip_equal(axes, *starts, *ends, steps)) {
    std::optional<int64_t> position = normalize(axis, data.shape.size());
    if (!position || by == 0)
      return std::nullopt;
    int64_t size = data.shape[*position];
    int64_t low = by > 0 ? 0 : -1, high = by > 0 ? size : size - 1;
    int64_t from = std::clamp(start < 0 ? start + size : start, low, high);
    int64_t to = std::clamp(end < 0 ? end + size : end, low, high);
    first[*position] = from;
    step[*position] = by;
    shape[*position] =
        std::max<int64_t>(0, by > 0 ? llvm::divideCeilSigned(to - from, by)
                                    : llvm::divideCeilSigned(from - to, -by));
  }
  return permute(data, shape,
                 [&](ArrayRef<int64_t> index, MutableArrayRef<int64_t> at) {
                   for (size_t i = 0; i < index.size(); ++i)
                     at[i] = first[i] + index[i] * step[i];
                 });
}

Result Evaluator::concat() {
  ShapeTensor result = get(0);
  // Along an outer axis, rows are not contiguous; shapes are vectors.
  std::optional<int64_t> axis =
      normalize(node.getInt("axis", 0), result.shape.size());
  if (!axis || *axis != 0)
    return std::nullopt;
  for (unsigned i = 1, e = node.getNumInputs(); i < e; ++i) {
    const ShapeTensor &other = get(i);
    if (other.shape.size() != result.shape.size() ||
        ArrayRef(other.shape).drop_front() !=
            ArrayRef(result.shape).drop_front() ||
        other.elementType != result.elementType)
      return std::nullopt;
    result.shape[0] += other.shape[0];
    result.elements.insert(result.elements.end(), other.elements.begin(),
                           other.elements.end());
  }
  if (!getElementCount(result.shape))
    return std::nullopt;
  return result;
}

Result Evaluator::reshape() {
  std::optional<SmallVector<int64_t>> shape = getInts(1, "shape");
  if (!shape)
    return std::nullopt;
  ShapeTensor result = get(0);
  int64_t count = result.elements.size(), known = 1, inferred = -1;
  for (auto [i, size] : llvm::enumerate(*shape)) {
    if (size == 0 && !node.getInt("allowzero", 0)) {
      if (i >= result.shape.size())
        return std::nullopt;
      size = result.shape[i];
    }
    if (size < 0)
      inferred = i;
    else if (llvm::MulOverflow(known, size, known))
      return std::nullopt;
  }
  if (inferred >= 0) {
    if (known == 0 || count % known)
      return std::nullopt;
    (*shape)[inferred] = count / known;
  }
  if (getElementCount(*shape) != count)
    return std::nullopt;
  result.shape = std::move(*shape);
  return result;
}

Result Evaluator::squeeze() {
  ShapeTensor result = get(0);
  std::optional<SmallVector<int64_t>> axes = getInts(1, "axes");
  if (!axes && (has(1) || node.hasAttr("axes")))
    return std::nullopt;
  SmallVector<int64_t> shape;
  for (auto [i, size] : llvm::enumerate(result.shape)) {
    bool isListed = !axes && size == 1;
    for (int64_t axis : axes.value_or(SmallVector<int64_t>()))
      isListed |= normalize(axis, result.shape.size()) == int64_t(i);
    if (!isListed)
      shape.push_back(size);
    else if (size != 1)
      return std::nullopt;
  }
  result.shape = std::move(shape);
  return result;
}

Result Evaluator::unsqueeze() {
  ShapeTensor result = get(0);
  std::optional<SmallVector<int64_t>> axes = getInts(1, "axes");
  if (!axes)
    return std::nullopt;
  int64_t rank = result.shape.size() + axes->size();
  SmallVector<int64_t> shape(rank, 0);
  for (int64_t axis : *axes) {
    std::optional<int64_t> position = normalize(axis, rank);
    if (!position || shape[*position] == 1)
      return std::nullopt;
    shape[*position] = 1;
  }
  auto next = result.shape.begin();
  for (int64_t &size : shape)
    if (size == 0)
      size = *next++;
  result.shape = std::move(shape);
  return result;
}

Result Evaluator::expand() {
  std::optional<SmallVector<int64_t>> shape = get(1).getConstants();
  if (!shape)
    return std::nullopt;
  ArrayRef<int64_t> source = get(0).shape;
  if (shape->size() < source.size())
    shape->insert(shape->begin(), source.size() - shape->size(), 1);
  for (auto [size, target] :
       llvm::zip(llvm::reverse(source), llvm::reverse(*shape)))
    if (target == 1)
      target = size;
  return broadcast(get(0), *shape);
}

Result Evaluator::transpose() {
  const ShapeTensor &data = get(0);
  size_t rank = data.shape.size();
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(rank)));
  if (std::optional<ArrayRef<int64_t>> perm = node.getInts("perm"))
    order = llvm::to_vector(*perm);
  SmallVector<int64_t> sorted = order;
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int64_t>(rank)))
    return std::nullopt;
  SmallVector<int64_t> shape =
      llvm::map_to_vector(order, [&](int64_t i) { return data.shape[i]; });
  return permute(data, shape,
                 [&](ArrayRef<int64_t> index, MutableArrayRef<int64_t> at) {
                   for (auto [i, axis] : llvm::enumerate(order))
                     at[axis] = index[i];
                 });
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

Result Evaluator::cast() {
  Type type = getElementType(node.getContext(),
                             static_cast<DataType>(node.getInt("to", 0)));
  bool toFloat = isa_and_nonnull<FloatType>(type);
  if (!type || (!toFloat && !isa<IntegerType>(type)))
    return std::nullopt;
  bool fromFloat = get(0).isFloat();
  return mapElements(type, [&](ArrayRef<ShapeScalar> operands) {
    ShapeScalar result;
    for (unsigned i = 0; i < kNumCases; ++i) {
      if (!operands[0].isPossible(i))
        continue;
      double number = fromFloat ? operands[0].getFloat(i)
                                : static_cast<double>(operands[0][i]);
      if (toFloat)
        result.setFloat(i, roundTo(number, type));
      else if (type.isInteger(1))
        result.set(i, number != 0);
      else if (!fromFloat)
        result.set(i, operands[0][i]);
      else if (std::abs(number) < 9e18)
        result.set(i, static_cast<int64_t>(number));
    }
    return result;
  });
}

static std::optional<int64_t> evaluateInts(StringRef op, int64_t a, int64_t b) {
  int64_t result;
  if (op == "Add" && !llvm::AddOverflow(a, b, result))
    return result;
  if (op == "Sub" && !llvm::SubOverflow(a, b, result))
    return result;
  if (op == "Mul" && !llvm::MulOverflow(a, b, result))
    return result;
  if (b == 0 || (a == std::numeric_limits<int64_t>::min() && b == -1))
    return std::nullopt;
  if (op == "Div")
    return a / b;
  if (op == "Mod")
    return a % b + ((a % b != 0 && (a < 0) != (b < 0)) ? b : 0);
  return std::nullopt;
}

static std::optional<double> evaluateFloats(StringRef op, double a, double b) {
  if (op == "Add")
    return a + b;
  if (op == "Sub")
    return a - b;
  if (op == "Mul")
    return a * b;
  if (op == "Div")
    return a / b;
  if (op == "Pow")
    return std::pow(a, b);
  return std::nullopt;
}

Result Evaluator::binary() {
  Type type = get(0).elementType;
  bool isFloat = get(0).isFloat();
  if (type != get(1).elementType || node.getInt("fmod", 0))
    return std::nullopt;
  StringRef op = node.getOpType();
  return mapElements(type, [&](ArrayRef<ShapeScalar> operands) {
    ShapeScalar result;
    for (unsigned i = 0; i < kNumCases; ++i) {
      if (!operands[0].isPossible(i) || !operands[1].isPossible(i))
        continue;
      if (!isFloat) {
        if (auto value = evaluateInts(op, operands[0][i], operands[1][i]))
          result.set(i, *value);
      } else if (auto value = evaluateFloats(op, operands[0].getFloat(i),
                                             operands[1].getFloat(i))) {
        result.setFloat(i, roundTo(*value, type));
      }
    }
    return result;
  });
}

/// The result of a comparison of two constants.
template <typename T>
static bool compareNumbers(StringRef op, T a, T b) {
  if (op == "Equal")
    return a == b;
  if (op == "Less")
    return a < b;
  if (op == "LessOrEqual")
    return a <= b;
  if (op == "Greater")
    return a > b;
  return a >= b;
}

Result Evaluator::compare() {
  StringRef op = node.getOpType();
  bool isFloat = get(0).isFloat();
  return mapElements(getI1(), [&](ArrayRef<ShapeScalar> operands) {
    const ShapeScalar &lhs = operands[0], &rhs = operands[1];
    if (isFloat) {
      std::optional<double> a = lhs.getFloatConstant();
      std::optional<double> b = rhs.getFloatConstant();
      return a && b ? ShapeScalar::get(compareNumbers(op, *a, *b))
                    : ShapeScalar();
    }
    std::optional<int64_t> a = lhs.getConstant(), b = rhs.getConstant();
    // A size that is only known at run time is at least 0.
    if (!a && b && *b < 0 && node.isArgumentSize(lhs))
      a = 0;
    if (a && !b && *a < 0 && node.isArgumentSize(rhs))
      b = 0;
    if (!a && !b && lhs.isSame(rhs))
      a = b = 0;
    return a && b ? ShapeScalar::get(compareNumbers(op, *a, *b))
                  : ShapeScalar();
  });
}

Result Evaluator::logical() {
  StringRef op = node.getOpType();
  return mapElements(getI1(), [&](ArrayRef<ShapeScalar> operands) {
    SmallVector<bool> values;
    for (const ShapeScalar &operand : operands) {
      std::optional<int64_t> value = operand.getConstant();
      if (!value)
        return ShapeScalar();
      values.push_back(*value != 0);
    }
    bool result = op == "Not"   ? !values[0]
                  : op == "And" ? values[0] && values[1]
                  : op == "Or"  ? values[0] || values[1]
                                : values[0] != values[1];
    return ShapeScalar::get(result);
  });
}

Result Evaluator::minMax() {
  if (get(0).isFloat())
    return std::nullopt;
  bool isMax = node.getOpType() == "Max";
  return mapElements(
      get(0).elementType, [&](ArrayRef<ShapeScalar> operands) -> ShapeScalar {
        ShapeScalar result = operands.front();
        for (const ShapeScalar &operand : operands.drop_front()) {
          std::optional<int64_t> a = result.getConstant();
          std::optional<int64_t> b = operand.getConstant();
          if (a && b)
            result =
                ShapeScalar::get(isMax ? std::max(*a, *b) : std::min(*a, *b));
          else if (!result.isSame(operand))
            return {};
        }
        return result;
      });
}

Result Evaluator::unary() {
  StringRef op = node.getOpType();
  Type type = get(0).elementType;
  bool isFloat = get(0).isFloat();
  return mapElements(type, [&](ArrayRef<ShapeScalar> operands) {
    ShapeScalar result;
    for (unsigned i = 0; i < kNumCases; ++i) {
      if (!operands[0].isPossible(i))
        continue;
      if (!isFloat) {
        int64_t value = operands[0][i];
        if (value == std::numeric_limits<int64_t>::min())
          continue;
        if (op == "Neg")
          result.set(i, -value);
        else if (op == "Abs")
          result.set(i, std::abs(value));
        continue;
      }
      double value = operands[0].getFloat(i);
      result.setFloat(i, roundTo(op == "Neg"     ? -value
                                 : op == "Abs"   ? std::abs(value)
                                 : op == "Floor" ? std::floor(value)
                                 : op == "Ceil"  ? std::ceil(value)
                                                 : std::sqrt(value),
                                 type));
    }
    return result;
  });
}

Result Evaluator::where() {
  if (get(1).elementType != get(2).elementType)
    return std::nullopt;
  return mapElements(
      get(1).elementType, [&](ArrayRef<ShapeScalar> operands) -> ShapeScalar {
        std::optional<int64_t> condition = operands[0].getConstant();
        if (!condition)
          return {};
        return *condition ? operands[1] : operands[2];
      });
}

Result Evaluator::reduce() {
  const ShapeTensor &data = get(0);
  // Shapes are vectors.
  if (data.isFloat() || data.shape.size() != 1)
    return std::nullopt;
  std::optional<SmallVector<int64_t>> axes = getInts(1, "axes");
  bool hasAxes = has(1) || node.hasAttr("axes");
  if (hasAxes && (!axes || axes->size() != 1))
    return std::nullopt;
  if (!hasAxes && node.getInt("noop_with_empty_axes", 0))
    return std::nullopt;
  bool isProduct = node.getOpType() == "ReduceProd";
  ShapeScalar total = ShapeScalar::get(isProduct ? 1 : 0);
  for (const ShapeScalar &element : data.elements) {
    ShapeScalar next;
    for (unsigned i = 0; i < kNumCases; ++i)
      if (total.isPossible(i) && element.isPossible(i))
        if (auto value =
                evaluateInts(isProduct ? "Mul" : "Add", total[i], element[i]))
          next.set(i, *value);
    total = next;
  }
  if (!total.isReliable())
    return std::nullopt;
  ShapeTensor result{data.elementType, {}, {total}};
  if (node.getInt("keepdims", 1))
    result.shape.push_back(1);
  return result;
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

const llvm::StringMap<Evaluator::Function> &Evaluator::getFunctions() {
  static const llvm::StringMap<Function> functions = {
      {"Abs", &Evaluator::unary},
      {"Add", &Evaluator::binary},
      {"And", &Evaluator::logical},
      {"Cast", &Evaluator::cast},
      {"Ceil", &Evaluator::unary},
      {"Concat", &Evaluator::concat},
      {"Constant", &Evaluator::constant},
      {"ConstantOfShape", &Evaluator::constantOfShape},
      {"Div", &Evaluator::binary},
      {"Equal", &Evaluator::compare},
      {"Expand", &Evaluator::expand},
      {"Floor", &Evaluator::unary},
      {"Gather", &Evaluator::gather},
      {"Greater", &Evaluator::compare},
      {"GreaterOrEqual", &Evaluator::compare},
      {"Identity", &Evaluator::identity},
      {"Less", &Evaluator::compare},
      {"LessOrEqual", &Evaluator::compare},
      {"Max", &Evaluator::minMax},
      {"Min", &Evaluator::minMax},
      {"Mod", &Evaluator::binary},
      {"Mul", &Evaluator::binary},
      {"Neg", &Evaluator::unary},
      {"Not", &Evaluator::logical},
      {"Or", &Evaluator::logical},
      {"Pow", &Evaluator::binary},
      {"Range", &Evaluator::range},
      {"ReduceProd", &Evaluator::reduce},
      {"ReduceSum", &Evaluator::reduce},
      {"Reshape", &Evaluator::reshape},
      {"Shape", &Evaluator::shape},
      {"Size", &Evaluator::size},
      {"Slice", &Evaluator::slice},
      {"Sqrt", &Evaluator::unary},
      {"Squeeze", &Evaluator::squeeze},
      {"Sub", &Evaluator::binary},
      {"Transpose", &Evaluator::transpose},
      {"Unsqueeze", &Evaluator::unsqueeze},
      {"Where", &Evaluator::where},
      {"Xor", &Evaluator::logical},
  };
  return functions;
}

Result Evaluator::run() {
  auto it = getFunctions().find(node.getOpType());
  if (it == getFunctions().end())
    return std::nullopt;
  if (node.getOpType() != "Shape" && node.getOpType() != "Size") {
    for (unsigned i = 0, e = node.getNumInputs(); i < e; ++i)
      if (node.hasInput(i) && node.isComputed(i))
        return std::nullopt;
    for (unsigned i = 0, e = node.getNumInputs(); i < e; ++i)
      if (node.hasInput(i) && !node.getContents(i))
        return std::nullopt;
  }
  return (this->*it->second)();
}

std::optional<ShapeTensor> mlir::relay::onnx::evaluateShape(NodeContext &node) {
  std::optional<ShapeTensor> result = Evaluator(node).run();
  if (!result || !llvm::all_of(result->elements, [](const ShapeScalar &value) {
        return value.isReliable();
      }))
    return std::nullopt;
  return result;
}
