//===- Features.cpp - Features of ai.onnx.ml ------------------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What comes before a model: scaling, imputation, encodings. Maps and strings
// are refused.
//
//===----------------------------------------------------------------------===//

#include "../Formula.h"
#include "../OpTable.h"
#include "Scores.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/ScopedPrinter.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::onnx;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static LogicalResult convertBinarizer(NodeContext &node) {
  Value data = node.getInput(0);
  Type type = node.getElementType(data);
  // The threshold may lie between two integers.
  Value number = isa<FloatType>(type)
                     ? data
                     : node.castTo(data, node.getBuilder().getF64Type());
  Formula f(node, number);
  Value isAbove = f.greater(number, f.number(node.getFloat("threshold", 0)));
  return node.setResult(node.castTo(isAbove, type));
}

/// A list that has one number for all features of `data`, or one for each.
static Value createPerFeature(NodeContext &node, StringRef name,
                              ArrayRef<double> values, Value &data) {
  if (!data)
    return nullptr;
  int64_t rank = node.getRank(data), count = values.size();
  Type type = node.getElementType(data);
  if (count == 1)
    return node.createFloats(values, {}, type);
  if (rank == 0) {
    node.emitError() << "expects data of rank 1 or more, but got "
                     << data.getType();
    return nullptr;
  }
  int64_t size = node.getType(data).getDimSize(rank - 1);
  if (count == 0 || (!ShapedType::isDynamic(size) && size != count)) {
    InFlightDiagnostic error = node.emitError();
    error << "expects 1 number in attribute \"" << name << "\"";
    if (!ShapedType::isDynamic(size))
      error << ", or " << size << ", one for each feature";
    error << ", but got " << count;
    return nullptr;
  }
  data = node.expectSize(data, rank - 1, count);
  return node.createFloats(values, {count}, type);
}

static SmallVector<double> getDoubles(NodeContext &node, StringRef name) {
  SmallVector<double> values;
  if (std::optional<ArrayRef<float>> floats = node.getFloats(name))
    llvm::append_range(values, *floats);
  return values;
}

static LogicalResult convertScaler(NodeContext &node) {
  OpBuilder &b = node.getBuilder();
  Value data = node.getInput(0);
  SmallVector<double> offset = getDoubles(node, "offset");
  SmallVector<double> scale = getDoubles(node, "scale");
  if (offset.empty())
    offset.push_back(0);
  if (scale.empty())
    scale.push_back(1);
  if (!node.getElementType(data).isF64())
    data = node.castTo(data, b.getF32Type());
  Value shift = createPerFeature(node, "offset", offset, data);
  Value factor = createPerFeature(node, "scale", scale, data);
  if (!shift || !factor)
    return failure();
  Formula f(node, data);
  return node.setResult(
      node.castTo(f.mul(f.sub(data, shift), factor), b.getF32Type()));
}

static LogicalResult convertNormalizer(NodeContext &node) {
  OpBuilder &b = node.getBuilder();
  Value x = node.getInput(0);
  int64_t rank = node.getRank(x);
  if (rank != 1 && rank != 2)
    return node.emitError()
           << "expects data of rank 1 or 2, but got " << x.getType();
  x = node.castTo(x, b.getF32Type());
  Formula f(node, x);
  StringRef norm = node.getString("norm", "MAX");
  int64_t axis = rank - 1;
  Value divisor, result;
  if (norm == "MAX") {
    divisor = f.reduce<MaxOp>(x, axis);
    result = f.div(x, divisor);
  } else if (norm == "L1") {
    divisor = f.reduce<SumOp>(f.abs(x), axis);
    result = f.div(x, divisor);
  } else if (norm == "L2") {
    Value square = f.mul(x, x);
    divisor = f.reduce<SumOp>(square, axis);
    Value root = f.sqrt(f.div(square, divisor));
    result = f.select(f.less(x, f.number(0)), f.neg(root), root);
  } else {
    return node.emitError()
           << "expects norm MAX, L1 or L2, but got \"" << norm << "\"";
  }
  return node.setResult(f.select(f.equal(divisor, f.number(0)), x, result));
}

static LogicalResult convertImputer(NodeContext &node) {
  Value data = node.getInput(0);
  Type type = node.getElementType(data);
  if (isa<FloatType>(type)) {
    SmallVector<double> values = getDoubles(node, "imputed_value_floats");
    Value imputed =
        createPerFeature(node, "imputed_value_floats", values, data);
    double replaced = node.getFloat("replaced_value_float", 0);
    Formula f(node, data);
    Value isMissing = std::isnan(replaced) ? f.isNan(data)
                                           : f.equal(data, f.number(replaced));
    return node.setResult(f.select(isMissing, imputed, data));
  }
  // Integers of 64 bits are no doubles.
  SmallVector<int64_t> values;
  if (std::optional<ArrayRef<int64_t>> ints =
          node.getInts("imputed_value_int64s"))
    values = llvm::to_vector(*ints);
  int64_t rank = node.getRank(data), count = values.size();
  int64_t size = rank == 0 ? 1 : node.getType(data).getDimSize(rank - 1);
  int64_t replaced = node.getInt("replaced_value_int64", 0);
  if (count == 0 ||
      (count != 1 && !ShapedType::isDynamic(size) && size != count))
    return node.emitError()
           << "expects 1 number in attribute \"imputed_value_int64s\", or one "
              "for each feature of "
           << data.getType() << ", but got " << count;
  values.push_back(replaced);
  for (int64_t value : values)
    if (type.isInteger(32) && !llvm::isInt<32>(value))
      return node.emitError()
             << "expects numbers of 32 bits, as the data has, but got "
             << value;
  values.pop_back();
  if (count != 1)
    data = node.expectSize(data, rank - 1, count);
  Value isMissing = node.create<EqualOp>(
      {data, node.castTo(node.createInts(replaced), type)});
  return node.setResult(node.create<WhereOp>(
      {isMissing, node.castTo(node.createInts(values), type), data}));
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

static LogicalResult convertArrayFeatureExtractor(NodeContext &node) {
  Value data = node.getInput(0), indices = node.getInput(1);
  int64_t rank = node.getRank(data);
  if (rank == 0)
    return node.emitError()
           << "expects data of rank 1 or more, but got " << data.getType();
  // A vector is a row.
  if (rank == 1)
    data = node.expandDims(data, 0);
  indices = node.reshape(indices, ArrayRef<int64_t>{-1});
  return node.setResult(
      node.take(data, indices, std::max<int64_t>(rank, 2) - 1, "fast"));
}

static LogicalResult convertFeatureVectorizer(NodeContext &node) {
  std::optional<ArrayRef<int64_t>> widths = node.getInts("inputdimensions");
  unsigned count = node.getNumInputs();
  if (widths && widths->size() != count)
    return node.emitError()
           << "expects " << count
           << " numbers in attribute \"inputdimensions\", one for each input, "
              "but got "
           << widths->size();
  SmallVector<Value> columns;
  for (unsigned i = 0; i < count; ++i) {
    Value data = node.getInput(i);
    int64_t rank = node.getRank(data);
    if (rank == 0)
      return node.emitError()
             << "expects inputs of rank 1 or more, but got " << data.getType();
    data = node.castTo(data, node.getBuilder().getF32Type());
    data = rank == 1 ? node.expandDims(data, 0) : node.flatten(data, 1);
    if (!data)
      return failure();
    int64_t size = node.getType(data).getDimSize(1);
    int64_t width = widths ? (*widths)[i] : size;
    if (ShapedType::isDynamic(size) || width < 0)
      return node.emitError() << "expects inputs with a known number of "
                                 "columns, and as many or fewer to take from "
                                 "them, but got "
                              << data.getType();
    // What is too much is cut, and what is missing is 0.
    if (size > width)
      data = node.slice(data, 1, 0, width);
    columns.push_back(
        node.pad(data, 1, 0, std::max<int64_t>(width - size, 0), 0));
  }
  return node.setResult(concatColumns(node, columns));
}

//===----------------------------------------------------------------------===//
// Encodings
//===----------------------------------------------------------------------===//

static DenseElementsAttr getStringList(NodeContext &node, StringRef name,
                                       ArrayRef<std::string> strings) {
  SmallVector<int64_t> numbers = node.getStringNumbers(name, strings);
  return getStringElements(node.getContext(),
                           static_cast<int64_t>(numbers.size()), numbers);
}

/// The elements of one type, for keys and values of encoders.
static DenseElementsAttr getList(NodeContext &node, StringRef prefix) {
  OpBuilder &b = node.getBuilder();
  SmallVector<DenseElementsAttr> found;
  auto vectorOf = [](size_t size, Type type) {
    return RankedTensorType::get(static_cast<int64_t>(size), type);
  };
  if (auto ints = node.getInts((prefix + "_int64s").str()))
    found.push_back(
        DenseElementsAttr::get(vectorOf(ints->size(), b.getI64Type()), *ints));
  if (auto floats = node.getFloats((prefix + "_floats").str()))
    found.push_back(DenseElementsAttr::get(
        vectorOf(floats->size(), b.getF32Type()), *floats));
  std::string name = (prefix + "_strings").str();
  if (ArrayRef strings = node.getStrings(name); !strings.empty())
    found.push_back(getStringList(node, name, strings));
  if (DenseElementsAttr tensor = node.getElements((prefix + "_tensor").str()))
    found.push_back(tensor);
  if (node.hasFailed())
    return nullptr;
  if (found.size() == 1)
    return found.front();
  node.emitError() << "expects one list of " << prefix << ", but got "
                   << found.size();
  return nullptr;
}

namespace {

/// Keys in ascending order, each once, with the position of its value. Of equal
/// keys the last one counts. NaN is by itself.
struct SortedKeys {
  SmallVector<Attribute> keys;
  SmallVector<int32_t> positions;
  std::optional<int32_t> positionOfNan;

  explicit SortedKeys(DenseElementsAttr list);
};

} // namespace

static bool isLess(Attribute a, Attribute b) {
  if (auto number = dyn_cast<FloatAttr>(a))
    return number.getValue() < cast<FloatAttr>(b).getValue();
  return cast<IntegerAttr>(a).getValue().slt(cast<IntegerAttr>(b).getValue());
}

SortedKeys::SortedKeys(DenseElementsAttr list) {
  SmallVector<std::pair<Attribute, int32_t>> order;
  for (auto [i, key] : llvm::enumerate(list.getValues<Attribute>())) {
    auto number = dyn_cast<FloatAttr>(key);
    if (number && number.getValue().isNaN())
      positionOfNan = i;
    else
      order.emplace_back(key, i);
  }
  llvm::sort(order, [](const auto &a, const auto &b) {
    if (isLess(a.first, b.first) || isLess(b.first, a.first))
      return isLess(a.first, b.first);
    return a.second < b.second;
  });
  for (auto [key, position] : order) {
    if (!keys.empty() && !isLess(keys.back(), key)) {
      keys.pop_back();
      positions.pop_back();
    }
    keys.push_back(key);
    positions.push_back(position);
  }
}

/// Where the last of `keys`, which are sorted, is that is not greater than an
/// element of `data`; 0 if there is none. A binary search without branches.
static Value createSearch(NodeContext &node, Value data, Value keys,
                          int64_t count) {
  Type indexType = node.getBuilder().getI32Type();
  Value position;
  for (int64_t half = llvm::PowerOf2Ceil(count) / 2; half != 0; half /= 2) {
    Value step = node.createScalar(static_cast<double>(half), indexType);
    Value next = position ? node.create<AddOp>({position, step}) : step;
    Value fits = node.create<LessEqualOp>({node.take(keys, next, 0), data});
    // Beyond the end there is no key.
    Value size = node.createScalar(static_cast<double>(count), indexType);
    fits = node.create<LogicalAndOp>({fits, node.create<LessOp>({next, size})});
    position = node.create<WhereOp>(
        {fits, next, position ? position : node.createScalar(0, indexType)});
  }
  return position ? position : node.createScalar(0, indexType);
}

/// Where the key is that an element of `data` equals, and whether there is one.
static std::pair<Value, Value> createLookup(NodeContext &node, Value data,
                                            ArrayRef<Attribute> keys) {
  auto type = RankedTensorType::get(static_cast<int64_t>(keys.size()),
                                    node.getElementType(data));
  Value list = node.createConstant(DenseElementsAttr::get(type, keys));
  Value position = createSearch(node, data, list, keys.size());
  return {position, node.create<EqualOp>({node.take(list, position, 0), data})};
}

static Value createVector(NodeContext &node, ArrayRef<int32_t> values) {
  auto type = RankedTensorType::get(static_cast<int64_t>(values.size()),
                                    node.getBuilder().getI32Type());
  return node.createConstant(DenseElementsAttr::get(type, values));
}

/// The value of what is no key.
static FailureOr<Value> getDefault(NodeContext &node, Type type) {
  DenseElementsAttr tensor = node.getElements("default_tensor");
  if (node.hasFailed())
    return failure();
  if (tensor) {
    if (tensor.getNumElements() != 1 || tensor.getElementType() != type)
      return node.emitError() << "expects one element of type " << type
                              << " in attribute \"default_tensor\", but got "
                              << tensor.getType();
    return node.createConstant(tensor.reshape(RankedTensorType::get({}, type)));
  }
  if (isa<FloatType>(type))
    return node.createScalar(node.getFloat("default_float", -0.0), type);
  auto scalar = RankedTensorType::get({}, type);
  if (isStringType(type)) {
    std::string text = node.getString("default_string", "_Unused").str();
    return node.createConstant(
        getStringList(node, "default_string", text).reshape(scalar));
  }
  return node.createConstant(DenseElementsAttr::get(
      scalar, IntegerAttr::get(type, node.getInt("default_int64", -1))));
}

static std::string describeElements(Type type) {
  return isStringType(type) ? "strings" : llvm::to_string(type);
}

/// What stands in `values` where an element of the data stands in `keys`.
static LogicalResult convertEncoder(NodeContext &node, DenseElementsAttr keys,
                                    DenseElementsAttr values) {
  Value data = node.getInput(0);
  if (keys.getType().getRank() != 1 || values.getType().getRank() != 1 ||
      keys.getNumElements() != values.getNumElements() || keys.empty())
    return node.emitError() << "expects as many values as keys, at least one, "
                               "but got "
                            << values.getType() << " and " << keys.getType();
  if (keys.getElementType() != node.getElementType(data))
    return node.emitError()
           << "expects keys of the type of the data, "
           << describeElements(node.getElementType(data)) << ", but got "
           << describeElements(keys.getElementType());
  Type type = values.getElementType();
  FailureOr<Value> fallback = getDefault(node, type);
  if (failed(fallback))
    return failure();
  SortedKeys sorted(keys);
  Value list = node.createConstant(values);
  Value result = *fallback;
  if (!sorted.keys.empty()) {
    auto [position, isFound] = createLookup(node, data, sorted.keys);
    Value source = node.take(createVector(node, sorted.positions), position, 0);
    result =
        node.create<WhereOp>({isFound, node.take(list, source, 0), result});
  }
  if (sorted.positionOfNan) {
    Value source = createVector(node, *sorted.positionOfNan);
    result = node.create<WhereOp>(
        {node.create<IsnanOp>({data}), node.take(list, source, 0), result});
  }
  return node.setResult(result);
}

/// Between strings and their numbers, either way: `ints`, or else positions.
static LogicalResult convertClasses(NodeContext &node, StringRef name,
                                    std::optional<ArrayRef<int64_t>> ints) {
  ArrayRef<std::string> strings = node.getStrings(name);
  if (node.hasFailed())
    return failure();
  if (strings.empty())
    return node.emitError()
           << "expects attribute \"" << name << "\" with a string";
  auto positions =
      llvm::to_vector(llvm::seq<int64_t>(static_cast<int64_t>(strings.size())));
  ArrayRef<int64_t> numbers = ints.value_or(positions);
  DenseElementsAttr texts = getStringList(node, name, strings);
  auto list = DenseElementsAttr::get(
      RankedTensorType::get(static_cast<int64_t>(numbers.size()),
                            node.getBuilder().getI64Type()),
      numbers);
  bool isOfStrings = isStringType(node.getElementType(node.getInput(0)));
  return isOfStrings ? convertEncoder(node, texts, list)
                     : convertEncoder(node, list, texts);
}

static LogicalResult convertLabelEncoder(NodeContext &node) {
  if (node.getOpset() < 2)
    return convertClasses(node, "classes_strings", std::nullopt);
  DenseElementsAttr keys = getList(node, "keys");
  DenseElementsAttr values = keys ? getList(node, "values") : nullptr;
  return keys && values ? convertEncoder(node, keys, values) : failure();
}

static LogicalResult convertCategoryMapper(NodeContext &node) {
  return convertClasses(node, "cats_strings", node.getInts("cats_int64s"));
}

static LogicalResult convertOneHotEncoder(NodeContext &node) {
  OpBuilder &b = node.getBuilder();
  ArrayRef<std::string> strings = node.getStrings("cats_strings");
  std::optional<ArrayRef<int64_t>> ints = node.getInts("cats_int64s");
  if (node.hasFailed())
    return failure();
  if (strings.empty() == (!ints || ints->empty()))
    return node.emitError()
           << "expects categories in either attribute \"cats_int64s\" or "
              "\"cats_strings\"";
  bool allowsOthers = node.getBool("zeros", true);
  Value data = node.getInput(0);
  if (isStringType(node.getElementType(data)) != !strings.empty())
    return node.emitError()
           << "expects data of the type of the categories, but "
              "got "
           << describeElements(node.getElementType(data));
  DenseElementsAttr categories;
  if (strings.empty()) {
    // As in ONNX Runtime, what lies between two integers is cut.
    data = node.castTo(data, b.getI64Type());
    categories = DenseElementsAttr::get(
        RankedTensorType::get(static_cast<int64_t>(ints->size()),
                              b.getI64Type()),
        *ints);
  } else {
    categories = getStringList(node, "cats_strings", strings);
  }
  if (!data)
    return failure();
  int64_t count = categories.getNumElements();
  SortedKeys sorted(categories);
  auto [position, isFound] = createLookup(node, data, sorted.keys);
  // A column that is not there is an error where it is taken.
  Value none = node.createScalar(static_cast<double>(count), b.getI32Type());
  Value column = node.create<WhereOp>(
      {isFound, node.take(createVector(node, sorted.positions), position, 0),
       none});
  if (!allowsOthers) {
    SmallVector<int32_t> all =
        llvm::to_vector(llvm::seq<int32_t>(static_cast<int32_t>(count)));
    column = node.take(createVector(node, all), column, 0, "fast");
  }
  OneHotOp::Properties properties;
  properties.depth = b.getI64IntegerAttr(count);
  properties.axis = b.getI64IntegerAttr(-1);
  properties.dtype = TypeAttr::get(b.getF32Type());
  return node.setResult(
      node.create<OneHotOp>({column, node.createScalar(1, b.getF32Type()),
                             node.createScalar(0, b.getF32Type())},
                            properties));
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

/// Exporters of scikit-learn end classifiers with it. What is in its maps is
/// the tensor that goes in, and its columns are in the order of the classes.
static LogicalResult convertZipMap(NodeContext &node) {
  Value scores = getRows(node, node.getBuilder().getF32Type());
  FailureOr<ClassLabels> labels = ClassLabels::get(node, "classlabels_int64s");
  if (!scores || failed(labels))
    return failure();
  scores = node.expectSize(scores, 1, labels->size());
  if (!scores)
    return failure();
  node.emitWarning() << "output 0 (\"" << node.getNode().outputs[0]
                     << "\") becomes the tensor of scores, a column for each "
                        "class, as there are no maps (skl2onnx: zipmap=False)";
  return node.setResult(scores);
}

void mlir::relay::onnx::addMLFeatureOps(OpTable &table) {
  auto add = [&](StringRef name, OpEntry::Converter convert,
                 unsigned maxInputs = 1, unsigned minInputs = 1) {
    table.add(kMLDomain, {name},
              {std::move(convert), 1, kNewestMLOpset, minInputs, maxInputs});
  };
  auto refuse = [&](StringRef name, StringRef reason) {
    OpEntry entry;
    entry.refusal = reason;
    table.add(kMLDomain, {name}, entry);
  };
  add("ArrayFeatureExtractor", convertArrayFeatureExtractor, 2, 2);
  add("Binarizer", convertBinarizer);
  add("CategoryMapper", convertCategoryMapper);
  add("FeatureVectorizer", convertFeatureVectorizer, kVariadic);
  add("Imputer", convertImputer);
  add("LabelEncoder", convertLabelEncoder);
  add("Normalizer", convertNormalizer);
  add("OneHotEncoder", convertOneHotEncoder);
  add("Scaler", convertScaler);
  add("ZipMap", convertZipMap);
  refuse("CastMap", "of maps; give the model the tensor instead");
  refuse("DictVectorizer", "of maps; give the model the tensor instead");
}
