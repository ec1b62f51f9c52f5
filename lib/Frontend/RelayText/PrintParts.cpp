//===- PrintParts.cpp - Parts of lines of Relay text ----------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one line of Relay text consists of: names that are free and that the
// parser reads back as the same name, leaves, calls with their attributes,
// signatures, patterns, and comments with types and places. Printer.cpp decides
// which lines there are and in which order.
//
//===----------------------------------------------------------------------===//

#include "DataTypes.h"
#include "Lexer.h"
#include "Literals.h"
#include "Printer.h"

#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::relay;
using namespace mlir::relay::text;

static std::string quoteName(StringRef sigil, StringRef name) {
  return sigil.str() + (isPlainName(name) ? name.str() : escape(name));
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// The name without what could be read as projections of a shorter one.
static StringRef dropProjection(StringRef name) {
  // Quotes leave no doubt.
  if (!isPlainName(name))
    return name;
  auto [front, back] = name.rsplit('.');
  return !back.empty() && llvm::all_of(back, llvm::isDigit) ? front : name;
}

bool Printer::isTaken(StringRef name) const {
  if (names.contains(name) || projected.contains(name))
    return true;
  for (StringRef front = dropProjection(name); front != name;
       name = front, front = dropProjection(name))
    if (names.contains(front))
      return true;
  return false;
}

std::string Printer::makeUnique(StringRef hint) {
  std::string name = hint.str();
  if (name.empty() || !llvm::isAlpha(name.front()))
    name.insert(name.begin(), 'v');
  // A digit more would not help where `%x.1` and `%x` collide.
  if (isTaken(name) && dropProjection(name) != name)
    name += '_';
  if (isTaken(name)) {
    unsigned &count = names[name];
    std::string base = name;
    do
      name = base + std::to_string(++count);
    while (isTaken(name));
  }
  names.try_emplace(name, 0);
  for (StringRef rest = name, front = dropProjection(rest); front != rest;
       rest = front, front = dropProjection(rest))
    projected.insert(front);
  return name;
}

std::string Printer::bind(const ast::Var &var) {
  auto known = references.find(&var);
  if (known != references.end())
    return known->second + "-malformed-ir";
  std::string result = quoteName("%", makeUnique(var.name));
  references[&var] = result;
  if (var.virtualDevice)
    result += " {virtual_device=" + formatAttribute(var.virtualDevice) + "}";
  if (var.annotation)
    result += ": " + getTypeText(var.annotation);
  // The oldest version says nothing of variables.
  if (options.version != TextVersion::V0_0_1)
    result += getInfo(var);
  return result;
}

//===----------------------------------------------------------------------===//
// Comments
//===----------------------------------------------------------------------===//

bool Printer::hasTypeComment(const ast::Expr &expr) const {
  if (options.version != TextVersion::V0_0_5)
    return isa<ast::Constant, ast::Call>(expr);
  return isa<ast::Constant, ast::Call, ast::Var, ast::Function, ast::Tuple,
             ast::TupleGetItem>(expr);
}

std::string Printer::formatSpan(LocationAttr location) const {
  if (!options.showSpans || !location)
    return "";
  std::string result;
  location.walk([&](Location inner) {
    auto place = dyn_cast<FileLineColRange>(inner);
    if (!place)
      return WalkResult::advance();
    result = (place.getFilename().getValue() + ":" +
              Twine(place.getStartLine()) + ":" + Twine(place.getStartColumn()))
                 .str();
    return WalkResult::interrupt();
  });
  // What ends a comment cannot stand in one.
  return StringRef(result).contains("*/") || StringRef(result).contains("/*")
             ? ""
             : result;
}

std::string Printer::getInfo(const ast::Expr &expr) {
  if (!hasInfo.insert(&expr).second)
    return "";
  if (options.annotate)
    return options.annotate(const_cast<ast::Expr &>(expr).shared_from_this());
  if (!hasTypeComment(expr))
    return "";
  std::string comment;
  if (options.showTypes && expr.checkedType)
    comment += " ty=" + getTypeText(expr.checkedType);
  std::string span = formatSpan(expr.location);
  if (!span.empty())
    comment += " span=" + span;
  return comment.empty() ? "" : " /*" + comment + " */";
}

const std::string &Printer::getTypeText(Type type) {
  std::string &result = typeTexts[type];
  if (result.empty())
    result = formatType(type, options.version);
  return result;
}

//===----------------------------------------------------------------------===//
// Leaves
//===----------------------------------------------------------------------===//

std::string Printer::formatConstant(const ast::Constant &constant) {
  auto dense = dyn_cast<DenseElementsAttr>(constant.value);
  if (!dense || dense.getType().getRank() != 0)
    return formatMeta(constant.value);
  Type type = dense.getElementType();
  // The older versions have fewer literals.
  if (options.version != TextVersion::V0_0_5 && !type.isF32() &&
      !type.isSignlessInteger(32) && !type.isInteger(1))
    return formatMeta(constant.value);
  std::optional<std::string> literal =
      formatScalar(*dense.value_begin<Attribute>(), type);
  if (!literal)
    return formatMeta(constant.value);
  StringRef digits = *literal;
  if (options.version == TextVersion::V0_0_1 && type.isF32() &&
      digits.consume_back("f")) {
    if (digits.ends_with("inf"))
      return formatMeta(constant.value);
    bool isFraction = digits.find_first_of(".e") != StringRef::npos;
    return digits.str() + (isFraction ? "" : ".0");
  }
  return *literal;
}

std::string Printer::getLeaf(const ast::Expr &expr) {
  if (auto *constant = dyn_cast<ast::Constant>(&expr))
    return formatConstant(*constant) + getInfo(expr);
  std::string name;
  if (auto *constructor = dyn_cast<ast::Constructor>(&expr)) {
    // Without fields the name alone is a value, not the function.
    name = constructor->fields.empty() ? "fn () { " + constructor->name + " }"
                                       : constructor->name;
  } else if (auto *op = dyn_cast<ast::Op>(&expr)) {
    name = op->name;
  } else {
    name = quoteName("@", cast<ast::GlobalVar>(expr).name);
  }
  std::string &reference = namedReferences[name];
  if (reference.empty())
    reference = name + getInfo(expr);
  return reference;
}

const std::string &Printer::getReference(const ast::Expr &expr) {
  auto it = references.find(&expr);
  assert(it != references.end() && "operands are visited first");
  return it->second;
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

std::string Printer::formatCall(const ast::Call &call) {
  std::vector<std::string> parts;
  for (const ast::ExprPtr &arg : call.args)
    parts.push_back(getReference(*arg));
  if (std::string attrs = formatCallAttributes(call); !attrs.empty())
    parts.push_back(std::move(attrs));
  if (auto *constructor = dyn_cast<ast::Constructor>(call.callee.get())) {
    if (constructor->fields.empty() && parts.empty())
      return constructor->name;
    return constructor->name + "(" + llvm::join(parts, ", ") + ")";
  }
  return getReference(*call.callee) + "(" + llvm::join(parts, ", ") + ")";
}

std::string Printer::formatTuple(const ast::Tuple &tuple) {
  std::string result = "(";
  llvm::ListSeparator comma;
  for (const ast::ExprPtr &field : tuple.fields) {
    result += StringRef(comma);
    result += getReference(*field);
  }
  return result + (tuple.fields.size() == 1 ? ",)" : ")");
}

std::string Printer::formatProjection(const ast::TupleGetItem &item) {
  std::string tuple = getReference(*item.tuple);
  // The digits would become part of these.
  if (isa<ast::Constant, ast::GlobalVar, ast::Op, ast::Constructor>(
          *item.tuple))
    tuple = "(" + tuple + ")";
  return tuple + "." + std::to_string(item.index);
}

/// From the type parameters to the space before the body.
std::string Printer::formatSignature(const ast::Function &function) {
  std::string result;
  if (!function.typeParams.empty())
    result += "[" + llvm::join(function.typeParams, ", ") + "]";
  std::vector<std::string> parts;
  for (const std::shared_ptr<ast::Var> &param : function.params)
    parts.push_back(bind(*param));
  // Not another attribute, but a property of the function: the last.
  std::vector<NamedAttribute> attrs, devices;
  for (NamedAttribute attr : function.attrs)
    (attr.getName() == "virtual_device" ? devices : attrs).push_back(attr);
  llvm::append_range(attrs, devices);
  if (!attrs.empty())
    parts.push_back(formatAttributes(attrs));
  result += "(" + llvm::join(parts, ", ") + ") ";
  if (function.returnType)
    result += "-> " + getTypeText(function.returnType) + " ";
  return result;
}

std::string Printer::formatPattern(const ast::Pattern &pattern) {
  auto join = [&](ArrayRef<ast::PatternPtr> fields) {
    std::vector<std::string> parts;
    for (const ast::PatternPtr &field : fields)
      parts.push_back(formatPattern(*field));
    return "(" + llvm::join(parts, ", ") + ")";
  };
  if (auto *var = dyn_cast<ast::PatternVar>(&pattern))
    return bind(*var->var);
  if (auto *tuple = dyn_cast<ast::PatternTuple>(&pattern))
    return join(tuple->fields);
  auto *constructor = dyn_cast<ast::PatternConstructor>(&pattern);
  if (!constructor)
    return "_";
  if (constructor->fields.empty())
    return constructor->constructor->name;
  return constructor->constructor->name + join(constructor->fields);
}

std::string Printer::formatTypeDefinition(const ast::TypeData &type) {
  std::string result = (type.isExtern ? "extern type " : "type ") + type.name;
  if (!type.typeParams.empty())
    result += "[" + llvm::join(type.typeParams, ", ") + "]";
  result += " {\n";
  for (const std::shared_ptr<ast::Constructor> &constructor :
       type.constructors) {
    std::vector<std::string> fields;
    for (Type field : constructor->fields)
      fields.push_back(getTypeText(field));
    result += "  " + constructor->name;
    if (!fields.empty())
      result += "(" + llvm::join(fields, ", ") + ")";
    result += ",\n";
  }
  if (type.constructors.empty())
    result += "\n";
  return result + "}\n";
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

MLIRContext *Printer::getContext(const ast::Call &call) {
  if (!call.attrs.empty())
    return call.attrs.front().getName().getContext();
  if (call.checkedType)
    return call.checkedType.getContext();
  if (call.location)
    return call.location.getContext();
  if (!ownContext)
    ownContext =
        std::make_unique<MLIRContext>(MLIRContext::Threading::DISABLED);
  return ownContext.get();
}

/// The attributes of a call. Of an operator those that differ from the
/// default, and those that have none.
std::string Printer::formatCallAttributes(const ast::Call &call) {
  auto *op = dyn_cast<ast::Op>(call.callee.get());
  const OperatorSchema *schema = op ? getOperatorSchema(op->name) : nullptr;
  if (!schema || (call.attrs.empty() && schema->attributes.empty()))
    return formatAttributes(call.attrs);
  if (!call.attrs.empty())
    return formatAttributes(
        normalizeRawAttrs(*schema, call.attrs, getContext(call)));
  auto [it, isNew] = bareAttributes.try_emplace(op->name);
  if (isNew)
    it->second =
        formatAttributes(normalizeRawAttrs(*schema, {}, getContext(call)));
  return it->second;
}

std::string Printer::formatMeta(Attribute value) { return metadata.add(value); }

static std::string formatInteger(IntegerAttr value) {
  Type type = value.getType();
  if (type.isInteger(1))
    return value.getValue().isZero() ? "False" : "True";
  llvm::SmallString<24> digits;
  value.getValue().toString(digits, 10, !type.isUnsignedInteger());
  if (type.isSignlessInteger(16) || type.isSignlessInteger(64))
    return (digits + "i" + Twine(type.getIntOrFloatBitWidth())).str();
  return digits.str().str();
}

static std::string formatFloatAttribute(FloatAttr value) {
  if (value.getValue().isNaN())
    return "nanf";
  if (value.getValue().isInfinity())
    return value.getValue().isNegative() ? "-inff" : "inff";
  return formatFloat(value.getValue()) + "f";
}

/// Lists that are not lists of attributes.
static std::optional<SmallVector<Attribute>> getElements(Attribute value) {
  Builder builder(value.getContext());
  if (auto array = dyn_cast<ArrayAttr>(value))
    return llvm::to_vector(array.getValue());
  if (auto array = dyn_cast<DenseI64ArrayAttr>(value))
    return llvm::map_to_vector(array.asArrayRef(), [&](int64_t element) {
      return Attribute(llvm::isInt<32>(element)
                           ? builder.getI32IntegerAttr(element)
                           : builder.getI64IntegerAttr(element));
    });
  if (auto array = dyn_cast<DenseF64ArrayAttr>(value))
    return llvm::map_to_vector(array.asArrayRef(), [&](double element) {
      return Attribute(builder.getF64FloatAttr(element));
    });
  return std::nullopt;
}

std::string Printer::formatAttribute(Attribute value) {
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return formatInteger(integer);
  if (auto number = dyn_cast<FloatAttr>(value))
    return formatFloatAttribute(number);
  if (auto string = dyn_cast<StringAttr>(value))
    return escape(string.getValue());
  if (auto type = dyn_cast<TypeAttr>(value))
    return escape(getDataTypeName(type.getValue()));
  if (auto symbol = dyn_cast<FlatSymbolRefAttr>(value))
    return quoteName("@", symbol.getValue());
  if (isa<UnitAttr>(value))
    return "None";
  if (std::optional<SmallVector<Attribute>> elements = getElements(value)) {
    std::vector<std::string> parts;
    for (Attribute element : *elements)
      parts.push_back(formatAttribute(element));
    return "[" + llvm::join(parts, ", ") + "]";
  }
  if (auto dictionary = dyn_cast<DictionaryAttr>(value)) {
    if (options.showMetadata && isMetadataObject(dictionary))
      return formatMeta(value);
    return "{" + formatAttributes(dictionary.getValue()) + "}";
  }
  if (isa<ElementsAttr>(value))
    return formatMeta(value);
  // An object of whoever made the program, with a description.
  if (auto object = dyn_cast<DistinctAttr>(value))
    return formatAttribute(object.getReferencedAttr());
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return escape(text);
}

/// Whether the parser takes `name` for an identifier.
static bool isAttributeName(StringRef name) {
  if (name.starts_with("meta[") || name.contains('/') || name.contains('-'))
    return false;
  if (!isPlainName(name))
    return false;
  SmallVector<StringRef> parts;
  name.split(parts, '.');
  return llvm::none_of(
      parts, [](StringRef part) { return llvm::isDigit(part.front()); });
}

std::string Printer::formatAttributes(ArrayRef<NamedAttribute> attrs) {
  std::vector<std::string> parts;
  for (NamedAttribute attr : attrs) {
    StringRef name = attr.getName();
    parts.push_back((isAttributeName(name) ? name.str() : escape(name)) + "=" +
                    formatAttribute(attr.getValue()));
  }
  return llvm::join(parts, ", ");
}
