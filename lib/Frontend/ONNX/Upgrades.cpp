//===- Upgrades.cpp - How the first opsets wrote nodes --------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes of the first opsets are written anew, as later opsets have them, when
// their inputs are known and before anything else looks at them. So converters
// and the evaluator of shapes know one form only. What the old form cannot mean
// is refused here.
//
//===----------------------------------------------------------------------===//

#include "NodeContext.h"
#include "OpTable.h"

#include "mlir/IR/TypeUtilities.h"
#include "relay-mlir/Support/FormatNumber.h"

#include <cmath>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

/// False where two sizes are known, and differ.
static bool mayBeEqual(int64_t lhs, int64_t rhs) {
  return lhs == rhs || ShapedType::isDynamic(lhs) || ShapedType::isDynamic(rhs);
}

static bool mayBeEqual(RankedTensorType lhs, RankedTensorType rhs) {
  return lhs.getRank() == rhs.getRank() &&
         llvm::all_of(llvm::zip_equal(lhs.getShape(), rhs.getShape()),
                      [](auto pair) {
                        return mayBeEqual(std::get<0>(pair), std::get<1>(pair));
                      });
}

/// True if inputs [0, count) are there; what is missing is reported later.
static bool hasInputs(const NodeContext &node, unsigned count) {
  return llvm::all_of(llvm::seq(count),
                      [&](unsigned i) { return node.hasInput(i); });
}

static void setInt(NodeContext &node, StringRef name, int64_t value) {
  node.setAttr(NodeAttribute::get(name, value));
}

static void setFloat(NodeContext &node, StringRef name, float value) {
  NodeAttribute attribute;
  attribute.name = name.str();
  attribute.kind = NodeAttribute::Kind::Float;
  attribute.f = value;
  node.setAttr(std::move(attribute));
}

static void setString(NodeContext &node, StringRef name, StringRef value) {
  NodeAttribute attribute;
  attribute.name = name.str();
  attribute.kind = NodeAttribute::Kind::String;
  attribute.s = value.str();
  node.setAttr(std::move(attribute));
}

//===----------------------------------------------------------------------===//
// Broadcasting
//===----------------------------------------------------------------------===//

/// The first dimension of the left operand that the right one has, where it
/// fits there.
static FailureOr<int64_t> getBroadcastAxis(NodeContext &node,
                                           RankedTensorType lhs,
                                           RankedTensorType rhs) {
  int64_t axis = lhs.getRank() - rhs.getRank();
  if (node.hasAttr("axis")) {
    FailureOr<int64_t> given =
        node.normalizeAxis(node.getInt("axis", 0), lhs.getRank());
    if (failed(given))
      return failure();
    axis = *given;
  }
  bool fits = axis >= 0 && axis + rhs.getRank() <= lhs.getRank();
  for (int64_t i = 0; fits && i < rhs.getRank(); ++i)
    fits = rhs.getDimSize(i) == 1 ||
           mayBeEqual(lhs.getDimSize(axis + i), rhs.getDimSize(i));
  if (fits)
    return axis;
  node.emitError() << "expects the sizes of the second operand to be those of "
                      "the first from dimension "
                   << axis << " on, but got " << lhs << " and " << rhs;
  return failure();
}

/// Until opset 6 only the second operand was repeated, and only if the node
/// said so; `axis` is where its dimensions lie in the first one.
static LogicalResult alignOperands(NodeContext &node) {
  if (node.getNumInputs() != 2 || !hasInputs(node, 2))
    return success();
  RankedTensorType lhs = node.getInputType(0), rhs = node.getInputType(1);
  SmallVector<int64_t> codes;
  if (!node.getBool("broadcast", false)) {
    if (!mayBeEqual(lhs, rhs))
      return node.emitError() << "expects operands of the same shape without "
                                 "broadcast = 1, but got "
                              << lhs << " and " << rhs;
  } else if (rhs.hasStaticShape() && rhs.getNumElements() == 1) {
    if (rhs.getRank() > lhs.getRank())
      node.setInput(
          1, node.reshape(node.materializeInput(1), ArrayRef<int64_t>()));
    return success(!node.hasFailed());
  } else {
    FailureOr<int64_t> axis = getBroadcastAxis(node, lhs, rhs);
    if (failed(axis))
      return failure();
    if (int64_t count = lhs.getRank() - *axis - rhs.getRank())
      node.setInput(
          1, node.expandDims(node.materializeInput(1), rhs.getRank(), count));
  }
  if (lhs.hasStaticShape())
    return success(!node.hasFailed());
  // An open size of the first operand is not repeated to one of the second.
  Value data = node.materializeInput(0), other = node.materializeInput(1);
  node.setInput(0, node.expectCovers(data, other));
  return success(!node.hasFailed());
}

/// Until opset 7 nothing was repeated.
static LogicalResult checkEqualShapes(NodeContext &node) {
  if (!hasInputs(node, node.getNumInputs()))
    return success();
  for (unsigned i = 1, e = node.getNumInputs(); i < e; ++i)
    if (!mayBeEqual(node.getInputType(0), node.getInputType(i)))
      return node.emitError()
             << "expects operands of the same shape until opset 7, but got "
             << node.getInputType(0) << " and " << node.getInputType(i);
  return success();
}

static LogicalResult upgradeGemm(NodeContext &node) {
  if (!hasInputs(node, 3) || node.getBool("broadcast", false))
    return success();
  RankedTensorType a = node.getInputType(0), b = node.getInputType(1);
  if (a.getRank() != 2 || b.getRank() != 2)
    return success();
  int64_t rows = a.getDimSize(node.getBool("transA", false) ? 1 : 0);
  int64_t columns = b.getDimSize(node.getBool("transB", false) ? 0 : 1);
  RankedTensorType c = node.getInputType(2);
  if (c.getRank() == 2 && mayBeEqual(c.getDimSize(0), rows) &&
      mayBeEqual(c.getDimSize(1), columns))
    return success();
  return node.emitError()
         << "expects C to have the shape of the product without broadcast = "
            "1, but got "
         << c;
}

/// A vector of slopes has one for each channel.
static LogicalResult upgradePRelu(NodeContext &node) {
  if (!hasInputs(node, 2))
    return success();
  RankedTensorType data = node.getInputType(0), slope = node.getInputType(1);
  if (slope.getRank() != 1 || slope.getDimSize(0) == 1 || data.getRank() < 2)
    return success();
  if (!mayBeEqual(data.getDimSize(1), slope.getDimSize(0)))
    return node.emitError() << "expects a slope for each channel of " << data
                            << ", but got " << slope;
  node.setInput(
      1, node.expandDims(node.materializeInput(1), 1, data.getRank() - 2));
  return success(!node.hasFailed());
}

//===----------------------------------------------------------------------===//
// Attributes that became inputs, or have other names
//===----------------------------------------------------------------------===//

static LogicalResult upgradeReshape(NodeContext &node) {
  if (node.getNumInputs() != 1)
    return node.emitError() << "expects 1 input and attribute \"shape\", but "
                               "got "
                            << node.getNumInputs() << " inputs";
  std::optional<ArrayRef<int64_t>> shape = node.getInts("shape");
  if (!shape && node.hasAttr("shape") && node.hasFailed())
    return failure();
  if (!node.hasAttr("shape"))
    return node.emitError() << "expects attribute \"shape\"";
  SmallVector<int64_t> sizes =
      llvm::to_vector(shape.value_or(ArrayRef<int64_t>()));
  node.setLastInput(1, "shape", sizes);
  return success();
}

/// The whole numbers in an input of any type, also of floats.
static FailureOr<SmallVector<int64_t>> getWholeNumbers(NodeContext &node,
                                                       unsigned index) {
  SmallVector<int64_t> numbers;
  const ShapeTensor *contents = node.getContents(index);
  for (const ShapeScalar &element :
       contents ? ArrayRef(contents->elements) : ArrayRef<ShapeScalar>()) {
    std::optional<int64_t> number;
    if (!contents->isFloat()) {
      number = element.getConstant();
    } else if (std::optional<double> value = element.getFloatConstant()) {
      // Also false for NaN.
      if (std::abs(*value) <= std::numeric_limits<int32_t>::max() &&
          *value == std::floor(*value))
        number = static_cast<int64_t>(*value);
    }
    if (number)
      numbers.push_back(*number);
  }
  if (contents && numbers.size() == contents->elements.size())
    return numbers;
  node.emitError() << "expects constant, whole numbers in input " << index
                   << " (\"" << node.getNode().inputs[index] << "\")";
  return failure();
}

/// One axis of Tile was repeated.
static LogicalResult upgradeTile(NodeContext &node) {
  if (node.getNumInputs() != 3 || !hasInputs(node, 3))
    return node.emitError()
           << "expects 3 inputs, but got " << node.getNumInputs();
  FailureOr<SmallVector<int64_t>> tiles = getWholeNumbers(node, 1);
  FailureOr<SmallVector<int64_t>> axes = getWholeNumbers(node, 2);
  if (failed(tiles) || failed(axes))
    return failure();
  if (tiles->size() != 1 || axes->size() != 1)
    return node.emitError() << "expects one number of tiles and one axis, but "
                               "got "
                            << tiles->size() << " and " << axes->size();
  int64_t rank = node.getInputType(0).getRank();
  FailureOr<int64_t> axis = node.normalizeAxis(axes->front(), rank);
  if (failed(axis))
    return failure();
  SmallVector<int64_t> repeats(rank, 1);
  repeats[*axis] = tiles->front();
  node.setLastInput(1, "tiles", repeats);
  return success();
}

/// The sizes of parts, if an input, had the type of the data.
static LogicalResult upgradeSplit(NodeContext &node) {
  if (node.getNumInputs() != 2 || !hasInputs(node, 2))
    return success();
  FailureOr<SmallVector<int64_t>> sizes = getWholeNumbers(node, 1);
  if (failed(sizes))
    return failure();
  node.setLastInput(1, node.getNode().inputs[1], *sizes);
  return success();
}

static LogicalResult upgradePad(NodeContext &node) {
  std::optional<ArrayRef<int64_t>> paddings = node.getInts("paddings");
  node.setAttr(
      NodeAttribute::get("pads", paddings.value_or(ArrayRef<int64_t>())));
  return success(!node.hasFailed());
}

static LogicalResult upgradeUpsample(NodeContext &node) {
  if (!hasInputs(node, 1))
    return success();
  RankedTensorType data = node.getInputType(0);
  if (data.getRank() != 4)
    return node.emitError() << "expects data of rank 4, but got " << data;
  NodeAttribute scales;
  scales.name = "scales";
  scales.kind = NodeAttribute::Kind::Floats;
  scales.floats = {1, 1};
  for (StringRef name : {"height_scale", "width_scale"}) {
    double scale = node.getFloat(name, 0);
    // Also false for NaN.
    if (!(scale >= 1))
      return node.emitError()
             << "expects attribute \"" << name << "\" to be 1 or more, but got "
             << (node.hasAttr(name) ? formatNumber(scale)
                                    : std::string("none"));
    scales.floats.push_back(static_cast<float>(scale));
  }
  node.setAttr(std::move(scales));
  return success(!node.hasFailed());
}

/// The type was a name.
static LogicalResult upgradeCast(NodeContext &node) {
  StringRef name = node.getString("to", "");
  if (node.hasFailed())
    return failure();
  constexpr int32_t numTypes = 17;
  for (int32_t i = 1; i < numTypes; ++i)
    if (name == getDataTypeName(static_cast<DataType>(i))) {
      setInt(node, "to", i);
      return success();
    }
  return node.emitError() << "expects attribute \"to\" to be the name of a "
                             "type, such as FLOAT, but got \""
                          << name << "\"";
}

//===----------------------------------------------------------------------===//
// Defaults
//===----------------------------------------------------------------------===//

/// Constants with fewer digits.
static LogicalResult upgradeSelu(NodeContext &node) {
  if (!node.hasAttr("alpha"))
    setFloat(node, "alpha", 1.6732F);
  if (!node.hasAttr("gamma"))
    setFloat(node, "gamma", 1.0507F);
  return success();
}

/// The default of the direction was misspelt.
static LogicalResult upgradeGRU(NodeContext &node) {
  if (node.getString("direction", "forward") == "foward")
    setString(node, "direction", "forward");
  return success(!node.hasFailed());
}

//===----------------------------------------------------------------------===//
// Training
//===----------------------------------------------------------------------===//

static LogicalResult upgradeDropout(NodeContext &node) {
  double ratio = node.getFloat("ratio", 0.5);
  if (node.getInt("is_test", 0) == 0 && ratio != 0)
    return node.emitError()
           << "expects is_test = 1 or ratio = 0, but got ratio = "
           << formatNumber(ratio) << ": dropout in training is random";
  return success(!node.hasFailed());
}

void mlir::relay::onnx::addUpgrades(OpTable &table) {
  table.addUpgrade({"Add", "And", "Div", "Equal", "Greater", "Less", "Mul",
                    "Or", "Pow", "Sub", "Xor"},
                   6, alignOperands);
  table.addUpgrade({"Max", "Mean", "Min", "Sum"}, 7, checkEqualShapes);
  table.addUpgrade({"Gemm"}, 6, upgradeGemm);
  table.addUpgrade({"PRelu"}, 6, upgradePRelu);
  table.addUpgrade({"Reshape"}, 4, upgradeReshape);
  table.addUpgrade({"Split"}, 1, upgradeSplit);
  table.addUpgrade({"Tile"}, 5, upgradeTile);
  table.addUpgrade({"Pad"}, 1, upgradePad);
  table.addUpgrade({"Upsample"}, 6, upgradeUpsample);
  table.addUpgrade({"Cast"}, 5, upgradeCast);
  table.addUpgrade({"Selu"}, 5, upgradeSelu);
  table.addUpgrade({"GRU"}, 2, upgradeGRU);
  table.addUpgrade({"Dropout"}, 6, upgradeDropout);
}
