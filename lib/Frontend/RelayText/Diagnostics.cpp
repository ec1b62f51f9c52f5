//===- Diagnostics.cpp - Messages in the words of Relay -------------------===//
//
// This file is licensed under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages are made of parts, of which types and attributes are printed as
// Relay has them. The rest is text, in which names of operations are replaced,
// and what MLIR generates for constraints on operands and attributes.
//
//===----------------------------------------------------------------------===//

#include "relay-mlir/Frontend/RelayText/Diagnostics.h"

#include "relay-mlir/Dialect/Relay/IR/DType.h"
#include "relay-mlir/Dialect/Relay/IR/OperatorSchema.h"
#include "relay-mlir/Dialect/Relay/IR/Relay.h"
#include "relay-mlir/Frontend/RelayText/RelayText.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Regex.h"

using namespace mlir;
using namespace mlir::relay;

//===----------------------------------------------------------------------===//
// Types and attributes
//===----------------------------------------------------------------------===//

static void printType(raw_ostream &os, Type type) {
  if (isa<IntegerType, FloatType>(type))
    os << getDTypeName(type);
  else if (isa<RankedTensorType, TupleType, FunctionType>(type) ||
           isa<RelayDialect>(type.getDialect()))
    printRelayType(os, type);
  else
    os << type;
}

static void printAttribute(raw_ostream &os, Attribute attr) {
  auto printList = [&](auto values) {
    os << '[';
    llvm::interleaveComma(values, os);
    os << ']';
  };
  llvm::TypeSwitch<Attribute>(attr)
      .Case([&](BoolAttr flag) { os << (flag.getValue() ? "True" : "False"); })
      .Case([&](IntegerAttr integer) { os << integer.getValue(); })
      .Case([&](FloatAttr number) { os << number.getValueAsDouble(); })
      .Case([&](TypeAttr type) { printType(os, type.getValue()); })
      .Case([&](DenseI64ArrayAttr list) { printList(list.asArrayRef()); })
      .Case([&](DenseF64ArrayAttr list) { printList(list.asArrayRef()); })
      .Case([&](ArrayAttr list) {
        os << '[';
        llvm::interleaveComma(
            list, os, [&](Attribute element) { printAttribute(os, element); });
        os << ']';
      })
      .Case([&](FlatSymbolRefAttr function) { os << function; })
      // @List::@Cons
      .Case([&](SymbolRefAttr constructor) {
        os << constructor.getLeafReference().getValue();
      })
      .Case([&](UnitAttr) { os << "None"; })
      .Default([&](Attribute other) { os << other; });
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

/// Element types as TableGen describes them.
static std::string translateElements(StringRef text) {
  SmallVector<StringRef> parts;
  text.split(parts, " or ");
  std::string result;
  bool hasIntegers = false;
  for (StringRef part : parts) {
    bool isInteger = part == "signless integer" || part == "unsigned integer";
    if (isInteger && std::exchange(hasIntegers, true))
      continue;
    std::string word = part.str();
    SmallVector<StringRef> match;
    if (isInteger)
      word = "integer";
    else if (part == "floating-point")
      word = "float";
    else if (part == "1-bit signless integer")
      word = "bool";
    else if (llvm::Regex("^([0-9]+)-bit (signless |unsigned )?(float|integer)$")
                 .match(part, &match))
      word = (StringRef(match[2] == "unsigned " ? "uint"
                        : match[3] == "float"   ? "float"
                                                : "int") +
              match[1])
                 .str();
    result += (result.empty() ? "" : " or ") + word;
  }
  return result;
}

/// A constraint on a type as TableGen describes it.
static std::string translateConstraint(StringRef text) {
  text.consume_front("variadic of ");
  static const llvm::Regex tensor(
      "^(ranked |0D |1D |2D |unranked )?tensor of (.*) values(.*)$");
  SmallVector<StringRef> match;
  if (tensor.match(text, &match)) {
    StringRef kind = llvm::StringSwitch<StringRef>(match[1])
                         .Case("0D ", "a scalar of type ")
                         .Case("1D ", "a vector of type ")
                         .Case("2D ", "a matrix of type ")
                         .Default("a tensor of type ");
    std::string rest = match[3].str();
    // What is still to be inferred is nobody's concern.
    StringRef more = rest;
    if (more.consume_front(" or ") && more == "tuple")
      rest = " or a tuple";
    else
      rest.clear();
    return (kind + translateElements(match[2]) + rest).str();
  }
  SmallVector<StringRef> parts;
  text.split(parts, " or ");
  return llvm::StringSwitch<StringRef>(parts.front())
      .Case("tuple", "a tuple")
      .Case("function type", "a function")
      .Case("A mutable cell", "a reference")
      .Case("An algebraic data type", "a value of a data type")
      .Case("string attribute", "a string")
      .Case("64-bit integer attribute", "an integer")
      .Case("64-bit signless integer attribute", "an integer")
      .Case("bool attribute", "a bool")
      .Case("64-bit float attribute", "a float")
      .Case("any type attribute", "a data type")
      .Case("i64 dense array attribute", "a list of integers")
      .Case("f64 dense array attribute", "a list of floats")
      .Case("array attribute", "a list")
      .Case("constant vector/tensor attribute", "a constant")
      .Default(text)
      .str();
}

/// The name of an operand of an operator, or its number.
static std::string getOperandName(const OperatorSchema *schema,
                                  StringRef number) {
  size_t index;
  if (!schema || schema->operands.empty() || number.getAsInteger(10, index))
    return ("operand " + number).str();
  return schema->operands[std::min(index, schema->operands.size() - 1)]
      .name.str();
}

/// Rewrites what TableGen and MLIR generate.
static std::string translateGenerated(const OperatorSchema *schema,
                                      std::string text) {
  SmallVector<StringRef> match;
  if (llvm::Regex("^operand #([0-9]+) must be (.*), but got (.*)$")
          .match(text, &match))
    return "expects " + getOperandName(schema, match[1]) + " to be " +
           translateConstraint(match[2]) + ", but got " + match[3].str();
  if (llvm::Regex("^result #[0-9]+ must be (.*), but got (.*)$")
          .match(text, &match))
    return "expects the result to be " + translateConstraint(match[1]) +
           ", but got " + match[2].str();
  if (llvm::Regex("^attribute '(.*)' failed to satisfy constraint: (.*)$")
          .match(text, &match))
    return "expects '" + match[1].str() + "' to be " +
           translateConstraint(match[2]);
  if (llvm::Regex("^requires attribute '(.*)'$").match(text, &match))
    return "expects attribute '" + match[1].str() + "'";
  if (llvm::Regex(
          "^(expects operand [0-9]+ \\(.*\\) to be )(.*)(, but got .*)$")
          .match(text, &match))
    return match[1].str() + translateConstraint(match[2]) + match[3].str();
  return text;
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static std::string translateMessage(const Diagnostic &diag) {
  std::string message;
  llvm::raw_string_ostream os(message);
  for (const DiagnosticArgument &argument : diag.getArguments()) {
    if (argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Type)
      printType(os, argument.getAsType());
    else if (argument.getKind() ==
             DiagnosticArgument::DiagnosticArgumentKind::Attribute)
      printAttribute(os, argument.getAsAttribute());
    else
      argument.print(os);
  }
  // 'relay.nn.dense' op expects ...
  const OperatorSchema *schema = nullptr;
  static const llvm::Regex subject("^'([a-z_]+)\\.([A-Za-z0-9_.]+)' op ");
  SmallVector<StringRef> match;
  if (subject.match(message, &match)) {
    if (match[1] == "relay")
      schema = getOperatorSchema(match[2]);
    std::string rest = message.substr(match[0].size());
    message = translateGenerated(schema, std::move(rest));
    if (schema) {
      bool isVerb = StringRef(message).starts_with("expects ") ||
                    StringRef(message).starts_with("has ");
      message = (schema->name + (isVerb ? " " : ": ") + message).str();
    }
  }
  static const llvm::Regex name("'relay\\.([A-Za-z0-9_.]+)'");
  while (name.match(message, &match))
    message = name.sub("'\\1'", message);
  return message;
}

static void translate(Diagnostic &diag) {
  Diagnostic result(diag.getLocation(), diag.getSeverity());
  result << translateMessage(diag);
  for (Diagnostic &note : diag.getNotes())
    result.attachNote(note.getLocation()) << translateMessage(note);
  diag = std::move(result);
}

void relay::translateToRelay(Diagnostic &diag) { translate(diag); }

RelayDiagnostics::RelayDiagnostics(MLIRContext *context)
    : ScopedDiagnosticHandler(context), context(context),
      printedOps(context->shouldPrintOpOnDiagnostic()) {
  context->printOpOnDiagnostic(false);
  setHandler([](Diagnostic &diag) {
    translateToRelay(diag);
    // For whoever shows it.
    return failure();
  });
}

RelayDiagnostics::~RelayDiagnostics() {
  context->printOpOnDiagnostic(printedOps);
}
