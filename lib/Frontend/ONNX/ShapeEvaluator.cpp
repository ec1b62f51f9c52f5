//===- ShapeEvaluator.cpp - Compute shapes at import ---------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates nodes at import whose inputs are known numbers, so that what they
// compute can become an attribute of relay (see ShapeValues.h). `getFunctions`
// lists the operators. This file has sources, arithmetic and comparisons;
// ShapeMovement.cpp has operators that move numbers. A result is left out, not
// guessed, where a number would overflow or depends on what is not known.
//
//===----------------------------------------------------------------------===//

#include "ShapeEvaluator.h"

#include "TensorLoader.h"

#include "relay-mlir/Dialect/Relay/IR/DType.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay::onnx;

std::optional<SmallVector<ShapeTensor>> ShapeEvaluator::getBroadcastInputs() {
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

ShapeEvaluator::Result ShapeEvaluator::mapElements(
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
    result.elements.back().compress();
    if (!isPartial && !result.elements.back().isReliable())
      return std::nullopt;
  }
  return result;
}

std::optional<SmallVector<int64_t>> ShapeEvaluator::getInts(unsigned index,
                                                            StringRef name) {
  if (has(index))
    return get(index).getConstants();
  if (std::optional<ArrayRef<int64_t>> values = node.getInts(name))
    return llvm::to_vector(*values);
  return std::nullopt;
}

/// Rounds to what a tensor of `type` can hold.
static double roundTo(double value, Type type) {
  return FloatAttr::get(type, value).getValueAsDouble();
}

/// Whether a tensor of `type` can hold `value`. What overflows is left to run
/// time.
static bool fits(int64_t value, Type type) {
  auto integer = cast<IntegerType>(type);
  unsigned width = integer.getWidth();
  if (integer.isUnsigned() || width == 1)
    return value >= 0 && (width == 64 || llvm::isUIntN(width, value));
  return llvm::isIntN(width, value);
}

/// The result of a function with steps, such as a quotient without its
/// fraction, of `operands`. Where numbers that are not constants give the same
/// result in every case, the cases may be between two steps: then nothing is
/// known. Not so if it `isExact`, and rounds in no case: what is the same then
/// is so because the formula says it.
static ShapeScalar checkSteps(const ShapeScalar &result, bool isExact,
                              ArrayRef<ShapeScalar> operands) {
  bool isConstant = llvm::all_of(operands, [](const ShapeScalar &operand) {
    return operand.getConstant().has_value();
  });
  return isExact || isConstant || !result.getConstant() ? result
                                                        : ShapeScalar();
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

ShapeEvaluator::Result ShapeEvaluator::shape() {
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

ShapeEvaluator::Result ShapeEvaluator::size() {
  ShapeScalar product = ShapeScalar::get(1);
  for (const ShapeScalar &dim : node.getInputDims(0))
    product = multiplySizes(product, dim);
  if (!product.isReliable())
    return std::nullopt;
  return ShapeTensor{getI64(), {}, {product}};
}

ShapeEvaluator::Result ShapeEvaluator::constant() {
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

ShapeEvaluator::Result ShapeEvaluator::constantOfShape() {
  std::optional<SmallVector<int64_t>> shape = get(0).getConstants();
  std::optional<int64_t> count;
  if (!shape || !(count = getShapeElementCount(*shape)))
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

ShapeEvaluator::Result ShapeEvaluator::range() {
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
  for (int64_t value = start; delta > 0 ? value < limit : value > limit;) {
    if (result.elements.size() == size_t(kMaxShapeElements))
      return std::nullopt;
    result.elements.push_back(ShapeScalar::get(value));
    if (llvm::AddOverflow(value, delta, value))
      break;
  }
  result.shape = {int64_t(result.elements.size())};
  return result;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

ShapeEvaluator::Result ShapeEvaluator::cast() {
  Type type = getElementType(node.getContext(),
                             node.getDataType("to", DataType::Undefined));
  bool toFloat = isa_and_nonnull<FloatType>(type);
  // Conversions to small types saturate, or not.
  if (!type || (!toFloat && !isa<IntegerType>(type)) || isSmallElement(type))
    return std::nullopt;
  bool fromFloat = get(0).isFloat();
  // Integers below are doubles.
  constexpr double maxExact = int64_t(1) << 53;
  return mapElements(type, [&](ArrayRef<ShapeScalar> operands) {
    ShapeScalar result;
    bool isExact = true;
    for (unsigned i = 0; i < kNumCases; ++i) {
      if (!operands[0].isPossible(i))
        continue;
      if (!fromFloat && !toFloat) {
        int64_t number = operands[0][i];
        isExact &= !type.isInteger(1);
        if (type.isInteger(1))
          result.set(i, number != 0);
        else if (fits(number, type))
          result.set(i, number);
        continue;
      }
      if (!fromFloat && std::abs(double(operands[0][i])) >= maxExact)
        continue;
      double number = fromFloat ? operands[0].getFloat(i)
                                : static_cast<double>(operands[0][i]);
      isExact &=
          toFloat || (!type.isInteger(1) && number == std::trunc(number));
      if (toFloat)
        result.setFloat(i, roundTo(number, type));
      else if (type.isInteger(1))
        result.set(i, number != 0);
      else if (std::abs(number) < 9e18 &&
               fits(static_cast<int64_t>(number), type))
        result.set(i, static_cast<int64_t>(number));
    }
    return checkSteps(result, isExact, operands);
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

ShapeEvaluator::Result ShapeEvaluator::binary() {
  Type type = get(0).elementType;
  bool isFloat = get(0).isFloat();
  if (type != get(1).elementType || node.getBool("fmod", false))
    return std::nullopt;
  StringRef op = node.getOpType();
  bool isQuotient = op == "Div" || op == "Mod";
  return mapElements(type, [&](ArrayRef<ShapeScalar> operands) -> ShapeScalar {
    // Of a division, where its steps are.
    ShapeScalar result, quotient;
    bool isExact = true, isPositive = true, isNegative = true;
    for (unsigned i = 0; i < kNumCases; ++i) {
      if (!operands[0].isPossible(i) || !operands[1].isPossible(i))
        continue;
      if (!isFloat) {
        int64_t a = operands[0][i], b = operands[1][i];
        auto value = evaluateInts(op, a, b);
        if (!value || !fits(*value, type))
          continue;
        result.set(i, *value);
        if (isQuotient) {
          quotient.set(i, a / b);
          isExact &= a % b == 0;
        }
        continue;
      }
      double a = operands[0].getFloat(i), b = operands[1].getFloat(i);
      isPositive &= b > 0;
      isNegative &= b < 0;
      if (auto value = evaluateFloats(op, a, b))
        result.setFloat(i, roundTo(*value, type));
    }
    if (isFloat)
      return checkSteps(result, op != "Div" || isPositive || isNegative,
                        operands);
    // A remainder that never wrapped around is not known to be one.
    if (isQuotient && checkSteps(quotient, isExact, operands).isUnknown())
      return {};
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

ShapeEvaluator::Result ShapeEvaluator::compare() {
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

ShapeEvaluator::Result ShapeEvaluator::logical() {
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

/// The larger (the smaller) number, where it is known which one that is. NaN is
/// left to run time.
static ShapeScalar getExtreme(bool isMax, bool isFloat, const ShapeScalar &lhs,
                              const ShapeScalar &rhs) {
  if (isFloat) {
    std::optional<double> a = lhs.getFloatConstant();
    std::optional<double> b = rhs.getFloatConstant();
    if (!a || !b || std::isnan(*a) || std::isnan(*b))
      return {};
    return ShapeScalar::getFloat(isMax ? std::max(*a, *b) : std::min(*a, *b));
  }
  std::optional<int64_t> a = lhs.getConstant(), b = rhs.getConstant();
  if (a && b)
    return ShapeScalar::get(isMax ? std::max(*a, *b) : std::min(*a, *b));
  return lhs.isSame(rhs) ? lhs : ShapeScalar();
}

ShapeEvaluator::Result ShapeEvaluator::minMax() {
  bool isMax = node.getOpType() == "Max", isFloat = get(0).isFloat();
  return mapElements(get(0).elementType,
                     [&](ArrayRef<ShapeScalar> operands) -> ShapeScalar {
                       ShapeScalar result = operands.front();
                       for (const ShapeScalar &operand : operands.drop_front())
                         result = getExtreme(isMax, isFloat, result, operand);
                       return result;
                     });
}

ShapeEvaluator::Result ShapeEvaluator::clip() {
  // Before opset 11 limits are attributes, and have defaults.
  if (node.getOpset() < 11)
    return std::nullopt;
  ShapeTensor result = get(0);
  for (unsigned limit : {1, 2}) {
    if (!has(limit))
      continue;
    if (get(limit).elements.size() != 1)
      return std::nullopt;
    for (ShapeScalar &element : result.elements) {
      element = getExtreme(/*isMax=*/limit == 1, result.isFloat(), element,
                           get(limit).elements.front());
      if (!isPartial && !element.isReliable())
        return std::nullopt;
    }
  }
  return result;
}

/// A function of one float, not rounded to its type.
static double evaluateFloat(StringRef op, double value) {
  return op == "Neg"     ? -value
         : op == "Abs"   ? std::abs(value)
         : op == "Floor" ? std::floor(value)
         : op == "Ceil"  ? std::ceil(value)
                         : std::sqrt(value);
}

ShapeEvaluator::Result ShapeEvaluator::unary() {
  StringRef op = node.getOpType();
  Type type = get(0).elementType;
  bool isFloat = get(0).isFloat();
  bool isRounding = op == "Floor" || op == "Ceil";
  if (!isFloat && op != "Neg" && op != "Abs")
    return std::nullopt;
  return mapElements(type, [&](ArrayRef<ShapeScalar> operands) -> ShapeScalar {
    const ShapeScalar &operand = operands[0];
    // `sign` has the step of Abs.
    ShapeScalar result, sign;
    bool isExact = true;
    for (unsigned i = 0; i < kNumCases; ++i) {
      if (!operand.isPossible(i))
        continue;
      if (!isFloat) {
        int64_t value = operand[i];
        if (value == std::numeric_limits<int64_t>::min())
          continue;
        sign.set(i, value < 0);
        value = op == "Neg" ? -value : std::abs(value);
        if (fits(value, type))
          result.set(i, value);
        continue;
      }
      double value = operand.getFloat(i), computed = evaluateFloat(op, value);
      sign.set(i, value < 0);
      isExact &= !isRounding || computed == value;
      result.setFloat(i, roundTo(computed, type));
    }
    bool isSize = !isFloat && node.isArgumentSize(operand);
    if (op == "Abs" && checkSteps(sign, isSize, operands).isUnknown())
      return {};
    return checkSteps(result, isExact, operands);
  });
}

ShapeEvaluator::Result ShapeEvaluator::where() {
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

ShapeEvaluator::Result ShapeEvaluator::reduce() {
  const ShapeTensor &data = get(0);
  // Shapes are vectors.
  if (data.isFloat() || data.shape.size() != 1)
    return std::nullopt;
  std::optional<SmallVector<int64_t>> axes = getInts(1, "axes");
  bool hasAxes = has(1) || node.hasAttr("axes");
  if (hasAxes && (!axes || axes->size() != 1))
    return std::nullopt;
  if (!hasAxes && node.getBool("noop_with_empty_axes", false))
    return std::nullopt;
  bool isProduct = node.getOpType() == "ReduceProd";
  ShapeScalar total = ShapeScalar::get(isProduct ? 1 : 0);
  for (const ShapeScalar &element : data.elements) {
    ShapeScalar next;
    for (unsigned i = 0; i < kNumCases; ++i)
      if (total.isPossible(i) && element.isPossible(i))
        if (auto value =
                evaluateInts(isProduct ? "Mul" : "Add", total[i], element[i]);
            value && fits(*value, data.elementType))
          next.set(i, *value);
    total = next;
  }
  if (!total.isReliable())
    return std::nullopt;
  ShapeTensor result{data.elementType, {}, {total}};
  if (node.getBool("keepdims", true))
    result.shape.push_back(1);
  return result;
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

const llvm::StringMap<ShapeEvaluator::Function> &
ShapeEvaluator::getFunctions() {
  static const llvm::StringMap<Function> functions = {
      {"Abs", &ShapeEvaluator::unary},
      {"Add", &ShapeEvaluator::binary},
      {"And", &ShapeEvaluator::logical},
      {"Cast", &ShapeEvaluator::cast},
      {"Ceil", &ShapeEvaluator::unary},
      {"Clip", &ShapeEvaluator::clip},
      {"Concat", &ShapeEvaluator::concat},
      {"Constant", &ShapeEvaluator::constant},
      {"ConstantOfShape", &ShapeEvaluator::constantOfShape},
      {"Div", &ShapeEvaluator::binary},
      {"Equal", &ShapeEvaluator::compare},
      {"Expand", &ShapeEvaluator::expand},
      {"Floor", &ShapeEvaluator::unary},
      {"Gather", &ShapeEvaluator::gather},
      {"Greater", &ShapeEvaluator::compare},
      {"GreaterOrEqual", &ShapeEvaluator::compare},
      {"Identity", &ShapeEvaluator::identity},
      {"Less", &ShapeEvaluator::compare},
      {"LessOrEqual", &ShapeEvaluator::compare},
      {"Max", &ShapeEvaluator::minMax},
      {"Min", &ShapeEvaluator::minMax},
      {"Mod", &ShapeEvaluator::binary},
      {"Mul", &ShapeEvaluator::binary},
      {"Neg", &ShapeEvaluator::unary},
      {"Not", &ShapeEvaluator::logical},
      {"Or", &ShapeEvaluator::logical},
      {"Pow", &ShapeEvaluator::binary},
      {"Range", &ShapeEvaluator::range},
      {"ReduceProd", &ShapeEvaluator::reduce},
      {"ReduceSum", &ShapeEvaluator::reduce},
      {"Reshape", &ShapeEvaluator::reshape},
      {"Scatter", &ShapeEvaluator::scatter},
      {"ScatterElements", &ShapeEvaluator::scatter},
      {"Shape", &ShapeEvaluator::shape},
      {"Size", &ShapeEvaluator::size},
      {"Slice", &ShapeEvaluator::slice},
      {"Sqrt", &ShapeEvaluator::unary},
      {"Squeeze", &ShapeEvaluator::squeeze},
      {"Sub", &ShapeEvaluator::binary},
      {"Transpose", &ShapeEvaluator::transpose},
      {"Unsqueeze", &ShapeEvaluator::unsqueeze},
      {"Where", &ShapeEvaluator::where},
      {"Xor", &ShapeEvaluator::logical},
  };
  return functions;
}

ShapeEvaluator::Result ShapeEvaluator::run() {
  auto it = getFunctions().find(node.getOpType());
  if (it == getFunctions().end())
    return std::nullopt;
  if (node.getOpType() != "Shape" && node.getOpType() != "Size") {
    for (unsigned i = 0, e = node.getNumInputs(); i < e; ++i)
      if (node.hasInput(i) && !isPartial && node.isComputed(i))
        return std::nullopt;
    for (unsigned i = 0, e = node.getNumInputs(); i < e; ++i)
      if (node.hasInput(i) && !find(i))
        return std::nullopt;
  }
  return (this->*it->second)();
}

std::optional<ShapeTensor> mlir::relay::onnx::evaluateShape(NodeContext &node) {
  std::optional<ShapeTensor> result = ShapeEvaluator(node).run();
  if (!result || !llvm::all_of(result->elements, [](const ShapeScalar &value) {
        return value.isReliable();
      }))
    return std::nullopt;
  return result;
}

std::optional<ShapeTensor>
mlir::relay::onnx::evaluatePartialShape(NodeContext &node) {
  return ShapeEvaluator(node, /*isPartial=*/true).run();
}
