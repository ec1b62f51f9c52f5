//===- FixedInputs.cpp - Sizes and inputs known to the compiler -----------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/FixedInputs.h"
#include "relay-mlir/Support/SizeNames.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <deque>

using namespace mlir;
using namespace mlir::relay;

bool FixedInputs::empty() const {
  return dims.empty() && shapes.empty() && values.empty();
}

//===----------------------------------------------------------------------===//
// The command line
//===----------------------------------------------------------------------===//

template <typename... Parts>
static llvm::Error makeError(const Parts &...parts) {
  std::string text;
  llvm::raw_string_ostream os(text);
  (os << ... << parts);
  return llvm::createStringError(text);
}

template <typename T>
static llvm::Error addOnce(llvm::StringMap<T> &map, StringRef name, T value) {
  if (map.try_emplace(name, std::move(value)).second)
    return llvm::Error::success();
  return makeError("expects '", name, "' once, but got it twice");
}

llvm::Error FixedInputs::addDim(StringRef text) {
  // A name may have a "=" itself.
  auto [name, number] = text.rsplit('=');
  int64_t size;
  if (name.empty() || number.getAsInteger(10, size) || size < 0)
    return makeError("expects a name and a size, such as n=16, but got '", text,
                     "'");
  return addOnce(dims, name, size);
}

llvm::Error FixedInputs::addShape(StringRef text) {
  auto [name, list] = text.rsplit('=');
  SmallVector<int64_t> shape;
  bool isGood = !name.empty() && text.contains('=');
  SmallVector<StringRef> parts;
  if (!list.empty())
    list.split(parts, 'x');
  for (StringRef part : parts) {
    int64_t size = -1;
    isGood &= part == "?" || (!part.getAsInteger(10, size) && size >= 0);
    shape.push_back(size);
  }
  if (!isGood)
    return makeError("expects the name of an input and its sizes, such as "
                     "x=1x3x?x224, but got '",
                     text, "'");
  return addOnce(shapes, name, std::move(shape));
}

llvm::Error FixedInputs::addValue(StringRef text) {
  auto [name, number] = text.rsplit('=');
  if (name.empty() || number.empty())
    return makeError("expects the name of an input and its elements, such as "
                     "scale=0.5, but got '",
                     text, "'");
  return setValue(name, Value{number.str(), {}, std::nullopt});
}

llvm::Error FixedInputs::setValue(StringRef name, Value value) {
  return addOnce(values, name, std::move(value));
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// Reads a number as an element of `type`; null if it is none.
static TypedAttr parseElement(StringRef text, Type type) {
  text = text.trim();
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat number(floatType.getFloatSemantics());
    llvm::Expected<APFloat::opStatus> status =
        text.empty()
            ? llvm::Expected<APFloat::opStatus>(
                  llvm::createStringError("no number"))
            : number.convertFromString(text, APFloat::rmNearestTiesToEven);
    if (!status) {
      llvm::consumeError(status.takeError());
      return {};
    }
    if (*status & APFloat::opOverflow)
      return {};
    return FloatAttr::get(type, number);
  }
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer)
    return {};
  unsigned width = integer.getWidth();
  if (width == 1 && (text == "true" || text == "false"))
    return IntegerAttr::get(type, text == "true");
  bool isNegative = text.consume_front("-");
  APInt number;
  if (text.getAsInteger(10, number))
    return {};
  number = number.zext(std::max(number.getBitWidth(), width) + 1);
  if (isNegative)
    number.negate();
  bool isUnsigned = integer.isUnsigned() || width == 1;
  bool fits = isUnsigned
                  ? (!isNegative || number.isZero()) && number.isIntN(width)
                  : number.isSignedIntN(width);
  if (!fits)
    return {};
  return IntegerAttr::get(type, number.trunc(width));
}

/// The elements that a user gives an input of `type`.
static FailureOr<ElementsAttr>
getElements(const FixedInputs::Value &value, StringRef name, Type elementType,
            std::optional<ArrayRef<int64_t>> shape,
            function_ref<InFlightDiagnostic()> emitError) {
  if (ElementsAttr tensor = value.tensor) {
    auto type = cast<RankedTensorType>(tensor.getShapedType());
    if (type.getElementType() == elementType &&
        (!shape || succeeded(verifyCompatibleShape(type.getShape(), *shape))))
      return tensor;
    InFlightDiagnostic diagnostic = emitError();
    diagnostic << "expects the value of input \"" << name << "\" to be ";
    if (shape)
      diagnostic << RankedTensorType::get(*shape, elementType);
    else
      diagnostic << "of " << elementType;
    return diagnostic << ", but got " << type;
  }
  if (value.sizes) {
    if (shape && failed(verifyCompatibleShape(*value.sizes, *shape)))
      return emitError() << "expects the value of input \"" << name
                         << "\" to be "
                         << RankedTensorType::get(*shape, elementType)
                         << ", but got "
                         << RankedTensorType::get(*value.sizes, elementType);
    shape = *value.sizes;
  }
  SmallVector<StringRef> parts;
  if (!value.sizes || !value.text.empty())
    StringRef(value.text).split(parts, ',');
  SmallVector<Attribute> elements;
  for (StringRef part : parts) {
    elements.push_back(parseElement(part, elementType));
    if (!elements.back())
      return emitError() << "expects numbers of type " << elementType
                         << " for input \"" << name << "\", but got '" << part
                         << "'";
  }
  int64_t count = elements.size();
  SmallVector<int64_t> sizes;
  if (!shape && count > 1)
    sizes = {count};
  else if (shape)
    llvm::append_range(sizes, *shape);
  // One open size is what the others leave.
  int64_t known = 1, numOpen = 0;
  for (int64_t size : sizes)
    if (ShapedType::isDynamic(size))
      ++numOpen;
    else if (llvm::MulOverflow(known, size, known))
      known = std::numeric_limits<int64_t>::max();
  bool fits = numOpen == 0 ? known == count
                           : numOpen == 1 && known > 0 && count % known == 0;
  if (!fits)
    return emitError() << "expects as many numbers as input \"" << name
                       << "\" of type "
                       << RankedTensorType::get(sizes, elementType)
                       << " has, but got " << count;
  for (int64_t &size : sizes)
    if (ShapedType::isDynamic(size))
      size = count / known;
  return ElementsAttr(DenseElementsAttr::get(
      RankedTensorType::get(sizes, elementType), elements));
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

namespace {

/// The inputs of one model, as what is fixed becomes known.
class InputFixer {
public:
  InputFixer(const FixedInputs &fixed, ArrayRef<ModelInput> given,
             function_ref<InFlightDiagnostic()> emitError)
      : fixed(fixed), inputs(given), emitError(emitError), sizes(fixed.dims) {
    nameSizes();
  }

  FailureOr<SmallVector<FixedInput>> run();

private:
  /// Gives names to open sizes without one.
  void nameSizes();
  LogicalResult checkNames() const;
  LogicalResult addInput(const ModelInput &input);
  LogicalResult setSize(const ModelInput &input, unsigned dim, int64_t size);

  const FixedInputs &fixed;
  SmallVector<ModelInput> inputs;
  std::deque<std::string> madeNames;
  function_ref<InFlightDiagnostic()> emitError;
  /// Those with names.
  llvm::StringMap<int64_t> sizes;
  /// Of each input, its shape; that of a constant is static.
  SmallVector<std::optional<SmallVector<int64_t>>> shapes;
  SmallVector<ElementsAttr> values;
};

} // namespace

void InputFixer::nameSizes() {
  llvm::StringSet<> given;
  for (const ModelInput &input : inputs)
    given.insert_range(input.dimNames);
  unsigned number = 0;
  for (ModelInput &input : inputs) {
    if (!input.shape || ShapedType::isStaticShape(*input.shape))
      continue;
    input.dimNames.resize(input.shape->size());
    for (auto [name, size] : llvm::zip_equal(input.dimNames, *input.shape))
      if (name.empty() && ShapedType::isDynamic(size))
        name = madeNames.emplace_back(makeSizeName(
            number, [&](StringRef name) { return given.contains(name); }));
  }
}

LogicalResult InputFixer::checkNames() const {
  llvm::SetVector<StringRef> inputNames, dimNames;
  for (const ModelInput &input : inputs) {
    inputNames.insert(input.name);
    for (StringRef name : input.dimNames)
      if (!name.empty())
        dimNames.insert(name);
  }
  auto check = [&](StringRef name, const llvm::SetVector<StringRef> &names,
                   StringRef what) -> LogicalResult {
    if (names.contains(name))
      return success();
    InFlightDiagnostic diagnostic = emitError();
    diagnostic << "expects the name of " << what << ", but got \"" << name
               << "\"; ";
    if (names.empty())
      return diagnostic << "the model has none";
    diagnostic << "there are ";
    llvm::interleaveComma(names, diagnostic, [&](StringRef known) {
      diagnostic << '"' << known << '"';
    });
    return diagnostic;
  };
  for (const auto &entry : fixed.dims)
    if (failed(check(entry.getKey(), dimNames, "an open size")))
      return failure();
  for (const auto &entry : fixed.shapes) {
    if (failed(check(entry.getKey(), inputNames, "an input")))
      return failure();
    if (fixed.values.contains(entry.getKey()))
      return emitError() << "expects a shape or a value for input \""
                         << entry.getKey() << "\", but got both";
  }
  for (const auto &entry : fixed.values)
    if (failed(check(entry.getKey(), inputNames, "an input")))
      return failure();
  return success();
}

/// Notes a size that becomes known, for all that have its name.
LogicalResult InputFixer::setSize(const ModelInput &input, unsigned dim,
                                  int64_t size) {
  if (ShapedType::isDynamic(size) || dim >= input.dimNames.size() ||
      input.dimNames[dim].empty())
    return success();
  StringRef name = input.dimNames[dim];
  auto [it, isNew] = sizes.try_emplace(name, size);
  if (isNew || it->second == size)
    return success();
  return emitError() << "expects one size for \"" << name << "\", but got "
                     << it->second << ", and " << size << " in input \""
                     << input.name << '"';
}

LogicalResult InputFixer::addInput(const ModelInput &input) {
  std::optional<SmallVector<int64_t>> shape = input.shape;
  ElementsAttr value;
  auto given = fixed.shapes.find(input.name);
  auto constant = fixed.values.find(input.name);
  bool isFixed = given != fixed.shapes.end() || constant != fixed.values.end();
  if (isFixed && !input.elementType)
    return emitError()
           << "expects the name of an input that is a tensor, but \""
           << input.name << "\" is not";
  if (given != fixed.shapes.end()) {
    if (shape && shape->size() != given->second.size())
      return emitError() << "expects " << shape->size()
                         << " dimensions for input \"" << input.name
                         << "\", but got " << given->second.size();
    shape.emplace(llvm::map_range(given->second, [](int64_t size) {
      return size < 0 ? ShapedType::kDynamic : size;
    }));
  }
  if (constant != fixed.values.end()) {
    // Numbers take the shape that is known, an array is compared with it.
    if (shape && !constant->second.tensor)
      for (auto [size, name] : llvm::zip(*shape, input.dimNames))
        if (auto it = sizes.find(name);
            ShapedType::isDynamic(size) && it != sizes.end())
          size = it->second;
    std::optional<ArrayRef<int64_t>> expected;
    if (shape)
      expected = *shape;
    FailureOr<ElementsAttr> elements = getElements(
        constant->second, input.name, input.elementType, expected, emitError);
    if (failed(elements))
      return failure();
    value = *elements;
    shape.emplace(value.getShapedType().getShape());
  }
  if (isFixed)
    for (auto [dim, size] : llvm::enumerate(*shape))
      if (failed(setSize(input, dim, size)))
        return failure();
  shapes.push_back(std::move(shape));
  values.push_back(value);
  return success();
}

FailureOr<SmallVector<FixedInput>> InputFixer::run() {
  if (failed(checkNames()))
    return failure();
  for (const ModelInput &input : inputs)
    if (failed(addInput(input)))
      return failure();
  SmallVector<FixedInput> results;
  for (auto [input, shape, value] : llvm::zip_equal(inputs, shapes, values)) {
    RankedTensorType type;
    if (input.elementType && shape) {
      for (auto [size, name] : llvm::zip(*shape, input.dimNames))
        if (auto it = sizes.find(name);
            ShapedType::isDynamic(size) && it != sizes.end())
          size = it->second;
      type = RankedTensorType::get(*shape, input.elementType);
    }
    results.push_back({type, value});
  }
  return results;
}

FailureOr<SmallVector<FixedInput>>
mlir::relay::fixInputs(const FixedInputs &fixed, ArrayRef<ModelInput> inputs,
                       function_ref<InFlightDiagnostic()> emitError) {
  return InputFixer(fixed, inputs, emitError).run();
}
