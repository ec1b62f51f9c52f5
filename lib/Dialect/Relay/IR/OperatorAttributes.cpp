//===- OperatorAttributes.cpp - Raw attributes of operators ---------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Dialect/Relay/IR/DType.h"
#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Support/SilentDiagnostics.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// From the raw form
//===----------------------------------------------------------------------===//

static std::optional<int64_t> getInt(Attribute attr) {
  auto integer = dyn_cast<IntegerAttr>(attr);
  if (!integer || isa<BoolAttr>(attr) || integer.getValue().getBitWidth() > 64)
    return std::nullopt;
  return integer.getType().isUnsignedInteger()
             ? static_cast<int64_t>(integer.getValue().getZExtValue())
             : integer.getValue().getSExtValue();
}

static std::optional<double> getFloat(Attribute attr) {
  if (auto number = dyn_cast<FloatAttr>(attr))
    return number.getValueAsDouble();
  if (std::optional<int64_t> integer = getInt(attr))
    return static_cast<double>(*integer);
  return std::nullopt;
}

/// Appends the integers of a list, or of lists in it if it is `nested`.
static bool getInts(Attribute attr, bool nested,
                    SmallVectorImpl<int64_t> &ints) {
  if (auto dense = dyn_cast<DenseI64ArrayAttr>(attr)) {
    llvm::append_range(ints, dense.asArrayRef());
    return true;
  }
  auto array = dyn_cast<ArrayAttr>(attr);
  if (!array)
    return false;
  for (Attribute element : array) {
    if (std::optional<int64_t> value = getInt(element)) {
      ints.push_back(*value);
      continue;
    }
    size_t before = ints.size();
    if (!nested || !getInts(element, /*nested=*/false, ints) ||
        ints.size() != before + 2)
      return false;
  }
  return true;
}

static bool getFloats(Attribute attr, SmallVectorImpl<double> &floats) {
  if (auto dense = dyn_cast<DenseF64ArrayAttr>(attr)) {
    llvm::append_range(floats, dense.asArrayRef());
    return true;
  }
  auto array = dyn_cast<ArrayAttr>(attr);
  if (!array)
    return false;
  for (Attribute element : array) {
    std::optional<double> value = getFloat(element);
    if (!value)
      return false;
    floats.push_back(*value);
  }
  return true;
}

/// Text has maps of indices as strings.
static Attribute convertOther(Attribute raw) {
  constexpr StringLiteral kMap = "affine_map<";
  auto text = dyn_cast<StringAttr>(raw);
  if (!text || !text.getValue().starts_with(kMap))
    return raw;
  SilentDiagnostics silence(raw.getContext());
  return parseAttribute(text.getValue(), raw.getContext());
}

/// Makes an attribute of the operation from a raw one that is not None. Null if
/// it is of another kind.
static Attribute convert(AttrKind kind, Attribute raw, Builder &builder) {
  switch (kind) {
  case AttrKind::Bool:
    if (isa<BoolAttr>(raw))
      return raw;
    if (std::optional<int64_t> value = getInt(raw);
        value && (*value == 0 || *value == 1))
      return builder.getBoolAttr(*value);
    return {};
  case AttrKind::Int:
    if (std::optional<int64_t> value = getInt(raw))
      return builder.getI64IntegerAttr(*value);
    return {};
  case AttrKind::Float:
    if (std::optional<double> value = getFloat(raw))
      return builder.getF64FloatAttr(*value);
    return {};
  case AttrKind::String:
    return dyn_cast<StringAttr>(raw);
  case AttrKind::DType:
    if (isa<TypeAttr>(raw))
      return raw;
    if (auto name = dyn_cast<StringAttr>(raw))
      if (Type type = getDType(name.getValue(), builder.getContext()))
        return TypeAttr::get(type);
    return {};
  case AttrKind::IntOrInts:
    if (std::optional<int64_t> value = getInt(raw))
      return builder.getI64IntegerAttr(*value);
    [[fallthrough]];
  case AttrKind::Ints:
  case AttrKind::Pairs: {
    SmallVector<int64_t> ints;
    // One number may stand for a list of it.
    if (std::optional<int64_t> value = getInt(raw);
        value && kind == AttrKind::Ints)
      ints.push_back(*value);
    else if (!getInts(raw, kind == AttrKind::Pairs, ints) ||
             (kind == AttrKind::Pairs && ints.size() % 2))
      return {};
    return builder.getDenseI64ArrayAttr(ints);
  }
  case AttrKind::Floats: {
    SmallVector<double> floats;
    if (std::optional<double> value = getFloat(raw))
      floats.push_back(*value);
    else if (!getFloats(raw, floats))
      return {};
    return builder.getDenseF64ArrayAttr(floats);
  }
  case AttrKind::Other:
    return convertOther(raw);
  }
  llvm_unreachable("unknown kind");
}

static StringRef describe(AttrKind kind) {
  switch (kind) {
  case AttrKind::Bool:
    return "a bool";
  case AttrKind::Int:
    return "an integer";
  case AttrKind::Float:
    return "a number";
  case AttrKind::String:
    return "a string";
  case AttrKind::DType:
    return "the name of a data type";
  case AttrKind::Ints:
    return "a list of integers";
  case AttrKind::Floats:
    return "a list of numbers";
  case AttrKind::Pairs:
    return "a list of pairs of integers";
  case AttrKind::IntOrInts:
    return "an integer or a list of integers";
  case AttrKind::Other:
    return "a value of the kind that it is for";
  }
  llvm_unreachable("unknown kind");
}

static std::string listAttributes(const OperatorSchema &schema) {
  if (schema.attributes.empty())
    return ("no attributes of '" + schema.name + "'").str();
  std::string text = ("attributes of '" + schema.name + "' (").str();
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(
      schema.attributes, os,
      [&](const AttributeSchema &known) { os << known.name; });
  os << ")";
  return text;
}

/// Whether an attribute that the schema does not have is of no effect: tags
/// that Relay's own printer adds.
static bool isIgnored(const OperatorSchema &schema, StringRef name) {
  if (name == "attrs_type_key" || name == "auto_scheduler_rewritten_layout" ||
      name == "meta_schedule_original_shape")
    return true;
  // These repeat operands.
  return schema.name == "arange" &&
         (name == "start" || name == "stop" || name == "step");
}

/// Whether the operation's definition allows an attribute of no common kind.
static bool isAllowed(const OperatorSchema &schema, StringRef name,
                      Attribute value) {
  MLIRContext *context = value.getContext();
  auto op = RegisteredOperationName::lookup(
      (RelayDialect::getDialectNamespace() + "." + schema.name).str(), context);
  NamedAttrList attrs;
  attrs.set(name, value);
  // Its words are those of the definition.
  SilentDiagnostics silence(context);
  return !op || succeeded(op->verifyInherentAttrs(attrs, [&] {
    return emitError(UnknownLoc::get(context));
  }));
}

FailureOr<NamedAttrList>
relay::convertRawAttrs(const OperatorSchema &schema,
                       ArrayRef<NamedAttribute> raw, MLIRContext *context,
                       function_ref<InFlightDiagnostic()> emitError) {
  if (schema.takesAnyAttribute)
    return NamedAttrList(raw);
  Builder builder(context);
  NamedAttrList result;
  bool valid = true;
  // Handlers print types and attributes each in its own way.
  auto report = [&](auto &&...parts) {
    valid = false;
    if (emitError)
      (emitError() << ... << parts);
  };
  for (NamedAttribute attr : raw) {
    StringRef name = attr.getName();
    const AttributeSchema *attribute = schema.lookupAttribute(name);
    if (!attribute) {
      if (!isIgnored(schema, name))
        report("expects ", listAttributes(schema), ", but got '", name, "'");
      continue;
    }
    Attribute value = attr.getValue();
    // A data type that is not set has no name, or is void.
    auto text = dyn_cast<StringAttr>(value);
    bool isNone = isa<UnitAttr>(value) ||
                  (attribute->kind == AttrKind::DType && text &&
                   (text.empty() || text == "void" || text == "handle"));
    if (isNone && attribute->presence != AttrPresence::Required)
      continue;
    Attribute converted =
        isNone ? Attribute() : convert(attribute->kind, value, builder);
    if (converted && (attribute->kind != AttrKind::Other ||
                      isAllowed(schema, name, converted))) {
      result.set(attr.getName(), converted);
      continue;
    }
    if (isNone)
      report("expects '", name, "' of '", schema.name, "' to be ",
             describe(attribute->kind), ", but got None");
    else
      report("expects '", name, "' of '", schema.name, "' to be ",
             describe(attribute->kind), ", but got ", value);
  }
  for (const AttributeSchema &attribute : schema.attributes)
    if (attribute.presence == AttrPresence::Required &&
        llvm::none_of(raw, [&](NamedAttribute attr) {
          return attr.getName() == attribute.name;
        }))
      report("expects attribute '", attribute.name, "' of '", schema.name, "'");
  if (!valid)
    return failure();
  return result;
}

//===----------------------------------------------------------------------===//
// To the raw form
//===----------------------------------------------------------------------===//

static Attribute getRawInt(int64_t value, Builder &builder) {
  return llvm::isInt<32>(value) ? builder.getI32IntegerAttr(value)
                                : builder.getI64IntegerAttr(value);
}

static Attribute toRaw(AttrKind kind, Attribute attr, Builder &builder) {
  if (auto type = dyn_cast<TypeAttr>(attr))
    return builder.getStringAttr(getDTypeName(type.getValue()));
  if (auto integer = dyn_cast<IntegerAttr>(attr);
      integer && !isa<BoolAttr>(attr))
    return getRawInt(*getInt(attr), builder);
  if (auto floats = dyn_cast<DenseF64ArrayAttr>(attr))
    return builder.getArrayAttr(llvm::map_to_vector(
        floats.asArrayRef(), [&](double value) -> Attribute {
          return builder.getF64FloatAttr(value);
        }));
  if (isa<AffineMapAttr>(attr)) {
    std::string text;
    llvm::raw_string_ostream(text) << attr;
    return builder.getStringAttr(text);
  }
  auto ints = dyn_cast<DenseI64ArrayAttr>(attr);
  if (!ints)
    return attr;
  SmallVector<Attribute> elements;
  for (int64_t value : ints.asArrayRef())
    elements.push_back(getRawInt(value, builder));
  if (kind != AttrKind::Pairs || elements.size() % 2)
    return builder.getArrayAttr(elements);
  SmallVector<Attribute> pairs;
  for (size_t i = 0; i < elements.size(); i += 2)
    pairs.push_back(
        builder.getArrayAttr(ArrayRef<Attribute>(elements).slice(i, 2)));
  return builder.getArrayAttr(pairs);
}

SmallVector<NamedAttribute> relay::toRawAttrs(const OperatorSchema &schema,
                                              DictionaryAttr attrs) {
  if (schema.takesAnyAttribute)
    return llvm::to_vector(attrs.getValue());
  MLIRContext *context = attrs.getContext();
  Builder builder(context);
  SmallVector<NamedAttribute> result;
  for (const AttributeSchema &attribute : schema.attributes) {
    Attribute value = attrs.get(attribute.name);
    if (!value) {
      if (attribute.presence == AttrPresence::Nullable)
        result.push_back(
            builder.getNamedAttr(attribute.name, builder.getUnitAttr()));
      continue;
    }
    value = toRaw(attribute.kind, value, builder);
    if (value != attribute.getDefault(context))
      result.push_back(builder.getNamedAttr(attribute.name, value));
  }
  return result;
}

SmallVector<NamedAttribute> relay::toRawAttrs(Operation *op) {
  const OperatorSchema *schema = getOperatorSchema(op);
  return schema ? toRawAttrs(*schema, op->getAttrDictionary())
                : SmallVector<NamedAttribute>();
}

SmallVector<NamedAttribute>
relay::normalizeRawAttrs(const OperatorSchema &schema,
                         ArrayRef<NamedAttribute> raw, MLIRContext *context) {
  FailureOr<NamedAttrList> attrs = convertRawAttrs(schema, raw, context);
  if (failed(attrs))
    return SmallVector<NamedAttribute>(raw);
  return toRawAttrs(schema, attrs->getDictionary(context));
}
