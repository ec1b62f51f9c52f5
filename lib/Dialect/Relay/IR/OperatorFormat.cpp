//===- OperatorFormat.cpp - Assembly and types that all operators share ---===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OperatorFormat.h"

#include "relay-mlir/Dialect/Relay/IR/PolymorphicTypes.h"

#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::relay;

Attribute relay::detail::toDenseArray(Attribute attr) {
  auto array = dyn_cast<ArrayAttr>(attr);
  if (!array)
    return attr;
  SmallVector<int64_t> integers;
  SmallVector<double> floats;
  for (Attribute element : array) {
    if (auto integer = dyn_cast<IntegerAttr>(element);
        integer && integer.getType().isSignlessInteger(64))
      integers.push_back(integer.getInt());
    else if (auto number = dyn_cast<FloatAttr>(element))
      floats.push_back(number.getValueAsDouble());
  }
  if (integers.size() == array.size())
    return DenseI64ArrayAttr::get(attr.getContext(), integers);
  if (floats.size() == array.size())
    return DenseF64ArrayAttr::get(attr.getContext(), floats);
  return attr;
}

ParseResult relay::detail::parseOperator(OpAsmParser &parser,
                                         OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand, 4> operands;
  NamedAttrList attributes;
  FunctionType type;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseOperandList(operands))
    return failure();
  SMLoc attributesLocation = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDict(attributes) || parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), location,
                             result.operands))
    return failure();
  for (NamedAttribute attribute : attributes) {
    // A name of no dialect that the operator does not know is a slip.
    if (!attribute.getName().getValue().contains('.') &&
        !llvm::is_contained(result.name.getAttributeNames(),
                            attribute.getName())) {
      InFlightDiagnostic diag = parser.emitError(attributesLocation)
                                << "expects attributes of '" << result.name
                                << "' (";
      llvm::interleaveComma(result.name.getAttributeNames(), diag,
                            [&](StringAttr name) { diag << name.getValue(); });
      return diag << "), but got '" << attribute.getName().getValue() << "'";
    }
    result.addAttribute(attribute.getName(),
                        toDenseArray(attribute.getValue()));
  }
  result.addTypes(type.getResults());
  // An attribute of another kind would be lost when it becomes a property.
  return result.name.verifyInherentAttrs(result.attributes, [&]() {
    return parser.emitError(attributesLocation)
           << "'" << result.name << "' op ";
  });
}

/// Prints dense arrays as lists, and numbers without the type that the parser
/// gives them anyway.
static void printAttribute(OpAsmPrinter &printer, Attribute attr) {
  auto integer = dyn_cast<IntegerAttr>(attr);
  auto number = dyn_cast<FloatAttr>(attr);
  if ((integer && integer.getType().isSignlessInteger(64)) ||
      (number && number.getType().isF64())) {
    std::string text;
    llvm::raw_string_ostream os(text);
    attr.print(os, /*elideType=*/true);
    // Bits of a float without a type would be an integer.
    if (!number || !StringRef(text).starts_with("0x")) {
      printer << text;
      return;
    }
  }
  if (auto integers = dyn_cast<DenseI64ArrayAttr>(attr)) {
    printer << '[';
    llvm::interleaveComma(integers.asArrayRef(), printer);
    printer << ']';
  } else if (auto floats = dyn_cast<DenseF64ArrayAttr>(attr);
             floats && !floats.empty()) {
    printer << '[';
    Type f64 = Float64Type::get(attr.getContext());
    llvm::interleaveComma(floats.asArrayRef(), printer, [&](double value) {
      printAttribute(printer, FloatAttr::get(f64, value));
    });
    printer << ']';
  } else {
    printer.printAttribute(attr);
  }
}

void relay::detail::printOperator(OpAsmPrinter &printer, Operation *op,
                                  DictionaryAttr defaults) {
  if (op->getNumOperands())
    printer << ' ' << op->getOperands();
  SmallVector<NamedAttribute> attributes;
  for (NamedAttribute attribute : op->getAttrDictionary())
    if (defaults.get(attribute.getName()) != attribute.getValue())
      attributes.push_back(attribute);
  if (!attributes.empty()) {
    printer << " {";
    llvm::interleaveComma(attributes, printer, [&](NamedAttribute attribute) {
      printer.printKeywordOrString(attribute.getName());
      if (isa<UnitAttr>(attribute.getValue()))
        return;
      printer << " = ";
      printAttribute(printer, attribute.getValue());
    });
    printer << '}';
  }
  printer << " : ";
  printer.printFunctionalType(op);
}

bool relay::detail::areTypesCompatible(TypeRange inferred, TypeRange actual) {
  return inferred.size() == actual.size() &&
         llvm::all_of(llvm::zip_equal(inferred, actual), [](auto pair) {
           return areCompatible(std::get<0>(pair), std::get<1>(pair));
         });
}

FailureOr<int64_t>
relay::detail::normalizeAxis(std::optional<Location> location, int64_t axis,
                             int64_t rank, StringRef name) {
  if (axis < -rank || axis >= rank)
    return emitOptionalError(location, "expects ", name, " in the range [",
                             -rank, ", ", rank, "), but got ", axis);
  return axis < 0 ? axis + rank : axis;
}

std::string relay::detail::formatShape(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '(';
  llvm::interleaveComma(shape, os, [&](int64_t size) {
    if (ShapedType::isDynamic(size))
      os << '?';
    else
      os << size;
  });
  os << ')';
  return text;
}

LogicalResult relay::detail::checkMode(std::optional<Location> location,
                                       StringRef name, StringRef mode,
                                       ArrayRef<StringRef> modes) {
  if (llvm::is_contained(modes, mode))
    return success();
  return emitOptionalError(location, "expects ", name, " to be one of ",
                           llvm::join(modes, ", "), ", but got ", mode);
}

LogicalResult relay::detail::checkResizeModes(std::optional<Location> location,
                                              StringRef method,
                                              StringRef coordinates,
                                              StringRef rounding) {
  return success(
      succeeded(checkMode(location, "method", method,
                          {"nearest_neighbor", "linear", "cubic"})) &&
      succeeded(checkMode(
          location, "coordinate_transformation_mode", coordinates,
          {"half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel",
           "tf_half_pixel_for_nn", "tf_crop_and_resize"})) &&
      // An empty one follows from the coordinate transformation.
      succeeded(checkMode(location, "rounding_method", rounding,
                          {"", "round", "floor", "ceil", "round_prefer_floor",
                           "round_prefer_ceil"})));
}

LogicalResult relay::detail::checkElementType(std::optional<Location> location,
                                              Value data, Value value,
                                              StringRef name) {
  Type expected = getElementTypeOrSelf(data);
  Type actual = getElementTypeOrSelf(value);
  if (expected == actual)
    return success();
  return emitOptionalError(location, "expects ", name, " of element type ",
                           expected, " as of data, but got ", actual);
}

LogicalResult relay::detail::checkAxes(std::optional<Location> location,
                                       Value data, ArrayRef<int64_t> axes) {
  int64_t rank = cast<RankedTensorType>(data.getType()).getRank();
  SmallVector<bool> seen(rank, false);
  for (int64_t axis : axes) {
    FailureOr<int64_t> dim = normalizeAxis(location, axis, rank);
    if (failed(dim))
      return failure();
    if (std::exchange(seen[*dim], true))
      return emitOptionalError(location, "expects distinct axes, but got [",
                               axes, "]");
  }
  return success();
}

LogicalResult relay::detail::verifyAlongAxis(Operation *op, Value data,
                                             Value vector, StringRef name,
                                             int64_t axis) {
  auto dataType = cast<RankedTensorType>(data.getType());
  auto vectorType = cast<RankedTensorType>(vector.getType());
  FailureOr<int64_t> normalized =
      normalizeAxis(op->getLoc(), axis, dataType.getRank());
  if (failed(normalized))
    return failure();
  int64_t size = dataType.getDimSize(*normalized);
  int64_t length = vectorType.getDimSize(0);
  if (vectorType.getElementType() != dataType.getElementType())
    return op->emitOpError("expects ")
           << name << " of element type " << dataType.getElementType()
           << ", but got " << vectorType.getElementType();
  if (ShapedType::isStatic(size) && ShapedType::isStatic(length) &&
      size != length) {
    InFlightDiagnostic diag = op->emitOpError("expects ")
                              << name << " of length " << size
                              << " to match axis " << axis
                              << " of data, but got length " << length;
    diag.attachNote(vector.getLoc()) << name << " is defined here";
    return diag;
  }
  return success();
}
